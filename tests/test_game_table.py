"""`Table`: the contract by random play, the rules one by one, records, and others who play the same games."""

from __future__ import annotations

import random
import re
import shutil
import subprocess
import zlib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from random_matches import plain
from table_contract import OFTEN, chosen, games, table_test

from sixprime import formats, kernels
from sixprime.cube.state import CubeState
from sixprime.errors import IllegalPlayError, InvalidPlayError, InvalidPositionError, RulesError, SettingsError
from sixprime.formats import FORMATS
from sixprime.game import parse
from sixprime.game.acts import (
    Accept,
    Act,
    Beaver,
    Decline,
    Double,
    Drop,
    Move,
    NextGame,
    Opening,
    Resign,
    Roll,
    Set,
    Take,
)
from sixprime.game.match_rules import Rules
from sixprime.game.play import Play
from sixprime.game.position import Position
from sixprime.game.record import ActionKind, Game, Match
from sixprime.game.replay import table_at
from sixprime.game.rules import Step
from sixprime.game.state import MONEY, size_of
from sixprime.game.table import Phase, Table, check_judged, problem_of
from sixprime.game.variants import VARIANTS
from sixprime.paths import sample_match
from sixprime.play.duel import Duel
from sixprime.play.lockstep import DuelGames
from sixprime.players.bot import Asked

DATA = Path(__file__).parent / "data"
RULES = st.builds(
    Rules,
    length=st.sampled_from([0, 0, 1, 2, 3, 5]),
    variant=st.sampled_from(sorted(VARIANTS)),
    crawford_rule=st.booleans(),
    jacoby=st.booleans(),
    beavers=st.integers(0, 3),
    automatic_doubles=st.integers(0, 3),
    cube_limit=st.sampled_from([1, 2, 64, 1024, 4096]),
)


@settings(max_examples=15)
@given(RULES, st.integers(0, 2**32))
def test_contract(rules: Rules, seed: int) -> None:
    table_test(rules, seed)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("length", [0, 3])
def test_contract_of_variants(variant: str, length: int) -> None:
    table_test(Rules(length, variant, automatic_doubles=2), seed=length)


# The rules one by one


def after(table: Table, *acts: Act) -> Table:
    for act in acts:
        table = table.apply(act)
    return table


def begun(rules: Rules | None = None, **rest: object) -> Table:
    """Ann has begun with 3-1, Bob is on roll."""
    table = Table.new(rules, ("Ann", "Bob"), **rest).apply(Opening((3, 1)))  # type: ignore[arg-type]
    return table.apply(table.move("8/5 6/5"))


def refused(table: Table, act: Act, match: str) -> None:
    assert act not in table.legal()
    with pytest.raises(RulesError, match=match):
        table.apply(act)


def test_the_opening_roll_says_who_begins() -> None:
    table = Table.new()
    assert (table.phase, table.turn) == (Phase.OPENING, None)
    assert next(iter(table.legal())) == Opening()
    assert table.apply(Opening((4, 4))) == table
    for dice, player in (((3, 1), 0), ((1, 3), 1)):
        first = table.apply(Opening(dice))
        assert (first.phase, first.turn, first.state.dice) == (Phase.PLAY, player, dice)
        assert len(first.legal().plays) == 16
        refused(first, Double(player), "must play the dice")
    # As they come from a page or a program far away.
    assert Table.new().apply(Opening([3, 1])) == Table.new().apply(Opening((3, 1)))  # type: ignore[arg-type]


def test_automatic_doubles() -> None:
    table = after(Table.new(Rules(automatic_doubles=2)), Opening((4, 4)), Opening((1, 1)), Opening((6, 6)))
    assert (table.state.cube, table.state.cube_owner, table.game.cube) == (4, None, 4)
    assert after(Table.new(Rules(automatic_doubles=5, cube_limit=2)), *[Opening((4, 4))] * 3).state.cube == 2
    assert after(Table.new(Rules(length=5, automatic_doubles=2)), Opening((4, 4))).state.cube == 1
    table = after(table, Opening((1, 3)), Resign(1, 2), Accept(0), NextGame())
    assert (table.score, table.state.cube) == ((8, 0), 1)


