"""Sessions as people keep them: comments, times, what is known of a match, files, journals that nobody else has."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest

from sixprime import Engine, formats, paths
from sixprime.errors import InvalidFileError, RulesError, SettingsError
from sixprime.formats import Feature
from sixprime.game.acts import Act, Decline, Double, NextGame, Resign, Roll, Take
from sixprime.game.match_rules import Rules
from sixprime.game.record import Action, ActionKind, Game, Match
from sixprime.game.table import Phase, Table
from sixprime.play import (
    SEATS,
    Automation,
    BotSeat,
    Clock,
    EngineSeat,
    EventKind,
    LevelSeat,
    ListedDice,
    Person,
    SeededDice,
    Session,
    Waiting,
    games,
    seat_of,
)
from sixprime.play.late import soon
from sixprime.play.seats import check_seat
from sixprime.progress import Stop
from sixprime.settings.playing import Playing
from sixprime.settings.tree import PlaySection
from sixprime.terminal import seating

PEOPLE = (Person("Ann"), Person("Bob"))


@pytest.fixture(scope="module")
def seat() -> EngineSeat:
    return EngineSeat(Engine(threads=1, plies=0), "Six")


def begun(journal: Path | None = None, **options: object) -> Session:
    session = Session(PEOPLE, Rules(3), dice=ListedDice("316452" * 9), journal=journal, **options)  # type: ignore[arg-type]
    session.advance()
    return session


# Comments, times, the match


def test_comments_stand_with_what_was_done(tmp_path: Path) -> None:
    session = begun(tmp_path / "journal")
    session.comment("who begins")
    session.submit(session.table.move("8/5 6/5"))
    session.comment("book")
    session.submit(Roll(1))
    session.comment("a bad roll")
    session.submit(session.table.move("8/2 6/2"))
    session.comment("hit?")
    session.comment("twice", 2)
    session.submit(Resign(0, 1))
    session.comment("tries it")
    session.submit(Decline(1))
    session.comment("no")
    session.tell(event="Club night", place="Kiel", round="2")
    session.tell(round="")
    assert [step.comment for step in session.history[:3]] == ["who begins", "twice", "a bad roll"]
    record = session.record()
    # An offer that is declined leaves no trace: what was said stands where it was said.
    assert [action.comment for action in record.games[0].actions] == ["who begins\ntwice", "a bad roll\nhit?\nno"]
    assert record.info == {"event": "Club night", "place": "Kiel"}
    session.undo()
    session.undo()
    assert session.record().games[0].actions[-1].comment == "a bad roll\nhit?"
    session.redo()
    assert session.record().games[0].actions[-1].comment == "tries it"
    session.close()
    again = Session.resume(tmp_path / "journal")
    assert (again.record(), again.info) == (session.record(), session.info)
    for number in (0, 6, True, "1"):
        with pytest.raises(RulesError, match="acts to say something of"):
            again.comment("x", number)  # type: ignore[arg-type]
    with pytest.raises(SettingsError, match="event, round, place"):
        again.tell(weather="fine")


def test_times_are_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1000.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    clock = Clock(reserve=30, delay=5, loses=False)
    session = begun(tmp_path / "journal", clock=clock)
    assert (session.used, session.left) == ((0, 0), (30, 30))
    now[0] += 3
    assert session.used == (0, 0)
    now[0] += 4
    assert session.used == (2, 0)
    session.submit(session.table.move("8/5 6/5"))
    now[0] += 4
    session.submit(Roll(1))
    # What one does without the other between is one turn.
    now[0] += 2
    assert session.used == (2, 1)
    session.paused = True
    now[0] += 1000
    assert (session.paused, session.used) == (True, (2, 1))
    session.paused = False
    now[0] += 1
    session.submit(session.table.move("8/2 6/2"))
    assert (session.used, session.paused) == ((2, 2), False)
    now[0] += 60
    assert session.left == (30 - 2 - 55, 28)
    actions = session.record().games[0].actions
    assert [action.seconds for action in actions] == [7, 7]
    session.close()
    again = Session.resume(tmp_path / "journal")
    assert (again.clock, again.used) == (clock, (2, 2))
    assert again.record().games[0].actions == actions
    assert begun().used == (0, 0)
    assert begun().left is None
    assert begun(clock=Clock()).left is None
    for wrong in ({"reserve": 0}, {"reserve": "1"}, {"delay": -1}, {"loses": 1}):
        with pytest.raises(SettingsError, match=next(iter(wrong))):
            Clock(**wrong)


def test_who_uses_the_time_up_loses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1000.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    session, heard = begun(tmp_path / "journal", clock=Clock(reserve=30, delay=5)), []
    session.watch(lambda event, table: heard.append((event.kind, table.turn)))
    now[0] += 34
    assert (session.late, session.over, session.limit) == (None, False, 1)
    session.submit(session.table.move("8/5 6/5"))
    # The time of one is not that of the other.
    now[0] += 34
    assert session.late is None
    now[0] += 1.5
    with pytest.raises(RulesError, match="Bob has lost by time"):
        session.submit(Roll(1))
    assert (session.late, session.over, session.limit) == (1, True, None)
    assert heard[-1] == (EventKind.LATE, 1)
    for undo in (session.undo, lambda: session.go_to(0), session.redo):
        with pytest.raises(RulesError, match="Bob has lost by time"):
            undo()
    assert session.advance() is session.run() is Waiting.NOTHING
    session.paused = False
    now[0] += 100
    assert session.left == (1, -0.5)
    assert session.record().info["comment"] == "Bob used the time up and lost by it."
    assert session.record().late == 1
    assert session.record().reseated().late == 0
    assert Feature.LATE in formats.FORMATS["mat"].losses(session.record())
    session.close()
    again = Session.resume(tmp_path / "journal")
    assert (again.late, again.left, again.record()) == (1, (1, -0.5), session.record())
    again.close()
    (tmp_path / "journal").rename(tmp_path / f"journal{games.SUFFIX}")
    assert [(game.over, game.problem) for game in games.kept(tmp_path)] == [(True, "")]


def test_a_session_that_waits_looks_at_the_clock() -> None:
    session = begun(clock=Clock(reserve=0.2))
    before = time.monotonic()
    assert session.run() is Waiting.NOTHING
    assert session.late == 0
    assert 0.1 < time.monotonic() - before < 10


def test_a_program_that_thinks_for_too_long_loses() -> None:
    class Slow:
        name, spec = "Slow", ""

        def decide(self, table: Table, stop: Stop) -> Act | None:
            time.sleep(0.3)
            return next(iter(table.legal()))

    session = begun(clock=Clock(reserve=0.1))
    session.seats = Slow(), Person("Bob")
    assert session.advance() is Waiting.NOTHING
    assert (session.late, len(session.history)) == (0, 1)


def test_a_journal_that_says_nothing_of_it_only_tells_the_time(tmp_path: Path) -> None:
    begun(tmp_path / "journal").close()
    with (tmp_path / "journal").open("a") as out:
        out.write('{"clock":{"reserve":30.0,"delay":5.0}}\n')
    session = Session.resume(tmp_path / "journal")
    assert session.clock == Clock(30, 5, loses=False)


def test_what_changes_is_told() -> None:
    session, heard = begun(), []
    session.watch(lambda event, table: heard.append(event.kind))
    session.automation = Automation(roll=False)
    session.seats = (Person("Ann"), Person("Cid"))
    session.dice = SeededDice(1)
    session.comment("x")
    session.tell(event="y")
    session.advance()
    assert heard == [EventKind.CHANGED] * 5 + [EventKind.WAITING]


# Files


def test_every_format_of_matches_holds_a_session(tmp_path: Path, seat: EngineSeat) -> None:
    """Finished, and in the midst of a game."""
    session = Session((seat, seat), Rules(3), dice=SeededDice(4))
    session.run()
    names = [known for known in formats.FORMATS.values() if known.write and known.holds.value in ("matches", "match")]
    assert len(names) > 8
    for at in (len(session.history), len(session.history) // 2):
        session.go_to(at)
        match = session.record()
        for known in names:
            saved = session.save(tmp_path / f"match{known.suffixes[0]}", known.name)
            (again,) = (formats.read(path) for path in saved)
            played = [_happened(game.actions) for game in again.games]
            assert played == [_happened(game.actions) for game in match.games], known.name
            given_up = Feature.RESIGNATION.value in known.losses(match)
            winners = [None if given_up and _resigned(game) else game.winner for game in match.games]
            assert [game.winner for game in again.games] == winners, known.name
    with pytest.raises(InvalidFileError, match="no game to write"):
        Session(PEOPLE).save(tmp_path / "x.mat")
    with pytest.raises(SettingsError, match="formats that can be written"):
        session.save(tmp_path / "x.doc")


def _resigned(game: Game) -> bool:
    return bool(game.actions) and game.actions[-1].kind is ActionKind.RESIGN


def _happened(actions: tuple[Action, ...]) -> list[object]:
    """Plays and cubes; a roll that is not played yet, or given up, is not in every format."""
    kept = [action for action in actions if action.kind not in (ActionKind.ROLL, ActionKind.RESIGN)]
    return [(action.kind, action.player, action.play, action.value) for action in kept]


RULES = (
    Rules(1),
    Rules(3, crawford_rule=False),
    Rules(2, "nackgammon"),
    Rules(0, automatic_doubles=2),
    Rules(0, jacoby=False, beavers=1, cube_limit=4),
    Rules(0, "hypergammon1", cube_limit=1),
)


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_random_sessions_are_saved_and_read_again(rules: Rules, seat: EngineSeat, tmp_path: Path) -> None:
    """`benchmarks/sessions.py` does the same with thousands."""
    for seed in range(3):
        chance = random.Random(seed)
        automation = Automation(*(chance.random() < 0.5 for _ in range(3)), next_game=rules.length > 0)
        session = Session((seat, seat), rules, dice=SeededDice(seed), automation=automation)
        session.advance()
        for at in (len(session.history), chance.randrange(len(session.history))):
            session.go_to(at)
            match, table = session.record(), session.table
            assert all(step.table.position.is_valid for step in session.history)
            if not match.games:
                continue
            assert Table.from_record(match).record() == match
            (path,) = session.save(tmp_path / "x.mat")
            assert plain(formats.read(path)) == plain(match)
            (path,) = session.save(tmp_path / "x.sgf")
            assert of_sgf(formats.read(path)) == of_sgf(match)
            assert table == session.table


def plain(match: Match) -> Match:
    games = tuple(
        replace(game, actions=tuple(replace(action, line=None) for action in game.actions)) for game in match.games
    )
    return replace(match, games=games, tags=(), problems=(), source="", format="")


def of_sgf(match: Match) -> Match:
    """Without what SGF does not hold: how many beavers there may be, and how high cubes go."""
    games = []
    for game in plain(match).games:
        states = (replace(each.state, beavers=0, cube_limit=1024) for each in game.actions)
        pairs = zip(game.actions, states, strict=True)
        games.append(
            replace(game, actions=tuple(replace(each, state=state, extras=()) for each, state in pairs), extras=())
        )
    return replace(plain(match), games=tuple(games), beavers=0, cube_limit=1024, extras=())


# Journals


def test_a_journal_belongs_to_one_process(tmp_path: Path) -> None:
    path, program = tmp_path / "journal", tmp_path / "play.py"
    program.write_text(
        "from sixprime.play import *\n"
        f"session = Session((Person('Ann'), Person('Bob')), dice=ListedDice('31'), journal={str(path)!r})\n"
        "session.advance()\nprint('here', flush=True)\ninput()\n"
    )
    with subprocess.Popen([sys.executable, program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "here\n"
        with pytest.raises(BlockingIOError, match=f"in use by another process: '{path}'"):
            Session.resume(path)
        before = path.read_bytes()
        # To look at it disturbs nobody.
        assert Session.looked_at(path).table.phase is Phase.PLAY
        other.kill()
    session = Session.resume(path)
    assert path.read_bytes() == before
    assert session.seats == PEOPLE
    # In one process the last one to write finds that the other has.
    again = Session.resume(path)
    session.submit(session.table.move("8/5 6/5"))
    with pytest.raises(OSError, match="changed by somebody else"):
        again.undo()


def test_a_journal_knows_who_sat_there(tmp_path: Path, seat: EngineSeat) -> None:
    session = Session(
        (Person("Ann"), seat_of("beginner:5", "Bea")), journal=tmp_path / "a", automation=Automation(False)
    )
    session.automation = Automation(bear_off=True)
    session.advance()
    session.close()
    again = Session.resume(tmp_path / "a")
    assert (again.seats[0], again.automation) == (Person("Ann"), Automation(bear_off=True))
    other = again.seats[1]
    assert isinstance(other, LevelSeat)
    assert (other.name, other.spec, other.level.name) == ("Bea", "beginner:5", "beginner")
    again.seats = (Person("Ann"), Person("Bob"))
    again.close()
    assert Session.resume(tmp_path / "a").seats == PEOPLE
    Session((Person("Ann"), seat), journal=tmp_path / "b").close()
    with pytest.raises(SettingsError, match="does not know who sat there"):
        Session.resume(tmp_path / "b")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('{"seats":[["person"],["person","Bob"]]}', "length 2"),
        ('{"automation":{"roll":1}}', "bool"),
        ('{"info":{"event":7}}', "str"),
        ('{"of":9,"comment":"x"}', "of another kind"),
        ('{"of":1,"comment":1}', "str"),
        ('{"warned":{}}', "number"),
        ('{"do":"roll","player":0,"seconds":"x"}', "float"),
        ('{"clock":{"reserve":-1}}', "reserve"),
        ('{"clock":7}', "of another kind"),
        ('{"late":2,"seconds":1.0}', "2"),
        ('{"late":0,"seconds":"x"}', "float"),
    ],
)
def test_damaged_lines(line: str, said: str, tmp_path: Path) -> None:
    begun(tmp_path / "journal").close()
    with (tmp_path / "journal").open("a") as out:
        out.write(line + "\n")
    with pytest.raises(InvalidFileError, match=f"journal:3: the journal is damaged .*{said}"):
        Session.resume(tmp_path / "journal")


def test_kills_at_random_moments(tmp_path: Path, seat: EngineSeat) -> None:
    """`benchmarks/sessions.py kill` does it a hundred times."""
    path, program, chance = tmp_path / "journal", tmp_path / "play.py", random.Random(3)
    program.write_text(
        "from pathlib import Path\nfrom sixprime import Engine\nfrom sixprime.game.match_rules import Rules\n"
        "from sixprime.play import *\nseat = EngineSeat(Engine(threads=1, plies=0), 'Six')\n"
        f"path = Path({str(path)!r})\n"
        "session = Session.resume(path, (seat, seat)) if path.exists() and path.stat().st_size else "
        "Session((seat, seat), Rules(9), dice=SeededDice(8), journal=path)\n"
        "session.watch(lambda event, table: print(event.number, flush=True))\nsession.run()\n"
    )
    for _ in range(2):
        with subprocess.Popen([sys.executable, program], stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            heard = [process.stdout.readline() for _ in range(chance.randrange(1, 120))]
            process.kill()
            heard += process.stdout.read().splitlines(keepends=True)
        known = int([line for line in heard if line.endswith("\n")][-1])
        session = Session.resume(path, (seat, seat))
        assert known <= len(session.history) <= known + 1
        session.close()
    session = Session.resume(path, (seat, seat))
    whole = Session((seat, seat), Rules(9), dice=SeededDice(8))
    session.run()
    whole.run()
    assert session.table == whole.table


# Where games are


def test_the_games_of_a_user(tmp_path: Path) -> None:
    folder, when = tmp_path / "games", datetime(2026, 11, 23, 20, 15, 1)
    first = games.new_journal(("Ann", "Bob / the 2nd"), folder, when)
    assert first == folder / "2026-11-23-201501-Ann-Bob_the_2nd.journal"
    session = begun(first)
    assert games.new_journal(("Ann", "Bob / the 2nd"), folder, when).name.endswith("Bob_the_2nd-2.journal")
    assert games.new_journal(("", "../.."), folder, when).name == "2026-11-23-201501-player-player.journal"
    (folder / "broken.journal").write_text("{}\n")
    (folder / "other.txt").write_text("")
    found = {game.path.name: game for game in games.kept(folder)}
    assert set(found) == {first.name, "broken.journal"}
    assert (found[first.name].table, found[first.name].problem) == (session.table, "")
    assert "damaged" in found["broken.journal"].problem
    assert games.latest(folder).path == first
    newer = [folder / f"newer-{number}.journal" for number in range(60)]
    for path in newer:
        path.write_text("{}\n")
    assert games.latest(folder).path == first
    for path in newer:
        path.unlink()
    session.submit(Resign(0, 3), anyway=True)
    assert games.match_file(first) == first.with_suffix(".sgf")
    assert not games.kept(tmp_path / "nowhere")
    with pytest.raises(SettingsError, match="no unfinished game"):
        games.latest(tmp_path / "nowhere")


def test_games_that_begin_in_the_same_moment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The other one has taken the name before this one writes to it."""
    taken, free = tmp_path / "taken.journal", tmp_path / "free.journal"
    taken.touch()
    names = iter([taken, free])
    monkeypatch.setattr(seating, "new_journal", lambda players: next(names))
    seated = seating.begin(Playing(PlaySection(opponent="person")))
    assert seated.journal == free
    with pytest.raises(FileExistsError):
        seating.begin(Playing(PlaySection(opponent="person")), journal=taken)


