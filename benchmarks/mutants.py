"""Do the tests notice? Small seeded mistakes in `src/sixprime`, one at a time, and the tests that run the line.

A mistake is one node of the syntax tree changed: a comparison turned, a number off by one, the branches of an `if`
swapped, `and` for `or`, a keyword or a statement dropped, nothing returned. Nodes are drawn evenly by `--seed`; kernels
(any file with `njit`), texts, annotations, imports and assertions are left alone. Mistakes that change nothing that a
user or a caller can see are listed with the reason in `equivalent_mutants.txt` and count for neither side.

First, once for each test file as long as it and the sources that it runs stay the same, coverage.py records which test
runs which line. Then every mistake has a process of its own, forked from one that has pytest and the compiled kernels
loaded; it imports the changed source in place of the file, so nothing on disk is touched, and runs those tests until
one fails, quick files first. Processes that the tests start see the mistake too. One that hangs counts as caught.

What is known stands in `build/mutants/`, so a run that was stopped goes on, and `--again` tries survivors once more.
The exit status is 1 when less than `--least` of those that matter is caught. Needs pytest, hypothesis and coverage.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import gc
import hashlib
import importlib
import json
import os
import re
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

import _main
import _mutant
import coverage
import pytest

ROOT = Path(__file__).resolve().parent.parent
SOURCES, TESTS, BUILD = ROOT / "src", ROOT / "tests", ROOT / "build" / "mutants"
MEMORY = 8 << 30
"""Bytes of address space of a mistake's process: an endless list is no reason to stop the machine."""
RULES = "tests/test_architecture.py"
"""Tests of what holds for every module."""
EQUIVALENT = Path(__file__).with_name("equivalent_mutants.txt")
TURNED: dict[type[ast.AST], list[type[ast.AST]]] = {
    ast.Lt: [ast.LtE, ast.GtE],
    ast.LtE: [ast.Lt, ast.Gt],
    ast.Gt: [ast.GtE, ast.LtE],
    ast.GtE: [ast.Gt, ast.Lt],
    ast.Eq: [ast.NotEq],
    ast.NotEq: [ast.Eq],
    ast.Is: [ast.IsNot],
    ast.IsNot: [ast.Is],
    ast.In: [ast.NotIn],
    ast.NotIn: [ast.In],
    ast.And: [ast.Or],
    ast.Or: [ast.And],
    ast.Add: [ast.Sub],
    ast.Sub: [ast.Add],
    ast.Mult: [ast.Div],
    ast.Div: [ast.Mult],
    ast.FloorDiv: [ast.Mult],
    ast.Mod: [ast.FloorDiv],
}


class Mutant(NamedTuple):
    """One mistake: the bytes `start` to `end` of a file under `src` become `text`."""

    path: str
    line: int
    start: int
    end: int
    text: str
    key: str
    lines: tuple[int, ...]
    """Lines that run when the mistake can show; none for what is done at import."""
    names: tuple[str, ...]
    """For what is done at import: the names that carry it."""

    @property
    def room(self) -> str:
        return self.path.split("/")[1].removesuffix(".py")

    @property
    def module(self) -> str:
        return self.path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")

    def source(self) -> bytes:
        old = source_of(SOURCES / self.path)
        return old[: self.start] + self.text.encode() + old[self.end :]


@cache
def source_of(path: Path) -> bytes:
    """As it was when the mistakes were drawn, whoever edits it meanwhile."""
    return path.read_bytes()


def has_kernels(path: Path) -> bool:
    return b"njit" in source_of(path)


