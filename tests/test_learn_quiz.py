"""Questions, the deck that remembers, and the quiz over it, in Python and on the command line."""

from __future__ import annotations

import io
import json
import re
import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

import sixprime as sp
from sixprime import codec, formats
from sixprime.analysis.foreign import foreign
from sixprime.analysis.kept import with_analysis
from sixprime.analysis.model import AnalysedMatch, DecisionKind, Phase
from sixprime.analysis.thresholds import Thresholds
from sixprime.codec import Kept
from sixprime.cube.met import load
from sixprime.errors import IllegalPlayError, InvalidFileError, InvalidPlayError, SettingsError
from sixprime.game.match_rules import Rules
from sixprime.learn.deck import Deck, Quiz, Review, rating_of, standing
from sixprime.learn.openings import opening_book
from sixprime.learn.questions import Question, Topic, answer, errors_of, judge_by, no_answer, of_book, of_decision
from sixprime.learn.schedule import Rating, reviewed
from sixprime.report.quiz import render_answer

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
DATA = Path(__file__).parent / "data"


@pytest.fixture(scope="module")
def engine() -> sp.Engine:
    return sp.Engine(threads=1, plies=0)


@pytest.fixture(scope="module")
def analysed(engine: sp.Engine) -> AnalysedMatch:
    match = sp.read(sp.sample_match())
    return sp.analyse(replace(match, games=match.games[4:6]), engine, plies=0)


@pytest.fixture(scope="module")
def errors(analysed: AnalysedMatch) -> list[Question]:
    return errors_of(analysed)


# Questions.


def test_errors_are_the_marked_decisions_worst_first(analysed: AnalysedMatch, errors: list[Question]) -> None:
    marked = sorted((d for d in analysed.decisions if d.skill and d.counted), key=lambda d: -d.error)
    assert [(q.position, q.kind, q.chosen) for q in errors] == [(d.position, d.kind, d.chosen) for d in marked]
    for question, decision in zip(errors, marked, strict=True):
        assert question.choices[0][1] == pytest.approx(0, abs=1e-9)
        lost = dict(question.choices)[decision.chosen]
        assert lost == pytest.approx(decision.error)
    assert {q.kind for q in errors} == {DecisionKind.PLAY, DecisionKind.DOUBLE}
    assert {"missed double", "wrong double", "play"} <= {q.missed for q in errors}


def test_errors_of_one_player(analysed: AnalysedMatch, errors: list[Question]) -> None:
    names = [player.name for player in analysed.match.players]
    apart = [errors_of(analysed, name.upper()) for name in names]
    assert sum(map(len, apart)) == len(errors)
    assert all(q.source.endswith(names[0]) for q in apart[0])
    with pytest.raises(SettingsError, match=r"no player is called 'nobody'; there are"):
        errors_of(analysed, "nobody")
    for wrong in (-1, "0.1", float("nan")):
        with pytest.raises(SettingsError, match="least must be"):
            errors_of(analysed, least=wrong)  # type: ignore[arg-type]
    for topic in (Topic.ERROR, "x"):
        with pytest.raises(SettingsError, match="topic must be"):
            of_book(opening_book(), topic)  # type: ignore[arg-type]
    large = [decision for decision in analysed.decisions if decision.counted and decision.error >= 0.2]
    assert len(errors_of(analysed, least=0.2)) == len(large)


def test_the_id_depends_on_what_is_asked_alone(errors: list[Question]) -> None:
    assert len({q.id for q in errors}) == len(errors)
    for question in errors:
        state = question.state
        turned = replace(
            state,
            on_roll=1 - state.on_roll,
            score=state.score[::-1],
            cube_owner=None if state.cube_owner is None else 1 - state.cube_owner,
        )
        dice = question.dice and question.dice[::-1]
        assert replace(question, state=turned, dice=dice, source="elsewhere", chosen="", plays=()).id == question.id
        other = replace(state, score=(0, 2) if state.score != (0, 2) else (2, 0))
        assert replace(question, state=other).id != question.id
    # Decks on disk hold these: they may not change.
    assert of_book(opening_book(), Topic.OPENING)[0].id == OPENING_21


OPENING_21 = "8b66d5bda176a010"


