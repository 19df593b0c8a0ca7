"""Stochastic gradient steps on sparse inputs.

The error is the cross entropy of each outcome plus a quarter of the squared error of cubeless equity, so
that what decides plays counts most. Outcomes that the rules exclude carry no gradient.
"""

from __future__ import annotations

import math

import numpy as np

from sixprime.kernels._jit import njit
from sixprime.kernels.features import MAX_ROWS
from sixprime.nets.params import active_rows


@njit(inline="always")
def _squash(x):  # type: ignore[no-untyped-def]
    """`kernels.network.squash` of one number."""
    x = min(max(x, np.float32(-3)), np.float32(3))
    square = x * x
    return x * (np.float32(27) + square) / (np.float32(27) + np.float32(9) * square)


@njit(fastmath=True)
def _forward(params, rows, count, sums, hidden, features, heads, second, out):  # type: ignore[no-untyped-def]
    width = sums.shape[0]
    for k in range(width):
        sums[k] = params.bias[k]
    for i in range(count):
        row = rows[i]
        for k in range(width):
            sums[k] += params.rows[row, k]
    for k in range(width):
        hidden[k] = _squash(sums[k])
    half = features.shape[0]
    for k in range(half):
        features[k] = hidden[k] if half == width else hidden[k] * hidden[half + k]
    for j in range(heads.shape[0]):
        total = params.head_bias[j]
        for k in range(half):
            total += params.head[j, k] * features[k]
        heads[j] = total
    for m in range(second.shape[0]):
        second[m] = _squash(heads[5 + m])
    for j in range(5):
        total = heads[j]
        for m in range(second.shape[0]):
            total += params.top[j, m] * second[m]
        out[j] = np.float32(1) / (np.float32(1) + math.exp(-total))


@njit(inline="always")
def _slope(x):  # type: ignore[no-untyped-def]
    """Derivative of `squash`. A little slope is left outside, so that no unit dies."""
    inside = np.float32(1) if abs(x) < np.float32(3) else np.float32(0)
    square = x * x
    low = np.float32(27) + np.float32(9) * square
    high = np.float32(9) - square
    return inside * (np.float32(9) * high * high) / (low * low) + (np.float32(1) - inside) * np.float32(0.01)


@njit(fastmath=True)
def _backward(params, rows, count, sums, hidden, features, heads, second, delta, head_rate, row_rate):  # type: ignore[no-untyped-def]
    width, half = sums.shape[0], features.shape[0]
    back = sums  # reused: from here on the gradient of the hidden sums
    for m in range(second.shape[0]):
        g = np.float32(0)
        for j in range(5):
            g += delta[j] * params.top[j, m]
            params.top[j, m] -= head_rate * delta[j] * second[m]
        delta[5 + m] = g * _slope(heads[5 + m])
    for k in range(half):
        g = np.float32(0)
        for j in range(heads.shape[0]):
            g += delta[j] * params.head[j, k]
        if half == width:
            back[k] = g * _slope(sums[k])
        else:
            back[k] = g * hidden[half + k] * _slope(sums[k])
            back[half + k] = g * hidden[k] * _slope(sums[half + k])
    for j in range(heads.shape[0]):
        step = head_rate * delta[j]
        for k in range(half):
            params.head[j, k] -= step * features[k]
        params.head_bias[j] -= step
    for k in range(width):
        params.bias[k] -= row_rate * back[k]
    for i in range(count):
        row = rows[i]
        for k in range(width):
            params.rows[row, k] -= row_rate * back[k]


@njit
def train(params, boards, targets, head_rate, row_rate):  # type: ignore[no-untyped-def]
    """One pass of single-sample gradient steps, in order; returns the summed squared error of equity.

    boards: `int8[N, 32]`, as after a play. targets: `float32[N, 5]` for the side on roll. Rates: `float32`.
    """
    width = params.rows.shape[1]
    rows = np.empty(MAX_ROWS, dtype=np.int64)
    sums = np.empty(width, dtype=np.float32)
    hidden = np.empty(width, dtype=np.float32)
    features = np.empty(params.head.shape[1], dtype=np.float32)
    heads = np.empty(params.head.shape[0], dtype=np.float32)
    second = np.empty(params.top.shape[1], dtype=np.float32)
    out = np.empty(5, dtype=np.float32)
    delta = np.empty(params.head.shape[0], dtype=np.float32)
    value = np.array([2, 1, 1, -1, -1], dtype=np.float32)
    loss = 0.0
    for i in range(boards.shape[0]):
        board = boards[i]
        count = active_rows(board, params.rear, params.pairs, rows)
        _forward(params, rows, count, sums, hidden, features, heads, second, out)
        gap = np.float32(0)
        for j in range(5):
            excluded = (board[26] > 0 and (j == 1 or j == 2)) or (board[27] > 0 and j >= 3)
            delta[j] = np.float32(0) if excluded else out[j] - targets[i, j]
            gap += value[j] * delta[j]
        loss += gap * gap
        for j in range(5):
            if delta[j] != 0:
                delta[j] += np.float32(0.5) * gap * value[j] * out[j] * (np.float32(1) - out[j])
        _backward(params, rows, count, sums, hidden, features, heads, second, delta, head_rate, row_rate)
    return loss


@njit
def predict(params, boards, outputs):  # type: ignore[no-untyped-def]
    """Raw outputs `float32[N, 5]` of boards `int8[N, 32]` as after a play."""
    rows = np.empty(MAX_ROWS, dtype=np.int64)
    sums = np.empty(params.rows.shape[1], dtype=np.float32)
    hidden = np.empty(params.rows.shape[1], dtype=np.float32)
    features = np.empty(params.head.shape[1], dtype=np.float32)
    heads = np.empty(params.head.shape[0], dtype=np.float32)
    second = np.empty(params.top.shape[1], dtype=np.float32)
    for i in range(boards.shape[0]):
        count = active_rows(boards[i], params.rear, params.pairs, rows)
        _forward(params, rows, count, sums, hidden, features, heads, second, outputs[i])
