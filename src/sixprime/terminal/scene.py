"""What every scene in the terminal has, a session that is played and a match that is gone through."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from sixprime.analysis.thresholds import Skill
from sixprime.game.numbering import rows as numbers
from sixprime.game.record import Action, ActionKind
from sixprime.report import words
from sixprime.terminal.board import Shown


@dataclass(frozen=True, slots=True)
class Choice:
    """Something that can be done now. key: of the keyboard; words: as a button says it; command: what it says."""

    key: str
    words: str
    command: str


@dataclass(frozen=True, slots=True)
class Look:
    """How a person likes the board. bottom: the player who sits there; light: whether he has the light chequers;
    left: whether he bears off to the left."""

    bottom: int = 0
    light: bool = True
    left: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a list of moves. number: of the move; skill: its mark; current: it is looked at; place: the number of
    its decision, None where it is none."""

    number: int
    player: int
    text: str
    skill: Skill = Skill.NONE
    current: bool = False
    place: int | None = None


class Leave(Exception):
    """Somebody wants to leave the table."""


class Scene(Protocol):
    """What a face shows."""

    look: Look
    again: bool
    """Whether whoever leaves wants another match as the one that is over."""

    @property
    def names(self) -> tuple[str, str]:
        """The players, never the same."""

    @property
    def scores(self) -> tuple[int, int]:
        """Points of both players."""

    @property
    def length(self) -> int:
        """Points of the match, 0 for money."""

    @property
    def turn(self) -> int | None:
        """Who is to act; None: nobody."""

    @property
    def pips(self) -> tuple[int, int]:
        """Pip counts of both players."""

    @property
    def headline(self) -> str:
        """What this is."""

    @property
    def lines(self) -> list[str]:
        """What there is to read, oldest first."""

    @property
    def prompt(self) -> str:
        """What is waited for."""

    @property
    def choices(self) -> list[Choice]:
        """What can be done now, the first by Enter."""

    @property
    def rows(self) -> list[Row]:
        """The moves."""

    def remark(self, player: int) -> str:
        """What stands beside the name of a player."""

    def shown(self) -> Shown:
        """The board."""

    def say(self, text: str) -> None:
        """Does what a line of text says. Raises Leave."""


def rows_of(
    actions: Sequence[Action],
    marks: Mapping[int, int] | None = None,
    *,
    current: int | None = None,
    places: Mapping[int, int] | None = None,
) -> list[Row]:
    """The actions of a game as rows, numbered as in reports; marks, places: by the index of the action."""
    rows: list[Row] = []
    for index, (action, number) in enumerate(zip(actions, numbers(actions), strict=True)):
        dice = f"{words.dice_text(action.dice)} " if action.dice is not None else ""
        skill = Skill((marks or {}).get(index, 0))
        text = dice + ("" if action.kind is ActionKind.ROLL else words.action_text(action))
        rows.append(Row(number, action.player, text, skill, index == current, (places or {}).get(index)))
    return rows


def command_among(word: str, commands: Iterable[str]) -> str | None:
    """The command that a word, perhaps only its beginning, means: the first of those that begin so."""
    known = list(commands)
    return word if word in known else next((name for name in known if name.startswith(word)), None)
