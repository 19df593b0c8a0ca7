"""Every command of GNU Backgammon's language by itself: what it says here, and how it differs from what it says there.

A leaf is called with nothing, with nonsense and with arguments that fit, in an interpreter of its own or together with
its neighbours where all they do is set something. What may differ is named in `REASONS`.
"""

from __future__ import annotations

import itertools
import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from gnubg_scripts import ALLOWED as SCRIPTS
from gnubg_scripts import Allowed, differing, items
from test_command_arguments import ANALYSED, DATA, FIRST, LEAVES, called, with_arguments

from sixprime.command.tables import ROOT
from sixprime.gnubg.desk import interpreter

LIMIT = 120
"""Seconds that the other program may take."""
APART = ("external", "calibrate", "exit", "quit")
"""Leaves that wait for somebody, measure time or end the program."""
_MARK = "set prompt @@@"
_MARKED = "The prompt has been set to `@@@'.\n"
_UNKNOWN = "zzmark"
_UNKNOWN_SAID = f"Unknown keyword `{_UNKNOWN}'.\n"
_QUIET = (
    *("set player both human", "set automatic game off", "set automatic roll off", "set rng mersenne 5"),
    *("set analysis chequer evaluation plies 0", "set analysis cubed evaluation plies 0"),
    *("set evaluation chequer evaluation plies 0", "set evaluation cubed evaluation plies 0"),
)
_NEW = (*_QUIET, "new match 7")
_KNOWN = (
    *(*_QUIET, "set rollout trials 2", "set rollout truncation enable on", "set rollout truncation plies 2"),
    *("load match m.sgf", "first game", "next 3"),
)


@dataclass(frozen=True)
class Batch:
    """Leaves that are called one after the other. before: what is done first."""

    leaves: tuple[str, ...]
    before: tuple[str, ...]

    @property
    def lines(self) -> list[tuple[str, str]]:
        """Each leaf with each of its lines."""
        return [(words, line) for words in self.leaves for line in _lines(words)]


def _lines(words: str) -> list[str]:
    bare, full = called(words), with_arguments(words)
    return [*dict.fromkeys((bare, f"{bare} zz zz", full))] if ROOT.below(words).usage else [bare]


def _before(words: str) -> tuple[str, ...]:
    return (*(_KNOWN if words.startswith(ANALYSED) else _NEW), *(FIRST[words].split("|") if words in FIRST else ()))


def _key(words: str) -> str:
    """Leaves with the same one are called together."""
    some = words.split()
    if words in FIRST or words in CRASHING or words.startswith(_APART) or len(some) < 2:
        return words
    if some[0] == "set":
        kind = some[-1] if some[-1] in _COPYING else some[2] if some[1] in _LARGE else ""
        return " ".join((*some[: 2 if len(some) > 2 else 1], kind))
    return " ".join(some[: 2 if words.startswith(ANALYSED) else 1])


CRASHING = ("export htmlimages", "import party")
"""Leaves at which the other program ends itself."""
_APART = ("relational", "set board", "set gnubgid", "set matchid", "set xgid")
"""What these do, neighbours tell of in other words."""
_LARGE = ("analysis", "evaluation", "player", "rollout")
"""There are many settings of these."""
_COPYING = ("cube-equal-chequer", "players-are-same", "truncate-equal-player0")
"""They set what others set."""


def batches() -> list[Batch]:
    """All leaves but those that cannot be compared."""
    found: dict[str, list[str]] = {}
    for words in LEAVES:
        if words not in APART:
            found.setdefault(_key(words), []).append(words)
    return [Batch(tuple(group), _before(key)) for key, group in found.items()]


def lay(folder: Path) -> None:
    """Lays files of every form into a folder."""
    for path in (DATA / "formats").glob("match.*"):
        shutil.copy(path, folder / f"m{path.suffix}")
    for name, source in {"m.mat": "mat/gnubg.mat", "m.sgf": "sgf/analysed.sgf", "m.pos": "positions/b1.pos"}.items():
        shutil.copy(DATA / source, folder / name)
    for name, text in {"m.commands": "show jacoby\n", "m.py": "print(1)\n", "m.dice": "31 65 22"}.items():
        (folder / name).write_text(text, encoding="utf-8")


