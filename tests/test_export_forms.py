"""Exports read by what they are made for: data frames, TeX, Ghostscript, typst, XG's reader; and templates."""

from __future__ import annotations

import csv
import dataclasses
import re
import shutil
import struct
import subprocess
from functools import cache
from io import StringIO
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from made_match import make_match

from sixprime import MatchReport, Player, SettingsError, read, read_all, settings
from sixprime.analysis.foreign import foreign
from sixprime.analysis.model import AnalysedMatch, DecisionKind
from sixprime.formats import read_text
from sixprime.report.export import FORMS, ExportOptions, export, form_for, render
from sixprime.report.export.pieces import PIECES, extent, piece_svg
from sixprime.report.export.tables import TYPES

DATA = Path(__file__).parent / "data"
PLAIN = ExportOptions(date=False)
_LENGTH = 12


@cache
def analysed() -> AnalysedMatch:
    return foreign(read(DATA / "sgf" / "analysed.sgf"))


@cache
def short() -> AnalysedMatch:
    """The beginning of a game with a comment and names that formats must not misread."""
    whole = analysed()
    game = whole.match.games[1]
    actions = game.actions[:_LENGTH]
    noted = dataclasses.replace(actions[0], comment='5 & 6 # 100% {of} \\it (all) "x" $1_2 *z* ~ ^ <b> | 王')
    match = dataclasses.replace(
        whole.match,
        games=(dataclasses.replace(game, actions=(noted, *actions[1:])),),
        players=(Player("Ann & <Bo>"), Player("Zoë_{%}\\ 王")),
    )
    few = tuple(dataclasses.replace(each, game=0) for each in whole.games[1].decisions if each.action < _LENGTH)
    return dataclasses.replace(whole, match=match, games=(dataclasses.replace(whole.games[1], decisions=few),))


def one(of: AnalysedMatch, form: str, options: ExportOptions = PLAIN, **more: Any) -> Any:
    ((_, content),) = render(of, form, f"x.{form}", options, **more)
    return content


def texts_of(of: AnalysedMatch, **more: Any) -> list[str]:
    return [str(content) for _, content in render(of, "text", "x.txt", PLAIN, **more)]


# Tables.


def test_csv_and_parquet_are_read_by_pandas_and_polars(tmp_path: Path) -> None:
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    pytest.importorskip("pyarrow")
    for suffix in ("csv", "parquet"):
        export(analysed(), tmp_path / f"x.{suffix}", PLAIN)
    frames = [pandas.read_csv(tmp_path / "x.csv"), pandas.read_parquet(tmp_path / "x.parquet")]
    tables = [polars.read_csv(tmp_path / "x.csv"), polars.read_parquet(tmp_path / "x.parquet")]
    for table in (*frames, *tables):
        assert len(table) == len(analysed().decisions)
        assert list(table.columns) == list(TYPES)
    for frame in frames:
        plays = frame[frame.kind == "play"]
        for player, statistics in enumerate(analysed().statistics):
            own = plays[(plays.side == player) & plays.counted]
            assert own.error.sum() == pytest.approx(statistics.chequer_error_total, abs=1e-4)
            assert len(own) == statistics.unforced_moves
            cubes = frame[(frame.side == player) & frame.kind.isin(["double", "take"])]
            assert cubes.error.sum() == pytest.approx(statistics.cube_error_total, abs=1e-4)
    assert tables[1].schema["crawford"] == polars.Boolean
    assert tables[1].schema["cube_owner"] == polars.String


def test_rows_are_those_that_options_show() -> None:
    options = dataclasses.replace(PLAIN, player="1", moves_unmarked=False, moves_probabilities=False, annotations=False)
    header, *lines = str(one(analysed(), "csv", options)).splitlines()
    names = header.split(",")
    assert "comment" not in names
    marked = [d for d in analysed().decisions if d.player == 1 and (d.skill or d.kind is not DecisionKind.PLAY)]
    assert len(lines) == len(marked)


