#!/usr/bin/env bash
# Builds the pretend libcuda.so.1: build.sh INCLUDE_DIR OUT_DIR. It also serves as the library to link against: a
# program built with it starts against any real driver, since the soname is the same.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
include=${1:?directory of cuda.h} out=${2:?where to put libcuda.so.1}
mkdir -p "$out"
${CC:-gcc} -std=c11 -D_GNU_SOURCE -O1 -g -Wall -Wextra -Werror -fPIC -shared -Wl,-soname,libcuda.so.1 -Wl,-z,defs \
  -isystem "$include" "-DFAKECUDA_DEFAULT_TABLE=\"$here/testdata/capture-modes-h200.tsv\"" \
  -o "$out/libcuda.so.1.tmp$$" "$here"/*.c -lpthread
mv "$out/libcuda.so.1.tmp$$" "$out/libcuda.so.1"
ln -sf libcuda.so.1 "$out/libcuda.so"
