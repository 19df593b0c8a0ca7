"""What a rollout answers, and the file it is kept in.

Sums over trials are exact (`math.fsum`), so that they do not depend on the order or the machine.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from sixprime import kernels
from sixprime.checks import FLAG, TEXT, Fields, Instance, Maybe, OneOf, Pair, Several, Whole, refuse
from sixprime.checks import path as path_of
from sixprime.cube.decision import Verdict, decide
from sixprime.cube.met import MatchEquityTable
from sixprime.cube.met import load as load_met
from sixprime.cube.met import names as met_names
from sixprime.cube.state import CubeState
from sixprime.cube.values import Unit, mwc_error, opposite, swapped, to_equity, to_mwc, utility_weights
from sixprime.engine.rollout_cubes import Root
from sixprime.engine.rollout_settings import MAX_TRIALS, RolloutSettings
from sixprime.engine.rollout_statistics import Statistics, gather
from sixprime.engine.trials import Trials
from sixprime.errors import DataFileError, UnreadableFileError
from sixprime.frozen import frozen
from sixprime.game.outcomes import Outcomes
from sixprime.game.play import Play
from sixprime.game.position import Position
from sixprime.game.state import GameState, MatchState
from sixprime.lazy import brief, drawn_by
from sixprime.paths import replacing
from sixprime.reading import opened, parse_json, read_arrays, unpacked_limit

FORMAT = 3
"""Version of the files; others are refused, but for the one before."""
_BEFORE = 2
"""In which plays were rolled out with the opponent as the first player of the settings."""
CONFIDENCE = 1.959964
"""Standard errors to either side of a 95 % interval."""
_MANY = 100_000
"""More alternatives than any roll has plays."""
Kind = Literal["position", "plays", "cube"]


@dataclass(frozen=True, slots=True)
class Alternative:
    """One thing that is rolled out: its name, where its games begin, and the play that leads there if there is one.

    Where they begin follows from the rest and is not compared.
    """

    label: str
    root: Root = field(compare=False)
    play: Play | None = None


@dataclass(frozen=True, slots=True)
class RolloutEstimate:
    """What the trials say of one alternative, for the player who decides: the one on roll in `RolloutResult.position`.

    probabilities: win, win gammon, win backgammon, lose gammon, lose backgammon; cumulative; of few trials without luck
    some may lie a little below 0 or above 1. In cubeful rollouts a game that ends by a pass counts with what the net
    says of its last position.
    equity: the number that ranks, cubeful in cubeful rollouts; normalised to the cube before the decision (EMG in match
    play). cubeless_equity: of the probabilities, normalised to the cube that these games begin with, of double, take
    the doubled one. mwc: match-winning chance of `equity`, None for money. `..._error`: standard errors.
    equity_loss: behind the best alternative, >= 0; loss_error: standard error of that difference on common dice.
    jsd: the loss in joint standard deviations, as if the dice were not common.
    """

    label: str
    play: Play | None
    trials: int
    cubeful: bool
    probabilities: Outcomes
    probabilities_error: tuple[float, float, float, float, float]
    equity: float
    equity_error: float
    cubeless_equity: float
    cubeless_error: float
    mwc: float | None
    mwc_error: float | None
    equity_loss: float
    loss_error: float
    jsd: float
    statistics: Statistics

    def __repr__(self) -> str:
        return brief(self, f"{self.label}: {self.equity:+.4f} ± {self.equity_error:.4f}, {self.trials} trials")

    @property
    def cubeful_equity(self) -> float | None:
        """`equity` of a cubeful rollout, None for a cubeless one."""
        return self.equity if self.cubeful else None

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % confidence interval of the equity."""
        return self.equity - CONFIDENCE * self.equity_error, self.equity + CONFIDENCE * self.equity_error


