"""Every command of GNU Backgammon is in the table."""

from __future__ import annotations

from pathlib import Path

from sixprime.command.tables import ROOT

LEAVES = (Path(__file__).parent / "data" / "gnubg_leaves.txt").read_text().splitlines()


def test_every_command_is_there() -> None:
    assert len(LEAVES) > 1100
    assert not [words for words in LEAVES if ROOT.below(words).run is None]
