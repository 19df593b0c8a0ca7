"""What language models may ask: answers are those of the commands, and what is wrong is said."""

from __future__ import annotations

import json
import os
import shlex
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from sixprime.engine import Engine
from sixprime.errors import InvalidFileError, SettingsError, SixprimeError, StoppedError
from sixprime.formats import FORMATS, read, read_text
from sixprime.game import Match, parse
from sixprime.paths import sample_match
from sixprime.progress import NOBODY, Progress, Watch
from sixprime.protocols.lean import DIGITS, lean
from sixprime.protocols.tools import ABOUT, TOOLS, Host, Picture
from sixprime.store import Library, Turn, library, relational

START, CUBE, RACE = "4HPwATDgc/ABMA", "4HPMwQCMz+AIIQ", "Xes6AABuuzUAAA"
ROLLED = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:2:4:0:7:10"
SMALL = ("--plies", "0", "--threads", "1")

Ask = Callable[..., Any]


@pytest.fixture(scope="module")
def host() -> Host:
    engine = Engine(plies=0, threads=1)
    return Host(lambda: engine)


@pytest.fixture
def ask(host: Host) -> Ask:
    return lambda name, watch=NOBODY, **asked: TOOLS[name](host, asked, watch)


def said_by(whole: Any, part: Any) -> None:
    """All that is in a part is in the whole, with the same names and values."""
    if isinstance(part, dict):
        assert part.keys() <= whole.keys()
        for key, each in part.items():
            said_by(whole[key], each)
    elif isinstance(part, list):
        assert len(part) == len(whole)
        for one, other in zip(whole, part, strict=True):
            said_by(one, other)
    else:
        assert part == whole


def test_tools_say_what_they_take() -> None:
    for name, tool in TOOLS.items():
        assert tool.name == name
        assert len(tool.about.split()) > 8, name
        assert f"`{name}`" not in tool.about
        assert tool.schema["type"] == "object"
        assert tool.schema["additionalProperties"] is False
        assert tuple(tool.schema["properties"]) == tool.names
        assert json.loads(json.dumps(tool.schema)) == tool.schema
    assert "player on roll" in ABOUT


