"""Error against CPU time per decision of many ways to search, and which of them lie on the frontier.

    python benchmarks/frontier.py FOLDER [--state FILE] [--blocks N] [--only NAME...]

Decisions: every play of the `.xg` files in FOLDER that eXtreme Gammon analysed ("real"), among them those whose best
play it judged by 4-ply, Roller, rollout or book ("deep"), and its cube decisions; plays and cubes of
`tests/data/truth.jsonl`; the plays of `strength_decisions.jsonl` (cubeless money) where --data or SIXPRIME_REFDATA
names its folder. Losses are mEMG per decision: the reference's (2 plies, Normal), and of all others how much more, with
the standard error of that difference on the same decisions. A cube decision is charged for doubling and for taking,
where these are close. PR: 500 times the mean loss of all real plays and cube decisions; what is
not close costs nothing, and counts.

Times: CPU milliseconds of one thread for a play, or for a cube decision, of the real matches, asked one at a time with
nothing remembered ("alone") and a block of them at once, as an analysis does ("batch"): those of the reference times
the median over the blocks of the ratio to it, measured within a minute of each other, as machines are shared.

On the frontier (*) is what no other way beats both in time of plays alone and in what the plays of deep, truth and rows
together lose ("plays").

Decisions are dealt into 12 blocks, each a sample of every set, and --blocks measures the first few. What is measured is
appended to the state file and not measured again.

--changes measures instead how much the distance of a play to the best changes from one ply to the next, and how often
it becomes the best: what the thresholds of the filter "selective" come from.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import os
import sys
import time
from collections import defaultdict
from dataclasses import replace
from fnmatch import fnmatch
from functools import cache
from pathlib import Path
from statistics import fmean, median, stdev
from typing import TYPE_CHECKING, Any

import _main
import _measure
from _asked import Asked, lost_by_cube, lost_by_play, real_decisions, rolled_out_plays, truth_decisions

if TYPE_CHECKING:
    from sixprime import Engine
    from sixprime.engine import Preset

BLOCKS = 12
DOUBTFUL, COUNTED = ("deep", "truth", "rows"), ("real", "real cubes")
SETS = (*DOUBTFUL, "real", "real cubes", "truth cubes")
"""Sets of decisions: doubtful plays, what counts for the rating, and all."""
REFERENCE = "2-ply normal"
WIDE, ENDS = "0+16@.32/0+10@.2/0+6@.12", (10, 20, 40, 80, 160, math.inf)
"""Plays that are followed from ply to ply, and classes of their distances to the best, mEMG."""
FRESH = 60.0
"""Seconds after which the reference is timed again."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "folder", type=_main.folder, help="of .xg files with analyses, looked through with what is inside"
    )
    parser.add_argument("--data", type=Path, help="folder of the reference rows; by default SIXPRIME_REFDATA")
    parser.add_argument("--state", type=Path, default=Path("frontier.jsonl"), help="what was measured (%(default)s)")
    parser.add_argument("--blocks", type=int, default=BLOCKS, help=f"how many of {BLOCKS} (%(default)s)")
    parser.add_argument(
        "--only", nargs="+", metavar="NAME", default="*", help="these ways, or patterns such as '2-ply*'"
    )
    parser.add_argument("--beside", default=REFERENCE, metavar="NAME", help="whose losses others are told beside")
    parser.add_argument("--table", action="store_true", help="measure nothing, print what is known")
    parser.add_argument("--changes", type=int, metavar="N", help="of every Nth real play, how distances change by ply")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    arguments = parser.parse_args()
    if arguments.changes is not None:
        rows = _changes([each for each in real_decisions(arguments.folder) if each.dice][:: arguments.changes])
        _measure.show({"rows": rows[1:]}, arguments.json, "Distances to the best play, mEMG. ", rows)
        return
    ways = {
        way.name: way
        for way in _ways()
        if way.name in (REFERENCE, arguments.beside) or any(fnmatch(way.name, pattern) for pattern in arguments.only)
    }
    blocks = _blocks(arguments.folder, arguments.data)[: arguments.blocks]
    known = _known(arguments.state)
    if not arguments.table:
        try:
            for number, block in enumerate(blocks):
                _measure_block(f"block {number + 1} of {len(blocks)}", block, ways, known, arguments.state)
        except KeyboardInterrupt:
            print("Stopped; the same command goes on.", file=sys.stderr)
    if arguments.beside not in ways:
        sys.exit(f"there is no way {arguments.beside!r}; there are {', '.join(way.name for way in _ways())}")
    known_ways = ways[arguments.beside], ways[REFERENCE]
    measured = {name: _measured((way, *known_ways), blocks, known) for name, way in ways.items()}
    found = {name: _summary(each) for name, each in measured.items() if each}
    if not found:
        sys.exit("nothing is measured yet")
    title = "Loss in mEMG per decision, milliseconds of CPU time, one thread. "
    _measure.show(found, arguments.json, title, _table(found, arguments.beside))


