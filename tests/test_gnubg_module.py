"""The module `gnubg`: values of the installed program where they are facts, shapes where they are judgements."""

from __future__ import annotations

import ast
import io
import itertools
import json
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sixprime import Engine, analyse, gnubg, read, sample_match
from sixprime.analysis.kept import with_analysis
from sixprime.command import Interpreter, Options
from sixprime.cube.met import MatchEquityTable, load
from sixprime.engine.filters import MoveFilter, get_filter
from sixprime.errors import SettingsError, SixprimeError
from sixprime.game.ids import parse
from sixprime.game.position import Position
from sixprime.game.record import Game, Match, Player
from sixprime.game.state import MatchState
from sixprime.gnubg.console import Python
from sixprime.gnubg.desk import interpreter
from sixprime.gnubg.host import NoGameError
from sixprime.gnubg.table import record

ORACLE = shutil.which("gnubg") or "/usr/games/gnubg"
START = "4HPwATDgc/ABMA"
OTHER = "4HPMwQCMz+AIIQ"
NAMES = [
    "board", "calcgammonprice", "cfevaluate", "classifypos", "command", "cubeinfo", "dicerolls", "eq2mwc",
    "eq2mwc_stderr", "errorrating", "evalcontext", "evaluate", "findbestmove", "getevalhintfilter", "gnubgid",
    "hint", "luckrating", "match", "matchchecksum", "matchid", "met", "movetupletostring", "mwc2eq",
    "mwc2eq_stderr", "navigate", "nextturn", "parsemove", "posinfo", "positionbearoff", "positionfrombearoff",
    "positionfromid", "positionfromkey", "positionid", "positionkey", "rolloutcontext", "setevalhintfilter", "show",
    "updateui", "setgnubgid",
]  # fmt: skip


@dataclass
class Desk:
    """An interpreter of a game that stands still."""

    now: tuple[Position, MatchState] | None = None
    played: Match | None = None
    known: Any = None
    moves: MoveFilter = field(default_factory=lambda: get_filter("normal"))
    lines: list[str] = field(default_factory=list)
    dice: Iterator[tuple[int, int]] = field(default_factory=lambda: itertools.cycle([(3, 1), (6, 5)]))

    def situation(self) -> tuple[Position, MatchState] | None:
        return self.now

    def match(self) -> Match | None:
        return self.played

    def analysed(self) -> Any:
        return self.known

    def met(self) -> MatchEquityTable:
        return load()

    def context(self, cube: bool) -> dict[str, Any]:
        return {"plies": 0}

    def analysis_context(self) -> dict[str, Any]:
        return {"plies": 0}

    def jacoby(self) -> bool:
        return True

    def errorless(self) -> float:
        return 2050.0

    def rollout(self) -> dict[str, Any]:
        return {"trials": 99}

    def filter(self) -> MoveFilter:
        return self.moves

    def engine(self, context: dict[str, Any]) -> None:
        return None

    def set_filter(self, moves: MoveFilter) -> None:
        self.moves = moves

    def throw(self) -> tuple[int, int]:
        return next(self.dice)

    def run(self, line: str) -> None:
        self.lines.append(line)

    def answer(self, line: str) -> str:
        return f"answer to {line}\n\n"

    def navigate(self, games: int | None, records: int | None) -> tuple[int, int] | None:
        return None if games is None and records is None else (games or 0, records or 0)

    def next_turn(self) -> None:
        self.lines.append("turn")


Served = Callable[..., Desk]


@pytest.fixture
def desk() -> Iterator[Served]:
    """Serves a desk with the situation of an ID."""

    def make(text: str | None = None, **parts: Any) -> Desk:
        found = None if text is None else parse(text)
        made = Desk(None if found is None else (found.position, found.state), **parts)
        gnubg.serve(made)
        return made

    yield make
    gnubg.serve(None)


def test_names() -> None:
    assert sorted(NAMES) == gnubg.__all__
    assert len(gnubg.__all__) == 39
    assert all(getattr(gnubg, name).__doc__ for name in NAMES)


def test_boards_ids_and_keys() -> None:
    side = (0, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0)
    assert gnubg.positionfromid(START) == (side, side)
    assert gnubg.positionid((side, side)) == START
    key = gnubg.positionkey((side, side))
    assert key == (224, 115, 240, 1, 48, 224, 115, 240, 1, 48)
    assert gnubg.positionfromkey(key) == (side, side)


@given(st.lists(st.integers(0, 3), min_size=6, max_size=6).filter(lambda side: sum(side) <= 15))
def test_bearoff_numbers_lead_back(side: list[int]) -> None:
    counts = (*side, *[0] * 19)
    assert gnubg.positionfrombearoff(gnubg.positionbearoff(counts)) == counts


def test_bearoff_numbers() -> None:
    # As the program numbers them.
    assert gnubg.positionbearoff((0, 0, 0, 0, 0, 5, *[0] * 19)) == 461
    assert gnubg.positionbearoff((1, 2, 3, 1, 0, 5, *[0] * 19), 6, 15) == 15950
    assert {gnubg.positionbearoff(gnubg.positionfrombearoff(n, 3, 6), 6, 3) for n in range(84)} == set(range(84))
    with pytest.raises(SettingsError, match="up to 15 chequers on 6 points"):
        gnubg.positionbearoff(gnubg.positionfromid(START))
    with pytest.raises(SettingsError, match="is 0 to 83"):
        gnubg.positionfrombearoff(84, 3, 6)


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("8/5 6/5", ((8, 5), (6, 5))),
        ("24/18*/13", ((24, 18), (18, 13))),
        ("bar/22 6/off(2)", ((25, 22), (6, 0), (6, 0))),
        ("8/5(2) 6/3(2)", ((8, 5), (8, 5), (6, 3), (6, 3))),
    ],
)
def test_plays_read_and_written(text: str, steps: Any) -> None:
    assert gnubg.parsemove(text) == steps


