"""Marks for rollout, set by hand or by words, and the rollout of what they mark."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from sixprime.analysis.again import game_again
from sixprime.analysis.kept import kept_answers
from sixprime.analysis.labels import marked, with_words
from sixprime.analysis.model import AnalysedMatch, Decision, DecisionKind
from sixprime.analysis.rollout import RolloutEngine, in_doubt, roll_out
from sixprime.analysis.statistics import totals
from sixprime.analysis.thresholds import Skill
from sixprime.checks import TEXT
from sixprime.cube.met import MatchEquityTable
from sixprime.engine.rollout_settings import RolloutSettings
from sixprime.errors import SettingsError, StoppedError
from sixprime.progress import Hook, Stop, Watch

if TYPE_CHECKING:
    from sixprime.analysis.rollout import CubeDoubt, PlayDoubt


class MarkEngine(RolloutEngine, Protocol):
    """What `roll_out_marked` asks of an engine."""

    @property
    def met(self) -> MatchEquityTable:
        """The match equity table."""


@dataclass(frozen=True, slots=True, order=True)
class Mark:
    """A decision to be rolled out.

    game, action: as in `Decision`, from 0; kind: which decision of that action, a play or a cube decision. candidate:
    index into `Decision.plays`, 0 the best, of the play that is marked; of cube decisions 0.
    """

    game: int
    action: int
    kind: DecisionKind
    candidate: int = 0


_SKILLS = {"doubtful": Skill.DOUBTFUL, "bad": Skill.BAD, "very-bad": Skill.VERY_BAD}
_PLACE = re.compile(r"(\d{1,6})\.(\d{1,6})(?::([12]))?")


@dataclass(frozen=True, slots=True)
class Place:
    """The decisions at a move, as reports number it. game, move: from 1; player: 0 or 1, None for both."""

    game: int
    move: int
    player: int | None = None

    def __str__(self) -> str:
        player = "" if self.player is None else f":{self.player + 1}"
        return f"{self.game}.{self.move}{player}"


@dataclass(frozen=True, slots=True)
class Choice:
    """Decisions to be rolled out: all with this mark or a worse one, None for none of them, and those at places."""

    skill: Skill | None = None
    places: tuple[Place, ...] = ()

    @classmethod
    def parse(cls, text: str) -> Choice:
        """What `bad,7.12,5.9:2` names. Raises SettingsError."""
        TEXT("text", text)
        skills, places = [], []
        for word in text.split(","):
            if word.strip() in _SKILLS:
                skills.append(_SKILLS[word.strip()])
            elif (found := _PLACE.fullmatch(word.strip())) is not None:
                game, move, player = found.groups()
                places.append(Place(int(game), int(move), int(player) - 1 if player else None))
            else:
                raise SettingsError(
                    f"what is rolled out is named by {', '.join(_SKILLS)} or by game and move, such as 7.12, "
                    f"with :1 or :2 for one of the players. Got {word.strip()!r} instead."
                )
        return cls(min(skills, default=None), tuple(places))

    def marks(self, analysed: AnalysedMatch, trials: int) -> list[Mark]:
        """The decisions chosen that were not rolled out with so many games, each by the plays that are in question.

        Forced plays and cubes that nobody would turn are none.

        Raises SettingsError for a place where there is nothing to roll out.
        """
        numbers = [game.number for game in analysed.match.games]
        found: dict[Mark, None] = {}
        empty = set(self.places)
        for decision in analysed.decisions:
            best = decision.plays[0] if decision.plays else decision.cube
            if best is None or not (decision.counted or decision.skill):
                continue
            here = {
                place
                for place in self.places
                if (place.game, place.move) == (numbers[decision.game], decision.move_number)
                and place.player in (None, decision.player)
            }
            empty -= here
            if best.trials >= trials or not (here or (self.skill is not None and decision.skill >= self.skill)):
                continue
            chosen = in_doubt(decision.plays, decision.played or 0) if decision.plays else [0]
            found |= {Mark(decision.game, decision.action, decision.kind, each): None for each in chosen}
        if empty:
            places = ", ".join(str(place) for place in self.places if place in empty)
            raise SettingsError(f"there is no decision to roll out at {places}, game and move")
        return list(found)


def roll_out_marked(
    analysed: AnalysedMatch,
    marks: Iterable[Mark],
    engine: MarkEngine,
    settings: RolloutSettings,
    *,
    progress: Hook | None = None,
    stop: Stop | None = None,
) -> AnalysedMatch:
    """The analysis with the marked candidates and cube decisions rolled out, and nothing else judged anew.

    marks: several candidates of one decision meet the same dice. The best candidate is rolled out beside the marked
    ones, as what is rolled out stands before what is not. A double and the answer to it are one rollout.
    progress: is told the rollouts done; stop: ends them. What is done by then stays, and the analysis is not
    `finished`; StoppedError is raised where nothing is.
    Raises SettingsError for a mark on what was not analysed or cannot be rolled out.
    """
    started = time.perf_counter()
    wanted = _checked(analysed, marks)
    if not wanted:
        return analysed
    games, answers = kept_answers(analysed)

    # Step 1. What is marked, as questions to the engine.
    plays: dict[int, PlayDoubt] = {}
    cubes: dict[int, CubeDoubt] = {}
    touched = set()
    for number, drafts in enumerate(games):
        for draft in drafts:
            if draft.kind is None or (chosen := wanted.get((number, draft.number, draft.kind))) is None:
                continue
            touched.add(number)
            state = draft.state.before_roll()
            if draft.plays is not None:
                plays[draft.plays] = (draft.plays, state.with_dice(draft.action.dice), chosen)
            elif draft.cube is not None:
                cubes[draft.cube] = (draft.cube, state)

    # Step 2. The rollouts, and the games with them judged again.
    done, finished = roll_out(
        answers.plays, answers.cubes, [*plays.values()], [*cubes.values()], engine, settings, Watch(progress, stop)
    )
    if not done:
        raise StoppedError(0, len(plays) + len(cubes), "rollouts")
    judged = tuple(
        game_again(analysed, number, games[number], answers, engine.met) if number in touched else game
        for number, game in enumerate(analysed.games)
    )
    return replace(
        analysed,
        games=judged,
        statistics=totals(judged),
        settings=_told(analysed, wanted, done, settings.trials),
        label=with_words(analysed.label, marked(settings)),
        seconds=analysed.seconds + time.perf_counter() - started,
        finished=analysed.finished and finished,
    )


def _told(analysed: AnalysedMatch, wanted: Iterable[tuple[int, int, DecisionKind]], done: int, trials: int) -> str:
    """The settings with how many decisions were rolled out by hand with so many games each, however often."""
    told, count = analysed.settings, 0
    if (before := re.fullmatch(rf"(.*); (\d+) marked decisions? rolled out, {trials} games each", told)) is not None:
        told, count = before[1], int(before[2])
        places = {*wanted}
        fresh = sum((d.game, d.action, d.kind) in places and not d.rolled_out for d in analysed.decisions)
        done = min(done, fresh)
    count += done
    return f"{told}; {count} marked {'decision' if count == 1 else 'decisions'} rolled out, {trials} games each"


def _checked(analysed: AnalysedMatch, marks: Iterable[Mark]) -> Mapping[tuple[int, int, DecisionKind], Sequence[int]]:
    """The candidates of each marked decision, the best among them. Raises SettingsError."""
    by_place = {(d.game, d.action, d.kind): d for d in analysed.decisions}
    found: dict[tuple[int, int, DecisionKind], set[int]] = {}
    for mark in marks:
        place = mark.game, mark.action, mark.kind
        decision = by_place.get(place)
        where = f"a mark for rollout is on game {mark.game}, action {mark.action}, {mark.kind.value}"
        if decision is None:
            raise SettingsError(f"{where}, where no decision was analysed")
        if (why := _why_not(decision, mark.candidate)) is not None:
            raise SettingsError(f"{where}, candidate {mark.candidate}: {why}")
        found.setdefault(place, {0}).add(mark.candidate)
    return {place: sorted(chosen) for place, chosen in found.items()}


def _why_not(decision: Decision, candidate: int) -> str | None:
    if decision.kind is not DecisionKind.PLAY:
        return None if candidate == 0 and decision.cube is not None else "a cube decision that was judged has 0 only"
    if 0 <= candidate < len(decision.plays):
        return None
    return f"expected 0 to {len(decision.plays) - 1}" if decision.plays else "no play was judged there"