@dataclass(frozen=True, slots=True)
class RolloutResult:
    """A rollout so far: what is rolled out, how, and what came of it.

    kind: "position", "plays" (of `dice`) or "cube" (no double; double, take). raw: the trials of each alternative.
    checked: up to which trial the limits have been looked at. engine: what made the trials. finished: the settings ask
    for no more. estimates: of the alternatives in their order; `ranked` has the best first. Results are equal where the
    trials are, to the bit.
    """

    kind: Kind
    position: Position
    state: MatchState
    dice: tuple[int, int] | None
    settings: RolloutSettings
    alternatives: tuple[Alternative, ...]
    raw: tuple[Trials, ...]
    checked: int
    engine: str
    finished: bool
    met: MatchEquityTable = field(compare=False)
    estimates: tuple[RolloutEstimate, ...] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        _FIELDS(self)
        least = 2 if self.kind == "cube" else 1
        if not least <= len(self.alternatives) == len(self.raw):
            refuse("raw", f"as many as alternatives, at least {least}", self.raw)
        for trials in self.raw:
            for array in (trials.outcomes, trials.values, trials.counts):
                frozen(array)
        estimates = estimates_of(self.kind, self.state, self.settings, self.alternatives, self.raw, self.met)
        object.__setattr__(self, "estimates", estimates)

    def __repr__(self) -> str:
        told = "; ".join(f"{each.label} {each.equity:+.4f} ± {each.equity_error:.4f}" for each in self.ranked[:3])
        return brief(self, f"of {len(self.alternatives)}, {self.trials} trials: {told}")

    _repr_html_ = drawn_by("rollout")

    @property
    def ranked(self) -> tuple[RolloutEstimate, ...]:
        """The estimates, best first."""
        return tuple(sorted(self.estimates, key=lambda estimate: estimate.equity_loss))

    @property
    def best(self) -> RolloutEstimate:
        """The best alternative; of a position the only one, of a cube decision "No double" or "Double, take"."""
        return self.ranked[0]

    @property
    def trials(self) -> int:
        """Trials of the alternative that has most."""
        return max(len(trials) for trials in self.raw)

    # The first alternative's numbers, which are all there is for a position.

    @property
    def probabilities(self) -> Outcomes:
        """Of the first alternative; see `RolloutEstimate`."""
        return self.estimates[0].probabilities

    @property
    def probabilities_error(self) -> tuple[float, float, float, float, float]:
        """Of the first alternative; see `RolloutEstimate`."""
        return self.estimates[0].probabilities_error

    @property
    def equity(self) -> float:
        """Of the first alternative; see `RolloutEstimate`."""
        return self.estimates[0].equity

    @property
    def equity_error(self) -> float:
        """Of the first alternative; see `RolloutEstimate`."""
        return self.estimates[0].equity_error

    @property
    def cubeful_equity(self) -> float | None:
        """Of the first alternative; see `RolloutEstimate`."""
        return self.estimates[0].cubeful_equity

    @property
    def cubeless_equity(self) -> float:
        """Of the first alternative; see `RolloutEstimate`."""
        return self.estimates[0].cubeless_equity

    @property
    def cubeless_error(self) -> float:
        """Of the first alternative; see `RolloutEstimate`."""
        return self.estimates[0].cubeless_error

    @property
    def mwc(self) -> float | None:
        """Of the first alternative; see `RolloutEstimate`."""
        return self.estimates[0].mwc

    @property
    def mwc_error(self) -> float | None:
        """Of the first alternative; see `RolloutEstimate`."""
        return self.estimates[0].mwc_error

    @property
    def interval(self) -> tuple[float, float]:
        """Of the first alternative; see `RolloutEstimate`."""
        return self.estimates[0].interval

    @property
    def statistics(self) -> Statistics:
        """Of the first alternative."""
        return self.estimates[0].statistics

    @property
    def verdict(self) -> Verdict | None:
        """The cube decision by the rolled-out equities; None for other rollouts."""
        if self.kind != "cube":
            return None
        no_double, double_take = self.estimates
        gammons = no_double.probabilities[1] > 0
        return decide(no_double.equity, double_take.equity, CubeState.from_match(self.state), gammons=gammons)

    def save(self, path: Path | str) -> None:
        """Writes everything needed to show or extend the rollout to a file, whole or not at all.

        Raises OSError, SettingsError for what is no name of a file.
        """
        path = path_of(path)
        head = {
            "format": FORMAT,
            "engine": self.engine,
            "met": [self.met.name, self.met.checksum],
            "kind": self.kind,
            "position": self.position.id,
            "chequers": self.position.chequers,
            "state": {**asdict(self.state), "game_state": int(self.state.game_state)},
            "dice": self.dice,
            "settings": self.settings.to_dict(),
            "checked": self.checked,
            "finished": self.finished,
            "plays": [alternative.play and alternative.play.result.id for alternative in self.alternatives],
        }
        arrays: dict[str, Any] = {}
        for i, trials in enumerate(self.raw):
            arrays |= {f"{field.name}{i}": getattr(trials, field.name) for field in fields(Trials)}
        target = Path(path)
        arrays |= {"head": np.array(json.dumps(head))}
        with replacing(target) as partial:
            with partial.open("wb") as stream:
                np.savez_compressed(stream, **arrays)
            # Trials that are all alike may be packed more than is believed when they are read.
            if sum(array.nbytes + 200 for array in arrays.values()) > unpacked_limit(partial.stat().st_size):
                with partial.open("wb") as stream:
                    np.savez(stream, **arrays)

    def __len__(self) -> int:
        return self.trials


