"""Scripts in GNU Backgammon's language, what they say here, and how that differs from what they say there.

A script of `tests/data/scripts` begins with comments: `# needs:` names files of tests/data that lie beside it,
`# with:` one that is made of the lines `# | ...` below, `# module:` what must be installed, and `# allowed:` the
differences, by their names in `ALLOWED`, that its transcript may have. A `.py` is run by `-p`, a `.cmd` by `-c`.
"""

from __future__ import annotations

import difflib
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

DATA = Path(__file__).parent / "data"
SCRIPTS = sorted((DATA / "scripts").iterdir())
START = ("-t", "-q", "-r")
LIMIT = 300
"""Seconds that the other program may take."""


@dataclass(frozen=True)
class Script:
    """A script: its own text, the names of files of tests/data and those that are made, the differences allowed, the
    modules without which it cannot be run."""

    path: Path
    text: str
    needs: tuple[str, ...]
    made: dict[str, str]
    allowed: tuple[str, ...]
    modules: tuple[str, ...] = ()

    @classmethod
    def of(cls, path: Path) -> Script:
        """The script of a file."""
        needs: list[str] = []
        allowed: list[str] = []
        modules: list[str] = []
        made: dict[str, str] = {}
        name, text = "", path.read_text(encoding="utf-8")
        for line in text.splitlines():
            match line.partition(": ")[0]:
                case "# needs":
                    needs += line.split()[2:]
                case "# allowed":
                    allowed += line.split()[2:]
                case "# module":
                    modules += line.split()[2:]
                case "# with":
                    name = line.split()[2]
                    made[name] = ""
                case _ if line.startswith("# | "):
                    made[name] += f"{line[4:]}\n"
        return cls(path, text, tuple(needs), made, tuple(allowed), tuple(modules))

    def lay(self, folder: Path) -> list[str]:
        """Lays what it needs into a folder; returns the words that start it."""
        for name in self.needs:
            shutil.copy(DATA / name, folder)
        for name, text in self.made.items():
            (folder / name).write_text(text, encoding="utf-8")
        if self._option is None:
            return [*START]
        shutil.copy(self.path, folder)
        return [*START, self._option, self.path.name]

    @property
    def stdin(self) -> str:
        """What it is on standard input."""
        return self.text if self._option is None else ""

    @property
    def _option(self) -> str | None:
        return {".py": "-p", ".cmd": "-c"}.get(self.path.suffix)


@dataclass(frozen=True)
class Transcript:
    """What came of a script: lines of both streams, the status, and the files that it wrote."""

    out: str
    err: str
    status: int
    files: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.out}--- errors\n{self.err}--- status {self.status}\n--- files\n" + "".join(
            f"{name}\n" for name in self.files
        )


def written(folder: Path, before: Sequence[Path]) -> tuple[str, ...]:
    """The files below a folder that were not there before, and are not empty."""
    found = sorted(path for path in folder.rglob("*") if path.is_file() and path not in before and path.stat().st_size)
    return tuple(str(path.relative_to(folder)) for path in found)


def theirs(script: Script, program: str, folder: Path) -> Transcript:
    """The transcript of GNU Backgammon, run in an empty folder with a home of its own."""
    home, work = folder / "home", folder / "work"
    home.mkdir(parents=True)
    work.mkdir()
    words = script.lay(work)
    before = list(work.rglob("*"))
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(
        [program, *words],
        input=script.stdin.encode(),
        cwd=work,
        env={**environment, "HOME": str(home), "PYTHONUNBUFFERED": "1"},
        capture_output=True,
        timeout=LIMIT,
        check=False,
    )
    out, err = (stream.decode("utf-8", "replace") for stream in (done.stdout, done.stderr))
    return Transcript(out, err, done.returncode, written(work, before))


# What is compared. A board is one item, so that a line of one cannot be taken for that of another.

