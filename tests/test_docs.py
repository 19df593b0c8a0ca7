"""Every example of the README, the docs and the docstrings runs.

`SIXPRIME_RECORD=1 pytest -n 0 tests/test_docs.py` writes into the pages what their commands say now; look at it.
"""

from __future__ import annotations

import difflib
import doctest
import re
import shlex
import shutil
import tomllib
from importlib import import_module
from pathlib import Path

import pytest
from cyclopts import App
from golden import RECORD

import sixprime
from sixprime.bearoff import hyper
from sixprime.cli import _COMMANDS, _GROUPS
from sixprime.paths import sample_match
from sixprime.report.words import glossary
from sixprime.store import library, relational

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
PACKAGE = Path(sixprime.__file__).parent
MODULES = [
    ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__")
    for path in sorted(PACKAGE.rglob("*.py"))
    if ">>>" in path.read_text(encoding="utf-8")
]
FLAGS = doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A current folder with the files the examples name."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SIXPRIME_CONFIG", str(tmp_path))
    # A library that nobody else has put anything into.
    for module in (library, relational):
        monkeypatch.setattr(module, "data_dir", lambda: tmp_path)
    shutil.copy(sample_match(), "match.mat")
    shutil.copy(Path(__file__).parent / "data" / "sgf" / "analysed.sgf", "analysed.sgf")
    Path("ids.txt").write_text("4HPwATDgc/ABMA\n4HPwATDgc/ABMA:cIkFAAAAAAAA\n")
    Path("commands.txt").write_text("set atomatic game off\nset automatic game off\n> print(6 * 7)\nquit\n")
    Path("moves.txt").write_text("24/21\n13/11\n")
    Path("rolls.txt").write_text("4HPwATDgc/ABMA 31\n4HPwATDgc/ABMA 65\n")
    return tmp_path


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_examples_of_pages(path: Path) -> None:
    result = doctest.testfile(str(path), module_relative=False, optionflags=FLAGS, encoding="utf-8")
    assert result.failed == 0


