"""Rolls out the 15 openings and the replies to their best plays: the data behind `sixprime.learn.openings`.

roll DIR: every opening roll, then every roll of the opponent after the play that came out best and after those that
lost little. The candidates are the plays that a 2-ply search finds within reach of the best; those clearly behind are
given up early (`stop_jsd`). Every rollout is a file in DIR, so that the work may be interrupted and goes on; with more
trials it extends what is there.
write DIR: puts what DIR holds into the package, or into the file named by --to; plays to which some replies are still
missing go without.
beside --player NAME...: which of the book's plays somebody else chooses, and what he loses by the book, in thousandths.
published DIR: the same of the plays that Bagai's FlashBack shows, which eXtreme Gammon rolled out; DIR is a clone of
github.com/Fortuitous/FlashbackPWA2. All replies of the book count, and what its best play loses there. With --player
NAME... what players lose there.
compare --to FILE: what another book of that score, written on the same dice, says otherwise, and how far equities of
both are from those of their replies.

--score says whose game it is (`sixprime.learn.openings.SCORES`); every score has a folder in DIR. Cubeful, one thread;
trial i depends on the seed and i alone.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Any

import _main

os.environ["OPENBLAS_NUM_THREADS"] = "1"

if TYPE_CHECKING:
    from sixprime import Engine, MatchState, Position, RolloutResult, RolloutSettings
    from sixprime.learn.openings import BookRoll
    from sixprime.train.truth import TruthRow

ROLLS = [(high, low) for high in range(1, 7) for low in range(1, high + 1)]
OPENINGS = [roll for roll in ROLLS if roll[0] != roll[1]]
DEPTH = 2
REACH = {True: (0.08, 7), False: (0.06, 5)}
"""For openings and for replies: how far behind the best a candidate may be by the search, and how many there may be."""
HOW = {"truncation": 10, "truncation_plies": 0, "stop_jsd": 3.0}
SHIPPED = Path(__file__).parents[1] / "src/sixprime/learn/data"


def name_of(position: Position, dice: tuple[int, int]) -> str:
    return f"{position.id.replace('/', '_')}-{dice[0]}{dice[1]}.npz"


def rolled(
    folder: Path,
    engine: Engine | None,
    position: Position,
    dice: tuple[int, int],
    state: MatchState,
    settings: RolloutSettings | None,
) -> RolloutResult | None:
    """The rollout of one decision as far as it is asked for; without an engine what there is."""
    from sixprime import DataFileError
    from sixprime import Position as Positions
    from sixprime.engine.rollout_result import load

    path = folder / name_of(position, dice)
    try:
        found = load(path) if path.exists() else None
    except DataFileError as error:
        sys.exit(f"{error}; without that file it is rolled out anew")
    if engine is None or settings is None:
        return found
    if found is not None and _way(found.settings) != _way(settings):
        sys.exit(f"{path} was rolled out in another way, with the seed {found.settings.seed}; name another folder")
    if found is None:
        reach, most = REACH[position == Positions.start()]
        ranked = engine.best_plays(position, dice, match=state, plies=DEPTH, count=most)
        near = [each.play for number, each in enumerate(ranked) if number < 2 or each.equity_loss <= reach]
        found = engine.rollout_plays(position, dice, near, match=state, settings=settings)
    elif not found.finished or (found.settings != settings and found.settings.trials <= settings.trials):
        limits = {name: getattr(settings, name) for name in ("trials", "stop_jsd", "minimum")}
        found = engine.extend_rollout(found, **limits)
    else:
        return found
    if not found.finished:
        raise KeyboardInterrupt
    found.save(path)
    return found


def _way(settings: RolloutSettings) -> RolloutSettings:
    """How a play is rolled out, however long."""
    from dataclasses import replace

    return replace(settings, trials=1, minimum=2)


def walk(
    folder: Path,
    score: str,
    engine: Engine | None,
    opening: RolloutSettings | None,
    reply: RolloutSettings | None,
    near: float,
) -> Iterator[tuple[RolloutResult | None, int]]:
    """Every decision, replies after all openings, with how many there are. near: loss of a play that gets replies."""
    from sixprime import Position
    from sixprime.learn.openings import SCORES

    state, folder = SCORES[score], folder / score
    results = [rolled(folder, engine, Position.start(), roll, state, opening) for roll in OPENINGS]
    ranked = [estimate for result in results if result is not None for estimate in result.ranked]
    near_best = sorted((each for each in ranked if each.equity_loss <= near), key=lambda each: each.equity_loss > 0)
    # Two rolls may lead to the same position.
    after = dict.fromkeys(each.play.result for each in near_best if each.play is not None)
    count = len(OPENINGS) + len(after) * len(ROLLS)
    yield from ((result, count) for result in results)
    for position in after:
        for roll in ROLLS:
            yield rolled(folder, engine, position, roll, state.swapped(), reply), count


def roll_out(arguments: argparse.Namespace) -> None:
    from sixprime import Engine, RolloutSettings

    (arguments.folder / arguments.score).mkdir(parents=True, exist_ok=True)
    made = [
        RolloutSettings(trials=trials, seed=arguments.seed, **HOW, minimum=arguments.least)
        for trials in (arguments.openings, arguments.replies)
    ]
    with Engine(threads=1) as engine:
        steps = walk(arguments.folder, arguments.score, engine, *made, arguments.near)
        for number, (result, count) in enumerate(steps, 1):
            assert result is not None
            assert result.dice is not None
            best = result.best
            print(
                f"{number}/{count} {time.process_time():.0f} s {result.position.id} "
                f"{result.dice[0]}{result.dice[1]}: {best.label} {best.equity:+.4f} ±{best.equity_error:.4f}, "
                f"{len(result.estimates)} plays",
                file=sys.stderr,
                flush=True,
            )


def write(arguments: argparse.Namespace) -> None:
    from sixprime.learn.openings import file_of
    from sixprime.paths import replacing

    to = arguments.to or SHIPPED / file_of(arguments.score)
    found = [result for result, _ in walk(arguments.folder, arguments.score, None, None, None, arguments.near)]
    # A play has all its replies or none in the book.
    after = [found[first : first + len(ROLLS)] for first in range(len(OPENINGS), len(found), len(ROLLS))]
    groups = [found[: len(OPENINGS)], *(group for group in after if None not in group)]
    results = [result for group in groups for result in group if result is not None]
    if None in groups[0]:
        sys.exit(f"{arguments.folder / arguments.score} does not hold all openings; go on with: roll")
    engines = {result.engine for result in results}
    ways = {_way(result.settings) for result in results}
    if len(engines) > 1 or len(ways) > 1:
        sys.exit(f"{arguments.folder} holds rollouts that were made in different ways")
    settings = results[0].settings
    with replacing(to) as path:
        head = {
            "format": 1,
            "score": arguments.score,
            "engine": results[0].engine,
            "seed": settings.seed,
            **{name: getattr(settings, name) for name in HOW},
        }
        lines = [json.dumps(_row(result), separators=(",", ":")) for result in results]
        text = json.dumps(head)[:-1] + ', "decisions": [\n' + ",\n".join(lines) + "\n]}\n"
        path.write_text(text, encoding="utf-8")
    missing = len(found) - len(results)
    print(
        f"{to}: {len(lines)} decisions, {to.stat().st_size:,} bytes" + (f"; {missing} are missing" if missing else "")
    )


def _row(result: RolloutResult) -> list[object]:
    assert result.dice is not None
    plays = [
        [
            each.label,
            *(round(number, 4) for number in (each.equity, each.equity_error, each.equity_loss, each.loss_error)),
            each.trials,
            *(round(float(chance), 4) for chance in each.probabilities),
        ]
        for each in result.ranked
    ]
    return [result.position.id, f"{result.dice[0]}{result.dice[1]}", plays]


def beside(arguments: argparse.Namespace) -> None:
    import _measure

    from sixprime.learn import opening_book
    from sixprime.players.lobby import Lobby
    from sixprime.train.truth import charge

    if not arguments.player:
        sys.exit("nobody is to be asked; name players: --player NAME")
    book = opening_book(arguments.score)
    best = [book.replies_to(opening.best.play) for opening in book.openings]
    parts = {
        "openings": list(book.openings),
        "replies to the best of them": [roll for replies in best for roll in replies],
    }
    rows = [["player", "", *_COUNTED]]
    for name in arguments.player:
        bot = Lobby(threads=1, gnubg=arguments.gnubg).bot(name)
        try:
            for part, rolls in parts.items():
                charges = charge(bot, [_question(roll) for roll in rolls])
                chosen = [
                    [play.equity_loss for play in roll.plays].index(each.loss) if each.known else None
                    for roll, each in zip(rolls, charges, strict=True)
                ]
                rows.append([name, part, *_counted(rolls, chosen)])
        finally:
            bot.close()
    _measure.show({"score": arguments.score, "rows": rows[1:]}, False, f"{arguments.score}: ", rows)


_COUNTED = ["decisions", "the book's best", "close to it", "surely worse", "not rolled out", "lost"]


def _counted(rolls: list[BookRoll], chosen: list[int | None]) -> list[str]:
    """How good the chosen plays are, by their places in the book; None for what was not rolled out."""
    from sixprime import Position

    close = sum(each is not None and 0 < each < len(roll.close) for roll, each in zip(rolls, chosen, strict=True))
    best, unknown = chosen.count(0), chosen.count(None)
    losses = [
        REACH[roll.position == Position.start()][0] if each is None else roll.plays[each].equity_loss
        for roll, each in zip(rolls, chosen, strict=True)
    ]
    counts = len(rolls), best, close, len(rolls) - best - close - unknown, unknown
    return [*map(str, counts), f"{1000 * fmean(losses):.2f}"]


def published(arguments: argparse.Namespace) -> None:
    import _measure

    from sixprime.learn import opening_book
    from sixprime.players.lobby import Lobby
    from sixprime.train.truth import charge

    book, theirs = opening_book(arguments.score), _flashback(arguments.folder)
    parts = {"openings": book.openings, "replies": [roll for opening in book.replies.values() for roll in opening]}
    rows = [["", *_COUNTED, "the book's best loses there", "losses differ by"]]
    for part, rolls in parts.items():
        known = [(roll, theirs[key]) for roll in rolls if (key := _key(roll.position, roll.state, roll.dice)) in theirs]
        if not known:
            continue
        chosen, lost, gaps = [], [], []
        for roll, plays in known:
            top = max(plays.values())
            ours = [each.play.result for each in roll.plays]
            chosen.append(next((place for place, after in enumerate(ours) if plays.get(after) == top), None))
            lost.append(top - plays.get(ours[0], min(plays.values())))
            gaps += [
                top - plays[each.play.result] - each.equity_loss for each in roll.plays[1:] if each.play.result in plays
            ]
        spread = 1000 * math.sqrt(fmean(gap * gap for gap in gaps))
        counted = _counted([roll for roll, _ in known], chosen)
        rows.append([part, *counted, f"{1000 * fmean(lost):.2f}", f"{spread:.1f}"])
    _measure.show({"score": arguments.score, "rows": rows[1:]}, False, f"{arguments.score}: ", rows)
    if arguments.player:
        questions = _questions_there(theirs, arguments.score)
        rows = [["player", "replies", "the best there", "not there", "lost"]]
        for name in arguments.player:
            bot = Lobby(threads=1, gnubg=arguments.gnubg).bot(name)
            try:
                charges = charge(bot, questions)
            finally:
                bot.close()
            losses = [1000 * each.loss for each in charges]
            error = stdev(losses) / math.sqrt(len(losses))
            counts = len(charges), losses.count(0), sum(not each.known for each in charges)
            rows.append([name, *map(str, counts), f"{fmean(losses):.2f} ± {error:.2f}"])
        _measure.show(
            {"score": arguments.score, "rows": rows[1:]}, False, f"{arguments.score}, by what is there: ", rows
        )


def _questions_there(theirs: dict[_Key, dict[Position, float]], score: str) -> list[TruthRow]:
    """All replies of FlashBack at a score, to be asked of a player; what is not there loses as much as the worst."""
    from sixprime import Position
    from sixprime.learn.openings import SCORES
    from sixprime.train.truth import Alternative, TruthRow

    state = SCORES[score].swapped()
    opened = {play.result for roll in OPENINGS for play in Position.start().plays(roll)}
    rows = []
    for (position, there, dice), plays in theirs.items():
        if position not in opened or there != _key(position, state, dice)[1]:
            continue
        top = max(plays.values())
        ranked = sorted(plays.items(), key=lambda each: -each[1])
        alternatives = [Alternative("", after.id, worth, 0.0, top - worth, 0.0, 0) for after, worth in ranked]
        rows.append(TruthRow(position, state, dice, "opening", "published", tuple(alternatives), top - ranked[-1][1]))
    return rows


_Key = tuple["Position", tuple[object, ...], tuple[int, int]]


def _key(position: Position, state: MatchState, dice: tuple[int, int]) -> _Key:
    """A decision, whatever the players' numbers."""
    own, other = state.score[state.on_roll], state.score[not state.on_roll]
    return position, (state.length, own, other, state.crawford), (max(dice), min(dice))


