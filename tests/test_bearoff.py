"""Bear-off databases: their values, bit by bit, and look-ups."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from sixprime import kernels
from sixprime.bearoff import OneSided, TwoSided, one_sided, race, two_sided
from sixprime.bearoff._one_sided import exactly
from sixprime.errors import InvalidPositionError, SettingsError
from sixprime.game import Position
from sixprime.game.play import legal_plays_reference
from sixprime.kernels import ROLL_WEIGHTS, ROLLS
from sixprime.kernels.bearoff import os_index

DATA = Path(__file__).parent / "data"
ONE = 65535
Counts = tuple[int, ...]


def rows(name: str) -> list[dict[str, Any]]:
    """The slice in the repository and, where SIXPRIME_REFDATA names a folder, the whole file."""
    folder = os.environ.get("SIXPRIME_REFDATA")
    paths = [DATA / name, *([Path(folder) / name] if folder else [])]
    return [json.loads(line) for path in paths for line in path.read_text().splitlines()]


def pack(*positions: Position) -> NDArray[np.int8]:
    return kernels.pack(np.array([position.board for position in positions]), positions[0].chequers)


def ending(player: Sequence[int], opponent: Sequence[int], chequers: int = 15) -> Position:
    """A position from the counts on each side's first points."""
    return Position(*(tuple(side) + (0,) * (25 - len(side)) for side in (opponent, player)), chequers)


def distributions(database: OneSided, *, gammon: bool = False) -> NDArray[np.int64]:
    """Of all lists, in 65535ths."""
    return exactly(database.survival(np.arange(len(database.arrays.spans)), gammon=gammon))


def lists(points: int, chequers: int) -> list[Counts]:
    """All lists of counts, rearmost points varying least after the number of chequers."""
    found = [counts for counts in product(range(chequers + 1), repeat=points) if sum(counts) <= chequers]
    return sorted(found, key=lambda counts: [sum(counts[i:]) for i in range(points)])


# ---------------------------------------------------------------------------------------------- values


def test_one_sided_bits() -> None:
    database = one_sided()
    off, first = distributions(database), distributions(database, gammon=True)
    for row in rows("bearoff_os.jsonl"):
        index = database.index(row["board"])
        assert index == row["index"]
        assert {str(k): value for k, value in enumerate(off[index]) if value} == row["dist_u16"]
        if row["chequers"] == 15:
            assert {str(k): value for k, value in enumerate(first[index]) if value} == row["gammon_u16"]


def test_side_numbers() -> None:
    for row in rows("bearoff_os.jsonl"):
        side = one_sided().side(row["board"])
        assert side.distribution.sum() == pytest.approx(1)
        found = (side.mean, side.sd, side.epc, side.wastage)
        assert found == pytest.approx([row[name] for name in ("mean", "sd", "epc", "wastage")], abs=0.00051)


def test_two_sided_bits() -> None:
    database = two_sided()
    for row in rows("bearoff_ts.jsonl"):
        opponent, player = row["board"]
        assert [database.index(opponent), database.index(player)] == row["index"][::-1]
        found = database.arrays.equities[database.index(player), database.index(opponent)]
        assert found.tolist() == row["raw_u16"]
        equities = database.equities(pack(Position(tuple(opponent), tuple(player))))[0]
        expected = [row[name] for name in ("cubeless", "owned", "centered", "opponent")]
        assert equities == pytest.approx(expected, abs=1e-6)


# ------------------------------------------------------------------------------------ the slow reference


def replies(counts: Counts) -> list[tuple[int, list[Counts]]]:
    """Weight and results of all 21 rolls, by the rules of the game."""
    found = []
    for weight, (a, b) in zip(ROLL_WEIGHTS, ROLLS, strict=True):
        plays = legal_plays_reference(ending(counts, (1,), 15), (int(a), int(b)))
        found.append((int(weight), [play.result.opponent[: len(counts)] for play in plays]))
    return found


@pytest.mark.parametrize(("points", "chequers"), [(4, 4), (8, 2), (1, 6)])
def test_one_sided_reference(points: int, chequers: int) -> None:
    database = OneSided.build(points, chequers)
    check_distributions(distributions(database), lists(points, chequers), lambda _, after: not any(after))
    check_distributions(distributions(database, gammon=True), lists(points, chequers), first_off)


def first_off(before: Counts, after: Counts) -> bool:
    return sum(after) < sum(before)


def check_distributions(table: NDArray[np.int64], known: list[Counts], done: Callable[[Counts, Counts], bool]) -> None:
    """`table` is the average, over the rolls, of a distribution with the least mean, to one unit or two."""
    number = {counts: index for index, counts in enumerate(known)}
    finished = np.eye(1, table.shape[1])[0] * ONE
    assert table.sum(1).tolist() == [ONE] * len(known)
    for counts in known[1:]:
        expected = np.zeros(table.shape[1])
        for weight, results in replies(counts):
            choices = [finished if done(counts, after) else table[number[after]] for after in results]
            best = min(choices, key=lambda row: row @ np.arange(len(row)))
            expected[1:] += weight / 36 * best[:-1]
        assert np.abs(table[number[counts]] - expected).max() < 2.5


