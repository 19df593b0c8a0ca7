"""What `set rollout` and its like choose, as the engine takes it."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from string import ascii_lowercase
from typing import TYPE_CHECKING, Any

from sixprime.command.engines import DEEPEST, move_filter
from sixprime.command.options import Eval, Filters
from sixprime.command.options import Rollout as Options
from sixprime.paths import expanded

if TYPE_CHECKING:
    from sixprime.command.call import Call
    from sixprime.cube.met import MatchEquityTable
    from sixprime.engine import Engine
    from sixprime.engine.rollout_result import RolloutResult
    from sixprime.engine.rollout_settings import PlayerSettings, RolloutSettings
    from sixprime.game.acts import Dice
    from sixprime.game.play import Play
    from sixprime.game.position import Position
    from sixprime.game.state import MatchState
    from sixprime.progress import Stop

_SEEDS = 1 << 32


def rollout_settings(options: Options, on_roll: int = 0) -> RolloutSettings:
    """How these options roll out for a player on roll; a seed is drawn where none is set. Raises SettingsError."""
    from sixprime.engine.rollout_settings import RolloutSettings

    pairs = _players(options.chequer, options.cube, options.filter)
    late = _players(options.later_chequer, options.later_cube, options.later_filter)
    # Where both stops are set, that of joint standard deviations counts alone.
    least = options.jsd_minimum if options.jsd else options.limit_minimum if options.limit else None
    more: dict[str, Any] = {} if least is None else {"minimum": max(2, least)}
    seed = options.rng.seed
    settings = RolloutSettings(
        trials=options.trials,
        seed=secrets.randbelow(_SEEDS) if seed is None else seed,
        cubeful=options.cubeful,
        players=pairs,
        later=late if options.later else None,
        later_turn=options.later_plies,
        truncation=options.truncation_plies if options.truncation else 0,
        truncation_plies=min(options.truncation_chequer.plies, DEEPEST),
        bearoff_exact=options.bearoff_exact,
        bearoff_one_sided=options.bearoff_onesided,
        initial=options.initial,
        rotate=options.quasirandom,
        variance_reduction=options.varredn,
        stop_error=options.limit_maxerror if options.limit and not options.jsd else None,
        stop_jsd=options.jsd_limit if options.jsd else None,
        **more,
    )
    return _seen(settings, on_roll)


@dataclass(frozen=True, slots=True)
class Seated:
    """An engine that rolls out for either player by the settings of player 0."""

    engine: Engine

    @property
    def met(self) -> MatchEquityTable:
        """The match equity table."""
        return self.engine.met

    @property
    def search_games(self) -> int:
        """As `Engine.search_games`."""
        return self.engine.search_games

    def rollout_plays(
        self,
        position: Position,
        dice: Dice,
        plays: Sequence[Play],
        *,
        match: MatchState,
        settings: RolloutSettings,
        stop: Stop | None,
    ) -> RolloutResult:
        """As `Engine.rollout_plays`."""
        seen = _seen(settings, match.on_roll)
        return self.engine.rollout_plays(position, dice, plays, match=match, settings=seen, stop=stop)

    def rollout_cube(
        self, position: Position, *, match: MatchState, settings: RolloutSettings, stop: Stop | None
    ) -> RolloutResult:
        """As `Engine.rollout_cube`."""
        return self.engine.rollout_cube(position, match=match, settings=_seen(settings, match.on_roll), stop=stop)


def _seen(settings: RolloutSettings, on_roll: int) -> RolloutSettings:
    """Settings that name player 0 first as the player on roll has them."""
    return settings if on_roll == 0 else settings.exchanged()


def log(call: Call, engine: Engine, result: RolloutResult, options: Options) -> None:
    """Writes the games of a rollout, each to a file, where `set rollout log' wants it. Raises OSError."""
    if not options.log:
        return
    from sixprime import formats

    begin = expanded(options.logfile or "rollout")
    for game in engine.rollout_games(result, call.options.names):
        path = begin.with_name(f"{begin.name}-{game.trial:07d}-{ascii_lowercase[game.alternative % 26]}.sgf")
        formats.write(game.match, path, "sgf")
    call.say(f"{sum(map(len, result.raw))} games of the rollout written to {begin}-*.sgf")


def _players(
    chequer: tuple[Eval, Eval], cube: tuple[Eval, Eval], filters: tuple[Filters, Filters]
) -> tuple[PlayerSettings, PlayerSettings]:
    """How both players decide."""
    from sixprime.engine.rollout_settings import PlayerSettings

    def one(player: int) -> PlayerSettings:
        plies, cube_plies = min(chequer[player].plies, DEEPEST), min(cube[player].plies, DEEPEST)
        return PlayerSettings(plies, cube_plies, move_filter(filters[player]).text, chequer[player].noise)

    return one(0), one(1)
