"""Where network files are: those that ship with the package are known by name. Needs no Numba."""

from __future__ import annotations

from pathlib import Path

from sixprime import reading
from sixprime.errors import DataFileError

SHIPPED = Path(__file__).parent / "data"
"""Folder of the nets that ship with the package, each known by its name."""


def names() -> tuple[str, ...]:
    """The nets that ship and can be asked for by name."""
    return tuple(sorted({found.stem for found in SHIPPED.glob("*.safetensors")} - {"race"}))


def path_of(net: Path | str) -> Path:
    """The file of a net that ships ("small", "standard"), else the path as given.

    Raises DataFileError when there is no such file.
    """
    named, given = SHIPPED / f"{net}.safetensors", Path(net)
    path = named if named.parent == SHIPPED and named.is_file() and not given.is_file() else given
    try:
        with reading.opened(path, reading.NET):
            return path
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        known = ", ".join(names())
        raise DataFileError(f"Cannot read the network file {path}: {why}; the package has the nets {known}.") from error
