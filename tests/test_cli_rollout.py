"""`sixprime rollout`, `calibrate` and `analyse --rollout` as users and scripts meet them."""

from __future__ import annotations

import io
import json
import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from made_match import make_match

from sixprime.api import load_analysis
from sixprime.engine import RolloutResult, RolloutSettings
from sixprime.engine.rollout_play import RolloutPlayer
from sixprime.game.record import Problem
from sixprime.paths import sample_match

START = "4HPwATDgc/ABMA"
QUICK = ("--trials", "36", "--truncate", "2", "--threads", "1")


def test_a_position(sixprime) -> None:
    status, out, _ = sixprime("rollout", START, *QUICK, "--statistics")
    assert status == 0
    assert "95 % interval" in out
    assert "chequers hit" in out
    assert "36 trials, cubeful, 0-ply play, 0-ply cube, cut after 2 turns, seed 1" in out


def test_plays_as_json(sixprime) -> None:
    status, out, _ = sixprime("rollout", START, "--dice", "31", "--count", "2", *QUICK, "--json")
    assert status == 0
    answer = json.loads(out)
    assert (answer["kind"], answer["dice"], answer["trials"], answer["finished"]) == ("plays", [3, 1], 36, True)
    first, second = answer["alternatives"]
    assert (first["play"], first["position_id"], first["equity_loss"]) == ("8/5 6/5", "sGfwATDgc/ABMA", 0.0)
    assert second["equity_loss"] == pytest.approx(first["equity"] - second["equity"])
    assert first["interval"][0] < first["equity"] < first["interval"][1]
    assert len(first["probabilities"]) == len(first["probabilities_error"]) == 5
    assert {"cubeless_equity", "jsd", "loss_error", "mwc", "statistics"} <= first.keys()


def test_chosen_plays_and_the_cube_decision(sixprime) -> None:
    arguments = ("--play", "13/10 6/5", "--play", "24/23 13/10")
    status, out, _ = sixprime("rollout", f"{START}:cAkAAAAAAAAA", "--dice", "31", *arguments, *QUICK, "--json")
    assert status == 0
    assert {a["play"] for a in json.loads(out)["alternatives"]} == {"13/10 6/5", "24/23 13/10"}
    status, out, _ = sixprime("rollout", START, "--cube", *QUICK, "--json")
    answer = json.loads(out)
    assert [a["label"] for a in answer["alternatives"]] == ["No double", "Double, take"]
    assert answer["action"].startswith("No double")


def test_a_file_of_ids(sixprime, tmp_path: Path) -> None:
    file = tmp_path / "ids.txt"
    file.write_text(f"# comment\n{START}\n\n{START} 6 5\n")
    status, out, _ = sixprime("rollout", str(file), "--count", "1", *QUICK, "--json")
    assert status == 0
    kinds = [json.loads(line)["kind"] for line in out.splitlines()]
    assert kinds == ["position", "plays"]
    file.write_text(f"{START}\nnonsense\n")
    status, _, err = sixprime("rollout", str(file), *QUICK)
    assert status == 2
    assert f"{file}:2:" in err


def test_saved_and_extended(sixprime, tmp_path: Path) -> None:
    file = tmp_path / "opening.npz"
    assert sixprime("rollout", START, *QUICK, "--save", str(file))[0] == 0
    status, out, _ = sixprime("rollout", str(file), "--trials", "72", "--threads", "1", "--json")
    assert status == 0
    extended = json.loads(out)
    _, out, _ = sixprime("rollout", START, "--trials", "72", *QUICK[2:], "--json")
    assert extended == json.loads(out)
    _, out, _ = sixprime("rollout", str(file), "--threads", "1", "--json")  # shown again
    assert json.loads(out) == extended


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        ((START, "--dice", "77"), "two digits"),
        ((START, "--cube", "--dice", "31"), "before the dice"),
        ((START, "--play", "8/5 6/5"), "the dice"),
        ((START, "--cube", "--cubeless"), "without cube"),
        ((START, "--initial", "--cube"), "--initial"),
        ((START, "--trials", "0"), ">= 1"),
        ((START, "--trials", "36.9"), "expected a whole number, found '36.9'"),
        ((START, "--filter", "wide"), "filter must be one of"),
        ((START, "--stop-jsd", "-1"), "> 0"),
        (("4HPwATDgc/AB!A",), "!"),
    ],
)
def test_wrong_use(sixprime, arguments: tuple[str, ...], hint: str) -> None:
    status, out, err = sixprime("rollout", *arguments)
    assert status in (1, 2)
    assert out == ""
    assert hint in err
    assert err.count("\n") == 1


