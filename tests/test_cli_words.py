"""What people read on the command line: messages of wrong use, help at every width, where reports go."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from sixprime.cli import _COMMANDS
from sixprime.paths import sample_match

START = "4HPwATDgc/ABMA"
TOO_MANY = "XGID=-p----E-C---eE---c-e----B-:0:0:1:31:2:4:0:7:10"
BOTH_OFF = "AAAAAAAAAAAAAA"
PAGES = [(name,) for name in _COMMANDS] + [("bearoff", name) for name in ("build", "export", "import", "list", "show")]
PAGES += [("map", name) for name in ("temperature", "score", "losers", "levels")]

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def sixprime(sixprime: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Runs the command line in this process, in a folder with a game of a match, an empty folder and a text."""
    monkeypatch.chdir(tmp_path)
    Path("m.mat").write_bytes(sample_match().read_bytes().partition(b" Game 2")[0])
    Path("empty").mkdir()
    Path("text.txt").write_text("hello\n")
    return sixprime


WRONG = [
    # Words too many or missing.
    (["eval", START, "31"], 2, "eval has no use for the word '31'"),
    (["bench", "x", "y"], 2, "no use for the words 'x' 'y'"),
    (["bearoff", "list", "x"], 2, "see sixprime bearoff list --help"),
    (["cube"], 2, "cube needs ID"),
    (["duel", "standard"], 2, "duel needs B"),
    (["bearoff", "export", "15x6"], 2, "bearoff export needs --to"),
    (["hint", START, "--dice"], 2, "--dice needs a value"),
    (["hint", START, "--dice", "31", "--dice", "32"], 2, "--dice is given twice"),
    (["hint", START, "--json=maybe"], 2, "--json takes no value; found 'maybe'"),
    (["rating", "1500", "1500", "5", "--experience", "3"], 2, "--experience needs 2 values"),
    (["hint", START, "--dice", "-"], 2, "--dice needs a value"),
    (["export", "m.mat", "-o", "-", "--format", "png"], 2, "PNG"),
    (["picture", START, "board.svg"], 2, "the file to write is named with -o board.svg"),
    (["explain", START, "31", "13/10 6/5"], 2, "'13/10 6/5' behind the dice is a word too many"),
    (["explain", START, "13/10", "--dice", "31"], 2, "'13/10' behind the dice is a word too many"),
    (["bearoff", "show", START, "--chequers", "2"], 2, "Unknown option: --chequers"),
    (["export", "m.mat", "-o", "empty/"], 2, "-o empty is a folder; name a file in it, such as -o empty/match.txt"),
    (["export", "m.mat", "-o", "x"], 2, "'x' has no suffix; there are .txt"),
    *(
        ([*command, "AABAAQAACgAAAA", "--chequers", "4"], 2, "there are games of 1, 2, 3 and 15 chequers a side")
        for command in (["eval"], ["hint"], ["cube"], ["map", "score"])
    ),
    (["duel", "a", "b", "--clear", "x"], 2, "expected a number, found 'x'"),
    # Dice.
    (["hint", START, "31", "42"], 2, "two digits from 1 to 6, such as 31; got '31 42'"),
    (["hint", START, "3", "7"], 2, "got '3 7'"),
    (["rollout", START, "3"], 2, "two digits from 1 to 6"),
    (["rollout", START, "31", "--play", "8/2"], 1, "no legal play"),
    # Values that are empty: variables of the shell that were never set.
    (["eval", START, "--met", ""], 2, "--met needs a value; found ''"),
    (["analyse", "m.mat", "-o", ""], 2, "-o needs a value; found ''"),
    (["train", "run", "--recipe="], 2, "--recipe needs a value; found ''"),
    (["train", ""], 2, "FOLDER must be the name of a file or folder; found ''"),
    (["analyse", ""], 2, "FILES must be the name of a file or folder; found ''"),
    (["convert", "", "x.sgf"], 2, "PATHS must be names of files or folders; found ''"),
    (["quiz", ""], 2, "WHAT must be names of files or folders, or openings or replies; found ''"),
    (["settings", "set", "engine.net", ""], 2, "engine.net must be a name. Got '' instead."),
    # Options one by one.
    (["hint", START, "--dice", "x"], 2, "--dice: dice are two digits from 1 to 6, such as 31; got 'x'"),
    (["dice", "--rng", "x" * 99], 2, "--rng must be one of system, "),
    (["drill", "pips", "--seed", "9" * 20], 2, "--seed. Must be <= 9223372036854775807"),
    (["quiz", "m.mat", "--encoding", "WRONG"], 2, "--encoding must be the name of a text encoding"),
    (["cards", "m.mat", "--encoding", "WRONG", "--to", "x.apkg"], 2, "--encoding must be the name of a text encoding"),
    (["train", "run", "--races", "--seed", "0"], 2, "--races goes with --save only, not with --seed"),
    (["train", "run", "--recipe", "hour", "--lessons", "empty"], 2, "--lessons empty holds no lessons"),
    (["signatures", "m.mat", "--key-id", "x"], 2, "--key-id says what a new signature calls its key"),
    (["signatures", "m.mat", "--out", "x"], 2, "and --out with --sign"),
    (["web", "--host", "\u202e"], 2, "--host must be an address or the name of a machine; found '\\u202e'"),
    (["external", "--host", "\u202e"], 2, "--host must be an address or the name of a machine"),
    (["web", "--host", "0.0.0.0", "--token", "x" * 15], 2, "--token must have at least 16 characters"),
    (["web", "--certificate", "empty"], 2, "--certificate empty is no file that is there"),
    # Positions and files that are none.
    *(
        ([command, TOO_MANY], 1, "a side has 29 chequers, more than the 15 of the game")
        for command in ("eval", "hint", "cube", "race")
    ),
    *(([command, BOTH_OFF], 1, "both sides have borne off everything") for command in ("eval", "rollout", "cube")),
    (["bearoff", "show", START, "--hyper", "2"], 1, "a side has 15 chequers, more than the 2 of the game"),
    *(([command, "m.mat"], 2, "sixprime analyse m.mat judges") for command in ("eval", "hint", "cube", "race")),
    (["bearoff", "show", "m.mat"], 2, "m.mat is a file, no ID"),
    (["eval", "empty"], 2, "empty is a folder, no ID"),
    (["eval", ""], 1, "'' is no position ID"),
    # Formats.
    (["convert", "m.mat", "m.bgf"], 2, "BGBlitz match can be read, not written; formats that can be written: "),
    (["convert", "m.mat", "--to", "bgf"], 2, "BGBlitz match can be read, not written"),
    (["convert", "m.mat", "m.pdf"], 2, "end in '.pdf'; formats that can be written: .xg, .xgp"),
    (["convert", "m.mat", "m"], 2, "'m' has no suffix"),
    (["convert", "m.mat", "--to", "pdf"], 2, "'pdf' is no format"),
    (["convert", "empty", "x.sgf"], 2, "there are no files in empty"),
    (["analyse", "empty"], 2, "there are no files in empty"),
    (["quiz", "empty"], 2, "there are no files in empty"),
    (["cards", "empty", "--to", "x.apkg"], 2, "there are no files in empty"),
    # Where to write.
    (["analyse", "m.mat", "--html", "x.pdf"], 2, "ends in .html or .htm, or into a folder such as x/; got x.pdf"),
    (["analyse", "m.mat", "--html", "text.txt"], 2, "ends in .html"),
    (["analyse", "m.mat", "--sample", "--html", "x.html"], 2, "2 matches do not go into one file"),
    (["cube", START, "--svg", "x.png"], 2, "--svg writes a file that ends in .svg"),
    (["cube", START, "--svg", "empty"], 2, "--svg empty is a folder"),
    (["cube", START, "--svg", "text.txt/x.svg"], 1, "text.txt: a folder was expected, this is a file"),
    (["met", "woolsey", "--xml", "empty"], 2, "--xml empty is a folder"),
    (["bearoff", "build", "15x8", "--gnubg", "text.txt/x.bd"], 1, "text.txt: a folder was expected"),
    (["bearoff", "build", "15x8", "--gnubg", "x" * 250], 1, "xxx: File name too long"),
    (["bearoff", "export", "15x8", "--to", "text.txt/a/x.bd"], 1, "text.txt: a folder was expected"),
    (["train", "run", "--recipe", "small", "--save", "text.txt/x"], 1, "text.txt: a folder was expected"),
    (["duel", "small", "small", "--state", "text.txt/x"], 1, "text.txt: a folder was expected"),
    # Settings, before any file is read.
    (["analyse", "m.mat", "--trials", "40"], 2, "it goes with --rollout"),
    (["analyse", "nosuch.mat", "--level", "nobody"], 2, "level must be one of"),
    (["analyse", "nosuch.mat", "--filter", "wide"], 2, "filter must be one of"),
    (["analyse", "nosuch.mat", "--net", "nobody"], 1, "the package has the nets small, standard"),
    (["analyse", "nosuch.mat", "--met", "nobody"], 2, "tables are"),
    (["analyse", "nosuch.mat", "--cube-model", "nobody"], 2, "choose one of"),
    (["analyse", "nosuch.mat", "--executor", "nowhere"], 2, "dask://HOST:PORT"),
    # Files of another kind.
    (["hint", START, "31", "--net", "text.txt"], 1, "text.txt is not a network file of Sixprime"),
    (["bearoff", "import", "text.txt"], 1, "not a bear-off database of GNU Backgammon"),
    (["train", "empty", "--resume"], 1, "no complete training run"),
]
CODE = re.compile(
    r"b'|\[Errno|Position\(|Position\.|[A-Z]+_[A-Z]+|'\w+' parameter|Unused Tokens|/tmp\w{6,}|object at|char 0"
)


