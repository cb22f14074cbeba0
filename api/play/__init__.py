"""Actions on games: creating them, moves, seats, take-backs, orders; bots and deadlines."""
