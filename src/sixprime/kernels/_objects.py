"""Where compiled kernels are kept, and how they are loaded: without Numba.

What a group of entries compiles to is one object file in the user's cache folder, named after a hash of the sources it
comes from, of the versions of Numba and LLVM, and of the processor; so edited code is never run stale, nor code for
another machine. Where the system has a linker the object becomes a shared library, which costs a millisecond to load;
elsewhere llvmlite loads the object. Kernels that are compiled one by one keep Numba's own files in folders beside it.

A wheel may carry groups that are compiled already, for any processor of a kind (`_shipped`). They are used where the
cache has nothing; a file that is damaged, of other sources or for another machine counts as missing.
"""

from __future__ import annotations

import ctypes
import functools
import hashlib
import importlib.util
import logging
import os
import platform
import stat
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from sixprime import paths
from sixprime.kernels import _shipped
from sixprime.kernels._shipped import PACKAGE, digest, module_of
from sixprime.progress import Progress

# -- names ----------------------------------------------------------------------------------------


@functools.cache
def versions() -> bytes:
    """What the compilers say of themselves, without importing them; nothing of one that is missing."""
    said = [platform.machine().encode(), sys.platform.encode()]
    for name in ("numba", "llvmlite"):
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.origin:
            with suppress(OSError):
                said.append(Path(spec.origin).with_name("_version.py").read_bytes())
    return b"|".join(said)


def source_hash(sources: bytes, more: bytes = b"") -> str:
    """Hash of sources, given theirs, of the versions and of whatever else."""
    return hashlib.sha256(sources + versions() + more).hexdigest()[:16]


def _writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        paths.try_writing(folder)
    except OSError:
        return False
    return True


def _is_private(folder: Path) -> bool:
    """Whether nobody else can put files into a folder, which is made; what lies there is run."""
    if not hasattr(os, "getuid"):
        return True
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        about = folder.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(about.st_mode) and about.st_uid == os.getuid() and not about.st_mode & 0o022


def find_cache() -> Path | None:
    """A folder for compiled kernels in the user's cache folder, else in a temporary one of his own, else none."""
    own = paths.cache_dir() / "kernels"
    if _writable(own):
        return own
    import tempfile

    temporary = Path(tempfile.gettempdir()) / f"sixprime-{os.getuid() if hasattr(os, 'getuid') else 'user'}"
    return temporary / "kernels" if _is_private(temporary) and _writable(temporary / "kernels") else None


CACHE: Path | None = find_cache()
"""Folder of the compiled kernels, None when no folder is writable."""


@functools.cache
def folder_of(module: Path) -> Path | None:
    """Folder of what Numba keeps of the kernels of a module."""
    return CACHE and CACHE / f"{module.stem}-{source_hash(digest(module), sys.version.encode())}"


@functools.cache
def processor() -> bytes:
    """What code for this processor depends on: its name and features."""
    with suppress(OSError):
        lines = Path("/proc/cpuinfo").read_text(errors="replace").split("\n\n")[0].splitlines()
        names = ("model name", "flags", "CPU implementer", "CPU part", "Features")
        told = [line for line in lines if line.startswith(names)]
        if told:
            return "\n".join(told).encode()
    from llvmlite import binding

    return f"{binding.get_host_cpu_name()} {binding.get_host_cpu_features().flatten()}".encode()


@functools.cache
def place_of(group: str) -> Path | None:
    """Where the object file of a group is, or will be."""
    return CACHE and CACHE / f"{group.rpartition('.')[2]}-{source_hash(digest(module_of(group)), processor())}.o"


def is_kept(group: str) -> bool:
    """Whether the cache has a group."""
    place = place_of(group)
    return place is not None and place.exists()


# What Linux calls otherwise than LLVM.
_RENAMED = {"abm": "lzcnt", "bmi1": "bmi", "lahf_lm": "sahf", "pni": "sse3", "sse4_1": "sse4.1", "sse4_2": "sse4.2"}


@functools.cache
def features() -> frozenset[str]:
    """What this processor can do, by LLVM's names."""
    for line in processor().decode(errors="replace").splitlines():
        name, _, listed = line.partition(":")
        if name.strip() == "flags":
            return frozenset(_RENAMED.get(feature, feature) for feature in listed.split())
    with suppress(ImportError, RuntimeError):
        from llvmlite import binding

        return frozenset(name for name, has in binding.get_host_cpu_features().items() if has)
    return frozenset()


@functools.cache
def shipped(group: str) -> Path | None:
    """The file of a group that came with the package and that this machine may load."""
    for name, file in _shipped.read_manifest(_shipped.FOLDER).items():
        if (file.group, file.system, file.machine) != (group, sys.platform, _shipped.machine()):
            continue
        if file.sources == digest(module_of(group)).hex() and (not file.needs or file.needs <= features()):
            place = _shipped.FOLDER / name
            with suppress(OSError):
                if _shipped.sha256(place.read_bytes()) == file.sha256:
                    return place
    return None


# -- compiling ------------------------------------------------------------------------------------

log = logging.getLogger("sixprime.kernels")
"""Told at level INFO when something has to be compiled and how far it is: the `progress` of a record."""


