"""The database's schema, step by step; `api.run.migrate` runs them."""
