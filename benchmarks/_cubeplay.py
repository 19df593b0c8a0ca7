"""Money games played by the engine at 0-ply, in step, with several ways to handle the cube on the same dice.

Plays do not look at the cube, so one game serves all matchups: only the cube differs between them. What differs
between two ways to handle it is therefore measured with far less noise than in separate games.
No Jacoby rule, no beavers. Games end early where the two-sided bear-off database knows the equity.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sixprime import kernels
from sixprime.bearoff import two_sided
from sixprime.cube import jump
from sixprime.cube import model as cube_model
from sixprime.cube.model import CubeModel
from sixprime.cube.state import CubeState
from sixprime.engine import Engine
from sixprime.engine.volatility import jump_volatilities
from sixprime.kernels import search
from sixprime.kernels.replies import best_replies

STATES = (CubeState(1, 0), CubeState(1, 1), CubeState(1, -1))
"""Centred, owned by the player on roll, by the opponent."""
KEEP = 6
_MONEY = np.array([[2, 1, 1, -1, -1]], dtype=np.float32)


@dataclass(frozen=True)
class Seen:
    """Positions before a roll, seen by the side on roll. local: jump volatilities float64[N] or None."""

    boards: NDArray[np.int8]
    outcomes: NDArray[np.float32]
    codes: NDArray[np.int8]
    local: NDArray[np.float64] | None = None


Handler = Callable[[Seen], NDArray[np.float64]]
"""Money values float64[N, 3] of positions at `STATES`."""


def by_model(name: str) -> Handler:
    """A cube model by name, as `CubeModel.named` knows it."""
    model = CubeModel.named(name).at(0)
    table = cube_model.prepare(STATES, model=model)
    return lambda seen: cube_model.cubeful(
        seen.outcomes, model.parameters(seen.outcomes, seen.codes, kernels.pips(seen.boards)), table
    )


def by_jump(kind: str, remote: Callable[[Seen], NDArray[np.float64]], scale: float = 1.0) -> Handler:
    """The jump model; `scale` for both volatilities. The local one is that of `Seen`, else as remote."""
    table = cube_model.prepare(STATES)

    def values(seen: Seen) -> NDArray[np.float64]:
        far = remote(seen)
        near = far if seen.local is None else np.where(np.isnan(seen.local), far, seen.local)
        return jump.cubeful(seen.outcomes, scale * np.stack([near, far], axis=1), table, kind=kind)

    return values


def constant(volatility: float) -> Callable[[Seen], NDArray[np.float64]]:
    return lambda seen: np.full(len(seen.codes), volatility)


def by_class(race: float, contact: float) -> Callable[[Seen], NDArray[np.float64]]:
    return lambda seen: np.where(seen.codes == search.CONTACT, contact, race)


def decide(values: NDArray[np.float64], centred: NDArray[np.bool_]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Whether the side on roll doubles, and whether the other side takes, by values [N, 3] at `STATES`."""
    keep, take = np.where(centred, values[:, 0], values[:, 1]), 2 * values[:, 2]
    return (take >= keep) & (keep <= 1), take <= 1


@dataclass
class Matchup:
    """Two handlers at one table. cubes, owners (-1 nobody, else the seat): of all games at the start."""

    first: Handler
    second: Handler
    cubes: NDArray[np.int64]
    owners: NDArray[np.int8]


