"""OGID, the position ID of OpenGammon and HedgeHog.

    white:black:cube:dice:colour:state:score white:score black:length[:move number[:chequers]]

Each chequer is one letter 0-9 a-p for 0 to 25: 0 White's bar, 25 Black's bar, 1 to 6 Black's home. White is player 0.
The cube is its owner (N, W, B), the power of two and N, or O while a double is offered. The colour is that of the
player who reached the position: the one on roll is the other, except that whoever doubled is named himself.
"""

from __future__ import annotations

import re
from dataclasses import replace

from sixprime.errors import InvalidIdError
from sixprime.game.codes import check_fits, check_text, log2
from sixprime.game.position import BAR, POSITION, Position
from sixprime.game.state import STATE, MatchState

_MOST, _MOST_POINTS, _LARGEST_CUBE = 30, 32767, 512
_LETTERS = "0123456789abcdefghijklmnop"
_SHAPE = re.compile(r"[0-9a-q]{0,30}:[0-9a-q]{0,30}:[NWBD?]\d[NOTP](?::.*)?", re.ASCII)
_LENGTH = re.compile(r"(\d{1,5})(C|L|G\d{0,5})?", re.ASCII)
_OWNERS = {"N": None, "?": None, "D": None, "W": 0, "B": 1}


def looks_like_ogid(text: str) -> bool:
    """Whether a text has the shape of an OGID."""
    return _SHAPE.fullmatch(text.strip()) is not None


def encode_ogid(position: Position, state: MatchState) -> str:
    """The OGID. Beavers, Jacoby's rule, the cube limit and resignations have no place in it.

    Raises InvalidIdError for a cube of 1024 or more, and other numbers past its fields, SettingsError.
    """
    POSITION("position", position)
    STATE("state", state)
    check_fits(replace(state, cube_limit=1), "an OGID", _MOST_POINTS, _LARGEST_CUBE)
    cube = log2(state.cube, "the cube")
    white, black = (position.player, position.opponent)[:: 1 if state.on_roll == 0 else -1]
    if max(sum(count for count in side if count > 0) for side in (white, black)) > _MOST:
        raise InvalidIdError(f"an OGID holds at most {_MOST} chequers of a side")
    reached = state.on_roll if state.doubled else 1 - state.on_roll
    fields = [
        "".join(sorted(_LETTERS[24 - place] * count for place, count in enumerate(white) if count > 0)),
        "".join(sorted(_LETTERS[place + 1] * count for place, count in enumerate(black) if count > 0)),
        f"{'N' if state.cube_owner is None else 'WB'[state.cube_owner]}{cube}{'O' if state.doubled else 'N'}",
        "" if state.dice is None or state.doubled else "{}{}".format(*sorted(state.dice)),
        "WB"[reached],
        "D" if state.doubled else "",
        str(state.score[0]),
        str(state.score[1]),
        f"{state.length}{'C' if state.crawford else 'L' if state.post_crawford else ''}",
        "0",
    ]
    return ":".join(fields + ([str(position.chequers)] if position.chequers != 15 else []))


def decode_ogid(text: str) -> tuple[Position, MatchState]:
    """Position and state of an OGID; only its first three fields must be there. Raises InvalidIdError."""
    text = check_text(text, "an OGID").strip()
    if not looks_like_ogid(text):
        raise InvalidIdError(f"{text[:60]!r} is no OGID")
    fields = text.split(":")
    fields += [""] * (11 - len(fields))
    chequers = _number(fields, 10, 15, 15)
    dice = fields[3]
    if dice and not re.fullmatch("[1-6][1-6]", dice):
        raise InvalidIdError(f"field 4 (dice) of the OGID is {dice[:10]!r}, not two dice")
    if fields[4] not in ("", "W", "B"):
        raise InvalidIdError(f"field 5 (colour) of the OGID is {fields[4][:10]!r}, not W or B")
    doubled = fields[2][2] == "O" or fields[5] == "D"
    reached = 0 if fields[4] == "W" else 1
    on_roll = reached if doubled else 1 - reached
    length = _LENGTH.fullmatch(fields[8] or "0")
    if length is None:
        raise InvalidIdError(f"field 9 (length) of the OGID is {fields[8][:10]!r}, not a number with C, L or G")
    sides = [[0] * 25, [0] * 25]
    for side, letters in enumerate(fields[:2]):
        for letter in letters:
            if letter == "q":
                continue  # borne off
            point = _LETTERS.index(letter)
            place = 24 - point if side == 0 else point - 1
            if not 0 <= place <= BAR:
                raise InvalidIdError(f"{letter!r} in field {side + 1} of the OGID is the bar of the other side")
            sides[side][place] += 1
    state = MatchState(
        length=int(length[1]),
        score=(_number(fields, 6, 0, _MOST_POINTS), _number(fields, 7, 0, _MOST_POINTS)),
        cube=1 << int(fields[2][1]),
        cube_owner=_OWNERS[fields[2][0]],
        on_roll=on_roll,
        crawford=length[2] == "C",
        dice=(int(max(dice)), int(min(dice))) if dice and not doubled else None,
        doubled=doubled,
    )
    return Position(tuple(sides[1 - on_roll]), tuple(sides[on_roll]), chequers), state


def _number(fields: list[str], field: int, otherwise: int, highest: int) -> int:
    text = fields[field]
    if not text:
        return otherwise
    if not (text.isascii() and text.isdigit() and len(text) <= 5 and int(text) <= highest):
        raise InvalidIdError(f"field {field + 1} of the OGID is {text[:10]!r}, not a number up to {highest}")
    return int(text)
