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
	"regexp"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"
)

// errBare is what a bare repository says when it is asked for files on disk.
var errBare = errors.New("a bare repository has no working tree (name a revision)")

// WorkFiles lists the working tree. What git has to be asked is asked at once: each question looks at every file.
func (r *CLI) WorkFiles(ctx context.Context) ([]Entry, error) {
	if r.root == "" {
		return nil, errBare
	}
	c := r.inRoot()
	var staged, untracked, edited, conf []byte
	g, gctx := errgroup.WithContext(ctx)
	ask := func(out *[]byte, args ...string) {
		g.Go(func() (err error) {
			*out, err = c.run(gctx, nil, args...)
			return err
		})
	}
	ask(&staged, "ls-files", "-z", "--stage")
	ask(&untracked, "ls-files", "-z", "--others", "--exclude-standard")
	ask(&edited, "diff-files", "-z", "--name-only", "--no-ext-diff", "--ignore-submodules=all")
	g.Go(func() (err error) {
		conf, err = c.run(gctx, nil, "config", "--get-regexp", `^core\.(autocrlf|eol|attributesfile)$`)
		if exitCode(err) == 1 {
			return nil // none of them is set
		}
		return err
	})
	if err := g.Wait(); err != nil {
		return nil, err
	}
	entries, others, err := parseStage(staged)
	if err != nil {
		return nil, err
	}
	if err := r.dropChanged(ctx, c, entries, edited, strings.ToLower(string(conf))); err != nil {
		return nil, err
	}
	for _, path := range append(others, strings.Split(string(untracked), "\x00")...) {
		if path != "" && !strings.HasSuffix(path, "/") { // "dir/" is a repository inside this one
			entries = append(entries, Entry{Path: path, Mode: ModeFile, Size: -1})
		}
	}
	slices.SortStableFunc(entries, func(a, b Entry) int { return cmp.Compare(a.Path, b.Path) })
	return entries, nil
}

// dropChanged clears the blob ids of entries whose bytes on disk may differ from the blob: because the file was
// edited, or because git converts content on its way to disk (filters, line ends, keywords, encodings).
func (r *CLI) dropChanged(ctx context.Context, c *commander, entries []Entry, edited []byte, conf string) error {
	drop := map[string]bool{}
	for path := range strings.SplitSeq(string(edited), "\x00") {
		drop[path] = true
	}
	all := runtime.GOOS == "windows" || strings.Contains(conf, "core.autocrlf true") || strings.Contains(conf, "core.eol crlf")
	if !all && (strings.Contains(conf, "core.attributesfile") || r.converting(entries)) {
		if err := converted(ctx, c, entries, drop); err != nil {
			return err
		}
	}
	for i := range entries {
		if all || drop[entries[i].Path] {
			entries[i].Blob = ""
		}
	}
	return nil
}

// conversion finds the attributes that change content on its way to disk, and macros, which may stand for them.
var conversion = regexp.MustCompile(`\b(filter|eol|ident|working-tree-encoding)\b|^\[attr\]|\n\[attr\]`)

// converting reports whether an attributes file names a conversion; few do, and asking for every path is slow.
func (r *CLI) converting(entries []Entry) bool {
	files := []string{filepath.Join(r.commonDir, "info", "attributes")}
	for _, e := range entries {
		if e.Path == ".gitattributes" || strings.HasSuffix(e.Path, "/.gitattributes") {
			files = append(files, filepath.Join(r.root, filepath.FromSlash(e.Path)))
		}
	}
	return slices.ContainsFunc(files, func(name string) bool {
		data, err := os.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			return false
		}
		return err != nil || conversion.Match(data)
	})
}

// converted adds the paths with a converting attribute to set.
func converted(ctx context.Context, c *commander, entries []Entry, set map[string]bool) error {
	var stdin bytes.Buffer
	for _, e := range entries {
		stdin.WriteString(e.Path + "\x00")
	}
	out, err := c.run(ctx, &stdin, "check-attr", "-z", "--stdin", "filter", "eol", "ident", "working-tree-encoding")
	if err != nil {
		return err
	}
	f := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	if len(out) > 0 && len(f)%3 != 0 {
		return fmt.Errorf("git check-attr: output cut off after %d fields", len(f))
	}
	for ; len(f) >= 3; f = f[3:] {
		if v := f[2]; v != "unspecified" && v != "unset" && (f[1] != "eol" || v == "crlf") {
			set[f[0]] = true
		}
	}
	return nil
}

func fileExists(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist)
}
