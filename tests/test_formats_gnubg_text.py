"""GNU Backgammon's text exports as matches, against the SGF of the same match."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sixprime import formats
from sixprime.errors import InvalidFileError
from sixprime.game.record import Action, ActionKind, ForeignAnalysis

DATA = Path(__file__).parent / "data"
SAME = formats.read(DATA / "sgf" / "analysed.sgf").games[4]


def acts(actions: tuple[Action, ...]) -> list[tuple[object, ...]]:
    return [(act.kind, act.player, act.position, act.dice, act.play, act.state) for act in actions]


def near(one: float | None, other: float | None, digits: float) -> bool:
    return one is None or other is None or abs(one - other) < digits


def check(found: ForeignAnalysis, same: ForeignAnalysis) -> None:
    """The numbers of one program, written with three digits and with six."""
    assert (found.cube is None) == (same.cube is None)
    if found.cube is not None and same.cube is not None:
        pairs = (
            (found.cube.no_double, same.cube.no_double),
            (found.cube.double_take, same.cube.double_take),
        )
        for one, other in pairs:
            assert near(one.equity, other.equity, 0.0006)
            assert near(one.mwc, other.mwc, 0.00006)
            for a, b in zip(one.probabilities or (), other.probabilities or (), strict=False):
                assert near(a, b, 0.0006)
        assert found.cube.method.plies == same.cube.method.plies
    listed = [candidate.play for candidate in found.plays]
    theirs = [candidate.play for candidate in same.plays]
    assert set(listed) <= set(theirs)
    assert listed[:3] == theirs[: min(3, len(listed))]
    for candidate in found.plays:
        other = same.plays[theirs.index(candidate.play)]
        assert near(candidate.value.equity, other.value.equity, 0.0006)
        assert near(candidate.value.mwc, other.value.mwc, 0.00006)
        assert candidate.method.plies == other.method.plies
    if found.played is not None and same.played is not None:
        assert found.plays[found.played].play == same.plays[same.played].play
    assert near(found.luck, same.luck, 0.0006)
    assert (found.play_mark or 0) == (same.play_mark or 0)
    assert (found.cube_mark or 0) == (same.cube_mark or 0)
    assert (found.luck_mark or 0) == (same.luck_mark or 0)


@pytest.mark.parametrize("name", ["game5", "game5_mwc"])
def test_a_game_is_that_of_the_sgf_file(name: str) -> None:
    match = formats.read(DATA / "gnubg_text" / f"{name}.txt")
    assert match.format == "gnubg-text"
    assert match.problems == ()
    (game,) = match.games
    assert (game.number, game.score, game.crawford) == (5, SAME.score, SAME.crawford)
    assert (game.winner, game.points, game.resigned) == (SAME.winner, SAME.points, SAME.resigned)
    assert acts(game.actions) == acts(SAME.actions)
    judged = 0
    for act, same in zip(game.actions, SAME.actions, strict=True):
        assert bool(act.analyses) == bool(same.analyses)
        for found, other in zip(act.analyses, same.analyses, strict=True):
            check(found, other)
            judged += 1
    assert judged > 20


def test_money_play_with_a_beaver_and_a_resignation() -> None:
    match = formats.read(DATA / "gnubg_text" / "money.txt")
    assert (match.length, match.jacoby, match.players[0].name) == (0, True, "Ann")
    (game,) = match.games
    kinds = [act.kind for act in game.actions]
    assert kinds[1:4] == [ActionKind.DOUBLE, ActionKind.BEAVER, ActionKind.TAKE]
    assert (game.winner, game.points, kinds[-1]) == (0, 8, ActionKind.RESIGN)


def test_games_of_one_match_in_a_file_follow_each_other() -> None:
    text = (DATA / "gnubg_text" / "game5.txt").read_text()
    second = text.replace("after 4 games", "after 5 games").replace("Alice 3, Bob 4", "Alice 4, Bob 4")
    match = formats.read_text(text + "\n" + second)
    assert [game.number for game in match.games] == [5, 6]
    assert match.games[1].score == (4, 4)
    assert acts(match.games[1].actions[:1])[0][:5] == acts(SAME.actions[:1])[0][:5]


def test_a_game_after_the_crawford_game_is_read() -> None:
    text = (DATA / "gnubg_text" / "game5.txt").read_text()
    text = text.replace("Alice 3, Bob 4 (match to 7 points)", "Alice 3, Bob 6 (match to 7 points), post-Crawford play")
    (game,) = formats.read_text(text).games
    assert (game.score, game.crawford) == ((3, 6), False)


@pytest.mark.parametrize("names", [("Ann", "Ann moves"), ("Ann", "Ann"), ("Ann (2)", "Ann (2) wins")])
def test_names_may_be_the_same_or_hold_words_of_the_format(names: tuple[str, str]) -> None:
    text = (DATA / "gnubg_text" / "game5.txt").read_text()
    match = formats.read_text(text.replace("Alice", names[0]).replace("Bob", names[1]))
    assert (match.players[0].name, match.players[1].name, match.problems) == (*names, ())
    assert acts(match.games[0].actions) == acts(SAME.actions)
    assert (match.games[0].winner, match.games[0].points) == (SAME.winner, SAME.points)


def test_a_played_candidate_that_is_not_among_the_best_is_read() -> None:
    text = (DATA / "gnubg_text" / "game5.txt").read_text()
    unranked = re.sub(r"^\*    [2-9]\. ", "*   ??  ", text, flags=re.M)
    assert "??" in unranked
    assert formats.read_text(unranked).games == formats.read_text(text).games


@pytest.mark.parametrize(
    ("date", "build", "found"),
    [
        ("11/21/26", "", "2026-11-21"),
        ("22/04/2024", "", "2024-04-22"),
        ("04/05/2024", "", "2024-04-05"),
        ("04/05/2024", "-mingw 32-Bit", "2024-05-04"),
        ("4/5/2024", "-mingw 32-Bit", "2024-04-05"),
    ],
)
def test_a_date_is_as_the_system_writes_it(date: str, build: str, found: str) -> None:
    text = (DATA / "gnubg_text" / "game5.txt").read_text()
    text = text.replace("Date: 11/21/26", f"Date: {date}\nComments: In the rain")
    match = formats.read_text(text.replace("GNU Backgammon 1.07.001", f"GNU Backgammon 1.07.001{build}"))
    assert match.info == {"date": found, "comment": "In the rain"}


def test_cube_decisions_can_be_written_as_sgf() -> None:
    match = formats.read(DATA / "gnubg_text" / "game5_mwc.txt")
    assert "analyses of cube decisions" not in formats.FORMATS["sgf"].losses(match)


def test_games_of_other_players_or_from_the_first_on_are_another_match() -> None:
    text = (DATA / "gnubg_text" / "game5.txt").read_text()
    other = text.replace("Alice", "Carol").replace("Date: 11/21/26", "Date: 11/22/26")
    first, again, last = formats.read_all_text("\n".join((text, text, other)))
    assert [match.players[0].name for match in (first, again, last)] == ["Alice", "Alice", "Carol"]
    assert [match.info["date"] for match in (first, again, last)] == ["2026-11-21", "2026-11-21", "2026-11-22"]
    for match in (first, again, last):
        assert match.problems == ()
        assert acts(match.games[0].actions) == acts(SAME.actions)


@pytest.mark.parametrize("cut", range(200, 36000, 2300))
def test_a_torn_file_gives_what_it_holds(cut: int) -> None:
    text = (DATA / "gnubg_text" / "game5.txt").read_text()[:cut]
    try:
        match = formats.read_text(text)
    except InvalidFileError:
        return
    if match.format == "gnubg-text":
        found = acts(match.games[0].actions)
        assert found == acts(SAME.actions)[: len(found)]
