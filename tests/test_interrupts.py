"""Ctrl-C, a request to terminate and a terminal that goes away: all keep what there is, and no traceback is seen."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from same_results import same

from sixprime import Engine, Position, interrupts
from sixprime.bearoff.hyper import Hyper
from sixprime.cli import duel as duel_command
from sixprime.cli import rollout as rollout_command
from sixprime.engine import rollout as running
from sixprime.engine.rollout_result import RolloutResult, load
from sixprime.paths import sample_match
from sixprime.progress import Watch
from sixprime.train import pipeline

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals differ")

START = "4HPwATDgc/ABMA"
every_signal = pytest.mark.parametrize("number", interrupts.SIGNALS)


def after(calls: int, function: Callable[..., object], number: int) -> Callable[..., object]:
    """`function` that is followed by a signal the `calls`th time."""
    count = 0

    def called(*arguments: object, **options: object) -> object:
        nonlocal count
        result = function(*arguments, **options)
        count += 1
        if count == calls:
            signal.raise_signal(number)
        return result

    return called


@pytest.fixture
def matches(tmp_path: Path) -> list[str]:
    """Two short matches."""
    text = sample_match().read_text(encoding="utf-8").split(" Game 2")[0]
    for name in ("a.mat", "b.mat"):
        (tmp_path / name).write_text(text, encoding="utf-8")
    return [str(tmp_path / "a.mat"), str(tmp_path / "b.mat")]


# -- signals ---------------------------------------------------------------------------------------


@every_signal
def test_a_signal_is_an_interrupt_once(number: int, capfd: pytest.CaptureFixture[str]) -> None:
    before = [signal.getsignal(each) for each in interrupts.SIGNALS]
    with interrupts.raised() as asked:
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(number)
        signal.raise_signal(number)  # while what there is is being saved
    assert (asked.number, asked.times) == (number, 2)
    assert "once more ends at once" in capfd.readouterr().err
    assert [signal.getsignal(each) for each in interrupts.SIGNALS] == before


def test_after_an_answer_the_next_signal_is_the_first_again(capfd: pytest.CaptureFixture[str]) -> None:
    with interrupts.raised():
        for _ in range(4):
            with pytest.raises(KeyboardInterrupt):
                signal.raise_signal(signal.SIGINT)
            assert interrupts.answered()
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGTERM)
        assert not interrupts.answered()
    assert capfd.readouterr().err == ""


def test_an_ignored_signal_stays_ignored() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with interrupts.raised() as asked, interrupts.deferred() as deferred:
            signal.raise_signal(signal.SIGHUP)
    finally:
        signal.signal(signal.SIGHUP, before)
    assert (asked.number, deferred.number) == (None, None)


@every_signal
def test_deferred(number: int) -> None:
    done: list[object] = []

    def work(times: int) -> None:
        with interrupts.raised(), interrupts.deferred() as asked:
            for _ in range(times):
                signal.raise_signal(number)
            done.append(asked.number)

    with pytest.raises(KeyboardInterrupt):
        work(1)
    assert done == [number]
    with pytest.raises(KeyboardInterrupt):
        work(2)  # a second one is not waited for
    assert done == [number]


def test_an_interrupt_that_python_drops_comes_again() -> None:
    class Thing:
        def __del__(self) -> None:
            signal.raise_signal(signal.SIGINT)

    def work() -> None:
        thing = Thing()
        del thing
        signal.pause()

    with interrupts.raised() as asked, pytest.raises(KeyboardInterrupt):
        work()
    assert asked.times == 1


def process(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs the command line after some code in a process of its own."""
    code = f"import os, signal, sys; signal.signal(2, signal.default_int_handler)\n{code}\n"
    command = [sys.executable, "-c", f"{code}from sixprime.cli import main; sys.argv[1:] = {list(arguments)}; main()"]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


def test_a_third_signal_ends_at_once() -> None:
    code = """
from sixprime import interrupts
with interrupts.raised():
    for _ in range(9):
        try:
            signal.raise_signal(signal.SIGTERM)
        except KeyboardInterrupt:
            print("saving", flush=True)
"""
    result = process(code)
    assert (result.returncode, result.stdout) == (-signal.SIGTERM, "saving\n")


