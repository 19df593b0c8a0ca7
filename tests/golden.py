"""Golden answers: what the package says of many inputs, kept as short digests in `tests/data/golden/`.

They notice any change where a test for each detail would be too much. After a change that is meant,
`SIXPRIME_RECORD=1 pytest tests/test_golden_*.py` writes them anew; the rows that differ say what has changed.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Iterable
from pathlib import Path

FOLDER = Path(__file__).parent / "data" / "golden"
RECORD = bool(os.environ.get("SIXPRIME_RECORD"))
_LONG = re.compile(r"-?\d+\.\d{6,}(?:e-?\d+)?|-?\d(?:\.\d+)?e-\d+")


def rounded(text: str) -> str:
    """The text with five significant digits of every long number: machines differ in the last ones."""
    return _LONG.sub(lambda found: f"{round(float(found[0]), 9) + 0.0:.5g}", text)


def digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:6]


def check(book: str, row: str, told: Iterable[str | Callable[[], str]]) -> None:
    """Compares texts, or what makes them, with the row of digests in a book; `SIXPRIME_RECORD` writes the row."""
    path = FOLDER / f"{book}.txt"
    rows = dict(line.split(" ", 1) for line in path.read_text().splitlines()) if path.is_file() else {}
    texts = [rounded(text if isinstance(text, str) else text()) for text in told]
    new = [digest(text) for text in texts]
    if RECORD:
        rows[row] = " ".join(new)
        path.write_text("".join(f"{name} {digests}\n" for name, digests in sorted(rows.items())))
        return
    old = rows.get(row, "").split()
    wrong = [i for i, (before, now) in enumerate(zip(old, new, strict=False)) if before != now]
    assert not wrong, f"{book}: {row}: other than recorded: no. {wrong}; the first is now\n{texts[wrong[0]][:4000]}"
    assert len(old) == len(new), f"{book}: {row}: {len(old)} recorded, {len(new)} found"
