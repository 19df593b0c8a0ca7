"""In which units reports are written."""

from __future__ import annotations

import re
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from made_match import make_match
from rich.console import Console

from sixprime.analysis.model import AnalysedMatch
from sixprime.paths import sample_match
from sixprime.report import render_html, render_terminal
from sixprime.report.units import EMG, Units

FRACTION = Units(mwc=True, matchpc=False, digits=2)
PERCENT = Units(mwc=True)


@pytest.mark.parametrize(
    ("units", "value", "loss", "nothing", "verdict"),
    [
        (EMG, "+0.715", "-0.364", "", "0.364 = 12.32 % MWC"),
        (Units(digits=1), "+0.7", "-0.4", "", "0.4 = 12 % MWC"),
        (Units(digits=0), "+1", "", "", "0 = 12 % MWC"),
        (PERCENT, "58.07 %", "-12.32 %", "", "12.32 % MWC"),
        (FRACTION, "0.581", "-0.123", "", "0.123 MWC"),
    ],
)
def test_every_unit(units: Units, value: str, loss: str, nothing: str, verdict: str) -> None:
    assert units.value(0.715, 0.5807) == value
    assert units.loss(0.364, 0.1232) == loss
    assert units.loss(1e-7, 1e-8) == nothing
    assert units.verdict(0.364, 0.1232) == verdict
    assert units.lost(0.0, 0.0).lstrip("0. %") == ""
    # Money knows equities alone.
    assert units.value(0.5, None) == f"{0.5:+.{units.digits}f}"
    assert "MWC" not in units.verdict(0.5, None)


def test_sums_of_losses_have_no_plus() -> None:
    assert [EMG.lost(total, 0.5) for total in (0.0, 0.0004, 0.0006, 2.5)] == ["0.000", "0.000", "-0.001", "-2.500"]
    assert [PERCENT.lost(1.0, total) for total in (0.0, 0.00004, 0.00006)] == ["0.00 %", "0.00 %", "-0.01 %"]


def printed(analysed: AnalysedMatch, units: Units) -> str:
    out = StringIO()
    render_terminal(analysed, Console(file=out, width=100), worst=10, units=units)
    return out.getvalue()


def test_losses_are_those_of_the_unit_in_text_and_page() -> None:
    analysed = make_match()
    marked = [each for each in analysed.decisions if each.skill]
    for units in (EMG, PERCENT, FRACTION):
        losses = [units.loss(each.error, each.error_mwc) for each in marked]
        text, page = printed(analysed, units), render_html(analysed, units=units)
        shown = re.findall(r"^ +\d+  (-[\d.]+(?: %)?) ", text, re.MULTILINE)
        assert shown
        assert set(shown) <= set(losses)
        worst = page[page.index('id="worst"') :]
        assert re.findall(r'<span class="loss">([^<]+)</span>', worst[: worst.index("</ol>")])[0] in losses
        sizes = [float(loss.removesuffix(" %")) for loss in shown]
        assert sizes == sorted(sizes)
        for each in marked:
            assert f"loses {units.verdict(each.error, each.error_mwc)}, " in page
        total = analysed.statistics[0]
        said = units.lost(total.chequer_error_total, total.chequer_error_mwc)
        assert re.search(rf"Chequer error +{re.escape(said)} ", text)
        assert f"<dt>Chequer errors</dt><dd>{said} <small>" in page or f">{said} <small>" in page


def test_money_has_no_chances_of_a_match() -> None:
    money = make_match(length=0)
    assert printed(money, PERCENT) == printed(money, EMG)
    assert render_html(money, units=PERCENT) == render_html(money)


def test_the_command_and_its_settings(
    sixprime: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SIXPRIME_CONFIG", str(tmp_path))
    kept = tmp_path / "kept.sixprime"
    assert sixprime("analyse", "--sample", "--plies", "0", "--save", str(kept))[0] == 0
    plain = sixprime("analyse", str(kept), "--plies", "0")[1]
    chances = sixprime("analyse", str(kept), "--plies", "0", "--output-mwc")[1]
    assert re.search(r"\n  1  -\d\.\d{3} ", plain)
    assert re.search(r"\n  1  -\d+\.\d\d % ", chances)
    assert sixprime("settings", "set", "export.output_mwc", "true")[0] == 0
    assert sixprime("analyse", str(kept), "--plies", "0")[1].split("\nPR =")[0] == chances.split("\nPR =")[0]
    fraction = sixprime("analyse", str(kept), "--plies", "0", "--no-output-matchpc", "--output-digits", "1")[1]
    assert re.search(r"\n  1  -0\.\d\d ", fraction)


def test_a_report_in_a_folder_is_written_again_in_other_units(sixprime: Callable[..., Any], tmp_path: Path) -> None:
    matches = tmp_path / "matches"
    matches.mkdir()
    first, _, _ = sample_match().read_bytes().partition(b" Game 2")
    for name in ("one.mat", "two.mat"):
        (matches / name).write_bytes(first)
    options = ("analyse", str(matches), "--plies", "0", "--html", f"{tmp_path}/out/", "--reproducible", "--jobs", "1")
    seen = []
    for more in ((), (), ("--output-mwc",), ("--again",)):
        assert sixprime(*options, *more)[0] == 0
        page = tmp_path / "out" / "one.html"
        seen.append((page.read_text(encoding="utf-8"), page.stat().st_mtime_ns))
    texts = [text for text, _ in seen]
    assert texts[0] == texts[1] == texts[3] != texts[2]
    # What is there already is left alone.
    assert seen[0] == seen[1]
