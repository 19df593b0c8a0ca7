"""The full screen: keys, clicks, sizes, and what happens to a game when the program ends."""

from __future__ import annotations

import asyncio
import logging
import os
import pty
import select
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Awaitable, Callable
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest
from places import places
from terminal_play import Quiet, at_table
from textual import events
from textual.containers import VerticalScroll
from textual.pilot import Pilot
from textual.widgets import Static

from sixprime.analysis.model import AnalysedMatch
from sixprime.engine import Engine
from sixprime.game.match_rules import Rules
from sixprime.game.position import Position
from sixprime.game.state import MatchState
from sixprime.game.table import Phase, Table
from sixprime.kernels._objects import tell
from sixprime.play import Adviser, Clock, ListedDice, Person, Session, Tutor
from sixprime.progress import Hook, Stop
from sixprime.store import Library
from sixprime.terminal import after
from sixprime.terminal.app import Board, Page, Playing
from sixprime.terminal.board import BAR, DICE
from sixprime.terminal.presenter import Presenter
from sixprime.terminal.review import Review

LAST = Position.from_board([[1] + 24 * [0], [1] + 24 * [0]])
"""Each side has one chequer on its ace point."""


def screen(app: Playing, part: str) -> str:
    """The text of a part of the screen."""
    return str(app.query_one(f"#{part}").render())


def on(
    presenter: Presenter,
    test: Callable[[Playing, Pilot[None]], Awaitable[None]],
    size: tuple[int, int] = (80, 24),
    **options: object,
) -> Playing:
    """Runs a test on the screen."""
    app = Playing(presenter, **options)  # type: ignore[arg-type]

    async def run() -> None:
        async with app.run_test(size=size) as pilot:
            await settled(pilot)
            await test(app, pilot)
        presenter.session.close()

    asyncio.run(run())
    return app


async def settled(pilot: Pilot[None], done: Callable[[], bool] = lambda: True) -> None:
    """Waits until the screen shows what there is."""
    for _ in range(500):
        await pilot.pause(0.01)
        if done():
            break
    await pilot.pause()
    assert done()


