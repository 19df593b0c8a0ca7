"""Values as JSON and back: what is read is equal to what was written, and what is damaged is refused with the place."""

from __future__ import annotations

import contextlib
import json
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from damaged import KINDS as DAMAGED
from damaged import seeds_of
from hypothesis import given, settings
from hypothesis import strategies as st
from made_match import make_match
from random_matches import matches

import sixprime as sp
from sixprime import codec, formats
from sixprime.analysis.model import AnalysedMatch
from sixprime.analysis.thresholds import OLD_THRESHOLDS, Thresholds
from sixprime.cube import met
from sixprime.engine import rollout_result
from sixprime.engine.filters import FILTERS, get_filter
from sixprime.engine.presets import PRESETS, Preset
from sixprime.engine.results import Evaluation
from sixprime.engine.rollout_settings import PlayerSettings, RolloutSettings
from sixprime.engine.trials import Trials
from sixprime.game.record import ForeignAnalysis, ForeignPlay, Method, Value
from sixprime.report import to_dict

DATA = Path(__file__).parent / "data"


def same(value: Any) -> None:
    """Written and read it is equal; the plays of a match, which are equal by where they lead, step by step."""
    again = codec.from_json(codec.to_json(value), type(value))
    assert again == value
    assert not isinstance(value, sp.Match) or repr(again) == repr(value)


@given(matches())
@settings(max_examples=25)
def test_random_matches(match: sp.Match) -> None:
    same(match)


def samples() -> list[Path]:
    files = [path for path in sorted(DATA.rglob("*")) if path.is_file()]
    return [sp.sample_match(), *(path for path in files if formats.detect(path.read_bytes()))]


@pytest.mark.parametrize("path", samples(), ids=lambda path: path.name)
def test_samples(path: Path) -> None:
    """Analyses by other programs, problems, comments, tags and extras are kept."""
    for match in sp.read_all(path):
        same(match)


@pytest.mark.parametrize("length", [0, 5])
def test_analyses(length: int) -> None:
    analysed = make_match(seed=3, length=length, games=2, turns=6)
    same(analysed)
    again = codec.from_json(codec.to_json(analysed), AnalysedMatch)
    assert to_dict(again) == to_dict(analysed)
    decision = next(decision for decision in analysed.decisions if decision.plays)
    same(decision.plays[0])
    cube = next(decision.cube for decision in analysed.decisions if decision.cube)
    same(cube)
    same(Evaluation(sp.Position.start(), (0.5, 0.125, 0.0, 0.1, 0.0), 0.025, np.float64(0.1), None, 2, "contact"))


def test_a_report_is_saved_and_loaded(tmp_path: Path) -> None:
    analysed = make_match(seed=4, length=3, games=1, turns=4)
    report = sp.MatchReport(*(getattr(analysed, field.name) for field in fields(analysed)))
    path = tmp_path / "report.sixprime"
    report.save(path)
    again = sp.load_analysis(path)
    assert again == report
    assert str(again) == str(report)
    assert type(again) is sp.MatchReport
    path.write_bytes(path.read_bytes().replace(b'"illegal":false', b'"illegal":0', 1))
    with pytest.raises(sp.InvalidFileError, match=r"report.sixprime: content.*illegal: Expected bool, got int"):
        sp.load_analysis(path)


REAL = st.floats(0.01, 1, allow_nan=False)
WHO = st.builds(
    PlayerSettings,
    plies=st.integers(0, 4),
    cube_plies=st.integers(0, 4),
    filter=st.sampled_from(["tiny", "0+8@.16/-/0+2@.04", get_filter("huge")]),
    noise=REAL,
)
ROLLOUTS = st.builds(
    RolloutSettings,
    trials=st.integers(1, 10**6),
    seed=st.integers(0, 2**63 - 1),
    cubeful=st.booleans(),
    players=st.tuples(WHO, WHO),
    later=st.none() | st.tuples(WHO, WHO),
    stop_error=st.none() | REAL,
)


@given(
    ROLLOUTS
    | st.builds(sp.Rules, length=st.integers(0, 25), beavers=st.integers(0, 15), jacoby=st.booleans())
    | st.builds(Thresholds, doubtful=st.floats(0.001, 0.03), very_lucky=st.floats(0.6, 3))
    | st.sampled_from([*PRESETS.values(), *FILTERS.values(), OLD_THRESHOLDS])
    | st.builds(Preset, st.text(max_size=5).filter(str.isprintable), st.integers(0, 4), rollout=st.none() | ROLLOUTS)
)
def test_settings(value: object) -> None:
    same(value)


