"""Settings of rollouts as GNU Backgammon's files have them, in a line behind the numbers.

A file says how either of its players decided; here the one on roll comes first. What the line has no words for - when
a rollout stops, how games with high cubes branch, how far a filter widens - is as usual once it was read.
"""

from __future__ import annotations

import re
from contextlib import suppress

from sixprime.engine.filters import FILTERS, SKIP, Level, MoveFilter, get_filter
from sixprime.engine.rollout_settings import PlayerSettings, RolloutSettings
from sixprime.errors import SettingsError

_CONTEXT = re.compile(
    r'RC (\d) (\d) (\d) (\d) (\d) (\d) (\d{1,4}) (\d) (\d) (\d{1,4}) "[^"]{0,40}" (\d{1,20})', re.ASCII
)
_LEVELS = r"(?: (?:late)?filt[01]((?: -?\d[\d.]{0,12})+))?"
_PLAYER = re.compile(r" (late|)(cube|cheq)([01]|trunc) ver \d (\d)C? [01] (\d\.\d{1,9}) [01]" + _LEVELS, re.ASCII)


def line_of(settings: RolloutSettings, on_roll: int) -> str:
    """The line. on_roll: the player, 0 or 1, whose play or cube decision is rolled out."""
    late, cut = settings.later is not None, settings.truncation > 0
    flags = (settings.cubeful, settings.variance_reduction, settings.initial, settings.rotate, late, cut)
    exact = (settings.bearoff_exact, settings.bearoff_one_sided)
    words = [
        "SK 0 RC",
        *(str(int(flag)) for flag in flags),
        str(settings.truncation),
        *(str(int(flag)) for flag in exact),
        str(settings.later_turn),
        f'"Mersenne Twister" {settings.seed} ',
    ]
    for name, players in (("", settings.players), ("late", settings.later or settings.players)):
        for number in (0, 1):
            player = players[number ^ on_roll]
            words += [f"{name}cube{number} {_depth(player.cube_plies, player.noise)} "]
            words += [f"{name}cheq{number} {_depth(player.plies, player.noise)}"]
            if player.plies:
                levels = (level or SKIP for level in _levels(get_filter(player.filter), player.plies))
                triples = (f"{level.accept} {level.extra} {level.threshold:.5f}" for level in levels)
                words.append(f"{name}filt{number} {' '.join(triples)} ")
    return " ".join([*words, *(f"{name}trunc {_depth(settings.truncation_plies, 0)}" for name in ("cube", "cheq"))])


def _depth(plies: int, noise: float) -> str:
    return f"ver 3 {plies}C 1 {noise:.6f} 0"


def settings_of(line: str, trials: int, on_roll: int) -> RolloutSettings | None:
    """The settings that a line tells of so many games; None for one that cannot be read."""
    found = _CONTEXT.search(line)
    if found is None:
        return None
    cubeful, reduced, initial, rotated, late, cut, length, exact, one_sided, later, seed = map(int, found.groups())
    parts = {(name, what, whose): rest for name, what, whose, *rest in _PLAYER.findall(line, found.end())}
    with suppress(KeyError, SettingsError):
        players, laters = (
            (_player(parts, name, str(on_roll)), _player(parts, name, str(1 - on_roll))) for name in ("", "late")
        )
        return RolloutSettings(
            trials=trials,
            seed=seed,
            cubeful=bool(cubeful),
            players=players,
            later=laters if late else None,
            later_turn=later,
            truncation=length if cut else 0,
            truncation_plies=int(parts["", "cheq", "trunc"][0]),
            bearoff_exact=bool(exact),
            bearoff_one_sided=bool(one_sided),
            initial=bool(initial),
            rotate=bool(rotated),
            variance_reduction=bool(reduced),
        )
    return None


def _player(parts: dict[tuple[str, str, str], list[str]], name: str, whose: str) -> PlayerSettings:
    """Raises KeyError where the line does not tell of him, SettingsError for what cannot be."""
    plies, noise, numbers = parts[name, "cheq", whose]
    cube_plies, *_ = parts[name, "cube", whose]
    return PlayerSettings(int(plies), int(cube_plies), _filter(int(plies), numbers.split()), float(noise))


def _filter(plies: int, numbers: list[str]) -> str | MoveFilter:
    """The filter of these levels, by its name where it has one."""
    if not plies or len(numbers) < 3 * plies:
        return "normal"
    try:
        triples = zip(*(iter(numbers[: 3 * plies]),) * 3, strict=True)
        levels = tuple(Level(int(accept), int(extra), float(near)) for accept, extra, near in triples)
    except ValueError as error:
        raise SettingsError(str(error)) from None
    own = MoveFilter("", ((),) * (plies - 1) + (levels,))
    return next((each for each in FILTERS.values() if _levels(each, plies) == _levels(own, plies)), own)


def _levels(filter: MoveFilter, plies: int) -> list[Level | None]:
    return [filter.level(ply, plies) for ply in range(plies)]
