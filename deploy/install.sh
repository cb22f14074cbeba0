#!/bin/sh
# Usage: deploy/install.sh DIR LOCK [--editable]
# Make a virtual environment in DIR, with the versions of LOCK and exactly those files, and install this project into it.
# PYTHON names the Python to use, COMMIT the commit that this is where there is no .git. uv installs; a copy of it is
# fetched for this, also a locked one, and removed.
set -eu
dir=$1 lock=$2 editable=${3:-}
source=$(cd "$(dirname "$0")/.." && pwd)
[ -x "$dir/bin/python" ] || "${PYTHON:-python3}" -m venv "$dir"
tools=$(mktemp -d)
trap 'rm -rf "$tools"' EXIT
# -qq: pip's warnings about the caller's own configuration are no faults of this project.
"$dir/bin/python" -m pip install -qq --disable-pip-version-check --no-deps --require-hashes \
    --target "$tools" --requirement "$source/requirements-uv.lock"
# Bytecode: the accounts of the service cannot write it, and would compile at each start.
uv() { "$tools/bin/uv" pip install --quiet --compile-bytecode --python "$dir/bin/python" --build-constraints "$lock" "$@"; }
uv --require-hashes --requirement "$lock"
uv --no-deps $editable "$source"
commit=${COMMIT:-$(git -C "$source" describe --always --dirty --exclude '*' --abbrev=12 2>/dev/null || true)}
[ -z "$editable" ] || commit=
mkdir -p "$dir/share/card-referee"
echo "$commit" >"$dir/share/card-referee/commit"
