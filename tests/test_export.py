"""Exports: what is said, by which options, and in which layout."""

from __future__ import annotations

import dataclasses
import difflib
import re
import shutil
import subprocess
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from fake_engine import FakeEngine, always, beavered_game, match_of

from sixprime import Engine, Player, SettingsError, analyse, formats, parse, read
from sixprime.analysis.analyse import analyse as analyse_match
from sixprime.analysis.depth import Depth
from sixprime.analysis.foreign import foreign
from sixprime.analysis.kept import own_analysis, with_analysis
from sixprime.analysis.model import AnalysedMatch, DecisionKind
from sixprime.analysis.single import judged_position, position_match, unjudged
from sixprime.cube.met import load
from sixprime.formats import read_text
from sixprime.game.numbering import action_at
from sixprime.game.record import ActionKind
from sixprime.game.state import MatchState
from sixprime.paths import sample_match
from sixprime.report.export import ExportOptions, export, pdf, render
from sixprime.report.export.board import board_text
from sixprime.report.export.forms import Job
from sixprime.report.export.options import RULES
from sixprime.report.export.templating import templates_of
from sixprime.settings.tree import SECTIONS

DATA = Path(__file__).parent / "data"
GNUBG = shutil.which("gnubg", path="/usr/games:/usr/local/bin:/usr/bin:/opt/homebrew/bin")
PLAIN = ExportOptions(date=False)
KINDS = ("gnu", "bbs", "fibs2html")


@cache
def analysed() -> AnalysedMatch:
    """GNU Backgammon's own analysis of a match of six games."""
    return foreign(read(DATA / "sgf" / "analysed.sgf"))


@cache
def rolled_out() -> AnalysedMatch:
    return foreign(read(DATA / "sgf" / "rollouts.sgf"))


def texts(of: AnalysedMatch, form: str = "text", options: ExportOptions = PLAIN, **more: Any) -> list[str]:
    return [str(content) for _, content in render(of, form, f"x.{form}", options, **more)]


# Options.


def test_settings_and_options_have_the_same_names() -> None:
    names = [each.name for each in dataclasses.fields(ExportOptions)]
    assert names == [each.name for each in dataclasses.fields(SECTIONS["export"])]
    assert names == list(RULES)


def test_defaults_that_settings_print_are_those_of_the_options() -> None:
    for each in dataclasses.fields(SECTIONS["export"]):
        default = getattr(ExportOptions(), each.name)
        if default != "":
            assert each.metadata["built_in"] == str(default).lower(), each.name


def test_defaults_are_those_of_gnu_backgammon() -> None:
    """As `show export` of 1.07 says them: all shown but the parameters of evaluations, five moves, every board."""
    default = ExportOptions()
    off = {name for name, value in dataclasses.asdict(default).items() if value is False}
    assert off == {"moves_evaluation", "cube_evaluation", "output_mwc", "output_winpc", "clockwise"}
    assert (default.moves_number, default.board, default.player) == (5, 1, "both")
    assert (default.html_type, default.html_css, default.html_pictureurl) == ("gnu", "head", "html-images/")
    assert (108 * default.html_size, 82 * default.png_size) == (432, 328)


@pytest.mark.parametrize(
    "wrong",
    [
        {"board": -1},
        {"moves_number": 2.5},
        {"html_type": "gif"},
        {"html_css": None},
        {"player": "2"},
        {"png_size": 21},
        {"cube_bad": 1},
        {"output_digits": 7},
        {"output_errorratefactor": 0},
        {"output_mwc": "yes"},
    ],
    ids=str,
)
def test_options_out_of_range(wrong: dict[str, Any]) -> None:
    with pytest.raises(SettingsError, match=next(iter(wrong))):
        ExportOptions(**wrong)


# Text, beside what GNU Backgammon writes of the same analyses.

_OTHER = re.compile(r"Date:|Match ID|Snowie error rate|Output generated|by (GNU Backgammon|Sixprime)")
_ROLLOUT = re.compile(r"Truncated|gnubg owns|Centered|(No double|Double, take):|Players:|(Play|Cube): 0-ply|36 games")
"""How a rollout was made, in other words."""


def unlike(ours: str, theirs: str) -> list[str]:
    """Lines of one text that the other does not have, in order, without those that differ on purpose."""
    left, right = ([line.rstrip() for line in text.splitlines() if not _OTHER.search(line)] for text in (ours, theirs))
    rest = Counter(left)
    rest.subtract(Counter(right))
    return [f"{'<' if count > 0 else '>'} {line}" for line, count in rest.items() if count]


