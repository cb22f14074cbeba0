"""Record who besides a seat's player saw its cards during the game; the game's last entry lists them."""

from __future__ import annotations

from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None

LOOKS = """
CREATE TABLE looks (
    game_id uuid NOT NULL REFERENCES games (id),
    what text NOT NULL,
    seat integer NOT NULL,
    credential_id uuid NOT NULL,
    by text NOT NULL,
    at timestamptz NOT NULL,
    PRIMARY KEY (game_id, what, seat, credential_id)
);
"""


def upgrade() -> None:
    op.execute(LOOKS)


def downgrade() -> None:
    op.execute("DROP TABLE looks")
