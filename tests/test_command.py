"""GNU Backgammon's language: words, table of commands, games, positions, files; bad input."""

from __future__ import annotations

from pathlib import Path

import pytest

from sixprime.command import Interpreter
from sixprime.command.tree import ROOT
from sixprime.command.words import Words
from sixprime.game.record import ActionKind
from sixprime.game.table import Phase, Table
from sixprime.paths import sample_match

PEOPLE = ("set player both human", "set automatic roll off", "set rng mersenne 5")


class Talk:
    """An interpreter and what it said."""

    def __init__(self) -> None:
        self.said: list[str] = []
        self.wrong: list[str] = []
        self.shell = Interpreter(self.said.append, self.wrong.append)

    def __call__(self, *lines: str) -> str:
        """What the last of the lines is answered with."""
        for line in lines:
            self.said.clear()
            self.wrong.clear()
            self.shell.run(line)
        return "".join(self.said).strip()


@pytest.fixture
def talk() -> Talk:
    return Talk()


def test_words_in_quotes() -> None:
    words = Words("""set "a b" 'c d'e x""")
    assert [words.next() for _ in range(5)] == ["set", "a b", "c de", "x", None]


@pytest.mark.parametrize(
    ("line", "said", "wrong"),
    [
        ("set automatic", "Incomplete command.", ""),
        ("set automatic game maybe", "Illegal keyword `maybe'.", ""),
        ("set automatic game", "You must specify whether to set 'automatic game' on or off.", ""),
        ("foo", "", "Unknown keyword `foo'."),
        ("8/5 6/5", "No game in progress (type `new game' to start one).", ""),
        ("set gnubgid foo", "", "No valid IDs found"),
        ("set gnubgid 2+4OAACWz+4OAA:cAngAAAAAAAE", "Illegal position.", ""),
        ("set gnubgid 4HPwATDgc/ABMA:cAkMAAAAAAAA", "Illegal match ID 'cAkMAAAAAAAA'", ""),
        ("set xgid foo", "", "Not a valid XGID 'foo'"),
        ("import mat nofile", "", "nofile: No such file or directory"),
        ("set player 5 name x", "Unknown player `5' (see `help set player').", ""),
        ("set player 0 name gnubg2", "Player 0 is now known as `gnubg2'.", ""),
        ("new match 65", "Match length must be between 0 (unlimited session) and 64", ""),
        ("# a comment", "", ""),
        ("import mat no\0file", "", "no file: No such file or directory"),
    ],
)
def test_messages(talk: Talk, line: str, said: str, wrong: str) -> None:
    assert (talk(line), "".join(talk.wrong).strip()) == (said, wrong)


def test_depth_is_refused_and_told(talk: Talk) -> None:
    said = talk("set evaluation chequer eval plies 9")
    assert said.startswith("Valid numbers of plies to look ahead are 0 to 7.")
    talk("set player both cubed eval plies 0")
    assert [seat.cube.evaluation.plies for seat in talk.shell.state.options.players] == [0, 0]
    assert talk.shell.state.options.players[0].chequer.evaluation.plies == 2


def test_dice_of_a_seed_are_those_of_gnu_backgammon(talk: Talk) -> None:
    assert "gnubg rolls 2, you rolls 1." in talk(*PEOPLE, "new match 3")


def test_a_game_of_two_people(talk: Talk) -> None:
    talk(*PEOPLE, "new match 3", "set dice 3 1", "8/5 6/5")
    table = talk.shell.state.table
    assert table is not None
    assert table.turn == 1
    assert table.phase is Phase.ROLL
    assert "you doubles." in talk("double")
    said = talk("drop")
    assert "gnubg refuses the cube and gives up 1 point." in said
    assert "The score (after 1 game) is: gnubg 0, you 1 (match to 3 points)" in said
    assert talk.shell.state.game == 1


def test_positions_are_set(talk: Talk) -> None:
    talk(*PEOPLE, "set xgid XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:7:10")
    table = talk.shell.state.table
    assert table is not None
    assert table.rules.length == 7
    assert table.state.dice == (3, 1)
    talk("set board simple 0 -2 0 0 0 0 5 0 3 0 0 0 -5 5 0 0 0 -3 0 -5 0 0 0 0 2 0")
    assert talk.shell.state.table is not None
    assert talk.shell.state.table.position.id == "4HPwATDgc/ABMA"
    assert talk("set turn 0") == "`gnubg' is now on roll."
    assert talk("set board xx") == "Illegal position."


def test_what_cannot_be_hinted_at_goes_where_complaints_go() -> None:
    heard: list[str] = []
    shell = Interpreter(lambda text: None, heard.append)
    shell.run_lines([*PEOPLE, "set gnubgid 4HPwATDgc/ABMA:cAkgAAAAAAAE", "hint"])  # the match is to one point
    assert heard == ["You cannot double.\n"]


