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
    """Import the features with these names and those that they need, by default all of them."""
    declared: dict[str, Feature] = {}
    waiting = [*names] or [*NAMES]
    while waiting:
        name = waiting.pop()
        if name not in declared:
            declared[name] = import_module(f"api.features.{name}").FEATURE
            waiting += declared[name].needs
    return Features([declared[name] for name in NAMES if name in declared])