def test_luck_of_a_table_adds_up_to_that_of_the_report(judged: MatchReport) -> None:
    """Rolls after which the game was resigned are no turns of a page, and count."""
    rows = list(csv.DictReader(StringIO(one(judged, "csv"))))
    assert len(rows) == len(judged.to_rows())
    for player, statistics in enumerate(judged.statistics):
        luck = sum(float(row["luck"] or 0) for row in rows if row["side"] == str(player))
        assert luck == pytest.approx(statistics.luck_total, abs=1e-4)
    few = list(csv.DictReader(StringIO(one(judged, "csv", dataclasses.replace(PLAIN, moves_unmarked=False)))))
    assert all(row["mark"] != "none" for row in few if row["kind"] == "play")


def test_a_table_of_one_move_leaves_out_how_the_game_ended(judged: MatchReport) -> None:
    rows = list(csv.DictReader(StringIO(one(judged, "csv", game=2, move=3, player=0))))
    assert {(row["game"], row["move"], row["side"]) for row in rows} == {("2", "3", "0")}


@pytest.mark.parametrize("name", ["=1+1", "+Ann", "-Ann", "@Ann", "Ann=", "'Ann"])
def test_no_text_is_a_formula_in_spreadsheets(name: str) -> None:
    told = short()
    match = dataclasses.replace(told.match, players=(Player(name), Player("Bob")))
    rows = list(csv.DictReader(StringIO(one(dataclasses.replace(told, match=match), "csv"))))
    names = {row["player"] for row in rows}
    assert names == {"Bob", name if name.startswith(("A", "'")) else f"'{name}"}
    assert any(row["equity"].startswith("-") for row in rows)


# Documents.


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
def test_latex_compiles(tmp_path: Path) -> None:
    export(short(), tmp_path / "x.tex", PLAIN)
    made = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "x.tex"],
        cwd=tmp_path,
        capture_output=True,
        timeout=100,
        check=False,
    )
    assert made.returncode == 0, made.stdout[-2000:]
    assert (tmp_path / "x.pdf").read_bytes().startswith(b"%PDF")


def test_pdf_is_set_and_the_same_without_a_date() -> None:
    pytest.importorskip("typst")
    made = [one(short(), "pdf") for _ in range(2)]
    assert made[0].startswith(b"%PDF")
    assert made[0] == made[1]
    assert len(re.findall(rb"/Type\s*/Page\b", made[0])) > 2


