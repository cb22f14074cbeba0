"""Statements about kept answers for repeated requests."""
