"""`sixprime explain`: what the best play does that another does not, in numbers."""

from __future__ import annotations

from sixprime.cli._common import (
    CubeModelName,
    Flag,
    LevelName,
    MaybePlies,
    MetName,
    NetName,
    Text,
    Threads,
    print_json,
    read_id,
)
from sixprime.cli.judge import roll_text, with_dice
from sixprime.game import parse_play
from sixprime.settings import make_engine


def explain(
    id: Text,
    /,
    *roll: str,
    dice: str | None = None,
    play: str | None = None,
    level: LevelName = None,
    plies: MaybePlies = None,
    net: NetName = None,
    met: MetName = None,
    cube_model: CubeModelName = None,
    json: Flag = False,
    threads: Threads = None,
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
    plies
        How far to look ahead, instead of as far as the level does; replies one less.
    json
        Print one JSON object.
    threads
        How many threads to use; by default all cores.
    """
    parsed = with_dice(read_id(id), roll_text(roll, dice))
    assert parsed.dice is not None
    other = None if play is None else parse_play(play, parsed.position, parsed.dice)
    engine = make_engine(net, level=level, plies=plies, threads=threads, met=met, cube_model=cube_model)
    from sixprime import theory
    from sixprime.report.explain import explanation_to_dict, render_explanation

    found = theory.explain(engine, parsed.position, parsed.dice, other, state=parsed.state)
    if json:
        print_json(explanation_to_dict(found))
    else:
        render_explanation(found)
    return 0
