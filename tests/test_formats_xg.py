"""`.xg`: a real match with its analysis and comments, positions, damage, and archives made to flood the memory."""

from __future__ import annotations

import os
import random
import struct
import time
import tracemalloc
import zlib
from dataclasses import replace
from pathlib import Path

import pytest
from packed_files import RECORD, xg_file, xg_parts

from sixprime import formats
from sixprime.errors import InvalidFileError
from sixprime.formats import xg
from sixprime.formats._text import Document
from sixprime.game.record import ActionKind, Game, Match
from sixprime.paths import sample_match

DATA = Path(__file__).parent / "data" / "formats" / "match.xg"
SAMPLES = Path(os.environ.get("SIXPRIME_SAMPLES", "/nowhere"))
FUZZ = int(os.environ.get("SIXPRIME_FUZZ", "60"))


@pytest.fixture(scope="module")
def match() -> Match:
    return formats.read(DATA)


@pytest.fixture(scope="module")
def parts() -> tuple[bytes, bytes]:
    return xg_parts(DATA.read_bytes())


def test_a_real_match(match: Match) -> None:
    assert match.problems == ()
    assert (match.format, match.length) == ("xg", 9)
    assert [player.name for player in match.players] == ["Nicolas HARMAND", "Kévin UNGER"]
    assert match.info == {
        "event": "Entrainement live",
        "place": "Café Jussieu, Paris",
        "date": "2024-10-24",
        "time": "00:41",
        "annotator": "Kévin UNGER",
    }
    assert [(game.score, game.winner, game.points, game.resigned) for game in match.games] == [
        ((0, 0), 0, 2, True),
        ((2, 0), 0, 1, False),
        ((3, 0), 1, 1, False),
        ((3, 1), 1, 2, True),
        ((3, 3), 0, 1, False),
        ((4, 3), 1, 1, False),
        ((4, 4), 1, 2, False),
        ((4, 6), 1, 4, True),
    ]
    for game in match.games:
        assert not any(action.illegal or action.kind is ActionKind.SET for action in game.actions)


def test_comments_are_plain_text(match: Match) -> None:
    comments = [action.comment for game in match.games for action in game.actions if action.comment]
    assert comments == ["coup assez difficile", "les double 66 sont toujpurs difficiles à trouver"]


def test_the_analysis_inside(match: Match) -> None:
    double = match.games[0].actions
    judged = [action for game in match.games for action in game.actions if action.analyses]
    assert len(judged) > 190
    for action in judged:
        (analysis,) = action.analyses
        assert analysis.source == "eXtreme Gammon"
        for candidate in analysis.plays:
            assert candidate.play.position == action.position
            legal = action.position.plays(action.dice or (1, 1))
            assert candidate.play in legal if legal else not candidate.play.steps
            assert candidate.value.probabilities is not None
        if analysis.played is not None:
            assert analysis.plays[analysis.played].play == action.play
    first = next(action for action in double if action.kind is ActionKind.DOUBLE)
    cube = first.analyses[0].cube
    assert cube is not None
    assert cube.double_pass is not None
    assert cube.double_pass.equity == pytest.approx(1.0, abs=1e-6)
    assert cube.no_double.equity is not None
    levels = {candidate.method.name: candidate.method.plies for a in judged for candidate in a.analyses[0].plays}
    assert levels["1-ply"] == 0
    assert levels["XG Roller+"] is None


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="SIXPRIME_SAMPLES is not set")
def test_the_same_match_in_mat() -> None:
    theirs = formats.read(SAMPLES / "xg_binary" / "kevung_gbf_test.xg")
    ours = formats.read(sample_match())
    assert [player.name for player in theirs.players] == [player.name for player in ours.players]
    for game, same in zip(theirs.games, ours.games, strict=True):
        assert (game.score, game.winner, game.points, game.crawford) == (
            same.score,
            same.winner,
            same.points,
            same.crawford,
        )
        assert [(a.kind, a.player, a.position, a.state, a.play, a.value) for a in game.actions] == [
            (a.kind, a.player, a.position, a.state, a.play, a.value) for a in same.actions
        ]


