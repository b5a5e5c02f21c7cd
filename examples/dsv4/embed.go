// Package dsv4 is the example for Go: the model's files, the nine violations of its history, and what a card recorded of
// both, for the demo and for the tests that judge the recordings again.
package dsv4

import (
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
)

// Tree is what a repository of the example holds; patches and recordings are beside it.
//
//go:embed dsv4/*.py gate_phase1.py gate_phase2.py gate_split.py generate.py .gatebot.yaml
var tree embed.FS

//go:embed history/*.patch
var patches embed.FS

// Write writes the clean tree into a folder.
func Write(dir string) error {
	return fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		to := filepath.Join(dir, filepath.FromSlash(name))
		if d.IsDir() {
			return os.MkdirAll(to, 0o755)
		}
		data, err := tree.ReadFile(name)
		if err != nil {
			return err
		}
		return os.WriteFile(to, data, 0o644)
	})
}

// Place is a line where the source scan has to find a violation.
type Place struct {
	Path string
	Line int
	Rule string
}

// Row is one row of the fix log: a violation, as a patch against the clean tree.
type Row struct {
	Name  string // 01-mhc-item
	Bad   string // subject of the commit that brings it in
	Fix   string // subject of the commit that takes it out: the first user's words
	Found []Place
	Patch []byte // for git apply
}

// Rows are the nine, in order.
func Rows() ([]Row, error) {
	names, err := fs.Glob(patches, "history/*.patch")
	if err != nil {
		return nil, err
	}
	sort.Strings(names)
	var out []Row
	for _, n := range names {
		data, err := patches.ReadFile(n)
		if err != nil {
			return nil, err
		}
		r := Row{Name: strings.TrimSuffix(path.Base(n), ".patch"), Patch: data}
		head, _, _ := strings.Cut(string(data), "\n\n")
		for _, line := range strings.Split(head, "\n") {
			if err := r.read(line); err != nil {
				return nil, fmt.Errorf("%s: %w", n, err)
			}
		}
		out = append(out, r)
	}
	return out, nil
}

// read takes one line before the diff.
func (r *Row) read(line string) error {
	key, value, ok := strings.Cut(line, ": ")
	if !ok {
		return fmt.Errorf("%q is no \"Key: value\"", line)
	}
	switch key {
	case "Bad":
		r.Bad = value
	case "Fix":
		r.Fix = value
	case "Found":
		var p Place
		var at string
		if at, p.Rule, ok = strings.Cut(value, " "); ok {
			file, line, _ := strings.Cut(at, ":")
			n, err := strconv.Atoi(line)
			if err != nil {
				return err
			}
			p.Path, p.Line = file, n
			r.Found = append(r.Found, p)
			return nil
		}
		return fmt.Errorf("%q is no PATH:LINE RULE", value)
	default:
		return fmt.Errorf("unknown key %q", key)
	}
	return nil
}
