"""Finished months of the log: written to files, and taken out of the database if an operator says so."""

from api.feature import Feature

FEATURE = Feature("months", needs=["proofs", "notices"], commands=True)
