"""What only a program with windows or sounds has use for: taken, kept as it was written, and said to be so."""

from __future__ import annotations

from dataclasses import replace

from sixprime.command.call import Call
from sixprime.command.tree import command, group
from sixprime.command.words import OnOff, Path, Rest

_ONLY = "only programs with windows use it"

_GROUPS = {
    "set gui": "How a program with windows shows the board",
    "set gui animation": "How it moves chequers",
    "set gui showpips": "Which counts it shows below the board",
    "set geometry": "Where its windows are",
    "set sound": "Sounds",
    "set sound sound": "Files of the sounds",
    "set sound system": "How sounds are played",
    "show manual": "The manual",
}
LEAVES = {
    "set analysis window": ("Show the analysis in a window", "on|off"),
    "set annotation": ("Show comments", "on|off"),
    "set appearance": ("How boards look", "[<key>=<value> ...]"),
    "set colours": ("How boards look", "[<key>=<value> ...]"),
    "set commandwindow": ("Show a window for commands", "on|off"),
    "set delay": ("Pause between moves", "<milliseconds>"),
    "set dockpanels": ("Keep all panels in one window", "on|off"),
    "set fullscreen": ("Use the whole screen", "on|off"),
    "set gamelist": ("Show the moves of the game in a window", "on|off"),
    "set message": ("Show messages in a window", "on|off"),
    "set panels": ("Show panels", "on|off"),
    "set panelwidth": ("Width of the panels", "<value>"),
    "set styledgamelist": ("Colour marked moves", "on|off"),
    "set theorywindow": ("Show cube theory in a window", "on|off"),
    "set toolbar": ("Pictures or words on the toolbar", "<value>"),
    "set vsync3d": ("Wait for the screen", "on|off"),
    "set warning": ("Warn of something", "<warning> on|off"),
    "set gui beep": ("Beep at wrong input", "on|off"),
    "set gui dicearea": ("Show the dice of a person on roll", "on|off"),
    "set gui dragtargethelp": ("Show where a chequer can go", "on|off"),
    "set gui usestatspanel": ("Show statistics in a panel", "on|off"),
    "set gui movelistdetail": ("Show chances beside moves", "on|off"),
    "set gui grayedit": ("Grey board while it is edited", "on|off"),
    "set gui highdiefirst": ("Show the higher die first", "on|off"),
    "set gui illegal": ("Let chequers go where they cannot", "on|off"),
    "set gui showids": ("Show the IDs", "on|off"),
    "set gui windowpositions": ("Keep where windows were", "on|off"),
    "set gui animation blink": ("Moving chequers blink", ""),
    "set gui animation none": ("Chequers jump", ""),
    "set gui animation slide": ("Moving chequers slide", ""),
    "set gui animation speed": ("How fast chequers move", "<value>"),
    "set gui showpips none": ("No counts", ""),
    "set gui showpips pips": ("Pip counts", ""),
    "set gui showpips epc": ("Effective pip counts", ""),
    "set gui showpips wastage": ("Effective pip counts and wastage", ""),
} | {
    f"set geometry {window} {part}": (f"{part.capitalize()} of the window", "<value>")
    for window in ("analysis", "command", "game", "hint", "main", "message", "theory")
    for part in ("width", "height", "xpos", "ypos", "max")
}
LATER = {
    "set analysis background": ("Analyse while a window shows the match", "on|off"),
    "set analysis filesetting": ("Which files a window offers to analyse", "<value>"),
    "set automatic db": ("Put what a window analysed into the database", "on|off"),
    "set markedsameplayer": ("Go through marked moves of one player", "on|off"),
} | {
    f"set scoremap{part}": (f"{text} of the score map in its window", "<value>")
    for part, text in {
        "colour": "Colours",
        "cubeequitydisplay": "Equities of cube decisions",
        "jacoby": "Jacoby's rule",
        "label": "Scores beside the rows",
        "layout": "Layout",
        "matchlength": "Match length",
        "moveequitydisplay": "Equities of plays",
        "ply": "Plies",
    }.items()
}
"""What GNU Backgammon 1.07 does not know."""
SHOWN = {
    "show delay": "See the pause between moves",
    "show geometry": "See where windows are",
    "show panels": "See whether panels are shown",
    "show warning": "See which warnings are on",
    "show manual about": "Where the manual is",
    "show manual web": "Where the manual is",
}
SOUNDS = (
    "agree analysisfinished botfans botwinsgame botwinsmatch chequer double drop exit humanfans humanwinsgame "
    "humanwinsmatch move redouble resign roll start take"
)


def _kept(words: str, text: str, usage: str, *, hidden: bool = False) -> None:
    def run(call: Call, value: Rest) -> None:
        # Of words that take nothing, one of those beside each other holds.
        other = () if usage else [each for each in LEAVES if each.rpartition(" ")[0] == words.rpartition(" ")[0]]
        gui = {name: kept for name, kept in call.options.gui.items() if name not in other or LEAVES[name][1]}
        call.state = replace(call.state, options=replace(call.options, gui=gui | {words: value}))
        call.say(f"`{f'{words} {value}'.strip()}' is kept; {_ONLY}.")

    command(words, text, usage, hidden=hidden)(run)


def _told(words: str, text: str) -> None:
    def run(call: Call) -> None:
        if words.startswith("show manual"):
            call.say("The manual is the folder docs of this program; `help' describes every command.")
            return
        about = "set" + words.removeprefix("show")
        kept = [f"{name} {value}".strip() for name, value in call.options.gui.items() if name.startswith(about)]
        call.say("\n".join(kept) if kept else f"`{about}' has not been used; {_ONLY}.")

    command(words, text)(run)


def _sound(name: str) -> None:
    def run(call: Call, file: Path = None) -> None:
        call.put("sounds", call.options.sounds | {name: file or ""})
        named = f"`{file}'" if file else "none"
        call.say(f"The sound of `{name}' is {named}; {_ONLY}.")

    command(f"set sound sound {name}", f"File of the sound `{name}'", "[filename]")(run)


for _words, _text in _GROUPS.items():
    group(_words, _text)
for _words, (_text, _usage) in LEAVES.items():
    _kept(_words, _text, _usage)
for _words, (_text, _usage) in LATER.items():
    _kept(_words, _text, _usage, hidden=True)
for _words, _text in SHOWN.items():
    _told(_words, _text)
for _words in SOUNDS.split():
    _sound(_words)


@command("set sound enable", "Play sounds", "on|off")
def set_sound_enable(call: Call, value: OnOff) -> None:
    call.put("sound", value)
    call.say(f"Sounds are {'on' if value else 'off'}; {_ONLY}.")


@command("set sound system command", "What plays sounds", "<command>")
def set_sound_system_command(call: Call, value: Path = None) -> None:
    call.put("sound_command", value or "")
    call.say(f"Sounds are played by `{value or ''}'; {_ONLY}.")


@command("show sound", "See which sounds are played")
def show_sound(call: Call) -> None:
    options = call.options
    call.say(f"Sounds are {'on' if options.sound else 'off'}; {_ONLY}.")
    for name, file in options.sounds.items():
        call.say(f"{name:<18} {file}")
