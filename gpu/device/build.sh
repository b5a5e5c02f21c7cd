#!/usr/bin/env bash
# Builds bin/gatebot-gpu with CUDA. It is linked against the pretend driver, whose soname is that of the real one, and
# runs against whatever libcuda.so.1 the machine has.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
cd "$root"
include=$(gpu/device/headers.sh)
lib=$root/bin/fakecuda
gpu/fakecuda/build.sh "$include" "$lib"
CGO_CFLAGS="-I$include" CGO_LDFLAGS="-L$lib" go build -trimpath -tags cuda \
  -ldflags "-X main.version=$(git describe --tags --always --dirty 2>/dev/null || echo dev)" -o bin/gatebot-gpu ./cmd/gatebot-gpu
