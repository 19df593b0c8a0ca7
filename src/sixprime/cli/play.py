"""`sixprime play`: a game of backgammon at the terminal."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter
from cyclopts.validators import Number

from sixprime import interrupts
from sixprime.cli._common import (
    EncodingName,
    Flag,
    MaybeMove,
    Move,
    Threads,
    UsageError,
    note,
    progress,
    read_id,
    whole,
)
from sixprime.errors import RulesError, SettingsError
from sixprime.game import ParsedPosition
from sixprime.game.variants import get_variant
from sixprime.paths import games_dir

if TYPE_CHECKING:
    from sixprime.analysis.model import AnalysedMatch
    from sixprime.engine import Engine
    from sixprime.play.onward import Place
    from sixprime.progress import Hook, Stop
    from sixprime.settings.playing import Playing
    from sixprime.terminal.presenter import Presenter
    from sixprime.terminal.scene import Look
    from sixprime.terminal.seating import Seated

_WAYS = {".journal": "--resume", ".sixprime": "--review"} | dict.fromkeys((".mat", ".sgf", ".xg"), "--from")
"""What opens a file that is named as if it were an opponent."""
Switch = Annotated[bool | None, Parameter(show_default=False)]


def play(
    opponent: str | None = None,
    /,
    *,
    resume: Flag = False,
    review: Flag = False,
    length: Annotated[int | None, whole(0, 999, show_default=False)] = None,
    money: Flag = False,
    variant: str | None = None,
    position: Annotated[str | None, Parameter(allow_leading_hyphen=True, show_default=False)] = None,
    source: Annotated[Path | None, Parameter(name="--from", show_default=False, metavar="FILE")] = None,
    game: Annotated[int | None, whole(1, show_default=False)] = None,
    move: MaybeMove = None,
    encoding: EncodingName = None,
    crawford: Switch = None,
    jacoby: Switch = None,
    beavers: Annotated[int | None, whole(0, 15, show_default=False)] = None,
    automatic_doubles: Annotated[int | None, whole(0, 15, show_default=False)] = None,
    cube_limit: Annotated[int | None, whole(1, 1 << 15, show_default=False)] = None,
    dice: str | None = None,
    seed: str | None = None,
    name: str | None = None,
    other_side: Flag = False,
    instead: Annotated[str | None, Parameter(show_default=False, metavar="SEAT")] = None,
    tutor: Switch = None,
    tutor_skill: str | None = None,
    tutor_level: str | None = None,
    tutor_book: Switch = None,
    roll: Switch = None,
    play_forced: Switch = None,
    bear_off: Switch = None,
    next_game: Switch = None,
    reserve: Annotated[float | None, Parameter(show_default=False, validator=Number(gt=0))] = None,
    delay: Annotated[float | None, Parameter(show_default=False, validator=Number(gte=0))] = None,
    loses: Switch = None,
    clock: Flag = False,
    cheat: Annotated[int | None, whole(1, 21, show_default=False)] = None,
    cheat_me: Annotated[int | None, whole(1, 21, show_default=False)] = None,
    journal: Annotated[Path | None, Parameter(show_default=False)] = None,
    light: Annotated[bool, Parameter(negative="--dark", show_default=False)] = True,
    home: Literal["right", "left"] = "right",
    theme: Literal["dark", "light", "mono"] = "dark",
    plain: Flag = False,
    words: Flag = False,
    analyse: Annotated[bool, Parameter(negative="--no-analyse", show_default=False)] = True,
    threads: Threads = None,
) -> int:
    """Play backgammon against Sixprime, another program or somebody beside you.

    The game is kept at every moment: --resume goes on, whatever happened. After a match it is analysed at once.

    Parameters
    ----------
    opponent
        A level of play from beginner to 4-ply, person for two people at one board, gnubg@2, ubgi:COMMAND, or a net such
        as small@1. A level or net with +book behind it knows the openings. With --resume or --review: the file of a
        game or an analysis.
    resume
        Go on with a game.
    review
        Go through the analysis of a match, by default of the one played last.
    length
        Points of the match; 0 is a money session.
    money
        A money session.
    variant
        standard, nackgammon, hypergammon1, hypergammon2 or hypergammon3.
    position
        Begin with the position of any ID.
    source
        Play on in this match, a file of any format: from its end, or from --game and --move. The players keep their
        names.
    game
        With --from: the game to play on in, from its beginning or --move.
    move
        With --from: the move to play on from, by default of the first game, as reports number them, with the dice
        that were rolled: 12, or 12:2 for that of the second player.
    crawford
        Whether a match has a Crawford game.
    jacoby
        Whether gammons count for money only after the cube was turned.
    beavers
        How often a double may be turned back for money.
    automatic_doubles
        How many ties of the first roll double the cube for money.
    cube_limit
        The largest cube; 1 plays without.
    dice
        Where the dice come from: system, manual, file:PATH or a generator such as mersenne (docs/play.md).
    seed
        Of the generator, so that the same dice come again.
    name
        What you are called.
    other_side
        With --position: you have the side that is not on roll. With --from: not that of the player who is called as
        you are, or else is to act.
    instead
        Who plays for you: as the opponent; you watch.
    tutor
        Whether errors are warned of before they count.
    tutor_skill
        The mildest error that is warned of: doubtful, bad or "very bad".
    tutor_level
        How deeply tutor and hints look, a level of play.
    tutor_book
        Whether tutor and hints rank openings and replies by the book.
    roll
        Whether the dice are rolled for whoever may not double.
    play_forced
        Whether the only legal play is made for you.
    bear_off
        Whether chequers are borne off for you in a race, with every die.
    next_game
        Whether the next game begins by itself.
    reserve
        Minutes of each player on the clock; who uses them up loses the match, unless --no-loses.
    delay
        Seconds of every turn that are free of the clock.
    loses
        Whether who uses his minutes up loses the match, or is only told so.
    clock
        Show how long each player has thought.
    cheat
        Loaded dice: the opponent always has the best (1) to worst (21) of the rolls. It is marked in the record.
    cheat_me
        The same for you.
    journal
        The file that keeps the game, a new one; by default one among your games.
    light
        Whether you have the light chequers.
    home
        The side to which you bear off.
    theme
        Colours of the board; mono is none, as with NO_COLOR.
    plain
        Lines of text instead of the full screen, as for pipes.
    words
        Lines of text that say where the chequers are instead of drawing them.
    analyse
        Whether the match is analysed when it is over.
    threads
        Threads of the engines, by default one.
    """
    # Who plays here sits at this terminal; what reckons alone may outlive its own.
    interrupts.hang_up_is_a_request()
    if money and length:
        raise UsageError(f"--money and --length {length} go against each other")
    given: dict[str, Any] = {
        "name": name,
        "opponent": None if resume else opponent,
        "length": 0 if money else length,
        "variant": variant,
        "crawford": crawford,
        "jacoby": jacoby,
        "beavers": beavers,
        "automatic_doubles": automatic_doubles,
        "cube_limit": cube_limit,
        "dice": dice,
        "roll": roll,
        "play_forced": play_forced,
        "bear_off": bear_off,
        "next_game": next_game,
        "tutor": tutor,
        "tutor_skill": tutor_skill,
        "tutor_level": tutor_level,
        "tutor_book": tutor_book,
        "reserve": reserve,
        "delay": delay,
        "loses": loses,
    }
    from sixprime.settings import load
    from sixprime.settings.playing import Playing
    from sixprime.terminal.scene import Look

    way = _WAYS.get(Path(opponent or "").suffix.lower())
    if way is not None and not (resume or review):
        raise UsageError(f"{opponent} is nobody to play against; {way} {opponent} opens it")
    if other_side and position is None and source is None:
        raise UsageError("--other-side needs --position or --from: otherwise both begin alike")
    if source is None and (game, move) != (None, None):
        raise UsageError(f"--{'move' if game is None else 'game'} needs --from, the match that is played on")
    switches = {key: given[key] for key in ("roll", "play_forced", "bear_off", "next_game") if given[key] is not None}
    beside = {"position": position, "seed": seed, "instead": instead, "journal": journal, "money": money or None}
    beside |= {"from": source}
    table = beside | given | {"clock": clock or None}
    if review:
        every = table | {"resume": resume or None, "cheat": cheat, "cheat_me": cheat_me, "threads": threads}
        every |= {"plain": plain or None, "words": words or None}
        _refuse(every, ("opponent",), "a match that is only gone through")
    elif resume:
        tutoring = ("tutor", "tutor_skill", "tutor_level", "tutor_book")
        _refuse(table, (*tutoring, *switches), "a game that goes on as it began")
    elif position is not None:
        says = ("from", "money", "length", "crawford", "jacoby", "automatic_doubles", "cube_limit")
        _refuse({key: table[key] for key in says}, (), "a position: its ID says what is played")
    elif source is not None:
        told = ("money", "length", "variant", "crawford", "jacoby", "beavers", "automatic_doubles", "cube_limit")
        _refuse({key: table[key] for key in told}, (), "a match that is played on: its file says what is played")
    if delay is not None and not clock and reserve is None and load().play.reserve is None:
        raise UsageError("--delay needs --reserve or --clock: otherwise no clock runs")
    if loses is not None and reserve is None and load().play.reserve is None:
        raise UsageError(f"--{'' if loses else 'no-'}loses needs --reserve: otherwise nobody's time is limited")
    look = Look(0, light, home == "left")
    if review:
        return _review(opponent, look, theme)
    if journal is not None and journal.exists():
        raise UsageError(f"{journal} is there already; --resume {journal} goes on with a game that is kept")
    section = replace(load().play, **{key: value for key, value in given.items() if value is not None})
    playing = Playing(section, threads=threads or 1)
    from sixprime.terminal import seating

    if resume:
        seated = seating.go_on(Path(opponent) if opponent else None)
        seated.session.automation = replace(seated.session.automation, **switches)
    else:
        start: ParsedPosition | Place | None = None
        if source is not None:
            start = _place(source, game, move, encoding)
        elif position is not None:
            start = read_id(position, chequers=get_variant(playing.rules.variant).chequers)
        length = playing.rules.length
        if start is not None:
            length = start.state.length if isinstance(start, ParsedPosition) else start.table.rules.length
        _refuse_without_effect(given, playing, seed, length)
        if isinstance(start, ParsedPosition) and not start.state.beavers:
            _refuse({"beavers": beavers}, (), "a position whose ID says that there are none")
        seated = seating.begin(
            playing,
            start,
            other_side=other_side,
            instead=instead,
            seed=seed,
            threads=threads or 1,
            clock=clock,
            journal=journal,
        )
    from sixprime.terminal.presenter import Presenter

    presenter = Presenter(seated.session, seated.people, replace(look, bottom=next(iter(seated.people), 0)))
    presenter.make_adviser, presenter.make_tutor = playing.adviser, playing.make_tutor
    presenter.tutoring = bool(section.tutor)
    if resume:
        presenter.recall()
    if cheat or cheat_me:
        user = presenter.look.bottom
        presenter.cheats = (cheat, cheat_me) if user else (cheat_me, cheat)
    colours: str = theme
    by_lines = plain or words or not _full_screen()
    while True:
        over = False
        try:
            with seated.session, _closed_at_the_end(presenter):
                if by_lines:
                    over = _by_lines(presenter, seated, drawn=not words, analyse=analyse)
                else:
                    over, colours = _by_screen(presenter, seated, colours, analyse=analyse)
        finally:
            if not over:
                _note_kept(seated.journal)
        if not presenter.again:
            return 0
        seated = seating.again(seated)
        presenter = presenter.rematch(seated.session)


def _place(file: Path, game: int | None, move: Move | None, encoding: str | None) -> Place:
    """From where a match of a file is played on."""
    from sixprime.play.onward import place_in

    if file.suffix.lower() == ".sixprime":
        from sixprime.api import load_analysis

        match = load_analysis(file).match
    else:
        from sixprime.formats import read

        match = read(file, encoding)
    try:
        found = place_in(match, game, *((move.number, move.player) if move else ()))
    except (SettingsError, RulesError) as error:
        raise type(error)(f"{file}: {error}") from None
    if found.left_out:
        note(f"sixprime: warning: {file}: what was played before {found.words} goes against the rules and is left out")
    return found


def _refuse(given: dict[str, Any], but: Sequence[str], what: str) -> None:
    """Raises UsageError for the first option that was given; but: those that mean something there."""
    if found := next((name for name, value in given.items() if value is not None and name not in but), None):
        raise UsageError(f"--{found.replace('_', '-')} says nothing for {what}")


def _refuse_without_effect(given: dict[str, Any], playing: Playing, seed: str | None, length: int) -> None:
    """Raises UsageError for an option that would change nothing. length: of the match, 0 for money."""
    only = ("jacoby", "beavers", "automatic_doubles") if length else ("crawford",)
    _refuse({name: given[name] for name in only}, (), f"a match to {length}" if length else "money")
    source = playing.section.dice or "system"
    if seed is not None and (source == "manual" or source.startswith("file:")):
        raise UsageError(f"--seed says nothing for dice from {source.partition(':')[0]}")


def _note_kept(journal: Path) -> None:
    """Says how a game that was left goes on."""
    if not journal.exists():
        note(f"The game is lost: {journal} is gone, which kept it.")
        return
    goes_on = "--resume" if journal.parent == games_dir() else f"--resume {shlex.quote(str(journal))}"
    note(f"The game is kept: {journal}\nsixprime play {goes_on} goes on with it.")


@contextmanager
def _closed_at_the_end(presenter: Presenter) -> Iterator[None]:
    """Ends the programs that sit at the table, which would keep this one from ending as long as they think."""
    try:
        yield
    finally:
        for seat in () if presenter.again else presenter.session.seats:
            if close := getattr(seat, "close", None):
                close()


def _full_screen() -> bool:
    """Whether there is a terminal that can show more than lines."""
    streams = (sys.stdin, sys.stdout, sys.stderr)
    return all(stream.isatty() for stream in streams) and os.environ.get("TERM") not in (None, "", "dumb")


def _theme(theme: str) -> str:
    return "mono" if os.environ.get("NO_COLOR") else theme


def _judge() -> Engine:
    """Who analyses the match, as `sixprime analyse` does."""
    from sixprime.settings import load, make_engine

    settings = load()
    depth = {key: value for key, value in settings.analysis.given().items() if key in ("level", "plies", "filter")}
    return make_engine(None, **depth, threads=settings.engine.threads)


def _by_lines(presenter: Presenter, seated: Seated, *, drawn: bool, analyse: bool) -> bool:
    """Plays with lines of text; whether the match is over."""
    from sixprime.terminal import after, lines

    def judge() -> None:
        from sixprime.report import render_terminal

        with progress("Analysing") as report:
            analysed, saved = after.finish(seated.session, seated.journal, _judge(), report)
        render_terminal(analysed)
        note(f"Saved: {saved}")

    presenter.prepare()
    echo = not sys.stdin.isatty()
    return lines.play(presenter, sys.stdin, sys.stdout, drawn=drawn, analyse=judge if analyse else None, echo=echo)


def _by_screen(presenter: Presenter, seated: Seated, theme: str, *, analyse: bool) -> tuple[bool, str]:
    """Plays full-screen; whether the match is over, and the colours at the end."""
    from sixprime.terminal import after
    from sixprime.terminal.app import Playing

    def judge(tell: Hook, stop: Stop) -> tuple[AnalysedMatch, str]:
        return after.finish(seated.session, seated.journal, _judge(), tell, stop)

    app = Playing(presenter, analyse=judge if analyse else None, theme_name=_theme(theme))
    app.run()
    if app.saved:
        note(f"Saved: {app.saved}\nsixprime play --review shows it again.")
    presenter.again = app.again
    return presenter.over, app.board_theme


def _review(file: str | None, look: Look, theme: str) -> int:
    """Shows an analysis that was kept."""
    from sixprime.api import load_analysis
    from sixprime.settings import load
    from sixprime.terminal.after import latest_analysis
    from sixprime.terminal.app import Playing
    from sixprime.terminal.review import Review, seat_of

    if not _full_screen():
        raise UsageError("--review needs a terminal; sixprime analyse shows a match anywhere")
    analysed = load_analysis(Path(file) if file else latest_analysis())
    bottom = seat_of(analysed.match, load().play.name or "You")
    Playing(Review(analysed, replace(look, bottom=bottom)), theme_name=_theme(theme)).run()
    return 0
