"""The log of a game, live; feeds of all games."""