@pytest.mark.parametrize(("points", "chequers"), [(3, 3), (8, 1)])
def test_two_sided_reference(points: int, chequers: int) -> None:
    """Every row is what one more roll, both sides doubling when they should, makes of the others."""
    database = TwoSided.build(points, chequers)
    known = lists(points, chequers)
    number = {counts: index for index, counts in enumerate(known)}
    equities = database.arrays.equities / 32767.5 - 1

    def doubled(no_double: float, take: float) -> float:
        return max(no_double, min(2 * take, 1.0))

    @cache
    def after(player: Counts, opponent: Counts) -> tuple[float, ...]:
        """Worth to the side that has just played, by who holds the cube."""
        cubeless, owned, centred, theirs = equities[number[opponent], number[player]]
        return -cubeless, -theirs, -doubled(centred, theirs), -doubled(owned, theirs)

    for player, opponent in product(known[1:], known[1:]):
        expected = np.zeros(4)
        for weight, results in replies(player):
            expected += weight / 36 * np.max([after(result, opponent) for result in results], axis=0)
        assert equities[number[player], number[opponent]] == pytest.approx(expected, abs=1e-4)


# --------------------------------------------------------------------------------------------- look-ups


def test_indices() -> None:
    database = OneSided.build(5, 4)
    ranks = database.arrays.ranks
    for number, counts in enumerate(lists(5, 4)):
        board = pack(ending(counts, counts[::-1], 4))[0]
        assert database.index(counts) == number
        assert os_index(board, 1, ranks) == number
        assert os_index(board, -1, ranks) == database.index(counts[::-1])


def test_index_outside() -> None:
    ranks = OneSided.build(5, 4).arrays.ranks
    outside = [ending([1, 0, 0, 0, 0, 1], [1]), ending([5], [1]), Position((1,) + (0,) * 24, (0,) * 24 + (1,))]
    for board in pack(*outside):
        assert os_index(board, 1, ranks) == -1
        assert os_index(kernels.swap(board[None])[0], -1, ranks) == -1
        assert os_index(board, -1, ranks) == 1
    for counts in ([0, 0, 0, 0, 0, 1], [5], [-1, 2]):
        with pytest.raises(InvalidPositionError):
            OneSided.build(5, 4).index(counts)
    for counts in ([1.5], "abc", 3):
        with pytest.raises(InvalidPositionError, match="whole numbers"):
            OneSided.build(5, 4).side(counts)  # type: ignore[arg-type]
    assert OneSided.build(5, 4).index([0, 1]) == OneSided.build(5, 4).index([0, 1] + [0] * 23)


def test_manual_examples() -> None:
    board = pack(Position.from_id("CgAAEAEAAAAAAA"))
    assert one_sided().probabilities(board)[0, 0] == pytest.approx(0.671, abs=5e-4)
    assert two_sided().equities(board)[0] == pytest.approx([0.34224, 0.3441, 0.1605, 0.1605], abs=5e-5)
    position = Position.from_id("2x0AAOi2AQAAAA")
    assert one_sided().probabilities(pack(position))[0].tolist() == pytest.approx([0.56696, 0, 0, 0, 0], abs=1e-5)
    player, opponent = one_sided().side(position.player), one_sided().side(position.opponent)
    assert (player.epc, player.wastage) == pytest.approx((42.024, 11.024), abs=6e-4)
    assert (opponent.epc, opponent.wastage) == pytest.approx((39.594, 12.594), abs=6e-4)


def test_probabilities_are_convolutions() -> None:
    """Integer sums in the kernel against plain sums of products."""
    random = np.random.default_rng(5)
    known = lists(4, 15)
    full = [counts for counts in known if sum(counts) == 15]
    for _ in range(100):
        player, opponent = (
            group[random.integers(len(group))] for group in ((known, full)[k] for k in random.integers(2, size=2))
        )
        us, them = one_sided().side(player), one_sided().side(opponent)
        expected = np.zeros(5)
        for i, j in product(range(32), repeat=2):
            expected[0] += us.distribution[i] * them.distribution[j] * (i <= j)
            expected[1] += us.distribution[i] * them.gammon_distribution[j] * (i <= j) * (sum(opponent) == 15)
            expected[3] += them.distribution[i] * us.gammon_distribution[j] * (i < j) * (sum(player) == 15)
        found = one_sided().probabilities(pack(ending(player, opponent)))[0]
        assert found == pytest.approx(expected, abs=1e-6)
        firsts = [
            side.gammon_distribution if sum(counts) == 15 else None for side, counts in ((us, player), (them, opponent))
        ]
        assert race(us.distribution, them.distribution, *firsts) == pytest.approx(expected, abs=1e-12)


