"""Training recipes: a TOML file that says, with its seed, exactly how a net is made."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from sixprime.errors import InvalidFileError, SettingsError
from sixprime.nets.params import Spec

_NETS = ("contact", "race", "pruner")


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage of training.

    kind: "td" learns from the value after the next play; "lookahead" from the mean over the 21 rolls.
    positions: positions to learn from. games: games in lockstep. rate: gradient step of the head, falling
    geometrically to `final_rate`; the first layer's is `row_factor` times that. variety: share of games with
    other starts or random first plays. keep: candidates the pruning net leaves in look-ahead, 0 all.
    siblings: other candidates of a decision that are learnt from, too. repeats: how often a labelled position
    is learnt from, the later times drawn from the last `memory` of them.
    """

    kind: str
    positions: int
    games: int = 2048
    rate: float = 0.004
    final_rate: float = 0.0005
    row_factor: float = 3.0
    variety: float = 0.15
    keep: int = 0
    siblings: int = 0
    repeats: int = 1
    memory: int = 1_000_000

    def __post_init__(self) -> None:
        if self.kind not in ("td", "lookahead"):
            raise SettingsError(f"kind must be 'td' or 'lookahead'. Got {self.kind!r} instead.")
        for name in ("positions", "games", "repeats", "memory"):
            _check(name, getattr(self, name), int, 1, 10**12)
        for name in ("keep", "siblings"):
            _check(name, getattr(self, name), int, 0, 3072)
        for name in ("rate", "final_rate", "row_factor"):
            _check(name, getattr(self, name), float, 1e-9, 1e3)
        _check("variety", self.variety, float, 0, 1)


@dataclass(frozen=True, slots=True)
class Recipe:
    """Seed, shapes of the three nets and the stages in order."""

    name: str
    seed: int
    contact: Spec
    race: Spec
    pruner: Spec
    stages: tuple[Stage, ...]
    text: str


def read_recipe(path: Path | str) -> Recipe:
    """Reads a recipe file, or one of the package's by its name ("standard").

    Raises `InvalidFileError` for a file that is no recipe or has unknown settings.
    """
    shipped = Path(__file__).parent / "recipes" / f"{path}.toml"
    if not Path(path).exists() and shipped.exists():
        path = shipped
    try:
        text = Path(path).read_text(encoding="utf-8")
        return parse_recipe(text)
    except OSError as error:
        raise InvalidFileError(f"cannot be read: {error.strerror}", path=path) from error
    except (SettingsError, UnicodeDecodeError) as error:
        raise InvalidFileError(f"is not a training recipe: {error}", path=path) from error


def parse_recipe(text: str) -> Recipe:
    """A recipe from its TOML text. Raises `SettingsError` for settings that are missing, unknown or out of range."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(str(error)) from error
    _check_names("the recipe", data, {"name", "seed", "nets", "stage"})
    _check("name", data.get("name"), str)
    _check("seed", data.get("seed"), int, 0, 10**12)
    tables = _table("nets", data.get("nets"), set(_NETS))
    nets = {name: _spec(f"nets.{name}", tables.get(name)) for name in _NETS}
    stages = data.get("stage")
    if not isinstance(stages, list) or not stages:
        raise SettingsError("no [[stage]] found")
    return Recipe(
        data["name"],
        data["seed"],
        **nets,
        stages=tuple(_stage(f"stage {number}", table) for number, table in enumerate(stages, 1)),
        text=text,
    )


def _spec(where: str, value: object) -> Spec:
    table = _table(where, value, {"hidden", "rear", "pairs"})
    _check(f"{where}.hidden", table.get("hidden"), int, 1, 4096)
    for name in ("rear", "pairs"):
        _check(f"{where}.{name}", table.get(name), bool)
    return Spec(**table)


def _stage(where: str, value: object) -> Stage:
    table = _table(where, value, {field.name for field in fields(Stage)})
    try:
        return Stage(**table)
    except SettingsError as error:
        raise SettingsError(f"{where}: {error}") from None
    except TypeError:
        raise SettingsError(f"{where}: kind and positions must be given") from None


def _table(where: str, value: object, known: set[str]) -> dict[str, Any]:
    """`value` as a table without unknown settings."""
    if not isinstance(value, dict):
        raise SettingsError(f"{where} must be a table. Got {value!r} instead.")
    _check_names(where, value, known)
    return value


def _check_names(where: str, table: dict[str, Any], known: set[str]) -> None:
    unknown = sorted(set(table) - known)
    if unknown:
        raise SettingsError(f"{where}: unknown setting {unknown[0]!r}, known are {', '.join(sorted(known))}")


def _check(name: str, value: object, kind: type, low: float = 0, high: float = 0) -> None:
    """Raises `SettingsError` unless `value` is of this kind and, a number, within its range."""
    number = kind in (int, float)
    fits = isinstance(value, (int, kind)) if kind is float else isinstance(value, kind)
    if not fits or (number and (isinstance(value, bool) or not low <= value <= high)):  # type: ignore[operator]
        words = {int: "a whole number", float: "a number", bool: "true or false", str: "a text"}[kind]
        span = f" from {low:g} to {high:g}" if number else ""
        raise SettingsError(f"{name} must be {words}{span}. Got {value!r} instead.")