class Changes(ast.NodeVisitor):
    """All nodes of one file that can be changed, each with its possible new texts."""

    def __init__(self, path: Path) -> None:
        self.path = path.relative_to(SOURCES).as_posix()
        self.source = source_of(path)
        offsets = [0]
        for row in self.source.splitlines(keepends=True):
            offsets.append(offsets[-1] + len(row))
        self.offsets = offsets
        self.inside: list[str] = []
        self.body: list[tuple[int, ...]] = []
        self.names: tuple[str, ...] = ()
        self.found: list[list[Mutant]] = []
        self.seen: Counter[str] = Counter()
        self.visit(ast.parse(self.source))

    def span(self, node: Any) -> tuple[int, int]:
        return (
            self.offsets[node.lineno - 1] + node.col_offset,
            self.offsets[node.end_lineno - 1] + node.end_col_offset,
        )

    def add(self, node: Any, *texts: str) -> None:
        start, end = self.span(node)
        old = " ".join(self.source[start:end].decode().split())
        place = f"{self.path} | {'.'.join(self.inside) or '-'}"
        self.seen[f"{place} | {old}"] += 1
        count = self.seen[f"{place} | {old}"]
        number = f" (no. {count})" if count > 1 else ""
        lines = tuple(range(node.lineno, node.end_lineno + 1)) if self.body else ()
        self.found.append(
            [
                Mutant(
                    self.path, node.lineno, start, end, text, f"{place} | {old}{number} -> {text}", lines, self.names
                )
                for text in texts
            ]
        )

    def swap(self, node: Any, field: str, old: Any) -> None:
        """The node with one operator in place of another."""
        texts = []
        for new in TURNED.get(type(old), ()):
            if isinstance(node, ast.Compare):
                ops = [new() if op is old else op for op in node.ops]
                copy: ast.AST = ast.Compare(node.left, ops, node.comparators)
            else:
                copy = type(node)(**{name: getattr(node, name) for name in node._fields} | {field: new()})
            texts.append(f"({ast.unparse(copy)})")
        if texts:
            self.add(node, *texts)

    # What is left alone.

    def _leave(self, node: ast.AST) -> None: ...

    visit_JoinedStr = visit_Assert = visit_Import = visit_ImportFrom = _leave

    # Where we are.

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self.inside.append(node.name)
        for part in (*node.decorator_list, *node.body):
            self.names = tuple(self.inside)
            self.visit(part)
        self.inside.pop()
        self.names = ()

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        if any("overload" in ast.unparse(each) for each in node.decorator_list):
            return
        self.inside.append(node.name)
        last = max(node.end_lineno or 0, node.body[0].lineno)
        self.body.append(tuple(range(node.body[0].lineno, last + 1)))
        for default in (*node.args.defaults, *node.args.kw_defaults):
            if default is not None:
                count = len(self.found)
                self.visit(default)
                # A default shows wherever the function runs.
                for each in self.found[count:]:
                    each[:] = [mutant._replace(lines=self.body[-1]) for mutant in each]
        for part in node.body:
            self.visit(part)
        self.body.pop()
        self.inside.pop()

    def visit_Assign(self, node: ast.Assign) -> None:
        names = {each.id for target in node.targets for each in ast.walk(target) if isinstance(each, ast.Name)}
        if "__all__" in names or (isinstance(node.value, ast.Call) and "Type" in ast.unparse(node.value.func)):
            return
        if not self.body:
            self.names = (*sorted(names), *self.inside)
        elif not all(isinstance(target, ast.Name) for target in node.targets):
            self.add(node, "pass")
        for target in node.targets:
            self.visit(target)
        self.visit(node.value)
        self.names = ()

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is None:
            return
        if not self.body:
            self.names = (ast.unparse(node.target), *self.inside)
        elif not isinstance(node.target, ast.Name):
            self.add(node, "pass")
        self.visit(node.value)
        self.names = ()

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self.add(node, "pass")
        self.swap(node, "op", node.op)
        if self.found and self.found[-1][0].text.startswith("("):
            self.found[-1] = [mutant._replace(text=mutant.text[1:-1]) for mutant in self.found[-1]]
        self.visit(node.value)

    # What is changed.

    def visit_Expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Constant):
            return
        if isinstance(node.value, ast.Call):
            self.add(node, "pass")
        self.visit(node.value)

    def visit_If(self, node: ast.If) -> None:
        if ast.unparse(node.test) in ("TYPE_CHECKING", "__name__ == '__main__'"):
            return
        self.add(node.test, f"(not ({ast.unparse(node.test)}))")
        self.generic_visit(node)

    def visit_IfExp(self, node: ast.IfExp) -> None:
        self.add(node.test, f"(not ({ast.unparse(node.test)}))")
        self.generic_visit(node)

    def _drop(self, node: ast.stmt) -> None:
        self.add(node, "pass")

    visit_Raise = visit_Break = visit_Continue = _drop

    def visit_Return(self, node: ast.Return) -> None:
        if node.value is not None and ast.unparse(node.value) != "None":
            self.add(node, "return None", "return 0")
            self.visit(node.value)

    def visit_Compare(self, node: ast.Compare) -> None:
        for op in node.ops:
            self.swap(node, "ops", op)
        self.generic_visit(node)

    def _operator(self, node: ast.BoolOp | ast.BinOp) -> None:
        self.swap(node, "op", node.op)
        self.generic_visit(node)

    visit_BoolOp = visit_BinOp = _operator

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        if isinstance(node.op, (ast.Not, ast.USub)):
            self.add(node, f"({ast.unparse(node.operand)})")
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        name = ast.unparse(node.func)
        if name in ("cast", "TypeVar", "NewType"):
            return
        if name.endswith((".reshape", "lru_cache")):
            # NumPy takes any negative length for the one that is left open; a cache changes nothing.
            return self.visit(node.func)
        if name == "zip":
            # Whether it is strict matters only where another mistake is.
            return self.generic_visit(ast.Call(node.func, node.args, []))
        for keyword in node.keywords:
            if keyword.arg:
                rest = [each for each in node.keywords if each is not keyword]
                self.add(node, ast.unparse(ast.Call(node.func, node.args, rest)))
        if name in ("min", "max"):
            self.add(node.func, "max" if name == "min" else "min")
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        value = node.value
        if isinstance(value, bool):
            self.add(node, str(not value))
        elif isinstance(value, int):
            self.add(node, str(value + 1), f"({value - 1})")
        elif isinstance(value, float):
            self.add(node, repr(value * 1.25 if value else 1.0))


