"""`.sgg`: matches of GamesGrid and GridGammon.

    Ann vs. Bob
    Tuesday January 2, 2024
    GamesGrid
    ELO: 1700.25 812 1650.50 433     rating and experience of each player
    Match Length: 5                  and other rules
    Game 1.0-0/5                     "*" behind the score of the one who leads marks the Crawford game
    1<TAB>42:                        one tab: the first player; the roll comes first, then again with the play
    1<TAB>42: 8/4, 6/4
    1<TAB><TAB>32: 24/22, 13/10      two tabs: the second player
    2<TAB>Double to 2
    2<TAB><TAB>Pass
    Ann wins 1 point.

Lines that are none of these are chat: they become the comment of what follows.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import date

from sixprime.formats._format import Feature, Format, joined
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
    last_winner,
    lines,
    one_line,
    plain_steps,
    script_reader,
    told,
)
from sixprime.formats._text import MONTHS, Document, month_number
from sixprime.game.match_rules import Rules
from sixprime.game.record import Action, ActionKind, Game, Match, Player

NAME = "sgg"

_KEY = re.compile(r"\s*([A-Za-z][A-Za-z ]{1,30}):\s*(.*)$")
_GAME = re.compile(r"\s*Game\s+(\d{1,6})\s*\.\s*(\d{1,6})(\*?)\s*-\s*(\d{1,6})(\*?)\s*(?:/\s*(\d{1,6}))?\s*$")
_RECORD = re.compile(r"\s*(\d{1,6})(\t\t?|\s+)(?=\S)")
_ROLL = re.compile(r"([1-6][1-6]):\s*(.*)$")
_CUBE = re.compile(r"(double|redouble|beaver|raccoon)(?:\s+to\s+(\d{1,6}))?\s*$", re.IGNORECASE)
_POINTS = re.compile(r"\s*(\d{1,6})\s+points?\b", re.IGNORECASE)
_DATE = re.compile(r"\s*(?:[A-Za-z]+day,?\s+)?([A-Z][a-z]{2,8})\s+(\d{1,2}),?\s+(\d{4})\s*$")
_RATINGS = re.compile(r"\s+".join([r"(-?\d{1,6}(?:\.\d{1,6})?)\s+(\d{1,9})"] * 2))
_NO_RATING = "0"
_SITES = ("GamesGrid", "GridGammon")
_LONGEST_CHAT = 100  # lines without a move between them
_HEAD = 4
"""Lines between the names and the rules of a match, or its first game."""
_RULES = {"elo", "match length", "jacoby", "automatic doubles", "crawford", "beavers", "doubling cube", "variant"}
_NOTHING = {"o-o", "0-0", "0/0", "can't move", "cannot move"}
_VARIANTS = {"backgammon": "standard", "nackgammon": "nackgammon", "hypergammon": "hypergammon3"}


def detect(document: Document) -> bool:
    """Whether a file begins with "name vs. name" and has a game or rules soon after."""
    head = head_lines(document)
    return (
        bool(head)
        and _head(head[0]) is not None
        and any(_GAME.match(line) or line.startswith(("ELO:", "Jacoby:", "Match Length:")) for line in head[:40])
    )


def _head(line: str) -> tuple[str, str] | None:
    """The names of a line "name vs. name"; either may be empty."""
    first, found, second = f" {line.strip()} ".partition(" vs. ")
    return (first.strip(), second.strip()) if found else None


def _wins(line: str) -> tuple[str, int] | None:
    """Name and points of a line "name wins n points"."""
    name, found, rest = f" {line}".rpartition(" wins ")
    points = _POINTS.match(rest) if found else None
    return (name.strip(), int(points[1])) if points is not None else None


class _Reader:
    """Reads one match, line by line."""

    def __init__(self, source: str, names: tuple[str, str]) -> None:
        self.script = Script(source, Rules(jacoby=False, beavers=0), (Player(names[0]), Player(names[1])))
        self._names = names
        self._rules: dict[str, str] = {}
        self._game: ScriptGame | None = None
        self._chat: list[str] = []
        self._remarks: list[str] = []  # on the match
        self._rolled: tuple[str, int, str, int, int] | None = None  # number, player, dice, line, column
        self._seen: set[tuple[str, int, str]] = set()

    @property
    def playing(self) -> bool:
        """Whether a game has begun."""
        return self._game is not None

    def line(self, number: int, line: str) -> None:
        """Takes the next line."""
        game = _GAME.match(line)
        if game is not None:
            self._start(game, number)
        elif self._game is None:
            self._header(number, line)
        elif (wins := _wins(line)) is not None and wins[0] in self._names:
            self._settle()
            winner: int | None = int(wins[0] != self._names[0])
            if self._names[0] == self._names[1]:
                winner = last_winner(self._game.events)
            if winner is None:
                self.script.report(f"both players are called {wins[0]!r}; who won is not clear", number)
            else:
                self._game.add(Kind.WINS, winner, number, 1, value=wins[1])
        elif (record := _RECORD.match(line)) is not None:
            self._record(self._game, record, line, number)
        else:
            self._hear(line.strip(), number)

    def end(self) -> Script:
        """The match."""
        self._settle()
        if self._remarks or self._chat:
            self.script.info["comment"] = "\n".join([*self._remarks, *self._chat])
        if not any(game.crawford for game in self.script.games):
            # Not every writer marks the Crawford game.
            for game in self.script.games:
                game.crawford = None
        return self.script

    def _header(self, number: int, line: str) -> None:
        script = self.script
        key = _KEY.match(line)
        if key is not None:
            name, value = key[1].strip().lower(), key[2]
            self._rules[name] = value
            script.tags.append((key[1].strip(), value))
            if name == "elo":
                self._ratings(value, number)
            return
        found = _DATE.match(line)
        if found is not None and (month := month_number(found[1])):
            script.info["date"] = f"{found[3]}-{month:02d}-{int(found[2]):02d}"
        elif "place" not in script.info:
            script.info["place"] = line.strip()
        else:
            self._remarks.append(line.strip())

    def _hear(self, remark: str, number: int) -> None:
        if len(self._chat) < _LONGEST_CHAT:
            self._chat.append(remark)
        else:
            self.script.report(f"after {_LONGEST_CHAT} lines of chat the rest is left out", number)

    def _ratings(self, value: str, number: int) -> None:
        found = _RATINGS.fullmatch(value.replace(",", "."))
        if found is None:
            self.script.report(f"cannot read the ratings {value[:40]!r}", number)
            return
        first, second = self.script.players
        self.script.players = (
            _player(first.name, found[1], int(found[2])),
            _player(second.name, found[3], int(found[4])),
        )

    def _on(self, key: str, otherwise: bool) -> bool:
        value = self._rules.get(key)
        return otherwise if value is None else value.lower() in ("yes", "on", "true", "1")

    def _start(self, game: re.Match[str], number: int) -> None:
        self._settle()
        if not self.script.games:
            self._set_up(game, number)
        crawford = bool(game[3] or game[5]) if self.script.rules.length else False
        self._game = ScriptGame(int(game[1]), number, (int(game[2]), int(game[4])), crawford, last_line=number)
        self.script.games.append(self._game)
        self._seen.clear()

    def _set_up(self, game: re.Match[str], number: int) -> None:
        length = self.script.match_length(int(game[6] or 0), number)
        variant = self._rules.get("variant", "").lower()
        if variant and variant not in _VARIANTS:
            self.script.report(f"the variant {variant[:40]!r} is not known; read as backgammon", number)
        # GamesGrid does not say how many chequers a game of hypergammon has.
        self.script.variant_known = variant in ("backgammon", "nackgammon")
        self.script.jacoby_known = "jacoby" in self._rules
        raccoons = self._on("raccoons", False)
        self.script.rules = Rules(
            length=length,
            variant=_VARIANTS.get(variant, "standard"),
            crawford_rule=self._on("crawford", True),
            jacoby=self._on("jacoby", True),
            beavers=3 if raccoons else int(self._on("beavers", False)),
            cube_limit=1024 if self._on("doubling cube", True) else 1,
        )

    def _settle(self) -> None:
        """A roll that was announced and not followed by a play."""
        if self._rolled is not None and self._game is not None:
            _, player, dice, line, column = self._rolled
            self._game.add(Kind.ROLL, player, line, column, dice=DICE[dice], text=ALONE)
        self._rolled = None

    def _record(self, game: ScriptGame, record: re.Match[str], line: str, number: int) -> None:
        tabs = record[2]
        player = int(len(tabs) >= 2) if tabs.startswith("\t") else int(len(tabs) > 4)
        column, text = record.end() + 1, line[record.end() :].strip()
        key = record[1], player, text.lower()
        if key in self._seen:
            return  # the server sent this line twice
        roll = _ROLL.match(text)
        if roll is not None and not roll[2]:
            if self._rolled is None or self._rolled[:3] != (record[1], player, roll[1]):
                self._seen.add(key)
                self._settle()
                self._rolled = (record[1], player, roll[1], number, column)
            return
        parts = {"comment": "\n".join(self._chat)} if self._chat else {}
        if roll is not None:
            self._seen.add(key)
            if self._rolled is not None and self._rolled[:3] == (record[1], player, roll[1]):
                self._rolled = None
            self._settle()
            dice, play = DICE[roll[1]], roll[2]
            word = play.lower().rstrip(".")
            if word == "automatic double":
                game.add(Kind.AUTOMATIC, player, number, column)
            elif word in ("resign", "resigns"):
                game.add(Kind.ROLL, player, number, column, dice=dice, text=HIDDEN, parts=parts)
                game.add(Kind.RESIGNS, player, number, column)
            else:
                text = NO_MOVE if word in _NOTHING else play
                game.add(Kind.ROLL, player, number, column, dice=dice, text=text, parts=parts)
        elif self._cube(game, player, text, number, column, parts):
            self._seen.add(key)
        else:
            self._hear(line.strip(), number)
            return
        self._chat = []

    def _cube(self, game: ScriptGame, player: int, text: str, number: int, column: int, parts: dict[str, str]) -> bool:
        """Whether a record is about the cube or a resignation, or a player who cannot roll."""
        word = text.lower().rstrip(".")
        cube = _CUBE.match(text)
        if cube is not None:
            self._settle()
            kind = Kind.DOUBLE if "double" in cube[1].lower() else Kind.BEAVER
            game.add(kind, player, number, column, value=int(cube[2]) if cube[2] else None, parts=parts)
        elif word in ("accept", "accepts", "take", "takes"):
            self._settle()
            game.add(Kind.TAKE, player, number, column, parts=parts)
        elif word in ("pass", "passes", "drop", "drops", "reject", "rejects"):
            self._settle()
            game.add(Kind.DROP, player, number, column, parts=parts)
        elif word in ("resign", "resigns"):
            if self._rolled is not None and self._rolled[1] == player:
                _, _, dice, line, at = self._rolled
                game.add(Kind.ROLL, player, line, at, dice=DICE[dice], text=HIDDEN)
                self._rolled = None
            self._settle()
            game.add(Kind.RESIGNS, player, number, column, parts=parts)
        elif word == "-":
            # Closed out on the bar, a player does not even roll; any roll does as well.
            self._settle()
            game.add(Kind.ROLL, player, number, column, dice=(6, 6), text=NO_MOVE, parts=parts)
        else:
            return False
        return True


def _player(name: str, rating: str, experience: int) -> Player:
    """A player. A rating without digits after the point, 0, is one that is not known."""
    if rating == _NO_RATING:
        return Player(name, None, experience or None)
    return Player(name, float(rating), experience)


def _rating(player: Player) -> str:
    return _NO_RATING if player.rating is None else f"{player.rating:.2f}"


def _begins(after: Iterable[str], *, over: bool) -> bool:
    """Whether a match begins before these lines: rules follow, or a first game; over: a game has just been won."""
    for line in after:
        game, key = _GAME.match(line), _KEY.match(line)
        if game is not None:
            return int(game[1]) == 1
        if key is not None and key[1].strip().lower() in _RULES:
            return True
        if not over and (_RECORD.match(line) or _wins(line) or _head(line)):
            return False
    return over


def _scripts(document: Document) -> Iterator[Script]:
    reader: _Reader | None = None
    last_wins = False
    every = list(lines(document))
    for place, (number, line) in enumerate(every):
        head = _head(line) if reader is None or reader.playing else None
        after = (text for _, text in every[place + 1 : place + 1 + _HEAD])
        if head is not None and (reader is None or _begins(after, over=last_wins)):
            if reader is not None:
                yield reader.end()
            reader = _Reader(document.name, head)
            last_wins = False
            continue
        if reader is None:
            reader = _Reader(document.name, ("", ""))
        last_wins = _wins(line) is not None
        reader.line(number, line)
    if reader is not None:
        yield reader.end()


# Writing


def format(match: Match) -> str:
    """The text of a match."""
    names = one_line(match.players[0].name), one_line(match.players[1].name)
    written = [f"{names[0]} vs. {names[1]}"]
    if day := _long_date(match.info.get("date", "")):
        written.append(day)
    if (place := match.info.get("place")) in _SITES:  # GNU Backgammon takes no other place
        written.append(place)
    if any(player.standing for player in match.players):
        numbers = [f"{_rating(player)} {player.experience or 0}" for player in match.players]
        written.append(f"ELO: {' '.join(numbers)}")
    rules = {
        "Jacoby": match.jacoby,
        "Automatic Doubles": any(game.cube > 1 for game in match.games),
        "Crawford": match.crawford_rule,
        "Beavers": match.beavers > 0,
        "Raccoons": match.beavers > 1,
        "Doubling Cube": match.cube_limit > 1,
    }
    written += [f"{key}: {'Yes' if value else 'No'}" for key, value in rules.items()]
    if match.length:
        written.append(f"Match Length: {match.length}")
    title = {"standard": "Backgammon", "nackgammon": "Nackgammon"}.get(match.variant, "HyperGammon")
    written.append(f"Variant: {title}")
    for game in match.games:
        written += [*_game_lines(match, game, names), ""]
    return "\n".join(written)


def _long_date(day: str) -> str:
    """A date such as "Tuesday January 2, 2024"; "" for a text that is no date."""
    try:
        value = date.fromisoformat(day)
    except ValueError:
        return ""
    weekday = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"][value.weekday()]
    return f"{weekday} {MONTHS[value.month - 1]} {value.day}, {value.year}"


def _game_lines(match: Match, game: Game, names: tuple[str, str]) -> Iterator[str]:
    leads = game.crawford and game.score.index(max(game.score))
    stars = ["*" if game.crawford and leads == player else "" for player in (0, 1)]
    length = f"/{match.length}" if match.length else ""
    yield f"Game {game.number}.{game.score[0]}{stars[0]}-{game.score[1]}{stars[1]}{length}"
    # A line that comes twice is taken for one.
    for number in range(game.cube.bit_length() - 1):
        yield f"1{_tabs(number // 6 % 2)}{11 * (number % 6 + 1)}: Automatic double"
    yield from (one_line(remark) for remark in game.comment.splitlines() if remark.strip())
    number, had_turn = 1, [False, False]
    actions = list(told(game))
    for index, action in enumerate(actions):
        begins = action.kind in (ActionKind.MOVE, ActionKind.ROLL, ActionKind.DOUBLE) and not (
            index and actions[index - 1].kind in (ActionKind.TAKE, ActionKind.BEAVER)
        )
        if begins and had_turn[action.player]:
            number, had_turn = number + 1, [False, False]
        had_turn[action.player] = had_turn[action.player] or begins
        yield from (one_line(remark) for remark in action.comment.splitlines() if remark.strip())
        yield from (f"{number}{_tabs(action.player)}{text}" for text in _texts(action))
    if game.winner is not None:
        yield f"{names[game.winner]} wins {points_text(game.points)}."


def _tabs(player: int) -> str:
    return "\t" * (player + 1)


def _texts(action: Action) -> list[str]:
    """What the records of an action say."""
    if action.kind is ActionKind.DOUBLE:
        return [f"Double to {action.value}"]
    if action.kind is ActionKind.BEAVER:
        return [f"{'Raccoon' if action.state.beavered else 'Beaver'} to {action.value}"]
    if action.kind is ActionKind.TAKE:
        return ["Accept"]
    if action.kind is ActionKind.DROP:
        return ["Pass"]
    if action.kind is ActionKind.RESIGN:
        return ["Resign"]
    if action.dice is None:
        return []
    roll = f"{action.dice[0]}{action.dice[1]}:"
    if action.kind is ActionKind.ROLL or action.play is None:
        return [roll]
    if danced(action):
        return [f"{roll} O-O"]
    return [roll, f"{roll} {', '.join(plain_steps(action))}"]


def _losses(match: Match) -> list[str]:
    lost = ["how many beavers are allowed"] if match.beavers not in (0, 1, 3) else []
    if match.variant in ("hypergammon1", "hypergammon2"):
        lost.append("how many chequers hypergammon has")
    if any(_player(each.name, _rating(each), each.experience or 0) != each for each in match.players):
        lost.append("ratings without experience, or with more than two digits after the point")
    if any(game.comment for game in match.games):
        lost.append("whether a comment is on a game or its first play")
    return lost


FORMAT = Format(
    NAME,
    "GamesGrid, GridGammon",
    (".sgg",),
    detect,
    script_reader(_scripts, NAME, 'no match of GamesGrid found: no line such as "Game 1.0-0/5"'),
    joined(format),
    keeps=frozenset(Feature)
    - {Feature.UNKNOWN, Feature.RESULT_ONLY, Feature.ANALYSIS, Feature.TIME, Feature.LATE, Feature.SET}
    - {Feature.CUBE_LIMIT, Feature.TAGS}
    - {Feature.UNFINISHED, Feature.EVENT, Feature.MATCH_COMMENT, Feature.CRAWFORD_GAME, Feature.ON_ROLL},
    more_losses=_losses,
)
