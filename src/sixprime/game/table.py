"""`Table`: a game in progress, the one seam for everything that plays.

A table is a value. `legal()` says what the rules allow now, `apply(act)` gives the table after it, undo is the table
before, and `record()` is the match so far as every format, analysis and report takes it. Dice are given, never thrown.

>>> from sixprime.game.acts import Double, Drop, Opening
>>> table = Table.new(Rules(length=3), players=("Ann", "Bob"))
>>> table = table.apply(Opening((3, 1)))  # Ann threw 3, Bob 1
>>> len(table.legal().plays)
16
>>> table = table.apply(table.move("8/5 6/5"))
>>> table.phase, table.turn, list(table.legal())[:2]
(<Phase.ROLL: 'roll'>, 1, [Roll(player=1, dice=None), Double(player=1)])
>>> table = table.apply(Double(1)).apply(Drop(0))
>>> table.phase, table.score
(<Phase.GAME_OVER: 'game over'>, (0, 1))
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum
from functools import lru_cache
from typing import Any

from sixprime.checks import FLAG, TEXT, Instance, Maybe, Pair, Whole, each, refuse, shown
from sixprime.errors import (
    IllegalPlayError,
    InvalidPlayError,
    InvalidPositionError,
    RulesError,
    SettingsError,
    SixprimeError,
)
from sixprime.game.acts import (
    Accept,
    Act,
    Beaver,
    Decline,
    Dice,
    Double,
    Drop,
    Move,
    NextGame,
    Opening,
    Resign,
    Roll,
    Set,
    Take,
)
from sixprime.game.match_rules import (
    RULES,
    Rules,
    points,
    quiet,
    scored,
    why_no_beaver,
    why_no_double,
    why_not_set,
)
from sixprime.game.play import Play, find_play, parse_play, play_as_made
from sixprime.game.position import POSITION, Position
from sixprime.game.record import MATCH, Action, ActionKind, Game, Match, Player
from sixprime.game.rules import Step, check_dice
from sixprime.game.state import MONEY, PLAYER, POINTS, STATE, GameState, MatchState
from sixprime.game.variants import get_variant, variant_with
from sixprime.lazy import drawn_by

Players = tuple[str | Player, str | Player]
_REFUSED = re.compile(r".*(?: now| cannot be set): ", re.DOTALL)
_PLACE = re.compile(r"game \d+, action \d+: |(?<=of [1-6]-[1-6]) in [\w/+]{14}(?=: )", re.ASCII)


class Phase(Enum):
    """What a table waits for."""

    OPENING = "opening"  # both throw one die
    ROLL = "roll"  # the player on roll rolls or doubles
    PLAY = "play"  # the dice are thrown
    DOUBLED = "doubled"  # an answer to a double, beaver, raccoon ...
    RESIGNED = "resigned"  # an answer to an offer to resign
    GAME_OVER = "game over"
    MATCH_OVER = "match over"


_KINDS: dict[Phase, tuple[type[Act], ...]] = {
    Phase.OPENING: (Opening, Resign),
    Phase.ROLL: (Roll, Double, Resign),
    Phase.PLAY: (Move, Resign),
    Phase.DOUBLED: (Take, Drop, Beaver, Resign),
    Phase.RESIGNED: (Accept, Decline),
    Phase.GAME_OVER: (NextGame,),
    Phase.MATCH_OVER: (),
}
"""What each phase has room for; `Set` fits all in which a game goes on."""

_VERBS: dict[type[Act], str] = {
    Opening: "throw for the opening",
    Roll: "roll",
    Move: "play the dice",
    Double: "double",
    Beaver: "turn the double back",
    Take: "take",
    Drop: "pass",
    Resign: "resign",
    Accept: "accept",
    Decline: "decline",
    NextGame: "start the next game",
}


@dataclass(frozen=True, slots=True)
class Table:
    """A match or money session in progress.

    match: the players and whatever else is known of the match, and the games before this one. game: this one so far,
    with a roll that is not played yet and offers without answer as its last actions; `winner` is None while it goes on.
    position: seen by `state.on_roll`. state: score, cube, turn, dice and offers now.
    declined: the highest resignation that each player offered in vain in this situation, 0 to 3.
    """

    rules: Rules
    match: Match
    game: Game
    position: Position
    state: MatchState
    declined: tuple[int, int] = (0, 0)

    _repr_svg_ = drawn_by("table")

    # Where tables come from

    @classmethod
    def new(
        cls,
        rules: Rules | None = None,
        players: Players = ("", ""),
        score: tuple[int, int] = (0, 0),
        crawford: bool | None = None,
    ) -> Table:
        """The table before the opening roll of the first game, by default of a money session.

        score: where to take the match up. crawford: whether that is the Crawford game; by default it is if just one
        player is at match point. Raises SettingsError for a score at which the match is over or has no Crawford game.
        """
        rules = rules if rules is not None else Rules()
        RULES("rules", rules)
        _SCORE("score", score)
        _CRAWFORD("crawford", crawford)
        if rules.over(score):
            raise SettingsError(f"The 'score' parameter must be one at which the match goes on. Got {score!r} instead.")
        named = each("players", players, _NAMED, "a name or a Player")
        if len(named) != 2:
            refuse("players", "two", players)
        first, second = (player if isinstance(player, Player) else Player(player) for player in named)
        if crawford is None:
            crawford = rules.crawford_game(score)
        elif crawford and not rules.crawford_game(score):
            raise SettingsError(f"The game at {score[0]}-{score[1]} cannot be the Crawford game.")
        return cls._dealt(rules, rules.match((first, second)), 1, score, crawford)

    @classmethod
    def from_position(
        cls,
        position: Position,
        state: MatchState = MONEY,
        players: Players = ("", ""),
        variant: str = "standard",
    ) -> Table:
        """A table set by hand to what an ID says, its offers made again.

        variant: how the next games begin; another one where this has not as many chequers.
        Raises RulesError for what is against the rules, SettingsError when no variant has so many chequers.
        """
        POSITION("position", position)
        STATE("state", state)
        if get_variant(variant).chequers != position.chequers:
            variant = variant_with(position.chequers) or ""
        rules = Rules(state.length, variant, True, state.jacoby, state.beavers, 0, state.cube_limit)
        table = cls.new(rules, players).apply(Set(position, state))
        if state.doubled:
            table = table.apply(Double(state.on_roll))
            for _ in range(state.beavered):
                table = table.apply(Beaver(table.state.decider))
        return table.apply(Resign(1 - state.decider, state.resigned)) if state.resigned else table

    @classmethod
    def from_record(cls, match: Match) -> Table:
        """The table at the end of a recorded match, all annotations kept.

        Raises RulesError where the record goes against the rules, naming game and action.
        """
        table = replace(cls.new(Rules.of(match), match.players), match=match)
        for table in cls.replay(match):  # noqa: B007
            pass
        return table

    @classmethod
    def replay(cls, match: Match) -> Iterator[Table]:
        """The tables of a recorded match: at the beginning of every game and after every act. Raises as `from_record`.

        Several tables may stand for one recorded action, as a roll and its play do.
        """
        from sixprime.game.replay import replay

        MATCH("match", match)
        return replay(match)

    @classmethod
    def _dealt(cls, rules: Rules, match: Match, number: int, score: tuple[int, int], crawford: bool) -> Table:
        game = Game(number, score, crawford, ())
        return cls(rules, match, game, Position.start(rules.variant), rules.new_game(score, crawford))

    # What there is to see

    @property
    def phase(self) -> Phase:
        """What the table waits for."""
        state = self.state
        if self.game.winner is not None:
            return Phase.MATCH_OVER if self.rules.over(state.score) else Phase.GAME_OVER
        if state.resigned:
            return Phase.RESIGNED
        if state.doubled:
            return Phase.DOUBLED
        if state.dice is not None:
            return Phase.PLAY
        return Phase.OPENING if state.game_state is GameState.NONE else Phase.ROLL

    @property
    def turn(self) -> int | None:
        """The player who must act; None where that is both or nobody: for the opening roll and after a game."""
        return None if self.phase in (Phase.OPENING, Phase.GAME_OVER, Phase.MATCH_OVER) else self.state.decider

    @property
    def score(self) -> tuple[int, int]:
        """Points of both players, those of a finished game included."""
        return self.state.score

    @property
    def offered(self) -> int:
        """What the cube will be if the double now offered is taken; 0 without one."""
        return self.game.actions[-2 if self.state.resigned else -1].value if self.state.doubled else 0

    @property
    def names(self) -> tuple[str, str]:
        """What to call the players."""
        first, second = self.match.players
        return first.name or "player 1", second.name or "player 2"

    def reseated(self) -> Table:
        """The same table with the players on each other's seats."""
        return replace(
            self,
            match=self.match.reseated(),
            game=self.game.reseated(),
            state=self.state.reseated(),
            declined=self.declined[::-1],
        )

    def legal(self) -> Actions:
        """Everything the rules allow now."""
        return Actions(self)

    def move(self, text: str) -> Move:
        """The play that `text` writes. Raises InvalidPlayError, IllegalPlayError, RulesError without dice to play."""
        TEXT("text", text)
        if self.phase is not Phase.PLAY or self.state.dice is None:
            raise RulesError(f"{self._place}: no dice to play {text[:60]!r} with")
        return Move(self.state.on_roll, parse_play(text, self.position, self.state.dice))

    def record(self) -> Match:
        """The match so far, without this game as long as nothing has happened in it.

        What waits for an answer is recorded without one. Declined resignations leave no trace.
        """
        if not self.game.actions and self.game.cube == 1:
            return self.match
        return replace(self.match, games=(*self.match.games, self.game))

    # What there is to do

    def apply(self, act: Act) -> Table:
        """The table after it.

        Raises RulesError, for plays IllegalPlayError, when the rules do not allow it, saying why and what they allow.
        """
        reason = self.legal().why_not(act)
        if reason is None and isinstance(act, Opening | Roll) and act.dice is None:
            reason = "somebody must throw the dice"
        if reason is not None:
            if not isinstance(act, Act):
                raise RulesError(f"{self._place}: {shown(act)} is no act of sixprime.game.acts")
            player = getattr(act, "player", None)
            if isinstance(act, Set):
                raise RulesError(f"{self._place}: the position cannot be set: {reason}")
            who = f"{self.names[player]} cannot" if type(player) is int and player in (0, 1) else "nobody can"
            error = IllegalPlayError if isinstance(act, Move) and self.phase is Phase.PLAY else RulesError
            raise error(f"{self._place}: {who} {_VERBS.get(type(act), shown(act))} now: {reason}")
        return self._after(act)

    def under(self, rules: Rules) -> Table:
        """The table by other rules from this game on, in which nothing may have happened yet.

        The record has one set of rules, the latest; by which a game was played the states of its actions say. Raises
        RulesError in the midst of a game and for another length, variant or Crawford rule.
        """
        RULES("rules", rules)
        if self.phase is not Phase.OPENING or self.game.cube > 1:
            raise RulesError(f"{self._place}: the rules can be changed before the opening roll of a game only")
        for name in ("length", "variant", "crawford_rule"):
            if getattr(rules, name) != getattr(self.rules, name):
                raise RulesError(f"{self._place}: {name} is {getattr(self.rules, name)} from first to last")
        match = replace(self.match, **rules.stated)
        return replace(self, rules=rules, match=match, state=rules.new_game(self.score, self.state.crawford))

    def annotate(self, **parts: Any) -> Table:
        """The table with what there is to say of the last action: its `comment`, `seconds`, `analyses` or `extras`.

        Raises RulesError when nothing has been done in this game.
        """
        *before, last = self.game.actions or (None,)
        if last is None:
            raise RulesError(f"{self._place}: nothing has been done yet that could be annotated")
        return replace(self, game=replace(self.game, actions=(*before, replace(last, **parts))))

    def as_played(self, text: str) -> Table:
        """The table after a play as it was made, kept as illegal where no rule allows it; for matches that were played.

        An empty text leaves the roll unplayed. Raises RulesError without dice to play, InvalidPlayError for text that
        cannot be read, IllegalPlayError where no chequer can go so.
        """
        try:
            return self.apply(self.move(text))
        except IllegalPlayError:
            return self._played(play_as_made(text, self.position), illegal=True)

    def _after(self, act: Act) -> Table:
        """The table after a legal act."""
        state, actions = self.state, self.game.actions
        match act:
            case Opening(dice=dice) if dice is not None:
                first, second = map(int, dice)
                if first == second:
                    return self._tied()
                begun = replace(state, on_roll=int(second > first), game_state=GameState.PLAYING)
                return replace(self, state=begun)._thrown(first, second)
            case Roll(dice=dice) if dice is not None:
                return self._thrown(*map(int, dice))
            case Move(play=play):
                return self._played(self._read(play) or play)
            case Double(player):
                doubled = Action(ActionKind.DOUBLE, player, self.position, state, value=2 * state.cube)
                return self._now(state.offered(), (*actions, doubled))
            case Beaver(player):
                turned = Action(ActionKind.BEAVER, player, self.position, state, value=2 * self.offered)
                offer = replace(state, beavered=state.beavered + 1, turn=1 - player)
                return self._now(offer, (*actions, turned))
            case Take(player):
                taken = Action(ActionKind.TAKE, player, self.position, state)
                return self._now(replace(state.taken(), cube=self.offered), (*actions, taken))
            case Drop(player):
                dropped = Action(ActionKind.DROP, player, self.position, state)
                return self._now(state, (*actions, dropped))._won(1 - player, self.offered // 2, GameState.DROPPED)
            case Resign(player, value):
                # The action stands as if it were the player's turn, as a record has it.
                position = self.position if player == state.on_roll else self.position.swapped()
                alone = replace(quiet(state), on_roll=player, dice=None)
                resigned = Action(ActionKind.RESIGN, player, position, alone, value=value)
                offered = self._now(replace(state, resigned=value, turn=1 - player), (*actions, resigned))
                return replace(offered, declined=self.declined)
            case Accept(player):
                return self._won(player, state.resigned * (self.offered // 2 or state.cube), GameState.RESIGNED)
            case Decline(player):
                # Whoever was to act before the offer, which is the last action now.
                turn = 1 - actions[-2].player if state.doubled else state.on_roll
                ours, theirs = self.declined
                declined = (state.resigned, theirs) if player else (ours, state.resigned)
                back = self._now(replace(state, resigned=0, turn=turn), actions[:-1])
                return replace(back, declined=declined)
            case NextGame():
                # What the score was before this game ended.
                crawford = self.rules.crawford_game(state.score, before=actions[-1].state.score)
                return self._dealt(self.rules, self.record(), self.game.number + 1, state.score, crawford)
            case Set(position, asked):
                return self._set(position, quiet(asked))
        raise AssertionError(f"no act at a table: {act!r}")

    def _now(self, state: MatchState, actions: tuple[Action, ...]) -> Table:
        """The table with this state and these actions of the game; nothing is declined in it yet."""
        return Table(self.rules, self.match, replace(self.game, actions=actions), self.position, state)

    def _tied(self) -> Table:
        """After equal dice of both players, which may double the cube."""
        cube = 2 * self.state.cube
        if self.state.cube >> self.rules.automatic_doubles or cube > self.state.cube_limit:
            return replace(self, declined=(0, 0))
        tied = replace(self, game=replace(self.game, cube=cube))
        return tied._now(replace(self.state, cube=cube), self.game.actions)

    def _thrown(self, first: int, second: int) -> Table:
        """After the roll of the player on roll."""
        state = self.state.with_dice((first, second))
        roll = Action(ActionKind.ROLL, state.on_roll, self.position, state, state.dice)
        return self._now(state, (*self.game.actions, roll))

    def _played(self, play: Play, *, illegal: bool = False) -> Table:
        """After a play, which takes the place of the roll among the actions."""
        state, player = self.state, self.state.on_roll
        move = Action(ActionKind.MOVE, player, self.position, state, state.dice, play, illegal=illegal)
        table = replace(self, position=play.result)._now(state.swapped(), (*self._settled, move))
        if play.result.winner is None:
            return table
        return table._won(player, points(state, play.result.result), GameState.OVER)

    def _won(self, winner: int, won: int, how: GameState) -> Table:
        """After the end of the game."""
        score = scored(self.state.score, winner, won)
        game = replace(self.game, winner=winner, points=won, resigned=how is GameState.RESIGNED)
        return replace(self, game=game, state=replace(quiet(self.state), score=score, dice=None, game_state=how))

    def _set(self, position: Position, state: MatchState) -> Table:
        """After a position and state set by hand."""
        game, actions = self.game, self._settled
        if all(action.kind is ActionKind.SET for action in actions):
            game = replace(game, score=state.score, crawford=state.crawford)
        done = Action(ActionKind.SET, state.on_roll, position, state)
        return replace(self, game=game, position=position)._now(state, (*actions, done))

    @property
    def _settled(self) -> tuple[Action, ...]:
        """The actions without a roll not yet played and an offer to resign not yet answered, which come last."""
        actions = self.game.actions
        while actions and actions[-1].kind in (ActionKind.ROLL, ActionKind.RESIGN):
            actions = actions[:-1]
        return actions

    def _read(self, play: Play) -> Play | None:
        """The legal play that a play is when written down and read again, its steps put right; None for no such."""
        assert self.state.dice is not None
        return read if (read := find_play(str(play), self.position, self.state.dice)) == play else None

    def _why_illegal(self, play: Play) -> str | None:
        """Why a play is not legal, None when it is."""
        if not isinstance(play.steps, tuple) or not all(isinstance(step, Step) for step in play.steps):
            return f"the steps of a Play are a tuple of Step, not {shown(play.steps)}"
        try:
            if self._read(play) is not None:
                return None
            self.move(str(play))
        except (InvalidPlayError, IllegalPlayError) as error:
            return str(error)
        return f"{str(play)!r} is a play in another position or leads to another"

    @property
    def _place(self) -> str:
        """Where we are, for messages."""
        return f"game {self.game.number}, action {len(self.game.actions) + 1}"


def placeless(error: Exception) -> str:
    """What an error says without where in the record it is and in which position, for whoever sits at the table."""
    return _PLACE.sub("", str(error))


def reason_of(error: Exception) -> str:
    """What an error says, of an act that is not allowed the reason alone."""
    return _REFUSED.sub("", placeless(error))


def problem_of(position: Position, state: MatchState) -> str:
    """Why a position cannot be judged, empty where it can."""
    if position.winner is not None:
        return "the game is over: one side has borne off all its chequers."
    try:
        Table.from_position(position, state)
    except SixprimeError as error:
        return reason_of(error)
    return ""


def check_judged(position: Position, state: MatchState) -> None:
    """Raises InvalidPositionError for what cannot be judged."""
    if problem := problem_of(position, state):
        raise InvalidPositionError(problem)


_NAMED = Instance((str, Player), "a name or a Player")
_SCORE, _CRAWFORD, _RESIGNED, _PLAY = Pair(POINTS), Maybe(FLAG), Whole(1, 3), Instance(Play)


def _check_act(act: Act) -> None:
    """Raises SettingsError for an act with a part of the wrong kind, at whatever table."""
    match act:
        case Set(position, state):
            POSITION("position", position)
            STATE("state", state)
        case Opening(dice) | Roll(_, dice) if dice is not None:
            check_dice(dice)
        case Resign(_, value):
            _RESIGNED("value", value)
        case Move(_, play):
            _PLAY("play", play)
    if not isinstance(act, Opening | NextGame | Set):
        PLAYER("player", getattr(act, "player", None))


@lru_cache(maxsize=16)
def _plays(position: Position, dice: Dice) -> tuple[Play, ...]:
    """Every legal play; where no chequer can move, the one without steps. The same are asked for again and again."""
    return tuple(position.plays(dice)) or (Play((), position, position.swapped()),)


@dataclass(frozen=True, slots=True)
class Actions:
    """Everything the rules allow at a table, made as it is asked for.

    `act in actions` says whether an act is allowed, `Double in actions` whether any of its kind is. Iterating gives
    every act but `Set`, rolls without their dice; of plays with the same result there is one.
    """

    table: Table

    @property
    def kinds(self) -> tuple[type[Act], ...]:
        """The kinds of acts that are allowed, but for `Set`."""
        return tuple(kind for kind in _KINDS[self.table.phase] if kind in self)

    @property
    def plays(self) -> tuple[Play, ...]:
        """Every legal play; a single one without steps where no chequer can move; empty while there are no dice."""
        table = self.table
        if table.phase is not Phase.PLAY or table.state.dice is None:
            return ()
        return _plays(table.position, check_dice(table.state.dice))

    def of(self, kind: type[Act]) -> Iterator[Act]:
        """The allowed acts of a kind; none of `Set`."""
        turn = self.table.turn
        if kind not in _KINDS[self.table.phase]:
            return
        if kind is Move:
            yield from (Move(self.table.state.on_roll, play) for play in self.plays)
        elif kind is Resign:
            declined = self.table.declined
            yield from (Resign(player, value) for player in (0, 1) for value in range(declined[player] + 1, 4))
        else:
            act: Act = kind() if turn is None else kind(turn)  # type: ignore[call-arg, arg-type]
            if self.why_not(act) is None:
                yield act

    def offers(self, player: int) -> list[int]:
        """What a player may offer to resign, in multiples of the cube."""
        return [act.value for act in self.of(Resign) if isinstance(act, Resign) and act.player == player]

    def __iter__(self) -> Iterator[Act]:
        for kind in _KINDS[self.table.phase]:
            yield from self.of(kind)

    def __contains__(self, act: object) -> bool:
        if isinstance(act, type):
            return any(True for _ in self.of(act))
        return isinstance(act, Act) and self.why_not(act) is None

    def why_not(self, act: Act) -> str | None:
        """Why the rules do not allow an act now; None when they do."""
        table, state, phase = self.table, self.table.state, self.table.phase
        try:
            _check_act(act)
        except SettingsError as error:
            return str(error)
        if isinstance(act, Set):
            over = phase in (Phase.GAME_OVER, Phase.MATCH_OVER)
            return f"the {phase.value}" if over else why_not_set(table.rules, act.position, act.state, table.names)
        if type(act) not in _KINDS[phase]:
            return self._wanted()
        if isinstance(act, Resign):
            declined = table.declined[act.player]
            return None if act.value > declined else f"the opponent has declined {declined} times the cube"
        if getattr(act, "player", table.turn) != table.turn:
            return self._wanted()
        match act:
            case Move(_, play):
                return table._why_illegal(play)
            case Double():
                return why_no_double(state)
            case Beaver():
                return why_no_beaver(state, table.offered)
        return None

    def _wanted(self) -> str:
        """What there is to do instead."""
        table = self.table
        if table.phase is Phase.MATCH_OVER:
            return "the match is over"
        if table.phase is Phase.GAME_OVER:
            return "the game is over"
        who = "both players" if table.turn is None else table.names[table.turn]
        *others, last = (_VERBS[kind] for kind in self.kinds if kind is not Resign)
        what = f"{', '.join(others)} or {last}" if others else last
        return f"{who} must {what}"
