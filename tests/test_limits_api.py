"""Every public call, fed every kind of wrong value: it answers, or raises one of our errors. Nothing else gets out."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import math
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sixprime as sp
from sixprime import checks, codec, settings
from sixprime.analysis.analyse import analyse_many
from sixprime.analysis.compare import compare, comparisons
from sixprime.analysis.foreign import foreign, sources
from sixprime.analysis.records import MatchRecord, players_of, record_of, trend_of, worst_of
from sixprime.analysis.thresholds import Thresholds
from sixprime.bearoff.hyper import hyper
from sixprime.bearoff.lookup import look_up
from sixprime.cube import calculators, jump_exact, market, values
from sixprime.cube.met import load
from sixprime.cube.model import CubeModel
from sixprime.engine import MoveFilter, PlayRequest
from sixprime.engine.filters import Level
from sixprime.engine.noise import Noise
from sixprime.engine.presets import Preset
from sixprime.formats import read_text, render
from sixprime.game import fibs, ids, ogid
from sixprime.game.acts import Accept, Beaver, Decline, Double, Drop, Move, Opening, Resign, Roll, Set, Take
from sixprime.game.match_rules import Rules
from sixprime.learn import (
    Attempt,
    Deck,
    DrillKind,
    DrillLog,
    OpeningBooks,
    Question,
    Quiz,
    Topic,
    answer,
    errors_of,
    exercise,
    of_book,
    opening_book,
)
from sixprime.learn.deck import rating_of, standing
from sixprime.learn.drills import record
from sixprime.learn.openings import file_of
from sixprime.learn.questions import of_decision
from sixprime.learn.schedule import Rating, reviewed
from sixprime.play.onward import place_in
from sixprime.report import board_svg, match_text, render_html, to_dict, to_rows
from sixprime.report.cube import cube_chart
from sixprime.report.export import render as export_of
from sixprime.report.graphs import error_histogram, errors_graph, luck_graph
from sixprime.report.maps import levels_svg, losers_svg, score_svg, temperature_svg
from sixprime.report.units import EMG
from sixprime.store import Library, OnPoint, Query, Turn
from sixprime.theory import (
    cube_levels,
    cube_theory,
    explain,
    market_losers,
    race_counts,
    race_theory,
    reply_maps,
    score_map,
    temperature_map,
)
from sixprime.theory.fairness import fairness
from sixprime.theory.one_chequer import one_chequer


@pytest.fixture(autouse=True)
def elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What is saved, under a wrong name too, is saved in a folder of the test."""
    monkeypatch.chdir(tmp_path)
    for folder in ("SIXPRIME_CONFIG", "SIXPRIME_DATA"):
        monkeypatch.setenv(folder, str(tmp_path))


WRONG: dict[str, Any] = {
    "None": None,
    "text": "a",
    "empty": "",
    "NaN": math.nan,
    "infinity": math.inf,
    "fraction": 1.5,
    "negative": -1,
    "large": 2**40,
    "larger": 10**5000,
    "list": [],
    "nested": [[], []],
    "dictionary": {},
    "tuple": (),
    "pair": (math.nan, "a"),
    "bytes": b"\0",
    "object": object(),
    "array": np.full((2, 25), np.nan),
    "path": Path("\0"),
}
START = sp.Position.start()
STATE = sp.MatchState(length=5, score=(1, 2))
CUBE = sp.CubeState.from_match(STATE)
CHANCES = (0.5, 0.13, 0.01, 0.13, 0.01)
PLAY = START.plays((3, 1))[0]
MATCH = sp.read(sp.sample_match())
JUDGED = sp.read(Path(__file__).parent / "data" / "sgf" / "analysed.sgf")
POST = np.stack([calculators.post_crawford()] * 2)
NOW = datetime(2026, 1, 1, tzinfo=UTC)
RACE = sp.parse("XGID=-CC--------------------cc-:0:0:1:00:0:0:0:1:10").position
TABLE = sp.Table.new(Rules(5), ("Ann", "Bob"))
ROLLED = TABLE.apply(Opening((3, 1)))


@functools.cache
def engine() -> sp.Engine:
    return sp.Engine("small", threads=1, plies=0)


@functools.cache
def rolled() -> sp.RolloutResult:
    return engine().rollout(START, trials=2, truncation=1)


