"""How many matches a second are read from `.mat`, on one core.

    python benchmarks/formats.py                      10,000 matches to 7 points, made by 0-ply self-play with cubes
    python benchmarks/formats.py FILE... --matches 0  the matches of files, each read once

"first" is the time of the first reading of each of the distinct matches, in a process that has read nothing yet:
no play and no state has been seen before. All other readings meet caches as a long batch would.
"""

from __future__ import annotations

import random
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import _main
import _measure

from sixprime import formats
from sixprime.formats._recorder import GameRecorder
from sixprime.game.match_rules import Rules
from sixprime.game.record import Game, Match, Player

LENGTH = 7
DOUBLE, DROP = 0.70, 0.77  # winning chances at which the side on roll doubles, and the other gives up


def main() -> None:
    parser = _measure.options(__doc__, pairs=1, gnubg=False)
    parser.add_argument("files", nargs="*", type=Path, help="match files instead of self-play")
    parser.add_argument("--distinct", type=int, default=200, help="matches of self-play (%(default)s)")
    parser.add_argument("--matches", type=int, default=10_000, help="how many are read in all (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of the self-play (%(default)s)")
    options = parser.parse_args()
    texts = [path.read_bytes() for path in options.files]
    if not texts:
        # In another process, so that the caches of this one stay empty.
        with ProcessPoolExecutor(1, get_context("spawn")) as pool:
            texts = pool.submit(self_play, options.distinct, options.seed).result()
    started = time.process_time()
    read = [formats.read_text(text) for text in texts]
    first = time.process_time() - started
    games = sum(len(match.games) for match in read)
    actions = sum(len(game.actions) for match in read for game in match.games)
    del read
    done = 0
    started = time.process_time()
    while done < options.matches:
        formats.read_text(texts[done % len(texts)])
        done += 1
    seconds = time.process_time() - started
    results = {
        "matches": len(texts),
        "games_per_match": games / len(texts),
        "actions_per_match": actions / len(texts),
        "bytes_per_match": sum(map(len, texts)) / len(texts),
        "first_per_second": len(texts) / first,
        "read": done,
        "seconds": seconds,
        "per_second": done / seconds if done else None,
    }
    rows = [("what", "value"), *((key, "" if value is None else f"{value:.5g}") for key, value in results.items())]
    _measure.show(results, options.json, "Reading .mat, CPU seconds of one core", rows)


class _Playing:
    """A match in progress. chance: of the player on roll to win, None before the first roll of a game."""

    def __init__(self, seed: str) -> None:
        self.source = random.Random(seed)
        self.games: list[Game] = []
        self.score = (0, 0)
        self.crawford_over = False
        self.begin()

    def begin(self) -> None:
        """The next game."""
        match_point = (LENGTH - self.score[0] == 1) != (LENGTH - self.score[1] == 1)
        self.crawford = match_point and not self.crawford_over
        self.crawford_over = self.crawford_over or match_point
        self.recorder = GameRecorder(
            Rules(length=LENGTH), ("Ann", "Bob"), len(self.games) + 1, self.score, self.crawford, _complain
        )
        self.player = self.source.randrange(2)
        self.chance: float | None = None

    def doubled_out(self) -> bool:
        """Doubles if that is due; whether the other side gave up."""
        cube, owner = self.recorder.cube
        useful = cube < LENGTH - self.score[self.player] and not self.crawford
        if self.chance is None or self.chance < DOUBLE or not useful or owner not in (None, self.player):
            return False
        self.recorder.double(self.player, 2 * cube)
        if self.chance > DROP:
            self.recorder.drop(1 - self.player)
            return True
        self.recorder.take(1 - self.player)
        return False

    def end(self) -> None:
        """The game is over."""
        game = self.recorder.finish()
        self.games.append(game)
        self.score = (
            self.score[0] + game.points * (game.winner == 0),
            self.score[1] + game.points * (game.winner == 1),
        )
        if not self.over:
            self.begin()

    @property
    def over(self) -> bool:
        return max(self.score) >= LENGTH


def _complain(message: str, line: int | None, column: int | None) -> None:
    raise RuntimeError(message)


def self_play(count: int, seed: int) -> list[bytes]:
    """Matches as `.mat`: plays at 0-ply, doubles and drops by the winning chances alone."""
    from sixprime import Engine
    from sixprime.engine import PlayRequest

    engine = Engine(threads=1)
    matches = [_Playing(f"{seed} {number}") for number in range(count)]
    while playing := [match for match in matches if not match.over]:
        for match in playing:
            while not match.over and match.doubled_out():
                match.end()
        playing = [match for match in playing if not match.over]
        rolls = [(match.source.randint(1, 6), match.source.randint(1, 6)) for match in playing]
        requests = [PlayRequest(match.recorder.position, roll) for match, roll in zip(playing, rolls, strict=True)]
        ranked = engine.rank_plays_many(requests, plies=0, count=1, search_forced=False)
        for match, roll, plays in zip(playing, rolls, ranked, strict=True):
            if plays:
                match.recorder.move(match.player, roll, str(plays[0].play))
                match.chance = 1 - plays[0].probabilities[0]
                if plays[0].play.result.winner is not None:
                    match.end()
                    continue
            else:
                match.recorder.blank(match.player, roll)
            match.player = 1 - match.player
    players = Player("Ann"), Player("Bob")
    return [formats.mat.format(Match(players, LENGTH, tuple(match.games))).encode() for match in matches]


if __name__ == "__main__":
    _main.run(main)
