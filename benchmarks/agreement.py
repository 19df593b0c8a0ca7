"""How far our verdicts on real matches are from those of eXtreme Gammon in the same files.

Every match of the folders that holds its analysis is judged here, too. A row is a player of a match: the performance
rating of our values and of theirs, both counted by our rules, so that only the judgement differs. The files hold no
rating of their own, but what each decision lost: that theirs are read right is seen in `stored`, the sum of what the
file says, against the sum of what our rules make of their values (`read`).

Afterwards the mean gap without its sign, with it (ours less theirs), and the share of players within a point: of all,
and by how closely eXtreme Gammon looked (most of its plays, ours being a ply less in number: its 2-ply is 1-ply here).
With --second a level is named on which we judge again what is marked as doubtful or worse. --rollout rolls out, in so
many games each, the plays whose loss is .02 or more apart, and prints what they lose by both of us and by the rollouts:
against our best play and against theirs, which are chosen beforehand, so that no noise is picked.
"""

from __future__ import annotations

import argparse
import struct
import sys
from collections import Counter
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

import _main

from sixprime import Engine, analyse
from sixprime.analysis.depth import Depth
from sixprime.analysis.foreign import foreign, sources
from sixprime.analysis.model import Decision, DecisionKind
from sixprime.engine.filters import get_filter
from sixprime.engine.presets import get_preset
from sixprime.errors import SixprimeError
from sixprime.formats import read_all
from sixprime.formats._text import Document
from sixprime.formats._xg_write import RECORD, UNJUDGED
from sixprime.formats.xg import _Archive
from sixprime.game import Match
from sixprime.game.match_rules import quiet

APART = 0.02
DEEP = ("4-ply", "XG Roller", "XG Roller+", "XG Roller++", "Rollout")


class Row(NamedTuple):
    """A player: ratings, how most plays were judged by them, and their losses by the file and by our reading."""

    theirs: float
    ours: float
    depth: str
    stored: float
    read: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "folders", nargs="+", type=_main.folder, help="of .xg files, looked through with what is inside them"
    )
    parser.add_argument("--plies", type=int, default=2, help="how far we look ahead (%(default)s)")
    parser.add_argument("--rollout", type=int, metavar="GAMES", help="roll out the plays in which we differ")
    parser.add_argument("--second", help="a level that judges again what is marked")
    options = parser.parse_args()
    engine = Engine(plies=options.plies)
    second = None
    if options.second is not None:
        level = get_preset(options.second)
        second = Depth(level.plies, level.plies, get_filter(level.filter).text)
    found: list[Row] = []
    apart: list[tuple[str, Decision, Decision]] = []
    print("| file | player | their depth | stored | read | theirs | ours | gap |\n|---|---|---|---|---|---|---|---|")
    for path in sorted(path for folder in options.folders for path in folder.rglob("*.xg")):
        try:
            stored = _stored(path)
            matches = read_all(path)
            rows = [row for match in matches for row in _rows(match, engine, second, stored, apart)]
        except SixprimeError as error:
            print(f"{path.name}: {error}", file=sys.stderr)
            continue
        for number, row in enumerate(rows, 1):
            found.append(row)
            losses = f"{row.stored:.3f} | {row.read:.3f}"
            ratings = f"{row.theirs:.2f} | {row.ours:.2f} | {row.ours - row.theirs:+.2f}"
            print(f"| {path.stem} | {number} | {row.depth} | {losses} | {ratings} |", flush=True)
    if not found:
        sys.exit("no file holds an analysis by eXtreme Gammon")
    deep = [row for row in found if row.depth in DEEP]
    shallow = [row for row in found if row.depth not in DEEP]
    print(f"\nours at {options.plies}-ply{f', doubtful ones at {options.second}' if options.second else ''}")
    for name, rows in (("all", found), ("theirs 4-ply or rolled out", deep), ("theirs less deep", shallow)):
        if rows:
            gaps = [row.ours - row.theirs for row in rows]
            near = sum(abs(gap) <= 1 for gap in gaps)
            print(
                f"{name}: {len(gaps)} players, mean gap {fmean(map(abs, gaps)):.2f}, with its sign {fmean(gaps):+.2f}, "
                f"{near} within 1 PR ({near / len(gaps):.0%})"
            )
    if options.rollout is not None:
        for name, deeply in (("theirs 4-ply or rolled out", True), ("theirs less deep", False)):
            _roll_out(engine, name, [pair for depth, *pair in apart if (depth in DEEP) == deeply], options.rollout)