def test_python_of_the_pages_is_tested() -> None:
    """But for what needs a cluster or a client."""
    for path in PAGES:
        blocks = re.findall(r"^```python\n(.*?)^```", path.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
        untested = [block for block in blocks if not block.startswith(">>>")]
        assert len(untested) == (path.name in ("cluster.md", "mcp.md")), path.name


@pytest.mark.parametrize("module", MODULES)
def test_examples_of_docstrings(module: str) -> None:
    assert doctest.testmod(import_module(module), optionflags=FLAGS).failed == 0


def console_blocks() -> list[object]:
    found = []
    for path in PAGES:
        text = path.read_text(encoding="utf-8")
        for block in re.finditer(r"^```console\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
            line = text.count("\n", 0, block.start()) + 2
            found.append(pytest.param(path, block[1], id=f"{path.name}-{line}"))
    return found


def examples(block: str) -> list[tuple[str, str]]:
    """Commands, each with what the page shows of its output; nothing if the page shows nothing."""
    lead, *parts = re.split(r"^\$ ", block, flags=re.MULTILINE)
    assert not lead, f"before the first command stands {lead!r}"
    pairs = (part.partition("\n")[::2] for part in parts)
    return [(command.split(" #")[0].strip(), shown.strip("\n")) for command, shown in pairs]


def difference(shown: str, said: str) -> str:
    """How the output differs from what the page shows, where `...` stands for anything; trailing blanks count not."""
    example = doctest.Example("", shown + "\n")
    said = "".join(f"{line.rstrip()}\n" for line in said.strip("\n").splitlines())
    checker = doctest.OutputChecker()
    if checker.check_output(example.want, said, doctest.ELLIPSIS):
        return ""
    return checker.output_difference(example, said, doctest.ELLIPSIS | doctest.REPORT_NDIFF)


def retold(shown: str, said: str) -> str:
    """What a page should show instead: of the output, the lines most like those it shows now; those that still hold,
    with `...` for anything, stay as they are."""
    lines = [line.rstrip() for line in said.strip("\n").splitlines()]
    new: list[str] = []
    for part in re.findall(r"(?:.*\n)*?(?:.*\.\.\.\n|.+\n\Z)", shown + "\n"):
        old = part.splitlines()
        more = old.pop() if old[-1] == "..." else ""
        alike = [
            sum(difflib.SequenceMatcher(None, *pair).ratio() for pair in zip(old, lines[at:], strict=False))
            for at in range(max(len(lines) - len(old), 0) + 1)
        ]
        found = lines[alike.index(max(alike)) :]
        new += [was if not difference(was, now) else now for was, now in zip(old, found, strict=False)]
        new += [more] if more else []
    return "\n".join(new)


@pytest.mark.parametrize(("path", "block"), console_blocks())
def test_console_examples(path: Path, block: str, sixprime) -> None:
    # What the pages build; another test of this process may have needed it before.
    hyper.path_of(1).unlink(missing_ok=True)
    told = block
    whole = sample_match().read_bytes()
    for command, shown in examples(block):
        line, _, source = command.partition(" < ")
        program, *words = shlex.split(line)
        assert program == "sixprime"
        # To be analysed where the page shows nothing of it, the first game will do.
        short = words[0] == "analyse" and not shown
        Path("match.mat").write_bytes(whole[: whole.index(b" Game 2")] if short else whole)
        status, out, err = sixprime(*words, stdin=Path(source).read_bytes() if source else b"")
        assert status == 0, err
        if shown and difference(shown, err + out):
            assert RECORD, f"{command}: {difference(shown, err + out)}"
            new = retold(shown, err + out)
            assert not difference(new, err + out), f"{command}: to be brought up to date by hand"
            told = told.replace(shown, new, 1)
    if told != block:
        page = path.read_text(encoding="utf-8")
        path.write_text(page.replace(block, told, 1), encoding="utf-8")


def test_lines_that_have_changed_are_found_again() -> None:
    said = "head\nrate 2.5 a second\n\nplay  0.126\nother 0.377\nend\n"
    assert retold("...\nrate ... a second\n\nplay  0.125\n...\nend", said) == (
        "...\nrate ... a second\n\nplay  0.126\n...\nend"
    )
    assert retold("play  0.125\nother 0.375", said) == "play  0.126\nother 0.377"


def test_examples_that_say_something_else_are_found() -> None:
    assert examples("$ sixprime a # b\nx ...\n\n  z\n$ sixprime c < d\n") == [
        ("sixprime a", "x ...\n\n  z"),
        ("sixprime c < d", ""),
    ]
    assert not difference("x ...\n\n  z", "x y  \n\n  z\n")
    for other in ("x y\n\n z\n", "x y\n  z\n", "x y\n\n  z\nand more\n", "not x y\n\n  z\n", ""):
        assert difference("x ...\n\n  z", other)


def setup_commands() -> list[str]:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    return [block.strip() for block in re.findall(r"^```sh\n(.*?)^```", text, re.DOTALL | re.MULTILINE)]


def test_readme_has_exactly_two_setup_commands() -> None:
    install, test = setup_commands()
    assert "sixprime analyse --sample" in install
    assert test.endswith("pytest")
    assert "\n" not in install + test


def test_ci_runs_the_readmes_test_command() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert setup_commands()[1] in script.splitlines()


def test_the_source_archive_has_what_the_tests_read() -> None:
    build = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]["build"]
    # The build puts these there unasked.
    included = {"README.md", "LICENSE", "pyproject.toml"}
    included |= {name.removeprefix("/") for name in build["targets"]["sdist"]["include"]}
    sources = [path.read_text(encoding="utf-8") for path in (ROOT / "tests").glob("*.py")]
    read = {name for source in sources for name in re.findall(r'(?:ROOT|parent\.parent) / "([^"]+)"', source)}
    assert read >= {"src", "docs", "benchmarks"}
    assert read <= included


def test_every_page_that_is_linked_exists() -> None:
    for path in [*PAGES, ROOT / "ARCHITECTURE.md"]:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", path.read_text(encoding="utf-8")):
            assert (path.parent / target).exists(), f"{path.name} links to {target}"


def test_glossary_of_the_docs_is_that_of_the_reports() -> None:
    page = " ".join((ROOT / "docs" / "glossary.md").read_text(encoding="utf-8").split())
    for word, text in glossary(in_match=True):
        assert f"**{word}**: {text[0].upper()}{text[1:]}" in page
    for linking in (ROOT / "README.md", ROOT / "docs" / "cli.md"):
        assert "glossary.md)" in linking.read_text(encoding="utf-8")


def test_sections_of_the_command_page_name_options_of_their_own_command() -> None:
    """Every `--option` of a section is one of that command, of all commands, or named with its command."""
    text = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    sections = dict(re.findall(r"^## (\S+)\n(.*?)(?=^## |\Z)", text, re.DOTALL | re.MULTILINE))
    assert [name for name in sections if name in _COMMANDS] == [name for names in _GROUPS.values() for name in names]
    modules = {name: import_module(target.split(":")[0]) for name, (target, _, _) in _COMMANDS.items()}
    shared = {"--json", "--threads", "--net", "--met", "--cube-model"}
    for name, module in modules.items():
        function = getattr(module, _COMMANDS[name][0].split(":")[1])
        if isinstance(function, App):
            continue  # a group of commands
        known = {
            name for argument in App(default_command=function).assemble_argument_collection() for name in argument.names
        }
        prose = re.sub(r"^```.*?^```", "", sections[name], flags=re.DOTALL | re.MULTILINE)
        found = set(re.findall(r"`(--[a-z0-9-]+)", prose))
        assert found <= known | shared, f"{name}: {sorted(found - known - shared)}"


def test_pictures_of_the_readme_are_small_and_alone() -> None:
    pictures = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert len(pictures) == 2
    for name in pictures:
        assert (ROOT / name).stat().st_size < 150_000
        if name.endswith(".svg"):
            assert not re.search(r"url\((?!#)|href=|<script", (ROOT / name).read_text(encoding="utf-8"))


def test_readme_says_how_the_command_is_found() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert text.index(". .venv/bin/activate") < text.index("$ sixprime ")
    assert "pipx install ." in text
    assert "uv tool install ." in text


def test_every_extra_is_used() -> None:
    """What an extra installs is imported by the package or runs its checks."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    code = "\n".join(path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py"))
    for name in extras.keys() - {"test", "browser", "dev"}:
        for requirement in extras[name]:
            package = re.split(r"[><=]", requirement)[0]
            assert re.search(rf"^\s*(?:import|from) {package}\b", code, re.MULTILINE), requirement


def test_every_public_name_is_in_the_api_page() -> None:
    text = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    missing = [name for name in sixprime.__all__ if not re.search(rf"\b{name}\b", text)]
    assert not missing