Answers = list[tuple[str, str]]
"""What was written to standard output and error after each line."""


def ours(batch: Batch, folder: Path) -> Answers:
    """What is said here; the folder is the current one."""
    out: list[str] = []
    err: list[str] = []
    shell = interpreter(out.append, err.append)
    shell.settings, shell.database = str(folder / "gnubgautorc"), folder / "gnubg.db"
    shell.run_lines(batch.before)
    found = []
    for _, line in batch.lines:
        shell.run(_MARK)
        out.clear()
        err.clear()
        shell.run(line)
        found.append(("".join(out), "".join(err)))
    return found


def theirs(batch: Batch, program: str, folder: Path) -> Answers:
    """What GNU Backgammon says, in a folder with a home of its own; nothing after a line at which it ends itself."""
    home = folder / "home"
    home.mkdir()
    lines = [*batch.before]
    for _, line in batch.lines:
        lines += [_MARK, _UNKNOWN, line]
    lines += [_MARK, _UNKNOWN, ""]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(
        [program, "-t", "-q", "-r"],
        input="\n".join(lines).encode(),
        cwd=folder,
        env={**environment, "HOME": str(home), "PYTHONUNBUFFERED": "1"},
        capture_output=True,
        timeout=LIMIT,
        check=False,
    )
    out = done.stdout.decode("utf-8", "replace").split(_MARKED)[1:]
    err = [part.lstrip("\n") for part in done.stderr.decode("utf-8", "replace").split(_UNKNOWN_SAID)[1:]]
    return [*itertools.islice(itertools.zip_longest(out, err, fillvalue=""), len(batch.lines))]


def differences(batch: Batch, here: Answers, there: Answers) -> tuple[list[str], list[tuple[str, str]]]:
    """What differs and has no reason, - for ours and + for theirs; the line of each difference with its reason."""
    wrong: list[str] = []
    found: list[tuple[str, str]] = []
    if len(there) < len(batch.lines) and batch.leaves[0] not in CRASHING:
        return [f"{batch.lines[len(there)][1]}: the other program has ended"], found
    for (_, line), mine, yours in zip(batch.lines, here, there, strict=False):
        names = [name for name, reason in REASONS.items() if re.match(reason.where, line)]
        rules = {name: REASONS[name].what for name in names}
        used: set[str] = set()
        left = [
            item
            for one, other in zip(mine, yours, strict=True)
            for item in differing(items(one), items(other), rules, used)
        ]
        wrong += [f"{line}: {item}" for item in left]
        found += [(line, name) for name in sorted(used)]
    return wrong, found


@dataclass(frozen=True)
class Reason:
    """Why a difference may be. where: how the line begins, a pattern; what: the items; lines: how many differ so, 0
    where that depends on the nets."""

    where: str
    what: Allowed
    lines: int = 0


_KEPT = r".*only programs with windows use (?:it|them)\."
_WANTED = r"(?:You must|Please|Needs|Invalid argument|Unknown (?:evaluation type|keyword)).*|.*\(?see `help .*|`help .*"
_WANTED += (
    r"|.* to set '.*' on or off\.|.*noise'\)\.|Enter <ply>.*|.*requires a list of moves.*|Not a valid list of moves"
)
_ANY = r"(?s:.*)"
_UNREAD = r".*\bzz.*|there is no ID and no board in this text|Illegal position\.|Match length must .*"
_HELP = r"help|\?|show (?:commands|copying|credits|engine|export|version|warranty|buildinfo|manual .*)"
_WINDOWS = (
    "annotation|appearance|browser|colours|commandwindow|delay|dockpanels|fullscreen|gamelist|geometry|gui|message"
)
_WINDOWS += "|panels|panelwidth|sound|styledgamelist|theorywindow|toolbar|vsync3d|warning"
_BOARD = SCRIPTS["boards"].theirs.partition("|")[0]

