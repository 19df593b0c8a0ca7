"""The played record: `Match` > `Game` > `Action`, all frozen values.

Players are numbered 0 and 1 (in `.mat` files the left column is player 0). Every action carries the
position and the state as they were just before it, both seen by `state.on_roll`, just as in an ID.

What other programs thought of an action is kept beside it as `ForeignAnalysis`, named by its source; what a
format says and the model has no place for is kept word for word in `extras`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from sixprime.checks import Instance
from sixprime.frozen import FrozenDict
from sixprime.game.play import Play
from sixprime.game.position import Position
from sixprime.game.state import MatchState
from sixprime.lazy import brief, drawn_by


class ActionKind(StrEnum):
    """What a player did."""

    MOVE = "move"  # dice and a play; a play without steps is a dance
    ROLL = "roll"  # dice only: the game ended (resignation) before a play was made
    DOUBLE = "double"  # `value` is the offered cube
    BEAVER = "beaver"  # immediate redouble keeping the cube; also raccoons
    TAKE = "take"
    DROP = "drop"
    RESIGN = "resign"  # `value` is 1, 2 or 3: single, gammon, backgammon
    SET = "set"  # the position or cube was set by hand; `position` and `state` hold what was set


Extras = tuple[tuple[str, str], ...]
"""Key and text of what a format says beyond the model, in its order and words; keys are such as "sgf:GS"."""

MADE_BY = "sgf:SX"
"""Key of a game's extras: how our analysis of it was made, "[depth][depth][engine][label]" (`analysis/kept.py`)."""
MADE_WITH = "sgf:SXMET"
"""Key of the first game's: the match equity table of the match, packed, where it does not ship."""
MAKING = re.compile(r"\[([^\]]*)\]\[([^\]]*)\]\[([^\]]*)\](?:\[([^\]]*)\])?")
"""Its text; older ones have no label."""
_DEPTHS = re.compile(r"^((?:\([^)]*\)|[^,(+@])+),((?:\([^)]*\)|[^,(+@])+)(?=[+@])")
"""How both players were looked at, at the beginning of a label, where that is not alike."""
TURNED = "-turned"
"""Behind a match equity table, in a label or packed: it is of the players on each other's seats."""
_TABLE = re.compile(rf"(\+met-[0-9a-f]+|^\[[A-Za-z0-9+/=]+)({TURNED})?")
_SEATED = re.compile(
    r"\b(?P<first>(late|)cube0 .{1,2000}?)(?P<second>\2cube1 .{1,2000}?)(?=latecube0 |cubetrunc )", re.DOTALL
)
"""How both players decided in a rollout of GNU Backgammon, in the settings of a `Method`."""
_SEAT = re.compile(r"(cube|cheq|filt)[01]\b")
_FILES = ":file", ":document"
_TOTALS = "sgf:GS"
_ACROSS = {f"sgf:{one}{what}": f"sgf:{other}{what}" for one, other in ("BW", "WB") for what in "TL"}
"""Properties of SGF that are said of one player, his team and the time he has left: those of the other."""
_RATING = re.compile(r"\s*+(-?\d{1,7}(?:[.,]\d{1,9})?)?\s*+(?:\((?:Exp )?(\d{1,9})\))?\s*+")


@dataclass(frozen=True, slots=True)
class Player:
    """Who played: `rating` and `experience` as the file gives them. unnamed: who told no name, and is called you in the
    language of whoever reads of him; `name` is how he was called where he played."""

    name: str
    rating: float | None = None
    experience: int | None = None
    unnamed: bool = field(default=False, repr=False)  # of nobody whom a file names

    @classmethod
    def rated(cls, name: str, text: str) -> Player | None:
        """One whose rating is such a text as `1650.5`, `1650.5 (Exp 812)` or `1650.5 (812)`; None for another one."""
        found = _RATING.fullmatch(text)
        if found is None:
            return None
        rating = None if found[1] is None else float(found[1].replace(",", "."))
        return cls(name, rating, None if found[2] is None else int(found[2]))

    @property
    def standing(self) -> str:
        """Rating and experience, as `1650.5 (Exp 812)`; nothing where neither is known."""
        rating = "" if self.rating is None else f"{self.rating:g}"
        return f"{rating} {'' if self.experience is None else f'(Exp {self.experience})'}".strip()


@dataclass(frozen=True, slots=True)
class Problem:
    """Something a reader found wrong in a file but could pass over.

    Lines and columns count from 1; `offset` is that of the byte in a binary file, from 0.
    """

    message: str
    path: str | None = None
    line: int | None = None
    column: int | None = None
    offset: int | None = None

    def __str__(self) -> str:
        byte = None if self.offset is None else f"byte {self.offset}"
        where = ":".join(str(part) for part in (self.path, self.line, self.column, byte) if part is not None)
        return f"{where}: {self.message}" if where else self.message


