"""Hypergammon databases: their values, by slow means and beside GNU Backgammon's; building and files."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from sixprime.bearoff import hyper as databases
from sixprime.bearoff.hyper import Hyper, hyper
from sixprime.bearoff.kinds import KINDS, Form
from sixprime.errors import DataFileError, InvalidPositionError, SettingsError
from sixprime.game import Position
from sixprime.game.rules import longest_plays
from sixprime.kernels import ROLL_WEIGHTS, ROLLS
from sixprime.progress import NOBODY, Progress, Watch

DATA = Path(__file__).parent / "data"
STAGES = 2 * 29
"""Of a sweep over the positions of two chequers: pip counts 1 to 18, then three at a time up to 50."""
Rows = tuple[tuple[int, ...], tuple[int, ...]]


def rows() -> list[dict[str, Any]]:
    """The slice in the repository and, where SIXPRIME_REFDATA names a folder, the whole file."""
    folder = os.environ.get("SIXPRIME_REFDATA")
    paths = [DATA, *([Path(folder)] if folder else [])]
    return [json.loads(line) for path in paths for line in (path / "bearoff_hyper.jsonl").read_text().splitlines()]


def side(*points: int) -> tuple[int, ...]:
    return tuple(points.count(point) for point in range(1, 26))


def position(player: tuple[int, ...], opponent: tuple[int, ...], chequers: int) -> Position:
    return Position(side(*opponent), side(*player), chequers)


@cache
def results(player: tuple[int, ...], opponent: tuple[int, ...], chequers: int) -> list[tuple[float, list[Position]]]:
    """For every roll its chance and the positions it may lead to, the opponent on roll; by the rules."""
    here = Position(opponent, player, chequers)
    found = []
    for roll, weight in zip(ROLLS, ROLL_WEIGHTS, strict=True):
        plays = longest_plays(here, (int(roll[0]), int(roll[1]))) or {(player, opponent): ()}
        found.append((weight / 36, [Position(mine, theirs, chequers) for mine, theirs in plays]))
    return found


def double(no_double: NDArray[np.float64], take: NDArray[np.float64]) -> NDArray[np.float64]:
    """What a player has who may double; take: half of a double that is taken."""
    return np.maximum(no_double, np.minimum(2 * take, 1.0))


def after(value: NDArray[np.float64]) -> NDArray[np.float64]:
    """Cubeless equity and the four equities of who has just played, from the nine of the side on roll, of one position
    or of one a row."""
    w, wg, wbg, lg, lbg, owned, centred, jacoby, opponent = value.T
    cubeless = 1 - 2 * w - wg - wbg + lg + lbg
    return np.array(
        [cubeless, -opponent, -double(centred, opponent), -double(jacoby, opponent), -double(owned, opponent)]
    ).T


def finished(here: Position) -> NDArray[np.float64] | None:
    """The nine values of a finished game."""
    if here.winner is None:
        return None
    points, sign = here.result, 1 if here.winner else -1
    levels = [points >= 2, points >= 3]
    chances = [1, *levels, 0, 0] if here.winner else [0, 0, 0, *levels]
    return np.array([*chances, sign * points, sign * points, sign, sign * points], dtype=np.float64)


def step(here: Position, value: Callable[[Position], NDArray[np.float64]]) -> NDArray[np.float64]:
    """The nine values of a position from those of its successors."""
    chances, ends = zip(*results(here.player, here.opponent, here.chequers), strict=True)
    values = np.array([value(end) for of_roll in ends for end in of_roll])
    gains = after(values)
    lasts = np.cumsum([len(of_roll) for of_roll in ends])
    firsts = [0, *lasts[:-1]]
    best = [first + gains[first:last, 0].argmax() for first, last in zip(firsts, lasts, strict=True)]
    w, wg, wbg, lg, lbg = values[best, :5].T
    turned = np.array([1 - w, lg, lbg, wg, wbg, *np.maximum.reduceat(gains[:, 1:], firsts).T])
    return turned @ np.array(chances)


# ---------------------------------------------------------------------------------------------- values


def test_one_chequer_by_the_rules() -> None:
    # Value iteration over dictionaries, with the rules of movement written to be obviously right.
    places = [side(*([] if point == 0 else [point])) for point in range(26)]
    everything = [Position(theirs, mine, 1) for mine in places for theirs in places]
    games = [here for here in everything if here.is_valid]
    values = {here: finished(here) for here in games}
    open_games = sorted((here for here in games if values[here] is None), key=lambda here: sum(here.pips))
    known = {here: np.zeros(9) if value is None else value for here, value in values.items()}
    for _ in range(60):
        change = 0.0
        for here in open_games:
            new = step(here, known.__getitem__)
            change = max(change, float(np.abs(new - known[here]).max()))
            known[here] = new
        if change < 1e-10:
            break
    assert change < 1e-10
    database = hyper(1)
    assert len(games) == int(np.isfinite(database.values[..., 0]).sum())
    for here, value in known.items():
        index = divmod(database.index(here), 26)
        assert database.values[index] == pytest.approx(value, abs=1e-6)


def test_two_chequers_satisfy_the_rules() -> None:
    # Each value follows from those of the next positions; some of these cannot move with some rolls.
    database = hyper(2)
    stuck = [position((22, 1), (9, 9), 2), position((25, 10), (5, 5), 2), position((25, 25), (6, 6), 2)]
    random = np.random.default_rng(5)
    while len(stuck) < 40:
        points = random.integers(0, 26, size=(2, 2)).tolist()
        here = position(*([point for point in one if point] for one in points), 2)
        if here.is_valid and here.winner is None:
            stuck.append(here)

    def value(end: Position) -> NDArray[np.float64]:
        return database.values[divmod(database.index(end), 351)].astype(np.float64)

    for here in stuck:
        wanted, found = step(here, value), value(here)
        # Among equal plays the chances may be those of another one.
        assert found[5:] == pytest.approx(wanted[5:], abs=2e-6)
        assert after(found)[0] == pytest.approx(after(wanted)[0], abs=2e-6)


def test_reference_rows() -> None:
    for row in rows():
        database = hyper(row["chequers"], gnubg=True)
        here = Position.from_board(row["board"], row["chequers"])
        value = database.value(here)
        assert database.index(here) == row["index"]
        assert value.probabilities == pytest.approx(row["probs"], abs=5e-5)
        found = value.owned, value.centred, value.centred_jacoby, value.opponent
        wanted = row["owned"], row["centered"], row["centered_jacoby"], row["opponent"]
        assert found == pytest.approx(wanted, abs=5e-5)


def test_where_it_differs_from_gnu_backgammon() -> None:
    ours, theirs = hyper(2), hyper(2, gnubg=True)
    assert np.nanmax(np.abs(ours.values[..., :5] - theirs.values[..., :5])) < 1e-5
    # With 66 nobody moves: the cube must not change hands.
    here = position((22, 1), (9, 9), 2)
    assert ours.value(here).owned - theirs.value(here).owned == pytest.approx(0.00377, abs=5e-5)
    # A race is played to the end by everybody.
    race = position((6, 5), (4, 3), 2)
    assert ours.value(race) == theirs.value(race)
    assert np.nanmax(np.abs(hyper(1).values - hyper(1, gnubg=True).values)) < 1e-6


def test_finished_games() -> None:
    database = hyper(2)
    assert database.value(position((), (19,), 2)).owned == 1.0
    lost = database.value(position((19, 3), (), 2))
    assert lost.probabilities == (0, 0, 0, 1, 1)
    assert (lost.centred, lost.centred_jacoby, lost.cubeless) == (-3.0, -1.0, -3.0)


def test_counts_of_the_manual() -> None:
    assert databases.position_counts(3) == (6551, 587926, 7365427, 2772272)
    assert databases.position_counts(1) == (51, 276, 325, 24)


def test_outside() -> None:
    with pytest.raises(InvalidPositionError, match="2 chequers"):
        hyper(2).value(Position.start("hypergammon1"))
    with pytest.raises(SettingsError, match="1, 2 or 3"):
        hyper(4)
    boards = np.zeros((2, 32), dtype=np.int8)
    boards[0, 24] = 15
    assert np.isnan(hyper(1).look_up(boards)).all()


# ---------------------------------------------------------------------------------------------- building


def test_threads_change_nothing() -> None:
    assert Hyper.build(2, threads=1).values.tobytes() == hyper(2).values.tobytes()


def test_stop_and_resume(tmp_path: Path) -> None:
    # The second stop falls into a sweep whose changes are extrapolated.
    checkpoint = tmp_path / "unfinished"
    runs: list[list[int]] = []

    def build(threads: int, share: float | None = None) -> Hyper:
        seen: list[int] = []
        runs.append(seen)

        def told(step: Progress) -> None:
            seen.append(step.done)
            if share is not None and step.done == int(share * 16 * STAGES):
                signal.raise_signal(signal.SIGINT)

        return Hyper.build(2, threads=threads, checkpoint=checkpoint, watch=Watch(told))

    for threads, share in ((1, 0.13), (2, 0.6)):
        with pytest.raises(KeyboardInterrupt):
            build(threads, share)
        recording = b"recording" in checkpoint.read_bytes()[:1024]
        assert recording == (share == 0.6)
    resumed = build(3)
    first, second, third = runs
    assert (second[0], third[0]) == (first[-1] + 1, second[-1] + 1)
    assert resumed.values.tobytes() == hyper(2).values.tobytes()
    assert not checkpoint.exists()


def test_a_damaged_checkpoint_is_not_used(tmp_path: Path) -> None:
    checkpoint = tmp_path / "unfinished"
    checkpoint.write_bytes(b"Sixprime bear-off database\nnonsense")
    assert Hyper.build(1, checkpoint=checkpoint).values.tobytes() == Hyper.build(1).values.tobytes()


# ---------------------------------------------------------------------------------------------- files


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "one"
    hyper(1).save(path)
    assert Hyper.open(path, 1).values.tobytes() == hyper(1).values.tobytes()
    with pytest.raises(DataFileError):
        Hyper.open(path, 2)
    with pytest.raises(DataFileError):
        Hyper.open(path, 1, gnubg=True)
    whole = path.read_bytes()
    for damaged in (whole[:-1], whole[:2000] + bytes([whole[2000] ^ 1]) + whole[2001:], b""):
        path.write_bytes(damaged)
        with pytest.raises(DataFileError):
            Hyper.open(path, 1)


def test_gnu_backgammon_files(tmp_path: Path) -> None:
    path = tmp_path / "hyper1.bd"
    database = hyper(1, gnubg=True)
    database.write_gnubg(path)
    raw = path.read_bytes()
    assert raw[:8] == b"gnubg-H1"
    assert len(raw) == 40 + 28 * 26 * 26
    # Won, with a gammon, from the ace point against the two point: a third of the scale above its middle.
    record = np.frombuffer(raw, dtype=np.uint8, count=28, offset=40 + 28 * 28).reshape(28)
    numbers = [int.from_bytes(record[3 * k : 3 * k + 3].tobytes(), "little") / 0xFFFFFF for k in range(9)]
    assert numbers == pytest.approx([1, 1, 0, 0, 0, 5 / 6, 5 / 6, 2 / 3, 5 / 6], abs=1e-6)
    assert record[27] == 0
    again = Hyper.read_gnubg(path)
    assert again.values == pytest.approx(database.values, abs=1e-6, nan_ok=True)
    again.write_gnubg(tmp_path / "again")
    assert Hyper.read_gnubg(tmp_path / "again").values == pytest.approx(again.values, abs=1e-6, nan_ok=True)
    for damaged in (raw[:-1], b"gnubg-H4" + raw[8:], b"gnubg", b"gnubg-TS-06-06-1xxxxxxxxxxxxxxxxxxxxxxx\n"):
        path.write_bytes(damaged)
        with pytest.raises(DataFileError):
            Hyper.read_gnubg(path)


def test_three_chequers_are_not_built_unasked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(databases, "path_of", lambda chequers, gnubg=False: tmp_path / "none")
    monkeypatch.setattr(databases, "_opened", {})
    assert databases.find(3) is None
    with pytest.raises(DataFileError, match="sixprime bearoff build hyper 3"):
        hyper(3)
    (tmp_path / "none").write_bytes(b"damaged")
    with pytest.raises(DataFileError, match="not a Sixprime database"):
        hyper(3)


def test_as_a_kind_of_database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIXPRIME_DATA", str(tmp_path))
    kind = KINDS["hyper-gnubg"]
    for text in ("4", "0", "three", "1x6"):
        with pytest.raises(SettingsError, match="1, 2 or 3"):
            kind.parse(text)
    size = kind.parse("1")
    path = kind.make(*size, 1, NOBODY)
    kind.check(path, *size)
    assert path.parent.parent == tmp_path
    assert kind.export is not None
    kind.export(path, *size, tmp_path / "hyper1.bd", Form())
    assert databases.is_gnubg(tmp_path / "hyper1.bd")
    assert not databases.is_gnubg(path)


def test_a_damaged_file_is_read_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """It is large: before it changes, what was wrong with it is remembered."""
    monkeypatch.setenv("SIXPRIME_DATA", str(tmp_path))
    monkeypatch.setattr(databases, "_opened", {})
    monkeypatch.setattr(databases, "_damaged", {})
    path = databases.path_of(3)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"no database")
    opened: list[Path] = []
    open_ = Hyper.open.__func__  # type: ignore[attr-defined]

    def counted(cls: type[Hyper], where: Path, *arguments: object, **named: object) -> Hyper:
        opened.append(where)
        return open_(cls, where, *arguments, **named)

    monkeypatch.setattr(Hyper, "open", classmethod(counted))
    messages = []
    for _ in range(3):
        with pytest.raises(DataFileError) as caught:
            databases.hyper(3)
        messages.append(str(caught.value))
    assert opened == [path]
    assert len(set(messages)) == 1
    path.write_bytes(b"no database either")
    with pytest.raises(DataFileError):
        databases.hyper(3)
    assert opened == [path, path]


def test_values_of_another_size_are_refused() -> None:
    one = Hyper.build(1)
    for values in (one.values[:2, :2].copy(), one.values[:, :, :3].copy(), one.values.astype(float), [1]):
        with pytest.raises(SettingsError, match=r"values must be float32\[26, 26, 9\]"):
            Hyper(1, values)  # type: ignore[arg-type]
    with pytest.raises(SettingsError, match=r"values must be float32\[3276, 3276, 9\]"):
        replace(one, chequers=3)
    with pytest.raises(SettingsError, match="C order"):
        Hyper(1, one.values[::-1])
    odd = np.random.default_rng(1).integers(-9, 10, (1000, 32)).astype(np.int8)
    odd[0] = [-3, *24 * [0], 1, 0, 4, *4 * [0]]
    assert np.isnan(one.look_up(odd)).all()
