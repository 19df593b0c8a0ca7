"""`GameRecorder`: plays a game by the rules as a reader meets its parts, and keeps what happened.

Readers of all text formats feed it; it knows nothing of their grammar. What goes against the rules is
reported and recorded as far as possible. From where the position is no longer known, nothing but the result
is taken.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from sixprime.errors import IllegalPlayError, InvalidPlayError
from sixprime.formats._odd_plays import at_most_two, can_move, carried_out, closed_out, dance
from sixprime.formats._problems import Report
from sixprime.game._quick import maker
from sixprime.game.match_rules import LARGEST_CUBE, Against, Rules, against_beaver, against_double, points, quiet
from sixprime.game.play import Play, find_play, parse_play, parse_steps
from sixprime.game.position import Position
from sixprime.game.record import Action, ActionKind, Game
from sixprime.game.state import MatchState

Dice = tuple[int, int]


@dataclass(frozen=True, slots=True)
class _Offer:
    """A double that waits for an answer; beavers: how many times it was turned back since."""

    doubler: int
    beavers: int = 0

    @property
    def answerer(self) -> int:
        return 1 - self.doubler if self.beavers % 2 == 0 else self.doubler


@dataclass(frozen=True, slots=True)
class _Claim:
    """Who won, as the file says; points None when it does not say how many but only how high (1 to 3)."""

    winner: int
    points: int | None
    line: int | None
    column: int | None
    level: int = 1
    certain: bool = True


class GameRecorder:
    """One game. Feed it in order, then call `finish`.

    Each method takes the line and column to report. illegal: how many plays broke the rules; of the first
    `explained` it is said what would have been legal, which takes longer. cube: its value at the start, after
    automatic doubles.
    """

    def __init__(
        self,
        rules: Rules,
        names: tuple[str, str],
        number: int,
        score: tuple[int, int],
        crawford: bool,
        report: Report,
        explained: int = 20,
        cube: int = 1,
    ) -> None:
        self.illegal = 0
        self.lost = False  # whether the position is unknown, so that only the result can be read
        self.gammon_counted = False  # whether a gammon counted that by Jacoby's rule should not have
        self._rules, self._names, self._number, self._report = rules, names, number, report
        self._score, self._crawford, self._explained = score, crawford, explained
        self._states = _states(rules, score, crawford)
        self._actions: list[Action] = []
        self._position = Position.start(rules.variant)  # seen by `_turn`
        self._turn: int | None = None
        self._cube = self._first_cube = cube
        self._owner: int | None = None
        self._offer: _Offer | None = None
        self._hidden = False  # whether the last roll has no play, so that nothing can follow
        self._set = False  # whether a position was set and not yet recorded
        self._other_side: Position | None = None  # how that position reads for the other colour
        self._claim: _Claim | None = None
        self._winner: int | None = None
        self._points = 0
        self._resigned = False
        self._complained = False
        self._special = False  # whether the next roll needs a closer look

    @property
    def position(self) -> Position:
        """The position now, seen by the player whose turn it is (at the start of a game by either)."""
        return self._position

    @property
    def turn(self) -> int | None:
        """Whose turn it is; None where either may begin. A position that was set is then seen by player 0."""
        return self._turn

    @property
    def cube(self) -> tuple[int, int | None]:
        """Value and owner of the cube now."""
        return self._cube, self._owner

    @property
    def recorded(self) -> int:
        """How many actions there are; `annotate` speaks of the last."""
        return len(self._actions)

    @property
    def last(self) -> Action:
        """The last action."""
        return self._actions[-1]

    def annotate(self, number: int = -1, **parts: Any) -> None:
        """Adds what a file says of an action, by default the last: `comment`, `seconds`, `analyses` or `extras`."""
        if self._actions:
            self._actions[number] = replace(self._actions[number], **parts)

    def automatic_double(self, line: int | None = None, column: int | None = None) -> None:
        """Both players threw the same number: the game starts with twice the cube."""
        if self._actions:
            self._report("an automatic double after the first roll", line, column)
        elif 2 * self._first_cube > self._rules.cube_limit:
            self._report(Against.LIMIT.said(self._state(0, None)), line, column)
        else:
            self._first_cube *= 2
            self._cube = self._first_cube

    # Rolls and plays

    def move(self, player: int, dice: Dice, text: str, line: int | None = None, column: int | None = None) -> None:
        """A roll and the play that `text` writes."""
        if (self._special or self._turn != player) and not self._ready(player, line, column):
            return
        position = self._position
        state = self._states[self._cube, self._owner, player, dice]
        try:
            play = find_play(text, position, dice)
        except InvalidPlayError as error:
            self.illegal += 1
            self._record_move(player, dice, None, True, line)
            self.lose_track(str(error), line, column)
            return
        if play is None:
            self._illegal_move(player, dice, text, line, column)
            return
        self._actions.append(_new_action(ActionKind.MOVE, player, position, state, dice, play, 0, False, "", line))
        self._position = play.result
        self._turn = 1 - player
        if not any(play.result.opponent):
            self._bear_off(player, play)

    def no_move(self, player: int, dice: Dice, line: int | None = None, column: int | None = None) -> None:
        """A roll with which, as the file says, nothing could be moved."""
        if not self._ready(player, line, column):
            return
        illegal = can_move(self._position, dice)
        if illegal:
            self.illegal += 1
            self._report(f"{_dice(dice)} can be played, but the file says it cannot", line, column)
        self._record_move(player, dice, dance(self._position), illegal, line)

    def blank(self, player: int, dice: Dice, line: int | None = None, column: int | None = None) -> None:
        """A roll without anything: no move, or the only legal play, or the player then gave up."""
        if not self._ready(player, line, column):
            return
        plays = [] if closed_out(self._position, dice) else at_most_two(self._position, dice)
        if len(plays) > 1:
            self._roll_only(player, dice, line)
        else:
            self._record_move(player, dice, plays[0] if plays else dance(self._position), False, line)

    def hidden(self, player: int, dice: Dice | None, line: int | None = None, column: int | None = None) -> None:
        """A roll (None: not even that) whose play the file keeps to itself: somebody then gave up."""
        if self._ready(player, line, column):
            if dice is None:
                self._hidden = self._special = True
            else:
                self._roll_only(player, dice, line)

    def moved_to(
        self, player: int, dice: Dice, result: Position, line: int | None = None, column: int | None = None
    ) -> None:
        """A roll and the position after it, seen by the other player, where the play itself was not legal."""
        if not self._ready(player, line, column):
            return
        try:
            play = Play.between(self._position, dice, result)
        except IllegalPlayError:
            if not result.is_valid:
                self.lose_track("the position after this play is impossible", line, column)
            elif self._actions:
                self._record_move(player, dice, Play((), self._position, result), True, line)
            else:
                self._position, self._turn, self._set, self._special = result, 1 - player, True, True
        else:
            self._record_move(player, dice, play, False, line)

    def _illegal_move(self, player: int, dice: Dice, text: str, line: int | None, column: int | None) -> None:
        position = self._position
        if self._other_side is not None and self._actions and self._actions[-1].kind is ActionKind.SET:
            # The file does not say whose colour is whose; the legal reading is the right one.
            play = find_play(text, self._other_side, dice)
            if play is not None:
                self._position = self._other_side
                self._actions[-1] = replace(self._actions[-1], position=self._position)
                self._record_move(player, dice, play, False, line)
                return
        self.illegal += 1
        try:
            play = carried_out(position, parse_steps(text))
        except IllegalPlayError as error:
            self._record_move(player, dice, None, True, line)
            self.lose_track(str(error), line, column)
            return
        self._report(self._why_illegal(text, position, dice), line, column)
        self._record_move(player, dice, play, True, line)

    def _why_illegal(self, text: str, position: Position, dice: Dice) -> str:
        if self.illegal <= self._explained:
            try:
                parse_play(text, position, dice)
            except IllegalPlayError as error:
                return str(error)
        return f"{text!r} is no legal play of {_dice(dice)}"

    def _record_move(self, player: int, dice: Dice, play: Play | None, illegal: bool, line: int | None) -> None:
        state = self._state(player, dice)
        self._actions.append(
            Action(ActionKind.MOVE, player, self._position, state, dice, play, illegal=illegal, line=line)
        )
        if play is None:
            return
        self._position = play.result
        self._turn = 1 - player
        if not any(play.result.opponent):
            self._bear_off(player, play)

    def _roll_only(self, player: int, dice: Dice, line: int | None) -> None:
        self._actions.append(
            Action(ActionKind.ROLL, player, self._position, self._state(player, dice), dice, line=line)
        )
        self._hidden = self._special = True

    def _bear_off(self, player: int, play: Play) -> None:
        # The result has the opponent on roll, who has lost.
        self._end(player, points(self._state(player, None), play.result.result))

    # The cube

    def double(self, player: int, value: int | None = None, line: int | None = None, column: int | None = None) -> None:
        """The player doubles to `value`; while a double is offered, it is turned back (a beaver)."""
        if self._offer is not None and player == self._offer.answerer:
            self.beaver(player, value, line, column)
            return
        if not self._ready(player, line, column):
            return
        state = self._state(player, None)
        against = set(against_double(state))
        if Against.CRAWFORD in against:
            self._report("the cube is turned in the Crawford game", line, column)
        elif Against.OWNED in against:
            self._report(f"{self._name(player)} doubles, but {Against.OWNED.said(state)}", line, column)
        if 2 * self._cube > LARGEST_CUBE:
            self.lose_track(f"the cube cannot be turned to {2 * self._cube}", line, column)
            return
        if Against.LIMIT in against:
            self._report(Against.LIMIT.said(state), line, column)
        if value is not None and value != 2 * self._cube:
            self._report(f"the cube goes from {self._cube} to {2 * self._cube}, not to {value}", line, column)
        self._cube_action(ActionKind.DOUBLE, player, 2 * self._cube, line)
        self._offer = _Offer(player)
        self._special = True

    def beaver(self, player: int, value: int | None = None, line: int | None = None, column: int | None = None) -> None:
        """The player turns an offered double back; a second time it is a raccoon."""
        offer = self._offer
        if not self._answers(player, "beaver", line, column) or offer is None:
            return
        offered = self._cube << (offer.beavers + 2)
        if value is not None and value != offered:
            self._report(f"the beaver turns the cube to {offered}, not to {value}", line, column)
        state = self._state(player, None)
        if Against.MATCH in against_beaver(state, offered // 2):
            self._report(Against.MATCH.said(state), line, column)
        if offered > LARGEST_CUBE:
            self.lose_track(f"the cube cannot be turned to {offered}", line, column)
            return
        self._cube_action(ActionKind.BEAVER, player, offered, line)
        self._offer = _Offer(offer.doubler, offer.beavers + 1)

    def take(self, player: int, line: int | None = None, column: int | None = None) -> None:
        """The player takes the double (or the beaver) offered."""
        if self._answers(player, "take", line, column):
            self._take(line)

    def drop(self, player: int, line: int | None = None, column: int | None = None) -> None:
        """The player drops the double (or the beaver) offered and loses the game."""
        if self._answers(player, "drop", line, column):
            self._drop(line)

    def _take(self, line: int | None) -> None:
        offer = self._offer
        assert offer is not None
        self._cube_action(ActionKind.TAKE, offer.answerer, 0, line)
        self._cube <<= offer.beavers + 1
        self._owner = 1 - offer.doubler
        self._offer = None
        self._special = False

    def _drop(self, line: int | None) -> None:
        offer = self._offer
        assert offer is not None
        self._cube_action(ActionKind.DROP, offer.answerer, 0, line)
        self._end(1 - offer.answerer, self._cube << offer.beavers)
        self._offer = None

    def _cube_action(self, kind: ActionKind, player: int, value: int, line: int | None) -> None:
        if self._offer is None:
            state = self._state(player, None)
        else:
            state = self._state(self._offer.doubler, None)
            state = replace(state, doubled=True, beavered=min(self._offer.beavers, 2), turn=player)
        self._actions.append(Action(kind, player, self._position, state, value=value, line=line))

    def _answers(self, player: int, word: str, line: int | None, column: int | None) -> bool:
        """Whether `player` can answer a double now."""
        if self.lost or self._winner is not None or self._hidden:
            return self._may_act(line, column)
        if self._offer is None or self._offer.answerer != player:
            self._report(f"a {word} by {self._name(player)} without a double before it", line, column)
            return False
        return True

    # The end

    def wins(self, player: int, points: int | None = None, line: int | None = None, column: int | None = None) -> None:
        """The file says that the player won the game, and how many points."""
        if self._claim is None or not self._claim.certain:
            self._claim = _Claim(player, points, line, column)

    def resigns(
        self,
        player: int,
        points: int | None = None,
        line: int | None = None,
        column: int | None = None,
        level: int = 1,
    ) -> None:
        """The file says that the player gave up the game; a word on who won it weighs more."""
        if self._claim is None:
            self._claim = _Claim(1 - player, points, line, column, level, certain=False)

    def finish(self, next_score: tuple[int, int] | None = None, line: int | None = None) -> Game:
        """The game; `next_score`, that of the next game, settles a result the file does not give."""
        if self._set and not self.lost:
            self._record_set(0 if self._turn is None else self._turn, line)
        claim = self._claim
        if self._winner is not None:
            if claim is not None:
                self._check(claim)
        elif claim is not None:
            self._give_up(claim)
        elif (claim := self._gained(next_score, line)) is not None:
            if not self.lost:
                won = f"{self._name(claim.winner)} won {_points(claim.points or 0)}"
                self._report(f"game {self._number} has no result; by the next score {won}", line, 1)
            self._give_up(claim)
        elif not self.lost:
            self._report(f"game {self._number} breaks off here", line, 1)
        return Game(
            self._number,
            self._score,
            self._crawford,
            tuple(self._actions),
            self._winner,
            self._points,
            self._resigned,
            self._first_cube,
        )

    def _gained(self, next_score: tuple[int, int] | None, line: int | None) -> _Claim | None:
        """What the score of the next game says of this one."""
        gained = (0, 0) if next_score is None else (next_score[0] - self._score[0], next_score[1] - self._score[1])
        return _Claim(int(not gained[0]), max(gained), line, 1) if min(gained) == 0 < max(gained) else None

    def _end(self, winner: int, won: int) -> None:
        self._winner, self._points, self._special = winner, won, True

    def _check(self, claim: _Claim) -> None:
        """Compares the result by the rules with what the file says."""
        if claim.winner != self._winner:
            assert self._winner is not None
            self._report(
                f"the file says that {self._name(claim.winner)} won, but it was {self._name(self._winner)}",
                claim.line,
                claim.column,
            )
        elif claim.points is None and claim.level > 1 and self._points < claim.level * self._cube:
            # A gammon that is called one, though by Jacoby's rule it was none.
            self.gammon_counted = self._rules.jacoby and claim.level == self._position.result
        elif claim.points is not None and claim.points != self._points:
            if self._decides(claim.winner, claim.points) and claim.points < self._points:
                self._points = claim.points  # no more points than the match needs
            else:
                self.gammon_counted = self._rules.jacoby and claim.points == self._cube * self._position.result
                self._report(
                    f"the file says that {_points(claim.points)} were won, but it was {self._points}",
                    claim.line,
                    claim.column,
                )

    def _decides(self, winner: int, won: int) -> bool:
        """Whether these points win the match: sites cap them at what was needed, Galaxy at the length of the match."""
        return 0 < self._rules.length <= self._score[winner] + won

    def _give_up(self, claim: _Claim) -> None:
        """The game was not played out: the loser resigned, or dropped a double without a word."""
        winner, won, line = claim.winner, claim.points, claim.line
        loser = 1 - winner
        if self.lost:
            if won:
                self._end(winner, won)
            return
        offer = self._offer
        if offer is not None:
            if offer.answerer == loser and (won is None or won <= self._cube << offer.beavers):
                self._drop(line)
                self._check(claim)
                return
            if won is not None and won > self._cube << offer.beavers:
                self._take(line)
            self._offer = None
        if won is None:
            won = claim.level * self._cube
        elif won == 0:
            self._report("a game cannot be won with 0 points", claim.line, claim.column)
            won = self._cube
        level = min(-(-won // self._cube), 3)
        if won != level * self._cube and not (won < level * self._cube and self._decides(winner, won)):
            self._report(
                f"{_points(won)} cannot be won by resignation with the cube on {self._cube}; "
                f"read as {level * self._cube}",
                claim.line,
                claim.column,
            )
            won = level * self._cube
        if self._turn is None:
            self._turn = loser
        position = self._position if self._turn == loser else self._position.swapped()
        self._actions.append(
            Action(ActionKind.RESIGN, loser, position, self._state(loser, None), value=level, line=line)
        )
        self._end(winner, won)
        self._resigned = True

    # Positions set by hand

    def set_board(
        self,
        position: Position,
        cube: int = 1,
        owner: int | None = None,
        line: int | None = None,
        column: int | None = None,
        player: int | None = None,
    ) -> None:
        """The board, seen by player 0, and the cube were set by hand; setting what is there changes nothing.

        player: who is on roll. Without one, the next to act is, and as files differ in whose chequers are whose,
        the colours are exchanged where the next play is not legal.
        """
        if self.lost or self._winner is not None:
            self._may_act(line, column)
            return
        seen = position if self._turn in (0, None) else position.swapped()
        if player is None and (self._cube, self._owner) == (cube, owner) and self._position in (seen, seen.swapped()):
            return
        if not position.is_valid or position.winner is not None:
            self.lose_track("an impossible position is set", line, column)
            return
        self._position, self._cube, self._owner, self._turn = position, cube, owner, player
        if player == 1:
            self._position = position.swapped()
        self._offer, self._hidden, self._set, self._special = None, False, True, True

    def _record_set(self, player: int, line: int | None) -> None:
        """Records the position that was set, now that it is known who is on roll."""
        if self._turn is None:
            # Seen by player 0; the other reading has the colours exchanged.
            seen = self._position if player == 0 else self._position.swapped()
            self._position, self._other_side = seen, seen.swapped()
        elif self._turn != player:
            self._position = self._position.swapped()
        self._turn, self._set, self._special = player, False, False
        self._actions.append(Action(ActionKind.SET, player, self._position, self._state(player, None), line=line))

    # Order and trouble

    def _ready(self, player: int, line: int | None, column: int | None) -> bool:
        """Whether `player` can roll or double now; makes it his turn."""
        if not self._may_act(line, column):
            return False
        if self._set:
            self._record_set(player, line)
        if self._offer is not None:
            # Nobody writes that a beaver is taken.
            if not self._offer.beavers:
                self._report("the double before this has no answer; read as taken", line, column)
            self._take(line)
        if self._turn is None:
            self._turn = player
        elif self._turn != player:
            self._report(f"it is not the turn of {self._name(player)}", line, column)
            self._pass_turn()
        return True

    def _may_act(self, line: int | None, column: int | None) -> bool:
        if self.lost:
            return False
        if self._winner is not None:
            if not self._complained:
                self._report("the game is already over; what follows is left out", line, column)
                self._complained = True
            return False
        if self._hidden:
            self.lose_track("the play of the roll before this is missing", line, column)
            return False
        return True

    def lose_track(self, message: str, line: int | None = None, column: int | None = None) -> None:
        """Reports why the position is no longer known; from here on only the result counts."""
        if self.lost:
            return
        self._report(f"{message}; the rest of game {self._number} is left out", line, column)
        self.lost = self._special = True
        self._offer = None

    def set_cube(self, cube: int, owner: int | None, line: int | None = None, column: int | None = None) -> None:
        """The cube was set by hand; the board stays."""
        board = self._position if self._turn != 1 else self._position.swapped()
        self.set_board(board, cube, owner, line, column, self._turn)

    def _pass_turn(self) -> None:
        self._position = self._position.swapped()
        self._turn = None if self._turn is None else 1 - self._turn

    def _state(self, player: int, dice: Dice | None) -> MatchState:
        return self._states[self._cube, self._owner, player, dice]

    def _name(self, player: int) -> str:
        return self._names[player] or f"player {player + 1}"


_new_state, _new_action = maker(MatchState), maker(Action)


class _States(dict[tuple[int, int | None, int, Dice | None], MatchState]):
    """The states of a game by value and owner of the cube, player on roll and dice, made when they are asked for."""

    def __init__(self, start: MatchState) -> None:
        self._start = start

    def __missing__(self, key: tuple[int, int | None, int, Dice | None]) -> MatchState:
        cube, owner, player, dice = key
        start = self._start
        state = self[key] = _new_state(
            start.length, start.score, cube, owner, player, None, start.crawford, start.jacoby, start.beavers, dice,
            False, 0, 0, start.game_state, start.cube_limit,
        )  # fmt: skip
        return state


@lru_cache(maxsize=256)
def _states(rules: Rules, score: tuple[int, int], crawford: bool) -> _States:
    """The states of games that start alike: the same ones come again and again."""
    return _States(quiet(rules.new_game(score, crawford)))


def _dice(dice: Dice) -> str:
    return f"{dice[0]}-{dice[1]}"


def _points(count: int) -> str:
    return "1 point" if count == 1 else f"{count} points"
