"""The templates of the forms: ours, or those of a user that have the same names.

Templates are Jinja's. Those of LaTeX, typst and PostScript, whose own signs are braces, have `<< >>` and `<% %>`
instead of `{{ }}` and `{% %}`.
"""

from __future__ import annotations

import json
import re
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sixprime._version import __version__
from sixprime.errors import SettingsError
from sixprime.paths import write
from sixprime.reading import TEXT, read_text
from sixprime.report.words import clean

if TYPE_CHECKING:
    from jinja2 import Environment

OURS = Path(__file__).parent / "templates"
_ANGLES = (".tex", ".typ", ".ps")
_ESCAPED = (".html",)


class Templates:
    """Where templates come from. folder: of the user, None for ours alone. Raises SettingsError for no folder."""

    def __init__(self, folder: str | Path | None = None) -> None:
        self.folder = None if folder is None else Path(folder)
        if self.folder is not None and not self.folder.is_dir():
            raise SettingsError(f"{self.folder} is no folder of templates")

    def render(self, name: str, **values: Any) -> str:
        """A template filled in. Raises SettingsError, which says where, for one that is wrong."""
        from jinja2 import TemplateError, TemplateSyntaxError

        ending = Path(name).suffix
        environment = self._angled if ending in _ANGLES else self._plain
        try:
            return environment.get_template(name).render(version=__version__, **values)
        except TemplateSyntaxError as error:
            raise SettingsError(f"{self._place(error.name or name)}:{error.lineno}: {error.message}") from None
        except (
            TemplateError,
            TypeError,
            ValueError,
            AttributeError,
            ArithmeticError,
            LookupError,
            RuntimeError,
        ) as error:
            if self.folder is None:
                raise
            raise SettingsError(f"{self._place(name)}: {type(error).__name__}: {error}") from None

    def check(self, *names: str) -> None:
        """Raises SettingsError when the user's folder has none of the templates that a form is made of."""
        if self.folder is not None and not any((self.folder / name).exists() for name in names):
            raise SettingsError(f"{self.folder} has none of the templates that are used here: {', '.join(names)}")

    def _place(self, name: str) -> Path:
        own = None if self.folder is None else self.folder / name
        return own if own is not None and own.exists() else OURS / name

    @cached_property
    def _plain(self) -> Environment:
        return self._environment()

    @cached_property
    def _angled(self) -> Environment:
        return self._environment(
            block_start_string="<%",
            block_end_string="%>",
            variable_start_string="<<",
            variable_end_string=">>",
            comment_start_string="<#",
            comment_end_string="#>",
        )

    def _environment(self, **signs: str) -> Environment:
        from jinja2 import FunctionLoader, StrictUndefined
        from jinja2.sandbox import SandboxedEnvironment

        environment = SandboxedEnvironment(
            loader=FunctionLoader(self._source),
            autoescape=lambda name: name is not None and Path(name).suffix in _ESCAPED,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,
            **signs,
        )
        environment.filters |= {"md": _markdown, "quoted": _quoted, "tex": _latex, "typ": _typst, "ps": _postscript}
        return environment

    def _source(self, name: str) -> str | None:
        # Names alone: no template reaches out of its folder.
        place = self._place(name) if name == Path(name).name else OURS
        return read_text(place, TEXT) if place.is_file() else None


def _markdown(text: str) -> str:
    """Text whose signs mean nothing in Markdown."""
    return re.sub(r"([\\`*_{}\[\]<>#|~])", r"\\\1", clean(text))


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
    """Lines as a quotation in Markdown."""
    return "\n".join(f"> {_markdown(line)}  " for line in text.splitlines())


def copy(folder: Path) -> list[Path]:
    """Writes our templates into a folder, to be changed there; what is there already is left alone.

    Raises SettingsError for a file that would be replaced, OSError.
    """
    folder.mkdir(parents=True, exist_ok=True)
    pairs = [(place, folder / place.name) for place in sorted(OURS.iterdir())]
    for _, target in pairs:
        if target.exists():
            raise SettingsError(f"{target} exists already; templates are copied only where they replace nothing")
    for place, target in pairs:
        write(target, read_text(place, TEXT))
    return [target for _, target in pairs]
