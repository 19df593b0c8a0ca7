"""Match files `.mat`: real files of every dialect, every kind of cell, damage and what is said about it."""

from __future__ import annotations

import io
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from random_matches import played

from sixprime import formats
from sixprime.errors import InvalidFileError, SettingsError
from sixprime.formats import _text, mat
from sixprime.game.play import apply_steps
from sixprime.game.position import Position
from sixprime.game.record import Action, ActionKind, Game, Match, Player
from sixprime.paths import sample_match

DATA = Path(__file__).parent / "data" / "mat"
SAMPLES = [
    # file, players, length, final score, games, actions, resignations
    (sample_match(), ("Kévin Unger", "Maxence Job"), 7, (7, 4), 7, 351, 3),
    (DATA / "xg.txt", ("Kévin Unger", "Maxence Job"), 7, (7, 4), 7, 351, 3),
    (DATA / "gnubg.mat", ("gnubg", "root"), 5, (3, 5), 5, 224, 2),
    (DATA / "galaxy_empty_name.txt", ("", "lasse"), 16, (2, 0), 1, 40, 0),
    (DATA / "galaxy_losses.txt", ("lasse", "Carlos Corral"), 5, (0, 5), 2, 88, 1),
    (DATA / "studio.txt", ("Magic", "Lasse"), 5, (4, 5), 8, 405, 0),
    (DATA / "studio_hidden.txt", ("solnze", "Lasse"), 3, (3, 0), 2, 101, 1),
    (DATA / "heroes.txt", ("Junichi Tanaka", "Hideaki Ueda"), 11, (12, 4), 6, 375, 4),
]


def final_score(match: Match) -> tuple[int, int]:
    """The score after the last game; checks that every game starts where the last one ended."""
    score = match.games[0].score
    for game in match.games:
        assert game.score == score
        assert game.winner is not None
        score = (score[0] + game.points, score[1]) if game.winner == 0 else (score[0], score[1] + game.points)
    return score


def assert_sound(game: Game) -> None:
    """Every action follows from the one before it."""
    position = game.actions[0].position
    for action, following in zip(game.actions, (*game.actions[1:], None), strict=True):
        assert action.position == position
        assert action.state.decider == action.player
        assert action.state.score == game.score
        if action.kind is ActionKind.MOVE:
            assert action.play is not None
            assert action.play.position == action.position
            assert action.state.dice == action.dice
            position = action.play.result
        elif following is not None and following.state.on_roll != action.state.on_roll:
            position = position.swapped()


@pytest.mark.parametrize(("path", "names", "length", "score", "games", "actions", "resigned"), SAMPLES)
def test_real_files(
    path: Path,
    names: tuple[str, str],
    length: int,
    score: tuple[int, int],
    games: int,
    actions: int,
    resigned: int,
) -> None:
    match = formats.read(path)
    assert match.problems == ()
    assert (match.players[0].name, match.players[1].name) == names
    assert (match.length, len(match.games)) == (length, games)
    assert final_score(match) == score
    assert sum(len(game.actions) for game in match.games) == actions
    assert sum(game.resigned for game in match.games) == resigned
    assert (match.source, match.format) == (str(path), "mat")
    for game in match.games:
        assert_sound(game)
        assert not any(action.illegal for action in game.actions)


def test_two_programs_write_the_same_match() -> None:
    ours, theirs = formats.read(sample_match()), formats.read(DATA / "xg.txt")
    assert ours.players == theirs.players
    assert ours.info == theirs.info
    for game, other in zip(ours.games, theirs.games, strict=True):
        assert (game.score, game.winner, game.points, game.crawford) == (
            other.score,
            other.winner,
            other.points,
            other.crawford,
        )
        assert played(game) == played(other)
        assert [action.state for action in game.actions] == [action.state for action in other.actions]


def test_tags_are_kept_and_understood() -> None:
    match = formats.read(DATA / "xg.txt")
    assert match.tags[0] == ("Site", "Paris, Fédération Française de Bridge")
    assert match.tags[-1] == ("Transcriber", "Kévin Unger")
    assert len(match.tags) == 15
    assert match.info == {
        "event": "HSBT Paris 2023",
        "round": "Tableau Or 2",
        "place": "Paris, Fédération Française de Bridge",
        "date": "2023-11-26",
        "time": "09:30",
        "annotator": "Kévin Unger",
    }