@pytest.mark.parametrize("kind", ["position", "plays", "cube"])
def test_rollouts(kind: rollout_result.Kind) -> None:
    """Every trial is kept, so that a rollout can go on; what follows from them is the same."""
    state = sp.MatchState(length=5, score=(1, 2))
    position, dice = sp.Position.start(), (3, 1) if kind == "plays" else None
    alternatives = rollout_result.alternatives_of(kind, position, state, position.plays((3, 1))[:3] if dice else [])
    trials = Trials.empty(40)
    trials.values[:] = np.random.default_rng(1).random(40)
    trials.outcomes[:, 0] = np.random.default_rng(2).random(40)
    trials.counts[:] = 3
    made = RolloutSettings(trials=100, stop_jsd=3.0)
    raw = (trials,) * len(alternatives)
    result = sp.RolloutResult(
        kind, position, state, dice, made, alternatives, raw, 36, engine="a", finished=False, met=met.load()
    )
    again = codec.from_json(codec.to_json(result), sp.RolloutResult)
    for field in fields(result):
        if field.name not in ("raw", "alternatives", "met"):
            assert getattr(again, field.name) == getattr(result, field.name), field.name
    for mine, theirs in zip(result.raw, again.raw, strict=True):
        assert all(np.array_equal(getattr(mine, name.name), getattr(theirs, name.name)) for name in fields(mine))
    assert again.met.checksum == result.met.checksum


def edited(change: Any, value: object) -> bytes:
    document = json.loads(codec.to_json(value))
    change(document)
    return json.dumps(document).encode()


MATCH = sp.read(sp.sample_match())
ANALYSED = make_match(seed=3, length=5, games=2, turns=6)


def judged_elsewhere(match: sp.Match) -> sp.Match:
    """The match with the opinion of another program on its first play."""
    game, *rest = match.games
    action, *others = game.actions
    assert action.play is not None
    plays = (ForeignPlay(action.play, Value(equity=0.1), Method("2-ply", plies=2)),)
    first = replace(action, analyses=(ForeignAnalysis("Other", plays=plays, played=0),))
    return replace(match, games=(replace(game, actions=(first, *others)), *rest))


JUDGED = judged_elsewhere(MATCH)


@pytest.mark.parametrize(
    ("value", "change", "words"),
    [
        (MATCH, lambda d: d.pop("format"), "no match of Sixprime: expected .* sixprime-match; found .* field format"),
        (MATCH, lambda d: d.update(format="xg"), "^format: expected one of sixprime-match, .*; found 'xg'"),
        (MATCH, lambda d: d.update(format="sixprime-cube"), "^format: expected sixprime-match; found sixprime-cube"),
        (MATCH, lambda d: d.update(version=2), "^version: this program reads up to 1; found 2 by 'Sixprime"),
        (MATCH, lambda d: d.update(version=0), "^version: expected 1 to 1; found 0 by 'Sixprime"),
        (MATCH, lambda d: d["content"].pop("length"), "^content: Object missing required field length"),
        (MATCH, lambda d: d["content"].update(variant="tabula"), "^content: The 'variant' parameter"),
        (
            MATCH,
            lambda d: d["content"]["games"][2]["actions"][5].update(player=2),
            r"^content\.games\[2\]\.actions\[5\]\.player: expected 0 or 1",
        ),
        (
            MATCH,
            lambda d: d["content"]["games"][0]["actions"][0].update(dice=[7, 1]),
            r"^content\.games\[0\]\.actions\[0\]\.dice: expected two numbers from 1 to 6",
        ),
        (
            MATCH,
            lambda d: d["content"]["games"][0]["actions"][0]["state"].update(cube=3),
            r"^content\.games\[0\]\.actions\[0\]\.state: cube must be a power of two",
        ),
        (
            ANALYSED,
            lambda d: d["content"]["games"][1]["decisions"][0].update(action=999),
            r"^content\.games\[1\]\.decisions\[0\]\.action: there is no item 999",
        ),
        (
            ANALYSED,
            lambda d: d["content"]["games"][1]["decisions"][0].update(game=0),
            r"^content\.games\[1\]\.decisions\[0\]\.game: expected a whole number from 1 to 1",
        ),
        (
            JUDGED,
            lambda d: d["content"]["games"][0]["actions"][0]["analyses"][0].update(played=1),
            r"^content\.games\[0\]\.actions\[0\]\.analyses\[0\]\.played: there is no item 1 of 1",
        ),
        (
            ANALYSED,
            lambda d: d["content"]["games"][0]["statistics"][1].update(luck_total=1e300),
            r"^content\.games\[0\]\.statistics\[1\]\.luck_total: expected a number",
        ),
        (sp.Rules(), lambda d: d["content"].update(length=-1), "^content: length must be a whole number from 0 to 999"),
    ],
)
def test_what_is_wrong_and_where(value: object, change: Any, words: str) -> None:
    kind = AnalysedMatch if value is ANALYSED else type(value)
    with pytest.raises(sp.InvalidFileError, match=words):
        codec.from_json(edited(change, value), kind)


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"\xff", b'{"format":' + b"[" * 10**5, "\ud800", b"null"])
def test_no_document(data: bytes | str) -> None:
    with pytest.raises(sp.InvalidFileError):
        codec.from_json(data, object)


