"""What positions, plays and cubes are worth, in the module's shapes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from sixprime.cube.decision import as_gnu
from sixprime.cube.state import CubeState
from sixprime.cube.values import cubeless
from sixprime.engine import Engine
from sixprime.engine.filters import MoveFilter, get_filter
from sixprime.engine.judge import packed, without_cube
from sixprime.engine.plies import classes_of
from sixprime.engine.presets import Preset
from sixprime.engine.results import CubeAnalysis
from sixprime.errors import SettingsError
from sixprime.game.ids import gnubg_id
from sixprime.game.position import Position
from sixprime.game.state import MONEY, MatchState
from sixprime.gnubg.host import host, served, situation
from sixprime.gnubg.places import flat, position_of
from sixprime.gnubg.situation import CHEQUERS, Info, context_of, state_of, table_in_use

Rows = Sequence[Sequence[int]]

_EXACT, _ONE_SIDED, _CRASHED, _CONTACT = 4, 6, 9, 10
_CLASSES = (0, _EXACT, _ONE_SIDED, 8, _CRASHED, _CONTACT)
"""Numbers of the classes of `kernels.search` in the module."""
_TWO_SIDED = 6
"""Chequers of a side in the two-sided database."""
_FEW = 6
"""Chequers in play with which a side has crashed."""


@lru_cache(maxsize=8)
def _engine(plies: int, noise: float, deterministic: bool, prune: bool, moves: MoveFilter, met: Any) -> Engine:
    level = Preset("script", plies, moves, noise=noise, deterministic=deterministic, prune=prune)
    return Engine(level=level, met=met)


def engine_for(context: Info) -> Engine:
    """The engine of an eval-context and of the move filter of hints."""
    now = served()
    if now is not None and (own := now.engine(dict(context))) is not None:
        return own
    moves = get_filter("normal") if now is None else now.filter()
    plies, noise, prune = context["plies"], context["noise"], bool(context["prune"])
    return _engine(plies, noise, bool(context["deterministic"]), prune, moves, table_in_use())


def _asked(
    board: Rows | None, cube: Info | None, context: Info | None, *, for_cube: bool
) -> tuple[Position, MatchState, dict[str, Any]]:
    """What a call concerns; a board alone without a game is money play, a context without cube a state without one."""
    now = served()
    state, chequers = MONEY, CHEQUERS[0]
    if cube is not None:
        state, chequers = state_of(cube), CHEQUERS[cube.get("bgv", 0)]
    elif board is None or (now is not None and now.situation() is not None):
        there, state = situation()
        chequers = there.chequers
    position = position_of(board, chequers)
    position.check()
    chosen = context_of(context if context is not None or now is None else now.context(for_cube))
    state = state.before_roll()
    # Cube decisions are judged with the cube, whatever is set.
    return position, state if for_cube or chosen["cubeful"] else without_cube(state), chosen


def evaluate(board: Rows | None = None, cube: Info | None = None, context: Info | None = None, /) -> tuple[float, ...]:
    """Five chances and the equity without cube of the player on roll, before the dice.

    All from the game where they are not given. The equity is normalised to the cube in match play; for money gammons
    count whatever the Jacoby rule says.
    """
    position, state, context = _asked(board, cube, context, for_cube=True)
    found = engine_for(context).evaluate(position, match=state)
    equity = found.probabilities.cubeless
    if state.length:
        equity = float(cubeless(found.probabilities, CubeState.from_match(state), table_in_use()))
    return (*found.probabilities, equity)


def cfevaluate(
    board: Rows | None = None, cube: Info | None = None, context: Info | None = None, /
) -> tuple[float, float, float, float, int, str]:
    """The cube decision: equity when both do best, after no double, double and take, double and pass; number and words.

    Equities are the doubler's and normalised to the cube before the double.
    """
    position, state, context = _asked(board, cube, context, for_cube=True)
    # A context names its plies.
    return decided(engine_for(context).cube_action(position, match=state, deepen=False))


def decided(found: CubeAnalysis) -> tuple[float, float, float, float, int, str]:
    """A cube decision in the module's shape."""
    action = as_gnu(found.action)
    return found.optimal, found.no_double, found.double_take, found.double_pass, int(action), action.text


