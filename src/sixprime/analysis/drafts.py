"""The decisions of a game before they are judged, and what must be asked about them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from sixprime.analysis.model import DecisionKind
from sixprime.analysis.situations import phase_of, plan_of
from sixprime.engine import PlayRequest
from sixprime.engine.results import CubeAnalysis, PlayAnalysis
from sixprime.game.match_rules import match_over, why_no_double
from sixprime.game.numbering import rows
from sixprime.game.position import Position
from sixprime.game.record import Action, ActionKind, Game, Match
from sixprime.game.state import MatchState

Roll = tuple[Position, tuple[int, int], MatchState]
_ANSWERS = (ActionKind.TAKE, ActionKind.DROP, ActionKind.BEAVER)


@dataclass(slots=True)
class Requests:
    """What the engine is asked, gathered over all matches.

    apart: whether takes are asked about by themselves, as players are looked at to different depths.
    """

    plays: list[PlayRequest] = field(default_factory=list)
    cubes: list[tuple[Position, MatchState]] = field(default_factory=list)
    rolls: list[Roll] = field(default_factory=list)
    apart: bool = False

    @property
    def states(self) -> Iterator[MatchState]:
        """Scores and cubes of all that is asked."""
        yield from (play.state for play in self.plays)
        yield from (state for _, state in self.cubes)
        yield from (state for _, _, state in self.rolls)

    def cube(self, position: Position, state: MatchState) -> int:
        """Asks about a cube decision; its index."""
        self.cubes.append((position, state))
        return len(self.cubes) - 1

    def play(self, request: PlayRequest) -> int:
        """Asks about a play; its index."""
        self.plays.append(request)
        return len(self.plays) - 1


@dataclass(slots=True)
class Answers:
    """What came back, by index into the requests."""

    plays: dict[int, Sequence[PlayAnalysis]] = field(default_factory=dict)
    cubes: dict[int, CubeAnalysis] = field(default_factory=dict)
    luck: dict[int, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Draft:
    """A decision before it is judged.

    kind: None for a resignation. number: of the action within the game. plays, cube, roll: indices into the requests.
    before: how often both sides together have played. from_start: whether the game began at the start. beavers: how
    many beavers stand before an answer.
    """

    kind: DecisionKind | None
    number: int
    action: Action
    row: int
    before: int
    position: Position
    state: MatchState
    plays: int | None = None
    cube: int | None = None
    roll: int | None = None
    from_start: bool = True
    beavers: int = 0

    def situation(self) -> dict[str, Any]:
        """Phase and plan of the player who decides."""
        position = self.position if self.action.player == self.state.on_roll else self.position.swapped()
        phase = phase_of(position, self.before, from_start=self.from_start)
        return {"phase": phase, "plan": plan_of(position)}


def drafts_of(match: Match, game: Game, requests: Requests) -> list[Draft]:
    """The decisions of a game in order, with what must be asked about them; at the end a resignation."""
    if match_over(match.length, game.score):
        return []
    drafts: list[Draft] = []

    def draft(kind: DecisionKind | None, number: int, seen: Position, state: MatchState, **asked: Any) -> Draft:
        drafts.append(
            Draft(kind, number, game.actions[number], row, before, seen, state, from_start=from_start, **asked)
        )
        return drafts[-1]

    quiet: dict[object, MatchState] = {}

    def without_dice(state: MatchState) -> MatchState:
        """The same few states come again and again."""
        key = state.cube, state.cube_owner, state.on_roll, state.score, state.doubled, state.beavered
        if key not in quiet:
            quiet[key] = state.with_dice(None)
        return quiet[key]

    numbers = rows(game.actions)
    opening = True  # nobody has moved, so nobody may double
    offer: Draft | None = None  # the double that waits for its answer
    beavers = 0  # turned back since
    before = 0
    from_start = not game.actions or game.actions[0].position == Position.start(match.variant)
    for number, action in enumerate(game.actions):
        kind, position, row = action.kind, action.position, numbers[number]
        if kind is ActionKind.RESIGN:
            ends = number == len(game.actions) - 1 and game.winner == 1 - action.player
            if ends and not opening and not beavers and position.is_valid and position.winner is None:
                _resignation(draft, number, game, offer, requests)
            continue
        if kind is ActionKind.SET:
            opening = opening and position == Position.start(match.variant)
            offer, beavers = None, 0
            continue
        if not position.is_valid or position.winner is not None:
            offer, beavers = None, 0
            continue
        if kind is ActionKind.DOUBLE:
            state = without_dice(action.state)
            offer = draft(DecisionKind.DOUBLE, number, position, state, cube=requests.cube(position, state))
        elif kind in _ANSWERS:
            if offer is not None:
                seen, state = offer.position, offer.state
                cube = requests.cube(seen, state) if requests.apart else offer.cube
                draft(DecisionKind.TAKE, number, seen, state.offered(), cube=cube, beavers=beavers)
            beavers += 1
            if kind is not ActionKind.BEAVER:
                offer, beavers = None, 0
        elif action.dice is not None:
            state = without_dice(action.state)
            if not opening and offer is None and why_no_double(state) is None:
                draft(DecisionKind.DOUBLE, number, position, state, cube=requests.cube(position, state))
            opening, offer, beavers = False, None, 0
            plays = None
            if kind is ActionKind.MOVE:
                made = None if action.illegal else action.play
                plays = requests.play(PlayRequest(position, action.dice, state, made))
            draft(DecisionKind.PLAY, number, position, action.state, plays=plays, roll=len(requests.rolls))
            requests.rolls.append((position, action.dice, state))
            before += 1
    return drafts


def _resignation(draft: Any, number: int, game: Game, offer: Draft | None, requests: Requests) -> None:
    """Asks what was given up: the play of a roll, the answer to a double, or the game before the dice."""
    action = game.actions[number]
    before = game.actions[number - 1]
    position, state = action.position, action.state
    dice = before.dice if before.kind is ActionKind.ROLL and before.player == action.player else state.dice
    state = state.with_dice(None)
    if offer is not None:
        cube = requests.cube(offer.position, offer.state) if requests.apart else offer.cube
        draft(None, number, offer.position, offer.state.offered(), cube=cube)
    elif dice is not None:
        plays = requests.play(PlayRequest(position, dice, state))
        draft(None, number, position, state.with_dice(dice), plays=plays)
    else:
        if before.kind is ActionKind.MOVE and before.player == action.player:
            # He gave up after his own play, so that the other side was on roll.
            position, state = position.swapped(), state.swapped()
        draft(None, number, position, state, cube=requests.cube(position, state))
