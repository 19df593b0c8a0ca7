"""An analysed match as a table: a row for each decision, made for pandas and Polars.

    pandas.DataFrame(report.to_rows())
    polars.DataFrame(report.to_rows())

Every row has all of `COLUMNS`; None is what does not apply or is not known. Equities are those of the player who
decides, normalised to the cube (EMG in match play), but for the three columns of a cube decision: those are the
doubler's.
"""

from __future__ import annotations

from typing import Any

from sixprime.analysis.compare import comparisons
from sixprime.analysis.judge import Answer
from sixprime.analysis.model import AnalysedMatch, Decision, DecisionKind, Resignation
from sixprime.engine.results import CubeAnalysis, PlayAnalysis
from sixprime.report import words

COLUMNS: dict[str, str] = {
    "file": "the file it was read from",
    "date": "of the match, as the file has it",
    "event": "of the match, as the file has it",
    "length": "points of the match, 0 for money",
    "variant": "standard, nackgammon, ...",
    "game": "number of the game, from 1",
    "move": "row of the game record, from 1",
    "action": "index of the action within the game",
    "side": "0 or 1, who decided",
    "player": "name of who decided",
    "opponent": "name of the other player",
    "score": "points of who decided, before the game",
    "opponent_score": "points of the other player",
    "crawford": "whether it is the Crawford game",
    "cube": "its value before the decision",
    "cube_owner": "own, opponent or centre",
    "kind": "play, double, take; resign and accept for a resignation and its acceptance",
    "phase": "opening, contact, back game, race, bear-off",
    "plan": "race, back game, attack, prime, holding, mixed",
    "position_id": "of the board; for a take, resign or accept as the side on roll sees it",
    "xgid": "of board and situation",
    "dice": "such as 31; None for cube decisions",
    "chosen": "what was done",
    "best": "what is best",
    "error": "equity lost",
    "error_mwc": "match-winning chance lost; for money points",
    "mark": "none, doubtful, bad, very_bad",
    "counted": "whether it enters the error rate",
    "forced": "whether there was only one play",
    "illegal": "whether the play breaks the rules",
    "luck": "equity that the roll brought",
    "luck_mwc": "the same as match-winning chance or points",
    "luck_mark": "very_unlucky, unlucky, none, lucky, very_lucky",
    "mwc": "match-winning chance of who decides, before the decision",
    "equity": "of the best play or cube action",
    "win": "winning chance after the best play, or before the cube decision",
    "gammon": "chance to win a gammon or more",
    "backgammon": "chance to win a backgammon",
    "lose_gammon": "chance to lose a gammon or more",
    "lose_backgammon": "chance to lose a backgammon",
    "no_double": "equity of the doubler without doubling",
    "double_take": "equity of the doubler after double and take",
    "double_pass": "equity of the doubler after double and pass",
    "plies": "how far the best was looked ahead",
    "trials": "games it was rolled out for",
    "seconds": "time the action took",
    "comment": "what the file says of the action",
    "source": "program whose analysis came with the file; the first of several",
    "their_best": "what that program thinks best",
    "their_error": "what was done lost by its judgement",
    "their_best_loss": "what its choice loses by ours",
    "our_best_loss": "what our choice loses by its judgement",
}
"""Every column and what it holds."""
CHANCES = ("win", "gammon", "backgammon", "lose_gammon", "lose_backgammon")
"""Columns with the five probabilities, in their order."""


def to_rows(analysed: AnalysedMatch) -> list[dict[str, Any]]:
    """A row for each decision in order, with all of `COLUMNS`; see the module."""
    found = comparisons(analysed)
    theirs: dict[tuple[int, int, DecisionKind], dict[str, Any]] = {}
    if found:
        for each in found[0].decisions:
            key = each.ours.game, each.ours.action, each.ours.kind
            theirs[key] = {
                "source": found[0].source,
                "their_best": each.theirs.best,
                "their_error": each.theirs.error,
                "their_best_loss": each.theirs_by_us,
                "our_best_loss": each.ours_by_them,
            }
    rows = []
    for number, game in enumerate(analysed.games):
        for decision in game.decisions:
            row = _of_decision(analysed, decision)
            rows.append(row | theirs.get((decision.game, decision.action, decision.kind), {}))
        if game.resignation is not None:
            rows += _of_resignation(analysed, number, game.resignation)
    return rows


