"""Positions between the wire and the game: boards, plays that are being made, IDs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sixprime.errors import (
    IllegalPlayError,
    InvalidFileError,
    InvalidIdError,
    InvalidPlayError,
    RulesError,
    SettingsError,
    SixprimeError,
)
from sixprime.game import ParsedPosition, parse
from sixprime.game.acts import Double, Take
from sixprime.game.ogid import encode_ogid
from sixprime.game.play import format_steps, play_as_made
from sixprime.game.position import Position
from sixprime.game.record import ActionKind
from sixprime.game.state import MatchState
from sixprime.game.stepping import Entry
from sixprime.game.table import Table, problem_of
from sixprime.game.variants import variant_with
from sixprime.report.words import position_lines, xgid_of
from sixprime.web import messages as m

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from sixprime.game.record import Action, Match

_BAR = 25
_FIRST = 3, 1
"""The roll at the start."""
_SHOWN = 200
"""Positions of a text that are offered."""


def counts_of(position: Position) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Chequers of the player on roll and of the other, by points as boards on the wire have them."""
    return (0, *position.player), (0, *position.opponent)


def board_of(position: Position, state: MatchState, *, cube: bool = True, offered: int = 0) -> m.Board:
    """A position on the wire. cube: whether there is one; offered: what it will be once a double is taken."""
    mover, sides = state.on_roll, counts_of(position)
    counts = sides if mover == 0 else sides[::-1]
    shown = (offered or 2 * state.cube) if state.doubled else state.cube
    return m.Board(
        counts=counts,
        mover=mover,
        cube=shown if cube and state.cube_limit > 1 else 0,
        owner=state.cube_owner,
        dice=None if state.doubled else state.dice,
        doubled=state.doubled,
        score=state.score,
        length=state.length,
        crawford=state.crawford,
        jacoby=state.jacoby,
        beavers=min(state.beavers, 15),
        cube_limit=min(state.cube_limit, 1 << 15),
        chequers=position.chequers,
    )


