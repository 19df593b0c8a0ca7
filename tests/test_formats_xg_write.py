"""`.xg` and `.xgp` written: real files byte by byte, everything else field by field, and as another reader sees it."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from random_matches import EVERYTHING, matches, plain

from sixprime import Engine, analyse, formats
from sixprime.analysis.foreign import with_equities
from sixprime.analysis.kept import with_analysis
from sixprime.cube.met import load
from sixprime.formats import FORMATS
from sixprime.formats._position import position_match
from sixprime.formats._text import Document
from sixprime.formats.xg import _Archive
from sixprime.game import MatchState, Position
from sixprime.game.record import Action, ActionKind, ForeignAnalysis, ForeignCube, ForeignPlay, Match, Method, Value
from sixprime.paths import sample_match

DATA = Path(__file__).parent / "data"
SAMPLES = Path(os.environ.get("SIXPRIME_SAMPLES", "/nowhere"))
REAL = [DATA / "formats" / "match.xg", DATA / "formats" / "triple.xg"]
REAL += [*sorted((SAMPLES / "gammonview" / "xg").glob("*.xg")), *sorted((SAMPLES / "xg_binary").glob("kev*.xg"))]
BY_HAND = replace(
    EVERYTHING, variants=("standard", "nackgammon", "hypergammon3"), hidden=False, ratings=None, automatic=False
)
TIES = replace(BY_HAND, set_by_hand=False, automatic=True)


def written(match: Match, name: str = "xg") -> bytes:
    (data,) = formats.render([replace(match, extras=())], name)
    assert isinstance(data, bytes)
    return data


def told(match: Match) -> list[object]:
    """All that a match says of its games."""
    games = [replace(game, actions=(), extras=()) for game in match.games]
    actions = [replace(action, line=None, extras=()) for game in match.games for action in game.actions]
    return [*games, *actions, match.players, match.info, match.length, match.jacoby, match.cube_limit]


@pytest.mark.parametrize("path", REAL, ids=lambda path: path.stem)
def test_real_files(path: Path) -> None:
    """Untouched they are written as they were; made anew they say the same."""
    match = formats.read(path)
    assert formats.render([match], "xg") == [path.read_bytes()]
    again = formats.read_text(written(match))
    assert told(again) == told(match)


def test_a_changed_match_keeps_what_only_its_file_knows() -> None:
    match = formats.read(REAL[0])
    games = (replace(match.games[0], comment="A new remark: é, ☃, {\\}\nand more"), *match.games[1:])
    (data,) = formats.render([replace(match, games=games)], "xg")
    original = REAL[0].read_bytes()
    assert isinstance(data, bytes)
    assert data != original
    assert data[:21150] == original[:21150]  # the header and the picture
    again = formats.read_text(data)
    assert again.games[0].comment == "A new remark: é, ☃, {\\}\nand more"
    assert again.tags == match.tags


@pytest.mark.filterwarnings("ignore:Generating overly large repr")
@settings(max_examples=25)
@given(matches(BY_HAND) | matches(TIES))
def test_random_matches(match: Match) -> None:
    assume("beavers after a raccoon" not in FORMATS["xg"].losses(match))
    match = replace(match, crawford_rule=match.crawford_rule or not match.length)  # of no use for money
    again = formats.read_text(written(match))
    assert plain(replace(again, extras=())) == plain(match)
    assert (again.info, again.players) == (match.info, match.players)


ACTIONS = [
    action
    for game in formats.read(REAL[1]).games
    for action in game.actions
    if action.kind in (ActionKind.MOVE, ActionKind.DOUBLE)
]


@pytest.mark.parametrize("number", range(0, len(ACTIONS), 12))
def test_positions(number: int) -> None:
    match = formats.read(REAL[1])
    action = replace(ACTIONS[number], kind=ActionKind.SET, play=None, comment="Why?", value=0)
    action = replace(action, analyses=tuple(replace(each, played=None, luck=None) for each in action.analyses))
    game = replace(match.games[0], score=action.state.score, actions=(action,), winner=None, points=0)
    for name in ("xgp", "xg"):
        data = written(replace(match, games=(game,)), name)
        again = formats.read_text(data).only_position
        assert again is not None
        assert (again.position, again.state, again.comment) == (action.position, action.state, "Why?")
        assert [each.plays for each in again.analyses] == [each.plays for each in action.analyses]


def test_a_position_with_an_offered_double() -> None:
    double = next(action for action in ACTIONS if action.kind is ActionKind.DOUBLE)
    state = double.state.offered()
    action = Action(ActionKind.SET, state.decider, double.position, state, analyses=double.analyses)
    match = formats.read(REAL[1])
    game = replace(match.games[0], score=state.score, actions=(action,), winner=None, points=0)
    again = formats.read_text(written(replace(match, games=(game,)), "xgp")).only_position
    assert again is not None
    assert again.state == state
    assert again.analyses == double.analyses


@pytest.mark.parametrize("name", ["xg", "xgp", "ogxm"])
def test_a_cube_turned_in_the_middle_stays(name: str) -> None:
    state = MatchState(cube=4, dice=(3, 1))
    match = position_match(Position.start(), state, ("", ""), format="x")
    again = formats.read_text(written(match, name)).only_position
    assert again is not None
    assert (again.state.cube, again.state.cube_owner) == (4, None)


@pytest.mark.parametrize("name", ["xg", "ogxm"])
@pytest.mark.parametrize(
    ("date", "time", "kept", "lost"),
    [
        ("2024-03-09", "12:30", ("2024-03-09", "12:30"), set()),
        ("2024-03-09", "25:61", ("2024-03-09", None), {"time"}),
        ("2024", "", (None, None), {"date"}),
        ("2024-05-??", "12:30", (None, None), {"date", "time"}),
    ],
)
def test_dates_are_kept_or_named(
    name: str, date: str, time: str, kept: tuple[str | None, str | None], lost: set[str]
) -> None:
    match = replace(formats.read(sample_match()), info={"date": date, "time": time}, tags=())
    again = formats.read_text(written(match, name))
    found = again.info.get("date"), again.info.get("time")
    assert found[0] == kept[0]
    assert found[1] in (kept[1], None if kept[1] else "00:00")
    assert {"date", "time"} & set(FORMATS[name].losses(match)) == lost


def test_a_match_id_that_is_no_number_is_named() -> None:
    match = formats.read(sample_match())
    assert "other tags" in FORMATS["xg"].losses(replace(match, tags=(("Match ID", "3WNK_g1Z"),)))
    assert "other tags" not in FORMATS["xg"].losses(replace(match, tags=(("Match ID", "-755933700"),)))


def test_equities_are_by_the_table_of_the_analysis() -> None:
    """Of cube decisions SGF has match-winning chances alone."""
    judged = with_analysis(analyse(formats.read(sample_match()), Engine(plies=0, met=load("woolsey"))))
    again = with_equities(formats.read_text(formats.render([judged], "sgf")[0]))
    cubes = 0
    for action, other in zip(*([a for game in m.games for a in game.actions] for m in (judged, again)), strict=True):
        for one, same in zip(action.analyses, other.analyses, strict=True):
            if one.cube is not None:
                assert same.cube is not None
                assert same.cube.double_take.equity == pytest.approx(one.cube.double_take.equity, abs=1e-4)
                cubes += 1
    assert cubes > 100


def test_analyses_of_others_keep_their_source() -> None:
    """Also where they know match-winning chances only, and judge by plies."""
    match = with_equities(formats.read(DATA / "sgf" / "analysed.sgf"))
    again = formats.read_text(written(match))
    judged = 0
    for action, other in zip(*([a for game in m.games for a in game.actions] for m in (match, again)), strict=True):
        if not any(each.plays or each.cube for each in action.analyses):
            continue
        (mine,), (theirs,) = action.analyses, other.analyses
        assert theirs.source == mine.source
        assert len(theirs.plays) == min(len(mine.plays), 32)
        if mine.cube is not None:
            assert theirs.cube is not None
            assert theirs.cube.no_double.equity == pytest.approx(mine.cube.no_double.equity, abs=1e-6)
        for one, same in zip(mine.plays, theirs.plays, strict=False):
            if one is mine.plays[0]:
                assert one.play.result == same.play.result
                assert same.value.probabilities == pytest.approx(one.value.probabilities, abs=1e-6)
                assert same.value.equity == pytest.approx(one.value.equity, abs=1e-6)
                assert (same.method.plies, same.method.name) == (one.method.plies, one.method.name)
                judged += 1
    assert judged > 100


@pytest.mark.parametrize("rows", ["", "  1) 65:\n", "  1)                 65:\n", "  1) 65: 24/13\n"])
@pytest.mark.parametrize("winner", [5, 33])
def test_a_game_given_up_at_once_is_kept(rows: str, winner: int) -> None:
    """After the opening roll, or before it: nothing was played, but it is no position alone."""
    match = formats.read_text(
        f" 3 point match\n\n Game 1\n A : 0              B : 0\n{rows}{'':{winner}} Wins 3 points and the match\n"
    )
    assert match.games[0].winner == (winner > 5)
    assert told(formats.read_text(written(match))) == told(match)


def test_what_is_lost_is_named() -> None:
    match = formats.read(REAL[1])
    assert FORMATS["xg"].losses(match) == []
    game = match.games[0]
    move = game.actions[0]
    assert move.play is not None
    value = Value(mwc=0.5)
    other = ForeignAnalysis("B", plays=(ForeignPlay(move.play, value, Method("Deep thought")),))
    changed = replace(move, analyses=(*move.analyses, other), seconds=3.0)
    lost = FORMATS["xg"].losses(
        replace(match, tags=(("Weather", "fair"),), games=(replace(game, actions=(changed, *game.actions[1:])),))
    )
    assert lost == [
        "times of the players",
        "other tags",
        "analyses of all programs but the first",
    ]
    known = replace(other.plays[0], value=Value((0.5, 0.1, 0.0, 0.1, 0.0), equity=0.2))
    alone = replace(move, analyses=(replace(other, plays=(known, *other.plays), played=0),))
    assert FORMATS["xg"].losses(replace(match, games=(replace(game, actions=(alone,)),))) == [
        "values without probabilities or without equity",
        "candidate plays",
        "names of ways of evaluating",
        "numbers of plies",
    ]


def test_nothing_is_invented_of_a_cube_decision() -> None:
    """The file has one analysis of a double and its answer; that of the answer may be another."""
    rows = "  1) 31: 8/5 6/5         Doubles => 2\n  2) Drops     Wins 1 point\n"
    match = formats.read_text(f" 7 point match\n\n Game 1\n Ann : 0    Bob : 0\n{rows}")
    chances = 0.764, 0.052, 0.002, 0.035, 0.0
    cube = ForeignCube(Value(chances, equity=0.72), Value(equity=0.93), Method("Rollout", trials=72))
    move, double, drop = match.games[0].actions

    def judged(answer: ForeignCube) -> Match:
        analysed = [
            replace(action, analyses=(ForeignAnalysis("P", each),)) for action, each in ((double, cube), (drop, answer))
        ]
        return replace(match, games=(replace(match.games[0], actions=(move, *analysed)),))

    assert FORMATS["xg"].losses(judged(cube)) == []
    again = formats.read_text(written(judged(cube))).games[0].actions[1].analyses[0].cube
    assert again is not None
    assert again.double_take.probabilities is None
    quick = replace(cube, method=Method("2-ply", 2))
    assert FORMATS["xg"].losses(judged(quick)) == ["analyses of answers to doubles"]


# As the reader of xgdatatools sees it, which is made from the author's own description


def records(data: bytes) -> Iterator[Any]:
    structures = pytest.importorskip("xgdatatools.xgstruct", reason="xgdatatools is not installed")
    stream = io.BytesIO(b"".join(_Archive(Document(data)).open("temp.xg")))
    version = -1
    while (record := structures.GameFileRecord(version=version).fromstream(stream)) is not None:
        version = record.Version if record.EntryType == 0 else version
        yield record


def fields(record: Any) -> dict[str, Any]:
    """What another program reads from a record; left out is what nobody can know again."""
    left = {
        "PosInit",
        "Date",
        "ErrorM",
        "CompChoiceD",
        "TimeSetting",
        "ErrTutorCube",
        "ErrTutorTake",
        "DataMoves",
        "Doubled",
    }
    left |= {"InitEq", "AnalyzeL", "AnalyzeM", "AnalyzeC", "AnalyzeCR", "ErrResign", "ErrTakeResign", "Moves"}
    left |= {"ErrLuck", "ErrCube", "ErrTake", "Version", "GameMode", "Imported", "Transcribed", "Currency", "Double"}
    left |= {
        "CompChoice",
        "Termination",
        "RolloutIndexM",
        "ErrMove",
        "InvalidM",
        "CrawfordApplyg",
        "PositionEnd",
    }
    return {key: value for key, value in record.items() if key not in left}


@pytest.mark.parametrize("path", REAL[:2], ids=lambda path: path.stem)
def test_another_reader_finds_the_same_in_both_files(path: Path) -> None:
    real = list(records(path.read_bytes()))
    ours = list(records(written(formats.read(path))))
    assert [record.EntryType for record in ours] == [record.EntryType for record in real]
    for record, mine in zip(real, ours, strict=True):
        assert fields(mine) == fields(record)
        if record.EntryType == 3:
            assert mine.ErrMove == pytest.approx(record.ErrMove, abs=2e-4)
            assert mine.ErrLuck == pytest.approx(record.ErrLuck, abs=1e-6)
            assert bool(mine.Played) == bool(record.Played)
            if record.Played:
                assert mine.PositionEnd == record.PositionEnd
            count = record.DataMoves.NMoves
            for key in ("Pos", "Score", "Cube", "Cubepos", "Jacoby", "NMoves"):
                assert mine.DataMoves[key] == record.DataMoves[key], key
            assert mine.DataMoves.PosPlayed[:count] == record.DataMoves.PosPlayed[:count]
            for one, same in zip(record.DataMoves.Eval[:count], mine.DataMoves.Eval[:count], strict=True):
                assert same == pytest.approx(one, abs=1e-6)
            levels = [[each.Level for each in found.DataMoves.EvalLevel[:count]] for found in (mine, record)]
            assert levels[0] == levels[1]
        if record.EntryType == 2:
            if record.ErrCube > -999:
                assert mine.ErrCube == pytest.approx(record.ErrCube, abs=2e-4)
                assert mine.ErrTake == pytest.approx(record.ErrTake, abs=2e-4)
                for key in ("Pos", "Level", "Score", "Cube", "CubePos", "Jacoby", "equB", "equDouble", "equDrop"):
                    assert mine.Doubled[key] == record.Doubled[key], key
            assert (mine.Double == 1) == (record.Double == 1)
