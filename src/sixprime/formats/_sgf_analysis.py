"""What an analysis in SGF says, read and written.

    A[0][hefe E ver 3 0.54 ...]      the one that was made, and each candidate: letters, then its evaluation
    DA[E ver 3 2C 1 0.0 1 ...]       E an evaluation, X a rollout; rows of seven numbers for no double and take
    LU[0.12]GW[1]BM[2]DO[]           luck, marks

`Analyst` reads the nodes of a game, `analysis_text` writes those of an action.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from sixprime.errors import IllegalPlayError, InvalidPlayError
from sixprime.formats._sgf_tree import Node, Source, escaped, letters_of, steps_of, text_of
from sixprime.game.outcomes import cubeless
from sixprime.game.play import Play, Step, apply_steps, find_play
from sixprime.game.position import Position
from sixprime.game.record import Action, ForeignAnalysis, ForeignCube, ForeignPlay, Method, Value

_MOST_CANDIDATES = 4000
_PLY = re.compile(r"(\d{1,2})(C?)")
_KEYS = {"Eq", "Score", "Trials", "NoDouble", "DoubleTake", "Output", "StdDev", "SK"}


# Reading


@dataclass(frozen=True, slots=True)
class Analyst:
    """Reads what a program thought of the nodes of a game. program: its name."""

    program: str
    in_match: bool
    source: Source

    def analyses(
        self, node: Node, player: int, position: Position, dice: tuple[int, int] | None, *, of_cube: bool
    ) -> tuple[ForeignAnalysis, ...]:
        """The analysis of a node, where there is one. of_cube: whether its marks are those of a cube action."""
        properties = node.properties
        cube = None
        if (text := node.first("DA")) is not None:
            try:
                cube = _read_cube(text, self.in_match)
            except (ValueError, LookupError):
                self.source.at("cannot read this cube analysis (DA)", node.offset)
        plays: list[ForeignPlay] = []
        played = None
        if "A" in properties and dice is not None:
            plays, played = self._plays(node, player, position, dice)
        luck = _float(node.first("LU"))
        mark, other = _mark(node, "BM", "DO"), _mark(node, "BC", "DC")
        good, bad = (_size(node, key) for key in (("GW", "GB") if player == 0 else ("GB", "GW")))
        luck_mark = good if good is not None else None if bad is None else -bad
        if cube is None and not plays and luck is None and mark is None and other is None and luck_mark is None:
            return ()
        marks = {"play_mark": None if of_cube else mark, "cube_mark": mark if of_cube else other}
        return (ForeignAnalysis(self.program, cube, tuple(plays), played, luck, luck_mark=luck_mark, **marks),)

    def _plays(
        self, node: Node, player: int, position: Position, dice: tuple[int, int]
    ) -> tuple[list[ForeignPlay], int | None]:
        """The candidates of a play, and which was made."""
        values = node.properties["A"]
        plays: list[ForeignPlay] = []
        numbers: dict[int, int] = {}  # number in the file: place here
        damaged = 0
        for number, value in enumerate(values[1 : _MOST_CANDIDATES + 1]):
            letters, _, rest = value.strip().partition(" ")
            try:
                steps = steps_of(letters, player)
                if steps is None:
                    raise ValueError
                candidate = _read_play(_play(steps, position, dice), rest, self.in_match)
            except (ValueError, LookupError, IllegalPlayError):
                damaged += 1
                continue
            numbers[number] = len(plays)
            plays.append(candidate)
        if damaged:
            self.source.at(f"{damaged} of {len(values) - 1} candidate plays cannot be read", node.offset)
        first = values[0].strip() if values else ""
        index = int(first) if first.isascii() and first.isdigit() and len(first) < 5 else -1
        return plays, numbers.get(index)


def written(steps: Sequence[tuple[int, int]]) -> str:
    """The notation of steps."""
    return " ".join(f"{start}/{end}" for start, end in steps)


def _play(steps: Sequence[tuple[int, int]], position: Position, dice: tuple[int, int]) -> Play:
    """The play of these steps, legal or not. Raises IllegalPlayError when no chequer can go like this."""
    try:
        play = find_play(written(steps), position, dice) if steps else None
    except InvalidPlayError as error:
        raise IllegalPlayError(str(error)) from None
    if play is None:
        play = Play(tuple(Step(*step) for step in steps), position, apply_steps(position, steps))
    return play


def _float(text: str | None) -> float | None:
    """A finite number, None for anything else."""
    try:
        value = float(text or "")
    except ValueError:
        return None
    return value if abs(value) < 1e9 else None


def _number(text: str) -> float:
    value = _float(text)
    if value is None:
        raise ValueError
    return value


def _size(node: Node, key: str) -> int | None:
    """1 or 2, as in GB[2]; an empty value is 1."""
    if key not in node.properties:
        return None
    return 2 if (node.first(key) or "").strip() == "2" else 1


def _mark(node: Node, bad: str, doubtful: str) -> int | None:
    """Mark of DO[] (doubtful), BM[1] (bad) or BM[2] (very bad)."""
    if doubtful in node.properties:
        return 1
    size = _size(node, bad)
    return None if size is None else size + 1


def _evaluation(tokens: Sequence[str], version: int) -> Method:
    """The method of "2C 1 0.000000 1": plies, cubeful, deterministic, noise, pruning."""
    found = _PLY.fullmatch(tokens[0])
    if found is None:
        raise ValueError
    rest = list(tokens[1:])
    return Method(
        f"{int(found[1])}-ply",
        plies=int(found[1]),
        cubeful=bool(found[2]),
        deterministic=rest[0] != "0" if rest else True,
        noise=_number(rest[1]) if len(rest) > 1 else 0.0,
        prune=len(rest) > 2 and version > 1 and rest[2] != "0",
    )


def _head(text: str) -> tuple[str, int, list[str]]:
    """Kind ("E" or "X"), version and the other words of an analysis."""
    words = text.split()
    kind = words[0]
    if words[1] == "ver":
        return kind, int(words[2]), words[3:]
    return kind, 0, words[1:]


def _read_play(play: Play, text: str, in_match: bool) -> ForeignPlay:
    """A candidate. Raises ValueError or LookupError for what cannot be read."""
    kind, version, words = _head(text)
    if kind == "E":
        numbers = [_number(word) for word in words[:6]]
        method = _evaluation([words[6], *words[8:]], version)
        return ForeignPlay(play, Value(_five(numbers), equity=numbers[5]), method)
    if kind != "X":
        raise ValueError
    parts = _keyed(text, words)
    score = [_number(word) for word in parts["Score"]]
    value = _rolled(parts["Output"], parts["StdDev"], in_match)
    value = replace(value, equity=score[0])
    extras = (("sgf:Score", parts["Score"][1]),) if len(score) > 1 else ()
    return ForeignPlay(play, value, _rollout(parts), extras)


def _read_cube(text: str, in_match: bool) -> ForeignCube:
    """A cube analysis. Raises ValueError or LookupError for what cannot be read."""
    kind, version, words = _head(text)
    if kind == "E":
        numbers = [_number(word) for word in words[-14:]]
        first = next((place for place, word in enumerate(words[:-14]) if _PLY.fullmatch(word)), None)
        if first is None or len(numbers) < 14:
            raise ValueError
        method = _evaluation([words[first], *words[first + 1 + (version < 3) : -14]], version)
        rows = [_row(numbers[:7], in_match), _row(numbers[7:], in_match)]
    elif kind == "X":
        parts = _keyed(text, words)
        method = _rollout(parts)
        rows = [
            _rolled(parts[f"{name} Output"], parts[f"{name} StdDev"], in_match) for name in ("NoDouble", "DoubleTake")
        ]
    else:
        raise ValueError
    return ForeignCube(rows[0], rows[1], method)


def _five(numbers: Sequence[float]) -> tuple[float, float, float, float, float]:
    return numbers[0], numbers[1], numbers[2], numbers[3], numbers[4]


def _row(numbers: Sequence[float], in_match: bool, errors: Sequence[float] = ()) -> Value:
    equity, mwc = (None, numbers[6]) if in_match else (numbers[6], None)
    return Value(_five(numbers), numbers[5], equity, mwc, tuple(errors))


def _rolled(output: Sequence[str], deviation: Sequence[str], in_match: bool) -> Value:
    errors = [_number(word) for word in deviation[:7]]
    if len(errors) < 7 or not any(errors):
        errors = []
    elif not any(errors[:-1]):
        errors = errors[-1:]  # the others are not known
    return _row([_number(word) for word in output[:7]], in_match, errors)


def _keyed(text: str, words: Sequence[str]) -> dict[str, list[str]]:
    """The words of a rollout by the keyword before them; those behind NoDouble and DoubleTake by both keywords."""
    parts: dict[str, list[str]] = {}
    row = ""
    values: list[str] = []
    for word in words:
        if word == "SK":
            break
        if word in ("NoDouble", "DoubleTake"):
            row = f"{word} "
        elif word in _KEYS:
            values = parts.setdefault(f"{row}{word}", [])
        else:
            values.append(word)
    place = text.find(" SK ")
    parts["settings"] = [text_of(text[place + 1 :].strip())] if place >= 0 else []
    return parts


def _rollout(parts: dict[str, list[str]]) -> Method:
    settings = parts["settings"][0] if parts["settings"] else ""
    cubeful = re.search(r"\bRC (\d)", settings)
    trials = int(parts["Trials"][0])
    if not 0 <= trials < 1 << 31:
        raise ValueError
    return Method("Rollout", cubeful=cubeful is None or cubeful[1] != "0", trials=trials, settings=settings)


# Writing


def analysis_text(action: Action, in_match: bool) -> str:
    """The properties with the first analysis of an action; empty without any."""
    if not action.analyses:
        return ""
    analysis = action.analyses[0]
    parts = []
    of_cube = action.dice is None
    if analysis.cube is not None:
        parts.append(cube_text(analysis.cube, in_match))
    plays = [
        (number, text)
        for number, play in enumerate(analysis.plays)
        if play.play.steps and (text := play_text(play, action.player, in_match))
    ]
    if plays:
        played = next((place for place, (number, _) in enumerate(plays) if number == analysis.played), -1)
        parts.append(f"A[{played}]" + "".join(f"[{text}]" for _, text in plays))
    if analysis.luck is not None:
        parts.append(f"LU[{analysis.luck:.5f}]")
    if analysis.luck_mark:
        lucky = (analysis.luck_mark > 0) == (action.player == 0)
        parts.append(f"G{'W' if lucky else 'B'}[{abs(analysis.luck_mark)}]")
    marks = (("BM", "DO", analysis.cube_mark),) if of_cube else (
        ("BM", "DO", analysis.play_mark), ("BC", "DC", analysis.cube_mark),
    )  # fmt: skip
    for bad, doubtful, mark in marks:
        if mark:
            parts.append(f"{doubtful}[]" if mark == 1 else f"{bad}[{mark - 1}]")
    return "".join(parts)


def _numbers(values: Sequence[float]) -> str:
    return " ".join(f"{value:.6f}" for value in values)


def _exact(values: Sequence[float]) -> str:
    """Numbers of a rollout."""
    return " ".join(f"{value:.10g}" for value in values)


def _method_text(method: Method) -> str:
    """Plies; GNU Backgammon knows no other way of evaluating, so that of another program becomes 0-ply."""
    return f"{method.plies or 0}{'C' if method.cubeful else ''}"


def _tail(method: Method) -> str:
    return f"{int(method.deterministic)} {method.noise:.6f} {int(method.prune)}"


def play_text(play: ForeignPlay, player: int, in_match: bool) -> str:
    """A candidate; empty when too little is known of it."""
    value, method = play.value, play.method
    if value.probabilities is None or value.equity is None:
        return ""
    letters = letters_of(play.play, player)
    if method.trials:
        values = _seven(value, in_match)
        if values is None:
            return ""
        second = next((text for key, text in play.extras if key == "sgf:Score"), f"{values[5]:.10g}")
        return (
            f"{letters} X ver 3 Score {value.equity:.10g} {second} Trials {method.trials} "
            f"Output {_exact(values)} StdDev {_exact(_seven_errors(value))} {_settings(method)}"
        )
    return (
        f"{letters} E ver 3 {_numbers(value.probabilities)} {value.equity:.6f} {_method_text(method)} 0 {_tail(method)}"
    )


def _seven(value: Value, in_match: bool) -> tuple[float, ...] | None:
    """The seven numbers of a row, None when one is not known."""
    last = value.mwc if in_match else value.equity
    if value.probabilities is None or last is None:
        return None
    equity = cubeless(*value.probabilities) if value.cubeless is None else value.cubeless
    return (*value.probabilities, equity, last)


def _seven_errors(value: Value) -> tuple[float, ...]:
    return (*[0.0] * (7 - len(value.errors)), *value.errors)


def _settings(method: Method) -> str:
    """What gnubg says of the rollout behind its numbers; of another program's nothing is known in its terms."""
    return escaped(method.settings) if method.settings.startswith("SK") else "SK 0"


def cube_text(cube: ForeignCube, in_match: bool) -> str:
    """A cube analysis; empty when too little is known of it."""
    first, second = _seven(cube.no_double, in_match), _seven(cube.double_take, in_match)
    method = cube.method
    if first is None or second is None:
        return ""
    if method.trials:
        rows = [
            f"{_exact(values)} StdDev {_exact(_seven_errors(value))}"
            for values, value in ((first, cube.no_double), (second, cube.double_take))
        ]
        return (
            f"DA[X ver 3 Eq Trials {method.trials} NoDouble Output {rows[0]} DoubleTake Output {rows[1]} "
            f"{_settings(method)}]"
        )
    return f"DA[E ver 3 {_method_text(method)} {_tail(method)} {_numbers(first)} {_numbers(second)}]"
