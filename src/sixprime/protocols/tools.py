"""What language models may ask of Sixprime: one table of tools, whatever protocol brings the questions.

A tool is a function of a `Host`, who knows the engine, and of a `Watch`, who ends it; its other parameters are what is
asked. Its annotations make the schema by which questions are read, its docstring is what the model is told. Answers are
the objects of `--json`, made short (`lean`). Nothing is written; only files that are named and the library are read.
"""

from __future__ import annotations

import threading
from base64 import b64encode
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import date
from importlib.util import find_spec
from inspect import cleandoc, signature
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_type_hints

import msgspec
from msgspec import Meta

from sixprime.checks import shown, wanted
from sixprime.errors import InvalidFileError, InvalidPositionError, SettingsError, SixprimeError, StoppedError
from sixprime.game import ParsedPosition, parse, parse_play
from sixprime.game.numbering import rows
from sixprime.game.ogid import encode_ogid
from sixprime.game.position import Position
from sixprime.game.state import MatchState
from sixprime.game.table import check_judged, problem_of
from sixprime.paths import expanded, sample_match
from sixprime.progress import Limit, Watch
from sixprime.protocols import lean

if TYPE_CHECKING:
    from sixprime.analysis.model import AnalysedMatch
    from sixprime.api import MatchReport
    from sixprime.engine import Engine
    from sixprime.game import Match
    from sixprime.store.decisions import Query
    from sixprime.store.library import Library

ABOUT = """\
Backgammon: positions, plays, cube decisions, rollouts, races, match equities, openings, whole matches, and the user's
library of analysed matches.

A position is any ID (XGID, OGID, position ID, positionid:matchid, FIBS board line) or a text with an ID or a drawn
board in it. A bare position ID is money play with a centred cube: score, cube and dice are set by the tool
`position`, which gives the XGID that the others take. Everything is seen by the player on roll: points are counted
from his side (1 to 6 is his home board, 25 the bar, 0 off), chances and equities are his. While a double is offered
that is the player who doubled.

Probabilities are five chances: win, win gammon, win backgammon, lose gammon, lose backgammon; a win counts gammons, a
gammon backgammons. Equities are in units of the cube (in matches normalised, EMG): +1 is a plain win of the cube; a
loss of .03 is doubtful, of .06 bad, of .12 very bad. `mwc` is the chance to win the match, from 0 to 1; `error_mwc`
what was lost of it (in money play: points). `plies`: how far was looked ahead, 0 is the net alone. What is null is
left out. Never guess a play or a number: ask.

A match: `analyse` it, or what is in the library, for the worst decisions; with `game` and `move` for one of them; then
its `xgid` goes to `explain` (with what was played as `play`), to `cube`, or, changed, to `position`."""

_LARGEST = 1_000_000
"""Bytes of files that an answer may hold; whoever wants more uses `sixprime convert`."""
_SHOWN_PROBLEMS = 20
_TREND = 50
"""Matches of a player that are told one by one, the latest."""
_KEPT = 4
"""Analyses that are held in memory, so that questions about a match need but one."""

_Name = Annotated[str, Meta(max_length=40)]
_Text = Annotated[str, Meta(max_length=200)]
_Pair = Meta(min_length=2, max_length=2)
Id = Annotated[str, Meta(max_length=20_000, description="Any ID, or a text with an ID or a board in it.")]
Dice = Annotated[_Name | None, Meta(description='The roll, such as "31"; by default that of the ID.')]
Roll = Annotated[_Name | None, Meta(description='A roll, such as "31".')]
Plies = Annotated[
    Annotated[int, Meta(ge=0, le=3)] | None,
    Meta(description="How far to look ahead; by default as the server was told, else 2."),
]
PlayText = Annotated[str, Meta(max_length=200, description='A play, such as "8/5 6/5" or "bar/21*/18".')]
Path = Annotated[
    Annotated[str, Meta(max_length=4096)] | None,
    Meta(description="A file on the user's machine; `sample` is a sample match."),
]
FileText = Annotated[
    Annotated[str, Meta(max_length=1 << 22)] | None, Meta(description="The text of a file, instead of a path.")
]
Points = Annotated[int, Meta(ge=0, le=99)]
Number = Annotated[int, Meta(ge=1, le=10_000)]
Away = Annotated[int, Meta(ge=1, le=64)]
Loss = Annotated[float, Meta(ge=0, le=100)]
Range = Annotated[list[Annotated[int, Meta(ge=-1000, le=1000)]], _Pair]
Day = Annotated[_Name | None, Meta(description="Such as 2026-01-31.")]
InLibrary = Annotated[
    Annotated[int, Meta(ge=1, le=1 << 31)] | None,
    Meta(description="The number of a match in the library, instead of a file."),
]
Share = Annotated[float, Meta(ge=0, le=1)]


class Wanted(msgspec.Struct, kw_only=True):
    """Which decisions of the library; its fields are arguments of the tools that take one."""

    player: Annotated[_Text | None, Meta(description="Name of who decided.")] = None
    opponent: Annotated[_Text | None, Meta(description="Name of his opponent.")] = None
    match: Annotated[Annotated[int, Meta(ge=1, le=1 << 31)] | None, Meta(description="Its number.")] = None
    kind: Annotated[
        Literal["play", "double", "take", "cube"] | None, Meta(description="double: whether to; cube: double or take.")
    ] = None
    phase: Literal["opening", "contact", "back game", "race", "bear-off"] | None = None
    plan: Annotated[
        Literal["race", "back game", "attack", "prime", "holding", "mixed"] | None,
        Meta(description="What he is about."),
    ] = None
    least: Annotated[Loss | None, Meta(description="Least equity lost.")] = None
    most: Loss | None = None
    dice: Roll = None
    score: Annotated[
        Annotated[list[Points], _Pair] | None,
        Meta(description="Points both still need; [0, 0] is money."),
    ] = None
    length: Annotated[Points | None, Meta(description="Of the match, 0 for money.")] = None
    crawford: bool | None = None
    cube: Annotated[int, Meta(ge=1, le=4096)] | None = None
    cube_owner: Literal["player", "opponent", "centred"] | None = None
    pips: Annotated[Range | None, Meta(description="His pip count, from and to.")] = None
    lead: Annotated[Range | None, Meta(description="His pips less the opponent's; below 0 he leads.")] = None
    own: Annotated[
        _Text | None,
        Meta(description="His chequers: 6,5 points of two or more, 8:3 of three or more, 8=1 just one, bar:1, off:5."),
    ] = None
    theirs: Annotated[_Text | None, Meta(description="The opponent's, by the opponent's own points.")] = None
    since: Day = None
    until: Day = None
    event: Annotated[_Text | None, Meta(description="Part of its name.")] = None
    chosen: Annotated[_Text | None, Meta(description="Part of what was done: 13/7, Pass.")] = None
    best: Annotated[_Text | None, Meta(description="Part of what was right.")] = None
    tag: Annotated[_Text | None, Meta(description="Of the turn or its match.")] = None


