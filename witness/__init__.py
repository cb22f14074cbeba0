"""A witness of a server's log of all games: it sees that the log only grows, and cosigns what it has seen."""
