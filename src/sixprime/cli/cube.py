"""`sixprime cube`: the theory of one cube decision."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from sixprime.cli._common import (
    Chequers,
    Flag,
    Text,
    check_double,
    check_picture,
    print_json,
    read_id,
    write_picture,
)
from sixprime.cli._judging import JUDGING, Judge


def cube(
    id: Text,
    /,
    *,
    svg: Annotated[Path | None, Parameter(show_default=False)] = None,
    png: Annotated[Path | None, Parameter(show_default=False)] = None,
    chequers: Chequers = 15,
    judge: Judge = JUDGING,
    json: Flag = False,
) -> int:
    """The cube decision, and what is behind it: market window, gammon values, volatility, all models side by side.

    Parameters
    ----------
    id
        Position ID (then money play, centred cube), positionid:matchid, XGID, OGID or a FIBS board line.
    svg
        Write a picture to this file: equity against winning chance for the three cube states.
    png
        The same as PNG.
    json
        Print one JSON object.
    """
    parsed = check_double(read_id(id, chequers=chequers))
    check_picture(svg, "--svg", ".svg")
    check_picture(png, "--png", ".png")
    engine = judge.engine()
    from sixprime.report.cube import cube_chart, render_cube_theory, theory_to_dict
    from sixprime.theory import cube_theory

    theory = cube_theory(engine, parsed.position, match=parsed.state)
    wanted = {name: target for name, target in (("svg", svg), ("png", png)) if target is not None}
    drawn = {name: str(target) for name, target in wanted.items() if write_picture(target, cube_chart(theory))}
    if json:
        print_json({"position_id": parsed.position.id, **theory_to_dict(theory), **drawn})
    else:
        render_cube_theory(theory)
    return 0 if len(drawn) == len(wanted) else 1
