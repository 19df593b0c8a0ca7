"""Where the user's games are: a journal for each, and beside it the match once it is saved."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from pathlib import Path

from sixprime.errors import SettingsError, SixprimeError
from sixprime.game.table import Table
from sixprime.paths import games_dir
from sixprime.play.session import Session

SUFFIX = ".journal"
"""Of the journals."""
_STRANGE = re.compile(r"[^\w.-]+")


@dataclass(frozen=True, slots=True)
class KeptGame:
    """A game of the user. path: of its journal; played: when it was last played; table: as it stands.

    problem: why it cannot be taken up, empty for a sound one; `table` is then None. over: whether nothing is left to be
    played: the match has been won, or lost by time.
    """

    path: Path
    played: datetime
    table: Table | None
    problem: str = ""
    over: bool = False


def today() -> str:
    """The date of a match that begins now, as `Match.info` has it."""
    return f"{datetime.now():%Y-%m-%d}"


def new_journal(names: Sequence[str], folder: Path | None = None, now: datetime | None = None) -> Path:
    """A name for a journal that is not there yet, by the time and the players. Raises OSError, SettingsError."""
    folder = games_dir() if folder is None else folder
    folder.mkdir(parents=True, exist_ok=True)
    players = "-".join(_STRANGE.sub("_", name)[:30].strip("._-") or "player" for name in names)
    stem = f"{now or datetime.now():%Y-%m-%d-%H%M%S}-{players}"
    places = (folder / f"{stem}{more}{SUFFIX}" for more in ("", *(f"-{number}" for number in range(2, 1000))))
    found = next((place for place in places if not place.exists()), None)
    if found is None:
        raise SettingsError(f"{folder}: there are a thousand games of that second.")
    return found


def kept(folder: Path | None = None, *, count: int = 50) -> list[KeptGame]:
    """The games played last, latest first; finished ones, too, and those that somebody plays now. Raises OSError."""
    folder = games_dir() if folder is None else folder
    return [*islice(_latest_first(folder), count)]


def _latest_first(folder: Path) -> Iterator[KeptGame]:
    """All of them, each looked at when it is asked for."""
    found = [(path.stat().st_mtime, path) for path in folder.glob(f"*{SUFFIX}")] if folder.is_dir() else []
    return (_looked_at(path, when) for when, path in sorted(found, reverse=True))


def latest(folder: Path | None = None) -> KeptGame:
    """The game that was played last and is not over. Raises SettingsError when there is none, OSError."""
    games = _latest_first(games_dir() if folder is None else folder)
    found = next((game for game in games if not game.over and not game.problem), None)
    if found is None:
        raise SettingsError(f"there is no unfinished game in {folder or games_dir()}")
    return found


def match_file(journal: Path, suffix: str = ".sgf") -> Path:
    """Where the match of a journal is saved; suffix: of its format, or of its analysis."""
    return journal.with_suffix(suffix)


def _looked_at(path: Path, when: float) -> KeptGame:
    played = datetime.fromtimestamp(when)
    try:
        session = Session.looked_at(path)
        return KeptGame(path, played, session.table, over=session.over)
    except (SixprimeError, OSError) as error:
        return KeptGame(path, played, None, str(error))
