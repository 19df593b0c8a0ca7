"""Positions as BGBlitz writes them: the board drawn, IDs, and what was found out about it. Read only.

     Position-ID: b9sBCIC5bYDQAA    Match-ID: QYnoAGAAGAAE
     XGID=-B-CBBB---a---A---ABcbbbd-:1:-1:1:21:3:6:0:7:10

     Green - 6 Red - 3 in a 7 point match.
     Red to move 1-2

    Evaluation  (EMG)
      1.   0.124 mwp /  -0.492            19/18, 14/12
           0.254  0.000  0.000  -  0.746  0.338  0.004

It comes in several languages; position and state are taken from the XGID, numbers from where they stand. Only the
three cube actions, which come best first, must be told apart by their words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from sixprime.errors import IllegalPlayError, InvalidIdError, InvalidPlayError
from sixprime.formats._format import Format
from sixprime.formats._position import position_match
from sixprime.formats._problems import Problems
from sixprime.formats._script import all_found, indent, tidy
from sixprime.formats._text import Document
from sixprime.game.ids import decode_xgid
from sixprime.game.play import parse_play
from sixprime.game.position import Position
from sixprime.game.record import (
    ForeignAnalysis,
    ForeignCube,
    ForeignPlay,
    Match,
    Method,
    Problem,
    Value,
)
from sixprime.game.state import MatchState

NAME = "bgblitz-text"
SOURCE = "BGBlitz"

_NUMBER = r"(-?\d{1,3}[.,]\d{1,6})"
_ID = re.compile(r"\s*XGID=(\S+)", re.IGNORECASE)
_POSITION_ID = re.compile(r"\s*Position-ID:", re.IGNORECASE)
_SIDE = re.compile(r"\s*[+|v].*\+\s+([OX]):\s+(.*\S)\s+\d+\s*$")
_PLAY = re.compile(
    rf"\s*\*?\s*(\d{{1,3}})\.\s+(?:{_NUMBER}\s+mwp\s*/\s*)?{_NUMBER}\s+(?:\(\s*{_NUMBER}\s*\)\s*)?(\S.*)$"
)
_CHANCES = re.compile(rf"\s+{_NUMBER}\s+{_NUMBER}\s+{_NUMBER}\s+-\s+{_NUMBER}\s+{_NUMBER}\s+{_NUMBER}\s*$")
_WINS = re.compile(rf"\s*(\S.*?)\s+{_NUMBER}\s+{_NUMBER}\s+{_NUMBER}\s*$")
_CUBELESS = re.compile(rf"\s*[^:：]*[:：]\s*{_NUMBER}\s+[^\d:：]*[:：]\s*{_NUMBER}\s*$")
_ACTION = re.compile(
    rf"\s*(\S[^:：]*?)\s*[:：]\s*{_NUMBER}\s*\(\s*{_NUMBER}\s*\)(?:\s+{_NUMBER}\s*\(\s*{_NUMBER}\s*\))?\s*$"
)
_TITLE = re.compile(r"\s*\S[^:：]*[:：]\s*[:：]\s*(\S.*?)\s*(?:EMG)?\s*$")
# The answers as the languages of BGBlitz call them.
_TAKE = ("take", "annehmen", "prendre", "受ける", "accept")
_PASS = ("pass", "ablehnen", "refuser", "rejeter", "降りる", "reject", "drop")


def detect(document: Document) -> bool:
    """Whether a file has a position ID with a name in front, and an XGID below it."""
    head = document.head
    return re.search(r"^\s*Position-ID:.*\n\s*XGID=", head, re.MULTILINE) is not None


def read(document: Document) -> list[Match]:
    """Every position of a file, each as a match. Raises InvalidFileError when it holds none."""
    matches: list[Match] = []
    failures: list[Problem] = []
    names = {"O": "", "X": ""}
    block: _Block | None = None
    for number, full in enumerate(document.lines, 1):
        line = tidy(full)
        found = _ID.match(line)
        if found is not None:
            if block is not None:
                matches.append(block.match())
                block = None
            try:
                position, state = decode_xgid(found[1])
            except InvalidIdError as error:
                failures.append(Problem(str(error), document.name or None, number, indent(line)))
                continue
            block = _Block(document.name, position, state, (names["O"], names["X"]))
        elif (side := _SIDE.match(line)) is not None:
            names[side[1]] = side[2].strip()
        elif block is not None and line:
            block.line(number, line)
    if block is not None:
        matches.append(block.match())
    return all_found(document, matches, failures)


def _float(text: str) -> float:
    return float(text.replace(",", "."))


class _Block:
    """Reads what stands below one XGID."""

    def __init__(self, source: str, position: Position, state: MatchState, names: tuple[str, str]) -> None:
        self._source, self._position, self._state, self._names = source, position, state, names
        self._report = Problems(source)
        self._plays: list[ForeignPlay] = []
        self._wins: list[tuple[float, float, float]] = []  # of the opponent of the player on roll, and of him
        self._cubeless: float | None = None
        self._actions: dict[str, Value] = {}
        self._best = ""

    def line(self, number: int, line: str) -> None:
        """Takes the next line."""
        if (play := _PLAY.match(line)) is not None:
            self._play(play, number)
        elif (chances := _CHANCES.match(line)) is not None:
            if self._plays and self._plays[-1].value.probabilities is None:
                win, win_g, win_bg, _, lose_g, lose_bg = map(_float, chances.groups())
                last = self._plays[-1]
                value = replace(last.value, probabilities=(win, win_g, win_bg, lose_g, lose_bg))
                self._plays[-1] = replace(last, value=value)
        elif (action := _ACTION.match(line)) is not None:
            self._action(action, number)
        elif (title := _TITLE.match(line)) is not None:
            self._best = title[1]
        elif len(self._wins) < 2 and (wins := _WINS.match(line)) is not None:
            self._wins.append((_float(wins[2]) / 100, _float(wins[3]) / 100, _float(wins[4]) / 100))
        elif self._cubeless is None and (cubeless := _CUBELESS.match(line)) is not None:
            self._cubeless = _float(cubeless[1])

    def match(self) -> Match:
        """The position as a match."""
        analysis = self._analysis()
        return position_match(
            self._position,
            self._state,
            self._names,
            format=NAME,
            source=self._source,
            analyses=(analysis,) if analysis is not None else (),
            problems=tuple(self._report),
        )

    def _play(self, found: re.Match[str], line: int) -> None:
        text, dice = found[5], self._state.dice
        if dice is None:
            self._report("a play, but the XGID has no dice", line, found.start(5) + 1)
            return
        try:
            play = parse_play(text if any(map(str.isdigit, text)) else "", self._position, dice)
        except (IllegalPlayError, InvalidPlayError) as error:
            self._report(str(error), line, found.start(5) + 1)
            return
        mwc = _float(found[2]) if found[2] is not None else None
        self._plays.append(ForeignPlay(play, Value(equity=_float(found[3]), mwc=mwc), Method(SOURCE)))

    def _action(self, found: re.Match[str], line: int) -> None:
        words = found[1].lower()
        which = "take" if words.endswith(_TAKE) else "pass" if words.endswith(_PASS) else "none"
        if "/" in words and which == "none":
            self._report(f"{found[1][:40]!r} is no cube action in a known language", line, indent(found[0]))
            return
        # In match play the first column is the match-winning chance, the second the equity.
        first, second = _float(found[2]), _float(found[4]) if found[4] is not None else None
        value = Value(equity=first) if second is None else Value(equity=second, mwc=first)
        self._actions.setdefault(which, value)

    def _analysis(self) -> ForeignAnalysis | None:
        cube = None
        if len(self._actions) == 3:
            probabilities = None
            if len(self._wins) == 2:
                probabilities = _of_player(self._wins, self._state.on_roll)
            cube = ForeignCube(
                replace(self._actions["none"], probabilities=probabilities, cubeless=self._cubeless),
                self._actions["take"],
                Method(SOURCE),
                self._actions["pass"],
                self._best,
            )
        if cube is None and not self._plays:
            return None
        return ForeignAnalysis(SOURCE, cube, tuple(self._plays))


def _of_player(wins: Sequence[tuple[float, float, float]], on_roll: int) -> tuple[float, float, float, float, float]:
    """The chances of the player on roll; those of O come first."""
    own, other = wins[on_roll], wins[1 - on_roll]
    win, win_g, win_bg = (round(part, 6) for part in own)
    return win, win_g, win_bg, round(other[1], 6), round(other[2], 6)


FORMAT = Format(NAME, "BGBlitz position text", (), detect, read)
