"""Questions, answers and the standing of a deck: text for the terminal, and JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from sixprime.analysis.model import DecisionKind
from sixprime.analysis.thresholds import DEFAULT_THRESHOLDS, Thresholds
from sixprime.codec import plain
from sixprime.game.state import MatchState
from sixprime.learn.deck import Card, Quiz, Review, standing
from sixprime.learn.questions import Answer, Question, Topic
from sixprime.report import words
from sixprime.report.console import SKILL_STYLES, console_of, print_table, table_for, text_of
from sixprime.report.position import print_cube, print_plays, print_position

if TYPE_CHECKING:
    from rich.console import Console

_TITLES = {
    (Topic.ERROR, DecisionKind.PLAY): "Your plays",
    (Topic.ERROR, DecisionKind.DOUBLE): "Your doubles",
    (Topic.ERROR, DecisionKind.TAKE): "Your takes",
    (Topic.OPENING, DecisionKind.PLAY): "Openings",
    (Topic.REPLY, DecisionKind.PLAY): "Replies",
}


def render_question(question: Question, *, console: Console | None = None) -> None:
    """Prints the board and what is asked, nothing of the answer."""
    console = console_of(console)
    print_position(console, question.position, _shown_state(question), question.dice)
    console.print(text_of(asked(question), "bold"))
    if question.topic is Topic.REPLY:
        console.print(text_of(f"A {question.source}", "dim"))


def asked(question: Question, *, doubler: str = "X", you: str = "O") -> str:
    """What the question asks, in words. doubler, you: what the two are called where you are doubled."""
    match question.kind:
        case DecisionKind.PLAY:
            return f"What do you play with {words.dice_text(question.dice)}?"
        case DecisionKind.DOUBLE:
            verb = "double" if question.state.cube_owner is None else "redouble"
            return f"Do you {verb}, or not?"
        case DecisionKind.TAKE:
            answers = "Take, pass or beaver?" if question.state.beavers else "Take or pass?"
            return f"{doubler} doubles, and you are {you}. {answers}"


def render_answer(
    answer: Answer,
    review: Review,
    due: datetime,
    *,
    thresholds: Thresholds = DEFAULT_THRESHOLDS,
    console: Console | None = None,
) -> None:
    """Prints how good an answer is, what is better, and when the question comes again."""
    console = console_of(console)
    question, skill = answer.question, answer.skill(thresholds)
    line = text_of("")
    if answer.found:
        line.append("Right: " if answer.loss == 0 else "As good as the best: ", "bold green")
        line.append(words.play_text(answer.text), "bold green")
    elif not answer.given:
        line.append("Best is ").append(words.play_text(question.best), "bold green")
    else:
        least = "" if answer.known else "at least "
        line.append(f"{words.play_text(answer.text)} loses {least}{answer.loss:.3f}", SKILL_STYLES[skill])
        line.append(f" {words.SKILL_SIGNS[skill]}".rstrip(), SKILL_STYLES[skill])
        line.append("; best is ").append(words.play_text(question.best), "bold green")
    console.print(line)
    print_solution(question, [answer.text], console=console)
    asked_again = _span(due - review.when)
    console.print(text_of(f"Answered in {review.seconds:.0f} s; asked again in {asked_again}.", "dim"))


def print_solution(question: Question, marked: Sequence[str] = (), *, console: Console | None = None) -> None:
    """Prints the candidates, or the cube decision, and what was done in the game."""
    console = console_of(console)
    if question.kind is DecisionKind.PLAY:
        print_plays(console, question.plays, chosen=[e.play for e in question.plays if str(e.play) in marked])
    elif question.cube is not None:
        print_cube(console, question.cube)
    if question.chosen:
        loss = next((loss for name, loss in question.choices if name == question.chosen), None)
        lost = "" if loss is None else f" ({words.signed(-loss)})"
        done = f"In the game: {words.play_text(question.chosen)}{lost}, {words.clean(question.source)}"
        console.print(text_of(done, "dim"))


def render_result(quiz: Quiz, *, console: Console | None = None) -> None:
    """Prints how the answers of a quiz were."""
    if not quiz.answers:
        return
    console = console_of(console)
    given = [answer for answer in quiz.answers if answer.given]
    found, loss = sum(answer.found for answer in given), sum(answer.loss for answer in given)
    number = len(quiz.answers)
    console.print(
        text_of(
            f"{words.count(number, 'answer')}, {found} right, {loss / max(len(given), 1):.3f} lost in the mean.", "bold"
        )
    )


def render_standing(
    cards: Sequence[Card], now: datetime, *, others: bool = False, console: Console | None = None
) -> None:
    """Prints how the cards stand, by where they come from, and the errors by kind. others: the deck has more cards."""
    console = console_of(console)
    heads = ("", "Cards", "New", "Due", "Learnt", "Answers", "Right", "Loss", "Next")
    table = table_for(console, heads, words=("",), tight=True)
    for place, part in _apart(cards):
        if part:
            table.add_row(_TITLES[place], *_standing(part, now))
    if not cards:
        add = "No cards yet. Add your errors: sixprime quiz MATCH --player NAME"
        console.print(text_of("No cards of the kinds that are asked for." if others else add, "bold"))
        return
    table.add_row("All", *_standing(cards, now), style="bold")
    print_table(console, table)
    missed = (card.question.missed for card in cards if card.question.topic is Topic.ERROR)
    kinds = Counter(kind for kind in missed if kind)
    if kinds:
        console.print(text_of(", ".join(words.count(number, kind) for kind, number in kinds.most_common()), "dim"))


def _apart(cards: Sequence[Card]) -> Iterator[tuple[tuple[Topic, DecisionKind], list[Card]]]:
    """The cards by where they come from and what they ask, in the order of `_TITLES`."""
    for place in _TITLES:
        yield place, [card for card in cards if (card.question.topic, card.question.kind) == place]


def _standing(cards: Sequence[Card], now: datetime) -> tuple[str, ...]:
    each = standing(cards, now)
    numbers = tuple(str(n) for n in (each.cards, each.new, each.due, each.learnt, each.answers))
    right = f"{each.found / each.answers:.0%}" if each.answers else ""
    loss = f"{each.mean_loss:.3f}" if each.answers else ""
    wait = "" if each.next_due is None else "now" if each.next_due <= now else _span(each.next_due - now)
    return (*numbers, right, loss, wait)


def standing_to_dict(cards: Sequence[Card], now: datetime) -> dict[str, Any]:
    """How the cards stand, all together and apart, and every card without its analysis."""
    apart = {f"{topic.value} {kind.value}": _standing_to_dict(part, now) for (topic, kind), part in _apart(cards)}
    return {"all": _standing_to_dict(cards, now), **apart, "cards": [card_to_dict(card) for card in cards]}


def _standing_to_dict(cards: Sequence[Card], now: datetime) -> dict[str, Any]:
    each = standing(cards, now)
    return plain(each) | {"next_due": each.next_due and each.next_due.isoformat()}


def card_to_dict(card: Card) -> dict[str, Any]:
    """What a card asks, and how it stands."""
    question = card.question
    return {
        **plain(question, "id", "topic", "kind", "phase", "plan"),
        **plain(question, "dice", "chosen", "best", "source"),
        "position_id": question.position.id,
        "due": card.memory and card.memory.due.isoformat(),
        "answers": len(card.reviews),
        "lapses": card.lapses,
    }


def _shown_state(question: Question) -> MatchState:
    """Of a take: before the double, as the line below the board says the cube as it stands."""
    return replace(question.state, doubled=False, beavered=0, turn=None)


def _span(time: timedelta) -> str:
    minutes = max(1, round(time.total_seconds() / 60))
    if minutes < 60:
        return words.count(minutes, "minute")
    if minutes < 60 * 24:
        return words.count(round(minutes / 60), "hour")
    return words.count(round(minutes / 60 / 24), "day")
