"""Moves that no person makes: bots, late seats, random games."""
