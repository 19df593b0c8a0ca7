"""Reports as they were reviewed: every number and word of them. `python tests/golden_reports.py` writes them anew."""

from __future__ import annotations

import pytest
from golden_reports import FOLDER, documents

FOUND = documents()


@pytest.mark.parametrize("name", sorted(FOUND))
def test_report_is_the_reviewed_one(name: str) -> None:
    assert FOUND[name] == (FOLDER / name).read_text(encoding="utf-8")


def test_no_golden_file_is_forgotten() -> None:
    assert {path.name for path in FOLDER.iterdir()} == set(FOUND)


def test_golden_files_hold_what_they_are_for() -> None:
    """Hits, cube decisions with chances and differences, mixed depths, a money session."""
    match, money = FOUND["match.html"], FOUND["money.html"]
    for text in ("*", "Before the roll", "Cube action of", "Plays searched deeper stand first", "to 5, cube"):
        assert text in match
    assert "; money, cube" in money
    assert sum(len(text.encode()) for text in FOUND.values()) < 200_000
