"""Charging players on rolled-out decisions, with rows and players made here."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from sixprime import Position, kernels
from sixprime.errors import InvalidFileError, SettingsError
from sixprime.game import parse
from sixprime.play.standing import ratings
from sixprime.players.bot import Asked
from sixprime.train import truth

PLAY = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:1:0:10"
CUBE = "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:3:2:0:5:10"
POSITION = Position.start()


def row(xgid: str = PLAY, **changes: object) -> dict[str, object]:
    plays = {str(play): play.result.id for play in POSITION.plays((3, 1))}
    alternatives: list[object] = [
        ["8/5 6/5", plays["8/5 6/5"], 0.16, 0.004, 0.0, 0.0, 1296],
        ["24/23 13/10", plays["24/23 13/10"], -0.01, 0.005, 0.17, 0.006, 1296],
    ]
    if xgid == CUBE:
        alternatives = [
            ["No double", None, 0.1, 0.01, 0.0, 0.0, 1296],
            ["Double, take", None, 0.04, 0.01, 0.06, 0.008, 1296],
        ]
    return {"xgid": xgid, "plan": "mixed", "source": "self-play", "alternatives": alternatives, "rest": 0.05} | changes


def file(folder: Path, *rows: object) -> Path:
    path = folder / "truth.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in rows), encoding="utf-8")
    return path


class Chooser:
    """Makes the play whose text it was given; doubles and takes as told."""

    name = identity = "chooser"
    room, waits = 2, False

    def __init__(self, play: str, double: bool = False, take: bool = True) -> None:
        self.play, self.double, self.take = play, double, take

    def plays(self, asked: Asked, dice: np.ndarray) -> np.ndarray:
        boards = kernels.unpack(asked.boards)
        after = []
        for board, roll in zip(boards, dice, strict=True):
            legal = Position.from_board(board).plays((int(roll[0]), int(roll[1])))
            after.append(next(play.result.board for play in legal if str(play) == self.play))
        return kernels.pack(np.stack(after))

    def doubles(self, asked: Asked) -> np.ndarray:
        return np.full(len(asked.boards), self.double)

    def takes(self, asked: Asked) -> np.ndarray:
        return np.full(len(asked.boards), self.take)

    def check(self, state: object) -> None: ...

    def close(self) -> None: ...


@pytest.mark.parametrize(
    ("play", "loss", "known"), [("8/5 6/5", 0, True), ("24/23 13/10", 0.17, True), ("13/9", 0.05, False)]
)
def test_plays_are_charged_by_their_rollouts_and_others_by_the_search(
    tmp_path: Path, play: str, loss: float, known: bool
) -> None:
    rows = truth.read_rows(file(tmp_path, row(), row(), row()))
    charges = truth.charge(Chooser(play), rows)
    assert [(each.kind, each.loss, each.known) for each in charges] == [("play", loss, known)] * 3
    assert truth.loss_of(charges) == truth.Loss(3, pytest.approx(1000 * loss), 0.0, 3 * (loss > 0), 3 * (not known))


@pytest.mark.parametrize(
    ("keep", "take", "double", "takes", "lost"),
    [
        (0.6, 0.8, True, True, {"double": 0.0, "take": 0.0}),
        (0.6, 0.8, False, False, {"double": 0.2, "take": 0.2}),
        (0.9, 1.1, True, True, {"double": 0.0, "take": 0.1}),
        (1.05, 1.2, True, False, {"double": 0.05, "take": 0.0}),
        (0.1, 0.04, False, True, {"double": 0.0}),
        (0.3, 0.9, False, False, {"take": 0.1}),
    ],
)
def test_cubes_are_charged_for_each_close_question(
    keep: float, take: float, double: bool, takes: bool, lost: dict[str, float], tmp_path: Path
) -> None:
    numbers = [["No double", None, keep, 0.01, 0, 0, 36], ["Double, take", None, take, 0.01, 0, 0, 36]]
    rows = truth.read_rows(file(tmp_path, row(CUBE, alternatives=numbers)))
    charges = truth.charge(Chooser("", double, takes), rows)
    assert {each.kind: each.loss for each in charges} == pytest.approx(lost)


@pytest.mark.parametrize(
    ("xgid", "score"),
    [
        ("0:0:1:00:0:0:1:0:10", "money, Jacoby"),
        ("0:0:1:00:0:0:0:0:10", "money"),
        ("1:1:1:00:0:0:1:0:10", "money, cube owned"),
        ("1:-1:1:00:0:0:1:0:10", "money, cube theirs"),
        ("0:0:1:00:4:4:0:5:10", "DMP"),
        ("0:0:1:00:4:2:1:5:10", "gammon-save"),
        ("0:0:1:00:2:4:1:5:10", "gammon-go"),
        ("0:0:1:00:2:4:0:5:10", "post-Crawford"),
        ("1:1:1:00:2:3:0:7:10", "match, cube owned"),
        ("0:0:-1:00:2:3:0:7:10", "match"),
    ],
)
def test_scores_are_named(xgid: str, score: str) -> None:
    assert truth.score_of(parse(f"XGID=-b----E-C---eE---c-e----B-:{xgid}").state) == score


def test_losses_have_parts(tmp_path: Path) -> None:
    rows = truth.read_rows(file(tmp_path, row(), row(plan="prime"), row(CUBE)))
    found = truth.losses(truth.charge(Chooser("24/23 13/10", double=True), rows))
    assert list(found) == ["play", "play, mixed", "play, prime", "play, money, Jacoby", "double", "double, match"]
    assert (found["play"].count, found["play, prime"].mean, found["double"].mean) == (2, 170, pytest.approx(60))
    text = truth.table({"somebody": found}, groups=False)
    assert text == [["decisions", "", "somebody"], ["play", "2", "170.00 ± 0.00"], ["double", "1", "60.00"]]


@pytest.mark.parametrize(
    "broken",
    [
        {"xgid": "XGID=nonsense"},
        {"xgid": 5},
        {"alternatives": []},
        {"alternatives": [["a", "b"]] * 2},
        {"alternatives": [["8/5 6/5", "nonsense", 0, 0, 0, 0, 1]] * 2},
        {"alternatives": [["8/5 6/5", None, 0, 0, 0, 0, 1]] * 2},
        {"alternatives": [["8/5 6/5", "4HPwATDgc/ABMA", "much", 0, 0, 0, 1]] * 2},
        {"rest": "much"},
        {"again": 3},
    ],
)
def test_rows_that_are_none_are_named_with_their_line(tmp_path: Path, broken: dict[str, object]) -> None:
    with pytest.raises(InvalidFileError, match=r":2: no rolled-out decision"):
        truth.read_rows(file(tmp_path, row(), row(**broken)))


def test_files_without_rows_are_refused(tmp_path: Path) -> None:
    (tmp_path / "bad.jsonl").write_text("# Not JSON\n", encoding="utf-8")
    with pytest.raises(InvalidFileError, match="the line is not JSON"):
        truth.read_rows(tmp_path / "bad.jsonl")
    for path in (file(tmp_path), tmp_path / "none", tmp_path / "bad.jsonl"):
        with pytest.raises(InvalidFileError):
            truth.read_rows(path)


def test_ratings_are_those_behind_the_duels() -> None:
    true = np.array([0.03, -0.01, 0.0, -0.02])
    duels = {(0, 1): (0.04, 0.01), (2, 1): (0.01, 0.02), (3, 2): (-0.02, 0.005), (0, 3): (0.05, 0.01)}
    values, covariance = ratings(4, duels)
    assert values == pytest.approx(true)
    assert covariance.sum(axis=0) == pytest.approx(np.zeros(4), abs=1e-9)
    pair, _ = ratings(2, {(0, 1): (0.1, 0.01)})
    assert pair == pytest.approx([0.05, -0.05])


def test_the_error_of_a_difference_of_ratings_is_that_of_the_duel() -> None:
    _, covariance = ratings(2, {(0, 1): (0.1, 0.01)})
    assert math.sqrt(covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1]) == pytest.approx(0.01)


def test_players_that_play_alike_have_one_rating() -> None:
    alike = {(0, 1): (0.0, 0.0), (0, 2): (0.1, 0.01), (1, 2): (0.1, 0.01)}
    values, covariance = ratings(3, alike)
    assert values == pytest.approx([1 / 30, 1 / 30, -2 / 30])
    errors = [covariance[i, i] + covariance[j, j] - 2 * covariance[i, j] for i, j in alike]
    # Of 0 and 2 there are two duels that say the same, by way of 1 as well.
    assert np.sqrt(np.abs(errors)) == pytest.approx([0, 0.01 / math.sqrt(2), 0.01 / math.sqrt(2)], abs=2e-5)
    assert ratings(2, {(0, 1): (0.0, 0.0)})[0] == pytest.approx([0, 0])


def test_players_that_nothing_links_have_no_ratings() -> None:
    with pytest.raises(SettingsError, match="link"):
        ratings(4, {(0, 1): (0.1, 0.01), (2, 3): (0.1, 0.01)})


def test_bench_charges_players(tmp_path: Path, sixprime) -> None:
    path = file(tmp_path, *[row()] * 2, row(CUBE))
    told = json.loads(sixprime("bench", "--truth", str(path), "--player", "standard@0", "--json").out)
    assert told["decisions"] == 3
    assert told["players"]["standard@0"]["play"] | {"error": 0} == {
        "count": 2, "mean": 0.0, "error": 0, "wrong": 0, "unknown": 0,
    }  # fmt: skip
    assert "play, mixed" in sixprime("bench", "--truth", str(path), "--player", "standard@0", "--groups").out


@pytest.mark.parametrize("words", [["--player", "standard"], ["--groups"], ["--truth", "x", "--strength"]])
def test_options_that_go_with_others_say_so(sixprime, words: list[str]) -> None:
    assert sixprime("bench", *words).status == 2


@pytest.mark.parametrize("name", ["truth", "bear-in", "nackgammon"])
def test_the_rows_that_ship_are_sound(name: str) -> None:
    rows = truth.read_rows(Path(__file__).parent / "data" / f"{name}.jsonl")
    for each in rows:
        if name == "bear-in":
            # All own chequers on this side of the board, one of the other side's behind one of them.
            own, other = (
                max(point for point, count in enumerate(side, 1) if count)
                for side in (each.position.player, each.position.opponent)
            )
            assert each.plan == "bear-in"
            assert own <= 12 < 25 - own < other
        assert min(one.loss for one in each.alternatives) == 0
        for one in each.alternatives:
            if each.dice:
                legal = {play.result.id for play in each.position.plays(each.dice)}
                assert one.result in legal
