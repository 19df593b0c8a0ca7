"""What people note: annotations of moves, and marks of what is to be rolled out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sixprime.command.call import Call
from sixprime.command.options import Eval
from sixprime.command.rollouts import Seated, rollout_settings
from sixprime.command.run_of_play import show_board
from sixprime.command.tables.analysing import autosave, judged, keep, keep_action, match_of
from sixprime.command.tables.answering import engine
from sixprime.command.tree import command, group
from sixprime.command.words import Refused, Rest, whole
from sixprime.game.record import Action, ActionKind, ForeignAnalysis

if TYPE_CHECKING:
    from sixprime.analysis.marked import Mark
    from sixprime.analysis.model import Decision

_SKILLS = {"bad": (2, "bad"), "doubtful": (1, "doubtful"), "verybad": (3, "very bad")}
_LUCK = {
    "lucky": (1, "lucky"),
    "unlucky": (-1, "unlucky"),
    "verylucky": (2, "very lucky"),
    "veryunlucky": (-2, "very unlucky"),
}


def _here(call: Call, wrong: str = "You must select a move to annotate first.") -> Action:
    coming = call.state.coming
    if coming is None:
        raise Refused(wrong)
    return coming


def _put(call: Call, **marks: int | None) -> None:
    """Sets marks of the action after the cursor."""
    from sixprime._version import __version__
    from sixprime.analysis.foreign import OWN

    action = _here(call)
    first, *others = action.analyses or (ForeignAnalysis(f"{OWN} {__version__}"),)
    changes: dict[str, Any] = dict(marks)
    keep_action(call, replace(action, analyses=(replace(first, **changes), *others)))


_OF = {
    ActionKind.MOVE: ("move", "cube", "double"),
    ActionKind.DOUBLE: ("cube", "double"),
    ActionKind.BEAVER: ("cube", "double", "accept", "take"),
    ActionKind.TAKE: ("cube", "accept", "take"),
    ActionKind.DROP: ("cube", "drop", "pass", "reject"),
    ActionKind.RESIGN: ("resign", "accept", "reject"),
}
"""What can be said of an action."""


def _put_skill(call: Call, what: str, field: str, mark: int | None) -> None:
    """Sets or takes away a mark. Raises `Refused` where the action after the cursor is something else."""
    if what not in _OF.get(_here(call).kind, ()):
        raise Refused("Invalid annotation")
    if mark is not None or _here(call).analyses:
        _put(call, **{field: mark})


def _annotate_skill(what: str, field: str, word: str) -> None:
    mark, said = _SKILLS[word]

    @command(f"annotate {what} {word}", f"Mark as {said}")
    def run(call: Call) -> None:
        _put_skill(call, what, field, mark)
        call.say(f"Move marked as {said}.")


def _annotate_others(what: str, field: str) -> None:
    @command(f"annotate {what} clear", "Take the mark off")
    def clear(call: Call) -> None:
        _put_skill(call, what, field, None)
        call.say("Skill annotation cleared.")

    @command(f"annotate {what} comment", "Write a comment on it", "<comment>")
    def comment(call: Call, text: Rest = "") -> None:
        here = _here(call, "You must select a move to which to add the comment.")
        keep_action(call, replace(here, comment=text))
        call.say("Commentary for this move added.")


group("annotate", "Note what is to be said of a move")
for _what in ("move", "cube", "double", "accept", "drop", "pass", "reject", "resign", "take"):
    group(f"annotate {_what}", f"Of the {_what}")
    _field = "play_mark" if _what == "move" else "cube_mark"
    for _word in _SKILLS:
        _annotate_skill(_what, _field, _word)
    _annotate_others(_what, _field)
group("annotate roll", "Of the roll")
group("annotate clear", "Take notes away")


def _annotate_roll(word: str) -> None:
    mark, said = _LUCK[word]

    @command(f"annotate roll {word}", f"Mark as {said}")
    def run(call: Call) -> None:
        _put(call, luck_mark=mark)
        call.say(f"Roll marked as {said}.")


for _word in _LUCK:
    _annotate_roll(_word)


@command("annotate roll clear|annotate clear luck", "Take the mark off the roll")
def clear_luck(call: Call) -> None:
    if _here(call).analyses:
        _put(call, luck_mark=None)
    call.say("Luck annotation cleared.")


@command("annotate clear skill", "Take the marks off the move and its cube decision")
def clear_skill(call: Call) -> None:
    if _here(call).analyses:
        _put(call, play_mark=None, cube_mark=None)
    call.say("Skill annotation cleared.")


@command("annotate clear comment", "Take the comment away")
def clear_comment(call: Call) -> None:
    keep_action(call, replace(_here(call, "You must select a move to clear the comment from."), comment=""))
    call.say("Commentary for this move cleared.")


# Marks for rollout. They stand in the match as GNU Backgammon writes them: the numbers of the candidates that are
# marked, and whether the cube decision is.

_PLAYS, _CUBE = "sgf:MR", "sgf:CR"


def _marks(call: Call) -> set[Mark]:
    """The marks of decisions that are judged."""
    from sixprime.analysis.marked import Mark
    from sixprime.analysis.model import DecisionKind

    analysed, found = judged(call), set[Mark]()
    for number, game in enumerate(analysed.games):
        actions = analysed.match.games[number].actions
        for each in game.decisions:
            extras = dict(actions[each.action].extras)
            if each.kind is not DecisionKind.PLAY:
                chosen = [0] if _CUBE in extras else []
            else:
                numbers = [whole(word) or 0 for word in extras.get(_PLAYS, "").strip("[]").split()]
                chosen = [number - 1 for number in numbers if 0 < number <= len(each.plays)]
            found.update(Mark(number, each.action, each.kind, candidate) for candidate in chosen)
    return found


def _put_marks(call: Call, marks: Iterable[Mark]) -> None:
    """Makes these all marks of the match."""
    from sixprime.analysis.model import DecisionKind

    match, chosen = match_of(call), sorted(marks)
    games = []
    for number, game in enumerate(match.games):
        actions = list(game.actions)
        for place, action in enumerate(actions):
            here = [mark for mark in chosen if (mark.game, mark.action) == (number, place)]
            plays = [mark.candidate + 1 for mark in here if mark.kind is DecisionKind.PLAY]
            extras = [(key, text) for key, text in action.extras if key not in (_PLAYS, _CUBE)]
            extras += [(_PLAYS, f"[{' '.join(map(str, plays))} ]")] if plays else []
            extras += [(_CUBE, "[]")] if len(plays) < len(here) else []
            if tuple(extras) != action.extras:
                actions[place] = replace(action, extras=tuple(extras))
        games.append(replace(game, actions=tuple(actions)))
    kept, known = replace(match, games=tuple(games)), call.shell.kept.get("analysed")
    if known is not None and known[0] == match:
        call.shell.kept["analysed"] = (kept, replace(known[1], match=kept))
    keep(call, kept)


def _decision(call: Call, *, cube: bool) -> Decision:
    """The play or cube decision after the cursor. Raises `Refused` where there is none, or nothing of it is known."""
    from sixprime.analysis.model import DecisionKind

    found = judged(call).games
    decisions = found[call.state.game].decisions if call.state.game < len(found) else ()
    for each in decisions:
        if each.action == call.state.at and (each.kind is DecisionKind.PLAY) is not cube:
            return each
    what = "cube decision" if cube else "chequer move"
    raise Refused(f"There is no analysed {what} here. Cannot mark.")


def _mark(decision: Decision, candidate: int) -> Mark:
    from sixprime.analysis.marked import Mark

    return Mark(decision.game, decision.action, decision.kind, candidate)


def _candidates(decision: Decision, text: str) -> list[int]:
    """The candidates that numbers from 1 name, or all without any. Raises `Refused`."""
    found = []
    for word in text.split():
        number = whole(word)
        if number is None or not 1 <= number <= len(decision.plays):
            raise Refused(f"There is no candidate `{word}': there are {len(decision.plays)}.")
        found.append(number - 1)
    return found or list(range(len(decision.plays)))


group("cmark", "Mark what is to be rolled out")
for _what in ("match", "game", "move", "cube"):
    group(f"cmark {_what}", f"Marks of the {_what}")
group("cmark move set", "Mark candidates")
group("cmark cube set", "Mark the cube decision")


@command("cmark move set rollout", "Mark candidates for rollout, all or those named", "[number]...")
def cmark_move(call: Call, text: Rest = "") -> None:
    decision = _decision(call, cube=False)
    _put_marks(call, _marks(call) | {_mark(decision, each) for each in _candidates(decision, text)})


@command("cmark move set none|cmark move clear", "Take marks off candidates, all or those named", "[number]...")
def unmark_move(call: Call, text: Rest = "") -> None:
    decision = _decision(call, cube=False)
    _put_marks(call, _marks(call) - {_mark(decision, each) for each in _candidates(decision, text)})


@command("cmark cube set rollout", "Mark the cube decision for rollout")
def cmark_cube(call: Call) -> None:
    _put_marks(call, _marks(call) | {_mark(_decision(call, cube=True), 0)})


@command("cmark cube set none|cmark cube clear", "Take the mark off the cube decision")
def unmark_cube(call: Call) -> None:
    _put_marks(call, _marks(call) - {_mark(_decision(call, cube=True), 0)})


def _within(call: Call) -> list[Mark]:
    """The marks of the match, game, move or cube decision that the command names."""
    what, here = call.name.split()[-2 if call.name.startswith("cmark") else -1], call.state
    found = sorted(_marks(call))
    if what in ("game", "move", "cube"):
        found = [each for each in found if each.game == here.game]
    if what in ("move", "cube"):
        found = [each for each in found if each.action == here.at and (each.kind.value == "play") is (what == "move")]
    return found


@command("cmark match show|cmark game show|cmark move show|cmark cube show", "List what is marked")
def show_marks(call: Call) -> None:
    analysed, what, marks = judged(call), call.name.split()[1], _within(call)
    for number in range(len(analysed.match.games)):
        if what == "match":
            call.say(f"Game {number + 1}")
        elif number != call.state.game:
            continue
        elif what == "game":
            call.say(f"Game {number}")
        decisions = analysed.games[number].decisions if number < len(analysed.games) else ()
        for each in sorted(decisions, key=lambda each: (each.action, bool(each.plays))):
            here = [mark for mark in marks if (mark.game, mark.action, mark.kind) == (number, each.action, each.kind)]
            if here:
                call.say(f"Move {each.action + 1}")
            for mark in here:
                named = f"{mark.candidate + 1} ({each.plays[mark.candidate].play})" if each.plays else "Cube"
                call.say(f"{named} marked")


@command("cmark match clear|cmark game clear", "Take all marks off")
def clear_marks(call: Call) -> None:
    _put_marks(call, _marks(call) - set(_within(call)))


def _roll_out(call: Call, marks: Iterable[Mark]) -> None:
    """Rolls out what is marked, keeps what came of it, and shows it."""
    from sixprime.analysis.kept import with_analysis
    from sixprime.analysis.marked import roll_out_marked

    chosen = list(marks)
    if not chosen:
        raise Refused("Nothing is marked for rollout here (see `help cmark').")
    roller, settings = Seated(engine(call, Eval(plies=0))), rollout_settings(call.options.rollout)
    found = roll_out_marked(judged(call), chosen, roller, settings, progress=call.shell.progress)
    kept = with_analysis(found)
    keep(call, kept)
    call.shell.kept["analysed"] = (kept, found)
    # The order of the candidates is another now.
    places = {(each.game, each.action, each.kind) for each in chosen}
    _put_marks(call, {each for each in _marks(call) if (each.game, each.action, each.kind) not in places})
    here = call.state
    for game, at in sorted({(each.game, each.action) for each in chosen}):
        call.state = here.gone(game, at)
        show_board(call)
    call.state = here
    autosave(call, wanted=call.options.autosave.rollout)


for _verb in ("analyse", "analyze"):
    group(f"{_verb} rollout", "Roll out what was analysed")

    @command(f"{_verb} rollout game|{_verb} rollout match", "Roll out what is marked")
    def roll_out(call: Call) -> None:
        _roll_out(call, _within(call))

    @command(f"{_verb} rollout move", "Roll out candidates: those named, or those marked", "[number]...")
    def roll_out_move(call: Call, text: Rest = "") -> None:
        if not text:
            _roll_out(call, _within(call))
            return
        decision = _decision(call, cube=False)
        _roll_out(call, [_mark(decision, each) for each in _candidates(decision, text)])

    @command(f"{_verb} rollout cube", "Roll the cube decision out")
    def roll_out_cube(call: Call) -> None:
        _roll_out(call, [_mark(_decision(call, cube=True), 0)])
