"""Golden answers of the commands: every number and word that a user sees of positions, rollouts, races and tables."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from golden import check_text

from sixprime.cli import main

DATA = Path(__file__).parent / "data"
START = "4HPwATDgc/ABMA"
MATCH = f"{START}:cAkWAAAAAAAA"
RACE = "Xes6AABuuzUAAA"
ENDING = "sgMAgNYNAAAAAA"
COMMANDS = {
    "hint": f"hint {START} --dice 64 --plies 1",
    "hint count": f"hint {MATCH} --dice 21 --plies 0 --count 30",
    "hint json": f"hint {MATCH} --dice 66 --plies 0 --json",
    "eval": f"eval {START} --plies 1",
    "eval match": f"eval {MATCH} --plies 0",
    "eval ending": f"eval {ENDING} --plies 0",
    "eval json": f"eval {MATCH} --plies 0 --json",
    "cube": f"cube {START} --plies 0",
    "cube match": f"cube {MATCH} --plies 0",
    "cube json": f"cube {MATCH} --plies 0 --json",
    "race": f"race {RACE} --plies 0",
    "race ending": f"race {ENDING}",
    "race json": f"race {RACE} --plies 0 --json",
    "rollout": f"rollout {START} --trials 36 --truncate 4 --statistics",
    "rollout cube": f"rollout {MATCH} --cube --trials 36 --statistics",
    "rollout plays": f"rollout {START} --dice 31 --count 3 --trials 36 --truncate 4",
    "rollout weak": f"rollout {START} --trials 36 --truncate 3 --noise 0.05 --opponent-noise 0.1 --branches 64",
    "rollout json": f"rollout {MATCH} --trials 36 --truncate 4 --json",
    "met": "met",
    "met json": "met --json",
    "met other": "met zadeh --size 5",
    "bearoff none": "bearoff list --json",
    "bearoff show": f"bearoff show {ENDING}",
    "bearoff show json": f"bearoff show {ENDING} --json",
    "convert formats": "convert --formats",
    "convert": "convert analysed.sgf out.mat",
    "convert json": "convert all_cells.mat out.sgf --json",
    "positions": "analyse decisions.xgid --plies 0",
    "cells": "analyse all_cells.mat --plies 0",
}


@pytest.mark.parametrize("name", COMMANDS)
def test_commands(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    for path in ("sgf/analysed.sgf", "mat/all_cells.mat", "positions/decisions.xgid"):
        shutil.copy(DATA / path, tmp_path)
    monkeypatch.setenv("SIXPRIME_DATA", str(tmp_path / "data"))
    with pytest.raises(SystemExit) as ended:
        main(COMMANDS[name].split())
    out, err = capfd.readouterr()
    assert not ended.value.code
    text = f"{out}\n{err}"
    # What depends on the clock, the machine and the release.
    text = re.sub(r'"seconds": [\d.e-]+|[\d.,]+ (m?s|min|seconds)\b|.*(Compiling|warm).*\n', "", text)
    check_text("commands", name, text.replace(str(tmp_path), ""))