def play_out(
    engine: Engine,
    boards: NDArray[np.int8],
    roll: Callable[[int], NDArray[np.int8]],
    matchups: list[Matchup],
    *,
    watch: Callable[[int, NDArray[np.int64], Seen, list], None] | None = None,
    local_within: float = 0.0,
    luck: Handler | None = None,
) -> NDArray[np.float64]:
    """Points won by seat 0, which is on roll first, in every matchup and game: float64[M, N].

    roll: int8[N, 2] dice of a turn; nobody doubles on turn 0. watch: called with the turn, the games still played,
    their positions and the handlers' values. local_within: local volatilities are found for positions in which by the
    first matchup's second handler a decision is closer than this; 0 for never. luck: a handler whose values say how
    lucky each roll was; that luck is taken off the results, which makes them less noisy but not biased.
    """
    brain, ends = engine.brain, two_sided(6, 6)
    handlers = list(dict.fromkeys(h for m in matchups for h in (m.first, m.second)))
    cubes = np.array([m.cubes for m in matchups], dtype=np.int64)
    owners = np.array([m.owners for m in matchups], dtype=np.int8)
    results, done = np.zeros(cubes.shape), np.zeros(cubes.shape, dtype=bool)
    games = np.arange(len(boards))
    outcomes, codes = np.empty((len(boards), 5), np.float32), np.empty(len(boards), np.int8)
    search.judge(brain, boards, outcomes, codes)
    for turn in range(2000):
        seat, sign = turn % 2, 1 - 2 * (turn % 2)

        # Step 1. Games that are over or known.
        over = codes == search.OVER
        points = outcomes @ _MONEY[0] - 1
        exact = np.full((len(games), 4), np.nan)
        near = np.flatnonzero(codes == search.BEAROFF)
        if len(near):
            exact[near] = ends.equities(boards[near])
        known = ~np.isnan(exact[:, 0])
        for m in range(len(matchups)):
            live = ~done[m, games]
            which = games[over & live]
            results[m, which] += sign * points[over & live] * cubes[m, which]
            which = games[known & live]
            column = np.where(owners[m, which] < 0, 2, np.where(owners[m, which] == seat, 1, 3))
            if turn == 0 and len(which):
                raise ValueError("a start position is in the bear-off database")
            results[m, which] += sign * exact[known & live, column] * cubes[m, which]
        keep = ~(over | known) & ~done[:, games].all(axis=0)
        games, boards, outcomes, codes = games[keep], boards[keep], outcomes[keep], codes[keep]
        if not len(games):
            return results

        # Step 2. The cube.
        seen = Seen(boards, outcomes, codes)
        if local_within and turn:
            base = matchups[0].second(seen)
            take = 2 * base[:, 2]
            close = (np.abs(take - base[:, 0]) < local_within) | (np.abs(take - base[:, 1]) < local_within)
            close &= (take > 0.2) & (take < 1.6)
            local = np.full(len(games), np.nan)
            local[close] = jump_volatilities(brain, boards[close], keep=KEEP)[:, 0]
            seen = Seen(boards, outcomes, codes, local)
        values = [handler(seen) for handler in handlers]
        if watch:
            watch(turn, games, seen, values)
        if turn:
            for m, matchup in enumerate(matchups):
                mine, theirs = (matchup.first, matchup.second)[:: 1 - 2 * seat]
                owner = owners[m, games]
                doubles, _ = decide(values[handlers.index(mine)], owner < 0)
                _, takes = decide(values[handlers.index(theirs)], owner < 0)
                doubles &= (owner != 1 - seat) & ~done[m, games] & (cubes[m, games] < 1024)
                passed, taken = games[doubles & ~takes], games[doubles & takes]
                results[m, passed] += sign * cubes[m, passed]
                done[m, passed] = True
                cubes[m, taken] *= 2
                owners[m, taken] = 1 - seat

        # Step 3. The roll and the play.
        dice = roll(turn)[games]
        rolls = dice[:, None, :] if luck is None else kernels.ROLLS[None]
        chosen, found, kinds = best_replies(brain, boards, rolls, _MONEY, KEEP)
        ends_at = kinds.ravel()
        drawn = np.zeros(len(games), dtype=np.int64)
        if luck is not None:
            high = dice[:, 0].astype(np.int64)
            drawn = high * (high - 1) // 2 + dice[:, 1] - 1
            hopes = _hopes(luck, chosen, found, ends_at)
            for m in range(len(matchups)):
                owner = owners[m, games]
                column = np.where(owner < 0, 0, np.where(owner == seat, 2, 1))
                hope = np.take_along_axis(hopes, column[:, None, None], axis=2)[..., 0]
                gain = hope @ (kernels.ROLL_WEIGHTS / 36) - np.take_along_axis(hope, drawn[:, None], axis=1)[:, 0]
                results[m, games] -= np.where(done[m, games], 0.0, sign * cubes[m, games] * gain)
        every = np.arange(len(games))
        boards, outcomes = chosen[every, drawn], found[every, drawn]
        codes = ends_at.reshape(len(games), -1)[every, drawn]
    raise RuntimeError("a game did not end in 2000 turns")


def _hopes(
    handler: Handler, boards: NDArray[np.int8], outcomes: NDArray[np.float32], codes: NDArray[np.int8]
) -> NDArray[np.float64]:
    """Values [N, 21, 3] at `STATES` of positions after each roll, for the side then on roll, which may double."""
    seen = Seen(boards.reshape(-1, 32), outcomes.reshape(-1, 5), codes)
    values = handler(seen)
    best = np.minimum(2 * values[:, 2:], 1)
    values[:, :2] = np.maximum(values[:, :2], best)
    over = codes == search.OVER
    values[over] = (seen.outcomes[over] @ _MONEY[0] - 1)[:, None]
    return values.reshape(*outcomes.shape[:2], 3)


def start_boards(engine: Engine, games: int) -> NDArray[np.int8]:
    """Starting positions, packed."""
    from sixprime import Position

    return np.repeat(kernels.pack(Position.start().board[None], 15), games, axis=0)


def opening_dice(seed: int, games: int) -> Callable[[int], NDArray[np.int8]]:
    """Dice of whole games; the first roll is no double."""

    def roll(turn: int) -> NDArray[np.int8]:
        dice = np.random.default_rng((seed, turn)).integers(1, 7, size=(games, 2), dtype=np.int8)
        if turn == 0:
            again = np.random.default_rng((seed, turn, 1)).integers(1, 6, size=games, dtype=np.int8)
            dice[:, 1] = (dice[:, 0] - 1 + again) % 6 + 1
        return np.sort(dice, axis=1)[:, ::-1].copy()

    return roll
