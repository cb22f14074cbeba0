"""Metrics for Prometheus: requests, moves, what waits and what is due; no names, no ids."""

from api.feature import Feature

FEATURE = Feature("metrics", routes=["routes"])
