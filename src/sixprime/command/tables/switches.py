"""Settings that are on or off, or one number or word, and mean just what they say."""

from __future__ import annotations

from sixprime.command.call import Call
from sixprime.command.tree import command, group
from sixprime.command.words import Number, OnOff, Refused

LONGEST, MOST_BEAVERS = 64, 12


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
_PLAIN = (
    ("set output matchpc", "output.matchpc", "Match equities in percent", "Match winning chances in percent"),
    ("set output mwc", "output.mwc", "Match-winning chances instead of equities", "Match-winning chances"),
    ("set output rawboard", "output.rawboard", "Boards in FIBS style 3", "Boards in FIBS style 3"),
    ("set output winpc", "output.winpc", "Winning chances in percent", "Winning chances in percent"),
    ("set output output", "output.output", "Whether anything is printed", "Output"),
    ("set confirm new", "confirm.new", "Ask before a game in progress is ended", "Asking before a game is ended"),
    ("set confirm save", "confirm.save", "Ask before a file is overwritten", "Asking before a file is overwritten"),
    ("set display", "display", "Show the board when the program moves", "Boards of the program's moves"),
    ("set jacoby", "jacoby", "Jacoby's rule in new sessions", "Jacoby's rule in new sessions"),
    ("set gotofirstgame", "gotofirstgame", "Begin at the first game of a match", "Beginning at the first game"),
)
group("set confirm", "What is asked about")
for _words, _path, _text, _said in _PLAIN:
    switch(_words, _path, _text, f"{_said}: on.", f"{_said}: off.")


@command("set matchlength", "How long new matches are", "<length>")
def set_matchlength(call: Call, length: Number = None) -> None:
    if length is None or not 0 <= length <= LONGEST:
        raise Refused(f"Match length must be between 0 (unlimited session) and {LONGEST}")
    call.put("matchlength", length)
    call.say(f"New matches default to {length} points." if length else "New matches default to unlimited sessions.")


@command("set beavers", "How often a double may be turned back for money, in new sessions", "<number>")
def set_beavers(call: Call, number: Number = None) -> None:
    if number is None or not 0 <= number <= MOST_BEAVERS:
        raise Refused("You must specify the number of beavers to allow.")
    call.put("beavers", number)
    call.say(f"{number} beavers/raccoons allowed in money sessions." if number else "No beavers allowed.")
