"""OGXM: real files against the same match in other forms, round trips, changed matches, and what is kept of them."""

from __future__ import annotations

import base64
import copy
import json
import random
import tempfile
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from table_contract import games

from sixprime import formats
from sixprime.errors import InvalidFileError
from sixprime.formats import _ogxm_document as documents
from sixprime.formats import ogxm
from sixprime.formats._ogxm_read import match_of
from sixprime.formats._position import position_match
from sixprime.formats._text import Document
from sixprime.game import MatchState, Position
from sixprime.game.match_rules import Rules
from sixprime.game.record import ActionKind, Match
from sixprime.paths import sample_match

codec = pytest.importorskip("ogxm")

Sixprime = Callable[..., tuple[int, str, str]]
DATA = Path(__file__).parent / "data" / "ogxm"
FILES = sorted(path for path in DATA.iterdir() if path.suffix in (".ogxm", ".gvab"))
NEW = [path for path in FILES if path.suffix == ".ogxm"]


def written(match: Match) -> bytes:
    content = formats.render([match], "ogxm")[0]
    assert isinstance(content, bytes)
    return content


def bare(match: Match) -> Match:
    """The match without what only tells where it came from."""
    return replace(match, extras=(), problems=(), source="", format="")


def plain(match: Match) -> Match:
    """What every format of matches holds: who did what. The two dice have no order here."""
    games = []
    for game in match.games:
        actions = [
            replace(
                action,
                analyses=(),
                extras=(),
                line=None,
                seconds=None,
                comment="",
                dice=dice,
                state=replace(action.state, dice=dice),
            )
            for action in game.actions
            for dice in [None if action.dice is None else tuple(sorted(action.dice))]
        ]
        games.append(replace(game, actions=tuple(actions), comment="", extras=()))
    players = tuple(replace(player, rating=None, experience=None) for player in match.players)
    assert len(players) == 2
    return replace(bare(match), games=tuple(games), info={}, tags=(), players=players)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_match_that_was_not_changed_is_written_as_it_was(path: Path) -> None:
    match = formats.read(path)
    assert match.format == "ogxm"
    assert match.problems == ()
    content = written(match)
    if path in NEW:
        assert content == path.read_bytes()
    assert plain(formats.read_text(content)) == plain(match)


def test_old_files_hold_what_the_mat_file_of_the_match_does() -> None:
    match, same = (formats.read(DATA / f"B4_SrGcsKAQmoTyHlgJCbM.{suffix}") for suffix in ("gvab", "mat"))
    assert [player.name for player in match.players] == ["Fox", "Bluepoint02"]
    # Files of version 1 do not name the cube's limit.
    acts = (
        [[(act.kind, act.player, act.position, act.dice, act.play) for act in game.actions] for game in each.games]
        for each in (plain(match), plain(same))
    )
    assert next(acts) == next(acts)
    results = ([(game.score, game.winner, game.points) for game in each.games] for each in (match, same))
    assert next(results) == next(results)


def test_positions_are_those_of_the_file() -> None:
    """Every ply's OGID of the codec, which has its own rules."""
    expected = json.loads((DATA / "resign.expected.json").read_text())["ogids"]
    match = formats.read(DATA / "resign.ogxm")
    for game, ids in zip(match.games, expected, strict=True):
        for action, (before, _) in zip(game.actions, ids, strict=True):
            white, black = before.split(":")[:2]
            counts = [[half.count(letter) for letter in "0123456789abcdefghijklmnop"] for half in (white, black)]
            board = [own - other for own, other in zip(*counts, strict=True)]
            seen = documents.position_of(board, "backgammon")
            assert seen is not None
            assert (seen.swapped() if action.player else seen) == action.position, before


