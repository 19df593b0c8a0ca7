"""The `sixprime` command: a thin face over the other rooms.

In: words and files. Out: text, `--json` or an HTML file. Results go to standard output, everything else to
standard error. Exit status 0: done; 1: could not be done, one clear line says why; 2: wrong use.
Commands are imported when they run, and Numba only by those that evaluate. Nothing that takes time is imported before
`main` answers signals.
"""

from __future__ import annotations

import atexit
import gc
import os
import re
import sys
from itertools import pairwise, zip_longest
from typing import get_args

from sixprime._version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Sequence
    from typing import NoReturn

    from cyclopts import App, ArgumentCollection, CycloptsError
    from cyclopts.help import HelpPanel
    from rich.console import Console, ConsoleOptions

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
    "export": (
        "sixprime.cli.export:export",
        "Write a match or position as text, HTML, LaTeX, PDF, tables.",
        "sixprime export --sample --plies 0 -o sample.txt",
    ),
    "cube": (
        "sixprime.cli.cube:cube",
        "The theory of a cube decision: all models, market window, picture.",
        "sixprime cube 4HPMwQCMz+AIIQ --svg cube.svg",
    ),
    "map": ("sixprime.cli.maps:maps", "Every roll, every score, market losers, cube points by level.", None),
    "picture": (
        "sixprime.cli.picture:picture",
        "Draw a board as SVG or PNG.",
        "sixprime picture 4HPwATDgc/ABMA 31 --play '8/5 6/5' -o board.svg",
    ),
    "library": (
        "sixprime.cli.library:library",
        "Keep your matches, find decisions, say where equity went.",
        None,
    ),
    "met": ("sixprime.cli.met:met", "Show a match equity table.", "sixprime met woolsey --size 7"),
    "rollout": (
        "sixprime.cli.rollout:rollout",
        "Play positions out, with standard errors.",
        "sixprime rollout 4HPwATDgc/ABMA --dice 31 --count 3 --trials 324",
    ),
    "play": (
        "sixprime.cli.play:play",
        "Play a match, at the terminal.",
        'sixprime play "world class" --length 5',
    ),
    "shell": (
        "sixprime.cli.shell:shell",
        "Use GNU Backgammon's commands at a prompt.",
        "sixprime shell",
    ),
    "gnubg": (
        "sixprime.cli.gnubg:gnubg",
        "Understand GNU Backgammon's language.",
        "sixprime gnubg -t -q",
    ),
    "web": ("sixprime.cli.web:web", "Play and analyse in a browser.", "sixprime web --browser"),
    "race": (
        "sixprime.cli.race:race",
        "Judge a race by every count, beside the exact answer.",
        "sixprime race Xes6AABuuzUAAA",
    ),
    "rating": (
        "sixprime.cli.rating:rating",
        "What a match does to FIBS ratings.",
        "sixprime rating 1650 1800 7",
    ),
    "explain": (
        "sixprime.cli.explain:explain",
        "What the best play does that another does not, in numbers.",
        "sixprime explain 4HPwATDgc/ABMA --dice 31 --play '13/10 6/5'",
    ),
    "quiz": (
        "sixprime.cli.quiz:quiz",
        "Ask your own errors again, and openings and replies, when it is time to.",
        "sixprime quiz match.mat --player Ann",
    ),
    "cards": (
        "sixprime.cli.cards:cards",
        "Write your errors, openings or replies as a deck for Anki.",
        "sixprime cards match.mat --player Ann --to errors.apkg",
    ),
    "drill": (
        "sixprime.cli.drill:drill",
        "Train pip counts, effective pip counts, races and shots against the clock.",
        "sixprime drill pips --count 5",
    ),
    "signatures": (
        "sixprime.cli.signatures:signatures",
        "Say by whom an OGXM file is signed, and whether rightly; sign it.",
        "sixprime signatures match.ogxm --trusted site.pem",
    ),
    "openings": (
        "sixprime.cli.openings:openings",
        "Look up the openings and the replies to them, as rolled out.",
        "sixprime openings 31 42",
    ),
    "bearoff": (
        "sixprime.cli.bearoff:bearoff",
        "Build the bear-off databases, or show what they know.",
        None,  # a group of commands brings its own
    ),
    "lessons": (
        "sixprime.cli.lessons:lessons",
        "Keep positions with their rollouts, from which nets learn.",
        None,
    ),
    "train": (
        "sixprime.cli.train:train",
        "Train a net by self-play; stop and resume at will.",
        "sixprime train runs/first --recipe recipe.toml --save first.safetensors",
    ),
    "settings": (
        "sixprime.cli.settings:settings",
        "Show what you have set for all commands, and set it.",
        None,
    ),
    "dice": (
        "sixprime.cli.dice:dice",
        "Throw dice; say whether dice are fair.",
        "sixprime dice --rng mersenne --seed 42",
    ),
    "bench": ("sixprime.cli.bench:bench", "Measure the speed on this machine.", "sixprime bench --json"),
    "duel": (
        "sixprime.cli.duel:duel",
        "Play two engines against each other.",
        "sixprime duel standard gnubg --pairs 400",
    ),
    "external": (
        "sixprime.cli.external:external",
        "Play for other programs over the network, as an external player of GNU Backgammon.",
        "sixprime external expert --port 1234",
    ),
    "ubgi": (
        "sixprime.cli.ubgi:ubgi",
        "Play for programs that speak the Universal Backgammon Interface.",
        "sixprime ubgi standard@2",
    ),
    "mcp": (
        "sixprime.cli.mcp:mcp",
        "Answer language models (Model Context Protocol).",
        "sixprime mcp",
    ),
    "calibrate": (
        "sixprime.cli.calibrate:calibrate",
        "Say how long things take here.",
        "sixprime calibrate --seconds 0.5",
    ),
    "doctor": ("sixprime.cli.doctor:doctor", "Check the installation.", "sixprime doctor"),
}
_GROUPS = {
    "Matches": ("analyse", "convert", "export", "library", "rating", "signatures"),
    "Positions": ("hint", "eval", "rollout", "explain", "cube", "race", "map", "picture"),
    "Play and learn": ("play", "web", "quiz", "drill", "cards", "openings", "dice"),
    "Tables": ("met", "bearoff"),
    "Engines and nets": ("duel", "train", "lessons", "bench", "calibrate"),
    "Other programs": ("gnubg", "shell", "external", "ubgi", "mcp"),
    "Sixprime": ("settings", "doctor"),
}
"""How `--help` puts the commands together; in its last group are its own options, too."""
_ALIASES = {"analyse": "analyze"}
_MAYBE_EMPTY = ("--html-pictureurl",)
"""Options that may have an empty value; elsewhere it is a variable of the shell that was never set."""
_OBJECTS = 200_000
"""Objects that are made before Python looks for circles of them."""


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Runs the command line and ends the process with its exit status.

    arguments: instead of those of the process; signals are then left as they were, and so is whatever else is the
    process's own.
    """
    if arguments is None:
        # NumPy's threads for matrix products, of which there are hardly any, would burn time as they wait for work.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        # Imports alone make so many objects that Python would look for circles among them time and again.
        gc.set_threshold(_OBJECTS, *gc.get_threshold()[1:])
        # So says a terminal that does not know its width; nothing at all would be shown in it.
        if os.environ.get("COLUMNS") == "0":
            del os.environ["COLUMNS"]
        # Rich takes one without cursor movements for 80 columns wide unless it is told.
        if os.environ.get("TERM") == "dumb":
            from shutil import get_terminal_size

            os.environ["COLUMNS"], os.environ["LINES"] = map(str, get_terminal_size())
    outcome = [1]
    if arguments is None:
        # What is registered first is done last.
        atexit.register(_leave, outcome)
    try:
        status = _answered(arguments)
    except KeyboardInterrupt:
        # It came before anything had begun, or after the last word.
        os.write(2, b"sixprime: interrupted\n")
        status = 1
    if arguments is None:
        # The end of the process gives everything back; nothing need be gone through once more before.
        gc.freeze()
    outcome[0] = status
    sys.exit(status)


def _leave(outcome: Sequence[int]) -> None:
    """Ends the process before the interpreter is taken apart, where a thread that nobody waits for may still compute:
    the system would end both with a fault."""
    from threading import enumerate as running

    if any(thread.daemon for thread in running()):
        os._exit(outcome[0])


def _answered(arguments: Sequence[str] | None) -> int:
    """The exit status of a command that answers signals."""
    from sixprime import interrupts

    with interrupts.raised() as asked:
        from sixprime.cli._output import guarded

        with guarded() as output:
            status = _outcome(_own() if arguments is None else list(arguments), output, asked)
        if arguments is None:
            interrupts.end_at_once()
    return status


def _own() -> list[str]:
    """The arguments of the process; by a link that is called gnubg or gnubg-cli, those of that command."""
    called = os.path.basename(sys.argv[0]).removesuffix(".exe").removesuffix("-cli")
    return [*(["gnubg"] if called == "gnubg" else []), *sys.argv[1:]]


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
        from cyclopts import App, CycloptsError, Group, Parameter

        from sixprime.cli._common import UsageError, complain, warnings_shown
        from sixprime.errors import SettingsError, SixprimeError

    app = App(
        name="sixprime",
        help="Backgammon analysis: what a position is worth, the best play, and where you lost equity.",
        help_epilogue="\n".join(["Examples:", *(f"  {_COMMANDS[name][2]}" for name in ("analyse", "hint", "eval"))]),
        help_format="plaintext",
        help_formatter=_Help(),
        version=__version__,
        exit_on_error=False,
        print_error=False,
        suppress_keyboard_interrupt=False,
        result_action="return_value",
        config=_settle,
        # A name such as [2024].mat is no JSON.
        default_parameter=Parameter(negative_iterable=(), json_list=False, json_dict=False),
    )
    for place, (heading, names) in enumerate(_GROUPS.items()):
        group = Group(heading, sort_key=place)
        for number, name in enumerate(names):
            target, text, example = _COMMANDS[name]
            options = {"help_epilogue": f"Example:  {example}"} if example else {}
            if name == "gnubg":
                options["version_flags"] = ""  # an option of its own
            app.command(target, name=name, alias=_ALIASES.get(name), help=text, group=group, sort_key=number, **options)
    app["--help"].group = app["--version"].group = group
    try:
        with warnings_shown():
            return app(arguments) or 0
    except CycloptsError as error:
        complain(_usage(error))
        return 2
    except (UsageError, SettingsError) as error:
        complain(_by_option(str(error), arguments, _flags(app, arguments)))
        return 2
    except (SixprimeError, OSError) as error:
        complain(error)
        return 1
    except MemoryError as error:
        complain(f"there is not enough memory{f' ({error})' if str(error) else ''}; fewer --threads need less")
        return 1


def _settle(app: App, commands: tuple[str, ...], arguments: ArgumentCollection) -> None:
    """Gives a command what the user has set and the command line does not say; cyclopts calls it."""
    from sixprime.paths import settings_file

    _refuse_empty(arguments)
    if settings_file().exists() or commands == ("rollout",):
        from sixprime.cli._settled import settle

        settle(app, commands, arguments)


def _refuse_empty(arguments: ArgumentCollection) -> None:
    """Raises UsageError for an option with an empty value, and for a file with an empty name, which is not `.`."""
    from cyclopts import UNSET

    from sixprime.cli._common import UsageError

    for argument in arguments:
        for token in argument.tokens:
            if token.value or token.implicit_value is not UNSET or argument.name in _MAYBE_EMPTY:
                continue
            if token.keyword is not None:
                raise UsageError(f"{token.keyword} needs a value; found ''")
            if _names_file(argument.hint):
                raise UsageError(f"{argument.name.lstrip('-')} must be the name of a file or folder; found ''")


def _names_file(hint: object) -> bool:
    """Whether an argument of this type is a file."""
    from pathlib import Path

    return hint is Path or any(map(_names_file, get_args(hint)))


class _Help:
    """Help whose lines break where the terminal ends, not where those of a docstring do."""

    def __call__(self, console: Console, options: ConsoleOptions, panel: HelpPanel) -> None:
        from cyclopts.help import DefaultFormatter

        for entry in panel.entries:
            _flow(entry.description)
        DefaultFormatter()(console, options, panel)

    def render_usage(self, console: Console, options: ConsoleOptions, usage: object) -> None:
        from cyclopts.help import DefaultFormatter

        DefaultFormatter().render_usage(console, options, usage)

    def render_description(self, console: Console, options: ConsoleOptions, description: object) -> None:
        from cyclopts.help import DefaultFormatter

        _flow(description)
        DefaultFormatter().render_description(console, options, description)


def _flow(description: object) -> None:
    """Puts the lines of each paragraph of a docstring into one."""
    from rich.text import Text

    text = getattr(description, "primary_renderable", None)
    if isinstance(text, Text):
        joined = "\n\n".join(" ".join(each.split()) for each in re.split(r"\n\s*\n", text.plain))
        description.primary_renderable = Text(joined)  # type: ignore[attr-defined]


def _flags(app: App, arguments: Sequence[str]) -> set[str]:
    """The options of a command that take no value."""
    _, apps, _ = app.parse_commands(arguments)
    known = apps[-1].assemble_argument_collection()
    return {name for each in known if each.hint in (bool, bool | None) for name in each.names}


def _by_option(text: str, arguments: Sequence[str], flags: Container[str]) -> str:
    """What is wrong with a value in words of the command line: the option that gave it, not our name for it."""
    from sixprime.checks import shown

    given: dict[str, str] = {}
    for word, after in zip_longest(arguments, arguments[1:], fillvalue=""):
        if word.startswith("--") and len(word) > 2:
            option, same, value = word.partition("=")
            given[option.replace("--no-", "--")] = value if same or option in flags else after
    named = re.match(r"(?:\w+: )?(?:The '(\w+)' parameter|(\w+)) must ", text)
    name = f"--{(named[1] or named[2]).replace('_', '-')}" if named else ""
    if name not in given:
        # Some have another name there, and some texts name none.
        refused = (option for option, value in given.items() if value and shown(value) in text)
        number = (option for option, value in given.items() if value and f"Got {value} instead" in text)
        name = next(iter((*refused, *number)), "")
    if not name or name in text:
        return text
    return f"{name} must {text[named.end() :]}" if named else f"{name}: {text}"


def _usage(error: CycloptsError) -> str:
    """Wrong use in words of the command line: what was wrong, and what to type instead."""
    from cyclopts import exceptions as wrong

    command = " ".join(error.command_chain or ())
    see = f"; see sixprime {command} --help"
    match error:
        case wrong.UnusedCliTokensError(unused_tokens=[*words]) if words:
            more = "word" if len(words) == 1 else "words"
            return f"{command} has no use for the {more} {' '.join(map(repr, words))}{see}"
        case wrong.MissingArgumentError(argument=argument) if argument is not None:
            option = error.keyword or next((token.keyword for token in argument.tokens if token.keyword), None)
            if option is None:
                return f"{command} needs {argument.name}{see}"
            if _names_file(argument.hint) and (option, "-") in pairwise(error.root_input_tokens or ()):
                return f"{option} needs the name of a file; standard input and output are none{see}"
            values = argument.token_count()[0]
            return f"{option} needs {'a value' if values < 2 else f'{values} values'}{see}"
        case wrong.RepeatArgumentError(token=token):
            return f"{token.keyword} is given twice"
        case wrong.CoercionError(msg=None, token=token, target_type=kind) if token is not None and token.keyword:
            if kind is bool:
                return f"{token.keyword} takes no value; found {token.value!r}"
            if kind in (int, float):
                return f"Invalid value for {token.keyword}: expected a number, found {token.value!r}"
    return str(error)
