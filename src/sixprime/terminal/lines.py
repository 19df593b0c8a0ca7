"""A session as lines of text: for pipes, scripts, plain terminals and those who have the screen read to them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TextIO

from sixprime.errors import SixprimeError, StoppedError
from sixprime.game.table import Phase
from sixprime.play import Waiting
from sixprime.play.wording import one_line
from sixprime.terminal.board import SIZES, draw
from sixprime.terminal.presenter import Presenter
from sixprime.terminal.scene import Leave

_SIZE = SIZES[-2]


def play(
    presenter: Presenter,
    stdin: TextIO,
    stdout: TextIO,
    *,
    drawn: bool = True,
    analyse: Callable[[], None] | None = None,
    echo: bool = False,
) -> bool:
    """Plays until somebody leaves or there are no more lines, or an empty one after the match; whether that is over.

    drawn: the board is drawn; otherwise its points are said in words. analyse: what is done with the match so far, at
    its end and when it is asked for. echo: what is read is written, too, for a record of both.
    What goes wrong in the session is told and tried again after the next line; raises it where there is none.
    """

    def say(line: str = "") -> None:
        print(line, file=stdout, flush=True)

    presenter.said = say
    presenter.analyse = analyse
    session = presenter.session
    say(f"{presenter.headline}: {presenter.names[0]} and {presenter.names[1]}. help lists what can be typed.")
    for line in presenter.lines:
        say(line)
    shown: object = None
    over = False
    broken: SixprimeError | OSError | None = None
    while True:
        waiting = None
        try:
            waiting, broken = session.advance(), None
        except StoppedError:
            raise
        except (SixprimeError, OSError) as error:
            presenter.fail(one_line(error))
            broken = error
        if waiting is Waiting.NOTHING and not over and analyse is not None:
            analyse()
        if waiting is Waiting.STOPPED:
            raise StoppedError(what="of a session")
        over = waiting is Waiting.NOTHING
        table = presenter.table
        entry = presenter.entry
        now = table.position, table.state, entry and entry.moves
        if now != shown and not over and table.phase not in (Phase.OPENING, Phase.GAME_OVER):
            shown = now
            for line in _board(presenter, drawn=drawn):
                say(line)
        ways = [f"{choice.words} ({choice.key})" for choice in presenter.answers]
        say(f"{presenter.prompt} {', '.join(ways)}." if ways else presenter.prompt)
        if stdin.isatty():
            print("> ", end="", file=stdout, flush=True)
        try:
            text = stdin.readline()
        except KeyboardInterrupt:
            # What is said of it begins a line.
            say()
            raise
        if not text:
            if broken is not None:
                raise broken
            return over
        if echo:
            say(f"> {text.strip()}")
        if over and not text.strip():
            return True
        try:
            presenter.say(text)
        except Leave:
            return over


def _board(presenter: Presenter, *, drawn: bool) -> list[str]:
    """The board with the players, drawn or in words."""
    bottom, names, pips, scores = presenter.look.bottom, presenter.names, presenter.pips, presenter.scores
    table = presenter.table
    if not drawn:
        cube = "" if table.state.cube_limit == 1 else f" Cube {table.state.cube}{_owner(presenter)}."
        score = f"Score: {names[0]} {scores[0]}, {names[1]} {scores[1]}.{cube}"
        return [*presenter.in_words(), score]
    sides = [f" {sign} {names[p]}: {scores[p]}, {pips[p]} pips" for sign, p in (("O", 1 - bottom), ("X", bottom))]
    return [sides[0], *draw(presenter.shown(), _SIZE, None).text.splitlines(), sides[1]]


def _owner(presenter: Presenter) -> str:
    owner = presenter.table.state.cube_owner
    return ", in the middle" if owner is None else f", of {presenter.names[owner]}"
