"""PartyGammon: "key=value" lines.

    boardid=1
    creator=..
    MATCHLENGTH=5
    GAME_1_PLAYER_1=Ann
    GAME_1_PLAYER_2=Bob
    GAME_1_GAMEPLAY=2 1 0 42 8/4 6/4#1 1 0 32 24/22 13/10#2 Doubles#1 Takes
    GAME_1_SCORE1=0                  the score after the game
    GAME_1_SCORE2=1

A turn is the player, two numbers of bookkeeping, the dice and the play. No real file is publicly known; this layout
is what importers expect.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from sixprime.formats._format import PLAIN_MATCH, Feature, Format, Holds, joined
from sixprime.formats._script import (
    DICE,
    Kind,
    Script,
    ScriptGame,
    danced,
    head_lines,
    indent,
    one_line,
    plain_steps,
    script_reader,
    told,
)
from sixprime.formats._text import Document
from sixprime.game.match_rules import Rules, scored
from sixprime.game.record import Action, ActionKind, Match, Player

NAME = "partygammon"

_KEY = re.compile(r"\s*([A-Za-z][A-Za-z0-9_ ]{0,40})=(.*)$")
_GAME = re.compile(r"GAME_(\d{1,6})_(PLAYER_1|PLAYER_2|GAMEPLAY|SCORE1|SCORE2)$", re.IGNORECASE)
_TURN = re.compile(r"\s*([12])\s+(.*)$")
_ROLL = re.compile(r"-?\d{1,9}\s+-?\d{1,9}\s+([1-6])([1-6])(?:\s+(.*))?$")
_BAR = re.compile(r"(?<![A-Za-z])[bB][A-Za-z]{0,2}(?=[/-])")
_OFF = re.compile(r"(?<=[/-])[oO][A-Za-z]{0,2}(?![A-Za-z])")
_WORDS = {"doubles": Kind.DOUBLE, "takes": Kind.TAKE, "drops": Kind.DROP, "beavers": Kind.BEAVER}
_LONGEST_GAME = 1 << 17  # characters


@dataclass(slots=True)
class _Found:
    """What the lines of one game say; `after` is the score when it is over."""

    line: int
    names: dict[int, str] = field(default_factory=dict)
    play: tuple[int, int, str] | None = None  # line, column, text
    after: dict[int, int] = field(default_factory=dict)


def detect(document: Document) -> bool:
    """Whether a file has the keys boardid and creator, or that of a game."""
    keys = [match[1].lower() for line in head_lines(document) if (match := _KEY.match(line[:200])) is not None]
    return ("boardid" in keys and "creator" in keys) or any(_GAME.match(key) for key in keys)


def _scripts(document: Document) -> list[Script]:
    script = Script(document.name, Rules())
    games: dict[int, _Found] = {}
    for number, line in enumerate(document.lines, 1):
        if not line.strip():
            continue
        key = _KEY.match(line[:_LONGEST_GAME])
        if key is None:
            script.unreadable(line, number, indent(line))
            continue
        part = _GAME.match(key[1].strip())
        value = key[2].strip()
        if part is None:
            script.tags.append((key[1].strip(), value[:1000]))
            if key[1].strip().upper() == "MATCHLENGTH":
                _length(script, value, number)
            continue
        found = games.setdefault(int(part[1]), _Found(number))
        what = part[2].upper()
        if what.startswith("PLAYER"):
            found.names[int(what[-1]) - 1] = value[:200]
        elif what == "GAMEPLAY":
            found.play = (number, key.start(2) + 1, key[2])
        elif value.isascii() and value.isdecimal() and len(value) < 7:
            found.after[int(what[-1]) - 1] = int(value)
        else:
            script.report(f"expected a score, found {value[:40]!r}", number, key.start(2) + 1)
    _games(script, games)
    return [script]


def _length(script: Script, value: str, line: int) -> None:
    points = int(value) if value.isascii() and value.isdecimal() and len(value) < 7 else -1
    script.rules = Rules(script.match_length(points, line, value[:20]))


def _games(script: Script, games: dict[int, _Found]) -> None:
    """Turns what was found into games, in the order of their numbers."""
    score = (0, 0)
    known: tuple[str, str] | None = None
    for index in sorted(games):
        found = games[index]
        names = found.names.get(0, ""), found.names.get(1, "")
        if known is None:
            known = names
            script.players = Player(names[0]), Player(names[1])
        swap = names != known and names == known[::-1]
        if found.play is None:
            script.report(f"game {index} has no plays", found.line)
            continue
        line, column, text = found.play
        game = ScriptGame(index, found.line, score, last_line=line)
        _turns(script, game, text, swap, line, column)
        if len(found.after) == 2:
            after = (found.after[int(swap)], found.after[1 - int(swap)])
            gained = after[0] - score[0], after[1] - score[1]
            if min(gained) == 0 and max(gained) > 0:
                game.add(Kind.WINS, int(gained[1] > 0), line, column, value=max(gained))
            elif gained != (0, 0):
                script.report(
                    f"after game {index} the score is {after[0]}-{after[1]}, before it was {score[0]}-{score[1]}", line
                )
            score = after
        script.games.append(game)


def _turns(script: Script, game: ScriptGame, text: str, swap: bool, line: int, column: int) -> None:
    """Reads turns such as "1 1 0 32 24/22 13/10"."""
    for part in text.split("#"):
        at, column = column, column + len(part) + 1
        if not part.strip():
            continue
        turn = _TURN.match(part[:200].rstrip())
        if turn is None:
            script.report(f"cannot read {part[:40]!r}", line, at)
            continue
        player = int((turn[1] == "2") != swap)
        roll = _ROLL.match(turn[2])
        kind = _WORDS.get(turn[2].lower())
        if roll is not None:
            play = _OFF.sub("off", _BAR.sub("bar", roll[3] or "")).strip()
            game.add(Kind.ROLL, player, line, at, dice=DICE[roll[1] + roll[2]], text=play)
        elif kind is not None:
            game.add(kind, player, line, at)
        elif turn[2].lower().startswith("resign"):
            game.add(Kind.RESIGNS, player, line, at)
        else:
            script.unreadable(turn[2], line, at)


# Writing


def format(match: Match) -> str:
    """The text of a match."""
    written = ["boardid=0", "creator=Sixprime", f"MATCHLENGTH={match.length}"]
    score = (0, 0)  # what the games add to it is what is read
    for number, game in enumerate(match.games, 1):
        turns = [turn for action in told(game) if (turn := _turn(action)) is not None]
        if game.winner is not None:
            score = scored(score, game.winner, game.points)
        written += [
            f"GAME_{number}_PLAYER_1={one_line(match.players[0].name)}",
            f"GAME_{number}_PLAYER_2={one_line(match.players[1].name)}",
            f"GAME_{number}_GAMEPLAY={'#'.join(turns)}",
            f"GAME_{number}_SCORE1={score[0]}",
            f"GAME_{number}_SCORE2={score[1]}",
        ]
    return "\n".join(written) + "\n"


def _turn(action: Action) -> str | None:
    side = action.player + 1
    words = {ActionKind.DOUBLE: "Doubles", ActionKind.DROP: "Drops", ActionKind.BEAVER: "Beavers"}
    words[ActionKind.TAKE] = "Takes"
    if action.kind in words:
        return f"{side} {words[action.kind]}"
    if action.dice is None:
        return None
    steps = "" if danced(action) else " ".join(plain_steps(action, hits=False))
    return f"{side} 1 0 {action.dice[0]}{action.dice[1]} {steps}"


def _losses(match: Match) -> list[str]:
    """Only what the games add to the score is written, so it must begin at 0-0."""
    score = (0, 0)
    for game in match.games:
        if game.score != score:
            return [Feature.SCORE.value]
        if game.winner is not None:
            score = scored(score, game.winner, game.points)
    return []


FORMAT = Format(
    NAME,
    "PartyGammon",
    (".party",),
    detect,
    script_reader(_scripts, NAME, "no game of PartyGammon found: no key GAME_1_GAMEPLAY", _LONGEST_GAME),
    joined(format),
    holds=Holds.MATCH,
    keeps=(PLAIN_MATCH | {Feature.ROLL_ONLY}) - {Feature.PASSED},
    more_losses=_losses,
)
