"""GNU Backgammon's SGF: real files, analyses and statistics, random matches written and read again, damage.

SIXPRIME_SAMPLES names a folder of more files. Tests that ask GNU Backgammon itself run where it is installed.
"""

from __future__ import annotations

import contextlib
import os
import random
import re
import shutil
import subprocess
import time
import tracemalloc
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_matches import matches, plain

from sixprime import Engine, formats
from sixprime.analysis.analyse import analyse
from sixprime.analysis.foreign import foreign, sources, with_chances
from sixprime.analysis.kept import with_analysis
from sixprime.analysis.model import CubeFaults, Decision, DecisionKind, Tally
from sixprime.analysis.ratings import absolute_fibs, luck_based_fibs
from sixprime.analysis.statistics import snowie_error_rate
from sixprime.errors import InvalidFileError, SettingsError
from sixprime.formats import mat, sgf
from sixprime.formats._text import Document
from sixprime.game.play import Play, legal_plays_reference
from sixprime.game.position import Position
from sixprime.game.record import (
    Action,
    ActionKind,
    ForeignAnalysis,
    ForeignCube,
    ForeignPlay,
    Match,
    Method,
    Player,
    Value,
)

DATA = Path(__file__).parent / "data" / "sgf"
SAMPLES = os.environ.get("SIXPRIME_SAMPLES")
GNUBG = shutil.which("gnubg") or shutil.which("gnubg", path="/usr/games:/usr/local/games:/usr/local/bin")
GAME = "(;FF[4]GM[6]AP[GNU Backgammon:1.07.001]MI[length:{0}][game:0][ws:0][bs:0]PW[Ann]PB[Bob]RU[{1}]{2})"


def game(nodes: str, length: int = 7, rules: str = "Crawford") -> str:
    return GAME.format(length, rules, nodes)


def read(text: str) -> Match:
    return formats.read_text(text, "m.sgf")


def kinds(match: Match) -> list[ActionKind]:
    return [action.kind for action in match.games[0].actions]


# Real files


def test_a_match_with_its_analyses() -> None:
    match = formats.read(DATA / "analysed.sgf")
    assert match.problems == ()
    assert match.format == "sgf"
    assert match.players == (Player("Alice"), Player("Bob"))
    assert (match.length, match.crawford_rule, match.info) == (7, True, {"date": "2026-11-21"})
    assert [(g.score, g.winner, g.points, g.resigned) for g in match.games] == [
        ((0, 0), 0, 2, False),
        ((2, 0), 1, 2, True),
        ((2, 2), 1, 2, False),
        ((2, 4), 0, 1, False),
        ((3, 4), 0, 1, False),
        ((4, 4), 1, 6, True),
    ]
    first = match.games[0].actions[0]
    assert str(first.play) == "13/10 10/8" or str(first.play) == "13/8"
    (analysis,) = first.analyses
    assert analysis.source == "GNU Backgammon 1.07.001"
    assert analysis.luck == 0.02528
    assert (analysis.play_mark, analysis.cube_mark, analysis.luck_mark, analysis.cube) == (1, None, None, None)
    best, _, made = analysis.plays
    assert (str(best.play), best.value.equity, best.value.probabilities) == (
        "24/21 13/11",
        0.010057,
        (0.50196, 0.136515, 0.006766, 0.133318, 0.00575),
    )
    assert best.method == Method("2-ply", plies=2, prune=True)
    assert analysis.played == 2
    assert made.play == first.play
    double = next(action for action in match.games[0].actions if action.kind is ActionKind.DOUBLE)
    assert double.analyses[0].cube == ForeignCube(
        Value((0.777149, 0.35261, 0.020054, 0.030703, 0.000799), 0.904576, mwc=0.566028),
        Value((0.777149, 0.35261, 0.020054, 0.030703, 0.000799), 0.904576, mwc=0.605539),
        Method("2-ply", plies=2, prune=True),
    )
    assert match.games[0].extras[0][0] == "sgf:GS"


def test_rollouts() -> None:
    match = formats.read(DATA / "rollouts.sgf")
    moves = [action for action in match.games[0].actions if action.analyses and action.analyses[0].plays]
    rolled = next(a.analyses[0].plays[0] for a in moves if a.analyses[0].plays[0].method.trials)
    assert (rolled.value.equity, rolled.value.mwc, rolled.value.cubeless) == (
        pytest.approx(-0.21, abs=0.05),
        pytest.approx(0.484, abs=0.01),
        pytest.approx(-0.14, abs=0.05),
    )
    assert (rolled.method.name, rolled.method.trials, len(rolled.value.errors)) == ("Rollout", 36, 7)
    assert '"Mersenne Twister"' in rolled.method.settings
    double = match.games[0].actions[-2]
    cube = double.analyses[0].cube
    assert cube is not None
    assert (cube.method.trials, cube.double_take.mwc) == (36, pytest.approx(0.596, abs=0.01))


