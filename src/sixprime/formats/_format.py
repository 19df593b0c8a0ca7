"""What a format is, and what it can and cannot express.

A module of a format ends with `FORMAT = Format(...)`; `formats/__init__.py` lists it, and everything else follows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from enum import Enum, StrEnum

from sixprime.errors import InvalidFileError
from sixprime.formats._analyses_lost import analyses_lost
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
    PASSED = "rolls left unplayed against the rules"
    RESULT_ONLY = "illegal plays of which only the result is known"
    UNKNOWN = "plays that are not known"
    ROLL_ONLY = "rolls without a play"
    RESIGNATION = "resignations"
    OFFERED = "that a double was answered by a resignation"
    UNFINISHED = "unfinished games"
    CAPPED = "points capped at the match length"
    GAMMONS = "gammons with the cube in the middle"
    CUT = "results of games that are not recorded to their end"
    TIME = "times of the players"
    LATE = "that the match was lost by time"
    PLAYS = "plays and cube actions"


PLAIN_MATCH = frozenset(
    {Feature.NAMES, Feature.MATCH_LENGTH, Feature.SCORE, Feature.RESULT, Feature.CUBE, Feature.BEAVERS, Feature.PLAYS}
    | {Feature.RESIGNATION, Feature.UNFINISHED, Feature.ILLEGAL, Feature.PASSED, Feature.CAPPED, Feature.GAMMONS}
    | {Feature.CUT}
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

    def losses(self, match: Match, again: Match | None = None) -> list[str]:
        """Names of what is in the match but cannot be in a file of this format, each once.

        again: the match as it is in a file that was written already, without which one is written to see.
        """
        missing = features(match) - self.keeps
        if self.holds in (Holds.POSITIONS, Holds.POSITION):
            missing -= {Feature.CRAWFORD_GAME, Feature.ON_ROLL}
        if Feature.MATCH_LENGTH not in self.keeps:
            missing.discard(Feature.CRAWFORD_GAME)
        lost = [feature.value for feature in Feature if feature in missing]
        if self.holds is Holds.POSITION and match.only_position is None:
            lost.append("all positions but the last")
        lost += self.more_losses(match) if self.more_losses is not None else []
        if self.write is not None and self.must_be_read_again(match):
            with suppress(InvalidFileError):  # where it cannot be written at all
                lost += analyses_lost(match, again or self.read(Document(self.write([match])))[0])
        return list(dict.fromkeys(lost))

    def must_be_read_again(self, match: Match) -> bool:
        """Whether analyses go into a file, which have too many parts to say without it what is lost of them."""
        whole = self.holds in (Holds.MATCHES, Holds.MATCH) and Feature.ANALYSIS in self.keeps
        return whole and Feature.ANALYSIS in features(match)


def moment_of(info: Mapping[str, str], since: datetime, until: datetime) -> tuple[datetime | None, list[str]]:
    """When a match was played, at midnight without a time, None without a whole date; and what of "date" and "time"
    that does not say. since, until: what the format can say; None beyond it, too."""
    lost: list[str] = []
    for time in dict.fromkeys(((info.get("time") or "00:00").rjust(5, "0"), "00:00")):
        with suppress(ValueError):
            moment = datetime.fromisoformat(f"{info.get('date', '')} {time}").replace(tzinfo=None)
            if since <= moment < until:
                return moment, lost
        lost = ["time"]
    return None, [key for key in ("date", "time") if info.get(key)]


def moment_lost(info: Mapping[str, str], since: datetime, until: datetime) -> list[str]:
    """What a format loses of the moment that says days, hours and minutes."""
    moment, lost = moment_of(info, since, until)
    return [*lost, "seconds of the time"] if moment is not None and moment.second else lost


def joined(text: Callable[[Match], str]) -> Callable[[Sequence[Match]], str]:
    """A `write` that has the texts of matches one after the other."""
    return lambda matches: "\n".join(map(text, matches))


_COMMON_INFO = {"event", "round", "place", "date", "time", "annotator"}
UNDERSTOOD_TAGS = (
    {"site", "event", "round", "eventdate", "eventtime", "date", "time", "transcriber", "variation", "crawford"}
    | {"jacoby", "beaver", "beavers", "cubelimit"}
    | {"player 1", "player 2", "player 1 elo", "player 2 elo"}
)


def features(match: Match) -> set[Feature]:
    """What a match has that not every format can express. The usual rules need no words, so they do not count."""
    parts = {
        Feature.MATCH_LENGTH: match.length > 0,
        Feature.SCORE: any(game.score != (0, 0) for game in match.games),
        Feature.NAMES: any(player.name for player in match.players),
        Feature.RATING: any(player.rating is not None or player.experience is not None for player in match.players),
        Feature.EVENT: any(match.info.get(key) for key in _COMMON_INFO),
        Feature.TAGS: any(key.lower() not in UNDERSTOOD_TAGS for key, _ in match.tags),
        Feature.MATCH_COMMENT: bool(match.info.get("comment")),
        Feature.VARIANT: match.variant != "standard",
        Feature.CRAWFORD: match.length > 1 and not match.crawford_rule,
        Feature.CRAWFORD_GAME: _after_crawford(match),
        Feature.JACOBY: not match.length and not match.jacoby,
        Feature.BEAVER_RULE: not match.length and match.beavers != 3,
        Feature.CUBE_LIMIT: match.cube_limit != 1024,
        Feature.LATE: match.late is not None,
    }
    found = {feature for feature, present in parts.items() if present}
    for game in match.games:
        found |= _game_features(game) | _result_features(match, game)
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
    if on_offer(game) and game.actions[-1].value == 1 and game.actions[-1].player != game.actions[-2].player:
        found.add(Feature.OFFERED)
    if any(action.kind is ActionKind.MOVE and action.play is None for action in game.actions):
        found.add(Feature.UNKNOWN)
    for action in game.actions:
        if action.illegal and action.play is not None:
            unmoved = action.play.result == action.position.swapped()
            known = Feature.ILLEGAL if action.play.steps else Feature.PASSED if unmoved else Feature.RESULT_ONLY
            found.add(known)
    return found


def on_offer(game: Game) -> bool:
    """Whether it ends with a resignation while a double was on offer, for which its stakes do not count."""
    *_, offer, last = (None, None, *game.actions)
    return (
        last is not None
        and offer is not None
        and last.kind is ActionKind.RESIGN
        and offer.kind in (ActionKind.DOUBLE, ActionKind.BEAVER)
    )


def worth(game: Game) -> tuple[int, int] | None:
    """How high a game was won by its last action (1 to 3) and the cube; None when that does not end it."""
    last = game.actions[-1] if game.actions else None
    if last is None:
        return None
    if last.kind is ActionKind.DROP:
        return 1, last.state.cube << last.state.beavered
    if last.kind is ActionKind.RESIGN:
        return last.value, game.actions[-2].value // 2 if on_offer(game) else last.state.cube
    if last.play is not None and not any(last.play.result.opponent):
        return last.play.result.result, last.state.cube
    return None


def _result_features(match: Match, game: Game) -> set[Feature]:
    """What a format must say beyond the plays for a result to be read back; money by Jacoby's rule needs nothing."""
    if game.winner is None:
        return set()
    ending = worth(game)
    if ending is None:
        return {Feature.CUT}
    level, cube = ending
    last = game.actions[-1]
    dead = level > 1 and last.kind is ActionKind.MOVE and last.state.cube_owner is None
    if game.points < level * cube:
        return set() if dead and not match.length and match.jacoby else {Feature.CAPPED}
    return {Feature.GAMMONS} if dead else set()


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
