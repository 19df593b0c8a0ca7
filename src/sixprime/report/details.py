"""One turn in full, as the templates of a page are given it: board, verdicts, chances and candidates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from sixprime.analysis.compare import Compared, Comparison
from sixprime.analysis.decisions import answer_text
from sixprime.analysis.judge import Answer
from sixprime.analysis.model import Decision, DecisionKind
from sixprime.analysis.thresholds import Skill
from sixprime.engine.results import PlayAnalysis
from sixprime.errors import SixprimeError
from sixprime.game.ids import gnubg_id
from sixprime.game.outcomes import Outcomes
from sixprime.game.record import Action, ActionKind, Game
from sixprime.report import words
from sixprime.report.figures import Stakes
from sixprime.report.movelist import Badge, Cell
from sixprime.report.phrases import say, term
from sixprime.report.svg import board_svg
from sixprime.report.units import EMG, Units

PLAYS_SHOWN = 6
_ACTIONS = ("no double", "take", "pass", "beaver")
"""What `words.cube_rows` is about, row by row."""


class Others:
    """The analyses by other programs, beside ours decision by decision."""

    def __init__(self, found: Sequence[Comparison]) -> None:
        self.sources = tuple(each.source for each in found)
        self._found = [{_key(both.ours): both for both in each.decisions} for each in found]

    def of(self, decision: Decision) -> list[tuple[str, Compared]]:
        """Who else judged a decision, by the short name, and how."""
        key = _key(decision)
        return [
            (words.short_source(source), both)
            for source, known in zip(self.sources, self._found, strict=True)
            if (both := known.get(key)) is not None
        ]

    def differ(self, cell: Cell, least: float) -> bool:
        """Whether one of the programs would have done something else, and it or we think it costs `least` or more."""
        return any(
            not both.agreed and both.size >= least for decision in cell.decisions for _, both in self.of(decision)
        )


def _key(decision: Decision) -> tuple[int, int, DecisionKind]:
    return decision.game, decision.action, decision.kind


def detail(
    cell: Cell,
    game: Game,
    number: int,
    names: tuple[str, str],
    others: Others,
    *,
    static: bool = True,
    units: Units = EMG,
) -> dict[str, object]:
    """What a template needs to show the decisions of a cell, which has one or more.

    number: of its row. static: with the board; else the page has to draw it from the XGID, where there is one. Arrows
    are drawn where there is something to compare. units: of what decisions are worth.
    """
    from markupsafe import Markup

    play = next((d for d in cell.decisions if d.kind is DecisionKind.PLAY), None)
    cubes = [d for d in cell.decisions if d.kind is not DecisionKind.PLAY]
    shown = play or cubes[-1]
    state = shown.state
    mover = words.mover(shown)
    in_match = state.length > 0

    played = best = None
    if play is not None and play.plays:
        best = play.plays[0].play
        played = play.plays[play.played].play if play.played is not None else None
    differs = played is not None and best is not None and played.result != best.result
    xgid = words.xgid(shown)
    drawn = ""
    if static or not xgid:
        who = f"{names[mover]} {cell.dice}".rstrip()
        drawn = board_svg(
            shown.position, state, dice=shown.dice, mover=mover, played=played if differs else None,
            best=best if differs else None, shared=True, label=say("turn.board", who=who),
        )  # fmt: skip

    luck = chance = ""
    if play is not None and play.luck is not None:
        mark = words.luck_name(play.luck_mark)
        mwc = play.luck_mwc if in_match else None
        luck = say("turn.luck", luck=units.change(play.luck, mwc))
        if mwc is not None:
            luck += " MWC" if units.mwc else f" = {units.change_of_chance(mwc)} MWC"
        luck += f" ({mark})" if mark else ""
    before = cell.decisions[0].before
    if before is not None:
        value = f"{units.chance(before.value)}{units.unit}" if in_match else words.signed(before.value, units.digits)
        chance = say("turn.chance", what="MWC" if in_match else "Equity", name=names[0], value=value)

    both = f"{state.score[mover]}-{state.score[1 - mover]}"
    score = say("turn.score", score=both, length=state.length) if in_match else say("turn.money")
    cube = say("turn.crawford") if state.crawford else say("turn.cube", cube=state.cube)
    return {
        "id": cell.id,
        "player": cell.player,
        "name": names[cell.player],
        "dice": cell.dice,
        "subtitle": say("turn.subtitle", game=game.number, move=number, score=score, cube=cube),
        "error": any(d.skill for d in cell.decisions),
        "board": Markup(drawn),
        "legend": differs,
        "cubes": [_cube(d, cell.action.state.beavered, names, others.of(d), units) for d in cubes],
        "play": _play(play, cell.action, mover, names, others.of(play), units) if play is not None else None,
        "comment": cell.action.comment,
        "luck": luck,
        "chance": chance,
        "xgid": xgid,
        "gnubg_id": _gnubg_id(shown),
    }


def deeper_first(decision: Decision) -> bool:
    """Whether a candidate shown stands below one of less equity, as it was not searched as deep."""
    return any(below.equity > above.equity for (_, above), (_, below) in pairwise(_shown(decision)))


def _gnubg_id(decision: Decision) -> str:
    """`positionid:matchid`; empty for what these cannot hold."""
    state = replace(decision.state, dice=decision.dice)
    try:
        return gnubg_id(decision.position, state)
    except SixprimeError:
        return ""


def _shown(decision: Decision) -> list[tuple[int, PlayAnalysis]]:
    """The best candidates, and the played one wherever it stands, with their places."""
    return [(i, play) for i, play in enumerate(decision.plays) if i < PLAYS_SHOWN or i == decision.played]


def _play(
    decision: Decision,
    action: Action,
    mover: int,
    names: tuple[str, str],
    others: list[tuple[str, Compared]],
    units: Units,
) -> dict[str, object]:
    shown = _shown(decision)
    stakes = Stakes.through((each.equity, each.mwc) for each in decision.plays)
    rows = []
    for place, (index, candidate) in enumerate(shown):
        title = say("turn.cubeless", equity=words.signed(candidate.cubeless_equity, units.digits))
        if candidate.mwc is not None:
            equity = say("turn.equity", equity=words.signed(candidate.equity, units.digits))
            other = equity if units.mwc else f"MWC {units.chance(candidate.mwc)}{units.unit}"
            title = f"{other}, {title}"
        if candidate.equity_error is not None:
            how = words.depth(candidate.plies, candidate.trials)
            title = say("turn.rolled", how=how, error=candidate.equity_error, rest=title)
        rows.append(
            {
                "rank": index + 1,
                "text": words.play_text(str(candidate.play)),
                "played": index == decision.played,
                "equity": units.value(candidate.equity, candidate.mwc),
                "loss": units.loss(candidate.equity_loss, _in_mwc(candidate.equity_loss, stakes)),
                "chances": [words.percent(value) for value in words.six_chances(candidate.probabilities)],
                "plies": words.depth_mark(candidate),
                "shallower": place > 0 and _depth(candidate) < _depth(shown[place - 1][1]),
                "title": title,
                "others": [_loss_of(candidate, both.theirs, units) for _, both in others],
            }
        )
    best = decision.plays[0] if decision.plays else None
    return {
        "badge": Badge.of(decision, units) if decision.skill else None,
        "loss": f"{decision.error:.3f}",
        # A roll that nobody played is no dance.
        "chosen": words.action_text(action) if action.kind is ActionKind.ROLL else words.play_text(decision.chosen),
        "verdict": words.play_verdict(decision, units),
        "others": [source for source, _ in others],
        "differ": [words.other_verdict(source, both, units) for source, both in others if not both.agreed],
        "rows": rows,
        "chances": _chances(best.probabilities, mover, names) if best is not None else None,
        "when": say("turn.after", play=rows[0]["text"]) if rows else "",
    }


def _in_mwc(equity: float, stakes: Stakes | None) -> float | None:
    """What a difference of two equities is in match-winning chances; None for money, and where that is not known."""
    return None if stakes is None else stakes.change(equity)


def _loss_of(candidate: PlayAnalysis, theirs: Decision, units: Units) -> str:
    """What a play loses by another program; a tick for its best, empty for one that it did not judge."""
    for index, play in enumerate(theirs.plays):
        if play.play.result == candidate.play.result:
            stakes = Stakes.through((each.equity, each.mwc) for each in theirs.plays)
            mwc = _in_mwc(play.equity_loss, stakes)
            return units.change(-play.equity_loss, None if mwc is None else -mwc) if index else "✓"
    return ""


def _depth(play: PlayAnalysis) -> int:
    return 1000 if play.trials else play.plies


def _cube(
    decision: Decision, beavers: int, names: tuple[str, str], others: list[tuple[str, Compared]], units: Units
) -> dict[str, object]:
    """beavers: how many stand before an answer."""
    cube = decision.cube
    rows: list[dict[str, object]] = []
    answers: list[tuple[str, str]] = []
    if cube is not None:
        best = words.best_cube_row(cube)
        stakes = Stakes.through((value, mwc) for _, value, mwc in words.cube_rows(cube))

        def lost(equity: float) -> str:
            return units.loss(equity, _in_mwc(equity, stakes))

        known = [dict(zip(_ACTIONS, words.cube_rows(both.theirs.cube), strict=False)) for _, both in others
                 if both.theirs.cube is not None]  # fmt: skip
        rows = [
            {
                "name": term(name),
                "best": index == best,
                "equity": words.signed(value, units.digits),
                "loss": lost(cube.optimal - value) if index != best else "",
                "mwc": units.chance(mwc) if mwc is not None else "",
                "others": [words.signed(each[action][1], units.digits) if action in each else "" for each in known],
            }
            for index, (action, (name, value, mwc)) in enumerate(zip(_ACTIONS, words.cube_rows(cube), strict=False))
        ]
        if decision.kind is DecisionKind.TAKE:
            answer = Answer(cube, beavers)
            losses = [(answer_text(kind, beavers), answer.error(kind) / answer.stakes) for kind in answer.all]
        elif cube.available:
            name = "Double" if cube.state.cube_owner is None else "Redouble"
            losses = [(f"No {name.lower()}", cube.optimal - cube.no_double), (name, cube.optimal - cube.after_double)]
        else:
            losses = []
        answers = [(term(name), lost(value)) for name, value in losses]
    return {
        "badge": Badge.of(decision, units) if decision.skill else None,
        "loss": f"{decision.error:.3f}",
        "chosen": term(decision.chosen),
        "verdict": words.cube_verdict(decision, units),
        "others": [source for source, _ in others],
        "differ": [words.other_verdict(source, both, units) for source, both in others if not both.agreed],
        "open": decision.counted or decision.skill > Skill.NONE,
        "head": say("turn.cube_action", name=names[words.mover(decision)]),
        "match": decision.state.length > 0,
        "rows": rows,
        "answers": answers,
        "chances": _chances(cube.probabilities, words.mover(decision), names) if cube is not None else None,
        "when": say("turn.before_roll"),
    }


def _chances(probabilities: Outcomes, mover: int, names: tuple[str, str]) -> list[dict[str, str]]:
    """Wins, gammons and backgammons of player 0 and of player 1, cumulative, in per cent."""
    win, gammon, backgammon, lose, lose_gammon, lose_backgammon = words.six_chances(probabilities)
    sides = [(win, gammon, backgammon), (lose, lose_gammon, lose_backgammon)]
    return [
        {"name": name, **dict(zip(("win", "gammon", "backgammon"), map(words.percent, side), strict=True))}
        for name, side in zip(names, sides if mover == 0 else reversed(sides), strict=True)
    ]