def test_double_take_and_redouble() -> None:
    table = begun().apply(Double(1))
    assert (table.phase, table.turn, table.offered, table.state.cube) == (Phase.DOUBLED, 0, 2, 1)
    assert table.position == begun().position
    table = table.apply(Take(0))
    assert (table.state.cube, table.state.cube_owner, table.turn, table.offered) == (2, 0, 1, 0)
    refused(table, Double(1), "game 1, action 4: Bob cannot double now: the opponent owns the cube")
    dropped = begun().apply(Double(1)).apply(Drop(0))
    assert (dropped.game.winner, dropped.game.points, dropped.score) == (1, 1, (0, 1))


def test_beavers_and_raccoons() -> None:
    table = begun().apply(Double(1))
    turned = after(table, Beaver(0), Beaver(1), Beaver(0))
    assert (turned.state.beavered, turned.state.decider) == (3, 1)
    assert Table.from_position(turned.position, turned.state).offered == turned.offered
    assert (turned.offered, turned.turn, turned.state.cube) == (16, 1, 1)
    refused(turned, Beaver(1), "beavers allowed after a double: 3")
    taken = turned.apply(Take(1))
    # The cube is his who answered the double first; the doubler rolls.
    assert (taken.state.cube, taken.state.cube_owner, taken.turn) == (16, 0, 1)
    assert after(turned, Drop(1)).score == (8, 0)
    assert after(table, Beaver(0), Beaver(1), Drop(0)).score == (0, 4)
    for rules, reason in (
        (Rules(beavers=0), "beavers allowed after a double: 0"),
        (Rules(length=5), "no beavers in a match"),
        (Rules(cube_limit=2), "cannot go above 2"),
    ):
        refused(begun(rules).apply(Double(1)), Beaver(0), reason)


def test_jacoby_rule() -> None:
    """A gammon counts once the cube was turned, and when it is agreed on."""
    last = Position((0,) * 5 + (15,) + (0,) * 19, (1,) + (0,) * 24)
    for jacoby, cube, owner, won in ((True, 1, None, 1), (False, 1, None, 2), (True, 2, 0, 4), (True, 4, None, 4)):
        state = replace(MONEY, jacoby=jacoby, cube=cube, cube_owner=owner, on_roll=0)
        table = after(Table.from_position(last, state), Roll(0, (6, 5)))
        assert table.apply(table.move("1/off")).score == (won, 0)
    assert after(begun(), Resign(1, 2), Accept(0)).score == (2, 0)


