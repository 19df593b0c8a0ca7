"""The games that can be played: starting positions and numbers of chequers."""

from __future__ import annotations

from dataclasses import dataclass

from sixprime.checks import shown
from sixprime.errors import SettingsError

BAR = 24
"""Index of the bar in a side's 25 counts."""


@dataclass(frozen=True, slots=True)
class Variant:
    """One game. start: 25 counts, the same for both sides (index 0 own ace point, 24 bar)."""

    name: str
    title: str
    chequers: int
    start: tuple[int, ...]


def _variant(name: str, title: str, points: dict[int, int]) -> Variant:
    return Variant(name, title, sum(points.values()), tuple(points.get(point, 0) for point in range(1, 26)))


VARIANTS: dict[str, Variant] = {
    variant.name: variant
    for variant in (
        _variant("standard", "Backgammon", {24: 2, 13: 5, 8: 3, 6: 5}),
        _variant("nackgammon", "Nackgammon", {24: 2, 23: 2, 13: 4, 8: 3, 6: 4}),
        _variant("hypergammon1", "Hypergammon (1 chequer)", {24: 1}),
        _variant("hypergammon2", "Hypergammon (2 chequers)", {24: 1, 23: 1}),
        _variant("hypergammon3", "Hypergammon (3 chequers)", {24: 1, 23: 1, 22: 1}),
    )
}


def variant_with(chequers: int) -> str | None:
    """The first variant with so many chequers a side, None without any."""
    return next((name for name, game in VARIANTS.items() if game.chequers == chequers), None)


def get_variant(name: str) -> Variant:
    """The variant called `name`. Raises SettingsError for an unknown name."""
    if not isinstance(name, str) or name not in VARIANTS:
        known = ", ".join(VARIANTS)
        raise SettingsError(f"The 'variant' parameter must be one of {known}. Got {shown(name)} instead.")
    return VARIANTS[name]
