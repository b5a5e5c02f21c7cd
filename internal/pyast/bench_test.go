package pyast

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
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

// BenchmarkParse is the whole way; the benchmarks of internal/treesitter stop before the lowering.
func BenchmarkParse(b *testing.B) {
	files, n := benchFiles(b)
	b.SetBytes(n)
	b.ReportAllocs()
	for b.Loop() {
		for _, src := range files {
			if _, err := Parse(context.Background(), "", src, DefaultLimits); err != nil {
				b.Fatal(err)
			}
		}
	}
}