def _ways() -> list[Preset]:
    """What is measured."""
    from sixprime.engine import PRESETS, Preset

    ways = [Preset(REFERENCE, 2), Preset("0-ply", 0)]
    ways += [Preset(f"1-ply {moves}", 1, moves) for moves in ("tiny", "normal", "large")]
    ways += [Preset(f"2-ply {moves}", 2, moves) for moves in ("tiny", "narrow", "large", "normal-2025")]
    ways += [Preset(f"2-ply normal, {rolls} rolls", 2, rolls=rolls) for rolls in (11, 7)]
    ways += [Preset("2-ply normal, unpruned", 2, prune=False)]
    ways += [Preset(f"{plies}-ply selective, all cubes", plies, "selective") for plies in (2, 3, 4)]
    ways += [Preset(f"3-ply {moves}", 3, moves) for moves in ("tiny", "normal", "normal-2025")]
    ways += [Preset("3-ply normal, 11 rolls", 3, rolls=11), Preset("4-ply tiny", 4, "tiny")]
    ways += [_rolling(trials, searched) for trials in (36, 72, 144) for searched in (0, 72)]
    ways += [replace(PRESETS["roller"], name="roller, search as 0", search_games=0)]
    return [*ways, *PRESETS.values()]


def _rolling(trials: int, searched: int) -> Preset:
    """The level "quick roller" with so many games, the search counting as so many."""
    from sixprime.engine import PRESETS

    level = PRESETS["quick roller"]
    assert level.rollout is not None
    rollout = replace(level.rollout, trials=trials)
    return replace(level, name=f"{trials} games, search as {searched}", rollout=rollout, search_games=searched)


# -- decisions -----------------------------------------------------------------------------------


def _blocks(folder: Path, data: Path | None) -> list[list[Asked]]:
    from sixprime.train.strength import VARIABLE

    sets = [list(real_decisions(folder)), list(truth_decisions())]
    if not sets[0]:
        sys.exit(f"{folder}: no file holds an analysis by eXtreme Gammon")
    if data or os.environ.get(VARIABLE):
        sets.append(list(rolled_out_plays(data)))
    else:
        print(f"without the reference rows: name their folder with --data or in {VARIABLE}", file=sys.stderr)
    return [[each for one in sets for each in one[number::BLOCKS]] for number in range(BLOCKS)]


# -- measuring -----------------------------------------------------------------------------------


def _measure_block(
    what: str, block: list[Asked], ways: dict[str, Preset], known: dict[str, Any], state: Path
) -> None:  # fmt: skip
    reference, timed_at = None, -math.inf
    for name, way in ways.items():
        key = _key(way, block)
        if key in known:
            continue
        if reference is None or time.monotonic() > timed_at + FRESH:
            reference, timed_at = _timed(ways[REFERENCE], block)[0], time.monotonic()
        print(f"{what}: {name}", file=sys.stderr, flush=True)
        seconds, lost = _timed(way, block)
        lost += _answered(way, [each for each in block if not each.timed])[1]
        known[key] = {"key": key, "way": name, "seconds": seconds, "reference": reference, "lost": _by_set(lost)}
        with state.open("a", encoding="utf-8") as file:
            file.write(json.dumps(known[key]) + "\n")