def test_every_kind_of_cell() -> None:
    first, second = formats.read_all(DATA / "all_cells.mat")
    assert [*first.problems, *second.problems] == []
    assert first.players == (Player("Ann: the first", 1712.25, 345), Player("Bob (2)", 1650.5, 12))
    assert first.info == {
        "event": "Every kind of cell",
        "date": "2024-03-09",
        "time": "09:30",
        "comment": "a remark",
    }
    assert (first.length, first.jacoby, first.beavers) == (0, True, 3)
    assert final_score(first) == (0, 19)
    kind = ActionKind
    beavers, set_by_hand, given_up = first.games[0], first.games[2], first.games[3]
    assert [(a.kind, a.player, a.value) for a in beavers.actions] == [
        (kind.MOVE, 0, 0),
        (kind.DOUBLE, 1, 2),
        (kind.BEAVER, 0, 4),
        (kind.BEAVER, 1, 8),
        (kind.TAKE, 0, 0),
        (kind.MOVE, 1, 0),
        (kind.ROLL, 0, 0),
        (kind.RESIGN, 0, 1),
    ]
    assert [(a.state.cube, a.state.cube_owner, a.state.doubled, a.state.beavered) for a in beavers.actions[:6]] == [
        (1, None, False, 0),
        (1, None, False, 0),
        (1, None, True, 0),
        (1, None, True, 1),
        (1, None, True, 2),
        (8, 0, False, 0),
    ]
    illegal, after = first.games[1].actions[8:10]
    assert illegal.illegal
    assert illegal.play is not None
    assert illegal.play.result == after.position
    assert set_by_hand.actions[0].kind is kind.SET
    assert set_by_hand.actions[0].position == set_by_hand.actions[1].position
    assert [a.kind for a in given_up.actions] == [kind.MOVE, kind.MOVE, kind.RESIGN]
    assert (second.length, second.games[0].score, second.info) == (3, (2, 0), {"comment": "the next match"})


def session(*rows: str, length: int = 0, score: str = "Ann : 0      Bob : 0", head: str = "") -> str:
    """A file with one game."""
    return f"{head}\n {length} point match\n\n Game 1\n {score}\n" + "\n".join(rows) + "\n"


def set_board(left: dict[int, int], right: dict[int, int], cube: int = 0) -> str:
    """A line that sets a position: chequers on each player's own points; 25 is the bar."""
    letters = ["-"] * 26
    for point, count in left.items():
        letters[point] = "_ABCDEFGHIJKLMNO"[count]
    for point, count in right.items():
        letters[25 - point] = "_abcdefghijklmno"[count]
    return f"; Set Pos={''.join(letters)}/{cube}"


LAST_CHEQUERS = set_board({1: 1, 2: 1}, {1: 2})


def cells(text: str) -> list[Action]:
    return list(formats.read_text(text).games[0].actions)


@pytest.mark.parametrize(
    ("row", "hint"),
    [
        ("  1) 31: 8/5 6/5                42: 8/4 6/4", "columns of GNU Backgammon"),
        (" 1) 31: 8/5 6/5 42: 8/4 6/4", "one blank only"),
        ("  1) 31: 6/5 8/5      42: 6/4,8/4", "any order, commas"),
        ("\t1)\t31: 8/5 6/5\t42: 8/4 6/4", "tabs"),
        ("  1) 31:8/5 6/5                 42:8/4 6/4", "no blank after the dice"),
        ("  1) 13: 8-5 6-5                 24: 8-4 6-4", "hyphens, the smaller die first"),
    ],
)
def test_layouts_of_rows(row: str, hint: str) -> None:
    match = formats.read_text(session(row, "  Wins 1 point"))
    assert match.problems == ()
    assert [str(action.play) for action in match.games[0].actions[:2]] == ["8/5 6/5", "8/4 6/4"]


def test_a_result_in_the_row_of_the_last_play() -> None:
    """As Backgammon Galaxy writes where a player gives up before the other has rolled."""
    row = "  1) 31: 8/5 6/5                  1)  Losses 1 point                    Wins 1 point and the match"
    match = formats.read_text(session(row, length=1))
    assert match.problems == ()
    (game,) = match.games
    assert [str(action.play) for action in game.actions if action.kind is ActionKind.MOVE] == ["8/5 6/5"]
    assert (game.winner, game.points, game.resigned) == (1, 1, True)


def test_blanks_that_do_not_break() -> None:
    """As in a text that was copied from a page."""
    text = (DATA / "studio.txt").read_text(encoding="utf-8")
    match = formats.read_text(text.replace(" ", "\xa0"))
    assert match.problems == ()
    assert match.games == formats.read_text(text).games


def test_a_lonely_cell_belongs_to_the_player_of_its_column() -> None:
    left = cells(session("  1) 31: 8/5 6/5", "      Wins 1 point"))
    right = cells(session("  1)                             31: 8/5 6/5", "      Wins 1 point"))
    assert [left[0].player, right[0].player] == [0, 1]


