"""Databases of lessons: kept, rolled out, merged, learnt from."""

from __future__ import annotations

import io
import json
import math
import re
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sixprime import kernels
from sixprime.engine import Engine
from sixprime.errors import DataFileError, InvalidFileError, InvalidPositionError, SettingsError, StoppedError
from sixprime.game.outcomes import Outcomes
from sixprime.game.position import Position
from sixprime.progress import Watch
from sixprime.train import database
from sixprime.train.database import Content, Database, Rollout, _row, generate, read, write
from sixprime.train.recipe import parse_recipe, read_recipe

START = Position.start()
RACE = Position.from_id("Xes6AABuuzUAAA")


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine("small", threads=1)


def rollout(position: Position = START, seed: int = 1, trials: int = 36, win: float = 0.5, **more: Any) -> Rollout:
    chances: dict[str, Any] = dict.fromkeys(("win_gammon", "win_backgammon", "lose_gammon", "lose_backgammon"), 0.0)
    return Rollout(position.id, "0-ply, engine x", seed, trials, win=win, **chances | {"error": 0.01} | more)


def test_positions_are_there_once(tmp_path: Path) -> None:
    with Database(tmp_path / "a.db", create=True) as base:
        plays = [play.result for play in START.plays((3, 1))]
        assert base.add([[START], [START], plays]) == 1 + len(plays)
        assert base.add([plays]) == 0
        assert base.count() == len(base.ids()) == 1 + len(plays)
        positions = base.content().positions
        assert positions[START.id] is None
        assert {positions[play.id] for play in plays} == {2}
        assert base.remove([START.id, "4HPwATDgc/ABMA"]) == 1
        assert base.remove([START.id]) == 0


@pytest.mark.parametrize(
    "position", [Position((0,) * 25, (2,) + (0,) * 24), Position.start("hypergammon3"), Position((20,) * 25, (0,) * 25)]
)
def test_what_no_net_learns_from_is_refused(tmp_path: Path, position: Position) -> None:
    with Database(tmp_path / "a.db", create=True) as base:
        with pytest.raises(InvalidPositionError):
            base.add([[START], [position]])
        assert base.count() == 0


def test_rollouts_are_made_once(tmp_path: Path, engine: Engine) -> None:
    with Database(tmp_path / "a.db", create=True) as base:
        base.add([[START], [RACE]])
        assert base.roll_out(engine, 36) == 2
        assert base.roll_out(engine, 36) == 0
        first = {each.id: each for each in base.known()}
        assert base.roll_out(engine, 108) == 2
        content = base.content()
        made = [(each.seed, each.trials) for each in content.rollouts if each.id == START.id]
        assert made == [(1, 36), (1 + (1 << 32), 72)]
        alone = engine.rollout(START, trials=36, cubeful=False, seed=1, match=database._CUBELESS).estimates[0]
        assert first[START.id].outcomes == alone.probabilities
        assert first[START.id].error == alone.cubeless_error
        known = {each.id: each for each in base.known()}[START.id]
        apart = [each for each in content.rollouts if each.id == START.id]
        assert known.trials == 108
        assert known.outcomes.win == pytest.approx((apart[0].win + 2 * apart[1].win) / 3, abs=1e-12)
        assert known.error == pytest.approx(math.hypot(apart[0].error / 3, 2 * apart[1].error / 3), abs=1e-12)


def test_a_stopped_rollout_keeps_what_is_done(tmp_path: Path, engine: Engine) -> None:
    stop = threading.Event()
    with Database(tmp_path / "a.db", create=True) as base:
        base.add([[each] for each in generate(engine, 5)])
        with pytest.raises(StoppedError, match="stopped after 2 of 5 positions"):
            base.roll_out(engine, 36, watch=Watch(lambda step: stop.set() if step.done == 2 else None, stop))
        assert len(base.known()) == 2
        assert base.roll_out(engine, 36) == 3
        whole = base.content()
    with Database(tmp_path / "b.db", create=True) as other:
        other.add([[Position.from_id(each)] for each in whole.positions])
        other.roll_out(engine, 36)
        assert other.content() == whole