@pytest.mark.parametrize("key", [10, 10**30, [0] * 9, [256] * 10, "x" * 10, None])
def test_what_is_no_key_is_refused(key: Any) -> None:
    with pytest.raises(SettingsError, match="a key is 10 whole numbers"):
        gnubg.positionfromkey(key)


@pytest.mark.parametrize("text", [(), None, 8, ["8/5"], b"8/5"])
def test_what_is_no_text_is_no_play(text: Any) -> None:
    with pytest.raises(SettingsError, match="text must be a text"):
        gnubg.parsemove(text)


def test_plays_written() -> None:
    board = gnubg.positionfromid(START)
    assert gnubg.movetupletostring((8, 5, 6, 5), board) == "8/5 6/5"
    assert gnubg.movetupletostring((8, 5, 6, 5, 0, 0, 0, 0), board) == "8/5 6/5"
    assert gnubg.movetupletostring(((8, 5), (6, 5)), board) == "8/5 6/5"
    assert gnubg.movetupletostring((24, 18, 18, 13), board) == "24/13"
    assert gnubg.movetupletostring((24, 23, 24, 18), board) == "24/23 24/18"
    assert gnubg.movetupletostring((), board) == ""
    blot = ((0, 0, 0, 0, 0, 1, *[0] * 19), (0, 2, *[0] * 19, 0, 0, 1, 0))
    assert gnubg.movetupletostring((24, 19), blot) == "24/19*"


def test_cubes_and_situations() -> None:
    cube = gnubg.cubeinfo(2, 0, 1, 7, (2, 3), 0, 0)
    prices = cube.pop("gammonprice")
    assert cube == {
        "cube": 2,
        "cubeowner": 0,
        "move": 1,
        "matchto": 7,
        "score": (2, 3),
        "crawford": 0,
        "jacoby": 0,
        "beavers": 0,
        "bgv": 0,
    }
    assert prices[0] == pytest.approx((1.5415277, 1.1783298), abs=1e-5)
    assert prices[1] == pytest.approx((1.6275348, 0.0), abs=1e-5)
    assert gnubg.cubeinfo(1, -1, 0, 0, (0, 0), 0, 0)["gammonprice"] == ((0, 0), (0, 0))
    assert gnubg.cubeinfo(2, 0, 1, 0, (2, 3), 0, 0)["gammonprice"] == ((1, 1), (1, 1))
    post = gnubg.cubeinfo(1, -1, 0, 3, (2, 0), 0, 0)["gammonprice"]
    assert post[1] == pytest.approx((0.0490546, 2.0490546), abs=1e-5)
    free = gnubg.cubeinfo(2, 0, 1, 0, (0, 0), 0, 0) | {"jacoby": 0, "cubeowner": -1}
    assert gnubg.calcgammonprice(free)["gammonprice"] == ((1, 1), (1, 1))
    assert gnubg.cubeinfo(2, 0, 1, 7, (2, 3)) == gnubg.cubeinfo(2, 0, 1, 7, (2, 3), 0, 0)
    assert gnubg.cubeinfo(2, 0) == gnubg.cubeinfo(2, 0, 1, 0, (0, 0), 0, 0)
    with pytest.raises(TypeError, match=r"up to 7 arguments: .* Got 8"):
        gnubg.cubeinfo(2, 0, 1, 7, (2, 3), 0, 0, 0)
    assert gnubg.posinfo(1) == gnubg.posinfo(1, 0, 0, 0, (0, 0))
    info = gnubg.posinfo(1, 0, 0, 1, (3, 1))
    assert info == {"dice": (3, 1), "turn": 1, "resigned": 0, "doubled": 0, "gamestate": 1}
    assert gnubg.gnubgid(gnubg.positionfromid(OTHER), cube, info) == "4HPMwQCMz+AIIQ:QYnlACAAGAAE"
    assert gnubg.matchid(cube, info) == "QYnlACAAGAAE"


def test_contexts() -> None:
    assert gnubg.evalcontext() == {"cubeful": 1, "plies": 2, "deterministic": 1, "prune": 1, "noise": 0.0}
    assert gnubg.evalcontext(1, 2, 0, 0, 0.1)["noise"] == 0.1
    assert len(gnubg.rolloutcontext()) == 18
    assert gnubg.rolloutcontext(0)["cubeful"] == 0


def test_equities_and_chances() -> None:
    pre, *post = gnubg.met(3)
    assert pre[0] == pytest.approx([0.5, 0.67736, 0.75076], abs=1e-6)
    assert post[0] == pytest.approx([0.5, 0.48803, 0.32264], abs=1e-6)
    cube = gnubg.cubeinfo(2, 0, 1, 7, (2, 3), 0, 0)
    assert gnubg.mwc2eq(gnubg.eq2mwc(0.5, cube), cube) == pytest.approx(0.5)
    assert gnubg.mwc2eq_stderr(gnubg.eq2mwc_stderr(0.1, cube), cube) == pytest.approx(0.1)
    assert gnubg.eq2mwc(0.5, gnubg.cubeinfo(1, -1, 0, 0, (0, 0), 0, 0)) == 0.5


def test_ratings() -> None:
    assert [gnubg.errorrating(x) for x in (0.001, 0.003, 0.005, 0.01, 0.015, 0.02, 0.03, 0.05)] == [
        7,
        6,
        5,
        4,
        3,
        2,
        1,
        0,
    ]
    assert [gnubg.luckrating(x) for x in (-0.1, -0.05, -0.02, 0, 0.02, 0.05, 0.1)] == [0, 1, 2, 2, 2, 3, 4]
    # What GNU Backgammon 1.07 says at the bounds.
    assert [gnubg.luckrating(x) for x in (-0.06, -0.03, 0.03, 0.06)] == [1, 2, 2, 3]


