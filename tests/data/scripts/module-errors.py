# A script that fails prints where, and those that ask the impossible go on.
# allowed: boards own-words
import gnubg

try:
    gnubg.pip()
except AttributeError:
    print("no such function")
try:
    gnubg.parsemove("rubbish")
    print("parsed")
except Exception as error:
    print(type(error).__name__)
gnubg.command("rubbish")
gnubg.command("set player 0 human")
gnubg.command("set rng mersenne")
gnubg.command("set seed 7")
gnubg.command("new match 3")
print(__name__)
raise ValueError("the end")