def test_a_damaged_file(sixprime, tmp_path: Path) -> None:
    file = tmp_path / "broken.npz"
    file.write_bytes(b"PK\x03\x04 and no more")
    status, _, err = sixprime("rollout", str(file))
    assert (status, err.count("\n")) == (1, 1)
    assert "broken.npz" in err


def test_where_a_rollout_cannot_be_saved(sixprime, tmp_path: Path) -> None:
    """It is said before the games are played, and nothing is overwritten."""
    words = tmp_path / "words.txt"
    words.write_text("mine")
    for target in (words / "x.npz", tmp_path, words):
        status, out, err = sixprime("rollout", START, *QUICK, "--save", str(target))
        assert status in (1, 2)
        assert not out
        assert str(target.parent) in err
    assert words.read_text() == "mine"


def test_what_a_saved_rollout_cannot_follow(sixprime, tmp_path: Path) -> None:
    path = str(tmp_path / "x.npz")
    model = "--cube-model", "janowski:0.5"
    assert sixprime("rollout", START, *QUICK, "--save", path, *model)[0] == 0
    for option in (("--seed", "7"), ("--cubeless",), ("--plies", "0"), ("--dice", "31"), ("--no-rotate",)):
        status, _, err = sixprime("rollout", path, *option)
        assert status == 2
        assert f"{option[0]} does not go with a saved rollout" in err
    status, _, err = sixprime("rollout", START, *QUICK, "--save", path)
    assert status == 2
    assert "goes on with" in err
    assert sixprime("rollout", path, "--trials", "72")[0] == 1
    assert sixprime("rollout", path, "--trials", "72", *model)[0] == 0


def test_later_plies_alone_begin_at_the_fifth_turn(sixprime) -> None:
    answers = [
        json.loads(sixprime("rollout", START, "--trials", "36", "--truncate", "7", "--json", *later)[1])
        for later in ((), ("--later-plies", "1"), ("--later-plies", "1", "--later-turn", "5"))
    ]
    equities = [answer["alternatives"][0]["equity"] for answer in answers]
    assert equities[0] != equities[1] == equities[2]


def test_a_game_that_is_over(sixprime) -> None:
    for command in ("hint", "rollout"):
        status, _, err = sixprime(command, "AAAABgAAAAAAAA", "--dice", "21")
        assert status == 2
        assert "the game is over" in err
    found = json.loads(sixprime("eval", "AAAABgAAAAAAAA", "--json")[1])
    assert found["cubeful_equity"] == -1
    assert not found["cube"]["available"]


def test_calibrate(sixprime) -> None:
    status, out, _ = sixprime("calibrate", "--seconds", "0.01", "--threads", "1", "--json")
    assert status == 0
    times = json.loads(out)
    assert {"rollout_1296", "rollout_1296_cut", "rollout_1296_2ply_cube", "match_2ply", "hint_2ply"} <= times.keys()
    assert all(seconds > 0 for seconds in times.values())


def test_doubtful_decisions_are_rolled_out(sixprime, tmp_path: Path) -> None:
    text = sample_match().read_text(encoding="utf-8")
    first = tmp_path / "first.mat"
    first.write_text(text[: text.index(" Game 2")], encoding="utf-8")
    arguments = ("analyse", str(first), "--plies", "0", "--threads", "1", "--json")
    _, out, _ = sixprime(*arguments)
    searched = json.loads(out)
    status, out, _ = sixprime(*arguments, "--rollout", "--trials", "36")
    assert status == 0
    rolled = json.loads(out)
    assert "rolled out, 36 games each" in rolled["settings"]
    seen = 0
    for before, after in zip(searched["decisions"], rolled["decisions"], strict=True):
        depths = [play["trials"] for play in after["plays"]] or [after["cube"]["trials"] if after["cube"] else 0]
        if before["skill"] == "none":
            continue
        seen += 1
        assert depths[0] == 36
        if after["plays"]:
            assert after["plays"][after["played"]]["trials"] == 36
            assert all(play["equity_error"] is not None for play in after["plays"] if play["trials"])
            assert sorted(depths, reverse=True) == depths
    assert seen > 0


WRONG_CUBES = """ 0 point match

 Game 1
 Ann : 0                             Bob : 0
  1) 31: 8/5 6/5                      63: 24/15
  2)  Doubles => 2                     Drops
      Wins 1 point
"""