def test_beavers_and_raccoons() -> None:
    match = formats.read(DATA / "beavers.sgf")
    assert kinds(match)[:5] == [
        ActionKind.MOVE,
        ActionKind.DOUBLE,
        ActionKind.BEAVER,
        ActionKind.BEAVER,
        ActionKind.TAKE,
    ]
    assert [action.state.decider for action in match.games[0].actions[:5]] == [1, 0, 1, 0, 1]
    assert match.games[0].actions[5].state.cube == 8
    assert (match.jacoby, match.length) == (True, 0)


def test_positions_set_by_hand() -> None:
    match = formats.read(DATA / "edited.sgf")
    first, _, last = match.games[0].actions
    assert kinds(match) == [ActionKind.SET, ActionKind.MOVE, ActionKind.SET]
    assert (first.player, first.position, first.state.cube, first.state.cube_owner) == (1, Position.start(), 2, 0)
    assert (last.player, last.position.id) == (0, "4HPhASjgc/ABMA")


def sample_files() -> list[Path]:
    found = sorted(DATA.glob("*.sgf"))
    return found + sorted(Path(SAMPLES).rglob("*.sgf")) if SAMPLES else found


@pytest.mark.parametrize("path", sample_files(), ids=lambda path: path.name)
def test_what_is_read_is_written_and_read_again(path: Path) -> None:
    found = formats.read_all(path)
    again = sgf.read(Document(sgf.write(found), str(path)))
    assert [without_program(match) for match in again] == [without_program(match) for match in found]


def without_program(match: Match) -> Match:
    return replace(plain(match), extras=(), problems=())


@pytest.mark.skipif(not SAMPLES, reason="SIXPRIME_SAMPLES is not set")
@pytest.mark.parametrize(
    ("names", "length", "games", "score"),
    [
        ("gnubg_generated/sample5.mat gnubg_generated/sample5.sgf gnubg_generated/sample5_analysed.sgf", 5, 5, (3, 5)),
        ("mat/kevung_gbf_test.mat mat/xg_export_kevung_gbf_test.txt sgf_gnubg/kevung_gbf_test.sgf", 7, 7, (7, 4)),
        ("analysed_match/match7.mat analysed_match/2ply_supremo.sgf", 7, 6, (4, 10)),
    ],
)
def test_the_same_match_in_several_files(names: str, length: int, games: int, score: tuple[int, int]) -> None:
    found = [formats.read(Path(SAMPLES or "") / name) for name in names.split()]
    for match in found:
        assert match.problems == ()
        assert (match.length, len(match.games), final_score(match)) == (length, games, score)
        assert not any(action.illegal for each in match.games for action in each.actions)
        assert played(match) == played(found[0])


@pytest.mark.skipif(not SAMPLES, reason="SIXPRIME_SAMPLES is not set")
def test_every_match_of_the_samples_is_sound() -> None:
    folders = [Path(SAMPLES or "") / name for name in ("mat", "galaxy_mat", "sgf_gnubg", "gnubg_generated")]
    paths = [path for folder in folders for path in folder.rglob("*") if path.suffix in (".mat", ".sgf", ".txt")]
    read_as_matches = 0
    for path in paths:
        if formats.detect(path.read_bytes()) not in ("mat", "sgf"):
            continue
        for match in formats.read_all(path):
            read_as_matches += 1
            assert match.problems == (), path
            assert not any(action.illegal for each in match.games for action in each.actions), path
            score = match.games[0].score
            for each in match.games:
                assert each.score == score, path
                assert each.winner is not None, path
                score = (score[0] + each.points, score[1]) if each.winner == 0 else (score[0], score[1] + each.points)
    assert read_as_matches >= 30


def final_score(match: Match) -> tuple[int, int]:
    last = match.games[-1]
    assert last.winner is not None
    points = [*last.score]
    points[last.winner] += last.points
    return points[0], points[1]


# Statistics


def printed() -> list[dict[str, list[str]]]:
    """The tables of the reference: the match, then each game; the words behind every label."""
    text = (DATA / "analysed_statistics.txt").read_text()
    tables = []
    for table in re.split(r"^Player  .*$", text, flags=re.MULTILINE)[1:]:
        rows: dict[str, list[str]] = {}
        section = ""
        for line in table.splitlines():
            if line.endswith("statistics"):
                section = line.split()[0]
            elif line[:30].strip():
                rows[f"{section}: {line[:41].strip()}"] = [line[41:65].strip(), line[65:].strip()]
        tables.append(rows)
    return tables


def errors(emg: float, mwc: float) -> tuple[str, str]:
    """As printed by a program that calculates in single precision."""
    return f"{-emg:+.3f}", f"{np.float32(-100) * np.float32(mwc):+.3f}%"


def numbers(text: str) -> list[str]:
    return re.findall(r"[-+]?\d+(?:\.\d+)?%?", text)


def analysed_files() -> list[Path]:
    """The slice, which has few candidates, and the whole file."""
    return [DATA / "analysed.sgf", *([Path(SAMPLES) / "analysed_match" / "2ply_supremo.sgf"] if SAMPLES else [])]