def test_back_and_on_from_there(talk: Talk, tmp_path: Path) -> None:
    talk(*PEOPLE, "new match 3", "set dice 3 1", "8/5 6/5", "roll", f"save match {tmp_path / 'a.sgf'}")
    assert (tmp_path / "a.sgf").exists()
    first = talk.shell.state.match
    talk("first game", "next 2")
    assert talk.shell.state.match == first
    talk(f"load match {tmp_path / 'a.sgf'}")
    table = talk.shell.state.table
    assert table is not None
    assert table.rules.length == 3
    talk("previous", "set dice 6 5", "24/13")
    assert talk.shell.state.coming is None


def test_what_was_set_by_hand_in_one_match_leaves_no_trace_in_the_next(talk: Talk, tmp_path: Path) -> None:
    saved = tmp_path / "begun.sgf"
    talk(*PEOPLE, "new match 5", "set dice 3 1", "move 8/5 6/5", f"save match {saved}")
    talk("set dice 4 2", "move 8/4 6/4", "previous", "previous", "set turn 1")
    talk(f"load match {saved}", "set dice 4 2", "move 8/4 6/4")
    assert talk.shell.state.match is not None
    assert [each.kind for each in talk.shell.state.match.games[0].actions] == [ActionKind.MOVE] * 2


def test_files_of_commands_do_not_call_themselves_for_ever(talk: Talk, tmp_path: Path) -> None:
    path = tmp_path / "again"
    path.write_text(f"load commands {path}\n")
    talk(f"load commands {path}")
    assert "deep" in "".join(talk.said)


def test_words_are_completed(talk: Talk) -> None:
    assert talk.shell.complete("set autom") == ["automatic"]
    assert talk.shell.complete("set automatic ") == ["bearoff", "crawford", "doubles", "game", "move", "roll"]


def test_every_command_has_help(talk: Talk) -> None:
    for node in ROOT.leaves():
        assert node.run is not None, node.name
        assert node.text, node.name
        assert talk(f"help {node.name}").startswith(node.name), node.name


def test_help_names_the_player_that_a_command_asks_for(talk: Talk) -> None:
    assert "Usage: set player <player> <subcommand>" in talk("help set player")
    assert "Usage: set player <player> name <name>" in talk("help set player name")
    assert "Usage: set rollout player <player> cubedecision plies <plies>" in talk(
        "help set rollout player cubedecision plies"
    )


def test_what_is_wrong_with_a_file_is_said(talk: Talk, tmp_path: Path) -> None:
    text = Path("tests/data/mat/gnubg.mat").read_text(encoding="utf-8")
    file = tmp_path / "wrong.mat"
    file.write_text(text.replace("42: 8/4 6/4", "42: 9/5 6/4"), encoding="utf-8")
    talk(f'import mat "{file}"')
    problem = talk.wrong[0]
    assert problem.startswith(f"Warning: {file}:7:")
    assert "the rest of game 1 is left out" in problem
    talk('import mat "tests/data/mat/gnubg.mat"')
    assert not talk.wrong


def test_players_without_a_name_keep_theirs(talk: Talk, tmp_path: Path) -> None:
    file = tmp_path / "nameless.sgf"
    file.write_text("(;FF[4]GM[6]CA[UTF-8]MI[length:5][game:0][ws:0][bs:0];W[31heed])", encoding="utf-8")
    talk(f'load match "{file}"')
    assert "gnubg 0" in talk("show score")
    assert "O: gnubg" in talk("show board")
    # Nobody has the other's name.
    file.write_text(file.read_text(encoding="utf-8").replace("GM[6]", "GM[6]PB[gnubg]PW[]"), encoding="utf-8")
    talk(f'load match "{file}"')
    names = [player.name for player in talk.shell.state.match.players]
    assert "gnubg" in names
    assert len({*names}) == 2


def test_players_change_seats_with_all_their_games(talk: Talk) -> None:
    """Of a match that is over, too; twice is as before."""
    talk('import mat "tests/data/mat/gnubg.mat"')
    before = talk.shell.state.match
    assert before is not None
    assert "O: root" in talk("swap players")
    assert not talk.wrong
    match = talk.shell.state.match
    assert match is not None
    assert [player.name for player in match.players] == [player.name for player in reversed(before.players)]
    assert [game.winner for game in match.games] == [
        None if game.winner is None else 1 - game.winner for game in before.games
    ]
    assert [game.score for game in match.games] == [game.score[::-1] for game in before.games]
    talk("swap players")
    assert talk.shell.state.match == before


