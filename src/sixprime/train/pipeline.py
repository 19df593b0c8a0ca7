"""The training run: stages of self-play, harvest and learning that can be stopped at any time and resumed.

A run is a folder: `recipe.toml`, `state.npz` (all that is needed to go on: nets, work in progress, counters),
`net.safetensors` (the nets alone, to play with), `lessons/` (one file per block of harvested games), `log.jsonl` (one
line per report), `curve.svg` (the log as a plot) and `lock`, which the process that works there has. A checkpoint is
written whole or not at all, and a resumed run makes the same net as one never stopped.
"""

from __future__ import annotations

import itertools
import json
import logging
import math
import os
import tempfile
import threading
import time
from collections.abc import Callable, Container, Generator, Mapping, Sequence
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from sixprime import kernels
from sixprime.bearoff import one_sided
from sixprime.checks import listed
from sixprime.cube.values import swapped
from sixprime.engine import Engine
from sixprime.engine.executors import Executor
from sixprime.engine.plies import classes_of
from sixprime.errors import DataFileError, SettingsError
from sixprime.kernels import search
from sixprime.kernels.bearoff import OneSidedArrays
from sixprime.kernels.network import NO_NET, Net
from sixprime.nets import file
from sixprime.nets.params import WEIGHTS, Params, fold, joined, spec_of, widened
from sixprime.paths import Locked, finished, locked, replacing, writing
from sixprime.progress import Stop
from sixprime.reading import read_arrays, read_json, read_text
from sixprime.train import curve, fit, harvest, selfplay, strength
from sixprime.train.database import Database
from sixprime.train.recipe import Harvest, Learn, Recipe, Stage, Td, parse_recipe
from sixprime.train.state import counted, held, possible, whole

_log = logging.getLogger("sixprime")
CHECKPOINT_SECONDS = 60.0
GIVEN = "given"
"""Folder of the lessons that are no harvest of the run."""
_CLASSES = {
    "contact": "with contact",
    "race": "without",
    "pruner": "with contact, inner nodes of a search",
    "back": "back games: a side holds two points or more in the other's home",
}

Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True, slots=True)
class LogLine:
    """What a report says. kind: of the stage; done and total count its positions, lessons or steps; rate: the
    learning rate; error: root mean square of the equity error against the targets since the last report; pace: of
    `done`, a second; lost: thousandths of a point per decision on the reference rows at 0-ply, where these are at hand
    and the stage is done."""

    stage: int
    kind: str
    done: int
    total: int
    seconds: float
    rate: float
    error: float
    pace: float
    lost: float | None = None


class Work(Protocol):
    """A stage in progress."""

    done: int
    total: int

    def step(self) -> None:
        """Does a little; `done` grows."""

    def error(self) -> float:
        """Root mean square of the equity error since the last call, 0 where nothing is learnt."""

    def rate(self) -> float:
        """The learning rate now, 0 where nothing is learnt."""

    def arrays(self) -> Arrays:
        """What a checkpoint must hold beside the nets and `done`; in its state the names begin with "work."."""


