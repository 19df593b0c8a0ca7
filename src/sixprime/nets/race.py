"""The nets of races: files, and the folding of their weights into the rows of the kernels.

Inputs of a side, 0 or 1 but for the fifth: on each of the 24 points, at least 1, 2, 3, 4, 5 chequers and how many
beyond 5; the number of chequers, the rearmost point and the number outside home, each one of a list. A hidden layer of
positive parts, beside it straight weights. Outputs: four cumulants of the number of rolls, the mean beyond that of
the plain pips.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixprime.bearoff import one_sided
from sixprime.bearoff.databases import RACE_SIZES
from sixprime.errors import DataFileError
from sixprime.kernels.race import CUMULANTS, HOME, OUTSIDE, POINTS, REARS, ROWS, STEPS, TOTALS, RaceNet, RaceNets
from sixprime.paths import replacing

FORMAT = "sixprime-race-1"
DEFAULT = Path(__file__).parent / "data" / "race.safetensors"
PILES = 5
"""Numbers of chequers on a point that have an input each."""
INPUTS = POINTS * (PILES + 1) + STEPS + (POINTS + 1) + STEPS
ROLLS_PER_PIP = 6 / 49
NETS = ("finish", "first")
_FIELDS = ("weights", "bias", "head", "straight")


@dataclass(frozen=True, slots=True, eq=False)
class RaceParams:
    """Trained weights. weights `float32[INPUTS, H]`, bias `[H]`, head `[H, 4]`, straight `[INPUTS, 4]`."""

    weights: NDArray[np.float32]
    bias: NDArray[np.float32]
    head: NDArray[np.float32]
    straight: NDArray[np.float32]


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
    """Cumulants `float64[N, 4]` of lists `[N, 25]`, slowly and obviously; tests compare the kernel with it."""
    values = inputs(lists).astype(np.float64)
    hidden = np.maximum(values @ params.weights + params.bias, 0)
    out = hidden @ params.head + values @ params.straight
    out[:, 0] += ROLLS_PER_PIP * (np.asarray(lists)[:, : POINTS + 1] @ np.arange(POINTS + 1))
    return np.asarray(out, dtype=np.float64)


def fold(params: RaceParams) -> RaceNet:
    """The kernels' form: one row for each number of chequers on a point."""
    source = np.concatenate((params.straight, params.weights), axis=1).astype(np.float64)
    rows = np.zeros((ROWS, source.shape[1]))
    for point in range(1, POINTS + 1):
        piles = [source[k * POINTS + point - 1] for k in range(PILES)]
        beyond = source[PILES * POINTS + point - 1]
        for count in range(1, STEPS):
            row = sum(piles[:count]) + max(0, count - PILES) * beyond
            row[0] += ROLLS_PER_PIP * point * count
            rows[(point - 1) * STEPS + count] = row
    rest = POINTS * (PILES + 1)
    rows[TOTALS:REARS] = source[rest : rest + STEPS]
    rows[REARS:OUTSIDE] = source[rest + STEPS : rest + STEPS + POINTS + 1]
    rows[OUTSIDE:] = source[rest + STEPS + POINTS + 1 :]
    rows[TOTALS:REARS, CUMULANTS:] += params.bias
    return RaceNet(rows.astype(np.float32), np.ascontiguousarray(params.head.T, dtype=np.float32))


def save(path: Path | str, finish: RaceParams, first: RaceParams, note: str) -> None:
    """Writes both nets, whole or not at all, with a note on how they were made. Raises OSError."""
    from safetensors.numpy import save as to_bytes

    tensors = {
        f"{name}.{field}": np.ascontiguousarray(getattr(params, field), dtype=np.float32)
        for name, params in zip(NETS, (finish, first), strict=True)
        for field in _FIELDS
    }
    with replacing(Path(path)) as partial:
        partial.write_bytes(to_bytes(tensors, {"format": FORMAT, "note": note}))


def load(path: Path | str = DEFAULT) -> dict[str, RaceParams]:
    """The nets "finish" and "first" of a file.

    Raises DataFileError when it is missing, damaged, of another format, or its arrays do not fit.
    """
    from safetensors import SafetensorError
    from safetensors.numpy import load as from_bytes

    path = Path(path)
    try:
        data = path.read_bytes()
        arrays = from_bytes(data)
    except OSError as error:
        raise DataFileError(f"Cannot read the race nets {path}: {error.strerror}.") from error
    except (SafetensorError, ValueError) as error:
        raise DataFileError(f"{path} does not hold race nets of Sixprime, or it is damaged ({error}).") from error
    return {name: _params(path, name, arrays) for name in NETS}


def _params(path: Path, name: str, arrays: dict[str, NDArray[Any]]) -> RaceParams:
    missing = [field for field in _FIELDS if f"{name}.{field}" not in arrays]
    if missing:
        raise DataFileError(f"{path}: the {name} net is incomplete, {name}.{missing[0]} is missing.")
    found = {field: np.array(arrays[f"{name}.{field}"], dtype=np.float32) for field in _FIELDS}
    hidden = found["bias"].size
    shapes = {"weights": (INPUTS, hidden), "bias": (hidden,), "head": (hidden, 4), "straight": (INPUTS, 4)}
    for field, shape in shapes.items():
        if found[field].shape != shape:
            raise DataFileError(f"{path}: {name}.{field} has shape {found[field].shape}, expected {shape}.")
        if not np.isfinite(found[field]).all():
            raise DataFileError(f"{path}: {name}.{field} holds values that are not finite numbers.")
    return RaceParams(**found)


@cache
def race_nets() -> RaceNets:
    """The nets that ship, folded once for the process, and the databases beside them. Raises DataFileError."""
    found = load()
    fewer, fewest = (one_sided(points, chequers).arrays for points, chequers in RACE_SIZES)
    return RaceNets(fold(found["finish"]), fold(found["first"]), fewer, fewest)


def checksum() -> str:
    """The first digits of the SHA-256 of the file that ships."""
    return hashlib.sha256(DEFAULT.read_bytes()).hexdigest()[:16]
