"""The HTML report in a browser: what it asks for, says, draws and does. Needs Chromium and the extra `browser`."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from made_match import make_match
from web_process import CHROMIUM, chromium, violations

from sixprime.analysis.model import AnalysedMatch, DecisionKind
from sixprime.analysis.records import record_of
from sixprime.game import MatchState, Play, Position
from sixprime.game.ids import encode_xgid
from sixprime.game.record import Player
from sixprime.report import board_svg, render_html
from sixprime.report.many import render_index

pytest.importorskip("playwright.sync_api")
pytest.importorskip("axe_playwright_python.sync_playwright")
pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium"),
    # Its event loop is left open for the process that starts the browser.
    pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning"),
]
WIDE, PHONE, NARROW = ({"width": width, "height": 850} for width in (1280, 390, 320))
NAMES = ("Kévin Unger", "Maxence Job")

Open = Callable[..., Any]


@pytest.fixture(scope="module")
def analysed() -> AnalysedMatch:
    return make_match()


@pytest.fixture(scope="module")
def address(analysed: AnalysedMatch, tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(render_html(analysed), encoding="utf-8")
    return path.as_uri()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as started:
        yield started


@pytest.fixture
def page_of(browser: Any, address: str) -> Iterator[Open]:
    """Opens the report; at the end nothing may have been asked for beside the file, and nothing complained of."""
    opened, asked, said = [], [], []

    def opening(hash: str = "", *, path: Path | None = None, **options: Any) -> Any:
        context = browser.new_context(**{"viewport": WIDE, **options})
        opened.append(context)
        page = context.new_page()
        page.on("request", lambda request: request.is_navigation_request() or asked.append(request.url))
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.goto((path.as_uri() if path else address) + hash)
        return page

    yield opening
    for context in opened:
        context.close()
    assert said == []
    assert all(url.startswith("data:") for url in asked)


@pytest.mark.parametrize(("scheme", "size"), [("light", PHONE), ("dark", WIDE)])
def test_nothing_is_hard_to_read_or_to_reach(page_of: Open, scheme: str, size: dict[str, int]) -> None:
    page = page_of("#a3", viewport=size, color_scheme=scheme)
    assert violations(page) == []
    page.click("[data-player='0']")
    page.keyboard.press("h")
    page.keyboard.press("w")
    page.keyboard.press("n")
    assert page.locator(".question button").count() > 2
    assert violations(page) == []


# Boards.


def cases() -> list[tuple[dict[str, Any], str]]:
    """What the script is asked to draw, and what stands inside the drawing of the report."""
    rng, found = random.Random(3), []
    for number in range(60):
        position, mover = Position.start(), number % 2
        for _ in range(rng.randint(0, 60)):
            plays = position.plays((rng.randint(1, 6), rng.randint(1, 6)))
            position = rng.choice(plays).result if plays else position.swapped()
            if not position.pips[0] or not position.pips[1]:
                position = Position.start()
        dice = (rng.randint(1, 6), rng.randint(1, 6))
        score = (rng.randint(0, 6), rng.randint(0, 6))
        state = [
            MatchState(on_roll=mover, dice=dice),
            MatchState(length=7, score=score, cube=256, cube_owner=number % 3 % 2, on_roll=mover, dice=dice),
            MatchState(length=7, score=(6, score[1]), crawford=True, on_roll=mover, dice=dice),
            MatchState(cube=2, cube_owner=mover, on_roll=mover, doubled=True),
        ][rng.choice((0, 0, 1, 1, 2, 3))]
        plays = position.plays(dice) if state.dice else []
        best, played = (rng.choice(plays), rng.choice(plays)) if plays else (None, None)
        if played is not None and best is not None and played.result == best.result:
            played = None
        bottom, side = rng.choice((0, 1)), rng.choice(("right", "left"))
        drawn = board_svg(position, state, bottom=bottom, bear_off=side, best=best, played=played)
        inside = drawn[drawn.index("</style>") :].split("</svg>")[0]
        shown: dict[str, Play | None] = {"best": best, "played": played}
        asked = {
            "xgid": encode_xgid(position, state),
            "options": {"bottom": bottom, "mirrored": side == "left",
                        "plays": {name: str(play) for name, play in shown.items() if play is not None}},
        }  # fmt: skip
        found.append((asked, inside))
    return found


def test_script_draws_the_boards_of_the_report(page_of: Open) -> None:
    found = cases()
    drawn = page_of().evaluate(
        "(all) => { const board = boards(JSON.parse(document.querySelector('.games').dataset.board));"
        "return all.map(({xgid, options}) => board.draw(board.read(xgid), options)); }",
        [asked for asked, _ in found],
    )
    for ours, (asked, wanted) in zip(drawn, found, strict=True):
        frame, rest = re.fullmatch(r'<use href="#([\w-]+)"/>(.*)', ours).groups()
        assert wanted.endswith(rest), asked
        assert frame.startswith("sp-left" if asked["options"]["mirrored"] else "sp-right")
        mover = int(asked["xgid"].split(":")[3] == "1")
        assert frame.endswith("top") == (asked["options"]["bottom"] != mover)


def test_script_makes_the_plays_of_the_report(page_of: Open) -> None:
    """All plays of some rolls in some positions: hits on the way, doubles, entering, bearing off."""
    bearing_off = Position((2, 3, 3, 2, 3, 2) + (0,) * 19, (3, 3, 3, 2, 2, 1) + (0,) * 18 + (1,))
    position, rng, asked, wanted = Position.start(), random.Random(11), [], []
    for turn in range(60):
        if turn in (40, 50):
            position = bearing_off
        dice = (rng.randint(1, 6), rng.randint(1, 6))
        plays = position.plays(dice)
        for play in plays:
            asked.append([encode_xgid(position, MatchState(on_roll=1, dice=dice)), str(play)])
            wanted.append([[*play.result.player], [*play.result.opponent]])
        position = rng.choice(plays).result if plays else position.swapped()
    assert sum("*" in text for _, text in asked) > 50
    assert sum("off" in text for _, text in asked) > 20
    found = page_of().evaluate(
        "(all) => { const board = boards(JSON.parse(document.querySelector('.games').dataset.board));"
        "return all.map(([xgid, play]) => board.after(board.read(xgid), play).counts.map((side) => side.slice(1))); }",
        asked,
    )
    assert found == wanted


def test_candidates_show_their_arrows_and_the_position_after_them(page_of: Open, analysed: AnalysedMatch) -> None:
    acted = [*dict.fromkeys((d.game, d.action) for d in analysed.decisions)]
    worst = max((d for d in analysed.decisions if d.kind is DecisionKind.PLAY), key=lambda d: d.error)
    page = page_of(f"#a{acted.index((worst.game, worst.action))}")
    board = page.locator("aside .picture svg")
    before = board.inner_html()
    assert "sp-played" in before
    rows = page.locator("aside .plays tbody tr")
    rows.nth(1).hover()
    assert board.inner_html() != before
    label = board.get_attribute("aria-label")
    result = worst.plays[1].play.result
    assert f" {result.pips[1]} pips" in label
    assert page.locator("aside figcaption").last.inner_text() == f"After {worst.plays[1].play}"
    page.mouse.move(5, 5)
    assert board.inner_html() == before
    rows.nth(1).locator("button").click()
    page.mouse.move(5, 5)
    assert board.get_attribute("aria-label") == label
    page.keyboard.press("ArrowUp")
    assert f" {worst.plays[0].play.result.pips[1]} pips" in board.get_attribute("aria-label")
    page.keyboard.press("Escape")
    assert board.inner_html() == before
    page.keyboard.press("f")
    page.keyboard.press("f")
    page.keyboard.press("f")
    assert board.inner_html() == before


# What the page does.


def shown(page: Any) -> list[str]:
    return page.locator(".row.hit a.cell:not(.miss)").evaluate_all("cells => cells.map(cell => cell.hash.slice(1))")


def test_filters_show_what_they_say(page_of: Open, analysed: AnalysedMatch) -> None:
    acted = [*dict.fromkeys((d.game, d.action) for d in analysed.decisions)]

    def those(fits: Callable[[Any], bool]) -> list[str]:
        found = {(d.game, d.action) for d in analysed.decisions if fits(d)}
        return [f"a{i}" for i, turn in enumerate(acted) if turn in found]

    def is_play(decision: Any) -> bool:
        return decision.kind is DecisionKind.PLAY

    page = page_of()
    page.keyboard.press("e")
    assert shown(page) == those(lambda d: d.skill > 0)
    page.keyboard.press("b")
    assert shown(page) == those(lambda d: d.skill > 1)
    page.keyboard.press("c")
    assert shown(page) == those(lambda d: not is_play(d) and (d.counted or d.skill))
    page.click(".bar [data-player='1']")
    assert shown(page) == those(lambda d: not is_play(d) and (d.counted or d.skill) and d.player == 1)
    page.keyboard.press("a")
    page.click(".bar [data-size='3']")
    page.click(".bar [data-kind='p']")
    assert shown(page) == those(lambda d: is_play(d) and d.skill == 3)
    count = page.locator(".marks a").first
    player, kind, size = count.get_attribute("data-filter")
    count.click()
    wanted = those(lambda d: d.player == int(player) and is_play(d) == (kind == "p") and d.skill == int(size))
    assert shown(page) == wanted
    assert int(count.inner_text().split()[-1]) == len(wanted) > 0
    assert page.locator("a.now").get_attribute("href") == f"#{wanted[0]}"


def test_steps_go_from_error_to_error_and_by_what_they_cost(page_of: Open, analysed: AnalysedMatch) -> None:
    acted = [*dict.fromkeys((d.game, d.action) for d in analysed.decisions)]
    cost = {turn: max(d.error for d in analysed.decisions if (d.game, d.action) == turn) for turn in acted}
    marked = {(d.game, d.action) for d in analysed.decisions if d.skill}
    errors = [i for i, turn in enumerate(acted) if turn in marked]

    def now() -> int:
        return int(page.locator("a.now").get_attribute("href")[2:])

    page = page_of()
    assert cost[acted[now()]] == max(cost.values())
    page.click(f"a.cell[href='#a{errors[0]}']")
    page.keyboard.press("n")
    assert now() == errors[1]
    page.keyboard.press("ArrowRight")
    assert now() == errors[1] + 1
    page.keyboard.press("p")
    assert now() == errors[1]
    page.keyboard.press("w")
    seen = []
    page.locator("#worst a").first.click()
    for _ in errors:
        seen.append(now())
        page.keyboard.press("n")
    losses = [cost[acted[i]] for i in seen]
    assert sorted(seen) == errors
    assert losses == sorted(losses, reverse=True)


def test_curve_leads_to_the_decision_that_was_made_there(page_of: Open) -> None:
    page = page_of()
    box = page.locator(".graph svg").bounding_box()
    cells = page.locator("a.cell[data-x]")
    middle = cells.nth(cells.count() // 2)
    at = float(middle.get_attribute("data-x")) / 1000
    page.mouse.click(box["x"] + at * box["width"], box["y"] + box["height"] / 2)
    assert page.locator("a.now").get_attribute("href") == middle.get_attribute("href")


def test_a_finger_on_the_curve_is_told_where_it_would_lead(page_of: Open) -> None:
    page = page_of(viewport=PHONE, is_mobile=True, has_touch=True)
    mark = page.locator(".graph svg a").first
    mark.scroll_into_view_if_needed()
    box, hash = mark.bounding_box(), mark.get_attribute("href")
    page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + 12)
    link = page.locator(".at a")
    assert link.get_attribute("href") == hash
    assert re.fullmatch(r"game \d+, .+: .+", link.inner_text())
    assert link.bounding_box()["height"] >= 40
    assert mark.bounding_box() == box
    assert page.locator("a.now").count() == 0
    link.tap()
    assert page.locator("a.now").get_attribute("href") == hash
    # Who taps it again goes there, too.
    page.keyboard.press("Escape")
    mark.scroll_into_view_if_needed()
    box = mark.bounding_box()
    page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + 2)
    assert page.locator("a.now").get_attribute("href") == hash


def test_graphs_say_values_and_lead_to_their_moves(page_of: Open) -> None:
    page = page_of()
    page.locator("summary", has_text="Errors and luck").click()
    for title in ("Errors", "Luck"):
        spots = page.locator(f".graphs [aria-label='{title}'] a")
        last = spots.nth(spots.count() - 1)
        assert re.search(r"game \d+, move \d+, .*so far", last.locator("title").text_content())
        last.hover()
        assert last.locator("circle").evaluate("spot => getComputedStyle(spot).fillOpacity") == "0.3"
        last.click()
        assert page.locator("a.now").get_attribute("href") == last.get_attribute("href")
    bars = page.locator(".graphs [aria-label='Sizes of errors'] rect title").all_text_contents()
    assert bars
    assert all(re.search(r"\d plays?, \d+ cube decisions?, ", said) for said in bars)


def test_quiz_hides_the_answer_until_one_is_chosen(page_of: Open, analysed: AnalysedMatch) -> None:
    page = page_of()
    worst = max(analysed.decisions, key=lambda d: d.error)
    page.keyboard.press("h")
    assert page.locator(".answer").is_hidden()
    assert "sp-best" not in page.locator("aside .picture svg").inner_html()
    assert not page.locator("a.now .loss").first.is_visible()
    choices = page.locator(".question div button").all_inner_texts()
    best = str(worst.plays[0].play) if worst.plays else worst.best
    assert len(choices) == (min(len(worst.plays), 7) if worst.plays else 2)
    page.get_by_role("button", name=best, exact=True).click()
    assert page.locator("p.question").inner_text().startswith(f"{best}: right. 1 of 1 right, 0.000 lost.")
    assert page.locator(".answer").is_visible()
    page.keyboard.press("n")
    if page.locator(".question div button").count():
        page.keyboard.press("h")
        assert page.locator(".answer").is_visible()
    page.keyboard.press("h")
    assert page.locator("html.quiz").count() == 0


def test_ids_are_copied(page_of: Open) -> None:
    page = page_of("#a2", permissions=["clipboard-read", "clipboard-write"])
    for key, start in (("x", "XGID="), ("g", "")):
        page.keyboard.press(key)
        code = page.locator("aside code").nth("xg".index(key)).inner_text()
        page.wait_for_selector(".tools .done")
        assert page.evaluate("navigator.clipboard.readText()") == code
        assert code.startswith(start)


# Phones, paper, no script.


@pytest.mark.parametrize("size", [PHONE, NARROW])
def test_phone_shows_losses_and_plies_without_scrolling_aside(page_of: Open, size: dict[str, int]) -> None:
    page = page_of(viewport=size, is_mobile=True, has_touch=True)
    page.locator(".row .loss").first.tap()
    assert page.locator(".games section.d").count() == 1
    assert page.locator(".row .loss").first.is_visible()
    assert page.locator(".plays tbody td:last-child").first.is_visible()
    sizes = page.evaluate(
        "[document.documentElement, ...document.querySelectorAll('.d .tables,.row,.cell')]"
        ".filter(part => part.scrollWidth > part.clientWidth + 1).map(part => part.className)"
    )
    assert sizes == []
    page.locator("a.now").tap()
    assert page.locator(".games section.d").count() == 0


def test_light_or_dark_is_remembered(page_of: Open) -> None:
    page = page_of(color_scheme="light")
    background = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(background)
    page.click("[data-key=t]")
    dark = page.evaluate(background)
    page.reload()
    assert page.evaluate(background) == dark != light
    page.keyboard.press("t")
    page.reload()
    assert page.evaluate(background) == light


@pytest.mark.parametrize("touch", [False, True])
def test_a_link_to_a_move_shows_its_heading_below_the_bar(page_of: Open, touch: bool) -> None:
    page = page_of("#a3", viewport=PHONE, is_mobile=True, has_touch=touch)
    page.wait_for_function("scrollY > 0")
    bar, heading = page.locator(".bar").bounding_box(), page.locator("section.d h3").bounding_box()
    assert heading["y"] > bar["y"] + bar["height"]


def test_the_bar_is_one_line_on_a_desk(page_of: Open, analysed: AnalysedMatch, tmp_path: Path) -> None:
    place = tmp_path / "german.html"
    place.write_text(render_html(analysed, language="de"))
    # As wide as 1200 pixels leave it beside the button of a file that another program has analysed.
    page = page_of(path=place, viewport={"width": 1132, "height": 800})
    for where, text in (
        (".bar [data-player] span", "Maxence Job"),
        (".bar small", "15"),
        (".bar .found", "15 gefunden"),
    ):
        page.locator(where).evaluate_all("(found, text) => found.forEach((each) => (each.textContent = text))", text)
    assert len({round(each.bounding_box()["y"]) for each in page.locator(".bar button").all()}) == 1


@pytest.mark.parametrize(("width", "lines"), [(1000, 1), (800, 1), (500, 2), (320, 2)])
def test_the_bar_wraps_between_what_is_shown_and_what_is_gone_through(
    page_of: Open, analysed: AnalysedMatch, tmp_path: Path, width: int, lines: int
) -> None:
    place = tmp_path / "german.html"
    place.write_text(render_html(analysed, language="de"))
    page = page_of(path=place, viewport={"width": width, "height": 800})
    parts = page.locator(".bar div > .part").all()
    rows = [[round(each.bounding_box()["y"]) for each in part.locator("button").all()] for part in parts]
    assert [len({*row}) for row in rows] == [1, 1]
    assert len({*rows[0], *rows[1]}) == lines
    assert page.evaluate("document.documentElement.scrollWidth") == width


def test_a_name_without_blanks_stays_within_the_page(page_of: Open, analysed: AnalysedMatch, tmp_path: Path) -> None:
    place = tmp_path / "long.html"
    place.write_text(render_html(replace(analysed, match=replace(analysed.match, players=(Player("W" * 150),) * 2))))
    page = page_of("#a1", path=place)
    cut = "(found) => found.filter((each) => each.scrollWidth > each.clientWidth).map((each) => each.outerHTML)"
    assert page.locator("section.d h3, .game > summary .soft, .note").evaluate_all(cut) == []


def test_what_is_tapped_is_large_enough_for_a_finger(page_of: Open) -> None:
    page = page_of(viewport=PHONE, is_mobile=True, has_touch=True)
    boxes = [each.bounding_box() for each in page.locator(".bar button:visible, a.cell:visible").all()]
    assert min(box["height"] for box in boxes) >= 40
    assert min(page.locator(".bar button", has_text=each).bounding_box()["width"] for each in "‹›◐") >= 40
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]


def test_the_bar_leaves_room_on_a_phone_with_doubled_text(page_of: Open) -> None:
    page = page_of("#a3", viewport={"width": 180, "height": 320})
    assert page.evaluate("document.documentElement.scrollWidth") == 180
    assert page.locator(".bar").bounding_box()["height"] < 320 / 5
    page.keyboard.press("n")
    page.locator(".bar button").last.click()
    page.locator(".bar button", has_text="›").click()
    page.keyboard.press("?")
    assert page.evaluate("document.documentElement.scrollWidth") == 180


@pytest.mark.parametrize(("width", "media"), [(360, "screen"), (700, "print")])
def test_no_table_of_statistics_is_cut(page_of: Open, width: int, media: str) -> None:
    page = page_of(viewport={"width": width, "height": 850})
    page.locator(".stats summary").first.click()
    page.emulate_media(media=media)
    tables = page.locator(".stats .tables")
    assert tables.count() > 6
    assert tables.evaluate_all("all => all.filter(one => one.scrollWidth > one.clientWidth).length") == 0
    last = page.locator(".by-game tbody td:last-child").first
    assert last.is_visible()
    # The luck of the second player stands below or beside that of the first, below the same heading.
    first = page.locator(".by-game tbody tr").first.locator("td").nth(5).bounding_box()
    box = last.bounding_box()
    assert (box["x"] == first["x"]) == (media == "screen")
    assert (box["y"] == first["y"]) == (media == "print")


def test_paper_holds_statistics_and_errors(page_of: Open, analysed: AnalysedMatch) -> None:
    page = page_of()
    errors = {(d.game, d.action) for d in analysed.decisions if d.skill}
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator(".stats table").first.is_visible()
    assert page.locator(".games section.d:visible").count() == len(errors)
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator(".games section.d").count() == 0
    plain = page_of(java_script_enabled=False)
    plain.emulate_media(media="print")
    assert plain.locator(".stats table").first.is_visible()
    assert plain.locator(".games section.d:visible").count() == len(errors)
    assert plain.locator("#t-pr").is_visible()


def test_page_is_read_without_script(page_of: Open, analysed: AnalysedMatch) -> None:
    page = page_of(java_script_enabled=False)
    assert page.locator(".bar").is_hidden()
    edges = [page.locator(f"{where} >> nth=0").bounding_box()["x"] for where in ("main .card", "footer p")]
    assert edges[0] == edges[1]
    cell = page.locator("a.cell").nth(4)
    cell.click()
    turn = page.locator("section.d:visible")
    assert turn.get_attribute("id") == cell.get_attribute("href")[1:]
    assert turn.locator("svg.sp-board").is_visible()
    assert turn.locator("code").count() == 2
    page.locator(".pr .term").first.click()
    assert page.locator("#t-pr").is_visible()
    assert page.locator("#t-ply").is_hidden()


def test_long_sessions_have_pictures_of_errors_and_the_script_draws_the_rest(page_of: Open, tmp_path: Path) -> None:
    long = make_match(length=0, games=13, turns=4)
    (tmp_path / "long.html").write_text(render_html(long), encoding="utf-8")
    page = page_of(path=tmp_path / "long.html")
    right = page.locator("a.cell[data-k$='p0']:not([data-k*=' '])").first
    right.evaluate("cell => cell.closest('details').open = true")
    right.click()
    drawn = page.locator("aside svg.sp-board")
    assert drawn.is_visible()
    assert "pips" in drawn.get_attribute("aria-label")
    assert page.locator("aside .chances rect").first.is_visible()


def test_page_of_no_games_opens(page_of: Open, analysed: AnalysedMatch, tmp_path: Path) -> None:
    nothing = replace(analysed, match=replace(analysed.match, games=()), games=())
    (tmp_path / "none.html").write_text(render_html(nothing), encoding="utf-8")
    page = page_of(path=tmp_path / "none.html")
    for key in "npaebcwhfmxgt?":
        page.keyboard.press(key)
    assert page.locator(".empty").is_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_index_of_many_matches_is_read_on_a_phone(
    page_of: Open, analysed: AnalysedMatch, tmp_path: Path, scheme: str
) -> None:
    places = {(each.game, each.action): "a0" for each in analysed.decisions}
    records = [
        record_of(analysed, f"{number} of a long name, 2023-09-12.mat", NAMES, (4, 7), f"#{number}.html", places)
        for number in range(3)
    ]
    records[2] = replace(records[2], players=("Somebody whose name is rather long", NAMES[1]))
    path = tmp_path / "index.html"
    path.write_text(render_index(records), encoding="utf-8")
    page = page_of(path=path, viewport={"width": 360, "height": 800}, color_scheme=scheme)
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    wide = "all => all.filter(one => one.scrollWidth > one.clientWidth).map(one => one.ariaLabel)"
    assert page.locator(".scroll").evaluate_all(wide) == ["Players"]
    assert page.locator("#players tbody td").first.bounding_box()["x"] < 250
    assert page.locator(".worst td").evaluate_all(wide) == []
    assert page.locator(".worst a").first.get_attribute("href") == "%230.html#a0"
    assert violations(page) == []