def test_the_weakest_come_first(tmp_path: Path, engine: Engine) -> None:
    with Database(tmp_path / "a.db", create=True) as base:
        base.add([[each] for each in generate(engine, 12, seed=3)])
        doubts = base.doubts(engine, base.ids())
        for each, doubt in doubts.items():
            near, far = (
                engine.evaluate(Position.from_id(each), match=database._CUBELESS, plies=plies).cubeless_equity
                for plies in (0, 2)
            )
            assert doubt == pytest.approx(abs(near - far), abs=1e-6)
        assert base.roll_out(engine, 36, weakest=2) == 2
        # The same again goes on; it does not begin with others.
        assert base.roll_out(engine, 36, weakest=3) == 1
        assert base.roll_out(engine, 36, weakest=3) == 0
        assert {each.id for each in base.known()} == set(sorted(doubts, key=lambda each: -doubts[each])[:3])


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(1, 4), st.integers(1, 5)), max_size=12), st.randoms())
@settings(max_examples=25)
def test_merging_in_any_order_counts_nothing_twice(
    tmp_path_factory: pytest.TempPathFactory, asked: list[tuple[int, int, int]], random: Any
) -> None:
    positions = [play.result for play in START.plays((3, 1))][:4]
    # What a seed gives depends on how many games there are, as a longer rollout begins with a shorter one.
    rollouts = [rollout(positions[i], seed, trials, win=seed / 10 + trials / 100) for i, seed, trials in asked]
    contents = [Content({each.id: None}, (each,)) for each in rollouts]
    shuffled = contents + random.sample(contents, len(contents) // 2)
    random.shuffle(shuffled)
    folder = tmp_path_factory.mktemp("merged")
    found = []
    for name, order in (("a", contents), ("b", shuffled)):
        with Database(folder / name, create=True) as base:
            for each in order:
                base.merge(each)
            found.append(base.content())
    assert found[0] == found[1]
    longest: dict[tuple[str, int], int] = {}
    for each in rollouts:
        longest[each.id, each.seed] = max(each.trials, longest.get((each.id, each.seed), 0))
    assert {(each.id, each.seed): each.trials for each in found[0].rollouts} == longest


def test_written_and_read_again(tmp_path: Path) -> None:
    plays = [play.result for play in START.plays((3, 1))]
    with Database(tmp_path / "a.db", create=True) as base:
        base.add([[START], plays])
        base.merge(Content({}, tuple(rollout(each, seed) for each in plays[:3] for seed in (1, 2))))
        content = base.content()
    text = io.StringIO()
    write(content, text)
    (tmp_path / "a.jsonl").write_text(text.getvalue(), encoding="utf-8")
    assert read(tmp_path / "a.jsonl") == read(tmp_path / "a.db") == content
    with Database(tmp_path / "b.db", create=True) as other:
        other.add([[RACE]])
        assert other.merge(content) == (1 + len(plays), 6)
        assert other.merge(content) == (0, 0)
        assert len(set(other.content().positions.values()) - {None}) == 1


def line_of(*, trials: int = 1296, **chances: float) -> str:
    """A line with a rollout of these chances."""
    row = {"engine": "x", "seed": 1, "trials": trials, "error": 0.01}
    return json.dumps({"id": START.id, "rollouts": [row | dict.fromkeys(Outcomes._fields, 0.0) | chances]})


def test_means_of_few_trials_may_lie_beyond_what_is_possible(tmp_path: Path) -> None:
    path = tmp_path / "few.jsonl"
    chances = {"win": 1.04, "win_gammon": 1.03, "lose_gammon": -0.04, "lose_backgammon": -0.01}
    path.write_text(f"{line_of(**chances)}\n{line_of(trials=1, win=1.3, win_gammon=1.6, lose_gammon=-0.7)}\n")
    assert len(read(path).rollouts) == 2


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("[]", 'an object with an "id"'),
        ("{", "line 2"),
        ('{"id": "4HPwATDgc/ABM"}', "4HPwATDgc/ABM"),
        ('{"id": "AAAAAAAAAAAAAA"}', "line 2"),
        ('{"id": "4HPwATDgc/ABMA", "decision": -1}', "decision"),
        ('{"id": "4HPwATDgc/ABMA", "rollouts": 3}', "rollouts"),
        ('{"id": "4HPwATDgc/ABMA", "rollouts": [{"seed": 1}]}', "a rollout has engine, seed, trials, win"),
        ('{"id": "4HPwATDgc/ABMA", "rollouts": [{"id": "x"}]}', "a rollout has engine"),
        (json.dumps({"id": START.id, "rollouts": [{"engine": "x", "seed": 1, "trials": 0}]}), "a rollout has"),
        (json.dumps({"id": START.id, "rollouts": [_row(rollout()) | {"engine": "\ud800"}]}), "surrogates"),
        (line_of(win=2.0), "win must be a number from -0.0555556 to 1.05556. Got 2.0 instead."),
        (line_of(win=-1.0), "win must be a number from -0.0555556 to 1.05556. Got -1.0 instead."),
        (line_of(trials=100, win=1.21), "win must be a number from -0.2 to 1.2. Got 1.21 instead."),
        (line_of(trials=10_000, win=1.06), "win must be a number from -0.05 to 1.05. Got 1.06 instead."),
        (line_of(win=0.5, win_gammon=0.6), "win_gammon must be at most win, 0.5. Got 0.6 instead."),
        (
            line_of(win=0.4, win_gammon=0.1, win_backgammon=0.2),
            "win_backgammon must be at most win_gammon, 0.1. Got 0.2 instead.",
        ),
        (line_of(win=0.5, lose_gammon=0.6), "lose_gammon must be at most 1 - win, 0.5. Got 0.6 instead."),
        (line_of(lose_gammon=0.1, lose_backgammon=0.2), "lose_backgammon must be at most lose_gammon, 0.1. Got 0.2"),
    ],
)
def test_lines_that_are_no_lessons(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text(f'{{"id": "{RACE.id}"}}\n{line}\n', encoding="utf-8")
    with pytest.raises(InvalidFileError) as error:
        read(path)
    assert str(path) in str(error.value)
    assert ":2" in str(error.value) or "line 2" in str(error.value)
    assert message in str(error.value) or message == "line 2"


@pytest.mark.parametrize(
    "change", [{"win": math.nan}, {"win": 3.0}, {"trials": 0}, {"seed": -1}, {"error": -0.1}, {"win_gammon": "x"}]
)
def test_values_that_no_rollout_has(change: dict[str, Any]) -> None:
    with pytest.raises(SettingsError):
        rollout(**change)


def test_files_that_are_no_database(tmp_path: Path) -> None:
    with pytest.raises(DataFileError, match="no such database"):
        Database(tmp_path / "a.db")
    (tmp_path / "a.txt").write_text("no database")
    with pytest.raises(DataFileError, match="no database of lessons"):
        Database(tmp_path / "a.txt", create=True)
    other = sqlite3.connect(tmp_path / "other.db")
    other.execute("CREATE TABLE position (x)")
    other.close()
    with pytest.raises(DataFileError, match="no database of lessons"):
        Database(tmp_path / "other.db", create=True)
    assert (tmp_path / "a.txt").read_text() == "no database"
    with pytest.raises(DataFileError):
        Database(tmp_path)


def test_an_empty_file_becomes_a_database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.db").touch()
    with pytest.raises(DataFileError, match="no database of lessons"):
        Database(tmp_path / "a.db")
    monkeypatch.chdir(tmp_path)
    for name in ("a.db", ":memory:"):
        with Database(Path(name), create=True) as base:
            base.add([[START]])
        assert list(read(Path(name)).positions) == [START.id]


def test_several_processes_make_a_database_at_once(tmp_path: Path) -> None:
    path = tmp_path / "a.db"

    def make(number: int) -> int:
        with Database(path, create=True) as base:
            return base.add([[START], [play.result for play in START.plays((number + 1, 6))]])

    with ThreadPoolExecutor(4) as pool:
        new = list(pool.map(make, range(4)))
    positions = read(path).positions
    assert sum(new) == len(positions)
    assert len({each for each in positions.values() if each is not None}) == 4


def test_a_full_disk_is_called_so(tmp_path: Path, engine: Engine) -> None:
    with Database(tmp_path / "a.db", create=True) as base:
        base.add([[START]])
        base._rows.execute("PRAGMA max_page_count = 8")
        with pytest.raises(DataFileError, match="database or disk is full; perhaps there is no space left"):
            base.add([[each] for each in generate(engine, 2000)])
        assert base.ids() == [START.id]
        assert base.add([[RACE]]) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="no limits of files")
