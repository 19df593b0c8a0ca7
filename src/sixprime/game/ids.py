"""XGID, written and read; any ID read.

The XGID is absolute: capitals, first score and owner 1 belong to the bottom player, who is player 1 here, whoever is
on roll.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from sixprime.errors import InvalidIdError, InvalidPositionError, SixprimeError
from sixprime.game.codes import check_fits, check_text, log2, quoted
from sixprime.game.position import BAR, POSITION, Position
from sixprime.game.state import MONEY, STATE, MatchState
from sixprime.lazy import brief, drawn_by


class ParsedPosition(NamedTuple):
    """What an ID says; `dice` are those of the state."""

    position: Position
    state: MatchState
    dice: tuple[int, int] | None

    def __repr__(self) -> str:
        try:
            return brief(self, self.xgid)
        except SixprimeError:
            return brief(self, repr(self.position))

    def _repr_svg_(self) -> str:
        return drawn_by("parsed")(self)

    @property
    def gnubg_id(self) -> str:
        """`positionid:matchid`."""
        return gnubg_id(self.position, self.state)

    @property
    def xgid(self) -> str:
        """The XGID."""
        return encode_xgid(self.position, self.state)


def gnubg_id(position: Position, state: MatchState) -> str:
    """`positionid:matchid`. Raises InvalidPositionError, InvalidIdError for what does not fit, SettingsError."""
    POSITION("position", position)
    STATE("state", state)
    return f"{position.id}:{state.match_id}"


_XGID_FIELDS = (
    "board",
    "cube",
    "cube owner",
    "turn",
    "dice",
    "score of the bottom player",
    "score of the top player",
    "rule",
    "match length",
    "maximal cube",
)
_MOST_POINTS = 32767
_NUMBER = re.compile(r"-?[0-9]{1,5}")
_POSITION_ID = re.compile("[A-Za-z0-9+/]{14}")
_WRAPPED = re.compile(r"[(\[{<>*`\"'%&\u200b\u2011-\u2014\u2212]|://|(?<!^xg)(?<!^og)id=", re.IGNORECASE)
"""What a single word has about an ID: marks, a link."""


def _xgid_letters(position: Position, on_roll: int) -> str:
    bottom, top = position.player, position.opponent
    if on_roll == 0:
        bottom, top = top, bottom
    letters = []
    for place in range(26):
        upper = bottom[place - 1] if place else 0
        lower = top[24 - place] if 0 < place < 25 else top[BAR] if place == 0 else 0
        if upper and lower:
            raise InvalidPositionError(f"an XGID cannot hold both sides on point {place}")
        if not (0 <= upper <= 16 and 0 <= lower <= 16):
            raise InvalidPositionError(f"an XGID cannot hold {upper or lower} chequers on a point")
        letters.append(chr(64 + upper) if upper else chr(96 + lower) if lower else "-")
    return "".join(letters)


def encode_xgid(position: Position, state: MatchState) -> str:
    """The XGID, with its prefix. A resignation and the end of a game have no place in it.

    Raises InvalidPositionError for a position that it cannot hold, InvalidIdError for numbers past its fields,
    SettingsError. A Crawford game of money play, of which there is none, is left out.
    """
    POSITION("position", position)
    STATE("state", state)
    if state.length and max(state.score) >= state.length:
        score = "{}-{}".format(*state.score)
        raise InvalidIdError(f"an XGID cannot hold the score {score} of a match to {state.length}")
    if state.doubled:
        dice = "D" if not state.beavered else "RB"[state.beavered % 2]
    else:
        dice = "{}{}".format(*(state.dice or (0, 0)))
    check_fits(state, "an XGID", _MOST_POINTS)
    fields = (
        _xgid_letters(position, state.on_roll),
        log2(state.cube, "the cube"),
        {None: 0, 0: -1, 1: 1}[state.cube_owner],
        1 if state.on_roll else -1,
        dice,
        state.score[1],
        state.score[0],
        int(state.crawford) if state.length else int(state.jacoby) + 2 * (state.beavers > 0),
        state.length,
        log2(state.cube_limit, "the cube limit"),
    )
    return "XGID=" + ":".join(map(str, fields))


def _read_letters(letters: str) -> tuple[list[int], list[int]]:
    """The counts of the bottom and of the top player."""
    if len(letters) != 26:
        raise InvalidIdError(f"the board of the XGID has {len(letters)} characters, not 26: {quoted(letters)}")
    bottom, top = [0] * 25, [0] * 25
    for place, letter in enumerate(letters):
        if letter == "-":
            continue
        if "A" <= letter <= "P" and place > 0:
            bottom[place - 1] = ord(letter) - 64
        elif "a" <= letter <= "p" and place < 25:
            top[24 - place if place else BAR] = ord(letter) - 96
        else:
            wanted = "- a-p" if place == 0 else "- A-P" if place == 25 else "- A-P a-p"
            raise InvalidIdError(f"character {place + 1} of the XGID board is {letter!r}, not one of {wanted}")
    return bottom, top


def decode_xgid(text: str, chequers: int = 15) -> tuple[Position, MatchState]:
    """Position and state of an XGID, with or without its prefix. Raises InvalidIdError naming the bad field."""
    check_text(text, "an XGID")
    body = text[5:] if text[:5].upper() == "XGID=" else text
    fields = [field.strip() for field in body.split(":")]
    if len(fields) != len(_XGID_FIELDS):
        raise InvalidIdError(
            f"an XGID has {len(_XGID_FIELDS)} fields separated by colons, not {len(fields)}: {quoted(text)}"
        )
    bottom, top = _read_letters(fields[0])

    def number(field: int, low: int, high: int, where: str = "") -> int:
        value = int(fields[field]) if _NUMBER.fullmatch(fields[field]) else None
        if value is None or not low <= value <= high:
            name = _XGID_FIELDS[field]
            raise InvalidIdError(
                f"field {field + 1} ({name}) of the XGID is {quoted(fields[field])}, not {low} to {high}{where}"
            )
        return value

    turn = number(3, -1, 1)
    roll = fields[4]
    if turn == 0:
        raise InvalidIdError("field 4 (turn) of the XGID is '0', not 1 or -1")
    if roll not in ("D", "B", "R", "00") and not re.fullmatch("[1-6][1-6]", roll):
        raise InvalidIdError(f"field 5 (dice) of the XGID is {quoted(roll)}, not two dice, 00, D, B or R")
    length = number(8, 0, _MOST_POINTS)
    highest = length - 1 if length else _MOST_POINTS
    rule = number(7, 0, 1, f" in a match to {length}") if length else number(7, 0, 3)
    owner = number(2, -1, 1)
    state = MatchState(
        length=length,
        score=(number(6, 0, highest), number(5, 0, highest)),
        cube=1 << number(1, 0, 15),
        cube_owner={-1: 0, 0: None, 1: 1}[owner],
        on_roll=1 if turn == 1 else 0,
        crawford=bool(length and rule),
        jacoby=bool(rule & 1),
        beavers=3 if rule & 2 else 0,
        dice=(int(roll[0]), int(roll[1])) if roll.isdigit() and roll != "00" else None,
        doubled=roll in ("D", "B", "R"),
        beavered={"B": 1, "R": 2}.get(roll, 0),
        # Some are written with a limit that no cube of ours ever gets to.
        cube_limit=1 << min(number(9, 0, 30), 15),
    )
    player, opponent = (bottom, top) if turn == 1 else (top, bottom)
    return Position(tuple(opponent), tuple(player), chequers), state


def parse(text: str, *, chequers: int = 15) -> ParsedPosition:
    """Position, match state and dice of any ID, or of a text that shows one.

    text: position ID (then money play, centred cube), `positionid:matchid`, match ID (then the starting
    position), XGID with or without its prefix, OGID, a FIBS board line; any of them among other words or in a link,
    "Position ID: ... Match ID: ...", both IDs with a blank between them, a board as GNU Backgammon, eXtreme Gammon or
    `Position.diagram` draws it.
    chequers: how many each side has; IDs do not say. Raises InvalidIdError naming what cannot be read.
    """
    text = check_text(text, "an ID").replace("\ufeff", "").strip("\n\r")
    if _POSITION_ID.fullmatch(text):
        return ParsedPosition(Position.from_id(text, chequers), MONEY, None)

    from sixprime.game.board_text import find_position
    from sixprime.game.fibs import decode_fibs_board
    from sixprime.game.ogid import decode_ogid, looks_like_ogid

    shown, text = text, text.strip()
    if text[:6].lower() != "board:" and (len(text.split()) > 1 or _WRAPPED.search(text) is not None):
        position, state = find_position(shown, chequers)
    elif text[:6].lower() == "board:":
        position, state, _ = decode_fibs_board(text, chequers)
    elif text[:5].upper() == "OGID=" or looks_like_ogid(text):
        position, state = decode_ogid(text[5:] if text[:5].upper() == "OGID=" else text)
    elif text[:5].upper() == "XGID=" or text.count(":") > 1:
        position, state = decode_xgid(text, chequers)
    elif ":" in text:
        position_text, match_text = text.split(":")
        position, state = Position.from_id(position_text, chequers), MatchState.from_match_id(match_text)
    elif len(text) == 12:
        position, state = Position.start(), MatchState.from_match_id(text)
    elif len(text) == 14:
        position, state = Position.from_id(text, chequers), MatchState()
    else:
        raise InvalidIdError(
            f"{quoted(text)} is no position ID (14 characters), match ID (12), positionid:matchid, XGID=..., OGID "
            "or board:..."
        )
    return ParsedPosition(position, state, state.dice)
