"""BGBlitz: position texts, and `.bgf`, made here and real ones with other values in them."""

from __future__ import annotations

import gzip
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from packed_files import bgf_content, bgf_file
from smile_writer import dumps

from sixprime import formats
from sixprime.errors import InvalidFileError
from sixprime.formats import _smile, bgf
from sixprime.formats._text import Document
from sixprime.game.position import Position
from sixprime.game.record import ActionKind, Match
from sixprime.paths import sample_match

DATA = Path(__file__).parent / "data" / "formats"


@pytest.fixture(scope="module")
def original() -> Match:
    return formats.read(sample_match())


# Positions


def test_a_play() -> None:
    match = formats.read(DATA / "bgblitz_play_de.txt")
    assert (match.format, match.problems) == ("bgblitz-text", ())
    assert [player.name for player in match.players] == ["Grün", "Rot"]
    alone = match.only_position
    assert alone is not None
    assert (alone.state.dice, alone.state.cube, alone.state.score) == ((2, 1), 2, (6, 3))
    (analysis,) = alone.analyses
    assert analysis.source == "BGBlitz"
    assert [str(candidate.play) for candidate in analysis.plays][:2] == ["19/18 14/12", "19/18 3/1"]
    assert analysis.plays[0].value.probabilities == (0.254, 0.0, 0.0, 0.338, 0.004)
    assert (analysis.plays[1].value.equity, analysis.plays[1].value.mwc) == (-0.545, 0.111)


def test_a_cube_decision() -> None:
    match = formats.read(DATA / "bgblitz_cube_jp.txt")
    alone = match.only_position
    assert alone is not None
    cube = alone.analyses[0].cube
    assert cube is not None
    assert cube.double_pass is not None
    assert (cube.no_double.equity, cube.double_take.equity, cube.double_pass.equity) == (0.685, 0.76, 1.0)
    assert (cube.no_double.mwc, cube.double_take.mwc) == (0.526, 0.535)
    assert cube.no_double.probabilities == (0.659, 0.153, 0.002, 0.093, 0.002)
    assert cube.best == "リダブル / 受ける"


def test_damaged_positions() -> None:
    text = (DATA / "bgblitz_play_de.txt").read_text()
    match = formats.read_text(text.replace("19/18, 14/12", "19/18, 14/11"), "f")
    assert [(problem.line, problem.column) for problem in match.problems] == [(23, 39)]
    with pytest.raises(InvalidFileError) as caught:
        formats.read_text(text.replace(":21:3:6:", ":21:3:x:"))
    assert caught.value.line == 16


# Matches


@pytest.mark.parametrize("smile", [True, False])
def test_a_match(original: Match, smile: bool) -> None:
    match = formats.read_text(bgf_file(bgf_content(original), smile))
    assert match.format == "bgf"
    assert [player.name for player in match.players] == [player.name for player in original.players]
    assert (match.length, match.info["date"]) == (7, "2025-11-02")
    for game, same in zip(match.games, original.games, strict=True):
        assert (game.score, game.winner, game.points) == (same.score, same.winner, same.points)
        moves = [(a.kind, a.player, a.position, a.dice, a.play) for a in game.actions if a.play and a.play.steps]
        assert moves == [
            (a.kind, a.player, a.position, a.dice, a.play) for a in same.actions if a.play and a.play.steps
        ]
        cubes = (ActionKind.DOUBLE, ActionKind.TAKE, ActionKind.DROP)
        assert [a.kind for a in game.actions if a.kind in cubes] == [a.kind for a in same.actions if a.kind in cubes]
    (analysis,) = match.games[0].actions[5].analyses
    assert analysis.played == 0
    assert analysis.luck == -0.005
    assert analysis.cube is not None
    assert (analysis.cube.no_double.equity, analysis.cube.best) == (0.3, "NO_DOUBLE")
    assert analysis.plays[0].value.probabilities == (0.55, 0.125, 0.0, 0.0, 0.0)


