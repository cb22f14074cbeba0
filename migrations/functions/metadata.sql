-- The service writes only metadata. This derives the pairs, with the owner's rights.
CREATE OR REPLACE FUNCTION follow_metadata() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        DELETE FROM metadata_pairs p USING jsonb_each_text(OLD.metadata) AS o
        WHERE p.app_id = OLD.app_id AND p.kind = TG_TABLE_NAME AND p.key = o.key AND p.value = o.value
            AND p.id = OLD.id;
    END IF;
    IF TG_OP <> 'DELETE' THEN
        INSERT INTO metadata_pairs
        SELECT NEW.app_id, TG_TABLE_NAME, n.key, n.value, NEW.id FROM jsonb_each_text(NEW.metadata) AS n;
    END IF;
    RETURN NULL;
END $$;
