"""Positions of the rare kinds, where games of self-play may start.

Ordinary play seldom meets back games, primes against primes or a late shot, so a net that only knows ordinary play
judges them badly. Games that start from these positions are played on as any other. Position `i` depends only on
(seed, i); it need not be pretty, only legal and of its kind: a few plays later it looks like life.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from sixprime import kernels

Counts = NDArray[np.int64]
"""Chequers of one side on its own points 1..24 and on the bar, `int64[26]`; index 0 is not used."""

_ANYWHERE = np.r_[0.0, np.ones(24), 0.15]
_HOME = np.r_[0.0, 0.5, 0.7, 1, 1, 1, 1, np.zeros(19)]
_BUILDING = np.r_[0.0, 0.3, 0.5, 0.9, 1.3, 1.5, 2.0, 1.2, 1.5, 0.7, 0.5, 0.4, 0.3, 0.8, np.full(5, 0.2), np.zeros(7)]
_CRASHED = np.r_[0.0, 3, 2.5, 2, 0.7, 0.4, 0.5, 0.1, 0.1, np.zeros(17)]
_BEHIND = np.r_[np.zeros(18), 0.4, 0.6, 1, 1, 1.2, 1, 1.2, 0.8]


def start(seed: int, number: int, mix: str = "all") -> NDArray[np.int8]:
    """One position with contact, `int8[2, 25]`, either side on roll. mix: which kinds and how often, of `MIXES`."""
    rng = np.random.default_rng((seed, number))
    while True:
        kind = _KINDS[rng.choice(len(_KINDS), p=MIXES[mix])]
        sides = kind(rng)
        if sides is None:
            continue
        one, other = sides
        if rng.random() < 0.5:
            one, other = other, one
        board = np.zeros((2, 25), dtype=np.int8)
        board[1], board[0] = one[1:], other[1:]
        rears = np.flatnonzero(one)[-1], np.flatnonzero(other)[-1]
        # With five points closed and chequers on the bar of both sides, play could go on for ever.
        if rears[0] + rears[1] > 25 and not (one[25] and other[25]):
            return board


def starts(seed: int, numbers: NDArray[np.int64], mix: str = "all") -> NDArray[np.int8]:
    """Packed boards `int8[N, 32]` of the positions with these numbers."""
    return kernels.pack(np.stack([start(seed, int(number), mix) for number in numbers]))


def _fill(rng: np.random.Generator, side: Counts, count: int, weights: NDArray[np.float64], facing: Counts) -> bool:
    """Puts `count` more chequers where `weights` say, often in pairs and never on a point held by `facing`."""
    weights = weights.copy()
    weights[1:25][facing[24:0:-1] > 0] = 0
    if count and not weights.any():
        return False
    edges = weights.cumsum()
    while count:
        point = int(np.searchsorted(edges, rng.random() * edges[-1], side="right"))
        lot = min(count, 2 if point < 25 and rng.random() < 0.65 else 1)
        side[point] += lot
        count -= lot
        if side[point] > 4:
            weights[point] *= 0.2
            edges = weights.cumsum()
    return True


def _empty() -> Counts:
    return np.zeros(26, dtype=np.int64)


def _anchors(rng: np.random.Generator, side: Counts, points: int) -> None:
    """Makes that many points in the other side's home."""
    chances = np.array([0.6, 0.8, 1.0, 1.2, 1.2, 1.2])
    for point in rng.choice(np.arange(19, 25), size=points, replace=False, p=chances / chances.sum()):
        side[point] = 3 if rng.random() < 0.3 else 2


def _prime(rng: np.random.Generator, side: Counts, facing: Counts) -> None:
    """Four to six points in a row, but for those the other side holds."""
    length = int(rng.integers(4, 7))
    first = int(rng.integers(2, 11 - length))
    for point in range(first, first + length):
        if facing[25 - point] == 0:
            side[point] = 2


def _stack(rng: np.random.Generator, side: Counts, count: int, facing: Counts) -> bool:
    """Puts `count` chequers on up to four points of the home board, where `facing` leaves room; false if nowhere."""
    free = np.flatnonzero(facing[24:18:-1] == 0) + 1
    if not len(free):
        return False
    points = rng.choice(free, size=min(int(rng.integers(2, 5)), len(free)), replace=False)
    side[points] += rng.multinomial(count, rng.dirichlet(np.full(len(points), 0.8)))
    return True


def _rest(side: Counts) -> int:
    return 15 - int(side.sum())


def _back_game(rng: np.random.Generator, wild: float = 1.0) -> tuple[Counts, Counts] | None:
    """Two or three anchors, now and then most chequers behind, against a side that is coming home or has crunched.

    wild: how often there is what seldom comes up, beside how often a net needs it to learn.
    """
    one, other = _empty(), _empty()
    _anchors(rng, one, 3 if rng.random() < 0.12 * wild else 2)
    if rng.random() < 0.4:
        one[rng.choice([25, 24, 23, 22, 21])] += 1
    if rng.random() < 0.2 * wild:
        _fill(rng, one, min(int(rng.integers(2, 8)), _rest(one)), _BEHIND, other)
    if rng.random() < 0.2 * wild and not _stack(rng, other, int(rng.integers(7, 14)), one):
        return None
    timing = [_BUILDING, _CRASHED, _ANYWHERE][rng.choice(3, p=[0.7, 0.15, 0.15])]
    if rng.random() < 0.25:
        other[rng.integers(14, 25)] += int(rng.integers(1, 3))
        if (other[1:25] * one[24:0:-1]).any():
            return None
    if not _fill(rng, other, _rest(other), _BUILDING * np.r_[1, np.ones(12), np.full(13, 0.5)], one):
        return None
    return (one, other) if _fill(rng, one, _rest(one), timing, other) else None