class _Job:
    """A process that compiles some groups, one after the other, and says line by line how far it is."""

    def __init__(self, groups: Sequence[str]) -> None:
        import subprocess

        # -P: what lies in the folder that one happens to be in stands for no module of Python's or Numba's.
        command = [sys.executable, "-P", "-m", "sixprime.kernels", "compile", *groups]
        path = os.pathsep.join((str(PACKAGE.parent), *filter(None, [os.environ.get("PYTHONPATH")])))
        self.groups = groups
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": path},
        )

    def wait(self, group: str) -> None:
        """Returns when a group is kept, or will not be."""
        said = self.process.stdout
        if said is None or said.closed:
            return
        tell(0, 100)
        try:
            for line in said:
                match line.decode().split():
                    case ["kept", name] if name == group != self.groups[-1]:
                        return
                    case [done, total] if done.isdigit() and total.isdigit():
                        tell(int(done), int(total))
            said.close()
            self.process.wait()
        finally:
            tell(1, 1)


_jobs: dict[str, _Job] = {}
_lock = threading.RLock()


def tell(done: int, total: int) -> None:
    """Tells who listens how far compiling is; both are alike when it is over."""
    log.info("compiling kernels: %d of %d", done, total, extra={"progress": Progress(done, total, "kernels")})


def prepare(*jobs: Sequence[str]) -> None:
    """Begins to compile groups that are neither kept nor shipped, each job in a process; loading them waits for it."""
    with _lock:
        for job in jobs:
            _begin([group for group in job if place_of(group) and not is_kept(group) and shipped(group) is None])


def _begin(groups: Sequence[str]) -> None:
    groups = [group for group in groups if group not in _jobs]
    if groups:
        with suppress(OSError):
            _jobs.update(dict.fromkeys(groups, _Job(groups)))


def keep_compiled(place: Path, compiled: Callable[[], bytes]) -> None:
    """Keeps the code of a group, linked if there is a linker; waits for another process that does so already."""
    with paths.alone(place.with_suffix(".lock")):
        if not place.exists():
            code = compiled()
            library = linked(code)
            if library is not None:
                _keep(library, place.with_suffix(".so"))
            _keep(code, place)


def _keep(code: bytes, place: Path) -> None:
    """Writes a file with its checksum at the end, where no loader looks."""
    with paths.replacing(place) as partial:
        partial.write_bytes(code + hashlib.sha256(code).digest())


def _kept(place: Path) -> bytes | None:
    """The content of a file that `_keep` wrote; None when it is missing or damaged."""
    try:
        data = place.read_bytes()
    except OSError:
        return None
    code, checksum = data[:-32], data[-32:]
    return code if hashlib.sha256(code).digest() == checksum else None


def linked(code: bytes) -> bytes | None:
    """A shared library made of an object file; None where that cannot be done."""
    import shutil
    import subprocess
    import tempfile

    linker = shutil.which("ld") if sys.platform == "linux" else None
    if linker is None:
        return None
    with tempfile.TemporaryDirectory(prefix="sixprime-") as folder:
        source, target = Path(folder) / "kernels.o", Path(folder) / "kernels.so"
        source.write_bytes(code)
        result = subprocess.run([linker, "-shared", "-o", target, source], capture_output=True)
        return target.read_bytes() if result.returncode == 0 else None


# -- loading --------------------------------------------------------------------------------------

_loaded: dict[str, Any] = {}


def address_of(group: str, symbol: str) -> int | None:
    """Address of an entry; None where the group cannot be compiled apart from this process."""
    with _lock:
        if group not in _loaded:
            _loaded[group] = _load(group)
    loaded = _loaded[group]
    return None if loaded is None else int(loaded(symbol))


def _load(group: str) -> Any:
    """Something that tells the address of a symbol of a group; None where Numba has to do."""
    place = place_of(group)
    found = None if place is None else _load_kept(place)
    if found is None and (ready := shipped(group)) is not None:
        found = _by_system(ready) if ready.suffix == ".so" else _by_llvm(ready.read_bytes())
    if found is None and place is not None:
        _begin([group])
        if group in _jobs:
            _jobs.pop(group).wait(group)
        found = _load_kept(place)
    return found


def _load_kept(place: Path) -> Any:
    """What the cache has of a group; None where that is missing or damaged."""
    code = _kept(place)
    if code is None:
        with suppress(OSError):
            place.unlink(missing_ok=True)
        return None
    library = place.with_suffix(".so")
    return (_by_system(library) if _kept(library) is not None else None) or _by_llvm(code)


def _by_system(library: Path) -> Any:
    """Loads a shared library; None where the system refuses it."""
    try:
        shared = ctypes.CDLL(str(library))
    except OSError:
        return None
    return lambda symbol: ctypes.cast(getattr(shared, symbol), ctypes.c_void_p).value


def _by_llvm(code: bytes) -> Any:
    """Loads an object file; returns a function that tells the address of a symbol."""
    from llvmlite import binding

    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    machine = binding.Target.from_default_triple().create_target_machine()
    engine = binding.create_mcjit_compiler(binding.parse_assembly(""), machine)
    engine.add_object_file(binding.ObjectFileRef.from_data(code))
    engine.finalize_object()
    return engine.get_function_address
