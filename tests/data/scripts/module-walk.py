# Walking through a match from Python.
# needs: sgf/analysed.sgf
# allowed: starts navigate
import gnubg

gnubg.command("load match analysed.sgf")
gnubg.command("first game")
seen = []
for _ in range(6):
    gnubg.command("next")
    seen.append((gnubg.positionid(), gnubg.posinfo()["turn"], gnubg.cubeinfo()["cube"]))
print(seen)
gnubg.command("next game")
gnubg.command("next rolled")
print(gnubg.posinfo(), gnubg.gnubgid())
print(gnubg.navigate(game=1), gnubg.navigate(game=99), gnubg.navigate(next=2))
print(gnubg.show("score"))
