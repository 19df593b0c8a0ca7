"""Golden answers of what is drawn: boards, charts, whole pages, and tables in the colours and columns of a terminal."""

from __future__ import annotations

import io
import random
import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from golden import check, check_text
from made_match import judge_cube, judge_play, make_match
from rich.console import Console

from sixprime import Engine, MatchState, Position, RolloutSettings
from sixprime.analysis.model import GameAnalysis
from sixprime.bearoff.databases import Databases
from sixprime.engine.results import Evaluation
from sixprime.game.play import legal_plays_reference
from sixprime.report import (
    board_svg,
    render_cube,
    render_evaluation,
    render_hint,
    render_html,
    render_rollout,
    render_terminal,
)
from sixprime.report.chart import Line, Mark, line_chart
from sixprime.report.cube import cube_chart, render_cube_theory
from sixprime.report.race import render_race
from sixprime.report.svg import DARK, LIGHT, board_css, board_defs
from sixprime.theory import cube_theory, race_theory

START = Position.start()
STATES = [
    None,
    MatchState(),
    MatchState(length=7, score=(3, 5), on_roll=1),
    MatchState(cube=2, cube_owner=1, on_roll=0),
    MatchState(cube=128, cube_owner=0, on_roll=0),
    MatchState(length=5, score=(4, 2), crawford=True),
    MatchState(cube=2, cube_owner=0, doubled=True, beavers=3),
    MatchState(dice=(5, 2)),
]


def boards() -> list[str]:
    """Boards of random games, with random states, plays and sides."""
    chance = random.Random(3)
    found = []
    position = START
    for number in range(90):
        dice = chance.randint(1, 6), chance.randint(1, 6)
        plays = legal_plays_reference(position, dice)
        state = STATES[number % len(STATES)]
        options = {
            "dice": dice if number % 3 else None,
            "mover": chance.choice([None, 0, 1]),
            "bottom": chance.choice([None, 0, 1]),
            "bear_off": chance.choice(["right", "left"]),
            "played": chance.choice(plays) if plays and number % 2 else None,
            "best": chance.choice(plays) if plays and number % 4 else None,
        }
        theme = (None, LIGHT, DARK)[number % 3]
        found.append(board_svg(position, state, shared=number % 5 > 0, theme=theme, **options))  # type: ignore[arg-type]
        following = chance.choice(plays).result if plays else position.swapped()
        position = START if following.winner is not None else following
    # Late positions, which random games seldom come to: chequers off, tall stacks, many on the bar.
    home = Position((2, 3, 1, 0, 6, 1) + (0,) * 19, (9, 0, 0, 0, 0, 1) + (0,) * 19)
    bar = Position((7, 3) + (0,) * 22 + (5,), (0,) * 5 + (8, 0, 6) + (0,) * 16 + (1,))
    for position in (home, bar):
        for side in ("right", "left"):
            for play in legal_plays_reference(position, (6, 1))[:3]:
                found.append(board_svg(position, MatchState(), dice=(6, 1), bear_off=side, best=play))  # type: ignore[arg-type]
    return found


def test_boards() -> None:
    check("drawings", "boards", boards())
    check("drawings", "styles", [board_css(), board_css(LIGHT), board_css(DARK), board_defs()])


def test_charts() -> None:
    x = [i / 20 for i in range(21)]
    curve, steep = [v * v - 0.3 for v in x], [40 * v for v in x]
    flat, many = [0.25] * 21, [1000.0 * i for i in range(21)]
    marks = [Mark(0.7, 0.2, "seven"), Mark(0.2, -0.2, "two <&>", "red"), Mark(0.5, 0.0, "five", "amber"),
             Mark(0.9, 0.5, "nine")]  # fmt: skip
    check("drawings", "charts", [
        line_chart("A & B", [Line("curve", x, curve)], x_label="chance", y_label="equity"),
        line_chart("marks", [Line("curve", x, curve, "green", dashed=True)], marks=marks, x_percent=True),
        line_chart("two axes", [Line("left", x, curve), Line("right", x, steep, "violet", second=True)],
                   second_label="games"),
        line_chart("dots", [Line(str(i), x[i:], curve[i:], "red", dots=i % 2 > 0, dashed=i == 2) for i in range(5)],
                   marks=marks[:1]),
        line_chart("errors", [Line("e", x[:4], curve[:4], errors=[0.1, 0.2, 0.0, 0.3])], width=500, height=300),
        line_chart("flat", [Line("f", x, flat), Line("one", [0.5], [0.25], dots=True)]),
        line_chart("large", [Line("m", many, many, "grey")], marks=marks[1:2]),
    ])  # fmt: skip


@pytest.mark.parametrize(("length", "games"), [(0, 2), (5, 3), (7, 1)])
def test_whole_pages(length: int, games: int) -> None:
    analysed = make_match(seed=7 + length, length=length, games=games, turns=6)
    unfinished = replace(analysed.match.games[-1], winner=None, points=0)
    broken_off = replace(analysed.match, games=(*analysed.match.games[:-1], unfinished), info={}, problems=())
    late = replace(analysed, games=(GameAnalysis((), analysed.games[0].statistics), *analysed.games[1:]))
    check("drawings", f"page {length} {games}".replace(" ", "-"), [
        render_html(analysed), render_html(replace(analysed, match=broken_off, settings="", seconds=0.0)),
        render_html(late),
    ])  # fmt: skip


ESCAPE = re.compile(r"(\x1b\[[\d;]*m)")


