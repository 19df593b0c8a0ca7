"""What a table's choices are worth: hints, and a tutor that looks at an act before it counts.

All equities are those of the player who acts, normalised to the cube before the decision (EMG in match play); a loss is
at least 0. A hint and a judgement of the same table say the same: both come from one ranking of all that can be done.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from threading import Lock

from sixprime.analysis.thresholds import DEFAULT_THRESHOLDS, Skill, Thresholds
from sixprime.checks import FLAG, Fields, Instance, Whole
from sixprime.cube.met import MAX_AWAY
from sixprime.cube.values import worth
from sixprime.engine import CubeAnalysis, Engine, PlayAnalysis, PlayRequest
from sixprime.errors import RulesError
from sixprime.game.acts import Accept, Act, Beaver, Decline, Double, Drop, Move, Resign, Roll, Take
from sixprime.game.doubling import beavered
from sixprime.game.match_rules import quiet
from sixprime.game.state import SIZES
from sixprime.game.table import Phase, Table
from sixprime.play.resigning import Resigning, offer_taken
from sixprime.progress import Stop


class Choice(StrEnum):
    """What was to be decided."""

    PLAY = "play"
    DOUBLE = "double"  # whether to double before the roll
    TAKE = "take"  # the answer to a double, beaver or raccoon
    RESIGN = "resign"  # whether to give the game up
    ACCEPT = "accept"  # the answer to an offer to resign


@dataclass(frozen=True, slots=True)
class Option:
    """One thing that can be done. words: how it is called, as "8/5 6/5" or "No double"; loss: behind the best.

    loss_mwc: the same as match-winning chance, None for money. analysis: of a chequer play, with its probabilities.
    """

    act: Act
    words: str
    equity: float
    loss: float
    loss_mwc: float | None = None
    analysis: PlayAnalysis | None = None


@dataclass(frozen=True, slots=True)
class Hint:
    """What `player` can do at a table, best first; cube: the whole cube decision, the doubler's, of DOUBLE and TAKE."""

    choice: Choice
    player: int
    options: tuple[Option, ...]
    cube: CubeAnalysis | None = None

    @property
    def best(self) -> Option:
        """The best of all."""
        return self.options[0]


@dataclass(frozen=True, slots=True)
class Judgement:
    """What an act loses. place: of the act among the options of the hint, from 0."""

    hint: Hint
    place: int
    skill: Skill

    @property
    def option(self) -> Option:
        """The act itself."""
        return self.hint.options[self.place]

    @property
    def loss(self) -> float:
        """What it loses."""
        return self.option.loss


class Adviser:
    """Hints by an engine; thresholds: from where marks begin. May be shared by sessions and threads."""

    def __init__(self, engine: Engine, thresholds: Thresholds = DEFAULT_THRESHOLDS) -> None:
        _ENGINE("engine", engine)
        _THRESHOLDS("thresholds", thresholds)
        self.engine, self.thresholds = engine, thresholds
        self._resigning = Resigning(engine)
        self._known: dict[Hashable, Hint] = {}
        self._lock = Lock()

    def hint(self, table: Table, *, stop: Stop | None = None) -> Hint:
        """All that the player who must act can do but resigning, best first.

        Raises RulesError where nobody has to decide anything, StoppedError when `stop` is set.
        """
        return self._hint(table, None, stop)

    def judge(self, table: Table, act: Act, *, stop: Stop | None = None) -> Judgement | None:
        """What an act that the rules allow loses; None where there was no choice. Raises as `hint` does."""
        if isinstance(act, Resign):
            hint = self._whether_to_resign(table, act, stop)
        elif isinstance(act, Move | Double | Roll | Take | Drop | Beaver | Accept | Decline):
            hint = self._hint(table, act if isinstance(act, Move) else None, stop)
            act = replace(act, dice=None) if isinstance(act, Roll) else act
        else:
            return None
        if len(hint.options) < 2:
            return None
        place = next((place for place, option in enumerate(hint.options) if _same(option.act, act)), None)
        if place is None:
            return None
        return Judgement(hint, place, self.thresholds.skill(hint.options[place].loss))

    def _hint(self, table: Table, chosen: Move | None, stop: Stop | None) -> Hint:
        """The hint of a table; chosen: a play that is to be judged as deeply as the best."""
        key = _key(table)
        with self._lock:
            known = self._known.get(key)
        if known is not None and (chosen is None or _as_deep(known, chosen)):
            return known
        match table.phase:
            case Phase.PLAY:
                hint = self._plays(table, chosen, stop)
            case Phase.ROLL:
                hint = self._whether_to_double(table, stop)
            case Phase.DOUBLED:
                hint = self._whether_to_take(table, stop)
            case Phase.RESIGNED:
                hint = self._whether_to_accept(table, stop)
            case _:
                raise RulesError(f"There is nothing to decide: the table waits for {table.phase.value}.")
        with self._lock:
            self._known = dict([*self._known.items(), (key, hint)][-_KEPT:])
        return hint

    def _plays(self, table: Table, chosen: Move | None, stop: Stop | None) -> Hint:
        state, player = quiet(table.state), table.state.on_roll
        assert state.dice is not None
        own = chosen.play if chosen is not None and len(chosen.play.steps) else None
        request = PlayRequest(table.position, state.dice, state, own)
        plays = self.engine.rank_plays_many([request], count=None, search_forced=False, stop=stop)[0]
        options = [(Move(player, play.play), play.cubeful_equity, play) for play in plays]
        return Hint(Choice.PLAY, player, self._ranked(table, options))

    def _whether_to_double(self, table: Table, stop: Stop | None) -> Hint:
        player = table.state.on_roll
        cube = self.engine.cube_action(table.position, match=table.state, stop=stop)
        options: list[_Plain] = [(Roll(player), cube.no_double, None)]
        if Double in table.legal():
            options.append((Double(player), cube.after_double, None))
        return Hint(Choice.DOUBLE, player, self._ranked(table, options), cube)

    def _whether_to_take(self, table: Table, stop: Stop | None) -> Hint:
        player = table.turn
        assert player is not None
        taken = -offer_taken(self.engine, table, stop=stop).value
        options: list[_Plain] = [(Take(player), taken, None), (Drop(player), -1.0, None)]
        if Beaver in table.legal():
            # Whoever doubled may give up what has been turned back, for what is now offered.
            options.append((Beaver(player), min(beavered(taken), 2.0), None))
        cube = self.engine.cube_action(table.position, match=quiet(table.state), stop=stop)
        return Hint(Choice.TAKE, player, self._ranked(table, options), cube)

    def _whether_to_accept(self, table: Table, stop: Stop | None) -> Hint:
        player, state = table.state.decider, table.state
        on = self._resigning.playing_on(table, stop).for_side(player).value
        won = self._resigning.won(state, player, state.resigned).for_side(player).value
        options: list[_Plain] = [(Accept(player), won, None), (Decline(player), on, None)]
        return Hint(Choice.ACCEPT, player, self._ranked(table, options))

    def _whether_to_resign(self, table: Table, act: Resign, stop: Stop | None) -> Hint:
        """The choice between this offer and to play on; where the opponent gains by declining, he does."""
        state, player = table.state, act.player
        on = self._resigning.playing_on(table, stop).for_side(player).value
        lost = self._resigning.won(state, 1 - player, act.value).for_side(player).value
        ranked = self._ranked(table, [(Roll(player), on, None), (act, min(on, lost), None)])
        named = (option if option.act is act else replace(option, words="Play on") for option in ranked)
        return Hint(Choice.RESIGN, player, tuple(named))

    def _ranked(self, table: Table, options: Sequence[_Plain]) -> tuple[Option, ...]:
        """Best first; of equal ones the first stays first."""
        best = max(equity for _, equity, _ in options)
        each = None if table.state.money else worth(quiet(table.state), self.engine.met)
        ranked = sorted(options, key=lambda option: -option[1])
        return tuple(
            Option(
                act,
                words_of(act, table),
                equity,
                best - equity,
                None if each is None else (best - equity) * each,
                play,
            )
            for act, equity, play in ranked
        )


