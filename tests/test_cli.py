"""The `sixprime` command as users and scripts meet it."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import tomllib
from itertools import pairwise
from pathlib import Path
from typing import Any, NoReturn

import pytest
from places import COMPILING

from sixprime import AnalysedMatch, Engine, EngineError, Match, Position, SettingsError
from sixprime.analysis.analyse import analyse_many
from sixprime.bearoff import shelf
from sixprime.bearoff.hyper import hyper
from sixprime.cli import _COMMANDS
from sixprime.cli import analyse as analysing
from sixprime.cli.analyse import _place, _targets
from sixprime.cli.bench import measure
from sixprime.engine.executors import Threads
from sixprime.paths import sample_match
from sixprime.settings import make_engine

START = "4HPwATDgc/ABMA"
XGID = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:2:4:0:7:10"


@pytest.mark.parametrize("arguments", [(), ("--help",), ("--version",), *((name, "--help") for name in _COMMANDS)])
def test_help(sixprime, arguments: tuple[str, ...]) -> None:
    status, out, err = sixprime(*arguments)
    assert (status, err) == (0, "")
    assert out


def test_a_name_in_brackets_is_a_file(sixprime, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    whole = sample_match().read_bytes()
    for name in ("[2024].mat", "{a}.mat"):
        Path(name).write_bytes(whole[: whole.index(b" Game 2")])
        assert sixprime("analyse", name, "--plies", "0").status == 0
    assert "[1]" in sixprime("library", "find", "--match", "[1]").err


def test_every_parameter_is_explained(sixprime) -> None:
    for name in ("analyse", "eval", "hint", "rollout", "train", "bench", "calibrate", "doctor"):
        lines = sixprime(name, "--help").out.splitlines()
        options = [line for line in lines if line.startswith("│ --")]
        assert options
        assert all(len(option.split()) > 3 for option in options)


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["hnit"], "hint"),
        (["hint"], "needs ID"),
        (["hint", START], "carries no dice"),
        (["hint", START, "--dice", "77"], "two digits from 1 to 6"),
        (["hint", START, "--dice", "3"], "two digits from 1 to 6"),
        (["hint", "-", "--dice", "31"], "after the ID"),
        (["hint", START, "--dice", "31", "--filter", "wide"], "normal"),
        (["eval", START, "--plies", "-1"], ">= 0"),
        (["eval", START, "--plies", "two"], "two"),
        (["eval", START, "--plies", "9"], "plies"),
        (["eval", START, "--nosuch"], "--nosuch"),
        (["analyse"], "--sample"),
        (["analyse", "--nosuch", "x.mat"], "--nosuch"),
        (["analyse", "--sample", "--threads", "0"], ">= 1"),
        (["train", "runs"], "--recipe"),
        (["bearoff", "build", "three-sided"], "one-sided"),
        (["bearoff", "build", "15x40"], "1 to 18"),
        (["bearoff", "build", "two-sided", "15"], "such as 15x6"),
        (["bearoff", "build", "normal"], "needs a size"),
        (["bearoff", "build", "two-sided", "7x6", "8x6"], "at a time"),
        (["bearoff", "build", "--gnubg", "x.bd"], "one database"),
        (["bearoff", "export", "--to", "x.bd"], "name a database"),
    ],
)
def test_wrong_use_is_status_2_and_one_line(sixprime, arguments: list[str], hint: str) -> None:
    status, out, err = sixprime(*arguments)
    assert (status, out) == (2, "")
    assert hint in err
    assert err.startswith("sixprime: ")
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["eval", "4HPwATDgc/AB!A"], "'!'"),
        (["eval", "x"], "'x'"),
        (["eval", ""], "''"),
        (["eval", "XGID=-b----E-C---eE---c-e----B-:0:0:5:31:2:4:0:7:10"], "turn"),
        (["eval", "XGID=-b----E-C---eE---c-e----B-:1:-1:1:D:0:0:0:7:10"], "whose opponent owns the cube"),
        *(
            ([*words, "XGID=-b----E-C---eE---c-e----B-:1:-1:1:D:0:0:0:7:10"], "whose opponent owns the cube")
            for words in (["cube"], ["rollout"], ["map", "score"], ["map", "levels"], ["explain"])
        ),
        (["eval", "XGID=-b----E-C---eE---c-e----B-:0:0:1:B:0:0:0:7:10"], "there are no beavers in a match"),
        (["hint", "-b", "--dice", "31"], "'-b'"),
        (["hint", "nothing.mat"], "nothing.mat: there is no such file"),
        (["hint", "\N{SNOWMAN}" * 14, "--dice", "31"], "character"),
        (["analyse", "no such file.mat"], "no such file.mat"),
        (["analyse", str(Path(__file__).parents[1] / ".ci")], ".ci"),
        (["train", "runs", "--recipe", "no_such_recipe.toml"], "no_such_recipe.toml"),
        (["train", "no_such_run", "--resume"], "no_such_run"),
    ],
)
def test_what_cannot_be_done_is_status_1_and_one_line(sixprime, arguments: list[str], hint: str) -> None:
    status, out, err = sixprime(*arguments)
    assert (status, out) == (1, "")
    assert hint in err
    assert err.startswith("sixprime: ")
    assert err.count("\n") == 1


def test_internal_errors_show_no_traceback(sixprime, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError("oops")

    monkeypatch.setattr("sixprime.cli.judge.read_id", fail)
    status, out, err = sixprime("eval", START)
    assert (status, out) == (1, "")
    assert err == "sixprime: internal error, please report it: ZeroDivisionError: oops\n"


def test_too_little_memory_is_no_internal_error(sixprime, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise MemoryError("Unable to allocate 13.1 MiB")

    monkeypatch.setattr("sixprime.cli.judge.read_id", fail)
    said = "sixprime: there is not enough memory (Unable to allocate 13.1 MiB); fewer --threads need less\n"
    assert sixprime("eval", START) == (1, "", said)


def test_hint_json(sixprime) -> None:
    status, out, err = sixprime("hint", START, "--dice", "31", "--plies", "0", "--count", "16", "--json")
    assert (status, err) == (0, "")
    answer = json.loads(out)
    assert answer.keys() == {"position_id", "match_id", "dice", "plays"}
    assert answer["position_id"] == START
    assert answer["dice"] == [3, 1]
    assert len(answer["plays"]) == 16
    best = answer["plays"][0]
    assert best.keys() >= {"play", "position_id", "probabilities", "equity", "equity_loss", "plies"}
    assert (best["play"], best["position_id"], best["equity_loss"]) == ("8/5 6/5", "sGfwATDgc/ABMA", 0)
    assert len(best["probabilities"]) == 5
    losses = [play["equity_loss"] for play in answer["plays"]]
    assert losses == sorted(losses)


def test_hint_takes_dice_from_the_id_and_the_option_over_it(sixprime) -> None:
    assert json.loads(sixprime("hint", XGID, "--plies", "0", "--json").out)["dice"] == [3, 1]
    assert json.loads(sixprime("hint", XGID, "--dice", "6-5", "--plies", "0", "--json").out)["dice"] == [6, 5]


def test_hint_with_a_filter_of_ones_own(sixprime) -> None:
    """It may begin with a level that is skipped."""
    answer = json.loads(sixprime("hint", XGID, "--plies", "2", "--filter", "-/1+0@0", "--json").out)
    assert [play["plies"] for play in answer["plays"]][:3] == [2, 1, 1]


def test_hint_without_a_legal_play(sixprime) -> None:
    closed_out = "27YdAAD/PwAAQA"
    status, out, _ = sixprime("hint", closed_out, "--dice", "66", "--plies", "0", "--json")
    assert status == 0
    assert [play["play"] for play in json.loads(out)["plays"]] == [""]


def test_eval_json(sixprime) -> None:
    status, out, err = sixprime("eval", XGID, "--plies", "1", "--json")
    assert (status, err) == (0, "")
    answer = json.loads(out)
    keys = "position_id match_id class plies probabilities cubeless_equity cubeful_equity mwc effective_x cube"
    assert answer.keys() == set(keys.split())
    assert answer["cube"].keys() >= {"no_double", "double_take", "double_pass", "action"}
    assert (answer["position_id"], answer["class"], answer["plies"]) == (START, "contact", 1)
    assert 0 < answer["mwc"] < 1
    win, win_gammon, win_backgammon, lose_gammon, lose_backgammon = answer["probabilities"]
    cubeless = 2 * win - 1 + win_gammon - lose_gammon + win_backgammon - lose_backgammon
    assert answer["cubeless_equity"] == pytest.approx(cubeless, abs=1e-6)
    assert answer["cubeful_equity"] == answer["cube"]["no_double"]


@pytest.mark.parametrize(
    ("state", "why"),
    [
        (":0:0:1:00:2:6:1:7:10", "this is the Crawford game"),
        (":0:0:1:00:6:2:0:7:10", "Never double, take (dead cube)"),
        (":1:-1:1:00:0:0:0:0:10", "the opponent owns the cube"),
    ],
)
def test_why_the_cube_cannot_be_turned(sixprime, state: str, why: str) -> None:
    xgid = XGID.partition(":")[0] + state
    assert f"\nCube: {why}\n" in sixprime("cube", xgid, "--plies", "0").out
    told = json.loads(sixprime("eval", xgid, "--plies", "0", "--json").out)["cube"]
    assert (told["available"], told["action"]) == (False, why)


def test_a_beaver_on_offer(sixprime) -> None:
    beaver, raccoon = (XGID.partition(":")[0] + f":0:0:1:{letter}:0:0:3:0:10" for letter in "BR")
    out = sixprime("eval", beaver, "--plies", "0").out
    assert "centred, beavered to 4\n" in out
    assert "X answers the beaver: Take\nWorth to X: take -" in out
    assert "Before the double:\nCube action" in out
    assert "O answers the raccoon: Raccoon\n" in sixprime("eval", raccoon, "--plies", "0").out
    told = json.loads(sixprime("eval", beaver, "--plies", "0", "--json").out)
    best, again, passed = told["answers"]
    assert (best["answer"], passed, again["answer"]) == ("Take", {"answer": "Pass", "equity": -2.0}, "Raccoon")
    assert again["equity"] == 2 * best["equity"] == 4 * told["cube"]["double_take"]
    doubled = json.loads(sixprime("eval", beaver.replace(":B:", ":D:"), "--plies", "0", "--json").out)
    assert "answers" not in doubled


def test_eval_agrees_with_the_engine(sixprime) -> None:
    from sixprime import Engine, parse

    answer = json.loads(sixprime("eval", XGID, "--plies", "1", "--json").out)
    position, state, _ = parse(XGID)
    evaluation = Engine().evaluate(position, match=state, plies=1)
    assert answer["probabilities"] == pytest.approx(evaluation.probabilities, abs=1e-6)
    assert answer["cubeful_equity"] == pytest.approx(evaluation.cubeful_equity, abs=1e-6)
    assert answer["mwc"] == pytest.approx(evaluation.mwc, abs=1e-6)


def test_text_output(sixprime) -> None:
    assert "8/5 6/5" in sixprime("hint", START, "--dice", "31", "--plies", "0").out
    assert "No double" in sixprime("eval", START, "--plies", "0").out


def test_batches_answer_every_line_in_order(run_with_input) -> None:
    lines = [f"{START} 31", "", "nonsense", f"{START} 65", f"{START}", XGID, f"{XGID} 66", f"{START} 88"]
    result = run_with_input(["hint", "-", "--plies", "0", "--count", "1"], "\n".join(lines).encode())
    answers = [json.loads(line) for line in result.stdout.splitlines()]
    assert [answer.get("dice") for answer in answers] == [[3, 1], None, [6, 5], None, [3, 1], [6, 6], None]
    assert [answer["input"] for answer in answers if "error" in answer] == ["nonsense", START, f"{START} 88"]
    assert result.returncode == 1
    assert result.stderr == 'sixprime: 3 of the lines could not be answered; see their "error"\n'


def test_a_position_the_engine_refuses_costs_only_its_own_line(run_with_input) -> None:
    far = "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:300:10"
    both_off = "AAAAAAAAAAAAAA"
    lines = f"{START}\n{both_off}\n{far}\n{XGID}\n\xff\n".encode("latin-1")
    result = run_with_input(["eval", "-", "--plies", "0"], lines)
    answers = [json.loads(line) for line in result.stdout.splitlines()]
    assert ["error" in answer for answer in answers] == [False, True, True, False, True]
    assert result.returncode == 1
    assert "Traceback" not in result.stderr


def test_batch_equals_one_by_one(run_with_input, sixprime) -> None:
    result = run_with_input(["eval", "-", "--plies", "1"], f"{XGID}\n{START}\n".encode())
    assert result.returncode == 0
    first, second = result.stdout.splitlines()
    assert json.loads(first) == json.loads(sixprime("eval", XGID, "--plies", "1", "--json").out)
    assert json.loads(second) == json.loads(sixprime("eval", START, "--plies", "1", "--json").out)


def test_a_line_without_end(run_with_input) -> None:
    result = run_with_input(["eval", "-", "--plies", "0"], f"{START}\n".encode() + bytes(1 << 20))
    assert json.loads(result.stdout)["position_id"] == START
    assert (result.returncode, result.stderr) == (1, "sixprime: standard input: a line is longer than 65536 bytes\n")


def test_empty_input(run_with_input) -> None:
    result = run_with_input(["eval", "-", "--plies", "0"], b"\n\n")
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


@pytest.mark.parametrize(("text", "status"), [(f"{START}\n", 0), (f"{START}\nM\xfcll\n", 1)])
def test_a_process_of_its_own_says_the_same(sixprime, text: str, status: int) -> None:
    arguments, stdin = ("eval", "-", "--plies", "0"), text.encode("latin-1")
    here = sixprime(*arguments, stdin=stdin)
    there = subprocess.run([sys.executable, "-m", "sixprime", *arguments], input=stdin, capture_output=True)
    assert here.status == status
    assert (there.returncode, there.stdout.decode(), there.stderr.decode()) == here


@pytest.fixture
def talk():
    """A running `sixprime eval -` that has answered one line."""
    command = [sys.executable, "-m", "sixprime", "eval", "-", "--plies", "0"]
    pipe = subprocess.PIPE
    # Where the tests run in the background, SIGINT may be ignored, here and by what is started from here.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe) as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write(f"{START}\n".encode())
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["position_id"] == START
        yield process
        process.kill()
    signal.signal(signal.SIGINT, before)


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT to a child")
def test_interrupt(talk: subprocess.Popen[bytes]) -> None:
    talk.send_signal(signal.SIGINT)
    out, err = talk.communicate(timeout=60)
    assert (talk.returncode, out) == (1, b"")
    assert err.decode().replace(COMPILING, "") == "sixprime: interrupted\n"


@pytest.mark.skipif(sys.platform == "win32", reason="pipes differ")
def test_broken_pipe(talk: subprocess.Popen[bytes]) -> None:
    assert talk.stdout
    assert talk.stderr
    talk.stdout.close()
    talk.stdout = None
    _, err = talk.communicate(f"{START}\n".encode() * 500, timeout=60)
    assert (talk.returncode, err.decode().replace(COMPILING, "")) == (1, "")


def test_analyse_reproducibly_with_own_templates(sixprime, tmp_path: Path) -> None:
    (tmp_path / "match.css").write_text("body{color:red}")
    pages = []
    for name in ("one", "two"):
        report = tmp_path / f"{name}.html"
        options = ("--reproducible", "--templates", str(tmp_path), "--html", str(report))
        status, out, _ = sixprime("analyse", "--sample", "--plies", "0", "--json", *options)
        assert (status, json.loads(out)["seconds"]) == (0, 0)
        pages.append(report.read_bytes())
    assert pages[0] == pages[1]
    assert b"<style>body{color:red}" in pages[0]
    status, _, err = sixprime("analyse", "--sample", "--html", str(report), "--templates", str(tmp_path / "none"))
    assert status == 2
    assert err == f"sixprime: {tmp_path / 'none'} is no folder of templates\n"


def test_analyse_json_and_html(sixprime, tmp_path: Path) -> None:
    report = tmp_path / "report.html"
    status, out, err = sixprime("analyse", "--sample", "--plies", "0", "--json", "--html", str(report))
    assert status == 0
    assert "Traceback" not in err
    answer = json.loads(out)
    assert answer["length"] == 7
    assert {player["name"] for player in answer["players"]} == {"Kévin Unger", "Maxence Job"}
    keys = "name unforced_moves chequer_error_total cube_decisions cube_error_total error_per_decision pr luck_total"
    assert all(player.keys() >= {*keys.split(), "rating"} for player in answer["players"])
    assert len(answer["decisions"]) > 200
    assert report.read_text(encoding="utf-8").lstrip().lower().startswith("<!doctype html>")


def test_analyse_summary(sixprime) -> None:
    status, out, _ = sixprime("analyze", "--sample", "--plies", "0")
    assert status == 0
    assert "Kévin Unger" in out
    assert "PR" in out


def test_analyse_with_another_table_and_cube_model(sixprime) -> None:
    arguments = ["analyse", "--sample", "--plies", "0"]
    status, out, _ = sixprime(*arguments, "--met", "jac100", "--cube-model", "dead", "--json")
    answer = json.loads(out)
    assert (status, answer["length"]) == (0, 7)
    assert answer["settings"].startswith("0-ply, Normal, match equities Jacobs & Trice")
    assert answer["settings"].endswith(", cube model dead")
    for option in ("--met", "--cube-model"):
        status, out, err = sixprime(*arguments, option, "nosuch")
        assert (status, out) == (2, "")
        assert "nosuch" in err


def test_analyse_goes_on_after_an_unreadable_file(sixprime, tmp_path: Path) -> None:
    bad = tmp_path / "bad.mat"
    bad.write_bytes(b"\x00\x01\x02 nothing of the kind")
    folder = tmp_path / "reports"
    status, out, err = sixprime("analyse", str(bad), "--sample", "--plies", "0", "--json", "-o", str(folder))
    assert status == 1
    assert "bad.mat" in err
    assert json.loads(out)["length"] == 7
    assert [path.name for path in folder.iterdir()] == ["sample.html"]


def test_on_a_cluster_matches_are_judged_together(sixprime, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that cannot be judged costs nobody else anything."""
    text = sample_match().read_text(encoding="utf-8")
    first = text[: text.index(" Game 2")]
    files = [tmp_path / name for name in ("a.mat", "b.mat", "c.mat")]
    for file, length in zip(files, ("7", "200", "5"), strict=True):
        file.write_text(first.replace("\n7 point match", f"\n{length} point match"), encoding="utf-8")

    def answers(*arguments: str) -> tuple[int, list[dict[str, object]], str]:
        status, out, err = sixprime("analyse", *arguments, "--plies", "0", "--json")
        return status, [json.loads(line) | {"seconds": 0} for line in out.splitlines()], err

    alone = answers(*map(str, files))
    assert (alone[0], len(alone[1])) == (1, 2)
    assert "b.mat" in alone[2]

    batches: list[int] = []
    judge = analysing._judge_together

    def together(matches, *rest):
        batches.append(len(matches))
        return judge(matches, *rest)

    monkeypatch.setattr(analysing, "_judge_together", together)
    monkeypatch.setattr("sixprime.engine.engine.open_executor", lambda executor: Threads(1, None))
    assert answers(*map(str, files), "--executor", "dask://host:1") == alone
    assert answers(str(files[0]), str(files[2]), "--executor", "dask://host:1") == (0, alone[1], "")
    assert batches == [3, 2]


