"""Shapes of the moves, views and options of each game, for type checkers: `from referee.typed import bisca`.

The modules have `Move`, `View`, `Options` and what these consist of, and `match`, `view` and `legal_moves`,
which use them.
"""
