"""Settings for the databases of the tests' embedded server, and connections of the tables' owner."""

from __future__ import annotations

import base64
import os
from collections import defaultdict
from contextlib import suppress
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict
from psycopg.pq import TransactionStatus
from psycopg_pool import ConnectionPool
from sqlalchemy import Engine, create_engine
from sqlalchemy.exc import OperationalError
from sqlalchemy.pool import StaticPool

from api.core.config import Settings, libpq
from api.run.embedded.postgres import Postgres
from api.run.embedded.roles import OWNER, SERVICE, WORKER
from api.store.database.connections import PooledConnection

KEY = base64.b64encode(bytes(range(32))).decode()


ALONE = os.environ.get("CODE_ALONE") == "yes"
"""Whether the service connects as the owner, as on a Citus cluster: then only the code keeps apps apart."""


def addresses(postgres: Postgres, name: str) -> Settings:
    return Settings(
        database_url=postgres.url(OWNER if ALONE else SERVICE, name),
        owner_database_url=postgres.url(OWNER, name),
        worker_database_url=postgres.url(OWNER if ALONE else WORKER, name),
        data_dir=postgres.directory,
        encryption_keys=(KEY,),
    )


# What DISCARD ALL does, but prepared statements stay, for the sake of speed; psycopg knows them.
FORGET = """
    SET SESSION AUTHORIZATION DEFAULT; RESET ALL; UNLISTEN *; DISCARD TEMP; SELECT pg_advisory_unlock_all()
"""

KEPT = ("alembic_version", "log_keys", "encryption", "installation")
"""The tables whose rows all tests share."""

CATALOGS = {
    "pg_class": "oid",
    "pg_attribute": "attrelid",
    "pg_attrdef": "adrelid",
    "pg_index": "indexrelid",
    "pg_constraint": "oid",
    "pg_trigger": "tgrelid",
    "pg_policy": "oid",
    "pg_proc": "oid",
    "pg_type": "oid",
    "pg_namespace": "oid",
    "pg_statistic": "starelid",
}
"""The tables of PostgreSQL that describe a schema, with the column that tells ours from its own."""

ROWS = "SELECT (count(*), sum(hashtext(concat(ctid, xmin))::bigint))::text FROM"
MADE = "SELECT " + ", ".join(
    [f"({ROWS} {table} WHERE {oid} > 16383)" for table, oid in CATALOGS.items()]
    + ["(SELECT count(*) FROM pg_namespace)", "(SELECT count(*) FROM pg_db_role_setting)"]
    + [f"(SELECT array_agg(t::text ORDER BY t::text) FROM {table} t)::text" for table in KEPT]
)
"""What changes with any change of a schema, of what PostgreSQL knows of its rows, and of the shared rows."""

unused: dict[str, list[PooledConnection]] = defaultdict(list)
"""Open connections whose pools were closed, by address."""


class LastingConnection(PooledConnection):
    """A connection of a pool, or one that an earlier pool has left."""

    @classmethod
    def connect(cls, conninfo: str = "", **more: Any) -> Any:
        """Return a connection; an earlier test has used it, if there is one, and has left nothing in it."""
        while unused[conninfo]:
            connection = unused[conninfo].pop()
            with suppress(psycopg.OperationalError):  # a test has ended it
                psycopg.Connection.execute(connection, FORGET)
                connection.app_id = None
                return connection
        return super().connect(conninfo, **more)


class LastingPool(ConnectionPool[Any]):
    """A pool that leaves its idle connections to later pools for the same database."""

    def __init__(self, conninfo: str, **more: Any) -> None:
        super().__init__(conninfo, **{**more, "connection_class": LastingConnection, "num_workers": 1})

    def close(self, timeout: float = 5.0) -> None:
        """Close the pool, but not its connections, unless they are a command's, which works as the owner."""
        if conninfo_to_dict(str(self.conninfo)).get("user") == OWNER and not ALONE:
            return super().close(timeout)
        with self._lock:
            left, _ = list(self._pool), self._pool.clear()
        unused[str(self.conninfo)] += [
            each for each in left if each.pgconn.transaction_status == TransactionStatus.IDLE
        ]
        return super().close(timeout)


class Owner:
    """Connections of the tables' owner, one for each database, which all tests on that database share."""

    def __init__(self) -> None:
        self._engines: dict[str, Engine] = {}
        self._delete_all = ""

    def at(self, url: str) -> Engine:
        """Return an engine that has one connection to a database, and keeps it."""
        if url not in self._engines:
            self._engines[url] = create_engine(
                "postgresql+psycopg://", creator=lambda: psycopg.connect(libpq(url)), poolclass=StaticPool
            )
        return self._engines[url]

    def leave(self, url: str) -> None:
        """Close the connection to a database."""
        if url in self._engines:
            self._engines.pop(url).dispose()

    def empty(self, url: str) -> None:
        """End all other connections and delete every row, several times as fast as creating a database."""
        try:
            self._empty(url)
        except OperationalError:  # a test has ended the connection
            self.leave(url)
            self._empty(url)

    def made(self, url: str) -> tuple[str, ...]:
        """Return what tells whether anybody has changed a database otherwise than by its rows."""
        try:
            with self.at(url).begin() as connection:
                (row,) = connection.exec_driver_sql(MADE).fetchall()
        except OperationalError:  # a test has ended the connection
            return ()
        return tuple(row)

    def _empty(self, url: str) -> None:
        with self.at(url).begin() as connection:
            kept = [each.info.backend_pid for at in unused.values() for each in at if not each.closed]
            connection.exec_driver_sql(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()"
                " AND pid <> pg_backend_pid() AND pid <> ALL(%s)",
                (kept,),
            )
            if not self._delete_all:
                rows = connection.exec_driver_sql(
                    "SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> ALL(%s)",
                    (list(KEPT),),
                ).fetchall()
                self._delete_all = "; ".join(f'DELETE FROM "{name}"' for (name,) in rows)
                self._delete_all += "; DELETE FROM log_keys WHERE valid_until IS NOT NULL"
            # The triggers of the log, which forbid it, do not fire.
            connection.exec_driver_sql("SET LOCAL session_replication_role = replica")
            connection.exec_driver_sql(self._delete_all)
