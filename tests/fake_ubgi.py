"""A tiny UBGI engine for tests: plays the first legal play, or misbehaves as its argument says."""

from __future__ import annotations

import sys
import time

from sixprime.game.position import Position


def say(text: str) -> None:
    print(text, flush=True)


def main() -> None:
    mode = sys.argv[1] if len(sys.argv) > 1 else "good"
    position, dice, answers = Position.start(), (1, 1), 0
    for line in sys.stdin:
        word, *rest = line.split()
        if word == "ubgi":
            if mode == "deaf":
                say("error bad_command ubgi")
                continue
            for text in ("id name Fake", "id author tests", "proto 0.2", "key engine.ply int 1..4 1", "ubgiok"):
                say(text)
        elif word == "isready":
            say("readyok")
        elif word == "position":
            position = Position.from_id(rest[1])
        elif word == "dice":
            dice = int(rest[0]), int(rest[1])
        elif word == "go":
            answers += 1
            if answers > 3 and mode == "dies":
                print("out of memory", file=sys.stderr)
                sys.exit(7)
            if answers > 3 and mode == "hangs":
                time.sleep(60)
            if answers > 3 and mode == "endless":
                while True:
                    sys.stdout.write("info " * 10_000)
            plays = [str(play) for play in position.plays(dice)]
            say("info depth 1 pv " + plays[0])
            say("bestmove " + {"illegal": "24/1", "garbage": "x"}.get(mode, min(plays)))
        elif word == "quit":
            return


main()