def _flashback(folder: Path) -> dict[_Key, dict[Position, float]]:
    """The equities of FlashBack's plays of the first two rolls, by the positions after them."""
    from sixprime.game.ids import decode_xgid
    from sixprime.game.play import parse_play

    where, what = ((folder / "js/Flashcard" / name) for name in ("PlayPosition.js", "Play.js"))
    found: dict[_Key, dict[Position, float]] = {}
    asked = {}
    made = re.compile(r'^PlayPosition\[(\d+)\] = new makePlayPosition\("([^"]+)"', re.M)
    for number, id in made.findall(where.read_text("utf-8")):
        position, state = decode_xgid(f"XGID={id}")
        if state.dice is not None and state.cube == 1:
            key = _key(position, state, state.dice)
            asked[number] = key, found.setdefault(key, {})
    made = re.compile(r'^Play\[(\d+)\]\[\d+\] = new makePlay\(\d+, \d+, "([^"]+)", *([-+.\d]+)', re.M)
    for number, text, equity in made.findall(what.read_text("utf-8")):
        if number in asked:
            (position, _, dice), plays = asked[number]
            plays[parse_play(text, position, dice).result] = float(equity)
    return found


def _question(roll: BookRoll) -> TruthRow:
    """One roll of the book, to be asked of a player; what was not rolled out loses what a candidate may lose."""
    from sixprime import Position
    from sixprime.train.truth import Alternative, TruthRow

    reach, _ = REACH[roll.position == Position.start()]
    plays = tuple(
        Alternative(str(each.play), each.play.result.id, each.equity, 0.0, each.equity_loss, error, 0)
        for each, error in zip(roll.plays, roll.loss_errors, strict=True)
    )
    return TruthRow(roll.position, roll.state, roll.dice, "opening", "book", plays, reach)


