"""Skill and luck: a played match judged decision by decision.

In goes a `Match` and an engine, out comes an `AnalysedMatch`; the rule kept here: nothing of how it is
shown. `analyse` collects all decisions of a match (or of many), asks the engine once for each kind, and
builds the judged decisions; `judge` says what a cube action lost, `prepared` what formats want to know;
`statistics` adds up; `ratings` names and rates; `thresholds` says where marks begin; `model` holds the
result.
"""