def test_postscript_is_drawn(tmp_path: Path) -> None:
    export(short(), tmp_path / "x.ps", PLAIN)
    text = (tmp_path / "x.ps").read_text("latin-1")
    pages = int(re.search(r"%%Pages: (\d+)", text)[1])  # type: ignore[index]
    assert pages == text.count("showpage") == text.count("%%Page: ")
    assert "Zo\xeb_{%}\\\\ ? " in text
    if (ghostscript := shutil.which("gs")) is None:
        return
    said = subprocess.run(
        [ghostscript, "-q", "-dNOPAUSE", "-dBATCH", "-dSAFER", "-sDEVICE=bbox", "x.ps"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    ).stderr
    boxes = [tuple(map(int, each.split())) for each in re.findall(r"%%BoundingBox: (.*)", said)]
    assert len(boxes) == pages
    assert all(0 < left < right < 595 and 0 < low < high < 842 for left, low, right, high in boxes)


def test_markdown_tables_are_whole() -> None:
    text = str(one(short(), "markdown"))
    assert "# Ann \\& \\<Bo\\> – Zoë\\_\\{%\\}\\\\ 王" in text
    blocks = [block.splitlines() for block in text.split("\n\n") if block.startswith("|")]
    assert len(blocks) > 10
    for header, rule, *rows in blocks:
        assert rows
        assert re.fullmatch(r"(\|:?-+:?)+\|", rule)
        assert {re.sub(r"\\.", "", line).count("|") for line in (header, rule, *rows)} == {header.count("|")}


def test_markdown_takes_nothing_in_a_comment_for_its_own() -> None:
    begins = ("# no", "- no", "12. no", "=== ", "    no", "+1", "&amp; $x$")
    whole = short()
    (game,) = whole.match.games
    noted = dataclasses.replace(game.actions[0], comment="\n".join(begins))
    match = dataclasses.replace(whole.match, games=(dataclasses.replace(game, actions=(noted, *game.actions[1:])),))
    text = str(one(dataclasses.replace(whole, match=match), "markdown"))
    quoted = [line[2:].rstrip() for line in text.splitlines() if line.startswith("> ") and "**" not in line]
    assert quoted == [r"\# no", r"\- no", r"12\. no", r"\===", "no", r"\+1", r"\&amp; \$x\$"]


def test_the_luck_of_a_dance_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    whole, plain = analysed(), dataclasses.replace(PLAIN, board=0)
    assert any(each.luck is not None and not each.chosen for each in whole.decisions)
    rolls = sum(each.luck is not None for each in whole.decisions)
    assert str(one(whole, "markdown", plain)).count("\nLuck of ") == rolls
    typst, given = pytest.importorskip("typst"), []
    monkeypatch.setattr(typst, "compile", lambda source, **more: given.append(source.decode()) or b"")
    one(whole, "pdf", plain)
    assert given[0].count('"Luck of ') == rolls


# Pictures.


def test_pictures_of_positions() -> None:
    plain, arrows = (str(one(short(), "svg", dataclasses.replace(PLAIN, analysis=on), move=2)) for on in (False, True))
    assert ElementTree.fromstring(plain).tag.endswith("svg")
    assert "sp-best" not in plain.split("</style>")[1]
    assert "sp-best" in arrows.split("</style>")[1]
    png = one(short(), "png", dataclasses.replace(PLAIN, png_size=3), move=2)
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">I", png[16:20]) == (324,)
    with pytest.raises(SettingsError, match="there is no board to draw"):
        render(short(), "svg", "x.svg", dataclasses.replace(PLAIN, board=0))
    assert [name for name, _ in render(short(), "svg", "x.svg", PLAIN)][:2] == ["x.svg", "x_002.svg"]


def test_every_piece_of_a_board_is_drawn() -> None:
    assert len(PIECES) == len(set(PIECES)) == 305
    drawn = {name: piece_svg(name) for name in PIECES}
    assert all(ElementTree.fromstring(drawing).tag.endswith("svg") for drawing in drawn.values())
    # Alike are empty trays, the cube at 1 and at 64, and that of both players.
    assert len(set(drawn.values())) > 265
    assert {extent(name) for name in PIECES} == {
        *((108, 3), (6, 30), (12, 30), (12, 24), (12, 16), (12, 6), (36, 16)),
    }


def test_all_pieces_are_written(sixprime: Any, tmp_path: Path) -> None:
    assert sixprime("export", "--html-images", str(tmp_path / "all"), "--html-size", "1")[0] == 0
    sizes = {path.name: struct.unpack(">II", path.read_bytes()[16:24]) for path in (tmp_path / "all").iterdir()}
    assert sizes == {name: extent(name) for name in PIECES}


# Read again.


def test_text_is_read_like_gnu_backgammons_own() -> None:
    for game, text in zip(analysed().match.games[:3], texts_of(analysed())[:3], strict=True):
        back = read_text(text)
        assert (back.format, back.problems) == ("gnubg-text", ())
        (read_again,) = back.games
        played = [(action.kind, action.player, action.dice, action.position) for action in game.actions]
        found = [(action.kind, action.player, action.dice, action.position) for action in read_again.actions]
        assert [each for each in played if each[0] != "resign"] == [each for each in found if each[0] != "resign"]
        assert (read_again.score, read_again.winner, read_again.points) == (game.score, game.winner, game.points)


