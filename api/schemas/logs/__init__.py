"""Logs: of one game, of an app's games, and of all games."""
