"""`sixprime gnubg`: GNU Backgammon's language, from standard input and files of commands."""

from __future__ import annotations

import getopt
import getpass
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from sixprime import reading
from sixprime._version import __version__
from sixprime.command import Interpreter
from sixprime.command.options import Seat
from sixprime.gnubg.desk import interpreter
from sixprime.paths import expanded

_SHORT = "bdqrStvwc:l:p:s:D:O:P:"
_LONG = [
    *("no-bearoff", "debug", "quiet", "no-rc", "splash", "tty", "version", "window-system-only"),
    *("commands=", "lang=", "python=", "datadir=", "prefsdir=", "docdir=", "pkgdatadir=", "display="),
]
_SAME = {
    "--commands": "-c",
    "--python": "-p",
    "--prefsdir": "-s",
    "--no-rc": "-r",
    "--lang": "-l",
    "--version": "-v",
    "--datadir": "-D",
    "--tty": "-t",
    "--pkgdatadir": "-P",
}
_NAME = f"Sixprime {__version__}, in the language of GNU Backgammon"


def gnubg(*options: Annotated[str, Parameter(allow_leading_hyphen=True)]) -> int:
    """Understand GNU Backgammon's language: commands from standard input, answers to standard output.

    At a terminal there is a prompt, as `sixprime shell` has it; with -t a plain one, for programs that sit there.

    A link to this program that is called gnubg, or gnubg-cli as on Windows, runs this command.

    Parameters
    ----------
    options
        Those of GNU Backgammon: -c FILE runs a file of commands, -p FILE a Python script, and ends; -r reads no
        settings; -s FOLDER is where they are read and saved, by default ~/.gnubg; -D FOLDER and -P FOLDER are where
        match equity tables and nets are looked for, too; -l LANGUAGE; -v shows the version; -t has a plain prompt.
        Those for its window, and -q, change nothing. A file that is named is a match to load.
    """
    try:
        chosen, files = getopt.gnu_getopt(list(options), _SHORT, _LONG)
    except getopt.GetoptError as error:
        _complain(f"Unknown option {'--' if len(error.opt) > 1 else '-'}{error.opt}: {error}\n")
        return 1
    given = {_SAME.get(name, name): value for name, value in chosen}
    if "-v" in given:
        print(f"{_NAME} 1.07\n")
        return 0
    print(f"{_NAME}\n")
    begin = partial(_begin, given=given, files=files)
    script = ""
    if "-c" in given:
        script = f'load commands "{given["-c"]}"' if given["-c"] != "/dev/stdin" else ""
    elif "-p" in given:
        script = f'load python "{given["-p"]}"'
    if not script and sys.stdin.isatty() and sys.stdout.isatty():
        from sixprime.shell.run import shell as at_terminal

        at_terminal(prepare=begin, plain="-t" in given)
        return 0
    shell = interpreter(_say, _complain, exits=True)
    begin(shell)
    if script:
        shell.depth = int("-c" in given)  # the program ends behind the file, whoever is to play
        shell.run(script)
        return 0
    from sixprime.shell.run import read_line, talk

    shell.typed = read_line
    talk(shell, lambda: read_line(""), shell.run)
    return 0


def _begin(shell: Interpreter, given: Mapping[str, str], files: Sequence[str]) -> None:
    """What options and files say before the first command."""
    options = shell.state.options
    names = (options.players[0].name, _login())
    players = (options.players[0], Seat(names[1]))
    shell.state = replace(shell.state, options=replace(options, players=players, defaultnames=names))
    shell.data = [expanded(given[name]) for name in ("-P", "-D") if name in given]
    folder = expanded(given.get("-s", "~/.gnubg"))
    shell.settings, shell.database = str(folder / "gnubgautorc"), folder / "gnubg.db"
    if "-r" not in given:
        _read_settings(shell, folder)
    if "-l" in given:
        shell.run(f"set lang {given['-l']}")
    for file in files:
        shell.run(f'load match "{file}"')


def _login() -> str:
    """What the person at the keyboard is called: programs name the other one as they like, "You" as well."""
    try:
        name = getpass.getuser().strip()
    except (ImportError, KeyError, OSError):  # nobody the system knows
        name = ""
    return name if name.lower() not in ("", "0", "1", "both", "gnubg") else "you"


def _read_settings(shell: Interpreter, folder: Path) -> None:
    """Reads the files of settings of a folder, without what they are answered with."""
    for name in ("gnubgautorc", "gnubgrc"):
        if (path := folder / name).is_file():
            quiet = interpreter(lambda text: None, _complain, options=shell.state.options)
            quiet.data = shell.data
            lines = reading.read_text(path, errors=reading.WESTERN).splitlines()
            # The name that the system has for player 1 may be that of player 0 here, who stands first.
            quiet.run_lines([*(line for line in lines if line.startswith("set player 1 name ")), *lines])
            shell.state = replace(shell.state, options=quiet.state.options)


def _say(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()  # scripts catch what a command writes by exchanging the file descriptor


def _complain(text: str) -> None:
    sys.stdout.flush()
    sys.stderr.write(text)
    sys.stderr.flush()
