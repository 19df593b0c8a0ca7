"""What one play does that another does not: each number beside a slow, obvious count of it."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sixprime as sp
from sixprime.errors import IllegalPlayError, SettingsError
from sixprime.game.rules import ROLLS, ways
from sixprime.theory.explain import Explanation, Window, count, explain, longest_run, window_of

STATES = (sp.MatchState(), sp.MatchState(length=7, score=(2, 4), cube=2, cube_owner=1), sp.MatchState(length=5))
BOARDS = {
    "opening": ("4HPwATDgc/ABMA", (4, 1)),
    "hit": ("b5sFABI59zYAAA", (4, 2)),
    "late": ("brwmwACzbRgHAA", (6, 3)),
}
"""Some positions where several plays make sense."""


@pytest.fixture(scope="module")
def engine() -> sp.Engine:
    # Without the nets that narrow replies down a search is what its one-ply definition says, to the last digits.
    return sp.Engine(threads=1, plies=1, prune=False)


@pytest.fixture(scope="module", params=[(name, i) for name in BOARDS for i in range(2)], ids=str)
def found(engine: sp.Engine, request: pytest.FixtureRequest) -> Explanation:
    name, number = request.param
    id, dice = BOARDS[name]
    return explain(engine, sp.Position.from_id(id), dice, state=STATES[number])


# The rules, once more and slowly.

Sides = tuple[tuple[int, ...], tuple[int, ...]]


def moves(sides: Sides, die: int) -> Iterator[tuple[Sides, int]]:
    """What one chequer may do with a die: both sides after it, and the point where it hits, 0 for none."""
    mover, other = sides
    for start in range(25, 0, -1):
        if not mover[start - 1] or (mover[24] and start != 25):
            continue
        end = start - die
        if end > 0 and other[24 - end] > 1:
            continue
        if end <= 0 and (sum(mover[6:]) or (end < 0 and sum(mover[start:]))):
            continue
        new, hurt, hit = list(mover), list(other), 0
        new[start - 1] -= 1
        if end > 0:
            new[end - 1] += 1
            if hurt[24 - end] == 1:
                hurt[24 - end] = 0
                hurt[24] += 1
                hit = end
        yield (tuple(new), tuple(hurt)), hit


def sequences(sides: Sides, dice: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """The dice used and the points hit, of every way to move as long as something moves."""
    stuck = True
    if dice:
        for after, hit in moves(sides, dice[0]):
            stuck = False
            for used, hits in sequences(after, dice[1:]):
                yield (dice[0], *used), (hit, *hits)
    if stuck:
        yield (), ()


def hits_of(position: sp.Position, first: int, second: int) -> tuple[set[int], bool]:
    """Points that a throw may hit by the rules, numbered by the one who is hit, and whether it moves at all."""
    sides = position.player, position.opponent
    orders = [(first,) * 4] if first == second else [(first, second), (second, first)]
    every = [found for order in orders for found in sequences(sides, order)]
    most = max(len(used) for used, _ in every)
    allowed = [(used, hits) for used, hits in every if len(used) == most]
    if most == 1 and first != second and any(used == (max(first, second),) for used, _ in allowed):
        allowed = [(used, hits) for used, hits in allowed if used == (max(first, second),)]
    return {25 - hit for _, hits in allowed for hit in hits if hit}, most > 0


def check_counts(play: sp.Play) -> None:
    counts, after = count(play), play.result
    mine, theirs = after.opponent, after.player
    assert counts.pips == (
        sum((i + 1) * n for i, n in enumerate(mine)),
        sum((i + 1) * n for i, n in enumerate(theirs)),
    )
    assert set(counts.blots) == {point for point in range(1, 25) if mine[point - 1] == 1}
    assert set(counts.points) == {point for point in range(1, 25) if mine[point - 1] >= 2}
    assert list(counts.blots) == sorted(counts.blots, reverse=True)
    assert counts.home_points == sum(mine[point - 1] >= 2 for point in range(1, 7))
    assert counts.anchors == sum(mine[point - 1] >= 2 for point in range(19, 25))
    assert counts.hit == sum(play.position.opponent[:24]) - sum(theirs[:24])
    if after.winner is not None:
        assert (counts.shots, counts.dances) == (0, 0)
        return
    thrown = [hits_of(after, *throw) for throw in product(range(1, 7), repeat=2)]
    assert counts.shots == sum(bool(hits) for hits, _ in thrown)
    assert counts.dances == sum(not moved for _, moved in thrown)
    assert counts.shots_at == tuple(sum(blot in hits for hits, _ in thrown) for blot in counts.blots)


def test_counts_are_those_of_a_slow_count(found: Explanation) -> None:
    for view in (found.best, found.other):
        check_counts(view.play)
        before, after = found.position.player, view.play.result.opponent
        assert set(view.made) == {p for p in range(1, 25) if after[p - 1] >= 2 and before[p - 1] < 2}
        assert set(view.broken) == {p for p in range(1, 25) if after[p - 1] < 2 and before[p - 1] >= 2}


@settings(max_examples=6)
@given(st.integers(0, 2**32), st.integers(1, 60))
def test_counts_in_random_games(seed: int, turns: int) -> None:
    import random

    source, position = random.Random(seed), sp.Position.start()
    play = None
    for _ in range(turns):
        roll = source.randint(1, 6), source.randint(1, 6)
        plays = position.plays(roll)
        if position.winner is not None or not plays:
            position = position.swapped()
            continue
        play = source.choice(plays)
        position = play.result
        if position.winner is not None:
            break
    if play is not None:
        check_counts(play)


@given(st.sets(st.integers(1, 24)))
def test_runs(points: set[int]) -> None:
    every = [length for low, length in product(range(1, 25), range(25)) if {*range(low, low + length)} <= points]
    assert longest_run(tuple(points)) == max(every)


# What the engine says, asked for one by one.


def test_replies_are_the_best_plays_of_the_opponent(found: Explanation, engine: sp.Engine) -> None:
    for view in (found.best, found.other):
        after, turn = view.play.result, found.state.swapped()
        assert tuple(reply.dice for reply in view.replies) == ROLLS
        for reply in view.replies[::4]:
            best = engine.best_plays(after, reply.dice, match=turn, plies=0)[0]
            assert (reply.play, reply.equity) == (str(best.play), pytest.approx(-best.equity))
        by_roll = {reply.dice: reply.equity for reply in view.replies}
        thrown = [by_roll[max(throw), min(throw)] for throw in product(range(1, 7), repeat=2)]
        assert view.mean_reply == pytest.approx(sum(thrown) / 36)
        assert view.answer is not None
        assert view.answer.no_double == pytest.approx(engine.cube_action(after, match=turn).no_double)
        # The search one ply deeper says of the play what they are in the mean, if the opponent does not double. It has
        # him reply without a look at the cube, so that he does a little worse, more so in a match.
        if not view.answer.should_double and view.analysis.plies == 1:
            excess = -engine.evaluate(after, match=turn, plies=1).cubeful_equity - view.mean_reply
            assert -1e-5 < excess < (0.001 if found.state.money else 0.02)


def test_the_window_is_that_of_each_roll(found: Explanation, engine: sp.Engine) -> None:
    for view in (found.best, found.other):
        if found.state.cube_owner == 1 - found.state.on_roll:
            assert view.window is None
            continue
        assert view.window is not None
        number = dict.fromkeys(Window, 0)
        for reply in view.replies:
            after = sp.parse_play(reply.play, view.play.result, reply.dice).result
            cube = engine.cube_action(after, match=found.state, plies=0)
            words = "too good" if "Too good" in cube.action else cube.action.lower().replace("redouble", "double")
            expected = Window.BEFORE if words.startswith(("no ", "optional")) else Window(words)
            if words.startswith("optional"):
                expected = window_of(cube)
            number[expected] += ways(reply.dice)
        assert view.window == number


def test_exchanges_are_the_ends_of_all(found: Explanation, engine: sp.Engine) -> None:
    for view in (found.best, found.other):
        ends: dict[tuple[int, int], list[float]] = {}
        for reply in view.replies:
            after = sp.parse_play(reply.play, view.play.result, reply.dice).result
            plays = [engine.best_plays(after, own, match=found.state, plies=0)[0] for own in ROLLS]
            ends[reply.dice] = [each.equity for each in plays]
        highest = sorted((max(values) for values in ends.values()), reverse=True)[:3]
        lowest = sorted(min(values) for values in ends.values())[:3]
        assert [each.equity for each in view.best] == pytest.approx(highest)
        assert [each.equity for each in view.worst] == pytest.approx(lowest)
        for each in (*view.best, *view.worst):
            first, second = each.dice
            assert each.ways == ways(first) * ways(second)
            assert each.equity in [pytest.approx(value) for value in ends[first]]
            assert each.plays[0] == next(reply.play for reply in view.replies if reply.dice == first)


def test_differences_add_up(found: Explanation) -> None:
    assert found.best.mean_reply is not None
    assert found.other.mean_reply is not None
    assert sum(found.gains) == pytest.approx(found.best.mean_reply - found.other.mean_reply)
    for dice, one, two in zip(ROLLS, found.best.replies, found.other.replies, strict=True):
        assert (dice in found.changed) == (one.play != two.play)
    assert found.best.analysis.equity >= found.other.analysis.equity
    assert found.other.analysis.equity_loss > 0


# The other play.


def test_the_other_play_is_the_one_named_or_the_second_best(engine: sp.Engine) -> None:
    position, dice = sp.Position.start(), (3, 1)
    ranked = engine.best_plays(position, dice)
    assert explain(engine, position, dice).other.play == ranked[1].play
    assert explain(engine, position, dice, ranked[0].play).other.play == ranked[1].play
    last = explain(engine, position, (1, 3), ranked[-1].play)
    assert (last.best.play, last.other.play) == (ranked[0].play, ranked[-1].play)
    with pytest.raises(SettingsError, match="play"):
        explain(engine, position, dice, "8/5 6/5")  # type: ignore[arg-type]
    with pytest.raises(IllegalPlayError):
        explain(engine, position, dice, position.plays((6, 5))[0])


def test_one_play_alone_has_nothing_beside_it(engine: sp.Engine) -> None:
    closed = sp.Position((2, 2, 2, 2, 2, 2, 3, *(0,) * 18), (14, *(0,) * 23, 1))
    with pytest.raises(SettingsError, match="only one way to play 21"):
        explain(engine, closed, (2, 1))


def test_all_that_is_asked_of_the_engine_can_be_stopped(engine: sp.Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    stop, given = threading.Event(), []

    def heard(work: Callable[..., Any]) -> Callable[..., Any]:
        def asked(*arguments: Any, **how: Any) -> Any:
            given.append(how.get("stop"))
            return work(*arguments, **how)

        return asked

    for name in ("rank_plays_many", "cube_action", "cube_many"):
        monkeypatch.setattr(engine, name, heard(getattr(engine, name)))
    explain(engine, sp.Position.start(), (3, 1), stop=stop)
    assert given
    assert set(given) == {stop}


def test_a_play_that_ends_the_game(engine: sp.Engine) -> None:
    position = sp.Position((0, 0, 0, 2, *(0,) * 21), (1, 1, *(0,) * 23))
    found = explain(engine, position, (2, 1))
    assert (found.best.answer, found.best.replies, found.best.mean_reply, found.best.window) == (None, (), None, None)
    assert (found.best.best, found.best.worst) == ((), ())
    assert found.other.replies
    assert found.changed == ()


# The command.


def test_the_command(sixprime: Callable[..., Any]) -> None:
    arguments = ("explain", "4HPwATDgc/ABMA", "--dice", "31", "--play", "13/10 6/5", "--plies", "0")
    status, out, _ = sixprime(*arguments)
    assert status == 0
    assert max(map(len, out.splitlines())) <= 80
    for text in ("Points made", "Rolls that hit, of 36", "Best after 8/5 6/5", "Mean"):
        assert text in out
    status, out, _ = sixprime(*arguments, "--json")
    answer = json.loads(out)
    assert answer["best"]["play"] == "8/5 6/5"
    assert answer["best"]["made"] == [5]
    assert answer["other"]["blots"] == [10, 5]
    assert len(answer["gains"]) == len(answer["best"]["replies"]) == 21
    assert sum(answer["best"]["window"].values()) == 36


def test_the_command_explains_hypergammon(sixprime: Callable[..., Any], engine: sp.Engine) -> None:
    position = sp.Position.start("hypergammon2")
    status, out, _ = sixprime("explain", position.id, "31", "--chequers", "2", "--json")
    best = engine.best_plays(position, (3, 1))[0]
    told = json.loads(out)["best"]
    assert (status, told["play"]) == (0, str(best.play))
    assert told["equity"] == pytest.approx(best.cubeful_equity)


def test_a_last_play_can_be_shown(sixprime: Callable[..., Any]) -> None:
    position = sp.Position((0, 0, 0, 2, *(0,) * 21), (1, 1, *(0,) * 23))
    for more in ((), ("--json",)):
        status, out, _ = sixprime("explain", position.id, "21", "--plies", "0", *more)
        assert status == 0, out


@pytest.mark.parametrize(
    ("arguments", "expected", "text"),
    [
        (("4HPwATDgc/ABMA",), 2, "this ID carries no dice"),
        (("4HPwATDgc/ABMA", "31", "--play", "8/1"), 1, "is no legal play"),
        (("4HPwATDgc/ABMA", "31", "--play", "zz"), 1, "is no step like"),
    ],
)
def test_wrong_use(sixprime: Callable[..., Any], arguments: tuple[str, ...], expected: int, text: str) -> None:
    status, _, err = sixprime("explain", *arguments, "--plies", "0")
    assert (status, text in err, len(err.splitlines())) == (expected, True, 1)
