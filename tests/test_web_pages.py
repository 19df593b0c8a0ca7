"""The pages of `sixprime web` in a browser: played by mouse, keys and touch. Needs Chromium and the extra `browser`."""

from __future__ import annotations

import re
import time
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import pytest
import web_browser
from web_browser import PHONE, WIDE, Open, play_on, sit_down
from web_process import START, Server, violations

from sixprime import analyse, formats
from sixprime.game.record import Player
from sixprime.paths import sample_match
from sixprime.report.svg import board_defs
from sixprime.settings.file import change
from sixprime.settings.tree import KEYS
from sixprime.store.identity import checksum
from sixprime.web import messages as m
from sixprime.web.house import House
from sixprime.web.transcripts import match_of

pytestmark = web_browser.marks
address, browser, house, page_of = web_browser.address, web_browser.browser, web_browser.house, web_browser.page_of

DROP = """([text, name]) => {
    const data = new DataTransfer();
    data.items.add(new File([text], name));
    dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
}"""
MATCH = """ 3 point match

 Game 1
 Ann : 0                          Bob : 0
  1) 31: 8/5 6/5                  64: 24/18 13/9
  2) 65: 13/2                     52: 13/8 13/11
  3)  Doubles => 2                 Takes
  4) 21: 6/4 24/23                 42: 8/4 6/4
  5)  Resigns
"""


@pytest.fixture
def report(house: House) -> str:
    """A match of a few decisions that has been analysed: the path of its page."""
    judged = analyse(formats.read_text(MATCH, "match.mat"), house.engine, plies=0)
    return f"/reports/{house.reports.known(judged).key}"


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


FOCUSED = """() => {
  const now = document.activeElement;
  return now && now !== document.body && now.isConnected && now.checkVisibility() && !now.disabled;
}"""


def test_focus_is_never_lost_in_a_game(page_of: Open, house: House) -> None:
    page = page_of(sit_down(house))
    page.wait_for_selector(":is(#actions .main, .hits .from):focus")

    def go_on(name: str = "") -> None:
        assert page.evaluate(FOCUSED), page.inner_text("#prompt")
        page.keyboard.press("Enter")

    # Whatever is to be done next has the focus, so that one key plays all of it.
    play_on(page, go_on, go_on)
    page.wait_for_selector("dialog[open] button:focus")
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog", state="detached")
    assert page.evaluate(FOCUSED)


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
    page.wait_for_selector(".hits .from")
    # In one look, as the page may draw anew at any moment.
    eight, five = page.evaluate(
        "() => [8, 5].map((point) => document.querySelector(`.hits [data-p='${point}']`).getBoundingClientRect())"
        ".map(({ x, y }) => ({ x, y }))"
    )
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
    # What was set is no turn.
    assert page.locator("#moves tbody th").first.inner_text() == "1"
    page.reload()
    page.wait_for_selector("#moves >> text=31: 8/5 6/5")
    page.click("[data-act=undo]")
    page.wait_for_selector("[data-number='1'], [data-number='0']", state="attached")


BOARD = "document.querySelector('#board .sp-board').getAttribute('aria-label')"


def played_on(page: Any, *plays: str) -> None:
    """Plays and rolls for both sides."""
    for play in plays:
        page.wait_for_selector(".hits .from, [data-act=roll]")
        if page.locator("[data-act=roll]").count():
            page.click("[data-act=roll]")
            page.wait_for_selector(".hits .from")
        if play:
            page.fill("#typed", play)
            page.press("#typed", "Enter")
            page.click("[data-act=play]")
            page.wait_for_selector("[data-act=roll]")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [WIDE, PHONE])
def test_the_game_is_looked_back_at(page_of: Open, house: House, scheme: str, size: dict[str, int]) -> None:
    path = sit_down(house, "person", START.replace(":7:10", ":3:10"))
    page = page_of(path, color_scheme=scheme, viewport=size, has_touch=size is PHONE)
    page.wait_for_selector(".hits .from")
    begun = page.evaluate(BOARD)
    assert "on roll with 3-1; cube 1 centred" in begun
    played_on(page, "8/5 6/5", "")
    now, number = page.evaluate(BOARD), page.get_attribute("body", "data-number")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")  # at once, while the boards are fetched
    page.wait_for_selector("body.earlier #prompt:has-text('Position set')")
    page.keyboard.press("ArrowRight")
    page.wait_for_selector("body.earlier #prompt:has-text('8/5 6/5')")
    assert page.evaluate(BOARD) == begun
    assert "Ann: 31: 8/5 6/5" in page.inner_text("#prompt") or "Guest: 31: 8/5 6/5" in page.inner_text("#prompt")
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]
    for _ in range(3):  # there is nothing before
        page.keyboard.press("ArrowLeft")
    page.wait_for_selector("#earlier[aria-disabled=true]")
    # Nothing is done to a board that is not seen: a key leads back first.
    page.keyboard.press("u")
    page.wait_for_selector("body:not(.earlier)")
    assert page.evaluate(BOARD) == now
    page.click("#moves button:has-text('8/5 6/5')")
    page.wait_for_selector("body.earlier #moves [aria-current]")
    page.keyboard.press("ArrowRight")
    page.wait_for_selector("body:not(.earlier)")
    page.click("#earlier")
    page.wait_for_selector("body.earlier")
    page.keyboard.press("ArrowRight")
    page.wait_for_selector("body:not(.earlier)")
    page.click("#earlier")
    page.click("[data-act=present]")
    page.wait_for_selector("body:not(.earlier) .hits .from")
    assert page.evaluate(FOCUSED)
    assert page.get_attribute("body", "data-number") == number
    # Whoever types a play does it at the present.
    page.click("#earlier")
    page.wait_for_selector("body.earlier")
    page.fill("#typed", "24/")
    page.press("#typed", "Enter")
    page.wait_for_selector("body:not(.earlier)")
    # What is seen is analysed.
    page.click("#earlier")
    page.wait_for_selector("body.earlier")
    page.click("#analyse")
    page.wait_for_selector("body[data-xgid*=':31:']")


def test_whose_moves_are_listed_is_seen_however_far_down(page_of: Open, house: House) -> None:
    page = page_of(sit_down(house, "person", START))
    played_on(page, "8/5 6/5", "")
    page.evaluate("document.querySelector('.scroll').style.maxHeight = '4.5rem'")
    for key in ("ArrowLeft", "ArrowLeft"):
        page.keyboard.press(key)
        page.wait_for_selector("#moves [aria-current]")
        box, head = page.locator(".scroll").bounding_box(), page.locator("#first").bounding_box()
        row = page.locator("#moves [aria-current]").bounding_box()
        assert abs(head["y"] - box["y"]) < 2
        assert row["y"] > head["y"] + head["height"] - 2


def test_whoever_looks_back_is_called_when_it_is_his_turn(page_of: Open, house: House) -> None:
    path = sit_down(house, "invited", START.replace(":7:10", ":1:10"), tutor=False)
    page = page_of(path)
    sitting = house.sitting(path.rsplit("/", 1)[1])
    guest = page_of(f"/play/{sitting.keys.invitation}")
    page.wait_for_selector(".hits .from")
    page.fill("#typed", "8/5 6/5")
    page.press("#typed", "Enter")
    page.click("[data-act=play]")
    guest.wait_for_selector(".hits .from")  # nobody can double, so the dice roll by themselves
    page.click("#earlier")
    page.wait_for_selector("body.earlier")
    number = page.get_attribute("body", "data-number")
    # Of what the other looks at there is nothing to be seen here, and he is left in peace.
    guest.click("#earlier")
    guest.wait_for_selector("body.earlier")
    guest.keyboard.press("Escape")
    guest.wait_for_selector("body:not(.earlier) .hits .from")
    assert page.locator("body.earlier").count() == 1
    for _ in range(4):
        if guest.locator("[data-act=play]").count():
            break
        shown = guest.evaluate("document.querySelector('#prompt').textContent")
        guest.locator(".hits .from").first.click(position={"x": 8, "y": 40})
        guest.wait_for_function("(shown) => document.querySelector('#prompt').textContent !== shown", arg=shown)
    guest.click("[data-act=play]")
    page.wait_for_selector("body:not(.earlier) .hits .from")
    assert page.get_attribute("body", "data-number") != number
    assert page.evaluate(FOCUSED)


def test_what_was_taken_back_is_done_again(page_of: Open, house: House) -> None:
    page = page_of(sit_down(house, "person", START))
    played_on(page, "8/5 6/5")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("u")
    page.wait_for_selector("#actions [data-act=redo]")
    page.keyboard.press("y")
    page.wait_for_selector("#moves >> text=31: 8/5 6/5")
    page.wait_for_selector("#actions:not(:has([data-act=redo]))")


def test_two_programs_are_watched(page_of: Open) -> None:
    page = page_of("/")
    page.wait_for_selector("#opponent option", state="attached")
    page.select_option("#opponent", "person")
    page.click("summary")
    page.select_option("#player", "beginner")
    assert page.input_value("#opponent") == "expert"
    assert page.is_disabled("#tutor")
    page.select_option("#opponent", "casual")
    page.click("form .main")
    page.click("[data-act=pause]")
    page.wait_for_selector("[data-act=go_on]:focus")
    assert page.inner_text("#prompt") == "Paused."
    assert not page.is_visible("#typed")
    assert violations(page) == []
    page.wait_for_timeout(300)
    number = int(page.get_attribute("body", "data-number"))
    page.keyboard.press("n")
    page.wait_for_selector(f"body[data-number='{number + 1}']", state="attached")
    page.wait_for_timeout(1500)
    assert page.get_attribute("body", "data-number") == str(number + 1)
    # The game goes on while it is looked back at.
    page.keyboard.press("p")
    page.wait_for_selector("#moves tbody tr:nth-child(2)")
    page.click("#moves button")
    page.wait_for_selector("body.earlier")
    number = int(page.get_attribute("body", "data-number"))
    page.wait_for_function("(number) => Number(document.body.dataset.number) > number", arg=number + 1)
    assert page.locator("body.earlier [data-act=present]").count() == 1
    page.keyboard.press("Escape")
    page.wait_for_selector("[data-act=pause]")


def test_enter_turns_the_cube_back_once(page_of: Open, house: House) -> None:
    page = page_of(sit_down(house, "person", START.replace(":31:0:0:0:7:", ":00:0:0:3:0:")))
    page.click("[data-act=double]")
    page.focus("[data-act=beaver]")
    page.keyboard.press("Enter")
    page.wait_for_selector("[data-act=beaver]:has-text('Raccoon')")
    page.wait_for_selector("[data-act=take]:focus")


def test_dice_are_thrown_by_hand(page_of: Open) -> None:
    """By buttons and by keys, one's own and those of the program."""
    page = page_of("/")
    page.wait_for_selector("#opponent option[value=beginner]", state="attached")
    page.select_option("#opponent", "beginner")
    page.click("summary")
    page.check("#by_hand")
    page.click("#new .main")
    page.wait_for_selector("#prompt:has-text('First die: You, second: Sixprime beginner.')")
    page.click(".dice-pad button:has-text('1')")
    assert page.get_attribute(".dice-pad button:has-text('1')", "aria-pressed") == "true"
    page.click(".dice-pad button:has-text('3')")
    page.wait_for_selector("#prompt:has-text('Enter the dice')", timeout=60_000)
    page.keyboard.type("66")
    page.keyboard.press("Enter")
    page.wait_for_selector("#prompt:has-text('Play 6-6.')")
    page.fill("#typed", "24/18(2) 13/7(2)")
    page.press("#typed", "Enter")
    page.wait_for_selector("#actions [data-act=play]")
    page.press("#typed", "Enter")
    page.wait_for_selector("#prompt:has-text('Enter the dice of Sixprime beginner.')", timeout=60_000)
    for die in "52":
        page.click(f".dice-pad button:has-text('{die}')")
    page.wait_for_selector("#moves td:has-text('52: ')", timeout=60_000)


def test_the_page_goes_on_when_the_server_was_killed(browser: Any, tmp_path: Path) -> None:
    page = browser.new_page()
    page.set_default_timeout(30_000)
    with Server(tmp_path, more=["--threads", "1"]) as server:
        page.goto(server.address)
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
    # Whatever else is told meanwhile.
    page.evaluate("dispatchEvent(new Event('look'))")
    assert "The server does not answer" in page.inner_text("#prompt")
    with Server(tmp_path, server.port, more=["--threads", "1"]):
        page.wait_for_selector("#prompt:not(:has-text('The server'))")
        assert page.get_attribute("body", "data-number") == number
        page.click("[data-act=hint]")
        page.wait_for_selector("#hints li")
        page.close()


def test_a_play_that_is_half_made_outlives_a_reload(page_of: Open, house: House) -> None:
    page = page_of(sit_down(house, "person", START))
    page.wait_for_selector(".hits .from")
    page.click("#board .hits [data-p=dice]")
    page.locator(".hits [data-p='24']").click(position={"x": 8, "y": 40})
    page.wait_for_selector("#prompt:has-text('24/23 …')")
    page.reload()
    page.wait_for_selector("#prompt:has-text('24/23 …')")
    page.keyboard.press("u")
    page.wait_for_selector("#prompt:has-text('Play 3-1')")
    # What is half made elsewhere is made nowhere else.
    page.goto(page.url.replace(page.url.rpartition("/")[2], sit_down(house, "person", START).rpartition("/")[2]))
    page.wait_for_selector("#prompt:has-text('Play 3-1')")


def test_what_is_typed_stays_until_it_is_done(page_of: Open, house: House) -> None:
    page = page_of(sit_down(house, "person", START))
    page.wait_for_selector(".hits .from")
    page.fill("#typed", "8/5 6/4")
    page.press("#typed", "Enter")
    page.wait_for_selector(".toast.problem.shown:has-text('8/5 6/4')")
    assert page.input_value("#typed") == "8/5 6/4"
    page.fill("#typed", "8/5 6/5")
    page.context.set_offline(True)
    page.press("#typed", "Enter")
    page.wait_for_selector(".toast.problem.shown:has-text('does not answer')")
    page.context.set_offline(False)
    page.press("#typed", "Enter")
    page.wait_for_selector("[data-act=play]")
    assert page.input_value("#typed") == ""


