"""Bytes to text: marks of byte order, Western and Japanese names, encodings that are named, control characters."""

from __future__ import annotations

import io
import json
import struct
import sys
from pathlib import Path
from typing import Any

import pytest
from packed_files import RECORD, xg_file, xg_parts

import sixprime as sp
from sixprime import formats
from sixprime.cli import main
from sixprime.errors import SettingsError
from sixprime.formats._text import Document, decode

DATA = Path(__file__).parent / "data" / "formats"
MARK = b"\xef\xbb\xbf"


def mat(first: str = "Ann", second: str = "Bob", head: str = "") -> str:
    return f"{head} 7 point match\n\n Game 1\n {first} : 0           {second} : 0\n  1) 31: 8/5 6/5      42: 8/4 6/4\n"


def names(data: bytes, encoding: str | None = None) -> list[str]:
    return [player.name for player in formats.read_text(data, encoding=encoding).players]


def run(*arguments: str | Path) -> int:
    with pytest.raises(SystemExit) as ended:
        main(list(map(str, arguments)))
    return int(ended.value.code or 0)


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252", "latin-1"])
def test_a_mark_of_utf_8_before_any_western_text(encoding: str) -> None:
    """Some programs put the mark before whatever the names come in."""
    text = mat("Jürgen", "Zoé")
    assert names(MARK + text.encode(encoding)) == ["Jürgen", "Zoé"]
    assert not decode(MARK + text.encode(encoding)).startswith(("\ufeff", "ï"))
    assert decode(b"\xef\xbb") == "ï»"


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("pair", [("Ann", "Zoé"), ("Иван", "Пётр"), ("田中", "鈴木一郎")])
def test_utf_16_without_a_mark(pair: tuple[str, str], encoding: str) -> None:
    assert names(mat(*pair).encode(encoding)) == [*pair]


@pytest.mark.parametrize(
    "pair", [("田中", "鈴木一郎"), ("たなか", "スズキ"), ("佐々木 健", "Ann"), ("渡辺ユリ", "高橋")]
)
def test_japanese_names(pair: tuple[str, str]) -> None:
    for encoding in ("shift_jis", "cp932", "utf-8", "utf-16"):
        assert names(mat(*pair).encode(encoding)) == [*pair]


@pytest.mark.parametrize(
    "pair",
    [
        ("Kévin", "Zoé"),
        ("Müller", "Jörg Weiß"),
        ("Søren Ågård", "Åse"),
        ("Désirée", "Créée"),
        ("L\u2019H\u00f4te", "\u201cAce\u201d"),
        ("Íñigo", "João"),
        ("Œdipe", "d\u2019Été"),
    ],
)
def test_western_names_are_not_taken_for_japanese(pair: tuple[str, str]) -> None:
    assert names(mat(*pair).encode("cp1252")) == [*pair]


@pytest.mark.parametrize(
    ("encoding", "pair"),
    [
        ("koi8-r", ("Иван", "Ольга")),
        ("cp1251", ("Иван", "Ольга")),
        ("cp1253", ("Γιώργος", "Νίκος")),
        ("iso-8859-2", ("Łukasz", "Jiří")),
        ("euc-jp", ("田中", "鈴木")),
        ("utf-16", ("田中", "鈴木")),
    ],
)
def test_an_encoding_that_is_named(encoding: str, pair: tuple[str, str], tmp_path: Path) -> None:
    path = tmp_path / "match.mat"
    path.write_bytes(mat(*pair).encode(encoding))
    for match in (sp.read(path, encoding=encoding), sp.read_all(path, encoding=encoding)[0]):
        assert [player.name for player in match.players] == [*pair]
        assert not any("encoding" in problem.message for problem in match.problems)


def test_bytes_that_are_none_of_the_encoding_are_said() -> None:
    match = formats.read_text(mat("Zoé", "Bob").encode("cp1252"), "f.mat", "ascii")
    assert match.players[0].name == "Zo\ufffd"
    assert str(match.problems[0]) == "f.mat: 1 bytes are no ascii; is that the encoding?"


@pytest.mark.parametrize("encoding", ["nonsense", "", "hex", "rot13", "a\0b", "undefined"])
def test_an_unknown_encoding(encoding: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SettingsError, match="'encoding' parameter must be the name of a text encoding"):
        sp.read(DATA / "triple.mat", encoding=encoding)
    for command in (("analyse", DATA / "triple.mat"), ("convert", DATA / "triple.mat", tmp_path / "x.sgf")):
        assert run(*command, "--encoding", encoding) == 2
        wanted = "must be the name of a text encoding" if encoding else "needs a value"
        assert f"--encoding {wanted}" in capsys.readouterr().err


@pytest.mark.parametrize("encoding", [-1, b"utf-8", ["utf-8"]])
def test_an_encoding_that_is_no_text(encoding: Any) -> None:
    with pytest.raises(SettingsError, match="'encoding' parameter must be the name of a text encoding"):
        sp.read(DATA / "triple.mat", encoding=encoding)