class Run:
    """A training run in a folder. Use `start` or `resume`, then `advance` until it returns False."""

    def __init__(
        self,
        folder: Path,
        recipe: Recipe,
        nets: dict[str, Params],
        threads: int | None = None,
        lessons: Sequence[Path] = (),
    ) -> None:
        self.folder, self.recipe, self.nets = folder, recipe, nets
        self.stage = 0
        self.seconds = 0.0
        self.threads = threads or os.cpu_count() or 1
        self.lessons = [*lessons, folder]
        self.rows: strength.Rows | None = None
        self.score: strength.Score | None = None
        self.executor: Executor | None = None
        self.work: Work | None = None
        self._mine: Locked | None = None
        self._saved = time.monotonic()
        self._folded = {name: fold(params) for name, params in nets.items()}
        self._bearoff = one_sided(6).arrays

    @classmethod
    def start(
        cls,
        folder: Path,
        recipe: Recipe,
        begin: Sequence[Path] = (),
        threads: int | None = None,
        lessons: Sequence[Path] = (),
    ) -> Run:
        """A new run, from random weights or from net files. `lessons` are other runs, whose harvests count, too, and
        databases, of which the run takes a copy.

        Of several files the contact nets are joined, the others are of the first that has them; what is smaller than
        the recipe says is widened (see `params`). A net for back games that no file has begins as the contact net where
        it has the same shape, else at random. What a stage begins is not there before it.
        Raises `SettingsError` if `folder` holds a run, or the net's shapes do not fit into the recipe's; and
        `DataFileError` while another process works there.
        """
        if (folder / "state.npz").exists():
            raise SettingsError(f"{folder} already holds a training run; use --resume to go on with it.")
        given = [_lessons_of(other) for other in lessons if other.is_file()]
        others = [other for other in lessons if not other.is_file()]
        for other in others:
            if not (other / "lessons").is_dir():
                raise SettingsError(f"{other} holds no lessons of a training run.")
        nets = _first_nets(recipe, begin)
        folder.mkdir(parents=True, exist_ok=True)
        mine = claimed(folder)
        for name, text in (
            ("recipe.toml", recipe.text),
            ("lessons.json", json.dumps([str(other.absolute()) for other in others])),
        ):
            with replacing(folder / name) as partial:
                partial.write_text(text, encoding="utf-8")
        for number, taught in enumerate(given):
            _save_lessons(folder / "lessons" / GIVEN / f"{number:06d}.npz", taught)
        run = cls(folder, recipe, nets, threads, others)
        run._mine = mine
        run.checkpoint()
        return run

    @classmethod
    def resume(cls, folder: Path, threads: int | None = None) -> Run:
        """Goes on from the last checkpoint.

        Raises `DataFileError` where there is none or a damaged one, the recipe was changed, or another process works
        there.
        """
        try:
            recipe = parse_recipe(read_text(folder / "recipe.toml"))
            lessons = [Path(other) for other in listed("lessons.json", read_json(folder / "lessons.json"), str)]
            mine = claimed(folder)
            state = read_arrays(folder / "state.npz")
            if str(state.get("nets")) != file.FORMAT:
                raise DataFileError(
                    f"{folder} is a run of another version of Sixprime. A new run can begin with its net and learn its "
                    f"lessons: --net {folder / 'net.safetensors'} --lessons {folder}"
                )
            begun = any(name.startswith("work.") for name in state)
            # States of older versions hold no recipe.
            before = parse_recipe(str(state["recipe"])) if "recipe" in state else recipe
            stage = whole(state, "stage", 0, len(before.stages) - begun)
            _refuse_changes(folder / "recipe.toml", recipe, before, stage + begun)
            coming = recipe.begun(stage + begun)
            nets = {
                name: file.from_arrays(folder / "state.npz", name, spec, state)
                for name, spec in recipe.nets.items()
                if name not in coming
            }
            run = cls(folder, recipe, nets, threads, lessons)
            run._mine = mine
            run.stage, run.seconds = stage, float(held(state, "seconds", np.float64, least=0))
            if begun:
                run.work = run._begin(state)
        except (OSError, KeyError, ValueError, TypeError, IndexError) as error:
            why = f"{error.filename}: {error.strerror}" if isinstance(error, OSError) else error
            raise DataFileError(f"{folder} holds no complete training run ({why}).") from error
        return run

    def header(self) -> dict[str, Any]:
        """What a net file of this run says about itself."""
        return {
            "name": self.recipe.name,
            "seed": self.recipe.seed,
            "recipe": self.recipe.text,
            "stage": self.stage,
            "done": self.work.done if self.work else 0,
            "inputs": "points by what is behind, off, shots, pairs (see sixprime.kernels.network)",
            "classes": {name: words for name, words in _CLASSES.items() if name in self.nets},
            "strength": self.strength(),
        }

    def strength(self) -> dict[str, float]:
        """What `score` says in short, empty before a stage ended with the reference rows at hand."""
        if self.score is None:
            return {}
        rmse = {f"rmse_{name}": round(found["rmse"], 4) for name, found in self.score.sets.items()}
        return {"lost_0ply": round(self.score.decisions["lost"], 2), **rmse}

    def _measure(self) -> float | None:
        """Measures the nets on `rows`, the reference rows, if these are at hand."""
        if self.rows is None:
            return None
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "net.safetensors"
            file.save(path, self.nets, {})
            self.score = strength.measure(Engine(path, threads=self.threads), self.rows, 0)
        return float(self.score.decisions["lost"])

    def checkpoint(self) -> None:
        """Writes the run's state, whole or not at all, and the nets as they are to `net.safetensors`."""
        arrays: Arrays = {
            "nets": np.array(file.FORMAT),
            "recipe": np.array(self.recipe.text),
            "stage": np.array(self.stage),
            "seconds": np.array(self.seconds),
        }
        if self.work is not None:
            own = {"done": np.array(self.work.done)} | self.work.arrays()
            arrays |= {f"work.{name}": array for name, array in own.items()}
        arrays |= file.to_arrays(self.nets)
        with replacing(self.folder / "state.npz") as partial:
            np.savez(partial, **arrays)  # type: ignore[arg-type]
        file.save(self.folder / "net.safetensors", self.nets, self.header())
        self._saved = time.monotonic()

    def advance(self, report: Callable[[LogLine], None], every: float = 10.0) -> bool:
        """Works for about `every` seconds, reports, and says whether anything is left to do."""
        if self.stage >= len(self.recipe.stages):
            return False
        begin = time.monotonic()
        work = self.work = self.work or self._begin()
        before = work.done
        while time.monotonic() - begin < every and work.done < work.total:
            work.step()
        spent = time.monotonic() - begin
        self.seconds += spent
        stage = self.recipe.stages[self.stage]
        kind = type(stage).__name__.lower()
        if not math.isfinite(error := work.error()):
            raise self._diverged("its error is no number any more")
        if work.done >= work.total and not isinstance(stage, Harvest):
            self.brain()  # weights may be too large to play with
        pace = (work.done - before) / max(spent, 1e-9)
        lost = self._measure() if work.done >= work.total and kind != "harvest" else None
        progress = LogLine(
            self.stage,
            kind,
            work.done,
            work.total,
            self.seconds,
            work.rate(),
            error,
            pace=round(pace, 1),
            lost=lost,
        )
        path = self.folder / "log.jsonl"
        with writing(path), path.open("ab+") as log:
            # Whoever was killed may have left half a line.
            log.seek(max(0, log.seek(0, os.SEEK_END) - 1))
            torn = log.read() not in (b"", b"\n")
            log.write(b"\n" * torn + json.dumps(asdict(progress)).encode() + b"\n")
        report(progress)
        if work.done >= work.total:
            self.stage += 1
            self.work = None
        if self.work is None or time.monotonic() - self._saved > CHECKPOINT_SECONDS:
            self.checkpoint()
            curve.draw(self.folder / "log.jsonl", self.folder / "curve.svg")
        return self.stage < len(self.recipe.stages)

    def brain(self) -> search.Brain:
        """The nets as they are now, for the kernels. Raises SettingsError where training has made them useless."""
        try:
            self._folded = {name: fold(params, self._folded.get(name)) for name, params in self.nets.items()}
        except SettingsError as error:
            raise self._diverged(str(error).rstrip(".")) from error
        return _brain(self._folded, self._bearoff)

    def _diverged(self, why: str) -> SettingsError:
        stage = self.recipe.stages[self.stage]
        kind, rate = type(stage).__name__.lower(), getattr(stage, "rate", 0)
        return SettingsError(
            f"stage {self.stage + 1} ({kind}) diverged: {why}. A new run needs a lower rate there than {rate:g}."
        )

    def stage_seed(self) -> int:
        """Seed of the stage at hand."""
        return self.recipe.seed * 1000 + self.stage

    def _begin(self, state: Arrays | None = None) -> Work:
        """The stage at hand, or what is left of it by the state of a checkpoint. Raises ValueError."""
        stage: Stage = self.recipe.stages[self.stage]
        match stage:
            case Td():
                return _TdWork(self, stage, state)
            case Harvest():
                return _HarvestWork(self, stage, state)
            case Learn():
                return _LearnWork(self, stage, state)


