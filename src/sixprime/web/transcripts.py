"""A match that somebody writes down by hand: its lines played through at a table, by the rules."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from sixprime.errors import IllegalPlayError, InvalidPlayError, RulesError, SixprimeError
from sixprime.game.acts import Accept, Beaver, Double, Drop, NextGame, Opening, Resign, Roll, Take
from sixprime.game.match_rules import Rules
from sixprime.game.play import play_as_made
from sixprime.game.record import Action, ActionKind, Game, Match
from sixprime.game.table import Phase, Table
from sixprime.play.wording import one_line
from sixprime.report import words
from sixprime.web import messages as m
from sixprime.web.boards import board_of, entered, first_entry

_ACTS: dict[str, Any] = {"double": Double, "beaver": Beaver, "take": Take, "drop": Drop}


def told(asked: m.TranscriptAsked) -> m.TranscriptTold:
    """What the rules say of a transcript. Raises SettingsError for rules that cannot be."""
    script = asked.transcript
    table = _begin(script)
    at = len(script.lines) if asked.at is None else asked.at
    lines: list[m.Transcribed] = []
    bad, problem, shown = None, "", table
    for index, line in enumerate(script.lines):
        ready = _ready(table)
        if index == at:
            shown = ready
        try:
            table = _done(ready, line)
        except SixprimeError as error:
            bad, problem = index, one_line(error)
            break
        lines.append(_line(ready, table))
    if bad is not None and at > bad:
        at = bad
    if at >= len(lines):
        shown = _ready(table)
    entry = None
    if asked.dice is not None and shown.phase in (Phase.OPENING, Phase.ROLL):
        try:
            shown = _thrown(shown, asked.dice, asked.player)
            entry = first_entry(shown)
        except SixprimeError as error:
            if bad is None:
                bad, problem = at, one_line(error)
    begins = shown.phase is Phase.OPENING
    state = shown.state
    over = shown.phase is Phase.MATCH_OVER
    return m.TranscriptTold(
        lines=tuple(lines),
        bad=bad,
        problem=problem,
        board=board_of(shown.position, state, cube=not state.crawford, offered=shown.offered),
        entry=None if entry is None else entered(entry),
        dos=() if over else _dos(shown),
        begins=begins,
        turn=shown.turn,
        game=shown.game.number,
        over=over,
        xgid=words.xgid_of(shown.position, shown.state),
    )


def match_of(script: m.Transcript) -> Match:
    """The match that a transcript tells. Raises RulesError, with the number of the line, and SettingsError."""
    table = _begin(script)
    for index, line in enumerate(script.lines):
        try:
            table = _done(_ready(table), line)
        except SixprimeError as error:
            raise RulesError(f"Line {index + 1}: {one_line(error)}") from None
    match = table.record()
    if not match.games:
        raise RulesError("Nothing has been written down yet.")
    info = {key: text.strip() for key, text in (("event", script.event), ("date", script.date)) if text.strip()}
    return replace(match, info={**match.info, **info})


def of_match(match: Match) -> m.Transcript:
    """The transcript of a match. Raises RulesError for what cannot be written down by hand: a position that was set."""
    rules = Rules.of(match)
    lines: list[m.Line] = []
    for game in match.games:
        lines += _lines_of(game)
    first, second = (name[:60] for name in words.names(match))
    return m.Transcript(
        names=(first, second),
        length=match.length,
        variant=match.variant,
        crawford=rules.crawford_rule,
        jacoby=rules.jacoby,
        beavers=rules.beavers,
        event=match.info.get("event", "")[:200],
        date=match.info.get("date", "")[:10],
        lines=tuple(lines),
    )


def _lines_of(game: Game) -> Iterator[m.Line]:
    for action in game.actions:
        match action.kind:
            case ActionKind.MOVE:
                play = "" if action.play is None else _as_made(action) if action.illegal else str(action.play)
                yield m.Line("play", action.player, action.dice, play, anyway=action.illegal)
            case ActionKind.RESIGN:
                yield m.Line("resign", action.player, value=action.value)
            case ActionKind.SET:
                raise RulesError(
                    f"Game {game.number} holds a position that was set, which cannot be written down here."
                )
            case ActionKind.ROLL:
                pass
            case kind:
                yield m.Line(kind.value, action.player)  # type: ignore[arg-type]
    if game.resigned and game.winner is not None and not any(a.kind is ActionKind.RESIGN for a in game.actions):
        stake = game.actions[-1].state.cube if game.actions else game.cube
        yield m.Line("resign", 1 - game.winner, value=min(3, max(1, game.points // max(stake, 1))))


def _as_made(action: Action) -> str:
    """An illegal play in words. Raises RulesError where only its result is known and no play comes to it."""
    play = action.play
    assert play is not None
    if play.steps:
        return str(play)
    before, after = action.position, play.result.swapped()
    changes = [(point, after.player[point - 1] - before.player[point - 1]) for point in range(25, 0, -1)]
    starts = [point for point, change in changes for _ in range(-change)]
    ends = [point for point, change in changes for _ in range(change)]
    ends += [0] * (len(starts) - len(ends))
    text = " ".join(f"{start}/{end}" for start, end in zip(starts, ends, strict=False))
    try:
        if play_as_made(text, before).result == play.result:
            return text
    except (IllegalPlayError, InvalidPlayError):
        pass
    raise RulesError(f"What was played with {words.dice_text(action.dice or (0, 0))} cannot be written as a play.")


def _begin(script: m.Transcript) -> Table:
    rules = Rules(
        length=script.length,
        variant=script.variant,
        crawford_rule=script.crawford,
        jacoby=script.jacoby,
        beavers=script.beavers,
    )
    names = tuple(name.strip() or f"player {number}" for number, name in enumerate(script.names, 1))
    return Table.new(rules, (names[0], names[1]))


def _ready(table: Table) -> Table:
    """With the next game begun where one is over."""
    return table.apply(NextGame()) if table.phase is Phase.GAME_OVER else table


def _thrown(table: Table, dice: tuple[int, int], player: int) -> Table:
    """After a roll; the first one of a game is that of the player who begins, whose die was the larger."""
    if table.phase is not Phase.OPENING:
        return table.apply(Roll(0 if table.turn is None else table.turn, dice))
    large, small = max(dice), min(dice)
    if large == small:
        raise RulesError("A game cannot begin with a double.")
    return table.apply(Opening((small, large) if player else (large, small)))


def _done(table: Table, line: m.Line) -> Table:
    """After a line. Raises RulesError, IllegalPlayError, InvalidPlayError."""
    if table.phase is Phase.MATCH_OVER:
        raise RulesError("The match is over.")
    turn = table.turn
    match line.do:
        case "play":
            if line.dice is None:
                raise RulesError("A play needs its dice.")
            if table.phase is Phase.OPENING:
                table = _thrown(table, line.dice, line.player or 0)
            else:
                _check_turn(table, line)
                table = _thrown(table, line.dice, 0)
            if line.anyway:
                return table.as_played(line.play)
            move = table.legal().plays[0]
            if not move.steps and not line.play.strip():
                return table.apply(table.move(str(move)))
            return table.apply(table.move(line.play))
        case "resign":
            player = line.player if line.player is not None else turn or 0
            return table.apply(Resign(player, line.value)).apply(Accept(1 - player))
        case do:
            _check_turn(table, line)
            if turn is None:
                raise RulesError("The game begins with a roll.")
            return table.apply(_ACTS[do](turn))


def _check_turn(table: Table, line: m.Line) -> None:
    if line.player is not None and table.turn is not None and line.player != table.turn:
        raise RulesError(f"It is the turn of {table.names[table.turn]}, not of {table.names[line.player]}.")


def _line(before: Table, after: Table) -> m.Transcribed:
    done = after.game.actions[-1]
    number = sum(action.kind in (ActionKind.MOVE, ActionKind.DOUBLE) for action in after.game.actions)
    dice = "" if done.dice is None else words.dice_text(done.dice)
    text = str(done.play) if done.illegal else words.action_text(done)
    return m.Transcribed(
        before.game.number, number, done.player, dice, text, after.game.winner, after.game.points, done.illegal
    )


def _dos(table: Table) -> tuple[str, ...]:
    """What can be done at a table."""
    legal = table.legal()
    found = [do for do, kind in _ACTS.items() if kind in legal]
    if table.phase in (Phase.OPENING, Phase.ROLL, Phase.PLAY):
        found.insert(0, "play")
    return (*found, "resign") if Resign in legal else tuple(found)
