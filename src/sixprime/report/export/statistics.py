"""The statistics of a game or match as GNU Backgammon lays them out, in three columns."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from sixprime.analysis.model import AnalysedMatch, CubeFaults, PlayerStatistics, Tally
from sixprime.analysis.ratings import RatingTable, absolute_fibs, luck_based_fibs, luck_in_words, rating_name
from sixprime.analysis.statistics import points_per_game, snowie_error_rate
from sixprime.report import words
from sixprime.report.export.options import DEFAULT, ExportOptions

NONE = "n/a"


@dataclass(frozen=True, slots=True)
class Section:
    """Rows under one heading: label, and what stands in the columns of the players."""

    title: str
    rows: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True, slots=True)
class Statistics:
    """title: "Game statistics for game 1", "Match statistics"; names: of the players, above the columns."""

    title: str
    names: tuple[str, str]
    sections: tuple[Section, ...]


def game_statistics(analysed: AnalysedMatch, game: int, options: ExportOptions = DEFAULT) -> Statistics:
    """Of one game. game: index into `analysed.games`."""
    number = analysed.match.games[game].number
    return _statistics(analysed, f"Game statistics for game {number}", analysed.games[game].statistics, game, options)


def match_statistics(analysed: AnalysedMatch, options: ExportOptions = DEFAULT) -> Statistics:
    """Of all games."""
    title = "Match statistics" if analysed.match.length else "Session statistics"
    return _statistics(analysed, title, analysed.statistics, None, options)


def _statistics(
    analysed: AnalysedMatch,
    title: str,
    pair: tuple[PlayerStatistics, PlayerStatistics],
    game: int | None,
    options: ExportOptions,
) -> Statistics:
    how = _Numbers("MWC" if analysed.match.length else "Points", options)
    depths = analysed.depths
    plays = depths is None or any(d.plies is not None for d in depths) or any(each.unforced_moves for each in pair)
    cubes = depths is None or any(d.cube_plies is not None for d in depths) or any(each.cube_total for each in pair)
    luck = depths is None or any(each.rolls for each in pair)
    sections = (
        Section("Chequerplay statistics", _chequer(pair, how) if plays else ()),
        Section("Luck statistics", _luck(pair, how) if luck else ()),
        Section("Cube statistics", _cube(pair, how) if cubes else ()),
        Section("Overall statistics", _overall(analysed, pair, game, how, judged=plays or cubes)),
    )
    # What was not looked at has no section.
    return Statistics(title, words.names(analysed.match), tuple(each for each in sections if each.rows))


_Rows = tuple[tuple[str, str, str], ...]


def _row(
    pair: tuple[PlayerStatistics, PlayerStatistics], label: str, text: Callable[[PlayerStatistics], str]
) -> tuple[str, str, str]:
    return label, text(pair[0]), text(pair[1])


@dataclass(frozen=True, slots=True)
class _Numbers:
    """How they are written. unit: of what is played for, "MWC" or "Points"."""

    unit: str
    options: ExportOptions

    @property
    def rate_unit(self) -> str:
        """Of rates: thousandths, or what else they are multiplied with."""
        factor = self.options.output_errorratefactor
        return "mEMG" if factor == 1000 else f"EMG x {factor:g}"

    def number(self, value: float) -> str:
        """An equity, or points."""
        return f"{value:+{self.options.output_digits + 3}.{self.options.output_digits}f}"

    def stake(self, value: float) -> str:
        """Match-winning chance, or points."""
        digits = self.options.output_digits
        if self.unit == "MWC" and self.options.output_matchpc:
            return f"{100 * value:+{digits + 4}.{digits}f}%"
        return f"{value:+{digits + 4}.{digits}f}"

    def total(self, equity: float, stake: float) -> str:
        """What adds up."""
        return f"     {self.number(equity)} ({self.stake(stake)})"

    def scaled(self, rate: float) -> str:
        """A rate, as exact as thousandths with one digit."""
        factor = self.options.output_errorratefactor
        return f"{factor * rate:+9.{max(1, 1 + math.ceil(math.log10(1000 / factor)))}f}"

    def rate(self, equity: float, stake: float, number: int) -> str:
        """Of nothing there is no rate."""
        return f"{self.scaled(equity / number)}   ({self.stake(stake / number)})" if number else NONE


def _named(error: float, number: int) -> str:
    return rating_name(error / number, RatingTable.OLD) if number else NONE


def _chequer(pair: tuple[PlayerStatistics, PlayerStatistics], how: _Numbers) -> _Rows:
    marks = ("Unmarked moves", "Moves marked doubtful", "Moves marked bad", "Moves marked very bad")
    return (
        _row(pair, "Total moves", lambda s: f"{s.moves:3}"),
        _row(pair, "Unforced moves", lambda s: f"{s.unforced_moves:3}"),
        *(_row(pair, label, lambda s, k=k: f"{s.play_marks[k]:3}") for k, label in enumerate(marks)),  # type: ignore[misc]
        _row(pair, f"Error total EMG ({how.unit})", lambda s: how.total(-s.chequer_error_total, -s.chequer_error_mwc)),
        _row(
            pair,
            f"Error rate {how.rate_unit} ({how.unit})",
            lambda s: how.rate(-s.chequer_error_total, -s.chequer_error_mwc, s.unforced_moves),
        ),
        _row(pair, "Chequerplay rating", lambda s: _named(s.chequer_error_total, s.unforced_moves)),
    )


def _luck(pair: tuple[PlayerStatistics, PlayerStatistics], how: _Numbers) -> _Rows:
    marks = ("marked very lucky", "marked lucky", "unmarked", "marked unlucky", "marked very unlucky")
    return (
        *(_row(pair, f"Rolls {label}", lambda s, k=k: f"{s.luck_marks[4 - k]:3}") for k, label in enumerate(marks)),  # type: ignore[misc]
        _row(pair, f"Luck total EMG ({how.unit})", lambda s: how.total(s.luck_total, s.luck_mwc)),
        _row(pair, f"Luck rate {how.rate_unit} ({how.unit})", lambda s: how.rate(s.luck_total, s.luck_mwc, s.rolls)),
        _row(pair, "Luck rating", lambda s: luck_in_words(s.luck_per_roll) if s.rolls else NONE),
    )


def _cube(pair: tuple[PlayerStatistics, PlayerStatistics], how: _Numbers) -> _Rows:
    def fault(label: str, found: Callable[[CubeFaults], Tally]) -> tuple[str, str, str]:
        first, second = (text(found(each.faults)) for each in pair)
        return f"{label} (EMG ({how.unit}))", first, second

    def text(each: Tally) -> str:
        lost = f" ({how.number(-each.error)} ({how.stake(-each.error_mwc)}))" if each.count else ""
        return f"{each.count:3}{lost}"

    return (
        _row(pair, "Total cube decisions", lambda s: f"{s.cube_total:3}"),
        _row(pair, "Close or actual cube decisions", lambda s: f"{s.cube_decisions:3}"),
        _row(pair, "Doubles", lambda s: f"{s.doubles:3}"),
        _row(pair, "Takes", lambda s: f"{s.takes:3}"),
        _row(pair, "Passes", lambda s: f"{s.passes:3}"),
        fault("Missed doubles below CP", lambda f: f.missed_below_cash),
        fault("Missed doubles above CP", lambda f: f.missed_above_cash),
        fault("Wrong doubles below DP", lambda f: f.doubled_too_weak),
        fault("Wrong doubles above TG", lambda f: f.doubled_too_good),
        fault("Wrong takes", lambda f: f.wrong_takes),
        fault("Wrong passes", lambda f: f.wrong_passes),
        _row(pair, f"Error total EMG ({how.unit})", lambda s: how.total(-s.cube_error_total, -s.cube_error_mwc)),
        _row(
            pair,
            f"Error rate {how.rate_unit} ({how.unit})",
            lambda s: how.rate(-s.cube_error_total, -s.cube_error_mwc, s.cube_decisions),
        ),
        _row(pair, "Cube decision rating", lambda s: _named(s.cube_error_total, s.cube_decisions)),
    )


def _overall(
    analysed: AnalysedMatch,
    pair: tuple[PlayerStatistics, PlayerStatistics],
    game: int | None,
    how: _Numbers,
    *,
    judged: bool,
) -> _Rows:
    """judged: whether plays or cube decisions were."""
    moves = pair[0].moves + pair[1].moves

    def snowie(own: PlayerStatistics, other: PlayerStatistics) -> str:
        rate = snowie_error_rate(own, other)
        return f"{how.scaled(-rate)}   ({how.stake(-own.error_mwc / moves)})" if moves else NONE

    rows: list[tuple[str, str, str]] = []
    if judged:
        rows += [
            _row(pair, f"Error total EMG ({how.unit})", lambda s: how.total(-s.error_total, -s.error_mwc)),
            _row(
                pair,
                f"Error rate {how.rate_unit} ({how.unit})",
                lambda s: how.rate(-s.error_total, -s.error_mwc, s.decisions),
            ),
            ("Snowie error rate", snowie(*pair), snowie(pair[1], pair[0])),
            _row(pair, "Overall rating", lambda s: _named(s.error_total, s.decisions)),
        ]
    chosen = range(len(analysed.games)) if game is None else (game,)
    if any(analysed.match.games[index].winner is not None for index in chosen):
        rows += _results(analysed, pair, chosen)
    if judged and (length := analysed.match.length):

        def rated(own: PlayerStatistics, decisions: int, part: str) -> str:
            fibs = absolute_fibs(own, length, how.options.ratingoffset)
            return f"{getattr(fibs, part):6.1f}" if decisions else NONE

        rows += [
            _row(pair, "Error based abs. FIBS rating", lambda s: rated(s, s.decisions, "rating")),
            _row(pair, "Chequerplay errors rating loss", lambda s: rated(s, s.unforced_moves, "chequer_loss")),
            _row(pair, "Cube errors rating loss", lambda s: rated(s, s.cube_decisions, "cube_loss")),
        ]
    return tuple(rows)


def _results(
    analysed: AnalysedMatch, pair: tuple[PlayerStatistics, PlayerStatistics], games: range | tuple[int, ...]
) -> list[tuple[str, str, str]]:
    def result(value: float) -> str:
        return f"{100 * value:+7.2f}%" if analysed.match.length else f"{value:+7.3f}"

    rows = [_row(pair, "Actual result", lambda s: result(s.actual_result))]
    known = any(each.rolls for each in pair)
    if known:
        rows.append(_row(pair, "Luck adjusted result", lambda s: result(s.luck_adjusted_result)))
    if analysed.match.length and known:
        gap = luck_based_fibs(pair[0].luck_adjusted_result, analysed.match.length)
        return [*rows, ("Luck based FIBS rating diff.", NONE if gap is None else f"{gap:+7.2f}", "")]
    if analysed.match.length or len(games) < 2:
        return rows
    for label, of in (("actual", "actual_result"), ("luck adjusted", "luck_adjusted_result"))[: 1 + known]:
        results = [float(getattr(analysed.games[index].statistics[0], of)) for index in games]
        mean, width = points_per_game(results)
        spans = [f"[{side * mean - width:6.3f},{side * mean + width:6.3f}]" for side in (1, -1)]
        rows.append((f"Advantage ({label}) in ppg", f"{mean:+7.3f}", f"{-mean:+7.3f}"))
        rows.append(("95% confidence interval (ppg)", *(spans if math.isfinite(width) else (NONE, NONE))))
    return rows