@pytest.mark.parametrize(
    ("line", "names", "score"),
    [
        (" Ann : 3                        Bob : 0", ("Ann", "Bob"), (3, 0)),
        ("  : 1                            lasse : 2", ("", "lasse"), (1, 2)),
        (" lasse : 1                        : 2", ("lasse", ""), (1, 2)),
        (" Dr. No: 7 : 1      O'Neil: III : 2", ("Dr. No: 7", "O'Neil: III"), (1, 2)),
        ("Bot1: 0  Bot2: 0", ("Bot1", "Bot2"), (0, 0)),
        ("Bot1: 0  Bot2:\x1e0", ("Bot1", "Bot2"), (0, 0)),
        (" Game 7 : 0                      5 point match : 0", ("Game 7", "5 point match"), (0, 0)),
        (" Ann,1734 : 0                    Bob,1500.5 : 0", ("Ann", "Bob"), (0, 0)),
    ],
)
def test_names(line: str, names: tuple[str, str], score: tuple[int, int]) -> None:
    match = formats.read_text(session("  1) 31: 8/5 6/5", "      Wins 1 point", score=line))
    assert (match.players[0].name, match.players[1].name) == names
    assert match.games[0].score == score


def test_a_name_that_the_tags_have_whole_holds_no_rating() -> None:
    """A name may end as a rating does; in a file of ours the tags say so."""
    text = session(
        "  1) 31: 8/5 6/5",
        "   Wins 1 point",
        score="Bob,1734 : 0    Ann,1500 : 0",
        head='; [Player 1 "Bob,1734"]\n; [Player 2 "Ann"]\n',
    )
    found = formats.read_text(text)
    assert found.players == (Player("Bob,1734"), Player("Ann", 1500.0))
    assert formats.read_text(mat.format(found)).players == found.players


def test_ratings_behind_names() -> None:
    match = formats.read_text(session("  1) 31: 8/5 6/5", "   Wins 1 point", score="Ann,1734 : 0    Bob,1500.5 : 0"))
    assert [player.rating for player in match.players] == [1734, 1500.5]


def test_players_may_change_columns() -> None:
    text = session("  1) 31: 8/5 6/5", "      Wins 1 point")
    text += "\n Game 2\n Bob : 0     Ann : 1\n  1) 31: 8/5 6/5\n      Wins 1 point\n"
    match = formats.read_text(text)
    assert match.problems == ()
    assert [(game.score, game.winner) for game in match.games] == [((0, 0), 0), ((1, 0), 1)]
    assert match.games[1].actions[0].player == 1


def test_encodings(tmp_path: Path) -> None:
    text = session("  1) 31: 8/5 6/5", "      Wins 1 point", score="Kévin : 0      Müller : 0")
    for data in (
        text.encode(),
        b"\xef\xbb\xbf" + text.encode(),
        text.encode("latin-1"),
        text.encode("utf-16"),
        text.replace("\n", "\r\n").encode(),
        text.replace("\n", "\r").encode(),
    ):
        (tmp_path / "match.mat").write_bytes(data)
        match = formats.read(tmp_path / "match.mat")
        assert [player.name for player in match.players] == ["Kévin", "Müller"]
        assert match.problems == ()


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    class Stdin:
        buffer = io.BytesIO((DATA / "gnubg.mat").read_bytes())

    monkeypatch.setattr(sys, "stdin", Stdin)
    match = formats.read("-")
    assert (match.source, len(match.games)) == ("standard input", 5)


def test_files_and_devices_without_end_are_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(_text, "LARGEST_FILE", 1 << 20)
    path = tmp_path / "match.mat"
    path.write_bytes(b" " * (1 << 20))
    with pytest.raises(InvalidFileError, match="the file is empty"):
        formats.read(path)
    path.write_bytes(b" " * ((1 << 20) + 1))
    with pytest.raises(InvalidFileError, match=r"match\.mat: is larger than 1 MB"):
        formats.read(path)
    if Path("/dev/zero").exists():
        with pytest.raises(InvalidFileError, match="/dev/zero: is a device, not a regular file"):
            formats.read("/dev/zero")

    class Stdin:
        buffer = io.BytesIO(bytes(2 << 20))

    monkeypatch.setattr(sys, "stdin", Stdin)
    with pytest.raises(InvalidFileError, match="standard input: is larger than 1 MB"):
        formats.read("-")


def test_joined_files_with_byte_order_marks(tmp_path: Path) -> None:
    data = b'\xef\xbb\xbf; [Site "Here"]\n' + (DATA / "gnubg.mat").read_bytes()
    (tmp_path / "joined.mat").write_bytes(data + b"\n" + data)
    first, second = formats.read_all(tmp_path / "joined.mat")
    assert first.players == second.players
    assert first.info == second.info
    assert (first.problems, second.problems) == ((), ())


# Rolls without a play