def test_players_change_seats_with_what_is_set_by_hand(talk: Talk) -> None:
    """In the midst of a match, too."""
    talk('load match "tests/data/sgf/analysed.sgf"', "first game", "next 4")
    for player in ("0", "1"):
        talk("next", f"set turn {player}")
        turn, board = talk("show turn"), talk.shell.state.table
        assert board is not None
        talk("swap players")
        assert talk("show turn") == turn
        assert talk.shell.state.table == board.reseated()
    talk(*PEOPLE, "new match 7", "set turn 0", "set dice 3 1", "8/5 6/5", "resign normal", "decline", "swap players")
    assert "already declined" in "".join((talk("resign normal"), *talk.wrong))


def test_players_who_change_seats_leave_what_plays_there(talk: Talk) -> None:
    """As in the installed program: names and games change seats, types and settings do not."""
    talk("set player 0 gnubg", "set player 1 human", "set player 0 chequerplay evaluation plies 1")
    talk("set player 0 name ann", "set player 1 name bob", "swap players")
    upper, lower = talk.shell.state.options.players
    assert (upper.name, upper.type, lower.name, lower.type) == ("bob", "gnubg", "ann", "human")
    assert upper.chequer.evaluation.plies == 1


def test_files_called_by_a_dash_are_said(talk: Talk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    talk(*PEOPLE, "new session", "move")
    told = {line: talk(line) for line in ("save match -", "export match mat -", "export position text -")}
    assert told["save match -"].startswith("(;FF[4]GM[6]")
    assert "0 point match" in told["export match mat -"]
    assert "Position ID:" in told["export position text -"]
    assert "<html" in talk("export position html -")
    talk("set player 0 name Zoé")
    assert "Zoé" in talk("export position ps -")
    assert talk("export position pdf -") == "That is no text, which only a file can hold."
    assert [*tmp_path.iterdir()] == []


def test_where_there_is_no_other_game_nobody_leaves_this_one(talk: Talk) -> None:
    talk(*PEOPLE, "new match 3", "set dice 3 1", "8/5 6/5")
    for line in ("next game", "previous game 2"):
        talk(line)
        assert talk.shell.state.at == 1
    talk("double", "drop", "previous game")
    assert (talk.shell.state.game, talk.shell.state.at) == (0, 0)


@pytest.mark.parametrize(
    "lines",
    [("roll", "resign normal"), ("double", "resign gammon"), ("resign 3",), ("double", "take", "resign 2")],
)
def test_an_open_resignation_stands_at_the_end_of_the_match(talk: Talk, lines: tuple[str, ...]) -> None:
    talk(*PEOPLE, "new match 3", "set dice 3 1", "8/5 6/5", *lines)
    table = talk.shell.state.table
    for way in (("next",), ("previous", "next"), ("previous 2", "next 2")):
        talk(*way)
        assert talk.shell.state.table == table


def test_another_score_takes_back_an_open_double(talk: Talk) -> None:
    talk(*PEOPLE, "new match 5", "set dice 3 1", "8/5 6/5", "double", "set score 2 1")
    table = talk.shell.state.table
    assert table is not None
    assert (table.phase, table.turn, table.score) == (Phase.ROLL, 1, (2, 1))


def test_no_beavers_are_no_number(talk: Talk) -> None:
    said = talk(*PEOPLE, "set beavers 0", "new session", "set dice 3 1", "8/5 6/5", "double", "beaver")
    assert said == "Beavers are disabled (see `help set beavers')."


def test_what_is_so_already_is_not_set_again(talk: Talk) -> None:
    talk(*PEOPLE, "new match 3", "set dice 3 1", "8/5 6/5")
    match, turn = talk.shell.state.match, talk.shell.state.table
    assert match is not None
    assert turn is not None
    talk(f"set turn {turn.state.on_roll}", "set cube value 1", "set cube centre", "clear turn")
    assert talk.shell.state.match == match
    talk("set cube value 2")
    assert talk.shell.state.match != match
    talk("double", "clear turn")  # there is no roll to forget
    assert talk.shell.state.table is not None
    assert talk.shell.state.table.phase is Phase.DOUBLED


def test_between_two_games_the_crawford_game_is_the_one_that_comes(talk: Talk) -> None:
    talk(*PEOPLE, "set automatic game off", "new match 3", "resign gammon", "accept")
    assert talk("show crawford") == "This game is the Crawford game."
    assert talk("show postcrawford") == "This is not post-Crawford play."


def test_between_two_games_that_can_be_set(talk: Talk) -> None:
    talk(*PEOPLE, "set automatic game off", "new match 3", "resign gammon", "accept")
    assert talk("set crawford off") == "This game is not the Crawford game."
    assert talk("show crawford") == "This game is not the Crawford game"
    assert talk("show score").endswith("3 points, post-Crawford play)")
    talk("new game")
    assert talk("show crawford") == "This game is not the Crawford game"
    talk("resign normal", "decline", "new match 3", "resign normal", "accept")
    assert "none of the players are 1-away" in talk("set postcrawford on")
    talk("new match 1", "resign normal", "accept")
    assert talk("set crawford on").startswith("No game in progress")


def test_who_resigned_may_answer_the_double_after_all(talk: Talk) -> None:
    begun = (*PEOPLE, "set automatic game off", "set beavers 3", "new session", "set dice 3 1", "8/5 6/5", "double")
    phases = {"take": Phase.ROLL, "drop": Phase.GAME_OVER, "beaver": Phase.DOUBLED, "double": Phase.DOUBLED}
    for answer, phase in phases.items():
        talk(*begun, answer)
        table = talk.shell.state.table
        assert table is not None
        assert table.phase is phase
        talk(*begun, "resign normal", answer)
        assert talk.shell.state.table == table


@pytest.mark.parametrize(
    "line",
    [
        "set xgid XGID=-b----E-C---eE---c-e----B-:0:0:1:00:2:3:0:7:10",
        "set gnubgid 4HPwATDgc/ABMA:cAngADAAEAAE",
        "set matchid cAngADAAEAAE",
    ],
)
def test_an_id_of_another_score_begins_a_match(talk: Talk, line: str) -> None:
    played = (*PEOPLE, "new match 7", "resign normal", "accept")
    assert talk(*played, line, "show score") == "The score (after 0 games) is: gnubg 3, you 2 (match to 7 points)"
    assert talk(line, "list match") == "1. 3-2  not over"


@pytest.mark.parametrize("command", ["set xgid", "set gnubgid"])
@pytest.mark.parametrize("around", ["{}", "`{}`", "({}).", "see {}, which I lost", "https://example.org/?q={}", "'{}'"])
def test_an_xgid_in_any_text(talk: Talk, command: str, around: str) -> None:
    said = talk(f"{command} {around.format('XGID=-b----E-C---eE---c-e----B-:0:0:1:31:2:3:0:7:10')}", "show score")
    assert said.endswith("gnubg 3, you 2 (match to 7 points)")
    assert talk.shell.state.table.state.dice == (3, 1)


@pytest.mark.parametrize(
    "text",
    [
        "PositionID=4HPwATDgc/ABMA MatchID=cAngADAAEAAE",
        "4HPwATDgc/ABMA==, cAngADAAEAAE.",
        "https://example.org/?pos=4HPwATDgc%2FABMA%3AcAngADAAEAAE",
    ],
)
def test_ids_in_any_text(talk: Talk, text: str) -> None:
    assert talk(f"set gnubgid {text}", "show score").endswith("gnubg 3, you 2 (match to 7 points)")


def test_a_recorded_game_is_not_thrown_for_again(talk: Talk) -> None:
    talk(*PEOPLE, f"import auto {sample_match()}", "first game")
    match = talk.shell.state.match
    assert "The game has begun already" in talk("roll")
    assert "The game has begun already" in talk("set dice 3 1")
    assert talk.shell.state.match is match


def test_who_leaves_a_game_is_asked() -> None:
    answers = iter(("perhaps", "no", "y"))
    heard: list[str] = []
    shell = Interpreter(heard.append, heard.append, asking=lambda question: next(answers))
    shell.run_lines((*PEOPLE, "new session", "quit"))
    assert not shell.ended
    assert "Please answer `y' or `n'.\n" in heard
    shell.run_lines(("set confirm default no", "set confirm default ask", "exit"))
    assert shell.ended

    def gone(question: str) -> str:
        raise EOFError

    left = Interpreter(heard.append, heard.append, asking=gone)
    left.run_lines((*PEOPLE, "new session", "new session"))
    assert left.state.playing
    left.run("quit")
    assert left.ended


def test_the_record_keeps_to_the_rules_whoever_is_put_on_roll(talk: Talk, tmp_path: Path) -> None:
    dice = tmp_path / "dice"
    dice.write_text("33 62 55")
    talk(*PEOPLE, f"set rng file {dice}", "new match 5", "set turn 1", "roll")
    assert talk.shell.state.match is not None
    kinds = [action.kind for action in talk.shell.state.match.games[0].actions]
    assert kinds == [ActionKind.SET, ActionKind.ROLL]
    Table.from_record(talk.shell.state.match)
    talk("new match 5", "set turn 0", "annotate move comment x", "set dice 2 1")
    assert [action.kind for action in talk.shell.state.match.games[0].actions] == [ActionKind.ROLL]
