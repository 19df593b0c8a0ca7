"""The nets of races: files, and the folding of their weights into the rows of the kernels.

Inputs of a side, 0 or 1 but for the sixth: on each of the 24 points, at least 1, 2, 3, 4, 5 chequers and how many
beyond 5; the number of chequers, the rearmost point and the number outside home, each one of a list. Two hidden layers
of positive parts, beside them straight weights. Outputs: four cumulants of the number of rolls, the mean beyond that of
the plain pips; of the net for the first chequer the log odds of more than 1 to 7 rolls as well.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixprime import reading
from sixprime.bearoff import one_sided
from sixprime.bearoff.databases import RACE_SIZES
from sixprime.checks import array, refuse
from sixprime.errors import DataFileError, SettingsError
from sixprime.kernels.race import (
    CUMULANTS,
    EARLY,
    HOME,
    OUTSIDE,
    POINTS,
    REARS,
    ROWS,
    STEPS,
    TOTALS,
    RaceNet,
    RaceNets,
)
from sixprime.nets.file import from_bytes, to_bytes
from sixprime.paths import write

FORMAT = "sixprime-race-2"
DEFAULT = Path(__file__).parent / "data" / "race.safetensors"
PILES = 5
"""Numbers of chequers on a point that have an input each."""
INPUTS = POINTS * (PILES + 1) + STEPS + (POINTS + 1) + STEPS
ROLLS_PER_PIP = 6 / 49
NETS = {"finish": CUMULANTS, "first": CUMULANTS + EARLY}
"""The nets and how many outputs each has."""
_FIELDS = ("weights", "bias", "mix", "mix_bias", "head", "straight")


@dataclass(frozen=True, slots=True, eq=False)
class RaceParams:
    """Trained weights of a net with M outputs, those of one of `NETS`.

    weights: `float32[INPUTS, H]`. bias: `[H]`. mix: `[H, J]`. mix_bias: `[J]`. head: `[J, M]`. straight: `[INPUTS, M]`.
    Raises SettingsError for other arrays, and for what are no finite numbers.
    """

    weights: NDArray[np.float32]
    bias: NDArray[np.float32]
    mix: NDArray[np.float32]
    mix_bias: NDArray[np.float32]
    head: NDArray[np.float32]
    straight: NDArray[np.float32]

    def __post_init__(self) -> None:
        hidden, mixed, outputs = np.size(self.bias), np.size(self.mix_bias), np.shape(self.head)[-1:]
        if outputs not in [(known,) for known in NETS.values()]:
            refuse("head", f"float32[J, M], M one of {[*NETS.values()]}", self.head)
        shapes = (INPUTS, hidden), (hidden,), (hidden, mixed), (mixed,), (mixed, *outputs), (INPUTS, *outputs)
        for field, shape in zip(_FIELDS, shapes, strict=True):
            values = array(field, getattr(self, field), np.float32, *shape)
            if not np.isfinite(values).all():
                raise SettingsError(f"{field} holds values that are not finite numbers.")
            object.__setattr__(self, field, values)


def inputs(lists: NDArray[Any]) -> NDArray[np.float32]:
    """Inputs `float32[N, INPUTS]` of lists `[N, 25]` of counts on points 1 to 24, [0] unused."""
    counts = np.asarray(lists)[:, 1 : POINTS + 1].astype(np.float32)
    piles = [(counts >= k).astype(np.float32) for k in range(1, PILES + 1)]
    held = counts > 0
    rear = np.where(held.any(1), POINTS - np.argmax(held[:, ::-1], axis=1), 0)
    numbers = counts.sum(1).astype(np.int64), counts[:, HOME:].sum(1).astype(np.int64)
    return np.concatenate(
        (
            *piles,
            np.maximum(counts - PILES, 0),
            np.eye(STEPS, dtype=np.float32)[numbers[0]],
            np.eye(POINTS + 1, dtype=np.float32)[rear],
            np.eye(STEPS, dtype=np.float32)[numbers[1]],
        ),
        axis=1,
    )


def reference(lists: NDArray[Any], params: RaceParams) -> NDArray[np.float64]:
    """Outputs `float64[N, M]` of lists `[N, 25]`, slowly and obviously, log odds as chances; tests compare with it."""
    values = inputs(lists).astype(np.float64)
    hidden = np.maximum(values @ params.weights + params.bias, 0)
    out = np.maximum(hidden @ params.mix + params.mix_bias, 0) @ params.head + values @ params.straight
    out[:, 0] += ROLLS_PER_PIP * (np.asarray(lists)[:, : POINTS + 1] @ np.arange(POINTS + 1))
    out[:, CUMULANTS:] = 1 / (1 + np.exp(-out[:, CUMULANTS:]))
    return np.asarray(out, dtype=np.float64)


def fold(params: RaceParams) -> RaceNet:
    """The kernels' form: one row for each number of chequers on a point, padded to their widths with zeros."""
    hidden, mixed, outputs = params.bias.size, params.mix_bias.size, params.head.shape[1]
    more, wider = -hidden % 8, -mixed % 32
    weights = np.pad(params.weights, ((0, 0), (0, more)))
    source = np.concatenate((weights, params.straight), axis=1).astype(np.float64)
    straight = hidden + more
    rows = np.zeros((ROWS, straight + outputs + -(straight + outputs) % 32))
    used = rows[:, : source.shape[1]]
    for point in range(1, POINTS + 1):
        piles = [source[k * POINTS + point - 1] for k in range(PILES)]
        beyond = source[PILES * POINTS + point - 1]
        for count in range(1, STEPS):
            row = sum(piles[:count]) + max(0, count - PILES) * beyond
            row[straight] += ROLLS_PER_PIP * point * count
            used[(point - 1) * STEPS + count] = row
    rest = POINTS * (PILES + 1)
    used[TOTALS:REARS] = source[rest : rest + STEPS]
    used[REARS:OUTSIDE] = source[rest + STEPS : rest + STEPS + POINTS + 1]
    used[OUTSIDE:] = source[rest + STEPS + POINTS + 1 :]
    used[TOTALS:REARS, :hidden] += params.bias
    mix = np.pad(params.mix, ((0, more), (0, wider)))
    head = np.pad(params.head.T, ((0, 0), (0, wider)))
    arrays = rows, mix, np.pad(params.mix_bias, (0, wider)), head
    return RaceNet(*(np.ascontiguousarray(array, dtype=np.float32) for array in arrays))


