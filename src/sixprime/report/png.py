"""Pictures as PNG: the SVG drawings of this package rendered by resvg, which the extra `png` installs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sixprime.errors import SettingsError
from sixprime.paths import write
from sixprime.report.chart import in_colours

SUFFIXES = (".svg", ".png")


def to_png(drawing: str, *, width: int | None = None) -> bytes:
    """A drawing as a PNG file, a chart in its light colours; width: in pixels, None as the drawing says.

    Boards need a theme of their own: those without follow a browser's colours. Texts
    are set in the fonts of this machine; without any they are left out. Raises SettingsError without resvg.
    """
    return bytes(_resvg().svg_to_bytes(svg_string=in_colours(drawing), width=width))


def write_picture(target: Path, drawing: str, *, width: int | None = None) -> None:
    """Writes a drawing as SVG or, to a name that ends in `.png`, as PNG; width: of the PNG, in pixels.

    Raises SettingsError for another suffix and where resvg is missing, OSError when the file cannot be written.
    """
    check_suffix(target)
    write(target, to_png(drawing, width=width) if target.suffix.lower() == ".png" else drawing)


def check_suffix(target: Path) -> None:
    """Raises SettingsError when no picture could be written to such a file: before the work that draws it."""
    suffix = target.suffix.lower()
    if suffix not in SUFFIXES:
        raise SettingsError(f"a picture must be a file that ends in .svg or .png. Got {str(target)!r} instead.")
    if suffix == ".png":
        _resvg()


def _resvg() -> Any:
    try:
        import resvg_py
    except ImportError:
        raise SettingsError("PNG needs the extra: pip install 'sixprime[png]'") from None
    return resvg_py
