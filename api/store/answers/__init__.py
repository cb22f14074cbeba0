"""Statements about answers that are kept for repeated requests."""
