"""Rollouts: speed beside GNU Backgammon, and whether their statistics can be trusted.

speed: the opening, money, cubeful, 0-ply play and cube, variance reduction, quasi-random dice; to the end and cut after
10 turns. CPU seconds of one thread and standard errors; "to equal error" counts the trials each would need for the same
standard error. GNU Backgammon prints rollouts only on a terminal, so it runs under `script`.

statistics: positions from self-play, each rolled out again and again with other seeds; how often the 95 % interval
holds the mean of all of them and of a long rollout, and by how much variance reduction lowers the variance, with
the bias in standard errors.
"""

from __future__ import annotations

import math
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

import _gnubg
import _main
import _measure

if TYPE_CHECKING:
    from sixprime import Engine, Position, RolloutSettings

COMMANDS = """
set threads 1
set automatic game off
set automatic roll off
set jacoby on
set rollout trials {trials}
set rollout seed {seed}
set rollout chequerplay plies 0
set rollout chequerplay cubeful on
set rollout cubedecision plies 0
set rollout cubedecision cubeful on
set rollout cubeful on
set rollout varredn on
set rollout rotate on
set rollout bearofftruncation exact on
set rollout truncation enable {cut}
set rollout truncation plies {turns}
set rollout truncation chequerplay plies 0
set rollout truncation cubedecision plies 0
set rollout jsd stop off
set rollout limit enable off
set output digits 4
new session
set board 4HPwATDgc/ABMA
"""


def theirs(program: str, trials: int, truncation: int, seed: int) -> dict[str, float]:
    """CPU seconds, equity and standard error of GNU Backgammon, without what starting it costs."""
    setup = COMMANDS.format(trials=trials, seed=seed, cut="on" if truncation else "off", turns=truncation or 10)
    idle, _ = _session(program, setup + "quit\ny\n")
    seconds, text = _session(program, setup + "rollout\nquit\ny\n")
    found = re.findall(r"CL\s+\S+\s+CF\s+([+-][\d.]+)\s+\[[^\]]*CF\s+([\d.]+)\]", text)
    if f"{trials} games" not in text or not found:
        sys.exit(f"{program} printed no rollout of {trials} games:\n{text[-2000:]}")
    return {"seconds": seconds - idle, "equity": float(found[-1][0]), "error": float(found[-1][1])}


