"""App keys, players and their tokens."""
