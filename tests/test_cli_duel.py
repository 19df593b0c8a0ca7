"""`sixprime duel` and `sixprime bench --strength` as users and scripts meet them."""

from __future__ import annotations

import io
import json
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from sixprime.cli import duel as command
from sixprime.play.standing import Estimate

KEYS = {
    "a", "b", "identities", "kind", "length", "jacoby", "variant", "seed", "pairs", "wins", "raw", "raw_error",
    "adjusted", "adjusted_error", "z", "stopped", "evaluator", "seconds", "pairs_per_minute", "waiting",
}  # fmt: skip
FAKE = f"ubgi:{shlex.quote(sys.executable)} {shlex.quote(str(Path(__file__).with_name('fake_ubgi.py')))}"

Sixprime = Callable[..., tuple[int, str, str]]


def test_duel_prints_json_or_text(sixprime: Sixprime) -> None:
    options = ("standard", "standard@0ply", "--pairs", "2", "--threads", "1")
    status, out, _ = sixprime("duel", *options, "--json")
    result = json.loads(out)
    assert status == 0
    assert set(result) == KEYS
    assert (result["kind"], result["pairs"], result["wins"], result["stopped"]) == (
        "cubeless money",
        2,
        [2, 2],
        "pairs",
    )
    assert (result["raw"], result["adjusted"], result["z"]) == (0, 0, 0)
    status, out, _ = sixprime("duel", *options, "--cubeful", "--no-jacoby")
    assert status == 0
    assert "2 mirrored pairs of cubeful money games without Jacoby rule" in out
    assert "These are too few to show who is better." in out
    status, out, _ = sixprime("duel", *options, "--length", "1", "--json")
    assert (json.loads(out)["kind"], json.loads(out)["length"], json.loads(out)["variant"]) == ("match", 1, "standard")
    status, out, _ = sixprime("duel", *options, "--variant", "nackgammon")
    assert "2 mirrored pairs of cubeless money games of Nackgammon, seed 1" in out


def test_an_interrupted_duel_tells_what_is_there_and_goes_on(
    sixprime: Sixprime, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = ("duel", "standard", "standard", "--pairs", "10", "--state", str(tmp_path / "duel.json"), "--json")
    show = command._LiveLine.show

    def interrupt(line: command._LiveLine) -> None:
        if line._match.complete() >= 1:
            raise KeyboardInterrupt
        show(line)

    with monkeypatch.context() as patch:
        patch.setattr(command._LiveLine, "show", interrupt)
        status, out, err = sixprime(*options)
    first = json.loads(out)
    assert status == 0
    assert first["stopped"] == "interrupted"
    assert 1 <= first["pairs"] < 10
    assert "goes on from there" in err
    status, out, _ = sixprime(*options)
    assert (status, json.loads(out)["pairs"]) == (0, 10)


def test_a_duel_with_a_dying_engine_fails_in_one_line(sixprime: Sixprime) -> None:
    status, out, err = sixprime("duel", "standard", f"{FAKE} dies", "--threads", "1")
    assert (status, out) == (1, "")
    assert err.splitlines()[-1].endswith("dies has ended (exit status 7): out of memory.")


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (("duel", "standard"), 2, "duel needs B"),
        (("duel", "standard", "standard", "--cubeful", "--length", "5"), 2, "give --cubeful for money games or"),
        (("duel", "standard", "standard", "--no-jacoby"), 2, "--no-jacoby goes with --cubeful"),
        (("duel", "standard", "standard@7"), 2, "our nets look 0 to 4 plies ahead"),
        (("duel", "standard", "small", "--evaluator", "small@5"), 2, "small@5: our nets look 0 to 4 plies ahead"),
        (("duel", "standard", "standard", "--state", "."), 2, "is a folder"),
        (("duel", "standard", "standard", "--state", "/dev/null/duel.json"), 1, "/dev/null: a folder was expected"),
        (("duel", "standard", "nothing.safetensors"), 1, "Cannot read the network file nothing.safetensors"),
        (("duel", "standard", "gnubg", "--gnubg", "/no/gnubg"), 1, "No GNU Backgammon found as /no/gnubg"),
        (("bench", "--strength"), 2, "name the folder of strength_rollouts.jsonl"),
        (("bench", "--strength", "--data", "/nowhere"), 1, "is not in /nowhere, the folder named by --data"),
        (("bench", "--strength", "--seconds", "1"), 2, "--seconds is for measuring speed"),
        (("bench", "--plies", "2"), 2, "add --strength"),
    ],
)
def test_wrong_use_is_one_clear_line(
    sixprime: Sixprime, arguments: tuple[str, ...], status: int, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SIXPRIME_REFDATA", raising=False)
    found, out, err = sixprime(*arguments)
    assert (found, out) == (status, "")
    assert message in err.splitlines()[-1]


def test_bench_measures_strength(sixprime: Sixprime, tmp_path: Path) -> None:
    rollouts = [
        {"id": "a", "set": "general", "posid": "4HPhASiYZ/ABMA", "equity": 0.20, "se": 0.01},
        {"id": "b", "set": "general", "posid": "4NvgICTYJvgIIg", "equity": -0.10, "se": 0.01},
    ]
    candidates = [{"pos": "a", "eq": -0.2}, {"pos": "b", "eq": 0.1}]
    rows = {"rollouts": rollouts, "decisions": [{"cands": candidates}, {"cands": candidates}]}
    for name, lines in rows.items():
        (tmp_path / f"strength_{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    options = ("bench", "--strength", "--data", str(tmp_path), "--threads", "1", "--plies", "0", "1")
    status, out, _ = sixprime(*options, "--json")
    result = json.loads(out)
    assert status == 0
    assert result["net"] == "standard"
    assert list(result["plies"]) == ["0", "1"]
    assert result["plies"]["0"]["decisions"]["n"] == 2
    assert set(result["plies"]["1"]) == {"sets", "decisions", "seconds"}
    status, out, _ = sixprime(*options)
    assert status == 0
    assert [line.split()[:2] for line in out.splitlines()[1:]] == [
        ["0", "general"], ["0", "decisions"], ["1", "general"], ["1", "decisions"],
    ]  # fmt: skip


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_sees_how_it_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    standing = SimpleNamespace(pairs=12, adjusted=Estimate(0.25, 0.1))
    match = SimpleNamespace(played=2, standing=lambda: standing)
    monkeypatch.setattr("sys.stderr", Terminal())
    monkeypatch.setattr(command, "time", SimpleNamespace(monotonic=iter((0.0, 0.1, 60.0)).__next__))
    line = command._LiveLine(match, 20)
    match.played = 15  # three of them behind one that goes on
    line.show()
    assert sys.stderr.getvalue() == ""  # too soon
    line.show()
    line.clear()
    said = "12 of 20 pairs  +0.2500 ± 0.1000 luck-adjusted, 2.5 standard errors  13 a minute"
    assert sys.stderr.getvalue() == f"\r\x1b[K{said}\r\x1b[K"


@pytest.mark.parametrize(
    ("pairs", "z", "text"),
    [
        (10, None, "Neither is shown to be better."),
        (10, -1.9, "Neither is shown to be better."),
        (10, 2.5, "A seems to be the better player."),
        (10, -3.5, "B is the better player."),
        (9, -43.6, "These are too few to show who is better."),
    ],
)
def test_what_the_numbers_say(pairs: int, z: float | None, text: str) -> None:
    assert command._verdict({"pairs": pairs, "z": z, "a": "A", "b": "B"}) == text
