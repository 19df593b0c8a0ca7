"""Templates of pages and texts: the package's, each replaced by one of the same name in a folder of the user's.

Templates are Jinja's. Those of LaTeX, typst and PostScript, whose own signs are braces, have `<< >>` and `<% %>`
instead of `{{ }}` and `{% %}`.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache, cached_property
from hashlib import sha256
from pathlib import Path
from re import DOTALL, findall
from typing import TYPE_CHECKING, Any

from sixprime._version import __version__
from sixprime.errors import SettingsError
from sixprime.reading import TEXT, read_text

if TYPE_CHECKING:
    from jinja2 import Environment

POLICY = "content-security-policy"
"""Stands in a page where `with_policy` writes its policy."""
NAMES = (
    *("match.html", "match_turn.html", "match.css", "board.js", "match.js"),
    *("index.html", "index.css", "base.css"),
)
"""Templates of pages, which a user may replace."""
_PREFIX = "sixprime/"
"""Before the name of one of the package's, for a user's template that adds to it."""
_PAGES = Path(__file__).parent / "templates"
_ESCAPED = (".html", ".svg", ".xml")
_ANGLED = (".tex", ".typ", ".ps")
_ANGLES = {
    "block_start_string": "<%",
    "block_end_string": "%>",
    "variable_start_string": "<<",
    "variable_end_string": ">>",
    "comment_start_string": "<#",
    "comment_end_string": "#>",
}


class Templates:
    """Where templates come from.

    ours: folder of the package's; folder: of the user's, None for ours alone; filters: what templates may send texts
    through, by name. A user's folder is read in a sandbox: what somebody was given may change a report, and nothing
    else. Raises SettingsError for no folder.
    """

    def __init__(
        self, ours: Path, folder: str | Path | None = None, filters: Mapping[str, Callable[..., str]] | None = None
    ) -> None:
        self.ours = ours
        self.folder = None if folder is None else Path(folder)
        self._filters = filters or {}
        if self.folder is not None and not self.folder.is_dir():
            raise SettingsError(f"{self.folder} is no folder of templates")

    def render(self, template: str, **values: Any) -> str:
        """A template filled in, given `version`, too. Raises SettingsError, which says where, for one that is wrong."""
        with self._told(template):
            return self._environment(template).get_template(template).render(version=__version__, **values)

    def check(self, *names: str) -> None:
        """Raises SettingsError where the user's folder has none of these templates, or one that cannot be read."""
        if self.folder is None:
            return
        own = [name for name in names if (self.folder / name).exists()]
        if not own:
            raise SettingsError(f"{self.folder} has none of the templates that are used here: {', '.join(names)}")
        for name in own:
            with self._told(name):
                self._environment(name).get_template(name)

    @contextmanager
    def _told(self, template: str) -> Iterator[None]:
        """Errors of a user's templates as SettingsError."""
        from jinja2 import TemplateError, TemplateSyntaxError

        try:
            yield
        except TemplateSyntaxError as error:
            raise SettingsError(f"{self._place(error.name or template)}:{error.lineno}: {error.message}") from None
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
            raise SettingsError(f"{self._place(template)}: {type(error).__name__}: {error}") from None

    def _place(self, name: str) -> Path:
        """The file that a name means; names alone, so that no template reaches out of its folder."""
        own = None if self.folder is None or name.startswith(_PREFIX) else self.folder / name
        return own if own is not None and own.exists() else self.ours / name.removeprefix(_PREFIX)

    def _source(self, name: str) -> str | None:
        plain = name.removeprefix(_PREFIX)
        place = self._place(name)
        return read_text(place, TEXT) if plain == Path(plain).name and place.is_file() else None

    def _environment(self, template: str) -> Environment:
        return self._angled if Path(template).suffix in _ANGLED else self._plain

    @cached_property
    def _plain(self) -> Environment:
        return self._made()

    @cached_property
    def _angled(self) -> Environment:
        return self._made(**_ANGLES)

    def _made(self, **signs: str) -> Environment:
        from jinja2 import Environment, FunctionLoader, StrictUndefined
        from jinja2.sandbox import SandboxedEnvironment

        kind: Callable[..., Environment] = Environment if self.folder is None else SandboxedEnvironment
        environment = kind(
            loader=FunctionLoader(self._source),
            autoescape=lambda name: name is not None and name.endswith(_ESCAPED),
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,
            **signs,
        )
        environment.filters |= self._filters
        return environment


def render(name: str, context: Mapping[str, object], folder: Path | None = None) -> str:
    """A page: the template `name` filled in. folder: of templates that replace the package's. Raises SettingsError."""
    templates = _ours() if folder is None else Templates(_PAGES, folder)
    return templates.render(name, **context)


def check_templates(folder: Path) -> None:
    """Raises SettingsError for a folder that is none, holds no template of pages or one that cannot be read."""
    Templates(_PAGES, folder).check(*NAMES)


@cache
def _ours() -> Templates:
    """Kept, so that many pages are made of templates that are read once."""
    return Templates(_PAGES)


def with_policy(page: str) -> str:
    """The page with a content policy that lets in its own styles, scripts and icon, known by their hashes, and no more.

    Attributes `style` and `on...` have no effect under it.
    """
    allowed = {
        tag: sorted({f"'sha256-{_hash(text)}'" for text in findall(rf"<{tag}>(.*?)</{tag}>", page, DOTALL)})
        for tag in ("style", "script")
    }
    rules = "".join(f"; {tag}-src {' '.join(hashes)}" for tag, hashes in allowed.items() if hashes)
    policy = f"default-src 'none'{rules}; img-src data:; base-uri 'none'; form-action 'none'"
    return page.replace(POLICY, policy, 1)


def _hash(text: str) -> str:
    return b64encode(sha256(text.encode()).digest()).decode()
