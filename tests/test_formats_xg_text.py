"""Texts of eXtreme Gammon: positions in several languages, written and read again; match text in any language."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sixprime import formats
from sixprime.errors import InvalidFileError
from sixprime.formats import FORMATS
from sixprime.formats._position import position_match
from sixprime.formats._text import Document
from sixprime.game import MatchState, Position
from sixprime.game.record import ForeignAnalysis, Match
from sixprime.paths import sample_match

SAMPLES = Path(os.environ.get("SIXPRIME_SAMPLES", "/nowhere"))
MAT = Path(__file__).parent / "data" / "mat"

PLAY = """XGID=-b----E-C---eE---c-e----B-:0:0:1:31:2:4:0:7:10

X:Ann Lee   O:Bob
Score is X:2 O:4 7 pt.(s) match.
 +13-14-15-16-17-18------19-20-21-22-23-24-+
 | X           O    |   | O              X |
 | X           O    |   | O              X |
 | X           O    |   | O                |
 | X                |   | O                |
 | X                |   | O                |
 |                  |BAR|                  |
 | O                |   | X                |
 | O                |   | X                |
 | O           X    |   | X                |
 | O           X    |   | X              O |
 | O           X    |   | X              O |
 +12-11-10--9--8--7-------6--5--4--3--2--1-+
Pip count  X: 167  O: 167 X-O: 2-4/7
Cube: 1
X to play 31

    1. Rollout¹    8/5 6/5                      eq:+0.161
      Player:   55.01% (G:17.20% B:0.90%)
      Opponent: 44.99% (G:12.10% B:0.50%)

    2. 3-ply       24/23 13/10                  eq:-0.010 (-0.171)
      Player:   49.50% (G:13.20% B:0.70%)
      Opponent: 50.50% (G:13.70% B:0.60%)

¹ 1296 Games rolled

eXtreme Gammon Version: 2.10, MET: Kazaross XG2
"""
CUBE = """XGID=-b----E-C---eE---c-e----B-:1:1:-1:00:2:4:0:7:10

X:Ann Lee   O:Bob
Score is X:2 O:4 7 pt.(s) match.
O on roll, cube action

Analyzed in 4-ply
Player Winning Chances:   52.00% (G:14.00% B:0.70%)
Opponent Winning Chances: 48.00% (G:13.00% B:0.60%)

Cubeless Equities: No Double=+0.051, Double=+0.102

Cubeful Equities:
       No redouble:     +0.080
       Redouble/Take:   -0.211 (-0.291)
       Redouble/Pass:   +1.000 (+0.920)

Best Cube action: No redouble / Take