def _session(program: str, commands: str) -> tuple[float, str]:
    """CPU seconds and output of a session on a terminal."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / ".gnubg").mkdir()
        (folder / "commands").write_text(commands, encoding="utf-8")
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        line = ["script", "-qc", f"HOME={name} {program} -t -q -c commands", "/dev/null"]
        done = subprocess.run(line, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return seconds, done.stdout.decode(errors="replace").replace("\r", "\n")


def ours(engine: Engine, trials: int, truncation: int, seed: int) -> dict[str, float]:
    """The same of Sixprime."""
    from sixprime import Position

    answers = []
    seconds = _measure.cpu_seconds(
        lambda: answers.append(engine.rollout(Position.start(), trials=trials, truncation=truncation, seed=seed))
    )
    return {"seconds": seconds, "equity": answers[-1].equity, "error": answers[-1].equity_error}


def speed(arguments, engine: Engine, program: str) -> tuple[dict, list[list[str]]]:
    results: dict[str, float] = {}
    rows = [["rollout of the opening", "CPU s", "se", "ratio", "of the pairs", "to equal error"]]
    ours(engine, 36, 0, 1)
    for name, truncation in (("full", 0), ("cut", 10)):
        seeds = iter(range(1, 2 * arguments.pairs + 1))
        their_runs, our_runs = _measure.alternate(
            lambda cut=truncation, seeds=seeds: theirs(program, arguments.trials, cut, next(seeds)),
            lambda cut=truncation, seeds=seeds: ours(engine, arguments.trials, cut, next(seeds)),
            arguments.pairs,
        )
        their_seconds, our_seconds = ([run["seconds"] for run in runs] for runs in (their_runs, our_runs))
        their_error, our_error = (median(run["error"] for run in runs) for runs in (their_runs, our_runs))
        ratio = _measure.ratio(their_seconds, our_seconds)
        equal = ratio * (their_error / our_error) ** 2
        results |= {
            f"{name}_gnubg_seconds": median(their_seconds),
            f"{name}_seconds": median(our_seconds),
            f"{name}_gnubg_error": their_error,
            f"{name}_error": our_error,
            f"{name}_ratio": ratio,
            f"{name}_ratio_equal_error": equal,
        }
        label = "to the end" if not truncation else f"cut after {truncation} turns"
        rows.append([f"GNU Backgammon, {label}", f"{median(their_seconds):.1f}", f"{their_error:.4f}", "1", "", ""])
        rows.append(
            [
                f"Sixprime, {label}",
                f"{median(our_seconds):.2f}",
                f"{our_error:.4f}",
                f"{ratio:.1f}",
                _measure.spread(their_seconds, our_seconds),
                f"{equal:.1f}",
            ]
        )
    return results, rows


def statistics(arguments, engine: Engine) -> tuple[dict, list[list[str]]]:
    from sixprime import RolloutSettings

    positions, _ = _measure.decisions(engine, arguments.positions, arguments.seed)
    settings = RolloutSettings(trials=arguments.trials, truncation=arguments.truncation)
    rows = [["position", "class", "inside", "variance / reduced", "bias, se"]]
    inside = total = 0
    ratios, biases = [], []
    for number, position in enumerate(positions, 1):
        held, ratio, bias = _check(engine, position, settings, arguments.repeats)
        kind = engine.evaluate(position, plies=0).position_class
        inside, total = inside + held, total + arguments.repeats
        if kind == "contact":
            ratios.append(ratio)
            biases.append(bias)
        rows.append([position.id, kind, f"{held / arguments.repeats:.1%}", f"{ratio:.0f}", f"{bias:+.2f}"])
        print(f"{number} of {len(positions)}: {inside / total:.1%} inside", file=sys.stderr, flush=True)
    rows.append(["all", "", f"{inside / total:.1%}", f"{median(ratios):.0f}" if ratios else "", ""])
    return {
        "positions": len(positions),
        "repeats": arguments.repeats,
        "inside": inside / total,
        "contact_variance_ratio": median(ratios) if ratios else None,
        "largest_bias": max(map(abs, biases)) if biases else None,
    }, rows


def _check(engine: Engine, position: Position, settings: RolloutSettings, repeats: int) -> tuple[int, float, float]:
    """How many intervals hold the mean of all the others and a long rollout, the variance ratio and the bias."""
    import numpy as np

    runs = [engine.rollout(position, settings=settings, seed=1000 + seed) for seed in range(repeats)]
    long = engine.rollout(position, settings=settings, trials=settings.trials * max(8, repeats // 4))
    # The long run and the repeated ones together are the best estimate; a run's own part in it is small.
    values = np.concatenate([long.raw[0].values, *(run.raw[0].values for run in runs)])
    truth = math.fsum(values) / len(values)
    held = sum(low - 1e-9 <= truth <= high + 1e-9 for low, high in (run.interval for run in runs))
    plain = engine.rollout(position, settings=settings, trials=settings.trials * 8, variance_reduction=False)
    spread = float(values.std(ddof=1))
    ratio = float(plain.raw[0].values.var(ddof=1)) / spread**2 if spread > 1e-6 else math.inf
    error = math.hypot(plain.equity_error, spread / math.sqrt(len(values)))
    return held, ratio, (plain.equity - truth) / error if error else 0.0


def main() -> None:
    parser = _measure.options(__doc__, pairs=3, positions=20)
    parser.add_argument("what", choices=["speed", "statistics"], nargs="?", default="speed")
    parser.add_argument("--trials", type=int, default=None, help="of each rollout (1296; 72 for statistics)")
    parser.add_argument("--repeats", type=int, default=200, help="rollouts of each position (%(default)s)")
    parser.add_argument("--truncation", type=int, default=0, help="of the statistics (%(default)s: to the end)")
    arguments = parser.parse_args()
    arguments.trials = arguments.trials or (1296 if arguments.what == "speed" else 72)

    from sixprime import Engine

    if arguments.what == "speed":
        program = _gnubg.find(arguments.gnubg)
        if shutil.which("script") is None:
            sys.exit("The comparison needs `script` (util-linux), because GNU Backgammon prints only on a terminal.")
        results, rows = speed(arguments, Engine(threads=1), program)
        title = f"{_measure.beside(program)}, {arguments.trials:,} trials"
    else:
        results, rows = statistics(arguments, Engine())
        title = f"{arguments.repeats} rollouts of {arguments.trials} trials of each position"
    _measure.show(results, arguments.json, title, rows)


if __name__ == "__main__":
    _main.run(main)
