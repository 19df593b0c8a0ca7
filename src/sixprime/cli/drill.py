"""`sixprime drill`: pip counts, effective pip counts, races and shots against the clock."""

from __future__ import annotations

import secrets
import time
from datetime import UTC, datetime
from operator import methodcaller
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from sixprime.cli._common import Flag, Threads, UsageError, check_target, complain, note, print_json, whole
from sixprime.cli._questions import line_of
from sixprime.errors import InvalidPlayError
from sixprime.settings import make_engine

if TYPE_CHECKING:
    from rich.console import Console

    from sixprime.learn.drills import Attempt, Exercise

Kind = Literal["pips", "epc", "race", "cube", "shots"]


def drill(
    kind: Kind | None = None,
    /,
    *,
    count: Annotated[int, whole(1, 1000)] = 10,
    seed: Annotated[int | None, whole(0, 2**63 - 1, show_default=False)] = None,
    list: Flag = False,
    log: Annotated[Path | None, Parameter(metavar="FILE")] = None,
    json: Flag = False,
    threads: Threads = None,
) -> int:
    """Train counting against the clock; how far off you were and how long it took is kept.

    Answers are read from standard input, one a line; q ends.

    Parameters
    ----------
    kind
        pips: the pip counts of both sides; epc: the effective pip count of a bear-off; race: how often a race is won;
        cube: its cube action; shots: with how many rolls of 36 something can be hit.
    count
        How many exercises.
    seed
        Of the exercises, to meet the same ones again; by default another one each time.
    list
        Show how your attempts went, all or those of one kind.
    log
        Another file than that in your data folder.
    json
        With --list, print one JSON object.
    threads
        How many threads to use; by default all cores.
    """
    from sixprime.codec import Kept
    from sixprime.learn.drills import DrillKind, DrillLog, exercise
    from sixprime.report.console import console_of
    from sixprime.report.drill import log_to_dict, render_attempt, render_exercise, render_log

    kept = Kept.of_user("drills.sixprime", DrillLog(), reading=list) if log is None else Kept(log, DrillLog())
    if json and not list:
        raise UsageError("--json goes with --list")
    if list:
        known = kept.load()
        if kind is not None:
            known = DrillLog(known.of(DrillKind(kind)))
        if json:
            print_json(log_to_dict(known))
        else:
            render_log(known)
        return 0
    if kind is None:
        raise UsageError("name a drill: pips, epc, race, cube or shots; or --list")
    check_target(kept.path, "--log")
    kept.load()
    console = console_of(None)
    engine = make_engine(threads=threads)
    seed = secrets.randbelow(1_000_000) if seed is None else seed
    note(f"Seed {seed}. Type your answer, q ends.")
    attempts: tuple[Attempt, ...] = ()
    for number in range(count):
        asked = exercise(engine, DrillKind(kind), seed, number)
        console.print()
        render_exercise(asked, console=console)
        attempt = _attempt(asked, console)
        if attempt is None:
            break
        attempts = (*attempts, attempt)
        kept.change(methodcaller("added", attempt))
        render_attempt(asked, attempt, console=console)
    if attempts:
        console.print()
        render_log(DrillLog(attempts), console=console)
    return 0


def _attempt(asked: Exercise, console: Console) -> Attempt | None:
    """What comes of the answer that is typed, the first that can be read; None where none comes."""
    begun = time.monotonic()
    while (line := line_of(console)) is not None:
        try:
            return asked.mark(line, datetime.now(UTC), time.monotonic() - begun)
        except InvalidPlayError as error:
            complain(error)
    return None
