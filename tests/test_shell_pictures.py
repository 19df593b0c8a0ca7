"""Boards as pictures in terminals: which terminals, and that what they are sent is the board."""

from __future__ import annotations

import re
import struct
import zlib
from base64 import standard_b64decode
from collections.abc import Sequence

import numpy as np
import pytest

import sixprime as sp
from sixprime.command import Interpreter
from sixprime.shell import pictures
from sixprime.shell.words import coloured

FOUND = sp.parse("4HPMwQCMz+AIIQ:cBHgABAAGAAE")


@pytest.mark.parametrize(
    ("environment", "how"),
    [
        ({"TERM": "xterm-kitty"}, "kitty"),
        ({"TERM": "xterm-256color", "KITTY_WINDOW_ID": "1"}, "kitty"),
        ({"TERM": "xterm-ghostty", "TERM_PROGRAM": "ghostty"}, "kitty"),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "iTerm.app"}, "iterm"),
        ({"TERM": "xterm-256color", "LC_TERMINAL": "iTerm2"}, "iterm"),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "WezTerm"}, "iterm"),
        ({"TERM": "foot"}, "sixel"),
        ({"TERM": "mlterm-256color"}, "sixel"),
        ({"TERM": "xterm-256color"}, None),
        ({"TERM": "dumb"}, None),
        ({}, None),
        ({"TERM": "tmux-256color", "TMUX": "/tmp/x", "KITTY_WINDOW_ID": "1"}, None),
        ({"TERM": "xterm-256color", "SIXPRIME_PICTURES": "sixel"}, "sixel"),
        ({"TERM": "xterm-kitty", "SIXPRIME_PICTURES": "off"}, None),
    ],
)
def test_terminals(environment: dict[str, str], how: str | None) -> None:
    assert pictures.protocol(environment) == how


def made_png(pixels: np.ndarray, kinds: Sequence[int]) -> bytes:
    """A PNG whose rows are filtered as the standard says, in the order of `kinds`."""
    height, width, _ = pixels.shape
    rows = bytearray()
    for number in range(height):
        kind = kinds[number % len(kinds)]
        rows.append(kind)
        for place in range(width * 4):
            here, column = int(pixels[number].flat[place]), place - 4
            left = int(pixels[number].flat[column]) if column >= 0 else 0
            over = int(pixels[number - 1].flat[place]) if number else 0
            corner = int(pixels[number - 1].flat[column]) if number and column >= 0 else 0
            near = left + over - corner
            paeth = min((left, over, corner), key=lambda each: abs(near - each))
            rows.append((here - (0, left, over, (left + over) // 2, paeth)[kind]) & 255)

    def part(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    head = part(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + part(b"IDAT", zlib.compress(bytes(rows))) + part(b"IEND", b"")


def test_pixels_of_all_filters() -> None:
    pixels = np.random.default_rng(1).integers(0, 256, (13, 9, 4), dtype=np.uint8)
    pixels[..., 3] = 255
    found = pictures.pixels_of(made_png(pixels, (0, 1, 2, 3, 4, 4, 3)))
    assert np.array_equal(found, pixels[..., :3])
    clear = np.zeros((2, 2, 4), np.uint8)
    assert (pictures.pixels_of(made_png(clear, (0,))) == 255).all()


def drawn(text: str) -> np.ndarray:
    """What a terminal makes of sixels: the number of the colour of each pixel."""
    found = re.fullmatch(r'\x1bP0;1q"1;1;(\d+);(\d+)((?:#\d+;2;\d+;\d+;\d+)*)(.*)\x1b\\', text, re.DOTALL)
    assert found is not None
    width, height = int(found[1]), int(found[2])
    screen = np.full((height + 5, width), -1)
    for band, lines in enumerate(found[4].split("-")[:-1]):
        for line in lines.split("$"):
            head = re.match(r"#(\d+)", line)
            assert head is not None
            at = 0
            for count, letter in re.findall(r"(?:!(\d+))?([?-~])", line[head.end() :]):
                for _ in range(int(count or 1)):
                    for bit in range(6):
                        if (ord(letter) - 63) >> bit & 1:
                            screen[6 * band + bit, at] = int(head[1])
                    at += 1
            assert at == width
    return screen[:height]


def test_sixels_are_the_picture() -> None:
    pixels = np.random.default_rng(2).integers(0, 256, (20, 31, 3), dtype=np.uint8)
    pixels[3:9, 4:20] = (255, 0, 51)
    wanted = (pixels.astype(int) * 5 + 127) // 255
    assert np.array_equal(drawn(pictures.sixels(pixels)), wanted[..., 0] * 36 + wanted[..., 1] * 6 + wanted[..., 2])


def test_boards_are_drawn_where_the_terminal_can() -> None:
    pytest.importorskip("resvg_py", reason="PNG needs resvg")
    draw = pictures.drawing({"TERM": "xterm-kitty"})
    assert draw is not None
    text = draw(FOUND.position, FOUND.state, ("gnubg", "you"), False)
    assert text.endswith("\nLight: you (X), dark: gnubg (O)")
    pieces = re.findall(r"\x1b_G([^;]*);([^\x1b]*)\x1b\\", text)
    assert pieces[0][0] == "a=T,f=100,c=64,m=1"
    assert {head for head, _ in pieces[1:]} == {"m=1", "m=0"}
    assert max(len(piece) for _, piece in pieces) <= 4096
    png = standard_b64decode("".join(piece for _, piece in pieces))
    assert png.startswith(b"\x89PNG")
    iterm = pictures.shown(png, "iterm")
    assert iterm.startswith(f"\x1b]1337;File=inline=1;width=64;size={len(png)}:")
    assert iterm.endswith("\x07")
    # A point, a light and a dark chequer are there in colours of their own.
    assert len(np.unique(drawn(pictures.shown(png, "sixel")))) > 5
    other = draw(FOUND.position, FOUND.state, ("gnubg", "you"), True)
    assert other != text


def test_the_interpreter_shows_them() -> None:
    heard: list[str] = []
    shell = Interpreter(heard.append, heard.append)
    shell.drawing = lambda position, state, names, clockwise: f"\x1bP<{names[1]} {clockwise}>"
    shell.run_lines(["set player 0 human", "set clockwise on", "new match 3", "show board"])
    assert heard[-1].startswith("Position ID: 4HPwATDgc/ABMA   Match ID: ")
    assert heard[-1].endswith("\n\x1bP<you True>\n\n")
    assert coloured(heard[-1]) == heard[-1]
    shell.run_lines(["set output rawboard on", "show board"])
    assert heard[-1].startswith("board:you:gnubg:")