@dataclass(frozen=True, slots=True)
class Method:
    """How another program found a value.

    name: as the program says it ("2-ply", "XG Roller+", "Rollout"). plies: in GNU Backgammon's count, None where
    that does not apply. trials: games of a rollout, else 0. noise: of the evaluation. deterministic, prune: how
    the noise is drawn, and whether pruning nets chose the replies, where the program says so.
    settings: everything else, as the source writes it.
    """

    name: str
    plies: int | None = None
    cubeful: bool = True
    trials: int = 0
    noise: float = 0.0
    deterministic: bool = True
    prune: bool = False
    settings: str = ""


@dataclass(frozen=True, slots=True)
class Value:
    """What a situation is worth to the player who decides (of a cube decision, the one who may double).

    probabilities: win, win gammon, win backgammon, lose gammon, lose backgammon; cumulative.
    cubeless: money equity without the cube. equity: with the cube, normalised to the cube before the decision
    (EMG in match play). mwc: match-winning chance 0..1. None is what the source does not say.
    errors: standard errors of a rollout: of the five probabilities, of `cubeless` and of `mwc`, or without that of
    `equity`; the last alone where the source says no others, empty where it says none.
    """

    probabilities: tuple[float, float, float, float, float] | None = None
    cubeless: float | None = None
    equity: float | None = None
    mwc: float | None = None
    errors: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class ForeignPlay:
    """A candidate play. extras: what else the source says of it."""

    play: Play
    value: Value
    method: Method
    extras: Extras = ()


@dataclass(frozen=True, slots=True)
class ForeignCube:
    """A cube decision, all values the doubler's and in units of the cube before doubling.

    double_pass: +1 in equity where the source does not say. best: the source's verdict in its own words.
    """

    no_double: Value
    double_take: Value
    method: Method
    double_pass: Value | None = None
    best: str = ""


@dataclass(frozen=True, slots=True)
class ForeignAnalysis:
    """What another program thought of an action.

    source: the program as the file names it ("GNU Backgammon 1.07.001", "eXtreme Gammon").
    cube: the decision whether to double: for a MOVE or ROLL that before the dice, for TAKE, DROP and BEAVER that of
    the doubler. plays: candidates, best first; played: index of the one made.
    luck: of the roll, as equity normalised to the cube; luck_mwc: as match-winning chance. Either may be missing.
    play_mark, cube_mark: 0 none, 1 doubtful, 2 bad, 3 very bad; luck_mark: -2 very unlucky to 2 very lucky; None:
    not marked.
    """

    source: str
    cube: ForeignCube | None = None
    plays: tuple[ForeignPlay, ...] = ()
    played: int | None = None
    luck: float | None = None
    luck_mwc: float | None = None
    play_mark: int | None = None
    cube_mark: int | None = None
    luck_mark: int | None = None


@dataclass(frozen=True, slots=True)
class Action:
    """One thing a player did.

    position, state: before the action (for a MOVE: with the dice), both seen by `state.on_roll`. That is `player`,
    except for TAKE, DROP and BEAVER: there it is the doubler, as in an ID, with `state.doubled` set and `state.cube`
    still the old value. Who acts is `player`, which is always `state.decider`.
    play: None where it is not known. illegal: it breaks the rules; its result is what the file says came of it.
    seconds: time the player took, None where the file does not say.
    analyses: by source; extras: see the module.
    """

    kind: ActionKind
    player: int
    position: Position
    state: MatchState
    dice: tuple[int, int] | None = None
    play: Play | None = None
    value: int = 0
    illegal: bool = False
    comment: str = ""
    line: int | None = None
    seconds: float | None = None
    analyses: tuple[ForeignAnalysis, ...] = ()
    extras: Extras = ()

    def reseated(self) -> Action:
        """The same with the players on each other's seats."""
        extras = tuple((_ACROSS.get(key, key), text) for key, text in self.extras)
        analyses = tuple(map(_analysis_across, self.analyses))
        return replace(self, player=1 - self.player, state=self.state.reseated(), analyses=analyses, extras=extras)


def _analysis_across(found: ForeignAnalysis) -> ForeignAnalysis:
    """An analysis whose rollouts name the players by their seats, with these exchanged."""
    plays = tuple(replace(play, method=_method_across(play.method)) for play in found.plays)
    cube = found.cube and replace(found.cube, method=_method_across(found.cube.method))
    return replace(found, plays=plays, cube=cube)


def _method_across(method: Method) -> Method:
    def across(both: re.Match[str]) -> str:
        first, second = both["first"], both["second"]
        return _SEAT.sub(r"\g<1>0", second) + _SEAT.sub(r"\g<1>1", first)

    return replace(method, settings=_SEATED.sub(across, method.settings))


def _crossed(key: str, text: str) -> str:
    """What is said of a game, the players exchanged where it says how each was looked at, and by which table."""
    if key == MADE_WITH:
        return _turned(text)
    found = MAKING.fullmatch(text) if key == MADE_BY else None
    if found is None:
        return text
    one, other, engine, label = found.groups()
    label = "" if label is None else "[" + _turned(_DEPTHS.sub(r"\2,\1", label)) + "]"
    return f"[{other}][{one}][{engine}]{label}"


