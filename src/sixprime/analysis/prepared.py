"""Matches as formats want them, found out without what judges."""

from __future__ import annotations

from sixprime.game.record import Match


def prepared(matches: list[Match], format: str) -> list[Match]:
    """The matches as a format wants them: SGF has match-winning chances where other programs give equities, and the
    files of eXtreme Gammon equities where others give match-winning chances."""
    if format in ("xg", "xgp"):
        from sixprime.analysis.foreign import with_equities

        return [with_equities(match) for match in matches]
    analyses = (
        analysis.cube
        for match in matches
        if match.length
        for game in match.games
        for action in game.actions
        for analysis in action.analyses
    )
    if format != "sgf" or all(cube is None or cube.no_double.mwc is not None for cube in analyses):
        return matches
    from sixprime.analysis.foreign import with_chances

    return [with_chances(match) for match in matches]
