"""Who sits at a session: people, our levels of play, and bots.

A seat is asked at every table at which its player must act. It answers with an act, whose dice the session throws, or
with None: later, by `Session.submit`. Whoever thinks for long looks at `stop`.
"""

from __future__ import annotations

import re
import secrets
from abc import ABC, abstractmethod
from collections.abc import Callable
from concurrent.futures import Future, wait
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeVar, runtime_checkable
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from sixprime import kernels
from sixprime.checks import TEXT
from sixprime.cube.decision import beavers
from sixprime.cube.met import MAX_AWAY
from sixprime.cube.state import CubeState
from sixprime.engine import Engine
from sixprime.engine.judge import Book
from sixprime.engine.presets import PRESETS, Preset, get_preset
from sixprime.errors import DataFileError, SettingsError, StoppedError
from sixprime.game.acts import Accept, Act, Beaver, Decline, Double, Drop, Move, Resign, Roll, Take
from sixprime.game.doubling import takes
from sixprime.game.match_rules import Rules, quiet
from sixprime.game.play import Play
from sixprime.game.position import Position
from sixprime.game.state import MatchState
from sixprime.game.table import Phase, Table
from sixprime.play.resigning import Resigning, offer_taken
from sixprime.players.bot import Asked, Bot
from sixprime.players.levels import LEVELS, Errors, Level, get_level
from sixprime.progress import NOBODY, Stop

if TYPE_CHECKING:
    from sixprime.players.lobby import Lobby

T = TypeVar("T", bound=Any)
_GLANCE = 0.02
"""Seconds between two looks at what tells us to stop."""


