"""Text formats of matches: one match in nine of them, every kind of record, and what is said about damage.

SIXPRIME_SAMPLES names a folder with more files.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from dataclasses import replace
from pathlib import Path

import pytest
from random_matches import played

from sixprime import formats
from sixprime.errors import InvalidFileError
from sixprime.formats import FORMATS, oldmoves
from sixprime.formats._text import Document
from sixprime.game import MatchState, Position
from sixprime.game.acts import Opening
from sixprime.game.match_rules import Rules
from sixprime.game.record import Action, ActionKind, Game, Match, Player
from sixprime.game.table import Table
from sixprime.paths import sample_match

DATA = Path(__file__).parent / "data" / "formats"
MAT = Path(__file__).parent / "data" / "mat"
SAMPLES = Path(os.environ.get("SIXPRIME_SAMPLES", "/nowhere"))
GNUBG = shutil.which("gnubg", path=f"{os.environ.get('PATH', '')}:/usr/games")
kind = ActionKind


@pytest.fixture(scope="module")
def original() -> Match:
    return formats.read(MAT / "gnubg.mat")


# One match


@pytest.mark.parametrize(
    ("name", "format", "games"),
    [
        ("match.sgg", "sgg", (0, 1, 2, 3, 4)),
        ("match.oldmoves", "oldmoves", (0, 1, 2, 3, 4)),
        ("match.tmg", "tmg", (0, 1, 2, 3, 4)),
        ("match.party", "partygammon", (0, 1, 2, 3, 4)),
        ("match.bgroom", "bgroom", (0, 3, 4)),
        ("match.bkg", "bkg", (0, 3, 4)),
        ("match.empire", "gammonempire", (0, 3, 4)),
        ("match.gam", "gam", (4,)),
    ],
)
def test_the_same_match_in_every_format(original: Match, name: str, format: str, games: tuple[int, ...]) -> None:
    match = formats.read(DATA / name)
    assert match.problems == ()
    assert match.format == format
    swap = match.players[0].name == "root"
    assert len(match.games) == len(games)
    for index, game in zip(games, match.games, strict=True):
        same = original.games[index]
        assert played(game, swap) == played(same)
        assert (game.winner ^ swap if game.winner is not None else None, game.points) == (same.winner, same.points)
        if len(games) == 5:
            assert (game.score[::-1] if swap else game.score, game.crawford) == (same.score, same.crawford)
    if len(games) == 5:
        assert match.length == 5


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="SIXPRIME_SAMPLES is not set")
@pytest.mark.parametrize(
    "folder",
    [
        *("bgroom", "bkg", "empire_gam", "fibs_oldmoves", "jellyfish_gam", "party", "sgg", "tmg"),
        *("xg_binary", "xg_text_position", "bgblitz_text_position"),
    ],
)
def test_every_sample_is_read(folder: str) -> None:
    for path in sorted((SAMPLES / folder).iterdir()):
        if path.name == "insti_example.xg":  # ends within its first record
            assert formats.read(path).games == ()
            continue
        for match in formats.read_all(path):
            assert match.problems == (), path
            assert match.games, path
            assert not any(action.illegal for game in match.games for action in game.actions), path


# Headers and records


def test_headers() -> None:
    match = formats.read(DATA / "match.sgg")
    assert [(player.name, player.rating, player.experience) for player in match.players] == [
        ("root", 1700.25, 812),
        ("gnubg", 1650.5, 433),
    ]
    assert match.info == {"date": "2024-01-02", "place": "GamesGrid"}
    assert (match.jacoby, match.beavers, match.crawford_rule) == (False, 0, True)
    assert ("Rated", "Yes") in match.tags
    match = formats.read(DATA / "match.tmg")
    assert match.info == {"date": "2024-01-02", "time": "14:03", "place": "TrueMoneyGames"}
    assert match.cube_limit == 64
    assert formats.read(DATA / "match.bkg").info["comment"].startswith("BKG style")


SGG = """Ann vs. Bob Roe
GamesGrid
Jacoby: Yes
Beavers: Yes
Raccoons: Yes
Variant: Backgammon
Game 1.0-0
1\t\t11: Automatic double
1\t31:
1\t31:
1\t31: 8/5, 6/5
1\t31: 8/5, 6/5
1\t\tDouble to 4
Bob Roe: what a shot!
1\tBeaver to 8
1\t\tRaccoon to 16
1\t\t42: 8/4, 6/4
2\t63:
2\tResign
Bob Roe wins 32 points.
Game 2.0-32
1\t66:
1\t66: 24/18, 24/18, 13/7, 13/7
1\t\t-
1\t\t64: 8/2*, 6/2
"""


def test_sgg_records() -> None:
    match = formats.read_text(SGG)
    first, second = match.games
    assert [(a.kind, a.player, a.value) for a in first.actions] == [
        (kind.MOVE, 0, 0),
        (kind.DOUBLE, 1, 4),
        (kind.BEAVER, 0, 8),
        (kind.BEAVER, 1, 16),
        (kind.TAKE, 0, 0),
        (kind.MOVE, 1, 0),
        (kind.ROLL, 0, 0),
        (kind.RESIGN, 0, 2),
    ]
    assert first.cube == 2
    assert (first.winner, first.points, match.beavers, match.jacoby) == (1, 32, 3, True)
    assert first.actions[2].comment == "Bob Roe: what a shot!"
    assert second.score == (0, 32)
    # A player who is said not to roll, though he could.
    said = [(problem.line, problem.message) for problem in match.problems]
    assert said[0] == (24, "6-6 can be played, but the file says it cannot")


def test_sgg_marks_the_crawford_game() -> None:
    text = "A vs. B\nCrawford: Yes\nGame 1.2-1*/3\n1\t31: 8/5, 6/5\n1\t\tResign\nA wins 1 point.\n"
    assert formats.read_text(text).games[0].crawford
    assert not formats.read_text(text.replace("*", "").replace("1\t\tR", "1\t\tDouble to 2\n1\t\tR")).games[0].crawford


OLDMOVES = """Score is 0-0 in a 3 point match.
ann is X - bob is O

