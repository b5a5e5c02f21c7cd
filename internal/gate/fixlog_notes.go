package gate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gatebot/gatebot/internal/fixlog"
	"github.com/gatebot/gatebot/internal/git"
)

// NotesRef is where the mode notes keeps its records: one note for each commit, on no branch. Git neither pushes nor
// fetches it unless told to.
const NotesRef = "refs/notes/gatebot"

// notes keeps the records of a commit in its git note, and in the git directory how far history was read.
type notes struct{ repo *git.CLI }

func (n notes) tipFile() string { return filepath.Join(n.repo.CommonDir(), "gatebot", "fixlog-tip") }

func (n notes) load(ctx context.Context) (*fixlog.Ledger, error) {
	l := &fixlog.Ledger{}
	tip, err := os.ReadFile(n.tipFile())
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	l.Tip = strings.TrimSpace(string(tip))
	texts, err := n.read(ctx)
	if err != nil {
		return nil, err
	}
	for _, commit := range slices.Sorted(maps.Keys(texts)) {
		of, err := fixlog.Decode(strings.NewReader(texts[commit]))
		if err != nil {
			return nil, &UsageError{fmt.Sprintf("%s: note of %.12s: %v (git notes --ref=gatebot remove %.12s)", NotesRef, commit, err, commit)}
		}
		l.Records = append(l.Records, of.Records...)
	}
	slices.SortStableFunc(l.Records, func(a, b fixlog.Record) int { return a.When.Compare(b.When) })
	return l, nil
}

// read gives the notes by commit.
func (n notes) read(ctx context.Context) (map[string]string, error) {
	blobs, err := n.repo.Notes(ctx, NotesRef)
	if err != nil {
		return nil, err
	}
	texts := map[string]string{}
	for commit, blob := range blobs {
		err := n.repo.Blobs(ctx, []string{blob}, func(_ string, data []byte, err error) error {
			texts[commit] = string(data)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return texts, nil
}

func (n notes) save(ctx context.Context, l *FixLog) (string, error) {
	have, err := n.read(ctx)
	if err != nil {
		return "", err
	}
	var order []string
	of := map[string]*fixlog.Ledger{}
	for _, r := range landed(l.Ledger).Records {
		if of[r.Commit] == nil {
			of[r.Commit] = &fixlog.Ledger{}
			order = append(order, r.Commit)
		}
		of[r.Commit].Records = append(of[r.Commit].Records, r)
	}
	written := 0
	for _, commit := range order {
		var want bytes.Buffer
		if err := of[commit].Encode(&want); err != nil {
			return "", err
		}
		if strings.TrimSpace(have[commit]) == strings.TrimSpace(want.String()) || !n.repo.Has(ctx, commit) {
			continue
		}
		if err := n.repo.SetNote(ctx, NotesRef, commit, want.String()); err != nil {
			return "", err
		}
		written++
	}
	if err := os.MkdirAll(filepath.Dir(n.tipFile()), 0o755); err != nil {
		return "", err
	}
	if err := replaceFile(n.tipFile(), []byte(l.Ledger.Tip+"\n")); err != nil {
		return "", err
	}
	return fmt.Sprintf("%d notes written to %s (git push origin %s shares them)", written, NotesRef, NotesRef), nil
}