def _roll_out(engine: Engine, name: str, pairs: list[list[Decision]], games: int) -> None:
    """Prints what plays lose by us, by them, and by rollouts."""
    sums = [0.0] * 4
    for ours, theirs in pairs:
        assert ours.played is not None
        assert ours.dice is not None
        chosen = [ours.plays[ours.played].play, ours.plays[0].play, theirs.plays[0].play]
        plays = list({play.result: play for play in chosen}.values())
        state = quiet(ours.state.with_dice(None))
        rolled = engine.rollout_plays(
            ours.position, ours.dice, plays, match=state, trials=games, truncation=14, truncation_plies=1
        )
        worth = {estimate.label: estimate.equity for estimate in rolled.ranked}
        made, *best = (worth[str(next(p for p in plays if p.result == play.result))] for play in chosen)
        for index, loss in enumerate((ours.error, theirs.error, best[0] - made, best[1] - made)):
            sums[index] += loss
    print(
        f"{name}: {len(pairs)} plays apart by {APART} or more lose {sums[0]:.2f} by us, {sums[1]:.2f} by them; rolled "
        f"out {sums[2]:.2f} against our best play, {sums[3]:.2f} against theirs",
        flush=True,
    )


def _rows(
    match: Match,
    engine: Engine,
    second: Depth | None,
    stored: tuple[float, float],
    apart: list[tuple[str, Decision, Decision]],
) -> list[Row]:
    """Each player; nothing of a match without their analysis, or a position. apart: gets the plays that we judge
    otherwise, with how closely they looked."""
    source = next((name for name in sources(match) if name.startswith("eXtreme Gammon")), None)
    if source is None or match.only_position is not None:
        return []
    actions = [action for game in match.games for action in game.actions]
    told = [each for action in actions for each in action.analyses if each.source == source and each.plays]
    depths = Counter(each.plays[0].method.name for each in told)
    del depths["Book"]
    theirs, ours = foreign(match, source), analyse(match, engine, plies=engine.plies, second=second)
    depth = depths.most_common(1)[0][0]
    known = {(each.game, each.action): each for each in theirs.decisions if each.kind is DecisionKind.PLAY}
    for decision in ours.decisions:
        other = known.get((decision.game, decision.action)) if decision.kind is DecisionKind.PLAY else None
        if other is not None and decision.counted and other.counted and abs(decision.error - other.error) >= APART:
            apart.append((depth, decision, other))
    pairs = zip(theirs.statistics, ours.statistics, stored, strict=True)
    return [
        Row(one.pr, other.pr, depth, lost, one.error_total)
        for one, other, lost in pairs
        if one.decisions and other.decisions
    ]


def _stored(path: Path) -> tuple[float, float]:
    """What each player lost by the errors that the file holds."""
    lost = [0.0, 0.0]
    for record in _Archive(Document(path.read_bytes(), str(path))).records("temp.xg", RECORD):
        if len(record) < RECORD or record[8] not in (2, 3):
            continue
        player = int(struct.unpack_from("<i", record, 64 if record[8] == 3 else 12)[0] < 0)
        places = [(2312, player)] if record[8] == 3 else [(200, player), (216, 1 - player)]
        for place, who in places:
            (error,) = struct.unpack_from("<d", record, place)
            lost[who] += abs(error) if error > UNJUDGED else 0.0
    return lost[0], lost[1]


if __name__ == "__main__":
    _main.run(main)
