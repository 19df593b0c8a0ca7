"""`sixprime eval` and `sixprime hint`: one position, or with `-` thousands of lines of standard input."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from sixprime.cli._common import (
    CubeModelName,
    Flag,
    LevelName,
    MaybeFilter,
    MaybePlies,
    MetName,
    NetName,
    Text,
    Threads,
    UsageError,
    line_batches,
    make_engine,
    note,
    print_json,
    read_id,
    whole,
)
from sixprime.errors import SixprimeError
from sixprime.game import ParsedPosition, parse

if TYPE_CHECKING:
    from sixprime.engine import CubeAnalysis, Engine, Evaluation, PlayAnalysis
    from sixprime.game import MatchState, Position

_In = TypeVar("_In")
_Out = TypeVar("_Out")


def evaluate(
    id: Text,
    /,
    *,
    level: LevelName = None,
    plies: MaybePlies = None,
    net: NetName = None,
    met: MetName = None,
    cube_model: CubeModelName = None,
    json: Flag = False,
    threads: Threads = None,
) -> int:
    """What a position is worth to the player on roll, before the dice, and the cube decision.

    Parameters
    ----------
    id
        Position ID (then money play, centred cube), positionid:matchid, XGID, OGID or a FIBS board line; `-` reads one
        per line from standard input and prints one JSON object per line.
    plies
        How far to look ahead, instead of as far as the level does; 0 is the net alone.
    json
        Print one JSON object.
    threads
        How many threads to use; by default all cores.
    """
    parsed = None if id == "-" else read_id(id)
    engine = make_engine(net, level=level, plies=plies, threads=threads, met=met, cube_model=cube_model)
    if parsed is None:
        return answer_lines(parse, lambda batch: [_evaluation_dict(*pair) for pair in _evaluate(engine, batch)])
    _answer_cube(engine, parsed, {}, json=json)
    return 0


def hint(
    id: Text,
    /,
    *roll: str,
    dice: str | None = None,
    level: LevelName = None,
    plies: MaybePlies = None,
    filter: MaybeFilter = None,
    count: Annotated[int, whole(1)] = 10,
    net: NetName = None,
    met: MetName = None,
    cube_model: CubeModelName = None,
    json: Flag = False,
    threads: Threads = None,
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
    plies
        How far to look ahead, instead of as far as the level does; 0 is the net alone.
    count
        How many plays to show.
    json
        Print one JSON object.
    threads
        How many threads to use; by default all cores.
    """
    words = roll_text(roll, dice)
    if id == "-" and words is not None:
        raise UsageError("with - the dice stand on the lines of standard input, after the ID")
    parsed = None if id == "-" else with_dice(read_id(id), words)
    engine = make_engine(net, level=level, plies=plies, filter=filter, threads=threads, met=met, cube_model=cube_model)
    if parsed is None:
        return answer_lines(
            _parse_roll,
            lambda batch: [_hint_dict(*pair) for pair in zip(batch, _rank(engine, batch, count), strict=True)],
        )
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
    [(evaluation, cube)] = _evaluate(engine, [parsed])
    if json:
        print_json(named | _evaluation_dict(evaluation, cube))
    else:
        from sixprime.report import render_evaluation

        render_evaluation(evaluation, state=parsed.state, cube=cube)


def _answer_roll(engine: Engine, parsed: ParsedPosition, count: int, named: dict[str, Any], *, json: bool) -> None:
    [plays] = _rank(engine, [parsed], count)
    if json:
        print_json(named | _hint_dict(parsed, plays))
    else:
        from sixprime.report import render_hint

        assert parsed.dice is not None
        render_hint(parsed.position, parsed.dice, plays, state=parsed.state, plies=engine.plies)


# Input.

_ID_AND_ROLL = re.compile(r"(.+?)\s+(\S{1,3}|[1-6][ ,-]+[1-6])")


def _parse_roll(line: str) -> ParsedPosition:
    """A line `ID DICE`; the dice may be missing when the ID has them."""
    id, dice = split_roll(line)
    return with_dice(parse(id), dice)


def split_roll(line: str) -> tuple[str, str | None]:
    """An ID, which may be two words, and the dice that may stand behind it."""
    found = _ID_AND_ROLL.fullmatch(line.strip())
    return (line, None) if found is None else (found[1], found[2])


