#!/usr/bin/env bash
# The C compiler of a release: cc.sh TARGET ARG…, with TARGET as zig writes it, such as aarch64-linux-gnu.2.28. One compiler
# for every platform, so that a release depends neither on this machine's gcc nor on its C library. prepare.sh fetches it.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
zig=$here/../../.cache/zig
target=${1:?target, such as aarch64-linux-gnu.2.28}
shift
[ -x "$zig/bin/python" ] || { echo "cc.sh: no compiler in .cache/zig (packaging/cross/prepare.sh fetches it)" >&2; exit 3; }
# gorgonia.org/cu names folders of this machine, whose headers and libraries are not the target's.
args=()
for a in "$@"; do
  case $a in
  -I/usr/* | -I/opt/* | -L/usr/* | -L/opt/* | -L/lib/*) ;;
  *) args+=("$a") ;;
  esac
done
set -- "${args[@]}"
case $target in
*-macos*) set -- "$@" "-F$zig/macos" "-L$zig/macos" ;;
esac
# Paths of this checkout in debug information would make each build another.
exec "$zig/bin/python" -m ziglang cc -target "$target" -fno-sanitize=undefined "-ffile-prefix-map=$(cd "$here/../.." && pwd)=gatebot" "$@"