def test_text_of_a_match_that_nobody_analysed_is_laid_out_like_gnu_backgammons() -> None:
    from sixprime.analysis.single import unjudged

    bare = unjudged(foreign(read(DATA / "sgf" / "analysed.sgf")).match)
    (text, *_) = texts_of(bare)
    blocks = re.split(r"^Move number \d+:.*\n", text, flags=re.MULTILINE)[1:]
    done = [block[block.index("\n* ") :] for block in blocks]
    assert len(done) > 10
    for block, action in zip(done, bare.match.games[0].actions, strict=False):
        if action.dice is None:
            assert re.match(r"\n\* .* (doubles|accepts|rejects)\n\n", block), block
            continue
        what = str(action.play or "") or "Cannot move"
        rolled = f"Rolled {''.join(map(str, action.dice))}:\n*    {what}\n\n\n"
        assert re.match(rf"\n\* .*\n\n{re.escape(rolled)}", block), block
    ((_, plain), *_) = render(bare, "text", "x.txt", dataclasses.replace(PLAIN, analysis=False))
    assert not re.search(r"^Rolled ..:", str(plain), re.MULTILINE)


def test_a_roll_that_nobody_played_is_no_dance() -> None:
    from sixprime.analysis.single import unjudged

    lines = "  1) 31: 8/5 6/5           52: 13/8 13/11\n  2) 64: ????\n                          Wins 1 point\n"
    match = unjudged(read_text(f" 3 point match\n\n Game 1\n A : 0   B : 0\n{lines}"))
    ((_, page), *_) = render(match, "html", "x.html", PLAIN)
    page = str(page)
    assert "A rolls 64" in page
    assert "Cannot move" not in page
    # Scripts that read texts know a roll only with what was done with it.
    (text,) = texts_of(match)
    assert re.findall(r"^Move number (\d+)", text, re.MULTILINE) == ["1", "2"]
    assert re.findall(r"^\* \w+ (\w+)", text, re.MULTILINE) == ["moves", "moves"]
    assert "31:" in text
    assert "B wins 1 point" in text


# Forums.


def test_xgs_text_is_read_again() -> None:
    text = str(one(short(), "xg"))
    back = read_text(text)
    shown = [decision for decision in short().decisions if decision.plays or decision.cube]
    assert len(re.findall("^XGID=", text, re.MULTILINE)) == len(shown)
    game = back.games[0]
    assert game.actions[0].position == shown[0].position
    assert "13/8 (" in text or re.search(r"^Ann & <Bo>: ", text, re.MULTILINE)


def test_a_post_has_its_looks_within() -> None:
    ((name, text),) = render(short(), "bgonline", "post.html", PLAIN, move=2)
    assert name == "post.html"
    assert "class=" not in str(text)
    assert 'src="../Images/n_' in str(text)
    assert "Match to 7 points - Ann &amp; &lt;Bo&gt; 2, " in str(text)
    assert 'src="https://x/n_' in str(
        one(short(), "bgonline", dataclasses.replace(PLAIN, html_pictureurl="https://x/"))
    )


# Forms and templates.


def test_forms_by_name_and_suffix() -> None:
    for form in FORMS.values():
        assert form_for(form.name, Path("x")) is form
        assert all(form_for(None, Path(f"x{suffix.upper()}")) is form for suffix in form.suffixes)
    with pytest.raises(SettingsError, match="there is no export format 'doc'; there are text, html"):
        form_for("doc", Path("x.txt"))
    with pytest.raises(SettingsError, match=r"no export format has files that end in \.doc; there are \.txt \(text\)"):
        form_for(None, Path("x.doc"))


