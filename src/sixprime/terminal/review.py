"""An analysed match to be gone through, decision by decision, without a terminal: shows what a `Presenter` does."""

from __future__ import annotations

from bisect import bisect_right

from sixprime.analysis.model import AnalysedMatch, Decision, DecisionKind
from sixprime.cube.values import Unit
from sixprime.errors import RulesError
from sixprime.game.play import parse_steps
from sixprime.game.position import Position
from sixprime.game.record import ActionKind
from sixprime.play.wording import chances_text
from sixprime.report import words
from sixprime.terminal.board import Shown, place_of
from sixprime.terminal.scene import Choice, Leave, Look, Row, command_among, rows_of

HELP = (
    "left, right: the decision before, the next one; Home, End: the first, the last",
    "n or down: the next error; p or up: the error before",
    "]: the next game; [: the beginning of this game, or the game before",
    "A number and Enter go to that decision, a click on a move or on the curve to that one.",
    "",
    "* is what was played; ?! is doubtful, ? bad, ?? very bad. Of a play: equity, what is lost by it, and in percent "
    "games, gammons and backgammons that are won, and those that are lost.",
    "",
    "T: light or dark; X: bear off to the other side; C: the other chequers; q or Escape leaves.",
    "r: after a match, another one with the same settings.",
)
_PLAYS = 5
"""Plays that are listed of a decision."""


