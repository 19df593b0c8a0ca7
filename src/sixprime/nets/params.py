"""Trainable parameters of a network, and the folded table the kernels use.

Training keeps a base row per (side, point, count) beside a correction for all that the other side may have behind:
what is rare there then still knows what the common has taught. `fold` adds them up, so that evaluation meets one row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sixprime.checks import FLAG, Fields, Instance, Whole, refuse, sequence
from sixprime.errors import SettingsError
from sixprime.kernels._block import Float32s, Float32s2, Int16s, Int16s2
from sixprime.kernels._jit import entry, njit
from sixprime.kernels._vectors import FLOATS, SHORTS
from sixprime.kernels.features import (
    BEHINDS,
    OFF_ROWS,
    PAIR_ROWS,
    SHOT_ROWS,
    SLOTS,
    STEPS,
    behinds,
    chequers_on,
    masks,
    point_row,
    relation_rows,
    row_count,
)
from sixprime.kernels.network import Net

BASE_ROWS = 2 * SLOTS * STEPS
BEHIND_STEPS = 3
BEHIND_ROWS = 2 * BEHINDS * SLOTS * BEHIND_STEPS
_REARS = 26
NEW_ROWS = BEHIND_ROWS - 2 * _REARS * SLOTS * BEHIND_STEPS
"""Rows that `with_points_behind` adds."""


_SPEC = Fields(hidden=Whole(1, 1 << 20), rear=FLAG, pairs=FLAG, second=Whole(0, 1 << 20), products=FLAG)


@dataclass(frozen=True, slots=True)
class Spec:
    """Shape of a network: hidden units, which relations its inputs hold, units of the second layer, and whether the
    products of the two halves of the hidden layer feed the rest, instead of the units themselves."""

    hidden: int
    rear: bool
    pairs: bool
    second: int = 0
    products: bool = False

    def __post_init__(self) -> None:
        _SPEC(self)
        if self.products and self.hidden % 2:
            raise SettingsError(f"a net of products needs an even number of hidden units. Got {self.hidden} instead.")

    @property
    def features(self) -> int:
        """What feeds the head: hidden units, or their products."""
        return self.hidden // 2 if self.products else self.hidden

    @property
    def rows(self) -> int:
        """Rows of the trainable table: base, corrections, off, shots and pairs."""
        return BASE_ROWS + OFF_ROWS + (BEHIND_ROWS if self.rear else 0) + (SHOT_ROWS + PAIR_ROWS if self.pairs else 0)


_KIND, _SHAPE, _SEED = Whole(0, 1), Instance(Spec), Whole(0, 1 << 64)


class Params(NamedTuple):
    """Trainable arrays: rows `float32[rows, H]` in the order base, off, corrections, shots, pairs; head
    `float32[5 + M, F]` and head_bias `float32[5 + M]`, outputs first; the rest as in `Net`."""

    rows: NDArray[np.float32]
    bias: NDArray[np.float32]
    head: NDArray[np.float32]
    head_bias: NDArray[np.float32]
    top: NDArray[np.float32]
    rear: int
    pairs: int


WEIGHTS = ("rows", "bias", "head", "head_bias", "top")
"""The fields of `Params` that are learnt."""


def spec_of(params: Params) -> Spec:
    """The shape that `params` have."""
    hidden = params.rows.shape[1]
    return Spec(hidden, bool(params.rear), bool(params.pairs), params.top.shape[1], params.head.shape[1] < hidden)


def shapes_of(spec: Spec) -> dict[str, tuple[int, ...]]:
    """Of the weights of a net."""
    heads = 5 + spec.second
    shapes = ((spec.rows, spec.hidden), (spec.hidden,), (heads, spec.features), (heads,), (5, spec.second))
    return dict(zip(WEIGHTS, shapes, strict=True))


def check(name: str, net: Params) -> None:
    """Raises SettingsError where the kernels could not read a net, or no number would come of it."""
    Instance(Params)(name, net)
    for part, axes in zip(WEIGHTS, (2, 1, 2, 1, 2), strict=True):
        array = getattr(net, part)
        if not isinstance(array, np.ndarray):
            refuse(f"{name}.{part}", "an array", array)
        if (array.dtype, array.ndim) != (np.float32, axes):
            found = f"{array.dtype} with {array.ndim}"
            raise SettingsError(f"{name}.{part} must be float32 with {axes} axes. Got {found} instead.")
    for part in ("rear", "pairs"):
        kind = getattr(net, part)
        _KIND(f"{name}.{part}", int(kind) if isinstance(kind, bool) else kind)
    for part, shape in shapes_of(spec_of(net)).items():
        if (found := getattr(net, part).shape) != shape:
            raise SettingsError(f"{name}.{part} has shape {found}, expected {shape}.")
        if not np.isfinite(getattr(net, part)).all():
            raise SettingsError(f"{name}.{part} holds values that are not finite numbers.")


def initial(spec: Spec, seed: int) -> Params:
    """Small random base rows, head and top; relation tables start at zero. The biases of products are random, as two
    units near zero would learn nothing from each other. Raises SettingsError."""
    _SHAPE("spec", spec)
    _SEED("seed", seed)
    rng = np.random.default_rng(seed)
    rows = np.zeros((spec.rows, spec.hidden), dtype=np.float32)
    rows[: BASE_ROWS + OFF_ROWS] = rng.normal(0, 0.12, (BASE_ROWS + OFF_ROWS, spec.hidden))
    head = rng.normal(0, 0.5 / np.sqrt(spec.features), (5, spec.features)).astype(np.float32)
    head_bias = np.array([0.0, -1.5, -4.0, -1.5, -4.0, *[0.0] * spec.second], dtype=np.float32)
    second = rng.normal(0, 1 / np.sqrt(spec.features), (spec.second, spec.features))
    top = rng.normal(0, 0.3 / np.sqrt(max(spec.second, 1)), (5, spec.second)).astype(np.float32)
    head = np.concatenate((head, second)).astype(np.float32)
    bias = np.zeros(spec.hidden, dtype=np.float32)
    if spec.products:
        bias[:] = rng.uniform(-0.5, 1, spec.hidden)
    return Params(rows, bias, head, head_bias, top, int(spec.rear), int(spec.pairs))


def widened(params: Params, spec: Spec, seed: int) -> Params:
    """A net of a larger shape that judges as `params` does: the units it has more are random and nothing listens yet.

    Raises SettingsError unless `spec` has the inputs of `params`, and at least its units.
    """
    check("params", params)
    _SHAPE("spec", spec)
    products = params.head.shape[1] < params.rows.shape[1]
    hidden, second = params.rows.shape[1], params.top.shape[1]
    same = (bool(params.rear), bool(params.pairs), products) == (spec.rear, spec.pairs, spec.products)
    if not same or hidden > spec.hidden or second > spec.second:
        raise SettingsError("a net can only be given more hidden units and a larger second layer.")
    wide = initial(spec, seed)
    half = params.head.shape[1]
    # With products the units stand in two halves, each of which grows.
    for part in range(hidden // half):
        units = slice(part * spec.features, part * spec.features + half)
        own = slice(part * half, (part + 1) * half)
        wide.rows[:, units], wide.bias[units] = params.rows[:, own], params.bias[own]
    wide.head[: 5 + second] = 0
    wide.head[: 5 + second, :half], wide.head_bias[: 5 + second] = params.head, params.head_bias
    wide.top[:] = 0
    wide.top[:, :second] = params.top
    return wide


def joined(nets: Sequence[Params]) -> Params:
    """One net whose logits are the means of those of `nets`, which see the same inputs; its layers stand side by side.

    Raises SettingsError when their kinds differ, and for none.
    """
    if not (nets := sequence("nets", nets, "a Params")):
        refuse("nets", "one net or more", nets)
    for place, net in enumerate(nets):
        check(f"nets[{place}]", net)
    kinds = {(net.rear, net.pairs, net.head.shape[1] < net.rows.shape[1]) for net in nets}
    if len(kinds) > 1:
        raise SettingsError("nets can only be joined when they have the same inputs, and all have products or none.")
    ((rear, pairs, products),) = kinds
    parts = 2 if products else 1
    features, second = [net.head.shape[1] for net in nets], [net.top.shape[1] for net in nets]
    halves = [np.split(net.rows, parts, axis=1) for net in nets]
    rows = np.concatenate([half[part] for part in range(parts) for half in halves], axis=1)
    bias = np.concatenate([np.split(net.bias, parts)[part] for part in range(parts) for net in nets])
    head = np.zeros((5 + sum(second), sum(features)), dtype=np.float32)
    for net, f, s in zip(nets, np.cumsum([0, *features]), np.cumsum([5, *second]), strict=False):
        head[:5, f : f + net.head.shape[1]] = net.head[:5] / len(nets)
        head[s : s + net.top.shape[1], f : f + net.head.shape[1]] = net.head[5:]
    outputs = np.mean([net.head_bias[:5] for net in nets], axis=0)
    head_bias = np.concatenate([outputs, *(net.head_bias[5:] for net in nets)]).astype(np.float32)
    top = (np.concatenate([net.top for net in nets], axis=1) / len(nets)).astype(np.float32)
    return Params(rows, bias, head, head_bias, top, rear, pairs)


def with_points_behind(rows: NDArray[Any]) -> NDArray[Any]:
    """Rows of a net that knows of the rearmost chequer only, for one that knows of the points held behind, too.

    What faces these is at first what faced their rearmost one. rows: `[R, H]` in the order of `Params.rows`.
    """
    first, end = BASE_ROWS + OFF_ROWS, BASE_ROWS + OFF_ROWS + BEHIND_ROWS - NEW_ROWS
    of_rear = rows[first:end].reshape(2, _REARS, SLOTS * BEHIND_STEPS, -1)
    rearmost = [*range(_REARS), *range(24, 18, -1), *(rear for rear in range(24, 19, -1) for _ in range(rear - 19))]
    spread = of_rear[:, rearmost].reshape(BEHIND_ROWS, -1)
    return np.concatenate((rows[:first], spread, rows[end:]))


def aligned(shape: tuple[int, ...], dtype: type[np.generic]) -> NDArray[Any]:
    """Zeros on a 64-byte boundary: rows that start inside a cache line cost up to 40 % more."""
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    raw = np.zeros(size + 64, dtype=np.uint8)
    skip = -raw.ctypes.data % 64
    return raw[skip : skip + size].view(dtype).reshape(shape)


MOST_SHOTS, MOST_PAIRS = 78, 21
"""As many shots, and pairs of points, as a side has at once: twelve blots face twelve of the other, or seven points
stand side by side."""


def unit_of(params: Params) -> float:
    """The finest power of two, from 1/1024 up, in which no sum of a position's rows can leave sixteen bits.

    Raises SettingsError for weights so large that it would be more than 1.
    """
    most = float(np.max([_extremes(params, sign).max() for sign in (1, -1)]))
    if not most <= 32_000:
        raise SettingsError(f"a net's sums must stay below 32,000. They may reach {most:,.0f}.")
    return float(2.0 ** max(-10, np.ceil(np.log2(max(most, 1e-9) / 32_000))))


def _extremes(params: Params, sign: int) -> NDArray[np.float32]:
    """More than any position's sum, or less for sign -1, by hidden unit: the best rows for each, `float32[H]`."""
    rows = sign * params.rows
    total = sign * params.bias
    rest = rows[BASE_ROWS + OFF_ROWS :]
    for side in range(2):
        points = rows[:BASE_ROWS].reshape(2, SLOTS, STEPS, -1)[side]
        once = points[:, :BEHIND_STEPS]
        if params.rear:
            once = once + rest[:BEHIND_ROWS].reshape(2, BEHINDS, SLOTS, BEHIND_STEPS, -1)[side].max(0)
        # The last step of a point counts for every further chequer, all others but once.
        further = np.repeat(points[:, -1], 15 - BEHIND_STEPS, axis=0)
        off = rows[BASE_ROWS + 16 * side :][:16]
        chequers = np.concatenate((once.reshape(-1, once.shape[-1]), further, off))
        total = total + _highest(chequers, 15)
    if params.pairs:
        relations = rest[BEHIND_ROWS if params.rear else 0 :]
        total = total + _highest(relations[:SHOT_ROWS], 2 * MOST_SHOTS)
        total = total + _highest(relations[SHOT_ROWS:], 2 * MOST_PAIRS)
    return np.asarray(total)