REASONS: dict[str, Reason] = {
    # Another engine.
    "equities": Reason(r"eval|hint|show .*|analyse .*|analyze .*", SCRIPTS["equities"]),
    "ranking": Reason(r"hint", SCRIPTS["ranking"]),
    "play": Reason(r"play|end game", Allowed("other nets: other plays", _ANY, _ANY)),
    "rollout": Reason(
        r"rollout|analy[sz]e rollout .*|show rollout",
        Allowed("rollouts are told of in our own way, and `rollout' takes positions", _ANY, _ANY),
        lines=8,
    ),
    # Said otherwise on purpose.
    "wanted": Reason(r".*", Allowed("what a command wants is said with all its words", _WANTED, _WANTED), lines=675),
    "notes": Reason(
        r"set (?:analysis|evaluation|player|rollout)\b.*",
        Allowed(
            "notes name the command that helps; what is refused has no notes",
            r"\(Note that .* until you|`set .* type \w+'\.\)",
            r"\(Note that .* (?:until you|noise to some non-zero value\.\)|`set player .* gnu'\.\))|`set .* type .*",
        ),
        lines=1540,
    ),
    "nonsense": Reason(
        r".* zz zz$", Allowed("what is no position, file or number is refused as a whole", _UNREAD, _ANY), lines=171
    ),
    "kept-only": Reason(
        r"set ",
        Allowed("what has no meaning here says so", r"\((?:Kept only: |Cube decisions |Luck that ).*"),
        lines=87,
    ),
    "seed": Reason(r"set .*rollout rng ", SCRIPTS["seed"], lines=27),
    "texts": Reason(_HELP, SCRIPTS["texts"], lines=12),
    "told": Reason(
        r"save settings|set (?:matchid|.* logfile|autosave time|rng |export html css |lang|player . external)|history"
        r"|cmark |list |dicerolls|show matchequitytable|show met|copy|export position bgo2clipboard|load weights",
        Allowed(
            "what is done, or cannot be, is said",
            r"Settings saved to .*|Illegal match ID ''|Rollouts are .*|Autosave every .*|Dice .*|CSS stylesheet .*"
            r"|.*speaks English only\."
            r"|.*external player at .*|The neural nets that ship .*|There is no c.*| +\d+\. 0-0  .*| +\d+  .*",
            r"\(/.*\.xml\)|CSS stylesheet .*|GNU Backgammon will now use the www.*|Locale .*|.*: Connection refused"
            r"|That command is not yet implemented\.",
        ),
        lines=35,
    ),
    "more": Reason(
        r"show (?:rolls|scoremap|temperaturemap|bearoff|onesidedrollout)",
        Allowed("what is only in windows there, or by chance", _ANY, r"That command .*|One sided rollout .*"),
        lines=8,
    ),
    "database": Reason(
        r"relational .*", Allowed("a database is there without a set-up", _ANY, r".*[Dd]atabase.*"), lines=9
    ),
    "boards": Reason(r".*", SCRIPTS["boards"]),
    "windows": Reason(
        rf"(?:set|show) (?:{_WINDOWS})\b.*|set analysis window",
        Allowed("what only programs with windows use", _KEPT, _ANY),
        lines=176,
    ),
    # Known defects that are not copied.
    "annotations": Reason(
        r"annotate .*",
        Allowed("an annotation that cannot be is none", None, r"Move marked as .*|Skill annotation .*|Invalid .*"),
        lines=25,
    ),
    "starts": Reason(r"first .*", SCRIPTS["starts"], lines=2),
    "unread": Reason(r"import .*", SCRIPTS["unread"], lines=5),
    "met-name": Reason(
        r"set (?:met|matchequitytable)", Allowed("a table by its name", r".* match equity table\.", _ANY), lines=2
    ),
    "in-on": Reason(r"show turn", SCRIPTS["in-on"], lines=1),
    "scoresheet": Reason(
        r"show (?:scoresheet|marketwindow)",
        Allowed("names of other lengths", r"-+|Player .*", r"-+|Player .*"),
        lines=2,
    ),
    "nothing": Reason(
        r"show statistics .*",
        Allowed("of no decisions there is no rate", r"Error rate .* n/a .*", r"Error rate .* -0\.0 .*"),
        lines=3,
    ),
}
