"""Which databases are used: all in the data folder, the largest first; and what the commands show of them."""

from __future__ import annotations

import json
import math
import pickle
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sixprime import kernels
from sixprime.bearoff import Databases, Normal, OneSided, TwoSided, file, shelf
from sixprime.bearoff.lookup import Cube, look_up
from sixprime.bearoff.names import NORMAL, ONE_SIDED
from sixprime.cli import doctor
from sixprime.engine import Engine
from sixprime.errors import DataFileError, InvalidPositionError, SettingsError
from sixprime.game import MatchState, Position
from sixprime.kernels.bearoff import ROLLS, os_survival
from sixprime.paths import replacing


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The data folder of a user who has no database yet."""
    monkeypatch.setenv("SIXPRIME_DATA", str(tmp_path))
    monkeypatch.setattr(shelf, "_opened", {})
    return tmp_path / "bearoff"


@pytest.fixture
def sixprime(folder: Path, sixprime: Any) -> Any:
    return sixprime


def ending(player: list[int], opponent: list[int], chequers: int = 15) -> Position:
    return Position(*(tuple(side) + (0,) * (25 - len(side)) for side in (opponent, player)), chequers)


def pack(*positions: Position) -> np.ndarray:
    return np.concatenate([kernels.pack(position.board[None], position.chequers) for position in positions])


SEVEN = ending([1, 0, 2, 0, 0, 0, 2], [0, 3, 0, 0, 1])
NINE = ending([0, 0, 0, 0, 0, 0, 0, 1, 1], [1, 0, 0, 0, 0, 0, 0, 0, 1])
TWELVE = ending([0] * 11 + [1], [0] * 10 + [1])


@pytest.fixture(scope="module")
def wide() -> Databases:
    """15x7 one-sided, 3x9 beyond it, and two-sided 6x6 and, beyond both, 1x12."""
    return Databases(OneSided.build(7, 15), (OneSided.build(9, 3),), (TwoSided.build(6, 6), TwoSided.build(12, 1)))


@pytest.fixture(scope="module")
def engine(wide: Databases) -> Engine:
    return Engine(threads=1, databases=wide)


def test_largest_first(folder: Path) -> None:
    assert [Databases.found().one_sided.points, len(Databases.found().two_sided)] == [6, 1]
    for size in ((7, 15), (8, 4), (7, 5), (3, 3)):
        OneSided.build(*size).save(shelf.path_of("one-sided", *size))
    for size in ((6, 7), (8, 2), (4, 4)):
        TwoSided.build(*size).save(shelf.path_of("two-sided", *size))
    found = Databases.found()
    assert (found.one_sided.points, found.one_sided.chequers) == (7, 15)
    assert [(side.points, side.chequers) for side in found.wider] == [(8, 4)]
    assert [(pair.points, pair.chequers) for pair in found.two_sided] == [(6, 7), (8, 2)]
    assert found.beyond
    assert not Databases.standard().beyond
    assert Databases.found().one_sided is found.one_sided


def test_what_cannot_be_used_is_passed_over(folder: Path) -> None:
    Databases.standard()
    OneSided.build(7, 15).save(shelf.path_of("one-sided", 7, 15))
    path = shelf.path_of("one-sided", 7, 15)
    path.write_bytes(path.read_bytes()[:-1])
    (folder / "one-sided-15x99.bearoff").write_bytes(b"?")
    (folder / "notes.bearoff").write_text("?")
    assert Databases.found().one_sided.points == 6


def test_classes_follow_the_databases(engine: Engine, wide: Databases) -> None:
    for position, name in (
        (SEVEN, "bearoff"),
        (NINE, "bearoff"),
        (TWELVE, "bearoff"),
        (ending([2], [2]), "bearoff"),
        (ending([0] * 13 + [3], [3]), "race"),
        (Position.start(), "contact"),
    ):
        assert engine.evaluate(position, plies=0).position_class == name
    for position, database in ((SEVEN, wide.one_sided), (NINE, wide.wider[0])):
        exact = database.probabilities(pack(position))[0]
        assert engine.evaluate(position, plies=0).probabilities == pytest.approx(exact, abs=1e-7)
    exact = wide.two_sided[1].equities(pack(TWELVE))[0]
    found = engine.evaluate(TWELVE, plies=0)
    assert (found.equity, found.cubeful_equity) == pytest.approx(exact[[0, 2]], abs=1e-6)


def test_search_agrees_with_the_databases(engine: Engine) -> None:
    """One roll deeper hardly changes a race, and not at all what both sides are known of."""
    for position, difference in ((SEVEN, 0.01), (NINE, 0.01), (TWELVE, 1e-9)):
        static, deep = (engine.evaluate(position, plies=plies).probabilities[0] for plies in (0, 1))
        assert deep == pytest.approx(static, abs=difference)
    known = engine.evaluate(TWELVE, match=MatchState(length=5, score=(2, 3)), plies=0)
    assert known.probabilities[0] == pytest.approx(engine.evaluate(TWELVE, plies=0).probabilities[0])


def test_equities_and_probabilities_ask_the_next(wide: Databases) -> None:
    boards = pack(SEVEN, NINE, TWELVE, Position.start(), ending([1], [1]))
    assert np.isnan(wide.probabilities(boards)[:, 0]).tolist() == [False, False, True, True, False]
    assert np.isnan(wide.equities(boards)[:, 0]).tolist() == [True, True, False, True, False]
    assert wide.probabilities(boards[:0]).shape == (0, 5)
    assert wide.equities(boards[:0]).shape == (0, 4)


# --------------------------------------------------------------------------------------------- look_up


def test_the_manual(folder: Path) -> None:
    found = look_up(Position.from_id("CgAAEAEAAAAAAA"))
    assert found.pair is not None
    assert found.pair.win == pytest.approx(0.671, abs=5e-4)
    best = [cube.best for cube in (found.pair.owned, found.pair.centred, found.pair.opponent)]
    assert best == pytest.approx([0.3441, 0.3210, 0.1605], abs=5e-5)
    assert (found.pair.owned.double, found.pair.centred.double, found.pair.centred.take) == (False, True, True)
    again = pickle.loads(pickle.dumps(found.pair))
    assert math.isnan(again.opponent.double_take)
    assert (again, hash(again)) == (found.pair, hash(found.pair))
    assert found.pair.opponent not in (found.pair.owned, Cube(0.0), None)
    found = look_up(Position.from_id("2x0AAOi2AQAAAA"))
    assert found.pair is None
    assert found.race is not None
    assert found.race.probabilities[0] == pytest.approx(0.567, abs=5e-4)
    sides = found.race.on_roll, found.race.opponent
    percent = [np.round(100 * side.distribution[3:9], 3).tolist() for side in sides]
    assert percent == [
        [1.917, 18.749, 44.271, 32.998, 2.029, 0.037],
        [2.811, 28.403, 50.307, 18.114, 0.363, 0.002],
    ]


def test_outside_all(folder: Path) -> None:
    for position, reason in (
        (Position.start(), "still in contact"),
        (ending([0] * 12 + [1], [1]), "bearoff build 15x13"),
        (ending([0] * 20 + [1], [1]), "behind the 18 point"),
    ):
        with pytest.raises(InvalidPositionError, match=reason):
            look_up(position)


def test_a_pass(folder: Path) -> None:
    found = look_up(ending([1], [0, 0, 0, 0, 0, 2]))
    assert found.pair is not None
    assert (found.pair.centred.best, found.pair.centred.take, found.pair.centred.double) == (1.0, False, True)


# -------------------------------------------------------------------------------------------- commands


def test_show(sixprime, folder: Path) -> None:
    Normal.build(6, 15).save(shelf.path_of("normal", 6, 15))
    status, out, _ = sixprime("bearoff", "show", "CgAAEAEAAAAAAA")
    assert status == 0
    for text in ("67.1 %", "+0.3441", "+0.3210", "+0.1605", "12.048", "52.778%", "Normal approximation 15x6"):
        assert text in out
    status, out, _ = sixprime("bearoff", "show", "CgAAEAEAAAAAAA", "--json")
    answer = json.loads(out)
    assert answer["two_sided"]["cube_centred"]["equity"] == pytest.approx(0.3210, abs=5e-5)
    assert answer["two_sided"]["cube_centred"]["action"] == "double, take"
    assert answer["two_sided"]["cube_opponent"]["double_take"] is None
    side = answer["one_sided"]["on_roll"]
    assert sum(side["rolls"].values()) == pytest.approx(1)
    assert (side["epc"], side["wastage"]) == pytest.approx((12.048, 5.048), abs=5e-4)
    assert answer["normal"]["win"] == pytest.approx(0.67, abs=0.03)


def test_show_gammons(sixprime) -> None:
    id = ending([1, 2], [0, 0, 0, 0, 0, 15]).id
    _, out, _ = sixprime("bearoff", "show", id)
    assert "First chequer off" in out
    answer = json.loads(sixprime("bearoff", "show", id, "--json")[1])["one_sided"]
    assert 0 < answer["win_gammon"] < answer["win"]


def test_show_outside(sixprime) -> None:
    status, out, err = sixprime("bearoff", "show", "4HPwATDgc/ABMA")
    assert (status, out) == (1, "")
    assert "no bear-off database holds" in err


def test_build_export_import_list(sixprime, folder: Path, tmp_path: Path) -> None:
    own, theirs = tmp_path / "own.bd", tmp_path / "theirs.bd"
    status, out, err = sixprime("bearoff", "build", "4x3", "--gnubg", str(own))
    assert status == 0
    assert "one-sided-4x3" in out
    assert "35 positions. Building takes" in err
    path = shelf.path_of("one-sided", 3, 4)
    whole = OneSided.open(path, 3, 4)
    path.unlink()
    shelf._opened.clear()
    assert sixprime("bearoff", "import", str(own))[0] == 0
    assert np.array_equal(OneSided.open(path, 3, 4).survival(np.arange(35)), whole.survival(np.arange(35)))
    for words in (["two-sided", "3x2"], ["normal", "3x2"]):
        assert sixprime("bearoff", "export", *words, "--to", str(theirs))[0] == 0
        file = shelf.path_of(words[0], 2, 3)
        before = file.read_bytes()
        file.unlink()
        assert sixprime("bearoff", "import", str(theirs))[0] == 0
        assert file.exists()
        assert words[0] == "normal" or file.read_bytes() == before
    status, out, _ = sixprime("bearoff", "list")
    assert (status, out.count("\n")) == (0, 3)
    path.write_bytes(path.read_bytes()[:-1])
    (folder / ".building-one-sided-15x9").mkdir()
    status, out, err = sixprime("bearoff", "list")
    assert status == 1
    assert "bytes instead of" in err
    assert "one-sided-15x9       unfinished: the command that began it begins anew" in out
    answer = json.loads(sixprime("bearoff", "list", "--json")[1])
    assert [entry["problem"] is None for entry in answer["databases"]] == [True, False, True]
    assert answer["unfinished"] == []
    # A damaged one is built again, a whole one is not.
    assert "built again" in sixprime("bearoff", "build", "4x3")[2]
    assert sixprime("bearoff", "build", "4x3")[2] == ""


def test_an_import_says_what_it_replaces(sixprime, folder: Path, tmp_path: Path) -> None:
    for number, words in enumerate((("two-sided", "3x2"), ("hyper-gnubg", "1"))):
        file = str(tmp_path / f"{number}.bd")
        assert sixprime("bearoff", "export", *words, "--to", file)[0] == 0
        assert "was there, and is replaced" in sixprime("bearoff", "import", file)[2]


@pytest.mark.parametrize("words", [("two-sided", "3x2", "--no-gammons"), ("normal", "3x2", "--cubeless")])
def test_an_export_refuses_options_of_another_kind(sixprime, folder: Path, tmp_path: Path, words) -> None:
    status, out, err = sixprime("bearoff", "export", *words, "--to", str(tmp_path / "x.bd"))
    assert (status, out) == (2, "")
    assert f"{words[2]} is of " in err or f"{words[2]} are of " in err
    assert list(tmp_path.glob("*.bd")) == []


def test_import_of_something_else(sixprime, tmp_path: Path) -> None:
    (tmp_path / "x.bd").write_bytes(b"something else")
    status, out, err = sixprime("bearoff", "import", str(tmp_path / "x.bd"))
    assert (status, out, err.count("\n")) == (1, "", 1)
    assert "is not a bear-off database" in err
    assert sixprime("bearoff", "import", str(tmp_path / "none.bd"))[0] == 1
    # A damaged one is refused before its missing parts are computed, which is impossible at this size.
    (tmp_path / "x.bd").write_bytes(b"gnubg-OS-18-15-1-1-0".ljust(39, b"x") + b"\n")
    status, out, err = sixprime("bearoff", "import", str(tmp_path / "x.bd"))
    assert (status, out, err.count("\n")) == (1, "", 1)
    assert "memory" not in err


def test_list_with_foreign_files(sixprime, folder: Path) -> None:
    folder.mkdir()
    (folder / "notes.bearoff").write_text("mine")
    (folder / "one-sided-15x7.bearoff").mkdir()
    (folder / "one-sided-15x8.bearoff").symlink_to(folder / "nowhere")
    status, out, err = sixprime("bearoff", "list")
    assert (status, out, err.count("\n")) == (1, "", 3)
    assert all(entry["problem"] for entry in json.loads(sixprime("bearoff", "list", "--json")[1])["databases"])


def test_list_passes_over_what_a_killed_process_left(sixprime, folder: Path) -> None:
    sixprime("bearoff", "build", "4x3")
    with replacing(folder / "one-sided-5x3.bearoff") as partial:
        partial.write_bytes(b"half of it")
        assert [entry["file"] for entry in json.loads(sixprime("bearoff", "list", "--json")[1])["databases"]] == [
            str(folder / "one-sided-4x3.bearoff")
        ]


def test_doctor_reads_all_databases(sixprime, folder: Path) -> None:
    sixprime("bearoff", "build", "4x3")
    path = folder / "one-sided-4x3.bearoff"
    assert doctor._bearoff()[path.stem] == str(path)
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(DataFileError, match="4x3"):
        doctor._bearoff()


def test_sizes(sixprime) -> None:
    status, out, _ = sixprime("bearoff", "list", "--sizes")
    assert status == 0
    assert "1,037,158,320" in out
    assert "2,944,581,696" in out
    answer = json.loads(sixprime("bearoff", "list", "--sizes", "--json")[1])
    assert answer["two_sided"][0]["gnubg_mb"] == 6.5


def test_stopping(sixprime, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("sixprime.bearoff.builder.one_sided", stop)
    status, _, err = sixprime("bearoff", "build", "5x4")
    assert status == 1
    assert "stopped" in err


def test_no_room(sixprime) -> None:
    status, out, err = sixprime("bearoff", "build", "two-sided", "15x18")
    assert (status, out) == (1, "")
    assert "positions. Building takes" in err
    assert err.splitlines()[-1].startswith("sixprime: building a bear-off database of this size needs")


@pytest.mark.parametrize(
    ("rear", "said"),
    [
        (7, "build the one that does: sixprime bearoff build 15x7"),
        (18, "build the one that does: sixprime bearoff build 15x18"),
        (19, "a chequer is behind the 18 point, the last that a database can have"),
    ],
)
def test_what_would_hold_a_position(sixprime, rear: int, said: str) -> None:
    position = Position((0,) * (rear - 1) + (2,) + (0,) * (25 - rear), (2,) + (0,) * 24)
    status, out, err = sixprime("bearoff", "show", position.id)
    assert (status, out) == (1, "")
    assert err.rstrip().endswith(said)
    contact = Position((0,) * 12 + (2,) + (0,) * 12, (0,) * 12 + (2,) + (0,) * 12)
    assert "the sides are still in contact" in sixprime("bearoff", "show", contact.id)[2]


def test_the_widest_databases_are_asked_first(folder: Path) -> None:
    """Of several in the data folder; small ones do not stand for all chequers."""
    for points, chequers in ((7, 3), (8, 2), (6, 2)):
        OneSided.build(points, chequers).save(shelf.path_of("one-sided", points, chequers))
    for points, chequers in ((3, 2), (3, 3)):
        TwoSided.build(points, chequers).save(shelf.path_of("two-sided", points, chequers))
    found = Databases.found()
    assert (found.one_sided.points, found.one_sided.chequers) == (6, 15)
    assert [(side.points, side.chequers) for side in found.wider] == [(8, 2), (7, 3)]
    assert (found.two_sided[0].points, found.two_sided[0].chequers) == (6, 6)


@cache
def small() -> OneSided:
    return OneSided.build(4, 3)


@cache
def pairs() -> TwoSided:
    return TwoSided.build(3, 3)


@cache
def normal() -> Normal:
    return Normal.build(4, 3)


def with_arrays(database: Any, **arrays: Any) -> object:
    return replace(database, arrays=replace(database.arrays, **arrays))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: replace(small(), points=6), r"arrays.ranks must be int64\[6, 4\]"),
        (lambda: replace(small(), chequers=16), "1 to 15 chequers"),
        (lambda: replace(small(), arrays=None), "arrays must be an OneSidedArrays"),
        (lambda: with_arrays(small(), ranks=-small().arrays.ranks), "ranks must be those of 3x4"),
        (
            lambda: with_arrays(small(), spans=small().arrays.spans[:9]),
            r"spans must be int64\[35\]",
        ),
        (lambda: with_arrays(small(), values=[1]), r"values must be uint16\[N\]"),
        (lambda: replace(pairs(), points=4), r"arrays.ranks must be int64\[4, 4\]"),
        (
            lambda: with_arrays(pairs(), equities=pairs().arrays.equities[:, :, :1].copy()),
            r"equities must be uint16\[20, 20, 4\]",
        ),
        (
            lambda: with_arrays(pairs(), equities=pairs().arrays.equities[::-1]),
            "Got uint16 of shape .*, not in C order",
        ),
        (
            lambda: with_arrays(normal(), moments=normal().arrays.moments[:2]),
            r"moments must be float32\[4, 35\]",
        ),
        (lambda: Databases(small(), (), (pairs(),)), "one_sided must be a database of 15 chequers. Got 3x4"),
        (lambda: replace(Databases.standard(), one_sided=pairs()), "one_sided must be an OneSided"),  # type: ignore[arg-type]
        (lambda: replace(Databases.standard(), two_sided=()), "two_sided must be one database or more"),
        (lambda: replace(Databases.standard(), wider=(None,)), r"wider\[0\] must be an OneSided"),  # type: ignore[arg-type]
        (lambda: replace(Databases.standard(), hyper=None), "hyper must be a function"),  # type: ignore[arg-type]
    ],
)
def test_databases_whose_arrays_do_not_fit_are_refused(make: Callable[[], object], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        make()


def test_values_that_are_not_there_are_not_read() -> None:
    beyond = np.full(35, (1 << 40) - 1 | 63 << 46)
    damaged, found = replace(small().arrays, spans=beyond), np.empty((35, ROLLS), dtype=np.uint16)
    os_survival(damaged, np.arange(35), False, found)
    assert not found.any()


def test_numbers_that_cannot_be_are_refused(tmp_path: Path) -> None:
    """Also in a file whose checksum was made of them."""
    beyond = small().arrays.spans.copy()
    beyond[3] |= 1 << 39
    with pytest.raises(SettingsError, match=r"arrays.spans must be places within \d+ values. Got array"):
        with_arrays(small(), spans=beyond)
    content = file.Content(ONE_SIDED, 4, 3, {"spans": ("<i8", (35,)), "values": ("<u2", small().arrays.values.shape)})
    file.write(tmp_path / "x.bearoff", content, {"spans": beyond, "values": small().arrays.values})
    with pytest.raises(DataFileError, match=r"x.bearoff is damaged: arrays.spans must be places within"):
        OneSided.open(tmp_path / "x.bearoff", 4, 3)
    for wrong in (np.nan, np.inf, -1):
        moments = normal().arrays.moments.copy()
        moments[1, 30] = wrong
        with pytest.raises(SettingsError, match=r"arrays.moments must be numbers of rolls. Got array\(\["):
            with_arrays(normal(), moments=moments)
        content = file.Content(NORMAL, 4, 3, {"moments": ("<f4", (4, 35))})
        file.write(tmp_path / "x.bearoff", content, {"moments": moments})
        with pytest.raises(DataFileError, match=r"is damaged: arrays.moments must be"):
            Normal.open(tmp_path / "x.bearoff", 4, 3)
    assert not np.signbit(normal().side([1, 1, 0, 1]).distribution).any()


def test_what_gives_no_database_of_hypergammon_is_refused() -> None:
    ending = Position.from_board([[1] + 24 * [0], [1] + 24 * [0]], chequers=1)
    engine = Engine(threads=1, databases=replace(Databases.standard(), hyper=lambda chequers: 5))  # type: ignore[arg-type, return-value]
    with pytest.raises(SettingsError, match=r"what the 'hyper' of databases gives for 1 must be a Hyper. Got 5"):
        engine.evaluate(ending)
