"""Add functions of the owner for the few look-ups in rows of all apps (`api.run.row_security`)."""

from __future__ import annotations

from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

OWNERS = "SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp"

# plpgsql, because it keeps its plans between calls.
FUNCTIONS = f"""
-- The holder of a token, found by its hash; a row of nulls if there is none.
CREATE FUNCTION token_holder(digest bytea) RETURNS credentials LANGUAGE plpgsql STABLE {OWNERS} AS $$
DECLARE
    found credentials;
BEGIN
    SELECT * INTO found FROM credentials c WHERE c.hash = digest;
    RETURN found;
END $$;

-- The app of a game. A guest has only an invite code, which only the service can check.
CREATE FUNCTION app_of_game(game uuid) RETURNS uuid LANGUAGE plpgsql STABLE {OWNERS} AS $$
BEGIN
    RETURN (SELECT g.app_id FROM games g WHERE g.id = game);
END $$;

-- Whether a game of any app has this commitment.
CREATE FUNCTION knows_commitment(wanted bytea) RETURNS boolean LANGUAGE plpgsql STABLE {OWNERS} AS $$
BEGIN
    RETURN EXISTS (SELECT FROM games g WHERE g.commitment = wanted);
END $$;

-- The number of jobs that wait for the worker, for all apps together.
CREATE FUNCTION queue_depths(OUT deliveries bigint, OUT deliveries_due bigint, OUT deadlines_due bigint)
LANGUAGE plpgsql STABLE {OWNERS} AS $$
BEGIN
    SELECT (SELECT count(*) FROM deliveries d WHERE d.next_at IS NOT NULL),
           (SELECT count(*) FROM deliveries d WHERE d.next_at <= now()),
           (SELECT count(*) FROM game_seats s WHERE s.deadline <= now())
    INTO deliveries, deliveries_due, deadlines_due;
END $$;
"""


def upgrade() -> None:
    op.execute(FUNCTIONS.replace(":", r"\:"))


def downgrade() -> None:
    op.execute("DROP FUNCTION token_holder, app_of_game, knows_commitment, queue_depths")
