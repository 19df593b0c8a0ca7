"""The full-screen board: a `Presenter`, and after the match a `Review`, shown by Textual.

The session plays in a thread of its own, and so does all that takes time; the screen hears of it by messages.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from textwrap import wrap
from threading import Event as Flag
from threading import Thread, Timer
from typing import Any, ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual import events
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.markup import escape
from textual.message import Message
from textual.screen import ModalScreen
from textual.strip import Strip
from textual.timer import Timer as UpdateTimer
from textual.widget import Widget
from textual.widgets import Static

from sixprime.analysis.model import AnalysedMatch
from sixprime.errors import IllegalPlayError, InvalidPlayError, SixprimeError
from sixprime.game.stepping import Entry
from sixprime.interrupts import when_hung_up
from sixprime.play.advice import Hint
from sixprime.play.wording import lost_by_time, one_line
from sixprime.progress import Hook, Progress, Stop
from sixprime.report.console import SKILL_STYLES
from sixprime.report.words import SKILL_SIGNS, percent, play_text, signed, six_chances
from sixprime.terminal.board import SIZES, THEMES, Drawing, Shown, draw, size_for
from sixprime.terminal.presenter import Presenter, Then
from sixprime.terminal.review import HELP, Review
from sixprime.terminal.scene import Choice, Leave, Scene

Analyse = Callable[[Hook, Stop], tuple[AnalysedMatch, str]]
"""Analyses the match and saves it; returns the analysis and, in words, where it is kept."""
_ENTER = ("enter", "ctrl+j")
"""Enter, also as the terminal sends it before there is a screen."""
_TYPED = frozenset("0123456789b")
"""What a move begins with."""
_BEGINS = (":", "/")
"""Keys after which a command is typed."""
_GOES_BACK = "Enter goes back"
_KEYS = (
    "",
    "Type a play, or click a chequer and where it goes, twice for the first die, or drag it. "
    "A click on the dice swaps them, or plays; on the cube doubles. "
    "Space swaps, too, and Enter does what comes first. Escape goes back.",
    "T: light or dark; X: bear off to the other side; C: the other chequers; : types a command.",
)
_AROUND = 5
"""Rows that are neither board nor what is said: headline, players, prompt, choices."""
_SIDE = 20
"""Columns that are needed beside the board for moves and hints; with fewer there is the board alone."""
_HINT_ROWS = 3
"""Rows of a play in a hint beside the board."""
_FILLER = "\0"
"""Stands for the second column of a letter that takes two."""
_NAME = 8
"""Columns that the name of a player has at least."""
_REVIEW_KEYS = {
    "enter": "next",
    "space": "next",
    "escape": "quit",
    "home": "first",
    "end": "end",
    "up": "before",
    "down": "error",
    "pageup": "last",
    "pagedown": "game",
}
_LONGEST = 1000
"""Characters that can be typed in a line."""
_MOMENT = 0.03
"""Seconds in which an opponent's answer is shown together with what it answers."""
_PATIENCE = 1.0
"""Seconds that the screen has to end in when its terminal has gone."""
_kernels = logging.getLogger("sixprime.kernels")
_log = logging.getLogger("sixprime.terminal")
_BARS = " ▁▂▃▄▅▆▇█"