def test_doubtful_cubes_are_rolled_out(sixprime, tmp_path: Path) -> None:
    match = tmp_path / "cubes.mat"
    match.write_text(WRONG_CUBES)
    arguments = ("analyse", str(match), "--plies", "0", "--threads", "1", "--rollout", "--trials", "36", "--json")
    status, out, _ = sixprime(*arguments)
    assert status == 0
    double, take = [decision for decision in json.loads(out)["decisions"] if decision["cube"]][-2:]
    assert (double["kind"], take["kind"]) == ("double", "take")
    # One decision on the cube, rolled out once: both sides are judged by the same numbers.
    state = f"{double['position_id']}:{double['match_id']}"
    status, out, _ = sixprime("rollout", state, "--cube", "--trials", "36", "--threads", "1", "--json")
    no_double, double_take = (found["equity"] for found in json.loads(out)["alternatives"])
    for decision in (double, take):
        cube = decision["cube"]
        assert (cube["trials"], cube["no_double"], cube["double_take"]) == (36, no_double, double_take)
    assert double["error"] == pytest.approx(max(0.0, no_double - min(double_take, 1.0)))
    assert take["error"] == pytest.approx(1.0 - double_take)
    assert take["error"] > 0.3


def test_a_level_that_rolls_out_named_second(sixprime, tmp_path: Path) -> None:
    match = tmp_path / "cubes.mat"
    match.write_text(WRONG_CUBES)
    arguments = ("analyse", str(match), "--threads", "1", "--json")
    alone, second = (
        json.loads(sixprime(*arguments, *more)[1])
        for more in (("--plies", "2", "--rollout", "--trials", "72"), ("--plies", "0", "--second", "roller"))
    )
    assert "+second-2-ply-normal+rollout-72-" in second["label"]
    assert "+search-as-72-games@" in second["label"]
    assert second["settings"].endswith("rolled out, 72 games each, the search as 72")
    assert "search-as" not in alone["label"]
    rolled = [decision["cube"] for decision in second["decisions"] if decision["cube"] and decision["cube"]["trials"]]
    assert rolled
    assert all(cube["trials"] == 72 for cube in rolled)


