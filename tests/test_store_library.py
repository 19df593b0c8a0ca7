"""The library: what is found in the database is what a look at every decision finds."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from fake_engine import beavered_game, match_of
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sixprime import AnalysedMatch, Engine, Position, analyse, formats, read
from sixprime.analysis.depth import Depth
from sixprime.analysis.kept import with_analysis
from sixprime.analysis.model import Decision, DecisionKind, Phase, Plan
from sixprime.analysis.records import players_of, record_of
from sixprime.batch import How, Task, do
from sixprime.codec import load, save
from sixprime.cube import met
from sixprime.errors import DataFileError, InvalidFileError, SettingsError
from sixprime.game import parse
from sixprime.game.record import ActionKind, Match
from sixprime.learn.deck import Deck
from sixprime.store import Career, Library, Noted, OnPoint, Query, Turn, library, relational
from sixprime.store.decisions import board_of, decided
from sixprime.store.identity import begins, checksum, former_checksums
from sixprime.store.relational import Matches

NAMES = ("Kévin Unger", "Maxence Job")


@pytest.fixture(scope="module")
def whole(judged: AnalysedMatch, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A library with the sample, and with its first games as another match."""
    folder = tmp_path_factory.mktemp("library")
    with pytest.MonkeyPatch.context() as patched:
        for module in (library, relational):
            patched.setattr(module, "data_dir", lambda: folder)
        shelf = Library()
        shelf.keep(judged)
        match = judged.match
        players = tuple(
            replace(player, name=name) for player, name in zip(match.players, ("job  Ann", "Bob"), strict=True)
        )
        shelf.keep(
            replace(judged, match=replace(match, games=match.games[:2], players=players), games=judged.games[:2])
        )
        yield shelf


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Library:
    for module in (library, relational):
        monkeypatch.setattr(module, "data_dir", lambda: tmp_path)
    return Library()


