"""How games end: every writer keeps each kind of result, or names what is lost."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from functools import cache

import pytest

from sixprime import formats
from sixprime.formats import FORMATS, Feature, Format, Holds
from sixprime.formats._recorder import GameRecorder
from sixprime.game.acts import Accept, Beaver, Double, Opening, Resign, Take
from sixprime.game.match_rules import Rules
from sixprime.game.record import Game, Match, Player
from sixprime.game.table import Table

WRITERS = [known for known in FORMATS.values() if known.write and known.holds not in (Holds.POSITION, Holds.POSITIONS)]
JACOBY, FREE, MATCH = Rules(), Rules(jacoby=False), Rules(5)
START = (0, 0)


def quiet(message: str, line: int | None, column: int | None) -> None:
    """Takes a complaint."""


def start(setup: Rules, score: tuple[int, int] = START, number: int = 1) -> GameRecorder:
    return GameRecorder(setup, ("Ann", "Bob"), number, score, False, quiet)


def play_on(recorder: GameRecorder, chance: random.Random, player: int, plays: int = 10**6) -> int:
    """Random plays; returns who is on roll then."""
    for _ in range(plays):
        if recorder.position.winner is not None:
            break
        dice = chance.randint(1, 6), chance.randint(1, 6)
        legal = recorder.position.plays(dice)
        if legal:
            recorder.move(player, dice, str(chance.choice(legal)))
        else:
            recorder.no_move(player, dice)
        player = 1 - player
    return player


@cache
def played_out(setup: Rules, level: int, cube: bool = False, score: tuple[int, int] = START) -> Game:
    """A game that player 0 won as a single game (1), gammon (2) or backgammon (3), with or without a turned cube."""
    for seed in range(10**4):
        chance = random.Random(seed)
        recorder = start(setup, score)
        player = play_on(recorder, chance, 0, 4)
        if cube:
            recorder.double(player)
            recorder.take(1 - player)
        play_on(recorder, chance, player)
        if recorder.position.result == level:
            game = recorder.finish()
            if game.winner == 0:
                return game
    raise AssertionError("no such game")


def given_up(setup: Rules, level: int, cube: bool = False) -> Game:
    recorder = start(setup)
    player = play_on(recorder, random.Random(1), 0, 4)
    if cube:
        recorder.double(player)
        recorder.take(1 - player)
        player = play_on(recorder, random.Random(2), player, 2)
    recorder.resigns(player, level=level)
    return recorder.finish()


def dropped() -> Game:
    recorder = start(MATCH)
    player = play_on(recorder, random.Random(1), 0, 4)
    recorder.double(player)
    recorder.drop(1 - player)
    return recorder.finish()


def cut_short(points: int) -> Game:
    """A game whose end cannot be read, but for the result."""
    recorder = start(MATCH)
    play_on(recorder, random.Random(1), 0, 4)
    recorder.lose_track("a stain")
    recorder.wins(0, points)
    return recorder.finish()


def broken_off() -> Game:
    recorder = start(MATCH)
    play_on(recorder, random.Random(1), 0, 5)
    return recorder.finish()


def match(setup: Rules, *games: Game) -> Match:
    numbered = tuple(replace(game, number=number) for number, game in enumerate(games, 1))
    money = not setup.length
    return Match(
        (Player("Ann"), Player("Bob")), setup.length, numbered, jacoby=money and setup.jacoby, beavers=3 * money
    )


ENDINGS: dict[str, Callable[[], Match]] = {
    "single": lambda: match(MATCH, played_out(MATCH, 1)),
    "gammon, cube in the middle": lambda: match(MATCH, played_out(MATCH, 2)),
    "backgammon, cube in the middle": lambda: match(MATCH, played_out(MATCH, 3)),
    "gammon, cube on 2": lambda: match(MATCH, played_out(MATCH, 2, cube=True)),
    "gammon for money without Jacoby": lambda: match(FREE, played_out(FREE, 2)),
    "gammon that counts single by Jacoby": lambda: match(JACOBY, played_out(JACOBY, 2)),
    "gammon by Jacoby, cube on 2": lambda: match(JACOBY, played_out(JACOBY, 2, cube=True)),
    "capped gammon": lambda: match(Rules(3), replace(played_out(Rules(3), 2, cube=True), points=3)),
    "capped gammon, later": lambda: match(
        Rules(3), played_out(Rules(3), 1), replace(played_out(Rules(3), 2, True, (1, 0)), points=2)
    ),
    "capped single": lambda: match(
        Rules(3),
        replace(played_out(Rules(3), 1, cube=True), points=2),
        replace(played_out(Rules(3), 1, True, (2, 0)), points=1),
    ),
    "capped at the length of the match": lambda: match(
        Rules(3), played_out(Rules(3), 1), replace(played_out(Rules(3), 2, True, (1, 0)), points=3)
    ),
    "won over length": lambda: match(Rules(3), played_out(Rules(3), 2, cube=True)),
    "capped resignation": lambda: match(Rules(3), replace(given_up(Rules(3), 2, cube=True), points=3)),
    "single given up": lambda: match(MATCH, given_up(MATCH, 1)),
    "gammon given up": lambda: match(MATCH, given_up(MATCH, 2)),
    "backgammon given up": lambda: match(MATCH, given_up(MATCH, 3)),
    "gammon given up, cube on 2": lambda: match(MATCH, given_up(MATCH, 2, cube=True)),
    "gammon given up for money": lambda: match(FREE, given_up(FREE, 2)),
    "dropped": lambda: match(MATCH, dropped()),
    "cut short": lambda: match(MATCH, cut_short(2)),
    "unfinished": lambda: match(MATCH, broken_off()),
    "unfinished, and played again": lambda: match(MATCH, broken_off(), played_out(MATCH, 1)),
}
RESULTS = {Feature.CAPPED, Feature.GAMMONS, Feature.CUT, Feature.UNFINISHED, Feature.RESIGNATION, Feature.UNKNOWN}


def results(games: tuple[Game, ...]) -> list[tuple[int | None, int, bool]]:
    return [(game.winner, game.points, game.resigned) for game in games]


def written_and_read(match: Match, known: Format) -> list[Match]:
    return [formats.read_text(content) for content in formats.render([match], known)]


@pytest.mark.parametrize("ending", ENDINGS)
def test_every_writer_keeps_the_result_or_names_its_loss(ending: str) -> None:
    match = ENDINGS[ending]()
    for known in WRITERS:
        games = tuple(game for back in written_and_read(match, known) for game in back.games)
        same = [(w, p) for w, p, _ in results(games)] == [(w, p) for w, p, _ in results(match.games)]
        if not same:
            assert RESULTS & {*known.losses(match)}, known.name
        else:  # what is named is really lost
            assert not {Feature.CAPPED, Feature.GAMMONS} & {*known.losses(match)}, known.name


@pytest.mark.parametrize(
    "known", [known for known in WRITERS if Feature.MATCH_LENGTH in known.keeps], ids=lambda known: known.name
)
def test_what_a_match_is_won_by_is_kept_by_what_knows_its_length(known: Format) -> None:
    match = ENDINGS["capped gammon, later"]()
    assert results(written_and_read(match, known)[0].games) == results(match.games)
    assert not RESULTS & {*known.losses(match)}


@pytest.mark.parametrize("points", [2, 3])
def test_capped_points_are_no_fault_of_the_file(points: int) -> None:
    """At 1-0 in a match to 3 a gammon with the cube on 2 is told as what was needed, or as the whole match."""
    ending = match(Rules(3), played_out(Rules(3), 1), replace(played_out(Rules(3), 2, True, (1, 0)), points=points))
    back = written_and_read(ending, FORMATS["mat"])[0]
    assert back.problems == ()
    assert back.games[-1].points == points


def test_other_programs_take_a_capped_resignation_for_a_gammon() -> None:
    """They divide the points of `RE` by the cube, so three points with the cube on two were a single game."""
    match = ENDINGS["capped resignation"]()
    written = formats.render([match], "sgf")[0]
    assert isinstance(written, str)
    assert "RE[W+4R]" in written or "RE[B+4R]" in written
    assert FORMATS["sgf"].losses(match) == [Feature.CAPPED]


UNANSWERED = "the double before this has no answer; read as a resignation while it was on offer"


def on_offer(player: int, value: int, beavers: int = 0, taken: bool = False) -> Match:
    """A match that ends with a resignation while a double is on offer, or right after it was taken."""
    table = Table.new(Rules(jacoby=False, beavers=3), ("Ann", "Bob")).apply(Opening((1, 3)))
    table = table.apply(table.move("8/5 6/5")).apply(Double(0))
    for _ in range(beavers):
        table = table.apply(Beaver(table.state.decider))
    if taken:
        table = table.apply(Take(table.state.decider))
    return table.apply(Resign(player, value)).apply(Accept(1 - player)).record()


@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize("value", [1, 2, 3])
@pytest.mark.parametrize(("beavers", "taken"), [(0, False), (1, False), (2, False), (0, True), (1, True)])
def test_a_double_that_is_resigned_counts_as_at_the_table(player: int, value: int, beavers: int, taken: bool) -> None:
    """The stakes are those before the offer, as GNU Backgammon counts them, too."""
    match = on_offer(player, value, beavers, taken)
    (game,) = match.games
    for known in WRITERS:
        if Feature.CUBE not in known.keeps or (beavers and Feature.BEAVERS not in known.keeps):
            continue
        (back,) = written_and_read(match, known)
        lost = known.losses(match)
        if not {"what was won by resigning a double", Feature.RESIGNATION} & {*lost}:
            assert (back.games[0].winner, back.games[0].points) == (game.winner, game.points), known.name
            assert {problem.message for problem in back.problems} <= {UNANSWERED}, known.name
            if Feature.OFFERED not in lost:
                kinds = [[action.kind for action in each.actions] for each in (back.games[0], game)]
                assert kinds[0] == kinds[1], known.name
                assert (back.games[0].actions[-1].value, back.games[0].resigned) == (value, True), known.name


def test_what_gnu_backgammon_makes_of_a_double_that_is_resigned() -> None:
    text = "(;FF[4]GM[6]MI[length:7][game:0][ws:0][bs:0]RU[Crawford]RE[B+3R];W[31hefe];B[double])"
    match = formats.read_text(text)
    assert match.problems == ()
    assert match.games[0].points == 3
    assert match.games[0].actions[-1].state.cube == 1


def test_a_take_that_nobody_wrote_is_a_problem() -> None:
    text = " 7 point match\n\n Game 1\n Ann : 0    Bob : 0\n  1) 31: 8/5 6/5     Doubles => 2\n     Wins 4 points\n"
    match = formats.read_text(text)
    assert [problem.message for problem in match.problems] == ["the double before this has no answer; read as taken"]
    assert (match.games[0].winner, match.games[0].points, match.games[0].actions[-1].value) == (0, 4, 2)


@pytest.mark.parametrize("points", [2, 3])
def test_a_resignation_that_nobody_wrote_is_a_problem(points: int) -> None:
    rows = f"  1) 31: 8/5 6/5     Doubles => 2\n     Wins {points} points\n"
    match = formats.read_text(f" 7 point match\n\n Game 1\n Ann : 0    Bob : 0\n{rows}")
    assert [problem.message for problem in match.problems] == [UNANSWERED]
    assert (match.games[0].points, match.games[0].actions[-1].value) == (points, points)


def test_a_score_that_does_not_begin_at_nil_is_named_where_only_gains_are_written() -> None:
    later = replace(match(MATCH, replace(played_out(MATCH, 1), score=(2, 1))))
    assert Feature.SCORE in FORMATS["partygammon"].losses(later)
    assert Feature.SCORE not in FORMATS["partygammon"].losses(match(MATCH, played_out(MATCH, 1)))


def test_a_result_is_kept_where_the_score_at_the_start_is_not() -> None:
    text = " 5 point match\n\n Game 1\n Ann : 3    Bob : 1\n  1) 31: 8/5 6/5\n      Wins 2 points and the match\n"
    ending = formats.read_text(text)
    (back,) = written_and_read(ending, FORMATS["partygammon"])
    assert results(back.games) == results(ending.games) == [(0, 2, True)]
    assert back.problems == ()
    assert Feature.SCORE in FORMATS["partygammon"].losses(ending)


# Results that the next score tells


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ((0, 0), (0, 1), (1, 1)),
        ((2, 0), (2, 1), (1, 1)),
        ((3, 1), (3, 3), (1, 2)),
        ((2, 0), (3, 0), (0, 1)),
        ((2, 3), (4, 3), (0, 2)),
        ((2, 0), (3, 1), (None, 0)),
        ((2, 0), (2, 0), (None, 0)),
    ],
)
@pytest.mark.parametrize("lost", [False, True])
def test_the_next_score_tells_the_winner(
    before: tuple[int, int], after: tuple[int, int], expected: tuple[int | None, int], lost: bool
) -> None:
    recorder = start(Rules(9), before)
    play_on(recorder, random.Random(1), 0, 4)
    if lost:
        recorder.lose_track("a stain")
    game = recorder.finish(after)
    assert (game.winner, game.points) == expected


def test_scores_weigh_more_than_the_column_of_a_result() -> None:
    """Texts whose lines were trimmed have all results on the left."""
    text = (
        "7 point match\n\nGame 1\nAnn : 0                 Bob : 0\n1) 31: 8/5 6/5             42: 8/4 6/4\n"
        "Wins 2 points\n\nGame 2\nAnn : 0                 Bob : 2\n1) 31: 8/5 6/5\nWins 1 point\n"
    )
    match = formats.read_text(text)
    assert [(game.winner, game.points) for game in match.games] == [(1, 2), (0, 1)]
    assert [problem.message for problem in match.problems] == [
        "the file says that Ann won; by the next score it was Bob"
    ]


def test_a_roll_that_is_not_known_ends_what_can_be_read() -> None:
    """Plays after "????" without dice: nothing is recorded of the roll, nor of what follows; the result is."""
    text = (
        " 7 point match\n\n Game 1\n Ann : 0                 Bob : 0\n  1) 31: 8/5 6/5             ????\n"
        "  2) 42: 8/4 6/4\n      Wins 2 points\n"
    )
    match = formats.read_text(text)
    assert [(action.player, action.dice) for action in match.games[0].actions] == [(0, (3, 1))]
    assert (match.games[0].winner, match.games[0].points) == (0, 2)
