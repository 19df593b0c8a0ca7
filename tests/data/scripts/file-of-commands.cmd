# Within a file of commands nobody plays on when a turn is over, and no game begins after another.
# allowed: another-game in-on
# with: inner.txt
# | new game
# | show turn
set display off
set player both chequerplay evaluation plies 0
set player both cubedecision evaluation plies 0
set cube use off
set seed 3
set player 0 gnubg
set player 1 gnubg
new match 1
show pipcount
play
show pipcount
set player 0 human
set player 1 human
new session
set board simple 0 1 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 -1 -1 0
set turn 1
set dice 21
move 2/off 1/off
show turn
show pipcount
roll
load commands inner.txt
set player 0 gnubg
set board simple 0 1 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 -1 -1 0
set turn 0
set seed 4
play
show turn
show pipcount
set player 1 gnubg
play
show turn
>gnubg.command("new match 1")
show turn
