package ruletest

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/gatebot/gatebot/checks"
)

// Source is a tree of files in memory.
type Source map[string][]byte

// Files lists the files in the order of their paths.
func (s Source) Files(context.Context) ([]checks.File, error) {
	var out []checks.File
	for _, p := range slices.Sorted(maps.Keys(s)) {
		out = append(out, checks.File{Path: p, Size: int64(len(s[p]))})
	}
	return out, nil
}

// Read returns the content of one file.
func (s Source) Read(_ context.Context, f checks.File) ([]byte, error) {
	data, ok := s[f.Path]
	if !ok {
		return nil, fmt.Errorf("%s: no such file", f.Path)
	}
	return data, nil
}