def _row(analysed: AnalysedMatch, game: int, action: int, player: int) -> dict[str, Any]:
    """What all rows have in common, and None for the rest."""
    match = analysed.match
    names = words.names(match)
    played = match.games[game]
    done = played.actions[action]
    return dict.fromkeys(COLUMNS) | {
        "file": match.source,
        "date": match.info.get("date"),
        "event": match.info.get("event"),
        "length": match.length,
        "variant": match.variant,
        "game": played.number,
        "action": action,
        "side": player,
        "player": names[player],
        "opponent": names[1 - player],
        "score": played.score[player],
        "opponent_score": played.score[1 - player],
        "crawford": played.crawford,
        "seconds": done.seconds,
        "comment": words.clean(done.comment) or None,
    }


_OWNERS = ("opponent", "own")


def _of_decision(analysed: AnalysedMatch, decision: Decision) -> dict[str, Any]:
    state, player = decision.state, decision.player
    mwc = decision.mwc_before
    row = _row(analysed, decision.game, decision.action, player) | {
        "move": decision.move_number,
        "cube": state.cube,
        "cube_owner": "centre" if state.cube_owner is None else _OWNERS[state.cube_owner == player],
        "kind": decision.kind.value,
        "phase": decision.phase.value,
        "plan": decision.plan.value,
        "position_id": decision.position.id,
        "xgid": words.xgid(decision) or None,
        "dice": words.dice_text(decision.dice) or None,
        "chosen": decision.chosen,
        "best": decision.best,
        "error": decision.error,
        "error_mwc": decision.error_mwc,
        "mark": decision.skill.name.lower(),
        "counted": decision.counted,
        "forced": decision.forced,
        "illegal": decision.illegal,
        "luck": decision.luck,
        "luck_mwc": decision.luck_mwc,
        "luck_mark": decision.luck_mark.name.lower(),
        "mwc": None if mwc is None else mwc if player == 0 else 1.0 - mwc,
    }
    if decision.plays:
        row |= _of_play(decision.plays[0])
    if decision.cube is not None:
        cube = decision.cube
        doubler = player == state.on_roll
        row |= {
            **dict(zip(CHANCES, cube.probabilities if doubler else cube.probabilities.swapped(), strict=True)),
            "equity": cube.optimal if decision.kind is DecisionKind.DOUBLE else _of_answer(analysed, decision, cube),
            "no_double": cube.no_double,
            "double_take": cube.double_take if cube.available else None,
            "double_pass": cube.double_pass if cube.available else None,
            "plies": cube.plies,
            "trials": cube.trials,
        }
    return row


def _of_answer(analysed: AnalysedMatch, decision: Decision, cube: CubeAnalysis) -> float:
    """What the best answer is worth to who gives it, in the unit of its error."""
    answer = Answer(cube, analysed.match.games[decision.game].actions[decision.action].state.beavered)
    value = answer.value(answer.best) / answer.stakes
    return value if decision.player == decision.state.on_roll else -value


def _of_play(play: PlayAnalysis) -> dict[str, Any]:
    chances = dict(zip(CHANCES, play.probabilities, strict=True))
    return {**chances, "equity": play.equity, "plies": play.plies, "trials": play.trials}


def _of_resignation(analysed: AnalysedMatch, game: int, resignation: Resignation) -> list[dict[str, Any]]:
    """A row for who gave up, and one for who accepted."""
    given = resignation
    action = analysed.match.games[game].actions[given.action]
    rows = []
    for kind, player, chosen, value, lost, mwc, mark in (
        ("resign", given.player, words.action_text(action), given.value, given.given_away, given.given_away_mwc,
         given.given_away_mark),
        ("accept", 1 - given.player, "Accepts", -given.value, given.let_off, given.let_off_mwc, given.let_off_mark),
    ):  # fmt: skip
        best = {"resign": "Play on", "accept": "Decline"}[kind] if lost > 0 else chosen
        rows.append(
            _row(analysed, game, given.action, player)
            | {
                "cube": action.state.cube,
                "kind": kind,
                "position_id": action.position.id,
                "chosen": chosen,
                "best": best,
                "error": lost,
                "error_mwc": mwc,
                "mark": mark.name.lower(),
                "counted": False,
                "equity": value,
            }
        )
    return rows
