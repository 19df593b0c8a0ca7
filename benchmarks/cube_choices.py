"""What ways to value the cube lose on the same decisions, by every reference at hand, and how the fitted one is found.

    python benchmarks/cube_choices.py charge --matches FOLDER --gnubg      # some 3 CPU minutes
    python benchmarks/cube_choices.py fit                                  # some 6 CPU minutes
    python benchmarks/cube_choices.py free                                 # seconds

charge: close decisions, the double and the take apart, at every depth asked for. References: `analysed`, the equities
of eXtreme Gammon in the .xg files of a folder; `rolled out`, tests/data/truth.jsonl or another file of `truth.py`; with
--published DIR, a clone of github.com/Fortuitous/FlashbackPWA2, the positions that Bagai's FlashBack teaches, which
eXtreme Gammon rolled out, at money with the cube in the middle and owned: `published contact`, and `published races` of
more than three chequers; `self-play`, decisions at money and match scores by our own search one ply deeper than the
deepest way, with the classic model at its leaves, so that no way is judged by itself; `free doubles`, positions
anywhere in games after the Crawford game, by the same judge. "together" is all but the last two.
"less" is what a way loses less than the first one, with the standard error of that difference over games or matches.

fit: prints what the fitted model should say: the lines of contact so that static values are those of the rollouts of
`cube_rollouts.py`, with all three cubes at once; those of races so that static values are those of searches of 1 and
2 plies, with the model itself at the leaves; and for match scores efficiencies by what a double costs.
free: what fits who doubles for nothing (`kernel.eager`).
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import _main
import numpy as np
from _cubeplay import Matchup, Seen, by_model, opening_dice, play_out, start_boards
from numpy.typing import NDArray

from sixprime import Engine, Position, SixprimeError, kernels, read
from sixprime.cube.fitted import DEFAULT, Fitted, cost_share
from sixprime.cube.model import CubeModel
from sixprime.cube.state import CubeState
from sixprime.cube.tree import expand_groups
from sixprime.cube.values import to_equities
from sixprime.engine.judge import DOUBTED, is_doubtful
from sixprime.game.ids import decode_xgid
from sixprime.game.record import ActionKind
from sixprime.kernels import search
from sixprime.players.bot import Asked
from sixprime.train.truth import NEAR, read_rows

HERE = Path(__file__).parent
CLASSIC = "gnubg-1.07"
LENGTHS = (3, 5, 7, 9, 11, 13)
ROLLOUTS = HERE / "cube_rollouts.jsonl"
MONEY = [CubeState(), CubeState(1, -1), CubeState(1, 1)]
"""The cubes of a row of `cube_rollouts.py`, in its order."""
OURS = ("self-play", "free doubles")
"""References that are judged by ourselves."""
RARE = 0.6
"""Weight of a position from a rare start."""


@dataclass(frozen=True)
class Decisions:
    """Decisions seen by the side on roll. boards: int8[N, 32]; truth: float64[N, 2], no double and double, take,
    normalised to the cube before; clusters: int[N], games or matches, whose decisions are not independent."""

    name: str
    boards: NDArray[np.int8]
    states: Sequence[CubeState]
    truth: NDArray[np.float64]
    clusters: NDArray[np.int64]

    @property
    def grouped(self) -> tuple[list[CubeState], NDArray[np.int32]]:
        """The distinct states, and which each decision has."""
        number = {state: i for i, state in enumerate(dict.fromkeys(self.states))}
        return list(number), np.array([number[state] for state in self.states], dtype=np.int32)


# -- references ----------------------------------------------------------------------------------


def analysed(folder: Path) -> Decisions | None:
    """Decisions that eXtreme Gammon has analysed."""
    rows = []
    files = sorted(folder.rglob("*.xg"))
    if not files:
        sys.exit(f"{folder} holds no .xg files")
    for number, path in enumerate(files):
        try:
            match = read(path)
        except SixprimeError as error:
            print(error)
            continue
        for action in (action for game in match.games for action in game.actions):
            if action.kind not in (ActionKind.MOVE, ActionKind.DOUBLE) or action.position is None:
                continue
            for analysis in action.analyses:
                cube = analysis.cube
                if cube is not None and cube.double_take is not None:
                    state = CubeState.from_match(action.state.with_dice(None))
                    truth = cube.no_double.equity, cube.double_take.equity
                    rows.append((action.position, state, truth, number))
    return _decisions("analysed", rows)


def rolled_out(path: Path) -> Decisions | None:
    rows = [row for row in read_rows(path) if row.dice is None]
    return _decisions(
        "rolled out",
        [
            (row.position, CubeState.from_match(row.state), tuple(each.equity for each in row.alternatives), i)
            for i, row in enumerate(rows)
        ],
    )


def published(folder: Path) -> list[Decisions | None]:
    """FlashBack's cube decisions at money: contact, races."""
    made = re.compile(
        r'^CubePosition\[\d+\] = new makeCubePosition\("([^":]+):[^"]+", *0, *0, *([01]), *([-+.\d]+), *([-+.\d]+),',
        re.M,
    )
    rows: tuple[list, list] = [], []
    numbers: dict[str, int] = {}
    for board, owner, *equities in made.findall((folder / "js/Flashcard/CubePosition.js").read_text("utf-8")):
        position, _ = decode_xgid(f"XGID={board}:0:0:1:00:0:0:3:0:10")
        state = CubeState(2, 1) if owner == "1" else CubeState(jacoby=True)
        sides = position.player, position.opponent
        if max(map(sum, sides)) > 3:
            race = int(sum(max(np.flatnonzero(side)) for side in sides) < 24)
            number = numbers.setdefault(position.id, len(numbers))
            rows[race].append((position, state, tuple(map(float, equities)), number))
    return [_decisions(f"published {name}", part) for name, part in zip(("contact", "races"), rows, strict=True)]


