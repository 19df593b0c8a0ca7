"""The book of openings: its data, its command, and the page made of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import sixprime as sp
from sixprime.errors import DataFileError, SettingsError
from sixprime.game.rules import ROLLS, ways
from sixprime.learn import openings as learnt
from sixprime.learn.openings import SCORES, BookRoll, OpeningBook, OpeningBooks, opening_book, score_of
from sixprime.report.openings import openings_page

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "src" / "sixprime" / "learn" / "data"
DATA = FOLDER / "openings.json"


@pytest.fixture(scope="module")
def book() -> OpeningBook:
    return opening_book()


@pytest.fixture(scope="module", params=SCORES)
def any_book(request: pytest.FixtureRequest) -> OpeningBook:
    return opening_book(request.param)


def every(book: OpeningBook) -> list[BookRoll]:
    return [*book.openings, *(roll for rolls in book.replies.values() for roll in rolls)]


def test_all_rolls_are_there(any_book: OpeningBook) -> None:
    book = any_book
    assert [roll.dice for roll in book.openings] == [roll for roll in ROLLS if roll[0] != roll[1]]
    assert all(roll.position == sp.Position.start() for roll in book.openings)
    for roll, opening in book.answered:
        replies = book.replies_to(opening.play)
        assert tuple(reply.dice for reply in replies) == ROLLS
        assert all(reply.position == opening.play.result for reply in replies)
        assert all(reply.state == roll.state.swapped() for reply in replies)
    assert sorted(opening.play.result.id for _, opening in book.answered) == sorted(each.id for each in book.replies)
    if book.score == "money":
        assert all(book.replies_to(roll.best.play) for roll in book.openings)
    assert (FOLDER / learnt.file_of(book.score)).stat().st_size < 300_000


def test_numbers_agree_with_each_other(any_book: OpeningBook) -> None:
    for roll in every(any_book):
        assert len({each.play for each in roll.plays}) == len(roll.plays)
        assert len(roll.plays) >= min(2, len(roll.position.plays(roll.dice)))
        losses = [each.equity_loss for each in roll.plays]
        assert losses == sorted(losses)
        assert losses[0] == 0
        for each, error in zip(roll.plays, roll.loss_errors, strict=True):
            win, gammon, backgammon, lost, worst = each.probabilities
            assert 0 <= backgammon <= gammon <= win <= 1
            assert 0 <= worst <= lost <= 1 - win
            assert each.trials >= 324
            assert each.equity_error is not None
            assert 0 < each.equity_error < 0.01
            # The dice are the same, so the loss is surer than two equities, and never much less sure.
            assert error <= 2 * 0.01
            assert each.equity_loss == pytest.approx(roll.best.equity - each.equity, abs=2e-4 + 2 * error)


def test_openings_are_worth_what_their_replies_leave(any_book: OpeningBook) -> None:
    """The equity after an opening is that of the replies with the other sign, though both were rolled out apart.

    A reply is picked from rolled-out ones, and nobody doubled before it, so there is a little more than chance between
    the two. Where gammons count for one side, results spread more.
    """
    near = 0.012 if any_book.score in ("money", "dmp") else 0.016
    for roll, opening in any_book.answered:
        replies = any_book.replies_to(opening.play)
        mean = sum(ways(reply.dice) * reply.best.equity for reply in replies) / 36
        assert opening.equity == pytest.approx(-mean, abs=near), roll.dice


def test_the_search_agrees(any_book: OpeningBook) -> None:
    """What was rolled out as best loses little by the search, and what is far behind is so by both."""
    engine = sp.Engine(threads=1, plies=1)
    from sixprime.engine import PlayRequest

    rolls = every(any_book)[::7]
    for roll, ranked in zip(
        rolls,
        engine.rank_plays_many([PlayRequest(roll.position, roll.dice, roll.state) for roll in rolls], count=None),
        strict=True,
    ):
        searched = {each.play: each for each in ranked}
        assert searched[roll.best.play].equity_loss < 0.06
        for each in roll.plays:
            if each.equity_loss > 0.09:
                assert searched[each.play].equity_loss > 0.005


@pytest.mark.parametrize(
    ("dice", "play"), [("31", "8/5 6/5"), ("42", "8/4 6/4"), ("61", "13/7 8/7"), ("53", "8/3 6/3")]
)
def test_what_everybody_plays(book: OpeningBook, dice: str, play: str) -> None:
    roll = book.opening((int(dice[0]), int(dice[1])))
    assert str(roll.best.play) == play
    assert roll.close == (roll.best,)


PUBLISHED = {
    "21": ("24/23 13/11", "13/11 6/5", "13/11 6/5", "24/23 13/11"),
    "31": ("8/5 6/5",) * 4,
    "41": ("24/23 13/9",) * 4,
    "51": ("24/23 13/8",) * 4,
    "61": ("13/7 8/7",) * 4,
    "32": ("24/21 13/11", "24/21 13/11", "13/11 13/10", "24/21 13/11"),
    "42": ("8/4 6/4",) * 4,
    "52": ("24/22 13/8", "24/22 13/8", "13/11 13/8", "24/22 13/8"),
    "62": ("24/18 13/11",) * 4,
    "43": ("24/21 13/9", "24/20 13/10", "13/10 13/9", "24/21 13/9"),
    "53": ("8/3 6/3",) * 4,
    "63": ("24/18 13/10", "24/18 13/10", "24/18 13/10", "24/15"),
    "54": ("24/20 13/8", "24/20 13/8", "13/9 13/8", "24/20 13/8"),
    "64": ("24/18 13/9", "24/14", "8/2 6/2", "24/14"),
    "65": ("24/13",) * 4,
}
"""The best opening plays at the four scores, in the order of `SCORES`, as players publish them (the opening rolls of
alex10791/personal-blog, 2022)."""


def test_openings_are_those_that_players_publish(any_book: OpeningBook) -> None:
    """Each is one of ours that are not surely worse; or, where three plays of 64 are close for money, little worse."""
    column = [*SCORES].index(any_book.score)
    apart = {}
    for roll in any_book.openings:
        name = f"{roll.dice[0]}{roll.dice[1]}"
        published = sp.parse_play(PUBLISHED[name][column], roll.position, roll.dice)
        if published.result not in [each.play.result for each in roll.close]:
            apart[name] = next(each.equity_loss for each in roll.plays if each.play.result == published.result)
    assert apart.keys() == ({"64"} if any_book.score == "money" else set())
    assert max(apart.values(), default=0) < 0.01


def test_what_is_not_in_the_book_is_said(book: OpeningBook) -> None:
    with pytest.raises(SettingsError, match="no game begins with a double"):
        book.opening((3, 3))
    with pytest.raises(SettingsError, match="opening must be a Play"):
        book.replies_to("8/5 6/5")  # type: ignore[arg-type]
    other = sp.parse_play("24/23 13/10", sp.Position.start(), (3, 1))
    assert book.replies_to(other) == ()


WRONG = ((0, 7), (1, "0.1"), (2, None), (3, True), (4, []), (5, 648.5), (6, "half"))
"""Places in the list of a play, and what cannot stand there."""


def _with(decisions: list[Any], at: int, wrong: object) -> list[Any]:
    """The decisions with something wrong in their first play."""
    (id, dice, (play, *others)), *rest = decisions
    return [[id, dice, [[*play[:at], wrong, *play[at + 1 :]], *others]], *rest]


def test_a_damaged_book_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = json.loads(DATA.read_text())
    for damage in (
        b"",
        b"[]",
        b'{"decisions": 3}',
        json.dumps(found | {"decisions": found["decisions"][15:]}).encode(),
        json.dumps(found | {"decisions": found["decisions"][1:]}).encode(),
        json.dumps(found | {"decisions": [[*found["decisions"][0][:2], []], *found["decisions"][1:]]}).encode(),
        json.dumps(found | {"score": "dmp"}).encode(),
        json.dumps(found | {"seed": "one"}).encode(),
        *(json.dumps(found | {"decisions": _with(found["decisions"], at, wrong)}).encode() for at, wrong in WRONG),
    ):
        path = tmp_path / "openings.json"
        path.write_bytes(damage)
        monkeypatch.setattr(learnt, "_FOLDER", tmp_path)
        learnt._opening_book.cache_clear()
        with pytest.raises(DataFileError, match=r"openings\.json is damaged"):
            opening_book()
    path.unlink()
    with pytest.raises(DataFileError, match="No such file"):
        opening_book()
    learnt.checksum.cache_clear()
    with pytest.raises(DataFileError, match="No such file"):
        _ = OpeningBooks().name
    learnt._opening_book.cache_clear()


def test_the_pages_are_made_of_the_books(any_book: OpeningBook, sixprime: Callable[..., Any]) -> None:
    """`sixprime openings --markdown` writes what stands below the mark."""
    status, out, _ = sixprime("openings", "--score", any_book.score, "--markdown")
    assert status == 0
    assert out == openings_page(any_book)
    name = "openings" if any_book.score == "money" else f"openings-{any_book.score}"
    said = "" if any_book.score == "money" else f" --score {any_book.score}"
    text = (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")
    _, mark, made = text.partition(f"<!-- sixprime openings{said} --markdown -->\n\n")
    assert mark
    assert made == out


def test_the_scores_stand_side_by_side(sixprime: Callable[..., Any]) -> None:
    status, out, _ = sixprime("openings", "--score", "all", "--markdown")
    text = (ROOT / "docs" / "openings.md").read_text(encoding="utf-8")
    assert (status, len(out.splitlines())) == (0, 17)
    assert f"<!-- sixprime openings --score all --markdown -->\n\n{out}\n" in text
    _, out, _ = sixprime("openings", "--score", "all")
    for roll in opening_book("gammon-go").openings:
        assert str(roll.best.play) in out
    _, out, _ = sixprime("openings", "--score", "all", "--json")
    assert {name: len(each["openings"]) for name, each in json.loads(out).items()} == dict.fromkeys(SCORES, 15)


def test_gammons_count_for_whom_they_count() -> None:
    """The books of the scores say what the scores are: the same games, other things that matter."""
    for score, worth in {"gammon-go": (1, 0), "gammon-save": (0, 1), "dmp": (0, 0)}.items():
        for roll in every(opening_book(score)):
            # A side's own view: to the replier gammons against him are those that count for the opener.
            mine, theirs = worth if roll.position == sp.Position.start() else worth[::-1]
            for play in roll.plays:
                win, gammon, _, lost, _ = play.probabilities
                mwc = play.mwc
                assert mwc is not None
                if score == "dmp":
                    expected = win
                elif mine:
                    expected = 0.5 * (win + gammon)
                else:
                    assert theirs
                    expected = 1 - 0.5 * (1 - win + lost)
                assert mwc == pytest.approx(expected, abs=0.0006)


def test_a_state_has_the_book_of_its_score() -> None:
    def named(**fields: Any) -> str | None:
        return score_of(sp.MatchState(**fields))

    assert named() == named(jacoby=True, beavers=0) == "money"
    assert named(jacoby=False) is named(cube_limit=1) is named(cube=2) is named(cube_owner=1, cube=2) is None
    assert named(length=1) == named(length=9, score=(8, 8)) == "dmp"
    assert named(length=7, score=(6, 5), crawford=True) == "gammon-go"
    assert named(length=7, score=(6, 5), crawford=True, on_roll=0) == "gammon-save"
    assert named(length=7, score=(5, 6), crawford=True) == "gammon-save"
    # After the Crawford game the trailer doubles; 3-away gammons are worth something else.
    assert named(length=7, score=(6, 5)) is named(length=7, score=(6, 4), crawford=True) is named(length=7) is None


def test_what_the_books_have_is_found_from_either_side() -> None:
    books = OpeningBooks()
    for score, book in {score: opening_book(score) for score in SCORES}.items():
        for roll in every(book):
            assert books.plays(roll.position, roll.dice[::-1], roll.state) == roll.plays
        # The decider is the leader in one game and the trailer in the other.
        other = opening_book(book.answered_at)
        assert books.plays(sp.Position.start(), (1, 2), SCORES[score].swapped()) == other.openings[0].plays
    assert books.plays(sp.Position.start(), (3, 3), sp.MatchState()) == ()
    assert books.plays(sp.Position.start(), (3, 1), sp.MatchState(length=7)) == ()
    assert books.plays(sp.parse_play("24/23 13/10", sp.Position.start(), (3, 1)).result, (3, 1), sp.MatchState()) == ()
    with pytest.raises(SettingsError, match="match"):
        books.plays(sp.Position.start(), (3, 1), None)  # type: ignore[arg-type]


def test_the_command(sixprime: Callable[..., Any], book: OpeningBook) -> None:
    status, out, _ = sixprime("openings")
    assert (status, len([line for line in out.splitlines() if "±" in line])) == (0, 16)
    status, out, _ = sixprime("openings", "13")
    assert "Replies to 8/5 6/5" in out
    status, out, _ = sixprime("openings", "31", "--json")
    found = json.loads(out)
    assert found["opening"] == "8/5 6/5"
    assert len(found["replies"]) == 21
    status, out, _ = sixprime("openings", "31", "66", "--json")
    assert json.loads(out) == found["replies"][20]
    status, out, _ = sixprime("openings", "31", "6-6")
    assert "X to play 66" in out
    status, out, _ = sixprime("openings", "--json")
    assert len(json.loads(out)["openings"]) == 15
    second = book.opening((4, 1)).plays[-1]
    status, out, _ = sixprime("openings", "41", "--after", str(second.play))
    assert status == 0
    assert f"to {second.play}" in out
    status, out, _ = sixprime("openings", "31", "--score", "gammon-go")
    assert "score 0-1 to 2" in out
    assert "Crawford" in out


@pytest.mark.parametrize(
    ("arguments", "expected", "text"),
    [
        (("33",), 2, "no game begins with a double"),
        (("39",), 2, "dice are two digits"),
        (("31", "--after", "6/3 6/5"), 2, "6/5 6/3 was not rolled out"),
        (("--after", "8/5 6/5"), 2, "--after goes with an opening roll"),
        (("31", "--markdown"), 2, "leave out the roll"),
        (("31", "--after", "6/8"), 1, "does not go forwards"),
        (("--score", "3-away"), 2, "score"),
        (("31", "66", "--after", "24/23 13/10"), 2, "no replies to 24/23 13/10 (money)"),
        (("31", "--score", "all"), 2, "name one score"),
    ],
)
def test_wrong_use(sixprime: Callable[..., Any], arguments: tuple[str, ...], expected: int, text: str) -> None:
    status, _, err = sixprime("openings", *arguments)
    assert status == expected
    assert text in err
    assert len(err.splitlines()) == 1
