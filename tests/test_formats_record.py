"""The record that all readers fill: point of view, automatic doubles, remarks, problems."""

from __future__ import annotations

import pytest

from sixprime.errors import InvalidFileError
from sixprime.formats import mat
from sixprime.formats._problems import Problems
from sixprime.formats._recorder import GameRecorder
from sixprime.formats._replay import MatchReplay, best_replay
from sixprime.game.ids import parse
from sixprime.game.match_rules import LARGEST_PLAYED_CUBE, Rules
from sixprime.game.position import Position
from sixprime.game.record import Action, ActionKind, ForeignAnalysis, Player, Problem

Said = list[tuple[str, int | None, int | None]]


def recorder(said: Said, length: int = 0) -> GameRecorder:
    def report(message: str, line: int | None, column: int | None) -> None:
        said.append((message, line, column))

    return GameRecorder(Rules(length=length), ("Ann", "Bob"), 1, (0, 0), False, report)


def test_answers_are_seen_by_the_doubler() -> None:
    said: Said = []
    game = recorder(said)
    game.move(0, (3, 1), "8/5 6/5")
    game.double(1)
    game.beaver(0)
    game.beaver(1)
    game.take(0)
    game.move(1, (4, 2), "8/4 6/4")
    game.wins(1, 8)
    actions = game.finish().actions
    assert said == []
    answers = [action for action in actions if action.state.doubled]
    assert [(a.kind, a.player, a.state.on_roll, a.state.decider) for a in answers] == [
        (ActionKind.BEAVER, 0, 1, 0),
        (ActionKind.BEAVER, 1, 1, 1),
        (ActionKind.TAKE, 0, 1, 0),
    ]
    double = actions[1]
    assert all(action.position == double.position for action in answers)
    assert [action.state.beavered for action in answers] == [0, 1, 2]
    assert all(action.state.decider == action.player for action in actions)
    # So the ID of an action is the ID of the situation.
    known = parse(f"{answers[0].position.id}:{answers[0].state.match_id}")
    assert (known.position, known.state.doubled, known.state.decider) == (double.position, True, 0)


def test_automatic_doubles() -> None:
    said: Said = []
    game = recorder(said)
    game.automatic_double()
    game.automatic_double()
    game.move(0, (3, 1), "8/5 6/5")
    game.place = 7, 3
    game.automatic_double()
    game.double(1, 8)
    game.drop(0)
    played = game.finish()
    assert (played.cube, played.points, played.actions[0].state.cube) == (4, 4, 4)
    assert said == [("an automatic double after the first roll", 7, 3)]


def test_remarks_on_the_last_action() -> None:
    game = recorder([])
    game.annotate(comment="nothing is there yet")
    assert game.recorded == 0
    game.move(0, (3, 1), "8/5 6/5")
    analysis = ForeignAnalysis("X", luck=0.1)
    game.annotate(comment="good", seconds=12.5, analyses=(analysis,), extras=(("x:a", "b"),))
    action = game.last
    assert (action.comment, action.seconds, action.analyses, action.extras) == (
        "good",
        12.5,
        (analysis,),
        (("x:a", "b"),),
    )


def test_a_position_set_with_the_player_on_roll() -> None:
    game = recorder([])
    start = Position.start()
    game.set_board(start, 2, 1, player=1)
    game.set_cube(4, 0)
    game.move(1, (3, 1), "8/5 6/5")
    first, second = game.finish().actions
    assert (first.kind, first.player, first.position) == (ActionKind.SET, 1, start)
    assert (first.state.cube, first.state.cube_owner, second.state.cube) == (4, 0, 4)


def test_problems_name_their_place() -> None:
    assert str(Problem("bad", "a.xg", offset=12)) == "a.xg:byte 12: bad"
    assert str(Problem("bad", "a.mat", 3, 4)) == "a.mat:3:4: bad"
    assert str(InvalidFileError("bad", path="a.xg", offset=0)) == "a.xg:byte 0: bad"


