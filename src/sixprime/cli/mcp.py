"""`sixprime mcp`: language models ask the engine, over standard input and output."""

from __future__ import annotations

import sys

from sixprime import interrupts
from sixprime.cli._common import UsageError, complain, note
from sixprime.cli._judging import JUDGING, Judge
from sixprime.settings import load


def mcp(*, judge: Judge = JUDGING) -> int:
    """Answer language models: a server of the Model Context Protocol over standard input and output.

    A client starts it; docs/mcp.md says how. It reads the files that are named to it and your library, and writes
    none. Needs the extra `mcp`.
    """
    judge.check()
    try:
        from sixprime.protocols.mcp import serve
    except ImportError as error:
        raise UsageError(f"sixprime mcp needs the extra mcp: pip install 'sixprime[mcp]' ({error})") from None
    if sys.flags.optimize > 1:
        raise UsageError(
            "language models are told by docstrings what the tools do, and Python was started without docstrings: "
            "mcp needs it without -OO and PYTHONOPTIMIZE=2"
        )
    if sys.stdin.isatty():
        note("Waiting for the messages of a client, which is who starts this; Ctrl-C ends it.")
    try:
        # The thread that waits for the next line of standard input cannot be ended.
        with interrupts.ending():
            serve(judge.engine, load().thresholds.thresholds().doubtful)
    except BrokenPipeError:
        return 1  # the client has gone
    except OSError as error:
        complain(f"standard input or output: {error.strerror or error}")
        return 1
    return 0
