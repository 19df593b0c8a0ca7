"""`sixprime gnubg`: GNU Backgammon's language, from standard input and files of commands."""

from __future__ import annotations

import getopt
import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from sixprime import reading
from sixprime._version import __version__
from sixprime.cli._common import UsageError
from sixprime.command import Interpreter
from sixprime.gnubg.desk import interpreter

_SHORT = "btqrwSc:d:l:p:s:D:P:n:"
_LONG = [
    *("no-bearoff", "tty", "quiet", "no-rc", "window-system-only", "splash"),
    *("commands=", "lang=", "python=", "datadir=", "prefsdir=", "docdir=", "pkgdatadir=", "new-weights="),
]
_SAME = {"--commands": "-c", "--python": "-p", "--prefsdir": "-s", "--no-rc": "-r", "--lang": "-l"}


def gnubg(*words: Annotated[str, Parameter(allow_leading_hyphen=True, show=False)]) -> int:
    """Understand GNU Backgammon's language: commands from standard input.

    Its start options are understood: -t -q -r -c FILE -p SCRIPT -s FOLDER -l LANGUAGE, and those for its window and its
    data are passed over. Settings are read from FOLDER, else from ~/.gnubg, and saved there.
    A file that is named is a match to load.
    """
    try:
        options, files = getopt.gnu_getopt(list(words), _SHORT, _LONG)
    except getopt.GetoptError as error:
        raise UsageError(str(error)) from None
    given = {_SAME.get(name, name): value for name, value in options}
    shell = interpreter(_say, _complain)
    print(f"Sixprime {__version__}, in the language of GNU Backgammon\n")
    folder = Path(given.get("-s", "~/.gnubg")).expanduser()
    shell.settings = str(folder / "gnubgautorc")
    if "-r" not in given:
        _read_settings(shell, folder)
    if "-l" in given:
        shell.run(f"set lang {given['-l']}")
    for file in files:
        shell.run(f'load match "{file}"')
    commands = given.get("-c")
    if commands and commands != "/dev/stdin":
        shell.run(f'load commands "{commands}"')
    if "-p" in given:
        shell.run(f'load python "{given["-p"]}"')
        return 0
    while not shell.ended and (line := sys.stdin.readline()):
        shell.run(line)
        sys.stdout.flush()
    return 0


def _read_settings(shell: Interpreter, folder: Path) -> None:
    """Reads the files of settings of a folder, without what they are answered with."""
    for name in ("gnubgautorc", "gnubgrc"):
        if (path := folder / name).is_file():
            quiet = interpreter(lambda text: None, _complain, options=shell.state.options)
            quiet.run_lines(reading.read_text(path).splitlines())
            shell.state = replace(shell.state, options=quiet.state.options)


def _say(text: str) -> None:
    sys.stdout.write(text)


def _complain(text: str) -> None:
    sys.stdout.flush()
    sys.stderr.write(text)
    sys.stderr.flush()
