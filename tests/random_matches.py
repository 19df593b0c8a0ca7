"""Random matches for tests of formats."""

from __future__ import annotations

import random
from dataclasses import replace

from hypothesis import strategies as st

from sixprime.formats._recorder import GameRecorder, Setup
from sixprime.game.position import Position
from sixprime.game.record import Game, Match, Player
from sixprime.game.rules import legal_plays_reference
from sixprime.game.variants import VARIANTS


def complain(message: str, line: int | None, column: int | None) -> None:
    raise AssertionError(message)


def random_game(chance: random.Random, setup: Setup, number: int, score: tuple[int, int], crawford: bool) -> Game:
    """A game of random plays, doubles and resignations; in money play some start with automatic doubles."""
    recorder = GameRecorder(setup, ("A", "B"), number, score, crawford, complain)
    if not setup.length and chance.random() < 0.2:
        recorder.automatic_double()
    player = chance.randrange(2)
    if chance.random() < 0.2:
        left, right = sorted(chance.sample(range(1, 6), 2))
        counts = [[0] * 25, [0] * 25]
        counts[0][left], counts[1][right] = 2, 3
        position = Position(tuple(counts[1]), tuple(counts[0]), VARIANTS[setup.variant].chequers)
        if position.is_valid:
            recorder.set_board(position, 2, chance.choice([0, 1]))
    while True:
        cube, owner = recorder.cube
        may_double = not crawford and owner in (None, player) and 2 * cube <= setup.cube_limit
        if may_double and chance.random() < 0.15:
            recorder.double(player, 2 * cube)
            answerer, turns = 1 - player, 1
            while not setup.length and 4 * cube << turns <= setup.cube_limit and chance.random() < 0.3:
                recorder.beaver(answerer)
                answerer, turns = 1 - answerer, turns + 1
            if chance.random() < 0.3:
                recorder.drop(answerer)
                return recorder.finish()
            recorder.take(answerer)
        dice = chance.randint(1, 6), chance.randint(1, 6)
        if chance.random() < 0.04:
            if chance.random() < 0.5:
                recorder.hidden(player, dice)
            recorder.wins(chance.randrange(2), recorder.cube[0] * chance.randint(1, 3))
            return recorder.finish()
        seen_by = 0 if recorder.turn is None else recorder.turn
        position = recorder.position if seen_by == player else recorder.position.swapped()
        plays = legal_plays_reference(position, dice)
        if plays:
            play = chance.choice(plays)
            recorder.move(player, dice, str(play))
            if not any(play.result.opponent):
                return recorder.finish()
        else:
            recorder.blank(player, dice)
        player = 1 - player


NAMES = st.text(
    st.characters(codec="utf-8", exclude_categories=("C", "Zl", "Zp", "Zs")) | st.just(" "), max_size=20
).map(lambda name: " ".join(name.split()))


@st.composite
def matches(draw: st.DrawFn) -> Match:
    chance = random.Random(draw(st.integers(0, 2**32)))
    length = draw(st.sampled_from([0, 1, 3, 5, 7]))
    setup = Setup(
        length=length,
        variant=draw(st.sampled_from(list(VARIANTS))),
        crawford_rule=draw(st.booleans()),
        jacoby=draw(st.booleans()) or length > 0,
        beavers=draw(st.sampled_from([0, 3])) if not length else 3,
        cube_limit=draw(st.sampled_from([1024, 64])),
    )
    games: list[Game] = []
    score, crawford_over = (0, 0), False
    while len(games) < 3 and (not length or max(score) < length):
        match_point = length > 1 and (length - score[0] == 1) != (length - score[1] == 1)
        crawford = setup.crawford_rule and match_point and not crawford_over
        crawford_over = crawford_over or match_point
        game = random_game(chance, setup, len(games) + 1, score, crawford)
        games.append(game)
        score = (score[0] + game.points, score[1]) if game.winner == 0 else (score[0], score[1] + game.points)
    ratings = st.none() | st.integers(0, 300000).map(lambda value: value / 100)
    info = {"event": draw(NAMES), "place": draw(NAMES), "date": "2024-02-29", "time": "10:30", "comment": "a\nb"}
    return Match(
        players=(
            Player(draw(NAMES), draw(ratings), draw(st.none() | st.integers(0, 10**6))),
            Player(draw(NAMES), draw(ratings)),
        ),
        length=length,
        games=tuple(games),
        variant=setup.variant,
        crawford_rule=setup.crawford_rule,
        jacoby=setup.jacoby and not length,
        beavers=0 if length else setup.beavers,
        cube_limit=setup.cube_limit,
        info={key: value for key, value in info.items() if value},
    )


def plain(match: Match) -> Match:
    """The match without what belongs to one file: lines, tags, where it came from."""
    games = tuple(
        replace(game, actions=tuple(replace(action, line=None) for action in game.actions)) for game in match.games
    )
    return replace(match, games=games, tags=(), source="", format="")