@pytest.mark.parametrize("kind", [int, sp.Position, sp.MatchReport])
def test_a_class_that_no_document_holds(kind: type) -> None:
    with pytest.raises(sp.SettingsError, match=r"kind must be object or one of Match, AnalysedMatch, .*Got <class"):
        codec.from_json(codec.to_json(sp.Rules()), kind)


def test_what_json_cannot_hold() -> None:
    assert codec.from_json(codec.to_json(replace(MATCH, source="\udcff")), sp.Match) == replace(MATCH, source="\ufffd")
    for wrong in (1, "a", None, replace(MATCH, length=object())):
        with pytest.raises(sp.SettingsError, match="value must be"):
            codec.to_json(wrong)
    with pytest.raises(sp.SettingsError, match="data must be a text or bytes"):
        codec.from_json(1, sp.Match)  # type: ignore[arg-type]


def test_damaged_files_of_other_formats_are_kept_too() -> None:
    """Whatever a reader makes of a file can be written and is equal when read."""
    for name in formats.FORMATS:
        kind, found = DAMAGED[name], 0
        seeds = seeds_of(name, (DATA,))
        for number in range(30):
            with contextlib.suppress(sp.SixprimeError):
                for match in formats.FORMATS[name].read(formats._text.Document(kind.input(number, seeds), "fuzz")):
                    same(match)
                    found += 1
        assert found, name


def test_a_document_of_long_ago_is_read() -> None:
    """`kept_version_1.json` is never written anew: whoever changes a field sees here that old files are lost."""
    data = (Path(__file__).parent / "data" / "kept_version_1.json").read_bytes()
    match = codec.from_json(data, sp.Match)
    assert [player.name for player in match.players] == ["Ada", "Charles"]
    assert [action.kind.value for action in match.games[0].actions] == ["move", "double", "take", "move", "resign"]
    judged = match.games[0].actions[0].analyses[0]
    assert (judged.source, judged.luck, judged.plays[0].value.equity) == ("Sixprime 0.1", 0.125, -0.25)
    assert match.info == {"event": "Analytical Open"}


def test_older_versions_are_brought_up_to_date(monkeypatch: pytest.MonkeyPatch) -> None:
    def upgrade(kind: str, content: dict[str, object]) -> dict[str, object]:
        assert kind == "rules"
        return {("length" if key == "points" else key): value for key, value in content.items()}

    rules = sp.Rules(length=7)
    old = json.loads(codec.to_json(rules))
    old["content"]["points"] = old["content"].pop("length")
    monkeypatch.setattr("sixprime.codec.document.VERSION", 2)
    monkeypatch.setattr("sixprime.codec.document._UPGRADES", {1: upgrade})
    assert codec.from_json(json.dumps(old), sp.Rules) == rules
    assert codec.from_json(codec.to_json(rules), sp.Rules) == rules
    old["content"] = []
    with pytest.raises(sp.InvalidFileError, match=r"^content: not what version 1 has"):
        codec.from_json(json.dumps(old), sp.Rules)
