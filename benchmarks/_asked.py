"""Decisions of real matches, of the truth set and of the reference rows, and what an answer loses.

Sets: every play that eXtreme Gammon analysed ("real"), among them those whose best play it judged by 4-ply, Roller,
rollout or book ("deep"), and its cube decisions ("real cubes"); plays and cubes of `tests/data/truth.jsonl`; the plays
of `strength_decisions.jsonl` ("rows", cubeless money).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sixprime import MatchState, Position
    from sixprime.engine import CubeAnalysis, PlayAnalysis

TRUTH = Path(__file__).parent.parent / "tests" / "data" / "truth.jsonl"
DEEP = ("4-ply", "XG Roller", "XG Roller+", "XG Roller++", "Rollout", "Book")


@dataclass(frozen=True, slots=True)
class Asked:
    """A decision. sets: where it counts; timed: whether its time does. losses: of plays, by the position after them;
    rest: of plays that are none of these, None where only these are compared. worth: equities of no double and of
    double, take."""

    sets: tuple[str, ...]
    position: Position
    state: MatchState
    dice: tuple[int, int] | None = None
    losses: Mapping[str, float] | None = None
    rest: float | None = None
    worth: tuple[float, float] | None = None

    @property
    def timed(self) -> bool:
        """Whether its time counts: it is of a real match."""
        return self.sets[0].startswith("real")


def real_decisions(folder: Path) -> Iterator[Asked]:
    """What eXtreme Gammon analysed: plays, then cube decisions."""
    from sixprime import SixprimeError, read
    from sixprime.cube.state import CubeState
    from sixprime.game.record import ActionKind

    cubes = []
    for path in sorted(folder.rglob("*.xg")):
        try:
            match = read(path)
        except SixprimeError as error:
            print(error, file=sys.stderr)
            continue
        for action in (action for game in match.games for action in game.actions):
            if action.kind not in (ActionKind.MOVE, ActionKind.DOUBLE) or action.position is None:
                continue
            plain = action.state.with_dice(None)
            for analysis in action.analyses:
                plays, cube = analysis.plays, analysis.cube
                if action.kind is ActionKind.MOVE and len(plays) > 1:
                    # The first is its choice: what it judged less deeply stands below whatever its value.
                    best = plays[0].value.equity
                    lost = {play.play.result.id: max(0.0, best - play.value.equity) for play in plays}
                    sets = ("real", "deep") if plays[0].method.name in DEEP else ("real",)
                    yield Asked(sets, action.position, plain, action.dice, lost, max(lost.values()))
                if cube is not None and cube.double_take is not None and CubeState.from_match(plain).can_double:
                    worth = cube.no_double.equity, cube.double_take.equity
                    cubes.append(Asked(("real cubes",), action.position, plain, worth=worth))
    yield from cubes


def truth_decisions() -> Iterator[Asked]:
    """Plays and cubes of the truth set, whose alternatives were rolled out to the end."""
    from sixprime.train.truth import read_rows

    for row in read_rows(TRUTH):
        if row.dice:
            lost = {each.result: each.loss for each in row.alternatives if each.result is not None}
            yield Asked(("truth",), row.position, row.state, row.dice, lost, row.rest or 0.0)
        else:
            keep, take = (each.equity for each in row.alternatives)
            yield Asked(("truth cubes",), row.position, row.state, worth=(keep, take))


def rolled_out_plays(data: Path | None) -> Iterator[Asked]:
    """Decisions of which the likeliest plays were rolled out without a cube: only these are compared."""
    from sixprime import MatchState, Position
    from sixprime.train.strength import folder_of_rows, read_rows

    money = MatchState(jacoby=False, cube_limit=1)
    for row in read_rows(folder_of_rows(data)).decisions:
        best = max(each["eq"] for each in row["cands"])
        lost = {each["posid"]: best - each["eq"] for each in row["cands"]}
        yield Asked(("rows",), Position.from_id(row["posid"]), money, tuple(row["dice"]), lost)


def lost_by_play(asked: Asked, ranked: Sequence[PlayAnalysis]) -> float:
    """What the first play of `ranked` loses, in points, EMG in match play; where only some plays were rolled out, the
    first of these."""
    if asked.rest is not None:
        return asked.losses.get(ranked[0].play.result.id, asked.rest)
    return next(asked.losses[id] for play in ranked if (id := play.play.result.id) in asked.losses)


def lost_by_cube(asked: Asked, found: CubeAnalysis) -> float:
    """What doubling or not, and taking or not, lose together, in points, EMG in match play; each counts where its two
    answers are less than `NEAR` apart."""
    from sixprime.train.truth import NEAR

    keep, take = asked.worth
    doubled = min(take, 1.0)
    lost = 0.0
    if abs(keep - doubled) < NEAR:
        lost += max(keep, doubled) - (doubled if found.should_double else keep)
    if abs(take - 1.0) < NEAR and found.should_take != (take <= 1.0):
        lost += abs(take - 1.0)
    return lost
