"""What the server of `sixprime web` does for reports, transcripts, the library and learning."""

from __future__ import annotations

import gzip
import json
import os
import threading
import zipfile
from base64 import b64decode
from collections.abc import Iterator
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette")
pytest.importorskip("httpx2")

from starlette.testclient import TestClient

from sixprime import analyse, formats
from sixprime.errors import RulesError
from sixprime.game import Play, Position
from sixprime.game.play import play_as_made
from sixprime.game.record import Match
from sixprime.web import transcripts
from sixprime.web.app import create_app
from sixprime.web.archive import Archive, NotThere
from sixprime.web.house import House
from sixprime.web.operations import API

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")
HOME = "http://127.0.0.1:8640"
MATCH = """ 3 point match

 Game 1
 Ann : 0                          Bob : 0
  1) 31: 8/5 6/5                  64: 24/18 13/9
  2) 65: 13/2                     52: 13/8 13/11
  3)  Doubles => 2                 Takes
  4) 21: 6/4 24/23                 42: 8/4 6/4
  5)  Resigns
"""
START = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:7:10"


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    monkeypatch.setenv("SIXPRIME_DATA", str(tmp_path / "data"))
    made = House(folder=tmp_path, threads=1)
    yield made
    made.close()


@pytest.fixture
def ask(house: House) -> Iterator[TestClient]:
    with TestClient(create_app(house), base_url=HOME) as client:
        yield client


@pytest.fixture
def key(house: House) -> str:
    return house.reports.known(analyse(formats.read_text(MATCH, "match.mat"), house.engine, plies=0)).key


def asked(client: TestClient, path: str, status: int = 200, **body: Any) -> Any:
    answer = client.post(f"{API}{path}", json=body) if body else client.get(f"{API}{path}")
    assert answer.status_code == status, answer.text
    return answer.json()


def events(client: TestClient, path: str, *, headers: dict[str, str] | None = None) -> list[dict[str, Any]]:
    lines = client.get(f"{API}{path}", headers=headers).text.splitlines()
    return [json.loads(line[6:]) for line in lines if line.startswith("data: ")]


# Reports


def test_a_closer_look_is_kept_in_the_report(ask: TestClient, house: House, key: str) -> None:
    decisions = asked(ask, f"/reports/{key}/decisions")["decisions"]
    play = next(each for each in decisions if each["kind"] == "play" and each["looks"])
    where = f"/reports/{key}/closer?game=0&action={play['action']}&kind=play"
    found = events(ask, f"{where}&plies=1")
    assert [each["kind"] for each in found] == ["plays", "end"]
    assert found[0]["plays"][0]["plies"] == 1
    judged = house.reports.get(key).analysed
    assert judged is not None
    assert judged.decisions[0].plays[0].plies == 1
    rolled = events(ask, f"{where}&trials=72")
    assert [each.get("done") for each in rolled] == [36, 72, None]
    judged = house.reports.get(key).analysed
    assert judged is not None
    assert judged.decisions[0].plays[0].trials == 72
    double = next(each for each in decisions if each["kind"] == "double" and each["action"] == 4)
    cube = events(ask, f"/reports/{key}/closer?game=0&action={double['action']}&kind=double&trials=36")
    assert [row[0] for row in cube[0]["rows"]] == ["No double", "Double, take", "Double, pass"]
    for wrong in ("game=7", "action=1&kind=nothing", "game=x"):
        assert ask.get(f"{API}/reports/{key}/closer?{wrong}").status_code == 400


def test_the_latest_reports_are_listed(ask: TestClient, key: str) -> None:
    (listed,) = asked(ask, "/reports")["reports"]
    assert listed.pop("when")[:2] == "20"
    assert listed.pop("unnamed") is None
    assert listed == {"key": key, "names": ["Ann", "Bob"], "length": 3, "games": 1, "state": "ready"}


def again(house: House, folder: Path) -> House:
    """The server after a restart."""
    house.close()
    return House(folder=folder, threads=1)