def drawn(seed: int, count: int, only: str) -> list[Mutant]:
    """`count` mistakes, at most one a node, drawn by lot in files whose path under `src` begins with `only`."""
    nodes: list[list[Mutant]] = []
    for path in sorted((SOURCES / "sixprime").rglob("*.py")):
        # What another program's Python runs cannot be put in its place here.
        without = (
            path.stem == "inside_gnubg"
            or has_kernels(path)
            or (b"\nimport torch" in path.read_bytes() and not find_spec("torch"))
        )
        if not without and path.relative_to(SOURCES).as_posix().startswith(only):
            nodes += Changes(path).found

    def lot(node: list[Mutant]) -> int:
        # Its own, so that an edit elsewhere leaves it in or out.
        return int(hashlib.sha256(f"{seed} {node[0].key}".encode()).hexdigest(), 16)

    return [node[lot(node) % len(node)] for node in sorted(nodes, key=lot)[:count]]


# The process that has everything loaded, and its children.


def load() -> dict[str, Any]:
    """Loads what all children need; the modules with kernels, which no child imports again."""
    sys.path[:0] = [str(SOURCES), str(TESTS)]
    for name in ("hypothesis", "jinja2", "rich.console"):
        importlib.import_module(name)
    from sixprime import Engine, MatchState, Position

    for path in (SOURCES / "sixprime").rglob("*.py"):
        if has_kernels(path):
            importlib.import_module(path.relative_to(SOURCES).with_suffix("").as_posix().replace("/", "."))
    engine, start = Engine(threads=1), Position.start()
    for state in (MatchState(), MatchState(length=5)):
        for plies in (0, 1, 2):
            engine.best_plays(start, (3, 1), match=state, plies=plies)
            engine.cube_action(start, match=state, plies=plies)
    kept = {name: module for name, module in sys.modules.items() if is_kept(name)}
    for name in [name for name in sys.modules if name.split(".")[0] == "sixprime"]:
        del sys.modules[name]
    del engine, start, state, Engine, MatchState, Position
    gc.collect()
    gc.freeze()
    return kept


def is_kept(name: str) -> bool:
    # What kernels are made of stays one with them.
    if name in ("sixprime.errors", "sixprime.paths") or f"{name}.".startswith("sixprime.kernels."):
        return True
    path = SOURCES / (name.replace(".", "/") + ".py")
    return name.startswith("sixprime.") and path.is_file() and has_kernels(path)


