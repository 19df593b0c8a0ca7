"""Exports: matches, games and positions in the forms that other programs and people read."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any

from sixprime.command import engines
from sixprime.command.call import NO_GAME, Call
from sixprime.command.tables.analysing import judged
from sixprime.command.tables.files import alone, put
from sixprime.command.tables.program import to_clipboard
from sixprime.command.tree import command, group
from sixprime.command.words import Path, Refused
from sixprime.game.record import ActionKind, Match
from sixprime.game.table import Table
from sixprime.paths import expanded

if TYPE_CHECKING:
    from sixprime.analysis.model import AnalysedMatch

_PLAIN = {"mat": "mat", "gam": "gam", "snowietxt": "snowie"}
"""Forms without analysis, with our names of them."""
_MATCH = {
    "mat": "in Jellyfish's .mat format",
    "snowietxt": "in Snowie's text format",
    "html": "as HTML",
    "latex": "as LaTeX",
    "text": "as text",
    "pdf": "as PDF",
    "ps": "as PostScript",
}
_GAME = {"gam": "in Jellyfish's .gam format"} | {word: text for word, text in _MATCH.items() if word != "mat"}
_SESSION = {word: _MATCH[word] for word in ("html", "latex", "text")}
_POSITION = {
    "bgonline": "as HTML for BGonline",
    "ps": "as PostScript",
    "pdf": "as PDF",
    "svg": "as SVG",
    "html": "as HTML",
    "png": "as PNG",
    "pos": "in Jellyfish's .pos format",
    "snowietxt": "in Snowie's text format",
    "text": "as text",
}
_POSITION_FILES = {"pos": "pos", "snowietxt": "snowiepos"}
_BINARY = ("pdf", "png", "pos")


def _match_as(call: Call, form: str, path: str | None, *, only_game: bool = False) -> None:
    from sixprime import formats
    from sixprime.report.export import export

    match, number = call.match(), call.state.game

    def write(target: FilePath) -> list[FilePath]:
        if form in _PLAIN:
            games = match.games[number : number + 1] if only_game else match.games
            return formats.write(replace(match, games=games), target, _PLAIN[form])
        game = match.games[number].number if only_game else None
        options = call.options.exports
        # Pages that are printed are no files that could be linked.
        options = replace(options, links=options.links and path != "-")
        return export(judged(call), target, options, form=form, game=game, met=engines.table(call.options))

    put(call, path, "a file to export to", write, text=form not in _BINARY)


def _position_as(call: Call, form: str, path: str | None) -> None:
    from sixprime import formats
    from sixprime.report.export import export

    table = call.state.table
    if table is None:
        raise Refused(NO_GAME)

    def write(target: FilePath) -> list[FilePath]:
        if form in _POSITION_FILES:
            return formats.write(alone(table), target, _POSITION_FILES[form])
        analysed, where = _position(call, table)
        return export(analysed, target, call.options.exports, form=form, met=engines.table(call.options), **where)

    put(call, path, "a file to export to", write, text=form not in _BINARY)


def _position(call: Call, table: Table) -> tuple[AnalysedMatch, dict[str, Any]]:
    """The position on the board with what is known of it, and where it is in a match: game, move and player, if
    anywhere."""
    from sixprime.analysis.single import unjudged
    from sixprime.game.numbering import rows

    coming = call.state.coming
    if coming is not None and coming.kind not in (ActionKind.SET, ActionKind.RESIGN) and not call.state.loose:
        analysed, place = judged(call), call.state.at
        if coming.kind is ActionKind.MOVE and not call.state.roll_seen:
            analysed = _before_roll(analysed, call.state.game, place)
        game = analysed.match.games[call.state.game]
    else:
        match, place = _at_end(table)
        analysed, game = unjudged(match), match.games[-1]
        if match.only_position is not None:
            return analysed, {}
    return analysed, {"game": game.number, "move": rows(game.actions)[place], "player": game.actions[place].player}


def _before_roll(analysed: AnalysedMatch, number: int, place: int) -> AnalysedMatch:
    """The same, one play of it shown as it is before its roll."""
    games = list(analysed.match.games)
    actions = list(games[number].actions)
    actions[place] = replace(actions[place], state=replace(actions[place].state, dice=None))
    games[number] = replace(games[number], actions=tuple(actions))
    return replace(analysed, match=replace(analysed.match, games=tuple(games)))


def _at_end(table: Table) -> tuple[Match, int]:
    """The match until now with the position on the board at its end, and the place of that in the last game."""
    last = alone(table).games[0]
    before, done = table.match.games, table.game
    actions = done.actions[:-1] if done.actions and done.actions[-1].kind is ActionKind.SET else done.actions
    if done.winner is not None:
        before = (*before, done)
    game = replace(last, number=len(before) + 1, actions=(*actions, *last.actions))
    return replace(table.match, games=(*before, game)), len(actions)


group("export", "Write what other programs and people read")
for _what, _forms in (("match", _MATCH), ("session", _SESSION), ("game", _GAME)):
    group(f"export {_what}", f"Write the {_what}")
    for _form, _text in _forms.items():

        @command(f"export {_what} {_form}", f"Write the {_what} {_text}", "<filename>")
        def _export(call: Call, path: Path = None, *, form: str = _form, only_game: bool = _what == "game") -> None:
            _match_as(call, form, path, only_game=only_game)


group("export position", "Write the position")
for _form, _text in _POSITION.items():

    @command(f"export position {_form}", f"Write the position {_text}", "<filename>")
    def _export_position(call: Call, path: Path = None, *, form: str = _form) -> None:
        _position_as(call, form, path)


@command("export position bgo2clipboard", "Copy the position as HTML for BGonline to the clipboard")
def export_clipboard(call: Call) -> None:
    from sixprime.report.export import render

    analysed, where = _position(call, call.table())
    [(_, text)] = render(
        analysed, "bgonline", "position", call.options.exports, met=engines.table(call.options), **where
    )
    to_clipboard(call, str(text), "The position")


@command("export htmlimages", "Write the pictures that boards in HTML are made of into a folder", "<folder>")
def export_htmlimages(call: Call, path: Path = None) -> None:
    from sixprime.report.export.pieces import write_all

    if not path:
        raise Refused("You must specify a folder for the pictures (see `help export htmlimages').")
    write_all(expanded(path), call.options.export.html_size)
