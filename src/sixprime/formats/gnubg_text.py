"""Games as GNU Backgammon exports them as text: boards, plays, cube actions, and all it thought of them. Read only.

    The score (after 2 games) is: Ann 0, Bob 4 (match to 5 points), Crawford game
    Move number 3:  Ann to play 41
     GNU Backgammon  Position ID: hmfwATDg8+ABUA
                     Match ID   : MAGmAAAAAAAE
    * Ann moves bar/20
    Alert: doubtful move ( -0.041)
    Rolled 41 (+0.025):
         1. Cubeful 2-ply    bar/24 13/9                  Eq.: -0.090
           0.477 0.143 0.007 - 0.523 0.159 0.009
    *   ??  Cubeful 2-ply    bar/20                       MWC:  47.12% ( -0.31%)
    Bob wins 2 points

The program writes a file for each game; several in one file are one match. Equities are those of the player who
decides: the answers to a double are turned round here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from sixprime.errors import InvalidFileError, SixprimeError
from sixprime.formats._format import Format
from sixprime.formats._odd_plays import candidate
from sixprime.formats._problems import Problems
from sixprime.formats._recorder import GameRecorder
from sixprime.formats._replay import MatchReplay
from sixprime.formats._script import lines
from sixprime.formats._text import Document, plain
from sixprime.game.match_rules import LONGEST_MATCH, Rules
from sixprime.game.outcomes import Outcomes
from sixprime.game.position import Position
from sixprime.game.record import (
    Action,
    ActionKind,
    ForeignAnalysis,
    ForeignCube,
    ForeignPlay,
    Match,
    Method,
    Player,
    Value,
)
from sixprime.game.state import MatchState

NAME = "gnubg-text"
SOURCE = "GNU Backgammon"

_NUMBER = r"[-+]?\d{1,4}(?:\.\d{1,9})?"
_SCORE = re.compile(
    r"The score \(after (?P<before>\d{1,5}) games?\) is: (.{0,100}?) (\d{1,6}), (.{0,100}?) (\d{1,6})"
    r"(?: \((?:match to (\d{1,6}) points?|[^()]{0,60})\))?(?:(?P<crawford>, Crawford game)|, post-Crawford play)?\s*"
)
_MOVE = re.compile(r"Move number (\d{1,4}): {1,3}\S.{0,120}")
_ID = re.compile(r"Position ID: ([A-Za-z0-9+/]{14})")
_MATCH_ID = re.compile(r"Match ID {1,3}: ([A-Za-z0-9+/]{12})")
_ACT = re.compile(r"(moves|cannot move|doubles|accepts|rejects|redoubles|resigns)(?: (.{0,60}))?\s*")
_WINS = re.compile(r"(.{0,100}?) wins (\d{1,6}) points?\s*")
_ROLLED = re.compile(rf"Rolled ([1-6])([1-6])(?: \(\s*({_NUMBER})(%?)\))?:\s*")
_PLAY = re.compile(
    r"(\*?) {1,5}(?:\d{1,4}\.|\?\?) {1,2}(.{1,20}?) {2,40}(\S.{0,50}?) {1,40}"
    rf"(Eq\.|MWC):? {{0,3}}({_NUMBER})(%?)(?: {{1,3}}\(.{{1,20}}\))?\s*"
)
_NO_PLAY = re.compile(r"\*? {1,5}Cannot move\s*")
_CHANCES = re.compile(
    rf"\s{{1,12}}{'  ?'.join([rf' ?({_NUMBER})'] * 3)} {{1,3}}-\s{{1,3}}{'  ?'.join([rf' ?({_NUMBER})'] * 3)}.{{0,60}}"
)
_CUBELESS = re.compile(rf"(.{{1,20}}?) cubeless (equity|MWC) {{1,3}}({_NUMBER})(%?)(?: \(Money: ({_NUMBER})\))?\s*")
_CUBE = re.compile(
    rf"[123]\. (No double|Double, take|Double, pass) {{1,20}}({_NUMBER})(%?)(?: {{1,3}}\(.{{1,20}}\))?.{{0,30}}"
)
_WINDOWS = re.compile(r"^ by GNU Backgammon \S{1,20}-mingw", re.M)
_PROPER = re.compile(r"Proper cube action: (.{1,60}?)\s*")
_ALERT = re.compile(r"Alert: (doubtful|bad|very bad) move.{0,20}|Alert: (very )?(un)?lucky roll!.{0,20}")
_SKILL = re.compile(r" \[(doubtful|bad|very bad)\]\s*")
_PLIES = re.compile(r"(\d{1,2})-ply")
_INFO = {
    "Date": "date",
    "Place": "place",
    "Event": "event",
    "Round": "round",
    "Annotator": "annotator",
    "Comments": "comment",
}
_MARKS = {"doubtful": 1, "bad": 2, "very bad": 3}


def detect(document: Document) -> bool:
    """Whether somebody moves or doubles in a text that has GNU Backgammon's IDs beside its boards."""
    text = document.text
    return (
        document.is_text
        and "Move number " in text
        and re.search(r"^\* .{1,100} (?:moves|doubles|cannot)", text, re.M) is not None
    )


