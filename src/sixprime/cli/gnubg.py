"""`sixprime gnubg`: GNU Backgammon's language, from standard input and files of commands."""

from __future__ import annotations

import getopt
import inspect
import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from sixprime import reading
from sixprime._version import __version__
from sixprime.command import Interpreter
from sixprime.gnubg.desk import interpreter

_SHORT = "bdhqrStvwc:l:p:s:D:O:P:"
_LONG = [
    *("no-bearoff", "debug", "help", "quiet", "no-rc", "splash", "tty", "version", "window-system-only"),
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
    "--pkgdatadir": "-P",
    "--help": "-h",
}
_GREETING = f"Sixprime {__version__}, in the language of GNU Backgammon\n"


def gnubg(*words: Annotated[str, Parameter(allow_leading_hyphen=True, show=False)]) -> int:
    """Understand GNU Backgammon's language: commands from standard input.

    Its start options are understood: -t -q -r -v -c FILE -p SCRIPT -s FOLDER -l LANGUAGE; -D FOLDER and -P FOLDER are
    where match equity tables and nets are looked for, too; those for its window are passed over. Settings are read
    from the FOLDER of -s, else from ~/.gnubg, and saved there. A file that is named is a match to load. With -c, or
    else -p, only that file is run. A link to this program that is called gnubg runs this command.
    """
    try:
        options, files = getopt.gnu_getopt(list(words), _SHORT, _LONG)
    except getopt.GetoptError as error:
        _complain(f"Unknown option {'--' if len(error.opt) > 1 else '-'}{error.opt}: {error}\n")
        return 1
    given = {_SAME.get(name, name): value for name, value in options}
    print(_GREETING)
    if "-v" in given:
        return 0
    if "-h" in given:
        print(inspect.getdoc(gnubg))
        return 0
    shell = interpreter(_say, _complain)
    shell.data = [Path(given[name]).expanduser() for name in ("-P", "-D") if name in given]
    folder = Path(given.get("-s", "~/.gnubg")).expanduser()
    shell.settings, shell.database = str(folder / "gnubgautorc"), folder / "gnubg.db"
    if "-r" not in given:
        _read_settings(shell, folder)
    if "-l" in given:
        shell.run(f"set lang {given['-l']}")
    for file in files:
        shell.run(f'load match "{file}"')
    if "-c" in given and given["-c"] != "/dev/stdin":
        shell.run(f'load commands "{given["-c"]}"')
    elif "-p" in given and "-c" not in given:
        shell.run(f'load python "{given["-p"]}"')
    else:
        while not shell.ended and (line := sys.stdin.readline()):
            shell.run(line)
            sys.stdout.flush()
    return 0


def _read_settings(shell: Interpreter, folder: Path) -> None:
    """Reads the files of settings of a folder, without what they are answered with."""
    for name in ("gnubgautorc", "gnubgrc"):
        if (path := folder / name).is_file():
            quiet = interpreter(lambda text: None, _complain, options=shell.state.options)
            quiet.data = shell.data
            quiet.run_lines(reading.read_text(path).splitlines())
            shell.state = replace(shell.state, options=quiet.state.options)


def _say(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()  # scripts catch what a command writes by exchanging the file descriptor


def _complain(text: str) -> None:
    sys.stdout.flush()
    sys.stderr.write(text)
    sys.stderr.flush()
