"""Marks for rollout, set by hand."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import sixprime as sp
from sixprime.analysis.analyse import analyse
from sixprime.analysis.marked import Choice, Mark, Place, roll_out_marked
from sixprime.analysis.model import AnalysedMatch, DecisionKind
from sixprime.analysis.thresholds import Skill
from sixprime.errors import SettingsError, StoppedError
from sixprime.formats import read
from sixprime.paths import sample_match

SETTINGS = sp.RolloutSettings(trials=36, truncation=3)


@pytest.fixture(scope="module")
def engine() -> sp.Engine:
    return sp.Engine(threads=1, plies=0)


@pytest.fixture(scope="module")
def analysed(engine: sp.Engine) -> AnalysedMatch:
    return analyse(read(sample_match()), engine, plies=0)


def test_only_what_is_marked_is_rolled_out(analysed: AnalysedMatch, engine: sp.Engine) -> None:
    play = next(d for d in analysed.decisions if d.game == 1 and len(d.plays) > 4 and d.played is not None)
    cube = next(d for d in analysed.decisions if d.kind is DecisionKind.DOUBLE and d.game == 2)
    marks = [Mark(1, play.action, play.kind, 3), Mark(2, cube.action, cube.kind)]
    found = roll_out_marked(analysed, marks, engine, SETTINGS)
    assert found.finished
    assert "2 marked decisions rolled out, 36 games each" in found.settings
    changed = {(now.game, now.action, now.kind) for was, now in zip(analysed.decisions, found.decisions, strict=True)
               if was != now and was.kind is now.kind}  # fmt: skip
    assert (1, play.action, DecisionKind.PLAY) in changed
    assert (2, cube.action, DecisionKind.DOUBLE) in changed
    # The answer to that double is the same rollout; nothing else is judged anew.
    assert {place[:2] for place in changed} <= {(1, play.action), (2, cube.action), (2, cube.action + 1)}
    now = next(d for d in found.decisions if (d.game, d.action, d.kind) == (1, play.action, play.kind))
    assert {each.play for each in now.plays if each.trials} == {play.plays[0].play, play.plays[3].play}
    assert [each.trials for each in now.plays[:3]] == [36, 36, 0]
    assert {each.play for each in now.plays} == {each.play for each in play.plays}
    assert now.luck == play.luck
    assert found.games[0] == analysed.games[0]


def test_nothing_marked_changes_nothing(analysed: AnalysedMatch, engine: sp.Engine) -> None:
    assert roll_out_marked(analysed, [], engine, SETTINGS) is analysed


def test_marks_that_are_wrong_are_refused(analysed: AnalysedMatch, engine: sp.Engine) -> None:
    play = next(d for d in analysed.decisions if d.kind is DecisionKind.PLAY and d.plays)
    cube = next(d for d in analysed.decisions if d.kind is DecisionKind.DOUBLE)
    for mark, words in (
        (Mark(99, 0, DecisionKind.PLAY), "game 99, action 0, play, where no decision was analysed"),
        (Mark(play.game, play.action, play.kind, 500), f"expected 0 to {len(play.plays) - 1}"),
        (Mark(cube.game, cube.action, cube.kind, 1), "has 0 only"),
    ):
        with pytest.raises(SettingsError, match=words):
            roll_out_marked(analysed, [mark], engine, SETTINGS)


def test_a_stop_leaves_nothing_half_done(analysed: AnalysedMatch, engine: sp.Engine) -> None:
    play = next(d for d in analysed.decisions if d.kind is DecisionKind.PLAY and len(d.plays) > 1)
    stop = threading.Event()
    stop.set()
    with pytest.raises(StoppedError):
        roll_out_marked(analysed, [Mark(play.game, play.action, play.kind)], engine, SETTINGS, stop=stop)


def test_words_choose_by_mark_and_by_place(analysed: AnalysedMatch) -> None:
    assert Choice.parse("very-bad, 7.12,bad,5.9:2") == Choice(Skill.BAD, (Place(7, 12), Place(5, 9, 1)))
    by_place = {(d.game, d.action, d.kind): d for d in analysed.decisions}

    def chosen(text: str) -> list[Any]:
        marks = Choice.parse(text).marks(analysed, 324)
        return list({(m.game, m.action, m.kind): by_place[m.game, m.action, m.kind] for m in marks}.values())

    assert chosen("bad") == [d for d in analysed.decisions if d.skill >= Skill.BAD]
    play = max((d for d in analysed.decisions if d.plays), key=lambda d: d.error)
    place = f"{play.game + 1}.{play.move_number}"
    assert play in chosen(f"{place}:{play.player + 1}")
    assert {d.player for d in chosen(place)} == {0, 1}
    assert {d.player for d in chosen(f"{place}:{play.player + 1}")} == {play.player}
    marks = Choice.parse(f"{place}:{play.player + 1}").marks(analysed, 324)
    assert {0, play.played} <= {mark.candidate for mark in marks if mark.kind is DecisionKind.PLAY}
    for wrong in ("", "worst", "7", "7.12:3", "7.12;bad"):
        with pytest.raises(SettingsError, match="named by doubtful, bad, very-bad or by game and move"):
            Choice.parse(wrong)
    with pytest.raises(SettingsError, match="text must be a text"):
        Choice.parse(None)  # type: ignore[arg-type]
    with pytest.raises(SettingsError, match=r"no decision to roll out at 7\.99, 8\.1:2"):
        Choice.parse("bad,7.99,8.1:2").marks(analysed, 324)


def test_the_command_rolls_out_what_is_chosen_and_only_once(sixprime: Callable[..., Any], tmp_path: Path) -> None:
    kept = tmp_path / "kept.sixprime"
    options = ("--plies", "0", "--trials", "36", "--save", str(kept))
    for which, said in (
        ("7.12:2", "1 marked decision "),
        ("7.12,2.17:2", "2 marked decisions"),
        ("2.17:2", "before, "),
    ):
        status, out, _ = sixprime("analyse", "--sample", "--rollout-of", which, *options)
        assert status == 0
        assert said in " ".join(out.split())
    done = [d for d in sp.load_analysis(kept).decisions if d.plays and d.plays[0].trials]
    assert sorted((d.game + 1, d.move_number, d.player) for d in done) == [(2, 17, 1), (7, 12, 0), (7, 12, 1)]
    for wrong, said in (
        (("--rollout-of", "7.99"), r"sample\.mat: there is no decision to roll out at 7\.99"),
        (("--rollout-of", "worst"), "named by doubtful, bad"),
        (("--rollout-of", "bad", "--theirs"), "--theirs judges nothing; leave out --plies, --rollout-of"),
    ):
        status, _, told = sixprime("analyse", "--sample", "--plies", "0", *wrong)
        assert status != 0
        assert re.search(said, told)
