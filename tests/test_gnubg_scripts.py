"""Scripts in GNU Backgammon's language: what they say is recorded, and compared with what they say there.

`SIXPRIME_RECORD=1` writes the transcripts of `tests/data/transcripts` anew; look at what has changed.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from gnubg_scripts import ALLOWED, DATA, SCRIPTS, Script, Transcript, differences, theirs, written
from golden import RECORD, rounded
from places import COMPILING

from sixprime.cli import main

TRANSCRIPTS = DATA / "transcripts"
ORACLE = shutil.which("gnubg") or shutil.which("gnubg", path="/usr/games")
_NUMBER = re.compile(r"\d+\.\d+")
_DATE = re.compile(r"\b\d{4}-\d\d-\d\d\b|, \d{4}\b")


@pytest.fixture
def ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Callable[..., Transcript]:
    """Runs a script here, in an empty folder with a home of its own."""

    def run(script: Script) -> Transcript:
        for module in script.modules:
            pytest.importorskip(module)
        home, work = tmp_path / "home", tmp_path / "here"
        home.mkdir()
        work.mkdir()
        words = script.lay(work)
        before = list(work.rglob("*"))
        source = tmp_path / "stdin"
        source.write_text(script.stdin, encoding="utf-8")
        with monkeypatch.context() as patch, source.open(encoding="utf-8") as stdin:
            patch.chdir(work)
            patch.setenv("HOME", str(home))
            patch.setenv("SIXPRIME_DATA", str(home / "data"))
            patch.setattr("sys.stdin", stdin)
            with pytest.raises(SystemExit) as ended:
                main(["gnubg", *words])
        out, err = (stream.replace(str(tmp_path), "FOLDER") for stream in capfd.readouterr())
        err = err.removeprefix(COMPILING)
        return Transcript(out, err, int(ended.value.code or 0), written(work, before))

    return run


def _unreleased(text: str) -> str:
    """A transcript without the versions of Sixprime and of what it is made with."""
    text = re.sub(r"^Sixprime \d\S*", "Sixprime", text, flags=re.MULTILINE)
    made_with, end = "It is made with:\n", "Its language"
    return re.sub(f"(?<={made_with})[^I]+(?={end})", lambda lines: re.sub(r" \d\S+$", "", lines[0], flags=re.M), text)


def _like(text: str) -> str:
    """A transcript without what machines change: the last digits."""
    return _NUMBER.sub("#", rounded(text))


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_transcripts(path: Path, ours: Callable[..., Transcript]) -> None:
    """Words are those recorded, and numbers near them."""
    said = _unreleased(str(ours(Script.of(path))))
    kept = TRANSCRIPTS / f"{path.stem}.txt"
    if RECORD:
        kept.write_text(said, encoding="utf-8")
    before = _unreleased(kept.read_text(encoding="utf-8"))
    assert _like(said) == _like(before)
    pairs = zip(_NUMBER.findall(said), _NUMBER.findall(before), strict=True)
    assert all(abs(float(now) - float(then)) <= max(0.002, abs(float(then)) * 0.002) for now, then in pairs)
    assert "Traceback" not in said or "module-errors" in path.stem or "python-lines" in path.stem


@pytest.mark.skipif(ORACLE is None, reason="GNU Backgammon is not installed")
@pytest.mark.timeout(400)
@pytest.mark.parametrize("path", [p for p in SCRIPTS if "# alone:" not in p.read_text()], ids=lambda path: path.stem)
def test_transcripts_are_those_of_gnu_backgammon(path: Path, ours: Callable[..., Transcript], tmp_path: Path) -> None:
    """But for the differences that the script allows, all of which are met."""
    script = Script.of(path)
    assert ORACLE is not None
    wrong, used = differences(ours(script), theirs(script, ORACLE, tmp_path / "there"), script.allowed)
    assert not wrong, "\n".join(wrong)
    assert not set(script.allowed) - used, "allowed, and not met"


def test_every_difference_has_a_reason_and_is_met_somewhere() -> None:
    named = {name for path in SCRIPTS for name in Script.of(path).allowed}
    assert named <= set(ALLOWED)
    assert set(ALLOWED) - named == {"banner"}
    assert all(rule.reason for rule in ALLOWED.values())


def test_there_are_enough_scripts() -> None:
    assert len(SCRIPTS) >= 40
    assert len({path.stem for path in SCRIPTS}) == len(SCRIPTS)


def test_differences_are_noticed() -> None:
    """A board that is missing, another word, a number that is far off, a file that is not written."""
    board = " GNU Backgammon  Position ID: 4HPwATDgc/ABMA\n | X |\n\n"
    base = Transcript(f"{board}Eq.: +0.100\nfine\n", "", 0, ("a.txt",))

    def wrong(**parts: Any) -> list[str]:
        told = Transcript(**{"out": base.out, "err": base.err, "status": 0, "files": base.files} | parts)
        return differences(told, base, ("equities", "boards"))[0]

    assert not wrong()
    assert not wrong(out=base.out.replace("+0.100", "+0.120"))
    assert wrong(out=base.out.replace("+0.100", "+0.300"))
    assert wrong(out=base.out.replace("| X", "| O"))
    assert wrong(out=base.out.replace("fine", "good"))
    assert wrong(err="foo\n")
    assert wrong(files=())
    assert wrong(status=1)
