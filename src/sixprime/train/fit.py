"""Stochastic gradient steps on sparse inputs.

The error is the cross entropy of each outcome plus a quarter of the squared error of cubeless equity, so
that what decides plays counts most. Outcomes that the rules exclude carry no gradient.
"""

from __future__ import annotations

import math

import numpy as np

from sixprime.kernels._jit import njit
from sixprime.nets.params import active_rows


@njit(fastmath=True)
def _forward(params, rows, count, sums, hidden, out):  # type: ignore[no-untyped-def]
    width = sums.shape[0]
    for k in range(width):
        sums[k] = params.bias[k]
    for i in range(count):
        row = rows[i]
        for k in range(width):
            sums[k] += params.rows[row, k]
    three = np.float32(3)
    for k in range(width):
        x = min(max(sums[k], -three), three)
        hidden[k] = x * (np.float32(27) + x * x) / (np.float32(27) + np.float32(9) * x * x)
    for j in range(5):
        total = params.head_bias[j]
        for k in range(width):
            total += params.head[j, k] * hidden[k]
        out[j] = np.float32(1) / (np.float32(1) + math.exp(-total))


@njit(fastmath=True)
def _backward(params, rows, count, sums, hidden, delta, head_rate, row_rate):  # type: ignore[no-untyped-def]
    width = sums.shape[0]
    back = sums  # reused: from here on the gradient of the hidden sums
    three = np.float32(3)
    for k in range(width):
        x = sums[k]
        inside = np.float32(1) if abs(x) < three else np.float32(0)
        square = x * x
        low = np.float32(27) + np.float32(9) * square
        # Derivative of x(27 + x^2) / (27 + 9x^2). A little slope is left outside, so that no unit dies.
        top = np.float32(9) - square
        slope = inside * (np.float32(9) * top * top) / (low * low) + (np.float32(1) - inside) * np.float32(0.01)
        g = np.float32(0)
        for j in range(5):
            g += delta[j] * params.head[j, k]
        back[k] = g * slope
    for j in range(5):
        step = head_rate * delta[j]
        for k in range(width):
            params.head[j, k] -= step * hidden[k]
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
    rows = np.empty(512, dtype=np.int64)
    sums = np.empty(width, dtype=np.float32)
    hidden = np.empty(width, dtype=np.float32)
    out = np.empty(5, dtype=np.float32)
    delta = np.empty(5, dtype=np.float32)
    value = np.array([2, 1, 1, -1, -1], dtype=np.float32)
    loss = 0.0
    for i in range(boards.shape[0]):
        board = boards[i]
        count = active_rows(board, params.rear, params.pairs, rows)
        _forward(params, rows, count, sums, hidden, out)
        gap = np.float32(0)
        for j in range(5):
            excluded = (board[26] > 0 and (j == 1 or j == 2)) or (board[27] > 0 and j >= 3)
            delta[j] = np.float32(0) if excluded else out[j] - targets[i, j]
            gap += value[j] * delta[j]
        loss += gap * gap
        for j in range(5):
            if delta[j] != 0:
                delta[j] += np.float32(0.5) * gap * value[j] * out[j] * (np.float32(1) - out[j])
        _backward(params, rows, count, sums, hidden, delta, head_rate, row_rate)
    return loss


@njit
def predict(params, boards, outputs):  # type: ignore[no-untyped-def]
    """Raw outputs `float32[N, 5]` of boards `int8[N, 32]` as after a play."""
    rows = np.empty(512, dtype=np.int64)
    sums = np.empty(params.rows.shape[1], dtype=np.float32)
    hidden = np.empty(params.rows.shape[1], dtype=np.float32)
    for i in range(boards.shape[0]):
        count = active_rows(boards[i], params.rear, params.pairs, rows)
        _forward(params, rows, count, sums, hidden, outputs[i])