X: (3 1) 8-5 6-5
O: (6 4) 1-7 7-11
X: doubles
O: accepts
O: wants to resign
X: rejects
X: (4 2) 8-4 6-4
O: wants to resign
X: accepts
X: wins

Score is 0-2 in a 3 point match.
bob is X - ann is O

O: (3 1) 17-20 19-20
X: (2 1) can't move
O: wins

Score is 0-0 in a 5 point match.
carl is X - dora is O

X: (6 5) 24-18 18-13
"""


def test_oldmoves_resignations_turned_names_and_several_matches() -> None:
    first, second = _all(OLDMOVES)
    one, two = first.games
    assert [a.kind for a in one.actions] == [kind.MOVE, kind.MOVE, kind.DOUBLE, kind.TAKE, kind.MOVE, kind.RESIGN]
    assert (one.winner, one.points, one.resigned) == (0, 2, True)
    assert two.score == (2, 0)
    assert [(a.player, str(a.play)) for a in two.actions[:1]] == [(0, "8/5 6/5")]
    assert (two.winner, two.points) == (0, 1)
    said = [str(problem) for problem in first.problems]
    assert said == [
        "19:4: 2-1 can be played, but the file says it cannot",
        "20:1: game 2 was given up, the file does not say how high; read as 1",
    ]
    assert ([player.name for player in second.players], second.length) == (["carl", "dora"], 5)


def _all(text: str) -> list[Match]:
    document = Document(text)
    name = formats.detect(text)
    assert name is not None
    return FORMATS[name].read(document)


TMG = """MatchID: 1
Player1: 10 Ann Lee 4.00
Player2: 11 Bob 4.00
Stake: 4.00
Jacoby: 1
Beavers: 1
Raccons: 1
Cube: 1
MaxCube: 64
Length: 0
Variant: 2

Game 1: 0-0
   0 2 Automatic to 2
   1 1 31:
   1 4 8/5 6/5
   -2 5 Double to 4
   2 8 Beaver to 8
   -2 7 Take
   -2 1 64:
   -2 4 0/0
   3 17 out of time
   -4 15 16 Bob wins 16 points
   0 19 57.68 0.00 43.57 0.00 Settlement
