"""`sixprime library`: the user's matches, what is in them, and where equity went over all of them."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import App, Parameter
from cyclopts.validators import Number

from sixprime.cli._common import (
    TOGETHER,
    Chequers,
    EncodingName,
    Flag,
    LevelName,
    MaybeFilter,
    MaybePlies,
    Text,
    Threads,
    UsageError,
    check_double,
    check_target,
    example,
    json_line,
    note,
    print_json,
    read_id,
    whole,
)
from sixprime.cli._judging import JUDGING_PLAYS, JudgePlays
from sixprime.cli._output import must_write_files
from sixprime.cli._questions import HYPHENED, KindNames, Loss, PhaseNames, phases_of
from sixprime.cli.judge import answer_lines, roll_text, split_roll, with_dice
from sixprime.errors import InvalidIdError, SettingsError
from sixprime.game import ParsedPosition, parse
from sixprime.game.ogid import encode_ogid

if TYPE_CHECKING:
    from sixprime.learn.questions import Question
    from sixprime.store.decisions import Found, Query
    from sixprime.store.library import Library

library = App(name="library", help_epilogue=example("library find --player Ann --plan prime --least 0.08"))


PlanNames = Annotated[list[Literal["race", "back-game", "attack", "prime", "holding", "mixed"]] | None, HYPHENED]
_Range = Annotated[str | None, Parameter(metavar="FROM..TO", allow_leading_hyphen=True)]
_Points = Annotated[str | None, Parameter(metavar="POINTS")]
_Day = Annotated[str | None, Parameter(metavar="DATE")]
_Match = Annotated[int, whole(1, 10**9)]
_SCORE = re.compile(r"(\d{1,2})a?[-: ]?(\d{1,2})a?")
_RANGE = re.compile(r"(-?\d{1,3})(?:\.\.(-?\d{1,3}))?")


@dataclass(frozen=True, slots=True)
class _Wanted:
    """Which decisions."""

    player: str | None = None
    """Only decisions of this player."""
    against: str | None = None
    """Only those against this opponent."""
    match: list[_Match] | None = None
    """Only those of this match, by its number; may be given several times."""
    kind: KindNames = None
    """Only plays, doubles or takes; may be given several times."""
    phase: PhaseNames = None
    """Only those of this phase of the game (docs/analysis.md); may be given several times."""
    plan: PlanNames = None
    """Only those with this plan (docs/analysis.md); may be given several times."""
    least: Loss = None
    """The smallest loss, as equity."""
    most: Loss = None
    """The largest loss."""
    dice: str | None = None
    """Only plays of this roll."""
    score: Annotated[str | None, Parameter(metavar="SCORE")] = None
    """Only at this score, as points that both still need, the player's first: 3a-5a, or money."""
    length: Annotated[int | None, whole(0, 99)] = None
    """Only matches of this length; 0 is money."""
    crawford: bool | None = None
    """Only the Crawford game, or only others."""
    cube: Annotated[int | None, whole(1, 4096)] = None
    """Only with this value of the cube."""
    owner: Literal["centred", "own", "theirs"] | None = None
    """Whose the cube is."""
    pips: _Range = None
    """The pip count of the player who decides, such as 90..110."""
    lead: _Range = None
    """That count less the opponent's, such as -20..-8 for a lead of 8 to 20."""
    own: _Points = None
    """Chequers of the player who decides, by his own numbers: 6,5 for two or more on these points, 8:3 for three or
    more, 8=1 for exactly one, bar:1, off:10."""
    theirs: _Points = None
    """Chequers of his opponent, by the numbers of that side, likewise."""
    since: _Day = None
    """Only matches of this day or later, such as 2026-01-31."""
    until: _Day = None
    """Only matches of this day or earlier."""
    event: str | None = None
    """Only matches with this in the name of the event."""
    chosen: str | None = None
    """Only where this is in what was done, such as 13/7 or Pass."""
    best: str | None = None
    """Only where this is in what should have been done."""
    tag: str | None = None
    """Only what has this tag, or is in a match that has."""

    @property
    def query(self) -> Query:
        """The same as the library takes it. Raises UsageError, SettingsError."""
        from sixprime.analysis.model import DecisionKind, Plan
        from sixprime.cli.judge import dice_of
        from sixprime.store.decisions import OnPoint, Query

        return Query.of(
            self,
            opponent=self.against,
            matches=tuple(self.match or ()),
            kinds=tuple(map(DecisionKind, self.kind or ())),
            phases=phases_of(self.phase),
            plans=tuple(Plan(name.replace("-", " ")) for name in self.plan or ()),
            score=_score(self.score),
            dice=None if self.dice is None else dice_of(self.dice),
            pips=_range("--pips", self.pips),
            lead=_range("--lead", self.lead),
            own=OnPoint.parse(self.own or ""),
            theirs=OnPoint.parse(self.theirs or ""),
            since=_day("--since", self.since),
            until=_day("--until", self.until),
        )


