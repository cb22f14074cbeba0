"""Checks of a record: each module checks one promise and reports its findings."""
