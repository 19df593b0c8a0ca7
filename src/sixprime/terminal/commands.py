"""What can be said at a table: the commands of a `Presenter`, by their words."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from sixprime.errors import RulesError
from sixprime.game.acts import Accept, Act, Beaver, Decline, Double, Drop, NextGame, Resign, Roll, Set, Take
from sixprime.game.ids import encode_xgid, gnubg_id, parse
from sixprime.game.match_rules import quiet
from sixprime.game.state import MONEY, size_of
from sixprime.game.table import Phase
from sixprime.game.variants import get_variant
from sixprime.paths import expanded
from sixprime.play.advice import Hint
from sixprime.play.dice import described
from sixprime.play.late import soon
from sixprime.play.seats import Person, check_rules
from sixprime.play.wording import does, hint_lines
from sixprime.terminal.scene import Leave, command_among

if TYPE_CHECKING:
    from sixprime.game.state import MatchState
    from sixprime.play.session import Session
    from sixprime.terminal.presenter import Presenter

Command = Callable[["Presenter", str], None]
_HINTS = 5
"""Plays that a hint shows if no number is said."""
_MOST_HINTS, _ROLLS = 1000, 21


def _number(text: str, most: int) -> int | None:
    """A whole number from 1 to `most`; None for another text."""
    return int(text) if text.isdecimal() and len(text) < 10 and 1 <= int(text) <= most else None


def _roll(presenter: Presenter, rest: str) -> None:
    if rest and presenter.by_hand:
        presenter.throw(rest)
        return
    presenter.submit(Roll(presenter.actor()))


def _does(kind: Callable[[int], Act], doubled: Callable[[int], Act] | None = None) -> Command:
    """The command of an act of whoever is to act; doubled: another act, where it answers a double."""

    def run(presenter: Presenter, rest: str) -> None:
        chosen = doubled if doubled is not None and presenter.table.phase is Phase.DOUBLED else kind
        presenter.submit(chosen(presenter.actor()))

    return run


def _resign(presenter: Presenter, rest: str) -> None:
    size = size_of(rest or "single")
    if not size:
        raise RulesError(f"resign a single game, a gammon or a backgammon; found {rest[:20]!r}")
    if not rest and not presenter.resigning:
        if not presenter.offers():
            raise RulesError("there is nothing to resign now")
        presenter.resigning = True
        return
    player = presenter.actor() if len(presenter.people) > 1 else min(presenter.people, default=0)
    presenter.submit(Resign(player, size))


def _next(presenter: Presenter, rest: str) -> None:
    presenter.session.submit(NextGame())


def _play(presenter: Presenter, rest: str) -> None:
    presenter.finish()


def _undo(presenter: Presenter, rest: str) -> None:
    player = presenter.chose_last
    presenter.session.undo(min(presenter.people, default=0) if player is None else player)


def _redo(presenter: Presenter, rest: str) -> None:
    presenter.session.redo()
    while presenter.session.redoable and presenter.asked is None:
        presenter.session.redo()


def _hint(presenter: Presenter, rest: str) -> None:
    count = _number(rest, _MOST_HINTS) if rest else _HINTS
    if count is None:
        raise RulesError(f"hint takes a number from 1 to {_MOST_HINTS}, such as hint 5; found {rest[:20]!r}")

    def then(hint: Hint) -> None:
        presenter.hinted = hint, count
        for line in () if min(count, len(hint.options)) <= presenter.beside else hint_lines(hint, count):
            presenter.tell(line)

    table = presenter.table

    def think() -> Hint:
        return presenter.advised().hint(table, stop=presenter.stop)

    presenter.take_time("Thinking about it.", think, then)


def _opponent(presenter: Presenter, rest: str) -> None:
    """Says who plays against the person here, or has somebody else do so."""
    session = presenter.session
    if len(presenter.people) != 1:
        raise RulesError("there is no opponent who is a program")
    other = 1 - min(presenter.people)
    if not rest:
        presenter.tell(f"Opponent: {session.seats[other].name}.")
        return

    check_rules(rest, presenter.table.rules)

    def sit_down() -> str:
        coming = soon(rest)
        if isinstance(coming, Person):
            raise RulesError("two people play a game of their own: sixprime play person")
        mine, before = session.seats[1 - other], session.seats[other]
        session.seats = (mine, coming) if other else (coming, mine)
        if close := getattr(before, "close", None):
            close()
        said = f"{coming.name} plays for {presenter.names[other]} from now on."
        # The players of a match keep their names; its file says who has played.
        if session.history:
            _add_note(session, said)
        return said

    presenter.take_time("Somebody else sits down.", sit_down, presenter.tell)


def _tutor(presenter: Presenter, rest: str) -> None:
    """Turns the tutor on or off."""
    if rest not in ("on", "off", ""):
        raise RulesError(f"tutor on or tutor off; found {rest[:20]!r}")
    if rest == "off" or (not rest and presenter.session.tutor is not None):
        presenter.session.tutor = None
        presenter.tell("No tutor.")
        return

    presenter.tutoring = True
    told = "The tutor looks at what you do."
    presenter.take_time("The tutor is coming.", presenter.prepare, lambda _: presenter.tell(told))


def _cheat(presenter: Presenter, rest: str) -> None:
    """Loads the dice, or has them thrown honestly again."""
    who, _, word = rest.partition(" ")
    rank = _number(word, _ROLLS)
    sides = {"me": min(presenter.people, default=0), "you": 1 - min(presenter.people, default=0)}
    if rest == "off":
        presenter.cheats, presenter.session.loaded = (None, None), None
        presenter.tell("Honest dice.")
        return
    if who not in sides or rank is None:
        raise RulesError(f"cheat me or you, with 1 (the best roll) to 21, or cheat off; found {rest[:20]!r}")
    ranks = list(presenter.cheats)
    ranks[sides[who]] = rank
    presenter.cheats, presenter.session.loaded = (ranks[0], ranks[1]), None

    told = f"Loaded dice: {does(presenter.names[sides[who]], 'always rolls')} number {rank} of the 21 rolls."
    presenter.take_time("The dice are loaded.", presenter.prepare, lambda _: presenter.tell(told))


def _dice(presenter: Presenter, rest: str) -> None:
    presenter.tell(f"Dice: {described(presenter.session.dice)}.")


def _id(presenter: Presenter, rest: str) -> None:
    table = presenter.table
    presenter.tell(f"{gnubg_id(table.position, table.state)}  {encode_xgid(table.position, table.state)}")


def _set(presenter: Presenter, rest: str) -> None:
    """Sets position, turn, dice and, in a match of the same length, score and cube to what an ID says.

    Who plays alone has the side on roll, as with `sixprime play --position`.
    """
    table, rules = presenter.table, presenter.table.rules
    if not rest:
        raise RulesError("set needs an ID, such as set 4HPwATDgc/ABMA")
    found = parse(rest, chequers=get_variant(rules.variant).chequers)
    own, said = quiet(table.state), quiet(found.state)
    bare, alone = said == quiet(MONEY), len(presenter.people) == 1
    if alone and said.on_roll not in presenter.people:
        said = said.reseated()
    if bare:
        # A position ID alone says nothing else.
        state = replace(own, on_roll=said.on_roll if alone else own.on_roll, dice=None)
    elif said.length == rules.length:
        state = replace(said, jacoby=own.jacoby, beavers=own.beavers, cube_limit=own.cube_limit)
    else:
        state = replace(own, on_roll=said.on_roll, dice=said.dice)
    presenter.session.submit(Set(found.position, state))
    if left := [*_left_out(found.state, own, bare=bare)]:
        presenter.tell(f"Not taken from the ID: {', '.join(left)}.")


def _left_out(said: MatchState, own: MatchState, *, bare: bool) -> Iterator[str]:
    """What an ID says that a game by rules of its own does not become; bare: it says nothing of a match."""
    if not bare and said.length != own.length:
        yield f"the match to {said.length}, its score and cube" if said.length else "money play and its cube"
    elif not bare and replace(own, jacoby=said.jacoby, beavers=said.beavers, cube_limit=said.cube_limit) != own:
        yield "its rules"
    if said.doubled:
        yield "the double offered"
    if said.resigned:
        yield "the resignation offered"


def _analyse(presenter: Presenter, rest: str) -> None:
    if presenter.analyse is None or not presenter.table.record().games:
        raise RulesError("there is nothing to analyse yet")
    presenter.analyse()


def _add_note(session: Session, text: str) -> None:
    session.comment("\n".join(filter(None, (session.history[-1].comment if session.history else "", text))))


def _note(presenter: Presenter, rest: str) -> None:
    session = presenter.session
    before = session.history[-1].comment if session.history else ""
    if not rest and not before:
        raise RulesError("note needs a text, such as note a bold play")
    _add_note(session, rest) if rest else session.comment("")
    presenter.tell("Noted." if rest else f"Taken back: {' '.join(before.split())}")


def _save(presenter: Presenter, rest: str) -> None:
    if not rest:
        raise RulesError("save needs the name of a file, such as save game.mat")
    place = expanded(rest)
    known = place in presenter.places
    presenter.places.add(place)
    if place.exists() and not known:
        raise RulesError(f"{str(place)!r} exists already; the same again replaces it")
    for path in presenter.session.save(place):
        presenter.tell(f"Saved as {path}.")


def _pip_count(presenter: Presenter, rest: str) -> None:
    names, pips = presenter.names, presenter.pips
    presenter.tell(f"Pips: {names[0]} {pips[0]}, {names[1]} {pips[1]}.")


def _score(presenter: Presenter, rest: str) -> None:
    names, score = presenter.names, presenter.table.score
    presenter.tell(f"Score: {names[0]} {score[0]}, {names[1]} {score[1]}; {presenter.headline}.")


def _list(presenter: Presenter, rest: str) -> None:
    for row in presenter.rows:
        presenter.tell(f"{row.number:>3} {presenter.names[row.player]}: {row.text}")


def _points(presenter: Presenter, rest: str) -> None:
    for line in presenter.in_words():
        presenter.tell(line)


def _auto(presenter: Presenter, rest: str) -> None:
    """Shows or changes what happens by itself."""
    what, _, value = rest.partition(" ")
    now = presenter.session.automation
    switches = {"roll": "roll", "forced": "play_forced", "bearoff": "bear_off", "next": "next_game"}
    if not what:
        state = ", ".join(f"{name} {'on' if getattr(now, field) else 'off'}" for name, field in switches.items())
        presenter.tell(f"By itself: {state}.")
        return
    if what not in switches or value not in ("on", "off", ""):
        raise RulesError(f"auto {', '.join(switches)}, with on or off; found {rest[:20]!r}")
    wanted = value == "on" if value else not getattr(now, switches[what])
    presenter.session.automation = replace(now, **{switches[what]: wanted})
    presenter.tell(f"By itself: {what} {'on' if wanted else 'off'}.")


def _rethink(presenter: Presenter, rest: str) -> None:
    presenter.warning, presenter.resigning, presenter.leaving = None, False, False


def _anyway(presenter: Presenter, rest: str) -> None:
    if presenter.warning is None:
        raise RulesError("the tutor has not warned of anything")
    presenter.submit(presenter.warning[0], anyway=True)


def _yes(presenter: Presenter, rest: str) -> None:
    if presenter.leaving:
        raise Leave
    if presenter.warning is not None:
        _anyway(presenter, rest)
    else:
        presenter.obey("")


def _no(presenter: Presenter, rest: str) -> None:
    if presenter.table.phase in (Phase.DOUBLED, Phase.RESIGNED) and not (
        presenter.resigning or presenter.leaving or presenter.warning
    ):
        COMMANDS["decline"](presenter, rest)
    _rethink(presenter, rest)


def _rematch(presenter: Presenter, rest: str) -> None:
    if not presenter.over:
        raise RulesError("the match is not over yet; a rematch comes after it")
    presenter.again = True
    raise Leave


def _quit(presenter: Presenter, rest: str) -> None:
    if presenter.over and not presenter.busy:
        raise Leave
    presenter.leaving = True


def _help(presenter: Presenter, rest: str) -> None:
    for line in HELP:
        presenter.tell(line)


COMMANDS: dict[str, Command] = {
    "roll": _roll,
    "double": _does(Double),
    "take": _does(Take),
    "pass": _does(Drop),
    "beaver": _does(Beaver),
    "redouble": _does(Double, Beaver),
    "accept": _does(Accept, Take),
    "decline": _does(Decline, Drop),
    "resign": _resign,
    "next": _next,
    "play": _play,
    "swap": lambda presenter, rest: presenter.swap(),
    "back": lambda presenter, rest: presenter.back(int(rest[:9]) if rest.isdecimal() else None),
    "undo": _undo,
    "redo": _redo,
    "hint": _hint,
    "pips": _pip_count,
    "score": _score,
    "moves": _list,
    "points": _points,
    "tutor": _tutor,
    "opponent": _opponent,
    "cheat": _cheat,
    "dice": _dice,
    "id": _id,
    "set": _set,
    "analyse": _analyse,
    "note": _note,
    "save": _save,
    "auto": _auto,
    "rethink": _rethink,
    "anyway": _anyway,
    "yes": _yes,
    "no": _no,
    "rematch": _rematch,
    "help": _help,
    "quit": _quit,
}
ALIASES = {
    "raccoon": "beaver",
    "drop": "pass",
    "agree": "accept",
    "reject": "decline",
    "refuse": "decline",
    "exit": "quit",
    "q": "quit",
    "?": "help",
    "previous": "undo",
    "pipcount": "pips",
    "comment": "note",
    "level": "opponent",
    "g": "resign",
    "analyze": "analyse",
}

HELP = (
    "roll, double, take, pass, beaver; accept or decline a resignation; resign [single, gammon, backgammon]",
    "A play: 8/5 6/5, or 8 5 6 5, or the points the chequers leave, 8 6, the first by the first die (swap changes it)",
    "back: the last chequer back; undo: your last turn back; redo; next: the next game",
    "hint [number]; tutor [on, off], anyway or rethink after its warning; analyse what has been played",
    "pips, score, moves, points (the position in words), dice (where they come from), id; note [TEXT]; save FILE",
    "set ID: another position, whose side on roll you have",
    "opponent NAME: who plays against you from now on, such as beginner",
    "cheat me or you with 1 (the best roll) to 21: loaded dice; cheat off",
    "auto [roll, forced, bearoff, next] [on, off]: what happens by itself",
    "rematch: when the match is over, another one with the same settings",
    "quit: the game is kept, sixprime play --resume goes on",
)


def command_of(word: str) -> str | None:
    """The command that a word, perhaps only its beginning, means; None for none."""
    found = command_among(word, (*COMMANDS, *ALIASES))
    return None if found is None else ALIASES.get(found, found)
