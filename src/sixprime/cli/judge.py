"""`sixprime eval` and `sixprime hint`: one position, or with `-` thousands of lines of standard input."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from sixprime.cli._common import (
    Chequers,
    Flag,
    Text,
    UsageError,
    check_double,
    json_line,
    line_batches,
    note,
    print_json,
    read_id,
    whole,
)
from sixprime.cli._judging import JUDGING, JUDGING_PLAYS, Judge, JudgePlays
from sixprime.errors import SixprimeError
from sixprime.game import ParsedPosition, parse
from sixprime.game.ids import encode_xgid

if TYPE_CHECKING:
    from sixprime.engine import Engine, PlayAnalysis, PlayRequest
    from sixprime.game import MatchState, Position

_In = TypeVar("_In")
_Out = TypeVar("_Out")
_DICE = re.compile(r"[0-9 ,-]*")


def evaluate(
    id: Text,
    /,
    *,
    chequers: Chequers = 15,
    judge: Judge = JUDGING,
    json: Flag = False,
) -> int:
    """What a position is worth to the player on roll, before the dice, and the cube decision.

    Parameters
    ----------
    id
        Position ID (then money play, centred cube), positionid:matchid, XGID, OGID or a FIBS board line; `-` reads one
        per line, or a text that was pasted, from standard input and prints one JSON object per position.
    json
        Print one JSON object.
    """
    parsed = None if id == "-" else check_double(read_id(id, chequers=chequers))
    engine = judge.engine()
    if parsed is None:
        return answer_lines(
            lambda line: check_double(parse(line, chequers=chequers)),
            lambda batch: [*map(json_line, _evaluations(engine, batch))],
        )
    _answer_cube(engine, parsed, {}, json=json)
    return 0


def hint(
    id: Text,
    /,
    *roll: str,
    dice: str | None = None,
    count: Annotated[int, whole(1)] = 10,
    book: bool = False,
    chequers: Chequers = 15,
    judge: JudgePlays = JUDGING_PLAYS,
    json: Flag = False,
) -> int:
    """Rank the legal plays of a roll for the player on roll.

    Parameters
    ----------
    id
        Position ID (then money play, centred cube), positionid:matchid, XGID, OGID or a FIBS board line; `-` reads
        lines `ID DICE` from standard input and prints one JSON object per line.
    roll
        The roll, such as 31 or 3 1; not needed when the ID has it.
    dice
        The same as an option.
    count
        How many plays to show.
    book
        Take openings and replies from the book (docs/openings.md) where it has the score.
    json
        Print one JSON object.
    """
    words = roll_text(roll, dice)
    if id == "-" and words is not None:
        raise UsageError("with - the dice stand on the lines of standard input, after the ID")
    parsed = None if id == "-" else with_dice(check_double(read_id(id, chequers=chequers)), words)
    if parsed is None:
        from sixprime import kernels

        # Compiled beside what the engine needs.
        kernels.prepare(["sixprime.kernels.text"])
    engine = judge.engine(book=book)
    if parsed is None:
        return answer_lines(partial(_parse_roll, chequers=chequers), lambda batch: _hint_lines(engine, batch, count))
    _answer_roll(engine, parsed, count, {}, json=json)
    return 0


def judge_position(engine: Engine, position: Position, state: MatchState, named: dict[str, Any], *, json: bool) -> None:
    """Prints what `hint` says of a position with a roll, and what `eval` says of any other.

    named: what the JSON object begins with. Raises EngineError, and RulesError for what cannot be judged.
    """
    parsed = ParsedPosition(position, state, state.dice)
    if parsed.dice is None:
        _answer_cube(engine, parsed, named, json=json)
    else:
        _answer_roll(engine, parsed, 10, named, json=json)


def _answer_cube(engine: Engine, parsed: ParsedPosition, named: dict[str, Any], *, json: bool) -> None:
    if json:
        [answer] = _evaluations(engine, [parsed])
        print_json(named | answer)
    else:
        from sixprime.api import evaluate_with_cubes
        from sixprime.report import render_evaluation

        [(evaluation, cube)] = evaluate_with_cubes(engine, [parsed])
        render_evaluation(evaluation, state=parsed.state, cube=cube)


def _answer_roll(engine: Engine, parsed: ParsedPosition, count: int, named: dict[str, Any], *, json: bool) -> None:
    if json:
        [answer] = _hints(engine, [parsed], count)
        print_json(named | answer)
    else:
        from sixprime.report import render_hint

        assert parsed.dice is not None
        [plays] = _rank(engine, [parsed], count)
        render_hint(parsed.position, parsed.dice, plays, state=parsed.state, plies=engine.plies)


# Input.

_ID_AND_ROLL = re.compile(r"(.+?)\s+(\S{1,3}|[1-6][ ,-]+[1-6])")


def _parse_roll(line: str, chequers: int = 15) -> ParsedPosition:
    """A line `ID DICE`; the dice may be missing when the ID has them."""
    id, dice = split_roll(line)
    return with_dice(check_double(parse(id, chequers=chequers)), dice)


def split_roll(line: str) -> tuple[str, str | None]:
    """An ID, which may be two words, and the dice that may stand behind it."""
    found = _ID_AND_ROLL.fullmatch(line.strip())
    return (line, None) if found is None else (found[1], found[2])


def roll_text(words: Sequence[str], option: str | None) -> str | None:
    """The dice as given behind the ID, as one word or two, or as an option; None where they are not given. Raises
    UsageError for a word that is none."""
    behind = words if option is not None else words[1:]
    if (stray := next((word for word in behind if not _DICE.fullmatch(word)), None)) is not None:
        raise UsageError(f"{stray!r} behind the dice is a word too many")
    return " ".join([*([option] if option is not None else ()), *words]) or None


def with_dice(parsed: ParsedPosition, text: str | None) -> ParsedPosition:
    if parsed.position.winner is not None:
        raise UsageError("the game is over: nothing is left to play")
    if text is None:
        if parsed.dice is None:
            raise UsageError("this ID carries no dice; give them, for example --dice 31")
        return parsed
    dice = dice_of(text)
    return ParsedPosition(parsed.position, _rolled(parsed.state, dice), dice)


def dice_of(text: str) -> tuple[int, int]:
    """A roll such as 31 or 3-1. Raises UsageError."""
    digits = [character for character in text if character not in " ,-"]
    if len(digits) != 2 or not set(digits) <= set("123456"):
        raise UsageError(f"dice are two digits from 1 to 6, such as 31; got {text!r}")
    return int(digits[0]), int(digits[1])


@lru_cache(maxsize=1024)
def _rolled(state: MatchState, dice: tuple[int, int]) -> MatchState:
    """A state with its dice: thousands of lines have few of them."""
    return state.with_dice(dice)


_Answer = Callable[[list[ParsedPosition]], list[str]]


def answer_lines(read: Callable[[str], ParsedPosition], answer: _Answer) -> int:
    """Answers every line of standard input with one line, in order; a bad line gives an "error".

    answer: lines of JSON for several positions. Lines that came together and are one text, with words or boards in it,
    are answered position by position. What came together is answered in parts of about `_PATIENCE` seconds.
    """
    bad, size = 0, _FIRST
    for batch in line_batches(sys.stdin.fileno()):
        lines = _ids_of(batch)
        while lines:
            begun = monotonic()
            told = _told(read, answer, lines[:size])
            print("\n".join(line for line, _ in told), flush=True)
            bad += sum(failed for _, failed in told)
            del lines[:size]
            size = max(1, min(2 * size, int(size * _PATIENCE / (monotonic() - begun + 1e-9))))
    if bad:
        note(f'sixprime: {bad} of the lines could not be answered; see their "error"')
    return 1 if bad else 0


_FIRST, _PATIENCE = 64, 0.5
"""Lines that are answered together at first, and the seconds that those of one part should take."""


def _told(read: Callable[[str], ParsedPosition], answer: _Answer, lines: list[str]) -> list[tuple[str, bool]]:
    """The answer to each line, and whether it is an error."""
    read_lines = [_try(read, line) for line in lines]
    good = [parsed for parsed in read_lines if isinstance(parsed, ParsedPosition)]
    answers = iter(_answer_all(answer, good))
    told = []
    for line, parsed in zip(lines, read_lines, strict=True):
        result = next(answers) if isinstance(parsed, ParsedPosition) else parsed
        if isinstance(result, Exception):
            told.append((json_line({"input": line.strip(), "error": str(result)}), True))
        else:
            told.append((result, False))
    return told


def _ids_of(lines: list[str]) -> list[str]:
    """Lines as they are; of a text that was pasted an ID for each position, and the lines that cannot be read."""
    from sixprime.game.board_text import find_positions, is_paste

    if not is_paste(lines):
        return lines
    text = "\n".join(lines)
    try:
        found, failed = find_positions(text)
        ids = [(each.line, encode_xgid(each.position, each.state)) for each in found]
    except SixprimeError:
        return [text]
    return [id for _, id in sorted([*ids, *((line, lines[line - 1]) for line, _ in failed)])] or lines


def _answer_all(answer: _Answer, batch: list[ParsedPosition]) -> list[str | Exception]:
    """Answers of one batch. What the engine refuses is found by asking one by one."""
    if not batch:
        return []
    answers = _try(answer, batch)
    if not isinstance(answers, Exception):
        return [*answers]
    if len(batch) == 1:
        return [answers]
    return [_answer_all(answer, [parsed])[0] for parsed in batch]


def _try(function: Callable[[_In], _Out], argument: _In) -> _Out | Exception:
    """The function's value, or the error that says what is wrong with its argument."""
    try:
        return function(argument)
    except (SixprimeError, UsageError) as error:
        return error


