"""What a person or a script waits for, beside GNU Backgammon in the same run: starts, single calls, whole commands.

CPU seconds, one thread, of whole processes where a row says so. `--rows` picks rows by their names' beginnings.
"from nothing" has empty folders, so that kernels are compiled and bear-off databases built, on all cores.
"""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import _gnubg
import _main
import _measure
import rollouts

ID, DICE = "4HPwATDgc/ABMA", (3, 1)
LINES = 4000
"""Positions of the row that answers many lines."""


class Row(NamedTuple):
    """One line of the table: what each side does, as functions that give its CPU seconds."""

    name: str
    theirs: Callable[[], float] | None
    ours: Callable[[], float]
    pairs: int


class Process(NamedTuple):
    """What a process and those it started took: CPU seconds, seconds on the clock, MB at the peak of the largest."""

    cpu: float
    wall: float
    memory: float


def process(line: list[str], stdin: str = "", **variables: str) -> Process:
    """Runs a command; ends the script when it fails."""
    # Where Python may not keep its bytecode, it would compile everything each time.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"} | variables
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(line, env=environment, input=stdin.encode(), capture_output=True)
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        sys.exit(f"{' '.join(line)} ended with {done.returncode}: {done.stderr.decode(errors='replace')[-2000:]}")
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Process(cpu, wall, after.ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3))


def main() -> None:
    parser = _measure.options(__doc__, pairs=5, positions=400)
    parser.add_argument("--rows", nargs="*", default=[""], help="beginnings of the names of rows; all")
    parser.add_argument("--trials", type=int, default=1296, help="of the rollout (%(default)s)")
    arguments = parser.parse_args()
    program = _gnubg.find(arguments.gnubg)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rows = [row for row in _rows(folder, program, arguments) if row.name.startswith(tuple(arguments.rows))]
        results: dict[str, Any] = {}
        table = [["job", "GNU Backgammon", "Sixprime", "ratio", "of the pairs"]]
        for row in rows:
            results[row.name], line = _measured(row)
            table.append(line)
            print(f"{row.name}: {line[3] or line[2]}", file=sys.stderr, flush=True)
        if "from nothing".startswith(tuple(arguments.rows)):
            found = _from_nothing(folder)
            results["from nothing"] = found._asdict()
            seconds = f"{found.cpu:.1f} s, {found.wall:.1f} s wall, {found.memory:.0f} MB"
            table.append(["from nothing: analyse --sample", "", seconds, "", ""])
    _measure.show(results, arguments.json, _measure.beside(program), table)


def _measured(row: Row) -> tuple[dict[str, float], list[str]]:
    row.ours()
    if row.theirs is None:
        seconds = median(row.ours() for _ in range(row.pairs))
        return {"seconds": seconds}, [row.name, "", _shown(seconds), "", ""]
    theirs, ours = _measure.alternate(row.theirs, row.ours, row.pairs)
    ratio = _measure.ratio(theirs, ours)
    result = {"gnubg_seconds": median(theirs), "seconds": median(ours), "ratio": ratio}
    shown = _shown(median(theirs)), _shown(median(ours)), f"{ratio:.2f}", _measure.spread(theirs, ours)
    return result, [row.name, *shown]


def _shown(seconds: float) -> str:
    return f"{seconds:.2f} s" if seconds >= 0.1 else f"{1000 * seconds:.3f} ms"


def _from_nothing(folder: Path) -> Process:
    empty = {"SIXPRIME_CACHE": str(folder / "no-cache"), "SIXPRIME_DATA": str(folder / "no-data")}
    return process([sys.executable, "-m", "sixprime", "analyse", "--sample"], **empty)


