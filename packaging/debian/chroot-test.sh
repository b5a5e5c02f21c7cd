#!/usr/bin/env bash
# Installs the Debian package into a clean Debian that has git and nothing else of ours, and tries scan and hook there. Needs
# root and debootstrap: packaging/debian/chroot-test.sh dist/gatebot_*_linux_amd64.deb. A package of another machine's takes
# qemu-user-static and its binfmt.
set -euo pipefail
deb=$(readlink -f "${1:?usage: chroot-test.sh PACKAGE.deb}")
root=$(mktemp -d /var/tmp/gatebot-chroot.XXXXXX)
trap 'rm -rf --one-file-system "$root"' EXIT
arch=$(dpkg-deb -f "$deb" Architecture)
debootstrap --arch="$arch" --variant=minbase --include=git,ca-certificates "${SUITE:-bookworm}" "$root" "${MIRROR:-http://deb.debian.org/debian}" >"$root.log" 2>&1 ||
  { tail -5 "$root.log" >&2; exit 3; }
cp "$deb" "$root/tmp/gatebot.deb"
chroot "$root" dpkg -i /tmp/gatebot.deb
cat > "$root/tmp/try.sh" <<'TRY'
set -euo pipefail
export HOME=/tmp GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
gatebot --version
git init -q --bare -b main /tmp/remote.git
git init -q -b main /tmp/repo && cd /tmp/repo && git remote add origin /tmp/remote.git
printf 'import torch\n\n\ndef decode_step(x: torch.Tensor):\n    return torch.relu(x)\n' > m.py
git add . && git commit -qm clean
gatebot scan
gatebot hook install
git push -q origin main
printf 'import torch\n\n\ndef decode_step(x: torch.Tensor):\n    return x.max().item()\n' > m.py
code=0; gatebot scan || code=$?
test "$code" = 1
git commit -qam bad
if git push -q origin main; then echo "the hook let a violation through" >&2; exit 1; fi
test "$(git -C /tmp/remote.git log --format=%s -1)" = clean
test -s /usr/share/man/man1/gatebot-scan.1*
test -e /usr/lib/gatebot/gatebot-probe.so
# Without a driver it says so, which shows that it starts.
said=$(gatebot-gpu version 2>&1) || true
echo "gatebot-gpu: $said" | head -n 1
echo "the package works in a clean Debian"
TRY
chroot "$root" bash /tmp/try.sh
