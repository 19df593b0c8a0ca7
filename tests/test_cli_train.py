"""`sixprime train` as users meet it, on stages that need no torch."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file

from sixprime.nets import file
from sixprime.train.pipeline import Run

RECIPE = """
name = "tiny"
seed = 1
[nets]
contact = {hidden = 8, rear = false, pairs = false}
race = {hidden = 4, rear = false, pairs = false}
pruner = {hidden = 4, rear = false, pairs = false}
[[stage]]
kind = "td"
positions = 2000
games = 64
rate = 0.01
[[stage]]
kind = "harvest"
positions = 300
games = 4
"""


@pytest.fixture(autouse=True)
def handlers() -> Iterator[None]:
    """The command takes the signals over; the tests want them back."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.fixture
def recipe(tmp_path: Path) -> Path:
    path = tmp_path / "recipe.toml"
    path.write_text(RECIPE)
    return path


def test_a_run(sixprime, recipe: Path, tmp_path: Path) -> None:
    run, net = tmp_path / "run", tmp_path / "net.safetensors"
    status, out, err = sixprime("train", str(run), "--recipe", str(recipe), "--save", str(net))
    assert (status, out) == (0, "")
    *progress, saved, done = err.splitlines()
    assert (saved, done) == (f"Net: {net}", "Done.")
    assert progress[0].startswith("stage 1/2 td ")
    assert progress[-1].startswith("stage 2/2 harvest ")
    assert file.load(net).header["name"] == "tiny"
    assert sixprime("train", str(run), "--resume") == (0, "", "Done.\n")


def test_another_seed(sixprime, recipe: Path, tmp_path: Path) -> None:
    runs = [tmp_path / name for name in ("a", "b", "c")]
    for run, options in zip(runs, ((), ("--seed", "2"), ("--seed", "1")), strict=True):
        assert sixprime("train", str(run), "--recipe", str(recipe), "--threads", "1", *options).status == 0
    nets = [file.load(run / "net.safetensors") for run in runs]
    assert nets[0].checksum == nets[2].checksum != nets[1].checksum
    assert nets[1].header["seed"] == 2
    assert "seed = 2" in (runs[1] / "recipe.toml").read_text()
    status, _, err = sixprime("train", str(runs[0]), "--resume", "--seed", "3")
    assert (status, "--seed, --net and --lessons start a new run" in err) == (2, True)


def test_stopped_after_a_step_and_resumed(sixprime, recipe: Path, tmp_path: Path, monkeypatch) -> None:
    advance = Run.advance

    def interrupted(self: Run, report):
        found = advance(self, report)
        if not (tmp_path / "stopped").exists():
            (tmp_path / "stopped").touch()
            signal.raise_signal(signal.SIGINT)
        return found

    monkeypatch.setattr(Run, "advance", interrupted)
    status, _, err = sixprime("train", str(tmp_path / "run"), "--recipe", str(recipe))
    assert status == 0
    assert "Stopping after this step ..." in err
    assert err.splitlines()[-1] == f"Stopped; go on with: sixprime train {tmp_path / 'run'} --resume"
    status, _, err = sixprime("train", str(tmp_path / "run"), "--resume", "--save", str(tmp_path / "net"))
    assert (status, err.splitlines()[-1]) == (0, "Done.")
    sixprime("train", str(tmp_path / "whole"), "--recipe", str(recipe), "--save", str(tmp_path / "other"))
    resumed, whole = (load_file(tmp_path / name) for name in ("net", "other"))
    assert resumed.keys() == whole.keys()
    assert all(np.array_equal(resumed[name], whole[name]) for name in whole)


def test_races_want_torch(sixprime, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("sixprime.train.races", "sixprime.train.regress"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setitem(sys.modules, "torch", None)
    status, out, err = sixprime("train", str(tmp_path / "run"), "--races")
    assert (status, out) == (2, "")
    assert "fitting needs torch: pip install 'sixprime[train]'" in err
    assert sixprime("train", str(tmp_path / "run"), "--races", "--resume").status == 2


def test_fitting_without_torch_is_refused_before_anything_is_played(
    sixprime, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    code, out, err = sixprime("train", str(tmp_path / "run"), "--recipe", "hour")
    assert (code, out) == (2, "")
    assert "fitting needs torch: pip install" in err
    assert not (tmp_path / "run").exists()
