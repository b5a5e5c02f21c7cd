package fixlog

import (
	"context"
	"errors"

	"github.com/gatebot/gatebot/internal/git"
)

// ReadRows reads the log of a document, in its order. It is ErrNoTable when the document has none. Rows without a
// commit id are left out: nothing can be joined to them.
func ReadRows(doc []byte, heading string) ([]Row, error) {
	if heading == "" {
		heading = DefaultHeading
	}
	d, err := parse(doc, heading)
	if err != nil {
		return nil, err
	}
	if d.header < 0 {
		return nil, ErrNoTable
	}
	var rows []Row
	for _, r := range d.rows {
		if r.commit != "" {
			rows = append(rows, Row{Commit: r.commit, Description: regressedNote.ReplaceAllString(r.description, "")})
		}
	}
	return rows, nil
}

// Adopt takes what people wrote in a document into the ledger: descriptions that differ from ours, and rows of
// commits that the ledger does not know, as records of source "hand". An id that this clone cannot resolve is kept as
// it is written.
func (l *Ledger) Adopt(ctx context.Context, repo git.Repository, rows []Row) error {
	first := len(l.Records)
	for _, r := range rows {
		known := false
		for i := range l.Records {
			rec := &l.Records[i]
			if !sameCommit(rec.Commit, r.Commit) || rec.State == Removed || rec.State == Open {
				continue
			}
			if !known && r.Description != "" && r.Description != oneLine(l.described(rec.Commit)) {
				rec.Human = r.Description
			}
			known = true
		}
		if known {
			continue
		}
		rec := Record{State: Fixed, Commit: r.Commit, Source: SourceHand, Description: r.Description, Human: r.Description}
		if err := fill(ctx, repo, &rec); err != nil {
			return err
		}
		rec.ID = recordID(rec.Commit, "", "", r.Description)
		if l.find(rec.ID) == nil {
			l.Records = append(l.Records, rec)
		}
	}
	return stamp(ctx, repo, l.Records[first:])
}

// stamp adds the patch ids by which rows survive a rewrite of the branch.
func stamp(ctx context.Context, repo git.Repository, records []Record) error {
	p, ok := repo.(patcher)
	if !ok || len(records) == 0 {
		return nil
	}
	var ids []string
	for _, r := range records {
		ids = append(ids, r.Commit)
	}
	patches, err := p.PatchIDs(ctx, ids)
	for i := range records {
		records[i].PatchID = patches[records[i].Commit]
	}
	return err
}

// described is what the ledger itself says about a commit.
func (l *Ledger) described(commit string) string {
	for _, r := range l.Rows() {
		if r.Commit == commit {
			return r.Description
		}
	}
	return ""
}

// fill adds what the repository knows about the commit of an imported row.
func fill(ctx context.Context, repo git.Repository, rec *Record) error {
	id, err := repo.Resolve(ctx, rec.Commit)
	if errors.Is(err, git.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	c, err := repo.Commit(ctx, id)
	if err != nil {
		return err
	}
	rec.Commit, rec.Author, rec.When = c.ID, c.Author, c.When
	if len(c.Parents) > 0 {
		rec.Parent = c.Parents[0]
	}
	return nil
}