def enter(kept: dict[str, Any], mutant: Mutant | None, folder: Path) -> None:
    """What a child does first: no output, no memory of other children, the mistake in place."""
    os.setsid()
    # A shell starts what runs in the background deaf to Ctrl-C; tests send it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    log = os.open(folder / "log", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(log, 1)
    os.dup2(log, 2)
    os.chdir(ROOT)
    (folder / "site").mkdir()
    shutil.copy(_mutant.__file__, folder / "site" / "sitecustomize.py")
    os.environ["PYTHONPATH"] = f"{folder / 'site'}{os.pathsep}{SOURCES}"
    os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = str(folder / "hypothesis")
    os.environ["TMPDIR"] = str(folder)
    tempfile.tempdir = None
    if mutant:
        (folder / "mutant.py").write_bytes(mutant.source())
        os.environ[_mutant.HOOK] = f"{mutant.module}={folder / 'mutant.py'}"
        _mutant.install()
    if not mutant or mutant.module not in kept:
        if mutant and mutant.module == "sixprime":
            return
        sys.modules.update(kept)
        for name, module in kept.items():
            parent, _, last = name.rpartition(".")
            setattr(importlib.import_module(parent), last, module)


class Chosen:
    """A plugin of pytest: runs some tests of a file in the order given, notes times and failures.

    meter: told which test runs, in this process and in those it starts; None to measure nothing.
    """

    def __init__(self, wanted: list[str] | None = None, meter: coverage.Coverage | None = None, data: str = "") -> None:
        self.wanted, self.meter, self.data = wanted, meter, data
        self.times: dict[str, float] = defaultdict(float)
        self.failed: list[str] = []

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        if self.wanted is not None:
            order = {name: index for index, name in enumerate(self.wanted)}
            items[:] = sorted((item for item in items if item.nodeid in order), key=lambda item: order[item.nodeid])

    def pytest_runtest_logreport(self, report: Any) -> None:
        self.times[report.nodeid] += report.duration
        if report.failed:
            self.failed.append(report.nodeid)

    def pytest_collectreport(self, report: Any) -> None:
        if report.failed:
            self.failed.append(report.nodeid)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: Any) -> Any:
        with self.context(item.nodeid):
            return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any, request: Any) -> Any:
        # What a fixture of a whole file does belongs to every test of the file.
        shared = fixturedef.scope != "function"
        with self.context(request.node.nodeid.partition("::")[0]) if shared else contextlib.nullcontext():
            return (yield)

    @contextlib.contextmanager
    def context(self, name: str) -> Iterator[None]:
        if self.meter is None:
            yield
            return
        previous = os.environ.get(_mutant.MEASURED, "").partition("=")[2]
        self.switch(name)
        try:
            yield
        finally:
            self.switch(previous)

    def switch(self, name: str) -> None:
        assert self.meter is not None
        os.environ[_mutant.MEASURED] = f"{self.data}={name}"
        self.meter.switch_context(name)

    def run(self, file: str, *options: str) -> int:
        alone = "-p no:cacheprovider -n 0 -o timeout=0 -o faulthandler_timeout=0 --assert=plain --hypothesis-seed=0 -q"
        return int(pytest.main([*alone.split(), *options, file], plugins=[self]))