def test_a_hint_is_played_by_enter(page_of: Open, house: House) -> None:
    """All of it say what they are worth, what they lose and how deeply they were searched."""
    page = page_of(sit_down(house, "person", START))
    page.wait_for_selector(".hits .from")
    page.keyboard.press("h")
    page.wait_for_selector("#hints li >> nth=1")
    first, second = (page.inner_text(f"#hints li >> nth={i}").replace("−", "-") for i in (0, 1))
    signs = [
        [part for part in re.split("\n| · ", row) if re.fullmatch(r"[-+]\d\.\d+", part)] for row in (first, second)
    ]
    assert all(re.search(r"\b\d-ply$", row) for row in (first, second))
    assert [len(each) for each in signs] == [1, 2]
    assert float(signs[1][0]) - float(signs[0][0]) == pytest.approx(float(signs[1][1]), abs=0.0011)
    page.focus("#hints li button >> nth=0")
    page.keyboard.press("Enter")
    page.wait_for_selector("#actions [data-act=play]:focus")
    page.keyboard.press("Enter")
    page.wait_for_selector("#moves >> text=31: 8/5 6/5")


def test_what_only_colours_tell_apart_is_seen_in_those_of_the_system(page_of: Open, house: House, report: str) -> None:
    page = page_of(sit_down(house, "person", START, tutor=True), forced_colors="active")
    page.wait_for_selector("#tutor[aria-pressed=true]")

    def style(where: str, name: str) -> str:
        return str(page.eval_on_selector(where, f"(each) => getComputedStyle(each)['{name}']"))

    assert style("#above .disc", "backgroundColor") != style("#below .disc", "backgroundColor")
    assert style(".player.turn", "borderLeftColor") != style(".player:not(.turn)", "borderLeftColor")
    assert style("#tutor", "backgroundColor") != style("#flip", "backgroundColor")
    page = page_of(report, forced_colors="active")
    assert style("h2 .chip.c0", "backgroundColor") != style("h2 .chip.c1", "backgroundColor")
    page.click("a.cell:has-text('13/2')")
    assert style("a.cell.now", "outlineStyle") == "solid"
    page = page_of("/analyse", forced_colors="active")
    page.wait_for_selector(".tree [aria-current]")
    assert style(".tree [aria-current]", "outlineStyle") == "solid"


def test_the_score_is_told_on_a_phone(page_of: Open) -> None:
    place = f"/analyse#{START.replace('=', '%3D').replace(':0:0:0:7:10', ':6:3:1:7:10')}"
    page = page_of(place, viewport=PHONE, is_mobile=True, has_touch=True)
    page.wait_for_selector(".rims:has-text('Match to 7, on roll 6, opponent 3, Crawford game') >> visible=true")
    # A picture that goes on beyond the edge says so, and is scrolled by keys.
    page.click("[data-map=temperature]")
    page.wait_for_selector("#sideways:visible")
    assert page.get_attribute("#map", "data-more").strip() == "right"
    page.focus("#map")
    page.keyboard.press("ArrowRight")
    page.wait_for_selector("#map[data-more~=left]")
    page = page_of(place)
    page.wait_for_selector("#board .sp-p >> visible=true")
    assert not page.locator(".rims").is_visible()


@pytest.mark.parametrize("home", ["right", "left"])
def test_the_crawford_game_is_named_within_its_strip(page_of: Open, house: House, home: str) -> None:
    page = page_of(sit_down(house, "person", START.replace(":0:0:0:7:10", ":3:6:1:7:10")))
    page.evaluate(f"localStorage.setItem('look', JSON.stringify({{ home: '{home}' }}))")
    page.reload()
    page.wait_for_selector("#board text:has-text('Crawford')")
    (left, right), (low, high) = page.evaluate("""() => [
        [...document.querySelectorAll("#board text")].find((each) => each.textContent === "Crawford"),
        document.querySelector("#board svg"),
    ].map((each) => each.getBoundingClientRect()).map((box) => [box.left, box.right])""")
    strip = 44 / 612 * (high - low)
    if home == "right":
        assert low < left < right < low + strip
    else:
        assert high - strip < left < right < high


def test_who_gives_up_is_told_and_nothing_is_asked_for_after_the_end(page_of: Open, house: House) -> None:
    page = page_of(sit_down(house, "person", START.replace(":7:10", ":1:10")))
    page.fill("#typed", "8/5 6/5")
    page.press("#typed", "Enter")
    page.click("[data-act=play]")
    page.wait_for_selector("#prompt:has-text('Guest: Play')")  # where nobody may double the dice roll by themselves
    page.click("[data-act=resign]")
    page.click("dialog button[value='1']")
    page.wait_for_selector("#prompt:has-text('Guest resigns a single game. Accept?')")
    page.click("[data-act=accept]")
    page.wait_for_selector("#said:has-text('Ann wins 1 point: 1-0.')", state="attached")
    page.click("dialog button[value='']")
    assert not page.is_visible("#typed")
    assert not page.is_visible("#tutor")
    page.keyboard.press("3")
    assert page.input_value("#typed") == ""
    assert violations(page) == []


def test_two_clicks_begin_one_thing(page_of: Open, house: House) -> None:
    page = page_of("/")
    page.wait_for_selector("#opponent option", state="attached")
    page.select_option("#opponent", "person")
    games = len(house.sittings(1000).sittings)
    page.locator("#new .main").dblclick()
    page.wait_for_selector("body[data-phase]")
    assert len(house.sittings(1000).sittings) == games + 1
    page.go_back()
    page.wait_for_selector("#opponent option", state="attached")
    page.click("#new .main")
    page.wait_for_selector("body[data-phase]")
    assert len(house.sittings(1000).sittings) == games + 2
    page.goto(page.url.partition("/play")[0] + "/review")
    reports = len(house.reports.listed())
    page.fill("#text", "nothing")
    page.click("#go")
    page.wait_for_selector(".toast.problem.shown")
    page.fill("#text", MATCH)
    page.locator("#go").dblclick()
    page.wait_for_url("**/reports/*")
    assert len(house.reports.listed()) == reports + 1


def test_whose_time_is_over_is_told(page_of: Open, house: House) -> None:
    page = page_of(sit_down(house, "person", START, minutes=1 / 60, loses=False))
    page.wait_for_selector("#prompt:has-text('The time of Ann is over.'):has-text('Play')")
    assert page.locator(".hits .from").count()


def test_whoever_plays_alone_is_no_other(page_of: Open, house: House) -> None:
    path = sit_down(house, "invited", START, minutes=1 / 60, loses=False)
    host = page_of(path)
    guest = page_of(f"/play/{house.sitting(path.rsplit('/', 1)[1]).keys.invitation}", locale="de")
    host.wait_for_selector("#prompt:has-text('Your time is over.')")
    guest.wait_for_selector("#prompt:has-text('Die Zeit von Ann ist')")


def test_nobody_has_used_time_before_the_guest_is_there(page_of: Open, house: House) -> None:
    page = page_of(sit_down(house, "invited", START, minutes=2))
    page.wait_for_selector("#invitation:visible")
    assert page.locator(".clock").all_inner_texts() == ["2:00", "2:00"]


def test_who_uses_the_time_up_loses(page_of: Open, house: House) -> None:
    page = page_of(sit_down(house, "person", START, minutes=1 / 60))
    page.click("dialog:has-text('The time of Ann is over, and the match is lost by it.') button[value='']")
    assert page.get_attribute("body", "data-phase") == "match over"
    assert not page.locator(".hits .from").count()
    assert page.inner_text(".clock[data-player='1']") == "0:00"
    assert page.locator("#actions button").all_inner_texts() == ["Report", "New game"]


def test_a_match_of_another_length_and_other_rules(page_of: Open, house: House) -> None:
    page = page_of("/")
    page.select_option("#opponent", "person")
    assert not page.is_visible("#points")
    page.select_option("#length", "")
    page.fill("#points", "13")
    page.fill("#guest", "Bob")
    page.click("summary")
    page.uncheck("#cube")
    assert page.is_disabled("#cube_limit")
    page.check("#cube")
    page.select_option("#cube_limit", "8")
    page.fill("#beavers", "1")
    assert page.is_disabled("#delay")  # of a clock that there is not
    page.fill("#minutes", "5")
    page.fill("#delay", "12")
    assert violations(page) == []
    with page.expect_request("**/sittings") as sent:
        page.click("form .main")
    assert sent.value.post_data_json["beavers"] == 1
    page.wait_for_selector("#headline:has-text('13-point match')")
    session = house.sitting(page.url.rsplit("/", 1)[1]).session
    assert (session.table.rules.length, session.table.rules.cube_limit) == (13, 8)
    assert session.clock is not None
    assert (session.clock.reserve, session.clock.delay) == (300, 12)
    # The form begins as it was used last.
    page.goto(page.url.split("/play")[0])
    page.wait_for_function("() => document.querySelector('#length').value === '13'")
    assert [page.input_value(f"#{each}") for each in ("beavers", "cube_limit", "guest", "delay")] == [
        "1",
        "8",
        "Bob",
        "12",
    ]
    assert page.is_enabled("#delay")


def test_what_is_played_is_saved(page_of: Open, house: House) -> None:
    page = page_of(sit_down(house, "person", START))
    page.fill("#typed", "8/5 6/5")
    page.press("#typed", "Enter")
    page.click("[data-act=play]")
    page.wait_for_selector("#moves >> text=31: 8/5 6/5")
    for form, written in (("mat", "31: 8/5 6/5"), ("sgf", "PB[Ann]")):
        with page.expect_download() as saved:
            page.select_option("#save", form)
        assert saved.value.suggested_filename.endswith(f".{form}")
        assert written in Path(saved.value.path()).read_text()
        assert page.input_value("#save") == ""


def test_the_tutor_warns(page_of: Open, house: House) -> None:
    page = page_of(sit_down(house, "person", START, tutor=True))
    page.fill("#typed", "13/10 6/5")
    page.press("#typed", "Enter")
    page.click("[data-act=play]")
    page.click("dialog button[value=anyway]", timeout=30_000)
    page.wait_for_selector("#moves >> text=31: 13/10 6/5")


def test_positions_of_a_file_are_stepped_through(page_of: Open, tmp_path: Path) -> None:
    place = tmp_path / "positions.txt"
    place.write_text("\n".join(START.replace(":31:", f":{dice}:") for dice in (31, 42, 53)))
    page = page_of("/review")
    page.set_input_files("#file", place)
    page.wait_for_selector("body[data-xgid*=':31:']")
    assert page.locator("#which option").all_inner_texts() == [
        f"Position {n} of 3: {d}" for n, d in ((1, 31), (2, 42), (3, 53))
    ]
    assert page.is_disabled("#before")
    page.click("#after")
    page.wait_for_selector("body[data-xgid*=':42:']")
    page.select_option("#which", index=2)
    page.wait_for_selector("body[data-xgid*=':53:']")
    assert page.is_disabled("#after")
    assert violations(page) == []
    page.fill("#text", START)
    page.press("#text", "Enter")
    page.wait_for_selector("#several", state="hidden")


def test_a_position_is_pasted_edited_judged_and_rolled_out(page_of: Open) -> None:
    page = page_of("/analyse")
    page.wait_for_selector("body[data-xgid*=':31:']")
    page.fill("#text", START.replace(":31:", ":42:"))
    page.click("#paste button")
    page.wait_for_selector("body[data-xgid*=':42:']")
    # To what was shown before, and forth.
    page.go_back()
    page.wait_for_selector("body[data-xgid*=':31:']")
    assert page.input_value("#text") == ""
    page.go_forward()
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
    # A cube stays what it was, and may be as large as any.
    page.fill("#text", START.replace(":0:0:1:31:0:0:0:7:10", ":13:1:1:31:0:0:0:0:13"))
    page.click("#paste button")
    page.wait_for_selector("body[data-xgid*=':13:1:']")
    page.click("#edit")
    page.check("#jacoby")
    page.wait_for_selector("body[data-xgid$=':13:1:1:31:0:0:1:0:13']")
    page.select_option("#cube", "16384")
    page.wait_for_selector("body[data-xgid$=':14:1:1:31:0:0:1:0:14']")
    assert page.locator("#prompt.problem").count() == 0
    page.fill("#text", "no position")
    page.click("#paste button")
    page.wait_for_selector("#unread:has-text('no ID and no board')")
    assert page.locator(".toast.shown").count() == 0  # it is announced once


@pytest.mark.parametrize("wrong", ["100%", "XGID=garbage"])
def test_a_link_that_shows_no_position_says_so(page_of: Open, wrong: str) -> None:
    page = page_of(f"/analyse#{wrong}")
    page.wait_for_selector("#depth:has-text('2-ply')")
    assert page.locator("#unread").is_visible()
    page.fill("#text", "")
    page.click("#paste button")
    page.wait_for_selector("#unread:has-text('Paste an ID')")
    page.fill("#text", START.replace(":31:", ":42:"))
    page.click("#paste button")
    page.wait_for_selector("#unread", state="hidden")
    page.goto(f"{page.url.partition('#')[0].replace('analyse', 'review')}")
    page.click("#go")
    page.wait_for_selector(".toast.problem.shown:has-text('Choose a file')")
    page.fill("#text", START)
    page.click("#go")
    page.wait_for_url("**/analyse#*")


def test_what_cannot_be_judged_says_so_as_long_as_it_is_shown(page_of: Open) -> None:
    page = page_of("/analyse#" + START.replace("=", "%3D").replace(":0:0:0:7:", ":0:0:0:999:"))
    page.wait_for_selector("#depth:has-text('64 points away')")
    page.goto(page.url.partition("#")[0] + "#XGID%3D-AA-----------------------:0:0:1:31:0:0:0:0:10")
    page.wait_for_selector("#prompt:has-text('The game is over')")
    assert page.locator("#roll").is_disabled()
    page.click("#start")
    page.wait_for_selector("#roll:enabled")