def test_text_is_laid_out_as_gnu_backgammon_does() -> None:
    (ours,) = texts(rolled_out())
    theirs = (DATA / "export" / "rollouts.txt").read_text()
    found = [line for line in unlike(ours, theirs) if not _ROLLOUT.match(line[2:].lstrip()) and line[2:]]
    assert found == []
    # The order of the lines, too: whatever both have stands in the same order.
    left, right = ([line for line in text.splitlines() if line and not _OTHER.search(line)] for text in (ours, theirs))
    both = set(left) & set(right)
    assert [line for line in left if line in both] == [line for line in right if line in both]
    assert len(both) > 300


def test_match_winning_chances_are_those_of_the_table_that_judged() -> None:
    options = dataclasses.replace(PLAIN, output_mwc=True)
    match = read(DATA / "sgf" / "rollouts.sgf")
    (rightly,) = texts(foreign(match, met=load("woolsey")), options=options)
    (usually,) = texts(foreign(match), options=options)
    # As GNU Backgammon 1.07 writes them with that table.
    for text in ("Rollout cubeless MWC  55.47% (Money: +0.693)", "CL  62.10% CF  59.62%"):
        assert text in rightly
        assert text not in usually


def test_an_analysis_names_the_table_that_judged() -> None:
    woolsey = load("woolsey")
    with Engine(plies=0, met=woolsey) as engine:
        judged = analyse(read(sample_match()), engine)
    options = dataclasses.replace(PLAIN, output_mwc=True)
    rightly = texts(judged, options=options)
    # Documents of before name it by their label alone, or not at all.
    before = dataclasses.replace(judged, met=None)
    nameless = dataclasses.replace(before, label="")
    assert rightly == texts(before, options=options) == texts(nameless, options=options, met=woolsey)
    assert rightly != texts(nameless, options=options)
    again = own_analysis(with_analysis(judged))
    assert again is not None
    assert again.label == judged.label
    for one, other in zip(judged.decisions, again.decisions, strict=True):
        assert other.error == pytest.approx(one.error, abs=1e-6)


def test_plays_without_the_cube_are_called_so() -> None:
    told = dataclasses.replace(PLAIN, moves_evaluation=True)
    text = (DATA / "sgf" / "analysed.sgf").read_text(encoding="utf-8")
    theirs = foreign(read_text(re.sub(r"(\[\w+ E ver 3(?: [-.\d]+){6}) (\d)C 0 1 0\.0+", r"\1 \2 0 1 0.04", text)))
    ours = dataclasses.replace(
        analysed(), label="0-ply-normal+cubeless@8, net ab", depths=(Depth(), Depth()), settings=""
    )
    again = own_analysis(with_analysis(ours))
    assert again is not None
    for judged, noise in ((theirs, ", noise 0.04 (d)"), (ours, ""), (again, "")):
        text = "".join(texts(judged, options=told))
        assert re.search(rf"Cubeless (\d)-ply .*\n.*\n +\1-ply cubeless{re.escape(noise)} \[", text)
        assert "Cubeful 0-ply" not in text
        assert re.search(r"^Cubeful equities:", text, re.M)
    assert "Cubeless" not in "".join(texts(analysed(), options=told))
    (kept,) = formats.render([with_analysis(ours)], "sgf")
    assert re.search(r"\b[^D]A\[\d\](?:\[\w+ E ver 3(?: [-.\d]+){6} \d 0 1 [.0]+ 0\])+", str(kept))