def test_reports_outlive_the_server(ask: TestClient, house: House, key: str, tmp_path: Path) -> None:
    asked(ask, f"/reports/{key}/comments", game=0, action=1, text="An idea")
    begun = house.reports.analyse(formats.read_text(MATCH.replace("Ann", "Cem")))
    begun.close()
    other = again(house, tmp_path)
    assert [(each.names[0], each.state) for each in other.reports.listed()] in (
        [("Cem", "stopped"), ("Ann", "ready")],
        [("Ann", "ready"), ("Cem", "stopped")],
    )
    found = other.reports.get(key)
    assert found.analysed is not None
    assert found.match.games[0].actions[1].comment == "An idea"
    assert "An idea" in found.page()
    # What was not finished is begun again by whoever looks at it.
    waiting = other.reports.get(begun.key)
    done = threading.Event()
    other.reports.follow(waiting, lambda: waiting.told.state == "ready" and done.set())
    assert done.wait(100)
    # What is removed is gone, whoever had it.
    other.reports.remove(key)
    with pytest.raises(NotThere):
        other.reports.get(key)
    last = again(other, tmp_path)
    assert [(each.names[0], each.state) for each in last.reports.listed()] == [("Cem", "ready")]
    last.close()


def test_what_a_closer_look_found_outlives_the_server(ask: TestClient, house: House, key: str, tmp_path: Path) -> None:
    play = next(each for each in asked(ask, f"/reports/{key}/decisions")["decisions"] if each["looks"])
    events(ask, f"/reports/{key}/closer?game=0&action={play['action']}&kind={play['kind']}&trials=72")
    other = again(house, tmp_path)
    analysed = other.reports.get(key).analysed
    assert analysed is not None
    assert max(each.trials for each in analysed.decisions[0].plays) == 72
    other.close()


def test_rollouts_outlive_the_server(ask: TestClient, house: House, tmp_path: Path) -> None:
    id = START.replace("=", "%3D")
    first = events(ask, f"/analysis?id={id}&plies=0&trials=72&count=2")
    assert [each["rollout"]["trials"] for each in first if each["kind"] == "rollout"] == [36, 72]
    (kept,) = asked(ask, "/results")["rollouts"]
    assert (kept["kind"], kept["trials"], kept["xgid"]) == ("plays", 72, START)
    assert (kept["dice"], kept["best"]) == ("31", "8/5 6/5")
    other = again(house, tmp_path)
    with TestClient(create_app(other), base_url=HOME) as client:
        second = events(client, f"/analysis?id={id}&plies=0&trials=72&count=2")
        assert [each["rollout"] for each in second if each["kind"] == "rollout"] == [first[-2]["rollout"]]
        assert asked(client, "/results/remove", kind="rollout", key=kept["key"])["rollouts"] == []
        # A page that has seen more than is kept is told of nothing that is less.
        told = {"last-event-id": "r108"}
        more = events(client, f"/analysis?id={id}&plies=0&trials=144&count=2", headers=told)
        assert [each["rollout"]["trials"] for each in more if each["kind"] == "rollout"] == [144]
        assert asked(client, "/results/remove", kind="rollout", key=kept["key"])["rollouts"] == []
        third = events(client, f"/analysis?id={id}&plies=0&trials=36&count=2")
        assert [each["rollout"]["trials"] for each in third if each["kind"] == "rollout"] == [36]
    other.close()


@pytest.mark.parametrize("dice", ["31", "00"])
def test_a_rollout_goes_into_the_text_for_forums(ask: TestClient, dice: str) -> None:
    xgid = START.replace(":31:", f":{dice}:").replace(":7:10", ":5:10")
    read = ask.post(f"{API}/positions", json={"text": xgid}).json()

    def text() -> str:
        return str(ask.post(f"{API}/positions/text", json={"board": read["board"], "form": "xg"}).json()["text"])

    assert "ollout" not in text()
    ask.get(f"{API}/analysis", params={"id": read["xgid"], "plies": "0", "trials": "36"})
    assert "Rollout" in text()


