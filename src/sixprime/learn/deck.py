"""A deck of questions and how well they are known; and a quiz over it.

Everything here is a frozen value: a face asks a `Quiz` for the next card, shows it, and goes on with the quiz that
`answered` returns. The time is given by the face.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from sixprime.analysis.model import DecisionKind, Phase
from sixprime.analysis.thresholds import DEFAULT_THRESHOLDS, Skill, Thresholds
from sixprime.checks import Instance, Whole, listed
from sixprime.errors import SettingsError
from sixprime.lazy import brief
from sixprime.learn.questions import Answer, Question, Topic
from sixprime.learn.schedule import SECONDS, Memory, Rating, aware, reviewed

AHEAD = timedelta(minutes=20)
"""What is due so soon is asked now when nothing else is left, as it would be after a short break."""
_KEPT = 50
"""Latest reviews that a card keeps."""
_NEW = Whole(0, 1_000_000)


@dataclass(frozen=True, slots=True)
class Review:
    """One answer: when, what, what it lost, how long it took, and how it was rated."""

    when: datetime
    text: str
    loss: float
    seconds: float
    rating: Rating


_REVIEW = Instance(Review)
_ANSWER = Instance(Answer)


@dataclass(frozen=True, slots=True)
class Card:
    """A question and what is remembered of it; memory: None until it is answered. reviews: the latest, in order."""

    question: Question
    memory: Memory | None = None
    reviews: tuple[Review, ...] = ()

    def reviewed(self, review: Review) -> Card:
        """After one more answer. Raises as `schedule.reviewed`."""
        _REVIEW("review", review)
        memory = reviewed(self.memory, review.rating, review.when)
        return replace(self, memory=memory, reviews=(*self.reviews, review)[-_KEPT:])

    @property
    def lapses(self) -> int:
        """How often it was answered wrongly, of the reviews kept."""
        return sum(review.rating is Rating.AGAIN for review in self.reviews)


_CARD = Instance(Card)


@dataclass(frozen=True, slots=True)
class Deck:
    """Cards in the order in which they were added, each question once."""

    cards: tuple[Card, ...] = ()

    def __repr__(self) -> str:
        return brief(self, f"of {len(self.cards)} cards")

    def added(self, questions: Iterable[Question]) -> Deck:
        """With more questions; one that is there already keeps its memory and is asked as it now is.

        Raises SettingsError for what is no question.
        """
        cards = {card.question.id: card for card in self.cards}
        for question in listed("questions", questions, Question):
            known = cards.get(question.id)
            cards[question.id] = Card(question) if known is None else replace(known, question=question)
        return Deck(tuple(cards.values()))

    def without(self, ids: Iterable[str]) -> Deck:
        """Without these questions. Raises SettingsError for what are no IDs."""
        gone = set(listed("ids", ids, str, "the ID of a question"))
        return Deck(tuple(card for card in self.cards if card.question.id not in gone))

    def of(
        self, topics: Sequence[Topic] = (), kinds: Sequence[DecisionKind] = (), phases: Sequence[Phase] = ()
    ) -> tuple[Card, ...]:
        """The cards of these topics, kinds of decision and phases of the game, () for all. Raises SettingsError."""
        topics, kinds = listed("topics", topics, Topic), listed("kinds", kinds, DecisionKind)
        phases = listed("phases", phases, Phase)
        return tuple(
            card
            for card in self.cards
            if (not topics or card.question.topic in topics)
            and (not kinds or card.question.kind in kinds)
            and (not phases or card.question.phase in phases)
        )

    def reviewed(self, question: Question, review: Review) -> Deck:
        """With one answer to a question, which is added if it is not there. Raises SettingsError."""
        _REVIEW("review", review)
        [question] = listed("questions", [question], Question)
        deck = self if any(card.question.id == question.id for card in self.cards) else self.added([question])
        return Deck(tuple(card.reviewed(review) if card.question.id == question.id else card for card in deck.cards))


_DECK = Instance(Deck)


def rating_of(answer: Answer, thresholds: Thresholds = DEFAULT_THRESHOLDS) -> Rating:
    """How an answer counts: again where it gets a mark or there is none, hard where it loses less, good for the best.

    Never easy: speed says little about a position that was met before. Raises SettingsError.
    """
    _ANSWER("answer", answer)
    if not answer.given or answer.skill(thresholds) is not Skill.NONE:
        return Rating.AGAIN
    return Rating.GOOD if answer.found else Rating.HARD


@dataclass(frozen=True, slots=True)
class Quiz:
    """Questions of a deck, one after the other: what is due, the longest overdue first, then new ones in the order of
    the deck, then what comes again within minutes.

    topics, kinds, phases: which questions, () for all. new: how many new ones may still be asked. count: how many in
    all may still be asked, None for as many as there are. answers: given so far.
    """

    deck: Deck
    topics: tuple[Topic, ...] = ()
    kinds: tuple[DecisionKind, ...] = ()
    new: int = 10
    count: int | None = None
    answers: tuple[Answer, ...] = ()
    phases: tuple[Phase, ...] = ()

    def __post_init__(self) -> None:
        _DECK("deck", self.deck)
        _NEW("new", self.new)
        if self.count is not None:
            _NEW("count", self.count)

    def __repr__(self) -> str:
        return brief(self, f"of {len(self.deck.cards)} cards, {len(self.answers)} answers")

    def card(self, now: datetime) -> Card | None:
        """The next card, None when there is nothing left to ask now."""
        moment = aware(now)
        if self.count is not None and len(self.answers) >= self.count:
            return None
        cards = self.deck.of(self.topics, self.kinds, self.phases)
        known = sorted(
            ((card.memory.due, number, card) for number, card in enumerate(cards) if card.memory is not None),
            key=lambda entry: entry[:2],
        )
        if known and known[0][0] <= moment:
            return known[0][2]
        if self.new:
            fresh = next((card for card in cards if card.memory is None), None)
            if fresh is not None:
                return fresh
        if known and known[0][0] <= moment + AHEAD:
            return known[0][2]
        return None

    def answered(
        self, card: Card, answer: Answer, now: datetime, seconds: float, thresholds: Thresholds = DEFAULT_THRESHOLDS
    ) -> tuple[Quiz, Review]:
        """The quiz after an answer to a card, and the review that a kept deck is changed by (`Deck.reviewed`).

        Raises SettingsError for the answer to another question, for seconds that are none, and as `schedule.reviewed`.
        """
        _CARD("card", card)
        _ANSWER("answer", answer)
        SECONDS("seconds", seconds)
        if answer.question.id != card.question.id:
            raise SettingsError("the answer is to another question")
        review = Review(aware(now), answer.text, answer.loss, float(seconds), rating_of(answer, thresholds))
        new = self.new - 1 if card.memory is None else self.new
        deck = self.deck.reviewed(card.question, review)
        return replace(self, deck=deck, new=max(new, 0), answers=(*self.answers, answer)), review


@dataclass(frozen=True, slots=True)
class Standing:
    """How a part of a deck stands: cards, those never asked, those due, those in review, answers kept, how many of
    them found the best, the mean loss of those given, and when the next card is due (None without one)."""

    cards: int
    new: int
    due: int
    learnt: int
    answers: int
    found: int
    mean_loss: float
    next_due: datetime | None


def standing(cards: Sequence[Card], now: datetime) -> Standing:
    """How these cards stand. Raises SettingsError for what are no cards, and for a time without zone."""
    moment, cards = aware(now), listed("cards", cards, Card)
    reviews = [review for card in cards for review in card.reviews]
    losses = [review.loss for review in reviews if review.text]
    memories = [card.memory for card in cards if card.memory is not None]
    return Standing(
        cards=len(cards),
        new=len(cards) - len(memories),
        due=sum(memory.due <= moment for memory in memories),
        learnt=sum(memory.state == 2 for memory in memories),
        answers=len(reviews),
        found=sum(review.rating is Rating.GOOD for review in reviews),
        mean_loss=sum(losses) / len(losses) if losses else 0.0,
        next_due=min((memory.due for memory in memories), default=None),
    )