@pytest.mark.parametrize("path", analysed_files(), ids=lambda path: path.stem)
@pytest.mark.parametrize("number", range(7))
def test_statistics_are_those_of_gnu_backgammon(path: Path, number: int) -> None:
    match = formats.read(path)
    analysed = foreign(match)
    table = printed()[number]
    game_index = None if number == 0 else number - 1
    both = analysed.statistics if game_index is None else analysed.games[game_index].statistics
    for player, own in enumerate(both):

        def value(label: str, player: int = player) -> str:
            return table[label][player]

        counts = {
            "Chequerplay: Total moves": own.moves,
            "Chequerplay: Unforced moves": own.unforced_moves,
            "Chequerplay: Unmarked moves": own.play_marks[0],
            "Chequerplay: Moves marked doubtful": own.play_marks[1],
            "Chequerplay: Moves marked bad": own.play_marks[2],
            "Chequerplay: Moves marked very bad": own.play_marks[3],
            "Luck: Rolls marked very unlucky": own.luck_marks[0],
            "Luck: Rolls marked unlucky": own.luck_marks[1],
            "Luck: Rolls unmarked": own.luck_marks[2],
            "Luck: Rolls marked lucky": own.luck_marks[3],
            "Luck: Rolls marked very lucky": own.luck_marks[4],
            "Cube: Total cube decisions": own.cube_total,
            "Cube: Close or actual cube decisions": own.cube_decisions,
            "Cube: Doubles": own.doubles,
            "Cube: Takes": own.takes,
            "Cube: Passes": own.passes,
        }
        for label, count in counts.items():
            assert value(label) == str(count), label
        assert numbers(value("Chequerplay: Error total EMG (MWC)")) == [
            *errors(own.chequer_error_total, own.chequer_error_mwc)
        ]
        assert numbers(value("Luck: Luck total EMG (MWC)")) == [*errors(-own.luck_total, -own.luck_mwc)]
        assert numbers(value("Luck: Luck rate mEMG (MWC)")) == [
            f"{1000 * own.luck_total / own.moves:+.1f}",
            f"{100 * own.luck_mwc / own.moves:+.3f}%",
        ]
        assert numbers(value("Cube: Error total EMG (MWC)")) == [*errors(own.cube_error_total, own.cube_error_mwc)]
        for label, fault in kinds_of_fault(own.faults):
            expected = [str(fault.count)]
            if fault.count:
                expected += errors(fault.error, fault.error_mwc)
            assert numbers(value(f"Cube: {label} (EMG (MWC))")) == expected, label
        overall = own.chequer_error_mwc + own.cube_error_mwc
        assert numbers(value("Overall: Error total EMG (MWC)")) == [*errors(own.error_total, overall)]
        assert numbers(value("Overall: Error rate mEMG (MWC)")) == [
            f"{-1000 * own.error_per_decision:+.1f}",
            f"{-100 * overall / own.decisions:+.3f}%",
        ]
        assert (
            numbers(value("Overall: Snowie error rate"))[0]
            == f"{-1000 * snowie_error_rate(own, both[1 - player]):+.1f}"
        )
        assert value("Overall: Actual result") == f"{100 * own.actual_result:+.2f}%"
        assert value("Overall: Luck adjusted result") == f"{100 * own.luck_adjusted_result:+.2f}%"
        estimate = absolute_fibs(own, 7)
        assert value("Overall: Error based abs. FIBS rating") == f"{estimate.rating:.1f}"
        assert value("Overall: Chequerplay errors rating loss") == f"{estimate.chequer_loss:.1f}"
        assert value("Overall: Cube errors rating loss") == f"{estimate.cube_loss:.1f}"
    difference = luck_based_fibs(both[0].luck_adjusted_result, 7)
    shown = table["Overall: Luck based FIBS rating diff."][0]
    assert shown == ("n/a" if difference is None else f"{difference:+.2f}")


def kinds_of_fault(faults: CubeFaults) -> list[tuple[str, Tally]]:
    return [
        ("Missed doubles below CP", faults.missed_below_cash),
        ("Missed doubles above CP", faults.missed_above_cash),
        ("Wrong doubles below DP", faults.doubled_too_weak),
        ("Wrong doubles above TG", faults.doubled_too_good),
        ("Wrong takes", faults.wrong_takes),
        ("Wrong passes", faults.wrong_passes),
    ]


def test_foreign_analyses_by_name() -> None:
    match = formats.read(DATA / "analysed.sgf")
    assert sources(match) == ["GNU Backgammon 1.07.001"]
    assert foreign(match, "GNU Backgammon 1.07.001").settings == "GNU Backgammon 1.07.001"
    with pytest.raises(SettingsError, match="must be one of GNU Backgammon"):
        foreign(match, "Snowie")
    with pytest.raises(SettingsError, match="the file holds no analysis"):
        foreign(formats.read(DATA / "edited.sgf"))


