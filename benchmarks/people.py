"""Levels that err as people do: which errors people make, and how weak our levels are.

models: how often people err and by how much, in matches of theirs (--data), beside several models of errors that were
each fitted to the same mean; KL is the divergence of the two distributions. measure: the performance rating of every
level by an analysis at 2 plies of --games money games against itself, kept in --state and gone on with. fit: the share
of careless decisions with which a level measures what it claims. duels: levels against their neighbours, in points a
game without luck.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import _main
import _measure

if TYPE_CHECKING:
    import numpy as np

    from sixprime.players.levels import Level

_BATCH = 10
_ROUNDS = 4
"""Times a level is measured again with another share of careless decisions."""


def main() -> None:
    parser = _measure.options(__doc__, pairs=200, gnubg=False)
    parser.add_argument("what", choices=["models", "measure", "fit", "duels"])
    parser.add_argument("--levels", nargs="*", help="by default all")
    parser.add_argument("--games", type=int, default=200, help="of each level (%(default)s)")
    parser.add_argument("--state", type=Path, default=Path("people.jsonl"), help="games measured (%(default)s)")
    parser.add_argument("--data", nargs="*", type=Path, default=[], help="matches of people")
    arguments = parser.parse_args()
    if arguments.what == "models" and not arguments.data:
        parser.error("models needs matches of people: --data FILE...")
    rows = globals()[arguments.what](arguments)
    _measure.show({"rows": rows[1:]}, arguments.json, f"{arguments.what}. ", rows)


# How weak levels are


def measure(arguments: Any) -> list[list[str]]:
    table = [["level", "claimed", "measured", "plays", "cubes", "share of cubes", "best plays", "decisions"]]
    for level in _levels(arguments.levels):
        table.append(_row(level, played(level, arguments.games, arguments.state)))
    return table


def fit(arguments: Any) -> list[list[str]]:
    table = [["level", "claimed", "careless", "measured"]]
    for level in _levels(arguments.levels):
        tried = [(level.careless, _rating(played(level, arguments.games, arguments.state)))]
        while len(tried) < _ROUNDS and abs(tried[-1][1] - level.pr) > 0.03 * level.pr:
            share, found = tried[-1]
            if len(tried) == 1:
                following = share * level.pr / found
            else:
                before, rating = tried[-2]
                following = share + (level.pr - found) * (share - before) / (found - rating)
            level = replace(level, careless=round(min(1.0, max(0.0, following)), 3))
            tried.append((level.careless, _rating(played(level, arguments.games, arguments.state))))
        table += [[level.name, f"{level.pr:g}", f"{share:.3f}", f"{rating:.2f}"] for share, rating in tried]
    return table


def played(level: Level, games: int, state: Path) -> list[dict[str, Any]]:
    """What was lost in so many games of a level against itself, kept and gone on with."""
    from sixprime import Engine
    from sixprime.analysis.analyse import analyse_many
    from sixprime.game.match_rules import Rules
    from sixprime.play import Automation, LevelSeat, SeededDice, Session

    key = json.dumps(asdict(level), sort_keys=True)
    known = [json.loads(line) for line in state.read_text().splitlines()] if state.exists() else []
    found = {row["game"]: row for row in known if row["level"] == key}
    judge = Engine(threads=1)
    missing = [number for number in range(games) if number not in found]
    for first in range(0, len(missing), _BATCH):
        numbers, records = missing[first : first + _BATCH], []
        for number in numbers:
            seats = LevelSeat(level, "A", seed=2 * number), LevelSeat(level, "B", seed=2 * number + 1)
            session = Session(seats, Rules(), dice=SeededDice(number), automation=Automation(next_game=False))
            session.advance()
            records.append(session.record())
        for number, analysed in zip(numbers, analyse_many(records, judge, plies=2), strict=True):
            plays = [decision.error for decision in analysed.decisions if decision.counted and decision.plays]
            cubes = [decision.error for decision in analysed.decisions if decision.counted and not decision.plays]
            found[number] = {
                "level": key,
                "game": number,
                "plays": [len(plays), sum(plays), sum(error == 0 for error in plays)],
                "cubes": [len(cubes), sum(cubes)],
            }
        with state.open("a") as out:
            out.writelines(json.dumps(found[number]) + "\n" for number in numbers)
    return [found[number] for number in range(games)]


def _rating(rows: Sequence[dict[str, Any]]) -> float:
    lost = sum(row["plays"][1] + row["cubes"][1] for row in rows)
    return 500 * float(lost) / sum(row["plays"][0] + row["cubes"][0] for row in rows)


def _row(level: Level, rows: Sequence[dict[str, Any]]) -> list[str]:
    count, lost, best = (sum(row["plays"][i] for row in rows) for i in range(3))
    cubes, missed = (sum(row["cubes"][i] for row in rows) for i in range(2))
    rating, every = _rating(rows), count + cubes
    # The error of a ratio, game by game.
    each = [row["plays"][1] + row["cubes"][1] - rating / 500 * (row["plays"][0] + row["cubes"][0]) for row in rows]
    error = 500 * math.sqrt(sum(x * x for x in each)) / every
    return [
        level.name,
        f"{level.pr:g}",
        f"{rating:.2f} ± {error:.2f}",
        f"{500 * lost / count:.2f}",
        f"{500 * missed / max(cubes, 1):.2f}",
        f"{missed / (lost + missed):.0%}",
        f"{best / count:.0%}",
        str(every),
    ]


def duels(arguments: Any) -> list[list[str]]:
    from sixprime.play.duel import Duel, cubeful_money
    from sixprime.play.standing import StopRule
    from sixprime.players.levels import LevelBot
    from sixprime.players.lobby import Lobby

    levels = _levels(arguments.levels)
    judge = Lobby(threads=1).evaluator("small")
    table = [["stronger", "weaker", "points a game", "as played", "pairs"]]
    for weaker, stronger in pairwise(levels):
        bots = tuple(LevelBot(level, level.engine(threads=1), seed) for seed, level in ((1, stronger), (2, weaker)))
        folder = arguments.state.parent / f"{stronger.name}-{weaker.name}.duel".replace(" ", "_")
        duel = Duel((bots[0], bots[1]), judge, cubeful_money(), state=folder)
        standing = duel.run(StopRule(pairs=arguments.pairs, clear=0))
        adjusted, raw = standing.adjusted, standing.raw
        table.append(
            [
                stronger.name,
                weaker.name,
                f"{adjusted.mean:+.3f} ± {adjusted.error:.3f}",
                f"{raw.mean:+.3f} ± {raw.error:.3f}",
                str(standing.pairs),
            ]
        )
    return table


def _levels(names: Sequence[str] | None) -> list[Level]:
    from sixprime.players.levels import LEVELS, get_level

    return [get_level(name) for name in names] if names else list(LEVELS.values())


# Which errors people make

_BINS = (0, 1e-4, 0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 9)
_GROUPS = ((0, 3.2), (3.2, 4.5), (4.5, 6.5), (6.5, 9), (9, 40))
"""Players by their rating in the match."""


def models(arguments: Any) -> list[list[str]]:
    import numpy as np

    people = _people(arguments.data)
    table = [["rating", "who", "of it", "rating", "KL", "best", "<.01", "<.02", "<.04", "<.08", "<.16", "<.32", "more"]]
    for low, high in _GROUPS:
        decisions = [decision for rating, own in people if low <= rating < high for decision in own]
        if not decisions:
            continue
        lost = np.array([losses[played] for losses, played in decisions])
        real = np.histogram(lost, _BINS)[0] / len(lost)
        table.append([f"{low:g}-{high:g}", "people", "", f"{500 * lost.mean():.2f}", "", *_shares(real)])
        for name, model, bounds in _models(np.random.default_rng(1)):
            share, found = _fitted(model, decisions, float(lost.mean()), bounds)
            if abs(found.mean() / lost.mean() - 1) > 0.15:
                continue  # it cannot be that good or bad
            made = np.histogram(found, _BINS)[0] / len(found)
            apart = float(np.sum(real * np.log((real + 1e-4) / (made + 1e-4))))
            rating = f"{500 * found.mean():.2f}"
            table.append([f"{low:g}-{high:g}", name, f"{share:.3f}", rating, f"{apart:.4f}", *_shares(made)])
    return table


def _models(source: np.random.Generator) -> list[tuple[str, Callable[..., int], tuple[float, float]]]:
    """Name, choice from the losses of the plays with one parameter, and its values from nearly no error to many."""
    import numpy as np

    def noise(losses: np.ndarray, deviation: float) -> int:
        return int(np.argmin(losses + deviation * source.normal(size=len(losses))))

    def logit(losses: np.ndarray, scale: float) -> int:
        return int(np.argmin(losses - scale * source.gumbel(size=len(losses))))

    def overlooked(losses: np.ndarray, share: float) -> int:
        return int(np.argmin(np.where(source.random(len(losses)) < share, 9.0, losses)))

    def overlooked_and_noise(losses: np.ndarray, share: float) -> int:
        return noise(np.where(source.random(len(losses)) < share, 9.0, losses), 0.02)

    def careless(slight: float, gross: float) -> Callable[..., int]:
        return lambda losses, share: noise(losses, gross if source.random() < share else slight)

    return [
        ("noise", noise, (0, 0.5)),
        ("logit", logit, (0, 0.5)),
        ("overlooked plays", overlooked, (0, 0.8)),
        ("overlooked plays, noise .02", overlooked_and_noise, (0, 0.8)),
        ("slips only, noise .15", careless(0.0, 0.15), (0, 1)),
        ("noise .01, careless .10", careless(0.01, 0.10), (0, 1)),
        ("noise .02, careless .15", careless(0.02, 0.15), (0, 1)),
    ]


def _fitted(
    model: Callable[..., int], decisions: Sequence[tuple[np.ndarray, int]], wanted: float, bounds: tuple[float, float]
) -> tuple[float, np.ndarray]:
    """The parameter with which a model loses as much as people did, and what it loses then."""
    import numpy as np

    def lost(share: float, times: int) -> np.ndarray:
        return np.array([losses[model(losses, share)] for _ in range(times) for losses, _ in decisions])

    low, high = bounds
    for _ in range(12):
        middle = (low + high) / 2
        low, high = (middle, high) if lost(middle, 1).mean() < wanted else (low, middle)
    return (low + high) / 2, lost((low + high) / 2, 4)


def _people(files: Sequence[Path]) -> list[tuple[float, list[tuple[np.ndarray, int]]]]:
    """Of every player of every match his rating, and of every play the losses of all that were legal and his choice."""
    import numpy as np

    from sixprime import Engine, formats
    from sixprime.analysis.analyse import analyse
    from sixprime.engine import PlayRequest
    from sixprime.game.match_rules import quiet

    engine, people = Engine(), []
    for file in files:
        analysed = analyse(formats.read(file), engine, plies=2)
        for player in (0, 1):
            asked = [
                (decision, decision.plays[decision.played].play)
                for decision in analysed.decisions
                if decision.player == player and decision.counted and decision.plays and decision.played is not None
            ]
            requests = [
                PlayRequest(decision.position, decision.dice or (1, 1), quiet(decision.state), play)
                for decision, play in asked
            ]
            own = []
            for (_, play), ranked in zip(asked, engine.rank_plays_many(requests, plies=2, count=None), strict=True):
                place = [each.play.result for each in ranked].index(play.result)
                own.append((np.array([each.equity_loss for each in ranked]), place))
            people.append((analysed.statistics[player].pr, own))
    return people


def _shares(shares: np.ndarray) -> list[str]:
    return [f"{100 * share:.1f}" for share in shares]


if __name__ == "__main__":
    _main.run(main)