def _decisions(name: str, rows: list) -> Decisions | None:
    rows = [row for row in rows if row[1].can_double]
    if not rows:
        return None
    boards = kernels.pack(np.stack([row[0].board for row in rows]), 15)
    truth, clusters = np.array([row[2] for row in rows], dtype=np.float64), np.array([row[3] for row in rows])
    return Decisions(name, boards, [row[1] for row in rows], truth, clusters)


def self_play(engine: Engine, games: int, seed: int) -> tuple[NDArray[np.int8], list[CubeState], NDArray[np.int64]]:
    """Boards, states and games of decisions near a cube action by the static values: positions of cubeless self-play,
    at most four a game, half of them for money."""
    random, states = np.random.default_rng(seed), _states(np.random.default_rng(seed))
    level = expand_groups([[s, s.doubled()] for s in states], 0)[0]
    found: list[tuple[int, NDArray[np.int8], CubeState]] = []

    def watch(turn: int, numbers: NDArray[np.int64], seen: Seen, values: list) -> None:
        rows = np.flatnonzero(
            ~np.isin(seen.codes, (search.OVER, search.BEAROFF)) & (random.random(len(numbers)) < 0.35)
        )
        if turn == 0 or not len(rows):
            return
        groups = random.integers(len(states), size=len(rows)).astype(np.int32)
        worth = equities(engine, CLASSIC, seen.boards[rows], states, groups, 0, level=level)[1]
        hold, take = worth.T
        near = (np.abs(hold - np.minimum(take, 1)) < 1.2 * NEAR) & (hold > -0.2) | (np.abs(take - 1) < 1.2 * NEAR)
        found.extend(
            (int(numbers[rows[k]]), seen.boards[rows[k]].copy(), states[groups[k]]) for k in np.flatnonzero(near)
        )

    _cubeless(engine, games, seed, watch)
    random.shuffle(found)
    seen_of: dict[int, int] = {}
    kept = []
    for row in found:
        seen_of[row[0]] = seen_of.get(row[0], 0) + 1
        if seen_of[row[0]] <= 4:
            kept.append(row)
    return np.stack([row[1] for row in kept]), [row[2] for row in kept], np.array([row[0] for row in kept])


