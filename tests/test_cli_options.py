"""Options that would have no effect are refused, in words."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("analyse", "--sample", "--templates", "."), "it goes with --html"),
        (("analyse", "--sample", "--reproducible"), "it goes with --html, --save or --json"),
        (("analyse", "--sample", "--save-as", "sgf"), "it goes with --save FOLDER/"),
        (("analyse", "--sample", "--save", "x.sgf", "--save-as", "sixprime"), "it goes with --save FOLDER/"),
        (("picture", "4HPwATDgc/ABMA", "--page", "x.html"), "it goes with --graph"),
        (("picture", "x.sixprime", "--graph", "luck", "--move", "3"), "--move is for a board"),
    ],
)
def test_refused(
    sixprime: Callable[..., tuple[int, str, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...], words: str,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    status, out, error = sixprime(*arguments)
    assert status == 2
    assert words in " ".join(error.split())
    assert not out
    assert not list(tmp_path.iterdir())


def test_a_quiz_of_files_that_cannot_be_read_asks_nothing(
    sixprime: Callable[..., tuple[int, str, str]], tmp_path: Path
) -> None:
    status, out, error = sixprime("quiz", str(tmp_path / "nofile"), "--deck", str(tmp_path / "deck.sixprime"))
    assert status == 1
    assert not out
    assert "nofile" in error
    assert not list(tmp_path.iterdir())


def test_a_kept_analysis_has_boards(sixprime: Callable[..., tuple[int, str, str]], tmp_path: Path) -> None:
    kept = tmp_path / "match.sixprime"
    assert sixprime("analyse", "--sample", "--plies", "0", "--save", str(kept))[0] == 0
    status, out, _ = sixprime("picture", str(kept), "--move", "2")
    assert status == 0
    assert out.startswith("<svg")
