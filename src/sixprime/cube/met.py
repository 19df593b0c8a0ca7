"""Match equity tables: the chance to win a match from a score, before the game starts.

Pre-Crawford `pre[i, j]` is the chance of a player who needs i + 1 points against one who needs j + 1; its
row and column 0 stand for the Crawford game. `post[p, i]` is the chance of trailing player p who needs
i + 1 points when the opponent needs one and the Crawford game is over.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import math
from base64 import b64decode, b64encode
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixprime import reading
from sixprime.checks import FLAG, TEXT, Instance, Maybe, Whole, shown
from sixprime.errors import SettingsError
from sixprime.frozen import frozen

MAX_AWAY = 64
"""Longest distance to the end of a match that tables cover."""

DEFAULT = "kazaross-xg2"

# Standard deviations of a match score by points needed, for the normal approximation past a table's end
# (D. Montgomery); from 11 points on 1.77.
_DEVIATIONS = (1.24, 1.27, 1.47, 1.50, 1.60, 1.61, 1.66, 1.68, 1.70, 1.72)
_LAST_DEVIATION = 1.77
_GAMMON_RATE = 0.25
_PACKED = 1 << 20
"""Bytes of a packed table: thirty times what one takes."""

_LENGTH = Whole(1, MAX_AWAY)
_AWAY = Whole(-(2**31), 2**31)


@dataclass(frozen=True, slots=True, eq=False)
class MatchEquityTable:
    """A match equity table of `MAX_AWAY` points for player 0 against player 1.

    pre: float64[64, 64], chance of player 0; post: float64[2, 64], chance of each as the trailer.
    Tables compare by identity, those that ship also after pickling and copying. The arrays are made read-only.
    Raises SettingsError for arrays of another kind, or of what are no chances, and for a length of none.
    """

    name: str
    description: str
    provenance: str
    length: int
    pre: NDArray[np.float64]
    post: NDArray[np.float64]

    def __post_init__(self) -> None:
        _LENGTH("length", self.length)
        for name, shape in (("pre", (MAX_AWAY, MAX_AWAY)), ("post", (2, MAX_AWAY))):
            found = getattr(self, name)
            if not isinstance(found, np.ndarray) or found.shape != shape or found.dtype != np.float64:
                raise SettingsError(f"{name} of a match equity table must be a float64 array of shape {shape}")
            if not ((found >= 0) & (found <= 1)).all():
                raise SettingsError(f"{name} of a match equity table must hold chances, 0 to 1")
            frozen(found)

    def __reduce__(self) -> tuple[Callable[..., MatchEquityTable], tuple[object, ...]]:
        return _restored, (self.name, self.description, self.provenance, self.length, self.pre, self.post)

    def mwc(self, away: int, opponent_away: int, post_crawford: bool = False) -> float:
        """Match-winning chance of player 0 before a game.

        away, opponent_away: points each still needs; 0 or less has won. post_crawford: the coming game is
        played after the Crawford game. Raises SettingsError past 64 points, and for what are no whole numbers.
        """
        _AWAY("away", away)
        _AWAY("opponent_away", opponent_away)
        FLAG("post_crawford", post_crawford)
        if max(away, opponent_away) > MAX_AWAY:
            raise SettingsError(
                f"a match equity table ends at {MAX_AWAY} points away: got {shown(away)}, {shown(opponent_away)}"
            )
        if away <= 0:
            return 1.0
        if opponent_away <= 0:
            return 0.0
        if post_crawford and away == 1:
            return float(rounded(1.0 - self.post[1, opponent_away - 1]))
        if post_crawford and opponent_away == 1:
            return float(self.post[0, away - 1])
        return float(self.pre[away - 1, opponent_away - 1])

    def swapped(self) -> MatchEquityTable:
        """The table with the players exchanged; a symmetric table returns itself."""
        return _swapped(self)

    @property
    def checksum(self) -> str:
        """Twelve hexadecimal digits that tell tables of one name apart."""
        numbers = self.pre.tobytes() + self.post.tobytes()
        return hashlib.sha256(f"{self.length}".encode() + numbers).hexdigest()[:12]

    @property
    def packed(self) -> str:
        """All of it in Base64, for `unpacked`: a line of JSON, then float64[66, 64] little-endian, by gzip."""
        text = json.dumps([self.name, self.description, self.provenance, self.length])
        numbers = np.concatenate([self.pre, self.post]).astype("<f8").tobytes()
        return b64encode(gzip.compress(text.encode() + b"\n" + numbers, mtime=0)).decode()

    @property
    def is_symmetric(self) -> bool:
        """Whether both players have the same chances."""
        return bool(np.allclose(self.pre + self.pre.T, 1, atol=1e-6) and np.array_equal(self.post[0], self.post[1]))


@cache
def _swapped(table: MatchEquityTable) -> MatchEquityTable:
    if table.is_symmetric:
        return table
    return MatchEquityTable(
        table.name,
        table.description,
        table.provenance,
        table.length,
        1.0 - table.pre.T,
        table.post[::-1].copy(),
    )


def _restored(name: str, *fields: Any) -> MatchEquityTable:
    """A table that was pickled or copied: of those that `load` has the same one."""
    found = MatchEquityTable(name, *fields)
    titles = {entry["name"]: key for key, entry in _data().items()} | {key: key for key in _CALCULATED}
    known = load(titles[name]) if name in titles else found
    return known if known.checksum == found.checksum else found


def unpacked(text: str) -> MatchEquityTable:
    """The table that was `packed`. Raises SettingsError."""
    try:
        title, numbers = reading.unpacked(b64decode(text, validate=True), _PACKED).split(b"\n", 1)
        name, description, provenance, length = json.loads(title)
        rows = np.frombuffer(numbers, "<f8").reshape(-1, MAX_AWAY).astype(np.float64)
        return _restored(f"{name}", f"{description}", f"{provenance}", length, rows[:MAX_AWAY], rows[MAX_AWAY:])
    except (ValueError, TypeError, RecursionError) as error:
        raise SettingsError(f"no match equity table: {error}") from None


MET = Maybe(Instance(MatchEquityTable))


def rounded(values: Any) -> NDArray[np.float64]:
    """Chances in single precision, as GNU Backgammon keeps them: at lopsided scores differences of entries near 1
    are divided by, and equities agree to the last printed digit only with the same rounding.
    """
    return np.asarray(values, dtype=np.float32).astype(np.float64)


def extend(pre: NDArray[np.float64], post: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Extends explicit tables to `MAX_AWAY` points.

    pre: float64[n, n], post: float64[1 or 2, >= n - 1], as in `MatchEquityTable`. A post-Crawford row is kept up to
    n points. In a match of n it can only be asked for n - 1, so GNU Backgammon extends it from there and never sees
    the number for n; here that number stays, and all after it are GNU Backgammon's. Before the Crawford game the
    score difference is taken as normal, for players of equal skill.
    """
    length = len(pre)
    away = np.arange(1, MAX_AWAY + 1)
    deviations = np.full(MAX_AWAY, _LAST_DEVIATION)
    deviations[: len(_DEVIATIONS)] = _DEVIATIONS
    variance = (deviations[:, None] ** 2 + deviations**2) / 2
    z = (away - away[:, None]) / np.sqrt((away[:, None] + away) * variance)
    full = np.vectorize(lambda x: 0.5 * (1 + math.erf(x / math.sqrt(2))), otypes=[np.float64])(z)
    full[:length, :length] = pre
    rows = np.stack([extend_row(row[: length - 1]) for row in np.broadcast_to(post, (2, post.shape[1]))])
    if post.shape[1] >= length:
        rows[:, length - 1] = post[:, length - 1]
    return frozen(rounded(full)), frozen(rounded(rows))


