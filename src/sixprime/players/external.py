"""GNU Backgammon's external player: questions as FIBS board lines over TCP, one line of answer to each.

A question is a board line, perhaps with options behind it; the answer is a play, "roll" or "double", "take", "drop" or
"beaver", and "accept" or "reject". GNU Backgammon 1.07 asks with the board of player 1 but puts the name and the score
of player 0 first, unless a double is to be answered; `Order.GNUBG` is that, `Order.FIBS` what FIBS does. In both, the
side whose turn it is is the one that rolls, has doubled or wants to resign.
"""

from __future__ import annotations

import re
import socket
from contextlib import suppress
from dataclasses import replace
from enum import StrEnum
from threading import Lock

from sixprime.errors import (
    EngineError,
    IllegalPlayError,
    InvalidIdError,
    InvalidPlayError,
    RulesError,
    SettingsError,
    StoppedError,
)
from sixprime.game.acts import Accept, Act, Beaver, Decline, Double, Drop, Move, Resign, Roll, Take
from sixprime.game.fibs import FibsBoard, decode_fibs_board, encode_fibs_board
from sixprime.game.match_rules import quiet
from sixprime.game.play import parse_play
from sixprime.game.position import Position
from sixprime.game.state import MatchState, size_of
from sixprime.game.table import Phase, Table
from sixprime.progress import NOBODY, Stop

PORT = 1234
"""Where there is no other in an address."""
LONGEST = 1024
"""Bytes of the longest line."""
_CONNECT = 5.0
"""Seconds to wait for a connection."""
_GLANCE = 0.05
"""Seconds between two looks at what tells us to stop."""
_ADDRESS = re.compile(r"(?:\[([0-9A-Fa-f:.%\w]+)\]|([^\s:\[\]/]*))(?::([0-9]{1,5}))?", re.ASCII)
_STRANGE, _NAME = re.compile(r"\W", re.ASCII), 30
"""What has no place in a name, and how much has: all of a line must fit into 255 bytes."""
_DIRECTION = 42
"""Where the last value of a board line stands that is needed."""
_TAKES: dict[str, type[Take | Beaver | Drop]] = {
    "take": Take,
    "accept": Take,
    "beaver": Beaver,
    "redouble": Beaver,
    "drop": Drop,
    "pass": Drop,
    "reject": Drop,
}
_WORDS = {Double: "double", Take: "take", Drop: "drop", Beaver: "beaver", Accept: "accept", Decline: "reject"}


class Order(StrEnum):
    """Whose name and score a board line has first."""

    GNUBG = "gnubg"
    FIBS = "fibs"


def parse_address(text: str) -> tuple[str, int]:
    """Host and port of "host:port", "host", ":port" or "[::1]:port"; without a host this machine.

    Raises SettingsError.
    """
    found = _ADDRESS.fullmatch(text.strip())
    port = int(found[3] or PORT) if found else 0
    if found is None or not text.strip() or not 0 < port < 1 << 16:
        raise SettingsError(f"an address is HOST:PORT, such as localhost:{PORT}. Got {text[:60]!r} instead.")
    return found[1] or found[2] or "127.0.0.1", port


def board_line(
    position: Position,
    state: MatchState,
    order: Order = Order.GNUBG,
    names: tuple[str, str] = ("", ""),
) -> str:
    """The line that asks whoever decides at a state; resignations apart, which are options. names: of the players; a
    line has room for letters, digits and `_` of them."""
    asker = state.decider if state.doubled else state.on_roll
    first, second = (_STRANGE.sub("_", name)[:_NAME] or f"player{number}" for number, name in enumerate(names))
    names = first, second
    if asker != 1:
        names = second, first
        score, owner = state.score[::-1], None if state.cube_owner is None else 1 - state.cube_owner
        state = replace(state, score=score, cube_owner=owner, on_roll=1 - state.on_roll, turn=None)
    return _turned(encode_fibs_board(position, state, names), order)