@dataclass(frozen=True, slots=True)
class Tutor:
    """Warns of errors before they count.

    adviser: who judges, as deeply as its engine. skill: the mildest mark of which it warns, from Skill.DOUBTFUL on.
    chequer, cube: whether plays and cube actions (and resignations) are judged.
    Raises `SettingsError` for a value of another kind.
    """

    adviser: Adviser = field(repr=False)
    skill: Skill = Skill.DOUBTFUL
    chequer: bool = True
    cube: bool = True

    def __post_init__(self) -> None:
        _TUTOR(self)
        object.__setattr__(self, "skill", Skill(self.skill))

    def warns(self, table: Table, act: Act, *, stop: Stop | None = None) -> Judgement | None:
        """The judgement of an act that the rules allow, where it is to be warned of. Raises StoppedError."""
        wanted = self.chequer if isinstance(act, Move) else self.cube
        if not wanted or (isinstance(act, Roll) and Double not in table.legal()):
            return None
        # What cannot be judged is not held up.
        if table.state.length - min(table.state.score) > MAX_AWAY:
            return None
        judgement = self.adviser.judge(table, act, stop=stop)
        return judgement if judgement is not None and judgement.skill >= self.skill else None


_Plain = tuple[Act, float, PlayAnalysis | None]
_KEPT = 64
"""Tables of which the hints are remembered."""
_ENGINE, _THRESHOLDS = Instance(Engine), Instance(Thresholds)
_TUTOR = Fields(adviser=Instance(Adviser), skill=Whole(1, 3), chequer=FLAG, cube=FLAG)


def words_of(act: Act, table: Table) -> str:
    """What an act at a table is called, as options are."""
    again = "redouble" if table.state.cube_owner is not None else "double"
    match act:
        case Move(_, play):
            return str(play)
        case Roll():
            return f"No {again}"
        case Double():
            return again.capitalize()
        case Beaver():
            return "Raccoon" if table.state.beavered else "Beaver"
        case Resign(_, value):
            return f"Resign a {SIZES[value]}"
    return {Take: "Take", Drop: "Pass", Accept: "Accept", Decline: "Decline"}.get(type(act), type(act).__name__)


def _key(table: Table) -> Hashable:
    """All of a table that its hint depends on."""
    who = table.game.actions[-1].player if table.game.actions else None
    return table.position, table.state, table.offered, table.declined, table.rules, who


def _same(one: Act, other: Act) -> bool:
    if isinstance(one, Move) and isinstance(other, Move):
        return one.play.result == other.play.result
    return one == other


def _as_deep(hint: Hint, chosen: Move) -> bool:
    """Whether a play has been judged as deeply as the best."""
    found = next((option for option in hint.options if _same(option.act, chosen)), None)
    if found is None or found.analysis is None or hint.best.analysis is None:
        return False
    return (found.analysis.plies, found.analysis.trials) == (hint.best.analysis.plies, hint.best.analysis.trials)
