"""What an analysis knows of its rollouts: chances, standard errors and settings, through files and back."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import sixprime as sp
from sixprime import codec, formats
from sixprime.analysis.analyse import analyse
from sixprime.analysis.depth import Depth
from sixprime.analysis.foreign import foreign
from sixprime.analysis.kept import own_analysis, with_analysis
from sixprime.analysis.marked import Mark, roll_out_marked
from sixprime.analysis.model import AnalysedMatch, Decision, DecisionKind
from sixprime.analysis.rollout_context import line_of, settings_of
from sixprime.engine.presets import Preset
from sixprime.engine.results import CubeAnalysis, PlayAnalysis, Rolled
from sixprime.engine.rollout_settings import PlayerSettings, RolloutSettings
from sixprime.game.record import ForeignAnalysis, ForeignPlay, Match, Method, Value
from sixprime.paths import sample_match
from sixprime.report.figures import Figures
from sixprime.report.rolled import how, made, of_cube, of_play

DATA = Path(__file__).parent / "data"
SETTINGS = RolloutSettings(trials=36, truncation=3, seed=7, players=(PlayerSettings(), PlayerSettings(1)))


@pytest.fixture(scope="module")
def engine() -> sp.Engine:
    return sp.Engine(threads=1, plies=0)


@pytest.fixture(scope="module")
def analysed(engine: sp.Engine) -> AnalysedMatch:
    """A game of which a play, a double and the answer to it were rolled out."""
    match = formats.read(sample_match())
    judged = analyse(replace(match, games=match.games[:1]), engine, plies=0)
    play = next(each for each in judged.decisions if len(each.plays) > 4)
    cube = next(each for each in judged.decisions if each.kind is DecisionKind.DOUBLE and each.chosen == "Double")
    marks = [Mark(0, play.action, play.kind, 1), Mark(0, cube.action, cube.kind)]
    return roll_out_marked(judged, marks, engine, SETTINGS)


def rolled_out(analysed: AnalysedMatch) -> tuple[Decision, Decision, Decision]:
    play, double, take = (each for each in analysed.decisions if each.rolled_out)
    return play, double, take


def test_players_who_change_seats_are_judged_and_rolled_out_as_before(analysed: AnalysedMatch) -> None:
    other = PlayerSettings(0, 1, noise=0.25)
    later = replace(SETTINGS, later=(PlayerSettings(2, filter="large"), other))
    for settings in (SETTINGS, later):
        told = [line_of(settings, on_roll) for on_roll in (0, 1)]
        for line, turned in (told, told[::-1]):
            method = Method("Rollout", settings=line)
            play = ForeignPlay(analysed.decisions[0].plays[0].play, Value(), method)
            action = analysed.match.games[0].actions[0]
            (found,) = replace(action, analyses=(ForeignAnalysis("X", plays=(play,)),)).reseated().analyses
            assert found.plays[0].method.settings == turned
    depths = (Depth(0, 0), Depth(None, 0))
    kept = with_analysis(replace(analysed, depths=depths, label="0-ply-normal,none/0-ply+noise-0.1@2, net ab"))
    back = own_analysis(kept.reseated())
    assert back is not None
    assert (back.depths, back.label) == (depths[::-1], "none/0-ply,0-ply-normal+noise-0.1@2, net ab")
    assert kept.reseated().reseated() == kept


def test_what_files_say_of_one_player_goes_with_him() -> None:
    game = replace(formats.read(sample_match()).games[0], extras=(("sgf:BT", "[Reds]"), ("sgf:GS", "[M:1 2]")))
    assert game.reseated().extras == (("sgf:WT", "[Reds]"),)
    document = replace(
        formats.read(sample_match()), extras=(("ogxm:document", "{}"), ("xg:file", "AA"), ("sgf:AP", "X"))
    )
    assert document.reseated().extras == (("sgf:AP", "X"),)


def test_it_is_what_the_rollout_says(analysed: AnalysedMatch, engine: sp.Engine) -> None:
    play, double, _ = rolled_out(analysed)
    before = play.state.with_dice(None)
    assert play.dice is not None
    two = [each.play for each in play.plays[:2]]
    result = engine.rollout_plays(play.position, play.dice, two, match=before, settings=SETTINGS)
    for each, found in zip(play.plays[:2], result.estimates, strict=True):
        assert each.rolled is not None
        [value] = each.rolled.values
        assert (value.probabilities, value.cubeless_equity) == (found.probabilities, found.cubeless_equity)
        assert value.errors == (*found.probabilities_error, found.cubeless_error)
        assert each.rolled.settings == SETTINGS
    assert play.plays[2].rolled is None
    assert double.cube is not None
    assert double.cube.rolled is not None
    held, taken = double.cube.rolled.values
    cube = engine.rollout_cube(double.position, match=double.state, settings=SETTINGS)
    assert [held.probabilities, taken.probabilities] == [each.probabilities for each in cube.estimates]
    assert held.cubeless_equity == cube.estimates[0].cubeless_equity
    assert taken.cubeless_equity != cube.estimates[1].cubeless_equity  # it is for the doubled cube


def test_with_jacobys_rule_gammons_of_a_centred_cube_do_not_count() -> None:
    level = Preset("own", 0, rollout=SETTINGS, search_games=36)
    start, state = sp.Position.start(), sp.MatchState(jacoby=True)
    cube = sp.Engine(threads=1, level=level).cube_action(start, match=state)
    assert cube.rolled is not None
    assert cube.cubeless_equity == pytest.approx(2 * cube.probabilities.win - 1)
    # Of a rollout they always do.
    assert cube.rolled.values[0].cubeless_equity == pytest.approx(cube.probabilities.cubeless)


def test_files_keep_it(analysed: AnalysedMatch) -> None:
    again = foreign(formats.read_text(formats.render([with_analysis(analysed)], "sgf")[0]))
    whole = codec.from_json(codec.to_json(analysed), AnalysedMatch)
    assert whole.games == analysed.games
    for was, now in zip(rolled_out(analysed), rolled_out(again), strict=True):
        for one, other in zip((was.cube, *was.plays[:2]), (now.cube, *now.plays[:2]), strict=True):
            if one is None or other is None:
                assert one is other
                continue
            assert one.rolled is not None
            assert other.rolled is not None
            assert other.rolled.settings == one.rolled.settings
            for value, read in zip(one.rolled.values, other.rolled.values, strict=True):
                assert read.probabilities == pytest.approx(value.probabilities, abs=1e-6)
                assert read.cubeless_equity == pytest.approx(value.cubeless_equity, abs=1e-6)
                assert read.errors == pytest.approx(value.errors, abs=1e-6)


def test_a_rollout_of_one_game_has_no_standard_errors(analysed: AnalysedMatch, engine: sp.Engine) -> None:
    play, double, _ = rolled_out(analysed)
    marks = [Mark(0, each.action, each.kind) for each in (play, double)]
    once = roll_out_marked(analysed, marks, engine, RolloutSettings(trials=1, truncation=3))
    read = formats.read_text(formats.render([with_analysis(once)], "sgf")[0])
    for found in (once, codec.from_json(codec.to_json(once), AnalysedMatch), foreign(read)):
        play, double, _ = rolled_out(found)
        assert double.cube is not None
        assert (play.plays[0].trials, double.cube.trials) == (1, 1)
        for judged in (play.plays[0], double.cube):
            assert judged.rolled is not None
            assert {value.errors for value in judged.rolled.values} == {()}
        errors = play.plays[0].equity_error, double.cube.no_double_error, double.cube.double_take_error
        assert errors == (None, None, None)


def test_damaged_documents_are_refused(analysed: AnalysedMatch) -> None:
    _, double, _ = rolled_out(analysed)
    cube = double.cube
    assert cube is not None
    assert cube.rolled is not None
    first, second = cube.rolled.values
    for values, why in (
        ((first, replace(second, errors=(0.1,) * 5)), r"rolled.values\[1\].errors: 5; expected six or none"),
        ((first, replace(second, errors=(1e300,) * 6)), r"rolled.values\[1\].errors: expected a number"),
        ((first, replace(second, cubeless_equity=1e300)), r"rolled.values\[1\].cubeless_equity: expected"),
        ((), r"rolled.values: 0; expected one, or two of a cube decision"),
    ):
        text = codec.to_json(replace(cube, rolled=replace(cube.rolled, values=values)))
        with pytest.raises(sp.InvalidFileError, match=why):
            codec.from_json(text, CubeAnalysis)
    play = rolled_out(analysed)[0].plays[0]
    assert play.rolled is not None
    text = codec.to_json(replace(play, rolled=replace(play.rolled, values=play.rolled.values * 2)))
    with pytest.raises(sp.InvalidFileError, match=r"rolled.values: 2; expected one"):
        codec.from_json(text, PlayAnalysis)


def test_damaged_standard_errors_are_not_known() -> None:
    text = (DATA / "sgf" / "rollouts.sgf").read_text()
    match = formats.read_text(re.sub(r"StdDev( \S+){5}", "StdDev", text))
    rolled = [play for each in foreign(match).decisions for play in each.plays if play.trials]
    assert rolled
    assert {play.equity_error for play in rolled} == {None}
    # A document may have any number of them.
    document = re.sub(r'"errors":\[[^\]]+\]', '"errors":[0.1,0.2]', codec.to_json(formats.read_text(text)).decode())
    decisions = foreign(codec.from_json(document, Match)).decisions
    known = [each.rolled.values for decision in decisions for each in decision.plays if each.rolled is not None]
    assert known
    assert {value.errors for values in known for value in values} == {()}


def test_a_decision_rolled_out_twice_counts_once(analysed: AnalysedMatch, engine: sp.Engine) -> None:
    play, *_ = rolled_out(analysed)
    assert "; 2 marked decisions rolled out, 36 games each" in analysed.settings
    again = roll_out_marked(analysed, [Mark(0, play.action, play.kind, 1)], engine, SETTINGS)
    assert again.settings == analysed.settings
    other = next(each for each in analysed.decisions if each.plays and not each.rolled_out and not each.forced)
    more = roll_out_marked(again, [Mark(0, other.action, other.kind)], engine, SETTINGS)
    assert more.settings == analysed.settings.replace("; 2 marked", "; 3 marked")


# In words


def test_lines(analysed: AnalysedMatch) -> None:
    play, double, take = rolled_out(analysed)
    figures = Figures()
    chances, errors = of_play(play.plays[0], figures, None)
    number, error = r"0\.\d{3}", r" 0\.\d{3}"
    three, spread = " ".join([number] * 3), " ".join([number] * 3)
    assert re.fullmatch(rf"{three} - {three} CL [+-]{number} CF [+-]{number}", chances)
    assert re.fullmatch(rf"\[{spread} - {spread} CL {error} CF {error}\]", errors)
    assert double.cube is not None
    assert take.cube is not None
    lines = of_cube(double.cube, figures, None)
    assert [line for line in lines if line.endswith(":")] == ["No double:", "Double, take:"]
    # Who answers has all from his side.
    others = of_cube(take.cube, figures, None, answering=True)
    for line, other in zip(lines, others, strict=True):
        if "CF" not in line:
            continue
        own, rest = (re.split(" CL ", text.strip(" []")) for text in (line, other))
        if "[" not in line:
            first, second = own[0].split(" - ")
            assert rest[0] == f"{second} - {first}"
            assert [float(number) for number in re.findall(r"[+-]\d\.\d{3}", own[1])] == [
                -float(number) for number in re.findall(r"[+-]\d\.\d{3}", rest[1])
            ]
    assert made(play.plays[0]) == [
        "Truncated (after 3 plies) cubeful rollout with variance reduction",
        "36 games, seed 7, quasi-random dice",
        "Player on roll: 0-ply play, 0-ply cube",
        "Opponent: 1-ply play, 0-ply cube",
    ]


def test_what_is_not_known_is_not_told(analysed: AnalysedMatch) -> None:
    play = rolled_out(analysed)[0].plays[0]
    unknown = replace(play, rolled=None, equity_error=0.0123)
    assert made(unknown) == ["Rollout of 36 games, standard error 0.012"]
    assert of_play(unknown, Figures(), None)[1] == ""
    assert play.rolled is not None
    [value] = play.rolled.values
    bare = replace(play, rolled=Rolled((replace(value, errors=()),)), equity_error=None)
    assert made(bare) == ["Rollout of 36 games"]
    assert of_play(bare, Figures(), None)[1] == ""


def test_how() -> None:
    late = (PlayerSettings(2, 1, noise=0.05),) * 2
    settings = RolloutSettings(cubeful=False, variance_reduction=False, rotate=False, later=late, later_turn=4)
    assert how(settings, 1, 72) == [
        "Full cubeless rollout without variance reduction",
        "1 game, seed 1, random dice, beside a search that counts as 72",
        "Players: 0-ply play, 0-ply cube",
        "From ply 4 on: 2-ply play, 1-ply cube, noise 0.050",
    ]
    apart = replace(settings, players=(PlayerSettings(), PlayerSettings(1)), later=(PlayerSettings(3), late[0]))
    assert how(apart, 1)[2:] == [
        "Player on roll: 0-ply play, 0-ply cube",
        "Opponent: 1-ply play, 0-ply cube",
        "From ply 4 on, player on roll: 3-ply play, 0-ply cube",
        "From ply 4 on, opponent: 2-ply play, 1-ply cube, noise 0.050",
    ]


# As GNU Backgammon's files have the settings

PLAYERS = st.builds(
    PlayerSettings,
    plies=st.integers(0, 4),
    cube_plies=st.integers(0, 4),
    filter=st.sampled_from(["normal", "huge", "large-2025", "0+3@0.5/-/2+1@0.25"]),
    noise=st.integers(0, 100).map(lambda each: each / 100),
)


@given(
    st.builds(
        RolloutSettings,
        trials=st.integers(1, 10**6),
        seed=st.integers(0, 2**63 - 1),
        cubeful=st.booleans(),
        players=st.tuples(PLAYERS, PLAYERS),
        later=st.none() | st.tuples(PLAYERS, PLAYERS),
        later_turn=st.integers(0, 1000),
        truncation=st.integers(0, 1000),
        truncation_plies=st.integers(0, 4),
        bearoff_exact=st.booleans(),
        bearoff_one_sided=st.booleans(),
        initial=st.booleans(),
        rotate=st.booleans(),
        variance_reduction=st.booleans(),
    ),
    st.integers(0, 1),
)
def test_settings_are_read_as_written(settings: RolloutSettings, on_roll: int) -> None:
    line = line_of(settings, on_roll)
    again = settings_of(line, settings.trials, on_roll)
    assert again is not None
    assert replace(again, players=settings.players, later=settings.later) == settings
    # A filter is one for the plies of the search alone.
    assert line_of(again, on_roll) == line
    other = settings_of(line, settings.trials, 1 - on_roll)
    assert other is not None
    assert other.players == again.players[::-1]


def test_settings_of_gnu_backgammon() -> None:
    text = (DATA / "sgf" / "rollouts.sgf").read_text()
    found = settings_of(re.findall(r"SK 0 RC [^\]]*", text)[0], 36, 0)
    assert found == RolloutSettings(36, 1779166389, truncation=5, truncation_plies=2)


@given(st.text(max_size=80) | st.from_regex(r"SK 0 RC( [01]){6} \d{1,6}( [01]){2} \d{1,6} \"x\" \d{1,30} .{0,40}"))
@example("")
@example('SK 0 RC 1 1 0 1 0 1 5 1 1 5 "x" 1 ')
@example(line_of(RolloutSettings(), 0).replace("0C", "9C"))
@example(line_of(RolloutSettings(), 0)[:150])
@example(line_of(RolloutSettings(players=(PlayerSettings(2),) * 2), 0).replace(" 8 0.16000", " 8.5 0.16000"))
@example(line_of(RolloutSettings(players=(PlayerSettings(2),) * 2), 0).replace(" 8 0.16000", " 8 0.1.0"))
def test_other_lines_are_no_settings(line: str) -> None:
    assert settings_of(line, 36, 0) is None