def layout(show: Callable[[Console], None], *, width: int, encoding: str = "utf-8", digits: bool = True) -> str:
    """What is printed on a colour terminal; without `digits`, which the engine makes, they are all 0."""
    out = io.TextIOWrapper(io.BytesIO(), encoding=encoding, errors="replace")
    show(Console(file=out, width=width, force_terminal=True, color_system="truecolor", highlight=False))
    out.seek(0)
    parts = ESCAPE.split(out.read())
    return "".join(part if digits or ESCAPE.match(part) else re.sub(r"\d", "0", part) for part in parts)


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_matches_in_the_terminal(encoding: str) -> None:
    analysed = [make_match(seed=3, length=length, games=games, turns=7, names=("Ann Long", "Bartholomew"))
                for length, games in ((7, 3), (0, 1))]  # fmt: skip
    check("drawings", f"terminal-{encoding}", [
        layout(lambda console, a=a: render_terminal(a, console), width=width, encoding=encoding)
        for a in analysed
        for width in (40, 64, 80, 120)
    ])  # fmt: skip


def test_names_are_as_long_as_the_terminal_lets_them() -> None:
    analysed = make_match(seed=3, games=2, turns=3, names=("Maximilian Longfellow", "Bartholomew Longer"))
    check("drawings", "names", [
        layout(lambda console: render_terminal(analysed, console, worst=0), width=width) for width in range(50, 110, 3)
    ])  # fmt: skip


SITUATIONS = [
    MatchState(),
    MatchState(jacoby=False, beavers=3, cube=2, cube_owner=0, on_roll=0),
    MatchState(length=7, score=(2, 1), on_roll=0, cube=4, cube_owner=1),
    MatchState(length=3, score=(2, 0), on_roll=0, crawford=True),
    MatchState(length=5, score=(3, 1), on_roll=1, doubled=True),
    MatchState(cube_limit=1, jacoby=False, beavers=0),
]


def test_positions_in_the_terminal() -> None:
    told = []
    for number, state in enumerate(SITUATIONS):
        chance = random.Random(number)
        cube, plays = judge_cube(chance, START, state), judge_play(chance, START, (3, 1), state.length > 0)
        one = Evaluation(START, cube.probabilities, 0.1, 0.123456, 0.6 if state.length else None, 2, "contact", 0.68)
        bare = replace(one, effective_x=None, plies=0)
        deep = [replace(plays[0], trials=36, equity_error=0.01), *plays[1:]]
        late = replace(cube, available=False, action="No double" if number % 2 else "")
        good = replace(cube, should_double=True, should_take=True, should_beaver=True, double_take=-0.1)
        more = replace(cube, wrong_share=0.35, too_good=number % 2 > 0, take_points=(0.25, 0.2), trials=36)

        def show(
            console: Console, state=state, cube=cube, plays=plays, one=one, bare=bare, deep=deep,
            cubes=(late, good, more),
        ) -> None:  # fmt: skip
            render_evaluation(one, state=state, cube=cube, console=console)
            render_evaluation(bare, state=state, console=console)
            render_hint(START, (3, 1), plays, state=state, console=console)
            render_hint(START, (1, 3), deep, state=state, plies=4, console=console)
            render_hint(START, (3, 1), [], state=state, console=console)
            for each in cubes:
                render_cube(each, console=console)

        told += [layout(show, width=width) for width in (64, 90)]
    check("drawings", "positions", told)


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine(threads=1, plies=0, databases=Databases.standard())


MIDDLE = Position.from_id("4HPMwQCMz+AIIQ")
MATCH = MatchState(length=7, score=(2, 1), on_roll=0)


def test_races_in_the_terminal(engine: Engine) -> None:
    races = [race_theory(engine, Position.from_id(text), state)
             for text in ("Xes6AABuuzUAAA", "sgMAgNYNAAAAAA") for state in (MatchState(), MATCH)]  # fmt: skip
    told = [layout(lambda console, r=r: render_race(r, console=console), width=width, digits=False)
            for r in races for width in (34, 70, 110)]  # fmt: skip
    check("drawings", "races", told)


def test_cubes_in_the_terminal_and_drawn(engine: Engine) -> None:
    states = [
        MatchState(),
        MATCH,
        MatchState(cube=2, cube_owner=0, on_roll=0),
        MatchState(cube=2, cube_owner=1, on_roll=0),
        MatchState(length=5, score=(3, 3), on_roll=0),
        MatchState(length=4, score=(1, 0), cube=2, cube_owner=0, on_roll=0),
    ]
    theories = [cube_theory(engine, MIDDLE, match=state) for state in states]
    told = [layout(lambda console, t=t: render_cube_theory(t, console=console), width=width, digits=False)
            for t in theories for width in (70, 110)]  # fmt: skip
    check("drawings", "cubes", told)
    for number, theory in enumerate(theories[:4]):
        check_text("drawings", f"cube {number}", cube_chart(theory))


def test_rollouts_in_the_terminal(engine: Engine) -> None:
    few = RolloutSettings(trials=36, truncation=2)
    done = [
        engine.rollout_cube(START, match=MATCH, settings=few),
        engine.rollout_cube(MIDDLE, settings=few),
        engine.rollout(MIDDLE, match=MATCH, settings=replace(few, variance_reduction=False, rotate=False, seed=4)),
        engine.rollout(MIDDLE, settings=replace(few, cubeful=False, initial=False)),
        engine.rollout_plays(MIDDLE, (6, 4), 4, settings=few),
    ]
    done.append(replace(done[0], finished=False))
    told = [layout(lambda console, r=r: render_rollout(r, console=console, statistics=True), width=width, digits=False)
            for r in done for width in (70, 110)]  # fmt: skip
    check("drawings", "rollouts", told)