_FIELDS = Fields(
    kind=OneOf(*get_args(Kind)),
    position=Instance(Position),
    state=Instance(MatchState),
    dice=Maybe(Pair(Whole(1, 6))),
    settings=Instance(RolloutSettings),
    alternatives=Several(Instance(Alternative), _MANY),
    raw=Several(Instance(Trials), _MANY),
    checked=Whole(0, MAX_TRIALS),
    engine=TEXT,
    finished=FLAG,
    met=Instance(MatchEquityTable),
)


def estimates_of(
    kind: Kind,
    state: MatchState,
    settings: RolloutSettings,
    alternatives: Sequence[Alternative],
    raw: Sequence[Trials],
    met: MatchEquityTable,
) -> tuple[RolloutEstimate, ...]:
    """What trials say of each alternative."""
    cube = CubeState.from_match(state)
    series = [
        equities_of(kind, cube, alternative, trials, met) for alternative, trials in zip(alternatives, raw, strict=True)
    ]
    means = [mean(equities) for equities in series]
    errors = [standard_error(equities) for equities in series]
    ranking, against, doubts = means.copy(), series.copy(), errors.copy()
    if kind == "cube" and means[1] > 1.0:
        # The opponent passes: what counts is the pass, which is certain.
        ranking[1], against[1], doubts[1] = 1.0, np.ones(len(raw[1])), 0.0
    best = max(range(len(means)), key=ranking.__getitem__)
    answers = []
    for i, (alternative, trials) in enumerate(zip(alternatives, raw, strict=True)):
        outcomes = swapped(trials.outcomes) if kind == "plays" else trials.outcomes
        cubeless = cubeless_equities(outcomes, cube, met)
        common = min(len(trials), len(raw[best]))
        loss, joint = ranking[best] - ranking[i], math.hypot(doubts[best], doubts[i])
        answers.append(
            RolloutEstimate(
                label=alternative.label,
                play=alternative.play,
                trials=len(trials),
                cubeful=settings.cubeful,
                probabilities=Outcomes(*(mean(column) for column in outcomes.T)),
                probabilities_error=Outcomes(*(standard_error(column) for column in outcomes.T)),
                equity=means[i],
                equity_error=errors[i],
                cubeless_equity=mean(cubeless),
                cubeless_error=standard_error(cubeless),
                mwc=None if cube.money else float(to_mwc(means[i], cube, met)),
                mwc_error=None if cube.money else float(mwc_error(errors[i], cube, met)),
                equity_loss=loss,
                loss_error=0.0 if i == best else standard_error(against[best][:common] - against[i][:common]),
                jsd=0.0 if loss == 0.0 else loss / joint if joint > 0.0 else math.inf,
                statistics=gather(trials, kind == "plays"),
            )
        )
    return tuple(answers)


def equities_of(
    kind: Kind, cube: CubeState, alternative: Alternative, trials: Trials, met: MatchEquityTable
) -> NDArray[np.float64]:
    """Equities `[N]` of the trials for the player who decides, normalised to `cube`, his before the decision."""
    values = trials.values
    if kind == "plays":
        values = opposite(values, Unit.EQUITY if cube.money else Unit.MWC)
    if cube.money:
        return values * (alternative.root.cube.cube / cube.cube)
    return np.asarray(to_equity(values, cube, met))


def cubeless_equities(outcomes: NDArray[np.float64], cube: CubeState, met: MatchEquityTable) -> NDArray[np.float64]:
    """Cubeless equities `[N]` of outcomes `[N, 5]`, normalised; in money play gammons always count."""
    if cube.money:
        cube = replace(cube, jacoby=False)
    weights, constant = utility_weights(cube, met)
    total = np.full(len(outcomes), constant)
    for k in range(5):
        total += weights[k] * outcomes[:, k]
    return total


def mean(values: NDArray[np.float64]) -> float:
    """The mean, exactly rounded; NaN of nothing."""
    return math.fsum(values) / len(values) if len(values) else math.nan


def standard_error(values: NDArray[np.float64]) -> float:
    """Standard error of the mean of independent values; infinite with less than two."""
    count = len(values)
    if count < 2:
        return math.inf
    centre = mean(values)
    return math.sqrt(math.fsum((values - centre) ** 2) / (count - 1) / count)


