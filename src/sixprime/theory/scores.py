"""Score maps: the best cube action, or the best play of a roll, at every score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sixprime.checks import Whole, sequence
from sixprime.cube.state import CubeState
from sixprime.engine import CubeAnalysis, Engine, PlayAnalysis, PlayRequest
from sixprime.errors import SettingsError
from sixprime.game.position import Position
from sixprime.game.rules import check_dice
from sixprime.game.state import MONEY, MatchState
from sixprime.lazy import brief, drawn_by
from sixprime.progress import Hook, Stop
from sixprime.theory.asked import check_asked

MOST_AWAY = 25
DEFAULT_AWAY = (2, 3, 4, 5, 6, 7)
_AWAY = Whole(1, MOST_AWAY)


@dataclass(frozen=True, slots=True)
class ScoreCell:
    """One score. name: such as "3-away 5-away", the player on roll first, "2-away 1-away post-Crawford", "money" or
    "DMP"; away: as numbers, None for money. cube: what to do with the cube; plays: of a roll, the best and the
    one that is next to it.

    Just one of `cube` and `plays` is there.
    """

    name: str
    away: tuple[int, int] | None
    state: MatchState
    cube: CubeAnalysis | None = None
    plays: tuple[PlayAnalysis, ...] = ()

    def __repr__(self) -> str:
        best = self.cube.action if self.cube is not None else str(self.plays[0].play) if self.plays else "not judged"
        return brief(self, f"{self.name}: {best}")

    @property
    def margin(self) -> float:
        """By how much the best is better: of a double (negative: of not doubling) or of the best play, which is >= 0.

        0 where the player cannot double or there is only one play.
        """
        if self.cube is not None:
            return self.cube.after_double - self.cube.no_double if self.cube.available else 0.0
        return self.plays[1].equity_loss if len(self.plays) > 1 else 0.0


@dataclass(frozen=True, slots=True)
class ScoreMap:
    """What is best at every score, the chequers and the cube being the same.

    dice: of the plays, None for cube actions. aways: scores of rows and columns. cells: rows by what the player on roll
    needs, columns by what the opponent needs. special: money, with the Jacoby rule and without it where that matters,
    double match point, gammon-go (2-away against 1-away in the Crawford game) and gammon-save (the other way round).
    """

    position: Position
    dice: tuple[int, int] | None
    aways: tuple[int, ...]
    cells: tuple[tuple[ScoreCell, ...], ...]
    special: tuple[ScoreCell, ...]
    plies: int

    def __repr__(self) -> str:
        what = "cube actions" if self.dice is None else f"plays of {self.dice[0]}-{self.dice[1]}"
        return brief(self, f"of {what} in {self.position!r} at {len(self.all_cells)} scores, {self.plies}-ply")

    _repr_svg_ = drawn_by("scores")

    @property
    def all_cells(self) -> tuple[ScoreCell, ...]:
        """Special scores first, then the rows."""
        return (*self.special, *(cell for row in self.cells for cell in row))

    @property
    def trials(self) -> int:
        """The most games that a cube or a play was rolled out for, 0 where none was."""
        cubes = (cell.cube.trials for cell in self.all_cells if cell.cube is not None)
        return max((*cubes, *(play.trials for cell in self.all_cells for play in cell.plays)), default=0)


def score_map(
    engine: Engine,
    position: Position,
    dice: tuple[int, int] | None = None,
    *,
    match: MatchState = MONEY,
    aways: Sequence[int] = DEFAULT_AWAY,
    plies: int | None = None,
    progress: Hook | None = None,
    stop: Stop | None = None,
) -> ScoreMap:
    """The best cube action of the player on roll at every score, or with dice the best play.

    match: cube and owner, money rules; its score and its dice are not looked at. aways: 1 to 25 each, 1 after the
    Crawford game. plies: None for the engine's. Raises SettingsError for other scores,
    InvalidPositionError when the game is over, and as `Engine.cube_action` and `Engine.best_plays`.
    """
    check_asked(engine, position, match)
    chosen = tuple(sequence("aways", aways, "a score"))
    for away in chosen:
        _AWAY("aways", away)
    if not chosen or len(set(chosen)) < len(chosen):
        raise SettingsError(f"aways must be different scores, at least one. Got {chosen} instead.")
    position.check_unfinished("there is nothing to decide")
    roll = None if dice is None else check_dice(dice)
    scores = [*_special(match), *(_score(match, (mine, theirs)) for mine in chosen for theirs in chosen)]
    if roll is None:
        # All are looked at alike, close ones no deeper.
        cubes = engine.cube_many(
            [(position, cell.state) for cell in scores], plies=plies, deepen=False, progress=progress, stop=stop
        )
        judged = [replace(cell, cube=cube) for cell, cube in zip(scores, cubes, strict=True)]
    else:
        requests = [PlayRequest(position, roll, cell.state) for cell in scores]
        ranked = engine.rank_plays_many(requests, plies=plies, count=2, progress=progress, stop=stop)
        judged = [replace(cell, plays=tuple(plays)) for cell, plays in zip(scores, ranked, strict=True)]
    size, first = len(chosen), len(judged) - len(chosen) ** 2
    rows = tuple(tuple(judged[first + i * size : first + (i + 1) * size]) for i in range(size))
    depth = engine.plies if plies is None else plies
    return ScoreMap(position, roll, chosen, rows, tuple(judged[:first]), depth)


def _score(match: MatchState, away: tuple[int, int], name: str = "", *, crawford: bool = False) -> ScoreCell:
    """A score at which the player on roll needs `away[0]`."""
    length = max(away)
    own, other = (length - each for each in away)
    score = (own, other) if match.on_roll == 0 else (other, own)
    # Nobody has turned the cube in the Crawford game, nor does it matter at double match point.
    cube, owner = (1, None) if crawford or away == (1, 1) else (match.cube, match.cube_owner)
    state = MatchState(
        length=length,
        score=score,
        cube=cube,
        cube_owner=owner,
        on_roll=match.on_roll,
        crawford=crawford,
        cube_limit=match.cube_limit,
    )
    after = " post-Crawford" if 1 in away else ""
    return ScoreCell(name or f"{away[0]}-away {away[1]}-away{after}", away, state)


def _special(match: MatchState) -> list[ScoreCell]:
    money = MatchState(
        cube=match.cube,
        cube_owner=match.cube_owner,
        on_roll=match.on_roll,
        jacoby=True,
        beavers=match.beavers if match.money else MONEY.beavers,
        cube_limit=match.cube_limit,
    )
    cells = [ScoreCell("money", None, money)]
    if not CubeState.from_match(money).gammons_count:
        cells = [ScoreCell("money, Jacoby", None, money), ScoreCell("money", None, replace(money, jacoby=False))]
    return [
        *cells,
        _score(match, (1, 1), "DMP"),
        _score(match, (2, 1), "gammon-go", crawford=True),
        _score(match, (1, 2), "gammon-save", crawford=True),
    ]
