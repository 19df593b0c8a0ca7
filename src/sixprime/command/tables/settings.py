"""Settings that are a number, a name or a choice."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from datetime import date

from sixprime.command import engines
from sixprime.command.answers.settings import RANKS, VARIATIONS
from sixprime.command.call import Call
from sixprime.command.options import Options
from sixprime.command.run_of_play import VARIANTS, dice
from sixprime.command.tables.files import data_file
from sixprime.command.tree import command, group, kept, only
from sixprime.command.words import BOTH, Number, OnOff, Path, Player, Real, Refused, Rest, Word, real, unquoted
from sixprime.cube.met import MAX_AWAY
from sixprime.game import record

_DECIMALS = 6
_MOST_DOUBLES = 12
_LARGEST = 20


def quoted(text: str) -> list[str]:
    """A text as the last argument of a line that is saved; nothing for none."""
    return [f'"{text}"'] if text else []


def bare(text: str) -> list[str]:
    """The same without quotes where none are needed: GNU Backgammon would take them for a part of it."""
    return [text] if text and text == unquoted(text.strip()) else quoted(text)


def _whole(
    words: str, key: str, text: str, least: int, most: int, wrong: str, said: str | Callable[[int], str]
) -> None:
    """A whole number within bounds. said: in which the number is filled, or what makes it."""

    def run_(call: Call, value: Number) -> None:
        if value is None or not least <= value <= most:
            raise Refused(wrong)
        call.put(key, value)
        call.say(said.format(value) if isinstance(said, str) else said(value))

    command(words, text, "<value>")(run_)
    kept(words, key)


def _real(
    words: str,
    key: str,
    text: str,
    most: float,
    wrong: str,
    said: str,
    form: str = "{:.3f}",
    least: float = 0.0,
    *,
    positive: bool = False,
) -> None:
    """A number from `least` to `most`; positive: more than zero. said: in which the number is filled."""

    def run_(call: Call, value: Real) -> None:
        if value is None or not least <= value <= most or (positive and not value):
            raise Refused(wrong)
        call.put(key, value)
        call.say(said.format(value))

    command(words, text, "<value>")(run_)
    kept(words, key, lambda value: [form.format(value)])


def _choice(words: str, key: str, text: str, value: object, said: str) -> None:
    """One word that means one value."""

    def run_(call: Call) -> None:
        call.put(key, value)
        call.say(said)

    command(words, text)(run_)
    kept(words, key, only(value))


group("set analysis threshold", "Where marks begin", path="threshold")
for _word in ("bad", "doubtful", "lucky", "unlucky", "verybad", "verylucky", "veryunlucky"):
    _real(
        f"set analysis threshold {_word}",
        _word,
        f"Where the mark `{_word}' begins",
        100,
        f"You must specify a {'positive' if 'lucky' in _word else 'semi-positive'} number for the threshold "
        f"(see `help set analysis\nthreshold {_word}').",
        f"`{_word}' threshold set to {{:.3f}}.",
        positive="lucky" in _word,
    )
group("set analysis player", "Whose decisions are analysed", path="players.{}", argument=Player)


@command("set analysis player analyse", "Whether decisions of this player are analysed", "on|off")
def set_analysis_player_analyse(call: Call, on: OnOff) -> None:
    call.put("", on)
    call.say(f"{'Analyse' if on else 'Do not analyse'} {call.seat.name}'s chequerplay and cube decisions.")


kept("set analysis player analyse", "")


@command("set automatic doubles", "How often equal opening rolls double the cube", "<limit>")
def set_automatic_doubles(call: Call, limit: Number = None) -> None:
    if limit is not None and limit > _MOST_DOUBLES:
        raise Refused(f"Please specify a smaller limit (up to {_MOST_DOUBLES} automatic doubles).")
    if limit is None or limit < 0:
        raise Refused("You must specify how many automatic doubles to use (see `help set automatic double').")
    call.put("automatic.doubles", limit)
    said = (
        "Automatic doubles will not be used.",
        "A single automatic double will be permitted.",
        f"Automatic doubles will be used (up to a limit of {limit}).",
    )
    call.say(said[min(limit, 2)])
    table = call.state.table
    if limit and table is not None and table.rules.length:
        call.say("(Note that automatic doubles will have no effect until you start session play.)")


kept("set automatic doubles", "automatic.doubles")
group("set cheat player", "How the dice of a player are loaded", path="players.{}", argument=Player)


@command("set cheat player roll", "Which of the 21 rolls a player gets, the best is 1", "<rank>")
def set_cheat_player_roll(call: Call, rank: Number = None) -> None:
    if rank is None or not 1 <= rank <= len(RANKS):
        raise Refused(f"You must specify a size between 1 and {len(RANKS)}.")
    call.put("cheat", rank)
    call.say(f"{call.seat.name} will get the {RANKS[rank - 1]} roll on each turn.")


kept("set cheat player roll", "cheat")


@command("set confirm default", "What is answered where nobody is asked", "yes|no|ask")
def set_confirm_default(call: Call, word: Word = None) -> None:
    found = next((each for each in ("yes", "no", "ask") if word and each.startswith(word.lower())), None)
    if found is None:
        raise Refused("You must specify yes, no or ask (see `help set confirm default').")
    call.put("confirm.default", found)


kept("set confirm default", "confirm.default")
_whole(
    "set output digits",
    "output.digits",
    "Digits after the point",
    0,
    _DECIMALS,
    f"You must specify a number between 1 and {_DECIMALS}.",
    "Probabilities and equities will be shown with {} digits after the decimal separator",
)
_real(
    "set output errorratefactor",
    "output.errorratefactor",
    "What error rates are multiplied by",
    1e6,
    "Please provide a positive number\n",
    "The factor used for multiplying error rates is: {:.1f}",
    "{:.6f}",
    0.001,
)
_real(
    "set ratingoffset",
    "ratingoffset",
    "The rating of errorless play",
    1e9,
    "Please provide a positive rating offset\n",
    "The rating offset for estimating absolute ratings is: {:.1f}",
    "{:.6f}",
)
group("set autosave", "Saving by itself")
_whole(
    "set autosave time",
    "autosave.time",
    "Minutes between two files",
    1,
    10_000,
    "You must specify the autosave period in minutes.",
    "Autosave every {} minutes.\n(Kept only: what is analysed or rolled out is saved after each command, see `set "
    "autosave analysis'.)",
)
group("set cubeefficiency", "Efficiency of the cube")
group("set cubeefficiency race", "In races, by the pip count")
_CRASHED = "\n(Kept only: crashed positions have the efficiency of all others with contact.)"
for _word, _what, _note in (
    ("os", "one sided bearoff", ""),
    ("crashed", "crashed", _CRASHED),
    ("contact", "contact", ""),
):
    _real(
        f"set cubeefficiency {_word}",
        f"cubeefficiency.{_word}",
        f"In {_what} positions",
        1,
        "Cube efficiency must be between 0 and 1",
        f"Cube efficiency for {_what} positions: {{:.5f}}{_note}",
        "{:.6f}",
    )
for _word in ("factor", "coefficient", "min", "max"):
    _bound = _word in ("min", "max")
    _real(
        f"set cubeefficiency race {_word}",
        f"cubeefficiency.{_word}",
        f"The {_word}",
        1 if _bound else 100,
        "Cube efficiency must be between 0 and 1" if _bound else f"Cube efficiency race {_word} must be larger than 0.",
        f"Cube efficiency race {_word}{':' if _bound else ' set to'} {{:.5f}}",
        "{:.6f}",
    )
for _words, _key in (("export", "export.folder"), ("import", "import_folder"), ("sgf", "sgf_folder")):
    group(f"set {_words}", f"Settings of {_words}")

    def _folder(call: Call, folder: Path = None, *, key: str = _key) -> None:
        call.put(key, folder or ("" if key.startswith("export") else "."))

    command(f"set {_words} folder", "Where file dialogues begin", "<folder>")(_folder)
    kept(f"set {_words} folder", _key, quoted)
_whole(
    "set export show board",
    "export.board",
    "After how many moves there is a board",
    0,
    1000,
    "You must specify a semi-positive number.",
    lambda value: (
        f"The board will be shown every {value}. move in exports."
        if value
        else "The board will never been shown in exports."
    ),
)


@command("set export show player", "Whose decisions are shown", "<player>")
def set_export_show_player(call: Call, word: Word = None) -> None:
    player = BOTH if word is None else call.player(word)
    if player is None:
        raise Refused(f"Unknown player `{word}' (see `help set export show player').")
    call.put("export.player", ("0", "1", "both")[player])
    if player == BOTH:
        call.say("Analysis, boards etc will be shown for both players in exports.")
    else:
        name = call.options.players[player].name
        call.say(f"Analysis, boards etc will only be shown for player {name} in exports.")


kept("set export show player", "export.player")
_whole(
    "set export moves number",
    "export.moves_number",
    "How many candidate plays are shown",
    0,
    10_000,
    "You must specify a semi-positive number.",
    "Show at most {} moves in exports.",
)
for _words, _text_ in (
    ("html", "Pages"),
    ("html type", "Which pictures boards are made of"),
    ("html css", "Where styles are"),
    ("png", "Pictures"),
):
    group(f"set export {_words}", _text_)
for _word in ("bbs", "fibs2html", "gnu"):
    _choice(
        f"set export html type {_word}",
        "export.html_type",
        f"Those of {_word}",
        _word,
        f"HTML export type is now: \n{_word}",
    )
for _word, _what in (
    ("head", "in the HTML header"),
    ("external", 'external file ("gnubg.css")'),
    ("inline", "inline (not recommended)"),
):
    said = f"CSS stylesheet for HTML export: {_what}"
    _choice(f"set export html css {_word}", "export.html_css", f"Styles: {_word}", _word, said)


@command("set export html pictureurl", "Where the pictures are", "<URL>")
def set_pictureurl(call: Call, url: Path = None) -> None:
    if not url:
        raise Refused("You must specify a URL. See `help set export html pictureurl'.")
    # It names a folder here, with or without the slash that the names of pictures need behind it.
    call.put("export.html_pictureurl", url if url.endswith("/") else f"{url}/")
    call.say(f"URL for picture in HTML export is now: \n{url}")


kept("set export html pictureurl", "export.html_pictureurl", quoted)
for _kind in ("html", "png"):
    _whole(
        f"set export {_kind} size",
        f"export.{_kind}_size",
        "How large pictures are",
        1,
        _LARGEST,
        f"You must specify a size between 1 and {_LARGEST}.",
        lambda value, kind=_kind: (  # type: ignore[misc]
            f"Size of generated {kind.upper()} images {'is' if kind == 'html' else 'are'} "
            f"{108 * value}x{82 * value} pixels"
        ),
    )
group("set tutor skill", "From which mark on there are warnings")
for _word, _what in (("doubtful", "doubtful"), ("bad", "bad"), ("verybad", "very bad")):
    said = f"Tutor warnings will be given for play marked `{_what}'."
    _choice(f"set tutor skill {_word}", "tutor.skill", f"From `{_what}' on", _word, said)
group("set variation", "What is played in new matches")
for _word, _what in VARIATIONS.items():

    def _variation(call: Call, *, word: str = _word, what: str = _what) -> None:
        call.put("variation", word)
        now = variation_now(call)
        call.say((f"You are playing: {now}\n" if now else "") + f"Default variation is: {what}")
        if now:
            call.say(f"The current match or session is being played as `{now}'.")
        call.say(f"Please start a new match or session to play `{what}'")

    command(f"set variation {_word}", _what)(_variation)
    kept(f"set variation {_word}", "variation", only(_word))


@command("show variation", "Which game is played")
def show_variation(call: Call) -> None:
    if now := variation_now(call):
        call.say(f"You are playing: {now}")
    call.say(f"Default variation is: {VARIATIONS[call.options.variation]}")


def variation_now(call: Call) -> str:
    """What the match in hand is, empty without any."""
    match = call.state.match
    names = {VARIANTS.get(word, word): what for word, what in VARIATIONS.items()}
    return "" if match is None else names.get(match.variant, match.variant)


@command("show seed", "The seed of the dice")
def show_seed(call: Call) -> None:
    from sixprime.play.dice import GeneratedDice, ListedDice
    from sixprime.play.generators import BLUM, seed_after

    source, throws = dice(call), call.state.throws
    if isinstance(source, ListedDice):
        call.say(f"GNU Backgammon is reading dice from file: {call.options.rng.more}")
        call.say(f"Number of dice read from current file: {2 * throws}.")
        return
    if not isinstance(source, GeneratedDice):
        call.say("These dice have no seed.")
        return
    modulus = int(source.modulus) or BLUM
    seed = seed_after(source.generator, int(source.seed), throws, modulus)
    ending = {"bbs": f", and the modulus is {modulus}.", "md5": "."}
    call.say(f"The current seed is {seed}{ending.get(source.generator, '')}")
    if source.generator != "mersenne":
        call.say(f"Number of calls since last seed: {2 * throws}.")


group("set priority", "How much the system favours this program")


def _favour(call: Call, value: int) -> None:
    """Asks the system for a priority, as `nice` counts them. Raises `Refused`."""
    if not hasattr(os, "setpriority"):
        raise Refused("This system has no priorities that can be set so.", wrong=True)
    try:
        os.setpriority(os.PRIO_PROCESS, 0, value)
    except OSError as error:
        raise Refused(f"Changing priority failed ({error.strerror}).", wrong=True) from None
    call.put("priority", value)
    call.say(f"Scheduling priority set to {value}.")


for _word, _value in (
    ("abovenormal", -10),
    ("belownormal", 10),
    ("highest", -19),
    ("idle", 19),
    ("normal", 0),
    ("timecritical", -20),
):

    def _priority(call: Call, *, value: int = _value) -> None:
        _favour(call, value)

    command(f"set priority {_word}", "As the word says")(_priority)


@command("set priority nice", "By number", "<priority>")
def set_priority_nice(call: Call, value: Number = None) -> None:
    if value is None or not -20 <= value <= 19:
        raise Refused("You must specify a priority between -20 and 19.")
    _favour(call, value)


kept("set priority nice", "priority", lambda value: [str(value)] if value else [])
_whole(
    "set threads",
    "threads",
    "How many threads work",
    1,
    1024,
    "You must specify the number of threads to use.",
    "The number of threads has been set to {}.",
)


@command("set cache", "How many evaluations are remembered", "<size>")
def set_cache(call: Call, size: Number = None) -> None:
    if size is None or not 0 <= size <= 2**30:
        raise Refused("You must specify the number of cache entries to use.")
    size = 1 << (size - 1).bit_length() if size else 0
    call.put("cache", size)
    call.say(f"The position cache has been sized to {size} {'entry' if size == 1 else 'entries'}.")
    call.say("(Kept only: Sixprime sizes its memory of evaluations itself.)")


kept("set cache", "cache")


_SLOWEST = 2
"""Evaluations a second that may be reckoned with."""


@command("set calibration", "How many evaluations a second are reckoned with", "[value]")
def set_calibration(call: Call, word: Word = None) -> None:
    value = real(word) if word is not None else 0.0
    if value is None or value < 0 or (word is not None and value < _SLOWEST):
        raise Refused(
            "If you give a parameter to `set calibration', it must be a legal number of evaluations per second."
        )
    call.put("calibration", value)
    speed = f"The speed estimate has been set to {value:.0f} static evaluations per second."
    call.say(speed if value else "The evaluation speed has been cleared.")
    call.say("(Kept only: Sixprime measures what it is slow at while it works.)")


kept("set calibration", "calibration", lambda value: [f"{value:.0f}"] if value else [])


@command("set defaultnames", "What players are called in new matches", "<name> <name>")
def set_defaultnames(call: Call, first: Word = None, second: Word = None) -> None:
    if not first or not second:
        raise Refused("You must specify two player names.")
    if first.lower() == second.lower():
        raise Refused("Player names identical")
    call.put("defaultnames", (first, second))
    call.say(f"Players will be known as `{first}' and `{second}'.")
    call.say(" This setting will take effect when a new match is started.")


kept("set defaultnames", "defaultnames", lambda names: [" ".join(f'"{name}"' for name in names)])


@command("set aliases", "Further names of player 1 in files", "<name>")
def set_aliases(call: Call, names: Path = None) -> None:
    call.put("aliases", names or "")
    call.say(f'Aliases for player 1 when importing MAT files set to "{names or ""}".')


kept("set aliases", "aliases", bare)


@command(
    "set keynames",
    "Names, between semicolons or tabs, of whom `set usekeynames' seats as player 1",
    "<name>",
    hidden=True,
)
def set_keynames(call: Call, names: Path = None) -> None:
    call.put("keynames", names or "")
    call.say(f'Names that are seated as player 1 are "{names or ""}".')


kept("set keynames", "keynames", lambda names: bare(names) if names else [])


@command(
    "set usekeynames",
    "Whether matches that are read have a player of `set keynames' as player 1",
    "on|off",
    hidden=True,
)
def set_usekeynames(call: Call, value: OnOff) -> None:
    call.put("usekeynames", value)
    call.say(f"Players are {'' if value else 'not '}seated by `set keynames' in matches that are read.")


kept("set usekeynames", "usekeynames", lambda value: ["on"] if value else [])


@command("set browser", "What shows pages", "[command]")
def set_browser(call: Call, value: Path = None) -> None:
    call.put("browser", value or "")
    named = f"`{value}'" if value else "none"
    call.say(f"The browser is {named}; only programs with windows use it.")


kept("set browser", "browser", quoted)


@command("set lang", "The language of messages", "system|<language code>")
def set_lang(call: Call, code: Word = None) -> None:
    if code is None:
        call.say(f"The language is `{call.options.lang}'; this program speaks English only.")
        return
    call.put("lang", code)
    call.say(f"`{code}' is kept; this program speaks English only.")


kept("set lang", "lang")
kept("set prompt", "prompt", lambda text: [text] if text == unquoted(text.lstrip()) else quoted(text))


@command("set matchequitytable|set met", "Which match equity table is used", "<filename>")
def set_met(call: Call, name: Path = None) -> None:
    if not name:
        raise Refused('You must specify a filename. See "help set met".')
    name = data_file(call, name, "met")
    table = engines.open_met(name)
    call.put("met", name)
    call.say(f"GNU Backgammon will now use the {table.name} match equity table.")
    if call.options.invert_met:
        call.say("(inverted)")
    if table.length < MAX_AWAY:
        call.say(
            f"\nNote that this match equity table only supports matches of length {table.length} and below.\n"
            f"For scores above {table.length}-away an extrapolation scheme is used."
        )


kept("set matchequitytable", "met", lambda name: quoted(name) if name != Options().met else [])


@command("clear cache", "Forget remembered evaluations")
def clear_cache(call: Call) -> None:
    call.shell.kept.pop("engines", None)


@command("clear hint", "Forget the last hint")
def clear_hint(call: Call) -> None:
    call.shell.kept.pop("hint", None)
    call.say("Analysis used for `hint' has been cleared")


group("clear", "Forget something")
group("invert", "Turn something round")


@command("set player external", "A program that answers at an address plays", "<host>:<port>")
def set_player_external(call: Call, address: Path = None) -> None:
    if not address:
        raise Refused(
            "You must specify the name of the socket to the external\nplayer (see `help set player external')."
        )
    from sixprime.players.external import parse_address

    parse_address(address)
    call.put("type", "external")
    call.put("address", address)
    call.say(f"Moves for {call.seat.name} will now be played by the external player at {address}.")


kept("set player name", "name", bare)
kept("set player human", "type", only("human"))
kept("set player gnubg", "type", only("gnubg"))
kept("set player external", "", lambda seat: [seat.address] if seat.type == "external" else [])
kept("set cube use", "cube_use")


group("set matchinfo", "What is known of the match")


_NO_MATCH = "No match in progress: `new match' or `load match' begins one."


def _inform(call: Call, key: str, value: str) -> None:
    known = call.match(_NO_MATCH).info
    info = {each: text for each, text in known.items() if each != key} | ({key: value} if value else {})
    call.state = call.state.noted(info=info)
    said = f"set to {value}." if key == "date" else f"set to: {value}"
    call.say(f"Match {key} {said if value else 'cleared.'}")


for _word in ("annotator", "comment", "event", "place", "round"):

    def _info(call: Call, value: Rest = "", *, key: str = _word) -> None:
        _inform(call, key, value)

    command(f"set matchinfo {_word}", f"The {_word} of the match", "[value]")(_info)


@command("set matchinfo date", "The date of the match", "[yyyy-mm-dd]")
def set_matchinfo_date(call: Call, value: Rest = "") -> None:
    if value:
        try:
            if not re.fullmatch(r"\d{4}-\d{1,2}-\d{1,2}", value, re.ASCII):
                raise ValueError(value)
            year, month, day = map(int, value.split("-"))
            value = date(year, month, day).isoformat()
        except ValueError:
            raise Refused(f"{value} is not a valid date (see `help set matchinfo date').") from None
    _inform(call, "date", value)


@command("set matchinfo rating", "The rating of a player", "<player> [rating]")
def set_matchinfo_rating(call: Call, player: Player, value: Rest = "") -> None:
    match = call.match(_NO_MATCH)
    if record.Player.rated("", value) is None:
        raise Refused(f"{value} is not a rating.")
    rated = tuple(
        (record.Player.rated(who.name, value) or who) if player in (BOTH, at) else who
        for at, who in enumerate(match.players)
    )
    call.state = call.state.noted(players=rated)
    for each in (0, 1) if player == BOTH else (player,):
        name = call.options.players[each].name
        call.say(f"Rating for {name} set to: {value}" if value else f"Rating for {name} cleared.")


@command("show matchinfo", "Say what is known of the match")
def show_matchinfo(call: Call) -> None:
    match = call.match(_NO_MATCH)
    sides = (f"{who.name} ({who.standing or 'unknown rating'})" for who in match.players)
    day = match.info.get("date")
    call.say(" vs. ".join(sides) + (f", {day}" if day else ""))
    for key in ("event", "round", "place", "annotator"):
        if value := match.info.get(key):
            call.say(f"{key.capitalize()}: {value}")
    if comment := match.info.get("comment"):
        call.say(f"\n{comment}")
