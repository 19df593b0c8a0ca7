"""Golden answers: what the package says of many inputs, kept as short digests in `tests/data/golden/`.

They notice any change where a test for each detail would be too much. After a change that is meant,
`SIXPRIME_RECORD=1 pytest tests/test_golden_*.py` writes them anew; the rows that differ say what has changed.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sixprime import Position
from sixprime.cube.model import CubeModel

FOLDER = Path(__file__).parent / "data" / "golden"
RECORD = bool(os.environ.get("SIXPRIME_RECORD"))
_CHANCES, _NAME = re.compile(r"Outcomes\(([^)]*)\)"), re.compile(r"\w+=")
_LONG = re.compile(r"-?\d+\.\d{6,}(?:e-?\d+)?|-?\d(?:\.\d+)?e-\d+")


def rounded(text: str) -> str:
    """The text with five significant digits of every long number: machines differ in the last ones. Chances are five
    numbers."""
    plain = _CHANCES.sub(lambda found: f"({_NAME.sub('', found[1])})", text)
    return _LONG.sub(lambda found: f"{round(float(found[0]), 9) + 0.0:.5g}", plain)


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


class Spelled:
    """A value whose `repr` tells of every field, as that of a plain dataclass or named tuple."""

    def __init__(self, value: Any) -> None:
        self._value = value

    def __repr__(self) -> str:
        value = self._value
        if isinstance(value, tuple) and hasattr(value, "_asdict"):
            return f"{type(value).__name__}({', '.join(f'{key}={part!r}' for key, part in value._asdict().items())})"
        if not is_dataclass(value) or isinstance(value, type):
            return repr(value)
        return f"{type(value).__name__}({', '.join(f'{f.name}={getattr(value, f.name)!r}' for f in fields(value))})"


def leaves(value: Any) -> Iterator[float | str]:
    """The parts of a value in order: numbers as they are, everything else as text."""
    if isinstance(value, Position):
        yield value.id
    elif isinstance(value, CubeModel):
        yield value.name
    elif is_dataclass(value) and not isinstance(value, type):
        for each in fields(value):
            yield from leaves(getattr(value, each.name))
    elif isinstance(value, np.ndarray):
        yield from leaves(value.tolist())
    elif isinstance(value, dict):
        for key, item in value.items():
            yield str(key)
            yield from leaves(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from leaves(item)
    elif isinstance(value, (float, np.floating)):
        yield float(value)
    else:
        yield str(value)


def check_numbers(book: str, row: str, value: Any, rel: float = 5e-4, least: float = 1e-5) -> None:
    """Compares all parts of a value with those recorded, numbers to `rel` of themselves or `least`.

    What is a quotient, such as an efficiency of the cube, differs from one processor to another in the fourth digit.
    """
    path = FOLDER / f"{book}.json"
    rows = json.loads(path.read_text()) if path.is_file() else {}
    found = list(leaves(value))
    numbers = [part for part in found if isinstance(part, float)]
    words = digest(" ".join(part for part in found if isinstance(part, str)))
    if RECORD:
        rows[row] = [words, *(float(f"{number:.6g}") for number in numbers)]
        lines = (f"{json.dumps(name)}: {json.dumps(rows[name])}" for name in sorted(rows))
        path.write_text("{\n" + ",\n".join(lines) + "\n}\n")
        return
    old_words, *old = rows[row]
    assert len(numbers) == len(old), f"{book}: {row}: {len(old)} numbers recorded, {len(numbers)} found"
    wrong = ~np.isclose(numbers, old, rtol=rel, atol=least, equal_nan=True)
    assert not wrong.any(), f"{book}: {row}: {np.flatnonzero(wrong)[:9]} are other numbers than recorded"
    assert words == old_words, f"{book}: {row}: other words or whole numbers than recorded: {found}"


def check_text(book: str, row: str, text: str) -> None:
    """Compares the words of a text, and its numbers to about two units of the third decimal."""
    numbers = re.findall(r"\d+(?:\.\d+)?", text)
    words = re.sub(r"\s+", " ", re.sub(r"[-+]?\d+(?:\.\d+)?", "#", text))
    check_numbers(book, row, [words, *map(float, numbers)], rel=1e-3, least=2e-3)
