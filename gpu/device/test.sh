#!/usr/bin/env bash
# Tests everything behind the tag cuda on a machine without a GPU, against the pretend driver.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
cd "$root"
include=$(gpu/device/headers.sh)
lib=$root/bin/fakecuda
gpu/fakecuda/build.sh "$include" "$lib"
export CGO_CFLAGS="-I$include" CGO_LDFLAGS="-L$lib" LD_LIBRARY_PATH="$lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
go vet -tags cuda ./gpu/device/... ./cmd/gatebot-gpu/...
go test -tags cuda "$@" ./gpu/device/... ./cmd/gatebot-gpu/...
# The program that measured the table answers with the table again: the pretence covers all of it.
${CC:-gcc} -std=c11 -D_GNU_SOURCE -O1 -Wall -Wextra -Werror "-I$include" gpu/fakecuda/measure/modes.c -o bin/fakecuda/modes "-L$lib" -lcuda -lpthread
rows() { grep -E '^(global|thread_local|relaxed)' "$1"; }
bin/fakecuda/modes gpu/kernel/testdata/kernels.ptx > bin/fakecuda/modes.tsv
diff <(rows gpu/fakecuda/testdata/capture-modes-h200.tsv) <(rows bin/fakecuda/modes.tsv) >&2 || { echo "test.sh: gpu/fakecuda differs from what was measured" >&2; exit 1; }
