"""Alembic's environment: it runs on the connection and in the transaction that `api.run.migrate` opened."""

from alembic import context

from api.features import load_features
from api.store.tables import metadata
from api.store.tables.games import PARTS_OF_LOG

load_features()  # with their tables


def is_declared(name: str | None, kind: str, parents: object) -> bool:
    """Return whether an object of the database should be declared: partitions of the log should not."""
    return kind != "table" or not (name or "").startswith(PARTS_OF_LOG)


context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    compare_server_default=True,
    include_name=is_declared,
    transactional_ddl=True,
)
context.run_migrations()