def test_answers_to_plays(errors: list[Question], engine: sp.Engine) -> None:
    question = next(q for q in errors if q.plays and str(q.plays[-1].play) == q.chosen)
    assert question.dice is not None
    assert answer(question, question.best).found
    assert answer(question, question.chosen).loss == pytest.approx(dict(question.choices)[question.chosen])
    known = {each.play for each in question.plays}
    other = next(play for play in question.position.plays(question.dice) if play not in known)
    # What was played is the last candidate, by far, and says nothing of others.
    worst = question.plays[-2].equity_loss
    assert worst < question.plays[-1].equity_loss - 0.05
    unknown = answer(question, str(other))
    assert (unknown.loss, unknown.known) == (worst, False)
    asked: list[Question] = []
    judged = answer(question, str(other), lambda q, play: asked.append(q) or worst + 0.1)  # type: ignore[func-returns-value]
    assert (judged.loss, judged.known, asked) == (worst + 0.1, True, [question])
    assert answer(question, str(other), lambda q, play: 0.0).loss == worst
    ranked = engine.best_plays(question.position, question.dice, match=question.state.with_dice(None), plies=0)
    loss = next(each.equity_loss for each in ranked if each.play == other)
    assert judge_by(engine)(question, other) == pytest.approx(loss)
    with pytest.raises(InvalidPlayError):
        answer(question, "rubbish")
    with pytest.raises(IllegalPlayError):
        answer(question, "24/1 24/1")


def test_answers_to_doubles(errors: list[Question]) -> None:
    question = next(q for q in errors if q.missed == "wrong double")
    for text in ("n", "No double", "roll", " no  DOUBLE "):
        assert answer(question, text).text == "No double"
        assert answer(question, text).loss == pytest.approx(0)
    for text in ("d", "double"):
        assert answer(question, text).loss == pytest.approx(dict(question.choices)["Double"])
    owned = replace(question, state=replace(question.state, cube=2, cube_owner=question.state.on_roll))
    for name, words in (("Redouble", ("r", "d", "double")), ("No redouble", ("n", "no double"))):
        assert {answer(owned, text).text for text in words} == {name}
    with pytest.raises(InvalidPlayError, match=r"'take' is no answer here: d \(double\), n \(no double\)|n \(no"):
        answer(question, "take")
    with pytest.raises(InvalidPlayError):
        answer(question, "")


def test_answers_to_takes(engine: sp.Engine) -> None:
    """Losses by the doubler's equities, worked out here once more."""
    position = sp.Position.from_id("4HPwATDgc/ABMA")
    for state in (sp.MatchState(), sp.MatchState(length=7)):
        cube = engine.cube_action(position, match=state, plies=0)
        question = Question(Topic.ERROR, DecisionKind.TAKE, position, state.offered(), None, (), cube, "Pass", "")
        values = {"Take": cube.double_take, "Pass": 1.0}
        if state.money:
            values["Beaver"] = 2 * cube.double_take
        best = min(values.values())
        for name, value in values.items():
            assert answer(question, name[0]).loss == pytest.approx(value - best)
        assert question.missed == "wrong pass"
        assert answer(question, "drop").text == "Pass"
    beaver = engine.cube_action(position, match=sp.MatchState(), plies=0)
    question = Question(
        Topic.ERROR, DecisionKind.TAKE, position, sp.MatchState().offered(), None, (), beaver, "Take", ""
    )
    assert (question.best, question.missed) == ("Beaver", "missed beaver")
    assert replace(question, chosen="Beaver").missed == "wrong take"


def test_a_decision_becomes_the_question_it_was(analysed: AnalysedMatch) -> None:
    for decision in analysed.decisions[:60]:
        question = of_decision(decision, "here")
        assert (question.position, question.kind, question.dice) == (decision.position, decision.kind, decision.dice)
        assert question.state.with_dice(None) == decision.state.with_dice(None)


# What is remembered.


def test_the_first_days_are_those_of_the_library() -> None:
    """A minute, ten minutes, then days; a lapse begins again."""
    memory, spans = None, []
    now = NOW
    for _ in range(6):
        memory = reviewed(memory, Rating.GOOD, now)
        spans.append(memory.due - now)
        now = memory.due
    assert spans[0] == timedelta(minutes=10)
    assert all(second > first for first, second in pairwise(spans))
    assert spans[1] == timedelta(days=2)
    lapsed = reviewed(memory, Rating.AGAIN, now)
    assert lapsed.due - now == timedelta(minutes=10)
    assert (memory.state, lapsed.state) == (2, 3)
    assert reviewed(None, Rating.AGAIN, NOW).due - NOW == timedelta(minutes=1)


