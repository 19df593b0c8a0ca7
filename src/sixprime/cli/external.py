"""`sixprime external`: answers GNU Backgammon's external player and programs that ask as it does."""

from __future__ import annotations

from typing import Annotated, Literal

from cyclopts import Parameter
from cyclopts.validators import Number

from sixprime.cli._common import Threads, check_host, note, whole


def external(
    player: str = "world class",
    /,
    *,
    host: str = "127.0.0.1",
    port: Annotated[int, whole(0, 65535)] = 1234,
    order: Literal["gnubg", "fibs"] = "gnubg",
    clients: Annotated[int, whole(1, 1000)] = 16,
    idle: Annotated[float, Parameter(validator=Number(gt=0))] = 3600,
    thinking: Annotated[float, Parameter(validator=Number(gt=0))] = 60,
    threads: Threads = None,
) -> int:
    """Play for programs that ask over the network, as GNU Backgammon does after "set player 0 external HOST:PORT".

    Ctrl-C ends it. Whoever reaches the port may ask: it listens to this machine alone unless --host says otherwise.

    Parameters
    ----------
    player
        Who decides: a level of play from beginner to 4-ply or another opponent of sixprime play.
    host
        The address to listen at; 0.0.0.0 is all of this machine's.
    port
        The port; 0 takes a free one, which is shown.
    order
        Whose name and score a board line has first: as gnubg writes it, or the asker's as fibs does.
    clients
        Connections at a time.
    idle
        Seconds without a question after which a connection is ended.
    thinking
        Seconds after which a question is given up.
    threads
        Threads of the engine, by default one.
    """
    check_host(host)
    from sixprime.players.external import Order
    from sixprime.protocols.external import serve

    def ready(host: str, port: int) -> None:
        shown = f"[{host}]" if ":" in host else host
        note(f"Listening at {shown}:{port}. In GNU Backgammon: set player 0 external {shown}:{port}")

    try:
        serve(
            player,
            host,
            port,
            order=Order(order),
            clients=clients,
            idle=idle,
            thinking=thinking,
            threads=threads or 1,
            ready=ready,
        )
    except KeyboardInterrupt:
        note("Ended.")
    return 0