async def click(app: Playing, pilot: Pilot[None], place: int, button: int = 1) -> None:
    """Clicks on a place of the board."""
    board = app.query_one(Board)
    drawing, _ = board._draw()
    left, top = board._corner(drawing)
    spots = [
        (x, y) for y in range(drawing.size.height) for x in range(drawing.size.width) if drawing.place(x, y) == place
    ]
    x, y = spots[len(spots) // 2]
    await pilot.click(Board, offset=(left + x, top + y), button=button)
    await pilot.pause()


def test_keys_on_a_page_are_not_for_the_board_behind_it() -> None:
    presenter = at_table(Rules(0), dice="3154", seats=(Person("Ann"), Person("Cleo")))

    async def test(app: Playing, pilot: Pilot[None]) -> None:
        presenter.say("8/5 6/5")
        await pilot.press("?")
        assert isinstance(app.screen, Page)
        await pilot.press("d", "t", "8")
        await pilot.pause()
        assert isinstance(app.screen, Page)
        assert (presenter.table.phase, app.typed) == (Phase.ROLL, "")
        await pilot.press("enter")
        await pilot.press("d")
        await settled(pilot, lambda: presenter.table.phase is Phase.DOUBLED)

    on(presenter, test)


@pytest.mark.parametrize(
    ("wide", "buttons"),
    [
        (80, " ⌫  back   s  swap dice   h  hint   g  resign   ?  help   q  quit "),
        (60, " ⌫  back   s  swap dice   h  hint   g  resign   ?   q "),
        (50, " ⌫  back   s  swap dice   h  hint   g   ?   q "),
    ],
)
def test_what_can_be_done_fits_on_narrow_screens(wide: int, buttons: str) -> None:
    presenter = at_table(Rules(5), dice="3154")

    async def test(app: Playing, pilot: Pilot[None]) -> None:
        await pilot.press("8", "/", "5")
        await pilot.pause()
        assert screen(app, "choices") == buttons

    on(presenter, test, size=(wide, 24))


def test_compiling_is_seen() -> None:
    presenter = at_table(Rules(5), dice="3154")

    async def test(app: Playing, pilot: Pilot[None]) -> None:
        asked = presenter.prompt
        tell(25, 100)
        await settled(pilot, lambda: screen(app, "prompt") == "Kernels are compiled: 25 %")
        tell(1, 1)
        await settled(pilot, lambda: screen(app, "prompt") == asked)

    app = on(presenter, test)
    tell(30, 100)
    assert app._compiling not in logging.getLogger("sixprime.kernels").handlers


def test_what_goes_wrong_in_the_session_is_said() -> None:
    presenter = at_table(Rules(5), dice="3154")

    def broken() -> None:
        raise ZeroDivisionError("nothing left")

    presenter.prepare = broken  # type: ignore[method-assign]

    async def test(app: Playing, pilot: Pilot[None]) -> None:
        await settled(pilot, lambda: presenter.failed)
        assert "Internal error: ZeroDivisionError: Nothing left." in presenter.lines

    on(presenter, test)


def test_a_play_is_typed_and_seen_before_it_counts() -> None:
    presenter = at_table(Rules(5), dice="3154")

    async def test(app: Playing, pilot: Pilot[None]) -> None:
        assert screen(app, "head") == "5-point match, game 1"
        assert "Ann   0 of 5   pips 167" in screen(app, "bottom")
        assert screen(app, "prompt") == "You have 3-1 to play."
        await pilot.press(*"8/5")
        assert screen(app, "prompt") == "You have 3-1 to play. 8/5, left 1  > 8/5▏"
        assert "pips 164" in screen(app, "bottom")
        await pilot.press("backspace", "backspace", "backspace")
        assert "pips 167" in screen(app, "bottom")
        await pilot.press("8", "space", "6")
        assert screen(app, "prompt").startswith("3-1: 8/5 6/5. Enter plays it.")
        await pilot.press("escape")
        assert presenter.entry is not None
        assert not presenter.entry.moves
        await pilot.press("8", "space", "6", "enter")
        await settled(pilot, lambda: "your turn" in screen(app, "prompt"))
        assert "1●31 8/5 6/5" in screen(app, "moves")
        assert "Bob rolls 5-4 and plays" in screen(app, "log")

    on(presenter, test)


def test_a_flood_is_no_play() -> None:
    """Of what is pasted the end is seen, and nothing is done."""
    presenter = at_table(Rules(5), dice="3154")

    async def test(app: Playing, pilot: Pilot[None]) -> None:
        app.post_message(events.Paste("8/5 " * 2500))
        await settled(pilot, lambda: bool(app.typed))
        assert len(app.typed) == 1000
        assert screen(app, "prompt").endswith("8/5 ▏")
        await pilot.press("x", "é", "backspace", "tab", "f7", "ctrl+x", "enter")
        assert "is no legal play of 3-1" in presenter.lines[-1]
        assert not app.typed
        assert presenter.table.phase is Phase.PLAY

    on(presenter, test)


def test_a_play_is_typed_bit_by_bit() -> None:
    presenter = at_table(Rules(5), dice="315433", seats=(Person("Ann"), Person("Cleo")))

    async def test(app: Playing, pilot: Pilot[None]) -> None:
        await pilot.press(*"8/5", "enter")
        assert screen(app, "prompt") == "Ann has 3-1 to play. 8/5, left 1"
        assert len(presenter.lines) == 1
        await pilot.press("6")
        assert screen(app, "prompt").startswith("3-1: 8/5 6/5. Enter plays it.")
        await pilot.press("escape")
        assert screen(app, "prompt") == "Ann has 3-1 to play. 8/5, left 1"
        # A click is on top of what is typed.
        await pilot.press("6")
        await click(app, pilot, DICE)
        await settled(pilot, lambda: presenter.table.turn == 1)
        await pilot.press("r", *"13/8 13/9", "enter", "b", "r")
        await settled(pilot, lambda: presenter.table.state.dice == (3, 3))
        await pilot.press(*"13/10", "enter")
        assert screen(app, "prompt") == "Ann has 3-3 to play. 13/10, left 3 3 3"

    on(presenter, test)


def test_an_encoding_without_the_signs_of_a_board_gets_letters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "__stderr__", TextIOWrapper(BytesIO(), "ascii"))

    async def test(app: Playing, pilot: Pilot[None]) -> None:
        assert screen(app, "bottom").startswith("X Ann")
        board = app.query_one(Board)
        text = "".join(segment.text for y in range(board.size.height) for segment in board.render_line(y))
        assert "X" in text
        assert text.isascii()

    on(at_table(Rules(3), dice="31"), test)


