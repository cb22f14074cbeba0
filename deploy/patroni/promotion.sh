#!/bin/sh
# Keeps a new primary read-only until `referee-api migrate` has noted that it may lack entries which were shown.
# Patroni calls it without arguments before a promotion, and with ACTION ROLE SCOPE when a server started or changed its role.
set -eu
sql() { psql -XAtq -v ON_ERROR_STOP=1 -h "$SOCKETS" -p "${PGPORT:-5432}" -U postgres -d postgres "$@"; }
read_only() { sql -c 'SHOW default_transaction_read_only'; }
reload='SELECT pg_reload_conf()'
case ${2:-before} in
before)
    [ "$(sql -c "SELECT 1 FROM pg_database WHERE datname = 'card_referee'")" ] || exit 0 # a new cluster
    sql -c 'ALTER SYSTEM SET default_transaction_read_only = on' -c "$reload" >/dev/null
    until [ "$(read_only)" = on ]; do sleep 0.1; done
    ;;
primary | master)
    [ "$(read_only)" = on ] || exit 0
    until PGOPTIONS='-c default_transaction_read_only=off' "$REFEREE_API" migrate; do sleep 1; done
    sql -c 'ALTER SYSTEM RESET default_transaction_read_only' -c "$reload" >/dev/null
    ;;
esac
