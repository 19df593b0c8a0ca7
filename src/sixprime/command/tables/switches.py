"""Settings that are on or off, or one number or word, and mean just what they say."""

from __future__ import annotations

from sixprime.command.answers.settings import beavers
from sixprime.command.call import Call
from sixprime.command.run_of_play import checked_length, rule
from sixprime.command.tree import command, group, kept
from sixprime.command.words import Number, OnOff, Refused
from sixprime.game.match_rules import MOST_BEAVERS


def switch(words: str, path: str, text: str, on: str, off: str) -> None:
    """Enters a command that turns an option on or off and says one of two sentences."""

    def run(call: Call, value: OnOff) -> None:
        call.say(on if value else off)  # before `set output output off' falls silent
        call.put(path, value)

    command(words, text, "on|off")(run)
    kept(words, path)


def _include(words: str, path: str, what: str, said: str) -> tuple[str, str, str, str, str]:
    return words, path, f"Whether exports hold {what}", said, f"Do not {said[0].lower()}{said[1:]}"


_UNDELETED = "(Kept only: the next analysis overwrites what was saved by itself, nothing is deleted.)"
group("set", "Change settings")
group("show", "Say what is set, where the game stands, what there is to know")
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
        "Will not automatically start games.",
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
    (
        "set analysis cube",
        "cubes",
        "Whether cube decisions are analysed",
        "Cube action will be analysed.",
        "Cube action will not be analysed.",
    ),
    (
        "set analysis luck",
        "luck",
        "Whether luck is shown",
        "Dice rolls will be analysed.",
        "Dice rolls will not be analysed.",
    ),
    (
        "set analysis moves",
        "moves",
        "Whether plays are analysed",
        "Chequer play will be analysed.",
        "Chequer play will not be analysed.",
    ),
    (
        "set evaluation sameasanalysis",
        "sameasanalysis",
        "Evaluate as is analysed",
        "Evaluation settings will be same as analysis settings.",
        "Evaluation settings separate from analysis settings.",
    ),
    (
        "set cheat enable",
        "cheat",
        "Whether dice are loaded",
        "Allow GNU Backgammon to manipulate the dice.",
        "Disallow GNU Backgammon to manipulate the dice.",
    ),
    (
        "set output matchpc",
        "output.matchpc",
        "Match-winning chances in percent",
        "Match winning chances will be shown as percentages.",
        "Match winning chances will be shown as probabilities.",
    ),
    (
        "set output mwc",
        "output.mwc",
        "Match-winning chances instead of equities",
        "Match evaluations will be shown as match winning chances.",
        "Match evaluations will be shown as equivalent money equity.",
    ),
    (
        "set output rawboard",
        "output.rawboard",
        "Boards in FIBS style 3",
        "TTY boards will be given in raw format.",
        "TTY boards will be given in ASCII.",
    ),
    (
        "set output winpc",
        "output.winpc",
        "Winning chances in percent",
        "Game winning chances will be shown as percentages.",
        "Game winning chances will be shown as probabilities.",
    ),
    (
        "set output output",
        "output.output",
        "Whether anything is printed",
        "output will be shown",
        "output will not be shown",
    ),
    (
        "set confirm new",
        "confirm.new",
        "Ask before a game in progress is ended",
        "Will ask for confirmation before aborting games in progress.",
        "Will not ask for confirmation before aborting games in progress.",
    ),
    (
        "set confirm save",
        "confirm.save",
        "Ask before a file is overwritten",
        "Will ask for confirmation before overwriting existing files.",
        "Will not ask for confirmation overwriting existing files.",
    ),
    (
        "set display",
        "display",
        "Show the board when the program moves",
        "Will display boards for computer moves.",
        "Will not display boards for computer moves.",
    ),
    (
        "set gotofirstgame",
        "gotofirstgame",
        "Begin at the first game of a match",
        "Goto first game when loading matches or sessions.",
        "Goto last game when loading matches or sessions.",
    ),
    (
        "set clockwise",
        "clockwise",
        "Which way player 1 moves",
        "Player 1 moves clockwise (and player 0 moves anticlockwise).",
        "Player 1 moves anticlockwise (and player 0 moves clockwise).",
    ),
    (
        "set record",
        "record",
        "Whether all games of a session are kept",
        "All games in a session will be recorded.",
        "Only the active game in a session will be recorded.",
    ),
    *(
        (
            words,
            "invert_met",
            "Swap the players in the match equity table",
            "Match equity table will be used inverted.",
            "Match equity table will not be use inverted.",
        )
        for words in (f"{verb} {table}" for verb in ("set invert", "invert") for table in ("matchequitytable", "met"))
    ),
    (
        "set tutor mode",
        "tutor.mode",
        "Whether there are warnings",
        "Warn about possibly bad play.",
        "No warnings for possibly bad play.",
    ),
    (
        "set tutor cube",
        "tutor.cube",
        "Whether there are warnings of cube decisions",
        "Include advice on cube decisions in tutor mode.",
        "Exclude advice on cube decisions from tutor mode.",
    ),
    (
        "set tutor chequer",
        "tutor.chequer",
        "Whether there are warnings of plays",
        "Include advice on chequer play in tutor mode.",
        "Exclude advice on chequer play from tutor mode.",
    ),
    (
        "set autosave rollout",
        "autosave.rollout",
        "Save while rolling out",
        "Auto save during rollouts",
        "Don't auto save during rollouts",
    ),
    (
        "set autosave analysis",
        "autosave.analysis",
        "Save while analysing",
        "Auto save after each analysed game",
        "Don't auto save after each analysed game",
    ),
    (
        "set autosave confirm",
        "autosave.confirm",
        "Ask before what was saved so is deleted",
        f"Prompt before deleting autosaves\n{_UNDELETED}",
        f"Delete autosaves automatically\n{_UNDELETED}",
    ),
    *(
        _include(f"set export include {word}", f"export.{word}", what, f"Include {what} in exports")
        for word, what in (
            ("annotations", "annotations"),
            ("analysis", "analysis"),
            ("statistics", "statistics"),
            ("matchinfo", "match information"),
        )
    ),
    *(
        _include(
            f"set export {kind} {words}",
            f"export.{kind}_{words.split()[-1]}",
            what,
            f"Show detailed {what}"
            + (f" for {'moves' if kind == 'moves' else 'cube decisions'}" if words == "probabilities" else ""),
        )
        for kind in ("moves", "cube")
        for words, what in (
            ("parameters evaluation", "parameters for evaluations"),
            ("parameters rollout", "parameters for rollouts"),
            ("probabilities", "probabilities"),
        )
    ),
    *(
        _include(
            f"set export {kind} display {word}",
            f"export.{kind}_{word}",
            f"{what} {said}" if said != "unmarked" else f"unmarked {what}",
            f"Export {what} {said}." if said != "unmarked" else f"Export unmarked {what}.",
        )
        for kind, what in (("moves", "moves"), ("cube", "cube decisions"))
        for word, said in (
            ("verybad", "marked 'very bad'"),
            ("bad", "marked 'bad'"),
            ("doubtful", "marked 'doubtful'"),
            ("unmarked", "unmarked"),
        )
    ),
    *(
        _include(f"set export cube display {word}", f"export.cube_{word}", said, f"Export {said}.")
        for word, said in (
            ("actual", "actual cube decisions"),
            ("missed", "missed cube decisions"),
            ("close", "close cube decisions"),
        )
    ),
)
for _words, _text in (
    ("confirm", "What is asked about"),
    ("cheat", "Loaded dice"),
    ("invert", "Swap the players in the match equity table"),
    ("tutor", "Warnings of errors"),
    ("autosave", "Saving by itself"),
    ("export", "What exports hold"),
    ("export include", "Parts of exports"),
    ("export show", "What is shown of the match"),
    ("export moves", "What is shown of plays"),
    ("export moves parameters", "Settings that are shown"),
    ("export moves display", "Which plays are shown"),
    ("export cube", "What is shown of cube decisions"),
    ("export cube parameters", "Settings that are shown"),
    ("export cube display", "Which cube decisions are shown"),
):
    group(f"set {_words}", _text)
for _each in _SWITCHES:
    switch(*_each)


@command("set jacoby", "Whether gammons count in sessions only where the cube was turned", "on|off")
def set_jacoby(call: Call, on: OnOff) -> None:
    call.put("jacoby", on)
    rule(call, jacoby=on)
    call.say(f"Will {'use' if on else 'not use'} the Jacoby rule for money sessions.")


kept("set jacoby", "jacoby")


@command("set matchlength", "How long new matches are", "<length>")
def set_matchlength(call: Call, length: Number = None) -> None:
    length = checked_length(length)
    call.put("matchlength", length)
    call.say(
        f"New matches default to {length} point{'s' * (length != 1)}."
        if length
        else "New matches default to unlimited sessions."
    )


kept("set matchlength", "matchlength")
kept("set beavers", "beavers")


@command("set beavers", "How often a double may be turned back for money", "<number>")
def set_beavers(call: Call, number: Number = None) -> None:
    if number is None or number < 0:
        raise Refused("You must specify the number of beavers to allow.")
    call.put("beavers", number)
    rule(call, beavers=min(number, MOST_BEAVERS))
    call.say(beavers(number))
