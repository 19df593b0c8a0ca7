"""Options that would have no effect are refused or told of, in words."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path

import pytest

from sixprime import cli
from sixprime.paths import sample_match


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("analyse", "--sample", "--templates", "."), "it goes with --html"),
        (("analyse", "--sample", "--reproducible"), "it goes with --html, --save or --json"),
        (("analyse", "--sample", "--save-as", "sgf"), "it goes with --save FOLDER/"),
        (("analyse", "--sample", "--save", "x.sgf", "--save-as", "sixprime"), "it goes with --save FOLDER/"),
        (("openings", "--markdown", "--json"), "--markdown and --json are two ways to print"),
        (
            ("export", "a.sixprime", "-o", "a.txt", "--plies", "1"),
            "a.sixprime is shown as it was judged; leave out --pl",
        ),
        (("export", "a.sixprime", "-o", "a.txt", "--theirs"), "leave out --theirs"),
        (("map", "temperature", "4HPwATDgc/ABMA", "--count", "2"), "--count is of the plays of a roll"),
        (("picture", "4HPwATDgc/ABMA", "--page", "x.html"), "it goes with --graph"),
        (("picture", "x.sixprime", "--graph", "luck", "--move", "3"), "--move is for a board"),
        (("picture", "x.sixprime", "--graph", "luck", "--theme", "dark"), "--theme is for a board"),
    ],
)
def test_refused(
    sixprime: Callable[..., tuple[int, str, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...], words: str,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    status, out, error = sixprime(*arguments)
    assert status == 2
    assert words in " ".join(error.split())
    assert not out
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("dice", "--rng", "loaded"), "--rng must be one of system, "),
        (("dice", "--rng=manual=1"), "--rng must be one of system, "),
        *(
            (("dice", "m.mat", option, "3"), f"{option} is of dice that are thrown, not of recorded ones")
            for option in ("--rng", "--seed", "--modulus", "--count")
        ),
        (("dice", "--seed", "-1"), "--seed must be a whole number from 0"),
        (("analyse", "--sample", "--marks", "x"), "--marks must be gnubg, "),
        (("analyse", "--sample", "--second", "x"), "--second must be one of beginner, "),
        (("analyse", "--sample", "--player1", "x"), "--player1: a depth is plies"),
        (("analyse", "--sample", "--rollout-of", "x"), "--rollout-of: what is rolled out is named by"),
        (("hint", "4HPwATDgc/ABMA", "31", "--cube-model", "x"), "--cube-model: unknown cube model 'x'"),
        (("convert", "m.mat", "m.sgf", "--encoding", "x"), "--encoding must be the name of a text encoding"),
        (("export", "--sample", "-o", "x.txt", "--output-errorratefactor", "-7"), "--output-errorratefactor must be "),
        (("play", "--plain", "foo"), "opponent: a seat is one of "),
    ],
)
def test_a_wrong_value_is_said_of_its_option(
    sixprime: Callable[..., tuple[int, str, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...], words: str,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.mat").write_bytes(sample_match().read_bytes())
    status, out, error = sixprime(*arguments)
    assert (status, out) == (2, "")
    assert error.startswith(f"sixprime: {words}")


def test_cards_of_files_that_cannot_be_read(sixprime: Callable[..., tuple[int, str, str]], tmp_path: Path) -> None:
    status, _, error = sixprime("cards", str(tmp_path / "nofile"), "--to", str(tmp_path / "x.apkg"))
    assert (status, error.count("\n")) == (1, 1)
    assert not list(tmp_path.iterdir())


def test_a_quiz_of_files_that_cannot_be_read_asks_nothing(
    sixprime: Callable[..., tuple[int, str, str]], tmp_path: Path
) -> None:
    status, out, error = sixprime("quiz", str(tmp_path / "nofile"), "--deck", str(tmp_path / "deck.sixprime"))
    assert status == 1
    assert not out
    assert "nofile" in error
    assert not list(tmp_path.iterdir())


def test_a_kept_analysis_has_boards(sixprime: Callable[..., tuple[int, str, str]], tmp_path: Path) -> None:
    kept = tmp_path / "match.sixprime"
    assert sixprime("analyse", "--sample", "--plies", "0", "--save", str(kept))[0] == 0
    status, out, _ = sixprime("picture", str(kept), "--move", "2")
    assert status == 0
    assert out.startswith("<svg")


def test_every_option_has_an_effect() -> None:
    """What a command takes, its body reads."""
    for path in Path(cli.__file__).parent.glob("[a-z]*.py"):
        for function in ast.parse(path.read_text("utf-8")).body:
            if isinstance(function, ast.FunctionDef) and not function.name.startswith("_"):
                read = {node.id for part in function.body for node in ast.walk(part) if isinstance(node, ast.Name)}
                unread = {argument.arg for argument in function.args.kwonlyargs} - read
                assert not unread, (path.name, function.name)


def test_cards_by_the_analysis_of_the_file(
    sixprime: Callable[..., tuple[int, str, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sixprime.cli._questions.make_engine", lambda **_: pytest.fail("an engine"))
    analysed = Path(__file__).parent / "data" / "sgf" / "analysed.sgf"
    status, _, err = sixprime("cards", str(analysed), "--theirs", "--to", str(tmp_path / "cards.apkg"))
    assert status == 0, err
    assert "analysed.sgf: " in err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--truncate-plies", "1"), "--truncate-plies has no effect without --truncate"),
        (("--minimum", "36"), "--minimum has no effect without --stop-error or --stop-jsd"),
        (("--no-bearoff-one-sided",), "--no-bearoff-one-sided has no effect without --cubeless"),
        (("--cubeless", "--branches", "3"), "--branches has no effect beside --cubeless"),
        (("--cube", "--count", "3"), "--count has no effect beside --cube"),
        (("--stop-jsd", "3", "--minimum", "36", "--cubeless"), ""),
    ],
)
def test_options_of_rollouts_without_effect_are_told(
    sixprime: Callable[..., tuple[int, str, str]], options: tuple[str, ...], said: str
) -> None:
    status, _, err = sixprime("rollout", "4HPwATDgc/ABMA", "--trials", "2", *options)
    assert (status, err) == (0, said and f"sixprime: warning: {said}\n")
