"""`sixprime map`: what lies around a decision: every roll, every score, every pair of rolls, every turn of the cube."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import App, Parameter

from sixprime.checks import Whole
from sixprime.cli._common import (
    Chequers,
    Flag,
    Text,
    UsageError,
    check_double,
    check_picture,
    example,
    print_json,
    progress,
    read_id,
    whole,
    write_picture,
)
from sixprime.cli._judging import JUDGING, Judge
from sixprime.cli.judge import roll_text, with_dice
from sixprime.game.state import LARGEST_CUBE

if TYPE_CHECKING:
    from collections.abc import Callable

Picture = Annotated[
    Path | None,
    Parameter(alias="-o", show_default=False, help="Draw the map, too: a file that ends in .svg or .png."),
]

_TURN = Whole(2, LARGEST_CUBE, power=True)

maps = App(name="map", help_epilogue=example("map score 4HPMwQCMz+AIIQ"))


def _answer(found: object, told: tuple[Callable[..., Any], Callable[..., Any], Callable[..., str]],
            picture: Path | None, *, json: bool) -> int:  # fmt: skip
    """Writes the picture, then prints. told: what makes values for JSON, what prints, what draws."""
    to_dict, render, draw = told
    done = picture is None or write_picture(picture, draw(found))
    if json:
        print_json(to_dict(found))
    else:
        render(found)
    return 0 if done else 1


@maps.command(help_epilogue=example("map temperature 4HPwATDgc/ABMA"))
def temperature(
    id: Text,
    /,
    *roll: str,
    dice: Annotated[str | None, Parameter(show_default=False)] = None,
    count: Annotated[int | None, whole(1, 9, show_default=False)] = None,
    chequers: Chequers = 15,
    picture: Picture = None,
    judge: Judge = JUDGING,
    json: Flag = False,
) -> int:
    """What each of the 21 rolls is worth after its best play; with a roll, what the opponent's are after its plays.

    Parameters
    ----------
    id
        Position ID (then money play, centred cube), positionid:matchid, XGID, OGID or a FIBS board line. Its dice are
        not looked at.
    roll
        A roll such as 31: the maps are then those of the opponent after its best plays, side by side.
    dice
        The same as an option.
    count
        How many plays of the roll are compared; 3 by default.
    json
        Print one JSON object.
    """
    parsed, text = check_double(read_id(id, chequers=chequers)), roll_text(roll, dice)
    rolled = None if text is None else with_dice(parsed, text).dice
    if count is not None and rolled is None:
        raise UsageError("--count is of the plays of a roll; give it, for example --dice 31")
    check_picture(picture, "--picture", ".svg", ".png")
    engine = judge.engine()
    from sixprime.report import maps as shown
    from sixprime.theory import reply_maps, temperature_map

    with progress("Rolls") as hook:
        if rolled is None:
            found = [temperature_map(engine, parsed.position, match=parsed.state, progress=hook)]
        else:
            state = parsed.state
            found = [*reply_maps(engine, parsed.position, rolled, count or 3, match=state, progress=hook)]
    told = (lambda each: {"maps": [shown.temperature_to_dict(one) for one in each]}, shown.render_temperature)
    return _answer(found, (*told, shown.temperature_svg), picture, json=json)


@maps.command(help_epilogue=example("map score 4HPwATDgc/ABMA 31 --away 5"))
def score(
    id: Text,
    /,
    *roll: str,
    dice: Annotated[str | None, Parameter(show_default=False)] = None,
    away: Annotated[str, Parameter(show_default=True)] = "7",
    chequers: Chequers = 15,
    picture: Picture = None,
    judge: Judge = JUDGING,
    json: Flag = False,
) -> int:
    """The best cube action, or of a roll the best play, at every score, for money, at DMP, gammon-go and gammon-save.

    Parameters
    ----------
    id
        Position ID, positionid:matchid, XGID, OGID or a FIBS board line. Of its match only cube and owner count.
    roll
        A roll such as 31, for the best play instead of the cube action.
    dice
        The same as an option.
    away
        The scores: up to so many points away, such as 7, or each of a list, such as 3,5,7,9,11,15,21, to 25; in a list
        1 is after the Crawford game.
    json
        Print one JSON object.
    """
    parsed, text = check_double(read_id(id, chequers=chequers)), roll_text(roll, dice)
    rolled = None if text is None else with_dice(parsed, text).dice
    aways = _aways(away)
    check_picture(picture, "--picture", ".svg", ".png")
    engine = judge.engine()
    from sixprime.report import maps as shown
    from sixprime.theory import score_map

    with progress("Scores") as hook:
        found = score_map(engine, parsed.position, rolled, match=parsed.state, aways=aways, progress=hook)
    return _answer(found, (shown.score_to_dict, shown.render_score, shown.score_svg), picture, json=json)


@maps.command(help_epilogue=example("map losers 4HPMwQCMz+AIIQ"))
def losers(
    id: Text,
    /,
    *,
    chequers: Chequers = 15,
    picture: Picture = None,
    judge: Judge = JUDGING,
    json: Flag = False,
) -> int:
    """Market losers: after which of the 441 pairs of rolls, one of each side, the opponent passes, and by how much.

    Parameters
    ----------
    id
        Position ID (then money play, centred cube), positionid:matchid, XGID, OGID or a FIBS board line.
    json
        Print one JSON object.
    """
    parsed = check_double(read_id(id, chequers=chequers))
    check_picture(picture, "--picture", ".svg", ".png")
    engine = judge.engine()
    from sixprime.report import maps as shown
    from sixprime.theory import market_losers

    with progress("Pairs of rolls") as hook:
        found = market_losers(engine, parsed.position, match=parsed.state, progress=hook)
    return _answer(found, (shown.losers_to_dict, shown.render_losers, shown.losers_svg), picture, json=json)


@maps.command(help_epilogue=example("map levels 4HPMwQCMz+AIIQ:cIkFAAAAAAAA"))
def levels(
    id: Text,
    /,
    *,
    to: Annotated[str, Parameter(show_default=True)] = "2,4,8",
    chequers: Chequers = 15,
    picture: Picture = None,
    judge: Judge = JUDGING,
    json: Flag = False,
) -> int:
    """Cube points of both sides for each turn of the cube: gammon values, market window, and those of the cube model.

    Parameters
    ----------
    id
        Position ID (then money play, centred cube), positionid:matchid, XGID, OGID or a FIBS board line.
    to
        The values that the cube is turned to.
    json
        Print one JSON object.
    """
    parsed, turns = check_double(read_id(id, chequers=chequers)), _numbers(to, "--to")
    for each in turns:
        _TURN("--to", each)
    check_picture(picture, "--picture", ".svg", ".png")
    engine = judge.engine()
    from sixprime.report import maps as shown
    from sixprime.theory import cube_levels

    found = cube_levels(engine, parsed.position, match=parsed.state, levels=turns)
    return _answer(found, (shown.levels_to_dict, shown.render_levels, shown.levels_svg), picture, json=json)


def _aways(text: str) -> list[int]:
    numbers = _numbers(text, "--away")
    least = 1 if len(numbers) > 1 else 2
    if not all(least <= number <= 25 for number in numbers) or len(set(numbers)) < len(numbers):
        raise UsageError(f"--away is a number from 2 to 25, or several different ones from 1 with commas; got {text!r}")
    return [*range(2, numbers[0] + 1)] if len(numbers) == 1 else numbers


def _numbers(text: str, option: str) -> list[int]:
    """Whole numbers with commas between. Raises UsageError."""
    parts = text.split(",")
    if not all(part.strip().isdecimal() and len(part.strip()) < 10 for part in parts):
        raise UsageError(f"{option} is a number or several with commas, such as 2,4,8; got {text!r}")
    return [int(part) for part in parts]
