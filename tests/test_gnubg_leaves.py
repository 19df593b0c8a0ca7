"""Every command of GNU Backgammon's language by itself, compared with that program."""

from __future__ import annotations

import shutil
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from gnubg_leaves import APART, REASONS, Answers, Batch, batches, differences, lay, ours, theirs
from test_command_arguments import LEAVES

ORACLE = shutil.which("gnubg") or shutil.which("gnubg", path="/usr/games")


ABSENT = "PDF needs the extra", "find a suitable web browser", "Set the BROWSER environment"
"""What is said where the extra or a browser is not installed; the latter by the oracle's child, at any moment."""


@pytest.mark.skipif(ORACLE is None, reason="GNU Backgammon is not installed")
@pytest.mark.timeout(900)
def test_leaves_answer_as_gnu_backgammon_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """But for the differences that are named, each of which is met."""
    monkeypatch.setattr("os.setpriority", lambda *given: None)
    assert ORACLE is not None
    program, known = ORACLE, batches()

    def there(pair: tuple[int, Batch]) -> Answers:
        folder = tmp_path / f"there{pair[0]}"
        folder.mkdir()
        lay(folder)
        found = theirs(pair[1], program, folder)
        shutil.rmtree(folder)
        return found

    with ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(there, enumerate(known)))
    wrong: list[str] = []
    met = Counter[str]()
    for number, (batch, other) in enumerate(zip(known, answers, strict=True)):
        folder = tmp_path / f"here{number}"
        folder.mkdir()
        lay(folder)
        with monkeypatch.context() as patch:
            patch.chdir(folder)
            patch.setenv("HOME", str(folder))
            patch.setenv("SIXPRIME_DATA", str(folder / "data"))
            left, reasons = differences(batch, ours(batch, folder), other)
        wrong += [line for line in left if not any(words in line for words in ABSENT)]
        met.update(name for _, name in reasons)
    assert not wrong, "\n".join(wrong)
    assert set(met) == set(REASONS)
    assert {name: met[name] for name, reason in REASONS.items() if reason.lines} == {
        name: reason.lines for name, reason in REASONS.items() if reason.lines
    }


def test_every_leaf_is_called() -> None:
    called = [words for batch in batches() for words in batch.leaves]
    assert sorted((*called, *APART)) == sorted(LEAVES)


def test_other_answers_are_noticed() -> None:
    """Another word, an answer that is missing, on the other stream, or of a program that has ended."""
    [batch] = [each for each in batches() if each.leaves == ("show",) or "show jacoby" in each.leaves]
    said = [("fine 0.5\n", "")] * len(batch.lines)

    def wrong(at: int, answer: tuple[str, str]) -> list[str]:
        return differences(batch, [*said[:at], answer, *said[at + 1 :]], said)[0]

    at = next(number for number, (words, _) in enumerate(batch.lines) if words == "show jacoby")
    assert not wrong(at, said[at])
    assert wrong(at, ("good 0.5\n", ""))
    assert wrong(at, ("", ""))
    assert wrong(at, ("", "fine 0.5\n"))
    assert wrong(at, ("fine 0.9\n", ""))
    assert differences(batch, said, said[:-1])[0]