@pytest.mark.skipif(GNUBG is None, reason="GNU Backgammon is not installed")
def test_text_is_that_of_the_installed_gnu_backgammon(tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text(f'load match "{DATA / "sgf" / "analysed.sgf"}"\nexport match text "{tmp_path / "g.txt"}"\n')
    with script.open() as words:
        subprocess.run([GNUBG, "-t", "-q", "-r"], stdin=words, capture_output=True, check=True, timeout=60)
    ours = texts(analysed())
    theirs = [path.read_text() for path in sorted(tmp_path.glob("g*.txt"))]
    assert len(ours) == len(theirs) == 6
    lines = sum(len(text.splitlines()) for text in theirs)
    found = [line for pair in zip(ours, theirs, strict=True) for line in unlike(*pair)]
    assert lines > 9000
    # Ties, and the last digit of single precision.
    assert len(found) <= 20, "\n".join(found)


# Every option says something, in some form.


_LENGTH = 24
"""Actions of each game that are kept."""


@cache
def annotated() -> AnalysedMatch:
    """Beginnings of two games with what options choose from: comments, information, names that mean something."""
    whole = analysed()
    games, judged = [], []
    for game, of_game in zip(whole.match.games[:2], whole.games[:2], strict=True):
        first, *rest = game.actions[:_LENGTH]
        few = tuple(decision for decision in of_game.decisions if decision.action < _LENGTH)
        judged.append(dataclasses.replace(of_game, decisions=few))
        comment = "A note: <b>5 & 6</b>\n# 100% {of} \\it (all) [x](y) $1_2 *z*"
        games.append(dataclasses.replace(game, actions=(dataclasses.replace(first, comment=comment), *rest)))
    match = dataclasses.replace(
        whole.match,
        games=tuple(games),
        players=(Player("Ann & <Bo>"), Player("Zoë_{%} 王")),
        info={"event": 'Cup "A" <1>', "date": "2026-11-21"},
    )
    return dataclasses.replace(whole, match=match, games=tuple(judged))


OTHERWISE: dict[str, tuple[str, dict[str, Any]]] = {
    "annotations": ("text html latex markdown csv ps pdf bgonline", {"annotations": False}),
    "analysis": ("text html latex markdown csv ps pdf xg bgonline svg", {"analysis": False}),
    "statistics": ("text html latex markdown ps pdf", {"statistics": False}),
    "matchinfo": ("text html latex markdown ps pdf", {"matchinfo": False}),
    "date": ("text html latex markdown ps pdf bgonline", {"date": True}),
    "board": ("text html latex markdown ps pdf svg bgonline", {"board": 7}),
    "player": ("text html latex markdown csv ps pdf svg xg bgonline", {"player": "1"}),
    "links": ("html", {"links": False}),
    "moves_number": ("text html latex markdown csv ps pdf xg bgonline", {"moves_number": 1}),
    "moves_probabilities": ("text html latex markdown csv ps pdf xg bgonline", {"moves_probabilities": False}),
    "moves_evaluation": ("text html latex markdown ps pdf bgonline", {"moves_evaluation": True}),
    "moves_rollout": ("text html latex markdown ps pdf bgonline", {"moves_rollout": False}),
    "moves_verybad": ("text html latex markdown csv ps pdf xg bgonline", {"moves_verybad": False}),
    "moves_bad": ("text html latex markdown csv ps pdf xg bgonline", {"moves_bad": False}),
    "moves_doubtful": ("text html latex markdown csv ps pdf xg bgonline", {"moves_doubtful": False}),
    "moves_unmarked": ("text html latex markdown csv ps pdf xg bgonline", {"moves_unmarked": False}),
    "cube_probabilities": ("text html latex markdown csv ps pdf xg bgonline", {"cube_probabilities": False}),
    "cube_evaluation": ("text html latex markdown ps pdf bgonline", {"cube_evaluation": True}),
    "cube_rollout": ("text html latex markdown ps pdf bgonline", {"cube_rollout": False}),
    "html_type": ("html", {"html_type": "fibs2html"}),
    "html_css": ("html", {"html_css": "inline"}),
    "html_pictureurl": ("html bgonline", {"html_pictureurl": "https://example.org/p/"}),
    "html_size": ("html", {"html_size": 2}),
    "png_size": ("png", {"png_size": 2}),
    "output_mwc": ("text html latex markdown ps pdf bgonline", {"output_mwc": True}),
    "output_matchpc": ("text html latex markdown ps pdf", {"output_matchpc": False}),
    "output_winpc": ("text html latex markdown ps pdf bgonline", {"output_winpc": True}),
    "output_digits": ("text html latex markdown ps pdf bgonline", {"output_digits": 4}),
    "output_errorratefactor": ("text html latex markdown ps pdf", {"output_errorratefactor": 500.0}),
    "ratingoffset": ("text html latex markdown ps pdf", {"ratingoffset": 1500.0}),
    "clockwise": ("text latex markdown ps pdf svg", {"clockwise": True}),
}
CUBES = {
    "cube_verybad": {"cube_verybad": False},
    "cube_bad": {"cube_bad": False},
    "cube_doubtful": {"cube_doubtful": False},
    "cube_unmarked": {"cube_unmarked": False},
    "cube_actual": {"cube_actual": False},
    "cube_missed": {"cube_missed": False},
    "cube_close": {"cube_close": False},
}


def made(of: AnalysedMatch, form: str, options: ExportOptions, **more: Any) -> object:
    """What an export is made of: for PDF, which takes long, what typst is given."""
    if form == "pdf":
        return pdf.typst_text(Job(of, "x.pdf", options, templates_of(), **more))
    return list(render(of, form, "x", options, **more))


@cache
def by_default(rolled: bool, form: str) -> object:
    return made(
        rolled_out() if rolled else annotated(), form, PLAIN, **({"move": 5, "game": 1} if form == "png" else {})
    )


@pytest.mark.parametrize("option", OTHERWISE)
def test_every_option_changes_the_exports_it_is_for(option: str) -> None:
    forms, changed = OTHERWISE[option]
    rolled = option.endswith("_rollout")
    for form in forms.split():
        more: dict[str, Any] = {"move": 5, "game": 1} if form == "png" else {}
        other = made(rolled_out() if rolled else annotated(), form, dataclasses.replace(PLAIN, **changed), **more)
        assert other != by_default(rolled, form), form


def cubes_shown(options: ExportOptions) -> int:
    return "".join(texts(analysed(), options=options)).count("Cube analysis")


@pytest.mark.parametrize("option", CUBES)
def test_options_of_cubes_choose_by_mark_and_by_kind(option: str) -> None:
    nothing = dataclasses.replace(PLAIN, **dict.fromkeys(CUBES, False), statistics=False, board=0)
    all_others = dataclasses.replace(PLAIN, statistics=False, board=0, **CUBES[option])
    assert cubes_shown(nothing) == 0
    assert cubes_shown(dataclasses.replace(nothing, **{option: True})) > 0
    # Whatever is actual, missed or close is shown by its mark, too, unless it has none.
    if option == "cube_unmarked":
        assert cubes_shown(all_others) < cubes_shown(dataclasses.replace(all_others, cube_unmarked=True))


def test_every_field_is_looked_at() -> None:
    assert {*OTHERWISE, *CUBES, "folder"} == set(RULES)


def test_match_winning_chances_stand_where_equities_did() -> None:
    """Each row has the chance that the analysis knows; differences are those of the rows."""
    (text, *_) = texts(annotated(), options=dataclasses.replace(PLAIN, output_mwc=True, moves_number=2))
    plays = [each.plays for each in annotated().games[0].decisions if each.kind is DecisionKind.PLAY and each.plays]
    listed = re.findall(r"^[* ] {4}1\. .* MWC: +(\d+\.\d\d)%$", text, re.MULTILINE)
    assert listed == [f"{100 * (ranked[0].mwc or 0):.2f}" for ranked in plays if ranked[0].play.steps]
    seconds = re.findall(r"^[* ] {4}2\. .* MWC: +(\d+\.\d\d)% \( *(-?\+?\d+\.\d\d)%\)$", text, re.MULTILINE)
    pairs = [(ranked[0].mwc or 0, ranked[1].mwc or 0) for ranked in plays if len(ranked) > 1]
    assert [float(lost) for _, lost in seconds] == pytest.approx([100 * (b - a) for a, b in pairs], abs=0.006)
    assert "cubeless MWC" in text
    assert "Eq.:" not in text


def test_rates_say_what_they_are_multiplied_with() -> None:
    pages = texts(annotated(), options=dataclasses.replace(PLAIN, output_errorratefactor=1.0))
    usual = texts(annotated())
    rate, known = (re.findall(r"Error rate (\S.*?) \(MWC\) +(\S+)", page[-1]) for page in (pages, usual))
    assert {label for label, _ in rate} == {"EMG x 1"}
    assert {label for label, _ in known} == {"mEMG"}
    assert [1000 * float(value) for _, value in rate] == pytest.approx([float(value) for _, value in known], abs=0.11)


def test_boards_clockwise_are_those_of_gnu_backgammon() -> None:
    """What `set clockwise on` makes `show board` of 1.07 print, but for the length of the match and the cube."""
    found = parse("AwAAwAIAAAAAAA")
    rows = board_text(found.position, MatchState(on_roll=1), ("gnubg", "root"), clockwise=True, pips=False)
    assert rows.splitlines()[2:] == [
        "    +24-23-22-21-20-19------18-17-16-15-14-13-+  O: gnubg",
        "OOO | O                |   |                  |  0 points",
        "OOO | O                |   |                  |  ",
        "OOO |                  |   |                  |  ",
        " OO |                  |   |                  |  ",
        " OO |                  |   |                  |  ",
        "    |                  |BAR|                  |v (Cube: 1)",
        " XX |                  |   |                  |  ",
        " XX |                  |   |                  |  ",
        " XX |                  |   |                  |  ",
        "XXX |          X       |   |                  |  On roll",
        "XXX |          X  X    |   |                  |  0 points",
        "    +-1--2--3--4--5--6-------7--8--9-10-11-12-+  X: root",
    ]


def test_pictures_that_play_the_other_way_are_refused() -> None:
    with pytest.raises(SettingsError, match="clockwise: the pictures of html_type gnu"):
        render(annotated(), "html", "x.html", dataclasses.replace(PLAIN, clockwise=True))
    for kind in ("svg", "bbs"):
        assert render(annotated(), "html", "x.html", dataclasses.replace(PLAIN, clockwise=True, html_type=kind))


def test_a_file_without_a_folder_goes_into_that_of_the_options(tmp_path: Path) -> None:
    options = dataclasses.replace(PLAIN, folder=str(tmp_path / "new"))
    assert export(annotated(), "a.csv", options) == [tmp_path / "new" / "a.csv"]
    assert export(annotated(), tmp_path / "b.csv", options) == [tmp_path / "b.csv"]


def test_the_file_that_is_read_is_not_replaced(tmp_path: Path, sixprime) -> None:
    first, second = tmp_path / "a.txt", tmp_path / "b_002.txt"
    for path in (first, second):
        path.write_bytes(sample_match().read_bytes())
        refused = sixprime("export", str(path), "--plies", "0", "-o", str(tmp_path / f"{path.stem[0]}.txt"))
        assert refused.status != 0
        assert f"{path} would replace the file that the match is from" in refused.err
        assert path.read_bytes() == sample_match().read_bytes()
    assert not (tmp_path / "b.txt").exists()


# Games and positions.


def test_a_game_and_a_position_alone() -> None:
    (second,) = texts(annotated(), game=2)
    assert "Game statistics for game 2" in second
    # The text counts every turn, reports the rows of both players.
    (one,) = texts(annotated(), game=2, move=3, player=1)
    assert one.count("Move number") == 1
    place = action_at(annotated().match, 2, 3, 1)[1]
    assert f"Move number {place + 1}:" in one
    assert "statistics" not in one
    (drawn,) = texts(annotated(), "svg", dataclasses.replace(PLAIN, board=0), game=2, move=3)
    assert drawn.startswith("<svg")


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"game": 7}, "there is no game 7; the games are 1 to 2"),
        ({"game": 2, "move": 500, "player": 1}, "there is no move 500 of player 2 in game 2, which has"),
        ({"game": 1, "move": 500}, "there is no move 500 in game 1, which has"),
    ],
    ids=str,
)
def test_what_is_not_there_is_refused(more: dict[str, int], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        texts(annotated(), **more)


def test_a_position_nobody_played() -> None:
    parsed = parse("4HPwATDgc/ABMA:cAnvAAAAAAAE")
    match = position_match(parsed.position, parsed.state)
    (bare,) = texts(unjudged(match))
    assert "Move number 1:  Player 2 to play 63" in bare
    assert "Eq.:" not in bare
    with Engine(plies=0, threads=1) as engine:
        (text,) = texts(judged_position(match, engine))
        assert text.count("Eq.:") == 5
        assert "*    " not in text
        state = parsed.state.with_dice(None)
        (cube,) = texts(judged_position(position_match(parsed.position, state), engine))
        assert "Proper cube action: No double, take" in cube
        assert "Alert" not in cube


def test_answers_to_beavers_are_told_as_such() -> None:
    game = beavered_game(ActionKind.BEAVER, ActionKind.TAKE).game()
    (text,) = texts(analyse_match(match_of(game, length=0), FakeEngine(cube=always(0.1, -0.2))))
    told = [
        "Bob doubles to 2 * Ann beavers Proper cube action: No double, take",
        "Ann doubles to 4 * Bob raccoons Alert: wrong raccoon (-0.200)! Proper cube action: Take",
        "Bob doubles to 8 * Ann accepts Alert: wrong take (-0.200)! Proper cube action: Raccoon",
    ]
    kept = re.findall(r"\w+ doubles to \d+|^\* .*|^Alert.*|^Proper cube action: .*", text, re.MULTILINE)
    assert " ".join(line.strip() for line in kept).endswith(" ".join(told))
    assert "1. Take                -0.200\n2. Raccoon             -0.400  (-0.200)" in text


# HTML.

MANUAL = """movetable moveheader movenumber moveply movemove moveequity movethemove moveodd percent blunder joker
stattable stattableheader result tiny cubedecision cubedecisionheader cubeequity cubeaction cubeply cubeprobs comment
commentheader number fontfamily block positionid"""


def html(**options: Any) -> dict[str, str | bytes]:
    return dict(render(annotated(), "html", "x.html", dataclasses.replace(PLAIN, **options)))


def tree(page: str | bytes) -> ElementTree.Element:
    text = str(page)
    return ElementTree.fromstring(text[text.index("<html") :].replace("&nbsp;", " ").replace("&bull;", "*"))


def test_html_has_the_classes_of_the_manual_and_says_all_its_pictures() -> None:
    files = html()
    pages = [tree(files[name]) for name in ("x.html", "x_002.html")]
    sheet = set(re.findall(r"^\.(\w+) ", str(files["x.html"]), re.MULTILINE))
    assert len(MANUAL.split()) == 27
    assert set(MANUAL.split()) <= sheet
    used = {name for page in pages for each in page.iter() for name in each.get("class", "").split()}
    unused = {"tiny", "number", "percent", "result"}
    assert set(MANUAL.split()) - unused <= used <= sheet
    sources = {each.get("src") for page in pages for each in page.iter() if each.tag.endswith("img")}
    assert sources == {name for name in files if name.endswith(".png")}
    assert all(bytes(files[str(name)]).startswith(b"\x89PNG") for name in sources)  # type: ignore[arg-type]
    links = [each.get("href") for each in pages[1].iter() if each.tag.endswith("}a") and each.get("href")]
    assert links == ["x.html", "x.html", "x_002.html"] * 2


def test_html_escapes_what_files_say() -> None:
    page = html(html_type="svg")["x.html"]
    text = "".join(tree(page).itertext())
    assert "Ann & <Bo>" in text
    assert "<b>5 & 6</b>" in text
    assert 'Cup "A" <1>' in text


def test_style_sheets_in_files_and_elements() -> None:
    outside = html(html_css="external")
    assert ".movetable {" in str(outside["gnubg.css"])
    assert ".movetable {" not in str(outside["x.html"])
    inside = str(html(html_css="inline")["x.html"])
    assert "class=" not in inside
    assert 'style="background-color: #89d0e2; padding: 0.5em; width: 5em' in inside


def test_pictures_elsewhere_are_not_written() -> None:
    assert not [name for name in html(html_pictureurl="https://example.org/p/") if name.endswith("png")]
    assert "pics/b-midrb.png" in html(html_pictureurl="pics/")
    with pytest.raises(SettingsError, match="html_pictureurl must end with a slash"):
        html(html_pictureurl="pics")


@pytest.mark.skipif(GNUBG is None, reason="GNU Backgammon is not installed")
def test_html_is_that_of_the_installed_gnu_backgammon(tmp_path: Path) -> None:
    script = tmp_path / "script"
    lines = [f'load match "{DATA / "sgf" / "analysed.sgf"}"', "first game"]
    lines += [f'set export html type {kind}\nexport game html "{tmp_path / kind}.html"' for kind in KINDS]
    script.write_text("\n".join(lines) + "\n")
    with script.open() as words:
        subprocess.run(
            [GNUBG, "-t", "-q", "-r"], stdin=words, capture_output=True, check=True, timeout=60, cwd=tmp_path
        )
    url = {"html_pictureurl": "html-images/"}
    for kind in KINDS:
        options = dataclasses.replace(PLAIN, html_type=kind, links=False, **url)
        ((_, ours), *_) = render(analysed(), "html", "x.html", options, game=1)
        left, right = (
            [re.sub(" +alt", " alt", line.rstrip()) for line in text.splitlines() if line.strip()]
            for text in (str(ours), (tmp_path / f"{kind}.html").read_text())
        )
        left, right = (lines[lines.index("<!-- Header -->") :] for lines in (left, right))
        other = [line for line in difflib.ndiff(right, left) if line[0] in "+-"]
        assert len(right) > 4000
        assert len(other) < 260, "\n".join(other[:300])


def test_no_dot_of_a_pdf_is_without_length() -> None:
    """Typst draws nothing for a path that is one such dot: the die that shows 1, or the last chequer."""
    match = read_text(" 7 point match\n\n Game 1\n A : 0    B : 0\n  1) 61: 13/7 8/7    41: 24/23 13/9\n")
    text = pdf.typst_text(Job(unjudged(match), "x.pdf", ExportOptions(board=1), templates_of()))
    assert "h.01" in text
    assert re.search(r"\dh0[^.\d]", text) is None