@pytest.mark.parametrize(
    ("state", "why"),
    [
        (":0:0:1:00:6:3:1:7:10", "Crawford game"),
        (":1:-1:1:00:0:0:0:7:10", "opponent owns the cube"),
        (":0:0:1:00:6:3:0:7:10", "cube is dead"),
        (":10:1:1:00:0:0:0:0:10", "cube is at its limit"),
    ],
)
def test_why_nobody_can_double_is_said(page_of: Open, state: str, why: str) -> None:
    page = page_of(f"/analyse#{START.partition(':')[0].replace('=', '%3D')}{state}")
    page.wait_for_selector(f"#depth:has-text('2-ply: '):has-text('{why}')")
    assert page.locator("#double").is_hidden()


def test_the_form_begins_with_the_settings(page_of: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Until the browser remembers what was chosen; the state of a position comes before all of it."""
    monkeypatch.setenv("SIXPRIME_CONFIG", str(tmp_path))
    wanted = {"name": "Eve", "length": 9, "opponent": "casual", "jacoby": False, "tutor": True, "dice": "manual"}
    for name, value in wanted.items():
        change(f"play.{name}", value)
    page = page_of("/")
    page.wait_for_selector("#opponent option", state="attached")
    page.click("summary")
    assert [page.input_value(f"#{each}") for each in ("name", "length", "opponent")] == ["Eve", "9", "casual"]
    checked = {each: page.is_checked(f"#{each}") for each in ("jacoby", "crawford", "tutor", "by_hand", "cube")}
    assert checked == {"jacoby": False, "crawford": True, "tutor": True, "by_hand": True, "cube": True}
    page.fill("#position", "4HPwATDgc/ABMA")
    assert page.is_enabled("#length")
    page.fill("#position", START)
    assert not any(page.is_enabled(f"#{each}") for each in ("length", "cube", "jacoby", "crawford"))
    assert page.locator("#counts").is_visible()
    page.select_option("#opponent", "person")
    page.uncheck("#tutor")
    page.click("form .main")
    page.wait_for_selector("#tutor[aria-pressed=false]")
    page.goto(page.url.partition("/play")[0])
    page.wait_for_selector("#opponent option", state="attached")
    assert not page.is_checked("#tutor")


def test_the_form_offers_what_is_built_in_where_nothing_is_set(
    page_of: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SIXPRIME_CONFIG", str(tmp_path))
    page = page_of("/")
    page.wait_for_selector("#opponent option", state="attached")
    for name in ("length", "opponent", "beavers"):
        assert page.input_value(f"#{name}") == KEYS[f"play.{name}"].built_in


def test_older_games_are_listed_on_demand(page_of: Open, house: House) -> None:
    there = len(house.sittings(1000).sittings)
    total = max(21, there + (1 - there) % 20)  # the last one stands alone
    for _ in range(total - there):
        sit_down(house, "person")
    page = page_of("/")
    page.wait_for_selector("#older:visible")
    assert page.locator("#games li").count() == 20
    for shown in range(20, total, 20):
        page.click("#older")
        page.wait_for_selector(f"#games li >> nth={min(shown + 20, total) - 1}")
    page.wait_for_selector("#older", state="hidden")


@pytest.mark.parametrize(
    ("language", "said"), [("en", "This game was removed."), ("de", "Diese Partie wurde entfernt.")]
)
def test_a_game_is_removed_from_the_list_and_from_its_windows(
    page_of: Open, house: House, language: str, said: str
) -> None:
    kept, lost = (sit_down(house, "person", guest=name) for name in ("Kept", "Lost"))
    window, page = page_of(lost, locale=language), page_of("/", locale=language, viewport=PHONE, has_touch=True)
    window.wait_for_selector("#actions .main, .hits .from")
    line = page.locator("#games li", has_text="Lost")
    # Whoever thinks better of it keeps it.
    line.locator("button").tap()
    assert page.locator("dialog p").inner_text().startswith("Lost – Ann: ")
    page.keyboard.press("Enter")
    page.wait_for_selector("dialog", state="detached")
    assert line.count() == 1
    line.locator("button").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_selector(f"#games li:has(a[href='{kept}']):first-child button:focus")
    assert line.count() == 0
    window.wait_for_selector(f"#prompt.problem:has-text('{said}')")
    assert window.locator("#actions button").count() == 1
    assert window.locator(".hits .from, #type:visible, #hint:visible").count() == 0
    window.keyboard.press("ArrowLeft")
    assert window.inner_text("#prompt") == said
    assert violations(window) == violations(page) == []
    window.click("#actions button")
    window.wait_for_selector("#games")


def test_lists_follow_what_other_windows_remove(page_of: Open, house: House, report: str) -> None:
    house.library.keep(analyse(formats.read_text(MATCH.replace("Bob", "Gone"), "match.mat"), house.engine, plies=0))
    game = sit_down(house, "person", guest="Gone")
    for path, line, remove in (
        ("/", f"#games li:has(a[href='{game}'])", "button"),
        ("/review", f"#reports li:has(a[href='{report}'])", "button"),
        ("/library", "#matches tr:has-text('Gone')", "button[aria-label]"),
    ):
        page = page_of(path)
        page.wait_for_selector(line)
        other = page.context.new_page()
        other.goto(page.url)
        other.locator(line).locator(remove).click()
        other.click("dialog button[value=yes]")
        page.wait_for_selector(line, state="detached")


def test_whoever_tells_no_name_is_called_so_in_the_language_of_the_page(page_of: Open, house: House) -> None:
    for name, unnamed, language, said in (
        ("Du", True, "en", "You"),
        ("You", True, "de", "Du"),
        ("Du", False, "en", "Du"),  # who calls himself so
    ):
        asked = m.SittingAsked(opponent="person", name=name, unnamed=unnamed, guest="Kim")
        place = f"/play/{house.sit_down(asked).key}"
        page = page_of("/", locale=language)
        page.wait_for_selector(f"#games li:first-child b:has-text('{said} – Kim')")
        page.click(f"a[href='{place}']")
        page.wait_for_selector("#below .name")
        assert sorted(page.locator(".player .name").all_inner_texts()) == sorted((said, "Kim"))
    judged = analyse(formats.read_text(MATCH, "match.mat"), house.engine, plies=0)
    match = replace(judged.match, players=(Player("You", unnamed=True), Player("Bob")))
    key = house.reports.known(replace(judged, match=match)).key
    page = page_of("/review", locale="de")
    page.click(f"#reports a[href='/reports/{key}']:has-text('Du – Bob')")
    page.wait_for_selector("h1:has-text('Du – Bob')")


def test_a_search_that_failed_leaves_nothing_found(page_of: Open, house: House) -> None:
    house.library.keep(analyse(formats.read_text(MATCH, "match.mat"), house.engine, plies=0))
    page = page_of("/library")
    page.click("#search .main")
    page.wait_for_selector("#found li")
    page.fill("#player", "Nobody")
    page.click("#search .main")
    page.wait_for_selector("text=No player in the library")
    assert (page.locator("#found li").count(), page.inner_text("#count")) == (0, "")


def test_all_that_was_found_is_shown_and_found_again(page_of: Open, house: House) -> None:
    judged = analyse(formats.read(sample_match()), house.engine, plies=0)
    house.library.keep(judged)
    page = page_of("/library")
    page.locator(".hits [data-p='6'] >> nth=0").click(position={"x": 8, "y": 60})
    page.click("#search .main")
    page.wait_for_selector("#count:has-text('The first 50 are shown.')")
    page.focus("#more")
    page.keyboard.press("Enter")
    page.wait_for_selector("#count:has-text('The first 100 are shown.')")
    assert page.evaluate(FOCUSED)
    page.click("#found button >> nth=98")
    page.wait_for_selector("h1:has-text('Kévin Unger')")
    # Whoever comes back finds what was there, and where he was.
    page.go_back()
    page.wait_for_selector("#found li:nth-child(99) button:focus")
    assert page.locator("#found li").count() == 100
    page.wait_for_selector(".hits [data-p='6'][aria-label*=', 1']", state="attached")
    page.fill("#dice", "66")
    page.click("#search .main")
    page.wait_for_selector("#more", state="hidden")
    page.go_back()
    page.wait_for_selector("#count:has-text('The first 100 are shown.')")
    assert page.input_value("#dice") == ""
    house.library.remove(checksum(judged.match))


def test_what_is_looked_for_and_the_focus_stay_when_a_match_is_removed(page_of: Open, house: House) -> None:
    named = [formats.read_text(MATCH.replace("Bob", name), "match.mat") for name in ["Kim", "Kit", *"CDEFGHIJ"]]
    for match in named:
        house.library.keep(analyse(match, house.engine, plies=0))
    page = page_of("/library")
    page.fill("#filter", "ki")
    shown = page.locator("#matches tbody tr:visible")
    assert shown.count() == 2
    page.click("[aria-label='Remove Ann – Kit']")
    page.click("dialog button[value=yes]")
    page.wait_for_selector("[aria-label='Remove Ann – Kim']:focus")
    assert shown.count() == 1
    for match in named[:1] + named[2:]:
        house.library.remove(checksum(match))


def test_another_game_stays_itself_wherever_it_is_analysed(page_of: Open, house: House) -> None:
    line = m.Line("play", 0, (3, 1), "24/20")
    match = match_of(m.Transcript(("Ann", "Bob"), variant="hypergammon3", lines=(line, m.Line("resign", 1))))
    page = page_of(f"/reports/{house.reports.known(analyse(match, house.engine, plies=0)).key}#a0")
    page.click("a:has-text('Try it out') >> visible=true")
    page.wait_for_selector("#game:has-text('Hypergammon')")
    page.wait_for_selector("#depth:has-text('2-ply')")
    assert "off" not in page.evaluate(BOARD)
    assert "chequers=3" in page.get_attribute("#svg", "href")
    page.click("#edit")
    page.wait_for_selector(".hits [data-who='1']", state="attached")
    page.locator(".hits [data-p='24'] >> nth=0").click(position={"x": 8, "y": 40})
    page.wait_for_selector(".sp-board[aria-label*='1 off']", state="attached")
    # A fourth chequer there is not.
    for point in (6, 5):
        page.locator(f".hits [data-p='{point}'] >> nth=0").click(position={"x": 8, "y": 40})
    page.wait_for_function(f"() => !{BOARD}.includes('off')")
    page.reload()
    page.wait_for_selector("#game:has-text('Hypergammon')")
    # What has more chequers is of another game.
    page.fill("#text", START)
    page.click("#paste button")
    page.wait_for_selector("#game", state="hidden")
    page.click("#edit")
    page.select_option("#chequers", "2")
    page.wait_for_selector("#game:has-text('Hypergammon, 2 chequers')")
    page.go_back()
    page.wait_for_selector("#game", state="hidden")
    page = page_of(f"/play/{house.sit_down(m.SittingAsked(opponent='person', variant='hypergammon3', seed=3)).key}")
    page.click("#analyse")
    page.wait_for_selector("#game:has-text('Hypergammon')")


def test_candidates_stand_by_how_deeply_they_were_searched(page_of: Open) -> None:
    page = page_of(f"/analyse#{START.replace('=', '%3D')}")
    page.wait_for_selector("#depth:has-text('2-ply')", timeout=30_000)

    def rows() -> list[list[str]]:
        parts = [row.split("\n") for row in page.locator("#result li").all_inner_texts()]
        return [[part.strip() for part in row if part.strip()] for row in parts]

    found = rows()
    marks = [row[-1] for row in found]
    assert marks[0] == "2-ply"
    assert any("0-ply" in mark for mark in marks)
    # All but the best tell what they are worth and what they lose, and how it was found.
    for row in found[1:]:
        loss, how = row[-1].split(" · ")
        assert float(row[1].replace("−", "-")) < 1
        assert loss[0] in "−0"
        assert how in ("0-ply", "1-ply", "2-ply")
    plies = [int(mark.split(" · ")[-1][0]) for mark in marks]
    assert plies == sorted(plies, reverse=True)
    assert page.locator("#result .apart").count() == len(set(plies)) - 1
    page.select_option("#trials", "324")
    page.click("#roll")
    page.wait_for_selector("#result[data-trials]", state="attached", timeout=60_000)
    marks = [row[-1] for row in rows()]
    assert [mark.split(" · ")[-1] for mark in marks[:3]] == ["rolled out"] * 3
    assert all("ply" in mark for mark in marks[3:])
    assert len(marks) == 8
    page.click("#stop")


@pytest.mark.parametrize("home", ["right", "left"])
def test_the_trays_have_their_edges_on_a_phone(page_of: Open, home: str) -> None:
    page = page_of("/analyse", viewport=PHONE, is_mobile=True, has_touch=True)
    page.evaluate("(home) => localStorage.setItem('look', JSON.stringify({ home }))", home)
    page.reload()
    page.wait_for_selector("#board .sp-cube", state="attached")
    board = page.locator("#board").bounding_box()
    drawn = page.locator("#board .sp-board").bounding_box()
    cube = page.evaluate(
        "() => { const { left, right } = document.querySelector('#board .sp-cube').getBoundingClientRect(); "
        "return [left, right]; }"
    )
    left, width = map(int, re.findall(r"sp-t\" d=\"M(\d+) \d+h(\d+)", board_defs())[0])
    # Of the 612 units of the drawing.
    tray = [drawn["x"] + x * drawn["width"] / 612 for x in (left, left + width)]
    if home == "left":
        tray = [2 * drawn["x"] + drawn["width"] - x for x in reversed(tray)]
    for low, high in (cube, tray):
        assert board["x"] <= low < high <= board["x"] + board["width"]


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
@pytest.mark.parametrize(
    ("path", "ready"),
    [
        ("/", "#games"),
        ("game", "body[data-phase]"),
        ("/analyse", "#depth:has-text('2-ply')"),
        ("/review", "#file"),
        ("/transcribe", "body[data-lines]"),
        ("/library", ".hits rect"),
        ("/learn", "#standing:not(:empty)"),
        ("/settings", ".setting"),
        ("report", ".live"),
    ],
)
def test_nothing_is_hard_to_read_or_to_reach(
    page_of: Open, house: House, report: str, path: str, ready: str, scheme: str, size: dict[str, int]
) -> None:
    place = {"game": lambda: sit_down(house, "person", START), "report": lambda: f"{report}#a0"}.get(
        path, lambda: path
    )()
    page = page_of(place, viewport=size, color_scheme=scheme)
    page.wait_for_selector(ready, state="attached")
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_dialogues_are_for_everybody(page_of: Open, house: House, scheme: str) -> None:
    page = page_of(sit_down(house, "person", START, tutor=True), color_scheme=scheme)
    page.wait_for_selector(".hits .from")

    def looked_at(opener: str) -> None:
        page.focus(opener)
        page.keyboard.press("Enter")
        page.wait_for_selector("dialog[open]")
        assert violations(page) == []
        assert page.evaluate("document.querySelector('dialog').contains(document.activeElement)")
        assert page.evaluate("document.documentElement.scrollWidth") <= page.viewport_size["width"]
        page.keyboard.press("Escape")
        page.wait_for_selector("dialog", state="detached")
        assert page.evaluate(FOCUSED)

    looked_at("#look")
    looked_at("[data-act=resign]")
    page.fill("#typed", "13/10 6/5")
    page.press("#typed", "Enter")
    page.wait_for_selector("[data-act=play]")
    looked_at("[data-act=play]")
    page.set_viewport_size(PHONE)
    looked_at("#look")
    page.click("[data-act=hint]")
    page.wait_for_selector("#hints li")
    assert violations(page) == []


def test_what_others_play_is_read_out(page_of: Open, house: House) -> None:
    place = sit_down(house, "person", START)
    page, other = page_of(place, viewport={"width": 360, "height": 500}), page_of(place)
    page.wait_for_selector(".hits .from")
    other.fill("#typed", "8/5 6/5")
    other.press("#typed", "Enter")
    other.click("[data-act=play]")
    page.wait_for_selector("#said[aria-live=polite]:has-text('plays 8/5 6/5')")
    page.wait_for_selector("#prompt[aria-live=polite]:has-text('Roll or double')")
    names = [each.get_attribute("aria-label") for each in page.locator(".hits [tabindex]").all()]
    assert all(names)
    other.click("[data-act=roll]")
    page.wait_for_selector(".hits .from")
    names = [each.get_attribute("aria-label") for each in page.locator(".hits [tabindex]").all()]
    assert all("can move" in name for name in names[:-1])
    assert names[-1].startswith("Dice ")
    # The list of moves below the window does not draw the page to itself.
    assert page.evaluate("scrollY") == 0
    assert "Guest on roll with " in page.get_attribute("#board .sp-board", "aria-label")


def test_what_was_read_out_is_not_read_out_again(page_of: Open, house: House) -> None:
    page = page_of(sit_down(house, "person", START))
    page.wait_for_selector(".hits .from")
    page.evaluate("""() => {
        window.read = [];
        const put = (changes) => changes.forEach(({ addedNodes }) => {
            for (const node of addedNodes) read.push(node.textContent.trim());
        });
        for (const each of document.querySelectorAll("#said, #prompt"))
            new MutationObserver(put).observe(each, { childList: true });
    }""")
    page.fill("#typed", "8/5 6/5")
    page.press("#typed", "Enter")
    page.click("[data-act=play]")
    page.click("[data-act=roll]")
    page.wait_for_selector(".hits .from")
    page.keyboard.press("f")
    read = page.evaluate("read")
    assert "Ann plays 8/5 6/5." in read
    assert any(each.startswith("Guest rolls ") for each in read)
    assert len(read) == len(set(read))


SLOWLY = "() => { window.requestAnimationFrame = (frame) => setTimeout(() => frame(performance.now()), 700); }"


def test_a_chequer_on_its_way_is_not_off(page_of: Open, house: House) -> None:
    """Nor do dice and pips say anything else meanwhile."""
    page = page_of(sit_down(house, "person", START), reduced_motion="no-preference")
    page.evaluate(SLOWLY)
    said = page.locator("#board .sp-p").all_text_contents()
    page.click(".hits [data-p='8']")
    page.wait_for_selector("#prompt:has-text('8/5 …')")
    assert page.locator("#board [transform]").count()
    assert not page.locator("#board :is(.sp-o0, .sp-o1)").count()
    assert page.locator("#board :is(.sp-d0, .sp-d1)").count() == 2
    said.remove("167")
    assert sorted(page.locator("#board .sp-p").all_text_contents()) == sorted([*said, "164"])


def test_what_was_on_its_way_leaves_nothing_on_the_board(page_of: Open, house: House) -> None:
    page = page_of(sit_down(house, "person", START), reduced_motion="no-preference")
    page.click(".hits [data-p='8']")
    page.wait_for_selector(".used")
    page.evaluate(SLOWLY)
    page.click(".hits [data-p='6']", button="right")
    page.click("[data-act=play]")
    page.wait_for_selector("[data-act=roll]")
    page.wait_for_timeout(900)
    assert not page.locator("#board :is(.sp-d0, .sp-d1)").count()


@pytest.mark.parametrize(("size", "locale"), [(PHONE, "de-DE"), ({"width": 740, "height": 360}, "de-DE"), (WIDE, "en")])
def test_buttons_stay_where_they_are(page_of: Open, house: House, size: dict[str, int], locale: str) -> None:
    page = page_of(sit_down(house, "person", START, guest="Guest " * 6), viewport=size, locale=locale)
    page.wait_for_selector(".hits .from")
    top = "document.querySelector('#actions').getBoundingClientRect().top + scrollY"
    before = page.evaluate(top)
    page.fill("#typed", "24/23 13/10")
    page.press("#typed", "Enter")
    page.wait_for_selector("[data-act=play]")
    assert page.evaluate(top) == before
    page.click("[data-act=play]")
    page.wait_for_selector("[data-act=roll]")
    assert page.evaluate(top) == before


@pytest.mark.parametrize(
    ("position", "label"),
    [
        (START.replace(":31:", ":33:"), None),
        ("XGID=lBBBBBBC------------------:0:0:-1:44:0:0:0:7:10", "Go on"),
        ("XGID=-a--------------------B-A-:0:0:1:65:0:0:0:7:10", "Dice 6, 5, swap them"),
    ],
)
def test_dice_are_named_by_what_they_do(page_of: Open, house: House, position: str, label: str | None) -> None:
    page = page_of(sit_down(house, "person", position))
    page.wait_for_selector(".hits [tabindex]")
    assert (
        page.locator(".hits [data-p=dice]").evaluate_all("all => all.map(each => each.ariaLabel)")
        == [label][: bool(label)]
    )


@pytest.mark.parametrize("path", ["game", "/analyse", "/transcribe", "/learn"])
def test_a_phone_on_its_side_shows_the_whole_board(page_of: Open, house: House, path: str) -> None:
    size = {"width": 667, "height": 375}
    page = page_of(sit_down(house, "person", START) if path == "game" else path, viewport=size, is_mobile=True)
    page.wait_for_selector("#board svg path", state="attached")
    box = page.locator("#board").bounding_box()
    assert box["y"] + box["height"] <= size["height"]
    assert box["width"] * 40 / 612 > 23.95
    assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]
    assert page.locator("#prompt").bounding_box()["x"] > box["width"]


def test_a_window_at_double_size_has_room_beside_the_board(page_of: Open, house: House) -> None:
    size = {"width": 640, "height": 425}
    page = page_of(sit_down(house, "person", START), viewport=size, locale="de")
    page.wait_for_selector("#actions [data-act=resign]")
    assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]
    assert page.locator("#actions").bounding_box()["y"] < page.locator("#said").bounding_box()["y"]
    button = page.locator("#actions [data-act=resign]").bounding_box()
    assert button["y"] + button["height"] <= size["height"]


BEST_PLY = "section.d table.plays tbody tr:first-child td:nth-child(11)"


def test_decisions_of_a_report_are_looked_at_closer(page_of: Open, report: str) -> None:
    page = page_of(report)
    page.wait_for_selector(".live")
    page.click("a.cell:has-text('13/2')")
    table = page.locator("section.d table.plays")
    assert "0" in table.inner_text()
    page.click("[data-player='0']")
    page.select_option("[aria-label^=Depth]:near([data-closer=play])", "1")
    page.click("[data-closer=play]")
    # The page is drawn anew with what was found, where it was.
    page.wait_for_selector(f"{BEST_PLY}:text-is('1')")
    page.wait_for_selector("[data-player='0'][aria-pressed=true]")
    page.select_option("[aria-label^=Games]:near([data-rollout=play])", "5184")
    # What is being written outlives it.
    page.fill(".live textarea", "half a thought")
    page.click("[data-rollout=play]")
    page.wait_for_selector(".found[data-done]", timeout=60_000)
    assert "rolled out" in page.inner_text(".found[data-done] tr >> nth=0")
    page.locator(".live button:has-text('Stop'):visible").click()
    page.wait_for_selector(f"{BEST_PLY}:text-is('R')")
    page.wait_for_selector(".live textarea")
    assert page.input_value(".live textarea") == "half a thought"
    assert "13/2" in page.inner_text("section.d")


def test_what_is_stopped_before_it_was_found_is_looked_for_no_more(page_of: Open, report: str) -> None:
    page = page_of(f"{report}#a1")
    # No answer, and no end.
    page.route("**/closer?*", lambda route: None)
    page.click("[data-rollout=play]")
    page.wait_for_selector(".live span:has-text('The engine looks at it.')")
    page.click(".live button:has-text('Stop'):visible")
    page.wait_for_selector("#toast:has-text('Stopped.')")
    assert page.locator(".live span:has-text('The engine looks at it.')").count() == 0
    assert page.evaluate(FOCUSED)


def test_what_is_rolled_out_is_read_on_a_phone(page_of: Open, report: str) -> None:
    page = page_of(f"{report}#a1", viewport=PHONE, is_mobile=True, has_touch=True, locale="de")
    page.tap("[data-rollout=play]")
    page.wait_for_selector(".found td:has-text('ausgespielt')")
    assert page.evaluate("(list => list.scrollWidth <= list.clientWidth)(document.querySelector('.found'))")


def test_a_report_is_commented_saved_and_kept(page_of: Open, report: str) -> None:
    page = page_of(report)
    page.click("a.cell:has-text('13/2')")
    page.fill(".live textarea", "Too <b>bold</b>")
    # What is not kept yet is there again, and called so.
    page.reload()
    page.wait_for_selector(".toast.problem:has-text('not kept yet: 65 13/2')")
    page.wait_for_selector(".live :text('Not kept yet.')")
    page.click(".live button:has-text('Keep the comment')")
    page.wait_for_selector(".live button:disabled:has-text('Keep the comment')")
    page.wait_for_selector(".toast.shown")
    with page.expect_download() as saved:
        page.select_option("[aria-label^='Save']", "sgf")
    assert "Too <b>bold</b>" in Path(saved.value.path()).read_text()
    with page.expect_download() as saved:
        page.select_option("[aria-label^='Save']", "report")
    assert "Too &lt;b&gt;bold" in Path(saved.value.path()).read_text()
    page.reload()
    page.click("a.cell:has-text('13/2')")
    page.wait_for_selector(".live")
    assert page.input_value(".live textarea") == "Too <b>bold</b>"
    page.click("#keep")
    page.wait_for_selector(".toast:has-text('library')")
    page.click("#learn")
    page.wait_for_selector(".toast:has-text('asked')")
    page.click("#learn")
    page.wait_for_selector(".toast:has-text('No error is new')")

    page = page_of("/library")
    page.wait_for_selector("#matches small:text-matches('match [0-9]+, ')")
    page.click("#matches button:has-text('Ann')")
    page.wait_for_selector("h1:has-text('Ann – Bob')")
    page = page_of("/library")
    page.select_option("#by", "kind")
    page.wait_for_selector("#sums td:has-text('Chequer plays')")
    for point in (6, 5):
        page.locator(f".hits [data-p='{point}']").first.click(position={"x": 8, "y": 60})
    page.fill("#dice", "65")
    page.click("#search button.main")
    page.wait_for_selector("#found :text('65: 13/2')")
    page.wait_for_selector("#found :text-matches('match [0-9]+, Ann')")
    assert "1 found" in page.inner_text("#count")
    page.fill("#dice", "66")
    page.click("#search button.main")
    page.wait_for_selector("#count:has-text('0 found')")
    page.select_option("#fit", "like")
    page.fill("#dice", "")
    page.click("#search button.main")
    page.wait_for_selector("#found :text('pips apart')")
    page.select_option("#fit", "least")
    page.select_option("#plan", "mixed")
    page.fill("#dice", "65")
    page.click("#search button.main")
    page.wait_for_selector("#count:text-matches('^1 found')")
    page.click("#found button")
    page.wait_for_selector("section.d h3:has-text('65')")


def test_a_match_is_written_down(page_of: Open) -> None:
    page = page_of("/transcribe")
    page.wait_for_selector("body[data-lines]")
    page.fill("#first", "Ann")
    page.fill("#second", "Bob")
    page.fill("#length", "3")

    def type_in(text: str, lines: int) -> None:
        page.click("#typed")
        page.keyboard.type(text)
        page.keyboard.press("Enter")
        page.wait_for_selector(f"body[data-lines='{lines}']")

    def throw(dice: str) -> None:
        page.click("#typed")
        page.keyboard.type(dice)
        page.wait_for_selector("#prompt:has-text('Play')")

    throw("31")
    # What breaks the rules is said while it is typed.
    page.fill("#typed", "8/7 6/1")
    page.wait_for_selector("#wrong:has-text('no legal play')")
    assert page.get_attribute("#typed", "aria-invalid") == "true"
    page.fill("#typed", "")
    type_in("8/5 6/5", 1)
    throw("64")
    type_in("24/18 13/9", 2)
    throw("65")
    page.click("#plays button:has-text('24/13')")
    page.wait_for_selector("body[data-lines='3']")
    throw("52")
    # By clicks on the board, of the player at the top.
    page.locator(".hits [data-p='13']").click(position={"x": 8, "y": 100})
    page.wait_for_selector("#prompt:has-text('13/8')")
    page.locator(".hits [data-p='13']").click(position={"x": 8, "y": 100})
    page.click("#actions .main")
    page.wait_for_selector("body[data-lines='4']")
    page.wait_for_selector("#prompt:has-text('Ann: dice, or the cube?')")
    type_in("d", 5)
    type_in("t", 6)
    # The cube is not his then.
    page.wait_for_selector("#prompt:has-text('Ann: what was thrown?')")
    # After a roll, too.
    throw("21")
    page.keyboard.type("r")
    page.keyboard.press("Enter")
    page.click("dialog button[value='02']")
    page.wait_for_selector("#prompt:has-text('The match is over')")
    assert "Bob wins 4 points" in page.inner_text("#lines")
    with page.expect_download() as saved:
        page.select_option("#save", "mat")
    text = Path(saved.value.path()).read_text()
    assert "31: 8/5 6/5" in text
    # An earlier line is corrected: what does not fit any more is shown.
    page.click("#lines button:has-text('31: 8/5 6/5')")
    page.wait_for_selector("#prompt:has-text('3-1')")
    page.fill("#typed", "24/21 24/23")
    page.press("#typed", "Enter")
    page.wait_for_selector("#lines .wrong:has-text('24/13')")
    page.wait_for_selector("#prompt.problem")
    page.reload()
    page.wait_for_selector("#lines .wrong:has-text('24/13')")
    type_in("13/2", 7)
    page.click("#report")
    page.wait_for_url("**/reports/*")
    page.wait_for_selector("h1:has-text('Ann – Bob')", timeout=60_000)


def test_what_is_written_down_is_not_lost_to_another(page_of: Open, report: str) -> None:
    """To the match of a report, or to another window."""
    page = page_of("/transcribe")

    def lines(of: Any, count: int) -> None:
        of.wait_for_selector(f"body[data-lines='{count}']")

    def write(of: Any, text: str) -> None:
        of.fill("#typed", text)
        of.press("#typed", "Enter")

    lines(page, 0)
    write(page, "31 8/5 6/5")
    lines(page, 1)
    other = page.context.new_page()
    other.goto(page.url)
    lines(other, 1)
    write(other, "64 24/14")
    lines(other, 2)
    page.wait_for_selector(".toast.problem.shown:has-text('Another window')")
    lines(page, 2)
    place = f"{page.url}?report={report.rsplit('/', 1)[1]}"
    other.goto(place)
    other.click("dialog button[value='']")
    lines(other, 2)
    other.goto(place)
    other.click("dialog button[value=yes]")
    other.wait_for_selector("#lines b:has-text('13/2')")
    other.goto(place)  # the same is there already
    other.wait_for_selector("#lines b:has-text('13/2')")


def test_a_play_is_written_down_once_though_nobody_answers_at_first(page_of: Open) -> None:
    page = page_of("/transcribe")
    page.wait_for_selector("body[data-lines]")
    page.fill("#typed", "31")
    page.wait_for_selector("#prompt:has-text('3-1')")
    page.fill("#typed", "8/5 6/5")
    page.wait_for_selector("#actions .main")
    page.context.set_offline(True)
    for _ in range(2):
        page.click("#actions .main")
        page.wait_for_selector(".toast.problem.shown:has-text('does not answer')")
    page.context.set_offline(False)
    page.route("**/api/v1/transcripts", lambda route: (time.sleep(0.3), route.continue_()))
    page.evaluate("for (const _ of 'ab') document.querySelector('#actions .main').click()")
    page.wait_for_selector("#prompt:has-text('dice, or the cube?')")
    assert page.locator("#lines b").all_inner_texts() == ["31: 8/5 6/5"]
    assert page.evaluate("JSON.parse(localStorage.transcript).lines.length") == 1


def test_dice_that_nobody_heard_of_are_tried_again_by_enter(page_of: Open) -> None:
    page = page_of("/analyse")
    page.wait_for_selector("#depth:has-text('2-ply')")
    page.click("#edit")
    tried = (("#dice", "42", ":42:"), ("#length", "7", ":7:10"))
    for field, typed, told in tried:
        page.context.set_offline(True)
        page.fill(field, typed)
        page.press(field, "Enter")
        page.wait_for_selector(".toast.problem.shown:has-text('does not answer')")
        page.context.set_offline(False)
        page.press(field, "Enter")
        page.wait_for_selector(f"body[data-xgid*='{told}']")
    page = page_of("/transcribe")
    page.wait_for_selector("body[data-lines]")
    page.context.set_offline(True)
    page.fill("#typed", "31")
    page.wait_for_selector(".toast.problem.shown:has-text('does not answer')")
    page.context.set_offline(False)
    assert page.input_value("#typed") == "31"
    page.press("#typed", "Enter")
    page.wait_for_selector("#prompt:has-text('Play 3-1')")


def test_a_position_says_where_it_is_read(page_of: Open) -> None:
    page = page_of("/transcribe")
    page.wait_for_selector("body[data-lines]")
    page.fill("#typed", "4HPwATDgc/ABMA")
    page.press("#typed", "Enter")
    page.wait_for_selector("#wrong:has-text('4HPwATDgc/ABMA: dice such as 31')")
    assert "“Analyse” reads positions" in page.inner_text("#wrong")


def test_an_illegal_play_is_kept_as_it_was_made(page_of: Open) -> None:
    page = page_of("/transcribe")
    page.wait_for_selector("body[data-lines]")
    page.fill("#first", "Ann")
    page.fill("#second", "Bob")

    def throw(dice: str) -> None:
        page.click("#typed")
        page.keyboard.type(dice)
        page.wait_for_selector("#prompt:has-text('Play')")

    throw("31")
    page.fill("#typed", "8/4 6/5")
    page.press("#typed", "Enter")
    page.wait_for_selector("#wrong:has-text('no legal play')")
    # It is shown, and not kept before that is asked for.
    assert page.get_attribute("body", "data-lines") == "0"
    page.click("#actions button:has-text('Undo')")
    page.wait_for_selector("#wrong:empty", state="attached")
    page.fill("#typed", "8/4 6/5")
    page.wait_for_selector("#anyway:has-text('Keep as played')")
    page.click("#anyway")
    page.wait_for_selector("body[data-lines='1']")
    page.wait_for_selector("#lines em:has-text('illegal')")
    # The game goes on from the board that came about; by the keys alone, and with half a play.
    throw("64")
    page.fill("#typed", "24/18!")
    page.press("#typed", "Enter")
    page.wait_for_selector("body[data-lines='2']")
    throw("52")
    page.click("#anyway:has-text('Not played')")
    page.wait_for_selector("body[data-lines='3']")
    page.fill("#typed", "31: 8/5 6/5")
    page.press("#typed", "Enter")
    page.wait_for_selector("body[data-lines='4']")
    assert page.locator("#lines em").count() == 3
    with page.expect_download() as saved:
        page.select_option("#save", "mat")
    text = Path(saved.value.path()).read_text()
    assert "31: 8/4 6/5" in text
    assert "64: 24/18 " in f"{text} " or "64: 24/18\n" in text
    page.select_option("#save", "ogxm")
    page.wait_for_selector(".toast.problem:has-text('cannot hold: illegal plays')")
    page.click("#report")
    page.wait_for_selector("a.cell:has-text('illegal')", timeout=60_000)
    # From the report it comes back as it is.
    page.click("a:has-text('Correct the match')")
    page.wait_for_selector("body[data-lines='4']")
    assert page.locator("#lines em").count() == 3
    assert not page.locator("#lines .wrong").count()


def test_variations_are_tried_and_commented(page_of: Open) -> None:
    page = page_of("/analyse")
    page.click(".candidates button:has-text('8/5 6/5')", timeout=30_000)
    page.click("#go")
    page.wait_for_selector("#tree li li [aria-current]:has-text('31: 8/5 6/5')")
    page.wait_for_selector("#double:visible")
    page.fill("#comment", "after the roll")
    page.click("#double")
    page.click("#take")
    page.wait_for_selector("#tree [aria-current]:has-text('Take')")
    page.click("#back")
    page.click("#back")
    page.wait_for_selector("#tree [aria-current]:has-text('after the roll')")
    assert page.input_value("#comment") == "after the roll"
    page.fill("#dice", "62")
    page.press("#dice", "Enter")
    # With another roll it is one more variation.
    page.wait_for_selector("#tree [aria-current]:has-text('· 62')")
    page.click("#tree button >> nth=0")
    page.wait_for_selector(".candidates button:has-text('13/9')", timeout=30_000)
    page.click(".candidates button:has-text('13/9')")
    page.click("#go")
    page.wait_for_selector("#tree li li [aria-current]:has-text('31: 13/9')")
    page.reload()
    page.wait_for_selector("#tree li li [aria-current]:has-text('31: 13/9')")
    assert page.locator("#tree button").count() == 6
    page.click("#cut")
    page.wait_for_selector("#tree [aria-current]:has-text('Position')")
    assert page.locator("#tree button").count() == 5


def test_a_page_that_was_doubled_stops_nothing_of_the_other(page_of: Open) -> None:
    page = page_of("/analyse")
    page.wait_for_selector("#depth:has-text('2-ply')")
    kept = page.evaluate("({ ...sessionStorage })")
    other = page.context.new_page()
    other.add_init_script(f"for (const [key, text] of Object.entries({kept})) sessionStorage[key] = text")
    page.select_option("#trials", "5184")
    page.click("#roll")
    page.wait_for_selector("#result[data-trials]", state="attached")
    other.goto(page.url)
    other.wait_for_selector("#depth:has-text('2-ply')")
    done = int(page.get_attribute("#result", "data-trials"))
    page.wait_for_function("(done) => Number(document.querySelector('#result').dataset.trials) > done", arg=done)
    page.click("#stop")


def test_a_play_is_gone_on_from_once_where_answers_are_slow(page_of: Open) -> None:
    page = page_of("/analyse")
    page.click(".candidates button:has-text('8/5 6/5')", timeout=30_000)
    page.route("**/api/v1/positions/after", lambda route: (time.sleep(0.3), route.continue_()))
    page.wait_for_selector("#go:visible")
    page.evaluate("for (const _ of 'ab') document.querySelector('#go').click()")
    page.wait_for_selector("#tree li li [aria-current]:has-text('31: 8/5 6/5')")
    page.wait_for_timeout(800)
    assert page.locator(".toast.problem.shown").count() == 0


def test_variations_are_sent_again_where_nobody_has_answered(page_of: Open) -> None:
    page = page_of(f"/analyse#{START.replace(':31:', ':53:').replace('=', '%3D')}")
    page.click(".candidates button:has-text('8/3 6/3')", timeout=30_000)
    page.click("#go")
    page.wait_for_selector("#tree [aria-current]:has-text('53: 8/3 6/3')")
    page.route("**/api/v1/variations", lambda route: route.abort())
    with page.expect_event("requestfailed", lambda request: "best point" in (request.post_data or "")):
        page.fill("#comment", "the best point")
    # Nothing more is done here.
    with page.expect_response("**/api/v1/variations") as answer:
        page.unroute("**/api/v1/variations")
    assert answer.value.ok
    assert "best point" in answer.value.request.post_data


def test_no_variations_are_lost_to_others_while_nobody_answers_which_is_said_once(page_of: Open) -> None:
    page = page_of(f"/analyse#{START.replace(':31:', ':62:').replace('=', '%3D')}")
    page.wait_for_selector(".candidates button", timeout=30_000)
    page.evaluate("""() => {
        window.said = 0;
        new MutationObserver(() => window.said++).observe(document.querySelector("#toast p"), { childList: true });
    }""")
    sent: list[str] = []
    page.on("requestfinished", lambda request: sent.append(request.post_data or ""))
    page.route("**/api/v1/variations", lambda route: route.abort() if route.request.post_data else route.continue_())
    with page.expect_event("requestfailed", lambda request: "of the first" in (request.post_data or "")):
        page.fill("#comment", "of the first")
    with page.expect_event("requestfailed", lambda request: "of the first" in (request.post_data or "")):
        page.click("#start")
    page.wait_for_selector("#comment:not(:has-text('first'))")
    page.fill("#comment", "of the second")
    with page.expect_event("requestfailed", lambda request: "of the first" in (request.post_data or "")):
        page.wait_for_timeout(1000)
    assert page.evaluate("window.said") == 1
    with page.expect_event("requestfinished", lambda request: "of the second" in (request.post_data or "")):
        page.unroute("**/api/v1/variations")
    assert any("of the first" in each for each in sent)


def test_a_file_that_nobody_takes_is_told_of_in_words(page_of: Open) -> None:
    page = page_of("/review", locale="de-DE")
    page.wait_for_selector("#go")
    page.context.set_offline(True)
    page.fill("#text", sample_match().read_text())
    page.click("#go")
    page.wait_for_selector("#state:has-text('Der Server antwortet nicht')", state="attached")


def test_variations_outlive_the_window(page_of: Open) -> None:
    page = page_of(f"/analyse#{START.replace(':31:', ':61:').replace('=', '%3D')}")
    page.click(".candidates button:has-text('13/7 8/7')", timeout=30_000)
    page.click("#go")
    page.wait_for_selector("#tree [aria-current]:has-text('61: 13/7 8/7')")
    with page.expect_response("**/api/v1/variations"):
        page.fill("#comment", "the bar point")
    # What was written last is kept when the window is closed at once, and is no change of somebody else's then.
    page.fill("#comment", "the bar point, natural")
    page.reload()
    page.wait_for_selector("#tree [aria-current]:has-text('natural')")
    with page.expect_response("**/api/v1/variations") as answer:
        page.fill("#comment", "the bar point, of course")
    assert answer.value.ok
    page.context.close()

    page, other = (page_of(f"/analyse#{START.replace(':31:', ':61:').replace('=', '%3D')}") for _ in range(2))
    for each in (page, other):
        each.wait_for_selector("#tree button:has-text('of course')")
        each.click("#tree button:has-text('of course')")
        each.wait_for_selector("#tree [aria-current]:has-text('of course')")
    # Two windows with the same tree: what both write is kept.
    page.fill("#comment", "one thought")
    key = page.evaluate("JSON.parse(sessionStorage.tree).key")
    assert key == other.evaluate("JSON.parse(sessionStorage.tree).key")
    page.wait_for_function(
        "(key) => fetch(`/api/v1/variations/${key}`).then((told) => told.text()).then((text) => text.includes('one '))",
        arg=key,
    )
    other.fill("#comment", "another thought")
    other.wait_for_selector(".toast:has-text('both are kept')")
    with page.expect_download() as saved:
        page.click("#save")
    text = Path(saved.value.path()).read_text()
    page.goto(page.url.split("/analyse")[0] + "/review")
    trees = page.locator("#variations li:has-text('61: 13/7 8/7')")
    trees.nth(1).wait_for()
    for _ in range(2):
        count = page.locator("#variations li").count()
        trees.first.locator("button").click()
        page.click("dialog button[value=yes]")
        page.wait_for_function(f"() => document.querySelectorAll('#variations li').length < {count}")
    # From a file they come back.
    page = page_of("/analyse")
    page.wait_for_selector("#depth:has-text('2-ply')", timeout=30_000)
    page.evaluate(DROP, [text, "variations.json"])
    page.wait_for_selector("#tree [aria-current]:has-text('one thought')")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.click("#outline")
    page.wait_for_function("() => navigator.clipboard.readText().then((text) => text.includes('1. 61: 13/7 8/7'))")
    page.click("#tree button >> nth=0")
    page.wait_for_selector("#tree [aria-current]:has-text('Position')")
    page.click("#cut")
    page.click("dialog button[value=yes]")
    page.wait_for_function("() => document.querySelectorAll('#tree button').length === 1")


NOTHING_LEFT = {
    "card": None,
    "standing": {"cards": 1, "new": 0, "due": 0, "learnt": 1, "answers": 1, "found": 1, "next": ""},
}


def test_focus_is_never_lost_elsewhere(page_of: Open) -> None:
    page = page_of("/analyse")
    page.click(".candidates button:has-text('8/5 6/5')")
    page.wait_for_selector("#go")
    page.focus("#go")
    page.keyboard.press("Enter")
    page.wait_for_selector("#go", state="hidden")
    assert page.evaluate(FOCUSED)
    page.wait_for_selector("#double")
    page.focus("#double")
    page.keyboard.press("Enter")
    page.wait_for_selector("#double", state="hidden")
    assert page.evaluate(FOCUSED)
    page.wait_for_selector("#depth:has-text('2-ply')")
    page.click("#roll")
    page.wait_for_selector("#result[data-trials]", state="attached")
    page.focus("#stop")
    page.keyboard.press("Enter")
    page.wait_for_selector("#stop:disabled")
    assert page.evaluate(FOCUSED)
    page.click("#edit")
    for name in ("analyse", "library"):
        if name == "library":
            page = page_of("/library")
        # A point of the other side that is looked at stays so, whatever is put on it.
        page.focus(".hits [data-p='25'][data-who='1']")
        for count in (1, 2):
            page.keyboard.press("Enter")
            page.wait_for_selector(f".hits [aria-label*=', {count}'][data-p='25'][data-who='1']:focus")
    page = page_of("/transcribe")
    for die in (3, 1):
        page.focus(f".die >> nth={die - 1}")
        page.keyboard.press("Enter")
        assert page.evaluate(FOCUSED)
    page.wait_for_selector("#prompt:has-text('Play 3-1')")
    assert page.evaluate(FOCUSED)
    page = page_of("/learn")
    page.click("[data-drill=cube]")
    page.wait_for_selector("#actions button")
    page.focus("#actions button >> nth=0")
    page.keyboard.press("Enter")
    page.wait_for_selector("#next:focus")
    page.keyboard.press("Enter")
    page.wait_for_selector("#next", state="detached")
    assert page.evaluate(FOCUSED)
    # Where nothing can be typed the answers are next.
    page.focus("[data-drill=cube]")
    page.keyboard.press("Enter")
    page.wait_for_selector("#prompt:focus")
    page.keyboard.press("Tab")
    page.wait_for_selector("#actions button:focus")
    page.keyboard.press("Enter")
    page.wait_for_selector("#next:focus")
    # After the last question, too.
    page.route("**/api/v1/quiz/next", lambda route: route.fulfill(json=NOTHING_LEFT))
    page.focus("#begin")
    page.keyboard.press("Enter")
    page.wait_for_selector("#prompt:has-text('Nothing is left to ask now')")
    page.focus("[data-drill=pips]")
    page.keyboard.press("Enter")
    page.wait_for_selector("#typed:focus")
    page.evaluate("document.querySelector('#begin').click()")
    page.wait_for_selector("#prompt:focus:has-text('Nothing is left to ask now')")


def test_a_position_is_copied_drawn_and_dropped(page_of: Open, address: str) -> None:
    page = page_of("/analyse")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.wait_for_selector("#depth:has-text('2-ply')", timeout=30_000)
    for name, begin in {"xgid": "XGID=", "gnubg_id": "4HPwATDgc/ABMA", "ogid": "OGID="}.items():
        page.click(f"[data-copy={name}]")
        page.wait_for_function(f"navigator.clipboard.readText().then((text) => text.startsWith('{begin}'))")
    page.click("#forum")
    page.wait_for_function("navigator.clipboard.readText().then((text) => text.includes('8/5 6/5'))")
    page.click("#outline")
    page.wait_for_function("navigator.clipboard.readText().then((text) => text.includes('XGID'))")
    with page.expect_download() as saved:
        page.click("#svg")
    assert "<svg" in Path(saved.value.path()).read_text()
    page.evaluate(DROP, ["XGID=-a-B--E-B-a-dDB--b-bcb----:1:1:-1:63:0:0:0:3:8", "position.txt"])
    page.wait_for_selector("body[data-xgid*='a-B--E-B-a-dDB']", state="attached")
    page.evaluate(DROP, [MATCH, "match.mat"])
    page.wait_for_url("**/reports/*")
    page.wait_for_selector("h1:has-text('Ann – Bob')", timeout=60_000)


def test_a_report_and_the_other_pages_share_light_or_dark(page_of: Open, report: str) -> None:
    page = page_of(report, color_scheme="light")
    page.click("[data-key=t]")
    page.goto(urljoin(page.url, "/learn"))
    page.wait_for_selector("[data-scheme=dark]")
    page.evaluate("localStorage.look = JSON.stringify({ ...JSON.parse(localStorage.look), scheme: 'light' })")
    page.goto(urljoin(page.url, report))
    page.wait_for_selector("[data-theme=light]")
    # At once, in what is open.
    other = page.context.new_page()
    other.goto(urljoin(page.url, "/settings"))
    other.evaluate("window.looks = 0, addEventListener('look', () => (looks += 1))")
    page.evaluate("localStorage.game = '{}'")
    page.click("[data-key=t]")
    other.wait_for_selector("[data-scheme=dark]")
    assert other.evaluate("looks") == 1  # what else is kept changes no board
    other.click("#look")
    other.select_option("dialog select >> nth=1", "auto")
    page.wait_for_selector("html:not([data-theme])")


@pytest.mark.parametrize("path", ["/", "/library", "/learn", "/settings"])
def test_every_page_takes_what_is_dropped(page_of: Open, path: str) -> None:
    page = page_of(path)
    page.wait_for_load_state("networkidle")
    page.evaluate(DROP, ["XGID=-a-B--E-B-a-dDB--b-bcb----:1:1:-1:63:0:0:0:3:8", "position.txt"])
    page.wait_for_url("**/analyse#*")
    page.wait_for_selector("body[data-xgid*='a-B--E-B-a-dDB']", state="attached")


def test_nothing_dropped_takes_the_place_of_a_game(page_of: Open, house: House) -> None:
    page = page_of(sit_down(house))
    page.wait_for_load_state("networkidle")
    over = """() => {
        const event = new DragEvent("dragover", { dataTransfer: new DataTransfer(), bubbles: true, cancelable: true });
        return [document.body.dispatchEvent(event), event.dataTransfer.dropEffect];
    }"""
    assert page.evaluate(over) == [False, "none"]


def test_what_is_typed_wrongly_is_said_as_it_was_typed(page_of: Open) -> None:
    page = page_of("/transcribe")
    page.wait_for_selector("body[data-lines]")
    page.fill("#typed", "31")
    page.wait_for_selector("#prompt:has-text('3-1')")
    page.fill("#typed", "4HPwATDgc/ABMA")
    page.wait_for_selector("#wrong:has-text('4HPwATDgc/ABMA')")
    page.press("#typed", "Enter")
    page.wait_for_selector("#wrong:has-text('4HPwATDgc/ABMA')")
    assert page.input_value("#typed") == "4HPwATDgc/ABMA"
    page.fill("#typed", "BAR/1")
    page.wait_for_selector("#wrong:not(:has-text('4HPwATDgc'))")
    page.fill("#typed", "8/5 6/5")
    page.press("#typed", "Enter")
    page.wait_for_selector("body[data-lines='1']")


def test_questions_are_asked(page_of: Open) -> None:
    page = page_of("/learn")
    page.click("[data-book=opening]")
    page.wait_for_selector("#standing:has-text('new')")
    page.select_option("#topics", "opening")
    page.click("#begin")
    page.wait_for_selector("#prompt:has-text('How is')")
    assert page.inner_text("#prompt").endswith("played?")
    page.fill("#typed", "1/9")
    page.press("#typed", "Enter")
    page.wait_for_selector(".toast.problem.shown")
    page.click("#actions button:has-text('Show the answer')")
    page.wait_for_selector("#answer .candidates li")
    assert page.locator("#board .sp-best").count()
    # Whoever did not answer has done nothing wrong.
    assert page.locator("#answer p").first.get_attribute("class") == ""
    page.click("#next")
    page.wait_for_selector("#prompt:has-text('How is')")
    page.locator(".hits .from").first.click(position={"x": 8, "y": 40})
    page.wait_for_selector("#actions button:has-text('Undo')")
    page.click("[data-drill=pips]")
    page.wait_for_selector("#prompt:has-text('How many pips')")
    page.fill("#typed", "1 2")
    page.press("#typed", "Enter")
    page.wait_for_selector("#answer .wrong")
    page.wait_for_selector("#records td:has-text('Pip count')")


def test_one_further_question_is_asked_however_often_it_is_clicked(page_of: Open) -> None:
    page = page_of("/learn")
    page.click("[data-drill=cube]")
    page.click("#actions button")
    page.wait_for_selector("#next")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if request.url.endswith("/drills") else None)
    page.route("**/api/v1/drills", lambda route: (time.sleep(0.3), route.continue_()))
    page.evaluate("for (const _ of 'ab') document.querySelector('#next').click()")
    page.wait_for_selector("#actions button:not(#next)")
    page.wait_for_timeout(800)
    assert len(asked) == 1


def test_a_drill_is_answered_once_where_answers_are_slow(page_of: Open) -> None:
    page = page_of("/learn")
    page.click("[data-drill=cube]")
    page.wait_for_selector("#actions button")
    # There may be answers of before.
    row = page.locator("#records tr:has-text('Cube in a race') td >> nth=1")
    before = int(row.inner_text()) if row.count() else 0
    page.route("**/api/v1/drills/answer", lambda route: (time.sleep(0.3), route.continue_()))
    page.evaluate("for (const _ of 'ab') document.querySelector('#actions button').click()")
    page.wait_for_selector("#next")
    page.wait_for_timeout(800)
    assert int(row.inner_text()) == before + 1


def test_an_answer_is_of_the_drill_that_is_seen_though_the_next_one_did_not_come(page_of: Open) -> None:
    page = page_of("/learn")
    page.click("[data-drill=cube]")
    page.wait_for_selector("#actions button")
    page.route("**/api/v1/drills", lambda route: route.abort())
    page.click("[data-drill=pips]")
    page.wait_for_selector(".toast.problem.shown")
    page.unroute("**/api/v1/drills")
    page.click("#actions button >> nth=0")
    page.wait_for_selector("#answer p:has-text('(')")
    page.wait_for_selector("#records tr:has-text('Cube in a race')")
    page.click("#next")
    page.wait_for_selector("#actions button >> nth=1")


def test_where_an_error_was_made_is_said_in_the_language(page_of: Open, report: str) -> None:
    page = page_of(report, locale="de")
    page.click("text=Fehler ins Quiz")
    page.wait_for_selector(".toast.shown")
    page = page_of("/learn", locale="de")
    page.select_option("#topics", "error")
    page.click("#begin")
    page.wait_for_selector("#prompt:text-matches('[(].+ – .+, Spiel [0-9]+, Zug [0-9]+, .+[)]$')")


def test_a_question_is_seen_on_a_phone_at_once(page_of: Open) -> None:
    page = page_of("/learn", viewport=PHONE, is_mobile=True, has_touch=True)
    page.tap("[data-drill=shots]")
    page.wait_for_selector("#prompt:has-text('rolls')")
    assert 0 <= page.locator("#title").bounding_box()["y"] < page.locator("#prompt").bounding_box()["y"] < 740


def test_what_a_drill_asks_for_is_told_to_nobody(page_of: Open) -> None:
    """Neither by the picture nor by its words; the other drills tell the pips to all."""
    page = page_of("/learn")
    label, prompts = "#board svg.sp-board", {"pips": "How many pips", "epc": "effective", "race": "How often"}
    for kind, prompt in prompts.items():
        page.click(f"[data-drill={kind}]")
        page.wait_for_selector(f"#prompt:has-text('{prompt}')")
        page.evaluate("dispatchEvent(new Event('look'))")
        assert (" pips, " in page.get_attribute(label, "aria-label")) == (kind == "race")
        assert bool(page.locator("#board .sp-p").count()) == (kind == "race")
    page.click("[data-drill=pips]")
    page.wait_for_selector("#prompt:has-text('How many pips')")
    page.fill("#typed", "1 2")
    page.press("#typed", "Enter")
    page.wait_for_selector("#answer .wrong")
    assert " pips, " in page.get_attribute(label, "aria-label")


def test_numbers_have_a_point_in_every_language(page_of: Open) -> None:
    page = page_of("/learn", locale="de")
    page.click("[data-drill=pips]")
    page.wait_for_selector("#prompt:has-text('Pips')")
    page.fill("#typed", "1 2")
    page.press("#typed", "Enter")
    page.wait_for_selector("#answer :text-matches('in [0-9]+[.][0-9] s')")
    page.wait_for_selector("#records td:text-matches('^[0-9]+[.][0-9] %$')")


def test_settings_are_found_by_the_names_that_are_shown(page_of: Open) -> None:
    page = page_of("/settings")
    page.wait_for_selector(".setting", state="attached")
    for wanted in ("cube plies", "rollout.cube_plies", "Look Ahead"):
        page.fill("#find", wanted)
        assert page.locator("[data-said^='rollout.cube plies']").is_visible()
        assert page.inner_text("#found") == ""
    page.fill("#find", "nonsuch")
    page.wait_for_selector("#found[role=status]:has-text('No setting')")


def test_what_is_typed_before_the_settings_are_there_is_found_then(page_of: Open) -> None:
    page = page_of("/settings")
    page.route("**/api/v1/settings", lambda route: (time.sleep(0.5), route.continue_()))
    page.reload(wait_until="domcontentloaded")
    page.wait_for_selector("#find")
    page.fill("#find", "cube limit")
    assert page.text_content("#found") == ""
    page.wait_for_selector(".setting:visible")
    assert page.locator(".setting:visible b").all_text_contents() == ["Cube limit"]
    assert page.text_content("#found") == ""


@pytest.mark.parametrize(
    "kept",
    [
        "throw new DOMException('blocked', 'SecurityError')",
        "return { getItem: () => '{damaged', setItem() { throw new Error('full') } }",
    ],
    ids=["blocked", "damaged"],
)
def test_pages_do_without_what_the_browser_keeps(
    page_of: Open, house: House, address: str, report: str, kept: str
) -> None:
    page = page_of("/nowhere")
    page.context.add_init_script(f"""for (const name of ["localStorage", "sessionStorage"])
        Object.defineProperty(window, name, {{ get() {{ {kept} }} }})""")
    for path, there in (
        ("/", "#variant option"),
        ("/analyse", ".tree [aria-current]"),
        ("/review", "#go"),
        ("/transcribe", "#variant option"),
        ("/library", "#board .hits rect"),
        ("/learn", "#board .sp-board path"),
        ("/settings", ".setting"),
        (sit_down(house, "person", START), "#actions"),
    ):
        page.goto(address + path)
        page.wait_for_selector(there, state="attached")
    page.goto(address + report)
    page.wait_for_selector(".live-bar")
    page.click("a.cell:has-text('13/2')")
    page.fill(".live textarea", "A thought")
    page.wait_for_selector(".live :text('Not kept yet.')")
    page.goto(address)
    page.wait_for_selector("#variant option", state="attached")
    page.click("#new .main")
    page.wait_for_url("**/play/*")


@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
def test_an_error_hides_no_control_and_goes_when_something_was_done(
    page_of: Open, house: House, size: dict[str, int]
) -> None:
    page = page_of(sit_down(house, "person", START), viewport=size)
    page.wait_for_selector("[data-act=resign]")
    page.fill("#typed", "9/1")
    fail = """import("/static/common.js").then(({ failed }) => failed(new Error("Nothing comes of that, for "
        + "a reason that takes a while to be told.")))"""
    page.evaluate(fail)
    page.wait_for_selector(".toast.problem.shown")
    hidden = """() => { const box = document.querySelector("#toast").getBoundingClientRect();
        return [...document.querySelectorAll("button, a, select, input")].filter((each) => !each.closest("#toast"))
            .filter((each) => {
                const at = each.getBoundingClientRect();
                return at.top < box.bottom && at.bottom > box.top && at.left < box.right && at.right > box.left;
            }).map((each) => each.textContent); }"""
    assert page.evaluate(hidden) == []
    page.click("#toast button")
    page.wait_for_selector("#toast:not(.shown)", state="attached")
    page.evaluate(fail)
    page.wait_for_selector(".toast.problem.shown")
    page.locator(".hits .from").first.click(position={"x": 8, "y": 40})
    page.wait_for_selector("#toast:not(.shown)", state="attached", timeout=3000)


@pytest.mark.parametrize("locale", ["en", "de"])
def test_where_equity_went_is_read_on_a_phone(page_of: Open, house: House, locale: str) -> None:
    judged = analyse(formats.read_text(MATCH, "match.mat"), house.engine, plies=0)
    house.library.keep(judged)
    page = page_of("/library", viewport=PHONE, is_mobile=True, locale=locale)
    page.wait_for_selector("#sums tbody tr")
    assert page.evaluate("sums.parentElement.scrollWidth <= sums.parentElement.clientWidth")
    assert page.locator("#sums thead th").first.bounding_box()["width"] > 60
    house.library.remove(checksum(judged.match))


# What a select shows of each choice: its room, less the arrow.
CUT = """() => {
    const pen = document.createElement("canvas").getContext("2d");
    return [...document.querySelectorAll("select:not(#save)")].filter((each) => each.offsetParent).flatMap((each) => {
        const style = getComputedStyle(each);
        const room = each.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight) - 18;
        pen.font = style.font;
        return [...each.options].map(({ text }) => text).filter((text) => pen.measureText(text).width > room);
    });
}"""


@pytest.mark.parametrize("locale", ["en", "de"])
@pytest.mark.parametrize("width", [320, 360, 1280])
def test_choices_are_shown_whole(page_of: Open, width: int, locale: str) -> None:
    page = page_of("/", viewport={"width": width, "height": 700}, locale=locale)
    page.wait_for_selector("#variant option", state="attached")
    page.click("summary")
    assert page.evaluate(CUT) == []
    for path, chosen in (("/analyse", "#chequers"), ("/library", "#kind"), ("/transcribe", "#variant")):
        page.goto(urljoin(page.url, path))
        if path == "/analyse":
            page.wait_for_selector(".hits rect", state="attached")
            page.click("#edit")
        page.wait_for_selector(f"{chosen} option", state="attached")
        assert page.evaluate(CUT) == [], path


def test_names_are_not_cut_where_there_is_little_room(page_of: Open, house: House) -> None:
    page = page_of(sit_down(house, "world class", START), viewport={"width": 640, "height": 400})
    page.wait_for_selector("#above .name")
    cut = "[...document.querySelectorAll('.player .name')].filter((each) => each.scrollWidth > each.clientWidth)"
    assert page.evaluate(f"{cut}.length") == 0


def test_an_act_that_takes_long_says_what_it_waits_for(page_of: Open, house: House) -> None:
    page = page_of(sit_down(house, "person", START))
    page.wait_for_selector("[data-act=resign]")
    page.route("**/acts", lambda route: (time.sleep(2), route.continue_()))
    page.fill("#typed", "8/5 6/5")
    page.press("#typed", "Enter")
    page.click("[data-act=play]")
    page.wait_for_selector(".toast.shown:has-text('The engine looks at it.')")
    page.wait_for_selector("#prompt:has-text('Roll or double')")


def test_long_names_are_read_on_a_phone(page_of: Open, house: House) -> None:
    asked = m.SittingAsked(
        opponent="person", position=START, name="Maximiliane-Friederike von und zu Habsb", guest="Bo"
    )
    page = page_of(f"/play/{house.sit_down(asked).key}", viewport={"width": 320, "height": 640}, is_mobile=True)
    page.wait_for_selector("#below .name")
    for box in page.locator(".player .name").all():
        assert box.evaluate("(each) => each.scrollWidth <= each.clientWidth")
    # A short one stays beside its score.
    assert page.locator(".player:has-text('Bo')").bounding_box()["height"] < 40


WHERE = """([place, ...texts]) => texts.map((text) => {
    const walker = document.createTreeWalker(document.querySelector(place), NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const at = walker.currentNode.data.indexOf(text), range = document.createRange();
        if (at < 0) continue;
        range.setStart(walker.currentNode, at);
        range.setEnd(walker.currentNode, at + text.length);
        return range.getBoundingClientRect().x;
    }
    return text;
})"""


def test_what_stands_behind_a_name_from_right_to_left_stays_behind_it(page_of: Open, house: House) -> None:
    first, second = "\u05d0\u05d1", "\u05d2\u05d3"
    # Whoever is on roll in it is the second player.
    position = START.replace(":7:10", ":3:10")
    key = house.sit_down(m.SittingAsked(opponent="person", position=position, name=second, guest=first)).key
    page = page_of("/", locale="de")
    page.wait_for_selector(f"#games b:has-text('{first}')")
    places = page.evaluate(WHERE, ["#games", first, " – ", second])
    assert places == sorted(places)
    page.goto(urljoin(page.url, f"/play/{key}"))
    page.wait_for_selector("#prompt:has-text('Spiele 3-1.')")
    assert page.title() == f"\u2068{first}\u2069 – \u2068{second}\u2069, Sixprime"
    played_on(page, "8/5 6/5")
    page.wait_for_selector("#said:has-text('31: 8/5 6/5')")
    page.click("#moves button:has-text('8/5 6/5')")
    page.wait_for_selector("#prompt:has-text('31: 8/5 6/5')")
    for place in ("#prompt", "#said"):
        places = page.evaluate(WHERE, [place, second, "31: ", "8/5", "6/5"])
        assert places == sorted(places), place
    judged = analyse(formats.read_text(MATCH.replace("Ann", first), "match.mat"), house.engine, plies=0)
    page = page_of(f"/reports/{house.reports.known(judged).key}#a0")
    for more in (["section.d h3", first, " 31"], ["section.d .chances", first, " %"]):
        places = page.evaluate(WHERE, more)
        assert places == sorted(places), more


def test_larger_text_is_larger_everywhere(page_of: Open, report: str) -> None:
    for path in (report, "/review", "/transcribe", "/settings", "/analyse"):
        page = page_of(path, viewport={"width": 375, "height": 812})
        page.wait_for_selector("nav a")
        size = "parseFloat(getComputedStyle(document.body).fontSize)"
        before = page.evaluate(size)
        page.evaluate("document.documentElement.style.fontSize = '200%'")
        assert page.evaluate(size) == 2 * before
        assert page.evaluate("document.documentElement.scrollWidth") == 375


def test_a_library_without_matches_is_in_the_middle(page_of: Open, house: House, monkeypatch: Any) -> None:
    from sixprime.web import library

    monkeypatch.setattr(library, "shelf", lambda kept: m.Shelf((), ()))
    page = page_of("/library")
    page.wait_for_selector("#none:visible")
    edges = "[...document.querySelectorAll('main > :not([hidden])')].map((each) => each.getBoundingClientRect().left)"
    assert len(set(page.evaluate(edges))) == 1


def test_what_was_done_is_said_in_sentences(page_of: Open, house: House) -> None:
    page = page_of(sit_down(house, "person", START.replace(":31:", ":00:")), locale="de")
    page.click("[data-act=double]")
    page.wait_for_selector("#said:has-text('Stellung gesetzt. Ann verdoppelt auf 2.')")
    money = START.replace(":31:0:0:0:7:", ":00:0:0:2:0:")
    page = page_of(sit_down(house, "person", money), locale="de")
    page.click("[data-act=double]")
    page.click("[data-act=beaver]")
    page.wait_for_selector("#said:has-text('Ann verdoppelt auf 2. Guest kontert mit Beaver auf 4.')")
    page = page_of("/", locale="de")
    page.select_option("#opponent", "person")
    page.click("summary")
    page.fill("#position", START.replace(":31:", ":00:"))
    page.click("form .main")
    page.click("[data-act=double]")
    page.wait_for_selector("#said:has-text('Stellung gesetzt. Du verdoppelst auf 2.')")
    page.wait_for_selector("#prompt:has-text('Gast: Du bietest den Doppler auf 2 an.')")


def test_what_needs_scripts_says_so_and_nothing_else_does(page_of: Open, report: str) -> None:
    for path, needs in (("/", True), ("/analyse", True), ("/nowhere", False), (report, False)):
        page = page_of(path, java_script_enabled=False)
        shown = [page.locator(where).first.is_visible() for where in ("noscript .needs, .needs", "main")]
        assert shown == [needs, not needs], path


def test_the_language_is_switched(page_of: Open) -> None:
    page = page_of("/", locale="fr-FR")
    assert page.inner_text("nav a >> nth=0") == "Play"
    page.select_option("#language", "de")
    page.wait_for_selector("html[lang=de]")
    assert page.inner_text("nav a >> nth=0") == "Spielen"
    page.select_option("#opponent", "person")
    page.select_option("#length", "1")
    page.click("form .main")
    page.wait_for_selector("#prompt:has-text('Spiele ')")
    page.goto(page.url.split("/play")[0] + "/settings")
    page.select_option("#language", "en")
    page.wait_for_selector("html[lang=en]")


def test_a_report_speaks_the_language_of_its_reader(page_of: Open, report: str) -> None:
    page = page_of(report, locale="de-CH")
    page.wait_for_selector("html[lang=de] .live")
    page.click("a.cell:has-text('13/2')")
    page.wait_for_selector("section.d h4 .soft:has-text('am besten')")
    assert violations(page) == []
    page.click("[data-key='h'] >> nth=0")
    page.wait_for_selector(".question:has-text('Welcher Zug?')")
    page.click(".question button >> nth=0")
    page.wait_for_selector(".question[role=status]:has-text('von 1 richtig')")
    assert page.get_attribute(".picture svg", "aria-label").startswith("Backgammonbrett, Ann am Wurf mit 6-5")
    page.goto(page.url.split("/reports")[0] + "/settings")
    page.select_option("#language", "en")
    page.wait_for_selector("html[lang=en]")
    page.goto(page.url.split("/settings")[0] + report)
    page.wait_for_selector("html[lang=en] .live")
    page.click("a.cell:has-text('13/2')")
    page.wait_for_selector("section.d h4 .soft:has-text('; best')")


def test_an_invitation_leads_others_here(page_of: Open, house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page is open under a name that each machine has for itself."""
    monkeypatch.setattr(house, "address", "http://192.0.2.7:8640")
    page = page_of(sit_down(house, "invited"))
    page.wait_for_selector("#invitation:visible")
    page.wait_for_selector("#alone:visible")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.click("#invite")
    assert page.evaluate("navigator.clipboard.readText()").startswith("http://192.0.2.7:8640/play/")