def _deep_anchor(rng: np.random.Generator) -> tuple[Counts, Counts] | None:
    """One anchor, or a few chequers, behind a side that comes home or bears off."""
    one, other = _empty(), _empty()
    one[rng.integers(19, 25)] = int(rng.integers(1, 5))
    if rng.random() < 0.3:
        one[25] += 1
    off = int(rng.integers(0, 13)) if rng.random() < 0.6 else 0
    where = _HOME if off or rng.random() < 0.5 else _BUILDING
    if not _fill(rng, other, 15 - off, where, one):
        return None
    return (one, other) if _fill(rng, one, _rest(one), _HOME if rng.random() < 0.5 else _BUILDING, other) else None


def _containment(rng: np.random.Generator) -> tuple[Counts, Counts] | None:
    """A side that was hit late: most of its chequers are home or off, the last must still come round."""
    one, other = _empty(), _empty()
    for _ in range(int(rng.integers(1, 3))):
        one[25 if rng.random() < 0.35 else rng.integers(7, 25)] += 1
    off = int(rng.integers(0, 14 - int(one.sum())))
    if not _fill(rng, one, 15 - off - int(one.sum()), _HOME, other):
        return None
    if rng.random() < 0.6:
        _prime(rng, other, one)
    return (one, other) if _fill(rng, other, _rest(other), _BUILDING, one) else None


def _primes(rng: np.random.Generator) -> tuple[Counts, Counts] | None:
    """Both sides have chequers behind a prime."""
    one, other = _empty(), _empty()
    for side, facing in ((one, other), (other, one)):
        back = int(rng.integers(1, 5))
        if not _fill(rng, side, back, _BEHIND * np.r_[np.ones(25), 0.3], facing):
            return None
    for side, facing in ((one, other), (other, one)):
        _prime(rng, side, facing)
        if side.sum() > 15 or not _fill(rng, side, _rest(side), _BUILDING, facing):
            return None
    return one, other


def _crashed(rng: np.random.Generator) -> tuple[Counts, Counts] | None:
    """One side has buried most of its chequers; somebody is still behind."""
    one, other = _empty(), _empty()
    if not _fill(rng, one, int(rng.integers(1, 5)), _BEHIND, other):
        return None
    if not _fill(rng, other, int(rng.integers(0, 4)), _BEHIND, one):
        return None
    if not _fill(rng, one, _rest(one), _CRASHED, other):
        return None
    where = _CRASHED if rng.random() < 0.3 else _BUILDING
    return (one, other) if _fill(rng, other, _rest(other), where, one) else None


def _blitz(rng: np.random.Generator) -> tuple[Counts, Counts] | None:
    """Blots on the bar and in the home of a side that attacks."""
    one, other = _empty(), _empty()
    one[25] = int(rng.integers(0, 4))
    for _ in range(int(rng.integers(1, 4))):
        one[rng.integers(19, 25)] += 1
    if rng.random() < 0.5 and not _fill(rng, other, 2, _BEHIND, one):
        return None
    zone = _BUILDING * np.r_[0, np.full(6, 1.5), np.ones(19)]
    if not _fill(rng, other, _rest(other), zone, one):
        return None
    return (one, other) if _fill(rng, one, _rest(one), _BUILDING, other) else None


def _scattered(rng: np.random.Generator) -> tuple[Counts, Counts] | None:
    """Chequers anywhere."""
    one, other = _empty(), _empty()
    _fill(rng, one, 15, _ANYWHERE, other)
    return (one, other) if _fill(rng, other, 15, _ANYWHERE, one) else None


def _sent_back(rng: np.random.Generator) -> tuple[Counts, Counts] | None:
    """The opening position after a few chequers of one or both sides were sent back."""
    one, other = _empty(), _empty()
    for side in (one, other):
        side[[6, 8, 13, 24]] = 5, 3, 5, 2
    for side, facing, most in ((one, other, 6), (other, one, 3)):
        moved = int(rng.integers(0, most))
        for _ in range(moved):
            side[rng.choice(np.flatnonzero(side[:18]))] -= 1
        if not _fill(rng, side, moved, _BEHIND + 0.05 * _ANYWHERE, facing):
            return None
    return one, other


_KINDS: tuple[Callable[[np.random.Generator], tuple[Counts, Counts] | None], ...] = (
    _back_game,
    _deep_anchor,
    _containment,
    _primes,
    _crashed,
    _blitz,
    _scattered,
    _sent_back,
    partial(_back_game, wild=0.3),
)
MIXES = {
    "all": (0.36, 0.14, 0.1, 0.11, 0.07, 0.07, 0.03, 0.12, 0),
    "back games": (0.7, 0.1, 0.12, 0, 0.08, 0, 0, 0, 0),
    "back games alone": (1, 0, 0, 0, 0, 0, 0, 0, 0),
    "no back games": (0, 0.16, 0.14, 0.19, 0.12, 0.14, 0.03, 0.22, 0),
    "late": (0, 0.35, 0.4, 0, 0.25, 0, 0, 0, 0),
    "usual back games": (0, 0, 0, 0, 0, 0, 0, 0, 1),
}
"""Shares of the kinds, which add up to one."""
