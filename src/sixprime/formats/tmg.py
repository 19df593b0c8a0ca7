"""`.tmg`: matches of TrueMoneyGames.

    MatchID: 900001                        "Key: value" lines; flags are 0 or 1
    Player1: 10001 Ann 4.00
    Player2: 10002 Bob 4.00
    Crawford: 1
    Length: 5

    Game 1: 0-0
       -1 1 42:                            number, code and text; a minus sign means the second player
       -1 4 8/4 6/4
       2 5 Double to 2
       -2 10 Pass
       2 14 1 Ann wins 1 point

Codes: 1 roll, 2 automatic double, 4 play, 5 double, 7 take, 8 and 9 beaver and raccoon, 10 pass, 14 to 16 single game,
gammon and backgammon won, 17 and 22 out of time, 19 settlement.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sixprime.errors import InvalidFileError
from sixprime.formats._format import PLAIN_MATCH, Feature, Format, joined, worth
from sixprime.formats._recorder import points_text
from sixprime.formats._script import (
    ALONE,
    DICE,
    HIDDEN,
    NO_MOVE,
    Kind,
    Script,
    ScriptGame,
    danced,
    head_lines,
    indent,
    lines,
    one_line,
    plain_steps,
    script_reader,
)
from sixprime.formats._text import Document
from sixprime.game.match_rules import LARGEST_PLAYED_CUBE, Rules
from sixprime.game.record import Action, ActionKind, Game, Match, Player

NAME = "tmg"

_KEY = re.compile(r"\s*([A-Za-z][A-Za-z0-9]*):\s?(.*)$")
_GAME = re.compile(r"\s*Game\s+(\d{1,6}):\s*(\d{1,6})\s*-\s*(\d{1,6})\s*$", re.IGNORECASE)
_RECORD = re.compile(r"\s*(-?)(\d{1,6})\s+(\d{1,2})(?:\s+(.*?))?\s*$")
_PLAYER = re.compile(r"(\d+) (.*) (-?[\d.,]+)$")
_ROLL = re.compile(r"([1-6][1-6]|\?+):?$")
_CUBE = re.compile(r".*\bto\s+(\d{1,6})$", re.IGNORECASE)
_POINTS = re.compile(r"(\d{1,6})\b")
_DATE = re.compile(r"(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d))?")
_VARIANTS = {"1": "standard", "2": "nackgammon"}


def detect(document: Document) -> bool:
    """Whether a file begins with "Key: value" lines, some of them those of the site."""
    known = False
    for line in head_lines(document):
        key = _KEY.match(line)
        if key is None or _GAME.match(line):
            break
        known = known or key[1].lower() in ("matchid", "player1", "stake", "rakepct", "maxgames")
    return known


class _Reader:
    """Reads one match, line by line."""

    def __init__(self, source: str) -> None:
        self.script = Script(source)
        self._rules: dict[str, str] = {}
        self._game: ScriptGame | None = None
        self._rolled: tuple[int, str, int, int] | None = None  # player, dice, line, column

    def line(self, number: int, line: str) -> None:
        """Takes the next line."""
        game = _GAME.match(line)
        if game is not None:
            self._settle()
            if not self.script.games:
                self._set_up(number)
            self._game = ScriptGame(int(game[1]), number, (int(game[2]), int(game[3])), last_line=number)
            self.script.games.append(self._game)
            return
        record = _RECORD.match(line)
        if record is not None and self._game is not None:
            self._record(self._game, record, number)
            return
        key = _KEY.match(line)
        if key is not None and not _ROLL.match(key[1]):
            # Options may come again between games.
            value = key[2].strip()
            if key[1].lower() not in self._rules:
                self.script.tags.append((key[1], value))
            self._rules.setdefault(key[1].lower(), value)
            return
        self.script.unreadable(line, number, indent(line))

    def end(self) -> Script:
        """The match."""
        self._settle()
        return self.script

    def _on(self, otherwise: bool, *keys: str) -> bool:
        value = next((self._rules[key] for key in keys if key in self._rules), None)
        return otherwise if value is None else value not in ("0", "", "No", "no")

    def _set_up(self, number: int) -> None:
        script, rules = self.script, self._rules
        names = []
        for key in ("player1", "player2"):
            value = rules.get(key, "")
            found = _PLAYER.match(value)
            names.append(found[2].strip() if found is not None else value)
        script.players = Player(names[0]), Player(names[1])
        length = rules.get("length", "0")
        points = int(length) if length.isdecimal() and len(length) < 7 else -1
        points = script.match_length(points, number, length[:20])
        variant = rules.get("variant", "1")
        if variant not in _VARIANTS:
            script.report(f"the variant {variant[:20]!r} is not known; read as backgammon", number)
        limit = rules.get("maxcube", "")
        cube_limit = 1024
        if re.fullmatch(r"[1-9]\d{0,4}", limit):
            cube_limit = min(1 << (int(limit).bit_length() - 1), LARGEST_PLAYED_CUBE)
        script.variant_known = "variant" in rules and variant in _VARIANTS
        script.jacoby_known = "jacoby" in rules
        raccoons = self._on(False, "raccoons", "raccons")
        script.rules = Rules(
            length=points,
            variant=_VARIANTS.get(variant, "standard"),
            crawford_rule=self._on(True, "crawford"),
            jacoby=self._on(True, "jacoby"),
            beavers=3 if raccoons else int(self._on(False, "beavers")),
            cube_limit=cube_limit if self._on(True, "cube") else 1,
        )
        when = _DATE.match(rules.get("startdate", ""))
        if when is not None:
            script.info["date"] = when[1]
            if when[2]:
                script.info["time"] = when[2]
        if rules.get("matchid", "0") != "0":  # else it was not played there
            script.info["place"] = "TrueMoneyGames"

    def _settle(self) -> None:
        """A roll that was not followed by a play."""
        if self._rolled is not None and self._game is not None:
            player, dice, line, column = self._rolled
            self._game.add(Kind.ROLL, player, line, column, dice=DICE[dice], text=ALONE)
        self._rolled = None

    def _record(self, game: ScriptGame, record: re.Match[str], line: int) -> None:
        player = int(record[1] == "-")
        code, text = int(record[3]), record[4] or ""
        column = record.start(4) + 1 if record[4] else record.start(3) + 1
        if code == 4:
            self._play(game, player, text, line, column)
            return
        self._settle()
        cube = _CUBE.match(text)
        value = int(cube[1]) if cube is not None else None
        points = _POINTS.match(text)
        if code == 1:
            roll = _ROLL.match(text)
            if roll is None:
                self.script.report(f"expected a roll such as 42:, found {text[:20]!r}", line, column)
            elif roll[1][0] != "?":
                self._rolled = (player, roll[1], line, column)
        elif code == 2:
            game.add(Kind.AUTOMATIC, player, line, column)
        elif code == 5:
            game.add(Kind.DOUBLE, player, line, column, value=value)
        elif code == 7:
            game.add(Kind.TAKE, player, line, column)
        elif code in (8, 9):
            game.add(Kind.BEAVER, player, line, column, value=value)
        elif code == 10:
            game.add(Kind.DROP, player, line, column)
        elif code in (14, 15, 16):
            game.add(Kind.WINS, player, line, column, value=int(points[1]) if points is not None else None)
        elif code in (17, 22):
            game.comment = "\n".join(filter(None, [game.comment, text or "out of time"]))
            game.add(Kind.RESIGNS, player, line, column)
        elif code == 19:
            game.comment = "\n".join(filter(None, [game.comment, text or "settled"]))
        else:
            self.script.report(f"a record of unknown kind {code}: {text[:40]!r}", line, column)

    def _play(self, game: ScriptGame, player: int, text: str, line: int, column: int) -> None:
        if self._rolled is None or self._rolled[0] != player:
            self._settle()
            game.add(Kind.ROLL, player, line, column, text=text)  # without dice
            return
        dice = DICE[self._rolled[1]]
        self._rolled = None
        # A fan that is none is a play that the site kept to itself.
        play = "" if text.replace(" ", "") in ("0/0", "0/00/0", "") else text
        game.add(Kind.ROLL, player, line, column, dice=dice, text=NO_MOVE if text and not play else play or HIDDEN)


def _scripts(document: Document) -> Iterator[Script]:
    reader = _Reader(document.name)
    for number, line in lines(document):
        if reader.script.games and re.match(r"\s*MatchID:", line, re.IGNORECASE):
            yield reader.end()
            reader = _Reader(document.name)
        reader.line(number, line)
    yield reader.end()


# Writing


def format(match: Match) -> str:
    """The text of a match. Raises InvalidFileError for one that would be read as another game."""
    if match.variant.startswith("hypergammon"):
        raise InvalidFileError("TrueMoneyGames has no hypergammon; its files would be read as backgammon")
    names = one_line(match.players[0].name), one_line(match.players[1].name)
    known = {key.lower(): value for key, value in match.tags}
    header = {
        "MatchID": known.get("matchid", "0"),
        "Player1": f"1 {names[0]} 0.00",
        "Player2": f"2 {names[1]} 0.00",
        "Stake": known.get("stake", "0.00"),
        "RakePct": known.get("rakepct", "0.0"),
        "MaxRakeAbs": known.get("maxrakeabs", "0.00"),
        "Startdate": _start(match),
        "Jacoby": int(match.jacoby),
        "AutoDistrib": 0,
        "Automatics": int(any(game.cube > 1 for game in match.games)),
        "Beavers": int(match.beavers > 0),
        "Raccoons": int(match.beavers > 1),
        "Crawford": int(match.crawford_rule),
        "Cube": int(match.cube_limit > 1),
        "MaxCube": match.cube_limit,
        "Length": match.length,
        "MaxGames": 0,
        "Variant": 2 if match.variant == "nackgammon" else 1,
        "PlayMoney": 1,
    }
    written = [f"{key}: {value}" for key, value in header.items() if value != ""]
    for game in match.games:
        written += ["", f"Game {game.number}: {game.score[0]}-{game.score[1]}", *_game_lines(game, names)]
    return "\n".join(written) + "\n"


def _start(match: Match) -> str:
    """Date and time as far as they are known."""
    date, time = match.info.get("date", ""), match.info.get("time", "")
    return f"{date} {time}:00" if date and time else date


def _game_lines(game: Game, names: tuple[str, str]) -> Iterator[str]:
    cube = 1
    while cube < game.cube:
        cube *= 2
        yield f"   0 2 Automatic to {cube}"
    number = 0
    for action in game.actions:
        if action.kind in (ActionKind.MOVE, ActionKind.ROLL, ActionKind.DOUBLE):
            number += 1
        for code, text in _records(action):
            yield f"   {'-' if action.player else ''}{number} {code} {text}"
    if game.winner is not None:
        level = min(max(-(-game.points // _last_cube(game)), 1), 3)
        sign = "-" if game.winner else ""
        yield f"   {sign}{number + 1} {13 + level} {game.points} {names[game.winner]} wins {points_text(game.points)}"


def _last_cube(game: Game) -> int:
    ended = worth(game)
    return ended[1] if ended is not None else game.actions[-1].state.cube if game.actions else 1


def _records(action: Action) -> list[tuple[int, str]]:
    """Codes and texts of an action."""
    if action.kind is ActionKind.DOUBLE:
        return [(5, f"Double to {action.value}")]
    if action.kind is ActionKind.BEAVER:
        return [(8, f"Beaver to {action.value}")]
    if action.kind is ActionKind.TAKE:
        return [(7, "Take")]
    if action.kind is ActionKind.DROP:
        return [(10, "Pass")]
    if action.dice is None:
        return []
    roll = (1, f"{action.dice[0]}{action.dice[1]}:")
    if action.kind is ActionKind.ROLL or action.play is None:
        return [roll]
    return [roll, (4, "0/0" if danced(action) else " ".join(plain_steps(action, hits=False)))]


def _losses(match: Match) -> list[str]:
    return ["how many beavers are allowed"] if match.beavers not in (0, 1, 3) else []


FORMAT = Format(
    NAME,
    "TrueMoneyGames",
    (".tmg",),
    detect,
    script_reader(_scripts, NAME, 'no match of TrueMoneyGames found: no line such as "Game 1: 0-0"'),
    joined(format),
    keeps=PLAIN_MATCH
    | {Feature.ROLL_ONLY, Feature.AUTOMATIC, Feature.JACOBY, Feature.CRAWFORD, Feature.CUBE_LIMIT, Feature.VARIANT}
    | {Feature.BEAVER_RULE},
    more_losses=_losses,
)
