package git

import (
	"context"
	"fmt"
	"strings"
)

// Notes lists the notes below a notes ref (refs/notes/gatebot): blob ids by the commit that they are about. A ref that
// does not exist has none.
func (r *CLI) Notes(ctx context.Context, ref string) (map[string]string, error) {
	if err := plainRev(ref); err != nil {
		return nil, err
	}
	out, err := r.run(ctx, nil, "notes", "--ref="+ref, "list")
	if err != nil {
		return nil, err
	}
	of := map[string]string{}
	for _, l := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		if l == "" {
			continue
		}
		blob, commit, ok := strings.Cut(l, " ")
		if !ok || !isID(blob) || !isID(commit) {
			return nil, fmt.Errorf("git notes: unexpected line %q", l)
		}
		of[commit] = blob
	}
	return of, nil
}

// SetNote replaces the note of a commit. Git takes the committer from its configuration.
func (r *CLI) SetNote(ctx context.Context, ref, commit, text string) error {
	if err := plainRev(ref); err != nil {
		return err
	}
	if !isID(commit) {
		return fmt.Errorf("note for %q: %w (want a full object id)", commit, ErrNotFound)
	}
	_, err := r.run(ctx, strings.NewReader(text), "notes", "--ref="+ref, "add", "-f", "-F", "-", commit)
	return err
}
