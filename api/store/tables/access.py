"""Who may do what with the rows of a table, declared with the table.

`run/rights.py` and `run/row_security.py` make rights and policies of it, `run/resealing.py` seals with a
new key, and `distributed/distribution.py` spreads the tables over the machines of a Citus cluster.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from sqlalchemy import Table

from api.store.database.connections import APP_SETTING

GUESTS = "guests"  # the name of the app of this server's own guests and accounts
LABELS = "external_id, metadata"  # what an app writes on its own resources

APP = f"nullif(current_setting('{APP_SETTING}', true), '')::uuid"
OF_APP = f"app_id = {APP}"
# A scalar subquery, so that it is one look-up by id: with EXISTS, the planner may hash all games.
OF_OWN_GAME = f"(SELECT g.{OF_APP} FROM games g WHERE g.id = game_id)"
# For callers without a token: guests who take a seat of a game, or come to the server.
OF_OWNER = f"owner = {APP} OR (SELECT g.{OF_APP} FROM games g WHERE g.id = owner)"
OF_SEEN_GAME = "(SELECT true FROM games g WHERE g.id = game_id)"
SEEN = f"{OF_APP} OR visibility = 'public' OR visibility = 'unlisted' AND {APP} IS NOT NULL"

REFERENCE, MANAGED = "reference", "managed"
"""A table with a copy on every machine; one of the coordinator that is written together with others."""


class Sealed(NamedTuple):
    """Sealed columns of a table, and what else the places of their values depend on.

    `row` and `place` take the values of the primary key and of `more`, like the statements of the store.
    """

    columns: tuple[str, ...]
    place: Callable[..., bytes]
    more: tuple[str, ...] = ()
    row: Callable[..., bytes] = lambda first, *_: bytes(first.bytes)


class Access(NamedTuple):
    """What the `service` and the `worker` may do with a table, as SQL grants it: only what they need.

    Only columns that change during a row's life may be updated: never a seed, a hash, a scope, or the owner
    of a row. `own` is the condition for the rows that the service may write, and may read unless `seen` says
    otherwise; without it, the table belongs to no app. It `deletes` rows that it may write from a table with
    `seen`. `citus`: REFERENCE, MANAGED, or the column by which the table is distributed.

    With a deleted row go those that need it by a foreign key, and those that `goes_with` names: for each
    table, the column that has its ids. `forgets` is run before games are deleted, whose ids are `games`.
    """

    service: str | None = None
    worker: str | None = None
    own: str | None = None
    seen: str | None = None
    deletes: bool = False
    sealed: tuple[Sealed, ...] = ()
    citus: str | None = None
    goes_with: Mapping[str, str] = {}
    forgets: str | None = None


def access(**declared: Any) -> dict[str, Access]:
    """Return the `info` of a table."""
    return {"access": Access(**declared)}


def access_of(table: Table) -> Access:
    """Return who may do what with a table."""
    declared: Access = table.info["access"]
    return declared