@pytest.mark.parametrize(("size", "theme"), [((80, 24), "dark"), ((120, 40), "light"), ((60, 20), "mono")])
def test_a_play_is_clicked(size: tuple[int, int], theme: str) -> None:
    presenter = at_table(Rules(5), dice="315431")

    async def test(app: Playing, pilot: Pilot[None]) -> None:
        await click(app, pilot, 8)
        assert presenter.chosen == 8
        await click(app, pilot, 5)
        await click(app, pilot, 6, button=3)
        assert presenter.entry is not None
        assert presenter.entry.done
        await click(app, pilot, DICE)
        await settled(pilot, lambda: presenter.table.turn == 0)
        assert presenter.table.phase is Phase.ROLL
        # A click on the board rolls, and buttons do what they say.
        await click(app, pilot, 20)
        await settled(pilot, lambda: presenter.table.phase is Phase.PLAY)

    on(presenter, test, size, theme_name=theme)


def test_keys_for_everything() -> None:
    presenter = at_table(Rules(5), dice="31543254")

    async def test(app: Playing, pilot: Pilot[None]) -> None:
        await pilot.press("s")
        assert presenter.shown().dice == ((1, False), (3, False))
        await pilot.press("space")
        assert presenter.shown().dice == ((3, False), (1, False))
        look = presenter.look
        await pilot.press("X", "C", "T")
        assert presenter.look.left
        assert not presenter.look.light
        assert app.board_theme == "light"
        await pilot.press("X", "C", "T")
        assert presenter.look == look
        await pilot.press("question_mark")
        assert isinstance(app.screen, Page)
        await pilot.press("enter")
        assert not isinstance(app.screen, Page)
        await pilot.press("colon", *"pips", "enter")
        assert "Pips: Ann 167" in screen(app, "log")
        await pilot.press("g")
        assert screen(app, "prompt") == "How much do you resign?"
        await pilot.press("escape")
        assert not presenter.resigning
        await pilot.press("q")
        assert screen(app, "prompt") == "Leave the table? The game is kept."
        await pilot.press("n", "ctrl+c")
        assert presenter.leaving
        await pilot.press("ctrl+c")

    on(presenter, test)
    assert presenter.session.table.phase is Phase.PLAY


def test_a_double_is_answered() -> None:
    presenter = at_table(Rules(5), dice="31543254", seats=(Person("Ann"), Person("Cleo")))

    async def test(app: Playing, pilot: Pilot[None]) -> None:
        await pilot.press(*"8/5", "space", *"6/5", "enter", "d")
        await settled(pilot, lambda: screen(app, "prompt") == "Cleo doubles to 2: take or pass?")
        # Escape and stray keys answer nothing.
        await pilot.press("escape", "n", "x")
        assert presenter.table.phase is Phase.DOUBLED
        await pilot.press("t")
        await settled(pilot, lambda: presenter.table.state.cube == 2)

    on(presenter, test)


def test_a_command_typed_over_a_page_is_a_command() -> None:
    """No letter of it is taken for a key of the board, where d doubles."""
    presenter = at_table(Rules(5), dice="3154")

    async def test(app: Playing, pilot: Pilot[None]) -> None:
        await pilot.press("question_mark")
        assert isinstance(app.screen, Page)
        await pilot.press("d", "space", "d", "u")
        assert isinstance(app.screen, Page)
        await pilot.press("colon", *"[d] x", "escape", "d", "colon", *"pipq", "backspace", "s")
        assert isinstance(app.screen, Page)
        assert "> pips▏" in str(app.screen.query_one(VerticalScroll).border_subtitle)
        await pilot.press("enter")
        assert not isinstance(app.screen, Page)
        assert "Pips: Ann 167" in screen(app, "log")
        assert not presenter.table.state.doubled
        await pilot.press("question_mark", "q")
        assert not isinstance(app.screen, Page)

    on(presenter, test)


def soon_over() -> tuple[Session, Presenter]:
    """A match whose first player has next to no time."""
    session = Session(
        (Person("Ann"), Person("You")), Rules(length=3), dice=ListedDice("3143"), clock=Clock(reserve=0.1)
    )
    presenter = Presenter(session, [0, 1])
    session.advance()
    return session, presenter