def _theory() -> dict[str, Any]:
    return {"engine": engine(), "position": START, "match": sp.MatchState(), "plies": 0, "stop": None}


def _hyper_start() -> sp.Position:
    """One chequer a side."""
    return sp.parse("XGID=-A----------------------a-:0:0:1:00:0:0:0:1:10", chequers=1).position


@functools.cache
def analysed() -> sp.MatchReport:
    return sp.analyse(replace(MATCH, games=MATCH.games[:1]), engine(), plies=0)


@functools.cache
def deck() -> Deck:
    return Deck().added(of_book(opening_book(), Topic.OPENING))


def the_question() -> Question:
    return deck().cards[0].question


def the_record() -> MatchRecord:
    return record_of(analysed(), "a", ("Ann", "Bob"), (1, 0))


def an_attempt() -> Attempt:
    return Attempt(DrillKind.PIPS, NOW, 1.0, 0.0, right=True)


def a_review() -> Any:
    question = the_question()
    return Quiz(deck()).answered(deck().cards[0], answer(question, question.best), NOW, 1.0)[1]


def an_answer() -> dict[str, Any]:
    question = the_question()
    return {"card": deck().cards[0], "answer": answer(question, question.best), "now": NOW, "seconds": 1.0}


def an_act(kind: type, fields: dict[str, Any]) -> tuple[Callable[..., Any], dict[str, Any]]:
    """An act, made and tried at tables that wait for other things."""

    def tried(**values: Any) -> None:
        for table in (TABLE, ROLLED, ROLLED.apply(Move(0, PLAY))):
            reason = table.legal().why_not(kind(**values))
            if reason is None:
                table.apply(kind(**values))

    return tried, fields


def a_value(name: str) -> tuple[Callable[..., Any], dict[str, Any]]:
    return functools.partial(getattr(values, name), 0.1), {"state": CUBE, "met": None}


def a_point(name: str) -> tuple[Callable[..., Any], dict[str, Any]]:
    return getattr(market, name), {"probabilities": CHANCES, "state": CUBE, "met": None}