@pytest.mark.parametrize(
    ("gammons", "action"),
    [(0.0, "Double, pass"), (0.01, "Too good to double, pass"), (None, "Too good to double, pass")],
)
def test_without_gammons_nobody_is_too_good(gammons: float | None, action: str) -> None:
    """What is better than a pass by more than rounding is told by the chances, where the program gives them."""
    match = formats.read(DATA / "analysed.sgf")
    chances = None if gammons is None else (0.99, gammons, 0.0, 0.0, 0.0)
    cube = ForeignCube(Value(chances, equity=1.0001), Value(equity=1.8), Method("2-ply", 2))
    actions = [replace(each, analyses=(ForeignAnalysis("Other", cube),)) for each in match.games[0].actions]
    analysed = foreign(replace(match, games=(replace(match.games[0], actions=tuple(actions)),)))
    first = [found.cube for found in analysed.decisions if found.cube and found.state.cube_owner is None]
    assert {cube.action for cube in first if cube.available} == {action}
    assert all((cube.wrong_share is None) == cube.should_double for cube in first if cube.available)


# Grammar


def test_letters_are_points_of_white() -> None:
    match = read(game(";W[31hefe];B[42qusu];W[66fzezdzcz]"))
    assert [str(action.play) for action in match.games[0].actions[:2]] == ["8/5 6/5", "8/4 6/4"]


def test_escapes_line_ends_and_comments() -> None:
    match = read(game(";W[31hefe]C[a \\] b \\\\ c\r\nd\\\ne]"))
    assert match.games[0].actions[0].comment == "a ] b \\ c\nde"


def test_any_order_old_names_and_white_space() -> None:
    text = "\ufeff \n( ; GaMe [6] FF[3]\n PlayerWhite[A] GM[6] ;W [31hefe] ;B[ 42 qu su ])"
    match = read(text)
    assert (match.players[0].name, len(match.games[0].actions)) == ("A", 2)


def test_variations_are_left_out_and_said() -> None:
    match = read(game(";W[31hefe](;B[42qusu](;W[61xwxr])(;W[62xvxr]))(;B[65agbg])"))
    assert [str(action.play) for action in match.games[0].actions] == ["8/5 6/5", "8/4 6/4", "24/23 24/18"]
    assert {problem.message for problem in match.problems} == {"only the first of several variations is read"}


def test_several_matches_in_one_file() -> None:
    one, two = game(";W[31hefe]RE[W+1]"), game(";B[31qtst]", 5)
    first, second, third = formats.read_text(one), *formats.FORMATS["sgf"].read(Document(one + two))
    assert (second.length, third.length) == (7, 5)
    assert first.games[0].actions == second.games[0].actions
    later = one.replace("game:0", "game:1").replace("ws:0", "ws:2")
    (joined,) = formats.FORMATS["sgf"].read(Document(one + later))
    assert [played.number for played in joined.games] == [1, 2]


def test_automatic_doubles_and_rules() -> None:
    match = read(game("CV[2];W[31hefe];B[double];W[take];B[42qusu]", 0, "Jacoby:NoCube:Nackgammon"))
    assert (match.games[0].cube, match.cube_limit, match.variant, match.jacoby) == (2, 1, "nackgammon", True)
    money = read(game("CV[4];W[31hefe];B[double];W[drop]RE[B+4]", 0, "Jacoby"))
    assert (money.games[0].cube, money.games[0].points, money.problems) == (4, 4, ())


def test_a_roll_without_a_play() -> None:
    match = read(game(";W[31hefe];PL[B]DI[42]LU[0.1]").replace("RU[", "RE[W+1R]RU["))
    assert kinds(match) == [ActionKind.MOVE, ActionKind.ROLL, ActionKind.RESIGN]
    assert match.games[0].actions[1].analyses[0].luck == 0.1
    played = read(game(";PL[W]DI[31];W[31hefe]"))
    assert kinds(played) == [ActionKind.MOVE]


def test_a_position_alone() -> None:
    board = ";PL[B]AE[a:y]AW[f][f][h]AB[s][s];CV[2];CP[b]"
    alone = read(game(board)).only_position
    assert alone is not None
    assert (alone.player, alone.state.cube, alone.state.cube_owner, alone.position.player[5]) == (1, 2, 1, 2)
    rolled = read(game(board + ";PL[B]DI[42]")).only_position
    assert rolled is not None
    assert rolled.state.dice == (4, 2)
    doubled = read(game(board + ";B[double]")).only_position
    assert doubled is not None
    assert (doubled.state.doubled, doubled.state.on_roll, doubled.player) == (True, 1, 0)


def test_names_and_events() -> None:
    text = game(";W[31hefe]").replace(
        "RU[", "WR[1650.5 (Exp 300)]BR[strong]EV[Cup: final]RO[2]PC[Paris]AN[Ann]GC[x\ny]RU["
    )
    match = read(text)
    assert match.players == (Player("Ann", 1650.5, 300), Player("Bob"))
    assert [problem.message for problem in match.problems] == ["the rating 'strong' is no number"]
    assert read(text.replace("(Exp 300)", "(300)")).players[0] == match.players[0]
    assert match.info == {"event": "Cup: final", "round": "2", "place": "Paris", "annotator": "Ann", "comment": "x\ny"}


# Damage


