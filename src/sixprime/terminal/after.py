"""What becomes of a match that has been played: it is written beside its journal, analysed, and may be seen again."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from sixprime.errors import SettingsError, SixprimeError
from sixprime.paths import finished, games_dir
from sixprime.play.games import match_file

if TYPE_CHECKING:
    from sixprime.analysis.model import AnalysedMatch
    from sixprime.engine import Engine
    from sixprime.play import Session
    from sixprime.progress import Hook, Stop

_ANALYSIS = ".sixprime"


def finish(
    session: Session, journal: Path, engine: Engine, progress: Hook | None = None, stop: Stop | None = None
) -> tuple[AnalysedMatch, str]:
    """Writes the match, if it is over, beside its journal, analyses what there is and writes that, too; a match that is
    over goes into the library, unless the settings say otherwise.

    Returns the analysis and, in words, where it is. Raises StoppedError when `stop` is set, OSError; what was written
    stays.
    """
    from sixprime.api import analyse
    from sixprime.settings import Playing, load
    from sixprime.store.library import Library

    match, place = match_file(journal), match_file(journal, _ANALYSIS)
    over = session.over
    if over:
        session.save(match)
    settings = load()
    marks = settings.thresholds.thresholds()
    analysed = analyse(session.record(), engine, thresholds=marks, progress=progress, stop=stop)
    analysed.save(place)
    where = [*([str(match)] if over else []), str(place)]
    if over and Playing(settings.play).library:
        with suppress(SixprimeError, OSError):  # it is in its file
            library = Library()
            where.append(f"the library, match {library.number(library.keep(analysed))}")
    return analysed, f"{', '.join(where[:-1])} and {where[-1]}" if where[1:] else where[0]


def latest_analysis() -> Path:
    """The analysis that was made last. Raises SettingsError where there is none."""
    found = sorted(finished(games_dir(), f"*{_ANALYSIS}"), key=lambda path: path.stat().st_mtime)
    if not found:
        raise SettingsError(f"there is no analysis in {games_dir()}; sixprime play makes one after a match")
    return found[-1]