@pytest.mark.parametrize(
    ("bar", "row", "kind", "play"),
    [
        (1, "  1) 66:", ActionKind.MOVE, ""),
        (1, "  1) 66: Cannot Move", ActionKind.MOVE, ""),
        (1, "  1) 65:", ActionKind.MOVE, ""),
        (1, "  1) 54:", ActionKind.MOVE, "bar/16"),
        (0, "  1) 54:", ActionKind.ROLL, None),
        (1, "  1) 54: ????", ActionKind.ROLL, None),
    ],
)
def test_a_roll_without_a_play(bar: int, row: str, kind: ActionKind, play: str | None) -> None:
    left = {25: 1} if bar else {13: 2}
    match = formats.read_text(session(set_board(left, {6: 2, 5: 2, 3: 2, 2: 2, 1: 2}), row, "      Wins 1 point"))
    action = match.games[0].actions[1]
    assert (action.kind, None if action.play is None else str(action.play)) == (kind, play)
    assert match.problems == ()


def test_cannot_move_is_checked() -> None:
    match = formats.read_text(session("  1) 31: Cannot Move               42: 8/4 6/4", "      Wins 1 point"))
    assert match.games[0].actions[0].illegal
    assert [(p.line, p.column, "can be played" in p.message) for p in match.problems] == [(6, 6, True)]
    assert match.games[0].actions[1].play is not None


def test_zero_steps_for_dice_without_use() -> None:
    actions = cells(session(set_board({1: 1}, {1: 2}), "  1) 21: 1/0 0/0", "    Wins 1 point"))
    assert [action.illegal for action in actions] == [False, False]


# The cube and results


def test_a_double_without_an_answer() -> None:
    dropped = formats.read_text(session("  1) 31: 8/5 6/5      Doubles => 2", "                    Wins 1 point"))
    taken = formats.read_text(
        session("  1) 31: 8/5 6/5      Doubles => 2", "  2)                 42: 8/4 6/4", "      Wins 2 points")
    )
    assert [a.kind.value for a in dropped.games[0].actions] == ["move", "double", "drop"]
    assert [a.kind.value for a in taken.games[0].actions] == ["move", "double", "take", "move", "resign"]
    assert [p.message for p in taken.problems] == ["the double before this has no answer; read as taken"]


@pytest.mark.parametrize(
    ("points", "kept", "said"),
    [
        (1, 1, ""),
        (3, 3, ""),
        (0, 1, "0 points"),
        (2008, 3, "2008 points cannot be won by resignation with the cube on 1; read as 3"),
    ],
)
def test_points_of_a_resignation(points: int, kept: int, said: str) -> None:
    match = formats.read_text(session("  1) 31: 8/5 6/5", f"      Wins {points} points", length=9))
    assert (match.games[0].points, match.games[0].winner, match.games[0].resigned) == (kept, 0, True)
    assert match.games[0].actions[-1].value == min(max(points, 1), 3)
    assert said in "".join(problem.message for problem in match.problems)
    assert bool(match.problems) == bool(said)


def test_no_more_points_than_the_match_needs() -> None:
    score = "Ann : 2      Bob : 0"
    match = formats.read_text(session("  1) 31: 8/5 6/5", "      Wins 1 point and the match", length=3, score=score))
    assert (match.games[0].points, match.problems) == (1, ())
    cube = ["  1) 31: 8/5 6/5      Doubles => 2", "  2)  Takes      42: 8/4 6/4"]
    capped = formats.read_text(session(*cube, "      Wins 1 point and the match", length=3, score=score))
    assert (capped.games[0].points, capped.problems) == (1, ())


@pytest.mark.parametrize(("cube", "points"), [(1, 1), (4, 3)])
def test_no_more_points_of_a_game_played_out(cube: int, points: int) -> None:
    """A gammon, or a high cube: the file says what the match needed, and where it ended."""
    needs = f"Ann : {5 - points}      Bob : 4"
    board = set_board({1: 1}, {20: 15}, cube.bit_length() - 1)
    rows = (board, "  1) 31: 1/0", f"      Wins {points} points and the match")
    match = formats.read_text(session(*rows, length=5, score=needs))
    (game,) = match.games
    assert (game.winner, game.points, game.resigned, match.problems) == (0, points, False, ())


def test_a_game_without_a_move_has_a_winner() -> None:
    match = formats.read_text(session("  1)", "   Wins 1 points and the match", score="Ann : 6      Bob : 6"))
    (game,) = match.games
    assert (game.winner, game.points, game.resigned) == (0, 1, True)


def test_wrong_points_of_a_game_played_out() -> None:
    rows = [LAST_CHEQUERS, "  1) 21: 2/0 1/0", "      Wins 3 points"]
    match = formats.read_text(session(*rows, length=7))
    assert match.games[0].points == 1
    assert [str(problem) for problem in match.problems] == ["8:7: the file says that 3 points were won, but it was 1"]
    rows[-1] = "                            Wins 1 point"
    match = formats.read_text(session(*rows, length=7))
    assert match.games[0].winner == 0
    assert [p.message for p in match.problems] == ["the file says that Bob won, but it was Ann"]