@pytest.mark.parametrize(
    ("nodes", "line", "column", "message"),
    [
        ("\n;W[31hefa]", 2, 1, "the opponent holds 1, no move from 6"),
        ("\n;W[77hefe]", 2, 1, "cannot read the play '77hefe'"),
        ("\n;W[31hefe]A[0][hefe E ver 3 0.1 x]", 2, 1, "1 of 1 candidate plays cannot be read"),
        ("\n;W[31hefe]DA[E ver 3 2C]", 2, 1, "cannot read this cube analysis"),
        (f"\n;W[31hefe]DA[E ver 3 xC y{' 0.5' * 14}]", 2, 1, "cannot read this cube analysis"),
        ("\n;W[31hefe]\n;B[take]", 3, 1, "a take by Bob without a double before it"),
        ("\n;W[31hefe]\n  C[abc", 3, 4, "the text that begins here does not end"),
        ("\n;PL[W]AE[a:y]AW[9]", 2, 1, "is no point of the board"),
        ("\n;CV[3]", 2, 1, "the cube cannot be '3'"),
        ("\n;CP[x]", 2, 1, "the cube cannot be with 'x'"),
        ("\n;PL[W]DI[77]", 2, 1, "cannot read the roll"),
    ],
)
def test_damage_is_said_with_its_place(nodes: str, line: int, column: int, message: str) -> None:
    match = read(game(nodes))
    found = [problem for problem in match.problems if message in problem.message]
    assert found, match.problems
    assert (found[0].path, found[0].line, found[0].column) == ("m.sgf", line, column)


@pytest.mark.parametrize("text", ["(;GM[6]", "(;FF[4]GM[1];B[aa])", "(;GM[6])(;GM[6])"])
def test_trees_without_games(text: str) -> None:
    with contextlib.suppress(InvalidFileError):
        for match in sgf.read(Document(text)):
            assert all(not each.actions for each in match.games)


def test_another_game_is_no_backgammon() -> None:
    assert formats.detect("(;FF[4]GM[1];B[aa])") is None
    with pytest.raises(InvalidFileError, match="not backgammon"):
        sgf.read(Document("(;FF[4]GM[1];B[aa])"))


def test_illegal_plays_do_not_end_the_import() -> None:
    match = read(game(";W[31hffe];B[42qusu];W[21ba]"))
    first, second = match.games[0].actions[:2]
    assert (first.illegal, str(first.play)) == (True, "8/5")
    assert first.play is not None
    assert not second.illegal


# Random matches

NUMBERS = [value / 1e6 for value in (0, 1, 123456, 500000, 999999, 1000000)]


def random_analysis(chance: random.Random, action: Action, in_match: bool) -> ForeignAnalysis | None:
    """What GNU Backgammon might say of an action."""

    def number(low: float = 0.0) -> float:
        return round(chance.uniform(low, 1), 6)

    def value(cube: bool, rolled: bool) -> Value:
        five = (number(), number(), number(), number(), number())
        last = number(-1)
        return Value(
            five,
            number(-1) if cube or rolled else None,
            last if not (cube and in_match) else None,
            number() if in_match and (cube or rolled) else None,
            tuple(number() for _ in range(7)) if rolled else (),
        )

    def method() -> Method:
        if chance.random() < 0.3:
            return Method("Rollout", trials=chance.randint(1, 10**6), settings='SK 3 RC 1 1 0 "a]b" 77')
        plies = chance.randint(0, 4)
        return Method(
            f"{plies}-ply", plies, chance.random() < 0.5, 0, number(), chance.random() < 0.5, chance.random() < 0.5
        )

    cube = None
    if chance.random() < 0.6:
        how = method()
        cube = ForeignCube(value(True, how.trials > 0), value(True, how.trials > 0), how)
    if action.kind not in (ActionKind.MOVE, ActionKind.ROLL):
        return ForeignAnalysis("X 1.0", cube, cube_mark=chance.choice([1, 2, 3])) if cube else None
    plays: list[ForeignPlay] = []
    if action.kind is ActionKind.MOVE and action.dice is not None:
        for play in legal_plays_reference(action.position, action.dice)[:3]:
            how = method()
            plays.append(ForeignPlay(play, value(False, how.trials > 0), how))
    return ForeignAnalysis(
        "X 1.0",
        cube,
        tuple(play if not play.method.trials else replace(play, extras=(("sgf:Score", "0.25"),)) for play in plays),
        chance.randrange(len(plays)) if plays else None,
        round(chance.uniform(-1, 1), 5),
        play_mark=chance.choice([None, 1, 2, 3]),
        cube_mark=chance.choice([None, 1, 2, 3]),
        luck_mark=chance.choice([None, -2, -1, 1, 2]),
    )


REMARKS = st.characters(codec="utf-8", exclude_categories=("Cs", "Cc")) | st.just("\n")