def extend_row(row: NDArray[np.float64]) -> NDArray[np.float64]:
    """Extends a post-Crawford row: past its end the trailer wins two points or, one time in four, four."""
    full = np.empty(MAX_AWAY)
    full[: len(row)] = row
    for i in range(len(row), MAX_AWAY):
        single, twice = (full[i - step] if i >= step else 1.0 for step in (2, 4))
        full[i] = 0.5 * _GAMMON_RATE * twice + 0.5 * (1 - _GAMMON_RATE) * single
    return full


@cache
def _data() -> dict[str, dict[str, Any]]:
    tables: dict[str, dict[str, Any]] = reading.read_json(Path(__file__).parent / "data" / "met.json")
    return tables


_CALCULATED = {
    "mec": "match equity calculator of C. Tornberg; both win 26 % of their games as gammons",
    "zadeh": "N. Zadeh, Management Science 23, 986 (1977); 25 % gammons for the leader, 15 % for the trailer",
    "cubeless": "no cube, after T. Zoidis (2023); 27.62 % gammons, 1.22 % of these backgammons",
    "galaxycoin": "coin games of Backgammon Galaxy, after N. Iketani and K. Takahashi (2025)",
}


def names() -> tuple[str, ...]:
    """Names of the packaged tables, the default one first, and of the calculated ones."""
    return (*_data(), *_CALCULATED)


def load(name: str = DEFAULT) -> MatchEquityTable:
    """A packaged or calculated table, made once. Raises SettingsError for a name not in `names()`."""
    TEXT("name", name)
    return _load(name)


@cache
def _load(name: str) -> MatchEquityTable:
    if name in _CALCULATED:
        return _calculated(name)
    if name not in _data():
        raise SettingsError(f"unknown match equity table {name!r}: choose one of {', '.join(names())}")
    entry = _data()[name]
    pre, post = extend(np.array(entry["pre"]), np.array(entry["post"]))
    return MatchEquityTable(entry["name"], entry["description"], entry["provenance"], len(entry["pre"]), pre, post)


def _calculated(name: str) -> MatchEquityTable:
    from sixprime.cube import calculators

    if name == "galaxycoin":
        pre = calculators.coin_game()
        post = np.stack([pre[:, 0]] * 2)
    elif name == "cubeless":
        # A trailer at an odd number after the Crawford game doubles at once and both then play without a cube for
        # half of the points, rounded up: the default table has such scores rolled out.
        known = load()
        pre = calculators.cubeless(known.post[0, : known.length : 2])
        # Past 25 points these would be one and the same in single precision, to which `mwc` rounds them.
        pre[:, 0] = np.maximum(pre[:, 0], np.arange(MAX_AWAY, 0, -1) * 2.0**-24)
        pre[0] = 1 - pre[:, 0]
        post = np.stack([pre[:, 0]] * 2)
    else:
        gammon = 0.26 if name == "mec" else 0.25
        post = np.stack([calculators.post_crawford(gammon, free_drop_2=0.015, free_drop_4=0.004)] * 2)
        pre = calculators.mec(post, gammon) if name == "mec" else calculators.zadeh(post)
    return MatchEquityTable(name, _CALCULATED[name], "calculated", MAX_AWAY, pre, post)
