"""Boards as pictures in terminals that can show them: kitty's protocol, iTerm2's and sixels.

The environment says what the terminal can; SIXPRIME_PICTURES (kitty, iterm, sixel or off) says it otherwise.
"""

from __future__ import annotations

import struct
import zlib
from base64 import standard_b64encode
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec

import numpy as np
from numpy.typing import NDArray

from sixprime.game.position import Position
from sixprime.game.state import MatchState

Pixels = NDArray[np.uint8]
Drawing = Callable[[Position, MatchState, Sequence[str], bool], str]

PROTOCOLS = ("kitty", "iterm", "sixel")
_COLUMNS = 64
"""Columns of a board where the terminal scales it; that leaves 24 lines room for the prompt."""
_WIDTH = 560
"""Pixels of a board."""
_CHUNK = 4096
"""Bytes of a piece in kitty's protocol."""
_SHADES = 6
"""Shades of red, green and blue each that sixels have."""


def protocol(environment: Mapping[str, str]) -> str | None:
    """How the terminal of this environment shows pictures; None: it does not, or nobody can tell."""
    wanted = environment.get("SIXPRIME_PICTURES", "").strip().lower()
    if wanted:
        return wanted if wanted in PROTOCOLS else None
    term, program = environment.get("TERM", ""), environment.get("TERM_PROGRAM", "")
    if "TMUX" in environment or term.startswith(("screen", "tmux", "dumb")):
        return None
    if "KITTY_WINDOW_ID" in environment or term in ("xterm-kitty", "xterm-ghostty") or program == "ghostty":
        return "kitty"
    if program in ("iTerm.app", "WezTerm", "mintty") or environment.get("LC_TERMINAL") == "iTerm2":
        return "iterm"
    return "sixel" if term.startswith(("foot", "mlterm", "contour", "yaft")) else None


def drawing(environment: Mapping[str, str]) -> Drawing | None:
    """What draws boards for this terminal; None where it shows no pictures or the extra `png` is missing."""
    how = protocol(environment)
    if how is None or find_spec("resvg_py") is None:
        return None

    def draw(position: Position, state: MatchState, names: Sequence[str], clockwise: bool) -> str:
        from sixprime.report.png import to_png
        from sixprime.report.svg import board_svg

        svg = board_svg(
            position,
            state,
            bottom=1,
            light=1,
            bear_off="left" if clockwise else "right",
            theme="light",
            width=_WIDTH,
        )
        return shown(to_png(svg), how) + f"\nLight: {names[1]} (X), dark: {names[0]} (O)"

    return draw


def shown(png: bytes, how: str) -> str:
    """The letters that make a terminal show a picture."""
    if how == "kitty":
        data = standard_b64encode(png).decode()
        pieces = [data[at : at + _CHUNK] for at in range(0, len(data), _CHUNK)]
        heads = [f"a=T,f=100,c={_COLUMNS},"] + [""] * (len(pieces) - 1)
        more = [1] * (len(pieces) - 1) + [0]
        return "".join(f"\x1b_G{h}m={m};{piece}\x1b\\" for h, m, piece in zip(heads, more, pieces, strict=True))
    if how == "iterm":
        data = standard_b64encode(png).decode()
        return f"\x1b]1337;File=inline=1;width={_COLUMNS};size={len(png)}:{data}\x07"
    return sixels(pixels_of(png))


def pixels_of(png: bytes) -> Pixels:
    """The pixels uint8[height, width, 3] of a PNG with 8 bits of red, green, blue and opacity, on white."""
    at, data, width, height = 8, bytearray(), 0, 0
    while at < len(png):
        size, kind = struct.unpack(">I4s", png[at : at + 8])
        body = png[at + 8 : at + 8 + size]
        if kind == b"IHDR":
            width, height = struct.unpack(">II", body[:8])
        elif kind == b"IDAT":
            data += body
        at += size + 12
    rows = np.frombuffer(zlib.decompress(data), np.uint8).reshape(height, 1 + 4 * width)
    above, found = np.zeros((width, 4), np.uint8), np.empty((height, width, 4), np.uint8)
    for number, row in enumerate(rows):
        above = found[number] = _unfiltered(int(row[0]), row[1:].reshape(width, 4), above)
    colours, opacity = found[..., :3].astype(np.uint32), found[..., 3:].astype(np.uint32)
    return ((colours * opacity + 255 * (255 - opacity)) // 255).astype(np.uint8)


def _unfiltered(kind: int, row: Pixels, above: Pixels) -> Pixels:
    """A row [width, 4] of a PNG as it was before it was filtered."""
    if kind == 0:
        return row
    if kind == 1:
        return np.cumsum(row, axis=0, dtype=np.uint8)
    if kind == 2:
        return row + above
    out = [[0] * 4]
    for given, over, corner in zip(row.tolist(), above.tolist(), [[0] * 4, *above.tolist()], strict=False):
        left = out[-1]
        guess = [(a + b) // 2 for a, b in zip(left, over, strict=True)] if kind == 3 else _paeth(left, over, corner)
        out.append([(x + y) & 255 for x, y in zip(given, guess, strict=True)])
    return np.array(out[1:], np.uint8)


def _paeth(left: Sequence[int], over: Sequence[int], corner: Sequence[int]) -> list[int]:
    found = []
    for a, b, c in zip(left, over, corner, strict=True):
        near = a + b - c
        found.append(min((abs(near - a), 0, a), (abs(near - b), 1, b), (abs(near - c), 2, c))[2])
    return found


def sixels(pixels: Pixels) -> str:
    """Pixels uint8[height, width, 3] as sixels: bands of six rows, in each a line of letters for every colour."""
    height, width, _ = pixels.shape
    steps = (pixels.astype(np.uint32) * (_SHADES - 1) + 127) // 255
    index = (steps[..., 0] * _SHADES + steps[..., 1]) * _SHADES + steps[..., 2]
    parts = [f'\x1bP0;1q"1;1;{width};{height}']
    for colour in np.unique(index).tolist():
        shades = (colour // _SHADES**2, colour // _SHADES % _SHADES, colour % _SHADES)
        parts.append(f"#{colour};2;" + ";".join(str(100 * shade // (_SHADES - 1)) for shade in shades))
    for top in range(0, height, 6):
        band = index[top : top + 6]
        bits = (1 << np.arange(len(band), dtype=np.uint32))[:, None]
        lines = []
        for colour in np.unique(band).tolist():
            letters = ((band == colour) * bits).sum(axis=0) + 63
            lines.append(f"#{colour}{_packed(letters)}")
        parts.append("$".join(lines) + "-")
    return "".join([*parts, "\x1b\\"])


def _packed(letters: NDArray[np.uint32]) -> str:
    """Letters with their runs shortened."""
    ends = np.flatnonzero(np.diff(letters)) + 1
    starts = np.concatenate(([0], ends))
    lengths = np.diff(np.concatenate((starts, [len(letters)])))
    runs = zip(letters[starts].tolist(), lengths.tolist(), strict=True)
    return "".join(f"!{length}{chr(letter)}" if length > 3 else chr(letter) * length for letter, length in runs)
