"""Pages of `sixprime web` in Chromium, for the tests: a server, a browser, and what may not be said on any page."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

pytest.importorskip("playwright.sync_api")
pytest.importorskip("axe_playwright_python.sync_playwright")
pytest.importorskip("uvicorn")

from web_process import CHROMIUM, chromium, serving

from sixprime.web.house import House
from sixprime.web.messages import SittingAsked

marks = [
    pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium"),
    # Its event loop is left open for the process that starts the browser.
    pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning"),
]
WIDE, PHONE = {"width": 1280, "height": 850}, {"width": 360, "height": 740}
# A few chequers of both sides at home, player 1 on roll.
RACE = "XGID=-CC--------------------cc-:0:0:1:00:0:0:0:1:10"

Open = Callable[..., Any]


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("SIXPRIME_DATA", str(tmp_path_factory.mktemp("data")))
        made = House(folder=tmp_path_factory.mktemp("games"), threads=1)
        yield made
        made.close()


@pytest.fixture(scope="module")
def address(house: House) -> Iterator[str]:
    with serving(house) as started:
        yield started


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as started:
        yield started


@pytest.fixture
def page_of(browser: Any, address: str) -> Iterator[Open]:
    """Opens a page, at another port if one is named; at the end nothing may have been asked of anybody else, and
    nothing complained of."""
    opened, asked, said = [], [], []

    def opening(path: str, port: int | None = None, **options: Any) -> Any:
        context = browser.new_context(**{"viewport": WIDE, "reduced_motion": "reduce", **options})
        opened.append(context)
        page = context.new_page()
        page.set_default_timeout(30_000)
        page.on("request", lambda request: asked.append(request.url))
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(f"{error}\n{error.stack}"))
        page.goto((address if port is None else f"http://127.0.0.1:{port}") + path)
        return page

    yield opening
    for context in opened:
        context.close()
    # Chromium tells of every answer that refuses something, and of every connection that is cut.
    assert [text for text in said if "status of 4" not in text and "ERR_" not in text] == []
    assert all(url.startswith(("http://127.0.0.1:", "data:", "blob:")) for url in asked)


def sit_down(house: House, opponent: str = "beginner", position: str = RACE, **more: Any) -> str:
    asked = SittingAsked(opponent=opponent, length=1, position=position, seed=3, name="Ann", **more)
    return f"/play/{house.sit_down(asked).key}"


def over(page: Any) -> bool:
    return bool(page.get_attribute("body", "data-phase") == "match over")


SHOWN = """[document.body.dataset.number, document.body.dataset.phase, document.querySelectorAll("dialog").length,
    ...[...document.querySelectorAll("#prompt, #actions, .hits rect")].map((each) => each.textContent)].join()"""


def play_on(page: Any, move: Callable[[], None], press: Callable[[str], None]) -> None:
    """Plays until the match is over: `move` moves a chequer, `press` does what a button says."""
    page.wait_for_selector("body[data-phase]")
    for _ in range(200):
        page.wait_for_selector("#actions .main, .hits .from, dialog[open]")
        shown = page.evaluate(SHOWN)
        if over(page):
            return
        if page.locator("#actions [data-act=play]").count():
            press("play")
        elif page.locator("#actions [data-act=roll]").count():
            press("roll")
        elif page.locator(".hits .from").count():
            move()
        page.wait_for_function(f"(shown) => {SHOWN} !== shown", arg=shown)
    raise AssertionError(page.inner_text("#prompt"))
