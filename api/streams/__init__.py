"""The log of a game as pages and as live streams."""
