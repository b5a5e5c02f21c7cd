package webhook

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/gatebot/gatebot/internal/fixlog"
	"github.com/gatebot/gatebot/internal/gate"
	"github.com/gatebot/gatebot/internal/git"
)

// fragments is the log as one file for each fix, so that no two of them touch the same lines; `gatebot fixlog collate` puts
// them into the document. A description that somebody wrote better stays.
func (f *fixLog) fragments(ctx context.Context, doc *logDocument, ledger *fixlog.Ledger) error {
	folded, _, err := f.mirrors.ReadFile(ctx, doc.dir, doc.tip, gate.LedgerPath)
	if err != nil {
		return err
	}
	done, err := fixlog.Decode(bytes.NewReader(folded))
	if err != nil {
		return &dropError{fmt.Sprintf("fix log: %s of %.12s: %v", gate.LedgerPath, doc.tip, err)}
	}
	known := map[string]fixlog.State{}
	for _, r := range done.Records {
		known[r.ID] = r.State
	}
	for _, r := range ledger.Records {
		if r.Source == fixlog.SourceHand || r.State == fixlog.Open || known[r.ID] == r.State {
			continue
		}
		name := path.Join(gate.FragmentsDir, r.ID+".json")
		if r.Human != "" {
			r.Description, r.Human = r.Human, ""
		}
		old, found, err := f.mirrors.ReadFile(ctx, doc.dir, doc.tip, name)
		if err != nil {
			return err
		}
		var there fixlog.Record
		if found && json.Unmarshal(old, &there) == nil && there.ID == r.ID {
			r.Description = there.Description
		}
		data, err := json.MarshalIndent(r, "", "  ")
		if err != nil {
			return err
		}
		if err := f.add(ctx, doc, name, append(data, '\n')); err != nil {
			return err
		}
	}
	return nil
}

// notes is the log as git notes: no commit on any branch, and nothing that a rule of a branch could refuse. The ref is
// fetched first; whoever else has written to it meanwhile makes the push fail, and the event comes again.
func (f *fixLog) notes(ctx context.Context, doc *logDocument, ledger *fixlog.Ledger) error {
	if _, err := f.mirrors.Fetch(ctx, doc.repo, gate.NotesRef); err != nil && !errors.Is(err, ErrNoRef) {
		return err
	}
	repo, err := git.OpenCLI(ctx, doc.dir)
	if err != nil {
		return fmt.Errorf("fix log: notes: %w", err)
	}
	defer func() { _ = repo.Close() }() // only readers end with it
	have, err := repo.Notes(ctx, gate.NotesRef)
	if err != nil {
		return fmt.Errorf("fix log: notes: %w", err)
	}
	of := map[string]*fixlog.Ledger{}
	for _, r := range ledger.Records {
		if r.State == fixlog.Open || !repo.Has(ctx, r.Commit) {
			continue
		}
		if of[r.Commit] == nil {
			of[r.Commit] = &fixlog.Ledger{}
		}
		of[r.Commit].Records = append(of[r.Commit].Records, r)
	}
	written := 0
	for commit, l := range of {
		var want bytes.Buffer
		if err := l.Encode(&want); err != nil {
			return err
		}
		was := ""
		if blob := have[commit]; blob != "" {
			err := repo.Blobs(ctx, []string{blob}, func(_ string, data []byte, err error) error { was = string(data); return err })
			if err != nil {
				return fmt.Errorf("fix log: notes: %w", err)
			}
		}
		if strings.TrimSpace(was) == strings.TrimSpace(want.String()) {
			continue
		}
		if err := repo.SetNote(ctx, gate.NotesRef, commit, want.String()); err != nil {
			return fmt.Errorf("fix log: notes: %w", err)
		}
		written++
	}
	if written == 0 {
		f.log.InfoContext(ctx, "fix log: no new notes", "tip", doc.tip)
		return nil
	}
	if err := f.mirrors.Push(ctx, doc.repo, gate.NotesRef); err != nil {
		return fmt.Errorf("fix log: notes: %w", err)
	}
	f.log.InfoContext(ctx, "fix log: notes written", "notes", written)
	return nil
}