def parsed_of(board: m.Board) -> ParsedPosition:
    """What a board on the wire stands for. Raises SettingsError, InvalidPositionError for what cannot be."""
    mine, theirs = board.counts[board.mover], board.counts[1 - board.mover]
    position = Position(tuple(theirs[1:]), tuple(mine[1:]), board.chequers)
    cube, limit = max(1, board.cube), board.cube_limit if board.cube else 1
    if board.doubled:
        cube = max(1, cube // 2)
    state = MatchState(
        length=board.length,
        score=board.score,
        cube=cube,
        cube_owner=board.owner,
        on_roll=board.mover,
        crawford=board.crawford,
        jacoby=board.jacoby,
        beavers=board.beavers,
        dice=None if board.doubled else board.dice,
        doubled=board.doubled,
        cube_limit=limit,
    )
    return ParsedPosition(position, state, state.dice)


def read(asked: m.PositionAsked) -> m.Read:
    """The position that is asked for, with all that is known of it. Raises InvalidIdError, as `parsed_of` does."""
    if asked.board is not None:
        return told_of(parsed_of(asked.board))
    if asked.start:
        start = Position.start(variant_with(asked.chequers) or "standard")
        return told_of(ParsedPosition(start, MatchState(dice=_FIRST), _FIRST))
    try:
        return told_of(parse(asked.text, chequers=asked.chequers), every_of(asked.text, asked.chequers))
    except InvalidIdError as error:
        found = _of_file(asked.text)
        if not found:
            raise error from None
        return told_of(found[0], _every(found))


def every_of(text: str, chequers: int = 15) -> tuple[str, ...]:
    """XGIDs of the positions that a text shows, in its order, at most `_SHOWN`; none where there is but one."""
    from sixprime.game.board_text import find_positions

    try:
        found = find_positions(text, chequers)[0]
    except SixprimeError:
        return ()
    return _every([ParsedPosition(each.position, each.state, each.state.dice) for each in found])


def _every(found: Iterable[ParsedPosition]) -> tuple[str, ...]:
    shown = [xgid_of(each.position, each.state) for each in found]
    every = tuple(dict.fromkeys(filter(None, shown)))[:_SHOWN]
    return every if len(every) > 1 else ()


def _of_file(text: str) -> list[ParsedPosition]:
    """The positions that a text in the format of a position file holds, none for any other text."""
    from sixprime.formats import read_all_text

    try:
        return positions_of(read_all_text(text))
    except (InvalidFileError, SettingsError):
        return []


def positions_of(matches: Sequence[Match]) -> list[ParsedPosition]:
    """The positions that a file holds instead of matches; none where a game was played in it."""
    games = [game for match in matches for game in match.games]
    alone = [game.actions[0] for game in games if [action.kind for action in game.actions] == [ActionKind.SET]]
    return [alone_of(action) for action in alone] if len(alone) == len(games) else []


def shown_of(matches: Sequence[Match]) -> m.Reported | None:
    """What is told of a file that holds positions instead of matches; None for any other file."""
    found = positions_of(matches)
    if not found or not (xgid := told_of(found[0]).xgid):
        return None
    return m.Reported("ready", "", 0, 0, "", xgid=xgid, every=_every(found), chequers=found[0].position.chequers)


def alone_of(action: Action) -> ParsedPosition:
    """What the one action of a match that is no more than a position says."""
    dice = action.dice if action.dice is not None else action.state.dice
    state = action.state if dice is None else action.state.with_dice(dice)
    return ParsedPosition(action.position, state, dice)


def after(asked: m.AfterAsked) -> m.Read:
    """What comes of a position. Raises RulesError, InvalidPlayError, IllegalPlayError, as `parsed_of` does."""
    found = parsed_of(asked.board)
    table = Table.from_position(found.position, found.state)
    player = table.turn or 0
    match asked.do:
        case "play":
            table = table.apply(table.move(asked.play))
        case "double":
            table = table.apply(Double(player))
        case "take":
            table = table.apply(Take(player))
    if table.game.winner is not None:
        raise RulesError("The game is over with that.")
    return told_of(ParsedPosition(table.position, table.state, table.state.dice))


def told_of(found: ParsedPosition, every: tuple[str, ...] = ()) -> m.Read:
    """All that is known of a position. every: as in `Read`."""
    position, state, dice = found
    problem = problem_of(position, state)
    return m.Read(
        board=board_of(position, state),
        xgid=xgid_of(position, state),
        gnubg_id=_written(lambda: found.gnubg_id),
        ogid=_written(lambda: f"OGID={encode_ogid(position, state)}"),
        pips=position.pips,
        problems=(problem[:1].upper() + problem[1:],) if problem else (),
        plays=0 if problem or dice is None else len(position.plays(dice)),
        words=" ".join(position_lines(position, "On roll", "Opponent")),
        every=every,
    )


def _written(write: Callable[[], str]) -> str:
    """An ID; "" where it cannot hold the position."""
    try:
        return write()
    except (SixprimeError, ValueError):
        return ""


# Plays that are being made


def entered(entry: Entry) -> m.Entered:
    """A play that is being made, on the wire."""
    # The first die of each, so that the same dice are taken when it is done again.
    moves = tuple(m.Stepped(way[0][1].start, way[-1][1].end, way[0][0]) for way in entry.moves)
    swapped = entry.swapped()
    sources = []
    for point in entry.starts:
        ends = entry.targets(point)
        sources.append(m.Source(point, tuple(ends), _by_first(entry, point), _by_first(swapped, point)))
    return m.Entered(
        dice=entry.dice,
        moves=moves,
        counts=counts_of(entry.now),
        sources=tuple(sources),
        left=entry.left,
        done=entry.done,
        play=format_steps(entry.steps),
        used=tuple(used for _, used in entry.thrown),
    )


def _by_first(entry: Entry, point: int) -> int | None:
    """Where a chequer goes by one die, the first one if it can."""
    ways = entry.targets(point)
    return next((way[0][1].end for way in ways.values() if len(way) == 1), None)


def entry_of(position: Position, asked: m.EntryAsked, dice: tuple[int, int]) -> Entry:
    """The play that is being made, after what is to be done to it.

    dice: that were thrown; those asked for say which comes first. Raises IllegalPlayError, InvalidPlayError.
    """
    wanted = asked.dice if sorted(asked.dice) == sorted(dice) else dice
    entry = Entry.of(position, wanted)
    for moved in asked.moves:
        order = wanted if moved.first == wanted[0] else wanted[::-1]
        entry = replace(replace(entry, dice=order).move(moved.start, moved.end), dice=wanted)
    if asked.do == "move":
        return entry.move(asked.start if asked.start is not None else -1, asked.end)
    if asked.do == "swap":
        return entry.swapped()
    if asked.do == "back":
        return entry.back()
    if asked.do == "text":
        typed = Entry.typed(asked.text, position, wanted)
        return typed if typed.done or not entry.moves or entry.done else entry.further(asked.text)
    return entry


def entered_as_made(position: Position, asked: m.EntryAsked) -> m.Entered:
    """A play that is being made, or was made against the rules where that is asked for. Raises as `entry_of`."""
    try:
        return entered(entry_of(position, asked, asked.dice))
    except IllegalPlayError as error:
        if asked.do != "text" or not asked.anyway:
            raise
        try:
            play = play_as_made(asked.text, position)
        except (IllegalPlayError, InvalidPlayError) as reason:
            raise IllegalPlayError(f"{error}; nor can it be kept as it was made: {reason}") from None
        dice = asked.dice if asked.dice[0] != asked.dice[1] else asked.dice * 2
        return m.Entered(
            dice=asked.dice,
            moves=(),
            counts=counts_of(play.result.swapped()),
            sources=(),
            left=(),
            done=True,
            play=str(play),
            used=(True,) * len(dice),
            illegal=str(error),
        )


def first_entry(table: Table) -> Entry | None:
    """The play of a table of which nothing is made yet, the larger die first; None where there are no dice."""
    dice = table.state.dice
    if dice is None:
        return None
    return Entry.of(table.position, (max(dice), min(dice)))
