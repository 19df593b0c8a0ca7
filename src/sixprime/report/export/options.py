"""What an export shows and how: every option of GNU Backgammon's `set export`, and a few of ours.

A field has the words of that command, joined: `set export moves display verybad off` is `moves_verybad=False`. What
`set output` and `set clockwise` choose is here, too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from sixprime.checks import FLAG, TEXT, Fields, OneOf, Real, Rule, Whole

Shown = Literal["both", "0", "1"]
Css = Literal["head", "external", "inline"]
Boards = Literal["gnu", "bbs", "fibs2html", "svg"]


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """How to export. Raises SettingsError for a value out of range."""

    folder: str = ""
    """Folder of files that are named without one; by default the current one."""
    annotations: bool = True
    """Write comments on games and moves."""
    analysis: bool = True
    """Write what decisions were worth, alerts and the luck of rolls."""
    statistics: bool = True
    """Write the statistics of each game and, after the last one, of the match."""
    matchinfo: bool = True
    """Write event, place, date and the like."""
    date: bool = True
    """Write when the file was made."""
    board: int = 1
    """Draw the board at every so many turns; 0: never."""
    player: Shown = "both"
    """Whose boards, comments and analyses to write: of both players, or of one only, 0 or 1."""
    links: bool = True
    """Link the pages of the games with each other."""
    moves_number: int = 5
    """How many plays to list, the one that was made besides."""
    moves_probabilities: bool = True
    """Write the chances of plays."""
    moves_evaluation: bool = False
    """Write how plays were evaluated."""
    moves_rollout: bool = True
    """Write how plays were rolled out."""
    moves_verybad: bool = True
    """List the plays where a very bad one was made."""
    moves_bad: bool = True
    """The same for bad ones."""
    moves_doubtful: bool = True
    """The same for doubtful ones."""
    moves_unmarked: bool = True
    """The same for all others."""
    cube_probabilities: bool = True
    """Write the chances of cube decisions."""
    cube_evaluation: bool = False
    """Write how cube decisions were evaluated."""
    cube_rollout: bool = True
    """Write how cube decisions were rolled out."""
    cube_verybad: bool = True
    """Write the analysis of very bad cube decisions."""
    cube_bad: bool = True
    """The same for bad ones."""
    cube_doubtful: bool = True
    """The same for doubtful ones."""
    cube_unmarked: bool = True
    """The same for all others."""
    cube_actual: bool = True
    """The same for doubles, takes and passes, whatever their mark."""
    cube_missed: bool = True
    """The same for doubles that were missed, whatever their mark."""
    cube_close: bool = True
    """The same for close decisions, whatever their mark."""
    html_type: Boards = "gnu"
    """Boards of HTML: put together from pictures of ours (gnu), of GammOnLine (bbs) or of fibs2html; or svg, drawn in
    the page."""
    html_css: Css = "head"
    """Style sheet of HTML: in the head of each page, in the file gnubg.css, or in each element."""
    html_pictureurl: str = "html-images/"
    """Where the pictures of HTML boards are; those of type gnu are written there unless it is an address."""
    html_size: int = 4
    """Size of the pictures of HTML boards, in multiples of 108 x 82."""
    png_size: int = 4
    """Size of PNG pictures, the same."""
    output_mwc: bool = False
    """Write match-winning chances in place of equities, in matches."""
    output_matchpc: bool = True
    """Write match-winning chances in percent."""
    output_winpc: bool = False
    """Write the chances of games in percent."""
    output_digits: int = 3
    """Digits after the point of equities, and of chances that are not in percent."""
    output_errorratefactor: float = 1000.0
    """What error and luck rates in the statistics are multiplied with."""
    ratingoffset: float = 2050.0
    """The FIBS rating of who makes no errors, from which statistics take what errors cost."""
    clockwise: bool = False
    """Draw boards so that player 1 moves clockwise, home on the left."""

    def __post_init__(self) -> None:
        _RULES(self)

    @property
    def bear_off(self) -> Literal["left", "right"]:
        """The side of the home boards."""
        return "left" if self.clockwise else "right"

    def shows(self, number: int) -> bool:
        """Whether the boards, comments and analyses of a player are shown."""
        return self.player in ("both", str(number))


_SIZE = Whole(1, 20)
_SPECIAL: dict[str, Rule] = {
    "folder": TEXT,
    "board": Whole(0, 1000),
    "player": OneOf(*get_args(Shown)),
    "moves_number": Whole(0, 10_000),
    "html_type": OneOf(*get_args(Boards)),
    "html_css": OneOf(*get_args(Css)),
    "html_pictureurl": TEXT,
    "html_size": _SIZE,
    "png_size": _SIZE,
    "output_digits": Whole(0, 6),
    "output_errorratefactor": Real(0.001, 1_000_000),
    "ratingoffset": Real(0, 1e9),
}
RULES: dict[str, Rule] = {name: _SPECIAL.get(name, FLAG) for name in ExportOptions.__annotations__}
"""By name of a field: what it may be."""
_RULES = Fields(**RULES)
DEFAULT = ExportOptions()
