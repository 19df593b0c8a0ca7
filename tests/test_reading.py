"""Nothing reads without end or limit: pipes, devices, archives that unpack to gigabytes, nested and endless content."""

from __future__ import annotations

import io
import json
import os
import struct
import zipfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from damaged import STATE, rollout_seeds

import sixprime as sp
from sixprime import formats, reading
from sixprime.bearoff import file as bearoff_file
from sixprime.bearoff import gnubg, hyper
from sixprime.cli import main
from sixprime.cube.met_xml import open_table, read_xml
from sixprime.engine import rollout_result
from sixprime.errors import DataFileError, InvalidFileError, SixprimeError, UnreadableFileError
from sixprime.formats._position import position_match
from sixprime.formats._text import Document
from sixprime.nets import file, race
from sixprime.play.dice import ListedDice
from sixprime.play.duel import _read as read_duel
from sixprime.play.journal import Kept
from sixprime.train import recipe, strength
from sixprime.train.curve import draw
from sixprime.train.pipeline import Run

needs_pipes = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")


def read_rows(path: Path) -> object:
    return strength._lines(path, {})


READERS: dict[str, Callable[[Path], object]] = {
    "match": sp.read,
    "net": file.load,
    "net of an engine": lambda path: sp.Engine(path),
    "race nets": race.load,
    "match equity table": read_xml,
    "match equity table by name": open_table,
    "recipe": recipe.read_recipe,
    "rollout": rollout_result.load,
    "reference rows": read_rows,
    "duel": lambda path: read_duel(path, {}),
    "journal": Kept.read,
    "dice": ListedDice.read,
    "training log": lambda path: draw(path, path),
    "training run": lambda path: Run.resume(path.parent),
    "bear-off database": bearoff_file.header,
    "hypergammon database": lambda path: hyper.Hyper.open(path, 1),
    "hypergammon database of GNU Backgammon": hyper.Hyper.read_gnubg,
    "bear-off database of GNU Backgammon": gnubg.header,
    "two-sided database of GNU Backgammon": gnubg.read_two_sided,
}
COMMANDS = {
    "analyse": ["analyse", "FILE"],
    "convert": ["convert", "FILE", "out.mat"],
    "eval": ["eval", "4HPwATDgc/ABMA", "--net", "FILE"],
    "met": ["eval", "4HPwATDgc/ABMA", "--net", "small", "--met", "FILE"],
    "rollout": ["rollout", "FILE"],
    "train": ["train", "run", "--recipe", "FILE"],
    "import": ["bearoff", "import", "FILE"],
}


def strange(kind: str, folder: Path) -> Path:
    """Something that is no regular file."""
    path = folder / "state.npz"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "link to itself":
        path.symlink_to(path)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    elif kind == "long name":
        return folder / ("x" * 5000)
    return path


@needs_pipes
@pytest.mark.parametrize("kind", ["pipe", "folder", "link to itself", "device", "long name"])
@pytest.mark.parametrize("what", READERS)
def test_what_is_no_file_is_refused_at_once(what: str, kind: str, tmp_path: Path) -> None:
    path = strange(kind, tmp_path)
    with pytest.raises((SixprimeError, OSError)) as caught:
        READERS[what](path)
    assert str(path)[:60] in str(caught.value) or what == "training run"