def _known(state: Path) -> dict[str, Any]:
    """What was measured, by key; a line that was not written to its end is none."""
    found = {}
    for line in state.read_text(encoding="utf-8").splitlines() if state.exists() else ():
        try:
            each = json.loads(line)
        except ValueError:
            continue
        found[each["key"]] = each
    return found


@cache
def _engine(way: Preset) -> Engine:
    from sixprime import Engine

    return Engine(threads=1, level=way)


def _key(way: Preset, block: list[Asked]) -> str:
    """What the numbers depend on: the way, the engine and the decisions."""
    told = repr((replace(way, name="way"), _engine(way).fingerprint, block))
    return hashlib.sha256(told.encode()).hexdigest()[:24]


Lost = list[tuple[Asked, float]]


def _timed(way: Preset, block: list[Asked]) -> tuple[dict[str, list[float]], Lost]:
    """CPU seconds per play and per cube decision of real matches, alone and in a batch, and what these lost."""
    seconds, lost = {}, []
    for kind, asked in (
        ("play", [each for each in block if each.timed and each.dice]),
        ("cube", [each for each in block if each.timed and not each.dice]),
    ):
        alone = 0.0
        for each in asked:
            taken, one = _answered(way, [each])
            alone += taken
            lost += one
        # Rollouts are made one by one in any case.
        batch = alone if way.rollout else _answered(way, asked)[0]
        seconds[kind] = [alone / max(1, len(asked)), batch / max(1, len(asked))]
    return seconds, lost


def _answered(way: Preset, asked: list[Asked]) -> tuple[float, Lost]:
    """CPU seconds of the answers to decisions, and what they lose."""
    from sixprime.engine import PlayRequest

    engine = _engine(way)
    plays, cubes = ([each for each in asked if bool(each.dice) == kind] for kind in (True, False))
    requests = [PlayRequest(each.position, each.dice, each.state) for each in plays]
    # Of real plays the best one tells.
    count = None if any(each.rest is None for each in plays) else 1
    engine.forget()
    start = time.process_time()
    if len(asked) == 1 and plays:
        ranked = [engine.best_plays(requests[0].position, requests[0].dice, match=requests[0].state, count=count)]
    else:
        ranked = engine.rank_plays_many(requests, count=count)
    doubled = engine.cube_many([(each.position, each.state) for each in cubes])
    taken = time.process_time() - start
    return taken, [
        *((each, lost_by_play(each, found)) for each, found in zip(plays, ranked, strict=True)),
        *((each, lost_by_cube(each, found)) for each, found in zip(cubes, doubled, strict=True)),
    ]


def _by_set(lost: Lost) -> dict[str, list[float]]:
    found: dict[str, list[float]] = defaultdict(list)
    for asked, loss in lost:
        for name in asked.sets:
            found[name].append(round(1000 * loss, 3))
    return found


# -- how plies disagree ---------------------------------------------------------------------------