def read(document: Document) -> list[Match]:
    """The matches of a file. Raises InvalidFileError when it holds no game."""
    return _Reader(document).matches()


@dataclass(slots=True)
class _Section:
    """What stands between two headings "Move number": the analysis, and what was done."""

    line: int
    position: Position | None = None
    state: MatchState | None = None
    act: tuple[str, str, str, int] | None = None  # who, what, the play, line
    dice: tuple[int, int] | None = None
    luck: float | None = None
    luck_mwc: float | None = None
    plays: list[tuple[str, str, Value, bool]] = field(default_factory=list)  # method, play, value, whether made
    cube: dict[str, Value] = field(default_factory=dict)
    cube_method: str = ""
    proper: str = ""
    play_mark: int | None = None
    cube_mark: int | None = None
    luck_mark: int | None = None

    @property
    def in_chances(self) -> bool:
        """Whether the cube decision is in match-winning chances."""
        return any(value.mwc is not None for value in self.cube.values())


class _Reader:
    def __init__(self, document: Document) -> None:
        self._document = document
        self._report = Problems(document.name)
        self._names = ("", "")
        self._info: dict[str, str] = {}
        self._matches: list[Match] = []
        self._replay: MatchReplay | None = None
        self._recorder: GameRecorder | None = None
        self._section: _Section | None = None
        self._doubled: ForeignCube | None = None  # the last decision whether to double
        self._windows = _WINDOWS.search(document.text) is not None
        # By Jacoby's rule or not: the first match ID tells.
        found = _MATCH_ID.search(document.text)
        state = None if found is None else _state(found[1])
        self._jacoby = state is not None and state.jacoby

    @property
    def _namesakes(self) -> bool:
        """Whether names do not tell who does something; the match IDs do, but for the result."""
        return self._names[0] == self._names[1]

    def matches(self) -> list[Match]:
        number = 0
        for number, line in lines(self._document):
            self._line(line, number)
        self._end_match(number)
        if not self._matches:
            raise InvalidFileError("no game found", path=self._document.name or None, line=1, column=1)
        return self._matches

    def _line(self, line: str, number: int) -> None:
        if (score := _SCORE.fullmatch(line)) is not None:
            self._end_game(number)
            self._begin(score, number)
        elif _MOVE.fullmatch(line) is not None:
            self._end_section()
            self._section = _Section(number)
        elif (won := _WINS.fullmatch(line)) is not None and won[1] in self._names:
            self._end_section()
            if self._recorder is not None and not self._namesakes:
                self._recorder.place = number, None
                self._recorder.wins(self._names.index(won[1]), int(won[2]))
        elif self._section is not None:
            self._within(self._section, line, number)
        elif self._recorder is None or not self._recorder.recorded:
            key, _, text = line.partition(": ")
            if key in _INFO and text.strip():
                text = plain(text.strip())
                self._info.setdefault(_INFO[key], self._date(text) if key == "Date" else text)

    def _begin(self, score: re.Match[str], number: int) -> None:
        names, start = (score[2], score[4]), (int(score[3]), int(score[5]))
        game, length = int(score["before"]) + 1, int(score[6] or 0)
        length, too_long = (0, length) if length > LONGEST_MATCH else (length, 0)
        if self._replay is None or not self._goes_on(self._replay, names, length, game):
            self._end_match(number)
            if too_long:
                self._report(f"a match to {too_long} points; read as a money session", number)
            self._names = names
            self._replay = MatchReplay(Rules(length, jacoby=self._jacoby), names, self._report)
            self._replay.score = start
        if self._replay.rules.over(self._replay.start(game, start, number)):
            self._report(f"game {game} is left out: the match was over", number)
            self._recorder = None
            return
        crawford = score["crawford"] is not None if self._replay.rules.at_match_point(start) else False
        self._recorder = self._replay.begin(game, start, crawford=crawford)

    def _goes_on(self, replay: MatchReplay, names: tuple[str, str], length: int, game: int) -> bool:
        """Whether the game may be one of the same match."""
        last = replay.games[-1].number if replay.games else 0
        return names == self._names and length == replay.rules.length and game > last

    def _end_match(self, number: int) -> None:
        self._end_game(number)
        if self._replay is not None and any(game.actions for game in self._replay.games):
            players = Player(self._names[0]), Player(self._names[1])
            known = {"info": self._info, "problems": tuple(self._report), "source": self._document.name}
            self._matches.append(self._replay.match(players, format=NAME, **known))
        self._replay, self._info, self._report = None, {}, Problems(self._document.name)

    def _end_game(self, number: int) -> None:
        self._end_section()
        if self._recorder is not None and self._replay is not None:
            self._replay.add(self._recorder, self._recorder.finish(None, number))
        self._recorder = None

    def _within(self, section: _Section, line: str, number: int) -> None:
        """A line of a section."""
        if (found := _ID.search(line)) is not None and section.act is None:
            try:
                section.position = Position.from_id(found[1])
            except SixprimeError as error:
                self._report(str(error), number)
        elif (found := _MATCH_ID.search(line)) is not None and section.act is None:
            section.state = _state(found[1])
        elif (act := self._act(line)) is not None:
            section.act = *act, number
        elif (found := _PLAY.fullmatch(line)) is not None:
            value = _value(found[5], found[6], "ubeless" in found[2])
            section.plays.append((found[2], found[3], value, found[1] == "*"))
        elif (found := _CHANCES.fullmatch(line)) is not None:
            chances = _chances(found.groups())
            if section.plays:
                method, play, value, made = section.plays[-1]
                if value.probabilities is None:
                    section.plays[-1] = method, play, replace(value, probabilities=chances), made
            elif section.cube_method:
                section.cube.setdefault("chances", Value(chances))
        elif (found := _ROLLED.fullmatch(line)) is not None:
            section.dice = int(found[1]), int(found[2])
            if found[3] is not None and found[4]:
                section.luck_mwc = float(found[3]) / 100
            elif found[3] is not None:
                section.luck = float(found[3])
        elif (found := _CUBELESS.fullmatch(line)) is not None:
            section.cube_method = found[1]
        elif (found := _CUBE.fullmatch(line)) is not None:
            section.cube[found[1]] = _value(found[2], found[3], False)
        elif (found := _PROPER.fullmatch(line)) is not None:
            section.proper = found[1]
        elif (found := _ALERT.fullmatch(line)) is not None:
            if found[1]:
                section.play_mark = _MARKS[found[1]]
            else:
                section.luck_mark = (2 if found[2] else 1) * (-1 if found[3] else 1)
        elif (found := _SKILL.fullmatch(line)) is not None:
            section.cube_mark = _MARKS[found[1]]

    def _date(self, text: str) -> str:
        """A date such as 22/04/2024 or 11/21/26, written as the user's system does, as yyyy-mm-dd.

        Where its numbers do not tell, Windows puts the month first only without zeros.
        """
        found = re.fullmatch(r"(\d{1,2})/(\d{1,2})/(\d{2}|\d{4})", text)
        if found is None:
            return text
        first, second, year = (int(part) for part in found.groups())
        year += 2000 if year < 100 else 0
        day_first = first > 12 or (self._windows and len(text) == len("dd/mm/yyyy") and second <= 12)
        month, day = (second, first) if day_first else (first, second)
        return f"{year}-{month:02d}-{day:02d}" if month <= 12 and day <= 31 else text

    def _act(self, line: str) -> tuple[str, str, str] | None:
        """Who does what, and the play, of a line that says so. Names may hold such words, too."""
        for name in sorted(self._names, key=len, reverse=True):
            if line.startswith(f"* {name} ") and (found := _ACT.fullmatch(line, len(name) + 3)) is not None:
                return name, found[1], found[2] or ""
        return None

    def _end_section(self) -> None:
        """Hands what was done to the recorder."""
        section, self._section = self._section, None
        recorder = self._recorder
        if section is None or recorder is None or section.act is None:
            return
        name, word, text, line = section.act
        player = self._names.index(name)
        if self._namesakes and section.state is not None:
            player = section.state.decider
        self._settle(recorder, section)
        before = recorder.recorded
        recorder.place = line, 1
        dice = self._dice(section)
        match word:
            case "moves" if dice is not None:
                recorder.move(player, dice, text.strip())
            case "cannot move" if dice is not None:
                recorder.no_move(player, dice)
            case "doubles" | "redoubles":
                recorder.double(player)
            case "accepts":
                recorder.take(player)
            case "rejects":
                recorder.drop(player)
            case "resigns":
                level = 3 if "backgammon" in text else 2 if "gammon" in text else 1
                recorder.resigns(player, None, level)
            case _:
                recorder.lose_track("a play without a roll")
        if recorder.recorded > before:
            analysis = self._analysis(section, recorder.last)
            if analysis is not None:
                recorder.annotate(analyses=(analysis,))

    def _settle(self, recorder: GameRecorder, section: _Section) -> None:
        """Sets the board where the one that is printed is another, as in a game that began with a position by hand."""
        position, state = section.position, section.state
        if position is None or state is None or recorder.lost:
            return
        on_roll = state.on_roll
        seen = recorder.seen_by(on_roll)
        if seen != position and not (recorder.turn is None and seen.swapped() == position):
            if position.chequers == seen.chequers and not recorder.recorded:
                board = position if on_roll == 0 else position.swapped()
                recorder.place = section.line, None
                recorder.set_board(board, state.cube, state.cube_owner, on_roll)
            elif section.act is not None and section.act[1] in ("moves", "cannot move"):
                self._report("the board that is printed is not the one that the plays lead to", section.line)

    def _dice(self, section: _Section) -> tuple[int, int] | None:
        if section.dice is not None:
            return section.dice
        heading = self._document.lines[section.line - 1]
        found = re.search(r" to play ([1-6])([1-6])\s*$", heading[:200])
        return None if found is None else (int(found[1]), int(found[2]))

    def _analysis(self, section: _Section, action: Action) -> ForeignAnalysis | None:
        if action.kind in (ActionKind.TAKE, ActionKind.DROP, ActionKind.BEAVER):
            # The same decision; its match-winning chances are not turned round rightly by the program.
            cube = self._doubled or (None if section.in_chances else _cube(section, turned=True))
        else:
            cube = self._doubled = _cube(section)
        plays, played = _plays(section, action)
        known = (section.luck, section.luck_mwc, section.play_mark, section.cube_mark, section.luck_mark)
        if cube is None and not plays and all(each is None for each in known):
            return None
        return ForeignAnalysis(
            SOURCE,
            cube,
            tuple(plays),
            played,
            luck=section.luck,
            luck_mwc=section.luck_mwc,
            play_mark=section.play_mark,
            cube_mark=section.cube_mark,
            luck_mark=section.luck_mark,
        )


