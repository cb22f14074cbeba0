"""The database's schema, step by step; `api.migrate` runs them."""
