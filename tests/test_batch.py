"""Many matches: what is kept and used again, reports, the index, processes, failures."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from contextlib import nullcontext
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from made_match import make_match

import sixprime as sp
from sixprime import batch, codec, formats
from sixprime.analysis.depth import Depth
from sixprime.analysis.foreign import sources
from sixprime.analysis.kept import own_analysis, with_analysis
from sixprime.analysis.model import AnalysedMatch
from sixprime.analysis.records import MatchRecord, players_of, record_of, trend_of, worst_of
from sixprime.analysis.statistics import total
from sixprime.errors import InvalidFileError
from sixprime.paths import sample_match
from sixprime.report import words
from sixprime.report.many import match_line, render_index, render_players, trend_chart

DATA = Path(__file__).parent / "data"
GNUBG = shutil.which("gnubg") or shutil.which("gnubg", path="/usr/games:/usr/local/games:/usr/local/bin")


@pytest.fixture
def short(tmp_path: Path) -> Path:
    """The first game of the sample."""
    text = sample_match().read_text(encoding="utf-8")
    path = tmp_path / "short.mat"
    path.write_text(text[: text.index(" Game 2")], encoding="utf-8")
    return path


def record(seed: int, names: tuple[str, str] = ("Ann", "Bob"), date: str = "", **more: object) -> MatchRecord:
    analysed = make_match(seed=seed, length=5, games=2, turns=6)
    made = record_of(analysed, f"m{seed}.mat", names, words.final_score(analysed.match), f"m {seed}.html")
    return replace(made, date=date, **more)  # type: ignore[arg-type]


# Kept analyses


def test_an_analysis_is_saved_and_used_again(sixprime, short: Path, tmp_path: Path) -> None:
    for suffix in (".sgf", ".sixprime"):
        target = tmp_path / f"kept{suffix}"
        first = sixprime("analyse", str(short), "--plies", "0", "--save", str(target), "--json")
        assert first.status == 0
        assert f"Analysis: {target}" in first.err
        written = target.read_bytes()
        again = sixprime("analyse", str(short), "--plies", "0", "--save", str(target), "--json")
        assert (again.status, target.read_bytes()) == (0, written)
        assert "Analysis:" not in again.err
        assert json.loads(again.out)["settings"] == "0-ply, Normal"
        prs = [[player["pr"] for player in json.loads(each.out)["players"]] for each in (first, again)]
        assert prs[0] == pytest.approx(prs[1], abs=1e-3)
        # What is kept is a file to analyse, too: deeper, or as it is.
        for arguments, settings in ((("--plies", "1"), "1-ply, Normal"), (("--theirs",), None)):
            found = sixprime("analyse", str(target), *arguments, "--json")
            assert found.status == 0
            answer = json.loads(found.out)
            assert settings in (answer["settings"], None)
            assert len(answer["decisions"]) == len(json.loads(first.out)["decisions"])
            assert answer["foreign"] == []


@pytest.mark.skipif(GNUBG is None, reason="GNU Backgammon is not installed")
def test_gnu_backgammon_reads_what_is_saved(sixprime, tmp_path: Path) -> None:
    """All its statistics are ours but the two that resignations after a roll make differ."""
    target = tmp_path / "m.sgf"
    answer = json.loads(sixprime("analyse", "--sample", "--plies", "0", "--save", str(target), "--json").out)
    assert GNUBG is not None
    done = subprocess.run(
        [GNUBG, "-t", "-q", "-r"], input=f'load match "{target}"\nshow statistics match\n', capture_output=True,
        text=True, timeout=60, env={"HOME": str(tmp_path), "LANG": "C"},
    )  # fmt: skip

    def row(label: str, section: str = "") -> list[float]:
        text = done.stdout[done.stdout.index(section) :] if section else done.stdout
        line = next(line for line in text.splitlines() if line.startswith(label))
        return [float(x) for x in re.findall(r"[-+]?\d+(?:\.\d+)?", line[41:])]

    first, second = answer["players"]
    assert row("Unforced moves") == [first["unforced_moves"], second["unforced_moves"]]
    assert row("Moves marked very bad") == [first["play_marks"][3], second["play_marks"][3]]
    for label, section, keys in (
        ("Error total", "Chequerplay", ("chequer_error_total", "chequer_error_mwc")),
        ("Error total", "Cube statistics", ("cube_error_total", "cube_error_mwc")),
        ("Error total", "Overall", ("error_total", "error_mwc")),
    ):
        expected = [
            scale * player[key] for player in answer["players"] for key, scale in zip(keys, (-1, -100), strict=True)
        ]
        assert row(label, section) == pytest.approx(expected, abs=2e-3)
    assert row("Error based abs. FIBS rating") == pytest.approx([first["fibs_rating"], second["fibs_rating"]], abs=0.2)
    faults = [player["faults"]["missed_below_cash"] for player in answer["players"]]
    found = row("Missed doubles below CP")
    assert [found[0], found[3]] == [fault["count"] for fault in faults]


def test_other_files_are_not_replaced(sixprime, short: Path, tmp_path: Path) -> None:
    def refused(target: Path, *words_: str) -> None:
        before = target.read_bytes()
        found = sixprime("analyse", str(short), "--plies", "0", "--save", str(target))
        assert found.status == 1
        assert all(word in found.err for word in words_)
        assert target.read_bytes() == before

    other = tmp_path / "other.sgf"
    shutil.copy(DATA / "sgf" / "edited.sgf", other)
    refused(other, "other.sgf", "holds another match")
    garbage = tmp_path / "garbage.sgf"
    garbage.write_text("no match at all")
    refused(garbage, "is no match")
    theirs = tmp_path / "theirs.sgf"
    shutil.copy(DATA / "sgf" / "analysed.sgf", theirs)
    before = theirs.read_bytes()
    found = sixprime("analyse", str(theirs), "--plies", "0", "--save", str(theirs))
    assert (found.status, theirs.read_bytes()) == (1, before)
    assert "holds the analysis of GNU Backgammon" in found.err


def test_packed_documents(tmp_path: Path) -> None:
    analysed = make_match(length=3, games=1, turns=4)
    plain, packed = tmp_path / "a.sixprime", tmp_path / "b.sixprime"
    codec.save(analysed, plain)
    codec.save(analysed, packed, packed=True)
    assert packed.stat().st_size < plain.stat().st_size / 4
    assert codec.load(plain, AnalysedMatch) == codec.load(packed, AnalysedMatch) == analysed
    data = packed.read_bytes()
    for damaged, words_ in ((data[:-20], "its end is missing"), (data[:40] + b"xxxx" + data[44:], "cannot be")):
        packed.write_bytes(damaged)
        with pytest.raises(InvalidFileError, match=words_):
            codec.load(packed, AnalysedMatch)


# The command


def test_their_analysis_alone(sixprime, monkeypatch: pytest.MonkeyPatch) -> None:
    def nobody(*_: object, **named: object) -> None:
        raise AssertionError

    monkeypatch.setattr("sixprime.cli._judging.make_engine", nobody)
    path = str(DATA / "sgf" / "analysed.sgf")
    found = sixprime("analyse", path, "--theirs", "--by", "gnu", "--json")
    assert found.status == 0
    assert json.loads(found.out)["settings"] == "GNU Backgammon 1.07.001"
    for arguments, words_ in (
        ((path, "--theirs", "--by", "snowie"), "no analysis by snowie; there are those of GNU Backgammon 1.07.001"),
        (("--sample", "--theirs"), "the file holds no analysis"),
    ):
        wrong = sixprime("analyse", *arguments)
        assert (wrong.status, wrong.out) == (1, "")
        assert words_ in wrong.err
    assert sixprime("analyse", path, "--by", "gnu").status == 2
    contradiction = sixprime("analyse", path, "--theirs", "--cube-plies", "2", "--again")
    assert (contradiction.status, contradiction.out) == (2, "")
    assert "--theirs judges nothing; leave out --cube-plies, --again" in contradiction.err


def test_settings_of_judging_do_not_stop_their_analysis(
    sixprime, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SIXPRIME_CONFIG", str(tmp_path))
    (tmp_path / "settings.toml").write_text('[analysis]\nplies = 0\nsecond = "expert"\n[engine]\nnet = "small"\n')
    for command in (("analyse",), ("export", "-o", str(tmp_path / "x.txt"))):
        assert sixprime(*command, str(DATA / "sgf" / "analysed.sgf"), "--theirs").status == 0


@pytest.mark.parametrize("suffix", [".sgf", ".sixprime"])
def test_the_analysis_of_another_program_is_kept_as_his(suffix: str, sixprime, tmp_path: Path) -> None:
    """Neither its name, nor its values, nor how deep it looked becomes ours; and it is not replaced by ours unasked."""
    path, kept, again = DATA / "sgf" / "analysed.sgf", tmp_path / f"kept{suffix}", tmp_path / "again.sgf"
    assert (
        sixprime("analyse", str(path), "--theirs", "--save", str(kept), "--html", str(tmp_path / "a.html")).status == 0
    )
    assert "Analysed by GNU Backgammon 1.07.001." in (tmp_path / "a.html").read_text()
    assert sixprime("convert", str(kept), str(again)).status == 0
    was, now = formats.read(path), formats.read(again)
    assert sources(was) == sources(now) == ["GNU Backgammon 1.07.001"]
    for game, same in zip(was.games, now.games, strict=True):
        assert [action.analyses for action in game.actions] == [action.analyses for action in same.actions]
    refused = sixprime("analyse", str(again), "--plies", "0", "--save", str(again))
    assert refused.status == 1
    assert "holds the analysis of GNU Backgammon" in refused.err


def test_disagreements_and_their_rating(sixprime) -> None:
    found = sixprime("analyse", str(DATA / "sgf" / "analysed.sgf"), "--plies", "0", "--disagreements")
    assert found.status == 0
    assert "PR, GNU Backgammon 1.07.001" in found.out
    assert re.search(r"Beside GNU Backgammon 1\.07\.001: \d+ disagreements of 0\.03 or more", found.out)


@pytest.mark.parametrize(
    ("arguments", "settings"),
    [
        (("--plies", "1", "--cube-plies", "0"), "plays 1-ply, Normal, cubes 0-ply"),
        (("--plies", "0", "--player2", "1,tiny"), "player 1: 0-ply, Normal; player 2: 1-ply, Tiny"),
        (("--plies", "0", "--player1", "off"), "player 1: not judged; player 2: 0-ply, Normal"),
    ],
)
def test_depths_of_the_command(sixprime, short: Path, arguments: tuple[str, ...], settings: str) -> None:
    answer = json.loads(sixprime("analyse", str(short), *arguments, "--json").out)
    assert answer["settings"] == settings


def test_a_second_look_and_marks(sixprime, short: Path) -> None:
    found = sixprime("analyse", str(short), "--plies", "0", "--second", "world class", "--marks", "galaxy")
    assert found.status == 0
    assert re.search(r"\d+ doubtful decisions judged again, 2-ply, Normal", " ".join(found.out.split()))
    assert "? loses 0.02 or more, ?? 0.08" in found.out
    for wrong in (("--second", "beginner"), ("--marks", "nobody"), ("--player1", "9")):
        assert sixprime("analyse", str(short), *wrong).status in (1, 2)


def test_an_interrupted_match_goes_on(sixprime, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C in the third game leaves two, which are not judged again."""
    from sixprime.engine import Engine

    ranked: list[int] = []
    rank = Engine.rank_plays_many
    stop_at: list[int] = [3]

    def counted(self: Engine, requests: list[object], **how: object) -> object:
        ranked.append(len(requests))
        if len(ranked) == stop_at[0]:
            raise KeyboardInterrupt
        return rank(self, requests, **{**how, "plies": 0})  # type: ignore[arg-type]

    monkeypatch.setattr(Engine, "rank_plays_many", counted)
    monkeypatch.setattr("sixprime.analysis.analyse._AT_ONCE", 1)
    cubes = Engine.cube_many
    monkeypatch.setattr(Engine, "cube_many", lambda self, asked, **how: cubes(self, asked, **{**how, "plies": 0}))
    target = tmp_path / "m.sgf"
    found = sixprime("analyse", "--sample", "--save", str(target))
    assert found.status == 1
    assert "ended early" in found.err
    assert "2 of 7 games judged so far." in found.out
    kept = own_analysis(sp.read(target))
    assert kept is not None
    assert (kept.finished, len(kept.games)) == (False, 2)
    before, stop_at[0] = len(ranked), -1
    assert sixprime("analyse", "--sample", "--save", str(target)).status == 0
    # The fake judges at 0-ply what was asked at 2: only whole games count as known, forced plays are asked about.
    assert len(ranked) - before == 7
    whole = own_analysis(sp.read(target))
    assert whole is not None
    assert (whole.finished, len(whole.games)) == (True, 7)