def _rows(folder: Path, program: str, arguments: Any) -> list[Row]:
    import numpy as np

    import sixprime
    from sixprime import Engine, MatchState, kernels
    from sixprime.train.selfplay import best_plays

    own, pairs = [sys.executable, "-m", "sixprime"], arguments.pairs
    match = folder / "match.mat"
    shutil.copyfile(sixprime.sample_match(), match)
    engine = Engine(threads=1)
    positions, rolls = _measure.decisions(engine, arguments.positions, arguments.seed)
    ids, dice = [position.id for position in positions], rolls
    many = [index % len(ids) for index in range(LINES)]
    lines = "".join(f"{ids[i]} {dice[i][0]}{dice[i][1]}\n" for i in many)
    state, few = MatchState(), positions[:40]
    boards, packed = kernels.pack(np.stack([position.board for position in positions])), np.array(dice, dtype=np.int8)

    def script(text: str) -> Callable[[], float]:
        home = folder / "home"
        (home / ".gnubg").mkdir(parents=True, exist_ok=True)
        # By standard input: long command files may hang it.
        return lambda: process([program, "-t", "-q", "-r"], _QUIET + text, HOME=str(home), PYTHONPATH="").cpu

    def theirs(task: str, seconds: Callable[[dict[str, Any]], float], **job: Any) -> Callable[[], float]:
        return lambda: seconds(_gnubg.run(program, task, **job))

    def each(count: int, work: Callable[[], object], least: float = 0.0) -> Callable[[], float]:
        def seconds() -> float:
            # What a search has found would be there for the next one.
            engine.forget()
            return _measure.cpu_seconds(work, least) / count

        return seconds

    def each_net(run: dict[str, Any]) -> float:
        return (run["seconds"] - run["calls"]) / len(ids)

    def each_call(run: dict[str, Any]) -> float:
        return float(run["seconds"]) / len(ids)

    one_by_one = theirs("decisions", each_call, ids=ids, dice=dice)
    their_cubes = theirs("cubes", lambda run: run["seconds"] / len(few), ids=ids[: len(few)])
    requests = [(position, state) for position in few]

    def rollout_ratio(side: str) -> Callable[[], float]:
        seeds = iter(range(1, 1000))

        def seconds() -> float:
            if side == "theirs":
                found = rollouts.theirs(program, arguments.trials, 0, next(seeds))
            else:
                found = rollouts.ours(engine, arguments.trials, 0, next(seeds))
            # As long as it would take for a standard error of .01.
            return found["seconds"] * (found["error"] / 0.01) ** 2

        return seconds

    long = min(pairs, 3)
    return [
        Row(
            "hint 31, whole process",
            script("new session\n" + _hint(ID, DICE)),
            lambda: process([*own, "hint", ID, "31"]).cpu,
            pairs,
        ),
        Row(
            "match at 0-ply, whole command",
            script(_analysis(match, 0)),
            lambda: process([*own, "analyse", str(match), "--plies", "0", "--threads", "1"]).cpu,
            pairs,
        ),
        Row(
            "match at 2-ply, whole command",
            script(_analysis(match, 2)),
            lambda: process([*own, "analyse", str(match), "--threads", "1"]).cpu,
            long,
        ),
        Row(
            f"hint -, {LINES:,} lines at 0-ply, whole process",
            script(_SHALLOW + "new session\n" + "".join(_hint(ids[i], dice[i]) for i in many)),
            lambda: process([*own, "hint", "-", "--plies", "0", "--threads", "1"], lines).cpu,
            long,
        ),
        Row(
            "best_plays at 0-ply, all plays",
            one_by_one,
            each(len(ids), lambda: _each_roll(engine, positions, dice, None), 0.2),
            pairs,
        ),
        Row(
            "best_plays at 0-ply, the best looked at",
            one_by_one,
            each(len(ids), lambda: _each_roll(engine, positions, dice, 1), 0.2),
            pairs,
        ),
        Row(
            "0-ply plays, kernel, net of hand-over",
            theirs("decisions", each_net, ids=ids, dice=dice),
            each(len(ids), lambda: best_plays(engine.brain, boards, packed), 0.2),
            pairs,
        ),
        Row(
            "cube_action at 2-ply, one by one",
            their_cubes,
            each(len(few), lambda: [engine.cube_action(p, match=state, plies=2) for p in few]),
            pairs,
        ),
        Row("cube_many at 2-ply", their_cubes, each(len(few), lambda: engine.cube_many(requests, plies=2)), pairs),
        Row("rollout of the opening, equal error", rollout_ratio("theirs"), rollout_ratio("ours"), long),
    ]


def _each_roll(engine: Any, positions: Any, dice: Any, looked_at: int | None) -> None:
    for position, roll in zip(positions, dice, strict=True):
        found = engine.best_plays(position, roll, plies=0, count=looked_at)
        if looked_at:
            found[0]


_SHALLOW = "".join(f"set evaluation {kind} evaluation plies 0\n" for kind in ("chequerplay", "cubedecision"))
_QUIET = "set display off\nset player 0 human\n"
"""GNU Backgammon's hints are 2-ply, its boards are drawn and it plays when it is on roll, unless it is told."""


def _hint(position: str, dice: tuple[int, int]) -> str:
    """Commands of GNU Backgammon for one hint."""
    return f"set board {position}\nset dice {dice[0]} {dice[1]}\nhint\n"


def _analysis(path: Path, plies: int) -> str:
    """Commands of GNU Backgammon that analyse a match; 2-ply has the Normal filter."""
    return _inside_gnubg_analysis().replace("plies 2", f"plies {plies}") + f'import mat "{path}"\nanalyse match\n'


def _inside_gnubg_analysis() -> str:
    """The settings of `_inside_gnubg`, which only GNU Backgammon's Python can import."""
    text = Path(__file__).with_name("_inside_gnubg.py").read_text(encoding="utf-8")
    return text.split('"""')[3]


if __name__ == "__main__":
    _main.run(main)
