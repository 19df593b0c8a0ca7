# Advice for positions, as bots and servers ask for it.
# allowed: boards
import gnubg

gnubg.command("set player 0 human")
gnubg.command("set player 1 human")
gnubg.command("set automatic game off")
gnubg.command("set automatic roll off")
gnubg.command("set evaluation chequerplay evaluation plies 0")
gnubg.command("set evaluation cubedecision evaluation plies 0")
gnubg.command("set rng mersenne")
gnubg.command("set seed 7")
gnubg.command("new session")
gnubg.command("set board 4HPwATDgc/ABMA")
gnubg.command("set turn 1")
gnubg.command("set dice 3 1")
found = gnubg.hint(9999)
print(sorted(found), found["hinttype"], found["gnubgid"], len(found["hint"]))
first = found["hint"][0]
print(sorted(first), first["movenum"], first["type"], first["move"], first["eqdiff"], first["context"])
print(sorted(first["details"]), [type(each).__name__ for each in first["details"]["probs"]])
print(sorted(each["move"] for each in found["hint"]))
print(gnubg.board())
print(gnubg.posinfo())
print({name: value for name, value in gnubg.cubeinfo().items() if name not in ("gammonprice", "beavers")})
print(gnubg.positionid(), gnubg.gnubgid(), gnubg.matchid())
gnubg.command("move " + first["move"])
print(gnubg.gnubgid())
