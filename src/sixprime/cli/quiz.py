"""`sixprime quiz`: own errors, openings and replies asked again, when it is time to."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from sixprime.cli._common import (
    EncodingName,
    Flag,
    LevelName,
    MaybeFilter,
    MaybePlies,
    Threads,
    UsageError,
    check_target,
    complain,
    note,
    print_json,
    whole,
)
from sixprime.cli._questions import (
    KindNames,
    Loss,
    Maker,
    PhaseNames,
    check_choice,
    files_of,
    gathered,
    line_of,
    phases_of,
    topics_of,
)
from sixprime.errors import InvalidPlayError, RulesError

if TYPE_CHECKING:
    from rich.console import Console

    from sixprime.analysis.thresholds import Thresholds
    from sixprime.codec import Kept
    from sixprime.learn.deck import Card, Deck, Quiz
    from sixprime.learn.questions import Answer

_HELP = "Plays: 8/5 6/5. Cube: d or n (double or not), t or p (take or pass).\n? shows the answer, q ends."


def quiz(
    *what: Annotated[str, Parameter(allow_leading_hyphen=True)],
    player: str | None = None,
    kind: KindNames = None,
    phase: PhaseNames = None,
    least: Loss = None,
    theirs: Flag = False,
    new: Annotated[int, whole(0, 10_000)] = 10,
    count: Annotated[int | None, whole(0, 10_000)] = None,
    add: Flag = False,
    list: Flag = False,
    deck: Annotated[Path | None, Parameter(metavar="FILE")] = None,
    level: LevelName = None,
    plies: MaybePlies = None,
    filter: MaybeFilter = None,
    encoding: EncodingName = None,
    json: Flag = False,
    threads: Threads = None,
) -> int:
    """Ask your own errors again until you know better, and the openings and replies.

    Answers are read from standard input, one a line: a play such as 8/5 6/5, d or n (double or not), t or p (take or
    pass), ? for the answer, q for the end. Each is kept at once, and says when the question comes again.

    Parameters
    ----------
    what
        Matches whose errors go into the deck: files, folders, patterns; analysed on the spot unless `analyse` saved
        them as .sixprime. Or the words openings and replies: these are asked then, and errors only when their matches
        are named, too.
    player
        Only the errors of this player.
    kind
        Only plays, doubles or takes; may be given several times.
    phase
        Only errors of this phase of the game (docs/analysis.md); may be given several times.
    least
        The smallest loss of an error; by default where marks begin.
    theirs
        Errors by the analysis that the files hold, of GNU Backgammon or eXtreme Gammon say, without judging anything.
    new
        How many new questions to ask at most.
    count
        How many questions to ask at most.
    add
        Only add to the deck, ask nothing.
    list
        Show how the deck stands, ask nothing.
    deck
        Another file than that in your data folder.
    plies
        How far to look ahead instead of as far as the level does, in matches analysed on the spot and for plays that
        are no candidates.
    json
        With --list, print one JSON object.
    threads
        How many threads to use; by default all cores.
    """
    if json and not list:
        raise UsageError("--json goes with --list")
    from sixprime.analysis.model import DecisionKind
    from sixprime.codec import Kept
    from sixprime.learn.deck import Deck, Quiz
    from sixprime.learn.questions import Topic
    from sixprime.learn.schedule import check_installed
    from sixprime.settings import load

    if not (list or add):
        check_installed()
    check_choice(what, player, least)
    marks = load().thresholds.thresholds()
    kept = Kept.of_user("quiz.sixprime", Deck(), reading=list and not what) if deck is None else Kept(deck, Deck())
    if what or not list:
        check_target(kept.path, "--deck")
    kept.load()  # a damaged one is found before anything is judged
    maker = Maker(level, plies, filter, threads)
    questions, status = gathered(what, maker, encoding, player=player, least=least, marks=marks, theirs=theirs)
    if status and not questions:
        return status
    if questions:
        kept.change(lambda deck: deck.added(questions))
    topics = topics_of(what)
    if topics and files_of(what):
        topics += (Topic.ERROR,)
    kinds = tuple(DecisionKind(each) for each in kind or ())
    phases = phases_of(phase)
    cards = kept.load()
    if list or add:
        _show(cards.of(topics, kinds, phases), others=bool(cards.cards), json=json, listed=list)
        return status
    asking = Quiz(cards, topics, kinds, new, count, phases=phases)
    _ask(asking, kept, maker, marks)
    return status


def _show(cards: Sequence[Card], *, others: bool, json: bool, listed: bool) -> None:
    from sixprime.report.quiz import render_standing, standing_to_dict

    if json:
        print_json(standing_to_dict(cards, datetime.now(UTC)))
    elif listed:
        render_standing(cards, datetime.now(UTC), others=others)


def _ask(quiz: Quiz, kept: Kept[Deck], engine: Maker, marks: Thresholds) -> None:
    """Asks until nothing is left or nobody answers any more."""
    from sixprime.report.console import console_of
    from sixprime.report.quiz import render_question, render_result, render_standing

    console = console_of(None)
    card = quiz.card(datetime.now(UTC))
    if card is None:
        console.print("Nothing is asked." if quiz.count == 0 else "Nothing is due.")
        chosen = quiz.deck.of(quiz.topics, quiz.kinds, quiz.phases)
        render_standing(chosen, datetime.now(UTC), others=bool(quiz.deck.cards), console=console)
        return
    note(_HELP)
    while card is not None:
        console.print()
        render_question(card.question, console=console)
        after = _answered(quiz, card, kept, engine, marks, console)
        if after is None:
            break
        quiz = after
        card = quiz.card(datetime.now(UTC))
        if not _paused(quiz.answers[-1], engine, console):
            break
    render_result(quiz, console=console)


def _answered(
    quiz: Quiz, card: Card, kept: Kept[Deck], engine: Maker, marks: Thresholds, console: Console
) -> Quiz | None:
    """The quiz after the next answer to a card, which is shown and kept; None at the end."""
    from sixprime.learn.questions import answer, no_answer
    from sixprime.report.quiz import render_answer

    begun = time.monotonic()
    seconds = 0.0
    given: Answer | None = None
    while given is None:
        text = line_of(console)
        if text is None:
            return None
        seconds = time.monotonic() - begun
        try:
            if text == "?":
                given = no_answer(card.question)
            elif not text or text.lower() in ("h", "help"):
                console.print(_HELP)
            else:
                given = answer(card.question, text, engine.judge)
        except (InvalidPlayError, RulesError) as error:
            complain(error)
    after, review = quiz.answered(card, given, datetime.now(UTC), seconds, marks)
    kept.change(lambda deck: deck.reviewed(card.question, review))
    known = next(each for each in after.deck.cards if each.question.id == card.question.id)
    assert known.memory is not None
    render_answer(given, review, known.memory.due, thresholds=marks, console=console)
    return after


def _paused(answer: Answer, engine: Maker, console: Console) -> bool:
    """Leaves a person at a terminal the time to look, and says why if asked; whether to go on."""
    if not sys.stdin.isatty():
        return True
    question = answer.question
    can_tell = question.kind.value == "play" and len(question.plays) > 1
    prompt = "Enter: next, w: why, q: end > " if can_tell else "Enter: next, q: end > "
    while True:
        text = line_of(console, prompt)
        if text is None:
            return False
        if text.lower() not in ("w", "why") or not can_tell:
            return True
        _say_why(answer, engine, console)


def _say_why(answer: Answer, engine: Maker, console: Console) -> None:
    """What the best play does that the one answered, or the next best, does not."""
    from sixprime import theory
    from sixprime.game import parse_play
    from sixprime.report.explain import render_explanation

    question = answer.question
    assert question.dice is not None
    other = parse_play(answer.text, question.position, question.dice) if answer.given else None
    found = theory.explain(engine(), question.position, question.dice, other, state=question.state)
    render_explanation(found, board=False, console=console)
