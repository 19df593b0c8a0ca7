"""Where dice come from: the generators of GNU Backgammon, loaded dice, names and seeds."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from math import prod
from pathlib import Path

import pytest

from sixprime import Engine
from sixprime.errors import InvalidFileError, SettingsError
from sixprime.game import Position
from sixprime.game.acts import NextGame, Roll
from sixprime.game.match_rules import Rules
from sixprime.game.rules import ROLLS
from sixprime.game.table import Phase
from sixprime.play import (
    Automation,
    EngineSeat,
    GeneratedDice,
    ListedDice,
    Loaded,
    ManualDice,
    SeededDice,
    Session,
    source_named,
)
from sixprime.play.dice import described
from sixprime.play.generators import BLUM, GENERATORS, factors_of, seed_after, throws
from sixprime.players import gnubg

GNUBG = shutil.which("gnubg") or shutil.which("gnubg", path=":".join(gnubg.PLACES))


def shown(dice: GeneratedDice, count: int) -> str:
    return " ".join(f"{first}{second}" for first, second in map(dice.throw, range(count)))


# Thrown by GNU Backgammon 1.07.001 after `set rng NAME SEED`; a modulus of bbs, where one was given.
THROWN = [
    ("mersenne", 42, 0, "35 62 55 44 13"),
    ("mersenne", 5, 0, "21 65 23 66 31 43 53 43 26 25 14 55"),
    ("mersenne", 0, 0, "44 56 46 46 34 43"),
    ("mersenne", 3000000000, 0, "42 35 36 32 24 61"),
    ("mersenne", 4294967295, 0, "11 64 54 55 12 64"),
    ("mersenne", 4294967296, 0, "35 54 53 14 42 23 41 34 13 21 66 43"),
    ("mersenne", 12345678901234567890123, 0, "16 13 34 11 51 64 25 46 43 34 12 25"),
    ("isaac", 5, 0, "63 63 54 11 33 42 63 46 43 64 46 22 55 21 63 52 31 35 14 24 33 56 55 66"),
    ("isaac", 1, 0, "22 23 51 55 53 13 64 63 13 36 61 33"),
    ("isaac", 4294967296, 0, "55 62 65 66 21 35 42 14 11 12 46 21"),
    ("isaac", int("123456789012345678901234567890" * 6), 0, "52 13 25 16 55 24 41 32 64 62 65 63"),
    ("md5", 5, 0, "42 63 14 15 21 13 22 24 66 34 63 24"),
    ("md5", 2147483648, 0, "33 52 54 25 62 63"),
    ("md5", 4294967295, 0, "42 43 62 42 66 42"),
    ("md5", 8589934593, 0, "42 66 42 63 14 15"),
    ("md5", 12345678901234567890123, 0, "35 23 56 63 22 26"),
    ("bbs", 5, 0, "66 46 64 46 21 64 13 33 46 41 61 45 15 13 53 52 63 25 42 21 45 51 53 66 54 65 56 55 21 53"),
    ("bbs", 7, 0, "66 62 53 11 34 46 63 22 53 44 35 44"),
    ("bbs", BLUM + 5, 0, "66 46 64 46 21 64"),
    ("bbs", 99999999999999999999, 0, "36 23 32 46 53 44"),
    ("bbs", 3, 437, "34 22 56 54"),
    ("bbs", 1, 0, "11 43 65"),
    ("bbs", 1, 437, "13 12 32 13"),  # a weak seed gives way to the next good one
    ("bbs", 7, 437, "23 25 65 43 42 25"),
    ("bbs", 22, 437, "43 42 25 65 43 42"),
    ("bbs", 253, 437, "31 23 21 31"),
    ("bbs", 3, 713, "36 26 16 62"),
    ("bbs", 3, 8549, "61 12 45 65"),
]


@pytest.mark.parametrize(("name", "seed", "modulus", "text"), THROWN)
def test_the_same_seed_throws_the_same_dice(name: str, seed: int, modulus: int, text: str) -> None:
    dice = GeneratedDice(name, str(seed), str(modulus))
    assert shown(dice, len(text.split())) == text
    assert dice.throw(1) == tuple(map(int, text.split()[1]))


def test_bsd_is_that_of_the_c_library() -> None:
    library = ctypes.CDLL(None)
    if not hasattr(library, "gnu_get_libc_version"):
        pytest.skip("this is not the GNU C library")
    for seed in (0, 1, 42, 2**31 - 1, 2**31, 3_000_000_000, 2**32 - 1):
        library.srandom(ctypes.c_uint(seed))
        words = [word for word in (library.random() for _ in range(210)) if word < 6 * 357913941]
        faces = [face for number in range(100) for face in throws("bsd", seed)[number]]
        assert faces == [1 + word // 357913941 for word in words[:200]]


def test_ansi_is_the_example_of_the_standard() -> None:
    state, faces = 1, []
    while len(faces) < 40:
        state = (state * 1103515245 + 12345) % 2**32
        word = state // 65536 % 32768
        faces += [1 + word // 5461] if word < 32766 else []
    assert [face for number in range(20) for face in throws("ansi", 1)[number]] == faces


@pytest.mark.skipif(GNUBG is None, reason="GNU Backgammon is not installed")
def test_gnu_backgammon_throws_the_same(tmp_path: Path) -> None:
    """The first 200 throws of every generator it has, from seeds of all sizes, and whole games by `set seed`."""
    seeds = (2, 3, 77, 2**31 + 11, 2**32 + 7, 10**25 + 9)
    names = ("mersenne", "isaac", "md5", "bbs")
    script = tmp_path / "dice.py"
    script.write_text(
        f"import gnubg\nout = open({str(tmp_path / 'thrown')!r}, 'w')\n"
        f"for name in {names}:\n"
        f"    for seed in {seeds}:\n"
        "        gnubg.command('set rng %s %d' % (name, seed))\n"
        "        print(name, seed, *('%d%d' % pair for pair in gnubg.dicerolls(200)), file=out)\n"
        "out.close()\n"
    )
    (tmp_path / ".gnubg").mkdir()
    assert GNUBG is not None
    subprocess.run(
        [GNUBG, "-t", "-q", "-r", "-p", str(script)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env={"HOME": str(tmp_path)},
        timeout=60,
    )
    rows = [line.split() for line in (tmp_path / "thrown").read_text().splitlines()]
    assert len(rows) == len(names) * len(seeds)
    for name, seed, *dice in rows:
        assert shown(GeneratedDice(name, seed), 200).split() == dice


def test_moduli() -> None:
    """As GNU Backgammon makes them of factors that do not fit."""
    for factors in ((11, 23), (19, 23), (3, 7), (4, 9), (13, 17), (9, 9)):
        assert prod(factors_of(*factors)) == 437
    assert [factors_of(23, 31), factors_of(43, 47), factors_of(83, 103)] == [(23, 31), (43, 47), (83, 103)]
    assert factors_of(10**9, 10**12) == (1000000007, 1000000000039)


def test_seeds_and_names_that_cannot_be() -> None:
    for modulus in (1333, 5609):
        # GNU Backgammon finds these too weak, too.
        with pytest.raises(SettingsError, match="too weak for bbs"):
            GeneratedDice("bbs", "3", str(modulus))
    for seed in ("", "-1", "x", "1.5", "9" * 5000, "²"):
        with pytest.raises(SettingsError, match="seed must be a whole number"):
            GeneratedDice("mersenne", seed)
    with pytest.raises(SettingsError, match="too weak"):
        GeneratedDice("bbs", "0")
    with pytest.raises(SettingsError, match="generator must be one of mersenne, isaac, bbs, md5, bsd, ansi"):
        GeneratedDice("random.org", "1")
    with pytest.raises(SettingsError, match="dice must be one of system, mersenne"):
        source_named("lottery")
    with pytest.raises(SettingsError, match="seed must be"):
        source_named("system", "x")
    with pytest.raises(FileNotFoundError):
        source_named("file:/nowhere/dice")


def test_names(tmp_path: Path) -> None:
    (tmp_path / "dice").write_text("31 65\n22")
    assert source_named(f"file:{tmp_path / 'dice'}") == ListedDice("316522")
    assert source_named("manual") == ManualDice()
    assert source_named("system", 7) == SeededDice(7)
    fresh = [source_named("system"), source_named("system")]
    assert fresh[0] != fresh[1]
    for name in GENERATORS:
        assert source_named(name, "0012") == GeneratedDice(name, "12")
        one, other = source_named(name), source_named(name)
        assert one != other
        assert described(one) == f"{name}, seed {one.seed}"  # type: ignore[attr-defined]
    assert described(GeneratedDice("bbs", "3", "437")) == "bbs, seed 3, modulus 437"
    assert described(ListedDice("3165")) == "a list of 2 throws"
    assert described(ManualDice()) == "thrown by hand"


@pytest.mark.parametrize("dice", [GeneratedDice("isaac", str(10**40)), GeneratedDice("bbs", "3", "437")], ids=str)
def test_a_journal_keeps_the_generator(dice: GeneratedDice, tmp_path: Path) -> None:
    seat = EngineSeat(Engine(threads=1, plies=0))
    whole = Session((seat, seat), Rules(1), dice=dice)
    whole.run()
    session = Session((seat, seat), Rules(1), dice=dice, journal=tmp_path / "journal")
    session.watch(lambda event, table: session.close() if event.number == 9 else None)
    session.run()
    again = Session.resume(tmp_path / "journal", (seat, seat))
    assert (again.dice, len(again.history)) == (dice, 9)
    again.run()
    assert again.table == whole.table


# Loaded dice


def test_loaded_dice_are_the_best_or_the_worst(tmp_path: Path) -> None:
    """And everybody can see it: the steps, the record and every file that holds a comment say so."""
    engine = Engine(threads=1, plies=0)
    loaded = Loaded(engine, (1, 21))
    seat = EngineSeat(engine)
    session = Session((seat, seat), Rules(jacoby=False, cube_limit=1), dice=SeededDice(5), loaded=loaded,
                      automation=Automation(next_game=False), journal=tmp_path / "journal")  # fmt: skip
    session.advance()
    assert session.table.game.winner == 0
    table = session.begun
    for step in session.history:
        if isinstance(step.act, Roll):
            values = {}
            for roll in ROLLS:
                best = engine.best_plays(table.position, roll, match=table.state, plies=0)[0]
                values[roll] = best.cubeless_equity
            chosen = max(values.values()) if step.act.player == 0 else min(values.values())
            assert step.loaded
            assert values[step.act.dice] == chosen  # type: ignore[index]
        else:
            assert not step.loaded
        table = step.table
    rolls = sum(isinstance(step.act, Roll) for step in session.history)
    said = f"Loaded dice: {rolls} rolls were chosen, not thrown."
    assert session.record().info == {"comment": said}
    assert said in session.save(tmp_path / "x.mat")[0].read_text()
    assert said in session.save(tmp_path / "x.sgf")[0].read_text()
    session.close()
    again = Session.resume(tmp_path / "journal", (seat, seat))
    assert [step.loaded for step in again.history] == [step.loaded for step in session.history]
    assert again.record().info == {"comment": said}
    # From now on they are honest again.
    again.submit(NextGame())
    again.advance()
    assert again.table.phase is Phase.GAME_OVER
    assert not any(step.loaded for step in again.history[len(session.history) :])


def test_ranks_that_cannot_be() -> None:
    engine = Engine(threads=1, plies=0)
    assert Loaded(engine, (None, None)).throw(Session((EngineSeat(engine),) * 2).table) is None  # type: ignore[arg-type]
    for rank in (0, 22, "best", True):
        with pytest.raises(SettingsError, match="ranks"):
            Loaded(engine, (None, rank))  # type: ignore[arg-type]


def test_a_list_of_dice_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "dice").write_text("31 6")
    with pytest.raises(InvalidFileError, match="the last is alone"):
        source_named(f"file:{tmp_path / 'dice'}")
    assert Position.start().pips == (167, 167)


def test_a_file_with_other_characters_is_read_loosely_where_asked(tmp_path: Path) -> None:
    path = tmp_path / "dice"
    path.write_text("# 31 by hand, 7 8 9 0\n6a6 / 5")
    assert ListedDice.read(path, strict=False) == ListedDice("31665" * 2)
    with pytest.raises(InvalidFileError, match="'#' is none of the faces"):
        ListedDice.read(path)
    path.write_text("none: 7 8 9 0")
    with pytest.raises(InvalidFileError, match="none of the faces 1 to 6 is in it"):
        ListedDice.read(path, strict=False)


def test_seeds_after_throws_are_where_dice_go_on() -> None:
    """As GNU Backgammon 1.07 shows them."""
    assert [seed_after("md5", 5, count) for count in (0, 2)] == [5, 7]
    assert seed_after("md5", 99999999999999999999999, 0) == 4182237513
    assert seed_after("isaac", 5, 9) == 5
    later = seed_after("bbs", 5, 2)
    assert later == 38452545133087063508673948373384098544579899365790553350060359336728577823047
    for name, seed in (("bbs", later), ("md5", 7)):
        assert [throws(name, seed)[number] for number in range(5)] == [
            throws(name, 5)[number + 2] for number in range(5)
        ]