class Review:
    """The decisions of a match, one of which is looked at. played: whether it has just been played here, to its end."""

    def __init__(self, analysed: AnalysedMatch, look: Look, *, played: bool = False) -> None:
        self.analysed, self.look, self.played = analysed, look, played
        self.again = False
        """Whether another match as the one that was played here is wanted."""
        self.decisions = analysed.decisions
        self.at = next((number for number, each in enumerate(self.decisions) if each.skill), 0)
        self.problem = ""

    # What there is to see

    @property
    def decision(self) -> Decision | None:
        """The decision that is looked at; None in a match without any."""
        return self.decisions[self.at] if self.decisions else None

    @property
    def names(self) -> tuple[str, str]:
        """The players."""
        return words.names(self.analysed.match)

    @property
    def headline(self) -> str:
        """Match, game and place."""
        match = self.analysed.match
        decision = self.decision
        if decision is None:
            return f"Review: {words.length_text(match)}, nothing was decided"
        game = match.games[decision.game]
        place = f"decision {self.at + 1} of {len(self.decisions)}"
        return f"Review: {words.length_text(match)}, game {game.number}, {place}"

    @property
    def scores(self) -> tuple[int, int]:
        """Points of both players when the decision was made."""
        decision = self.decision
        return words.final_score(self.analysed.match) if decision is None else decision.state.score

    @property
    def pips(self) -> tuple[int, int]:
        """Pip counts of both players."""
        decision = self.decision
        if decision is None:
            return (0, 0)
        mine, theirs = decision.position.pips
        return (theirs, mine) if words.mover(decision) else (mine, theirs)

    @property
    def length(self) -> int:
        """Points of the match, 0 for money."""
        return self.analysed.match.length

    @property
    def turn(self) -> int | None:
        """Who decides."""
        return None if self.decision is None else self.decision.player

    def remark(self, player: int) -> str:
        """What stands beside the name of a player: how well he played."""
        statistics = self.analysed.statistics[player]
        return f"PR {statistics.pr:.1f}" if statistics.decisions else ""

    def shown(self) -> Shown:
        """The board before the decision, with what was played."""
        decision, look = self.decision, self.look
        if decision is None:
            return Shown(Position.start(self.analysed.match.variant), look.light, look.left)
        mover, state = words.mover(decision), decision.state
        top = mover != look.bottom
        steps = parse_steps(decision.chosen) if decision.kind is DecisionKind.PLAY and decision.chosen else []
        starts = {place_of(step.start, top=top) for step in steps}
        ends = {place_of(step.end, top=top) for step in steps}
        offered = decision.kind is DecisionKind.TAKE
        return Shown(
            position=decision.position.swapped() if top else decision.position,
            light=look.light,
            left=look.left,
            dice=() if decision.dice is None else tuple((die, False) for die in sorted(decision.dice, reverse=True)),
            dice_top=top,
            cube=0 if state.cube_limit == 1 or self.length == 1 else state.cube * (2 if offered else 1),
            cube_at=state.owner_for(look.bottom),
            offered=offered,
            starts=starts,
            gone=starts - ends,
            targets=ends,
        )

    @property
    def rows(self) -> list[Row]:
        """The moves of the game, with marks, and which of them is looked at."""
        decision = self.decision
        if decision is None:
            return []
        marks: dict[int, int] = {}
        places: dict[int, int] = {}
        for number, each in enumerate(self.decisions):
            if each.game == decision.game:
                marks[each.action] = max(each.skill, marks.get(each.action, 0))
                places.setdefault(each.action, number)
        actions = self.analysed.match.games[decision.game].actions
        return rows_of(actions, marks, current=decision.action, places=places)

    @property
    def lines(self) -> list[str]:
        """What there is to say about the decision."""
        decision = self.decision
        if decision is None:
            return []
        dice = f"{words.dice_text(decision.dice)} " if decision.dice else ""
        chosen = words.play_text(decision.chosen)
        if decision.kind is DecisionKind.PLAY:
            verdict = words.play_verdict(decision)
            if self.analysed.match.games[decision.game].actions[decision.action].kind is ActionKind.ROLL:
                chosen = "not played"
        else:
            verdict = words.cube_verdict(decision)
        lines = [f"{dice}{chosen}: {verdict}"]
        if decision.luck is not None and (mark := words.LUCK_NAMES[decision.luck_mark]):
            lines[0] += f"; {mark} roll ({words.signed(decision.luck, 2)})"
        if decision.plays:
            lines += self._plays(decision)
        elif decision.cube is not None:
            best = words.best_cube_row(decision.cube)
            for number, (name, equity, mwc) in enumerate(words.cube_rows(decision.cube)):
                chance = "" if mwc is None else f"  {words.percent(mwc, 2)} %"
                lines.append(f"{'*' if number == best else ' '} {name:<22} {words.signed(equity)}{chance}")
            lines.append("  " + chances_text(words.six_chances(decision.cube.probabilities)))
        return lines

    def _plays(self, decision: Decision) -> list[str]:
        """The best plays, and that which was made."""
        ranks = list(range(min(_PLAYS, len(decision.plays))))
        if decision.played is not None and decision.played not in ranks:
            ranks[-1] = decision.played
        lines = []
        for rank in ranks:
            play = decision.plays[rank]
            mark = "*" if rank == decision.played else " "
            loss = words.loss(play.equity_loss)
            chances = chances_text(words.six_chances(play.probabilities))
            name = words.play_text(str(play.play))
            lines.append(f"{mark}{rank + 1:>2} {name:<21} {words.signed(play.equity)} {loss:>7}  {chances}")
        return lines

    @property
    def graph(self) -> list[float]:
        """Of every decision what player 0 had before it, 0 to 1: match-winning chance, or points of those at stake."""
        found: list[float] = []
        for each in self.decisions:
            before = each.before
            if before is None:
                found.append(found[-1] if found else 0.5)
            elif before.unit is Unit.MWC:
                found.append(before.value)
            else:
                found.append(min(1.0, max(0.0, 0.5 + before.value / (4 * each.state.cube))))
        return found

    @property
    def prompt(self) -> str:
        """Where the keys lead, or what went wrong."""
        return self.problem or f"{words.match_outcome(self.analysed.match)}. {self.analysed.settings}"

    @property
    def choices(self) -> list[Choice]:
        """What can be done."""
        return [
            Choice("left", "back", "previous"),
            Choice("right", "on", "next"),
            Choice("n", "error", "error"),
            Choice("p", "before", "before"),
            *([Choice("r", "rematch", "rematch")] if self.played else []),
            Choice("q", "leave", "quit"),
            Choice("]", "game", "game"),
            Choice("[", "last", "last"),
            Choice("?", "help", "help"),
        ]

    # What there is to do

    def say(self, text: str) -> None:
        """Does what a line of text says; a number goes to that decision."""
        self.problem = ""
        word = text.strip().lower()
        try:
            if word.isdecimal():
                self.go(int(word) - 1)
                return
            command = command_among(word or "next", _COMMANDS)
            if command is None:
                raise RulesError(f"{text[:40]!r} says nothing here: {', '.join(_COMMANDS)}, or a number")
            _COMMANDS[command](self)
        except RulesError as error:
            self.problem = str(error)

    def go(self, number: int) -> None:
        """To the decision with that number, from 0; to the first or last where there is none."""
        self.at = max(0, min(number, len(self.decisions) - 1))

    def error(self, step: int) -> None:
        """To the next decision with a mark, or the one before."""
        ahead = range(self.at + step, len(self.decisions) if step > 0 else -1, step)
        found = next((number for number in ahead if self.decisions[number].skill), None)
        if found is None:
            raise RulesError("no more errors that way" if self.decisions else "nothing was decided")
        self.go(found)

    def game(self, step: int) -> None:
        """To the first decision of the next game, or of this one, or of the one before."""
        firsts: list[int] = []
        for number, each in enumerate(self.decisions):
            if not firsts or self.decisions[firsts[-1]].game != each.game:
                firsts.append(number)
        if firsts:
            now = bisect_right(firsts, self.at) - 1
            back = step < 0 and self.at != firsts[now]
            self.go(firsts[max(0, min(now + (0 if back else step), len(firsts) - 1))])


def _leave(review: Review) -> None:
    raise Leave


def _rematch(review: Review) -> None:
    if not review.played:
        raise RulesError("a rematch comes after a match that was played here")
    review.again = True
    raise Leave


_COMMANDS = {
    "next": lambda review: review.go(review.at + 1),
    "previous": lambda review: review.go(review.at - 1),
    "error": lambda review: review.error(1),
    "before": lambda review: review.error(-1),
    "game": lambda review: review.game(1),
    "last": lambda review: review.game(-1),
    "first": lambda review: review.go(0),
    "end": lambda review: review.go(len(review.decisions) - 1),
    "rematch": _rematch,
    "quit": _leave,
}
