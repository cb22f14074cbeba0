"""Statements about imported records, the log of all games and its keys."""
