"""A game as a list of moves in two columns, as in a match file, with what was judged at each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count

from sixprime.analysis.model import AnalysedMatch, Decision, DecisionKind, GameAnalysis
from sixprime.analysis.thresholds import Skill
from sixprime.game.numbering import NO_TURNS
from sixprime.game.numbering import rows as numbers
from sixprime.game.record import Action, Game
from sixprime.report import words
from sixprime.report.phrases import say
from sixprime.report.units import EMG, Units

_Actions = list[tuple[int, Action]]
"""With their places in the game."""


@dataclass(frozen=True, slots=True)
class Badge:
    """The mark of an error: shape by kind of decision, colour and sign by size."""

    shape: str
    skill: int
    title: str
    loss: str = ""

    @property
    def sign(self) -> str:
        return words.SKILL_SIGNS[Skill(self.skill)]

    @classmethod
    def of(cls, decision: Decision, units: Units = EMG) -> Badge:
        """The mark of a decision that has one."""
        lost = words.lost_by(decision, units)
        size = lost.removeprefix("-")
        key = "badge.play" if decision.kind is DecisionKind.PLAY else "badge.cube"
        return cls(
            words.error_shape(decision),
            int(decision.skill),
            say(key, mark=words.skill_name(decision.skill), size=size),
            lost,
        )


@dataclass(frozen=True, slots=True)
class LuckMark:
    """The mark of a lucky or unlucky roll."""

    sign: str = ""
    up: bool = False
    title: str = ""


@dataclass(frozen=True, slots=True)
class Cell:
    """What one player did at one turn, and the decisions judged there.

    id: "" without any. units: of losses and luck.
    """

    player: int
    text: str
    dice: str
    action: Action
    decisions: tuple[Decision, ...]
    id: str
    units: Units = EMG

    @property
    def badges(self) -> list[Badge]:
        """Marks of the errors."""
        return [Badge.of(decision, self.units) for decision in self.decisions if decision.skill]

    @property
    def luck(self) -> LuckMark:
        """The mark of the roll."""
        for decision in self.decisions:
            if decision.luck is not None and decision.luck_mark:
                luck = words.luck_of(decision, self.units)
                title = say("luck.roll", mark=words.luck_name(decision.luck_mark), luck=luck)
                return LuckMark(words.LUCK_SIGNS[decision.luck_mark], decision.luck_mark > 0, title)
        return LuckMark()

    @property
    def kinds(self) -> str:
        """For filters: player, p for a play or c for a cube decision, and mark 0..3 of each decision that counts."""
        return " ".join(
            f"{self.player}{'p' if d.kind is DecisionKind.PLAY else 'c'}{int(d.skill)}"
            for d in self.decisions
            if d.kind is DecisionKind.PLAY or d.counted or d.skill
        )

    @property
    def loss(self) -> float:
        """What the worst decision lost, in the unit of losses."""
        return max((self.units.size(d.error, words.error_mwc(d)) for d in self.decisions), default=0.0)


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the list. number: 0 for what is no turn. sides: what each player did."""

    number: int
    sides: tuple[tuple[Cell, ...], tuple[Cell, ...]]

    @property
    def cells(self) -> tuple[Cell, ...]:
        """All cells in order."""
        return (*self.sides[0], *self.sides[1])


def move_lists(analysed: AnalysedMatch, units: Units = EMG) -> list[list[Row]]:
    """The rows of every game; cells with decisions are named a0, a1, ... through the match. units: of losses, luck."""
    serial = count()
    lists = []
    for index, game in enumerate(analysed.match.games):
        judged = _by_action(analysed.games[index]) if index < len(analysed.games) else {}
        lists.append(
            [
                Row(number, (_cells(sides[0], judged, serial, units), _cells(sides[1], judged, serial, units)))
                for number, sides in _rows(game)
            ]
        )
    return lists


def _by_action(game: GameAnalysis) -> dict[int, list[Decision]]:
    judged: dict[int, list[Decision]] = {}
    for decision in game.decisions:
        judged.setdefault(decision.action, []).append(decision)
    return judged


def _rows(game: Game) -> list[tuple[int, tuple[_Actions, _Actions]]]:
    """Numbers of rows and the actions of both players: a row ends when a player would act twice in it."""
    rows: list[tuple[int, tuple[_Actions, _Actions]]] = []
    last, fresh = 0, True
    for (index, action), number in zip(enumerate(game.actions), numbers(game.actions), strict=True):
        if action.kind in NO_TURNS:
            rows.append((0, ([], [])))
            rows[-1][1][action.player].append((index, action))
            fresh = True
            continue
        if fresh or number != last:
            rows.append((number, ([], [])))
        rows[-1][1][action.player].append((index, action))
        last, fresh = number, False
    return rows


def _cells(
    actions: _Actions, judged: dict[int, list[Decision]], serial: Iterator[int], units: Units
) -> tuple[Cell, ...]:
    return tuple(
        Cell(
            action.player,
            words.action_text(action),
            words.dice_text(action.dice),
            action,
            tuple(judged.get(index, ())),
            f"a{next(serial)}" if index in judged else "",
            units,
        )
        for index, action in actions
    )