def _score(text: str | None) -> tuple[int, int] | None:
    if text is None:
        return None
    if text.casefold() == "money":
        return 0, 0
    found = _SCORE.fullmatch(text)
    if found is None or "0" in found.groups():
        raise UsageError(f"--score takes the points that both still need, such as 3a-5a, or money; got {text}")
    return int(found[1]), int(found[2])


def _range(option: str, text: str | None) -> tuple[int, int] | None:
    if text is None:
        return None
    found = _RANGE.fullmatch(text)
    if found is None:
        raise UsageError(f"{option} takes a number of pips or a range such as 90..110; got {text}")
    first = int(found[1])
    last = first if found[2] is None else int(found[2])
    if first > last:
        raise UsageError(f"{option} takes the smaller number first; got {text}")
    return first, last


def _day(option: str, text: str | None) -> str:
    if text is None:
        return ""
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        raise UsageError(f"{option} takes a day such as 2026-01-31; got {text}") from None


Wanted = Annotated[_Wanted, TOGETHER]
_NONE = _Wanted()


@library.command(help_epilogue=example("library add matches/ --level expert"))
def add(
    *files: Annotated[Path, Parameter(allow_leading_hyphen=True)],
    level: LevelName = None,
    plies: MaybePlies = None,
    filter: MaybeFilter = None,
    again: Flag = False,
    theirs: Flag = False,
    by: str | None = None,
    jobs: Annotated[int | None, whole(1, 1024)] = None,
    encoding: EncodingName = None,
    threads: Threads = None,
) -> int:
    """Analyse matches and put them in; `sixprime analyse --library` does so, too, and has more options.

    The same match is in it once, however often it is added: what is there already is not judged again where it is as
    close as asked. A match that goes on takes the place of its beginning.

    Parameters
    ----------
    files
        Files of matches, analyses that end in .sixprime, folders and patterns; `-` is standard input.
    plies
        How far to look ahead, instead of as far as the level does; 0 is the net alone.
    again
        Judge what has been judged before, too.
    theirs
        Judge nothing: keep the analysis that the file holds.
    by
        Whose analysis of several, by a part of the program's name.
    jobs
        How many matches to analyse at once; by default as many as there are threads.
    threads
        How many threads to use; by default all cores.
    """
    from sixprime.cli._judging import JudgingPlays
    from sixprime.cli.analyse import analyse

    judge = JudgingPlays(level=level, plies=plies, filter=filter, threads=threads)
    return analyse(*files, judge=judge, library=True, again=again, theirs=theirs, by=by, jobs=jobs, encoding=encoding)


@library.command(help_epilogue=example("library matches --player Ann"))
def matches(*, player: str | None = None, event: str | None = None, json: Flag = False) -> int:
    """List the matches, in order of time, with both players' performance ratings.

    Parameters
    ----------
    player
        Only matches of this player.
    event
        Only matches with this in the name of the event.
    json
        Print one JSON object per match.
    """
    from sixprime.store.identity import plain

    every = _library().matches()
    found = [
        each
        for each in every
        if (player is None or plain(player) in {plain(side.name) for side in each.sides})
        and (event is None or event.casefold() in each.event.casefold())
    ]
    if not found and not json:
        note("sixprime: the library is empty; sixprime library add FILES fills it" if not every else "no such match")
        return 0
    from sixprime.report.library import render_matches
    from sixprime.store.objects import match_to_dict

    _print(list(map(match_to_dict, found)), render_matches, json)
    return 0


