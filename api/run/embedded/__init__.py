"""The supervisor of the embedded PostgreSQL."""
