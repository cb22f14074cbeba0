"""Kept answers, the private parts of entries, and what a move changes of a game, made shorter.

A kept answer has the beginning of its key's SHA-256 instead of the key, half of its fingerprint, and a
signature as bytes (`api.store.answers`). No index has its age: who deletes what is old reads the table, once
an hour. Those that are kept today stay, in a new table: what is sealed with the key needs it to be opened.

A game's seed, which no move changes, lay between columns that each move changes, and was written to the log
of the database with them. It goes to the end of the row: every game is written anew once.

Private parts of entries are packed from here on (`api.store.database.packing`).
"""

from __future__ import annotations

from alembic import op

revision = "0039"
down_revision = "0038"
branch_labels = None
depends_on = None

ANSWERS = """
ALTER TABLE idempotency RENAME TO idempotency_before;
ALTER TABLE idempotency_before RENAME CONSTRAINT idempotency_pkey TO idempotency_before_pkey;
CREATE TABLE idempotency (
    owner uuid NOT NULL,
    key uuid NOT NULL,
    created_at timestamptz NOT NULL,
    status integer,
    final boolean NOT NULL DEFAULT true,
    fingerprint bytea NOT NULL,
    headers text,
    body bytea,
    signature bytea NOT NULL DEFAULT '',
    sealed_by text NOT NULL DEFAULT '',
    PRIMARY KEY (owner, key)
) WITH (toast_tuple_target = 8160);
ALTER TABLE idempotency ALTER COLUMN body SET STORAGE EXTERNAL;
INSERT INTO idempotency (owner, key, created_at, status, final, fingerprint, headers, body, sealed_by)
    SELECT owner, encode(substring(sha256(convert_to(key, 'UTF8')) FOR 16), 'hex')::uuid, created_at, status,
        final, substring(fingerprint FOR 16), headers, body, CASE WHEN length(body) > 0 THEN key ELSE '' END
    FROM idempotency_before;
DROP TABLE idempotency_before;
"""

GAMES = """
ALTER TABLE games ADD COLUMN seed_behind bytea;
UPDATE games SET seed_behind = seed;
ALTER TABLE games ALTER COLUMN seed_behind SET NOT NULL, DROP COLUMN seed;
ALTER TABLE games RENAME COLUMN seed_behind TO seed;
"""


def upgrade() -> None:
    for script in (ANSWERS, GAMES):
        op.execute(script.replace(":", r"\:"))


def downgrade() -> None:
    raise NotImplementedError(
        "releases before this one cannot read packed entries, nor keys of which a hash is left"
    )
