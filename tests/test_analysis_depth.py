"""How closely decisions are looked at, what is kept of an earlier analysis, and resignations."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from fake_engine import FakeEngine, PlayRow, Recorder, always, doubling_game, match_of, only

from sixprime.analysis import analyse as analyse_module
from sixprime.analysis.analyse import analyse
from sixprime.analysis.depth import Depth, text_of
from sixprime.analysis.model import AnalysedMatch, DecisionKind
from sixprime.analysis.statistics import total
from sixprime.analysis.thresholds import Skill
from sixprime.cube import met
from sixprime.engine import Engine, PlayRequest
from sixprime.engine.results import CubeAnalysis, PlayAnalysis
from sixprime.errors import SettingsError, StoppedError
from sixprime.game.position import Position
from sixprime.game.record import Match
from sixprime.game.state import MatchState

TWO = Depth()


class Counting(FakeEngine):
    """Notes how many of each question it was asked, and how deep; `stop_after` questions about plays it is stopped."""

    def __init__(self, stop_after: int | None = None, **answers: Any) -> None:
        super().__init__(**answers)
        self.asked: list[tuple[str, int, int, str]] = []
        self.stop_after = stop_after

    def rank_plays_many(self, requests: Sequence[PlayRequest], **how: Any) -> list[list[PlayAnalysis]]:
        if self.stop_after is not None and sum(a[1] for a in self.asked if a[0] == "plays") >= self.stop_after:
            raise StoppedError(0, 1, "decisions")
        self.asked.append(("plays", len(requests), how["plies"], how["filter"]))
        return super().rank_plays_many(requests, **how)

    def cube_many(self, requests: Sequence[tuple[Position, MatchState]], **how: Any) -> list[CubeAnalysis]:
        self.asked.append(("cubes", len(requests), how["plies"], ""))
        return super().cube_many(requests, **how)


def game(length: int = 7, number: int = 1) -> Match:
    return match_of(*[doubling_game(length).game(number=i + 1) for i in range(number)], length=length)


@pytest.mark.parametrize(
    ("text", "depth", "words"),
    [
        ("3", Depth(3, 3, "large"), "3-ply, Large"),
        ("3/2", Depth(3, 2, "large"), "plays 3-ply, Large, cubes 2-ply"),
        (" 0/1,Tiny ", Depth(0, 1, "tiny"), "plays 0-ply, Tiny, cubes 1-ply"),
        ("-/2", Depth(None, 2, "large"), "plays not judged, cubes 2-ply"),
        ("2/-", Depth(2, None, "large"), "plays 2-ply, Large, cubes not judged"),
        ("off", Depth(None, None, "large"), "not judged"),
    ],
)
def test_depths_as_text(text: str, depth: Depth, words: str) -> None:
    found = Depth.parse(text, Depth(filter="large"))
    assert (found, found.text) == (depth, words)


@pytest.mark.parametrize("text", ["", "5", "-1", "2/2/2", "two", "2,wide", "off,large", "²"])
def test_wrong_depths(text: str) -> None:
    with pytest.raises(SettingsError):
        Depth.parse(text, TWO)


def test_depths_are_compared() -> None:
    assert Depth(3).enough_for_plays(TWO)
    assert Depth(2, filter="large").enough_for_plays(TWO)
    assert not Depth(2, filter="tiny").enough_for_plays(TWO)
    assert not Depth(1).enough_for_plays(TWO)
    assert Depth(None).enough_for_plays(Depth(None))
    assert not Depth(None).enough_for_plays(Depth(0))
    assert text_of((TWO, Depth(3)), ("Ann", "Bob")) == "Ann: 2-ply, Normal; Bob: plays 3-ply, Normal, cubes 2-ply"


def test_plays_and_cubes_and_players_have_depths_of_their_own() -> None:
    engine = Counting()
    analysed = analyse(game(), engine, depths=(Depth(1, 2, "large"), Depth(0, 3, "tiny")))
    # Ann doubles once; Bob could double twice and answers once.
    assert sorted(engine.asked) == [
        ("cubes", 1, 2, ""),
        ("cubes", 3, 3, ""),
        ("plays", 2, 0, "tiny"),
        ("plays", 2, 1, "large"),
    ]
    double, take = only(analysed, DecisionKind.DOUBLE)[1], only(analysed, DecisionKind.TAKE)[0]
    assert double.cube is not None
    assert take.cube is not None
    assert (double.cube.plies, take.cube.plies) == (2, 3)
    assert analysed.settings == "player 1: plays 1-ply, Large, cubes 2-ply; player 2: plays 0-ply, Tiny, cubes 3-ply"
    assert analysed.depths == (Depth(1, 2, "large"), Depth(0, 3, "tiny"))


def test_a_player_may_be_left_out() -> None:
    engine = Counting()
    analysed = analyse(game(), engine, depths=(TWO, Depth(None, None)))
    ann, bob = analysed.statistics
    assert (ann.unforced_moves, ann.cube_total) == (2, 1)
    assert (bob.moves, bob.unforced_moves, bob.cube_total, bob.decisions) == (2, 0, 0, 0)
    assert bob.rolls == 2
    assert not any(decision.counted for decision in analysed.decisions if decision.player == 1)


def worse_by_depth(request: PlayRequest) -> PlayRow:
    return [(play, -0.05 * place) for place, play in enumerate(request.position.plays(request.dice))]


def test_the_doubtful_are_judged_again() -> None:
    engine = Counting(cube=always(0.2, 0.3))
    analysed = analyse(game(), engine, plies=0, second=Depth(3, 2, "large"))
    first = analyse(game(), FakeEngine(cube=always(0.2, 0.3)), plies=0)
    marked = [(d.action, d.kind) for d in first.decisions if d.skill]
    assert 0 < len(marked) < len(first.decisions)
    for decision in analysed.decisions:
        depth = decision.plays[0].plies if decision.plays else decision.cube.plies if decision.cube else None
        if (decision.action, decision.kind) in marked:
            assert depth == (3 if decision.plays else 2)
        elif decision.plays:
            assert depth == 0
    again = [asked for asked in engine.asked if asked[2]]
    assert {(kind, plies, name) for kind, _, plies, name in again} == {("plays", 3, "large"), ("cubes", 2, "")}
    assert (
        f"{sum(asked[1] for asked in again)} doubtful decisions judged again, plays 3-ply, Large" in analysed.settings
    )


def test_what_is_known_is_not_judged_again() -> None:
    match = game(number=3)
    known = analyse(match, FakeEngine(), plies=2)
    engine = Counting()
    again = analyse(match, engine, plies=2, known=known)
    assert engine.asked == []
    assert again == replace(known, seconds=again.seconds)
    # A deeper look is taken, a wider one too; a less deep one is not.
    for how, plays in (({"plies": 3}, 12), ({"plies": 2, "filter": "large"}, 12), ({"plies": 1}, 0)):
        engine = Counting()
        analyse(match, engine, known=known, **how)
        assert sum(asked[1] for asked in engine.asked if asked[0] == "plays") == plays


def test_only_weaker_decisions_are_judged_again() -> None:
    match = game()
    known = analyse(match, FakeEngine(cube=always(0.2, 0.3)), plies=0, second=Depth(2, 2))
    deep = sum(d.plays[0].plies == 2 for d in known.decisions if d.plays)
    engine = Counting(cube=always(0.2, 0.3))
    analyse(match, engine, plies=2, known=known)
    assert deep > 0
    assert sum(asked[1] for asked in engine.asked if asked[0] == "plays") == 4 - deep


def test_nothing_is_taken_of_another_engine_or_another_game() -> None:
    match = game(number=2)
    known = analyse(match, FakeEngine())
    engine = Counting()
    engine.fingerprint = "another"
    analyse(match, engine, known=known)
    assert sum(asked[1] for asked in engine.asked if asked[0] == "plays") == 8
    other = replace(match, games=(match.games[0], replace(match.games[1], score=(1, 0))))
    engine = Counting()
    analyse(other, engine, known=known)
    assert sum(asked[1] for asked in engine.asked if asked[0] == "plays") == 4
    engine = Counting()
    analyse(replace(match, length=5), engine, known=known)
    assert sum(asked[1] for asked in engine.asked if asked[0] == "plays") == 8


@pytest.mark.parametrize(
    ("sizes", "least", "parts"),
    [
        ([], 5, [(0, 0)]),
        ([9, 0, 1], 1, [(0, 1), (1, 3)]),
        ([2, 3, 9, 4], 5, [(0, 2), (2, 4)]),
        ([2, 2], 5, [(0, 2)]),
        ([5, 5, 5], 5, [(0, 1), (1, 2), (2, 3)]),
    ],
)
def test_games_are_judged_together_until_they_ask_enough(
    sizes: list[int], least: int, parts: list[tuple[int, int]]
) -> None:
    assert [(part.start, part.stop) for part in analyse_module._parts(sizes, least)] == parts


def test_a_stop_leaves_the_games_that_are_done_and_the_rest_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analyse_module, "_AT_ONCE", 1)
    match = game(number=3)
    whole = analyse(match, FakeEngine())
    part = analyse(match, Counting(stop_after=8))
    assert (part.finished, len(part.games), whole.finished) == (False, 2, True)
    assert part.games == whole.games[:2]
    assert part.statistics[0] == total(each.statistics[0] for each in part.games)
    engine = Counting()
    assert replace(analyse(match, engine, known=part), seconds=0.0) == replace(whole, seconds=0.0)
    assert [asked[1] for asked in engine.asked if asked[0] == "plays"] == [4]
    with pytest.raises(StoppedError):
        analyse(match, Counting(stop_after=0))


def test_a_score_without_equities_is_refused_before_anything_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analyse_module, "_AT_ONCE", 1)
    late = Recorder(25, (23, 1))
    late.move(0, (3, 1), "8/5 6/5")
    match = match_of(doubling_game(25).game(), late.game(number=2), length=25)
    engine = Counting()
    engine.met = met.load("jac100")
    with pytest.raises(SettingsError, match="a game at 2-away 24-away with the cube at 1 is worth nothing"):
        analyse(match, engine)
    assert not engine.asked


# Resignations


def resigned(points: int, gives: int, *, length: int = 7, roll: bool = False, mover: int = 1, **more: Any) -> Match:
    """Bob gives up after a play of `mover`."""
    record = Recorder(length)
    record.move(0, (3, 1), "8/5 6/5")
    if mover == 1:
        record.move(1, (4, 2), "8/4 6/4")
    else:
        record.move(1, (4, 2), "8/4 6/4")
        record.move(0, (6, 4), "24/14")
    if roll:
        record.roll(1, (6, 6))
    record.resign(1, gives)
    return match_of(record.game(winner=0, points=points, resigned=True, **more), length=length)


def given_up(analysed: AnalysedMatch) -> tuple[float, float, float]:
    found = analysed.games[0].resignation
    assert found is not None
    assert found.player == 1
    own, other = analysed.statistics[1], analysed.statistics[0]
    assert (own.too_early.count, own.too_early.error) == (found.given_away > 0, pytest.approx(found.given_away))
    assert (other.too_cheap.count, other.too_cheap.error) == (found.let_off > 0, pytest.approx(found.let_off))
    return found.value, found.given_away, found.let_off


@pytest.mark.parametrize(
    ("worth", "points", "away", "off"),
    [
        (-1.0, 1, 0.0, 0.0),
        (-0.99998, 1, 0.0, 0.0),  # as a bear-off database has it
        (-0.6, 1, 0.4, 0.0),
        (-1.3, 1, 0.0, 0.3),
        (-1.7, 2, 0.3, 0.0),
    ],
)
def test_resignations_for_money(worth: float, points: int, away: float, off: float) -> None:
    """Bob is on roll with a dead lost game, which he gives up for one point or two."""
    engine = FakeEngine(cube=always(worth, worth - 1))
    analysed = analyse(resigned(points, points, length=0, mover=0), engine)
    assert given_up(analysed) == pytest.approx((worth, away, off))
    skill = analysed.games[0].resignation
    assert skill is not None
    assert (skill.given_away_mark, skill.let_off_mark) == (
        Skill.VERY_BAD if away else Skill.NONE,
        Skill.VERY_BAD if off else Skill.NONE,
    )
    # They do not enter the error rate.
    errors = sum(decision.error for decision in analysed.decisions if decision.player == 1)
    assert analysed.statistics[1].error_total == pytest.approx(errors)


def test_a_resignation_after_the_roll_gives_up_its_best_play() -> None:
    engine = FakeEngine(
        plays=lambda request: [(p, -0.9 - 0.1 * i) for i, p in enumerate(request.position.plays(request.dice))]
    )
    assert given_up(analyse(resigned(1, 1, length=0, mover=0, roll=True), engine)) == pytest.approx((-0.9, 0.1, 0.0))


def test_a_resignation_after_the_own_play_leaves_the_other_side_on_roll() -> None:
    engine = FakeEngine(cube=always(0.9, 1.2))
    # Ann would double Bob out: he gives up what she had anyway.
    assert given_up(analyse(resigned(1, 1, length=0), engine)) == pytest.approx((-1.0, 0.0, 0.0))


def test_resignations_in_a_match_are_worth_the_score_after_them() -> None:
    analysed = analyse(resigned(2, 2, mover=0), FakeEngine(cube=always(-1.5, -2.5)))
    table = met.load()
    won, lost, gammon = table.mwc(6, 7), table.mwc(7, 6), table.mwc(5, 7)
    given = (
        (2 * (1 - gammon) - (1 - lost) - (1 - won)) / (won - lost)
        if False
        else (2 * gammon - won - lost) / (won - lost)
    )
    value, away, off = given_up(analysed)
    assert value == pytest.approx(-1.5)
    assert away - off == pytest.approx(-1.5 + given)


def test_a_resignation_instead_of_an_answer() -> None:
    record = Recorder(0)
    record.move(0, (3, 1), "8/5 6/5")
    record.move(1, (4, 2), "8/4 6/4")
    record.double(0)
    record.resign(1, 1)
    analysed = analyse(
        match_of(record.game(winner=0, points=2, resigned=True), length=0), FakeEngine(cube=always(0.5, 0.8))
    )
    # Two points given up where taking is worth .8 less.
    assert given_up(analysed) == pytest.approx((-0.8, 1.2, 0.0))


@pytest.mark.parametrize("change", ["unfinished", "first", "declined"])
def test_resignations_that_end_no_game_are_not_judged(change: str) -> None:
    match = resigned(1, 1, length=0)
    only_game = match.games[0]
    if change == "unfinished":
        only_game = replace(only_game, winner=None)
    elif change == "first":
        only_game = replace(only_game, actions=only_game.actions[-1:])
    else:
        only_game = replace(only_game, actions=(*only_game.actions, *only_game.actions[:2]), winner=None)
    analysed = analyse(replace(match, games=(only_game,)), FakeEngine())
    assert analysed.games[0].resignation is None


def test_the_engine_finds_a_lost_race_rightly_given_up() -> None:
    match = resigned(1, 1, length=0, mover=0)
    lost = Position.from_board([[1] + [0] * 24, [0] * 6 + [3] * 5 + [0] * 14])
    last = match.games[0].actions[-1]
    last = replace(last, position=lost, state=replace(last.state, jacoby=False))
    match = replace(match, games=(replace(match.games[0], actions=(*match.games[0].actions[:-1], last)),))
    with Engine(threads=1) as engine:
        analysed = analyse(match, engine, plies=0, stop=threading.Event())
    found = analysed.games[0].resignation
    assert found is not None
    # Nobody is off the board but one chequer short: Bob lost a gammon, and Ann let him off with a point.
    assert found.value < -1.5
    assert found.given_away == 0
    assert found.let_off > 0.5
