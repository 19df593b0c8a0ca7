"""The board line of FIBS: `board:` and 52 values separated by colons, seen by the player named first.

That player is player 1 here, moves from 24 to 1 and has positive numbers when written; lines with other colours and
directions are read too. As GNU Backgammon does, the last two values say whether the Crawford game is over and whether
this is another game than the Crawford game; FIBS itself leaves both 0.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import NamedTuple

from sixprime.checks import TEXT, Pair
from sixprime.errors import InvalidIdError
from sixprime.game.codes import check_fits, check_text
from sixprime.game.position import BAR, POSITION, Position
from sixprime.game.state import STATE, MatchState, at_match_point

_UNLIMITED = 9999
_MOST = 30
_NUMBER = re.compile(r"-?\d{1,5}", re.ASCII)
_NAMES = Pair(TEXT)


class FibsBoard(NamedTuple):
    """What a board line says; names: of player 0 and of player 1, who sees the board."""

    position: Position
    state: MatchState
    names: tuple[str, str]


def encode_fibs_board(position: Position, state: MatchState, names: tuple[str, str] = ("", "")) -> str:
    """The board line that player 1 gets. Jacoby's rule, beavers and the cube limit have no place in it.

    Nor has a Crawford game at a score at which there is none. Raises InvalidIdError for numbers past its values, among
    them a match to 9999 points or more, which would be read as money play, and SettingsError.
    """
    POSITION("position", position)
    STATE("state", state)
    _NAMES("names", names)
    check_fits(replace(state, cube_limit=1), "a FIBS board line", _UNLIMITED - 1)
    if max(*position.player, *position.opponent) > _MOST:
        raise InvalidIdError(f"a FIBS board line holds at most {_MOST} chequers on a point")
    mine, theirs = (position.player, position.opponent)[:: 1 if state.on_roll == 1 else -1]
    points = [mine[point - 1] - theirs[24 - point] for point in range(1, 25)]
    dice = (0, 0) if state.dice is None or state.doubled else state.dice
    may_double = (state.cube_owner != 0, state.cube_owner != 1)
    doubled = 0 if not state.doubled else 1 if state.on_roll == 0 else -1
    length = state.length
    state = replace(state, crawford=state.crawford and at_match_point(length, state.score))
    shown = [name.replace(":", "_").replace(" ", "_") or f"player{number}" for number, name in enumerate(names)]
    values = [
        shown[1], shown[0], length or _UNLIMITED, state.score[1], state.score[0],
        -theirs[BAR], *points, mine[BAR],
        1 if state.on_roll == 1 else -1,
        *(dice if state.on_roll == 1 else (0, 0)), *(dice if state.on_roll == 0 else (0, 0)),
        state.cube, int(may_double[0]), int(may_double[1]), doubled,
        1, -1, 0, 25,
        position.chequers - sum(mine), position.chequers - sum(theirs), mine[BAR], theirs[BAR],
        0, 0, int(state.post_crawford), int(not state.crawford),
    ]  # fmt: skip
    return "board:" + ":".join(map(str, values))


def decode_fibs_board(text: str, chequers: int = 15) -> FibsBoard:
    """Position and state of a board line. Raises InvalidIdError naming what cannot be read."""
    fields = check_text(text, "a FIBS board line").strip().split(":")
    if fields[0].lower() != "board" or len(fields) < 53:
        raise InvalidIdError(f"a FIBS board line is 'board' and 52 values, not {len(fields) - 1}: {text[:40]!r}")
    numbers = [0, 0, 0]
    for place, field in enumerate(fields[3:53], 3):
        if not _NUMBER.fullmatch(field.strip()):
            raise InvalidIdError(f"value {place} of the FIBS board line is {field[:20]!r}, not a number")
        numbers.append(int(field.strip()))
    length, score, board = numbers[3], numbers[4:6], numbers[6:32]
    turn, own_dice, other_dice, cube = numbers[32], numbers[33:35], numbers[35:37], numbers[37]
    may_double, doubled, colour, direction = numbers[38:40], numbers[40], numbers[41], numbers[42]
    if abs(colour) != 1 or abs(direction) != 1:
        raise InvalidIdError("values 41 and 42 (colour, direction) of the FIBS board line are 1 or -1")
    if not 0 < cube <= 1 << 15 or cube & (cube - 1):
        raise InvalidIdError(f"value 37 (cube) of the FIBS board line is {cube}, not a power of 2")
    if min(length, *score) < 0:
        raise InvalidIdError("length and scores of the FIBS board line cannot be negative")
    if direction == 1:
        board = board[::-1]
    mine, theirs = [0] * 25, [0] * 25
    for point in range(1, 25):
        count = board[point] * colour
        if count > 0:
            mine[point - 1] = count
        else:
            theirs[24 - point] = -count
    mine[BAR], theirs[BAR] = abs(board[25]), abs(board[0])
    if max(*mine, *theirs) > _MOST:
        raise InvalidIdError("the FIBS board line has more chequers on a point than there are")
    pending = doubled != 0 or may_double == [0, 0]
    on_roll = 1 if turn == colour else 0
    if pending:
        on_roll = 1 if doubled < 0 else 0
    dice = own_dice if on_roll == 1 else other_dice
    if not all(0 <= die <= 6 for die in dice) or (not pending and 0 in dice and any(dice)):
        raise InvalidIdError(f"the dice of the FIBS board line are {dice[0]} and {dice[1]}")
    length = 0 if length >= _UNLIMITED else length
    state = MatchState(
        length=length,
        score=(score[1], score[0]),
        cube=cube,
        cube_owner=None if may_double[0] == may_double[1] else 1 if may_double[0] else 0,
        on_roll=on_roll,
        crawford=at_match_point(length, score) and numbers[51] == 0 and numbers[52] == 0,
        dice=(dice[0], dice[1]) if dice[0] and dice[1] and not pending else None,
        doubled=pending,
    )
    sides = (theirs, mine) if on_roll == 1 else (mine, theirs)
    names = fields[2].strip(), fields[1].strip()
    return FibsBoard(Position(tuple(sides[0]), tuple(sides[1]), chequers), state, names)
