#!/usr/bin/env bash
# What the builds of a release need beside Go, into .cache and dist-extra: the compiler for all platforms, stubs of macOS's
# libraries, CUDA's headers and the library that gatebot-gpu is linked against, the probes, man pages and completions.
set -euo pipefail
version=0.17.1
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.."
zig=$PWD/.cache/zig
if [ "$(cat "$zig/version" 2>/dev/null)" != "$version" ]; then
  rm -rf "$zig"
  python3 -m venv "$zig"
  "$zig/bin/pip" -q install "ziglang==$version"
  echo "$version" >"$zig/version"
fi
python3 "$here/macos-stubs.py" "$zig/macos"
rm -rf dist-extra
mkdir -p dist-extra
include=$(gpu/device/headers.sh)
ln -sfn "$include" .cache/cuda/include
for arch in amd64:x86_64 arm64:aarch64; do
  export CC="$here/cc.sh ${arch#*:}-linux-gnu.2.28" GOARCH=${arch%:*}
  # -g0: the probe is shipped without debug information.
  PROBE_CFLAGS="-g0 -Wl,-s" gpu/probe/build.sh "dist-extra/$GOARCH/gatebot-probe.so"
  gpu/fakecuda/build.sh "$include" "$PWD/.cache/fakecuda/$GOARCH"
done
unset CC GOARCH
go run ./cmd/gatebot man dist-extra/man
for shell in bash zsh fish; do
  go run ./cmd/gatebot completion "$shell" >"dist-extra/gatebot.$shell"
done
