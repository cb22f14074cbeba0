"""Statements about credentials and players."""
