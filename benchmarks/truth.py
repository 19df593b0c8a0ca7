"""Makes the decisions by which engines are charged: close ones, rolled out until it is known which answer is right.

choose DIR: one close decision of every game of self-play at 0-ply (money with and without Jacoby, matches of many
lengths), and with --matches FOLDER of every game there; that of which there are fewest so far, by kind, plan and score.
--variant has another game played, --only plays or cubes chosen alone, or those plays (bear-in) in which the player
brings the last of his chequers home, or bears off, while a chequer of the opponent is still behind some of them.
doubt DIR: instead, the decisions of --to of which the standard error of a loss is still above --error.
again DIR: instead, those that were rolled out in other ways, too, to have that done by the nets of today.
roll DIR: cubeful rollouts to the end on common dice, first of all decisions with few games, then with more wherever an
alternative may still be the best and the standard error of its loss is above --error. Every tenth that was chosen also
with 1-ply play and with the net `small`. Stop it at any time; it goes on.
write DIR: puts what is settled, or was rolled out so many times as --stage, into the file --to, which `sixprime bench
--truth` reads; of what is there the rows with more games stay.
systematic: what rolling out in another way changes, of the rows of --to.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Any, NamedTuple

import _main

os.environ["OPENBLAS_NUM_THREADS"] = "1"

if TYPE_CHECKING:
    from sixprime import Engine, Match, MatchState, Position, RolloutResult

ROWS = Path(__file__).parents[1] / "tests/data/truth.jsonl"
LENGTHS = (0, -1, 7, 1, 5, 0, 3, -1, 9, 11)
"""Of the matches of self-play in turn; 0 is a money game, -1 one without Jacoby."""
CLOSE, REACH, MOST = 0.05, 0.06, 4
"""A play that loses less by a 2-ply search makes a decision close; so far behind, and so many, are rolled out."""
CLOSE_CUBE = 0.12
STAGES = (1296, 5184, 20736, 82944)
GIVEN_UP = 3.5
"""Joint standard errors behind the best, from where a play is not rolled out any more, but where rows are in doubt."""
SURE = 3.0
OTHERS = {"1-ply": ("standard", 1), "small": ("small", 0)}
EVERY, OTHER_TRIALS = 10, 1296


class Chosen(NamedTuple):
    """A decision to be rolled out. game: from which it is. plays: texts of those to be tried; none for a cube.

    again: whether it is rolled out in other ways, too.
    """

    game: int
    xgid: str
    plan: str
    source: str
    plays: tuple[str, ...]
    rest: float | None
    again: bool = False


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["choose", "doubt", "again", "roll", "write", "systematic"])
    parser.add_argument("folder", metavar="DIR", type=Path, nargs="?", default=Path("truth"))
    parser.add_argument("--count", type=int, default=1000, help="decisions, half of them cubes (%(default)s)")
    parser.add_argument("--matches", type=_main.folder, help="folder of real matches, which give every other decision")
    parser.add_argument("--variant", choices=("standard", "nackgammon"), default="standard", help="of self-play")
    parser.add_argument("--only", choices=("plays", "cubes", "bear-in"), help="what is chosen; plays and cubes in turn")
    parser.add_argument("--error", type=float, default=0.004, help="standard error of a loss (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of self-play and of the dice (%(default)s)")
    parser.add_argument("--stage", type=int, choices=STAGES, default=STAGES[2], help="most games (%(default)s)")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--executor", help="Dask cluster that plays the games")
    parser.add_argument("--to", type=Path, default=ROWS, help="file of rows (%(default)s)")
    arguments = parser.parse_args()
    if arguments.what in ("choose", "doubt", "again"):
        arguments.folder.mkdir(parents=True, exist_ok=True)
    try:
        globals()[arguments.what](arguments)
    except KeyboardInterrupt:
        sys.exit("stopped; the same command goes on")


# -- choosing ------------------------------------------------------------------------------------


def choose(arguments: argparse.Namespace) -> None:
    from sixprime import Engine

    have = list(_chosen(arguments.folder))
    seen, known = Counter(_kind(each) for each in have), {each.xgid for each in have}
    files = _files(arguments.matches, arguments.seed) if arguments.matches else []
    game = have[-1].game + 1 if have else 0
    try:
        with Engine(threads=arguments.threads, plies=0) as engine:
            while len(have) < arguments.count:
                path = files[game // 2] if game % 2 and game // 2 < len(files) else None
                match = _real(path) if path else _self_play(engine, arguments.seed + game, arguments.variant)
                if match is not None:
                    only = arguments.only or ("plays", "cubes")[len(have) % 2]
                    close = _close(engine, match, game, "match" if path else "self-play", only)
                    fresh = [each for each in close if each.xgid not in known]
                    if fresh:
                        rarest = min(fresh, key=lambda each: seen[_kind(each)])
                        have.append(rarest._replace(again=len(have) % EVERY == 0))
                        seen[_kind(have[-1])] += 1
                        known.add(have[-1].xgid)
                        if len(have) % 20 == 0:
                            print(f"{len(have)} of {arguments.count}", file=sys.stderr, flush=True)
                game += 1
    finally:
        # Whoever stops it goes on after the last game.
        _choose(arguments.folder, have)
    for kind, count in sorted(seen.items()):
        print(f"{count:5} {kind}")


def doubt(arguments: argparse.Namespace) -> None:
    have = list(_chosen(arguments.folder))
    known = {each.xgid for each in have}
    for xgid, row in _rows(arguments.to).items():
        found, again = row["alternatives"], arguments.what == "again"
        plays = tuple(label for label, result, *_ in found if result)
        kind = "cubes" if not plays else "bear-in" if row["plan"] == "bear-in" else "plays"
        wanted = "again" in row if again else not _settled(found, arguments.error)
        if wanted and arguments.only in (None, kind) and xgid not in known:
            have.append(Chosen(len(have), xgid, row["plan"], row["source"], plays, row["rest"], again))
    _choose(arguments.folder, have)
    print(f"{len(have)} decisions")


again = doubt  # both choose among what has been rolled out


def _choose(folder: Path, chosen: list[Chosen]) -> None:
    from sixprime.paths import replacing

    with replacing(folder / "decisions.jsonl") as path:
        path.write_text("".join(json.dumps(each._asdict()) + "\n" for each in chosen), encoding="utf-8")


def _kind(each: Chosen) -> str:
    from sixprime.game.ids import parse
    from sixprime.train.truth import score_of

    return f"{'play' if each.plays else 'cube'}, {each.plan}, {score_of(parse(each.xgid).state)}"


def _self_play(engine: Engine, seed: int, variant: str) -> Match:
    from sixprime.game.match_rules import Rules
    from sixprime.play import Automation, EngineSeat, SeededDice, Session

    length = LENGTHS[seed % len(LENGTHS)]
    rules = Rules(max(0, length), variant, jacoby=length != -1)
    seats = EngineSeat(engine, "Ann"), EngineSeat(engine, "Bob")
    session = Session(seats, rules, dice=SeededDice(seed), automation=Automation(next_game=length > 0))
    session.advance()
    return session.record()


def _files(folder: Path, seed: int) -> list[Path]:
    files = sorted(path for path in folder.rglob("*") if path.suffix in (".xg", ".mat", ".sgf"))
    random.Random(seed).shuffle(files)
    return files


def _real(path: Path) -> Match | None:
    from sixprime import SixprimeError, read

    try:
        match = read(path)
    except SixprimeError as error:
        print(f"{path.name}: {error}", file=sys.stderr)
        return None
    return match if match.variant == "standard" else None


def _bears_in(position: Position) -> bool:
    """Whether all of the player's chequers are on his side of the board, with a chequer of the opponent behind some."""
    highest, other = (
        max((point for point, count in enumerate(side, 1) if count), default=0)
        for side in (position.player, position.opponent)
    )
    return highest <= 12 and highest + other > 25


