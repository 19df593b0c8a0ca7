"""The user's folders: overrides, fallbacks, and what cannot be used."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import platformdirs
import pytest

from sixprime import paths
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


def test_what_cannot_be_written_is_named_by_its_own_name(unusable: Path) -> None:
    target = unusable / "report.html"
    with pytest.raises(OSError, match="report") as caught, paths.replacing(target) as partial:
        partial.write_text("")
    assert caught.value.filename == str(target)
