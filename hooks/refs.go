package hooks

import (
	"fmt"
	"io"
	"strings"

	"github.com/gatebot/gatebot/internal/git"
)

// update is one line of what git tells a pre-push hook: a ref of the remote and what it becomes.
type update struct {
	localRef, localID, remoteRef, remoteID string
}

// maxInput bounds what is read from git: room for some hundred thousand refs.
const maxInput = 64 << 20

// readUpdates reads all lines. A local ref may be an expression with blanks in it, so a line is read from its end.
func readUpdates(r io.Reader) ([]update, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxInput+1))
	if err != nil {
		return nil, fmt.Errorf("standard input: %w", err)
	}
	if len(data) > maxInput {
		return nil, fmt.Errorf("standard input: more than %d bytes", maxInput)
	}
	return parseUpdates(string(data))
}

func parseUpdates(input string) ([]update, error) {
	var all []update
	for n, line := range strings.Split(input, "\n") {
		line = strings.TrimSuffix(line, "\r")
		if line == "" {
			continue
		}
		f := strings.Split(line, " ")
		k := len(f)
		if k < 4 || !hexID(f[k-3]) || !hexID(f[k-1]) || f[k-2] == "" {
			return nil, fmt.Errorf("standard input: line %d: %q is not \"<local ref> <local id> <remote ref> <remote id>\""+
				" (this command is for git to call)", n+1, line)
		}
		all = append(all, update{localRef: strings.Join(f[:k-3], " "), localID: f[k-3], remoteRef: f[k-2], remoteID: f[k-1]})
	}
	return all, nil
}

// hexID reports whether s is a full id of either hash.
func hexID(s string) bool {
	return (len(s) == 40 || len(s) == 64) && strings.Trim(s, "0123456789abcdef") == ""
}

// deletes reports whether the ref goes away.
func (u update) deletes() bool { return git.IsZeroID(u.localID) }

// short is the name of the remote ref as people say it.
func (u update) short() string {
	for _, prefix := range []string{"refs/heads/", "refs/tags/"} {
		if s, ok := strings.CutPrefix(u.remoteRef, prefix); ok {
			return s
		}
	}
	return u.remoteRef
}