@pytest.mark.parametrize(
    ("name", "asked", "command"),
    [
        ("evaluate", {"position": CUBE}, ("eval", CUBE, *SMALL)),
        ("evaluate", {"position": ROLLED, "plies": 1}, ("eval", ROLLED, "--plies", "1", "--threads", "1")),
        ("hint", {"position": START, "dice": "3-1", "count": 3}, ("hint", START, "31", "--count", "3", *SMALL)),
        ("hint", {"position": ROLLED, "count": "10"}, ("hint", ROLLED, *SMALL)),
        ("cube", {"position": CUBE}, ("cube", CUBE, *SMALL)),
        ("explain", {"position": ROLLED}, ("explain", ROLLED, *SMALL)),
        ("explain", {"position": START, "dice": "31", "play": "24/20"},
         ("explain", START, "31", "--play", "24/20", *SMALL)),
        ("race", {"position": RACE}, ("race", RACE, *SMALL)),
        ("scores", {"position": CUBE, "away": 3}, ("map", "score", CUBE, "--away", "3", *SMALL)),
        ("match_equity_table", {"size": 5}, ("met", "--size", "5")),
        ("match_equity_table", {"table": "woolsey"}, ("met", "woolsey", "--size", "9")),
        ("openings", {}, ("openings",)),
        ("openings", {"roll": "41", "after": "24/23 13/9"}, ("openings", "41", "--after", "24/23 13/9")),
        ("openings", {"roll": "31", "reply": "66", "score": "dmp"}, ("openings", "31", "66", "--score", "dmp")),
        ("rollout", {"position": CUBE, "trials": 36, "cube": True}, ("rollout", CUBE, "--trials", "36", "--cube")),
        ("rollout", {"position": START, "dice": "31", "trials": 36, "plays": ["8/5 6/5", "24/20"], "truncate": 5},
         ("rollout", START, "31", "--trials", "36", "--play", "8/5 6/5", "--play", "24/20", "--truncate", "5")),
        ("rollout", {"position": RACE, "trials": 36, "cubeless": True, "seed": 7},
         ("rollout", RACE, "--trials", "36", "--cubeless", "--seed", "7")),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_answers_are_those_of_the_command(
    ask: Ask, sixprime: Callable[..., Any], name: str, asked: dict[str, Any], command: tuple[str, ...]
) -> None:
    status, out, _ = sixprime(*command, "--json")
    assert status == 0
    answer = json.loads(json.dumps(ask(name, **asked)))
    assert answer
    said_by(lean(json.loads(out)), answer)


def test_rolls_are_those_of_the_command(ask: Ask, sixprime: Callable[..., Any]) -> None:
    out = sixprime("map", "temperature", CUBE, "--json", *SMALL).out
    said_by(lean(json.loads(out)["maps"]), [json.loads(json.dumps(ask("rolls", position=CUBE)))])


# Positions


def test_a_position_in_full(ask: Ask) -> None:
    found = ask("position", position=ROLLED)
    assert found["xgid"] == ROLLED
    assert parse(found["gnubg_id"]).position == parse(found["ogid"]).position == parse(ROLLED).position
    assert found["player"] == {"pips": 167, "points": {"6": 5, "8": 3, "13": 5, "24": 2}, "bar": 0, "off": 0}
    assert (found["dice"], found["score"], found["away"]) == ([3, 1], [2, 4], [5, 3])
    assert (found["cube"], found["cube_owner"], found.get("problem")) == (1, "centred", None)
    assert parse(found["diagram"]).position == parse(ROLLED).position


def test_a_decision_is_set_up(ask: Ask) -> None:
    more = {"length": 7, "score": [4, 2], "cube": 2, "cube_owner": "player", "dice": "52"}
    found = ask("position", position=START, **more)
    state = parse(found["xgid"]).state
    me = state.on_roll
    assert (state.length, state.score[me], state.score[1 - me]) == (7, 4, 2)
    assert (state.cube, state.cube_owner, state.dice) == (2, me, (5, 2))
    other = ask("position", position=found["xgid"], opponent_rolls=True)
    assert (other["score"], other["cube_owner"], other.get("dice")) == ([2, 4], "opponent", None)
    assert ask("position", position=found["xgid"], cube_owner="centred")["cube_owner"] == "centred"
    assert ask("position", position=found["xgid"], cube=4)["cube_owner"] == "player"
    assert ask("position", position=START, dice=31)["dice"] == [3, 1]
    assert ask("position", position=found["xgid"], score="[2, 4]")["score"] == [2, 4]


def test_a_position_that_cannot_be_judged_says_why(ask: Ask) -> None:
    wrong = "XGID=-b----E-C---eE---c-e----B-:1:0:1:00:6:2:1:7:10"
    assert ask("position", position=wrong)["problem"].startswith("the Crawford game needs")
    assert ask("position", position=wrong, dice="31")["problem"].startswith("the Crawford game needs")
    for name, more in (("evaluate", {}), ("position", {"crawford": True})):
        with pytest.raises(SixprimeError, match=r"^the Crawford game needs"):
            ask(name, position=wrong if name == "evaluate" else wrong.replace(":1:7:", ":0:7:"), **more)
    assert "problem" not in ask("position", position=wrong, crawford=False)


def test_legal_plays(ask: Ask) -> None:
    found = ask("legal_plays", position=ROLLED)
    assert found["count"] == len(found["plays"]) == 16
    assert {"play": "8/5 6/5", "position_id": "sGfwATDgc/ABMA"} in found["plays"]
    closed = "XGID=-------------------bbbbbbA:0:0:1:61:0:0:0:7:10"
    assert ask("legal_plays", position=closed)["plays"] == []


def test_match_equity(ask: Ask, host: Host) -> None:
    met = host.engine.met
    found = ask("match_equity", away=3, opponent_away=5)
    assert found["mwc"] == round(met.mwc(3, 5), DIGITS)
    assert found["after"][1] == {"points": 2, "won": round(met.mwc(1, 5), DIGITS), "lost": round(met.mwc(3, 3), DIGITS)}
    turned = ask("match_equity", away=5, opponent_away=3)
    assert (turned["player"], turned["opponent"]) == (found["opponent"], found["player"])
    assert [ask("match_equity", away=1, opponent_away=each)["crawford"] for each in (4, 1)] == [True, False]
    assert ask("match_equity", away=1, opponent_away=4)["opponent"]["window"] == []
    after = ask("match_equity", away=1, opponent_away=2, post_crawford=True)
    assert after["mwc"] == round(met.mwc(1, 2, True), DIGITS)
    # What the trailer wins by a double at once: the leader may just pass.
    assert after["player"]["take_points"][0] == pytest.approx(0.5, abs=0.02)


def test_pictures(ask: Ask) -> None:
    drawn = ask("picture", position=ROLLED, play="8/5 6/5", other_play="24/20", form="svg")
    assert isinstance(drawn, Picture)
    assert drawn.svg.startswith("<svg")
    assert drawn.png is None
    pytest.importorskip("resvg_py")
    png = ask("picture", position=START, width=300).png
    assert png.startswith(b"\x89PNG")


# Matches


def test_the_worst_decisions_come_first(ask: Ask, sixprime: Callable[..., Any]) -> None:
    found = ask("analyse", path="sample", count=5)
    whole = lean(json.loads(sixprime("analyse", "--sample", "--json", *SMALL).out))
    errors = [each["error"] for each in found["decisions"]]
    assert errors == sorted((each["error"] for each in whole["decisions"]), reverse=True)[:5]
    said_by(whole["players"], found["players"])
    assert found["players"][0]["faults"].keys() < whole["players"][0]["faults"].keys()
    assert len(found["games"]) == len(whole["games"])
    assert "players" not in found["games"][0]
    said_by(whole["games"], ask("analyse", path="sample", by_game=True)["games"])
    for each in found["decisions"]:
        assert parse(each["xgid"])
        assert each["chosen"] in [
            *(play["play"] for play in each.get("plays", ())),
            "No double",
            "Double",
            "Take",
            "Pass",
        ]


def test_a_move_of_a_match(ask: Ask, host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    ask("analyse", path="sample")
    monkeypatch.setattr("sixprime.api.analyse", lambda *_, **__: pytest.fail("it was judged before"))
    found = ask("analyse", path="sample", game=2, move=4)
    assert {(each["game"], each["move"]) for each in found["decisions"]} == {(2, 4)}
    assert [each["player"] for each in found["decisions"]] == sorted(each["player"] for each in found["decisions"])
    mine = ask("analyse", path="sample", game=2, player=1, count=200)
    assert mine == ask("analyse", path="sample", game=2, player=" maxence ", count=200)
    assert {each["player"] for each in mine["decisions"]} == {1}
    # What was right needs no plays.
    assert all(("plays" in each or "cube" in each) == (each["error"] > 0) for each in mine["decisions"])
    assert mine["found"] == len(mine["decisions"])
    assert mine["players"] == [{"name": player.name} for player in read(sample_match()).players]


def test_a_match_as_text_and_with_its_analysis(ask: Ask, tmp_path: Path, sixprime: Callable[..., Any]) -> None:
    text = sample_match().read_text(encoding="utf-8")
    named = ask("analyse", path="sample", count=3)
    assert ask("analyse", text=text, count=3)["decisions"] == named["decisions"]
    kept = tmp_path / "kept.sixprime"
    sixprime("analyse", "--sample", *SMALL, "--save", str(kept))
    assert ask("analyse", path=str(kept), count=3)["decisions"] == named["decisions"]


def test_a_converted_match_is_the_same(ask: Ask) -> None:
    found = ask("convert", path="sample", to="sgf")
    (file,) = found["files"]
    match, again = read(sample_match()), read_text(file["text"])
    assert (again.length, len(again.games)) == (match.length, found["games"])
    assert [[a.play for a in game.actions] for game in again.games] == [
        [a.play for a in game.actions] for game in match.games
    ]
    assert "base64" in ask("convert", path="sample", to="xg")["files"][0]


def test_what_is_too_much_for_an_answer(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sixprime.protocols.tools._LARGEST", 100)
    with pytest.raises(SettingsError, match="more than the 100 of an answer; sixprime convert"):
        ask("convert", path="sample", to="mat")


def test_two_who_ask_for_a_match_at_once_get_one_analysis(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    from sixprime import api

    judged: list[str] = []
    begun, go_on = threading.Event(), threading.Event()

    def slow(match: Match, *rest: Any, **named: Any) -> Any:
        judged.append(match.source)
        begun.set()
        assert go_on.wait(60)
        return api_analyse(match, *rest, **named)

    api_analyse = api.analyse
    monkeypatch.setattr(api, "analyse", slow)
    text = sample_match().read_text(encoding="utf-8").replace("Paris", "Oslo")
    with ThreadPoolExecutor(3) as pool:
        two = [pool.submit(ask, "analyse", text=text, count=1) for _ in range(2)]
        assert begun.wait(60)
        stop = threading.Event()
        stop.set()
        # Who waits may give up.
        with pytest.raises(StoppedError):
            ask("analyse", Watch(None, stop), text=text)
        go_on.set()
        assert two[0].result() == two[1].result()
    assert len(judged) == 1


# A talk about a match


def test_a_talk_about_a_match(ask: Ask) -> None:
    worst = ask("analyse", path="sample", player="unger", count=5)["decisions"]
    play = next(each for each in worst if each["kind"] == "play")
    again = ask("analyse", path="sample", game=play["game"], move=play["move"], player=play["player"])
    assert play["xgid"] in {each["xgid"] for each in again["decisions"]}
    found = ask("explain", position=play["xgid"], play=play["chosen"])
    assert (found["best"]["play"], found["other"]["play"]) == (play["best"], play["chosen"])
    turned = ask("position", position=play["xgid"], cube=4, cube_owner="opponent")
    assert (turned["cube"], turned["cube_owner"], turned["dice"]) == (4, "opponent", play["dice"])
    assert ask("hint", position=turned["xgid"], count=1)["plays"][0]["play"]
    assert "cube" in ask("evaluate", position=turned["xgid"])


# The library


@pytest.fixture(scope="module")
def shelf(host: Host, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    """The library with the sample in it."""
    folder = tmp_path_factory.mktemp("data")
    with pytest.MonkeyPatch.context() as patched:
        for module in (library, relational):
            patched.setattr(module, "data_dir", lambda: folder)
        shelf = Library()
        shelf.keep(host.analysed(read(sample_match()), None, None, NOBODY))
        shelf.tag([Turn(1, 2, 3)], "odd")
        yield shelf


@pytest.mark.parametrize(
    ("asked", "options"),
    [
        ({}, "--count 10"),
        ({"player": "kévin  UNGER", "kind": "play", "count": 3}, "--player 'kévin unger' --kind play --count 3"),
        ({"kind": "cube", "least": 0.05}, "--kind double --kind take --least 0.05 --count 10"),
        ({"phase": "back game", "opponent": "Maxence Job"}, "--phase back-game --against 'Maxence Job' --count 10"),
        ({"plan": "prime", "most": "0.1"}, "--plan prime --most 0.1 --count 10"),
        ({"dice": 31, "order": "luck"}, "--dice 31 --order luck --count 10"),
        ({"score": [3, 5], "length": 7, "crawford": False}, "--score 3a-5a --length 7 --no-crawford --count 10"),
        ({"cube": 2, "cube_owner": "player"}, "--cube 2 --owner own --count 10"),
        ({"cube_owner": "opponent", "order": "latest"}, "--owner theirs --order latest --count 10"),
        ({"cube_owner": "centred", "match": 1}, "--owner centred --match 1 --count 10"),
        ({"pips": [90, 110], "lead": [-20, -8]}, "--pips 90..110 --lead -20..-8 --count 10"),
        ({"own": "6,5:3", "theirs": "bar:1"}, "--own 6,5:3 --theirs bar:1 --count 10"),
        ({"since": "2023-11-01", "until": "2023-11-30", "event": "paris"},
         "--since 2023-11-01 --until 2023-11-30 --event paris --count 10"),
        ({"until": "2023-11-01"}, "--until 2023-11-01"),
        ({"chosen": "13/7", "best": "24/"}, "--chosen 13/7 --best 24/ --count 10"),
        ({"tag": "odd"}, "--tag odd"),
        ({"like": ROLLED, "count": 2}, f"--like {ROLLED} --count 2"),
    ],
    ids=str,
)  # fmt: skip
def test_what_is_found_is_what_the_command_finds(
    shelf: Library, ask: Ask, sixprime: Callable[..., Any], asked: dict[str, Any], options: str
) -> None:
    out = sixprime("library", "find", *shlex.split(options), "--json").out
    found = ask("library_find", **asked)
    said_by([lean(json.loads(line)) for line in out.splitlines()], found["decisions"])
    assert found["found"] >= len(found["decisions"])
    assert all(parse(each["xgid"]) for each in found["decisions"])


def test_where_equity_went(shelf: Library, ask: Ask, sixprime: Callable[..., Any]) -> None:
    for by in ("kind", "score", "tag"):
        out = sixprime("library", "stats", "--by", by, "--player", "Kévin Unger", "--json").out
        found = ask("library_stats", by=by, player="Kévin Unger")
        assert found.pop("found") == len(found["groups"])
        assert found == lean(json.loads(out))
    few = ask("library_stats", by="dice", count=2)
    assert (few["found"], len(few["groups"])) == (22, 2)


def test_players_and_matches(shelf: Library, ask: Ask, sixprime: Callable[..., Any]) -> None:
    everybody = [lean(json.loads(line)) for line in sixprime("library", "players", "--json").out.splitlines()]
    found = ask("library_players")
    said_by(everybody, found["players"])
    assert found["found"] == 2
    assert "trend" not in found["players"][0]
    assert ask("library_players", player="unger")["players"] == [
        each for each in everybody if each["player"] == "Kévin Unger"
    ]
    (match,) = ask("library_matches", player="maxence", event="paris")["matches"]
    said_by(lean(json.loads(sixprime("library", "matches", "--json").out)), match)
    assert ask("library_matches", event="London") == {"found": 0, "matches": []}
    assert ask("library_matches", count=1)["found"] == 1


def test_a_match_of_the_library_is_told_as_it_is(shelf: Library, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    there = ask("analyse", path="sample", count=3)
    monkeypatch.setattr("sixprime.api.analyse", lambda *_, **__: pytest.fail("it is judged"))
    assert ask("analyse", library=1, count=3)["decisions"] == there["decisions"]
    (found,) = ask("library_find", count=1)["decisions"]
    again = ask("analyse", library=found["match"], game=found["game"], move=found["move"], player=found["player"])
    assert found["xgid"] in {each["xgid"] for each in again["decisions"]}
    assert ask("convert", library=1, to="mat")["games"] == len(there["games"])
    with pytest.raises(SettingsError, match="there is no match 2 in the library"):
        ask("analyse", library=2)
    for asked, why in (
        ({"match": 2}, "there is no match 2 in the library"),
        ({"least": 5, "most": 1}, "least must be no more than most, 1"),
        ({"since": "2026-02-01", "until": "2026-01-31"}, "since must be no later than until, 2026-01-31"),
    ):
        for tool in ("library_find", "library_stats"):
            with pytest.raises(SettingsError, match=why):
                ask(tool, **asked)
    with pytest.raises(SettingsError, match="no decision has the tag 'even'; there are odd"):
        ask("library_find", tag="even")
    with pytest.raises(SettingsError, match="no player in the library is called 'Ann'; there are"):
        ask("library_stats", player="Ann")


# What is wrong


@pytest.mark.parametrize(
    ("name", "asked", "said"),
    [
        ("evaluate", {}, "position is missing."),
        ("evaluate", {"position": 5}, "'5' is no position ID"),
        ("evaluate", {"position": None}, "position must be a text. Got None instead."),
        ("evaluate", {"position": "hello"}, "'hello' is no position ID"),
        ("evaluate", {"position": START[:-1]}, "is no position ID"),
        ("evaluate", {"position": ROLLED.replace("E", "Z", 1)}, "character 7 of the XGID board is 'Z'"),
        ("evaluate", {"position": "x" * 30_000}, "position must be a text of a length of at most 20000"),
        ("evaluate", {"position": START, "plies": 9}, "plies must be a whole number of at most 3. Got 9 instead."),
        ("evaluate", {"position": START, "plies": 10**30}, "plies must be a whole number of at most 3"),
        ("evaluate", {"position": START, "plies": "deep"}, "plies must be a whole number or nothing. Got 'deep'"),
        ("evaluate", {"position": START, "ply": 2}, "there is no 'ply'. evaluate takes position, plies."),
        ("evaluate", {"position": "AAAAAAAAAAAAAA"}, "both sides have borne off everything"),
        ("hint", {"position": START}, 'this position has no roll; give dice, such as "31"'),
        ("hint", {"position": START, "dice": "71"}, "a roll must be two digits from 1 to 6"),
        ("hint", {"position": START, "dice": [3, 1]}, "dice must be a text or nothing. Got [3, 1] instead."),
        ("hint", {"position": START, "dice": 315}, "a roll must be two digits from 1 to 6, such as \"31\". Got '315'"),
        ("position", {"position": START, "cube": 3, "cube_owner": "player"}, "cube must be a power of two"),
        ("position", {"position": START, "cube": 2}, "cube_owner must be given for a cube above 1"),
        (
            "position",
            {"position": START, "length": 5, "score": [50, 0]},
            "score must be below the length",
        ),
        (
            "position",
            {"position": START, "length": 5, "score": [5, 0]},
            "score must be below the length",
        ),
        ("position", {"position": ROLLED, "length": 3}, "cannot have 4 points in a match to 3 that goes on"),
        ("position", {"position": START, "crawford": True}, "crawford must be left out of money play"),
        ("position", {"position": START, "length": 7, "jacoby": True}, "jacoby must be left out of a match"),
        ("position", {"position": START, "cube_owner": "player"}, "cube_owner must be centred for a cube of 1"),
        ("position", {"position": START, "score": [3, 4]}, "length must be given with score"),
        ("position", {"position": START, "score": "[" * 100_000}, "score must be a list or nothing. Got '[["),
        ("position", {"position": START, "score": [1]}, "score must be a list of a length of at least 2"),
        ("position", {"position": START, "cube_owner": "me"}, "must be one of centred, opponent, player. Got 'me'"),
        ("explain", {"position": START, "dice": "31", "play": "24/1"}, "'24/1' is no legal play of 3-1"),
        ("rollout", {"position": START, "trials": 10**9}, "trials must be a whole number of at most 46656"),
        ("rollout", {"position": START, "seconds": 0}, "seconds must be a number above 0"),
        ("rollout", {"position": START, "dice": "31", "cube": True}, "cube is the decision before the roll"),
        ("rollout", {"position": START, "cubeless": True, "cube": True}, "cannot be rolled out without cube"),
        ("rollout", {"position": START, "trials": 46_656, "seconds": 1e-6}, "seconds must be more"),
        ("race", {"position": START}, "is no race"),
        ("match_equity", {"away": 0, "opponent_away": 3}, "away must be a whole number of at least 1"),
        ("match_equity", {"away": 3, "opponent_away": 3, "post_crawford": True}, "post_crawford must be false"),
        ("match_equity_table", {"table": "nosuch"}, "table must be one of kazaross-xg2"),
        ("openings", {"roll": "33"}, "no game begins with a double"),
        ("openings", {"reply": "31"}, "go with an opening roll"),
        ("openings", {"roll": "31", "after": "24/20"}, "24/20 was not rolled out; of 31 there are 8/5 6/5"),
        ("analyse", {}, "give path, text or library, one of them"),
        ("analyse", {"path": "a", "text": "b"}, "give path, text or library, one of them"),
        ("analyse", {"path": "sample", "game": 9}, "there is no game 9; there are 1, 2, 3"),
        ("analyse", {"path": "sample", "game": 1, "move": 99}, "there is no move 99 in game 1, which has "),
        ("analyse", {"path": "sample", "move": 999}, "there is no move 999 in any game: the longest has "),
        ("analyse", {"path": ""}, "path must be the name of a file. Got '' instead."),
        ("analyse", {"path": "sample", "player": "e"}, "player must be one of the two: 0, Kévin Unger and 1, Maxence"),
        ("analyse", {"library": 1}, "the library is empty; the command sixprime library add FILES fills it"),
        ("library_find", {}, "the library is empty"),
        ("library_find", {"pips": [110, 90]}, "pips must have the smaller number first. Got [110, 90] instead."),
        ("library_find", {"since": "May"}, "since must be a day such as 2026-01-31. Got 'May' instead."),
        ("library_find", {"own": "6:x"}, "chequers on points are written as 6"),
        ("library_find", {"kind": "plays"}, "kind must be one of cube, double, play, take. Got 'plays' instead."),
        ("library_find", {"like": "hello"}, "'hello' is no position ID"),
        ("library_find", {"by": "plan"}, "there is no 'by'. library_find takes player, opponent, match, "),
        ("library_stats", {"by": "roll"}, "by must be one of cube, dice, kind"),
        ("analyse", {"path": "nosuch.mat"}, "nosuch.mat: cannot be read: No such file"),
        ("analyse", {"path": "."}, "is a folder, not a regular file"),
        ("analyse", {"path": "-"}, "./-: cannot be read"),
        ("analyse", {"path": "a\0b"}, "is no name of a file"),
        ("analyse", {"path": "sample", "match": 2}, "there is no match 2: the file holds 1"),
        ("analyse", {"text": "hello world"}, "no match found"),
        ("analyse", {"text": ROLLED}, f"this is a position, not a match; ask hint or evaluate of {ROLLED}"),
        ("convert", {"path": "sample", "to": "nosuch"}, "'nosuch' is no format; formats that can be written: xg, "),
        ("convert", {"path": "sample", "to": "bgf"}, "can be read, not written"),
        ("picture", {"position": START, "play": "8/5 6/5"}, "this position has no roll"),
        ("picture", {"position": START, "theme": "nosuch"}, "theme must be auto, light"),
    ],
)
def test_what_is_wrong_is_said(
    ask: Ask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, asked: dict[str, Any], said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    for module in (library, relational):
        monkeypatch.setattr(module, "data_dir", lambda: tmp_path)
    with pytest.raises((SixprimeError, OSError)) as error:
        ask(name, **asked)
    assert said in str(error.value).replace("\0", " ")
    assert list(tmp_path.iterdir()) == []


def test_only_regular_files_are_read(ask: Ask, tmp_path: Path) -> None:
    if not hasattr(os, "mkfifo"):
        pytest.skip("there are no pipes with names here")
    os.mkfifo(tmp_path / "pipe.mat")
    for path in (tmp_path / "pipe.mat", "/dev/zero"):
        with pytest.raises(InvalidFileError, match="not a regular file"):
            ask("analyse", path=str(path))


def test_formats_that_are_named_can_be_written() -> None:
    assert "mat or sgf" in TOOLS["convert"].schema["properties"]["to"]["description"]
    assert all(FORMATS[name].write for name in ("mat", "sgf"))


# Long work


@pytest.mark.parametrize(
    ("name", "asked"),
    [
        ("evaluate", {"position": START}),
        ("hint", {"position": START, "dice": "31"}),
        ("cube", {"position": START}),
        ("explain", {"position": START, "dice": "31"}),
        ("race", {"position": RACE}),
        ("rolls", {"position": START}),
        ("scores", {"position": START, "away": 2}),
        ("rollout", {"position": START, "trials": 36}),
    ],
)
def test_whatever_takes_long_can_be_cancelled(name: str, asked: dict[str, Any]) -> None:
    """At 2-ply: 0-ply is over before anybody could cancel it."""
    engine, stop = Engine(plies=2, threads=1), threading.Event()
    stop.set()
    with pytest.raises((StoppedError, SettingsError)) as ended:
        TOOLS[name](Host(lambda: engine), asked, Watch(None, stop))
    assert name == "rollout" or ended.type is StoppedError


def test_compiling_is_no_time_of_a_rollout(host: Host, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host, "_prepared", False)
    monkeypatch.setattr("sixprime.kernels.prepare", lambda *jobs: time.sleep(1))
    assert ask("rollout", position=START, trials=36, truncate=1, seconds=0.9)["finished"]


def test_long_work_tells_how_far_it_is_and_stops(ask: Ask, every_report: None) -> None:
    stop = threading.Event()
    told: list[Progress] = []

    def tell(step: Progress) -> None:
        told.append(step)
        stop.set()

    text = sample_match().read_text(encoding="utf-8").replace("Paris", "London")
    with pytest.raises(StoppedError):
        ask("analyse", Watch(tell, stop), text=text)
    assert told[0].total
    stop.clear()
    found = ask("rollout", Watch(tell, stop), position=START, trials=46_656, truncate=6, seconds=600)
    assert found["finished"] is False
    assert 0 < found["trials"] < 46_656


def test_a_rollout_ends_in_time(ask: Ask, every_report: None) -> None:
    found = ask("rollout", position=START, trials=46_656, truncate=6, seconds=2)
    assert found["finished"] is False
    assert 0 < found["trials"] < 46_656
