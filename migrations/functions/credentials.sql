-- Sent in the transaction, unlike notifications of games, so that it arrives before those of anything that is
-- committed later.
CREATE OR REPLACE FUNCTION tell_of_credential() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('games', 'credential ' || NEW.id);
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION refuse_longer_life() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'a key or token that has ended, or will, does not last longer'
        USING ERRCODE = 'insufficient_privilege';
END $$;