@needs_pipes
@pytest.mark.parametrize("command", COMMANDS)
def test_commands_refuse_pipes(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe")
    with pytest.raises(SystemExit) as ended:
        main([word.replace("FILE", "pipe") for word in COMMANDS[command]])
    said = capsys.readouterr().err
    assert ended.value.code in (1, 2)
    assert "pipe" in said
    assert "internal" not in said
    assert len(said.splitlines()) <= 2


@needs_pipes
def test_a_refusal_names_the_file_what_it_is_and_what_was_wanted(tmp_path: Path) -> None:
    with pytest.raises(DataFileError, match="is a pipe, not a regular file"):
        file.load(strange("pipe", tmp_path))
    with pytest.raises(UnreadableFileError, match="is a folder, not a regular file"):
        reading.read_bytes(tmp_path, 10)
    (tmp_path / "a").write_bytes(b"x" * 11)
    with pytest.raises(UnreadableFileError, match="is larger than 10 bytes, the most that is read: 11 bytes"):
        reading.read_bytes(tmp_path / "a", 10)
    with pytest.raises(UnreadableFileError, match="is no name of a file"):
        reading.read_bytes("a\0b", 10)


def test_a_file_is_read_to_its_limit_and_no_further(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"x" * 10)
    assert reading.read_bytes(path, 10) == b"x" * 10
    with reading.opened(path) as stream:
        assert stream.read(3) == b"xxx"


def test_standard_input_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    class Endless(io.RawIOBase):
        def readable(self) -> bool:
            return True

        def readinto(self, buffer: Any) -> int:
            buffer[:] = bytes(len(buffer))
            return len(buffer)

    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BufferedReader(Endless())))
    with pytest.raises(UnreadableFileError, match="standard input: is larger than 1 MB"):
        reading.read_stdin(1 << 20)
    with pytest.raises(InvalidFileError, match=r"standard input: .*larger than 64 MB"):
        sp.read("-")
    with pytest.raises(SystemExit):
        main(["rollout", "-", "--net", "small"])


# Content


DEEP = 20_000
TEXTS = {
    "brackets": "a = " + "[" * DEEP,
    "a long number": "seed = 1" + "0" * 6000,
    "a long number in range": 'name = "a"\nseed = 0x' + "f" * 9000,
    "a kind that is a list": '[[stage]]\nkind = ["td"]',
    "a kind that is a table": "[[stage]]\nkind = {a = 1}",
    "dots": ".".join("a" * 3000) + " = 1",
    "dots in nets": "[nets]\nrace." + ".".join("a" * 3000) + " = 1",
    "nan": 'name = "a"\nseed = nan',
    "a date": "name = 2020-01-01\nseed = 1",
    "bytes": "\ud800",
}
SOUND = 'name = "a"\nseed = 1\n' + "".join(
    f"[nets.{net}]\nhidden = 4\nrear = false\npairs = false\n" for net in ("contact", "race", "pruner")
)


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_recipes_of_all_sorts(text: str, tmp_path: Path) -> None:
    path = tmp_path / "recipe.toml"
    for whole in (text, SOUND + text, SOUND + "[[stage]]\nkind = 'td'\npositions = 1\n" + text):
        path.write_bytes(whole.encode("utf-8", "surrogatepass"))
        with pytest.raises(InvalidFileError) as caught:
            recipe.read_recipe(path)
        assert len(str(caught.value)) < 1000


JSON = {
    "brackets": b"[" * DEEP,
    "objects": b'{"a":' * DEEP,
    "a long number": b"1" + b"0" * 6000,
    "no text": b"\xff\xfe\x00",
    "another kind": b"[1, 2]",
    "null": b"null",
    "nan": b'{"format": NaN}',
}


