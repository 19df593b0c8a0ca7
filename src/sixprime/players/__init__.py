"""Who decides: our nets at a number of plies or a level, GNU Backgammon, any UBGI engine.

In go many positions with the cube and the score; out come plays and cube decisions. The rule kept here: every answer
depends on its own row alone, never on the others of the batch. People and whoever else takes his time sit in `play`.
"""