def test_filters(desk: Served) -> None:
    host = desk(f"{START}:cIkKAAAAAAAE")
    levels = gnubg.getevalhintfilter()
    assert len(levels) == 10
    assert levels[0] == {"ply": 1, "level": 0, "acceptmoves": 0, "extramoves": 8, "threshold": 0.16}
    assert levels[2] == {"ply": 2, "level": 1, "acceptmoves": -1, "extramoves": 0, "threshold": 0.0}
    gnubg.setevalhintfilter([levels[1] | {"extramoves": 3}])
    assert gnubg.getevalhintfilter()[1]["extramoves"] == 3
    assert gnubg.getevalhintfilter()[0] == levels[0]
    assert host.moves.text != "normal"


MONEY = (1, -1, 0, 0, (0, 0), 0, 0)
STATIC = {"plies": 0}


def test_judgements() -> None:
    board = gnubg.positionfromid(OTHER)
    chances = gnubg.evaluate(board, gnubg.cubeinfo(*MONEY), STATIC)
    assert len(chances) == 6
    assert chances == pytest.approx((0.4768, 0.1057, 0.0012, 0.1012, 0.0034, -0.0441), abs=0.05)
    in_match = gnubg.evaluate(board, gnubg.cubeinfo(1, -1, 0, 7, (6, 0), 0, 0), STATIC)
    assert in_match[:5] == pytest.approx(chances[:5])
    assert in_match[5] < chances[5]  # the leader's gammons are worth nothing
    decision = gnubg.cfevaluate(board, gnubg.cubeinfo(*MONEY), STATIC)
    assert decision[3:] == (1.0, 2, "No double, take")
    assert decision[0] == decision[1] > decision[2]
    assert gnubg.cfevaluate(board, gnubg.cubeinfo(1, 0, 1, 7, (0, 0), 0, 0), STATIC)[4:] == (
        15,
        "Unknown cube decision",
    )
    assert gnubg.cfevaluate(board, gnubg.cubeinfo(1, 1, 1, 7, (0, 0), 0, 0), STATIC)[4:] == (9, "No redouble, take")
    dead = gnubg.cfevaluate(board, gnubg.cubeinfo(1, -1, 1, 7, (6, 0), 1, 0), STATIC)
    assert dead[4:] == (13, "Never double, take (dead cube)")
    beavers = gnubg.cubeinfo(*MONEY) | {"beavers": 1}
    assert gnubg.cfevaluate(board, beavers, STATIC)[5] == "No double, beaver"
    assert gnubg.findbestmove(gnubg.positionfromid(START), gnubg.cubeinfo(*MONEY), STATIC, (3, 1)) == (8, 5, 6, 5)


@pytest.mark.parametrize(
    ("text", "number"), [(START, 10), (OTHER, 10), ("2x0AAOi2AQAAAA", 6), ("CgAAEAEAAAAAAA", 4), ("AAAAAAAAAAAAAA", 0)]
)
def test_classes(text: str, number: int) -> None:
    assert gnubg.classifypos(gnubg.positionfromid(text), 0) == number


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("AAIAutsWAAAAAA", 9),  # two chequers are left
        ("4HPwAQzvBwAAPg", 9),  # 4 on the ace point, 6 on the deuce point, 5 elsewhere
        ("4HPwAQzvAwAAPw", 10),  # 4, 5 and 6
        ("4HPwAQz9DwAAPA", 9),  # 1, 10 and 4
        ("4HPwAQz9BwAAPg", 10),  # 1, 9 and 5
        ("vwMAgB/gc/AxAA", 10),  # 6, 3 and 6 of the side that is not on roll
    ],
)
def test_crashed_positions_as_gnu_backgammon_classes_them(text: str, number: int) -> None:
    assert gnubg.classifypos(gnubg.positionfromid(text)) == number


def test_the_cube_of_the_game_comes_without_beavers(desk: Served) -> None:
    """So do the verdicts that scripts get by it."""
    desk(f"{START}:cAkAAAAAAAAA")
    board = gnubg.board()
    assert gnubg.cubeinfo()["beavers"] == 0
    assert gnubg.cfevaluate(board, gnubg.cubeinfo(), STATIC)[5] == "No double, take"
    assert gnubg.cfevaluate(board, None, STATIC)[5] == "No double, beaver"


def test_hints(desk: Served) -> None:
    desk(f"{START}:cIkKAAAAAAAE")
    found = gnubg.hint(2)
    assert list(found) == ["hinttype", "gnubgid", "hint"]
    assert found["hinttype"] == "chequer"
    first, second = found["hint"]
    assert list(first) == ["movenum", "type", "move", "equity", "eqdiff", "context", "details"]
    assert (first["movenum"], first["eqdiff"]) == (1, 0.0)
    assert second["eqdiff"] == second["equity"] - first["equity"] <= 0
    assert len(first["details"]["probs"]) == 5
    desk(f"{START}:cIkJAAAAAAAE")
    every = len(Position.start().plays(gnubg.posinfo()["dice"]))
    assert [len(gnubg.hint(most)["hint"]) for most in (0, 9999, -1)] == [10, every, every]
    assert len(gnubg.hint()["hint"]) == every > 10
    desk("27YBAGDbNgAAAg:cAkbAAAAAAAA")  # on the bar against a closed board
    assert gnubg.hint()["hint"] == []
    desk(f"{OTHER}:cAkAAAAAAAAA")
    cube = gnubg.hint()
    assert cube["hinttype"] == "cube"
    assert cube["hint"][0]["action"].startswith("No double")
    assert len(cube["hint"][0]["equities"]) == 4


