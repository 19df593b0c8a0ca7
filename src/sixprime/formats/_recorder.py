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
from sixprime.formats._odd_plays import at_most_two, can_move, closed_out, dance
from sixprime.formats._problems import Report
from sixprime.game.match_rules import LARGEST_PLAYED_CUBE, Against, Rules, against_beaver, against_double, points, quiet
from sixprime.game.play import Play, carried_out, find_play, parse_play, parse_steps
from sixprime.game.position import Position
from sixprime.game.quick import maker
from sixprime.game.record import Action, ActionKind, Game
from sixprime.game.state import MatchState

Dice = tuple[int, int]
Place = tuple[int | None, int | None]
"""Line and column."""


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
    """Who won, as the file says; points None when it does not say how many but only how high (1 to 3).

    resigned: how high the loser resigned, 0 where that is not said, None where not even that he did.
    """

    winner: int
    points: int | None
    place: Place
    level: int = 1
    certain: bool = True
    resigned: int | None = None


class GameRecorder:
    """One game. Feed it in order, then call `finish`.

    place: of what is being read, for what is reported of it; whoever feeds sets it. illegal: how many plays broke the
    rules; of the first `explained` it is said what would have been legal, which takes longer. cube: its value at the
    start, after automatic doubles.
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
        self.place: Place = (None, None)
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

    def seen_by(self, player: int) -> Position:
        """The position now as a player sees it; where either may begin, as it is."""
        return self._position if self._turn in (None, player) else self._position.swapped()

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

    # Rolls and plays

    def move(self, player: int, dice: Dice, text: str) -> None:
        """A roll and the play that `text` writes."""
        if (self._special or self._turn != player) and not self._ready(player):
            return
        position = self._position
        try:
            play = find_play(text, position, dice)
        except InvalidPlayError as error:
            self._unknown_move(player, dice, str(error))
            return
        if play is None:
            self._illegal_move(player, dice, text)
            return
        state = self._states[self._cube, self._owner, player, dice]
        self._actions.append(_new_action(ActionKind.MOVE, player, position, state, dice, play, self.place[0]))
        self._position, self._turn = play.result, 1 - player
        if not any(self._position.opponent):
            self._borne_off(player)

    def no_move(self, player: int, dice: Dice) -> None:
        """A roll with which, as the file says, nothing could be moved."""
        if not self._ready(player):
            return
        illegal = can_move(self._position, dice)
        if illegal:
            self.illegal += 1
            self._complain(f"{_dice(dice)} can be played, but the file says it cannot")
        self._move(player, dice, dance(self._position), illegal=illegal)

    def blank(self, player: int, dice: Dice) -> None:
        """A roll without anything: no move, or the only legal play, or the player then gave up."""
        if not self._ready(player):
            return
        plays = [] if closed_out(self._position, dice) else at_most_two(self._position, dice)
        if len(plays) > 1:
            self._roll_only(player, dice)
        else:
            self._move(player, dice, plays[0] if plays else dance(self._position))

    def hidden(self, player: int, dice: Dice | None) -> None:
        """A roll (None: not even that) whose play the file keeps to itself: somebody then gave up."""
        if self._ready(player):
            if dice is None:
                self._hidden = self._special = True
            else:
                self._roll_only(player, dice)

    def moved_to(self, player: int, dice: Dice, result: Position) -> None:
        """A roll and the position after it, seen by the other player, where the play itself was not legal."""
        if not self._ready(player):
            return
        try:
            play = Play.between(self._position, dice, result)
        except IllegalPlayError:
            if not result.is_valid:
                self.lose_track("the position after this play is impossible")
            elif self._actions:
                self._move(player, dice, Play((), self._position, result), illegal=True)
            else:
                self._position, self._turn, self._set, self._special = result, 1 - player, True, True
        else:
            self._move(player, dice, play)

    def _illegal_move(self, player: int, dice: Dice, text: str) -> None:
        position = self._position
        if self._other_side is not None and self._actions and self._actions[-1].kind is ActionKind.SET:
            # The file does not say whose colour is whose; the legal reading is the right one.
            play = find_play(text, self._other_side, dice)
            if play is not None:
                self._position = self._other_side
                self.annotate(position=self._position)
                self._move(player, dice, play)
                return
        try:
            play = carried_out(position, parse_steps(text))
        except IllegalPlayError as error:
            self._unknown_move(player, dice, str(error))
            return
        self.illegal += 1
        self._complain(self._why_illegal(text, position, dice))
        self._move(player, dice, play, illegal=True)

    def _why_illegal(self, text: str, position: Position, dice: Dice) -> str:
        if self.illegal <= self._explained:
            try:
                parse_play(text, position, dice)
            except IllegalPlayError as error:
                return str(error)
        return f"{text!r} is no legal play of {_dice(dice)}"

    def _unknown_move(self, player: int, dice: Dice, reason: str) -> None:
        """A play after which the position is no longer known."""
        self.illegal += 1
        self._record(ActionKind.MOVE, player, self._state(player, dice), dice=dice, illegal=True)
        self.lose_track(reason)

    def _move(self, player: int, dice: Dice, play: Play, *, illegal: bool = False) -> None:
        self._record(ActionKind.MOVE, player, self._state(player, dice), dice=dice, play=play, illegal=illegal)
        self._position, self._turn = play.result, 1 - player
        if not any(self._position.opponent):
            self._borne_off(player)

    def _borne_off(self, player: int) -> None:
        """The end of the game. The position has the opponent on roll, who has lost."""
        self._end(player, points(self._state(player), self._position.result))

    def _roll_only(self, player: int, dice: Dice) -> None:
        self._record(ActionKind.ROLL, player, self._state(player, dice), dice=dice)
        self._hidden = self._special = True

    # The cube

    def automatic_double(self) -> None:
        """Both players threw the same number: the game starts with twice the cube."""
        if self._actions:
            self._complain("an automatic double after the first roll")
        elif 2 * self._first_cube > self._rules.cube_limit:
            self._complain(Against.LIMIT.said(self._state(0)))
        else:
            self._first_cube *= 2
            self._cube = self._first_cube

    def double(self, player: int, value: int | None = None) -> None:
        """The player doubles to `value`; while a double is offered, it is turned back (a beaver)."""
        if self._offer is not None and player == self._offer.answerer:
            self.beaver(player, value)
            return
        if not self._ready(player):
            return
        state, offered = self._state(player), 2 * self._cube
        against = set(against_double(state))
        if Against.CRAWFORD in against:
            self._complain("the cube is turned in the Crawford game")
        elif Against.OWNED in against:
            self._complain(f"{self._name(player)} doubles, but {Against.OWNED.said(state)}")
        if offered > LARGEST_PLAYED_CUBE:
            self.lose_track(f"the cube cannot be turned to {offered}")
            return
        if Against.LIMIT in against:
            self._complain(Against.LIMIT.said(state))
        if value is not None and value != offered:
            self._complain(f"the cube goes from {self._cube} to {offered}, not to {value}")
        self._record(ActionKind.DOUBLE, player, state, value=offered)
        self._offer = _Offer(player)
        self._special = True

    def beaver(self, player: int, value: int | None = None) -> None:
        """The player turns an offered double back; a second time it is a raccoon."""
        offer = self._offer
        if not self._answers(player, "beaver") or offer is None:
            return
        stakes = self._cube << offer.beavers + 1
        if value is not None and value != 2 * stakes:
            self._complain(f"the beaver turns the cube to {2 * stakes}, not to {value}")
        state = self._state(player)
        if Against.MATCH in against_beaver(state, stakes):
            self._complain(Against.MATCH.said(state))
        if 2 * stakes > LARGEST_PLAYED_CUBE:
            self.lose_track(f"the cube cannot be turned to {2 * stakes}")
            return
        self._answer(ActionKind.BEAVER, offer, 2 * stakes)
        self._offer = _Offer(offer.doubler, offer.beavers + 1)

    def take(self, player: int) -> None:
        """The player takes the double (or the beaver) offered."""
        if self._answers(player, "take"):
            self._take()

    def drop(self, player: int) -> None:
        """The player drops the double (or the beaver) offered and loses the game."""
        if self._answers(player, "drop"):
            self._drop()

    def _take(self) -> None:
        offer = self._offer
        assert offer is not None
        self._answer(ActionKind.TAKE, offer)
        self._cube <<= offer.beavers + 1
        self._owner = 1 - offer.doubler
        self._offer = None
        self._special = False

    def _take_unsaid(self, offer: _Offer) -> None:
        """Takes what the file does not say was taken. Nobody writes that a beaver is."""
        if not offer.beavers:
            self._complain("the double before this has no answer; read as taken")
        self._take()

    def _drop(self) -> None:
        offer = self._offer
        assert offer is not None
        self._answer(ActionKind.DROP, offer)
        self._end(1 - offer.answerer, self._cube << offer.beavers)
        self._offer = None

    def _answer(self, kind: ActionKind, offer: _Offer, value: int = 0) -> None:
        """Records an answer to a double."""
        player = offer.answerer
        state = replace(self._state(offer.doubler).offered(), beavered=offer.beavers, turn=player)
        self._record(kind, player, state, value=value)

    def _answers(self, player: int, word: str) -> bool:
        """Whether `player` can answer a double now."""
        if self.lost or self._winner is not None or self._hidden:
            return self._may_act()
        if self._offer is None or self._offer.answerer != player:
            self._complain(f"a {word} by {self._name(player)} without a double before it")
            return False
        return True

    # The end

    def wins(self, player: int, points: int | None = None, resigned: int | None = None) -> None:
        """The file says that the player won the game, and how many points.

        resigned: how high the opponent resigned, 0 where it does not say how high, None where not even that he did.
        """
        claim = self._claim
        if claim is None or not claim.certain:
            if claim is not None and resigned is None and claim.winner == player:
                resigned = claim.resigned
            self._claim = _Claim(player, points, self.place, resigned=resigned)

    def resigns(self, player: int, points: int | None = None, level: int = 0) -> None:
        """The file says that the player gave up the game, and how high (0: it does not); a word on who won it weighs
        more."""
        if self._claim is None:
            self._claim = _Claim(1 - player, points, self.place, level or 1, certain=False, resigned=level)

    def finish(self, next_score: tuple[int, int] | None = None, line: int | None = None) -> Game:
        """The game; `next_score`, that of the next game, settles a result the file does not give."""
        self.place = line, 1
        if self._set and not self.lost:
            self._record_set(0 if self._turn is None else self._turn)
        claim = self._claim
        if claim is not None:
            self.place = claim.place
        elif self._winner is None and (claim := self._gained(next_score)) is not None and not self.lost:
            won = f"{self._name(claim.winner)} won {points_text(claim.points or 0)}"
            self._complain(f"game {self._number} has no result; by the next score {won}")
        if self._winner is not None:
            if claim is not None:
                self._check(claim)
        elif claim is not None:
            gained = self._gained(next_score)
            if gained is not None and (gained.winner, gained.points) == (1 - claim.winner, claim.points):
                # What stands in the wrong column of a text that was trimmed; scores have no columns.
                winners = self._name(claim.winner), self._name(gained.winner)
                self._complain("the file says that {} won; by the next score it was {}".format(*winners))
                claim = replace(claim, winner=gained.winner)
            self._give_up(claim)
        elif not self.lost:
            self._complain(f"game {self._number} breaks off here")
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

    def _gained(self, next_score: tuple[int, int] | None) -> _Claim | None:
        """What the score of the next game says of this one."""
        gained = (0, 0) if next_score is None else (next_score[0] - self._score[0], next_score[1] - self._score[1])
        return _Claim(int(not gained[0]), max(gained), self.place) if min(gained) == 0 < max(gained) else None

    def _end(self, winner: int, won: int) -> None:
        self._winner, self._points, self._special = winner, won, True

    def _check(self, claim: _Claim) -> None:
        """Compares the result by the rules with what the file says."""
        if claim.winner != self._winner:
            assert self._winner is not None
            winners = self._name(claim.winner), self._name(self._winner)
            self._complain("the file says that {} won, but it was {}".format(*winners))
        elif claim.points is None and claim.level > 1 and self._points < claim.level * self._cube:
            # A gammon that is called one, though by Jacoby's rule it was none.
            self.gammon_counted = self._rules.jacoby and claim.level == self._position.result
        elif claim.points is not None and claim.points != self._points:
            if self._decides(claim.winner, claim.points) and claim.points < self._points:
                self._points = claim.points  # no more points than the match needs
            else:
                self.gammon_counted = self._rules.jacoby and claim.points == self._cube * self._position.result
                self._complain(f"the file says that {points_text(claim.points)} were won, but it was {self._points}")

    def _decides(self, winner: int, won: int) -> bool:
        """Whether these points win the match: sites cap them at what was needed, Galaxy at the length of the match."""
        return 0 < self._rules.length <= self._score[winner] + won

    def _give_up(self, claim: _Claim) -> None:
        """The game was not played out: the loser resigned, or dropped a double without a word."""
        winner, won, loser = claim.winner, claim.points, 1 - claim.winner
        if self.lost:
            if won:
                self._end(winner, won)
            return
        cube = self._cube
        if (offer := self._offer) is not None:
            # As at a table, the stakes are those before the offer.
            cube <<= offer.beavers
            if claim.resigned is None and offer.answerer == loser and (won is None or won <= cube):
                self._drop()
                self._check(claim)
                return
            if won is not None and (won > 3 * cube or (claim.resigned and won == 2 * cube * claim.resigned)):
                self._take_unsaid(offer)
                cube = self._cube
            elif claim.resigned is None:
                self._complain("the double before this has no answer; read as a resignation while it was on offer")
            self._offer = None
        if won is None:
            won = claim.level * cube
        elif won == 0:
            self._complain("a game cannot be won with 0 points")
            won = cube
        level = min(-(-won // cube), 3)
        if won != level * cube and not (won < level * cube and self._decides(winner, won)):
            self._complain(
                f"{points_text(won)} cannot be won by resignation with the cube on {cube}; read as {level * cube}"
            )
            won = level * cube
        if self._turn == 1 - loser:
            self._position = self._position.swapped()
        self._turn = loser
        self._record(ActionKind.RESIGN, loser, self._state(loser), value=level)
        self._end(winner, won)
        self._resigned = True

    # Positions set by hand

    def set_board(self, position: Position, cube: int = 1, owner: int | None = None, player: int | None = None) -> None:
        """The board, seen by player 0, and the cube were set by hand; setting what is there changes nothing.

        player: who is on roll. Without one, the next to act is, and as files differ in whose chequers are whose,
        the colours are exchanged where the next play is not legal.
        """
        if self.lost or self._winner is not None:
            self._may_act()
            return
        seen = position if self._turn in (0, None) else position.swapped()
        if player is None and (self._cube, self._owner) == (cube, owner) and self._position in (seen, seen.swapped()):
            return
        if not position.is_valid or position.winner is not None:
            self.lose_track("an impossible position is set")
            return
        self._position, self._cube, self._owner, self._turn = position, cube, owner, player
        if player == 1:
            self._position = position.swapped()
        self._offer, self._hidden, self._set, self._special = None, False, True, True

    def set_cube(self, cube: int, owner: int | None) -> None:
        """The cube was set by hand; the board stays."""
        self.set_board(self.seen_by(0), cube, owner, self._turn)

    def _record_set(self, player: int) -> None:
        """Records the position that was set, now that it is known who is on roll."""
        if self._turn is None:
            # Seen by player 0; the other reading has the colours exchanged.
            seen = self._position if player == 0 else self._position.swapped()
            self._position, self._other_side = seen, seen.swapped()
        elif self._turn != player:
            self._position = self._position.swapped()
        self._turn, self._set, self._special = player, False, False
        self._record(ActionKind.SET, player, self._state(player))

    # Order and trouble

    def _ready(self, player: int) -> bool:
        """Whether `player` can roll or double now; makes it his turn."""
        if not self._may_act():
            return False
        if self._set:
            self._record_set(player)
        if self._offer is not None:
            self._take_unsaid(self._offer)
        if self._turn == 1 - player:
            self._complain(f"it is not the turn of {self._name(player)}")
            self._position = self._position.swapped()
        self._turn = player
        return True

    def _may_act(self) -> bool:
        """Whether anything can follow."""
        if self.lost:
            return False
        if self._winner is not None:
            if not self._complained:
                self._complain("the game is already over; what follows is left out")
                self._complained = True
            return False
        if self._hidden:
            self.lose_track("the play of the roll before this is missing")
            return False
        return True

    def lose_track(self, message: str) -> None:
        """Reports why the position is no longer known; from here on only the result counts."""
        if not self.lost:
            self._complain(f"{message}; the rest of game {self._number} is left out")
            self.lost = self._special = True
            self._offer = None

    def _complain(self, message: str) -> None:
        self._report(message, *self.place)

    def _record(self, kind: ActionKind, player: int, state: MatchState, **parts: Any) -> None:
        self._actions.append(Action(kind, player, self._position, state, line=self.place[0], **parts))

    def _state(self, player: int, dice: Dice | None = None) -> MatchState:
        return self._states[self._cube, self._owner, player, dice]

    def _name(self, player: int) -> str:
        return self._names[player] or f"player {player + 1}"


_new_action = maker(Action, "kind", "player", "position", "state", "dice", "play", "line")

_CHANGING = ("cube", "cube_owner", "on_roll", "dice")
_LASTING = tuple(name for name in MatchState.__slots__ if name not in _CHANGING)
_new_state = maker(MatchState, *_CHANGING)


class _States(dict[tuple[int, int | None, int, Dice | None], MatchState]):
    """The states of a game by value and owner of the cube, player on roll and dice, made when they are asked for."""

    def __init__(self, start: MatchState) -> None:
        self._lasting = tuple(getattr(start, name) for name in _LASTING)

    def __missing__(self, key: tuple[int, int | None, int, Dice | None]) -> MatchState:
        state = self[key] = _new_state(*key, *self._lasting)
        return state


@lru_cache(maxsize=256)
def _states(rules: Rules, score: tuple[int, int], crawford: bool) -> _States:
    """The states of games that start alike: the same ones come again and again."""
    return _States(quiet(rules.new_game(score, crawford)))


def _dice(dice: Dice) -> str:
    return f"{dice[0]}-{dice[1]}"


def points_text(count: int) -> str:
    """`1 point`, `2 points`."""
    return "1 point" if count == 1 else f"{count} points"
