"""Text formats of matches: random matches written and read again, and damaged files.

SIXPRIME_FUZZ sets how many damaged files of each format are tried.
"""

from __future__ import annotations

import os
import random
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from random_matches import WORDS, Can, matches, plain

from sixprime.errors import InvalidFileError
from sixprime.formats import FORMATS, read, render
from sixprime.formats._text import Document
from sixprime.game.record import ActionKind
from sixprime.paths import sample_match

FUZZ = int(os.environ.get("SIXPRIME_FUZZ", "40"))


CAN = {
    "gam": Can(games=1, set_by_hand=True),
    "gammonempire": Can(names=WORDS, set_by_hand=True),
    "snowie": Can(lengths=(0, 1, 3, 5, 7), set_by_hand=True),
    "sgg": Can(
        lengths=(0, 1, 3, 5, 7),
        variants=("standard", "nackgammon", "hypergammon3"),
        rules=True,
        beavers=(0, 1, 3),
        ratings=st.tuples(st.integers(0, 300000).map(lambda value: value / 100), st.integers(0, 10**6)),
        automatic=True,
        comments=True,
        info=frozenset({"date"}),
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
    "bkg": Can(names=None, beavers=(0,)),
    "partygammon": Can(lengths=(0, 1, 3, 5, 7)),
    "bgroom": Can(resignations=False),
}


@pytest.mark.parametrize("name", CAN)
@settings(max_examples=8, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_what_is_written_is_read_again(name: str, data: st.DataObject) -> None:
    match = data.draw(matches(CAN[name]))
    (text,) = render([match], name)
    (again,) = FORMATS[name].read(Document(text))
    again = replace(again, info={key: value for key, value in again.info.items() if key in CAN[name].info})
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
