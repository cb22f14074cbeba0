-- What earlier builds made and nothing calls any more.
DROP FUNCTION IF EXISTS results_of(uuid[]);