def read_board_line(text: str, order: Order = Order.GNUBG) -> FibsBoard:
    """What a line asks. Raises InvalidIdError."""
    fields = text.strip().split(":")
    if len(fields) > _DIRECTION:
        # Programs leave out values at the end; GNU Backgammon takes them for 0.
        fields += ["0"] * (53 - len(fields))
    fields = _turned(":".join(fields), order).split(":")
    if len(fields) != 53:
        raise InvalidIdError(f"a board line is 'board' and 52 values, not {len(fields) - 1}")
    if fields[40].strip() not in ("0", "") and fields[32].strip() in ("1", "-1"):
        # The sign of "doubled" says less than whose turn it is.
        fields[40] = "-1" if fields[32].strip() == fields[41].strip() else "1"
    return decode_fibs_board(":".join(fields))


def _turned(line: str, order: Order) -> str:
    """A line of one order as the other; between FIBS and itself, and for doubles, the same."""
    fields = line.split(":")
    if order is Order.GNUBG and len(fields) == 53 and fields[40].strip() == "0":
        fields[1], fields[2], fields[4], fields[5] = fields[2], fields[1], fields[5], fields[4]
    return ":".join(fields)


class Connection:
    """Lines to and from a program elsewhere; a connection that is lost is made again for the next question.

    Raises EngineError where nobody can be reached.
    """

    def __init__(self, name: str, host: str, port: int) -> None:
        self.name, self._where = name, (host, port)
        self._lock = Lock()
        self._socket: socket.socket | None = None
        self._received = b""
        self._owed: str | None = None
        """The question whose answer was not waited for."""
        self._connect()

    def ask(self, question: str, stop: Stop = NOBODY) -> str:
        """The answer, however long it takes. Raises EngineError for a lost connection, StoppedError."""
        with self._lock:
            try:
                if self._socket is None:
                    self._connect()
                if self._owed is not None and self._owed != question:
                    self._line(stop)
                if self._owed is None:
                    self._send(question)
                    self._owed = question
                return self._line(stop)
            except (EngineError, OSError) as error:
                self._drop()
                if isinstance(error, EngineError):
                    raise
                raise EngineError(f"{self.name}: the connection is lost: {error.strerror or error}.") from error

    def close(self) -> None:
        """Ends the connection."""
        with self._lock:
            self._drop()

    def _connect(self) -> None:
        try:
            self._socket = socket.create_connection(self._where, _CONNECT)
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        except (OSError, UnicodeError) as error:
            said, where = getattr(error, "strerror", None) or error, "{}:{}".format(*self._where)
            who = self.name if self.name == where else f"{self.name} at {where}"
            raise EngineError(f"{who} cannot be reached: {said}.") from error

    def _send(self, question: str) -> None:
        assert self._socket is not None
        self._socket.settimeout(_CONNECT)
        self._socket.sendall(question.encode("ascii") + b"\n")

    def _line(self, stop: Stop) -> str:
        """The next line. GNU Backgammon ends some with a zero byte, too."""
        assert self._socket is not None
        self._socket.settimeout(_GLANCE)
        while b"\n" not in self._received:
            if stop.is_set():
                raise StoppedError(what=f"of a decision of {self.name}")
            if len(self._received) > LONGEST:
                raise EngineError(f"{self.name} answered with more than {LONGEST:,} bytes in one line.")
            try:
                got = self._socket.recv(4096)
            except TimeoutError:
                continue
            if not got:
                raise EngineError(f"{self.name} has closed the connection.")
            self._received += got
        line, _, self._received = self._received.partition(b"\n")
        self._owed = None
        return line.decode("ascii", "replace").replace("\0", "").strip()

    def _drop(self) -> None:
        if self._socket is not None:
            with suppress(OSError):
                self._socket.close()
        self._socket, self._received, self._owed = None, b"", None


