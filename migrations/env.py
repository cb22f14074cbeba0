"""What alembic runs: the steps, on the connection and in the transaction that `api.run.migrate` opened."""

from alembic import context

from api.store.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    compare_server_default=True,
    transactional_ddl=True,
)
context.run_migrations()
