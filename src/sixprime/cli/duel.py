"""`sixprime duel`: two players against each other, with the luck taken out."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter
from cyclopts.validators import Number

from sixprime.cli._common import Flag, MaybeFilter, Threads, UsageError, check_target, complain, note, print_json, whole
from sixprime.errors import EngineError
from sixprime.progress import Watch

if TYPE_CHECKING:
    from sixprime.play.duel import Duel
    from sixprime.play.standing import Estimate, Standing, StopRule
    from sixprime.players.bot import Bot

_JUDGE = "standard"


def duel(
    a: str,
    b: str,
    /,
    *,
    cubeful: Flag = False,
    length: Annotated[int, whole(1, 64)] | None = None,
    no_jacoby: Flag = False,
    variant: Literal["standard", "nackgammon"] = "standard",
    pairs: Annotated[int, whole(1, 10_000_000)] = 2000,
    least: Annotated[int, whole(2)] = 200,
    clear: Annotated[float, Parameter(validator=Number(gte=0))] = 3.0,
    error: Annotated[float, Parameter(validator=Number(gte=0))] = 0.0,
    seed: Annotated[int, whole(0, 2**62 - 1)] = 1,
    state: Path | None = None,
    evaluator: str = _JUDGE,
    filter: MaybeFilter = None,
    gnubg: str | None = None,
    timeout: Annotated[float, Parameter(validator=Number(gt=0, lte=86_400))] = 60.0,
    threads: Threads = None,
    json: Flag = False,
) -> int:
    """Play two engines against each other in mirrored pairs, with the luck taken out of the result.

    Both games of a pair have the same dice and the players change seats. Ctrl-C stops and prints what is there.

    Parameters
    ----------
    a
        A player: "standard" or another net that ships, a network file or "gnubg", each with @N behind it for N
        plies (0 without), "standard@LEVEL" for a level of play such as beginner (docs/search.md), or "ubgi:COMMAND".
    b
        The other player.
    cubeful
        Money games with the cube and the Jacoby rule; otherwise cubeless money games.
    length
        Matches of so many points instead of money games.
    no_jacoby
        Cubeful money games in which gammons count while the cube is centred, too.
    variant
        The game that is played.
    pairs
        Play so many pairs at most.
    least
        Do not stop earlier before so many pairs.
    clear
        Stop when the luck-adjusted result is so many standard errors from even; 0 never.
    error
        Stop when the standard error of the luck-adjusted result is as small as this; 0 never.
    seed
        Seed of the dice.
    state
        Keep the results in this file and go on from there.
    evaluator
        The net whose opinion of the rolls is the measure of luck, with @N behind it at N plies.
    gnubg
        Where GNU Backgammon is; by default it is looked for.
    timeout
        Give another program up that says nothing for so many seconds.
    threads
        How many threads to use; by default all cores.
    json
        Print one JSON object.
    """
    if no_jacoby and not cubeful:
        raise UsageError("--no-jacoby goes with --cubeful: elsewhere gammons always count")
    if cubeful and length:
        raise UsageError("give --cubeful for money games or --length N for matches, which have a cube anyway")
    if state:
        check_target(state, "--state")
    from sixprime.play.duel import Duel, cubeful_money, cubeless_money, match_play
    from sixprime.play.standing import StopRule
    from sixprime.players.lobby import Lobby

    stop = StopRule(pairs, min(least, pairs) if pairs > 1 else 2, clear, error)
    start = match_play(length) if length else cubeless_money()
    if cubeful:
        start = cubeful_money(not no_jacoby)
    lobby = Lobby(threads=threads, timeout=timeout, gnubg=gnubg, filter=filter)
    seats: list[Bot] = []
    try:
        judge = lobby.evaluator(evaluator)
        seats += [lobby.bot(a)]
        seats += [lobby.bot(b)]
        match = Duel((seats[0], seats[1]), judge, start, seed=seed, variant=variant, state=state)
        begun, known = time.monotonic(), match.played
        failure: EngineError | OSError | None = None
        interrupted = False
        line = _LiveLine(match, pairs)
        try:
            standing = match.run(stop, Watch(lambda _: line.show()))
        except KeyboardInterrupt:
            interrupted, standing = True, match.standing()
        except (EngineError, OSError) as broken:
            failure, standing = broken, match.standing()
        finally:
            line.clear()
        seconds = time.monotonic() - begun
        played = match.played - known
        if failure is None or standing.pairs:
            result = _result(match, standing, stop, interrupted=interrupted or failure is not None)
            result |= {
                "evaluator": evaluator,
                "seconds": round(seconds, 3),
                "pairs_per_minute": round(60 * played / seconds, 1) if played else None,
                "waiting": match.played - match.complete(),
            }
            if json:
                print_json(result)
            else:
                _print(result)
        if state and not isinstance(failure, OSError):
            note(f"Kept in {state}; the same command goes on from there.")
        if failure is not None:
            complain(failure)
            return 1
        return 0
    finally:
        for player in seats:
            player.close()


def _result(match: Duel, standing: Standing, stop: StopRule, *, interrupted: bool) -> dict[str, Any]:
    start = match.start
    kind = "match" if start.length else "cubeful money" if start.limit > 1 else "cubeless money"
    adjusted = standing.adjusted
    why = "pairs"
    if interrupted:
        why = "interrupted"
    elif standing.pairs < stop.pairs:
        why = "clear" if stop.clear and abs(adjusted.z) >= stop.clear else "error"
    return {
        "a": match.players[0].name,
        "b": match.players[1].name,
        "identities": [player.identity for player in match.players],
        "kind": kind,
        "length": start.length,
        "jacoby": start.jacoby,
        "variant": match.variant,
        "seed": match.seed,
        "pairs": standing.pairs,
        "wins": list(standing.wins),
        "raw": _finite(standing.raw.mean),
        "raw_error": _finite(standing.raw.error),
        "adjusted": _finite(adjusted.mean),
        "adjusted_error": _finite(adjusted.error),
        "z": _finite(adjusted.z),
        "stopped": why,
    }


def _finite(value: float) -> float | None:
    """JSON knows no NaN and no infinity."""
    return value if abs(value) < float("inf") else None


_FEW = 10
"""Pairs below which a standard error says next to nothing."""
_WHY = {
    "clear": "Stopped: the answer is clear.",
    "error": "Stopped: the standard error is small enough.",
    "pairs": "All pairs are played.",
    "interrupted": "Interrupted; only pairs complete without a gap count{}.",
}


def _print(result: dict[str, Any]) -> None:
    kind = f"matches to {result['length']}" if result["length"] else f"{result['kind']} games"
    if result["kind"] == "cubeful money" and not result["jacoby"]:
        kind += " without Jacoby rule"
    if result["variant"] != "standard":
        kind += f" of {result['variant'].capitalize()}"
    unit = "of the matches, less a half" if result["length"] else "points a game"
    wins = f"{result['wins'][0]} to {result['wins'][1]}"
    how = f"seed {result['seed']}" + ("" if result["evaluator"] == _JUDGE else f", luck by {result['evaluator']}")
    pairs = f"{result['pairs']} mirrored pair{'' if result['pairs'] == 1 else 's'}"
    print(f"{result['a']} against {result['b']}: {pairs} of {kind}, {how}\n")
    if result["pairs"]:
        print(f"{'won':<16}{wins:>18}")
    for name, key in (("raw", "raw"), ("luck-adjusted", "adjusted")):
        if result[key] is not None:
            print(f"{name:<16}{_plus_minus(result[key], result[f'{key}_error']):>18}  {unit}")
    if result["z"] is not None:
        print(f"{'':<16}{abs(result['z']):>18.1f}  standard errors from even")
    speed = f" {result['pairs_per_minute']:,.0f} pairs a minute." if result["pairs_per_minute"] else ""
    waiting = f", and {result['waiting']:,} wait behind one" if result["waiting"] else ""
    print(f"\n{_WHY[result['stopped']].format(waiting)}{speed} {_verdict(result)}")


def _plus_minus(mean: float, error: float | None) -> str:
    return f"{mean:+.4f}" + (f" ± {error:.4f}" if error is not None else "")


def _verdict(result: dict[str, Any]) -> str:
    """What the numbers say, no more."""
    if not result["pairs"]:
        return "None is complete yet."
    if result["pairs"] < _FEW:
        return "These are too few to show who is better."
    if result["z"] is None or abs(result["z"]) < 2:
        return "Neither is shown to be better."
    better = result["a"] if result["z"] > 0 else result["b"]
    return f"{better} {'is' if abs(result['z']) >= 3 else 'seems to be'} the better player."


class _LiveLine:
    """How it stands, on one line of the terminal; elsewhere a line now and then."""

    def __init__(self, match: Duel, pairs: int) -> None:
        self._match, self._pairs = match, pairs
        self._live = sys.stderr.isatty()
        self._every = 0.5 if self._live else 60.0
        self._begun = self._last = time.monotonic()
        self._known = match.played

    def show(self) -> None:
        now = time.monotonic()
        if now - self._last < self._every:
            return
        self._last = now
        standing = self._match.standing()
        found: Estimate = standing.adjusted
        text = f"{standing.pairs:,} of {self._pairs:,} pairs"
        if standing.pairs > 1:
            text += f"  {_plus_minus(found.mean, found.error)} luck-adjusted, {abs(found.z):.1f} standard errors"
        text += f"  {60 * (self._match.played - self._known) / (now - self._begun):,.0f} a minute"
        if self._live:
            print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)
        else:
            note(text)

    def clear(self) -> None:
        if self._live:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
