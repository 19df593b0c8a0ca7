"""Reports as they were reviewed: every number and word of them. `python tests/golden_reports.py` writes them anew."""

from __future__ import annotations

import pytest
from golden_reports import FOLDER, documents


@pytest.fixture(scope="module")
def found() -> dict[str, str]:
    return documents()


@pytest.mark.parametrize("name", sorted(path.name for path in FOLDER.iterdir()))
def test_report_is_the_reviewed_one(found: dict[str, str], name: str) -> None:
    assert found[name] == (FOLDER / name).read_text(encoding="utf-8")


def test_no_golden_file_is_forgotten(found: dict[str, str]) -> None:
    assert {path.name for path in FOLDER.iterdir()} == set(found)


def test_golden_files_hold_what_they_are_for(found: dict[str, str]) -> None:
    """Hits, cube decisions with chances and differences, mixed depths, a money session."""
    match, money = found["match.html"], found["money.html"]
    for text in ("*", "Before the roll", "Cube action of", "Plays searched deeper, or rolled out, stand", "to 5, cube"):
        assert text in match
    assert "; money, cube" in money
    assert sum(len(text.encode()) for text in found.values()) < 200_000