def findbestmove(
    board: Rows | None = None,
    cube: Info | None = None,
    context: Info | None = None,
    dice: tuple[int, int] | None = None,
    /,
) -> tuple[int, ...]:
    """The best play as points in a row, from and to of every step; empty where no chequer can move."""
    position, state, context = _asked(board, cube, context, for_cube=False)
    if dice is None and (now := served()) is not None and (there := now.situation()) is not None:
        dice = there[1].dice
    if dice is None:
        raise SettingsError("dice must be two numbers from 1 to 6: none are given, and none have been thrown")
    plays = engine_for(context).best_plays(position, dice, match=state, count=1)
    return flat(plays[0].play.steps) if plays else ()


def hint(most: int = -1, /) -> dict[str, Any]:
    """What is best in the game now: plays where there are dice, else the cube decision, and whether to take a double.

    most: how many plays; 0 for 10, below it for all; none where no chequer can move. 'hinttype' is "chequer" or "cube".
    A cube decision has one entry, whose 'equities' are optimal, no double, double and take, double and pass, all the
    doubler's.
    Raises NoGameError without a game, SettingsError while an offer to resign waits or the game is over.
    """
    position, state = situation()
    if not isinstance(most, int):
        raise SettingsError(f"the number of plays must be a whole number. Got {most!r} instead.")
    if state.resigned or state.game_state not in (1, 0):
        raise SettingsError("hints are for plays and cube decisions of a game in progress")
    id = gnubg_id(position, state)
    context = context_of(host().context(state.dice is None))
    clear = state.before_roll()
    if state.dice is not None and not context["cubeful"]:
        clear = without_cube(clear)
    engine = engine_for(context)
    if state.dice is None:
        found = engine.cube_action(position, match=clear)
        equities = decided(found)
        entry = {
            "type": "eval",
            "action": equities[5],
            "code": equities[4],
            "equities": equities[:4],
            "context": context | {"plies": found.plies},
            "details": {"probs": tuple(found.probabilities), "score": found.cubeless_equity},
        }
        return {"hinttype": "cube", "gnubgid": id, "hint": [entry]}
    plays = engine.best_plays(position, state.dice, match=clear, count=None if most < 0 else int(most) or 10)
    plays = [each for each in plays if str(each.play)]  # a dance is no play
    entries = [
        {
            "movenum": number,
            "type": "eval",
            "move": str(play.play),
            "equity": play.cubeful_equity,
            "eqdiff": play.cubeful_equity - plays[0].cubeful_equity,
            "context": context | {"plies": play.plies},
            "details": {"probs": tuple(play.probabilities), "score": play.cubeful_equity},
        }
        for number, play in enumerate(plays, 1)
    ]
    return {"hinttype": "chequer", "gnubgid": id, "hint": entries}


def classifypos(board: Rows | None = None, variation: int | None = None, /) -> int:
    """The class of a board: 0 over, 1 to 3 hypergammon, 5 and 6 bear-off (two-sided, one-sided), 8 race, 9 crashed,
    10 contact.

    board, variation: by default those of the game, 0 without one; variation as in `cubeinfo`, of a board standard.
    """
    if board is None:
        now = served()
        if now is None or (there := now.situation()) is None:
            return 0
        variation = CHEQUERS.index(there[0].chequers) if variation is None else variation
    elif variation is None:
        variation = 0
    if not isinstance(variation, int) or not 0 <= variation < len(CHEQUERS):
        raise SettingsError(f"variation must be 0 to {len(CHEQUERS) - 1}. Got {variation!r} instead.")
    position = position_of(board, CHEQUERS[variation])
    if not any(position.opponent) or not any(position.player):
        return 0
    if variation > 1:
        return variation - 1
    found = _CLASSES[int(classes_of(packed([position]))[0])]
    if found == _CONTACT:
        return _CRASHED if min(map(_in_play, (position.opponent, position.player))) <= _FEW else found
    few = max(sum(position.opponent), sum(position.player)) <= _TWO_SIDED
    return _EXACT if found == _ONE_SIDED and few else found


def _in_play(side: Sequence[int]) -> int:
    """Chequers of a side that it may still build with: without two or more on the ace point, and all but one on the
    deuce point."""
    ace, deuce = side[:2]
    return sum(side) - (ace if ace > 1 else 0) - max(deuce - 1, 0)