def test_results_are_removed(ask: TestClient, key: str) -> None:
    asked(ask, "/quiz/cards", book="opening")
    card = asked(ask, "/quiz/next", new=5)["card"]
    asked(ask, "/quiz/answer", id=card["id"], text="")
    asked(ask, "/drills/answer", kind="pips", seed=1, number=1, text="1 2")
    told = asked(ask, "/results")
    assert (len(told["reports"]), told["answers"], told["attempts"]) == (1, 1, 1)
    for kind in ("quiz", "drills", "report"):
        told = asked(ask, "/results/remove", kind=kind, key=key)
    assert told == {"reports": [], "rollouts": [], "variations": [], "answers": 0, "attempts": 0}
    assert asked(ask, "/quiz")["cards"] == 0
    assert ask.get(f"/reports/{key}").status_code == 404
    asked(ask, "/results/remove", kind="report", key="../../../etc/passwd")
    asked(ask, "/results/remove", 400, kind="library", key=key)


def tree_of(client: TestClient, key: str = "k" * 24, **more: Any) -> dict[str, Any]:
    board = asked(client, "/positions", text=START)["board"]
    after = asked(client, "/positions/after", board=board, do="play", play="8/5 6/5")
    nodes = [
        {"parent": -1, "label": "Position", "xgid": START, "board": board, "comment": "Before"},
        {"parent": 0, "label": "31: 8/5 6/5", "xgid": after["xgid"], "board": after["board"], "comment": ""},
        {"parent": 1, "label": "Double", "xgid": after["xgid"], "board": after["board"], "comment": "Too early"},
    ]
    return {"key": key, "nodes": nodes, **more}


def test_variations_outlive_the_server(ask: TestClient, house: House, tmp_path: Path) -> None:
    tree = tree_of(ask, here=2)
    assert asked(ask, "/variations", **tree) == {"key": tree["key"], "version": 1}
    other = again(house, tmp_path)
    with TestClient(create_app(other), base_url=HOME) as client:
        (listed,) = asked(client, "/variations")["trees"]
        assert (listed["xgid"], listed["title"], listed["number"]) == (START, "31: 8/5 6/5", 2)
        assert asked(client, f"/variations/{tree['key']}") == {**tree, "version": 1}
        # What another window has not seen is not lost to it.
        refused = asked(client, "/variations", 409, **tree)
        assert "elsewhere" in refused["error"]["message"]
        assert asked(client, "/variations", **tree | {"version": 1, "here": 0})["version"] == 2
        # Of a tree without variations and comments nothing is kept.
        bare = tree | {"version": 2, "here": 0, "nodes": [tree["nodes"][0] | {"comment": " "}]}
        assert asked(client, "/variations", **bare)["version"] == 0
        assert asked(client, "/results")["variations"] == []
        asked(client, f"/variations/{tree['key']}", 404)
    other.close()


def test_what_is_kept_says_how_many_chequers_there_are(ask: TestClient) -> None:
    id = "XGID=-aaa------------------AAA-:0:0:1:31:0:0:0:7:10"
    board = asked(ask, "/positions", text=id, chequers=3)["board"]
    root = {"parent": -1, "label": "Position", "xgid": id, "board": board, "comment": "three"}
    asked(ask, "/variations", key="k" * 24, nodes=[root])
    assert asked(ask, "/variations")["trees"][0]["chequers"] == 3
    assert "12 off" not in ask.get(f"{API}/pictures/board.svg", params={"id": id, "chequers": 3}).text


def test_variations_are_written_for_forums(ask: TestClient) -> None:
    text = asked(ask, "/variations/text", **tree_of(ask))["text"]
    assert text.count("Pip count") == 3
    assert text.startswith("Position\n\nBefore\n\nXGID=")
    assert "\n\n1. 31: 8/5 6/5\n\nXGID=" in text
    assert "\n\n1.1. Double\n\nToo early\n\nXGID=" in text


@pytest.mark.parametrize(
    "change", [{"parent": 2}, {"parent": -1}, {"label": "x" * 300}, {"board": None}, {"comment": "x" * 10_001}]
)
def test_what_is_no_tree_is_refused(ask: TestClient, change: dict[str, Any]) -> None:
    tree = tree_of(ask)
    tree["nodes"][1] |= change
    asked(ask, "/variations", 400, **tree)
    asked(ask, "/variations", 400, **tree_of(ask, key="../../../../etc/a/passwd"))
    asked(ask, "/variations", 400, **tree_of(ask, here=3))


