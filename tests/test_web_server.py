"""The server behind `sixprime web`: sittings, streams, reports, and those who should not get in."""

from __future__ import annotations

import errno
import json
import logging
import queue
import re
import threading
import time
from base64 import b64decode
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette")
pytest.importorskip("httpx2")

import msgspec
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient

from sixprime import Engine, analyse, formats, load_analysis
from sixprime.engine.filters import MAX_PLIES
from sixprime.errors import EngineError, ParseError, RulesError
from sixprime.game import Position, parse
from sixprime.kernels._objects import tell
from sixprime.learn.openings import opening_book
from sixprime.nets.names import path_of
from sixprime.paths import sample_match
from sixprime.play import Session
from sixprime.settings.file import change, value_of
from sixprime.store import library, relational
from sixprime.web import messages as m
from sixprime.web.app import create_app
from sixprime.web.desk import MOST, Busy, Desk, Work
from sixprime.web.guard import BODY, Access
from sixprime.web.house import House
from sixprime.web.openapi import ERRORS
from sixprime.web.operations import API, OPERATIONS
from sixprime.web.reports import Reports
from sixprime.web.server import access_for, config_of, serve
from sixprime.web.sittings import WINDOWS

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")
HOME = "http://127.0.0.1:8640"
RACE = "XGID=-BB--------------------bb-:0:0:1:00:0:0:0:1:10"
START = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:7:10"


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    made = House(folder=tmp_path, threads=1)
    yield made
    made.close()


@pytest.fixture
def ask(house: House) -> Iterator[TestClient]:
    with TestClient(create_app(house), base_url=HOME) as client:
        yield client


def told(client: TestClient, key: str) -> dict[str, Any]:
    found = client.get(f"{API}/sittings/{key}")
    assert found.status_code == 200, found.text
    msgspec.convert(found.json(), m.Told)
    answer: dict[str, Any] = found.json()
    return answer


def sit_down(client: TestClient, **asked: Any) -> str:
    found = client.post(f"{API}/sittings", json={"name": "Ann", "seed": 7, **asked})
    assert found.status_code == 200, found.text
    return str(found.json()["key"])


def until(look: Callable[[], Any], wanted: Callable[[Any], bool]) -> Any:
    """What is seen once it is as wanted."""
    for _ in range(3000):  # kernels may have to be compiled meanwhile
        seen = look()
        if wanted(seen):
            return seen
        time.sleep(0.02)
    raise AssertionError(f"still {seen}")


def begin(client: TestClient, house: House, **asked: Any) -> str:
    """A sitting at which somebody looks on."""
    key = sit_down(client, **asked)
    house.sitting(key).open_window(lambda: None, key)
    until(lambda: told(client, key), lambda seen: bool(seen["acts"]))
    return key


def act(client: TestClient, key: str, do: str, **more: Any) -> Any:
    number = told(client, key)["number"]
    return client.post(f"{API}/sittings/{key}/acts", json={"do": do, "number": number, **more})


def test_a_match_is_played_and_reported(ask: TestClient, house: House) -> None:
    key = begin(ask, house, opponent="person", length=1, position=RACE)
    for _ in range(30):
        seen = until(lambda: told(ask, key), lambda seen: bool(seen["acts"]) or seen["over"])
        if seen["over"]:
            break
        if "roll" in seen["acts"]:
            # Where nobody may double the dice roll by themselves, and may have done so meanwhile.
            assert act(ask, key, "roll").status_code == 200 or "roll" not in told(ask, key)["acts"]
            continue
        entry = seen["entry"]
        while not entry["done"]:
            source = entry["sources"][0]
            asked = {"dice": entry["dice"], "moves": entry["moves"], "do": "move", "start": source["point"]}
            entry = ask.post(f"{API}/sittings/{key}/entry", json=asked).json()
        assert act(ask, key, "play", play=entry["play"]).status_code == 200
    assert seen["over"]
    assert seen["winner"] in (0, 1)
    assert "wins the match" in seen["prompt"]
    begun = ask.post(f"{API}/sittings/{key}/report").json()
    done = until(lambda: ask.get(f"{API}/reports/{begun['key']}").json(), lambda r: r["state"] != "working")
    assert done["state"] == "ready", done
    page = ask.get(f"/reports/{begun['key']}")
    assert "Ann" in page.text
    assert "unsafe" not in page.headers["content-security-policy"]
    assert "1 point match" in ask.get(f"{API}/sittings/{key}/record").json()["text"]


def test_a_program_answers_and_a_play_is_taken_back(ask: TestClient, house: House) -> None:
    key = begin(ask, house, opponent="beginner", length=3, position=START)
    seen = told(ask, key)
    assert seen["acts"] == ["play"]
    assert seen["programs"] in ([True, False], [False, True])
    played = act(ask, key, "play", play="8/5 6/5")
    assert played.status_code == 200
    seen = until(lambda: told(ask, key), lambda seen: bool(seen["acts"]) and seen["number"] > 2)
    assert any("plays" in line for line in seen["lines"])
    assert seen["undo"]
    assert act(ask, key, "undo").status_code == 200
    assert told(ask, key)["entry"]["dice"] == [3, 1]


def test_games_go_on_after_the_server_was_killed(ask: TestClient, house: House, tmp_path: Path) -> None:
    key = begin(ask, house, opponent="person", length=5, position=START)
    act(ask, key, "play", play="8/5 6/5")
    before = told(ask, key)
    house.close()
    del house._open[next(iter(house._open))]
    again = House(folder=tmp_path, threads=1)
    with TestClient(create_app(again), base_url=HOME) as client:
        after = told(client, key)
        listed = client.get(f"{API}/sittings").json()["sittings"]
    same = ("number", "phase", "turn", "board", "names", "moves")
    assert {name: after[name] for name in same} == {name: before[name] for name in same}
    assert [each["key"] for each in listed] == [key]


def test_the_guest_plays_his_own_side_alone(ask: TestClient, house: House) -> None:
    opened = ask.post(f"{API}/sittings", json={"opponent": "invited", "length": 1, "position": START}).json()
    own, guest = opened["key"], opened["invitation"]
    house.sitting(own).open_window(lambda: None, own)
    seen, theirs = told(ask, own), told(ask, guest)
    assert set(seen["mine"]).isdisjoint(theirs["mine"])
    assert seen["invitation"] == guest
    assert theirs["invitation"] is None
    assert theirs["acts"] == []
    assert theirs["entry"] is None
    refused = act(ask, guest, "play", play="8/5 6/5")
    assert refused.status_code == 409
    assert "not your turn" in refused.json()["error"]["message"]
    assert act(ask, own, "play", play="8/5 6/5").status_code == 200
    assert act(ask, own, "roll").status_code == 409
    assert act(ask, guest, "undo").status_code == 409


@pytest.mark.parametrize("length", [1, 7])
def test_nothing_is_taken_back_once_the_other_has_dice_or_a_cube(ask: TestClient, house: House, length: int) -> None:
    position = START.replace(":7:10", f":{length}:10")
    opened = ask.post(f"{API}/sittings", json={"opponent": "invited", "position": position, "tutor": False}).json()
    own, guest = opened["key"], opened["invitation"]
    house.sitting(own).open_window(lambda: None, own)
    until(lambda: told(ask, own), lambda seen: "play" in seen["acts"])
    act(ask, own, "play", play="8/5 6/5")
    if length == 1:  # nobody can double, so the dice roll by themselves
        until(lambda: told(ask, guest), lambda seen: bool(seen["board"]["dice"]))
    else:
        assert told(ask, own)["undo"]
        act(ask, guest, "double")
        assert act(ask, guest, "undo").status_code == 409
    assert not told(ask, own)["undo"]
    assert act(ask, own, "undo").status_code == 409
    if length == 7:
        act(ask, own, "take")
        until(lambda: told(ask, guest), lambda seen: bool(seen["board"]["dice"]))
        assert not told(ask, guest)["undo"]  # his roll cannot become another double


def test_the_guest_is_not_taken_for_the_host(ask: TestClient, house: House) -> None:
    for name in ("", "you"):
        opened = ask.post(f"{API}/sittings", json={"opponent": "invited", "length": 1, "name": name}).json()
        assert told(ask, opened["invitation"])["names"] == ["Host", "Guest"]


