#!/usr/bin/env bash
# Records the traces of this folder on a machine with a GPU and torch: record.sh OUT_DIR.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=${1:?where to put the traces}
mkdir -p "$out"
"$here/../../build.sh" /tmp/gatebot-probe.so
cd "$here/../../../.."
probe() { # NAME ENV... -- COMMAND
  local name=$1 env=(); shift
  while [ "$1" != -- ]; do env+=("$1"); shift; done
  shift
  rm -f "/tmp/$name".*
  env "${env[@]}" GATEBOT_TRACE="/tmp/$name" CUDA_INJECTION64_PATH=/tmp/gatebot-probe.so "$@" 2>&1 | tail -5
  cat "/tmp/$name".* | gzip -9n >"$out/$name.ndjson.gz"
}
rel=gpu/probe/testdata/h200
probe hazards -- python3 $rel/hazards.py
probe regions GATEBOT_REGION_FUNC=__main__:Model.decode NVTX_INJECTION64_PATH=/tmp/gatebot-probe.so -- python3 $rel/regions.py
probe capture -- python3 $rel/capture.py
nvcc -o /tmp/plain -Xcompiler -rdynamic $rel/plain.cu && probe plain -- /tmp/plain
for i in 1 2 3; do
  python3 $rel/overhead.py
  probe overhead -- python3 $rel/overhead.py
done | tee "$out/overhead.txt"
rm -f "$out/overhead.ndjson.gz"
