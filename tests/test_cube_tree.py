"""Cube states over several plies, against GNU Backgammon's 1- and 2-ply values of bear-offs."""

from __future__ import annotations

import itertools
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sixprime.bearoff import one_sided, two_sided
from sixprime.cube import values as worth
from sixprime.cube.janowski import CLASSIC
from sixprime.cube.state import CubeState
from sixprime.cube.tree import Level, expand_groups, expand_states
from sixprime.game.state import MatchState
from sixprime.kernels import ROLL_WEIGHTS, ROLLS, legal_plays, pack, swap

DATA = Path(__file__).parent / "data"
REFDATA = os.environ.get("SIXPRIME_REFDATA")


def static(boards: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Probabilities, efficiencies and exact equities of bear-off boards, and which of them are over."""
    probabilities = one_sided().probabilities(boards).astype(np.float64)
    exact = np.asarray(two_sided().equities(boards))
    over = (boards[:, 26] == 15) | (boards[:, 27] == 15)
    known = ~np.isnan(exact[:, 0])
    probabilities[known] = 0
    probabilities[known, 0] = (exact[known, 0] + 1) / 2
    exact[over] = np.nan
    return probabilities, np.where(over, 0.0, 0.6), exact, over


def evaluate(boards: np.ndarray, levels: list[Level], judges: list[Level], depth: int) -> np.ndarray:
    """Values [N, Q] of boards at a level, by full width: every roll's best play by its static cubeful value.

    judges: for every depth the level that values a position by the cube as it is.
    """
    level = levels[depth]
    probabilities, x, exact, over = static(boards)
    values = level.choose(level.evaluate(probabilities, x, exact=exact))
    exactly = ~np.isnan(exact[:, 0]) & level.states[0].money
    open_rows = np.flatnonzero(~(over | exactly))
    if depth + 1 == len(levels) or not len(open_rows):
        return values
    count = len(open_rows)
    after, offsets = legal_plays(np.repeat(boards[open_rows], 21, axis=0), np.tile(ROLLS, (count, 1)))
    after = swap(after)
    probabilities, x, exact, _ = static(after)
    judge = judges[depth + 1]
    ranks = judge.choose(judge.evaluate(probabilities, x, exact=exact))[:, 0].round(7)
    equities = worth.cubeless(probabilities, CubeState())
    best = [low + np.lexsort((equities[low:high], ranks[low:high]))[0] for low, high in itertools.pairwise(offsets)]
    below = evaluate(after[best], levels, judges, depth + 1)
    mean = np.einsum("nrk,r->nk", below.reshape(count, 21, -1), ROLL_WEIGHTS / 36)
    values[open_rows] = level.from_children(mean)
    return values


def state_of(info: dict[str, Any]) -> CubeState:
    owner = None if info["cubeowner"] < 0 else info["cubeowner"]
    score, rules = tuple(info["score"]), {"jacoby": bool(info["jacoby"]), "beavers": info["beavers"]}
    crawford = bool(info["crawford"])
    return CubeState.from_match(
        MatchState(info["matchto"], score, info["cube"], owner, info["move"], crawford=crawford, **rules)
    )


@pytest.mark.parametrize("full", [False, True], ids=["slice", "full"])
def test_deeper_values(full: bool) -> None:
    if full and not REFDATA:
        pytest.skip("SIXPRIME_REFDATA is not set")
    path = Path(REFDATA or "") / "cube_formulas.jsonl" if full else DATA / "cube_formulas.jsonl"
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    for row in (row for row in rows if "nply" in row):
        state = state_of(row["cubeinfo"])
        board = pack(np.array([row["board"]], dtype=np.int8))
        for plies in (1, 2):
            levels = expand_states([state, state.doubled()], plies, model=CLASSIC)
            sides = [state if depth % 2 == 0 else state.swapped() for depth in range(plies + 1)]
            judges = [expand_states([side], 0, model=CLASSIC, root_double=True)[0] for side in sides]
            no_double, take = evaluate(board, levels, judges, 0)[0]
            wanted = row["nply"][str(plies)]
            if state.money:
                assert [no_double, 2 * take] == pytest.approx([wanted["nd"], wanted["dt"]], abs=1e-4), row
            else:
                chances = [worth.to_mwc(wanted[key], state) for key in ("nd", "dt")]
                assert [no_double, take] == pytest.approx(chances, abs=1e-4), row


def test_states_of_two_plies() -> None:
    """The four states of the manual: centred, opponent's 2, own 2, opponent's 4."""
    levels = expand_states([CubeState()], 2)
    assert [len(level.states) for level in levels] == [1, 2, 4]
    assert {(state.cube, state.owner) for state in levels[2].states} == {(1, 0), (2, -1), (2, 1), (4, -1)}
    assert levels[0].double.tolist() == [[-1]]
    assert expand_states([CubeState()], 0, root_double=True)[0].double.tolist() == [[1]]


def test_choice() -> None:
    level = expand_states([CubeState()], 0, root_double=True)[0]
    values = np.array([[0.5, 0.2], [0.5, 0.3], [0.5, 0.6], [1.1, 0.6], [1.1, 0.52]])
    assert level.choose(values)[:, 0] == pytest.approx([0.5, 0.6, 1.0, 1.1, 1.1])
    state = CubeState(length=5, away=(3, 3))
    level = expand_states([state], 0, root_double=True)[0]
    cashed = worth.to_mwc(1.0, state)
    assert level.choose(np.array([[0.5, 0.99], [0.5, 0.55], [0.7, 0.8]]))[:, 0] == pytest.approx([cashed, 0.55, 0.7])
    below = level.from_children(np.array([[0.5, 0.1], [0.5, 0.45]]))
    assert below[:, 0] == pytest.approx([cashed, 0.55])


def test_groups_equal_single_trees() -> None:
    rng = np.random.default_rng(2)
    groups = [
        [CubeState(), CubeState().doubled()],
        [CubeState(2, -1, 7, (4, 6))],
        [CubeState(length=5, away=(1, 3), crawford=True), CubeState(2, 1, jacoby=True)],
    ]
    groups[2].pop()
    win = rng.random(60)
    probabilities = np.stack([win, win * 0.3, win * 0.02, (1 - win) * 0.2, (1 - win) * 0.01], axis=1)
    x = np.full(60, 0.68)
    which = np.arange(60, dtype=np.int32) % 3
    many = expand_groups(groups, 2)
    values = many[2].choose(many[2].evaluate(probabilities, x, which), which)
    values = many[1].from_children(values, which)
    values = many[0].from_children(values, which)
    for g, roots in enumerate(groups):
        one = expand_states(roots, 2)
        mine = which == g
        single = one[2].choose(one[2].evaluate(probabilities[mine], x[mine]))
        single = one[0].from_children(one[1].from_children(single))
        assert np.array_equal(values[mine][:, : len(roots)], single)
        assert np.all(np.isnan(values[mine][:, len(roots) :]))