def _close(engine: Engine, match: Match, number: int, source: str, only: str) -> Iterator[Chosen]:
    """The close decisions of one game of a match, drawn by what it is."""
    from sixprime.analysis.model import Phase
    from sixprime.analysis.situations import phase_of, plan_of
    from sixprime.cube.state import CubeState
    from sixprime.game.ids import encode_xgid
    from sixprime.game.record import ActionKind

    games = [game for game in match.games if len(game.actions) > 8]
    if not games:
        return
    for action in random.Random(number).choice(games).actions:
        position, state = action.position, action.state
        if position is None or state is None or action.kind not in (ActionKind.MOVE, ActionKind.DOUBLE):
            continue
        if only == "bear-in":
            if not _bears_in(position):
                continue
        elif phase_of(position, 9, from_start=False) is Phase.BEAR_OFF:
            continue
        plan = "bear-in" if only == "bear-in" else plan_of(position).value
        if only == "cubes":
            plain = state.with_dice(None)
            if CubeState.from_match(plain).can_double and _near_cube(engine, position, plain):
                yield Chosen(number, encode_xgid(position, plain), plan, source, (), None)
        elif action.kind is ActionKind.MOVE and action.dice:
            ranked = engine.best_plays(position, action.dice, match=state, plies=0)
            if len(ranked) < 2 or ranked[1].equity_loss > 2 * CLOSE:
                continue
            ranked = engine.best_plays(position, action.dice, match=state, plies=2)
            near = [play for play in ranked if play.equity_loss <= REACH][:MOST]
            if len(near) > 1 and near[1].equity_loss <= CLOSE:
                rest = ranked[len(near)].equity_loss if len(ranked) > len(near) else None
                texts = tuple(str(play.play) for play in near)
                xgid = encode_xgid(position, state.with_dice(action.dice))
                yield Chosen(number, xgid, plan, source, texts, rest and round(rest, 4))


