"""What alembic runs: the steps, on the connection and in the transaction that `api.run.migrate` opened."""

from alembic import context

context.configure(connection=context.config.attributes["connection"], transactional_ddl=True)
context.run_migrations()
