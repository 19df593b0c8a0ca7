"""GNU Backgammon's command language over our rooms: an interpreter without a terminal.

>>> from sixprime.command import Interpreter
>>> said = []
>>> shell = Interpreter(said.append, said.append)
>>> shell.run("set automatic game off")
>>> "".join(said)
'Will not automatically start games.\\n'
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sixprime.lazy import names_of

if TYPE_CHECKING:
    from sixprime.command.call import Call
    from sixprime.command.interpreter import Interpreter
    from sixprime.command.options import Options
    from sixprime.command.state import State

_HOMES = {"call": ("Call",), "interpreter": ("Interpreter",), "options": ("Options",), "state": ("State",)}

__all__ = ["Call", "Interpreter", "Options", "State"]

__getattr__ = names_of(__name__, _HOMES)
