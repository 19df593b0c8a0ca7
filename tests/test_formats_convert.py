"""`sixprime convert`: files, folders, patterns, standard input; what is lost and what fails is said."""

from __future__ import annotations

import copy
import io
import json
import os
import socket
import sys
from collections.abc import Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from sixprime import analyse, formats
from sixprime._version import __version__
from sixprime.batch import save_analysis
from sixprime.cli import main
from sixprime.errors import InvalidFileError, SettingsError
from sixprime.formats import FORMATS, Feature, features
from sixprime.formats._analyses_lost import analyses_lost
from sixprime.formats._text import Document
from sixprime.game.record import MADE_WITH, ForeignAnalysis, ForeignPlay, Match, Method, Value
from sixprime.paths import sample_match

DATA = Path(__file__).parent / "data"
SGF = DATA / "sgf" / "rollouts.sgf"


def run(*arguments: str | Path) -> int:
    with pytest.raises(SystemExit) as ended:
        main(["convert", *map(str, arguments)])
    return int(ended.value.code or 0)


def test_one_file_by_its_suffix(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "new" / "match.mat"
    assert run(SGF, target) == 0
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err == "sixprime: not kept, as Jellyfish match cannot hold it: analyses of other programs\n"
    old, new = formats.read(SGF), formats.read(target)
    assert [action.play for action in new.games[0].actions] == [action.play for action in old.games[0].actions]


def test_nothing_is_said_when_nothing_is_lost(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(SGF, tmp_path / "again.sgf") == 0
    assert capsys.readouterr().err == ""


def test_to_standard_output(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert run(SGF, "--to", "xgid") == 0
    assert capfdbinary.readouterr().out.startswith(b"XGID=-b----E-C---eE---c-e----B-:0:0:1:42:0:0:0:5:10\n")


def test_from_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.TextIOWrapper(io.BytesIO(sample_match().read_bytes()))
    monkeypatch.setattr(sys, "stdin", stream)
    assert run("-", tmp_path / "match.sgf") == 0
    assert len(formats.read(tmp_path / "match.sgf").games) == 7


def test_a_folder_goes_on_past_bad_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, target = tmp_path / "in", tmp_path / "out"
    (source / "deep").mkdir(parents=True)
    (source / "a.mat").write_bytes(sample_match().read_bytes())
    (source / "a.sgf").write_bytes(SGF.read_bytes())
    (source / "deep" / "c.txt").write_bytes(sample_match().read_bytes())
    (source / "bad.mat").write_text("hello")
    (source / ".hidden").write_text("hello")
    assert run(source, f"{target}/", "--to", "sgf") == 1
    assert sorted(path.relative_to(target).as_posix() for path in target.rglob("*.sgf")) == [
        "a-2.sgf",
        "a.sgf",
        "deep/c.sgf",
    ]
    said = capsys.readouterr().err
    assert "bad.mat:1:1: no match found" in said
    assert "1 of 4 files could not be converted" in said
    assert said.count("not kept") == 1
    assert ".hidden" not in said


@pytest.fixture
def odd_folder(tmp_path: Path) -> Path:
    """A folder with one match and much that is none."""
    folder = tmp_path / "in"
    for name in ("empty", "full/hollow"):
        (folder / name).mkdir(parents=True)
    (folder / "a.mat").write_bytes(sample_match().read_bytes())
    (folder / "lost.mat").symlink_to("nowhere")
    (folder / "round.mat").symlink_to("round.mat")
    (folder / "other").symlink_to(folder / "full", target_is_directory=True)
    os.mkfifo(folder / "pipe.mat")
    with socket.socket(socket.AF_UNIX) as listener:
        here = Path.cwd()
        os.chdir(folder)  # the path of a socket must be short
        try:
            listener.bind("socket.mat")
        finally:
            os.chdir(here)
    return folder


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names here")
@pytest.mark.parametrize("command", ["convert", "analyse"])
@pytest.mark.parametrize("pattern", [False, True])
def test_what_is_no_file_is_named_not_opened(
    odd_folder: Path, command: str, pattern: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = odd_folder / "*" if pattern else odd_folder
    arguments = {"convert": (f"{tmp_path}/out/", "--to", "sgf"), "analyse": ("--plies", "0", "--json")}[command]
    with pytest.raises(SystemExit) as ended:
        main([command, str(source), *arguments])
    assert ended.value.code == 1
    said = capsys.readouterr().err
    assert "lost.mat: is a link that leads nowhere" in said
    assert "round.mat: cannot be read:" in said
    assert "pipe.mat: is a pipe, not a file" in said
    assert "socket.mat: is a socket, not a file" in said
    assert pattern or "other: is a link to a folder" in said
    assert f"{odd_folder / 'empty'}: there are no files in this folder" in said
    assert f"{odd_folder / 'full' / 'hollow'}: there are no files in this folder" in said
    assert "a.mat: is" not in said


def test_what_may_not_be_read_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "in" / "closed").mkdir(parents=True)
    (tmp_path / "in" / "a.mat").write_bytes(sample_match().read_bytes())
    scan = os.scandir

    def scandir(path: str) -> object:
        if Path(path).name == "closed":
            raise PermissionError(13, "Permission denied", str(path))
        return scan(path)

    monkeypatch.setattr(os, "scandir", scandir)
    assert run(tmp_path / "in", f"{tmp_path}/out/", "--to", "sgf") == 1
    assert "closed: cannot be read: Permission denied" in capsys.readouterr().err
    assert (tmp_path / "out" / "a.sgf").exists()


def test_patterns_and_joining(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.mat").write_bytes(sample_match().read_bytes())
    assert run(tmp_path / "*.mat", tmp_path / "both.sgf") == 0
    assert len(formats.read_all(tmp_path / "both.sgf")) == 2


def test_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "match.mat"
    assert run(SGF, tmp_path / "missing.sgf", target, "--json") == 1
    failed, done = (json.loads(line) for line in capsys.readouterr().out.splitlines())
    assert failed["file"] == str(tmp_path / "missing.sgf")
    assert "cannot be read" in failed["error"]
    assert done == {
        "file": str(SGF),
        "format": "sgf",
        "matches": 1,
        "games": 1,
        "written": [str(target)],
        "lost": ["analyses of other programs"],
        "problems": [],
    }


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "name the files to read"),
        ((str(SGF),), "name the files to read"),
        ((str(SGF), "-"), "--to FORMAT is needed"),
        ((str(SGF), "out/"), "--to FORMAT is needed"),
        ((str(SGF), "out.xyz"), "formats that can be written"),
        ((str(SGF), "out.mat", "--to", "xyz"), "formats that can be written"),
        (("--nonsense", "out.mat"), "Unknown option"),
        ((str(SGF), "--to", "mat", "--json"), "cannot both go to standard output"),
    ],
)
def test_wrong_use(arguments: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(*arguments) == 2
    assert message in capsys.readouterr().err


def test_a_file_is_not_replaced_by_itself(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.mat"
    path.write_bytes(sample_match().read_bytes())
    for force in ((), ("--force",)):
        assert run(path, path, *force) == 2
        assert "would replace a file that is read here" in capsys.readouterr().err
    assert path.read_bytes() == sample_match().read_bytes()


def test_an_analysis_of_ours_becomes_any_format(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept, sgf = tmp_path / "kept.sixprime", tmp_path / "new.sgf"
    save_analysis(analyse(formats.read(SGF), plies=0), kept)
    assert run(kept, sgf) == 0
    found = {each.source for game in formats.read(sgf).games for action in game.actions for each in action.analyses}
    assert found == {f"Sixprime {__version__}"}
    assert run(tmp_path / "none.sixprime", sgf, "--force") == 1
    assert capsys.readouterr().err.endswith("none.sixprime: No such file or directory\n")


@pytest.mark.parametrize("name", ["gam", "bkg"])
def test_games_of_a_line_or_two_are_read_again(name: str) -> None:
    match = formats.read(SGF)
    roll = next(action for action in match.games[0].actions if action.play and action.play.steps)
    short = [replace(match.games[0], actions=(roll,), winner=1 - roll.player, points=1)]
    short += [replace(short[0], actions=())] if name == "gam" else [replace(short[0], winner=None, points=0)]
    for game in short:
        (text,) = formats.render([replace(match, games=(replace(game, number=1, score=(0, 0)),))], name)
        again = formats.read_text(str(text))
        assert again.format == name
        rolls = len([action for action in again.games[0].actions if action.dice])
        assert (again.games[0].winner, rolls) == (game.winner, len(game.actions))


def test_a_file_that_exists_is_replaced_by_force_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "a.gam"
    second = tmp_path / "a_002.gam"
    second.write_text("mine")
    assert run(sample_match(), target) == 2
    assert f"{second} exists already; --force replaces it" in capsys.readouterr().err
    assert (target.exists(), second.read_text()) == (False, "mine")
    assert run(sample_match(), target, "--force") == 0
    assert formats.read(second).format == "gam"


def test_in_a_folder_no_file_is_lost(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, text in (("a.mat", sample_match()), ("a.sgf", SGF), ("b.mat", sample_match()), ("c.mat", sample_match())):
        (tmp_path / name).write_bytes(text.read_bytes())
    (tmp_path / "b.sgf").write_text("mine")
    # a.sgf is read too; b.sgf is only there.
    inputs = tmp_path / "a.*", tmp_path / "[bc].mat"
    assert run(*inputs, f"{tmp_path}/", "--to", "sgf") == 1
    said = capsys.readouterr().err
    assert "a.sgf would replace a file that is read here" in said
    assert "b.sgf exists already" in said
    assert (tmp_path / "a.sgf").read_bytes() == SGF.read_bytes()
    assert (tmp_path / "b.sgf").read_text() == "mine"
    assert len(formats.read(tmp_path / "c.sgf").games) == 7
    assert run(*inputs, f"{tmp_path}/", "--to", "sgf", "--force") == 1
    assert (tmp_path / "a.sgf").read_bytes() == SGF.read_bytes()
    assert len(formats.read(tmp_path / "b.sgf").games) == 7


def test_numbered_files_of_a_batch_do_not_meet(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for name in ("x_002.mat", "x.mat"):
        (tmp_path / "in" / name).write_bytes(sample_match().read_bytes())
    inputs = tmp_path / "in" / "x_002.mat", tmp_path / "in" / "x.mat"
    assert run(*inputs, f"{tmp_path}/out/", "--to", "gam") == 0
    assert len(list((tmp_path / "out").iterdir())) == 14


def test_two_of_one_name_become_two(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As a match and its analysis; and what a link names is what was written there."""
    folder, out = tmp_path / "in", tmp_path / "out"
    folder.mkdir()
    (folder / "m.mat").write_bytes(sample_match().read_bytes())
    (folder / "m.sgf").write_bytes(SGF.read_bytes())
    for words in ((), ("--force",)):
        assert run(folder, f"{out}/", "--to", "mat", *words) == 0
        said = capsys.readouterr().err
        assert f"{folder / 'm.sgf'} goes into {out / 'm-2.mat'}, as m.mat is that of {folder / 'm.mat'}" in said
        assert said.count("goes into") == 1
        assert len(formats.read(out / "m.mat").games) == 7
        assert len(formats.read(out / "m-2.mat").games) == len(formats.read(SGF).games)
    (folder / "n.sgf").write_bytes(SGF.read_bytes())
    (out / "n.mat").symlink_to("m.mat")
    assert run(folder, f"{out}/", "--to", "mat", "--force") == 0
    assert f"goes into {out / 'n-2.mat'}, as n.mat is that of {folder / 'm.mat'}" in capsys.readouterr().err
    assert len(formats.read(out / "m.mat").games) == 7
    (folder / "n.sgf").unlink()
    # What is there from before is not of this batch.
    assert run(folder, f"{out}/", "--to", "mat") == 1
    said = capsys.readouterr().err
    assert said.count("m.mat exists already") == 2


def test_the_formats_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--formats", "--json") == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [row["name"] for row in rows] == list(FORMATS)
    assert run("--formats") == 0
    assert "GNU Backgammon SGF" in capsys.readouterr().out


# Encodings


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252"])
def test_encodings(encoding: str) -> None:
    text = sample_match().read_text("utf-8-sig")
    match = formats.read_text(text.encode(encoding))
    assert match.players[0].name == "Kévin Unger"


def test_what_no_format_knows() -> None:
    assert formats.detect(b"\x00\x01\x02\x03") is None
    with pytest.raises(InvalidFileError, match="byte 0: no known match or position format") as caught:
        formats.read_text(b"\x00\x01\x02\x03")
    assert caught.value.offset == 0


@pytest.mark.parametrize("content", [b"{}", b"\x1f\x8b\x08"])
def test_an_analysis_is_read_elsewhere(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.sixprime"
    path.write_bytes(content)
    with pytest.raises(InvalidFileError, match="an analysis of Sixprime, which load_analysis reads"):
        formats.read(path)


# Every format


def test_features_of_a_match() -> None:
    found = features(formats.read(sample_match()))
    assert {Feature.MATCH_LENGTH, Feature.NAMES, Feature.CUBE, Feature.PLAYS, Feature.EVENT} <= found
    assert Feature.ANALYSIS not in found
    assert Feature.ANALYSIS in features(formats.read(SGF))


@pytest.mark.parametrize("name", [name for name, format in FORMATS.items() if format.write is not None])
def test_every_format_writes_the_sample_and_knows_it_again(name: str, tmp_path: Path) -> None:
    format = FORMATS[name]
    for content in formats.render([formats.read(sample_match())], format):
        # A match in Snowie's text is one in Jellyfish's; what `.xgp` holds shows when it is read.
        assert formats.detect(content) in (name, "mat", name.replace("xgp", "xg"))
    written = formats.write(formats.read(sample_match()), tmp_path / f"x{format.suffixes[0]}", name)
    assert all(path.exists() for path in written)


def test_formats_that_are_not_known(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="formats that can be written"):
        formats.write(formats.read(SGF), tmp_path / "x.abc")
    with pytest.raises(SettingsError, match="formats that can be written"):
        formats.render([formats.read(SGF)], "abc")


def test_analyse_takes_folders_and_patterns(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.sgf").write_bytes((DATA / "sgf" / "edited.sgf").read_bytes())
    (folder / "b1.pos").write_bytes((DATA / "positions" / "b1.pos").read_bytes())
    (folder / "bad.mat").write_text("hello")
    with pytest.raises(SystemExit) as ended:
        main(["analyse", str(folder), str(folder / "*.sgf"), "--plies", "0", "--json"])
    shown = capsys.readouterr()
    assert ended.value.code == 1
    answers = [json.loads(line) for line in shown.out.splitlines()]
    assert [answer["file"] for answer in answers] == [str(folder / "a.sgf"), str(folder / "b1.pos")]
    assert "bad.mat:1:1: no match found" in shown.err


def test_analyse_judges_positions_as_eval_and_hint_do(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ids = ["XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:5:10", "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:5:10"]
    path = tmp_path / "two.xgid"
    path.write_text("\n".join(ids) + "\n")

    def answers(*arguments: str) -> list[dict[str, object]]:
        with pytest.raises(SystemExit) as ended:
            main([*arguments, "--plies", "0", "--json"])
        assert not ended.value.code
        return [json.loads(line) for line in capsys.readouterr().out.splitlines()]

    cube, roll = answers("analyse", str(path))
    places = [(found.pop("file"), found.pop("line")) for found in (cube, roll)]
    assert places == [(str(path), 1), (str(path), 2)]
    assert [cube, roll] == answers("eval", ids[0]) + answers("hint", ids[1])


def test_a_position_is_not_written_where_it_would_be_lost(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    position = DATA / "positions" / "b1.pos"
    for name in ("sgg", "oldmoves", "tmg", "gam", "gammonempire", "bkg"):
        assert run(position, tmp_path / "x", "--to", name) == 1
        assert "a position without a game cannot be written as" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
    rolled = tmp_path / "rolled.xgid"
    rolled.write_text("XGID=-b----E-C---eE---c-e----B-:0:0:-1:31:4:1:0:5:10\n")
    assert run(rolled, tmp_path / "x.mat") == 0
    said = capsys.readouterr().err
    assert "who is on roll, and the roll" in said
    assert "that the Crawford game was before this" in said
    assert run(rolled, tmp_path / "x.sgf") == 0
    assert "not kept" not in capsys.readouterr().err


def test_an_empty_folder_has_nothing_to_convert(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "in").mkdir()
    assert run(tmp_path / "in", tmp_path / "x.sgf") == 2
    assert "there are no files" in capsys.readouterr().err


@pytest.mark.parametrize(
    "name", sorted(path.name for path in (DATA / "formats").iterdir() if path.suffix not in (".xg", ".bgf", ".md"))
)
def test_any_line_ends_and_dos_end_marks(name: str) -> None:
    data = (DATA / "formats" / name).read_bytes()
    text = data.decode("utf-8-sig").replace("\r\n", "\n")
    known = formats.FORMATS[formats.detect(data) or ""]
    plain = [(match.players, match.games, len(match.problems)) for match in known.read(Document(text))]
    for other in (text.replace("\n", "\r"), text.replace("\n", "\r\n"), text + "\x1a", text + "\0" * 40):
        assert formats.detect(other.encode()) == known.name
        again = known.read(Document(other.encode()))
        assert [(match.players, match.games, len(match.problems)) for match in again] == plain


@pytest.mark.parametrize("date", ["0001-01-01", "1601-01-01", "1967-03-02", "2020-02-29", "2400-01-01", "9999-12-31"])
@pytest.mark.parametrize("name", ["xg", "ogxm", "sgf", "mat"])
def test_dates_are_kept_or_said_to_be_lost(tmp_path: Path, name: str, date: str) -> None:
    match = formats.read(sample_match())
    dated = replace(match, info={**match.info, "date": date, "time": "20:15"})
    place = tmp_path / f"a.{name}"
    formats.write(dated, place)
    found = formats.read(place).info
    kept = (found.get("date"), found.get("time") or "20:15") == (date, "20:15")
    assert kept == ("date" not in FORMATS[name].losses(dated))
    assert kept or found.get("date") is None


def played(text: str, *analyses: ForeignAnalysis) -> Match:
    """A match in which nothing was done but a first roll of 3-1, and what is thought of it."""
    match = formats.read_text(f" 7 point match\n\n Game 1\n Ann : 0    Bob : 0\n  1) 31: {text}\n")
    (action,) = match.games[0].actions
    return replace(match, games=(replace(match.games[0], actions=(replace(action, analyses=analyses),)),))


CHANCES = (0.55, 0.15, 0.01, 0.125, 0.005)
ROLLOUT = {"name": "Rollout", "plies": None, "trials": 36}


def thought(**parts: Any) -> ForeignAnalysis:
    """An analysis of a play with these values; what is not said of it has the usual."""
    (action,) = played("8/5 6/5").games[0].actions
    assert action.play is not None
    method = Method(**({"name": "2-ply", "plies": 2} | parts.pop("method", {})))
    value = Value(**({"probabilities": CHANCES, "equity": 0.25} | parts.pop("value", {})))
    return ForeignAnalysis("P", plays=(ForeignPlay(action.play, value, method),), played=0, **parts)


@pytest.mark.parametrize(
    ("parts", "said", "where"),
    [
        ({}, "", ""),
        ({"value": {"mwc": 0.56}}, "match-winning chances of plays", "xg sgf"),
        ({"value": {"cubeless": 0.5}}, "equities without cube of plays", "xg sgf"),
        ({"value": {"probabilities": (0.54325, *CHANCES[1:])}}, "digits of probabilities after the fourth", "ogxm"),
        ({"value": {"errors": (0.1,), "mwc": 0.5}, "method": ROLLOUT}, "standard errors of rollouts", "xg"),
        ({"play_mark": 2}, "marks of plays, cube decisions and luck", "xg ogxm"),
        ({"luck_mark": -1}, "marks of plays, cube decisions and luck", "xg ogxm"),
        ({"luck": 0.1}, "", ""),
        ({"luck_mwc": 0.01}, "luck in match-winning chances", "xg sgf ogxm"),
        ({"method": {"noise": 0.1}}, "settings of evaluations", "xg ogxm"),
        ({"method": {"cubeful": False}}, "whether the cube was reckoned with", "xg"),
        ({"method": {"name": "3ply"}}, "names of ways of evaluating", "xg sgf"),
    ],
)
@pytest.mark.parametrize("name", ["xg", "sgf", "ogxm"])
def test_what_is_lost_of_an_analysis_is_named(name: str, parts: dict[str, Any], said: str, where: str) -> None:
    if name == "ogxm":
        pytest.importorskip("ogxm")
    lost = {*FORMATS[name].losses(played("8/5 6/5", thought(**copy.deepcopy(parts))))}
    if "errors" in str(parts):
        lost -= {"match-winning chances of plays"}
    assert lost - {"order of the two dice"} == ({said} if name in where.split() else set())


@pytest.mark.parametrize("name", ["xg", "sgf"])
def test_a_match_equity_table_is_kept_or_said_to_be_lost(name: str) -> None:
    match = played("8/5 6/5", thought())
    match = replace(match, games=(replace(match.games[0], extras=((MADE_WITH, "[H4sI]"),)),))
    said = "the match equity table of the analysis" in FORMATS[name].losses(match)
    assert said is (name == "xg")


@pytest.mark.parametrize("name", ["xg", "sgf", "ogxm"])
def test_what_is_lost_is_read_in_the_files_that_were_written(name: str) -> None:
    if name == "ogxm":
        pytest.importorskip("ogxm")
    parts: list[dict[str, Any]] = [{"value": {"cubeless": 0.5}}, {}, {"luck_mwc": 0.01}]
    matches = [played("8/5 6/5", thought(**copy.deepcopy(each))) for each in parts]
    alone = [FORMATS[name].losses(match) for match in matches]
    files = formats.render(matches, name)

    def written_again(matches: Sequence[Match]) -> str:
        raise AssertionError("these were written before")

    once = replace(FORMATS[name], write=written_again)
    assert formats.losses(matches, once, files) == alone
    assert any(alone)
    # Files that are not those of the matches say nothing of them.
    assert formats.losses(matches, FORMATS[name], files[1:]) == alone


def test_of_several_programs_the_first_is_written() -> None:
    """SGF has one name for all analyses, which are then those of one program."""
    other = replace(thought(), source="Other")
    match = played("8/5 6/5", other)
    first = played("8/5 6/5", thought())
    games = (*first.games, replace(match.games[0], number=2))
    both = replace(match, games=games)
    assert "analyses of all but one program" in FORMATS["sgf"].losses(both)
    again = formats.read_text(formats.render([both], "sgf")[0])
    assert [len(game.actions[0].analyses) for game in again.games] == [1, 0]


def test_what_is_said_of_a_match_counts_before_its_old_tags(tmp_path: Path) -> None:
    match = formats.read(sample_match())
    assert {"date", "event"} <= match.info.keys()
    place = tmp_path / "a.mat"
    formats.write(replace(match, info={"event": "Another", "round": "2"}), place)
    found = formats.read(place)
    assert found.info == {"event": "Another", "round": "2"}
    assert [tag for tag in found.tags if tag[0].startswith("Player")] == [
        tag for tag in match.tags if tag[0].startswith("Player")
    ]


@pytest.mark.parametrize("name", [name for name, format in FORMATS.items() if format.write is not None])
def test_nothing_that_is_lost_is_named_twice(name: str) -> None:
    """What all formats know to name is sometimes named by one of them as well."""
    for path in (DATA / "sgf" / "beavers.sgf", DATA / "sgf" / "analysed.sgf", sample_match()):
        match = replace(formats.read(path), beavers=2, tags=(("Weather", "fair"),), variant="hypergammon2")
        if name != "ogxm" or find_spec("ogxm"):
            lost = FORMATS[name].losses(match)
            assert len(lost) == len(set(lost))


def test_actions_that_are_not_there_again_are_passed_over() -> None:
    """Several in a row, too."""
    match = formats.read(DATA / "sgf" / "analysed.sgf")
    game = match.games[0]
    for left in ((*game.actions[:3], *game.actions[7:]), game.actions[9:], ()):
        fewer = replace(match, games=(replace(game, actions=left), *match.games[1:]))
        assert analyses_lost(match, fewer) == []


def test_seconds_of_a_time_are_named() -> None:
    match = formats.read(DATA / "mat" / "gnubg.mat")
    for form in ("xg", "ogxm"):
        for time, lost in (("07:05:09", True), ("07:05", False), ("07:05:00", False)):
            dated = replace(match, info={"date": "2024-05-01", "time": time})
            assert ("seconds of the time" in FORMATS[form].losses(dated)) is lost