eXtreme Gammon Version: 2.10
"""
GERMAN = {
    "Score is": "Punktzahl ist",
    "Player Winning Chances:  ": "Spieler Gewinnchancen:",
    "Opponent Winning Chances": "Gewinnchancen des Gegners",
    "Player:  ": "Spieler: ",
    "Opponent: ": "Gegner:  ",
    "Analyzed in": "Analysiert in",
    "Cubeless Equities: No Double": "Equities ohne Dopplerwürfel: Nicht Doppeln",
    "Cubeful Equities": "Equities mit Dopplerwürfel",
    "No redouble:  ": "Nicht Redoppeln:",
    "Redouble/Take": "Redoppeln/Annehmen",
    "Redouble/Pass": "Redoppeln/Ablehnen",
    "X to play": "X zum spielen",
}
JAPANESE = {
    "Cubeful Equities:": "キューブ込み期待値",
    "No redouble:": "ノーリダブル:",
    "Redouble/Take:": "リダブル/テイク：",
    "Redouble/Pass:": "リダブル/パス:",
    "Best Cube action: ": "ベストキューブアクション：",
    "Player:": "プレーヤー:",
    "Opponent:": "対戦相手:",
    "Rollout": "ロールアウト",
}
FRENCH = {
    "eq:": "éq:",
    "Score is X:2 O:4 7 pt.(s) match.": "Le score est X:2 O:4 match en 7 pt(s)",
    "Player Winning Chances": "Chance de gain du joueur",
    "Opponent Winning Chances": "Chance de gain de l'adversaire",
    "Cubeful Equities:": "Equités avec videau",
    "No redouble:": "Pas de redouble:",
    "Redouble/Take": "Redouble/Prend",
    "Redouble/Pass": "Redouble/Passe",
    "X to play": "X à jouer",
    ".": ",",
}


def translated(text: str, words: dict[str, str]) -> str:
    head, _, rest = text.partition("\n")
    body, mark, foot = rest.partition("eXtreme Gammon Version")
    lines = body.split("\n")
    for old, new in words.items():
        # The points of ranks stay.
        lines = [
            line.replace(old, new)
            if old != "." or "%" in line or "=" in line
            else line[:20] + line[20:].replace(old, new)
            for line in lines
        ]
    return f"{head}\n" + "\n".join(lines) + mark + foot


def analysis_of(match: Match) -> ForeignAnalysis:
    assert match.problems == ()
    alone = match.only_position
    assert alone is not None
    (analysis,) = alone.analyses
    return analysis


def test_a_play() -> None:
    match = formats.read_text(PLAY)
    assert match.format == "xg-text"
    assert [player.name for player in match.players] == ["Bob", "Ann Lee"]
    assert (match.length, match.games[0].score) == (7, (4, 2))
    analysis = analysis_of(match)
    assert analysis.source == "eXtreme Gammon 2.10"
    first, second = analysis.plays
    assert (str(first.play), first.value.equity, first.method.name, first.method.trials) == (
        "8/5 6/5",
        0.161,
        "Rollout",
        1296,
    )
    assert first.value.probabilities == (0.5501, 0.172, 0.009, 0.121, 0.005)
    assert (second.method.name, second.method.plies) == ("3-ply", 2)
    assert "MET: Kazaross XG2" in second.method.settings


def test_a_cube_decision() -> None:
    match = formats.read_text(CUBE)
    alone = match.only_position
    assert alone is not None
    assert (alone.player, alone.state.cube, alone.state.cube_owner) == (0, 2, 1)
    cube = analysis_of(match).cube
    assert cube is not None
    assert cube.double_pass is not None
    assert (cube.no_double.equity, cube.double_take.equity, cube.double_pass.equity) == (0.08, -0.211, 1.0)
    assert (cube.no_double.cubeless, cube.double_take.cubeless) == (0.051, 0.102)
    german = analysis_of(formats.read_text(CUBE.replace("Best Cube action:", "Beste Dopplerwürfel Aktion"))).cube
    assert german is not None
    assert german.best == cube.best == "No redouble / Take"
    assert cube.no_double.probabilities == (0.52, 0.14, 0.007, 0.13, 0.006)
    assert (cube.best, cube.method.plies) == ("No redouble / Take", 3)


@pytest.mark.parametrize("words", [GERMAN, JAPANESE, FRENCH])
@pytest.mark.parametrize("text", [PLAY, CUBE])
def test_other_languages_and_decimal_commas(text: str, words: dict[str, str]) -> None:
    foreign = translated(text, words)
    assert foreign != text
    analysis, original = analysis_of(formats.read_text(foreign)), analysis_of(formats.read_text(text))
    assert [(p.play, p.value) for p in analysis.plays] == [(p.play, p.value) for p in original.plays]
    assert [p.method.trials for p in analysis.plays] == [p.method.trials for p in original.plays]
    if original.cube is not None:
        assert analysis.cube is not None
        assert (analysis.cube.no_double, analysis.cube.double_take) == (
            original.cube.no_double,
            original.cube.double_take,
        )


@pytest.mark.parametrize("text", [PLAY, CUBE, PLAY + "\n" + CUBE])
def test_what_is_written_is_read_again(text: str) -> None:
    first = FORMATS["xg-text"].read(Document(text))
    (written,) = formats.render(first, "xg-text")
    second = FORMATS["xg-text"].read(Document(written))
    assert second == first
    assert formats.render(second, "xg-text") == [written]


def test_the_written_text_is_that_of_xg() -> None:
    (written,) = formats.render([formats.read_text(PLAY)], "xg-text")
    assert written == PLAY


def test_chequers_on_the_bar_and_high_stacks() -> None:
    (written,) = formats.render([formats.read_text("XGID=a-----E-C---eE---c-h----AA:0:0:1:00:0:0:3:0:10")], "xg-text")
    assert isinstance(written, str)
    lines = written.splitlines()
    assert "Unlimited Game Jacoby Beaver" in lines
    bar = next(index for index, line in enumerate(lines) if "BAR" in line)
    assert lines[bar - 1][20:25] == "| X |"
    assert lines[bar + 1][20:25] == "| O |"
    assert "8" in lines[bar - 1]


def test_every_decision_of_a_match() -> None:
    match = formats.read(sample_match())
    (written,) = formats.render([match], "xg-text")
    again = FORMATS["xg-text"].read(Document(written))
    decisions = [a for game in match.games for a in game.actions if a.kind not in ("set", "resign")]
    assert [m.only_position.position for m in again if m.only_position] == [a.position for a in decisions]


@pytest.mark.parametrize("source", ["Sixprime 0.1.0", "GNU Backgammon 1.07.001", "BGBlitz", "eXtreme Gammon 2.10"])
def test_who_judged_is_read_again(source: str) -> None:
    (match,) = formats.read_all_text(PLAY)
    action = match.games[0].actions[0]
    said = replace(action, analyses=(replace(action.analyses[0], source=source),))
    other = replace(match, games=(replace(match.games[0], actions=(said,)),))
    text = str(formats.render([other], "xg-text")[0]) + "Snowie 4 says otherwise\n"
    (again,) = formats.read_all_text(text)
    assert [each.source for each in again.games[0].actions[0].analyses] == [source]
    assert again.games[0].actions[0].comment.endswith("Snowie 4 says otherwise")


def test_damage() -> None:
    match = formats.read_text(PLAY.replace("8/5 6/5  ", "8/5 6/4  ").replace("24/23", "24/x"), "f")
    assert [str(problem)[:30] for problem in match.problems] == [
        "f:22:20: '8/5 6/4' is no legal",
        "f:26:20: '24/x' in a play is n",
    ]
    with pytest.raises(InvalidFileError) as caught:
        formats.read_text(PLAY.replace(":31:", ":39:"), "f")
    assert (caught.value.line, caught.value.path) == (1, "f")
    two = FORMATS["xg-text"].read(Document(PLAY + CUBE.replace("=-b", "=-z")))
    assert [problem.line for problem in two[0].problems] == [33]


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="SIXPRIME_SAMPLES is not set")
def test_real_positions() -> None:
    for path in sorted((SAMPLES / "xg_text_position").iterdir()):
        first = formats.read(path)
        assert analysis_of(first).plays or analysis_of(first).cube
        (written,) = formats.render([first], "xg-text")
        assert formats.read_text(written).games == first.games


@settings(max_examples=150)
@given(st.text(max_size=200), st.sampled_from([PLAY, CUBE]), st.integers(0, 2000))
def test_any_text(text: str, around: str, place: int) -> None:
    try:
        found = FORMATS["xg-text"].read(Document(around[:place] + text + around[place:]))
    except InvalidFileError:
        return
    formats.render(found, "xgid")


# Match text

WORDS = {
    "de": {
        "point match": "Punkte Match",
        "Game": "Spiel",
        "Doubles": "Verdoppelt",
        "Takes": "Nimmt an",
        "Drops": "Lehnt ab",
        "Wins": "Gewinnt",
        "points": "Punkte",
        "Cannot Move": "Kann nicht ziehen",
        "1600.00": "1600,00",
    },
    "fr": {
        "point match": "points",
        "Game": "Partie",
        "Doubles": "Double",
        "Takes": "Prend",
        "Drops": "Passe",
        "Wins": "Gagne",
        "Cannot Move": "Ne peut pas jouer",
        "Bar": "Barre",
        "Off": "Sorti",
    },
    "ja": {
        "point match": "ポイントマッチ",
        "Game": "ゲーム",
        "Doubles": "ダブル",
        "Takes": "テイク",
        "Drops": "パス",
        "Wins": "勝ち",
        "points": "ポイント",
        "Cannot Move": "動けない",
        "Bar": "バー",
        "Off": "オフ",
    },
}


@pytest.mark.parametrize("language", WORDS)
def test_match_text_in_other_languages(language: str) -> None:
    text = (MAT / "xg.txt").read_text(encoding="utf-8-sig")
    english = formats.read_text(text)
    for old, new in WORDS[language].items():
        text = text.replace(old, new)
    match = formats.read_text(text)
    assert (match.format, match.problems) == ("xg-match", ())
    assert (match.players, match.length, match.info) == (english.players, english.length, english.info)
    assert match.games == english.games


def test_damaged_match_text() -> None:
    text = " 5 Punkte\n\n Spiel 1\n A : 0      B : 0\n 1) 31: 8/5 6/4     42: 8/4 6/4\n Spiel 2\n A : 0     B : 0\n"
    match = formats.read_text(text)
    assert [problem.line for problem in match.problems][:1] == [5]
    for text in ("", "x\n", " A : 0     B : 0\n"):
        with pytest.raises(InvalidFileError):
            FORMATS["xg-match"].read(Document(text))


def test_endless_games_and_rows_are_cut() -> None:
    head = " 5 Punkte Match\n\n"
    game = " Spiel 1\n A : 0     B : 0\n"
    rows = formats.read_text(head + game + "1) 31: 8/5 6/5 11: 8/7 8/7 6/5 6/5\n" * 5000)
    assert any("only the first 1000 are read" in str(problem) for problem in rows.problems)
    games = formats.read_text(head + (game + "1) 31: 8/5 6/5\n") * 5000)
    assert len(games.games) <= 2000
    assert any("the rest is left out" in str(problem) for problem in games.problems)
    following = formats.read_text(
        head + game + "1) 31: 8/5 6/5\n" * 5000 + " Spiel 2\n A : 0     B : 1\n1) 31: 8/5 6/5\n"
    )
    assert [len(each.actions) for each in following.games][1:] == [1]


def test_games_of_hardly_a_line_are_cut() -> None:
    match = formats.read_text(" 5 point match\n" + " Game 1\n A : 0  B : 0\n 1) 31: 8/5 6/5\n" * 5000)
    assert len(match.games) < 4000
    assert any("hardly a line" in str(problem) for problem in match.problems)


def test_what_cannot_be_written() -> None:
    """Nothing to say, and positions that no XGID holds: one clear error each."""
    match = formats.read(sample_match())
    bare = replace(match, games=tuple(replace(game, actions=()) for game in match.games))
    with pytest.raises(InvalidFileError, match="there is no position to write as XG's text"):
        formats.render([bare], "xg-text")
    many = Position((20, *[0] * 24), (0, 2, *[0] * 23))
    over = position_match(many, MatchState(dice=(3, 1)), ("a", "b"), format="", source="")
    with pytest.raises(InvalidFileError, match="a position cannot be written as XG's text: "):
        formats.render([over], "xg-text")
