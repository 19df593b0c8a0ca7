"""The book of openings in an engine: what is in it comes from there, everything else is judged as without."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import sixprime as sp
from sixprime import settings
from sixprime.engine import PlayRequest
from sixprime.engine.presets import get_preset
from sixprime.errors import SettingsError
from sixprime.game.acts import Move, Opening
from sixprime.game.match_rules import Rules
from sixprime.game.table import Table
from sixprime.learn.openings import SCORES, OpeningBooks, opening_book
from sixprime.play import EngineSeat, LevelSeat, seat_of
from sixprime.play.seats import check_seat

START = sp.Position.start()


@pytest.fixture(scope="module")
def engine() -> sp.Engine:
    return sp.Engine(threads=1, plies=0, book=OpeningBooks())


@pytest.fixture(scope="module")
def bare() -> sp.Engine:
    return sp.Engine(threads=1, plies=0)


@pytest.mark.parametrize("score", SCORES)
def test_plays_of_the_book_stand_first(engine: sp.Engine, bare: sp.Engine, score: str) -> None:
    state = SCORES[score]
    for roll in opening_book(score).openings[::4]:
        found = engine.best_plays(roll.position, roll.dice, match=state)
        count = len(roll.plays)
        assert tuple(found[:count]) == roll.plays
        assert len(found) == len(roll.position.plays(roll.dice))
        assert {each.play for each in found} == {each.play for each in bare.best_plays(START, roll.dice, match=state)}
        for each in found[count:]:
            assert each.trials == 0
            assert each.equity_loss == pytest.approx(max(0.0, roll.best.equity - each.equity))


def test_everything_else_is_judged_as_without(engine: sp.Engine, bare: sp.Engine) -> None:
    seven = sp.MatchState(length=7)
    assert engine.best_plays(START, (3, 1), match=seven) == bare.best_plays(START, (3, 1), match=seven)
    assert engine.best_plays(START, (3, 3)) == bare.best_plays(START, (3, 3))
    assert engine.evaluate(START) == bare.evaluate(START)
    assert engine.cube_action(START) == bare.cube_action(START)
    # Whoever asks for plies wants a search.
    assert engine.best_plays(START, (3, 1), plies=0) == bare.best_plays(START, (3, 1), plies=0)


def test_many_are_asked_at_once(engine: sp.Engine, bare: sp.Engine) -> None:
    worst = bare.best_plays(START, (3, 1))[-1].play
    requests = [
        PlayRequest(START, (4, 4)),
        PlayRequest(START, (3, 1), must_include=worst),
        PlayRequest(START, (2, 1), sp.MatchState(length=5)),
        PlayRequest(START, (4, 1), SCORES["dmp"]),
    ]
    first, second, third, last = engine.rank_plays_many(requests, count=2)
    assert [len(each) for each in (first, third, last)] == [2, 2, 2]
    assert [each.trials > 0 for each in (first[0], second[0], third[0], last[0])] == [False, True, False, True]
    assert [each.play for each in second] == [*(each.play for each in opening_book().opening((3, 1)).plays), worst][:3]


def test_an_engine_says_that_it_has_a_book(engine: sp.Engine, bare: sp.Engine) -> None:
    assert engine.fingerprint == bare.fingerprint
    assert engine.identity.startswith(f"{bare.identity}, openings ")
    again = pickle.loads(pickle.dumps(engine))
    assert again.best_plays(START, (6, 4)) == engine.best_plays(START, (6, 4))
    with pytest.raises(SettingsError, match="book"):
        sp.Engine(book="openings")  # type: ignore[arg-type]


def test_the_hint_is_that_of_the_book_on_request(
    sixprime: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SIXPRIME_CONFIG", str(tmp_path))

    def told(*words: str) -> list[dict[str, Any]]:
        status, out, _ = sixprime("hint", START.id, "64", "--plies", "0", "--json", *words)
        assert status == 0
        plays: list[dict[str, Any]] = json.loads(out)["plays"]
        return plays

    assert all(not play.get("trials") for play in told())
    assert told("--book")[0]["trials"] == opening_book().opening((6, 4)).best.trials
    settings.change("hint.book", True)
    assert told()[0]["trials"] > 0


def test_a_seat_opens_by_the_book() -> None:
    seat = seat_of("small@0+book")
    assert isinstance(seat, EngineSeat)
    assert seat.engine.book is not None
    assert seat.spec.endswith("+book")
    for dice, rules in (((6, 4), Rules(1)), ((2, 1), Rules()), ((4, 3), Rules(1))):
        table = Table.new(rules).apply(Opening(dice))
        best = opening_book("dmp" if rules.length else "money").opening(dice).best.play
        assert seat.decide(table) == Move(table.state.on_roll, best)
    person = seat_of("beginner:7+book")
    assert isinstance(person, LevelSeat)
    assert person.spec == "beginner:7+book"
    assert person.engine.book is not None
    assert seat_of("beginner:7").engine.book is None  # type: ignore[union-attr]
    for text in ("small@0+book", "expert+book", "grandmaster+book", "Expert+Book"):
        check_seat(text)
    for text in ("person+book", "gnubg@2+book", "ubgi:x+book", "external:a:1+book", "+book"):
        with pytest.raises(SettingsError, match="our own levels and nets"):
            check_seat(text)
        with pytest.raises(SettingsError, match="our own levels and nets"):
            seat_of(text)


def test_a_net_that_errs_does_so_with_a_book_too() -> None:
    seat = seat_of("small@beginner+book")
    assert isinstance(seat, EngineSeat)
    assert (seat.engine.level, seat.engine.book) == (get_preset("beginner"), OpeningBooks())
    assert seat.engine.searcher.noise is not None
