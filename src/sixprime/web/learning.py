"""What is learnt in the browser: the user's deck of questions, and drills against the clock."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from sixprime.codec import Kept
from sixprime.errors import RulesError
from sixprime.game.state import MONEY
from sixprime.learn.deck import Card, Deck, Quiz, standing
from sixprime.learn.drills import LATEST, DrillKind, DrillLog, exercise, record
from sixprime.learn.openings import opening_book
from sixprime.learn.questions import Question, Topic, answer, errors_of, judge_by, no_answer, of_book
from sixprime.learn.schedule import check_installed
from sixprime.report.words import SKILL_NAMES
from sixprime.settings import load
from sixprime.web import messages as m
from sixprime.web.boards import board_of

if TYPE_CHECKING:
    from sixprime.analysis.model import AnalysedMatch
    from sixprime.engine import Engine

_COUNTED = (DrillKind.PIPS, DrillKind.EPC)


def _deck() -> Kept[Deck]:
    return Kept.of_user("quiz.sixprime", Deck())


def _log() -> Kept[DrillLog]:
    return Kept.of_user("drills.sixprime", DrillLog())


# The quiz


def add(asked: m.CardsAsked, analysed: AnalysedMatch | None) -> m.QuizTold:
    """Questions go into the deck; analysed: the match whose errors they are. Raises SettingsError, OSError."""
    found: list[Question] = []
    if analysed is not None:
        # What is sent has no name of a file.
        named = " – ".join(player.name for player in analysed.match.players)
        found += errors_of(analysed, asked.player or None, name=named)
    if asked.book:
        found += of_book(opening_book(), Topic(asked.book))
    before = len(_deck().load().cards)
    deck = _deck().change(lambda deck: deck.added(found)) if found else _deck().load()
    return told(deck.cards, len(deck.cards) - before)


def told(cards: Sequence[Card] | None = None, added: int = 0) -> m.QuizTold:
    """How the deck stands."""
    now = standing(_deck().load().cards if cards is None else cards, datetime.now(UTC))
    due = "" if now.next_due is None else now.next_due.isoformat(timespec="seconds")
    return m.QuizTold(now.cards, now.new, now.due, now.learnt, now.answers, now.found, due, added)


def forget() -> None:
    """Takes all questions and answers away. Raises OSError."""
    _deck().change(lambda _: Deck())


def ask(asked: m.QuizAsked) -> m.QuizNext:
    """The next question. Raises SettingsError where the library for it is missing."""
    check_installed()
    deck = _deck().load()
    topics = tuple(Topic(each) for each in asked.topics)
    card = Quiz(deck, topics, new=asked.new).card(datetime.now(UTC))
    return m.QuizNext(None if card is None else _card(card), told(deck.of(topics)))


def _card(card: Card) -> m.Card:
    question = card.question
    state = question.state
    if question.kind == "take":
        state = state.offered()
    elif question.kind == "double":
        state = state.with_dice(None)
    else:
        state = state.with_dice(question.dice)
    choices = () if question.kind == "play" else tuple(sorted(text for text, _ in question.choices))
    board = board_of(question.position, state)
    return m.Card(
        question.id, question.kind.value, board, question.topic.value, question.source, choices, card.memory is None
    )


def mark(asked: m.AnswerAsked, engine: Engine) -> m.Marked:
    """Marks an answer and keeps it. Raises RulesError for a question that is not there, InvalidPlayError."""
    deck = _deck().load()
    card = next((each for each in deck.cards if each.question.id == asked.id), None)
    if card is None:
        raise RulesError("That question is not in the deck any more.")
    question, marks = card.question, load().thresholds.thresholds()
    given = answer(question, asked.text, judge_by(engine)) if asked.text.strip() else no_answer(question)
    now = datetime.now(UTC)
    _, review = Quiz(deck).answered(card, given, now, asked.seconds, marks)
    after = _deck().change(lambda deck: deck.reviewed(question, review))
    memory = next(each.memory for each in after.cards if each.question.id == asked.id)
    assert memory is not None
    return m.Marked(
        given.text,
        given.found,
        given.loss,
        SKILL_NAMES[given.skill(marks)] if given.given else "",
        question.best,
        tuple(m.Choice(text, loss) for text, loss in question.choices[:6]),
        memory.due.isoformat(timespec="seconds"),
        told(after.cards),
    )


# Drills


def drill(asked: m.DrillAsked, engine: Engine) -> m.Drilled:
    """An exercise. Raises SettingsError."""
    found = exercise(engine, DrillKind(asked.kind), asked.seed, asked.number)
    names = () if found.choices else found.rules.names
    choices = tuple(name for name, _ in found.choices)
    return m.Drilled(board_of(found.position, MONEY), names, choices, found.kind not in _COUNTED)


def drilled(asked: m.DrillAnswered, engine: Engine) -> m.DrillMarked:
    """Marks an answer and keeps the attempt. Raises SettingsError, InvalidPlayError."""
    found = exercise(engine, DrillKind(asked.kind), asked.seed, asked.number)
    attempt = found.mark(asked.text, datetime.now(UTC), asked.seconds)
    log = _log().change(lambda log: log.added(attempt))
    choices = tuple(m.Choice(text, loss) for text, loss in found.choices)
    return m.DrillMarked(attempt.right, attempt.error, found.numbers, choices, _records(log))


def records() -> m.DrillLog:
    """How all kinds went lately."""
    return m.DrillLog(_records(_log().load()))


def attempts() -> int:
    """How many there are of all kinds."""
    return len(_log().load().attempts)


def forget_drills() -> None:
    """Takes all attempts away. Raises OSError."""
    _log().change(lambda _: DrillLog())


def _records(log: DrillLog) -> tuple[m.DrillRecord, ...]:
    found = []
    for kind in DrillKind:
        own = log.of(kind)
        latest = record(own[-LATEST:])
        if latest is not None:
            found.append(m.DrillRecord(kind.value, len(own), latest.right, latest.error, latest.seconds))
    return tuple(found)
