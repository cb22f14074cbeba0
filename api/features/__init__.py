"""What the service can do beyond its core. Each folder is one feature; none of them is needed by the core."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import cache
from importlib import import_module

import psycopg

from api.context import Context
from api.core.config import Settings, StartError
from api.feature import Feature, Features
from api.store.database.session import Database, Session

NAMES = (
    *("limits", "stateless", "notices", "webhooks", "mail", "push", "accounts", "guests"),
    *("lobby", "watching", "presence", "post", "takebacks", "director", "search", "statistics"),
    *("test_clocks", "proofs", "ratings", "months", "apps", "imports", "requests"),
    *("metrics", "site", "specification"),
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


@contextmanager
def opened(settings: Settings) -> Iterator[Context]:
    """Open the context of a command. Raises StartError if the database refuses something."""
    try:
        with closing(Database(settings)) as database, closing(Session(database)) as session:
            yield Context(settings, session, load_features(*settings.features).hooks)
    except psycopg.Error as error:
        raise StartError(f"The database refused: {str(error).strip().splitlines()[0].rstrip('.')}.") from None
