"""Play: a game in progress with all around it (`session`), and duels, thousands of games at a time (`duel`).

In go a `Table`, whoever decides and a source of dice; out come records and results. The rule kept here: no output and
no terminal; whoever shows a game holds a `Session` and no rules.
"""
