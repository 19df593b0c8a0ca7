"""Lets engines from PyPI play in duels and in the arena: it speaks UBGI for them, cubeless.

    pip install bgsage gnubg-nn
    python benchmarks/arena.py DIR standard@0 "ubgi:python benchmarks/ubgi_peer.py bgsage" --cubeless
    sixprime duel standard@1 "ubgi:python benchmarks/ubgi_peer.py bgsage 1"

After the name: how many plies, counted from 0 as everywhere here. Engines: bgsage (Open Sage, MPL), gnubg-nn (GNU
Backgammon's nets). Both are only played against: nothing of them is kept.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable

import _main

from sixprime import Play, Position, SixprimeError, parse_play

Best = Callable[[Position, tuple[int, int], tuple[Play, ...]], Play]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", choices=PEERS)
    parser.add_argument("plies", type=int, nargs="?", choices=range(10), default=0)
    arguments = parser.parse_args()
    name, plies = arguments.name, arguments.plies
    try:
        title, best = PEERS[name](plies)
    except ImportError as error:
        sys.exit(f"{name} is not installed: pip install {name} ({error})")
    position, dice = Position.start(), (0, 0)
    for line in sys.stdin:
        try:
            match line.split():
                case ["ubgi"]:
                    say(f"id name {title} {plies}-ply", "proto 0.2", "ubgiok")
                case ["isready"]:
                    say("readyok")
                case ["position", "gnubgid", id, *_]:
                    position = Position.from_id(id.partition(":")[0])
                case ["dice", one, other]:
                    dice = (int(one), int(other))
                case ["go", *_]:
                    plays = position.plays(dice)
                    play = plays[0] if len(plays) == 1 else best(position, dice, plays)
                    steps = [f"{'bar' if s.start == 25 else s.start}/{s.end or 'off'}" for s in play.steps]
                    say(f"bestmove {' '.join(steps) or 'pass'}")
                case ["quit"]:
                    return
                case ["newgame" | "set" | "setoption" | "newsession" | "setscore", *_] | []:
                    pass
                case [word, *_]:
                    say(f"error bad_command {word}")
        except (SixprimeError, ValueError) as error:
            say(f"error bad_argument {error}")


def say(*lines: str) -> None:
    print(*lines, sep="\n", flush=True)


def sage(plies: int) -> tuple[str, Best]:
    """Open Sage. Its boards are 26 numbers: the player's chequers on his points from 1 to 24, the opponent's negative,
    between the opponent's bar and the player's; after a play seen by who made it."""
    from bgsage import BgBotAnalyzer

    analyzer = BgBotAnalyzer(eval_level=f"{plies + 1}ply", cubeful=False, parallel_threads=1)

    def seen(mine: list[int], theirs: list[int]) -> tuple[int, ...]:
        return (theirs[24], *(mine[i] - theirs[23 - i] for i in range(24)), mine[24])

    def best(position: Position, dice: tuple[int, int], plays: tuple[Play, ...]) -> Play:
        theirs, mine = position.board.tolist()
        by_board = {seen(*play.result.board.tolist()): play for play in plays}
        moves = analyzer.checker_play(list(seen(mine, theirs)), *dice, jacoby=False).moves
        return by_board[tuple(max(moves, key=lambda move: move.equity).board)]

    return "Open Sage", best


def gnubg_nn(plies: int) -> tuple[str, Best]:
    """gnubg-nn. Its boards are ours, its plays pairs of points, 25 for the bar and 0 for off."""
    import gnubg_nn as peer

    def best(position: Position, dice: tuple[int, int], plays: tuple[Play, ...]) -> Play:
        steps = peer.best_move(position.board.tolist(), *dice, n=plies)
        words = (f"{'bar' if start == 25 else start}/{end or 'off'}" for start, end in steps)
        return parse_play(" ".join(words), position, dice)

    return "gnubg-nn", best


PEERS: dict[str, Callable[[int], tuple[str, Best]]] = {"bgsage": sage, "gnubg-nn": gnubg_nn}

if __name__ == "__main__":
    _main.run(main)
