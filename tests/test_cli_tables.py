"""What the commands print and hand on, to the letter: help, limits of options, tables of times and speeds, duels."""

from __future__ import annotations

import io
import json
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from golden import check_numbers, check_text
from made_match import make_match

from sixprime import Engine
from sixprime.bearoff import hyper
from sixprime.bearoff.hyper import HyperValue
from sixprime.cli import _COMMANDS, _GROUPS, bench, calibrate
from sixprime.cli import duel as dueling
from sixprime.cli._common import progress
from sixprime.cube.state import CubeState
from sixprime.engine import PlayerSettings
from sixprime.formats import read_all
from sixprime.game.outcomes import Outcomes
from sixprime.game.record import Problem
from sixprime.paths import sample_match
from sixprime.play.standing import Estimate, Standing, StopRule
from sixprime.progress import Progress
from sixprime.train.pipeline import LogLine, Run

START = "4HPwATDgc/ABMA"
PAGES = [(), *((name,) for name in _COMMANDS)]
PAGES += [("bearoff", name) for name in ("build", "export", "import", "list", "show")]
PAGES += [("map", name) for name in ("temperature", "score", "losers", "levels")]

Sixprime = Callable[..., Any]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: " ".join(page) or "all")
def test_help(sixprime: Sixprime, page: tuple[str, ...]) -> None:
    """Which options there are, their defaults and ranges, whatever lines and frames look like."""
    found = sixprime(*page, "--help").out
    text = " ".join(re.sub(r"[^\w\s.,:;<>=@/*+\[\](){}'\"`-]", " ", found).split())
    check_text("help", " ".join(page) or "all", re.sub(r"[═─]+", "", text))


def test_every_command_stands_in_one_group_of_the_first_page() -> None:
    assert sorted(name for names in _GROUPS.values() for name in names) == sorted(_COMMANDS)


def test_the_first_page_has_examples(sixprime: Sixprime) -> None:
    out = sixprime("--help").out
    assert out.rstrip().splitlines()[-4:] == [
        "Examples:",
        "  sixprime analyse --sample --html sample.html",
        "  sixprime hint 4HPwATDgc/ABMA --dice 31",
        '  sixprime eval "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:7:10"',
    ]


NOBODY = ("--net", "nobody")
LIMITS: list[tuple[tuple[str, ...], tuple[str, ...], str, float | None, float | None]] = [
    # A command, what makes it end before any work, an option, its lowest and its highest value.
    (("eval", START), NOBODY, "--plies", 0, 4),
    (("eval", START), NOBODY, "--threads", 1, 1024),
    (("hint", START, "31"), NOBODY, "--count", 1, None),
    (("cube", START), NOBODY, "--plies", 0, 4),
    (("analyse", "nosuch.mat", "--rollout"), NOBODY, "--trials", 36, 1_000_000),
    (("rollout", START), NOBODY, "--count", 1, 1000),
    (("rollout", START), NOBODY, "--plies", 0, 4),
    (("rollout", START), NOBODY, "--cube-plies", 0, 4),
    (("rollout", START), NOBODY, "--opponent-plies", 0, 4),
    (("rollout", START), NOBODY, "--later-cube-plies", 0, 4),
    (("rollout", START), NOBODY, "--truncate-plies", 0, 4),
    (("rollout", START), NOBODY, "--noise", 0, 1),
    (("rollout", START), NOBODY, "--opponent-noise", 0, 1),
    (("rollout", START), NOBODY, "--branches", 1, 64),
    (("rollout", START), NOBODY, "--minimum", 2, None),
    (("rollout", START), NOBODY, "--trials", 1, None),
    (("rollout", START), NOBODY, "--seed", 0, None),
    (("rollout", START), NOBODY, "--truncate", 0, None),
    (("rollout", START), NOBODY, "--later-turn", 0, None),
    (("duel", "a", "b"), ("--state", "."), "--length", 1, 64),
    (("duel", "a", "b"), ("--state", "."), "--pairs", 1, 10_000_000),
    (("duel", "a", "b"), ("--state", "."), "--least", 2, None),
    (("duel", "a", "b"), ("--state", "."), "--clear", 0, None),
    (("duel", "a", "b"), ("--state", "."), "--error", 0, None),
    (("duel", "a", "b"), ("--state", "."), "--seed", 0, 2**62 - 1),
    (("duel", "a", "b"), ("--state", "."), "--timeout", None, 86_400),
    (("bench",), NOBODY, "--seconds", None, 600),
    (("bench", "--strength", "--data", "nosuch"), (), "--every", 1, None),
    (("bench", "--strength", "--data", "nosuch"), (), "--plies", 0, 4),
    (("met", "nosuch"), (), "--size", 2, 64),
    (("bearoff", "show", "nosuch"), (), "--hyper", 1, 3),
    (("bearoff", "show", "nosuch"), (), "--number", 0, None),
]


