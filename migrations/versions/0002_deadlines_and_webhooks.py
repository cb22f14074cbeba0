"""Add deadlines and warnings with indexes for the worker, and webhooks with their deliveries."""

from __future__ import annotations

from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

DEADLINES = """
ALTER TABLE game_seats ADD COLUMN warn_at timestamptz;
CREATE INDEX deadlines ON game_seats (deadline) WHERE deadline IS NOT NULL;
CREATE INDEX warnings ON game_seats (warn_at) WHERE warn_at IS NOT NULL;
"""

# After a downgrade it is unknown who has been warned. A second warning is better than none.
WARNINGS = """
UPDATE game_seats s SET warn_at = s.deadline - (g.pace::json ->> 'warn_before')::interval
FROM games g
WHERE g.id = s.game_id AND s.deadline > now() AND g.pace::json ->> 'warn_before' IS NOT NULL
    AND s.deadline - (g.pace::json ->> 'warn_before')::interval > s.since;
"""

# `secret_before` also signs until `secret_before_until`. An empty list of events means all events.
WEBHOOKS = """
CREATE TABLE webhooks (
    id uuid PRIMARY KEY,
    app_id uuid NOT NULL REFERENCES apps,
    url text NOT NULL,
    events text[] NOT NULL,
    secret text NOT NULL,
    secret_before text,
    secret_before_until timestamptz,
    created_at timestamptz NOT NULL,
    failing_since timestamptz,
    disabled_at timestamptz
);
CREATE INDEX webhooks_of_app ON webhooks (app_id, id);

-- Deliveries in the order of `number`. `next_at` is null when there will be no further attempt.
CREATE TABLE deliveries (
    number bigint GENERATED ALWAYS AS IDENTITY,
    id uuid PRIMARY KEY,
    webhook_id uuid NOT NULL REFERENCES webhooks ON DELETE CASCADE,
    game_id uuid REFERENCES games,
    event text NOT NULL,
    payload text NOT NULL,
    created_at timestamptz NOT NULL,
    tries integer NOT NULL DEFAULT 0,
    next_at timestamptz,
    delivered_at timestamptz,
    attempts text NOT NULL DEFAULT '[]'
);
CREATE INDEX deliveries_of_webhook ON deliveries (webhook_id, id);
CREATE INDEX deliveries_due ON deliveries (next_at) WHERE next_at IS NOT NULL;
CREATE INDEX deliveries_in_order ON deliveries (webhook_id, game_id, number) WHERE next_at IS NOT NULL;
CREATE INDEX deliveries_by_age ON deliveries (created_at) WHERE next_at IS NULL;
"""


def upgrade() -> None:
    for script in (DEADLINES, WARNINGS, WEBHOOKS):
        op.execute(script.replace(":", r"\:"))


def downgrade() -> None:
    op.execute("DROP TABLE deliveries, webhooks")
    op.execute("DROP INDEX deadlines, warnings")
    op.execute("ALTER TABLE game_seats DROP COLUMN warn_at")
