"""Shorten kept answers, the private parts of entries, and the part of a game's row that moves change.

A kept answer contains the first bytes of its key's SHA-256 instead of the key, half of its fingerprint, and a
signature as bytes (`api.store.answers`). No index contains its age: old answers are found by reading the
table once an hour. Existing answers stay, in a new table, because their encryption is bound to the full key.

A game's seed, which no move changes, was between columns that each move changes, so it was written to the
database's log with them. It moves to the end of the row, which rewrites every game once.

From here on, private parts of entries are packed (`api.store.database.packing`).
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
