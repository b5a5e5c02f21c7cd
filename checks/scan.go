package checks

import (
	"context"

	"github.com/gatebot/gatebot/internal/finding"
)

// File is one candidate of a scan. ID is a content id when the source knows one (a blob id), else empty.
type File struct {
	Path string // relative to the root, with '/'
	ID   string
	Size int64
}

// Source is a tree of files: a working tree, a commit, an index. Read may be called from several goroutines.
type Source interface {
	Files(ctx context.Context) ([]File, error)
	Read(ctx context.Context, f File) ([]byte, error)
}

// Report is what a scan found. Findings are sorted, carry fingerprints and are never dropped: what does not count is
// marked as suppressed with its reason.
type Report struct {
	Findings  []finding.Finding
	Files     int
	Functions int
	Hot       int
	Notes     []string // what was not looked at and why, one line each
}

// Scan finds the hazards in src. It is an error when the files cannot be listed or ctx ends; a file that cannot be
// read or parsed is a note and a finding (GB002), not an error.
func Scan(ctx context.Context, src Source, opts Options) (*Report, error) { return nil, nil }
