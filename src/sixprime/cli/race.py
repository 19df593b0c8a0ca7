"""`sixprime race`: a race judged by every count, by effective pips and by the engine."""

from __future__ import annotations

from sixprime.cli._common import Flag, Plies, Text, Threads, json_line, print_json, read_id
from sixprime.cli.judge import answer_lines
from sixprime.game import parse
from sixprime.settings import make_engine


def race(id: Text, /, *, plies: Plies = 2, json: Flag = False, threads: Threads = None) -> int:
    """Judge a race by all known counts, with the verdict of each, beside the exact or best known answer.

    Parameters
    ----------
    id
        Position ID (then money play, centred cube), positionid:matchid, XGID, OGID or a FIBS board line, of a position
        without contact; `-` reads one per line from standard input and prints one JSON object per line.
    plies
        How far the engine looks ahead where no database knows the answer.
    json
        Print one JSON object.
    threads
        How many threads to use; by default all cores.
    """
    parsed = None if id == "-" else read_id(id)
    from sixprime.report.race import race_to_dict, render_race
    from sixprime.theory.race import check_race, race_theory

    if parsed is None:
        engine = make_engine(plies=plies, threads=threads)
        return answer_lines(
            parse,
            lambda batch: [json_line(race_to_dict(race_theory(engine, each.position, each.state))) for each in batch],
        )
    check_race(parsed.position)
    theory = race_theory(make_engine(plies=plies, threads=threads), parsed.position, parsed.state)
    if json:
        print_json(race_to_dict(theory))
    else:
        render_race(theory)
    return 0