ACTS: dict[type, dict[str, Any]] = {
    Opening: {"dice": (3, 1)},
    Roll: {"player": 1, "dice": (3, 1)},
    Move: {"player": 0, "play": PLAY},
    Double: {"player": 1},
    Beaver: {"player": 0},
    Take: {"player": 0},
    Drop: {"player": 0},
    Resign: {"player": 0, "value": 1},
    Accept: {"player": 0},
    Decline: {"player": 0},
    Set: {"position": START, "state": STATE},
}
QUICK = sp.RolloutSettings(trials=2, truncation=1)
CALLS: dict[str, Callable[[], tuple[Callable[..., Any], dict[str, Any]]]] = {
    # What is called, and sound arguments: each is replaced in turn.
    "MatchState": lambda: (
        sp.MatchState,
        {field: getattr(STATE, field) for field in sp.MatchState.__dataclass_fields__},
    ),
    "RolloutResult": lambda: (
        sp.RolloutResult,
        {each.name: getattr(rolled(), each.name) for each in dataclasses.fields(sp.RolloutResult) if each.init},
    ),
    "calculators.post_crawford": lambda: (
        calculators.post_crawford,
        {"gammon": 0.2, "win": 0.5, "free_drop_2": 0.0, "free_drop_4": 0.0},
    ),
    "calculators.mec": lambda: (calculators.mec, {"post": POST, "gammon": 0.2, "win": 0.5}),
    "calculators.zadeh": lambda: (
        calculators.zadeh,
        {"post": POST, "gammon_leader": 0.2, "gammon_trailer": 0.1, "delta": 0.1, "delta_bar": 0.1}
        | {"crawford_gammon": 0.2},
    ),
    "calculators.cubeless": lambda: (
        calculators.cubeless,
        {"crawford": POST[0], "gammon": 0.2, "backgammon": 0.01},
    ),
    "Position.check_unfinished": lambda: (START.check_unfinished, {"so": "nothing is left to play"}),
    "MatchState.away": lambda: (STATE.away, {"player": 0}),
    "MatchState.owner_for": lambda: (STATE.owner_for, {"player": 0}),
    "MatchState.with_dice": lambda: (STATE.with_dice, {"dice": (3, 1)}),
    "MatchState.from_match_id": lambda: (sp.MatchState.from_match_id, {"text": "cIkFAAAAAAAA"}),
    "CubeState": lambda: (
        sp.CubeState,
        {
            "cube": 2,
            "owner": 1,
            "length": 5,
            "away": (1, 2),
            "crawford": False,
            "jacoby": False,
            "beavers": 0,
            "limit": 1024,
            "player": 0,
        },
    ),
    "CubeState.from_match": lambda: (sp.CubeState.from_match, {"match": STATE}),
    "CubeState.outcomes": lambda: (sp.CubeState(length=5, away=(4, 3)).outcomes, {"met": None, "cube": 2}),
    "Position": lambda: (sp.Position, {"opponent": START.opponent, "player": START.player, "chequers": 15}),
    "Position.start": lambda: (sp.Position.start, {"variant": "standard"}),
    "Position.from_id": lambda: (sp.Position.from_id, {"text": "4HPwATDgc/ABMA", "chequers": 15}),
    "Position.from_board": lambda: (sp.Position.from_board, {"board": START.board, "chequers": 15}),
    "Position.plays": lambda: (START.plays, {"dice": (3, 1)}),
    "Play.between": lambda: (sp.Play.between, {"position": START, "dice": (3, 1), "result": PLAY.result}),
    "RolloutSettings": lambda: (sp.RolloutSettings, {name: getattr(QUICK, name) for name in QUICK.to_dict()}),
    "RolloutSettings.player": lambda: (QUICK.player, {"side": 0, "turn": 1}),
    "RolloutSettings.from_dict": lambda: (sp.RolloutSettings.from_dict, {"values": QUICK.to_dict()}),
    "PlayerSettings": lambda: (sp.PlayerSettings, {"plies": 0, "cube_plies": 0, "filter": "tiny", "noise": 0.0}),
    "Preset": lambda: (
        Preset,
        {
            "name": "a",
            "plies": 0,
            "filter": "tiny",
            "noise": 0.0,
            "deterministic": True,
            "prune": True,
            "rollout": None,
            "rolls": 21,
        },
    ),
    "MoveFilter": lambda: (MoveFilter, {"name": "a", "depths": ((Level(0, 8, 0.1),),)}),
    "Level": lambda: (Level, {"accept": 0, "extra": 8, "threshold": 0.1}),
    "Noise": lambda: (Noise, {"deviation": 0.1, "seed": 1}),
    "Query": lambda: (
        lambda **fields: Library().search(Query(**fields)),
        {field.name: getattr(Query(), field.name) for field in dataclasses.fields(Query)},
    ),
    "OnPoint": lambda: (OnPoint, {"point": 6, "least": 2, "most": 255}),
    "OnPoint.parse": lambda: (OnPoint.parse, {"text": "6,5:3"}),
    "Turn": lambda: (Turn, {"match": 1, "game": 2, "move": 3, "player": 0}),
    "Turn.parse": lambda: (Turn.parse, {"text": "1.2.3"}),
    "Library.begun": lambda: (Library().begun, {"match": MATCH}),
    "Library.searches": lambda: (Library().searches, {"analysed": analysed()}),
    "Library.keep_position": lambda: (
        Library().keep_position,
        {"position": START, "state": STATE, "engine": engine(), "note": "a", "tags": ["b"]},
    ),
    "Library.remove": lambda: (Library().remove, {"digest": "0" * 32}),
    "Library.careers": lambda: (Library().careers, {"half_life": 500.0}),
    "Library.search": lambda: (Library().search, {"query": Query(), "like": START, "order": "error", "count": 5}),
    "Library.sums": lambda: (Library().sums, {"query": Query(), "by": "kind", "marked": 0.03}),
    "Engine.on": lambda: (engine().on, {"executor": None}),
    "Engine.evaluate": lambda: (engine().evaluate, {"position": START, "match": STATE, "plies": 0, "stop": None}),
    "Engine.evaluate_many": lambda: (
        engine().evaluate_many,
        {"positions": [START], "match": [STATE], "plies": 0, "progress": None, "stop": None},
    ),
    "Engine.best_plays": lambda: (
        engine().best_plays,
        {"position": START, "dice": (3, 1), "match": STATE, "plies": 0, "filter": "tiny", "count": 2, "stop": None},
    ),
    "Engine.rank_plays_many": lambda: (
        engine().rank_plays_many,
        {
            "requests": [PlayRequest(START, (3, 1))],
            "plies": 0,
            "filter": "tiny",
            "count": 2,
            "search_forced": True,
            "progress": None,
            "stop": None,
        },
    ),
    "Engine.judge": lambda: (engine().judge, {"plies": 0, "filter": "tiny", "search_forced": True}),
    "PlayRequest": lambda: (
        lambda **request: engine().rank_plays_many([PlayRequest(**request)], plies=0),
        {"position": START, "dice": (3, 1), "state": STATE, "must_include": None},
    ),
    "Engine.cube_action": lambda: (engine().cube_action, {"position": START, "match": STATE, "plies": 0, "stop": None}),
    "Engine.cube_many": lambda: (
        engine().cube_many,
        {"requests": [(START, STATE)], "plies": 0, "progress": None, "stop": None},
    ),
    "a request of Engine.cube_many": lambda: (
        lambda position, match: engine().cube_many([(position, match)], plies=0),
        {"position": START, "match": STATE},
    ),
    "Engine.luck_many": lambda: (engine().luck_many, {"requests": [(START, (3, 1), STATE)]}),
    "a request of Engine.luck_many": lambda: (
        lambda position, dice, match: engine().luck_many([(position, dice, match)]),
        {"position": START, "dice": (3, 1), "match": STATE},
    ),
    "Engine.rollout": lambda: (
        engine().rollout,
        {
            "position": START,
            "match": STATE,
            "settings": QUICK,
            "progress": None,
            "stop": None,
            "executor": None,
            "trials": 2,
            "seed": 1,
        },
    ),
    "Engine.rollout_plays": lambda: (
        engine().rollout_plays,
        {
            "position": START,
            "dice": (3, 1),
            "plays": [PLAY],
            "match": STATE,
            "settings": QUICK,
            "progress": None,
            "stop": None,
            "executor": None,
        },
    ),
    "Engine.rollout_cube": lambda: (
        engine().rollout_cube,
        {"position": START, "match": STATE, "settings": QUICK, "progress": None, "stop": None, "executor": None},
    ),
    "Engine.extend_rollout": lambda: (
        engine().extend_rollout,
        {"result": rolled(), "progress": None, "stop": None, "executor": None, "trials": 3, "stop_error": None},
    ),
    "Engine.rollout_games": lambda: (
        lambda result, players: [*engine().rollout_games(result, players)],
        {"result": rolled(), "players": ("Ann", "Bob")},
    ),
    "read": lambda: (sp.read, {"path": sp.sample_match()}),
    "read_all": lambda: (sp.read_all, {"path": sp.sample_match()}),
    "read_text": lambda: (read_text, {"text": "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:7:10", "source": ""}),
    "render": lambda: (render, {"matches": [MATCH], "format": "sgf"}),
    "write": lambda: (sp.write, {"match": MATCH, "path": "/", "format": "sgf"}),
    "to_json": lambda: (codec.to_json, {"value": MATCH}),
    "from_json": lambda: (codec.from_json, {"data": codec.to_json(MATCH), "kind": sp.Match, "met": None}),
    "parse": lambda: (sp.parse, {"text": "4HPwATDgc/ABMA", "chequers": 15}),
    "parse_play": lambda: (sp.parse_play, {"text": "8/5 6/5", "position": START, "dice": (3, 1)}),
    "analyse": lambda: (
        sp.analyse,
        {
            "match": replace(MATCH, games=()),
            "engine": engine(),
            "plies": 0,
            "filter": "tiny",
            "depths": None,
            "second": None,
            "thresholds": Thresholds(),
            "known": None,
            "rollout": None,
            "progress": None,
            "stop": None,
            "executor": None,
        },
    ),
    "analyse_many": lambda: (
        analyse_many,
        {
            "matches": [replace(MATCH, games=())],
            "engine": engine(),
            "plies": 0,
            "filter": "tiny",
            "depths": None,
            "second": None,
            "thresholds": Thresholds(),
            "known": (),
            "progress": None,
            "stop": None,
            "rollout": None,
            "search_games": None,
            "luck": True,
        },
    ),
    "sources": lambda: (sources, {"match": JUDGED}),
    "foreign": lambda: (foreign, {"match": JUDGED, "source": None, "met": None, "thresholds": Thresholds()}),
    "compare": lambda: (compare, {"ours": analysed(), "theirs": analysed()}),
    "comparisons": lambda: (comparisons, {"analysed": analysed()}),
    "Comparison.disagreements": lambda: (compare(analysed(), analysed()).disagreements, {"least": 0.1}),
    "players_of": lambda: (players_of, {"records": [the_record()]}),
    "worst_of": lambda: (worst_of, {"records": [the_record()], "count": 3}),
    "trend_of": lambda: (trend_of, {"matches": analysed().statistics, "half_life": 500.0}),
    "opening_book": lambda: (opening_book, {"score": "dmp"}),
    "file_of": lambda: (file_of, {"score": "dmp"}),
    "OpeningBooks.plays": lambda: (OpeningBooks().plays, {"position": START, "dice": (3, 1), "match": STATE}),
    "of_book": lambda: (of_book, {"book": opening_book(), "topic": Topic.OPENING}),
    "errors_of": lambda: (errors_of, {"analysed": analysed(), "player": None, "least": None, "name": ""}),
    "of_decision": lambda: (of_decision, {"decision": analysed().decisions[0]}),
    "answer": lambda: (answer, {"question": the_question(), "text": the_question().best}),
    "Answer.skill": lambda: (an_answer()["answer"].skill, {"thresholds": Thresholds()}),
    "rating_of": lambda: (rating_of, {"answer": an_answer()["answer"], "thresholds": Thresholds()}),
    "Deck.added": lambda: (deck().added, {"questions": [the_question()]}),
    "Deck.without": lambda: (deck().without, {"ids": ["a"]}),
    "Deck.of": lambda: (deck().of, {"topics": (), "kinds": (), "phases": ()}),
    "Deck.reviewed": lambda: (deck().reviewed, {"question": the_question(), "review": a_review()}),
    "Card.reviewed": lambda: (deck().cards[0].reviewed, {"review": a_review()}),
    "Quiz": lambda: (
        lambda now=NOW, **fields: Quiz(**fields).card(now),
        {"deck": deck(), "topics": (), "kinds": (), "new": 10, "count": None, "phases": (), "now": NOW},
    ),
    "Quiz.answered": lambda: (Quiz(deck()).answered, an_answer() | {"thresholds": Thresholds()}),
    "standing": lambda: (standing, {"cards": deck().cards, "now": NOW}),
    "reviewed": lambda: (reviewed, {"memory": None, "rating": Rating.GOOD, "now": NOW}),
    "DrillLog.added": lambda: (DrillLog().added, {"attempt": an_attempt()}),
    "record": lambda: (record, {"attempts": [an_attempt()]}),
    "exercise": lambda: (exercise, {"engine": engine(), "kind": DrillKind.PIPS, "seed": 1, "number": 1}),
    "Exercise.mark": lambda: (
        exercise(engine(), DrillKind.PIPS, 1, 1).mark,
        {"text": "100 100", "when": NOW, "seconds": 1.0},
    ),
    "place_in": lambda: (place_in, {"match": MATCH, "game": 1, "move": 1, "player": 0}),
    "settings.load": lambda: (settings.load, {"path": None}),
    "settings.save": lambda: (settings.save, {"settings": settings.Settings(), "path": None}),
    "settings.change": lambda: (settings.change, {"name": "engine.plies", "value": 1, "path": "a.toml"}),
    "settings.rollout_settings": lambda: (settings.rollout_settings, {"values": {}}),
    "settings.make_engine": lambda: (
        settings.make_engine,
        {name: MAKE.get(name) for name in SETTLED} | {"book": False},
    ),
    "board_svg": lambda: (
        board_svg,
        {
            "position": START,
            "state": STATE,
            "dice": (3, 1),
            "mover": 0,
            "bottom": 0,
            "bear_off": "left",
            "played": PLAY,
            "best": PLAY,
            "numbers": "none",
            "pips": True,
            "light": 0,
            "shared": False,
            "theme": None,
            "width": 100,
            "label": "a",
        },
    ),
    "cube_chart": lambda: (cube_chart, {"theory": cube_theory(engine(), START, plies=0)}),
    "temperature_svg": lambda: (temperature_svg, {"maps": [temperature_map(engine(), START, plies=0)]}),
    "score_svg": lambda: (score_svg, {"found": score_map(engine(), START, plies=0, aways=(2,))}),
    "losers_svg": lambda: (losers_svg, {"found": market_losers(engine(), START, plies=0)}),
    "levels_svg": lambda: (levels_svg, {"found": cube_levels(engine(), START, plies=0, levels=(2,))}),
    **{
        f"report of a match: {of.__name__}": functools.partial(lambda of: (of, {"analysed": analysed()}), of)
        for of in (match_text, to_dict, to_rows, error_histogram)
    },
    **{
        f"graph: {of.__name__}": functools.partial(lambda of: (of, {"analysed": analysed(), "page": ""}), of)
        for of in (errors_graph, luck_graph)
    },
    "render_html": lambda: (
        render_html,
        {"analysed": analysed(), "templates": None, "units": EMG, "language": "en"},
    ),
    "export": lambda: (
        export_of,
        {"analysed": analysed(), "form": "text", "name": "a", "options": None, "templates": None, "game": 1, "move": 1},
    ),
    "MatchReport.export": lambda: (analysed().export, {"path": "a.txt", "options": None, "form": None}),
    "jump_exact.solve": lambda: (
        jump_exact.solve,
        {"win": 1.2, "loss": 1.2, "volatility": 0.1, "n": 40, "density": "double-exponential"},
    ),
    "jump_exact.solve_match": lambda: (
        jump_exact.solve_match,
        {
            "win_shares": (0.2, 0.0),
            "loss_shares": (0.2, 0.0),
            "volatility": 0.1,
            "n": 40,
            "state": CUBE,
            "met": None,
        },
    ),
    "Rules": lambda: (Rules, {name: getattr(Rules(), name) for name in Rules.__dataclass_fields__}),
    "Table.new": lambda: (
        sp.Table.new,
        {"rules": Rules(5), "players": ("Ann", "Bob"), "score": (4, 0), "crawford": False},
    ),
    "Table.from_position": lambda: (
        sp.Table.from_position,
        {"position": START, "state": STATE, "players": ("Ann", "Bob"), "variant": "standard"},
    ),
    "Table.from_record": lambda: (sp.Table.from_record, {"match": MATCH}),
    "Table.replay": lambda: (lambda match: [*sp.Table.replay(match)], {"match": replace(MATCH, games=MATCH.games[:1])}),
    "Table.move": lambda: (ROLLED.move, {"text": "8/5 6/5"}),
    "Table.as_played": lambda: (ROLLED.as_played, {"text": "8/5 6/5"}),
    "Table.apply": lambda: (TABLE.apply, {"act": Opening((3, 1))}),
    "Table.under": lambda: (TABLE.under, {"rules": Rules(5)}),
    "Table.annotate": lambda: (
        ROLLED.annotate,
        {"comment": "a", "seconds": 1.0, "analyses": (), "extras": {}},
    ),
    **{f"an act: {kind.__name__}": functools.partial(an_act, kind, fields) for kind, fields in ACTS.items()},
    "encode_xgid": lambda: (ids.encode_xgid, {"position": START, "state": STATE}),
    "decode_xgid": lambda: (ids.decode_xgid, {"text": ids.encode_xgid(START, STATE), "chequers": 15}),
    "gnubg_id": lambda: (ids.gnubg_id, {"position": START, "state": STATE}),
    "encode_ogid": lambda: (ogid.encode_ogid, {"position": START, "state": STATE}),
    "decode_ogid": lambda: (ogid.decode_ogid, {"text": ogid.encode_ogid(START, STATE)}),
    "encode_fibs_board": lambda: (
        fibs.encode_fibs_board,
        {"position": START, "state": STATE, "names": ("Ann", "Bob")},
    ),
    "decode_fibs_board": lambda: (
        fibs.decode_fibs_board,
        {"text": fibs.encode_fibs_board(START, STATE), "chequers": 15},
    ),
    "cube_theory": lambda: (cube_theory, _theory()),
    "cube_levels": lambda: (cube_levels, _theory() | {"levels": (2, 4)}),
    "market_losers": lambda: (market_losers, _theory() | {"progress": None}),
    "temperature_map": lambda: (temperature_map, _theory() | {"progress": None}),
    "reply_maps": lambda: (reply_maps, _theory() | {"dice": (3, 1), "plays": 1, "progress": None}),
    "plays of reply_maps": lambda: (
        lambda play: reply_maps(engine(), START, (3, 1), [play], plies=0),
        {"play": PLAY},
    ),
    "score_map": lambda: (score_map, _theory() | {"dice": (3, 1), "aways": (2,), "progress": None}),
    "race_theory": lambda: (race_theory, {"engine": engine(), "position": RACE, "state": STATE, "plies": 0}),
    "race_counts": lambda: (race_counts, {"position": RACE}),
    "explain": lambda: (
        explain,
        {"engine": engine(), "position": START, "dice": (3, 1), "play": PLAY, "state": STATE},
    ),
    "one_chequer": lambda: (one_chequer, {"player": 7.0, "opponent": 7.0}),
    "fairness": lambda: (fairness, {"dice": [(3, 1)] * 180, "ordered": True}),
    "hyper": lambda: (hyper, {"chequers": 1, "gnubg": False}),
    "Hyper.value": lambda: (hyper(1).value, {"position": _hyper_start()}),
    "Hyper.index": lambda: (hyper(1).index, {"position": _hyper_start()}),
    "look_up": lambda: (look_up, {"position": RACE, "databases": None}),
    "cube.met.load": lambda: (load, {"name": "zadeh"}),
    "MatchEquityTable.mwc": lambda: (load().mwc, {"away": 2, "opponent_away": 3}),
    **{
        f"cube.values.{name}": functools.partial(a_value, name)
        for name in ("to_equity", "to_mwc", "equity_error", "mwc_error")
    },
    "cube.values.cubeless": lambda: (
        values.cubeless,
        {"probabilities": np.array([CHANCES]), "state": CUBE, "met": None},
    ),
    "cube.values.utility_weights": lambda: (values.utility_weights, {"state": CUBE, "met": None}),
    "cube.values.worth": lambda: (values.worth, {"state": STATE, "met": None}),
    "cube.market.decision_points": lambda: (
        market.decision_points,
        {
            "probabilities": CHANCES,
            "state": CUBE,
            "model": CubeModel.named("fitted"),
            "met": None,
            "position_class": 0,
            "pips": (100, 100),
        },
    ),
    **{
        f"cube.market.{name}": functools.partial(a_point, name)
        for name in ("take_points", "live_cash_point", "double_hurts", "market_window")
    },
    "cube.market.gammon_prices": lambda: (market.gammon_prices, {"state": CUBE, "met": None}),
    "cube.market.gammon_values": lambda: (market.gammon_values, {"state": CUBE, "met": None}),
    "cube.market.janowski_points": lambda: (
        market.janowski_points,
        {"probabilities": CHANCES, "x": 0.6, "theirs": 0.7},
    ),
    "cube.market.money_points": lambda: (
        market.money_points,
        {"probabilities": CHANCES, "jacoby": True, "beavers": True},
    ),
}
MAKE = {
    "net": "small",
    "threads": 1,
    "met": None,
    "level": None,
    "plies": 0,
    "filter": "tiny",
    "prune": True,
    "noise_seed": 1,
    "databases": None,
    "cube_model": "live",
    "executor": None,
}


