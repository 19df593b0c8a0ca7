"""What the totals of a player say, as every report writes it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sixprime.analysis.model import Phase, Plan, PlayerStatistics, Tally
from sixprime.analysis.ratings import (
    FibsEstimate,
    RatingTable,
    absolute_fibs,
    luck_based_fibs,
    luck_name,
    pr_name,
    rating_name,
)
from sixprime.analysis.statistics import points_per_game
from sixprime.report.phrases import say, term
from sixprime.report.units import EMG, Units, signed
from sixprime.report.words import pr_text, result_text

FIBS_DECISIONS = 20
"""From how many decisions a FIBS rating is estimated: of fewer one error moves it by hundreds."""


def fibs_estimate(
    statistics: PlayerStatistics, length: int, text: Callable[[FibsEstimate], str] = lambda fibs: f"{fibs.rating:.0f}"
) -> str:
    """FIBS rating estimated from the errors; a hyphen without decisions, words where they are too few to say."""
    if not statistics.decisions:
        return "-"
    return text(absolute_fibs(statistics, length)) if statistics.decisions >= FIBS_DECISIONS else say("stat.too_few")


def luck_rating(statistics: PlayerStatistics) -> str:
    """The luck per roll in words; empty without rolls."""
    if not statistics.rolls:
        return ""
    name = luck_name(statistics.luck_per_roll)
    return say("stat.average") if name == "None" else say(f"dice.{name}")


def luck_text(statistics: PlayerStatistics, units: Units, length: int) -> str:
    """The luck of all rolls; "-" where that of none is known."""
    return units.change(statistics.luck_total, statistics.luck_mwc if length else None) if statistics.rolls else "-"


def adjusted_text(statistics: PlayerStatistics, length: int) -> str:
    """The luck-adjusted result; "-" where the luck of no roll is known."""
    return result_text(statistics.luck_adjusted_result, length) if statistics.rolls else "-"


Rows = list[tuple[str, tuple[str, str] | tuple[()]]]
"""Label and a text per player; a row without texts is a heading."""


def statistics_table(
    pair: tuple[PlayerStatistics, PlayerStatistics],
    length: int,
    games: Sequence[tuple[PlayerStatistics, PlayerStatistics]] = (),
    units: Units = EMG,
) -> Rows:
    """Everything that totals say. games: those of each game, for the advantage in a session.

    units: of these the digits and how match-winning chances are written; totals are given as equities and as chances.
    """

    def rate(total: float, number: int) -> str:
        return f"{1000 * total / number:.1f}" if number else "-"

    def tally(each: Tally) -> str:
        if not each.count:
            return "0"
        return f"{each.count} ({lost(each.error)}{f', {lost_mwc(each.error_mwc)}' if length else ''})"

    def share(each: Tally) -> str:
        if not each.count:
            return "-"
        return say("stat.share", lost=lost(each.error), number=each.count, pr=500 * each.error / each.count)

    def mwc(value: float) -> str:
        return units.change_of_chance(value) if length else signed(value, units.digits)

    def lost(value: float) -> str:
        return signed(-value, units.digits).replace("+", "")

    def lost_mwc(value: float) -> str:
        return mwc(-value).replace("+", "")

    def per(total: float, number: int) -> str:
        return lost_mwc(total / number) if number else "-"

    def named(error: float, number: int, table: RatingTable = RatingTable.NEW) -> str:
        return term(rating_name(error, table)) if number else "-"

    unit = "MWC" if length else say("stat.unit_points")
    a, b = pair

    def row(label: str, text: Callable[[PlayerStatistics], str]) -> tuple[str, tuple[str, str]]:
        return label, (text(a), text(b))

    rows: Rows = [
        (say("stat.chequer"), ()),
        row(say("stat.plays"), lambda s: f"{s.moves}"),
        row(say("stat.unforced"), lambda s: f"{s.unforced_moves}"),
        row(say("stat.marks"), lambda s: " / ".join(str(n) for n in s.play_marks[1:])),
        row(say("stat.error"), lambda s: lost(s.chequer_error_total)),
        row(say("stat.error_unit", unit=unit), lambda s: lost_mwc(s.chequer_error_mwc)),
        row(say("stat.error_per_play"), lambda s: rate(s.chequer_error_total, s.unforced_moves)),
        row(say("stat.error_per_play_unit", unit=unit), lambda s: per(s.chequer_error_mwc, s.unforced_moves)),
        row(say("stat.rating"), lambda s: named(s.chequer_error_rate, s.unforced_moves)),
        (say("stat.cube"), ()),
        row(say("stat.decisions"), lambda s: f"{s.cube_total}"),
        row(say("stat.close"), lambda s: f"{s.cube_decisions}"),
        row(say("stat.doubles"), lambda s: f"{s.doubles} / {s.takes} / {s.passes}"),
        row(say("stat.marks"), lambda s: " / ".join(str(n) for n in s.cube_marks[1:])),
        row(say("stat.missed_below"), lambda s: tally(s.faults.missed_below_cash)),
        row(say("stat.missed_above"), lambda s: tally(s.faults.missed_above_cash)),
        row(say("stat.too_weak"), lambda s: tally(s.faults.doubled_too_weak)),
        row(say("stat.too_good"), lambda s: tally(s.faults.doubled_too_good)),
        row(say("stat.wrong_takes"), lambda s: tally(s.faults.wrong_takes)),
        row(say("stat.wrong_passes"), lambda s: tally(s.faults.wrong_passes)),
        row(say("stat.error"), lambda s: lost(s.cube_error_total)),
        row(say("stat.error_unit", unit=unit), lambda s: lost_mwc(s.cube_error_mwc)),
        row(say("stat.error_per_decision"), lambda s: rate(s.cube_error_total, s.cube_decisions)),
        row(say("stat.error_per_decision_unit", unit=unit), lambda s: per(s.cube_error_mwc, s.cube_decisions)),
        row(say("stat.rating"), lambda s: named(s.cube_error_rate, s.cube_decisions)),
        (say("stat.overall"), ()),
        row(say("stat.error"), lambda s: lost(s.error_total)),
        row(say("stat.error_unit", unit=unit), lambda s: lost_mwc(s.error_mwc)),
        row(say("stat.error_per_decision"), lambda s: rate(s.error_total, s.decisions)),
        row(say("stat.error_per_decision_unit", unit=unit), lambda s: per(s.error_mwc, s.decisions)),
        (say("stat.snowie"), (rate(a.error_total, a.moves + b.moves), rate(b.error_total, a.moves + b.moves))),
        row(say("stat.pr"), lambda s: pr_text(s) if s.decisions else "-"),
        row(say("stat.rating_pr"), lambda s: term(pr_name(s.pr)) if s.decisions else "-"),
        row(say("stat.rating_gnubg"), lambda s: named(s.error_per_decision, s.decisions)),
        row(say("stat.rating_old"), lambda s: named(s.error_per_decision, s.decisions, RatingTable.OLD)),
        row(say("stat.fibs"), lambda s: fibs_estimate(s, length, lambda fibs: f"{fibs.rating:.1f}")),
        row(say("stat.fibs_chequer"), lambda s: fibs_estimate(s, length, lambda fibs: f"{fibs.chequer_loss:.1f}")),
        row(say("stat.fibs_cube"), lambda s: fibs_estimate(s, length, lambda fibs: f"{fibs.cube_loss:.1f}")),
        (say("stat.luck"), ()),
        row(say("stat.lucky"), lambda s: f"{s.luck_marks[4]} / {s.luck_marks[3]}"),
        row(say("stat.unlucky"), lambda s: f"{s.luck_marks[1]} / {s.luck_marks[0]}"),
        row(say("stat.luck_total"), lambda s: signed(s.luck_total, units.digits) if s.rolls else "-"),
        row(say("stat.luck_unit", unit=unit), lambda s: mwc(s.luck_mwc) if s.rolls else "-"),
        row(say("stat.luck_per_roll"), lambda s: signed(1000 * s.luck_per_roll, 1) if s.rolls else "-"),
        row(say("stat.luck_rating"), luck_rating),
        row(say("stat.actual"), lambda s: result_text(s.actual_result, length)),
        row(say("stat.adjusted"), lambda s: adjusted_text(s, length)),
    ]
    differences = [luck_based_fibs(s.luck_adjusted_result, length) if s.rolls else None for s in pair]
    if length:
        texts = [signed(d, 1) if d is not None else "-" for d in differences]
        rows.append((say("stat.fibs_luck"), (texts[0], texts[1])))
    elif len(games) > 1:
        rows.append((say("stat.per_game"), _advantages(games, "actual_result", units.digits)))
        rows.append((say("stat.per_game_adjusted"), _advantages(games, "luck_adjusted_result", units.digits)))
    rows.append((say("stat.by_phase"), ()))
    rows += [row(say(f"phase.{phase}"), lambda s, i=i: share(s.phases[i])) for i, phase in enumerate(Phase)]  # type: ignore[misc]
    rows.append((say("stat.by_plan"), ()))
    rows += [row(say(f"plan.{plan}"), lambda s, i=i: share(s.plans[i])) for i, plan in enumerate(Plan)]  # type: ignore[misc]
    if any(s.too_early.count or s.too_cheap.count for s in pair):
        rows.append((say("stat.resignations"), ()))
        rows.append(row(say("stat.too_early"), lambda s: tally(s.too_early)))
        rows.append(row(say("stat.too_cheap"), lambda s: tally(s.too_cheap)))
    if any(s.timed for s in pair):
        rows.append((say("stat.time"), ()))
        rows.append(row(say("stat.used"), lambda s: say("stat.minutes", minutes=s.seconds / 60) if s.timed else "-"))
        rows.append(row(say("stat.per_action"), lambda s: f"{s.seconds / s.timed:.1f}" if s.timed else "-"))
    return rows


def _advantages(games: Sequence[tuple[PlayerStatistics, PlayerStatistics]], name: str, digits: int) -> tuple[str, str]:
    """Mean points per game of both players with the 95 % interval."""
    mean, width = points_per_game([getattr(own, name) for own, _ in games])
    return f"{signed(mean, digits)} ± {width:.{digits}f}", f"{signed(-mean, digits)} ± {width:.{digits}f}"