def test_an_archive_keeps_the_latest_in_its_room(tmp_path: Path) -> None:
    archive = Archive(tmp_path / "kept", ".x", str, most=3, room=100)
    for number in range(5):
        archive.put(f"number-{number}", b"x" * 10, f"about {number}")
        os.utime(archive.place(f"number-{number}"), (number, number))
    assert [(each.key, each.about, each.size) for each in archive.entries()] == [
        (f"number-{number}", f"about {number}", 10) for number in (4, 3, 2)
    ]
    # The latest stays even where it is too large.
    archive.put("number-5", b"x" * 200, "large")
    assert [each.key for each in archive.entries()] == ["number-5"]
    (tmp_path / "kept" / "number-6.x").write_bytes(b"no word of what it is")
    assert [each.key for each in archive.entries()] == ["number-5"]
    for key in ("../kept/number-5", "none", "number-7"):
        with pytest.raises(FileNotFoundError):
            archive.place(key)
        archive.remove(key)
    assert archive.place("number-5").stat().st_size == 200
    # It is for nobody else.
    assert archive.folder.stat().st_mode & 0o077 == 0


def test_a_match_of_the_library_has_one_report(ask: TestClient, key: str) -> None:
    digest = asked(ask, "/library", report=key)["matches"][0]["checksum"]
    assert asked(ask, "/library/open", checksum=digest)["key"] == key
    assert len(asked(ask, "/reports")["reports"]) == 1
    asked(ask, "/results/remove", kind="report", key=key)
    opened = asked(ask, "/library/open", checksum=digest)["key"]
    assert opened != key
    assert asked(ask, "/library/open", checksum=digest)["key"] == opened


def test_the_page_of_a_report_lets_in_this_server_alone(ask: TestClient, key: str) -> None:
    page = ask.get(f"/reports/{key}")
    policy = page.headers["content-security-policy"]
    assert "script-src 'self' 'sha256-" in policy
    assert "unsafe" not in policy
    assert "http" not in policy
    assert "Content-Security-Policy" not in page.text
    assert '<script type="module" src="/static/reviewing.js">' in page.text


def test_comments_are_kept_and_written(ask: TestClient, key: str) -> None:
    told = asked(ask, f"/reports/{key}/comments", game=0, action=1, text="An <i>idea</i>")
    assert [each["comment"] for each in told["decisions"] if each["action"] == 1] == ["An <i>idea</i>"] * 2
    assert "An &lt;i&gt;idea" in ask.get(f"/reports/{key}").text
    asked(ask, f"/reports/{key}/comments", 400, game=0, action=99, text="nowhere")
    asked(ask, f"/reports/{key}/comments", 400, game=9, action=0, text="nowhere")


def test_a_report_is_saved_in_every_form(ask: TestClient, key: str) -> None:
    forms = [each["name"] for each in asked(ask, f"/reports/{key}/decisions")["forms"]]
    assert {"sgf", "mat", "report", "sixprime", "export-markdown"} <= set(forms)
    refused = []
    for form in forms:
        answer = ask.get(f"{API}/reports/{key}/files/{form}")
        if answer.status_code == 200:
            assert answer.headers["content-disposition"].startswith("attachment; filename*=utf-8''Ann_-_Bob"), form
            assert answer.headers["content-type"] == "application/octet-stream"
            assert answer.content, form
        else:
            # What it cannot hold, or what is not installed, is said.
            assert answer.json()["error"]["message"], form
            refused.append(form)
    assert len(refused) <= len(forms) // 3, refused
    # The analysis is read again as it is, packed or not.
    kept = ask.get(f"{API}/reports/{key}/files/sixprime").content
    for data in (kept, gzip.compress(kept)):
        told = ask.post(f"{API}/reports", content=data).json()
        again = ask.get(f"{API}/reports/{told['key']}/files/sixprime")
        assert (told["state"], again.json()) == ("ready", json.loads(kept))
    assert "No analysis of Sixprime" in ask.post(f"{API}/reports", content=kept[:-9]).json()["error"]["message"]
    files = ask.get(f"{API}/reports/{key}/files/export-svg")
    assert len(zipfile.ZipFile(BytesIO(files.content)).namelist()) > 3
    assert ask.get(f"{API}/reports/{key}/files/nothing").status_code == 400


# Transcripts


@pytest.fixture(scope="module")
def match() -> Match:
    return formats.read_text(MATCH)


