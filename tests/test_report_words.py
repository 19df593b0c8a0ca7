"""Wording that reports share."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from made_match import make_match
from rich.console import Console

from sixprime import codec
from sixprime.engine.results import PlayAnalysis
from sixprime.game import Play, Position
from sixprime.game.outcomes import Outcomes
from sixprime.game.record import Action, ActionKind, Match, Player
from sixprime.game.state import MatchState
from sixprime.report import phrases, render_hint, words

LEFT_ONE = "The move filter left one play after 0-ply, so none was searched to 2-ply."
DEEPER = "Plays searched deeper stand first; the move filter left the rest at their ply."
ROLLED = "Plays rolled out stand first."


def play(plies: int, equity: float = 0.0, trials: int = 0) -> PlayAnalysis:
    position = Position.start()
    chances = (0.5, 0.1, 0.0, 0.1, 0.0)
    return PlayAnalysis(Play((), position, position.swapped()), chances, equity, 0.0, equity, None, plies, None, trials)


@pytest.mark.parametrize(
    ("plays", "plies", "text"),
    [
        ([], 2, ""),
        ([play(2, 0.1), play(2, 0.0)], 2, ""),
        ([play(0, 0.1), play(0, 0.0)], 0, ""),
        ([play(0, 0.1), play(0, 0.0)], None, ""),
        ([play(2, 0.351), play(0, 0.475)], 2, DEEPER),
        ([play(2, 0.351), play(0, 0.475)], None, DEEPER),
        ([play(0, 0.2), play(0, -0.1)], 2, LEFT_ONE),
        (
            [play(2, 0.2), play(2, 0.1), play(0, 0.3)],
            4,
            f"{DEEPER} The move filter left one play after 2-ply, so none was searched to 4-ply.",
        ),
        ([play(2, 0.2, 36), play(2, 0.1, 36)], 2, ""),
        ([play(2, 0.2, 36), play(2, 0.3)], 2, ROLLED),
        ([play(2, 0.2, 36), play(2, 0.3), play(0, 0.4)], 2, f"{ROLLED} {DEEPER}"),
    ],
)
def test_why_plays_stand_in_this_order(plays: list[PlayAnalysis], plies: int | None, text: str) -> None:
    assert words.why_order(plays, plies) == text


def test_hint_says_why_a_shallower_play_stands_below() -> None:
    def hint(plays: list[PlayAnalysis], plies: int) -> str:
        out = io.StringIO()
        console = Console(file=out, width=80, force_terminal=False, color_system=None)
        render_hint(Position.start(), (3, 1), plays, plies=plies, console=console)
        return out.getvalue()

    mixed = [play(2, 0.351), replace(play(0, 0.475), equity_loss=0.0)]
    assert DEEPER in hint(mixed, 2).splitlines()
    assert LEFT_ONE in hint([play(0, 0.2), play(0, -0.1)], 2).splitlines()
    assert "filter" not in hint([play(2, 0.2), play(2, -0.1)], 2)


@pytest.mark.parametrize(
    ("language", "beavered", "value", "text"),
    [
        ("en", 0, 4, "Beavers to 4"),
        ("en", 1, 8, "Raccoons to 8"),
        ("en", 1, 0, "Raccoons"),
        ("de", 0, 4, "Beaver auf 4"),
        ("de", 1, 8, "Raccoon auf 8"),
    ],
)
def test_a_beaver_that_is_turned_back_is_a_raccoon(language: str, beavered: int, value: int, text: str) -> None:
    state = MatchState(cube=2, doubled=True, beavered=beavered, beavers=3)
    action = Action(ActionKind.BEAVER, beavered % 2, Position.start(), state, value=value)
    with phrases.spoken(language):
        assert words.action_text(action) == text


def test_chances_are_chances_though_few_games_were_rolled_out() -> None:
    assert words.six_chances(Outcomes(1.01, 0.2, -0.002, 0.1, 0.0)) == (1.0, 0.2, 0.0, 0.0, 0.1, 0.0)


def test_whoever_told_no_name_is_called_you_and_who_is_called_du_is_not() -> None:
    match = replace(make_match(games=1, turns=1).match, players=(Player("Du", unnamed=True), Player("Kim")))
    kept = codec.from_json(codec.to_json(match), Match)
    for language, unnamed, name in (("en", True, "You"), ("de", True, "Du"), ("en", False, "Du")):
        players = replace(kept.players[0], unnamed=unnamed), kept.players[1]
        with phrases.spoken(language):
            assert words.names(replace(kept, players=players)) == (name, "Kim")