@pytest.mark.parametrize(
    ("arguments", "status", "hint"), WRONG, ids=lambda value: " ".join(value) if isinstance(value, list) else ""
)
def test_wrong_use_is_said_in_words(sixprime: Run, arguments: list[str], status: int, hint: str) -> None:
    found, out, err = sixprime(*arguments)
    assert (found, out) == (status, "")
    assert hint in err
    assert err.startswith("sixprime: ")
    assert err.count("\n") == 1
    assert not CODE.search(err)


def test_a_folder_that_cannot_be_written_is_named_as_the_user_did(
    sixprime: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(folder: Path, name: str) -> None:
        raise PermissionError(13, "Permission denied", "/somewhere/tmp1234567")

    monkeypatch.setattr("sixprime.cli._common.try_writing", refuse)
    for arguments, name in (
        (["analyse", "m.mat", "--html", "x.html"], "x.html"),
        (["cube", START, "--svg", "y.svg"], "y.svg"),
    ):
        assert sixprime(*arguments) == (1, "", f"sixprime: {name}: Permission denied\n")


def test_names_of_files_steer_no_terminal(sixprime: Run) -> None:
    said = "sixprime: x?[2J?.mat: cannot be read: No such file or directory\n"
    assert sixprime("dice", "x\x1b[2J\u202e.mat") == (1, "", said)


def test_a_missing_folder_of_what_is_written_is_made(sixprime: Run) -> None:
    for arguments in (
        ["picture", START, "-o", "new/a/b.svg"],
        ["met", "woolsey", "--xml", "new/b/m.xml"],
        ["convert", "m.mat", "new/c/m.sgf"],
        ["bearoff", "build", "two-sided", "2x2", "--gnubg", "new/d/x.bd"],
        ["duel", "small", "small", "--pairs", "1", "--state", "new/e/state"],
    ):
        assert sixprime(*arguments).status == 0
        assert Path(arguments[-1]).is_file()


def test_what_is_wrong_is_found_without_numba(tmp_path: Path) -> None:
    """One process for all: were the engine imported by any of them, a user would wait for it."""
    (tmp_path / "m.mat").write_bytes(sample_match().read_bytes())
    lines = [
        ["hint", START, "31", "--level", "nobody"],
        ["hint", START, "31", "--filter", "wide"],
        ["hint", START, "31", "--net", "nobody"],
        ["eval", START, "--cube-model", "nobody"],
        ["eval", TOO_MANY],
        ["cube", START, "--svg", "x.png"],
        ["rollout", START, "--filter", "wide"],
        ["rollout", START, "31", "--play", "8/2"],
        ["analyse", "m.mat", "--level", "nobody"],
        ["analyse", "m.mat", "--executor", "nowhere"],
        ["analyse", "m.mat", "--html", "x.pdf"],
        ["bench", "--net", "nobody"],
        ["bearoff", "build", "99"],
        ["bearoff", "build", "hyper", "4"],
        ["bearoff", "export", "15x19", "--to", "x.bd"],
        ["bearoff", "export", "6x6", "--to", "m.mat/x.bd"],
        ["calibrate", "--seconds", "0"],
    ]
    code = (
        "import sys\nfrom sixprime.cli import main\n"
        f"for line in {lines!r}:\n"
        "    try:\n        main(line)\n    except SystemExit as ended:\n        assert ended.code, line\n"
        "    assert 'numba' not in sys.modules, line\n"
    )
    result = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=100)
    assert result.returncode == 0, result.stderr
    assert result.stderr.count("sixprime: ") == len(lines)


