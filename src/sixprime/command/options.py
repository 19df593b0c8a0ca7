"""Everything that `set` can set: one frozen tree. Players are 0 and 1; defaults are GNU Backgammon's.

`changed(options, "players.0.chequer.evaluation.plies", 3)` gives another tree; numbers in a path count in tuples.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from sixprime.report.export.options import DEFAULT, ExportOptions

Tree = TypeVar("Tree")


def get(tree: Any, path: str) -> Any:
    """The part of a tree that a path names."""
    for word in path.split("."):
        tree = tree[int(word)] if isinstance(tree, tuple) else getattr(tree, word)
    return tree


def changed(tree: Tree, path: str, value: Any) -> Tree:
    """The tree with another value where a path leads."""
    word, _, rest = path.partition(".")
    within: Any = tree
    if isinstance(within, tuple):
        at = int(word)
        inner = changed(within[at], rest, value) if rest else value
        return (*within[:at], inner, *within[at + 1 :])  # type: ignore[return-value]
    inner = changed(getattr(within, word), rest, value) if rest else value
    made: Tree = replace(within, **{word: inner})
    return made


@dataclass(frozen=True, slots=True)
class Eval:
    """How a position is evaluated. noise: standard deviation."""

    plies: int = 2
    prune: bool = True
    cubeful: bool = True
    noise: float = 0.0
    deterministic: bool = True


Filter = tuple[int, int, float]
"""Plays accepted, extra ones, tolerance; -1: no pruning on this level."""
Filters = tuple[tuple[Filter, ...], ...]
"""For 1 to 4 plies, each with a filter for every level before."""
NONE: Filter = (-1, 0, 0.0)


def filters(extra: int, tolerance: float) -> Filters:
    """Filters of the usual shape: at 0-ply so many, at 2-ply a quarter of them at a quarter of the tolerance."""
    first, second = (0, extra, tolerance), (0, extra // 4, tolerance / 4)
    return (first,), (first, NONE), (first, NONE, second), (first, NONE, second, NONE)


NORMAL, LARGE = filters(8, 0.16), filters(16, 0.32)
_ZERO = Eval(plies=0)
_CUBE = Eval(plies=2)


@dataclass(frozen=True, slots=True)
class Generator:
    """A generator of dice. seed: None for one of the system's randomness. more: modulus of bbs, name of a file."""

    name: str = "mersenne"
    seed: int | None = None
    more: str = ""


@dataclass(frozen=True, slots=True)
class Rollout:
    """How positions are rolled out; pairs are of players 0 and 1."""

    chequer: tuple[Eval, Eval] = (_ZERO, _ZERO)
    cube: tuple[Eval, Eval] = (_CUBE, _CUBE)
    filter: tuple[Filters, Filters] = (NORMAL, NORMAL)
    later: bool = False
    later_plies: int = 5
    later_chequer: tuple[Eval, Eval] = (_ZERO, _ZERO)
    later_cube: tuple[Eval, Eval] = (_CUBE, _CUBE)
    later_filter: tuple[Filters, Filters] = (NORMAL, NORMAL)
    truncation: bool = False
    truncation_plies: int = 10
    truncation_chequer: Eval = _CUBE
    truncation_cube: Eval = _CUBE
    bearoff_exact: bool = True
    bearoff_onesided: bool = True
    cubeful: bool = True
    initial: bool = False
    varredn: bool = True
    quasirandom: bool = True
    trials: int = 1296
    cube_equal_chequer: bool = False
    players_are_same: bool = True
    truncate_equal_player0: bool = True
    jsd: bool = False
    jsd_minimum: int = 324
    jsd_limit: float = 2.33
    limit: bool = False
    limit_minimum: int = 324
    limit_maxerror: float = 0.01
    log: bool = False
    logfile: str = ""
    rng: Generator = Generator()


_CUBELESS_ZERO, _CUBELESS = Eval(plies=0, cubeful=False), Eval(cubeful=False)
_WITHIN = Rollout(
    chequer=(_CUBELESS_ZERO, _CUBELESS_ZERO),
    cube=(_CUBELESS, _CUBELESS),
    later_chequer=(_CUBELESS_ZERO, _CUBELESS_ZERO),
    later_cube=(_CUBELESS, _CUBELESS),
    truncation=True,
    truncation_chequer=_CUBELESS,
    truncation_cube=_CUBELESS,
    cubeful=False,
)
"""How decisions are rolled out where nothing else is set."""


@dataclass(frozen=True, slots=True)
class Decision:
    """How decisions of one kind are judged. type: "evaluation" or "rollout"."""

    type: str = "evaluation"
    evaluation: Eval = Eval()
    rollout: Rollout = _WITHIN


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What `eval` and `hint` take."""

    chequer: Decision = Decision()
    cube: Decision = Decision()
    filter: Filters = NORMAL
    sameasanalysis: bool = False


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Equity lost, or luck, from which there is a mark."""

    doubtful: float = 0.03
    bad: float = 0.06
    verybad: float = 0.12
    lucky: float = 0.3
    verylucky: float = 0.6
    unlucky: float = 0.3
    veryunlucky: float = 0.6


