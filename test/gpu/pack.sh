#!/usr/bin/env bash
# Builds the programs that acceptance.sh needs, small enough to travel to a machine that has a card and no Go.
# usage: test/gpu/pack.sh [DIR]   (default bin/gpu)
set -euo pipefail
cd "$(dirname "$0")/../.."
dir=${1:-bin/gpu}
mkdir -p "$dir"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
version=$(git describe --tags --always --dirty)
go build -trimpath -ldflags "-s -w -X main.version=$version" -o "$work/gatebot" ./cmd/gatebot
go build -trimpath -ldflags '-s -w' -o "$work/gatebot-remote" ./test/gpu/remote
gpu/probe/build.sh "$work/gatebot-probe.so"
gpu/device/build.sh # into bin/, against the pretend driver: any driver fits
cp bin/gatebot-gpu "$work/"
for name in gatebot gatebot-remote gatebot-gpu gatebot-probe.so; do
  gzip -9 -n -c "$work/$name" >"$dir/$name.gz"
done
ls -l "$dir"
