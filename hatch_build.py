"""Puts kernels compiled beforehand into a wheel, if there are any of these sources: docs/packaging.md."""

from __future__ import annotations

import importlib.util
import platform
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

FOLDER = "src/sixprime/kernels"


class Kernels(BuildHookInterface):  # type: ignore[type-arg, misc]
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        spec = importlib.util.spec_from_file_location("_shipped", Path(self.root, FOLDER, "_shipped.py"))
        assert spec is not None
        assert spec.loader is not None
        shipped = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(shipped)
        files = shipped.read_manifest(shipped.FOLDER).values()
        if version == "editable" or not files:
            return
        if any(file.sources != shipped.digest(shipped.module_of(file.group)).hex() for file in files):
            self.app.display_warning(f"{shipped.FOLDER} is of other sources and left out; build the kernels again")
            return
        system = sysconfig.get_platform().replace("universal2", platform.machine())
        build_data["artifacts"].append(f"/{FOLDER}/compiled/*")
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{system.replace('-', '_').replace('.', '_')}"
