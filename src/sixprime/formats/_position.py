"""What readers and writers of single positions share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from sixprime.errors import InvalidFileError
from sixprime.formats._format import last_action
from sixprime.game.position import Position
from sixprime.game.record import Action, ActionKind, ForeignAnalysis, Game, Match, Player, Problem
from sixprime.game.state import MatchState
from sixprime.game.variants import variant_with


def position_match(
    position: Position,
    state: MatchState,
    names: tuple[str, str],
    *,
    format: str,
    source: str = "",
    line: int | None = None,
    comment: str = "",
    analyses: tuple[ForeignAnalysis, ...] = (),
    problems: tuple[Problem, ...] = (),
) -> Match:
    """The match that is no more than a position, seen by `state.on_roll`."""
    action = Action(
        ActionKind.SET, state.decider, position, state, comment=comment, line=line, analyses=analyses
    )  # fmt: skip
    return Match(
        players=_players(names),
        length=state.length,
        games=(Game(1, state.score, state.crawford, (action,)),),
        variant=variant_with(position.chequers) or "standard",
        jacoby=state.jacoby,
        beavers=state.beavers,
        cube_limit=state.cube_limit,
        problems=problems,
        source=source,
        format=format,
    )


@lru_cache(maxsize=64)
def _players(names: tuple[str, str]) -> tuple[Player, Player]:
    """The players; those of thousands of positions in a file are the same."""
    return Player(names[0]), Player(names[1])


def decisions(matches: Sequence[Match]) -> Iterator[tuple[Match, Action]]:
    """Every decision of matches, and every position that is a match of its own."""
    for match in matches:
        alone = match.only_position
        if alone is not None:
            yield match, alone
            continue
        for game in match.games:
            for action in game.actions:
                if action.kind not in (ActionKind.SET, ActionKind.RESIGN):
                    yield match, action


def last_of(matches: Sequence[Match], title: str) -> tuple[Match, Action]:
    """The last position of the last match. Raises InvalidFileError when there is none."""
    action = last_action(matches[-1]) if matches else None
    if action is None:
        raise InvalidFileError(f"there is no position to write as {title}")
    return matches[-1], action
