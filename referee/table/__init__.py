"""What happens at a table: the people, clocks and agreements around a position, determined by the log alone.

A `Table` changes only by `apply`, which a live move runs once and a `Fold` of a log runs on every entry.
"""
