"""BKG: the games of Hans Berliner's program, in fixed columns.

    White  4 2   17-21, 19-21        Black numbers the points from 24 down to 1; White's are turned round
    Black  3 2   24-22, 13-10
    Black  3 1                       nothing could be moved
    White Doubles         Accepted   anything else is a drop
    Black wins
    Black wins    gammon

The bar is 25, borne off is 0 (for White 0 and 25). There are no names, no score and no length: a money session.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sixprime.formats._format import Feature, Format, Holds, joined, on_offer, worth
from sixprime.formats._script import (
    DICE,
    Kind,
    Script,
    ScriptGame,
    danced,
    head_lines,
    indent,
    lines,
    script_reader,
)
from sixprime.formats._text import Document
from sixprime.game.match_rules import Rules
from sixprime.game.record import Action, ActionKind, Game, Match, Player

NAME = "bkg"

_ROLL = re.compile(r"(Black|White)\s+([1-6])[ ,]*([1-6])(?:\s+(\S.*))?$", re.IGNORECASE)
_PLAYED = re.compile(r"\d{1,2}-\d{1,2}\b")
_DOUBLE = re.compile(r"(Black|White)\s+(?:re)?doubles?\s*(.*)$", re.IGNORECASE)
_WINS = re.compile(r"(Black|White)\s+wins\b\s*(.*)$", re.IGNORECASE)
_NUMBER = re.compile(r"\d{1,2}")


def detect(document: Document) -> bool:
    """Whether a file has two rolls in a row, by Black and White, or one that is played."""
    rolls = [match for line in head_lines(document) if (match := _ROLL.match(line.rstrip())) is not None]
    both = len({match[1].lower() for match in rolls[:4]}) == 2
    return both or any(_PLAYED.match(match[4] or "") for match in rolls)


def _scripts(document: Document) -> list[Script]:
    script = Script(document.name, Rules(beavers=0), (Player("Black"), Player("White")))
    game: ScriptGame | None = None
    title: list[str] = []
    for number, line in lines(document):
        text = line.rstrip()
        roll, double, wins = _ROLL.match(text), _DOUBLE.match(text), _WINS.match(text)
        found = roll or double or wins
        if found is None:
            if script.games:
                script.unreadable(text, number, indent(line))
            else:
                title.append(text.strip())
            continue
        if game is None:
            game = ScriptGame(len(script.games) + 1, number)
            script.games.append(game)
        player = int(found[1].lower() == "white")
        if roll is not None:
            play = _play(roll[4] or "", player)
            if play is None:
                script.report(f"cannot read the play {(roll[4] or '')[:40]!r}", number, roll.start(4) + 1)
                play = "?"
            game.add(Kind.ROLL, player, number, 1, dice=DICE[roll[2] + roll[3]], text=play)
        elif double is not None:
            game.add(Kind.DOUBLE, player, number, 1)
            kind = Kind.TAKE if double[2].lower().startswith("accept") else Kind.DROP
            game.add(kind, 1 - player, number, double.start(2) + 1)
        else:
            assert wins is not None
            word = wins[2].lower()
            level = 3 if word.startswith("backgammon") else 2 if word.startswith("gammon") else 1
            game.add(Kind.RESIGNS, 1 - player, number, 1, level=level)
            game = None
    if title:
        script.info["comment"] = "\n".join(title)
    return [script]


def _play(text: str, player: int) -> str | None:
    """The steps as their player numbers the points; None when they are not pairs of points."""
    points = [int(number) for number in _NUMBER.findall(text)]
    if len(points) % 2 or any(point > 25 for point in points):
        return None
    if player:
        points = [25 - point for point in points]
    return " ".join(f"{start}/{end}" for start, end in zip(points[::2], points[1::2], strict=True))


# Writing


def format(match: Match) -> str:
    """The text of a match: player 0 is Black."""
    written = [line.strip() for line in match.info.get("comment", "").splitlines() if line.strip()]
    for game in match.games:
        written += ["", *_game_lines(game)]
    return "\n".join(written) + "\n"


def _game_lines(game: Game) -> Iterator[str]:
    for index, action in enumerate(game.actions):
        name = "White" if action.player else "Black"
        if action.kind is ActionKind.DOUBLE:
            answer = game.actions[index + 1].kind if index + 1 < len(game.actions) else None
            yield f"{f'{name} Doubles':<22}{'Refused' if answer is ActionKind.DROP else 'Accepted'}"
        elif action.dice is not None:
            yield f"{name}  {action.dice[0]} {action.dice[1]}   {_steps(action)}".rstrip()
    if game.winner is not None:
        ended = worth(game)
        level = -(-game.points // ended[1]) if ended is not None else 1
        ending = {2: "   gammon", 3: "   backgammon"}.get(level, "")
        yield f"{'White' if game.winner else 'Black'} wins{ending}"


def _steps(action: Action) -> str:
    if action.play is None or danced(action):
        return ""
    pairs = [(step.start, step.end) for step in action.play.steps]
    if action.player:
        pairs = [(25 - start, 25 - end) for start, end in pairs]
    return ", ".join(f"{start}-{end}" for start, end in pairs)


def _losses(match: Match) -> list[str]:
    # A session that is read has no beavers.
    lost = [Feature.BEAVER_RULE.value] if match.beavers and not match.length else []
    # Every double has an answer.
    return [*lost, "what was won by resigning a double"] if any(map(on_offer, match.games)) else lost


FORMAT = Format(
    NAME,
    "BKG (Hans Berliner)",
    (".bkg",),
    detect,
    script_reader(_scripts, NAME, 'no game of BKG found: no line such as "Black  3 1   8-5"'),
    joined(format),
    holds=Holds.MATCH,
    keeps=frozenset(
        {Feature.MATCH_COMMENT, Feature.CUBE, Feature.PLAYS, Feature.RESIGNATION, Feature.RESULT, Feature.ROLL_ONLY}
        | {Feature.GAMMONS, Feature.ILLEGAL, Feature.BEAVER_RULE, Feature.OFFERED}
    ),
    more_losses=_losses,
)
