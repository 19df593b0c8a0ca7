"""Duels: mirrored pairs, luck, stopping, resuming, players of other programs."""

from __future__ import annotations

import json
import math
import queue
import shlex
import shutil
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest
from numpy.typing import NDArray

from sixprime import kernels
from sixprime.cube.met import MatchEquityTable, load
from sixprime.cube.state import CubeState
from sixprime.engine import Engine
from sixprime.engine.engine import SEARCH
from sixprime.errors import DataFileError, EngineError, SettingsError, StoppedError
from sixprime.formats import read
from sixprime.game import Position
from sixprime.game.record import ActionKind
from sixprime.game.state import MatchState
from sixprime.nets import file
from sixprime.paths import sample_match
from sixprime.play import duel
from sixprime.play.duel import Duel, cubeful_money, cubeless_money, match_play
from sixprime.play.lockstep import DuelGames, points_of
from sixprime.play.standing import StopRule
from sixprime.players import gnubg, ubgi
from sixprime.players.bot import Asked, Bot
from sixprime.players.child import Child
from sixprime.players.engine import EngineBot, match_state
from sixprime.players.foreign import checked_plays, moved
from sixprime.players.levels import LEVELS, LevelBot
from sixprime.players.lobby import Lobby
from sixprime.players.luck import Evaluator
from sixprime.progress import Progress, Watch

KINDS = {
    "cubeless": cubeless_money(),
    "cubeful": cubeful_money(),
    "match": match_play(2),
}
FAKE = f"{shlex.quote(sys.executable)} {shlex.quote(str(Path(__file__).with_name('fake_ubgi.py')))}"


@dataclass
class Around:
    """Another player in the same seat, with a room of its own; remembers the states it was asked about."""

    player: Bot
    room: int = 64
    waits = False
    asked: list[CubeState] = field(default_factory=list)
    offered: list[CubeState] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.name, self.identity = self.player.name, self.player.identity
        self.check, self.takes, self.close = self.player.check, self.player.takes, self.player.close

    def plays(self, asked: Asked, dice: NDArray[np.int8]) -> NDArray[np.int8]:
        self.asked += [asked.states[group] for group in asked.groups]
        return self.player.plays(asked, dice)

    def doubles(self, asked: Asked) -> NDArray[np.bool_]:
        self.offered += [asked.states[group] for group in asked.groups]
        return self.player.doubles(asked)


@pytest.fixture(scope="module")
def lobby() -> Lobby:
    return Lobby(threads=1)


@pytest.fixture(scope="module")
def net(lobby: Lobby) -> Bot:
    return lobby.bot("standard@0ply")


@pytest.fixture(scope="module")
def weak(lobby: Lobby, tmp_path_factory: pytest.TempPathFactory) -> Bot:
    """A net that has been shaken."""
    nets = file.load()
    source = np.random.default_rng(1)
    noise = 1 + 0.6 * source.standard_normal(nets.contact.head.shape)
    contact = nets.contact._replace(head=(nets.contact.head * noise).astype(np.float32))
    path = tmp_path_factory.mktemp("nets") / "weak.safetensors"
    file.save(path, {"contact": contact, "race": nets.race, "pruner": nets.pruner}, {"name": "weak"})
    return lobby.bot(str(path))


@pytest.fixture(scope="module")
def judge(lobby: Lobby) -> Evaluator:
    return lobby.evaluator("standard")


def pairs_of(match: Duel) -> NDArray[np.float64]:
    """`[pairs, 2 games, (result, luck)]` of player A."""
    return np.array([match._pairs[i] for i in range(match.complete())]).reshape(-1, 2, 2)


