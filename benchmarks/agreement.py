"""How far our verdicts on real matches are from those of eXtreme Gammon in the same files.

Every match of the folders that holds its analysis is judged here, too. A row is a player of a match: the performance
rating of our values and of theirs, both counted by our rules, so that only the judgement differs. Afterwards the mean
gap without its sign, the mean gap with it (ours less theirs) and the share of players within a point.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from statistics import fmean

from sixprime import Engine, analyse
from sixprime.analysis.foreign import foreign, sources
from sixprime.errors import SixprimeError
from sixprime.formats import read_all
from sixprime.game import Match


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path, help="of .xg files, looked through with what is inside them")
    parser.add_argument("--plies", type=int, default=2, help="how far we look ahead (%(default)s)")
    options = parser.parse_args()
    engine = Engine(plies=options.plies)
    gaps: list[float] = []
    print("| file | player | theirs | ours | gap |\n|---|---|---|---|---|", flush=True)
    for path in sorted(path for folder in options.folders for path in folder.rglob("*.xg")):
        try:
            matches = read_all(path)
            rows = [row for match in matches for row in _rows(match, engine)]
        except SixprimeError as error:
            print(f"{path.name}: {error}", file=sys.stderr)
            continue
        for number, (theirs, ours) in enumerate(rows, 1):
            gaps.append(ours - theirs)
            print(f"| {path.stem} | {number} | {theirs:.2f} | {ours:.2f} | {ours - theirs:+.2f} |", flush=True)
    if not gaps:
        sys.exit("no file holds an analysis by eXtreme Gammon")
    near = sum(abs(gap) <= 1 for gap in gaps)
    print(
        f"\n{len(gaps)} players at {options.plies}-ply: mean gap {fmean(map(abs, gaps)):.2f}, with its sign "
        f"{fmean(gaps):+.2f}, {near} within 1 PR ({near / len(gaps):.0%})"
    )


def _rows(match: Match, engine: Engine) -> list[tuple[float, float]]:
    """Their PR and ours of each player; nothing of a match without their analysis, or a position."""
    source = next((name for name in sources(match) if name.startswith("eXtreme Gammon")), None)
    if source is None or match.only_position is not None:
        return []
    theirs, ours = foreign(match, source), analyse(match, engine, plies=engine.plies)
    pairs = zip(theirs.statistics, ours.statistics, strict=True)
    return [(one.pr, other.pr) for one, other in pairs if one.decisions and other.decisions]


if __name__ == "__main__":
    main()
