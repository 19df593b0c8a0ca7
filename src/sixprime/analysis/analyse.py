"""`analyse`: every decision of a match judged, all of them in one batch."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Protocol, TypeVar, runtime_checkable

from sixprime.analysis.decisions import judge_game
from sixprime.analysis.depth import Depth, Depths, text_of
from sixprime.analysis.drafts import Answers, Draft, Requests, Roll, drafts_of
from sixprime.analysis.kept import give_kept
from sixprime.analysis.labels import KEPT, Labelled, label_of, with_words
from sixprime.analysis.model import AnalysedMatch, Decision, GameAnalysis
from sixprime.analysis.statistics import totals
from sixprime.analysis.thresholds import DEFAULT_THRESHOLDS, Skill, Thresholds
from sixprime.checks import FLAG, Instance, Maybe, Pair, Whole, each, listed, refuse
from sixprime.cube.fitted import DEFAULT as DEFAULT_CUBE_MODEL
from sixprime.cube.met import load as load_met
from sixprime.cube.state import CubeState
from sixprime.cube.values import utility_weights
from sixprime.engine import PlayRequest
from sixprime.engine.judge import DOUBTED, CubeRequest, deepened
from sixprime.engine.results import CubeAnalysis, PlayAnalysis
from sixprime.engine.rollout_settings import MAX_TRIALS, RolloutSettings
from sixprime.errors import StoppedError
from sixprime.game.position import Position
from sixprime.game.record import Match
from sixprime.game.state import MatchState
from sixprime.progress import Hook, Stop, Watch

if TYPE_CHECKING:
    from sixprime.analysis.rollout import CubeDoubt, PlayDoubt, RolloutEngine

T = TypeVar("T")

_LONG = 2
"""Plies from which a match is judged in parts, so that an interrupt leaves the games that are done."""
_AT_ONCE = 700
"""Questions of a part at `_LONG` plies, half a second: threads share many better than few. Deeper it is a game."""


@runtime_checkable
class MatchEngine(Labelled, Protocol):
    """What `analyse` asks of an engine."""

    @property
    def identity(self) -> str:
        """What its judgements depend on beside the depth."""

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
        """Candidate plays best first, `must_include` among them; `search_forced`: whether the only play is searched."""

    def cube_many(
        self,
        requests: Sequence[tuple[Position, MatchState]],
        *,
        plies: int,
        progress: Hook | None,
        stop: Stop | None,
    ) -> list[CubeAnalysis]:
        """The cube decision of the player on roll."""

    def luck_many(self, requests: Sequence[Roll], *, stop: Stop | None) -> list[float]:
        """Luck of each roll: equity of its best play minus the mean over rolls, at 0-ply."""


def analyse(
    match: Match,
    engine: MatchEngine,
    *,
    plies: int = 2,
    filter: str = "normal",
    depths: Depths | None = None,
    second: Depth | None = None,
    thresholds: Thresholds = DEFAULT_THRESHOLDS,
    known: AnalysedMatch | None = None,
    progress: Hook | None = None,
    stop: Stop | None = None,
    rollout: tuple[RolloutEngine, RolloutSettings] | None = None,
    search_games: int | None = None,
    luck: bool | tuple[bool, bool] = True,
) -> AnalysedMatch:
    """Judges every chequer play and cube decision of both players, the luck of every roll, and resignations.

    plies, filter: how far the engine looks ahead and how many candidates it looks at closely; depths: the same for each
    player, and for plays and cubes apart. Luck is always taken at 0-ply. second: how decisions marked as doubtful or
    worse are judged again. known: an earlier analysis of the match; what the same engine has judged as closely is not
    judged again.
    progress: is told the decisions judged. stop: an event that ends it. Where games or rollouts are done by then, the
    match comes back with these, and is not `finished`; else StoppedError is raised.
    rollout: who rolls out the decisions marked as doubtful or worse, and how; None for nobody. search_games: as in
    `Preset`; None for as many as the engine's level says. luck: whether the luck of rolls is asked about, of
    both players or of each.
    """
    return analyse_many(
        (match,),
        engine,
        plies=plies,
        filter=filter,
        depths=depths,
        second=second,
        thresholds=thresholds,
        known=(known,),
        progress=progress,
        stop=stop,
        rollout=rollout,
        search_games=search_games,
        luck=luck,
    )[0]


def analyse_many(
    matches: Sequence[Match],
    engine: MatchEngine,
    *,
    plies: int = 2,
    filter: str = "normal",
    depths: Depths | None = None,
    second: Depth | None = None,
    thresholds: Thresholds = DEFAULT_THRESHOLDS,
    known: Sequence[AnalysedMatch | None] = (),
    progress: Hook | None = None,
    stop: Stop | None = None,
    rollout: tuple[RolloutEngine, RolloutSettings] | None = None,
    search_games: int | None = None,
    luck: bool | tuple[bool, bool] = True,
) -> list[AnalysedMatch]:
    """Analyses matches as `analyse` does, all their decisions in one batch; `seconds` is shared out evenly.

    known: for each match, none for nothing known. Raises SettingsError for arguments of another kind, and before
    anything is judged for a score at which a game is worth nothing by the engine's match equity table.
    """
    started = time.perf_counter()
    watch = Watch(progress, stop)
    Instance(MatchEngine, "an engine")("engine", engine)
    matches = listed("matches", matches, Match)
    known = each("known", known, Maybe(Instance(AnalysedMatch)), "an AnalysedMatch or None")
    if len(known) not in (0, len(matches)):
        refuse("known", f"as many as matches, {len(matches)}", known)
    Maybe(Pair(Instance(Depth)))("depths", depths)
    Maybe(Instance(Depth))("second", second)
    Instance(Thresholds)("thresholds", thresholds)
    if rollout is not None and not (isinstance(rollout, tuple) and [*map(type, rollout[1:])] == [RolloutSettings]):
        refuse("rollout", "an engine and its RolloutSettings", rollout)
    Maybe(Whole(0, MAX_TRIALS))("search_games", search_games)
    (Pair(FLAG) if isinstance(luck, tuple) else FLAG)("luck", luck)
    depths = depths or (Depth(plies, plies, filter),) * 2
    requests = Requests(apart=depths[0].cube_plies != depths[1].cube_plies)
    drafts = [[drafts_of(match, game, requests) for game in match.games] for match in matches]
    for cube in {CubeState.from_match(state) for state in requests.states}:
        utility_weights(cube, engine.met)  # refused here, not after hours
    asker = _Asker(engine, requests, watch, luck if isinstance(luck, tuple) else (luck, luck))
    settled = None if rollout is None else rollout[1]
    if rollout is None:
        search_games = 0
    elif search_games is None:
        search_games = rollout[0].search_games
    label = label_of(depths, engine, second=second, rollout=settled, search_games=search_games)
    labels = [label] * len(matches)
    for number, earlier in enumerate(known):
        if earlier is not None and earlier.judge == engine.identity:
            given = give_kept(matches[number], earlier, drafts[number], depths, asker.answers)
            if given and earlier.label != label:
                labels[number] = with_words(label, KEPT)
    finished = asker.ask_all(drafts, depths, alone=len(matches) == 1)

    def judge_all() -> list[tuple[GameAnalysis, ...]]:
        return [
            tuple(
                judge_game(match, number, drafts_of_game, asker.answers, engine.met, thresholds)
                for number, drafts_of_game in enumerate(games[: asker.games_done])
            )
            for match, games in zip(matches, drafts, strict=True)
        ]

    judged = judge_all()
    before = [sum(decision.rolled_out for game in games for decision in game.decisions) for games in judged]
    settings = text_of(depths)
    if engine.manner:
        settings += "".join(f", {word.replace('-', ' ')}" for word in engine.manner.split("+")[1:])
    if engine.met.name != load_met().name:
        settings += f", match equities {engine.met.name}"
    if engine.cube_model != DEFAULT_CUBE_MODEL:
        settings += f", cube model {engine.cube_model.name}"
    if second is not None and finished:
        number, finished = asker.ask_again(list(_doubtful(drafts, judged)), second)
        judged = judge_all()
        settings += f"; {number} doubtful decisions judged again, {second.text}"
    if rollout is not None and finished:
        number, finished = _roll_out_doubtful(
            list(_doubtful(drafts, judged)), asker.answers, rollout, watch, search_games
        )
        judged = judge_all()
        settings += f"; {number} doubtful decisions rolled out, {rollout[1].trials} games each"
        settings += f", the search as {search_games}" if search_games else ""
    seconds = (time.perf_counter() - started) / max(len(matches), 1)
    return [
        AnalysedMatch(
            match,
            games,
            totals(games),
            settings + (f"; {rolled} decisions were rolled out before" if rolled else ""),
            seconds,
            finished,
            thresholds,
            depths=depths,
            judge=engine.identity,
            label=label,
            met=engine.met,
        )
        for match, games, rolled, label in zip(matches, judged, before, labels, strict=True)
    ]


class _Asker:
    """Asks an engine about drafts, and keeps its answers. games_done: of each match, all unless it was stopped."""

    def __init__(self, engine: MatchEngine, requests: Requests, watch: Watch, luck: tuple[bool, bool]) -> None:
        self._engine, self._requests, self._watch, self._luck = engine, requests, watch, luck
        self.answers = Answers()
        self.games_done: int | None = None

    def ask_all(self, drafts: Sequence[Sequence[Sequence[Draft]]], depths: Depths, *, alone: bool) -> bool:
        """Asks what is not yet known; whether that is all. alone: of one match what is done by a stop is kept."""
        deepest = max(plies or 0 for depth in depths for plies in (depth.plies, depth.cube_plies))
        parts: list[slice] = [slice(None)]
        if deepest >= _LONG and alone:
            sizes = [sum(map(_size, game)) for game in drafts[0]]
            parts = _parts(sizes, _AT_ONCE if deepest == _LONG else 1) or parts
        everything = sum(_size(draft) for match in drafts for game in match for draft in game)
        done = 0
        for part in parts:
            some = [d for match in drafts for game in match[part] for d in game]
            try:
                self._ask(some, depths, done, everything)
            except (KeyboardInterrupt, StoppedError):
                if not part.start:
                    raise
                self.games_done = part.start
                return False
            done += sum(map(_size, some))
        self._watch.tell(everything, everything, "decisions")
        return True

    def _ask(self, drafts: Sequence[Draft], depths: Depths, done: int, everything: int) -> None:
        """done, everything: how many decisions were asked about before, and are in the end."""
        requests, stop = self._requests, self._watch.stop
        rolls = [
            d.roll
            for d in drafts
            if d.roll is not None and self._luck[d.action.player] and d.roll not in self.answers.luck
        ]
        self.answers.luck.update(
            zip(rolls, self._engine.luck_many([requests.rolls[i] for i in rolls], stop=stop), strict=True)
        )
        done += len(rolls)
        cubes = [(d.cube, depths[d.action.player].cube_plies) for d in drafts if d.cube is not None]
        for plies, chosen in _by(cubes, self.answers.cubes):
            self.cubes(chosen, plies, self._share(done, len(chosen), everything))
            done += len(chosen)
        plays = [(d.plays, _of_plays(depths[d.action.player])) for d in drafts if d.plays is not None]
        for depth, chosen in _by(plays, self.answers.plays):
            self.plays(chosen, *depth, self._share(done, len(chosen), everything))
            done += len(chosen)

    def cubes(self, chosen: Sequence[int], plies: int, progress: Hook | None) -> None:
        """Asks about cube decisions."""
        asked = [self._requests.cubes[i] for i in chosen]
        watch = Watch(progress, self._watch.stop)

        def ask(some: Sequence[CubeRequest], depth: int, one: Watch) -> list[CubeAnalysis]:
            return self._engine.cube_many(some, plies=depth, progress=one.progress, stop=one.stop)

        # A level that looks otherwise than usual is left to its own way; its label says so.
        deepen = plies == DOUBTED and not self._engine.manner
        found = deepened(asked, ask, watch) if deepen else ask(asked, plies, watch)
        self.answers.cubes.update(zip(chosen, found, strict=True))

    def plays(self, chosen: Sequence[int], plies: int, filter: str, progress: Hook | None) -> None:
        """Asks about plays."""
        asked = [self._requests.plays[i] for i in chosen]
        found = self._engine.rank_plays_many(
            asked, plies=plies, filter=filter, search_forced=False, progress=progress, stop=self._watch.stop
        )
        self.answers.plays.update(zip(chosen, found, strict=True))

    def ask_again(self, doubtful: Sequence[tuple[Draft, Decision]], depth: Depth) -> tuple[int, bool]:
        """Judges decisions once more where they were looked at less closely; how many, and whether that is all."""
        wanted = depth.plies, depth.cube_plies
        plays = {d.plays: None for d, was in doubtful if d.plays is not None and _shallower(was.plays, wanted[0])}
        cubes = {d.cube: None for d, was in doubtful if d.cube is not None and _shallower((was.cube,), wanted[1])}
        number = len(plays) + len(cubes)
        try:
            if cubes and depth.cube_plies is not None:
                self.cubes([i for i in cubes if i is not None], depth.cube_plies, self._share(0, len(cubes), number))
            if plays and depth.plies is not None:
                share = self._share(len(cubes), len(plays), number)
                self.plays([i for i in plays if i is not None], depth.plies, depth.filter, share)
        except (KeyboardInterrupt, StoppedError):
            return number, False
        return number, True

    def _share(self, first: int, size: int, everything: int) -> Hook | None:
        """Tells the watch of `size` requests after the `first`, whose work is counted otherwise."""
        watch = self._watch
        if watch.progress is None:
            return None
        return lambda step: watch.tell(first + size * step.done // max(step.total or 1, 1), everything, "decisions")


def _parts(sizes: Sequence[int], least: int) -> list[slice]:
    """Games in their order, as few at a time as have `least` decisions; what is left goes with the last of them."""
    bounds, size = [0], 0
    for number, more in enumerate(sizes, 1):
        size += more
        if size >= least:
            bounds.append(number)
            size = 0
    bounds[-1 if len(bounds) > 1 else 1 :] = [len(sizes)]
    return [slice(first, end) for first, end in pairwise(bounds)]


def _size(draft: Draft) -> int:
    """How many questions a draft asks."""
    return sum(index is not None for index in (draft.plays, draft.cube, draft.roll))


def _of_plays(depth: Depth) -> tuple[int, str] | None:
    return None if depth.plies is None else (depth.plies, depth.filter)


def _by(asked: Iterable[tuple[int, T | None]], known: Mapping[int, object]) -> list[tuple[T, list[int]]]:
    """The requests that nothing is known of, each once, by how closely they are looked at; None is not at all."""
    found: dict[T, dict[int, None]] = {}
    for index, depth in asked:
        if depth is not None and index not in known:
            found.setdefault(depth, {})[index] = None
    return [(depth, list(chosen)) for depth, chosen in found.items()]


def _shallower(judged: Sequence[PlayAnalysis | CubeAnalysis | None], plies: int | None) -> bool:
    """Whether the best of what was judged was looked at less far, and not rolled out."""
    return plies is not None and any(each is not None and not each.trials and each.plies < plies for each in judged[:1])


def _doubtful(
    drafts: Sequence[Sequence[Sequence[Draft]]], judged: Sequence[Sequence[GameAnalysis]]
) -> Iterable[tuple[Draft, Decision]]:
    """The decisions with a mark, each with its draft."""
    for drafts_of_match, games in zip(drafts, judged, strict=True):
        for drafts_of_game, game in zip(drafts_of_match, games, strict=False):
            by_place = {(draft.number, draft.kind): draft for draft in drafts_of_game}
            for decision in game.decisions:
                if decision.skill is not Skill.NONE:
                    yield by_place[decision.action, decision.kind], decision


def _roll_out_doubtful(
    doubtful: Sequence[tuple[Draft, Decision]],
    answers: Answers,
    rollout: tuple[RolloutEngine, RolloutSettings],
    watch: Watch,
    search_games: int,
) -> tuple[int, bool]:
    """Puts rollouts in the place of the answers in doubt; how many, and whether all are."""
    from sixprime.analysis.rollout import in_doubt, roll_out

    plays: dict[int, PlayDoubt] = {}
    cubes: dict[int, CubeDoubt] = {}
    for draft, decision in doubtful:
        state = draft.state.before_roll()
        if draft.plays is not None and decision.played is not None and not decision.plays[0].trials:
            chosen = in_doubt(answers.plays[draft.plays], decision.played)
            plays[draft.plays] = (draft.plays, state.with_dice(decision.dice), chosen)
        elif draft.cube is not None and decision.cube is not None and not decision.cube.trials:
            cubes[draft.cube] = (draft.cube, state)
    chosen_plays, chosen_cubes = list(plays.values()), list(cubes.values())
    return roll_out(answers.plays, answers.cubes, chosen_plays, chosen_cubes, *rollout, watch, search_games)
