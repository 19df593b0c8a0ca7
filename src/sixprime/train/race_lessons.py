"""Lessons for the nets of races: lists of one side's chequers, and what is known about the rolls they need.

Lists within the points of a one-sided database are known exactly, others from play alone (`kernels.race_alone`).
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sixprime.bearoff import OneSided
from sixprime.bearoff.databases import FULL
from sixprime.kernels.race import CUMULANTS, HOME, LONGEST, POINTS
from sixprime.kernels.race_alone import CHANCES, WIDTH, judge_lists, means_of, play_alone
from sixprime.nets.race import NETS
from sixprime.paths import replacing
from sixprime.reading import read_arrays

REACH = 11
"""Points of the database."""
_KNOWN = ((10, 8), (18, 5))
"""Points and chequers of lists left out; the databases of the engine reach a little farther than this."""


@dataclass(frozen=True, slots=True, eq=False)
class Lessons:
    """lists: `int8[N, 25]`, counts on points 1 to 24, [0] unused. known: `float32[N, M]`, the M outputs of a net."""

    lists: NDArray[np.int8]
    known: NDArray[np.float32]

    def save(self, path: Path) -> None:
        """Raises OSError."""
        with replacing(path) as partial:
            np.savez(partial, **{field.name: getattr(self, field.name) for field in fields(self)})

    @classmethod
    def load(cls, path: Path) -> Lessons:
        """Raises OSError, ValueError or KeyError when it is not whole."""
        found = read_arrays(path)
        lists, known = found["lists"], found["known"]
        if known.dtype != np.float32 or known.ndim != 2 or not np.isfinite(known).all():
            raise ValueError(f"known are {known.dtype}{[*known.shape]}, or no numbers")
        if lists.dtype != np.int8 or lists.shape != (len(known), POINTS + 1):
            raise ValueError(f"lists are {lists.dtype}{[*lists.shape]}")
        if (lists < 0).any() or (lists.sum(1, dtype=np.int16) > FULL).any():
            raise ValueError(f"a list has more than {FULL} chequers, or less than none on a point")
        return cls(lists, known)


def random_lists(rng: np.random.Generator, count: int, first: int, last: int, chequers: int = 0) -> NDArray[np.int8]:
    """Lists `int8[count, 25]` whose rearmost point is `first` to `last`; 15 chequers or, two in five, any number."""
    rears = rng.integers(first, last + 1, count)
    numbers = np.where(rng.random(count) < 0.6, FULL, rng.integers(1, FULL + 1, count))
    if chequers:
        numbers[:] = chequers
    weights = rng.standard_gamma(rng.choice([0.15, 0.4, 1.0, 3.0], count)[:, None], (count, POINTS)) + 1e-12
    tilts = np.where(rng.random(count) < 0.4, rng.uniform(-0.05, 0.25, count), 0)
    weights *= np.exp(-np.arange(POINTS) * tilts[:, None]) * (np.arange(POINTS) < rears[:, None])
    edges = np.cumsum(weights, axis=1)
    edges /= edges[:, -1:]
    lists = np.zeros((count, POINTS + 1), dtype=np.int8)
    row = np.arange(count)
    lists[row, rears] = 1
    for k in range(1, FULL):
        points = 1 + np.minimum((rng.random(count)[:, None] > edges).sum(1), rears - 1)
        lists[row, points] += k < numbers
    return lists


def wanted(lists: NDArray[np.int8]) -> NDArray[np.bool_]:
    """Which lists are worth a lesson: those beyond home that no small database knows."""
    found = lists[:, HOME + 1 :].any(1)
    for points, chequers in _KNOWN:
        found &= lists[:, points + 1 :].any(1) | (lists.sum(1) > chequers)
    return np.asarray(found)


def near_lessons(rng: np.random.Generator, count: int, name: str, database: OneSided) -> Lessons:
    """Lists within the database, drawn at random, for the net `name`."""
    chequers = FULL if name == "first" else 0
    found = np.zeros((0, POINTS + 1), dtype=np.int8)
    while len(found) < count:
        lists = random_lists(rng, count, HOME + 1, REACH, chequers)
        found = np.concatenate((found, lists[wanted(lists)]))
    return _exactly(found[:count], name, database)


def far_lessons(rng: np.random.Generator, count: int, name: str, database: OneSided) -> Lessons:
    """Lists met when sides at random with chequers behind the database are played alone, for the net `name`."""
    first = name == "first"
    means = means_of(database.arrays)
    near: list[NDArray[np.int8]] = []
    far: list[NDArray[np.int8]] = []
    known: list[NDArray[np.float64]] = []
    while sum(map(len, far)) < count:
        starts = random_lists(rng, 200, REACH + 1, POINTS, FULL if first else 0)
        rolls = rng.choice(len(CHANCES), p=CHANCES, size=(len(starts), LONGEST))
        lists = np.zeros((len(starts) * LONGEST, POINTS + 1), dtype=np.int8)
        values = np.zeros((len(lists), WIDTH))
        kept = play_alone(starts.astype(np.int64), rolls, first, database.arrays, means, lists, values)
        lists, values = lists[:kept], values[:kept]
        behind = lists[:, REACH + 1 :].any(1)
        far.append(lists[behind])
        known.append(values[behind])
        near.append(lists[~behind])
    others = _exactly(np.concatenate(near), name, database)
    met = np.concatenate((np.concatenate(far)[:count], others.lists))
    truths = np.concatenate((np.concatenate(known)[:count, _columns(name)], others.known))
    useful = wanted(met)
    return Lessons(met[useful], truths[useful].astype(np.float32))


def _exactly(lists: NDArray[np.int8], name: str, database: OneSided) -> Lessons:
    values = np.zeros((len(lists), WIDTH))
    judge_lists(lists.astype(np.int64), name == "first", database.arrays, values)
    outputs = _columns(name)
    return Lessons(lists, values[:, outputs].astype(np.float32))


def _columns(name: str) -> list[int]:
    """Which numbers of a value the net `name` is to give; the chance of more than no rolls is none of them."""
    return [*range(CUMULANTS), *range(CUMULANTS + 1, WIDTH)][: NETS[name]]
