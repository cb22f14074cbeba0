-- Look-ups in rows of all apps, with the owner's rights (`api.run.row_security` says who may call them).
-- In plpgsql, because it keeps its plans between calls.

-- The holder of a token, found by its hash; a row of nulls if there is none.
CREATE OR REPLACE FUNCTION token_holder(digest bytea) RETURNS credentials LANGUAGE plpgsql STABLE
SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    found credentials;
BEGIN
    SELECT * INTO found FROM credentials c WHERE c.hash = digest;
    RETURN found;
END $$;

-- The app of a game. A guest has only an invite code, which only the service can check.
CREATE OR REPLACE FUNCTION app_of_game(game uuid) RETURNS uuid LANGUAGE plpgsql STABLE
SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    RETURN (SELECT g.app_id FROM games g WHERE g.id = game);
END $$;

-- The app of a player. A link in a mail comes without a token.
CREATE OR REPLACE FUNCTION app_of_player(player uuid) RETURNS uuid LANGUAGE plpgsql STABLE
SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    RETURN (SELECT c.app_id FROM contacts c WHERE c.player_id = player);
END $$;

-- When these players were last here, for mails that wait for a visit.
CREATE OR REPLACE FUNCTION note_visits(players uuid[], times timestamptz[]) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    visit record;
BEGIN
    FOR visit IN SELECT * FROM unnest(players, times) AS v (player, at) ORDER BY player LOOP
        UPDATE contacts c SET visited_at = greatest(c.visited_at, visit.at) WHERE c.player_id = visit.player;
    END LOOP;
END $$;

-- Whether a game of any app has this commitment.
CREATE OR REPLACE FUNCTION knows_commitment(wanted bytea) RETURNS boolean LANGUAGE plpgsql STABLE
SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    RETURN EXISTS (SELECT FROM games g WHERE g.commitment = wanted);
END $$;
