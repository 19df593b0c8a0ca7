"""What a format is, and what it can and cannot express.

A module of a format ends with `FORMAT = Format(...)`; `formats/__init__.py` lists it, and everything else follows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum, StrEnum

from sixprime.formats._text import Document
from sixprime.game.record import Action, ActionKind, Game, Match


class Holds(Enum):
    """How much one file can hold."""

    MATCHES = "matches"
    MATCH = "match"
    GAME = "game"
    POSITIONS = "positions"
    POSITION = "position"


class Feature(StrEnum):
    """What not every format can express; the value is its name in messages."""

    MATCH_LENGTH = "match length"
    SCORE = "score"
    RESULT = "results of games"
    NAMES = "names of the players"
    RATING = "ratings of the players"
    EVENT = "event, place, date and the like"
    TAGS = "other tags"
    MATCH_COMMENT = "comment on the match"
    COMMENT = "comments on plays and games"
    ANALYSIS = "analyses of other programs"
    VARIANT = "game variant"
    CRAWFORD = "play without Crawford rule"
    CRAWFORD_GAME = "that the Crawford game was before this"
    JACOBY = "Jacoby rule"
    BEAVER_RULE = "number of beavers allowed"
    CUBE_LIMIT = "cube limit"
    CUBE = "doubling cube"
    BEAVERS = "beavers"
    AUTOMATIC = "automatic doubles"
    SET = "positions set by hand"
    ON_ROLL = "who is on roll, and the roll"
    ILLEGAL = "illegal plays"
    ROLL_ONLY = "rolls without a play"
    RESIGNATION = "resignations"
    UNFINISHED = "unfinished games"
    TIME = "times of the players"
    PLAYS = "plays and cube actions"


PLAIN_MATCH = frozenset(
    {Feature.NAMES, Feature.MATCH_LENGTH, Feature.SCORE, Feature.RESULT, Feature.CUBE, Feature.BEAVERS, Feature.PLAYS}
    | {Feature.RESIGNATION, Feature.UNFINISHED, Feature.ILLEGAL}
)
"""What every record of matches holds that was not made for single games."""


@dataclass(frozen=True, slots=True)
class Format:
    """One file format.

    detect: whether a file is of this format; looks at little more than its head. read: all matches of a file, at
    least one; raises InvalidFileError when there is none. write: the whole of a file; None when it can only be read.
    holds: what `write` is given at a time. keeps: what a file can express; what it cannot is named by `losses`, with
    what `more_losses` adds.
    """

    name: str
    title: str
    suffixes: tuple[str, ...]
    detect: Callable[[Document], bool]
    read: Callable[[Document], list[Match]]
    write: Callable[[Sequence[Match]], str | bytes] | None = None
    holds: Holds = Holds.MATCHES
    keeps: frozenset[Feature] = frozenset()
    more_losses: Callable[[Match], list[str]] | None = None

    def losses(self, match: Match) -> list[str]:
        """Names of what is in the match but cannot be in a file of this format."""
        missing = features(match) - self.keeps
        if self.holds in (Holds.POSITIONS, Holds.POSITION):
            missing -= {Feature.CRAWFORD_GAME, Feature.ON_ROLL}
        if Feature.MATCH_LENGTH not in self.keeps:
            missing.discard(Feature.CRAWFORD_GAME)
        lost = [feature.value for feature in Feature if feature in missing]
        if self.holds is Holds.POSITION and match.only_position is None:
            lost.append("all positions but the last")
        return lost + (self.more_losses(match) if self.more_losses is not None else [])


_COMMON_INFO = {"event", "round", "place", "date", "time", "annotator"}
_UNDERSTOOD_TAGS = {
    "site",
    "event",
    "round",
    "eventdate",
    "eventtime",
    "transcriber",
    "variation",
    "crawford",
    "jacoby",
}
_UNDERSTOOD_TAGS |= {"beaver", "beavers", "cubelimit", "player 1", "player 2", "player 1 elo", "player 2 elo"}


def features(match: Match) -> set[Feature]:
    """What a match has that not every format can express. The usual rules need no words, so they do not count."""
    parts = {
        Feature.MATCH_LENGTH: match.length > 0,
        Feature.SCORE: any(game.score != (0, 0) for game in match.games),
        Feature.NAMES: any(player.name for player in match.players),
        Feature.RATING: any(player.rating is not None or player.experience is not None for player in match.players),
        Feature.EVENT: any(match.info.get(key) for key in _COMMON_INFO),
        Feature.TAGS: any(key.lower() not in _UNDERSTOOD_TAGS for key, _ in match.tags),
        Feature.MATCH_COMMENT: bool(match.info.get("comment")),
        Feature.VARIANT: match.variant != "standard",
        Feature.CRAWFORD: match.length > 1 and not match.crawford_rule,
        Feature.CRAWFORD_GAME: _after_crawford(match),
        Feature.JACOBY: not match.length and not match.jacoby,
        Feature.BEAVER_RULE: not match.length and match.beavers != 3,
        Feature.CUBE_LIMIT: match.cube_limit != 1024,
    }
    found = {feature for feature, present in parts.items() if present}
    for game in match.games:
        found |= _game_features(game)
    if (alone := match.only_position) is not None:
        found -= {Feature.UNFINISHED, Feature.SET, Feature.PLAYS}
        if alone.state.on_roll or alone.state.dice is not None:
            found.add(Feature.ON_ROLL)
    return found


def _after_crawford(match: Match) -> bool:
    """Whether the first game at match point is not the Crawford game, as one would think that sees no game before."""
    if match.length < 2 or not match.crawford_rule:
        return False
    at_point = (game for game in match.games if (match.length - 1 in game.score) and len(set(game.score)) == 2)
    first = next(at_point, None)
    return first is not None and not first.crawford


def _game_features(game: Game) -> set[Feature]:
    found = {_ACTIONS[action.kind] for action in game.actions}
    found.discard(Feature.PLAYS)
    if any(action.kind is not ActionKind.SET for action in game.actions):
        found.add(Feature.PLAYS)
    if game.winner is None:
        found.add(Feature.UNFINISHED)
    else:
        found.add(Feature.RESULT)
    if game.cube > 1:
        found.add(Feature.AUTOMATIC)
    if game.comment or any(action.comment for action in game.actions):
        found.add(Feature.COMMENT)
    if any(action.analyses for action in game.actions):
        found.add(Feature.ANALYSIS)
    if any(action.seconds is not None for action in game.actions):
        found.add(Feature.TIME)
    if any(action.illegal for action in game.actions):
        found.add(Feature.ILLEGAL)
    return found


_ACTIONS = {
    ActionKind.MOVE: Feature.PLAYS,
    ActionKind.ROLL: Feature.ROLL_ONLY,
    ActionKind.DOUBLE: Feature.CUBE,
    ActionKind.BEAVER: Feature.BEAVERS,
    ActionKind.TAKE: Feature.CUBE,
    ActionKind.DROP: Feature.CUBE,
    ActionKind.RESIGN: Feature.RESIGNATION,
    ActionKind.SET: Feature.SET,
}


def last_action(match: Match) -> Action | None:
    """The last action of a match: its position is what a position file shows; None for a match without any."""
    return next((game.actions[-1] for game in reversed(match.games) if game.actions), None)
