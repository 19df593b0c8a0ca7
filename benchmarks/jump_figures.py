"""Tables and figures 1 to 7 of the paper on the jump model, made anew into docs/figures.

    python benchmarks/jump_figures.py                    # all, about 12 CPU minutes
    python benchmarks/jump_figures.py --games 0          # without the self-play of figures 1 and 2

Figures 1 and 2: the net plays itself at 0-ply, the jump model with different volatilities against Janowski's with
x = 0.7; every game is counted with both seats. The same games give the remote volatility (figures.json keeps the
numbers, tables.md shows them). Figures 3 to 7 and the tables are computed.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import _main
import numpy as np
from _cubeplay import Matchup, Seen, by_jump, by_model, constant, opening_dice, play_out, start_boards
from numpy.typing import NDArray

from sixprime import Engine, paths
from sixprime.cube.jump import JumpModel, implied_efficiencies
from sixprime.cube.jump_exact import solve
from sixprime.kernels import search
from sixprime.report.chart import Line, Mark, line_chart

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "figures"
VOLATILITIES = (0.04, 0.06, 0.08, 0.1, 0.12, 0.14, 0.16)
BATCH = 4000
_OWNERS = {0: "centred cube", 1: "player owns the cube", -1: "opponent owns the cube"}


# -- self-play: figures 1 and 2, remote volatility -----------------------------------------------


class Remote:
    """Jumps of the winning chance after the game turned: in one window, later in the other, then the next jump.

    The windows are 20 to 35 % and 65 to 80 %, as in the paper; both sides of every game are watched.
    """

    def __init__(self, games: int) -> None:
        self.window = np.zeros((2, games), dtype=np.int8)
        self.code = np.zeros((2, games), dtype=np.int8)
        self.pending = np.full((2, games), np.nan)
        self.race = np.zeros((2, games), dtype=bool)
        self.jumps: list[NDArray[np.float64]] = []

    def watch(self, turn: int, games: NDArray[np.int64], seen: Seen, values: list) -> None:
        seat, p = turn % 2, seen.outcomes[:, 0].astype(np.float64)
        jump = np.abs(p - self.pending[seat, games])
        there = ~np.isnan(jump)
        self.jumps.append(np.stack([jump[there], self.race[seat, games][there]]))
        now = np.where((p > 0.2) & (p < 0.35), -1, np.where((p > 0.65) & (p < 0.8), 1, 0))
        turned = (now != 0) & (self.window[seat, games] == -now)
        self.pending[seat, games] = np.where(turned, p, np.nan)
        self.race[seat, games] = self.code[seat, games] != search.CONTACT
        inside = now != 0
        self.window[seat, games[inside]] = now[inside]
        self.code[seat, games[inside]] = seen.codes[inside]


def self_play(engine: Engine, games: int, seed: int) -> dict:
    rival = by_model("janowski:0.7")
    handlers = {f"{kind} {a}": by_jump(kind, constant(a)) for kind in ("nonlinear", "linear") for a in VOLATILITIES}
    points: dict[str, list[NDArray[np.float64]]] = {name: [] for name in handlers}
    jumps = []
    for part in range(0, games, BATCH):
        count = min(BATCH, games - part)
        ones, nobody = np.ones(count, dtype=np.int64), np.full(count, -1, dtype=np.int8)
        # A cube that is never turned keeps every game going to its end, so that all jumps are seen.
        never = lambda seen: np.tile([0.0, 0.0, -1.0], (len(seen.codes), 1))  # noqa: E731
        matchups = [Matchup(never, never, ones, nobody)]
        for handler in handlers.values():
            matchups += [Matchup(handler, rival, ones, nobody), Matchup(rival, handler, ones, nobody)]
        remote = Remote(count)
        dice = opening_dice(seed * 1000 + part // BATCH, count)
        results = play_out(engine, start_boards(engine, count), dice, matchups, watch=remote.watch)
        for k, name in enumerate(handlers):
            points[name].append((results[2 * k + 1] - results[2 * k + 2]) / 2)
        jumps += remote.jumps
        print(f"{part + count} of {games} games", flush=True)
    size, race = np.concatenate(jumps, axis=1)
    split = {"all": size, "race": size[race == 1], "contact": size[race == 0]}
    duels = {name: np.concatenate(values) for name, values in points.items()}
    return {
        "games": games,
        "seed": seed,
        "duels": {name: [1000 * float(d.mean()), 1000 * _error(d)] for name, d in duels.items()},
        "remote": {name: [float(s.mean()), _error(s), len(s)] for name, s in split.items()},
    }


def _error(values: NDArray[np.float64]) -> float:
    return float(values.std() / np.sqrt(len(values)))


def duel_figure(number: int, kind: str, data: dict) -> tuple[str, float, float]:
    """The figure, and the best volatility of the parabola through the results with its standard error."""
    rows = np.array([data["duels"][f"{kind} {a}"] for a in VOLATILITIES])
    x = np.array(VOLATILITIES)
    best, error = vertex(x, rows[:, 0], rows[:, 1])
    fit = np.polyfit(x, rows[:, 0], 2, w=1 / rows[:, 1])
    fine = np.linspace(x[0], x[-1], 60)
    lines = [
        Line("with standard errors", x, rows[:, 0], "blue", dots=True, errors=list(rows[:, 1])),
        Line("parabola", fine, np.polyval(fit, fine), "grey", dashed=True),
    ]
    title = f"Figure {number}: {kind} jump model against Janowski's with x = 0.7"
    chart = line_chart(title, lines, x_label="jump volatility", y_label="1000 points per game", x_percent=True)
    return chart, best, error


def vertex(x: NDArray[np.float64], y: NDArray[np.float64], errors: NDArray[np.float64]) -> tuple[float, float]:
    """Where a parabola fitted with weights is highest, and its standard error, errors taken as independent."""
    rng = np.random.default_rng(0)
    draws = y + errors * rng.standard_normal((2000, len(y)))
    tops = []
    for row in (y, *draws):
        a, b, _ = np.polyfit(x, row, 2, w=1 / errors)
        tops.append(-b / (2 * a) if a < 0 else x[np.argmax(row)])
    best = np.clip(tops, x[0], x[-1])
    return float(best[0]), float(np.std(best[1:]))


# -- computed figures ----------------------------------------------------------------------------


def figure_3() -> str:
    exact = solve(1.2, 1.1, 0.08, n=400)
    colours = {0: "blue", 1: "green", -1: "red"}
    lines = [Line(name, exact.p, exact.value(exact.p, owner), colours[owner]) for owner, name in _OWNERS.items()]
    marks = [
        Mark(exact.points.take, float(exact.value(exact.points.take, 1)), "take point", "green"),
        Mark(exact.points.initial_double, float(exact.value(exact.points.initial_double, 0)), "double", "blue"),
        Mark(exact.points.redouble, float(exact.value(exact.points.redouble, 1)), "redouble", "green"),
        Mark(exact.points.cash, float(exact.value(exact.points.cash, -1)), "cash point", "red"),
    ]
    title = "Figure 3: exact cubeful equities, W = 1.2, L = 1.1, volatility 8 %"
    return line_chart(title, lines, marks=marks, **_AXES)


def figure_4() -> str:
    double, normal = (solve(1.2, 1.1, 0.08, n=400, density=d) for d in ("double-exponential", "gaussian"))
    lines = [
        Line("Gaussian", normal.p, normal.centred, "blue"),
        Line("double-exponential", double.p, double.centred, "red", dashed=True),
        Line("difference (right)", double.p, normal.centred - double.centred, "green", second=True),
    ]
    title = "Figure 4: two densities of the jumps, centred cube, W = 1.2, L = 1.1, volatility 8 %"
    return line_chart(title, lines, second_label="difference", **_AXES)


def figures_5_to_7() -> tuple[dict[int, str], dict[str, dict[str, float]]]:
    exact = solve(1.4, 1.0, 0.2, n=800)
    charts: dict[int, str] = {}
    worst: dict[str, dict[str, float]] = {}
    for number, (owner, name) in zip((5, 6, 7), _OWNERS.items(), strict=True):
        lines = [Line("exact", exact.p, exact.value(exact.p, owner), "blue")]
        worst[name] = {}
        for kind, colour in (("nonlinear", "red"), ("linear", "green")):
            values = JumpModel(1.4, 1.0, 0.2, kind=kind).value(exact.p, owner)
            lines.append(Line(kind, exact.p, values, colour, dashed=True))
            worst[name][kind] = float(np.abs(values - exact.value(exact.p, owner)).max())
        title = f"Figure {number}: {name}, W = 1.4, L = 1, volatility 20 %"
        charts[number] = line_chart(title, lines, **_AXES)
    return charts, worst


_AXES = {"x_label": "winning chance", "y_label": "equity (cube = 1)", "x_percent": True}


# -- tables --------------------------------------------------------------------------------------


def tables(data: dict | None, bests: dict[str, tuple[float, float]], worst: dict[str, dict[str, float]]) -> str:
    steps = (1.0, 1.25, 1.5, 1.75, 2.0)
    text = ["# The jump model in numbers", "", "Made by `python benchmarks/jump_figures.py`.", ""]
    text += ["## Janowski's x1 / x2 implied by a jump volatility of 10 %", ""]
    text += ["| | " + " | ".join(f"W = {w:g}" for w in steps) + " |", "|---" * 6 + "|"]
    for loss in steps:
        cells = ("{:.2f} / {:.2f}".format(*implied_efficiencies(win, loss, 0.1)) for win in steps)
        text.append(f"| L = {loss:g} | " + " | ".join(cells) + " |")
    text += ["", "## The same for W = L, by volatility", ""]
    text += ["| | " + " | ".join(f"W = L = {w:g}" for w in steps) + " |", "|---" * 6 + "|"]
    for volatility in (0.0, 0.05, 0.1, 0.15, 0.2):
        cells = (f"{implied_efficiencies(w, w, volatility)[0]:.2f}" for w in steps)
        text.append(f"| {100 * volatility:g} % | " + " | ".join(cells) + " |")
    text += ["", "## Convergence of the exact solution (W = 1.4, L = 1, volatility 20 %)", ""]
    names = ("take", "initial_double", "redouble", "cash", "initial_too_good", "too_good")
    text += ["| | " + " | ".join(n.replace("_", " ") for n in names) + " | systems solved |", "|---" * 8 + "|"]
    for n in (200, 400, 800):
        exact = solve(1.4, 1.0, 0.2, n=n)
        cells = " | ".join(f"{getattr(exact.points, name):.5f}" for name in names)
        text.append(f"| N = {n} | {cells} | {exact.iterations[0]} + {exact.iterations[1]} |")
    for kind in ("nonlinear", "linear"):
        points = JumpModel(1.4, 1.0, 0.2, kind=kind).points()
        cells = " | ".join(f"{getattr(points, name):.5f}" for name in names)
        text.append(f"| {kind} | {cells} | |")
    text += ["", "## Largest error of the approximations in figures 5 to 7", ""]
    text += ["| | linear | nonlinear |", "|---|---|---|"]
    text += [f"| {name} | {row['linear']:.4f} | {row['nonlinear']:.4f} |" for name, row in worst.items()]
    if data:
        text += ["", f"## Self-play: {data['games']} games, each with both seats", ""]
        text += ["| volatility | nonlinear, mppg | linear, mppg |", "|---|---|---|"]
        for a in VOLATILITIES:
            cells = (data["duels"][f"{kind} {a}"] for kind in ("nonlinear", "linear"))
            text.append(f"| {100 * a:g} % | " + " | ".join(f"{m:+.1f} ± {e:.1f}" for m, e in cells) + " |")
        cells = (bests[kind] for kind in ("nonlinear", "linear"))
        text.append("| best | " + " | ".join(f"{100 * b:.1f} ± {100 * e:.1f} %" for b, e in cells) + " |")
        text += ["", "| remote volatility | mean absolute jump | jumps |", "|---|---|---|"]
        for name, (mean, error, count) in data["remote"].items():
            text.append(f"| {name} | {100 * mean:.2f} ± {100 * error:.2f} % | {count} |")
    return "\n".join(text) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=20000, help="of self-play; 0 keeps what figures.json has")
    parser.add_argument("--seed", type=int, default=2)
    arguments = parser.parse_args()
    FOLDER.mkdir(parents=True, exist_ok=True)
    kept, data = FOLDER / "figures.json", None
    if arguments.games:
        data = self_play(Engine(threads=1), arguments.games, arguments.seed)
        _write(kept, json.dumps(data, indent=1) + "\n")
    elif kept.exists():
        data = json.loads(kept.read_text("utf-8"))
    charts: dict[int, str] = {3: figure_3(), 4: figure_4()}
    more, worst = figures_5_to_7()
    charts |= more
    bests: dict[str, tuple[float, float]] = {}
    if data:
        for number, kind in ((1, "nonlinear"), (2, "linear")):
            charts[number], *bests[kind] = duel_figure(number, kind, data)
    for number, chart in sorted(charts.items()):
        _write(FOLDER / f"jump-{number}.svg", chart)
    _write(FOLDER / "jump.md", tables(data, bests, worst))


def _write(path: Path, text: str) -> None:
    with paths.replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    _main.run(main)