@settings(max_examples=40)
@given(st.lists(st.tuples(st.sampled_from(list(Rating)), st.floats(0, 60)), min_size=1, max_size=8))
def test_memories_are_those_that_the_library_keeps(answers: list[tuple[Rating, float]]) -> None:
    """Through our values and straight through the library: the same days, however late one answers."""
    import fsrs

    scheduler, card = fsrs.Scheduler(enable_fuzzing=False), fsrs.Card(card_id=1, due=NOW)
    memory, now = None, NOW
    for rating, days in answers:
        memory = reviewed(memory, rating, now)
        card, _ = scheduler.review_card(card, fsrs.Rating(int(rating)), now)
        assert (memory.due, memory.stability, memory.state) == (card.due, card.stability, int(card.state))
        now += timedelta(days=days)


def test_times_need_a_zone() -> None:
    with pytest.raises(SettingsError, match="time zone"):
        reviewed(None, Rating.GOOD, datetime(2026, 3, 1))
    with pytest.raises(SettingsError, match="time zone"):
        Quiz(Deck()).card(datetime(2026, 3, 1))
    for end in (datetime.min, datetime.max):
        with pytest.raises(SettingsError, match="years 2 to 9899; got"):
            reviewed(None, Rating.GOOD, end.replace(tzinfo=UTC))


def test_without_the_extra_one_line_names_it(monkeypatch: pytest.MonkeyPatch, sixprime: Callable[..., Any]) -> None:
    monkeypatch.setitem(sys.modules, "fsrs", None)
    with pytest.raises(SettingsError, match=r"pip install 'sixprime\[learn\]'"):
        reviewed(None, Rating.GOOD, NOW)
    # Before anything is asked or analysed.
    status, out, err = sixprime("quiz", str(sp.sample_match()))
    assert (status, out) == (2, "")
    assert err == "sixprime: spaced repetition needs an extra: pip install 'sixprime[learn]'\n"


def test_ratings(errors: list[Question]) -> None:
    question = next(q for q in errors if q.kind is DecisionKind.PLAY)
    marks = Thresholds(0.05, 0.1, 0.2)
    for loss, rating in ((0.0, Rating.GOOD), (0.004, Rating.GOOD), (0.02, Rating.HARD), (0.05, Rating.AGAIN)):
        assert rating_of(replace(answer(question, question.best), loss=loss), marks) is rating
    assert rating_of(no_answer(question)) is Rating.AGAIN
    assert not no_answer(question).found


# The quiz.


def run(quiz: Quiz, now: datetime, texts: Callable[[Question], str | None], step: timedelta) -> tuple[Quiz, list[str]]:
    """Answers until nothing is left; the IDs in the order they were asked."""
    asked = []
    while (card := quiz.card(now)) is not None:
        asked.append(card.question.id)
        text = texts(card.question)
        given = no_answer(card.question) if text is None else answer(card.question, text)
        quiz, _ = quiz.answered(card, given, now, 3.0)
        now += step
    return quiz, asked


def test_new_questions_come_in_order_and_wrong_ones_again(errors: list[Question]) -> None:
    deck = Deck().added(errors)
    quiz, asked = run(Quiz(deck, new=3), NOW, lambda question: question.best, timedelta(seconds=10))
    ids = [q.id for q in errors[:3]]
    # Learnt after two right answers; between them lie ten minutes, which need not be waited for.
    assert asked == [*ids, *ids]
    assert all(card.memory is not None and card.memory.state == 2 for card in quiz.deck.cards[:3])
    assert quiz.deck.cards[3].memory is None
    assert quiz.card(NOW + timedelta(hours=1)) is None
    later = Quiz(quiz.deck, new=0).card(NOW + timedelta(days=9))
    assert later is not None
    assert later.question.id == ids[0]


def test_who_gives_up_is_asked_again(errors: list[Question]) -> None:
    seen: list[str] = []

    def text(question: Question) -> str | None:
        seen.append(question.id)
        return None if len(seen) == 1 else question.best

    quiz, asked = run(Quiz(Deck().added(errors[:1])), NOW, text, timedelta(seconds=30))
    assert len(asked) == 3
    assert quiz.deck.cards[0].lapses == 1
    each = standing(quiz.deck.cards, NOW)
    assert (each.answers, each.found, each.mean_loss) == (3, 2, 0.0)


