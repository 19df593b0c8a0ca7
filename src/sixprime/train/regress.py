"""Supervised fitting of a net to lessons with torch, on the processor or a GPU.

The error is the cross entropy of each outcome plus the squared error of cubeless equity, so that what decides plays
counts most; and, where it is asked for, the squared error of how much plays of one decision differ: a net that thinks
all of them too good chooses well. Both errors may count equities at match scores beside that of money, which alone
says little of the chances that it is made of. Outcomes that the rules exclude carry no weight. Adam with a rate that
falls along a cosine: rare rows of the table learn as fast as common ones. The same lessons and seed give the same bits
on the same processor.
"""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from sixprime import kernels
from sixprime.cube.state import CubeState
from sixprime.cube.values import MONEY_WEIGHTS, utility_weights
from sixprime.game.state import MatchState
from sixprime.kernels.features import BEHINDS, MAX_ROWS, OFF_ROWS, SLOTS, STEPS
from sixprime.nets.params import BASE_ROWS, BEHIND_ROWS, BEHIND_STEPS, WEIGHTS, Params, folded_rows
from sixprime.train.harvest import UNIT, Boards, Kept, unpacked
from sixprime.train.recipe import Learn
from sixprime.train.state import Arrays, held, whole

SCORES = (
    MatchState(length=1),
    MatchState(length=2, score=(1, 0), crawford=True),
    MatchState(length=2, score=(0, 1), crawford=True),
)
"""Scores of the equities that `Learn.match` counts: double match point, gammon-go and gammon-save."""
_LEAK = 0.01
"""Slope of the hidden activation beyond its ends while training, so that no unit dies."""
_CHUNK = 65_536
"""Lessons whose rows are looked up at a time, where all are kept on a GPU."""
_ROOM = 400
"""Free bytes that a GPU must have for every lesson that it is to keep: some 130, nearly twice as many while they are
put together, and room for the steps."""


_JUDGED = 16_384
"""Lessons that tell whether a net is better after a fit."""


class _Batch(NamedTuple):
    """Lessons of one step. rows, offsets: of the table, by lesson; targets and weights: `float32[N, 5]`, of outcomes;
    decisions: `int64[N]` from 0 to D - 1; shares: `float32[N]`, of the lessons of a decision in their mean, which add
    up to 1; counts: `float32[N]`, what the differences from this mean count."""

    rows: Tensor
    offsets: Tensor
    targets: Tensor
    weights: Tensor
    decisions: Tensor
    shares: Tensor
    counts: Tensor


def _inputs(params: Params, boards: Boards) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.bool_]]:
    """Of boards `int8[N, 32]`, seen by the side on roll: the rows of the folded table that they switch on, one list
    after the other; where these begin, and the last ends, `[N + 1]`; and which of its outcomes the rules allow,
    `[N, 5]`."""
    seen = kernels.swap(boards)
    rows = np.empty(len(seen) * MAX_ROWS, dtype=np.int32)
    offsets = np.empty(len(seen) + 1, dtype=np.int64)
    count = folded_rows(seen, BEHINDS if params.rear else 1, params.pairs, rows, offsets)
    possible = np.ones((len(seen), 5), dtype=np.bool_)
    possible[seen[:, 26] > 0, 1:3] = False
    possible[seen[:, 27] > 0, 3:5] = False
    return rows[:count], offsets, possible


