"""The module `gnubg` of GNU Backgammon 1.07 and its `setgnubgid`, on our engine.

Scripts find it as `import gnubg` (see `console.Python`), everybody else as `from sixprime import gnubg`. Boards are two
rows of 25 counts, the opponent first, each from that side's ace point to the bar, as in `game.position`; players are 0
("X" in `match`) and 1 ("O"). Chances and equities are those of the player on roll; equities are normalised to the cube.

Functions without their arguments, and those that change something, concern the game of the interpreter that `serve` has
been given; without one, or without a game in it, they raise `NoGameError`. Wrong arguments raise `TypeError` or
`ValueError`, which tell what is wanted.
"""

from __future__ import annotations

from sixprime.gnubg.host import NoGameError as NoGameError
from sixprime.gnubg.host import serve as serve
from sixprime.gnubg.judging import cfevaluate, classifypos, evaluate, findbestmove, hint
from sixprime.gnubg.places import (
    board,
    movetupletostring,
    parsemove,
    positionbearoff,
    positionfrombearoff,
    positionfromid,
    positionfromkey,
    positionid,
    positionkey,
)
from sixprime.gnubg.situation import (
    calcgammonprice,
    cubeinfo,
    eq2mwc,
    eq2mwc_stderr,
    evalcontext,
    getevalhintfilter,
    gnubgid,
    matchid,
    met,
    mwc2eq,
    mwc2eq_stderr,
    posinfo,
    rolloutcontext,
    setevalhintfilter,
)
from sixprime.gnubg.table import (
    command,
    dicerolls,
    errorrating,
    luckrating,
    match,
    matchchecksum,
    navigate,
    nextturn,
    setgnubgid,
    show,
    updateui,
)

__all__ = [
    "board",
    "calcgammonprice",
    "cfevaluate",
    "classifypos",
    "command",
    "cubeinfo",
    "dicerolls",
    "eq2mwc",
    "eq2mwc_stderr",
    "errorrating",
    "evalcontext",
    "evaluate",
    "findbestmove",
    "getevalhintfilter",
    "gnubgid",
    "hint",
    "luckrating",
    "match",
    "matchchecksum",
    "matchid",
    "met",
    "movetupletostring",
    "mwc2eq",
    "mwc2eq_stderr",
    "navigate",
    "nextturn",
    "parsemove",
    "posinfo",
    "positionbearoff",
    "positionfrombearoff",
    "positionfromid",
    "positionfromkey",
    "positionid",
    "positionkey",
    "rolloutcontext",
    "setevalhintfilter",
    "setgnubgid",
    "show",
    "updateui",
]
