"""Puts a changed source in place of one module, in every process with this as `sitecustomize`; see `mutants.py`.

There, and here, it also counts the lines that run for a test.
"""

from __future__ import annotations

import os
import sys
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType

HOOK = "MUTANT_SOURCE"
"""Environment variable: module=file with its text."""
MEASURED = "MUTANT_COVERAGE"
"""Environment variable: file of coverage.py=name of the test."""


class _Loader(SourceFileLoader):
    text = b""

    def get_code(self, fullname: str) -> CodeType:
        return compile(self.text, self.path, "exec", dont_inherit=True)


class _Finder(MetaPathFinder):
    """Finds the module where it lies, so that caches and data are found as ever, but loads the other text."""

    def __init__(self, module: str, text: bytes) -> None:
        self.module, self.text = module, text

    def find_spec(self, name: str, path: object = None, _: object = None) -> ModuleSpec | None:
        spec = PathFinder.find_spec(name, path) if name == self.module else None  # type: ignore[arg-type]
        if spec is not None and spec.origin:
            spec.loader = _Loader(name, spec.origin)
            spec.loader.text = self.text
        return spec


def install() -> None:
    module, _, text = os.environ[HOOK].partition("=")
    sys.meta_path.insert(0, _Finder(module, Path(text).read_bytes()))


if __name__ == "sitecustomize":
    if os.environ.get(HOOK):
        install()
    if os.environ.get(MEASURED):
        import coverage

        data, _, context = os.environ[MEASURED].partition("=")
        source = [part for part in sys.path if Path(part, "sixprime").is_dir()][:1]
        meter = coverage.Coverage(data, True, source=source, context=context, config_file=False)
        meter._auto_save, meter._warn_no_data = True, False
        meter.start()
