"""Pages of `sixprime web` that are cut off, opened twice, closed in the midst of work, and fed with texts of others."""

from __future__ import annotations

import select
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import pytest
import web_browser
from web_browser import Open, sit_down
from web_process import START, until

from sixprime.web.house import House
from sixprime.web.messages import SittingAsked

pytestmark = web_browser.marks
address, browser, house, page_of = web_browser.address, web_browser.browser, web_browser.house, web_browser.page_of


class Wire:
    """A connection to a server that can be cut: what comes to its own port goes on to that of the server."""

    def __init__(self, port: int) -> None:
        self._port, self.whole = port, True
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listening.getsockname()[1])
        self._pairs: list[tuple[socket.socket, socket.socket]] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listening.accept()
                if not self.whole:
                    near.close()
                    continue
                pair = near, socket.create_connection(("127.0.0.1", self._port))
                self._pairs.append(pair)
                threading.Thread(target=self._carry, args=pair, daemon=True).start()

    def _carry(self, near: socket.socket, far: socket.socket) -> None:
        with suppress(OSError, ValueError):
            while True:
                for side in select.select([near, far], [], [])[0]:
                    data = side.recv(1 << 16)
                    if not data:
                        return
                    (far if side is near else near).sendall(data)
        near.close()
        far.close()

    def cut(self) -> None:
        """Ends all connections, and takes no more until it is `whole` again."""
        self.whole = False
        for pair in self._pairs:
            for side in pair:
                with suppress(OSError):
                    side.shutdown(socket.SHUT_RDWR)
        self._pairs.clear()

    def close(self) -> None:
        """Ends it."""
        self.cut()
        self._listening.close()


@pytest.fixture
def wire(address: str) -> Iterator[Wire]:
    made = Wire(int(address.rsplit(":", 1)[1]))
    yield made
    made.close()


def pausing(page: Any) -> Callable[[float], None]:
    """Waits while the page goes on."""
    return lambda seconds: page.wait_for_timeout(1000 * seconds)


def number(page: Any) -> int:
    return int(page.get_attribute("body", "data-number"))


def test_two_tabs_on_one_game_are_one_game(page_of: Open, house: House) -> None:
    place = sit_down(house, "person", START)
    first, second = page_of(place), page_of(place)
    for page in (first, second):
        page.wait_for_selector(".hits .from")
    first.fill("#typed", "8/5 6/5")
    first.press("#typed", "Enter")
    first.click("[data-act=play]")
    second.wait_for_selector("#moves >> text=31: 8/5 6/5")
    # Both act at once: one is heard, the other shown what became of it.
    for page in (first, second):
        page.wait_for_selector("[data-act=roll]")
    for page in (first, second):
        page.evaluate("document.querySelector('[data-act=roll]')?.click()")
    for page in (first, second):
        page.wait_for_selector(".hits .from")
    assert number(first) == number(second) == len(house.sitting(place.split("/")[-1]).session.history)
    first.reload()
    first.wait_for_selector(".hits .from")
    shown = [page.get_attribute("#board .sp-board", "aria-label") for page in (first, second)]
    assert shown[0] == shown[1]


def test_a_game_goes_on_when_the_connection_was_cut(page_of: Open, house: House, wire: Wire, address: str) -> None:
    place = sit_down(house, "person", START)
    page, other = page_of(place, port=wire.port), page_of(place)
    for each in (page, other):
        each.wait_for_selector(".hits .from")
    wire.cut()
    page.wait_for_selector("#prompt:has-text('The server does not answer')")
    other.fill("#typed", "8/5 6/5")
    other.press("#typed", "Enter")
    other.click("[data-act=play]")
    other.click("[data-act=roll]")
    other.wait_for_selector(".hits .from")
    wire.whole = True
    page.wait_for_selector("#moves >> text=31: 8/5 6/5")
    page.wait_for_selector("#prompt:not(:has-text('The server'))")
    assert number(page) == number(other)


def test_a_rollout_goes_on_when_the_connection_was_cut(page_of: Open, house: House, wire: Wire) -> None:
    page = page_of("/analyse", port=wire.port)
    page.wait_for_selector("#depth:has-text('2-ply')")
    page.select_option("#trials", "5184")
    page.click("#roll")
    page.wait_for_selector("#result[data-trials]", state="attached")
    before = int(page.get_attribute("#result", "data-trials"))
    wire.cut()
    page.wait_for_selector("#depth:has-text('The server does not answer')")
    until(lambda: not house.desk.busy, "the work ends", pausing(page))
    wire.whole = True
    page.wait_for_selector("#depth:not(:has-text('The server'))")
    page.wait_for_function("(before) => +document.querySelector('#result').dataset.trials > before", arg=before)
    seen = int(page.get_attribute("#result", "data-trials"))
    assert seen > before
    # Whoever stops and begins again goes on, too.
    page.click("#stop")
    page.click("#roll")
    page.wait_for_selector("#result[data-trials]", state="attached")
    assert int(page.get_attribute("#result", "data-trials")) >= seen


def test_work_stops_when_the_page_is_closed(page_of: Open, house: House) -> None:
    page, other = page_of("/analyse"), page_of("/")
    page.wait_for_selector("#depth:has-text('2-ply')")
    page.select_option("#trials", "5184")
    page.click("#roll")
    page.wait_for_selector("#result[data-trials]", state="attached")
    assert house.desk.busy
    page.close()
    until(lambda: not house.desk.busy, "the work ends", pausing(other))


