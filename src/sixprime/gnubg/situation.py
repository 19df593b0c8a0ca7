"""Dictionaries that describe a cube, a situation and how to evaluate it; match equities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from sixprime.cube.met import MAX_AWAY, MatchEquityTable, load
from sixprime.cube.state import CubeState
from sixprime.cube.values import equity_error, mwc_error, to_equity, to_mwc, utility_weights
from sixprime.engine.filters import MAX_PLIES, SKIP, Level, MoveFilter, get_filter
from sixprime.errors import SettingsError
from sixprime.game.ids import gnubg_id
from sixprime.game.position import Position
from sixprime.game.state import MONEY, GameState, MatchState
from sixprime.gnubg.host import host, served, situation
from sixprime.gnubg.places import position_of

Info = Mapping[str, Any]

CHEQUERS = (15, 15, 1, 2, 3)
"""Of a side, by the number of the variation."""
_BEAVERS = 3
"""How many may follow a double where a cube-info allows them."""
_EVAL = {"cubeful": 1, "plies": 2, "deterministic": 1, "prune": 1, "noise": 0.0}
_ROLLOUT = {
    "cubeful": 1,
    "variance-reduction": 1,
    "initial-position": 0,
    "quasi-random-dice": 1,
    "late-eval": 0,
    "truncated-rollouts": 0,
    "n-truncation": 10,
    "truncate-bearoff2": 1,
    "truncate-bearoffOS": 1,
    "stop-on-std": 0,
    "trials": 1296,
    "seed": 0,
    "minimum-games": 324,
    "stop-on-jsd": 0,
    "late-on-move-n": 5,
    "minimum-jsd-games": 324,
    "std-limit": 0.01,
    "jsd-limit": 2.33,
}


def table_in_use() -> MatchEquityTable:
    """The interpreter's match equity table, without one the default."""
    now = served()
    return load() if now is None else now.met()


def cubeinfo(*fields: Any) -> dict[str, Any]:
    """A cube made of cube, owner, player on roll, match length, score, Crawford, variation.

    fields: as many as are given, the rest as in the game; without a game, where at least one must be given, the cube in
    the middle, money, player 1 on roll. Owner is -1 for a centred cube; length 0 for money, with the Jacoby rule as it
    is set; score a pair; Crawford 0 or 1; variation 0 to 4: standard, Nackgammon, hypergammon of 1 to 3 chequers.
    'gammonprice' has gammon and backgammon of player 0, then of player 1, each what it brings beyond the lesser win, 1
    being half of a game's stake. Beavers are set by those who want them.
    """
    if len(fields) > 7:
        raise TypeError(
            "cubeinfo takes up to 7 arguments: cube, owner, player on roll, match length, score, Crawford, variation. "
            f"Got {len(fields)}."
        )
    now = served()
    position, state = situation() if not fields else (now and now.situation()) or (Position.start(), MONEY)
    info = _cube_of(state, CHEQUERS.index(position.chequers))
    info |= zip(("cube", "cubeowner", "move", "matchto", "score", "crawford", "bgv"), fields, strict=False)
    if 3 < len(fields) < 6:
        # At another score the game in progress need not be the Crawford game.
        info["crawford"] = int(info["crawford"] and info["matchto"] - 1 in info["score"])
    if fields:
        info["jacoby"] = int(info["matchto"] == 0 and (now is None or now.jacoby()))
    return _cube_of(state_of(info | {"beavers": 0}), info["bgv"])


def calcgammonprice(cube: Info, /) -> dict[str, Any]:
    """A cube-info with the gammon prices that follow from the rest of it."""
    return _cube_of(state_of(cube), cube.get("bgv", 0))


def _cube_of(state: MatchState, variation: int) -> dict[str, Any]:
    return {
        "cube": state.cube,
        "cubeowner": -1 if state.cube_owner is None else state.cube_owner,
        "move": state.on_roll,
        "matchto": state.length,
        "score": state.score if state.length else (0, 0),
        "crawford": int(state.crawford),
        "jacoby": int(state.jacoby),
        "beavers": int(state.beavers > 0),
        "gammonprice": (_prices(state, 0), _prices(state, 1)),
        "bgv": variation,
    }


def _prices(state: MatchState, player: int) -> tuple[float, float]:
    """What a gammon and a backgammon bring a player."""
    cube = CubeState.from_match(replace(state, on_roll=player, turn=None))
    weights = utility_weights(cube, table_in_use())[0]
    return max(float(weights[1]), 0.0), max(float(weights[2]), 0.0)