def test_the_number_of_hints_may_be_a_truth_value(desk: Served) -> None:
    """As wherever Python wants a whole number."""
    desk(f"{START}:cIkJAAAAAAAE")
    assert [len(gnubg.hint(most)["hint"]) for most in (True, False)] == [1, 10]


def test_game_of_the_interpreter(desk: Served) -> None:
    host = desk("4HPMwQCMz+AIIQ:QYnlACAAGAAE")
    assert gnubg.board() == gnubg.positionfromid(OTHER)
    assert gnubg.gnubgid() == "4HPMwQCMz+AIIQ:QYnlACAAGAAE"
    assert gnubg.cubeinfo() == gnubg.cubeinfo(2, 0, 1, 7, (2, 3), 0, 0)
    assert gnubg.posinfo()["dice"] == (3, 1)
    assert gnubg.met()[1] == gnubg.met(7)[1]
    assert gnubg.cubeinfo(4) == gnubg.cubeinfo(4, 0, 1, 7, (2, 3), 0, 0)
    assert gnubg.cubeinfo(1, -1, 0, 5) == gnubg.cubeinfo(1, -1, 0, 5, (2, 3))
    assert gnubg.posinfo(0, 1) == gnubg.posinfo(0, 1, 0, 1, (3, 1))
    assert gnubg.cubeinfo(2, 0, 1, 9)["crawford"] == 0
    assert gnubg.classifypos() == gnubg.classifypos(gnubg.board()) == 10
    gnubg.serve(Desk((Position.start("hypergammon2"), MatchState())))
    assert gnubg.classifypos() == 2
    gnubg.serve(Desk(None))
    assert gnubg.classifypos() == 0
    gnubg.serve(host)
    gnubg.command("roll")
    gnubg.setgnubgid(f"{START}:cIkKAAAAAAAE")
    gnubg.nextturn()
    assert host.lines == ["roll", f"set gnubgid {START}:cIkKAAAAAAAE", "turn"]
    assert gnubg.show("dice") == "answer to show dice"
    assert gnubg.dicerolls(3) == ((3, 1), (6, 5), (3, 1))
    assert gnubg.navigate() is None
    assert gnubg.navigate(game=1, next=-2) == (1, -2)
    assert gnubg.navigate(3, 1) == (1, 3)  # actions, then games, as in GNU Backgammon
    assert gnubg.rolloutcontext()["trials"] == 99
    assert gnubg.match() is None


@pytest.mark.parametrize(
    "name", [name for name in NAMES if name not in {"updateui", "met", "evalcontext", "rolloutcontext"}]
)
def test_wrong_arguments(name: str) -> None:
    gnubg.serve(None)
    function = getattr(gnubg, name)
    for arguments in (
        (),
        ("?",),
        (None,),
        (-1,),
        ((1, 2), {}),
        ([], [], []),
        ({"cube": 3}, {"dice": 9}),
        (object(),) * 5,
    ):
        said = "fine"
        try:
            function(*arguments)
        except (SixprimeError, TypeError, ValueError) as error:
            said = str(error)
        assert said.strip()


def test_without_an_interpreter() -> None:
    with pytest.raises(NoGameError, match="no interpreter"):
        gnubg.command("show board")
    board = gnubg.positionfromid(START)
    assert gnubg.findbestmove(board, None, STATIC, (3, 1)) == (8, 5, 6, 5)
    assert gnubg.evaluate(board, None, STATIC) == gnubg.evaluate(board, gnubg.cubeinfo(*MONEY), STATIC)
    with pytest.raises(NoGameError):
        gnubg.evaluate(None, None, STATIC)


def test_match_says_what_differs_from_the_default_context(judged: Any) -> None:
    def told(plies: int, verbose: bool = False) -> Any:
        found = record(judged.match, judged, context=gnubg.evalcontext(1, plies), verbose=verbose)
        return [each.get("eval-context") for each in found["games"][0]["game"][0]["analysis"]["moves"]]

    assert set(map(str, told(0))) == {"None"}
    assert set(map(str, told(2))) == {"{'plies': 0}"}
    assert told(2, verbose=True)[0] == gnubg.evalcontext(1, 0)


def test_a_rating_of_a_match_has_the_experience() -> None:
    match = Match((Player("Ann", 1800.0, 500), Player("Bo")), 7, ())
    info = record(match, None, context=gnubg.evalcontext())["match-info"]
    assert (info["X"], info["O"]) == ({"name": "Ann", "rating": "1800 (Exp 500)"}, {"name": "Bo"})


def test_a_game_after_automatic_doubles_tells_its_first_cube() -> None:
    games = (Game(1, (0, 0), False, (), cube=4), Game(2, (0, 0), False, ()))
    found = record(Match((Player("Ann"), Player("Bo")), 0, games), None, context=gnubg.evalcontext())
    assert [game["info"].get("initial-cube") for game in found["games"]] == [4, None]


@pytest.mark.parametrize("date", ["2026-01-²", "2026-01", f"2026-01-{'9' * 5000}", "May 2026"])
def test_what_is_no_date_is_left_out(date: str) -> None:
    match = Match((Player("Ann"), Player("Bo")), 7, (), info={"date": date})
    assert "date" not in record(match, None, context=gnubg.evalcontext())["match-info"]


