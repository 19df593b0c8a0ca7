"""How the scripts of `benchmarks/` begin and end; what they measure is looked at by hand."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from sixprime.errors import SettingsError

BENCHMARKS = Path(__file__).parent.parent / "benchmarks"


@pytest.mark.parametrize(
    ("line", "status", "said"),
    [
        ("board.py --help", 0, "usage: board.py"),
        ("ubgi_peer.py --help", 0, "usage: ubgi_peer.py"),
        ("ubgi_peer.py nobody", 2, "invalid choice: 'nobody'"),
        ("arena.py {} nope small", 1, "Cannot read the network file nope"),
        ("nets.py small --matches {}/nowhere", 2, "there is no folder {}/nowhere"),
        ("frontier.py {}/nowhere", 2, "there is no folder {}/nowhere"),
        ("agreement.py {}/nowhere", 2, "there is no folder {}/nowhere"),
    ],
)
def test_scripts_say_what_is_wrong(tmp_path: Path, line: str, status: int, said: str) -> None:
    script, *words = line.format(tmp_path).split()
    command = [sys.executable, str(BENCHMARKS / script), *words]
    found = subprocess.run(command, capture_output=True, text=True, timeout=100)
    assert found.returncode == status
    assert said.format(tmp_path) in found.stdout + found.stderr
    assert "Traceback" not in found.stderr


def _raising(error: BaseException) -> Callable[[], None]:
    def main() -> None:
        raise error

    return main


def test_scripts_end_with_a_line() -> None:
    spec = importlib.util.spec_from_file_location("_main", BENCHMARKS / "_main.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for error, status in (
        (KeyboardInterrupt(), "stopped"),
        (SettingsError("no such level"), "no such level"),
        (FileNotFoundError(2, "no such file", "x"), "[Errno 2] no such file: 'x'"),
        (SystemExit(3), 3),
    ):
        with pytest.raises(SystemExit) as ended:
            module.run(_raising(error))
        assert ended.value.code == status
    with pytest.raises(ZeroDivisionError):
        module.run(_raising(ZeroDivisionError()))
    for path in BENCHMARKS.glob("[a-z]*.py"):
        assert path.read_text(encoding="utf-8").endswith('\nif __name__ == "__main__":\n    _main.run(main)\n'), path