def test_jacoby_is_inferred_where_the_file_is_silent() -> None:
    rows = [set_board({1: 1, 2: 1}, {6: 15}), "  1) 21: 2/0 1/0", "      Wins {} points"]
    for points, jacoby in ((1, True), (2, False)):
        match = formats.read_text(session(*(row.format(points) for row in rows)))
        assert (match.games[0].points, match.jacoby, match.problems) == (points, jacoby, ())
    told = formats.read_text(session(*(row.format(2) for row in rows), head='; [Jacoby "On"]'))
    assert (told.games[0].points, told.jacoby, len(told.problems)) == (1, True, 1)


def test_a_result_by_the_next_score() -> None:
    text = session("  1) 31: 8/5 6/5", length=5)
    text += "\n Game 2\n Ann : 0      Bob : 2\n  1) 31: 8/5 6/5\n      Wins 1 point\n"
    match = formats.read_text(text)
    assert (match.games[0].winner, match.games[0].points, match.games[0].resigned) == (1, 2, True)
    assert [p.message for p in match.problems] == ["game 1 has no result; by the next score Bob won 2 points"]


def test_a_wrong_score() -> None:
    text = session("  1) 31: 8/5 6/5", "      Wins 1 point", length=5)
    text += "\n Game 2\n Ann : 3      Bob : 0\n  1) 31: 8/5 6/5\n      Wins 1 point\n"
    match = formats.read_text(text, "m.mat")
    assert match.games[1].score == (3, 0)
    assert [str(problem) for problem in match.problems] == ["m.mat:10:1: game 2 starts at 3-0, not at 1-0"]


def test_a_score_that_cannot_be() -> None:
    text = session("  1) 31: 8/5 6/5", "      Wins 1 point", length=5)
    text += "\n Game 2\n Ann : 9      Bob : 0\n  1) 31: 8/5 6/5\n      Wins 1 point\n"
    match = formats.read_text(text)
    assert [game.score for game in match.games] == [(0, 0), (1, 0)]
    assert [p.message for p in match.problems] == ["game 2 starts at 9-0, not at 1-0"]


def test_crawford_game() -> None:
    match = formats.read(sample_match())
    assert [game.crawford for game in match.games] == [
        1 in (7 - game.score[0], 7 - game.score[1]) and not any(6 in other.score for other in match.games[:index])
        for index, game in enumerate(match.games)
    ]
    without = formats.read_text(
        session("  1) 31: 8/5 6/5", length=2, score="Ann : 1   Bob : 0", head='; [Crawford "Off"]')
    )
    assert not without.games[0].crawford
    excerpt = formats.read_text(
        session("  1) 31: 8/5 6/5          Doubles => 2", "  2)  Drops", length=2, score="Ann : 1   Bob : 0")
    )
    assert not excerpt.games[0].crawford
    assert excerpt.problems == ()


def test_a_game_after_the_end_of_the_match() -> None:
    text = session("  1) 31: 8/5 6/5", "      Wins 1 point and the match", length=1)
    text += "\n Game 2\n Ann : 1      Bob : 0\n"
    assert formats.read_text(text).problems == ()
    text += "  1) 31: 8/5 6/5\n"
    match = formats.read_text(text)
    assert len(match.games) == 1
    assert [p.message for p in match.problems] == ["game 2 is left out: the match was over"]


# Positions set by hand, other games


@pytest.mark.parametrize("line", [LAST_CHEQUERS, set_board({1: 2}, {1: 1, 2: 1})])
def test_the_colours_of_a_set_position_follow_from_the_plays(line: str) -> None:
    actions = cells(session(line, "  1) 21: 2/0 1/0"))
    assert actions[0].kind is ActionKind.SET
    assert actions[0].position == actions[1].position
    assert not actions[1].illegal


@pytest.mark.parametrize(("cube", "owner", "value"), [(0, None, 1), (-1, 0, 2), (2, 1, 4)])
def test_the_cube_of_a_set_position(cube: int, owner: int | None, value: int) -> None:
    state = cells(session(set_board({2: 1, 1: 1}, {1: 2}, cube), "  1) 21: 2/0 1/0"))[1].state
    assert (state.cube, state.cube_owner) == (value, owner)


@pytest.mark.parametrize("letters", ["-A", "Z" * 26, "P" * 26, "-" * 26, ""])
def test_a_senseless_position_is_not_set(letters: str) -> None:
    match = formats.read_text(session(f"; Set Pos={letters}/0", "  1) 31: 8/5 6/5", "      Wins 1 point"))
    assert [(p.line, p.column) for p in match.problems] == [(6, 11)]
    assert (match.games[0].actions, match.games[0].winner) == ((), 0)


