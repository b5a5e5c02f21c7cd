package treesitter

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	sitter "github.com/tree-sitter/go-tree-sitter"
)

// benchFiles are the modules at the top of the standard library, about 8 MB.
func benchFiles(b *testing.B) (files [][]byte, bytes int64) {
	python, err := exec.LookPath("python3")
	if err != nil {
		b.Skip("NO python3 ON THIS MACHINE: nothing to parse")
	}
	out, err := exec.Command(python, "-c", "import os; print(os.path.dirname(os.__file__))").Output()
	if err != nil {
		b.Fatal(err)
	}
	paths, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(out)), "*.py"))
	if err != nil || len(paths) == 0 {
		b.Fatal(len(paths), err)
	}
	for _, p := range paths {
		src, err := os.ReadFile(p)
		if err != nil {
			b.Fatal(err)
		}
		files = append(files, src)
		bytes += int64(len(src))
	}
	return files, bytes
}

// BenchmarkFlat gives the flat tree, BenchmarkTreeSitter is the bare parser through the Go binding (with the C
// allocator), so that the cost of each step shows.
func BenchmarkFlat(b *testing.B) {
	files, n := benchFiles(b)
	p, err := NewParser(Python())
	if err != nil {
		b.Fatal(err)
	}
	defer p.Close()
	b.SetBytes(n)
	for b.Loop() {
		for _, src := range files {
			if _, err := p.Parse(context.Background(), src, time.Minute, 256<<20); err != nil {
				b.Fatal(err)
			}
		}
	}
}

func BenchmarkTreeSitter(b *testing.B) {
	files, n := benchFiles(b)
	p := sitter.NewParser()
	defer p.Close()
	if err := p.SetLanguage(Python().lang); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(n)
	for b.Loop() {
		for _, src := range files {
			p.Parse(src, nil).Close()
		}
	}
}