def rebuilt(parts: tuple[bytes, bytes], records: bytes, **members: bytes) -> bytes:
    return xg_file(parts[0], {"temp.xg": records, **{f"temp.{key}": value for key, value in members.items()}})


def test_a_position_alone(parts: tuple[bytes, bytes]) -> None:
    records = bytearray(parts[1][: 4 * RECORD])
    records[3 * RECORD + 2308] = 0  # the play was not made
    match = formats.read_text(rebuilt(parts, bytes(records)))
    alone = match.only_position
    assert alone is not None
    assert alone.state.dice is not None
    assert match.problems == ()
    assert alone.analyses[0].plays


def test_a_position_set_by_hand_in_the_middle(parts: tuple[bytes, bytes]) -> None:
    records = bytearray(parts[1][: 8 * RECORD])
    place = next(at for at in range(4 * RECORD, 8 * RECORD, RECORD) if records[at + 8] == 2)
    board = struct.unpack_from("26b", records, place + 36)
    changed = [*board[:6], board[6] - 1, board[7] + 1, *board[8:]]
    struct.pack_into("26b", records, place + 36, *changed)
    struct.pack_into("26b", records, place + RECORD + 9, *changed)
    match = formats.read_text(rebuilt(parts, bytes(records)))
    assert [a.kind for a in match.games[0].actions].count(ActionKind.SET) == 1


@pytest.mark.parametrize("record", [0, 1])
def test_rollouts_tell_their_games(parts: tuple[bytes, bytes], record: int) -> None:
    records = bytearray(parts[1][: 4 * RECORD])
    at = 3 * RECORD
    assert records[at + 8] == 3
    struct.pack_into("<h", records, at + 1280, 100)
    struct.pack_into("<i", records, at + 2344, record)
    rollouts = bytearray(2 * 2184)
    struct.pack_into("<i", rollouts, 2184 * record + 84, 1296)
    match = formats.read_text(rebuilt(parts, bytes(records), xgr=bytes(rollouts)))
    method = match.games[0].actions[0].analyses[0].plays[0].method
    assert (method.name, method.trials, method.plies) == ("Rollout", 1296, None)


def test_a_play_that_goes_backwards(parts: tuple[bytes, bytes]) -> None:
    """The steps of the file are kept, not just the position after them."""
    records = bytearray(parts[1])
    at = max(at for at in range(0, len(records), RECORD) if records[at + 8] == 3 and records[at + 2308])
    before = list(struct.unpack_from("26b", records, at + 9))
    if struct.unpack_from("<i", records, at + 64)[0] < 0:  # as player 1 sees it, while the rest is the mover's
        before = [-count for count in reversed(before)]
    start = next(point for point in range(1, 23) if before[point] > 0 and before[point + 2] >= 0)
    after = before.copy()
    after[start] -= 1
    after[start + 2] += 1
    struct.pack_into("26b", records, at + 35, *after)
    struct.pack_into("8i", records, at + 68, start - 1, start + 1, *[-1] * 6)
    match = formats.read_text(rebuilt(parts, bytes(records)))
    play = next(action for action in reversed(match.games[-1].actions) if action.play is not None)
    assert play.illegal
    assert [(step.start, step.end) for step in play.play.steps] == [(start, start + 2)]  # type: ignore[union-attr]


def test_the_game_alone_without_an_index_is_sound(parts: tuple[bytes, bytes], match: Match) -> None:
    """As HedgeHog writes it: nothing but the records of the game behind the header."""
    for level in (1, 6, 9):
        alone = formats.read_text(parts[0][:12] + bytes(12) + parts[0][24:] + zlib.compress(parts[1], level))
        assert alone.problems == ()
        assert [plain(game) for game in alone.games] == [plain(game) for game in match.games]
    torn = formats.read_text(parts[0][:12] + bytes(12) + parts[0][24:] + zlib.compress(parts[1])[:-9])
    assert torn.problems


