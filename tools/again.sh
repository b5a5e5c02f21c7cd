#!/usr/bin/env bash
# again.sh COMMAND ...: what fetches from a registry, up to four times with growing pauses. One answer of 503 is no fault of the
# commit that is gated.
set -u
for pause in 5 15 45; do
  "$@" && exit 0
  echo "again.sh: $1 failed with $?; trying again in $pause s: $*" >&2
  sleep "$pause"
done
exec "$@"
