#!/usr/bin/env bash
# Builds the pretend libcupti: build.sh OUT_DIR. The soname is one that the probe looks for.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=${1:?where to put libcupti.so.13}
mkdir -p "$out"
${CC:-gcc} -std=gnu11 -D_GNU_SOURCE -O1 -g -Wall -Wextra -Werror -fPIC -shared -Wl,-soname,libcupti.so.13 -Wl,-z,defs \
  -o "$out/libcupti.so.13.tmp$$" "$here/fakecupti.c" -ldl -lpthread
mv "$out/libcupti.so.13.tmp$$" "$out/libcupti.so.13"
ln -sf libcupti.so.13 "$out/libcupti.so"