_BOARD = re.compile(r"(?m)^ GNU Backgammon  Position ID: .*\n(?:.+\n)*")
_NUMBER = re.compile(r"[-+]?\d+\.\d+")
_USER = re.compile(r"\b(?:root|you)\b")
_RUN_TOGETHER = re.compile(
    "|".join(
        rf"(?<={end})(?=[^\s.]| GNU Backgammon)"
        for end in (
            r"points\)",
            r"point\)",
            r"play\)",
            r"game\)",
            r"rule\)",
            r"centred\.",
            r"by you\.",
            r"by gnubg\.",
            r"'\)\.",
            r"exports\.",
            r"filter'\)",
            r"T \+ 4\)",
        )
    )
)
"""Where the other program forgets the end of a line."""


def items(text: str) -> list[str]:
    """What a transcript says: boards, and lines that are not empty, without blanks at their ends.

    The person at the keyboard is called by his name there and "you" here.
    """
    text = _USER.sub("you", "\n".join(line.rstrip() for line in text.splitlines())) + "\n"
    text = _RUN_TOGETHER.sub("\n", text)
    found: list[str] = []
    at = 0
    for board in _BOARD.finditer(text):
        found += text[at : board.start()].split("\n")
        found.append(board[0].rstrip("\n"))
        at = board.end()
    found += text[at:].split("\n")
    return [item for item in found if item.strip()]


@dataclass(frozen=True)
class Allowed:
    """A difference that is allowed: why, and the items that only one side has. numbers: how far apart those of items
    that are else alike may be."""

    reason: str
    ours: str | None = None
    theirs: str | None = None
    numbers: Callable[[float, float], bool] | None = None

    def explains(self, item: str, *, here: bool) -> bool:
        """Whether an item that only one side has is part of the difference."""
        pattern = self.ours if here else self.theirs
        return pattern is not None and re.fullmatch(pattern, item, re.DOTALL) is not None


def _near(share: float, least: float) -> Callable[[float, float], bool]:
    return lambda here, there: abs(here - there) <= max(least, share * abs(there))


