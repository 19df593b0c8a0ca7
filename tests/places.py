"""Where a process of its own keeps things, and what it says before them."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

COMPILING = "Compiling the kernels; this happens once and takes up to a minute.\n"
"""What whoever needs kernels first says, which is anybody on a machine where the tests have not been run."""


def places(home: Path) -> dict[str, str]:
    """The variables by which a process keeps everything in a folder, but for the databases: building takes seconds."""
    if given := os.environ.get("SIXPRIME_DATA"):
        built = Path(given) / "bearoff"
        built.mkdir(parents=True, exist_ok=True)
        # Where links are not allowed they are built once more.
        with suppress(OSError):
            (home / "bearoff").symlink_to(built, target_is_directory=True)
    return {"SIXPRIME_DATA": str(home), "SIXPRIME_CONFIG": str(home / "settings")}
