"""Bear-off databases: exact endings, built on first use and kept in the user's data folder.

In: a number of points and chequers. Out: `OneSided` (how many rolls a side needs, from which races are
convolved), `Normal` (its mean and variance only) and `TwoSided` (money equities of both sides together).
Rule: a database file is whole and checked, or it is not used; our own copy is then built anew.

    from sixprime.bearoff import one_sided
    side = one_sided().side([0, 2, 0, 1, 1, 2])   # counts on the ace point, two point, ...
    side.mean, side.epc, side.wastage
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sixprime.lazy import names_of

if TYPE_CHECKING:
    from sixprime.bearoff._one_sided import OneSided, one_sided, race
    from sixprime.bearoff._two_sided import TwoSided, two_sided
    from sixprime.bearoff.databases import Databases
    from sixprime.bearoff.normal import Normal
    from sixprime.bearoff.side import Side

# Loaded when asked for, so that a size can be checked without Numba. No module bears the name of what it holds.
_HOMES = {
    "_one_sided": ("OneSided", "one_sided", "race"),
    "_two_sided": ("TwoSided", "two_sided"),
    "databases": ("Databases",),
    "normal": ("Normal",),
    "side": ("Side",),
}

__all__ = ["Databases", "Normal", "OneSided", "Side", "TwoSided", "one_sided", "race", "two_sided"]

__getattr__ = names_of(__name__, _HOMES)
