"""One number that changes when the engine's judgement does."""

from __future__ import annotations

import hashlib

import numpy as np

from sixprime import kernels
from sixprime.cube.decision import as_gnu
from sixprime.engine.engine import Engine
from sixprime.engine.judge import PlayRequest
from sixprime.game.position import Position
from sixprime.game.state import MatchState

COUNT = 200
"""Positions that are judged at 0-ply."""

SEARCHED = 20
"""So many of them, evenly spread, are judged at 2-ply, too."""

_STATES = (
    MatchState(),
    MatchState(jacoby=False, cube=2, cube_owner=1),
    MatchState(length=7, score=(3, 5)),
    MatchState(length=5, score=(4, 2), cube=2, cube_owner=0),
    MatchState(length=7, score=(6, 3)),
)


def signature(engine: Engine) -> str:
    """Eight hexadecimal digits over best plays, cube actions and rounded equities of fixed positions."""
    positions, rolls = _fixed_positions()
    states = [_STATES[i % len(_STATES)] for i in range(COUNT)]
    requests = [PlayRequest(*request) for request in zip(positions, rolls, states, strict=True)]
    # An odd step meets every state.
    searched = requests[:: COUNT // SEARCHED - 1][:SEARCHED]
    lines = [*_lines(engine, requests, 0), *_lines(engine, searched, 2)]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:8]


def _lines(engine: Engine, requests: list[PlayRequest], plies: int) -> list[str]:
    ranked = engine.rank_plays_many(requests, plies=plies, count=1)
    cubes = engine.cube_many([(request.position, request.state) for request in requests], plies=plies)
    return [
        f"{plays[0].play.result.id} {plays[0].equity:.2f} {as_gnu(cube.action).text} {cube.no_double:.2f}"
        for plays, cube in zip(ranked, cubes, strict=True)
    ]


def _fixed_positions() -> tuple[list[Position], list[tuple[int, int]]]:
    """Positions of games of random plays, one after every third turn, and a roll for each."""
    random = np.random.default_rng(1)
    start = kernels.pack(Position.start().board[None])
    board, turn = start, 0
    positions: list[Position] = []
    rolls: list[tuple[int, int]] = []
    while len(positions) < COUNT:
        dice = random.integers(1, 7, size=(1, 2), dtype=np.int8)
        results, _ = kernels.legal_plays(board, dice)
        board, turn = kernels.swap(results[random.integers(len(results))][None]), turn + 1
        position = Position.from_board(kernels.unpack(board)[0])
        if position.winner is not None:
            board, turn = start, 0
        elif turn % 3 == 0:
            positions.append(position)
            high, low = sorted(random.integers(1, 7, size=2).tolist(), reverse=True)
            rolls.append((high, low))
    return positions, rolls