def measured(kept: dict[str, Any], file: str, folder: Path) -> None:
    """Which test of a file runs which lines, into `folder`/lines.json."""
    enter(kept, None, folder)
    data = str(folder / "data")
    # All is imported first: what runs while the tests are collected then belongs to the whole file.
    for path in sorted((SOURCES / "sixprime").rglob("*.py")):
        if path.stem in ("__main__", "inside_gnubg") or b"\nimport torch" in source_of(path):
            continue
        with contextlib.suppress(ImportError):
            name = path.relative_to(SOURCES).with_suffix("").as_posix().replace("/", ".").removesuffix(".__init__")
            importlib.import_module(name)
    meter = coverage.Coverage(data, True, source=[str(SOURCES)], config_file=False)
    meter._warn_preimported_source = False
    meter.start()
    chosen = Chosen(meter=meter, data=data)
    with chosen.context(file):
        status = chosen.run(file)
    if status > pytest.ExitCode.TESTS_FAILED:
        raise RuntimeError(f"pytest ended with {status}")
    meter.stop()
    meter.save()
    os.environ.pop(_mutant.MEASURED)
    both = coverage.Coverage(data, source=[str(SOURCES)], config_file=False)
    both.combine([str(folder)])
    result: dict[str, dict[str, list[str]]] = {}
    for path in both.get_data().measured_files():
        by_line = both.get_data().contexts_by_lineno(path)
        rows = {str(line): sorted(set(names) - {""}) for line, names in by_line.items() if set(names) - {""}}
        result[Path(path).relative_to(SOURCES).as_posix()] = rows
    times = {name: seconds for name, seconds in chosen.times.items() if name not in chosen.failed}
    (folder / "lines.json").write_text(json.dumps({"times": times, "failed": chosen.failed, "lines": result}))


def tried(kept: dict[str, Any], mutant: Mutant, tests: dict[str, list[str]], folder: Path) -> None:
    """The first test that fails, into `folder`/caught."""
    enter(kept, mutant, folder)
    for file, names in tests.items():
        chosen = Chosen(names)
        status = chosen.run(file, "-x")
        if status:
            (folder / "caught").write_text(chosen.failed[0] if chosen.failed else f"{file} ({status})")
            return


class Pool:
    """At most `jobs` forked children at a time, each with a folder, a limit of CPU seconds and one of wall seconds."""

    def __init__(self, jobs: int) -> None:
        self.jobs = jobs
        self.running: dict[int, tuple[Path, float, Any]] = {}

    def start(self, work: Any, done: Any, seconds: float) -> None:
        while len(self.running) >= self.jobs:
            self.wait()
        folder = Path(tempfile.mkdtemp(prefix="sixprime-mutants-"))
        pid = os.fork()
        if pid:
            self.running[pid] = (folder, time.monotonic() + 10 * seconds + 120, done)
            return
        status = 1
        try:
            limit = int(4 * seconds + 60)
            resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5))
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            work(folder)
            status = 0
        except BaseException as error:
            (folder / "crash").write_text("".join(traceback.format_exception(error)))
        finally:
            os._exit(status)

    def wait(self) -> None:
        """Waits until one child has ended."""
        while True:
            for pid, (folder, until, done) in list(self.running.items()):
                late = time.monotonic() > until
                if late:
                    os.killpg(pid, signal.SIGKILL)
                ended, status = os.waitpid(pid, 0 if late else os.WNOHANG)
                if ended:
                    with contextlib.suppress(ProcessLookupError):
                        os.killpg(pid, signal.SIGKILL)
                    del self.running[pid]
                    done(folder, status)
                    shutil.rmtree(folder, ignore_errors=True)
                    return
            time.sleep(0.02)

    def finish(self) -> None:
        while self.running:
            self.wait()


@cache
def digest(*paths: Path) -> str:
    return hashlib.sha256(b"".join(path.read_bytes() for path in paths if path.is_file())).hexdigest()[:16]


def measure(kept: dict[str, Any], pool: Pool) -> dict[str, Any]:
    """What every test file runs, measured anew where it, a source it runs or a kernel changed."""
    kernels = digest(*(path for path in sorted((SOURCES / "sixprime").rglob("*.py")) if has_kernels(path)))
    # Long files first, so that the end is short.
    files = sorted(TESTS.glob("test_*.py"), key=lambda path: -path.stat().st_size)
    for path in files:
        target = BUILD / f"{path.stem}.json"
        stamp = f"{kernels} {digest(path)}"
        if target.is_file():
            known = json.loads(target.read_text())
            same = all(digest(SOURCES / source) == before for source, before in known["sources"].items())
            if same and known["stamp"] == stamp:
                continue

        def done(folder: Path, status: int, path: Path = path, target: Path = target, stamp: str = stamp) -> None:
            if status:
                texts = [each.read_text() for each in (folder / "log", folder / "crash") if each.is_file()]
                sys.exit(f"{path.name} cannot be measured (status {status}):\n" + "\n".join(texts)[-3000:])
            result = json.loads((folder / "lines.json").read_text())
            result["sources"] = {source: digest(SOURCES / source) for source in result["lines"]}
            target.write_text(json.dumps({"stamp": stamp, **result}))
            print(f"measured {path.name}: {len(result['times'])} tests", *result["failed"], file=sys.stderr, flush=True)

        name = path.relative_to(ROOT).as_posix()
        pool.start(lambda folder, name=name: measured(kept, name, folder), done, 900)
    pool.finish()
    return {f"tests/{path.name}": json.loads((BUILD / f"{path.stem}.json").read_text()) for path in files}


