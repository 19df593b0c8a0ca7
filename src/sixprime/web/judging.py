"""What is said of a position, better and better: plays or the cube at 0, 1 and 2 plies, then rolled out."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from gzip import compress
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from sixprime.engine import PlayRequest
from sixprime.engine.filters import Level, MoveFilter
from sixprime.errors import InvalidFileError
from sixprime.game import ParsedPosition
from sixprime.game.match_rules import quiet
from sixprime.game.state import MONEY, MatchState
from sixprime.report import words
from sixprime.report.json import cube_to_dict, play_to_dict
from sixprime.report.rollout import rollout_to_dict
from sixprime.web import messages as m
from sixprime.web.archive import Archive

if TYPE_CHECKING:
    from pathlib import Path

    from sixprime.engine import Engine
    from sixprime.engine.results import CubeAnalysis, PlayAnalysis
    from sixprime.engine.rollout_result import RolloutResult
    from sixprime.game.position import Position

SLICE = 36
"""Games of a rollout that are played in one piece."""
ROLLED = 3
"""Plays that are rolled out where nothing else is asked for."""
_SHOWN = 12
"""Plays that are told."""
_KEPT = 64
"""Rollouts that are held in memory."""
_MOST, _ROOM = 200, 1 << 28
"""Rollouts that are kept, and bytes of all."""
_EVERY = 5.0
"""Seconds after which a rollout that goes on is written down again."""


@dataclass(frozen=True, slots=True)
class About:
    """What a list says of a rollout, as `messages.RolledOut`."""

    xgid: str
    kind: str
    dice: str
    trials: int
    best: str
    equity: float


class Rolled:
    """Rollouts by their keys, so that whoever comes back, or wants more, goes on with them.

    folder: where they are kept; None: in memory alone, the latest of them.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._archive = None if folder is None else Archive(folder, ".rollout", About, most=_MOST, room=_ROOM)
        self._lock = threading.Lock()
        self._known: OrderedDict[str, RolloutResult] = OrderedDict()
        self._written: dict[str, float] = {}

    def get(self, key: str) -> RolloutResult | None:
        """As far as it has come, None where nothing is known."""
        from sixprime import codec
        from sixprime.engine.rollout_result import RolloutResult

        with self._lock:
            known = self._known.get(key)
        if known is None and self._archive is not None:
            # What is not there, or damaged, is rolled out anew.
            with suppress(OSError, InvalidFileError):
                known = codec.load(self._archive.place(key), RolloutResult)
                self._remember(key, known)
        return known

    def put(self, key: str, result: RolloutResult) -> None:
        """Has it, in place of what was known; now and then it is written down."""
        self._remember(key, result)
        now = time.monotonic()
        if now - self._written.setdefault(key, now) > _EVERY:
            self.keep(key)

    def keep(self, key: str) -> None:
        """Writes it down as far as it has come, for the next time."""
        from sixprime import codec

        with self._lock:
            result = self._known.get(key)
        if result is None or self._archive is None:
            return
        self._written[key] = time.monotonic()
        with suppress(OSError):  # it is rolled out anew then
            self._archive.put(key, compress(codec.to_json(result), 4, mtime=0), _about(result))

    def listed(self) -> tuple[m.RolledOut, ...]:
        """Those that are kept, the latest first."""
        found = [] if self._archive is None else self._archive.entries()
        return tuple(m.RolledOut(key=each.key, when=each.when, **asdict(each.about)) for each in found)

    def remove(self, key: str) -> None:
        """Takes it away. Raises OSError."""
        with self._lock:
            self._known.pop(key, None)
            self._written.pop(key, None)
        if self._archive is not None:
            self._archive.remove(key)

    def _remember(self, key: str, result: RolloutResult) -> None:
        with self._lock:
            known = self._known.pop(key, result)
            self._known[key] = max(known, result, key=lambda each: each.trials)
            while len(self._known) > _KEPT:
                gone, _ = self._known.popitem(last=False)
                self._written.pop(gone, None)


def _about(result: RolloutResult) -> About:
    xgid = words.xgid_of(result.position, replace(result.state, dice=result.dice))
    best = "" if result.kind == "position" else result.best.label
    return About(xgid, result.kind, words.dice_text(result.dice), result.trials, best, result.best.equity)


def _key(*parts: object) -> str:
    """Of a rollout, by all that it depends on."""
    return sha256(repr(parts).encode()).hexdigest()[:32]


