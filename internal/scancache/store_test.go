package scancache

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/pyast"
)

func report(n int) *checks.Report {
	return &checks.Report{Files: n, Functions: 2, Hot: 1, Notes: []string{"a note"}, Findings: []finding.Finding{
		{Rule: "GB101", Path: "m.py", Line: n, Message: "<é> & \u2028", Evidence: []finding.Evidence{}, Suppressed: &finding.Suppression{By: "inline", Reason: "why"}},
		{Rule: "GB102", Evidence: nil}}}
}

func TestStoreGivesBackWhatItGot(t *testing.T) {
	s := Open(filepath.Join(t.TempDir(), "a", "b"))
	if _, ok := s.Get("k"); ok {
		t.Error("an empty store has an entry")
	}
	for i := range 3 {
		if err := s.Put("k", report(i)); err != nil {
			t.Fatal(err)
		}
		got, ok := s.Get("k")
		if diff := cmp.Diff(report(i), got); !ok || diff != "" {
			t.Errorf("found %v:\n%s", ok, diff)
		}
	}
	if _, ok := s.Get("other"); ok {
		t.Error("an entry under another key")
	}
	var none *Store
	if err := none.Put("k", report(1)); err != nil {
		t.Error(err)
	}
	if _, ok := none.Get("k"); ok {
		t.Error("no store has an entry")
	}
}

func TestTransientIsNotKept(t *testing.T) {
	s := Open(t.TempDir())
	rep := report(1)
	rep.Transient = true
	if err := s.Put("k", rep); err != nil {
		t.Fatal(err)
	}
	if _, ok := s.Get("k"); ok {
		t.Error("a report that may be better the next time was kept")
	}
}

