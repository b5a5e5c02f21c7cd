#!/usr/bin/env bash
# The attacks of strangers' code (gpu/runner/attack_test.go) against rootless podman: podman-test.sh. It makes a user with
# subordinate ids, an image of Debian with Python, and runs the tests as that user. On a machine with old and new control groups
# mixed, which crun refuses, it shows podman the new ones alone, in a mount namespace. It needs root, podman and debootstrap.
set -euo pipefail
cd "$(dirname "$0")/../.."
for tool in podman crun catatonit newuidmap debootstrap; do
  command -v "$tool" >/dev/null || [ -x "/usr/libexec/podman/$tool" ] || { echo "podman-test.sh: $tool is missing (apt-get install podman crun catatonit uidmap debootstrap)" >&2; exit 3; }
done
[ "$(id -u)" = 0 ] || { echo "podman-test.sh: needs root, to make a user and an image" >&2; exit 3; }
who=gatebot-podman
work=$(mktemp -d /var/tmp/gatebot-podman.XXXXXX)
finish() {
  su - "$who" -c "XDG_RUNTIME_DIR=$work/run podman system migrate" >/dev/null 2>&1 || true # ends podman's own process
  rm -rf --one-file-system "$work" 2>/dev/null || echo "podman-test.sh: $work is still in use" >&2
}
trap finish EXIT
chmod 755 "$work"
id "$who" >/dev/null 2>&1 || useradd --create-home --shell /bin/bash "$who"
install -d -o "$who" -m 700 "$work/run"
debootstrap --variant=minbase --include=python3 "${SUITE:-bookworm}" "$work/root" "${MIRROR:-http://deb.debian.org/debian}" >"$work/log" 2>&1 ||
  { tail -5 "$work/log" >&2; exit 3; }
tar -C "$work/root" --exclude=./var/cache -cf "$work/root.tar" .
go test -c -o "$work/runner.test" ./gpu/runner
cat >"$work/run.sh" <<'RUN'
set -euo pipefail
export XDG_RUNTIME_DIR=$1/run GATEBOT_TEST_PODMAN=localhost/gatebot-attacks:1
mkdir -p ~/.config/containers
[ -e ~/.config/containers/storage.conf ] || printf '[storage]\ndriver = "overlay"\n' >~/.config/containers/storage.conf
podman import "$1/root.tar" gatebot-attacks:1 >/dev/null
cd "$1"
./runner.test -test.v -test.run 'Contained|ExitCode|Cancelled$'
RUN
export who work
unshare --mount bash -euo pipefail -c '
  mount --make-rprivate /
  if [ -d /sys/fs/cgroup/unified ]; then umount -R /sys/fs/cgroup; mount -t cgroup2 none /sys/fs/cgroup; fi
  exec su - "$who" -c "bash $work/run.sh $work"'