def test_a_transcript_is_its_match(match: Match) -> None:
    script = transcripts.of_match(match)
    again = transcripts.match_of(script)
    assert [(game.winner, game.points) for game in again.games] == [(1, 2)]
    (game,), (other,) = again.games, match.games
    assert [(a.kind, a.player, a.dice, a.position) for a in game.actions] == [
        (a.kind, a.player, a.dice, a.position) for a in other.actions
    ]


def script_of(*lines: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"names": ["Ann", "Bob"], "length": 3, "lines": list(lines), **more}


FIRST = {"do": "play", "player": 0, "dice": [3, 1], "play": "8/5 6/5"}


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ({"do": "play", "dice": [6, 4], "play": "8/7"}, "no legal play"),
        ({"do": "play", "dice": [6, 4], "play": "nonsense"}, "nonsense"),
        ({"do": "play", "play": "13/8"}, "needs its dice"),
        ({"do": "play", "player": 0, "dice": [6, 4], "play": "24/14"}, "the turn of Bob"),
        ({"do": "take"}, "cannot"),
        ({"do": "beaver"}, "cannot"),
    ],
)
def test_what_breaks_the_rules_is_named(ask: TestClient, line: dict[str, Any], problem: str) -> None:
    told = asked(ask, "/transcripts", transcript=script_of(FIRST, line))
    assert (told["bad"], len(told["lines"])) == (1, 1)
    assert problem in told["problem"]
    refused = asked(ask, "/transcripts/file", 409, transcript=script_of(FIRST, line), form="mat")
    assert refused["error"]["message"].startswith("Line 2")


def test_illegal_plays_are_kept_on_demand(ask: TestClient) -> None:
    wrong = {"do": "play", "player": 0, "dice": [3, 1], "play": "8/4 6/5"}
    answer = {"do": "play", "dice": [6, 4], "play": ""}
    told = asked(ask, "/transcripts", transcript=script_of(wrong, answer))
    assert (told["bad"], told["lines"]) == (0, [])
    lines = [wrong | {"anyway": True}, answer | {"anyway": True}]
    told = asked(ask, "/transcripts", transcript=script_of(*lines))
    assert (told["bad"], [line["illegal"] for line in told["lines"]]) == (None, [True, True])
    assert told["board"]["counts"][0][4:7] == [1, 1, 4]
    # What a rule allows is not marked, whatever was asked for.
    told = asked(ask, "/transcripts", transcript=script_of(FIRST | {"anyway": True}))
    assert told["lines"][0]["illegal"] is False
    # What cannot be carried out cannot be kept.
    told = asked(ask, "/transcripts", transcript=script_of(wrong | {"play": "8/7 6/1", "anyway": True}))
    assert told["bad"] == 0
    file = asked(ask, "/transcripts/file", transcript=script_of(*lines), form="mat")
    assert file["lost"] == []
    (game,) = formats.read_text(b64decode(file["content"])).games
    assert [(action.illegal, str(action.play)) for action in game.actions] == [(True, "8/4 6/5"), (True, "")]
    assert transcripts.of_match(formats.read_text(b64decode(file["content"]))).lines[0].anyway
    lost = asked(ask, "/transcripts/file", transcript=script_of(*lines), form="ogxm")["lost"]
    assert "illegal plays" in lost


def test_a_play_is_tried_as_it_was_made(ask: TestClient) -> None:
    board = asked(ask, "/positions", text=START)["board"]
    what = {"dice": [3, 1], "do": "text", "text": "8/4 6/5", "board": board}
    assert "no legal play" in asked(ask, "/positions/entry", 409, **what)["error"]["message"]
    tried = asked(ask, "/positions/entry", **what, anyway=True)
    assert (tried["play"], tried["done"], tried["sources"]) == ("8/4 6/5", True, [])
    assert "no legal play" in tried["illegal"]
    assert tried["counts"][0][4:9] == [1, 1, 4, 0, 2]
    refused = asked(ask, "/positions/entry", 409, **what | {"text": "8/7 6/1"}, anyway=True)
    assert "the opponent holds 1" in refused["error"]["message"]