@pytest.mark.parametrize("words", [("31",), ("3", "1"), ("--dice", "3", "1"), ("--dice", "31"), ("3-1",)])
def test_dice_as_people_write_them(sixprime: Run, words: tuple[str, ...]) -> None:
    _, out, _ = sixprime("hint", START, *words, "--plies", "0", "--json")
    assert '"dice": [3, 1]' in out


# Where reports go.


@pytest.mark.parametrize(
    ("html", "written"),
    [
        ("out/", "out/m.html"),
        ("out", "out/m.html"),
        ("empty", "empty/m.html"),
        ("a.b/", "a.b/m.html"),
        ("r.HTM", "r.HTM"),
    ],
)
def test_a_report_of_one_match(sixprime: Run, html: str, written: str) -> None:
    status, _, err = sixprime("analyse", "m.mat", "--plies", "0", "--filter", "tiny", "--html", html)
    assert (status, err) == (0, f"Report: {written}\n")
    assert Path(written).read_text(encoding="utf-8").startswith("<!doctype html>")


@pytest.mark.parametrize(
    ("option", "out", "where"),
    [
        ("--html", "p.html", "in the HTML report"),
        ("--html", "pages/", "in the HTML report"),
        ("--save", "p.sgf", "in what --save writes"),
    ],
)
def test_a_position_alone_is_in_no_report(sixprime: Run, option: str, out: str, where: str) -> None:
    xgid = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:3:0:10"
    Path("p.txt").write_text(f"{xgid}\n", encoding="utf-8")
    status, said, err = sixprime("analyse", "p.txt", "--plies", "0", option, out)
    assert (status, err) == (0, f"sixprime: positions without a game are not {where}\n")
    assert xgid in said
    assert not Path(out).is_file()


