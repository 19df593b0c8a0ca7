"""What a wheel that carries its kernels gives: the first answer after it is installed, with nothing compiled.

Builds the kernels and a wheel with them, installs it in a new environment beside the packages of this one, and asks
there with empty folders of data and cache. Then the kernels are compiled for this very processor: the bear-off
databases must be the same to the last bit, the answers but for the order in which longer vectors are summed.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

import _main
import _measure

ROOT = Path(__file__).parent.parent
ID = "4HPwATDgc/ABMA"
HINT = ["hint", ID, "31", "--plies", "2"]
ASKED = [
    [*HINT, "--json"],
    ["hint", ID, "64", "--plies", "2", "--filter", "huge", "--json"],
    ["cube", "4HPMwQCMz+AIIQ", "--plies", "2", "--json"],
]
NEAR = 1e-6
"""How far numbers of the same answer may lie apart."""


def main() -> None:
    parser = _measure.options(__doc__, pairs=3, gnubg=False)
    parser.add_argument("--wheel", type=Path, help="one that is built already")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="sixprime-wheel-") as name:
        folder = Path(name)
        wheel = arguments.wheel or _build(folder)
        python = _install(wheel.resolve(), folder / "environment")
        first, again = [], []
        for turn in range(arguments.pairs):
            new = folder / f"new-{turn}"
            first.append(_time([python, "-m", "sixprime", *HINT], new))
            again.append(_time([python, "-m", "sixprime", *HINT], new))
        answers, databases = _answers(python, new)
        compiled = sorted(path.name for path in folder.glob("new-*/cache/kernels/*"))
        if compiled:
            sys.exit(f"kernels were compiled: {', '.join(compiled)}")
        native = folder / "native"
        _run([python, "-m", "sixprime.kernels", "compile"], native)
        native_answers, native_databases = _answers(python, native)
        apart = [_apart(*pair) for pair in zip(answers, native_answers, strict=True)]
        if native_databases != databases or max(apart) > NEAR:
            sys.exit(f"the kernels of the wheel answer otherwise than those compiled here, by up to {max(apart)}")
        results: dict[str, Any] = {
            "wheel_bytes": wheel.stat().st_size,
            "first": _summary(first),
            "again": _summary(again),
            "apart": apart,
        }
        rows = [["hint --plies 2", "wall, best", "wall, median", "CPU, median"]]
        for label, said in (("first", results["first"]), ("again", results["again"])):
            rows.append([label, *(f"{seconds:.2f} s" for seconds in said.values())])
        title = f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB. Nothing was compiled. From kernels compiled here "
        title += f"answers differ by {apart[0]:.1g} (the hint) to {max(apart):.1g}, databases not at all."
    _measure.show(results, arguments.json, title, rows)


def _build(folder: Path) -> Path:
    subprocess.run([sys.executable, "-m", "sixprime.kernels", "build"], check=True, stdout=sys.stderr)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q"]
    subprocess.run([*pip, "wheel", "--no-deps", "-w", str(folder), str(ROOT)], check=True)
    [wheel] = folder.glob("*.whl")
    return wheel


def _install(wheel: Path, environment: Path) -> str:
    """A new environment with the wheel; what else is installed here is found there, after it. Returns its Python."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(environment)], check=True)
    scripts = environment / ("Scripts" if sys.platform == "win32" else "bin")
    python = str(scripts / ("python.exe" if sys.platform == "win32" else "python"))
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q", "--python", python]
    subprocess.run([*pip, "install", "--no-deps", str(wheel)], check=True)
    asked = "import sysconfig; print(sysconfig.get_path('purelib'))"
    packages = Path(subprocess.run([python, "-c", asked], check=True, capture_output=True, text=True).stdout.strip())
    packages.joinpath("beside.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return python


def _environment(folder: Path) -> dict[str, str]:
    """Folders of its own, and no sources but those of the wheel."""
    kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")}
    for name in ("data", "cache"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    return {**kept, "SIXPRIME_DATA": str(folder / "data"), "SIXPRIME_CACHE": str(folder / "cache")}


def _run(command: list[str], folder: Path) -> bytes:
    environment = _environment(folder)
    return subprocess.run(command, env=environment, cwd=folder, check=True, stdout=subprocess.PIPE).stdout


def _time(command: list[str], folder: Path) -> tuple[float, float]:
    """Seconds on the clock and of the processor."""
    environment = _environment(folder)
    start = time.perf_counter()
    process = subprocess.Popen(command, env=environment, cwd=folder, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{' '.join(command)} ended with {process.returncode}")
    return wall, usage.ru_utime + usage.ru_stime


def _answers(python: str, folder: Path) -> tuple[list[Any], dict[str, bytes]]:
    said = [json.loads(_run([python, "-m", "sixprime", *command], folder)) for command in ASKED]
    return said, {path.name: path.read_bytes() for path in sorted(folder.glob("data/bearoff/*.bearoff"))}


def _apart(one: Any, other: Any) -> float:
    """The largest difference between numbers of two answers; infinite where they differ otherwise."""
    if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        return max((_apart(one[key], other[key]) for key in one), default=0.0)
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        return max(map(_apart, one, other), default=0.0)
    if isinstance(one, float) and isinstance(other, float):
        return abs(one - other)
    return 0.0 if one == other else float("inf")


def _summary(times: list[tuple[float, float]]) -> dict[str, float]:
    walls, processor = zip(*times, strict=True)
    return {"wall_best_seconds": min(walls), "wall_seconds": median(walls), "cpu_seconds": median(processor)}


if __name__ == "__main__":
    _main.run(main)