def test_many_matches_of_a_level_that_rolls_out(sixprime, tmp_path: Path) -> None:
    files = [tmp_path / f"{number}.mat" for number in range(4)]
    for file in files:
        file.write_text(WRONG_CUBES)
    folder = tmp_path / "analyses"
    arguments = ("--level", "roller", "--trials", "36", "--jobs", "2", "--threads", "1", "--save", f"{folder}/")
    status, _, err = sixprime("analyse", *map(str, files), *arguments, "--save-as", "sixprime")
    assert status == 0, err
    for file in files:
        found = load_analysis(folder / f"{file.stem}.sixprime")
        assert "rolled out, 36 games each, the search as 72" in found.settings


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_sees_the_rollout_under_way(
    sixprime, every_report, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr("sixprime.engine.rollout.TASK", (36,) * 5)
    monkeypatch.setattr("sixprime.cli.rollout._SAVE_EVERY", 0.0)
    file = tmp_path / "rollout.npz"
    arguments = ("rollout", START, "--trials", "108", *QUICK[2:])
    _, plain, _ = sixprime(*arguments)
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    seen: list[bool] = []
    monkeypatch.setattr(RolloutResult, "save", lambda self, path: seen.append(path == file))
    status, out, _ = sixprime(*arguments, "--save", str(file))
    assert (status, out) == (0, plain)  # what is shown on the way leaves no trace
    shown = " ".join(re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", terminal.getvalue()).split())
    assert "108 of 108 trials; Ctrl-C keeps what is there" in shown
    assert "position" in shown
    assert len(seen) > 2
    assert all(seen)
    # Nobody looks at a table where JSON is asked for.
    monkeypatch.setattr("sys.stderr", Terminal())
    assert sixprime(*arguments, "--json").status == 0
    assert sys.stderr.getvalue() == ""


def test_the_settings_in_words(sixprime) -> None:
    state, odd = f"{START}:cAngAAAAAAAE", ("--noise", "0.05", "--no-rotate")
    status, out, _ = sixprime("rollout", state, "--cube", *QUICK, *odd)
    assert status == 0
    assert "Best action: No double, take" in out
    assert "MWC after No double 5" in out
    said = " ".join(out.split())
    assert said.endswith("0-ply cube, noise 0.05 and 0.05, cut after 2 turns, random dice, seed 1")
    later = ("--plies", "1", "--opponent-plies", "0", "--later-turn", "1", "--truncate-plies", "1")
    said = " ".join(sixprime("rollout", START, *QUICK, *later).out.split())
    assert "1/0-ply play, 0-ply cube, from turn 1 on 0-ply play and 0-ply cube, cut after 2 turns and judged by" in said
    _, out, _ = sixprime("rollout", START, *QUICK, "--initial", "--cubeless", "--no-variance-reduction", "--seed", "7")
    said = " ".join(out.split())
    assert "36 trials, cubeless, 0-ply play, cut after 2 turns, " in said
    assert said.endswith("from the opening roll, without variance reduction, seed 7")


def test_statistics_of_whole_games(sixprime) -> None:
    racing = "2x0AAOi2AQAAAA"
    status, out, _ = sixprime("rollout", racing, "--trials", "36", "--statistics", "--no-bearoff-exact")
    assert status == 0
    rows = {line[:30].strip(): line[30:].split() for line in out.splitlines()}
    ends = [rows[name] for name in rows if " won, cube x" in name or name.startswith("won by a pass, cube x")]
    assert sum(int(number) for row in ends for number in row) == 36
    assert any(name.startswith("won by a pass") for name in rows)


def test_interrupted_and_resumed(sixprime, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("sixprime.engine.rollout.TASK", (36,) * 5)
    arguments = ("rollout", START, "--trials", "108", *QUICK[2:])
    _, whole, _ = sixprime(*arguments)
    file, play = tmp_path / "rollout.npz", RolloutPlayer.play

    def interrupted(self: RolloutPlayer, first: int, *rest: object) -> object:
        if first >= 36:
            raise KeyboardInterrupt
        return play(self, first, *rest)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(RolloutPlayer, "play", interrupted)
        status, out, err = sixprime(*arguments, "--save", str(file))
        assert status == 1
        assert "36 trials, " in out
        assert "interrupted" in out
        go_on = f"sixprime rollout {file}"
        assert err == f"sixprime: interrupted after 36 trials; go on with: {go_on}\n"
        assert sixprime("rollout", str(file))[::2] == (1, err)
    assert sixprime(*go_on.split()[1:]) == (0, whole, "")


def test_a_line_that_cannot_be_rolled_out_costs_only_itself(sixprime, tmp_path: Path) -> None:
    far = "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:300:10"
    file = tmp_path / "ids.txt"
    file.write_text(f"# a comment\n{far}\n{START} 31\n", encoding="utf-8-sig")
    status, out, err = sixprime("rollout", str(file), "--count", "1", *QUICK, "--json")
    assert (status, json.loads(out)["dice"]) == (1, [3, 1])
    assert err.startswith("sixprime: 4HPwATDgc/ABMA: ")
    assert "64" in err
    file.write_text(f"{START}\nnonsense\n")
    assert f"{file}:2: " in sixprime("rollout", str(file)).err
    file.write_text("# nothing\n")
    assert sixprime("rollout", str(file)).err == f"sixprime: {file} holds no ID\n"


@pytest.mark.parametrize(
    ("options", "trials"),
    [((), None), (("--rollout",), 324), (("--rollout", "--trials", "72"), 72), (("--level", "roller"), 72),
     (("--level", "roller", "--trials", "36"), 36)],
)  # fmt: skip
def test_how_many_games_doubtful_decisions_are_rolled_out(
    sixprime, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...], trials: int | None
) -> None:
    asked: list[int | None] = []

    def judge(
        match: object, engine: object, *, rollout: tuple[object, RolloutSettings] | None, **more: object
    ) -> object:
        asked.append(None if rollout is None else rollout[1].trials)
        return make_match(games=1, turns=2)

    monkeypatch.setattr("sixprime.analysis.analyse.analyse", judge)
    assert sixprime("analyse", "--sample", *options).status == 0
    assert asked == [trials]


@pytest.mark.parametrize("number", [0, 9, 10, 11, 13])
def test_the_first_problems_of_a_match_are_told(
    sixprime, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    analysed = make_match(games=1, turns=2)
    match = replace(analysed.match, problems=tuple(Problem(f"wrong {i}", "a.mat") for i in range(number)))
    monkeypatch.setattr("sixprime.formats.read_all", lambda *_: [match])
    monkeypatch.setattr("sixprime.formats.read", lambda *_: match)
    monkeypatch.setattr("sixprime.analysis.analyse.analyse", lambda *_, **__: analysed)
    export = ("export", "--sample", "--no-analysis", "--no-statistics", "-o", str(tmp_path / "a.txt"))
    for words in (("analyse", "--sample"), export):
        status, _, err = sixprime(*words)
        assert (status, err.count("a.mat: wrong")) == (0, min(number, 10))
        assert (f"{number - 10} more problems" in err) == (number > 10)
