"""What a rollout says beside its equities: chances, standard errors, and how it was made, a line each."""

from __future__ import annotations

from dataclasses import replace

from sixprime.cube.met import MatchEquityTable
from sixprime.cube.state import CubeState
from sixprime.cube.values import cubeless, equity_error, mwc_error, to_equity, to_mwc
from sixprime.engine.results import CubeAnalysis, PlayAnalysis, RolledValue
from sixprime.engine.rollout_settings import PlayerSettings, RolloutSettings
from sixprime.report import words
from sixprime.report.figures import Figures, Stakes


def of_play(play: PlayAnalysis, figures: Figures, stakes: Stakes | None) -> tuple[str, str]:
    """Chances and equities of a play that was rolled out; their standard errors, "" where those are not known."""
    value = RolledValue(play.probabilities, play.cubeless_equity) if play.rolled is None else play.rolled.values[0]
    means = _means(value, figures.either(play.cubeful_equity, play.mwc), figures, stakes)
    return means, _errors(value, play.equity_error, figures, stakes)


def of_cube(
    cube: CubeAnalysis,
    figures: Figures,
    stakes: Stakes | None,
    met: MatchEquityTable | None = None,
    *,
    answering: bool = False,
) -> list[str]:
    """The same of no double and of double, take; nothing where that is not known. stakes: of whoever decides; met:
    None for the default table; answering: the other player decides, so that values are his."""
    if cube.rolled is None:
        return []
    side = -1 if answering else 1
    before = CubeState.from_match(cube.state)
    rows = (
        ("No double", before, cube.no_double, cube.no_double_error),
        ("Double, take", before.doubled(), cube.double_take, cube.double_take_error),
    )
    lines = []
    for value, (name, at, equity, error) in zip(cube.rolled.values, rows, strict=False):
        own = _normalised(value, at, before, met)
        if answering:
            own = _swapped(own)
        lines += [f"{name}:", f"  {_means(own, figures.value(side * equity, stakes), figures, stakes)}"]
        if known := _errors(own, error, figures, stakes):
            lines.append(f" {known}")
    return lines


def cubeless_equity(cube: CubeAnalysis, met: MatchEquityTable | None = None) -> float:
    """Equity without the cube, for the doubler: as it was rolled out, else of the chances; gammons of a centred cube
    count with Jacoby's rule, too. met: None for the default table."""
    if cube.rolled is not None:
        return cube.rolled.values[0].cubeless_equity
    if cube.state.money:
        return cube.probabilities.cubeless
    return float(cubeless([cube.probabilities], CubeState.from_match(cube.state), met)[0])


def _normalised(value: RolledValue, at: CubeState, to: CubeState, met: MatchEquityTable | None) -> RolledValue:
    """With the cubeless equity normalised to another cube."""
    times = at.cube / to.cube if to.money else 1.0
    cubeless = times * float(to_equity(to_mwc(value.cubeless_equity, at, met), to, met))
    last = [times * float(equity_error(mwc_error(error, at, met), to, met)) for error in value.errors[-1:]]
    return replace(value, cubeless_equity=cubeless, errors=(*value.errors[:-1], *last))


def _swapped(value: RolledValue) -> RolledValue:
    """As the other player has it."""
    errors = value.errors
    errors = (*errors[:1], *errors[3:5], *errors[1:3], *errors[5:])
    return RolledValue(value.probabilities.swapped(), -value.cubeless_equity, errors)


def _means(value: RolledValue, equity: str, figures: Figures, stakes: Stakes | None) -> str:
    return f"{figures.chances(value.probabilities)} CL {figures.value(value.cubeless_equity, stakes)} CF {equity}"


def _errors(value: RolledValue, error: float | None, figures: Figures, stakes: Stakes | None) -> str:
    if not value.errors or error is None:
        return ""
    win, gammon, backgammon, lost_gammon, lost_backgammon, cubeless = value.errors
    first, second = (
        " ".join(map(figures.chance, three))
        for three in ((win, gammon, backgammon), (win, lost_gammon, lost_backgammon))
    )
    return f"[{first} - {second} CL {figures.error(cubeless, stakes)} CF {figures.error(error, stakes)}]"


def made(judged: PlayAnalysis | CubeAnalysis) -> list[str]:
    """How a play or a cube decision was rolled out."""
    if judged.rolled is not None and judged.rolled.settings is not None:
        return how(judged.rolled.settings, judged.trials, judged.rolled.search_games)
    line = f"Rollout of {words.count(judged.trials, 'game')}"
    if judged.rolled is None or not judged.rolled.values[0].errors:
        errors: tuple[float | None, ...]
        if isinstance(judged, PlayAnalysis):
            errors = (judged.equity_error,)
        else:
            errors = (judged.no_double_error, judged.double_take_error)
        if known := [f"{error:.3f}" for error in errors if error is not None]:
            line += f", standard error {' and '.join(known)}"
    return [line]


def how(settings: RolloutSettings, trials: int, search_games: int = 0) -> list[str]:
    """How a rollout of so many games is made. search_games: as so many the search before it counts."""
    reduced = "with" if settings.variance_reduction else "without"
    length = f"Truncated (after {settings.truncation} plies)" if settings.truncation else "Full"
    kind = "cubeful" if settings.cubeful else "cubeless"
    dice = "quasi-random dice" if settings.rotate else "random dice"
    beside = f", beside a search that counts as {search_games}" if search_games else ""
    lines = [
        f"{length} {kind} rollout {reduced} variance reduction",
        f"{words.count(trials, 'game')}, seed {settings.seed}, {dice}{beside}",
        *_both(settings.players, "Players", ("Player on roll", "Opponent")),
    ]
    if settings.later is not None:
        on = f"From ply {settings.later_turn} on"
        lines += _both(settings.later, on, (f"{on}, player on roll", f"{on}, opponent"))
    return lines


def _both(players: tuple[PlayerSettings, PlayerSettings], together: str, apart: tuple[str, str]) -> list[str]:
    """How the players decide, in one line where they do alike."""
    first, second = map(_deciding, players)
    return [f"{together}: {first}"] if first == second else [f"{apart[0]}: {first}", f"{apart[1]}: {second}"]


def _deciding(player: PlayerSettings) -> str:
    noise = f", noise {player.noise:.3f}" if player.noise else ""
    return f"{player.plies}-ply play, {player.cube_plies}-ply cube{noise}"