class Mentions(ast.NodeVisitor):
    """Lines that run and depend on some names, of one file; `names` grows by what is made of them at import."""

    def __init__(self, names: set[str]) -> None:
        self.names = names
        self.lines: set[int] = set()

    def said(self, *nodes: ast.AST | None) -> set[int]:
        """Lines on which one of the names is used below."""
        return {
            each.lineno
            for node in nodes
            if node is not None
            for each in ast.walk(node)
            if (isinstance(each, ast.Name) and each.id in self.names)
            or (isinstance(each, ast.Attribute) and each.attr in self.names)
        }

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        if self.said(node.args, node.returns, *node.decorator_list):
            self.lines |= set(range(node.body[0].lineno, (node.end_lineno or 0) + 1))
        else:
            self.lines |= self.said(*node.body)

    def visit_Assign(self, node: ast.Assign) -> None:
        if self.said(node.value):
            self.names |= {
                each.id for target in node.targets for each in ast.walk(target) if isinstance(each, ast.Name)
            }

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if isinstance(node.target, ast.Name) and self.said(node.value, node.annotation):
            self.names.add(node.target.id)


@cache
def trees() -> dict[str, ast.Module]:
    return {
        path.relative_to(SOURCES).as_posix(): ast.parse(source_of(path))
        for path in (SOURCES / "sixprime").rglob("*.py")
    }


@cache
def mentions(names: tuple[str, ...]) -> dict[str, set[int]]:
    """Lines of the package that run and depend on names, by file."""
    known = set(names)
    while True:
        before, found = len(known), {}
        for path, tree in trees().items():
            visitor = Mentions(known)
            visitor.visit(tree)
            found[path] = visitor.lines
        if len(known) == before:
            return found


def tests_for(mutant: Mutant, known: dict[str, Any], seconds: float) -> dict[str, list[str]]:
    """Tests that may notice, by file, files that take little first; no more than take `seconds`.

    Those that run the line; of what is done at import, those that run a line with one of its names, and the files that
    say the name. Where there is time left, the rest of these files: what runs once is noted for one test only.
    """
    where = {mutant.path: set(mutant.lines)} if mutant.lines else mentions(mutant.names)
    if not any(where.values()):
        where = {mutant.path: set(range(1, 9999))}
    first: dict[str, set[str]] = {}
    for file, record in known.items():
        times, names = record["times"], set()
        for path, lines in where.items():
            for line, contexts in record["lines"].get(path, {}).items():
                if int(line) in lines:
                    names |= set(contexts)
        said = not mutant.lines and re.search(rf"\b({'|'.join(mutant.names or ['-'])})\b", (ROOT / file).read_text())
        first[file] = set(times) if file in names or said else names & set(times)
    if not mutant.lines:
        first[RULES] = set(known[RULES]["times"])
    queue = []
    for late in (False, True):
        for file, names in first.items():
            times = known[file]["times"]
            chosen = set(times) - names if late and names else names if not late else set()
            # The quickest of every file first, and as long from each, so that no file is left out for another.
            ordered = sorted(chosen, key=times.get)
            spent = accumulate(times[name] for name in ordered)
            general = not mutant.lines and file == RULES
            queue += [
                (late and not general, 0.0 if general else so_far, times[name], file, name)
                for so_far, name in zip(spent, ordered, strict=True)
            ]
    picked: dict[str, list[str]] = defaultdict(list)
    cost: Counter[str] = Counter()
    for _, _, time_taken, file, name in sorted(queue):
        if not picked or sum(cost.values()) + time_taken <= seconds:
            cost[file] += time_taken
            picked[file].append(name)
    return {file: picked[file] for file in sorted(picked, key=lambda file: cost[file])}