def _near_cube(engine: Engine, position: Position, state: MatchState) -> bool:
    def near(plies: int, reach: float) -> bool:
        action = engine.cube_action(position, match=state, plies=plies)
        keep, take = action.no_double, action.double_take
        return take is not None and (abs(keep - min(take, 1.0)) < reach or abs(take - 1.0) < reach)

    return near(0, 1.5 * CLOSE_CUBE) and near(2, CLOSE_CUBE)


def _chosen(folder: Path) -> Iterator[Chosen]:
    path = folder / "decisions.jsonl"
    if path.exists():
        for line in path.read_text(encoding="utf-8").splitlines():
            plain = json.loads(line)
            yield Chosen(**plain | {"plays": tuple(plain["plays"])})


# -- rolling out ---------------------------------------------------------------------------------


def roll(arguments: argparse.Namespace) -> None:
    from sixprime import Engine

    chosen = list(_chosen(arguments.folder))
    if not chosen:
        sys.exit(f"{arguments.folder} holds no decisions; first: choose")
    rows = _rows(arguments.to)
    known = {xgid for xgid, row in rows.items() if _settled(row["alternatives"], arguments.error)}
    games = {xgid: max(trials for *_, trials in row["alternatives"]) for xgid, row in rows.items()}
    engines = {
        net: Engine(net, threads=arguments.threads, executor=arguments.executor) for net in ("standard", "small")
    }
    begun = time.monotonic()
    for stage in (stage for stage in STAGES if stage <= arguments.stage):
        for number, each in enumerate(chosen):
            if each.again and stage == STAGES[0]:
                for name, (net, plies) in OTHERS.items():
                    other = _file(arguments.folder, number, name)
                    if not other.exists():
                        _rolled(engines[net], each, None, OTHER_TRIALS, other, plies, arguments.seed)
                        print(f"{number} {name} {time.monotonic() - begun:.0f} s", file=sys.stderr, flush=True)
            if each.xgid in known or stage <= games.get(each.xgid, 0):
                continue
            path = _file(arguments.folder, number)
            found = _loaded(path)
            if found is None or not (_settled(_plain(found), arguments.error) or found.trials >= stage):
                doubted = each.xgid in rows
                found = _rolled(engines["standard"], each, found, stage, path, 0, arguments.seed, doubted)
                told = "; ".join(
                    f"{e.label} {e.equity:+.4f} -{e.equity_loss:.4f} ±{e.loss_error:.4f}" for e in found.ranked
                )
                print(f"{number} {stage} {time.monotonic() - begun:.0f} s: {told}", file=sys.stderr, flush=True)


def _file(folder: Path, number: int, how: str = "") -> Path:
    return folder / f"{number:05}{how and '-' + how}.npz"


def _loaded(path: Path) -> RolloutResult | None:
    from sixprime.engine.rollout_result import load

    return load(path) if path.exists() else None


def _rolled(
    engine: Engine,
    each: Chosen,
    found: RolloutResult | None,
    trials: int,
    path: Path,
    plies: int,
    seed: int,
    doubted: bool = False,
) -> RolloutResult:
    from sixprime import Play, RolloutSettings, parse_play
    from sixprime.engine.rollout_settings import PlayerSettings
    from sixprime.game.ids import parse

    position, state, dice = parse(each.xgid)
    if found is not None:
        found = engine.extend_rollout(found, trials=trials)
    else:
        player = PlayerSettings(plies=plies, cube_plies=plies)
        limit = GIVEN_UP if each.plays and not doubted else None
        settings = RolloutSettings(
            trials=trials, seed=seed, players=(player, player), stop_jsd=limit, minimum=STAGES[0]
        )
        if dice:
            plays: list[Play] = [parse_play(text, position, dice) for text in each.plays]
            found = engine.rollout_plays(position, dice, plays, match=state, settings=settings)
        else:
            found = engine.rollout_cube(position, match=state, settings=settings)
    if not found.finished:
        raise KeyboardInterrupt
    found.save(path)
    return found


