"""The user's folders: overrides, fallbacks, and what cannot be used."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import platformdirs
import pytest

from sixprime import paths
from sixprime.codec import kept
from sixprime.errors import SettingsError


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    """No answer of another test, nor of these in others."""
    paths._usable_folder.cache_clear()
    yield
    paths._usable_folder.cache_clear()


@pytest.fixture
def unusable(tmp_path: Path) -> Path:
    """A folder that cannot be made, whoever the user is."""
    (tmp_path / "file").touch()
    return tmp_path / "file" / "folder"


def test_variables_name_the_folders(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SIXPRIME_DATA", str(tmp_path / "a" / "b"))
    monkeypatch.setenv("SIXPRIME_CACHE", str(tmp_path / "c"))
    assert paths.data_dir() == tmp_path / "a" / "b"
    assert paths.cache_dir() == tmp_path / "c"
    assert paths.data_dir().is_dir()


def test_a_named_folder_that_cannot_be_used_is_an_error(monkeypatch: pytest.MonkeyPatch, unusable: Path) -> None:
    monkeypatch.setenv("SIXPRIME_DATA", str(unusable))
    with pytest.raises(SettingsError, match="named by SIXPRIME_DATA"):
        paths.data_dir()


def test_platform_folders(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("SIXPRIME_CACHE", raising=False)
    monkeypatch.setattr(platformdirs, "user_cache_path", lambda *_, **__: tmp_path / "cache")
    assert paths.cache_dir() == tmp_path / "cache"


def test_the_temporary_folder_is_the_last_resort(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, unusable: Path
) -> None:
    monkeypatch.delenv("SIXPRIME_DATA", raising=False)
    monkeypatch.setattr(platformdirs, "user_data_path", lambda *_, **__: unusable)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    folder = paths.data_dir()
    assert folder.parent.parent == tmp_path
    assert folder.is_dir()
    assert folder == paths.data_dir()
    assert folder.parent.stat().st_mode & 0o077 == 0


def test_what_is_kept_in_a_temporary_folder_is_warned_of(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, unusable: Path, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.delenv("SIXPRIME_DATA", raising=False)
    monkeypatch.setattr(platformdirs, "user_data_path", lambda *_, **__: tmp_path / "data")
    assert paths.games_dir() == tmp_path / "data" / "games"
    assert caplog.messages == []
    paths._usable_folder.cache_clear()
    monkeypatch.setattr(platformdirs, "user_data_path", lambda *_, **__: unusable)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    place = paths.games_dir().parent
    said = f"{unusable} cannot be written to; what is kept goes to {place}, which may be emptied at any time"
    assert caplog.messages == [said]


def test_what_is_in_a_folder_that_can_only_be_read_is_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    sealed, temporary = tmp_path / "sealed", tmp_path / "temporary"
    sealed.mkdir()
    (sealed / "there").touch()
    monkeypatch.setenv("SIXPRIME_DATA", str(sealed))
    monkeypatch.setattr(os, "access", lambda path, mode: not (mode == os.W_OK and path == sealed))
    monkeypatch.setattr(kept, "data_dir", lambda: temporary)
    assert kept.Kept.of_user("there", None).path == sealed / "there"
    assert kept.Kept.of_user("missing", None).path == temporary / "missing"
    assert kept.Kept.of_user("missing", None, reading=True).path == sealed / "missing"


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="no users with numbers")
@pytest.mark.parametrize("whose", ["another's", "nobody may say"])
def test_a_temporary_folder_of_somebody_else_is_not_used(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, unusable: Path, whose: str
) -> None:
    monkeypatch.delenv("SIXPRIME_DATA", raising=False)
    monkeypatch.setattr(platformdirs, "user_data_path", lambda *_, **__: unusable)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    user = os.getuid() + (whose == "another's")
    monkeypatch.setattr(os, "getuid", lambda: user)
    if whose != "another's":

        def refuse(*_: object, **__: object) -> None:
            raise PermissionError(errno.EPERM, "Operation not permitted")

        monkeypatch.setattr(Path, "chmod", refuse)
    folder = paths.data_dir()
    assert folder.parent == tmp_path
    assert folder.name.startswith("sixprime-")
    assert folder.name != f"sixprime-{user}"


def test_what_cannot_be_written_is_named_by_its_own_name(unusable: Path) -> None:
    target = unusable / "report.html"
    with pytest.raises(OSError, match="report") as caught, paths.replacing(target) as partial:
        partial.write_text("")
    assert caught.value.filename == str(target)


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        ((errno.ENOSPC, "No space left on device"), "No space left on device"),
        (("1000 requested and 496 written",), r"perhaps the disk is full \(1000 requested and 496 written\)"),
    ],
)
@pytest.mark.parametrize("writing", [paths.replacing, paths.writing])
def test_a_full_disk_names_the_file(tmp_path: Path, writing, error: tuple[object, ...], reason: str) -> None:
    """A write knows no name, and NumPy's no reason."""
    target = tmp_path / "rollout.npz"
    with pytest.raises(OSError, match=reason) as caught, writing(target):
        raise OSError(*error)
    assert caught.value.filename == str(target)
    assert caught.value.errno
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32", reason="no permissions, and links are for administrators")
def test_a_file_that_is_replaced_stays_private_and_where_it_is(tmp_path: Path) -> None:
    real, link = tmp_path / "real", tmp_path / "folder" / "link"
    link.parent.mkdir()
    link.symlink_to("../real")
    real.write_text("old")
    real.chmod(0o600)
    paths.write(link, "new")
    assert link.is_symlink()
    assert (real.read_text(), real.stat().st_mode & 0o777) == ("new", 0o600)
    assert [*link.parent.iterdir()] == [link]