def test_somebody_is_invited(page_of: Open) -> None:
    host = page_of("/")
    host.select_option("#opponent", "invited")
    host.select_option("#length", "1")
    host.click("summary")
    host.fill("#name", "Ann")
    host.fill("#guest", "Bob")
    assert not host.is_checked("#hints")
    assert host.is_disabled("#tutor")
    host.fill("#minutes", "10")
    assert host.is_checked("#loses")
    host.click("form .main")
    host.wait_for_selector("#invitation:visible")
    host.wait_for_selector("#alone:has-text('--host')")
    host.context.grant_permissions(["clipboard-read", "clipboard-write"])
    host.click("#invite")
    link = host.evaluate("navigator.clipboard.readText()")
    guest = page_of(link[link.index("/play/") :], viewport=PHONE, has_touch=True, is_mobile=True)
    host.wait_for_selector("#invitation", state="hidden")
    guest.wait_for_selector(".clock >> nth=1")
    assert {guest.inner_text(f"#{bar} .name") for bar in ("above", "below")} == {"Ann", "Bob"}
    for each in (host, guest):
        assert each.locator(":is(#tutor, #analyse, [data-act=hint]) >> visible=true").count() == 0
    first, other = (host, guest) if host.locator(".hits .from").count() else (guest, host)
    assert not other.locator(".hits .from").count()
    for _ in range(4):
        if first.locator("[data-act=play]").count():
            break
        before = first.inner_text("#prompt")
        first.locator(".hits .from").first.focus()
        first.keyboard.press("Enter")
        first.wait_for_function("(before) => document.querySelector('#prompt').textContent !== before", arg=before)
    first.click("[data-act=play]")
    other.wait_for_selector(".hits .from")


