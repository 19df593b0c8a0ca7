"""The pages of `sixprime web` in a browser: played by mouse, keys and touch. Needs Chromium and the extra `browser`."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
import web_browser
from web_browser import PHONE, START, WIDE, Open, command, play_on, sit_down, violations

from sixprime.web.house import House

pytestmark = web_browser.marks
address, browser, house, page_of = web_browser.address, web_browser.browser, web_browser.house, web_browser.page_of


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
    page.fill("#text", START.replace(":31:", ":42:"))
    page.click("#paste button")
    page.wait_for_selector("body[data-xgid*=':42:']")
    page.wait_for_selector("#depth:has-text('2-ply')")
    assert page.inner_text(".candidates b >> nth=0") == "8/4 6/4"
    page.hover(".candidates button >> nth=1")
    page.wait_for_selector("#board .sp-best", state="attached")
    page.select_option("#trials", "5184")
    page.click("#roll")
    page.wait_for_selector("#result[data-trials]", state="attached")
    page.click("#stop")
    page.wait_for_selector("#stop:disabled")
    assert 0 < int(page.get_attribute("#result", "data-trials") or 0) < 5184
    page.click("#edit")
    page.wait_for_selector("#edit[aria-pressed=true]")
    page.wait_for_selector(".hits [data-who='1']", state="attached")
    before = page.get_attribute("body", "data-xgid")
    page.locator(".hits [data-p='6']").first.click(position={"x": 8, "y": 40})
    page.wait_for_selector(f"body:not([data-xgid='{before}'])")
    page.click("#clear")
    page.wait_for_selector("#prompt.problem")
    page.click("#start")
    page.wait_for_selector("#prompt:not(.problem)")
    page.click("#edit")
    page.fill("#dice", "65")
    page.press("#dice", "Enter")
    page.wait_for_selector(".candidates b:has-text('24/13')")
    page.fill("#text", "no position")
    page.click("#paste button")
    page.wait_for_selector(".toast.problem.shown")


def test_what_is_asked_for_last_counts_where_answers_are_slow(page_of: Open) -> None:
    page = page_of("/analyse")
    page.wait_for_selector("#depth:has-text('2-ply')")
    page.route("**/api/v1/positions", lambda route: (time.sleep(0.4), route.continue_()))
    page.fill("#text", START.replace(":31:", ":42:"))
    page.click("#paste button")
    # Of what was pasted, which is not here yet.
    page.click("#roll")
    page.wait_for_selector("#result[data-trials] b:has-text('8/4 6/4')")
    page.click("#stop")
    page.click("#swap")
    # What is typed stays when the answer comes.
    page.fill("#dice", "65")
    page.wait_for_selector("body[data-xgid*=':-1:42:']")
    assert page.input_value("#dice") == "65"
    page.press("#dice", "Enter")
    page.wait_for_selector(".candidates b:has-text('24/13')")


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
