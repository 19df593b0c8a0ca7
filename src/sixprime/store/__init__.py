"""Matches, their statistics and every judged decision in a database; their analyses whole beside it.

In: analysed matches. Out: what is asked of all of them together. The rule kept here: a match is in it once, and what
was asked for is done whole or not at all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sixprime.lazy import names_of

if TYPE_CHECKING:
    from sixprime.store.decisions import Found, OnPoint, Query, Sum, Turn
    from sixprime.store.library import Career, Kept, Library, Noted

_HOMES = {
    "decisions": ("Found", "OnPoint", "Query", "Sum", "Turn"),
    "library": ("Career", "Kept", "Library", "Noted"),
}

__all__ = ["Career", "Found", "Kept", "Library", "Noted", "OnPoint", "Query", "Sum", "Turn"]

__getattr__ = names_of(__name__, _HOMES)
