"""How closely decisions are looked at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sixprime.checks import Fields, Maybe, Whole
from sixprime.engine.filters import MAX_PLIES, get_filter
from sixprime.errors import SettingsError


@dataclass(frozen=True, slots=True)
class Depth:
    """How closely the decisions of a player are looked at.

    plies: how far plays are looked ahead, cube_plies: cube decisions; None: they are not judged. filter: name or levels
    of a move filter. Raises SettingsError.
    """

    plies: int | None = 2
    cube_plies: int | None = 2
    filter: str = "normal"

    def __post_init__(self) -> None:
        _FIELDS(self)
        object.__setattr__(self, "filter", get_filter(self.filter).text)

    @classmethod
    def parse(cls, text: str, default: Depth) -> Depth:
        """`3` plies, `3/2` for plays and cubes, `-/2` without plays, `3/2,large` with a filter, `off` for nothing.

        default: of the filter where none is named. Raises SettingsError.
        """
        depth, _, name = text.strip().lower().partition(",")
        if depth == "off" and not name:
            return cls(None, None, default.filter)
        parts = [None if part == "-" else _plies(part, text) for part in depth.split("/")]
        if len(parts) > 2:
            raise _unreadable(text)
        return cls(parts[0], parts[-1], name or default.filter)

    @property
    def spec(self) -> str:
        """What `parse` reads."""
        parts = ("-" if plies is None else str(plies) for plies in (self.plies, self.cube_plies))
        return f"{'/'.join(parts)},{self.filter}"

    @property
    def text(self) -> str:
        """In words: "2-ply, Normal" or "plays 3-ply, Large, cubes 2-ply"."""
        moves, plays, cubes = self.filter.capitalize(), self.plies, self.cube_plies
        if plays == cubes:
            return f"{plays}-ply, {moves}" if plays is not None else "not judged"
        of_plays = f"{plays}-ply, {moves}" if plays is not None else "not judged"
        return f"plays {of_plays}, cubes {f'{cubes}-ply' if cubes is not None else 'not judged'}"

    def enough_for_plays(self, wanted: Depth) -> bool:
        """Whether plays were looked at as closely as `wanted` asks: as far, and no filter drops more."""
        if wanted.plies is None:
            return True
        if self.plies is None or self.plies < wanted.plies:
            return False
        return self.filter == wanted.filter or _as_wide(self.filter, wanted.filter, wanted.plies)


_PLIES = Maybe(Whole(0, MAX_PLIES))
_FIELDS = Fields(plies=_PLIES, cube_plies=_PLIES)

Depths = tuple[Depth, Depth]
"""Of player 0 and of player 1."""


def text_of(depths: Depths, names: Sequence[str] = ("player 1", "player 2")) -> str:
    """In words, said once where both players are looked at alike."""
    if depths[0] == depths[1]:
        return depths[0].text
    return "; ".join(f"{name}: {depth.text}" for name, depth in zip(names, depths, strict=True))


def _plies(part: str, text: str) -> int:
    if not (part.isascii() and part.isdigit() and int(part) <= MAX_PLIES):
        raise _unreadable(text)
    return int(part)


def _unreadable(text: str) -> SettingsError:
    return SettingsError(
        f"a depth is plies from 0 to {MAX_PLIES} such as 2, 3/2 for plays and cubes, -/2, 3/2,large, or off. "
        f"Got {text!r} instead."
    )


def _as_wide(name: str, wanted: str, plies: int) -> bool:
    """Whether a filter keeps every play that another keeps, in a search of so many plies."""
    own, other = get_filter(name), get_filter(wanted)
    for ply in range(plies):
        mine, theirs = own.level(ply, plies), other.level(ply, plies)
        if mine is None:
            continue
        if (
            theirs is None
            or mine.threshold < theirs.threshold
            or mine.accept < theirs.accept
            or mine.moved < theirs.moved
            or mine.accept + mine.extra < theirs.accept + theirs.extra
        ):
            return False
    return True
