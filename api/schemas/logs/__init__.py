"""Logs: of all games, of what happens in an app's games."""