def claimed(folder: Path) -> Locked:
    """What keeps other processes out of a run, as long as it is kept. Raises `DataFileError` where one is there."""
    path = folder / "lock"
    path.touch()
    try:
        return locked(path)
    except BlockingIOError:
        raise DataFileError(f"another process is working in {folder}; a run is for one at a time.") from None


def _refuse_changes(path: Path, recipe: Recipe, before: Recipe, stages: int) -> None:
    """Raises `DataFileError` where a run's recipe differs from what it was before in its first `stages`, which are done
    or in progress, or in what they all stand on, and where it is cut off. Warns of other stages that differ."""
    if before.text.startswith(recipe.text) and not recipe.text.endswith("\n") and recipe.text != before.text:
        raise DataFileError(
            f"{path} is cut off after {len(recipe.text)} of {len(before.text)} characters. Put it back."
        )
    changed = ["seed"] * (recipe.seed != before.seed)
    changed += ["nets"] * ((recipe.nets, recipe.begun(0)) != (before.nets, before.begun(0)))
    for number in range(stages):
        changed += [f"stage {number + 1}"] * (_stage(recipe, number) != _stage(before, number))
    if changed:
        raise DataFileError(
            f"{path} was changed since the run began ({', '.join(changed)}). Put it back, or start a new run; "
            "only stages that have not begun may change."
        )
    if recipe.stages != before.stages:
        counts = len(before.stages), len(recipe.stages)
        others = [number + 1 for number in range(max(counts)) if _stage(recipe, number) != _stage(before, number)]
        _log.warning(
            "%s was changed: it had %d stages and has %d; not as before: %s", path, *counts, ", ".join(map(str, others))
        )


