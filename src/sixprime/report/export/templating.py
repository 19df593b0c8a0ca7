"""The templates of the forms, and how each form writes text whose signs mean something in it."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

from sixprime.errors import SettingsError
from sixprime.paths import write
from sixprime.reading import TEXT, read_text
from sixprime.report.templating import Templates
from sixprime.report.words import clean

OURS = Path(__file__).parent / "templates"


def templates_of(folder: str | Path | None = None) -> Templates:
    """The templates of all forms. folder: of the user, None for ours alone. Raises SettingsError for no folder."""
    return _ours() if folder is None else _templates(folder)


@cache
def _ours() -> Templates:
    """Compiled once."""
    return _templates(None)


def _templates(folder: str | Path | None) -> Templates:
    filters = {"md": _markdown, "quoted": _quoted, "tex": _latex, "typ": _typst, "ps": _postscript}
    return Templates(OURS, folder, filters)


def _markdown(text: str) -> str:
    """Text whose signs mean nothing in Markdown."""
    return re.sub(r"([\\`*_{}\[\]<>#|~&$])", r"\\\1", clean(text))


_TEX = {
    **{sign: f"\\{sign}" for sign in "#$%&_{}"},
    "\\": "\\textbackslash{}",
    "~": "\\textasciitilde{}",
    "^": "\\textasciicircum{}",
    "<": "\\textless{}",
    ">": "\\textgreater{}",
    "|": "\\textbar{}",
    '"': "\\textquotedbl{}",
    "\n": "\\par ",
}


def _latex(text: str) -> str:
    """Text whose signs mean nothing in LaTeX; what its fonts lack goes by number."""

    def sign(letter: str) -> str:
        if letter in _TEX:
            return _TEX[letter]
        if letter == " " or (letter.isprintable() and ord(letter) < 0x180):
            return letter
        return f"\\other{{{ord(letter):X}}}" if letter.isprintable() else "?"

    return "".join(map(sign, text))


def _typst(text: object) -> str:
    """A text as a string of typst, whose escapes are those of JSON but for numbers."""
    plain = "".join(letter if letter.isprintable() or letter == "\n" else "?" for letter in str(text))
    return json.dumps(plain, ensure_ascii=False)


def _postscript(text: str) -> str:
    """What may stand between the brackets of a string."""
    return re.sub(r"([\\\\()])", r"\\\1", clean(text))


def _quoted(text: str) -> str:
    """Lines as a quotation in Markdown; none is a list, a heading or code by how it begins."""
    lines = (re.sub(r"^(\d*)([-+=.)])", r"\1\\\2", _markdown(line.strip())) for line in text.splitlines())
    return "\n".join(f"> {line}  " for line in lines)


def copy(folder: Path) -> list[Path]:
    """Writes our templates into a folder, to be changed there; what is there already is left alone.

    Raises SettingsError for a file that would be replaced, OSError.
    """
    pairs = [(place, folder / place.name) for place in sorted(OURS.iterdir())]
    for _, target in pairs:
        if target.exists():
            raise SettingsError(f"{target} exists already; templates are copied only where they replace nothing")
    for place, target in pairs:
        write(target, read_text(place, TEXT))
    return [target for _, target in pairs]
