"""Add contacts of players (where and how often to notify them of turns), and the notices sent to them."""

from __future__ import annotations

from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None

OWNERS = "SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp"

TABLES = """
-- How to reach a player. `key` signs links that need no login. It and the address are encrypted.
-- `awaited` means that a mail is scheduled, or was sent and the player has not visited since.
CREATE TABLE contacts (
    player_id uuid PRIMARY KEY REFERENCES players,
    app_id uuid NOT NULL REFERENCES apps,
    key bytea NOT NULL,
    email bytea,
    confirmed_at timestamptz,
    refused_at timestamptz,
    preferences text NOT NULL DEFAULT '{}',
    awaited boolean NOT NULL DEFAULT false,
    mailed_at timestamptz
);
CREATE INDEX contacts_of_app ON contacts (app_id);

-- Notices to players. `next_at` is null when there will be no further attempt; `held` notices were not sent.
CREATE TABLE notices (
    number bigint GENERATED ALWAYS AS IDENTITY,
    id uuid PRIMARY KEY,
    app_id uuid NOT NULL REFERENCES apps,
    player_id uuid NOT NULL REFERENCES players,
    game_id uuid REFERENCES games,
    channel text NOT NULL,
    event text NOT NULL,
    payload text NOT NULL,
    urgent boolean NOT NULL,
    created_at timestamptz NOT NULL,
    tries integer NOT NULL DEFAULT 0,
    next_at timestamptz,
    delivered_at timestamptz,
    held boolean NOT NULL DEFAULT false,
    attempts text NOT NULL DEFAULT '[]'
);
CREATE INDEX notices_of_player ON notices (player_id, id);
CREATE INDEX notices_due ON notices (channel, next_at) WHERE next_at IS NOT NULL;
CREATE INDEX notices_waiting ON notices (player_id, number) WHERE next_at IS NOT NULL;
CREATE INDEX notices_by_age ON notices (created_at) WHERE next_at IS NULL;
"""

FUNCTIONS = f"""
-- The app of a player. A link in a mail comes without a token.
CREATE FUNCTION app_of_player(player uuid) RETURNS uuid LANGUAGE plpgsql STABLE {OWNERS} AS $$
BEGIN
    RETURN (SELECT c.app_id FROM contacts c WHERE c.player_id = player);
END $$;

-- Whether mail is scheduled for this player, or was sent and awaits a visit.
CREATE FUNCTION is_awaited(player uuid) RETURNS boolean LANGUAGE plpgsql STABLE {OWNERS} AS $$
BEGIN
    RETURN EXISTS (SELECT FROM contacts c WHERE c.player_id = player AND c.awaited);
END $$;
"""


def upgrade() -> None:
    op.execute(TABLES)
    op.execute(FUNCTIONS.replace(":", r"\:"))


def downgrade() -> None:
    op.execute("DROP FUNCTION app_of_player, is_awaited")
    op.execute("DROP TABLE notices, contacts")
