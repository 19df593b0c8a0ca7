"""Positions for tests, of any kind that can be."""

from __future__ import annotations

from hypothesis import strategies as st

from sixprime.game.position import Position


@st.composite
def positions(draw: st.DrawFn) -> Position:
    """Any possible position: sparse and full boards, chequers on the bar, every number of chequers."""
    chequers = draw(st.sampled_from([15, 15, 15, 1, 2, 3]))
    owner = draw(st.lists(st.integers(0, 1), min_size=24, max_size=24))
    low = draw(st.booleans())
    sides = []
    for who in (0, 1):
        own = [point if who else 23 - point for point in range(24) if owner[point] == who]
        own = [point for point in own if point < 8] if low and any(point < 8 for point in own) else own
        counts = [0] * 25
        places = st.sampled_from([*own, *own, 24]) if own else st.just(24)
        for point in draw(st.lists(places, min_size=0, max_size=chequers)):
            counts[point] += 1
        sides.append(tuple(counts))
    return Position(sides[0], sides[1], chequers)


DICE = st.tuples(st.integers(1, 6), st.integers(1, 6))
