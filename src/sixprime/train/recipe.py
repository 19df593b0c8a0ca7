"""Training recipes: a TOML file that says, with its seed, exactly how a net is made."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from sixprime.checks import shown
from sixprime.errors import InvalidFileError, SettingsError
from sixprime.nets.file import NETS, OPTIONAL
from sixprime.nets.params import Params, Spec, initial
from sixprime.reading import parse_toml, read_text
from sixprime.train.starts import MIXES

_RATE, _SHARE = (float, 1e-9, 1e3), (float, 0, 1)
_LIMITS: dict[str, tuple[type] | tuple[type, float, float]] = {
    "positions": (int, 1, 10**12),
    "games": (int, 1, 10**9),
    **dict.fromkeys(("rate", "final_rate", "row_factor", "equity", "near"), _RATE),
    **dict.fromkeys(("margin", "difference"), (float, 0, 1e3)),
    **dict.fromkeys(("variety", "rare", "trace", "far", "match"), _SHARE),
    **dict.fromkeys(("keep", "siblings", "strays", "cut", "follow"), (int, 0, 3072)),
    **dict.fromkeys(("epochs", "batch", "given"), (int, 1, 10**6)),
    "harvests": (int, 0, 10**6),
    **dict.fromkeys(("replies", "fresh", "mean"), (bool,)),
    **dict.fromkeys(("mix", "only", "begin"), (str,)),
}
"""Kind and range of every setting of a stage."""


@dataclass(frozen=True, slots=True)
class Td:
    """Self-play in which every position learns from the value after the next play.

    positions: positions to learn from. games: games in lockstep. rate: gradient step of the head, falling
    geometrically to `final_rate`; the first layer's is `row_factor` times that. variety: share of games with
    other starts or random first plays; rare: share that starts from a position of `starts`.
    """

    positions: int
    games: int = 2048
    rate: float = 0.004
    final_rate: float = 0.0005
    row_factor: float = 3.0
    variety: float = 0.15
    rare: float = 0.0

    def __post_init__(self) -> None:
        _check_fields(self)


@dataclass(frozen=True, slots=True)
class Harvest:
    """Self-play that is written down as lessons, with values better than the net's (see `harvest`).

    positions: how many lessons, at least. games: games of a block. keep: candidates the pruning net leaves, 0 all.
    siblings: best plays not chosen that are lessons, too, as far as they are within `margin` points of equity of the
    best; strays: others at random. trace: weight per turn of what is seen later, far: the same in back games. follow:
    turns that plays are followed each on its own instead, where a decision has more than one; 0 none. replies: whether
    what then comes of the plays by one roll of the opponent's are lessons, too. cut: turns after a back game at which a
    game is given up, 0 never. variety, rare: as in `Td`. mix: kinds of the rare starts, of `starts.MIXES`.
    """

    positions: int
    games: int = 1024
    keep: int = 4
    siblings: int = 2
    margin: float = 10.0
    strays: int = 0
    trace: float = 0.8
    far: float = 0.97
    cut: int = 0
    follow: int = 0
    replies: bool = False
    variety: float = 0.2
    rare: float = 0.4
    mix: str = "all"

    def __post_init__(self) -> None:
        _check_fields(self)
        if self.mix not in MIXES:
            raise SettingsError(f"mix must be one of {', '.join(map(repr, MIXES))}. Got {self.mix!r} instead.")
        # Only plays of decisions with more than one are followed: a harvest of none would never end.
        if self.follow and not (self.siblings and self.margin) and not self.strays:
            raise SettingsError("follow needs several plays of a decision: siblings within a margin, or strays")
        if self.replies and not self.follow:
            raise SettingsError("replies are lessons where plays are followed: follow must be above 0")


@dataclass(frozen=True, slots=True)
class Learn:
    """Fitting of the nets to the lessons of the last harvests (see `regress`).

    harvests: how many of them, the latest first; 0 all. given: how often each lesson of a database that the run was
    given counts in a pass. epochs: passes over the lessons. batch: lessons of a step.
    rate: highest step of Adam. equity: weight of the squared error of equity; difference: of how much the plays of one
    decision differ, or what came of them by one roll, each counted the less, by a factor e, the more times `near` the
    play is behind the best; match: share of equities at match scores in both, the rest is money's. fresh: begin with
    random weights. mean: end with the mean of the weights at the start and at the end, which have different errors by
    chance. only: the net that learns, such as "back"; empty for all. begin: the net of which that one begins here as a
    copy; before, it is not there.
    """

    epochs: int = 2
    harvests: int = 0
    given: int = 1
    batch: int = 2048
    rate: float = 0.001
    equity: float = 1.0
    difference: float = 0.0
    near: float = 0.05
    match: float = 0.0
    fresh: bool = False
    mean: bool = False
    only: str = ""
    begin: str = ""

    def __post_init__(self) -> None:
        _check_fields(self)
        for name, net in (("only", self.only), ("begin", self.begin)):
            if net not in ("", *NETS):
                raise SettingsError(f"{name} must be one of {', '.join(map(repr, NETS))}. Got {net!r} instead.")


Stage = Td | Harvest | Learn
_KINDS: dict[str, type[Td] | type[Harvest] | type[Learn]] = {"td": Td, "harvest": Harvest, "learn": Learn}


@dataclass(frozen=True, slots=True)
class Recipe:
    """Seed, shapes of the nets (back: None where back games have none of their own) and the stages in order."""

    name: str
    seed: int
    contact: Spec
    race: Spec
    pruner: Spec
    back: Spec | None
    stages: tuple[Stage, ...]
    text: str

    @property
    def nets(self) -> dict[str, Spec]:
        """Shapes of the nets there are, by name."""
        return {name: spec for name in NETS if (spec := getattr(self, name)) is not None}

    def begun(self, stage: int) -> dict[str, str]:
        """The nets that begin in or after this stage, counted from 0, and what each of them is then a copy of."""
        later = [each for each in self.stages[stage:] if isinstance(each, Learn) and each.begin]
        return {each.only: each.begin for each in later}

    def with_seed(self, seed: int) -> Recipe:
        """The same recipe with another seed, in its text, too.

        Raises `SettingsError` for a seed out of range, and where the text has it on no line of its own.
        """
        text, found = re.subn(r"(?m)^seed\b.*$", f"seed = {seed}", self.text, count=1)
        other = parse_recipe(text)
        if not found or replace(other, seed=self.seed, text=self.text) != self:
            raise SettingsError("the seed is not on a line of its own, as it should be")
        return other

    def random_nets(self) -> dict[str, Params]:
        """Fresh nets of these shapes, by name; also of those that begin later."""
        return {name: initial(spec, self.seed + i) for i, (name, spec) in enumerate(self.nets.items())}


def read_recipe(path: Path | str) -> Recipe:
    """Reads a recipe file, or one of the package's by its name ("standard").

    Raises `InvalidFileError` for a file that is no recipe or has unknown settings.
    """
    recipes = Path(__file__).parent / "recipes"
    shipped = recipes / f"{path}.toml"
    # A folder may have the name of a recipe, as that of a run often has.
    if not os.path.isfile(path) and shipped.parent == recipes and os.path.isfile(shipped):
        path = shipped
    try:
        text = read_text(path)
        return parse_recipe(text)
    except OSError as error:
        names = ", ".join(sorted(found.stem for found in recipes.glob("*.toml")))
        raise InvalidFileError(
            f"cannot be read: {error.strerror}; the package has the recipes {names}", path=path
        ) from error
    except ValueError as error:  # SettingsError, and bytes that are no text
        raise InvalidFileError(f"is not a training recipe: {error}", path=path) from error


def parse_recipe(text: str) -> Recipe:
    """A recipe from its TOML text. Raises `SettingsError` for settings that are missing, unknown or out of range."""
    try:
        data = parse_toml(text)
    except ValueError as error:
        raise SettingsError(str(error)) from error
    _check_names("the recipe", data, {"name", "seed", "nets", "stage"})
    _check("name", data.get("name"), str)
    _check("seed", data.get("seed"), int, 0, 10**12)
    tables = _table("nets", data.get("nets"), set(NETS))
    nets: dict[str, Any] = {
        name: None if name in OPTIONAL and name not in tables else _spec(f"nets.{name}", tables.get(name))
        for name in NETS
    }
    stages = data.get("stage")
    if not isinstance(stages, list) or not stages:
        raise SettingsError("no [[stage]] found")
    found = tuple(_stage(f"stage {number}", table) for number, table in enumerate(stages, 1))
    for number, stage in enumerate(found, 1):
        if isinstance(stage, Learn):
            _check_nets(f"stage {number}", stage, found[: number - 1], nets)
    return Recipe(
        data["name"],
        data["seed"],
        **nets,
        stages=found,
        text=text,
    )


def _check_nets(where: str, stage: Learn, before: tuple[Stage, ...], nets: dict[str, Spec | None]) -> None:
    """Raises `SettingsError` unless the nets that the stage names are there, or may begin here."""
    if stage.only and nets[stage.only] is None:
        raise SettingsError(f"{where}: only the net {stage.only!r} is to learn, but nets has none.")
    if not stage.begin:
        return
    if stage.only not in OPTIONAL or stage.fresh:
        raise SettingsError(f'{where}: begin says how a net begins that is learnt alone (only = "back"), not fresh.')
    if stage.begin == stage.only or nets[stage.begin] != nets[stage.only]:
        raise SettingsError(f"{where}: the net {stage.only!r} can only begin as another of the same shape.")
    if any(isinstance(each, Learn) and stage.only in (each.only, each.begin) for each in before):
        raise SettingsError(f"{where}: the net {stage.only!r} begins here, but is named before.")


def _spec(where: str, value: object) -> Spec:
    table = _table(where, value, {"hidden", "rear", "pairs", "second", "products"})
    _check(f"{where}.hidden", table.get("hidden"), int, 1, 4096)
    for name in ("rear", "pairs"):
        _check(f"{where}.{name}", table.get(name), bool)
    _check(f"{where}.second", table.get("second", 0), int, 0, 1024)
    _check(f"{where}.products", table.get("products", False), bool)
    return Spec(**table)


def _stage(where: str, value: object) -> Stage:
    table = dict(_table(where, value, None))
    name = table.pop("kind", None)
    kind = _KINDS.get(name) if isinstance(name, str) else None
    if kind is None:
        raise SettingsError(f"{where}: kind must be one of {', '.join(_KINDS)}. Got {shown(name)} instead.")
    _check_names(where, table, {field.name for field in fields(kind)})
    try:
        return kind(**table)
    except SettingsError as error:
        raise SettingsError(f"{where}: {error}") from None
    except TypeError:
        raise SettingsError(f"{where}: positions must be given") from None


def _table(where: str, value: object, known: set[str] | None) -> dict[str, Any]:
    """`value` as a table; without unknown settings when `known` is given."""
    if not isinstance(value, dict):
        raise SettingsError(f"{where} must be a table. Got {shown(value)} instead.")
    if known is not None:
        _check_names(where, value, known)
    return value


def _check_names(where: str, table: dict[str, Any], known: set[str]) -> None:
    unknown = sorted(set(table) - known)
    if unknown:
        raise SettingsError(f"{where}: unknown setting {shown(unknown[0])}, known are {', '.join(sorted(known))}")


def _check_fields(stage: Td | Harvest | Learn) -> None:
    for field in fields(stage):
        _check(field.name, getattr(stage, field.name), *_LIMITS[field.name])


def _check(name: str, value: object, kind: type, low: float = 0, high: float = 0) -> None:
    """Raises `SettingsError` unless `value` is of this kind and, a number, within its range."""
    number = kind in (int, float)
    fits = isinstance(value, (int, kind)) if kind is float else isinstance(value, kind)
    if not fits or (number and (isinstance(value, bool) or not low <= value <= high)):  # type: ignore[operator]
        words = {int: "a whole number", float: "a number", bool: "true or false", str: "a text"}[kind]
        span = f" from {low:g} to {high:g}" if number else ""
        raise SettingsError(f"{name} must be {words}{span}. Got {shown(value)} instead.")