_BOARDS = r" GNU Backgammon  Position ID: .*"
_ID = rf"{_BOARDS}Match ID   : \S{{11}}"
_PLAYS = r" +\d+\. Cubeful \d-ply .*| +(?: *\d+\.\d+)+ -(?: +\d+\.\d+)+| +\d-ply cubeful.*"
_TABLE = (
    r"(?:Unmarked moves|Moves marked|Error (?:total|rate|based)|Chequerplay|Rolls (?:marked|unmarked)|Luck|Missed"
    r" doubles|"
    r"Wrong|Close or actual cube|Cube (?:decision rating|errors)|Snowie error|Overall rating) .*"
)
_PLAYED = rf"(?:you|gnubg) (?:wins|accepts|offers) .*|The score .*|.* has won the match\.|{_BOARDS}"
ALLOWED = {
    "banner": Allowed(
        "every program says who it is",
        r"Sixprime \S+, in the language of GNU Backgammon",
        r"GNU Backgammon \d.*|Copyright .*|This program comes with .*|This is free software, .*",
    ),
    "equities": Allowed("other nets: equities and chances", numbers=_near(0.15, 0.05)),
    "ranking": Allowed("other nets: plays that are about equal stand in another order", _PLAYS, _PLAYS),
    "statistics": Allowed(
        "other nets: what was an error, close or lucky; a Snowie rate in MWC is 0 there", _TABLE, _TABLE
    ),
    "boards": Allowed(
        "boards are drawn once, not before and after, and between the parts of an ID",
        None,
        rf"{_BOARDS}|Rolled \d\d:|board:.*",
    ),
    "hint-board": Allowed("`set board =1` is the position after the best play, not a wreck", _BOARDS, _BOARDS),
    "starts": Allowed("the start of a game has a board", None, r"No game in progress\."),
    "in-on": Allowed("a slip", r"\S+ is on (?:roll|move)\.", r"\S+ in on (?:roll|move)\."),
    "resigned": Allowed(
        "a game that is over has no offer to resign, nor is anybody on roll",
        r"(?!.*(?:On roll|Rolled)) GNU Backgammon  Position ID: .*",
        rf"{_BOARDS}On roll, resigns .*",
    ),
    "list-match": Allowed("`list match` lists the games", r" +\d+\. \d+-\d+  .*"),
    "scoresheet": Allowed("names of other lengths", r"-+", r"-+"),
    "quotes": Allowed("quotes are no part of a name", r".*(?:Zoë|Ünal|> ).*", r".*(?:Zoë|Ünal|> ).*"),
    "pictures": Allowed("boards in HTML need no pictures", None, r"html-images/.*\.png"),
    "sounds": Allowed(
        "sounds", r".*only programs with windows use it\.", r"Sounds .*|   [A-Z].* : .*|Disable sounds\."
    ),
    "own-words": Allowed(
        "what is not there is said in its own words; settings say where they are saved",
        r"\(Kept only: .*|No match in progress: .*|`en' is kept; .*|Settings saved to .*|InvalidPlayError"
        r"|Aliases for player 1.*|Scheduling priority .*|.*; only programs with windows use it\."
        r"|CSS stylesheet for HTML export: .*|Autosave every .*|`\S+' threshold set to .*|.*external player at .*",
        r"Locale 'en' .*| Scheduling priority .*|\(Note that .* non-zero value\.\)|  File \"<string>\".*"
        r"|SystemError|Match \w+ set to.*|.* \(unknown rating\) vs\. .*|(?:Event|Round|Annotator): .*"
        r"|Illegal keyword `foo'\.|Aliases for player 1.*|Show colours .*|You must specify either 0, 1 or 2"
        r"|Width of main window .*|Unknown warning foo\.|The `set delay' .*|.*: Connection refused"
        r"|`\S+' threshold set to .*"
        r"|Do not show window with analysis\.|Moves for .*",
    ),
    "history": Allowed("there is a history without a terminal, too", r" +\d+  .*"),
    "another-game": Allowed("other players play another game", _PLAYED, _PLAYED),
    "warnings": Allowed("warnings of its library", r"Generated using .*", r"\*\* \(gnubg:.*"),
    "lengths": Allowed(
        "a length that cannot be",
        r"Match length must be between 0 \(unlimited session\) and 64",
        r"GNU Backgammon is compiled .* of length 64|and below",
    ),
    "texts": Allowed("help, version, licence, credits are their own", r"(?s:.*)", r"(?s:.*)"),
    "no-such-id": Allowed("what is no position is refused, not read as one", r"'foo' is no position ID .*", r"(?s:.*)"),
    "jacoby": Allowed(
        "Jacoby's rule comes back when it is set, and sessions that are read have it",
        r"This money session is played with the .*|.*\(money session, with Jacoby rule\)\.",
        r"This money session is played with.*|.*\(money session, without Jacoby rule\)\.",
    ),
    "jacoby-bit": Allowed(
        "the last bit of a match ID is Jacoby's rule, which no match has; a position of Jellyfish has no players",
        rf"{_ID}[AE]\n.*",
        rf"{_ID}[AE]\n.*",
    ),
    "only-point": Allowed(
        "the only game of a match is no other one by `set score`",
        r"The score .* \(match to 1 point, post-Crawford play\)",
        r"The score .* \(match to 1 point\)",
    ),
    "unread": Allowed(
        "files that the other program does not read",
        rf"{_BOARDS}|The score \(after .*",
        r".*: not a valid \.mat file|This file is not a valid .*|The score \(after 0 games\) is: .*|free\(\): .*"
        r"|.*\.mat",
    ),
    "met-name": Allowed(
        "the name of a table, and how far one goes that the other program does not find",
        r"Match equity table: .*|N\. Zadeh.*|GNU.*table\.|Note that this match equity table .*|For scores above .*",
        r"Match equity table: .*|\(met/.*|GNU.*table\.",
    ),
    "cleared": Allowed("hints need not be cleared", None, r"Analysis used for `hint' has been cleared"),
    "percent": Allowed("60% is 60 %", r"Equity for MWC = .*", r"Equity for MWC = .*"),
    "seed": Allowed(
        "a seed that was set stays with another generator", r"Seed set to \d+\.", r"Seed initialised from system .*"
    ),
    "rolls": Allowed("how many rolls is asked", r"You must specify how many rolls to make\."),
    "rollout": Allowed(
        "a rollout is printed, with its errors; its settings are listed in their own way",
        r" +Win .*|\S.* \d+|  Standard error .*|Truncated .*|\d+ games, .*|Players: .*|Proper cube action: .*"
        r"|\(Kept only: .*|.*(?: parameters:|evaluations?\.|generator.*)",
        r"Rollout done\. .*|The rollout command takes no arguments .*|Will truncate .*"
        r"|.*(?:parameters:|evaluations?[:.]|generator.*)",
    ),
    "python-apart": Allowed("what Python prints comes late there", r"\d+|A{14}", r"\d+|A{14}"),
    "no-board": Allowed(
        "without a game there is no board", r"Traceback.*|  File .*|sixprime\..*NoGameError: .*", r"A{14}|  File .*"
    ),
    "status": Allowed("the other program ends itself"),
    "navigate": Allowed("what is left; there of games how far it went", *[r"(?:None|[(]-?[0-9]+, -?[0-9]+[)]| )+"] * 2),
}
EVERYWHERE = ("banner",)


