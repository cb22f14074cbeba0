"""Add apps, credentials, players, games, seats, and the append-only logs of games."""

from __future__ import annotations

from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

TABLES = """
CREATE TABLE apps (
    id uuid PRIMARY KEY,
    name text NOT NULL UNIQUE,
    created_at timestamptz NOT NULL
);

CREATE TABLE players (
    id uuid PRIMARY KEY,
    app_id uuid NOT NULL REFERENCES apps,
    name text NOT NULL,
    created_at timestamptz NOT NULL,
    deleted_at timestamptz
);
CREATE INDEX players_of_app ON players (app_id, id) WHERE deleted_at IS NULL;

-- App keys (player_id is null) and player tokens. Only their hashes are stored.
CREATE TABLE credentials (
    id uuid PRIMARY KEY,
    app_id uuid NOT NULL REFERENCES apps,
    player_id uuid REFERENCES players,
    hash bytea NOT NULL UNIQUE,
    scopes text[] NOT NULL,
    created_at timestamptz NOT NULL,
    expires_at timestamptz,
    revoked_at timestamptz
);
CREATE INDEX credentials_of_player ON credentials (player_id, id);
CREATE INDEX credentials_of_app ON credentials (app_id, id) WHERE player_id IS NULL;

-- The current state of games. JSON is stored as text, which is cheaper, because only the service reads it.
CREATE TABLE games (
    id uuid PRIMARY KEY,
    app_id uuid NOT NULL REFERENCES apps,
    ruleset text NOT NULL,
    ruleset_version integer NOT NULL,
    options text NOT NULL,
    visibility text NOT NULL CHECK (visibility IN ('public', 'unlisted', 'private')),
    pace text,
    status text NOT NULL CHECK (status IN ('open', 'running', 'finished', 'cancelled')),
    version integer NOT NULL,
    seats text NOT NULL,
    seed bytea NOT NULL,
    head bytea NOT NULL,
    drawn integer NOT NULL,
    position text,
    result text,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL
) WITH (fillfactor = 70, toast_tuple_target = 8160);
CREATE INDEX games_of_app ON games (app_id, id);
CREATE INDEX games_public ON games (id) WHERE visibility = 'public';

-- A copy of the seats, to find games and turns by player. `since` is set while the game waits for this seat.
CREATE TABLE game_seats (
    game_id uuid NOT NULL REFERENCES games,
    seat integer NOT NULL,
    player_id uuid REFERENCES players,
    bot text,
    since timestamptz,
    deadline timestamptz,
    PRIMARY KEY (game_id, seat)
) WITH (fillfactor = 70);
CREATE INDEX game_seats_of_player ON game_seats (player_id, game_id) WHERE player_id IS NOT NULL;
CREATE INDEX turns_of_player ON game_seats (player_id, deadline, since, game_id, seat)
    WHERE since IS NOT NULL;
CREATE INDEX turns_of_bots ON game_seats (game_id) WHERE bot IS NOT NULL AND since IS NOT NULL;

-- The log. Everyone sees `public`; `private` maps each seat to its hidden part; `hash` chains the entries.
CREATE TABLE entries (
    game_id uuid NOT NULL REFERENCES games,
    seq integer NOT NULL,
    public text NOT NULL,
    private text,
    hash bytea NOT NULL,
    PRIMARY KEY (game_id, seq)
);

-- Imported records by their fingerprint, so that each is imported only once.
CREATE TABLE imports (
    app_id uuid NOT NULL REFERENCES apps,
    fingerprint bytea NOT NULL,
    game_id uuid NOT NULL REFERENCES games,
    PRIMARY KEY (app_id, fingerprint)
);

-- The first answer to a request with an Idempotency-Key, stored in the transaction of the request.
CREATE TABLE idempotency (
    owner uuid NOT NULL,
    key text NOT NULL,
    fingerprint bytea NOT NULL,
    status integer,
    headers text,
    body bytea,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (owner, key)
);
CREATE INDEX idempotency_by_age ON idempotency (created_at);
"""

APPEND_ONLY = """
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the log is append-only: % is refused', TG_OP
        USING ERRCODE = 'integrity_constraint_violation';
END $$;
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON entries
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE FUNCTION refuse_gap() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    due integer;
BEGIN
    SELECT coalesce(max(seq), 0) + 1 INTO due FROM entries WHERE game_id = NEW.game_id;
    IF NEW.seq <> due THEN
        RAISE EXCEPTION 'the next entry is %, not %', due, NEW.seq
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER no_gap BEFORE INSERT ON entries FOR EACH ROW EXECUTE FUNCTION refuse_gap();
"""

# The role that the service runs as, if the database has a separate one (see api.run.migrate).
LEAST_RIGHTS = """
DO $$ BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'card_referee_app') THEN
        REVOKE DELETE ON apps, players, credentials, games, game_seats, imports FROM card_referee_app;
        REVOKE UPDATE, DELETE, TRUNCATE ON entries FROM card_referee_app;
    END IF;
END $$;
"""


def upgrade() -> None:
    for script in (TABLES, APPEND_ONLY, LEAST_RIGHTS):
        op.execute(script.replace(":", r"\:"))


def downgrade() -> None:
    op.execute("DROP TABLE entries, imports, idempotency, game_seats, games, credentials, players, apps")
    op.execute("DROP FUNCTION refuse_change, refuse_gap")