class _Resident:
    """What a net sees of all lessons, kept where it is fitted: a GPU waits for no processor then."""

    def __init__(self, params: Params, lessons: Kept, device: torch.device) -> None:
        rows, counts, possible = [], [], []
        for first in range(0, len(lessons.boards), _CHUNK):
            some, offsets, can = _inputs(params, lessons.boards[first : first + _CHUNK])
            # The table has a third of the rows that sixteen bits can number.
            rows.append(torch.from_numpy(some.astype(np.int16)).to(device))
            counts.append(torch.from_numpy(np.diff(offsets)).to(device))
            possible.append(torch.from_numpy(can).to(device))
        self._rows = torch.cat(rows)
        self._counts, self._possible = torch.cat(counts), torch.cat(possible)
        self._starts = self._counts.cumsum(0) - self._counts
        self._targets = torch.from_numpy(lessons.targets).to(device)

    def of(self, which: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Rows, offsets, targets and weights of a `_Batch` of these lessons, `int64[N]`."""
        counts = self._counts[which]
        offsets = counts.cumsum(0) - counts
        moved = torch.repeat_interleave(self._starts[which] - offsets, counts)
        rows = self._rows[moved + torch.arange(len(moved), device=moved.device)].int()
        return rows, offsets.int(), self._targets[which].float() / UNIT, self._possible[which].float()


class Fit:
    """A fit in progress; `run` does some steps, `state` and `restore` carry it over a restart."""

    def __init__(self, params: Params, lessons: Kept, stage: Learn, seed: int, resident: bool | None = None) -> None:
        """lessons: those of one decision always learn together. stage: how the fit goes, about `batch` lessons a step,
        all where there are fewer. seed: of the order of the lessons. resident: whether all lessons are put where the
        net is fitted, some 130 bytes each; None: on a GPU that has room for them."""
        self._by_decision = np.argsort(lessons.decisions, kind="stable")
        _, self._first, self._counts = np.unique(
            lessons.decisions[self._by_decision], return_index=True, return_counts=True
        )
        self.params, self.lessons, self.stage, self.seed = params, lessons, stage, seed
        self.step = 0
        share = min(1.0, stage.batch / max(len(lessons.boards), 1))
        self._size = max(1, round(share * len(self._first)))
        self.steps = stage.epochs * (len(self._first) // self._size)
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self._leaves = [
            torch.tensor(array, device=self.device, requires_grad=True)
            for array in (getattr(params, name) for name in WEIGHTS)
        ]
        self._adam = torch.optim.Adam(self._leaves, lr=stage.rate, betas=(0.9, 0.995), eps=1e-8, fused=True)
        scores = [utility_weights(CubeState.from_match(score))[0] for score in SCORES]
        shares = [1 - stage.match] + [stage.match / len(SCORES)] * len(SCORES)
        scaled = np.sqrt(shares) * np.array([MONEY_WEIGHTS, *scores]).T
        self._values = torch.tensor(scaled[:, np.array(shares) > 0], dtype=torch.float32, device=self.device)
        self._money = torch.tensor(MONEY_WEIGHTS, dtype=torch.float32, device=self.device)
        self._resident: _Resident | None = None
        if resident is None:
            resident = self.device.type == "cuda" and torch.cuda.mem_get_info()[0] > _ROOM * len(lessons.boards)
        if resident and len(lessons.boards):
            self._resident = _Resident(params, lessons, self.device)
        self._squares = torch.zeros((), dtype=torch.float64, device=self.device)
        self._seen = 0

    @property
    def done(self) -> bool:
        return self.step >= self.steps

    def rate(self) -> float:
        """Adam's step now: a short rise, then half a cosine down to a hundredth."""
        at = self.step / max(self.steps, 1)
        rise = min(1.0, (self.step + 1) / 200)
        return self.stage.rate * rise * (0.01 + 0.99 * 0.5 * (1 + math.cos(math.pi * at)))

    def run(self, steps: int) -> None:
        """Does up to `steps` more steps."""
        last = min(self.step + steps, self.steps)
        with ThreadPoolExecutor(1) as pool:
            ahead = pool.submit(self._batch, self.step)
            while self.step < last:
                batch = ahead.result()
                if self.step + 1 < last:
                    ahead = pool.submit(self._batch, self.step + 1)
                for group in self._adam.param_groups:
                    group["lr"] = self.rate()
                self._adam.zero_grad(set_to_none=True)
                loss, squares = self._loss(batch)
                loss.backward()
                self._adam.step()
                self._squares += squares
                self._seen += len(batch.targets)
                self.step += 1

    def error(self) -> float:
        """Root mean square of the error of money equity since the last call."""
        squares, seen = float(self._squares), max(self._seen, 1)
        self._squares.zero_()
        self._seen = 0
        return math.sqrt(squares / seen)

    def judge(self) -> float:
        """Root mean square of the error of money equity by the weights as they are, on lessons that stay the same."""
        squares, seen = 0.0, 0
        with torch.no_grad():
            for step in range(len(self._first) // self._size):
                batch = self._batch(step)
                squares += float(self._loss(batch)[1])
                seen += len(batch.targets)
                if seen >= _JUDGED:
                    break
        return math.sqrt(squares / max(seen, 1))

    def result(self) -> Params:
        """The net as it is now."""
        arrays = [leaf.detach().cpu().numpy().copy() for leaf in self._leaves]
        return self.params._replace(**dict(zip(WEIGHTS, arrays, strict=True)))

    def state(self) -> dict[str, NDArray[Any]]:
        """All that `restore` needs, as arrays."""
        arrays: dict[str, NDArray[Any]] = {"step": np.array(self.step)}
        for number, leaf in enumerate(self._leaves):
            arrays[f"leaf{number}"] = leaf.detach().cpu().numpy()
            for name, value in self._adam.state.get(leaf, {}).items():
                arrays[f"{name}{number}"] = value.detach().cpu().numpy()
        return arrays

    def restore(self, arrays: Arrays, prefix: str = "") -> None:
        """Goes on where `state` was taken; the lessons must be the same. prefix: of the names. Raises ValueError."""
        self.step = whole(arrays, f"{prefix}step", 0, self.steps)
        with torch.no_grad():
            for place, leaf in enumerate(self._leaves):
                shape = tuple(leaf.shape)
                leaf.copy_(torch.from_numpy(held(arrays, f"{prefix}leaf{place}", np.float32, *shape)))
                if self.step:
                    steps = held(arrays, f"{prefix}step{place}", np.float32, least=self.step, most=self.step)
                    mean = held(arrays, f"{prefix}exp_avg{place}", np.float32, *shape)
                    square = held(arrays, f"{prefix}exp_avg_sq{place}", np.float32, *shape, least=0)
                    found = {"step": steps, "exp_avg": mean, "exp_avg_sq": square}
                    self._adam.state[leaf] = {
                        name: torch.tensor(array, device=self.device) for name, array in found.items()
                    }

    def _batch(self, step: int) -> _Batch:
        """Whole decisions, drawn at random."""
        per_epoch = len(self._first) // self._size
        order = self._order(step // per_epoch)
        drawn = np.sort(order[step % per_epoch * self._size :][: self._size])
        counts = self._counts[drawn]
        decisions = np.repeat(np.arange(len(drawn)), counts)
        within = np.arange(len(decisions)) - np.repeat(np.cumsum(counts) - counts, counts)
        which = self._by_decision[np.repeat(self._first[drawn], counts) + within]
        behind = self.lessons.behind[which]
        # The best play of a decision may be one that another net judges.
        least = np.full(len(drawn), np.inf, dtype=np.float32)
        np.minimum.at(least, decisions, behind)
        counted = np.exp((least[decisions] - behind) / np.float32(self.stage.near))
        shares = (counted / np.bincount(decisions, counted)[decisions]).astype(np.float32)
        if self._resident is not None:
            rows, offsets, targets, weights = self._resident.of(torch.from_numpy(which).to(self.device))
        else:
            found, starts, possible = _inputs(self.params, self.lessons.boards[which])
            taught = unpacked(self.lessons.targets[which])
            arrays = found, starts[:-1].astype(np.int32), taught, possible.astype(np.float32)
            rows, offsets, targets, weights = (torch.from_numpy(array).to(self.device) for array in arrays)
        own = (torch.from_numpy(array).to(self.device) for array in (decisions, shares, counted))
        return _Batch(rows, offsets, targets, weights, *own)

    def _order(self, epoch: int) -> NDArray[np.int64]:
        if getattr(self, "_epoch", None) != epoch:
            self._epoch = epoch
            self._permutation = np.random.default_rng((self.seed, epoch)).permutation(len(self._first))
        return self._permutation

    def _table(self, rows: Tensor) -> Tensor:
        """The folded table of `nets.params.fold`, without its rounding."""
        hidden = rows.shape[1]
        rest = rows[BASE_ROWS + OFF_ROWS :]
        base = rows[:BASE_ROWS].view(2, 1, SLOTS, STEPS, hidden)
        if self.params.rear:
            points = base.expand(2, BEHINDS, SLOTS, STEPS, hidden)
            change = rest[:BEHIND_ROWS].view(2, BEHINDS, SLOTS, BEHIND_STEPS, hidden)
            points = torch.cat((points[:, :, :, :BEHIND_STEPS] + change, points[:, :, :, BEHIND_STEPS:]), dim=3)
            rest = rest[BEHIND_ROWS:]
        else:
            points = base
        return torch.cat((points.reshape(-1, hidden), rows[BASE_ROWS : BASE_ROWS + OFF_ROWS], rest))

    def _loss(self, batch: _Batch) -> tuple[Tensor, Tensor]:
        table, bias, head, head_bias, top = self._leaves
        sums = torch.nn.functional.embedding_bag(batch.rows, self._table(table), batch.offsets, mode="sum") + bias
        hidden = _squash(sums)
        if head.shape[1] < hidden.shape[1]:
            hidden = hidden[:, : head.shape[1]] * hidden[:, head.shape[1] :]
        heads = torch.nn.functional.linear(hidden, head, head_bias)
        logits = heads[:, :5] + torch.nn.functional.linear(_squash(heads[:, 5:]), top)
        entropy = torch.nn.functional.binary_cross_entropy_with_logits(
            logits, batch.targets, batch.weights, reduction="sum"
        )
        off = (torch.sigmoid(logits) - batch.targets) * batch.weights
        gaps = off @ self._values
        loss = entropy + self.stage.equity * gaps.square().sum()
        if self.stage.difference:
            means = torch.zeros_like(gaps).index_add(0, batch.decisions, gaps * batch.shares[:, None])
            apart = (gaps - means[batch.decisions]).square().sum(1)
            loss = loss + self.stage.difference * (batch.counts * apart).sum()
        return loss / len(batch.targets), (off.detach() @ self._money).square().sum().double()


def _squash(sums: Tensor) -> Tensor:
    """`kernels.network.squash`, with a little slope beyond its ends."""
    inside = sums.clamp(-3, 3)
    square = inside * inside
    beyond = _LEAK * (sums - inside)
    return inside * (27 + square) / (27 + 9 * square) + beyond - beyond.detach()
