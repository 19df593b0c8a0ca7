"""Commands for the database, and those that only programs with windows use."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sixprime import Engine, analyse, read, sample_match
from sixprime.analysis.kept import with_analysis
from sixprime.command import Interpreter
from sixprime.command.tables.gui import LATER, LEAVES, SHOWN, SOUNDS
from sixprime.cube.met import load
from sixprime.formats import read_text

Say = Callable[[str], tuple[str, str]]


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Interpreter, Say]:
    monkeypatch.setenv("SIXPRIME_DATA", str(tmp_path))
    out: list[str] = []
    err: list[str] = []
    made = Interpreter(out.append, err.append)

    def say(line: str) -> tuple[str, str]:
        out.clear()
        err.clear()
        made.run(line)
        return "".join(out), "".join(err)

    return made, say


def test_database(shell: tuple[Interpreter, Say], tmp_path: Path) -> None:
    made, say = shell
    assert say("relational add match") == ("No match is being played.\n", "")
    assert say("relational show players")[0] == "No players in the database.\n"
    made.state = made.state.with_match(read(sample_match()))
    assert say("relational add match") == ("The match has been added to the database.\n", "")
    assert say("rel add match quiet") == ("", "")
    assert say("relational show players")[0].splitlines()[2:] == ["Kévin Unger", "Maxence Job"]
    assert say("relational show details Maxence Job") == ("", "Empty player stats or player(s) not found\n")
    assert say("relational select result, length from session")[0].splitlines()[-1].split() == ["1", "|", "7"]
    assert "SQL error" in say("relational select nothing from nowhere")[1]
    assert say("relational test")[0] == "Database test is successful!\n"
    assert "only SQLite" in say("relational setup dbtype=PostgreSQL")[0]
    assert say(f"relational setup dbtype=SQLite dbname={tmp_path / 'other.db'}")[0] == ""
    assert say("relational show players")[0] == "No players in the database.\n"
    assert "file is not a database" in say(f"relational setup dbname={sample_match()}")[1]


def test_statistics_in_the_database_are_by_the_table_of_the_analysis(shell: tuple[Interpreter, Say]) -> None:
    made, say = shell
    analysed = analyse(read(sample_match()), Engine(plies=0, met=load("woolsey")))
    made.state = made.state.with_match(with_analysis(analysed))
    say("relational add match")
    found = say("relational select chequer_error_total from matchstat where player_id = 1")[0].splitlines()[-1]
    assert float(found) == pytest.approx(analysed.statistics[0].chequer_error_mwc, abs=1e-6)


def test_erasing(shell: tuple[Interpreter, Say]) -> None:
    made, say = shell
    made.state = made.state.with_match(read(sample_match()))
    say("relational add match")
    assert say("relational erase player Nobody")[0] == "Player not found or player stats empty\n"
    assert "have been erased" in say('relational erase player "Maxence Job"')[0]
    assert "have been erased" in say("relational erase allplayers")[0]
    assert say("relational show players")[0] == "No players in the database.\n"


def test_details(shell: tuple[Interpreter, Say]) -> None:
    from datetime import datetime

    from sixprime.report.export.options import DEFAULT
    from sixprime.report.export.statistics import match_statistics
    from sixprime.store.relational import Matches, standard_path

    _, say = shell
    with Engine(plies=0) as engine:
        judged = analyse(read(sample_match()), engine)
    Matches(standard_path()).add(judged.match, judged, now=datetime(2026, 1, 1))
    text = say("relational show details Maxence Job")[0]
    lines = {line[:40].rstrip(): line[40:].split() for line in text.splitlines()}
    assert lines["Total moves"] == ["165", "166"]
    assert float(lines["Snowie error rate"][0]) < 0
    assert lines["Player"] == ["Maxence", "Job", "Opponents"]
    rows = {line[:40].rstrip(): (line[41:64].rstrip(), line[65:]) for line in text.splitlines()}
    theirs, mine = match_statistics(judged, DEFAULT).sections, ("Chequerplay", "Luck", "Cube decision", "Overall")
    shown = {row[0]: (row[2], row[1]) for section in theirs for row in section.rows}
    assert [rows[f"{name} rating"] for name in mine] == [shown[f"{name} rating"] for name in mine]


def test_of_nothing_there_is_no_rate(shell: tuple[Interpreter, Say]) -> None:
    """As in statistics of a match; the rates were -0.0 beside ratings that are n/a."""
    from datetime import datetime

    from sixprime.store.relational import Matches, standard_path

    game = """ 3 point match

 Game 1
 Ann : 0                Bob : 0
  1) 31: 8/5 6/5
"""
    match = read_text(game)
    with Engine(plies=0) as engine:
        judged = analyse(match, engine)
    Matches(standard_path()).add(match, judged, now=datetime(2026, 1, 1))
    text = shell[1]("relational show details Bob")[0]
    rates = [line[41:].split() for line in text.splitlines() if " rate " in line[:41]]
    assert [rate[0] for rate in rates] == ["n/a"] * 5
    assert float(rates[0][1]) <= 0


@pytest.mark.parametrize("words", [*LEAVES, *LATER, *SHOWN, *(f"set sound sound {name}" for name in SOUNDS.split())])
def test_what_only_windows_use(shell: tuple[Interpreter, Say], words: str) -> None:
    made, say = shell
    out, err = say(f"{words} 12" if words.startswith("set") else words)
    assert out
    assert not err
    if words in LEAVES or words in LATER:
        assert made.state.options.gui == {words: "12"}


def test_sounds(shell: tuple[Interpreter, Say]) -> None:
    made, say = shell
    assert "off" in say("set sound enable no")[0]
    assert not made.state.options.sound
    say('set sound sound roll "a file.wav"')
    assert "a file.wav" in say("show sound")[0]
    say("set sound system command aplay")
    assert made.state.options.sound_command == "aplay"
