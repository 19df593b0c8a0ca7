"""Values as JSON and back: matches, analyses, results of the engine, rollouts and the settings they were made with.

The classes themselves are the description: a field is a key, an enumeration its value, a tuple a list, a position the
counts of both sides. In: a value of `KINDS`. Out: one JSON object that names what it holds and its version, from which
an equal value is read. The objects of `--json`, which are there to be looked at, are made by `report/`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sixprime.lazy import names_of

if TYPE_CHECKING:
    from sixprime.codec.document import KINDS, VERSION, from_json, load, save, to_json
    from sixprime.codec.kept import Kept
    from sixprime.codec.objects import plain

_HOMES = {
    "document": ("KINDS", "VERSION", "from_json", "load", "save", "to_json"),
    "kept": ("Kept",),
    "objects": ("plain",),
}

__all__ = ["KINDS", "VERSION", "Kept", "from_json", "load", "plain", "save", "to_json"]

__getattr__ = names_of(__name__, _HOMES)