@library.command(
    help_epilogue=example('library keep "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:7:10" 31 --tag openings')
)
def keep(
    id: Text,
    /,
    *roll: str,
    dice: str | None = None,
    tag: list[str] | None = None,
    remark: Annotated[str, Parameter(name="--note", metavar="TEXT")] = "",
    chequers: Chequers = 15,
    judge: JudgePlays = JUDGING_PLAYS,
    json: Flag = False,
) -> int:
    """Judge a position that belongs to no match, and put it in: a play where there is a roll, else the cube decision.

    It has a number as matches have, by which it is shown, saved, tagged and removed. What is there already is judged
    again.

    Parameters
    ----------
    id
        An ID, as `hint` takes it; `-` reads lines `ID` or `ID DICE` from standard input and prints one JSON object per
        line.
    roll
        The roll, such as 31 or 3 1, for a play; not needed when the ID has it.
    dice
        The same as an option.
    tag
        A tag that it gets; may be given several times.
    remark
        What you have to say about it.
    json
        Print one JSON object.
    """
    from sixprime.store.decisions import checked_tag
    from sixprime.store.objects import noted_to_dict
    from sixprime.store.positions import checked_note

    checked_note(remark)
    tags = [checked_tag(each) for each in tag or ()]
    words = roll_text(roll, dice)
    if id == "-" and words is not None:
        raise UsageError("with - the dice stand on the lines of standard input, after the ID")

    def read(text: str, words: str | None) -> ParsedPosition:
        parsed = check_double(parse(text, chequers=chequers) if id == "-" else read_id(text, chequers=chequers))
        return parsed if words is None else with_dice(parsed, words)

    parsed = None if id == "-" else read(id, words)
    engine, shelf = judge.engine(), _library()

    def put(each: ParsedPosition) -> dict[str, Any]:
        return noted_to_dict(shelf.keep_position(each.position, each.state, engine, note=remark, tags=tags))

    if parsed is None:
        return answer_lines(
            lambda line: read(*split_roll(line)), lambda batch: [json_line(put(each)) for each in batch]
        )
    told = put(parsed)
    if json:
        print_json(told)
    else:
        note(f"position {told['position']}: {told['best']}")
    return 0


@library.command(help_epilogue=example("library positions --tag openings"))
def positions(*, tag: str | None = None, json: Flag = False) -> int:
    """List the positions that belong to no match, in the order in which they were put in.

    Parameters
    ----------
    tag
        Only those that have this tag.
    json
        Print one JSON object per position.
    """
    every = _library().positions()
    found = [each for each in every if tag is None or " ".join(tag.split()) in each.tags]
    if not found and not json:
        note("no such position" if every else "sixprime: no position is kept; sixprime library keep ID puts one in")
        return 0
    from sixprime.report.library import render_positions
    from sixprime.store.objects import noted_to_dict

    _print(list(map(noted_to_dict, found)), render_positions, json)
    return 0


@library.command(help_epilogue=example("library players"))
def players(*, half_life: Annotated[float, Parameter(validator=Number(gt=0))] = 500.0, json: Flag = False) -> int:
    """List the players, those with the most decisions first.

    Parameters
    ----------
    half_life
        Decisions after which one counts half in the recent performance rating.
    json
        Print one JSON object per player, with how each match changed the rating.
    """
    found = _library().careers(half_life)
    if not found and not json:
        note("sixprime: the library is empty; sixprime library add FILES fills it")
        return 0
    from sixprime.report.library import render_players
    from sixprime.store.objects import career_to_dict

    _print(list(map(career_to_dict, found)), render_players, json)
    return 0


