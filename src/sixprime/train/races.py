"""Making the nets of races: an exact database, lessons from it and from sides played alone, and a fit with Adam.

A run is a folder. Each stage leaves a file there, and a run that was stopped goes on after the last one. The same seed
gives the same lessons everywhere, and the same nets on the same processor.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import torch

from sixprime.bearoff import OneSided
from sixprime.bearoff.builder import Scratch
from sixprime.bearoff.databases import FULL
from sixprime.errors import DataFileError
from sixprime.kernels.race import CUMULANTS, POINTS
from sixprime.nets import race
from sixprime.nets.race import INPUTS, NETS, RaceParams
from sixprime.progress import Hook, Progress, Watch, spoken
from sixprime.train.pipeline import claimed
from sixprime.train.race_lessons import REACH, Lessons, far_lessons, near_lessons

Report = Callable[[str], None]

_SCALE = (1.0, 0.2, 0.05, 0.005)
"""How much an error of each cumulant counts; about what it does to a winning chance."""
_HELD_BACK = 50
"""One lesson of so many is not learnt, but measures the error."""
_CHUNK = 20000
_SPOKEN_EVERY = 10.0
"""Seconds between two lines of progress."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How the nets are made. near, far: lessons of lists within the database, and behind it. finish, first: hidden
    units of the two layers of each net. steps, batch, rate: of Adam, its rate falling along a cosine."""

    seed: int = 1
    near: int = 600_000
    far: int = 200_000
    finish: tuple[int, int] = (120, 64)
    first: tuple[int, int] = (96, 32)
    steps: int = 24_000
    batch: int = 1024
    rate: float = 0.003


@dataclass(frozen=True, slots=True)
class Fitted:
    """A net, and root mean square errors, on lessons held back, of the mean rolls in pips and of the early chances."""

    params: RaceParams
    pips: float
    chances: float


def make_nets(folder: Path, target: Path, plan: Plan = Plan(), report: Report = print) -> None:
    """Makes both nets and writes them to `target`. Raises OSError, DataFileError where another works there."""
    folder.mkdir(parents=True, exist_ok=True)
    mine = claimed(folder)
    database = _database(folder, report)
    found = {}
    for number, name in enumerate(NETS):
        report(f"{name}: lessons from the database, then from play")
        near = partial(near_lessons, np.random.default_rng([plan.seed, number, 1]), plan.near, name, database)
        far = partial(far_lessons, np.random.default_rng([plan.seed, number, 0]), plan.far, name, database)
        parts = (
            _kept(folder / f"{name}-near-{plan.near}-seed{plan.seed}.npz", near),
            _kept(folder / f"{name}-far-{plan.far}-seed{plan.seed}.npz", far),
        )
        lessons = Lessons(*(np.concatenate([getattr(part, key) for part in parts]) for key in ("lists", "known")))
        report(f"{name}: {len(lessons.lists):,} lessons, {plan.steps:,} steps")
        threads = torch.get_num_threads()
        torch.set_num_threads(1)  # the order of sums, and so the bits, would depend on it
        try:
            fitted = fit(lessons, getattr(plan, name), plan, number, report)
        finally:
            torch.set_num_threads(threads)
        report(f"{name}: error of the mean {fitted.pips:.4f} pips, of early chances {fitted.chances:.4f}")
        found[name] = fitted.params
    note = (
        f"Made by sixprime.train.races with {plan}: from the one-sided database of {FULL} chequers on {REACH} points, "
        "and beyond it from sides played alone."
    )
    race.save(target, found["finish"], found["first"], note)
    del mine  # others may work there now
    report(f"Nets: {target}")


def _database(folder: Path, report: Report) -> OneSided:
    """The database of a run, in its own folder: the engine's databases stay as they are."""
    path = folder / f"one-sided-{FULL}x{REACH}.bearoff"
    with suppress(FileNotFoundError, DataFileError):
        return OneSided.open(path, REACH, FULL)
    report(f"Building {path.name}, a minute or two of processor time")
    scratch = Scratch(folder / "building", path.stem)
    try:
        OneSided.build(REACH, FULL, scratch=scratch, watch=Watch(_spoken(report))).save(path)
    except BaseException:
        scratch.stop()
        raise
    scratch.discard()
    return OneSided.open(path, REACH, FULL)


def _spoken(report: Report) -> Hook:
    return spoken(lambda said: report(f"  {said}"), _SPOKEN_EVERY)


def _kept(path: Path, make: Callable[[], Lessons]) -> Lessons:
    """The lessons of a file, made and written where there are none."""
    with suppress(OSError, ValueError, KeyError):
        return Lessons.load(path)
    lessons = make()
    lessons.save(path)
    return lessons


