"""Standard streams that cannot be written to cost no result: files are written, and one line or none is said."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import pytest

from sixprime.cli import bench, main
from sixprime.engine import signature
from sixprime.paths import sample_match

MATCH = "MATCH"
"""Stands for the file of `a_match`."""
START = "4HPwATDgc/ABMA"
RACE = "Xes6AABuuzUAAA"
QUICK = ("--trials", "36", "--truncate", "2", "--threads", "1")
COMMANDS = [
    ("--help",),
    ("--version",),
    ("analyse", MATCH, "--plies", "0"),
    ("analyse", MATCH, "--plies", "0", "--json"),
    ("bearoff", "build", "3x2"),
    ("bearoff", "list"),
    ("bearoff", "list", "--sizes", "--json"),
    ("bearoff", "show", "CgAAEAEAAAAAAA"),
    ("bench", "--seconds", "0.001"),
    ("convert", "--formats"),
    ("convert", MATCH, "--to", "mat"),
    ("cube", START, "--plies", "0"),
    ("doctor",),
    ("duel", "standard", "standard", "--pairs", "1"),
    ("eval", START, "--plies", "0"),
    ("hint", START, "31", "--plies", "0", "--json"),
    ("met", "--list"),
    ("race", RACE, "--plies", "0"),
    ("rating", "1650", "1800", "7"),
    ("rollout", START, *QUICK),
]
# Command, and where it writes a file, too.
WRITERS = [
    (("analyse", MATCH, "--plies", "0", "--html"), "report.html"),
    (("analyse", MATCH, "--plies", "0", "--json", "--html"), "report.html"),
    (("bearoff", "build", "3x2", "--gnubg"), "os.bd"),
    (("bearoff", "export", "3x2", "--to"), "os.bd"),
    (("convert", MATCH), "match.sgf"),
    (("convert", "--json", MATCH), "match.sgf"),
    (("cube", START, "--plies", "0", "--svg"), "cube.svg"),
    (("duel", "standard", "standard", "--pairs", "1", "--state"), "duel.json"),
    (("met", "woolsey", "--xml"), "met.xml"),
    (("rollout", START, *QUICK, "--save"), "rollout.npz"),
]


@pytest.fixture(scope="module")
def a_match(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One short game."""
    path = tmp_path_factory.mktemp("match") / "one.mat"
    path.write_text(sample_match().read_text(encoding="utf-8").split(" Game 2")[0], encoding="utf-8")
    return path


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without what takes long and says the same."""
    speeds = dict.fromkeys(bench._LABELS, 1.0) | {"threads": 1}
    monkeypatch.setattr(bench, "measure", lambda *_: speeds)
    monkeypatch.setattr(signature, "signature", lambda _: "none")


@pytest.fixture
def run(a_match: Path):
    """Runs the command line in this process; its exit status."""

    def run(arguments: tuple[str, ...]) -> int:
        with pytest.raises(SystemExit) as ended:
            main([str(a_match) if word == MATCH else word for word in arguments])
        return int(ended.value.code or 0)

    return run


@pytest.fixture(params=["full", "gone", "closed"])
def broken(request: pytest.FixtureRequest) -> Iterator[tuple[str, IO[str] | None]]:
    """Standard output on a full disk, with a reader that went away, or closed."""
    if request.param == "closed":
        yield "closed", None
        return
    if request.param == "full":
        if not os.path.exists("/dev/full"):
            pytest.skip("there is no /dev/full")
        stream = os.fdopen(os.open("/dev/full", os.O_WRONLY), "w", encoding="utf-8")
    else:
        reader, writer = os.pipe()
        os.close(reader)
        stream = os.fdopen(writer, "w", encoding="utf-8")
    with stream:
        yield request.param, stream


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_standard_output(
    run, command, broken, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    kind, stream = broken
    monkeypatch.setattr(sys, "stdout", stream)
    status = run(command)
    said = [line for line in capfd.readouterr().err.splitlines() if line.startswith("sixprime: ")]
    expected = {"full": (1, ["sixprime: standard output: No space left on device"]), "gone": (1, []), "closed": (0, [])}
    assert (status, said) == expected[kind]


@pytest.mark.parametrize(("command", "name"), WRITERS, ids=lambda value: "" if isinstance(value, str) else value[0])
def test_files_are_written_first(
    run, command, name: str, broken, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdout", broken[1])
    run((*command, str(tmp_path / name)))
    assert (tmp_path / name).stat().st_size > 0
    assert "Errno" not in capfd.readouterr().err


def test_all_reports_are_written_whoever_reads(
    run, a_match: Path, broken, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a.mat", "b.mat"):
        (tmp_path / name).write_bytes(a_match.read_bytes())
    monkeypatch.setattr(sys, "stdout", broken[1])
    files = str(tmp_path / "a.mat"), str(tmp_path / "b.mat")
    run(("analyse", *files, "--plies", "0", "--html", str(tmp_path / "out")))
    reports = ["a.html", "a.sixprime", "b.html", "b.sixprime", "index.html"]
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == reports
    run(("convert", *files, str(tmp_path / "sgf") + "/", "--to", "sgf", "--json"))
    assert sorted(path.name for path in (tmp_path / "sgf").iterdir()) == ["a.sgf", "b.sgf"]


@pytest.mark.parametrize(
    "command",
    [
        ("analyse", MATCH, "--plies", "0"),
        ("bearoff", "build", "3x2"),
        ("convert", MATCH, "--to", "sgf"),
        ("duel", "standard", "standard", "--pairs", "1"),
        ("eval", "nonsense"),
        ("rollout", START, *QUICK),
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("broken", ["full", "closed"], indirect=True)
def test_standard_error(
    run, command, broken, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """It may be closed or full: the result and the status are the same."""
    monkeypatch.setattr(sys, "stderr", broken[1])
    wrong = command[-1] == "nonsense"
    assert run(command) == int(wrong)
    assert bool(capfd.readouterr().out) != wrong


@pytest.mark.parametrize(
    ("command", "name"),
    [writer for writer in WRITERS if writer[0][0] in ("analyse", "cube", "rollout")],
    ids=lambda value: "" if isinstance(value, str) else value[0],
)
def test_a_file_that_cannot_be_written_costs_no_result(
    run, command, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(Path, "replace", lambda *_: full())
    assert run((*command, str(tmp_path / name))) == 1
    out, err = capfd.readouterr()
    assert out
    assert f"sixprime: {tmp_path / name}: No space left on device" in err.splitlines()
    assert list(tmp_path.iterdir()) == []


def full() -> None:
    raise OSError(28, "No space left on device")


@pytest.mark.skipif(sys.platform == "win32", reason="shells differ")
@pytest.mark.parametrize(
    ("redirection", "status", "said"),
    [
        (">&-", 0, ""),
        ("2>&-", 0, ""),
        (">&- 2>&- <&-", 0, ""),
        (">/dev/full", 1, "sixprime: standard output: No space left on device\n"),
        (">/dev/full 2>/dev/full", 1, ""),
    ],
)
def test_as_a_shell_starts_it(redirection: str, status: int, said: str) -> None:
    """Until the very end of the process, which writes what is left in the buffers."""
    command = f'"{sys.executable}" -m sixprime met --list {redirection}'
    result = subprocess.run(["sh", "-c", command], capture_output=True, text=True, timeout=60)
    assert (result.returncode, result.stderr) == (status, said)
