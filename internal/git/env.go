package git

import (
	"os"
	"strings"
)

// localEnv are the variables that tie a process to one repository, as `git rev-parse --local-env-vars` prints them
// (git 2.39; a test holds the list against the git that runs it). Git exports some of them to hooks; a child that
// works on another repository with them set acts on the wrong one.
var localEnv = []string{
	"GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_CONFIG", "GIT_CONFIG_PARAMETERS", "GIT_CONFIG_COUNT",
	"GIT_OBJECT_DIRECTORY", "GIT_DIR", "GIT_WORK_TREE", "GIT_IMPLICIT_WORK_TREE", "GIT_GRAFT_FILE", "GIT_INDEX_FILE",
	"GIT_NO_REPLACE_OBJECTS", "GIT_REPLACE_REF_BASE", "GIT_PREFIX", "GIT_INTERNAL_SUPER_PREFIX", "GIT_SHALLOW_FILE",
	"GIT_COMMON_DIR",
}

// hookEnv are those of them that a hook must keep to see the repository that git runs it for, and the settings that
// the user gave with `git -c`.
var hookEnv = []string{
	"GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES",
	"GIT_INDEX_FILE", "GIT_CONFIG_PARAMETERS", "GIT_CONFIG_COUNT",
}

// fixedEnv makes git quiet, English and local: no lock it could do without, no download of missing objects (before
// git 2.45 the first variable alone is not enough everywhere, so no transport is allowed either), no prompt, and the
// real objects instead of what refs/replace puts in their place.
var fixedEnv = []string{
	"LC_ALL=C", "GIT_OPTIONAL_LOCKS=0", "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none", "GIT_TERMINAL_PROMPT=0",
	"GIT_PAGER=cat", "GIT_NO_REPLACE_OBJECTS=1", "GIT_LITERAL_PATHSPECS=1",
}

// CleanEnv is the environment of this process without the variables that tie git to one repository: what a child
// needs that works on another one.
func CleanEnv() []string { return scrub(os.Environ(), nil) }

// scrub drops the local variables except those in keep, and everything that fixedEnv sets.
func scrub(env, keep []string) []string {
	drop := map[string]bool{}
	for _, n := range localEnv {
		drop[n] = true
	}
	for _, kv := range fixedEnv {
		drop[name(kv)] = true
	}
	for _, n := range keep {
		delete(drop, n)
	}
	numbered := drop["GIT_CONFIG_COUNT"] // its companions carry a number in their names
	out := make([]string, 0, len(env)+len(fixedEnv))
	for _, kv := range env {
		n := name(kv)
		if drop[n] || numbered && (strings.HasPrefix(n, "GIT_CONFIG_KEY_") || strings.HasPrefix(n, "GIT_CONFIG_VALUE_")) {
			continue
		}
		out = append(out, kv)
	}
	return out
}

func name(kv string) string {
	n, _, _ := strings.Cut(kv, "=")
	return n
}