@pytest.mark.parametrize("judge", ["standard", "small@1"])
@pytest.mark.parametrize("kind", KINDS)
def test_luck_of_all_rolls_adds_up_to_nothing(kind: str, judge: str, net: Bot, lobby: Lobby) -> None:
    match = Duel((net, net), lobby.evaluator(judge), KINDS[kind], seed=5)
    throws = np.array([(a, b) for a in range(1, 7) for b in range(1, 7)], dtype=np.int8)
    # Positions and states from the middle of games: the luck of their 36 throws.
    games = DuelGames.new(match.start, match.seed, [(pair, 0) for pair in range(20)])
    with ThreadPoolExecutor(1) as pool:
        for _ in range(12):
            match._advance(games, pool)
    games = games.take(np.isnan(games.result) & (games.turn > 0))
    assert len(games.pair) > 10
    assert kind == "cubeless" or (games.cube > 1).any()
    before, total = games.luck.copy(), np.zeros(len(games.pair))
    which, none = np.arange(len(games.pair)), np.arange(0)
    for throw in throws:
        games.luck[:] = 0
        match._luck(games, which, none, none, np.tile(throw, (len(which), 1)))
        assert np.abs(games.luck).max() > 0
        total += games.luck
    assert before.any()
    assert np.abs(total).max() < 1e-12
    # The 30 opening throws, which also decide who begins; seat 0 has the first die.
    throws = throws[throws[:, 0] != throws[:, 1]]
    games = DuelGames.new(match.start, match.seed, [(pair, 0) for pair in range(30)])
    games.on_roll[:] = throws[:, 0] < throws[:, 1]
    match._luck(games, np.arange(30), none, np.arange(30), throws)
    assert games.luck.std() > 0.001
    assert abs(games.luck.sum()) < 1e-12


@pytest.mark.parametrize("kind", KINDS)
def test_luck_has_the_mean_zero_whoever_plays(kind: str, net: Bot, weak: Bot, judge: Evaluator) -> None:
    match = Duel((net, weak), judge, KINDS[kind], seed=5)
    match.run(StopRule(pairs=60, clear=0))
    rows = pairs_of(match)[:, 0]
    luck = rows[:, 1]
    assert luck.std() > 0.1
    assert abs(luck.mean()) < 3.5 * luck.std() / math.sqrt(len(luck))
    # What is left without it varies far less.
    assert (rows[:, 0] - luck).var() < rows[:, 0].var() / 4


def test_a_file_may_be_called_as_plies_are(lobby: Lobby, tmp_path: Path) -> None:
    named = tmp_path / "net@2"
    shutil.copy(Path(file.__file__).parent / "data" / "small.safetensors", named)
    assert lobby.evaluator(str(named)).identity == lobby.evaluator("small").identity
    assert lobby.bot(str(named)).identity == lobby.bot("small").identity
    assert lobby.evaluator(f"{named}@1").identity == lobby.evaluator("small@1").identity


def test_luck_judged_deeper_leaves_less(net: Bot, lobby: Lobby) -> None:
    left = []
    for judge in ("standard", "standard@1"):
        match = Duel((net, net), lobby.evaluator(judge), KINDS["cubeless"], seed=5)
        match.run(StopRule(pairs=40, clear=0))
        result, luck = pairs_of(match)[:, 0].T
        left.append((result - luck).var())
    assert left[1] < 0.8 * left[0]


@pytest.mark.parametrize("kind", KINDS)
def test_a_net_against_itself_is_exactly_even(kind: str, net: Bot, judge: Evaluator) -> None:
    match = Duel((net, net), judge, KINDS[kind], seed=2)
    standing = match.run(StopRule(pairs=8, clear=0))
    rows = pairs_of(match)
    assert standing.pairs == 8
    assert standing.wins == (8, 8)
    assert (rows[:, 0] == -rows[:, 1]).all()
    assert np.abs(rows).min() > 0
    assert (standing.raw.mean, standing.raw.error, standing.adjusted.mean, standing.adjusted.z) == (0, 0, 0, 0)


@pytest.mark.parametrize("kind", KINDS)
def test_results_do_not_depend_on_batches_threads_or_restarts(
    kind: str, net: Bot, weak: Bot, judge: Evaluator, tmp_path: Path
) -> None:
    start, stop = KINDS[kind], StopRule(pairs=8, clear=0)
    whole = Duel((net, weak), judge, start, seed=4)
    expected = whole.run(stop)

    state = tmp_path / "state.json"
    two = Lobby(threads=2)

    def interrupt(step: Progress) -> None:
        assert step.total == 8
        if len(first._pairs) > 1:
            raise KeyboardInterrupt

    first = Duel((two.bot("standard"), Around(weak, room=4)), two.evaluator("standard"), start, seed=4, state=state)
    with pytest.raises(KeyboardInterrupt):
        first.run(stop, Watch(interrupt))
    assert 1 < len(first._pairs) < 8
    second = Duel((net, Around(weak, room=10)), judge, start, seed=4, state=state)
    assert second.complete() == first.complete()
    assert second.run(stop) == expected
    assert (pairs_of(second) == pairs_of(whole)).all()
    assert Duel((net, weak), judge, start, seed=4, state=state).run(stop) == expected


