"""Templates of pages: those of the package, each replaced by one of the same name in a folder of the user's."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from re import DOTALL, findall
from typing import TYPE_CHECKING

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
"""What a user may replace."""
_PREFIX = "sixprime/"
"""Before the name of one of the package's, for a user's template that adds to it."""
_OURS = Path(__file__).parent / "templates"


def render(name: str, context: Mapping[str, object], folder: Path | None = None) -> str:
    """The template `name` filled in. folder: of templates that replace the package's.

    Raises SettingsError, which says where, for a folder that is none and for a template that cannot be used.
    """
    environment = _environment(folder)
    with _told(folder):
        return environment.get_template(name).render(context)


def check_templates(folder: Path) -> None:
    """Raises SettingsError for a folder that is none, holds no template of ours or one that cannot be read."""
    environment = _environment(folder)
    if not any((folder / name).is_file() for name in NAMES):
        raise SettingsError(f"{folder} has none of the templates that are used here: {', '.join(NAMES)}")
    with _told(folder):
        for name in NAMES:
            environment.get_template(name)


@contextmanager
def _told(folder: Path | None) -> Iterator[None]:
    """Errors of a user's templates as SettingsError."""
    from jinja2 import TemplateError, TemplateSyntaxError

    try:
        yield
    except TemplateSyntaxError as error:
        raise SettingsError(f"{folder}: template {error.name}, line {error.lineno}: {error.message}") from None
    except (TemplateError, TypeError, ValueError, ArithmeticError, LookupError, AttributeError) as error:
        if folder is None:
            raise
        raise SettingsError(f"{folder}: a template cannot be filled in: {error}") from None


def _environment(folder: Path | None) -> Environment:
    """Of a user's templates sandboxed: one that somebody was given may change a report, and nothing else."""
    from jinja2 import Environment, FunctionLoader, StrictUndefined
    from jinja2.sandbox import SandboxedEnvironment

    if folder is not None and not folder.is_dir():
        raise SettingsError(f"{folder} is no folder of templates")

    def source(name: str) -> str | None:
        plain = name.removeprefix(_PREFIX)
        places = [_OURS] if plain in NAMES else []
        # Names alone: no template reaches out of its folder.
        if folder is not None and plain == name == Path(name).name:
            places.insert(0, folder)
        return next((read_text(place / plain, TEXT) for place in places if (place / plain).is_file()), None)

    return (Environment if folder is None else SandboxedEnvironment)(
        loader=FunctionLoader(source),
        autoescape=lambda name: name is not None and name.endswith((".html", ".svg", ".xml")),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


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