@runtime_checkable
class Seat(Protocol):
    """Whoever acts for a player."""

    @property
    def name(self) -> str:
        """What to call the player."""

    def decide(self, table: Table, stop: Stop) -> Act | None:
        """What `table.turn`, its player, does; None: later. May be asked from any thread.

        Raises StoppedError within moments after `stop` is set: nobody wants the answer any more.
        """


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who takes his time, or a program far away: all his acts are submitted."""

    name: str
    spec: ClassVar[str] = "person"

    def decide(self, table: Table, stop: Stop) -> None:
        """Later."""


class _Program(ABC):
    """What all programs have in common; judge: the engine by which they resign and answer resignations.

    spec: the text by which `seat_of` makes it again; empty for what no text describes.
    """

    def __init__(self, name: str, judge: Engine, spec: str = "") -> None:
        self.name, self.spec = name, spec
        self._resigning = Resigning(judge)

    def decide(self, table: Table, stop: Stop = NOBODY) -> Act | None:
        """As `Seat` says."""
        player, legal = table.turn, table.legal()
        if player is None:
            return None
        match table.phase:
            case Phase.ROLL:
                if value := self._resigning.offer(table, stop):
                    return Resign(player, value)
                return Double(player) if Double in legal and self._doubles(table, stop) else Roll(player)
            case Phase.PLAY:
                plays = legal.plays
                return Move(player, plays[0] if len(plays) == 1 else self._play(table, stop))
            case Phase.DOUBLED:
                return self._answer(table, player, stop)
            case Phase.RESIGNED:
                return Accept(player) if self._resigning.accepts(table, stop) else Decline(player)
        return None

    @abstractmethod
    def _play(self, table: Table, stop: Stop) -> Play:
        """The best of several plays."""

    @abstractmethod
    def _doubles(self, table: Table, stop: Stop) -> bool:
        """Whether the player on roll, who may, doubles."""

    @abstractmethod
    def _answer(self, table: Table, player: int, stop: Stop) -> Act:
        """The answer to a double, beaver or raccoon."""


_CLEAR: WeakKeyDictionary[Engine, Engine] = WeakKeyDictionary()


def _clear(engine: Engine) -> Engine:
    """An engine without noise: made once, as the command language has a seat of its own for every decision."""
    if not engine.level.noise:
        return engine
    if engine not in _CLEAR:
        _CLEAR[engine] = Engine(engine.net, threads=engine.threads, met=engine.met, plies=0, databases=engine.databases)
    return _CLEAR[engine]


class EngineSeat(_Program):
    """An engine of ours, which plays and doubles by its level; engine: may be shared by several seats."""

    def __init__(self, engine: Engine, name: str = "", spec: str = "") -> None:
        super().__init__(name or f"Sixprime {engine.level.name}", _clear(engine), spec)
        self.engine = engine

    @classmethod
    def at(
        cls, level: str | Preset, *, name: str = "", threads: int | None = None, book: Book | None = None
    ) -> EngineSeat:
        """The standard net at a level of play, such as "world class" or "beginner". Raises as `Engine` does."""
        engine = Engine(level=level, threads=threads, book=book)
        return cls(engine, name, _spec(engine.level.name, book) if engine.level.name in PRESETS else "")

    def _play(self, table: Table, stop: Stop) -> Play:
        state = quiet(table.state)
        assert state.dice is not None
        return self.engine.best_plays(table.position, state.dice, match=state, count=1, stop=stop)[0].play

    def _doubles(self, table: Table, stop: Stop) -> bool:
        return self.engine.cube_action(table.position, match=table.state, stop=stop).should_double

    def _answer(self, table: Table, player: int, stop: Stop) -> Act:
        taken = offer_taken(self.engine, table, stop=stop).value
        if Beaver in table.legal() and beavers(taken):
            return Beaver(player)
        return Take(player) if takes(taken) else Drop(player)


class LevelSeat(EngineSeat):
    """Somebody of ours who errs as people do, at one of the levels of `sixprime.players.levels`.

    seed: of the errors, None for another one with each seat. Resigns by a clear judgement, and beavers where it and his
    own say so: who turns every double back that he likes is no person.
    """

    def __init__(
        self,
        level: Level,
        name: str = "",
        *,
        seed: int | None = None,
        threads: int | None = 1,
        book: Book | None = None,
    ) -> None:
        seed = secrets.randbits(63) if seed is None else seed
        engine = level.engine(threads=threads, book=book)
        super().__init__(engine, name or level.name.capitalize(), _spec(f"{level.name}:{seed}", book))
        self.level, self._errors = level, Errors(level, seed)

    def _play(self, table: Table, stop: Stop) -> Play:
        state = quiet(table.state)
        assert state.dice is not None
        plays = self.engine.best_plays(table.position, state.dice, match=state, stop=stop)
        return self._errors.chosen(table.position, state.dice, plays).play

    def _doubles(self, table: Table, stop: Stop) -> bool:
        return self._errors.doubles(self.engine.cube_action(table.position, match=table.state, stop=stop))

    def _answer(self, table: Table, player: int, stop: Stop) -> Act:
        if table.state.beavered or player == table.state.on_roll:
            return super()._answer(table, player, stop)
        cube = self.engine.cube_action(table.position, match=quiet(table.state), stop=stop)
        taken = self._errors.seen(cube)[1]
        if Beaver in table.legal() and beavers(taken) and beavers(cube.double_take):
            return Beaver(player)
        return Take(player) if takes(taken, cube.double_pass) else Drop(player)


class BotSeat(_Program):
    """A bot, such as GNU Backgammon or a UBGI engine, alone with its game; it resigns by the judgement of `judge`.

    Bots know no beavers: they take when their double is turned back. Asked to play what the bot cannot, it raises
    `SettingsError`.
    """

    def __init__(self, bot: Bot, judge: Engine, name: str = "", spec: str = "") -> None:
        super().__init__(name or bot.name, judge, spec)
        self._bot = bot
        self._asked: tuple[Table, Future[Any]] | None = None

    def decide(self, table: Table, stop: Stop = NOBODY) -> Act | None:
        """As `Seat` says."""
        if table.position.chequers != Position.start().chequers:
            raise SettingsError(f"{self.name} plays games of 15 chequers a side, not of {table.position.chequers}.")
        self._bot.check(CubeState.from_match(table.state))
        return super().decide(table, stop)

    def close(self) -> None:
        """Ends the bot; who thinks in it, thinks in vain."""
        self._bot.close()

    def _play(self, table: Table, stop: Stop) -> Play:
        dice = table.state.dice
        assert dice is not None
        (board,) = kernels.unpack(self._ask(table, stop, partial(self._bot.plays, dice=np.array([dice], np.int8))))
        return Play.between(table.position, dice, Position.from_board(board))

    def _doubles(self, table: Table, stop: Stop) -> bool:
        return bool(self._ask(table, stop, self._bot.doubles)[0])

    def _answer(self, table: Table, player: int, stop: Stop) -> Act:
        taken = player == table.state.on_roll or bool(self._ask(table, stop, self._bot.takes)[0])
        return Take(player) if taken else Drop(player)

    def _ask(self, table: Table, stop: Stop, decide: Callable[[Asked], NDArray[T]]) -> NDArray[T]:
        """The bot's answer. Nobody can stop it, so it thinks in a thread of its own; what was asked before and not
        waited for comes first, and counts where the same is asked again."""
        while True:
            before = self._asked
            if before is None or (before[1].done() and before[0] is not table):
                state = CubeState.from_match(table.state)
                asked = Asked(kernels.pack(table.position.board[None]), [state], np.zeros(1, dtype=np.int32))
                self._asked = before = table, Future()
                Thread(target=_answered, args=(before[1], partial(decide, asked)), daemon=True).start()
            wait([before[1]], _GLANCE)
            if before[1].done() and before[0] is table:
                self._asked = None
                found: NDArray[T] = before[1].result()
                return found
            if stop.is_set():
                raise StoppedError(what=f"of a decision of {self.name}")


def _answered(answer: Future[T], decide: Callable[[], T]) -> None:
    try:
        answer.set_result(decide())
    except BaseException as error:
        answer.set_exception(error)


def seat_of(text: str, name: str = "", *, threads: int | None = 1, lobby: Lobby | None = None) -> Seat:
    """The seat that a text describes.

    "person"; a level that errs as people do ("beginner", with ":7" for a seed of its errors); a full level of play
    ("grandmaster"); "external:HOST:PORT" for whoever answers there (see `ExternalSeat`); or a bot as for `Lobby.bot`: a
    net ("small", "run.safetensors"), with "@2" for plies or "@beginner" for GNU Backgammon's noise, "gnubg@2",
    "ubgi:COMMAND". With "+book" behind it a level or net of ours knows the openings (`sixprime.learn.OpeningBooks`).
    name: what to call the player.
    Raises `SettingsError` for a text that means nothing, and as `Lobby.bot` and `ExternalSeat` do.
    """
    from sixprime.players.engine import EngineBot
    from sixprime.players.lobby import Lobby

    TEXT("seat", text)
    text, book = _opened(text)
    if _is_person(text):
        return Person(name or "You")
    if text.startswith("external:"):
        from sixprime.players.external import ExternalSeat

        return ExternalSeat(text.removeprefix("external:"), name)
    if (found := _level(text)) is not None:
        return LevelSeat(found[0], name, seed=found[1], threads=threads, book=book)
    with suppress(SettingsError):
        return EngineSeat.at(text, name=name, threads=threads, book=book)
    try:
        bot = (lobby or Lobby(threads=threads)).bot(text)
    except DataFileError as error:
        raise _no_seat(text, error) from None
    if isinstance(bot, EngineBot):
        engine = bot.engine
        if engine.plies != bot.plies or book is not None:
            engine = Engine(
                engine.net,
                threads=threads,
                plies=None if engine.plies == bot.plies else bot.plies,
                level=engine.level,
                book=book,
            )
        return EngineSeat(engine, name or bot.name, _spec(text, book))
    return BotSeat(bot, Engine(threads=threads, plies=1), name, text)


def check_seat(text: str) -> None:
    """Whether a text can describe a seat, without starting anybody. Raises SettingsError as `seat_of` does."""
    from sixprime.nets.names import path_of
    from sixprime.players.external import parse_address

    TEXT("seat", text)
    text, _ = _opened(text)
    kind, _, rest = text.partition(":")
    if _is_person(text) or (kind == "ubgi" and rest.strip()):
        return
    if kind == "external":
        parse_address(rest)
        return
    if _level(text) is not None:
        return
    with suppress(SettingsError):
        get_preset(text)
        return
    base, _, level = text.rpartition("@")
    if "gnubg" not in (text, base):
        try:
            path_of(text if not base or Path(text).exists() else base)
        except DataFileError as error:
            raise _no_seat(text, error) from None
    if base and not Path(text).exists() and not re.fullmatch(r"[0-9]+(-?ply)?", level):
        get_preset(level)


def check_rules(text: str, rules: Rules | MatchState) -> None:
    """Raises SettingsError where whom a text describes cannot play by these rules, or those of such a state."""
    if text.startswith("ubgi:") and (rules.length or rules.cube_limit > 1):
        played = f"a match to {rules.length}" if rules.length else "money with a cube"
        raise SettingsError(
            f"UBGI engines play money games without a cube only: --money --cube-limit 1. This is {played}."
        )
    away = rules.length - (min(rules.score) if isinstance(rules, MatchState) else 0)
    if away > MAX_AWAY and not _is_person(text):
        raise SettingsError(f"Programs play matches with up to {MAX_AWAY} points to go. Got {away} instead.")


def _is_person(text: str) -> bool:
    return text.strip().lower() in ("person", "human")


def _level(text: str) -> tuple[Level, int | None] | None:
    """A level that errs as people do and the seed of its errors, if there is one; None for other texts. Raises
    SettingsError for a seed that is no number."""
    kind, colon, seed = text.partition(":")
    try:
        level = get_level(kind)
    except SettingsError:
        return None
    if colon and not (re.fullmatch(r"[0-9]{1,19}", seed) and int(seed) < 2**63):
        raise SettingsError(f"{kind}: takes the seed of its errors, from 0 to 2**63 - 1. Got {seed!r} instead.")
    return level, int(seed) if colon else None


BOOK = "+book"
"""What stands behind a level or net that knows the openings."""


def _opened(text: str) -> tuple[str, Book | None]:
    """A seat without the word for the book of openings, and the book. Raises SettingsError where nobody opens it."""
    if not text.lower().endswith(BOOK):
        return text, None
    bare = text[: -len(BOOK)]
    if not bare.strip() or _is_person(bare) or bare.startswith(("external:", "ubgi:", "gnubg")):
        raise SettingsError(f"the book of openings is for our own levels and nets. Got {text!r} instead.")
    from sixprime.learn.openings import OpeningBooks

    return bare, OpeningBooks()


def _spec(text: str, book: Book | None) -> str:
    return text if book is None else text + BOOK


def _no_seat(text: str, error: DataFileError) -> SettingsError:
    known = (*SEATS, "person", "gnubg@2", "ubgi:COMMAND", "external:HOST:PORT", "a network file")
    return SettingsError(f"a seat is one of {', '.join(known)}. Got {text!r} instead ({error}).")


_UNLISTED = {"reduced", "0-ply", "1-ply", "2-ply", "3-ply"}
SEATS = (*LEVELS, *(name for name in PRESETS if name not in LEVELS and name not in _UNLISTED))
"""Our levels by name, the weakest first: those of people, then those without errors of their own."""