def test_a_quiz_keeps_to_its_topics_kinds_and_count(errors: list[Question]) -> None:
    deck = Deck().added(errors).added(of_book(opening_book(), Topic.OPENING))
    only = Quiz(deck, topics=(Topic.OPENING,), new=100, count=4)
    quiz, asked = run(only, NOW, lambda question: question.best, timedelta(seconds=1))
    assert len(asked) == 4
    assert {answer.question.topic for answer in quiz.answers} == {Topic.OPENING}
    for phase in Phase:
        part = Quiz(deck, phases=(phase,)).card(NOW)
        wanted = [question for question in errors if question.phase is phase]
        assert (part and part.question) == (wanted[0] if wanted else None)
    doubles = Quiz(deck, kinds=(DecisionKind.DOUBLE,)).card(NOW)
    assert doubles is not None
    assert doubles.question.kind is DecisionKind.DOUBLE
    for wrong in ({"new": -1}, {"count": 1.5}):
        with pytest.raises(SettingsError):
            Quiz(deck, **wrong)  # type: ignore[arg-type]
    card = deck.cards[0]
    with pytest.raises(SettingsError, match="another question"):
        only.answered(card, no_answer(deck.cards[1].question), NOW, 1.0)


def test_a_deck_holds_each_question_once(errors: list[Question]) -> None:
    deck = Deck().added(errors)
    card = deck.cards[0]
    review = Review(NOW, card.question.best, 0.0, 2.0, Rating.GOOD)
    known = deck.reviewed(card.question, review)
    again = known.added([replace(q, source="another file") for q in errors])
    assert len(again.cards) == len(errors)
    assert again.cards[0].memory == known.cards[0].memory
    assert again.cards[0].question.source == "another file"
    assert len(deck.without([card.question.id]).cards) == len(errors) - 1
    # An answer to what somebody has taken out meanwhile.
    assert len(Deck().reviewed(card.question, review).cards) == 1


# Kept.


def test_a_deck_comes_back_as_it_was(errors: list[Question], tmp_path: Path) -> None:
    deck = Deck().added(errors).added(of_book(opening_book(), Topic.OPENING)[:3])
    quiz, _ = run(Quiz(deck, new=4), NOW, lambda q: q.best, timedelta(minutes=1))
    kept = Kept(tmp_path / "deck.sixprime", Deck())
    assert kept.load() == Deck()
    assert kept.change(lambda empty: quiz.deck) == quiz.deck
    assert kept.load() == quiz.deck
    before = kept.path.stat().st_mtime_ns
    kept.change(lambda same: same)
    assert kept.path.stat().st_mtime_ns == before


@pytest.mark.parametrize(
    ("place", "value", "text"),
    [
        (("question", "dice"), [7, 1], "two numbers from 1 to 6"),
        (("question", "plays"), [], "a play needs dice and plays"),
        (("question", "kind"), "take", "cube: a take needs it"),
        (("memory", "stability"), -1.0, "stability: expected a number"),
        (("memory", "state"), 9, "state: expected a whole number from 1 to 3"),
        (("memory", "due"), "2026-03-01T12:00:00", "expected a time with its zone"),
    ],
)
def test_a_damaged_deck_is_refused(
    errors: list[Question], tmp_path: Path, place: tuple[str, str], value: object, text: str
) -> None:
    question = next(q for q in errors if q.kind is DecisionKind.PLAY)
    deck = Deck().reviewed(question, Review(NOW, question.best, 0.0, 2.0, Rating.GOOD))
    document = json.loads(codec.to_json(deck))
    document["content"]["cards"][0][place[0]][place[1]] = value
    path = tmp_path / "deck.sixprime"
    path.write_text(json.dumps(document))
    with pytest.raises(InvalidFileError, match=text):
        Kept(path, Deck()).load()


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (
            b" 7 point match\n",
            "no deck of Sixprime: expected a JSON document of format sixprime-deck; found .*got int",
        ),
        (b'{"cards": []}', "no deck of Sixprime: expected .* format sixprime-deck; found .* field format"),
        (b"", "no deck of Sixprime: expected .* found .* truncated"),
        (codec.to_json(Rules(7)), "format: expected sixprime-deck; found sixprime-rules"),
    ],
)
def test_what_is_no_deck_is_called_so(sixprime: Callable[..., Any], tmp_path: Path, data: bytes, text: str) -> None:
    path = tmp_path / "other"
    path.write_bytes(data)
    status, out, err = sixprime("quiz", "--list", "--deck", str(path))
    assert (status, out) == (1, "")
    assert re.search(f"other: {text}", err)


