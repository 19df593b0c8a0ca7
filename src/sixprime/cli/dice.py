"""`sixprime dice`: throws dice, and says whether dice are fair."""

from __future__ import annotations

from typing import Annotated

from sixprime.cli._common import Flag, Text, UsageError, print_json, whole
from sixprime.errors import SettingsError

_SHOWN = 12
"""Throws where nothing is said."""
_CHECKED = 36_000


def dice(
    *files: Text,
    rng: str = "system",
    seed: str | None = None,
    modulus: str | None = None,
    count: Annotated[int | None, whole(1, 10_000_000)] = None,
    check: Flag = False,
    json: Flag = False,
) -> int:
    """Throw dice, or say whether dice are fair: by the generators that games are played with, or in recorded matches.

    Parameters
    ----------
    files
        Matches of any format that is read: their dice are counted, of both players together.
    rng
        Where the dice come from: system, file:PATH or one of GNU Backgammon's generators, mersenne, isaac, bbs, md5,
        bsd and ansi, which throw the same dice with the same seed.
    seed
        A whole number from 0; by default another one each time, which is shown.
    modulus
        Of bbs.
    count
        How many throws; by default 12, with --check 36000.
    check
        Count faces, throws, doubles and runs beside what is expected of fair dice, with chi-square.
    json
        Print one JSON object.
    """
    from sixprime.report.dice import dice_to_dict, render_dice
    from sixprime.theory.fairness import fairness

    thrown_only = {"rng": None if rng == "system" else rng, "seed": seed, "modulus": modulus, "count": count}
    if files and (options := [name for name, given in thrown_only.items() if given is not None]):
        raise UsageError(f"--{options[0]} is of dice that are thrown, not of recorded ones")
    if files:
        title, thrown = _recorded(files)
    else:
        title, thrown = _thrown(rng, seed, modulus, count, _CHECKED if check else _SHOWN)
    tests = fairness(thrown, ordered=not files) if check or files else ()
    if json:
        print_json(dice_to_dict(title, thrown, tests))
    else:
        render_dice(title, thrown, tests)
    return 0


def _thrown(
    rng: str, seed: str | None, modulus: str | None, count: int | None, usual: int
) -> tuple[str, list[tuple[int, int]]]:
    """A source in words and its first throws; a list that ends before the usual count is taken whole."""
    from sixprime.play.dice import GeneratedDice, described, source_named

    source = source_named(rng, seed)
    if modulus is not None:
        if not isinstance(source, GeneratedDice) or source.generator != "bbs":
            raise UsageError("only --rng bbs has a --modulus")
        source = GeneratedDice("bbs", source.seed, modulus)
    thrown: list[tuple[int, int]] = []
    try:
        for number in range(count or usual):
            throw = source.throw(number)
            if throw is None:
                raise UsageError("dice that are thrown by hand cannot be thrown here")
            thrown.append(throw)
    except SettingsError:
        if count is not None or not thrown:
            raise
    return described(source), thrown


def _recorded(files: tuple[str, ...]) -> tuple[str, list[tuple[int, int]]]:
    """All throws of matches but the first of each game, of which a record does not have the doubles."""
    from sixprime import formats
    from sixprime.game.record import ActionKind

    thrown: list[tuple[int, int]] = []
    for file in files:
        for match in formats.read_all(file):
            for game in match.games:
                rolled = [action.dice for action in game.actions if action.kind in (ActionKind.MOVE, ActionKind.ROLL)]
                thrown += [dice for dice in rolled[1:] if dice is not None]
    return f"{len(thrown)} throws of {len(files)} file{'s' if len(files) > 1 else ''}", thrown