class Host:
    """What lasts from one question to the next.

    make: the engine, when it is first needed. marked: loss where errors begin, None for the usual.
    """

    def __init__(self, make: Callable[[], Engine], marked: float | None = None) -> None:
        self._make, self._making, self._opening = make, threading.Lock(), threading.Lock()
        self._engine: Engine | None = None
        self._library: Library | None = None
        self._judging, self._preparing = threading.Lock(), threading.Lock()
        self._prepared = False
        self._analysed: list[tuple[Match, int | None, MatchReport]] = []
        self.marked = marked

    @property
    def engine(self) -> Engine:
        """One for all. Raises as `make` does."""
        with self._making:
            if self._engine is None:
                self._engine = self._make()
            return self._engine

    @property
    def library(self) -> Library:
        """The user's. Raises SettingsError where there is none: none is made."""
        from sixprime.store.library import Library
        from sixprime.store.relational import standard_path

        with self._opening:
            if not standard_path(reading=True).is_file():
                raise SettingsError("the library is empty; the command sixprime library add FILES fills it")
            if self._library is None:
                library = Library()
                # What an older version left out is put in here, not by two searches at once.
                library.number_of_decisions()
                self._library = library
            return self._library

    def prepare_rollouts(self, watch: Watch) -> None:
        """Compiles what they need before the first: that may take a minute, which is none of its own."""
        from sixprime import kernels

        with _held(self._preparing, watch):
            if not self._prepared:
                kernels.prepare(["sixprime.engine.rollout_kernel"])  # beside what the engine needs
                self.engine.rollout(Position.start(), trials=1, truncation=1)
                self._prepared = True

    def analysed(self, match: Match, before: AnalysedMatch | None, plies: int | None, watch: Watch) -> MatchReport:
        """A match, judged once. before: an analysis that it came with. Raises as `api.analyse`."""
        from sixprime.api import analyse

        # One at a time: each takes all threads, and who asks twice at once gets the same.
        with _held(self._judging, watch):
            for known, depth, report in self._analysed:
                if depth == plies and known == match:
                    return report
            report = analyse(match, self.engine, plies=plies, known=before, progress=watch.progress, stop=watch.stop)
            self._analysed = [(match, plies, report), *self._analysed][:_KEPT]
            return report


