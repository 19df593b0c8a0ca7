"""The `sixprime` command: a thin face over the other rooms.

In: words and files. Out: text, `--json` or an HTML file. Results go to standard output, everything else to
standard error. Exit status 0: done; 1: could not be done, one clear line says why; 2: wrong use.
Commands are imported when they run, and Numba only by those that evaluate. Nothing that takes time is imported before
`main` answers signals.
"""

from __future__ import annotations

import os
import sys

from sixprime import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn

    from sixprime import interrupts
    from sixprime.cli._output import Output

# Name: where the command is, what it does, an example.
_COMMANDS = {
    "analyse": (
        "sixprime.cli.analyse:analyse",
        "Judge every decision of a match; report it.",
        "sixprime analyse --sample --html sample.html",
    ),
    "eval": (
        "sixprime.cli.judge:evaluate",
        "What a position is worth, and the cube decision.",
        'sixprime eval "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:7:10"',
    ),
    "hint": (
        "sixprime.cli.judge:hint",
        "Rank the plays of a roll.",
        "sixprime hint 4HPwATDgc/ABMA --dice 31",
    ),
    "convert": (
        "sixprime.cli.convert:convert",
        "Convert match and position files into another format.",
        "sixprime convert match.sgf match.mat",
    ),
    "cube": (
        "sixprime.cli.cube:cube",
        "The theory of a cube decision: all models, market window, picture.",
        "sixprime cube 4HPMwQCMz+AIIQ --svg cube.svg",
    ),
    "met": ("sixprime.cli.met:met", "Show a match equity table.", "sixprime met woolsey --size 7"),
    "rollout": (
        "sixprime.cli.rollout:rollout",
        "Play positions out, with standard errors.",
        "sixprime rollout 4HPwATDgc/ABMA --dice 31 --count 3 --trials 324",
    ),
    "race": (
        "sixprime.cli.race:race",
        "Judge a race by every count, beside the exact answer.",
        "sixprime race Xes6AABuuzUAAA",
    ),
    "bearoff": (
        "sixprime.cli.bearoff:bearoff",
        "Build the bear-off databases, or show what they know.",
        None,  # a group of commands brings its own
    ),
    "train": (
        "sixprime.cli.train:train",
        "Train a net by self-play; stop and resume at will.",
        "sixprime train runs/first --recipe recipe.toml --save first.safetensors",
    ),
    "bench": ("sixprime.cli.bench:bench", "Measure the speed on this machine.", "sixprime bench --json"),
    "duel": (
        "sixprime.cli.duel:duel",
        "Play two engines against each other.",
        "sixprime duel standard gnubg --pairs 400",
    ),
    "calibrate": (
        "sixprime.cli.calibrate:calibrate",
        "Say how long things take here.",
        "sixprime calibrate --seconds 0.5",
    ),
    "doctor": ("sixprime.cli.doctor:doctor", "Check the installation.", "sixprime doctor"),
}
_ALIASES = {"analyse": "analyze"}


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Runs the command line and ends the process with its exit status.

    arguments: instead of those of the process; signals are then left as they were.
    """
    try:
        status = _answered(arguments)
    except KeyboardInterrupt:
        # It came before anything had begun, or after the last word.
        os.write(2, b"sixprime: interrupted\n")
        status = 1
    sys.exit(status)


def _answered(arguments: Sequence[str] | None) -> int:
    """The exit status of a command that answers signals."""
    from sixprime import interrupts

    with interrupts.raised() as asked:
        from sixprime.cli._output import guarded

        with guarded() as output:
            status = _outcome(sys.argv[1:] if arguments is None else list(arguments), output, asked)
        if arguments is None:
            interrupts.end_at_once()
    return status


def _outcome(arguments: list[str], output: Output, asked: interrupts.Request) -> int:
    """The exit status of a command, once everything has been said."""
    from sixprime import interrupts
    from sixprime.cli._output import OutputError

    try:
        try:
            status = _run(arguments)
        except SystemExit as ended:
            status = int(ended.code or 0)
        sys.stdout.flush()
    except OutputError:
        status = 1
    except KeyboardInterrupt:
        interrupts.say("sixprime: interrupted")
        status = 1
    except Exception as error:
        from sixprime.cli._common import complain

        if os.environ.get("SIXPRIME_DEBUG"):
            raise
        # Whatever an interrupt makes of code that is not ours, it stays an interrupt.
        complain("interrupted" if asked.times else f"internal error, please report it: {type(error).__name__}: {error}")
        status = 1
    problem = output.problem
    if problem is None:
        return status
    if not isinstance(problem, BrokenPipeError):
        interrupts.say(f"sixprime: standard output: {problem.strerror or problem}")
    return 1


def _run(arguments: list[str]) -> int:
    from sixprime import interrupts

    # Large imports are no place for an interrupt: code that is not ours may swallow it.
    with interrupts.deferred():
        from cyclopts import App, CycloptsError

        from sixprime.cli._common import UsageError, complain, warnings_shown
        from sixprime.errors import SettingsError, SixprimeError

    app = App(
        name="sixprime",
        help="Backgammon analysis: what a position is worth, the best play, and where you lost equity.",
        help_epilogue="\n".join(["Examples:", *(f"  {_COMMANDS[name][2]}" for name in ("analyse", "hint", "eval"))]),
        help_format="plaintext",
        version=__version__,
        exit_on_error=False,
        print_error=False,
        suppress_keyboard_interrupt=False,
        result_action="return_value",
    )
    for name, (target, text, example) in _COMMANDS.items():
        options = {"help_epilogue": f"Example:  {example}"} if example else {}
        app.command(target, name=name, alias=_ALIASES.get(name), help=text, **options)
    try:
        with warnings_shown():
            return app(arguments) or 0
    except (CycloptsError, UsageError, SettingsError) as error:
        complain(error)
        return 2
    except (SixprimeError, OSError) as error:
        complain(error)
        return 1
