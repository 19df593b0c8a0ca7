"""Frozen values hold nothing that can be written to: no array, no list, no dictionary, however deep."""

from __future__ import annotations

import copy
import dataclasses
import json
import pickle
from datetime import UTC, datetime
from typing import Any

import msgspec
import numpy as np
import pytest

from sixprime import Engine, Match, Player, Position, RolloutSettings, SettingsError, analyse, read, sample_match
from sixprime.bearoff import one_sided
from sixprime.cube.jump import JumpModel, take_point
from sixprime.cube.jump_exact import solve
from sixprime.frozen import FrozenDict
from sixprime.learn.deck import Deck, Review
from sixprime.learn.openings import opening_book
from sixprime.learn.schedule import Rating
from sixprime.theory import cube_theory, explain, market_losers

POSITION = Position.from_id("4HPwATDgc/ABMA")


def loose(value: object, where: str = "value") -> list[str]:
    """Where a value can be written to."""
    if isinstance(value, np.ndarray):
        return [where] if value.flags.writeable else []
    if isinstance(value, FrozenDict):
        return [found for key, each in value.items() for found in loose(each, f"{where}[{key!r}]")]
    if isinstance(value, (list, dict, set, bytearray)):
        return [where]
    if isinstance(value, tuple):
        return [found for number, each in enumerate(value) for found in loose(each, f"{where}[{number}]")]
    if dataclasses.is_dataclass(value):
        names = [each.name for each in dataclasses.fields(value)]
        return [found for name in names for found in loose(getattr(value, name), f"{where}.{name}")]
    return []


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine(plies=0)


MAKERS: dict[str, Any] = {
    "match": lambda _: Match((Player("a"), Player("b")), 5, (), info={"event": "x"}),
    "sample": lambda engine: analyse(read(sample_match()), engine),
    "book": lambda _: opening_book("dmp"),
    "rollout": lambda engine: engine.rollout(POSITION, settings=RolloutSettings(trials=36)),
    "side": lambda _: one_sided().side((3, 2, 0, 0, 0, 0)),
    "theory": lambda engine: cube_theory(engine, POSITION),
    "losers": lambda engine: market_losers(engine, POSITION, plies=0),
    "explanation": lambda engine: explain(engine, POSITION, (3, 1), POSITION.plays((3, 1))[0]),
    "exact": lambda _: solve(1.2, 1.3, 0.1, n=20),
    "table": lambda engine: engine.met,
}


@pytest.mark.parametrize("name", MAKERS)
def test_values_are_frozen_throughout(name: str, engine: Engine) -> None:
    value = MAKERS[name](engine)
    assert loose(value) == []
    again = pickle.loads(pickle.dumps(value))
    assert (again, hash(again)) == (value, hash(value))
    assert value != "another"


def test_the_search_finds_what_is_loose() -> None:
    array = np.zeros(2)
    assert loose((array, FrozenDict(a=[1], b=1), {})) == ["value[0]", "value[1]['a']", "value[2]"]


def test_a_frozen_dictionary_refuses_and_is_otherwise_a_dictionary() -> None:
    found = FrozenDict({"a": 1, "b": 2})
    for change in (
        lambda: found.__setitem__("a", 2),
        lambda: found.__delitem__("a"),
        lambda: found.update(a=2),
        lambda: found.setdefault("c", 2),
        lambda: found.pop("a"),
        found.popitem,
        found.clear,
    ):
        with pytest.raises(TypeError, match="a FrozenDict cannot be changed"):
            change()
    with pytest.raises(TypeError, match="cannot be changed"):
        found |= {"c": 3}
    assert found == {"a": 1, "b": 2} == dict(found)
    assert type(found | {"c": 3}) is dict
    assert hash(found) == hash(FrozenDict({"b": 2, "a": 1}))
    for again in (pickle.loads(pickle.dumps(found)), copy.copy(found), copy.deepcopy(found)):
        assert type(again) is FrozenDict
        assert again == found
    assert (
        json.dumps(found)
        == '{"a": 1, "b": 2}'
        == msgspec.json.encode(found).decode().replace(":", ": ").replace(",", ", ")
    )


def test_a_match_keeps_what_it_was_given() -> None:
    info = {"event": "x"}
    match = Match((Player("a"), Player("b")), 5, (), info=info)
    info["event"] = "y"
    assert match.info == {"event": "x"}
    assert hash(match) == hash(pickle.loads(pickle.dumps(match)))
    with pytest.raises(SettingsError, match="info must be a dictionary of texts"):
        Match((Player("a"), Player("b")), 5, (), info=None)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: take_point("a", 1, 0.1), "win must be a number from 1"),
        (lambda: take_point(1, 1, None), "volatility must be a number from 0"),
        (lambda: take_point(1, float("nan"), 0.1), "loss must be a number from 1"),
        (lambda: JumpModel(None, 1, 0.1), "win must be a number from 1 to 3"),
        (lambda: JumpModel(1, 1, 0.1, kind="cubic"), "kind must be linear or nonlinear"),
        (lambda: JumpModel(1, 1, 0.1, state=7), "state must be a CubeState"),
        (lambda: JumpModel(1, 1, 0.1).value(0.5, 2), "owner must be a whole number from -1 to 1"),
        (lambda: solve(1, 1, "x"), "volatility must be a number"),
        (lambda: solve(1, 1, 0.1, n=2.5), "n must be a whole number from 4"),
        (lambda: solve(1, 1, 0.1, density="flat"), "density must be double-exponential or gaussian"),
        (lambda: solve(1, 1, 0.1, n=20).value(0.5, 3), "owner must be a whole number from -1 to 1"),
        (lambda: Deck().added([1]), r"questions\[0\] must be a Question"),
        (lambda: Deck().added(1), "questions must be a sequence"),
        (lambda: Deck().without([1]), r"ids\[0\] must be the ID of a question"),
        (lambda: Deck().of(topics="prime"), "topics must be a sequence"),
        (lambda: Deck().reviewed(1, Review(datetime.now(UTC), "", 0, 0, Rating.GOOD)), r"questions\[0\] must be a Q"),
        (lambda: Deck().reviewed(1, 2), "review must be a Review"),
        (lambda: opening_book().roll("start", (3, 1)), "position must be a Position"),
        (lambda: opening_book().roll(Position.start(), (3, 7)), "two numbers from 1 to 6"),
    ],
)
def test_arguments_of_another_kind_are_refused(call: Any, says: str) -> None:
    with pytest.raises(SettingsError, match=says):
        call()


def test_a_book_takes_the_dice_in_any_order() -> None:
    book = opening_book()
    assert book.roll(Position.start(), (1, 3)) is book.roll(Position.start(), (3, 1)) is not None
