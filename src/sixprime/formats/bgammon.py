"""`.match`: replays of bgammon.org.

bgammon-replay 00000024                            where each game begins; not needed to read it
i 1702738670 Ann Bob 5 0 0 1 1 0                   time, names, length, score, winner, points, variant
1 r 4-1 13/9 9/8                                   all plays as player 1 numbers the points
2 r 6-1 1/7 1/2
1 d 2 1                                            a double to 2, taken (1) or dropped (0)
2 t                                                gives up the game
"""

from __future__ import annotations

import re
from datetime import UTC, datetime

from sixprime.formats._format import Format
from sixprime.formats._script import (
    DICE,
    MOST_GAMES,
    Kind,
    Script,
    ScriptGame,
    indent,
    lines,
    script_reader,
)
from sixprime.formats._text import Document
from sixprime.game.match_rules import Rules
from sixprime.game.record import Player

NAME = "bgammon"

_INDEX = re.compile(r"bgammon-replay\s+\d+\s*$")
_GAME = re.compile(r"i (?:(\d{1,12}) )?(\S+) (\S+) (\d{1,6}) (\d{1,6}) (\d{1,6}) ([012]) (\d{1,6})(?: (\d{1,3}))?\s*$")
_EVENT = re.compile(r"([12]) ([rdt])(?:\s+(.*?))?\s*$")
_ROLL = re.compile(r"([1-6])-([1-6])(?:-[1-6])?(?:\s+(.*))?$")
_STEP = re.compile(r"(bar|\d{1,2})/(off|\d{1,2})$")
_VARIANTS = {"0": "backgammon", "1": "acey-deucey", "2": "tabula"}


def detect(document: Document) -> bool:
    """Whether a file begins with its index."""
    return document.head.startswith("bgammon-replay ")


def _scripts(document: Document) -> list[Script]:
    scripts: list[Script] = []
    other = Script(document.name)  # takes what stands before the first game
    game: ScriptGame | None = None
    skipped = False
    count = 0
    for number, line in lines(document):
        if _INDEX.match(line):
            continue
        script = scripts[-1] if scripts else other
        head = _GAME.match(line)
        count += head is not None
        if count > MOST_GAMES:
            script.report(f"after {MOST_GAMES} games the rest is left out", number)
            break
        if head is not None:
            skipped = (head[9] or "0") != "0"
            if skipped:
                name = _VARIANTS.get(head[9], f"variant {head[9]}")
                script.report(f"a game of {name} is left out", number)
                game = None
                continue
            score = int(head[5]), int(head[6])
            script = _match_for(scripts, document.name, head, score, number)
            game = ScriptGame(len(script.games) + 1, number, score, last_line=number)
            script.games.append(game)
            if head[7] != "0" and int(head[8]):
                game.add(Kind.WINS, int(head[7] == "2"), number, 1, value=int(head[8]))
            continue
        event = _EVENT.match(line)
        if event is None or (game is None and not skipped) or (game is not None and not _event(game, event, number)):
            script.unreadable(line, number, indent(line))
    if scripts:
        scripts[0].problems += other.problems
    return scripts


def _match_for(scripts: list[Script], source: str, head: re.Match[str], score: tuple[int, int], line: int) -> Script:
    """The match that a game belongs to: that of the game before it, or a new one."""
    names, length = (head[2], head[3]), int(head[4])
    if scripts:
        last = scripts[-1]
        before = last.games[-1].score or (0, 0)
        same = (last.players[0].name, last.players[1].name, last.rules.length) == (*names, length)
        if same and score != before and min(score[0] - before[0], score[1] - before[1]) >= 0:
            return last
    script = Script(source, players=(Player(names[0]), Player(names[1])), variant_known=True)
    script.rules = Rules(script.match_length(length, line), beavers=0)
    if head[1] is not None:
        try:
            when = datetime.fromtimestamp(int(head[1]), UTC)
        except (OverflowError, ValueError, OSError):
            script.report(f"{head[1]} is no time", line, 3)
        else:
            script.info.update(date=when.strftime("%Y-%m-%d"), time=when.strftime("%H:%M"))
    script.info["place"] = "bgammon.org"
    scripts.append(script)
    return script


def _event(game: ScriptGame, event: re.Match[str], line: int) -> bool:
    """Whether an event could be read."""
    player, text = int(event[1]) - 1, event[3] or ""
    if event[2] == "t":
        game.add(Kind.RESIGNS, player, line, 1)
        return not text
    if event[2] == "d":
        double = re.fullmatch(r"(\d{1,6}) ([01])", text)
        if double is None:
            return False
        game.add(Kind.DOUBLE, player, line, 1, value=int(double[1]))
        game.add(Kind.TAKE if double[2] == "1" else Kind.DROP, 1 - player, line, 1)
        return True
    roll = _ROLL.match(text)
    if roll is None:
        return False
    play = roll[3] or ""
    if player:
        play = " ".join(map(_turned, play.split()))
    game.add(Kind.ROLL, player, line, 1, dice=DICE[roll[1] + roll[2]], text=play)
    return True


def _turned(step: str) -> str:
    """A step as player 2 numbers the points."""
    found = _STEP.match(step)
    if found is None:
        return step
    return "/".join(point if point.isalpha() else str(25 - int(point)) for point in found.groups())


FORMAT = Format(
    NAME,
    "bgammon.org replay",
    (".match",),
    detect,
    script_reader(_scripts, NAME, 'no game of bgammon.org found: no line "i ..."'),
)
