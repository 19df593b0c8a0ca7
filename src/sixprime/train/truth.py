"""Decisions whose alternatives were rolled out cubefully to the end, and what anybody's choices lose on them.

`benchmarks/truth.py` makes the rows, one JSON object a line: close decisions of self-play and of real matches, at many
scores and cubes. Equities are those of the player on roll, normalised to the cube before the decision, so that a
double that is passed is worth 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import numpy as np

from sixprime import checks, kernels
from sixprime.cube.state import CubeState
from sixprime.engine.judge import grouped
from sixprime.errors import InvalidFileError, SixprimeError
from sixprime.game.ids import decode_xgid
from sixprime.game.position import Position
from sixprime.game.state import MatchState
from sixprime.players.bot import Asked, Bot
from sixprime.progress import NOBODY, Watch
from sixprime.reading import ROWS, opened, parse_json

NEAR = 0.25
"""Doubling, and taking, is a question where its two answers are no further apart than this."""
NO_DOUBLE, DOUBLE_TAKE = "No double", "Double, take"


@dataclass(frozen=True, slots=True)
class Alternative:
    """One alternative as rolled out: its label, its equity and what it loses to the best of the row, each with its
    standard error (that of the loss on common dice), and its trials. result: ID of the position after a play, None for
    cubes."""

    label: str
    result: str | None
    equity: float
    error: float
    loss: float
    loss_error: float
    trials: int


@dataclass(frozen=True, slots=True)
class TruthRow:
    """One decision. dice: None for a cube decision. alternatives: plays, or no double and double, take.

    plan: what the player is about (`analysis.model.Plan`). source: "self-play" or "match". rest: by how much a search
    found the best play worse that was not rolled out, None where all were. again: the same alternatives rolled out in
    other ways, by what they are called.
    """

    position: Position
    state: MatchState
    dice: tuple[int, int] | None
    plan: str
    source: str
    alternatives: tuple[Alternative, ...]
    rest: float | None = None
    again: dict[str, tuple[Alternative, ...]] = field(default_factory=dict)

    @property
    def score(self) -> str:
        """The kind of score and cube, in a few words."""
        return score_of(self.state)


@dataclass(frozen=True, slots=True)
class Charge:
    """What one answer lost. kind: "play", "double" or "take". known: whether the choice was rolled out; otherwise
    `loss` is what a search says that it loses at the least."""

    row: TruthRow
    kind: str
    loss: float
    known: bool = True


def score_of(state: MatchState) -> str:
    """The kind of score and cube of the player on roll: "money, Jacoby", "DMP", "match, cube owned" and the like."""
    cube = CubeState.from_match(state)
    if cube.money:
        if cube.owner:
            return "money, cube owned" if cube.owner > 0 else "money, cube theirs"
        return "money, Jacoby" if cube.jacoby else "money"
    own, other = cube.away
    if own == other == 1:
        return "DMP"
    if cube.crawford:
        return "gammon-save" if own == 1 else "gammon-go"
    if 1 in cube.away:
        return "post-Crawford"
    if cube.owner:
        return "match, cube owned" if cube.owner > 0 else "match, cube theirs"
    return "match"


def read_rows(path: Path | str) -> tuple[TruthRow, ...]:
    """The rows of a file. Raises InvalidFileError for a line that is none."""
    rows: list[TruthRow] = []
    try:
        with opened(path, ROWS) as file:
            rows += (_row(_object(line)) for line in file if line.strip())
    except (ValueError, KeyError, TypeError, AttributeError, SixprimeError) as error:
        said = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        raise InvalidFileError(f"no rolled-out decision ({said})", path=path, line=len(rows) + 1) from error
    except OSError as error:
        raise InvalidFileError(f"cannot be read: {error.strerror or error}", path=path) from error
    if not rows:
        raise InvalidFileError("holds no rolled-out decisions", path=path)
    return tuple(rows)


def _object(line: bytes) -> Any:
    try:
        return parse_json(line)
    except ValueError:
        raise ValueError("the line is not JSON") from None


def _row(plain: Any) -> TruthRow:
    position, state = decode_xgid(plain["xgid"])
    dice = state.dice
    again = {str(how): _alternatives(rows) for how, rows in plain.get("again", {}).items()}
    found = _alternatives(plain["alternatives"])
    if (dice is None) != (found[0].result is None) or (dice is None and len(found) != 2):
        raise ValueError("plays need dice; a cube decision needs no dice, no double and double, take")
    rest = plain.get("rest")
    if rest is not None:
        rest = _number(rest)
    return TruthRow(position, state.with_dice(None), dice, str(plain["plan"]), str(plain["source"]), found, rest, again)


def _alternatives(rows: Any) -> tuple[Alternative, ...]:
    found = []
    for label, result, *numbers, trials in rows:
        if result is not None:
            Position.from_id(result)
        equity, error, loss, loss_error = map(_number, numbers)
        found.append(Alternative(str(label), result, equity, error, loss, loss_error, int(trials)))
    if len(found) < 2:
        raise ValueError("fewer than two alternatives")
    return tuple(found)


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not abs(value) < 1e6:
        raise ValueError(f"{checks.shown(value)} is no equity")
    return float(value)


# -- what choices lose ---------------------------------------------------------------------------


def charge(bot: Bot, rows: Sequence[TruthRow], watch: Watch = NOBODY) -> list[Charge]:
    """What a player loses on the rows, in their order; a cube decision is asked twice, for double and for take.

    watch: is told the rows. Raises what the player raises, StoppedError.
    """
    found: list[Charge] = []
    room = max(1, min(bot.room, 64))
    for first in range(0, len(rows), room):
        watch.check(first, len(rows), "decisions")
        found += _charged(bot, rows[first : first + room])
        watch.tell(min(first + room, len(rows)), len(rows), "decisions")
    return found


def _charged(bot: Bot, rows: Sequence[TruthRow]) -> Iterator[Charge]:
    plays = [row for row in rows if row.dice]
    cubes = [row for row in rows if not row.dice]
    if plays:
        dice = np.array([sorted(row.dice or (), reverse=True) for row in plays], dtype=np.int8)
        after = [Position.from_board(board).id for board in kernels.unpack(bot.plays(_asked(plays), dice))]
        yield from map(_of_play, plays, after)
    if cubes:
        asked = _asked(cubes)
        for row, doubles, takes in zip(cubes, bot.doubles(asked), bot.takes(asked), strict=True):
            yield from of_cube(row, doubles=bool(doubles), takes=bool(takes))


def _asked(rows: Sequence[TruthRow]) -> Asked:
    states, groups = grouped([CubeState.from_match(row.state) for row in rows])
    return Asked(kernels.pack(np.stack([row.position.board for row in rows])), states, groups)


def _of_play(row: TruthRow, result: str) -> Charge:
    for alternative in row.alternatives:
        if alternative.result == result:
            return Charge(row, "play", alternative.loss)
    return Charge(row, "play", row.rest or 0.0, known=False)


def of_cube(row: TruthRow, *, doubles: bool, takes: bool) -> Iterator[Charge]:
    """What the two answers to a cube decision lose: doubling or not, and taking or not once it is doubled. Nothing is
    said of a question that is no close one."""
    keep, take = (alternative.equity for alternative in row.alternatives)
    doubled = min(take, 1.0)
    if abs(keep - doubled) < NEAR:
        yield Charge(row, "double", max(keep, doubled) - (doubled if doubles else keep))
    if abs(take - 1.0) < NEAR:
        yield Charge(row, "take", 0.0 if takes == (take <= 1.0) else abs(take - 1.0))


# -- tables --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Loss:
    """Decisions, mean loss and its standard error in thousandths of a point, decisions that lost anything, choices
    that were not rolled out."""

    count: int
    mean: float
    error: float
    wrong: int
    unknown: int

    def __str__(self) -> str:
        return f"{self.mean:.2f}" if math.isnan(self.error) else f"{self.mean:.2f} ± {self.error:.2f}"

    def to_dict(self) -> dict[str, float | None]:
        """For JSON, which knows no NaN: null instead."""
        return {name: None if math.isnan(value) else value for name, value in asdict(self).items()}


def loss_of(charges: Iterable[Charge]) -> Loss:
    """The mean of some charges; NaN where there are too few."""
    charges = list(charges)
    lost = [1000 * each.loss for each in charges]
    error = stdev(lost) / math.sqrt(len(lost)) if len(lost) > 1 else math.nan
    wrong, unknown = sum(loss > 1e-3 for loss in lost), sum(not each.known for each in charges)
    return Loss(len(lost), fmean(lost) if lost else math.nan, error, wrong, unknown)


def losses(charges: Sequence[Charge]) -> dict[str, Loss]:
    """By kind of answer, and for each kind by plan (plays), and by score and cube."""
    found: dict[str, Loss] = {}
    ways: tuple[tuple[str, Callable[[Charge], str]], ...] = (
        ("play", lambda each: f"play, {each.row.plan}"),
        ("", lambda each: f"{each.kind}, {each.row.score}"),
    )
    for kind in ("play", "double", "take"):
        of_kind = [each for each in charges if each.kind == kind]
        if of_kind:
            found[kind] = loss_of(of_kind)
        for only, name in ways:
            if only in ("", kind):
                for group in sorted({name(each) for each in of_kind}):
                    found[group] = loss_of(each for each in of_kind if name(each) == group)
    return found


def table(found: dict[str, dict[str, Loss]], *, groups: bool = True) -> list[list[str]]:
    """Rows of text: what each player loses, the head first. found: `losses` by player. groups: with the parts."""
    names = list(found)
    rows = [["decisions", "", *names]]
    kinds = list(dict.fromkeys(kind for losses in found.values() for kind in losses))
    for kind in kinds:
        if groups or "," not in kind:
            cells = [found[name].get(kind) for name in names]
            count = next(str(cell.count) for cell in cells if cell)
            rows.append([kind, count, *(str(cell or "") for cell in cells)])
    return rows