def roll_text(words: Sequence[str], option: str | None) -> str | None:
    """The dice as given behind the ID, as one word or two, or as an option; None where they are not given."""
    return " ".join([*([option] if option is not None else ()), *words]) or None


def with_dice(parsed: ParsedPosition, text: str | None) -> ParsedPosition:
    if parsed.position.winner is not None:
        raise UsageError("the game is over: nothing is left to play")
    if text is None:
        if parsed.dice is None:
            raise UsageError("this ID carries no dice; give them, for example --dice 31")
        return parsed
    digits = [character for character in text if character not in " ,-"]
    if len(digits) != 2 or not set(digits) <= set("123456"):
        raise UsageError(f"dice are two digits from 1 to 6, such as 31; got {text!r}")
    dice = (int(digits[0]), int(digits[1]))
    return ParsedPosition(parsed.position, parsed.state.with_dice(dice), dice)


_Answer = Callable[[list[ParsedPosition]], list[dict[str, Any]]]


def answer_lines(read: Callable[[str], ParsedPosition], answer: _Answer) -> int:
    """Answers every line of standard input with one line, in order; a bad line gives an "error"."""
    bad = 0
    for lines in line_batches(sys.stdin.fileno()):
        read_lines = [_try(read, line) for line in lines]
        good = [parsed for parsed in read_lines if isinstance(parsed, ParsedPosition)]
        answers = iter(_answer_all(answer, good))
        for line, parsed in zip(lines, read_lines, strict=True):
            result = next(answers) if isinstance(parsed, ParsedPosition) else parsed
            if isinstance(result, Exception):
                bad += 1
                result = {"input": line, "error": str(result)}
            print_json(result)
        sys.stdout.flush()
    if bad:
        note(f'sixprime: {bad} of the lines could not be answered; see their "error"')
    return 1 if bad else 0


def _answer_all(answer: _Answer, batch: list[ParsedPosition]) -> list[dict[str, Any] | Exception]:
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


def _evaluate(engine: Engine, batch: list[ParsedPosition]) -> list[tuple[Evaluation, CubeAnalysis]]:
    """Evaluations and cube decisions from one search: its "no double" is the cubeful equity."""
    cubes = engine.cube_many([(parsed.position, parsed.state) for parsed in batch])
    static = engine.evaluate_many([p.position for p in batch], match=[p.state for p in batch], plies=0)
    return [
        (
            replace(
                evaluation,
                probabilities=cube.probabilities,
                cubeless_equity=cube.probabilities.cubeless,
                cubeful_equity=cube.no_double,
                mwc=cube.mwc_no_double,
                plies=cube.plies,
                effective_x=cube.effective_x,
            ),
            cube,
        )
        for evaluation, cube in zip(static, cubes, strict=True)
    ]


def _rank(engine: Engine, batch: list[ParsedPosition], count: int) -> list[list[PlayAnalysis]]:
    from sixprime.engine import PlayRequest

    requests = [PlayRequest(p.position, p.dice, p.state) for p in batch if p.dice is not None]
    return engine.rank_plays_many(requests, count=count)


def _evaluation_dict(evaluation: Evaluation, cube: CubeAnalysis) -> dict[str, Any]:
    from sixprime.report.json import cube_to_dict

    return {
        "position_id": evaluation.position.id,
        "match_id": _match_id(cube.state),
        "class": evaluation.position_class,
        "plies": evaluation.plies,
        "probabilities": list(evaluation.probabilities),
        "cubeless_equity": evaluation.cubeless_equity,
        "cubeful_equity": evaluation.cubeful_equity,
        "mwc": evaluation.mwc,
        "effective_x": evaluation.effective_x,
        "cube": cube_to_dict(cube),
    }


def _hint_dict(parsed: ParsedPosition, plays: list[PlayAnalysis]) -> dict[str, Any]:
    from sixprime.report.json import play_to_dict

    return {
        "position_id": parsed.position.id,
        "match_id": _match_id(parsed.state),
        "dice": parsed.dice,
        "plays": [play_to_dict(play) for play in plays],
    }


def _match_id(state: MatchState) -> str | None:
    """None for what a match ID cannot hold."""
    try:
        return state.match_id
    except SixprimeError:
        return None
