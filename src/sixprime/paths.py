"""Where Sixprime keeps things on this machine, and how it writes files: whole or not at all.

Folders are made on first use. `SIXPRIME_DATA` and `SIXPRIME_CACHE` name them outright; otherwise the
platform's user folders are tried, then a private folder in the temporary directory. `SIXPRIME_CONFIG` names the folder
of the settings, which is made when these are written.
"""

from __future__ import annotations

import errno
import os
import re
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from threading import Lock
from weakref import WeakValueDictionary

from sixprime.errors import SettingsError

_PARTIAL = re.compile(r"\.[0-9a-f]{12}-")
_FORGOTTEN = 86_400.0
"""Seconds after which a half-written file that nobody has written to is nobody's. No lock says so earlier: on a share
of Windows what is locked can be written only by who locked it."""


@contextmanager
def replacing(target: Path) -> Iterator[Path]:
    """A path beside `target` to write to; it takes the place of `target` when the block ends without an error.

    Nobody ever sees half a file. The ending of the name is kept, a folder that is missing is made, and what killed
    processes left of such a file long ago is taken away. Raises OSError, which names `target`.
    """
    refuse_special(target)
    # What a link leads to is replaced, not the link; who may read it then, the file of before says.
    with suppress(OSError, ValueError, RuntimeError):
        target = target.resolve() if target.is_symlink() else target
    try:
        sound = bool(target.name) and b"\0" not in os.fsencode(target)
    except UnicodeEncodeError:
        sound = False
    if not sound:
        raise OSError(errno.EINVAL, "is no name of a file", str(target))
    partial = target.with_name(f".{os.urandom(6).hex()}-{target.name}")
    try:
        with writing(target, partial):
            make_folder(target)
            for left in _left_in(target.parent).pop(target.name, ()):
                _remove_left(left)
            yield partial
            if sys.platform != "win32":
                with suppress(OSError):
                    partial.chmod(stat.S_IMODE(target.stat().st_mode))
            partial.replace(target)
    finally:
        with suppress(OSError):
            partial.unlink(missing_ok=True)


def make_folder(target: Path) -> None:
    """Makes the folder of a file where it is missing. Raises OSError, which names `target`."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        kind = errno.ENOTDIR if isinstance(error, FileExistsError) else error.errno
        raise OSError(kind, os.strerror(kind or errno.EIO), str(target)) from None


@cache
def _left_in(folder: Path) -> dict[str, list[Path]]:
    """By the names they were to have, the half-written files in a folder when this process first writes there: to look
    again for every file would take long where there are thousands."""
    left: dict[str, list[Path]] = {}
    with suppress(OSError):
        for name in os.listdir(folder):
            if found := _PARTIAL.match(name):
                left.setdefault(name[found.end() :], []).append(folder / name)
    return left


def _remove_left(partial: Path) -> None:
    """Takes a half-written file away whose process is gone."""
    with suppress(OSError):
        there = partial.lstat()
        if stat.S_ISREG(there.st_mode) and time.time() - there.st_mtime > _FORGOTTEN:
            partial.unlink()


def finished(folder: Path, pattern: str) -> list[Path]:
    """The files in a folder whose names fit, by name; without those that `replacing` writes to, which stay where their
    process is killed."""
    return sorted(place for place in folder.glob(pattern) if not _PARTIAL.match(place.name))


def refuse_special(target: Path) -> None:
    """Raises OSError for a pipe or a device, whose place no file may take."""
    try:
        mode = target.stat().st_mode
    except (OSError, ValueError):
        return
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        raise OSError(errno.EINVAL, "is a pipe or a device, not a regular file", str(target))


def write(target: Path, content: str | bytes) -> None:
    """Writes a file, text in UTF-8, whole or not at all. Raises OSError."""
    with replacing(target) as partial:
        partial.write_bytes(content if isinstance(content, bytes) else content.encode())


@contextmanager
def writing(target: Path, partial: Path | None = None) -> Iterator[None]:
    """Within the block `target` is written, in a file `partial` at first: an OSError that names nothing names `target`.

    A disk that fills up is met by a write, which knows no name, and by NumPy, which knows no reason either.
    """
    try:
        yield
    except OSError as error:
        if error.filename is None or error.filename == str(partial):
            reason = error.strerror or f"cannot be written whole, perhaps the disk is full ({error})"
            error.errno, error.strerror, error.filename = error.errno or errno.EIO, reason, str(target)
            del error.filename2
        raise


def locked(path: Path) -> Locked:
    """A file that no other process may have as long as what this returns is kept.

    Within this process the same is returned to all who ask. Where the system knows no such thing, nothing is kept away.
    Raises OSError, BlockingIOError while another process has it.
    """
    with writing(path), _LOCKING:
        there = path.stat()
        key = there.st_dev, there.st_ino
        lock = _LOCKS.get(key)
        if lock is None:
            lock = _LOCKS[key] = Locked(path)
        return lock


class Locked:
    """See `locked`; ends with the last who keeps it, and with the process."""

    def __init__(self, path: Path) -> None:
        self._descriptor = os.open(path, os.O_RDWR)
        try:
            _lock(self._descriptor, wait=False)
        except BlockingIOError:
            raise BlockingIOError(errno.EWOULDBLOCK, "is in use by another process", str(path)) from None
        except OSError:
            # A file system without locks.
            pass

    def __del__(self) -> None:
        with suppress(AttributeError, OSError):
            os.close(self._descriptor)


def _lock(descriptor: int, *, wait: bool) -> None:
    """Locks an open file until it is closed; raises OSError where that cannot be done.

    wait: until another process has given it back; without, BlockingIOError is raised where it has it.
    """
    if sys.platform == "win32":
        import msvcrt

        os.lseek(descriptor, _FAR, os.SEEK_SET)
        while True:
            try:
                # It waits for ten seconds and not for as long as it takes.
                msvcrt.locking(descriptor, msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)
                return
            except PermissionError:
                raise BlockingIOError from None
            except OSError as error:
                if error.errno != errno.EDEADLOCK:
                    raise
    else:
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))


_LOCKS: WeakValueDictionary[tuple[int, int], Locked] = WeakValueDictionary()
_LOCKING = Lock()
_FAR = 1 << 30
"""The byte that is locked where single bytes are: one that nobody reads."""


@contextmanager
def alone(path: Path) -> Iterator[None]:
    """Waits until no other process or thread is in a block of the same path, where the system can say so.

    path: a folder, of which a change is made that must not be lost, or a file for this, which is made.
    """
    descriptor = None
    with suppress(OSError):
        descriptor = os.open(path, os.O_RDONLY) if path.is_dir() else os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        _lock(descriptor, wait=True)
    try:
        yield
    finally:
        if descriptor is not None:
            os.close(descriptor)


def readable(name: str) -> str:
    """The name of a file as a text that can be written: bytes in it that are no UTF-8 are replaced."""
    return re.sub("[\ud800-\udfff]", "\ufffd", name)


def expanded(name: str | Path) -> Path:
    """A file as a user names it, with "~" and "~user" for their folders; as it stands where there is no such user."""
    try:
        return Path(name).expanduser()
    except RuntimeError:
        return Path(name)


def data_dir() -> Path:
    """Folder of files that are costly to build again (bear-off databases, training runs)."""
    return _folder("SIXPRIME_DATA", "user_data_path")


def sealed_data_dir(name: str, *, reading: bool = False) -> Path | None:
    """The user's data folder where it can be read alone and has a file of that name, else None.

    reading: also one without, where the user names the folder and so nothing stands in for it.
    """
    if override := os.environ.get("SIXPRIME_DATA"):
        own = expanded(override).absolute()
    else:
        import platformdirs

        own = platformdirs.user_data_path("sixprime", appauthor=False)
    there = (own / name).is_file() or (reading and override)
    return own if there and not os.access(own, os.W_OK) else None


def lasting(folder: Path) -> Path:
    """The same folder, for what nobody could build again. Warns where it stands in for one that cannot be used."""
    if (wanted := _stand_ins.get(folder)) is not None:
        import logging

        logging.getLogger("sixprime").warning(
            "%s cannot be written to; what is kept goes to %s, which may be emptied at any time", wanted, folder
        )
    return folder


def games_dir() -> Path:
    """Folder of the user's games: those in progress and the matches played."""
    folder = lasting(data_dir()) / "games"
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder


def cache_dir() -> Path:
    """Folder of files that may be deleted at any time (compiled kernels)."""
    return _folder("SIXPRIME_CACHE", "user_cache_path")


def settings_file() -> Path:
    """The file of the user's settings, there or not."""
    if override := os.environ.get("SIXPRIME_CONFIG"):
        return expanded(override).absolute() / "settings.toml"
    import platformdirs

    return platformdirs.user_config_path("sixprime", appauthor=False) / "settings.toml"


def sample_match() -> Path:
    """A real 7-point match that ships in the package."""
    return Path(__file__).parent / "data" / "sample.mat"


def _folder(variable: str, platform_function: str) -> Path:
    return _usable_folder(variable, os.environ.get(variable, ""), platform_function)


_stand_ins: dict[Path, Path] = {}
"""Temporary folders, and those in whose place they are used."""


@cache
def _usable_folder(variable: str, override: str, platform_function: str) -> Path:
    if override:
        chosen = expanded(override).absolute()
        if not _writable(chosen):
            raise SettingsError(f"The folder {chosen} named by {variable} cannot be written to.")
        return chosen
    import platformdirs

    preferred: Path = getattr(platformdirs, platform_function)("sixprime", appauthor=False)
    if _writable(preferred):
        return preferred
    # One folder per user and purpose; 0700 so that nobody else can slip files into it.
    user = os.getuid() if hasattr(os, "getuid") else os.environ.get("USERNAME", "user")
    import tempfile

    fallback = Path(tempfile.gettempdir()) / f"sixprime-{user}" / platform_function.split("_")[1]
    if not (_writable(fallback) and _private(fallback.parent)):
        fallback = Path(tempfile.mkdtemp(prefix="sixprime-"))
    _stand_ins[fallback] = preferred
    return fallback


def _writable(folder: Path) -> bool:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        try_writing(folder)
    except OSError:
        return False
    return True


def try_writing(folder: Path, name: str = "") -> None:
    """Makes an empty file in a folder and takes it away again. Raises OSError where that cannot be done.

    name: of the file that `replacing` is to write there.
    """
    place = folder / f".{os.urandom(6).hex()}-{name}"
    os.close(os.open(place, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    place.unlink()


def _private(folder: Path) -> bool:
    """Whether `folder` belongs to this user; makes it unreadable to others."""
    try:
        if hasattr(os, "getuid") and folder.stat().st_uid != os.getuid():
            return False
        folder.chmod(0o700)
    except OSError:
        return False
    return True
