#!/usr/bin/env bash
# Fetches the CUDA headers that -tags cuda needs into .cache/cuda (ignored by git) and prints their directory. Nothing is
# installed and nothing of it is committed: it is NVIDIA's wheel of one pinned version. CUDA 12.x because gorgonia.org/cu
# calls cuCtxCreate with three arguments, which the headers of 13 no longer have; a program built with them runs on any
# newer driver.
set -euo pipefail
version=12.4.127
root=$(cd "$(dirname "$0")/../.." && pwd)
dir=$root/.cache/cuda/$version
if [ ! -f "$dir/include/cuda.h" ]; then
  command -v python3 >/dev/null || { echo "headers.sh: python3 not found (pip fetches the headers)" >&2; exit 3; }
  mkdir -p "$dir"
  tmp=$(mktemp -d "$dir/fetch.XXXXXX")
  trap 'rm -rf "$tmp"' EXIT
  "$root/tools/again.sh" python3 -m pip download --quiet --retries 10 --timeout 60 --no-deps --only-binary=:all: --platform manylinux2014_x86_64 --dest "$tmp" \
    "nvidia-cuda-runtime-cu12==$version" >&2
  python3 -m zipfile -e "$tmp"/*.whl "$tmp/wheel"
  rm -rf "$dir/include"
  mv "$tmp/wheel/nvidia/cuda_runtime/include" "$dir/include"
fi
echo "$dir/include"
