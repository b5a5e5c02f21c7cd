#!/usr/bin/env bash
# Puts Debian's bubblewrap into .cache/bin, for the tests of the sandbox on a machine where it is not installed. Prints
# why when it cannot; the tests are skipped then, with the reason, unless GATEBOT_REQUIRE_SANDBOX is set.
set -euo pipefail
cd "$(dirname "$0")/.."
command -v bwrap >/dev/null && exit 0
[ -x .cache/bin/bwrap ] && exit 0
command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null || { echo "bwrap: not installed, and no apt-get to fetch it with" >&2; exit 0; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
chmod 755 "$dir"
(cd "$dir" && apt-get download bubblewrap >/dev/null 2>&1 && dpkg-deb -x bubblewrap_*.deb x) || { echo "bwrap: apt-get cannot fetch it here" >&2; exit 0; }
mkdir -p .cache/bin
# As a copy first: another checkout may be doing the same.
cp "$dir/x/usr/bin/bwrap" .cache/bin/bwrap.$$ && mv .cache/bin/bwrap.$$ .cache/bin/bwrap
