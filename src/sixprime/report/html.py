"""An analysed match as one self-contained HTML file: styles, script and boards inside, no foreign requests.

Everything can be read without the script: a turn in full is shown where its link leads to. With the script the same
markup, which stands in `<noscript>`, is taken out when a turn is looked at, so that long sessions open at once.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from sixprime.analysis.compare import Comparison, comparisons
from sixprime.analysis.foreign import source_of
from sixprime.analysis.model import ANALYSED, AnalysedMatch, DecisionKind, PlayerStatistics
from sixprime.analysis.ratings import pr_name, rating_name
from sixprime.analysis.thresholds import Skill
from sixprime.checks import TEXT, Instance, Maybe
from sixprime.game.record import Match
from sixprime.report import totals, words
from sixprime.report.curve import chances_curve
from sixprime.report.details import Others, deeper_first, detail
from sixprime.report.graphs import error_histogram, errors_graph, luck_graph
from sixprime.report.movelist import Badge, Cell, Row, move_lists
from sixprime.report.phrases import many, say, spoken, term
from sixprime.report.svg import DARK, LIGHT, board_css, board_defs, board_geometry
from sixprime.report.templating import POLICY, render, with_policy
from sixprime.report.units import EMG, Units

_PLAYER_CSS = (
    f":root{{--c0:light-dark({LIGHT.light},{DARK.light});--c1:light-dark({LIGHT.dark},{DARK.dark});"
    f"--best:light-dark({LIGHT.best},{DARK.best});--played:light-dark({LIGHT.played},{DARK.played});"
    f"--edge:light-dark({LIGHT.light_edge},{DARK.dark_edge});--surface:light-dark({LIGHT.surface},{DARK.surface})}}"
)
"""Colours of the players wherever they are told apart: those of their chequers."""
_TERMS = {
    "PR": "pr",
    "Equity, EMG": "emg",
    "Equity": "emg",
    "MWC": "mwc",
    "Ply": "ply",
    "?!, ?, ??": "marks",
    "Luck": "luck",
    "W, G, B, L": "wgbl",
}
_MANY_GAMES = 12
"""A session of more games opens with their lists closed, and holds pictures of the errors alone: the script draws the
others."""


def render_html(
    analysed: AnalysedMatch, *, templates: Path | None = None, units: Units = EMG, language: str = "en"
) -> str:
    """The report as text of an HTML file.

    templates: folder of templates that replace those of the package, by name. units: of what decisions are worth.
    language: "en" or "de". Raises SettingsError for templates that cannot be used, and for another language.
    """
    ANALYSED("analysed", analysed)
    Maybe(Instance((str, Path), "a folder"))("templates", templates)
    Instance(Units)("units", units)
    TEXT("language", language)
    with spoken(language):
        return _rendered(analysed, templates, units, language)


def _rendered(analysed: AnalysedMatch, templates: Path | None, units: Units, language: str) -> str:
    from markupsafe import Markup

    match = analysed.match
    names = words.names(match)
    lists = move_lists(analysed, units)
    graph, places = chances_curve(analysed, lists)
    cells = [cell for rows in lists for row in rows for cell in row.cells if cell.decisions]
    worst = max(cells, key=lambda cell: cell.loss, default=None)
    compared = comparisons(analysed)
    others, least = Others(compared), analysed.thresholds.doubtful
    context: dict[str, object] = {
        "policy": POLICY,
        "blank": [{"name": name, "win": "0", "gammon": "0", "backgammon": "0"} for name in names],
        "title": f"{names[0]} - {names[1]}, {words.length_text(match)}",
        "board_css": Markup(_PLAYER_CSS + board_css()),
        "board_defs": Markup(board_defs()),
        "geometry": board_geometry(_chequers(match)),
        "outcome": words.match_outcome(match),
        "length": words.length_text(match),
        "info": _info(analysed),
        "players": [_player(analysed, player, cells, compared, units) for player in (0, 1)],
        "graph": Markup(graph) if graph else "",
        "places": places,
        "graph_title": say("graph.chances" if match.length else "graph.points"),
        "statistics": _statistics(analysed, units),
        "per_game": [_game_summary(analysed, index, units) for index in range(len(analysed.games))],
        "problems": [str(problem) for problem in match.problems],
        "counts": [sum(d.skill == skill for d in analysed.decisions) for skill in Skill],
        "worst": _worst_first(analysed, lists),
        "sources": [words.short_source(source) for source in others.sources],
        "least": f"{least:g}",
        "differing": {cell.id for cell in cells if others.differ(cell, least)},
        "graphs": _graphs(analysed, units),
        "first": worst.id if worst is not None else "",
        "games": [_game(analysed, index, lists[index], others, units) for index in range(len(analysed.games))],
        "many": len(lists) > _MANY_GAMES,
        "in_mwc": units.mwc and match.length > 0,
        "mwc_head": f"MWC{units.unit}",
        "unit": units.unit if units.mwc and match.length else "",
        "digits": len(units.change(0.0, 0.0 if match.length else None).removesuffix(units.unit).partition(".")[2]),
        "deeper_first": any(deeper_first(decision) for decision in analysed.decisions),
        "luck_note": words.luck_note(analysed),
        "settings": _settings(analysed),
        "terms": _terms(analysed),
        "language": language,
        "say": say,
        "many_of": many,
        "money": match.length == 0,
        "explained": {say("stat.luck"): "luck", say("fact.per_decision"): "emg"},
    }
    return with_policy(words.lawful(render("match.html", context, templates)))


def _chequers(match: Match) -> int:
    """How many each side has."""
    return next((action.position.chequers for game in match.games for action in game.actions), 15)


def _game(analysed: AnalysedMatch, index: int, rows: list[Row], others: Others, units: Units) -> dict[str, object]:
    """One game: its summary, and its rows with the turns in full."""
    names = words.names(analysed.match)
    long = len(analysed.match.games) > _MANY_GAMES
    game, resigned = analysed.match.games[index], analysed.games[index].resignation
    return {
        **_game_summary(analysed, index, units),
        "resignation": words.resignation_verdict(analysed.match, resigned, units) if resigned is not None else "",
        "crawford": game.crawford,
        "comment": game.comment,
        "rows": [
            {
                "number": row.number,
                "sides": row.sides,
                "details": [
                    detail(cell, game, row.number, names, others, static=bool(cell.badges) or not long, units=units)
                    for cell in row.cells
                    if cell.decisions
                ],
            }
            for row in rows
        ],
    }


def _graphs(analysed: AnalysedMatch, units: Units) -> list[tuple[str, object]]:
    """How errors and luck add up, and how large the errors were, each with its title.

    Luck is left out where there are many games.
    """
    from markupsafe import Markup

    if not analysed.decisions:
        return []
    long = len(analysed.match.games) > _MANY_GAMES
    wanted = {"page.errors": errors_graph, "page.luck": luck_graph, "page.sizes": error_histogram}
    if long:
        del wanted["page.luck"]
    return [(say(title), Markup(graph(analysed, page="", units=units))) for title, graph in wanted.items()]


def _worst_first(analysed: AnalysedMatch, lists: list[list[Row]]) -> list[dict[str, object]]:
    """Every turn with an error, the worst first."""
    found = [
        (cell, game.number, row.number)
        for game, rows in zip(analysed.match.games, lists, strict=True)
        for row in rows
        for cell in row.cells
        if cell.badges
    ]
    found.sort(key=lambda item: -item[0].loss)
    return [{"cell": cell, "game": game, "move": move} for cell, game, move in found]


# The head of the page.


def _info(analysed: AnalysedMatch) -> list[str]:
    match = analysed.match
    items = [match.info[key] for key in ("event", "round", "place", "date") if match.info.get(key)]
    if match.variant != "standard":
        items.append(match.variant)
    return items


def _player(
    analysed: AnalysedMatch, player: int, cells: list[Cell], compared: list[Comparison], units: Units
) -> dict[str, object]:
    match = analysed.match
    statistics = analysed.statistics[player]
    score = words.final_score(match)
    marks = Counter((d.kind is DecisionKind.PLAY, d.skill) for d in analysed.decisions if d.player == player)
    first = {kind: cell.id for cell in reversed(cells) for kind in cell.kinds.split()}
    result = words.result_text
    plays, cubes = statistics.unforced_moves, statistics.cube_decisions

    def lost(equity: float, mwc: float) -> str:
        return units.lost(equity, mwc if match.length else None)

    luck = totals.luck_text(statistics, units, match.length)
    chequer = lost(statistics.chequer_error_total, statistics.chequer_error_mwc)
    cube = lost(statistics.cube_error_total, statistics.cube_error_mwc)

    facts = [
        (say("fact.chequer"), chequer, words.count(plays, "play")),
        (say("fact.cube"), cube, words.count(cubes, "decision")),
        (say("stat.luck"), luck, totals.luck_rating(statistics)),
        (
            say("stat.adjusted"),
            totals.adjusted_text(statistics, match.length),
            say("fact.actual", result=result(statistics.actual_result, match.length)),
        ),
    ]
    if statistics.decisions:
        rating = totals.fibs_estimate(statistics, match.length)
        name = term(rating_name(statistics.error_per_decision))
        lost_each = f"{1000 * statistics.error_per_decision:.1f} mEMG"
        facts.append((say("fact.per_decision"), lost_each, say("fact.fibs", name=name, rating=rating)))
    for each in compared:
        theirs = each.theirs.statistics[player]
        if theirs.decisions:
            facts.append((say("fact.pr_by", source=each.source), f"{theirs.pr:.2f}", term(pr_name(theirs.pr))))
    return {
        "name": words.names(match)[player],
        "won": bool(match.length) and score[player] >= match.length,
        "pr": _pr(statistics),
        "pr_error": "" if statistics.pr_error is None else f"{statistics.pr_error:.1f}",
        "rating": term(pr_name(statistics.pr)) if statistics.decisions else "",
        "facts": facts,
        "marks": [
            [
                {
                    "badge": Badge(shape, int(skill), say(kind, mark=words.skill_name(skill))),
                    "count": marks[letter == "p", skill],
                    "kind": f"{player}{letter}{int(skill)}",
                    "first": first.get(f"{player}{letter}{int(skill)}", ""),
                }
                for skill in (Skill.DOUBTFUL, Skill.BAD, Skill.VERY_BAD)
            ]
            for letter, shape, kind in (("p", "circle", "fact.plays"), ("c", "square", "fact.cubes"))
        ],
    }


def _pr(statistics: PlayerStatistics) -> str:
    return f"{statistics.pr:.1f}" if statistics.decisions else "-"


def _game_summary(analysed: AnalysedMatch, index: int, units: Units) -> dict[str, object]:
    match = analysed.match
    game = match.games[index]
    return {
        "number": game.number,
        "score": f"{game.score[0]}-{game.score[1]}",
        "outcome": words.game_outcome(match, game),
        "winner": game.winner,
        "points": game.points,
        "sides": [
            {
                "pr": _pr(statistics),
                "error": units.lost(statistics.error_total, statistics.error_mwc if match.length else None),
                "luck": totals.luck_text(statistics, units, match.length),
            }
            for statistics in analysed.games[index].statistics
        ],
    }


def _statistics(analysed: AnalysedMatch, units: Units) -> list[tuple[str, list[tuple[str, tuple[str, ...]]]]]:
    """Headings, and below each the rows of label and a text per player."""
    found: list[tuple[str, list[tuple[str, tuple[str, ...]]]]] = []
    games = [game.statistics for game in analysed.games]
    for label, row in totals.statistics_table(analysed.statistics, analysed.match.length, games, units):
        if row:
            found[-1][1].append((label, tuple(map(_unbroken, row))))
        else:
            found.append((label, []))
    return found


def _unbroken(text: str) -> str:
    """A text that is not broken within a number and what belongs to it."""
    return text.replace(" %", "\xa0%").replace(" ± ", "\xa0±\xa0").replace("PR ", "PR\xa0")


def _terms(analysed: AnalysedMatch) -> list[tuple[str, str, str]]:
    """Name for links, word and meaning of all that a page explains where it stands."""
    return [
        (_TERMS[word], say("word.luck") if word == "Luck" else word, meaning)
        for word, meaning in words.glossary(analysed.match.length > 0, analysed.thresholds)
    ]


def _settings(analysed: AnalysedMatch) -> str:
    other = source_of(analysed)
    settings = "" if other else analysed.settings
    text = ", ".join(filter(None, (say("page.analysed", by=other or "Sixprime"), settings)))
    text += f" ({analysed.label})" if analysed.label else ""
    return say("page.seconds", text=text, seconds=analysed.seconds) if analysed.seconds >= 1 else text