def _changes(asked: list[Asked]) -> list[list[str]]:
    """Of the plays near the best after each ply: how their distances change with one ply more, also beside how they
    changed the ply before."""
    from sixprime import Engine

    engine, found = Engine(threads=1), defaultdict(list)
    for each in asked:
        engine.forget()
        by_ply: list[dict[str, float]] = []
        for plies in range(4):
            plays = engine.best_plays(each.position, each.dice, match=each.state, plies=plies, filter=WIDE)
            by_ply.append({play.play.result.id: play.equity for play in plays if play.plies == plies})
        for plies in range(3):
            now, deeper = by_ply[plies], by_ply[plies + 1]
            best = max(deeper, key=now.__getitem__, default="")
            for play in deeper.keys() - {best}:
                gap, later = (1000 * (seen[best] - seen[play]) for seen in (now, deeper))
                size = next(i for i, end in enumerate(ENDS) if gap < end)
                found[plies, f"{ENDS[size - 1] if size else 0} to {ENDS[size]}"].append((later - gap, later < 0))
                if plies:
                    moved = abs(gap - 1000 * (by_ply[plies - 1][best] - by_ply[plies - 1][play]))
                    found[plies, "within 20, " + ("moved less than it" if moved < gap else "moved more")] += (
                        [(later - gap, later < 0)] if gap < 20 else []
                    )
    rows = [["plies", "distance", "plays", "change, rms", "become the best"]]
    for (plies, name), changes in sorted(found.items(), key=lambda item: (item[0][0], len(item[0][1]), item[0][1])):
        if changes:
            rms, best = fmean(change**2 for change, _ in changes) ** 0.5, fmean(overtakes for _, overtakes in changes)
            rows.append([f"{plies} to {plies + 1}", name, str(len(changes)), f"{rms:.1f}", f"{best:.1%}"])
    return rows


# -- the table -----------------------------------------------------------------------------------

Measured = tuple[dict[str, Any], ...]


def _measured(ways: tuple[Preset, ...], blocks: list[list[Asked]], known: dict[str, Any]) -> list[Measured]:
    """What was measured on the same blocks of a way, of that beside it and of the reference."""
    every = (tuple(known.get(_key(each, block)) for each in ways) for block in blocks)
    return [each for each in every if all(each)]


def _summary(measured: list[Measured]) -> dict[str, Any]:
    """Losses by set, and "plays" for all in doubt: count, mean, and how much more than beside it with its standard
    error; PR; milliseconds."""
    found: dict[str, Any] = {"blocks": len(measured), "lost": {}, "ms": {}}
    for name, sets in {"plays": DOUBTFUL, **{name: (name,) for name in SETS}}.items():
        own, other = (
            [loss for three in measured for each in sets for loss in three[which]["lost"].get(each, ())]
            for which in (0, 1)
        )
        if len(own) > 1:
            more = [a - b for a, b in zip(own, other, strict=True)]
            found["lost"][name] = [len(own), fmean(own), fmean(more), stdev(more) / math.sqrt(len(more))]
    counted = [loss for one, *_ in measured for name in COUNTED for loss in one["lost"].get(name, ())]
    found["pr"] = fmean(counted) / 2
    for kind in ("play", "cube"):
        for number, how in enumerate(("alone", "batch")):
            base = fmean(reference["seconds"][kind][number] for *_, reference in measured)
            ratios = [one["seconds"][kind][number] / one["reference"][kind][number] for one, *_ in measured]
            found["ms"][f"{kind} {how}"] = 1000 * base * median(ratios)
    return found


def _table(found: dict[str, Any], beside: str) -> list[list[str]]:
    names = [name for name in ("plays", *SETS) if any(name in each["lost"] for each in found.values())]
    counts = {name: max(each["lost"].get(name, [0])[0] for each in found.values()) for name in names}
    times = list(next(iter(found.values()))["ms"])
    rows = [["", "", *(f"{name} {counts[name]}" for name in names), "PR", *times]]
    best = math.inf
    for name, each in sorted(found.items(), key=lambda item: item[1]["ms"]["play alone"]):
        more = each["lost"]["plays"][2]
        mark, best = ("*" if more < best else ""), min(best, more)
        cells = [_cell(each["lost"].get(key), name == beside) for key in names]
        rows.append([name, mark, *cells, f"{each['pr']:.3f}", *(f"{each['ms'][time]:.2f}" for time in times)])
    return rows


def _cell(lost: list[float] | None, reference: bool) -> str:
    if lost is None:
        return ""
    _, mean, more, error = lost
    return f"{mean:.2f}" if reference else f"{more:+.2f} ± {error:.2f}"


if __name__ == "__main__":
    _main.run(main)