def save(path: Path | str, finish: RaceParams, first: RaceParams, note: str) -> None:
    """Writes both nets, whole or not at all, with a note on how they were made. Raises OSError."""
    tensors = {
        f"{name}.{field}": np.ascontiguousarray(getattr(params, field), dtype=np.float32)
        for name, params in zip(NETS, (finish, first), strict=True)
        for field in _FIELDS
    }
    write(Path(path), to_bytes(tensors, {"format": FORMAT, "note": note}))


def load(path: Path | str = DEFAULT) -> dict[str, RaceParams]:
    """The nets "finish" and "first" of a file.

    Raises DataFileError when it is missing, damaged, of another format, or its arrays do not fit.
    """
    path = Path(path)
    try:
        arrays, _ = from_bytes(reading.read_bytes(path, reading.NET))
    except OSError as error:
        raise DataFileError(f"Cannot read the race nets {path}: {error.strerror}.") from error
    except ValueError as error:
        raise DataFileError(f"{path} does not hold race nets of Sixprime, or it is damaged ({error}).") from error
    return {name: _params(path, name, outputs, arrays) for name, outputs in NETS.items()}


def _params(path: Path, name: str, outputs: int, arrays: dict[str, NDArray[Any]]) -> RaceParams:
    missing = [field for field in _FIELDS if f"{name}.{field}" not in arrays]
    if missing:
        raise DataFileError(f"{path}: the {name} net is incomplete, {name}.{missing[0]} is missing.")
    found = {field: np.array(arrays[f"{name}.{field}"], dtype=np.float32) for field in _FIELDS}
    hidden, mixed = found["bias"].size, found["mix_bias"].size
    shapes = (INPUTS, hidden), (hidden,), (hidden, mixed), (mixed,), (mixed, outputs), (INPUTS, outputs)
    for field, shape in zip(_FIELDS, shapes, strict=True):
        if found[field].shape != shape:
            raise DataFileError(f"{path}: {name}.{field} has shape {found[field].shape}, expected {shape}.")
    try:
        return RaceParams(**found)
    except SettingsError as error:
        raise DataFileError(f"{path}: {name}.{error}") from None


@cache
def race_nets() -> RaceNets:
    """The nets that ship, folded once for the process, and the databases beside them. Raises DataFileError."""
    found = load()
    fewer, fewest = (one_sided(points, chequers).arrays for points, chequers in RACE_SIZES)
    return RaceNets(fold(found["finish"]), fold(found["first"]), fewer, fewest)
