"""The migrations of the database's schema, and its functions; `api.run.migrate` runs them.

`functions/*.sql` are run at every `migrate`, after the migrations: to change a function, change its file. A
migration is only needed where parameters or the result change: it drops the old one. A migration that adds a
trigger creates its function with an empty body, as `baseline.sql` does. A released migration is never edited;
until the first release, `baseline.sql` is.

A release only adds to the schema; what its code needs no longer is dropped by a later one.
"""

OLDEST_CODE = "0001"
"""The newest migration that the oldest code knows which still works with this schema: see `/readyz`."""
