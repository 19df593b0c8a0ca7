"""Matches that are played on from any of their places, and once more when they are over."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from sixprime import formats
from sixprime.errors import RulesError, SettingsError
from sixprime.game.acts import Opening, Resign
from sixprime.game.match_rules import Rules
from sixprime.game.numbering import NO_TURNS, rows
from sixprime.game.record import ActionKind, Match
from sixprime.game.table import Phase, Table
from sixprime.paths import sample_match
from sixprime.play import (
    Automation,
    Clock,
    GeneratedDice,
    ListedDice,
    ManualDice,
    Person,
    SeededDice,
    Session,
)
from sixprime.play.dice import afresh
from sixprime.play.games import today
from sixprime.play.onward import place_in, played_by, rematch, seat_named

PEOPLE = (Person("Ann"), Person("Bob"))


def sample() -> Match:
    return formats.read(sample_match())


def test_every_move_of_a_match_is_a_place(tmp_path: Path) -> None:
    match, number = sample(), 0
    for index, game in enumerate(match.games[:2]):
        numbers = rows(game.actions)
        for place, action in enumerate(game.actions):
            if action.kind in NO_TURNS:
                continue
            table = place_in(match, game.number, numbers[place], action.player).table
            assert table.position == action.position
            assert table.state.with_dice(None) == action.state.with_dice(None)
            assert sorted(table.state.dice or ()) == sorted(action.dice or ())
            assert [len(each.actions) for each in table.match.games] == [len(e.actions) for e in match.games[:index]]
            number += 1
            # It is kept and gone on with as any game.
            journal = tmp_path / f"{number}.journal"
            with Session(PEOPLE, table, journal=journal):
                pass
            assert Session.looked_at(journal).table == table
    assert number > 50


def test_a_double_and_its_answer_are_places() -> None:
    match = sample()
    for game in match.games:
        for place, action in enumerate(game.actions):
            if action.kind in (ActionKind.DOUBLE, ActionKind.TAKE, ActionKind.DROP):
                table = place_in(match, game.number, rows(game.actions)[place], action.player).table
                assert (table.turn, table.phase is Phase.DOUBLED) == (action.player, action.kind != ActionKind.DOUBLE)


def test_where_no_move_is_named() -> None:
    match = sample()
    second = place_in(match, 2)
    assert (second.table.phase, second.table.score, second.words) == (Phase.OPENING, match.games[1].score, "game 2")
    assert len(second.table.match.games) == 1
    with pytest.raises(SettingsError, match="the match is over; name a game"):
        place_in(match)
    cut = replace(match, games=(*match.games[:1], replace(match.games[1], actions=match.games[1].actions[:5])))
    cut = replace(cut, games=(cut.games[0], replace(cut.games[1], winner=None, points=0, resigned=False)))
    end = place_in(cut)
    assert (end.table.game.number, len(end.table.game.actions), end.words) == (2, 5, "the end of game 2")
    between = place_in(replace(match, games=match.games[:1]))
    assert between.table.phase is Phase.GAME_OVER
    for wrong in ((9, None), (1, 999)):
        with pytest.raises(SettingsError, match="there is no"):
            place_in(match, *wrong)


def test_what_goes_against_the_rules_before_is_left_out() -> None:
    match = sample()
    first = match.games[0]
    odd = replace(first, actions=(first.actions[0], replace(first.actions[1], illegal=True), *first.actions[2:]))
    odd_match = replace(match, games=(odd, *match.games[1:]))
    later = place_in(odd_match, 2, 3, 1)
    assert (later.left_out, later.table.match.games, later.table.score) == (1, (), match.games[1].score)
    assert later.table.position == place_in(match, 2, 3, 1).table.position
    within = place_in(odd_match, 1, 4, 0)
    known = place_in(match, 1, 4, 0).table
    assert (within.left_out, within.table.position, within.table.state) == (1, known.position, known.state)
    with pytest.raises(RulesError, match="illegal"):
        place_in(replace(odd_match, games=(replace(odd, actions=odd.actions[:3], winner=None, points=0),)))


def test_analyses_are_of_another_match() -> None:
    match = sample()
    game = match.games[0]
    marked = replace(game.actions[0], comment="bold", extras=(("sgf:XX", "1"),))
    match = replace(match, games=(replace(game, actions=(marked, *game.actions[1:])), *match.games[1:]))
    found = place_in(match, 2).table.match.games[0].actions[0]
    assert (found.comment, found.extras, found.analyses) == ("bold", (), ())


def test_who_sits_where() -> None:
    match = sample()
    table = place_in(match, 1, 2, 1).table
    names = [player.name for player in match.players]
    assert [seat_named(match, name, 1) for name in (names[0].upper(), names[1], "somebody")] == [0, 1, 1]
    assert seat_named(match, "somebody") == 0
    assert played_by(table, PEOPLE, "game 1") == f"Played on from game 1: Ann for {names[0]}, Bob for {names[1]}."
    own = Person(names[0]), Person("Bob")
    assert played_by(table, own, "game 1") == f"Played on from game 1: Bob for {names[1]}."
    assert played_by(Table.new(Rules(), ("", "")), PEOPLE, "the position") == ""


def test_a_rematch_has_all_but_dice_and_journal(tmp_path: Path) -> None:
    clock, automation = Clock(reserve=600), Automation(bear_off=True)
    rules = Rules(1, "nackgammon", cube_limit=64)
    options = {"automation": automation, "clock": clock, "journal": tmp_path / "a"}
    before = Session(PEOPLE, rules, dice=SeededDice(1), info={"event": "Club night"}, **options)
    before.submit(Opening())
    before.submit(Resign(0, 1))
    before.advance()
    again = rematch(before, tmp_path / "b")
    assert (again.seats, again.table.rules, again.automation, again.clock) == (PEOPLE, rules, automation, clock)
    assert again.table == Table.new(rules, ("Ann", "Bob"))
    assert (again.dice != before.dice, again.used, again.info) == (True, (0, 0), {"date": today()})
    assert Session.looked_at(tmp_path / "b").table == again.table


def test_dice_afresh() -> None:
    bbs = afresh(GeneratedDice("bbs", "3", "437"), 9)
    assert isinstance(bbs, GeneratedDice)
    assert (bbs.generator, bbs.modulus, bbs.seed != "3") == ("bbs", "437", True)
    assert afresh(ListedDice("112233"), 2) == ListedDice("33")
    assert afresh(ManualDice(), 2) == ManualDice()
