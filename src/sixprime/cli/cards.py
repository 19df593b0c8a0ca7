"""`sixprime cards`: own errors, openings and replies as a deck for Anki."""

from __future__ import annotations

import time
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
    note,
    print_json,
)
from sixprime.cli._questions import KindNames, Loss, Maker, PhaseNames, check_choice, gathered, phases_of

if TYPE_CHECKING:
    from sixprime.learn.questions import Question


def cards(
    *what: Annotated[str, Parameter(allow_leading_hyphen=True)],
    to: Annotated[Path, Parameter(metavar="OUT")],
    name: str | None = None,
    player: str | None = None,
    kind: KindNames = None,
    phase: PhaseNames = None,
    least: Loss = None,
    theirs: Flag = False,
    deck: Annotated[Path | None, Parameter(metavar="FILE")] = None,
    level: LevelName = None,
    plies: MaybePlies = None,
    filter: MaybeFilter = None,
    encoding: EncodingName = None,
    json: Flag = False,
    threads: Threads = None,
) -> int:
    """Write errors, openings or replies as a deck for Anki, with boards as pictures.

    Parameters
    ----------
    what
        Matches whose errors become cards: files, folders, patterns; or the words openings and replies; or, without
        any, the questions of your quiz.
    to
        The file to write, which ends in .apkg.
    name
        Of the deck in Anki; by default Sixprime:: and the name of the file.
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
    deck
        Another quiz than that in your data folder, where no matches are named.
    plies
        How far to look ahead in matches analysed on the spot, instead of as far as the level does.
    json
        Print one JSON object.
    threads
        How many threads to use; by default all cores.
    """
    from sixprime.codec import Kept
    from sixprime.learn.deck import Deck
    from sixprime.report.cards import check_writable, write_cards
    from sixprime.settings import load

    check_target(to, "--to", ".apkg")
    check_writable(time.time())
    if deck is not None and what:
        raise UsageError("--deck goes without names of matches")
    check_choice(what, player, least)
    marks = load().thresholds.thresholds()
    status = 0
    questions: list[Question]
    if what:
        questions, status = gathered(
            what,
            Maker(level, plies, filter, threads),
            encoding,
            player=player,
            least=least,
            marks=marks,
            theirs=theirs,
        )
        if status and not questions:
            return status
    else:
        kept = Kept.of_user("quiz.sixprime", Deck()) if deck is None else Kept(deck, Deck())
        questions = [card.question for card in kept.load().cards]
    if kind:
        questions = [question for question in questions if question.kind.value in kind]
    if phases := phases_of(phase):
        questions = [question for question in questions if question.phase in phases]
    number = write_cards(questions, to, name=name or f"Sixprime::{to.stem}", now=time.time())
    if json:
        print_json({"file": str(to), "cards": number})
    else:
        note(f"{to}: {number} card{'' if number == 1 else 's'}")
    return status