@dataclass(frozen=True, slots=True)
class Analysis:
    """What `analyse` takes."""

    chequer: Decision = Decision()
    cube: Decision = Decision()
    filter: Filters = LARGE
    luckanalysis: Eval = Eval(plies=0, prune=False)
    threshold: Thresholds = Thresholds()
    moves: bool = True
    cubes: bool = True
    luck: bool = True
    players: tuple[bool, bool] = (True, True)


@dataclass(frozen=True, slots=True)
class Seat:
    """Who has a side. type: "gnubg", "human" or "external"; address: of the external one; cheat: rank of his rolls."""

    name: str
    type: str = "human"
    chequer: Decision = Decision()
    cube: Decision = Decision()
    filter: Filters = NORMAL
    address: str = ""
    cheat: int = 1


@dataclass(frozen=True, slots=True)
class Automatic:
    """What happens by itself."""

    bearoff: bool = False
    crawford: bool = True
    doubles: int = 0
    game: bool = True
    move: bool = False
    roll: bool = True


@dataclass(frozen=True, slots=True)
class Output:
    """How numbers and boards are written."""

    output: bool = True
    matchpc: bool = True
    mwc: bool = False
    rawboard: bool = False
    winpc: bool = False
    digits: int = 3
    errorratefactor: float = 1000.0


@dataclass(frozen=True, slots=True)
class CubeEfficiency:
    """Efficiencies of the cube, by kind of position; in races coefficient * pips + factor within bounds."""

    os: float = 0.6
    crashed: float = 0.68
    contact: float = 0.68
    factor: float = 0.00125
    coefficient: float = 0.55
    min: float = 0.6
    max: float = 0.7


@dataclass(frozen=True, slots=True)
class Confirm:
    """What is asked about before it is done. default: the answer where nobody answers: "ask", "yes" or "no"."""

    new: bool = True
    save: bool = True
    default: str = "ask"


@dataclass(frozen=True, slots=True)
class Tutor:
    """What is warned of. skill: the mildest."""

    mode: bool = False
    cube: bool = True
    chequer: bool = True
    skill: str = "doubtful"


@dataclass(frozen=True, slots=True)
class Autosave:
    """Kept for the graphical program. time: minutes."""

    time: int = 15
    analysis: bool = False
    rollout: bool = False
    confirm: bool = True


@dataclass(frozen=True, slots=True)
class Options:
    """All of them. gui: what only a graphical interface has use for, as it was written, by the words before it."""

    evaluation: Evaluation = Evaluation()
    analysis: Analysis = Analysis()
    rollout: Rollout = Rollout()
    players: tuple[Seat, Seat] = (Seat("gnubg", "gnubg"), Seat("you"))
    automatic: Automatic = Automatic()
    output: Output = Output()
    export: ExportOptions = DEFAULT
    cubeefficiency: CubeEfficiency = CubeEfficiency()
    confirm: Confirm = Confirm()
    tutor: Tutor = Tutor()
    autosave: Autosave = Autosave()
    rng: Generator = Generator()
    cheat: bool = False
    beavers: int = 3
    jacoby: bool = True
    cube_use: bool = True
    matchlength: int = 7
    variation: str = "standard"
    met: str = "Kazaross-XG2"
    invert_met: bool = False
    threads: int = 1
    cache: int = 524288
    calibration: float = 0.0
    defaultnames: tuple[str, str] = ("gnubg", "you")
    aliases: str = ""
    keynames: str = ""
    usekeynames: bool = False
    clockwise: bool = False
    display: bool = True
    gotofirstgame: bool = False
    prompt: str = "(\\p) "
    browser: str = "sensible-browser"
    lang: str = "system"
    priority: int = 0
    ratingoffset: float = 2050.0
    record: bool = True
    import_folder: str = "."
    sgf_folder: str = "."
    sound: bool = True
    sound_command: str = ""
    sounds: dict[str, str] = field(default_factory=dict)
    gui: dict[str, str] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, str]:
        """Of players 0 and 1."""
        return self.players[0].name, self.players[1].name

    @property
    def exports(self) -> ExportOptions:
        """How to export: what `set export`, `set output` and `set clockwise` say. Files are where they are named."""
        said = {f"output_{name}": getattr(self.output, name) for name in _WRITTEN}
        said |= {"clockwise": self.clockwise, "ratingoffset": self.ratingoffset}
        boards = self.export.html_type
        if self.clockwise and boards in ("gnu", "fibs2html"):  # their pictures know one orientation, drawn ones both
            boards = "svg"
        return replace(self.export, folder="", html_type=boards, **said)

    @property
    def in_use(self) -> Evaluation | Analysis:
        """What `eval` and `hint` take: settings of their own, or those of analyses."""
        return self.analysis if self.evaluation.sameasanalysis else self.evaluation


_WRITTEN = ("mwc", "matchpc", "winpc", "digits", "errorratefactor")
"""What exports know of `set output`."""
