"""Every command of GNU Backgammon is in the table; those that are not done say so."""

from __future__ import annotations

from pathlib import Path

import pytest

from sixprime.command import Interpreter
from sixprime.command.tables import ROOT
from sixprime.command.tables.missing import WORDS

LEAVES = (Path(__file__).parent / "data" / "gnubg_leaves.txt").read_text().splitlines()


def test_every_command_is_there() -> None:
    assert len(LEAVES) > 1100
    assert not [words for words in LEAVES if ROOT.below(words).run is None]


@pytest.mark.parametrize("words", WORDS)
def test_what_is_not_done_says_so(words: str) -> None:
    wrong: list[str] = []
    Interpreter(wrong.append, wrong.append).run(words)
    assert "not done by Sixprime yet" in "".join(wrong)


def test_the_page_names_what_is_not_done() -> None:
    page = (Path(__file__).parents[1] / "docs" / "gnubg.md").read_text()
    assert not [words for words in WORDS if f"`{words}`" not in " ".join(page.split())]
