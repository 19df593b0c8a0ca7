"""Graphs of an analysed match: chances, errors and luck over its decisions, and how large the errors were.

Each says its values on hover and as `data-...`; in a page of `render_html`, or beside one, a click leads to the move.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate, pairwise

from sixprime.analysis.model import ANALYSED, AnalysedMatch, Decision, DecisionKind
from sixprime.checks import TEXT, Instance, Maybe
from sixprime.game.record import ActionKind
from sixprime.report import words
from sixprime.report.chart import Colour, Line, Spot, bar_chart, line_chart
from sixprime.report.phrases import say, term
from sixprime.report.units import EMG, Units

_PAGE, _UNITS = Maybe(TEXT), Instance(Units)
_PLAYERS: tuple[Colour, Colour] = ("blue", "amber")
_BINS = (0.01, 0.02, 0.04, 0.08, 0.16, 0.32)
"""Where errors of the histogram begin a new bar, in equity."""


def anchors(analysed: AnalysedMatch) -> list[str]:
    """The name of each decision's place in the page of `render_html`, in the order of `analysed.decisions`.

    Decisions at one action share a place.
    """
    names: dict[tuple[int, int], str] = {}
    return [names.setdefault((each.game, each.action), f"a{len(names)}") for each in analysed.decisions]


def chances_graph(analysed: AnalysedMatch, *, page: str | None = None) -> str:
    """An `<svg>`: match-winning chance of player 1, for money the equity, before each decision.

    page, for all graphs: address of the report that a click leads to, "" within the report itself; None: no links.
    Raises SettingsError for what is no analysed match, as all graphs do.
    """
    ANALYSED("analysed", analysed)
    _PAGE("page", page)
    match = analysed.match
    known = [
        (i, each, each.before.value) for i, each in enumerate(analysed.decisions, 1) if each.before is not None
    ]  # fmt: skip
    names = words.names(match)

    def text(value: float) -> str:
        return f"MWC {words.percent(value, 2)} %" if match.length else f"{words.signed(value)} points"

    places = dict(zip((id(each) for each in analysed.decisions), anchors(analysed), strict=True))
    spots = [
        Spot(
            i,
            100 * value if match.length else value,
            f"{_where(analysed, each)}: {text(value)} for {names[0]}",
            _link(page, places[id(each)]),
            _values(each, "value", value),
        )
        for i, each, value in known
    ]
    x, y = [float(spot.x) for spot in spots], [float(spot.y) for spot in spots]
    score = words.final_score(match)
    if match.length and max(score) >= match.length:
        x.append(len(analysed.decisions) + 1)
        y.append(100.0 if score[0] >= match.length else 0.0)
    what = "Match-winning chance" if match.length else "Equity"
    return line_chart(
        f"{what} of {names[0]}",
        [Line(names[0], x or [0.0], y or [50.0 if match.length else 0.0])],
        spots=spots,
        rules=_games(analysed),
        steps=False,
        x_label="decisions",
        y_label="chance in %" if match.length else "points",
    )


def errors_graph(analysed: AnalysedMatch, *, page: str | None = None, units: Units = EMG) -> str:
    """An `<svg>`: what each player has lost by errors, added up over the decisions."""
    return _sums(analysed, page, "error", units)


def luck_graph(analysed: AnalysedMatch, *, page: str | None = None, units: Units = EMG) -> str:
    """An `<svg>`: what each player has gained by luck, added up over his rolls."""
    return _sums(analysed, page, "luck", units)


def error_histogram(analysed: AnalysedMatch, *, page: str | None = None, units: Units = EMG) -> str:
    """An `<svg>`: how many errors of each size each player made, plays and cube decisions told apart on hover.

    page: has no meaning here; bars are no single moves. units: of what each bar lost in all; sizes are equities.
    """
    ANALYSED("analysed", analysed)
    _UNITS("units", units)
    names = words.names(analysed.match)
    edges = (0.0, *_BINS, float("inf"))
    labels = [say("graph.below", loss=_BINS[0]), *(f"{low:g}-{high:g}" for low, high in pairwise(_BINS))]
    labels.append(say("graph.from", loss=_BINS[-1]))
    groups: list[list[tuple[int, str]]] = []
    for (low, high), label in zip(pairwise(edges), labels, strict=True):
        row = []
        for player in (0, 1):
            found = [each for each in analysed.decisions
                     if each.player == player and words.loss(each.error) and low <= each.error < high]  # fmt: skip
            cubes = sum(each.kind is not DecisionKind.PLAY for each in found)
            mwc = sum(each.error_mwc for each in found) if analysed.match.length else None
            said = say(
                "graph.bar",
                name=names[player],
                sizes=label,
                plays=words.count(len(found) - cubes, "play"),
                cubes=words.count(cubes, "cube decision"),
                lost=units.lost(sum(each.error for each in found), mwc),
            )
            row.append((len(found), said))
        groups.append(row)
    return bar_chart(
        say("graph.by_size"),
        labels,
        groups,
        legend=[(name, colour) for name, colour in zip(names, _PLAYERS, strict=True)],
        x_label=say("graph.equity_lost"),
        y_label=say("graph.decisions"),
    )


GRAPHS: dict[str, Callable[..., str]] = {
    "chances": chances_graph,
    "errors": errors_graph,
    "luck": luck_graph,
    "histogram": error_histogram,
}
"""All graphs by name; each takes an analysed match and `page`."""


def _sums(analysed: AnalysedMatch, page: str | None, key: str, units: Units) -> str:
    """What adds up over the decisions of each player: "error" or "luck"."""
    ANALYSED("analysed", analysed)
    _PAGE("page", page)
    _UNITS("units", units)
    wrong = key == "error"
    in_mwc = units.mwc and analysed.match.length > 0

    def value_of(each: Decision) -> float | None:
        if wrong:
            return (each.error_mwc if in_mwc else each.error) or None
        return each.luck_mwc if in_mwc else each.luck

    def text(value: float) -> str:
        return units.change_of_chance(value) if in_mwc else words.signed(value, units.digits)

    names = words.names(analysed.match)
    places = anchors(analysed)
    lines, spots = [], []
    shown = 100 if in_mwc and units.matchpc else 1
    last = float(len(analysed.decisions) or 1)
    for player in (0, 1):
        found = [
            (i, each, place, value)
            for i, (each, place) in enumerate(zip(analysed.decisions, places, strict=True), 1)
            if each.player == player and (value := value_of(each)) is not None
        ]
        totals = list(accumulate((value for *_, value in found), initial=0.0))
        x, y = [0.0], [0.0]
        for (i, each, place, value), total in zip(found, totals[1:], strict=True):
            x.append(float(i))
            y.append(shown * total)
            change = text(-value if wrong else value)
            said = say("graph.so_far", where=_where(analysed, each), value=change, total=text(total))
            spots.append(Spot(i, shown * total, said, _link(page, place), _values(each, key, value, total)))
        lines.append(
            Line(names[player], [*x, last], [*y, shown * totals[-1]], _PLAYERS[player], dashed=player == 1, stairs=True)
        )
    what = (say("graph.mwc_percent") if units.matchpc else "MWC") if in_mwc else say("graph.equity")
    return line_chart(
        say("graph.errors" if wrong else "graph.luck"),
        lines,
        spots=spots,
        rules=_games(analysed),
        steps=False,
        x_label=say("graph.decisions"),
        y_label=say("graph.lost" if wrong else "graph.gained", what=what),
    )


def _where(analysed: AnalysedMatch, each: Decision) -> str:
    """Which decision it is, and what was done."""
    name = words.names(analysed.match)[each.player]
    game = analysed.match.games[each.game]
    played = each.kind is not DecisionKind.PLAY or game.actions[each.action].kind is not ActionKind.ROLL
    done = f"{words.dice_text(each.dice)} {term(words.play_text(each.chosen)) if played else ''}".strip()
    return say("graph.where", game=game.number, move=each.move_number, who=f"{name} {done}".rstrip())


def _values(each: Decision, key: str, value: float, total: float | None = None) -> dict[str, str | float]:
    found: dict[str, str | float] = {"game": each.game + 1, "move": each.move_number, "player": each.player + 1}
    found[key] = round(value, 6)
    return found if total is None else {**found, "total": round(total, 6)}


def _link(page: str | None, place: str) -> str:
    return "" if page is None else f"{page}#{place}"


def _games(analysed: AnalysedMatch) -> list[tuple[float, str]]:
    """Where each game begins, with the score."""
    first, found = 0.5, []
    for game, judged in zip(analysed.match.games, analysed.games, strict=False):
        found.append((first, f"{game.score[0]}-{game.score[1]}"))
        first += len(judged.decisions)
    return found