def test_analyses_have_their_currency_and_the_view_of_the_doubler() -> None:
    match = formats.read(DATA / "foreign.ogxm")
    assert match.info["event"] == "Test Open 2026"
    assert match.info["comment"] == "A note on the match"
    actions = [action for game in match.games for action in game.actions]
    double, drop = next(pair for pair in pairwise(actions) if pair[1].kind is ActionKind.DROP)
    for action in (double, drop):
        cube = action.analyses[0].cube
        assert cube is not None
        assert cube.no_double.mwc == 0.544767
        assert cube.no_double.equity is None
        assert cube.no_double.probabilities == pytest.approx((0.7476, 0.0353, 0.0005, 0.0164, 0.0003), abs=1e-6)
    assert double.seconds == pytest.approx(22.03 - actions[actions.index(double) - 1 :][0].seconds, abs=30)
    assert sum(action.seconds or 0 for action in match.games[0].actions) == pytest.approx(23.66)
    money = formats.read(DATA / "B4_SrGcsKAQmoTyHlgJCbM.gvab").games[0].actions[0].analyses[0]
    assert money.source == "bgsage"
    assert money.plays[0].value.equity == 0.0239
    assert money.plays[0].method.plies == 2
    assert money.played == 0


def named(match: Match) -> Match:
    return replace(match, players=(replace(match.players[0], name="Zoë"), match.players[1]))


def without_analyses(match: Match) -> Match:
    games = (
        replace(game, actions=tuple(replace(action, analyses=()) for action in game.actions)) for game in match.games
    )
    return replace(match, games=tuple(games))


def remarked(match: Match) -> Match:
    first, *others = match.games
    actions = list(first.actions)
    actions[3] = replace(actions[3], comment="Why not?\nWell.")
    return replace(match, games=(replace(first, actions=tuple(actions)), *others))


@pytest.mark.parametrize("change", [named, without_analyses, remarked], ids=lambda change: change.__name__)
@pytest.mark.parametrize("path", NEW, ids=lambda path: path.name)
def test_what_was_not_changed_is_kept(path: Path, change: Callable[[Match], Match]) -> None:
    match = change(formats.read(path))
    content = written(match)
    assert bare(formats.read_text(content)) == bare(match)
    before, after = (codec.binary_to_json(data) for data in (path.read_bytes(), content))
    for key in ("video_info", "_sections", "white_profile", "rated", "started_at", "clock_info"):
        assert after.get(key) == before.get(key)
    if change is not remarked and change is not named:
        assert len(after.get("annotations", ())) <= len(before.get("annotations", ()))


def test_signatures_stay_while_what_they_sign_does() -> None:
    match = formats.read(DATA / "foreign.ogxm")
    old = codec.binary_to_json((DATA / "foreign.ogxm").read_bytes())
    with_remark = codec.binary_to_json(written(remarked(match)))
    assert with_remark["match_signatures"] == old["match_signatures"]
    assert [block.get("signature") for block in with_remark["analyses_info"]] == [
        block["signature"] for block in old["analyses_info"]
    ]
    renamed = codec.binary_to_json(written(named(match)))
    assert "match_signatures" not in renamed
    assert not any("signature" in block for block in renamed["analyses_info"])


def test_who_signs_and_whether_rightly(tmp_path: Path, sixprime: Sixprime) -> None:
    ed25519 = pytest.importorskip("cryptography.hazmat.primitives.asymmetric.ed25519")
    serialization = pytest.importorskip("cryptography.hazmat.primitives.serialization")
    private = ed25519.Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
    mine, public, other = tmp_path / "me.pem", tmp_path / "me.pub", tmp_path / "other.pub"
    mine.write_bytes(
        private.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )
    public.write_text(base64.b64encode(private.public_key().public_bytes_raw()).decode())
    other.write_bytes(bytes(32))
    source, signed = str(NEW[0]), str(tmp_path / "signed.ogxm")
    status, out, err = sixprime("signatures", source, "--sign", str(mine), "--key-id", "me", "-o", signed, "--json")
    assert status == 0, err
    found = [json.loads(line) for line in out.splitlines()]
    assert [each["of"] for each in found] == ["match", "Xerxes"]
    assert all(each["valid"] and each["key_id"] == "me" for each in found)
    copied = tmp_path / "copied.ogxm"
    copied.write_bytes(Path(source).read_bytes())
    for read in (copied, mine):
        before = read.read_bytes()
        status, _, err = sixprime("signatures", str(copied), "--sign", str(mine), "-o", str(read))
        assert (status, err) == (2, f"sixprime: --out {read} would replace a file that is read here; name another\n")
        assert read.read_bytes() == before
    assert sixprime("signatures", signed, "--trusted", str(public))[0] == 0
    assert sixprime("signatures", signed, "--trusted", str(other))[0] == 1
    changed = tmp_path / "changed.ogxm"
    document = codec.binary_to_json(Path(signed).read_bytes())
    document["player_white"] = "Somebody"
    document["analysis_info"].pop("match_digest", None)
    changed.write_bytes(codec.json_to_binary(document))
    assert sixprime("signatures", str(changed))[0] == 1
    assert bare(formats.read(signed)) == bare(formats.read(source))
    for wrong in (str(NEW[0]), str(tmp_path / "none.pem")):
        status, _, err = sixprime("signatures", source, "--trusted", wrong)
        assert status != 0
        assert "Traceback" not in err


