"""How scripts end: with a line where something cannot be done, or was stopped."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn


def run(main: Callable[[], object]) -> NoReturn:
    """Runs the main function of a script and ends the process with the status that it returns."""
    try:
        sys.exit(main())  # type: ignore[arg-type]
    except KeyboardInterrupt:
        sys.exit("stopped")
    except Exception as error:
        from sixprime import SixprimeError

        if not isinstance(error, (SixprimeError, OSError)):
            raise
        sys.exit(str(error))


def folder(name: str) -> Path:
    """The type of an argument: a folder that is there."""
    if not (path := Path(name)).is_dir():
        raise argparse.ArgumentTypeError(f"there is no folder {name}")
    return path
