"""Telling people: players get mail about their games, as often as they want."""
