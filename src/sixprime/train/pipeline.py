"""The training run: stages of self-play and learning that can be stopped at any time and resumed.

A run is a folder: `recipe.toml`, `state.npz` (all that is needed to go on: nets, games in progress, remembered
lessons, counters), `net.safetensors` (the nets alone, to play with) and `log.jsonl` (one line per report).
A checkpoint is written whole or not at all, and a resumed run makes the same net as one never stopped.
"""

from __future__ import annotations

import json
import os
import time
import zipfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixprime import kernels
from sixprime.bearoff import one_sided
from sixprime.errors import DataFileError, SettingsError
from sixprime.kernels import search
from sixprime.nets import file
from sixprime.nets.params import Params, fold, initial
from sixprime.paths import replacing
from sixprime.train import fit, selfplay
from sixprime.train.recipe import Recipe, Stage, parse_recipe

CHECKPOINT_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Progress:
    """What a report says. error: root mean square of the equity error against the targets since the last one."""

    stage: int
    done: int
    total: int
    seconds: float
    rate: float
    error: float
    games: int


class Run:
    """A training run in a folder. Use `start` or `resume`, then `advance` until it returns False."""

    def __init__(self, folder: Path, recipe: Recipe, nets: dict[str, Params], threads: int | None = None) -> None:
        self.folder, self.recipe, self.nets = folder, recipe, nets
        self.stage = 0
        self.done = 0
        self.seconds = 0.0
        self.games: selfplay.Games | None = None
        self._saved = time.monotonic()
        self._folded = {name: fold(params) for name, params in nets.items()}
        self._bearoff = one_sided(6).arrays
        self._squares, self._count = 0.0, 0
        self._memory: tuple[NDArray[np.int8], NDArray[np.float32]] | None = None
        self._remembered = 0
        self._threads = threads or os.cpu_count() or 1
        self._pool = ThreadPoolExecutor(self._threads)

    @classmethod
    def start(cls, folder: Path, recipe: Recipe, net: Path | None = None, threads: int | None = None) -> Run:
        """A new run, from random weights or from a net file. Raises `SettingsError` if `folder` holds a run."""
        if (folder / "state.npz").exists():
            raise SettingsError(f"{folder} already holds a training run; use --resume to go on with it.")
        folder.mkdir(parents=True, exist_ok=True)
        specs = {"contact": recipe.contact, "race": recipe.race, "pruner": recipe.pruner}
        if net is None:
            nets = {name: initial(spec, recipe.seed + i) for i, (name, spec) in enumerate(specs.items())}
        else:
            loaded = file.load(net)
            nets = {name: getattr(loaded, name) for name in specs}
            for name, spec in specs.items():
                if file.spec_of(nets[name]) != spec:
                    raise SettingsError(f"{net}: the {name} net is {file.spec_of(nets[name])}, the recipe says {spec}.")
        (folder / "recipe.toml").write_text(recipe.text, encoding="utf-8")
        run = cls(folder, recipe, nets, threads)
        run.checkpoint()
        return run

    @classmethod
    def resume(cls, folder: Path, threads: int | None = None) -> Run:
        """Goes on from the last checkpoint. Raises `DataFileError` when there is none or it is damaged."""
        try:
            recipe = parse_recipe((folder / "recipe.toml").read_text(encoding="utf-8"))
            with (folder / "state.npz").open("rb") as stream, np.load(stream) as archive:
                state = {name: archive[name] for name in archive.files}
            specs = zip(file.NETS, (recipe.contact, recipe.race, recipe.pruner), strict=True)
            nets = {name: file.from_arrays(folder / "state.npz", name, spec, state) for name, spec in specs}
            run = cls(folder, recipe, nets, threads)
            stage, done, run._remembered, started = (int(x) for x in state["counters"])
            run.stage, run.done, run.seconds = stage, done, float(state["seconds"])
            if "boards" in state:
                seed, variety = run._stage_seed(), recipe.stages[stage].variety
                run.games = selfplay.Games(
                    seed, state["boards"], state["games"], state["turns"], state["random"], started, variety
                )
            if "memory" in state:
                run._memory = state["memory"], state["memory_targets"]
        except (OSError, KeyError, ValueError, IndexError, EOFError, zipfile.BadZipFile) as error:
            raise DataFileError(f"{folder} holds no complete training run ({error}).") from error
        return run

    def header(self) -> dict[str, Any]:
        """What a net file of this run says about itself."""
        return {
            "name": self.recipe.name,
            "seed": self.recipe.seed,
            "recipe": self.recipe.text,
            "stage": self.stage,
            "positions": self.done,
            "stages": [asdict(stage) for stage in self.recipe.stages],
        }

    def checkpoint(self) -> None:
        """Writes the run's state, whole or not at all, and the nets as they are to `net.safetensors`."""
        started = self.games.started if self.games else 0
        arrays: dict[str, NDArray[Any]] = {
            "counters": np.array([self.stage, self.done, self._remembered, started]),
            "seconds": np.array(self.seconds),
        }
        arrays |= file.to_arrays(self.nets)
        if self.games is not None:
            g = self.games
            arrays |= {"boards": g.boards, "games": g.games, "turns": g.turns, "random": g.random}
        if self._memory is not None:
            arrays |= {"memory": self._memory[0], "memory_targets": self._memory[1]}
        with replacing(self.folder / "state.npz") as partial:
            np.savez(partial, **arrays)  # type: ignore[arg-type]
        file.save(self.folder / "net.safetensors", self.nets, self.header())
        self._saved = time.monotonic()

    def advance(self, report: Callable[[Progress], None], every: float = 10.0) -> bool:
        """Works for about `every` seconds, reports, and says whether anything is left to do."""
        if self.stage >= len(self.recipe.stages):
            return False
        stage = self.recipe.stages[self.stage]
        if self.games is None:
            self.games = selfplay.Games.new(self._stage_seed(), stage.games, stage.variety)
        begin = time.monotonic()
        while time.monotonic() - begin < every and self.done < stage.positions:
            self._step(stage, self.games)
        self.seconds += time.monotonic() - begin
        rms = float(np.sqrt(self._squares / max(self._count, 1)))
        self._squares, self._count = 0.0, 0
        progress = Progress(
            self.stage, self.done, stage.positions, self.seconds, self._rate(stage), rms, self.games.started
        )
        with (self.folder / "log.jsonl").open("a", encoding="utf-8") as log:
            log.write(json.dumps(asdict(progress)) + "\n")
        report(progress)
        if self.done >= stage.positions:
            self.stage += 1
            self.done = 0
            self.games = None
            self._memory, self._remembered = None, 0
        if self.games is None or time.monotonic() - self._saved > CHECKPOINT_SECONDS:
            self.checkpoint()
        return self.stage < len(self.recipe.stages)

    def _stage_seed(self) -> int:
        return self.recipe.seed * 1000 + self.stage

    def _rate(self, stage: Stage) -> float:
        return float(stage.rate * (stage.final_rate / stage.rate) ** min(1.0, self.done / stage.positions))

    def brain(self) -> search.Brain:
        """The nets as they are now, for the kernels."""
        for name in file.NETS:
            fold(self.nets[name], self._folded[name])
        return search.Brain(**self._folded, bearoff=self._bearoff)

    def _step(self, stage: Stage, games: selfplay.Games) -> None:
        """One turn of every game, then the lessons from it."""
        brain = self.brain()
        boards = games.boards.copy()
        dice = games.dice()
        chosen, outputs = selfplay.best_plays(brain, boards, dice)
        if stage.kind == "td":
            targets = selfplay.flipped(outputs)
            learn = games.random == 0
            self._learn(stage, boards[learn], targets[learn])
            self.done += len(boards)
        else:
            lessons = np.concatenate((boards, self._siblings(stage, boards, dice))) if stage.siblings else boards
            code = selfplay.codes(lessons)
            lessons = lessons[code > search.BEAROFF]
            targets = self._labels(brain, lessons, stage.keep)
            self._learn(stage, lessons, targets)
            self.done += len(lessons)
            self._repeat(stage, lessons, targets)
        which, random = games.random_plays(dice)
        chosen[which] = random
        games.advance(chosen)

    def _siblings(self, stage: Stage, boards: NDArray[np.int8], dice: NDArray[np.int8]) -> NDArray[np.int8]:
        """Up to `stage.siblings` random other candidates of every decision, seen by the side then on roll."""
        results, offsets = kernels.legal_plays(boards, dice)
        assert self.games is not None
        picks = []
        for k in range(stage.siblings):
            draw = selfplay.hash64(self.games.seed, self.games.games, self.games.turns + 2_000_000 * (k + 1))
            picks.append(offsets[:-1] + (draw % np.diff(offsets).astype(np.uint64)).astype(np.int64))
        return kernels.swap(results[np.unique(np.concatenate(picks))])

    def _labels(self, brain: search.Brain, boards: NDArray[np.int8], keep: int) -> NDArray[np.float32]:
        """Look-ahead values, on all threads; they depend on nothing but the nets."""
        parts = np.array_split(boards, self._threads * 4)
        return np.concatenate(list(self._pool.map(lambda part: selfplay.lookahead(brain, part, keep), parts)))

    def _repeat(self, stage: Stage, boards: NDArray[np.int8], targets: NDArray[np.float32]) -> None:
        """Learns again from remembered lessons, as many as are new, `stage.repeats` - 1 times."""
        if stage.repeats == 1:
            return
        if self._memory is None or len(self._memory[0]) != stage.memory:
            self._memory, self._remembered = _memory(stage.memory), 0
        slots = (self._remembered + np.arange(len(boards))) % stage.memory
        self._memory[0][slots], self._memory[1][slots] = boards, targets
        self._remembered += len(boards)
        for k in range(stage.repeats - 1):
            draw = selfplay.hash64(self.recipe.seed, self.done + np.arange(len(boards)), k)
            pick = (draw % np.uint64(min(self._remembered, stage.memory))).astype(np.int64)
            self._learn(stage, self._memory[0][pick], self._memory[1][pick])

    def _learn(self, stage: Stage, boards: NDArray[np.int8], targets: NDArray[np.float32]) -> None:
        """Gradient steps on positions seen by the side on roll."""
        code = selfplay.codes(boards)
        rate = self._rate(stage)
        head, rows = np.float32(rate), np.float32(rate * stage.row_factor)
        after = kernels.swap(boards)
        contact, race = code == search.CONTACT, code == search.RACE
        self._squares += fit.train(self.nets["contact"], after[contact], targets[contact], head, rows)
        self._count += int(contact.sum())
        fit.train(self.nets["pruner"], after[contact], targets[contact], head * np.float32(4), rows * np.float32(4))
        fit.train(self.nets["race"], after[race], targets[race], head, rows)


def _memory(size: int) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Room for remembered boards and their targets."""
    return np.zeros((size, 32), dtype=np.int8), np.zeros((size, 5), dtype=np.float32)
