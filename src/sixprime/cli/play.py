"""`sixprime play`: a game of backgammon at the terminal."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter
from cyclopts.validators import Number

from sixprime import interrupts
from sixprime.cli._common import (
    TOGETHER,
    EncodingName,
    Flag,
    MaybeMove,
    Move,
    Threads,
    UsageError,
    note,
    option,
    progress,
    read_id,
    whole,
)
from sixprime.cli._sources import match_of
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


@dataclass(frozen=True, slots=True)
class _Beginning:
    """Where the game begins."""

    position: Annotated[str | None, Parameter(allow_leading_hyphen=True, show_default=False)] = None
    """Begin with the position of any ID."""
    source: Annotated[Path | None, Parameter(name="--from", show_default=False, metavar="FILE")] = None
    """Play on in this match, a file of any format: from its end, or from --game and --move. The players keep their
    names."""
    game: Annotated[int | None, whole(1, show_default=False)] = None
    """With --from: the game to play on in, from its beginning or --move."""
    move: MaybeMove = None
    """With --from: the move to play on from, by default of the first game, as reports number them, with the dice that
    were rolled: 12, or 12:2 for that of the second player."""
    encoding: EncodingName = None
    other_side: Flag = False
    """With --position: you have the side that is not on roll. With --from: not that of the player who is called as
    you are, or else is to act."""

    def check(self) -> None:
        """Raises UsageError for options that would change nothing."""
        if self.other_side and self.position is None and self.source is None:
            raise UsageError("--other-side needs --position or --from: otherwise both begin alike")
        if self.source is None and (self.game, self.move) != (None, None):
            raise UsageError(f"--{'move' if self.game is None else 'game'} needs --from, the match that is played on")

    def found(self, variant: str) -> ParsedPosition | Place | None:
        """The position or the place in a match. Raises SixprimeError, OSError."""
        if self.source is not None:
            return _place(self.source, self.game, self.move, self.encoding)
        if self.position is not None:
            return read_id(self.position, chequers=get_variant(variant).chequers)
        return None


@dataclass(frozen=True, slots=True)
class _Rules:
    """What is played, by the names of the settings."""

    length: Annotated[int | None, whole(0, 999, show_default=False)] = None
    """Points of the match; 0 is a money session."""
    variant: str | None = None
    """standard, nackgammon, hypergammon1, hypergammon2 or hypergammon3."""
    crawford: Switch = None
    """Whether a match has a Crawford game."""
    jacoby: Switch = None
    """Whether gammons count for money only after the cube was turned."""
    beavers: Annotated[int | None, whole(0, 15, show_default=False)] = None
    """How often a double may be turned back for money."""
    automatic_doubles: Annotated[int | None, whole(0, 15, show_default=False)] = None
    """How many ties of the first roll double the cube for money."""
    cube_limit: Annotated[int | None, whole(1, 1 << 15, show_default=False)] = None
    """The largest cube; 1 plays without."""


@dataclass(frozen=True, slots=True)
class _Tutoring:
    """Who warns, by the names of the settings."""

    tutor: Switch = None
    """Whether errors are warned of before they count."""
    tutor_skill: str | None = None
    """The mildest error that is warned of: doubtful, bad or "very bad"."""
    tutor_level: str | None = None
    """How deeply tutor and hints look, a level of play."""
    tutor_book: Switch = None
    """Whether tutor and hints rank openings and replies by the book."""


@dataclass(frozen=True, slots=True)
class _Automation:
    """What is done for you, by the names of the settings."""

    roll: Switch = None
    """Whether the dice are rolled for whoever may not double."""
    play_forced: Switch = None
    """Whether the only legal play is made for you."""
    bear_off: Switch = None
    """Whether chequers are borne off for you in a race, with every die."""
    next_game: Switch = None
    """Whether the next game begins by itself."""


@dataclass(frozen=True, slots=True)
class _Timing:
    """The clock, by the names of the settings."""

    reserve: Annotated[float | None, Parameter(show_default=False, validator=Number(gt=0))] = None
    """Minutes of each player on the clock; who uses them up loses the match, unless --no-loses."""
    delay: Annotated[float | None, Parameter(show_default=False, validator=Number(gte=0))] = None
    """Seconds of every turn that are free of the clock."""
    loses: Switch = None
    """Whether who uses his minutes up loses the match, or is only told so."""

    def check(self, *, clock: bool) -> None:
        """Raises UsageError for options that would change nothing. clock: it runs without limit."""
        from sixprime.settings import load

        limited = self.reserve is not None or load().play.reserve is not None
        if self.delay is not None and not clock and not limited:
            raise UsageError("--delay needs --reserve or --clock: otherwise no clock runs")
        if self.loses is not None and not limited:
            raise UsageError(
                f"--{'' if self.loses else 'no-'}loses needs --reserve: otherwise nobody's time is limited"
            )


@dataclass(frozen=True, slots=True)
class _Showing:
    """How the table looks."""

    light: Annotated[bool, Parameter(negative="--dark", show_default=False)] = True
    """Whether you have the light chequers."""
    home: Literal["right", "left"] = "right"
    """The side to which you bear off."""
    theme: Literal["dark", "light", "mono"] = "dark"
    """Colours of the board; mono is none, as with NO_COLOR."""
    plain: Flag = False
    """Lines of text instead of the full screen, as for pipes."""
    words: Flag = False
    """Lines of text that say where the chequers are instead of drawing them."""

    @property
    def look(self) -> Look:
        """The same as the terminal takes it."""
        from sixprime.terminal.scene import Look

        return Look(0, self.light, self.home == "left")


def play(
    opponent: str | None = None,
    /,
    *,
    resume: Flag = False,
    review: Flag = False,
    money: Flag = False,
    rules: Annotated[_Rules, TOGETHER] = _Rules(),
    beginning: Annotated[_Beginning, TOGETHER] = _Beginning(),
    dice: str | None = None,
    seed: str | None = None,
    name: str | None = None,
    instead: Annotated[str | None, Parameter(show_default=False, metavar="SEAT")] = None,
    tutoring: Annotated[_Tutoring, TOGETHER] = _Tutoring(),
    automation: Annotated[_Automation, TOGETHER] = _Automation(),
    timing: Annotated[_Timing, TOGETHER] = _Timing(),
    clock: Flag = False,
    cheat: Annotated[int | None, whole(1, 21, show_default=False)] = None,
    cheat_me: Annotated[int | None, whole(1, 21, show_default=False)] = None,
    journal: Annotated[Path | None, Parameter(show_default=False)] = None,
    showing: Annotated[_Showing, TOGETHER] = _Showing(),
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
    money
        A money session.
    dice
        Where the dice come from: system, manual, file:PATH or a generator such as mersenne (docs/play.md).
    seed
        Of the generator, so that the same dice come again.
    name
        What you are called.
    instead
        Who plays for you: as the opponent; you watch.
    clock
        Show how long each player has thought.
    cheat
        Loaded dice: the opponent always has the best (1) to worst (21) of the rolls. It is marked in the record.
    cheat_me
        The same for you.
    journal
        The file that keeps the game, a new one; by default one among your games.
    analyse
        Whether the match is analysed when it is over.
    threads
        Threads of the engines, by default one.
    """
    # Who plays here sits at this terminal; what reckons alone may outlive its own.
    interrupts.hang_up_is_a_request()
    if money and rules.length:
        raise UsageError(f"--money and --length {rules.length} go against each other")
    way = _WAYS.get(Path(opponent or "").suffix.lower())
    if way is not None and not (resume or review):
        raise UsageError(f"{opponent} is nobody to play against; {way} {opponent} opens it")
    beginning.check()
    settings: dict[str, Any] = {"name": name, "opponent": None if resume else opponent, "dice": dice}
    for group in (rules, tutoring, automation, timing):
        settings |= asdict(group)
    if money:
        settings["length"] = 0
    table: dict[str, Any] = {"position": beginning.position, "seed": seed, "instead": instead, "journal": journal}
    table |= {"money": money or None, "from": beginning.source} | settings | {"clock": clock or None}
    if review:
        every = table | {"resume": resume or None, "cheat": cheat, "cheat_me": cheat_me, "threads": threads}
        every |= {"plain": showing.plain or None, "words": showing.words or None}
        _refuse(every, ("opponent",), "a match that is only gone through")
    elif resume:
        _refuse(table, (*asdict(tutoring), *asdict(automation)), "a game that goes on as it began")
    elif beginning.position is not None:
        says = ("from", "money", "length", "crawford", "jacoby", "automatic_doubles", "cube_limit")
        _refuse({key: table[key] for key in says}, (), "a position: its ID says what is played")
    elif beginning.source is not None:
        told = ("money", *asdict(rules))
        _refuse({key: table[key] for key in told}, (), "a match that is played on: its file says what is played")
    timing.check(clock=clock)
    if review:
        return _review(opponent, showing)
    if journal is not None and journal.exists():
        raise UsageError(f"{journal} is there already; --resume {journal} goes on with a game that is kept")
    from sixprime.settings import load
    from sixprime.settings.playing import Playing
    from sixprime.terminal import seating

    section = replace(load().play, **_said(settings))
    playing = Playing(section, threads=threads or 1)
    if resume:
        seated = seating.go_on(Path(opponent) if opponent else None)
        seated.session.automation = replace(seated.session.automation, **_said(asdict(automation)))
    else:
        start = beginning.found(playing.rules.variant)
        _refuse_without_effect(settings, playing, seed, start)
        seated = seating.begin(
            playing,
            start,
            other_side=beginning.other_side,
            instead=instead,
            seed=seed,
            threads=threads or 1,
            clock=clock,
            journal=journal,
        )
    from sixprime.terminal.presenter import Presenter

    look = replace(showing.look, bottom=next(iter(seated.people), 0))
    presenter = Presenter(seated.session, seated.people, look)
    presenter.make_adviser, presenter.make_tutor = playing.adviser, playing.make_tutor
    presenter.tutoring = bool(section.tutor)
    if resume:
        presenter.recall()
    if cheat or cheat_me:
        presenter.cheats = (cheat, cheat_me) if look.bottom else (cheat_me, cheat)
    _play_all(presenter, seated, showing, analyse=analyse)
    return 0


