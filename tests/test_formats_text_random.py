"""Text formats of matches: random matches written and read again, and damaged files.

SIXPRIME_FUZZ sets how many damaged files of each format are tried.
"""

from __future__ import annotations

import os
import random
from dataclasses import dataclass, replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sixprime.errors import InvalidFileError
from sixprime.formats import FORMATS, read, render
from sixprime.formats._recorder import GameRecorder, Setup
from sixprime.formats._text import Document
from sixprime.game.position import Position
from sixprime.game.record import ActionKind, Game, Match, Player
from sixprime.game.rules import legal_plays_reference
from sixprime.game.variants import VARIANTS
from sixprime.paths import sample_match

FUZZ = int(os.environ.get("SIXPRIME_FUZZ", "40"))


@dataclass(frozen=True)
class Can:
    """What a format expresses, beyond plays and cubes."""

    lengths: tuple[int, ...] = (0,)
    variants: tuple[str, ...] = ("standard",)
    games: int = 3
    rules: bool = False  # Crawford rule, Jacoby rule
    beavers: tuple[int, ...] = (3,)
    limits: tuple[int, ...] = (1024,)
    ratings: bool = False
    names: bool = True  # names of any kind; otherwise single words, or none at all
    own_names: bool = True
    set_by_hand: bool = False
    resignations: bool = True
    rolls_alone: bool = True
    automatic: bool = False
    comments: bool = False
    date: bool = False


CAN = {
    "gam": Can(games=1, set_by_hand=True),
    "gammonempire": Can(names=False, set_by_hand=True),
    "snowie": Can(lengths=(0, 1, 3, 5, 7), set_by_hand=True),
    "sgg": Can(
        lengths=(0, 1, 3, 5, 7),
        variants=("standard", "nackgammon", "hypergammon3"),
        rules=True,
        beavers=(0, 1, 3),
        ratings=True,
        automatic=True,
        comments=True,
        date=True,
    ),
    "oldmoves": Can(lengths=(0, 1, 3, 5, 7), rolls_alone=False),
    "tmg": Can(
        lengths=(0, 1, 3, 5, 7),
        variants=("standard", "nackgammon"),
        rules=True,
        beavers=(0, 1, 3),
        limits=(1024, 64, 1),
        automatic=True,
    ),
    "bkg": Can(own_names=False, beavers=(0,)),
    "partygammon": Can(lengths=(0, 1, 3, 5, 7)),
    "bgroom": Can(resignations=False),
}


def complain(message: str, line: int | None, column: int | None) -> None:
    raise AssertionError(message)


def random_game(chance: random.Random, can: Can, setup: Setup, number: int, score: tuple[int, int]) -> Game:
    """A game of random plays, doubles and resignations."""
    match_point = setup.length > 1 and (setup.length - score[0] == 1) != (setup.length - score[1] == 1)
    crawford = setup.crawford_rule and match_point
    recorder = GameRecorder(setup, ("A", "B"), number, score, crawford, complain)
    player = chance.randrange(2)
    if can.automatic and not setup.length and setup.cube_limit > 2 and chance.random() < 0.2:
        recorder.automatic_double()
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
        if may_double and chance.random() < 0.1:
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
        if can.resignations and recorder.recorded and chance.random() < 0.03:
            if can.rolls_alone and len(plays) > 1 and chance.random() < 0.5:
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


LETTERS = st.characters(codec="utf-8", exclude_categories=("C", "Z"), exclude_characters=":()=#;.,")
WORDS = st.text(LETTERS, min_size=1, max_size=12)
NAMES = st.lists(WORDS, min_size=1, max_size=3).map(" ".join).filter(lambda name: not name[0].isdigit())


@st.composite
def matches(draw: st.DrawFn, can: Can) -> Match:
    chance = random.Random(draw(st.integers(0, 2**32)))
    length = draw(st.sampled_from(can.lengths))
    setup = Setup(
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
        playing = replace(setup, crawford_rule=setup.crawford_rule and not crawford_over)
        game = random_game(chance, can, playing, len(games) + 1, score)
        crawford_over = crawford_over or game.crawford
        games.append(game)
        score = (score[0] + game.points, score[1]) if game.winner == 0 else (score[0], score[1] + game.points)
    names = draw(st.lists(NAMES if can.names else WORDS, min_size=2, max_size=2, unique_by=str.casefold))
    ratings = [(draw(st.integers(0, 300000)) / 100, draw(st.integers(0, 10**6))) if can.ratings else () for _ in "ab"]
    return Match(
        players=(Player(names[0], *ratings[0]), Player(names[1], *ratings[1]))
        if can.own_names
        else (Player("Black"), Player("White")),
        length=length,
        games=tuple(games),
        variant=setup.variant,
        crawford_rule=setup.crawford_rule,
        jacoby=setup.jacoby and not length,
        beavers=setup.beavers,
        cube_limit=setup.cube_limit,
        info={"date": "2024-02-29"} if can.date else {},
    )


def plain(match: Match) -> Match:
    """The match without what belongs to one file: lines, tags, where it came from."""
    games = tuple(
        replace(game, actions=tuple(replace(action, line=None) for action in game.actions)) for game in match.games
    )
    info = {key: value for key, value in match.info.items() if key == "date" and value != "2000-01-01"}
    return replace(match, games=games, tags=(), info=info, source="", format="")


@pytest.mark.parametrize("name", CAN)
@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_what_is_written_is_read_again(name: str, data: st.DataObject) -> None:
    match = data.draw(matches(CAN[name]))
    (text,) = render([match], name)
    (again,) = FORMATS[name].read(Document(text))
    assert plain(again) == plain(match)
    found = next(known.name for known in FORMATS.values() if known.detect(Document(text)))
    assert found == ("mat" if name == "snowie" else name)


@pytest.mark.parametrize("name", CAN)
def test_damaged_files(name: str) -> None:
    match = read(sample_match())
    sound = render([replace(match, games=match.games[2:4])], name)[0]
    assert isinstance(sound, str)
    for seed in range(FUZZ):
        chance = random.Random(f"{name} {seed}")
        text = sound
        for _ in range(chance.choice([1, 2, 5])):
            place, other = chance.randrange(len(text) + 1), chance.randrange(len(text) + 1)
            scrap = chance.choice(
                ["", "\n", "\t", " ", "66:", "1", "Takes", "bar/", "*", ":", text[other : other + 80]]
            )
            text = text[:place] + scrap + text[place + chance.choice([0, 1, 1, 40]) :]
        found, failure = [], None
        try:
            found = FORMATS[name].read(Document(text, "f"))
        except InvalidFileError as error:
            failure = error
        assert found or failure is not None
        assert failure is None or failure.line is not None
        for again in found:
            assert all(problem.path == "f" and problem.line is not None for problem in again.problems), again.problems
            for game in again.games:
                assert all(a.illegal or a.play for a in game.actions if a.kind is ActionKind.MOVE)