def test_who_has_lost_on_time_is_told_before_the_review(tmp_path: Path) -> None:
    session, presenter = soon_over()
    engine = Engine(plies=0, threads=1)

    async def test(app: Playing, pilot: Pilot[None]) -> None:
        await settled(pilot, lambda: isinstance(app.screen, Page))
        told = app.screen.query_one(Static).render().plain  # type: ignore[union-attr]
        assert told == "The time of Ann is over: You win the match."
        await pilot.press("enter")
        assert isinstance(app.scene, Review)

    on(presenter, test, analyse=lambda tell, stop: after.finish(session, tmp_path / "x.journal", engine, tell, stop))


def test_an_analysis_that_failed_may_be_asked_for_again(tmp_path: Path) -> None:
    session, presenter = soon_over()
    engine = Engine(plies=0, threads=1)
    full = [OSError(28, "No space left on device")]

    def analyse(tell: Hook, stop: Stop) -> tuple[AnalysedMatch, str]:
        if full:
            raise full.pop()
        return after.finish(session, tmp_path / "x.journal", engine, tell, stop)

    async def test(app: Playing, pilot: Pilot[None]) -> None:
        await settled(pilot, lambda: "No space left on device" in presenter.lines[-1])
        app._review()
        await settled(pilot, lambda: isinstance(app.scene, Review))

    on(presenter, test, analyse=analyse)


def test_hints_stand_beside_the_board() -> None:
    presenter = at_table(Rules(5), dice="3154")
    adviser = Adviser(Engine(plies=0, threads=1))
    presenter.make_adviser = lambda: adviser

    async def test(app: Playing, pilot: Pilot[None]) -> None:
        await pilot.press("h")
        await settled(pilot, lambda: "1 8/5 6/5" in screen(app, "moves"))
        await pilot.resize_terminal(60, 24)
        assert not app.query_one("#side").display
        await pilot.press("h")
        # All of them, the best first.
        await settled(pilot, lambda: isinstance(app.screen, Page))
        page = app.screen.query_one(Static).render().plain  # type: ignore[union-attr]
        assert page.startswith("1. 8/5 6/5")
        assert "5." in page
        await pilot.press("ctrl+j")
        # What has been read does not stay behind.
        assert screen(app, "log") == "Ann throws 3, Bob 1. Ann begins."
        for size in ((44, 20), (45, 19), (30, 10)):
            await pilot.resize_terminal(*size)
            assert screen(app, "small") == "The board needs 45 columns and 20 rows. Here are {} and {}.".format(*size)
            assert app.query_one("#small").display
            assert not app.query_one("#choices").display
        await pilot.resize_terminal(45, 20)
        assert app.query_one("#choices").display
        await pilot.resize_terminal(200, 60)
        assert app.query_one("#side").display

    on(presenter, test)


def test_a_hint_that_is_longer_than_the_board_is_shown_whole() -> None:
    presenter = at_table(Rules(5), dice="3154")
    adviser = Adviser(Engine(plies=0, threads=1))
    presenter.make_adviser = lambda: adviser

    async def test(app: Playing, pilot: Pilot[None]) -> None:
        await pilot.press(*":hint 10", "enter")
        await settled(pilot, lambda: isinstance(app.screen, Page))
        assert "\n10. " in app.screen.query_one(Static).render().plain  # type: ignore[union-attr]
        await pilot.press("enter")
        # Beside the board there are as many as have room, each with its chances.
        shown = screen(app, "moves").splitlines()
        assert [line[0] for line in shown[::3]] == list("12345")
        assert len(shown) == 15

    on(presenter, test)


@pytest.mark.parametrize("size", [(80, 24), (60, 24), (45, 20)])
def test_long_names_leave_room_for_score_and_pips(size: tuple[int, int]) -> None:
    presenter = at_table(Rules(5), dice="3154", seats=(Person("Bartholomew " * 6), Quiet()))

    async def test(app: Playing, pilot: Pilot[None]) -> None:
        line = app.query_one("#bottom").render_line(0).text
        assert "Bartho" in line
        assert "0 of 5   pips 167   to act" in line

    on(presenter, test, size)