def test_dice_that_are_thrown_by_hand(ask: TestClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By what is asked or by the settings; those of a program are told by whoever made the sitting."""
    monkeypatch.setenv("SIXPRIME_CONFIG", str(tmp_path))
    own = sit_down(ask, opponent="person", by_hand=True)
    assert told(ask, own)["throws"] == "open"
    assert act(ask, own, "roll", dice=[3, 1]).status_code == 409
    assert act(ask, own, "open", dice=[7, 1]).status_code == 400
    assert act(ask, own, "open").status_code == 409
    act(ask, own, "open", dice=[2, 2])
    assert told(ask, own)["throws"] == "open"  # a tie
    act(ask, own, "open", dice=[3, 1])
    seen = told(ask, own)
    assert (seen["turn"], seen["board"]["dice"], seen["throws"]) == (0, [3, 1], "")
    act(ask, own, "play", play="8/5 6/5")
    seen = told(ask, own)
    assert (seen["throws"], seen["acts"]) == ("roll", ["double"])
    assert seen["prompt"].endswith("Tell your dice, or double.")
    assert act(ask, own, "roll").status_code == 409
    assert act(ask, own, "roll", dice=[6, 6]).status_code == 200
    assert told(ask, own)["board"]["dice"] == [6, 6]
    act(ask, own, "undo")
    assert act(ask, own, "roll", dice=[2, 1]).status_code == 200
    change("play.dice", "manual")
    own = sit_down(ask, opponent="beginner")
    act(ask, own, "open", dice=[1, 6])
    assert told(ask, own)["moves"][0]["player"] == 1  # who may have played by now
    assert told(ask, sit_down(ask, opponent="person", by_hand=False))["throws"] == ""


def test_whoever_is_invited_tells_his_own_dice(ask: TestClient) -> None:
    opened = ask.post(f"{API}/sittings", json={"opponent": "invited", "by_hand": True}).json()
    own, guest = opened["key"], opened["invitation"]
    assert told(ask, guest)["throws"] == ""
    assert act(ask, guest, "open", dice=[3, 1]).status_code == 409
    act(ask, own, "open", dice=[3, 1])
    act(ask, own, "play", play="8/5 6/5")
    assert [told(ask, key)["throws"] for key in (own, guest)] == ["", "roll"]
    assert act(ask, own, "roll", dice=[3, 1]).status_code == 409
    assert act(ask, guest, "roll", dice=[4, 2]).status_code == 200


def test_who_uses_the_time_up_loses(ask: TestClient, house: House) -> None:
    key = sit_down(ask, opponent="person", position=START, minutes=0.02, name="Ann")
    assert told(ask, key)["clock"]["running"] is None
    house.sitting(key).open_window(print, key)
    seen = until(lambda: told(ask, key), lambda seen: seen["over"])
    assert (seen["late"], seen["winner"], seen["turn"], seen["acts"], seen["undo"]) == (1, 0, None, [], False)
    assert (seen["phase"], seen["prompt"]) == ("match over", "The time of Ann is over: Guest wins the match.")
    assert seen["lines"][-1] == seen["prompt"]
    refused = act(ask, key, "play", play="8/5 6/5")
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "not_allowed")
    assert [each["over"] for each in ask.get(f"{API}/sittings").json()["sittings"]] == [True]
    assert house.sitting(key).session.record().info["comment"].startswith("Ann used the time up")


def test_time_runs_while_somebody_looks_on_and_the_guest_is_there(ask: TestClient, house: House) -> None:
    key = sit_down(ask, opponent="invited", position=START, minutes=0.01, name="Ann")
    sitting, changes = house.sitting(key), []
    invitation = told(ask, key)["invitation"]
    hear = lambda: changes.append(sitting.version)  # noqa: E731
    sitting.open_window(hear, key)
    assert sitting.session.paused
    assert act(ask, key, "play", play="8/5 6/5").status_code == 200
    assert sitting.session.paused
    assert told(ask, key)["clock"]["running"] is None
    sitting.open_window(print, invitation)
    assert told(ask, key)["clock"]["running"] == 0
    sitting.close_window(hear)
    assert not sitting.session.paused
    sitting.close_window(print)
    assert sitting.session.paused
    # Nobody asks: the windows are told of it all the same.
    sitting.open_window(hear, key)
    until(lambda: [*sitting.lines], lambda lines: "The time of Guest is over: Ann wins the match." in lines)
    assert changes[-1] == sitting.version
    assert told(ask, key)["late"] == 0


def test_what_is_played_is_saved(ask: TestClient, house: House) -> None:
    key = sit_down(ask, opponent="person", length=3, name="Ann", seed=1)
    where = f"{API}/sittings/{key}/file"
    house.sitting(key).open_window(print, key)
    seen = until(lambda: told(ask, key), lambda seen: seen["phase"] == "play")
    play = str(house.sitting(key).session.table.legal().plays[0])
    assert act(ask, key, "play", play=play).status_code == 200
    record = house.sitting(key).session.record()
    for form in ask.get(f"{API}/about").json()["formats"]:
        answer = ask.post(where, json={"form": form["name"]})
        assert answer.status_code == 200, answer.text
        file = answer.json()
        assert file["name"].startswith("Ann_-_Guest.")
        if form["name"] in ("mat", "sgf"):
            (game,) = formats.read_text(b64decode(file["content"])).games
            assert [each.play for each in game.actions] == [each.play for each in record.games[0].actions]
    assert seen["names"] == ["Ann", "Guest"]
    assert ask.post(where, json={"form": "none"}).json()["error"]["code"] == "out_of_range"


def test_nothing_is_saved_before_anything_is_played(ask: TestClient) -> None:
    key = sit_down(ask, opponent="person", by_hand=True)
    refused = ask.post(f"{API}/sittings/{key}/file", json={"form": "mat"})
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "not_allowed")


def test_what_is_asked_comes_before_the_settings(
    ask: TestClient, house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SIXPRIME_CONFIG", str(tmp_path / "settings"))
    for name, value in (("tutor", True), ("cube_limit", 1), ("reserve", 10.0), ("loses", False), ("length", 9)):
        change(f"play.{name}", value)
    seen = told(ask, sit_down(ask, opponent="person"))
    assert (seen["tutor"], seen["board"]["cube"], seen["board"]["length"]) == (True, 0, 9)
    assert (seen["clock"]["left"], seen["clock"]["loses"]) == ([600, 600], False)
    assert told(ask, sit_down(ask, opponent="person", loses=True))["clock"]["loses"]
    seen = told(ask, sit_down(ask, opponent="person", tutor=False, cube=True, minutes=0, length=3))
    assert (seen["tutor"], seen["board"]["cube"], seen["board"]["length"]) == (False, 1, 3)
    assert seen["clock"] is None


def test_rules_of_a_new_game_are_asked_for(ask: TestClient) -> None:
    board = told(ask, sit_down(ask, opponent="person", length=0, beavers=1, cube_limit=8))["board"]
    assert (board["length"], board["beavers"], board["cube_limit"], board["cube"]) == (0, 1, 8, 1)
    board = told(ask, sit_down(ask, opponent="person", length=0, cube=False, cube_limit=8))["board"]
    assert (board["cube_limit"], board["cube"]) == (1, 0)
    refused = ask.post(f"{API}/sittings", json={"opponent": "person", "cube_limit": 7})
    assert (refused.status_code, refused.json()["error"]["code"]) == (400, "out_of_range")


def test_an_id_of_chequers_alone_leaves_the_rest_to_what_is_asked(ask: TestClient) -> None:
    asked = {"opponent": "person", "length": 3, "cube": False}
    board = told(ask, sit_down(ask, position="4HPwATDgc/ABMA", **asked))["board"]
    assert (board["length"], board["cube"]) == (3, 0)
    board = told(ask, sit_down(ask, position=START, **asked))["board"]
    assert (board["length"], board["cube"]) == (7, 1)


@pytest.mark.parametrize(
    ("place", "body", "wanted"),
    [
        ("positions", {"board": {"counts": [[0] * 26] * 2, "mover": 0, "length": -1}}, "of at least 0"),
        ("positions", {"board": {"counts": [[0] * 26] * 2, "mover": 2}}, "board.mover must be a whole number"),
        ("positions", {"board": {"counts": [[0], [0]], "mover": 0}}, "board.counts must be a list of a length of at"),
        ("positions", {"text": 3}, "text must be a text."),
        ("sittings", {"name": "W" * 50}, "name must be a text of a length of at most 40."),
        ("sittings", {"jacoby": 3}, "jacoby must be true or false or nothing."),
        ("sittings", [], "what is sent must be an object."),
        ("sittings/x/acts", {"do": "fly"}, "do cannot be 'fly'."),
        ("sittings/x/acts", {"do": "roll"}, "number is missing."),
        ("sittings/x/acts", '{"do": "roll", "number": 1e400}', "number: number out of range."),
    ],
)
def test_what_a_field_has_to_be_is_said_in_words(ask: TestClient, place: str, body: Any, wanted: str) -> None:
    text = body if isinstance(body, str) else json.dumps(body)
    answer = ask.post(f"{API}/{place}", content=text, headers={"content-type": "Application/JSON"})
    said = answer.json()["error"]["message"]
    assert answer.status_code == 400
    assert wanted in said
    assert not set("`$<>") & set(said)


def test_what_is_no_text_is_no_json(ask: TestClient) -> None:
    answer = ask.post(f"{API}/positions", content=b'{"text": "\xff"}', headers={"content-type": "application/json"})
    assert answer.status_code == 400


def test_a_game_that_another_process_holds(ask: TestClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def held(path: Path) -> Session:
        raise BlockingIOError(errno.EWOULDBLOCK, "is in use by another process", str(path))

    key = sit_down(ask, opponent="person")
    (journal,) = tmp_path.glob("*.journal")
    monkeypatch.setattr(Session, "resume", held)
    other = House(folder=tmp_path, threads=1)
    with TestClient(create_app(other), base_url=HOME) as client:
        answer = client.get(f"{API}/sittings/{key}")
    other.close()
    assert answer.status_code == 503
    assert "another process" in answer.text
    assert journal.name not in answer.text


def test_an_act_that_comes_too_late_is_refused(ask: TestClient, house: House) -> None:
    key = begin(ask, house, opponent="person", position=START)
    number = told(ask, key)["number"]
    asked = {"do": "play", "number": number, "play": "8/5 6/5"}
    assert ask.post(f"{API}/sittings/{key}/acts", json=asked).status_code == 200
    late = ask.post(f"{API}/sittings/{key}/acts", json=asked)
    assert late.status_code == 409
    assert "changed meanwhile" in late.json()["error"]["message"]


def test_the_tutor_warns_and_hints_are_ranked(ask: TestClient, house: House) -> None:
    key = begin(ask, house, opponent="person", position=START, tutor=True)
    warned = act(ask, key, "play", play="13/10 6/5").json()["warned"]
    assert warned["better"] == "8/5 6/5"
    assert warned["loss"] > 0.05
    hint = ask.post(f"{API}/sittings/{key}/hint").json()
    assert hint["options"][0]["words"] == "8/5 6/5"
    assert hint["options"][0]["loss"] == 0
    assert act(ask, key, "play", play="13/10 6/5", anyway=True).json()["warned"] is None


def test_hints_know_the_openings_where_the_settings_say_so(
    ask: TestClient, house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SIXPRIME_CONFIG", str(tmp_path / "settings"))
    position = START.replace(":31:", ":41:").replace(":7:10", ":1:10")
    known = [each.equity for each in opening_book("dmp").opening((4, 1)).plays[:2]]
    for book in (False, True):
        change("play.tutor_book", book)
        key = begin(ask, house, opponent="person", position=position)
        hint = ask.post(f"{API}/sittings/{key}/hint").json()
        said = [option["equity"] for option in hint["options"][:2]]
        assert (said == pytest.approx(known, abs=1e-4)) == book


def test_a_guest_has_a_tutor_of_his_own(ask: TestClient, house: House, tmp_path: Path) -> None:
    asked = {"opponent": "invited", "length": 1, "position": START, "tutor": True, "hints": True}
    opened = ask.post(f"{API}/sittings", json=asked).json()
    host, guest = opened["key"], opened["invitation"]

    def tutors() -> list[bool]:
        return [told(ask, key)["tutor"] for key in (host, guest)]

    def switch(key: str, on: bool) -> None:
        assert ask.post(f"{API}/sittings/{key}/tutor", json={"on": on}).json()["tutor"] is on

    assert tutors() == [True, False]
    switch(guest, True)
    switch(host, False)
    assert tutors() == [False, True]
    # Each is warned by his own.
    turn = told(ask, host)["turn"]
    mine, other = (host, guest) if told(ask, host)["mine"] == [turn] else (guest, host)
    switch(mine, False)
    switch(other, True)
    assert act(ask, mine, "play", play="13/10 6/5").json()["warned"] is None
    assert act(ask, mine, "undo").status_code == 200
    switch(mine, True)
    switch(other, False)
    assert act(ask, mine, "play", play="13/10 6/5").json()["warned"]["better"] == "8/5 6/5"
    house.close()
    house._open.clear()
    again = House(folder=tmp_path, threads=1)
    assert [again.sitting(key).told(key).tutor for key in (mine, other)] == [True, False]
    again.close()


def test_people_at_two_devices_play_without_hints(ask: TestClient, house: House, tmp_path: Path) -> None:
    asked = {"opponent": "invited", "length": 1, "position": RACE, "tutor": True, "name": "Ann", "guest": " Bob "}
    opened = ask.post(f"{API}/sittings", json=asked).json()
    keys = opened["key"], opened["invitation"]

    def refused(key: str) -> set[int]:
        asks = (("hint", None), ("report", None), ("tutor", {"on": True}))
        return {ask.post(f"{API}/sittings/{key}/{what}", json=body).status_code for what, body in asks}

    for key in keys:
        house.sitting(key).open_window(partial(print, key), key)
    assert told(ask, keys[1])["names"] == ["Bob", "Ann"]
    for _ in range(100):
        seen = until(lambda: told(ask, keys[0]), lambda seen: seen["over"] or seen["turn"] is not None)
        if seen["over"]:
            break
        assert (seen["hints"], seen["tutor"]) == (False, False)
        assert [refused(key) for key in keys] == [{409}, {409}]
        key = keys[0] if seen["turn"] in seen["mine"] else keys[1]
        table = house.sitting(key).session.table
        plays = table.legal().plays
        answer = act(ask, key, "play", play=str(plays[0])) if plays else act(ask, key, "roll")
        assert answer.status_code in (200, 409)
    assert told(ask, keys[1])["hints"]
    assert ask.post(f"{API}/sittings/{keys[1]}/report").status_code == 200
    house.close()
    again = House(folder=tmp_path, threads=1)
    assert not again.sitting(keys[0]).keys.hints
    again.close()


def test_people_at_one_screen_may_agree_on_no_hints(ask: TestClient) -> None:
    assert told(ask, sit_down(ask, opponent="person", position=START))["hints"]
    key = sit_down(ask, opponent="person", position=START, hints=False, guest="Bob")
    assert not told(ask, key)["hints"]
    assert told(ask, key)["names"] == ["Bob", "Ann"]
    assert ask.post(f"{API}/sittings/{key}/hint").status_code == 409


def test_entries_are_made_by_clicks_and_by_texts(ask: TestClient) -> None:
    board = ask.post(f"{API}/positions", json={"text": START}).json()["board"]
    asked: dict[str, Any] = {"dice": [3, 1], "moves": [], "board": board}

    def enter(**more: Any) -> Any:
        found = ask.post(f"{API}/positions/entry", json=asked | more)
        return found.json() if found.status_code == 200 else found.json()["error"]["message"]

    first = enter(do="move", start=8)
    assert first["moves"] == [{"start": 8, "end": 5, "first": 3}]
    assert first["left"] == [1]
    assert not first["done"]
    second = enter(moves=first["moves"], do="move", start=6)
    assert second["done"]
    assert second["play"] == "8/5 6/5"
    assert second["used"] == [True, True]
    assert enter(moves=second["moves"], do="back")["moves"] == first["moves"]
    assert enter(do="text", text="8 6")["play"] == "8/5 6/5"
    assert enter(do="swap")["dice"] == [1, 3]
    assert "No legal play moves a chequer from 8 to 2" in enter(do="move", start=8, end=2)


def pieces(client: TestClient, **asked: Any) -> list[dict[str, Any]]:
    found = client.get(f"{API}/analysis", params=asked)
    assert found.status_code == 200, found.text
    events = [json.loads(line[6:]) for line in found.text.splitlines() if line.startswith("data: ")]
    return [each for each in events if each["kind"] != "compiling"]


def test_an_analysis_gets_deeper_and_is_rolled_out(ask: TestClient) -> None:
    found = pieces(ask, id=START, plies=1, trials=72, count=2, page="a")
    assert [each["kind"] for each in found] == ["plays", "plays", "rollout", "rollout", "end"]
    assert found[0]["plays"][0]["play"] == "8/5 6/5"
    assert [each["rollout"]["trials"] for each in found[2:4]] == [36, 72]
    deepest = pieces(ask, id=RACE, plies=MAX_PLIES)
    assert [each["kind"] for each in deepest] == ["cube"] * (MAX_PLIES + 1) + ["end"]
    assert ask.get(f"{API}/analysis", params={"id": RACE, "plies": MAX_PLIES + 1}).status_code == 400
    cube = pieces(ask, id=START, plies=0, cube=1)
    assert cube[0]["kind"] == "cube"
    assert len(cube[0]["rows"]) == 3


@pytest.mark.parametrize("name", ["board", "cube", "temperature", "scores", "losers"])
def test_pictures(ask: TestClient, name: str) -> None:
    found = ask.get(f"{API}/pictures/{name}.svg", params={"id": RACE.replace(":1:10", ":0:10")})
    assert found.status_code == 200, found.text[:200]
    assert found.text.startswith("<svg")
    assert "unsafe" not in found.headers["content-security-policy"]


def test_maps_of_scores_have_the_cube_of_the_position(ask: TestClient) -> None:
    """Nobody doubles whose opponent owns the cube."""
    params = {"id": "XGID=-BB--------------------bb-:1:-1:1:00:0:0:0:0:10"}
    assert "2-away 3-away: the opponent owns the cube" in ask.get(f"{API}/pictures/scores.svg", params=params).text


def test_a_file_becomes_a_report(ask: TestClient, house: House) -> None:
    begun = ask.post(f"{API}/reports", content=sample_match().read_bytes()[:2000])
    assert begun.status_code == 200, begun.text
    bad = ask.post(f"{API}/reports", content=b"\0\1\2 no match at all")
    assert bad.status_code == 400
    assert bad.json()["error"]["code"] == "unreadable"


@pytest.mark.parametrize("text", ["(;FF[4]GM[6]AP[x](;", " 3 point match\n\n Game 1\n Ann : 0    Bob : 0\n"])
def test_a_file_without_a_play_is_no_match(ask: TestClient, sixprime: Any, tmp_path: Path, text: str) -> None:
    refused = ask.post(f"{API}/reports", content=text.encode())
    assert refused.status_code == 400
    assert "holds no game to analyse" in refused.json()["error"]["message"].lower()
    assert ask.get(f"{API}/reports").json()["reports"] == []
    (tmp_path / "file").write_text(text)
    told = sixprime("analyse", str(tmp_path / "file"))
    assert told.status == 1
    assert "holds no game to analyse" in told.err


def test_every_match_of_a_file_becomes_a_report(ask: TestClient, house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sixprime.web.house._TOGETHER", 2)
    match = " 3 point match\n\n Game 1\n {} : 0     Bob : 0\n  1) 31: 8/5 6/5    64: 24/18 13/9\n"
    text = "\n".join(match.format(name) for name in ("Ann", "Cem", "Dora"))
    begun = ask.post(f"{API}/reports", content=text.encode()).json()
    assert (begun["key"], begun["matches"]) == (begun["reports"][0], 3)
    assert [house.reports.get(key).about.names[0] for key in begun["reports"]] == ["Ann", "Cem"]
    alone = ask.post(f"{API}/reports", content=match.format("Ann").encode()).json()
    assert (alone["reports"], alone["matches"]) == ([], 1)


def test_a_match_that_cannot_be_judged_says_why_and_is_kept_no_longer(ask: TestClient, house: House) -> None:
    text = " 99 point match\n\n Game 1\n Ann : 0     Bob : 0\n  1) 31: 8/5 6/5    64: 24/18 13/9\n"
    key = ask.post(f"{API}/reports", content=text.encode()).json()["key"]
    until(lambda: ask.get(f"{API}/reports/{key}").json(), lambda told: told["state"] == "failed")
    assert "ends at 64 points" in ask.get(f"{API}/reports/{key}").json()["problem"]
    house.reports.follow(house.reports.get(key), lambda: None)
    assert house.reports.get(key).told.state == "failed"
    assert ask.get(f"{API}/results").json()["reports"] == []


def test_a_match_stays_where_it_is_not_the_match_that_is_wrong(tmp_path: Path) -> None:
    """What passes, as a cluster that was lost, costs nobody a report, and a page that is opened anew tries again."""
    asked = []

    def lost() -> Engine:
        asked.append(1)
        raise EngineError("the cluster is gone")

    folder = tmp_path / "reports"
    reports = Reports(folder, lost, lambda report: None)
    report = reports.analyse(formats.read(sample_match()))
    kept = {path.name for path in folder.iterdir()}
    assert kept
    reports.follow(report)
    until(lambda: report.told, lambda told: told.state == "failed")
    assert report.told.problem == "The cluster is gone."
    reports.follow(report)
    assert (report.told.state, len(asked)) == ("failed", 1)
    reports.follow(report, lambda: None)
    until(lambda: report.told, lambda told: told.state == "failed" and len(asked) == 2)
    reports.close()
    assert {path.name for path in folder.iterdir()} == kept


@pytest.mark.parametrize("more", [{"opponent": "expert"}, {"opponent": "expert", "player": "casual"}])
def test_programs_play_no_match_beyond_their_tables(ask: TestClient, more: dict[str, str]) -> None:
    refused = ask.post(f"{API}/sittings", json={"length": 65} | more)
    assert refused.status_code == 400
    assert "up to 64 points to go" in refused.json()["error"]["message"]
    assert ask.post(f"{API}/sittings", json={"length": 64} | more).status_code == 200
    assert ask.post(f"{API}/sittings", json={"length": 999, "opponent": "person"}).status_code == 200


def test_a_file_of_one_position_is_no_match(ask: TestClient) -> None:
    """It has no decisions to be judged; the page analyses it."""
    folder = Path(__file__).parent / "data/positions"
    octets = {"content-type": "application/octet-stream"}
    for data in (START.encode(), *((folder / name).read_bytes() for name in ("decisions.snowiepos", "b1.pos"))):
        found = ask.post(f"{API}/reports", content=data, headers=octets).json()
        assert found["key"] == ""
        assert ask.post(f"{API}/positions", json={"text": found["xgid"]}).json()["problems"] == []
    line = (folder / "decisions.snowiepos").read_text().splitlines()[0]
    assert ask.post(f"{API}/positions", json={"text": line}).json()["board"]["length"] == 7
    assert ask.get(f"{API}/reports").json()["reports"] == []
    refused = ask.post(f"{API}/positions", json={"text": "nothing"}).json()
    assert "no position ID" in refused["error"]["message"]


@pytest.mark.parametrize("variant", ["standard", "hypergammon1", "hypergammon2", "hypergammon3"])
def test_a_game_begins_where_its_rules_say(ask: TestClient, variant: str) -> None:
    start = Position.start(variant)
    read = ask.post(f"{API}/positions", json={"start": True, "chequers": start.chequers}).json()
    assert (read["board"]["chequers"], read["board"]["dice"], read["problems"]) == (start.chequers, [3, 1], [])
    assert read["gnubg_id"].startswith(start.id)


def test_a_text_of_several_positions_tells_them_all(ask: TestClient) -> None:
    every = [START, START.replace(":31:", ":42:"), RACE]
    text = "\n".join(f"and {each}" for each in every)
    read = ask.post(f"{API}/positions", json={"text": text}).json()
    assert (read["xgid"], read["every"]) == (every[0], every)
    assert ask.post(f"{API}/positions", json={"text": START}).json()["every"] == []
    assert ask.post(f"{API}/positions", json={"text": f"{START}\n{START}"}).json()["every"] == []
    sent = ask.post(f"{API}/reports", content="\n".join(every).encode()).json()
    assert (sent["key"], sent["xgid"], sent["every"]) == ("", every[0], every)
    many = [START.replace(":7:10", f":{length}:10") for length in range(2, 250)]
    assert ask.post(f"{API}/positions", json={"text": "\n".join(many)}).json()["every"] == many[:200]


def test_a_file_of_several_positions_that_is_no_text_tells_them_all(ask: TestClient) -> None:
    pytest.importorskip("ogxm")
    every = [START.replace(":31:", ":00:"), START.replace(":31:0:0", ":00:2:3"), RACE.replace(":1:10", ":7:10")]
    streamed = formats.render([formats.read_text(each) for each in every], "ogxm")
    sent = ask.post(f"{API}/reports", content=b"".join(streamed)).json()
    assert (sent["key"], sent["xgid"], sent["every"]) == ("", every[0], every)
    # A game among them is what is reviewed.
    streamed += formats.render([formats.read(sample_match())], "ogxm")
    sent = ask.post(f"{API}/reports", content=b"".join(streamed)).json()
    assert sent["key"]
    assert sent["every"] == []


def test_lines_of_another_program_tell_all_their_positions(ask: TestClient) -> None:
    every = [START, START.replace(":31:", ":42:")]
    (text,) = formats.render([formats.read_text(each) for each in every], "snowiepos")
    found = ask.post(f"{API}/positions", json={"text": text}).json()["every"]
    assert [each.split(":")[4] for each in found] == ["31", "42"]


def test_others_are_told_an_address_that_leads_here(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not that which stands for all of a machine."""
    told: list[str] = []
    monkeypatch.setattr("sixprime.web.server._Server.run", lambda self, sockets: None)
    monkeypatch.setattr("sixprime.web.server.House", lambda **more: house)
    serve(host="0.0.0.0", port=0, token="a-token-of-some-length", started=told.append)
    assert re.fullmatch(r"http://(?!0\.0\.0\.0)[\d.]+:\d+/\?token=a-token-of-some-length", told[0])
    with TestClient(create_app(house), base_url=HOME) as client:
        assert client.get(f"{API}/about").json()["address"] == told[0].partition("/?")[0]


def test_settings_are_seen_and_changed(ask: TestClient) -> None:
    changed = ask.patch(f"{API}/settings", json={"name": "engine.plies", "value": "1"}).json()
    assert next(each for each in changed["settings"] if each["name"] == "engine.plies")["value"] == 1
    assert ask.patch(f"{API}/settings", json={"name": "engine.plies", "value": "9"}).status_code == 400
    ask.patch(f"{API}/settings", json={"name": "engine.plies", "value": None})


def test_settings_of_the_engine_hold_at_once(
    ask: TestClient, house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In games that are open, too; who works with the engine of before finishes with it."""
    monkeypatch.setenv("SIXPRIME_CONFIG", str(tmp_path / "settings"))
    key = begin(ask, house, opponent="person", position=START.replace(":31:", ":41:").replace(":7:10", ":1:10"))
    before = house.engine
    assert house.coach is house.analyst is before

    def hint() -> float:
        return ask.post(f"{API}/sittings/{key}/hint").json()["options"][0]["equity"]

    said = [hint()]
    for name, value in (("engine.plies", "0"), ("engine.net", "small"), ("play.tutor_book", "true")):
        assert ask.patch(f"{API}/settings", json={"name": name, "value": value}).status_code == 200
        said.append(hint())
    assert len({*said}) == len(said)
    assert (house.engine.plies, house.engine.book) == (0, None)
    assert house.coach.book is not None
    assert house.engine is house.engine is house.analyst
    assert before.evaluate(Position.start(), plies=0)
    # One that cannot be used any more is named.
    change("engine.met", "nonsuch.xml")
    answer = ask.post(f"{API}/sittings/{key}/hint")
    assert answer.status_code == 400
    assert "engine.met: " in answer.json()["error"]["message"]


@pytest.mark.parametrize(
    ("wanted", "options"),
    [
        ({"analysis.level": "roller", "engine.plies": "1"}, ["--level", "roller"]),
        (
            {"analysis.plies": "0", "analysis.cube_plies": "1", "engine.level": "roller"},
            ["--plies=0", "--cube-plies=1"],
        ),
        ({"analysis.plies": "0", "analysis.player1": "1", "analysis.player2": "off"}, []),
        ({"engine.plies": "0", "analysis.second": "expert"}, []),
    ],
)
def test_a_report_is_that_of_the_command(
    house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sixprime: Any, wanted: dict[str, str], options: Any
) -> None:
    """By the same settings."""
    monkeypatch.setenv("SIXPRIME_CONFIG", str(tmp_path / "settings"))
    for name, value in wanted.items():
        change(name, value_of(name, value))
    file = tmp_path / "match.mat"
    file.write_text(" 3 point match\n\n Game 1\n Ann : 0     Bob : 0\n  1) 31: 8/5 6/5    64: 24/18 13/9\n")
    report = house.reports.analyse(formats.read(file))
    until(lambda: report.told.state, lambda state: state != "working")
    kept = tmp_path / "kept.sixprime"
    assert sixprime("analyse", str(file), "--save", str(kept), *options).status == 0
    asked, ours = report.analysed, load_analysis(kept)
    assert asked is not None
    assert asked.settings == ours.settings
    assert asked.label == ours.label
    assert asked.decisions == ours.decisions


def test_a_report_that_was_stopped_halfway_is_not_ready(
    ask: TestClient, house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    from sixprime.analysis import analyse as analysing

    whole = analysing.analyse
    known: list[Any] = []

    def half(match: Any, engine: Any, **given: Any) -> Any:
        known.append(given["known"])
        return replace(whole(match, engine, **given | {"depths": None, "plies": 0}), finished=len(known) > 1)

    monkeypatch.setattr(analysing, "analyse", half)
    begun = ask.post(f"{API}/reports", content=sample_match().read_bytes()[:2000]).json()
    report = house.reports.get(begun["key"])
    until(lambda: report.told.state, lambda state: state == "stopped")
    assert report.analysed is None
    house.reports.follow(report)
    until(lambda: report.told.state, lambda state: state == "ready")
    assert known[0] is None
    assert known[1] is not None


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("play.opponent", "ubgi:touch /tmp/here"),
        ("play.opponent", "external:127.0.0.1:99"),
        ("play.dice", "file:/etc/passwd"),
        ("engine.net", "/tmp/net.npz"),
        ("engine.net", "..\\net"),
        ("engine.met", "./table.xml"),
        ("engine.executor", "tcp://127.0.0.1:99"),
        ("files.gnubg", "gnubg"),
        ("files.templates", "templates"),
    ],
)
def test_no_page_names_a_program_or_a_file(ask: TestClient, name: str, value: str) -> None:
    refused = ask.patch(f"{API}/settings", json={"name": name, "value": value})
    assert refused.status_code == 400
    assert "sixprime settings set" in refused.json()["error"]["message"]
    known = {each["name"]: each for each in ask.get(f"{API}/settings").json()["settings"]}
    assert known[name]["value"] is None
    assert known["play.opponent"]["here"]
    assert not known["files.gnubg"]["here"]
    ask.patch(f"{API}/settings", json={"name": "play.opponent", "value": "casual"})
    assert ask.patch(f"{API}/settings", json={"name": "play.opponent", "value": None}).status_code == 200


@pytest.mark.parametrize("name", ["engine.net", "engine.met"])
def test_a_net_or_table_that_does_not_ship_is_refused(
    ask: TestClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv("SIXPRIME_CONFIG", str(tmp_path / "settings"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine").write_bytes(path_of("small").read_bytes())
    for value in ("nonsuch", "mine", "race"):
        refused = ask.patch(f"{API}/settings", json={"name": name, "value": value})
        assert refused.status_code == 400
        assert f"{name} must be one of " in refused.json()["error"]["message"]
    known = {"engine.net": "small", "engine.met": "woolsey"}[name]
    assert ask.patch(f"{API}/settings", json={"name": name, "value": known}).status_code == 200


# What the engine does


def works(desk: Desk, who: str, sizes: list[int], log: list[str], *, short: int = 0) -> Work:
    """A work whose pieces take as long as they are large; log: who was at it."""

    def pieces(stop: threading.Event) -> Iterator[int]:
        for size in sizes:
            log.append(who)
            time.sleep(size / 100)
            yield size

    done = threading.Event()
    work = Work(who, pieces, lambda piece: piece is None and done.set(), short=short)  # type: ignore[func-returns-value]
    work.done = done  # type: ignore[attr-defined]
    desk.begin(work)
    return work


def test_everybody_has_his_turn_and_short_answers_wait_for_nobody() -> None:
    desk, log = Desk(1), []
    long = [works(desk, name, [3] * 8, log) for name in "abc"]
    short = works(desk, "short", [0], log, short=1)
    assert short.done.wait(5)  # type: ignore[attr-defined]
    assert not any(each.done.is_set() for each in long)  # type: ignore[attr-defined]
    for each in long:
        assert each.done.wait(20)  # type: ignore[attr-defined]
    turns = [name for name in log if name != "short"]
    assert all(sorted(turns[at : at + 3]) == ["a", "b", "c"] for at in range(0, 12, 3)), turns
    desk.close()


def test_a_piece_that_goes_wrong_ends_its_work_alone() -> None:
    desk, told = Desk(1), queue.Queue[Any]()

    def broken(stop: threading.Event) -> Iterator[int]:
        raise ValueError("broken")
        yield 0

    for _ in range(3):
        desk.begin(Work("one", broken, told.put))
        assert str(told.get(timeout=5)) == "broken"
        assert told.get(timeout=5) is None
    assert desk.busy == 0
    desk.close()


def test_there_is_an_end_to_what_is_taken_on() -> None:
    desk, log = Desk(1), []
    for number in range(MOST):
        works(desk, str(number), [9], log)
    with pytest.raises(Busy, match="try again"):
        works(desk, "one more", [9], log)
    desk.close()


def test_a_play_that_stands_out_is_searched_as_deep_as_is_said(ask: TestClient, house: House) -> None:
    found = pieces(ask, id=START, plies=2)
    assert [each["plays"][0]["plies"] for each in found[:3]] == [0, 1, 2]
    # No other comes near: the filter leaves it alone.
    position, state, dice = parse(START)
    assert house.engine.best_plays(position, dice, match=state, plies=2)[0].plies == 0


def test_a_stream_that_was_cut_goes_on_where_it_was(ask: TestClient, house: House) -> None:
    asked = {"id": START, "plies": 2, "trials": 72, "count": 2}
    lines = ask.get(f"{API}/analysis", params=asked).text.splitlines()
    assert lines[0] == "retry: 1000"
    names = [line[4:] for line in lines if line.startswith("id: ")]
    assert names == ["0", "1", "2", "r36", "r72", "r72"]

    def after(name: str) -> list[str]:
        text = ask.get(f"{API}/analysis", params=asked, headers={"last-event-id": name}).text
        return [line[4:] for line in text.splitlines() if line.startswith("id: ")]

    assert after("1") == ["2", "r72", "r72"]
    assert after("r36") == ["r72", "r72"]
    # What was rolled out is not rolled out again.
    assert after("r72") == ["r72"]
    assert after("\r") == after("9" * 20) == ["0", "1", "2", "r72", "r72"]


def test_whoever_waits_is_told_how_far_the_kernels_are_compiled(
    ask: TestClient, house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    def compiled(*given: Any, **more: Any) -> Iterator[dict[str, Any]]:
        for done, total in ((0, 100), (25, 100), (25, 100), (1, 1)):
            tell(done, total)
            assert ask.get(f"{API}/compiling").json()["percent"] == (done if total > 1 else None)
        yield {"id": "0", "kind": "plays"}

    monkeypatch.setattr("sixprime.web.app.judged", compiled)
    # Logging is configured by the server, which ends handlers that are there.
    config_of(create_app(house))
    text = ask.get(f"{API}/analysis", params={"id": START}).text
    lines = [line for line in text.splitlines() if line.startswith(("id: ", "data: "))]
    told = [f'data: {{"kind":"compiling","percent":{percent}}}' for percent in ("0", "25", "null")]
    # The name of an event says what was found, from which a stream that was cut goes on.
    assert lines == [*told, "id: 0", 'data: {"kind":"plays"}', "id: 0", 'data: {"kind":"end"}']
    assert not house.compiling.heard
    house.close()
    assert house.compiling not in logging.getLogger("sixprime.kernels").handlers


def test_a_tutor_is_there_after_a_restart(ask: TestClient, house: House, tmp_path: Path) -> None:
    keys = [sit_down(ask, opponent="person", position=START, tutor=on) for on in (True, False)]
    ask.post(f"{API}/sittings/{keys[1]}/tutor", json={"on": True})
    invited = ask.post(f"{API}/sittings", json={"opponent": "invited"}).json()
    house.sitting(invited["invitation"]).open_window(lambda: None, invited["invitation"])
    house.close()
    house._open.clear()
    again = House(folder=tmp_path, threads=1)
    with TestClient(create_app(again), base_url=HOME) as client:
        assert [told(client, key)["tutor"] for key in keys] == [True, True]
        assert act(client, keys[0], "play", play="13/10 6/5").json()["warned"]
        assert not told(client, invited["key"])["waiting_for_guest"]
        client.post(f"{API}/sittings/{keys[0]}/tutor", json={"on": False})
        assert not told(client, keys[0])["tutor"]


def test_two_windows_take_back_once(ask: TestClient, house: House) -> None:
    key = begin(ask, house, opponent="person", position=START, length=3)
    for do, more in (("play", {"play": "8/5 6/5"}), ("roll", {})):
        assert act(ask, key, do, **more).status_code == 200
    number = told(ask, key)["number"]
    answers = []

    def back() -> None:
        answers.append(ask.post(f"{API}/sittings/{key}/acts", json={"do": "undo", "number": number}).status_code)

    both = [threading.Thread(target=back) for _ in range(4)]
    for each in both:
        each.start()
    for each in both:
        each.join()
    assert sorted(answers) == [200, 409, 409, 409]


def test_the_game_is_looked_back_at(ask: TestClient, house: House) -> None:
    key = begin(ask, house, opponent="person", position=START, length=7)
    for do, more in (("play", {"play": "8/5 6/5"}), ("double", {}), ("take", {})):
        assert act(ask, key, do, **more).status_code == 200
    # Who doubled may not again, so that the dice roll by themselves.
    seen = until(lambda: told(ask, key), lambda seen: seen["acts"] == ["play"])
    found = ask.get(f"{API}/sittings/{key}/past").json()
    msgspec.convert(found, m.Past)
    boards = found["boards"]
    assert found["number"] == seen["number"]
    assert len(boards) == len(seen["moves"]) == 5
    assert [each.split(":")[4] for each in found["xgids"][1:4]] == ["31", "00", "D"]
    # Each as it was before its row: with the dice, before the double, with the cube that is offered, by the new cube.
    assert [each["dice"] for each in boards[1:]] == [[3, 1], None, None, seen["board"]["dice"]]
    assert [(each["cube"], each["doubled"], each["owner"]) for each in boards[2:]] == [
        (1, False, None),
        (2, True, None),
        (2, False, seen["board"]["owner"]),
    ]
    assert boards[1]["counts"] != boards[2]["counts"] == seen["board"]["counts"]
    # What the game does by itself may be told of after it was seen.
    assert told(ask, key) | {"version": 0} == seen | {"version": 0}


def test_what_a_raccoon_offers_is_looked_back_at(ask: TestClient, house: House) -> None:
    key = begin(ask, house, opponent="person", position=RACE.replace(":0:1:10", ":3:0:10"), length=0)
    for do in ("double", "beaver", "beaver", "take"):
        assert act(ask, key, do).status_code == 200, do
    # The roll after the take is done elsewhere, and may come a moment later.
    look = lambda: ask.get(f"{API}/sittings/{key}/past").json()["boards"]  # noqa: E731
    boards = until(look, lambda seen: len(seen) > 5)
    assert [each["cube"] for each in boards[1:]] == [1, 2, 4, 8, 8]


def test_what_was_taken_back_is_done_again(ask: TestClient, house: House) -> None:
    key = begin(ask, house, opponent="beginner", length=3, position=START)
    assert not told(ask, key)["redo"]
    assert act(ask, key, "redo").status_code == 409
    assert act(ask, key, "play", play="8/5 6/5").status_code == 200
    before = until(lambda: told(ask, key), lambda seen: bool(seen["acts"]) and seen["number"] > 2)
    assert act(ask, key, "undo").json()["told"]["redo"]
    # With what the program answered, to where he took back.
    after = act(ask, key, "redo").json()["told"]
    assert [after[name] == before[name] for name in ("number", "board", "moves", "acts")] == [True] * 4
    assert not after["redo"]
    assert act(ask, key, "undo").status_code == 200
    assert not act(ask, key, "play", play="24/23 13/10").json()["told"]["redo"]


def test_nobody_does_again_what_another_took_back(ask: TestClient, house: House) -> None:
    opened = ask.post(f"{API}/sittings", json={"opponent": "invited", "position": START, "tutor": False}).json()
    own, guest = opened["key"], opened["invitation"]
    house.sitting(own).open_window(lambda: None, own)
    until(lambda: told(ask, own), lambda seen: "play" in seen["acts"])
    assert act(ask, own, "play", play="8/5 6/5").status_code == 200
    assert act(ask, own, "undo").status_code == 200
    assert [told(ask, each)["redo"] for each in (own, guest)] == [True, False]
    assert act(ask, guest, "redo").status_code == 409
    assert act(ask, own, "redo").status_code == 200
    assert told(ask, own)["moves"][-1]["text"] == "8/5 6/5"


def test_two_programs_are_watched(ask: TestClient, house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sixprime.web.sittings.PACE", 0.0)
    key = sit_down(ask, player="beginner", opponent="beginner", length=1, position=RACE, tutor=True)

    def watch(do: str) -> Any:
        return ask.post(f"{API}/sittings/{key}/watch", json={"do": do})

    assert watch("pause").json()["watch"] == "paused"
    house.sitting(key).open_window(lambda: None, key)
    seen = told(ask, key)
    assert (seen["programs"], seen["mine"], seen["acts"], seen["tutor"]) == ([True, True], [], [], False)
    assert len(set(seen["names"])) == 2
    number = seen["number"]
    for wanted in (number + 1, number + 2):
        assert watch("step").status_code == 200
        seen = until(lambda: told(ask, key), lambda seen, wanted=wanted: seen["number"] >= wanted)
        time.sleep(0.2)
        seen = told(ask, key)
        assert (seen["number"], seen["prompt"], seen["thinking"]) == (wanted, "Paused.", False)
    assert act(ask, key, "roll").status_code == 409
    assert watch("go_on").json()["watch"] == "runs"
    assert until(lambda: told(ask, key), lambda seen: seen["over"])["winner"] in (0, 1)


def test_who_paused_finds_the_pause_after_a_restart(ask: TestClient, house: House, tmp_path: Path) -> None:
    key = sit_down(ask, player="beginner", opponent="beginner", length=1, position=RACE)
    ask.post(f"{API}/sittings/{key}/watch", json={"do": "pause"})
    house.close()
    for do in ("step", "go_on"):
        again = House(folder=tmp_path, threads=1)
        with TestClient(create_app(again), base_url=HOME) as client:
            seen = told(client, key)
            assert (seen["watch"], seen["prompt"]) == ("paused", "Paused.")
            again.sitting(key).open_window(lambda: None, key)
            time.sleep(0.2)
            assert told(client, key)["number"] == seen["number"]
            assert client.post(f"{API}/sittings/{key}/watch", json={"do": do}).status_code == 200
        again.close()
    last = House(folder=tmp_path, threads=1)
    with TestClient(create_app(last), base_url=HOME) as client:
        assert told(client, key)["watch"] == "runs"
    last.close()


def test_programs_that_are_watched_take_their_time(
    ask: TestClient, house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sixprime.web.sittings.PACE", 0.4)
    key = sit_down(ask, player="casual", opponent="beginner", length=3)
    numbers: list[tuple[int, float]] = []

    def changed() -> None:
        number = len(house.sitting(key).session.history)
        if not numbers or number > numbers[-1][0]:
            numbers.append((number, time.monotonic()))

    house.sitting(key).open_window(changed, key)
    until(lambda: len(numbers), lambda count: count >= 5)
    house.sitting(key).close_window(changed)
    assert all(after[1] - before[1] >= 0.35 for before, after in pairwise(numbers))
    # Nobody looks on, and nobody plays.
    time.sleep(0.6)
    number = told(ask, key)["number"]
    time.sleep(0.8)
    assert told(ask, key)["number"] == number


def test_whoever_watches_begins_the_next_game(ask: TestClient, house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sixprime.web.sittings.PACE", 0.0)
    key = sit_down(ask, player="beginner", opponent="casual", length=0, position=RACE.replace(":1:10", ":0:10"))
    house.sitting(key).open_window(lambda: None, key)
    until(lambda: told(ask, key), lambda seen: seen["acts"] == ["next"])
    assert act(ask, key, "next").status_code == 200
    until(lambda: told(ask, key), lambda seen: seen["game"] == 2 and seen["moves"])


def test_dice_of_programs_that_are_watched_are_told(ask: TestClient, house: House) -> None:
    key = sit_down(ask, player="beginner", opponent="beginner", length=1, by_hand=True, seed=None)
    house.sitting(key).open_window(lambda: None, key)
    for do, dice in (("open", [3, 1]), ("roll", [6, 5])):
        until(lambda: told(ask, key), lambda seen, do=do: seen["throws"] == do)
        assert act(ask, key, do, dice=dice).status_code == 200


@pytest.mark.parametrize(
    "asked",
    [
        {"player": "nobody", "opponent": "expert"},
        {"player": "expert", "opponent": "person"},
        {"player": "expert", "opponent": "invited"},
        {"player": "ubgi:sh", "opponent": "expert"},
    ],
)
def test_who_cannot_be_watched_is_said(ask: TestClient, asked: dict[str, str]) -> None:
    assert ask.post(f"{API}/sittings", json=asked).status_code == 400


def test_people_are_not_paused(ask: TestClient, house: House) -> None:
    key = begin(ask, house, opponent="person", length=1)
    assert told(ask, key)["watch"] == ""
    assert ask.post(f"{API}/sittings/{key}/watch", json={"do": "pause"}).status_code == 409


def test_games_begun_at_once_are_all_there(ask: TestClient, house: House) -> None:
    keys: list[str] = []
    several = [threading.Thread(target=lambda: keys.append(sit_down(ask, opponent="person"))) for _ in range(12)]
    for each in several:
        each.start()
    for each in several:
        each.join()
    assert len(set(keys)) == 12
    assert {each["key"] for each in ask.get(f"{API}/sittings").json()["sittings"]} == set(keys)


def test_games_that_have_not_changed_are_not_played_through_again(
    ask: TestClient, house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = [begin(ask, house, opponent="person", position=START) for _ in range(3)]
    (tmp_path / "torn.journal").write_bytes(b"{}")
    (tmp_path / "torn.web").write_bytes(msgspec.json.encode({"own": "torn"}))
    looked: list[Path] = []
    real = Session.looked_at
    monkeypatch.setattr(Session, "looked_at", lambda path: looked.append(path) or real(path))

    def listed(client: TestClient = ask) -> list[Any]:
        before = len(looked)
        found = client.get(f"{API}/sittings").json()["sittings"]
        return [len(looked) - before, {each["key"]: each["score"] for each in found}]

    first = listed()
    assert first == [3, {key: [0, 0] for key in keys}]
    assert listed() == [0, first[1]]
    act(ask, keys[1], "play", play="8/5 6/5")
    assert listed() == [1, first[1]]
    house.close()
    with TestClient(create_app(House(folder=tmp_path, threads=1)), base_url=HOME) as client:
        assert listed(client) == [1, first[1]]  # the torn one, which was not known before
        assert listed(client) == [0, first[1]]
    for damage in (b"", b"[]", b'{"a": {"stamp": "x"}}'):
        (tmp_path / "listing.json").write_bytes(damage)
        with TestClient(create_app(House(folder=tmp_path, threads=1)), base_url=HOME) as client:
            assert listed(client)[1] == first[1]


def test_a_cube_that_is_turned_back_again_is_a_raccoon(ask: TestClient) -> None:
    key = sit_down(ask, opponent="person", position=START.partition(":")[0] + ":0:0:1:00:0:0:2:0:10")
    for do, beavered in (("double", 0), ("beaver", 1), ("beaver", 2)):
        assert act(ask, key, do).status_code == 200
        assert told(ask, key)["beavered"] == beavered
    assert [each["text"] for each in told(ask, key)["moves"]] == [
        "Position set",
        "Doubles to 2",
        "Beavers to 4",
        "Raccoons to 8",
    ]


def test_moves_are_numbered_as_in_reports(ask: TestClient, house: House) -> None:
    key = begin(ask, house, opponent="person", position=START, length=7)
    for do, more in (("play", {"play": "8/5 6/5"}), ("double", {}), ("take", {})):
        assert act(ask, key, do, **more).status_code == 200
    until(lambda: told(ask, key), lambda seen: seen["acts"] == ["play"])
    assert act(ask, key, "resign", value=1).status_code == 200
    found = [(each["number"], each["player"], each["text"]) for each in told(ask, key)["moves"]]
    assert found == [
        (0, 1, "Position set"),
        (1, 1, "8/5 6/5"),
        (2, 0, "Doubles to 2"),
        (2, 1, "Takes"),
        (3, 0, ""),
        (0, 0, "Resigns"),
    ]


def test_as_many_games_are_listed_as_are_wanted(ask: TestClient) -> None:
    keys = {sit_down(ask, opponent="person") for _ in range(3)}
    found = ask.post(f"{API}/sittings/latest", json={"count": 2}).json()["sittings"]
    assert len(found) == 2
    assert {each["key"] for each in ask.post(f"{API}/sittings/latest", json={}).json()["sittings"]} == keys


def test_a_game_is_removed_with_all_that_is_beside_it(ask: TestClient, house: House, tmp_path: Path) -> None:
    opened = ask.post(f"{API}/sittings", json={"opponent": "invited", "position": RACE, "minutes": 5}).json()
    own, guest, other = opened["key"], opened["invitation"], sit_down(ask, opponent="person")
    sitting = house.sitting(own)
    for key in (own, guest):
        sitting.open_window(partial(str, key), key)
    assert not sitting.session.paused
    refused = ask.post(f"{API}/sittings/remove", json={"key": guest})
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "not_allowed")
    left = ask.post(f"{API}/sittings/remove", json={"key": own}).json()["sittings"]
    assert [each["key"] for each in left] == [other]
    # What its windows do at that moment is written nowhere.
    sitting.kept(report="a report")
    assert sitting.session.paused
    with pytest.raises(RulesError):
        sitting.act(own, m.ActAsked("roll", sitting.told(own).number))
    assert sorted(each.suffix for each in tmp_path.iterdir()) == [".journal", ".json", ".web"]
    for key in (own, guest):
        for answer in (ask.get(f"{API}/sittings/{key}"), ask.post(f"{API}/sittings/remove", json={"key": key})):
            assert (answer.status_code, answer.json()["error"]["code"]) == (404, "not_there")


def test_a_game_that_cannot_be_removed_goes_on(
    ask: TestClient, house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = begin(ask, house, opponent="person", position=START)

    def refuse(*given: object, **more: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    with monkeypatch.context() as patched:
        patched.setattr(Path, "unlink", refuse)
        assert ask.post(f"{API}/sittings/remove", json={"key": key}).status_code == 503
    assert act(ask, key, "play", play="8/5 6/5").status_code == 200

    def held(path: Path) -> None:
        raise BlockingIOError(errno.EWOULDBLOCK, "is in use by another process", str(path))

    monkeypatch.setattr("sixprime.web.house.locked", held)
    assert "another process" in ask.post(f"{API}/sittings/remove", json={"key": key}).text
    assert told(ask, key)["number"] == 1


def test_windows_of_a_game_have_an_end(ask: TestClient, house: House) -> None:
    key = sit_down(ask, opponent="person")
    for number in range(WINDOWS):
        house.sitting(key).open_window(partial(int, number), key)
    refused = ask.get(f"{API}/sittings/{key}/events")
    assert refused.status_code == 503
    assert refused.json()["error"]["code"] == "busy"


def test_what_is_left_is_ended_at_once() -> None:
    desk, begun, ended = Desk(1), threading.Event(), threading.Event()

    def pieces(stop: Any) -> Iterator[str]:
        try:
            while True:
                begun.set()
                time.sleep(0.001)
                yield "piece"
        finally:
            ended.set()

    work = Work("one", pieces, lambda piece: None)
    desk.begin(work)
    assert begun.wait(60)
    desk.end(work)
    # Though no other work comes, which would take its place.
    assert ended.wait(60)
    desk.close()


def test_a_report_is_worked_on_while_somebody_asks_for_it(
    ask: TestClient, house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sixprime.web.reports._ASKED", 0.0)
    begun = ask.post(f"{API}/reports", content=sample_match().read_bytes()).json()
    report = house.reports.get(begun["key"])
    until(lambda: report.told.state, lambda state: state == "stopped")
    monkeypatch.setattr("sixprime.web.reports._ASKED", 60.0)
    assert ask.get(f"{API}/reports/{begun['key']}").json()["state"] == "working"
    text = ask.get(f"{API}/reports/{begun['key']}/events").text
    states = [json.loads(line[6:])["state"] for line in text.splitlines() if line.startswith("data: ")]
    assert states[-1] == "ready"
    assert "sha256-" in ask.get(f"/reports/{begun['key']}").headers["content-security-policy"]


@pytest.mark.parametrize("kept", [True, False])
def test_a_match_played_to_its_end_is_in_the_library(
    ask: TestClient, house: House, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, kept: bool
) -> None:
    for module in (library, relational):
        monkeypatch.setattr(module, "data_dir", lambda: tmp_path)
    monkeypatch.setattr("sixprime.settings.Playing.library", kept)
    key = begin(ask, house, opponent="person", position=RACE, length=1)
    early = ask.post(f"{API}/sittings/{key}/report")
    if early.status_code == 200:
        first = house.reports.get(early.json()["key"])
        until(lambda: first.told.state, lambda state: state != "working")
    assert ask.get(f"{API}/library").json()["matches"] == []
    until(lambda: act(ask, key, "resign", value=1).status_code, lambda status: status == 200)
    assert act(ask, key, "accept").status_code == 200
    assert told(ask, key)["over"]
    report = house.reports.get(ask.post(f"{API}/sittings/{key}/report").json()["key"])
    until(lambda: report.told.state, lambda state: state == "ready")
    matches = ask.get(f"{API}/library").json()["matches"]
    assert len(matches) == kept
    if kept:
        assert ask.post(f"{API}/library/open", json={"checksum": matches[0]["checksum"]}).json()["key"] == report.key


def test_a_report_tells_of_what_has_been_played_since(ask: TestClient, house: House) -> None:
    key = begin(ask, house, opponent="person", position=START, length=3)
    act(ask, key, "play", play="8/5 6/5")
    first = ask.post(f"{API}/sittings/{key}/report").json()["key"]
    assert ask.post(f"{API}/sittings/{key}/report").json()["key"] == first
    act(ask, key, "roll")
    assert ask.post(f"{API}/sittings/{key}/report").json()["key"] != first


# Who gets in


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "[::1", "", "10.0.0.1"])
def test_other_names_are_refused(ask: TestClient, host: str) -> None:
    assert ask.get("/", headers={"host": host}).status_code == 403


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:9999"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_pages_of_others_cannot_ask(ask: TestClient, headers: dict[str, str]) -> None:
    assert ask.post(f"{API}/sittings", json={}, headers=headers).status_code == 403
    assert ask.get(f"{API}/sittings", headers=headers).status_code == 403


def test_every_page_has_a_strict_policy(ask: TestClient) -> None:
    for place in ("/", "/play/abc", "/analyse", "/review", "/settings", f"{API}/about", "/static/style.css"):
        found = ask.get(place)
        assert found.status_code == 200, place
        policy = found.headers["content-security-policy"]
        assert policy.startswith("default-src 'none'")
        assert "unsafe" not in policy
        assert found.headers["referrer-policy"] == "no-referrer"
        if "html" in found.headers["content-type"]:
            assert " style=" not in found.text
            assert "<style" not in found.text
            assert "onclick" not in found.text


@pytest.mark.parametrize(
    "place", ["/nowhere", f"/reports/{'k' * 24}", f"/play/{'k' * 24}", "/play/%0d%0a", "/reports/%00"]
)
def test_a_reader_is_told_in_words_that_nothing_is_there(ask: TestClient, place: str) -> None:
    page = ask.get(place, headers={"accept": "text/html,*/*", "accept-language": "de"})
    assert page.status_code == 404
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert "Hier ist nichts" in page.text
    assert page.headers["content-security-policy"].startswith("default-src 'none'")
    # Programs are told as everywhere.
    assert ask.get(place.replace("/play/", "/api/v1/sittings/")).json()["error"]["code"] == "not_there"


def test_a_reader_without_the_token_is_told_in_words(house: House) -> None:
    with TestClient(create_app(house, Access(token="secret")), base_url=HOME) as ask:
        page = ask.get("/analyse", headers={"accept": "text/html"})
        assert page.status_code == 401
        assert "the token in it is missing" in page.text
        assert "set-cookie" not in page.headers
        assert page.headers["x-content-type-options"] == "nosniff"
        assert ask.get("/analyse").json()["error"]["code"] == "token"


def test_pages_name_the_modules_they_need(ask: TestClient) -> None:
    for place, script in (("/", "home"), ("/play/abc", "play"), ("/analyse", "analyse"), ("/settings", "settings")):
        named = re.findall(r'<link rel="modulepreload" href="/static/(\w+)\.js">', ask.get(place).text)
        assert len(set(named)) == len(named)
        needed, left = {script}, [script]
        while left:
            found = set(re.findall(r'from "/static/(\w+)\.js"', ask.get(f"/static/{left.pop()}.js").text)) - needed
            needed |= found
            left += found
        assert set(named) == needed - {script}


def test_a_token_is_needed_where_others_reach_the_server(house: House) -> None:
    access = access_for("0.0.0.0", token="a-token-of-some-length")
    key = house.sit_down(m.SittingAsked(opponent="invited")).invitation
    with TestClient(create_app(house, access), base_url="http://192.168.1.5:8640") as client:
        assert client.get(f"{API}/sittings").status_code == 401
        assert client.get(f"{API}/sittings", headers={"authorization": "Bearer wrong"}).status_code == 401
        bearer = {"authorization": "Bearer a-token-of-some-length"}
        assert client.get(f"{API}/sittings", headers=bearer).status_code == 200
        assert client.get(f"{API}/sittings/{key}").status_code == 200
        opened = client.get("/review?token=a-token-of-some-length&x=1", follow_redirects=False)
        assert opened.status_code == 303
        assert opened.headers["location"] == "/review?x=1"
        assert "HttpOnly" in opened.headers["set-cookie"]
        assert "SameSite=Strict" in opened.headers["set-cookie"]
        place = "http://192.168.1.5:8640//evil.example/?token=a-token-of-some-length"
        elsewhere = client.get(place, follow_redirects=False)
        assert elsewhere.headers["location"] == "/evil.example/"
        assert client.get("/?token=another-token-of-some-length", follow_redirects=False).status_code == 200
        assert client.get(f"{API}/sittings").status_code == 200
    assert access_for("127.0.0.1", token=None) == Access()


def test_a_guest_reads_the_report_and_does_no_more(house: House, ask: TestClient) -> None:
    report = ask.post(f"{API}/reports", content=sample_match().read_bytes()[:2000]).json()["key"]
    until(lambda: house.reports.get(report).told.state, lambda state: state == "ready")
    access = access_for("0.0.0.0", token="a-token-of-some-length")
    with TestClient(create_app(house, access), base_url="http://192.168.1.5:8640") as client:
        for path in ("", "/events", "/decisions", "/files/mat"):
            assert client.get(f"{API}/reports/{report}{path}").status_code == 200, path
        assert client.get(f"/reports/{report}").status_code == 200
        for path in ("/closer", "/transcript"):
            assert client.get(f"{API}/reports/{report}{path}").status_code == 401, path
        said = client.post(f"{API}/reports/{report}/comments", json={"game": 0, "action": 0, "text": "x"})
        assert said.status_code == 401


def test_pictures_and_reports_are_in_the_language_of_the_reader(ask: TestClient, house: House) -> None:
    id = START.replace("=", "%3D").replace(":31:", ":00:")
    words = {
        "cube": ("winning chance", "Gewinnchance"),
        "losers": ("Market losers", "Marktverlierer"),
        "temperature": ("better than the mean", "besser als das Mittel"),
        "scores": ("Best cube action", "Beste Doppler-Entscheidung"),
    }
    house._engine = Engine("small", plies=0, threads=1)
    for name, (english, german) in words.items():
        texts = [
            ask.get(f"{API}/pictures/{name}.svg?id={id}", headers={"accept-language": code}).text
            for code in ("fr", "de")
        ]
        assert [english in text for text in texts] == [True, False], name
        assert [german in text for text in texts] == [False, True], name
    match = formats.read(sample_match())
    key = house.reports.known(analyse(replace(match, games=match.games[:1]), house.engine, plies=0)).key
    pages = [ask.get(f"/reports/{key}", headers={"accept-language": code}).text for code in ("en", "de", "en")]
    assert ["Worst first" in page for page in pages] == [True, False, True]
    assert ["Schlimmste zuerst" in page for page in pages] == [False, True, False]
    saved = ask.get(f"{API}/reports/{key}/files/report", headers={"accept-language": "de"})
    assert "Schlimmste zuerst" in saved.text
    drawing = ask.get("/static/drawing.js", headers={"accept-language": "de"}).text
    assert "Backgammonbrett" in drawing
    assert "{{" not in drawing


def test_few_files_are_read_at_once(ask: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    reading, most = 0, 0

    def slow(data: bytes) -> Any:
        nonlocal reading, most
        reading += 1
        most = max(most, reading)
        time.sleep(0.05)
        reading -= 1
        raise ParseError("no match")

    monkeypatch.setattr("sixprime.formats.read_all_text", slow)
    with ThreadPoolExecutor(8) as senders:
        answers = [*senders.map(lambda _: ask.post(f"{API}/reports", content=b"x").status_code, range(8))]
    assert answers == [400] * 8
    assert most == 2


def test_what_is_too_large_or_no_json_is_refused(ask: TestClient) -> None:
    assert ask.post(f"{API}/sittings", content=b" " * (BODY + 1)).status_code == 413
    # It does not say how much comes.
    kind = {"content-type": "application/json"}
    refused = ask.post(f"{API}/positions", content=iter([b" " * 4096] * (BODY // 4096 + 1)), headers=kind)
    assert refused.status_code == 413
    assert refused.json()["error"]["code"] == "too_large"
    assert ask.post(f"{API}/sittings", content=b"{}").status_code == 415
    headers = {"content-type": "application/json"}
    assert ask.post(f"{API}/sittings", content=b"[" * 100_000, headers=headers).status_code == 400
    assert ask.get("/static/..%2fapp.py").status_code == 404
    assert ask.get(f"{API}/sittings/none").status_code == 404
    assert ask.get(f"{API}/nothing").status_code == 404
    for command in ("ubgi:touch /tmp/x", "/etc/passwd", "run.safetensors"):
        assert ask.post(f"{API}/sittings", json={"opponent": command}).status_code == 400


def test_the_document_says_what_there_is(house: House, ask: TestClient) -> None:
    found = ask.get(f"{API}/openapi.json").json()
    text = json.dumps(found)
    names = set(found["components"]["schemas"])
    assert {part.split('"')[0] for part in text.split("#/components/schemas/")[1:]} <= names
    # All that is routed is told of, and nothing else.
    app: Any = create_app(house)
    routes = [route for route in app._app.routes if route.path.startswith(API)]
    routed = {(route.path, method) for route in routes for method in route.methods - {"HEAD"}}
    told = {(path, method.upper()) for path, methods in found["paths"].items() for method in methods}
    pictures = {(path, method) for path, method in told if "/pictures/" in path}
    assert pictures
    assert told - pictures == routed - {(f"{API}/pictures/{{name}}.{{kind}}", "GET")}
    operations = [each for methods in found["paths"].values() for each in methods.values()]
    assert len({each["operationId"] for each in operations}) == len(operations)
    for path, methods in found["paths"].items():
        for method, each in methods.items():
            assert each["summary"], (path, method)
            assert {str(status) for status in ERRORS} < set(each["responses"])
            parameters = {one["name"] for one in each.get("parameters", []) if one["in"] == "path"}
            assert parameters == set(re.findall(r"{(\w+)}", path))


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 40) | st.floats(-9, 9) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["do", "dice", "moves"]), inner),
    max_leaves=8,
)
_FIELDS = st.sampled_from(sorted({name for each in OPERATIONS if each.asks for name in each.asks.__annotations__}))


@settings(max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(OPERATIONS), st.dictionaries(_FIELDS, _VALUES, max_size=6))
def test_whatever_is_asked_gets_a_documented_answer(ask: TestClient, operation: Any, body: dict[str, Any]) -> None:
    if operation.name in ("sit_down", "set"):
        body["opponent"] = body["name"] = "nobody.at.all"
    place = API + operation.path.replace("{key}", "k" * 24)
    found = ask.request(operation.method, place, json=body if operation.asks else None)
    assert found.status_code in {200, *ERRORS}, found.text
    msgspec.convert(found.json(), operation.answers if found.status_code == 200 else m.Refused)
