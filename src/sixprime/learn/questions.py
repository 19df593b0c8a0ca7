"""Questions: one decision with what it should have been, and what an answer loses.

A question is seen by the player who decides on a play or a double; for a take the position is the doubler's, as in
`Decision`. Losses are equity (EMG in match play), >= 0, those of the analysis the question was made of.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePath
from typing import TYPE_CHECKING

from sixprime.analysis import judge
from sixprime.analysis.model import AnalysedMatch, Decision, DecisionKind, Phase, Plan
from sixprime.analysis.thresholds import DEFAULT_THRESHOLDS, Skill, Thresholds
from sixprime.checks import TEXT, Instance, Maybe, Real, refuse
from sixprime.engine.judge import PlayRequest
from sixprime.engine.results import CubeAnalysis, PlayAnalysis
from sixprime.errors import InvalidPlayError, SettingsError
from sixprime.game.play import Play, parse_play
from sixprime.game.position import Position
from sixprime.game.record import ActionKind
from sixprime.game.state import MatchState
from sixprime.learn.openings import BookRoll, OpeningBook

if TYPE_CHECKING:
    from sixprime.engine import Engine

SMALL = 0.005
"""A loss that a person need not see: below it a play counts as found."""
_SAME = 1e-6
_THRESHOLDS = Instance(Thresholds)


class Topic(StrEnum):
    """Where a question comes from."""

    ERROR = "error"
    OPENING = "opening"
    REPLY = "reply"


@dataclass(frozen=True, slots=True)
class Question:
    """A decision to be made again.

    plays: the candidates best first, for a play; cube: the cube decision, for a double or a take. chosen: what was done
    in the game, empty for a question of the book and for a position without a game. source: where it comes from, in
    words. phase, plan: as in `Decision`, None for questions of the book.
    """

    topic: Topic
    kind: DecisionKind
    position: Position
    state: MatchState
    dice: tuple[int, int] | None
    plays: tuple[PlayAnalysis, ...]
    cube: CubeAnalysis | None
    chosen: str
    source: str
    phase: Phase | None = None
    plan: Plan | None = None

    @property
    def id(self) -> str:
        """16 hexadecimal digits that depend on what is asked alone, whoever of the two players decides."""
        state, mine = self.state, self.state.on_roll
        owner = None if state.cube_owner is None else state.cube_owner == mine
        seen = (
            (self.kind.value, self.position.opponent, self.position.player, self.position.chequers),
            self.dice and (max(self.dice), min(self.dice)),
            (state.length, state.score[mine], state.score[1 - mine], state.crawford, state.jacoby, state.beavers > 0),
            (state.cube, owner, state.cube_limit),
        )
        return hashlib.sha256(repr(seen).encode()).hexdigest()[:16]

    @property
    def choices(self) -> tuple[tuple[str, float], ...]:
        """What can be answered and what it loses, best first; of plays, those that were looked at."""
        if self.kind is DecisionKind.PLAY or self.cube is None:
            return tuple((str(each.play), each.equity_loss) for each in self.plays)
        cube = self.cube
        if self.kind is DecisionKind.DOUBLE:
            double = "Double" if self.state.cube_owner is None else "Redouble"
            found = [
                (double, judge.double_error(cube, True)),
                (f"No {double.lower()}", judge.double_error(cube, False)),
            ]
        else:
            answer = judge.Answer(cube)
            found = [("Take", answer.error(ActionKind.TAKE)), ("Pass", answer.error(ActionKind.DROP))]
            if self.state.beavers > 0:
                found.append(("Beaver", answer.error(ActionKind.BEAVER)))
        return tuple(sorted(found, key=lambda choice: choice[1]))

    @property
    def best(self) -> str:
        """The right answer."""
        return self.choices[0][0]

    @property
    def missed(self) -> str:
        """The kind of error made in the game: "play", "missed double", "wrong double", "wrong take", "wrong pass",
        "missed beaver"; "" where nothing was done."""
        if not self.chosen:
            return ""
        if self.kind is DecisionKind.PLAY:
            return "play"
        if self.kind is DecisionKind.DOUBLE:
            return "missed double" if self.chosen.startswith("No") else "wrong double"
        if self.chosen == "Pass":
            return "wrong pass"
        return "missed beaver" if (self.chosen, self.best) == ("Take", "Beaver") else "wrong take"

    def read(self, text: str) -> Play | str:
        """The play, or the name of the choice, that a person's answer means.

        Raises InvalidPlayError for what cannot be read, IllegalPlayError for a play against the rules.
        """
        TEXT("text", text)
        if self.kind is DecisionKind.PLAY:
            assert self.dice is not None
            return parse_play(text, self.position, self.dice)
        word = " ".join(text.lower().split())
        found = {name for short, name in self._words() if word and (word == short or word == name.lower())}
        if len(found) != 1:
            names = {name: short for short, name in self._words() if len(short) == 1}
            each = ", ".join(f"{short} ({name.lower()})" for name, short in names.items())
            raise InvalidPlayError(f"{text[:20]!r} is no answer here: {each}")
        return found.pop()

    def _words(self) -> Iterator[tuple[str, str]]:
        """Short words for the choices."""
        for name, _ in self.choices:
            yield name[0].lower(), name
            if name == "Pass":
                yield "drop", name
            if name.startswith("No"):
                yield "roll", name
            if name == "No redouble":
                yield "no double", name
            if name == "Redouble":
                yield "double", name
                yield "d", name


@dataclass(frozen=True, slots=True)
class Answer:
    """What an answer is worth. text: as it is written. loss: equity lost; known: else it loses at least so much, since
    the play is none of those looked at. given: else the person gave up, and the loss is none of his."""

    question: Question
    text: str
    loss: float
    known: bool = True
    given: bool = True

    @property
    def found(self) -> bool:
        """Whether it is the best one, or as good to a person."""
        return self.given and self.loss < SMALL

    def skill(self, thresholds: Thresholds = DEFAULT_THRESHOLDS) -> Skill:
        """The mark of what it loses. Raises SettingsError."""
        _THRESHOLDS("thresholds", thresholds)
        return thresholds.skill(self.loss)


Judge = Callable[[Question, Play], float]
"""What a play loses that is none of the candidates of its question."""


def answer(question: Question, text: str, judge: Judge | None = None) -> Answer:
    """Marks a person's answer; judge: asked about other plays than the candidates. Raises as `Question.read`, and
    SettingsError for what is no question."""
    Instance(Question)("question", question)
    given = question.read(text)
    if isinstance(given, str):
        return Answer(question, given, dict(question.choices)[given])
    for candidate in question.plays:
        if candidate.play == given:
            return Answer(question, str(candidate.play), candidate.equity_loss)
    # What was played is a candidate however bad it is.
    worst = max((each.equity_loss for each in question.plays if str(each.play) != question.chosen), default=0.0)
    if judge is None:
        return Answer(question, str(given), worst, known=False)
    # The candidates may have been judged deeper: behind all of them it stays.
    return Answer(question, str(given), max(worst, judge(question, given)))


def no_answer(question: Question) -> Answer:
    """For who gives up: nothing lost, nothing found."""
    return Answer(question, "", 0.0, given=False)


def judge_by(engine: Engine) -> Judge:
    """A judge of plays that are no candidates: what they lose by the engine's search."""

    def judge(question: Question, play: Play) -> float:
        assert question.dice is not None
        request = PlayRequest(question.position, question.dice, question.state.with_dice(None), play)
        [ranked] = engine.rank_plays_many([request], count=1)
        return next(each.equity_loss for each in ranked if each.play == play)

    return judge