def test_what_is_kept_is_listed_and_removed(page_of: Open, report: str, house: House) -> None:
    page = page_of("/analyse")
    page.fill("#text", START.replace(":31:", ":65:"))
    page.click("#paste button")
    page.wait_for_selector("body[data-xgid*=':65:']")
    page.select_option("#trials", "324")
    page.click("#roll")
    page.wait_for_selector("#depth:has-text('324 of 324')", timeout=60_000)
    page.wait_for_selector("#stop:disabled")
    page = page_of("/review")
    rolled = page.locator("#rollouts li:has-text('24/13'):has-text('324 games')")
    rolled.wait_for()
    key = report.rsplit("/", 1)[1]
    link = page.locator(f"#reports li:has(a[href='{report}'])")
    assert "Ann – Bob" in link.inner_text()
    link.locator("button").click()
    page.click("dialog button[value='']")
    assert link.count() == 1
    link.locator("button").click()
    page.click("dialog button[value=yes]")
    link.wait_for(state="detached")
    assert key not in [each.key for each in house.reports.listed()]
    rolled.locator("button").click()
    page.click("dialog button[value=yes]")
    rolled.wait_for(state="detached")


def test_all_matches_of_a_file_are_reviewed(page_of: Open, monkeypatch: Any) -> None:
    monkeypatch.setattr("sixprime.web.house._TOGETHER", 2)
    page = page_of("/review")
    page.fill("#text", "\n".join(MATCH.replace("Ann", name) for name in ("Ann", "Cem", "Dora")))
    page.click("#go")
    page.wait_for_selector("#first:has-text('There are 3 matches; the first 2')")
    page.wait_for_selector("#state:has-text('All 2 matches')", timeout=100_000)
    assert page.locator("#several b").all_text_contents() == ["Ann – Bob", "Cem – Bob"]
    page.click("#several a:has-text('Cem')")
    page.wait_for_selector("h1:has-text('Cem – Bob')")


