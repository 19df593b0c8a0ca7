"""The 15 openings and the replies to them, rolled out by ourselves: a book for each of four scores.

`benchmarks/openings.py` makes `data/openings.json` (money) and `data/openings-SCORE.json`: cubeful, how many games and
how they were cut is in the file. One decision of it is a list: the position ID before the roll, the dice, the plays
best first; one play is a list: its text, equity, its standard error, loss behind the best, the standard error of the
loss, games, and the five chances of `Outcomes`. All of the player who makes the play; equities of match play are EMG.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from sixprime.checks import Instance, OneOf, Real, Whole, shown
from sixprime.cube.state import CubeState
from sixprime.cube.values import cubeless, to_mwc
from sixprime.engine.results import PlayAnalysis
from sixprime.errors import DataFileError, SettingsError
from sixprime.frozen import FrozenDict
from sixprime.game.outcomes import Outcomes
from sixprime.game.play import Play, parse_play
from sixprime.game.position import POSITION, Position
from sixprime.game.rules import check_dice
from sixprime.game.state import MONEY, STATE, MatchState
from sixprime.lazy import brief
from sixprime.reading import TEXT, read_bytes, read_json

SCORES: dict[str, MatchState] = {
    "money": MONEY,
    "dmp": MatchState(length=1),
    "gammon-go": MatchState(length=2, score=(1, 0), crawford=True),
    "gammon-save": MatchState(length=2, score=(0, 1), crawford=True),
}
"""The scores of the books, as the player who opens (player 1, on roll) sees them: money with the Jacoby rule; double
match point; the Crawford game at 2-away 1-away, in which only the trailer's gammons count; the same for the leader."""
_ANSWERED_AT = {"money": "money", "dmp": "dmp", "gammon-go": "gammon-save", "gammon-save": "gammon-go"}
_START = Position.start()
_OPENING_ROLLS = [(high, low) for high in range(2, 7) for low in range(1, high)]
_ENOUGH = 64
"""A cube that may go so high is as good as one without a limit."""
_FOLDER = Path(__file__).parent / "data"
_PLAY = Instance(Play)
_SCORE, _NAME = OneOf(*SCORES), Instance(str)
_COUNT, _POINTS, _CHANCE = Whole(0, 10**12), Real(-999, 999), Real(0, 1)


@dataclass(frozen=True, slots=True)
class BookRoll:
    """One roll of the book: the plays that were rolled out, best first, with the standard errors of their losses.

    state: the score, whose player on roll is the one who plays.
    """

    position: Position
    state: MatchState
    dice: tuple[int, int]
    plays: tuple[PlayAnalysis, ...]
    loss_errors: tuple[float, ...]

    @property
    def best(self) -> PlayAnalysis:
        """The play of the highest equity."""
        return self.plays[0]

    @property
    def close(self) -> tuple[PlayAnalysis, ...]:
        """The best play and those that are not surely worse: behind by less than two standard errors."""
        pairs = zip(self.plays, self.loss_errors, strict=True)
        return tuple(play for play, error in pairs if play is self.best or play.equity_loss < 2 * error)


@dataclass(frozen=True, slots=True)
class OpeningBook:
    """The openings, in the order of their dice, and the replies by the position after an opening and the roll.

    score: of `SCORES`. engine: what rolled out. truncation: turns after which a game was cut, judged there by
    `truncation_plies`.
    """

    score: str
    engine: str
    seed: int
    truncation: int
    truncation_plies: int
    openings: tuple[BookRoll, ...]
    replies: Mapping[Position, tuple[BookRoll, ...]]

    def __repr__(self) -> str:
        return brief(self, f"at {self.score}: {len(self.openings)} openings, replies to {len(self.replies)} plays")

    def opening(self, dice: tuple[int, int]) -> BookRoll:
        """The plays of an opening roll. Raises SettingsError for a double, by which no game begins."""
        high, low = check_dice(dice)
        if high == low:
            raise SettingsError(f"no game begins with a double. Got {high}{low}; as a reply it is in the book.")
        return next(roll for roll in self.openings if roll.dice == (high, low))

    def replies_to(self, opening: Play) -> tuple[BookRoll, ...]:
        """The 21 rolls after an opening play, in the order of their dice; none where they were not rolled out."""
        _PLAY("opening", opening)
        return self.replies.get(opening.result, ())

    @property
    def answered(self) -> tuple[tuple[BookRoll, PlayAnalysis], ...]:
        """The opening plays that have replies, with their rolls: the best of every roll and those close to it. Of two
        rolls that come to the same position the one that loses less by it."""
        played = [(roll, each) for roll in self.openings for each in roll.plays if self.replies_to(each.play)]
        closest = {each.play.result: each for _, each in sorted(played, key=lambda pair: -pair[1].equity_loss)}
        return tuple((roll, each) for roll, each in played if closest[each.play.result] is each)

    @property
    def answered_at(self) -> str:
        """The score as the player sees it who replies: a book of gammon-go has replies at gammon-save."""
        return _ANSWERED_AT[self.score]

    def roll(self, position: Position, dice: tuple[int, int]) -> BookRoll | None:
        """What was rolled out of a position, be it the start or one after an opening; None where nothing was.

        Raises SettingsError for what is no position and for impossible dice.
        """
        POSITION("position", position)
        dice = check_dice(dice)
        rolls = self.openings if position == _START else self.replies.get(position, ())
        return next((roll for roll in rolls if roll.dice == dice), None)

    @property
    def trials(self) -> tuple[int, int]:
        """Fewest and most games that a play of the book was rolled out for."""
        every = [*self.openings, *(roll for rolls in self.replies.values() for roll in rolls)]
        counts = [play.trials for roll in every for play in roll.plays]
        return min(counts), max(counts)