def of_decision(decision: Decision, source: str = "") -> Question:
    """The question that a judged decision asks. Raises SettingsError for what is none."""
    Instance(Decision)("decision", decision)
    state = decision.state.with_dice(None) if decision.kind is not DecisionKind.PLAY else decision.state
    return Question(
        topic=Topic.ERROR,
        kind=decision.kind,
        position=decision.position,
        state=state,
        dice=decision.dice,
        plays=decision.plays,
        cube=decision.cube,
        chosen=decision.chosen,
        source=source,
        phase=decision.phase,
        plan=decision.plan,
    )


def other_stakes(decision: Decision, question: Question) -> bool:
    """Whether what was done cost something else than the question would say, as answers to a beaver do."""
    if decision.kind is DecisionKind.PLAY or not decision.chosen:
        return False
    lost = dict(question.choices).get(decision.chosen)
    return lost is None or abs(lost - decision.error) >= _SAME


def errors_of(
    analysed: AnalysedMatch, player: str | None = None, *, least: float | None = None, name: str = ""
) -> list[Question]:
    """The errors of a match as questions, worst first.

    player: the name of one of the players, None for both. least: the smallest loss; by default where marks begin. name:
    what the match is called in `source`, by default its file. Answers to a beaver are left out. Raises SettingsError
    for a player who did not play, and for a loss below 0.
    """
    Instance(AnalysedMatch)("analysed", analysed)
    Maybe(TEXT)("player", player)
    Maybe(Real(0, 1e6))("least", least)
    TEXT("name", name)
    match = analysed.match
    wanted = _side(analysed, player)
    limit = analysed.thresholds.doubtful if least is None else least
    found = [
        decision
        for decision in analysed.decisions
        if decision.player in wanted and decision.counted and decision.error >= max(limit, SMALL)
    ]
    questions = []
    for decision in sorted(found, key=lambda decision: -decision.error):
        game = match.games[decision.game].number
        where = f"{name or PurePath(match.source).name or 'match'}, game {game}, move {decision.move_number}"
        question = of_decision(decision, f"{where}, {match.players[decision.player].name}")
        if not other_stakes(decision, question):
            questions.append(question)
    return questions


def _side(analysed: AnalysedMatch, player: str | None) -> tuple[int, ...]:
    names = [each.name for each in analysed.match.players]
    if player is None:
        return 0, 1
    found = tuple(side for side, name in enumerate(names) if name.casefold() == player.strip().casefold())
    if not found:
        raise SettingsError(f"no player is called {player!r}; there are {names[0]!r} and {names[1]!r}")
    return found


def of_book(book: OpeningBook, topic: Topic) -> list[Question]:
    """All openings or all replies of the book as questions, in its order; `source` says what was played before.

    Raises SettingsError for what is no book, and for another topic.
    """
    Instance(OpeningBook)("book", book)
    if not isinstance(topic, str) or topic not in (Topic.OPENING, Topic.REPLY):
        refuse("topic", "Topic.OPENING or Topic.REPLY", topic)
    if topic == Topic.OPENING:
        return [_of_roll(roll, topic, "opening") for roll in book.openings]
    return [
        _of_roll(reply, topic, f"reply to {opening_roll.dice[0]}{opening_roll.dice[1]}: {opening.play}")
        for opening_roll, opening in book.answered
        for reply in book.replies_to(opening.play)
    ]


def _of_roll(roll: BookRoll, topic: Topic, source: str) -> Question:
    return Question(
        topic=topic,
        kind=DecisionKind.PLAY,
        position=roll.position,
        state=roll.state.with_dice(roll.dice),
        dice=roll.dice,
        plays=roll.plays,
        cube=None,
        chosen="",
        source=source,
    )