"""


def test_tmg_records() -> None:
    match = formats.read_text(TMG)
    (game,) = match.games
    assert [player.name for player in match.players] == ["Ann Lee", "Bob"]
    assert (match.variant, match.beavers, match.cube_limit, game.cube) == ("nackgammon", 3, 64, 2)
    assert [(a.kind, a.player) for a in game.actions] == [
        (kind.MOVE, 0),
        (kind.DOUBLE, 1),
        (kind.BEAVER, 0),
        (kind.TAKE, 1),
        (kind.MOVE, 1),
        (kind.RESIGN, 0),
    ]
    assert game.actions[4].illegal
    assert (game.winner, game.points) == (1, 16)
    assert game.comment == "out of time\n57.68 0.00 43.57 0.00 Settlement"
    assert ("RakePct", "0") not in match.tags


BGAMMON = """bgammon-replay 00000024
i 1702738670 Ann Bob 3 0 0 2 2 0
1 r 4-1 24/23 13/9
2 r 6-1 12/18 17/18
1 d 2 1
1 r 6-5 13/7 9/4
2 r 3-3 12/15 12/15 12/15 12/15
1 t
i 1702738999 Ann Bob 3 0 2 2 1 0
1 r 3-1 8/5 6/5
2 d 2 0
i 1702739999 Cleo Dan 1 0 0 1 1 1
1 r 1-2
"""


def test_tmg_has_no_hypergammon(tmp_path: Path) -> None:
    match = Table.new(Rules(length=3, variant="hypergammon3")).apply(Opening((3, 1))).record()
    with pytest.raises(InvalidFileError, match="TrueMoneyGames has no hypergammon"):
        formats.write(match, tmp_path / "x.tmg")
    assert list(tmp_path.iterdir()) == []


def test_bgammon_replay() -> None:
    (match,) = _all(BGAMMON)
    first, second = match.games
    assert (match.length, match.info) == (3, {"date": "2023-12-16", "time": "14:57", "place": "bgammon.org"})
    assert [str(a.play) for a in first.actions if a.kind is kind.MOVE] == [
        "24/23 13/9",
        "13/7 8/7",
        "13/7 9/4",
        "13/10(4)",
    ]
    assert (first.winner, first.points, first.resigned) == (1, 2, True)
    # The score says that this is the Crawford game.
    assert [problem.message for problem in match.problems] == [
        "the cube is turned in the Crawford game",
        "a game of acey-deucey is left out",
    ]
    assert second.crawford


def test_names_change_places() -> None:
    text = (DATA / "match.bgroom").read_text()
    games = text.split("Game ")
    games[2] = games[2].replace("gnubg (X) vs. root (0)", "root (0) vs. gnubg (X)")
    turned = formats.read_text("Game ".join(games))
    plain = formats.read(DATA / "match.bgroom")
    assert [played(game) for game in turned.games] == [played(game) for game in plain.games]
    party = (DATA / "match.party").read_text()
    lines = party.splitlines()
    for index, line in enumerate(lines):
        if line.startswith("GAME_2_"):
            line = line.replace("PLAYER_1=gnubg", "PLAYER_1=root").replace("PLAYER_2=root", "PLAYER_2=gnubg")
            line = line.replace("SCORE1=0", "SCORE1=3").replace("SCORE2=3", "SCORE2=0")
            line = line.replace("=2 ", "=~ ").replace("#1 ", "#@ ").replace("#2 ", "#1 ").replace("#@ ", "#2 ")
            lines[index] = line.replace("=~ ", "=1 ")
    again = formats.read_text("\n".join(lines))
    assert again.problems == ()
    assert [played(game) for game in again.games] == [played(game) for game in formats.read(DATA / "match.party").games]


def test_blanks_at_the_ends_of_lines_are_nothing() -> None:
    for name in ("match.party", "match.bgroom", "match.sgg", "match.oldmoves", "match.tmg"):
        text = (DATA / name).read_text()
        assert formats.read_text(text.replace("\n", "  \n")).games == formats.read_text(text).games


def test_bkg_turns_the_points_of_white() -> None:
    text = """White  6 1   12-18, 17-18
