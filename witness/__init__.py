"""A witness of a server's log of all games: it checks that the log only grows, and cosigns what it saw."""
