"""The options that say who judges: one group for all commands that ask an engine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from sixprime.cli._common import (
    TOGETHER,
    CubeModelName,
    LevelName,
    MaybeFilter,
    MaybePlies,
    MetName,
    NetName,
    Threads,
    UsageError,
    option,
)
from sixprime.settings import check_settings, make_engine

if TYPE_CHECKING:
    from sixprime.cube.met import MatchEquityTable
    from sixprime.engine import Engine


@dataclass(frozen=True, slots=True)
class Judging:
    """How an engine judges."""

    level: LevelName = None
    plies: MaybePlies = None
    """How far to look ahead, instead of as far as the level does; 0 is the net alone."""
    net: NetName = None
    met: MetName = None
    cube_model: CubeModelName = None
    threads: Threads = None
    """How many threads to use; by default all cores."""

    @property
    def chosen_filter(self) -> str | None:
        """The move filter, None for that of the level."""
        return None

    @property
    def deep(self) -> bool:
        """Whether it is said how deep to judge."""
        return self.level is not None or self.plies is not None or self.chosen_filter is not None

    def check(self, executor: str | None = None) -> None:
        """Raises SettingsError before there is anything to judge. executor: text of a cluster."""
        check_settings(
            self.net,
            level=self.level,
            filter=self.chosen_filter,
            met=self.met,
            cube_model=self.cube_model,
            executor=executor,
        )

    @property
    def table(self) -> MatchEquityTable | None:
        """The match equity table, None for the default one. Raises SettingsError."""
        if self.met is None:
            return None
        from sixprime.cube.met_xml import open_table

        return open_table(self.met)

    def engine(self, *, book: bool = False, executor: str | None = None) -> Engine:
        """The engine that these options describe; book: with the book of openings; executor: text of a cluster. Raises
        SettingsError."""
        return make_engine(
            self.net,
            level=self.level,
            plies=self.plies,
            filter=self.chosen_filter,
            threads=self.threads,
            met=self.met,
            cube_model=self.cube_model,
            executor=executor,
            book=book,
        )


@dataclass(frozen=True, slots=True)
class JudgingPlays(Judging):
    """The same where plays are ranked, and their filter can be chosen."""

    filter: MaybeFilter = None

    @property
    def chosen_filter(self) -> str | None:
        """The move filter, None for that of the level."""
        return self.filter


def refuse_judging(why: str = "--theirs judges nothing", /, **given: object) -> None:
    """Raises UsageError where options of judging are given, None for one that is not, and nobody judges."""
    if names := [option(name) for name, value in given.items() if value is not None]:
        raise UsageError(f"{why}; leave out {', '.join(names)}")


Judge = Annotated[Judging, TOGETHER]
JudgePlays = Annotated[JudgingPlays, TOGETHER]
JUDGING, JUDGING_PLAYS = Judging(), JudgingPlays()
