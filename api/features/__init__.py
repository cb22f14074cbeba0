"""What the service can do beyond its core. Each folder is one feature; none of them is needed by the core."""

from functools import cache
from importlib import import_module

from api.feature import Feature, Features

NAMES = (
    *("notices", "webhooks", "mail", "calendars", "accounts", "guests", "lobby", "watching"),
    *("post", "takebacks", "director", "chat", "search", "statistics", "test_clocks"),
    *("proofs", "beacon", "imports", "requests", "site"),
)
"""Every feature, in the order in which hooks call them and the specification shows them."""


@cache
def load_features(*names: str) -> Features:
    """Import the features with these names, by default all of them.

    Raises ValueError for an unknown name, and if one needs another that is not among them.
    """
    if unknown := {*names}.difference(NAMES):
        raise ValueError(f"There is no feature {', '.join(sorted(unknown))}.")
    chosen = [name for name in NAMES if name in (names or NAMES)]
    declared: list[Feature] = [import_module(f"api.features.{name}").FEATURE for name in chosen]
    return Features(declared)
