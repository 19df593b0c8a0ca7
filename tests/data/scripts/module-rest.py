# The names of the module that other scripts seldom call; all of them are there.
# allowed: boards in-on
import gnubg

NAMES = [
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
    "show",
    "updateui",
]
print(len(NAMES), [name for name in NAMES if not callable(getattr(gnubg, name, None))])
gnubg.command("set player 0 human")
gnubg.command("set player 1 human")
gnubg.command("set rng mersenne")
gnubg.command("set seed 7")
gnubg.command("set display off")
gnubg.command("new match 5")
print(len(gnubg.matchchecksum()), gnubg.nextturn())
for first in (gnubg.posinfo(), gnubg.cubeinfo(), gnubg.evalcontext(), gnubg.rolloutcontext()):
    print(sorted(first), sorted({type(value).__name__ for value in first.values()}))
print(gnubg.posinfo(1, 0, 0, 1, (3, 1)))
print(gnubg.gnubgid(gnubg.board(), gnubg.cubeinfo(), gnubg.posinfo()) == gnubg.gnubgid())
print(gnubg.matchid(gnubg.cubeinfo(), gnubg.posinfo()) == gnubg.matchid())
print([type(value).__name__ for value in gnubg.evaluate()], [type(value).__name__ for value in gnubg.cfevaluate()])
print([type(value).__name__ for value in gnubg.findbestmove()])
print(gnubg.classifypos(gnubg.board(), 0), round(gnubg.eq2mwc(0.0), 4), round(abs(gnubg.mwc2eq(0.5)), 4))
print(gnubg.errorrating(0.0), gnubg.errorrating(1.0), gnubg.luckrating(-1.0), gnubg.luckrating(1.0))
for text in ("8/5 6/5", "bar/22", "6/off(2)", "24/18*/13"):
    print(gnubg.parsemove(text))
print(gnubg.show("score"))
print(gnubg.show("turn"))