# Many matches


def matches_in(folder: Path, number: int, short: Path) -> list[Path]:
    """Copies of a game, each with other players."""
    folder.mkdir()
    paths = []
    for i in range(number):
        paths.append(folder / f"m{i}.mat")
        paths[-1].write_text(short.read_text(encoding="utf-8").replace("Maxence Job", f"Player {i}"), encoding="utf-8")
    return paths


def test_what_is_left_of_matches_is_counted_without_files_that_are_none(
    sixprime, short: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    matches_in(tmp_path / "in", 4, short)
    (tmp_path / "in" / "bad.mat").write_bytes(b"\x00\x01 nothing")

    class Interrupted:
        def run(self, tasks: Sequence[batch.Task]) -> Iterator[Future[batch.Done]]:
            first: Future[batch.Done] = Future()
            first.set_result(batch.Done(tasks[0], error="not judged"))
            yield first
            raise KeyboardInterrupt

    monkeypatch.setattr("sixprime.batch.pool", lambda processes, how: nullcontext(Interrupted()))
    found = sixprime("analyse", str(tmp_path / "in"), "--plies", "0", "--jobs", "2")
    assert found.status == 1
    assert found.err.splitlines()[-1] == "sixprime: ended early; 3 of the matches not analysed"


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_folder_of_matches(sixprime, short: Path, tmp_path: Path, jobs: str) -> None:
    folder, out = tmp_path / "in", tmp_path / "out"
    matches_in(folder, 4, short)
    (folder / "bad.mat").write_bytes(b"\x00\x01 nothing")
    command = ("analyse", str(folder), "--plies", "0", "--html", str(out), "--jobs", jobs)
    found = sixprime(*command)
    assert found.status == 1
    assert "bad.mat" in found.err
    assert "1 of the files and matches could not be analysed: bad.mat" in found.err
    lines = [line for line in found.out.splitlines() if line.startswith("m")]
    assert [line.split(":")[0] for line in lines] == ["m0.mat", "m1.mat", "m2.mat", "m3.mat"]
    assert "Kévin Unger" in found.out
    names = {path.name for path in out.iterdir()}
    assert names == {"index.html", *(f"m{i}{suffix}" for i in range(4) for suffix in (".html", ".sixprime"))}
    page = (out / "index.html").read_text(encoding="utf-8")
    links = re.findall(r'href="([^"#]+)', page)
    assert {link for link in links if not link.startswith("data:")} == {f"m{i}.html" for i in range(4)}
    assert "bad.mat" in page
    # Decisions lead to their place in the report.
    place = re.search(r'href="m0\.html#([^"]+)"', page)
    assert place is not None
    assert f'id="{place[1]}"' in (out / "m0.html").read_text(encoding="utf-8")
    if jobs == "2":
        return
    before = {path.name: path.stat().st_mtime_ns for path in out.iterdir() if path.name != "index.html"}
    again = sixprime(*command)
    assert again.out.count("done before") == 4
    assert {path.name: path.stat().st_mtime_ns for path in out.iterdir() if path.name != "index.html"} == before
    (out / "m2.html").unlink()
    third = sixprime(*command)
    assert (third.out.count("done before"), (out / "m2.html").exists()) == (3, True)


def test_the_library_counts_a_match_once(
    sixprime, short: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SIXPRIME_DATA", str(tmp_path / "data"))
    whole = sample_match().read_text(encoding="utf-8")
    paths = [tmp_path / f"m{i}.mat" for i in range(4)]
    for number, path in enumerate(paths):
        # The third goes on from the others.
        ends = whole.index(" Game 3" if number == 2 else " Game 2")
        path.write_text(f"{whole[:ends]}; {number}\n", encoding="utf-8")
    found = sixprime("library", "add", *map(str, paths), "--plies", "0", "--jobs", "1")
    assert found.status == 0
    (row,) = [line.split() for line in found.out.splitlines() if line.startswith("Kévin Unger   ")]
    assert row[2:4] == ["1", "0"]


def test_many_matches_are_shown_in_full_where_that_is_asked(sixprime, short: Path, tmp_path: Path) -> None:
    paths = matches_in(tmp_path / "in", 4, short)
    found = sixprime("analyse", *map(str, paths), "--plies", "0", "--statistics", "match")
    assert (found.status, found.out.count("Whole match")) == (0, 4)


def test_names_of_reports_do_not_collide_with_the_index(sixprime, short: Path, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    for name in ("index.mat", "b.mat"):
        shutil.copy(short, folder / name)
    assert sixprime("analyse", str(folder), "--plies", "0", "--html", str(tmp_path / "out")).status == 0
    pages = sorted(path.name for path in (tmp_path / "out").glob("*.html"))
    assert pages == ["b.html", "index-2.html", "index.html"]


class _Checker(HTMLParser):
    """Every tag that is opened is closed, in order."""

    EMPTY = frozenset({"meta", "path", "circle", "polygon", "polyline", "link", "br"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.scripts = 0

    def handle_starttag(self, tag: str, attributes: object) -> None:
        self.scripts += tag == "script"
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in self.EMPTY:
            assert self.open.pop() == tag


def test_the_index() -> None:
    records = [
        record(1, ("Ann <b>", "Bob"), "2024-03-01"),
        record(2, ("Bob", "ann  <B>"), "2024-01-01"),
        record(3, ("Ann <b>", "Cem"), "2024-02-01", finished=False),
        *(record(10 + i, (f"Extra {i}", "Bob"), f"2025-01-{i + 1:02}") for i in range(14)),
    ]
    page = render_index(records, [("x.mat", "x.mat: is no match"), ("y.mat", "gone & lost")])
    checker = _Checker()
    checker.feed(page)
    assert (checker.open, checker.scripts) == ([], 0)
    assert "Ann <b>" not in page
    assert "Ann &lt;b&gt;" in page
    assert 'href="m%201.html"' in page
    assert "default-src 'none'" in page
    assert "not finished" in page
    assert "<b>y.mat</b>: gone &amp; lost" in page
    assert "<svg" in page
    # Players beyond the first dozen have a row, and no section.
    assert len(re.findall(r'<section class="card" id="p\d', page)) == 12
    assert "Extra 13" in page
    assert render_index([]).count("<tr>") == 2


def test_players_over_matches() -> None:
    odd = record(3, ("Ann", "Cem"), "05/01/2025")
    records = [record(1, date="2024-03-01"), record(2, ("BOB", "Ann"), "2024-01-01"), odd, record(4, ("Ann", "Cem"))]
    players = {player.name: player for player in players_of(records)}
    assert set(players) == {"Ann", "BOB", "Cem"}
    # Those without a date that can be compared come last.
    assert players["Ann"].matches == ((1, 1), (0, 0), (2, 0), (3, 0))
    assert players["Ann"].statistics == total(records[i].statistics[side] for i, side in players["Ann"].matches)
    ended = [(r, s) for r, s in ((records[1], 0), (records[0], 1)) if max(r.score) >= 5]
    assert players["BOB"].won == sum(r.score[s] > r.score[1 - s] for r, s in ended)
    # Whoever leads a match that goes on has not won it; a money session ends at any score.
    for length, score, won in ((5, (3, 1), 0), (5, (1, 5), 0), (5, (6, 1), 1), (0, (3, 1), 1)):
        both = players_of([record(1, length=length, score=score)])
        assert {player.name: player.won for player in both}["Ann"] == won
    worst = worst_of(records, 5)
    losses = [blunder.error for _, blunder in worst]
    assert losses == sorted((b.error for r in records for b in r.worst), reverse=True)[:5]


def test_trends_forget_old_matches() -> None:
    own = replace(total(()), unforced_moves=500, chequer_error_total=10.0, error_squares=1.2)
    better = replace(own, chequer_error_total=5.0, error_squares=0.6)
    points = trend_of([own, better])
    assert [pr for pr, _, _ in points] == [10.0, 5.0]
    # After 500 decisions a match counts half: (10 + 2 * 5) / 3.
    assert points[1][1] == pytest.approx(20 / 3)
    assert points[0][2] == pytest.approx(1.96 * (own.pr_error or 0), rel=2e-3)
    assert trend_of([total(())]) == [(0.0, 0.0, None)]
    assert points[1][2] is not None
    assert points[1][2] < (points[0][2] or 0)


def test_trend_charts(tmp_path: Path) -> None:
    players = players_of([record(i, date=f"2024-01-{i:02}") for i in range(1, 9)])
    chart = trend_chart(players[0].trend, [f"m{i} <&>" for i in range(8)])
    assert chart.count("<circle") == 8
    assert "&lt;&amp;&gt;" in chart
    assert trend_chart(players[0].trend[:1], ["m"]) == ""


def test_lines_and_tables(capsys: pytest.CaptureFixture[str]) -> None:
    made = record(1)
    line = match_line(made)
    assert line.startswith("m1.mat: Ann ")
    assert match_line(replace(made, finished=False), changed=False).endswith(", not finished, done before")
    render_players([made, record(2, ("Cem", "Dee"))])
    out = capsys.readouterr().out
    assert all(name in out for name in ("Ann", "Bob", "Cem", "Dee"))


def test_a_cluster_hands_over_what_it_judged() -> None:
    """Nothing is asked again of a task whose analysis is ready."""
    analysed = make_match(length=5, games=1)
    task = batch.Task(analysed.match, "m.mat", ready=analysed)
    done = batch.do(task, batch.How(None, (Depth(), Depth())), None)  # type: ignore[arg-type]
    assert done.analysed is analysed
    assert done.error == ""


def test_saved_games_of_a_money_session(tmp_path: Path) -> None:
    analysed = make_match(length=0, games=2)
    batch.save_analysis(replace(analysed, depths=(Depth(), Depth()), judge="made"), tmp_path / "m.sgf")
    again = batch.read_kept(tmp_path / "m.sgf")
    assert [len(game.decisions) for game in again.games] == [len(game.decisions) for game in analysed.games]
    with pytest.raises(InvalidFileError, match="holds no analysis of ours"):
        batch.read_kept(DATA / "sgf" / "analysed.sgf")
    assert with_analysis(again).games[0].extras[-1][1].endswith("[made]")


def test_reports_in_a_folder_are_not_read_as_matches(sixprime, short: Path, tmp_path: Path) -> None:
    folder, out = tmp_path / "matches", tmp_path / "out"
    folder.mkdir()
    short.rename(folder / "short.mat")
    assert sixprime("analyse", str(folder), "--plies", "0", "--html", f"{out}/").status == 0
    assert {path.name for path in out.iterdir()} == {"short.html", "short.sixprime", "index.html"}
    again = sixprime("analyse", str(out), "--plies", "0")
    assert (again.status, "no match found" in again.err) == (0, False)
    (out / "other.html").write_text("no report")
    assert "other.html" in sixprime("analyse", str(out), "--plies", "0").err


def test_what_is_kept_is_read_with_the_table_it_was_judged_with(sixprime, tmp_path: Path) -> None:
    asked = ("analyse", "--sample", "--plies", "0", "--met", "woolsey", "--save", f"{tmp_path / 'a.sgf'}", "--json")
    first, second = (json.loads(sixprime(*asked).out) for _ in range(2))
    for one, other in zip(first["players"], second["players"], strict=True):
        assert other["error_mwc"] == pytest.approx(one["error_mwc"], abs=1e-4)


def test_sgf_that_says_the_same_is_not_written_again(sixprime, tmp_path: Path) -> None:
    both = ("--html", f"{tmp_path / 'h'}/", "--save", f"{tmp_path / 's'}/")
    for name in "ab":
        (tmp_path / f"{name}.mat").write_bytes(sample_match().read_bytes())
    asked = ("analyse", str(tmp_path / "a.mat"), str(tmp_path / "b.mat"), "--plies", "0", "--jobs", "1", *both)
    assert "Analysis: " in sixprime(*asked).err
    assert "Analysis: " not in sixprime(*asked).err