def test_one_match_in_three_formats() -> None:
    """The same actions, whoever wrote them: HedgeHog's `.mat`, `.xg` and BGBlitz' `.bgf`."""
    first, *others = (formats.read(DATA.with_name(f"triple.{suffix}")) for suffix in ("mat", "xg", "bgf"))
    assert [game.points for game in first.games] == [1, 1, 6]
    for other in others:
        assert other.problems == ()
        assert (other.length, other.jacoby) == (first.length, first.jacoby)
        assert [player.name for player in other.players] == [player.name for player in first.players]
        assert told(other) == told(first)


SAMPLE_MATCHES = sorted((SAMPLES / "gammonview" / "mat").glob("*.mat"))


@pytest.mark.skipif(not SAMPLE_MATCHES, reason="SIXPRIME_SAMPLES is not set")
def test_all_matches_that_are_there_in_several_formats() -> None:
    for path in SAMPLE_MATCHES:
        for suffix in ("xg", "bgf"):
            other = path.parents[1] / suffix / f"{path.stem}.{suffix}"
            if other.exists():
                assert told(formats.read(other)) == told(formats.read(path)), other.name


def told(match: Match) -> list[object]:
    """What every format can tell."""
    return [
        (
            *(game.score, game.crawford, game.winner, game.points, game.resigned),
            [
                (a.kind, a.player, a.position, a.state.with_dice(None), {*(a.dice or ())}, a.play, a.illegal, a.value)
                for a in game.actions
            ],
        )
        for game in match.games
    ]


# Damage


def test_a_head_without_games(parts: tuple[bytes, bytes], match: Match) -> None:
    found = formats.read_text(rebuilt(parts, parts[1][:RECORD]), "f.xg")
    assert (found.games, found.players, found.length) == ((), match.players, match.length)
    assert [problem.message for problem in found.problems] == ["temp.xg: the head of a match, but no game"]
    assert found.problems[0].offset is not None


def test_no_match() -> None:
    for data in (b"RGMH", b"RGMH" + bytes(8300), b"RGMH" + bytes(30)):
        with pytest.raises(InvalidFileError) as caught:
            formats.read_text(data, "f")
        assert caught.value.offset is not None
        assert "byte" in str(caught.value)