def test_match(desk: Served, judged: Any) -> None:
    desk(f"{START}:cIkKAAAAAAAE", played=judged.match, known=judged)
    found = gnubg.match(1, 1, 1, 0)
    assert found is not None
    info = found["match-info"]
    assert (info["X"]["name"], info["O"]["name"]) == ("Kévin Unger", "Maxence Job")
    assert (info["date"], info["match-length"], info["rules"]) == ((26, 11, 2023), 7, ("Crawford",))
    assert info["default-eval-context"] == gnubg.evalcontext(1, 0)
    assert len(found["games"]) == 7
    first = found["games"][0]
    assert first["info"] == {"score-X": 0, "score-O": 0, "winner": "X", "points-won": 1, "resigned": False}
    opening = first["game"][0]
    assert (opening["action"], opening["player"], opening["dice"]) == ("move", "X", (5, 1))
    assert opening["move"] == ((24, 23), (13, 8))
    assert opening["board"] == START
    assert set(opening["analysis"]) >= {"imove", "moves", "luck-value"}
    moves = opening["analysis"]["moves"]
    assert [play["score"] for play in moves] == sorted((play["score"] for play in moves), reverse=True)
    reply = first["game"][1]["analysis"]
    assert 0.4 < reply["nd-cubeful-eq"] < 0.6
    assert reply["nd-match-eq"] != reply["dt-match-eq"]
    statistics = found["stats"]["O"]
    assert statistics["moves"]["total-moves"] == 165
    assert sum(statistics["moves"]["marked"].values()) == statistics["moves"]["total-moves"]
    assert set(statistics["dice"]["marked-rolls"]) == {"verygood", "good", "unmarked", "bad", "verybad"}
    cube = statistics["cube"]
    costs = [value for name, value in cube.items() if name.startswith("err-") and name.endswith("-skill")]
    assert len(costs) == 6
    plain = gnubg.match(0, 0)
    assert plain is not None
    assert all(
        set(action) <= {"dice", "move", "action", "player", "points"}
        for game in plain["games"]
        for action in game["game"]
    )
    assert len(gnubg.matchchecksum()) == 32
    json.dumps(found)


def lines(host: Desk | None = None) -> tuple[Python, list[str], list[str]]:
    out: list[str] = []
    err: list[str] = []
    return Python(host or Desk(), out.append, err.append), out, err


def test_whether_it_is_the_crawford_game_is_said_near_the_end(
    shell: tuple[Interpreter, list[str], list[str]],
) -> None:
    interpreter, out, _ = shell
    found = []
    for lines in (("new match 1",), ("new match 3",), ("set score 2 2",), ("new session",)):
        interpreter.run_lines(["set player both human", *lines])
        out.clear()
        interpreter.run("> print(gnubg.match(0)['games'][-1]['info'].get('crawford'))")
        found.append("".join(out).strip())
    assert found == ["False", "None", "False", "None"]


def test_after_a_game_the_match_is_as_its_board_shows_it(shell: tuple[Interpreter, list[str], list[str]]) -> None:
    """After the Crawford game, and with the match, it is over; whoever passed has the turn."""
    interpreter, out, _ = shell
    last = [(0, 5, *[0] * 23), (1, *[0] * 24)]
    won = ("set turn 1", f"set board {gnubg.positionid(last)}", "set dice 2 1", "move 1/off")
    crawford = ("new match 3", "set score 2 0", "set crawford on")
    begun = ("set player both human", "set automatic game off", "set automatic roll off", "set confirm new off")
    found = []
    for lines in (
        (*crawford, *won),
        ("new match 2", "set score 0 1", "set crawford on", *won),
        ("new match 3", "set turn 1", "double", "drop"),
    ):
        interpreter.run_lines([*begun, *lines])
        out.clear()
        interpreter.run("> print(gnubg.matchid(), gnubg.posinfo()['turn'])")
        found.append("".join(out).strip())
    assert found == ["MAJgACAACAAE 0", "MAJAAAAAEAAE 0", "cARgAAAACAAE 0"]


def test_a_beavered_double_is_the_one_that_the_board_shows(shell: tuple[Interpreter, list[str], list[str]]) -> None:
    interpreter, out, _ = shell
    double = ("set player both human", "set automatic roll off", "new session", "set turn 0", "double", "beaver")
    interpreter.run_lines(double)
    out.clear()
    interpreter.run("> print(gnubg.matchid(), gnubg.cubeinfo()['cube'], gnubg.cubeinfo()['cubeowner'])")
    assert "".join(out).strip() == "EREAAAAAAAAA 2 1"
    interpreter.run_lines(["set automatic game off", "drop"])
    out.clear()
    interpreter.run("> print(gnubg.matchid())")
    assert "".join(out).strip() == "EQQAAAAAEAAA"


def test_lines_of_python() -> None:
    python, out, err = lines()
    python.line("x = 6 * 7")
    python.line("x")
    python.line("print(x, gnubg.errorrating(0.01))")
    python.line("import gnubg as again; again is gnubg")
    assert ("".join(out), err) == ("42\n42 4\nTrue\n", [])
    python.line("1 +")
    python.line("1 / 0")
    python.line("gnubg.board(1)")
    told = "".join(err)
    assert "SyntaxError" in told
    assert "ZeroDivisionError: division by zero" in told
    assert "TypeError" in told
    assert "console.py" not in told
    err.clear()
    python.line("gnubg.classifypos(((1,), (2,)))")
    assert "".join(err).count('File "<string>"') == 1


