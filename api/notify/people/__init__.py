"""Notices to players about their games, by mail and push."""