def _highest(rows: NDArray[np.float32], count: int) -> NDArray[np.float32]:
    """Sum of the `count` highest values above zero of each column."""
    return np.asarray(np.partition(rows, -count, axis=0)[-count:].clip(0).sum(0))


def fold(params: Params, into: Net | None = None) -> Net:
    """The kernels' form of `params`; reuses the arrays of `into` when given, a net of the same shape. Raises
    SettingsError as `unit_of`, and for arrays that do not fit."""
    check("params", params)
    rear = BEHINDS if params.rear else 1
    unit = unit_of(params)
    params = _paired(_filled(params))
    hidden, heads, second = params.rows.shape[1], len(params.head), params.top.shape[1]
    if into is None:
        into = Net(
            aligned((row_count(rear, params.pairs), hidden), np.int16),
            aligned((hidden,), np.int16),
            aligned((params.head.shape[1], heads + -heads % FLOATS), np.float32),
            np.zeros(heads + -heads % FLOATS, dtype=np.float32),
            aligned((second + second % 2, FLOATS), np.float32),
            rear,
            params.pairs,
            unit,
        )
    elif (into.rows.shape, into.head.shape, len(into.top)) != (
        (row_count(rear, params.pairs), hidden),
        (params.head.shape[1], heads + -heads % FLOATS),
        second + second % 2,
    ):
        raise SettingsError("a net can only be folded into one of the same shape.")
    _fold(params.rows, params.bias, rear, unit, into.rows, into.bias)
    into.head[:, :heads] = params.head.T
    into.head_bias[:heads] = params.head_bias
    into.top[:second, :5] = params.top.T
    return replace(into, unit=unit)


