-- The service's two logins: psql -v web=PASSWORD -v worker=PASSWORD -f logins.sql, after `referee-api migrate`.
-- Running it again changes the passwords.
SELECT 'CREATE ROLE card_referee_web LOGIN' WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'card_referee_web') \gexec
SELECT 'CREATE ROLE card_referee_jobs LOGIN' WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'card_referee_jobs') \gexec
ALTER ROLE card_referee_web PASSWORD :'web';
ALTER ROLE card_referee_jobs PASSWORD :'worker';
GRANT card_referee_app TO card_referee_web;
GRANT card_referee_worker TO card_referee_jobs;