def fit(lessons: Lessons, hidden: tuple[int, int], plan: Plan, stream: int, report: Report) -> Fitted:
    """Fits a net: squared errors of the scaled cumulants and of the chances, short races counting more.

    An error of the rolls changes a winning chance by so much more as the rolls vary less.
    """
    generator = torch.Generator().manual_seed(1000 * plan.seed + stream)
    lists, known = lessons.lists, lessons.known.astype(np.float64)
    pips = lists[:, : POINTS + 1] @ np.arange(POINTS + 1)
    targets = known.copy()
    targets[:, 0] -= race.ROLLS_PER_PIP * pips
    targets[:, :CUMULANTS] *= _SCALE
    weights = 1 / np.sqrt(known[:, 1].clip(0.0) + 0.1)
    order = torch.randperm(len(lists), generator=generator)
    held, learnt = order[: len(lists) // _HELD_BACK], order[len(lists) // _HELD_BACK :]
    values = np.concatenate([race.inputs(lists[i : i + _CHUNK]) for i in range(0, len(lists), _CHUNK)])
    x, y, w = torch.from_numpy(values), torch.from_numpy(targets).float(), torch.from_numpy(weights).float()[:, None]
    leaves = _initial(x[learnt[:_CHUNK]], y[learnt[:_CHUNK]], hidden, generator)
    straight = leaves[-1]
    adam = torch.optim.Adam(
        [{"params": leaves[:-1]}, {"params": [straight], "lr": 0.3 * plan.rate}], lr=plan.rate, betas=(0.9, 0.99)
    )
    rates = [group["lr"] for group in adam.param_groups]

    def errors(rows: torch.Tensor) -> torch.Tensor:
        out = _outputs(x[rows], leaves)
        return (torch.cat((out[:, :CUMULANTS], torch.sigmoid(out[:, CUMULANTS:])), 1) - y[rows]) * w[rows]

    speak = _spoken(report)
    for step in range(plan.steps):
        part = step % max(1, len(learnt) // plan.batch)
        if part == 0:
            learnt = learnt[torch.randperm(len(learnt), generator=generator)]
        share = min(1.0, (step + 1) / 100) * (0.01 + 0.99 * 0.5 * (1 + math.cos(math.pi * step / plan.steps)))
        for group, rate in zip(adam.param_groups, rates, strict=True):
            group["lr"] = rate * share
        loss = errors(learnt[part * plan.batch : (part + 1) * plan.batch]).square().sum(1).mean()
        adam.zero_grad(set_to_none=True)
        loss.backward()
        adam.step()
        speak(Progress(step, plan.steps, "steps"))
    with torch.no_grad():
        left = errors(held) / w[held]
        scale = torch.tensor(_SCALE)
        params = [leaf.numpy() for leaf in leaves]
        params[-2] = params[-2].copy()
        params[-1] = params[-1].copy()
        params[-2][:, :CUMULANTS] /= scale.numpy()
        params[-1][:, :CUMULANTS] /= scale.numpy()
    rms = left.square().mean(0).sqrt()
    chances = float(rms[CUMULANTS:].square().mean().sqrt()) if len(rms) > CUMULANTS else 0.0
    return Fitted(RaceParams(*params), float(rms[0]) / race.ROLLS_PER_PIP, chances)


def _initial(
    x: torch.Tensor, y: torch.Tensor, hidden: tuple[int, int], generator: torch.Generator
) -> list[torch.Tensor]:
    """Leaves in the order of the fields of `RaceParams`; the straight weights begin as the best linear ones."""
    first, second = hidden
    outputs = y.shape[1]
    weights = 0.3 * torch.randn(INPUTS, first, generator=generator)
    weights *= torch.rand(INPUTS, first, generator=generator) < 0.5
    bias = torch.randn(first, generator=generator) - (x @ weights).mean(0)
    mix = torch.randn(first, second, generator=generator) * math.sqrt(2 / first)
    head = torch.zeros(second, outputs)
    square = (x.T @ x).double() + torch.eye(INPUTS, dtype=torch.float64)
    straight = torch.linalg.solve(square, (x.T @ y).double()).float()
    straight[:, CUMULANTS:] = 0
    leaves = [weights, bias, mix, torch.zeros(second), head, straight]
    return [leaf.requires_grad_() for leaf in leaves]


def _outputs(x: torch.Tensor, leaves: list[torch.Tensor]) -> torch.Tensor:
    weights, bias, mix, mix_bias, head, straight = leaves
    return torch.relu(torch.relu(x @ weights + bias) @ mix + mix_bias) @ head + x @ straight
