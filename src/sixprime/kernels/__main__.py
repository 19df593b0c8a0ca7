"""`python -m sixprime.kernels compile [GROUP...]`: compiles groups of entries, all by default, and keeps them.

`python -m sixprime.kernels build [--cpu BASELINE] [--out FOLDER]`: compiles all groups for any processor that can do
what a baseline asks for. A wheel carries what is in the default folder (`_shipped`).
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from contextlib import suppress
from functools import partial
from pathlib import Path

from sixprime.errors import SettingsError, SixprimeError
from sixprime.kernels import _objects, _shipped
from sixprime.kernels._jit import ENTRIES


def main(arguments: list[str]) -> int:
    defaults = [name for name, baseline in _shipped.BASELINES.items() if _is_here(baseline)]
    parser = argparse.ArgumentParser(prog="python -m sixprime.kernels", description="Compile the kernels.")
    commands = parser.add_subparsers(dest="command", required=True)
    compiling = commands.add_parser("compile", help="for this processor, into the user's cache")
    compiling.add_argument("groups", nargs="*", metavar="GROUP", help="named after a module; by default all")
    building = commands.add_parser("build", help="for a wheel")
    building.add_argument("--cpu", choices=list(_shipped.BASELINES), default=defaults[0] if defaults else None)
    building.add_argument("--out", type=Path, default=_shipped.FOLDER, help="a folder; by default that in the package")
    given = parser.parse_args(arguments)
    # Whoever sets this means other kernels: ours cannot do without Numba, which reads it when it is imported.
    os.environ.pop("NUMBA_DISABLE_JIT", None)
    if given.command == "compile":
        if unknown := [name for name in given.groups if not _has_entries(_shipped.module_of(name))]:
            compiling.error(f"no group of kernels {unknown[0]!r}: choose from {', '.join(groups())}")
        return _compile(given.groups or groups())
    try:
        build(given.cpu, given.out)
    except (SixprimeError, OSError) as error:
        print(f"sixprime.kernels: {error}", file=sys.stderr)
        return 1
    return 0


def groups() -> list[str]:
    """Every group of entries of the package."""
    for path in sorted(_shipped.PACKAGE.rglob("*.py")):
        if _has_entries(path):
            inside = path.relative_to(_shipped.PACKAGE.parent).with_suffix("")
            importlib.import_module(".".join(inside.parts))
    return sorted(ENTRIES)


def _has_entries(path: Path) -> bool:
    return path.is_file() and b"\n@entry(" in path.read_bytes()


def _compile(names: list[str]) -> int:
    for group in names:
        place = _objects.place_of(group)
        if place is None:
            return 1
        _objects.keep_compiled(place, partial(_compiled, group))
        _say("kept", group)
    return 0


def _compiled(group: str) -> bytes:
    from sixprime.kernels import _numba

    code: bytes = _numba.compile_group(group, lambda progress: _say(progress.done, progress.total))
    return code


def _say(*words: object) -> None:
    # Who has asked may be gone; the next one will be glad of the result.
    with suppress(OSError):
        print(*words, flush=True)


# -- wheels ---------------------------------------------------------------------------------------


def build(cpu: str | None, folder: Path) -> None:
    """Compiles every group for a baseline into a folder, in place of what was there. Numba must not be imported yet."""
    if cpu is None or not _is_here(_shipped.BASELINES[cpu]):
        found = f"{sys.platform} on {_shipped.machine()}"
        raise SettingsError(f"{cpu or 'No baseline'} cannot be compiled for here: this is {found}.")
    # Without features of its own Numba would add those of this processor. Intel's library is not everywhere.
    os.environ |= {"NUMBA_CPU_NAME": cpu, "NUMBA_CPU_FEATURES": "", "NUMBA_DISABLE_INTEL_SVML": "1"}
    from sixprime.kernels import _numba

    folder.mkdir(parents=True, exist_ok=True)
    for old in (folder / _shipped.MANIFEST, *folder.glob("*.so"), *folder.glob("*.o")):
        old.unlink(missing_ok=True)
    files = {}
    for group in groups():
        code = _numba.compile_group(group)
        library = _objects.linked(code)
        content = code if library is None else library
        _check_paths(group, content)
        name = f"{group.removeprefix('sixprime.')}-{cpu}{'.o' if library is None else '.so'}"
        (folder / name).write_bytes(content)
        files[name] = _shipped.File(
            group,
            _shipped.digest(_shipped.module_of(group)).hex(),
            sys.platform,
            _shipped.machine(),
            cpu,
            _shipped.BASELINES[cpu].needs,
            _shipped.sha256(content),
        )
        print(f"{name:<45}{len(content) / 1e3:8.1f} kB", flush=True)
    _shipped.write_manifest(folder, files)


def _is_here(baseline: _shipped.Baseline) -> bool:
    return baseline.machine == _shipped.machine() and baseline.system in (None, sys.platform)


def _check_paths(group: str, content: bytes) -> None:
    for path in {_shipped.PACKAGE.parent, Path(sys.prefix), Path(sys.base_prefix), Path.home(), Path.cwd()}:
        if len(path.parts) > 1 and os.fsencode(path) in content:
            raise SettingsError(f"What {group} compiles to names {path}; no file of a wheel may.")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