@pytest.mark.parametrize("length", [0, 7])
def test_rules(original: Match, length: int) -> None:
    """Those of money count for money alone; what is no rule is left as usual."""
    content = bgf_content(original) | {"matchlen": length}
    for key, values in {
        "useJacoby": {True: True, False: False, None: False, "yes": False},
        "useBeaver": {True: 3, False: 0, None: 0},
        "useCrawford": {True: True, False: False, None: True},
        "useCube": {True: 1024, False: 1, None: 1024},
        "cubeLimit": {1: 1, 64: 64, 1 << 15: 1 << 15, 1 << 16: 1024, 3: 1024, 0: 1024, -2: 1024},
    }.items():
        for told, wanted in values.items():
            match = formats.read_text(bgf_file({**content, key: told}))
            found = {
                "useJacoby": match.jacoby,
                "useBeaver": match.beavers,
                "useCrawford": match.crawford_rule,
                "useCube": match.cube_limit,
                "cubeLimit": match.cube_limit,
            }[key]
            assert found == (0 if length and key in ("useJacoby", "useBeaver") else wanted), (key, told)


@pytest.mark.parametrize(("length", "wanted"), [(-1, 0), (0, 0), (1, 1), (7, 7), (None, 0), ("7", 0)])
def test_lengths(original: Match, length: object, wanted: int) -> None:
    match = formats.read_text(bgf_file(bgf_content(original) | {"matchlen": length, "finalGreen": 0, "finalRed": 0}))
    assert match.length == wanted
    assert any("read as a money session" in problem.message for problem in match.problems) == (
        length in (-1, None, "7")
    )


@pytest.mark.parametrize(
    ("found", "cubeless", "equity", "mwc"),
    [
        ({"useMatchEquity": False}, 0.2, 0.2, None),
        ({"useMatchEquity": False, "cubeDecision": {"eqCubeFul": 0.3}}, 0.2, 0.3, None),
        ({"useMatchEquity": True}, 0.2, None, 0.6),
        ({"useMatchEquity": True, "cubeDecision": {"eqCubeFul": 0.7}}, 0.2, None, 0.7),
        ({"useMatchEquity": True, "hasEMG": True, "emg": 0.4}, 0.2, 0.4, 0.6),
        ({"useMatchEquity": True, "hasEMG": False, "emg": 0.4}, 0.2, None, 0.6),
        ({}, None, 0.2, 0.6),
        ({"matchEquity": 0.0}, None, 0.2, 0.0),
        ({"matchEquity": 1.0}, None, 0.2, 1.0),
        ({"matchEquity": -0.1}, None, 0.2, None),
        ({"matchEquity": 1.1}, None, 0.2, None),
        ({"useMatchEquity": "yes"}, None, 0.2, 0.6),
    ],
)
def test_what_a_play_is_worth(
    found: dict[str, object], cubeless: float | None, equity: float | None, mwc: float | None
) -> None:
    """With the cube where the file says so; match-winning chances in matches alone."""
    chances = {"myWins": 0.55, "oppWins": 0.45, "myGammon": 0.125}
    value = bgf._value({"equity": 0.2, "matchEquity": 0.6, **chances, **found})
    assert (value.cubeless, value.equity, value.mwc) == (cubeless, equity, mwc)
    assert value.probabilities == (0.55, 0.125, 0.0, 0.0, 0.0)


def test_points_counted_from_one_side(original: Match) -> None:
    content = bgf_content(original)
    for game in content["games"]:  # type: ignore[attr-defined]
        for move in game["moves"]:
            if move["player"] == 1 and "from" in move:
                for key in ("from", "to"):
                    move[key] = [point if point in (-1, 0, 25) else 25 - point for point in move[key]]
    match = formats.read_text(bgf_file(content))
    plays = [[a.play for a in game.actions if a.play and a.play.steps] for game in match.games]
    assert plays == [[a.play for a in game.actions if a.play and a.play.steps] for game in original.games]


