"""Commands of GNU Backgammon that are not done here: they say so."""

from __future__ import annotations

from sixprime.command.call import Call
from sixprime.command.tree import ROOT, command
from sixprime.command.words import Refused, Rest

WORDS = (
    "calibrate",
    "copy",
    "external",
    "load weights",
    "show aliases",
    "show autosave",
    "show bearoff",
    "show buildinfo",
    "show browser",
    "show calibration",
    "show cheat",
    "show clockwise",
    "show commands",
    "show confirm",
    "show copying",
    "show credits",
    "show cubeefficiency",
    "show display",
    "show engine",
    "show gammonvalues",
    "show export",
    "show marketwindow",
    "show matchinfo",
    "show matchresult",
    "show onesidedrollout",
    "show postcrawford",
    "show rolls",
    "show temperaturemap",
    "show scoremap",
    "show version",
    "show tutor",
    "show warranty",
)


def _missing(call: Call, rest: Rest = "") -> None:
    raise Refused(f"`{call.name}' is not done by Sixprime yet.", wrong=True)


for _words in WORDS:
    if ROOT.below(_words).run is None:
        command(_words, "Not done yet", hidden=True)(_missing)