@contextmanager
def _held(lock: threading.Lock, watch: Watch) -> Iterator[None]:
    """Waits for a lock as long as the watch lets, and has it."""
    while not lock.acquire(timeout=0.1):
        watch.check()
    try:
        yield
    finally:
        lock.release()


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture as an answer. png: None where SVG was wanted, or nothing here makes a PNG."""

    svg: str
    png: bytes | None


# Positions


def position(
    host: Host,
    watch: Watch,
    *,
    position: Id,
    dice: Dice = None,
    opponent_rolls: bool = False,
    length: Annotated[Points | None, Meta(description="Of the match, 0 for money.")] = None,
    score: Annotated[
        Annotated[list[Points], _Pair] | None,
        Meta(description="Of the player on roll and of his opponent."),
    ] = None,
    crawford: Annotated[bool | None, Meta(description="Whether this is the Crawford game.")] = None,
    jacoby: Annotated[bool | None, Meta(description="The Jacoby rule, in money play.")] = None,
    cube: Annotated[int, Meta(ge=1, le=1024)] | None = None,
    cube_owner: Literal["player", "opponent", "centred"] | None = None,
) -> dict[str, Any]:
    """Describe a position: board, pips, score, cube, all its IDs, and a diagram as text.

    With the other arguments the same chequers get another roll, score or cube first: that is how to set up a decision;
    go on with the `xgid` of the answer. `opponent_rolls` gives the turn to the other side, which then is the player on
    roll for all other arguments and in the answer. In `player` and `opponent` each side counts points from its own home
    board; X in the diagram is the player on roll. A `score` needs the `length` of the match, a `cube` above 1 its
    `cube_owner`, where the position has none. What the rules do not allow is refused; `problem` says why a position
    that came so cannot be judged.
    """
    found = _parsed(position)
    board, state = found.position, found.state
    if opponent_rolls:
        board, state = board.swapped(), state.swapped()
    mover, before = state.on_roll, state
    changes: dict[str, Any] = {"length": length, "crawford": crawford, "jacoby": jacoby, "cube": cube}
    if score is not None:
        if not state.length and length is None:
            raise SettingsError("length must be given with score: this is money play; 0 keeps it that")
        changes["score"] = (score[0], score[1]) if mover == 0 else (score[1], score[0])
    changes = {name: value for name, value in changes.items() if value is not None}
    if cube_owner is not None:
        changes["cube_owner"] = {"player": mover, "opponent": 1 - mover, "centred": None}[cube_owner]
    elif (cube or 1) > 1 and state.cube_owner is None:
        raise SettingsError("cube_owner must be given for a cube above 1: player, opponent or, in money play, centred")
    if dice is not None:
        changes["dice"] = _dice(dice)
    if changes:
        state = replace(state, **{"doubled": False, "beavered": 0, "resigned": 0} | changes)
    _check_set_up(state, score=score, jacoby=jacoby, cube_owner=cube_owner)
    if (problem := problem_of(board, state)) and not problem_of(board, before):
        raise InvalidPositionError(problem)
    return _described(board, state)


def _check_set_up(state: MatchState, *, score: list[int] | None, jacoby: bool | None, cube_owner: str | None) -> None:
    """Raises SettingsError for what was asked for and cannot be in this state, or means nothing there."""
    if score is not None and state.length and max(score) >= state.length:
        raise SettingsError(f"score must be below the length of the match, {state.length}. Got {score} instead.")
    if state.crawford and not state.length:
        raise SettingsError("crawford must be left out of money play, which has no Crawford game")
    if jacoby and state.length:
        raise SettingsError(f"jacoby must be left out of a match, as this is one to {state.length}")
    if cube_owner in ("player", "opponent") and state.cube == 1:
        raise SettingsError(f"cube_owner must be centred for a cube of 1. Got {cube_owner!r} instead.")


def legal_plays(host: Host, watch: Watch, *, position: Id, dice: Dice = None) -> dict[str, Any]:
    """List every legal play of a roll, unjudged, with the position after each (the opponent on roll).

    None is listed where the player must pass.
    """
    found, roll = _rolled(_parsed(position), dice)
    plays = found.position.plays(roll)
    return {
        "position_id": found.position.id,
        "dice": roll,
        "count": len(plays),
        "plays": [{"play": str(each), "position_id": each.result.id} for each in plays],
    }


# Judgements


def evaluate(host: Host, watch: Watch, *, position: Id, plies: Plies = None) -> dict[str, Any]:
    """What a position is worth to the player on roll before he rolls, and the cube action.

    Chances, equity without and with the cube; `class` is the kind of position. `cube` is the decision to double, in one
    line as `action`; the tool `cube` says more of it. A roll in the ID is not looked at: ask `hint` for plays.
    """
    from sixprime.api import evaluate_with_cubes
    from sixprime.report.json import evaluation_to_dict

    found = _judged(position)
    ((evaluation, cube),) = evaluate_with_cubes(host.engine, [found], plies=plies, stop=watch.stop)
    return lean.evaluation(evaluation_to_dict(evaluation, cube))


def hint(
    host: Host,
    watch: Watch,
    *,
    position: Id,
    dice: Dice = None,
    count: Annotated[int, Meta(ge=1, le=100, description="How many plays.")] = 5,
    plies: Plies = None,
) -> dict[str, Any]:
    """Rank the plays of a roll, best first.

    `equity_loss` is what a play gives up against the best. `position_id` is after the play, the opponent on roll; all
    numbers are those of the player who plays.
    """
    from sixprime.engine import PlayRequest
    from sixprime.report.json import hint_to_dict

    found, roll = _rolled(_judged(position), dice)
    request = PlayRequest(found.position, roll, found.state)
    (plays,) = host.engine.rank_plays_many([request], plies=plies, count=count, stop=watch.stop)
    return hint_to_dict(found.position, found.state, roll, plays)


def cube(host: Host, watch: Watch, *, position: Id, plies: Plies = None) -> dict[str, Any]:
    """The cube decision of the player on roll and all that is behind it.

    Equities of no double, of double and take, of double and pass (`double_pass` is 1, or the value of winning the
    cube); `action` in words; take points: winning chances from which the opponent takes, with a dead and with a live
    cube; gammon values, market window, volatility, and the verdicts of several cube models.
    """
    from sixprime.report.cube import theory_to_dict
    from sixprime.theory import cube_theory

    found = _judged(position)
    theory = cube_theory(host.engine, found.position, match=found.state, plies=plies, stop=watch.stop)
    return {"position_id": found.position.id, **theory_to_dict(theory)}


def explain(
    host: Host,
    watch: Watch,
    *,
    position: Id,
    dice: Dice = None,
    play: Annotated[PlayText | None, Meta(description="The other play; by default the second best.")] = None,
) -> dict[str, Any]:
    """What the best play of a roll does that another does not, in numbers, to say why it is better.

    For both plays: blots, shots of the opponent (of 36), points made and broken, primes, the opponent's best replies to
    all 21 rolls (`replies`, equities of the player who plays), the market afterwards, best and worst exchanges.
    `gains`: how much the best play gains at each roll of the opponent.
    """
    from sixprime import theory
    from sixprime.report.explain import explanation_to_dict

    found, roll = _rolled(_judged(position), dice)
    other = None if play is None else parse_play(play, found.position, roll)
    explained = theory.explain(host.engine, found.position, roll, other, state=found.state, stop=watch.stop)
    return lean.explanation(explanation_to_dict(explained))


def rollout(
    host: Host,
    watch: Watch,
    *,
    position: Id,
    dice: Dice = None,
    plays: Annotated[list[PlayText], Meta(min_length=1, max_length=20)] | None = None,
    count: Annotated[int, Meta(ge=1, le=20, description="How many of the best plays, where none are named.")] = 3,
    cube: Annotated[bool, Meta(description="The cube decision: no double against double, take.")] = False,
    trials: Annotated[int, Meta(ge=1, le=46_656, description="Games of each alternative.")] = 1296,
    seconds: Annotated[float, Meta(gt=0, le=3600, description="Ends after so long with what is there.")] = 50,
    seed: Annotated[int, Meta(ge=0, le=(1 << 62) - 1)] = 1,
    rollout_plies: Annotated[int, Meta(ge=0, le=2, description="How far the players in it look ahead.")] = 0,
    truncate: Annotated[int, Meta(ge=0, le=1000, description="Judge after so many turns; 0 plays to the end.")] = 0,
    cubeless: bool = False,
) -> dict[str, Any]:
    """Play a position out many times: the most reliable verdict there is, and the slowest.

    With a roll, its best plays or those named in `plays` are compared; with `cube` the decision to double; else the
    position itself. The same dice are used for all alternatives, best first. `equity_error` and `loss_error` are
    standard errors (95 % lies within two of them), `jsd` the lead of the best in joint standard deviations: below 2 it
    is not settled. `finished` is false where the time ran out first: ask again with more `seconds` or fewer `trials`.
    """
    from sixprime.report.rollout import rollout_to_dict
    from sixprime.settings import rollout_settings

    found = _judged(position)
    if cube and (dice is not None or plays is not None):
        raise SettingsError("cube is the decision before the roll; leave out cube, or dice and plays")
    if cube and cubeless:
        raise SettingsError("a cube decision cannot be rolled out without cube; leave out one of them")
    depth = {"plies": rollout_plies, "cube_plies": rollout_plies}
    settings = rollout_settings({"trials": trials, "seed": seed, "truncate": truncate, "cubeless": cubeless, **depth})
    host.prepare_rollouts(watch)
    how: dict[str, Any] = {"settings": settings, "progress": watch.progress, "stop": Limit(watch.stop, seconds)}
    state = found.state.with_dice(None)
    rolls = not cube and (dice is not None or plays is not None or found.dice is not None)
    try:
        if rolls:
            found, roll = _rolled(found, dice)
            chosen = [parse_play(text, found.position, roll) for text in plays] if plays else count
            result = host.engine.rollout_plays(found.position, roll, chosen, match=state, **how)
        elif cube:
            result = host.engine.rollout_cube(found.position, match=state, **how)
        else:
            result = host.engine.rollout(found.position, match=state, **how)
    except StoppedError as error:
        raise SettingsError(f"seconds must be more: nothing was played within {seconds:g}") from error
    return lean.rollout(rollout_to_dict(result))


def race(host: Host, watch: Watch, *, position: Id, plies: Plies = None) -> dict[str, Any]:
    """Judge a race (no contact) by all known counts, each with its verdict, beside the exact or best known answer.

    Keith, Thorp, Ward, Kleinman, Trice, Isight and others. `epc`: effective pips, `wastage`: those beyond the pip
    count; `mean` and `sd`: rolls to bear off. `exact`: whether a bear-off database gave the answer.
    """
    from sixprime.report.race import race_to_dict
    from sixprime.theory.race import check_race, race_theory

    found = _parsed(position)
    check_race(found.position)
    theory = race_theory(host.engine, found.position, found.state, plies=plies, stop=watch.stop)
    return lean.evaluation(race_to_dict(theory))


def rolls(host: Host, watch: Watch, *, position: Id, plies: Plies = None) -> dict[str, Any]:
    """What each of the 21 rolls is worth to the player on roll, with its best play: which are good, which are bad.

    `ways`: 1 or 2 of 36; `mean` and `deviation` are over all 36.
    """
    from sixprime.report.maps import temperature_to_dict
    from sixprime.theory import temperature_map

    found = _judged(position)
    how: dict[str, Any] = {"plies": plies, "progress": watch.progress, "stop": watch.stop}
    return lean.rolls(temperature_to_dict(temperature_map(host.engine, found.position, match=found.state, **how)))


def scores(
    host: Host,
    watch: Watch,
    *,
    position: Id,
    dice: Roll = None,
    away: Annotated[int, Meta(ge=2, le=15, description="Scores up to so many points away.")] = 5,
    plies: Plies = None,
) -> dict[str, Any]:
    """The best cube action, or of a roll the best play, at every score, for money, at DMP, gammon-go and gammon-save.

    `away`: points that the player on roll and the opponent still need. Of the score of the ID nothing is used, of its
    cube the value and the owner. `margin`: equity by which the best play leads, or by which doubling is better than
    not (below 0: worse).
    """
    from sixprime.report.maps import score_to_dict
    from sixprime.theory import score_map

    found = _judged(position)
    roll = None if dice is None else _dice(dice)
    how: dict[str, Any] = {"plies": plies, "progress": watch.progress, "stop": watch.stop}
    aways = range(2, away + 1)
    return lean.scores(
        score_to_dict(score_map(host.engine, found.position, roll, match=found.state, aways=aways, **how))
    )


# Match equities and openings


def match_equity(
    host: Host,
    watch: Watch,
    *,
    away: Away,
    opponent_away: Away,
    post_crawford: Annotated[bool, Meta(description="Whether the Crawford game is over.")] = False,
    cube: Annotated[int, Meta(ge=1, le=512, description="Its value before the double.")] = 1,
    gammons: Annotated[Share, Meta(description="Share of gammons among the wins of the player.")] = 0.2,
    opponent_gammons: Annotated[Share, Meta(description="The same of the opponent.")] = 0.2,
) -> dict[str, Any]:
    """Match equity at a score: the chance to win the match now and after each result, gammon values, take points.

    `away` and `opponent_away`: points that each still needs. `after`: what the player has once he has won or lost so
    many points. `gammon_values`: of a gammon and of a backgammon beyond a win at this cube, .5 and 1 for money.
    `take_points`: the winning chances from which that side takes a double, with a dead and with a live cube; `window`:
    between which of its winning chances that side doubles. None where the cube is dead.
    """
    from sixprime.codec import plain
    from sixprime.cube.market import gammon_values, take_points
    from sixprime.cube.state import CubeState
    from sixprime.game.outcomes import Outcomes
    from sixprime.theory.cube import windows_of

    met = host.engine.met
    if post_crawford and 1 not in (away, opponent_away):
        raise SettingsError("post_crawford must be false where neither side needs just one point")
    crawford = not post_crawford and (away == 1) != (opponent_away == 1)
    length = max(away, opponent_away)
    seen = CubeState(cube=cube, length=length, away=(away, opponent_away), crawford=crawford)
    chances = Outcomes(0.5, gammons / 2, 0.0, opponent_gammons / 2, 0.0)
    sides = {}
    for name, state, own in (("player", seen, chances), ("opponent", seen.swapped(), chances.swapped())):
        dead, live = take_points(own.swapped(), state.swapped(), met)
        takes = state.swapped().can_double and dead == dead
        sides[name] = {
            "gammon_values": gammon_values(state, met),
            "take_points": [dead, live] if takes else None,
            "window": [plain(each, "kind", "opens", "closes") for each in windows_of(own, state, met)],
        }
    after = seen.next_is_post_crawford
    points = sorted({times * turned for times in (1, 2, 3) for turned in (cube, 2 * cube)})
    return {
        "table": met.name,
        "away": [away, opponent_away],
        "crawford": crawford,
        "cube": cube,
        "mwc": met.mwc(away, opponent_away, post_crawford),
        "after": [
            {
                "points": each,
                "won": met.mwc(away - each, opponent_away, after),
                "lost": met.mwc(away, opponent_away - each, after),
            }
            for each in points
        ],
        **sides,
    }


def match_equity_table(
    host: Host, watch: Watch, *, size: Annotated[int, Meta(ge=2, le=64)] = 9, table: _Name | None = None
) -> dict[str, Any]:
    """A match equity table, by default the one the engine uses: chances to win the match before a game.

    `pre[i][j]`: of a player who needs i+1 points against one who needs j+1; 1 away is the Crawford game. `post`: of the
    trailer after it, by the points he needs.
    """
    from sixprime.cube.met import load, names
    from sixprime.report.met import met_to_dict

    if table is not None and table not in names():
        raise SettingsError(f"table must be one of {', '.join(names())}. Got {shown(table)} instead.")
    return met_to_dict(host.engine.met if table is None else load(table), size)


def openings(
    host: Host,
    watch: Watch,
    *,
    roll: Roll = None,
    reply: Roll = None,
    after: Annotated[PlayText | None, Meta(description="The opening play replied to; by default the best.")] = None,
    score: Literal["money", "dmp", "gammon-go", "gammon-save"] = "money",
) -> dict[str, Any]:
    """Look up openings and replies, as rolled out: without a roll all 15 openings, with one its plays and all replies.

    `score`: money, double match point, or the Crawford game at 2-away 1-away as the trailer (gammon-go) or the leader
    (gammon-save) who opens. Equities are those of the player who makes the play.
    """
    from sixprime.learn import opening_book
    from sixprime.report import openings as report

    book = opening_book(score)
    if roll is None:
        if after is not None or reply is not None:
            raise SettingsError("reply and after go with an opening roll; give roll, too")
        return lean.openings(report.openings_to_dict(book))
    first = book.opening(_dice(roll))
    opening = first.best
    if after is not None:
        play = parse_play(after, first.position, first.dice)
        known = [each for each in first.plays if each.play == play]
        if not known:
            rolled = ", ".join(str(each.play) for each in first.plays)
            raise SettingsError(f"{play} was not rolled out; of {roll} there are {rolled}")
        opening = known[0]
    if reply is None:
        return lean.openings(report.opening_to_dict(book, first, opening))
    dice = _dice(reply)
    for answer in book.replies_to(opening.play):
        if set(answer.dice) == set(dice):
            return report.roll_to_dict(answer)
    raise SettingsError(f"the book has no replies to {opening.play} ({score})")


# Matches


def analyse(
    host: Host,
    watch: Watch,
    *,
    path: Path = None,
    text: FileText = None,
    match: Annotated[Number, Meta(description="Which of several in the file.")] = 1,
    library: InLibrary = None,
    plies: Plies = None,
    player: Annotated[
        _Text | None, Meta(description="Only his decisions: his name, or 0 for the first player, 1.")
    ] = None,
    game: Annotated[Number | None, Meta(description="Only of the game of this number, 1 is the first.")] = None,
    move: Annotated[Number | None, Meta(description="Only of this move of each game.")] = None,
    count: Annotated[int, Meta(ge=0, le=200, description="How many decisions are told.")] = 10,
    by_game: Annotated[bool, Meta(description="Totals of every game, too.")] = False,
) -> dict[str, Any]:
    """Judge every play and cube decision of a match, and the luck of every roll; of a file or of the library.

    `players`: totals of both: `pr` (performance rating: 500 times the error per decision; lower is better), errors of
    plays and cube, by phase and plan, luck; `play_marks`, `cube_marks`: how many were sound, doubtful, bad, very bad.
    `decisions`: the worst `count`, the worst first; with `game` or `move` instead the first `count` of these, in
    order, right ones too; with `move` all that is known of their plays. `player`: 0 or 1 of `players`; `error`: equity
    lost; `chosen` and `best`: what was done and what is right; `luck`: of the roll; `xgid`: the decision for the other
    tools. For a take, position and cube are the doubler's. `plays`: the best few and the one played (`played`: its
    rank in all, from 0). `found`: how many decisions there were to tell. A match takes some seconds, then it is
    remembered: ask again for other decisions at will. Analyses of the library and in .sixprime files are told as they
    are unless `plies` is given. `problems`: what is wrong with the file.
    """
    from sixprime.api import doubts
    from sixprime.report.json import decision_to_dict, to_dict

    found, before, kept = _match(host, path, text, library, match)
    if (alone := found.only_position) is not None:
        state = alone.state.with_dice(alone.dice or alone.state.dice)
        known = _described(alone.position, state)["xgid"]
        raise SettingsError(f"this is a position, not a match; ask hint or evaluate of {known}")
    if not found.games:
        raise InvalidFileError("holds no game to analyse", path=found.source or None)
    report: AnalysedMatch = before if kept and before and plies is None else host.analysed(found, before, plies, watch)
    numbers = [each.number for each in found.games]
    if game is not None and game not in numbers:
        raise SettingsError(f"there is no game {game}; there are {', '.join(map(str, numbers))}")
    if move is not None:
        last = max(max(rows(each.actions), default=0) for each in found.games if game in (None, each.number))
        if move > last:
            where = "any game: the longest" if game is None else f"game {game}, which"
            raise SettingsError(f"there is no move {move} in {where} has {last}")
    side = None if player is None else _side_named(player, found)
    chosen = [
        each
        for each in report.decisions
        if side in (None, each.player)
        and game in (None, numbers[each.game])
        and move in (None, each.move_number)
        and (each.error > 0 or game is not None or move is not None)
    ]
    if game is None and move is None:
        chosen.sort(key=lambda each: -each.error)
    told = to_dict(replace(report, games=tuple(replace(each, decisions=()) for each in report.games)))
    if game is not None or move is not None:
        # Whoever looks at a move has had the totals.
        told = lean.only(told, ("length", "variant", "players", "problems"))
        told["players"] = [{"name": each["name"]} for each in told["players"]]
    else:
        told = lean.without(told, ("label", "seconds"))
        told["players"] = [lean.totals(each) for each in told["players"]]
        for each in told["games"]:
            each["players"] = [lean.totals(one) for one in each["players"]] if by_game else None
    decisions = [
        lean.decision(decision_to_dict(each), numbers[each.game], whole=move is not None) for each in chosen[:count]
    ]
    problems = told.pop("problems")
    told |= {"found": len(chosen), "decisions": decisions, "problems": problems[:_SHOWN_PROBLEMS]}
    return told | {"doubts": doubts(found)}


def convert(
    host: Host,
    watch: Watch,
    *,
    to: Annotated[_Name, Meta(description="Name of the format to write, such as mat or sgf.")],
    path: Path = None,
    text: FileText = None,
    match: Annotated[Number, Meta(description="Which of several in the file.")] = 1,
    library: InLibrary = None,
) -> dict[str, Any]:
    """Convert a match or position into another format; the answer holds the new file, nothing is written.

    The format that is read is recognised. `files`: mostly one, some formats need one for each game; `text`, or `base64`
    of those that are no text. `lost`: what the format cannot hold.
    """
    from sixprime.analysis.prepared import prepared
    from sixprime.formats import format_for, losses, render

    format = format_for(to)
    found, *_ = _match(host, path, text, library, match)
    ready = prepared([found], format.name)
    files = render(ready, format)
    size = sum(map(len, files))
    if size > _LARGEST:
        most = f"more than the {_LARGEST:,} of an answer"
        raise SettingsError(f"as {format.title} it has {size:,} bytes, {most}; sixprime convert writes it to a file")
    return {
        "format": found.format,
        "to": format.name,
        "suffix": format.suffixes[0] if format.suffixes else "",
        "games": len(found.games),
        "files": [
            {"text": each} if isinstance(each, str) else {"base64": b64encode(each).decode("ascii")} for each in files
        ],
        "lost": losses(ready, format, files)[0],
        "problems": [str(each) for each in found.problems[:_SHOWN_PROBLEMS]],
    }


def picture(
    host: Host,
    watch: Watch,
    *,
    position: Id,
    dice: Dice = None,
    play: Annotated[PlayText | None, Meta(description="A play to draw with solid arrows.")] = None,
    other_play: Annotated[PlayText | None, Meta(description="A play to draw with dashed arrows.")] = None,
    form: Annotated[Literal["png", "svg"], Meta(description="An image, or the text of an SVG file.")] = "png",
    theme: Annotated[_Name, Meta(description="Colours: light, dark or another theme.")] = "light",
    width: Annotated[int, Meta(ge=16, le=4096, description="In pixels.")] = 640,
) -> Picture:
    """Draw a board, the player on roll at the bottom, with arrows for plays; as SVG where PNG cannot be made."""
    from sixprime.report.svg import board_svg

    found, roll = _parsed(position), (0, 0)
    if dice is not None or play is not None or other_play is not None:
        found, roll = _rolled(found, dice)
    best, other = (None if text is None else parse_play(text, found.position, roll) for text in (play, other_play))
    mover = found.state.on_roll
    svg = board_svg(found.position, found.state, mover=mover, best=best, played=other, theme=theme, width=width)
    if form == "svg" or find_spec("resvg_py") is None:
        return Picture(svg, None)
    from sixprime.report.png import to_png

    return Picture(svg, to_png(svg, width=width))


# The library


def library_find(
    host: Host,
    watch: Watch,
    *,
    wanted: Wanted,
    like: Annotated[Id | None, Meta(description="An ID: positions most like it come first.")] = None,
    order: Annotated[
        Literal["error", "latest", "luck"], Meta(description="luck: good or bad, the most first.")
    ] = "error",
    count: Annotated[int, Meta(ge=0, le=100, description="How many are told.")] = 10,
) -> dict[str, Any]:
    """Find decisions in the user's library of analysed matches, the most costly first; all that is given must fit.

    `found`: how many fit. `place`: match, game, move and player as 12.3.14:2; `player`: 0 or 1 of `players`; `error`:
    equity lost; `chosen` and `best`: what was done and what is right; `xgid`: the decision for the other tools; for
    more of it ask `analyse` with `library`, `game` and `move`; `game` 0 is a position without a match. For a take the
    position told is the doubler's, what is asked for that of `player`. With `like` `distance` is the pips that chequers
    of both sides must be moved.
    """
    from sixprime.store.decisions import decided
    from sixprime.store.objects import found_to_dict

    query = _query(host, wanted)
    asked = None if like is None else _parsed(like)
    alike = None if asked is None else decided(asked.position, asked.state)
    found, number = host.library.search(host.library.checked(query), like=alike, order=order, count=count)
    return {"found": number, "decisions": [lean.library_decision(found_to_dict(each)) for each in found]}


def library_stats(
    host: Host,
    watch: Watch,
    *,
    wanted: Wanted,
    by: Literal[
        "kind", "phase", "plan", "player", "opponent", "score", "length", "cube", "dice", "month", "tag"
    ] = "phase",
    count: Annotated[int, Meta(ge=1, le=500, description="How many groups are told.")] = 30,
) -> dict[str, Any]:
    """Say where equity went in the user's library, the most costly group first; all that is given must fit.

    Without `player` both sides count. `decisions`: those that count; `errors`: how many of them lost much; `error`:
    equity lost; `pr`: performance rating (500 times the error per decision; lower is better). Scores are points that
    player and opponent still need.
    """
    from sixprime.analysis.thresholds import DEFAULT_THRESHOLDS
    from sixprime.store.objects import sums_to_dict

    marked = DEFAULT_THRESHOLDS.doubtful if host.marked is None else host.marked
    query = _query(host, wanted)
    groups, total = host.library.sums(host.library.checked(query), by, marked)
    return {"found": len(groups), **sums_to_dict(by, groups[:count], total)}


def library_players(
    host: Host,
    watch: Watch,
    *,
    player: Annotated[_Text | None, Meta(description="Part of a name.")] = None,
    count: Annotated[int, Meta(ge=1, le=200, description="How many are told.")] = 20,
) -> dict[str, Any]:
    """List the players of the user's library and how strong they are, those with the most decisions first.

    `pr`: performance rating; `recent_pr`: in which a decision counts half after 500 more; `luck`: equity in all. Where
    just one is found, `trend` has both ratings after each of his latest matches.
    """
    from sixprime.store.identity import plain
    from sixprime.store.objects import career_to_dict

    found = [each for each in host.library.careers() if plain(player or "") in plain(each.name)]
    told = [career_to_dict(each) for each in found[:count]]
    for each in told:
        each["trend"] = each["trend"][-_TREND:] if len(found) == 1 else None
    return {"found": len(found), "players": told}


def library_matches(
    host: Host,
    watch: Watch,
    *,
    player: Annotated[_Text | None, Meta(description="Part of a name.")] = None,
    event: Annotated[_Text | None, Meta(description="Part of its name.")] = None,
    count: Annotated[int, Meta(ge=1, le=200, description="How many are told.")] = 20,
) -> dict[str, Any]:
    """List the matches of the user's library, the latest first, with the performance ratings of both players.

    `match`: its number, which `analyse` takes as `library` if it is `whole`. `result`: 1 or -1 where the first or
    second player won, 0 while it goes on; the points of the first for money. `luck`: equity.
    """
    from sixprime.store.identity import plain
    from sixprime.store.objects import match_to_dict

    found = [
        each
        for each in reversed(host.library.matches())
        if any(plain(player or "") in plain(side.name) for side in each.sides)
        and plain(event or "") in plain(each.event)
    ]
    return {
        "found": len(found),
        "matches": [lean.without(match_to_dict(each), ("checksum",)) for each in found[:count]],
    }


# What is asked


def _query(host: Host, wanted: Wanted) -> Query:
    """What is asked of the library. Raises SettingsError."""
    from sixprime.analysis.model import DecisionKind, Phase, Plan
    from sixprime.store.decisions import OnPoint, Query

    if wanted.tag is not None and wanted.tag not in (known := [name for name, _ in host.library.tags()]):
        there = f"there are {', '.join(known[:50])}" if known else "there is none"
        raise SettingsError(f"no decision has the tag {shown(wanted.tag)}; {there}")
    kinds: tuple[DecisionKind, ...] = ()
    if wanted.kind is not None:
        cubes = DecisionKind.DOUBLE, DecisionKind.TAKE
        kinds = cubes if wanted.kind == "cube" else (DecisionKind(wanted.kind),)
    owners = {None: None, "player": "own", "opponent": "theirs", "centred": "centred"}
    return Query.of(
        wanted,
        matches=() if wanted.match is None else (wanted.match,),
        kinds=kinds,
        phases=() if wanted.phase is None else (Phase(wanted.phase),),
        plans=() if wanted.plan is None else (Plan(wanted.plan),),
        score=None if wanted.score is None else tuple(wanted.score),
        owner=owners[wanted.cube_owner],
        dice=None if wanted.dice is None else _dice(wanted.dice),
        pips=_range("pips", wanted.pips),
        lead=_range("lead", wanted.lead),
        own=OnPoint.parse(wanted.own or ""),
        theirs=OnPoint.parse(wanted.theirs or ""),
        since=_day("since", wanted.since),
        until=_day("until", wanted.until),
    )


def _range(name: str, ends: list[int] | None) -> tuple[int, int] | None:
    if ends is not None and ends[0] > ends[1]:
        raise SettingsError(f"{name} must have the smaller number first. Got {ends} instead.")
    return None if ends is None else (ends[0], ends[1])


def _day(name: str, text: str | None) -> str:
    try:
        return "" if text is None else date.fromisoformat(text).isoformat()
    except ValueError:
        raise SettingsError(f"{name} must be a day such as 2026-01-31. Got {shown(text)} instead.") from None


def _side_named(player: str, match: Match) -> int:
    """0 or 1, of a name, of a part of just one name, or of itself. Raises SettingsError."""
    if player in ("0", "1"):
        return int(player)
    names = [" ".join(each.name.casefold().split()) for each in match.players]
    asked = " ".join(player.casefold().split())
    found = [side for side, name in enumerate(names) if name == asked] or [
        side for side, name in enumerate(names) if asked in name
    ]
    if len(found) != 1:
        both = " and ".join(f"{side}, {each.name}" for side, each in enumerate(match.players))
        raise SettingsError(f"player must be one of the two: {both}. Got {shown(player)} instead.")
    return found[0]


def _parsed(text: str) -> ParsedPosition:
    """A position. Raises InvalidIdError, InvalidPositionError."""
    found = parse(text)
    found.position.check()
    return found


def _judged(text: str) -> ParsedPosition:
    """A position that can be judged. Raises as `_parsed`, InvalidPositionError for what the rules do not allow."""
    found = _parsed(text)
    check_judged(found.position, found.state)
    return found


def _dice(text: str) -> tuple[int, int]:
    """A roll. Raises SettingsError."""
    digits = [each for each in text if each not in " ,-"]
    if len(digits) != 2 or not set(digits) <= set("123456"):
        raise SettingsError(f'a roll must be two digits from 1 to 6, such as "31". Got {shown(text)} instead.')
    return int(digits[0]), int(digits[1])


def _rolled(found: ParsedPosition, dice: str | None) -> tuple[ParsedPosition, tuple[int, int]]:
    """A position with its roll, and the roll. Raises SettingsError."""
    roll = found.dice if dice is None else _dice(dice)
    if roll is None:
        raise SettingsError('this position has no roll; give dice, such as "31"')
    return ParsedPosition(found.position, found.state.with_dice(roll), roll), roll


def _match(
    host: Host, path: str | None, text: str | None, library: int | None, number: int
) -> tuple[Match, AnalysedMatch | None, bool]:
    """A match, our analysis of it, and whether that is what was asked for. Raises InvalidFileError, OSError,
    SettingsError."""
    from sixprime.analysis.kept import own_analysis
    from sixprime.formats import read_all, read_text

    if sum(each is not None for each in (path, text, library)) != 1:
        raise SettingsError("give path, text or library, one of them")
    if library is not None:
        known: AnalysedMatch = host.library.numbered(library)
        return known.match, known, True
    if text is not None:
        matches = [read_text(text, "text")]
    elif not path:
        raise SettingsError("path must be the name of a file. Got '' instead.")
    else:
        place = sample_match() if path == "sample" else expanded(path)
        if place.suffix.lower() == ".sixprime":
            from sixprime.api import load_analysis

            known = load_analysis(place)
            return known.match, known, True
        # Standard input is the protocol's.
        matches = read_all(place if str(place) != "-" else "./-")
    if number > len(matches):
        raise SettingsError(f"there is no match {number}: the file holds {len(matches)}")
    match = matches[number - 1]
    return match, own_analysis(match), False


# What is answered


def _described(board: Position, state: MatchState) -> dict[str, Any]:
    mover = state.on_roll
    order = (mover, 1 - mover)
    owner = "centred" if state.cube_owner is None else "player" if state.cube_owner == mover else "opponent"
    found = ParsedPosition(board, state, state.dice)
    return {
        "xgid": _written(lambda: found.xgid),
        "gnubg_id": _written(lambda: found.gnubg_id),
        "ogid": _written(lambda: f"OGID={encode_ogid(board, state)}"),
        "position_id": board.id,
        "player": _side(board.player, board.pips[0], board.off[0]),
        "opponent": _side(board.opponent, board.pips[1], board.off[1]),
        "dice": state.dice,
        "length": state.length,
        "score": [state.score[each] for each in order],
        "away": [state.away(each) for each in order] if state.length else None,
        "crawford": state.crawford,
        "jacoby": state.jacoby,
        "cube": state.cube,
        "cube_owner": owner,
        "doubled": state.doubled,
        "diagram": board.diagram(),
        "problem": problem_of(board, state) or None,
    }


def _written(write: Callable[[], str]) -> str | None:
    """An ID; None where it cannot hold the position."""
    with suppress(SixprimeError):
        return write()
    return None


def _side(counts: Sequence[int], pips: int, off: int) -> dict[str, Any]:
    points = {str(point): count for point, count in enumerate(counts[:24], 1) if count}
    return {"pips": pips, "points": points, "bar": counts[24], "off": off}


# The table


class Tool:
    """A function that may be asked. schema: of its arguments, as JSON has it."""

    def __init__(self, function: Callable[..., dict[str, Any] | Picture]) -> None:
        self.name: str = function.__name__
        self.about = cleandoc(function.__doc__ or "")
        self._function = function
        hints = get_type_hints(function, include_extras=True)
        given = {name: each for name, each in signature(function).parameters.items() if each.kind is each.KEYWORD_ONLY}
        # A structure among them stands for its fields.
        self._within = tuple(name for name in given if _is_structure(hints[name]))
        fields = [
            (name, hints[name], msgspec.NODEFAULT if each.default is each.empty else each.default)
            for name, each in given.items()
            if name not in self._within
        ]
        self._own = tuple(name for name, *_ in fields)
        bases = tuple(hints[name] for name in self._within)
        self._asked = msgspec.defstruct(self.name, fields, bases=bases, forbid_unknown_fields=True, kw_only=True)
        self.names = self._asked.__struct_fields__
        _, known = msgspec.json.schema_components([self._asked])
        self.schema: dict[str, Any] = known[self.name]
        del self.schema["title"]
        self.schema.pop("description", None)
        told = self.schema["properties"]
        told |= {name: _short(each) for name, each in told.items()}
        if not self.schema["required"]:
            del self.schema["required"]
        self._kinds = {name: each["type"] for name, each in told.items()}

    def __call__(self, host: Host, arguments: dict[str, Any], watch: Watch) -> dict[str, Any] | Picture:
        """The answer. Raises SettingsError for arguments that do not fit, and what the tool raises."""
        try:
            # Models send numbers as texts now and then.
            meant = {name: _meant(value, self._kinds.get(name)) for name, value in arguments.items()}
            asked = msgspec.convert(meant, self._asked, strict=False)
        except msgspec.ValidationError as error:
            raise SettingsError(self._misfit(wanted(str(error)), arguments)) from None
        values = {name: getattr(asked, name) for name in self._own} | dict.fromkeys(self._within, asked)
        answer = self._function(host, watch, **values)
        return answer if isinstance(answer, Picture) else lean.lean(answer)

    def _misfit(self, said: str, arguments: dict[str, Any]) -> str:
        """What is wanted, and what was found where that is known."""
        name, _, wish = said.partition(" ")
        if wish.startswith("is no "):
            return f"{said} {self.name} takes {', '.join(self.names)}."
        if name not in arguments:
            return said
        if wish.startswith("cannot be"):
            words = self.schema["properties"][name]["enum"]
            said = f"{name} must be one of {', '.join(map(str, words))}."
        return f"{said} Got {shown(arguments[name])} instead."


def _is_structure(hint: Any) -> bool:
    return isinstance(hint, type) and issubclass(hint, msgspec.Struct)


def _short(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema of an argument, which models pay for.

    Without nothing as a choice, as what is not wanted is left out, and without limits that nobody meets.
    """
    inner = [each for each in schema.pop("anyOf", ()) if each.get("type") != "null"]
    for each in inner:
        schema = each | schema
    if schema.get("default", 0) is None:
        del schema["default"]
    if "enum" in schema:
        schema["type"] = "string"
    schema.pop("maxLength", None)
    if "items" in schema:
        schema["items"] = lean.without(schema["items"], ("maxLength", "minimum", "maximum"))
    return schema


def _meant(value: Any, kind: str | None) -> Any:
    """A roll sent as the number 31, or a list as the text that JSON has of it: models do both."""
    if type(value) is int and kind == "string":
        return str(value)
    if isinstance(value, str) and kind == "array":
        with suppress(msgspec.DecodeError, RecursionError):
            return msgspec.json.decode(value)
    return value


_FUNCTIONS: tuple[Callable[..., dict[str, Any] | Picture], ...] = (
    *(position, legal_plays, evaluate, hint, cube, explain, rollout, race, rolls, scores),
    *(match_equity, match_equity_table, openings, analyse, convert, picture),
    *(library_find, library_stats, library_players, library_matches),
)
TOOLS = {tool.name: tool for tool in map(Tool, _FUNCTIONS)}
"""All tools by their names."""