# Answers.


def _evaluations(engine: Engine, batch: list[ParsedPosition]) -> list[dict[str, Any]]:
    from sixprime.api import evaluate_with_cubes
    from sixprime.report.json import evaluation_to_dict

    return [evaluation_to_dict(*judged) for judged in evaluate_with_cubes(engine, batch)]


def _hints(engine: Engine, batch: list[ParsedPosition], count: int) -> list[dict[str, Any]]:
    from sixprime.report.json import hint_to_dict

    return [
        hint_to_dict(each.position, each.state, each.dice, plays)
        for each, plays in zip(batch, _rank(engine, batch, count), strict=True)
        if each.dice is not None
    ]


def _hint_lines(engine: Engine, batch: list[ParsedPosition], count: int) -> list[str]:
    """`_hints` as lines of JSON; what is only searched needs no object for each play."""
    from sixprime.engine.search_judge import SearchJudge
    from sixprime.report.lines import hint_lines

    judge = engine.judge()
    if not isinstance(judge, SearchJudge):
        return [*map(json_line, _hints(engine, batch, count))]
    return hint_lines(judge.told(_requests(batch), count))


def _rank(engine: Engine, batch: list[ParsedPosition], count: int) -> list[list[PlayAnalysis]]:
    return engine.rank_plays_many(_requests(batch), count=count)


def _requests(batch: list[ParsedPosition]) -> list[PlayRequest]:
    from sixprime.engine import PlayRequest

    return [PlayRequest(p.position, p.dice, p.state) for p in batch if p.dice is not None]