def _turned(text: str) -> str:
    return _TABLE.sub(lambda found: found[1] + ("" if found[2] else TURNED), text)


@dataclass(frozen=True, slots=True)
class Game:
    """One game: `score` is the match score at its start, `winner` None when it breaks off.

    cube: its value at the start, more than 1 after automatic doubles. extras: see the module.
    """

    number: int
    score: tuple[int, int]
    crawford: bool
    actions: tuple[Action, ...]
    winner: int | None = None
    points: int = 0
    resigned: bool = False
    cube: int = 1
    comment: str = ""
    extras: Extras = ()

    def __repr__(self) -> str:
        end = "not over" if self.winner is None else f"player {self.winner + 1} wins {self.points}"
        return brief(self, f"{self.number} at {self.score[0]}-{self.score[1]}: {len(self.actions)} actions, {end}")

    def ruled(self, **parts: Any) -> Game:
        """The same game with other rules in the states of its actions."""
        actions = tuple(replace(action, state=replace(action.state, **parts)) for action in self.actions)
        return replace(self, actions=actions)

    def reseated(self) -> Game:
        """The same game with the players on each other's seats; totals kept in `extras` are not."""
        actions = tuple(action.reseated() for action in self.actions)
        winner = None if self.winner is None else 1 - self.winner
        extras = tuple((_ACROSS.get(key, key), _crossed(key, text)) for key, text in self.extras if key != _TOTALS)
        return replace(self, score=self.score[::-1], actions=actions, winner=winner, extras=extras)


_INFO = Instance(Mapping, "a dictionary of texts")


@dataclass(frozen=True, slots=True)
class Match:
    """A match (`length` > 0) or a money session (`length` 0). A file that holds just a position is a match of one
    game whose only action is SET.

    tags: every tag of the file in its order, unknown ones too; `info` holds those with a common meaning under the keys
    event, round, place, date (yyyy-mm-dd), time, annotator, comment.
    problems: what the reader had to pass over; empty for a sound file. extras: see the module. late: the player who
    used his time up and lost the match by it, whatever the score; None for nobody.
    """

    players: tuple[Player, Player]
    length: int
    games: tuple[Game, ...]
    variant: str = "standard"
    crawford_rule: bool = True
    jacoby: bool = False
    beavers: int = 0
    cube_limit: int = 1024
    info: Mapping[str, str] = field(default_factory=FrozenDict)
    tags: tuple[tuple[str, str], ...] = ()
    problems: tuple[Problem, ...] = ()
    source: str = ""
    format: str = ""
    extras: Extras = ()
    late: int | None = None

    def __post_init__(self) -> None:
        if type(self.info) is not FrozenDict:
            _INFO("info", self.info)
            object.__setattr__(self, "info", FrozenDict(self.info))

    def __repr__(self) -> str:
        names = " - ".join(player.name or "?" for player in self.players)
        kind = f"to {self.length}" if self.length else "for money"
        return brief(self, f"{names}, {kind}, {len(self.games)} games")

    _repr_html_ = drawn_by("match")

    def reseated(self) -> Match:
        """The same match with the players on each other's seats; files kept in `extras` are not."""
        extras = tuple(extra for extra in self.extras if not extra[0].endswith(_FILES))
        late = None if self.late is None else 1 - self.late
        games = tuple(game.reseated() for game in self.games)
        return replace(self, players=self.players[::-1], games=games, extras=extras, late=late)

    @property
    def unnamed(self) -> int | None:
        """The player who told no name, if there is one."""
        return next((number for number, player in enumerate(self.players) if player.unnamed), None)

    @property
    def played(self) -> bool:
        """Whether anything was done in any of its games."""
        return any(game.actions for game in self.games)

    @property
    def only_position(self) -> Action | None:
        """The one action of a match that is no more than a position, else None."""
        if len(self.games) == 1 and len(self.games[0].actions) == 1:
            action = self.games[0].actions[0]
            return action if action.kind is ActionKind.SET else None
        return None


MATCH = Instance(Match)


def made_by(games: Sequence[Game]) -> tuple[str, int]:
    """How our analysis of the first games was made, "" where they do not agree or none was; and how many they are."""
    made = [next((text for key, text in game.extras if key == MADE_BY), "") for game in games]
    judged = made.index("") if "" in made else len(made)
    return (made[0], judged) if len(set(made[:judged])) == 1 else ("", 0)


def with_made_by(games: Sequence[Game], text: str, judged: int) -> tuple[Game, ...]:
    """The games, of which the first `judged` say how our analysis was made."""
    return tuple(
        replace(game, extras=(*game.extras, (MADE_BY, text))) if number < judged else game
        for number, game in enumerate(games)
    )
