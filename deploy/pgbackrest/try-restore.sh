#!/bin/sh
# Restores the newest backup and all WAL after it beside the database, verifies every log, and removes the copy.
# Usage: try-restore.sh FOLDER [OPTION OF pgbackrest restore]... ; PROGRAMS: where PostgreSQL's programs are.
set -eu
folder=$1 && shift
copy=$(mktemp -d "$folder/try-XXXXXX")
programs=${PROGRAMS:-/usr/lib/postgresql/18/bin}
trap '"$programs/pg_ctl" -D "$copy/data" -m immediate stop >"$copy/stop" 2>&1 || true; rm -rf "$copy"' EXIT
mkdir -m 700 "$copy/data" "$copy/spool"
# A spool of its own: restore empties it, and the database uses the other one.
pgbackrest --stanza=card-referee --pg1-path="$copy/data" --spool-path="$copy/spool" --no-delta --archive-mode=off "$@" restore
# Debian keeps the settings elsewhere. The copy sends no WAL, and nobody reaches it but this account.
cat >"$copy/postgresql.conf" <<END
data_directory = '$copy/data'
hba_file = '$copy/pg_hba.conf'
unix_socket_directories = '$copy'
listen_addresses = ''
archive_mode = off
hot_standby = off
max_connections = 20
END
echo 'local all all trust' >"$copy/pg_hba.conf"
chmod 700 "$copy"
"$programs/pg_ctl" -D "$copy/data" -o "-c config_file=$copy/postgresql.conf" -l "$copy/log" -t 86400 -w start ||
    { cat "$copy/log" >&2; exit 1; }
DATABASE_URL="postgresql://${OWNER:-card_referee}@/card_referee?host=$copy" "${REFEREE_API:-/opt/card-referee/bin/referee-api}" verify
