"""Whole sessions of two engine seats, saved and read again, given to GNU Backgammon, and killed.

play: --count sessions with random rules and dice at 0-ply; every record is played through again by the rules, and read
back equal from `.mat` and SGF. gnubg: --count of them are loaded by GNU Backgammon as SGF and imported as `.mat`, and
what it saves has the same plays and scores. kill: a session in a process of its own is killed with SIGKILL at --count
random moments and resumed, until its match is over; it is the one that is played without.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import _gnubg
import _main
import _measure

if TYPE_CHECKING:
    from sixprime.engine import Engine
    from sixprime.game.match_rules import Rules
    from sixprime.game.record import Match
    from sixprime.game.state import MatchState
    from sixprime.play import Session

_LONGEST = 2
"""Games of a money session."""
_PART = 25
_LIFE = 0.8
"""Seconds at most that a session lives before it is killed, once it plays."""


def main() -> None:
    parser = _measure.options(__doc__, pairs=1)
    parser.add_argument("what", choices=["play", "gnubg", "kill", "killed"])
    parser.add_argument("--count", type=int, default=100, help="how many (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of the first (%(default)s)")
    parser.add_argument("--state", type=Path, help="file to go on from with play")
    parser.add_argument("--journal", help="of a session that is to be killed")
    arguments = parser.parse_args()
    rows = globals()[arguments.what](arguments)
    _measure.show({"rows": rows[1:]}, arguments.json, f"{arguments.what}. ", rows)


def play(arguments: Any) -> list[list[str]]:
    from sixprime import Engine

    engine = Engine(threads=1, plies=0)
    done, seen = 0, Counter[str]()
    if arguments.state is not None and arguments.state.exists():
        kept = json.loads(arguments.state.read_text())
        done, seen = kept["done"], Counter(kept["seen"])
    with tempfile.TemporaryDirectory() as folder:
        for number in range(done, arguments.count):
            seen.update(_check(_session(engine, arguments.seed + number), Path(folder)))
            if arguments.state is not None and (number + 1) % _PART == 0:
                arguments.state.write_text(json.dumps({"done": number + 1, "seen": seen}))
    return [
        ["what", "how many"],
        ["sessions", str(max(done, arguments.count))],
        *sorted([k, str(n)] for k, n in seen.items()),
    ]


def gnubg(arguments: Any) -> list[list[str]]:
    from sixprime import Engine, formats

    program, engine, games, apart = _gnubg.find(arguments.gnubg), Engine(threads=1, plies=0), 0, 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for number in range(arguments.count):
            seed, match = arguments.seed + number, None
            while match is None or not match.games:
                match, seed = _session(engine, seed, plain=True).record(), seed + 10_000
            for suffix, load in ((".sgf", "load match"), (".mat", "import mat")):
                if suffix == ".mat" and any(game.cube > 1 for game in match.games):
                    apart += 1  # it begins with a cube of 1, whatever the file says
                    continue
                ours, theirs = folder / f"ours{suffix}", folder / "theirs.sgf"
                theirs.unlink(missing_ok=True)
                formats.write(match, ours)
                _ask(program, folder, f'{load} "{ours}"', f'save match "{theirs}"')
                found = formats.read(theirs)
                if _played(found) != _played(match):
                    kept = Path(tempfile.gettempdir()) / f"sessions-{arguments.seed + number}{suffix}"
                    formats.write(match, kept)
                    sys.exit(f"GNU Backgammon reads something else in {kept}")
            games += len(match.games)
    return [
        ["what", "how many"],
        ["sessions", str(arguments.count)],
        ["games", str(games)],
        ["sessions as SGF only, for their automatic doubles", str(apart)],
    ]


def kill(arguments: Any) -> list[list[str]]:
    from sixprime import Engine
    from sixprime.play import SeededDice, Session

    chance, killed, sessions, late = random.Random(arguments.seed), 0, 0, Counter[str]()
    engine = Engine(threads=1, plies=0)
    while killed < arguments.count:
        seed = arguments.seed + sessions
        sessions += 1
        whole = Session(_seats(engine), _long(), dice=SeededDice(seed))
        whole.run()
        with tempfile.TemporaryDirectory() as name:
            journal = Path(name) / "session.journal"
            over = False
            while not over and killed < arguments.count:
                command = [sys.executable, __file__, "killed", "--journal", str(journal), "--seed", str(seed)]
                with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
                    assert process.stdout is not None
                    heard = process.stdout.readline()
                    time.sleep(chance.random() * _LIFE)
                    process.kill()
                    heard = [heard, *process.stdout.read().splitlines(keepends=True)][-1]
                    last = int(heard) if heard.endswith("\n") else 0
                killed += 1
                torn = not journal.read_bytes().endswith(b"\n")
                session = Session.resume(journal, _seats(engine))
                late["a torn last line"] += torn
                if len(session.history) < last:
                    sys.exit(f"{last} acts were told of, {len(session.history)} are in the journal")
                tables = [step.table for step in whole.history][: len(session.history)]
                if [step.table for step in session.history] != tables:
                    sys.exit("the session that was resumed is another one")
                late["acts more than were told of"] += len(session.history) - last
                over = len(session.history) == len(whole.history)
                session.close()
                del session
            late["matches played to the end"] += over
            if not over:
                rest = Session.resume(journal, _seats(engine))
                rest.run()
                if rest.table != whole.table:
                    sys.exit("the session that was resumed ends otherwise")
    return [["what", "how many"], ["killed", str(killed)], *[[what, str(n)] for what, n in late.items()]]


def killed(arguments: Any) -> list[list[str]]:
    """What is killed: goes on with a journal, or begins it, and says the number of every act."""
    from sixprime import Engine
    from sixprime.play import SeededDice, Session

    journal, engine = Path(arguments.journal), Engine(threads=1, plies=0)
    if journal.exists() and journal.stat().st_size:
        session = Session.resume(journal, _seats(engine))
    else:
        journal.unlink(missing_ok=True)
        session = Session(_seats(engine), _long(), dice=SeededDice(arguments.seed), journal=journal)
    session.watch(lambda event, table: print(event.number, flush=True))
    session.run()
    time.sleep(60)
    return [["over"]]


def _long() -> Rules:
    from sixprime.game.match_rules import Rules

    return Rules(25)


def _seats(engine: Engine) -> Any:
    from sixprime.play import EngineSeat

    return EngineSeat(engine, "Ann"), EngineSeat(engine, "Bob")


def _session(engine: Engine, seed: int, *, plain: bool = False) -> Session:
    """A session that has been played; plain: by the rules that GNU Backgammon takes a `.mat` to be by."""
    from sixprime.game.match_rules import Rules
    from sixprime.game.table import Phase
    from sixprime.play import Automation, SeededDice, Session

    chance = random.Random(seed)
    length = chance.choice((0, 1, 1, 2, 3))
    variants = ("standard",) * 6 + (() if plain else ("nackgammon", "hypergammon1", "hypergammon2"))
    rules = Rules(
        length,
        chance.choice(variants),
        crawford_rule=plain or not length or chance.random() < 0.8,
        jacoby=plain or chance.random() < 0.7,
        beavers=3 if plain else chance.choice((0, 1, 2, 3)),
        automatic_doubles=0 if length else chance.choice((0, 0, 1, 2)),
        cube_limit=1024 if plain else chance.choice((1, 4, 1024, 1024)),
    )
    automation = Automation(chance.random() < 0.5, chance.random() < 0.5, chance.random() < 0.5, next_game=length > 0)
    session = Session(_seats(engine), rules, dice=SeededDice(seed), automation=automation)
    session.advance()
    while session.table.phase is Phase.GAME_OVER and session.table.game.number < _LONGEST:
        from sixprime.game.acts import NextGame

        session.submit(NextGame())
        session.advance()
    if not plain and chance.random() < 0.3:
        # Not every game that is saved is over.
        session.go_to(chance.randrange(1, len(session.history) + 1))
    return session


def _check(session: Session, folder: Path) -> Counter[str]:
    """Ends the script with what is wrong; what the session was like."""
    from sixprime import formats
    from sixprime.game.table import Table

    match, table = session.record(), session.table
    for step in session.history:
        if not step.table.position.is_valid:
            sys.exit(f"{session.dice}: an impossible position, {step.table.position.id}")
    if match.games:
        again = Table.from_record(match)
        if (again.game.number, again.score) == (table.game.number, table.score) and again.position != table.position:
            sys.exit(f"{session.dice}: the record leads elsewhere")
        for suffix in (".mat", ".sgf"):
            (path,) = session.save(folder / f"session{suffix}")
            found = formats.read(path)
            odd = [problem for problem in found.problems if "breaks off" not in problem.message]
            if odd or _plain(found, suffix) != _plain(match, suffix):
                sys.exit(f"{session.dice}: {suffix} is read as something else")
    finished = sum(game.winner is not None for game in match.games)
    kinds = Counter(action.kind.value for game in match.games for action in game.actions)
    return Counter({"games": len(match.games), "finished games": finished, **kinds, match.variant: 1})


def _plain(match: Match, suffix: str) -> Match:
    """Without what belongs to one file, and for SGF without how many beavers there may be and how high cubes go."""
    from sixprime.game.record import ActionKind

    def rules(state: MatchState) -> MatchState:
        return replace(state, beavers=0, cube_limit=_limit(state.cube_limit)) if suffix == ".sgf" else state

    games = []
    for game in match.games:
        known = game.actions
        if game.winner is None and known and known[-1].kind is ActionKind.RESIGN:
            known = known[:-1]  # an offer that waits for its answer is in no file
        actions = (replace(each, line=None, seconds=None, extras=(), state=rules(each.state)) for each in known)
        games.append(replace(game, actions=tuple(actions), extras=()))
    plain = replace(match, games=tuple(games), tags=(), problems=(), source="", format="", extras=())
    return replace(plain, beavers=0, cube_limit=_limit(match.cube_limit)) if suffix == ".sgf" else plain


def _limit(limit: int) -> int:
    return 1 if limit == 1 else 1024


def _played(match: Match) -> list[object]:
    """What two programs must agree on."""
    return [(each.score, each.winner, each.points, each.resigned, each.crawford) for each in match.games] + [
        (action.kind, action.player, action.dice and tuple(sorted(action.dice)), action.play, action.position)
        for each in match.games
        for action in each.actions
    ]


def _ask(program: str, folder: Path, *commands: str) -> None:
    (folder / ".gnubg").mkdir(exist_ok=True)
    script = folder / "commands"
    script.write_text("".join(f"{command}\n" for command in ("set threads 1", *commands)))
    environment = {key: text for key, text in os.environ.items() if key != "PYTHONPATH"} | {"HOME": str(folder)}
    subprocess.run(
        [program, "-t", "-q", "-r", "-c", str(script)],
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=120,
        check=True,
    )


if __name__ == "__main__":
    _main.run(main)