def state_of(cube: Info | None, situation_info: Info | None = None) -> MatchState:
    """The match state of a cube-info and perhaps a pos-info; of the game for None.

    Raises TypeError, SettingsError for what cannot be.
    """
    if cube is None:
        return situation()[1]
    cube = _dictionary("a cube-info", cube)
    length = _number("matchto", cube.get("matchto", 0), 0, 32767)
    score = tuple(cube.get("score", (0, 0)))
    if len(score) != 2:
        raise TypeError(f"'score' is a pair of numbers. Got {cube['score']!r} instead.")
    if length and max(score) >= length:
        raise SettingsError(f"'score' {score[0]}-{score[1]} ends a match to {length}")
    owner = _number("cubeowner", cube.get("cubeowner", -1), -1, 1)
    beavers = _number("beavers", cube.get("beavers", 0), 0, 99)
    _number("bgv", cube.get("bgv", 0), 0, len(CHEQUERS) - 1)
    state = MatchState(
        length=length,
        score=(score[0], score[1]) if length else (0, 0),
        cube=cube.get("cube", 1),
        cube_owner=None if owner < 0 else owner,
        on_roll=_number("move", cube.get("move", 0), 0, 1),
        crawford=bool(cube.get("crawford", 0)) and length > 0,
        jacoby=bool(cube.get("jacoby", 0)),
        beavers=_BEAVERS if beavers else 0,
    )
    if situation_info is None:
        return state
    info = _dictionary("a pos-info", posinfo_of(situation_info))
    return replace(
        state,
        turn=info["turn"],
        dice=info["dice"] if all(info["dice"]) else None,
        doubled=bool(info["doubled"]),
        resigned=info["resigned"],
        game_state=GameState(info["gamestate"]),
    )


def posinfo(*fields: Any) -> dict[str, Any]:
    """Who must decide, offers and dice, made of turn, resigned, doubled, game state, dice.

    fields: as many as are given, the rest as in the game; without a game, where at least one must be given, 0. resigned
    0 to 3 points; game state 0 to 4 as in the match ID; dice a pair, (0, 0) for none.
    """
    if len(fields) > 5:
        raise TypeError(
            f"posinfo takes up to 5 arguments: turn, resigned, doubled, game state, dice. Got {len(fields)}."
        )
    now = served()
    info: dict[str, Any] = {"gamestate": 0}
    if there := situation() if not fields else now and now.situation():
        state = there[1]
        names = state.dice or (0, 0), state.decider, state.resigned, int(state.doubled), int(state.game_state)
        info = dict(zip(("dice", "turn", "resigned", "doubled", "gamestate"), names, strict=True))
    return posinfo_of(info | dict(zip(("turn", "resigned", "doubled", "gamestate", "dice"), fields, strict=False)))


def posinfo_of(given: Info) -> dict[str, Any]:
    """A pos-info, looked at. Raises TypeError, SettingsError."""
    info = dict(_dictionary("a pos-info", given))
    dice = tuple(info.get("dice", (0, 0)))
    if len(dice) != 2 or bool(dice[0]) != bool(dice[1]):
        raise SettingsError(f"'dice' must be two numbers from 1 to 6, or (0, 0). Got {dice!r} instead.")
    return {
        "dice": tuple(_number("dice", die, 0, 6) for die in dice),
        "turn": _number("turn", info.get("turn", 0), 0, 1),
        "resigned": _number("resigned", info.get("resigned", 0), 0, 3),
        "doubled": _number("doubled", info.get("doubled", 0), 0, 1),
        "gamestate": _number("gamestate", info.get("gamestate", 1), 0, max(GameState)),
    }


def evalcontext(*fields: Any) -> dict[str, Any]:
    """How to evaluate: cubeful, plies, deterministic, prune, noise, as many as are given; the rest by default.

    Of none: as plays are evaluated in the interpreter now, without one by default.
    """
    if len(fields) > len(_EVAL):
        raise TypeError(f"evalcontext takes up to 5 arguments: {', '.join(_EVAL)}. Got {len(fields)}.")
    now = served()
    if not fields and now is not None:
        return now.context(cube=False)
    return context_of(dict(zip(_EVAL, fields, strict=False)))


def context_of(given: Info | None) -> dict[str, Any]:
    """An eval-context with what it lacks, looked at; None for the default. Raises TypeError, SettingsError."""
    info = _EVAL | dict(_dictionary("an eval-context", given or {}))
    noise = info["noise"]
    if not isinstance(noise, int | float) or not 0 <= noise <= 1:
        raise SettingsError(f"'noise' must be 0 to 1. Got {noise!r} instead.")
    flags = {name: _number(name, info[name], 0, 1) for name in ("cubeful", "deterministic", "prune")}
    return _EVAL | flags | {"plies": _number("plies", info["plies"], 0, MAX_PLIES), "noise": float(noise)}


