"""GNU Backgammon's bear-off files: written to the byte, read, and refused when damaged."""

from __future__ import annotations

import hashlib
import os
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from sixprime.bearoff import Normal, OneSided, TwoSided, gnubg
from sixprime.errors import DataFileError, SettingsError

# MD5 sums of the files of makebearoff; from its manual, those of the normal form and of options measured with 1.07.
ONE_SIDED = {
    1: "c789f049ec98ce4e307b471257999f39",
    2: "b6e61c1625ae4b3b164e93ab064192b9",
    3: "346dae6139ccb4b227c534373e5c52e4",
    4: "653255f5f9f22fd50277f7ff25b2a343",
    5: "2064f9a56b23117d053a573c96a92fa2",
    6: "3dc7b833c4670849cee00479a9e21b49",
    7: "67235c8e0ee152df5daf36cbeae5b3c2",
    8: "a4acbb5c7e9e1f08e561afe0af934e5c",
    9: "9c4ddab4e51c3e668c9c97b8f8768dbc",
}
TWO_SIDED = {
    1: "7ed6f8e7fce16ea2b80e07a4a516653c",
    2: "e9d760bf213841c285245ed757a52f4d",
    3: "9d67da3db32ad4720cc38eecf9a67967",
    4: "9156f37032d1d4b0352a41186e632dfc",
    5: "0db19ab08feae1feb33ddbd709479f62",
    6: "44b6040b49b46cb9dd2ce8caa947044d",
    7: "9eb8b042d4d2ddf8d40e74a892745ad5",
    8: "fcdbbc80b7ef84ddc81b839d0f26bed1",
}
NORMAL = {
    1: "cfb3efa85e2d324d7ba09169a85fc5c8",
    2: "b3ff60195210a83c8d802b6ff416a852",
    4: "5f26057e178f0edb000fe326d5c50b1c",
    6: "166635744ebc32c2deb6d21bb2d3134b",
}
OPTIONS = {
    (True, True): ONE_SIDED[3],
    (False, True): "c90b77141e450d178bcdb360570cff13",
    (True, False): "e7ce21000dc1954be3aa6ed007016a3e",
    (False, False): "074f85179760d1001f7cc142d4c78209",
}
"""15x3, by compression and gammons."""
CUBELESS = "2a3a64fd829e49c3d782f65ed34255aa"
"""3x3."""
FULL = "SIXPRIME_REFDATA" in os.environ


def md5(path: Path) -> str:
    return hashlib.md5(path.read_bytes(), usedforsecurity=False).hexdigest()


@cache
def small() -> OneSided:
    return OneSided.build(3, 15)


@pytest.mark.parametrize("points", [points for points in ONE_SIDED if points <= (9 if FULL else 6)])
def test_one_sided_to_the_byte(points: int, tmp_path: Path) -> None:
    gnubg.write_one_sided(tmp_path / "out.bd", OneSided.build(points, 15))
    assert md5(tmp_path / "out.bd") == ONE_SIDED[points]


@pytest.mark.parametrize("chequers", [chequers for chequers in TWO_SIDED if chequers <= (8 if FULL else 7)])
def test_two_sided_to_the_byte(chequers: int, tmp_path: Path) -> None:
    gnubg.write_two_sided(tmp_path / "out.bd", TwoSided.build(6, chequers))
    assert md5(tmp_path / "out.bd") == TWO_SIDED[chequers]


@pytest.mark.parametrize("points", NORMAL)
def test_normal_to_the_byte(points: int, tmp_path: Path) -> None:
    gnubg.write_normal(tmp_path / "out.bd", Normal.build(points, 15))
    assert md5(tmp_path / "out.bd") == NORMAL[points]


@pytest.mark.parametrize(("compressed", "gammons"), [(c, g) for c in (True, False) for g in (True, False)])
def test_options_to_the_byte(compressed: bool, gammons: bool, tmp_path: Path) -> None:
    gnubg.write_one_sided(tmp_path / "out.bd", small(), compressed=compressed, gammons=gammons)
    assert md5(tmp_path / "out.bd") == OPTIONS[compressed, gammons]


def test_cubeless_to_the_byte(tmp_path: Path) -> None:
    gnubg.write_two_sided(tmp_path / "out.bd", TwoSided.build(3, 3), cubeful=False)
    assert md5(tmp_path / "out.bd") == CUBELESS
    with pytest.raises(DataFileError, match="cubeless only"):
        gnubg.read_two_sided(tmp_path / "out.bd")


@pytest.mark.parametrize(("compressed", "gammons"), [(c, g) for c in (True, False) for g in (True, False)])
def test_one_sided_is_read(compressed: bool, gammons: bool, tmp_path: Path) -> None:
    path = tmp_path / "out.bd"
    gnubg.write_one_sided(path, small(), compressed=compressed, gammons=gammons)
    found = gnubg.one_sided_from(path, small())
    rows = np.arange(len(small().arrays.spans))
    for gammon in (False, True):
        assert np.array_equal(found.survival(rows, gammon=gammon), small().survival(rows, gammon=gammon))


