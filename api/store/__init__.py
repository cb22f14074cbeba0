"""The only SQL: rows in and out, no meaning."""
