"""The doubling cube: match equities, cubeful values, decisions.

In go probabilities of the outcome (cumulative, of the player on roll) and a `CubeState`; out come equities normalised
to the cube (money) or match-winning chances, always of the player on roll of that state. The rule kept here: no
positions, no search.

Modules: `met` match equity tables, `met_xml` their files, `calculators` tables from a few rates; `state` the cube
and score seen by the player on roll; `values` what chances and equities are worth, to whom and in which unit; `model`
what a cube model is, and cubeful values in batches; `janowski`, `fitted` and `jump` the kinds of models, with `rows`
and `kernel` below them; `tree` the cube states of an n-ply evaluation; `decision` no double, double, take, pass;
`market` take points, market windows and gammon values.
"""