def test_an_illegal_play_of_which_the_result_is_known_is_written_as_one(match: Match) -> None:
    (game,) = match.games
    first, *rest = game.actions
    result = play_as_made("8/4 6/5", first.position).result
    known = replace(first, illegal=True, play=Play((), first.position, result))
    line = transcripts.of_match(replace(match, games=(replace(game, actions=(known, *rest)),))).lines[0]
    # One of several ways to the same board.
    assert line.anyway
    assert play_as_made(line.play, first.position).result == result
    nackgammon = replace(known, play=Play((), first.position, Position.start("nackgammon")))
    with pytest.raises(RulesError, match="played with 31 cannot be written"):
        transcripts.of_match(replace(match, games=(replace(game, actions=(nackgammon, *rest)),)))


def test_a_game_does_not_begin_with_a_double(ask: TestClient) -> None:
    told = asked(ask, "/transcripts", transcript=script_of(), dice=[2, 2])
    assert (told["bad"], told["entry"]) == (0, None)
    assert "double" in told["problem"]
    told = asked(ask, "/transcripts", transcript=script_of(), dice=[2, 1], player=1)
    assert (told["board"]["mover"], told["problem"]) == (1, "")


def test_a_transcript_is_looked_at_anywhere(ask: TestClient) -> None:
    lines = [FIRST, {"do": "play", "dice": [6, 4], "play": "24/18 13/9"}, {"do": "double"}, {"do": "drop"}]
    told = asked(ask, "/transcripts", transcript=script_of(*lines, FIRST))
    assert [line["game"] for line in told["lines"]] == [1, 1, 1, 1, 2]
    assert told["lines"][3]["winner"] == 0
    assert (told["board"]["score"], told["board"]["crawford"]) == ([1, 0], False)
    at = asked(ask, "/transcripts", transcript=script_of(*lines, FIRST), at=1, dice=[6, 4])
    assert (at["board"]["mover"], at["entry"]["dice"]) == (1, [6, 4])
    file = asked(ask, "/transcripts/file", transcript=script_of(*lines, event="Club"), form="sgf")
    assert (file["name"], b"Club" in b64decode(file["content"])) == ("Ann_-_Bob.sgf", True)


def test_a_position_that_was_set_is_no_transcript(ask: TestClient, house: House) -> None:
    key = house.reports.analyse(formats.read_text(START)).key
    assert "position" in asked(ask, f"/reports/{key}/transcript", 409)["error"]["message"]


# Library


def test_a_match_is_kept_found_opened_and_removed(ask: TestClient, house: House, key: str) -> None:
    shelf = asked(ask, "/library", report=key)
    assert asked(ask, "/library", report=key)["matches"] == shelf["matches"]
    (kept,) = shelf["matches"]
    assert (kept["names"], kept["length"], kept["result"], kept["whole"]) == (["Ann", "Bob"], 3, 0, True)
    assert {each["name"]: each["won"] for each in shelf["players"]} == {"Ann": 0, "Bob": 0}
    counts = [[0] * 26, [0] * 26]
    every = asked(ask, "/library/positions", counts=counts)
    assert every["all"] == every["searched"] > 5
    errors = [each["error"] for each in every["found"]]
    assert errors == sorted(errors, reverse=True)
    counts[0][13], counts[0][5] = 5, 2
    mine = asked(ask, "/library/positions", counts=counts, player=" ann ", kind="play")
    assert [each["chosen"] for each in mine["found"]] == ["13/2"]
    exact = asked(ask, "/library/positions", counts=counts, exact=True)
    assert exact["all"] == 0
    assert asked(ask, "/library/positions", counts=counts, dice=[5, 6])["all"] == 1
    near = asked(ask, "/library/positions", counts=[list(reversed(side)) for side in counts], like=True)
    assert near["all"] == every["all"]
    distances = [each["distance"] for each in near["found"]]
    assert distances == sorted(distances)
    plan = asked(ask, "/library/positions", counts=[[0] * 26, [0] * 26], phase="opening", plan="mixed")
    assert 0 < plan["all"] < every["all"]
    assert "Carol" in asked(ask, "/library/positions", 400, counts=counts, player="Carol")["error"]["message"]
    went = asked(ask, "/library/sums", player="ann", by="kind")
    assert {each["name"] for each in went["groups"]} <= {"play", "double", "take"}
    assert went["all"]["decisions"] == sum(each["decisions"] for each in went["groups"]) > 0
    asked(ask, "/library/sums", 400, by="colour")
    first = mine["found"][0]
    turn = [first["index"], first["action"]]
    place = asked(ask, "/library/open", checksum=kept["checksum"], turn=turn)["place"]
    assert f'id="{place}"' in ask.get(f"/reports/{key}").text
    opened = asked(ask, "/library/open", checksum=kept["checksum"])["key"]
    assert ask.get(f"/reports/{opened}").status_code == 200
    assert asked(ask, "/library/remove", checksum=kept["checksum"])["matches"] == []
    asked(ask, "/library/open", 404, checksum=kept["checksum"])
    assert asked(ask, "/library/positions", counts=counts)["searched"] == 0
    for wrong in ("../../../etc/passwd", "0" * 31):
        asked(ask, "/library/open", 400, checksum=wrong)