def test_matches_that_cannot_be_judged_say_why(page_of: Open) -> None:
    page = page_of("/review")
    game = "\n\n Game 1\n Ann : 0     {} : 0\n  1) 31: 8/5 6/5    64: 24/18 13/9\n\n"
    long = " 99 point match" + game.format("Dan")
    page.fill("#text", long)
    page.click("#go")
    page.wait_for_selector("#state:has-text('ends at 64 points')")
    page.wait_for_selector("#latest b:has-text('Ann – Dan')", state="detached")
    page.goto(urljoin(page.url, "/review"))
    page.fill("#text", long + " 3 point match" + game.format("Eve"))
    page.click("#go")
    page.wait_for_selector("#several .problem:has-text('ends at 64 points')")
    page.wait_for_selector("#several a:has-text('Ann – Eve')")
    page.wait_for_selector("#progress", state="hidden")
    assert page.inner_text("#state") == ""


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


def test_several_files_become_reports_one_after_the_other(page_of: Open) -> None:
    page = page_of("/review")
    files = [
        {"name": f"{name}.txt", "mimeType": "text/plain", "buffer": text.encode()}
        for name, text in (
            ("one", MATCH),
            ("two", MATCH.replace("Bob", "Cy")),
            ("<i>", "prose"),
            ("id", START),
        )
    ]
    page.set_input_files("#file", files)
    page.wait_for_selector("#state:has-text('All 2 matches')", timeout=60_000)
    assert page.locator("#several li").all_inner_texts() == ["Ann – Bob", "Ann – Cy"]
    prose, position = page.locator("#unread li").all_inner_texts()
    assert prose.startswith("<i>.txt: 1:1: no match found")
    assert position == "id.txt: It shows a position; drop it alone."
    # With nothing to show, it says why.
    page = page_of("/review")
    page.set_input_files("#file", files[2:])
    page.wait_for_selector("#state:has-text('no match found'):has-text('drop it alone')")