def _stage(recipe: Recipe, number: int) -> Stage | None:
    return recipe.stages[number] if number < len(recipe.stages) else None


def check_stages(stages: Sequence[Stage]) -> None:
    """`check_torch`, where stages fit nets."""
    if any(isinstance(stage, Learn) for stage in stages):
        check_torch()


def check_torch() -> None:
    """Raises SettingsError where torch, which fitting needs, cannot be imported."""
    try:
        import torch  # noqa: F401
    except ImportError as error:
        raise SettingsError(f"fitting needs torch: pip install 'sixprime[train]' ({error})") from error


def _brain(folded: Mapping[str, Net], bearoff: OneSidedArrays) -> search.Brain:
    """What kernels judge with, from nets by name."""
    back = folded.get("back", NO_NET)
    return search.Brain(folded["contact"], folded["race"], folded["pruner"], bearoff, back=back)


def _shares(boards: NDArray[np.int8], nets: Container[str]) -> dict[str, NDArray[np.bool_]]:
    """Which of `boards`, seen by the side on roll, each of `nets` learns from, `bool[N]` by name: what it judges."""
    codes = classes_of(boards)
    contact = codes == search.CONTACT
    shares = {"contact": contact, "pruner": contact, "race": codes == search.RACE}
    if "back" in nets:
        back = harvest.is_back_game(boards)
        shares |= {"contact": contact & ~back, "back": contact & back}
    return shares


class _TdWork:
    def __init__(self, run: Run, stage: Td, state: Arrays | None) -> None:
        self._run, self._stage = run, stage
        self.done, self.total = 0, stage.positions
        self._squares, self._count = 0.0, 0
        seed = run.stage_seed()
        if state is None:
            self._games = selfplay.SelfPlayGames.new(seed, stage.games, stage.variety, stage.rare)
        else:
            self.done = whole(state, "work.done", 0, self.total)
            started = whole(state, "work.started", stage.games, 1 << 62)
            numbers, turns, random = (
                held(state, f"work.{name}", np.int64, stage.games, least=0, most=most)
                for name, most in (("games", started - 1), ("turns", selfplay.LONGEST), ("random", selfplay.RANDOM))
            )
            boards = possible(state, "work.boards", stage.games)
            self._games = selfplay.SelfPlayGames(
                seed, boards, numbers, turns, random, started, stage.variety, stage.rare
            )

    def step(self) -> None:
        """One turn of every game, then the lessons from it."""
        games = self._games
        boards = games.boards.copy()
        chosen, outputs = selfplay.best_plays(self._run.brain(), boards, games.dice())
        targets = swapped(outputs)
        learn = games.random == 0
        self._learn(boards[learn], targets[learn])
        self.done += len(boards)
        which, random = games.random_plays(games.dice())
        chosen[which] = random
        games.advance(chosen)

    def _learn(self, boards: NDArray[np.int8], targets: NDArray[np.float32]) -> None:
        """Gradient steps on positions seen by the side on roll."""
        after = kernels.swap(boards)
        for name, which in _shares(boards, self._run.nets).items():
            # The small net can take, and needs, larger steps.
            rate = self.rate() * (4 if name == "pruner" else 1)
            head, rows = np.float32(rate), np.float32(rate * self._stage.row_factor)
            squares = fit.train(self._run.nets[name], after[which], targets[which], head, rows)
            if name == "contact":
                self._squares += squares
                self._count += int(which.sum())

    def error(self) -> float:
        value = float(np.sqrt(self._squares / max(self._count, 1)))
        self._squares, self._count = 0.0, 0
        return value

    def rate(self) -> float:
        at = min(1.0, self.done / self.total)
        return float(self._stage.rate * (self._stage.final_rate / self._stage.rate) ** at)

    def arrays(self) -> Arrays:
        g = self._games
        return {
            "boards": g.boards,
            "games": g.games,
            "turns": g.turns,
            "random": g.random,
            "started": np.array(g.started),
        }


