"""`sixprime ubgi`: plays for controllers of UBGI, over standard input and output."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from sixprime import interrupts
from sixprime.cli._common import Threads, note


def ubgi(player: str = "standard@2", /, *, threads: Threads = None) -> int:
    """Play for a program that speaks the Universal Backgammon Interface (UBGI 0.2), which starts this.

    Parameters
    ----------
    player
        Who decides: a net with its plies, such as standard@2, a level of play, or another opponent of sixprime play.
    threads
        Threads of the engine, by default one.
    """
    from sixprime.protocols.ubgi import LONGEST, Session, serve

    def lines() -> Iterator[str]:
        """Those of standard input; of one that is too long its beginning."""
        while line := sys.stdin.buffer.readline(2 * LONGEST):
            rest = line
            while rest and not rest.endswith(b"\n"):
                rest = sys.stdin.buffer.readline(2 * LONGEST)
            yield line.decode("utf-8", "replace")

    session = Session(player, threads=threads or 1)
    if sys.stdin.isatty():
        note("Waiting for the lines of a controller, which is who starts this; ubgi lists the keys, quit ends it.")
    with interrupts.ending():
        serve(session, lines(), lambda text: print(text, flush=True))
    return 0