Black  6 1   8-7, 13-7
White Doubles         Accepted
White  5 2
White wins   gammon
"""
    match = formats.read_text(text)
    (game,) = match.games
    assert str(game.actions[0].play) == "13/7 8/7"
    assert [(a.kind, a.player) for a in game.actions[1:]] == [
        (kind.MOVE, 0),
        (kind.DOUBLE, 1),
        (kind.TAKE, 0),
        (kind.ROLL, 1),
        (kind.RESIGN, 0),
    ]
    assert (game.winner, game.points) == (1, 4)


# Damage


@pytest.mark.parametrize(
    ("name", "old", "new", "line", "message"),
    [
        ("match.sgg", "1\t42: 8/4, 6/4", "1\t42: 8/3, 6/4", 16, "'8/3, 6/4' is no legal play"),
        ("match.oldmoves", "O: (6 1) 12-18 17-18", "O: (6 1) 12-18 17-x", 6, "'17-x' in a play is no step"),
        ("match.tmg", "   2 1 32:", "   2 1 3:", 23, "expected a roll such as 42:, found '3:'"),
        ("match.bgroom", "3.0:(6 1)13/7 8/7", "3.0:(6 1)13/7 9/8", 6, "no chequer on 9"),
        ("match.bkg", "White  6 1   12-18, 17-18", "White  6 1   12-18, 17", 5, "cannot read the play '12-18, 17'"),
        ("match.empire", "61: 13/7 8/7", "61: 13/7 8/25", 3, "chequers move from 25 (bar) down to 0 (off)"),
        ("match.party", "1 1 0 32 24/22 13/10", "1 1 0 32 24/22 13/11", 6, "is no legal play of 3-2"),
    ],
)
def test_damage_is_reported_where_it_is_and_the_rest_is_kept(
    name: str, old: str, new: str, line: int, message: str
) -> None:
    text = (DATA / name).read_text()
    assert old in text
    match = formats.read_text(text.replace(old, new, 1), "x")
    told = [problem for problem in match.problems if message in problem.message]
    assert told, match.problems
    assert (told[0].path, told[0].line) == ("x", line)
    assert (told[0].column or 0) > 0
    sound = formats.read(DATA / name)
    assert len(match.games) == len(sound.games)
    # The later games do not suffer.
    assert [played(game) for game in match.games[1:]] == [played(game) for game in sound.games[1:]]


def test_an_illegal_play_is_recorded_as_such() -> None:
    text = (DATA / "match.sgg").read_text().replace("1\t42:\n1\t42: 8/4, 6/4", "1\t42:\n1\t42: 8/4, 6/3", 1)
    game = formats.read_text(text).games[0]
    assert game.actions[0].illegal
    assert str(game.actions[0].play) == "8/4 6/3"
    assert game.actions[1].position == game.actions[0].play.result if game.actions[0].play else False


@pytest.mark.parametrize(
    "name", ["sgg", "oldmoves", "tmg", "bkg", "partygammon", "bgroom", "bgammon", "gam", "gammonempire"]
)
def test_no_match(name: str) -> None:
    for text in ("", "\n\n", "hello\n", "x" * 100_000):
        with pytest.raises(InvalidFileError) as caught:
            FORMATS[name].read(Document(text, "f"))
        assert caught.value.line == 1


def test_long_lines_are_cut_with_a_word() -> None:
    text = (DATA / "match.sgg").read_text() + "chat " * 400
    match = formats.read_text(text)
    assert any("only the first 500 are read" in problem.message for problem in match.problems)


def test_remarks_above_a_match_of_gamesgrid_take_no_longer_each() -> None:
    head, begin, games = (DATA / "match.sgg").read_text().partition("Game 1.")
    remarks = "hello there\n" * 100_000
    started = time.process_time()
    match = formats.read_text(head + remarks + begin + games, "x.sgg")
    assert time.process_time() - started < 4
    assert match.info["comment"].count("hello") == 100_000


# Results


@pytest.mark.parametrize(
    "name", ["sgg", "oldmoves", "tmg", "gam", "gammonempire", "sgf", "mat", "snowie", "partygammon"]
)
def test_who_won_where_both_players_have_one_name(original: Match, name: str) -> None:
    """Judged by the last action: passes, resignations and chequers borne off, by either player."""
    same = Player("Ann")
    for turned in (False, True):
        games = original.games
        if turned:
            games = formats.read_text(
                str(formats.render([replace(original, players=original.players[::-1])], "mat")[0])
            ).games
        for game in games:
            alone = replace(original, players=(same, same), length=0, games=(replace(game, number=1, score=(0, 0)),))
            [text] = formats.render([alone], name)
            [found] = FORMATS[name].read(Document(text, "x"))
            assert [g.winner for g in found.games] == [game.winner], (name, turned, text)


def resigned_at_once(value: int, winner: int) -> Match:
    position, state = Position.start(), MatchState(on_roll=1 - winner)
    action = Action(kind.RESIGN, 1 - winner, position, state, value=value)
    game = Game(1, (0, 0), False, (action,), winner, value, resigned=True)
    return Match((Player("Ann"), Player("Bob")), 0, (game,))


@pytest.mark.parametrize("name", [name for name, known in FORMATS.items() if known.write])
def test_a_resignation_before_anything_else(name: str) -> None:
    """It is written and read again, or refused or named as a loss; nothing breaks."""
    for value in (1, 2, 3):
        for winner in (0, 1):
            match = resigned_at_once(value, winner)
            try:
                parts = formats.render([match], name)
                found = [each for part in parts for each in FORMATS[name].read(Document(part, "x"))]
            except InvalidFileError:
                continue
            if not FORMATS[name].losses(match):
                assert [(g.winner, g.points) for g in found[0].games] == [(winner, value)]


# Losses


def test_what_a_format_cannot_hold_is_named(original: Match) -> None:
    assert "match length" in FORMATS["bkg"].losses(original)
    assert "names of the players" in FORMATS["bkg"].losses(original)
    assert "blanks in names" in FORMATS["gammonempire"].losses(formats.read(MAT / "xg.txt"))
    assert FORMATS["tmg"].losses(replace(original, info={}, tags=())) == []


# GNU Backgammon


@pytest.mark.skipif(GNUBG is None, reason="GNU Backgammon is not installed")
@pytest.mark.parametrize(
    ("name", "command"),
    [("sgg", "sgg"), ("oldmoves", "oldmoves"), ("snowie", "mat"), ("tmg", "tmg"), ("gam", "auto")],
)
def test_gnu_backgammon_reads_what_we_write(tmp_path: Path, original: Match, name: str, command: str) -> None:
    assert GNUBG is not None
    for match in [original, *([formats.read(MAT / "xg.txt")] if name != "gam" else [])]:
        paths = formats.write(match, tmp_path / f"file.{name}", name)
        games: list[tuple[Game, bool]] = []
        for index, path in enumerate(paths):
            target = tmp_path / f"{index}.sgf"
            commands = tmp_path / "commands"
            commands.write_text(f"set automatic game off\nimport {command} {path}\nsave match {target}\n")
            subprocess.run(
                [GNUBG, "-t", "-q", "-c", str(commands)],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=120,
                check=True,
                env={"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"},
            )
            theirs = formats.read(target)
            # GNU Backgammon puts the first player of some formats at the bottom.
            swap = name in ("sgg", "tmg")
            games += [(game, swap) for game in theirs.games]
        assert len(games) == len(match.games)
        for (game, swap), ours in zip(games, match.games, strict=True):
            assert _plays(game.actions, swap) == _plays(ours.actions, False)


def _plays(actions: tuple[Action, ...], swap: bool) -> list[tuple[object, ...]]:
    """Plays and cube actions; GNU Backgammon takes a roll before a resignation for one without a move."""
    return [
        (action.kind, action.player ^ swap, action.position, action.dice, action.play)
        for action in actions
        if action.kind in (kind.DOUBLE, kind.TAKE, kind.DROP) or (action.play is not None and action.play.steps)
    ]


@pytest.mark.parametrize(
    ("step", "rises"),
    [("bar-5", 1), ("bar-6", 1), ("bar-7", -1), ("bar-20", -1), ("bar-off", 0), ("20-off", 1), ("19-off", 1),
     ("18-off", -1), ("6-off", -1), ("8-5", -1), ("5-8", 1), ("8-8", 0), ("x", 0)],
)  # fmt: skip
def test_which_way_a_player_of_oldmoves_goes(step: str, rises: int) -> None:
    assert oldmoves._rises(step) == rises


@pytest.mark.parametrize(
    ("play", "number"),
    [("12-15", "13/10"), ("13-10", "13/10"), ("17-18 1-3", "24/22 8/7")],
)
def test_who_moves_up_in_oldmoves_is_seen_by_one_step(play: str, number: str) -> None:
    text = f"Score is 0-0 in a 5 point match.\ngnubg is X - root is O\n\n{{}}: (2 1) {play}\n"
    for letter in "XO":
        action = formats.read_text(text.format(letter)).games[0].actions[0]
        assert (str(action.play), action.illegal) == (number, False)


def test_sgg_matches_with_talk_between_them() -> None:
    other = SGG.replace("Ann vs. Bob Roe", "Cleo vs. Dan").replace("Bob Roe wins", "Dan wins")
    talk = "Ann: gg\nBob Roe: me vs. you, again?\n\n"
    first, second = FORMATS["sgg"].read(Document(f"{SGG}\n{talk}{other}", "f"))
    assert [player.name for player in first.players] == ["Ann", "Bob Roe"]
    assert [player.name for player in second.players] == ["Cleo", "Dan"]
    assert [len(match.games) for match in (first, second)] == [2, 2]
    assert [match.games[0].points for match in (first, second)] == [32, 32]


@pytest.mark.parametrize("cube", [2, 8, 256])
def test_sgg_cube_that_began_high(original: Match, cube: int) -> None:
    game = original.games[0]
    begun = replace(game, cube=cube, actions=game.actions[:1], winner=0, points=cube)
    (text,) = formats.render([replace(original, length=0, games=(begun,))], "sgg")
    (again,) = FORMATS["sgg"].read(Document(text, "f"))
    assert (again.games[0].cube, again.games[0].points) == (cube, cube)


def test_sgg_names_in_other_places() -> None:
    (match,) = FORMATS["sgg"].read(Document(SGG.replace("GamesGrid", "USA vs. Denmark"), "f"))
    assert [player.name for player in match.players] == ["Ann", "Bob Roe"]
    assert match.info["place"] == "USA vs. Denmark"
    talk = "Bob Roe wins 32 points.\nskill vs. luck, that was it\n"
    (match,) = FORMATS["sgg"].read(Document(SGG.replace("Bob Roe wins 32 points.\n", talk), "f"))
    assert [game.score for game in match.games] == [(0, 0), (0, 32)]


def test_sgg_names_that_begin_as_numbers() -> None:
    text = SGG.replace("Ann", "4567").replace("Bob Roe", "12 Bob")
    first, second = FORMATS["sgg"].read(Document(f"{text}\n{text}", "f"))
    for match in (first, second):
        assert [player.name for player in match.players] == ["4567", "12 Bob"]
        assert [game.winner for game in match.games] == [game.winner for game in formats.read_text(SGG).games]
        assert len(match.problems) == len(formats.read_text(SGG).problems)


@pytest.mark.parametrize("names", [("RESIGN", "0"), ("Losses", "2"), ("resigned", "wins")])
def test_players_called_like_results_begin_every_game(names: tuple[str, str]) -> None:
    match = formats.read(sample_match())
    players = (replace(match.players[0], name=names[0]), replace(match.players[1], name=names[1]))
    session = replace(match, players=players, length=0)
    (text,) = formats.render([session], "gammonempire")
    again = formats.read_text(text, "x.empire")
    assert tuple(player.name for player in again.players) == names
    assert [len(game.actions) for game in again.games] == [len(game.actions) for game in session.games]


RATED = [
    (None, None),
    (1700.25, 812),
    (1700.25, None),
    (None, 10),
    (0.0, 0),
    (0.0, 5),
    (-3.0, 5),
    (1700.256, 5),
    (1600.0, 0),
]


@pytest.mark.parametrize("rated", RATED, ids=str)
@pytest.mark.parametrize("name", ["sgg", "xg", "sgf"])
def test_ratings_are_kept_or_named_and_none_is_invented(name: str, rated: tuple[float | None, int | None]) -> None:
    match = formats.read_text(" 3 point match\n\n Game 1\n A : 0    B : 0\n  1) 31: 8/5 6/5\n      Wins 1 point\n")
    players = Player("A", 1800.5, 7), Player("B", *rated)
    match = replace(match, players=players)
    again = formats.read_text(formats.render([match], name)[0])
    assert (again.players == players) == (
        not any("rating" in lost or "exper" in lost for lost in FORMATS[name].losses(match))
    )


@pytest.mark.parametrize("name", ["sgg", "tmg"])
def test_no_place_is_invented(name: str) -> None:
    match = formats.read_text(" 3 point match\n\n Game 1\n A : 0    B : 0\n  1) 31: 8/5 6/5\n      Wins 1 point\n")
    assert "place" not in formats.read_text(formats.render([match], name)[0]).info


def test_a_comment_on_a_game_is_named_where_it_becomes_one_on_a_play() -> None:
    match = formats.read_text(SGG)
    said = replace(match, games=(replace(match.games[0], comment="Hello"), *match.games[1:]))
    assert "whether a comment is on a game or its first play" in FORMATS["sgg"].losses(said)
    assert "whether a comment is on a game or its first play" not in FORMATS["sgg"].losses(match)
