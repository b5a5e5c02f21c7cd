package git

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// errBare is what a bare repository says when it is asked for files on disk.
var errBare = errors.New("a bare repository has no working tree (name a revision)")

// WorkFiles lists the working tree.
func (r *CLI) WorkFiles(ctx context.Context) ([]Entry, error) {
	if r.root == "" {
		return nil, errBare
	}
	c := r.inRoot()
	out, err := c.run(ctx, nil, "ls-files", "-z", "--stage")
	if err != nil {
		return nil, err
	}
	entries, others, err := parseStage(out)
	if err != nil {
		return nil, err
	}
	if err := r.dropChanged(ctx, c, entries); err != nil {
		return nil, err
	}
	if out, err = c.run(ctx, nil, "ls-files", "-z", "--others", "--exclude-standard"); err != nil {
		return nil, err
	}
	others = append(others, strings.Split(string(out), "\x00")...)
	for _, path := range others {
		if path != "" && !strings.HasSuffix(path, "/") { // "dir/" is a repository inside this one
			entries = append(entries, Entry{Path: path, Mode: ModeFile, Size: -1})
		}
	}
	slices.SortStableFunc(entries, func(a, b Entry) int { return cmp.Compare(a.Path, b.Path) })
	return entries, nil
}

// dropChanged clears the blob ids of entries whose bytes on disk may differ from the blob: because the file was
// edited, or because git converts content on its way to disk (filters, line ends, keywords, encodings).
func (r *CLI) dropChanged(ctx context.Context, c *commander, entries []Entry) error {
	out, err := c.run(ctx, nil, "diff-files", "-z", "--name-only", "--no-ext-diff", "--ignore-submodules=all")
	if err != nil {
		return err
	}
	drop := map[string]bool{}
	for path := range strings.SplitSeq(string(out), "\x00") {
		drop[path] = true
	}
	all, err := r.converted(ctx, c, entries, drop)
	if err != nil {
		return err
	}
	for i := range entries {
		if all || drop[entries[i].Path] {
			entries[i].Blob = ""
		}
	}
	return nil
}

// converted adds the paths with a converting attribute to set; all means that any file may be converted.
func (r *CLI) converted(ctx context.Context, c *commander, entries []Entry, set map[string]bool) (all bool, err error) {
	if runtime.GOOS == "windows" {
		return true, nil
	}
	out, err := c.run(ctx, nil, "config", "--get-regexp", `^core\.(autocrlf|eol|attributesfile)$`)
	if err != nil && exitCode(err) != 1 { // 1: none of them is set
		return false, err
	}
	conf := strings.ToLower(string(out))
	if strings.Contains(conf, "core.autocrlf true") || strings.Contains(conf, "core.eol crlf") {
		return true, nil
	}
	attributes := strings.Contains(conf, "core.attributesfile") || fileExists(filepath.Join(r.commonDir, "info", "attributes"))
	var stdin bytes.Buffer
	for _, e := range entries {
		attributes = attributes || e.Path == ".gitattributes" || strings.HasSuffix(e.Path, "/.gitattributes")
		stdin.WriteString(e.Path + "\x00")
	}
	if !attributes {
		return false, nil
	}
	out, err = c.run(ctx, &stdin, "check-attr", "-z", "--stdin", "filter", "eol", "ident", "working-tree-encoding")
	if err != nil {
		return false, err
	}
	f := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	if len(out) > 0 && len(f)%3 != 0 {
		return false, fmt.Errorf("git check-attr: output cut off after %d fields", len(f))
	}
	for ; len(f) >= 3; f = f[3:] {
		if v := f[2]; v != "unspecified" && v != "unset" && (f[1] != "eol" || v == "crlf") {
			set[f[0]] = true
		}
	}
	return false, nil
}

func fileExists(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist)
}