def played(replay: MatchReplay, start: tuple[int, int], winner: int, won: int) -> bool:
    """Plays a game of nothing but its result; returns whether it was the Crawford game."""
    game = replay.begin(len(replay.games) + 1, start)
    game.wins(winner, won)
    replay.add(game, game.finish())
    return replay.games[-1].crawford


def test_a_replay_keeps_the_score_and_knows_the_crawford_game() -> None:
    problems = Problems("a.mat")
    replay = MatchReplay(Rules(5), ("Ann", "Bob"), problems)
    assert replay.start(1, (1, 0), 3) == (1, 0)  # where the file begins is for it to say
    crawford = [played(replay, (1, 0), 0, 3)]
    for winner, won in ((1, 2), (1, 2)):
        crawford.append(played(replay, replay.start(len(replay.games) + 1, None, 9), winner, won))
    assert (crawford, replay.score) == ([False, True, False], (4, 4))
    assert replay.start(4, (2, 4), 12) == (2, 4)
    assert [str(problem) for problem in problems] == ["a.mat:12:1: game 4 starts at 2-4, not at 4-4"]
    assert replay.start(5, (7, 4), 20, misprints=True) == (4, 4)
    assert replay.match((Player("Ann"), Player("Bob"))).games == tuple(replay.games)


def test_rules_are_tried_until_they_fit() -> None:
    def play(rules: Rules, trial: bool) -> MatchReplay:
        tried.append((rules.variant, rules.jacoby, trial))
        replay = MatchReplay(rules, ("", ""), Problems(""), trial=trial)
        replay.illegal = int(rules.variant != "hypergammon1")
        replay.gammon_counted = rules.jacoby
        return replay

    tried: list[tuple[str, bool, bool]] = []
    assert best_replay(play, Rules(), variant_known=True, jacoby_known=True).rules == Rules()
    assert tried == [("standard", True, False)]
    best = best_replay(play, Rules(), variant_known=False, jacoby_known=False)
    assert best.rules == Rules(variant="hypergammon1", jacoby=False)
    assert tried[2:] == [("nackgammon", True, True), ("hypergammon1", True, True), ("hypergammon1", False, False)]


def test_a_cube_limit_that_no_cube_reaches() -> None:
    (match,) = mat.parse('; [CubeLimit "99999"]\n 0 point match\n\n Game 1\n A : 0    B : 0\n  1) 31: 8/5 6/5\n')
    assert match.cube_limit == Rules.of(match).cube_limit == LARGEST_PLAYED_CUBE
    assert '; [CubeLimit "99999"]' in mat.format(match)


def test_automatic_doubles_in_a_match_file() -> None:
    head = " 0 point match\n\n Game 1\n A : 0    B : 0\n"
    text = head + "  1) 31: 8/5 6/5      Doubles => 4\n  2)  Drops            Wins 2 points\n"
    (match,) = mat.parse(text)
    assert (match.games[0].cube, match.games[0].points) == (2, 2)
    assert [problem.message for problem in match.problems] == ["game 1 starts with the cube at 2: automatic doubles"]
    (again,) = mat.parse(mat.format(match))
    assert (again.games[0].cube, again.problems) == (2, ())


@pytest.mark.parametrize("names", [("", "Bob"), ("Ann", ""), ("", "")])
def test_players_without_a_name(names: tuple[str, str]) -> None:
    text = f" 3 point match\n\n Game 1\n {names[0]} : 0            {names[1]} : 0\n  1) 31: 8/5 6/5      42: 8/4 6/4\n"
    (match,) = mat.parse(text)
    written = mat.format(match)
    assert "(no name) : 0" in written
    (again,) = mat.parse(written)
    assert (again.players[0].name, again.players[1].name) == names


def test_only_a_position() -> None:
    (match,) = mat.parse(" 3 point match\n\n Game 1\n A : 0    B : 0\n  1) 31: 8/5 6/5\n")
    assert match.only_position is None
    assert isinstance(match.games[0].actions[0], Action)
