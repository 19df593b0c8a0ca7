"""0-ply best plays per CPU second, on the same positions and rolls.

GNU Backgammon: `gnubg.findbestmove` with plies=0, cubeless, which hands every call to another thread; "net" is without
what that costs. Sixprime: a batch of boards, as self-play and searches use it, and `Engine.rank_plays_many`,
which also makes the `Play` with its notation and a `PlayAnalysis`.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import mean, median
from typing import TYPE_CHECKING

import _gnubg
import _main
import _measure

if TYPE_CHECKING:
    from sixprime import Position


def main() -> None:
    arguments = _measure.options(__doc__, pairs=5, positions=400).parse_args()
    program = _gnubg.find(arguments.gnubg)

    import numpy as np

    from sixprime import Engine, MatchState, Position, kernels
    from sixprime.engine import PlayRequest
    from sixprime.train.selfplay import best_plays

    engine = Engine(threads=1)
    positions, rolls = _measure.decisions(engine, arguments.positions, arguments.seed)
    boards = kernels.pack(np.stack([position.board for position in positions]))
    dice = np.array(rolls, dtype=np.int8)
    brain = engine.brain
    requests = [PlayRequest(*pair, MatchState(jacoby=False)) for pair in zip(positions, rolls, strict=True)]
    ids = [position.id for position in positions]

    def theirs() -> dict:
        return _gnubg.run(program, "decisions", ids=ids, dice=rolls)

    def ours() -> tuple[float, float]:
        return (
            _measure.cpu_seconds(lambda: best_plays(brain, boards, dice), least=0.3),
            _measure.cpu_seconds(lambda: engine.rank_plays_many(requests, plies=0, count=1), least=0.3),
        )

    chosen, _ = best_plays(brain, boards, dice)
    ours()
    gnubg, sixprime = _measure.alternate(theirs, ours, arguments.pairs)
    raw = [run["seconds"] for run in gnubg]
    calls = median(run["calls"] for run in gnubg)
    net = [seconds - calls for seconds in raw]
    batch, objects = ([run[i] for run in sixprime] for i in (0, 1))
    same = agreement(
        positions, rolls, gnubg[0]["plays"], [Position.from_board(board) for board in kernels.unpack(chosen)]
    )

    def rate(seconds: Sequence[float]) -> float:
        return len(ids) / median(seconds)

    results = {
        "decisions": len(ids),
        "gnubg_per_second": rate(raw),
        "gnubg_net_per_second": rate(net),
        "batch_per_second": rate(batch),
        "objects_per_second": rate(objects),
        "batch_ratio": _measure.ratio(raw, batch),
        "batch_ratio_net": _measure.ratio(net, batch),
        "objects_ratio": _measure.ratio(raw, objects),
        "objects_ratio_net": _measure.ratio(net, objects),
        "same_play": same,
    }
    rows = [["0-ply best plays", "per CPU second", "ratio", "of the pairs", "ratio to net"]]
    rows.append(["gnubg.findbestmove", f"{rate(raw):,.0f}", "1", "", ""])
    rows.append(["  net of the hand-over of each call", f"{rate(net):,.0f}", f"{rate(net) / rate(raw):.2f}", "", "1"])
    for name, seconds in (("Sixprime, batch of boards", batch), ("Engine.rank_plays_many", objects)):
        ratios = [f"{_measure.ratio(raw, seconds):.1f}", _measure.spread(raw, seconds)]
        rows.append([name, f"{rate(seconds):,.0f}", *ratios, f"{_measure.ratio(net, seconds):.1f}"])
    legal = mean(len(position.plays(roll)) for position, roll in zip(positions, rolls, strict=True))
    title = f"{len(ids)} decisions, {legal:.1f} legal plays each, same choice in {same:.0%}. "
    _measure.show(results, arguments.json, title + _measure.beside(program), rows)


def agreement(
    positions: Sequence[Position],
    rolls: Sequence[tuple[int, int]],
    plays: Sequence[Sequence[int]],
    results: Sequence[Position],
) -> float:
    """Share of the decisions in which both choose the same play; `results` are the positions after ours."""
    from sixprime import parse_play

    same = 0
    for position, roll, numbers, result in zip(positions, rolls, plays, results, strict=True):
        # Pairs of points; 25 is the bar and 0 is off, as in our notation.
        text = " ".join(f"{start}/{end}" for start, end in zip(numbers[::2], numbers[1::2], strict=True))
        same += parse_play(text, position, roll).result == result
    return same / len(positions)


if __name__ == "__main__":
    _main.run(main)
