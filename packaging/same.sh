#!/usr/bin/env bash
# Builds the commit of dist/ once more, in a clone elsewhere and with an empty build cache, and holds the checksums against each
# other. What differs is named.
set -euo pipefail
root=$(git rev-parse --show-toplevel)
[ -z "$(git -C "$root" status --porcelain)" ] || { echo "same.sh: the working tree is not clean: a clone would not have it (commit first)" >&2; exit 2; }
work=$(mktemp -d /var/tmp/gatebot-same.XXXXXX)
trap 'rm -rf "$work"' EXIT
git clone -q "$root" "$work/elsewhere"
git -C "$work/elsewhere" remote remove origin
git -C "$work/elsewhere" checkout -q --detach "$(git -C "$root" rev-parse HEAD)"
for tag in $(git -C "$root" tag); do git -C "$work/elsewhere" rev-parse -q --verify "refs/tags/$tag" >/dev/null || exit 1; done
# The tools are no part of what is built.
mkdir -p "$work/elsewhere/.cache"
cp -r "$root/.cache/bin" "$work/elsewhere/.cache/bin"
GOCACHE=$work/cache make -C "$work/elsewhere" release-dry
diff "$root/dist/checksums.txt" "$work/elsewhere/dist/checksums.txt" >&2 || { echo "same.sh: the two builds differ" >&2; exit 1; }
echo "the same bytes: $(wc -l <"$root/dist/checksums.txt") artefacts"