def test_a_match_that_is_over_is_not_taken_up(tmp_path: Path, seat: EngineSeat) -> None:
    session = Session((seat, seat), Rules(1), dice=SeededDice(1), journal=games.new_journal(("A", "B"), tmp_path))
    assert session.run() is Waiting.NOTHING
    (game,) = games.kept(tmp_path)
    assert game.over
    with pytest.raises(SettingsError, match="no unfinished game"):
        games.latest(tmp_path)


def test_the_folder_of_games(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIXPRIME_DATA", str(tmp_path))
    paths._usable_folder.cache_clear()
    assert paths.games_dir() == tmp_path / "games"
    assert games.new_journal(("A", "B")).parent == tmp_path / "games"
    paths._usable_folder.cache_clear()


# Seats by text


@pytest.mark.parametrize(
    ("text", "name"), [("Beginner+Book", "beginner"), ("roller++book", "roller+"), ("expert", "expert")]
)
def test_a_level_has_its_name_with_a_book_or_without(text: str, name: str) -> None:
    seat = soon(text)
    assert seat.name == f"Sixprime {name}"
    assert getattr(seat, "spec", "") == name + ("+book" if "ook" in text else "")


def test_seats_by_text() -> None:
    assert seat_of("person", "Ann") == Person("Ann")
    assert [SEATS[0], SEATS[5], "grandmaster" in SEATS] == ["beginner", "world class", True]
    full = seat_of("grandmaster", "Max")
    assert isinstance(full, EngineSeat)
    assert (full.engine.plies, full.name, full.spec) == (3, "Max", "grandmaster")
    bot = seat_of("small@1")
    assert isinstance(bot, EngineSeat)
    assert (bot.engine.plies, bot.spec, bot.name) == (1, "small@1", "small@1ply")
    noisy = seat_of("standard@beginner")
    assert isinstance(noisy, EngineSeat)
    assert noisy.engine.level.noise == 0.06
    level = seat_of("World Class")
    assert isinstance(level, LevelSeat)
    assert level.spec.startswith("world class:")
    assert not isinstance(level, BotSeat)
    with pytest.raises(SettingsError, match=r"a seat is one of beginner, .*grandmaster"):
        seat_of("god")
    seeded = seat_of(f"beginner:{2**63 - 1}")
    assert seeded.spec == f"beginner:{2**63 - 1}"
    for seed in ("", "garbage", "-1", "1.5", "²", str(2**63)):
        for take in (seat_of, check_seat):
            with pytest.raises(SettingsError, match="beginner: takes the seed of its errors"):
                take(f"beginner:{seed}")


def test_doubles_of_people_and_of_levels(seat: EngineSeat) -> None:
    """A level answers every offer, also raccoons, and always in the same way."""
    level = seat_of("casual:3")
    session = Session((Person("Ann"), level), Rules(jacoby=False), dice=ListedDice("3152"))
    session.advance()
    session.submit(session.table.move("8/5 6/5"))
    session.seats = PEOPLE
    session.submit(Roll(1))
    session.submit(session.table.legal().plays and session.table.move("24/22 13/8"))
    session.submit(Double(0))
    session.seats = (Person("Ann"), level)
    answers = [level.decide(session.table, threading_never) for _ in range(3)]
    assert answers[0] == answers[1] == answers[2]
    assert answers[0] in session.table.legal()
    session.submit(answers[0], anyway=True)  # type: ignore[arg-type]
    if session.table.phase is Phase.DOUBLED:
        session.submit(Take(0))
    assert session.table.phase in (Phase.ROLL, Phase.GAME_OVER)
    if session.table.phase is Phase.GAME_OVER:
        session.submit(NextGame())


class _Never:
    def is_set(self) -> bool:
        return False


threading_never = _Never()
