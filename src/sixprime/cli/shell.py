"""`sixprime shell`."""

from __future__ import annotations


def shell() -> None:
    """Use GNU Backgammon's command language at a prompt, with completion, history and help.

    Tab completes a word and says what each is about; a line below says how the command goes on. Lines that begin with >
    are Python, in which `gnubg` is the module of that name. Install sixprime[shell] for editing of lines; without
    a terminal, lines are read from standard input.
    """
    from sixprime.shell.run import shell as run

    run()