def equivalents() -> dict[str, str]:
    """Keys of mistakes that change nothing, with the reason; see the head of the file."""
    found = {}
    for row in EQUIVALENT.read_text().splitlines() if EQUIVALENT.is_file() else ():
        if row.strip() and not row.startswith("#"):
            key, _, reason = row.partition(" # ")
            found[key.strip()] = reason.strip()
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1, help="which mistakes (%(default)s)")
    parser.add_argument("--count", type=int, default=200, help="how many (%(default)s)")
    parser.add_argument("--only", default="", metavar="PATH", help="only in files like sixprime/formats")
    parser.add_argument("--least", type=float, default=0.85, help="share that must be caught (%(default)s)")
    parser.add_argument("--seconds", type=float, default=120, help="of tests for a mistake, at most (%(default)s)")
    parser.add_argument("--jobs", type=int, default=2, help="processes at a time (%(default)s)")
    parser.add_argument("--again", action="store_true", help="try those that survived once more")
    parser.add_argument("--show", action="store_true", help="print what is known and run nothing")
    arguments = parser.parse_args()
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    BUILD.mkdir(parents=True, exist_ok=True)
    mutants = drawn(arguments.seed, arguments.count, arguments.only)
    book = BUILD / "results.json"
    results: dict[str, str] = json.loads(book.read_text()) if book.is_file() else {}
    same = equivalents()
    waiting = [
        mutant
        for mutant in mutants
        if mutant.key not in same and (mutant.key not in results or (arguments.again and not results[mutant.key]))
    ]
    if waiting and not arguments.show:
        kept, pool = load(), Pool(arguments.jobs)
        known = measure(kept, pool)
        for seconds in (arguments.seconds / 8, arguments.seconds):
            # Most are noticed at once; what is not gets all the time.
            for mutant in [mutant for mutant in waiting if not results.get(mutant.key)]:
                tests = tests_for(mutant, known, seconds)

                def done(folder: Path, status: int, mutant: Mutant = mutant) -> None:
                    caught, crash = (
                        path.read_text() if path.is_file() else "" for path in (folder / "caught", folder / "crash")
                    )
                    results[mutant.key] = caught or (crash or f"ended with {status}" if status else "")
                    book.write_text(json.dumps(results, indent=0))
                    print(f"{results[mutant.key] or 'SURVIVED'}: {mutant.key}", file=sys.stderr, flush=True)

                taken = sum(known[file]["times"][name] for file in tests for name in tests[file])
                pool.start(lambda folder, m=mutant, tests=tests: tried(kept, m, tests, folder), done, taken + 1)
            pool.finish()
    return report(mutants, results, same, arguments.least)


def report(mutants: list[Mutant], results: dict[str, str], same: dict[str, str], least: float) -> int:
    """Prints the table and the survivors; the exit status."""
    real = [mutant for mutant in mutants if mutant.key not in same and mutant.key in results]
    rooms = sorted({mutant.room for mutant in mutants})
    print(f"{'room':12} {'caught':>6} {'real':>5} {'equivalent':>10}")
    for room in rooms:
        here = [mutant for mutant in real if mutant.room == room]
        equal = sum(mutant.room == room and mutant.key in same for mutant in mutants)
        print(f"{room:12} {sum(bool(results[mutant.key]) for mutant in here):6} {len(here):5} {equal:10}")
    caught = sum(bool(results[mutant.key]) for mutant in real)
    print(f"{'all':12} {caught:6} {len(real):5} {len(mutants) - len(real):10}   {caught / max(len(real), 1):.1%}")
    for mutant in real:
        if not results[mutant.key]:
            print(f"\nsrc/{mutant.path}:{mutant.line}\n  {mutant.key}")
    return int(caught < least * len(real))


if __name__ == "__main__":
    _main.run(main)
