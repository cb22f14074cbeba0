"""A verifier written from docs/reference/log-format.md, its two data files and the rules of the games alone.

It imports nothing of the project. What it does not compute itself, it asks the `referee` command: whether a
move is legal, which cards it moves, and the position after it (`referee judge`), and lists of moves
(`referee legal`). It skips the bot `cautious`, and says so.
"""
