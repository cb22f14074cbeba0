-- The schema. Until a first release it is edited; afterwards migrations change it. The bodies of functions are
-- in functions/*.sql; a trigger's function stands here with an empty body, because the trigger needs it.

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
    deleted_at timestamptz,
    external_id text,
    metadata jsonb NOT NULL DEFAULT '{}',
    made_by bytea
);
CREATE INDEX players_of_maker ON players (made_by) WHERE made_by IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX players_to_erase ON players (id) WHERE made_by IS NOT NULL AND deleted_at IS NOT NULL;
CREATE INDEX players_of_app ON players (app_id, id) WHERE deleted_at IS NULL;
CREATE UNIQUE INDEX players_external_id ON players (app_id, external_id) WHERE external_id IS NOT NULL;

-- App keys (player_id is null) and player tokens. Only their hashes are stored.
CREATE TABLE credentials (
    id uuid PRIMARY KEY,
    app_id uuid NOT NULL REFERENCES apps,
    player_id uuid REFERENCES players,
    hash bytea NOT NULL UNIQUE,
    scopes text[] NOT NULL,
    created_at timestamptz NOT NULL,
    expires_at timestamptz,
    revoked_at timestamptz,
    parent_id uuid REFERENCES credentials,
    device text,
    name text,
    prefix text
);
CREATE INDEX credentials_of_player ON credentials (player_id, id);
CREATE INDEX credentials_of_app ON credentials (app_id, id) WHERE player_id IS NULL;
CREATE INDEX credentials_of_parent ON credentials (parent_id) WHERE parent_id IS NOT NULL;

CREATE TABLE test_clocks (
    id uuid PRIMARY KEY,
    app_id uuid NOT NULL REFERENCES apps,
    name text,
    "time" timestamptz NOT NULL,
    created_at timestamptz NOT NULL,
    deleted_at timestamptz
);
CREATE INDEX test_clocks_of_app ON test_clocks (app_id, id) WHERE deleted_at IS NULL;

-- The current state of games. JSON is stored as text, which is cheaper, because only the service reads it.
-- Encrypted columns are stored EXTERNAL, because they cannot be compressed. The columns that moves do not
-- change come last: a move logs what is between the first and the last changed byte. Tables that each move
-- changes are analysed only after some thousand changes: plans made for a few rows would be kept too long.
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
    head bytea NOT NULL,
    drawn integer NOT NULL,
    position bytea,
    result text,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    imported_by text,
    commitment bytea,
    title text,
    external_id text,
    metadata jsonb NOT NULL DEFAULT '{}',
    seats_private boolean NOT NULL DEFAULT false,
    rematch_of uuid,
    rematch uuid,
    test_clock uuid REFERENCES test_clocks,
    distinct_players boolean NOT NULL DEFAULT false,
    dealing text,
    reveal_by timestamptz,
    ended_at timestamptz NOT NULL DEFAULT 'infinity', -- so that running games sort after those that have ended
    reason text,
    imported boolean NOT NULL DEFAULT false,
    sitting text NOT NULL,
    seed bytea NOT NULL,
    chat jsonb,
    made_by bytea,
    asked jsonb
) WITH (fillfactor = 70, toast_tuple_target = 8160,
    autovacuum_analyze_threshold = 20000, autovacuum_vacuum_threshold = 20000);
ALTER TABLE games ALTER COLUMN position SET STORAGE EXTERNAL;
CREATE UNIQUE INDEX games_external_id ON games (app_id, external_id) WHERE external_id IS NOT NULL;
CREATE INDEX games_of_commitment ON games (commitment);
CREATE INDEX games_of_maker ON games (made_by) WHERE made_by IS NOT NULL AND ended_at = 'infinity';
CREATE INDEX games_of_test_clock ON games (test_clock, id) WHERE test_clock IS NOT NULL;
CREATE INDEX games_to_reveal ON games (reveal_by) WHERE reveal_by IS NOT NULL;
-- An index of a list also contains what its games are filtered by, so only the rows on the page are fetched.
CREATE INDEX games_of_app ON games
    (app_id, id, status, ruleset, visibility, imported, reason, ended_at, created_at);
CREATE INDEX games_by_creation ON games
    (app_id, created_at, id, status, ruleset, visibility, imported, reason, ended_at);
CREATE INDEX games_by_end ON games
    (app_id, ended_at, id, status, ruleset, visibility, imported, reason, created_at);
CREATE INDEX games_public ON games (id, status, ruleset, imported, reason, ended_at, created_at)
    WHERE visibility = 'public';
CREATE INDEX games_public_by_creation ON games
    (created_at, id, status, ruleset, imported, reason, ended_at) WHERE visibility = 'public';
CREATE INDEX games_public_by_end ON games (ended_at, id, status, ruleset, imported, reason, created_at)
    WHERE visibility = 'public';

-- A copy of the seats, to find games by player.
CREATE TABLE game_seats (
    game_id uuid NOT NULL REFERENCES games,
    seat integer NOT NULL,
    player_id uuid,
    bot text,
    PRIMARY KEY (game_id, seat)
) WITH (fillfactor = 70, autovacuum_analyze_threshold = 20000, autovacuum_vacuum_threshold = 20000);

-- The seats for which running games wait.
CREATE TABLE turns (
    game_id uuid NOT NULL REFERENCES games,
    app_id uuid NOT NULL,
    test_clock uuid,
    player_id uuid,
    seat integer NOT NULL,
    automatic boolean NOT NULL,
    since timestamptz NOT NULL,
    deadline timestamptz,
    warn_at timestamptz,
    PRIMARY KEY (game_id, seat)
) WITH (fillfactor = 70, autovacuum_analyze_threshold = 20000, autovacuum_vacuum_threshold = 20000);
CREATE INDEX turns_of_player ON turns (player_id, deadline, since, game_id) WHERE player_id IS NOT NULL;
CREATE INDEX turns_by_itself ON turns (game_id) WHERE automatic;
CREATE INDEX deadlines ON turns (deadline) WHERE deadline IS NOT NULL AND test_clock IS NULL;
CREATE INDEX warnings ON turns (warn_at) WHERE warn_at IS NOT NULL AND test_clock IS NULL;
CREATE INDEX turns_by_test_clock ON turns (test_clock, deadline) WHERE test_clock IS NOT NULL;

CREATE TABLE player_games (
    game_id uuid NOT NULL REFERENCES games,
    player_id uuid NOT NULL REFERENCES players,
    app_id uuid NOT NULL REFERENCES apps,
    status text NOT NULL,
    ruleset text NOT NULL,
    visibility text NOT NULL,
    imported boolean NOT NULL,
    reason text,
    created_at timestamptz NOT NULL,
    ended_at timestamptz NOT NULL,
    won boolean NOT NULL,
    PRIMARY KEY (game_id, player_id)
);
CREATE INDEX player_games_of_player ON player_games
    (player_id, game_id, status, ruleset, visibility, imported, reason, won, ended_at, created_at, app_id);
CREATE INDEX player_games_by_creation ON player_games
    (player_id, created_at, game_id, status, ruleset, visibility, imported, reason, won, ended_at, app_id);
CREATE INDEX player_games_by_end ON player_games
    (player_id, ended_at, game_id, status, ruleset, visibility, imported, reason, won, created_at, app_id);

-- `seats`: how many the player held at the end; 0 for one who ran out of time and was replaced.
CREATE TABLE player_results (
    game_id uuid NOT NULL REFERENCES games,
    player_id uuid NOT NULL REFERENCES players,
    app_id uuid NOT NULL REFERENCES apps,
    ruleset text NOT NULL,
    seats integer NOT NULL,
    won boolean NOT NULL,
    points bigint NOT NULL,
    timeouts integer NOT NULL,
    PRIMARY KEY (game_id, player_id)
);
CREATE INDEX player_results_of_player ON player_results (player_id, game_id)
    INCLUDE (ruleset, seats, won, points, timeouts);

-- When somebody last had a stream of a game open. `who` is a player, or a stream of somebody without a name.
CREATE TABLE followers (
    game_id uuid NOT NULL REFERENCES games,
    who uuid NOT NULL,
    app_id uuid NOT NULL REFERENCES apps,
    watching boolean NOT NULL,
    seen_at timestamptz NOT NULL,
    PRIMARY KEY (game_id, who)
);
CREATE INDEX followers_watching ON followers (game_id) WHERE watching;

-- What is known of a player's skill in a game; `referee ratings` computes it again from the records.
CREATE TABLE ratings (
    player_id uuid NOT NULL REFERENCES players,
    ruleset text NOT NULL,
    app_id uuid NOT NULL REFERENCES apps,
    mu double precision NOT NULL,
    sigma double precision NOT NULL,
    games integer NOT NULL,
    -- Points in reverse order. A column, because row-level security keeps expressions from being looked up.
    worse double precision NOT NULL GENERATED ALWAYS AS (3 * sigma - mu) STORED,
    PRIMARY KEY (player_id, ruleset)
);
CREATE INDEX ratings_best ON ratings (app_id, ruleset, worse, player_id);

-- The last leaf of the log of all games whose game was looked at; one row.
CREATE TABLE ratings_read (
    one boolean PRIMARY KEY CHECK (one),
    leaf bigint NOT NULL
);

-- The log, partitioned by the month in which games began, which is in their ids (UUIDv7). Everyone sees
-- `public`; `private` maps each seat to its hidden part; `hash` chains the entries; `tick` orders feeds.
-- `request` is a hash of the credential and the Idempotency-Key with which a caller asked for the entry.
-- There is no foreign key to games, which would lock the row that the same statement has just written.
CREATE TABLE entries (
    game_id uuid NOT NULL,
    seq integer NOT NULL,
    public text NOT NULL,
    private bytea,
    hash bytea NOT NULL,
    app_id uuid NOT NULL,
    tick bigint NOT NULL,
    notice text,
    request uuid,
    fingerprint bytea,
    PRIMARY KEY (game_id, seq)
) PARTITION BY RANGE (game_id);
ALTER TABLE entries ALTER COLUMN private SET STORAGE EXTERNAL;
CREATE INDEX entries_in_order ON entries (app_id, tick, game_id, seq);
CREATE UNIQUE INDEX entries_by_request ON entries (game_id, request) WHERE request IS NOT NULL;
-- For months without a partition of their own, so that no move fails because one is missing.
CREATE TABLE entries_rest (LIKE entries INCLUDING STORAGE);
ALTER TABLE entries ATTACH PARTITION entries_rest DEFAULT;

-- What people are called and say in the log, under whose hash an entry stands, until the person is deleted.
CREATE TABLE words (
    game_id uuid NOT NULL REFERENCES games,
    seq integer NOT NULL,
    app_id uuid NOT NULL,
    player_id uuid,
    share text NOT NULL,
    PRIMARY KEY (game_id, seq)
);
CREATE INDEX words_of_player ON words (player_id, game_id) WHERE player_id IS NOT NULL;

-- Rows are added by requests that read an old version. `form` says how to read `state`.
CREATE TABLE snapshots (
    game_id uuid NOT NULL REFERENCES games,
    form integer NOT NULL,
    version integer NOT NULL,
    state bytea NOT NULL,
    PRIMARY KEY (game_id, form, version)
);
ALTER TABLE snapshots ALTER COLUMN state SET STORAGE EXTERNAL;

CREATE TABLE standing_orders (
    game_id uuid NOT NULL REFERENCES games,
    seat integer NOT NULL,
    player_id uuid NOT NULL,
    moves bytea NOT NULL,
    cancelled bytea,
    PRIMARY KEY (game_id, seat)
);

-- Who besides a seat's player saw its cards during the game.
CREATE TABLE looks (
    game_id uuid NOT NULL REFERENCES games,
    what text NOT NULL,
    seat integer NOT NULL,
    credential_id uuid NOT NULL,
    by text NOT NULL,
    at timestamptz NOT NULL,
    PRIMARY KEY (game_id, what, seat, credential_id)
);

-- Imported records by their fingerprint, so that each is imported only once.
CREATE TABLE imports (
    app_id uuid NOT NULL REFERENCES apps,
    fingerprint bytea NOT NULL,
    game_id uuid NOT NULL,
    PRIMARY KEY (app_id, fingerprint)
);
CREATE INDEX imports_of_game ON imports (game_id);

-- Of each month that was taken out of the database, and each app, the tick up to which its feed lacks entries.
CREATE TABLE detached (
    app_id uuid NOT NULL REFERENCES apps,
    month text NOT NULL,
    tick bigint NOT NULL,
    PRIMARY KEY (app_id, month)
);

-- The first answer to a request with an Idempotency-Key that writes no entry of a game's log, or hands out a
-- secret; stored in the transaction of the request. `key` is the start of its SHA-256. No index contains the age: old answers are found by reading the table.
CREATE TABLE idempotency (
    owner uuid NOT NULL,
    key uuid NOT NULL,
    created_at timestamptz NOT NULL,
    fingerprint bytea NOT NULL,
    body bytea,
    PRIMARY KEY (owner, key)
) WITH (toast_tuple_target = 8160);
ALTER TABLE idempotency ALTER COLUMN body SET STORAGE EXTERNAL;

-- The prefix of the key that encrypts everything, not the key itself. No row means that nothing is encrypted.
CREATE TABLE encryption (
    single boolean PRIMARY KEY DEFAULT true CHECK (single),
    prefix bytea NOT NULL,
    complete boolean NOT NULL DEFAULT true
);

-- The keys that sign receipts. The newest has no end.
CREATE TABLE log_keys (
    public_key bytea PRIMARY KEY,
    name text NOT NULL,
    private_key bytea,
    valid_from timestamptz NOT NULL,
    valid_until timestamptz,
    restored boolean NOT NULL DEFAULT false,
    endorsement text,
    CONSTRAINT log_keys_public_key_check CHECK (length(public_key) = 32),
    CONSTRAINT log_keys_valid_until_check CHECK (valid_until >= valid_from)
);
ALTER TABLE log_keys ALTER COLUMN private_key SET STORAGE EXTERNAL;
CREATE UNIQUE INDEX log_keys_current ON log_keys ((valid_until IS NULL)) WHERE valid_until IS NULL;

-- Future leaves of the log of all games, queued by any transaction that creates or ends a game.
CREATE TABLE tree_queue (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    game_id uuid NOT NULL REFERENCES games,
    ended boolean NOT NULL
);
-- The leaves in their order. Everybody may read them, but only the worker knows the game of each.
CREATE TABLE tree_leaves (
    number bigint PRIMARY KEY,
    game_id uuid,
    ended boolean NOT NULL,
    commitment bytea NOT NULL,
    data bytea NOT NULL
);
CREATE INDEX tree_leaves_of_game ON tree_leaves (commitment, number);
-- Their hashes, and those of complete subtrees of 256, 65536, … leaves, 256 to a row (fewer in the last).
CREATE TABLE tree_tiles (
    level integer NOT NULL,
    number bigint NOT NULL,
    hashes bytea NOT NULL,
    PRIMARY KEY (level, number)
);
-- The root of the tree at each published size.
CREATE TABLE tree_heads (
    size bigint PRIMARY KEY,
    root bytea NOT NULL,
    made_at timestamptz NOT NULL
);

-- Signatures of witnesses under heads of the tree.
CREATE TABLE tree_cosignatures (
    size bigint NOT NULL REFERENCES tree_heads,
    witness text NOT NULL,
    line text NOT NULL,
    at timestamptz NOT NULL,
    PRIMARY KEY (size, witness)
);

-- `secret_before` also signs until `secret_before_until`. An empty list of events means all events.
CREATE TABLE webhooks (
    id uuid PRIMARY KEY,
    app_id uuid NOT NULL REFERENCES apps,
    url text NOT NULL,
    host text NOT NULL GENERATED ALWAYS AS (
        lower(COALESCE("substring"(url, '^[^:]*://([^/?#:[]+|\[[^]]*\])'::text), ''::text))
    ) STORED,
    events text[] NOT NULL,
    secret bytea NOT NULL,
    secret_before bytea,
    secret_before_until timestamptz,
    created_at timestamptz NOT NULL,
    failing_since timestamptz,
    disabled_at timestamptz,
    external_id text,
    metadata jsonb NOT NULL DEFAULT '{}',
    include text[] NOT NULL DEFAULT '{}',
    tick bigint NOT NULL DEFAULT 0
);
CREATE INDEX webhooks_of_app ON webhooks (app_id, id);
CREATE UNIQUE INDEX webhooks_external_id ON webhooks (app_id, external_id) WHERE external_id IS NOT NULL;

-- What is sent to webhooks and players, in the order of `number`. `next_at` is null when there will be no further
-- attempt; what is `held` was not needed any more.
CREATE TABLE outbox (
    number bigint GENERATED ALWAYS AS IDENTITY,
    id uuid PRIMARY KEY,
    app_id uuid NOT NULL REFERENCES apps,
    channel text NOT NULL,
    receiver_id uuid NOT NULL,
    game_id uuid,
    event text NOT NULL,
    payload text NOT NULL,
    in_order boolean NOT NULL DEFAULT false,
    urgent boolean NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL,
    tries integer NOT NULL DEFAULT 0,
    next_at timestamptz,
    delivered_at timestamptz,
    held boolean NOT NULL DEFAULT false,
    attempts text NOT NULL DEFAULT '[]'
);
CREATE INDEX outbox_of_receiver ON outbox (receiver_id, id);
CREATE INDEX outbox_of_event ON outbox (receiver_id, event, id);
CREATE INDEX outbox_not_delivered ON outbox (receiver_id, id) WHERE next_at IS NULL AND delivered_at IS NULL;
CREATE INDEX outbox_due ON outbox (channel, next_at) WHERE next_at IS NOT NULL;
CREATE INDEX outbox_due_of_receiver ON outbox (channel, receiver_id, next_at, number) WHERE next_at IS NOT NULL;
CREATE INDEX outbox_in_order ON outbox (receiver_id, game_id, number) WHERE next_at IS NOT NULL;
CREATE INDEX outbox_by_age ON outbox (created_at) WHERE next_at IS NULL;

-- How to reach a player. `key` signs links that need no login. It and the address are encrypted.
CREATE TABLE contacts (
    player_id uuid PRIMARY KEY REFERENCES players,
    app_id uuid NOT NULL REFERENCES apps,
    key bytea NOT NULL,
    email bytea,
    confirmed_at timestamptz,
    refused_at timestamptz,
    preferences text NOT NULL DEFAULT '{}',
    visited_at timestamptz,
    mailed_at timestamptz,
    mailbox integer,
    set_by uuid,
    account bytea
);
CREATE INDEX contacts_of_app ON contacts (app_id);
CREATE UNIQUE INDEX contacts_account ON contacts (account) WHERE account IS NOT NULL;

-- Browsers in which a player allowed push messages: the encrypted address and keys of each.
CREATE TABLE push_subscriptions (
    id uuid PRIMARY KEY,
    app_id uuid NOT NULL REFERENCES apps,
    player_id uuid NOT NULL REFERENCES players,
    subscription bytea NOT NULL,
    created_at timestamptz NOT NULL,
    credential_id uuid
);
CREATE INDEX push_subscriptions_of_player ON push_subscriptions (player_id, id);

-- Mails with a code to sign in.
CREATE TABLE sign_ins (
    id uuid PRIMARY KEY,
    address bytea NOT NULL,
    codes bytea[] NOT NULL DEFAULT '{}',
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    used_at timestamptz,
    tries integer NOT NULL DEFAULT 0,
    next_at timestamptz,
    language text NOT NULL DEFAULT 'en',
    restores uuid,
    guest uuid,
    typed bytea,
    typed_until timestamptz,
    guesses integer NOT NULL DEFAULT 0
);
CREATE INDEX sign_ins_due ON sign_ins (next_at) WHERE next_at IS NOT NULL;
CREATE INDEX sign_ins_by_age ON sign_ins (expires_at);

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

-- How far the log of each app has been announced.
CREATE TABLE notice_positions (
    app_id uuid PRIMARY KEY REFERENCES apps,
    tick bigint NOT NULL,
    game_id uuid NOT NULL,
    seq integer NOT NULL
);

-- The mails that strangers may cause.
CREATE TABLE allowances (bucket bytea PRIMARY KEY, used_until timestamptz NOT NULL);
CREATE INDEX allowances_by_age ON allowances (used_until);

-- What belongs to the whole installation: a secret, restored backups, when the service was last up
-- and when not, its processes, and its backups.
CREATE TABLE installation (
    single boolean PRIMARY KEY DEFAULT true CONSTRAINT installation_single_check CHECK (single),
    secret bytea NOT NULL,
    database text NOT NULL
);
CREATE TABLE restorations (
    epoch bigint PRIMARY KEY,
    tick bigint NOT NULL,
    at timestamptz NOT NULL
);
CREATE TABLE heartbeat (
    single boolean PRIMARY KEY DEFAULT true CONSTRAINT heartbeat_single_check CHECK (single),
    at timestamptz NOT NULL
);
CREATE TABLE outages (
    ended_at timestamptz PRIMARY KEY,
    began_at timestamptz NOT NULL,
    settled boolean NOT NULL DEFAULT false,
    CONSTRAINT outages_ended_at_check CHECK (ended_at > began_at)
);
CREATE TABLE processes (
    id uuid PRIMARY KEY,
    kind text NOT NULL,
    release text NOT NULL,
    keys text[] NOT NULL,
    started_at timestamptz NOT NULL,
    seen_at timestamptz NOT NULL
);
CREATE TABLE backups (
    written_at timestamptz PRIMARY KEY,
    bytes bigint NOT NULL,
    kind text NOT NULL DEFAULT 'backup'
);

-- After a restore in another cluster, transactions are numbered differently. `migrate` then replaces this so
-- that ticks continue where they stopped (api.store.feed). It is no file, since its value is data.
CREATE FUNCTION feed_offset() RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS 'SELECT 0::bigint';

CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN END';
CREATE FUNCTION refuse_to_lose_log() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN END';
CREATE FUNCTION refuse_other_hashes() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN END';
CREATE FUNCTION refuse_longer_life() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN END';
CREATE FUNCTION tell_of_credential() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN END';
CREATE FUNCTION queue_leaf() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN END';

-- A statement-level trigger fires only for the table that the statement names: the whole log or a partition
-- (guard_part_of_log). Only the owner may encrypt the private part of an entry with another key.
CREATE TRIGGER append_only
    BEFORE UPDATE OF game_id, seq, public, hash, app_id, tick, request, fingerprint OR DELETE OR TRUNCATE
    ON entries FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only_unless_resealed BEFORE UPDATE ON entries FOR EACH STATEMENT
    WHEN (current_setting('card_referee.resealing', true) IS DISTINCT FROM 'on')
    EXECUTE FUNCTION refuse_change();
CREATE TRIGGER log_stays BEFORE DELETE ON games FOR EACH ROW EXECUTE FUNCTION refuse_to_lose_log();

-- A leaf of the log of all games may lose its game, and nothing else.
CREATE TRIGGER append_only BEFORE UPDATE OF number, ended, commitment, data OR DELETE OR TRUNCATE
    ON tree_leaves FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER game_goes BEFORE UPDATE OF game_id ON tree_leaves FOR EACH ROW
    WHEN (NEW.game_id IS NOT NULL) EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON tree_heads
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON tree_cosignatures
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only BEFORE DELETE OR TRUNCATE ON tree_tiles
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER add_only BEFORE UPDATE ON tree_tiles FOR EACH ROW
    WHEN (OLD.level <> NEW.level OR OLD.number <> NEW.number
        OR substring(NEW.hashes FROM 1 FOR length(OLD.hashes)) <> OLD.hashes)
    EXECUTE FUNCTION refuse_other_hashes();
CREATE TRIGGER leaf_of_new_game AFTER INSERT ON games FOR EACH ROW EXECUTE FUNCTION queue_leaf();
CREATE TRIGGER leaf_of_ended_game AFTER UPDATE OF status ON games FOR EACH ROW
    WHEN (OLD.status IS DISTINCT FROM NEW.status AND NEW.status IN ('finished', 'cancelled'))
    EXECUTE FUNCTION queue_leaf();

CREATE TRIGGER credential_ends BEFORE UPDATE ON credentials FOR EACH ROW WHEN (
    NEW.revoked_at IS DISTINCT FROM OLD.revoked_at AND OLD.revoked_at IS NOT NULL
    OR OLD.expires_at IS NOT NULL AND (NEW.expires_at IS NULL OR NEW.expires_at > OLD.expires_at)
) EXECUTE FUNCTION refuse_longer_life();
CREATE TRIGGER credential_changed AFTER UPDATE ON credentials
    FOR EACH ROW WHEN (OLD IS DISTINCT FROM NEW) EXECUTE FUNCTION tell_of_credential();
