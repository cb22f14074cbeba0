"""Add webhooks for one game, and the data besides ids that a webhook gets."""

from __future__ import annotations

from alembic import op

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE webhooks ADD COLUMN game_id uuid REFERENCES games")
    op.execute("ALTER TABLE webhooks ADD COLUMN include text[] NOT NULL DEFAULT '{}'")
    op.execute("ALTER TABLE webhooks ADD COLUMN ended_at timestamptz")
    op.execute("CREATE INDEX webhooks_listening ON webhooks (app_id, game_id) WHERE ended_at IS NULL")
    op.execute("CREATE INDEX webhooks_of_game ON webhooks (game_id, id) WHERE game_id IS NOT NULL")
    op.execute("CREATE INDEX webhooks_ended ON webhooks (ended_at) WHERE ended_at IS NOT NULL")


def downgrade() -> None:
    op.execute("DELETE FROM webhooks WHERE game_id IS NOT NULL")
    op.execute("DROP INDEX webhooks_ended, webhooks_of_game, webhooks_listening")
    op.execute("ALTER TABLE webhooks DROP COLUMN ended_at, DROP COLUMN include, DROP COLUMN game_id")
