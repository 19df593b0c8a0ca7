"""Games that are written down as they are played, and an engine that answers from functions: every number is known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from sixprime.analysis.drafts import Roll
from sixprime.analysis.model import AnalysedMatch, Decision, DecisionKind
from sixprime.cube import met
from sixprime.cube.fitted import DEFAULT
from sixprime.cube.state import CubeState
from sixprime.engine import PlayRequest
from sixprime.engine.results import CubeAnalysis, PlayAnalysis
from sixprime.game.outcomes import Outcomes
from sixprime.game.play import Play, parse_play
from sixprime.game.position import Position
from sixprime.game.record import Action, ActionKind, Game, Match, Player
from sixprime.game.state import MatchState
from sixprime.progress import Hook, Progress, Stop

PROBABILITIES = Outcomes(0.5, 0.1, 0.01, 0.1, 0.01)


class Recorder:
    """Writes down one game as it is played, as a reader of match files would."""

    def __init__(
        self, length: int = 7, score: tuple[int, int] = (0, 0), first: int = 0, *, crawford: bool = False
    ) -> None:
        self.state = MatchState(length=length, score=score, on_roll=first, crawford=crawford)
        self.position = Position.start()
        self.actions: list[Action] = []
        self.offering = first

    def _turn(self, player: int) -> None:
        if self.state.on_roll != player:
            self.position = self.position.swapped()
            self.state = self.state.swapped()

    def _add(self, kind: ActionKind, player: int, **more: Any) -> None:
        self._turn(player)
        self.actions.append(Action(kind, player, self.position, more.pop("state", self.state), **more))

    def move(self, player: int, dice: tuple[int, int], play: str | None = None, *, illegal: bool = False) -> None:
        """The written play, the first legal one without `play`."""
        self._turn(player)
        if play is not None:
            made = parse_play(play, self.position, dice)
        else:
            made = next(iter(self.position.plays(dice)), Play((), self.position, self.position.swapped()))
        self._add(ActionKind.MOVE, player, dice=dice, play=made, illegal=illegal, state=self.state.with_dice(dice))
        self.position, self.state = made.result, self.state.swapped()

    def roll(self, player: int, dice: tuple[int, int]) -> None:
        self._add(ActionKind.ROLL, player, dice=dice)

    def double(self, player: int) -> None:
        self._add(ActionKind.DOUBLE, player, value=2 * self.state.cube)
        self.offering = player

    def answer(self, player: int, kind: ActionKind) -> None:
        cube = self.state.cube
        self._turn(player)
        self._add(kind, player, state=replace(self.state, doubled=True))
        if kind is not ActionKind.DROP:
            cube *= 4 if kind is ActionKind.BEAVER else 2
            self.state = replace(self.state, cube=cube, cube_owner=player)
        self._turn(1 - player)

    def resign(self, player: int, points: int) -> None:
        self._add(ActionKind.RESIGN, player, value=points)

    def game(self, winner: int | None = None, points: int = 0, number: int = 1, **more: Any) -> Game:
        state = self.state
        return Game(number, state.score, state.crawford, tuple(self.actions), winner, points, **more)


def match_of(*games: Game, length: int = 7) -> Match:
    return Match((Player("Ann"), Player("Bob")), length, games, jacoby=not length, beavers=0 if length else 3)


CubeRow = tuple[float, float]
PlayRow = Sequence[tuple[Play, float]]


class FakeEngine:
    """Answers from functions: plays with equities, (no double, double take), luck."""

    def __init__(
        self,
        plays: Callable[[PlayRequest], PlayRow] | None = None,
        cube: Callable[[Position, MatchState], CubeRow] = lambda position, state: (0.4, 0.3),
        luck: Callable[[Position, tuple[int, int], MatchState], float] = lambda position, dice, state: 0.0,
    ) -> None:
        self.met = met.load()
        self.cube_model = DEFAULT
        self.fingerprint = "fake"
        self.manner, self.version = "", "@0, net 0000000000aa"
        self._plays = plays or self._in_order
        self._cube = cube
        self._luck = luck
        self.calls: list[str] = []
        self.plies: set[tuple[int, str]] = set()

    @property
    def identity(self) -> str:
        """As that of an engine."""
        return self.fingerprint

    @staticmethod
    def _in_order(request: PlayRequest) -> PlayRow:
        """Each further play is worth 0.05 less."""
        plays = request.position.plays(request.dice)
        if not plays:
            return [(Play((), request.position, request.position.swapped()), 0.0)]
        return [(play, -0.05 * place) for place, play in enumerate(plays)]

    def rank_plays_many(
        self,
        requests: Sequence[PlayRequest],
        *,
        plies: int,
        filter: str,
        search_forced: bool,
        progress: Hook | None,
        stop: Stop | None,
    ) -> list[list[PlayAnalysis]]:
        self.calls.append("plays")
        self.plies.add((plies, filter))
        if progress:
            progress(Progress(1, 2))
        answers = []
        for request in requests:
            row = self._plays(request)
            best = row[0][1]
            answers.append(
                [PlayAnalysis(p, PROBABILITIES, eq, best - eq, eq, None, plies) for p, eq in row]
            )  # fmt: skip
            if request.must_include:
                assert request.must_include.result in [play.result for play, _ in row]
        return answers

    def cube_many(
        self,
        requests: Sequence[tuple[Position, MatchState]],
        *,
        plies: int,
        progress: Hook | None,
        stop: Stop | None,
    ) -> list[CubeAnalysis]:
        self.calls.append("cubes")
        return [self._decide(position, state, plies) for position, state in requests]

    def _decide(self, position: Position, state: MatchState, plies: int) -> CubeAnalysis:
        assert (state.dice, state.doubled) == (None, False)
        nd, dt = self._cube(position, state)
        can_double = CubeState.from_match(state).can_double
        beaver = state.money and state.beavers > 0 and -2 <= dt <= 0
        answer = min(2 * dt if beaver else dt, 1.0)
        return CubeAnalysis(
            position, state, PROBABILITIES, 0.0, nd, dt, 1.0, None, None, None, can_double, can_double and answer > nd,
            dt <= 1, beaver, nd > 1, "No double, take", plies,
        )  # fmt: skip

    def luck_many(self, requests: Sequence[Roll], *, stop: Stop | None) -> list[float]:
        self.calls.append("luck")
        return [self._luck(*request) for request in requests]


def always(no_double: float, double_take: float) -> Callable[[Position, MatchState], CubeRow]:
    return lambda position, state: (no_double, double_take)


def kinds(analysed: AnalysedMatch) -> list[tuple[str, int, int]]:
    """(kind, player, row) of every decision."""
    return [(d.kind.value, d.player, d.move_number) for d in analysed.decisions]


def only(analysed: AnalysedMatch, kind: DecisionKind) -> list[Decision]:
    return [decision for decision in analysed.decisions if decision.kind is kind]


def doubling_game(length: int = 7, answer: ActionKind = ActionKind.TAKE, **more: Any) -> Recorder:
    """Ann 31, Bob 42, Ann doubles, Bob answers and, unless he passed, Ann rolls 64, Bob 61."""
    game = Recorder(length, **more)
    game.move(0, (3, 1), "8/5 6/5")
    game.move(1, (4, 2), "8/4 6/4")
    game.double(0)
    game.answer(1, answer)
    if answer is not ActionKind.DROP:
        game.move(0, (6, 4), "24/14")
        game.move(1, (6, 1), "13/7 8/7")
    return game


def beavered_game(*answers: ActionKind) -> Recorder:
    """Ann 31, Bob doubles, Ann beavers; then Bob and Ann answer in turn."""
    game = Recorder(length=0)
    game.move(0, (3, 1))
    game.double(1)
    game.answer(0, ActionKind.BEAVER)
    offered = game.actions[-1].state
    for number, answer in enumerate(answers):
        state = replace(offered, beavered=number + 1, turn=1 - number % 2)
        game.actions.append(Action(answer, 1 - number % 2, game.position, state))
    return game