# A match is too long to be shown by Hypothesis, which warns of that.
@pytest.mark.filterwarnings("ignore::hypothesis.errors.HypothesisWarning")
@settings(max_examples=30)
@given(matches(), st.integers(0, 2**32), st.text(REMARKS, max_size=20))
def test_random_matches(match: Match, seed: int, remark: str) -> None:
    chance = random.Random(seed)
    remark = remark.strip()
    match = replace(
        match,
        crawford_rule=match.crawford_rule or not match.length,
        beavers=0 if match.length else 3,
        cube_limit=chance.choice([1024, 1]) if not any(a.value for g in match.games for a in g.actions) else 1024,
        info={key: text for key, text in match.info.items() if key != "time"},
    )
    games = []
    for each in match.games:
        actions = []
        for action in each.actions:
            analysis = random_analysis(chance, action, match.length > 0) if chance.random() < 0.5 else None
            if action.kind in (ActionKind.SET, ActionKind.RESIGN):
                analysis = None
            state = replace(action.state, cube_limit=match.cube_limit, beavers=match.beavers)
            actions.append(
                replace(
                    action,
                    state=state,
                    comment=remark if chance.random() < 0.3 else "",
                    analyses=(analysis,) if analysis else (),
                    extras=(("sgf:MR", "[0 1 ]"),) if chance.random() < 0.3 and analysis else (),
                )
            )
        games.append(replace(each, actions=tuple(actions), comment=remark, extras=(("sgf:GS", "[M:1 2][D:x]"),)))
    match = replace(match, games=tuple(games))
    assert set(formats.FORMATS["sgf"].losses(match)) <= {
        "number of beavers allowed",
        "analyses without probabilities or match-winning chances",
    }
    (again,) = sgf.read(Document(sgf.write([match])))
    assert again.problems == ()
    expected = without_program(match)
    assert without_program(again) == expected


def test_one_roll_out_of_many() -> None:
    """Analyses that SGF cannot hold are named."""
    match = formats.read(DATA / "edited.sgf")
    move = match.games[0].actions[1]
    assert move.play is not None
    play = ForeignPlay(Play(move.play.steps, move.position, move.play.result), Value(equity=0.1), Method("XG Roller+"))
    analysed = replace(move, analyses=(ForeignAnalysis("XG", plays=(play,)), ForeignAnalysis("Other")))
    match = replace(match, games=(replace(match.games[0], actions=(analysed,)),))
    assert formats.FORMATS["sgf"].losses(match) == [
        "analyses of all but one program",
        "analyses without probabilities or match-winning chances",
        "candidate plays",
    ]
    # The candidate that can be written keeps its place as the one played.
    known = replace(play, value=Value((0.5, 0.1, 0.0, 0.1, 0.0), equity=0.2))
    analysed = replace(move, analyses=(ForeignAnalysis("XG", plays=(play, known), played=1),))
    match = replace(match, games=(replace(match.games[0], actions=(analysed,)),))
    (again,) = sgf.read(Document(sgf.write([match])))
    (found,) = again.games[0].actions[0].analyses
    assert (found.played, found.plays[0].value, found.plays[0].method.name) == (0, known.value, "0-ply")
    named = ["names of ways of evaluating", "numbers of plies"]
    assert [each for each in formats.FORMATS["sgf"].losses(match) if each in named] == named


SEEDS = [path.read_bytes() for path in sorted(DATA.glob("*.sgf")) if path.stat().st_size < 20000]
SCRAPS = [b"]", b"[", b"(", b")", b";", b"\\", b"A[0]", b"DA[X ver 3 Eq Trials", b"SK", b"AE[a:z]", b"AB[y]", b"CV[0]"]
SCRAPS += [
    b"W[double]",
    b"B[take]",
    b"DI[11]",
    b"RE[W+0R]",
    b"MI[length:99999999999]",
    b"1e999",
    b"nan",
    b"\xff",
    b"\0",
]


@settings(max_examples=60)
@given(st.integers(0, 2**32))
def test_damaged_files(seed: int) -> None:
    chance = random.Random(seed)
    data = chance.choice(SEEDS)
    for _ in range(chance.randint(1, 5)):
        place = chance.randrange(len(data) + 1)
        data = data[:place] + chance.choice([b"", *SCRAPS]) + data[place + chance.choice([0, 1, 5, 200]) :]
    started = time.thread_time()
    with contextlib.suppress(InvalidFileError):
        for match in sgf.read(Document(data, "m.sgf")):
            sgf.read(Document(sgf.write([match])))
    assert time.thread_time() - started < 5


@settings(max_examples=100)
@given(st.binary(max_size=200))
def test_any_bytes(data: bytes) -> None:
    with contextlib.suppress(InvalidFileError):
        sgf.read(Document(b"(;FF[4]GM[6]" + data))


# GNU Backgammon itself


def ask_gnubg(folder: Path, *commands: str) -> None:
    assert GNUBG is not None
    (folder / ".gnubg").mkdir(exist_ok=True)
    script = folder / "commands"
    script.write_text("".join(f"{command}\n" for command in ("set threads 1", *commands)))
    environment = {key: text for key, text in os.environ.items() if key != "PYTHONPATH"} | {"HOME": str(folder)}
    command = [GNUBG, "-t", "-q", "-r", "-c", str(script)]
    done = subprocess.run(
        command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=120, check=True
    )
    assert b"syntax error" not in done.stdout + done.stderr


