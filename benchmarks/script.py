"""A script of `hint` at 2-ply, positions by `set gnubgid`, on GNU Backgammon and on `sixprime gnubg`.

Whole processes, one thread each, CPU seconds: starts, boards and answers count. With --cubes no roll is set, so that
the cube is judged. Each side answers the same lines; how many answers came is checked.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

import _gnubg
import _main
import _measure
from waiting import process

if TYPE_CHECKING:
    from sixprime import Position

HEAD = """set player 0 human
set player 1 human
set threads 1
set evaluation chequerplay evaluation plies 2
set evaluation cubedecision evaluation plies 2
new session
"""


def script(positions: list[Position], dice: list[tuple[int, int]] | None) -> str:
    """The lines; dice: None to leave them out."""
    from sixprime import MatchState
    from sixprime.game.state import GameState

    lines = [HEAD]
    for number, position in enumerate(positions):
        roll = None if dice is None else dice[number]
        state = MatchState(on_roll=1, dice=roll, game_state=GameState.PLAYING)
        lines.append(f"set gnubgid {position.id}:{state.match_id}\nhint\n")
    return "".join(lines)


def main() -> None:
    parser = _measure.options(__doc__, pairs=3, positions=1000)
    parser.add_argument("--cubes", action="store_true", help="judge cubes instead of plays")
    options = parser.parse_args()
    from sixprime import Engine

    program = _gnubg.find(options.gnubg)
    positions, dice = _measure.decisions(Engine(threads=1), options.positions, options.seed)
    lines = script(positions, None if options.cubes else dice)
    with tempfile.TemporaryDirectory() as home:
        (Path(home) / ".gnubg").mkdir()
        start = ["-t", "-q", "-r"]
        ours = [sys.executable, "-m", "sixprime", "gnubg", *start]
        process(ours, "\n".join(lines.split("\n")[:10]), HOME=home)  # compiles what is not compiled yet
        found = _measure.alternate(
            lambda: process([program, *start], lines, HOME=home).cpu,
            lambda: process(ours, lines, HOME=home).cpu,
            options.pairs,
        )
    theirs, own = found
    kind = "cubes" if options.cubes else "plays"
    results = {"hints": options.positions, "kind": kind, "gnubg": theirs, "sixprime": own}
    rows = [
        ("side", "CPU s", "hints per CPU s", "ratio", "of the pairs"),
        ("GNU Backgammon", f"{median(theirs):.2f}", f"{options.positions / median(theirs):.1f}", "", ""),
        (
            "Sixprime",
            f"{median(own):.2f}",
            f"{options.positions / median(own):.1f}",
            f"{_measure.ratio(theirs, own):.1f}",
            _measure.spread(theirs, own),
        ),
    ]
    title = f"{options.positions} `hint` at 2-ply, {kind}: {_measure.beside(program)}"
    _measure.show(results, options.json, title, rows)


if __name__ == "__main__":
    _main.run(main)
