"""FIBS oldmoves: the record that the First Internet Backgammon Server keeps of a match.

    Score is 0-1 in a 5 point match.
    Ann is X - Bob is O

    O: (4 2) 17-21 19-21             O moves from 1 up to 24: the points are those of the server
    X: (3 2) 24-22 13-10
    X: (3 1) can't move
    O: doubles
    X: rejects
    O: wins

An empty line ends a game. A file may hold several matches: names and length tell where the next one begins. The
points that a game was worth are not written; they follow from the game, or from the score of the next one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from sixprime.formats._format import PLAIN_MATCH, Feature, Format, joined
from sixprime.formats._recorder import points_text
from sixprime.formats._script import (
    ALONE,
    DICE,
    NO_MOVE,
    Kind,
    Script,
    ScriptGame,
    danced,
    head_lines,
    indent,
    lines,
    one_line,
    script_reader,
)
from sixprime.formats._text import Document
from sixprime.game.match_rules import LONGEST_MATCH, Rules
from sixprime.game.record import Action, ActionKind, Game, Match, Player

NAME = "oldmoves"

_SCORE = re.compile(
    r"\s*Score is (\d{1,6})\s*-\s*(\d{1,6})(?:\s+in an? (?:(\d{1,6})[ -]points? match|.*))?\s*\.?\s*$", re.IGNORECASE
)
_NAMES = re.compile(r"\s*(.*) is ([XO]) - (.*) is ([XO])\s*$")
_RECORD = re.compile(r"\s*([XO]):\s*(.*)$")
_ROLL = re.compile(r"\(\s*([1-6])[ ,]+([1-6])\s*\)\s*(.*)$")
_STEP = re.compile(r"(bar|[0-9]{1,2})-(off|[0-9]{1,2})\*?$", re.IGNORECASE)
_WINS = re.compile(r"wins(?:\s+(\d{1,6})\s+points?)?\.?$", re.IGNORECASE)
_WORDS = {
    "doubles": Kind.DOUBLE,
    "redoubles": Kind.DOUBLE,
    "accepts": Kind.TAKE,
    "rejects": Kind.DROP,
    "beavers": Kind.BEAVER,
    "raccoons": Kind.BEAVER,
}


def detect(document: Document) -> bool:
    """Whether a file has a line "Score is 0-0 ..." and then one such as "Ann is X - Bob is O"."""
    head = head_lines(document)
    return any(_SCORE.match(line) and _NAMES.match(after) for line, after in pairwise(head))


def _scripts(document: Document) -> Iterator[Script]:
    script: Script | None = None
    game: ScriptGame | None = None
    score: re.Match[str] | None = None
    x_is = 0  # the player who is X in this game
    resigning: int | None = None
    for number, line in lines(document):
        found = _SCORE.match(line)
        if found is not None:
            score, game = found, None
            continue
        names = _NAMES.match(line) if " is " in line else None
        if names is not None and names[2] != names[4] and score is not None:
            pair = (names[1].strip(), names[3].strip())
            length = int(score[3] or 0)
            if script is None or not _same_match(script, pair, length, (int(score[1]), int(score[2]))):
                if script is not None:
                    yield _own_numbers(script)
                script = _start(document.name, pair, length, number)
            swapped = script.players[0].name != pair[0]
            start = (int(score[2]), int(score[1])) if swapped else (int(score[1]), int(score[2]))
            if script.games:
                _settle(script.games[-1], start)
            game = ScriptGame(len(script.games) + 1, number - 1, start, last_line=number)
            script.games.append(game)
            x_is = int((names[2] == "X") == swapped)
            score, resigning = None, None
            continue
        record = _RECORD.match(line)
        if script is None or game is None or record is None:
            if script is not None:
                script.unreadable(line, number, indent(line))
            continue
        player = x_is if record[1] == "X" else 1 - x_is
        if record[2].lower().startswith("wants to resign"):
            resigning = player
            continue
        if resigning == 1 - player and record[2].lower() in ("accepts", "rejects"):
            if record[2].lower() == "accepts":
                game.add(Kind.RESIGNS, resigning, number, record.start(2) + 1)
            resigning = None
            continue
        if not _record(game, player, record[2], number, record.start(2) + 1):
            script.unreadable(record[2], number, record.start(2) + 1)
    if script is not None:
        yield _own_numbers(script)


def _settle(game: ScriptGame, after: tuple[int, int]) -> None:
    """Takes the points of a game from the score of the next one, where the file itself does not tell."""
    if not game.events or game.events[-1].kind is not Kind.WINS or game.score is None:
        return
    wins = game.events[-1]
    gained = after[wins.player] - game.score[wins.player]
    if wins.value is None and gained > 0 and after[1 - wins.player] == game.score[1 - wins.player]:
        game.events[-1] = wins._replace(value=gained)


def _same_match(script: Script, names: tuple[str, str], length: int, score: tuple[int, int]) -> bool:
    """Whether a game goes on with the match before it."""
    known = script.players[0].name, script.players[1].name
    if script.rules.length != (length if length <= LONGEST_MATCH else 0) or sorted(known) != sorted(names):
        return False
    if known != names:
        score = (score[1], score[0])
    before = script.games[-1].score or (0, 0)
    return score[0] >= before[0] and score[1] >= before[1] and score != before


def _start(source: str, names: tuple[str, str], length: int, line: int) -> Script:
    script = Script(source, players=(Player(names[0]), Player(names[1])))
    script.rules = Rules(script.match_length(length, line - 1))
    return script


def _record(game: ScriptGame, player: int, text: str, line: int, column: int) -> bool:
    """Whether a record could be read."""
    roll = _ROLL.match(text)
    if roll is not None:
        dice, rest = DICE[roll[1] + roll[2]], roll[3]
        if rest.lower().rstrip(".") in ("can't move", "cannot move"):
            play = NO_MOVE
        elif not rest:
            play = ALONE
        else:
            play = rest
        game.add(Kind.ROLL, player, line, column, dice=dice, text=play)
        return True
    kind = _WORDS.get(text.lower().rstrip("."))
    wins = _WINS.match(text)
    if kind is not None:
        game.add(kind, player, line, column)
    elif wins is not None:
        game.add(Kind.WINS, player, line, column, value=int(wins[1]) if wins[1] else None)
    else:
        return False
    return True


def _own_numbers(script: Script) -> Script:
    """The plays as their players number the points: those of the one who moves up are turned round.

    Which that is the whole game tells; a single play may go the wrong way.
    """
    for game in script.games:
        rising = [0, 0]
        for event in game.events:
            if event.kind is Kind.ROLL:
                rising[event.player] += sum(map(_rises, event.text.split()))
        for index, event in enumerate(game.events):
            if event.kind is Kind.ROLL and event.text not in (NO_MOVE, ALONE):
                text = " ".join(_written(step, rising[event.player] > 0) for step in event.text.split())
                game.events[index] = event._replace(text=text)
    return script


def _rises(step: str) -> int:
    """1 for a step of a player who moves up, -1 for one down, 0 for what is no step."""
    found = _STEP.match(step)
    if found is None:
        return 0
    start, end = found[1].lower(), found[2].lower()
    if start == "bar":
        return 0 if end == "off" else 1 if int(end) <= 6 else -1
    if end == "off":
        return 1 if int(start) >= 19 else -1
    return (int(start) < int(end)) - (int(start) > int(end))


def _written(step: str, turned: bool) -> str:
    found = _STEP.match(step)
    if found is None:
        return step
    points = found[1].lower(), found[2].lower()
    return "/".join(str(25 - int(point)) if turned and point.isdigit() else point for point in points)


# Writing


def format(match: Match) -> str:
    """The text of a match."""
    names = one_line(match.players[0].name), one_line(match.players[1].name)
    written = []
    for game in match.games:
        kind = f"{match.length} point match" if match.length else "money game"
        written += [
            f"Score is {game.score[0]}-{game.score[1]} in a {kind}.",
            f"{names[0]} is X - {names[1]} is O",
            "",
            *_game_lines(game),
            "",
        ]
    return "\n".join(written)


def _game_lines(game: Game) -> Iterator[str]:
    for action in game.actions:
        text = _text(action)
        if text is not None:
            yield f"{'XO'[action.player]}: {text}"
    if game.winner is not None:
        yield f"{'XO'[game.winner]}: wins {points_text(game.points)}"


def _text(action: Action) -> str | None:
    if action.kind is ActionKind.DOUBLE:
        return "doubles"
    if action.kind is ActionKind.BEAVER:
        return "raccoons" if action.state.beavered else "beavers"
    if action.kind is ActionKind.TAKE:
        return "accepts"
    if action.kind is ActionKind.DROP:
        return "rejects"
    if action.kind is ActionKind.RESIGN:
        return "wants to resign"
    if action.dice is None or action.kind is ActionKind.ROLL:
        return None
    roll = f"({action.dice[0]} {action.dice[1]})"
    if action.play is None:
        return roll
    if danced(action):
        return f"{roll} can't move"
    steps = " ".join(
        f"{_point(step.start, action.player)}-{_point(step.end, action.player)}" for step in action.play.steps
    )
    return f"{roll} {steps}"


def _point(point: int, player: int) -> str:
    return "bar" if point == 25 else "off" if point == 0 else str(25 - point if player else point)


def _losses(match: Match) -> list[str]:
    """A game at the score of the one before it reads as the first of another match."""
    return [Feature.UNFINISHED.value] if any(game.winner is None for game in match.games[:-1]) else []


FORMAT = Format(
    NAME,
    "FIBS oldmoves",
    (".oldmoves", ".fibs"),
    detect,
    script_reader(_scripts, NAME, 'no game of FIBS found: no line such as "Score is 0-0 in a 5 point match."'),
    joined(format),
    keeps=PLAIN_MATCH,
    more_losses=_losses,
)
