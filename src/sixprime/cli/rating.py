"""`sixprime rating`: what a match does to FIBS ratings."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

from sixprime.cli._common import Flag, print_json, whole

_Rating = Annotated[float, Parameter(validator=Number(gte=0, lte=10_000))]


def rating(
    first: _Rating,
    second: _Rating,
    length: Annotated[int, whole(1, 1000)],
    /,
    *,
    experience: tuple[Annotated[int, whole(0)], Annotated[int, whole(0)]] = (400, 400),
    json: Flag = False,
) -> int:
    """Say what a match does to the FIBS ratings of two players, and who is likely to win it.

    Parameters
    ----------
    first
        Rating of the first player before the match.
    second
        Rating of the second.
    length
        Points of the match.
    experience
        Points of all matches that each has finished; ratings of those with less than 400 move faster.
    json
        Print one JSON object.
    """
    from sixprime.report.rating import rating_text, rating_to_dict

    told = rating_to_dict((first, second), experience, length)
    if json:
        print_json(told)
    else:
        print(rating_text(told))
    return 0
