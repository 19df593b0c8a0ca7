"""Drills: exercises with the right answers, marks, and the log of attempts."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sixprime as sp
from sixprime import codec, paths
from sixprime.codec import Kept
from sixprime.errors import InvalidFileError, InvalidPlayError, SettingsError
from sixprime.learn.drills import Attempt, DrillKind, DrillLog, Exercise, exercise, record

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture(scope="module")
def engine() -> sp.Engine:
    return sp.Engine(threads=1, plies=0)


@pytest.mark.parametrize("kind", DrillKind)
def test_exercises_depend_on_seed_and_number_alone(engine: sp.Engine, kind: DrillKind) -> None:
    first = [exercise(engine, kind, 5, number) for number in range(4)]
    assert first == [exercise(engine, kind, 5, number) for number in reversed(range(4))][::-1]
    assert len({each.position for each in first}) == 4
    assert exercise(engine, kind, 6, 0) != first[0]
    for each in first:
        each.position.check()
        assert each.position.winner is None


def test_pips_are_counted_chequer_by_chequer(engine: sp.Engine) -> None:
    for number in range(20):
        asked = exercise(engine, DrillKind.PIPS, 1, number)
        sides = asked.position.player, asked.position.opponent
        counted = [sum(point for point in range(1, 26) for _ in range(side[point - 1])) for side in sides]
        assert asked.numbers == tuple(counted)
        assert min(counted) >= 40


def test_effective_pips_are_rolls_times_the_mean_roll(engine: sp.Engine) -> None:
    """49/6 pips a roll, by the chances to be off after so many rolls that the database has."""
    for number in range(10):
        asked = exercise(engine, DrillKind.EPC, 1, number)
        side = engine.databases.one_sided.side(asked.position.player)
        rolls = sum(k * chance for k, chance in enumerate(side.distribution))
        assert asked.numbers[0] == pytest.approx(rolls * 49 / 6, abs=1e-3)
        assert not any(asked.position.player[6:])
        assert asked.numbers[0] > asked.position.pips[0]


def test_one_chequer_on_the_ace_point_takes_one_roll(engine: sp.Engine) -> None:
    side = engine.databases.one_sided.side((1, *(0,) * 24))
    assert side.epc == pytest.approx(49 / 6)


def test_races_have_no_contact(engine: sp.Engine) -> None:
    for number in range(10):
        asked = exercise(engine, DrillKind.RACE, 1, number)
        rears = [
            max(p for p, n in enumerate(side, 1) if n) for side in (asked.position.player, asked.position.opponent)
        ]
        assert sum(rears) <= 25
        win = engine.evaluate(asked.position, plies=0).probabilities.win
        assert asked.numbers == (pytest.approx(100 * win),)
        assert 10 <= asked.numbers[0] <= 95


def test_cubes_of_races_lose_what_both_sides_do_wrong(engine: sp.Engine) -> None:
    """Doubling and answering by the equities of the cube decision, worked out here once more."""
    seen = set()
    for number in range(12):
        asked = exercise(engine, DrillKind.CUBE, 1, number)
        cube = engine.cube_action(asked.position)
        passes, takes, waits = 1.0, cube.double_take, cube.no_double
        answered = min(passes, takes, 2 * takes if cube.should_beaver else takes)
        right = max(waits, answered)
        wrong_answer = {"take": takes - answered, "pass": passes - answered}
        assert dict(asked.choices) == pytest.approx(
            {"no double": right - waits} | {word: right - answered + lost for word, lost in wrong_answer.items()}
        )
        best = min(asked.choices, key=lambda choice: choice[1])
        seen.add(best[0])
        assert best[1] == pytest.approx(0, abs=1e-9)
        assert asked.mark(best[0][0].upper(), NOW, 1).right
        worst = max(asked.choices, key=lambda choice: choice[1])
        assert asked.mark(worst[0], NOW, 1).error == worst[1]
        with pytest.raises(
            InvalidPlayError, match=r"expected one of n \(no double\), t \(take\), p \(pass\); found '12'"
        ):
            asked.mark("12", NOW, 1)
    assert seen == {"no double", "take", "pass"}


def test_shots_are_counted_over_all_36_throws(engine: sp.Engine) -> None:
    for number in range(10):
        asked = exercise(engine, DrillKind.SHOTS, 2, number)
        hits = 0
        for throw in product(range(1, 7), repeat=2):
            plays = asked.position.plays(throw)
            hits += any(play.result.player[24] > asked.position.opponent[24] for play in plays)
        assert asked.numbers == (hits,)
        assert 0 < hits < 36


@given(st.floats(0, 300), st.floats(0, 300), st.floats(-50, 50), st.floats(-50, 50))
def test_the_error_is_the_larger_one(mine: float, theirs: float, one: float, two: float) -> None:
    asked = Exercise(DrillKind.PIPS, sp.Position.start(), (round(mine), round(theirs)))
    given = max(0, round(mine + one)), max(0, round(theirs + two))
    attempt = asked.mark(f" {given[0]},0 {given[1]} ", NOW, 3.5)
    expected = max(abs(given[0] - asked.numbers[0]), abs(given[1] - asked.numbers[1]))
    assert (attempt.error, attempt.right, attempt.seconds, attempt.when) == (expected, expected == 0, 3.5, NOW)
    assert asked.mark(f"{given[0]}, {given[1]}", NOW, 3.5) == attempt


@pytest.mark.parametrize(
    ("kind", "right", "near", "wrong"),
    [
        (DrillKind.EPC, 60.0, "60.5", "60.6"),
        (DrillKind.RACE, 70.0, "72%", "67.9"),
        (DrillKind.SHOTS, 11.0, "11", "12"),
    ],
)
def test_how_far_off_is_right(kind: DrillKind, right: float, near: str, wrong: str) -> None:
    asked = Exercise(kind, sp.Position.start(), (right,))
    assert asked.mark(near, NOW, 1).right
    assert not asked.mark(wrong, NOW, 1).right


@pytest.mark.parametrize("text", ["", "167", "1 2 3", "a b", "167 1e3", "nan nan", "167 99999"])
def test_what_is_no_answer(text: str) -> None:
    with pytest.raises(InvalidPlayError, match="expected 2 numbers such as 88 89"):
        Exercise(DrillKind.PIPS, sp.Position.start(), (167, 167)).mark(text, NOW, 1)


@pytest.mark.parametrize(
    ("kind", "text"),
    [(DrillKind.PIPS, "-1"), (DrillKind.PIPS, "3.5"), (DrillKind.SHOTS, "37"), (DrillKind.RACE, "101"),
     (DrillKind.EPC, "-0.5")],
)  # fmt: skip
def test_what_cannot_be_is_no_answer(kind: DrillKind, text: str) -> None:
    with pytest.raises(InvalidPlayError, match="number from 0 to"):
        Exercise(kind, sp.Position.start(), (11.0,)).mark(text, NOW, 1)


def test_wrong_arguments(engine: sp.Engine) -> None:
    for arguments in (("pips", 1, 0), (DrillKind.PIPS, -1, 0), (DrillKind.PIPS, 1, -1)):
        with pytest.raises(SettingsError):
            exercise(engine, *arguments)  # type: ignore[arg-type]


def attempts(*errors: float) -> tuple[Attempt, ...]:
    return tuple(Attempt(DrillKind.PIPS, NOW + timedelta(minutes=i), 10.0 + i, e, e == 0) for i, e in enumerate(errors))


def test_records() -> None:
    assert record(()) is None
    found = record(attempts(0, 4, 0, 8))
    assert found is not None
    assert (found.attempts, found.right, found.error, found.seconds) == (4, 0.5, 3.0, 11.5)


def test_a_log_comes_back(tmp_path: Path) -> None:
    kept = Kept(tmp_path / "log.sixprime", DrillLog())
    for attempt in attempts(0, 1, 2):
        kept.change(lambda log, attempt=attempt: log.added(attempt))  # type: ignore[misc]
    assert kept.load() == DrillLog(attempts(0, 1, 2))
    assert kept.load().of(DrillKind.EPC) == ()
    damaged = codec.to_json(kept.load()).replace(b'"error":2.0', b'"error":-2e99')
    kept.path.write_bytes(damaged)
    with pytest.raises(InvalidFileError, match=r"attempts\[2\].error: expected a number"):
        kept.load()


def test_no_attempt_is_lost_that_somebody_adds_meanwhile(tmp_path: Path) -> None:
    pytest.importorskip("fcntl")
    kept = Kept(tmp_path / "new" / "log.sixprime", DrillLog())

    def add(attempt: Attempt) -> None:
        kept.change(lambda log: log.added(attempt))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(add, attempts(*range(24))))
    assert sorted(attempt.error for attempt in kept.load().attempts) == list(range(24))


def test_the_command(sixprime: Callable[..., Any], tmp_path: Path, engine: sp.Engine) -> None:
    log = ("--log", str(tmp_path / "log.sixprime"))
    one, two = (exercise(engine, DrillKind.PIPS, 3, number) for number in (0, 1))
    answers = [" ".join(f"{number:.0f}" for number in asked.numbers) for asked in (one, two)]
    stdin = f"{answers[0]}\nwhat\n1 1\nq\n".encode()
    status, out, err = sixprime("drill", "pips", "--seed", "3", *log, stdin=stdin)
    assert status == 0
    assert "Right in" in out
    assert re.search(
        rf"Off by \d+ pips in 0\.\d s: X {answers[1].split()[0]}, O {answers[1].split()[1]}$", out, re.MULTILINE
    )
    assert "expected 2 numbers such as 88 89; found 'what'" in err
    assert "pips," not in out.split("How many pips")[0]
    status, out, _ = sixprime("drill", "--list", "--json", *log)
    found = json.loads(out)
    assert found["pips"]["all"]["attempts"] == 2
    assert found["pips"]["all"]["right"] == 0.5
    assert found["epc"] == {"all": None, "latest": None}
    assert len(found["attempts"]) == 2
    for kind in ("epc", "race", "shots"):
        status, out, _ = sixprime("drill", kind, "--seed", "1", "--count", "1", *log, stdin=b"20\n")
        assert status == 0
        assert "Off by " in out or "Right in" in out
    status, out, _ = sixprime("drill", "cube", "--seed", "1", "--count", "1", *log, stdin=b"20\np\n")
    assert (status, "Loses 0." in out or "Right in" in out, " loses " in out) == (0, True, True)
    status, out, _ = sixprime("drill", "--list", *log)
    assert [line.split()[0] for line in out.splitlines()[2:]] == ["pips", "epc", "race", "cube", "shots"]
    assert len(json.loads(sixprime("drill", "epc", "--list", "--json", *log).out)["attempts"]) == 1
    gone = tmp_path / "gone"
    gone.touch()
    status, out, err = sixprime("drill", "pips", "--log", str(gone / "log.sixprime"), stdin=b"1 1\n")
    assert (status, out, err) == (1, "", f"sixprime: {gone}: a folder was expected, this is a file\n")


def test_a_folder_that_can_only_be_read_has_no_attempts(
    sixprime: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SIXPRIME_DATA", str(tmp_path))
    monkeypatch.setattr(paths, "_writable", lambda folder: False)
    monkeypatch.setattr(paths.os, "access", lambda path, mode: False)
    for words, said in ((("drill", "--list"), "No attempts yet."), (("quiz", "--list"), "No cards yet.")):
        status, out, _ = sixprime(*words)
        assert (status, out.startswith(said)) == (0, True)


def test_nothing_is_asked_whose_answer_cannot_be_kept(
    sixprime: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(folder: Path, name: str) -> None:
        raise PermissionError(13, "Permission denied", "/somewhere/tmp1234567")

    monkeypatch.setenv("SIXPRIME_DATA", str(tmp_path))
    monkeypatch.setattr(paths.os, "access", lambda path, mode: False)
    monkeypatch.setattr("sixprime.cli._common.try_writing", refuse)
    for words, name in ((("drill", "pips"), "drills.sixprime"), (("quiz", "openings"), "quiz.sixprime")):
        (tmp_path / name).touch()
        assert sixprime(*words, stdin=b"1 1\n") == (1, "", f"sixprime: {tmp_path / name}: Permission denied\n")


def test_wrong_use(sixprime: Callable[..., Any]) -> None:
    for arguments, text in (((), "name a drill"), (("--json",), "--json goes with --list"), (("darts",), "darts")):
        status, _, err = sixprime("drill", *arguments)
        assert (status, text in err, len(err.splitlines())) == (2, True, 1), err
