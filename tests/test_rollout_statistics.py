"""What happened in the games of rollouts, against a slow count over the games as they were played."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from copy import copy
from dataclasses import replace
from pathlib import Path

import pytest

import sixprime as sp
from sixprime import codec
from sixprime.engine.rollout_result import RolloutResult, load
from sixprime.engine.rollout_statistics import PlayerStatistics, Statistics
from sixprime.engine.trials import INDEX, UNKNOWN, Trials
from sixprime.game.record import ActionKind, Game
from sixprime.game.state import MatchState
from sixprime.report.console import console_of
from sixprime.report.rollout import render_rollout

# Both bear in against an anchor or the bar, so that much is hit and closed out; a race; the start.
POSITIONS = {
    "contact": sp.Position.from_board([[0] * 5 + [5] + [0] * 16 + [2, 0, 0], [3, 0, 3, 3, 3, 3] + [0] * 19]),
    "closed": sp.Position.from_board([[0] * 5 + [3] + [0] * 18 + [1], [2, 2, 2, 2, 2, 2, 1, 2] + [0] * 17]),
    "race": sp.Position.from_id("2x0AAOi2AQAAAA"),
    "start": sp.Position.start(),
}
LATER = ("games_with_closeout", "first_closeout", "taken", "bearoff_turns", "pips_lost")


@pytest.fixture(scope="module")
def engine() -> Iterator[sp.Engine]:
    with sp.Engine(threads=1) as made:
        yield made


def pips(counts: tuple[int, ...]) -> int:
    return sum(point * count for point, count in enumerate(counts, 1))


class Slow:
    """What one player does in some games, counted action by action."""

    def __init__(self) -> None:
        self.taken: Counter[int] = Counter()
        self.first_hits: list[int] = []
        self.first_closeouts: list[int] = []
        self.hits = self.closeouts = self.doubles = self.bearoff_turns = self.pips_lost = 0

    def watch(self, game: Game, player: int, first: int) -> None:
        """Adds a game. first: the action at which the trial begins."""
        turn, hit, closed, level = 0, 0, 0, 0
        for action in game.actions[first:]:
            if action.kind is ActionKind.DOUBLE and action.player == player:
                self.doubles += 1
            if action.kind is ActionKind.TAKE:
                self.taken[level] += action.player != player
                level += 1
            if action.kind is not ActionKind.MOVE:
                continue
            turn += 1
            if action.player != player:
                continue
            assert action.play is not None
            assert action.dice is not None
            # The result is seen by the side then on roll.
            before, after = action.position.player, action.play.result.opponent
            others, others_after = action.position.opponent, action.play.result.player
            made = others_after[24] - others[24]
            self.hits += made
            if made and not hit:
                hit = turn
            if others_after[24] and min(after[:6]) >= 2:
                self.closeouts += 1
                closed = closed or turn
            if sum(before[6:]) == 0:
                self.bearoff_turns += 1
                a, b = action.dice
                self.pips_lost += (4 * a if a == b else a + b) - (pips(before) - pips(after))
        self.first_hits += [hit] if hit else []
        self.first_closeouts += [closed] if closed else []

    def compare(self, found: PlayerStatistics) -> None:
        assert found.taken is not None
        assert dict(enumerate(found.taken)) == {level: self.taken[level] for level in range(len(found.taken))}
        assert sum(found.taken) == self.taken.total()
        assert (found.doubles, found.hits, found.closeouts) == (self.doubles, self.hits, self.closeouts)
        assert (found.bearoff_turns, found.pips_lost) == (self.bearoff_turns, self.pips_lost)
        assert found.games_with_hit == len(self.first_hits)
        assert found.first_hit * found.games_with_hit == pytest.approx(sum(self.first_hits))
        assert found.games_with_closeout == len(self.first_closeouts)
        assert found.first_closeout is not None
        assert found.first_closeout * len(self.first_closeouts) == pytest.approx(sum(self.first_closeouts))
        assert found.doubles == sum(found.taken) + sum(found.cashed)


@pytest.mark.parametrize("name", POSITIONS)
@pytest.mark.parametrize("kind", ["position", "cube", "plays"])
def test_statistics_are_those_of_the_games(engine: sp.Engine, name: str, kind: str) -> None:
    position, match = POSITIONS[name], MatchState(length=9, score=(3, 1), on_roll=0)
    settings = sp.RolloutSettings(trials=36, seed=5, branches=2, bearoff_exact=False)
    if kind == "plays":
        plays = [ranked.play for ranked in engine.best_plays(position, (2, 1), match=match, count=2)]
        result = engine.rollout_plays(position, (2, 1), plays, match=match, settings=settings)
    elif kind == "cube":
        result = engine.rollout_cube(position, match=match, settings=settings)
    else:
        result = engine.rollout(position, match=match, settings=settings)
    sides = [(Slow(), Slow()) for _ in result.raw]
    for each in engine.rollout_games(result):
        [game] = each.match.games
        # Before the trial stand what was set, the play that is rolled out, or a double that is taken.
        first = next(i for i, action in enumerate(game.actions) if action.kind is not ActionKind.SET)
        first += {"position": 0, "plays": 1, "cube": 2 * each.alternative}[kind]
        for player, slow in enumerate(sides[each.alternative]):
            slow.watch(game, player, first)
    for estimate, (own, opponent) in zip(result.estimates, sides, strict=True):
        own.compare(estimate.statistics.own)
        opponent.compare(estimate.statistics.opponent)


def test_there_is_something_to_count(engine: sp.Engine) -> None:
    """What the comparison above covers is not all zero."""
    settings = sp.RolloutSettings(trials=36, seed=5, bearoff_exact=False)
    closed = engine.rollout(POSITIONS["closed"], settings=settings).statistics.own
    assert closed.games_with_closeout
    assert closed.first_closeout
    assert closed.bearoff_turns
    assert closed.pips_lost
    race = engine.rollout(POSITIONS["race"], settings=settings).statistics
    assert race.own.taken
    assert race.opponent.taken
    assert sum(race.own.taken) > 0


def test_an_ending_by_hand(engine: sp.Engine) -> None:
    """A chequer each on the 2 point: any roll bears off, and two of its pips are moved."""
    position = sp.Position.from_board([[0, 1] + [0] * 23, [0, 1] + [0] * 23])
    settings = sp.RolloutSettings(trials=36, cubeful=False, bearoff_exact=False, bearoff_one_sided=False)
    statistics = engine.rollout(position, settings=settings).statistics
    assert (statistics.own.bearoff_turns, statistics.opponent.bearoff_turns) == (36, 0)
    # Every throw once: 294 pips are thrown, 72 are needed.
    assert (statistics.own.pips_lost, statistics.opponent.pips_lost) == (294 - 72, 0)
    assert statistics.own.taken == (0,)


def test_threads_and_parts_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = sp.RolloutSettings(trials=108, seed=2, bearoff_exact=False)
    found = []
    for threads, task in ((1, 108), (3, 36)):
        monkeypatch.setattr("sixprime.engine.rollout.TASK", (task,) * 5)
        with sp.Engine(threads=threads) as engine:
            found.append(engine.rollout(POSITIONS["closed"], settings=settings))
    assert found[0].raw == found[1].raw
    assert found[0].statistics == found[1].statistics


def earlier(result: RolloutResult) -> RolloutResult:
    """As a rollout of a version that had twelve columns."""
    cut = tuple(Trials(trials.outcomes, trials.values, trials.counts[:, :12].copy()) for trials in result.raw)
    made = copy(result)
    object.__setattr__(made, "raw", cut)  # the constructor would count
    return made


def without_later(statistics: Statistics) -> Statistics:
    sides = {name: replace(getattr(statistics, name), **dict.fromkeys(LATER)) for name in ("own", "opponent")}
    return replace(statistics, **sides)


def test_earlier_rollouts_are_read(engine: sp.Engine, tmp_path: Path) -> None:
    settings = sp.RolloutSettings(trials=12, seed=3, truncation=12)
    result = engine.rollout_cube(POSITIONS["start"], settings=settings)
    earlier(result).save(tmp_path / "old.npz")
    for old in (load(tmp_path / "old.npz"), codec.from_json(codec.to_json(earlier(result)), RolloutResult)):
        assert [trials.values.tolist() for trials in old.raw] == [trials.values.tolist() for trials in result.raw]
        assert (old.raw[0].counts[:, INDEX["first_closeout"] :] == UNKNOWN).all()
        for before, now in zip(old.estimates, result.estimates, strict=True):
            assert before.statistics == without_later(now.statistics)
        # Whoever goes on with it knows of the new trials only, and keeps that.
        longer = engine.extend_rollout(old, trials=24)
        whole = engine.extend_rollout(result, trials=24)
        assert longer.raw[0].values.tolist() == whole.raw[0].values.tolist()
        assert longer.estimates[1].statistics == without_later(whole.estimates[1].statistics)
        longer.save(tmp_path / "longer.npz")
        assert load(tmp_path / "longer.npz").raw == longer.raw


def test_unknown_statistics_are_not_shown(
    engine: sp.Engine, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    result = engine.rollout(POSITIONS["start"], settings=sp.RolloutSettings(trials=12, truncation=12))
    earlier(result).save(tmp_path / "old.npz")
    for each, there in ((result, True), (load(tmp_path / "old.npz"), False)):
        render_rollout(each, console=console_of(None), statistics=True)
        assert ("pips lost in these" in capsys.readouterr().out) is there
