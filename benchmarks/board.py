"""How long a person waits at `sixprime play`: the program in a terminal of its own, keys typed, the screen read.

Needs pyte (`pip install pyte`). Prints the time until the first board, and of every turn that was played the time from
the last key until the person is asked again: the opponent's cube decision, roll and play, and the drawing of it; and
the CPU time of it, which does not depend on what else the machine does.

    python benchmarks/board.py [LEVEL ...] [--turns 60] [--size 80x24]
"""

from __future__ import annotations

import argparse
import fcntl
import os
import pty
import random
import re
import select
import struct
import sys
import tempfile
import termios
import time
from importlib.util import find_spec
from pathlib import Path

import _main

from sixprime.game.table import Phase, Table
from sixprime.play.session import Session

ASKED = re.compile(r"your turn|to play\.|can move|or pass\?|accept\?|wins? \d|the match,")


class Terminal:
    """A program in a terminal of its own."""

    def __init__(self, arguments: list[str], width: int, height: int, environment: dict[str, str]) -> None:
        import pyte

        self.screen = pyte.Screen(width, height)
        self._stream = pyte.ByteStream(self.screen)
        self.heard = 0.0
        """When the program wrote last; what this script makes of it takes time of its own."""
        child, self._descriptor = pty.fork()
        if child == 0:
            os.execvpe(sys.executable, [sys.executable, "-m", "sixprime", *arguments], os.environ | environment)
        self.child = child
        fcntl.ioctl(self._descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))

    def type(self, keys: str) -> None:
        """Types keys."""
        os.write(self._descriptor, keys.encode())

    def read(self, seconds: float = 0.0) -> bool:
        """Takes in what the program writes; whether it wrote anything."""
        found = False
        while select.select([self._descriptor], [], [], 0.0 if found else seconds)[0]:
            try:
                data = os.read(self._descriptor, 1 << 16)
            except OSError:
                raise SystemExit("\n".join(self.lines) + "\nthe program has ended") from None
            self.heard = time.perf_counter()
            self._stream.feed(data)
            found = True
        return found

    @property
    def cpu(self) -> float:
        """CPU seconds that the program has used, on all its threads; 0 where the system does not say."""
        times = [path.read_text().split()[0] for path in Path(f"/proc/{self.child}/task").glob("*/schedstat")]
        return sum(map(int, times)) / 1e9

    @property
    def lines(self) -> list[str]:
        """What is on the screen."""
        return list(self.screen.display)


def main() -> None:
    """Measures every level in turn."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("levels", nargs="*", default=["expert", "world class"])
    parser.add_argument("--turns", type=int, default=60)
    parser.add_argument("--size", default="80x24")
    options = parser.parse_args()
    if find_spec("pyte") is None:
        sys.exit("this needs pyte: pip install pyte")
    width, height = map(int, options.size.split("x"))
    for level in options.levels:
        measure(level, options.turns, width, height)


def measure(level: str, turns: int, width: int, height: int) -> None:
    """Plays money games at random against a level and prints how long it took."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {"SIXPRIME_DATA": folder, "TERM": "xterm-256color", "COLORTERM": "truecolor"}
        began = time.perf_counter()
        arguments = ["play", level, "--money", "--dice", "mersenne", "--seed", "5", "--no-jacoby", "--threads", "1"]
        terminal = Terminal(arguments, width, height, environment)
        while not any("pips" in line for line in terminal.lines):
            terminal.read(1.0)
        start = f"first board {time.perf_counter() - began:.2f} s ({terminal.cpu:.2f} s CPU)"
        waits = play(terminal, Path(folder), turns)
        terminal.type("\x03\x03")
    print(f"{level:>12}: {start}; {len(waits)} turns")
    for name, found in zip(("wait", "CPU"), zip(*waits, strict=True), strict=True):
        each = sorted(found)
        at = [1000 * each[min(len(each) - 1, int(share * len(each)))] for share in (0.5, 0.95, 1)]
        print(f"{name:>12}: median {at[0]:.0f} ms, 95 % below {at[1]:.0f} ms, longest {at[2]:.0f} ms", flush=True)


def play(terminal: Terminal, folder: Path, turns: int) -> list[tuple[float, float]]:
    """Plays at random; of every turn seconds on the clock and on the CPU until the person is asked again."""
    chance = random.Random(1)
    waits: list[tuple[float, float]] = []
    wait(terminal, None)
    while len(waits) < turns:
        table = table_in(folder)
        keys = answer(table, chance)
        if len(keys) > 1:
            terminal.type(keys[:-1])
            time.sleep(0.1)
            terminal.read(0.1)
        before = len(table.record().games), len(table.game.actions), table.phase
        used, began = terminal.cpu, time.perf_counter()
        terminal.type(keys[-1])
        waited = wait(terminal, before, folder, began)
        if table.phase is Phase.PLAY and waited is not None:
            waits.append((waited, terminal.cpu - used))
    return waits


def wait(terminal: Terminal, before: object, folder: Path | None = None, began: float = 0.0) -> float | None:
    """Waits until the person is asked for something else; the seconds until the screen showed it.

    What is shown and the journal must agree, since the screen may show the same words as before.
    """
    limit = time.perf_counter() + 60
    while time.perf_counter() < limit:
        wrote = terminal.read(0.5)
        if not any(ASKED.search(line) for line in terminal.lines):
            continue
        if folder is None or not wrote:
            if folder is None:
                return None
            table = table_in(folder)
            after = len(table.record().games), len(table.game.actions), table.phase
            if after != before and (table.turn == 0 or table.turn is None):
                return terminal.heard - began
    raise SystemExit("\n".join(terminal.lines) + "\nnobody was asked for a minute")


def table_in(folder: Path) -> Table:
    """The table as the program's journal has it."""
    (journal,) = folder.glob("games/*.journal")
    return Session.looked_at(journal).table


def answer(table: Table, chance: random.Random) -> str:
    """What to type at a table."""
    if table.phase is Phase.PLAY:
        plays = table.legal().plays
        return f"{chance.choice(plays)}\r" if plays[0].steps else "\r"
    return {Phase.ROLL: "r", Phase.DOUBLED: "t", Phase.RESIGNED: "a"}.get(table.phase, "\r")


if __name__ == "__main__":
    _main.run(main)