class HarvestJob:
    """Blocks of a harvest by these nets, as work for an executor."""

    def __init__(self, nets: dict[str, Params], seed: int, stage: Harvest) -> None:
        self._nets, self._seed, self._stage = nets, seed, stage
        self._brain: search.Brain | None = None

    def __call__(self, block: int, stop: Stop) -> harvest.Lessons:
        """The lessons of a block."""
        if self._brain is None:
            folded = {name: fold(params) for name, params in self._nets.items()}
            self._brain = _brain(folded, one_sided(6).arrays)
        brain, stage = self._brain, self._stage

        def look(boards: NDArray[np.int8]) -> NDArray[np.float32]:
            if stop.is_set():
                raise CancelledError
            return selfplay.lookahead(brain, boards, stage.keep)

        return harvest.play_block(
            brain,
            selfplay.SelfPlayGames.new(
                self._seed, stage.games, stage.variety, stage.rare, block * stage.games, stage.mix
            ),
            look,
            trace=stage.trace,
            far=stage.far,
            siblings=stage.siblings,
            strays=stage.strays,
            margin=stage.margin,
            keep=stage.keep,
            cut=stage.cut,
            follow=stage.follow,
            replies=stage.replies,
        )


class _HarvestWork:
    """Blocks are files: what is there when a run is resumed need not be made again."""

    def __init__(self, run: Run, stage: Harvest, state: Arrays | None) -> None:
        self._run, self._job = run, HarvestJob(dict(run.nets), run.stage_seed(), stage)
        self.done, self.total = 0, stage.positions
        self._block = 0
        self._first = 0
        self._coming: Generator[tuple[int, harvest.Lessons], None, None] | None = None
        self._waiting: dict[int, harvest.Lessons] = {}
        self._pool = ThreadPoolExecutor(run.threads)
        self._ahead: dict[int, Future[harvest.Lessons]] = {}
        self._enough = threading.Event()
        self._folder = run.folder / "lessons" / f"stage{run.stage + 1}"
        self._folder.mkdir(parents=True, exist_ok=True)
        done = 0 if state is None else whole(state, "work.done", 0, self.total)
        while self.done < done:
            self.done += len(read_arrays(self._path())["boards"])
            self._block += 1
        if self.done != done:
            raise ValueError(f"work.done is {done:,}, found {self.done:,} in {self._block} files of {self._folder}")

    def _path(self) -> Path:
        return self._folder / f"{self._block:06d}.npz"

    def step(self) -> None:
        """One block of games."""
        lessons = self._here() if self._run.executor is None else self._elsewhere(self._run.executor)
        _save_lessons(self._path(), lessons)
        self.done += len(lessons.boards)
        self._block += 1
        if self.done >= self.total:
            # What is under way beyond the end is not wanted.
            self._enough.set()
            if self._coming is not None:
                self._coming.close()

    def _here(self) -> harvest.Lessons:
        """The next block; every thread of this machine makes one of its own."""
        for block in range(self._block, self._block + self._run.threads):
            if block not in self._ahead:
                self._ahead[block] = self._pool.submit(self._job, block, self._enough)
        return self._ahead.pop(self._block).result()

    def _elsewhere(self, executor: Executor) -> harvest.Lessons:
        """The next block, by a cluster that is always some blocks ahead."""
        if self._coming is None:
            self._first = self._block
            self._coming = executor.map(self._job, itertools.count(self._block))
        while self._block not in self._waiting:
            index, lessons = next(self._coming)
            self._waiting[self._first + index] = lessons
        return self._waiting.pop(self._block)

    def error(self) -> float:
        return 0.0

    def rate(self) -> float:
        return 0.0

    def arrays(self) -> Arrays:
        return {}