@pytest.mark.parametrize("nodes", ["", ";W[31hefe]", ";W[31hefe];CV[4]C[AGAIN];B[31qtst]"])
def test_comments_on_positions_set_by_hand_are_kept(nodes: str) -> None:
    match = formats.read_text(f"(;FF[4]GM[6]MI[length:3][game:0][ws:0][bs:0];CV[2]C[SETCOMMENT]{nodes})")
    assert match.games[0].actions[0].comment == "SETCOMMENT"
    again = formats.read_text(written(match))
    said = [[(action.kind, action.comment) for action in each.games[0].actions] for each in (again, match)]
    assert said[0] == said[1]
    assert bare(formats.read_text(written(again))) == bare(again)


def test_what_is_refused_has_a_place() -> None:
    rows = "  1) 31: 8/5 6/5    42: 8/4 6/4\n  2)                61: 13/7 8/7\n"
    match = formats.read_text(f" 7 point match\n\n Game 1\n Ann : 0    Bob : 0\n{rows}")
    with pytest.raises(InvalidFileError, match="in game 1, ply 3, it goes against the format's rule on 'turn order'"):
        written(match)


def test_candidates_that_cannot_be_written_are_named() -> None:
    """Files of version 1 list some plays twice, and one for a dance; those of version 2 cannot."""
    match = formats.read(DATA / "B4_SrGcsKAQmoTyHlgJCbM.gvab")
    again = formats.read_text(written(match))
    counts = [
        sum(len(each.plays) for game in read.games for action in game.actions for each in action.analyses)
        for read in (match, again)
    ]
    assert counts[1] < counts[0]
    assert "candidate plays" in formats.FORMATS["ogxm"].losses(match)
    assert formats.FORMATS["ogxm"].losses(formats.read(DATA / "foreign.ogxm")) == []


@pytest.mark.parametrize(
    "rules",
    [
        Rules(),
        Rules(beavers=1, automatic_doubles=2),
        Rules(5),
        Rules(3, crawford_rule=False),
        Rules(variant="nackgammon"),
    ],
    ids=str,
)
@pytest.mark.parametrize("seed", range(3))
def test_every_act_of_a_match_is_written(rules: Rules, seed: int) -> None:
    for table in games(rules, seed, 3):
        match = table.record()
    try:
        content = written(match)
    except InvalidFileError:
        assert "passes of a beaver" in formats.FORMATS["ogxm"].losses(match)
        return
    again = plain(formats.read_text(content))
    if "beavers after a raccoon" not in formats.FORMATS["ogxm"].losses(match):
        assert again == plain(match)


