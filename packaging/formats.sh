#!/usr/bin/env bash
# Looks into every artefact: each program is of the platform that its name says. formats.sh DIST.
set -euo pipefail
dist=$(readlink -f "${1:?folder with the artefacts}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
want() { # FILE PATTERN
  what=$(file -b "$work/$1")
  [[ $what =~ $2 ]] || { echo "formats.sh: $archive: $1 is $what" >&2; exit 1; }
}
for platform in linux_amd64 linux_arm64 darwin_amd64 darwin_arm64; do
  archive=$(ls "$dist"/gatebot_*_"$platform".tar.gz)
  rm -rf "${work:?}"/*
  tar -xzf "$archive" -C "$work"
  case $platform in
  linux_amd64) pattern='ELF 64-bit LSB .*x86-64' ;;
  linux_arm64) pattern='ELF 64-bit LSB .*ARM aarch64' ;;
  darwin_amd64) pattern='Mach-O 64-bit x86_64' ;;
  darwin_arm64) pattern='Mach-O 64-bit arm64' ;;
  esac
  want gatebot "$pattern"
  case $platform in linux_*)
    for name in gatebot-gpu gatebot-probe.so; do want "$name" "$pattern"; done
    # The oldest C library that all of them start with.
    needs=$(objdump -T "$work"/gatebot "$work"/gatebot-gpu "$work"/gatebot-probe.so 2>/dev/null | grep -o 'GLIBC_[0-9.]*' | sort -uV | tail -n 1)
    echo "$(basename "$archive"): $needs"
    printf '%s\nGLIBC_2.28\n' "$needs" | sort -VC || { echo "formats.sh: $archive wants $needs, more than 2.28" >&2; exit 1; }
    ;;
  *) echo "$(basename "$archive"): $(file -b "$work/gatebot" | cut -d, -f1)" ;;
  esac
done
for package in deb rpm; do
  test "$(ls "$dist"/*."$package" | wc -l)" = 2 || { echo "formats.sh: there should be two packages .$package" >&2; exit 1; }
done
(cd "$dist" && sha256sum --quiet -c checksums.txt)
