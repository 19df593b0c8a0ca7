"""Matches as `.mat`, in the plain form of GNU Backgammon."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import takewhile

from sixprime.formats._board import to_letters, to_position_line
from sixprime.formats._mat_tags import tags_to_write
from sixprime.formats._recorder import points_text
from sixprime.formats._script import one_line, plain_steps, told
from sixprime.game.record import Action, ActionKind, Game, Match

QUOTE = "> "
"""Before a line of a comment that begins with a bracket, as tags do, or is quoted itself."""
QUOTED = re.compile(rf"(?:{QUOTE})*\[")
NAMELESS = "(no name)"  # written for an empty name, which GNU Backgammon 1.07 does not survive


def _said(remark: str) -> str:
    """A line of a comment; one that would be taken for a tag is quoted."""
    return f"{QUOTE}{remark}" if QUOTED.match(remark) else remark


def format(match: Match) -> str:
    """The text of a match."""
    lines = [f'; [{one_line(key)} "{one_line(value)}"]' for key, value in tags_to_write(match)]
    lines += [f"; {_said(one_line(remark))}" for remark in match.info.get("comment", "").splitlines() if remark.strip()]
    if lines:
        lines.append("")
    lines += [f" {match.length} point match", ""]
    for game in match.games:
        first, second = _names(match)
        left = f" {first} : {game.score[0]}"
        lines += [f" Game {game.number}", f"{left:<30}  {second} : {game.score[1]}"]
        if (cube := _centred(game)) > 1:
            lines.append(f"; Automatic doubles: the cube starts at {cube}")
        lines += [*row_lines(match, game), ""]
    return "\n".join(lines)


def _centred(game: Game) -> int:
    """The cube before the first double, also of positions that were set: lines of these do not tell it."""
    undoubled = takewhile(lambda action: action.kind is not ActionKind.DOUBLE, game.actions)
    states = (action.state for action in undoubled if action.kind is ActionKind.SET)
    return max([game.cube, *(state.cube for state in states if state.cube_owner is None)])


class _Rows:
    """Rows of two columns, filled from left to right and top to bottom."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._number = 0
        self._left: str | None = None

    def add(self, player: int, text: str) -> None:
        if player == 0:
            self.flush()
            self._left = text
            return
        self._number += 1
        self.lines.append(f"{self._number:3d}) {self._left or '':<27} {text}".rstrip())
        self._left = None

    def flush(self) -> None:
        """Ends the row; what follows begins a new one."""
        if self._left is not None:
            self._number += 1
            self.lines.append(f"{self._number:3d}) {self._left}".rstrip())
            self._left = None


def _names(match: Match) -> tuple[str, str]:
    return one_line(match.players[0].name) or NAMELESS, one_line(match.players[1].name) or NAMELESS


def row_lines(match: Match, game: Game) -> list[str]:
    """The rows of a game, and its result."""
    rows = _Rows()
    for action in told(game):
        if action.kind is ActionKind.SET:
            rows.flush()
            rows.lines.append(_set_line(action))
        elif (text := _cell_text(action, _names(match))) is not None:
            rows.add(action.player, text)
    if game.winner is not None:
        points = f" Wins {points_text(game.points)}"
        if match.length and game.score[game.winner] + game.points >= match.length:
            points += " and the match"
        if game.winner == 1 and game.actions and game.actions[-1].kind is ActionKind.DROP:
            rows.add(1, points)
        else:
            rows.flush()
            rows.lines.append(f"{'':5}{points}" if game.winner == 0 else f"{'':33}{points}")
    rows.flush()
    return rows.lines


def _cell_text(action: Action, names: tuple[str, str]) -> str | None:
    """What a cell says; None when nothing is written."""
    if action.kind is ActionKind.DOUBLE:
        return f" Doubles => {action.value}"
    if action.kind is ActionKind.BEAVER:
        word = "Raccoons" if action.state.beavered else "Beavers"
        return f" {word} => {action.value}"
    if action.kind is ActionKind.TAKE:
        return " Takes"
    if action.kind is ActionKind.DROP:
        return " Drops"
    if action.dice is None:
        return None
    roll = f"{action.dice[0]}{action.dice[1]}:"
    if action.kind is ActionKind.ROLL:
        return f"{roll} ????"
    if action.play is None:
        return f"{roll} Illegal play"
    if action.play.steps:
        return f"{roll} {' '.join(plain_steps(action, bar='25', off='0'))}"
    if not action.illegal:
        return roll
    result = action.play.result
    if result == action.position.swapped():
        return f"{roll} Cannot Move"
    state = replace(action.state, on_roll=1 - action.player, dice=None)
    return f"{roll} Illegal play ({to_position_line(result, state, names)})"


def _set_line(action: Action) -> str:
    position = action.position if action.player == 0 else action.position.swapped()
    power = action.state.cube.bit_length() - 1
    cube = 0 if action.state.cube_owner is None else -power if action.state.cube_owner == 0 else power
    return f"; Set Pos={to_letters(position)}/{cube}"
