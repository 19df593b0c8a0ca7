"""Strength on rolled-out positions."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path

import pytest

from sixprime.engine import Engine
from sixprime.errors import DataFileError, InvalidFileError, SettingsError
from sixprime.progress import Progress
from sixprime.train import strength

ROLLOUTS = [
    {"id": "a", "set": "general", "posid": "4HPhASiYZ/ABMA", "equity": 0.20, "se": 0.0},
    {"id": "b", "set": "general", "posid": "4NvgICTYJvgIIg", "equity": -0.10, "se": 0.06},
    {"id": "c", "set": "bg_player", "posid": "2A44Bguw2+BECA", "equity": 0.5, "se": None},
]
CANDIDATES = [{"pos": "a", "eq": -0.20}, {"pos": "b", "eq": 0.10}, {"pos": "c", "eq": -0.5}]
DECISIONS = [{"cands": CANDIDATES}, {"cands": CANDIDATES[::2]}, {"cands": CANDIDATES[:1]}]


def probabilities(equity: float) -> tuple[float, float, float, float, float]:
    return (1 + equity) / 2, 0.0, 0.0, 0.0, 0.0


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, rows in (("rollouts", ROLLOUTS), ("decisions", DECISIONS)):
        (tmp_path / f"strength_{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return tmp_path


def test_scores_by_hand() -> None:
    predicted = {"a": probabilities(0.3), "b": probabilities(0.4), "c": probabilities(0.5)}
    sets = strength.errors(ROLLOUTS, predicted)
    # Squares .01 and .25, less half of .0036.
    assert sets["general"] == {"n": 2, "bias": pytest.approx(0.3), "rmse": pytest.approx(math.sqrt(0.13 - 0.0018))}
    assert sets["bg_player"]["rmse"] == pytest.approx(0)
    lost = strength.losses(DECISIONS[:2], predicted)
    # "a" is taken where "b" is best, then rightly before "c".
    assert lost == {"n": 2, "lost": pytest.approx(150), "lost_se": pytest.approx(150), "best": 0.5}


def test_rows_are_read_and_measured(folder: Path) -> None:
    rows = strength.read_rows(folder)
    assert (len(rows.rollouts), len(rows.decisions)) == (3, 2)
    thin = strength.read_rows(folder, every=2)
    assert len(thin.decisions) == 1
    assert len(thin.rollouts) == 3
    calls: list[Progress] = []
    engine = Engine(threads=1)
    score = strength.measure(engine, rows, 0, calls.append)
    assert calls == [Progress(3, 3, "positions")]
    assert score == strength.Score(
        0, score.sets, score.decisions, score.seconds, strength.measure(engine, rows, 0).predicted
    )
    assert strength.to_dict(score)["decisions"]["n"] == 2
    assert [row[1] for row in strength.table([score])] == ["set", "bg_player", "general", "decisions"]


def test_says_where_rows_are_looked_for(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SIXPRIME_REFDATA", raising=False)
    with pytest.raises(SettingsError, match=r"--data DIR or in SIXPRIME_REFDATA"):
        strength.folder_of_rows()
    monkeypatch.setenv("SIXPRIME_REFDATA", str(folder))
    assert strength.folder_of_rows() == folder
    (folder / "strength_decisions.jsonl").unlink()
    with pytest.raises(DataFileError, match=r"strength_decisions.jsonl is not in .*, the folder named by SIXPRIME"):
        strength.folder_of_rows()
    with pytest.raises(DataFileError, match=r"the folder named by --data"):
        strength.folder_of_rows(tmp_path / "nowhere")


@pytest.mark.parametrize("line", ["{", "[]", "5", '{"id": "a"}'])
def test_a_line_that_is_no_row_is_refused(folder: Path, line: str) -> None:
    (folder / "strength_rollouts.jsonl").write_text(json.dumps(ROLLOUTS[0]) + f"\n{line}\n")
    with pytest.raises(InvalidFileError, match=r"strength_rollouts\.jsonl:2: "):
        strength.read_rows(folder)


def test_shipped_net_on_the_reference_rows() -> None:
    data = os.environ.get("SIXPRIME_REFDATA")
    if not data or not (Path(data) / "strength_rollouts.jsonl").exists():
        pytest.skip("SIXPRIME_REFDATA is not set")
    score = strength.measure(Engine(threads=1), strength.read_rows(Path(data)), 0)
    assert score.decisions["n"] > 1000
    assert score.decisions["lost"] < 9
    assert score.sets["general"]["rmse"] < 0.08
