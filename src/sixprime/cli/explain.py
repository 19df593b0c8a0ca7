"""`sixprime explain`: what the best play does that another does not, in numbers."""

from __future__ import annotations

from sixprime.cli._common import (
    Chequers,
    Flag,
    Text,
    check_double,
    print_json,
    read_id,
)
from sixprime.cli._judging import JUDGING, Judge
from sixprime.cli.judge import roll_text, with_dice
from sixprime.game import parse_play


def explain(
    id: Text,
    /,
    *roll: str,
    dice: str | None = None,
    play: str | None = None,
    chequers: Chequers = 15,
    judge: Judge = JUDGING,
    json: Flag = False,
) -> int:
    """Set the best play of a roll beside another: counts, chances, market, replies, best and worst exchanges.

    Parameters
    ----------
    id
        Position ID (then money play, centred cube), positionid:matchid, XGID, OGID or a FIBS board line.
    roll
        The roll, such as 31 or 3 1; not needed when the ID has it.
    dice
        The same as an option.
    play
        The other play, such as "13/10 6/5"; by default the second best.
    json
        Print one JSON object.
    """
    parsed = with_dice(check_double(read_id(id, chequers=chequers)), roll_text(roll, dice))
    assert parsed.dice is not None
    other = None if play is None else parse_play(play, parsed.position, parsed.dice)
    engine = judge.engine()
    from sixprime import theory
    from sixprime.report.explain import explanation_to_dict, render_explanation

    found = theory.explain(engine, parsed.position, parsed.dice, other, state=parsed.state)
    if json:
        print_json(explanation_to_dict(found))
    else:
        render_explanation(found)
    return 0
