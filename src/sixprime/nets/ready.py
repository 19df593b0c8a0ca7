"""Nets as the kernels want them, folded once and kept in the user's cache folder.

A kept file is named after the network file, as the system knows it, and the sources that fold it. In it stand, after a
line of JSON, the arrays of all nets, each on a 64-byte boundary; with the line they add up to a number that it tells.
Whatever is wrong with it, it is made anew. The latest few are kept.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from sixprime import paths
from sixprime.errors import DataFileError, SettingsError
from sixprime.kernels._block import Layout, fields_of
from sixprime.kernels.network import NO_NET, Net
from sixprime.nets.names import path_of

if TYPE_CHECKING:
    from sixprime.nets.file import NetFile

_ALIGNED = 64
_HEAD = 1 << 16
"""Bytes before the arrays."""
_LATEST = 8
"""Files that are kept at most; one of the larger nets takes 22 MB."""
_SHARED: WeakValueDictionary[Path | None, ReadyNets] = WeakValueDictionary()
_SHARING = Lock()


@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False)
class ReadyNets:
    """The nets of a file for a `Brain`, and the checksum of `nets.file.NetFile`; back: `NO_NET` when it has none."""

    contact: Net
    race: Net
    pruner: Net
    back: Net
    checksum: str


def ready(path: Path | str) -> ReadyNets:
    """The nets of a file, or of the one of the package with this name. Raises `DataFileError` as `nets.file.load`."""
    path = path_of(path)
    place = _place_of(path)
    found = place and _kept(place)
    if not found:
        from sixprime.nets import file

        loaded = file.load(path)
        try:
            found = made(loaded)
        except SettingsError as error:
            raise DataFileError(f"{path}: {error}") from None
        if place is not None:
            # Without a cache every start folds them.
            with suppress(OSError):
                _keep(found, place)
    return found


def shared(path: Path | str) -> ReadyNets:
    """As `ready`, but as long as somebody has the nets of a file, all others in this process get the same."""
    place = _place_of(path_of(path))
    with _SHARING:
        found = _SHARED.get(place)
        if found is None:
            found = ready(path)
            if place is not None:
                _SHARED[place] = found
    return found


def made(nets: NetFile) -> ReadyNets:
    """The nets of a file that is loaded."""
    from sixprime.nets.params import fold

    back = fold(nets.back) if nets.back else NO_NET
    return ReadyNets(fold(nets.contact), fold(nets.race), fold(nets.pruner), back, nets.checksum)


def _place_of(path: Path) -> Path | None:
    """Where the folded nets of a file are kept; None when there is no such file."""
    try:
        about = path.stat()
    except OSError:
        return None
    # Whoever writes to a file, or puts another in its place, changes one of these.
    known = path.absolute(), about.st_size, about.st_mtime_ns, about.st_ctime_ns, about.st_ino
    return paths.cache_dir() / "nets" / f"{hashlib.sha256(repr((known, _version())).encode()).hexdigest()[:16]}.bin"


@cache
def _version() -> str:
    """Hash of the sources that say what a folded net is."""
    here = Path(__file__)
    kernels = here.parents[1] / "kernels"
    names = (
        here,
        here.with_name("params.py"),
        here.with_name("file.py"),
        kernels / "features.py",
        kernels / "network.py",
    )
    return hashlib.sha256(b"".join(name.read_bytes() for name in names)).hexdigest()


def _nets(found: ReadyNets) -> Iterator[tuple[str, Net]]:
    yield from ((field.name, getattr(found, field.name)) for field in fields(found) if field.name != "checksum")


def _keep(found: ReadyNets, place: Path) -> None:
    """Writes nets whole or not at all. Raises OSError."""
    told: dict[str, Any] = {"checksum": found.checksum}
    arrays, at = [], _HEAD
    for name, net in _nets(found):
        told[name] = {}
        for field, kind in fields_of(Net).items():
            value = getattr(net, field)
            if isinstance(kind, Layout):
                told[name][field] = [at, *value.shape]
                arrays.append((at, value))
                at += -(-value.nbytes // _ALIGNED) * _ALIGNED
            else:
                told[name][field] = value
    data = np.zeros(at, dtype=np.uint8)
    for start, array in arrays:
        data[start : start + array.nbytes] = array.reshape(-1).view(np.uint8)
    told["sum"] = _sum(data, told)
    head = json.dumps(told).encode()
    data[: len(head)] = np.frombuffer(head, dtype=np.uint8)
    with paths.replacing(place) as partial:
        partial.write_bytes(data.data)
    for old in sorted(place.parent.glob("*.bin"), key=lambda path: path.stat().st_mtime)[:-_LATEST]:
        old.unlink(missing_ok=True)


def _kept(place: Path) -> ReadyNets | None:
    """The nets of a kept file; None when it is missing or damaged."""
    try:
        with place.open("rb") as stream:
            # Mapped: nothing is copied, and processes share what they read.
            data = np.asarray(np.memmap(stream, dtype=np.uint8, mode="c"))
        told = json.loads(bytes(data[:_HEAD]).rstrip(b"\0"))
        if told.pop("sum") != _sum(data, told):
            return None
        checksum = told.pop("checksum")
        return ReadyNets(**{name: _net(data, told[name]) for name in told}, checksum=checksum)
    except (OSError, ValueError, LookupError, TypeError):
        return None


def _net(data: NDArray[np.uint8], told: dict[str, Any]) -> Net:
    values = []
    for field, kind in fields_of(Net).items():
        value = told[field]
        if isinstance(kind, Layout):
            at, *shape = value
            size = int(np.prod(shape)) * kind.dtype.itemsize
            value = data[at : at + size].view(kind.dtype).reshape(shape)
        values.append(value)
    return Net(*values)


def _sum(data: NDArray[np.uint8], told: dict[str, Any]) -> int:
    """Of the words of the arrays and of what else the line tells."""
    return int(np.add.reduce(data[_HEAD:].view(np.uint64))) + crc32(json.dumps(told).encode())
