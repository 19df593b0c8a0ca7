"""Sessions as the user has set them: rules, seats, dice, automation, tutor and clock."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING

from sixprime.game.match_rules import Rules
from sixprime.settings.tree import SKILLS, PlaySection

if TYPE_CHECKING:
    from sixprime.engine import Engine
    from sixprime.play import Adviser, Automation, Clock, DiceSource, Seat, Tutor


class Playing:
    """What a session is made of, by the settings of `[play]`; every part where it is asked for.

    section: what is set. threads: of the engines that are made, None for all cores.
    """

    def __init__(self, section: PlaySection | None = None, *, threads: int | None = 1) -> None:
        self.section = section if section is not None else PlaySection()
        self._threads = threads
        self._given = self.section.given()

    @property
    def rules(self) -> Rules:
        """What is played. Raises SettingsError for what cannot be."""
        length = self._given.get("length", 7)
        renamed = {"crawford": "crawford_rule"}
        names = ("variant", "crawford", "jacoby", "beavers", "automatic_doubles", "cube_limit")
        return Rules(length, **{renamed.get(name, name): self._given[name] for name in names if name in self._given})

    @property
    def automation(self) -> Automation:
        """What happens by itself."""
        from sixprime.play import Automation

        names = (field.name for field in fields(Automation))
        return Automation(**{name: self._given[name] for name in names if name in self._given})

    @property
    def seats(self) -> tuple[Seat, Seat]:
        """The user and his opponent. Raises as `seat_of` does."""
        from sixprime.play import Person

        return Person(self._given.get("name", "you")), self.opponent()

    def opponent(self, text: str | None = None) -> Seat:
        """Who plays against the user; text: another one than is set. Raises as `seat_of` does."""
        from sixprime.play import seat_of

        return seat_of(text or self._given.get("opponent", "expert"), threads=self._threads)

    def dice(self, seed: int | str | None = None) -> DiceSource:
        """Where the dice come from; seed: of a generator, None for a fresh one. Raises SettingsError."""
        from sixprime.play import source_named

        return source_named(self._given.get("dice", "system"), seed)

    def adviser(self, engine: Engine | None = None) -> Adviser:
        """Who judges for the tutor and gives hints; engine: one that is there already, with its own level and book."""
        from sixprime.play import Adviser
        from sixprime.settings.engine import make_engine

        level, book = self._given.get("tutor_level", "world class"), self._given.get("tutor_book", False)
        return Adviser(engine or make_engine(level=level, threads=self._threads, book=book))

    def tutor(self, adviser: Adviser) -> Tutor | None:
        """The tutor, if he is wanted."""
        return self.make_tutor(adviser) if self._given.get("tutor", False) else None

    def make_tutor(self, adviser: Adviser) -> Tutor:
        """The tutor, wanted or not yet."""
        from sixprime.analysis.thresholds import Skill
        from sixprime.play import Tutor

        skill = Skill(1 + SKILLS.index(self._given.get("tutor_skill", SKILLS[0])))
        judged = (self._given.get(f"tutor_{what}", True) for what in ("chequer", "cube"))
        return Tutor(adviser, skill, *judged)

    @property
    def library(self) -> bool:
        """Whether what was played to the end goes into the library once it is analysed."""
        return bool(self._given.get("library", True))

    @property
    def clock(self) -> Clock:
        """Who takes the times."""
        from sixprime.play import Clock

        reserve = self._given.get("reserve")
        seconds = None if reserve is None else 60.0 * reserve
        return Clock(seconds, self._given.get("delay", 0.0), self._given.get("loses", True))
