"""Positions of bear-off databases by their number, as GNU Backgammon's bearoffdump counts them."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from itertools import product
from pathlib import Path

import pytest
from test_bearoff import ending, rows

from sixprime.bearoff import one_sided, two_sided
from sixprime.bearoff.hyper import hyper
from sixprime.bearoff.lookup import look_up_number, position_of
from sixprime.bearoff.names import NORMAL, ONE_SIDED, TWO_SIDED
from sixprime.bearoff.side import counts_of, number_of
from sixprime.errors import DataFileError, InvalidPositionError
from sixprime.game import Position

_DUMP = shutil.which("bearoffdump") or shutil.which("bearoffdump", path="/usr/games")


@pytest.mark.parametrize("points", [1, 2, 6, 18, 25])
def test_sides_have_their_numbers(points: int) -> None:
    for number in (*range(300), 54263, 155_117_519):
        assert number_of(counts_of(number, points), points) == number
    for counts in product((0, 3, 15), repeat=min(points, 3)):
        full = (0,) * (points - len(counts)) + counts
        assert counts_of(number_of(full, points), points) == full


def test_one_sided_rows() -> None:
    for row in rows("bearoff_os.jsonl"):
        if row["index"]:
            position, found = look_up_number(row["index"] * 54264 + 1, ONE_SIDED, 6, 15)
            assert position == ending(row["board"], (1,))
            assert found.race is not None
            assert (found.race.database, found.pair, found.normal) == ("15x6", None, None)
            assert found.race.on_roll.mean == pytest.approx(row["mean"], abs=0.00051)


def test_two_sided_rows() -> None:
    for row in rows("bearoff_ts.jsonl"):
        player, opponent = row["index"]
        position, found = look_up_number(player * 924 + opponent, TWO_SIDED, 6, 6)
        assert position.id == row["position_id"]
        assert (found.race, found.normal) == (None, None)
        pair = found.pair
        assert pair is not None
        equities = (pair.cubeless, pair.owned.no_double, pair.centred.no_double, pair.opponent.no_double)
        assert equities == pytest.approx(
            [row[name] for name in ("cubeless", "owned", "centered", "opponent")], abs=1e-6
        )


def test_rows_of_hypergammon() -> None:
    for row in rows("bearoff_hyper.jsonl"):
        position = position_of(row["index"], 25, row["chequers"], row["chequers"])
        assert position.id == row["position_id"]
        assert hyper(row["chequers"]).index(position) == row["index"]


def test_numbers_that_are_none(sixprime, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SIXPRIME_DATA", str(tmp_path))
    for number, hint in ((924**2, "0 to 853775"), (-1, "0 to 853775"), (0, "number 0 of 6x6 is no position")):
        with pytest.raises(InvalidPositionError, match=hint):
            look_up_number(number, TWO_SIDED, 6, 6)
    with pytest.raises(DataFileError, match="run sixprime bearoff build normal 2x3"):
        look_up_number(1, NORMAL, 3, 2)
    for arguments in (("--number", "1"), ("two-sided", "--number", "1", "--hyper", "1")):
        status, out, err = sixprime("bearoff", "show", *arguments)
        assert (status, out) == (2, "")
        assert "--number needs a database alone" in err
    for words in ((), ("CgAAEAEAAAAAAA", "AQAAAAAAAAAAAA")):
        status, out, err = sixprime("bearoff", "show", *words)
        assert (status, out) == (2, "")
        assert f"one position, not {len(words)}" in err


def test_what_only_the_sides_know(sixprime, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """On 13 points the sides may meet: there is no race whose outcome the database could tell."""
    monkeypatch.setenv("SIXPRIME_DATA", str(tmp_path))
    assert sixprime("bearoff", "build", "2x13")[0] == 0
    sides = [(0,) * 12 + (1,), (0,) * 12 + (1,)]
    player, opponent = (number_of(side, 13) for side in sides)
    status, _, err = sixprime("bearoff", "show", "2x13", "--number", str(player * 105 + opponent))
    assert status != 0
    assert "the sides are in contact" in err
    status, _, err = sixprime("bearoff", "show", ending(*sides).id)
    assert status != 0
    assert "still in contact" in err


def test_command(sixprime) -> None:
    number = number_of((0, 1), 6) * 924 + number_of((1, 1), 6)
    position = ending((0, 1), (1, 1))
    answer = json.loads(sixprime("bearoff", "show", "two-sided", "6x6", "--number", str(number), "--json")[1])
    whole = json.loads(sixprime("bearoff", "show", position.id, "--json")[1])
    assert answer == {**whole, "one_sided": None}
    out = sixprime("bearoff", "show", "hyper", "1", "--number", "142")[1]
    assert out == sixprime("bearoff", "show", "AAgAQAAAAAAAAA", "--hyper", "1")[1]


@pytest.mark.skipif(_DUMP is None, reason="needs bearoffdump")
def test_bearoffdump_has_the_same_positions(sixprime, tmp_path: Path) -> None:
    files = {ONE_SIDED: ("15x6", tmp_path / "os.bd"), TWO_SIDED: ("6x6", tmp_path / "ts.bd")}
    for kind, (size, file) in files.items():
        assert sixprime("bearoff", "export", kind, size, "--to", str(file))[0] == 0
    # GNU Backgammon 1.07 keeps the number in 32 bits.
    for kind, number in product(files, (101, 924, 54265, 853775, 2_100_000_000)):
        size, file = files[kind]
        chequers, points = (int(word) for word in size.split("x"))
        if kind == TWO_SIDED and number > 853775:
            continue
        run = subprocess.run([str(_DUMP), "-n", str(number), file], capture_output=True, text=True, timeout=60)
        position, found = look_up_number(number, kind, points, chequers)
        assert re.findall(r"Position ID: (\S+)", run.stdout) == [position.id]
        if found.race is not None:
            means = re.findall(r"^Mean\s+(\S+)\s+(\S+)", run.stdout, re.MULTILINE)[0]
            assert [float(word) for word in means] == pytest.approx(
                [found.race.on_roll.mean, found.race.opponent.mean], abs=6e-4
            )
        elif found.pair is not None:
            pair = found.pair
            mine = (pair.cubeless, pair.owned.no_double, pair.centred.no_double, pair.opponent.no_double)
            theirs = [float(word) for word in re.findall(r"(?:equity|cube) +: (\S+)", run.stdout)]
            assert theirs == pytest.approx(mine, abs=6e-5)


def test_both_ways() -> None:
    for player, opponent in (((0, 0, 2), (5, 4, 3, 2, 1)), ((0, 0, 0, 0, 0, 6), (0, 1, 0, 0, 1))):
        numbers = [one_sided().index(side) for side in (player, opponent)]
        assert position_of(numbers[0] * 54264 + numbers[1], 6, 15) == ending(player, opponent)
    assert two_sided().index(counts_of(923, 6)) == 923
    assert isinstance(position_of(1, 25, 3, 3), Position)