def test_templates_of_a_user(tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("{{ page.names[0] }}: {{ page.turns|length }}\n")
    assert one(short(), "text", templates=tmp_path) == f"Ann & <Bo>: {_LENGTH}\n"
    (tmp_path / "page.html").write_text("<p>{{ page.names[0] }}</p>")
    assert one(short(), "html", dataclasses.replace(PLAIN, html_type="bbs"), templates=tmp_path) == (
        "<p>Ann &amp; &lt;Bo&gt;</p>"
    )
    (tmp_path / "comment.html").write_text('{% include "sixprime/comment.html" %}')
    assert "<p>Ann" in one(short(), "html", dataclasses.replace(PLAIN, html_type="bbs"), templates=tmp_path)
    (tmp_path / "text.txt").write_text('{% include "sixprime/text.txt" %}The end.\n')
    assert one(short(), "text", templates=tmp_path) == one(short(), "text") + "The end.\n"
    (tmp_path / "match.tex").write_text("<< page.x >>")
    for template, message in (
        ("{{ page.nothing }}", "text.txt: UndefinedError"),
        ("a\n{% if %}", r"text.txt:2: "),
        ("{{ ''.__class__.__mro__ }}", "text.txt: SecurityError"),
        ("{{ 1 / 0 }}", "text.txt: ZeroDivisionError"),
        ('{% include "text.txt" %}', "text.txt: RecursionError"),
        ("{% for i in range(10**9) %}{% endfor %}", "text.txt: OverflowError"),
        ('{% include "../secret.txt" %}', r"text.txt: TemplateNotFound: \.\./secret.txt"),
    ):
        (tmp_path / "text.txt").write_text(template)
        with pytest.raises(SettingsError, match=message):
            one(short(), "text", templates=tmp_path)
    with pytest.raises(SettingsError, match=r"has none of the templates that are used here: match\.md"):
        one(short(), "markdown", templates=tmp_path)
    with pytest.raises(SettingsError, match="is no folder of templates"):
        one(short(), "text", templates=tmp_path / "none")
    (tmp_path / "text.txt").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(SettingsError, match=r"text\.txt"):
        one(short(), "text", templates=tmp_path)


# The command.


def test_the_command_writes_what_the_file_holds(sixprime: Any, tmp_path: Path) -> None:
    source, out = DATA / "sgf" / "analysed.sgf", tmp_path / "sub" / "m.txt"
    status, said, err = sixprime("export", str(source), "--theirs", "--moves-number", "1", "--no-date", "-o", str(out))
    assert (status, said) == (0, "")
    assert err == f"Plain text in GNU Backgammon's layout: {out} and 5 more\n"
    options = dataclasses.replace(PLAIN, moves_number=1)
    assert out.read_text() == render(analysed(), "text", "m.txt", options)[0][1]
    assert sorted(path.name for path in out.parent.iterdir()) == ["m.txt", *(f"m_00{n}.txt" for n in range(2, 7))]


def test_the_command_follows_the_settings(sixprime: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIXPRIME_CONFIG", str(tmp_path))
    settings.change("export.moves_number", 1)
    settings.change("export.folder", str(tmp_path / "there"))
    settings.change("export.date", False)
    words = ("export", str(DATA / "sgf" / "analysed.sgf"), "--theirs", "--game", "2", "-o", "a.txt")
    assert sixprime(*words)[0] == 0
    options = dataclasses.replace(PLAIN, moves_number=1)
    assert (tmp_path / "there" / "a.txt").read_text() == one(analysed(), "text", options, game=2)
    with pytest.raises(SettingsError, match="html_css must be head, external or inline"):
        settings.change("export.html_css", "outside")


def test_a_kept_analysis_is_exported_without_judging(sixprime: Any, tmp_path: Path) -> None:
    from sixprime import codec

    codec.save(short(), tmp_path / "kept.sixprime")
    assert sixprime("export", str(tmp_path / "kept.sixprime"), "--no-date", "-o", str(tmp_path / "a.csv"))[0] == 0
    assert (tmp_path / "a.csv").read_text() == one(short(), "csv")


def test_positions_with_the_analysis_that_came_with_them(sixprime: Any, tmp_path: Path) -> None:
    (tmp_path / "p.txt").write_text(str(one(short(), "xg", move=2)).split("XGID=")[-1].join(("XGID=", "")))
    words = ("export", str(tmp_path / "p.txt"), "--theirs", "--no-date", "-o", str(tmp_path / "a.txt"))
    assert sixprime(*words)[0] == 0
    (before,) = texts_of(short(), move=2)
    rows = re.findall(r"^.{5}\d\. Cubeful .*", before, re.MULTILINE)
    assert rows
    assert [row[5:60] for row in rows] == [
        row[5:60] for row in re.findall(r"^.{5}\d\. Cubeful .*", (tmp_path / "a.txt").read_text(), re.MULTILINE)
    ]


def test_matches_without_analysis_need_no_engine(sixprime: Any, tmp_path: Path) -> None:
    words = ("--no-analysis", "--no-statistics", "--no-date", "-o", str(tmp_path / "a.txt"))
    assert sixprime("export", "--sample", *words)[0] == 0
    text = (tmp_path / "a.txt").read_text()
    assert "Move number 1:" in text
    assert "Eq.:" not in text


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "name one file, or an ID, or use --sample"),
        (["--sample", "x.mat", "-o", "a.txt"], "--sample or x.mat, not both"),
        (["--sample"], "name what to write with -o"),
        (["--sample", "-o", "a.doc"], "no export format has files that end in .doc"),
        (["nothing.mat", "-o", "a.txt"], "nothing.mat: there is no such file"),
        (["--sample", "-o", "a.txt", "--moves-number", "1.5"], "expected a whole number, found '1.5'"),
        (["--sample", "-o", "a.txt", "--html-css", "no"], "--html-css"),
        (["--sample", "-o", "a.txt", "--theirs"], "the file holds no analysis"),
        (["AAAA", "-o", "a.png"], "AAAA"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_wrong_use_is_one_line(
    sixprime: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    status, said, err = sixprime("export", *words)
    assert status in (1, 2)
    assert said == ""
    assert message in err
    assert err.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_templates_are_copied_once(sixprime: Any, tmp_path: Path) -> None:
    assert sixprime("export", "--copy-templates", str(tmp_path / "mine"))[0] == 0
    names = {path.name for path in (tmp_path / "mine").iterdir()}
    assert {"text.txt", "page.html", "gnubg.css", "match.tex", "match.typ", "match.ps", "match.md", "xg.txt"} <= names
    assert one(short(), "text", templates=tmp_path / "mine") == one(short(), "text")
    status, _, err = sixprime("export", "--copy-templates", str(tmp_path / "mine"))
    assert status == 2
    assert "exists already" in err


def test_forms_are_listed(sixprime: Any) -> None:
    status, said, _ = sixprime("export", "--formats")
    assert status == 0
    assert [line.split()[0] for line in said.splitlines()] == list(FORMS)


def test_all_matches_of_the_samples_have_every_text_form() -> None:
    """Beavers, positions set by hand, money sessions, matches without a word of analysis."""
    from sixprime.analysis.single import unjudged

    for path in (*(DATA / "sgf").glob("[be]*.sgf"), DATA / "formats" / "triple.mat", DATA / "formats" / "match.gam"):
        for match in read_all(path):
            for form in ("text", "latex", "markdown", "csv", "ps", "xg"):
                assert render(unjudged(match), form, f"x.{form}", PLAIN)


@pytest.mark.parametrize("length", [0, 5])
def test_made_matches_have_every_form(length: int) -> None:
    """Money and matches, drops and resignations, names with signs that every format reads as its own."""
    made = make_match(length=length, seed=3, names=("<A> & {B} \\ (100%)", "#$_~^ 王 é\n`|*"))
    for form in FORMS:
        if form not in ("pdf", "png", "parquet"):
            assert render(made, form, f"x.{form}", PLAIN)
    for _, page in render(made, "html", "x.html", dataclasses.replace(PLAIN, html_type="svg")):
        text = str(page)
        ElementTree.fromstring(text[text.index("<html") :].replace("&nbsp;", " ").replace("&bull;", "*"))
    assert len(one(made, "csv").splitlines()) == len(made.decisions) + 1


def test_a_move_without_its_analysis_is_not_judged(
    sixprime: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("nobody shows what is found")

    monkeypatch.setattr("sixprime.api.analyse", refuse)
    words = ("--sample", "--move", "3", "--no-analysis", "-o", str(tmp_path / "a.txt"))
    assert sixprime("export", *words)[0] == 0
    assert "Position ID" in (tmp_path / "a.txt").read_text()
