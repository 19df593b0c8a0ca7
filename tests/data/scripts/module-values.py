# What the module says of boards, keys, contexts and equities.
# allowed: equities
import gnubg

board = gnubg.positionfromid("4HPwATDgc/ABMA")
print(board)
rows = [list(side) for side in board]
print(gnubg.positionid(board), gnubg.positionkey(rows))
print(gnubg.positionfromkey(list(gnubg.positionkey(rows))) == board)
cube = gnubg.cubeinfo(2, 1, 1, 7, (3, 2), 0, 0)
print(sorted(cube), cube["cube"], cube["cubeowner"], cube["move"], cube["matchto"], cube["score"], cube["bgv"])
print([[round(value, 4) for value in pair] for pair in cube["gammonprice"]])
print(round(gnubg.eq2mwc(0.5, cube), 5), round(gnubg.mwc2eq(0.5, cube), 5))
print(round(gnubg.eq2mwc_stderr(0.1, cube), 5), round(gnubg.mwc2eq_stderr(0.1, cube), 5))
cube["jacoby"] = 0
print(sorted(gnubg.calcgammonprice(cube)))
print(gnubg.evalcontext(1, 0, 1, 0, 0.0), sorted(gnubg.rolloutcontext()))
print(gnubg.classifypos(board, 0), gnubg.errorrating(0.005), gnubg.luckrating(0.05))
print(gnubg.parsemove("8/5 6/5"), gnubg.movetupletostring((8, 5, 6, 5), board))
print(gnubg.findbestmove(board, gnubg.cubeinfo(1, -1, 1, 7, (0, 0), 0, 0), gnubg.evalcontext(1, 0, 1, 0, 0.0), (3, 1)))
print(len(gnubg.evaluate(board, cube, gnubg.evalcontext(1, 0, 1, 0, 0.0))))
answer = gnubg.cfevaluate(board, gnubg.cubeinfo(1, -1, 1, 7, (0, 0), 0, 0), gnubg.evalcontext(1, 0, 1, 0, 0.0))
print(len(answer), answer[4], answer[5], [f"{value:.3f}" for value in answer[:4]])
print([len(part) for part in gnubg.met(3)], f"{gnubg.met(3)[0][0][1]:.5f}")
print(gnubg.getevalhintfilter()[0]["ply"], sorted(gnubg.getevalhintfilter()[0]))
gnubg.command("set rng mersenne")
gnubg.command("set seed 42")
print(gnubg.dicerolls(5))
print(gnubg.show("jacoby"))
print(gnubg.updateui())