def test_what_is_left_of_a_torn_file(match: Match) -> None:
    data = DATA.read_bytes()
    torn = formats.read_text(data[: len(data) // 2], "f.xg")
    assert 2 < len(torn.games) < len(match.games)
    assert [plain(game) for game in torn.games[:2]] == [plain(game) for game in match.games[:2]]
    assert any(problem.offset is not None for problem in torn.problems)
    # Without the index at the end the parts are found by what they hold.
    assert len(formats.read_text(data[:-10]).games) == len(match.games)


def test_a_damaged_record_costs_its_game_only(parts: tuple[bytes, bytes], match: Match) -> None:
    records = bytearray(parts[1])
    place = 5 * RECORD
    assert records[place + 8] == 3
    struct.pack_into("<ii", records, place + 100, 9, 9)
    damaged = formats.read_text(rebuilt(parts, bytes(records)), "f.xg")
    assert str(damaged.problems[0]) == f"f.xg:byte {place}: temp.xg: 9 and 9 are no dice"
    assert [plain(game) for game in damaged.games[1:]] == [plain(game) for game in match.games[1:]]


def test_games_without_a_number_are_counted(parts: tuple[bytes, bytes]) -> None:
    records = bytearray(parts[1])
    heads = [at for at in range(0, len(records), RECORD) if records[at + 8] == 1]
    for at, number in zip(heads, (0, -1, 10**6, 3), strict=False):
        struct.pack_into("<i", records, at + 48, number)
    assert [game.number for game in formats.read_text(rebuilt(parts, bytes(records))).games[:4]] == [1, 2, 3, 3]


def plain(game: Game) -> Game:
    """The game without comments, which are in a member of their own."""
    return replace(game, actions=tuple(replace(action, comment="") for action in game.actions))


def test_a_wrong_checksum_is_said() -> None:
    data = bytearray(DATA.read_bytes())
    data[-36] ^= 1
    assert any("checksum" in str(problem) for problem in formats.read_text(bytes(data)).problems)


@pytest.mark.parametrize("kind", ["zeros", "plays", "games", "comments", "index"])
def test_bombs(parts: tuple[bytes, bytes], kind: str) -> None:
    header, records = parts
    head, move = records[: 2 * RECORD], records[3 * RECORD : 4 * RECORD]
    members = {"temp.xg": head + move}
    if kind == "zeros":
        members["temp.xg"] = head + bytes(16 << 20)
    elif kind == "plays":
        members["temp.xg"] = head + move * 4000
    elif kind == "games":
        members["temp.xg"] = head + records[RECORD : 2 * RECORD] * 5000
    elif kind == "comments":
        members["temp.xgc"] = b"{\\rtf1 " + b"\\par " * (2 << 20)
    data = xg_file(header, members)
    if kind == "index":
        tail = bytearray(data)
        struct.pack_into("<i", tail, len(tail) - 32, 99)
        data = bytes(tail)
    tracemalloc.start()
    started = time.thread_time()
    read = formats.read_text(data)
    seconds = time.thread_time() - started
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert read.games or kind == "zeros"
    assert peak < max(50 * len(data), 12 << 20)
    assert seconds < 20


@pytest.mark.parametrize("part", range(4))
def test_damaged_files(parts: tuple[bytes, bytes], part: int) -> None:
    header, records = parts[0], parts[1][: 30 * RECORD]
    small = xg_file(header, {"temp.xg": records})
    for seed in range(part, FUZZ, 4):
        chance = random.Random(seed)
        inside = chance.random() < 0.8
        data = bytearray(records if inside else small)
        for _ in range(chance.choice([1, 3, 10])):
            place = chance.randrange(len(data))
            if chance.random() < 0.8:
                data[place] = chance.randrange(256)
            else:
                del data[place : place + chance.randrange(1, 5000)]
        damaged = xg_file(header, {"temp.xg": bytes(data)}) if inside else bytes(data)
        found, failure = [], None
        try:
            found = xg.read(Document(damaged, "f"))
        except InvalidFileError as error:
            failure = error
        assert found or failure is not None
        assert failure is None or failure.offset is not None
        for match in found:
            for problem in match.problems:
                assert problem.line is None
            if match.games:
                formats.render([match], "mat")


def cube_records(records: bytes) -> list[int]:
    """Where the records of cube decisions begin in which the cube was turned."""
    return [
        at for at in range(0, len(records), RECORD)
        if records[at + 8] == 2 and struct.unpack_from("<2i", records, at + 12)[1] == 1
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("take", "beaver", "raccoon", "kinds"),
    [
        (0, 0, 0, ["DROP"]),
        (1, 0, 0, ["TAKE"]),
        (2, 1, 0, ["BEAVER", "TAKE"]),
        (2, 0, 0, ["BEAVER", "DROP"]),
        (2, 2, 1, ["BEAVER", "BEAVER", "TAKE"]),
        (2, 2, 0, ["BEAVER", "BEAVER", "DROP"]),
    ],
)
def test_answers_to_a_double(
    parts: tuple[bytes, bytes], take: int, beaver: int, raccoon: int, kinds: list[str]
) -> None:
    """The first answer has the analysis of the double, as the double has."""
    header, records = parts
    at = cube_records(records)[0]
    changed = bytearray(records)
    struct.pack_into("<3i", changed, at + 20, take, beaver, raccoon)
    [match] = xg.read(Document(xg_file(header, {"temp.xg": bytes(changed)}), "f"))
    game, first = next(
        (game, index) for game in match.games for index, action in enumerate(game.actions)
        if action.kind is ActionKind.DOUBLE
    )  # fmt: skip
    double, *answers = game.actions[first : first + 1 + len(kinds)]
    assert [action.kind.name for action in answers] == kinds
    assert [action.player == double.player for action in answers] == [i % 2 > 0 for i in range(len(kinds))]
    assert double.analyses
    assert [action.analyses for action in answers] == [double.analyses, *[()] * (len(kinds) - 1)]
    assert [action.value for action in (double, *answers) if action.value] == [2, 4, 8][: 1 + kinds.count("BEAVER")]


def test_rtf() -> None:
    read = xg._from_rtf
    assert read("plain") == "plain"
    assert read(r"{\rtf1\ansi{\fonttbl{\f0 Arial;}}{\*\generator x;}\pard a\par b \'e9 \{\\\}\u8364?\tab c}") == (
        "a\nb é {\\}€\tc"
    )
    assert zlib.crc32(read("{\\rtf1 " + "{" * 5000).encode()) == 0


@pytest.fixture(scope="module")
def small(parts: tuple[bytes, bytes]) -> bytes:
    """A file of a few records, with comments and the summary in front as the program writes it."""
    header, records = parts
    comments = b"{\\rtf1 one}\x01\x02\x01\x02{\\rtf1 two}"
    members = {"temp.xgi": records[: 2 * RECORD], "temp.xg": records[: 6 * RECORD], "temp.xgc": comments}
    return xg_file(header, members)


def outcome(data: bytes) -> int:
    """Games found; -1 when the file is refused."""
    try:
        return len(formats.read_text(data).games)
    except InvalidFileError:
        return -1


def test_a_file_that_ends_anywhere_is_read_or_refused(small: bytes) -> None:
    """Without its index the archive is searched, to the end of the last part and no further."""
    games = outcome(small)
    assert games == 1
    start = struct.unpack_from("<I", small, 8)[0]
    for end in range(start - 3, len(small)):
        assert outcome(small[:end]) in (games, 0, -1)
    assert outcome(small[:-1]) == outcome(small[:-36]) == games


@pytest.mark.parametrize("name", ["match.xg", "triple.xg"])
def test_a_real_file_without_its_end_has_all_its_plays(name: str) -> None:
    """Games come first, the index last; rollouts and comments are found by it alone."""
    data = DATA.with_name(name).read_bytes()

    def played(data: bytes) -> list[tuple[object, ...]]:
        games = formats.read_text(data).games
        return [(game.number, each.kind, each.dice, each.play, each.state) for game in games for each in game.actions]

    for cut in (1, 35, 36, 37, 300, 777):
        assert played(data[:-cut]) == played(data)


def test_an_index_that_lies_is_not_followed(small: bytes) -> None:
    """Every field of the tail and of the entries, with numbers of all sizes."""
    tail = len(small) - 36
    index = struct.unpack_from("<i", small, tail + 12)[0]
    entries = bytearray(zlib.decompress(small[tail - index : tail]))
    numbers = (0, 1, -1, 2**31 - 1, -(2**31), 99, len(small))
    for place in range(tail, tail + 24, 4):
        for number in numbers:
            assert outcome(small[:place] + struct.pack("<i", number) + small[place + 4 :]) in (1, -1)
    for entry in range(3):
        for place in (0, 512, 516, 520, 524, 528):
            for number in numbers:
                wrong = entries.copy()
                struct.pack_into("<i", wrong, 532 * entry + place, number)
                packed = zlib.compress(wrong)
                body = small[start_of(small) : tail - index]
                check = zlib.crc32(body + packed)
                end = struct.pack("<Iiiiii12x", check, 3, 1, len(packed), len(body), 1)
                assert outcome(small[: tail - index] + packed + end) in (1, 0, -1)


def start_of(data: bytes) -> int:
    return int(struct.unpack_from("<I", data, 8)[0] + struct.unpack_from("<I", data, 20)[0])


def test_a_search_unpacks_no_more_than_a_match_has(parts: tuple[bytes, bytes]) -> None:
    """A lost index and parts that unpack to gigabytes: the search for the game ends."""
    header, records = parts
    bomb = zlib.compress(bytes(64 << 20), 9)
    data = xg_file(header, {"temp.xg": records[: 3 * RECORD]})
    start = start_of(data)
    assert outcome(data[:start] + bomb * 16) == -1
    assert outcome(data[:start] + zlib.compress(b"") * 100_000) == -1