def compare(arguments: argparse.Namespace) -> None:
    import _measure

    from sixprime.learn.openings import file_of

    if arguments.to is None:
        sys.exit("name the other book: --to FILE")
    ours, other = (_decisions(path) for path in (SHIPPED / file_of(arguments.score), arguments.to))
    both = [(ours[key], other[key]) for key in ours if key in other]
    again = sum(best(one) == best(two) for one, two in both)
    # A play that was best here and is surely worse there, by three standard errors.
    surely = sum(any(row[0] == best(one) and row[3] > 3 * row[4] for row in two) for one, two in both)
    losses = [
        (row[3] - there[3], math.hypot(row[4], there[4]))
        for one, two in both
        for row in one
        for there in two
        if row[0] == there[0] and (row[4] or there[4])
    ]
    moved = [two[0][1] - one[0][1] for one, two in both if best(one) == best(two)]
    found = {
        "decisions in both": len(both),
        "the same best": again,
        "another surely better": surely,
        "losses differ by so many joint standard errors": round(
            math.sqrt(fmean((gap / error) ** 2 for gap, error in losses)), 2
        ),
        "equities moved by": round(fmean(moved), 4),
        "equities beyond those of the replies": round(_beyond(ours), 4),
        "in the other book": round(_beyond(other), 4),
    }
    rows = [[name, str(value)] for name, value in found.items()]
    _measure.show(found, False, f"{arguments.score}: ", [["", ""], *rows])


