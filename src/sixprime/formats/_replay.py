"""`MatchReplay`: the games of a match played one after the other by one set of rules, as a reader meets them.

It owns what goes from game to game: the score, which game is the Crawford game, and how well the rules fit.
`best_replay` tries others where they do not.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from sixprime.formats._problems import Problems
from sixprime.formats._recorder import GameRecorder
from sixprime.game.match_rules import Rules, scored
from sixprime.game.record import Game, Match, Player
from sixprime.game.state import MOST_POINTS
from sixprime.game.variants import VARIANTS

_MOST_EXPLAINED = 20  # illegal plays of which it is said what would have been legal, which takes longer


class MatchReplay:
    """The games of a match so far.

    problems: what goes against the rules. trial: it is only tried whether the rules fit, so nothing is explained.
    score: what it should be after these games. illegal: how many plays broke the rules. gammon_counted: whether a
    gammon counted against Jacoby's rule.
    """

    def __init__(self, rules: Rules, names: tuple[str, str], problems: Problems, *, trial: bool = False) -> None:
        self.rules, self.names, self.problems, self.trial = rules, names, problems, trial
        self.games: list[Game] = []
        self.score = (0, 0)
        self.illegal = 0
        self.gammon_counted = False
        self._met = 0  # games whose score was asked for
        self._crawford_over = False

    @property
    def failed(self) -> bool:
        """Whether a trial has shown that these are not the rules."""
        return self.trial and self.illegal > 0

    def start(
        self,
        number: int,
        written: tuple[int, int] | None,
        line: int | None,
        column: int = 1,
        *,
        misprints: bool = False,
    ) -> tuple[int, int]:
        """The score at which a game starts: what is written, where anything is, be it not what it should be.

        misprints: but not where the match would then be over, which the games before it did not decide.
        """
        start, score = self.score if written is None else written, self.score
        if start != score and self._met:
            self.problems(f"game {number} starts at {start[0]}-{start[1]}, not at {score[0]}-{score[1]}", line, column)
            if misprints and self.rules.over(start) and not self.rules.over(score):
                start = score
        self._met += 1
        return start

    def begin(
        self, number: int, start: tuple[int, int], *, crawford: bool | None = None, cube: int = 1
    ) -> GameRecorder:
        """The recorder of a game. crawford: None where the file does not say. cube: after automatic doubles."""
        at_point = self.rules.at_match_point(start)
        if crawford is None:
            crawford = self.rules.crawford_rule and at_point and not self._crawford_over
        self._crawford_over = self._crawford_over or at_point
        explained = 0 if self.trial else max(_MOST_EXPLAINED - self.illegal, 0)
        return GameRecorder(self.rules, self.names, number, start, crawford, self.problems, explained, cube)

    def add(self, recorder: GameRecorder, game: Game) -> None:
        """Takes the game that a recorder has finished."""
        self.games.append(game)
        self.illegal += recorder.illegal
        self.gammon_counted = self.gammon_counted or recorder.gammon_counted
        first, second = game.score if game.winner is None else scored(game.score, game.winner, game.points)
        self.score = min(first, MOST_POINTS), min(second, MOST_POINTS)  # more is in no file of real games

    def match(self, players: tuple[Player, Player], **known: Any) -> Match:
        """The match of these games. known: its other fields."""
        return replace(self.rules.match(players), games=tuple(self.games), **known)


def best_replay(
    play: Callable[[Rules, bool], MatchReplay], rules: Rules, *, variant_known: bool, jacoby_known: bool
) -> MatchReplay:
    """The replay by the rules that fit best.

    play: makes a replay by other rules, the second argument says whether it is a trial. variant_known, jacoby_known:
    whether the file says so, or it is only the usual.
    """
    best = play(rules, False)
    if best.illegal and not variant_known:
        # Not every file says which game it is; a wrong guess soon shows.
        others = (replace(rules, variant=variant) for variant in VARIANTS if variant != rules.variant)
        best = next((trial for trial in (play(other, True) for other in others) if not trial.illegal), best)
    if best.gammon_counted and not jacoby_known:
        best = play(replace(best.rules, jacoby=False), False)
    return best
