#!/usr/bin/env bash
# Builds the probe: build.sh OUT.so. It needs a C compiler and nothing of CUDA; the result loads on any Linux with the
# C library of this one or a later one.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=${1:?path of the shared object to write}
mkdir -p "$(dirname "$out")"
${CC:-gcc} -std=gnu11 -D_GNU_SOURCE -O2 -g -Wall -Wextra -Werror -fPIC -fvisibility=hidden -shared -Wl,-z,defs -Wl,-z,now \
  ${PROBE_CFLAGS:-} -o "$out.tmp$$" "$here"/native/*.c -ldl -lpthread
mv "$out.tmp$$" "$out"