@library.command(help_epilogue=example("library find --player Ann --plan back-game --least 0.1 --ids"))
def find(
    *,
    wanted: Wanted = _NONE,
    like: str | None = None,
    order: Literal["error", "latest", "luck"] = "error",
    count: Annotated[int, whole(1, 1_000_000)] = 20,
    boards: Flag = False,
    ids: Flag = False,
    quiz: Flag = False,
    cards: Annotated[Path | None, Parameter(metavar="OUT")] = None,
    alone: bool | None = None,
    json: Flag = False,
) -> int:
    """Find decisions: by player, error, plan, score, cube, pips, structure, or by likeness to a position.

    What is asked for is seen by the player who decides, for a take by the one who is doubled; its board and XGID are
    those of the player who doubled, as everywhere. Each is shown with its place, match, game, move and player, as
    `library tag` and `library show` take it.

    Parameters
    ----------
    like
        An ID: positions most like it come first, by the pips that chequers of both sides must be moved; one with a
        double offered is like takes.
    order
        The most costly first, the latest, or those with the most luck or bad luck.
    count
        How many to show.
    boards
        Show the boards, too.
    ids
        Print only XGIDs (of hypergammon OGIDs, which say so), one a line, for `hint -`, `eval -` or `rollout -`.
    quiz
        Put them into your quiz.
    cards
        Write them as a deck for Anki to this file, which ends in .apkg.
    alone
        Only positions that belong to no match (`library keep`), or only decisions of matches.
    json
        Print one JSON object per decision.
    """
    if boards + ids + json > 1:
        raise UsageError("--boards, --ids and --json are three ways to print: give one of them")
    query = replace(wanted.query, alone=alone)
    if cards is not None:
        from sixprime.report.cards import check_writable

        check_target(cards, "--cards", ".apkg")
        check_writable(time.time())
    from sixprime.store.decisions import decided

    asked = None if like is None else read_id(like)
    alike = None if asked is None else decided(asked.position, asked.state)
    shelf = _library()
    found, number = shelf.search(shelf.checked(query), like=alike, order=order, count=count)
    if quiz or cards is not None:
        _learn(shelf.questions(found, lambda text: note(f"sixprime: warning: {text}")), quiz=quiz, cards=cards)
    if ids:
        every = [_id_of(each) for each in found if each.xgid]
        print("".join(f"{each}\n" for each in every if each), end="")
        if lost := every.count(""):
            note(f"sixprime: {lost} left out, which no OGID can hold, as one with a cube above 512")
    elif found:
        from sixprime.report.library import render_found
        from sixprime.store.objects import found_to_dict

        drawn = [each.position for each in found] if boards else []
        luck = order == "luck" and alike is None
        _print(list(map(found_to_dict, found)), partial(render_found, boards=drawn, luck=luck), json)
    if not json and not ids:
        shown = "" if number <= len(found) else f", {len(found)} of them shown (--count)"
        note(f"{number} decision{'' if number == 1 else 's'} found{shown}")
    return 0


def _id_of(found: Found) -> str:
    """An ID of what has an XGID that is read as the same position: an XGID does not say that there are fewer chequers
    than 15, an OGID does. "" where that cannot hold it."""
    if found.position.chequers == 15:
        return found.xgid
    position, state, _ = parse(found.xgid, chequers=found.position.chequers)
    try:
        return f"OGID={encode_ogid(position, state)}"
    except InvalidIdError:
        return ""


@library.command(help_epilogue=example("library stats --player Ann --by plan"))
def stats(
    *,
    wanted: Wanted = _NONE,
    by: Literal[
        "kind", "phase", "plan", "player", "opponent", "score", "length", "cube", "dice", "month", "tag"
    ] = "phase",
    json: Flag = False,
) -> int:
    """Say where equity went: decisions, errors and performance rating by groups, the most costly group first.

    Parameters
    ----------
    by
        What decisions are grouped by. Those with several tags count for each.
    json
        Print one JSON object.
    """
    from sixprime.report.library import render_sums
    from sixprime.settings import load
    from sixprime.store.objects import sums_to_dict

    shelf = _library()
    groups, total = shelf.sums(shelf.checked(wanted.query), by, load().thresholds.thresholds().doubtful)
    told = sums_to_dict(by, groups, total)
    if json:
        print_json(told)
    elif total.decisions:
        render_sums(told)
    else:
        note("no decision found")
    return 0


@library.command(help_epilogue=example("library show 12 --html match.html"))
def show(
    number: Annotated[int, whole(1)],
    /,
    *,
    html: Annotated[Path | None, Parameter(alias="-o", metavar="OUT")] = None,
    statistics: Literal["match", "games"] | None = None,
    json: Flag = False,
) -> int:
    """Report a match or a position again, without judging anything.

    Parameters
    ----------
    number
        The number of the match or position.
    html
        Write a self-contained HTML report to this file.
    statistics
        Print all totals, too: of the match, or of each game as well.
    json
        Print one JSON object, as `analyse --json` does.
    """
    if html is not None:
        check_target(html, "--html", ".html", ".htm")
    analysed = _library().numbered(number)
    from sixprime.report import render_html, render_terminal, to_dict

    if html is not None:
        from sixprime.paths import write

        must_write_files()
        write(html, render_html(analysed))
        note(f"Report: {html}")
    if json:
        print_json(to_dict(analysed))
    elif analysed.match.only_position is not None:
        from sixprime.report.library import render_position
        from sixprime.store.positions import note_of

        render_position(analysed.decisions[0], note=note_of(analysed))
    else:
        render_terminal(analysed, statistics=statistics)
    return 0