def test_analyse_standard_input(run_with_input, tmp_path: Path) -> None:
    data = sample_match().read_bytes()
    arguments = ["analyse", "-", "--plies", "0", "--filter", "tiny", "--json", "--html", str(tmp_path / "reports")]
    result = run_with_input(arguments, data + b"\n" + data)
    assert result.returncode == 0
    assert [len(json.loads(line)["games"]) for line in result.stdout.splitlines()] == [7, 7]
    names = sorted(path.name for path in (tmp_path / "reports").iterdir() if path.suffix == ".html")
    assert names == ["index.html", "match-2.html", "match.html"]


def test_reports_of_several_matches_get_names_of_their_own(tmp_path: Path) -> None:
    sources = [Path("a/x.mat"), Path("b/x.mat"), Path("y.mat")]
    assert _targets(sources, None) == [None] * 3
    folder = tmp_path / "new"
    assert _targets(sources, _place(str(folder))) == [folder / name for name in ("x.html", "x-2.html", "y.html")]
    assert _targets(sources[:1], _place(str(folder))) == [folder / "x.html"]
    assert _targets(sources[:1], _place(str(folder / "sub" / "a.html"))) == [folder / "sub" / "a.html"]
    assert not folder.exists()


def test_bench_json(sixprime) -> None:
    status, out, _ = sixprime("bench", "--json", "--seconds", "0.01", "--threads", "1")
    assert status == 0
    speeds = json.loads(out)
    assert list(speeds) == [
        "plays_per_second",
        "evaluations_per_second",
        "plays_judged_per_second",
        "decisions_0ply_per_second",
        "positions_2ply_per_second",
        "rollout_games_per_second",
        "threads",
    ]
    assert speeds["threads"] == 1
    assert all(value is None or value > 0 for value in speeds.values())