def test_a_database_for_which_there_is_no_space_leaves_no_file(tmp_path: Path) -> None:
    code = (
        "import resource, sys; from pathlib import Path; from sixprime.train.database import Database\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)); Database(Path(sys.argv[1]), create=True)"
    )
    command = [sys.executable, "-B", "-c", code, str(tmp_path / "a.db")]
    found = subprocess.run(command, capture_output=True, text=True, timeout=100)
    assert re.search(
        r"DataFileError: .*a\.db: the database cannot be used: .*; perhaps there is no space left", found.stderr
    )
    assert list(tmp_path.iterdir()) == []
    # A file that was there stays.
    (tmp_path / "a.db").touch()
    assert "no space left" in subprocess.run(command, capture_output=True, text=True, timeout=100).stderr
    assert [path.name for path in tmp_path.iterdir()] == ["a.db"]


def test_others_may_write_while_positions_are_found(tmp_path: Path) -> None:
    with Database(tmp_path / "a.db", create=True) as base, Database(tmp_path / "a.db") as other:

        def found() -> Iterator[list[Position]]:
            yield [START]
            assert other.add([[RACE], [play.result for play in START.plays((3, 1))[:2]]]) == 3
            yield [play.result for play in START.plays((4, 2))[:2]]

        assert base.add(found()) == 3
        assert sorted(base.content().positions.values(), key=str) == [1, 1, 3, 3, None, None]


