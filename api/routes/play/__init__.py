"""Games, seats, moves, and play by post."""
