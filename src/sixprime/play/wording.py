"""What happens at a table, and what is known of it, in sentences."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sixprime.game.acts import Accept, Act, Beaver, Decline, Double, Drop, Move, NextGame, Opening, Resign, Roll, Take
from sixprime.game.state import SIZES
from sixprime.game.table import Phase, Table, placeless
from sixprime.play.advice import Hint
from sixprime.report import words

_YOU = {"has": "have", "passes": "pass"}
"""What you do, where it is not what others do without its s."""


def happened(act: Act, table: Table, people: Collection[int]) -> list[str]:
    """An act in words, and what came of it at the table after it; rolls of programs are told with their plays."""
    names, actions = words.names(table.match), table.game.actions
    match act:
        case Opening(dice=(first, second)):
            said = [f"{does(names[0], 'throws')} {first}, {names[1]} {second}."]
            if first == second:
                more = f" The cube is at {table.game.cube}." if table.game.cube > 1 else ""
                return [f"{said[0]} Both again.{more}"]
            return [f"{said[0]} {does(names[table.state.on_roll], 'begins')}."]
        case Roll(player, dice=(first, second)):
            if player not in people:
                # It is said together with what is played.
                return []
            nothing = "" if table.legal().plays[0].steps else " No chequer can move."
            return [f"{does(names[player], 'rolls')} {_dice(first, second)}.{nothing}"]
        case Move(player, play):
            played = f"{does(names[player], 'plays')} {play}." if play.steps else f"{names[player]} cannot move."
            if player not in people:
                first, second = actions[-1].dice or (0, 0)
                did = f"plays {play}" if play.steps else "cannot move"
                played = f"{names[player]} rolls {_dice(first, second)} and {did}."
            said = [played]
        case Double(player):
            said = [f"{does(names[player], 'doubles')} to {table.offered}."]
        case Beaver(player):
            said = [f"{does(names[player], 'turns')} the cube to {table.offered}."]
        case Take(player):
            said = [f"{does(names[player], 'takes')}; the cube is at {table.state.cube}."]
        case Drop(player):
            said = [f"{does(names[player], 'passes')}."]
        case Resign(player, value):
            said = [f"{does(names[player], 'offers')} to resign a {SIZES[value]}."]
        case Accept(player) | Decline(player):
            said = [f"{does(names[player], 'accepts' if isinstance(act, Accept) else 'declines')}."]
        case NextGame():
            crawford = ", the Crawford game" if table.state.crawford else ""
            return [f"Game {table.game.number} at {table.score[0]}-{table.score[1]}{crawford}."]
        case _:
            said = ["The position was set."] if actions else []
    if table.game.winner is not None:
        # As the winner says it.
        winner = table.game.winner
        said.append(f"{outcome(table)}: {table.score[winner]}-{table.score[1 - winner]}.")
    if table.phase is Phase.MATCH_OVER:
        said.append(f"{does(names[int(table.score[1] > table.score[0])], 'wins')} the match.")
    return said


def _dice(first: int, second: int) -> str:
    """A roll as it is called, the higher die first."""
    return f"{max(first, second)}-{min(first, second)}"


def lost_by_time(table: Table, late: int) -> str:
    """Who has used his time up, and who has won by it."""
    what = "match" if table.rules.length else "session"
    return f"{time_over(table, late)}: {does(words.names(table.match)[1 - late], 'wins')} the {what}."


def time_over(table: Table, late: int) -> str:
    """Whose time is over."""
    name = words.names(table.match)[late]
    return "Your time is over" if name.lower() == "you" else f"The time of {name} is over"


def headline(table: Table) -> str:
    """What is played: match and game."""
    crawford = ", Crawford game" if table.state.crawford else ""
    variant = "" if table.rules.variant == "standard" else f", {table.rules.variant}"
    return f"{words.length_text(table.match)}{variant}, game {table.game.number}{crawford}"


def offer(table: Table) -> str:
    """What is offered to whoever is to act, the cube or the game."""
    state, other = table.state, words.names(table.match)[1 - (table.turn or 0)]
    if table.phase is Phase.DOUBLED:
        return f"{does(other, ('doubles', 'beavers', 'raccoons')[min(state.beavered, 2)])} to {table.offered}"
    points = words.count(state.resigned * (table.offered // 2 or state.cube), "point")
    return f"{does(other, 'resigns')} a {SIZES[state.resigned]}, {points}"


def outcome(table: Table) -> str:
    """Who has won the game, and how much."""
    game = table.game
    return f"{does(words.names(table.match)[game.winner or 0], 'wins')} {words.count(game.points, 'point')}"


def one_line(error: Exception) -> str:
    """What is wrong, as a sentence."""
    if isinstance(error, OSError) and error.strerror:
        text = f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    else:
        text = " ".join(placeless(error).split())
    # A file or an address is called as it is.
    if text.partition(" ")[0].strip(",:").isalpha():
        text = text[:1].upper() + text[1:]
    return text + ("" if text.endswith((".", "?", "!")) else ".")


def hint_lines(hint: Hint, count: int) -> list[str]:
    """A hint as lines of text."""
    lines = []
    for rank, option in enumerate(hint.options[:count], 1):
        name = words.play_text(option.words)
        loss = f"  ({words.signed(-option.loss)})" if rank > 1 else ""
        chances = ""
        if option.analysis is not None:
            chances = f"  {chances_text(words.six_chances(option.analysis.probabilities))}"
        lines.append(f"{rank}. {name:<22} {words.signed(option.equity)}{loss}{chances}")
    return lines


def chances_text(six: Sequence[float]) -> str:
    """Six chances, as `words.six_chances` gives them, in percent: those of one side, then those of the other."""
    win, gammon, backgammon, lose, lose_gammon, lose_backgammon = map(words.percent, six)
    return f"{win} {gammon} {backgammon} - {lose} {lose_gammon} {lose_backgammon}"


def does(name: str, verb: str) -> str:
    """Who does something; a person may be called you."""
    if name.lower() != "you":
        return f"{name} {verb}"
    return f"{name} {_YOU.get(verb) or verb.removesuffix('s')}"


def clock_time(seconds: float) -> str:
    """Seconds as a clock shows them."""
    whole = int(abs(seconds))
    return f"{'-' if seconds < 0 else ''}{whole // 60}:{whole % 60:02d}"