@pytest.mark.parametrize(
    "module", ["sixprime.interrupts", "sixprime.cli._output", "cyclopts", "numba", "sixprime.engine.engine"]
)
def test_while_modules_are_imported(module: str) -> None:
    code = f"""
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            sys.meta_path.remove(self)
            signal.raise_signal(signal.SIGINT)
sys.meta_path.insert(0, Finder())
"""
    result = process(code, "eval", START, "--plies", "0")
    said = [line for line in result.stderr.splitlines() if not line.startswith("Compiling")]
    assert (result.stdout, said) == ("", ["sixprime: interrupted"])
    assert result.returncode in (1, -signal.SIGINT)  # Python insists on the latter where a module ran a string


def test_while_the_interpreter_ends() -> None:
    result = process("import atexit; atexit.register(lambda: signal.raise_signal(signal.SIGINT))", "met", "--list")
    assert (result.returncode, result.stderr) == (-signal.SIGINT, "")
    assert "kazaross-xg2" in result.stdout


def test_the_interpreter_is_not_taken_apart_around_a_thread() -> None:
    code = """
import atexit, threading
atexit.register(os.write, 1, b"going on to its end")
"""
    thread = "threading.Thread(target=threading.Event().wait, daemon=True).start()"
    for added, out in (("", "going on to its end"), (thread, "")):
        result = process(code + added, "met", "no such table")
        assert (result.returncode, result.stdout) == (2, out)
        assert "no such table" in result.stderr


# -- what is kept ----------------------------------------------------------------------------------