# Learning


def test_errors_are_asked_and_remembered(ask: TestClient, key: str) -> None:
    assert asked(ask, "/quiz")["cards"] == 0
    added = asked(ask, "/quiz/cards", report=key)
    assert added["cards"] == added["added"] > 0
    assert asked(ask, "/quiz/cards", report=key)["added"] == 0
    card = asked(ask, "/quiz/next", new=5)["card"]
    marked = asked(ask, "/quiz/answer", id=card["id"], text="", seconds=2.5)
    assert (marked["right"], marked["standing"]["answers"]) == (False, 1)
    other = asked(ask, "/quiz/next", new=5)["card"]
    assert other["id"] != card["id"]
    right = asked(ask, "/quiz/answer", id=card["id"], text=marked["best"])
    assert (right["right"], right["loss"]) == (True, 0.0)
    asked(ask, "/quiz/answer", 409, id="0" * 16, text="x")
    if card["kind"] == "play":
        asked(ask, "/quiz/answer", 400, id=card["id"], text="no play")


@pytest.mark.parametrize("kind", ["pips", "shots", "cube"])
def test_drills_are_marked_and_kept(ask: TestClient, kind: str) -> None:
    name = {"kind": kind, "seed": 5, "number": 1}
    drill = asked(ask, "/drills", **name)
    wrong = drill["choices"][0] if drill["choices"] else " ".join("0" for _ in drill["names"])
    told = asked(ask, "/drills/answer", **name, text=wrong)
    best = min(told["choices"], key=lambda each: each["loss"])["text"] if told["choices"] else ""
    right = best or " ".join(f"{number:g}" for number in told["numbers"])
    assert asked(ask, "/drills/answer", **name, text=right)["right"]
    (record,) = asked(ask, "/drills")["records"]
    assert (record["kind"], record["attempts"]) == (kind, 2)
    asked(ask, "/drills/answer", 400, **name, text="so many")


# Positions


def test_what_comes_of_a_position(ask: TestClient) -> None:
    board = asked(ask, "/positions", text=START)["board"]
    after = asked(ask, "/positions/after", board=board, do="play", play="8/5 6/5")["board"]
    assert (after["mover"], after["dice"], after["counts"][board["mover"]][5]) == (1 - board["mover"], None, 2)
    offered = asked(ask, "/positions/after", board=after, do="double")["board"]
    assert (offered["doubled"], offered["cube"]) == (True, 2)
    taken = asked(ask, "/positions/after", board=offered, do="take")["board"]
    assert (taken["doubled"], taken["cube"], taken["owner"]) == (False, 2, board["mover"])
    asked(ask, "/positions/after", 409, board=taken, do="double")
    asked(ask, "/positions/after", 409, board=board, do="play", play="8/7 6/1")
    text = asked(ask, "/positions/text", board=board, form="xg")["text"]
    assert "8/5 6/5" in text


def test_a_position_is_drawn_as_png(ask: TestClient) -> None:
    pytest.importorskip("resvg_py")
    answer = ask.get(f"{API}/pictures/board.png", params={"id": START})
    assert answer.headers["content-type"] == "image/png"
    assert answer.content.startswith(b"\x89PNG")
    assert ask.get(f"{API}/pictures/board.gif", params={"id": START}).status_code == 404
