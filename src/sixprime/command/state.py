"""`State`: the match that is looked at or played, where in it we are, the options, and the dice.

A value: a command that fails leaves the one of before.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from sixprime.command.options import Options
from sixprime.errors import RulesError
from sixprime.game.acts import Act, NextGame, Opening, Roll, Set
from sixprime.game.match_rules import Rules, quiet
from sixprime.game.position import Position
from sixprime.game.record import Action, ActionKind, Game, Match
from sixprime.game.replay import table_at
from sixprime.game.state import GameState
from sixprime.game.table import Phase, Table

if TYPE_CHECKING:
    from sixprime.play.dice import DiceSource

_OVER = (Phase.GAME_OVER, Phase.MATCH_OVER)


@dataclass(frozen=True, slots=True)
class State:
    """What the interpreter holds.

    match: every game, with comments and analyses in its actions; None: there is none. table: the situation at the
    cursor, which holds what was done until then; whoever goes on from it forgets what came after. loose: it was set
    by hand in the midst of the match, and the record does not know; it will once somebody goes on. dice: of the match,
    None until some are needed; throws: made so far. live: what is on the table was played just now, not gone to.
    """

    options: Options = field(default_factory=Options)
    match: Match | None = None
    table: Table | None = None
    dice: DiceSource | None = None
    throws: int = 0
    loose: bool = False
    live: bool = False

    @property
    def game(self) -> int:
        """The number of the game at the cursor among the games of the match, from 0."""
        return len(self.table.match.games) if self.table is not None else 0

    @property
    def at(self) -> int:
        """How many actions of that game are done."""
        return len(self.table.game.actions) if self.table is not None else 0

    @property
    def playing(self) -> bool:
        """Whether a game is in progress."""
        return self.table is not None and self.table.phase not in _OVER

    @property
    def latest(self) -> Action | None:
        """The action just done."""
        return self.table.game.actions[-1] if self.table is not None and self.table.game.actions else None

    @property
    def coming(self) -> Action | None:
        """The action after the cursor, of a match that has gone on from here; None at the end of a game."""
        if self.match is None or not self.match.games:
            return None
        actions = self.match.games[self.game].actions
        return actions[self.at] if self.at < len(actions) else None

    def at_table(self, table: Table) -> State:
        """Going on with a table, nothing after it."""
        match = replace(table.match, games=(*table.match.games, table.game))
        return replace(self, match=match, table=table, loose=False, live=True)

    def done(self, act: Act) -> State:
        """After an act. Raises RulesError, IllegalPlayError."""
        if self.table is None:
            raise RulesError("no game in progress")
        table = self.table
        if self.loose and not isinstance(act, Set | NextGame):
            table = table.apply(Set(table.position, quiet(table.state)))
        # A roll is written with the higher die first; whose die of an opening is which is told.
        if isinstance(act, Opening) and act.dice is not None and act.dice[0] < act.dice[1]:
            begun = table.apply(act)
            on_roll = replace(begun, state=begun.state.with_dice(None), game=table.game)
            return self.at_table(on_roll.apply(Roll(1, act.dice[::-1])))
        if isinstance(act, Roll) and act.dice is not None:
            low, high = sorted(act.dice)
            act = replace(act, dice=(high, low))
            if low != high:
                table = _begun(table)
        return self.at_table(table.apply(act))

    def with_dice(self, dice: tuple[int, int]) -> State | None:
        """With these dice thrown instead of those on the board, if any; None where that is no throw of the game: before
        its opening, in answer to an offer, and where dice were set with the position."""
        if self.table is None or self.table.phase not in (Phase.ROLL, Phase.PLAY):
            return None
        table, latest = self.table, self.latest
        if latest is not None and latest.kind is ActionKind.ROLL:
            table = replace(table, game=replace(table.game, actions=table.game.actions[:-1]))
        elif latest is not None and latest.kind is ActionKind.SET and table.phase is Phase.PLAY:
            return None
        table = replace(table, state=table.state.with_dice(None))
        if not _begun(table).game.actions and dice[0] == dice[1]:
            return None
        return replace(self, table=table).done(Roll(table.state.on_roll, dice))

    @property
    def followed(self) -> bool:
        """Whether the match has gone on from the cursor."""
        return self.match is not None and (self.coming is not None or self.game + 1 < len(self.match.games))

    def set_by_hand(self, act: Set) -> State:
        """With position and state set: in the midst of a match only at the cursor. Raises RulesError."""
        done = self.done(act)
        if not self.followed or self.table is None or done.table is None:
            return done
        table = replace(self.table, position=done.table.position, state=done.table.state, declined=(0, 0))
        return replace(self, table=table, loose=True)

    def ruled(self, rules: Rules, **parts: Any) -> State:
        """With other rules from the game at the cursor on; parts: of every state of that game, and of its beginning."""
        if self.table is None or self.match is None:
            return self
        own, of_match = rules.stated | parts, rules.stated | {"crawford_rule": rules.crawford_rule}
        begun = {name: value for name, value in parts.items() if name in ("score", "crawford")}

        def changed(game: Game) -> Game:
            return replace(game.ruled(**own), **begun)

        before = replace(self.table.match, **of_match)
        state = replace(self.table.state, **own)
        table = replace(self.table, rules=rules, match=before, game=changed(self.table.game), state=state)
        games = [changed(game) if number == self.game else game for number, game in enumerate(self.match.games)]
        return replace(self, match=replace(self.match, games=tuple(games), **of_match), table=table)

    def noted(self, **parts: Any) -> State:
        """With other things known of the match: its players, or what is said of it."""
        if self.table is None or self.match is None:
            return self
        table = replace(self.table, match=replace(self.table.match, **parts))
        return replace(self, match=replace(self.match, **parts), table=table)

    def scored_by_hand(self, rules: Rules, score: tuple[int, int], crawford: bool) -> State:
        """Between two games: with rules, score and whether it is the Crawford game of the one that comes."""
        if self.table is None or self.match is None:
            return self
        state = replace(self.table.state, score=score, crawford=crawford, **rules.stated)
        before = replace(self, table=replace(self.table, rules=rules, state=state), loose=True)
        return before.noted(**rules.stated, crawford_rule=rules.crawford_rule)

    def gone(self, game: int, at: int) -> State:
        """With the cursor elsewhere in the match, numbers from 0, `at` at most as many as there are actions."""
        assert self.match is not None
        return replace(self, table=table_at(self.match, game, at), loose=False, live=False)

    @property
    def roll_seen(self) -> bool:
        """Whether the dice of the play to come are on the board."""
        return self.coming is not None and self.table is not None and self.table.state.dice is not None

    def with_roll(self) -> State:
        """With the dice of the play to come on the board; the same where none comes."""
        coming = self.coming
        if coming is None or coming.dice is None or coming.kind is not ActionKind.MOVE or self.table is None:
            return self
        return replace(self, table=replace(self.table, state=coming.state))

    def with_match(self, match: Match) -> State:
        """With another match, at its end."""
        if not match.games:
            table = replace(Table.new(Rules.of(match), match.players), match=match)
            return replace(self.at_table(table), live=False)
        game = len(match.games) - 1
        return replace(self, match=match).gone(game, len(match.games[game].actions))


def _begun(table: Table) -> Table:
    """A table at which nothing has been done but that somebody was put on roll, as if he had won the opening."""
    actions = table.game.actions
    if len(actions) != 1 or actions[0].kind is not ActionKind.SET:
        return table
    if actions[0].comment or actions[0].analyses or actions[0].extras:
        return table
    start = table.rules.new_game(table.game.score, table.game.crawford)
    start = replace(start, on_roll=table.state.on_roll, game_state=GameState.PLAYING, cube=table.game.cube)
    if table.state != start or table.position != Position.start(table.rules.variant):
        return table
    return replace(table, game=replace(table.game, actions=()))
