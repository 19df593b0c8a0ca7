"""A rollout as it is kept: what it rolls out, how, and all trials. What follows from these is worked out again."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from sixprime.cube.met import MatchEquityTable
from sixprime.engine.rollout_result import Kind, RolloutResult, alternatives_of, known_table
from sixprime.engine.rollout_settings import RolloutSettings
from sixprime.engine.trials import COUNTS, Trials
from sixprime.game.play import Play
from sixprime.game.position import Position
from sixprime.game.state import MatchState


@dataclass(frozen=True, slots=True)
class KeptTrials:
    """The arrays of `Trials` of one alternative row by row, little-endian; Base64 in JSON."""

    outcomes: bytes
    values: bytes
    counts: bytes

    @classmethod
    def of(cls, trials: Trials) -> KeptTrials:
        return cls(*(getattr(trials, name).astype(kind).tobytes() for name, kind in _ARRAYS))

    def trials(self) -> Trials:
        """Raises ValueError for bytes that are no trials."""
        outcomes, values, counts = (np.frombuffer(getattr(self, name), kind) for name, kind in _ARRAYS)
        rows = len(values) or 1
        shaped = outcomes.reshape(-1, 5), values, counts.reshape(-1, len(counts) // rows or len(COUNTS))
        return Trials.kept(*(array.astype(array.dtype.newbyteorder("=")) for array in shaped))


_ARRAYS = (("outcomes", "<f8"), ("values", "<f8"), ("counts", "<i2"))


@dataclass(frozen=True, slots=True)
class KeptRollout:
    """As `RolloutResult`. results: where each of the plays leads, None for other rollouts. met: name and checksum of
    the match equity table."""

    kind: Kind
    position: Position
    state: MatchState
    dice: tuple[int, int] | None
    settings: RolloutSettings
    results: tuple[Position, ...] | None
    trials: tuple[KeptTrials, ...]
    checked: int
    engine: str
    finished: bool
    met: tuple[str, str]

    @classmethod
    def of(cls, result: RolloutResult) -> KeptRollout:
        plays = [alternative.play for alternative in result.alternatives if alternative.play is not None]
        same = {name: getattr(result, name) for name in _SAME}
        return cls(
            **same,
            results=tuple(play.result for play in plays) if result.kind == "plays" else None,
            trials=tuple(map(KeptTrials.of, result.raw)),
            met=(result.met.name, result.met.checksum),
        )

    def result(self, met: MatchEquityTable | None) -> RolloutResult:
        """Raises SixprimeError or ValueError for what no rollout has."""
        if (self.dice is None or self.results is None) == (self.kind == "plays"):
            raise ValueError(".results: plays need dice and results, and only they have them")
        plays = [Play.between(self.position, self.dice, end) for end in self.results or () if self.dice]
        alternatives = alternatives_of(self.kind, self.position, self.state, plays)
        raw = [trials.trials() for trials in self.trials]
        if not raw or len(raw) != len(alternatives):
            raise ValueError(f".trials: expected those of {len(alternatives)} alternatives; found {len(raw)}")
        if not 0 <= self.checked <= max(map(len, raw)):
            raise ValueError(f".checked: there is no trial {self.checked}")
        same = {name: getattr(self, name) for name in _SAME}
        return RolloutResult(**same, alternatives=alternatives, raw=tuple(raw), met=known_table(*self.met, met))


_SAME = tuple({field.name for field in fields(KeptRollout)} & {field.name for field in fields(RolloutResult)} - {"met"})