@pytest.mark.parametrize(("command", "ends", "option", "low", "high"), LIMITS, ids=lambda value: str(value))
def test_limits_of_options(
    sixprime: Sixprime,
    command: tuple[str, ...],
    ends: tuple[str, ...],
    option: str,
    low: float | None,
    high: float | None,
) -> None:
    def refused(value: object) -> bool:
        status, out, err = sixprime(*command, *ends, f"{option}={value}")
        assert status in (1, 2)
        assert out == ""
        return re.search(rf"Invalid value .*for {option}[.:]", err) is not None

    for edge, beyond in ((low, -1), (high, 1)):
        if edge is not None:
            assert not refused(edge)
            assert refused(edge + beyond)
    assert refused("0.5x")


# Times and speeds


def test_times_in_words(sixprime: Sixprime, monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = [0.012345, 9.994, 10.0, 119.4, 120.0, 7199.4, 7199.6]
    monkeypatch.setattr(calibrate, "make_engine", lambda **_: None)
    monkeypatch.setattr(
        calibrate, "measure", lambda *_: dict(zip(calibrate._LABELS, seconds, strict=True)) | {"threads": 12}
    )
    found = sixprime("calibrate")
    assert (found.status, found.err) == (0, "")
    assert found.out.splitlines() == [
        "best play, 2-ply                                    0.0123 s",
        "7-point match, 0-ply                                  9.99 s",
        "7-point match, 2-ply                                    10 s",
        "rollout, 1,296 games to the end                        119 s",
        "rollout, 1,296 games cut after 10 turns            2 min 0 s",
        "rollout, 1,296 games, 2-ply cube                119 min 59 s",
        "rollout, 1,296 games, 2-ply play and cube          2 h 0 min",
        "threads                                                   12",
    ]
    assert [calibrate._duration(s) for s in (119.6, 3.7e5)] == ["120 s", "102 h 46 min"]


def test_speeds_in_words(sixprime: Sixprime, monkeypatch: pytest.MonkeyPatch) -> None:
    speeds = dict.fromkeys(bench._LABELS, 1234567.5) | {"rollout_games_per_second": 0.6, "threads": 2}
    asked: list[object] = []
    monkeypatch.setattr(bench, "make_engine", lambda *names, **options: asked.extend([*names, options]))
    monkeypatch.setattr(bench, "measure", lambda engine, seconds: asked.append(seconds) or speeds)
    assert sixprime("bench", "--threads", "2").out.splitlines() == [
        "legal plays generated                        1,234,568 per second",
        "positions judged by the net                  1,234,568 per second",
        "plays of all rolls from contact judged       1,234,568 per second",
        "best plays found at 0-ply                    1,234,568 per second",
        "positions evaluated at 2-ply, cubeful        1,234,568 per second",
        "games rolled out                                     1 per second",
        "threads                                              2",
    ]
    assert asked == [None, {"threads": 2}, 1.0]
    assert json.loads(sixprime("bench", "--net", "small", "--seconds", "0.5", "--json").out) == speeds
    assert asked[3:] == ["small", {"threads": None}, 0.5]


class Clock:
    """A clock that only work moves."""

    now = 0.0

    def perf_counter(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(calibrate, "time", clock)
    return clock


def test_samples_grow_until_they_take_long_enough(clock: Clock) -> None:
    asked: list[int] = []

    def work(count: int) -> None:
        asked.append(count)
        clock.now += 0.25 * count

    assert calibrate._per_unit(work, 1000, 6.0) == 0.25
    assert asked == [1, 1, 16]  # at first to warm up
    asked.clear()
    assert calibrate._per_unit(work, 3, 60.0) == 0.25
    assert asked == [1, 1, 3]
    asked.clear()
    assert calibrate._per_unit(work, 10, 0.5) == 0.25
    assert asked == [1, 1]


def test_what_is_timed(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each job by its own work: the match by its longest game, rollouts by the depths and cuts they are named for."""
    events: list[str] = []
    settings: set[tuple[object, ...]] = set()

    def rank(requests: list[object], plies: int) -> None:
        assert plies == 2
        events.append("rank")
        clock.now += 0.5 * len(requests)

    def rollout(position: object, *, trials: int, players: tuple[PlayerSettings, ...], truncation: int) -> None:
        one, other = players
        assert one == other
        events.append("rollout")
        settings.add((one.plies, one.cube_plies, truncation))
        clock.now += trials * (0.01 + 0.02 * one.plies + 0.03 * one.cube_plies + (0.001 if truncation else 0))

    def judge(match: Any, engine: object, plies: int) -> None:
        events.append("judge")
        clock.now += sum(len(game.actions) for game in match.games) * (plies + 1)

    engine = SimpleNamespace(threads=3, forget=lambda: events.append("forget"), rank_plays_many=rank, rollout=rollout)
    monkeypatch.setattr("sixprime.analysis.analyse.analyse", judge)
    found = calibrate.measure(engine, 2.0)  # type: ignore[arg-type]
    actions = sum(len(game.actions) for game in read_all(sample_match())[0].games)
    assert settings == {(0, 0, 0), (0, 0, 10), (0, 2, 0), (2, 2, 0)}
    assert found == pytest.approx({
        "hint_2ply": 0.5,
        "match_0ply": actions,
        "match_2ply": 3 * actions,
        "rollout_1296": 12.96,
        "rollout_1296_cut": 1296 * 0.011,
        "rollout_1296_2ply_cube": 1296 * 0.07,
        "rollout_1296_2ply_play": 1296 * 0.11,
        "threads": 3,
    })  # fmt: skip
    # Nothing is known from the time before.
    for before, event in pairwise(events):
        assert before in ("forget", "rank" if event == "rank" else "") or event == "forget"
    assert {"rank", "rollout", "judge"} < set(events)


def test_what_a_speed_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a second between two looks at the clock: what is done in one call."""
    seconds = iter(range(1000))
    monkeypatch.setattr(bench, "time", SimpleNamespace(perf_counter=lambda: float(next(seconds))))
    wanted = ("plays_per_second", "evaluations_per_second", "plays_judged_per_second", "decisions_0ply_per_second")
    found = bench.measure(Engine(threads=2, plies=0), 1.0, wanted)
    assert (found["threads"], found["evaluations_per_second"], found["decisions_0ply_per_second"]) == (2, 2048, 2048)
    check_numbers("help", "speeds", [found["plays_per_second"], found["plays_judged_per_second"]], rel=0.02)
    calls: list[int] = []
    assert bench._rate(lambda: calls.append(1), 10, 2.5) == 10.0
    assert len(calls) == 4  # the first one warms up


# Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_bar_says_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr("sys.stderr", shown := Terminal())
    with progress("[Work]") as hook:
        assert hook is not None
        hook(Progress(3, 12))
    text = re.sub(r"\x1b\[[\d;?]*[A-Za-z]", "", shown.getvalue())
    assert "[Work]" in text
    assert "25%" in text
    monkeypatch.setattr("sys.stderr", io.StringIO())
    with progress("Work") as hook:
        assert hook is None


# Hypergammon

VALUE = HyperValue(Outcomes(0.6, 0.25, 0.05, 0.2, 0.025), 0.5, 0.25, 0.125, -0.375)


class Solved:
    """A database that knows one position."""

    def __init__(self, *values: float) -> None:
        self.values = HyperValue(VALUE.probabilities, *values)

    def value(self, position: object) -> HyperValue:
        return self.values

    def index(self, position: object) -> int:
        return 77


@pytest.mark.parametrize("theirs", [False, True])
def test_a_position_of_hypergammon(sixprime: Sixprime, monkeypatch: pytest.MonkeyPatch, theirs: bool) -> None:
    def find(chequers: int, *, gnubg: bool = False) -> Solved | None:
        assert (chequers, gnubg) == (2, True)
        return Solved(0.75, 0.5, -0.25, 0.0625) if theirs else None

    monkeypatch.setattr(hyper, "hyper", lambda chequers: Solved(0.5, 0.25, 0.125, -0.375) if chequers == 2 else None)
    monkeypatch.setattr(hyper, "find", find)
    command = ("bearoff", "show", "IAAAAAIAAAAAAA", "--hyper", "2")
    lines = sixprime(*command).out.splitlines()
    assert lines[:7] == [
        "Position ID IAAAAAIAAAAAAA, hypergammon with 2 chequers",
        "",
        "Wins 60.00 %, gammons 25.00 %, backgammons 5.00 %",
        "Loses 40.00 %, gammons 20.00 %, backgammons 2.50 %",
        "Cubeless equity +0.2750",
        "",
        f"Money equity, no double          exact{'    as in GNU Backgammon' if theirs else ''}",
    ]
    ours = ["Cube owned                     +0.5000", "Cube centred                   +0.2500",
            "Cube centred, Jacoby rule      +0.1250", "Cube owned by the opponent     -0.3750"]  # fmt: skip
    others = ["       +0.7500", "       +0.5000", "       -0.2500", "       +0.0625"]
    assert lines[7:] == [a + (b if theirs else "") for a, b in zip(ours, others, strict=True)]
    assert json.loads(sixprime(*command, "--json").out) == {
        "position_id": "IAAAAAIAAAAAAA",
        "chequers": 2,
        "index": 77,
        "probabilities": [0.6, 0.25, 0.05, 0.2, 0.025],
        "cubeless_equity": pytest.approx(0.275),
        "equities": {"owned": 0.5, "centred": 0.25, "centred_jacoby": 0.125, "opponent": -0.375},
        "gnubg_equities": {"owned": 0.75, "centred": 0.5, "centred_jacoby": -0.25, "opponent": 0.0625}
        if theirs
        else None,
    }


# Duels

MONEY = CubeState(limit=1)
CUBEFUL = CubeState(jacoby=True)
FIVE = CubeState(1, 0, 5, (5, 5))


def result(start: CubeState, standing: Standing, *, interrupted: bool = False, **stop: Any) -> dict[str, Any]:
    players = [SimpleNamespace(name=name, identity=f"{name} of 1999") for name in ("Ann", "Bob")]
    match = SimpleNamespace(players=players, start=start, seed=7, variant="standard")
    found = dueling._result(match, standing, StopRule(**stop), interrupted=interrupted)  # type: ignore[arg-type]
    speed, waiting = (1234.5, 0) if standing.pairs else (None, 3)
    return found | {"evaluator": "standard", "seconds": 1.5, "pairs_per_minute": speed, "waiting": waiting}


CLEAR = Standing(300, (310, 290), Estimate(0.03, 0.05), Estimate(0.0462, 0.0132))
CLOSE = Standing(2000, (1990, 2010), Estimate(-0.01, 0.02), Estimate(-0.0104, 0.0051))
ONE = Standing(1, (1, 1), Estimate(0.5, float("nan")), Estimate(-0.25, float("nan")))
NONE = Standing(0, (0, 0), Estimate(float("nan"), float("nan")), Estimate(float("nan"), float("nan")))


@pytest.mark.parametrize(
    ("start", "standing", "options", "lines"),
    [
        (
            MONEY,
            CLEAR,
            {},
            """Ann against Bob: 300 mirrored pairs of cubeless money games, seed 7

won                     310 to 290
raw               +0.0300 ± 0.0500  points a game
luck-adjusted     +0.0462 ± 0.0132  points a game
                               3.5  standard errors from even

Stopped: the answer is clear. 1,234 pairs a minute. Ann is the better player.""",
        ),
        (
            CUBEFUL,
            CLOSE,
            {},
            """Ann against Bob: 2000 mirrored pairs of cubeful money games, seed 7

won                   1990 to 2010
raw               -0.0100 ± 0.0200  points a game
luck-adjusted     -0.0104 ± 0.0051  points a game
                               2.0  standard errors from even

All pairs are played. 1,234 pairs a minute. Bob seems to be the better player.""",
        ),
        (
            CubeState(jacoby=False),
            CLEAR,
            {"clear": 4.0, "error": 0.02},
            """Ann against Bob: 300 mirrored pairs of cubeful money games without Jacoby rule, seed 7

won                     310 to 290
raw               +0.0300 ± 0.0500  points a game
luck-adjusted     +0.0462 ± 0.0132  points a game
                               3.5  standard errors from even

Stopped: the standard error is small enough. 1,234 pairs a minute. Ann is the better player.""",
        ),
        (
            FIVE,
            ONE,
            {"interrupted": True},
            """Ann against Bob: 1 mirrored pair of matches to 5, seed 7

won                         1 to 1
raw                        +0.5000  of the matches, less a half
luck-adjusted              -0.2500  of the matches, less a half

Interrupted; only pairs complete without a gap count. 1,234 pairs a minute. These are too few to show who is better.""",
        ),
        (
            FIVE,
            NONE,
            {"interrupted": True},
            """Ann against Bob: 0 mirrored pairs of matches to 5, seed 7


Interrupted; only pairs complete without a gap count, and 3 wait behind one. None is complete yet.""",
        ),
    ],
    ids=["clear", "close", "error", "one", "none"],
)
def test_a_duel_in_words(
    start: CubeState, standing: Standing, options: dict[str, Any], lines: str, capsys: pytest.CaptureFixture[str]
) -> None:
    dueling._print(result(start, standing, **options))
    assert capsys.readouterr().out == lines + "\n"


def test_a_duel_as_values() -> None:
    assert result(CUBEFUL, CLEAR) == {
        "a": "Ann", "b": "Bob", "identities": ["Ann of 1999", "Bob of 1999"], "kind": "cubeful money", "length": 0,
        "jacoby": True, "variant": "standard", "seed": 7, "pairs": 300, "wins": [310, 290], "raw": 0.03,
        "raw_error": 0.05, "adjusted": 0.0462, "adjusted_error": 0.0132, "z": 3.5, "stopped": "clear",
        "evaluator": "standard", "seconds": 1.5, "pairs_per_minute": 1234.5, "waiting": 0,
    }  # fmt: skip
    one = result(FIVE, ONE, interrupted=True)
    assert (one["kind"], one["length"], one["z"], one["adjusted_error"], one["stopped"]) == (
        "match", 5, None, None, "interrupted",
    )  # fmt: skip


# Training


@pytest.fixture
def recipe(tmp_path: Path) -> Iterator[Path]:
    path = tmp_path / "recipe.toml"
    nets = "".join(f"{name} = {{hidden = 2, rear = false, pairs = false}}\n" for name in ("contact", "race", "pruner"))
    path.write_text(f'name = "t"\nseed = 1\n[nets]\n{nets}' + '[[stage]]\nkind = "td"\npositions = 10\n' * 3)
    return path


def test_how_far_a_training_run_is(
    sixprime: Sixprime, recipe: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = [
        LogLine(0, "td", 12_345, 100_000, 90.0, 0.01, 0.0, 4321.6),
        LogLine(1, "learn", 7, 7, 3600.0, 0.01, 0.04567, 0.0),
        LogLine(2, "learn", 3000, 2000, 7205.0, 0.0, 0.5, 12.0, lost=6.126),
    ]

    def advance(self: Run, report: Callable[[LogLine], None]) -> bool:
        report(told.pop(0))
        return bool(told)

    monkeypatch.setattr(Run, "advance", advance)
    status, out, err = sixprime("train", str(tmp_path / "run"), "--recipe", str(recipe))
    assert (status, out) == (0, "")
    assert err.splitlines() == [
        "stage 1/3 td   12.3 %  12,345 of 100,000, 4,322 a second, 1.5 min",
        "stage 2/3 learn  100.0 %  7 of 7, 0 a second, 60.0 min, error 0.0457",
        "stage 3/3 learn  100.0 %  3,000 of 2,000, 12 a second, 120.1 min, error 0.5000, loses 6.13 mEMG a decision",
        "Done.",
    ]


def test_a_run_lives_in_a_folder(sixprime: Sixprime, recipe: Path) -> None:
    wanted = (1, "", f"sixprime: {recipe}: a folder was expected, this is a file\n")
    assert sixprime("train", str(recipe), "--recipe", str(recipe)) == wanted


def test_what_a_run_begins_with(
    sixprime: Sixprime, recipe: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nets and lessons as they are named, in order; none of them else."""
    asked: list[tuple[object, ...]] = []
    start = Run.start.__func__  # type: ignore[attr-defined]

    def begun(
        cls: type[Run],
        folder: Path,
        plan: object,
        begin: Sequence[Path] = (),
        *,
        threads: int | None = None,
        lessons: Sequence[Path] = (),
    ) -> Run:
        asked.append((list(begin), threads, list(lessons)))
        return start(cls, folder, plan)

    monkeypatch.setattr(Run, "start", classmethod(begun))
    monkeypatch.setattr(Run, "advance", lambda self, report: False)
    monkeypatch.chdir(tmp_path)
    for other in "cd":
        (tmp_path / other / "lessons").mkdir(parents=True)
    for number, options in enumerate(
        ([], ["--net", "a", "--net", "b"], ["--lessons", "c", "--lessons", "d", "--net", "e", "--threads", "3"])
    ):
        assert sixprime("train", str(tmp_path / str(number)), "--recipe", str(recipe), *options).status == 0
    assert asked == [
        ([], None, []),
        ([Path("a"), Path("b")], None, []),
        ([Path("e")], 3, [Path("c"), Path("d")]),
    ]


def test_races_are_trained_where_they_are_told(
    sixprime: Sixprime, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without `--save` into the folder; one that was stopped says how to go on; wrong options are named."""
    asked: list[tuple[Path, Path]] = []

    def make_nets(folder: Path, target: Path, *, report: Callable[[str], None]) -> None:
        asked.append((folder, target))
        report("stage 1")
        if len(asked) > 2:
            raise KeyboardInterrupt

    monkeypatch.setitem(sys.modules, "sixprime.train.races", SimpleNamespace(make_nets=make_nets))
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace())
    run, other = tmp_path / "run", tmp_path / "other.safetensors"
    assert sixprime("train", str(run), "--races") == (0, "", "stage 1\n")
    assert sixprime("train", str(run), "--races", "--save", str(other)) == (0, "", "stage 1\n")
    assert asked == [(run, run / "race.safetensors"), (run, other)]
    assert sixprime("train", str(run), "--races") == (
        1, "", "stage 1\nsixprime: stopped; the same command goes on from the last finished stage\n",
    )  # fmt: skip
    for more in (["--resume"], ["--recipe", "small"], ["--net", "x"], ["--lessons", "x"], ["--data", "x"],
                 ["--executor", "dask://x:1"], ["--seed", "1"]):  # fmt: skip
        status, _, err = sixprime("train", str(run), "--races", *more)
        assert (status, err) == (2, f"sixprime: --races goes with --save only, not with {more[0]}\n")
    for more in (["--resume", "--net", "x"], ["--resume", "--lessons", "x"], ["--resume", "--seed", "1"]):
        status, _, err = sixprime("train", str(run), *more)
        assert (status, err) == (
            2, "sixprime: --seed, --net and --lessons start a new run; they do not go with --resume\n",
        )  # fmt: skip
    for more in ([], ["--resume", "--recipe", "small"]):
        status, _, err = sixprime("train", str(run), *more)
        assert (status, "give either --recipe FILE to start a run or --resume" in err) == (2, True)


# Reports


@pytest.mark.parametrize("number", [0, 1, 3, 4, 13])
def test_only_the_first_problems_of_a_file_are_told(
    sixprime: Sixprime, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    problems = tuple(Problem(f"wrong {i}", "a.mat") for i in range(number))
    found = replace(make_match(games=1, turns=2).match, problems=problems)
    monkeypatch.setattr("sixprime.formats.read_all", lambda *_: [found])
    (tmp_path / "a.mat").touch()
    status, _, err = sixprime("convert", str(tmp_path / "a.mat"), str(tmp_path / "b.mat"))
    said = [line for line in err.splitlines() if "wrong" in line or "more problems" in line]
    assert status == 0
    assert len([line for line in said if "wrong" in line]) == min(number, 3)
    assert [line.rsplit(": ", 1)[1] for line in said if "more" in line] == (
        [f"{number - 3} more problems"] if number > 3 else []
    )


def test_numbers_are_whole_where_they_count(sixprime: Sixprime) -> None:
    for text in ("1.5", "1e3", "one", ""):
        status, _, err = sixprime("hint", START, "31", f"--count={text}", *NOBODY)
        assert (status, "expected a whole number" in err or "needs a value" in err) == (2, True)
    for text in ("0x10", "0b11", "0o7", "12"):
        status, _, err = sixprime("hint", START, "31", f"--count={text}", *NOBODY)
        assert (status, "the package has the nets" in err) == (1, True)