def test_nothing_is_lost_of_what_is_said_of_names_in_wide_letters() -> None:
    presenter = at_table(Rules(5), dice="3154", seats=(Person("山田太郎" * 4), Person("山田花子" * 4)))

    async def test(app: Playing, pilot: Pilot[None]) -> None:
        await settled(pilot, lambda: bool(screen(app, "log")))
        rows = [app.query_one("#log").render_line(row).text for row in range(app.query_one("#log").size.height)]
        assert not any("…" in row for row in rows)
        assert "".join("".join(rows).split()) == "".join("".join(presenter.lines).split())

    on(presenter, test, (60, 30))


def test_a_warning_that_is_longer_than_a_row_is_shown_whole() -> None:
    presenter = at_table(Rules(5), dice="3154")
    presenter.session.tutor = Tutor(Adviser(Engine(plies=0, threads=1)))

    async def test(app: Playing, pilot: Pilot[None]) -> None:
        await pilot.press(*"8/4", "enter")
        await settled(pilot, lambda: presenter.warning is not None)
        above, below = screen(app, "log").splitlines()[-1], screen(app, "prompt")
        assert above + below == presenter.prompt
        assert presenter.prompt.endswith("Better: 8/5 6/5.")

    on(presenter, test, (45, 20))


def test_a_seat_that_breaks_down() -> None:
    class Broken(Quiet):
        """Breaks the rules once."""

        broken = True

        def decide(self, table: Table, stop: object) -> object:  # type: ignore[override]
            """As `Seat` says."""
            if self.broken:
                self.broken = False
                raise OSError(5, "is broken", "bob")
            return super().decide(table, stop)  # type: ignore[arg-type]

    presenter = at_table(Rules(5), dice="3154", seats=(Person("Ann"), Broken()))

    async def test(app: Playing, pilot: Pilot[None]) -> None:
        await pilot.press(*"8/5", "space", *"6/5", "enter")
        await settled(pilot, lambda: "bob: is broken" in "\n".join(presenter.lines).lower())
        assert presenter.failed
        await pilot.press("enter")
        await settled(pilot, lambda: presenter.table.turn == 0)

    on(presenter, test)


@pytest.mark.parametrize("rematch", [False, True])
def test_after_the_match_it_is_gone_through(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rematch: bool) -> None:
    monkeypatch.setenv("SIXPRIME_DATA", str(tmp_path))
    table = Table.from_position(LAST, MatchState(length=1, on_roll=0), ("Ann", "Bob"))
    presenter = at_table(table, dice="65")
    journal, engine = tmp_path / "it.journal", Engine(plies=0, threads=1)

    async def test(app: Playing, pilot: Pilot[None]) -> None:
        await click(app, pilot, 1)
        await click(app, pilot, 1)
        await pilot.press("enter")
        await settled(pilot, lambda: isinstance(app.scene, Review))
        assert screen(app, "head") == "Review: 1-point match, game 1, decision 1 of 1"
        assert "65 1/off" in screen(app, "moves")
        await pilot.press("right", "n", "left", "bracketright", "end", "home", "up")
        assert screen(app, "prompt") == "no more errors that way"
        await pilot.press("?")
        assert isinstance(app.screen, Page)
        await pilot.press("escape")
        assert not isinstance(app.screen, Page)
        assert " r  rematch " in screen(app, "choices")
        await pilot.press("r" if rematch else "escape")

    app = on(presenter, test, analyse=lambda tell, stop: after.finish(presenter.session, journal, engine, tell, stop))
    files = f"{journal.with_suffix('.sgf')}, {journal.with_suffix('.sixprime')}"
    assert app.saved == f"{files} and the library, match 1"
    assert [[side.name for side in match.sides] for match in Library().matches()] == [["Ann", "Bob"]]
    assert journal.with_suffix(".sgf").exists()
    assert app.again is rematch


def test_a_rematch_without_an_analysis() -> None:
    presenter = at_table(Table.from_position(LAST, MatchState(length=1, on_roll=0), ("Ann", "Bob")), dice="65")

    async def test(app: Playing, pilot: Pilot[None]) -> None:
        app.action_say("rematch")
        assert "not over yet" in presenter.lines[-1]
        await click(app, pilot, 1)
        await click(app, pilot, 1)
        await pilot.press("enter")
        await settled(pilot, lambda: presenter.over)
        # Enter alone begins nothing.
        await pilot.press("enter")
        assert not presenter.again
        await pilot.press("r")

    assert on(presenter, test).again


