# A match is analysed and read as a dictionary, as scripts that keep statistics do.
# needs: mat/gnubg.mat
import os

import gnubg

gnubg.command("set analysis chequerplay evaluation plies 0")
gnubg.command("set analysis cubedecision evaluation plies 0")
gnubg.command('import mat "{}"'.format(os.environ.get("MATCH", "gnubg.mat")))
gnubg.command("analyse match")
for analysis, boards, statistics in ((0, 0, 0), (1, 1, 1)):
    match = gnubg.match(analysis, boards, statistics)
    print(sorted(match), sorted(match["match-info"]), match["match-info"]["match-length"])
    for game in match["games"]:
        info = game["info"]
        print(sorted(info), info["winner"], info["points-won"], info["score-X"], info["score-O"], info["resigned"])
        print([(a["action"], a["player"], a.get("dice"), a.get("move"), a.get("board")) for a in game["game"]])
moves = doubles = 0
for game in gnubg.match()["games"]:
    for action in game["game"]:
        known = action.get("analysis", {})
        if "moves" in known:
            best = known["moves"][0]
            moves += 1
            assert best["score"] >= known["moves"][known["imove"]]["score"]
            assert sorted(best) == ["move", "probs", "score", "type"], sorted(best)
            assert len(best["probs"]) == 5
        doubles += "nd-cubeful-eq" in known
print(moves, doubles)
total = gnubg.match(1, 0, 1)["stats"]
for player in "XO":
    print(sorted(total[player]), total[player]["moves"]["total-moves"], total[player]["moves"]["unforced-moves"])
    print(sorted(total[player]["moves"]), sorted(total[player]["cube"]), sorted(total[player]["dice"]))
