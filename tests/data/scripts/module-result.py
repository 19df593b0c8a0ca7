# What `result` says of matches and sessions: whose points are more than the length, player 0's first.
import gnubg


def result(name):
    match = gnubg.match(0, 0, 0, 0)
    last = match["games"][-1]["info"]
    print("RESULT", name, match["match-info"]["result"], last["score-X"], last["score-O"], last["winner"])


def resigned(player, how):
    for line in (f"set turn {player}", "set dice 3 1", "move 8/5 6/5", "resign " + how, "accept"):
        gnubg.command(line)


for line in ("automatic game off", "automatic roll off", "player both human", "confirm new off"):
    gnubg.command("set " + line)
gnubg.command("set output output off")
for length in (2, 3):
    for player in (0, 1):
        gnubg.command(f"new match {length}")
        result("new")
        resigned(player, "backgammon")
        result(length)
for player in (0, 1):
    gnubg.command("new session")
    result("new")
    resigned(player, "normal")
    result("money")
    gnubg.command("new game")
    resigned(1 - player, "gammon")
    result("money")