def free_doubles(engine: Engine, games: int, seed: int, plies: int) -> Decisions:
    """Positions of self-play in which the side on roll has nothing to lose by a double, judged by so many plies."""
    states, boards = _after_crawford(), anywhere(engine, games, seed + 1)
    chosen = np.random.default_rng(seed).integers(len(states), size=len(boards))
    asked = Decisions("free doubles", boards, [states[i] for i in chosen], np.zeros((0, 2)), np.arange(len(boards)))
    return replace(asked, truth=equities(engine, CLASSIC, boards, *asked.grouped, plies)[1])


def _after_crawford() -> list[CubeState]:
    """The trailer is on roll and needs 2 to 9 points."""
    return [CubeState(length=max(away, 3), away=(away, 1)) for away in range(2, 10)]


def anywhere(engine: Engine, games: int, seed: int) -> NDArray[np.int8]:
    """Boards of one position in twelve of cubeless self-play, those of finished games and bear-offs left out."""
    random, found = np.random.default_rng(seed), []

    def watch(turn: int, numbers: NDArray[np.int64], seen: Seen, values: list) -> None:
        rows = ~np.isin(seen.codes, (search.OVER, search.BEAROFF)) & (random.random(len(numbers)) < 1 / 12)
        found.append(seen.boards[rows].copy())

    _cubeless(engine, games, seed, watch)
    return np.concatenate(found)


def _cubeless(engine: Engine, games: int, seed: int, watch) -> None:
    base = by_model(CLASSIC)
    never = lambda seen: base(seen) * [0, 0, 0] + [[0.0, 0.0, -1.0]]  # noqa: E731
    matchup = Matchup(never, never, np.ones(games, dtype=np.int64), np.full(games, -1, dtype=np.int8))
    play_out(engine, start_boards(engine, games), opening_dice(seed, games), [matchup], watch=watch)