def test_crawford_rule() -> None:
    def lost(table: Table, player: int, level: int = 1) -> Table:
        return after(table, Resign(player, level), Accept(1 - player))

    table = lost(Table.new(Rules(length=5)), 0, 3)
    table = lost(table.apply(NextGame()), 0).apply(NextGame())
    assert (table.score, table.state.crawford) == ((0, 4), True)
    for dice in ((3, 1), (1, 3)):
        first = table.apply(Opening(dice))
        refused(first.apply(Move(first.turn or 0, first.legal().plays[0])), Double(dice[0] // 3), "Crawford game")
    table = lost(table, 1).apply(NextGame())
    assert (table.score, table.state.crawford, table.state.post_crawford) == ((1, 4), False, True)
    assert not lost(Table.new(Rules(5, crawford_rule=False)), 0, 2).apply(NextGame()).state.crawford
    assert Table.new(Rules(7), score=(6, 2)).state.crawford
    assert not Table.new(Rules(7), score=(6, 2), crawford=False).state.crawford
    assert not Table.new(Rules(1)).state.crawford


@pytest.mark.parametrize(
    ("rules", "score", "cube", "reason"),
    [
        (Rules(3), (0, 0), 4, "the cube is dead, at 4 it wins the match"),
        (Rules(3), (1, 0), 2, "the cube is dead"),
        (Rules(5, crawford_rule=False), (4, 0), 1, "the cube is dead"),
        (Rules(5, crawford_rule=False), (0, 4), 1, None),
        (Rules(3), (0, 2), 2, None),
        (Rules(cube_limit=64), (0, 0), 64, "the cube cannot go above 64"),
        (Rules(cube_limit=64), (0, 0), 32, None),
        (Rules(cube_limit=1), (0, 0), 1, "without cube"),
    ],
)
def test_who_may_double(rules: Rules, score: tuple[int, int], cube: int, reason: str | None) -> None:
    state = replace(rules.new_game(score, False), cube=cube, cube_owner=0 if cube > 1 else None)
    table = Table.new(rules, score=score, crawford=False).apply(Set(Position.start(), state))
    assert (Double(0) in table.legal()) == (Double in table.legal()) == (reason is None)
    assert CubeState.from_match(table.state).can_double == (reason is None)
    if reason is not None:
        refused(table, Double(0), reason)


def test_resignations() -> None:
    table = begun()
    offer = table.apply(Resign(0, 2))  # out of turn
    assert (offer.phase, offer.turn, offer.position) == (Phase.RESIGNED, 1, table.position)
    refused(offer, Roll(1, (3, 1)), "Bob cannot roll now: Bob must accept or decline")
    declined = offer.apply(Decline(1))
    assert replace(declined, declined=(0, 0)) == table
    refused(declined, Resign(0, 2), "the opponent has declined 2 times the cube")
    assert list(declined.legal().of(Resign)) == [Resign(0, 3), *(Resign(1, value) for value in (1, 2, 3))]
    assert declined.apply(Roll(1, (3, 1))).declined == (0, 0)
    assert after(declined, Resign(1, 1), Decline(0)).declined == (2, 1)
    lost = after(declined, Resign(0, 3), Accept(1))
    assert (lost.score, lost.game.resigned) == ((0, 3), True)
    # While a double is offered, the cube counts as it was before.
    assert (table.offered, offer.offered, after(table, Double(1)).offered) == (0, 0, 2)
    doubled = after(table, Double(1), Beaver(0), Resign(1, 1))
    assert (doubled.offered, after(table, Double(1), Resign(0, 1)).offered) == (4, 2)
    assert doubled.apply(Accept(0)).score == (2, 0)
    assert doubled.apply(Decline(0)).turn == 1
    assert after(table, Double(1), Beaver(0), Beaver(1), Beaver(0), Resign(0, 1), Decline(1)).turn == 1
    # A roll that is not played stays in the record.
    kinds = [action.kind for action in after(table, Roll(1, (2, 1)), Resign(1, 1), Accept(0)).game.actions]
    assert kinds == [ActionKind.MOVE, ActionKind.ROLL, ActionKind.RESIGN]


def test_no_chequer_can_move() -> None:
    closed = Position((2,) * 6 + (3,) + (0,) * 18, (14,) + (0,) * 23 + (1,))
    table = Table.from_position(closed, replace(MONEY, on_roll=0)).apply(Roll(0, (3, 1)))
    (play,) = table.legal().plays
    assert (play.steps, play.result) == ((), closed.swapped())
    assert next(iter(table.legal())) == Move(0, play) == table.move("")
    assert table.apply(table.move("")).turn == 1
    free = Table.new().apply(Opening((3, 1)))
    refused(free, Move(0, Play((), free.position, free.position.swapped())), "no legal play of 3-1")


def test_illegal_plays() -> None:
    table = Table.new(players=("Ann", "Bob")).apply(Opening((3, 1)))
    with pytest.raises(IllegalPlayError, match="'13/9 6/5' is no legal play of 3-1"):
        table.move("13/9 6/5")
    with pytest.raises(InvalidPlayError):
        table.move("x")
    with pytest.raises(RulesError, match="no dice to play"):
        begun().move("8/5 6/5")
    play = table.move("8/5 6/5").play
    forged = Play(play.steps, play.position, Position.start().swapped())
    with pytest.raises(IllegalPlayError, match="Ann cannot play the dice now: '8/5 6/5' is a play in another position"):
        table.apply(Move(0, forged))
    # What counts is where a play leads; the steps are put right.
    (move,) = table.apply(Move(0, Play((Step(24, 20),), table.position, table.move("24/20").play.result))).game.actions
    assert move.play is not None
    assert move.play.steps in (((24, 23, False), (23, 20, False)), ((24, 21, False), (21, 20, False)))


def test_a_play_is_kept_as_it_was_made() -> None:
    table = Table.new(players=("Ann", "Bob")).apply(Opening((3, 1)))
    assert table.as_played("31: 8/5 6/5") == table.apply(table.move("8/5 6/5"))
    for text, made in (("8/4 6/5", "8/4 6/5"), ("8/5", "8/5"), ("", ""), ("6/8", "6/8"), ("31: 24/22", "24/22")):
        after = table.as_played(text)
        (action,) = after.game.actions
        assert (str(action.play), action.illegal, after.turn) == (made, True, 1)
        assert after.apply(Roll(1, (6, 4))).legal().plays
    for text, reason in (("8/7 6/1", "the opponent holds 1"), ("7/3", "no chequer on 7")):
        with pytest.raises(IllegalPlayError, match=reason):
            table.as_played(text)
    with pytest.raises(InvalidPlayError):
        table.as_played("x")
    with pytest.raises(RulesError, match="no dice"):
        begun().as_played("8/5")


def test_set_by_hand() -> None:
    table = Table.new(Rules(length=7), ("Ann", "Bob"))
    state = replace(table.state, score=(6, 2), crawford=True, on_roll=1)
    table = table.apply(Set(table.position, state))
    assert (table.phase, table.turn, table.score) == (Phase.ROLL, 1, (6, 2))
    assert (table.record().games[0].score, table.record().games[0].crawford) == ((6, 2), True)
    refused(table, Double(1), "Crawford game")
    state = replace(table.state, crawford=False, dice=(2, 1), cube=4, cube_owner=1)
    table = after(table, Roll(1, (6, 6)), Set(table.position, state))
    assert [action.kind for action in table.game.actions] == [ActionKind.SET, ActionKind.SET]
    assert (table.phase, table.state.dice) == (Phase.PLAY, (2, 1))
    table = table.apply(table.move("13/11 6/5"))
    assert Table.from_record(table.record()) == table
    for change, reason in (
        ({"cube": 2048}, "cannot go above 1024"),
        ({"score": (7, 0)}, "Ann cannot have 7 points in a match to 7 that goes on"),
        ({"score": (0, 9)}, "Bob cannot have 9 points in a match to 7 that goes on"),
        ({"crawford": True}, "Crawford game needs"),
        ({"length": 5}, "length is 7"),
    ):
        refused(table, Set(table.position, replace(table.state, **change)), f"the position cannot be set: .*{reason}")
    for position, reason in (
        (Position.start("hypergammon3"), "15 chequers a side, not 3"),
        (Position((0,) * 25, Position.start().player), "borne off"),
        (Position(Position.start().player, (0,) * 18 + (15,) + (0,) * 6), "the position cannot be set: "),
    ):
        refused(table, Set(position, table.state), reason)


def test_money_sessions_go_on() -> None:
    table = Table.new()
    for number in range(1, 6):
        assert table.game.number == number
        table = after(table, Resign(number % 2, 3), Accept(1 - number % 2), NextGame())
    assert table.score == (9, 6)


def test_rules_change_between_games() -> None:
    table = after(Table.new(Rules(jacoby=True, beavers=1)), Opening((3, 1)))
    with pytest.raises(RulesError, match="game 1, action 2: the rules can be changed before the opening roll"):
        table.under(Rules())
    table = after(table, Resign(0, 1), Accept(1), NextGame())
    for rules, name in ((Rules(length=5), "length is 0"), (Rules(variant="nackgammon"), "variant is standard")):
        with pytest.raises(RulesError, match=f"game 2, action 1: {name} from first to last"):
            table.under(rules)
    with pytest.raises(RulesError, match="before the opening roll"):
        after(table.under(Rules(automatic_doubles=1)), Opening((2, 2))).under(Rules())
    other = table.under(Rules(jacoby=False, beavers=0, cube_limit=1))
    assert (other.score, other.game, other.match.games) == (table.score, table.game, table.match.games)
    assert other.under(table.rules) == table
    begun = after(other, Opening((3, 1)))
    begun = begun.apply(begun.move("8/5 6/5"))
    refused(begun, Double(1), "played without cube")
    assert (begun.record().jacoby, begun.record().games[0].actions[0].state.jacoby) == (False, True)


@settings(max_examples=15)
@given(st.lists(st.tuples(st.booleans(), st.integers(0, 3), st.sampled_from([1, 2, 64])), max_size=3), st.randoms())
def test_records_of_sessions_with_changing_rules(changes: list[tuple[bool, int, int]], chance: random.Random) -> None:
    table = Table.new(Rules(variant="hypergammon2"), ("Ann", "Bob"))
    for jacoby, beavers, limit in changes:
        table = table.under(replace(table.rules, jacoby=jacoby, beavers=beavers, cube_limit=limit))
        while table.phase is not Phase.GAME_OVER:
            table = table.apply(chosen(table, chance))
        assert Table.from_record(table.record()) == replace(table, declined=(0, 0))
        table = table.apply(NextGame())


@pytest.mark.parametrize(
    ("settings", "name"),
    [
        ({"length": -1}, "length"),
        ({"length": 1000}, "length"),
        ({"cube_limit": 0}, "cube_limit"),
        ({"beavers": -1}, "beavers"),
        ({"automatic_doubles": 16}, "automatic_doubles"),
        ({"variant": "chess"}, "variant"),
    ],
)
def test_rules_out_of_range(settings: dict[str, object], name: str) -> None:
    with pytest.raises(SettingsError, match=name):
        Rules(**settings)  # type: ignore[arg-type]


@pytest.mark.parametrize("score", [(7, 0), (-1, 0)])
def test_score_out_of_range(score: tuple[int, int]) -> None:
    with pytest.raises(SettingsError, match="score"):
        Table.new(Rules(7), score=score)


# Positions and records


@pytest.mark.parametrize(
    ("text", "phase", "turn"),
    [
        ("4HPwATDgc/ABMA", Phase.ROLL, 1),
        ("sGfwATDgc/ABMA:cBEAAAAAAAAA", Phase.DOUBLED, 0),
        ("sGfwATDgc/ABMA:cDkAAAAAAAAA", Phase.RESIGNED, 1),
        ("XGID=-b----E-C---eE---c-e----B-:0:0:1:63:2:4:0:7:10", Phase.PLAY, 1),
    ],
)
def test_table_of_an_id(text: str, phase: Phase, turn: int) -> None:
    position, state, _ = parse(text)
    table = Table.from_position(position, state)
    assert (table.phase, table.turn, table.position, table.state) == (phase, turn, position, state)
    assert Table.from_record(table.record()) == table


def test_tables_of_every_moment_are_tables_of_an_id() -> None:
    for table in games(Rules(beavers=2), 5, 2):
        if table.phase not in (Phase.OPENING, Phase.GAME_OVER):
            again = Table.from_position(table.position, table.state)
            assert (again.phase, again.turn, again.state, again.offered) == (
                table.phase, table.turn, table.state, table.offered,
            )  # fmt: skip


RECORDS = [
    *(DATA / "sgf").glob("*.sgf"),
    *(path for path in (DATA / "mat").iterdir() if path.suffix in (".txt", ".mat")),
    *(DATA / "formats").glob("match.*"),
    sample_match(),
]
BROKEN = {"all_cells.mat", "beavers.sgf"}
"""Records of what the rules do not allow."""


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.name)
def test_records_of_real_games(path: Path) -> None:
    for match in formats.read_all(path):
        if any(action.illegal for game in match.games for action in game.actions):
            assert path.name in BROKEN
            with pytest.raises(RulesError, match=r"game [0-9]+, action [0-9]+: an illegal or unknown play"):
                Table.from_record(match)
        else:
            assert Table.from_record(match).record() == match


def test_replay_shows_every_step() -> None:
    table = after(begun(), Double(1), Take(0), Roll(1, (5, 5)))
    tables = list(Table.replay(table.record()))
    assert tables[-1] == table
    assert [one.phase.value for one in tables] == ["opening", "play", "roll", "doubled", "roll", "play"]
    empty = Table.new(Rules(3), ("Ann", "Bob"))
    assert Table.from_record(empty.record()) == empty


def spoilt(match: Match, game: int, **parts: object) -> Match:
    return replace(match, games=(*match.games[:game], replace(match.games[game], **parts), *match.games[game + 1 :]))


def test_records_against_the_rules() -> None:
    first = after(begun(Rules(5)), Double(1), Take(0), Roll(1, (5, 5)), Resign(1, 1), Accept(0))
    match = after(first, NextGame(), Opening((4, 2)), Resign(1, 1), Accept(0)).record()
    assert Table.from_record(match).score == (3, 0)
    actions = match.games[0].actions
    for parts, message in (
        ({"points": 4}, "game 1: points is recorded as 4, by the rules it is 2"),
        ({"winner": 1}, "game 1: winner is recorded as 1, by the rules it is 0"),
        ({"crawford": True}, "game 1: The game at 0-0 cannot be the Crawford game"),
        ({"actions": actions[1:]}, "game 1, action 1: Bob cannot double"),
        ({"actions": (*actions, actions[0])}, "game 1, action 6: .* the game is over"),
        ({"actions": (replace(actions[0], dice=(3, 3)), *actions[1:])}, "cannot be a tie"),
        ({"actions": (actions[0], replace(actions[1], value=4), *actions[2:])}, "value is recorded as 4, .* it is 2"),
        ({"cube": 2}, "game 1: cube is recorded as 2"),
    ):
        with pytest.raises(RulesError, match=message):
            Table.from_record(spoilt(match, 0, **parts))
    with pytest.raises(RulesError, match=r"game 2: score is recorded as \(1, 1\), by the rules it is \(2, 0\)"):
        Table.from_record(spoilt(match, 1, score=(1, 1)))


def test_annotations_are_kept() -> None:
    table = begun().annotate(comment="natural", seconds=3.5)
    match = replace(table.record(), info={"event": "Cup"}, tags=(("A", "b"),))
    match = spoilt(match, 0, comment="a game", number=7)
    again = Table.from_record(match)
    assert again.record() == match
    assert again.apply(Double(1)).record().games[0].actions[0].comment == "natural"
    with pytest.raises(RulesError, match="nothing has been done"):
        Table.new().annotate(comment="x")


def test_no_points_to_spare() -> None:
    """Some write only the points that the match needed; that is no error."""
    match = after(Table.new(Rules(3)), Opening((3, 1)), Resign(0, 2), Accept(1), NextGame(), Resign(0, 3), Accept(1))
    record = match.record()
    capped = spoilt(record, 1, points=1)
    assert (Table.from_record(record).score, Table.from_record(capped).score) == ((0, 5), (0, 3))
    assert Table.from_record(capped).record() == capped
    with pytest.raises(RulesError, match="points"):
        Table.from_record(spoilt(record, 1, points=2))


@settings(max_examples=20)
@given(RULES, st.integers(0, 2**32))
def test_records_read_back_from_files(rules: Rules, seed: int) -> None:
    """A random match comes back the same from every kind of file that can hold it."""
    *_, table = games(rules, seed, 3)
    match = table.record()
    for name in ("mat", "sgf"):
        if FORMATS[name].losses(match) or any(map(_resigned_under_a_double, match.games)):
            continue
        again = plain(formats.read_text(formats.render([match], name)[0]))
        assert [replace(game, extras=()) for game in again.games] == list(match.games), name


def _resigned_under_a_double(game: Game) -> bool:
    """A file cannot tell this from a drop."""
    kinds = [action.kind for action in game.actions[-2:]]
    return kinds[-1:] == [ActionKind.RESIGN] and kinds[0] in (ActionKind.DOUBLE, ActionKind.BEAVER)


# Others who play the same games


class Chance:
    """A player of a duel whose decisions depend on nothing but the position (and the dice)."""

    name = identity = "chance"
    room = 64
    waits = False

    def __init__(self, patience: int) -> None:
        self.patience = patience

    def check(self, state: CubeState) -> None:
        """Plays everything."""

    def close(self) -> None:
        """Nothing to end."""

    def plays(self, asked: Asked, dice: NDArray[np.int8]) -> NDArray[np.int8]:
        results, offsets = kernels.legal_plays(asked.boards, dice)
        after = kernels.swap(results)
        best = [
            max(range(first, last), key=lambda i: draw(Position.from_board(kernels.unpack(after[i : i + 1])[0])))
            for first, last in pairwise(offsets)
        ]
        return after[best]

    def doubles(self, asked: Asked) -> NDArray[np.bool_]:
        return np.array(
            [draw(Position.from_board(board)) % self.patience == 0 for board in kernels.unpack(asked.boards)], bool
        )

    def takes(self, asked: Asked) -> NDArray[np.bool_]:
        return np.array([draw(Position.from_board(board)) % 4 != 0 for board in kernels.unpack(asked.boards)], bool)


class NoLuck:
    """An evaluator to whom all rolls are alike."""

    identity = "no luck"

    def rolls(self, asked: Asked) -> NDArray[np.float64]:
        return np.zeros((len(asked.boards), 21))


def draw(position: Position) -> int:
    """A number by which to decide."""
    return zlib.crc32(bytes((*position.player, *position.opponent)))


def played_on(table: Table, dice: tuple[int, int], opening: tuple[int, int], patience: int) -> Table:
    """The table after one turn of a duel between two players that are `Chance`; opening: the next game's."""
    if table.phase is Phase.OPENING:
        table = table.apply(Opening(dice))
    else:
        if Double in table.legal() and draw(table.position) % patience == 0:
            player = table.state.on_roll
            table = table.apply(Double(player))
            table = table.apply(Take(1 - player) if draw(table.position) % 4 != 0 else Drop(1 - player))
        if table.phase is Phase.ROLL:
            table = table.apply(Roll(table.state.on_roll, dice))
        elif table.phase is Phase.GAME_OVER and table.rules.length:
            table = after(table, NextGame(), Opening(opening))
    if table.phase is Phase.PLAY:
        play = max(table.legal().plays, key=lambda play: draw(play.result))
        table = table.apply(Move(table.state.on_roll, play))
    return table.apply(NextGame()) if table.phase is Phase.GAME_OVER and table.rules.length else table


@pytest.mark.parametrize(
    ("rules", "patience"),
    [
        (Rules(jacoby=True), 500),
        (Rules(jacoby=True), 20),
        (Rules(jacoby=False), 6),
        (Rules(cube_limit=1, jacoby=False), 6),
        (Rules(length=3), 200),
        (Rules(length=7), 6),
    ],
)
def test_duels_play_by_the_same_rules(rules: Rules, patience: int) -> None:
    """Turn by turn, the array loop of duels and a table hold the same position, cube, score and result."""
    start = CubeState(
        length=rules.length,
        away=(rules.length, rules.length),
        jacoby=rules.jacoby,
        beavers=rules.beavers,
        limit=rules.cube_limit,
    )
    duel = Duel((Chance(patience), Chance(patience)), NoLuck(), start, seed=3)  # type: ignore[arg-type]
    pairs = 5 if rules.length else 8
    rows = DuelGames.new(duel.start, duel.seed, [(pair, 0) for pair in range(pairs)])
    tables = {pair: Table.new(rules) for pair in range(pairs)}
    with ThreadPoolExecutor(1) as pool:
        while len(rows.pair):
            dice = rows.dice().tolist()
            duel._advance(rows, pool)
            boards = kernels.unpack(rows.boards)
            for i, pair in enumerate(rows.pair.tolist()):
                opening = rows.opening(np.array([i]))[0].tolist()
                table = tables[pair] = played_on(tables[pair], tuple(dice[i]), tuple(opening), patience)
                state = table.state
                if table.game.winner is not None:
                    sign = 1 if table.game.winner == 0 else -1
                    assert rows.result[i] == sign * (0.5 if rules.length else table.game.points)
                    continue
                assert np.isnan(rows.result[i])
                owner = -1 if state.cube_owner is None else state.cube_owner
                assert (rows.cube[i], rows.owner[i], rows.crawford[i]) == (state.cube, owner, state.crawford)
                assert table.position.board.tolist() == boards[i].tolist()
                assert table.phase is Phase.OPENING or rows.on_roll[i] == state.on_roll
                if rules.length:
                    assert tuple(rows.away[i]) == (state.away(0), state.away(1))
            rows = rows.take(np.isnan(rows.result))
    assert all(table.game.winner is not None for table in tables.values())


GNUBG = shutil.which("gnubg", path="/usr/games:/usr/local/bin:/usr/bin:/opt/homebrew/bin")


def in_gnubg(commands: Sequence[str], folder: Path) -> str:
    """What GNU Backgammon answers."""
    assert GNUBG is not None
    script = "\n".join(["set automatic roll off", "set automatic game off", *commands, ""])
    run = subprocess.run(
        [GNUBG, "-t", "-q", "-r"], input=script, capture_output=True, text=True, timeout=120, cwd=folder
    )
    return run.stdout


@pytest.mark.skipif(GNUBG is None, reason="GNU Backgammon is not installed")
def test_gnu_backgammon_keeps_the_same_score(tmp_path: Path) -> None:
    """Random matches with beavers, resignations and automatic doubles, read by GNU Backgammon and written again."""
    chance, expected, finals, commands = random.Random(8), [], [], []
    for number in range(24):
        variant = ("standard", "nackgammon", "standard", "hypergammon3")[number % 4]
        rules = Rules((0, 3, 7)[number % 3], variant, automatic_doubles=2, jacoby=number % 2 == 0)
        table = Table.new(rules, ("Ann", "Bob"))
        while table.phase is not Phase.MATCH_OVER and (table.phase is not Phase.GAME_OVER or table.game.number < 3):
            # Where the cube is left alone, gammons come to count or not.
            table = table.apply(chosen(table, chance, {**OFTEN, Double: 0.15 if number % 5 else 0.001}))
        expected.append(table.record())
        finals.append(table.score)
        (text,) = formats.render([table.record()], "sgf")
        Path(tmp_path, f"{number}.sgf").write_text(str(text), encoding="utf-8")
        commands += [f"load match {number}.sgf", "last game", "last move", f"save match back{number}.sgf"]
        commands += ["show score"]
    said = in_gnubg(commands, tmp_path)
    for number, match in enumerate(expected):
        back = formats.read(tmp_path / f"back{number}.sgf")
        if not any(map(_resigned_under_a_double, match.games)):
            assert [what(game) for game in back.games] == [what(game) for game in match.games], number
    scores = [tuple(map(int, score)) for score in re.findall(r"Ann (\d+), Bob (\d+)", said)]
    assert scores == finals


def what(game: Game) -> tuple[object, ...]:
    """What happened in a game and came of it."""
    acts = [(action.kind, action.player, action.position, action.value) for action in game.actions]
    return game.score, game.crawford, game.cube, game.winner, game.points, game.resigned, acts


@pytest.mark.parametrize("end", [None, 0, 1])
def test_the_midst_of_a_record_is_the_table_that_was_played(end: int | None) -> None:
    """end: who resigns after the record; None: nobody."""
    match = formats.read(sample_match())
    for table in Table.replay(match):
        if table.phase in (Phase.PLAY, Phase.RESIGNED):
            continue  # recorded with what came of it
        found = table_at(match, len(table.match.games), len(table.game.actions))
        if table.game.winner is None and end is not None and table.phase in (Phase.ROLL, Phase.DOUBLED):
            table = table.apply(Resign(end, 2))
            found = table_at(table.record(), len(table.match.games), len(table.game.actions))
        assert (found.game, found.position, found.score) == (table.game, table.position, table.score)
        assert (found.phase, found.turn, found.offered) == (table.phase, table.turn, table.offered)
        assert replace(found.state, on_roll=0) == replace(table.state, on_roll=0)


def test_what_cannot_be_judged_says_why() -> None:
    position, state, _ = parse("XGID=-b----E-C---eE---c-e----B-:1:0:1:00:6:2:1:7:10")
    assert problem_of(Position.start(), MONEY) == ""
    assert problem_of(position, state).startswith("the Crawford game needs")
    over = Position((0,) * 25, Position.start().opponent)
    with pytest.raises(InvalidPositionError, match=r"^the game is over: one side has borne off all its chequers\.$"):
        check_judged(over, MONEY)


def test_what_is_resigned_is_read_from_words_their_beginnings_and_numbers() -> None:
    for size, words in enumerate((("", "4", "0", "none", "1 2"), ("1", "n", "Normal", "single", "single game"))):
        assert [size_of(word) for word in words] == [size] * len(words)
    assert [size_of(word) for word in ("2", "g", "Gammons", "gammon", "3", "back", "B")] == [2, 2, 0, 2, 3, 3, 3]
