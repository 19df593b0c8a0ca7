"""Training recipes: a TOML file that says, with its seed, exactly how a net is made."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from sixprime.errors import InvalidFileError, SettingsError
from sixprime.nets.params import Spec


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
            raise SettingsError(f"stage kind must be 'td' or 'lookahead'. Got {self.kind!r} instead.")
        for name in ("positions", "games", "rate", "final_rate", "row_factor"):
            if getattr(self, name) <= 0:
                raise SettingsError(f"stage {name} must be positive. Got {getattr(self, name)!r} instead.")


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
    """Reads a recipe. Raises `InvalidFileError` for a file that is no recipe or has unknown settings."""
    try:
        text = Path(path).read_text(encoding="utf-8")
        return parse_recipe(text)
    except OSError as error:
        raise InvalidFileError(f"cannot be read: {error.strerror}", path=path) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, SettingsError, TypeError, KeyError) as error:
        raise InvalidFileError(f"is not a training recipe: {error}", path=path) from error


def parse_recipe(text: str) -> Recipe:
    """A recipe from its TOML text."""
    data: dict[str, Any] = tomllib.loads(text)
    known = {field.name for field in fields(Stage)}
    stages = []
    for number, table in enumerate(data.get("stage", []), 1):
        unknown = set(table) - known
        if unknown:
            raise SettingsError(f"stage {number}: unknown setting {sorted(unknown)[0]!r}")
        stages.append(Stage(**table))
    if not stages:
        raise SettingsError("no [[stage]] found")
    nets = {name: Spec(**data["nets"][name]) for name in ("contact", "race", "pruner")}
    return Recipe(str(data["name"]), int(data["seed"]), **nets, stages=tuple(stages), text=text)