def _states(random: np.random.Generator, count: int = 160) -> list[CubeState]:
    money = [CubeState()] * 3 + [CubeState(jacoby=True)] * 2 + [CubeState(2, 1)] * 3
    states = money * (count // len(money) // 2)
    while len(states) < count:
        length, cube = int(random.choice(LENGTHS)), int(random.choice([1, 1, 1, 2, 2, 4]))
        away = int(random.integers(1, length + 1)), int(random.integers(1, length + 1))
        if 1 in away and (cube > 1 or away[0] == 1):
            continue
        state = CubeState(cube, int(cube > 1), length, away)
        if state.can_double:
            states.append(state)
    return states


# -- values --------------------------------------------------------------------------------------


def equities(
    engine: Engine,
    model: str | CubeModel,
    boards: NDArray[np.int8],
    states: Sequence[CubeState],
    groups: NDArray[np.int32],
    plies: int,
    *,
    level=None,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Outcomes float64[N, 5], and float64[N, 2]: no double and double, take, normalised to the cube before."""
    roots = [[state, state.doubled()] for state in states]
    chosen = CubeModel.named(model) if isinstance(model, str) else model
    levels = [level] if level else expand_groups(roots, plies, engine.met, model=chosen)
    parts = [slice(at, at + 500) for at in range(0, len(boards), 500)]
    found = [engine.searcher.values(boards[part], groups[part], levels) for part in parts]
    outcomes, values = (np.concatenate([pair[k] for pair in found]) for k in (0, 1))
    money = np.array([state.money for state in states])[groups]
    worth = np.stack([to_equities(values[:, k], groups, states, engine.met) for k in (0, 1)], axis=1)
    worth[money, 1] = 2 * values[money, 1]
    return outcomes, worth


def lost(asked: Decisions, worth: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Thousandths lost by doubling, and by taking or passing, float64[N] each by choices on `worth`; NaN where it is no
    question."""
    (hold, take), (held, taken) = worth.T, asked.truth.T
    doubled = np.minimum(taken, 1)
    double = np.maximum(held, doubled) - np.where((take >= hold) & (hold <= 1), doubled, held)
    answer = np.where((take <= 1) != (taken <= 1), np.abs(taken - 1), 0.0)
    double[np.abs(held - doubled) >= NEAR] = np.nan
    answer[np.abs(taken - 1) >= NEAR] = np.nan
    return 1000 * double, 1000 * answer


# -- charging ------------------------------------------------------------------------------------


def charge(arguments: argparse.Namespace) -> None:
    engine = Engine(threads=1)
    references = [rolled_out(arguments.truth)]
    if arguments.matches:
        references.insert(0, analysed(arguments.matches))
    if arguments.published:
        references += published(arguments.published)
    if arguments.games:
        boards, states, games = self_play(engine, arguments.games, arguments.seed)
        asked = Decisions("self-play", boards, states, np.zeros((len(boards), 2)), games)
        truth = equities(engine, CLASSIC, boards, *asked.grouped, max(arguments.plies) + 1)[1]
        references.append(replace(asked, truth=truth))
        references.append(free_doubles(engine, arguments.games, arguments.seed, max(arguments.plies) + 1))
    pooled: dict[tuple[int, str], list] = defaultdict(list)
    for asked in references:
        if asked is None:
            continue
        known = {}
        for plies in arguments.plies:
            for way in arguments.ways:
                known[plies, way] = equities(engine, way, asked.boards, *asked.grouped, plies)[1]
                if arguments.deepen and plies == DOUBTED:
                    known[plies, f"{way}, then 3"] = _deepened(engine, way, asked, known[plies, way])
            if arguments.gnubg and len(asked.boards) <= 4000:
                known[plies, "GNU Backgammon"] = _gnubg(asked, plies)
        print(f"\n{asked.name}: {len(asked.boards)} decisions")
        print(f"{'':26}{'doubles lost':>20}{'takes lost':>20}{'less in all':>20}{'bias: hold, take':>18}")
        base = arguments.ways[0]
        for (plies, way), worth in known.items():
            cells = [_text(each, asked.clusters) for each in lost(asked, worth)]
            less = [first - own for first, own in zip(lost(asked, known[plies, base]), lost(asked, worth), strict=True)]
            both = np.where(np.isnan(less).all(axis=0), np.nan, np.nansum(less, axis=0))
            close = ~np.isnan(lost(asked, worth)[0])
            bias = 1000 * (worth - asked.truth)[close].mean(axis=0)
            difference = "" if way == base else _text(both, asked.clusters)
            print(f"{plies}-ply {way:20}{cells[0]:>20}{cells[1]:>20}{difference:>20}{bias[0]:>12.0f}{bias[1]:>6.0f}")
        for (plies, way), worth in known.items():
            if (plies, "GNU Backgammon") in known and way.startswith("fitted"):
                own, other = (np.nansum(lost(asked, each), axis=0) for each in (worth, known[plies, "GNU Backgammon"]))
                print(f"{plies}-ply {way} loses {_share(own, other, asked.clusters)} % of what GNU Backgammon loses")
                if asked.name not in OURS:
                    clusters = np.unique(asked.clusters, return_inverse=True)[1] + 10**6 * len(pooled[plies, way])
                    pooled[plies, way].append((own, other, clusters))
    for (plies, way), parts in pooled.items():
        own, other, clusters = map(np.concatenate, zip(*parts, strict=True))
        print(f"together {plies}-ply {way} loses {_share(own, other, clusters)} % of what GNU Backgammon loses")


def _deepened(engine: Engine, way: str, asked: Decisions, worth: NDArray[np.float64]) -> NDArray[np.float64]:
    """Equities of a search of 2 plies, those of close decisions by 3."""
    states, groups = asked.grouped
    which, found = np.flatnonzero(is_doubtful(*worth.T)), worth.copy()
    found[which] = equities(engine, way, asked.boards[which], states, groups[which], DOUBTED + 1)[1]
    return found


def _text(losses: NDArray[np.float64], clusters: NDArray[np.int64]) -> str:
    """The mean over decisions, and its standard error over clusters."""
    known = ~np.isnan(losses)
    mean = losses[known].mean()
    away = np.bincount(np.unique(clusters[known], return_inverse=True)[1], weights=losses[known] - mean)
    return f"{mean:.2f} ± {np.sqrt((away**2).sum()) / known.sum():.2f}"


def _share(own: NDArray[np.float64], other: NDArray[np.float64], clusters: NDArray[np.int64]) -> str:
    """What `own` is in percent of `other`, and the standard error of that ratio over clusters, to first order."""
    ratio = own.sum() / other.sum()
    away = np.bincount(np.unique(clusters, return_inverse=True)[1], weights=own - ratio * other)
    return f"{100 * ratio:.0f} ± {100 * np.sqrt((away**2).sum()) / other.sum():.0f}"


def _gnubg(asked: Decisions, plies: int) -> NDArray[np.float64]:
    from sixprime.players.gnubg import GnubgBot

    states, groups = asked.grouped
    bot, found = GnubgBot(plies), []
    try:
        for at in range(0, len(groups), 256):
            found += bot._cubes(Asked(asked.boards[at : at + 256], states, groups[at : at + 256]))
    finally:
        bot.close()
    return np.array([answer[:2] for answer in found], dtype=np.float64)


# -- fitting -------------------------------------------------------------------------------------


class _Lines(Fitted):
    """The fitted model with its own lines at the leaves of every search."""

    def leaves(self, plies: int) -> CubeModel:
        return self


def fit(arguments: argparse.Namespace) -> None:
    engine, model = Engine(threads=1), _Lines(DEFAULT.mine, DEFAULT.theirs)
    boards, states, _ = self_play(engine, arguments.games, arguments.seed)

    # Step 1. Both sides: what their efficiencies add to a dead cube, in contact by rollouts, in races by 1 and 2 plies.
    rows = [json.loads(line) for line in ROLLOUTS.read_text("utf-8").splitlines()]
    rolled = kernels.pack(np.stack([Position.from_id(row[2]).board for row in rows]), 15)
    worth, errors = (np.array([row[at::2] for row in rows]) for at in (3, 4))
    weights = np.array([1.0 if row[1] == "start" else RARE for row in rows])
    known, _, outcomes = _known(engine, rolled)
    print(f"noise of the rollouts {1000 * np.sqrt((errors**2).mean()):.1f}")
    _fit_lines("contact", known, [0, 1, 2, 3, 4, 5], [(worth, *_gains(outcomes, MONEY))], weights)
    every = np.concatenate([boards, anywhere(engine, arguments.games // 2, arguments.seed + 1)])
    known, codes, _ = _known(engine, every)
    races = codes == search.RACE
    searched = [_money(engine, model, every[races], MONEY, plies) for plies in (1, 2)]
    by = [(values, *_gains(outcomes, MONEY)) for outcomes, values in searched]
    _fit_lines("race", known[races], [0, 4, 5], by, np.ones(races.sum()))
    given = model.parameters(*engine.searcher.judge(boards), kernels.pips(boards))

    # Step 2. What match scores add, by the cost share.
    for name, plies in (("theirs", 1), ("mine", 2)):
        asked = Decisions("", boards, states, np.zeros((len(boards), 2)), np.zeros(len(boards), dtype=np.int64))
        kinds, groups = asked.grouped
        outcomes, worth = equities(engine, model, boards, kinds, groups, plies)
        ends = [_equities_by(engine, kinds, groups, outcomes, x) for x in ((0, 0), (1, 0), (0, 1), (0.7, 1))]
        column = 0 if name == "mine" else 1
        seen = kinds if name == "mine" else [kind.doubled().swapped() for kind in kinds]
        shares = np.array([cost_share(kind, engine.met) or 0.0 for kind in seen])[groups]
        gain = (ends[1] if name == "mine" else ends[2])[:, column] - ends[0][:, column]
        own = worth[:, column] - ends[0][:, column]
        if name == "mine":
            free = np.array([(cost_share(kind.swapped(), engine.met) or 1) < 1e-9 for kind in kinds])[groups]
            own -= np.where(free, 1, given[:, 1]) * (ends[2] - ends[0])[:, 0]
        match = ~np.array([kind.money for kind in kinds])[groups]
        bounds = (-0.01, 1e-6, 0.2, 0.3, 0.4, 0.48, 0.52, 0.6, 0.7, 1.01)
        cells = []
        for low, high in pairwise(bounds):
            which = match & (shares > low) & (shares <= high) & (np.abs(gain) > 0.02)
            if which.sum() > 30:
                cells.append(f"{high:.2f} {(gain * own)[which].sum() / (gain**2)[which].sum():.3f}")
        print(f"{name}, efficiency by cost share up to:", ", ".join(cells))


def _known(
    engine: Engine, boards: NDArray[np.int8]
) -> tuple[NDArray[np.float64], NDArray[np.int8], NDArray[np.float64]]:
    """What a line is of, float64[N, 6], class codes and outcomes of the static evaluation."""
    static, codes = engine.searcher.judge(boards)
    known = [np.ones(len(boards)), static[:, 0], *_shares(static), kernels.pips(boards) / 100]
    return np.column_stack(known), codes, static


def _fit_lines(
    kind: str,
    known: NDArray[np.float64],
    terms: list[int],
    by: list[tuple[NDArray[np.float64], ...]],
    weights: NDArray[np.float64],
) -> None:
    """Prints the lines of both sides. by: values, those with a dead cube and what an efficiency of 1 of either side
    adds, float64[N, 3] each, by the cubes of `MONEY`."""
    mine, theirs = (
        np.concatenate([known[:, terms] * each[side][:, k, None] for each in by for k in range(3)]) for side in (2, 3)
    )
    added = np.concatenate([(values - dead)[:, k] for values, dead, _, _ in by for k in range(3)])
    x, root = np.column_stack([mine, theirs]), np.sqrt(np.tile(weights, 3 * len(by)))
    line = np.linalg.lstsq(x * root[:, None], added * root, rcond=None)[0]
    left = 1000 * np.sqrt(np.average((x @ line - added) ** 2, weights=root**2))
    for name, part in zip(("mine", "theirs"), np.split(line, 2), strict=True):
        print(f"{name} {kind:8} {len(known):6} positions:", part.round(3), f"rms left {left:.1f}")


def fit_free(arguments: argparse.Namespace) -> None:
    """Prints the root mean square of what static values are off those of 1 ply and 2 plies, in thousandths of what is
    lost or won, by `free` and `reach`; the least last."""
    engine = Engine(threads=1)
    boards = anywhere(engine, arguments.games, arguments.seed)
    trailing = _after_crawford()
    taken = [CubeState(length=9, away=(2, away)).doubled() for away in range(3, 10)]
    kinds = {"mine": trailing, "theirs": [state.swapped() for state in trailing] + taken}
    for side, states in kinds.items():

        def values(model: CubeModel, plies: int, states: list[CubeState] = states) -> NDArray[np.float64]:
            """Equities at every state, normalised to its cube."""
            found = _money(engine, model, boards, states, plies)[1]
            groups = [np.full(len(boards), k, dtype=np.int32) for k in range(len(states))]
            return np.stack([to_equities(found[:, k], groups[k], states, engine.met) for k in range(len(states))])

        searched = [values(_Lines(DEFAULT.mine, DEFAULT.theirs), plies) for plies in (1, 2)]
        tried = []
        for free in (0.2, 0.3, 0.4, 0.5, 0.6):
            for reach in (0.5, 0.7, 0.9, 1.2, 1.6):
                own = replace(getattr(DEFAULT, side), free=free, reach=reach)
                static = values(replace(DEFAULT, **{side: own}), 0)
                tried.append((np.sqrt(np.mean([(static - each) ** 2 for each in searched])), free, reach))
        for off, free, reach in sorted(tried, reverse=True)[-5:]:
            print(f"{side}: free {free}, reach {reach}: {1000 * off:.1f}")


def _shares(outcomes: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    won, lost_ = np.maximum(outcomes[:, 0], 0.02), np.maximum(1 - outcomes[:, 0], 0.02)
    return outcomes[:, 1] / won, outcomes[:, 3] / lost_


def _money(
    engine: Engine, model: CubeModel, boards: NDArray[np.int8], states: list[CubeState], plies: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    levels, groups = expand_groups([states], plies, engine.met, model=model), np.zeros(500, dtype=np.int32)
    found = [
        engine.searcher.values(boards[at : at + 500], groups[: len(boards) - at], levels)
        for at in range(0, len(boards), 500)
    ]
    return np.concatenate([pair[0] for pair in found]), np.concatenate([pair[1] for pair in found])


def _gains(outcomes: NDArray[np.float64], states: list[CubeState]) -> tuple[NDArray[np.float64], ...]:
    """Values with a dead cube, and what efficiencies of 1 of either side add: float64[N, 3] each."""
    level = expand_groups([states], 0, model=CubeModel.named(CLASSIC))[0]
    values = [level.evaluate(outcomes, np.tile(x, (len(outcomes), 1)), np.zeros(len(outcomes), np.int32)) for x in
              ((0.0, 0.0), (1.0, 0.0), (0.0, 1.0))]  # fmt: skip
    return values[0], values[1] - values[0], values[2] - values[0]


def _equities_by(
    engine: Engine, states: Sequence[CubeState], groups: NDArray[np.int32], outcomes: NDArray[np.float64], x: tuple
) -> NDArray[np.float64]:
    level = expand_groups([[s, s.doubled()] for s in states], 0, engine.met, model=CubeModel.named(CLASSIC))[0]
    values = level.evaluate(outcomes, np.tile(np.array(x, dtype=np.float64), (len(outcomes), 1)), groups)
    worth = np.stack([to_equities(values[:, k], groups, states, engine.met) for k in (0, 1)], axis=1)
    money = np.array([state.money for state in states])[groups]
    worth[money, 1] = 2 * values[money, 1]
    return worth


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("charge", "fit", "free"))
    parser.add_argument("--matches", type=_main.folder, help="folder of .xg files with analyses")
    parser.add_argument("--published", type=_main.folder, help="FlashBack's folder")
    parser.add_argument("--truth", type=Path, default=HERE.parent / "tests/data/truth.jsonl")
    parser.add_argument("--ways", nargs="+", default=[CLASSIC, "fitted", "janowski:0.7", "jump"])
    parser.add_argument("--plies", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--gnubg", action="store_true", help="ask GNU Backgammon beside them")
    parser.add_argument("--deepen", action="store_true", help="search what is close after 2 plies a third, too")
    parser.add_argument("--games", type=int, help="of self-play: 0 for none (charge: 600; fit: 12000; free: 300)")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    if arguments.games is None:
        arguments.games = {"charge": 600, "fit": 12000, "free": 300}[arguments.what]
    {"charge": charge, "fit": fit, "free": fit_free}[arguments.what](arguments)


if __name__ == "__main__":
    _main.run(main)
