"""What `show` says of options, each in its place in the tree."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sixprime.command.options import Decision, Eval, Filters, Generator, Options, Rollout

_GENERATORS = {"mersenne": "Mersenne Twister", "isaac": "ISAAC", "bbs": "Blum, Blum and Shub", "md5": "MD5"}
_VARIATIONS = {
    "standard": "Standard backgammon",
    "nackgammon": "Nackgammon",
    "1-chequer-hypergammon": "1-chequer hypergammon",
    "2-chequer-hypergammon": "2-chequer hypergammon",
    "3-chequer-hypergammon": "3-chequer hypergammon",
}


def generator(rng: Generator) -> str:
    """What dice come from."""
    return f"You are using the {_GENERATORS.get(rng.name, rng.name)} generator."


def seed(rng: Generator) -> str:
    """The seed of the dice."""
    return (
        "The seed is drawn from the randomness of the system."
        if rng.seed is None
        else f"The current seed is {rng.seed}"
    )


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
                text = f"        keep the first {accept} {at}-ply moves"
                more = f" and up to {extra} more moves within equity {tolerance:g}" if extra else ""
                lines.append(text + more)
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
        lines.append("Will truncate money game rollouts when reaching exact bearoff database.")
    if settings.bearoff_onesided:
        lines.append("Will truncate *cubeless* rollouts when reaching one-sided bearoff database.")
    lines += [
        f"Lookahead variance reduction is {'enabled' if settings.varredn else 'disabled'}.",
        f"Quasi-random dice are {'enabled' if settings.quasirandom else 'disabled'}.",
        f"{'Cubeful' if settings.cubeful else 'Cubeless'} rollout.",
        f"Rollout as opening move {'enabled' if settings.initial else 'disabled'}.",
        f"{dice} dice generator with {drawn}.",
    ]
    same = (settings.chequer[0], settings.cube[0]) == (settings.chequer[1], settings.cube[1])
    for player in (0,) if same else (0, 1):
        who = "" if same else f" of player {player}"
        lines += [f"Chequer play parameters{who}:", *eval_lines(settings.chequer[player])]
        lines += [f"Cube decision parameters{who}:", *eval_lines(settings.cube[player])]
    return [*lines, "Move filter:", *filter_lines(settings.filter[0])]


def _decision(title: str, decision: Decision, filters: Filters | None) -> list[str]:
    if decision.type == "rollout":
        return [f"    {title}:", "      Rollout:", *rollout_lines(decision.rollout)]
    more = [] if filters is None else filter_lines(filters)
    return [f"    {title}:", "      Neural net evaluation:", *eval_lines(decision.evaluation), *more]


def evaluation(options: Options) -> str:
    """Of `eval` and `hint`."""
    kept = options.evaluation
    lines = ["`eval' and `hint' will use:", *_decision("Chequer play", kept.chequer, kept.filter), ""]
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
        lines += [f"Player {number}:", f"  Name: {seat.name}", f"  Type: {seat.type}"]
        if seat.type == "gnubg":
            lines += ["  Checker play:", *_decision("Chequer play", seat.chequer, seat.filter)[1:]]
            lines += ["  Cube decisions:", *_decision("Cube decisions", seat.cube, None)[1:]]
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


def _jacoby(options: Options) -> str:
    return f"New money sessions are played with{'' if options.jacoby else 'out'} the Jacoby rule."


def _matchlength(options: Options) -> str:
    return f"New matches default to {options.matchlength} point{'' if options.matchlength == 1 else 's'}."


SHOWN: dict[str, tuple[str, Callable[[Options], str]]] = {
    "analysis": ("How matches are analysed", analysis),
    "automatic": ("What happens by itself", automatic),
    "beavers": (
        "How many beavers are allowed",
        lambda options: f"{options.beavers} beavers/raccoons allowed in money sessions.",
    ),
    "evaluation": ("How positions are evaluated", evaluation),
    "jacoby": ("Whether the Jacoby rule is used", _jacoby),
    "lang": ("The language", lambda options: f"Your language preference is set to {options.lang}."),
    "matchlength": ("The length of new matches", _matchlength),
    "output": ("How numbers and boards are written", output),
    "player": ("Who plays, and how", players),
    "prompt": ("The prompt", lambda options: f"The prompt is set to `{options.prompt}'."),
    "ratingoffset": (
        "What ratings are counted from",
        lambda options: f"The rating offset for estimating absolute ratings is: {options.ratingoffset:.1f}",
    ),
    "rng": ("What dice come from", lambda options: generator(options.rng)),
    "rollout": (
        "How positions are rolled out",
        lambda options: "\n".join(["`rollout' will use:", *rollout_lines(options.rollout), ""]),
    ),
    "seed": ("The seed of the dice", lambda options: seed(options.rng)),
    "threads": (
        "How many threads calculate",
        lambda options: f"{options.threads} calculation thread{'' if options.threads == 1 else 's'}.",
    ),
    "variation": (
        "Which game is played",
        lambda options: f"Default variation is: {_VARIATIONS.get(options.variation, options.variation)}",
    ),
}
"""By word: help and text."""
