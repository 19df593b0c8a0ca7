"""Labels of settings, which name an analysis for good."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from fake_engine import FakeEngine, doubling_game, match_of

import sixprime as sp
from sixprime import codec
from sixprime.analysis.analyse import analyse
from sixprime.analysis.depth import Depth
from sixprime.analysis.foreign import foreign, table_in
from sixprime.analysis.kept import own_analysis, with_analysis
from sixprime.analysis.labels import label_of, marked, table_of, with_words
from sixprime.analysis.model import AnalysedMatch
from sixprime.analysis.single import unjudged
from sixprime.batch import read_kept
from sixprime.cube import met
from sixprime.cube.fitted import DEFAULT
from sixprime.engine.engine import KEEP, SEARCH
from sixprime.engine.filters import FILTERS
from sixprime.engine.judge import DOUBTED, DOUBTFUL
from sixprime.engine.presets import PRESETS
from sixprime.engine.rollout_settings import PlayerSettings, RolloutSettings
from sixprime.formats import FORMATS, render
from sixprime.formats._text import Document
from sixprime.formats._xg_write import COMMENT
from sixprime.game.record import MADE_BY
from sixprime.paths import sample_match
from sixprime.report import render_html, to_dict

DOCS = Path(__file__).parent.parent / "docs" / "analysis.md"
TWO = Depth(2, 2, "normal")
END = "@0, net 0000000000aa"

MEANINGS = {
    # By the number of the search: what a label stands for and does not say.
    2: "bb3b4e22",
    3: "ac986114",
    4: "9e4727bf",
    5: "ce72bd4f",
    6: "b1029b13",
    7: "3f4d5b1e",
    8: "3f4d5b1e",
    9: "2b5e9c2f",
}


def depths(one: Depth, other: Depth | None = None) -> tuple[Depth, Depth]:
    return one, other or one


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (depths(TWO), "2-ply-normal"),
        (depths(Depth(3, 2, "large")), "3-ply-large/2-ply"),
        (depths(Depth(None, 2)), "none/2-ply"),
        (depths(Depth(2, None)), "2-ply-normal/none"),
        (depths(Depth(None, None)), "off"),
        (depths(TWO, Depth(None, None)), "2-ply-normal,off"),
        (depths(Depth(1, 1, "0+8@.16")), "1-ply-(0+8@0.16)"),
    ],
)
def test_depths(given: tuple[Depth, Depth], words: str) -> None:
    assert label_of(given, FakeEngine()) == words + END


def test_what_differs_from_the_standard() -> None:
    engine = FakeEngine()
    rollout = RolloutSettings(trials=324)
    assert re.fullmatch(
        r"2-ply-normal\+second-3-ply-large\+rollout-324-[0-9a-f]{8}" + END,
        label_of(depths(TWO), engine, second=Depth(3, 3, "large"), rollout=rollout),
    )
    assert label_of(depths(TWO), engine, rollout=rollout) != label_of(
        depths(TWO), engine, rollout=replace(rollout, truncation=7)
    )
    # Whose settings come first has changed where players are unlike; of those alike the hash is of the settings alone.
    for players, same in (
        ((PlayerSettings(1), PlayerSettings(1)), True),
        ((PlayerSettings(1), PlayerSettings()), False),
    ):
        settings = RolloutSettings(trials=36, players=players)
        plain = hashlib.sha256(json.dumps(settings.to_dict(), sort_keys=True).encode()).hexdigest()[:8]
        assert (marked(settings) == f"+marked-36-{plain}") is same
    engine.met = met.load("g11")
    assert label_of(depths(TWO), engine) == f"2-ply-normal+met-{met.load('g11').checksum[:8]}{END}"
    engine = FakeEngine()
    engine.cube_model = sp.Engine(cube_model="jump").cube_model
    assert label_of(depths(TWO), engine) == f"2-ply-normal+cube-jump{END}"


def test_a_table_that_does_not_ship_stays_with_the_analysis(tmp_path: Path) -> None:
    """Other analyses that came with the file are compared by it, and what is kept is read by it."""
    shipped = met.load("woolsey")
    own = replace(shipped, name="mine", pre=shipped.pre**1.1)
    match = sp.read(DOCS.parent.parent / "tests" / "data" / "sgf" / "analysed.sgf")
    judged = sp.analyse(match, sp.Engine(plies=0, met=own))
    assert judged.table is own
    theirs = foreign(match, met=own).statistics[0].error_mwc
    assert to_dict(judged)["foreign"][0]["players"][0]["error_mwc"] == pytest.approx(theirs, abs=1e-9)
    for name in ("kept.sixprime", "kept.sgf"):
        judged.save(tmp_path / name)
        found = read_kept(tmp_path / name)
        assert (found.table.name, found.table.checksum) == ("mine", own.checksum)
        assert found.statistics[0].error_mwc == pytest.approx(judged.statistics[0].error_mwc, abs=1e-5)
    told = foreign(sp.read(tmp_path / "kept.sgf"), met=met.load()).statistics[0]
    assert told.cube_error_total == pytest.approx(judged.statistics[0].cube_error_total, abs=1e-4)
    again = with_analysis(sp.analyse(sp.read(tmp_path / "kept.sgf"), sp.Engine(plies=0)))
    assert table_in(again) is met.load()
    (tmp_path / "kept.sgf").write_text((tmp_path / "kept.sgf").read_text().replace("SXMET[H4sI", "SXMET[H4sX"))
    for met_given in (None, own):
        with pytest.raises(sp.SettingsError, match=r"kept.sgf: the match equity table of our analysis .* is damaged"):
            foreign(sp.read(tmp_path / "kept.sgf"), met=met_given)


@pytest.mark.parametrize("name", ["", "jac100", "woolsey"])
def test_the_table_of_an_analysis_changes_seats_with_the_players(tmp_path: Path, name: str) -> None:
    """Also one that is packed in the file; what is written then is read as the other player has it."""
    table = met.load(name) if name else replace(met.load("woolsey"), name="mine", pre=met.load("woolsey").pre ** 1.1)
    judged = sp.analyse(
        sp.read(DOCS.parent.parent / "tests" / "data" / "sgf" / "analysed.sgf"), sp.Engine(plies=0, met=table)
    )
    judged.save(tmp_path / "kept.sgf")
    match = sp.read(tmp_path / "kept.sgf")
    (tmp_path / "turned.sgf").write_text(str(render([match.reseated()], "sgf")[0]), encoding="utf-8")
    turned, was = own_analysis(sp.read(tmp_path / "turned.sgf")), own_analysis(match)
    assert turned is not None
    assert was is not None
    assert (turned.table.name, turned.table.is_symmetric) == (table.name, name == "woolsey")
    assert turned.table.pre == pytest.approx(table.swapped().pre, abs=1e-12)
    assert turned.label == was.label.replace(table.checksum[:8], turned.table.checksum[:8])
    for one, other in zip(turned.statistics, was.statistics[::-1], strict=True):
        assert one.error_mwc == pytest.approx(other.error_mwc, abs=1e-6)
        assert one.error_total == pytest.approx(other.error_total, rel=1e-6)
    again = own_analysis(with_analysis(turned).reseated())
    assert again is not None
    assert again.table.pre == pytest.approx(table.pre, abs=1e-12)
    assert own_analysis(match.reseated().reseated()) == was


def test_a_table_that_must_be_named_changes_seats_too(tmp_path: Path) -> None:
    """In `.xg` the label alone tells of the table: as it was, and that the players have changed seats."""
    own = replace(met.load("woolsey"), name="mine", pre=met.load("woolsey").pre ** 1.1)
    judged = sp.analyse(match_of(doubling_game().game()), sp.Engine(plies=0, met=own))
    (tmp_path / "kept.xg").write_bytes(bytes(render([with_analysis(judged)], "xg")[0]))
    turned = sp.read(tmp_path / "kept.xg").reseated()
    known, unknown = own_analysis(turned, met=own), own_analysis(turned)
    assert known is not None
    assert unknown is not None
    assert known.table.pre == pytest.approx(own.swapped().pre, abs=1e-12)
    assert f"+met-{own.checksum[:8]}-turned@" in unknown.label


def test_tables_of_labels() -> None:
    shipped, own = met.load("woolsey"), replace(met.load(), name="mine")
    label = f"2-ply-normal+met-{shipped.checksum[:8]}{END}"
    assert table_of(label, own) is shipped
    assert table_of(label.replace("+met-", "+met-0"), own) is own
    assert table_of("2-ply-normal" + END, own) is table_of("") is met.load()


@pytest.mark.parametrize("text", ["", "mine", "bWluZQ==", "[" * 999])
def test_no_packed_table(text: str) -> None:
    with pytest.raises(sp.SettingsError, match="no match equity table"):
        met.unpacked(text)


@pytest.mark.parametrize(
    ("field", "value", "told"),
    [("length", -5, "length must be a whole number from 1 to 64"), ("post", [[10**400] * 64] * 2, "too large")],
)
def test_a_damaged_table_in_a_document(field: str, value: object, told: str) -> None:
    own = replace(met.load(), name="mine", pre=np.full((64, 64), 0.5))
    document = json.loads(codec.to_json(unjudged(match_of(), own)))
    document["content"]["met"][field] = value
    with pytest.raises(sp.InvalidFileError, match=rf"content\.met.*{told}"):
        codec.from_json(json.dumps(document).encode(), AnalysedMatch)


def test_words_are_added_once() -> None:
    added = marked(RolloutSettings(trials=36))
    once = with_words("2-ply-normal@2, net 0123456789ab", added)
    assert once == f"2-ply-normal{added}@2, net 0123456789ab"
    assert with_words(once, added) == once
    assert with_words("", added) == ""


def test_a_number_keeps_its_meaning() -> None:
    """What the words leave out belongs to the number: whoever changes it has to raise SEARCH."""
    known = [f"{name} {each._plain()}" for name, each in sorted(FILTERS.items())]
    known += [repr(preset) for preset in PRESETS.values()]
    known += [met.load().checksum, DEFAULT.name, repr(DEFAULT.leaves(2)), str(KEEP)]
    known += [str((DOUBTED, DOUBTFUL))]
    found = hashlib.sha256("\n".join(known).encode()).hexdigest()[:8]
    assert MEANINGS[SEARCH] == found, (
        f"labels @{SEARCH} would mean something else: raise SEARCH, and write {found} here"
    )


def test_the_page_lists_the_levels() -> None:
    listed = dict(re.findall(r"^\| `([a-z0-9+ -]+)` \| `([^`]+@\d+)` \|$", DOCS.read_text(encoding="utf-8"), re.M))
    for name in listed:
        engine, preset = sp.Engine(level=name, threads=1), PRESETS[name]
        depth = Depth(preset.plies, preset.plies, engine.filter.text)
        label = label_of(depths(depth), engine, rollout=preset.rollout, search_games=engine.search_games)
        assert label == f"{listed[name]}, net {engine.net.checksum[:12]}"
    assert {*PRESETS} - {*listed} == {"roller+", "roller++"}


def test_levels_are_told_apart() -> None:
    """What a level leaves out makes another verdict, which is not taken for the whole one."""
    usual, reduced, noisy = (sp.Engine(level=name, threads=1) for name in ("world class", "reduced", "beginner"))
    assert usual.identity == usual.fingerprint == reduced.fingerprint
    assert len({usual.identity, reduced.identity, noisy.identity}) == 3
    assert (usual.manner, reduced.manner, noisy.manner) == ("", "+11-rolls", "+noise-0.06")
    match = match_of(doubling_game().game())
    assert analyse(match, noisy, plies=0).settings == "0-ply, Normal, noise 0.06"


@pytest.fixture(scope="module")
def analysed() -> AnalysedMatch:
    match = sp.read(sample_match())
    return analyse(replace(match, games=match.games[:2]), sp.Engine(threads=1), plies=0)


@pytest.mark.parametrize("name", ["sgf", "xg", "ogxm"])
def test_files_name_the_label_and_are_used_again(name: str, analysed: AnalysedMatch) -> None:
    if name == "ogxm":
        pytest.importorskip("ogxm")
    content = render([with_analysis(analysed)], name)[0]
    data = content.encode() if isinstance(content, str) else content
    (read,) = FORMATS[name].read(Document(data))
    kept = own_analysis(read)
    assert kept is not None
    assert kept.label == analysed.label
    assert (kept.depths, kept.judge, kept.finished) == (analysed.depths, analysed.judge, True)
    for was, now in zip(analysed.statistics, kept.statistics, strict=True):
        assert (now.decisions, now.pr) == (was.decisions, pytest.approx(was.pr, abs=0.002))
    engine = FakeEngine()
    engine.fingerprint, engine.version = analysed.judge, analysed.label.removeprefix("0-ply-normal")
    again = analyse(read, engine, plies=0, known=kept)
    assert again.label == analysed.label
    if name != "sgf":
        assert render([read], name)[0] == content


def test_interrupted_analyses_in_xg(analysed: AnalysedMatch) -> None:
    """Of a match that was judged in part, the games that were."""
    half = replace(analysed, games=analysed.games[:1], finished=False)
    (content,) = render([with_analysis(half)], "xg")
    assert isinstance(content, bytes)
    kept = own_analysis(FORMATS["xg"].read(Document(content))[0])
    assert kept is not None
    assert (len(kept.games), kept.finished) == (1, False)


def test_comments_that_would_not_fit_are_left_out(analysed: AnalysedMatch) -> None:
    long = with_analysis(replace(analysed, judge="x" * COMMENT))
    (content,) = render([long], "xg")
    assert isinstance(content, bytes)
    (read,) = FORMATS["xg"].read(Document(content))
    assert own_analysis(read) is None
    assert read.games[0].actions[0].analyses[0].source.startswith("Sixprime")
    assert all(key != MADE_BY for game in read.games for key, _ in game.extras)


def test_reports_name_the_label(analysed: AnalysedMatch) -> None:
    assert to_dict(analysed)["label"] == analysed.label
    assert analysed.label in render_html(analysed)
    assert codec.from_json(codec.to_json(analysed), AnalysedMatch).label == analysed.label


def test_closer_verdicts_that_are_used_again_are_said() -> None:
    match, engine = match_of(doubling_game().game()), FakeEngine()
    deep = analyse(match, engine, plies=3)
    assert analyse(match, engine, plies=2, known=deep).label == f"2-ply-normal+kept{END}"
    assert analyse(match, engine, plies=3, known=deep).label == f"3-ply-normal{END}"
    assert analyse(match, engine, plies=4, known=deep).label == f"4-ply-normal{END}"
