"""What callers do to games: making them, moves, seats, take-backs, orders; bots and deadlines."""