def test_commands_take_an_encoding(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, target = tmp_path / "match.mat", tmp_path / "match.sgf"
    source.write_bytes(mat("Иван", "Ольга").encode("koi8-r"))
    assert run("convert", source, target, "--encoding", "koi8-r") == 0
    assert "PW[Иван]" in target.read_text("utf-8")
    assert run("analyse", source, "--encoding", "koi8-r", "--plies", "0", "--json") == 0
    assert [player["name"] for player in json.loads(capsys.readouterr().out)["players"]] == ["Иван", "Ольга"]


def test_names_in_single_bytes_within_binary_files() -> None:
    header, records = xg_parts((DATA / "match.xg").read_bytes())
    changed = bytearray(records)
    struct.pack_into("<i", changed, 552, 20)  # a version before the wide strings
    for at, name in ((9, "田中"), (50, "Иван")):
        text = name.encode("shift_jis" if at == 9 else "cp1251") + b"\0x"
        changed[at : at + 1 + len(text)] = bytes([len(text)]) + text
    assert len(changed) % RECORD == 0
    data = xg_file(header, {"temp.xg": bytes(changed)})
    assert names(data)[0] == "田中"
    assert names(data, "cp1251")[1] == "Иван"


# Control characters


@pytest.mark.parametrize("code", [0, 1, 7, 8, 11, 12, 27, 31, 127])
def test_control_characters_never_get_into_a_match(code: int) -> None:
    text = mat(f"A{chr(code)}nn", "Bob", head=f'; [Event "Cl{chr(code)}ub"]\n; he{chr(code)}llo\n')
    for content in (text, text.encode()):
        match = formats.read_text(content)
        assert [player.name for player in match.players] == ["Ann", "Bob"]
        assert match.info == {"event": "Club", "comment": "hello"}
        assert ("Event", "Club") in match.tags
        assert len(match.games[0].actions) == 2


@pytest.mark.parametrize("name", ["match.sgg", "match.party", "match.tmg", "match.oldmoves", "match.bgroom"])
@pytest.mark.parametrize(
    ("before", "each", "after"),
    [
        ("", "> ", ""),
        ("", ">> ", ""),
        ("", "> > ", ""),
        ("```\n", "", "```\n"),
        ("\n~~~ text\n", "", "\n~~~"),
        (">```\n", ">", ">```"),
        ("", "    ", ""),
        ("\n", "\t", ""),
    ],
)
def test_what_mails_and_posts_put_around_a_text(name: str, before: str, each: str, after: str) -> None:
    lines = (DATA / name).read_text().splitlines()
    around = before + "".join(f"{each}{line}\n" for line in lines) + after
    plain = "\n" * before.count("\n") + "\n".join(lines)
    assert formats.read_text(around).games == formats.read_text(plain).games


def test_an_indented_block_is_read_as_without_its_margin() -> None:
    text = Path("tests/data/gnubg_text/money.txt").read_text(encoding="utf-8")
    plain = formats.read_text(text)
    for margin in ("    ", "\t"):
        match = formats.read_text("".join(f"{margin}{line}" for line in text.splitlines(keepends=True)))
        assert (match.players, match.games) == (plain.players, plain.games)


def test_a_text_that_is_quoted_in_part_stays() -> None:
    assert Document("> one\ntwo\n").text == "> one\ntwo\n"
    assert Document("    one\n two\n").text == "    one\n two\n"
    assert Document("```\none\n``` two\n").text == "\none\n``` two\n"


def test_files_of_many_nulls_are_still_no_text() -> None:
    assert not Document(b"\0" * 20 + b"abc").is_text
    assert not Document("a\0b").is_text
    assert Document("ab").is_text


def test_control_characters_in_other_formats() -> None:
    for name in ("match.oldmoves", "match.tmg", "match.sgg", "match.bgroom", "match.party", "match.gam"):
        text = (DATA / name).read_text("utf-8")
        sound = formats.read_text(text)
        player = sound.players[0].name
        dirty = formats.read_text(text.replace(player, f"{player[0]}\0{player[1:]}\x07"))
        assert dirty.players == sound.players, name
    header, records = xg_parts((DATA / "match.xg").read_bytes())
    changed = bytearray(records)
    changed[622 + 258 : 622 + 258 + 12] = "A\x01nn\x7f\0".encode("utf-16-le")
    assert names(xg_file(header, {"temp.xg": bytes(changed)}))[0] == "Ann"


# What sites put into their heads


def test_the_time_of_hedgehog() -> None:
    match = formats.read_text(mat(head='; [EventDate "2026.04.18"]\n; [Time "10:00"]\n'))
    assert match.info == {"date": "2026-04-18", "time": "10:00"}
    assert formats.read_text(mat(head='; [Time "10:00"]\n; [EventTime "11:00"]\n')).info == {"time": "11:00"}


# Standard input


@pytest.mark.parametrize("command", ["eval", "hint", "race"])
def test_a_mark_before_the_first_id(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    id = "2+4OAACu7Q0AAA"
    line = f"{id} 31" if command == "hint" else id
    path = tmp_path / "ids.txt"
    path.write_bytes(MARK + f"{line}\r\n{line}\n".encode())
    with path.open() as stream:
        monkeypatch.setattr(sys, "stdin", stream)
        assert run(command, "-", "--plies", "0") == 0
    answers = [json.loads(answer) for answer in capsys.readouterr().out.splitlines()]
    assert [answer["position_id"] for answer in answers] == [id, id]


def test_a_mark_before_the_ids_of_a_rollout(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    text = "\ufeff# two positions\n2+4OAACu7Q0AAA\n2+4OAACu7Q0AAA cAkAAAAAAAAA 3 1\n"
    options = ("--trials", "36", "--plies", "0", "--truncate", "1", "--count", "1", "--json")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode()), "utf-8"))
    assert run("rollout", "-", *options) == 0
    first = [json.loads(line)["position_id"] for line in capsys.readouterr().out.splitlines()]
    path = tmp_path / "ids.txt"
    path.write_text(text, "utf-8")
    assert run("rollout", path, *options) == 0
    assert [json.loads(line)["position_id"] for line in capsys.readouterr().out.splitlines()] == first
    assert first == ["2+4OAACu7Q0AAA"] * 2