HEARD = """() => {
    window.heard = [];
    const listen = (changes) => {
        for (const { target } of changes) {
            const place = (target.closest ? target : target.parentElement)?.closest("[aria-live]");
            if (place && place.getAttribute("aria-live") !== "off") heard.push(place.textContent);
        }
    };
    new MutationObserver(listen).observe(document.body, { subtree: true, childList: true, characterData: true });
}"""


def test_a_rollout_is_read_out_at_its_beginning_and_end(page_of: Open) -> None:
    page = page_of("/analyse")
    page.fill("#text", START)
    page.click("#paste button")
    page.wait_for_selector("#depth:not(:empty)")  # it has begun
    page.wait_for_selector("#stop:disabled", timeout=60_000)
    page.select_option("#trials", "324")
    page.evaluate(HEARD)
    page.click("#roll")
    page.wait_for_selector("#depth:has-text('324 of 324')", timeout=60_000)
    heard = page.evaluate("heard")
    assert heard[0] == "The engine looks at it."
    assert [text for text in heard if "of 324" in text] == ["Rolled out 324 of 324 games"]


MOVED = """async (text) => {
    const { Board } = await import("/static/board.js"), { ask } = await import("/static/common.js");
    const { board } = await ask("/positions", { text });
    const drawn = new Board(document.body.appendChild(document.createElement("div")));
    drawn.show({ board, bottom: 0 }, [[0, 13, 10], [0, 10, 9]]);
    const moving = () => drawn.drawn.querySelectorAll("path[d='M0 0h0'][class^='sp-c']").length, begun = moving();
    await new Promise((done) => setTimeout(done, 700));
    return [begun, moving()];
}"""


