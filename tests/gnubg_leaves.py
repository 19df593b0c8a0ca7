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
    return " ".join(some[:4]) if some[0] == "set" and len(some) > 2 and some[1] not in _LASTING else words


_LASTING = ("cube", "export", "import", "matchinfo", "output", "rng", "sgf", "variation")
"""What is set there lasts, and is told of later."""


def batches() -> list[Batch]:
    """All leaves but those that cannot be compared."""
    found = itertools.groupby((words for words in LEAVES if words not in APART), _key)
    return [Batch(tuple(group), _before(key)) for key, group in found]


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
    for (words, line), mine, yours in zip(batch.lines, here, there, strict=False):
        names = [name for name, reason in REASONS.items() if re.fullmatch(reason.where, words)]
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
    """Why a difference may be. where: the leaves, a pattern; what: the items."""

    where: str
    what: Allowed


_SET = r"set (?:analysis|evaluation|player|rollout)\b.*"
_KEPT = r".*only programs with windows use (?:it|them)\."
_NO_MORE = r"(?:You must|Please|Needs) .*|.*\(?see `help .*|.* to set '.*' on or off\.|.*noise'\)\."
REASONS: dict[str, Reason] = {
    "equities": Reason(r"eval|hint|show .*|analyse .*", SCRIPTS["equities"]),
    "ranking": Reason(r"hint", SCRIPTS["ranking"]),
    "play": Reason(r"play|end game", Allowed("other nets: other plays", r"(?s:.*)", r"(?s:.*)")),
    "boards": Reason(r".*", SCRIPTS["boards"]),
    "usage": Reason(
        r".*", Allowed("what a command wants is said with all its words, and on standard output", _NO_MORE, _NO_MORE)
    ),
    "notes": Reason(
        _SET,
        Allowed(
            "notes name the command that helps; what is refused has no notes",
            r"\(Note that .* until you|`set .* type \w+'\.\)",
            r"\(Note that .* (?:until you|noise to some non-zero value\.\)|`set player .* gnu'\.\))|`set .* type .*",
        ),
    ),
    "filters": Reason(
        r"set .*movefilter",
        Allowed("the second player's filter is read from where the first one's ended", None, r"You must specify .*"),
    ),
    "kept-only": Reason(r"set .*", Allowed("what has no meaning here says so", r"\(.*(?:Kept only: |Cube ).*")),
    "windows": Reason(
        r"(?:set|show) (?:annotation|appearance|browser|colours|commandwindow|delay|dockpanels|fullscreen|gamelist"
        r"|geometry|gui|message|panels|panelwidth|sound|styledgamelist|theorywindow|toolbar|vsync3d|warning)\b.*",
        Allowed("what only programs with windows use", _KEPT, r"(?s:.*)"),
    ),
    "texts": Reason(
        r"help|\?|show (?:commands|copying|credits|engine|export|version|warranty|buildinfo|manual .*)",
        SCRIPTS["texts"],
    ),
}
