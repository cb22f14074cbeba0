"""The few look-ups that reach beyond one app's rows, as functions of the owner (`api.run.row_security`)."""

from __future__ import annotations

from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

OWNERS = "SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp"

# plpgsql keeps its plans from call to call.
FUNCTIONS = f"""
-- Whose token this is, by its hash; a row of nulls where there is none.
CREATE FUNCTION token_holder(digest bytea) RETURNS credentials LANGUAGE plpgsql STABLE {OWNERS} AS $$
DECLARE
    found credentials;
BEGIN
    SELECT * INTO found FROM credentials c WHERE c.hash = digest;
    RETURN found;
END $$;

-- Which app a game is of: a guest has nothing but an invite code, and only the service can check that.
CREATE FUNCTION app_of_game(game uuid) RETURNS uuid LANGUAGE plpgsql STABLE {OWNERS} AS $$
BEGIN
    RETURN (SELECT g.app_id FROM games g WHERE g.id = game);
END $$;

-- Whether a game of any app has this commitment.
CREATE FUNCTION knows_commitment(wanted bytea) RETURNS boolean LANGUAGE plpgsql STABLE {OWNERS} AS $$
BEGIN
    RETURN EXISTS (SELECT FROM games g WHERE g.commitment = wanted);
END $$;

-- How much waits for the job worker, of all apps together.
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
