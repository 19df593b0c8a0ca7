"""Matches in SQLite, in the tables of GNU Backgammon."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest

from sixprime import MatchReport
from sixprime.analysis.statistics import total
from sixprime.errors import DataFileError, SettingsError
from sixprime.store.identity import checksum
from sixprime.store.relational import Matches, table_text

NOW = datetime(2026, 11, 23, 11, 27, 20)
NAMES = ["Kévin Unger", "Maxence Job"]


@pytest.fixture
def matches(tmp_path: Path) -> Matches:
    return Matches(tmp_path / "gnubg.db")


def test_add_and_query(matches: Matches, judged: MatchReport) -> None:
    assert matches.players() == []
    assert matches.add(judged.match, judged, now=NOW) == []
    assert matches.players() == NAMES
    session = matches.select("checksum, result, length, added, event, date FROM session").rows
    assert session == (
        (checksum(judged.match), 1, 7, "2026-11-23 11:27:20", "HSBT Paris 2023", "2023-11-26"),
    )  # fmt: skip
    games = matches.select("score_0, score_1, result, game_number, crawford FROM game ORDER BY game_id").rows
    assert games[:2] == ((0, 0, 1, 1, 0), (1, 0, 2, 2, 0))
    assert len(games) == 7
    kevin, maxence = matches.select("* FROM matchstat ORDER BY player_id").rows
    columns = matches.select("* FROM matchstat").columns
    row = dict(zip(columns, kevin, strict=True))
    own = judged.statistics[0]
    assert (row["total_moves"], row["unforced_moves"]) == (own.moves, own.unforced_moves)
    assert row["chequer_error_total_normalised"] == own.chequer_error_total
    assert row["overall_error_per_move_normalised"] == pytest.approx(own.error_per_decision)
    assert row["actual_result"] == 0.5
    assert row["actual_advantage"] is None
    assert len(matches.select("* FROM gamestat").rows) == 14
    assert len(maxence) == len(columns)


def test_who_was_not_judged_has_no_rating(matches: Matches, judged: MatchReport) -> None:
    matches.add(judged.match, replace(judged, statistics=(judged.statistics[0], total([]))), now=NOW)
    columns = "error_based_fibs_rating IS NULL, chequer_rating_loss IS NULL, cube_rating_loss IS NULL"
    assert matches.select(f"{columns} FROM matchstat ORDER BY player_id").rows == ((0, 0, 0), (1, 1, 1))


def test_the_same_match_is_replaced(matches: Matches, judged: MatchReport) -> None:
    assert matches.add(judged.match, now=NOW) == []
    assert matches.select("* FROM matchstat").rows == ()
    assert matches.add(judged.match, judged, now=NOW) == [checksum(judged.match)]
    assert matches.add(replace(judged.match, games=judged.match.games[:3]), now=NOW) == []
    assert [len(matches.select(f"* FROM {table}").rows) for table in ("player", "session", "game", "matchstat")] == [
        *(2, 2, 10, 2)
    ]
    assert matches.select("result FROM session ORDER BY session_id").rows == ((1,), (0,))


def test_details(matches: Matches, judged: MatchReport) -> None:
    matches.add(judged.match, judged, now=NOW)
    found = matches.details("Maxence Job")
    assert found is not None
    own, others = found
    assert own["total_moves"] == judged.statistics[1].moves
    assert others["total_moves"] == judged.statistics[0].moves
    assert own["cube_error_per_move_normalised"] == pytest.approx(judged.statistics[1].cube_error_rate)
    assert own["luck_per_move_normalised"] == pytest.approx(judged.statistics[1].luck_per_roll)
    assert matches.details("Nobody") is None


def test_erase(matches: Matches, judged: MatchReport) -> None:
    matches.add(judged.match, judged, now=NOW)
    assert not matches.erase("Nobody")
    assert matches.erase("Maxence Job")
    assert matches.players() == ["Kévin Unger"]
    assert all(not matches.select(f"* FROM {name}").rows for name in ("session", "game", "matchstat", "gamestat"))
    matches.erase_all()
    assert matches.players() == []


def test_one_match_is_removed(matches: Matches, judged: MatchReport) -> None:
    matches.add(judged.match, judged, now=NOW)
    matches.add(replace(judged.match, length=0), now=NOW)
    assert not matches.remove("0" * 32)
    assert matches.remove(checksum(judged.match))
    assert matches.select("length FROM session").rows == ((0,),)
    assert not matches.select("* FROM matchstat").rows
    assert matches.players() == NAMES


def test_queries_change_nothing(matches: Matches, judged: MatchReport) -> None:
    matches.add(judged.match, now=NOW)
    for query in ("nothing FROM nowhere", "1; DELETE FROM player", "1 FROM player; DROP TABLE player", "\0"):
        with pytest.raises(SettingsError, match="SQL error"):
            matches.select(query)
    assert matches.players() == NAMES
    assert list(table_text(matches.select("name, player_id FROM player"))) == [
        "       name | player_id",
        "------------|----------",
        "Kévin Unger |         1",
        "Maxence Job |         2",
    ]


def test_what_cannot_be_opened(tmp_path: Path, judged: MatchReport) -> None:
    (tmp_path / "text").write_text("no database at all, " * 100)
    with pytest.raises(DataFileError, match="text: file is not a database"):
        Matches(tmp_path / "text").test()
    with pytest.raises(DataFileError, match="unable to open"):
        Matches(tmp_path / "missing" / "db").test()
    with pytest.raises(SettingsError, match="no game"):
        Matches(tmp_path / "db").add(replace(judged.match, games=()), now=NOW)


def test_the_tables_are_those_of_the_program(matches: Matches) -> None:
    there = Path("/usr/share/gnubg/gnubg.sql")
    if not there.exists():
        pytest.skip("GNU Backgammon is not installed")
    db = sqlite3.connect(":memory:")
    db.executescript(there.read_text())
    for (table,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
        names = {row[1] for row in db.execute(f"PRAGMA table_info({table})")}
        assert names == set(matches.select(f"* FROM {table}").columns), table
    db.close()


@pytest.mark.parametrize(("name", "kept"), [("C", ["C (1)", "C (2)"]), ("", ["Player 1", "Player 2"])])
def test_players_of_one_name_are_kept_apart(matches: Matches, judged: MatchReport, name: str, kept: list[str]) -> None:
    match = replace(judged.match, players=tuple(replace(player, name=name) for player in judged.match.players))
    assert matches.add(match, replace(judged, match=match), now=NOW) == []
    assert matches.players() == kept
