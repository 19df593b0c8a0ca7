"""Every command of GNU Backgammon with plausible arguments answers, and writes the files that it names."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from sixprime.command import Interpreter
from sixprime.command.state import State
from sixprime.command.tables import ROOT
from sixprime.gnubg.desk import interpreter

DATA = Path(__file__).parent / "data"
LEAVES = (DATA / "gnubg_leaves.txt").read_text().splitlines()
USUAL = {
    "on|off": "on",
    "<plies>": "1",
    "<std dev>": "0.1",
    "<value>": "1",
    "[seed]": "5",
    "<ply> <level> <number to accept, below 0 to skip> [<number of extra moves> <tolerance>]": "2 0 0 8 0.16",
    "<minimum games to rollout>": "144",
    "<comment>": "a word about it",
    "<trials>": "36",
    "<joint standard deviations>": "2.5",
    "<fraction>": "0.5",
    "evaluation|rollout": "evaluation",
    "<name>": "Ann",
    "<player>": "0",
    "[points]": "3",
    "[number]": "2",
    "<from> <to> ...": "8/5 6/5",
    "<query>": "name from player",
    "[dbtype=SQLite] [dbname=<file>]": "dbtype=SQLite",
    "<number>": "3",
    "<position>": "4HPwATDgc/ABMA",
    "<size>": "1024",
    "<milliseconds>": "10",
    "<die> <die>": "6 5",
    "<name> <name>": "A B",
    "system|<language code>": "en",
    "<matchid>": "cIkFAAAAAAAA",
    "<gnubgid>": "4HPwATDgc/ABMA:cIkFAAAAAAAA",
    "<xgid>": "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:7:10",
    "<length>": "5",
    "[length]": "5",
    "<prompt>": ">",
    "<score> [length]": "1 2",
    "<warning> on|off": "gameover off",
    "yes|no|ask": "yes",
    "[yyyy-mm-dd]": "2024-05-06",
    "<player> [rating]": "0 1800",
    "<priority>": "0",
    "<rank>": "1",
    "<URL>": "pictures/",
    "<command>": "play",
    "<host>:<port>": "localhost:1",
    "[rounds]": "1",
    "[quiet]": "quiet",
}
"""By usage, what follows a command."""
OWN = {
    "import auto": "m.mat",
    "import mat": "m.mat",
    "import gam": "m.gam",
    "import oldmoves": "m.oldmoves",
    "import empire": "m.empire",
    "import party": "m.party",
    "import bgroom": "m.bgroom",
    "import pos": "m.pos",
    "import sgg": "m.sgg",
    "import snowietxt": "m.txt",
    "import tmg": "m.tmg",
    "load commands": "m.commands",
    "load python": "m.py",
    "load position": "m.sgf",
    "load game": "m.sgf",
    "load match": "m.sgf",
    "load weights": "",
    "set matchequitytable": "zadeh",
    "set met": "zadeh",
    "set rng file": "m.dice",
    "set cube value": "2",
    "set cube owner": "1",
    "set turn": "1",
    "set automatic doubles": "2",
    "set matchinfo date": "2024-05-06",
    "resign": "normal",
    "dicerolls": "2",
    "eq2mwc": "0.5",
    "mwc2eq": "0.5",
    "save settings": "settings",
    "set export folder": ".",
    "external": "",
    "relational erase player": "Ann",
    "relational show details": "Ann",
    "rollout": "",
}
FIRST = {
    "agree": "resign 1",
    "accept": "resign 1",
    "decline": "resign 1",
    "reject": "resign 1",
    "take": "double",
    "drop": "double",
    "pass": "double",
    "redouble": "new session|set dice 3 1|8/5 6/5|double",
    "beaver": "new session|set dice 3 1|8/5 6/5|double",
    "move": "set dice 3 1",
    "roll": "clear turn",
    "double": "clear turn",
    "play": "set player both gnubg|set player both chequer evaluation plies 0",
    "end game": "set player both chequer evaluation plies 0|set player both cube evaluation plies 0",
    "set dice": "clear turn",
    "set crawford": "set score 6 3",
    "set postcrawford": "set score 6 3",
    "show bearoff": "set board CgAAEAEAAAAAAA|clear turn",
    "show onesidedrollout": "set board 2x0AAOi2AQAAAA",
    "rollout": "set rollout trials 2|set rollout truncation enable on|set rollout truncation plies 2",
    "show kleinman": "set board 2x0AAOi2AQAAAA",
}
"""By command, what is done before it, separated by bars."""
ANALYSED = ("annotate", "cmark", "analyse rollout", "analyze rollout", "analyse clear", "analyse move")
SILENT = (
    "clear",
    "cmark",
    "annotate",
    "exit",
    "quit",
    "export",
    "save match",
    "save game",
    "save position",
    "first",
    "next",
    "previous",
    "load commands",
    "load python",
    "set output output",
    "analyse",
    "relational",
    "swap players",
    "set confirm default",
    "set export folder",
    "set import folder",
    "set sgf folder",
)
"""What says nothing there either when all is well, or only where a person watches."""


Desk = tuple[Interpreter, tuple[State, State], list[str], Path]


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """An interpreter in a folder with files of every form; a match at its opening and one that was analysed."""
    folder = tmp_path_factory.mktemp("leaves")
    for path in (DATA / "formats").glob("match.*"):
        shutil.copy(path, folder / f"m{path.suffix}")
    for name, source in {"m.mat": "mat/gnubg.mat", "m.sgf": "sgf/analysed.sgf", "m.pos": "positions/b1.pos"}.items():
        shutil.copy(DATA / source, folder / name)
    (folder / "m.commands").write_text("show jacoby\n")
    (folder / "m.py").write_text("print(1)\n")
    (folder / "m.dice").write_text("31 65 22")
    said: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setattr("os.setpriority", lambda *given: None)
        patch.setenv("HOME", str(folder))
        patch.setenv("SIXPRIME_DATA", str(folder / "data"))
        shell = interpreter(said.append, said.append)
        shell.settings = str(folder / "gnubgautorc")
        shell.run_lines(
            [
                *("set player both human", "set automatic game off", "set automatic roll off", "set rng mersenne 5"),
                *("set analysis chequer evaluation plies 0", "set analysis cubed evaluation plies 0"),
                *("set evaluation chequer evaluation plies 0", "set evaluation cubed evaluation plies 0"),
                *("new match 7", "export match snowietxt m.txt"),
            ]
        )
        start = shell.state
        shell.run_lines(
            [
                *("set rollout trials 2", "set rollout truncation enable on", "set rollout truncation plies 2"),
                *("load match m.sgf", "first game", "next 3"),
            ]
        )
        yield shell, (start, shell.state), said, folder


def called(words: str) -> str:
    """A command; players stand where a word between is asked for."""
    node, line = ROOT, []
    for word in words.split():
        node = node.below(word)
        line.append(word)
        if node.argument is not None:
            line.append("0")
    return " ".join(line)


def with_arguments(words: str) -> str:
    """A command with arguments that fit."""
    usage = ROOT.below(words).usage
    if words in OWN:
        after = OWN[words]
    elif usage in USUAL:
        after = USUAL[usage]
    elif "file" in usage:
        after = f"out.{words.split()[-1]}"
    else:
        after = "pictures" if "folder" in usage else ""
    return f"{called(words)} {after}".strip()


def test_every_usage_has_arguments() -> None:
    usages = {ROOT.below(words).usage for words in LEAVES if words not in OWN}
    assert not [
        each for each in usages - {""} if not (each in USUAL or "file" in each or "folder" in each or "[" in each)
    ]


@pytest.mark.timeout(400)  # 28 exports
@pytest.mark.parametrize("group", sorted({words.split()[0] for words in LEAVES}))
def test_every_command_answers(group: str, desk: Desk) -> None:
    """Nothing is unknown, nothing is refused as not done, and what says nothing is known to."""
    shell, (start, known), said, folder = desk
    wrong = []
    for words in (each for each in LEAVES if each.split()[0] == group):
        shell.state, shell.ended = known if words.startswith(ANALYSED) else start, False
        before = FIRST[words].split("|") if words in FIRST else []
        shell.run_lines(before)
        said.clear()
        shell.run(with_arguments(words))
        text = "".join(said)
        silent = words.startswith(SILENT) or words.endswith(" movefilter")
        if not (text.strip() or silent) or "Unknown keyword" in text or "not done" in text or "Traceback" in text:
            wrong.append((words, text[:200]))
        if (
            words.startswith(("export ", "save "))
            and "clipboard" not in words
            and not any([*folder.glob("out.*"), *folder.glob("pictures/*"), *folder.glob("settings")])
        ):
            wrong.append((words, "no file"))
        state = shell.state
        assert (state.table is None) == (state.match is None), words
        assert state.table is None or state.table.legal().kinds is not None, words
    shell.state = start
    assert not wrong, wrong
