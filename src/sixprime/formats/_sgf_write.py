"""Matches as SGF, a tree for each game."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sixprime._version import __version__
from sixprime.errors import InvalidFileError
from sixprime.formats import _sgf_tree as tree
from sixprime.formats._format import Feature, worth
from sixprime.formats._sgf_analysis import analysis_text, cube_text, play_text
from sixprime.game.match_rules import Rules
from sixprime.game.position import Position
from sixprime.game.record import Action, ActionKind, Game, Match

_MOST_CHEQUERS = 99


def write(matches: Sequence[Match]) -> str:
    """The text of matches, a tree for each game."""
    written = []
    for match in map(_of_one_program, matches):
        program = next(iter(_sources(match)), "")
        written += [_game_tree(match, game, program, index) for index, game in enumerate(match.games)]
    return "\n".join(written) + "\n"


def _of_one_program(match: Match) -> Match:
    """The match with the analyses of the program that its file names, the first that says anything."""
    sources = _sources(match)
    if len(set(sources)) < 2:
        return match
    games = []
    for game in match.games:
        actions = [
            replace(action, analyses=tuple(each for each in action.analyses if each.source == sources[0]))
            for action in game.actions
        ]
        games.append(replace(game, actions=tuple(actions)))
    return replace(match, games=tuple(games))


def _sources(match: Match) -> list[str]:
    """The programs of all analyses, in order."""
    return [analysis.source for each in match.games for a in each.actions for analysis in a.analyses]


def _game_tree(match: Match, game: Game, program: str, index: int) -> str:
    """program: whose analyses are in the match."""
    parts = [f"(;FF[4]GM[6]CA[UTF-8]AP[Sixprime:{__version__}]"]
    parts.append(f"MI[length:{match.length}][game:{game.number - 1}][ws:{game.score[0]}][bs:{game.score[1]}]")
    parts.append(f"PW[{tree.escaped_line(match.players[0].name)}]PB[{tree.escaped_line(match.players[1].name)}]")
    if program:
        parts.append(f"SO[{tree.escaped_line(program)}]")
    if index == 0:
        for key, player in zip(("WR", "BR"), match.players, strict=True):
            if player.rating is not None or player.experience is not None:
                rating = "" if player.rating is None else f"{player.rating!r}".removesuffix(".0")
                exp = "" if player.experience is None else f"(Exp {player.experience})"
                parts.append(f"{key}[{' '.join(filter(None, (rating, exp)))}]")
        for key, code in tree.INFO.items():
            if match.info.get(key):
                parts.append(f"{code}[{tree.escaped(match.info[key])}]")
    if rules := _rules_of(match, game):
        parts.append(f"RU[{':'.join(rules)}]")
    if game.cube > 1:
        parts.append(f"CV[{game.cube}]")
    if game.winner is not None:
        # Of a resignation other programs take the level to be points by cube, which must not be cut off.
        level, cube = (worth(game) if game.resigned else None) or (0, 0)
        parts.append(f"RE[{tree.LETTERS[game.winner]}+{max(game.points, level * cube)}{'R' if game.resigned else ''}]")
    if game.comment:
        parts.append(f"C[{tree.escaped(game.comment)}]")
    parts.append(tree.extras_text(game.extras))
    lines = ["".join(parts)]
    for action in game.actions:
        lines += _nodes(action, match)
    return "\n".join(lines) + ")"


def _rules_of(match: Match, game: Game) -> list[str]:
    rules = []
    if match.cube_limit == 1:
        rules.append("NoCube")
    if match.length and match.crawford_rule:
        rules.append("Crawford")
    if game.crawford:
        rules.append("CrawfordGame")
    if not match.length and match.jacoby:
        rules.append("Jacoby")
    if match.variant in tree.VARIATIONS:
        rules.append(tree.VARIATIONS[match.variant])
    return rules


def _nodes(action: Action, match: Match) -> list[str]:
    letter = tree.LETTERS[action.player]
    kind = action.kind
    if kind is ActionKind.SET:
        return _set_nodes(action)
    if kind is ActionKind.RESIGN:
        head = ";" if action.comment else ""
    elif kind in (ActionKind.DOUBLE, ActionKind.BEAVER):
        head = f";{letter}[double]"
    elif kind is ActionKind.TAKE:
        head = f";{letter}[take]"
    elif kind is ActionKind.DROP:
        head = f";{letter}[drop]"
    else:
        assert action.dice is not None
        dice = f"{action.dice[0]}{action.dice[1]}"
        play = action.play
        if kind is ActionKind.ROLL or play is None or _unwritable(action):
            head = f";PL[{letter}]DI[{dice}]"
        else:
            head = f";{letter}[{dice}{tree.letters_of(play, action.player)}]"
    if not head:
        return []
    comment = f"C[{tree.escaped(action.comment)}]" if action.comment else ""
    nodes = [head + comment + analysis_text(action, match.length > 0) + tree.extras_text(action.extras)]
    if kind is ActionKind.MOVE and action.play is not None and _unwritable(action):
        # For others the chequers are set by hand.
        nodes.append(
            f";PL[{tree.LETTERS[1 - action.player]}]{_board(action.play.result, 1 - action.player)}{tree.MOVED}"
        )
    return nodes


def _unwritable(action: Action) -> bool:
    """Whether only the result of an illegal play is known."""
    play = action.play
    return action.illegal and play is not None and not play.steps and play.result != action.position.swapped()


def _board(position: Position, on_roll: int) -> str:
    """The chequers, set on an empty board. Raises InvalidFileError for too many on a point."""
    seen = position if on_roll == 0 else position.swapped()
    if max(*seen.player, *seen.opponent) > _MOST_CHEQUERS:
        raise InvalidFileError(f"SGF is written with at most {_MOST_CHEQUERS} chequers on a point")
    sides = []
    for player, counts in ((0, seen.player), (1, seen.opponent)):
        points = "".join(f"[{tree.letter_of(point, player)}]" * counts[point - 1] for point in range(25, 0, -1))
        sides.append(f"A{tree.LETTERS[player]}{points}" if points else "")
    return f"AE[a:y]{''.join(sides)}"


def _set_nodes(action: Action) -> list[str]:
    state = action.state
    letter = tree.LETTERS[state.on_roll]
    comment = f"C[{tree.escaped(action.comment)}]" if action.comment else ""
    owner = next(sign for sign, player in tree.OWNERS.items() if player == state.cube_owner)
    nodes = [
        f";PL[{letter}]{_board(action.position, state.on_roll)}{comment}{tree.extras_text(action.extras)}",
        f";CV[{state.cube}]",
        f";CP[{owner}]",
    ]
    if state.doubled:
        nodes.append(f";{letter}[double]{analysis_text(action, state.length > 0)}")
    elif state.dice is not None:
        nodes.append(f";PL[{letter}]DI[{state.dice[0]}{state.dice[1]}]{analysis_text(action, state.length > 0)}")
    return nodes


def losses(match: Match) -> list[str]:
    """What is lost beyond the features."""
    lost = ["time of the match"] if match.info.get("time") else []
    if match.cube_limit not in (1, Rules().cube_limit):
        lost.append(Feature.CUBE_LIMIT.value)
    if any(game.resigned and (ended := worth(game)) and game.points < ended[0] * ended[1] for game in match.games):
        lost.append(Feature.CAPPED.value)
    if len(set(_sources(match))) > 1:
        lost.append("analyses of all but one program")
    match = _of_one_program(match)
    actions = [action for game in match.games for action in game.actions if action.analyses]
    cubes = [action.analyses[0].cube for action in actions if action.analyses[0].cube is not None]
    plays = [(play, action.player) for action in actions for play in action.analyses[0].plays]
    if not all(cube_text(cube, match.length > 0) for cube in cubes) or any(
        play.play.steps and not play_text(play, player, match.length > 0) for play, player in plays
    ):
        lost.append("analyses without probabilities or match-winning chances")
    return lost