def test_the_opening_position_set_again_changes_nothing() -> None:
    actions = cells(session("; Set Pos=-b----E-C---eE---c-e----B-/0", "  1) 31: 8/5 6/5"))
    assert [action.kind for action in actions] == [ActionKind.MOVE]


@pytest.mark.parametrize(
    ("variant", "play", "tag"),
    [
        ("nackgammon", "21: 23/22 23/21", ""),
        ("nackgammon", "21: 23/22 23/21", '; [Variation "NackGammon"]'),
        ("hypergammon3", "53: 23/20 22/17", ""),
        ("hypergammon2", "21: 24/22 23/22", '; [Variation "HyperGammon (2)"]'),
    ],
)
def test_variants(variant: str, play: str, tag: str) -> None:
    match = formats.read_text(session(f"  1) {play}", "      Wins 1 point", head=tag))
    assert (match.variant, match.problems) == (variant, ())


def test_cube_limit() -> None:
    rows = "  1) 31: 8/5 6/5        Doubles => 2", "  2)  Drops"
    match = formats.read_text(session(*rows, head='; [CubeLimit "1"]'))
    assert match.cube_limit == 1
    assert [p.message for p in match.problems] == ["the cube cannot go above 1"]


# Damage


def problems(*rows: str, length: int = 5) -> list[str]:
    return [str(problem) for problem in formats.read_text(session(*rows, length=length), "m.mat").problems]


def test_an_illegal_play_is_kept() -> None:
    match = formats.read_text(session("  1) 31: 8/5 6/4                42: 8/4 6/4", "      Wins 1 point"), "m.mat")
    first, second, _ = match.games[0].actions
    assert first.illegal
    assert not second.illegal
    assert first.play is not None
    assert first.play.result == second.position == apply_steps(Position.start(), [(8, 5), (6, 4)])
    (problem,) = match.problems
    assert (problem.path, problem.line, problem.column) == ("m.mat", 6, 6)
    assert problem.message.startswith("'8/5 6/4' is no legal play of 3-1")


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("  1) 31: 8/5 7/4                    42: 8/4 6/4", "m.mat:6:6: no chequer on 7 to move to 4"),
        ("  1) 31: 8/5 6/x                    42: 8/4 6/4", "m.mat:6:6: '6/x' in a play is no step"),
        ("  1) 37: 8/5 6/5                    42: 8/4 6/4", "m.mat:6:6: a play without a roll of two dice"),
        ("  1) 31: 24/14                      42: 8/4 6/4", "m.mat:6:6: '24/14' is no legal play of 3-1"),
    ],
)
def test_what_cannot_be_followed_ends_the_game_but_not_the_match(row: str, message: str) -> None:
    text = session(row, "      Wins 2 points", length=5)
    text += "\n Game 2\n Ann : 2      Bob : 0\n  1) 31: 8/5 6/5\n      Wins 1 point\n"
    match = formats.read_text(text, "m.mat")
    assert str(match.problems[0]).startswith(message)
    assert len(match.problems) == 1
    assert final_score(match) == (3, 0)
    assert len(match.games[1].actions) == 2


def test_a_missing_play() -> None:
    assert problems("  1) 31:                          42: 8/4 6/4", "    Wins 1 point") == [
        "m.mat:6:35: the play of the roll before this is missing; the rest of game 1 is left out"
    ]


def test_two_turns_in_a_row() -> None:
    assert problems("  1) 31: 8/5 6/5", "  2) 42: 8/4 6/4", "    Wins 1 point") == [
        "m.mat:7:6: it is not the turn of Ann"
    ]


def test_moves_after_the_end() -> None:
    assert problems("  1) 31: 8/5 6/5          Doubles => 2", "  2)  Drops      42: 8/4 6/4", "  3) 31: 8/5 6/5") == [
        "m.mat:7:18: the game is already over; what follows is left out"
    ]


def test_a_file_that_breaks_off() -> None:
    whole = (DATA / "gnubg.mat").read_text()
    complete = formats.read_text(whole)
    cut = formats.read_text(whole[: whole.index(" 21) 55: 10/5")], "m.mat")
    assert cut.games[:2] == complete.games[:2]
    assert cut.games[2].winner is None
    assert cut.games[2].actions == complete.games[2].actions[: len(cut.games[2].actions)]
    (problem,) = cut.problems
    assert str(problem) == f"m.mat:{whole[: whole.index(' 21) 55: 10/5')].count(chr(10))}:1: game 3 breaks off here"


def test_text_that_means_nothing() -> None:
    assert problems("  1) 31: 8/5 6/5", "hello", "  2) what", "    Wins 1 point") == [
        "m.mat:7:1: cannot read 'hello'",
        "m.mat:8:6: cannot read 'what'",
    ]