@pytest.mark.parametrize("plies", [0, 2])
def test_a_duel_is_stopped_from_outside_and_goes_on(plies: int, lobby: Lobby, judge: Evaluator) -> None:
    """In the middle of a turn of all games, too."""
    players = lobby.bot(f"standard@{plies}ply"), lobby.bot("small@0ply")
    match = Duel(players, judge, KINDS["cubeless"], seed=2)
    stop = threading.Event()
    timer = threading.Timer(0.2, stop.set)
    timer.start()
    with pytest.raises(StoppedError, match="of 100,000 pairs") as raised:
        match.run(StopRule(pairs=100_000, clear=0), Watch(stop=stop))
    assert raised.value.done == match.complete()
    assert match.run(StopRule(pairs=1 + match.complete(), least=2, clear=0)).pairs == match.complete()


def test_stops_at_the_first_clear_look(net: Bot, weak: Bot, judge: Evaluator, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(duel, "LOOKS", 10)
    match = Duel((net, Around(weak)), judge, KINDS["cubeless"])
    standing = match.run(StopRule(pairs=1000, least=20, clear=2))
    assert 20 <= standing.pairs < 200
    assert standing.pairs % 10 == 0
    assert standing.adjusted.z >= 2
    assert all(abs(match.standing(pairs).adjusted.z) < 2 for pairs in range(20, standing.pairs, 10))
    longer = match.run(StopRule(pairs=1000, least=20, clear=0, error=0.015))
    assert 20 < longer.pairs < 1000
    assert longer.adjusted.error <= 0.015 < match.standing(longer.pairs - 10).adjusted.error
    with pytest.raises(SettingsError, match="pairs must be at least 1"):
        StopRule(pairs=0)


def test_a_state_of_another_duel_or_damaged_is_refused(net: Bot, weak: Bot, judge: Evaluator, tmp_path: Path) -> None:
    state = tmp_path / "state.json"
    Duel((net, weak), judge, KINDS["cubeless"], state=state).run(StopRule(pairs=2))
    with pytest.raises(SettingsError, match="another duel: its seed is 1, here it is 2"):
        Duel((net, weak), judge, KINDS["cubeless"], seed=2, state=state)
    with pytest.raises(SettingsError, match="another duel: its games have another cube, score or Jacoby rule"):
        Duel((net, weak), judge, KINDS["cubeful"], state=state)
    whole = state.read_text()
    data = json.loads(whole)
    wrong = ("[]", whole[:-30], "", json.dumps(data | {"raw": [[0, 1]]}), json.dumps(data | {"numbers": [-1, 0]}))
    for text in wrong:
        state.write_text(text)
        with pytest.raises(DataFileError, match=r"state\.json holds no duel"):
            Duel((net, weak), judge, KINDS["cubeless"], state=state)


def test_another_game(net: Bot, weak: Bot, judge: Evaluator, tmp_path: Path) -> None:
    """Nackgammon begins with its own position; a file knows of which game it is, an older one of the usual."""
    state = tmp_path / "state.json"
    seen = Around(net)
    boards: list[str] = []
    plays = seen.plays

    def remember(asked: Asked, dice: NDArray[np.int8]) -> NDArray[np.int8]:
        boards.extend(Position.from_board(board).id for board in kernels.unpack(asked.boards))
        return plays(asked, dice)

    seen.plays = remember  # type: ignore[method-assign]
    duel = Duel((seen, weak), judge, KINDS["cubeless"], variant="nackgammon", state=state)
    duel.run(StopRule(pairs=2))
    assert Position.start("nackgammon").id in boards
    assert Position.start().id not in boards
    with pytest.raises(SettingsError, match="another duel: its variant is 'nackgammon', here it is 'standard'"):
        Duel((net, weak), judge, KINDS["cubeless"], state=state)
    usual = Duel((net, weak), judge, KINDS["cubeless"], state=tmp_path / "usual.json")
    usual.run(StopRule(pairs=2))
    data = json.loads((tmp_path / "usual.json").read_text())
    del data["settings"]["variant"]
    (tmp_path / "usual.json").write_text(json.dumps(data))
    assert Duel((net, weak), judge, KINDS["cubeless"], state=tmp_path / "usual.json").complete() == 2
    with pytest.raises(SettingsError, match=r"one of standard, nackgammon\. Got 'hypergammon3'"):
        Duel((net, weak), judge, KINDS["cubeless"], variant="hypergammon3")


def test_both_games_of_a_pair_have_the_same_dice_and_fair_openings(net: Bot, judge: Evaluator) -> None:
    match = Duel((net, net), judge, KINDS["cubeless"], seed=9)
    games = DuelGames.new(match.start, match.seed, [(pair, seat) for pair in range(3000) for seat in (0, 1)])
    opening = games.dice()
    assert (opening[::2] == opening[1::2]).all()
    assert (games.on_roll[::2] == games.on_roll[1::2]).all()
    assert (opening[:, 0] != opening[:, 1]).all()
    assert ((opening[:, 0] < opening[:, 1]) == games.on_roll).all()
    counts = np.unique(opening[::2, 0] * 6 + opening[::2, 1], return_counts=True)[1]
    assert len(counts) == 30
    assert counts.min() > 60
    assert counts.max() < 145
    games.turn += 1
    later = games.dice()
    assert (later[::2] == later[1::2]).all()
    assert (later[:, 0] == later[:, 1]).any()


def test_matches_keep_to_the_crawford_rule(weak: Bot, judge: Evaluator) -> None:
    player = Around(weak)
    Duel((player, player), judge, match_play(3), seed=1).run(StopRule(pairs=20, clear=0))
    crawford = [state for state in player.asked if state.crawford]
    assert crawford
    assert all(1 in state.away and state.away != (1, 1) and state.cube == 1 for state in crawford)
    assert not any(state.crawford for state in player.offered)
    assert any(1 in state.away and state.cube > 1 for state in player.asked)  # after the Crawford game
    assert all(state.can_double for state in player.offered)


@pytest.mark.parametrize("kind", KINDS)
def test_games_that_do_not_end_are_judged(
    kind: str, weak: Bot, net: Bot, judge: Evaluator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(duel, "LONGEST", 6)
    match = Duel((net, weak), judge, KINDS[kind])
    match.run(StopRule(pairs=4))
    rows = pairs_of(match)
    assert np.isfinite(rows).all()
    assert (rows[..., 0] % 0.5 != 0).any()
    if match.start.length:
        # Chances of winning a match, less a half.
        assert np.abs(rows[..., 0]).max() <= 0.5


def test_points_of_finished_games() -> None:
    """The loser is on roll; the winner has nothing left."""
    loser = {"single": [6] + [0] * 24, "gammon": [15] + [0] * 24, "far": [14] + [0] * 17 + [1] + [0] * 6}
    loser["bar"] = [14] + [0] * 23 + [1]
    boards = kernels.pack(np.array([[[0] * 25, rows] for rows in loser.values()], dtype=np.int8))
    assert dict(zip(loser, points_of(boards).tolist(), strict=True)) == {
        "single": 1, "gammon": 2, "far": 3, "bar": 3,
    }  # fmt: skip


def test_levels_are_read(lobby: Lobby) -> None:
    assert lobby.bot("standard@2").name == lobby.bot("standard@2ply").name == "standard@2ply"
    assert lobby.bot("standard").name == "standard@0ply"
    with pytest.raises(SettingsError, match="0 to 4 plies"):
        lobby.bot("standard@9")
    with pytest.raises(DataFileError, match="Cannot read the network file"):
        lobby.bot("no-such-net@1")
    with pytest.raises(EngineError, match="No GNU Backgammon found as /no/gnubg"):
        Lobby(gnubg="/no/gnubg").bot("gnubg")


@pytest.mark.parametrize(
    "state",
    [
        CubeState(2, 1, 7, (3, 5)),
        CubeState(length=3, away=(3, 3)),
        CubeState(),
        CubeState(jacoby=True),
        CubeState(4, 1, jacoby=True),
    ],
    ids=str,
)
def test_batches_decide_as_the_engine_does(lobby: Lobby, state: CubeState) -> None:
    ids = ("4HPhASiYZ/ABMA", "4NvgICTYJvgIIg", "2A44Bguw2+BECA", "sHPhASjgZ/ABMA", "NgAAACAEAAAAAA", "2+4OAADb7g4AAA")
    # At 3 points a double here is wrong by no more than what is a tie in chances.
    ids += ("4PPgJQAbrsEBMA",)
    positions = [Position.from_id(text) for text in ids]
    boards = kernels.pack(np.stack([position.board for position in positions]))
    asked = Asked(boards, [state], np.zeros(len(boards), dtype=np.int32))
    dice = np.array([(6, 1)] * len(boards), dtype=np.int8)
    for plies in (0, 1):
        player = lobby.bot(f"standard@{plies}")
        assert isinstance(player, EngineBot)
        match = match_state(state)
        cubes = player.engine.cube_many([(position, match) for position in positions], plies=plies)
        assert player.doubles(asked).tolist() == [cube.should_double for cube in cubes]
        assert player.takes(asked).tolist() == [cube.should_take for cube in cubes]
        if state.length:
            after = [player.engine.best_plays(p, (6, 1), match=match, plies=plies)[0].play.result for p in positions]
            assert [Position.from_board(board) for board in kernels.unpack(player.plays(asked, dice))] == after


@pytest.mark.parametrize("on_roll", [0, 1])
def test_a_table_that_favours_a_player_favours_him_wherever_he_sits(on_roll: int) -> None:
    plain = load()
    table = MatchEquityTable(
        "", "", "", plain.length, plain.pre**0.3, np.stack([plain.post[0] ** 0.3, plain.post[1] ** 2])
    )
    state = MatchState(length=7, score=(2, 4), cube=2, cube_owner=on_roll, on_roll=on_roll)
    match = read(sample_match())
    turns = [each for game in match.games for each in game.actions if each.kind is ActionKind.MOVE][::12]
    with Engine(plies=0, threads=1, met=table) as engine:
        for turn in turns:
            assert turn.dice is not None
            asked = Asked(kernels.pack(turn.position.board[None]), [CubeState.from_match(state)], np.zeros(1, np.int32))
            for plies in (0, 1):
                best = engine.best_plays(turn.position, turn.dice, match=state, plies=plies)
                (board,) = kernels.unpack(EngineBot("", engine, plies).plays(asked, np.array([turn.dice], np.int8)))
                assert not best or Position.from_board(board) == best[0].play.result
            rolls = dict(
                zip(map(tuple, np.sort(kernels.ROLLS).tolist()), Evaluator(engine).rolls(asked)[0], strict=True)
            )
            mwc = engine.best_plays(turn.position, turn.dice, match=state, plies=0)[0].mwc
            assert rolls[min(turn.dice), max(turn.dice)] == pytest.approx(mwc, abs=0.05)


# Other programs.


class First:
    """What the fake engine does: the first play in the order of the alphabet."""

    name = identity = "first"
    room, waits = 64, False

    def check(self, state: CubeState) -> None:
        pass

    def doubles(self, asked: Asked) -> NDArray[np.bool_]:
        raise AssertionError("there is no cube")

    takes = doubles

    def close(self) -> None:
        pass

    def plays(self, asked: Asked, dice: NDArray[np.int8]) -> NDArray[np.int8]:
        boards = []
        for board, (high, low) in zip(kernels.unpack(asked.boards), dice.tolist(), strict=True):
            position = Position.from_board(board)
            plays = position.plays((high, low))
            boards.append(min(plays, key=str).result.board if plays else position.swapped().board)
        return kernels.pack(np.stack(boards))


def test_a_ubgi_engine_plays(lobby: Lobby, judge: Evaluator) -> None:
    player = lobby.bot(f"ubgi:{FAKE};engine.ply=2")
    try:
        standing = Duel((player, First()), judge, KINDS["cubeless"]).run(StopRule(pairs=2))
        assert standing.wins == (2, 2)
        assert standing.adjusted.mean == 0
        with pytest.raises(SettingsError, match="cubeless money games only"):
            Duel((player, First()), judge, KINDS["match"])
    finally:
        player.close()


@pytest.mark.parametrize(
    ("mode", "message"),
    [
        ("dies", r"fake_ubgi\.py dies has ended \(exit status 7\): out of memory"),
        ("hangs", r"hangs gave no answer for 0.5 seconds"),
        ("endless", r"endless was ended: it wrote a line of more than 65,536 bytes"),
        ("illegal", r"illegal played illegally: '24/1' with \d-\d in \S{14}\."),
        ("garbage", r"garbage played illegally: 'x' with"),
    ],
)
def test_a_ubgi_engine_that_fails_is_named(mode: str, message: str, lobby: Lobby, judge: Evaluator) -> None:
    player = lobby.bot(f"ubgi:{FAKE} {mode}")
    assert isinstance(player, ubgi.UbgiBot)
    if mode == "hangs":
        player._child.timeout = 0.5
    try:
        with pytest.raises(EngineError, match=message):
            Duel((player, First()), judge, KINDS["cubeless"]).run(StopRule(pairs=2))
    finally:
        player.close()


def test_an_engine_that_speaks_unasked_is_stopped() -> None:
    child = Child("parrot", [sys.executable, "-c", "while True: print('hello')"])
    try:
        child._process.wait(timeout=60)
        assert {child.line() for _ in range(10_000)} == {"hello"}
        with pytest.raises(EngineError, match="parrot was ended: it wrote more than 10,000 lines that nobody"):
            child.line()
    finally:
        child.close()


def test_an_engine_that_answers_while_we_are_suspended_does_not_hang() -> None:
    child = Child("slow", [sys.executable, "-c", ""])
    child._reader.join(timeout=60)
    try:
        # Once we go on, the time is up before the thread has read what was said.
        child._lines = Mock(get=Mock(side_effect=[queue.Empty, "hello"]))
        assert child.line() == "hello"
    finally:
        child.close()


def test_a_program_that_is_no_ubgi_engine_is_refused() -> None:
    with pytest.raises(EngineError, match="answered 'error bad_command ubgi' where 'ubgiok' was expected"):
        Lobby().bot(f"ubgi:{FAKE} deaf")
    with pytest.raises(EngineError, match="no-such-program cannot be started: No such file"):
        Lobby().bot("ubgi:no-such-program")
    with pytest.raises(SettingsError, match="KEY=VALUE"):
        Lobby().bot(f"ubgi:{FAKE};ply")
    with pytest.raises(SettingsError, match="needs the command"):
        Lobby().bot("ubgi:")


def test_gnu_backgammon_plays(lobby: Lobby, net: Bot, judge: Evaluator) -> None:
    try:
        gnubg.find()
    except EngineError:
        pytest.skip("GNU Backgammon is not installed")
    player = gnubg.GnubgBot(0, processes=4)
    try:
        even = Duel((player, player), judge, KINDS["cubeless"]).run(StopRule(pairs=2))
        assert even.wins == (2, 2)
        assert even.adjusted.mean == 0
        # With cube and score: both know what a last-roll position is worth.
        boards = kernels.pack(Position.from_id("AgAAEAEAAAAAAA").board[None])
        for state in (cubeful_money(), CubeState(length=5, away=(4, 2))):
            asked = Asked(boards, [state], np.zeros(1, dtype=np.int32))
            assert player.doubles(asked).tolist() == net.doubles(asked).tolist()
            assert player.takes(asked).tolist() == net.takes(asked).tolist()
    finally:
        player.close()


def test_moves_of_other_programs_are_followed() -> None:
    board = kernels.pack(Position.start().board[None])[0]
    after = moved(board, [24, 18, 13, 11])
    assert after is not None
    assert after[24] == 1
    assert after[18] == 1
    assert after[13] == 4
    assert after[11] == 1
    for steps in ([24, 19], [24], [26, 20], [20, 18], [6, 6], [8, 9], "24/18", None):
        assert moved(board, steps) is None


@pytest.mark.parametrize(
    ("answer", "shown"),
    [([24, 18, 13], "'[24, 18, 13]'"), ([24, 18, 9, 3], "'24/18 9/3'"), (7, "'7'"), ("x", "'x'"), (None, "'None'"),
     ([8], "'[8]'"), ((13, 7, 24, 25), "'13/7 24/25'")],
)  # fmt: skip
def test_an_illegal_answer_is_shown(answer: object, shown: str) -> None:
    """Whatever it is, with the dice and the position."""
    boards = kernels.pack(Position.start().board[None])
    asked = Asked(boards, [cubeless_money()], np.zeros(1, dtype=np.int32))
    with pytest.raises(EngineError) as caught:
        checked_plays("Foe", asked, np.array([[6, 3]], dtype=np.int8), lambda which: [answer])
    assert str(caught.value) == f"Foe played illegally: {shown} with 6-3 in 4HPwATDgc/ABMA."


def test_a_state_is_saved_now_and_then(
    net: Bot, judge: Evaluator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At the beginning, every ten seconds and at the end; not after every turn."""
    now = [0.0]
    monkeypatch.setattr(duel.time, "monotonic", lambda: now[0])
    saved: list[float] = []
    save = Duel.save

    def counted(self: Duel) -> None:
        saved.append(now[0])
        save(self)

    def tick(step: Progress) -> None:
        now[0] += 1.0

    monkeypatch.setattr(Duel, "save", counted)
    Duel((net, net), judge, KINDS["cubeless"], seed=2, state=tmp_path / "duel.json").run(StopRule(pairs=1), Watch(tick))
    turns = now[0]
    assert turns > 30
    # The clock stands at the turn whose report has just come.
    assert saved == [0.0, *(11.0 * i for i in range(1, int(turns // 11) + 1)), turns][: len(saved)]
    assert len(saved) in (int(turns // 11) + 1, int(turns // 11) + 2)


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"plays": lambda asked, dice: asked.boards[0]}, r"plays of .* must be int8\[\d+, 32\]"),
        ({"plays": lambda asked, dice: None}, r"plays of .* must be int8\[\d+, 32\]"),
        ({"plays": lambda asked, dice: np.full((len(asked.boards), 32), 9)}, "must be a packed board"),
        ({"doubles": lambda asked: 0.3}, r"doubles of .* must be bool\[\d+\]"),
        ({"doubles": lambda asked: np.arange(len(asked.boards))}, r"doubles of .* must be bool\[\d+\]"),
    ],
)
def test_what_is_no_answer_is_refused(
    said: dict[str, object], message: str, net: Bot, judge: Evaluator, monkeypatch: pytest.MonkeyPatch
) -> None:
    odd = Around(net)
    for name, answer in said.items():
        monkeypatch.setattr(odd, name, answer)
    with pytest.raises(SettingsError, match=message):
        Duel((odd, net), judge, KINDS["cubeful"]).run(StopRule(pairs=2))


def test_a_table_in_which_players_are_unlike_is_the_players_and_not_the_seats() -> None:
    """A, who is player 0 to the table, decides and is judged by his own chances in both seats, B by hers."""
    engine = Engine(plies=0, threads=1, met=load("jac100"))
    assert not engine.met.is_symmetric
    bot, judge = EngineBot("uneven", engine, 0), Evaluator(engine)
    match = Duel((bot, bot), judge, match_play(5), seed=7)
    games = DuelGames.new(match.start, match.seed, [(pair, seat) for pair in range(12) for seat in (0, 1)])
    with ThreadPoolExecutor(1) as pool:
        for _ in range(12):
            match._advance(games, pool)
    which = np.flatnonzero(np.isnan(games.result) & (games.owner < 0) & (games.turn > 0))
    players = games.on_roll[which] ^ games.seat[which]
    assert set(players.tolist()) == {0, 1}
    asked = games.asked(which)
    states = [asked.states[group] for group in asked.groups]
    alone = [replace(state, player=player) for state, player in zip(states, players.tolist(), strict=True)]
    one_by_one = Asked(asked.boards, alone, np.arange(len(which), dtype=np.int32))
    unseen = replace(asked, players=None)
    for decide in (judge.rolls, lambda each: bot._valued(each.by(engine.met), 0)[1].T):
        found = decide(asked)
        assert found == pytest.approx(decide(one_by_one), abs=1e-12)
        assert np.abs(found - decide(unseen)).max() > 0.001
    for level in (bot, LevelBot(LEVELS["beginner"], engine)):
        assert [decide(asked).tolist() for decide in (level.doubles, level.takes)] == [
            decide(one_by_one).tolist() for decide in (level.doubles, level.takes)
        ]
    usual = EngineBot("even", Engine(plies=0, threads=1), 0).identity
    assert bot.identity != usual
    assert f"search {SEARCH}" in usual
    assert judge.identity != Evaluator(Engine(plies=0, threads=1)).identity