def test_torn_and_damaged_files(original: Match) -> None:
    data = bgf_file(bgf_content(original))
    for size in (len(data) - 5, len(data) * 3 // 4):
        torn = formats.read_text(data[:size], "f")
        assert torn.games[0].actions == formats.read_text(data).games[0].actions
        assert any(problem.offset is not None for problem in torn.problems)
    for broken in (b'{"encoding":"smile"}', b'{"encoding":"smile"}\nxx', b'{"compression":"gzip"\n', data[:80]):
        with pytest.raises(InvalidFileError) as caught:
            bgf.read(Document(broken))
        assert caught.value.offset is not None


def test_a_bomb() -> None:
    head = b'{"version":"1","compression":"gzip","encoding":"smile"}\n'
    with pytest.raises(InvalidFileError, match="no header of Smile"):
        formats.read_text(head + gzip.compress(bytes(32 << 20)))


def test_what_unpacks_to_too_much_is_cut(original: Match) -> None:
    content = bgf_content(original)
    games = content["games"]
    assert isinstance(games, list)
    match = formats.read_text(bgf_file(content | {"games": games * 8}))
    assert any("more than any match has" in str(problem) for problem in match.problems)
    assert [game.points for game in match.games[:7]] == [game.points for game in original.games]


def test_smile_within_bounds_of_memory() -> None:
    value = {"games": [{"moves": [{"player": 1}] * 20}] * 20}
    assert _smile.loads(dumps(value), memory=500_000) == value
    with pytest.raises(_smile.SmileError, match="more than any match has") as caught:
        _smile.loads(dumps(value), memory=50_000)
    found = caught.value.found
    assert 0 < len(found["games"]) < 20
    assert found["games"][0] == value["games"][0]


def test_damaged_content(original: Match) -> None:
    body = dumps(bgf_content(replace(original, games=original.games[2:4])))
    head = b'{"version":"1","compression":"none","encoding":"smile"}\n'
    for seed in range(60):
        chance = random.Random(seed)
        data = bytearray(body)
        for _ in range(chance.choice([1, 3])):
            data[chance.randrange(len(data))] = chance.randrange(256)
        found, failure = [], None
        try:
            found = bgf.read(Document(head + bytes(data)))
        except InvalidFileError as error:
            failure = error
        assert found or failure is not None
        assert failure is None or failure.offset is not None
        for match in found:
            formats.render([match], "mat")


# Smile

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False)
    | st.text(st.characters(codec="utf-8"), max_size=90).filter(lambda text: text.isascii() or len(text.encode()) > 1),
    lambda inner: (
        st.lists(inner, max_size=5) | st.dictionaries(st.text("abcdefgh_", min_size=1, max_size=8), inner, max_size=5)
    ),
    max_leaves=30,
)


@settings(max_examples=100)
@given(VALUES)
def test_smile(value: object) -> None:
    assert _smile.loads(dumps(value)) == value


def test_smile_shares_what_its_head_says() -> None:
    """Bit 0: names, bit 1: short strings; a reference to what is not shared is an error."""
    texts = b"\xf8\x42abc\x41de\x02\x01\xf9"
    names = b"\xf8\xfa\x80a\xc2\xfb\xfa\x40\xc4\xfb\xf9"
    for flags in range(4):
        head = bytes([*b":)\n", flags])
        for shared, data, value in ((2, texts, ["abc", "de", "de", "abc"]), (1, names, [{"a": 1}, {"a": 2}])):
            if flags & shared:
                assert _smile.loads(head + data) == value
            else:
                with pytest.raises(_smile.SmileError):
                    _smile.loads(head + data)


@settings(max_examples=200)
@given(st.binary(max_size=60))
def test_any_smile(data: bytes) -> None:
    failure = None
    try:
        _smile.loads(b":)\n\x03" + data)
    except _smile.SmileError as error:
        failure = error
    assert failure is None or 0 <= failure.offset <= len(data) + 4


def test_many_shared_names() -> None:
    value = [{f"key{index}": f"text{index}" for index in range(900)}] * 2
    assert _smile.loads(dumps(value)) == value
    with pytest.raises(_smile.SmileError, match="within one another"):
        _smile.loads(b":)\n\x03" + b"\xf8" * 100)


