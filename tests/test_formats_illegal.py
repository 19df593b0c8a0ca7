"""Plays against the rules, as people really make them: recorded as illegal, carried out, and the game goes on."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import combinations_with_replacement

import pytest
from sides import side

from sixprime import formats
from sixprime.errors import IllegalPlayError, InvalidPlayError
from sixprime.formats import FORMATS, Feature, Format, Holds
from sixprime.formats._recorder import GameRecorder
from sixprime.game.match_rules import Rules
from sixprime.game.play import apply_steps, find_play, parse_play
from sixprime.game.position import Position
from sixprime.game.record import Action, Match, Player

WRITERS = [known for known in FORMATS.values() if known.write and known.holds not in (Holds.POSITION, Holds.POSITIONS)]


def mat(*rows: str, result: str = "      Wins 1 point") -> str:
    """A match of one game."""
    return "\n".join([" 7 point match", "", " Game 1", " Ann : 0                 Bob : 0", *rows, result, ""])


def quiet(message: str, line: int | None, column: int | None) -> None:
    """Takes a complaint."""


@pytest.mark.parametrize(
    ("dice", "play", "shown", "after"),
    [
        ("65", "13/7 13/8 6/8", "13/8 13/7 6/8", {"p6": 3, "p8": 4, "p7": 1, "p13": 3, "p5": 2, "p24": 2}),
        (
            "65",
            "24/22 13/8 13/7",
            "24/22 13/8 13/7",
            {"p24": 1, "p22": 1, "p13": 3, "p8": 3, "p7": 1, "p6": 4, "p5": 2},
        ),
        ("65", "13/7", "13/7", {"p24": 2, "p13": 4, "p8": 2, "p7": 1, "p6": 4, "p5": 2}),
        ("66", "13/7(3) 24/18(2)", "24/18(2) 13/7(3)", {"p18": 2, "p13": 2, "p8": 2, "p7": 3, "p6": 4, "p5": 2}),
        ("65", "7/10 13/7", "13/7/10", None),
        ("65", "13-7, 13/7(2)", "13/7(3)", {"p24": 2, "p13": 2, "p8": 2, "p7": 3, "p6": 4, "p5": 2}),
        ("65", "6/off 24/23", "24/23 6/off", {"p24": 1, "p23": 1, "p13": 5, "p8": 2, "p6": 3, "p5": 2}),
    ],
)
def test_the_game_goes_on(dice: str, play: str, shown: str, after: dict[str, int] | None) -> None:
    text = mat(" 1) 31: 8/5 6/5                 42: 8/4 6/4", f" 2) {dice}: {play}      31: 8/5 6/5", " 3) 21: 8/6")
    match = formats.read_text(text)
    actions = match.games[0].actions
    assert [action.illegal for action in actions] == [False, False, True, False, True, False]
    assert actions[2].play is not None
    if after is not None:
        assert str(actions[2].play) == shown
        assert actions[2].play.result.opponent == side(**after)
    assert actions[2].play.result == actions[3].position
    assert [problem.line for problem in match.problems] == [6, 7]
    assert "no legal play of" in match.problems[0].message


def test_what_the_chequers_do_not_allow_still_ends_the_reading() -> None:
    for play, why in (("15/10 14/8", "no chequer on 15"), ("13/1 6/5", "the opponent holds 1"), ("13/x", "no step")):
        match = formats.read_text(mat(f" 1) 65: {play}      31: 8/5 6/5", "      Wins 2 points"))
        assert len(match.games[0].actions) == 1
        assert (match.games[0].winner, match.games[0].points) == (0, 2)
        assert why in match.problems[0].message
        assert "the rest of game 1 is left out" in match.problems[0].message


def test_hit_marks_follow_the_board_not_the_text() -> None:
    """The first chequer to land on a blot hits it, whatever order is written and where the mark stands."""
    position = Position(side(p18=1, p1=2), side(p13=2, p10=1, p6=2))  # a blot on the mover's 7 point
    for text in ("13/7 13/7*", "13/7*(2)", "13/7 13/7", "6/7 13/7*"):
        recorder = GameRecorder(Rules(7), ("", ""), 1, (0, 0), False, quiet)
        recorder.set_board(position, player=0)
        recorder.move(0, (6, 5), text)
        action = recorder.last
        assert action.illegal
        assert action.play is not None
        assert sum(step.hit for step in action.play.steps) == 1
        assert action.play.result.player[24] == 1
        assert apply_steps(position, [step[:2] for step in action.play.steps]) == action.play.result


def random_illegal(chance: random.Random, position: Position) -> list[tuple[int, int]]:
    """Steps that the chequers allow, most of them against any rule."""
    steps: list[tuple[int, int]] = []
    for _ in range(chance.randint(1, 5)):
        for _ in range(30):
            way = chance.randint(1, 25), chance.randint(0, 24)
            try:
                apply_steps(position, [*steps, way])
            except IllegalPlayError:
                continue
            steps.append(way)
            break
    return steps


def illegal_match(seed: int) -> Match:
    """A money session of one game, unfinished, in which people do as they like."""
    chance = random.Random(seed)
    recorder = GameRecorder(Rules(), ("Ann", "Bob"), 1, (0, 0), False, quiet)
    player = 0
    for _ in range(16):
        dice = chance.randint(1, 6), chance.randint(1, 6)
        position = recorder.position
        if position.winner is not None:
            break
        plays = position.plays(dice)
        steps = random_illegal(chance, position)
        if chance.random() < 0.3 and any(start != end for start, end in steps):
            recorder.move(player, dice, " ".join(f"{start}/{end}" for start, end in steps))
        elif chance.random() < 0.1:
            recorder.no_move(player, dice)
        elif plays:
            recorder.move(player, dice, str(chance.choice(plays)))
        else:
            recorder.no_move(player, dice)
        player = 1 - player
    recorder.resigns(player)
    return Match((Player("Ann"), Player("Bob")), 0, (recorder.finish(),), jacoby=True, beavers=3)


def what_happened(actions: tuple[Action, ...], lost: Sequence[str] = ()) -> list[tuple[object, ...]]:
    """lost: what the format cannot hold."""

    def dice(action: Action) -> object:
        return sorted(action.dice) if action.dice is not None and "order of the two dice" in lost else action.dice

    return [
        (action.kind, action.player, dice(action), action.position, action.illegal, action.play and action.play.steps)
        for action in actions
    ]


@pytest.mark.parametrize("known", WRITERS, ids=lambda known: known.name)
def test_every_writer_keeps_illegal_plays_or_names_them(known: Format) -> None:
    kept = 0
    for seed in range(40):
        match = illegal_match(seed)
        lost = known.losses(match)
        back = formats.read_text(formats.render([match], known)[0])
        if {Feature.ILLEGAL, Feature.PASSED, Feature.RESULT_ONLY, Feature.RESIGNATION} & {*lost}:
            continue
        kept += 1
        assert what_happened(back.games[0].actions, lost) == what_happened(match.games[0].actions, lost), seed
    assert kept or known.name in ("bgroom", "ogxm")


def test_a_position_that_no_play_leads_to_is_named_where_it_is_lost() -> None:
    recorder = GameRecorder(Rules(), ("Ann", "Bob"), 1, (0, 0), False, quiet)
    recorder.move(0, (3, 1), "8/5 6/5")
    position = recorder.position
    recorder.moved_to(1, (6, 5), Position(position.opponent, side(p24=1, p13=5, p8=4, p6=5)))
    recorder.resigns(0)
    match = Match((Player("Ann"), Player("Bob")), 0, (recorder.finish(),), jacoby=True, beavers=3)
    for known in WRITERS:
        back = formats.read_text(formats.render([match], known)[0])
        lost = known.losses(match)
        same = what_happened(back.games[0].actions[:2], lost) == what_happened(match.games[0].actions[:2], lost)
        assert same == (Feature.RESULT_ONLY not in known.losses(match)), known.name


def test_a_play_that_is_not_known_is_named() -> None:
    match = formats.read_text(mat(" 1) 65: 13/x", result="      Wins 2 points"))
    for known in WRITERS:
        assert Feature.UNKNOWN in known.losses(match)


def test_a_shared_numbering_is_told_by_the_game_not_by_a_step() -> None:
    """In the files of FIBS one player moves up; a chequer of his that goes backwards moves down."""
    text = (
        "Score is 0-0 in a 5 point match.\nAnn is X - Bob is O\n\nX: (3 1) 8-5 6-5\nO: (6 5) 12-18 12-17 19-17\n"
        "X: (6 5) 13-7 13-8 6-8\nO: (4 2) 17-21 19-21\nX: wins 1 point\n"
    )
    actions = formats.read_text(text).games[0].actions
    assert [str(action.play) for action in actions[:4]] == ["8/5 6/5", "13/8 13/7 6/8", "13/8 13/7 6/8", "8/4 6/4"]
    assert [action.illegal for action in actions[:4]] == [False, True, True, False]


# Bearing off, and how a play may be written


@pytest.mark.parametrize(
    ("board", "dice", "text"),
    [
        ({"p3": 1, "p2": 1}, (2, 1), "3/off 2/off"),
        ({"p4": 1, "p3": 1}, (5, 4), "4/off 3/2"),
        ({"p4": 2, "p3": 2}, (5, 4), "4/off 3/2"),
    ],
)
def test_bear_offs_that_are_not_legal(board: dict[str, int], dice: tuple[int, int], text: str) -> None:
    with pytest.raises(IllegalPlayError):
        parse_play(text, Position(side(bar=2), side(**board)), dice)


def test_bear_offs_are_accepted_exactly_where_a_legal_play_leads() -> None:
    """All positions of two chequers within seven points, all rolls, all texts of up to two steps."""
    steps = [(start, end) for start in range(1, 8) for end in range(start)]
    texts = [(), *((step,) for step in steps), *combinations_with_replacement(steps, 2)]
    accepted = 0
    for points in combinations_with_replacement(range(1, 8), 2):
        position = Position(side(bar=2), tuple(points.count(point) for point in range(1, 26)))
        possible = [(ways, reached) for ways in texts if (reached := reached_by(position, ways)) is not None]
        for dice in combinations_with_replacement(range(1, 7), 2):
            legal = {play.result for play in position.plays(dice)} or {position.swapped()}
            for ways, reached in possible:
                play = find_play(" ".join(f"{start}/{end or 'off'}" for start, end in ways), position, dice)
                assert (play is not None) == (reached in legal)
                if play is not None:
                    accepted += 1
                    assert play.result == reached
    assert accepted > 2000


def reached_by(position: Position, ways: tuple[tuple[int, int], ...]) -> Position | None:
    """The position after steps in either order."""
    for order in (ways, ways[::-1]):
        try:
            return apply_steps(position, order)
        except IllegalPlayError:
            continue
    return None


@pytest.mark.parametrize(
    "text",
    ["8 5 6 5", "31: 8/5 6/5", "13: 8/5 6/5", "3-1: 8/5, 6/5", "8-5 6-5", "8/5,6/5", " 6 5  8 5 ", "31: 8 5 6 5"],
)
def test_ways_to_write_a_play(text: str) -> None:
    assert str(parse_play(text, Position.start(), (3, 1))) == "8/5 6/5"


def test_points_alone_with_the_bar_and_off() -> None:
    assert str(parse_play("bar 22 6 5", Position(side(p6=5), side(bar=1, p6=5)), (3, 1))) == "bar/22 6/5"
    assert str(parse_play("6 off 5 off", Position(side(p6=5), side(p6=1, p5=1)), (6, 5))) == "6/off 5/off"


@pytest.mark.parametrize("text", ["42: 8/5 6/5", "8 5 6", "8 5 6/5", "0 5 6 5", "8/5 6/25", "26/20"])
def test_plays_that_cannot_be_read(text: str) -> None:
    with pytest.raises(InvalidPlayError):
        parse_play(text, Position.start(), (3, 1))


def test_backwards_is_illegal_not_unreadable() -> None:
    for text in ("5/8", "8/8", "8/5 6/5 5/6 6/5", "13/10(4) 6/9"):
        with pytest.raises(IllegalPlayError, match="does not go forwards"):
            parse_play(text, Position.start(), (3, 3) if "(4)" in text else (3, 1))
