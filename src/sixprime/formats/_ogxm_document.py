"""Documents of the codec `ogxm`: their words and numbers, boards and plays.

Black, colour 0, plays from point 24 down to 1, with the bar at 25, and is player 0 here; White, colour 1, plays up,
from the bar at 0. A board has White's chequers as positive numbers. Who wins or owns a cube is a "seat", of which
White's is 0.
"""

from __future__ import annotations

import json
from types import ModuleType
from typing import Any, cast

from sixprime.errors import InvalidFileError
from sixprime.formats._text import plain
from sixprime.game.match_rules import LONGEST_MATCH
from sixprime.game.play import Play
from sixprime.game.position import Position
from sixprime.game.record import Match
from sixprime.game.variants import get_variant

_BAR = 25

DOCUMENT, PLY = "ogxm:document", "ogxm:ply"
"""Keys of extras: the whole document, of a match; the numbers of game and ply in it, of an action."""

VARIANTS = {"backgammon": "standard", "nackgammon": "nackgammon", "hypergammon": "hypergammon3"}
SEATS = {"white": 1, "black": 0}
RESIGNED = {"single": 1, "gammon": 2, "backgammon": 3}

# Kinds of plies: 0 to 20 are rolls, 11, 12 .. 16, 22 .. 66.
LAST_ROLL, DOUBLE, TAKE, DROP, SET, BEAVER, RACCOON, CUBE_SET, PASSED = 20, 21, 22, 23, 31, 32, 33, 36, 37
RESIGNS, ENDS = (27, 28), (24, 25, 26, 29, 30)


def codec(path: str | None) -> ModuleType:
    """The library. path: of the file it is wanted for. Raises InvalidFileError where it is not installed."""
    try:
        import ogxm  # type: ignore[import-untyped]

        ogxm.library_version()
    except (ImportError, OSError, RuntimeError) as error:
        message = f"OGXM needs the library ogxm: pip install 'sixprime[ogxm]' ({error})"
        raise InvalidFileError(message, path=path) from None
    return cast(ModuleType, ogxm)


def items(found: dict[str, Any], key: str) -> list[dict[str, Any]]:
    """The objects of a list; none where there is no list."""
    listed = found.get(key)
    return [item for item in listed if isinstance(item, dict)] if isinstance(listed, list) else []


def whole(value: object) -> int:
    """A whole number that is not negative; 0 for anything else."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53 else 0


def words(value: object) -> str:
    """Text, or a number, on one line."""
    if isinstance(value, (str, int)) and not isinstance(value, bool):
        return " ".join(plain(str(value)[:1000]).split())
    return ""


def version_of(document: dict[str, Any]) -> int:
    """The major version of the file that a document comes from."""
    said = document.get("ogxm")
    return whole(said.get("major")) if isinstance(said, dict) and "major" in said else 2


def remark(note: dict[str, Any]) -> bool:
    """Whether a note is a `comment` of ours: prose on a match, a game or a ply, with nothing drawn."""
    said = isinstance(note.get("value"), str) and note["value"] and not note.get("key") and not note.get("drawings")
    return bool(said) and note.get("scope") in ("match", "game", "ply")


def kept(match: Match) -> dict[str, Any] | None:
    """The document that a match was read from."""
    text = dict(match.extras).get(DOCUMENT)
    try:
        found = json.loads(text) if text else None
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) and isinstance(found.get("games"), list) else None


def position_of(board: object, variant: object) -> Position | None:
    """The position of a board as player 0 sees it, be it impossible; None where that is no board."""
    if not isinstance(board, list) or len(board) != _BAR + 1:
        return None
    if not all(isinstance(count, int) and abs(count) <= LONGEST_MATCH for count in board):
        return None
    black = tuple(max(-count, 0) for count in board[1:])
    white = tuple(max(count, 0) for count in reversed(board[:_BAR]))
    shown = max(sum(black), sum(white), 1)
    game = VARIANTS.get(str(variant))
    # What is not known may be hypergammon with fewer.
    usual = get_variant(game).chequers if game else shown if shown <= 3 else 15
    return Position(player=black, opponent=white, chequers=max(shown, usual))


def board_of(position: Position, player: int) -> list[int]:
    """The board of a position that a player sees."""
    black, white = (position.opponent, position.player) if player else (position.player, position.opponent)
    board = [0] * (_BAR + 1)
    for point in range(1, _BAR + 1):
        board[point] -= black[point - 1]
        board[_BAR - point] += white[point - 1]
    return board


def text_of(steps: object, player: int) -> str | None:
    """The notation of the steps of a play; None where they are no steps."""
    if not isinstance(steps, list) or len(steps) > 4:
        return None
    words = []
    for step in steps:
        start, pips = (step.get("from"), step.get("pips")) if isinstance(step, dict) else (None, None)
        if (
            not isinstance(start, int)
            or not isinstance(pips, int)
            or not (0 <= start <= _BAR and 0 <= pips <= 2 * _BAR)
        ):
            return None
        own = _BAR - start if player else start
        words.append(f"{own}/{max(own - pips, 0)}")
    return " ".join(words)


def steps_of(play: Play, player: int) -> list[dict[str, int]]:
    """The steps of a play, in an order in which they can be made."""
    return [{"from": _BAR - step.start if player else step.start, "pips": step.start - step.end} for step in play.steps]
