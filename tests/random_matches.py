"""Random matches for tests of formats."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

from hypothesis import strategies as st

from sixprime.formats._recorder import GameRecorder
from sixprime.game.match_rules import Rules
from sixprime.game.play import legal_plays_reference
from sixprime.game.position import Position
from sixprime.game.record import Game, Match, Player
from sixprime.game.variants import VARIANTS

ANY_NAMES = st.text(
    st.characters(codec="utf-8", exclude_categories=("C", "Zl", "Zp", "Zs")) | st.just(" "), max_size=20
).map(lambda name: " ".join(name.split()))
LETTERS = st.characters(codec="utf-8", exclude_categories=("C", "Z"), exclude_characters=":()=#;.,")
WORDS = st.text(LETTERS, min_size=1, max_size=12)
NAMES = st.lists(WORDS, min_size=1, max_size=3).map(" ".join).filter(lambda name: not name[0].isdigit())


@dataclass(frozen=True)
class Can:
    """What a format expresses, beyond plays and cubes."""

    names: st.SearchStrategy[str] | None = NAMES  # None where the sides have no names
    lengths: tuple[int, ...] = (0,)
    variants: tuple[str, ...] = ("standard",)
    games: int = 3
    rules: bool = False  # Crawford rule, Jacoby rule
    beavers: tuple[int, ...] = (3,)
    limits: tuple[int, ...] = (1024,)
    ratings: st.SearchStrategy[tuple[float | int | None, ...]] | None = None
    info: frozenset[str] = frozenset()
    set_by_hand: bool = False
    resignations: bool = True
    rolls_alone: bool = True
    hidden: bool = False  # a roll without a play where there is only one, a game given up before the first roll
    automatic: bool = False
    comments: bool = False


EVERYTHING = Can(
    names=ANY_NAMES,
    lengths=(0, 1, 3, 5, 7),
    variants=tuple(VARIANTS),
    rules=True,
    beavers=(0, 3),
    limits=(1024, 64),
    ratings=st.tuples(
        st.none() | st.integers(0, 300000).map(lambda value: value / 100), st.none() | st.integers(0, 10**6)
    ),
    info=frozenset({"event", "place", "date", "time", "comment"}),
    set_by_hand=True,
    hidden=True,
    automatic=True,
)


def complain(message: str, line: int | None, column: int | None) -> None:
    raise AssertionError(message)


def random_game(
    chance: random.Random, can: Can, setup: Rules, number: int, score: tuple[int, int], crawford: bool
) -> Game:
    """A game of random plays, doubles and resignations."""
    recorder = GameRecorder(setup, ("A", "B"), number, score, crawford, complain)
    if can.automatic and not setup.length and setup.cube_limit > 2 and chance.random() < 0.2:
        recorder.automatic_double()
    player = chance.randrange(2)
    if can.set_by_hand and chance.random() < 0.2:
        left, right = sorted(chance.sample(range(1, 6), 2))
        counts = [[0] * 25, [0] * 25]
        counts[0][left], counts[1][right] = 2, 3
        position = Position(tuple(counts[1]), tuple(counts[0]), VARIANTS[setup.variant].chequers)
        if position.is_valid:
            recorder.set_board(position, 2, chance.choice([0, 1]))
    while True:
        cube, owner = recorder.cube
        may_double = not crawford and owner in (None, player) and 2 * cube <= setup.cube_limit
        if may_double and chance.random() < 0.12:
            recorder.double(player, 2 * cube)
            answerer, turns = 1 - player, 1
            while turns <= setup.beavers and 4 * cube << turns <= setup.cube_limit and chance.random() < 0.3:
                recorder.beaver(answerer)
                answerer, turns = 1 - answerer, turns + 1
            if chance.random() < 0.3:
                recorder.drop(answerer)
                return recorder.finish()
            recorder.take(answerer)
        dice = chance.randint(1, 6), chance.randint(1, 6)
        seen_by = 0 if recorder.turn is None else recorder.turn
        position = recorder.position if seen_by == player else recorder.position.swapped()
        plays = legal_plays_reference(position, dice)
        if can.resignations and (can.hidden or recorder.recorded) and chance.random() < 0.04:
            if can.rolls_alone and (can.hidden or len(plays) > 1) and chance.random() < 0.5:
                recorder.hidden(player, dice)
            recorder.wins(chance.randrange(2), recorder.cube[0] * chance.randint(1, 3))
            return recorder.finish()
        if plays:
            play = chance.choice(plays)
            recorder.move(player, dice, str(play))
            if not any(play.result.opponent):
                return recorder.finish()
        else:
            recorder.blank(player, dice)
        if can.comments and chance.random() < 0.02:
            recorder.annotate(comment="What a roll\nwell")
        player = 1 - player


@st.composite
def matches(draw: st.DrawFn, can: Can = EVERYTHING) -> Match:
    chance = random.Random(draw(st.integers(0, 2**32)))
    length = draw(st.sampled_from(can.lengths))
    setup = Rules(
        length=length,
        variant=draw(st.sampled_from(can.variants)),
        crawford_rule=draw(st.booleans()) if can.rules else True,
        jacoby=(draw(st.booleans()) if can.rules else True) or length > 0,
        beavers=0 if length else draw(st.sampled_from(can.beavers)),
        cube_limit=draw(st.sampled_from(can.limits)),
    )
    games: list[Game] = []
    score, crawford_over = (0, 0), False
    while len(games) < can.games and (not length or max(score) < length):
        match_point = length > 1 and (length - score[0] == 1) != (length - score[1] == 1)
        crawford = setup.crawford_rule and match_point and not crawford_over
        crawford_over = crawford_over or match_point
        game = random_game(chance, can, setup, len(games) + 1, score, crawford)
        games.append(game)
        score = (score[0] + game.points, score[1]) if game.winner == 0 else (score[0], score[1] + game.points)
    names = ["Black", "White"]
    if can.names is not None:
        distinct = None if can.names is ANY_NAMES else str.casefold
        names = draw(st.lists(can.names, min_size=2, max_size=2, unique_by=distinct))
    players = [Player(name, *(draw(can.ratings) if can.ratings is not None else ())) for name in names]
    info = {
        "event": draw(ANY_NAMES),
        "place": draw(ANY_NAMES),
        "date": "2024-02-29",
        "time": "10:30",
        "comment": "a\nb",
    }
    return Match(
        players=(players[0], players[1]),
        length=length,
        games=tuple(games),
        variant=setup.variant,
        crawford_rule=setup.crawford_rule,
        jacoby=setup.jacoby and not length,
        beavers=setup.beavers,
        cube_limit=setup.cube_limit,
        info={key: value for key, value in info.items() if value and key in can.info},
    )


def plain(match: Match) -> Match:
    """The match without what belongs to one file: lines, tags, where it came from."""
    games = tuple(
        replace(game, actions=tuple(replace(action, line=None) for action in game.actions)) for game in match.games
    )
    return replace(match, games=games, tags=(), source="", format="")


def played(game: Game, swap: bool = False) -> list[tuple[object, ...]]:
    """What happened in a game, without the score."""
    return [
        (action.kind, action.player ^ swap, action.position, action.dice, action.play, action.value, action.state.cube)
        for action in game.actions
    ]
