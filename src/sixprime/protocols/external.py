"""Answers the questions of GNU Backgammon's external player; the lines are described in `sixprime.players.external`.

Questions: a board line, with `jacobyrule`, `beavers`, `crawfordrule` (on or off) and `resignation` N behind it;
`evaluation fibsboard` and a board line, with `plies` N, `cubeful` (or `cube on`) and the rules, for six numbers;
`version`, `help`, `set`, `exit`. What cannot be answered gets a line that begins with "Error: ".
"""

from __future__ import annotations

import socket
import socketserver
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

from sixprime._version import __version__
from sixprime.engine import Engine
from sixprime.engine.judge import without_cube
from sixprime.errors import SettingsError, SixprimeError, StoppedError
from sixprime.game.acts import Act
from sixprime.game.table import Table, placeless
from sixprime.play.seats import EngineSeat, Seat
from sixprime.players.external import LONGEST, PORT, Order, asked_table, read_board_line, word_of
from sixprime.progress import NOBODY, Limit, Stop

CLIENTS = 16
"""Connections at a time."""
IDLE = 3600.0
"""Seconds without a question after which a connection is ended."""
THINKING = 60.0
"""Seconds after which a question is given up."""
_GLANCE = 0.1
"""Seconds between two looks at what tells us to stop."""
_MOST_PLIES = 3
_FLAGS = {"on": True, "yes": True, "true": True, "off": False, "no": False, "false": False}
_HELP = (
    "board:... [jacobyrule on|off] [beavers on|off] [crawfordrule on|off] [resignation 1|2|3]; "
    "evaluation fibsboard board:... [plies N] [cubeful]; version; exit"
)
_VERSION = ("Interface: 2", "RFBF: 0", "Engine: 1.00", f"Software: sixprime {__version__}")


class Answers:
    """What is answered, without any connection; may be shared by threads.

    seat: who decides. engine: who evaluates, by default that of the seat. thinking: seconds for one question.
    Raises SettingsError for a seat without an engine where none is given.
    """

    def __init__(
        self, seat: Seat, engine: Engine | None = None, *, order: Order = Order.GNUBG, thinking: float = THINKING
    ) -> None:
        engine = engine or getattr(seat, "engine", None)
        if engine is None:
            raise SettingsError(f"{seat.name} is no engine of ours; give one for evaluations.")
        self._seat, self._engine, self._order, self._thinking = seat, engine, order, thinking

    def answer(self, line: str, stop: Stop = NOBODY) -> str | None:
        """The answer to a line, of several lines for `version`; None to end. Raises StoppedError when `stop` is set."""
        words = line.replace("\0", "").split()
        first = words[0].lower() if words else ""
        limit = Limit(stop, self._thinking)
        try:
            if first.startswith("board:"):
                return self._decided(words, limit)
            if first == "evaluation" and len(words) > 2 and words[1].lower() == "fibsboard":
                return self._evaluated(words[2:], limit)
            if first in ("exit", "quit"):
                return None
            if first == "set" and len(words) == 3 and words[1].lower() in ("debug", "interface"):
                return f"{words[1].capitalize()} {words[2].lower()}"
            if first in ("version", "help"):
                return "\n".join(_VERSION) if first == "version" else _HELP
            return f"Error: {line.strip()[:40]!r} is no question; help lists what is"
        except StoppedError:
            if stop.is_set():
                raise
            return f"Error: no answer within {self._thinking:g} seconds"
        except SixprimeError as error:
            return "Error: " + " ".join(placeless(error).split())

    def _decided(self, words: list[str], stop: Stop) -> str:
        """The answer to a board line."""
        table, options = self._table(words)
        if options:
            raise SettingsError(f"{next(iter(options))!r} is of evaluations, not of decisions")
        if table.turn is None:
            raise SettingsError("there is nothing to decide")
        act: Act | None = self._seat.decide(table, stop)
        if act is None:
            raise SettingsError(f"{self._seat.name} does not answer at once")
        return word_of(act)

    def _evaluated(self, words: list[str], stop: Stop) -> str:
        """Win, win gammon, win backgammon, lose gammon, lose backgammon and the value, all of the side on roll."""
        table, options = self._table(words)
        state = replace(table.state, dice=None)
        if state.doubled or state.resigned:
            raise SettingsError("positions are evaluated before the dice, without a double or a resignation")
        plies = int(options.get("plies", 0))
        found = self._engine.evaluate(table.position, match=state, plies=plies, stop=stop)
        chances = found.probabilities
        if options.get("cube", False):
            value = found.cubeful_equity if found.mwc is None else found.mwc
        elif state.money:
            value = found.cubeless_equity
        else:
            alone = without_cube(state)
            value = self._engine.evaluate(table.position, match=alone, plies=plies, stop=stop).mwc or 0.0
        numbers = (*(chances[place] for place in range(5)), value)
        return " ".join(f"{number:f}" for number in numbers)

    def _table(self, words: list[str]) -> tuple[Table, dict[str, int]]:
        """The table of a board line with its rules, and the other options. Raises as what it reads does."""
        said = _options(words[1:])
        board = read_board_line(words[0], self._order)
        if not said.pop("crawfordrule", True):
            board = board._replace(state=replace(board.state, crawford=False))
        jacoby, beavers = bool(said.pop("jacobyrule", True)), bool(said.pop("beavers", True))
        return asked_table(board, said.pop("resignation", 0), jacoby=jacoby, beavers=beavers), said