def _play_all(presenter: Presenter, seated: Seated, showing: _Showing, *, analyse: bool) -> None:
    """Plays matches until there is to be no other."""
    from sixprime.terminal import seating

    colours: str = showing.theme
    by_lines = showing.plain or showing.words or not _full_screen()
    while True:
        over = False
        try:
            with seated.session, _closed_at_the_end(presenter):
                if by_lines:
                    over = _by_lines(presenter, seated, drawn=not showing.words, analyse=analyse)
                else:
                    over, colours = _by_screen(presenter, seated, colours, analyse=analyse)
        finally:
            if not over:
                _note_kept(seated.journal)
        if not presenter.again:
            return
        seated = seating.again(seated)
        presenter = presenter.rematch(seated.session)


def _said(settings: dict[str, Any]) -> dict[str, Any]:
    """Those of which something was said."""
    return {key: value for key, value in settings.items() if value is not None}


def _place(file: Path, game: int | None, move: Move | None, encoding: str | None) -> Place:
    """From where a match of a file is played on."""
    from sixprime.play.onward import place_in

    match = match_of(file, encoding)
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
        raise UsageError(f"{option(found)} says nothing for {what}")


def _refuse_without_effect(
    settings: dict[str, Any], playing: Playing, seed: str | None, start: ParsedPosition | Place | None
) -> None:
    """Raises UsageError for an option that would change nothing."""
    length = playing.rules.length
    if start is not None:
        length = start.state.length if isinstance(start, ParsedPosition) else start.table.rules.length
    only = ("jacoby", "beavers", "automatic_doubles") if length else ("crawford",)
    _refuse({name: settings[name] for name in only}, (), f"a match to {length}" if length else "money")
    source = playing.section.dice or "system"
    if seed is not None and (source == "manual" or source.startswith("file:")):
        raise UsageError(f"--seed says nothing for dice from {source.partition(':')[0]}")
    if isinstance(start, ParsedPosition) and not start.state.beavers:
        _refuse({"beavers": settings["beavers"]}, (), "a position whose ID says that there are none")


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


def _review(file: str | None, showing: _Showing) -> int:
    """Shows an analysis that was kept."""
    from sixprime.api import load_analysis
    from sixprime.play.onward import seat_named
    from sixprime.settings import load
    from sixprime.terminal.after import latest_analysis
    from sixprime.terminal.app import Playing
    from sixprime.terminal.review import Review

    if not _full_screen():
        raise UsageError("--review needs a terminal; sixprime analyse shows a match anywhere")
    analysed = load_analysis(Path(file) if file else latest_analysis())
    bottom = seat_named(analysed.match, load().play.name or "You")
    Playing(Review(analysed, replace(showing.look, bottom=bottom)), theme_name=_theme(showing.theme)).run()
    return 0