def alternatives_of(
    kind: Kind, position: Position, state: MatchState, plays: Sequence[Play] = ()
) -> tuple[Alternative, ...]:
    """What a rollout of that kind rolls out: the position, the plays, or no double and double, take."""
    cube = CubeState.from_match(state)
    if kind == "plays":
        return tuple(Alternative(str(play), Root(_pack(play.result), cube.swapped(), True), play) for play in plays)
    board = _pack(position)
    if kind == "position":
        return (Alternative("position", Root(board, cube, False)),)
    return (
        Alternative("No double", Root(board, cube, False)),
        Alternative("Double, take", Root(board, cube.doubled(), False)),
    )


def _pack(position: Position) -> NDArray[np.int8]:
    board: NDArray[np.int8] = kernels.pack(position.board[None], position.chequers)[0]
    return frozen(board)


def load(path: Path | str, met: MatchEquityTable | None = None) -> RolloutResult:
    """Reads what `RolloutResult.save` wrote. met: needed only for a match equity table that does not ship.

    Raises OSError, and DataFileError for a file that is no rollout, damaged, of another version or another table.
    """
    try:
        return _read(read_arrays(path), met)
    except UnreadableFileError as error:
        raise DataFileError(f"{path} {error.strerror}; a saved rollout was expected") from None
    except OSError:
        raise
    except DataFileError as error:
        raise DataFileError(f"{path}: {error}") from None
    except Exception as error:
        # What a damaged head says reaches a dozen classes, each with errors of its own.
        why = f"{error} is missing" if isinstance(error, KeyError) else error
        raise DataFileError(f"{path}: not a readable rollout ({why})") from None


def is_saved(path: Path | str) -> bool:
    """Whether this is a file that `RolloutResult.save` wrote: a zip archive."""
    try:
        with opened(path) as stream:
            return stream.read(4) == b"PK\x03\x04"
    except OSError:
        return False


def _read(data: Mapping[str, NDArray[Any]], met: MatchEquityTable | None) -> RolloutResult:
    """The rollout in a file's arrays. Raises DataFileError, and whatever else damaged ones lead to."""
    head = parse_json(str(data["head"]))
    if head["format"] not in (_BEFORE, FORMAT):
        raise DataFileError(f"rollout of format {head['format']}; this program reads format {FORMAT}")
    chequers = int(head["chequers"])
    position = Position.from_id(head["position"], chequers)
    state = _state(head["state"])
    dice = None if head["dice"] is None else (int(head["dice"][0]), int(head["dice"][1]))
    plays = [
        None if id is None else Play.between(position, _given(dice), Position.from_id(id, chequers))
        for id in head["plays"]
    ]
    alternatives = alternatives_of(head["kind"], position, state, [play for play in plays if play])
    if head["kind"] not in get_args(Kind) or len(plays) != len(alternatives):
        raise DataFileError(f"a rollout of kind {head['kind']!r} with {len(plays)} alternatives")
    settings = RolloutSettings.from_dict(head["settings"])
    if head["format"] == _BEFORE and head["kind"] == "plays":
        settings = settings.exchanged()
    raw = tuple(Trials.kept(*(data[f"{field.name}{i}"] for field in fields(Trials))) for i in range(len(alternatives)))
    checked, (name, checksum) = int(head["checked"]), head["met"]
    if not 0 <= checked <= max(map(len, raw)):
        raise DataFileError(f"limits were checked at trial {checked}, which is not there")
    return RolloutResult(
        kind=head["kind"],
        position=position,
        state=state,
        dice=dice,
        settings=settings,
        alternatives=alternatives,
        raw=tuple(raw),
        checked=checked,
        engine=str(head["engine"]),
        finished=bool(head["finished"]),
        met=known_table(name, checksum, met),
    )


def known_table(name: str, checksum: str, given: MatchEquityTable | None) -> MatchEquityTable:
    """The match equity table of a file: the one given, or one that ships."""
    for table in [given] if given else map(load_met, met_names()):
        if (table.name, table.checksum) == (name, checksum):
            return table
    other = f"not with {given.name} {given.checksum}" if given else "which does not ship: name it by --met, or met="
    raise DataFileError(f"made with the match equity table {name} {checksum}, {other}")


def _given(dice: tuple[int, int] | None) -> tuple[int, int]:
    if dice is None:
        raise ValueError("plays without dice")
    return dice


def _state(values: dict[str, Any]) -> MatchState:
    values = {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}
    return MatchState(**{**values, "game_state": GameState(values["game_state"])})