@pytest.fixture(scope="module")
def kept(judged: AnalysedMatch, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which a library has the sample, to be copied."""
    folder = tmp_path_factory.mktemp("kept")
    with pytest.MonkeyPatch.context() as patched:
        for module in (library, relational):
            patched.setattr(module, "data_dir", lambda: folder)
        Library().keep(judged)
    return folder


@pytest.fixture
def filled(shelf: Library, kept: Path, tmp_path: Path) -> Library:
    """A library with the sample."""
    shutil.copytree(kept, tmp_path, dirs_exist_ok=True)
    return shelf


def test_the_folder_is_a_path_or_a_text(tmp_path: Path) -> None:
    assert Library(tmp_path).folder == Library(str(tmp_path)).folder == tmp_path
    for wrong in (3, float("nan"), object(), [None]):
        with pytest.raises(SettingsError, match="path must be the name of a file"):
            Library(wrong)  # type: ignore[arg-type]


def fits(query: Query, decision: Decision, names: tuple[str, str], match: int, length: int) -> bool:
    """Whether a decision is one of those asked for, plainly."""
    state, mine = decision.state, decision.player
    length_left = (state.length - state.score[mine], state.length - state.score[1 - mine]) if state.length else (0, 0)
    owner = "centred" if state.cube_owner is None else "own" if state.cube_owner == mine else "theirs"
    seen = decision.position.swapped() if decision.kind is DecisionKind.TAKE else decision.position
    pips, others = seen.pips
    board = board_of(seen)
    sides = ((board[:26], query.own), (board[26:], query.theirs))

    def same(name: str, other: str) -> bool:
        return name.casefold().split() == other.casefold().split()

    return all(
        (
            not query.player or same(query.player, names[mine]),
            not query.opponent or same(query.opponent, names[1 - mine]),
            not query.matches or match in query.matches,
            not query.kinds or decision.kind in query.kinds,
            not query.phases or decision.phase in query.phases,
            not query.plans or decision.plan in query.plans,
            query.least is None or decision.error >= query.least,
            query.most is None or decision.error <= query.most,
            not query.counted or decision.counted,
            query.score is None or length_left == query.score,
            query.length is None or length == query.length,
            query.crawford is None or state.crawford == query.crawford,
            query.cube is None or state.cube == query.cube,
            query.owner is None or owner == query.owner,
            query.dice is None or (decision.dice is not None and sorted(decision.dice) == sorted(query.dice)),
            query.pips is None or query.pips[0] <= pips <= query.pips[1],
            query.lead is None or query.lead[0] <= pips - others <= query.lead[1],
            all(each.least <= side[each.point] <= each.most for side, wanted in sides for each in wanted),
            part_of(query.chosen, decision.chosen),
            part_of(query.best, decision.best),
        )
    )


def part_of(part: str, text: str) -> bool:
    """Whether a text is in another one, with no number cut."""
    return any(
        not (part[:1].isdigit() and text[:at][-1:].isdigit())
        and not (part[-1:].isdigit() and text[at + len(part) :][:1].isdigit())
        for at in range(len(text) + 1)
        if text.lower().startswith(part.lower(), at)
    )


def maybe(strategy: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.none() | strategy


def some(values: Any) -> st.SearchStrategy[tuple[Any, ...]]:
    return st.just(()) | st.lists(st.sampled_from(values), max_size=2, unique=True).map(tuple)


RANGES = st.tuples(st.integers(-170, 170), st.integers(0, 170)).map(lambda pair: (pair[0], pair[0] + pair[1]))
POINTS = st.lists(
    st.builds(OnPoint, st.integers(0, 25), st.integers(0, 3), st.sampled_from((3, 4, 255))), max_size=2
).map(tuple)
QUERIES = st.builds(
    Query,
    player=st.sampled_from(("", "", *NAMES, "BOB ", "kévin  unger")),
    opponent=st.sampled_from(("", "", "", *NAMES)),
    matches=some((1, 2, 3)),
    kinds=some(tuple(DecisionKind)),
    phases=some(tuple(Phase)),
    plans=some(tuple(Plan)),
    least=maybe(st.floats(0, 0.2)),
    most=maybe(st.floats(0, 0.4)),
    counted=st.booleans(),
    score=maybe(st.tuples(st.integers(1, 7), st.integers(1, 7))),
    length=maybe(st.sampled_from((0, 7))),
    crawford=maybe(st.booleans()),
    cube=maybe(st.sampled_from((1, 2, 4))),
    owner=maybe(st.sampled_from(("centred", "own", "theirs"))),
    dice=maybe(st.tuples(st.integers(1, 6), st.integers(1, 6))),
    pips=maybe(RANGES),
    lead=maybe(RANGES),
    own=POINTS,
    theirs=POINTS,
    chosen=st.sampled_from(("", "", "bar", "take", "6/5", "/1", "*")),
    best=st.sampled_from(("", "", "13/", "Double", "8/2", "4/3*")),
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(query=QUERIES)
def test_what_is_found_fits_and_nothing_else_does(whole: Library, judged: AnalysedMatch, query: Query) -> None:
    wanted = [
        (match, decision)
        for match, names, games in ((1, NAMES, 7), (2, ("job Ann", "Bob"), 2))
        for decision in judged.decisions
        if decision.game < games and fits(query, decision, names, match, judged.match.length)
    ]
    found, number = whole.search(query, count=None)
    assert number == len(found) == len(wanted)
    assert sorted((each.match, each.index, each.action, each.kind) for each in found) == sorted(
        (match, each.game, each.action, each.kind) for match, each in wanted
    )
    errors = [each.error for each in found]
    assert errors == sorted(errors, reverse=True)
    groups, everything = whole.sums(query, "plan")
    counted = [decision for _, decision in wanted if decision.counted]
    assert everything.decisions == len(counted) == sum(group.decisions for group in groups)
    assert everything.error == pytest.approx(sum(decision.error for decision in counted))
    assert {group.name for group in groups} == {decision.plan.value for decision in counted}


def test_a_decision_is_found_as_it_was_judged(whole: Library, judged: AnalysedMatch) -> None:
    found, _ = whole.search(Query(matches=(1,)), count=None)
    by_place = {(each.index, each.action, each.kind): each for each in found}
    for decision in judged.decisions:
        each = by_place[decision.game, decision.action, decision.kind]
        assert each.position == decision.position
        assert (each.chosen, each.best, each.error, each.luck) == (
            *(decision.chosen, decision.best, decision.error, decision.luck),
        )  # fmt: skip
        assert each.dice is None or sorted(each.dice) == sorted(decision.dice or ())
        assert (each.phase, each.plan, each.counted) == (decision.phase, decision.plan, decision.counted)
        assert (each.move, each.player, each.names) == (decision.move_number, decision.player, NAMES)


def apart(one: Position, other: Position) -> int:
    """Pips by which chequers are apart, moved one by one: the farthest of one to the farthest of the other."""
    total = 0
    for side in ("player", "opponent"):
        places = []
        for position in (one, other):
            own = getattr(position, side)
            off = position.chequers - sum(own)
            places.append([0] * off + [point for point, count in enumerate(own, 1) for _ in range(count)])
        total += sum(abs(a - b) for a, b in zip(*places, strict=True))
    return total


@pytest.mark.parametrize("id", ["4HPwATDgc/ABMA", "sGfwATDgc/ABMA", "2+4OAADf+gkAAA"])
def test_the_most_alike_come_first(whole: Library, id: str) -> None:
    like = Position.from_id(id)
    found, number = whole.search(Query(), like=like, count=None)
    assert number == len(found)
    distances = [each.distance for each in found]
    losses = [(each.distance, -each.error) for each in found]
    assert losses == sorted(losses)  # type: ignore[type-var]
    seen = [each.position.swapped() if each.kind is DecisionKind.TAKE else each.position for each in found]
    assert distances == [apart(position, like) for position in seen]
    assert distances == sorted(distances)
    assert [each.distance for each in whole.search(Query(), like=like, count=3)[0]] == distances[:3]
    fewer = Position(like.opponent, like.player, chequers=16)
    assert whole.search(Query(), like=fewer) == ([], 0)


def test_groups_say_whose_and_what(whole: Library) -> None:
    for by, names in (
        ("kind", {"play", "double", "take"}),
        ("length", {"7 points"}),
        ("player", {*NAMES, "job  Ann", "Bob"}),
        ("month", {"2023-11"}),
    ):
        groups, everything = whole.sums(Query(), by)  # type: ignore[arg-type]
        assert {group.name for group in groups} == names
        assert sum(group.errors for group in groups) == everything.errors > 0
        assert [group.error for group in groups] == sorted((group.error for group in groups), reverse=True)
    scores = {group.name for group in whole.sums(Query(), "score")[0]}
    assert "7a-7a" in scores
    with pytest.raises(SettingsError, match="by must be kind, phase"):
        whole.sums(Query(), "colour")  # type: ignore[arg-type]
    with pytest.raises(SettingsError, match="order must be error, latest or luck"):
        whole.search(Query(), order="size")  # type: ignore[arg-type]


def test_orders(whole: Library) -> None:
    lucky = [abs(each.luck) for each in whole.search(Query(), order="luck", count=5)[0] if each.luck is not None]
    assert lucky == sorted(lucky, reverse=True)
    latest = whole.search(Query(matches=(1,)), order="latest", count=None)[0]
    assert [(each.index, each.action) for each in latest] == sorted((each.index, each.action) for each in latest)


def test_dates_that_are_none_are_those_of_the_days_when_matches_were_added(
    shelf: Library, judged: AnalysedMatch, sixprime: Any
) -> None:
    said = "2023", "26 Nov 2023", "????.??.??", "2023-11-26,27", "2023-11"
    for day in said:
        players = replace(judged.match.players[0], name=day), judged.match.players[1]
        match = replace(judged.match, games=judged.match.games[:1], players=players, info={"date": day})
        shelf.keep(replace(judged, match=match, games=judged.games[:1]))
    today = f"{datetime.now():%Y-%m-%d}"
    assert [each.date for each in shelf.matches()] == ["2023-11", "2023-11-26", today, today, today]
    assert shelf.search(Query(since="2023-11-26", until="2024-01-01"))[1] == len(judged.games[0].decisions)
    assert {each.name for each in shelf.sums(Query(), "month")[0]} == {"2023-11", today[:7]}
    assert sixprime("library", "matches").out.count(today) == 3


def test_who_loses_by_time_has_lost(shelf: Library, judged: AnalysedMatch) -> None:
    match = replace(judged.match, games=judged.match.games[:1], late=0)
    begun = replace(judged, match=match, games=judged.games[:1])
    assert load(shelf.place(shelf.keep(begun)), AnalysedMatch).match.late == 0
    assert [each.result for each in shelf.matches()] == [-1]
    assert {each.name: (each.won, each.lost) for each in shelf.careers()} == {NAMES[0]: (0, 1), NAMES[1]: (1, 0)}
    record = record_of(begun, "a.mat", NAMES, (1, 0))
    assert {player.name: player.won for player in players_of([record])} == {NAMES[0]: 0, NAMES[1]: 1}
    shelf.keep(replace(begun, match=match.reseated()))
    assert [each.result for each in shelf.matches()] == [1]


def test_a_match_is_in_it_once(shelf: Library, judged: AnalysedMatch) -> None:
    digest = shelf.keep(judged)
    assert shelf.number(digest) == 1
    turned = [
        replace(game, actions=tuple(replace(a, dice=a.dice and a.dice[::-1]) for a in game.actions))
        for game in judged.match.games
    ]
    assert checksum(replace(judged.match, games=tuple(turned))) == digest
    assert shelf.keep(replace(judged, match=replace(judged.match, games=tuple(turned)))) == digest
    assert [each.number for each in shelf.matches()] == [1]
    assert shelf.search(Query())[1] == len(judged.decisions)
    (kept,) = shelf.matches()
    assert (kept.sides[0].name, round(kept.sides[0].pr or 0, 2), kept.whole) == (NAMES[0], 6.84, True)
    assert shelf.remove(digest)
    assert not shelf.remove(digest)
    assert shelf.search(Query()) == ([], 0)
    assert shelf.number(digest) is None


def test_matches_kept_before_there_were_decisions_are_found(shelf: Library, judged: AnalysedMatch) -> None:
    digest = shelf.keep(judged)
    shelf.tag([Turn(1)], "old")
    with closing(sqlite3.connect(relational.standard_path())) as db, db:
        db.execute("DROP TABLE decision")
    again = Library()
    assert again.search(Query(tag="old"))[1] == len(judged.decisions)
    assert again.number(digest) == 1


def test_matches_are_known_whoever_is_named_first(shelf: Library, judged: AnalysedMatch) -> None:
    match = judged.match
    digest = checksum(match)
    assert checksum(match.reseated()) == digest
    players = tuple(replace(player, name=f" {player.name.upper()}  ") for player in match.players)
    assert checksum(replace(match, players=players)) == digest
    assert checksum(replace(match, players=match.players[::-1])) != digest


def test_points_that_nobody_needs_make_no_other_match(shelf: Library, judged: AnalysedMatch) -> None:
    match = judged.match
    *before, last = match.games
    assert last.winner is not None
    assert match.length - last.score[last.winner] < 6
    loser = next(each for each in last.actions if each.player != last.winner)
    given_up = [
        replace(
            match,
            games=(
                *before,
                replace(
                    last,
                    actions=(*last.actions[:-1], replace(loser, kind=ActionKind.RESIGN, value=level, dice=None)),
                    points=points,
                ),
            ),
        )
        for level, points in ((2, match.length - last.score[last.winner]), (3, 6))
    ]
    assert checksum(given_up[0]) == checksum(given_up[1])
    # One that an earlier version kept by all its points.
    spare = replace(judged, match=replace(match, games=(*before, replace(last, points=9))))
    assert checksum(spare.match) == checksum(match)
    then = former_checksums(spare.match)[1]
    assert then != former_checksums(match)[1]
    shelf.place(then).parent.mkdir()
    save(spare, shelf.place(then))
    Matches(relational.standard_path()).add(match, judged, now=datetime.now())
    with closing(sqlite3.connect(relational.standard_path())) as db, db:
        db.execute("UPDATE session SET checksum = ?", (then,))
        db.execute("PRAGMA user_version = 1")
    assert Library().keep(judged) == checksum(match)
    assert [(each.number, each.checksum) for each in Library().matches()] == [(1, checksum(match))]
    assert not shelf.place(then).exists()


def test_what_a_later_version_keeps_is_left_alone(filled: Library, judged: AnalysedMatch) -> None:
    with closing(sqlite3.connect(relational.standard_path())) as db, db:
        db.execute("PRAGMA user_version = 3")
    before = relational.standard_path().read_bytes()
    language = Matches(relational.standard_path())
    for work in (
        lambda: Library().search(Query()),
        lambda: Library().keep(judged),
        lambda: Library().tags(),
        lambda: language.add(judged.match, now=datetime.now()),
        lambda: language.select("1"),
    ):
        with pytest.raises(DataFileError, match="of a later Sixprime"):
            work()
    assert relational.standard_path().read_bytes() == before


def test_what_earlier_versions_kept_is_taken_over_once(filled: Library, judged: AnalysedMatch) -> None:
    then, now = former_checksums(judged.match)[0], checksum(judged.match)
    assert then != now
    with closing(sqlite3.connect(relational.standard_path())) as db, db:
        db.execute("UPDATE session SET checksum = ?, added = '2020-02-02 02:02:02', session_id = 7", (then,))
        db.execute("DROP TABLE decision")
        db.execute("PRAGMA user_version = 0")
    filled.place(now).rename(filled.place(then))
    filled.place(then).with_suffix(".index").write_text("{}")
    again = Library()
    assert again.search(Query())[1] == len(judged.decisions)
    assert [(each.number, each.checksum) for each in again.matches()] == [(7, now)]
    assert [place.name for place in filled.folder.iterdir()] == [f"{now}.sixprime"]
    # One that the command language added has no file.
    with closing(sqlite3.connect(relational.standard_path())) as db, db:
        db.execute("UPDATE session SET checksum = ?", (then,))
    again.keep(judged)
    with closing(sqlite3.connect(relational.standard_path())) as db, db:
        assert db.execute("SELECT session_id, checksum, added FROM session").fetchall() == [
            (7, now, "2020-02-02 02:02:02")
        ]


def test_a_match_twice_by_checksums_of_then_and_now_becomes_one(filled: Library, judged: AnalysedMatch) -> None:
    then, now = former_checksums(judged.match)[0], checksum(judged.match)
    filled.tag([Turn(1, 2, 17, 1)], "look")
    filled.place(then).write_bytes(filled.place(now).read_bytes())
    with closing(sqlite3.connect(relational.standard_path())) as db, db:
        columns = [row[1] for row in db.execute("PRAGMA table_info(session)")][2:]
        db.execute(f"INSERT INTO session SELECT 2, ?, {', '.join(columns)} FROM session", (then,))
        db.execute("PRAGMA user_version = 0")
    assert [each.number for each in Library().matches()] == [1]
    assert Library().search(Query())[1] == len(judged.decisions)
    assert filled.tags() == [("look", 1)]
    assert {each.place for each in filled.search(Query(tag="look"))[0]} == {"1.2.17:2"}
    assert not filled.place(then).exists()


def test_half_of_a_match_is_never_kept(
    shelf: Library, judged: AnalysedMatch, sixprime: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any, **__: Any) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("sixprime.codec.save", full)
        with pytest.raises(OSError, match="No space"):
            shelf.keep(judged)
    assert shelf.matches() == []
    for name in "bcde":
        formats.write(replace(judged.match, games=judged.match.games[:1]), tmp_path / f"{name}.mat")
    with monkeypatch.context() as patched:
        patched.setattr("sixprime.codec.save", full)
        told = sixprime("library", "add", *(str(tmp_path / f"{name}.mat") for name in "bcde"), "--jobs", "1")
    assert (told.status, told.err.count("No space"), "done before" in told.out) == (1, 4, False)
    # A process that ended between both left a database that does not go with the analysis.
    shelf.keep(judged)
    with closing(sqlite3.connect(relational.standard_path())) as db, db:
        db.execute("UPDATE decision SET error = error + 0.01")
    assert not shelf.searches(judged)
    formats.write(judged.match, tmp_path / "a.mat")
    assert sixprime("library", "add", str(tmp_path / "a.mat"), "--plies", "0")[0] == 0
    assert shelf.searches(judged)


def test_what_is_there_gives_way_only_to_what_is_better(shelf: Library, judged: AnalysedMatch, tmp_path: Path) -> None:
    with Engine(plies=0) as engine:
        how = How(lambda _: engine, (Depth(0, 0), Depth(0, 0)))
        deeper = analyse(judged.match, engine, plies=1)
        shelf.keep(deeper)
        unfinished = replace(judged, games=judged.games[:2], finished=False)
        done = do(Task(judged.match, "", ready=unfinished, library=shelf), how, None)
        assert (done.written, done.number) == ((), 1)
        # In another seat, with the dice the other way round.
        turned = replace(
            judged.match,
            games=tuple(
                replace(game, actions=tuple(replace(a, dice=a.dice and a.dice[::-1]) for a in game.actions))
                for game in judged.match.games
            ),
        )
        for match in (judged.match, turned, turned.reseated()):
            done = do(Task(match, "", library=shelf), how, engine)
            assert (done.written, done.number, done.error) == ((), 1, "")
    assert shelf.analysis(checksum(judged.match)).depths == deeper.depths
    assert shelf.searches(deeper)


def test_phases_of_an_earlier_definition_are_brought_up_to_date(shelf: Library, judged: AnalysedMatch) -> None:
    """When a match is added again; nothing has to be judged for it."""
    part = cut(judged, 1)
    old = tuple(replace(each, phase=Phase.CONTACT) for each in part.games[0].decisions)
    digest = shelf.keep(replace(part, games=(replace(part.games[0], decisions=old),)))
    with Engine(plies=0) as engine:
        do(Task(part.match, "", library=shelf), How(lambda _: engine, judged.depths or ()), engine)
    kept = shelf.analysis(digest).games[0].decisions
    assert [each.phase for each in kept] == [each.phase for each in part.games[0].decisions]


def cut(judged: AnalysedMatch, games: int, actions: int | None = None) -> AnalysedMatch:
    """The beginning of a match: some games, and some actions of the next one."""
    kept = list(judged.match.games[:games])
    analyses = list(judged.games[:games])
    if actions is not None:
        game, analysis = judged.match.games[games], judged.games[games]
        kept.append(replace(game, actions=game.actions[:actions], winner=None, points=0, resigned=False))
        some = tuple(each for each in analysis.decisions if each.action < actions)
        analyses.append(replace(analysis, decisions=some))
    return replace(judged, match=replace(judged.match, games=tuple(kept)), games=tuple(analyses))


@pytest.mark.parametrize("reseated", [False, True])
def test_a_match_that_goes_on_replaces_its_beginning(shelf: Library, judged: AnalysedMatch, reseated: bool) -> None:
    digests = [shelf.keep(cut(judged, 2))]
    shelf.tag([Turn(1), Turn(1, 2, 17, 1), Turn(1, 2, 5, 0)], "look")
    shelf.tag([Turn(1, 2, 17, 1), Turn(1, 2, 5, 0)], "turn")
    turns = {(each.index, each.action) for each in shelf.search(Query(tag="turn"))[0]}
    for part in (cut(judged, 2, 1), cut(judged, 3, 11), judged):
        begun = shelf.begun(part.match)
        assert begun is not None
        assert (begun.number, begun.checksum, begun.longer) == (1, digests[-1], False)
        digests.append(shelf.keep(part))
    if reseated:
        with Engine(plies=0) as engine:
            digests.append(shelf.keep(analyse(judged.match.reseated(), engine)))
    (kept,) = shelf.matches()
    assert (kept.number, kept.checksum, kept.whole) == (1, digests[-1], True)
    assert shelf.search(Query())[1] == len(judged.decisions)
    found, _ = shelf.search(Query(tag="look"), count=None)
    assert len(found) == len(judged.decisions)
    # Rows begin with player 0, so that in other seats turns have other numbers.
    assert {(each.index, each.action) for each in shelf.search(Query(tag="turn"))[0]} == turns
    assert [place.stem for place in shelf.folder.glob("*.sixprime")] == [digests[-1]]


def test_a_beginning_does_not_replace_what_goes_on(filled: Library, judged: AnalysedMatch) -> None:
    for part in (cut(judged, 1), cut(judged, 3, 7), cut(judged, 0, 6)):
        for match in (part.match, part.match.reseated()):
            begun = filled.begun(match)
            assert begun is not None
            assert (begun.number, begun.longer) == (1, True)
        with pytest.raises(SettingsError, match="match 1 of the library begins like this one and goes on"):
            filled.keep(part)
    assert filled.begun(judged.match) is None
    assert filled.search(Query())[1] == len(judged.decisions)


def test_a_part_in_other_seats_is_known(shelf: Library, judged: AnalysedMatch) -> None:
    part = cut(judged, 2, 30).match.reseated()
    with Engine(plies=0) as engine:
        shelf.keep(analyse(part, engine))
        shelf.tag([Turn(1, 2, 5, 0)], "look")
        shelf.rename(NAMES[0], "Kevin")
        how = How(lambda _: engine, (Depth(0, 0), Depth(0, 0)))
        done = do(Task(judged.match, "", library=shelf), how, engine)
    assert (done.number, done.begun and done.begun.crossed) == (1, True)
    (kept,) = shelf.matches()
    # Everybody keeps his seat, and the name that was given to him.
    assert [side.name for side in kept.sides] == ["Maxence Job", "Kevin"]
    assert {each.place for each in shelf.search(Query(tag="look"))[0]} == {"1.2.5:1"}


def test_everybody_is_looked_at_as_closely_as_is_said_of_his_seat_in_the_file(
    shelf: Library, judged: AnalysedMatch
) -> None:
    with Engine(plies=0) as engine:
        shelf.keep(cut(judged, 1))
        reseated = judged.match.reseated()
        how = How(lambda _: engine, (Depth(1, 0), Depth(None, None)), again=True)
        done = do(Task(reseated, "", library=shelf), how, engine)
    assert done.analysed is not None
    assert {reseated.players[0].name} == {
        done.analysed.match.players[each.player].name for each in done.analysed.decisions if each.plays or each.cube
    }


def test_an_uneven_table_changes_seats_with_the_players(shelf: Library, judged: AnalysedMatch) -> None:
    """Everybody keeps his chances, in whichever seat the library has him."""
    part, uneven = cut(judged, 1).match, met.load("jac100")
    depths = (Depth(0, 0), Depth(0, 0))
    with Engine(plies=0, met=uneven) as engine:
        shelf.keep(analyse(part.reseated(), engine, depths=depths))
        straight = analyse(part, engine, depths=depths)
        how = How(lambda _: engine, depths)
        done = do(Task(part, "", library=shelf), how, engine)
        theirs = replace(how, theirs=True, met=uneven)
        told = do(Task(with_source(with_analysis(straight), "Other"), "", library=shelf), theirs, None)
    for found in (done.analysed, told.analysed):
        assert found is not None
        assert found.match.players == part.players[::-1]
        assert found.table.checksum == uneven.swapped().checksum
        assert [each.error for each in found.decisions] == pytest.approx(
            [each.error for each in straight.decisions], abs=1e-6
        )


def with_source(match: Match, name: str) -> Match:
    """A match whose analyses are those of another program."""
    games = [
        replace(
            game,
            actions=tuple(
                replace(action, analyses=tuple(replace(each, source=name) for each in action.analyses))
                for action in game.actions
            ),
        )
        for game in match.games
    ]
    return replace(match, games=tuple(games))


def test_matches_that_only_begin_alike_stay_two(shelf: Library, judged: AnalysedMatch) -> None:
    shelf.keep(cut(judged, 0, 5))
    other = cut(judged, 3, 12)
    games = other.match.games
    turn = games[0].actions[20]
    changed = (*games[0].actions[:20], replace(turn, dice=(1, 1)), *games[0].actions[21:])
    others = (
        replace(other, match=replace(other.match, games=(replace(games[0], actions=changed), *games[1:]))),
        replace(judged, match=replace(judged.match, length=9)),
        replace(judged, match=replace(judged.match, players=judged.match.players[::-1])),
    )
    for each in (judged, *others):
        assert shelf.begun(each.match) is None
        shelf.keep(each)
    assert [each.number for each in shelf.matches()] == [1, 2, 3, 4, 5]


def test_a_beginning_ends_with_a_roll_too(shelf: Library, judged: AnalysedMatch) -> None:
    game = judged.match.games[0]
    roll = replace(game.actions[8], kind=ActionKind.ROLL, play=None)
    part = replace(game, actions=(*game.actions[:8], roll), winner=None, points=0)
    match = replace(judged.match, games=(part,))
    assert begins(match, judged.match, (0, 1))
    other = replace(part, actions=(*part.actions[:8], replace(roll, dice=(6, 6))))
    assert not begins(replace(match, games=(other,)), judged.match, (0, 1))


def test_what_grows_is_kept_whole_or_as_it_was(
    shelf: Library, judged: AnalysedMatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any, **__: Any) -> None:
        raise OSError(28, "No space left on device")

    part = cut(judged, 2)
    digest = shelf.keep(part)
    shelf.tag([Turn(1)], "look")
    with monkeypatch.context() as patched:
        patched.setattr("sixprime.codec.save", full)
        with pytest.raises(OSError, match="No space"):
            shelf.keep(judged)
    assert [each.checksum for each in shelf.matches()] == [digest]
    assert shelf.tags() == [("look", 1)]
    assert shelf.searches(part)
    assert shelf.analysis(digest).match == part.match
    # Nor by an analysis that was interrupted.
    with Engine(plies=0) as engine:
        how = How(lambda _: engine, (Depth(0, 0), Depth(0, 0)))
        unfinished = replace(judged, games=judged.games[:1], finished=False)
        done = do(Task(judged.match, "", ready=unfinished, library=shelf), how, None)
    assert (done.written, done.number, shelf.number(digest)) == ((), None, 1)


def test_the_command_says_what_goes_on(shelf: Library, judged: AnalysedMatch, sixprime: Any, tmp_path: Path) -> None:
    names = [str(tmp_path / name) for name in ("a.mat", "b.mat", "c.mat")]
    for name, part in zip(names, (cut(judged, 1), cut(judged, 2), cut(judged, 3)), strict=True):
        formats.write(part.match, Path(name))
    for name, said in (
        (names[1], "Library: match 1"),
        (names[0], "Library: match 1 goes on from this one, and stays as it is"),
        (names[2], "Library: match 1, in the place of its beginning"),
    ):
        status, _, err = sixprime("library", "add", name, "--plies", "0")
        assert (status, said in err.splitlines()) == (0, True)
    shutil.copy(names[2], tmp_path / "d.mat")
    status, out, _ = sixprime("library", "add", *names, str(tmp_path / "d.mat"), "--plies", "0", "--jobs", "1")
    assert [line.partition("done before, ")[2] for line in out.splitlines()[:4]] == [
        *["the beginning of match 1, which stays as it is"] * 2,
        *["match 1"] * 2,
    ]
    assert status == 0


def test_nobody_is_called_nothing(shelf: Library, judged: AnalysedMatch) -> None:
    one, two = judged.match.players
    players = (replace(one, name=""), two)
    shelf.keep(replace(judged, match=replace(judged.match, players=players)))
    assert shelf.search(Query(player="player 1"))[1] > 0
    assert {group.name for group in shelf.sums(Query(), "player")[0]} == {"Player 1", two.name}


def test_what_the_command_language_erases_is_gone(filled: Library, judged: AnalysedMatch) -> None:
    Matches(relational.standard_path()).erase(NAMES[0])
    assert filled.search(Query()) == ([], 0)
    for name in NAMES:
        with pytest.raises(SettingsError, match=f"is called {name!r}$"):
            filled.search(Query(player=name))


def test_tags(filled: Library, judged: AnalysedMatch) -> None:
    assert filled.tag([Turn.parse("1.2.17:2"), Turn.parse("1.5.9"), Turn.parse("1.5.9")], "look  again") == 2
    assert filled.tags() == [("look again", 2)]
    found, _ = filled.search(Query(tag="look again"), count=None)
    assert {each.place for each in found} == {"1.2.17:2", "1.5.9:1", "1.5.9:2"}
    filled.keep(judged)
    assert filled.search(Query(tag="look again"))[1] == len(found)
    groups, everything = filled.sums(Query(), "tag")
    assert [group.name for group in groups] == ["look again"]
    assert everything.decisions == sum(each.counted for each in found)
    assert filled.tag([Turn(1, 5, 9)], "look again", on=False) == 1
    with pytest.raises(SettingsError, match="no decision in game 9, move 9"):
        filled.tag([Turn(1), Turn(1, 9, 9)], "other")
    assert filled.tags() == [("look again", 1)]
    for wrong in ("", "  ", "x" * 81):
        with pytest.raises(SettingsError, match="a tag is a text of 1 to 80 characters"):
            filled.tag([Turn(1)], wrong)
    for wrong in ("\x07", "a\udcff"):
        with pytest.raises(SettingsError, match="a tag is a text in UTF-8 without control characters"):
            filled.tag([Turn(1)], wrong)
    with pytest.raises(SettingsError, match="no match 2"):
        filled.tag([Turn(2)], "other")
    for wrong in ("", "x", "1.2", "1.2.3:3", "1.2.3.4", "-1"):
        with pytest.raises(SettingsError, match="a match is named by its number"):
            Turn.parse(wrong)


def test_a_tag_of_a_match_and_its_turn_counts_once(filled: Library, judged: AnalysedMatch) -> None:
    assert filled.tag([Turn(1), Turn(1, 5, 9), Turn(1, 5, 9, 0)], "club") == 3
    (club,), everything = filled.sums(Query(), "tag")
    assert (club.decisions, club.errors) == (everything.decisions, everything.errors)
    assert club.error == pytest.approx(everything.error)


def test_a_player_has_another_name_from_now_on(shelf: Library, judged: AnalysedMatch) -> None:
    match = judged.match

    def named(one: str, two: str) -> AnalysedMatch:
        players = (replace(match.players[0], name=one), replace(match.players[1], name=two))
        return replace(judged, match=replace(match, players=players))

    for names in (("annie", "Bob"), ("Ann", "Carl"), ("Dan", "ANNIE")):
        shelf.keep(named(*names))
    assert shelf.rename(" Annie", "Ann") == "Ann"
    ann = next(each for each in shelf.careers() if each.name == "Ann")
    assert (ann.matches, ann.won) == (3, 2)
    shelf.keep(named("annie", "Eve"))
    assert {each.name: each.matches for each in shelf.careers()} == {"Ann": 4, "Bob": 1, "Carl": 1, "Dan": 1, "Eve": 1}
    every = shelf.search(Query(player="Ann"))[1]
    assert (
        every
        == shelf.search(Query(player="annie"))[1]
        == shelf.search(Query())[1] - sum(shelf.search(Query(player=name))[1] for name in ("Bob", "Carl", "Dan", "Eve"))
    )
    with pytest.raises(SettingsError, match="Ann and Bob cannot be one player: they played against each other"):
        shelf.rename("Ann", "Bob")
    with pytest.raises(SettingsError, match="no player in the library is called 'Zoe'"):
        shelf.rename("Zoe", "Ann")
    with pytest.raises(SettingsError, match="a name is a text of 1 to 80"):
        shelf.rename("Ann", " ")
    with pytest.raises(SettingsError, match="a name is a text in UTF-8 without control characters"):
        shelf.rename("Ann", "Ann\x1b[0m")
    assert shelf.rename("bob", "BOB") == "BOB"
    assert shelf.rename("BOB", "Eve") == "Eve"
    assert {each.name: each.matches for each in shelf.careers()} == {"Ann": 4, "Carl": 1, "Dan": 1, "Eve": 2}
    shelf.keep(named("Ann", "annie"))
    assert {side.name for side in shelf.matches()[-1].sides} == {"Ann", "annie"}


def test_careers_follow_the_matches() -> None:
    def kept(number: int, error: float, decisions: int, result: int = 1) -> Any:
        sides = (library.Side("Ann", error, decisions, 0.5), library.Side(" ann's  other", None, 0, 0.0))
        return library.Kept(number, "", sides, 5, result, "2026-01-01", "", whole=True)

    ann, other = library.careers([kept(1, 1.0, 100), kept(2, 0.0, 100)], half_life=100)
    assert isinstance(ann, Career)
    assert (ann.matches, ann.won, ann.decisions, ann.pr) == (2, 2, 200, 2.5)
    # The first hundred count half after a hundred more.
    assert ann.trend == ((5.0, 5.0), (0.0, pytest.approx(500 * 0.5 / 150)))
    assert (other.won, other.pr, other.recent) == (0, None, None)
    # What goes on is neither won nor lost.
    ann, other = library.careers([kept(1, 1.0, 100), kept(2, 0.0, 100, 0), kept(3, 0.0, 100, -1)])
    assert [(each.matches, each.won, each.lost) for each in (ann, other)] == [(3, 1, 1), (3, 1, 1)]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("6", [(6, 2, 255)]),
        ("6,5:3 8=1", [(6, 2, 255), (5, 3, 255), (8, 1, 1)]),
        ("bar,off:10,bar=0", [(25, 1, 255), (0, 10, 255), (25, 0, 0)]),
        ("", []),
    ],
)
def test_chequers_on_points(text: str, wanted: list[tuple[int, int, int]]) -> None:
    assert OnPoint.parse(text) == tuple(OnPoint(*each) for each in wanted)


@pytest.mark.parametrize("text", ["25", "0", "x", "6:", "6=x", "bar:100", "6-5", ":3"])
def test_chequers_that_are_none(text: str) -> None:
    with pytest.raises(SettingsError, match="chequers on points are written as 6"):
        OnPoint.parse(text)


# Positions that belong to no match

OPENING = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:7:10"
TAKE = "XGID=-a-B--E-B-a-dDB--b-bcb----:0:0:1:D:2:3:0:7:10"


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    with Engine(plies=0) as made:
        yield made


def put(shelf: Library, engine: Engine, id: str, **more: Any) -> Noted:
    parsed = parse(id)
    return shelf.keep_position(parsed.position, parsed.state, engine, **more)


def test_positions_are_kept_and_found(filled: Library, judged: AnalysedMatch, engine: Engine) -> None:
    play = put(filled, engine, OPENING, note="from  the club", tags=("openings", "x"))
    take = put(filled, engine, TAKE)
    double = put(filled, engine, TAKE.replace(":D:", ":00:"))
    assert [each.found.match for each in (play, take, double)] == [2, 3, 4]
    assert filled.positions() == [play, take, double]
    assert (play.found.best, play.found.note, play.tags) == ("8/5 6/5", "from the club", ("openings", "x"))
    assert (play.found.place, play.found.names, play.found.chosen, play.found.error) == ("2", ("", ""), "", 0.0)
    assert (play.found.phase, take.found.best, take.found.kind) == (Phase.OPENING, "Take", DecisionKind.TAKE)
    assert (take.found.xgid, double.found.kind) == (TAKE, DecisionKind.DOUBLE)
    every = len(judged.decisions)
    assert filled.search(Query())[1] == every + 3
    assert filled.search(Query(alone=False))[1] == filled.number_of_decisions() == every
    assert {each.place for each in filled.search(Query(alone=True))[0]} == {"2", "3", "4"}
    assert [each.place for each in filled.search(Query(tag="openings"))[0]] == ["2"]
    assert filled.search(Query(matches=(3,)))[0] == [take.found]
    near, _ = filled.search(Query(alone=True), like=Position.start(), count=1)
    assert (near[0].place, near[0].distance) == ("2", 0)
    # No player has lost or won anything by them.
    assert [each.number for each in filled.matches()] == [1]
    assert {each.name for each in filled.careers()} == set(NAMES) == set(Matches(relational.standard_path()).players())
    assert filled.sums(Query(), "kind")[1].decisions == sum(each.counted for each in judged.decisions)
    with pytest.raises(SettingsError, match="no player in the library is called ''"):
        filled.rename("", "Ann")
    for question, source in zip(
        filled.questions([play.found, take.found]), ("position 2, from the club", "position 3"), strict=True
    ):
        assert (question.source, question.chosen, question.missed) == (source, "", "")
    assert filled.remove(take.found.checksum)
    assert filled.positions() == [play, double]


def test_a_position_is_kept_once(shelf: Library, engine: Engine) -> None:
    first = put(shelf, engine, OPENING, note="one", tags=("a",))
    again = put(shelf, engine, OPENING.replace(":1:31:", ":-1:13:"), tags=("b",))
    assert (again.found.match, again.found.note, again.tags) == (1, "one", ("a", "b"))
    assert put(shelf, engine, OPENING, note="two").found.note == "two"
    assert put(shelf, engine, OPENING.replace(":31:", ":32:")).found.match == 2
    assert put(shelf, engine, OPENING.replace(":7:10", ":5:10")).found.match == 3
    assert first.found.checksum == again.found.checksum
    # They are found again in a database that was lost.
    kept = [(each.found.xgid, each.found.note) for each in shelf.positions()]
    relational.standard_path().unlink()
    for place in sorted(shelf.folder.glob("*.sixprime")):
        Library().keep_noted(load(place, AnalysedMatch))
    assert sorted((each.found.xgid, each.found.note) for each in Library().positions()) == sorted(kept)


@pytest.mark.parametrize(
    ("id", "more", "text"),
    [
        (OPENING.replace(":31:0:0:0:7", ":00:6:0:1:7"), {}, "nobody may double here, and there is no roll: give the"),
        (OPENING.replace(":31:0:0:0:7", ":B:0:0:3:0"), {}, "a beaver waits for its answer"),
        (OPENING, {"tags": (" ",)}, "a tag is a text"),
        (OPENING, {"note": "\x07"}, "a note is a text in UTF-8 without control characters"),
        (OPENING, {"note": "x" * 1001}, "a note is a text of 0 to 1000 characters"),
    ],
)
def test_what_is_no_decision_is_not_kept(
    shelf: Library, engine: Engine, id: str, more: dict[str, Any], text: str
) -> None:
    with pytest.raises(SettingsError, match=text):
        put(shelf, engine, id, **more)
    assert shelf.positions() == []


def test_the_command_keeps_positions(shelf: Library, sixprime: Any, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr("sixprime.codec.kept.data_dir", lambda: tmp_path)
    assert (
        sixprime("library", "positions")[2] == "sixprime: no position is kept; sixprime library keep ID puts one in\n"
    )
    words = "--tag", "look", "--note", "Ann's", "--plies", "0"
    assert sixprime("library", "keep", "4HPwATDgc/ABMA", "31", *words) == (0, "", "position 1: 8/5 6/5\n")
    lines = f"{TAKE}\nnonsense\n4HPwATDgc/ABMA 42\n"
    status, out, _ = sixprime("library", "keep", "-", "--plies", "0", stdin=lines.encode())
    told = [json.loads(line) for line in out.splitlines()]
    assert (status, [each.get("position") for each in told]) == (1, [2, None, 3])
    (tmp_path / "positions.txt").write_text(f"{OPENING}\n")
    status, _, err = sixprime("library", "add", str(tmp_path / "positions.txt"), "--plies", "0")
    assert (status, err) == (0, "Library: position 4\n")
    out = sixprime("library", "positions")[1]
    assert out.splitlines()[2].split() == ["1", out.splitlines()[2].split()[1], "31", "8/5", "6/5", "look", "Ann's"]
    assert len(sixprime("library", "positions", "--tag", "look", "--json")[1].splitlines()) == 1
    assert sixprime("library", "find", "--no-alone")[2] == "0 decisions found\n"
    status, _, err = sixprime("library", "find", "--alone", "--quiz")
    assert (status, err) == (0, "4 questions in your quiz\n4 decisions found\n")
    assert "8/5 6/5" in sixprime("library", "show", "1")[1]
    assert "Best action: No double, take" in sixprime("library", "show", "2")[1]
    for name in ("x.sgf", "x.mat", "x.sixprime", "x.html"):
        save = ("show", "1", "--html") if name.endswith("html") else ("save", "1")
        assert sixprime("library", *save, str(tmp_path / name))[0] == 0
    assert sixprime("library", "tag", "more", "3", "1")[2] == "2 of 2 changed\n"
    assert sixprime("library", "remove", "3", "2")[2] == "position 3 taken out\nposition 2 taken out\n"
    assert len(shelf.positions()) == 2


@pytest.mark.parametrize("wrong", [None, 5, "x", object(), b"", [None], float("nan")])
def test_wrong_values_meet_our_errors(whole: Library, wrong: Any) -> None:
    for call in (
        lambda: whole.keep(wrong),
        lambda: whole.analysis(wrong),
        lambda: whole.match(wrong),
        lambda: whole.tag(wrong, "tag"),
        lambda: whole.tag([wrong], "tag"),
        lambda: whole.search(wrong),
        lambda: whole.checked(wrong),
        lambda: whole.questions([wrong]),
        lambda: Query(since=wrong or "x"),
    ):
        with pytest.raises(SettingsError):
            call()


@pytest.mark.parametrize("name", ["player", "opponent", "event", "chosen", "best", "tag"])
def test_texts_that_are_no_utf_8_are_refused(name: str) -> None:
    with pytest.raises(SettingsError, match=f"{name} must be a text in UTF-8"):
        Query(**{name: "\udcff"})


def test_ranges_and_days_that_are_none_are_refused(whole: Library) -> None:
    for wanted in (Query(pips=(5, 1)), Query(lead=(5, 1))):
        with pytest.raises(SettingsError, match="the smaller number first"):
            whole.checked(wanted)
    for text in ("2026-1-5", "20260105", "5.1.2026"):
        with pytest.raises(SettingsError, match="until must be a day such as"):
            Query(until=text)
    with pytest.raises(SettingsError, match="number of its game"):
        Turn(1, 0, 5, 1)


# The command


def test_matches_are_added_once(shelf: Library, judged: AnalysedMatch, sixprime: Any, tmp_path: Path) -> None:
    assert sixprime("library", "matches") == (
        0,
        "",
        "sixprime: the library is empty; sixprime library add FILES fills it\n",
    )
    (tmp_path / "matches").mkdir()
    match = cut(judged, 2).match
    formats.write(match, tmp_path / "matches" / "a.mat")
    formats.write(match, tmp_path / "matches" / "a.sgf")
    (tmp_path / "matches" / "b.mat").write_text("nothing")
    status, _, err = sixprime("library", "add", str(tmp_path / "matches"), "--plies", "0")
    assert status == 1
    assert "b.mat" in err
    assert "Library: match 1" in err
    folder = tmp_path / "many"
    folder.mkdir()
    for name in "abcd":
        formats.write(match, folder / f"{name}.mat")
    status, out, _ = sixprime("library", "add", str(folder), "--plies", "0", "--jobs", "1")
    assert [line.partition(": ")[2].partition(", ")[2] for line in out.splitlines()[:4]] == [
        "3-0, done before, match 1"
    ] * 4
    place = shelf.place(shelf.matches()[0].checksum)
    before = place.read_bytes()
    status, _, err = sixprime("analyse", str(tmp_path / "matches" / "a.mat"), "--plies", "0", "--library")
    assert (status, "Library" in err, place.read_bytes() == before) == (0, False, True)
    status, _, err = sixprime("library", "add", str(tmp_path / "matches" / "a.mat"), "--plies", "1")
    assert (status, "Library: match 1" in err, place.read_bytes() == before) == (0, True, False)


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="names of files are texts there")
def test_a_file_whose_name_is_no_text_is_kept(
    shelf: Library, judged: AnalysedMatch, sixprime: Any, tmp_path: Path
) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    place = folder / os.fsdecode(b"\xff.mat")
    formats.write(cut(judged, 1).match, folder / "a.mat")
    (folder / "a.mat").rename(place)
    assert sixprime("library", "add", str(place), "--plies", "0").status == 0
    assert shelf.numbered(1).match.source.endswith("\ufffd.mat")
    deck = tmp_path / os.fsdecode(b"\xff.apkg")
    assert sixprime("library", "find", "--count", "2", "--quiz", "--cards", str(deck)).status == 0
    assert deck.exists()
    assert sixprime("analyse", str(folder), "--plies", "0", "--html", f"{tmp_path / 'out'}/").status == 0
    assert 'href="%EF%BF%BD.html"' in (tmp_path / "out" / "index.html").read_text()


def test_objects_have_the_keys_of_the_page(filled: Library, sixprime: Any) -> None:
    page = (Path(__file__).parent.parent / "docs" / "cli.md").read_text(encoding="utf-8")
    section = page.partition("\n## library\n")[2].partition("\n## ")[0]
    for words in (
        ("matches", "--json"),
        ("players", "--json"),
        ("find", "--json", "--count", "1"),
        ("find", "--json", "--count", "1", "--like", "4HPwATDgc/ABMA"),
        ("stats", "--json"),
        ("keep", "4HPwATDgc/ABMA", "31", "--plies", "0", "--json"),
        ("positions", "--json"),
    ):
        status, out, err = sixprime("library", *words)
        assert (status, err) == (0, "")
        for key in json.loads(out.splitlines()[0]):
            assert f"`{key}`" in section, (words, key)


def test_found_decisions_of_hypergammon_are_read_as_such(shelf: Library, sixprime: Any) -> None:
    id = "XGID=-aaa------------------AAA-:1:-1:1:31:2:1:0:5:10"
    assert sixprime("library", "keep", id, "--chequers", "3", "--plies", "0")[0] == 0
    ids = sixprime("library", "find", "--ids")[1]
    assert ids.startswith("OGID=")
    hint = ("hint", "-", "--plies", "0")
    assert sixprime(*hint, stdin=ids.encode()) == sixprime(*hint, "--chequers", "3", stdin=id.encode())


def test_found_decisions_go_on(filled: Library, sixprime: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sixprime.codec.kept.data_dir", lambda: tmp_path)
    status, ids, _ = sixprime("library", "find", "--kind", "play", "--least", "0.2", "--ids")
    assert (status, len(ids.splitlines())) == (0, 5)
    status, out, _ = sixprime("hint", "-", "--plies", "0", "--count", "1", stdin=ids.encode())
    assert (status, len(out.splitlines())) == (0, 5)
    status, _, err = sixprime("library", "find", "--least", "0.2", "--quiz")
    assert (status, "in your quiz" in err) == (0, True)
    deck = load(tmp_path / "quiz.sixprime", Deck)
    found, _ = filled.search(Query(least=0.2))
    assert sorted(card.question.chosen for card in deck.cards) == sorted(each.chosen for each in found)


def test_a_match_is_shown_saved_and_removed(filled: Library, sixprime: Any, tmp_path: Path) -> None:
    page = tmp_path / "x.html"
    status, out, err = sixprime("library", "show", "1", "--html", str(page))
    assert (status, "Kévin Unger" in out, f"Report: {page}" in err) == (0, True, True)
    assert "<svg" in page.read_text(encoding="utf-8")
    for name in ("x.sgf", "x.mat", "x.sixprime"):
        assert sixprime("library", "save", "1", str(tmp_path / name))[0] == 0
        assert len(read(tmp_path / name).games) == 7 if not name.endswith("sixprime") else True
    status, _, err = sixprime("library", "save", "1", str(tmp_path / "x.mat"))
    assert (status, "is there already" in err) == (2, True)
    status, _, err = sixprime("library", "remove", "1", "2")
    assert (status, err) == (2, "sixprime: there is no match 2 in the library; nothing was taken out\n")
    status, _, err = sixprime("library", "remove", "1")
    assert (status, err) == (0, "match 1: Kévin Unger - Maxence Job taken out\n")
    assert filled.matches() == []


def test_the_luck_that_is_asked_for_is_shown(filled: Library, sixprime: Any) -> None:
    found, _ = filled.search(Query(), order="luck", count=1)
    assert found[0].luck is not None
    out = sixprime("library", "find", "--order", "luck", "--count", "1")[1]
    assert out.splitlines()[0].split()[-1] == "Luck"
    assert out.splitlines()[-1].split()[-1] == f"{found[0].luck:+.3f}"
    assert "Luck" not in sixprime("library", "find", "--count", "1")[1]


def test_takes_are_searched_by_who_is_doubled(whole: Library, judged: AnalysedMatch) -> None:
    takes = [each for each in judged.decisions if each.kind is DecisionKind.TAKE]
    for take in takes:
        own, theirs = take.position.swapped().pips
        query = Query(matches=(1,), kinds=(DecisionKind.TAKE,), pips=(own, own), lead=(own - theirs, own - theirs))
        found, _ = whole.search(query, count=None)
        assert (take.game, take.action) in {(each.index, each.action) for each in found}
        # What is shown is what an ID of a double offered says.
        id = next(each.xgid for each in found if (each.index, each.action) == (take.game, take.action))
        parsed = parse(id)
        assert parsed.position == take.position
        near, _ = whole.search(Query(matches=(1,)), like=decided(parsed.position, parsed.state), count=None)
        assert (near[0].distance, near[0].kind) == (0, DecisionKind.TAKE)


def test_answers_to_a_beaver_are_no_questions(shelf: Library) -> None:
    game = beavered_game(ActionKind.BEAVER, ActionKind.TAKE).game()
    shelf.keep(analyse(match_of(game, length=0), Engine(plies=0)))
    found, number = shelf.search(Query(kinds=(DecisionKind.TAKE,)), count=None)
    assert number == 3
    assert "Raccoon" not in [question.chosen for question in shelf.questions(found)]


def test_a_damaged_analysis_stops_nothing(
    filled: Library, judged: AnalysedMatch, sixprime: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sixprime.codec.kept.data_dir", lambda: tmp_path)
    one, two = judged.match.players
    other = filled.keep(replace(judged, match=replace(judged.match, players=(replace(one, name="Ann"), two))))
    place = filled.place(other)
    place.write_bytes(place.read_bytes()[:3000])
    found, number = filled.search(Query(least=0.2), count=None)
    told: list[str] = []
    assert len(filled.questions(found, told.append)) == number / 2
    assert len(told) == 1
    with pytest.raises(InvalidFileError, match="damaged"):
        filled.questions(found)
    status, _, err = sixprime("library", "find", "--least", "0.2", "--quiz")
    assert (status, f"{number // 2} questions in your quiz" in err) == (0, True)
    assert f"sixprime: warning: what was found in match 2 is left out: {place}: is damaged" in err
    place.unlink()
    status, _, err = sixprime("library", "find", "--least", "0.2", "--quiz")
    assert (status, "warning: what was found in match 2 is left out: the analysis of match 2 is not" in err) == (
        0,
        True,
    )


@pytest.mark.parametrize("wal", [False, True])
def test_a_sealed_library_is_read(
    filled: Library, sixprime: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wal: bool
) -> None:
    if wal:
        with closing(sqlite3.connect(relational.standard_path())) as db:
            db.execute("PRAGMA journal_mode = WAL")
    asked = (("matches",), ("players",), ("positions",), ("tags",), ("find", "--count", "3"), ("stats",), ("show", "1"))
    before = [sixprime("library", *words) for words in asked]
    allowed = os.access

    def access(path: Any, mode: int) -> bool:
        return not (mode == os.W_OK and str(path).startswith(str(tmp_path))) and allowed(path, mode)

    def connect(place: Any, *, uri: bool = False, **more: Any) -> sqlite3.Connection:
        # Nobody can make the files of a journal: root could.
        if not uri:
            raise sqlite3.OperationalError("attempt to write a readonly database")
        if wal and "immutable" not in place:
            raise sqlite3.OperationalError("unable to open database file")
        return opened(place, uri=True, **more)

    opened = sqlite3.connect
    monkeypatch.setenv("SIXPRIME_DATA", str(tmp_path))
    monkeypatch.setattr(os, "access", access)
    monkeypatch.setattr(relational.sqlite3, "connect", connect)
    held = {place: place.read_bytes() for place in tmp_path.rglob("*") if place.is_file()}
    assert [sixprime("library", *words) for words in asked] == before
    for words in (("tag", "x", "1"), ("rename", NAMES[0], "Ann"), ("remove", "1"), ("keep", "4HPwATDgc/ABMA", "31")):
        status, _, err = sixprime("library", *words)
        assert (status, err) == (
            2, f"sixprime: the library can only be read: its folder {tmp_path} cannot be written to\n"
        )  # fmt: skip
    assert {place: place.read_bytes() for place in tmp_path.rglob("*") if place.is_file()} == held


def test_what_makes_a_damaged_library_anew_is_said(shelf: Library, tmp_path: Path, sixprime: Any) -> None:
    place = tmp_path / "gnubg.db"
    place.write_text("no database at all, " * 100)
    remedy = f"{place}: file is not a database; move it away, and sixprime library add --theirs {tmp_path / 'library'} "
    (tmp_path / "library").mkdir()
    for words in ("matches", "tag x 1"):
        assert remedy in sixprime("library", *words.split()).err
    # SQLite quotes what it does not understand, whether it is text or not.
    place.unlink()
    assert sixprime("library", "matches").status == 0
    place.write_bytes(place.read_bytes().replace(b"CREATE TABLE", b"CREATE \xdcABLE"))
    found = sixprime("library", "matches")
    assert found.status == 1
    assert found.err.startswith(f"sixprime: {place}: is damaged (")
    assert f"; move it away, and sixprime library add --theirs {tmp_path / 'library'} " in found.err


def test_rows_that_cannot_be_are_damage(shelf: Library, judged: AnalysedMatch, tmp_path: Path, sixprime: Any) -> None:
    digest = shelf.keep(judged)
    place = tmp_path / "gnubg.db"
    remedy = f"; move it away, and sixprime library add --theirs {tmp_path / 'library'} "
    for damage in (1, "x" * 32, digest[:-1]):
        with closing(sqlite3.connect(place)) as db, db:
            db.execute("UPDATE session SET checksum = ?", (damage,))
        for words in (("save", "1", "o.sgf"), ("remove", "1")):
            status, out, err = sixprime("library", *words)
            assert (status, out) == (1, "")
            assert err.startswith(
                f"sixprime: {place}: is damaged (match 1: checksum must be 32 hexadecimal digits. Got "
            )
            assert remedy in err
    message = r"is damaged \(NOT NULL constraint failed: session.checksum\); move it away, and sixprime library add"
    with pytest.raises(DataFileError, match=message), Matches(place).opened() as db:
        db.execute("INSERT INTO session (checksum) VALUES (NULL)")


@pytest.mark.parametrize("event", ["hsbt  PARIS", "Paris 2023", " "])
def test_events_are_found_by_a_part(filled: Library, event: str) -> None:
    assert filled.search(Query(event=event))[1] == filled.number_of_decisions()
    assert filled.search(Query(event="London"))[1] == 0


@pytest.mark.parametrize(
    ("words", "status", "text"),
    [
        ("find --player Nobody", 2, "no player in the library is called 'Nobody'; there are Kévin Unger, Maxence Job"),
        ("find --player Kevin_Unger", 2, "no player in the library is called 'Kevin_Unger'; there are Kévin Unger"),
        ("find --score 0a-3a", 2, "--score takes the points that both still need"),
        ("find --pips 90..80", 2, "--pips takes the smaller number first"),
        ("find --pips x", 2, "--pips takes a number of pips or a range"),
        ("find --since yesterday", 2, "--since takes a day"),
        ("find --least 5 --most 1", 2, "--least must be no more than most, 1. Got 5.0 instead."),
        ("find --since 2026-02-01 --until 2026-01-31", 2, "--since must be no later than until, 2026-01-31."),
        ("find --match 99", 2, "there is no match 99 in the library"),
        ("stats --match 99", 2, "there is no match 99 in the library"),
        ("find --own 30", 2, "chequers on points are written as"),
        ("find --dice 17", 2, "17"),
        ("find --like nonsense", 1, "nonsense"),
        ("find --cards x.txt", 2, "--cards"),
        ("stats --by colour", 2, "colour"),
        ("show 9", 2, "there is no match 9 in the library"),
        ("tag x", 2, "name what gets the tag"),
        ("tag x 1.0.5:1", 2, "a turn must have the number of its game"),
        ("find --event \udcff", 2, "--event must be a text in UTF-8"),
        ("rename \udcff Ann", 2, "must be a text in UTF-8"),
        ("tag x 1.9.9", 2, "match 1 has no decision in game 9, move 9"),
        ("remove", 2, "name the numbers"),
        ("find --ids --json", 2, "give one of them"),
        ("find --least inf", 2, "Must be <= 1000"),
        ("find --match 99999999999999999999", 2, "--match"),
        ("save 1 x.unknown", 2, "unknown"),
    ],
)
def test_wrong_use_is_told(filled: Library, sixprime: Any, words: str, status: int, text: str) -> None:
    found, out, err = sixprime("library", *words.split())
    assert (found, out) == (status, "")
    assert text in " ".join(err.split())


@pytest.mark.parametrize("option", [("--html", "x.html"), ("--save", "x.sgf"), ("--html", "pages/")])
def test_a_match_goes_into_the_library_and_into_files(
    sixprime, tmp_path: Path, shelf: Library, option: tuple[str, str]
) -> None:
    where, name = option
    target = f"{tmp_path}/{name}"
    status, out, err = sixprime("analyse", "--sample", "--plies", "0", "--library", where, target)
    assert status == 0
    assert out
    told = err.splitlines()
    assert "Library: match 1" in told
    assert sum(line.startswith("Report: " if where == "--html" else "Analysis: ") for line in told) == 1
    again = sixprime("analyse", "--sample", "--plies", "0", "--library", where, target)
    assert again.status == 0
    assert "Library: match" not in again.err