@pytest.mark.parametrize("end", ["      Wins 2 points", "", "; Set Pos=-b----E-C---eE---c-e----B-/0"])
def test_an_unknown_play_becomes_no_pass(end: str) -> None:
    """Only its roll is in the file; that nothing could be moved would be untrue."""
    rows = (
        " 7 point match",
        "",
        " Game 1",
        " Ann : 0                 Bob : 0",
        " 1) 31: 8/5 6/5                 65: 13/x",
    )
    match = formats.read_text("\n".join((*rows, end, "")))
    assert match.games[0].actions[-1].play is None
    back = formats.read_text(formats.render([match], "ogxm")[0])
    assert back.games[0].actions[1].kind is ActionKind.ROLL
    assert not any("cannot" in problem.message for problem in back.problems)
    text = formats.render([back], "mat")[0]
    assert "56: ????" in str(text)
    assert "Cannot" not in str(text)


def test_few_chequers_are_no_hypergammon() -> None:
    few = Position((1, *[0] * 24), (1, *[0] * 24), 15)
    for position, variant in ((few, "standard"), (replace(few, chequers=3), "hypergammon3")):
        match = position_match(position, MatchState(), ("", ""), format="x")
        assert match.variant == variant
        again = formats.read_text(written(match)).only_position
        assert again is not None
        assert again.position == position


def test_the_sample_match_is_written() -> None:
    sample = formats.read(sample_match())
    assert plain(formats.read_text(written(sample))).games == plain(sample).games


def test_streams_hold_several_matches_and_skip_what_is_none() -> None:
    parts = [path.read_bytes() for path in NEW]
    found = formats.read_all(_saved(b"".join(parts)))
    assert [bare(match) for match in found] == [bare(formats.read(path)) for path in NEW]
    torn = formats.read_all(_saved(parts[0] + parts[1][:50]))
    assert len(torn) == 1
    assert "truncated" in str(torn[0].problems[0])


def _saved(data: bytes) -> Path:
    path = Path(tempfile.mkdtemp()) / "stream.ogxms"
    path.write_bytes(data)
    return path


def test_nothing_can_be_read_without_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "ogxm", None)
    with pytest.raises(InvalidFileError, match=r"pip install 'sixprime\[ogxm\]'"):
        formats.read(NEW[0])


@settings(max_examples=60)
@given(st.integers(0, 2**32))
def test_damaged_documents_raise_only_our_errors(seed: int) -> None:
    chance = random.Random(seed)
    document = codec.binary_to_json(chance.choice(NEW[:2]).read_bytes())
    values = [None, True, -1, 10**30, 2.5, "x" * 2000, [], {}, [[]], {"from": 3}, float("inf"), 25, "white"]
    for _ in range(chance.randrange(1, 6)):
        place: object = document
        while True:
            keys = list(place) if isinstance(place, dict) else list(range(len(place)))  # type: ignore[arg-type]
            if not keys:
                break
            key = chance.choice(keys)
            inner = place[key]  # type: ignore[index]
            if not isinstance(inner, (dict, list)) or not inner or chance.random() < 0.15:
                place[key] = copy.deepcopy(chance.choice(values))  # type: ignore[index]
                break
            place = inner
    try:
        match = match_of(document)
    except InvalidFileError:
        return
    assert isinstance(match, Match)


def test_boards_go_there_and_back() -> None:
    for player in (0, 1):
        for variant in ("standard", "nackgammon", "hypergammon3"):
            position = Position.start(variant)
            seen = documents.position_of(documents.board_of(position, player), "")
            assert seen is not None
            assert (seen.swapped() if player else seen) == position


@pytest.mark.parametrize("chequers", [1, 2])
def test_hypergammon_that_it_does_not_have_is_not_written(chequers: int) -> None:
    match = replace(formats.read(sample_match()), variant=f"hypergammon{chequers}")
    with pytest.raises(InvalidFileError, match=f"3 chequers alone; with {chequers} it would be read as backgammon"):
        formats.render([match], "ogxm")


def test_it_is_known_by_its_first_bytes() -> None:
    assert ogxm.detect(Document(b"OGXM\x02"))
    assert not ogxm.detect(Document(b"OGXN\x02"))
    with pytest.raises(InvalidFileError, match="no match"):
        formats.read_text(b"OGXM\x02" + b"\0" * 40)