@pytest.mark.parametrize("content", JSON.values(), ids=JSON)
def test_json_of_all_sorts(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(content)
    with pytest.raises(DataFileError):
        read_duel(path, {})
    with pytest.raises(InvalidFileError):
        strength._lines(path, {"id": str})
    path.write_bytes(b"Sixprime bear-off database\n" + content[:900].ljust(997))
    with pytest.raises(DataFileError):
        bearoff_file.header(path)
    path.write_bytes(len(content).to_bytes(8, "little") + content)
    with pytest.raises(DataFileError):
        file.load(path)
    path.write_bytes(npz({"head": np.array(content.decode("latin-1"))}))
    with pytest.raises(DataFileError):
        rollout_result.load(path)
    path.write_bytes(b'{"version": "1", "compression": "none", "encoding": "json"}\n' + content)
    with pytest.raises(InvalidFileError):
        sp.read(path)


XML = {
    "entities": b'<!DOCTYPE met [<!ENTITY a "ha"><!ENTITY b "' + b"&a;" * 1000 + b'">]><met>&b;</met>',
    "an entity of a file": b'<!DOCTYPE met [<!ENTITY a SYSTEM "file:///etc/passwd">]><met>&a;</met>',
    "parameter entities": b"<!DOCTYPE met [<!ENTITY % a \"<!ENTITY b 'c'>\"> %a;]><met>&b;</met>",
    "deep": b"<met>" * DEEP + b"</met>" * DEEP,
    "an encoding that is not": b'<?xml version="1.0" encoding="rot13"?><met/>',
    "a strange encoding": b'<?xml version="1.0" encoding="utf-7"?><met/>',
    "a long number": b"<met><info><length>1" + b"0" * 6000 + b"</length></info><pre-crawford-table/></met>",
    "nothing": b"",
}


@pytest.mark.parametrize("content", XML.values(), ids=XML)
def test_xml_of_all_sorts(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    for encoded in (content, content.decode().encode("utf-16")):
        path.write_bytes(encoded)
        with pytest.raises(InvalidFileError) as caught:
            read_xml(path)
        assert len(str(caught.value)) < 1000


# Archives of arrays


def npz(arrays: dict[str, np.ndarray[Any, Any]], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive:
        for name, array in arrays.items():
            content = io.BytesIO()
            np.lib.format.write_array(content, array)
            archive.writestr(f"{name}.npy", content.getvalue())
    return stream.getvalue()


def npy(header: str, rest: bytes = b"") -> bytes:
    text = header.encode().ljust(118) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + rest


def test_arrays_come_as_they_were_written(tmp_path: Path) -> None:
    arrays = {
        "a": np.arange(6, dtype=np.int16).reshape(2, 3),
        "b": np.asfortranarray(np.arange(6.0).reshape(2, 3)),
        "text": np.array("täxt"),
        "none": np.zeros((0, 5)),
        "zero": np.array(7),
        "flag": np.array([True, False]),
    }
    for save in (np.savez, np.savez_compressed):
        save(tmp_path / "a.npz", **arrays)  # type: ignore[arg-type]
        found = reading.read_arrays(tmp_path / "a.npz")
        assert found.keys() == arrays.keys()
        for name, array in arrays.items():
            assert found[name].dtype == array.dtype
            assert found[name].flags.writeable
            np.testing.assert_array_equal(found[name], array)


BOMBS = {
    "zeros": npz({"a": np.zeros(30 << 20, np.uint8)}),
    "many": npz({f"a{i}": np.zeros(4 << 20, np.uint8) for i in range(10)}),
    "other methods": npz({"a": np.zeros(10)}, zipfile.ZIP_BZIP2),
}
HEADERS = {
    "huge": "{'descr': '<f8', 'fortran_order': False, 'shape': (1099511627776,)}",
    "beyond numbers": "{'descr': '<f8', 'fortran_order': False, 'shape': (%s,)}" % ("9" * 60),
    "negative": "{'descr': '<f8', 'fortran_order': False, 'shape': (-1,)}",
    "objects": "{'descr': '|O', 'fortran_order': False, 'shape': (1,)}",
    "nothing": "{'descr': '|V0', 'fortran_order': False, 'shape': (1099511627776,)}",
    "empty texts": "{'descr': '<U0', 'fortran_order': False, 'shape': (1099511627776,)}",
    "deep": "(" * 110,
    "other keys": "{'a': 1}",
    "no text": "\x00",
    "no such number": "{'descr': '<f3', 'fortran_order': False, 'shape': (1,)}",
    "an old name": "{'descr': 'a8', 'fortran_order': False, 'shape': (1,)}",
    "fields": "{'descr': [('a', '<i4')], 'fortran_order': False, 'shape': (1,)}",
}


@pytest.mark.parametrize("name", [*BOMBS, *HEADERS])
def test_archives_are_believed_only_so_far(name: str, tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    if name in BOMBS:
        path.write_bytes(BOMBS[name])
    else:
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("a.npy", npy(HEADERS[name]))
    with pytest.raises(ValueError, match=r"unpacks|array|packed"):
        reading.read_arrays(path)
    with pytest.raises(DataFileError):
        rollout_result.load(path)


def test_a_size_that_lies_unpacks_no_further(tmp_path: Path) -> None:
    """What an archive says of its members is all that is unpacked."""
    data = bytearray(npz({"a": np.zeros(20 << 20, np.uint8)}))
    place = data.index(b"PK\x01\x02") + 24
    data[place : place + 4] = struct.pack("<I", 1000)
    (tmp_path / "a.npz").write_bytes(data)
    with pytest.raises(ValueError, match=r"damaged|array"):
        reading.read_arrays(tmp_path / "a.npz")


def test_trials_that_are_all_alike_are_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are packed so well that a reader would not believe it."""
    monkeypatch.setattr(reading, "_UNPACKED", 10_000)
    (tmp_path / "a.npz").write_bytes(rollout_seeds(())[0])
    over = rollout_result.load(tmp_path / "a.npz")
    trials = type(over.raw[0]).empty(20_000)
    trials.values[:] = 0
    replace(over, raw=(trials,)).save(tmp_path / "a.npz")
    assert len(rollout_result.load(tmp_path / "a.npz").raw[0]) == 20_000


# Writers


@pytest.mark.parametrize("name", [name for name, known in formats.FORMATS.items() if known.write is not None])
@pytest.mark.parametrize(
    "state",
    [
        sp.MatchState(length=2**31 - 1, score=(2**31 - 2, 0)),
        sp.MatchState(length=32768, score=(0, 32767)),
        sp.MatchState(cube=1 << 30, cube_owner=1, cube_limit=1 << 30),
        sp.MatchState(score=(70_000, 0), beavers=99_999),
    ],
    ids=["length", "beyond 16 bits", "cube", "score"],
)
def test_large_numbers_are_written_or_refused(name: str, state: sp.MatchState) -> None:
    for position in (sp.Position.start(), sp.Position((40_000, *[0] * 24), (0,) * 25)):
        match = position_match(position, state, ("a", "b"), format="mat", source="")
        with suppress(SixprimeError):
            formats.render([match], name)


def test_a_snowie_position_beyond_16_bits_is_no_jellyfish_position(tmp_path: Path) -> None:
    (line,) = formats.render([sp.read(sp.sample_match())], "snowiepos")[0].splitlines()[:1]
    fields = str(line).split(";")
    place = next(i for i, field in enumerate(fields) if field == "5")
    fields[place] = "99999"
    with pytest.raises(SixprimeError):
        formats.render([formats.read_text(";".join(fields))], "pos")


@pytest.mark.parametrize("change", [{"numbers": [float("inf"), 1]}, {"numbers": ["a"]}, {"raw": 1}, {"settings": 1}])
def test_a_duel_that_cannot_be(change: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "duel.json"
    path.write_text(json.dumps({**STATE, **change}))
    with pytest.raises(DataFileError, match="holds no duel"):
        read_duel(path, {})


def test_matches_without_an_action_or_with_chequers_missing_are_written_or_refused() -> None:
    match = sp.read(sp.sample_match())
    empty = replace(match, games=(replace(match.games[0], actions=()),))
    short = position_match(sp.Position((0,) * 25, (-2, *[0] * 24)), sp.MatchState(), ("a", "b"), format="", source="")
    for name, known in formats.FORMATS.items():
        if known.write is not None:
            for one in (empty, short):
                with suppress(SixprimeError):
                    for content in formats.render([one], name):
                        assert known.read(Document(content))
    with pytest.raises(InvalidFileError, match="fewer than no chequers"):
        formats.render([short], "pos")


def test_what_writers_make_is_read_again() -> None:
    """Names that are empty, games in which nothing happened, positions after the last point."""
    match = sp.read(sp.sample_match())
    nameless = replace(match, players=(sp.Player(""), sp.Player("")), games=match.games[:1])
    (game,) = formats.render([nameless], "gam")
    assert [player.name for player in formats.read_text(game).players] == ["", ""]
    empty = replace(match.games[0], actions=(), winner=None, points=0)
    for name in ("gam", "bkg", "bgroom", "gammonempire"):
        with pytest.raises(InvalidFileError, match="there is no play to write"):
            formats.render([replace(match, games=(empty,))], name)
        assert formats.render([replace(match, games=(*match.games, empty))], name) == formats.render([match], name)
    state = sp.MatchState(length=7, score=(0, 7))
    over = position_match(sp.Position.start(), state, ("a", "b"), format="", source="")
    assert formats.read_text(formats.render([over], "mat")[0]).games[0].score == (0, 7)
    with pytest.raises(InvalidFileError, match="the score 0-7 of a match to 7"):
        formats.render([over], "pos")


@pytest.mark.parametrize("number", ["9" * 10, "9" * 6000, "²"])
def test_scores_that_no_match_has(number: str) -> None:
    text = formats.render([sp.read(sp.sample_match())], "mat")[0]
    assert isinstance(text, str)
    rows = [f"{line[: line.rindex(':')]}: {number}" if " : 0 " in line else line for line in text.splitlines()]
    with suppress(InvalidFileError):
        assert max(formats.read_text("\n".join(rows)).games[0].score) < 10**6


def test_trials_beyond_all_stakes(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    path.write_bytes(rollout_seeds(())[0])
    arrays = reading.read_arrays(path)
    arrays["values0"][0] = 1e300
    path.write_bytes(npz(arrays))
    with pytest.raises(DataFileError, match="trials without a result"):
        rollout_result.load(path)


@pytest.mark.parametrize("count", [127, 10**6, 10**20])
def test_positions_of_more_chequers_than_there_are(count: int) -> None:
    """Formats that write every chequer by itself would fill the memory."""
    position = sp.Position((count, *[0] * 24), (15, *[0] * 24))
    over = position_match(position, sp.MatchState(), ("a", "b"), format="", source="")
    for name, known in formats.FORMATS.items():
        if known.write is not None:
            with suppress(SixprimeError):
                assert len(formats.render([over], name)[0]) < 10_000
    line = str(formats.render([sp.read(sp.sample_match())], "snowiepos")[0]).splitlines()[0]
    fields = line.split(";")
    fields[-28 + 6 - 1] = str(count)
    with pytest.raises(InvalidFileError, match=r"small numbers|no known|no match"):
        formats.read_text(";".join(fields))


def test_a_score_beyond_the_match() -> None:
    """It is said, and what was played is kept."""
    text = str(formats.render([sp.read(sp.sample_match())], "sgf")[0])
    found = formats.read_text(text.replace("[ws:0]", "[ws:9]", 1))
    assert found.games[0].score == (0, 0)
    assert any("the score 9-0 does not fit a match to 7" in problem.message for problem in found.problems)
    with pytest.raises(sp.InvalidIdError, match="the score 9-0 of a match to 7"):
        sp.ParsedPosition(sp.Position.start(), sp.MatchState(length=7, score=(9, 0)), None).xgid  # noqa: B018


def test_a_player_may_be_called_like_a_result() -> None:
    match = sp.read(sp.sample_match())
    called = replace(match, players=(sp.Player("Resign: all"), sp.Player("Wins")), games=match.games[:1])
    text = str(formats.render([called], "gam")[0])
    assert [player.name for player in formats.read_text(text).players] == ["Resign: all", "Wins"]


@pytest.mark.parametrize(("name", "count"), [("pos", 15), ("ogid", 30)])
def test_positions_of_more_chequers_than_a_format_holds(name: str, count: int) -> None:
    """The most is written and read again; more is refused."""

    def position(many: int) -> list[sp.Match]:
        first = (many - 1, 1) if name == "ogid" else (many, 0)
        board = sp.Position((*first, *[0] * 23), (0, 0, 0, 2, *[0] * 21))
        return [position_match(board, sp.MatchState(), ("a", "b"), format="", source="")]

    text = formats.render(position(count), name)[0]
    [found] = formats.FORMATS[name].read(Document(text, "x"))
    assert found.only_position is not None
    read = found.only_position.position
    assert sum(read.player) + sum(read.opponent) == count + 2
    with pytest.raises(SixprimeError, match=r"cannot hold 16 chequers on a point|at most 30 chequers of a side"):
        formats.render(position(count + 1), name)


@pytest.mark.parametrize(("name", "player"), [("gam", "2) 32: 24/21"), ("gam", "; me"), ("gammonempire", "1)"),
                                              ("gammonempire", "#1"), ("gammonempire", "Winston")])  # fmt: skip
def test_names_that_would_be_read_as_something_else_are_refused(name: str, player: str) -> None:
    match = sp.read(sp.sample_match())
    called = replace(match, players=(sp.Player(player), sp.Player("Bob")), games=match.games[:1])
    with pytest.raises(InvalidFileError, match="a game cannot begin with the names"):
        formats.render([called], name)
    called = replace(match, players=(sp.Player("Bob"), sp.Player(player.replace(" ", "_"))), games=match.games[:1])
    [found] = formats.FORMATS[name].read(Document(formats.render([called], name)[0], "x"))
    assert found.players[0].name == "Bob"