def test_cube_trouble() -> None:
    assert problems("  1) 31: 8/5 6/5          Doubles => 4", "  2)  Drops") == [
        "m.mat:6:27: the cube goes from 1 to 2, not to 4"
    ]
    assert problems("  1) 31: 8/5 6/5          Takes", "   Wins 1 point") == [
        "m.mat:6:27: a take by Bob without a double before it"
    ]
    assert problems(
        "  1) 31: 8/5 6/5          Doubles => 2", "  2)  Beavers => 4     42: 8/4 6/4", "   Wins 4 point"
    ) == ["m.mat:7:7: there are no beavers in a match"]


def test_no_length() -> None:
    match = formats.read_text("\n Game 1\n Ann : 0    Bob : 0\n  1) 31: 8/5 6/5\n    Wins 1 point\n")
    assert match.length == 0
    assert [str(p) for p in match.problems] == [
        '2:1: no line "n point match" before the first game; read as a money session'
    ]


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("", 1, 1, "the file is empty"),
        ("\n\n  hello\n", 3, 3, "no match found"),
        ('; [Site "x"]\n 7 point match\n\n', 2, 2, "no game follows"),
    ],
)
def test_no_match_at_all(text: str, line: int, column: int, message: str) -> None:
    with pytest.raises(InvalidFileError, match=message) as caught:
        formats.read_text(text, "m.mat")
    assert (caught.value.path, caught.value.line, caught.value.column) == ("m.mat", line, column)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    for path in (tmp_path / "missing.mat", tmp_path, Path("nul\0.mat")):
        with pytest.raises(InvalidFileError, match=r"cannot be read|is a folder|is no name of a file"):
            formats.read(path)


def test_several_matches() -> None:
    text = (DATA / "all_cells.mat").read_text()
    assert len(mat.parse(text)) == 2
    assert [p.message for p in formats.read_text(text).problems] == ["only the first of 2 matches is read"]


def test_detect() -> None:
    assert all(formats.detect(path.read_bytes()) == "mat" for path, *_ in SAMPLES)
    assert formats.detect("hello") is None


# Writing


def test_written_text() -> None:
    text = (DATA / "gnubg.mat").read_text()
    lines = mat.format(formats.read_text(text)).splitlines()
    originals = text.rstrip().splitlines()
    assert lines.pop() == originals.pop() + " and the match"
    for line, original in zip(lines, originals, strict=False):
        # The steps of a play may come in another order; then another one hits.
        assert sorted(line.replace("*", "").split()) == sorted(original.replace("*", "").split())
        assert line[:6] == original[:6]
        assert line[32:36].strip() == original[32:36].strip() or len(line) > 60


def test_write(tmp_path: Path) -> None:
    match = formats.read(DATA / "xg.txt")
    target = tmp_path / "match.mat"
    target.write_text("old")
    formats.write(match, target)
    assert formats.read(target).tags == match.tags
    assert list(tmp_path.iterdir()) == [target]
    formats.write(match, tmp_path / "match.out", "mat")
    for path, name in ((tmp_path / "match.out", None), (target, "xyz")):
        with pytest.raises(SettingsError, match="formats that can be written: "):
            formats.write(match, path, name)


OVER = """ 7 point match

 Game 1
 Ann : {0}                             Bob : {1}
  1) 31: 8/5 6/5                      63: 24/15
"""


@pytest.mark.parametrize(("score", "left_out"), [((6, 6), False), ((7, 3), True), ((3, 7), True), ((0, 0), False)])
def test_a_game_after_the_match_was_over_is_left_out(score: tuple[int, int], left_out: bool) -> None:
    """A file of just one game is no reason to take it."""
    text = OVER.format(*score)
    if left_out:
        with pytest.raises(InvalidFileError, match="game 1 is left out: the match was over"):
            formats.read_text(text)
    else:
        [game] = formats.read_text(text).games
        assert (game.score, len(game.actions)) == (score, 2)


@pytest.mark.parametrize(
    ("first", "second", "ratings"),
    [
        ("Ann", "Bob", (1500.0, 1600.0)),
        ("Bob", "Ann", (1600.0, 1500.0)),
        ("Bob", None, (1600.0, 1500.0)),
        (None, "Ann", (1600.0, 1500.0)),
        (None, None, (1500.0, 1600.0)),
        ("Cid", "Dan", (1500.0, 1600.0)),
    ],
)
def test_tags_speak_of_a_player_by_name(first: str | None, second: str | None, ratings: tuple[float, float]) -> None:
    """Whichever column he plays in; by number where no name fits."""
    tags = [f'; [Player {n} "{name}"]' for n, name in ((1, first), (2, second)) if name]
    tags += ['; [Player 1 Elo "1500/10"]', '; [Player 2 Elo "1600/20"]']
    found = formats.read_text("\n".join(tags) + "\n" + OVER.format(0, 0))
    assert [player.name for player in found.players] == ["Ann", "Bob"]
    assert tuple(player.rating for player in found.players) == ratings


