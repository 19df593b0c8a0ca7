"""What searches remember changes no bit of what they say."""

from __future__ import annotations

import copy
import pickle
import threading
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from sixprime import Engine, MatchState, Position
from sixprime.engine import plies
from sixprime.engine.memo import Memo, Replies


def replies_of(numbers: list[int]) -> Replies:
    values = np.array(numbers)
    return (
        np.repeat(values, 21 * 32).reshape(-1, 21, 32).astype(np.int8),
        np.repeat(values, 21 * 5).reshape(-1, 21, 5).astype(np.float32),
        np.repeat(values, 21).reshape(-1, 21).astype(np.int8),
    )


def asked(memo: Memo, numbers: list[int]) -> list[int]:
    """Looks numbers up, each its own reply; returns those that had to be made."""
    made: list[int] = []

    def work(which: NDArray[np.int64]) -> Replies:
        made.extend(numbers[i] for i in which)
        return replies_of([numbers[i] for i in which])

    found = memo.look_up([str(number).encode() for number in numbers], work)
    for out, wanted in zip(found, replies_of(numbers), strict=True):
        assert np.array_equal(out, wanted)
    return made


def test_the_oldest_are_overwritten() -> None:
    memo = Memo(4)
    assert asked(memo, [1, 2, 3]) == [1, 2, 3]
    assert asked(memo, [3, 1, 4]) == [4]
    assert asked(memo, [5]) == [5]  # in the place of 1
    assert asked(memo, [2, 1, 3, 4]) == [1]
    assert asked(memo, [7, 7, 8, 9, 10, 11, 7]) == [7, 7, 8, 9, 10, 11, 7]
    assert asked(memo, [10, 11]) == []
    memo.clear()
    assert asked(memo, [10, 11, 12, 13, 14]) == [10, 11, 12, 13, 14]
    assert asked(memo, [14, 13, 12, 11]) == []


class Broken:
    """Where the user presses Ctrl-C while replies are kept."""

    def __getitem__(self, _: int) -> None:
        raise KeyboardInterrupt


def test_an_interrupt_costs_an_entry_and_no_more() -> None:
    memo = Memo(3)
    asked(memo, [1, 2, 3])
    for key in (b"4", b"1", b"5"):
        with pytest.raises(KeyboardInterrupt):
            memo._store([key + b"0"], (Broken(), Broken(), Broken()))
    assert asked(memo, [1, 2, 3, 40, 10, 50]) == [1, 2, 3, 40, 10, 50]
    assert asked(memo, [40, 10, 50]) == []


def test_a_copy_starts_empty() -> None:
    engine = Engine(threads=1)
    evaluation = engine.evaluate(Position.start(), plies=1)
    other = pickle.loads(pickle.dumps(engine.searcher.memo))
    assert asked(other, [1]) == [1]
    assert copy.deepcopy(engine.searcher).memo is not engine.searcher.memo
    assert engine.evaluate(Position.start(), plies=1) == evaluation


def test_threads_share_it() -> None:
    memo, random = Memo(50), np.random.default_rng(1)
    drawn = random.integers(0, 80, (8, 60, 7)).tolist()
    failed: list[BaseException] = []

    def use(part: list[list[int]]) -> None:
        try:
            for numbers in part:
                asked(memo, numbers)
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=use, args=(part,)) for part in drawn]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed


def test_a_search_says_the_same_with_and_without() -> None:
    engine, state = Engine(threads=1), MatchState(length=7, score=(2, 4))
    position = Position.start()
    plays = engine.best_plays(position, (6, 2), match=state, plies=2)
    after = plays[0].play.result
    warm = engine.cube_action(after, match=state, plies=2), engine.evaluate(after, match=state, plies=2)
    engine.forget()
    assert (engine.cube_action(after, match=state, plies=2), engine.evaluate(after, match=state, plies=2)) == warm
    assert engine.best_plays(position, (6, 2), match=state, plies=2) == plays
    # Another score weighs gammons in another way: nothing of the one serves for the other.
    other = MatchState(length=7, score=(6, 4), crawford=True)
    mixed = engine.evaluate(after, match=other, plies=2)
    engine.forget()
    assert engine.evaluate(after, match=other, plies=2) == mixed


def test_replies_are_looked_up_and_not_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    engine, start, made = Engine(threads=1, plies=2), Position.start(), 0
    make = plies.best_replies

    def counted(brain: Any, boards: NDArray[np.int8], *rest: Any) -> Replies:
        nonlocal made
        made += len(boards)
        return make(brain, boards, *rest)

    monkeypatch.setattr(plies, "best_replies", counted)
    first = engine.evaluate(start)
    fresh, made = made, 0
    assert engine.evaluate(start) == first
    assert (fresh > 0, made) == (True, 0)
    # The cube decision after a play looks at the positions that judged the play.
    play = engine.best_plays(start, (4, 3))[0].play
    made = 0
    engine.cube_action(play.result)
    warm, made = made, 0
    engine.forget()
    engine.cube_action(play.result)
    assert warm < made / 2
