"""What `show` says of options, each in its place in the tree."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sixprime.command.options import Decision, Eval, Filters, Generator, Options, Rollout

_GENERATORS = {
    "mersenne": "Mersenne Twister",
    "isaac": "ISAAC",
    "bbs": "Blum, Blum and Shub",
    "md5": "MD5",
    "file": "read from file",
    "manual": "manual dice",
}
VARIATIONS = {
    "standard": "Standard backgammon",
    "nackgammon": "Nackgammon",
    "1-chequer-hypergammon": "1-chequer hypergammon",
    "2-chequer-hypergammon": "2-chequer hypergammon",
    "3-chequer-hypergammon": "3-chequer hypergammon",
}


def generator(rng: Generator) -> str:
    """What dice come from."""
    return f"You are using the {_GENERATORS.get(rng.name, rng.name)} generator."


def eval_lines(settings: Eval) -> list[str]:
    """How a position is evaluated; in the layout of the program, two of the four in one line."""
    prune = "Using" if settings.prune else "Not using"
    kind = "Cubeful" if settings.cubeful else "Cubeless"
    drawn = "deterministic" if settings.deterministic else "pseudo-random"
    noise = (
        f"{drawn.capitalize()} noise, standard deviation {settings.noise:5.3f}."
        if settings.noise
        else "Noiseless evaluations."
    )
    return [
        f"        {settings.plies}-ply evaluation.",
        f"        {prune} pruning neural nets.        {kind} evaluations.",
        f"        {noise}",
    ]


def filter_lines(filters: Filters) -> list[str]:
    """Move filters, ply by ply."""
    lines = []
    for plies, levels in enumerate(filters, 1):
        lines.append(f"      Move filter for {plies} ply:")
        for at, (accept, extra, tolerance) in enumerate(levels):
            if accept < 0:
                lines.append(f"        Skip pruning for {at}-ply moves.")
            else:
                best = f"best {at}-ply move" if accept == 1 else f"first {accept} {at}-ply moves"
                text = f"        keep the {best}"
                more = f" and up to {extra} more moves within equity {tolerance:g}" if extra else ""
                lines.append(text + more)
    return lines


_KINDS = ("cubeful ", "")


def _players(
    when: str, chequer: tuple[Eval, Eval], cube: tuple[Eval, Eval], filters: tuple[Filters, Filters]
) -> list[str]:
    """How both players play, told once where they play alike."""
    lines = []
    same = (chequer[0], cube[0], filters[0]) == (chequer[1], cube[1], filters[1])
    for player in (0,) if same else (0, 1):
        who = when if same else f" of player {player}{when}"
        lines += [f"Chequer play parameters{who}:", *eval_lines(chequer[player])]
        lines += [f"Cube decision parameters{who}:", *eval_lines(cube[player])]
        lines += [f"Move filter{who}:", *filter_lines(filters[player])]
    return lines


def rollout_lines(settings: Rollout) -> list[str]:
    """How positions are rolled out."""
    dice = _GENERATORS.get(settings.rng.name, settings.rng.name)
    drawn = "a drawn seed" if settings.rng.seed is None else f"seed {settings.rng.seed}"
    lines = [
        f"{settings.trials} games will be played per rollout.",
        f"Truncation after {settings.truncation_plies} plies." if settings.truncation else "No truncation.",
    ]
    if settings.bearoff_exact:
        lines += [f"Will truncate {kind}money game rollouts when reaching exact bearoff database." for kind in _KINDS]
    if settings.bearoff_onesided:
        lines.append("Will truncate *cubeless* rollouts when reaching one-sided bearoff database.")
    lines += [
        f"Lookahead variance reduction is {'enabled' if settings.varredn else 'disabled'}.",
        f"Quasi-random dice are {'enabled' if settings.quasirandom else 'disabled'}.",
        f"{'Cubeful' if settings.cubeful else 'Cubeless'} rollout.",
        f"Rollout as opening move {'enabled' if settings.initial else 'disabled'}.",
        f"{dice} dice generator with {drawn}.",
    ]
    first = f" for the first {settings.later_plies} plies" if settings.later else ""
    lines += _players(first, settings.chequer, settings.cube, settings.filter)
    if settings.later:
        after = f" after {settings.later_plies} plies"
        lines += _players(after, settings.later_chequer, settings.later_cube, settings.later_filter)
    if settings.limit:
        lines += [
            f"Rollouts may stop after {settings.limit_minimum} games if both equities STD",
            f"\t(cubeful and cubeless) are less than {settings.limit_maxerror:.4f}",
        ]
    if settings.jsd:
        behind = f"{settings.jsd_limit:.2f} joint standard deviations behind the best"
        lines.append(f"Alternatives may stop after {settings.jsd_minimum} games if they are {behind}.")
    if settings.truncation:
        for name, how in (("Chequer play", settings.truncation_chequer), ("Cube", settings.truncation_cube)):
            lines += [*([""] if name != "Cube" else []), f"Truncation point {name} evaluation:", *eval_lines(how)]
    return lines


def _decision(title: str, decision: Decision, filters: Filters | None) -> list[str]:
    if decision.type == "rollout":
        return [f"    {title}:", "      Rollout:", *rollout_lines(decision.rollout)]
    more = [] if filters is None else filter_lines(filters)
    return [f"    {title}:", "      Neural net evaluation:", *eval_lines(decision.evaluation), *more]


def evaluation(options: Options) -> str:
    """Of `eval` and `hint`."""
    kept = options.in_use
    lines = ["`eval' and `hint' will use:", *_decision("Chequer play", kept.chequer, None)]
    lines += ["    Move filters:", *filter_lines(kept.filter), ""]
    return "\n".join([*lines, *_decision("Cube decisions", kept.cube, None)])


def analysis(options: Options) -> str:
    """Of `analyse`."""
    kept, at = options.analysis, options.analysis.threshold
    said = (("Cube action", kept.cubes), ("Dice rolls", kept.luck), ("Chequer play", kept.moves))
    lines = [f"{what} will {'' if on else 'not '}be analysed." for what, on in said]
    lines.append("")
    for seat, on in zip(options.players, kept.players, strict=True):
        lines.append(f"Analyse {seat.name}'s chequerplay and cube decisions: {'yes' if on else 'no'}")
    lines += ["", "Analysis thresholds:"]
    lines += [f"  {-value:+.3f} {word}" for value, word in _skills(at.doubtful, at.bad, at.verybad)]
    lines += ["", f"  {at.verylucky:+.3f} very lucky", f"  {at.lucky:+.3f} lucky"]
    lines += [f"  {-at.unlucky:+.3f} unlucky", f"  {-at.veryunlucky:+.3f} very unlucky", ""]
    lines.append("Analysis will be performed with the following evaluation parameters:")
    lines += [*_decision("Chequer play", kept.chequer, kept.filter), "", *_decision("Cube decisions", kept.cube, None)]
    return "\n".join([*lines, "    Luck analysis:", *eval_lines(kept.luckanalysis)])


def _skills(*values: float) -> list[tuple[float, str]]:
    return list(zip(values, ("doubtful", "bad", "very bad"), strict=True))


def players(options: Options) -> str:
    """Who plays, and how."""
    lines: list[str] = []
    for number, seat in enumerate(options.players):
        own = seat.type == "gnubg"
        lines += [f"Player {number}:", f"  Name: {seat.name}", f"  Type: {seat.type}{':' * own}"]
        if own:
            lines += [
                *_decision("Chequer play", seat.chequer, None),
                "    Move filters:",
                *filter_lines(seat.filter),
                "",
            ]
            lines += _decision("Cube decisions", seat.cube, None)
        lines.append("")
    return "\n".join(lines[:-1]) + "\n"


def automatic(options: Options) -> str:
    """What happens by itself."""
    kept = options.automatic
    rows: Sequence[tuple[str, str, bool | int]] = (
        ("bearoff", "(Play certain non-contact bearoff moves):      ", kept.bearoff),
        ("crawford", "(Enable the Crawford rule as appropriate):     ", kept.crawford),
        ("doubles", "(Turn the cube when opening roll is a double): ", kept.doubles),
        ("game", "(Start a new game after each one is completed):", kept.game),
        ("move", "(Play the forced move when there is no choice):", kept.move),
        ("roll", "(Roll the dice if no double is possible):      ", kept.roll),
    )
    return "\n".join(f"{w:<8}\t{t}\t{('Off', 'On')[v] if isinstance(v, bool) else v}" for w, t, v in rows)


def output(options: Options) -> str:
    """How numbers and boards are written."""
    kept = options.output
    equities = "MWC (match winning chance)" if kept.mwc else "EMG (normalized money game equity)"
    return "\n".join(
        [
            f"Match winning chances will be shown as {'percentages' if kept.matchpc else 'probabilities'}.",
            f"Match equities shown in {equities} (match play only).",
            f"Game winning chances will be shown as {'percentages' if kept.winpc else 'probabilities'}.",
            f"Boards will be shown in {'raw format' if kept.rawboard else 'ASCII'}.",
        ]
    )


def cheat(options: Options) -> str:
    """Whether dice are loaded, and whose."""
    lines = [f"Manipulation with dice is {'enabled' if options.cheat else 'disabled'}."]
    if options.cheat:
        lines += [f"{seat.name} will get the {RANKS[seat.cheat - 1]} roll on each turn." for seat in options.players]
    return "\n".join(lines)


def _confirm(options: Options) -> str:
    kept = options.confirm
    default = "ask for confirmation" if kept.default == "ask" else f"answer {kept.default} to questions"
    lines = [f"GNU Backgammon will {default}."]
    for on, what in ((kept.new, "before aborting games in progress"), (kept.save, "")):
        what = what or ("before overwriting existing files" if on else "overwriting existing files")
        lines.append(f"GNU Backgammon will {'' if on else 'not '}ask for confirmation {what}.")
    return "\n".join(lines)


def _autosave(options: Options) -> str:
    kept = options.autosave
    lines = [f"Auto save every {kept.time} minutes"]
    for on, what in ((kept.rollout, "rollouts"), (kept.analysis, "analysis")):
        lines.append(f"Match will {'' if on else 'not '}be autosaved during and after {what}")
    return "\n".join(lines)


def _cubeefficiency(options: Options) -> str:
    kept = options.cubeefficiency
    return "\n".join(
        [
            "Parameters for cube evaluations:",
            f"Cube efficiency for crashed positions : {kept.crashed:.4f}",
            f"Cube efficiency for contact positions : {kept.contact:.4f}",
            f"Cube efficiency for one sided bearoff positions : {kept.os:.4f}",
            f"Cube efficiency for race: x = pips * {kept.factor:.5f} + {kept.coefficient:.5f}",
            f"(min value {kept.min:.4f}, max value {kept.max:.4f})",
        ]
    )


def _tutor(options: Options) -> str:
    kept, lines = options.tutor, []
    for on, what in ((kept.chequer, "chequer moves"), (kept.cube, "cube decisions")):
        mark = "very bad" if kept.skill == "verybad" else kept.skill
        warned = f"Warnings are given for '{mark}' or worse {what}."
        lines.append(warned if kept.mode and on else f"No warnings are given for {what}.")
    return "\n".join(lines)


def export(options: Options) -> str:
    """What exports hold."""
    kept = options.export
    player = "both" if kept.player == "both" else options.players[int(kept.player)].name
    every = f"on every {kept.board} move{'s' * (kept.board != 1)}" if kept.board else "never"
    marks = ("verybad", "bad", "doubtful")
    lines = ["", "Export settings:", "", "Include:", ""]
    for field in ("annotations", "analysis", "statistics", "matchinfo"):
        lines.append(_exported("match information" if field == "matchinfo" else field, getattr(kept, field)))
    lines += ["", "Show:", "", _exported("board", every), _exported("players", player)]
    for kind, title, noun in (("moves", "move", "moves"), ("cube", "cube decision", "cube decisions")):
        lines += ["", f"Output {title} analysis:", ""]
        if kind == "moves":
            lines.append(_exported("show at most", f"{kept.moves_number} moves"))
        for field, text in (
            ("probabilities", "show detailed probabilities"),
            ("evaluation", "show evaluation parameters"),
            ("rollout", "show rollout parameters"),
        ):
            lines.append(_exported(text, getattr(kept, f"{kind}_{field}")))
        for mark in marks:
            said = "very bad" if mark == "verybad" else mark
            lines.append(_exported(f"for {noun} marked '{said}'", getattr(kept, f"{kind}_{mark}")))
        lines.append(_exported(f"for unmarked {noun}", getattr(kept, f"{kind}_unmarked")))
    for field in ("actual", "missed", "close"):
        lines.append(_exported(f"{field} cube decisions", getattr(kept, f"cube_{field}")))
    lines += ["", "HTML options:", "", "- HTML export type used in export", f"\t{kept.html_type}"]
    lines += ["- URL to pictures used in export", f"\t{kept.html_pictureurl}"]
    lines.append(f"- CSS stylesheet: {kept.html_css}")
    for kind, size in (("HTML pictures", kept.html_size), ("PNG pictures", kept.png_size)):
        lines.append(f"- size of exported {kind}: {108 * size}x{82 * size}")
    return "\n".join([*lines, ""])


def _exported(what: str, value: bool | str) -> str:
    said = ("no", "yes")[value] if isinstance(value, bool) else value
    return f"- {what:<42}: {said}"


RANKS = (
    *("best", "second best", "third best", "4th best", "5th best", "6th best", "7th best", "8th best", "9th best"),
    *("10th best", "median", "10th worst", "9th worst", "8th worst", "7th worst", "6th worst", "5th worst"),
    *("4th worst", "third worst", "second worst", "worst"),
)
"""The 21 rolls, by what they are worth."""


def beavers(number: int) -> str:
    """How many beavers are allowed."""
    many = {0: "No beavers", 1: "1 beaver"}.get(number, f"{number} beavers/raccoons")
    return f"{many} allowed in money sessions."


def _calibration(options: Options) -> str:
    if not options.calibration:
        return "No evaluation speed has been recorded."
    return f"Evaluation speed has been set to {options.calibration:.0f} evaluations per second."


def _clockwise(options: Options) -> str:
    ways = ("clockwise", "anticlockwise")[:: 1 if options.clockwise else -1]
    return "Player 1 moves {} (and player 0 moves {}).".format(*ways)


SHOWN: dict[str, tuple[str, str | Callable[[Options], str]]] = {
    "aliases": (
        "Further names of player 1 in files",
        'Aliases for player 1 when importing MAT files is set to "{0.aliases}".',
    ),
    "analysis": ("How matches are analysed", analysis),
    "automatic": ("What happens by itself", automatic),
    "autosave": ("What is saved by itself", _autosave),
    "beavers": ("How many beavers are allowed", lambda options: beavers(options.beavers)),
    "browser": ("What shows pages", "The current browser is {0.browser}"),
    "calibration": ("The speed that is reckoned with", _calibration),
    "cheat": ("Whether dice are loaded", cheat),
    "clockwise": ("Which way player 1 moves", _clockwise),
    "confirm": ("What is asked before it is done", _confirm),
    "cubeefficiency": ("Efficiency of the cube", _cubeefficiency),
    "display": (
        "Whether boards are shown when the program moves",
        lambda options: f"GNU Backgammon will {'' if options.display else 'not '}display boards for computer moves.",
    ),
    "evaluation": ("How positions are evaluated", evaluation),
    "export": ("What exports hold", export),
    "lang": ("The language", "Your language preference is set to {0.lang}."),
    "matchlength": ("The length of new matches", "New matches default to {0.matchlength} points."),
    "output": ("How numbers and boards are written", output),
    "player": ("Who plays, and how", players),
    "prompt": ("The prompt", "The prompt is set to `{0.prompt}'."),
    "ratingoffset": (
        "What ratings are counted from",
        "The rating offset for estimating absolute ratings is: {0.ratingoffset:.1f}",
    ),
    "rng": ("What dice come from", lambda options: generator(options.rng)),
    "rollout": (
        "How positions are rolled out",
        lambda options: "\n".join(["`rollout' will use:", *rollout_lines(options.rollout), ""]),
    ),
    "threads": (
        "How many threads calculate",
        lambda options: f"{options.threads} calculation thread{'' if options.threads == 1 else 's'}.",
    ),
    "tutor": ("What is warned of", _tutor),
}
"""By word: help, and the text or what makes it of the options."""
