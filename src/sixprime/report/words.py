"""Numbers and names as every report writes them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from sixprime.analysis.thresholds import DEFAULT_THRESHOLDS, Luck, Skill, Thresholds
from sixprime.engine.results import CubeAnalysis, PlayAnalysis
from sixprime.errors import SixprimeError
from sixprime.game.doubling import beavered
from sixprime.game.ids import encode_xgid
from sixprime.game.match_rules import scored
from sixprime.game.outcomes import Outcomes
from sixprime.game.record import Action, ActionKind, Game, Match
from sixprime.report.phrases import known, many, say, term
from sixprime.report.units import EMG, Units
from sixprime.report.units import percent as percent
from sixprime.report.units import signed as signed

# Who is shown a single position shall not wait for what only matches need.
if TYPE_CHECKING:
    from sixprime.analysis.compare import Compared
    from sixprime.analysis.model import AnalysedMatch, Decision, PlayerStatistics, Resignation
    from sixprime.game.position import Position
    from sixprime.game.state import MatchState

SKILL_NAMES = {Skill.NONE: "", Skill.DOUBTFUL: "doubtful", Skill.BAD: "bad", Skill.VERY_BAD: "very bad"}
SKILL_SIGNS = {Skill.NONE: "", Skill.DOUBTFUL: "?!", Skill.BAD: "?", Skill.VERY_BAD: "??"}
LUCK_NAMES = {
    Luck.VERY_UNLUCKY: "very unlucky",
    Luck.UNLUCKY: "unlucky",
    Luck.NONE: "",
    Luck.LUCKY: "lucky",
    Luck.VERY_LUCKY: "very lucky",
}
LUCK_SIGNS = {Luck.VERY_UNLUCKY: "▼▼", Luck.UNLUCKY: "▼", Luck.NONE: "", Luck.LUCKY: "▲", Luck.VERY_LUCKY: "▲▲"}

# What neither HTML nor XML may hold: control characters, halves of surrogate pairs, noncharacters.
_FORBIDDEN = re.compile(
    "[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f\\ud800-\\udfff\\ufdd0-\\ufdef\\ufffe\\uffff"
    + "".join(f"{chr(plane << 16 | 0xFFFE)}{chr(plane << 16 | 0xFFFF)}" for plane in range(1, 17))
    + "]"
)
_JOINERS = "\u200c\u200d"  # parts of words and of emoji


def lawful(text: str) -> str:
    """Text that HTML and XML may hold; what they may not becomes a question mark."""
    return _FORBIDDEN.sub("?", text)


def xml_text(text: str) -> str:
    """Text as content or attribute of an element."""
    from html import escape

    return escape(lawful(text))


def clean(text: str) -> str:
    """Text from a file in one line, without characters that steer a terminal or turn the direction of writing."""
    one_line = "".join(" " if character.isspace() else character for character in text)
    return "".join(c if c.isprintable() or c in _JOINERS else "?" for c in one_line)


def names(match: Match) -> tuple[str, str]:
    """The players as reports name them: never empty, and never the same."""
    called = (say("you") if player.unnamed else clean(player.name) for player in match.players)
    first, second = (" ".join(name.split()) for name in called)
    first, second = first or say("player", number=1), second or say("player", number=2)
    return (f"{first} (1)", f"{second} (2)") if first == second else (first, second)


def position_lines(position: Position, player: str, opponent: str) -> list[str]:
    """A position for those who do not see it: a line for each side, by its own points."""
    lines = []
    for name, side, off in ((player, position.player, position.off[0]), (opponent, position.opponent, position.off[1])):
        places = [f"{count} on {'the bar' if i == 24 else i + 1}" for i, count in enumerate(side) if count][::-1]
        lines.append(f"{name}: {', '.join([*places, *([f'{off} off'] if off else [])])}.")
    return lines


def loss(value: float, digits: int = 3) -> str:
    """Equity lost as a negative number; empty for none."""
    return Units(digits=digits).loss(value, None)


def count(number: int, noun: str) -> str:
    """`1 point`, `2 points`."""
    key = f"count.{noun}"
    return many(key, number) if known(f"{key}.one") else f"{number} {noun}{'' if number == 1 else 's'}"


def skill_name(skill: Skill) -> str:
    """`doubtful`; empty for no mark."""
    return say(f"skill.{int(skill)}") if skill else ""


def luck_name(luck: Luck) -> str:
    """`very lucky`; empty for no mark."""
    return say(f"luck.{int(luck)}") if luck else ""


def depth(plies: int, trials: int = 0) -> str:
    """How something was judged: `2-ply` or `rollout of 324 games`."""
    return say("depth.rollout", games=count(trials, "game")) if trials else say("depth.plies", plies=plies)


def depths(plies: int, trials: int) -> str:
    """The same of many values, some of which were rolled out: `2-ply or rollout of 72 games`."""
    return say("depth.either", search=depth(plies), rollout=depth(plies, trials)) if trials else depth(plies)


def noise(deviation: float, *, deterministic: bool) -> str:
    """The noise of an evaluation, as it stands behind its depth; nothing without any."""
    return f", noise {deviation:.3g} ({'d' if deterministic else 'nd'})" if deviation else ""


def depth_mark(play: PlayAnalysis) -> str:
    """The same for a narrow column: `2`, or `R` when rolled out."""
    return "R" if play.trials else str(play.plies)


def why_order(plays: Sequence[PlayAnalysis], plies: int | None = None) -> str:
    """What to say below a list of plays, best first, about how deep each was judged; empty where nothing needs it.

    plies: how far the search was to look ahead, None where that is not known.
    """
    if not plays:
        return ""
    parts = []
    best = plays[0]
    if any(play.trials for play in plays) and not all(play.trials for play in plays):
        parts.append("Plays rolled out stand first.")
    searched = {play.plies for play in plays if not play.trials}
    if len(searched) > 1:
        parts.append("Plays searched deeper stand first; the move filter left the rest at their ply.")
    if plies is not None and not best.trials and best.plies < plies:
        parts.append(f"The move filter left one play after {best.plies}-ply, so none was searched to {plies}-ply.")
    return " ".join(parts)


def dice_text(dice: tuple[int, int] | None) -> str:
    """`31`, larger die first; empty without dice."""
    return "" if dice is None else f"{max(dice)}{min(dice)}"


def play_text(text: str) -> str:
    """A play as shown to people: a dance has no steps."""
    return text or term("Cannot move")


def length_text(match: Match) -> str:
    """`7-point match` or `money session`."""
    return say("length.match", length=match.length) if match.length else say("length.money")


def final_score(match: Match) -> tuple[int, int]:
    """Score after the last game."""
    if not match.games:
        return (0, 0)
    game = match.games[-1]
    return game.score if game.winner is None else scored(game.score, game.winner, game.points)


def game_outcome(match: Match, game: Game) -> str:
    """`Ann wins 2 points`; `unfinished` when the record breaks off."""
    if game.winner is None:
        return say("outcome.unfinished")
    return _done("wins", names(match)[game.winner], points=count(game.points, "point"))


def resignation_verdict(match: Match, judged: Resignation, units: Units = EMG) -> str:
    """What a resignation or its acceptance lost, where that gets a mark; else empty."""
    mine, theirs = names(match)[judged.player], names(match)[1 - judged.player]

    def size(equity: float, mwc: float) -> str:
        return units.change(equity, mwc if match.length else None).removeprefix("+")

    found = []
    if judged.given_away_mark:
        gift = size(judged.given_away, judged.given_away_mwc)
        found.append(say("resigned.gift", name=mine, size=gift, mark=skill_name(judged.given_away_mark)))
    if judged.let_off_mark:
        let_off = size(judged.let_off, judged.let_off_mwc)
        found.append(say("resigned.accepted", name=theirs, size=let_off, mark=skill_name(judged.let_off_mark)))
    return "; ".join(found)


def match_outcome(match: Match) -> str:
    """Who won, with the score as the winner reads it."""
    score = final_score(match)
    leader = 0 if score[0] >= score[1] else 1
    high, low = score[leader], score[1 - leader]
    name = names(match)[leader]
    if match.late is not None:
        winner = 1 - match.late
        return _done("late", names(match)[winner], score=f"{score[winner]}-{score[match.late]}")
    if match.length and high >= match.length:
        return _done("match", name, score=f"{high}-{low}")
    if high == low:
        return say("outcome.level", score=f"{high}-{low}")
    return _done("leads", name, score=f"{high}-{low}")


def _done(what: str, name: str, **parts: str) -> str:
    """What somebody does; who plays may be called you."""
    if name.lower() in ("you", say("you").lower()):
        return say(f"outcome.you_{what}", **parts)
    return say(f"outcome.{what}", name=name, **parts)


def error_shape(decision: Decision) -> str:
    """`circle` for chequer plays, `square` for cube decisions."""
    return "circle" if decision.kind == "play" else "square"


# What players do.


def action_text(action: Action) -> str:
    """An action as a move list shows it, without dice."""
    match action.kind:
        case ActionKind.MOVE:
            text = play_text(str(action.play) if action.play is not None else "")
            return say("action.illegal", play=text) if action.illegal else text
        case ActionKind.ROLL:
            return say("action.rolls")
        case ActionKind.DOUBLE:
            return say("action.doubles_to", cube=action.value) if action.value else say("action.doubles")
        case ActionKind.BEAVER:
            turned = "raccoons" if action.state.beavered else "beavers"
            return say(f"action.{turned}_to", cube=action.value) if action.value else say(f"action.{turned}")
        case ActionKind.TAKE:
            return say("action.takes")
        case ActionKind.DROP:
            return say("action.passes")
        case ActionKind.RESIGN:
            return say(f"action.resigns.{action.value if action.value in (2, 3) else 1}")
        case ActionKind.SET:
            return say("action.set")


def mover(decision: Decision) -> int:
    """Whose chequers are `decision.position.player`: the doubler when the decision is a take."""
    return decision.state.on_roll


def xgid(decision: Decision) -> str:
    """XGID of the decision, as `xgid_of` has it."""
    return xgid_of(decision.position, replace(decision.state, dice=decision.dice))


def xgid_of(position: Position, state: MatchState) -> str:
    """XGID of a position; empty for one that no XGID can hold."""
    try:
        return encode_xgid(position, state)
    except SixprimeError:
        return ""


def match_id(state: MatchState) -> str | None:
    """None for what a match ID cannot hold."""
    try:
        return state.match_id
    except SixprimeError:
        return None


def position_id(position: Position) -> str:
    """Empty for what a position ID cannot hold."""
    try:
        return position.id
    except SixprimeError:
        return ""


def error_mwc(decision: Decision) -> float | None:
    """What a decision lost as match-winning chance; None for money."""
    return decision.error_mwc if decision.state.length else None


def lost_by(decision: Decision, units: Units = EMG) -> str:
    """What a decision lost as a negative number; empty for nothing."""
    return units.loss(decision.error, error_mwc(decision))


def luck_of(decision: Decision, units: Units = EMG) -> str:
    """What the roll of a decision gained, where there is one."""
    mwc = decision.luck_mwc if decision.state.length else None
    return "" if decision.luck is None else units.change(decision.luck, mwc)


def play_verdict(decision: Decision, units: Units = EMG) -> str:
    """What there is to say about a play."""
    if not decision.plays or decision.played is None:
        return say("verdict.not_judged")
    if decision.forced:
        return say("verdict.forced")
    if loss(decision.error) == "":
        return say("verdict.best")
    return _loses(decision, play_text(decision.best), units)


def _loses(decision: Decision, best: str, units: Units) -> str:
    lost = units.verdict(decision.error, error_mwc(decision))
    if not decision.skill:
        return say("verdict.loses", lost=lost, best=best)
    return say("verdict.loses_mark", lost=lost, mark=skill_name(decision.skill), best=best)


def cube_verdict(decision: Decision, units: Units = EMG) -> str:
    """What there is to say about a cube decision."""
    if loss(decision.error) == "":
        return (
            say("verdict.right")
            if decision.cube is None
            else say("verdict.right_action", action=term(decision.cube.action))
        )
    best = decision.best if decision.kind == "take" or decision.cube is None else decision.cube.action
    return _loses(decision, term(best), units)


def short_source(source: str) -> str:
    """A program as the head of a column."""
    known = {"eXtreme Gammon": "XG", "GNU Backgammon": "gnubg", "BGBlitz": "BGBlitz"}
    return next((short for name, short in known.items() if source.startswith(name)), source.split()[0])


def other_verdict(source: str, both: Compared, units: Units = EMG) -> str:
    """What another program would have done instead, and what that loses by our judgement."""
    best = term(play_text(both.theirs.best))
    if both.theirs_by_us is None:
        return say("verdict.other", source=source, best=best)
    return say("verdict.other_by_us", source=source, best=best, equity=signed(-both.theirs_by_us, units.digits))


def answers(cube: CubeAnalysis, beavers: int) -> list[tuple[str, float]]:
    """The answers to a beaver or raccoon on offer, best first, and the equity of the doubler after each; else none.

    beavers: how many stand before the answer.
    """
    if not (beavers and cube.state.money and cube.available):
        return []
    from sixprime.analysis.decisions import answer_text
    from sixprime.analysis.judge import Answer

    answer = Answer(cube, beavers)
    ordered = sorted(answer.all, key=answer.value, reverse=beavers % 2 == 1)
    return [(answer_text(kind, beavers), answer.value(kind)) for kind in ordered]


def cube_rows(cube: CubeAnalysis) -> list[tuple[str, float, float | None]]:
    """Name, equity of the doubler and match-winning chance of each cube action."""
    double = "Double" if cube.state.cube_owner is None else "Redouble"
    rows = [(f"No {double.lower()}", cube.no_double, cube.mwc_no_double)]
    if cube.available:
        rows += [
            (f"{double}, take", cube.double_take, cube.mwc_double_take),
            (f"{double}, pass", cube.double_pass, cube.mwc_double_pass),
        ]
        if cube.should_beaver:
            rows.append((f"{double}, beaver", beavered(cube.double_take), None))
    return rows


def best_cube_row(cube: CubeAnalysis) -> int:
    """Which of `cube_rows` happens when both sides act best."""
    if not cube.available or not cube.should_double:
        return 0
    if cube.should_beaver:
        return 3
    return 1 if cube.should_take else 2


def marks(thresholds: Thresholds) -> str:
    """From which loss on a decision gets a mark."""
    losses = {"?!": thresholds.doubtful, "?": thresholds.bad, "??": thresholds.very_bad}
    if thresholds.doubtful == thresholds.bad:
        del losses["?!"]
    first, *others = losses.items()
    return ", ".join((f"{first[0]} loses {first[1]:g} or more", *(f"{sign} {loss:g}" for sign, loss in others)))


def judged_part(analysed: AnalysedMatch) -> str:
    """What to say of a match of which only some games were judged; else empty."""
    done, games = len(analysed.games), len(analysed.match.games)
    return f"{done} of {games} games judged so far." if done < games else ""


def glossary(in_match: bool, thresholds: Thresholds = DEFAULT_THRESHOLDS) -> list[tuple[str, str]]:
    """What the words of a report mean; `docs/glossary.md` says the same."""
    equity = say("gloss.equity") + (say("gloss.emg") if in_match else "")
    first, second = thresholds.bad_luck
    below = say("gloss.below_same")
    if thresholds.bad_luck != (thresholds.lucky, thresholds.very_lucky):
        below = say("gloss.below", first=first, second=second)
    mwc = [("MWC", say("gloss.mwc"))]
    return [
        ("PR", say("gloss.pr")),
        ("Equity, EMG" if in_match else "Equity", equity),
        *(mwc if in_match else ()),
        ("Ply", say("gloss.ply")),
        (
            "?!, ?, ??",
            say("gloss.marks", doubtful=thresholds.doubtful, bad=thresholds.bad, very_bad=thresholds.very_bad),
        ),
        ("Luck", say("gloss.luck", lucky=thresholds.lucky, very_lucky=thresholds.very_lucky, below=below)),
        ("W, G, B, L", say("gloss.chances")),
    ]


# Probabilities and results.


def six_chances(probabilities: Outcomes) -> tuple[float, float, float, float, float, float]:
    """Win, gammon, backgammon of the player and of the opponent, cumulative on both sides.

    Variance reduction takes estimates of few games a little beyond 0 and 1, where no chance is.
    """
    win, gammon, backgammon, lose_gammon, lose_backgammon = (min(max(0.0, each), 1.0) for each in probabilities)
    return (win, gammon, backgammon, 1.0 - win, lose_gammon, lose_backgammon)


def result_text(value: float, length: int) -> str:
    """A result: match-winning chance gained, or points."""
    return f"{signed(100 * value, 1)} % MWC" if length else say("result.points", points=signed(value, 2))


def luck_note(analysed: AnalysedMatch) -> str:
    """What to say below the luck of a match in which somebody rolled and resigned; else empty."""
    for game, judged in zip(analysed.match.games, analysed.games, strict=False):
        for decision in judged.decisions:
            rolled, *after = game.actions[decision.action :]
            resigned = after and after[0].kind is ActionKind.RESIGN and after[0].player == decision.player
            if decision.luck is not None and rolled.kind is ActionKind.ROLL and resigned:
                return say("luck_note")
    return ""


def said(encoding: str, text: str) -> str:
    """The text in the characters that an output has."""
    return text if encoding.lower().startswith("utf") else text.replace("±", "+-")


def pr_text(statistics: PlayerStatistics) -> str:
    """The PR with its standard error."""
    error = statistics.pr_error
    return f"{statistics.pr:.2f}" if error is None else f"{statistics.pr:.2f} ± {error:.2f}"