class _LearnWork:
    """Fits the nets one after the other; `done` counts the steps of all of them."""

    def __init__(self, run: Run, stage: Learn, state: Arrays | None) -> None:
        check_torch()
        import torch

        from sixprime.train import regress

        torch.set_num_threads(run.threads)  # the order of sums, and so the bits, depend on it
        # What was harvested since the stage began is not for it. States of older versions do not know.
        if state is not None and "work.files" in state:
            self._files = [str(name) for name in state["work.files"]]
            counts = held(state, "work.counts", np.int64, len(self._files)).tolist()
        else:
            self._files, counts = _lesson_files(run.lessons, stage.harvests, stage.given), None
        parts = _read(run.lessons, self._files, counts)
        self._counts = np.array([len(part.boards) for part in parts], dtype=np.int64)
        taught = _together(parts)
        del parts  # as large as all of them together
        if stage.begin and state is None:
            source = run.nets[stage.begin]
            run.nets[stage.only] = source._replace(**{field: getattr(source, field).copy() for field in WEIGHTS})
        wanted = {name for name in run.nets if stage.only in ("", name)}
        if stage.fresh and state is None:
            run.nets |= {name: net for name, net in run.recipe.random_nets().items() if name in wanted}
        self._run = run
        self._start: dict[str, Params] = {name: run.nets[name] for name in wanted} if stage.mean else {}
        self._fits: list[tuple[str, Any]] = []
        for name, which in _shares(taught.boards, run.nets).items():
            if name in wanted:
                learner = regress.Fit(run.nets[name], taught.of(which), stage, run.stage_seed())
                self._fits.append((name, learner))
        self.total = sum(one.steps for _, one in self._fits)
        if not self.total:
            raise SettingsError(f"the lessons hold nothing for {', '.join(sorted(wanted))} to learn.")
        self.done = 0
        self._before = {name: one.judge() for name, one in self._fits if one.steps and state is None}
        if state is not None:
            for name, one in self._fits:
                one.restore(state, f"work.{name}.")
                if f"work.{name}.before" in state:
                    self._before[name] = float(held(state, f"work.{name}.before", np.float64, least=0))
                if stage.mean:
                    spec = run.recipe.nets[name]
                    self._start[name] = file.from_arrays(run.folder / "state.npz", f"work.{name}.start", spec, state)
            done = sum(one.step for _, one in self._fits)
            self.done = whole(state, "work.done", done, done)

    def step(self) -> None:
        """Some steps of the first net that is not finished."""
        name, one = self._now()
        before = one.step
        one.run(50)
        self.done += one.step - before
        if one.done:
            self._run.nets[name] = self._result(name, one)
            before = self._before.get(name)
            if before is not None and (error := one.judge()) > before:
                _log.warning(
                    f"stage {self._run.stage + 1} (learn): the {name} net now errs by {error:.4f} on its lessons, by "
                    f"{before:.4f} before; a rate below {one.stage.rate:g} may help"
                )

    def _now(self) -> tuple[str, Any]:
        unfinished = [found for found in self._fits if not found[1].done]
        return unfinished[0] if unfinished else self._fits[-1]

    def error(self) -> float:
        return float(self._now()[1].error())

    def rate(self) -> float:
        return float(self._now()[1].rate())

    def arrays(self) -> Arrays:
        self._run.nets |= {name: self._result(name, one) for name, one in self._fits}
        arrays = {f"{name}.{key}": array for name, one in self._fits for key, array in one.state().items()}
        arrays |= {f"{name}.before": np.array(error) for name, error in self._before.items()}
        arrays |= {"files": np.array(self._files), "counts": self._counts}
        for name, params in self._start.items():
            arrays |= {f"{name}.start.{field}": getattr(params, field) for field in WEIGHTS}
        return arrays

    def _result(self, name: str, one: Any) -> Params:
        found: Params = one.result()
        if not one.done or name not in self._start:
            return found
        start = self._start[name]
        means = {field: (getattr(found, field) + getattr(start, field)) / np.float32(2) for field in WEIGHTS}
        return found._replace(**means)


