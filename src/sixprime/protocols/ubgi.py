"""An engine of UBGI 0.2 (Universal Backgammon Interface): lines in, lines out, for controllers that let engines play.

Source: https://github.com/bungogood/bgci, docs/ubgi-v0.2-spec.md. The side on roll of a position is the engine. The
protocol has no words for cube and score, so beyond it `position xgid` and a whole GNU Backgammon ID are understood, two
keys make a cube of money play, and a double on offer is answered by `bestcube take`, `drop` or `beaver`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from sixprime._version import __version__
from sixprime.engine import Engine
from sixprime.errors import SettingsError, SixprimeError
from sixprime.game.acts import Beaver, Double, Drop, Move, Take
from sixprime.game.ids import parse
from sixprime.game.position import Position
from sixprime.game.state import MatchState
from sixprime.game.table import Table, placeless
from sixprime.game.variants import get_variant
from sixprime.play.seats import BotSeat, EngineSeat, Person, Seat, seat_of
from sixprime.progress import NOBODY

LONGEST = 1000
"""Characters of a line."""
_VARIANTS = {"backgammon": "standard", "nackgammon": "nackgammon", "hypergammon": "hypergammon3"}
_GNUBG_ID = re.compile(r"[A-Za-z0-9+/]{14}(?::[A-Za-z0-9+/]{12})?")
_FLAGS = {"true": True, "false": False}
_MOST_PLY, _MOST_THREADS = 5, 1024
_WORDS = {25: "bar", 0: "off"}


class Complaint(Exception):
    """Why a line is not obeyed. code: bad_command, bad_value, bad_state or unsupported."""

    def __init__(self, code: str, text: str) -> None:
        super().__init__(f"error {code} {text}")
        self.text = text


@dataclass(frozen=True, slots=True)
class _Key:
    """A setting. kind: as `key` lines tell it; minor: whether it changes no play."""

    kind: str
    read: Callable[[str], str | int | bool]
    about: str
    minor: bool = False


def _whole(least: int, most: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        if not (text.isascii() and text.isdigit() and least <= int(text) <= most):
            raise Complaint("bad_value", f"{text!r} is no whole number from {least} to {most}")
        return int(text)

    return read


def _one_of(words: Iterable[str]) -> Callable[[str], str]:
    def read(text: str) -> str:
        if text not in words:
            raise Complaint("bad_value", f"{text!r} is none of {', '.join(words)}")
        return text

    return read


def _flag(text: str) -> bool:
    return _FLAGS[_one_of(_FLAGS)(text)]


class Session:
    """What a controller is talking to. player: as `seat_of` reads it. Raises SettingsError for nobody who answers, and
    as `seat_of`."""

    def __init__(self, player: str = "standard@2", *, threads: int = 1) -> None:
        self._player = player
        self._keys = {
            "engine.threads": _Key(
                f"int 1..{_MOST_THREADS}", _whole(1, _MOST_THREADS), "threads that work", minor=True
            ),
            "game.variant": _Key(f"enum {'|'.join(_VARIANTS)}", _one_of(_VARIANTS), "the game"),
            "game.cube": _Key("bool", _flag, "a centred cube, in positions that say nothing of it"),
            "game.jacoby": _Key("bool", _flag, "Jacoby's rule, where there is such a cube"),
        }
        self._set: dict[str, str | int | bool] = {
            "engine.threads": threads,
            "game.variant": "backgammon",
            "game.cube": False,
            "game.jacoby": True,
        }
        self._seat = self._seated()
        if type(self._seat) is EngineSeat:  # one that errs as people do has no plies
            self._keys["engine.ply"] = _Key(f"int 1..{_MOST_PLY}", _whole(1, _MOST_PLY), "root-inclusive depth")
            self._set["engine.ply"] = self._seat.engine.plies + 1
        self._defaults = dict(self._set)
        self._position: Position | None = None
        self._state: MatchState | None = None
        self._dice: tuple[int, int] | None = None

    def answer(self, line: str) -> Iterator[str]:
        """The lines that answer one. Nothing for a blank line, and for what succeeds without an answer."""
        words = line.split()
        if not words:
            return
        command, rest = words[0], words[1:]
        answers: dict[str, Callable[[list[str]], Iterable[str]]] = {
            "ubgi": self._greet,
            "isready": self._ready,
            "newgame": self._new,
            "position": self._place,
            "dice": self._throw,
            "go": self._go,
            "set": self._change,
            "setoption": self._change_option,
            "get": self._tell,
            "keys": self._list,
        }
        try:
            if command not in answers:
                raise Complaint("bad_command", f"{command[:40]!r} is none of {', '.join((*answers, 'quit'))}")
            yield from answers[command](rest)
        except Complaint as complaint:
            yield str(complaint)
        except SixprimeError as error:
            yield "error bad_state " + " ".join(placeless(error).split())

    def _greet(self, words: list[str]) -> Iterator[str]:
        _expect(words, 0, "ubgi")
        yield from ("id name Sixprime", f"id version {__version__}", "id author Sixprime authors", "proto 0.2")
        yield from self._list([])
        yield "ubgiok"

    def _ready(self, words: list[str]) -> Iterator[str]:
        _expect(words, 0, "isready")
        # The first decision loads and compiles what the others find done.
        self._seat.decide(Table.from_position(Position.start(), MatchState(dice=(3, 1), cube_limit=1)), NOBODY)
        yield "readyok"

    def _new(self, words: list[str]) -> Iterable[str]:
        _expect(words, 0, "newgame")
        self._position, self._state, self._dice = Position.start(self._variant), None, None
        return ()

    def _place(self, words: list[str]) -> Iterable[str]:
        _expect(words, 2, "position gnubgid|xgid <ID>")
        kind, text = words
        if kind not in ("gnubgid", "xgid"):
            raise Complaint("unsupported", f"position {kind[:40]}: gnubgid and xgid are known")
        if kind == "xgid" and not text.startswith("XGID="):
            text = f"XGID={text}"
        if kind == "gnubgid" and not _GNUBG_ID.fullmatch(text):
            raise Complaint("bad_value", f"{text[:40]!r} is no position ID, alone or with a match ID behind a colon")
        # What follows a refused position is not about the one before it.
        self._position = self._state = self._dice = None
        try:
            found = parse(text, chequers=get_variant(self._variant).chequers)
            found.position.check()
            found.position.check_unfinished("there is nothing to decide")
            alone = kind == "gnubgid" and ":" not in text
            if not alone and found.state.resigned:
                raise SettingsError("an offer to resign waits, for which UBGI has no words")
            if not alone:
                Table.from_position(found.position, found.state, variant=self._variant)
        except SixprimeError as error:
            raise Complaint("bad_value", " ".join(placeless(error).split())) from None
        self._position, self._state = found.position, None if alone else found.state
        self._dice = None if alone else found.state.dice
        return ()

    def _throw(self, words: list[str]) -> Iterable[str]:
        _expect(words, 2, "dice <d1> <d2>")
        one, other = (_whole(1, 6)(word) for word in words)
        self._dice = one, other
        return ()

    def _go(self, words: list[str]) -> Iterator[str]:
        if words[:1] == ["role"]:  # as version 0.1 has it
            words = words[1:]
        what = words[0] if words else "chequer"
        if what not in ("chequer", "cube", "turn") or len(words) > 1:
            raise Complaint("bad_command", "expected: go [chequer|cube|turn]")
        if what == "chequer":
            yield f"bestmove {self._move()}"
        elif what == "cube":
            yield f"bestcube {self._cube()}"
        else:
            cube = self._cube() if self._has_cube() else "nodouble"
            yield f"bestturn cube={cube} move={self._move()}"

    def _change(self, words: list[str]) -> Iterable[str]:
        if len(words) < 2:
            raise Complaint("bad_command", "expected: set <key> <value>")
        name, text = words[0], " ".join(words[1:])
        key = self._key(name)
        try:
            value = key.read(text)
        except Complaint as complaint:
            raise Complaint("bad_value", f"{name}: {complaint.text}") from None
        before = self._set[name]
        self._set[name] = value
        if name.startswith("engine.") and value != before:
            left, self._seat = self._seat, self._seated()
            if isinstance(left, BotSeat):
                left.close()
        elif name == "game.variant" and value != before:
            self._position = self._state = self._dice = None
        return ()

    def _change_option(self, words: list[str]) -> Iterable[str]:
        """As version 0.1 has it: name and value between words of their own."""
        if len(words) < 4 or words[0] != "name" or words[2] != "value":
            raise Complaint("bad_command", "expected: setoption name <key> value <value>")
        return self._change([words[1], *words[3:]])

    def _tell(self, words: list[str]) -> Iterator[str]:
        _expect(words, 1, "get <key>")
        self._key(words[0])
        yield f"value {words[0]} {_shown(self._set[words[0]])}"

    def _list(self, words: list[str]) -> Iterator[str]:
        _expect(words, 0, "keys")
        for name, key in sorted(self._keys.items()):
            minor = " !" if key.minor else ""
            yield f"key {name} {key.kind} {_shown(self._defaults[name])}{minor} {key.about}"

    def _key(self, name: str) -> _Key:
        if name not in self._keys:
            raise Complaint("unsupported", f"{name[:40]}: the keys are {', '.join(sorted(self._keys))}")
        return self._keys[name]

    @property
    def _variant(self) -> str:
        return _VARIANTS[str(self._set["game.variant"])]

    def _seated(self) -> Seat:
        """Who decides, as is set."""
        threads = int(self._set["engine.threads"])
        seat = seat_of(self._player, threads=threads)
        if isinstance(seat, Person):
            raise SettingsError(f"{self._player} does not answer programs; name a net, such as standard@2, or a level")
        if "engine.ply" in self._set and self._set["engine.ply"] != self._defaults["engine.ply"]:
            assert isinstance(seat, EngineSeat)
            own, plies = seat.engine, int(self._set["engine.ply"]) - 1
            return EngineSeat(Engine(own.net, level=own.level, plies=plies, threads=threads, book=own.book))
        return seat

    def _has_cube(self) -> bool:
        return self._state is not None or bool(self._set["game.cube"])

    def _table(self, dice: tuple[int, int] | None) -> Table:
        """The table of what is set. Raises Complaint where nothing is."""
        position, state = self._position, self._state
        if position is None:
            raise Complaint("bad_state", "there is no position")
        if state is None:
            cube, jacoby = bool(self._set["game.cube"]), bool(self._set["game.jacoby"])
            state = MatchState(jacoby=cube and jacoby, beavers=0, cube_limit=1024 if cube else 1)
        return Table.from_position(position, replace(state, dice=dice), variant=self._variant)

    def _move(self) -> str:
        """The steps of the best play."""
        if self._state is not None and self._state.doubled:
            raise Complaint("bad_state", "a double waits for its answer")
        table = self._table(self._dice)
        if self._dice is None:
            raise Complaint("bad_state", "there are no dice")
        act = self._seat.decide(table, NOBODY)
        assert isinstance(act, Move)
        return " ".join(f"{_WORDS.get(a, a)}/{_WORDS.get(b, b)}" for a, b, _ in act.play.steps) or "pass"

    def _cube(self) -> str:
        """What to do with the cube; as who is on roll, before he throws, or of whom a double waits for."""
        if not self._has_cube():
            raise Complaint("unsupported", "go cube: there is no cube; set game.cube true, or use position xgid")
        table = self._table(None)
        act = self._seat.decide(table, NOBODY)
        if table.state.doubled:
            return {Take: "take", Drop: "drop", Beaver: "beaver"}[type(act)]
        return "double" if isinstance(act, Double) else "nodouble"


def _shown(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _expect(words: list[str], count: int, form: str) -> None:
    if len(words) != count:
        raise Complaint("bad_command", f"expected: {form}")


def serve(session: Session, lines: Iterable[str], say: Callable[[str], None]) -> None:
    """Answers line after line until `quit` or the last one. say: writes a line at once."""
    for line in lines:
        if len(line) > LONGEST:
            say(f"error bad_command a line has at most {LONGEST} characters")
        elif line.split()[:1] == ["quit"]:
            return
        else:
            for answer in session.answer(line):
                say(answer)
