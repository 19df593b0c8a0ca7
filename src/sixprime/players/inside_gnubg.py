"""What runs inside GNU Backgammon's embedded Python: answers decisions line by line.

`sixprime.players.gnubg` starts this file as `gnubg -t -q -r -p inside_gnubg.py`; nobody imports it. A request is one
line of JSON with the `task`, the `context` of the evaluation, the `states` of cube and score, and `rows`, each
[state, die, die, [board of the opponent, board of the player on roll]]. Every answer is one line
that starts with "sixprime:"; what GNU Backgammon prints itself goes by.
"""

from __future__ import annotations

import importlib
import json
import sys
from typing import Any

gnubg = importlib.import_module("gnubg")


def say(answer: Any) -> None:
    print("sixprime:" + json.dumps(answer), flush=True)


def cube(state: list[int]) -> Any:
    """GNU Backgammon's cube of ours; the player on roll is its player 0."""
    value, owner, length, mine, theirs, crawford, jacoby = state
    made = gnubg.cubeinfo(value, owner, 0, length, (mine, theirs), crawford, 0)
    made["jacoby"], made["beavers"] = jacoby, 0
    return made


def plays(request: dict[str, Any]) -> None:
    """The moves of every row as a flat list of points, 25 the bar and 0 off; rows of one roll together."""
    cubes = [cube(state) for state in request["states"]]
    rows, last = request["rows"], None
    for i in sorted(range(len(rows)), key=lambda i: rows[i][1:3]):
        state, first, second, board = rows[i]
        if (first, second) != last:
            gnubg.command(f"set dice {first} {second}")
            last = first, second
        say([i, gnubg.findbestmove(board, cubes[state], request["context"])])


def cubes(request: dict[str, Any]) -> None:
    """No double, double and take, double and pass, and the number of the best action of every row."""
    made = [cube(state) for state in request["states"]]
    for i, (state, _, _, board) in enumerate(request["rows"]):
        say([i, gnubg.cfevaluate(board, made[state], request["context"])[1:5]])


def main() -> None:
    for line in ("set threads 1", "set display off", "new session"):
        gnubg.command(line)
    say("ready")
    for line in sys.stdin:
        request = json.loads(line)
        {"plays": plays, "cubes": cubes}[request["task"]](request)


if __name__ == "__main__":
    main()