# Help.

WITHOUT_OPTIONS = [("shell",), ("gnubg",)]
"""Pages that only say what the command is for."""


@pytest.mark.parametrize("columns", [80, 120])
@pytest.mark.parametrize("page", PAGES, ids=" ".join)
def test_lines_of_help_break_where_the_terminal_ends(
    sixprime: Run, monkeypatch: pytest.MonkeyPatch, page: tuple[str, ...], columns: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    _, out, _ = sixprime(*page, "--help")
    lines = [line for line in out.splitlines() if line.startswith("│")]
    assert lines or page in WITHOUT_OPTIONS
    for line, below in pairwise(lines):
        more = re.match(r"│( {6,})(\S+)", below)
        if more is None:
            continue  # another entry
        start = line.rstrip("│ ").ljust(len(more[1]))
        assert len(start) + 1 + len(more[2]) > len(line) - 2, f"{line}\n{below}"


@pytest.mark.parametrize("page", PAGES, ids=" ".join)
def test_paragraphs_of_help_break_where_the_terminal_ends(sixprime: Run, page: tuple[str, ...]) -> None:
    _, out, _ = sixprime(*page, "--help")
    about = out.partition("╭")[0].partition("Example:")[0]
    for line, below in pairwise(about.splitlines()[1:]):
        if line.strip() and below.strip():
            assert len(line.rstrip()) + 1 + len(below.split()[0]) > 80, f"{line}\n{below}"


@pytest.mark.parametrize("page", PAGES, ids=" ".join)
def test_the_example_of_a_page_is_its_own(sixprime: Run, page: tuple[str, ...]) -> None:
    _, out, _ = sixprime(*page, "--help")
    [example] = re.findall(r"^Example:  (.*)$", out, re.MULTILINE)
    assert example.startswith(f"sixprime {' '.join(page)} ") or example == f"sixprime {' '.join(page)}"


@pytest.mark.parametrize(
    "page", [("eval",), ("hint",), ("cube",), ("race",), ("rollout",), ("bearoff", "show")], ids=" ".join
)
def test_help_names_every_kind_of_id(sixprime: Run, page: tuple[str, ...]) -> None:
    text = " ".join(sixprime(*page, "--help")[1].replace("│", " ").split())
    assert "positionid:matchid, XGID, OGID or a FIBS board line" in text


def test_a_terminal_that_does_not_know_its_width(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "sixprime", "rating", "1500", "1500", "5", "--help"]
    shown = subprocess.run(command, env={**os.environ, "COLUMNS": "0"}, capture_output=True, text=True, check=True)
    assert max(map(len, shown.stdout.splitlines())) == 80


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_a_dumb_terminal_is_as_wide_as_it_is() -> None:
    import pty
    import termios

    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (24, 60))
    environment = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
    command = [sys.executable, "-m", "sixprime", "rating", "--help"]
    with subprocess.Popen(command, env={**environment, "TERM": "dumb"}, stdout=theirs):
        os.close(theirs)
        lines = [os.read(ours, 1 << 16).decode()]
        while "Example:" not in lines[-1]:
            lines.append(os.read(ours, 1 << 16).decode())
    os.close(ours)
    assert max(map(len, "".join(lines).splitlines())) <= 60