def test_a_chequer_that_goes_on_is_one_that_moves(page_of: Open) -> None:
    page = page_of("/learn", reduced_motion="no-preference")
    assert page.evaluate(MOVED, START) == [1, 0]


def test_a_finger_may_miss_a_point_by_a_little(page_of: Open, house: House) -> None:
    page = page_of(sit_down(house, "person", START), viewport=PHONE, has_touch=True, is_mobile=True)
    page.wait_for_selector(".hits .from")
    assert page.locator(".hits [data-p=dice]").bounding_box()["height"] >= 40
    box = page.locator(".hits [data-p='8']").bounding_box()
    # Beside it is a point from which nothing can move.
    page.touchscreen.tap(box["x"] - 9, box["y"] + box["height"] - 20)
    page.wait_for_selector("#prompt:has-text('8/5 …')")


UNSEEN = """() => [...document.querySelectorAll("select, input[placeholder]")].filter((each) => {
    if (!each.checkVisibility()) return false;
    const style = getComputedStyle(each), pen = document.createElement("canvas").getContext("2d");
    pen.font = style.font;
    const chosen = each.matches("select") && each.selectedOptions[0];
    // A select has an arrow, too.
    const room = each.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight) - (chosen ? 17 : -1);
    return pen.measureText(chosen ? chosen.textContent : each.value ? "" : each.placeholder).width > room;
}).map((each) => each.id)"""


@pytest.mark.parametrize("locale", ["en", "de"])
def test_nothing_is_cut_where_letters_are_large(page_of: Open, house: House, locale: str) -> None:
    house.library.keep(analyse(formats.read_text(MATCH, "match.mat"), house.engine, plies=0))
    for path in ("/", "/analyse", "/transcribe", "/library", "/learn", "/settings"):
        page = page_of(path, viewport=PHONE, has_touch=True, is_mobile=True, locale=locale)
        if path == "/library":
            page.wait_for_selector("#sums td")
        if path == "/learn":
            page.click("[data-drill=pips]")
            page.fill("#typed", "100 100")
            page.press("#typed", "Enter")
            page.wait_for_selector("#records td")
        page.evaluate("document.documentElement.style.fontSize = '200%'")
        page.wait_for_timeout(200)
        assert page.evaluate("document.documentElement.scrollWidth") == 360, path
        assert page.evaluate(UNSEEN) == [], path
        for table in ("#matches", "#players", "#sums", "#records"):
            cells = page.locator(f"{table}:visible td")
            for i in range(min(cells.count(), 8)):
                box = cells.nth(i).bounding_box()
                assert box["x"] + box["width"] <= 350, (path, table)
        if path == "/learn":
            assert (
                page.get_attribute("#records td >> nth=1", "data-label") == {"en": "Attempts", "de": "Versuche"}[locale]
            )


@pytest.mark.parametrize("language", ["en", "de"])
def test_what_is_above_a_report_is_one_line_beside_another_window(page_of: Open, report: str, language: str) -> None:
    page = page_of(report, locale=language, viewport={"width": 1000, "height": 700})
    assert page.locator(".live-bar").bounding_box()["height"] < 50


def test_what_leads_elsewhere_is_high_enough_for_fingers(page_of: Open, report: str) -> None:
    sideways = {"width": 740, "height": 360}
    page = page_of("/", viewport=sideways, has_touch=True, is_mobile=True)
    for link in page.locator("header a").all():
        box = link.bounding_box()
        assert min(box["width"], box["height"]) >= 40
    page = page_of(report, viewport=PHONE, has_touch=True, is_mobile=True)
    page.wait_for_selector(".live-bar")
    for link in page.locator(".live-bar div > a").all():
        assert link.bounding_box()["height"] >= 40
    term = page.locator(".words .term").first
    area = "(each) => parseFloat(getComputedStyle(each, '::after').height)"
    assert term.evaluate(area) >= 40
    box = term.bounding_box()
    page.touchscreen.tap(box["x"] + 4, box["y"] - 8)
    page.wait_for_selector("[popover]:popover-open")


def test_a_setting_that_was_not_taken_is_tried_again(
    page_of: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SIXPRIME_CONFIG", str(tmp_path))
    page = page_of("/settings")
    field = "[id='set-play.name']"
    page.wait_for_selector(field)
    page.context.set_offline(True)
    page.fill(field, "Eve")
    page.press(field, "Enter")
    page.wait_for_selector(".toast.problem.shown:has-text('does not answer')")
    page.context.set_offline(False)
    page.press(field, "Enter")
    page.wait_for_selector(f"{field}:not([aria-invalid])")
    page.wait_for_selector(".toast.shown:not(.problem)")


def test_settings_speak_german(page_of: Open) -> None:
    page = page_of("/settings", locale="de")
    page.fill("#find", "was gespielt wird")
    page.wait_for_selector(".setting:visible b:text-is('Spiel')")
    assert page.locator("summary:visible").inner_text() == "Spielen"
    assert page.locator(".setting:visible code").inner_text() == "play.variant"
    # By the name that the command line knows, too.
    page.fill("#find", "engine.threads")
    page.wait_for_selector(".setting:visible b:text-is('Threads')")
    assert page.get_attribute("[id='set-engine.threads']", "placeholder") == "alle Kerne"
    assert page.locator(".setting small[lang=en]").count() == 0


def test_chequers_of_both_sides_are_named_in_the_editor(page_of: Open) -> None:
    page = page_of("/analyse")
    page.wait_for_selector("#result *")
    page.click("#edit")
    page.wait_for_selector(".hits [data-who='1']", state="attached")
    for point, said in ((1, "2 of the opponent"), (2, "0 of the player on roll"), (6, "5 of the player on roll")):
        assert page.get_attribute(f".hits [data-p='{point}']", "aria-label") == f"point {point}, {said}"
    # All are in use, so that none can be put.
    before = page.get_attribute("body", "data-xgid")
    page.locator(".hits [data-p='2']").click(position={"x": 8, "y": 40})
    page.wait_for_selector("#toast:has-text('All chequers of that side are on the board.')")
    assert page.get_attribute("body", "data-xgid") == before


def test_what_is_typed_into_the_editor_stays(page_of: Open) -> None:
    page = page_of("/analyse")
    page.wait_for_selector("#result *")
    page.click("#edit")
    page.wait_for_selector("#state:visible")
    page.route("**/api/v1/positions", lambda route: (time.sleep(0.5), route.continue_()))
    page.fill("#length", "7")
    page.fill("#mine", "3")
    page.wait_for_selector("body[data-xgid*=':0:0:0:7:']")
    page.press("#mine", "Tab")
    page.wait_for_selector("body[data-xgid*=':3:0:0:7:']")


def test_lists_are_printed_whole(page_of: Open, house: House) -> None:
    house.library.keep(analyse(formats.read_text(MATCH, "match.mat"), house.engine, plies=0))
    page = page_of("/library")
    page.wait_for_selector("#matches td")
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.querySelector('.scroll.high')).maxHeight") == "none"
    assert not page.is_visible("#search")
    # Dark letters, whatever the page looks like.
    page.evaluate("document.documentElement.dataset.scheme = 'dark'")
    assert page.evaluate("getComputedStyle(document.body).color") == "rgb(29, 36, 33)"
