"""Matches as formats want them, found out without what judges."""

from __future__ import annotations

from collections.abc import Iterator

from sixprime.game.record import ForeignCube, Match


def prepared(matches: list[Match], format: str) -> list[Match]:
    """The matches as a format wants them: SGF has match-winning chances where other programs give equities, the files
    of eXtreme Gammon equities where others give match-winning chances, and OGXM says what passing is worth."""
    if format in ("xg", "xgp"):
        from sixprime.analysis.foreign import with_equities

        return [with_equities(match) for match in matches]
    if format == "ogxm" and any(cube.double_pass is None for cube in _cubes(matches)):
        from sixprime.analysis.foreign import with_passes

        return [with_passes(match) for match in matches]
    if format != "sgf" or all(cube.no_double.mwc is not None for cube in _cubes(matches)):
        return matches
    from sixprime.analysis.foreign import with_chances

    return [with_chances(match) for match in matches]


def _cubes(matches: list[Match]) -> Iterator[ForeignCube]:
    """The cube analyses of matches that are no money sessions."""
    for match in matches:
        for game in match.games if match.length else ():
            for action in game.actions:
                yield from (analysis.cube for analysis in action.analyses if analysis.cube is not None)