def best(plays: list[Any]) -> str:
    """The play of a decision that is best."""
    return str(plays[0][0])


def _decisions(path: Path) -> dict[tuple[str, str], list[Any]]:
    """The plays of a book by position and roll, best first."""
    return {(id, dice): plays for id, dice, plays in json.loads(path.read_text(encoding="utf-8"))["decisions"]}


def _beyond(decisions: dict[tuple[str, str], list[Any]]) -> float:
    """How much more openings are worth than what their replies leave, on average."""
    from sixprime import Position
    from sixprime.game.play import parse_play

    start = Position.start()
    gaps = []
    for (id, dice), plays in decisions.items():
        for text, equity, *_ in plays if id == start.id else ():
            after = parse_play(text, start, (int(dice[0]), int(dice[1]))).result.id
            replies = [decisions.get((after, f"{high}{low}")) for high, low in ROLLS]
            ways = [2 if high != low else 1 for high, low in ROLLS]
            if None not in replies:
                gaps.append(equity + sum(n * each[0][1] for n, each in zip(ways, replies, strict=True) if each) / 36)
    return fmean(gaps)


def main() -> None:
    from sixprime.learn.openings import SCORES

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ways = {"roll": roll_out, "write": write, "beside": beside, "published": published, "compare": compare}
    parser.add_argument("what", choices=ways)
    parser.add_argument("folder", metavar="DIR", type=Path, nargs="?", default=Path("openings"))
    parser.add_argument("--player", action="append", default=[], help="whom to ask, as for `sixprime duel`; repeatable")
    parser.add_argument("--gnubg", help="where GNU Backgammon is; by default it is looked for")
    parser.add_argument("--score", choices=SCORES, default="money", help="whose game it is (%(default)s)")
    parser.add_argument("--openings", type=int, default=5184, help="trials of each opening play (%(default)s)")
    parser.add_argument("--replies", type=int, default=1296, help="trials of each reply (%(default)s)")
    parser.add_argument("--least", type=int, default=1296, help="trials before a play is given up (%(default)s)")
    parser.add_argument("--near", type=float, default=0.01, help="loss of an opening that gets replies (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of the dice (%(default)s)")
    parser.add_argument("--to", type=Path, help="the file that `write` makes (the package's own), or that is compared")
    arguments = parser.parse_args()
    try:
        ways[arguments.what](arguments)
    except KeyboardInterrupt:
        sys.exit("stopped; the same command goes on")


if __name__ == "__main__":
    _main.run(main)