def test_scripts(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    (tmp_path / "beside.py").write_text("def fail():\n    raise KeyError('what')\n")
    script.write_text(
        "import gnubg, beside, sys\nprint(__name__, sys.argv, gnubg.positionkey(gnubg.board()))\n"
        "gnubg.command('show board')\nbeside.fail()\nprint('never')\n"
    )
    position, state = parse(START).position, parse(START).state
    host = Desk((position, state))
    python, out, err = lines(host)
    python.script(None, script)
    assert "".join(out) == "__main__ [''] (224, 115, 240, 1, 48, 224, 115, 240, 1, 48)\n"
    assert host.lines == ["show board"]
    told = "".join(err)
    assert told.startswith("Traceback")
    assert told.rstrip().endswith("KeyError: 'what'")
    assert f'File "{script}", line 4' in told
    assert "beside.py" in told
    assert "sixprime" not in told
    script.write_text("import sys\nsys.exit(3)\n")
    python.script(None, script)
    script.write_text("import gnubg\ngnubg.positionfromid('xx')\n")
    err.clear()
    python.script(None, script)
    assert "InvalidIdError: the position ID 'xx' has 2 characters, not 14" in "".join(err)
    with pytest.raises(FileNotFoundError):
        python.script(None, tmp_path / "missing.py")


def test_console() -> None:
    python, out, err = lines()
    asked = iter(["y = 5", "if y:", "    y += 1", "", "y", "1/0", "exit()"])
    python.console(lambda prompt: next(asked))
    assert "".join(out) == "6\n"
    assert "ZeroDivisionError" in "".join(err)


def test_exit_ends_the_python_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands may come from the standard input, which Python's own `exit` closes."""
    commands = io.StringIO("show turn\n")
    monkeypatch.setattr("sys.stdin", commands)
    python, out, err = lines()
    for word in ("exit()", "quit(3)"):
        python.line(word)
    python.line("1 + 1")
    assert (out, err, commands.closed) == (["2", "\n"], [], False)


FACTS = """gnubg.positionid(gnubg.positionfromid('4HPMwQCMz+AIIQ'))
gnubg.positionfromid('2x0AAOi2AQAAAA')
gnubg.positionfromkey([224, 115, 240, 1, 48, 224, 115, 240, 1, 48])
gnubg.cubeinfo(2,0,1,7,(2,3),0,0)
gnubg.cubeinfo(1,-1,0,3,(2,0),1,0)
gnubg.cubeinfo(4,1,0,11,(3,9),0,0)
gnubg.cubeinfo(1,-1,1,0,(0,0),0,0)
gnubg.posinfo(0,1,1,3,(6,1))
gnubg.evalcontext(0,1,1,0,0.5)
gnubg.matchid(gnubg.cubeinfo(2,0,1,7,(2,3),0,0),gnubg.posinfo(1,0,0,1,(3,1)))
gnubg.gnubgid(gnubg.positionfromid('4HPMwQCMz+AIIQ'),gnubg.cubeinfo(1,-1,0,0,(0,0),0,0),gnubg.posinfo(0,0,0,1,(6,1)))
gnubg.eq2mwc(0.5,gnubg.cubeinfo(2,0,1,7,(2,3),0,0))
gnubg.mwc2eq(0.5,gnubg.cubeinfo(2,0,1,7,(2,3),0,0))
gnubg.eq2mwc_stderr(0.1,gnubg.cubeinfo(2,1,0,9,(2,3),0,0))
gnubg.mwc2eq_stderr(0.1,gnubg.cubeinfo(2,1,0,9,(2,3),0,0))
gnubg.met(24)
gnubg.classifypos(gnubg.positionfromid('2x0AAOi2AQAAAA'),0)
gnubg.classifypos(gnubg.positionfromid('CgAAEAEAAAAAAA'),0)
gnubg.classifypos(gnubg.positionfromid('4HPwATDgc/ABMA'),0)
gnubg.parsemove('24/18*/13 bar/22')
gnubg.movetupletostring((24,18,18,13),gnubg.positionfromid('4HPwATDgc/ABMA'))
gnubg.positionbearoff((1,2,3,1,0,5)+(0,)*19)
[gnubg.errorrating(n/1000) for n in range(50)]
[gnubg.luckrating(n/1000+.0005) for n in range(-90,90)]"""


def near(one: Any, other: Any) -> bool:
    if isinstance(one, float) or isinstance(other, float):
        return one == pytest.approx(other, abs=2e-5, rel=1e-5)
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(near(one[name], other[name]) for name in one)
    if isinstance(one, list | tuple):
        return type(one) is type(other) and len(one) == len(other) and all(map(near, one, other))
    return bool(one == other)


@pytest.mark.skipif(not Path(ORACLE).exists(), reason="GNU Backgammon is not installed")
def test_facts_are_those_of_the_program(tmp_path: Path) -> None:
    script, answers = tmp_path / "ask.py", tmp_path / "answers"
    asked = FACTS.splitlines()
    script.write_text(
        f"import gnubg\nwith open({str(answers)!r}, 'w') as f:\n"
        + "".join(f"    print(repr({line}), file=f)\n" for line in asked)
    )
    subprocess.run(
        [ORACLE, "-t", "-q", "-r", "-p", str(script)], stdin=subprocess.DEVNULL, capture_output=True, timeout=60
    )
    for line, answer in zip(asked, answers.read_text().splitlines(), strict=True):
        ours = eval(line)
        assert near(ours, eval(answer)), f"{line}: {ours}, there {answer[:300]}"


@pytest.fixture
def shell() -> tuple[Interpreter, list[str], list[str]]:
    out: list[str] = []
    err: list[str] = []
    return interpreter(out.append, err.append), out, err


def test_python_in_an_interpreter(shell: tuple[Interpreter, list[str], list[str]]) -> None:
    interpreter, out, err = shell
    interpreter.state = interpreter.state.with_match(read(sample_match()))
    interpreter.state = interpreter.state.gone(0, 0)
    # What is left of the way, actions first; None where it went so far.
    interpreter.run("> gnubg.navigate(game=2, next=3), gnubg.navigate(game=-9), gnubg.navigate(game=-1)")
    interpreter.run("> gnubg.navigate(next=2), gnubg.navigate(next=-5), gnubg.navigate()")
    interpreter.run("> gnubg.command('set automatic game off')")
    interpreter.run("> gnubg.positionid(), len(gnubg.match()['games']), gnubg.evalcontext()['plies']")
    interpreter.run("> said = gnubg.show('nonsense')")
    interpreter.run("> gnubg.setevalhintfilter([gnubg.getevalhintfilter()[0] | {'extramoves': 2}])")
    interpreter.run("> 1 / 0")
    interpreter.run("> print(len(gnubg.dicerolls(2)))")
    told = "".join(out).splitlines()
    assert told[:2] == ["(None, (0, -7), (0, -1))", "(None, (-3, 0), None)"]
    assert told[2] == "Will not automatically start games."
    assert told[3] == f"('{START}', 7, 2)"
    assert told[-1] == "2"
    assert interpreter.state.options.evaluation.filter[0][0][1] == 2
    assert interpreter.state.options.evaluation.filter[1:] == Options().evaluation.filter[1:]
    assert "ZeroDivisionError" in "".join(err)
    assert "Unknown keyword `nonsense'" in "".join(err)


def test_money_by_the_rules_that_are_set(shell: tuple[Interpreter, list[str], list[str]]) -> None:
    interpreter, out, _ = shell
    asked = "> print(gnubg.cubeinfo(1, -1, 1, 0)['jacoby'], gnubg.cubeinfo(1, -1, 1, 0)['gammonprice'][0])"
    told = []
    for line in ("set automatic roll off", "set jacoby off", "new session", "set jacoby on", "new match 3"):
        interpreter.run(line)
        out.clear()
        interpreter.run(asked)
        told += out
    # Within a match there is no Jacoby rule.
    assert "".join(told).splitlines() == ["1 (0.0, 0.0)", *["0 (1.0, 1.0)"] * 2, "1 (0.0, 0.0)", "0 (1.0, 1.0)"]


def test_means_of_a_session(shell: tuple[Interpreter, list[str], list[str]], tmp_path: Path) -> None:
    interpreter, out, _ = shell
    game = "  1) 31: 8/5 6/5           42: 8/4 6/4\n  2)  Doubles => 2          Drops\n      Wins 1 point\n"
    heads = (f" Game {number}\n A : {number - 1}               B : 0\n" for number in (1, 2))
    file = tmp_path / "session.mat"
    file.write_text(" 0 point match\n\n" + "\n".join(head + game for head in heads))
    interpreter.run(f"import mat {file}")
    for line in ("chequerplay evaluation plies 0", "cubedecision evaluation plies 0"):
        interpreter.run(f"set analysis {line}")
    interpreter.run("analyse match")
    out.clear()
    interpreter.run("> print(gnubg.match(statistics=1)['stats']['X']['ppg-advantage'])")
    found = ast.literal_eval("".join(out))
    assert list(found) == ["actual", "actual-ci", "luck-adjusted", "luck-adjusted-ci"]
    assert (found["actual"], found["actual-ci"]) == (1.0, 0.0)
    assert found["luck-adjusted"] != 1.0


def test_statistics_of_what_nobody_judged(shell: tuple[Interpreter, list[str], list[str]]) -> None:
    interpreter, out, _ = shell
    interpreter.run(f"import mat {sample_match()}")
    out.clear()
    interpreter.run("> found = gnubg.match(statistics=1)")
    interpreter.run("> print('default-eval-context' in found['match-info'], found['stats']['X']['moves'])")
    told, _, moves = "".join(out).partition(" ")
    assert told == "False"
    found = ast.literal_eval(moves)
    assert found["total-moves"] == found["marked"]["unmarked"] > 0
    assert repr(found["error-cost"]) == repr(found["error-skill"]) == "0.0"
    out.clear()
    interpreter.run("> print([game['stats']['X']['moves']['total-moves'] for game in found['games']])")
    assert sum(ast.literal_eval("".join(out))) == found["total-moves"]


def test_statistics_are_by_the_table_of_the_analysis(shell: tuple[Interpreter, list[str], list[str]]) -> None:
    interpreter, out, _ = shell
    analysed = analyse(read(sample_match()), Engine(plies=0, met=load("woolsey")))
    interpreter.state = interpreter.state.with_match(with_analysis(analysed))
    interpreter.run("> print(gnubg.match(statistics=1)['stats']['X']['moves']['error-cost'])")
    assert float("".join(out)) == pytest.approx(analysed.statistics[0].chequer_error_mwc, abs=1e-6)


def test_answers_are_caught(shell: tuple[Interpreter, list[str], list[str]]) -> None:
    interpreter, out, _ = shell
    interpreter.run("> import sixprime.gnubg.host as seam; said = seam.host().answer('help set automatic game')")
    assert out == []
    interpreter.run("> print('Usage' in said, said.endswith('on|off' + chr(10)))")
    assert "".join(out) == "True True\n"


def test_scripts_judge_as_is_set(shell: tuple[Interpreter, list[str], list[str]]) -> None:
    interpreter, out, _ = shell
    board, cube = "gnubg.positionfromid('4HPMwQCMz+AIIQ')", "gnubg.cubeinfo(1, -1, 0, 0, (0, 0), 0, 0)"
    line = f"> print(gnubg.cfevaluate({board}, {cube}, gnubg.evalcontext(1, 0))[2])"
    for before in ("set automatic game off", "set cubeefficiency contact 1", "set cubeefficiency contact 0.68"):
        interpreter.run_lines([before, line])
    told = [text for text in "".join(out).splitlines() if text.lstrip("-")[:2] in ("0.", "1.")]
    usual, live, again = map(float, told)
    assert usual == again != live


def test_rollouts_are_told_whole(shell: tuple[Interpreter, list[str], list[str]]) -> None:
    """Keys and numbers are those that GNU Backgammon 1.07 tells of this file."""
    interpreter, out, _ = shell
    interpreter.run(f"load match {Path(__file__).parent / 'data/sgf/rollouts.sgf'}")
    interpreter.run("> told = [each.get('analysis', {}) for game in gnubg.match()['games'] for each in game['game']]")
    out.clear()
    interpreter.run("> moves = [move for each in told for move in each.get('moves', ())]")
    interpreter.run("> print([move for move in moves if move['type'] == 'rollout'][0])")
    interpreter.run("> print([each for each in told if each.get('type') == 'rollout'])")
    play, cubes = map(ast.literal_eval, "".join(out).splitlines())
    assert list(play) == [
        *("type", "move", "trials", "probs", "match-eq", "cubeful-eq", "probs-std", "match-eq-std", "cubeful-eq-std")
    ]
    assert (play["move"], play["trials"]) == (((24, 22), (10, 9)), 36)
    assert play["probs"] == pytest.approx((0.4426184595, 0.1085998118, 0.0037372399, 0.1359716058, 0.0051160119))
    assert (play["match-eq"], play["cubeful-eq"]) == pytest.approx((-0.1484780163, 0.4835461974))
    assert play["probs-std"][:3] == pytest.approx((0.0022363118, 0.0019206158, 0.0001880945))
    assert (play["match-eq-std"], play["cubeful-eq-std"]) == pytest.approx((0.0071866792, 0.0008667029), rel=1e-5)
    # The answer has its mark alone.
    [cube] = cubes
    parts = ("probs", "match-eq", "cubeful-eq", "probs-std", "match-eq-std", "cubeful-eq-std")
    assert list(cube) == ["type", "trials", *(f"{prefix}-{part}" for prefix in ("nd", "dt") for part in parts)]
    assert (cube["nd-match-eq"], cube["dt-match-eq"]) == pytest.approx((0.6842610836, 0.7560079694))
    assert (cube["nd-cubeful-eq"], cube["dt-cubeful-eq"]) == pytest.approx((0.5758603215, 0.5961854458))
    assert cube["dt-probs"][:2] == pytest.approx((0.7608250380, 0.2022690326))
    errors = cube["nd-cubeful-eq-std"], cube["dt-match-eq-std"], cube["dt-cubeful-eq-std"]
    assert errors == pytest.approx((0.0007138375, 0.0089958515, 0.0014340964), rel=1e-5)


def test_errors_of_rollouts_are_those_of_the_file_with_any_table(
    shell: tuple[Interpreter, list[str], list[str]],
) -> None:
    """They are match-winning chances there, and equities in between."""
    interpreter, out, _ = shell
    interpreter.run("set matchequitytable zadeh")
    interpreter.run(f"load match {Path(__file__).parent / 'data/sgf/rollouts.sgf'}")
    interpreter.run("> told = [each.get('analysis', {}) for game in gnubg.match()['games'] for each in game['game']]")
    out.clear()
    interpreter.run("> [cube] = [each for each in told if each.get('type') == 'rollout']")
    interpreter.run("> moves = [move for each in told for move in each.get('moves', ())]")
    interpreter.run("> play = [move for move in moves if move['type'] == 'rollout'][0]")
    interpreter.run("> print(play['cubeful-eq-std'], cube['nd-cubeful-eq-std'], cube['dt-cubeful-eq-std'])")
    errors = tuple(map(float, "".join(out).split()))
    assert errors == pytest.approx((0.0008667029, 0.0007138375, 0.0014340964), rel=1e-6)


def test_plays_have_no_cube_and_cube_decisions_have_one(shell: tuple[Interpreter, list[str], list[str]]) -> None:
    """GNU Backgammon 1.07 plays 10/4 8/4 without the cube, and doubles whatever is said of it."""
    interpreter, out, _ = shell
    interpreter.run_lines(["set jacoby on", "set gnubgid 4HPwATBw5xYDIA:cAkAAAAAAAAA"])
    interpreter.run("> context = dict(cubeful=0, plies=0, deterministic=1, prune=0, noise=0.0)")
    out.clear()
    interpreter.run("> print(gnubg.findbestmove(gnubg.board(), gnubg.cubeinfo(), context, (6, 4)))")
    interpreter.run("> print(gnubg.cfevaluate(gnubg.board(), gnubg.cubeinfo(), context)[5])")
    assert "".join(out).split("\n")[:2] == ["(10, 4, 8, 4)", "Double, pass"]


def test_a_dance_is_no_choice(shell: tuple[Interpreter, list[str], list[str]]) -> None:
    """Programs count what they find in 'moves' as decisions."""
    interpreter, out, _ = shell
    interpreter.state = interpreter.state.with_match(read(sample_match()))
    kinds = ("chequerplay", "cubedecision")
    interpreter.run_lines([*(f"set analysis {kind} evaluation plies 0" for kind in kinds), "analyse match"])
    out.clear()
    interpreter.run("> actions = [action for game in gnubg.match()['games'] for action in game['game']]")
    interpreter.run("> plays = [action for action in actions if action['action'] == 'move']")
    interpreter.run(
        "> print([bool(play['move']) for play in plays] == ['moves' in play['analysis'] for play in plays])"
    )
    interpreter.run("> print(sum(not play['move'] for play in plays) > 3)")
    assert "".join(out) == "True\nTrue\n"


def test_the_roll_of_a_play_that_is_gone_to(shell: tuple[Interpreter, list[str], list[str]]) -> None:
    run, out, err = shell

    def said(line: str) -> Any:
        out.clear()
        run.run(f"> print({line})")
        assert not err
        return ast.literal_eval("".join(out))

    for line in ("plies 1", "noise 0.2"):
        run.run(f"set evaluation chequerplay evaluation {line}")
    assert said("gnubg.evalcontext()") == {"cubeful": 1, "plies": 1, "deterministic": 1, "prune": 1, "noise": 0.2}
    assert said("gnubg.evalcontext(1, 0)")["noise"] == 0.0
    run.run(f"import auto {sample_match()}")
    run.run("first game")
    assert [said("(gnubg.navigate(next=1), gnubg.posinfo()['dice'])[1]") for _ in range(3)] == [(6, 1), (4, 3), (1, 1)]
    assert len(said("gnubg.findbestmove()")) in (2, 4, 6, 8)