def _filled(params: Params) -> Params:
    """A net with as many features as fill whole vectors; those that it has more are always 0."""
    features = params.head.shape[1]
    more = -features % SHORTS
    if not more:
        return params

    def filled(array: NDArray[np.float32]) -> NDArray[np.float32]:
        halves = np.split(array, params.rows.shape[1] // features, axis=-1)
        around = [(0, 0)] * (array.ndim - 1) + [(0, more)]
        return np.concatenate([np.pad(half, around) for half in halves], axis=-1)

    head = np.pad(params.head, ((0, 0), (0, more)))
    return params._replace(rows=filled(params.rows), bias=filled(params.bias), head=head)


def _paired(params: Params) -> Params:
    """A net with units side by side whose product counts, not in two halves."""
    if params.head.shape[1] == params.rows.shape[1]:
        return params

    def paired(array: NDArray[np.float32]) -> NDArray[np.float32]:
        return np.stack(np.split(array, 2, axis=-1), axis=-1).reshape(array.shape)

    return params._replace(rows=paired(params.rows), bias=paired(params.bias))


def fold_reference(params: Params) -> Net:
    """`fold` without its rounding, slowly and obviously; tests compare the two. The rows are `float64`, the unit 1."""
    params = _paired(_filled(params))
    rear = BEHINDS if params.rear else 1
    hidden = params.rows.shape[1]
    source = params.rows.astype(np.float64)
    points = np.repeat(source[:BASE_ROWS].reshape(2, 1, SLOTS, STEPS, hidden), rear, axis=1)
    rest = source[BASE_ROWS + OFF_ROWS :]
    if params.rear:
        points[:, :, :, :BEHIND_STEPS] += rest[:BEHIND_ROWS].reshape(2, BEHINDS, SLOTS, BEHIND_STEPS, hidden)
        rest = rest[BEHIND_ROWS:]
    off = source[BASE_ROWS : BASE_ROWS + OFF_ROWS]
    rows = np.concatenate((points.reshape(-1, hidden), off, rest, np.zeros((1, hidden))))
    bias = params.bias.astype(np.float64)
    return Net(rows, bias, params.head.T, params.head_bias, params.top.T, rear, params.pairs, 1.0)  # type: ignore[arg-type]


@njit
def _quantised(value, scale):  # type: ignore[no-untyped-def]
    """A weight in units of 1 / scale, within sixteen bits."""
    return np.int16(min(max(np.rint(value * scale), np.float32(-32767)), np.float32(32767)))


@entry()
def _fold(source: Float32s2, bias: Float32s, rear: int, unit: float, rows: Int16s2, folded_bias: Int16s) -> None:
    """Writes the kernels' rows: base and corrections added up, then the others in their order."""
    width, scale = bias.shape[0], np.float32(1 / unit)
    for k in range(width):
        folded_bias[k] = _quantised(bias[k], scale)
    first = BASE_ROWS + OFF_ROWS
    row = 0
    for side in range(2):
        for facing in range(rear):
            for slot in range(SLOTS):
                for step in range(STEPS):
                    base = (side * SLOTS + slot) * STEPS + step
                    if rear > 1 and step < BEHIND_STEPS:
                        extra = first + ((side * BEHINDS + facing) * SLOTS + slot) * BEHIND_STEPS + step
                        for k in range(width):
                            rows[row, k] = _quantised(source[base, k] + source[extra, k], scale)
                    else:
                        for k in range(width):
                            rows[row, k] = _quantised(source[base, k], scale)
                    row += 1
    for other in range(BASE_ROWS, source.shape[0]):
        if other < first or other >= first + (BEHIND_ROWS if rear > 1 else 0):
            for k in range(width):
                rows[row, k] = _quantised(source[other, k], scale)
            row += 1


@njit
def active_rows(board, rear, pairs, rows):  # type: ignore[no-untyped-def]
    """Trainable rows that a board (as after a play) switches on; returns how many. rows: `int64[MAX_ROWS]`, written."""
    own1, own2, opp1, opp2 = masks(board)
    behind_still, behind_moving = behinds(own1, own2, opp1, opp2)
    count = 0
    for p in range(26):
        for side in range(2):
            slot, facing = (p, behind_moving) if side == 0 else (25 - p, behind_still)
            for step in range(chequers_on(board, side, slot) if slot else 0):
                s = min(step, 3)
                rows[count] = (side * SLOTS + slot) * STEPS + s
                count += 1
                if rear and s < BEHIND_STEPS:
                    rows[count] = BASE_ROWS + OFF_ROWS + ((side * BEHINDS + facing) * SLOTS + slot) * BEHIND_STEPS + s
                    count += 1
    for side in range(2):
        for n in range(board[26 + side]):
            rows[count] = BASE_ROWS + 16 * side + n
            count += 1
    if pairs:
        first = BASE_ROWS + OFF_ROWS
        if rear:
            first += BEHIND_ROWS
        count = relation_rows(first, own1, own2, opp1, opp2, rows, count)
    return count


@njit
def folded_rows(boards, rear, pairs, rows, offsets):  # type: ignore[no-untyped-def]
    """Rows of the folded table that boards `int8[N, 32]` (as after a play) switch on, one list after the other.

    rear: `BEHINDS` or 1, as `Net.rear`. rows: `int32[N * MAX_ROWS]`, offsets: `int64[N + 1]`, both written.
    """
    off = 2 * rear * SLOTS * STEPS
    count = 0
    for i in range(boards.shape[0]):
        offsets[i] = count
        board = boards[i]
        own1, own2, opp1, opp2 = masks(board)
        behind_still, behind_moving = behinds(own1, own2, opp1, opp2)
        for side in range(2):
            facing = behind_moving if side == 0 else behind_still
            for slot in range(1, 26):
                for step in range(chequers_on(board, side, slot)):
                    rows[count] = point_row(rear, side, facing, slot, step)
                    count += 1
            for n in range(board[26 + side]):
                rows[count] = off + 16 * side + n
                count += 1
        if pairs:
            count = relation_rows(off + OFF_ROWS, own1, own2, opp1, opp2, rows, count)
    offsets[boards.shape[0]] = count
    return count
