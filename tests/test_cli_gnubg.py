"""`sixprime gnubg`: how it is started, and what it reads first."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from sixprime.cli import main
from sixprime.command import Interpreter

Start = Callable[..., tuple[int, str, str]]
MATCH = Path(__file__).parent / "data" / "mat" / "gnubg.mat"


@pytest.fixture
def start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Start:
    """Starts it in a home of its own; returns exit status, output and complaints."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)

    def run(*words: str, stdin: str = "") -> tuple[int, str, str]:
        (tmp_path / "stdin").write_bytes(stdin.encode("utf-8", "surrogateescape"))
        with (tmp_path / "stdin").open(encoding="utf-8") as stream:
            monkeypatch.setattr("sys.stdin", stream)
            with pytest.raises(SystemExit) as ended:
                main(["gnubg", *words])
        out, err = capsys.readouterr()
        return int(ended.value.code or 0), out, err

    return run


def test_standard_input(start: Start) -> None:
    status, out, err = start("-tq", stdin="show matchlength\nnonsense\nquit\nshow jacoby\n")
    assert status == 0
    assert "New matches default to 7 points.\n" in out
    assert "Jacoby" not in out
    assert err == "Unknown keyword `nonsense'.\n\n"


@pytest.mark.parametrize(("number", "goes_on"), [(signal.SIGINT, True), (signal.SIGTERM, False)])
def test_an_interrupt_ends_the_line_being_done(
    start: Start, monkeypatch: pytest.MonkeyPatch, number: int, goes_on: bool
) -> None:
    run = Interpreter.run

    def interrupted(shell: Interpreter, line: str) -> None:
        run(shell, line)
        if line.startswith("show dice"):
            signal.raise_signal(number)

    monkeypatch.setattr(Interpreter, "run", interrupted)
    status, out, err = start("-tq", stdin="show dice\nshow matchlength\n")
    assert ("New matches default to 7 points.\n" in out) == (status == 0) == goes_on
    assert "(Interrupted)\n" in err


def test_a_file_of_commands_ends_it(start: Start, tmp_path: Path) -> None:
    (tmp_path / "one.txt").write_text("show matchlength\n")
    (tmp_path / "two.py").write_text("import gnubg\nprint('python')\n")
    _, out, _ = start("-t", "-q", "-c", "one.txt", stdin="show jacoby\n")
    assert "New matches default" in out
    assert "Jacoby" not in out
    _, out, _ = start("-t", "--commands=one.txt", "-p", "two.py")
    assert "New matches default" in out
    assert "python" not in out
    _, out, _ = start("-t", "-c", "/dev/stdin", stdin="show jacoby\n")
    assert "Jacoby" in out
    status, out, err = start("-t", "-c", "none.txt")
    assert (status, err) == (0, "none.txt: No such file or directory\n")


def test_a_script_ends_it(start: Start, tmp_path: Path) -> None:
    script = "import gnubg\ngnubg.command('show matchlength')\nprint(__name__)\n"
    (tmp_path / "one.py").write_text(script)
    status, out, _ = start("-t", "-q", "-p", "one.py", stdin="show jacoby\n")
    assert status == 0
    assert "New matches default to 7 points.\n__main__\n" in out
    assert "Jacoby" not in out


def test_commands_of_older_programs(start: Start, tmp_path: Path) -> None:
    commands = "set player 0 name J\udcf6rg\nshow player\n"
    (tmp_path / "one.txt").write_bytes(commands.encode("utf-8", "surrogateescape"))
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "gnubgrc").write_bytes((tmp_path / "one.txt").read_bytes())
    for words, stdin in (
        (("-c", "one.txt"), ""),
        ((), commands),
        ((), "load commands one.txt\n"),
        (("-s", str(mine)), "show player\n"),
    ):
        status, out, err = start("-t", *words, stdin=stdin)
        assert (status, err) == (0, "")
        assert "Name: Jörg\n" in out


def test_folders(start: Start, tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "gnubgautorc").write_text("set matchlength 11\n")
    assert "11 points" in start("-t", "-s", str(mine), stdin="show matchlength\n")[1]
    assert "7 points" in start("-t", "-r", "-s", str(mine), stdin="show matchlength\n")[1]
    start("-t", "-r", "--prefsdir", str(mine), stdin="set matchlength 13\nsave settings\n")
    assert "13 points" in start("-t", "-s", str(mine), stdin="show matchlength\n")[1]
    assert "language preference is set to C." in start("-t", "-r", "--lang=C", stdin="show lang\n")[1]


