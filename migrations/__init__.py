"""The migrations of the database's schema; `api.run.migrate` runs them."""