def opening_book(score: str = "money") -> OpeningBook:
    """The book that ships for a score of `SCORES`.

    Raises SettingsError for another score, DataFileError when the file is damaged.
    """
    _SCORE("score", score)
    return _opening_book(score)


@cache
def _opening_book(score: str) -> OpeningBook:
    path = _FOLDER / file_of(score)
    try:
        return _book(score, read_json(path))
    except OSError as error:
        raise DataFileError(f"{path}: {error.strerror}") from None
    except (ValueError, LookupError, TypeError) as error:
        raise DataFileError(f"{path} is damaged: {error}") from None


def file_of(score: str) -> str:
    """The name of the file of a book. Raises SettingsError."""
    _SCORE("score", score)
    return "openings.json" if score == "money" else f"openings-{score}.json"


@dataclass(frozen=True, slots=True)
class OpeningBooks:
    """The books of all scores, as an `Engine` takes them (`book=`): read when they are first asked."""

    @property
    def name(self) -> str:
        """What an engine says of its book: the plays in it depend on this."""
        return f"openings {checksum()}"

    def plays(self, position: Position, dice: tuple[int, int], match: MatchState) -> tuple[PlayAnalysis, ...]:
        """The rolled-out plays of a roll, best first; none of what is not in the books. Raises DataFileError."""
        POSITION("position", position)
        STATE("match", match)
        score = score_of(match)
        if score is None:
            return ()
        # A reply stands in the book of the player who opened.
        book = opening_book(score if position == _START else _ANSWERED_AT[score])
        roll = book.roll(position, dice)
        return () if roll is None else roll.plays


def score_of(match: MatchState) -> str | None:
    """Which of `SCORES` this is to the player on roll, the cube in the middle; None for all others."""
    cube = CubeState.from_match(match)
    if cube.owner or cube.cube > 1:
        return None
    if cube.money:
        return "money" if cube.jacoby and cube.limit >= _ENOUGH else None
    if cube.away == (1, 1):
        return "dmp"
    if cube.crawford:
        return {(2, 1): "gammon-go", (1, 2): "gammon-save"}.get(cube.away)
    return None


@cache
def checksum() -> str:
    """A few digits that change with what is in the books. Raises DataFileError."""
    found = hashlib.sha256()
    for path in (_FOLDER / file_of(score) for score in SCORES):
        try:
            found.update(read_bytes(path, TEXT))
        except OSError as error:
            raise DataFileError(f"{path}: {error.strerror}") from None
    return found.hexdigest()[:8]


def _book(score: str, found: dict[str, Any]) -> OpeningBook:
    state = SCORES[score]
    if found["score"] != score:
        raise ValueError(f"it is that of {shown(found['score'])}")
    rolls: dict[Position, list[BookRoll]] = {}
    for id, dice, plays in found["decisions"]:
        position = Position.from_id(id)
        decider = state if position == _START else state.swapped()
        roll = _roll(position, decider, (int(dice[0]), int(dice[1])), plays)
        rolls.setdefault(position, []).append(roll)
    openings = rolls.pop(_START)
    if [roll.dice for roll in openings] != _OPENING_ROLLS:
        raise ValueError("the 15 openings are not all there, in the order of their dice")
    settings = {name: found[name] for name in ("engine", "seed", "truncation", "truncation_plies")}
    for name, value in settings.items():
        (_NAME if name == "engine" else _COUNT)(name, value)
    replies = FrozenDict({position: tuple(each) for position, each in rolls.items()})
    return OpeningBook(score, **settings, openings=tuple(openings), replies=replies)


def _roll(position: Position, state: MatchState, dice: tuple[int, int], rows: list[list[Any]]) -> BookRoll:
    if not rows:
        raise ValueError(f"no plays of {dice}")
    cube = CubeState.from_match(state)
    plays = []
    for text, equity, error, loss, loss_error, trials, *chances in rows:
        for value in (equity, error, loss, loss_error):
            _POINTS("points", value)
        for value in chances:
            _CHANCE("a chance", value)
        _COUNT("games", trials)
        outcomes = Outcomes(*chances)
        plays.append(
            PlayAnalysis(
                play=parse_play(text, position, dice),
                probabilities=outcomes,
                cubeful_equity=equity,
                equity_loss=loss,
                cubeless_equity=outcomes.cubeless if cube.money else float(cubeless(outcomes, cube)),
                mwc=None if cube.money else float(to_mwc(equity, cube)),
                plies=0,
                trials=trials,
                equity_error=error,
            )
        )
    return BookRoll(position, state, dice, tuple(plays), tuple(row[4] for row in rows))
