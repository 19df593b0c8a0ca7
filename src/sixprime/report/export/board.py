"""A board of letters as GNU Backgammon draws it, with its IDs and what stands beside it.

Player 0 is O at the top, player 1 is X at the bottom; points are numbered as the player on roll counts them.
"""

from __future__ import annotations

from collections.abc import Sequence

from sixprime.game.position import BAR, Position
from sixprime.game.state import SIZES, GameState, MatchState
from sixprime.report.export.pages import Board
from sixprime.report.words import count, dice_text, match_id, position_id

_ROWS = 5
_DIGITS = "0123456789ABCDEF"


def points_of(position: Position, mover: int) -> tuple[list[int], tuple[int, int], tuple[int, int]]:
    """The 24 points as player 1 counts them, his chequers positive; bar and off of player 0 and 1."""
    sides = (position.player, position.opponent) if mover else (position.opponent, position.player)
    off = position.off if mover else position.off[::-1]
    points = [mine - theirs for mine, theirs in zip(sides[0][:BAR], sides[1][BAR - 1 :: -1], strict=True)]
    return points, (sides[1][BAR], sides[0][BAR]), (off[1], off[0])


def _halves(points: list[int], *, clockwise: bool) -> tuple[list[int], list[int]]:
    """The points above and below, from left to right."""
    return (points[:11:-1], points[:12]) if clockwise else (points[12:], points[11::-1])


class Scene:
    """What a board shows to whoever draws it, player 0 at the top.

    upper, lower: 12 counts each from left to right, positive those of player 1; bar, off: of player 0 and 1.
    decider: who counts the points. owned: the cube of player 0 and 1, 0 for none; centred: in the middle; offered:
    what a double offers, by whoever is on roll. dice: two digits of who is on roll, larger first, empty for none.
    clockwise: the home boards are on the left.
    """

    def __init__(self, board: Board, *, clockwise: bool = False) -> None:
        state = board.state
        points, self.bar, self.off = points_of(board.position, state.on_roll)
        self.board, self.state, self.decider = board, state, state.decider
        self.clockwise = clockwise
        self.upper, self.lower = _halves(points, clockwise=clockwise)
        self.dice = "" if state.doubled else dice_text(state.dice)
        self.owned = tuple(state.cube if state.cube_owner == player else 0 for player in (0, 1))
        self.offered = _offered(state) if state.doubled else 0
        self.centred = state.cube if state.cube_owner is None and not state.doubled and not state.crawford else 0

    @property
    def stacks(self) -> list[tuple[int, bool, int, int]]:
        """Points with chequers: column 0 to 11, whether it is above, whose, how many."""
        halves = ((self.upper, True), (self.lower, False))
        return [
            (column, above, int(count > 0), abs(count))
            for counts, above in halves
            for column, count in enumerate(counts)
            if count
        ]

    @property
    def top_numbers(self) -> range:
        """The numbers of the points above, from left to right."""
        return _numbers(self.decider, above=True, clockwise=self.clockwise)


def _offered(state: MatchState) -> int:
    """The cube that a double, a beaver or a raccoon offers."""
    return state.cube << (1 + state.beavered)


def _numbers(player: int, *, above: bool, clockwise: bool) -> range:
    """How a player numbers a row of points from left to right."""
    high = above == (player == 1)
    if clockwise:
        return range(24, 12, -1) if high else range(1, 13)
    return range(13, 25) if high else range(12, 0, -1)


def board_text(
    position: Position, state: MatchState, names: Sequence[str], *, pips: bool = True, clockwise: bool = False
) -> str:
    """Board, IDs and, below, pip counts. names: of player 0 and 1. clockwise: the home boards are on the left."""
    mover = state.on_roll
    points, bar, off = points_of(position, mover)
    sides = _beside(state, names)
    left, right = ("    ", "  ") if clockwise else (" ", "     ")
    lines = [
        f"{left}GNU Backgammon  Position ID: {position_id(position)}",
        f"{left}                Match ID   : {match_id(state) or ''}",
    ]
    top, bottom = (_numbers(mover, above=above, clockwise=clockwise) for above in (True, False))
    upper, lower = _halves(points, clockwise=clockwise)

    def line(cells: str, tray: str, text: str | None) -> str:
        """text: None where none may stand."""
        if clockwise:
            return f"{tray[::-1]} |{cells}|  {text or ''}"
        return f" |{cells}| {tray}{'' if text is None else f' {text}'}"

    lines.append(f"{left}{_edge(top)}{right}{sides[0]}")
    for row in range(_ROWS):
        text = sides[1 + row] if row < _ROWS - 1 else None
        lines.append(line(_row(upper, -bar[0], row), _off(off[0], "O", row), text))
    sign, middle = "v" if mover else "^", "|                  |BAR|                  |"
    lines.append(f"    {middle}{sign} {sides[5]}" if clockwise else f"{sign}{middle}     {sides[5]}")
    for row in range(_ROWS - 1, -1, -1):
        text = sides[10 - row] if row < _ROWS - 1 else None
        lines.append(line(_row(lower, bar[1], row), _off(off[1], "X", row), text))
    lines.append(f"{left}{_edge(bottom)}{right}{sides[11]}")
    if pips:
        mine, theirs = position.pips
        lines.append("Pip counts: O {}, X {}".format(*((theirs, mine) if mover else (mine, theirs))))
    return "\n".join(lines)


def _edge(numbers: Sequence[int]) -> str:
    left, right = ("".join(f"{number:->3}" for number in half) for half in (numbers[:6], numbers[6:]))
    return f"+{left[1:]}-----{right}-+"


def _cell(count: int, row: int) -> str:
    """What a stack shows in a row, 0 at the edge: its size on the last row where there are more than five."""
    if row >= abs(count):
        return "   "
    if row == _ROWS - 1 and abs(count) > _ROWS:
        return f" {_DIGITS[min(abs(count), 15)]} "
    return " X " if count > 0 else " O "


def _row(points: Sequence[int], bar: int, row: int) -> str:
    left, right = ("".join(_cell(count, row) for count in half) for half in (points[:6], points[6:]))
    return f"{left}|{_cell(bar, row)}|{right}"


def _off(count: int, letter: str, row: int) -> str:
    return "".join(letter if count > row + _ROWS * column else " " for column in range(3))


def _beside(state: MatchState, names: Sequence[str]) -> list[str]:
    """The texts right of the twelve lines from edge to edge that may hold one: edge, four, bar, five, edge."""
    texts = [""] * 12
    cube = f"(Cube: {state.cube})"
    for player in (0, 1):
        owned = f" {cube}" if state.cube_owner == player and not state.doubled else ""
        texts[11 * player] = f"{'OX'[player]}: {names[player]}{owned}"
        texts[1 if player == 0 else 10] = count(state.score[player], "point")
        row = 2 if player == 0 else 9
        if state.doubled:
            texts[row] = f"Cube offered at {_offered(state)}" if state.decider == player else ""
        elif state.on_roll == player and state.game_state is not GameState.OVER:
            texts[row] = "On roll" if state.dice is None else f"Rolled {dice_text(state.dice)}"
            if state.resigned:
                texts[row] += f", resigns {SIZES[state.resigned]}"
    if state.length == 1:  # where the cube means nothing
        texts[5] = "1 point match"
        return texts
    length = f"{state.length} points match" if state.length else ""
    middle = cube if state.cube_owner is None and not state.doubled and not state.crawford else ""
    middle = "(Crawford game)" if state.crawford else middle
    texts[5] = "" if state.doubled else " ".join(part for part in (length, middle) if part)
    return texts
