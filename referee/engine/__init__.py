"""The engine that all games share: declarations, positions, judging, dealing and views."""