def _state(match_id: str) -> MatchState | None:
    try:
        return MatchState.from_match_id(match_id)
    except SixprimeError:
        return None


def _value(text: str, percent: str, cubeless: bool) -> Value:
    if percent:
        return Value(mwc=float(text) / 100)
    number = float(text)
    return Value(None, number if cubeless else None, number)


def _chances(texts: tuple[str, ...]) -> tuple[float, float, float, float, float] | None:
    win, win_g, win_bg, lose, lose_g, lose_bg = (float(text) for text in texts)
    scale = 100.0 if win + lose > 1.5 else 1.0
    found = tuple(each / scale for each in (win, win_g, win_bg, lose_g, lose_bg))
    return found if all(0 <= each <= 1 for each in found) else None  # type: ignore[return-value]


def _method(text: str) -> Method:
    found = _PLIES.search(text)
    plies = int(found[1]) if found is not None else None
    name = f"{plies}-ply" if plies is not None else "Rollout" if text.startswith("Rollout") else text
    return Method(name, plies, "ubeless" not in text)


def _cube(section: _Section, *, turned: bool = False) -> ForeignCube | None:
    """The cube decision. turned: it stands as the player sees it who answers."""
    hold, take, drop = (section.cube.get(key) for key in ("No double", "Double, take", "Double, pass"))
    if hold is None or take is None:
        return None
    chances = section.cube.get("chances")
    if chances is not None:
        hold = replace(hold, probabilities=chances.probabilities)
        if "ollout" not in section.cube_method:  # an evaluation does not ask where the cube is
            take = replace(take, probabilities=chances.probabilities)
    if turned:
        hold, take, drop = _turned(hold), _turned(take), None if drop is None else _turned(drop)
    return ForeignCube(hold, take, _method(section.cube_method), drop, section.proper)


def _turned(value: Value) -> Value:
    """The same as the other player sees it."""
    chances = value.probabilities
    if chances is not None:
        win, *others = Outcomes(*chances).swapped()
        chances = round(win, 9), others[0], others[1], others[2], others[3]
    return Value(
        chances,
        equity=None if value.equity is None else -value.equity,
        mwc=None if value.mwc is None else round(1 - value.mwc, 9),
    )


def _plays(section: _Section, action: Action) -> tuple[list[ForeignPlay], int | None]:
    """The candidates, best first as they stand, and which was made."""
    plays: list[ForeignPlay] = []
    played = None
    if action.kind is not ActionKind.MOVE or action.dice is None:
        return plays, played
    for method, text, value, made in section.plays:
        play = candidate(text, action.position, action.dice)
        if play is None:
            continue
        if made:
            played = len(plays)
        plays.append(ForeignPlay(play, value, _method(method)))
    return plays, played


FORMAT = Format(NAME, "GNU Backgammon text", (), detect, read)