def _has_signs() -> bool:
    """Whether the terminal's encoding, which Textual writes in, has the signs of a board in colours."""
    try:
        "●○▌▾▴·".encode(getattr(sys.__stderr__, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        return False
    return True


class Board(Widget):
    """The board of a scene; clicks go to the app."""

    DEFAULT_CSS = "Board { width: 1fr; height: 1fr; }"

    def __init__(self) -> None:
        super().__init__()
        self._what: tuple[Shown, str] | None = None
        self._drawn: tuple[object, Drawing, list[Strip]] | None = None
        self._pressed: int | None = None

    def show(self, shown: Shown, theme: str) -> None:
        """What is to be seen from now on."""
        if (shown, theme) != self._what:
            self._what = shown, theme
            self.refresh()

    def _draw(self) -> tuple[Drawing, list[Strip]]:
        """The board in the middle of the widget, and all its rows."""
        assert self._what is not None
        key = self._what, self.size
        if self._drawn is None or self._drawn[0] != key:
            (shown, theme), (width, height), ground = self._what, self.size, self.rich_style
            drawing = draw(shown, size_for(width, height), THEMES[theme])
            left, top = self._corner(drawing)
            blank = Strip.blank(width, ground)
            rows = [Strip([Segment(" " * left, ground), *drawing.segments(y)]) for y in range(drawing.size.height)]
            strips = [blank] * top + [row.crop_extend(0, width, ground) for row in rows]
            self._drawn = key, drawing, [*strips, *[blank] * max(0, height - len(strips))]
        return self._drawn[1:]

    def _corner(self, drawing: Drawing) -> tuple[int, int]:
        """Where the drawing begins within the widget."""
        size = drawing.size
        return max(0, (self.size.width - size.width) // 2), max(0, (self.size.height - size.height) // 2)

    def render_line(self, y: int) -> Strip:
        """A row of the screen."""
        return self._draw()[1][y] if self._what is not None else Strip.blank(self.size.width, self.rich_style)

    def _place(self, event: events.MouseEvent) -> int | None:
        drawing = self._draw()[0]
        left, top = self._corner(drawing)
        return drawing.place(event.x - left, event.y - top)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Takes up a chequer, or puts it down."""
        app = self.app
        assert isinstance(app, Playing)
        self._pressed = self._place(event)
        app.clicked(self._pressed, quick=event.button != 1)

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """Puts down a chequer that was dragged."""
        app = self.app
        assert isinstance(app, Playing)
        place = self._place(event)
        if self._pressed is not None and place != self._pressed:
            app.dropped(place)
        self._pressed = None


class Part(Static):
    """A part of the screen that can be clicked."""

    def on_click(self, event: events.Click) -> None:
        """Tells the app where."""
        app = self.app
        assert isinstance(app, Playing)
        app.chosen(self.id or "", event.x, event.y)


class Page(ModalScreen[None]):
    """A text to be read, until it is left. A command may be typed over it; no other key is for the board behind it.

    Keys come here one after the other, however fast they are typed; bindings would be looked at before them.
    """

    DEFAULT_CSS = """
    Page { align: center middle; }
    Page VerticalScroll { width: 76; max-width: 95%; height: auto; max-height: 100%; border: round; padding: 0 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+c,ctrl+q", "dismiss", show=False, priority=True)]

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text, self._typed = text, ""

    def compose(self) -> ComposeResult:
        """The text, and how to leave it."""
        with VerticalScroll() as area:
            area.border_subtitle = _GOES_BACK
            yield Static(Text(self._text))

    def on_key(self, event: events.Key) -> None:
        """A key that leaves, or one of a command."""
        event.stop()
        app, key = self.app, "enter" if event.key in _ENTER else event.key
        assert isinstance(app, Playing)
        if not self._typed:
            if key in ("enter", "escape", "q"):
                self.dismiss()
            elif event.character in _BEGINS:
                self._typed = " "
        elif key == "enter":
            self.dismiss()
            app.action_say(self._typed)
        elif key == "escape":
            self._typed = ""
        elif key == "backspace":
            self._typed = self._typed[:-1]
        elif event.character and event.is_printable:
            self._typed += event.character
        said = f"> {escape(self._typed.lstrip())}▏" if self._typed else _GOES_BACK
        self.query_one(VerticalScroll).border_subtitle = said

    def on_paste(self, event: events.Paste) -> None:
        """The same."""
        event.stop()


class _Compiling(logging.Handler):
    """Hears how far the kernels are compiled."""

    def __init__(self, hear: Callable[[Progress], None]) -> None:
        super().__init__(logging.INFO)
        self._hear = hear

    def emit(self, record: logging.LogRecord) -> None:
        step = record.__dict__.get("progress")
        if isinstance(step, Progress):
            self._hear(step)


class Changed(Message):
    """The session has gone on."""


class Told(Message):
    """Something that has to be done in the thread of the screen."""

    def __init__(self, do: Callable[[], None]) -> None:
        super().__init__()
        self.do = do


class Playing(App[None]):
    """The screen of a session, or of an analysis alone.

    analyse: what is done after the match; None: nothing. theme_name: dark, light or mono.
    """

    TITLE = "Sixprime"
    ENABLE_COMMAND_PALETTE = False
    CSS = """
    Screen { layout: vertical; overflow: hidden; }
    #head { height: 1; text-style: bold; padding: 0 1; }
    #middle { height: 1fr; }
    #left { width: 1fr; }
    #side { width: 21; padding: 0 0 0 1; }
    #graph { height: 0; }
    #moves { height: 1fr; }
    .player { height: 1; padding: 0 1; }
    #log { height: 2; padding: 0 1; color: $text-muted; }
    #prompt { height: 1; padding: 0 1; text-style: bold; }
    #choices { height: 1; padding: 0 1; }
    Static {
        text-wrap: nowrap; text-overflow: ellipsis;
        link-style: none; link-background: transparent; link-color: auto; link-style-hover: bold;
    }
    Page Static, #small { text-wrap: wrap; }
    #small { display: none; height: 100%; content-align: center middle; text-align: center; }
    .small > * { display: none; }
    .small > #small { display: block; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c", "leave", show=False, priority=True),
        Binding("ctrl+q", "leave", show=False, priority=True),
        Binding("ctrl+z", "suspend_process", show=False, priority=True),
    ]

    def __init__(self, scene: Presenter | Review, *, analyse: Analyse | None = None, theme_name: str = "dark") -> None:
        theme_name = theme_name if _has_signs() else "mono"
        super().__init__(ansi_color=theme_name == "mono" or None)
        self.presenter = scene if isinstance(scene, Presenter) else None
        self.scene: Scene = scene
        self._analyse = analyse
        self.saved = ""
        """Where the analysis is, in words."""
        self.board_theme = theme_name
        self.typed = ""
        self._log_height = 2
        self._parts: dict[str, tuple[str, int | None]] = {}
        self._places: dict[str, list[int | None]] = {}
        self._refreshing = False
        self._awaited: UpdateTimer | None = None
        self._before: Entry | None = None
        self._stop = Flag()
        self._analysing = False
        self._compiling = _Compiling(self._compiled)
        self._leave_session: Callable[[], None] = lambda: None
        if self.presenter is not None:
            self.presenter.work = self._work
            self.presenter.analyse = self._review if analyse is not None else None
            self._leave_session = self.presenter.session.watch(lambda event, table: self._post(Changed()))

    # The screen

    def compose(self) -> ComposeResult:
        """The parts of the screen."""
        yield Static(id="head")
        with Horizontal(id="middle"):
            with Vertical(id="left"):
                yield Static(id="top", classes="player")
                yield Board()
                yield Static(id="bottom", classes="player")
            with Vertical(id="side"):
                yield Part(id="moves")
                yield Part(id="graph")
        yield Static(id="log")
        yield Static(id="prompt")
        yield Static(id="choices")
        yield Static(id="small")

    def on_mount(self) -> None:
        """Starts the session."""
        if self.board_theme != "mono":
            self.theme = f"textual-{self.board_theme}"
        loop = asyncio.get_running_loop()
        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            # What asks the program to end ends it as leaving does: the terminal is put right, the game is kept.
            with suppress(AttributeError, NotImplementedError, ValueError, RuntimeError):
                loop.add_signal_handler(getattr(signal, name), self.leave)
        if not self.is_headless:
            when_hung_up(_end_soon)
        # After Ctrl-Z the terminal shows something else.
        self.app_resume_signal.subscribe(self, lambda app: app.refresh(layout=True))
        if self.presenter is not None:
            _kernels.addHandler(self._compiling)
            _kernels.setLevel(logging.INFO)
            if self.presenter.session.clock is not None:
                self.set_interval(1.0, self.refresh_all)
            Thread(target=self._play, args=(self.presenter,), daemon=True).start()
        self.refresh_all()

    def on_resize(self, event: events.Resize) -> None:
        """The parts get the room that there is."""
        wide, high = event.size
        columns, rows = SIZES[-1].width, SIZES[-1].height + _AROUND + 2
        self.screen_stack[0].set_class(wide < columns or high < rows, "small")
        self._put("small", Text(f"The board needs {columns} columns and {rows} rows. Here are {wide} and {high}."))
        board = size_for(wide - _SIDE, high - _AROUND - 2)
        beside = wide - board.width
        self.query_one("#side").display = beside >= _SIDE
        self.query_one("#side").styles.width = min(48, beside)
        if self.presenter is not None:
            self.presenter.beside = (board.height + 2) // _HINT_ROWS if beside >= _SIDE else 0
        self._log_height = max(2, min(10, high - board.height - _AROUND))
        self.call_after_refresh(self.refresh_all)

    def refresh_all(self) -> None:
        """Shows everything as it is now."""
        scene = self.scene
        review = isinstance(scene, Review)
        for line, player in (("top", 1 - scene.look.bottom), ("bottom", scene.look.bottom)):
            self._put(line, self._player(player))
        self._put("head", _line(scene.headline))
        hinted = scene.hinted if isinstance(scene, Presenter) else None
        self._put("moves", self._moves() if hinted is None else self._hint(*hinted))
        self._put("choices", self._choices())
        height = self._log_height
        if review:
            height = max(height, min(6, self.size.height - SIZES[-1].height - _AROUND))
        wide = max(20, self.size.width - 2)
        said = scene.lines if review else scene.lines[-height:]
        lines = [line for each in said for line in _wrapped(each, wide, subsequent_indent="  ")]
        lines = lines[:height] if review else lines[-height:]
        # Of what a player is asked nothing may be missing: what is longer than a row begins in those above.
        *above, last = [self._prompt()] if review else _wrapped(self._prompt(), wide)
        if above:
            lines = [*lines, *[""] * (height - len(lines) - len(above)), *above][-height:]
        self._put("prompt", _line(last))
        self._put("log", _line("\n".join(lines)), height)
        self._put("graph", self._graph(scene) if isinstance(scene, Review) else Text(), 6 if review else 0)
        self.query_one(Board).show(scene.shown(), self.board_theme)

    def _prompt(self) -> str:
        """What is waited for, and the end of what is typed."""
        if not self.typed:
            return self.scene.prompt
        room = max(10, self.size.width - len(self.scene.prompt) - 8)
        typed = self.typed if len(self.typed) <= room else f"…{self.typed[1 - room :]}"
        return f"{self.scene.prompt}  > {typed}▏"

    def _put(self, name: str, text: Text, height: int | None = None) -> None:
        """Puts a text into a part of the screen, if it is another one. height: rows of the part from now on."""
        part = self.query_one(f"#{name}", Static)
        if self._parts.get(name) != (text.markup, height):
            self._parts[name] = text.markup, height
            if height is not None:
                part.styles.height = height
            part.update(text, layout=False)

    @property
    def _colours(self) -> bool:
        return self.board_theme != "mono"

    def _sign(self, player: int) -> str:
        """A player's chequer, as it looks on this ground: what is filled is dark by day and light by night."""
        look = self.scene.look
        bottom = player == look.bottom
        if not self._colours:
            return "X" if bottom else "O"
        return "●" if (look.light == bottom) == (self.board_theme == "dark") else "○"

    def _player(self, player: int) -> Text:
        """A player with score and pips; where that is too long, the name is cut."""
        scene = self.scene
        text = Text(no_wrap=True, overflow="ellipsis")
        text.append(f"   {scene.scores[player]}" + (f" of {scene.length}" if scene.length else " points"))
        text.append(f"   pips {scene.pips[player]}")
        difference = scene.pips[player] - scene.pips[1 - player]
        if difference:
            text.append(f" ({difference:+d})", "dim")
        if remark := scene.remark(player):
            text.append(f"   {remark}", "dim")
        if scene.turn == player:
            text.append("   to act", "bold green" if self._colours else "bold")
        name = Text(f"{self._sign(player)} {scene.names[player]}", "bold")
        name.truncate(max(_NAME, self.query_one("#top").size.width - text.cell_len), overflow="ellipsis")
        return Text(no_wrap=True, overflow="ellipsis").append_text(name).append_text(text)

    def _moves(self) -> Text:
        """The list of moves, the latest or the current in sight."""
        widget = self.query_one("#moves", Static)
        wide, high = max(10, widget.size.width), max(1, widget.size.height)
        rows = self.scene.rows
        lines: list[Text] = []
        for row in rows:
            text = Text(f"{row.number:>2}{self._sign(row.player)}", "dim")
            mark = SKILL_SIGNS[row.skill]
            style = SKILL_STYLES[row.skill] if row.skill and self._colours else ""
            body = _narrow(row.text, wide - len(mark) - 5)
            text.append(body, style or "not dim")
            if mark:
                text.append(f" {mark}", style or "bold")
            if row.current:
                text.stylize("reverse")
            lines.append(text)
        at = next((number for number, row in enumerate(rows) if row.current), len(lines) - 1)
        first = max(0, min(at - high // 2, len(lines) - high))
        self._places["moves"] = [row.place for row in rows[first : first + high]]
        shown = Text("\n").join(lines[first : first + high])
        shown.no_wrap, shown.overflow = True, "ellipsis"
        return shown

    def _hint(self, hint: Hint, count: int) -> Text:
        """A hint, narrow enough to stand beside the board, as far as it has room there."""
        text = Text(no_wrap=True, overflow="ellipsis")
        room = self.presenter.beside if self.presenter is not None else count
        for rank, option in enumerate(hint.options[: min(count, room)], 1):
            text.append(f"{rank} {play_text(option.words)}\n", "bold green" if rank == 1 and self._colours else "bold")
            loss = "" if rank == 1 else f"  {signed(-option.loss)}"
            text.append(f"  {signed(option.equity)}{loss}\n")
            if option.analysis is not None:
                win, gammon, _, _, lost, _ = map(percent, six_chances(option.analysis.probabilities))
                text.append(f"  {win} {gammon} -{lost}\n", "dim")
        return text

    def _choices(self) -> Text:
        """What can be done, as buttons; where they are too many, the last are keys alone."""
        choices, room = self.scene.choices, self.size.width - 2
        rows = (self._buttons(choices, named) for named in range(len(choices), -1, -1))
        return next((row for row in rows if row.cell_len <= room), self._buttons(choices, 0))

    def _buttons(self, choices: Sequence[Choice], named: int) -> Text:
        """Choices as buttons, so many of them with their words."""
        text = Text(no_wrap=True, overflow="ellipsis")
        for number, choice in enumerate(choices):
            key = {"left": "←", "right": "→", "backspace": "⌫", "enter": "⏎"}.get(choice.key, choice.key)
            button = Text()
            button.append(f" {key} ", "reverse bold" if number == 0 else "reverse")
            if number < named:
                button.append(f" {choice.words} ", "bold" if number == 0 else "")
            button.stylize(Style.from_meta({"@click": f"app.say('{choice.command}')"}))
            text.append(" " if number else "").append_text(button)
        return text

    def _graph(self, review: Review) -> Text:
        """How the match went, from the bottom up the share of who sits there, the decision looked at marked."""
        widget = self.query_one("#graph", Static)
        wide, high = max(8, widget.size.width), 5
        bottom = review.look.bottom
        values = [1 - value for value in review.graph] if bottom else review.graph
        name = review.names[bottom]
        title = "Your chances" if name.lower() == "you" else _narrow(f"Chances of {name}", wide)
        text = Text(f"{title}\n", "dim", no_wrap=True, overflow="crop")
        if not values:
            return text
        columns = min(wide, len(values))
        place = [min(len(values) - 1, column * len(values) // columns) for column in range(columns)]
        self._places["graph"] = list(place)
        here = max((column for column in range(columns) if place[column] <= review.at), default=0)
        for row in range(high - 1, -1, -1):
            for column, at in enumerate(place):
                level = values[at] * high - row
                character = _BARS[max(0, min(8, round(level * 8)))]
                style = "reverse" if column == here else "green" if self._colours else ""
                text.append(character, style)
            text.append("\n" if row else "")
        return text

    # What happens

    def _post(self, message: Message) -> None:
        """Sends a message to the screen, from any thread; a screen that has gone hears nothing."""
        with suppress(Exception):
            self.post_message(message)

    def _play(self, presenter: Presenter) -> None:
        """Plays the session, in a thread."""
        try:
            presenter.prepare()
            presenter.session.run(self._stop)
        except Exception as error:
            said = one_line(error)
            if not isinstance(error, SixprimeError | OSError):
                _log.error("playing failed", exc_info=error)
                said = f"Internal error: {type(error).__name__}: {said}"
            self._post(Told(lambda: presenter.fail(said)))
        self._post(Changed())

    def _compiled(self, step: Progress) -> None:
        """Says how far the kernels are compiled, which takes a minute once; from any thread."""
        total = step.total or step.done
        said = f"Kernels are compiled: {100 * step.done // total} %" if step.done < total else ""

        def show() -> None:
            presenter = self.presenter
            if presenter is not None and (not presenter.busy or presenter.busy.startswith("Kernels are compiled")):
                presenter.busy = said

        self._post(Told(show))

    def _work(self, job: Callable[[], Any], then: Then) -> None:
        """Has a thread do work, and the screen what comes after it."""

        def run() -> None:
            try:
                answer = job()
            except Exception as error:
                answer = error
            self._post(Told(lambda: then(answer)))

        Thread(target=run, daemon=True).start()

    def on_changed(self, message: Changed) -> None:
        """Shows what the session has come to."""
        presenter = self.presenter
        if presenter is not None and presenter.over and self._analyse is not None:
            self._review()
        self._refresh_soon()

    def _refresh_soon(self) -> None:
        """Shows everything, together with what follows at once: while another than a person thinks, his answer."""
        presenter = self.presenter
        if presenter is self.scene and presenter is not None and presenter.elsewhere:
            if self._awaited is None:
                self._awaited = self.set_timer(_MOMENT, self._refresh_once)
        elif not self._refreshing:
            self._refreshing = True
            self.call_later(self._refresh_once)

    def _refresh_once(self) -> None:
        self._refreshing = False
        if self._awaited is not None:
            self._awaited.stop()
            self._awaited = None
        self.refresh_all()

    def on_told(self, message: Told) -> None:
        """Does what another thread has left to the screen."""
        before = self._said
        message.do()
        self._show_page(before)
        self.refresh_all()

    def _review(self) -> None:
        """Analyses what has been played, then goes through it."""
        presenter, analyse = self.presenter, self._analyse
        if presenter is None or analyse is None or self._analysing:
            return
        self._analysing = True

        def tell(step: Progress) -> None:
            if step.total:
                said = f"The match is analysed: {100 * step.done // step.total} %"
                self._post(Told(lambda: setattr(presenter, "busy", said if presenter.busy else "")))

        def show(answer: tuple[AnalysedMatch, str]) -> None:
            analysed, self.saved = answer
            self.scene = Review(analysed, presenter.look, played=presenter.over)
            if presenter.late is not None:
                # The record ends in the midst of a game.
                self.push_screen(Page(lost_by_time(presenter.table, presenter.late)))

        def job() -> tuple[AnalysedMatch, str]:
            try:
                return analyse(tell, self._stop)
            except BaseException:
                self._analysing = False
                raise

        presenter.take_time("The match is analysed.", job, show)

    # Keys and clicks

    def action_say(self, text: str) -> None:
        """Says a command, as typed or clicked."""
        before = self._said
        try:
            if isinstance(self.scene, Review) and text.strip() in ("help", "?"):
                self.push_screen(Page("\n".join(HELP)))
            else:
                self.scene.say(text)
        except Leave:
            self.leave()
        self._show_page(before, _KEYS if text == "help" else ())
        self.typed = ""
        self._before = None
        self._refresh_soon()

    @property
    def _said(self) -> int:
        """How many lines have been said."""
        return 0 if self.presenter is None else len(self.presenter.lines)

    def _show_page(self, before: int, more: Sequence[str] = ()) -> None:
        """What was said after so many lines, on a page of its own if it is too much for the screen."""
        if self.presenter is None:
            return
        lines = self.presenter.lines[before:]
        if sum(len(_wrapped(line, max(20, self.size.width - 2))) for line in lines) > self._log_height:
            # It has been read there, and is not left behind in two rows that begin anywhere.
            del self.presenter.lines[before : before + len(lines)]
            self.push_screen(Page("\n".join([*lines, *more])))

    def action_leave(self) -> None:
        """Ctrl-C: asks first, and the second time leaves."""
        presenter = self.presenter
        if presenter is not self.scene or presenter is None or presenter.leaving:
            self.leave()
        else:
            self.action_say("quit")

    @property
    def again(self) -> bool:
        """Whether whoever has left wants another match as this one."""
        return any(scene is not None and scene.again for scene in (self.presenter, self.scene))

    def leave(self) -> None:
        """Ends the program; the journal has the game."""
        self._end_work()
        self._leave_session()
        self.exit()

    def on_unmount(self) -> None:
        """However the screen has ended, nothing goes on behind it."""
        _kernels.removeHandler(self._compiling)
        self._end_work()

    def _end_work(self) -> None:
        self._stop.set()
        if self.presenter is not None:
            self.presenter.stop.set()

    def clicked(self, place: int | None, *, quick: bool) -> None:
        """A click on the board."""
        if isinstance(self.scene, Presenter):
            # What is typed stays on the board, and the click is on top of it.
            self.typed, self._before = "", None
            self.scene.click(place, quick=quick)
            self.refresh_all()

    def chosen(self, part: str, x: int, y: int) -> None:
        """A click on the moves or the graph of a review: to that decision."""
        places, at = self._places.get(part, []), y if part == "moves" else x
        if isinstance(self.scene, Review) and 0 <= at < len(places) and (place := places[at]) is not None:
            self.scene.go(place)
            self.refresh_all()

    def dropped(self, place: int | None) -> None:
        """The end of a drag."""
        if isinstance(self.scene, Presenter):
            self.scene.drop_at(place)
            self.refresh_all()

    def on_paste(self, event: events.Paste) -> None:
        """Text from elsewhere is typed."""
        self._type(self.typed + " ".join(event.text.split()))

    def on_key(self, event: events.Key) -> None:
        """Typing: a move or a command; else a key means a choice."""
        event.stop()
        if self.typed and self._typing(event):
            return
        key, character = "enter" if event.key in _ENTER else event.key, event.character or ""
        scene = self.scene
        keys = {choice.key: choice.command for choice in scene.choices}
        if not isinstance(scene, Presenter):
            keys |= _REVIEW_KEYS
        elif key == "enter" and scene.failed:
            scene.failed = False
            Thread(target=self._play, args=(scene,), daemon=True).start()
            return
        else:
            done = scene.entry is None or scene.entry.done
            keys |= {"enter": "", "space": "" if done else "swap", "escape": "rethink"}
        pressed = keys.get(key, keys.get(character))
        if pressed is not None:
            self.action_say(pressed)
        elif character == "T":
            self._next_theme()
        elif character in ("X", "C"):
            self._turn(left=character == "X")
        elif character in _TYPED and (character != "b" or not isinstance(scene, Presenter) or scene.entry is not None):
            self._type(character)
        elif character in _BEGINS:
            self._type(" ")

    def _typing(self, event: events.Key) -> bool:
        """A key while something is being typed; whether it was for that."""
        if event.key == "escape":
            self._type("")
        elif event.key in _ENTER:
            said = self.typed
            # What it means is on the board already; it is said of what was there before.
            self._type("", drawn=False)
            self.action_say(said)
        elif event.key == "backspace":
            self._type(self.typed[:-1])
        elif event.character and event.is_printable:
            self._type(self.typed + event.character)
        else:
            return False
        return True

    def _type(self, text: str, *, drawn: bool = True) -> None:
        """What is typed now; the board shows what it means."""
        scene, text = self.scene, text[:_LONGEST]
        if isinstance(scene, Presenter) and scene.entry is not None:
            if self._before is None:
                self._before = scene.entry
            scene.show(self._before)
            if text.strip():
                with suppress(IllegalPlayError, InvalidPlayError):
                    scene.type(text)
        self.typed = text
        if not text:
            self._before = None
        if drawn:
            self.refresh_all()

    def _next_theme(self) -> None:
        if self._colours:
            self.board_theme = "light" if self.board_theme == "dark" else "dark"
            self.theme = f"textual-{self.board_theme}"
            self.refresh_all()

    def _turn(self, *, left: bool) -> None:
        """Bears off to the other side, or with chequers of the other colour."""
        look = self.scene.look
        self.scene.look = replace(look, left=not look.left) if left else replace(look, light=not look.light)
        self.refresh_all()


def _end_soon() -> None:
    """Ends the process if the screen does not: it may wait for ever for a terminal that has gone."""
    last = Timer(_PATIENCE, os._exit, [1])
    last.daemon = True
    last.start()


def _wrapped(text: str, wide: int, subsequent_indent: str = "") -> list[str]:
    """A text in rows of so many columns, of which some letters take two."""
    filled = "".join(sign + _FILLER * (cell_len(sign) - 1) for sign in text)
    # A word that is broken may be so between a letter and what fills its second column.
    room = wide if len(filled) == len(text) else wide - 1
    rows = wrap(filled, room, drop_whitespace=False, subsequent_indent=subsequent_indent)
    return [row.replace(_FILLER, "") for row in rows] or [""]


def _line(text: str) -> Text:
    return Text(text, no_wrap=True, overflow="ellipsis")


def _narrow(text: str, wide: int) -> str:
    """A text cut to so many columns."""
    return text if len(text) <= wide else text[: max(0, wide - 1)] + "…"
