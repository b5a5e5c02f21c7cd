package checks

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gatebot/gatebot/internal/finding"
)

// readItem is a rule that reports `.item()` of what may be on the device.
var readItem = &Rule{ID: "GB101", Name: "tensor-item", Severity: finding.Error, Static: true, Call: func(p *Pass, c *Call) {
	if c.Name == "Tensor.item" && c.Recv.MayBeOnDevice() {
		p.Report(c.Node, c.Recv, "{expr}")
	}
}}

// TestGates scans each folder of testdata/gates as a project of its own. A line gates when its comment begins with
// `# gates`, is reported as possible with `# possible`, as suppressed with `# off`, and not at all without.
func TestGates(t *testing.T) {
	dirs, err := filepath.Glob("testdata/gates/*")
	if err != nil || len(dirs) == 0 {
		t.Fatalf("no projects: %v", err)
	}
	for _, dir := range dirs {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			files := readTree(t, dir)
			got := map[string]map[int]string{}
			for _, f := range scanMemory(t, files, Options{Rules: []*Rule{readItem}}).Findings {
				word := "possible"
				switch {
				case f.Suppressed != nil:
					word = "off"
				case f.Confidence == finding.Likely:
					word = "gates"
				}
				if got[f.Path] == nil {
					got[f.Path] = map[int]string{}
				}
				got[f.Path][f.Line] = word
			}
			for path, src := range files {
				for i, l := range strings.Split(src, "\n") {
					want := ""
					if _, comment, ok := strings.Cut(l, "  # "); ok {
						switch w, _, _ := strings.Cut(comment, ":"); w {
						case "gates", "possible", "off":
							want = w
						}
					}
					if got[path][i+1] != want {
						t.Errorf("%s:%d: %q, want %q: %s", path, i+1, got[path][i+1], want, strings.TrimSpace(l))
					}
				}
			}
		})
	}
}

// readTree reads the files of a folder and of its folders.
func readTree(t *testing.T, dir string) memory {
	t.Helper()
	files := memory{}
	err := filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		src, err := os.ReadFile(p)
		rel, _ := filepath.Rel(dir, p)
		files[filepath.ToSlash(rel)] = string(src)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
