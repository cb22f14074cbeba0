#!/bin/sh
# Build the image of `Dockerfile` without a registry: on a base of Debian's packages, with buildah and mmdebstrap, as root.
#
#   deploy/image.sh STORE [CA_FILE]    then: buildah --root STORE/store --runroot STORE/run from localhost/card-referee
#
# CA_FILE has the authorities that pip and uv trust, where the network has one of its own.
set -eu
store=${1:?STORE} ca=${2:-} source=$(cd "$(dirname "$0")/.." && pwd)
export STORAGE_DRIVER=vfs BUILDAH_ISOLATION=chroot
b() { buildah --root "$store/store" --runroot "$store/run" "$@"; }
mkdir -p "$store"
mmdebstrap --quiet --variant=minbase --include=ca-certificates bookworm "$store/base.tar"
base=$(b from scratch)
b add -q "$base" "$store/base.tar" / >/dev/null
rm "$store/base.tar"
if [ -n "$ca" ]; then
    file=/etc/ssl/certs/ca-certificates.crt
    b add -q "$base" "$ca" "$file" >/dev/null
    b config --env PIP_CERT=$file --env SSL_CERT_FILE=$file "$base"
fi
b commit -q --rm "$base" localhost/debian:12-slim
b bud --pull-never --network host -f "$source/deploy/Dockerfile" -t localhost/card-referee \
    --build-arg COMMIT="$(git -C "$source" describe --always --dirty --exclude '*' --abbrev=12 2>/dev/null || true)" \
    --build-arg DEBIAN_IMAGE=localhost/debian:12-slim "$source"
