"""What people copy and paste: posts, mails, links and boards that are drawn, as one position and as a text."""

from __future__ import annotations

import json
from collections.abc import Callable
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sixprime import InvalidIdError, formats
from sixprime.game import parse
from sixprime.game.board_text import find_positions, is_paste
from sixprime.game.ogid import encode_ogid

FIELDS = "-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:7:10"
XGID = f"XGID={FIELDS}"
OGID = encode_ogid(*parse(XGID)[:2])
POSITION, MATCH = "4HPwATDgc/ABMA", "MAEAAAAAAAAA"
BOTH = parse(f"{POSITION}:{MATCH}").xgid
MONEY = parse(POSITION).xgid
FIBS = (
    "board:You:Bob:5:0:0:0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0"
    ":1:3:1:0:0:1:1:1:0:1:-1:0:25:0:0:0:0:2:0:0:0"
)
BOARD = """\
X:Ann   O:Bob
Score is X:3 O:6 7 pt.(s) match.
 +13-14-15-16-17-18------19-20-21-22-23-24-+
 |    X           X |   | X  O  O  O  O  O | +---+
 |                  |   | X  O  O  O  O  O | | 2 |
 |                  |   |    O           O | +---+
 |                  |   |                O |
 |                  |   |                  |
 |                  |BAR|                  |
 |                  |   |                  |
 |                  |   |                  |
 |                  |   |          X       |
 |                  |   | X  X  X  X     X |
 |       O          |   | X  X  X  X     X |
 +12-11-10--9--8--7-------6--5--4--3--2--1-+
Pip count  X: 111  O: 52 X-O: 3-6/7
Cube: 2, O own cube
X to play 21
"""
BEFORE_X = "XGID=-B-CBBB---a---A---ABcbbbd-:1:-1:1:21:3:6:0:7:10"
GNUBG = f"""\
 GNU Backgammon  Position ID: {POSITION}
                 Match ID   : {MATCH}
{parse(XGID).position.diagram()}
"""

PASTES = {
    "an ID": (XGID, XGID),
    "quoted in a mail": (f"> {XGID}", XGID),
    "bold": (f"**{XGID}**", XGID),
    "code": (f"`{XGID}`", XGID),
    "in brackets": (f"({XGID})", XGID),
    "in angles": (f"<{XGID}>", XGID),
    "HTML": (f"<p>{XGID}</p>", XGID),
    "a sentence": (f"What do you play here? {XGID}. I'd run.", XGID),
    "small letters": (XGID.lower().replace(FIELDS.lower(), FIELDS), XGID),
    "a colon": (f"XGID: {FIELDS}", XGID),
    "a blank": (f"XGID {FIELDS}", XGID),
    "blanks": (f"XGID = {FIELDS}", XGID),
    "a hard blank": (f"XGID=\u00a0{FIELDS}", XGID),
    "without a label": (f"see {FIELDS} please", XGID),
    "JSON": (json.dumps({"xgid": FIELDS}), XGID),
    "a blank without width": (f"{XGID[:10]}\u200b{XGID[10:]}", XGID),
    "a word processor's dashes": (XGID.replace("----", "\u2014\u2014"), XGID),
    "a link of Galaxy": (f"https://www.backgammongalaxy.com/analyze?xgid={quote(FIELDS)}&lang=en", XGID),
    "a link of Heroes": (f"https://heroes.backgammonstudio.com/#/position/{quote(XGID)}", XGID),
    "a link among words": (f"see https://x.org/board?position={quote(FIELDS)}&x=1 ok", XGID),
    "a link as it is": (f"https://x.org/?xgid={FIELDS}&move=3", XGID),
    "a link with a place": (f"https://x.org/p/{XGID}#top", XGID),
    "OGID": (f"OGID={OGID}", XGID),
    "OGID in a sentence": (f"here OGID={OGID}, play", XGID),
    "OGID with a colon": (f"OGID: {OGID}", XGID),
    "OGID without a label": (f"look at {OGID} now", XGID),
    "a link with an OGID": (f"https://opengammon.com/board?ogid={quote(OGID)}", XGID),
    "GNUbg ID": (f"GNUbg ID: {POSITION}:{MATCH}", BOTH),
    "GNUbg ID with a blank": (f"GNUbg ID: {POSITION} {MATCH}", BOTH),
    "a label for each": (f"Position ID: {POSITION} Match ID: {MATCH}", BOTH),
    "labels with hyphens": (f"Position-ID: {POSITION}    Match-ID: {MATCH}", BOTH),
    "labels on two lines": (f"Position ID: {POSITION}\nMatch ID   : {MATCH}", BOTH),
    "two lines": (f"{POSITION}\n{MATCH}", BOTH),
    "a link with both": (f"https://x.org/?gnubgid={quote(f'{POSITION}:{MATCH}', safe='')}", BOTH),
    "a link with each": (f"https://x.org/?posid={quote(POSITION, safe='')}&matchid={MATCH}", BOTH),
    "a position ID": (f"Position ID: {POSITION}", MONEY),
    "a position ID without a label": (f"my position {POSITION} is nice", MONEY),
    "GNU Backgammon's board": (GNUBG, BOTH),
    "a drawn board": (parse(XGID).position.diagram(), MONEY),
    "eXtreme Gammon's board": (BOARD, BEFORE_X),
    "eXtreme Gammon's text": (f"{BEFORE_X}\n\n{BOARD}", BEFORE_X),
    "eXtreme Gammon's text in a mail": (
        "\n".join(f"> {line}" for line in f"{BEFORE_X}\n\n{BOARD}".splitlines()),
        BEFORE_X,
    ),
    "FIBS in a sentence": (f"You see: {FIBS} there", parse(FIBS).xgid),
}


