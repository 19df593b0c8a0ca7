"""Settings that are on or off, or one number or word, and mean just what they say."""

from __future__ import annotations

from sixprime.command.call import Call
from sixprime.command.tree import command, group
from sixprime.command.words import OnOff


def switch(words: str, path: str, text: str, on: str, off: str) -> None:
    """Enters a command that turns an option on or off and says one of two sentences."""

    def run(call: Call, value: OnOff) -> None:
        call.put(path, value)
        call.say(on if value else off)

    command(words, text, "on|off")(run)


group("set", "Change settings")
group("set automatic", "What is done without being asked for")
group("set output", "How results are written")
_SWITCHES = (
    (
        "set automatic bearoff",
        "automatic.bearoff",
        "Bear chequers off by itself where no choice matters",
        "Will automatically bear off as many chequers as possible.",
        "Will not automatically bear off chequers.",
    ),
    (
        "set automatic crawford",
        "automatic.crawford",
        "Find the Crawford game by the score",
        "Will enable the Crawford game according to match score.",
        "Will not enable the Crawford game according to match score.",
    ),
    (
        "set automatic game",
        "automatic.game",
        "Begin the next game by itself",
        "Will automatically start games after wins.",
        "Will not start new games automatically.",
    ),
    (
        "set automatic move",
        "automatic.move",
        "Play the only legal play by itself",
        "Forced moves will be made automatically.",
        "Forced moves will not be made automatically.",
    ),
    (
        "set automatic roll",
        "automatic.roll",
        "Roll by itself where no double is possible",
        "Will automatically roll the dice when no cube action is possible.",
        "Will not automatically roll the dice.",
    ),
)
for _each in _SWITCHES:
    switch(*_each)