def test_tables_are_found_in_the_folder_of_data(start: Start, tmp_path: Path) -> None:
    made = """<?xml version="1.0"?><!DOCTYPE met PUBLIC "-//GNU Backgammon//DTD Match Equity Tables//EN" "met.dtd"><met>
    <info><name>Of mine</name><description>none</description><length>1</length></info>
    <pre-crawford-table type="explicit"><row><me>0.5</me></row></pre-crawford-table>
    <post-crawford-table player="both" type="explicit"><row><me>0.5</me></row></post-crawford-table></met>"""
    (tmp_path / "data" / "met").mkdir(parents=True)
    (tmp_path / "data" / "met" / "mine.xml").write_text(made)
    found = start("-t", "-r", "-D", str(tmp_path / "data"), stdin="set met mine.xml\n")
    assert "will now use the Of mine match equity table" in found[1]
    assert "mine.xml" in start("-t", "-r", stdin="set met mine.xml\n")[2]


def test_a_match_that_is_named_is_loaded(start: Start) -> None:
    assert "gnubg 3, root 5" in start("-t", "-r", str(MATCH), stdin="show score\n")[1]
    assert "No such file" in start("-t", "-r", "none.sgf")[2]


def test_versions_and_wrong_options(start: Start) -> None:
    status, out, _ = start("-v", stdin="show jacoby\n")
    assert status == 0
    assert out.startswith("Sixprime ")
    assert "GNU Backgammon 1.07" in out  # programs read the number behind the name
    assert "Jacoby" not in out
    assert start("--version")[1] == out
    status, _, err = start("-t", "--nonsense")
    assert status == 1
    assert err.startswith("Unknown option --nonsense")
    status, _, err = start("-c")
    assert status == 1
    assert err.startswith("Unknown option -c: option -c requires argument")


def test_a_link_called_gnubg(tmp_path: Path) -> None:
    program = tmp_path / "sixprime"
    program.write_text("from sixprime.cli import main\nmain()\n")
    for name in ("gnubg", "gnubg-cli.exe"):
        (tmp_path / name).symlink_to(program)
    told = [
        subprocess.run(
            [sys.executable, str(tmp_path / name), *words, "-t", "-q", "-r"],
            input="show matchlength\n",
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for name, words in (("gnubg", []), ("gnubg-cli.exe", []), ("sixprime", ["gnubg"]))
    ]
    assert "New matches default to 7 points." in told[0]
    assert told[0] == told[1] == told[2]


def test_a_script_says_with_what_it_ends(start: Start, tmp_path: Path) -> None:
    """Programs that start a script tell by the exit status what became of it."""
    for code, status, complaint in (("3", 3, ""), ("None", 0, ""), ("'why'", 1, "why\n")):
        (tmp_path / "one.py").write_text(f"import sys\nsys.exit({code})\n")
        assert start("-t", "-p", "one.py")[::2] == (status, complaint)
        again, out, err = start("-t", stdin="load python one.py\nshow jacoby\n")
        assert (again, err) == (status, complaint)
        assert "Jacoby" not in out


def test_the_person_is_called_as_the_system_says(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    for login, called in (("jane", "jane"), ("gnubg", "you"), (" ", "you")):
        monkeypatch.setenv("LOGNAME", login)
        found = start("-t", "-r", stdin="show score\nset player 0 name You\nnew match 3\nset turn 1\nshow turn\n")
        assert f"gnubg 0, {called} 0" in found[1]
        assert f"{called} is on roll" in found[1]
        assert ("now known as `You'" in found[1]) == (called != "you")


@pytest.mark.parametrize("error", [ImportError, KeyError, OSError])
def test_nobody_the_system_knows(start: Start, monkeypatch: pytest.MonkeyPatch, error: type[Exception]) -> None:
    """What Python raises is another thing by version and system."""

    def unknown() -> str:
        raise error

    monkeypatch.setattr("getpass.getuser", unknown)
    assert "gnubg 0, you 0" in start("-t", "-r", stdin="new match 3\nshow score\n")[1]


def test_settings_may_give_the_name_of_the_system_to_the_other_side(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    start("-t", stdin="set player 0 name jane\nset player 1 name bob\nsave settings\n")
    monkeypatch.setenv("LOGNAME", "jane")
    assert "jane 0, bob 0" in start("-t", stdin="new session\nshow score\n")[1]
