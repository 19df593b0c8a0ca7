"""How long the players think, and what is written of it into the record of a match."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sixprime.checks import FLAG, Fields, Maybe, Real
from sixprime.game.record import Action, Match

if TYPE_CHECKING:
    from sixprime.play.session import Step


@dataclass(frozen=True, slots=True)
class Clock:
    """Times the players.

    reserve: seconds of each player for the whole match, None: no limit. delay: seconds of every turn that are free.
    loses: whether who has used his time up loses the match; otherwise the times are shown and recorded, and no more.
    Raises `SettingsError` for values out of range.
    """

    reserve: float | None = None
    delay: float = 0.0
    loses: bool = True

    def __post_init__(self) -> None:
        _CLOCK(self)

    def used(self, steps: Sequence[Step], thinking: tuple[int, float] | None = None) -> tuple[float, float]:
        """Seconds of both players that count; thinking: who has thought since the last step, and how long.

        What a player does without the other between is one turn.
        """
        used = [0.0, 0.0]
        turn: int | None = None
        spent = 0.0
        now = [] if thinking is None else [thinking]
        for player, seconds in [*_thought(steps), *now]:
            if player != turn:
                turn, spent = player, 0.0
            used[player] += max(0.0, spent + seconds - self.delay) - max(0.0, spent - self.delay)
            spent += seconds
        return used[0], used[1]

    def left(self, used: tuple[float, float]) -> tuple[float, float] | None:
        """Seconds that both players have left, below 0 for one who is over his time; None without a limit."""
        return None if self.reserve is None else (self.reserve - used[0], self.reserve - used[1])

    def lost(self, turn: int | None, used: tuple[float, float]) -> bool:
        """Whether the player whose turn it is has lost by his time; who is not to act does not."""
        left = self.left(used)
        return self.loses and turn is not None and left is not None and left[turn] <= 0


def _thought(steps: Sequence[Step]) -> list[tuple[int, float]]:
    return [(step.act.player, step.seconds) for step in steps if step.seconds and hasattr(step.act, "player")]


def annotated(record: Match, steps: Sequence[Step]) -> Match:
    """A record with the comments and times of the steps that led to it.

    What is said of a roll stands with its play, what is said of something that leaves no trace with what was before.
    """
    if not any(step.comment or step.seconds is not None for step in steps):
        return record
    said: dict[tuple[int, int], list[Step]] = {}
    for step in steps:
        place = step.table.game.number, len(step.table.game.actions) - 1
        said.setdefault(place, []).append(step)
    games = []
    for game in record.games:
        remarks = _joined(game.comment, said.get((game.number, -1), ()))
        actions = tuple(_with(action, said.get((game.number, i), ())) for i, action in enumerate(game.actions))
        games.append(replace(game, actions=actions, comment=remarks))
    return replace(record, games=tuple(games))


def _with(action: Action, steps: Sequence[Step]) -> Action:
    seconds = [step.seconds for step in steps if step.seconds is not None]
    return replace(
        action, comment=_joined(action.comment, steps), seconds=round(sum(seconds), 3) if seconds else action.seconds
    )


def _joined(before: str, steps: Sequence[Step]) -> str:
    return "\n".join(part for part in (before, *(step.comment for step in steps)) if part)


_CLOCK = Fields(reserve=Maybe(Real(0, 1e7, above=True)), delay=Real(0, 3600), loses=FLAG)
