"""Seeks, refused requests of apps, and webhooks that follow a game to its rematch."""

from __future__ import annotations

from alembic import op

revision = "0057"
down_revision = "0056"
branch_labels = None
depends_on = None

UPGRADE = """
CREATE TABLE seeks (
    id uuid PRIMARY KEY,
    app_id uuid NOT NULL REFERENCES apps,
    player_id uuid NOT NULL REFERENCES players,
    terms bytea NOT NULL,
    request text NOT NULL,
    ruleset text NOT NULL,
    pool text,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    game_id uuid
);
CREATE INDEX seeks_of_app ON seeks (app_id, id) WHERE game_id IS NULL;
CREATE UNIQUE INDEX seeks_by_terms ON seeks (app_id, terms, player_id) WHERE game_id IS NULL;
CREATE INDEX seeks_of_player ON seeks (player_id);
CREATE INDEX seeks_by_end ON seeks (expires_at);
CREATE TABLE refused_requests (
    id uuid PRIMARY KEY,
    app_id uuid NOT NULL REFERENCES apps,
    at timestamptz NOT NULL,
    request_id text NOT NULL,
    method text NOT NULL,
    path text NOT NULL,
    status integer NOT NULL,
    problem text NOT NULL,
    detail text,
    credential_id uuid NOT NULL,
    player_id uuid
);
CREATE INDEX refused_requests_of_app ON refused_requests (app_id, id);
CREATE INDEX refused_requests_by_age ON refused_requests (at);
ALTER TABLE webhooks ADD COLUMN follows_rematches boolean NOT NULL DEFAULT false;
"""


def upgrade() -> None:
    op.execute(UPGRADE)


def downgrade() -> None:
    op.execute("ALTER TABLE webhooks DROP COLUMN follows_rematches")
    op.execute("DROP TABLE refused_requests")
    op.execute("DROP TABLE seeks")
