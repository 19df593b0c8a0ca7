"""Labels of settings: what an analysis was made with, in one word whose meaning never changes.

    2-ply-normal@2, net 0123456789ab            plays and cubes of both players 2 plies ahead, move filter Normal
    3-ply-large/2-ply@2, net ..                 plays 3 plies ahead with the filter Large, cube decisions 2
    2-ply-normal,off@2, net ..                  player 1, player 2, who is not judged
    2-ply-normal+second-3-ply-large@2, net ..   what was marked was judged again
    2-ply-normal+rollout-324-1a2b3c4d@2, ..     what was marked was rolled out: games, and a hash of all settings;
                                                +search-as-72-games: beside the search before it (`Preset`);
                                                +marked-324-1a2b3c4d: what a person marked for it;
                                                +plays-rollout-.., +cubes-rollout-..: all of them
    2-ply-normal+11-rolls@2, net ..             a level that looks otherwise; +cubes-near-0.3-0.1 (`Preset.cube_near`),
                                                +noise-0.04, +unpruned, +cubeless
    2-ply-normal+kept@2, net ..                 some of it judged before as closely or more; each decision says how
    2-ply-normal+met-1a2b3c4d+cube-dead@2, ..   another match equity table (its checksum), another cube model;
                                                -turned behind it: the players have changed seats since

The number behind @ is `SEARCH`, which goes up when the same words would judge otherwise; so it stands for the search,
the move filters, the standard match equities and cube model, and rules of counting. The nets go by their checksum.
"""

from __future__ import annotations

import hashlib
import json
import re
from typing import Protocol

from sixprime.analysis.depth import Depth, Depths
from sixprime.cube.fitted import DEFAULT as DEFAULT_CUBE_MODEL
from sixprime.cube.met import MatchEquityTable
from sixprime.cube.met import load as load_met
from sixprime.cube.met import names as met_names
from sixprime.cube.model import CubeModel
from sixprime.engine.rollout_settings import RolloutSettings
from sixprime.game.record import TURNED

_DIGITS = 8  # of hashes
_TABLE = re.compile(rf"\+met-([0-9a-f]+)({TURNED})?")
KEPT = "+kept"
"""What was judged before with other settings, at least as closely, was taken from there."""


class Labelled(Protocol):
    """What a label says of an engine."""

    @property
    def met(self) -> MatchEquityTable:
        """The match equity table."""

    @property
    def cube_model(self) -> CubeModel:
        """How the cube is valued."""

    @property
    def manner(self) -> str:
        """What its level changes of a search: "", or "+11-rolls", "+noise-0.04", "+unpruned"."""

    @property
    def version(self) -> str:
        """What stands behind the words of a label: "@2, net 0123456789ab"."""


def label_of(
    depths: Depths,
    engine: Labelled,
    *,
    second: Depth | None = None,
    rollout: RolloutSettings | None = None,
    search_games: int = 0,
) -> str:
    """The label of an analysis.

    second, rollout: how what was marked was judged again, and rolled out. search_games: as in `Preset`.
    """
    words = ",".join(dict.fromkeys(map(_words, depths))) + engine.manner
    if engine.met.checksum != load_met().checksum:
        words += f"+met-{engine.met.checksum[:_DIGITS]}"
    if engine.cube_model != DEFAULT_CUBE_MODEL:
        words += f"+cube-{_word(engine.cube_model.identity)}"
    if second is not None:
        words += f"+second-{_words(second)}"
    if rollout is not None:
        words += f"+rollout-{_rollout(rollout)}"
        words += f"+search-as-{search_games}-games" if search_games else ""
    return words + engine.version


def table_of(label: str, given: MatchEquityTable | None = None) -> MatchEquityTable:
    """The match equity table that an analysis of this label was made with.

    given: taken where the label names none that ships, as it was before the players changed seats; None is the default.
    """
    found = _TABLE.search(label)
    if found is None:
        return load_met() if label else given or load_met()
    shipped = next((table for table in map(load_met, met_names()) if table.checksum.startswith(found[1])), None)
    table = shipped or given
    if table is None:
        return load_met()
    return table.swapped() if found[2] else table


def settled(label: str, table: MatchEquityTable) -> str:
    """The label of an analysis by this table, whose players may have changed seats since it was written; it stays where
    nobody knows the table that it names, and the default one stands in."""
    if table.checksum == load_met().checksum:
        return label
    return _TABLE.sub(lambda found: f"+met-{table.checksum[:_DIGITS]}" if found[2] else found[0], label)


def ships(table: MatchEquityTable) -> bool:
    """Whether labels can name a table."""
    return any(load_met(name).checksum == table.checksum for name in met_names())


def cubeless(label: str) -> bool:
    """Whether the plays were judged without the cube."""
    return "+cubeless" in label


def with_words(label: str, added: str) -> str:
    """A label with words added, once; of none, none."""
    words, mark, rest = label.rpartition("@")
    return f"{words.removesuffix(added)}{added}{mark}{rest}" if mark else ""


def marked(settings: RolloutSettings) -> str:
    """The words for single decisions that were rolled out afterwards."""
    return f"+marked-{_rollout(settings)}"


def rolled_out(what: str, settings: RolloutSettings) -> str:
    """The words for all plays, or all cube decisions, rolled out."""
    return f"+{what}-rollout-{_rollout(settings)}"


def _words(depth: Depth) -> str:
    plays = None if depth.plies is None else f"{depth.plies}-ply-{_word(depth.filter)}"
    cubes = None if depth.cube_plies is None else f"{depth.cube_plies}-ply"
    if depth.plies == depth.cube_plies:
        return plays or "off"
    return f"{plays or 'none'}/{cubes or 'none'}"


def _word(name: str) -> str:
    """A name as it is, numbers in brackets."""
    return name if re.fullmatch(r"[a-z0-9-]+", name) else f"({name})"


def _rollout(settings: RolloutSettings) -> str:
    # With players that are unlike, the hash has stood for another one as the first of them.
    known = settings.to_dict() | ({} if settings.alike else {"first": "mover"})
    return f"{settings.trials}-{hashlib.sha256(json.dumps(known, sort_keys=True).encode()).hexdigest()[:_DIGITS]}"
