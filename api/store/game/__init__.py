"""Statements about games: the log, turns, orders, snapshots, looks and what is due."""
