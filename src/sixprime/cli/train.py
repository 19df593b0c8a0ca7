"""`sixprime train`: a training run that can be stopped and resumed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from sixprime import interrupts
from sixprime.cli._common import ExecutorText, Flag, Threads, UsageError, check_target, complain, note, whole


def train(
    folder: Path,
    /,
    *,
    recipe: Path | None = None,
    seed: Annotated[int | None, whole(0)] = None,
    resume: Flag = False,
    net: list[Path] | None = None,
    lessons: list[Path] | None = None,
    save: Path | None = None,
    data: Path | None = None,
    executor: ExecutorText = None,
    threads: Threads = None,
    races: Flag = False,
) -> int:
    """Train a net by self-play. Ctrl-C stops the run after a checkpoint; `--resume` goes on from there.

    Parameters
    ----------
    folder
        Where the run lives.
    recipe
        TOML file with the seed, the shapes of the nets and the stages, or one of the package's by its name: "hour" and
        "night", which take no longer; "standard", the net that ships; "small"; "second" and "large", a net beside the
        standard one and both as one. Needed to start.
    seed
        Another one than the recipe's: other dice and other random weights.
    resume
        Go on with the run in FOLDER.
    net
        Start from this network file instead of random weights; given more than once, from the mean of what their
        contact nets say, as one net that is as wide as all of them together. A net of back games that the recipe has
        and no file begins as the contact net where that has the same shape, else at random; one that a stage of the
        recipe begins is not taken from a file.
    lessons
        Folders of other runs, whose harvests are learnt from, too, and databases of `sixprime lessons`.
    save
        At the end, or when stopped, write the net to this file, ready to ship.
    data
        Folder of the reference rows (see `bench --strength`): after every stage the strength is measured and noted.
    executor
        Dask cluster that plays the games of harvests, such as dask://host:8786; see docs/cluster.md.
    threads
        How many threads to use; by default all cores. Only with as many does a run give the same net again. `--races`
        uses one.
    races
        Make the nets of races instead, in some minutes; `--save` says where to. The same command goes on with a run
        that was stopped.
    """
    if save:
        check_target(save, "--save")
    if races:
        others = {"recipe": recipe, "resume": resume or None, "seed": seed, "net": net, "lessons": lessons}
        for option, given in (others | {"data": data, "executor": executor}).items():
            if given is not None:
                raise UsageError(f"--races goes with --save only, not with --{option}")
        return _races(folder, save or folder / "race.safetensors")
    if resume == (recipe is not None):
        raise UsageError("give either --recipe FILE to start a run or --resume to go on with one")
    if resume and (net or lessons or seed is not None):
        raise UsageError("--seed, --net and --lessons start a new run; they do not go with --resume")
    for other in lessons or ():
        if not other.is_file() and not (other / "lessons").is_dir():
            raise UsageError(f"--lessons {other} holds no lessons: it is neither a training run nor a database")
    from sixprime.engine.executors import open_executor
    from sixprime.nets import file
    from sixprime.train import strength
    from sixprime.train.pipeline import LogLine, Run, check_stages
    from sixprime.train.recipe import read_recipe

    cluster = open_executor(executor) if executor else None
    plan = read_recipe(recipe) if recipe else None
    if plan and seed is not None:
        plan = plan.with_seed(seed)
    rows = strength.read_rows(strength.folder_of_rows(data)) if data else None
    if plan:
        check_stages(plan.stages)
        run = Run.start(folder, plan, net or (), threads=threads, lessons=lessons or ())
    else:
        run = Run.resume(folder, threads)
        check_stages(run.recipe.stages[run.stage :])
    run.rows = rows
    run.executor = cluster

    def report(progress: LogLine) -> None:
        percent = min(100.0, 100 * progress.done / progress.total)
        note(
            f"stage {progress.stage + 1}/{len(run.recipe.stages)} {progress.kind}  {percent:5.1f} %  "
            f"{progress.done:,} of {progress.total:,}, {progress.pace:,.0f} a second, {progress.seconds / 60:.1f} min"
            + (f", error {progress.error:.4f}" if progress.error else "")
            + (f", loses {progress.lost:.2f} mEMG a decision" if progress.lost is not None else "")
        )

    unfinished = True
    try:
        with interrupts.deferred("Stopping after this step ...") as asked:
            while unfinished and asked.number is None:
                unfinished = run.advance(report)
            run.checkpoint()
            if save:
                file.save(save, run.nets, run.header(), packed=True)
                note(f"Net: {save}")
    except KeyboardInterrupt:
        if asked.times != 1:
            raise  # a second time: it was not waited for the end of the step
    note(f"Stopped; go on with: sixprime train {folder} --resume" if unfinished else "Done.")
    return 0


def _races(folder: Path, target: Path) -> int:
    from sixprime.train.pipeline import check_torch

    check_torch()
    from sixprime.train.races import make_nets

    try:
        make_nets(folder, target, report=note)
    except KeyboardInterrupt:
        complain("stopped; the same command goes on from the last finished stage")
        return 1
    return 0