def judged(
    engine: Engine,
    found: ParsedPosition,
    *,
    plies: int,
    trials: int,
    count: int,
    stop: threading.Event,
    rolled: Rolled | None = None,
    told: str = "",
) -> Iterator[dict[str, Any]]:
    """The pieces of an analysis, each with an id. plies: up to which; trials: of the rollout after it, 0: none; count:
    of its plays. rolled: what has been rolled out before. told: the id of the last piece that need not be told again.
    """
    position, state, dice = found
    plain, moves = quiet(state), insisting(engine.filter)
    rolling = told.startswith("r")
    for depth in range(int(told) + 1 if told.isdecimal() else plies + 1 if rolling else 0, plies + 1):
        if dice is not None:
            request = PlayRequest(position, dice, plain)
            (plays,) = engine.rank_plays_many([request], plies=depth, filter=moves, count=_SHOWN, stop=stop)
            yield {"id": f"{depth}", "kind": "plays", "plies": depth, "plays": [play_to_dict(play) for play in plays]}
        else:
            cube = engine.cube_action(position, match=plain, plies=depth, deepen=depth == plies, stop=stop)
            yield {
                "id": f"{depth}",
                "kind": "cube",
                "plies": cube.plies,
                "rows": words.cube_rows(cube),
                "best": words.best_cube_row(cube),
                "chances": list(words.six_chances(cube.probabilities)),
                "cube": cube_to_dict(cube),
            }
    if not trials:
        return
    rolled, key = rolled or Rolled(), _key(position, plain, dice, count, engine.fingerprint)
    result = rolled.get(key)
    if result is None:
        if dice is not None:
            result = engine.rollout_plays(position, dice, count, match=plain, trials=SLICE, stop=stop)
        elif engine.cube_action(position, match=plain, plies=0).available:
            result = engine.rollout_cube(position, match=plain, trials=SLICE, stop=stop)
        else:
            result = engine.rollout(position, match=plain, trials=SLICE, stop=stop)
        rolled.put(key, result)
    try:
        while True:
            wanted, rollout = max(trials, result.trials), rollout_to_dict(result)
            # A server that was killed has lost the last games: they are played again before more is told.
            if not rolling or result.trials > int(told[1:]):
                yield {"id": f"r{result.trials}", "kind": "rollout", "wanted": wanted, "rollout": rollout}
            if result.trials >= trials or stop.is_set():
                return
            result = engine.extend_rollout(result, trials=min(trials, result.trials + SLICE), stop=stop)
            rolled.put(key, result)
    finally:
        rolled.keep(key)


class Recalling:
    """An engine that tells of a position what has been rolled out of it, where that is known."""

    def __init__(self, engine: Engine, rolled: Rolled) -> None:
        self._engine, self._rolled = engine, rolled
        self.plies, self.met = engine.plies, engine.met

    def best_plays(
        self, position: Position, dice: tuple[int, int], *, match: MatchState = MONEY
    ) -> Sequence[PlayAnalysis]:
        """As `Engine`."""
        from sixprime.engine.rollout_judge import plays_of, ranked

        plays = self._engine.best_plays(position, dice, match=match)
        result = self._known(position, match, dice)
        if result is None:
            return plays
        found = {each.play.result: each for each in plays}
        chosen = [found[each.play.result] for each in result.estimates if each.play is not None]
        return ranked(plays_of(result, chosen), plays)

    def cube_action(self, position: Position, *, match: MatchState = MONEY) -> CubeAnalysis:
        """As `Engine`."""
        from sixprime.engine.rollout_judge import cube_of

        cube, result = self._engine.cube_action(position, match=match), self._known(position, match, None)
        return cube if result is None else cube_of(result, cube)

    def _known(self, position: Position, match: MatchState, dice: tuple[int, int] | None) -> RolloutResult | None:
        state = quiet(match if dice is None else match.with_dice(dice))
        return self._rolled.get(_key(position, state, dice, ROLLED, self._engine.fingerprint))


def insisting(moves: MoveFilter) -> MoveFilter:
    """The same filter, by which a play that stands out alone is searched, too: whoever looks at it wants its worth."""
    depths = tuple(tuple(map(_insisting, levels)) for levels in moves.depths)
    return MoveFilter(moves.name, depths)


def _insisting(level: Level) -> Level:
    return replace(level, accept=1, extra=max(0, level.extra - 1)) if level.accept == 0 else level


def unrolled(found: ParsedPosition) -> ParsedPosition:
    """Before the dice."""
    return ParsedPosition(found.position, replace(quiet(found.state), dice=None), None)