@library.command(help_epilogue=example("library save 12 match.sgf"))
def save(number: Annotated[int, whole(1)], file: Path, /) -> int:
    """Write a match or a position to a file in the format of its suffix; .sgf and .sixprime hold the analysis.

    Parameters
    ----------
    number
        The number of the match or position.
    file
        The file to write.
    """
    from sixprime.batch import KEPT, check_save, save_analysis
    from sixprime.formats import format_for, write

    check_target(file, "FILE")
    analysed = _library().numbered(number)
    if file.suffix.lower() in (".sgf", KEPT):
        check_save(file, analysed.match)
        save_analysis(analysed, file)
    else:
        format = format_for(None, file)
        if file.exists():
            raise UsageError(f"{file} is there already; name another file")
        write(analysed.match, file, format)
    note(f"{file}: {'match' if analysed.match.only_position is None else 'position'} {number}")
    return 0


@library.command(help_epilogue=example("library rename annie Ann"))
def rename(name: str, new: str, /) -> int:
    """Give a player another name; where somebody has it, both are one player from now on.

    Matches that are added later under the former name are counted for him, too. Reports keep the names of the files.

    Parameters
    ----------
    name
        The player.
    new
        The new name.
    """
    note(f"{name} is {_library().rename(name, new)} now")
    return 0


@library.command(help_epilogue=example("library tag league 12 12.3.14:1"))
def tag(name: str, /, *what: str, off: Flag = False) -> int:
    """Give matches, positions or turns a tag, by which `find` and `stats` know them.

    Parameters
    ----------
    name
        The tag, any text.
    what
        Matches and positions by number, such as 12, and turns by match, game and move, such as 12.3.14, or 12.3.14:2
        for the second player's.
    off
        Take the tag away.
    """
    from sixprime.store.decisions import Turn

    if not what:
        raise UsageError("name what gets the tag: a match such as 12, or a turn such as 12.3.14:1")
    turns = [Turn.parse(word) for word in what]
    changed = _library().tag(turns, name, on=not off)
    note(f"{changed} of {len(turns)} changed")
    return 0


@library.command(help_epilogue=example("library tags"))
def tags(*, json: Flag = False) -> int:
    """List the tags, and how many matches and turns have each.

    Parameters
    ----------
    json
        Print one JSON object per tag.
    """
    for name, number in _library().tags():
        if json:
            print_json({"tag": name, "count": number})
        else:
            print(f"{number:6d}  {name}")
    return 0


@library.command(help_epilogue=example("library remove 12"))
def remove(*numbers: Annotated[int, whole(1)]) -> int:
    """Take matches and positions out, with their analyses and tags.

    Parameters
    ----------
    numbers
        The numbers of the matches and positions.
    """
    if not numbers:
        raise UsageError("name the numbers of the matches, as sixprime library matches lists them")
    shelf = _library()
    there = {
        each.number: (each.checksum, f"match {each.number}: {' - '.join(side.name for side in each.sides)}")
        for each in shelf.matches()
    }
    for noted in shelf.positions():
        there[noted.found.match] = noted.found.checksum, f"position {noted.found.match}"
    if missing := [number for number in numbers if number not in there]:
        raise SettingsError(f"there is no match {missing[0]} in the library; nothing was taken out")
    for number in dict.fromkeys(numbers):
        digest, name = there[number]
        shelf.remove(shelf.sound(digest, number))
        note(f"{name} taken out")
    return 0


def _library() -> Library:
    from sixprime.store.library import Library

    return Library()


def _print(told: Sequence[dict[str, Any]], render: Callable[[Sequence[dict[str, Any]]], None], json: bool) -> None:
    """Prints objects, or a table of them."""
    if not json:
        render(told)
        return
    for each in told:
        print_json(each)


def _learn(questions: Sequence[Question], *, quiz: bool, cards: Path | None) -> None:
    """Puts questions where they are asked."""
    if quiz:
        from sixprime.codec import Kept
        from sixprime.learn.deck import Deck

        Kept.of_user("quiz.sixprime", Deck()).change(lambda deck: deck.added(questions))
        note(f"{len(questions)} question{'' if len(questions) == 1 else 's'} in your quiz")
    if cards is not None:
        from sixprime.report.cards import write_cards

        number = write_cards(questions, cards, name=f"Sixprime::{cards.stem}", now=time.time())
        note(f"{cards}: {number} card{'' if number == 1 else 's'}")