@every_signal
def test_rollout(sixprime, number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The trials are kept, also when a second signal comes while they are written; what goes on has the same bits."""
    path = tmp_path / "rollout.npz"
    words = "--trials", "144", "--truncate", "3", "--threads", "1"
    save = RolloutResult.save

    def interrupted_save(result: RolloutResult, target: Path) -> None:
        signal.raise_signal(number)
        save(result, target)

    with monkeypatch.context() as patch:
        patch.setattr(running, "TASK", (12,) * 5)
        patch.setattr(running, "_merge", after(3, running._merge, number))
        patch.setattr(RolloutResult, "save", interrupted_save)
        status, out, err = sixprime("rollout", START, *words, "--save", str(path))
    assert (status, load(path).trials, load(path).finished) == (1, 36, False)
    assert "36 trials" in out
    assert err.splitlines()[-1] == f"sixprime: interrupted after 36 trials; go on with: sixprime rollout {path}"
    assert sixprime("rollout", str(path), "--threads", "1")[0] == 0
    assert same(load(path), Engine(threads=1).rollout(load(path).position, trials=144, truncation=3))


@every_signal
def test_analyse(sixprime, matches, number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The reports of the matches done are there."""
    monkeypatch.setattr(Engine, "luck_many", after(2, Engine.luck_many, number))
    status, out, err = sixprime("analyse", *matches, "--plies", "0", "--html", str(tmp_path / "out"))
    assert (status, err.splitlines()[-1]) == (1, "sixprime: interrupted")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["a.html", "a.sixprime"]
    assert out.count("PR = 500") == 1


def test_analyse_with_rollouts(sixprime, matches, monkeypatch: pytest.MonkeyPatch) -> None:
    """Decisions rolled out stay so, and no other match is begun."""
    monkeypatch.setattr(Engine, "rollout_plays", after(1, Engine.rollout_plays, signal.SIGTERM))
    words = "--plies", "0", "--rollout", "--trials", "36", "--json"
    status, out, err = sixprime("analyse", *matches, *words)
    assert (status, out.count("\n")) == (1, 1)
    assert err.splitlines()[-1] == "sixprime: ended early; 1 of the matches not analysed"


@every_signal
def test_duel(sixprime, number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    show = duel_command._LiveLine.show

    def interrupt(line: duel_command._LiveLine) -> None:
        show(line)
        if line._match.complete():
            signal.raise_signal(number)

    monkeypatch.setattr(duel_command._LiveLine, "show", interrupt)
    state = tmp_path / "duel.json"
    status, out, _ = sixprime("duel", "standard", "standard", "--pairs", "9", "--state", str(state), "--json")
    assert (status, json.loads(out)["stopped"]) == (0, "interrupted")
    assert len(json.loads(state.read_text())["numbers"]) >= json.loads(out)["pairs"] > 0


class Run:
    """A training run without training."""

    def __init__(self, number: int, times: int) -> None:
        self.number, self.times, self.done = number, times, []
        self.nets: dict[str, object] = {}
        self.recipe, self.stage = SimpleNamespace(stages=()), 0

    def advance(self, report: object) -> bool:
        self.done.append("begun")
        for _ in range(self.times):
            signal.raise_signal(self.number)
        self.done.append("step")
        return True

    def checkpoint(self) -> None:
        self.done.append("checkpoint")


@every_signal
def test_train(sixprime, number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A step is finished before the checkpoint; who asks twice does not wait for it, and has the last checkpoint."""
    run = Run(number, 1)
    monkeypatch.setattr(pipeline.Run, "resume", lambda folder, threads: run)
    status, _, err = sixprime("train", str(tmp_path), "--resume")
    assert (status, run.done) == (0, ["begun", "step", "checkpoint"])
    assert err.splitlines() == [
        "Stopping after this step ...",
        f"Stopped; go on with: sixprime train {tmp_path} --resume",
    ]
    run = Run(number, 2)
    status, _, err = sixprime("train", str(tmp_path), "--resume")
    assert (status, run.done, err.splitlines()[-1]) == (1, ["begun"], "sixprime: interrupted")


@every_signal
def test_bearoff_build(sixprime, number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sixprime.bearoff.builder.one_sided", lambda *_: signal.raise_signal(number))
    status, _, err = sixprime("bearoff", "build", "5x4")
    assert (status, err.splitlines()[-1]) == (1, "sixprime: stopped; the same command begins anew")


@every_signal
def test_hypergammon(number: int, tmp_path: Path) -> None:
    """The stage is finished and the checkpoint written."""
    checkpoint = tmp_path / "checkpoint"
    with interrupts.raised(), pytest.raises(KeyboardInterrupt):
        Hyper.build(1, threads=1, checkpoint=checkpoint, watch=Watch(after(5, lambda *_: None, number)))
    assert checkpoint.stat().st_size > 0


@every_signal
@pytest.mark.parametrize("command", [("bench",), ("calibrate",), ("eval", START), ("hint", START, "31")])
def test_where_nothing_is_to_be_kept(sixprime, command, number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Engine, "__init__", lambda *_, **__: signal.raise_signal(number))
    assert sixprime(*command) == (1, "", "sixprime: interrupted\n")


# -- rollouts under way ----------------------------------------------------------------------------


def test_a_killed_rollout_has_its_last_save(tmp_path: Path) -> None:
    """It is saved now and then, and what goes on from there has the same bits."""
    path = tmp_path / "rollout.npz"
    code = """
from sixprime.cli import rollout
from sixprime.engine import rollout as running
from sixprime.engine.rollout_result import RolloutResult
rollout._SAVE_EVERY = running.SHOWN_EVERY = running.SHOWN_REST = 0.0
running.TASK = (12,) * 5
save = RolloutResult.save
def save_and_die(result, target):
    save(result, target)
    if result.trials >= 36:
        os.kill(os.getpid(), 9)
RolloutResult.save = save_and_die
"""
    words = "--trials", "144", "--truncate", "3", "--threads", "1"
    assert process(code, "rollout", START, *words, "--save", str(path)).returncode == -9
    found = load(path)
    assert (found.trials, found.finished) == (36, False)
    engine = Engine(threads=1)
    assert same(engine.extend_rollout(found), engine.rollout(found.position, trials=144, truncation=3))
    assert os.listdir(tmp_path) == ["rollout.npz"]


def test_the_live_table(every_report, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """On a terminal the rollout is shown while it goes on, with what Ctrl-C does."""
    monkeypatch.setattr(running, "TASK", (12,) * 5)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setattr("rich.live.Live.update", lambda live, table: shown.append(str(table.caption)))
    shown: list[str] = []
    with rollout_command._watch(None, json=False) as watch:
        Engine(threads=1).rollout(Position.start(), trials=36, truncation=2, progress=watch)
    assert shown == [f"{done} of 36 trials; Ctrl-C keeps what is there" for done in (12, 24, 36)]