def played(match: Match) -> list[object]:
    """What both programs must agree on."""
    return [(each.score, each.winner, each.points, each.resigned, each.crawford) for each in match.games] + [
        (action.kind, action.player, action.dice and tuple(sorted(action.dice)), action.play, action.position)
        for each in match.games
        for action in each.actions
    ]


@pytest.mark.skipif(GNUBG is None, reason="GNU Backgammon is not installed")
@pytest.mark.parametrize("name", ["analysed.sgf", "rollouts.sgf", "edited.sgf", "beavers.sgf"])
def test_gnu_backgammon_reads_our_sgf(name: str, tmp_path: Path) -> None:
    match = formats.read(DATA / name)
    formats.write(match, tmp_path / "ours.sgf")
    ask_gnubg(tmp_path, f'load match "{tmp_path}/ours.sgf"', f'save match "{tmp_path}/theirs.sgf"')
    theirs = formats.read(tmp_path / "theirs.sgf")
    assert played(theirs) == played(match)
    for ours, other in zip(match.games, theirs.games, strict=True):
        for action, same in zip(ours.actions, other.actions, strict=True):
            assert [(a.plays, a.cube, a.luck) for a in action.analyses] == [
                (a.plays, a.cube, a.luck) for a in same.analyses
            ]


@pytest.mark.skipif(GNUBG is None, reason="GNU Backgammon is not installed")
def test_gnu_backgammon_reads_our_analyses(tmp_path: Path) -> None:
    match = with_analysis(analyse(formats.read(DATA / "beavers.sgf"), Engine(threads=1), plies=0))
    assert "SX[0/0,normal][0/0,normal]" in formats.render([match], "sgf")[0]
    formats.write(match, tmp_path / "ours.sgf")
    ask_gnubg(tmp_path, f'load match "{tmp_path}/ours.sgf"', f'save match "{tmp_path}/theirs.sgf"')
    theirs = formats.read(tmp_path / "theirs.sgf")
    for ours, other in zip(match.games, theirs.games, strict=True):
        assert [(each.kind, each.position) for each in other.actions] == [
            (each.kind, each.position) for each in ours.actions
        ]
        assert [len(each.analyses) for each in other.actions] == [len(each.analyses) for each in ours.actions]


def test_the_name_that_our_property_once_had() -> None:
    match = with_analysis(analyse(formats.read(DATA / "beavers.sgf"), Engine(threads=1), plies=0))
    text = str(formats.render([match], "sgf")[0])
    before, now = (formats.read_text(each) for each in (text.replace("SX[", "SIXPRIME["), text))
    assert "SIXPRIME[" not in formats.render([before], "sgf")[0]
    assert replace(before, source="") == replace(now, source="")


@pytest.mark.skipif(GNUBG is None, reason="GNU Backgammon is not installed")
def test_gnu_backgammon_reads_our_positions(tmp_path: Path) -> None:
    """By their board, dice and cube; it calls player 1 of a .pos Jellyfish."""
    positions = DATA.parent / "positions"
    for path in sorted(positions.glob("*.pos")):
        formats.write(formats.read(path), tmp_path / "ours.pos")
        ask_gnubg(
            tmp_path,
            f'import pos "{tmp_path}/ours.pos"',
            f'export position snowietxt "{tmp_path}/theirs.txt"',
        )
        ours, theirs = formats.read(path).only_position, formats.read(tmp_path / "theirs.txt").only_position
        assert ours is not None
        assert theirs is not None
        assert theirs.position == ours.position
        for name in ("cube", "cube_owner", "on_roll", "dice", "score", "length", "crawford"):
            assert getattr(theirs.state, name) == getattr(ours.state, name), name


@pytest.mark.skipif(GNUBG is None, reason="GNU Backgammon is not installed")
def test_gnu_backgammon_reads_our_mat(tmp_path: Path) -> None:
    folder = DATA.parent / "mat"
    for path in (folder / "gnubg.mat", folder / "heroes.txt", folder / "galaxy_empty_name.txt", folder / "studio.txt"):
        match = mat.parse(path.read_text(encoding="utf-8-sig"))[0]
        formats.write(match, tmp_path / "ours.mat")
        ask_gnubg(tmp_path, f'import mat "{tmp_path}/ours.mat"', f'save match "{tmp_path}/theirs.sgf"')
        theirs = formats.read(tmp_path / "theirs.sgf")
        assert played(theirs) == played(match), path.name


