"""What was played, judged: `analyse`, and the statistics of it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sixprime.command.call import Call
from sixprime.command.engines import DEEPEST, move_filter, table
from sixprime.command.judges import Judges
from sixprime.command.marks import thresholds
from sixprime.command.tree import command, group
from sixprime.command.words import Refused
from sixprime.game.record import Action, Game, Match
from sixprime.paths import expanded

if TYPE_CHECKING:
    from sixprime.analysis.model import AnalysedMatch


def match_of(call: Call) -> Match:
    """The match in hand. Raises `Refused` where there is none."""
    return call.match("No game in progress.")


def keep(call: Call, match: Match) -> None:
    """Takes a match up that differs from the one in hand in what is said of its actions only."""
    state, table = call.state, call.state.table
    if table is not None:
        before = replace(table.match, games=match.games[: state.game])
        game = match.games[state.game]
        told = replace(table.game, actions=game.actions[: state.at], comment=game.comment, extras=game.extras)
        table = replace(table, match=before, game=told)
    call.state = replace(state, match=match, table=table)


def keep_game(call: Call, game: Game) -> None:
    """The same for the game at the cursor."""
    match, number = match_of(call), call.state.game
    keep(call, replace(match, games=(*match.games[:number], game, *match.games[number + 1 :])))


def keep_action(call: Call, action: Action) -> None:
    """The same for the action after the cursor."""
    game, at = match_of(call).games[call.state.game], call.state.at
    keep_game(call, replace(game, actions=(*game.actions[:at], action, *game.actions[at + 1 :])))


def judged(call: Call) -> AnalysedMatch:
    """The match with what is known of it: our analysis, or the one that it came with; else without any.

    Raises `Refused` where there is no match.
    """
    from sixprime.analysis.kept import kept_analysis
    from sixprime.analysis.single import unjudged

    match = match_of(call)
    kept = call.shell.kept.get("analysed")
    if kept is not None and kept[0] == match:
        found: AnalysedMatch = kept[1]
        return found
    met = table(call.options)
    return kept_analysis(match, met=met, thresholds=thresholds(call.options)) or unjudged(match, met)


def analysed(call: Call, match: Match) -> AnalysedMatch:
    """A match judged as is set. Raises what `analyse` raises, and `Refused` where nothing is to be judged."""
    from sixprime.analysis.analyse import analyse
    from sixprime.analysis.depth import Depth

    settings = call.options.analysis
    if not any(settings.players) or not (settings.moves or settings.cubes or settings.luck):
        raise Refused("No analysis selected, you must specify at least one type of analysis to perform")
    plays, cubes = (min(each.evaluation.plies, DEEPEST) for each in (settings.chequer, settings.cube))
    name = move_filter(settings.filter).text
    depth = Depth(plays if settings.moves else None, cubes if settings.cubes else None, name)
    one, other = (depth if wanted else Depth(None, None, name) for wanted in settings.players)
    return analyse(
        match,
        Judges(call),
        depths=(one, other),
        thresholds=thresholds(call.options),
        luck=(settings.luck and settings.players[0], settings.luck and settings.players[1]),
        progress=call.shell.progress,
    )


def _judge(call: Call, match: Match) -> Match:
    """The match with what is judged now, and what was known of what is set not to be judged."""
    from sixprime.analysis.kept import with_analysis, with_known

    settings = call.options.analysis
    found = analysed(call, match)

    def whole(made: Match) -> Match:
        kinds = {"plays": settings.moves, "cubes": settings.cubes, "luck": settings.luck}
        return with_known(match, made, players=settings.players, **kinds)

    made = with_analysis(found)
    kept = whole(made)
    if kept != made:
        # What is of several engines is of none that could take it up again.
        return whole(with_analysis(replace(found, judge="")))
    call.shell.kept["analysed"] = (kept, found)
    return kept


def _analyse_match(call: Call) -> None:
    keep(call, _judge(call, match_of(call)))
    autosave(call, wanted=call.options.autosave.analysis)


def autosave(call: Call, *, wanted: bool) -> None:
    """Saves the match where that is wanted, in the folder of the settings."""
    from sixprime import formats

    if wanted:
        target = expanded(call.shell.settings).parent / "backup" / "analysed.sgf"
        formats.write(match_of(call), target, "sgf")
        call.say(f"Saved to {target}.")


def _analyse_game(call: Call) -> None:
    match = match_of(call)
    alone = replace(match, games=(match.games[call.state.game],))
    keep_game(call, _judge(call, alone).games[0])
    autosave(call, wanted=call.options.autosave.analysis)


def _analyse_move(call: Call) -> None:
    match, coming, at = match_of(call), call.state.coming, call.state.at
    if coming is None:
        raise Refused("Please use `hint' on unfinished moves")
    game = match.games[call.state.game]
    # With the action before it, so that it does not pass for the first roll of the game.
    few = replace(game, actions=game.actions[max(0, at - 1) : at + 1], winner=None, points=0, resigned=False)
    keep_action(call, _judge(call, replace(match, games=(few,))).games[0].actions[-1])


def _clear_match(call: Call) -> None:
    from sixprime.analysis.kept import with_analysis
    from sixprime.analysis.single import unjudged

    keep(call, with_analysis(unjudged(match_of(call))))


def _clear_game(call: Call) -> None:
    from sixprime.analysis.kept import with_analysis
    from sixprime.analysis.single import unjudged

    match = match_of(call)
    alone = replace(match, games=(match.games[call.state.game],))
    keep_game(call, with_analysis(unjudged(alone)).games[0])


def _clear_move(call: Call) -> None:
    match_of(call)
    if call.state.coming is None:
        raise Refused("There is no move here to clear.")
    keep_action(call, replace(call.state.coming, analyses=()))


for _verb in ("analyse", "analyze"):
    group(_verb, "Judge what was played")
    group(f"{_verb} clear", "Forget what was judged")
    for _what, _do, _clear in (
        ("match", _analyse_match, _clear_match),
        ("session", _analyse_match, _clear_match),
        ("game", _analyse_game, _clear_game),
        ("move", _analyse_move, _clear_move),
    ):
        _hidden = _verb == "analyze"
        command(f"{_verb} {_what}", f"Judge the {_what}", hidden=_hidden)(_do)
        command(f"{_verb} clear {_what}", f"Forget what was judged of the {_what}", hidden=_hidden)(_clear)


def _statistics(call: Call) -> None:
    from sixprime.command.answers.statistics import statistics_text
    from sixprime.report.export.statistics import game_statistics, match_statistics

    call.match()
    found = judged(call)
    of_game = call.name.endswith("game")
    how = call.options.exports
    told = game_statistics(found, call.state.game, how) if of_game else match_statistics(found, how)
    call.say(statistics_text(told))


group("show statistics", "Statistics of what was played")
for _what in ("game", "match", "session"):
    command(f"show statistics {_what}", f"Statistics of the {_what}")(_statistics)
