"""The bits of GNU Backgammon's position ID and match ID.

The position ID holds the side that is not on roll first, then the side on roll. The match ID is 67 bits, the lowest
first.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from sixprime import checks
from sixprime.errors import InvalidIdError, InvalidPositionError

if TYPE_CHECKING:
    from sixprime.game.state import MatchState

_LAST_STATE = 4  # of those that a game can be in
_BASE64 = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")


def quoted(text: str) -> str:
    """`text` in quotes, short enough for a message."""
    return repr(text) if len(text) <= 60 else repr(text[:60])[:-1] + "...'"


def check_text(text: object, what: str) -> str:
    """`text` if it is one. Raises InvalidIdError."""
    if not isinstance(text, str):
        raise InvalidIdError(f"{what} is a text. Got {checks.shown(text)} instead.")
    return text


def _decode_base64(text: str, length: int, what: str) -> bytes:
    """The bytes of an unpadded base64 text. Raises InvalidIdError naming the first bad character."""
    check_text(text, f"a {what}")
    if len(text) != length:
        raise InvalidIdError(f"the {what} {quoted(text)} has {len(text)} characters, not {length}")
    if not _BASE64.issuperset(text):
        place, character = next((i, each) for i, each in enumerate(text, 1) if each not in _BASE64)
        raise InvalidIdError(f"character {place} of the {what} {text!r} is {character!r}, not one of A-Z a-z 0-9 + /")
    return base64.b64decode(text + "=" * (-length % 4))


_STACKS = {count: "0" + count * "1" for count in range(31)}
"""The bits of a point by the chequers on it, the last first."""


def encode_position_id(opponent: Iterable[int], player: Iterable[int]) -> str:
    """The position ID of both sides' counts. Raises InvalidPositionError when they do not fit into its 80 bits."""
    counts = (*opponent, *player)
    try:
        bits = "".join(map(_STACKS.__getitem__, reversed(counts)))
    except KeyError:
        wrong = next(count for count in counts if count not in _STACKS)
        raise InvalidPositionError(f"a position ID cannot hold {wrong} chequers on a point") from None
    if len(bits) > 80:
        raise InvalidPositionError(f"a position ID holds at most 30 chequers, not {len(bits) - 50}")
    return binascii.b2a_base64(int(bits, 2).to_bytes(10, "little")).decode()[:14]


def decode_position_id(text: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The counts of the opponent and of the player on roll. Raises InvalidIdError."""
    data = _decode_base64(text, 14, "position ID")
    if text[13] not in "AQgw":
        raise InvalidIdError(f"character 14 of the position ID {text!r} is {text[13]!r}, not one of A Q g w")
    bits = f"{int.from_bytes(data, 'little'):080b}"[::-1]
    stacks = bits.split("0")
    if len(stacks) < 51:
        raise InvalidIdError(f"the position ID {text!r} has too many chequers to end within its 80 bits")
    if any(stacks[50:]):
        raise InvalidIdError(f"the position ID {text!r} has chequers behind the last point")
    counts = tuple(map(len, stacks[:50]))
    return counts[:25], counts[25:]


# Name, first bit and width of every field of the match ID.
_MATCH_FIELDS = (
    ("cube", 0, 4),
    ("cube owner", 4, 2),
    ("player on roll", 6, 1),
    ("Crawford", 7, 1),
    ("game state", 8, 3),
    ("turn", 11, 1),
    ("doubled", 12, 1),
    ("resignation", 13, 2),
    ("first die", 15, 3),
    ("second die", 18, 3),
    ("match length", 21, 15),
    ("score of player 0", 36, 15),
    ("score of player 1", 51, 15),
    ("no Jacoby", 66, 1),
)


def check_fits(state: MatchState, what: str, most: int, largest: int = 1 << 15) -> None:
    """Raises InvalidIdError where length or score are above `most`, or the cube or its limit above `largest`."""
    numbers = ("match length", state.length, most), ("score", max(state.score), most), ("cube", state.cube, largest)
    for name, number, highest in (*numbers, ("cube limit", state.cube_limit, largest)):
        if number > highest:
            raise InvalidIdError(f"{what} cannot hold a {name} of {number}")


def log2(cube: int, what: str) -> int:
    if cube < 1 or cube & (cube - 1):
        raise InvalidIdError(f"{what} must be a power of 2, not {cube}")
    return cube.bit_length() - 1


def encode_match_id(state: MatchState) -> str:
    """The match ID, the larger die first as GNU Backgammon writes it; beavers and the cube limit are left out.

    Raises InvalidIdError when a field does not fit.
    """
    low, high = sorted(state.dice or (0, 0))
    values = (
        log2(state.cube, "the cube"),
        3 if state.cube_owner is None else state.cube_owner,
        state.on_roll,
        int(state.crawford),
        int(state.game_state),
        state.decider,
        int(state.doubled),
        state.resigned,
        high,
        low,
        state.length,
        state.score[0],
        state.score[1],
        int(not state.jacoby),
    )
    bits = 0
    for (name, place, width), value in zip(_MATCH_FIELDS, values, strict=True):
        if not 0 <= value < 1 << width:
            raise InvalidIdError(f"a match ID cannot hold {value} as {name}")
        bits |= value << place
    return base64.b64encode(bits.to_bytes(9, "little")).decode()


def decode_match_id(text: str) -> dict[str, Any]:
    """The fields of the `MatchState` of a match ID: the dice in the order of the ID.

    Raises InvalidIdError naming the bad character or field.
    """
    bits = int.from_bytes(_decode_base64(text, 12, "match ID"), "little")
    value = {name: bits >> place & (1 << width) - 1 for name, place, width in _MATCH_FIELDS}
    first, second = value["first die"], value["second die"]
    for name, wrong in (
        ("cube owner", value["cube owner"] == 2),
        ("game state", value["game state"] > _LAST_STATE),
        ("first die", first > 6 or (first == 0) != (second == 0)),
        ("second die", second > 6),
    ):
        if wrong:
            raise InvalidIdError(f"the match ID {text!r} has {value[name]} as {name}")
    return {
        "length": value["match length"],
        "score": (value["score of player 0"], value["score of player 1"]),
        "cube": 1 << value["cube"],
        "cube_owner": None if value["cube owner"] == 3 else value["cube owner"],
        "on_roll": value["player on roll"],
        "turn": value["turn"],
        "crawford": bool(value["Crawford"]),
        "jacoby": not value["no Jacoby"],
        "dice": (first, second) if first else None,
        "doubled": bool(value["doubled"]),
        "resigned": value["resignation"],
        "game_state": value["game state"],
    }