def test_only_the_speeds_that_are_wanted_are_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    from sixprime import Engine

    monkeypatch.setattr("sixprime.cli.bench.GAMES", 64)
    speeds = measure(Engine(threads=1), 1e-3, {"evaluations_per_second"})
    assert list(speeds) == ["evaluations_per_second", "threads"]


def test_doctor(sixprime) -> None:
    status, out, _ = sixprime("doctor", "--json")
    answer = json.loads(out)
    assert (status, answer["problems"]) == (0, {})
    assert answer.keys() >= {"versions", "folders", "net", "bearoff", "threads", "speed", "signature"}
    wanted = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert answer["versions"].keys() >= {name.partition(">")[0] for name in wanted["dependencies"]}


def test_doctor_names_what_is_wrong(sixprime, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("sixprime.engine.engine.DEFAULT", tmp_path / "missing.safetensors")
    status, out, _ = sixprime("doctor", "--json")
    assert status == 1
    assert "missing.safetensors" in json.loads(out)["problems"]["net"]


def test_a_folder_that_cannot_be_written(run_with_input, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("SIXPRIME_DATA", str(tmp_path / "file" / "folder"))
    monkeypatch.setattr(shelf, "_opened", {})
    result = run_with_input(["eval", START, "--plies", "0"])
    assert result.returncode == 2
    assert "SIXPRIME_DATA" in result.stderr
    assert result.stderr.count("\n") == 1


def test_sample_match_ships() -> None:
    assert sample_match().stat().st_size > 10_000


def test_another_net_and_cube_model(sixprime) -> None:
    def equity(*arguments: str) -> float:
        found = json.loads(sixprime(*arguments, "--json").out)
        return found["alternatives"][0]["equity"] if "alternatives" in found else found["cubeful_equity"]

    rolled = "rollout", START, "--trials", "36", "--truncate", "4"
    for command, option, value in (
        (("eval", START, "--plies", "0"), "--net", "small"),
        (rolled, "--net", "small"),
        (rolled, "--cube-model", "jump"),
    ):
        assert 0 < abs(equity(*command) - equity(*command, option, value)) < 0.1
    status, _, err = sixprime("hint", START, "31", "--net", "nobody")
    assert status == 1
    assert "the package has the nets small, standard" in err


def here(*arguments: Any, executor: str | None, **named: Any) -> Engine:
    """`make_engine` without the cluster."""
    assert executor == "dask://somewhere:8786"
    return make_engine(*arguments, executor=None, **named)


@pytest.mark.parametrize("refused", [False, True])
def test_matches_for_a_cluster_are_judged_together(sixprime, monkeypatch: pytest.MonkeyPatch, refused: bool) -> None:
    """As many as fit in a batch; each alone where the batch is refused; the same answers either way."""
    names = ("galaxy_losses.txt", "studio_hidden.txt", "galaxy_empty_name.txt")
    files = [str(Path(__file__).parent / "data" / "mat" / name) for name in names]
    alone = sixprime("analyse", *files, "--plies", "0", "--json")
    batches: list[int] = []

    def together(matches: list[Match], *arguments: Any, **named: Any) -> list[AnalysedMatch]:
        batches.append(len(matches))
        if refused and len(matches) > 1:
            raise SettingsError("one of them cannot be judged")
        return analyse_many(matches, *arguments, **named)

    monkeypatch.setattr("sixprime.cli._judging.make_engine", here)
    monkeypatch.setattr("sixprime.cli.analyse._TOGETHER", 2)
    monkeypatch.setattr("sixprime.analysis.analyse.analyse_many", together)
    found = sixprime("analyse", *files, "--plies", "0", "--json", "--executor", "dask://somewhere:8786")
    assert (found.status, len(found.out.splitlines())) == (alone.status, 3)
    assert [without_time(line) for line in found.out.splitlines()] == [
        without_time(line) for line in alone.out.splitlines()
    ]
    # Judged alone, a match is a batch of one.
    assert batches == ([2, 1, 1, 1] if refused else [2, 1])


def without_time(line: str) -> dict[str, Any]:
    return {key: value for key, value in json.loads(line).items() if key != "seconds"}


def test_a_cluster_that_fails_is_not_asked_again_for_each_match(sixprime, monkeypatch: pytest.MonkeyPatch) -> None:
    def lost(*_: Any, **named: Any) -> NoReturn:
        raise EngineError("the cluster is gone")

    monkeypatch.setattr("sixprime.cli._judging.make_engine", here)
    monkeypatch.setattr("sixprime.analysis.analyse.analyse_many", lost)
    status, out, err = sixprime("analyse", "--sample", "--plies", "0", "--executor", "dask://somewhere:8786")
    assert (status, out) == (1, "")
    assert err.count("the cluster is gone") == 1


def test_lines_break_between_what_they_tell(sixprime, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    out = sixprime("eval", XGID.replace(":31:", ":00:"), "--plies", "0").out
    told, how = next((a, b) for a, b in pairwise(out.splitlines()) if a.startswith("Cubeless"))
    assert re.fullmatch(r"Cubeless \S+   cubeful \S+   MWC \S+%", told)
    assert re.fullmatch(r"0-ply, contact, effective x \d\.\d\d", how)
    assert "effective x 0.00\n" in sixprime("eval", "4HPMwQCMz+AIIQ", "--plies", "0", "--cube-model", "dead").out
    out = sixprime("rollout", START, "--initial", "--trials", "36", "--truncate", "3").out
    assert out.splitlines()[-1] == "from the opening roll, seed 1"


def test_cube_theory_of_hypergammon(sixprime) -> None:
    told = json.loads(sixprime("cube", "AACAAAAAAgAAAA", "--chequers", "2", "--plies", "0", "--json").out)
    assert told["class"] == "hypergammon"
    assert told["no_double"] == pytest.approx(hyper(2).value(Position.from_id("AACAAAAAAgAAAA", 2)).centred_jacoby)
    rolls = sixprime("map", "temperature", "AACAAAAAAgAAAA", "--chequers", "2", "--plies", "0", "--json").out
    assert len(json.loads(rolls)["maps"][0]["rolls"]) == 21