// TestDamage: a changed, shortened or lengthened entry, or one that was moved to another key, is none.
func TestDamage(t *testing.T) {
	s := Open(t.TempDir())
	if err := s.Put("k", report(1)); err != nil {
		t.Fatal(err)
	}
	name := s.file("k")
	good, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	write := func(file string, data []byte) {
		t.Helper()
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for i := range good {
		bad := append([]byte(nil), good...)
		bad[i] ^= 1
		write(name, bad)
		if _, ok := s.Get("k"); ok {
			t.Errorf("byte %d of %d changed and still believed", i, len(good))
		}
		write(name, good[:i])
		if _, ok := s.Get("k"); ok {
			t.Errorf("cut off after %d bytes and still believed", i)
		}
	}
	write(name, append(good[:len(good):len(good)], ' '))
	if _, ok := s.Get("k"); ok {
		t.Error("something behind the end and still believed")
	}
	write(s.file("other"), good)
	if _, ok := s.Get("other"); ok {
		t.Error("believed under another key")
	}
	if err := s.Put("k", report(1)); err != nil {
		t.Fatal(err)
	}
	if _, ok := s.Get("k"); !ok {
		t.Error("a damaged entry is not replaced")
	}
}

// TestSideBySide: readers see whole entries only, whoever writes.
func TestSideBySide(t *testing.T) {
	dir := t.TempDir()
	var g sync.WaitGroup
	for w := range 4 {
		g.Go(func() {
			s := Open(dir)
			for i := range 30 {
				key := fmt.Sprint(i % 3)
				if w%2 == 0 {
					if err := s.Put(key, report(i%3)); err != nil {
						t.Error(err)
					}
				} else if rep, ok := s.Get(key); ok && rep.Files != i%3 {
					t.Errorf("key %s gives the report of %d", key, rep.Files)
				}
			}
		})
	}
	g.Wait()
}

func TestBounded(t *testing.T) {
	dir := t.TempDir()
	s := Open(dir)
	left := filepath.Join(dir, tempPrefix+"left")
	if err := os.WriteFile(left, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-2 * tempAge)
	if err := os.Chtimes(left, old, old); err != nil {
		t.Fatal(err)
	}
	for i := range maxEntries + 10 {
		if err := s.Put(fmt.Sprint(i), report(i)); err != nil {
			t.Fatal(err)
		}
		past := time.Now().Add(time.Duration(i-1000) * time.Second)
		if err := os.Chtimes(s.file(fmt.Sprint(i)), past, past); err != nil {
			t.Fatal(err)
		}
		if _, ok := s.Get("0"); !ok { // what is used stays
			t.Fatalf("the entry in use went with number %d", i)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) > maxEntries {
		t.Errorf("%d entries: %v", len(entries), err)
	}
	if _, err := os.Stat(left); err == nil {
		t.Error("what a killed run has left is still there")
	}
}

func TestKey(t *testing.T) {
	files := []checks.File{{Path: "a.py", ID: "1", Size: 3}, {Path: "b.cu", Stamp: "s", Size: 4}, {Path: "README.md"}}
	now := time.Date(2026, 3, 4, 23, 0, 0, 0, time.UTC)
	base := Key(files, checks.Options{}, "r", now)
	if base == "" || base != Key(files, checks.Options{Workers: 7, Now: now, Shelf: pyast.NewShelf(1, 1)}, "r", now.Add(30*time.Minute)) {
		t.Error("the same scan has two keys")
	}
	change := func(f func(files []checks.File)) []checks.File {
		c := append([]checks.File(nil), files...)
		f(c)
		return c
	}
	for name, other := range map[string]string{
		"content":       Key(change(func(f []checks.File) { f[0].ID = "2" }), checks.Options{}, "r", now),
		"path":          Key(change(func(f []checks.File) { f[0].Path = "c.py" }), checks.Options{}, "r", now),
		"stamp":         Key(change(func(f []checks.File) { f[1].Stamp = "t" }), checks.Options{}, "r", now),
		"a file less":   Key(files[1:], checks.Options{}, "r", now),
		"rules":         Key(files, checks.Options{}, "s", now),
		"day":           Key(files, checks.Options{}, "r", now.Add(2*time.Hour)),
		"all functions": Key(files, checks.Options{AllFunctions: true}, "r", now),
		"include":       Key(files, checks.Options{Include: []string{"a"}}, "r", now),
		"exclude":       Key(files, checks.Options{Exclude: []string{"a"}}, "r", now),
		"roots":         Key(files, checks.Options{Roots: []checks.Selector{{Path: "a", Name: "b"}}}, "r", now),
		"severity":      Key(files, checks.Options{Severity: []checks.SeverityRule{{Match: "a", Severity: finding.Off}}}, "r", now),
		"size limit":    Key(files, checks.Options{MaxFileSize: 1}, "r", now),
	} {
		if other == base || other == "" {
			t.Errorf("%s: key %q, base %q", name, other, base)
		}
	}
	if k := Key(change(func(f []checks.File) { f[2].ID = "new" }), checks.Options{}, "r", now); k != base {
		t.Error("a file that no scan reads changes the key")
	}
	if k := Key(change(func(f []checks.File) { f[1].Stamp = "" }), checks.Options{}, "r", now); k != "" {
		t.Error("a file of unknown content has a key")
	}
	if k := Key(files, checks.Options{}, "", now); k != "" {
		t.Error("unknown rules have a key")
	}
}

// TestMemory: what was kept is found, damage is as good as nothing, and files of other rules do not pile up.
func TestMemory(t *testing.T) {
	s := Open(t.TempDir())
	rule := &checks.Rule{ID: "GB101"}
	m := checks.NewMemory()
	if _, err := m.Scan(context.Background(), one{}, checks.Options{Rules: []*checks.Rule{rule}}); err != nil {
		t.Fatal(err)
	}
	for _, rules := range []string{"a", "b", "c"} {
		if err := s.PutMemory(rules, m); err != nil {
			t.Fatal(err)
		}
	}
	names, err := filepath.Glob(filepath.Join(s.dir, "*"+memorySuffix))
	if err != nil || len(names) != 2 {
		t.Fatalf("%d files of memories (%v); want the 2 newest", len(names), err)
	}
	kept := bytes.Join(m.Save(), nil)
	if got := bytes.Join(s.Memory("c", []*checks.Rule{rule}).Save(), nil); !bytes.Equal(got, kept) {
		t.Errorf("found %d bytes; want the %d that were kept", len(got), len(kept))
	}
	empty := bytes.Join(checks.NewMemory().Save(), nil)
	name := s.memoryFile("c")
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range [][]byte{data[:len(data)/2], {}, append([]byte{data[0] ^ 1}, data[1:]...), append(slices.Clone(data[:len(data)-1]), data[len(data)-1]^1)} {
		if err := os.WriteFile(name, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		if got := bytes.Join(s.Memory("c", []*checks.Rule{rule}).Save(), nil); !bytes.Equal(got, empty) {
			t.Errorf("a damaged file of %d bytes gave a memory of %d", len(bad), len(got))
		}
	}
}

// one is a tree of one file.
type one struct{}

func (one) Files(context.Context) ([]checks.File, error) {
	return []checks.File{{Path: "a.py", ID: "1"}}, nil
}

func (one) Read(context.Context, checks.File) ([]byte, error) {
	return []byte("def step(x):\n    return x\n"), nil
}
