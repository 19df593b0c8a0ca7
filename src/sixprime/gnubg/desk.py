"""An `Interpreter` as the host of the module."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from sixprime.analysis.kept import kept_analysis
from sixprime.analysis.model import AnalysedMatch
from sixprime.command import Interpreter, Options
from sixprime.command.answers.standing import ended, turned
from sixprime.command.call import Call
from sixprime.command.engines import engine, move_filter, table
from sixprime.command.marks import thresholds
from sixprime.command.options import Eval, changed
from sixprime.command.run_of_play import throw
from sixprime.command.tree import ROOT
from sixprime.command.words import Words
from sixprime.cube.met import MatchEquityTable
from sixprime.engine import Engine
from sixprime.engine.filters import MoveFilter
from sixprime.errors import RulesError
from sixprime.game.position import Position
from sixprime.game.record import Match
from sixprime.game.state import MatchState
from sixprime.gnubg.console import Python


class Output:
    """Passes texts on, but for the time in which somebody catches them."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell

    def __call__(self, text: str) -> None:
        self._tell(text)

    @contextmanager
    def caught(self) -> Iterator[list[str]]:
        """A list that gets the texts until the end of the block."""
        before, found = self._tell, list[str]()
        self._tell = found.append
        try:
            yield found
        finally:
            self._tell = before


def interpreter(
    out: Callable[[str], None],
    err: Callable[[str], None],
    *,
    options: Options | None = None,
    asking: Callable[[str], str] | None = None,
    reading: Callable[[str], str] | None = None,
    exits: bool = False,
) -> Interpreter:
    """An interpreter with Python, whose scripts play its game.

    reading, exits: see `console.Python`; the rest as for `Interpreter`.
    """
    output = Output(out)
    made = Interpreter(output, err, options=options, asking=asking)
    made.python = Python(Desk(made, output), output, err, reading, exits)
    return made


class Desk:
    """The host that an interpreter is. output: where the interpreter writes to."""

    def __init__(self, shell: Interpreter, output: Output) -> None:
        self._shell, self._output = shell, output

    def situation(self) -> tuple[Position, MatchState] | None:
        table, live = self._shell.state.table, self._shell.state.live
        return None if table is None else (table.position, turned(ended(table, live=live)))

    def match(self) -> Match | None:
        return self._shell.state.match

    def analysed(self) -> AnalysedMatch | None:
        match = self._shell.state.match
        if match is None:
            return None
        return kept_analysis(match, met=self.met(), thresholds=thresholds(self._shell.state.options))

    def met(self) -> MatchEquityTable:
        return table(self._shell.state.options)

    def analysis_context(self) -> dict[str, Any]:
        return _context(self._shell.state.options.analysis.chequer.evaluation)

    def context(self, cube: bool) -> dict[str, Any]:
        evaluation = self._shell.state.options.in_use
        return _context((evaluation.cube if cube else evaluation.chequer).evaluation)

    def errorless(self) -> float:
        return self._shell.state.options.ratingoffset

    def jacoby(self) -> bool:
        table = self._shell.state.table
        return self._shell.state.options.jacoby if table is None else table.state.jacoby

    def rollout(self) -> dict[str, Any]:
        rollout = self._shell.state.options.rollout
        return {
            "cubeful": int(rollout.cubeful),
            "variance-reduction": int(rollout.varredn),
            "initial-position": int(rollout.initial),
            "quasi-random-dice": int(rollout.quasirandom),
            "late-eval": int(rollout.later),
            "truncated-rollouts": int(rollout.truncation),
            "n-truncation": rollout.truncation_plies,
            "truncate-bearoff2": int(rollout.bearoff_exact),
            "truncate-bearoffOS": int(rollout.bearoff_onesided),
            "stop-on-std": int(rollout.limit),
            "trials": rollout.trials,
            "seed": rollout.rng.seed or 0,
            "minimum-games": rollout.limit_minimum,
            "stop-on-jsd": int(rollout.jsd),
            "late-on-move-n": rollout.later_plies,
            "minimum-jsd-games": rollout.jsd_minimum,
            "std-limit": rollout.limit_maxerror,
            "jsd-limit": rollout.jsd_limit,
        }

    def filter(self) -> MoveFilter:
        return move_filter(self._shell.state.options.in_use.filter, "hint")

    def engine(self, context: dict[str, Any]) -> Engine | None:
        plies, noise, deterministic = context["plies"], context["noise"], bool(context["deterministic"])
        settings = Eval(plies, bool(context["prune"]), True, noise, deterministic)
        return engine(Call(self._shell, ROOT, Words("")), settings, self._shell.state.options.in_use.filter)

    def set_filter(self, moves: MoveFilter) -> None:
        depths = tuple(tuple((each.accept, each.extra, each.threshold) for each in levels) for levels in moves.depths)
        state = self._shell.state
        self._shell.state = replace(state, options=changed(state.options, "evaluation.filter", depths))

    def throw(self) -> tuple[int, int]:
        return throw(Call(self._shell, ROOT, Words("")))

    def run(self, line: str) -> None:
        # What a program says is no line of the file of commands that the program may stand in.
        depth, self._shell.depth = self._shell.depth, 0
        try:
            self._shell.run(line)
        finally:
            self._shell.depth = depth

    def answer(self, line: str) -> str:
        with self._output.caught() as said:
            self._shell.run(line)
        return "".join(said)

    def navigate(self, games: int | None, records: int | None) -> tuple[int, int] | None:
        state = self._shell.state
        if state.match is None or not state.match.games:
            raise RulesError("no match to go through")
        game, at = state.game, state.at
        if games is None and records is None:
            wanted, there, action, place = 0, 0, 0, 0
        else:
            wanted = game + (games or 0)
            there = min(max(wanted, 0), len(state.match.games) - 1)
            action = (0 if games else at) + (records or 0)
            place = min(max(action, 0), len(state.match.games[there].actions))
        if (there, place) != (game, at):
            self._shell.state = state.gone(there, place).with_roll()
        left = action - place, wanted - there
        return left if any(left) else None

    def next_turn(self) -> None:
        state = self._shell.state
        turn = state.table.turn if state.table is not None and state.playing else None
        if turn is not None and state.options.players[turn].type != "human":
            self._shell.run("play")


def _context(evaluation: Eval) -> dict[str, Any]:
    return {
        "cubeful": int(evaluation.cubeful),
        "plies": evaluation.plies,
        "deterministic": int(evaluation.deterministic),
        "prune": int(evaluation.prune),
        "noise": evaluation.noise,
    }
