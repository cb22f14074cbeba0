CREATE OR REPLACE FUNCTION refuse_other_hashes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the log is append-only: hashes may be added to a tile, not changed'
        USING ERRCODE = 'integrity_constraint_violation';
END $$;

CREATE OR REPLACE FUNCTION queue_leaf() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO tree_queue (game_id, ended) VALUES (NEW.id, false);
    END IF;
    IF NEW.status IN ('finished', 'cancelled') THEN
        INSERT INTO tree_queue (game_id, ended) VALUES (NEW.id, true);
    END IF;
    RETURN NULL;
END $$;
