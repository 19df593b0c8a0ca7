"""What runs inside GNU Backgammon's embedded Python: reads a job, does it, writes the answer.

`_gnubg.run` starts this file as `gnubg -t -q -r -p _inside_gnubg.py`. CPU times are differences of
`time.process_time()` around the work alone, so that start-up and the reading of the job never count.
"""

import json
import os
import time

import gnubg

ANALYSIS = """
set analysis chequerplay type evaluation
set analysis chequerplay evaluation plies 2
set analysis chequerplay evaluation cubeful on
set analysis chequerplay evaluation prune on
set analysis chequerplay evaluation noise 0
set analysis cubedecision type evaluation
set analysis cubedecision evaluation plies 2
set analysis cubedecision evaluation cubeful on
set analysis cubedecision evaluation prune on
set analysis cubedecision evaluation noise 0
set analysis movefilter 2 0 0 8 0.16
set analysis movefilter 2 1 -1
set analysis luckanalysis plies 0
set analysis moves on
set analysis cube on
set analysis luck on
set analysis player 0 analyse on
set analysis player 1 analyse on
set display off
"""
"""2-ply with the Normal filter: up to 8 more plays within 0.16 go on to 2-ply; -1 means that no play goes to 1-ply."""


def decisions(job):
    """Best 0-ply play of every position and roll; a roll is set once for all its positions."""
    money, context = _money(), _context(0, 0)
    boards = [gnubg.positionfromid(text) for text in job["ids"]]
    by_roll = {}
    for i, roll in enumerate(job["dice"]):
        by_roll.setdefault(tuple(roll), []).append(i)
    gnubg.command("new session")
    plays = [()] * len(boards)
    seconds = 0.0
    for roll, which in by_roll.items():
        gnubg.command("set dice {} {}".format(*roll))
        start = time.process_time()
        for i in which:
            plays[i] = gnubg.findbestmove(boards[i], money, context)
        seconds += time.process_time() - start
    # Each call hands its work to another thread and waits for it. One chequer each on its ace point leaves
    # nothing to evaluate, so that all the time of such calls is that hand-over.
    ace = (1,) + 24 * (0,)
    start = time.process_time()
    for _ in boards:
        gnubg.findbestmove((ace, ace), money, context)
    return {"seconds": seconds, "calls": time.process_time() - start, "plays": plays}


def plays(job):
    """Best play of every position and roll by search, cubeful, with the move filters of a fresh installation."""
    money, context = _money(), _context(job["plies"], 1)
    gnubg.command("new session")
    found = []
    seconds = 0.0
    for i, roll in enumerate(job["dice"]):
        board = gnubg.positionfromid(job["ids"][i])
        gnubg.command("set dice {} {}".format(*roll))
        start = time.process_time()
        found.append(gnubg.findbestmove(board, money, context))
        seconds += time.process_time() - start
    return {"seconds": seconds, "plays": found}


def cubes(job):
    """Cube decisions: no double, double and take, double and pass of every position."""
    money, context = _money(), _context(2, 1)
    boards = [gnubg.positionfromid(text) for text in job["ids"]]
    start = time.process_time()
    answers = [gnubg.cfevaluate(board, money, context) for board in boards]
    seconds = time.process_time() - start
    return {"seconds": seconds, "equities": [answer[1:4] for answer in answers]}


def match(job):
    """Reads a .mat file and analyses it."""
    for line in ANALYSIS.split("\n"):
        if line:
            gnubg.command(line)
    start = time.process_time()
    gnubg.command('import mat "{}"'.format(job["path"]))
    gnubg.command("analyse match")
    seconds = time.process_time() - start
    games = gnubg.match(1, 0, 1, 0)["games"]
    sides = [game["stats"][side] for game in games for side in "XO"]
    return {
        "seconds": seconds,
        "games": len(games),
        "moves": sum(side["moves"]["total-moves"] for side in sides),
        "cubes": sum(side["cube"]["total-cube"] for side in sides),
    }


def hint(job):
    """One 2-ply hint; what counts is the time of the whole process."""
    gnubg.command("new session")
    gnubg.command("set board " + job["id"])
    gnubg.command("set dice {} {}".format(*job["dice"]))
    gnubg.command("hint")
    return {}


def _money():
    """Money play, centred cube, Jacoby and three beavers: the money game of both programs."""
    return {**gnubg.cubeinfo(1, -1, 0, 0, (0, 0), 0, 0), "jacoby": 1, "beavers": 3}


def _context(plies, cubeful):
    return {"cubeful": cubeful, "plies": plies, "deterministic": 1, "noise": 0.0, "prune": 1}


def main():
    with open(os.environ["SIXPRIME_BENCHMARK_JOB"], encoding="utf-8") as file:
        job = json.load(file)
    gnubg.command("set threads 1")
    answer = {"decisions": decisions, "plays": plays, "cubes": cubes, "match": match, "hint": hint}[job["task"]](job)
    with open(job["answer"], "w", encoding="utf-8") as file:
        json.dump(answer, file)


main()