SETTLED = ("net", "level", "plies", "filter", "threads", "met", "cube_model", "executor")


def refusal(call: Callable[..., Any], arguments: dict[str, Any]) -> str:
    """What our error said, "" when none came. A file that is not there is the system's error, and names the file."""
    try:
        call(**arguments)
    except sp.SixprimeError as error:
        return str(error)
    except OSError as error:
        return str(error.filename)
    return ""


@pytest.mark.parametrize("name", CALLS)
def test_wrong_values_meet_our_errors(name: str) -> None:
    call, sound = CALLS[name]()
    assert name == "write" or not refusal(call, sound)
    for parameter in sound:
        for wrong in WRONG.values():
            assert len(refusal(call, sound | {parameter: wrong})) < 1000


@pytest.mark.parametrize("parameter", MAKE)
def test_an_engine_of_wrong_values(parameter: str) -> None:
    for wrong in WRONG.values():
        assert len(refusal(sp.Engine, MAKE | {parameter: wrong})) < 1000


def test_every_public_call_is_among_them() -> None:
    """What is new is fed, too."""
    for owner in (sp.Engine, sp.MatchState, sp.CubeState, sp.Position, sp.RolloutSettings):
        for name, member in inspect.getmembers(owner, callable):
            parameters = [] if name.startswith("_") else [*inspect.signature(member).parameters]
            if set(parameters) - {"self"}:
                assert f"{owner.__name__}.{name}" in CALLS


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: sp.MatchState(length=7, score=(math.nan, 0)), r"score\[0\] must be a whole number.*nan"),
        (lambda: sp.MatchState(cube=math.inf), "cube must be a power of two from 1.*inf"),
        (lambda: sp.MatchState(cube=2**40), "cube must be a power of two from 1"),
        (lambda: sp.MatchState(cube_limit=0), "cube_limit must be a whole number from 1.*0"),
        (lambda: sp.MatchState(crawford=1), "crawford must be True or False. Got 1"),
        (lambda: sp.Engine(threads="a"), "threads must be a whole number from 1 to 1024. Got 'a'"),
        (lambda: sp.Engine(threads=1.5), "threads must be a whole number.*1.5"),
        (lambda: engine().best_plays(START, (3, 1), count=math.nan), "count must be a whole number.*nan"),
        (lambda: engine().best_plays(START, (3, 1), count=1.5), "count must be a whole number.*1.5"),
        (lambda: engine().best_plays(START, (3, 1), plies=True), "plies must be a whole number.*True"),
        (lambda: engine().evaluate("4HPwATDgc/ABMA"), "^position must be a Position. Got '4HPwATDgc/ABMA'"),
        (lambda: engine().evaluate(START, match=None), "^match must be a MatchState. Got None"),
        (
            lambda: engine().evaluate(START, match=sp.MatchState(length=7, score=(7, 5))),
            "the match of 7 points is over: the score is 7 to 5",
        ),
        (lambda: engine().evaluate_many("4HPwATDgc/ABMA"), "positions must be a sequence.*Position"),
        (lambda: engine().evaluate(START, match=sp.MatchState(length=7, crawford=True)), "crawford.*7 away, 7 away"),
        (lambda: engine().evaluate(START, match=sp.MatchState(crawford=True)), "crawford.*money play"),
        (lambda: engine().rollout(START, settings="quick"), "settings must be a RolloutSettings. Got 'quick'"),
        (lambda: engine().rollout(START, progress=1), "progress must be a function. Got 1"),
        (lambda: sp.RolloutSettings(cubeful="no"), "cubeful must be True or False. Got 'no'"),
        (lambda: sp.RolloutSettings(stop_error=math.nan), "stop_error must be a number above 0.*nan"),
        (lambda: sp.analyse("match.mat"), "match must be a Match. Got 'match.mat'"),
        (lambda: analyse_many([MATCH], engine(), known=[None, None]), "known must be as many as matches, 1"),
        (lambda: analyse_many([], None), "engine must be an engine. Got None"),
        (lambda: trend_of([], half_life=0), "half_life must be a number above 0 .*Got 0"),
        (lambda: Library().begun("a.mat"), "match must be a Match. Got 'a.mat'"),
        (lambda: record([None]), r"attempts\[0\] must be an Attempt. Got None"),
        (lambda: reviewed(None, 3, NOW), "rating must be a Rating. Got 3"),
        (lambda: file_of([]), r"score must be money, dmp, .* or gammon-save. Got \[\]"),
        (lambda: temperature_svg([]), "maps must be at least one map"),
        (lambda: sp.read(1), "path must be the name of a file. Got 1"),
        (lambda: sp.parse(b"4HPwATDgc/ABMA"), "an ID is a text. Got b'4HPw"),
    ],
)
def test_what_was_wrong_and_wanted_is_said(call: Callable[[], object], words: str) -> None:
    with pytest.raises(sp.SixprimeError, match=words):
        call()


def test_what_was_given_is_shown_in_a_few_words() -> None:
    """Texts of up to 60 characters whole, longer ones without their middle; what cannot be shown by its type."""

    class Silent:
        def __repr__(self) -> str:
            raise ValueError

    assert checks.shown("x" * 58) == repr("x" * 58)
    for value in ("x" * 59, 10**60, [["x"] * 50] * 50, {i: i for i in range(50)}):
        assert "..." in checks.shown(value)
        assert len(checks.shown(value)) < 300
    assert len(checks.shown("x" * 5000)) == 60
    assert "Silent" in checks.shown(Silent())


@pytest.mark.parametrize("text", [5, None, ["1 point match"], 1.5, Path("x.mat")])
def test_texts_are_texts(text: object) -> None:
    with pytest.raises(sp.SettingsError, match="text must be a text or bytes"):
        read_text(text)  # type: ignore[arg-type]
