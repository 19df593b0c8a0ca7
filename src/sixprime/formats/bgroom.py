"""BGRoom: numbered turns of X and 0.

    BGF version 1.2
    Game 1 - Ann (X) vs. Bob (0)
    Single game
    1.0:(4 2)8/4 6/4
    2.X:(3 1)can't move
    3.X:Double                       the next turn means a take, an empty line a drop
    4.0:Beaver
                                     an empty line ends the game
    Ann Win the Match

No length and no score: a money session.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sixprime.formats._format import Feature, Format, Holds, joined
from sixprime.formats._script import (
    DICE,
    NO_MOVE,
    Kind,
    Script,
    ScriptGame,
    danced,
    indent,
    one_line,
    plain_steps,
    script_reader,
    tidy,
)
from sixprime.formats._text import Document
from sixprime.game.match_rules import Rules
from sixprime.game.record import Action, ActionKind, Game, Match, Player

NAME = "bgroom"

_VERSION = re.compile(r"\s*BGF version\s*(\S*)", re.IGNORECASE)
_GAME = re.compile(r"\s*Game\s+(\d{1,6})\s+-\s(.*)\(([X0O])\)\s+vs\.\s(.*)\(([X0O])\)\s*$", re.IGNORECASE)
_TURN = re.compile(r"\s*\d{1,6}\s*\.\s*([X0O])\s*:\s*(.*)$", re.IGNORECASE)
_ROLL = re.compile(r"\(\s*([1-6])[ ,]+([1-6])\s*\)\s*(.*)$")
_WIN = re.compile(r" wins? the (match|game)\b", re.IGNORECASE)


def detect(document: Document) -> bool:
    """Whether a file begins with "BGF version"."""
    return _VERSION.match(document.head) is not None


def _scripts(document: Document) -> list[Script]:
    script = Script(document.name, Rules())
    game: ScriptGame | None = None
    x_is = 0  # the player who is X
    pending: int | None = None  # who must answer a double
    for number, full in enumerate(document.lines, 1):
        line = tidy(full)
        if not line.strip():
            if game is not None and pending is not None:
                game.add(Kind.DROP, pending, number, 1)
            if game is not None and game.events:
                game, pending = None, None
            continue
        head = _GAME.match(line)
        if head is not None and (head[3].upper() == "X") != (head[5].upper() == "X"):
            if game is not None and pending is not None:
                game.add(Kind.DROP, pending, number, 1)
            names = head[2].strip(), head[4].strip()
            if not script.games:
                script.players = Player(names[0]), Player(names[1])
            # The first of the file is player 0, whatever his sign; names may change places.
            swap = script.players[0].name == names[1] != names[0]
            x_is = int((head[3].upper() == "X") == swap)
            game, pending = ScriptGame(int(head[1]), number, last_line=number), None
            script.games.append(game)
            continue
        turn = _TURN.match(line)
        if turn is not None and game is not None:
            player = x_is if turn[1].upper() == "X" else 1 - x_is
            pending = _turn(script, game, player, turn[2], number, turn.start(2) + 1, pending)
        elif (win := _WIN.search(line)) is not None:
            script.tags.append((f"Winner of the {win[1].lower()}", line[: win.start()].strip()))
        elif not (_VERSION.match(line) or (game is not None and not game.events)):
            script.unreadable(line, number, indent(line))
    if game is not None and pending is not None:
        game.add(Kind.DROP, pending, game.last_line, 1)
    return [script]


def _turn(
    script: Script, game: ScriptGame, player: int, text: str, line: int, column: int, pending: int | None
) -> int | None:
    """Adds a turn; returns who must answer a double after it."""
    word = text.lower().rstrip(".")
    roll = _ROLL.match(text)
    if pending is not None and word not in ("beaver", "raccoon", "take", "takes", "drop", "drops"):
        game.add(Kind.TAKE, pending, line, column)
    if roll is not None:
        play = NO_MOVE if roll[3].lower().rstrip(".") in ("can't move", "cannot move") else roll[3]
        game.add(Kind.ROLL, player, line, column, dice=DICE[roll[1] + roll[2]], text=play)
    elif word in ("double", "doubles", "redouble", "redoubles"):
        game.add(Kind.DOUBLE, player, line, column)
        return 1 - player
    elif word in ("beaver", "beavers", "raccoon", "raccoons"):
        game.add(Kind.BEAVER, player, line, column)
        return 1 - player
    elif word in ("take", "takes", "accept", "accepts"):
        game.add(Kind.TAKE, player, line, column)
    elif word in ("drop", "drops", "reject", "rejects", "pass", "passes"):
        game.add(Kind.DROP, player, line, column)
    elif word.startswith("resign"):
        game.add(Kind.RESIGNS, player, line, column)
    else:
        script.unreadable(text, line, column)
    return None


# Writing


def format(match: Match) -> str:
    """The text of a match: player 0 is X."""
    names = one_line(match.players[0].name), one_line(match.players[1].name)
    written = ["BGF version 1.2"]
    for game in match.games:
        written += [f"Game {game.number} - {names[0]} (X) vs. {names[1]} (0)", "Single game", *_turns(game), ""]
    return "\n".join(written)


def _turns(game: Game) -> Iterator[str]:
    number = 0
    for action in game.actions:
        text = _text(action)
        if text is not None:
            number += 1
            yield f"{number}.{'X0'[action.player]}:{text}"


def _text(action: Action) -> str | None:
    if action.kind is ActionKind.DOUBLE:
        return "Double"
    if action.kind is ActionKind.BEAVER:
        return "Beaver"
    if action.dice is None:
        return None
    roll = f"({action.dice[0]} {action.dice[1]})"
    return f"{roll}can't move" if danced(action) else roll + " ".join(plain_steps(action, hits=False))


FORMAT = Format(
    NAME,
    "BGRoom",
    (".bgroom",),
    detect,
    script_reader(_scripts, NAME, 'no game of BGRoom found: no line "Game 1 - A (X) vs. B (0)"'),
    joined(format),
    Holds.MATCH,
    frozenset(
        {Feature.NAMES, Feature.CUBE, Feature.BEAVERS, Feature.PLAYS, Feature.RESULT}
        | {Feature.ILLEGAL, Feature.PASSED}
    ),
)