def test_a_damaged_deck_is_found_before_a_match_is_judged(
    sixprime: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def judged(*_: object, **__: object) -> None:
        raise AssertionError

    monkeypatch.setattr("sixprime.cli.quiz.gathered", judged)
    path = tmp_path / "other"
    path.write_bytes(b"{")
    status, _, err = sixprime("quiz", str(sp.sample_match()), "--add", "--deck", str(path))
    assert status == 1
    assert "no deck of Sixprime" in err


@pytest.mark.parametrize("words", [("quiz",), ("quiz", "openings", "--add"), ("cards", "--to", "x.apkg")])
@pytest.mark.parametrize("option", [("--player", "nobody"), ("--least", "3")])
def test_errors_are_chosen_of_matches_that_are_named(
    sixprime: Callable[..., Any], tmp_path: Path, words: tuple[str, ...], option: tuple[str, str]
) -> None:
    status, out, err = sixprime(*words, *option, "--deck", str(tmp_path / "deck"), stdin=b"")
    assert (status, out) == (2, "")
    assert f"{option[0]} chooses errors of matches; name files or folders of them" in err


def test_a_deck_in_no_folder_is_refused_before_anything_is_asked(sixprime: Callable[..., Any], tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.touch()
    status, out, err = sixprime("quiz", "openings", "--deck", str(gone / "deck"), stdin=b"q\n")
    assert (status, out, err) == (1, "", f"sixprime: {gone}: a folder was expected, this is a file\n")


# The command.


def test_names_from_files_steer_no_terminal(errors: list[Question]) -> None:
    question = replace(errors[0], source="match\x1b[2J.mat, [bold]Ann\u202e")
    with io.StringIO() as stream:
        render_answer(
            answer(question, question.chosen),
            Review(NOW, question.chosen, 0.1, 5.0, Rating.AGAIN),
            NOW + timedelta(minutes=1),
            console=Console(file=stream, width=200),
        )
        said = stream.getvalue()
    assert "match?[2J.mat, [bold]Ann?" in said
    assert "\x1b" not in said


def test_errors_are_asked_and_kept(sixprime: Callable[..., Any], tmp_path: Path) -> None:
    deck = str(tmp_path / "deck.sixprime")
    arguments = ("quiz", str(sp.sample_match()), "--plies", "0", "--player", "kévin unger", "--deck", deck)
    status, out, err = sixprime(*arguments, stdin=b"8/5 6/5\n?\nhelp\n?\nd\n")
    assert status == 0
    assert "sample.mat: 20 errors" in err
    assert "is no legal play of 4-2" in err
    assert "Best is 8/4* 6/4" in out
    assert "Double loses 0.166 ??; best is No double" in out
    assert "asked again in 1 minute" in out
    assert "3 answers, 0 right, 0.166 lost in the mean." in out
    status, out, _ = sixprime("quiz", "--list", "--deck", deck)
    assert "18 plays, 1 wrong double, 1 missed double" in out
    status, out, _ = sixprime("quiz", "--list", "--deck", deck, "--kind", "double", "--json")
    found = json.loads(out)
    assert found["all"]["cards"] == 2
    assert found["all"]["answers"] == 1
    assert [card["kind"] for card in found["cards"]] == ["double"] * 2
    both = []
    for phases in (("--phase", "race"), ("--phase", "contact", "--phase", "opening", "--phase", "back  game")):
        cards = json.loads(sixprime("quiz", "--list", "--deck", deck, *phases, "--json").out)["cards"]
        both += [card["phase"] for card in cards]
    assert set(both) <= {"opening", "contact", "race", "back game"}
    assert 0 < both.count("contact") <= len(both) <= 20
    status, out, _ = sixprime("quiz", "--new", "0", "--deck", deck, "--phase", "race")
    assert "Nothing is due." in out
    # Nobody is told to add errors that are there.
    found = sixprime("quiz", "--list", "--deck", deck, "--kind", "take", "--phase", "bear-off").out
    assert found == "No cards of the kinds that are asked for.\n"
    status, out, _ = sixprime("quiz", "--deck", deck, "--count", "0")
    assert out.startswith("Nothing is asked.")


def test_openings_are_asked_in_a_row(sixprime: Callable[..., Any], tmp_path: Path) -> None:
    deck = str(tmp_path / "deck.sixprime")
    status, out, _ = sixprime("quiz", "openings", "--deck", deck, "--count", "2", stdin=b"13/11 6/5\n8/5 6/5\n")
    assert status == 0
    assert "Right: 8/5 6/5" in out
    assert "2 answers" in out
    status, out, _ = sixprime("quiz", "replies", "--deck", deck, "--new", "1", stdin=b"q\n")
    assert "A reply to 21:" in out
    assert len(codec.load(deck, Deck).of((Topic.REPLY,))) >= 315


def test_saved_analyses_are_not_judged_again(
    sixprime: Callable[..., Any], tmp_path: Path, analysed: AnalysedMatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    analysed.save(tmp_path / "match.sixprime")  # type: ignore[attr-defined]
    monkeypatch.setattr("sixprime.cli._questions.make_engine", lambda **_: pytest.fail("an engine"))
    deck = str(tmp_path / "deck.sixprime")
    status, out, err = sixprime("quiz", str(tmp_path / "match.sixprime"), "--deck", deck, "--add")
    assert (status, out) == (0, "")
    assert "match.sixprime: " in err


@pytest.mark.parametrize("theirs", [True, False])
def test_analyses_in_the_file_are_used(
    sixprime: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, analysed: AnalysedMatch, theirs: bool
) -> None:
    """Ours anyway, another program's where it is asked for; nothing is judged."""
    monkeypatch.setattr("sixprime.cli._questions.make_engine", lambda **_: pytest.fail("an engine"))
    deck = str(tmp_path / "deck.sixprime")
    path, more = DATA / "sgf" / "analysed.sgf", ("--theirs",)
    if not theirs:
        path, more = tmp_path / "ours.sgf", ()
        formats.write([with_analysis(analysed)], path)
    status, _, err = sixprime("quiz", str(path), *more, "--deck", deck, "--add")
    assert status == 0, err
    questions = [card.question for card in codec.load(deck, Deck).cards]
    assert err == f"{path.name}: {len(questions)} errors\n"
    assert {question.kind for question in questions} >= {DecisionKind.PLAY, DecisionKind.DOUBLE}
    assert not theirs or any(question.missed == "wrong take" for question in questions)
    if not theirs:
        assert {question.id for question in questions} == {question.id for question in errors_of(analysed)}


def test_analyses_in_the_file_are_read_by_the_table_of_the_settings(
    sixprime: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SIXPRIME_CONFIG", str(tmp_path))
    sixprime("settings", "set", "engine.met", "woolsey")
    deck, path = str(tmp_path / "deck.sixprime"), DATA / "sgf" / "analysed.sgf"
    sixprime("quiz", str(path), "--theirs", "--deck", deck, "--add")
    expected = errors_of(foreign(formats.read(path), met=load("woolsey")))
    found = [card.question.cube for card in codec.load(deck, Deck).cards]
    assert [cube and cube.no_double for cube in found] == [each.cube and each.cube.no_double for each in expected]


def test_what_cannot_be_done_is_said(sixprime: Callable[..., Any], tmp_path: Path) -> None:
    deck = ("--deck", str(tmp_path / "deck.sixprime"))
    for arguments, expected, text in (
        (("nothing.mat", "--add"), 1, "nothing.mat"),
        ((str(sp.sample_match()), "--player", "nobody", "--plies", "0", "--add"), 1, "no player is called 'nobody'"),
        ((str(sp.sample_match()), "--theirs", "--add"), 1, "holds no analysis of another program"),
        (("--json",), 2, "--json goes with --list"),
        (("-", "--add"), 2, "standard input holds the answers"),
        (("--kind", "joker"), 2, "joker"),
    ):
        status, _, err = sixprime("quiz", *arguments, *deck)
        assert status == expected, arguments
        assert text in err
        assert len(err.strip().splitlines()) == 1
    (tmp_path / "deck.sixprime").write_text("{}")
    status, _, err = sixprime("quiz", *deck)
    assert status == 1
    assert "deck.sixprime" in err
