"""When a question comes again: spaced repetition by the library `fsrs` (extra `learn`).

FSRS says how well something is remembered from how it was answered before, and asks again when the chance to know it
has sunk to nine in ten (https://github.com/open-spaced-repetition/py-fsrs). Its random spread of the days is left out,
so that the same answers at the same times give the same days.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum
from typing import TYPE_CHECKING

from sixprime.checks import Instance, Maybe, Real
from sixprime.errors import SettingsError

if TYPE_CHECKING:
    from fsrs import Scheduler

_TIME = Instance(datetime)
_YEARS = range(2, 9900)
"""In which a question can be asked again a century later, whatever the time zone."""


class Rating(IntEnum):
    """How well a question was answered; the numbers of FSRS."""

    AGAIN = 1
    HARD = 2
    GOOD = 3
    EASY = 4


@dataclass(frozen=True, slots=True)
class Memory:
    """What FSRS knows of one question. state: 1 learning, 2 in review, 3 learning again; step: of the minutes at the
    beginning, None in review; stability: days until the chance to know it is nine in ten; difficulty: 1 to 10."""

    state: int
    step: int | None
    stability: float
    difficulty: float
    due: datetime
    last_review: datetime


_MEMORY, _RATING = Maybe(Instance(Memory)), Instance(Rating)


def reviewed(memory: Memory | None, rating: Rating, now: datetime) -> Memory:
    """What is remembered after an answer; memory: before it, None at the first. now: with its time zone.

    Raises SettingsError for a time without zone, and when the library is not installed.
    """
    _MEMORY("memory", memory)
    _RATING("rating", rating)
    moment = aware(now)
    scheduler = _scheduler()
    from fsrs import Card, State
    from fsrs import Rating as Ratings

    if memory is None:
        card = Card(card_id=0, due=moment)
    else:
        card = Card(
            card_id=0,
            state=State(memory.state),
            step=memory.step,
            stability=memory.stability,
            difficulty=memory.difficulty,
            due=aware(memory.due),
            last_review=aware(memory.last_review),
        )
    after, _ = scheduler.review_card(card, Ratings(rating.value), moment)
    assert after.stability is not None
    assert after.difficulty is not None
    return Memory(int(after.state), after.step, after.stability, after.difficulty, after.due, moment)


SECONDS = Real(0, 1e9)


def aware(moment: datetime) -> datetime:
    """The moment in UTC. Raises SettingsError for one without time zone, and at the ends of the calendar."""
    from datetime import UTC

    _TIME("now", moment)
    if moment.tzinfo is None:
        raise SettingsError("now must have a time zone, such as datetime.now(UTC)")
    if moment.year not in _YEARS:
        raise SettingsError(f"now must be of the years {_YEARS[0]} to {_YEARS[-1]}; got {moment.year}")
    return moment.astimezone(UTC)


def check_installed() -> None:
    """Raises SettingsError when the library is not installed: better before a question than after its answer."""
    _scheduler()


def _scheduler() -> Scheduler:
    try:
        from fsrs import Scheduler
    except ImportError:
        raise SettingsError("spaced repetition needs an extra: pip install 'sixprime[learn]'") from None
    return Scheduler(enable_fuzzing=False)