def test_equities_become_match_winning_chances() -> None:
    """What programs that speak of equities say of a cube can stand in SGF."""
    match = formats.read(DATA / "analysed.sgf")

    def only_equities(analysis: ForeignAnalysis, decision: Decision) -> ForeignAnalysis:
        cube, judged = analysis.cube, decision.cube
        assert cube is not None
        assert judged is not None
        values = (
            replace(cube.no_double, mwc=None, equity=judged.no_double),
            replace(cube.double_take, mwc=None, equity=judged.double_take),
        )
        return replace(analysis, cube=replace(cube, no_double=values[0], double_take=values[1]))

    decisions = [decision for decision in foreign(match).decisions if decision.kind is DecisionKind.DOUBLE]
    games = [list(game.actions) for game in match.games]
    for decision in decisions:
        action = games[decision.game][decision.action]
        analyses = (only_equities(action.analyses[0], decision),)
        games[decision.game][decision.action] = replace(action, analyses=analyses)
    stripped = replace(
        match, games=tuple(replace(game, actions=tuple(a)) for game, a in zip(match.games, games, strict=True))
    )
    again = with_chances(stripped)
    assert formats.FORMATS["sgf"].losses(again) == []
    for decision in decisions:
        cubes = [m.games[decision.game].actions[decision.action].analyses[0].cube for m in (match, again)]
        assert cubes[0] is not None
        assert cubes[1] is not None
        assert cubes[1].no_double.mwc == pytest.approx(cubes[0].no_double.mwc, abs=1e-6)
        assert cubes[1].double_take.mwc == pytest.approx(cubes[0].double_take.mwc, abs=1e-6)


@pytest.mark.parametrize(
    ("score", "crawford"),
    [((0, 0), False), ((6, 0), True), ((0, 6), True), ((6, 6), False), ((5, 6), True), ((1, 2), False)],
)
def test_the_crawford_game_where_no_rule_names_it(score: tuple[int, int], crawford: bool) -> None:
    """With the rule, the first game in which just one of the players needs a point; then the cube is free again."""

    def game(number: int, at: tuple[int, int], rules: str = "") -> str:
        return f"(;FF[4]GM[6]PW[Ann]PB[Bob]{rules}MI[length:7][game:{number}][ws:{at[0]}][bs:{at[1]}];B[31hehg])"

    found = formats.read_text("\n".join([game(0, (0, 0), "RU[Crawford]"), game(1, score), game(2, score)]))
    assert [each.score for each in found.games] == [(0, 0), score, score]
    assert [each.crawford for each in found.games] == [False, crawford, False]
    assert found.crawford_rule
    found = formats.read_text("\n".join([game(0, (0, 0)), game(1, score)]))
    assert [each.crawford for each in found.games] == [False, False]


@pytest.mark.parametrize(
    ("first", "played"), [("0", 0), ("1", 1), ("7", None), ("", None), ("-1", None), ("x", None), ("00000", None)]
)
def test_which_candidate_was_played(first: str, played: int | None) -> None:
    """As the first value says; none where that is no number of a candidate."""
    text = (DATA / "rollouts.sgf").read_text()
    before, after = (formats.read_text(each).games[0].actions for each in (text, text.replace("A[0][", f"A[{first}][")))
    found = {
        new.analyses[0].played
        for old, new in zip(before, after, strict=True)
        if old.analyses and old.analyses[0].played == 0 and len(old.analyses[0].plays) > 1
    }
    assert found == {played}


@pytest.mark.parametrize(
    ("trials", "kept"),
    [("0", True), ("36", True), (str(2**31 - 1), True), (str(2**31), False), ("-1", False), ("x", False)],
)
def test_trials_of_rollouts(trials: str, kept: bool) -> None:
    """A number that is none costs the analysis, not the file."""
    text = (DATA / "rollouts.sgf").read_text().replace("Trials 36", f"Trials {trials}")
    found = formats.read_text(text)
    methods = {
        each.method.trials
        for action in found.games[0].actions
        for analysis in action.analyses
        for each in (*analysis.plays, *([analysis.cube] if analysis.cube else []))
        if each.method.name == "Rollout"
    }
    assert methods == ({int(trials)} if kept else set())
    assert len(found.games[0].actions) == len(formats.read(DATA / "rollouts.sgf").games[0].actions)


def test_only_so_many_illegal_plays_of_a_file_are_explained() -> None:
    """Twenty in all games together, as it takes long; the others are named."""
    head = "(;FF[4]GM[6]PW[Ann]PB[Bob]MI[length:0][game:{}][ws:0][bs:0];W[31hffe];B[42qusu])"
    texts = ["\n".join(map(head.format, range(30)))]
    rows = "\n".join(
        f" Game {number}\n Ann : 0    Bob : 0\n  1) 31: 8/6 6/5    42: 8/4 6/4\n" for number in range(1, 31)
    )
    texts.append(f" 0 point match\n\n{rows}")
    for text in texts:
        told = [problem.message for problem in formats.read_text(text).problems if "no legal play" in problem.message]
        assert len(told) == 30
        assert ["the nearest of 16 is" in message for message in told] == [True] * 20 + [False] * 10


@pytest.mark.parametrize("node", [b";B[31a]", b";"])
def test_many_small_nodes_need_little_room(node: bytes) -> None:
    data = b"(;FF[4]GM[6]MI[length:3]" + node * (400_000 // len(node))
    formats.read_text(data[:100])
    tracemalloc.start()
    try:
        formats.read_text(data)
        assert tracemalloc.get_traced_memory()[1] < 50 * len(data) + (4 << 20)
    finally:
        tracemalloc.stop()
