"""The 15 openings and the replies to them, rolled out by ourselves.

`benchmarks/openings.py` makes `data/openings.json`: money play, cubeful, how many games and how they were cut is in
the file. One decision of it is a list: the position ID before the roll, the dice, the plays best first; one play is a
list: its text, equity, its standard error, loss behind the best, the standard error of the loss, games, and the five
chances of `Outcomes`. All of the player who makes the play.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from sixprime.checks import Instance
from sixprime.engine.results import PlayAnalysis
from sixprime.errors import DataFileError, SettingsError
from sixprime.game.outcomes import Outcomes
from sixprime.game.play import Play, parse_play
from sixprime.game.position import Position
from sixprime.game.rules import check_dice
from sixprime.reading import read_json

_FILE = Path(__file__).parent / "data" / "openings.json"
_PLAY = Instance(Play)


@dataclass(frozen=True, slots=True)
class BookRoll:
    """One roll of the book: the plays that were rolled out, best first, with the standard errors of their losses."""

    position: Position
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

    engine: what rolled out. truncation: turns after which a game was cut, judged there by `truncation_plies`.
    """

    engine: str
    seed: int
    truncation: int
    truncation_plies: int
    openings: tuple[BookRoll, ...]
    replies: dict[Position, tuple[BookRoll, ...]]

    def opening(self, dice: tuple[int, int]) -> BookRoll:
        """The plays of an opening roll. Raises SettingsError for a double, by which no game begins."""
        high, low = check_dice(dice)
        if high == low:
            raise SettingsError(f"no game begins with a double. Got {high}{low}; as a reply it is in the book.")
        return next(roll for roll in self.openings if roll.dice == (high, low))

    def replies_to(self, opening: Play) -> tuple[BookRoll, ...]:
        """The 21 rolls after an opening play, in the order of their dice; none where it loses too much to be there."""
        _PLAY("opening", opening)
        return self.replies.get(opening.result, ())

    @property
    def answered(self) -> tuple[tuple[BookRoll, PlayAnalysis], ...]:
        """The opening plays that have replies, with their rolls: the best of every roll and those close to it."""
        return tuple((roll, each) for roll in self.openings for each in roll.plays if self.replies_to(each.play))

    @property
    def trials(self) -> tuple[int, int]:
        """Fewest and most games that a play of the book was rolled out for."""
        every = [*self.openings, *(roll for rolls in self.replies.values() for roll in rolls)]
        counts = [play.trials for roll in every for play in roll.plays]
        return min(counts), max(counts)


@cache
def opening_book() -> OpeningBook:
    """The book that ships. Raises DataFileError when its file is damaged."""
    try:
        return _book(read_json(_FILE))
    except OSError as error:
        raise DataFileError(f"{_FILE}: {error.strerror}") from None
    except (ValueError, LookupError, TypeError) as error:
        raise DataFileError(f"{_FILE} is damaged: {error}") from None


def _book(found: dict[str, Any]) -> OpeningBook:
    start = Position.start()
    rolls: dict[Position, list[BookRoll]] = {}
    for id, dice, plays in found["decisions"]:
        roll = _roll(Position.from_id(id), (int(dice[0]), int(dice[1])), plays)
        rolls.setdefault(roll.position, []).append(roll)
    openings = rolls.pop(start)
    settings = {name: found[name] for name in ("engine", "seed", "truncation", "truncation_plies")}
    replies = {position: tuple(each) for position, each in rolls.items()}
    return OpeningBook(**settings, openings=tuple(openings), replies=replies)


def _roll(position: Position, dice: tuple[int, int], rows: list[list[Any]]) -> BookRoll:
    plays = []
    for text, equity, error, loss, _, trials, *chances in rows:
        outcomes = Outcomes(*chances)
        plays.append(
            PlayAnalysis(
                play=parse_play(text, position, dice),
                probabilities=outcomes,
                cubeful_equity=equity,
                equity_loss=loss,
                cubeless_equity=outcomes.cubeless,
                mwc=None,
                plies=0,
                trials=trials,
                equity_error=error,
            )
        )
    return BookRoll(position, dice, tuple(plays), tuple(row[4] for row in rows))
