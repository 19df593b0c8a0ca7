"""The game and the match of the interpreter: commands, the record as dictionaries, walking through it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sixprime.analysis.model import AnalysedMatch, CubeFaults, Decision, DecisionKind, PlayerStatistics, Tally
from sixprime.analysis.ratings import absolute_fibs, luck_based_fibs, luck_rating
from sixprime.analysis.single import unjudged
from sixprime.analysis.statistics import points_per_game
from sixprime.analysis.thresholds import Luck, Skill
from sixprime.cube.met import MatchEquityTable
from sixprime.cube.values import worth
from sixprime.engine.results import CubeAnalysis, PlayAnalysis, Rolled, RolledValue
from sixprime.errors import SettingsError
from sixprime.game.record import Action, ActionKind, Game, Match
from sixprime.gnubg.host import host
from sixprime.gnubg.places import pairs_of
from sixprime.gnubg.situation import context_of
from sixprime.store.identity import checksum
from sixprime.store.relational import error_rating

Info = dict[str, Any]

_LETTERS = "XO"
_SKILLS = {Skill.DOUBTFUL: "doubtful", Skill.BAD: "bad", Skill.VERY_BAD: "very bad"}
_LUCKS = {Luck.VERY_UNLUCKY: "verybad", Luck.UNLUCKY: "bad", Luck.LUCKY: "good", Luck.VERY_LUCKY: "verygood"}
_ACTIONS = {ActionKind.BEAVER: "redouble", ActionKind.ROLL: "set"}
_VARIATIONS = {"standard": "Standard", "nackgammon": "Nackgammon"} | {
    f"hypergammon{number}": f"Hypergammon ({number})" for number in (1, 2, 3)
}


def command(line: str, /) -> None:
    """Carries out a command of the interpreter."""
    host().run(_text("a command", line))


def show(words: str = "", /) -> str:
    """What the command `show` with these words says, without newlines at its end."""
    return host().answer(f"show {_text('what to show', words)}".rstrip()).rstrip("\n")


def setgnubgid(text: str, /) -> None:
    """Sets board and state to those of an ID."""
    host().run(f"set gnubgid {_text('an ID', text)}")


def nextturn() -> None:
    """Has the player whose turn it is decide; does nothing for people."""
    host().next_turn()


def updateui() -> None:
    """There is nothing to update in a program without windows."""


def dicerolls(number: int, /) -> tuple[tuple[int, int], ...]:
    """So many throws of the generator in use."""
    if isinstance(number, bool) or not isinstance(number, int) or number < 1:
        raise SettingsError(f"the number of rolls must be greater than 0. Got {number!r} instead.")
    now = host()
    return tuple(now.throw() for _ in range(number))


def errorrating(rate: float, /) -> int:
    """Number of the playing strength of an error per decision, in equity: 0 awful to 7 supernatural."""
    return error_rating(float(rate))


def luckrating(rate: float, /) -> int:
    """Number of a luck per roll, in equity: 0 very unlucky to 4 very lucky."""
    return luck_rating(float(rate))


def navigate(next: int | None = None, game: int | None = None, *, record: int | None = None) -> tuple[int, int] | None:
    """Goes through the match: to its start without arguments, else by so many actions and games, back if negative.

    next, record: two names for the same. Returns None when it went so far, else how many actions and games are left.
    """
    if next is not None and record is not None:
        raise TypeError("navigate takes next or record, not both: they are the same")
    for name, value in (("game", game), ("next", next), ("record", record)):
        if value is not None and (isinstance(value, bool) or not isinstance(value, int)):
            raise TypeError(f"{name!r} is a whole number. Got {value!r} instead.")
    return host().navigate(game, record if next is None else next)


def matchchecksum() -> str:
    """32 hexadecimal digits that are equal for equal matches: players, games, dice and plays; "" without a match."""
    played = host().match()
    return "" if played is None else checksum(played)


def match(analysis: int = 1, boards: int = 1, statistics: int = 0, verbose: int = 0) -> Info | None:
    """The match as a dictionary; None without one.

    analysis: with what is known of every action. boards: with the position ID before it. statistics: with totals of
    every game and of the match; costs are match-winning chances, in money play points, skills equities. verbose: with
    an 'eval-context' for every value, not only of what differs from 'default-eval-context'.
    Player 0 is "X", player 1 "O".
    """
    now = host()
    played = now.match()
    if played is None:
        return None
    known = now.analysed() if analysis or statistics else None
    told = bool(analysis) and known is not None
    if known is None and statistics:
        known = unjudged(played, now.met())
    return record(
        played,
        known,
        context=context_of(now.analysis_context()),
        analysis=told,
        boards=bool(boards),
        statistics=bool(statistics),
        verbose=bool(verbose),
        errorless=now.errorless(),
    )


def record(
    played: Match,
    known: AnalysedMatch | None,
    *,
    context: Mapping[str, Any],
    analysis: bool = True,
    boards: bool = True,
    statistics: bool = False,
    verbose: bool = False,
    errorless: float = 2050.0,
) -> Info:
    """`match` of any match. known: its analysis, None for none. context: what most values were found with. errorless:
    the FIBS rating of who makes no errors."""
    info = _match_info(played)
    if known is not None and analysis:
        info["default-eval-context"] = dict(context)
    met = None if known is None else known.table
    games = []
    for number, game in enumerate(played.games):
        decisions: dict[int, list[Decision]] = {}
        if known is not None and analysis and number < len(known.games):
            for decision in known.games[number].decisions:
                decisions.setdefault(decision.action, []).append(decision)
        plain = None if verbose else context
        actions = [
            _action(each, boards) | _analysed(each, decisions.get(i, []), plain, context, met)
            for i, each in enumerate(game.actions)
        ]
        entry: Info = {"info": _game_info(game, played), "game": tuple(actions)}
        if statistics and known is not None and number < len(known.games):
            entry["stats"] = _both(known.games[number].statistics, None, errorless)
        games.append(entry)
    found: Info = {"match-info": info, "games": tuple(games)}
    if statistics and known is not None:
        found["stats"] = _both(known.statistics, played, errorless)
        if not played.length and len(known.games) > 1:
            for side, letter in enumerate(_LETTERS):
                found["stats"][letter]["ppg-advantage"] = _points_per_game([g.statistics[side] for g in known.games])
    return found


def _match_info(played: Match) -> Info:
    info: Info = {}
    for letter, player in zip(_LETTERS, played.players, strict=True):
        info[letter] = {"name": player.name} | ({"rating": player.standing} if player.standing else {})
    info["match-length"] = played.length
    if date := re.fullmatch(r"(\d{1,4})-(\d{1,2})-(\d{1,2})", played.info.get("date", ""), re.ASCII):
        info["date"] = tuple(int(part) for part in reversed(date.groups()))
    info |= {
        name: played.info[name] for name in ("event", "round", "place", "annotator", "comment") if name in played.info
    }
    won = played.games[-1] if played.games else None
    score = [0, 0] if won is None else list(won.score)
    if won is not None and won.winner is not None:
        score[won.winner] += won.points
    # Whose points are more than the length, which just enough are not; without a length whose are any.
    result = -1 if score[0] > played.length else int(score[1] > played.length)
    info |= {"result": result, "variation": _VARIATIONS.get(played.variant, played.variant)}
    rules = (
        ("Crawford", bool(played.length) and played.crawford_rule),
        ("Jacoby", not played.length and played.jacoby),
    )
    if kept := tuple(name for name, holds in rules if holds):
        info["rules"] = kept
    return info


def _game_info(game: Game, played: Match) -> Info:
    info: Info = {"score-X": game.score[0], "score-O": game.score[1]}
    if played.crawford_rule and played.length - 1 in game.score:
        info["crawford"] = game.crawford
    info["winner"] = None if game.winner is None else _LETTERS[game.winner]
    if game.winner is not None:
        info |= {"points-won": game.points, "resigned": game.resigned}
    if game.cube > 1:
        info["initial-cube"] = game.cube
    return info


def _action(action: Action, boards: bool) -> Info:
    found: Info = {}
    if action.dice is not None:
        found["dice"] = action.dice
    if action.kind is ActionKind.MOVE:
        found["move"] = () if action.play is None else pairs_of(action.play.steps)
    if boards and action.kind in (ActionKind.MOVE, ActionKind.DOUBLE, ActionKind.SET):
        found["board"] = action.position.id
    found |= {"action": _ACTIONS.get(action.kind, action.kind.value), "player": _LETTERS[action.player]}
    if action.kind is ActionKind.RESIGN:
        found["points"] = action.value
    if action.comment:
        found["comment"] = action.comment
    return found


def _analysed(
    action: Action,
    decisions: list[Decision],
    plain: Mapping[str, Any] | None,
    context: Mapping[str, Any],
    met: MatchEquityTable | None,
) -> Info:
    judged: Info = {}
    for decision in decisions:
        stake = 1.0 if decision.state.money else worth(decision.state, met)
        judged |= _judged(decision, action, plain, context, stake)
    return {"analysis": judged} if judged else {}


def _judged(
    decision: Decision, action: Action, plain: Mapping[str, Any] | None, context: Mapping[str, Any], stake: float
) -> Info:
    """What the analysis of a decision adds to its action. stake: of one point of equity, in match-winning chance."""
    found: Info = {}
    played = decision.kind is DecisionKind.PLAY
    # What the cube is worth is said of the double, of the answer no more than its mark.
    if decision.kind is DecisionKind.DOUBLE and decision.cube is not None:
        found |= _cube(decision.cube, plain, context, stake)
    if played:
        danced = decision.plays and not decision.plays[0].play.steps  # which is no choice
        if decision.plays and decision.played is not None and not danced:
            found["imove"] = decision.played
        if decision.plays and not danced:
            found["moves"] = tuple(_candidate(play, plain, context, stake) for play in decision.plays)
        if decision.luck is not None:
            found["luck-value"] = decision.luck
        if decision.luck_mark in _LUCKS:
            found["luck"] = _LUCKS[decision.luck_mark]
    if decision.skill in _SKILLS:
        # Whether to double is an action of its own only where a double was made.
        key = "cube-skill" if not played and action.kind in (ActionKind.MOVE, ActionKind.ROLL) else "skill"
        found[key] = _SKILLS[decision.skill]
    return found


def _candidate(play: PlayAnalysis, plain: Mapping[str, Any] | None, context: Mapping[str, Any], stake: float) -> Info:
    if play.rolled is not None:
        said = _rolled(play.rolled.values[0], play.cubeful_equity, play.mwc, play.equity_error, stake)
        return {"type": "rollout", "move": pairs_of(play.play.steps), "trials": play.trials} | said
    return {
        "type": "rollout" if play.trials else "eval",
        "move": pairs_of(play.play.steps),
        "probs": tuple(play.probabilities),
        "score": play.cubeful_equity,
    } | _with_context(play.plies, plain, context)


def _cube(cube: CubeAnalysis, plain: Mapping[str, Any] | None, context: Mapping[str, Any], stake: float) -> Info:
    if cube.rolled is not None:
        return _rolled_cube(cube, cube.rolled, stake)
    match_play = cube.mwc_no_double is not None
    return {
        "type": "rollout" if cube.trials else "eval",
        "probs": tuple(cube.probabilities),
        "nd-cubeful-eq": cube.mwc_no_double if match_play else cube.no_double,
        "dt-cubeful-eq": cube.mwc_double_take if match_play else cube.double_take,
        "nd-match-eq": cube.no_double,
        "dt-match-eq": cube.double_take,
    } | _with_context(cube.plies, plain, context)


def _rolled_cube(cube: CubeAnalysis, rolled: Rolled, stake: float) -> Info:
    sides = (
        ("nd", cube.no_double, cube.mwc_no_double, cube.no_double_error),
        ("dt", cube.double_take, cube.mwc_double_take, cube.double_take_error),
    )
    found: Info = {"type": "rollout", "trials": cube.trials}
    for value, (prefix, equity, mwc, error) in zip(rolled.values, sides, strict=False):
        found |= {f"{prefix}-{key}": each for key, each in _rolled(value, equity, mwc, error, stake).items()}
    return found


def _rolled(value: RolledValue, equity: float, mwc: float | None, error: float | None, stake: float) -> Info:
    """What a rollout says of an alternative: the cubeful equity of a match is its match-winning chance."""
    *errors, cubeless_error = value.errors or (0.0,) * 6
    return {
        "probs": tuple(value.probabilities),
        "match-eq": value.cubeless_equity,
        "cubeful-eq": equity if mwc is None else mwc,
        "probs-std": tuple(errors),
        "match-eq-std": cubeless_error,
        "cubeful-eq-std": (error or 0.0) * stake,
    }


def _with_context(plies: int, plain: Mapping[str, Any] | None, context: Mapping[str, Any]) -> Info:
    own = dict(context) | {"plies": plies}
    told = own if plain is None else {name: value for name, value in own.items() if plain[name] != value}
    return {"eval-context": told} if told else {}


def _both(statistics: tuple[PlayerStatistics, PlayerStatistics], played: Match | None, errorless: float) -> Info:
    return {letter: _statistics(own, played, errorless) for letter, own in zip(_LETTERS, statistics, strict=True)}


def _points_per_game(games: Sequence[PlayerStatistics]) -> Info:
    """Means over the games of a session, and half the widths of their 95 % intervals."""
    actual, width = points_per_game([each.actual_result for each in games])
    adjusted, adjusted_width = points_per_game([each.luck_adjusted_result for each in games])
    return {"actual": actual, "actual-ci": width, "luck-adjusted": adjusted, "luck-adjusted-ci": adjusted_width}


def _statistics(own: PlayerStatistics, played: Match | None, errorless: float) -> Info:
    """Totals of a player. played: of a whole match, which has ratings, else None."""
    none, doubtful, bad, very_bad = own.play_marks
    very_unlucky, unlucky, ordinary, lucky, very_lucky = own.luck_marks
    rolls = {"verygood": very_lucky, "good": lucky, "unmarked": ordinary, "bad": unlucky, "verybad": very_unlucky}
    dice: Info = {
        "luck": own.luck_total,
        "luck-cost": own.luck_mwc,
        "actual-result": own.actual_result,
        "luck-adjusted-result": own.luck_adjusted_result,
        "marked-rolls": rolls,
    }
    found: Info = {
        "moves": {
            "total-moves": own.moves,
            "unforced-moves": own.unforced_moves,
            "marked": {"unmarked": none, "doubtful": doubtful, "bad": bad, "very bad": very_bad},
            "error-cost": own.chequer_error_mwc,
            "error-skill": own.chequer_error_total,
        },
        "dice": dice,
        "cube": {
            "total-cube": own.cube_total,
            "close-cube": own.cube_decisions,
            "n-doubles": own.doubles,
            "n-takes": own.takes,
            "n-drops": own.passes,
            "error-cost": own.cube_error_mwc,
            "error-skill": own.cube_error_total,
        },
    }
    for name, tally in faults(own.faults):
        found["cube"] |= {name: tally.count, f"err-{name}-cost": tally.error_mwc, f"err-{name}-skill": tally.error}
    if played is not None and played.length:
        rating = absolute_fibs(own, played.length, errorless)
        losses = {"chequer": rating.chequer_loss, "cube": rating.cube_loss}
        found["error-based-fibs-rating"] = {"total": rating.rating} | losses
        difference = luck_based_fibs(own.luck_adjusted_result, played.length)
        if difference is not None:
            dice["fibs-rating-difference"] = difference
    return found


def faults(found: CubeFaults) -> Iterable[tuple[str, Tally]]:
    """The kinds of cube errors by their names in dictionaries."""
    return (
        ("missed-double-below-cp", found.missed_below_cash),
        ("missed-double-above-cp", found.missed_above_cash),
        ("wrong-double-below-dp", found.doubled_too_weak),
        ("wrong-double-above-tg", found.doubled_too_good),
        ("wrong-take", found.wrong_takes),
        ("wrong-drop", found.wrong_passes),
    )


def _text(what: str, given: object) -> str:
    if not isinstance(given, str):
        raise TypeError(f"{what} is a text. Got {given!r} instead.")
    return given
