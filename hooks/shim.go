package hooks

import (
	"path/filepath"
	"strings"
)

// The hooks that are installed: the gate, and on demand the provisional fix log.
const (
	prePush    = "pre-push"
	postCommit = "post-commit"
)

// chainedSuffix is what the name of the hook that was there before gets.
const chainedSuffix = ".gatebot-chained"

// marker is in every script that Install wrote, and in nothing else.
const marker = "# gatebot:hook"

// scriptHead looks the program up when it runs, so that an update or a move of it breaks no clone; the path that
// Install was run from comes last.
const scriptHead = `#!/bin/sh
# gatebot:hook v2. Made by "gatebot hook install", taken away by "gatebot hook uninstall". Do not edit.
program=$(git config --get gatebot.hook.binary) || program=$(command -v gatebot) || program=@BINARY@
`

// The pre-push script. Its own check comes first: a chained hook may send data (git-lfs), which must not happen for a
// push that is refused. Both get the same arguments and a copy of git's input. It is plain POSIX, for the sh of Git
// for Windows too.
const pushScript = scriptHead + `options=@OPTIONS@
input=$(cat)
feed() { [ -z "$input" ] || printf '%s\n' "$input" 2>/dev/null; }
if command -v "$program" >/dev/null 2>&1; then
	feed | "$program" hook pre-push $options "$@" || exit $?
else
	echo "gatebot: pre-push: no program at $program: this push is not checked (put gatebot into PATH, set gatebot.hook.binary, or run \"gatebot hook uninstall\")" >&2
	[ "$(git config --type=bool --get gatebot.hook.strict)" != true ] || exit 3
fi
chained=${0%/*}/pre-push.gatebot-chained
[ ! -x "$chained" ] || { feed | "$chained" "$@"; exit $?; }
`

// The post-commit script. The commit is made whatever it says, so that a program that is gone is worth no word.
const commitScript = scriptHead + `if command -v "$program" >/dev/null 2>&1; then
	"$program" hook post-commit
fi
chained=${0%/*}/post-commit.gatebot-chained
[ ! -x "$chained" ] || exec "$chained" "$@"
`

// shim is the script of a hook for a program at path binary. Options are flags of `gatebot hook pre-push`.
func shim(hook, binary string, options []string) []byte {
	text := pushScript
	if hook == postCommit {
		text = commitScript
	}
	return []byte(strings.NewReplacer("@BINARY@", quote(filepath.ToSlash(binary)), "@OPTIONS@", quote(strings.Join(options, " "))).Replace(text))
}

func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// options reads the options of an installed script.
func options(script []byte) []string {
	for _, l := range strings.Split(string(script), "\n") {
		if value, ok := strings.CutPrefix(strings.TrimSuffix(l, "\r"), "options="); ok {
			return strings.Fields(strings.Trim(value, "'"))
		}
	}
	return nil
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
