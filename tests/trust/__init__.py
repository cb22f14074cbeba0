"""Attacks of docs/trust.md that no other test performs."""
