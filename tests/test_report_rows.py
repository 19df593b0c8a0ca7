"""Analyses as tables, and two analyses side by side."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from fake_engine import FakeEngine, always, beavered_game, doubling_game, match_of
from made_match import make_match

import sixprime as sp
from sixprime import formats
from sixprime.analysis.analyse import analyse
from sixprime.analysis.compare import compare, comparisons
from sixprime.analysis.foreign import foreign
from sixprime.analysis.kept import own_analysis, with_analysis
from sixprime.analysis.model import AnalysedMatch
from sixprime.game.record import ActionKind
from sixprime.report import to_rows
from sixprime.report.rows import COLUMNS

DATA = Path(__file__).parent / "data"


@pytest.fixture(scope="module")
def by_gnubg() -> AnalysedMatch:
    return foreign(formats.read(DATA / "sgf" / "analysed.sgf"))


def test_rows_say_what_decisions_say(by_gnubg: AnalysedMatch) -> None:
    rows = to_rows(by_gnubg)
    decisions = [row for row in rows if row["kind"] in ("play", "double", "take")]
    assert len(decisions) == len(by_gnubg.decisions)
    assert all(list(row) == list(COLUMNS) for row in rows)
    for row, decision in zip(decisions, by_gnubg.decisions, strict=True):
        assert (row["error"], row["kind"], row["side"]) == (decision.error, decision.kind, decision.player)
        assert (row["chosen"], row["best"], row["mark"]) == (
            decision.chosen,
            decision.best,
            decision.skill.name.lower(),
        )
        if decision.plays:
            assert row["equity"] == decision.plays[0].equity
        # Their analysis is the same one here.
        assert row["their_error"] in (decision.error, None)
        assert row["their_best_loss"] in (0.0, None)
    for player, own in enumerate(by_gnubg.statistics):
        errors = [row["error"] for row in decisions if row["side"] == player and row["counted"]]
        assert 500 * sum(errors) / len(errors) == pytest.approx(own.pr)
    assert {row["cube_owner"] for row in decisions} == {"own", "opponent", "centre"}


def test_take_rows_are_those_of_the_answerer() -> None:
    analysed = analyse(match_of(doubling_game(length=0).game(), length=0), FakeEngine(cube=always(0.5, 0.8)))
    take = next(row for row in to_rows(analysed) if row["kind"] == "take")
    double = next(row for row in to_rows(analysed) if row["kind"] == "double" and row["chosen"] == "Double")
    assert (take["player"], double["player"]) == ("Bob", "Ann")
    assert (take["equity"], double["equity"]) == (-0.8, 0.8)
    assert take["double_take"] == double["double_take"] == 0.8
    assert take["win"] == pytest.approx(1 - double["win"])
    assert (take["xgid"], double["xgid"]) != (None, None)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_tables_of_others_take_them(library: str) -> None:
    module = pytest.importorskip(library)
    report = sp.MatchReport(*(getattr(make_match(), name) for name in sp.AnalysedMatch.__slots__))
    rows = report.to_rows()
    frame = module.DataFrame(rows)
    assert list(frame.columns) == list(COLUMNS)
    assert len(frame) == len(rows)
    assert float(frame["error"].sum()) == pytest.approx(sum(row["error"] for row in rows))


def test_answers_to_a_beaver_are_worth_what_their_errors_are_told_in() -> None:
    game = beavered_game(ActionKind.BEAVER, ActionKind.DROP).game()
    analysed = analyse(match_of(game, length=0), FakeEngine(cube=always(0.1, -0.2)))
    takes = [row for row in to_rows(analysed) if row["kind"] == "take"]
    assert [(row["player"], row["chosen"], row["best"]) for row in takes] == [
        ("Ann", "Beaver", "Beaver"),
        ("Bob", "Raccoon", "Take"),
        ("Ann", "Pass", "Raccoon"),
    ]
    assert [row["equity"] for row in takes] == pytest.approx([0.4, -0.2, 0.4])
    assert [row["error"] for row in takes] == pytest.approx([0.0, 0.2, 1.4])


def test_an_analysis_beside_itself_agrees(by_gnubg: AnalysedMatch) -> None:
    found = compare(by_gnubg, by_gnubg)
    assert len(found.decisions) == sum(bool(d.plays) or d.cube is not None for d in by_gnubg.decisions)
    assert all(each.agreed for each in found.decisions)
    assert found.disagreements(0.0) == []


def test_disagreements_are_measured_by_both() -> None:
    """We rank the plays in order, they begin with the last; the cube is a double for us and none for them."""
    match = match_of(doubling_game().game())
    plays = FakeEngine()._in_order
    ours = analyse(match, FakeEngine(cube=always(0.4, 0.6)))
    theirs = analyse(
        match,
        FakeEngine(
            plays=lambda request: [(p, -0.01 * i) for i, (p, _) in enumerate(reversed(plays(request)))],
            cube=always(0.5, 0.2),
        ),
    )
    found = compare(ours, theirs).disagreements(0.0)
    sizes = [each.size for each in found]
    assert sizes == sorted(sizes, reverse=True)
    play = next(each for each in found if each.ours.plays)
    number = len(play.ours.plays) - 1
    assert (play.theirs_by_us, play.ours_by_them) == (pytest.approx(0.05 * number), pytest.approx(0.01 * number))
    double = next(each for each in found if each.ours.cube is not None)
    assert (double.theirs_by_us, double.ours_by_them) == (pytest.approx(0.2), pytest.approx(0.3))
    # Both would take.
    assert not any(each.ours.kind == "take" for each in found)
    assert len(compare(ours, theirs).disagreements(0.35)) < len(found)


# Kept in a match


def test_an_analysis_is_kept_in_its_match() -> None:
    analysed = make_match(length=5)
    analysed = replace(analysed, match=replace(analysed.match, problems=()))
    match = with_analysis(analysed)
    sources = {a.source for g in match.games for x in g.actions for a in x.analyses}
    assert sources == {f"Sixprime {sp.__version__}"}
    # Without a depth nobody knows how it was made.
    assert own_analysis(match) is None


def test_what_is_kept_in_sgf_comes_back() -> None:
    engine = sp.Engine(threads=1)
    match = sp.read(sp.sample_match())
    match = replace(match, games=match.games[:2])
    analysed = analyse(match, engine, plies=0)
    text = formats.render([with_analysis(analysed)], "sgf")[0]
    again = own_analysis(formats.read_text(str(text), "m.sgf"))
    assert again is not None
    assert (again.depths, again.judge, again.finished) == (analysed.depths, analysed.judge, True)
    for was, now in zip(analysed.statistics, again.statistics, strict=True):
        assert now.pr == pytest.approx(was.pr, abs=1e-3)
        assert (now.play_marks, now.cube_decisions, now.luck_marks) == (
            was.play_marks,
            was.cube_decisions,
            was.luck_marks,
        )
        assert now.luck_total == pytest.approx(was.luck_total, abs=1e-3)
    # Judged no second time.
    third = analyse(again.match, engine, plies=0, known=again)
    assert [d.error for d in third.decisions] == [d.error for d in again.decisions]
    # A part of it goes on from where it ends.
    part = replace(analysed, games=analysed.games[:1], finished=False)
    found = own_analysis(formats.read_text(str(formats.render([with_analysis(part)], "sgf")[0]), "m.sgf"))
    assert found is not None
    assert (found.finished, len(found.games)) == (False, 1)


def test_analyses_of_ours_are_no_comparison(by_gnubg: AnalysedMatch) -> None:
    assert [each.source for each in comparisons(by_gnubg)] == ["GNU Backgammon 1.07.001"]
    assert comparisons(replace(by_gnubg, match=with_analysis(replace(by_gnubg, settings="2-ply")))) == []