class ExternalSeat:
    """A player elsewhere who answers board lines: GNU Backgammon after `external HOST:PORT`, `sixprime external`, or
    any program that does as they do.

    He is asked only where he has a choice, and takes when his double is turned back, for which there is no question.
    What he answers is not believed before the rules allow it.
    address: as `parse_address` reads it.
    Raises SettingsError for no address, EngineError where nobody can be reached.
    """

    def __init__(self, address: str, name: str = "") -> None:
        host, port = parse_address(address)
        self.name = name or f"{host}:{port}"
        self.spec = f"external:{address.strip()}"
        self._connection = Connection(self.name, host, port)

    def decide(self, table: Table, stop: Stop = NOBODY) -> Act | None:
        """As `Seat` says. Raises EngineError for an answer that means nothing, SettingsError for games of another
        number of chequers than 15."""
        if table.position.chequers != 15:
            raise SettingsError(f"{self.name} plays games of 15 chequers a side, not of {table.position.chequers}.")
        player, legal = table.turn, table.legal()
        if player is None:
            return None
        match table.phase:
            case Phase.ROLL:
                return Roll(player) if Double not in legal else self._answer(table, player, stop)
            case Phase.PLAY if len(legal.plays) == 1:
                return Move(player, legal.plays[0])
            case Phase.DOUBLED if player == table.state.on_roll:
                # A board line cannot say that a double was turned back.
                return Take(player)
        return self._answer(table, player, stop)

    def close(self) -> None:
        """Ends the connection."""
        self._connection.close()

    def _answer(self, table: Table, player: int, stop: Stop) -> Act:
        state = table.state
        question, position = self._question(table), table.position
        said = self._connection.ask(question, stop)
        word, _, rest = said.lower().partition(" ")
        found: Act | None = None
        match table.phase:
            case Phase.RESIGNED if word == "accept" or (word != "reject" and state.resigned == 3):
                # Who does not know the question accepts what costs him nothing.
                found = Accept(player)
            case Phase.RESIGNED:
                found = Decline(player)
            case _ if word == "resign" and (size := size_of(rest)):
                found = Resign(player, size)
            case Phase.ROLL if word in ("roll", "double"):
                found = Roll(player) if word == "roll" else Double(player)
            case Phase.DOUBLED if word in _TAKES:
                found = _TAKES[word](player)
            case Phase.PLAY if state.dice is not None and said:
                with suppress(InvalidPlayError, IllegalPlayError):
                    found = Move(player, parse_play(said, position, state.dice))
        if found is None or found not in table.legal():
            raise EngineError(f"{self.name} answered {said[:80]!r} to {question!r}, which cannot be done.")
        return found

    def _question(self, table: Table) -> str:
        """The line that asks for a decision, with the rules that a board line does not say."""
        state, options = table.state, []
        if state.money:
            options += ["jacobyrule", _on(state.jacoby), "beavers", _on(state.beavers > 0)]
        if state.resigned:
            options += ["resignation", str(state.resigned)]
            resigner = 1 - state.decider
            position = table.position if resigner == state.on_roll else table.position.swapped()
            alone = replace(quiet(state), on_roll=resigner, dice=None)
            return " ".join([board_line(position, alone, names=table.names), *options])
        state = replace(state, cube=table.offered // 2) if state.doubled else state
        return " ".join([board_line(table.position, state, names=table.names), *options])


def _on(flag: bool) -> str:
    return "on" if flag else "off"


def word_of(act: Act) -> str:
    """How an act is answered; who would resign rolls, as not all who ask know resignations."""
    match act:
        case Move(_, play):
            return " ".join(f"{step.start}/{step.end}" for step in play.steps)
        case Roll() | Resign():
            return "roll"
    return _WORDS[type(act)]


def asked_table(board: FibsBoard, resigned: int = 0, *, jacoby: bool = True, beavers: bool = True) -> Table:
    """The table of a question. Raises RulesError, SettingsError for what is against the rules."""
    state = board.state
    if state.money:
        state = replace(state, jacoby=jacoby, beavers=3 if beavers else 0)
    if resigned and (state.doubled or state.dice is not None):
        raise RulesError("a resignation is judged without dice and without a double")
    return Table.from_position(board.position, replace(state, resigned=resigned), board.names)