def test_the_values_of_the_file_count(tmp_path: Path) -> None:
    """What is read is what the file says, not what we would have computed."""
    path = tmp_path / "out.bd"
    gnubg.write_one_sided(path, small(), compressed=False)
    whole = np.frombuffer(path.read_bytes(), dtype=np.uint8).copy()
    row = whole[40:].view("<u2").reshape(-1, 2, 32)[-1, 0]
    row[[5, 6]] += np.array([1, -1], dtype=np.int16).view(np.uint16)
    path.write_bytes(whole.tobytes())
    last = [len(small().arrays.spans) - 1]
    changed = gnubg.one_sided_from(path, small()).survival(np.array(last))[0].astype(int)
    assert (small().survival(np.array(last))[0] - changed).tolist() == [0] * 5 + [1] + [0] * 58


@pytest.mark.parametrize("block", [100, 680, 1 << 15])
def test_the_gammons_of_the_file_count_in_every_block(
    block: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those of lists of all chequers are the file's, wherever the blocks begin in which it is read."""
    path, own = tmp_path / "out.bd", small()
    gnubg.write_one_sided(path, own, compressed=False)
    whole = np.frombuffer(path.read_bytes(), dtype=np.uint8).copy()
    first = int(own.arrays.ranks[0, 15])
    gammons = whole[40:].view("<u2").reshape(-1, 2, 32)[first:, 1]
    gammons[:] = np.roll(gammons, 1, axis=0)
    path.write_bytes(whole.tobytes())
    monkeypatch.setattr(gnubg, "_BLOCK", block)
    found = gnubg.one_sided_from(path, own).survival(np.arange(len(own.arrays.spans)), gammon=True)
    known = own.survival(np.arange(len(own.arrays.spans)), gammon=True)
    assert np.array_equal(found[:first], known[:first])
    assert np.array_equal(found[first:], np.roll(known[first:], 1, axis=0))


def test_two_sided_and_normal_are_read(tmp_path: Path) -> None:
    pairs, normal = TwoSided.build(4, 3), Normal.build(3, 15)
    gnubg.write_two_sided(tmp_path / "pairs.bd", pairs)
    gnubg.write_normal(tmp_path / "normal.bd", normal)
    assert np.array_equal(gnubg.read_two_sided(tmp_path / "pairs.bd").arrays.equities, pairs.arrays.equities)
    moments = gnubg.read_normal(tmp_path / "normal.bd").arrays.moments
    full = normal.arrays.ranks[0, 15]
    assert np.array_equal(moments[:2], normal.arrays.moments[:2])
    assert np.array_equal(moments[2:, full:], normal.arrays.moments[2:, full:])


def test_damaged(tmp_path: Path) -> None:
    path = tmp_path / "out.bd"
    for compressed in (True, False):
        gnubg.write_one_sided(path, small(), compressed=compressed)
        whole = path.read_bytes()
        broken = bytearray(whole)
        broken[len(whole) // 2] ^= 4
        late = bytearray(whole)
        late[-130] ^= 4
        for content in (whole[:-1], whole[:-2], whole[:60], whole + b"\0\0", bytes(broken), bytes(late)):
            path.write_bytes(content)
            with pytest.raises(DataFileError, match=r"damaged|bytes instead of"):
                gnubg.one_sided_from(path, small())
    gnubg.write_two_sided(path, TwoSided.build(2, 2))
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(DataFileError, match="bytes instead of"):
        gnubg.read_two_sided(path)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "is not a bear-off database of GNU Backgammon"),
        (b"Sixprime bear-off database", "is not a bear-off database of GNU Backgammon"),
        (b"gnubg-OS-99-15-1-1-0".ljust(39, b"x") + b"\n", "1 to 18 points"),
        (b"gnubg-OS-06-15-7-1-0".ljust(39, b"x") + b"\n", "is not a bear-off database of GNU Backgammon"),
        (b"gnubg-H3".ljust(39, b"x") + b"\n", "hypergammon"),
    ],
)
def test_foreign(content: bytes, problem: str, tmp_path: Path) -> None:
    (tmp_path / "x.bd").write_bytes(content)
    with pytest.raises(DataFileError, match=problem):
        gnubg.header(tmp_path / "x.bd")


def test_wrong_kind(tmp_path: Path) -> None:
    gnubg.write_two_sided(tmp_path / "pairs.bd", TwoSided.build(2, 2))
    gnubg.write_one_sided(tmp_path / "sides.bd", small())
    with pytest.raises(DataFileError, match="holds two-sided 2x2"):
        gnubg.one_sided_from(tmp_path / "pairs.bd", small())
    with pytest.raises(DataFileError, match="holds one-sided 15x3"):
        gnubg.read_two_sided(tmp_path / "sides.bd")
    with pytest.raises(DataFileError, match="holds one-sided 15x3"):
        gnubg.read_normal(tmp_path / "sides.bd")
    with pytest.raises(DataFileError, match="not 15x2"):
        gnubg.one_sided_from(tmp_path / "sides.bd", OneSided.build(2, 15))


def test_more_rolls_than_their_file_has(tmp_path: Path) -> None:
    far = OneSided.build(18, 2)
    rows = np.arange(len(far.arrays.spans))
    gnubg.write_one_sided(tmp_path / "x.bd", far)
    far.arrays.spans[rows] += 40 << 40  # every side needs 40 rolls more
    with pytest.raises(SettingsError, match="ends at 31 rolls"):
        gnubg.write_one_sided(tmp_path / "x.bd", far)