def test_a_pipe_is_not_replaced_by_a_file(sixprime: Run) -> None:
    if not hasattr(os, "mkfifo"):
        pytest.skip("no pipes here")
    os.mkfifo("pipe")
    found, out, err = sixprime("met", "woolsey", "--xml", "pipe")
    assert (found, out, err) == (1, "", "sixprime: pipe: is a pipe or a device, not a regular file\n")
    assert Path("pipe").is_fifo()


@pytest.mark.parametrize("option", ["--token", "--name"])
def test_what_is_for_others_is_refused_where_none_is_let_in(sixprime: Run, option: str) -> None:
    pytest.importorskip("starlette")
    found, out, err = sixprime("web", option, "x" * 20)
    assert (found, out) == (2, "")
    assert err == f"sixprime: {option} is for others on the network, whom --host 127.0.0.1 does not let in\n"


def test_trusted_keys_are_read_before_anything_is_signed(sixprime: Run) -> None:
    pytest.importorskip("cryptography")
    Path("own").write_bytes(bytes(32))
    assert sixprime("convert", "m.mat", "m.ogxm")[0] == 0
    found, _, err = sixprime("signatures", "m.ogxm", "--sign", "own", "-o", "signed.ogxm", "--trusted", "none")
    assert (found, err) == (1, "sixprime: none: cannot be read: No such file or directory\n")
    assert not Path("signed.ogxm").exists()