def _first_nets(recipe: Recipe, begin: Sequence[Path]) -> dict[str, Params]:
    """The nets with which a run begins, from files or from random weights, as `Run.start` says."""
    nets = recipe.random_nets()
    for name in recipe.begun(0):
        del nets[name]
    if not begin:
        return nets
    files = [(path, file.load(path)) for path in begin]
    for number, name in enumerate(nets):
        spec = recipe.nets[name]
        found = [(path, net) for path, each in files if (net := getattr(each, name)) is not None]
        if not found:
            if spec == recipe.contact:
                nets[name] = widened(nets["contact"], spec, recipe.seed)
            continue
        try:
            one = joined([net for _, net in found]) if name == "contact" else found[0][1]
            nets[name] = widened(one, spec, recipe.seed + number)
        except SettingsError as error:
            shapes = ", ".join(f"{path} {spec_of(each)}" for path, each in found)
            raise SettingsError(f"the {name} net should be {spec}, found are {shapes}: {error}") from None
    return nets


def read_lessons(folders: Sequence[Path], harvests: int) -> harvest.Kept:
    """Lessons of the last `harvests` harvests, or of all (0), of the runs there, and of what these were given."""
    return _together(_read(folders, _lesson_files(folders, harvests)))


def _lesson_files(folders: Sequence[Path], harvests: int, times: int = 1) -> list[str]:
    """The files of `read_lessons`, those that were given so many `times`: the place of a folder, and the path there."""
    stages = [
        (place, stage)
        for place, folder in enumerate(folders)
        for stage in sorted((folder / "lessons").glob("stage*"), key=_stage_number)
    ]
    given = [(place, folder / "lessons" / GIVEN) for place, folder in enumerate(folders)]
    found = [
        f"{place}/{path.relative_to(folders[place]).as_posix()}"
        for place, stage in given * times + stages[-harvests:]
        for path in _blocks(stage)
    ]
    if not found:
        raise SettingsError(f"no lessons in {', '.join(map(str, folders))}; a harvest must come before learning.")
    return found


def _read(folders: Sequence[Path], files: Sequence[str], counts: Sequence[int] | None = None) -> list[harvest.Kept]:
    """The lessons of `_lesson_files`, file by file. counts: how many each must hold, None for any number."""
    found: list[harvest.Kept] = []
    first = 0
    for number, name in enumerate(files):
        place, _, rest = name.partition("/")
        path = folders[int(place)] / rest
        try:
            archive = read_arrays(path)
            if missing := {"boards", "targets", "decisions"} - archive.keys():
                raise ValueError(f"it has no {' and no '.join(sorted(missing))}, as those of older versions")
            targets, decisions = archive["targets"], archive["decisions"].astype(np.int64)
            if targets.dtype != np.int16:
                raise ValueError(f"targets are {targets.dtype}, expected int16")
            if counts is not None and len(targets) != counts[number]:
                raise ValueError(f"it has {len(targets):,} lessons, and had {counts[number]:,} when the stage began")
            # Files of older versions hold plays only.
            behind = archive["behind"] if "behind" in archive else harvest.behind(harvest.unpacked(targets), decisions)
            boards = counted(archive, "boards", len(targets))
            found.append(harvest.Kept(boards, targets, decisions + first, behind))
        except (OSError, ValueError) as error:
            raise DataFileError(f"{path} is no complete file of lessons ({error}).") from error
        first = int(found[-1].decisions.max(initial=first - 1)) + 1
    return found


def _together(parts: Sequence[harvest.Kept]) -> harvest.Kept:
    return harvest.Kept(*map(np.concatenate, zip(*parts, strict=True)))


def _blocks(stage: Path) -> list[Path]:
    """The files of a harvest. Raises `DataFileError` where one between others is gone."""
    paths = finished(stage, "*.npz")
    for number, path in enumerate(paths):
        if path.stem != (name := f"{number:06d}") and stage.name != GIVEN:
            raise DataFileError(f"{path.with_stem(name)} is missing; the lessons of this harvest are not complete.")
    return paths


def _lessons_of(path: Path) -> harvest.Lessons:
    """What a database holds. Raises `DataFileError`, and `SettingsError` where nothing was rolled out."""
    with Database(path) as base:
        lessons = base.lessons()
    if not len(lessons.boards):
        raise SettingsError(f"{path}: no position was rolled out yet; `sixprime lessons rollout` does it.")
    return lessons


def _save_lessons(path: Path, lessons: harvest.Lessons) -> None:
    with replacing(path) as partial, partial.open("wb") as stream:
        np.savez(stream, **asdict(lessons) | {"targets": harvest.packed(lessons.targets)})


def _stage_number(path: Path) -> int:
    return int(path.name.removeprefix("stage"))