def test_gammons_need_a_side_with_nothing_off() -> None:
    boards = pack(ending([2], [15]), ending([2], [14]), ending([15], [1]), ending([2], []), ending([], [15]))
    found = one_sided().probabilities(boards)
    assert found[:, :4].tolist() == [[1, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [1, 1, 0, 0]]
    three = pack(ending([1], [0, 0, 0, 0, 0, 3], 3), ending([1], [0, 0, 0, 0, 0, 2], 3))
    assert one_sided().probabilities(three)[:, 1].tolist() == [1, 0]


def test_outside_is_nan() -> None:
    start, inside = Position.start(), Position.from_id("CgAAEAEAAAAAAA")
    assert np.isnan(one_sided().probabilities(pack(start, inside))[:, 0]).tolist() == [True, False]
    assert np.isnan(two_sided().equities(pack(start, inside, ending([7], [1]))))[:, 0].tolist() == [True, False, True]
    hypergammon = pack(ending([3], [3], 3), ending([2], [2], 3))
    assert np.isnan(two_sided().equities(hypergammon)[:, 0]).tolist() == [True, False]
    assert one_sided().probabilities(pack(start)[:0]).shape == (0, 5)


def test_race_broadcasts() -> None:
    side = one_sided().side([3, 2]).distribution
    assert race(np.stack([side, side]), side).shape == (2, 5)
    assert race(np.zeros((0, 64)), side).shape == (0, 5)
    # Whatever kind of numbers they are, and however they lie.
    plain = race(side, side, side, side)
    for other in (side.tolist(), side[::-1].copy()[::-1], side.astype(">f8"), np.repeat(side, 2)[::2]):
        assert race(other, other, other, other).tolist() == plain.tolist()
    assert race([0, 1], [0, 1]).tolist() == [1, 0, 0, 0, 0]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ((1.0, [0.5, 0.5]), "player must be float64"),
        (([0.5, 0.5], [0.5, np.nan]), "opponent must be float64"),
        (([0.5, 0.5], [1.5, -0.5]), "opponent must be float64"),
        (([0.9, 0.9], [1, 0]), "player must be float64"),
        (([], []), "player must be float64"),
        (([True, False], [True, False]), "player must be float64"),
        ((["a"], ["b"]), "player must be float64"),
        (([0, 1j], [0, 1]), "player must be float64"),
        (([[0.5], [0.5, 0.5]], [0, 1]), "player must be float64"),
        (([0, 1], [0, 1], None, [1]), "distributions must be of equally many rolls"),
        ((np.full((2, 4), 0.1), np.full((3, 4), 0.1)), "shapes that broadcast"),
    ],
)
def test_what_are_no_distributions_is_refused(given: tuple[Any, ...], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        race(*given)


def test_counts_of_few_bits_are_those_numbers() -> None:
    nine = OneSided.build(9, 15)
    far = np.array([0] * 8 + [15], dtype=np.int8)
    assert nine.side(far).pips == nine.side(far.tolist()).pips == 135
    assert nine.side(far).mean == nine.side(far.tolist()).mean
    for wrong in (np.array([250, 10], dtype=np.uint8), np.array([127] * 6, dtype=np.int8)):
        with pytest.raises(InvalidPositionError, match=r"\] is outside this database of up to 15 chequers on 6 points"):
            one_sided().index(wrong)
    for wrong in (np.array(3), np.array([[0, 1]])):
        with pytest.raises(InvalidPositionError, match="must be a list of whole numbers"):
            one_sided().index(wrong)


@pytest.mark.parametrize(("points", "chequers"), [(0, 15), (19, 15), (6, 0), (6, 16)])
def test_size_out_of_range(points: int, chequers: int) -> None:
    for fetch in (one_sided, two_sided):
        with pytest.raises(SettingsError, match=r"1 to 1\d"):
            fetch(points, chequers)


def test_too_large_for_memory() -> None:
    for kind in (OneSided, TwoSided):
        with pytest.raises(SettingsError, match="GB of memory"):
            kind.build(18, 15)


@pytest.mark.parametrize("size", [(6, True), (1.5, 6), ("6", 6), (0, 6), (19, 6)])
def test_a_size_is_two_whole_numbers(size: tuple[Any, Any]) -> None:
    for database in (one_sided, two_sided):
        with pytest.raises(SettingsError, match="a bear-off database has 1 to"):
            database(*size)


@pytest.mark.parametrize("boards", [np.zeros((1, 50), np.int8), np.zeros((1, 20), np.int8), np.zeros(32, np.int8), "x"])
def test_boards_that_are_not_packed_are_refused(boards: Any) -> None:
    for look_up in (one_sided().probabilities, two_sided().equities):
        with pytest.raises(SettingsError, match="boards must be int8"):
            look_up(boards)
