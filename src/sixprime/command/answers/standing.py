"""Where a game or match stands: score, dice, cube, turn, pip counts, scoresheet.

names: of player 0 and player 1, everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sixprime.game.fibs import encode_fibs_board
from sixprime.game.position import Position
from sixprime.game.record import Action, ActionKind, Game
from sixprime.game.state import SIZES, GameState, MatchState
from sixprime.game.table import Table
from sixprime.report import words
from sixprime.report.export.board import board_text
from sixprime.report.words import match_id, position_id


def show_board(position: Position, state: MatchState, names: Sequence[str], *, clockwise: bool = False) -> str:
    """The board with its IDs, and an empty line below. clockwise: the home boards are on the left."""
    return board_text(position, turned(state), names, pips=False, clockwise=clockwise) + "\n"


def ids_text(position: Position, state: MatchState) -> str:
    """The IDs of a board in one line."""
    state = turned(state)
    return f"Position ID: {position_id(position)}   Match ID: {match_id(state) or ''}"


def turned(state: MatchState) -> MatchState:
    """As it is shown: a cube that was turned back is the value before the last turn, held by the doubler's opponent."""
    if not (state.doubled and state.beavered):
        return state
    cube, owner = state.cube << state.beavered, 1 - state.on_roll
    return replace(state, cube=cube, cube_owner=owner, beavered=0, turn=state.decider)


def ended(table: Table, *, live: bool) -> MatchState:
    """The state of a table as it is shown: after a game whether the next is the Crawford game, and after a pass or a
    resignation with what was resigned and the dice, and whose turn it was. live: the resignation was answered just
    now; where it is gone to, it has no answer."""
    state, actions = table.state, table.game.actions
    last = actions[-1] if actions else None
    if table.game.winner is not None and last is not None:
        state = replace(state, crawford=table.rules.crawford_game(state.score, before=last.state.score))
    if last is None or state.game_state not in (GameState.DROPPED, GameState.RESIGNED):
        return state
    if last.kind is ActionKind.DROP:
        offered = turned(last.state)
        return replace(state, turn=last.player, cube=offered.cube, cube_owner=offered.cube_owner)
    if last.kind is not ActionKind.RESIGN:
        return state
    rolled = actions[-2].dice if len(actions) > 1 and actions[-2].kind is ActionKind.ROLL else None
    return replace(state, resigned=last.value, turn=1 - last.player if live else state.on_roll, dice=rolled)


def raw_board(position: Position, state: MatchState, names: tuple[str, str]) -> str:
    """The board in a line, as player 1 sees it on FIBS; 0 is the length of a session, both sides have the dice."""
    fields = encode_fibs_board(position, state, names).split(":")
    fields[_LENGTH] = str(state.length)
    fields[_DICE : _DICE + 4] = [str(die) for die in sorted(state.dice or (0, 0), reverse=True) * 2]
    if state.doubled:
        fields[_DOUBLED] = "-1" if state.decider else "1"
        if state.beavered:
            held = ["0", "1"] if state.decider else ["1", "0"]
            fields[_CUBE : _CUBE + 3] = [str(turned(state).cube), *held]
    return ":".join(fields)


_LENGTH, _DICE, _CUBE, _DOUBLED = 3, 33, 37, 40


def show_score(
    score: Sequence[int],
    games: int,
    names: Sequence[str],
    length: int,
    *,
    jacoby: bool = False,
    crawford: bool = False,
    post_crawford: bool = False,
) -> str:
    """games: that are over. length: of the match, 0 for money."""
    text = f"The score (after {words.count(games, 'game')}) is: {names[0]} {score[0]}, {names[1]} {score[1]} "
    if not length:
        return f"{text}(money session, {'with' if jacoby else 'without'} Jacoby rule)."
    rule = ", Crawford game" if crawford else ", post-Crawford play" if post_crawford else ""
    return f"{text}(match to {words.count(length, 'point')}{rule})"