def rolloutcontext(*fields: Any) -> dict[str, Any]:
    """How to roll out: up to 18 values in the order of the dictionary that comes back; the rest as it is set."""
    if len(fields) > len(_ROLLOUT):
        raise TypeError(f"rolloutcontext takes up to {len(_ROLLOUT)} arguments: {', '.join(_ROLLOUT)}.")
    now = served()
    info = _ROLLOUT | (now.rollout() if now is not None else {}) | dict(zip(_ROLLOUT, fields, strict=False))
    for name, value in info.items():
        if not isinstance(value, int | float):
            raise TypeError(f"{name!r} is a number. Got {value!r} instead.")
    return info


def getevalhintfilter() -> list[dict[str, Any]]:
    """The move filter of hints: a dictionary for every level of searches of 1 to 4 plies."""
    now = served()
    moves = get_filter("normal") if now is None else now.filter()
    found = []
    for plies in range(1, MAX_PLIES + 1):
        for ply in range(plies):
            level = moves.level(ply, plies) or SKIP
            names = level.accept, level.extra, level.threshold
            found.append({"ply": plies, "level": ply} | dict(zip(_LEVEL, names, strict=True)))
    return found


_LEVEL = ("acceptmoves", "extramoves", "threshold")


def setevalhintfilter(levels: Sequence[Info], /) -> None:
    """Sets the levels that are given, in the form of `getevalhintfilter`; the others stay."""
    known = {(level["ply"], level["level"]): level for level in getevalhintfilter()}
    for given in levels:
        info = _dictionary("a level", given)
        missing = [name for name in ("ply", "level", *_LEVEL) if name not in info]
        if missing:
            raise SettingsError(f"a level of a move filter lacks {', '.join(missing)}: {dict(info)!r}")
        place = info["ply"], info["level"]
        if place not in known:
            raise SettingsError(f"a move filter has no level {place[1]!r} of {place[0]!r} plies")
        known[place] = dict(info)
    depths = tuple(
        tuple(Level(*(known[plies, ply][name] for name in _LEVEL)) for ply in range(plies))
        for plies in range(1, MAX_PLIES + 1)
    )
    host().set_filter(MoveFilter("hint", depths))


def matchid(cube: Info | None = None, situation_info: Info | None = None, /) -> str:
    """The match ID of the game, or of a cube-info and a pos-info."""
    if (cube is None) != (situation_info is None):
        raise TypeError("matchid takes no arguments, or a cube-info and a pos-info")
    return state_of(cube, situation_info).match_id


def gnubgid(
    board: Sequence[Sequence[int]] | None = None, cube: Info | None = None, situation_info: Info | None = None, /
) -> str:
    """Position and match ID of the game, or of a board, a cube-info and a pos-info, with a colon between them."""
    given = [value is not None for value in (board, cube, situation_info)]
    if any(given) != all(given):
        raise TypeError("gnubgid takes no arguments, or a board, a cube-info and a pos-info")
    return gnubg_id(position_of(board), state_of(cube, situation_info))


def met(length: int | None = None, /) -> list[Any]:
    """The match equity table: chances of player 0 by the points both need, then of either after the Crawford game.

    length: how many points, by default of the match, 64 in money play. Chances 0..1.
    """
    if length is None:
        now = served()
        state = None if now is None else now.situation()
        length = state[1].length if state is not None and state[1].length else MAX_AWAY
    length = _number("length", length, 0, MAX_AWAY)
    table = table_in_use()
    return [table.pre[:length, :length].tolist(), *(table.post[player, :length].tolist() for player in (0, 1))]


def _cube(cube: Info | None) -> CubeState:
    return CubeState.from_match(state_of(cube))


def eq2mwc(equity: float = 0.0, cube: Info | None = None, /) -> float:
    """The match-winning chance of an equity; money equities stay what they are."""
    return float(to_mwc(float(equity), _cube(cube), table_in_use()))


def mwc2eq(chance: float = 0.0, cube: Info | None = None, /) -> float:
    """The equity of a match-winning chance."""
    return float(to_equity(float(chance), _cube(cube), table_in_use()))


def eq2mwc_stderr(error: float = 0.0, cube: Info | None = None, /) -> float:
    """A standard error in match-winning chance of one in equity."""
    return float(mwc_error(float(error), _cube(cube), table_in_use()))


def mwc2eq_stderr(error: float = 0.0, cube: Info | None = None, /) -> float:
    """A standard error in equity of one in match-winning chance."""
    return float(equity_error(float(error), _cube(cube), table_in_use()))


def _dictionary(what: str, given: object) -> Info:
    if not isinstance(given, Mapping):
        raise TypeError(f"{what} is a dictionary. Got {given!r} instead.")
    return given


def _number(name: str, given: Any, low: int, high: int) -> int:
    if not isinstance(given, int) or not low <= given <= high:
        raise SettingsError(f"{name!r} must be {low} to {high}. Got {given!r} instead.")
    return int(given)
