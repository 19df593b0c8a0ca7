"""`sixprime bench`: how fast this machine is, and with `--strength` how well a net judges."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

from sixprime.cli._common import Flag, Plies, Threads, UsageError, print_json, progress, whole
from sixprime.settings import make_engine

if TYPE_CHECKING:
    from sixprime.engine import Engine

GAMES = 2048
"""Games from whose phases the decisions to be measured are taken."""
_LABELS = {
    "plays_per_second": "legal plays generated",
    "evaluations_per_second": "positions judged by the net",
    "plays_judged_per_second": "plays of all rolls from contact judged",
    "decisions_0ply_per_second": "best plays found at 0-ply",
    "positions_2ply_per_second": "positions evaluated at 2-ply, cubeful",
    "rollout_games_per_second": "games rolled out",
}


def bench(
    *,
    threads: Threads = None,
    seconds: Annotated[float, Parameter(validator=Number(gt=0, lte=600))] | None = None,
    strength: Flag = False,
    data: Path | None = None,
    plies: Annotated[tuple[Plies, ...], Parameter(consume_multiple=True, show_default=False)] = (),
    net: str | None = None,
    every: Annotated[int, whole(1)] | None = None,
    truth: Path | None = None,
    player: Annotated[tuple[str, ...], Parameter(consume_multiple=True, show_default=False)] = (),
    groups: Flag = False,
    json: Flag = False,
) -> int:
    """Measure the speed on this machine, over positions of self-play; or the strength on rolled-out positions.

    Parameters
    ----------
    threads
        How many threads to use; by default all cores.
    seconds
        How long to measure each number, more than 0 and up to 600; by default 1.
    strength
        Measure the strength instead, on the reference rows.
    data
        Folder of the reference rows; by default what SIXPRIME_REFDATA names.
    plies
        How far to look ahead for strength, such as 0 or 0 2; by default 0.
    net
        A network file or the name of a net that ships; by default "standard".
    every
        Only every Nth position and decision, N from 1 on; by default all.
    truth
        Charge players for what they choose in the rolled-out plays and cubes of this file (benchmarks/truth.py).
    player
        Whom to charge, as for `sixprime duel`: "standard@2" (2-ply), "standard@expert", "gnubg@0", "ubgi:COMMAND"; by
        default the net at 0 and 2 plies.
    groups
        Show what is lost by plan, score and cube, too.
    json
        Print one JSON object.
    """
    if truth:
        if strength or seconds is not None or data or plies:
            raise UsageError("--truth goes with --player, --net, --every and --groups; plies are named by --player")
        return _truth(
            truth, player or tuple(f"{net or 'standard'}@{depth}" for depth in (0, 2)), every, threads, groups, json
        )
    if player or groups:
        raise UsageError("--player and --groups are for charging players on a file; add --truth FILE")
    if strength:
        if seconds is not None:
            raise UsageError("--seconds is for measuring speed; it does not go with --strength")
        return _strength(data, plies or (0,), net, every or 1, threads, json)
    if data or plies or every:
        raise UsageError("--data, --plies and --every are for measuring strength; add --strength")
    speeds = measure(make_engine(net, threads=threads), seconds or 1.0)
    if json:
        print_json(speeds)
        return 0
    for key, label in _LABELS.items():
        print(f"{label:<40}{speeds[key]:>14,.0f} per second")
    print(f"{'threads':<40}{speeds['threads']:>14}")
    return 0


def _strength(
    data: Path | None, plies: tuple[int, ...], net: str | None, every: int, threads: int | None, json: bool
) -> int:
    from sixprime.train import strength

    rows = strength.read_rows(strength.folder_of_rows(data), every)
    engine = make_engine(net, threads=threads)
    scores = []
    for depth in dict.fromkeys(plies):
        with progress(f"{depth}-ply") as hook:
            scores.append(strength.measure(engine, rows, depth, hook))
    if json:
        results = {str(score.plies): strength.to_dict(score) for score in scores}
        print_json({"net": net or "standard", "checksum": engine.net.checksum, "every": every, "plies": results})
        return 0
    _print(strength.table(scores), names=1)
    return 0


def _truth(
    path: Path, players: tuple[str, ...], every: int | None, threads: int | None, groups: bool, json: bool
) -> int:
    from sixprime.players.lobby import Lobby
    from sixprime.progress import Watch
    from sixprime.train import truth

    rows = truth.read_rows(path)[:: every or 1]
    lobby, found, seconds = Lobby(threads=threads), {}, {}
    for name in dict.fromkeys(players):
        bot = lobby.bot(name)
        try:
            before = time.process_time()
            with progress(name) as hook:
                found[name] = truth.losses(truth.charge(bot, rows, Watch(hook)))
            seconds[name] = time.process_time() - before
        finally:
            bot.close()
    if json:
        losses = {name: {kind: loss.to_dict() for kind, loss in each.items()} for name, each in found.items()}
        print_json({"decisions": len(rows), "players": losses, "seconds": seconds})
        return 0
    print("Equity lost per decision in thousandths, by rollouts to the end.")
    _print(truth.table(found, groups=groups))
    return 0


def _print(table: list[list[str]], names: int = 0) -> None:
    """Prints rows in columns. names: the column of names among those of numbers."""
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for row in table:
        cells = [cell.rjust(width) for cell, width in zip(row, widths, strict=True)]
        cells[names] = row[names].ljust(widths[names])
        print("  ".join(cells).rstrip())


def measure(engine: Engine, seconds: float, wanted: Collection[str] = tuple(_LABELS)) -> dict[str, float]:
    """The wanted speeds of all threads together, each measured for at least `seconds`; and the number of threads."""
    import numpy as np

    from sixprime import kernels
    from sixprime.engine.plies import classes_of
    from sixprime.game import Position
    from sixprime.kernels import search
    from sixprime.kernels.replies import best_replies
    from sixprime.train.selfplay import MONEY, SelfPlayGames, best_plays

    brain = engine.brain

    # Step 1. Decisions from all phases of the games.
    games = SelfPlayGames.new(seed=1, count=GAMES, variety=0.0)
    for _ in range(40):
        games.advance(best_plays(brain, games.boards, games.dice())[0])
    boards, dice = games.boards.copy(), games.dice()
    after, _ = kernels.legal_plays(boards, dice)
    contact = np.flatnonzero(classes_of(boards) == search.CONTACT)[:512]
    rolls = np.tile(kernels.ROLLS, (len(contact), 1))
    moved = len(kernels.legal_plays(np.repeat(boards[contact], 21, axis=0), rolls)[0])
    positions = [Position.from_board(board) for board in kernels.unpack(boards[:256])]

    trials = 36 * engine.threads

    # Step 2. Every measurement splits its work over the threads.
    slices = [slice(i, i + 128) for i in range(0, len(boards), 128)]

    def judge(part: slice) -> None:
        few = boards[part]
        search.judge(brain, few, np.empty((len(few), 5), dtype=np.float32), np.empty(len(few), dtype=np.int8))

    def judge_plays(part: slice) -> None:
        best_replies(brain, boards[contact[part]], kernels.ROLLS[None], MONEY, 0)

    def decide(part: slice) -> None:
        best_plays(brain, boards[part], dice[part])

    def roll_out() -> None:
        engine.rollout(Position.start(), trials=trials)

    def searched() -> None:
        engine.forget()
        engine.evaluate_many(positions, plies=2)

    with ThreadPoolExecutor(engine.threads) as pool:

        def rate(work: Callable[[slice], object], units: int) -> float:
            return _rate(lambda: list(pool.map(work, slices)), units, seconds)

        measurements: dict[str, Callable[[], float]] = {
            "plays_per_second": lambda: rate(lambda part: kernels.legal_plays(boards[part], dice[part]), len(after)),
            "evaluations_per_second": lambda: rate(judge, len(boards)),
            "plays_judged_per_second": lambda: rate(judge_plays, moved),
            "decisions_0ply_per_second": lambda: rate(decide, len(boards)),
            "positions_2ply_per_second": lambda: _rate(searched, len(positions), seconds),
            "rollout_games_per_second": lambda: _rate(roll_out, trials, seconds),
        }
        speeds = {name: work() for name, work in measurements.items() if name in wanted}
    return {**speeds, "threads": engine.threads}


def _rate(work: Callable[[], object], units: int, seconds: float) -> float:
    """Units per second of `work`, which does `units` at a call; a first call warms up."""
    work()
    rounds = 0
    start = time.perf_counter()
    while True:
        work()
        rounds += 1
        elapsed = time.perf_counter() - start
        if elapsed >= seconds:
            return round(units * rounds / elapsed, 1)