@pytest.mark.parametrize(("double", "cube"), [(2, 1), (4, 2), (8, 4), (16, 8), (32, 16), (64, 1), (6, 1), (1, 1)])
@pytest.mark.parametrize("length", [0, 7])
def test_the_first_double_of_a_money_game_shows_automatic_ones(double: int, cube: int, length: int) -> None:
    text = (
        OVER.format(0, 0).replace("7 point", f"{length} point")
        + f"  2)  Doubles => {double}                     Drops\n"
    )
    found = formats.read_text(text)
    assert found.games[0].cube == (1 if length else cube)
    said = any(f"starts with the cube at {cube}: automatic doubles" in problem.message for problem in found.problems)
    assert said == (cube > 1 and not length)


@pytest.mark.parametrize("length", [0, 9])
@pytest.mark.parametrize("start", ["", "CV[4]"])
def test_a_high_cube_in_the_middle_of_a_position_is_kept(start: str, length: int) -> None:
    board = ";PL[B]AE[a:y]AW[x][x][m][m][m][m][m][h][h][h][f][f][f][f][f]AB[a][a][l][l][l][l][l][q][q][q][s][s][s][s]"
    head = f"(;FF[4]GM[6]MI[length:{length}][game:0][ws:0][bs:0]PW[Ann]PB[Bob]RU[Jacoby]{start}RE[B+8R]"
    match = formats.read_text(f"{head}{board};CV[4];CP[c];B[double];W[take];B[31qtst])")
    (text,) = formats.render([match], "mat")
    again = formats.read_text(text)
    assert again.problems == match.problems == ()
    (game,) = again.games
    double = next(action for action in game.actions if action.kind is ActionKind.DOUBLE)
    assert (double.state.cube, double.value, game.winner, game.points) == (4, 8, 1, 8)


def test_a_cube_that_goes_back_to_the_middle_leaves_the_doubles_before_it() -> None:
    board = ";PL[B]AE[a:y]AW[x][x][m][m][m][m][m][h][h][h][f][f][f][f][f]AB[a][a][l][l][l][l][l][q][q][q][s][s][s][s]"
    doubled = "(;FF[4]GM[6]MI[length:0][game:0][ws:0][bs:0]PW[Ann]PB[Bob];B[double];W[take];B[31qtst]"
    (text,) = formats.render([formats.read_text(f"{doubled}{board};CV[4];CP[c];B[65xrrm])")], "mat")
    (game,) = formats.read_text(text).games
    double = next(action for action in game.actions if action.kind is ActionKind.DOUBLE)
    assert (game.cube, double.state.cube, double.value) == (1, 1, 2)


def test_a_comment_is_not_taken_for_tags() -> None:
    remark = '[Variation "NackGammon"]\n[Crawford "Off"]\n[Game 1, Move 2\n> [quoted]\nplain'
    plain = formats.read_text(" 3 point match\n\n Game 1\n A : 0   B : 0\n  1) 31: 8/5 6/5\n")
    (text,) = formats.render([replace(plain, info={"comment": remark})], "mat")
    again = formats.read_text(text)
    assert (again.variant, again.crawford_rule, again.info["comment"]) == ("standard", True, remark)


@pytest.mark.parametrize(
    ("tags", "info"),
    [
        ({"EventDate": "2024.05"}, {"date": "2024-05"}),
        ({"EventDate": "2024"}, {"date": "2024"}),
        ({"EventDate": "2024/5/7"}, {"date": "2024-05-07"}),
        ({"EventDate": "mid-May"}, {"date": "mid-May"}),
        ({"EventTime": "10.30.15"}, {"time": "10:30:15"}),
        ({"EventTime": "9.05"}, {"time": "09:05"}),
        ({"EventTime": "tea:time"}, {"time": "tea:time"}),
    ],
    ids=str,
)
def test_dates_and_times_have_one_form(tags: dict[str, str], info: dict[str, str]) -> None:
    head = "".join(f'; [{key} "{value}"]\n' for key, value in tags.items())
    match = formats.read_text(f"{head}\n 7 point match\n\n Game 1\n A : 0    B : 0\n  1) 31: 8/5 6/5\n")
    assert match.info == info
    again = formats.read_text(formats.render([replace(match, tags=())], "mat")[0])
    assert again.info == info


@pytest.mark.parametrize(
    ("head", "length", "problems"),
    [
        (" -3 point match", 0, ["a match to -3 points; read as a money session"]),
        ("- 3 point match", 3, []),
        ("--3 point match", 3, []),
    ],
)
def test_no_match_has_a_negative_length(head: str, length: int, problems: list[str]) -> None:
    match = formats.read_text(f"{head}\n\n Game 1\n A : 0    B : 0\n  1) 31: 8/5 6/5\n      Wins 1 point\n")
    assert match.length == length
    assert [problem.message for problem in match.problems] == problems