def _settled(rows: list[list[Any]], error: float) -> bool:
    """Whether it is known which alternative is best, or hardly matters; rows: as `_plain` makes them."""
    if rows[0][1] is not None:
        return all(loss_error <= error or loss > SURE * loss_error for *_, loss, loss_error, _ in rows[1:])
    (_, _, keep, keep_error, _, first, _), (_, _, take, take_error, _, second, _) = rows
    doubling = max(first, second) if take < 1.0 else keep_error
    sure = (abs(keep - min(take, 1.0)), doubling), (abs(take - 1.0), take_error)
    return all(known <= error or gap > SURE * known for gap, known in sure)


# -- rows ----------------------------------------------------------------------------------------


def write(arguments: argparse.Namespace) -> None:
    from sixprime.paths import replacing

    rows, waiting = _rows(arguments.to), 0
    for number, each in enumerate(_chosen(arguments.folder)):
        found = _loaded(_file(arguments.folder, number))
        plain = _plain(found) if found else []
        others = {name: _loaded(_file(arguments.folder, number, name)) for name in OTHERS}
        again = rows.get(each.xgid, {}).get("again", {})
        again |= {name: _plain(other) for name, other in others.items() if other is not None}
        if found is None or not (_settled(plain, arguments.error) or found.trials >= arguments.stage):
            waiting += each.xgid not in rows
            plain = []
        if each.xgid in rows and (not plain or rows[each.xgid]["alternatives"][0][-1] >= plain[0][-1]):
            plain = rows[each.xgid]["alternatives"]
        if plain:
            row = {
                "xgid": each.xgid,
                "plan": each.plan,
                "source": each.source,
                "alternatives": plain,
                "rest": each.rest,
            }
            rows[each.xgid] = row | ({"again": again} if again else {})
    with replacing(arguments.to) as path:
        text = "".join(json.dumps(row, separators=(",", ":")) + "\n" for row in rows.values())
        path.write_text(text, encoding="utf-8")
    print(f"{arguments.to}: {len(rows)} decisions, {waiting} not rolled out yet")


def _rows(path: Path) -> dict[str, dict[str, Any]]:
    """The rows of a file by their XGID."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []
    return {row["xgid"]: row for row in rows}


def _plain(found: RolloutResult) -> list[list[Any]]:
    return [
        [
            each.label,
            each.play.result.id if each.play else None,
            *(round(x, 5) for x in (each.equity, each.equity_error, each.equity_loss, each.loss_error)),
            each.trials,
        ]
        for each in (found.ranked if found.kind == "plays" else found.estimates)
    ]


def systematic(arguments: argparse.Namespace) -> None:
    """Of every row that was rolled out twice: how the gap between two alternatives changes, and the noise of that."""
    from sixprime.train.truth import read_rows

    rows = read_rows(arguments.to)
    print(f"{'rolled out with':16}{'gaps':>6}{'change, mEMG':>16}{'rms, noise out':>16}{'another best':>14}")
    for how in OTHERS:
        changes, noise, other_best = [], [], 0
        twice = [row for row in rows if how in row.again]
        for row in twice:
            here, there = ({e.label: e for e in some} for some in (row.alternatives, row.again[how]))
            first, second = row.alternatives[0].label, row.alternatives[1].label
            gap = [some[first].equity - some[second].equity for some in (here, there)]
            changes.append(1000 * (gap[1] - gap[0]))
            noise.append(sum(1e6 * max(some[first].loss_error, some[second].loss_error) ** 2 for some in (here, there)))
            other_best += (gap[0] > 0) != (gap[1] > 0)
        if len(changes) < 2:
            continue
        error = stdev(changes) / math.sqrt(len(changes))
        rms = math.sqrt(max(0.0, fmean(x * x for x in changes) - fmean(noise)))
        print(f"{how:16}{len(twice):6}{fmean(changes):+9.2f} ± {error:.2f}{rms:16.2f}{other_best:14}")


if __name__ == "__main__":
    _main.run(main)
