"""What values show of themselves in a notebook: `lazy.drawn_by` names these functions in their classes.

Drawings are SVG in literal colours, which every notebook, its exports and its viewers can show; tables are plain HTML.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from itertools import islice

from sixprime.analysis.model import AnalysedMatch
from sixprime.engine.results import CubeAnalysis, Evaluation, PlayAnalysis
from sixprime.engine.rollout_result import RolloutResult
from sixprime.game.ids import ParsedPosition
from sixprime.game.outcomes import Outcomes
from sixprime.game.play import Play
from sixprime.game.position import Position
from sixprime.game.record import Match
from sixprime.game.state import MatchState
from sixprime.game.table import Table
from sixprime.report import maps, totals, words
from sixprime.report.chart import in_colours
from sixprime.report.cube import cube_chart
from sixprime.report.graphs import chances_graph
from sixprime.report.svg import board_svg
from sixprime.theory.cube import CubeTheory
from sixprime.theory.levels import CubeLevels
from sixprime.theory.losers import MarketLosers
from sixprime.theory.race import RaceTheory
from sixprime.theory.scores import ScoreMap
from sixprime.theory.temperature import TemperatureMap

_SHOWN = 10
"""Rows of a table of plays or errors."""
_CHANCES = ("W", "G", "B", "L", "G", "B")
_drawn = partial(board_svg, theme="light", width=460)
_alone = partial(_drawn, mover=MatchState().on_roll)
"""Where there is no state, in the colours that the usual one gives, so that a position always has the same."""


# Drawings.


def board(position: Position) -> str:
    """An `<svg>` of the chequers."""
    return _alone(position)


def parsed(shown: ParsedPosition) -> str:
    """An `<svg>` with cube, score and dice."""
    return _drawn(shown.position, shown.state)


def table(shown: Table) -> str:
    """An `<svg>` of the game as it stands, player 0 at the bottom."""
    return _drawn(shown.position, shown.state, bottom=0)


def play(shown: Play) -> str:
    """An `<svg>` of the position before the play, with arrows."""
    return _alone(shown.position, best=shown)


def judged_play(shown: PlayAnalysis) -> str:
    """The same of a candidate."""
    return play(shown.play)


def temperature(found: TemperatureMap) -> str:
    """The map as `<svg>`."""
    return in_colours(maps.temperature_svg(found))


def scores(found: ScoreMap) -> str:
    """The map as `<svg>`."""
    return in_colours(maps.score_svg(found))


def losers(found: MarketLosers) -> str:
    """The map as `<svg>`."""
    return in_colours(maps.losers_svg(found))


def levels(found: CubeLevels) -> str:
    """The windows as `<svg>`."""
    return in_colours(maps.levels_svg(found))


def theory(found: CubeTheory) -> str:
    """Equity over winning chance as `<svg>`."""
    return in_colours(cube_chart(found))


# Tables.


def evaluation(found: Evaluation) -> str:
    """Board, chances and equities."""
    rows = _sides(found.probabilities)
    equities = f"cubeless {words.signed(found.cubeless_equity, 4)}, cubeful {words.signed(found.cubeful_equity, 4)}"
    mwc = "" if found.mwc is None else f", MWC {words.percent(found.mwc, 2)} %"
    note = f"{equities}{mwc}; {found.plies}-ply, {found.position_class}"
    return _beside(board(found.position), _table(("", "Wins", "Gammon", "Backg."), rows), note)


def ranking(plays: Sequence[PlayAnalysis]) -> str:
    """Board with the best play, and the plays, the best ones first."""
    if not plays:
        return "<p>No plays.</p>"
    rows = [
        (
            str(rank),
            words.play_text(str(each.play)) or "cannot move",
            words.signed(each.equity, 4),
            words.loss(each.equity_loss, 4),
            *map(words.percent, words.six_chances(each.probabilities)),
            words.depth_mark(each),
        )
        for rank, each in enumerate(islice(plays, _SHOWN), 1)
    ]
    more = len(plays) - len(rows)
    note = f"and {words.count(more, 'more play')}" if more else ""
    return _beside(play(plays[0].play), _table(("", "Play", "Equity", "Diff.", *_CHANCES, "Ply"), rows, strong=0), note)


def cube(found: CubeAnalysis) -> str:
    """Board, equities of the cube actions, and which is best."""
    best = words.best_cube_row(found)
    rows = [
        (
            name,
            words.signed(value, 4),
            "" if index == best else words.signed(value - found.optimal, 4),
            *(() if mwc is None else (f"{words.percent(mwc, 2)} %",)),
        )
        for index, (name, value, mwc) in enumerate(words.cube_rows(found))
    ]
    heads = ("Cube action", "Equity", "Diff.", *(("MWC",) if found.mwc_no_double is not None else ()))
    note = f"{found.action or 'No cube decision'}; {words.depth(found.plies, found.trials)}"
    drawn = _drawn(found.position, found.state)
    chances = _table(("", "Wins", "Gammon", "Backg."), _sides(found.probabilities))
    return _beside(drawn, _table(heads, rows, strong=best) + chances, note)


def rollout(found: RolloutResult) -> str:
    """Board and what the trials say of each alternative, with standard errors."""
    best = min(each.equity_loss for each in found.estimates)
    rows = [
        (
            words.play_text(each.label) if found.kind == "plays" else each.label,
            words.signed(each.equity, 4),
            f"± {each.equity_error:.4f}",
            "" if each.equity_loss == best else words.signed(-each.equity_loss, 4),
            *map(words.percent, words.six_chances(each.probabilities)),
            f"{each.trials:,}",
        )
        for each in found.ranked
    ]
    heads = ("", "Equity", "Error", "Diff.", *_CHANCES, "Trials")
    note = "" if found.finished else "not finished"
    if found.verdict is not None:
        note = "; ".join(filter(None, (found.verdict.text, note)))
    drawn = _drawn(found.position, found.state, dice=found.dice, best=found.ranked[0].play)
    return _beside(drawn, _table(heads, rows, strong=0), note)


def race(found: RaceTheory) -> str:
    """Board and what every count says."""
    rows = [
        (each.name, "" if each.win is None else f"{words.percent(each.win)} %", each.verdict or "")
        for each in found.counts
    ]
    drawn = _drawn(found.position, found.state)
    win = words.percent(found.evaluation.probabilities.win, 2)
    return _beside(drawn, _table(("Count", "Wins", "Verdict"), rows), f"engine: {win} %, {found.cube.action}")


def match(found: Match) -> str:
    """The games and their results."""
    names = words.names(found)
    rows = []
    for game in found.games:
        won = "" if game.winner is None else f"{names[game.winner]}, {words.count(game.points, 'point')}"
        rows.append((str(game.number), f"{game.score[0]}-{game.score[1]}", str(len(game.actions)), won))
    title = f"{names[0]} - {names[1]}, {words.length_text(found)}"
    head = f"<p><b>{words.xml_text(title)}</b></p>"
    return f"<div>{head}{_table(('Game', 'Score', 'Actions', 'Won by'), rows)}</div>"


def report(analysed: AnalysedMatch) -> str:
    """The chances across the match, the statistics of both players, and the worst decisions."""
    match = analysed.match
    names = words.names(match)
    rows = [
        (label, *(texts or ("", ""))) for label, texts in totals.statistics_table(analysed.statistics, match.length)
    ]
    wrong = sorted((each for each in analysed.decisions if each.skill), key=lambda each: -each.error)[:_SHOWN]
    errors = [
        (
            f"{match.games[each.game].number}/{each.move_number}",
            names[each.player],
            words.dice_text(each.dice),
            words.play_text(each.chosen),
            words.play_text(each.best),
            words.signed(-each.error),
        )
        for each in wrong
    ]
    tables = _table(("", *names), rows)
    if errors:
        tables += _table(("Game/move", "Player", "Roll", "Played", "Best", "Loss"), errors)
    drawn = f'<div style="max-width:760px">{in_colours(chances_graph(analysed))}</div>'
    return f"<div>{drawn}{tables}<p>{words.xml_text(analysed.settings)}</p></div>"


def _sides(probabilities: Outcomes) -> list[tuple[str, ...]]:
    chances = [f"{words.percent(value, 2)} %" for value in words.six_chances(probabilities)]
    return [("player on roll", *chances[:3]), ("opponent", *chances[3:])]


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]], *, strong: int = -1) -> str:
    """A table whose first columns are words and the others numbers. strong: the row that stands out."""

    def cells(tag: str, texts: Sequence[str], style: str = "") -> str:
        return "".join(
            f'<{tag} style="text-align:left;padding:1px 12px 1px 0{style}">{words.xml_text(text)}</{tag}>'
            for text in texts
        )

    body = "".join(
        f"<tr>{cells('td', row, ';font-weight:600' if index == strong else '')}</tr>" for index, row in enumerate(rows)
    )
    return f"<table><thead><tr>{cells('th', heads)}</tr></thead><tbody>{body}</tbody></table>"


def _beside(drawn: str, tables: str, note: str = "") -> str:
    said = f"<p>{words.xml_text(note)}</p>" if note else ""
    style = "display:flex;flex-wrap:wrap;gap:1em;align-items:flex-start"
    return words.lawful(f'<div style="{style}"><div>{drawn}</div><div>{tables}{said}</div></div>')