def test_a_kill_loses_nothing(tmp_path: Path) -> None:
    """In a terminal of its own the game goes on after a kill without mercy; ended, the terminal is put right."""
    environment = os.environ | places(tmp_path) | {"TERM": "xterm-256color"}
    command = [sys.executable, "-m", "sixprime", "play", "person", "--dice", "mersenne", "--seed", "5"]
    child, descriptor = started(command, environment)
    until(descriptor, "to play")
    os.write(descriptor, b"13/\x7f\x7f\x7f")
    (journal,) = (tmp_path / "games").glob("*.journal")
    table = Session.looked_at(journal).table
    assert table.state.dice is not None
    os.write(descriptor, f"{table.legal().plays[0]}\r".encode())
    until(descriptor, "your turn")
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    os.close(descriptor)
    child, descriptor = started([*command[:4], "--resume"], environment)
    until(descriptor, "your turn")
    os.kill(child, signal.SIGTERM)
    shown = until(descriptor, "play --resume goes on")
    assert "\x1b[?1049l" in shown
    assert os.waitpid(child, 0)[1] == 0
    os.close(descriptor)
    assert Session.looked_at(journal).table.phase is Phase.ROLL


@pytest.mark.parametrize(
    "options",
    [["person"], ["person", "--plain"], ["4-ply", "--instead", "4-ply"], ["4-ply", "--instead", "4-ply", "--words"]],
    ids=" ".join,
)
def test_a_terminal_that_vanishes_without_a_signal(tmp_path: Path, options: list[str]) -> None:
    """Its end is noticed within moments, whether a person or an engine is waited for; the game is kept."""
    environment = os.environ | places(tmp_path) | {"TERM": "xterm-256color"}
    command = [sys.executable, "-m", "sixprime", "play", *options, "--dice", "mersenne", "--seed", "5"]
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (24, 80))
    with subprocess.Popen(
        command, env=environment, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True
    ) as process:
        os.close(theirs)
        until(ours, "to play" if options[0] == "person" else "plays")
        os.close(ours)
        try:
            process.wait(60)
        finally:
            process.kill()
    (journal,) = (tmp_path / "games").glob("*.journal")
    assert Session.looked_at(journal).table.phase is not Phase.OPENING


def test_keys_before_the_screen_are_heard(tmp_path: Path) -> None:
    """What is typed while the program loads counts, though the terminal makes another key of Enter until then."""
    environment = os.environ | places(tmp_path) | {"TERM": "xterm-256color"}
    child, descriptor = started([sys.executable, "-m", "sixprime", "play", "person"], environment)
    os.write(descriptor, b"99/98\r:quit\r")
    until(descriptor, "Leave the table?", 20)
    os.write(descriptor, b"y")
    until(descriptor, "play --resume goes on", 20)
    assert os.waitpid(child, 0)[1] == 0
    os.close(descriptor)


def started(command: list[str], environment: dict[str, str]) -> tuple[int, int]:
    child, descriptor = pty.fork()
    if child == 0:
        os.execvpe(command[0], command, environment)
    return child, descriptor


def until(descriptor: int, text: str, seconds: float = 60) -> str:
    """What a program has written until some text came."""
    shown, limit = "", time.monotonic() + seconds
    while text not in shown and time.monotonic() < limit:
        if select.select([descriptor], [], [], 0.2)[0]:
            try:
                shown += os.read(descriptor, 1 << 16).decode(errors="replace")
            except OSError:
                break
    assert text in shown, shown[-3000:]
    return shown


def test_the_bar_comes_first() -> None:
    position = Position.from_board([[0] * 5 + [5] + [0] * 19, [0] * 5 + [5] + [0] * 18 + [2]])
    table = Table.from_position(position, MatchState(on_roll=0), ("Ann", "Bob"))
    presenter = at_table(table, dice="3154")

    async def test(app: Playing, pilot: Pilot[None]) -> None:
        if presenter.table.phase is Phase.ROLL:
            await pilot.press("r")
            await settled(pilot, lambda: presenter.table.phase is Phase.PLAY)
        assert presenter.shown().starts == [BAR]
        await pilot.press(*"bar", "space")
        assert "bar/22" in screen(app, "prompt")
        await pilot.press(*"bar", "enter")
        assert presenter.table.turn != 0 or presenter.table.phase is not Phase.PLAY

    on(presenter, test)
