"""The pages of `sixprime web` in a browser: played by mouse, keys and touch. Needs Chromium and the extra `browser`."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

playwright = pytest.importorskip("playwright.sync_api")
axe = pytest.importorskip("axe_playwright_python.sync_playwright")
uvicorn = pytest.importorskip("uvicorn")

from sixprime.web.app import create_app  # noqa: E402
from sixprime.web.house import House  # noqa: E402
from sixprime.web.messages import SittingAsked  # noqa: E402

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium"),
    # Its event loop is left open for the process that starts the browser.
    pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning"),
]
SWITCHES = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
WIDE, PHONE = {"width": 1280, "height": 850}, {"width": 360, "height": 740}
# A few chequers of both sides at home, player 1 on roll.
RACE = "XGID=-CC--------------------cc-:0:0:1:00:0:0:0:1:10"
START = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:7:10"

Open = Callable[..., Any]


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    made = House(folder=tmp_path_factory.mktemp("games"), threads=1)
    yield made
    made.close()


@pytest.fixture(scope="module")
def address(house: House) -> Iterator[str]:
    server = uvicorn.Server(uvicorn.Config(create_app(house), port=0, log_level="error", timeout_graceful_shutdown=1))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = True
    thread.join(10)


@contextmanager
def command(home: Path, port: str = "0") -> Iterator[str]:
    """`sixprime web`, killed at the end; its games are in `home`."""
    asked = [sys.executable, "-m", "sixprime", "web", "--threads", "1", "--port", port]
    with subprocess.Popen(
        asked, env=os.environ | {"SIXPRIME_DATA": str(home)}, stdout=subprocess.PIPE, text=True
    ) as run:
        try:
            yield run.stdout.readline().split()[-1]
        finally:
            run.kill()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=CHROMIUM, args=SWITCHES)
        yield started
        started.close()


@pytest.fixture
def page_of(browser: Any, address: str) -> Iterator[Open]:
    """Opens a page; at the end nothing may have been asked of anybody else, and nothing complained of."""
    opened, asked, said = [], [], []

    def opening(path: str, **options: Any) -> Any:
        context = browser.new_context(**{"viewport": WIDE, "reduced_motion": "reduce", **options})
        opened.append(context)
        page = context.new_page()
        page.set_default_timeout(30_000)
        page.on("request", lambda request: asked.append(request.url))
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(f"{error}\n{error.stack}"))
        page.goto(address + path)
        return page

    yield opening
    for context in opened:
        context.close()
    # Chromium tells of every answer that refuses something.
    assert [text for text in said if "status of 4" not in text] == []
    assert all(url.startswith((address, "data:", "blob:")) for url in asked)


def violations(page: Any) -> list[str]:
    found = axe.Axe().run(page)
    return [f"{rule['id']}: {rule['nodes'][0]['html'][:200]}" for rule in found.response["violations"]]


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


def test_a_game_by_mouse(page_of: Open, house: House) -> None:
    page = page_of(sit_down(house))
    play_on(
        page,
        lambda: page.locator(".hits .from").first.click(position={"x": 8, "y": 40}),
        lambda name: page.click(f"[data-act={name}]"),
    )
    page.click("dialog button[value=report]")
    page.wait_for_url("**/reports/*")
    page.wait_for_selector("text=Ann", timeout=30_000)


def test_a_game_by_keys(page_of: Open, house: House) -> None:
    page = page_of(sit_down(house))

    def move() -> None:
        page.locator(".hits .from").first.focus()
        page.keyboard.press("Enter")

    def press(name: str) -> None:
        page.evaluate("document.activeElement.blur()")
        page.keyboard.press("Enter" if name == "play" else "r")

    play_on(page, move, press)
    assert "wins the match" in page.inner_text("#prompt")


def test_a_game_by_touch_on_a_phone(page_of: Open, house: House) -> None:
    page = page_of(sit_down(house), viewport=PHONE, has_touch=True, is_mobile=True)
    play_on(
        page,
        lambda: page.locator(".hits .from").first.tap(position={"x": 8, "y": 30}),
        lambda name: page.locator(f"[data-act={name}]").tap(),
    )
    box = page.locator("#board").bounding_box()
    assert box["width"] <= 360
    # A point, of the 612 units of the drawing.
    assert page.locator(".hits").bounding_box()["width"] * 40 / 612 > 23.95


def test_a_chequer_is_dragged_typed_and_taken_back(page_of: Open, house: House) -> None:
    page = page_of(sit_down(house, "person", START))
    eight, five = (page.locator(f".hits [data-p='{point}']").bounding_box() for point in (8, 5))
    page.mouse.move(eight["x"] + 10, eight["y"] + 100)
    page.mouse.down()
    page.mouse.move(five["x"] + 10, five["y"] + 100, steps=4)
    page.mouse.up()
    page.wait_for_selector("text=8/5 …")
    page.keyboard.press("u")
    page.wait_for_selector("#actions:not(:has([data-act=back]))")
    page.locator(".hits [data-p='24']").click(button="right", position={"x": 8, "y": 40})
    page.wait_for_selector("text=24/23 …")
    page.keyboard.press("Backspace")
    page.wait_for_selector("#actions:not(:has([data-act=back]))")
    page.fill("#typed", "8/5 6/5")
    page.press("#typed", "Enter")
    page.wait_for_selector("[data-act=play]")
    page.click("[data-act=play]")
    page.wait_for_selector("#moves >> text=31: 8/5 6/5")
    page.reload()
    page.wait_for_selector("#moves >> text=31: 8/5 6/5")
    page.click("[data-act=undo]")
    page.wait_for_selector("[data-number='1'], [data-number='0']", state="attached")


def test_the_page_goes_on_when_the_server_was_killed(browser: Any, tmp_path: Path) -> None:
    page = browser.new_page()
    page.set_default_timeout(30_000)
    with command(tmp_path) as address:
        page.goto(address)
        page.select_option("#opponent", "person")
        page.click("summary")
        page.fill("#position", START)
        page.press("#position", "Enter")
        page.wait_for_selector("body[data-phase]")
        page.fill("#typed", "8/5 6/5")
        page.press("#typed", "Enter")
        page.click("[data-act=play]")
        page.click("[data-act=roll]")
        page.wait_for_selector(".hits .from")
        number = page.get_attribute("body", "data-number")
    page.wait_for_selector("text=The server does not answer")
    with command(tmp_path, port=address.rsplit(":")[-1].strip("/")):
        page.wait_for_selector("#prompt:not(:has-text('The server'))")
        assert page.get_attribute("body", "data-number") == number
        page.click("[data-act=hint]")
        page.wait_for_selector("#hints li")
        page.close()


def test_the_tutor_warns(page_of: Open, house: House) -> None:
    page = page_of(sit_down(house, "person", START, tutor=True))
    page.fill("#typed", "13/10 6/5")
    page.press("#typed", "Enter")
    page.click("[data-act=play]")
    page.click("dialog button[value=anyway]", timeout=30_000)
    page.wait_for_selector("#moves >> text=31: 13/10 6/5")


def test_a_position_is_pasted_edited_judged_and_rolled_out(page_of: Open) -> None:
    page = page_of("/analyse")
    page.fill("#text", START)
    page.click("#paste button")
    page.wait_for_selector("#depth:has-text('2-ply')", timeout=30_000)
    assert page.inner_text(".candidates b >> nth=0") == "8/5 6/5"
    page.hover(".candidates button >> nth=1")
    assert page.locator("#board .sp-best").count()
    page.select_option("#trials", "5184")
    page.click("#roll")
    page.wait_for_selector("#depth:has-text('Rolled out')", timeout=30_000)
    page.click("#stop")
    page.wait_for_selector("#stop:disabled")
    assert 0 < int(page.get_attribute("#result", "data-trials") or 0) < 5184
    page.click("#edit")
    page.locator(".hits [data-p='6']").first.click(position={"x": 8, "y": 40})
    page.wait_for_selector("#prompt:not(:empty)")
    page.click("#clear")
    page.wait_for_selector("#prompt.problem")
    page.click("#start")
    page.click("#edit")
    page.fill("#dice", "65")
    page.press("#dice", "Enter")
    page.wait_for_selector(".candidates b:has-text('24/13')", timeout=30_000)
    page.fill("#text", "no position")
    page.click("#paste button")
    page.wait_for_selector(".toast.problem.shown")


@pytest.mark.parametrize(("scheme", "size"), [("light", PHONE), ("dark", WIDE)])
def test_nothing_is_hard_to_read_or_to_reach(page_of: Open, house: House, scheme: str, size: dict[str, int]) -> None:
    played = sit_down(house, "person", START)
    for path, ready in {
        "/": "#games li",
        played: "body[data-phase]",
        "/analyse": "#depth:has-text('2-ply')",
        "/review": "#file",
        "/settings": ".setting",
    }.items():
        page = page_of(path, viewport=size, color_scheme=scheme)
        page.wait_for_selector(ready, state="attached")
        assert violations(page) == [], path
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= size["width"], (path, wide)


def test_a_match_is_reviewed(page_of: Open, tmp_path: Path) -> None:
    match = tmp_path / "match.mat"
    match.write_text(
        " 1 point match\n\n Game 1\n Ann : 0                  Bob : 0\n"
        "  1) 31: 8/5 6/5              42: 8/4 6/4\n      Wins 1 point and the match\n"
    )
    page = page_of("/review")
    page.set_input_files("#file", match)
    page.wait_for_url("**/reports/*", timeout=30_000)
    page.wait_for_selector("text=Ann", timeout=30_000)