@pytest.mark.parametrize("name", PASTES)
def test_pastes(name: str) -> None:
    text, wanted = PASTES[name]
    assert parse(text).xgid == wanted
    [match] = formats._parse(formats.Document(text, "paste"))
    assert match.problems == ()
    assert match.only_position is not None
    assert parse(f"{match.only_position.position.id}:{match.only_position.state.match_id}") == parse(
        parse(wanted).gnubg_id
    )


def test_the_player_above_may_be_on_roll() -> None:
    """eXtreme Gammon draws X below, whoever is on roll."""
    found = parse(BOARD.replace("X to play 21", "O on roll, cube action"))
    assert found.xgid == BEFORE_X.replace(":1:21:", ":-1:00:")


def test_several_positions_of_a_text() -> None:
    second = XGID.replace(":31:", ":64:")
    text = f"First this one:\n{XGID}\nand then\n{second}\nor\n\n{GNUBG}\n\n\n\nXGID=nonsense\n\n\n\n\n\n\n\n\n\n{BOARD}"
    found, failed = find_positions(text)
    assert [each.line for each in found[:3]] == [2, 4, 7]
    assert len(found) == 4
    assert text.split("\n")[found[3].line - 1].startswith(" +13")
    assert [text.split("\n")[line - 1] for line, _ in failed] == ["XGID=nonsense"]
    matches = formats._parse(formats.Document(text, "post"))
    assert {match.format for match in matches} == {"pasted"}
    assert len(matches) == len(found)
    assert [problem.line for problem in matches[0].problems] == [line for line, _ in failed]


def test_one_position_named_twice_counts_once() -> None:
    text = f"What about\n{XGID}\nPosition ID: {POSITION} Match ID: {MATCH}\nhere?"
    assert [each.line for each in find_positions(text)[0]] == [2]


@pytest.mark.parametrize("text", ["", "no position at all in here", "twelveletter fourteenletter", "a\nb"])
def test_words_are_no_positions(text: str) -> None:
    assert find_positions(text) == ([], [])
    assert formats.detect(text) != "pasted"


def test_ids_one_on_a_line_are_no_paste() -> None:
    assert not is_paste([XGID])
    assert not is_paste([XGID, POSITION, f"{POSITION} 31", "nonsense", f"{POSITION} {MATCH} 3 1", FIBS])
    assert is_paste(BOARD.splitlines())
    assert is_paste(["What would you do here?", XGID])


@given(st.text(alphabet="XGIDOid=:-+/%3A \n>*#`|AbB0158eE", max_size=300))
def test_whatever_is_pasted(text: str) -> None:
    try:
        found, failed = find_positions(text)
    except InvalidIdError:
        return
    count = text.count("\n") + 1
    assert all(1 <= line <= count for line in [*(each.line for each in found), *(line for line, _ in failed)])


@pytest.mark.parametrize("command", [("eval", "-"), ("hint", "-"), ("analyse", "-", "--json")])
def test_commands_take_what_was_pasted(sixprime: Callable[..., tuple[int, str, str]], command: tuple[str, ...]) -> None:
    second = XGID.replace(":31:", ":64:")
    text = f"What would you play here?\n{BEFORE_X}\n\n{BOARD}\nMy next one is this:\n{second}\n"
    code, out, err = sixprime(*command, "--plies", "0", stdin=text.encode())
    assert code == 0, err
    answers = [json.loads(line) for line in out.splitlines()]
    assert [each["position_id"] for each in answers] == [parse(BEFORE_X).position.id, parse(second).position.id]


def test_a_paste_that_holds_nothing_to_read(sixprime: Callable[..., tuple[int, str, str]]) -> None:
    code, out, _ = sixprime("eval", "-", stdin=b"what do you all think\nXGID=nonsense is the best\n")
    assert code == 1
    [answer] = [json.loads(line) for line in out.splitlines()]
    assert answer["input"] == "XGID=nonsense is the best"


@pytest.mark.parametrize("first", [XGID, OGID])
def test_words_below_an_id_are_no_ids(first: str) -> None:
    """A post that begins with its ID is a text, not a list of IDs of which all but the first are wrong."""
    text = f"{first}\n\nWhat would you do here? I like 8/5 6/5.\nHe says it leaves (11) shots: I doubt it.\n{XGID}\n"
    one = formats.read_text(text)
    assert one.format == "pasted"
    assert not [problem for problem in one.problems if "only the first" not in str(problem)]


def test_lists_of_ids_stay_lists() -> None:
    """A wrong line among IDs is a problem."""
    match = formats.read_text(f"{XGID}\nXGID=nonsense\n{XGID}\nhm\n")
    assert match.format == "xgid"
    told = [str(problem) for problem in match.problems]
    assert any("'hm' is no XGID" in each for each in told)
    assert any("2:1: an XGID has 10 fields" in each for each in told)


def test_rolls_of_one_position_on_one_line() -> None:
    found, failed = find_positions(f"{XGID} or {XGID.replace(':31:', ':65:')}, and again {XGID}")
    assert [each.state.dice for each in found] == [(3, 1), (6, 5)]
    assert not failed