def test_many_tabs_are_open_at_once(browser: Any, house: House, address: str) -> None:
    context = browser.new_context()
    pages = []
    for _ in range(9):
        if pages:
            # Behind the new one.
            pages[-1].evaluate(HIDDEN)
        pages.append(context.new_page())
        pages[-1].goto(address + sit_down(house, "person", START))
        pages[-1].wait_for_selector(".hits .from")
    pages[0].evaluate(SEEN)
    pages[0].fill("#typed", "8/5 6/5")
    pages[0].press("#typed", "Enter")
    pages[0].click("[data-act=play]")
    pages[0].wait_for_selector("#moves >> text=31: 8/5 6/5")
    context.close()


_TURN = """() => {
  Object.defineProperty(document, "visibilityState", { value: "%s", configurable: true });
  document.dispatchEvent(new Event("visibilitychange", { bubbles: true }));
}"""
HIDDEN, SEEN = _TURN % "hidden", _TURN % "visible"

BAD = "<img src=x onerror=hacked=1>"
WORSE = '"><script>window.hacked=1</script><svg onload=hacked=1>'


def harmless(page: Any) -> None:
    """Nothing of a text has become part of the page, or was run."""
    assert page.evaluate("window.hacked") is None
    found = page.evaluate(
        "[...document.querySelectorAll('*')].filter((each) => [...each.attributes].some((a) => /^on/i.test(a.name))"
        " || each.getAttribute('src') === 'x' || (each.tagName === 'SCRIPT' && each.textContent.includes('hacked')))"
        ".map((each) => each.outerHTML.slice(0, 100))"
    )
    assert found == []


def test_names_are_texts(page_of: Open, house: House) -> None:
    opened = house.sit_down(SittingAsked(opponent="person", name=BAD, position=START, length=1))
    page = page_of(f"/play/{opened.key}")
    page.wait_for_selector(".hits .from")
    assert BAD in page.title()
    assert BAD in page.inner_text("#above") + page.inner_text("#below")
    harmless(page)
    home = page_of("/")
    home.wait_for_selector(f"#games li:has-text('{BAD}')")
    harmless(home)
    page.fill("#typed", "8/5 6/5")
    page.press("#typed", "Enter")
    page.click("[data-act=play]")
    page.wait_for_selector("#moves >> text=31: 8/5 6/5")
    report = page_of(f"/reports/{house.report_of(house.sitting(opened.key)).key}")
    report.wait_for_selector(f"text={BAD} >> visible=true")
    harmless(report)


@pytest.mark.parametrize("width", [360, 768, 1280])
def test_long_names_break_no_page(page_of: Open, house: House, width: int) -> None:
    opened = house.sit_down(SittingAsked(opponent="person", name="W" * 40, position=START, length=1))
    for place in (f"/play/{opened.key}", "/"):
        page = page_of(place, viewport={"width": width, "height": 800})
        page.wait_for_selector(f"text={'W' * 40} >> visible=true")
        if place != "/":
            page.fill("#typed", "8/5 6/5")
            page.press("#typed", "Enter")
            page.click("[data-act=play]")
            page.wait_for_selector("#said:has-text('8/5')")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        over = page.evaluate(
            "[...document.querySelectorAll('.rows *, #said, .prompt, .moves *:not(.hidden)')]"
            ".filter(({ clientWidth, scrollWidth }) => clientWidth && scrollWidth > clientWidth + 1)"
            ".map((each) => each.outerHTML)"
        )
        assert over == []


def test_what_files_say_is_text(page_of: Open, house: House) -> None:
    said = WORSE.replace("]", "\\]")
    lines = (
        f"(;FF[4]GM[6]CA[UTF-8]PW[{BAD}]PB[{said}]EV[{said}]C[{said}]MI[length:1];B[31hhff]C[{said}]N[{said}];W[42])"
    )
    page = page_of("/review")
    page.set_input_files("#file", {"name": f"{BAD}.sgf", "mimeType": "text/plain", "buffer": lines.encode()})
    # The page that waits for the report makes way for it.
    page.wait_for_selector("#keep")
    page.wait_for_selector(f"text={BAD} >> visible=true")
    assert WORSE in page.content().replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", '"').replace(
        "&amp;", "&"
    )
    harmless(page)
    page.click("#keep")
    page.wait_for_selector("#toast.shown, .toast.shown")
    library = page_of("/library")
    library.wait_for_selector(f"text={BAD}")
    harmless(library)


def test_addresses_and_errors_are_texts(page_of: Open, house: House) -> None:
    page = page_of(f"/analyse#{BAD}")
    page.wait_for_selector("#unread:not([hidden])")
    harmless(page)
    page = page_of(sit_down(house, "person", START))
    page.wait_for_selector(".hits .from")
    page.fill("#typed", "8/<img/src=x/onerror=hacked=1>")
    page.press("#typed", "Enter")
    page.wait_for_selector(".toast.problem.shown:has-text('onerror')")
    harmless(page)
    for place in (f"/play/{'x' * 30}", "/play/<script>hacked=1</script>", "/review?<script>hacked=1</script>"):
        page = page_of(place)
        page.wait_for_load_state()
        harmless(page)
