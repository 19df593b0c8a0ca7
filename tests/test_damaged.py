"""A few damaged inputs of every kind: only our errors come. `benchmarks/fuzz.py` tries a million, and measures.

SIXPRIME_FUZZ sets how many of each kind are tried.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

import pytest
from damaged import KINDS

from sixprime.formats import FORMATS

INPUTS = int(os.environ.get("SIXPRIME_FUZZ", "40"))
FEWER = {"writers": 10, "command": 200}
"""Other numbers of inputs; one of commands is a script."""
DATA = Path(__file__).parent / "data"


@pytest.mark.parametrize("name", [name for name in KINDS if name not in FORMATS])
def test_damaged_inputs_meet_our_errors(name: str) -> None:
    kind = KINDS[name]
    seeds = kind.seeds((DATA,))
    assert seeds
    for data in seeds[:20]:
        kind.feed(data)
    for number in range(FEWER.get(name, INPUTS)):
        with contextlib.suppress(kind.errors):
            kind.feed(kind.input(number, seeds))


def test_an_input_depends_on_its_number_alone() -> None:
    kind = KINDS["recipe"]
    assert kind.input(3, kind.seeds(())) == kind.input(3, kind.seeds(()))
    assert kind.input(3, kind.seeds(())) != kind.input(4, kind.seeds(()))