def test_numbers_of_decisions_stay_small(tmp_path: Path) -> None:
    plays = [play.result for play in START.plays((3, 1))][:3]
    with Database(tmp_path / "a.db", create=True) as base:
        base.merge(Content({plays[0].id: (1 << 63) - 1, plays[1].id: (1 << 63) - 1}, ()))
        base.merge(Content({plays[2].id: (1 << 63) - 1, RACE.id: None}, ()))
        positions = base.content().positions
        assert [positions[each.id] for each in (*plays, RACE)] == [0, 0, 1, None]


def test_rollouts_whose_position_another_program_took_out_do_not_count(tmp_path: Path) -> None:
    with Database(tmp_path / "a.db", create=True) as base:
        base.merge(Content({START.id: None, RACE.id: None}, (rollout(START), rollout(RACE))))
        base._rows.execute("PRAGMA foreign_keys = OFF")
        base._rows.execute("DELETE FROM position WHERE id = ?", (RACE.id,))
        assert [each.id for each in base.known()] == [START.id]
        base._rows.execute("UPDATE rollout SET trials = 0")
        with pytest.raises(DataFileError, match=r"a\.db.*trials"):
            base.told(START.id)


def test_a_damaged_database_says_so(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with Database(path, create=True) as base:
        base.add([[play.result] for play in START.plays((3, 1))])
    data = bytearray(path.read_bytes())
    data[4096:] = b"\xff" * (len(data) - 4096)
    path.write_bytes(data)
    with pytest.raises(DataFileError, match=r"a\.db"), Database(path) as base:
        base.content()


def test_what_is_no_text_in_a_damaged_database_is_told(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with Database(path, create=True) as base:
        base.add([[START]])
    path.write_bytes(path.read_bytes().replace(b"CREATE TABLE", b"CREATE \xdcABLE"))
    with Database(path) as base, pytest.raises(DataFileError, match=r"a\.db"):
        base.remove([START.id])


def test_self_play_depends_on_the_seed_alone(engine: Engine) -> None:
    def found(count: int, seed: int = 2) -> list[Position]:
        return list(generate(engine, count, seed=seed, rare=1, mix="back games alone"))

    assert found(40) == found(40)
    assert len({each.id for each in found(40)}) == 40
    assert found(40) != found(40, seed=3)
    assert found(1024) == found(1100)[:1024]
    with pytest.raises(SettingsError, match="mix"):
        generate(engine, 1, mix="none")


def test_what_was_found_is_kept(tmp_path: Path, engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted() -> Iterator[list[Position]]:
        yield from ([each] for each in generate(engine, 50))
        raise KeyboardInterrupt

    monkeypatch.setattr(database, "_KEPT", 20)
    with Database(tmp_path / "a.db", create=True) as base:
        with pytest.raises(KeyboardInterrupt):
            base.add(interrupted())
        assert base.count() == 40
        assert base.add([each] for each in generate(engine, 50)) == 10


def test_nets_are_held_against_what_is_known(tmp_path: Path, engine: Engine) -> None:
    with Database(tmp_path / "a.db", create=True) as base:
        near, far = (play.result for play in START.plays((3, 1))[:2])
        for position, more in ((near, 0.1), (far, -0.3), (RACE, 0.0)):
            own = engine.evaluate(position, match=database._CUBELESS, plies=0).probabilities
            rest = dict(zip(Outcomes._fields[1:], own[1:], strict=True))
            base.merge(Content({position.id: None}, (rollout(position, win=own.win - more / 2, error=0.0, **rest),)))
        groups, misses = base.verify(engine)
        assert [(each.known.id, pytest.approx(each.off, abs=1e-6)) for each in misses] == [
            (far.id, -0.3),
            (near.id, 0.1),
            (RACE.id, 0.0),
        ]
        assert [(each.kind, each.count) for each in groups] == [("contact", 2), ("race", 1), ("all", 3)]
        assert groups[0].bias == pytest.approx(-0.1, abs=1e-6)
        assert groups[0].rmse == pytest.approx(math.sqrt((0.3**2 + 0.1**2) / 2), abs=1e-6)


def test_lessons_are_what_is_known(tmp_path: Path) -> None:
    plays = [play.result for play in START.plays((3, 1))][:3]
    with Database(tmp_path / "a.db", create=True) as base:
        base.add([[START], plays, [RACE]])
        base.merge(Content({}, tuple(rollout(each, win=0.25) for each in (RACE, *plays[:2]))))
        lessons = base.lessons()
        ids = [Position.from_board(board).id for board in kernels.unpack(lessons.boards)]
        assert sorted(ids) == sorted(each.id for each in (RACE, *plays[:2]))
        shared = dict(zip(ids, lessons.decisions.tolist(), strict=True))
        assert shared[plays[0].id] == shared[plays[1].id] != shared[RACE.id]
        assert lessons.targets.dtype == np.float32
        assert (lessons.targets == [0.25, 0, 0, 0, 0]).all()


def test_a_run_learns_from_a_database(tmp_path: Path, engine: Engine) -> None:
    pytest.importorskip("torch")
    from sixprime.train.pipeline import Run

    recipe = parse_recipe(
        """
name = "mine"
seed = 1
[nets]
contact = {hidden = 8, rear = true, pairs = true}
race = {hidden = 4, rear = false, pairs = false}
pruner = {hidden = 4, rear = false, pairs = false}
[[stage]]
kind = "learn"
only = "contact"
given = 2000
epochs = 2
batch = 32
rate = 0.02
"""
    )
    path = tmp_path / "a.db"
    with Database(path, create=True) as base:
        base.add([[START]])
    with pytest.raises(SettingsError, match="no position was rolled out yet"):
        Run.start(tmp_path / "early", recipe, lessons=[path], threads=1)
    with Database(path) as base:
        base.merge(Content({}, (rollout(win=0.9),)))
    run = Run.start(tmp_path / "run", recipe, lessons=[path], threads=1)
    path.unlink()
    run = Run.resume(tmp_path / "run", threads=1)
    while run.advance(lambda line: None):
        pass
    taught = Engine(tmp_path / "run" / "net.safetensors", threads=1)
    assert taught.evaluate(START, plies=0).probabilities.win == pytest.approx(0.9, abs=0.05)


def test_the_command_trains_with_a_database(tmp_path: Path, sixprime: Any) -> None:
    pytest.importorskip("torch")
    base, recipe = tmp_path / "a.db", tmp_path / "mine.toml"
    with Database(base, create=True) as made:
        made.add([[START]])
        made.merge(Content({}, (rollout(win=0.9),)))
    recipe.write_text(
        """
name = "mine"
seed = 1
[nets]
contact = {hidden = 8, rear = true, pairs = true}
race = {hidden = 4, rear = false, pairs = false}
pruner = {hidden = 4, rear = false, pairs = false}
[[stage]]
kind = "learn"
only = "contact"
batch = 1
rate = 0.02
"""
    )
    start = "train", str(tmp_path / "run"), "--recipe", str(recipe), "--lessons"
    found = sixprime(*start, str(recipe))
    assert (found.status, "no database of lessons" in found.err) == (1, True)
    found = sixprime(*start, str(tmp_path / "missing.db"))
    assert (found.status, "missing.db holds no lessons" in found.err) == (2, True)
    assert sixprime(*start, str(base)).status == 0


def test_the_command(tmp_path: Path, sixprime: Any) -> None:
    base, other, text = (str(tmp_path / name) for name in ("a.db", "b.db", "a.jsonl"))
    common = "--net", "small"
    added = sixprime(
        "lessons", "add", base, "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10", "--plays", "3", *common
    )
    assert added == (0, "", f"{base}: 4 new, 4 positions\n")
    assert sixprime("lessons", "add", base, "-", stdin=f"{RACE.id}\n\n{RACE.id}\n".encode()).err.endswith(
        "1 new, 5 positions\n"
    )
    assert sixprime("lessons", "generate", other, "6", "--seed", "4", *common).err == f"{other}: 6 new, 6 positions\n"
    assert sixprime("lessons", "rollout", base, "--trials", "36", *common).err == f"{base}: 5 positions rolled out\n"
    assert sixprime("lessons", "export", base, "--to", text).err == f"{text}: 5 positions, 5 rollouts\n"
    assert sixprime("lessons", "export", base).out == Path(text).read_text(encoding="utf-8")
    assert sixprime("lessons", "import", other, base, text).err == (
        f"{base}: 5 new positions, 5 new or longer rollouts\n{text}: 0 new positions, 0 new or longer rollouts\n"
    )
    told = json.loads(sixprime("lessons", "show", other, "--json").out)
    assert told["positions"] == 11
    assert sum(each["rolled_out"] for each in told["kinds"]) == 5
    shown = sixprime("lessons", "show", base, RACE.id).out
    assert RACE.id in shown
    assert "seed 1" in shown
    told = json.loads(sixprime("lessons", "show", base, RACE.id, "--json").out)
    assert told["known"]["trials"] == 36
    assert list(told["rollouts"][0]) == ["engine", "seed", "trials", *Outcomes._fields, "error"]
    verified = json.loads(sixprime("lessons", "verify", base, "--worst", "2", "--json", *common).out)
    assert verified["kinds"][-1]["count"] == 5
    assert len(verified["worst"]) == 2
    assert "Off by" in sixprime("lessons", "verify", base, *common).out
    assert sixprime("lessons", "remove", base, RACE.id, START.id).err == f"{base}: 2 removed, 3 positions left\n"


def test_who_made_a_rollout_is_shown_as_plain_text(tmp_path: Path, sixprime: Any) -> None:
    with Database(tmp_path / "a.db", create=True) as base:
        foreign = Rollout(**asdict(rollout(seed=2)) | {"engine": "theirs \x1b[31m[/red]"})
        base.merge(Content({START.id: None}, (rollout(), rollout(seed=2), foreign)))
    shown = sixprime("lessons", "show", str(tmp_path / "a.db"), START.id).out
    assert [line[:9] for line in shown.splitlines()[3:7]] == ["all      ", "1, seed 1", "1, seed 2", "2, seed 2"]
    assert shown.endswith("\n1: 0-ply, engine x\n2: theirs ?[31m[/red]\n")


def test_matches_give_the_positions_of_their_rolls(tmp_path: Path, sixprime: Any) -> None:
    from sixprime import read_all, sample_match

    base = str(tmp_path / "a.db")
    assert sixprime("lessons", "add", base, str(sample_match())).status == 0
    [match] = read_all(sample_match())
    positions = {action.position.id for game in match.games for action in game.actions if action.kind == "move"}
    assert set(read(Path(base)).positions) == positions


def test_files_without_lessons_do_not_stop_the_rest(tmp_path: Path, sixprime: Any) -> None:
    from sixprime import sample_match

    base, folder = str(tmp_path / "made" / "a.db"), tmp_path / "matches"
    folder.mkdir()
    found = sixprime("lessons", "add", base, str(folder))
    assert (found.status, found.err) == (2, f"sixprime: there are no files in {folder}\n")
    assert [place.name for place in tmp_path.iterdir()] == ["matches"]
    (folder / "README.md").write_text("no match")
    assert sixprime("lessons", "add", base, str(folder / "README.md")).status == 1
    assert not Path(base).exists()
    (folder / "hyper.sgf").write_text("(;GM[6]MI[length:3][game:0][ws:0][bs:0]PW[a]PB[b]RU[Hypergammon2];W[31vuxu])")
    (folder / "match.mat").write_bytes(sample_match().read_bytes())
    found = sixprime("lessons", "add", base, str(folder))
    assert found.status == 1
    readme, hyper, added = sorted(found.err.splitlines(), key=lambda line: ("new" in line, "hyper" in line))
    assert "README.md" in readme
    assert "hyper.sgf" in hyper
    assert "15 chequers" in hyper
    assert re.fullmatch(r".*a\.db: (\d+) new, \1 positions", added)


@pytest.mark.parametrize(
    ("line", "message", "status"),
    [
        ("add {0}", "name IDs or files", 2),
        ("add {0} nonsense", "nonsense", 1),
        ("add {0} missing.mat", "missing.mat", 1),
        ("show {0}", "no such database", 1),
        ("rollout {0} --trials 0", "--trials", 2),
        ("rollout {0}", "no such database", 1),
        ("import {0} missing.db", "missing.db", 1),
        ("import {0}", "name databases", 2),
        ("export {0}", "no such database", 1),
        ("verify {0}", "no such database", 1),
        ("remove {0}", "name the IDs", 2),
        ("generate {0} 0", "0", 2),
        ("generate {0} 5 --rare 2", "--rare", 2),
        ("generate {0} 5 --mix nothing", "--mix", 2),
    ],
)
def test_wrong_use(tmp_path: Path, sixprime: Any, line: str, message: str, status: int) -> None:
    path = tmp_path / "a.db"
    found = sixprime("lessons", *line.format(path).split())
    assert found.status == status
    assert message in found.err
    assert not found.out


def test_the_recipe_of_the_docs_is_one() -> None:
    page = (Path(__file__).parent.parent / "docs" / "training.md").read_text(encoding="utf-8")
    [text] = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    shapes = parse_recipe(text).nets
    assert shapes == read_recipe("standard").nets


def test_every_mix_of_recipes_can_be_asked_for() -> None:
    from sixprime.cli.lessons import MixName
    from sixprime.train.starts import MIXES

    assert list(get_args(MixName)) == list(MIXES)
