"""Which records are of the same match, and which one is the beginning of another: by players, dice and plays.

What was said of a match, who is named first, case and blanks in names, and which die was thrown first are none of it:
formats differ there.
"""

from __future__ import annotations

import hashlib
from typing import NamedTuple

from sixprime.checks import TEXT
from sixprime.errors import SettingsError
from sixprime.game.record import Action, ActionKind, Game, Match

ENOUGH = 6
"""Rolls that a beginning has at least. So many are alike in two matches by chance less than once in ten million."""
SEATS = ((0, 1), (1, 0))
_Done = tuple[str, int, tuple[int, ...] | None, object, int]


class _Played(NamedTuple):
    """A game. start: score, and whether it is the Crawford game; end: winner and points."""

    start: tuple[tuple[int, ...], bool]
    end: tuple[int | None, int]
    actions: list[_Done]


def plain(name: str) -> str:
    """A name as names are compared."""
    return " ".join(name.casefold().split())


def one_line(what: str, text: str, least: int, most: int) -> str:
    """A text that the user gives something, in one line. what: "a tag". Raises SettingsError."""
    TEXT(what, text)
    text = " ".join(text.split())
    if not least <= len(text) <= most:
        raise SettingsError(f"{what} is a text of {least} to {most} characters. Got {text[:90]!r} instead.")
    if wrong := next((each for each in text if not each.isprintable()), ""):
        raise SettingsError(f"{what} is a text in UTF-8 without control characters. Got {wrong!r} in {text[:90]!r}.")
    return text


def checksum(match: Match) -> str:
    """32 hexadecimal digits that tell matches apart, and positions that belong to none."""
    if (alone := match.only_position) is not None:
        return _of_position(alone)
    return _of_games(match)


def former_checksums(match: Match) -> tuple[str, ...]:
    """Those of earlier versions, by which the match may be in the database."""
    if match.only_position is not None:
        return ()
    digest = hashlib.md5(usedforsecurity=False)
    digest.update(repr((match.length, [player.name for player in match.players])).encode())
    for game in match.games:
        digest.update(repr((game.score, game.winner, game.points, game.crawford)).encode())
        for action in game.actions:
            told = (action.kind.value, action.player, action.dice, _result_of(action), action.value)
            digest.update(repr(told).encode())
    return digest.hexdigest(), _of_games(match, spare=True)


def _of_games(match: Match, *, spare: bool = False) -> str:
    """That of a match, whoever is named first. spare: see `_played`."""
    names = [plain(player.name) for player in match.players]
    found = []
    for seats in SEATS:
        digest = hashlib.md5(usedforsecurity=False)
        digest.update(repr((match.length, [names[seat] for seat in seats])).encode())
        for (score, crawford), (winner, points), actions in _played(match, seats, spare=spare):
            digest.update(repr((score, winner, points, crawford)).encode())
            for action in actions:
                digest.update(repr(action).encode())
        found.append(digest.hexdigest())
    return min(found)


def _of_position(action: Action) -> str:
    """That of a position, by what there is to decide, whoever of the players it is."""
    position, state = action.position, action.state
    mine, dice = state.on_roll, action.dice or state.dice
    seen = (
        *(position.opponent, position.player, position.chequers, dice and (max(dice), min(dice))),
        *(state.length, state.score[mine], state.score[1 - mine], state.crawford, state.jacoby, state.beavers > 0),
        *(state.cube, None if state.cube_owner is None else state.cube_owner == mine, state.cube_limit, state.doubled),
    )
    return hashlib.md5(repr(seen).encode(), usedforsecurity=False).hexdigest()


def begins(part: Match, whole: Match, seats: tuple[int, int]) -> bool:
    """Whether a record is the beginning of another one of the same players.

    seats: in `part` of the players of `whole`. A beginning may end anywhere, after a roll that is not played yet, too.
    """
    if not part.games or (part.length, part.variant) != (whole.length, whole.variant):
        return False
    *before, last = _played(part)
    others = _played(whole, seats)
    if before != others[: len(before)] or len(before) == len(others):
        return False
    same = others[len(before)]
    if last.end[0] is not None:
        if last != same:
            return False
    else:
        if last.actions and last.actions[-1][0] == ActionKind.ROLL:
            *done, (_, who, dice, _, _) = last.actions
            rolled = same.actions[len(done) : len(done) + 1]
            if rolled and rolled[0][1:3] != (who, dice):
                return False
            last = last._replace(actions=done)
        if last.start != same.start or last.actions != same.actions[: len(last.actions)]:
            return False
    return sum(dice is not None for game in (*before, last) for _, _, dice, _, _ in game.actions) >= ENOUGH


def _played(match: Match, seats: tuple[int, int] = SEATS[0], *, spare: bool = False) -> list[_Played]:
    """What was done in every game. seats: where the players sit. spare: with the points that a match was won by beyond
    its length, which some formats leave out."""
    return [
        _Played(
            (tuple(game.score[seat] for seat in seats), game.crawford),
            (None, game.points)
            if game.winner is None
            else (seats[game.winner], game.points if spare else _needed(match, game, game.winner, game.points)),
            [
                (
                    each.kind.value,
                    seats[each.player],
                    each.dice and tuple(sorted(each.dice)),
                    _result_of(each),
                    each.value if spare or each.kind is not ActionKind.RESIGN else _level(match, game, each),
                )
                for each in game.actions
            ],
        )
        for game in match.games
    ]


def _needed(match: Match, game: Game, winner: int, points: int) -> int:
    """So many of the points as the winner needs to win the match."""
    return min(points, max(match.length - game.score[winner], 0)) if match.length else points


def _level(match: Match, game: Game, action: Action) -> int:
    """How high a player resigns: no higher than the opponent needs."""
    cube = action.state.cube
    return -(-_needed(match, game, 1 - action.player, cube * action.value) // cube)


def _result_of(action: Action) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    return None if action.play is None else (action.play.result.opponent, action.play.result.player)
