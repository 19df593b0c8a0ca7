"""What a player learns with: our rolled-out openings, questions with spaced repetition, drills with a clock.

In: analysed matches, the data of this room, and what a player answers. Out: frozen values that a face shows and keeps.
The rule kept here: nothing knows of a terminal, a browser, a file or the time of day; who asks says what the time is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sixprime.lazy import names_of

if TYPE_CHECKING:
    from sixprime.learn.deck import Card, Deck, Quiz, Review
    from sixprime.learn.drills import Attempt, DrillKind, DrillLog, Exercise, exercise
    from sixprime.learn.openings import BookRoll, OpeningBook, OpeningBooks, opening_book
    from sixprime.learn.questions import Answer, Question, Topic, answer, errors_of, of_book

_HOMES = {
    "deck": ("Card", "Deck", "Quiz", "Review"),
    "drills": ("Attempt", "DrillKind", "DrillLog", "Exercise", "exercise"),
    "openings": ("BookRoll", "OpeningBook", "OpeningBooks", "opening_book"),
    "questions": ("Answer", "Question", "Topic", "answer", "errors_of", "of_book"),
}

__all__ = [
    "Answer",
    "Attempt",
    "BookRoll",
    "Card",
    "Deck",
    "DrillKind",
    "DrillLog",
    "Exercise",
    "OpeningBook",
    "OpeningBooks",
    "Question",
    "Quiz",
    "Review",
    "Topic",
    "answer",
    "errors_of",
    "exercise",
    "of_book",
    "opening_book",
]

__getattr__ = names_of(__name__, _HOMES)
