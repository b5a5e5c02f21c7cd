package hooks

import (
	"path/filepath"
	"strings"
)

// hookName is the hook that is installed, chainedName where the one that was there before is kept.
const (
	hookName    = "pre-push"
	chainedName = hookName + ".gatebot-chained"
)

// marker is in every script that Install wrote, and in nothing else.
const marker = "# gatebot:hook"

// The installed script. It looks the program up when it runs, so that an update or a move of it breaks no clone; the
// path that Install was run from comes last. Its own check comes first: a chained hook may send data (git-lfs), which
// must not happen for a push that is refused. Both get the same arguments and a copy of git's input. It is plain
// POSIX, for the sh of Git for Windows too.
const script = `#!/bin/sh
# gatebot:hook v1. Made by "gatebot hook install", taken away by "gatebot hook uninstall". Do not edit.
input=$(cat)
feed() { [ -z "$input" ] || printf '%s\n' "$input" 2>/dev/null; }
program=$(git config --get gatebot.hook.binary) || program=$(command -v gatebot) || program=@BINARY@
if command -v "$program" >/dev/null 2>&1; then
	feed | "$program" hook pre-push "$@" || exit $?
else
	echo "gatebot: pre-push: no program at $program: this push is not checked (put gatebot into PATH, set gatebot.hook.binary, or run \"gatebot hook uninstall\")" >&2
	[ "$(git config --type=bool --get gatebot.hook.strict)" != true ] || exit 3
fi
chained=${0%/*}/pre-push.gatebot-chained
[ ! -x "$chained" ] || { feed | "$chained" "$@"; exit $?; }
`

// shim is the script for a program at path binary.
func shim(binary string) []byte {
	quoted := "'" + strings.ReplaceAll(filepath.ToSlash(binary), "'", `'\''`) + "'"
	return []byte(strings.ReplaceAll(script, "@BINARY@", quoted))
}

// ours reports whether a hook file is one of ours, of whatever version and line ends.
func ours(content []byte) bool {
	for i, l := range strings.SplitN(string(content), "\n", 4) {
		if i < 3 && strings.HasPrefix(l, marker) {
			return true
		}
	}
	return false
}
