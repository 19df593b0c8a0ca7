"""Positions as eXtreme Gammon copies and pastes them: an XGID, the board drawn, and what was found out about it.

    XGID=-B-CBBB---a---A---ABcbbbd-:1:-1:1:21:3:6:0:7:10

    X:Ann   O:Bob
    Score is X:3 O:6 7 pt.(s) match.
    (the board)
    Pip count  X: 111  O: 52 X-O: 3-6/7
    Cube: 2, O own cube
    X to play 21

        1. 4-ply       19/18 14/12                  eq:-0.491
          Player:   25.45% (G:0.00% B:0.00%)
          Opponent: 74.55% (G:31.09% B:0.09%)

    eXtreme Gammon Version: 2.10, MET: Kazaross XG2

It comes in many languages, so it is read by where things stand and not by words; decimals have points or commas.
Cube decisions come as chances, cubeless equities, and the cubeful equities of no double, double/take, double/pass.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from sixprime.errors import IllegalPlayError, InvalidFileError, InvalidIdError, InvalidPlayError, SixprimeError
from sixprime.formats._board import to_points
from sixprime.formats._format import Feature, Format, Holds
from sixprime.formats._position import decisions, position_match
from sixprime.formats._problems import Problems
from sixprime.formats._script import all_found, indent, one_line, tidy
from sixprime.formats._text import Document
from sixprime.game import doubling
from sixprime.game.diagram import cell
from sixprime.game.ids import decode_xgid, encode_xgid
from sixprime.game.play import Play, parse_play
from sixprime.game.position import Position
from sixprime.game.record import (
    Action,
    ForeignAnalysis,
    ForeignCube,
    ForeignPlay,
    Match,
    Method,
    Problem,
    Value,
)
from sixprime.game.state import MatchState

NAME = "xg-text"

_ID = re.compile(r"XGID=\S+", re.IGNORECASE)
_NAMES = re.compile(r"\s*X:(.*?)\s{2,}O:(.*)$")
_NUMBER = r"([-+]?\d{1,3}[.,]\d{1,6})"
_PLAY = re.compile(rf"\s*\*?\s*(\d{{1,3}})\.\s*(\S.{{0,40}}?)\s{{2,}}(\S.{{0,60}}?)\s+\S{{1,8}}[:：]\s*{_NUMBER}(.*)$")
_CHANCE = r"(\d{1,3}[.,]\d{1,3})\s?%\s*\(\D{0,8}(\d{1,3}[.,]\d{1,3})\s?%\D{1,8}(\d{1,3}[.,]\d{1,3})\s?%\s*\)"
_CHANCES = re.compile(rf"{_CHANCE}(?:\s+{_CHANCE})?")
_LEVEL = re.compile(r"(XG Roller\+{0,2}|\S{1,12}[¹²³⁴⁵⁶⁷⁸⁹]|\d{1,2}-[^\W\d]\S*|Rollout|Book)\s*$", re.IGNORECASE)
_CUBELESS = re.compile(rf"=\s*{_NUMBER}.*=\s*{_NUMBER}")
_EQUITY = re.compile(rf"\s+[^\d:：]{{1,60}}[:：]\s*{_NUMBER}(?:\s|$)")
_VERSION = re.compile(
    r"\s*(?:eXtreme Gammon Version:|(Sixprime|GNU Backgammon|BGBlitz|Snowie)(?= \d|,|$))\s*([^,]*)(?:,\s*(.*))?$",
    re.IGNORECASE,
)
_PLY = re.compile(r"(\d{1,2})(?:-|\s)\D")
_FOOTNOTE = re.compile(r"\s*([¹²³⁴⁵⁶⁷⁸⁹])\s*(\d{1,9})?\s*(.*)$")
_TRIALS = re.compile(r"\s*(\d{1,9})\s+\S.*")


def detect(document: Document) -> bool:
    """Whether a file begins with an XGID and has the names of X and O soon after it."""
    head = document.head
    if not _ID.match(head):
        return False
    return re.search(r"^\s*X:.*\sO:", head, re.MULTILINE) is not None


def read(document: Document) -> list[Match]:
    """Every position of a file, each as a match. Raises InvalidFileError when it holds none."""
    blocks: list[list[tuple[int, str]]] = []
    for number, full in enumerate(document.lines, 1):
        line = tidy(full)
        if _ID.match(line.lstrip()):
            blocks.append([])
        if blocks:
            blocks[-1].append((number, line))
    matches: list[Match] = []
    failures: list[Problem] = []
    for block in blocks:
        number, line = block[0]
        try:
            position, state = decode_xgid(line.strip())
        except InvalidIdError as error:
            failures.append(Problem(str(error), document.name or None, number, indent(line)))
            continue
        matches.append(_Block(document.name, position, state).read(block[1:]))
    return all_found(document, matches, failures)


def _float(text: str) -> float:
    return float(text.replace(",", "."))


def _percent(texts: Sequence[str]) -> tuple[float, float, float]:
    win, gammon, backgammon = (round(_float(text) / 100, 6) for text in texts)
    return win, gammon, backgammon


class _Block:
    """Reads what stands below one XGID."""

    def __init__(self, source: str, position: Position, state: MatchState) -> None:
        self._source, self._position, self._state = source, position, state
        self._names = ("", "")  # of O and X, as players 0 and 1
        self._report = Problems(source)
        self._plays: list[tuple[Play | None, str, float, list[tuple[float, float, float]]]] = []
        self._chances: list[list[tuple[float, float, float]]] = []
        self._level = ""
        self._cubeless: tuple[float, float] | None = None
        self._equities: list[float] = []
        self._best = ""
        self._extras: list[tuple[str, str]] = []
        self._notes: dict[str, tuple[int, str]] = {}
        self._version, self._settings = "eXtreme Gammon", ""
        self._comment: list[str] = []

    def read(self, rows: Sequence[tuple[int, str]]) -> Match:
        """The position as a match."""
        named = after = False
        for number, line in rows:
            if not named and (names := _NAMES.match(line)) is not None:
                self._names, named = (names[2].strip(), names[1].strip()), True
            elif line.lstrip().startswith(("|", "+")) or not line.strip():
                continue
            elif not after and (version := _VERSION.match(line)) is not None:
                self._version = f"{version[1] or 'eXtreme Gammon'} {version[2].strip()}".strip()
                self._settings, after = (version[3] or "").strip(), True
            elif after:
                self._comment.append(line.strip())
            else:
                self._line(number, line)
        analysis = self._analysis()
        match = position_match(
            self._position,
            self._state,
            self._names,
            format=NAME,
            source=self._source,
            comment="\n".join(self._comment),
            analyses=(analysis,) if analysis is not None else (),
            problems=tuple(self._report),
        )
        if not self._extras:
            return match
        game = match.games[0]
        action = replace(game.actions[0], extras=tuple(self._extras))
        return replace(match, games=(replace(game, actions=(action,)),))

    def _line(self, number: int, line: str) -> None:
        play = _PLAY.match(line)
        if play is not None:
            self._play(play, number)
            return
        chances = _CHANCES.search(line)
        if chances is not None:
            found = [_percent(chances.groups()[:3])]
            if chances[4] is not None:
                found.append(_percent(chances.groups()[3:]))
            if self._plays and not self._cubeless:
                self._plays[-1][3].append(found[0])
            else:
                self._chances.append(found)
        elif not self._chances and not self._plays and (level := _LEVEL.search(line)) is not None:
            self._level = level[1]
        elif (cubeless := _CUBELESS.search(line)) is not None and self._cubeless is None:
            self._cubeless = _float(cubeless[1]), _float(cubeless[2])
        elif self._chances and len(self._equities) < 3 and (equity := _EQUITY.match(line)) is not None:
            self._equities.append(_float(equity[1]))
        elif len(self._equities) == 3 and not self._best:
            self._best = re.split("[:：]|Aktion", line)[-1].strip()  # German has no colon here
        elif (note := _FOOTNOTE.match(line)) is not None:
            self._notes[note[1]] = int(note[2] or 0), f"{note[2] or ''} {note[3]}".strip()
        elif self._notes or self._best or self._plays:
            # Confidence intervals, seeds, durations, the percentage of wrong passes: kept as they are.
            self._extras.append(("XG", line.strip()))

    def _play(self, found: re.Match[str], line: int) -> None:
        if self._state.dice is None:
            self._report("a play, but the XGID has no dice", line, found.start(3) + 1)
            return
        text = found[3]
        play: Play | None = None
        try:
            # "Cannot move" is in words of any language.
            play = parse_play(text if any(map(str.isdigit, text)) else "", self._position, self._state.dice)
        except (IllegalPlayError, InvalidPlayError) as error:
            self._report(str(error), line, found.start(3) + 1)
        self._plays.append((play, found[2].strip(), _float(found[4]), []))

    def _method(self, level: str) -> Method:
        mark = level[-1:]
        trials, settings = self._notes.get(mark, (0, ""))
        name = level.rstrip("¹²³⁴⁵⁶⁷⁸⁹")
        ply = _PLY.match(name + " .")
        parts = ", ".join(part for part in (settings, self._settings) if part)
        return Method(name, int(ply[1]) - 1 if ply is not None else None, trials=trials, settings=parts)

    def _analysis(self) -> ForeignAnalysis | None:
        plays = [
            ForeignPlay(play, _value(equity, chances), self._method(level))
            for play, level, equity, chances in self._plays
            if play is not None
        ]
        cube = None
        if len(self._equities) == 3:
            first = [pair[0] for pair in self._chances]
            second = [pair[1] for pair in self._chances if len(pair) > 1]
            cubeless = self._cubeless or (None, None)
            no_double, double_take, double_pass = self._equities
            cube = ForeignCube(
                replace(_value(no_double, first), cubeless=cubeless[0]),
                replace(_value(double_take, second), cubeless=cubeless[1]),
                self._method(self._level),
                Value(equity=double_pass),
                self._best,
            )
        if cube is None and not plays:
            return None
        return ForeignAnalysis(self._version, cube, tuple(plays))


def _value(equity: float, chances: Sequence[tuple[float, float, float]]) -> Value:
    if len(chances) < 2:
        return Value(equity=equity)
    (win, win_g, win_bg), (_, lose_g, lose_bg) = chances[:2]
    return Value((win, win_g, win_bg, lose_g, lose_bg), equity=equity)


# Writing


def format_position(action: Action, names: tuple[str, str]) -> str:
    """One position with the analyses of an action; X is player 1, at the bottom.

    Raises InvalidPositionError for a board that an XGID cannot hold, InvalidIdError for such a cube.
    """
    position, state = action.position, action.state
    if action.dice is not None and state.dice is None:
        state = state.with_dice(action.dice)
    bottom = position if state.on_roll == 1 else position.swapped()
    pips = bottom.pips
    score = (
        f"Score is X:{state.score[1]} O:{state.score[0]} {state.length} pt.(s) match."
        if state.length
        else " ".join(["Unlimited Game", *(["Jacoby"] if state.jacoby else []), *(["Beaver"] if state.beavers else [])])
    )
    if state.length and state.crawford:
        score += " (Crawford)"
    away = f"/{state.length}" if state.length else ""
    owner = {None: "", 0: ", O own cube", 1: ", X own cube"}[state.cube_owner]
    turn = "OX"[state.on_roll]
    doing = f"to play {state.dice[0]}{state.dice[1]}" if state.dice is not None else "on roll, cube action"
    if state.doubled:
        doing = f"doubled, {'OX'[state.decider]} to answer"
    written = [
        encode_xgid(position, state),
        "",
        f"X:{names[1]}   O:{names[0]}",
        score,
        *_board(bottom, state),
        f"Pip count  X: {pips[0]}  O: {pips[1]} X-O: {state.score[1]}-{state.score[0]}{away}",
        f"Cube: {state.cube}{owner}",
        f"{turn} {doing}",
        "",
    ]
    remarks = [text for key, text in action.extras if key == "XG"]
    for analysis in action.analyses:
        written += _analysis_lines(analysis, state, remarks)
        remarks = []
    return "\n".join(written)


def _board(bottom: Position, state: MatchState) -> list[str]:
    points = to_points(bottom)

    def line(numbers: Sequence[int], bar: str, row: int) -> str:
        halves = ["".join(f"{cell(points[number], row):>2} " for number in half) for half in (numbers[:6], numbers[6:])]
        return f" |{halves[0]}| {bar} |{halves[1]}|"

    top, low = range(13, 25), range(12, 0, -1)
    rows = [" +13-14-15-16-17-18------19-20-21-22-23-24-+"]
    # A chequer on the bar stands on the side where it enters.
    rows += [line(top, cell(points[25], 4 - row), row) for row in range(5)]
    rows.append(f" |{'':18}|BAR|{'':18}|")
    rows += [line(low, cell(points[0], 4 - row), row) for row in range(4, -1, -1)]
    rows.append(" +12-11-10--9--8--7-------6--5--4--3--2--1-+")
    if state.cube_owner is not None:
        place = 9 if state.cube_owner == 1 else 1
        for offset, text in enumerate(("+---+", f"|{state.cube:^3}|", "+---+")):
            rows[place + offset] += f" {text}"
    return rows


def _analysis_lines(analysis: ForeignAnalysis, state: MatchState, remarks: Sequence[str]) -> list[str]:
    written: list[str] = []
    settings = ""
    best = analysis.plays[0].value.equity if analysis.plays else None
    notes: dict[str, str] = {}
    for rank, candidate in enumerate(analysis.plays, 1):
        equity = candidate.value.equity
        if equity is None:
            continue
        loss = f" ({equity - best:+.3f})" if rank > 1 and best is not None else ""
        settings = settings or candidate.method.settings
        text = str(candidate.play) or "Cannot move"
        level = _level(candidate.method, notes)
        written.append(f"    {rank}. {level:<11} {_capital(text):<28} eq:{equity:+.3f}{loss}")
        written += [f"      {line}" for line in _chance_lines(candidate.value, "Player:   ", "Opponent: ")]
        written.append("")
    if analysis.cube is not None and not analysis.plays and state.dice is None:
        cube = analysis.cube
        written += _cube_lines(cube, state.cube_owner is not None, _level(cube.method, notes))
        settings = cube.method.settings
    for mark, text in notes.items():
        written.append(f"{mark} {text}")
    if written:
        written += [*map(one_line, remarks), ""]
        table = settings.split(", ")[-1]
        met = f", {table}" if ": " in table else ""
        version = analysis.source.removeprefix("eXtreme Gammon").strip()
        if analysis.source.startswith("eXtreme Gammon"):
            written.append(f"eXtreme Gammon Version: {version}{met}".rstrip())
        else:
            written.append(f"{analysis.source}{met}")
    return written


def _capital(text: str) -> str:
    return text.replace("bar/", "Bar/").replace("/off", "/Off")


def _level(method: Method, notes: dict[str, str]) -> str:
    """The level, with a footnote for a rollout."""
    name = f"{method.plies + 1}-ply" if method.plies is not None else method.name
    if not method.trials:
        return name
    text = f"{method.trials} Games rolled"
    mark = next((mark for mark, known in notes.items() if known == text), None)
    if mark is None and len(notes) < 9:
        mark = "¹²³⁴⁵⁶⁷⁸⁹"[len(notes)]
        notes[mark] = text
    return f"{name}{mark or ''}"


def _chance_lines(value: Value, player: str, opponent: str, second: Value | None = None) -> list[str]:
    """The chances of both sides; `second`: those after a double."""
    if value.probabilities is None:
        return []
    sides: list[str] = ["", ""]
    for part in (value, second):
        if part is None or part.probabilities is None:
            continue
        win, win_g, win_bg, lose_g, lose_bg = (100 * chance for chance in part.probabilities)
        for side, chances in enumerate(((win, win_g, win_bg), (100 - win, lose_g, lose_bg))):
            sides[side] += f" {chances[0]:.2f}% (G:{chances[1]:.2f}% B:{chances[2]:.2f}%)"
    return [f"{player}{sides[0][1:]}", f"{opponent}{sides[1][1:]}"]


def _cube_lines(cube: ForeignCube, redouble: bool, level: str) -> list[str]:
    double = "redouble" if redouble else "double"
    values = (cube.no_double.equity, cube.double_take.equity)
    if values[0] is None or values[1] is None:
        return []
    passed = cube.double_pass.equity if cube.double_pass is not None and cube.double_pass.equity is not None else 1.0
    equities = {f"No {double}": values[0], f"{double.title()}/Take": values[1], f"{double.title()}/Pass": passed}
    best = doubling.best(values[0], values[1], passed)
    written = [
        f"Analyzed in {level}",
        *_chance_lines(cube.no_double, "Player Winning Chances:   ", "Opponent Winning Chances: ", cube.double_take),
        "",
    ]
    if cube.no_double.cubeless is not None and cube.double_take.cubeless is not None:
        pair = f"No Double={cube.no_double.cubeless:+.3f}, Double={cube.double_take.cubeless:+.3f}"
        written += [f"Cubeless Equities: {pair}", ""]
    written.append("Cubeful Equities:")
    for name, equity in equities.items():
        loss = f" ({equity - best:+.3f})" if abs(equity - best) >= 0.0005 else ""
        written.append(f"       {name + ':':<{16 if redouble else 14}} {equity:+.3f}{loss}")
    action = cube.best or _action(values[0], values[1], passed, double)
    return [*written, "", f"Best Cube action: {one_line(action)}"]


def _action(no_double: float, take: float, passed: float, double: str) -> str:
    answer = "Take" if doubling.takes(take, passed) else "Pass"
    if not doubling.doubles(no_double, take, passed):
        return f"{'Too good to' if no_double > passed and answer == 'Pass' else 'No'} {double} / {answer}"
    return f"{double.title()} / {answer}"


def write(matches: Sequence[Match]) -> str:
    """The text of every decision. Raises InvalidFileError when there is none, or one that cannot be written."""
    written = []
    for match, action in decisions(matches):
        names = one_line(match.players[0].name) or "Player 2", one_line(match.players[1].name) or "Player 1"
        try:
            written.append(format_position(action, names))
        except SixprimeError as error:
            raise InvalidFileError(f"a position cannot be written as XG's text: {error}") from error
    if not written:
        raise InvalidFileError("there is no position to write as XG's text")
    return "\n\n".join(written) + "\n"


FORMAT = Format(
    NAME,
    "eXtreme Gammon position text",
    (".xgtext",),
    detect,
    read,
    write,
    Holds.POSITIONS,
    frozenset(
        {Feature.NAMES, Feature.MATCH_LENGTH, Feature.SCORE, Feature.ANALYSIS, Feature.JACOBY, Feature.CUBE_LIMIT}
        | {Feature.SET, Feature.CRAWFORD}
    ),
)
