"""`sixprime gnubg`: GNU Backgammon's language, from standard input and files of commands."""

from __future__ import annotations

import getopt
import sys
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from sixprime import reading
from sixprime._version import __version__
from sixprime.cli._common import UsageError
from sixprime.command import Interpreter

_SHORT = "btqrwSc:d:l:p:s:D:P:n:"
_LONG = [
    *("no-bearoff", "tty", "quiet", "no-rc", "window-system-only", "splash"),
    *("commands=", "lang=", "python=", "datadir=", "prefsdir=", "docdir=", "pkgdatadir=", "new-weights="),
]
_SAME = {"--commands": "-c", "--python": "-p", "--prefsdir": "-s", "--no-rc": "-r", "--lang": "-l"}


def gnubg(*words: Annotated[str, Parameter(allow_leading_hyphen=True, show=False)]) -> int:
    """Understand GNU Backgammon's language: commands from standard input.

    Its start options are understood: -t -q -r -c FILE -s FOLDER -l LANGUAGE, and those for its window are passed over.
    A file that is named is a match to load.
    """
    try:
        options, files = getopt.gnu_getopt(list(words), _SHORT, _LONG)
    except getopt.GetoptError as error:
        raise UsageError(str(error)) from None
    given = {_SAME.get(name, name): value for name, value in options}
    if "-p" in given:
        raise UsageError("-p: this version runs no Python scripts of GNU Backgammon")
    shell = Interpreter(_say, _complain)
    print(f"Sixprime {__version__}, in the language of GNU Backgammon\n")
    if "-r" not in given and "-s" in given:
        for name in ("gnubgautorc", "gnubgrc"):
            if (path := Path(given["-s"]) / name).exists():
                shell.run_lines(reading.read_text(path).splitlines())
    if "-l" in given:
        shell.run(f"set lang {given['-l']}")
    for file in files:
        shell.run(f'load match "{file}"')
    commands = given.get("-c")
    if commands and commands != "/dev/stdin":
        shell.run(f'load commands "{commands}"')
    while not shell.ended and (line := sys.stdin.readline()):
        shell.run(line)
        sys.stdout.flush()
    return 0


def _say(text: str) -> None:
    sys.stdout.write(text)


def _complain(text: str) -> None:
    sys.stdout.flush()
    sys.stderr.write(text)
    sys.stderr.flush()