def test_another_file_keeps_its_name(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as caught, paths.replacing(tmp_path / "copy"):
        (tmp_path / "original").read_bytes()
    assert caught.value.filename == str(tmp_path / "original")


def test_what_a_killed_process_left_goes_with_a_later_write(tmp_path: Path) -> None:
    target = tmp_path / "one.bearoff"
    code = "import os, sys; from pathlib import Path; from sixprime.paths import replacing\n"
    code += "with replacing(Path(sys.argv[1])) as partial:\n    partial.touch(); os._exit(1)"
    subprocess.run([sys.executable, "-c", code, str(target)], timeout=60)
    (left,) = tmp_path.iterdir()
    young, other = tmp_path / f".{'0' * 12}-one.bearoff", tmp_path / f".{'1' * 12}-other.bearoff"
    other.touch()
    for place in (left, other):
        os.utime(place, (1, 1))
    young.touch()
    paths._left_in.cache_clear()
    paths.write(target, "whole")
    assert set(tmp_path.iterdir()) == {target, young, other}


@pytest.mark.skipif(sys.platform == "win32", reason="no such locks")
def test_what_is_being_written_is_not_locked(tmp_path: Path) -> None:
    # On a share of Windows, whoever has locked a file is the only one who can write it.
    import fcntl

    with paths.replacing(tmp_path / "text") as partial, partial.open("w") as stream:
        fcntl.flock(stream.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_a_missing_folder_is_made(tmp_path: Path) -> None:
    target = tmp_path / "not" / "there" / "text"
    paths.write(target, "whole")
    assert target.read_text() == "whole"
    with pytest.raises(NotADirectoryError) as caught:
        paths.write(target / "text", "")
    assert caught.value.filename == str(target / "text")


FULL = """
import resource, signal, sys
import numpy as np
from pathlib import Path
from sixprime.errors import SixprimeError
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
folder = Path(sys.argv[1])
from sixprime.bearoff import OneSided
from sixprime.bearoff.builder import Scratch
from sixprime.formats import save
from sixprime.paths import write
from sixprime.train.race_lessons import Lessons
side = OneSided.build(5, 5)
works = {
    "one.bearoff": side.save,
    "text.html": lambda path: write(path, "x" * 10_000),
    "match.sgf": lambda path: save(path, "x" * 10_000),
    "lessons.npz": lambda path: Lessons(np.zeros((500, 25), np.int8), np.zeros((500, 4), np.float32)).save(path),
    "build/array": lambda path: Scratch(path.parent).array(path.name, "<i8", (10_000,)),
}
resource.setrlimit(resource.RLIMIT_FSIZE, (2048, 2048))
for name, work in works.items():
    try:
        work(folder / name)
        print(f"{name} was written")
    except OSError as error:
        print(error.filename == str(folder / name), error.strerror)
print(sorted(path.name for path in folder.iterdir()))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no limits of file sizes")
def test_whatever_writes_names_its_file(tmp_path: Path) -> None:
    result = subprocess.run([sys.executable, "-c", FULL, str(tmp_path)], capture_output=True, text=True, timeout=120)
    *said, left = result.stdout.splitlines()
    assert said == ["True File too large"] * 5, result.stderr
    assert left == "['build']"


@pytest.mark.skipif(sys.platform == "win32", reason="folders cannot be locked")
@pytest.mark.parametrize("name", ["", "some.lock"])
def test_one_at_a_time_changes_a_folder_or_holds_a_file(name: str, tmp_path: Path) -> None:
    place, told = tmp_path / name, tmp_path.parent / f"{tmp_path.name}-{name}-told"
    code = "import sys; from pathlib import Path; from sixprime.paths import alone\nwith alone(Path(sys.argv[1])):"
    code += "\n    with open(sys.argv[2], 'a') as file: file.write('theirs ')"
    with paths.alone(place):
        other = subprocess.Popen([sys.executable, "-c", code, str(place), str(told)])
        with pytest.raises(subprocess.TimeoutExpired):
            other.wait(1.5)
        with told.open("a") as file:
            file.write("ours ")
    assert other.wait(60) == 0
    assert told.read_text() == "ours theirs "
    told.unlink()