@pytest.mark.parametrize("size", [1, 2, 6, 7, 8, 13, 14, 20])
def test_numbers_and_bytes_of_any_length(size: int) -> None:
    """Seven bytes in eight of seven bits each; of what is left, the last byte has the low bits."""
    raw = bytes(random.Random(size).randrange(256) for _ in range(size))
    spread = bytearray()
    for start in range(0, size, 7):
        part = raw[start : start + 7]
        value, bits = int.from_bytes(part, "big"), 8 * len(part)
        rest = bits % 7 or 7
        spread += bytes((value >> shift) & 0x7F for shift in range(bits - 7, rest - 1, -7))
        spread.append(value & ((1 << rest) - 1))
    assert _smile.loads(b":)\n\x00\xe8" + bytes([0x80 | size]) + spread) == raw
    number = int.from_bytes(raw, "big", signed=True)
    assert _smile.loads(b":)\n\x00\x26" + bytes([0x80 | size]) + spread) == number
    # A decimal: its scale, here 3, then the digits.
    assert _smile.loads(b":)\n\x00\x2a\x86" + bytes([0x80 | size]) + spread) == number / 1000


# What real files have, with other values in it.


def real() -> tuple[bytes, dict[str, Any]]:
    """The first line of a real file, and its match."""
    head, _, body = (DATA / "triple.bgf").read_bytes().partition(b"\n")
    return head, _smile.loads(gzip.decompress(body))


def changed(head: bytes, content: dict[str, Any]) -> Match:
    return formats.read_text(head + b"\n" + gzip.compress(dumps(content), mtime=0))


def test_comments_and_places() -> None:
    head, content = real()
    content |= {"comment": "Final.\n  Two lines", "location": "Paris", "round": "2", "nameRed": "山田 太郎"}
    content["games"][0]["comment"] = ["A game", "to remember"]
    content["games"][0]["moves"][1]["comment"] = "Шедевр"
    match = changed(head, content)
    assert match.problems == ()
    assert (match.info["comment"], match.info["place"], match.info["round"]) == ("Final.\n  Two lines", "Paris", "2")
    assert match.tags == (("Match ID", "B4_SrGcsKAQmoTyHlgJCbM"),)
    assert match.players[1].name == "山田 太郎"
    assert [player.rating for player in match.players] == [None, None]
    assert match.games[0].comment == "A game\nto remember"
    assert [action.comment for action in match.games[0].actions][:3] == ["", "Шедевр", ""]


@pytest.mark.parametrize("variant", ["nackgammon", "hypergammon3"])
def test_variants_are_known_by_the_first_board(variant: str) -> None:
    head, content = real()
    own = Position.start(variant).player
    content["games"] = [{**content["games"][0], "moves": []}]
    content["games"][0]["initial"] |= {"points": [own[23 - i] - own[i] for i in range(24)] + [0] * 4}
    assert changed(head, content).variant == variant
    content["games"][0]["initial"]["points"][4] = 1
    match = changed(head, content)
    assert match.variant == "standard"
    assert any("a board to begin with that is no variant's" in str(problem) for problem in match.problems)
    del content["games"][0]["initial"]["points"]
    content["games"][0]["initial"]["gameMode"] = 3
    assert any("game mode 3 is not known" in str(problem) for problem in changed(head, content).problems)


def test_a_match_that_breaks_off_anywhere() -> None:
    """Whatever the last move is, those before it are the same."""
    head, content = real()
    moves, whole = content["games"][0]["moves"], formats.read(DATA / "triple.bgf").games[0].actions
    for count in range(1, len(moves)):
        content["games"] = [{**content["games"][0], "moves": moves[:count]}]
        content |= {"finalGreen": 0, "finalRed": 0}
        (game,) = changed(head, content).games
        assert (game.winner is None) == (game.actions[-1].kind is not ActionKind.DROP)
        told = [(action.kind, action.dice, action.play) for action in game.actions]
        assert told == [(action.kind, action.dice, action.play) for action in whole[: len(told)]]
        assert len(told) >= count - 1