def game_list(game: Game) -> str:
    """What was done in a game, player 0 on the left: rolls with their luck, plays with marks of play and cube."""
    rows = [""]
    for action in game.actions:
        if (entry := _entry(action)) is None:
            continue
        if rows[-1] and not action.player:
            rows.append("")
        # As there, the first entry stands on the left, whoever made it.
        rows[-1] = (rows[-1] or " " * _RIGHT * (action.player if len(rows) > 1 else 0)) + entry
        if action.player:
            rows.append("")
    return "\n".join(rows if rows[-1] or game.winner is None else rows[:-1]).rstrip("\n")


_RIGHT, _WIDE = 42, 44
_SKILL, _LUCK = ("", "?!", "?", "??"), {-2: "--", -1: "-", 1: "+", 2: "++"}


def _entry(action: Action) -> str | None:
    """None for what has no place in the list."""
    known = action.analyses[0] if action.analyses else None
    play = _SKILL[known.play_mark or 0] if known is not None else ""
    cube = _SKILL[known.cube_mark or 0] if known is not None else ""
    match action.kind:
        case ActionKind.MOVE:
            luck = _LUCK.get(known.luck_mark or 0, "") if known is not None else ""
            dice = "{}{}".format(*action.dice or ("", "")) + f"{luck:<5}"
            return f"{dice}: {'' if action.play is None else str(action.play):<19}{play:<8}{cube:<8}"
        case ActionKind.ROLL:
            return f"{'{}{}'.format(*action.dice or ('', ''))}     : {'Rolled':<33}"
        case ActionKind.DOUBLE | ActionKind.BEAVER:
            return f"Doubles to {action.value:>4}{'':30}"
        case ActionKind.TAKE | ActionKind.DROP:
            done = "Takes" if action.kind is ActionKind.TAKE else "Drops"
            return f"{done:<{_WIDE}}"
        case ActionKind.RESIGN:
            return "Resigns"
    return None


def show_dice(state: MatchState, names: Sequence[str]) -> str:
    """What has been rolled."""
    name = names[state.on_roll]
    if state.dice is None:
        return f"{name} has not yet rolled the dice."
    return f"{name} has rolled {state.dice[0]} and {state.dice[1]}."


def show_turn(state: MatchState, names: Sequence[str]) -> str:
    """Who is on roll or has to move, and what he offers."""
    name = names[state.on_roll]
    text = f"{name} is on {'roll' if state.dice is None else 'move'}."
    if state.resigned:
        text += f"\n{name} has offered to resign a {SIZES[state.resigned]}."
    return text


def show_cube(state: MatchState, names: Sequence[str]) -> str:
    """Value and owner of the cube."""
    if state.cube_limit == 1:
        return "The doubling cube is disabled."
    if state.crawford:
        return "The cube is disabled during the Crawford game."
    state = turned(state)
    if state.cube_owner is None:
        return f"The cube is at {state.cube}, and is centred."
    return f"The cube is at {state.cube}, and is owned by {names[state.cube_owner]}."


def show_pipcount(position: Position, state: MatchState, names: Sequence[str]) -> str:
    """Pips of the player on roll, then of the other."""
    mine, theirs = position.pips
    return f"The pip counts are: {names[state.on_roll]} {mine}, {names[1 - state.on_roll]} {theirs}."


def show_scoresheet(scores: Sequence[Sequence[int]], names: Sequence[str], length: int) -> str:
    """scores: after each game, or at the start of the first one."""
    title = f"Match to {words.count(length, 'point')}" if length else "Money Session"
    widths = [max(5, len(name)) for name in names]
    lines = [f"Score Sheet - {title}", "", f"{names[0]:>{widths[0]}} | {names[1]}", "-" * (sum(map(len, names)) + 3)]
    lines += [f"{score[0]:>{widths[0]}} | {score[1]}" for score in scores]
    return "\n".join([*lines, ""])