def differences(here: Transcript, there: Transcript, names: Sequence[str]) -> tuple[list[str], set[str]]:
    """What differs and is not allowed, as lines with - for ours and + for theirs; and the names that explained some."""
    found: list[str] = []
    used: set[str] = set()
    rules = {name: ALLOWED[name] for name in (*EVERYWHERE, *names)}
    for ours, other in ((here.out, there.out), (here.err, there.err), ("\n".join(here.files), "\n".join(there.files))):
        found += differing(items(ours), items(other), rules, used)
    if here.status != there.status and "status" not in names:
        found.append(f"- status {here.status}\n+ status {there.status}")
    used |= {"status"} if here.status != there.status else set()
    return found, used


def differing(ours: list[str], other: list[str], rules: Mapping[str, Allowed], used: set[str]) -> list[str]:
    """The items that only one side has and no rule explains, with - for ours; used: gets the rules that do."""
    numbered = [name for name, rule in rules.items() if rule.numbers is not None]

    def key(item: str) -> str:
        return " ".join(_NUMBER.sub("#", item).split()) if numbered else item

    def explained(item: str, here: bool) -> bool:
        name = next((name for name, rule in rules.items() if rule.explains(item, here=here)), None)
        used.update([] if name is None else [name])
        return name is not None

    def near(first: str, second: str) -> bool:
        pairs = list(zip(map(float, _NUMBER.findall(first)), map(float, _NUMBER.findall(second)), strict=True))
        name = next((n for n in numbered if all(rules[n].numbers(*pair) for pair in pairs)), None)  # type: ignore[misc]
        used.update([] if name is None else [name])
        return name is not None

    found: list[str] = []
    matcher = difflib.SequenceMatcher(None, list(map(key, ours)), list(map(key, other)), autojunk=False)
    for tag, first, last, start, end in matcher.get_opcodes():
        mine, yours = ours[first:last], other[start:end]
        if tag == "equal":
            apart = [(a, b) for a, b in zip(mine, yours, strict=True) if a != b and not near(a, b)]
            apart = [(a, b) for a, b in apart if not (explained(a, True) and explained(b, False))]
            found += [line for a, b in apart for line in (f"- {a}", f"+ {b}")]
        else:
            found += [f"- {item}" for item in mine if not explained(item, True)]
            found += [f"+ {item}" for item in yours if not explained(item, False)]
    return found
