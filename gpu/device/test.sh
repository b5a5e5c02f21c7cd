#!/usr/bin/env bash
# Tests everything behind the tag cuda on a machine without a GPU, against the pretend driver.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
cd "$root"
include=$(gpu/device/headers.sh)
lib=$root/.cache/cuda/fake
gpu/fakecuda/build.sh "$include" "$lib"
export CGO_CFLAGS="-I$include" CGO_LDFLAGS="-L$lib" LD_LIBRARY_PATH="$lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
go vet -tags cuda ./gpu/device/... ./cmd/gatebot-gpu/...
go test -tags cuda "$@" ./gpu/device/... ./cmd/gatebot-gpu/...