def _options(words: list[str]) -> dict[str, int]:
    """Options by their names. Raises SettingsError."""
    found: dict[str, int] = {}
    rest = [word.lower() for word in words]
    while rest:
        name, *rest = rest
        if name in ("cubeful", "cubeless"):
            found["cube"] = name == "cubeful"
        elif name in ("plies", "resignation"):
            value, *rest = rest or [""]
            least, most = (0, _MOST_PLIES) if name == "plies" else (1, 3)
            if not (value.isascii() and value.isdigit()) or not least <= int(value) <= most:
                raise SettingsError(f"{name} must be a whole number from {least} to {most}; got {value[:20]!r}")
            found[name] = int(value)
        elif name in ("prune", "deterministic"):
            # Ours always prunes what costs nothing, and has the same answer at all times.
            rest = rest[1:] if rest and rest[0] in _FLAGS else rest
        elif name == "noise":
            value, *rest = rest or [""]
            with suppress(ValueError):
                if float(value) == 0:
                    continue
            raise SettingsError("evaluations have no noise here")
        elif name in ("cube", "jacobyrule", "beavers", "crawfordrule"):
            value, *rest = rest or [""]
            if value not in _FLAGS:
                raise SettingsError(f"{name} must be on or off; got {value[:20]!r}")
            found[name] = _FLAGS[value]
        else:
            raise SettingsError(f"{name[:20]!r} is no option")
    return found


class Server(socketserver.ThreadingTCPServer):
    """Listens and answers, a thread for each connection. Raises OSError where it cannot listen.

    answers: what is answered. clients: connections at a time; one more is told so and ended. idle: seconds without a
    question after which a connection is ended.
    """

    daemon_threads = True
    block_on_close = False
    allow_reuse_address = True
    request_queue_size = 64

    def __init__(
        self, answers: Answers, host: str = "127.0.0.1", port: int = PORT, *, clients: int = CLIENTS, idle: float = IDLE
    ) -> None:
        self.answers, self.idle = answers, idle
        self.ending = threading.Event()
        self._free = threading.Semaphore(clients)
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        try:
            super().__init__((host, port), _Talk)
        except OSError as error:
            raise OSError(error.errno, f"cannot listen there: {error.strerror}", f"{host}:{port}") from None

    @property
    def address(self) -> tuple[str, int]:
        """Host and port where it listens."""
        return self.server_address[0], self.server_address[1]  # type: ignore[return-value]

    def run(self, stop: Stop = NOBODY) -> None:
        """Answers until `stop` is set."""
        self.timeout = _GLANCE
        try:
            while not stop.is_set():
                self.handle_request()
        finally:
            self.ending.set()
            self.server_close()

    def handle_error(self, request: object, client_address: object) -> None:
        """A connection that breaks is no error of ours."""

    def enter(self) -> bool:
        """Whether there is room for one more connection."""
        return self._free.acquire(blocking=False)

    def leave(self) -> None:
        """A connection has ended."""
        self._free.release()


class _Talk(socketserver.BaseRequestHandler):
    """One connection."""

    server: Server
    request: socket.socket

    def handle(self) -> None:
        """Answers line after line."""
        if not self.server.enter():
            self._say("Error: too many connections")
            return
        try:
            self._talk()
        except (OSError, StoppedError):
            # They are gone, or we are.
            pass
        finally:
            self.server.leave()

    def _talk(self) -> None:
        received, last = b"", time.monotonic()
        self.request.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        while not self.server.ending.is_set():
            line, found, rest = received.partition(b"\n")
            if len(line) > LONGEST:
                self._say(f"Error: a line has at most {LONGEST:,} bytes")
                return
            if found:
                received = rest
                answer = self.server.answers.answer(line.decode("ascii", "replace"), self.server.ending)
                if answer is None:
                    return
                self._say(answer)
                last = time.monotonic()
                continue
            if time.monotonic() - last > self.server.idle:
                return
            self.request.settimeout(_GLANCE)
            try:
                got = self.request.recv(4096)
            except TimeoutError:
                continue
            if not got:
                return
            received += got

    def _say(self, text: str) -> None:
        self.request.settimeout(5.0)
        self.request.sendall(text.encode("ascii", "replace") + b"\n")


def serve(
    seat: Seat | str = "world class",
    host: str = "127.0.0.1",
    port: int = PORT,
    *,
    order: Order = Order.GNUBG,
    clients: int = CLIENTS,
    idle: float = IDLE,
    thinking: float = THINKING,
    threads: int | None = 1,
    stop: Stop = NOBODY,
    ready: Callable[[str, int], None] | None = None,
) -> None:
    """Answers whoever connects, until `stop` is set.

    seat: who decides, or a text as `seat_of` reads it. host: by default this machine alone. ready: called with host
    and port when it listens. Raises SettingsError as `seat_of` and `Answers` do, OSError where it cannot listen.
    """
    from sixprime.play.seats import Person, seat_of

    seat = seat_of(seat, threads=threads) if isinstance(seat, str) else seat
    if isinstance(seat, Person):
        raise SettingsError("a person does not answer programs; name a level of play, such as expert, or a program")
    judge = None if isinstance(seat, EngineSeat) and not seat.engine.level.noise else Engine(threads=threads, plies=0)
    with Server(Answers(seat, judge, order=order, thinking=thinking), host, port, clients=clients, idle=idle) as server:
        if ready is not None:
            ready(*server.address)
        server.run(stop)
