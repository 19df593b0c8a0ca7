"""A damaged database is named once by every command that would use it; the work goes on without it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sixprime import Engine, Position, paths
from sixprime.bearoff import OneSided, hyper, shelf
from sixprime.bearoff._two_sided import TwoSided
from sixprime.bearoff.databases import RACE_SIZES
from sixprime.bearoff.normal import Normal
from sixprime.cli import bench, calibrate, main
from sixprime.errors import DataFileError
from sixprime.nets.race import race_nets
from sixprime.paths import sample_match

START = "4HPwATDgc/ABMA"
SEVEN = Position.from_board([[0, 0, 0, 0, 0, 0, 2] + [0] * 18] * 2).id
HYPER = Position.from_board([[0] * 22 + [2, 1, 0]] * 2, chequers=3).id
QUICK = ("--trials", "36", "--truncate", "1", "--threads", "1")
COMMANDS = [
    ("analyse", "MATCH", "--plies", "0", "--json"),
    ("bench", "--json"),
    ("calibrate", "--json"),
    ("cube", START, "--plies", "0", "--json"),
    ("eval", START, "--plies", "0", "--json"),
    ("hint", START, "31", "--plies", "0", "--json"),
    ("race", SEVEN, "--plies", "0", "--json"),
    ("rollout", START, *QUICK, "--json"),
    ("duel", "standard@1", "standard", "--pairs", "1", "--json"),
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder, and nothing opened before."""
    monkeypatch.setenv("SIXPRIME_DATA", str(tmp_path))
    monkeypatch.setattr(shelf, "_opened", dict(shelf._opened))
    monkeypatch.setattr(hyper, "_opened", {})
    return shelf.folder()


@pytest.fixture
def sixprime(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """Runs the command line in this process: status, output, errors."""
    monkeypatch.setattr(bench, "measure", lambda *_: {"threads": 1})
    monkeypatch.setattr(calibrate, "measure", lambda *_: {"threads": 1})
    match = tmp_path / "one.mat"
    match.write_text(sample_match().read_text(encoding="utf-8").split(" Game 2")[0], encoding="utf-8")

    def run(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as ended:
            main([str(match) if word == "MATCH" else word for word in arguments])
        out, err = capfd.readouterr()
        return int(ended.value.code or 0), out, err

    return run


def damaged(kind: str, points: int, chequers: int) -> Path:
    """Such a database, the last byte wrong."""
    path = shelf.path_of(kind, points, chequers)
    build = {"one-sided": OneSided.build, "two-sided": TwoSided.build, "normal": Normal.build}
    if kind in build:
        build[kind](points, chequers).save(path)
        data = path.read_bytes()
    else:
        path.parent.mkdir(exist_ok=True)
        data = bytes(2000)
    path.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    return path


@pytest.mark.parametrize("command", COMMANDS, ids=lambda words: words[0])
def test_every_command_names_it_once(sixprime, folder: Path, command: tuple[str, ...]) -> None:
    files = [damaged("one-sided", 7, 3), damaged("two-sided", 7, 2)]
    status, out, err = sixprime(*command)
    assert status == 0
    assert json.loads(out)
    for path in files:
        assert err.count(str(path)) == 1
    assert "sixprime: warning: the bear-off database" in err
    assert "build it again: sixprime bearoff build two-sided 2x7" in err


def test_the_standard_ones_are_built_again(sixprime, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shelf, "_opened", {})
    path = damaged("two-sided", 6, 6)
    _, _, err = sixprime("eval", START, "--plies", "0")
    assert err.count(str(path)) == 1
    assert "it is built again" in err
    assert sixprime("eval", START, "--plies", "0")[2] == ""


@pytest.mark.parametrize("kind", ["one-sided", "two-sided", "normal"])
def test_show_says_what_is_damaged(sixprime, folder: Path, kind: str) -> None:
    path = damaged(kind, 7, 2)
    status, out, err = sixprime("bearoff", "show", SEVEN)
    assert (status, out) == (1, "")
    assert err.count(str(path)) == 1
    assert err.splitlines()[-1] == (
        f"sixprime: only a damaged bear-off database holds {SEVEN}, {kind} 2x7: run sixprime bearoff build {kind} 2x7"
    )
    assert "no bear-off database" not in err
    # What it would not hold is as unknown as before.
    assert "no bear-off database holds" in sixprime("bearoff", "show", START)[2]


def test_show_goes_on_without_it(sixprime, folder: Path) -> None:
    path = damaged("normal", 7, 2)
    status, out, err = sixprime("bearoff", "show", "CgAAEAEAAAAAAA", "--json")
    assert (status, err.count(str(path))) == (0, 1)
    assert json.loads(out)["normal"] is None


def test_hypergammon(sixprime, folder: Path) -> None:
    path = damaged("hyper", hyper.HYPER_POINTS, 3)
    with pytest.raises(DataFileError, match="build it again: sixprime bearoff build hyper 3"):
        hyper.hyper(3)
    status, out, err = sixprime("bearoff", "show", HYPER, "--hyper", "3")
    assert (status, out, err.count(str(path)), err.count("\n")) == (1, "", 1, 1)
    assert "not built" not in err


def test_the_library_logs_it_once_for_each_engine(folder: Path, caplog) -> None:
    damaged("hyper", hyper.HYPER_POINTS, 3)
    position = Position.from_id(HYPER, chequers=3)
    for _ in range(2):
        engine = Engine(threads=1)
        caplog.clear()
        for _ in range(3):
            engine.evaluate(position, plies=0)
        [record] = caplog.records
        assert (record.name, record.levelname) == ("sixprime", "WARNING")
        assert str(paths.data_dir()) in record.getMessage()


def test_a_damaged_database_of_the_race_nets_is_built_again_and_said_to_be(folder: Path, caplog, monkeypatch) -> None:
    path = damaged("one-sided", *RACE_SIZES[0])
    monkeypatch.delitem(shelf._opened, ("one-sided", *RACE_SIZES[0]), raising=False)
    race_nets.cache_clear()
    Engine(threads=1, plies=0)
    assert [record.getMessage().rpartition("; ")[2] for record in caplog.records] == ["it is built again"]
    OneSided.open(path, *RACE_SIZES[0])
    race_nets.cache_clear()
