"""Read a player's games from an index alone, by including the app, which row-level security checks.

Otherwise a list that goes through many games also reads each of them from the table.
"""

from __future__ import annotations

from alembic import op

revision = "0038"
down_revision = "0037"
branch_labels = None
depends_on = None

CHOSEN = "status, ruleset, visibility, imported, reason"
INDEXES = {
    "player_games_of_player": f"player_id, game_id, {CHOSEN}, won, ended_at, created_at",
    "player_games_by_creation": f"player_id, created_at, game_id, {CHOSEN}, won, ended_at",
    "player_games_by_end": f"player_id, ended_at, game_id, {CHOSEN}, won, created_at",
}


def upgrade() -> None:
    for name, columns in INDEXES.items():
        op.execute(f"DROP INDEX {name}")
        op.execute(f"CREATE INDEX {name} ON player_games ({columns}, app_id)")


def downgrade() -> None:
    for name, columns in INDEXES.items():
        op.execute(f"DROP INDEX {name}")
        op.execute(f"CREATE INDEX {name} ON player_games ({columns})")
