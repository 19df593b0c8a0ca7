"""`sixprime picture`: the board of an ID, of a position file or of a move of a match, as SVG or PNG."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from sixprime.cli._common import (
    Chequers,
    EncodingName,
    Flag,
    MaybeMove,
    Move,
    Text,
    UsageError,
    check_picture,
    read_id,
    whole,
    write_picture,
)
from sixprime.cli._sources import match_of
from sixprime.cli.judge import roll_text, with_dice
from sixprime.game import Match, ParsedPosition, Play, parse_play
from sixprime.game.numbering import action_at
from sixprime.game.record import Action
from sixprime.report.themes import THEMES

if TYPE_CHECKING:
    from sixprime.analysis.model import AnalysedMatch

Maybe = Parameter(show_default=False)
ThemeName = Annotated[
    str, Parameter(help=f"Colours: {', '.join(THEMES)}, or auto, which follows the reader's and needs a browser (SVG).")
]
Width = Annotated[int | None, whole(16, 16384, show_default=False)]


def picture(
    what: Text,
    /,
    *roll: str,
    output: Annotated[Path | None, Parameter(alias="-o", show_default=False)] = None,
    game: Annotated[int | None, whole(1, show_default=False)] = None,
    move: MaybeMove = None,
    player: Annotated[Literal[1, 2] | None, Maybe] = None,
    graph: Annotated[Literal["chances", "errors", "luck", "histogram"] | None, Maybe] = None,
    page: Annotated[str | None, Maybe] = None,
    dice: Annotated[str | None, Maybe] = None,
    play: Annotated[str | None, Maybe] = None,
    played: Annotated[str | None, Maybe] = None,
    bottom: Literal["mover", "opponent", "1", "2"] = "mover",
    home: Literal["right", "left"] = "right",
    numbers: Literal["mover", "bottom", "none"] = "mover",
    no_pips: Flag = False,
    light: Literal[1, 2] = 1,
    chequers: Chequers = 15,
    theme: ThemeName = "light",
    width: Width = None,
    encoding: EncodingName = None,
) -> int:
    """Draw a board as SVG or PNG, with arrows for plays; or the graphs of a match that was analysed.

    Parameters
    ----------
    what
        Position ID, positionid:matchid, XGID, OGID or a FIBS board line; a position or match file, or an
        analysis that ends in .sixprime, which --graph needs.
    roll
        The roll, such as 31 or 3 1, instead of that of the ID.
    output
        File to write, .svg or .png; without it SVG goes to standard output.
    game
        Which game of a match, by default the first.
    move
        Which move of the game, as reports number them: 12, or 12:2 for that of the second player.
    player
        The same: whose move, by default of who moves first in it.
    graph
        Draw this graph of the match instead of a board.
    page
        The HTML report beside the graph, which a click on it leads to.
    dice
        The roll as an option.
    play
        A play to draw with solid arrows.
    played
        A play to draw with dashed arrows; of a move of a match, what was played.
    bottom
        Who sits at the bottom: who is on roll, his opponent, or player 1 or 2.
    home
        The side of the home boards.
    numbers
        Whose numbers the points have.
    no_pips
        Leave the pip counts out.
    light
        Which player has the light chequers.
    width
        Width in pixels.
    """
    check_picture(output, "--output", ".svg", ".png")
    bitmap = output is not None and output.suffix.lower() == ".png"
    if theme not in ("auto", *THEMES):
        raise UsageError(f"--theme is auto, {', '.join(THEMES)}; got {theme!r}")
    if bitmap and theme == "auto":
        raise UsageError("--theme auto follows the colours of a browser, which a PNG cannot; name a theme")
    if page is not None and graph is None:
        raise UsageError("--page is the report that a graph leads to; it goes with --graph")
    if graph is not None:
        for name, given in (("a roll", roll), ("--game", game), ("--move", move), ("--player", player),
                            ("--dice", dice), ("--play", play), ("--played", played), ("--bottom", bottom != "mover"),
                            ("--home", home != "right"), ("--numbers", numbers != "mover"), ("--no-pips", no_pips),
                            ("--light", light != 1), ("--chequers", chequers != 15), ("--theme", theme != "light"),
                            ("--width", width is not None and not bitmap)):  # fmt: skip
            if given:
                raise UsageError(f"--graph draws a whole match; {name} is for a board")
        drawn = _graph(what, graph, page)
    else:
        if move is not None and player is not None:
            if move.player not in (None, player - 1):
                raise UsageError(f"--move names a move of player {(move.player or 0) + 1}, --player {player}")
            move = replace(move, player=player - 1)
        shown, done = _shown(what, game, move, encoding, chequers, alone=player is None)
        if named := next((word for word in roll if word.lower().endswith((".svg", ".png"))), None):
            raise UsageError(f"the file to write is named with -o {named}")
        words = roll_text(roll, dice)
        if words is not None:
            shown, done = with_dice(shown, words), None
        mover = shown.state.on_roll
        from sixprime.report.svg import board_svg

        drawn = board_svg(
            shown.position,
            shown.state,
            mover=mover,
            bottom={"mover": mover, "opponent": 1 - mover, "1": 0, "2": 1}[bottom],
            bear_off=home,
            best=_play(shown, play, "--play"),
            played=_play(shown, played, "--played") or done,
            numbers=numbers,
            pips=not no_pips,
            light=light - 1,
            theme=theme,
            width=width,
        )
    if output is None:
        print(drawn, end="" if drawn.endswith("\n") else "\n")
        return 0
    return 0 if write_picture(output, drawn, width) else 1


def _graph(what: str, graph: str, page: str | None) -> str:
    """A graph of an analysis kept in a file."""
    from sixprime.api import load_analysis
    from sixprime.report.graphs import GRAPHS

    if Path(what).suffix.lower() != ".sixprime":
        raise UsageError(
            f"--graph needs an analysis, a file that ends in .sixprime, as analyse --save writes it; got {what}"
        )
    analysed: AnalysedMatch = load_analysis(what)
    return GRAPHS[graph](analysed, page=page)


def _shown(
    what: str, game: int | None, move: Move | None, encoding: str | None, chequers: int, *, alone: bool
) -> tuple[ParsedPosition, Play | None]:
    """The position to draw, and what was played in it. alone: whether no player was named."""
    is_file = False
    with suppress(OSError, ValueError):
        is_file = Path(what).is_file()
    if not is_file:
        if (game, move) != (None, None) or not alone:
            raise UsageError("--game, --move and --player are for a match file")
        return read_id(what, chequers=chequers), None
    if chequers != 15:
        raise UsageError(f"--chequers is for an ID; what is played in {what} the file says")
    match = match_of(what, encoding)
    action = match.only_position or _action(match, game, move)
    return ParsedPosition(action.position, action.state, action.state.dice), None if action.illegal else action.play


def _action(match: Match, game: int | None, move: Move | None) -> Action:
    """An action of a match. Raises UsageError, SettingsError where there is none."""
    if move is None:
        raise UsageError(
            "this file is a match; name the move to draw with --move, and --game for another than the first"
        )
    index, place = action_at(match, game, move.number, move.player)
    return match.games[index].actions[place]


def _play(shown: ParsedPosition, text: str | None, option: str) -> Play | None:
    if text is None:
        return None
    if shown.state.dice is None:
        raise UsageError(f"{option} needs the roll; give it, for example --dice 31")
    return parse_play(text, shown.position, shown.state.dice)
