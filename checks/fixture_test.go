package checks

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/pyast"
)

// memory is a Source of files held in memory. Reading "!name" fails.
type memory map[string]string

func (m memory) Files(context.Context) ([]File, error) {
	var out []File
	for _, p := range sortedKeys(m) {
		out = append(out, File{Path: p, Size: int64(len(m[p]))})
	}
	slices.Reverse(out) // the order of the source must not matter
	return out, nil
}

func (m memory) Read(_ context.Context, f File) ([]byte, error) {
	if strings.HasPrefix(f.Path, "!") {
		return nil, os.ErrPermission
	}
	return []byte(m[f.Path]), nil
}

// unresolved is a rule that reports calls of a function that nobody defines, with what its argument is taken for.
func unresolved(name string) *Rule {
	return &Rule{ID: "GB101", Name: "tensor-item", Severity: finding.Error, Static: true, Call: func(p *Pass, c *Call) {
		if f, ok := c.Node.Func.(*pyast.Name); ok && f.ID == name {
			msg := name
			if len(c.Args) > 0 {
				msg = c.Args[0].Value.String()
			}
			p.Report(c.Node, nil, msg)
		}
	}}
}

func scanMemory(t *testing.T, files memory, opts Options) *Report {
	t.Helper()
	opts.Now = time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
	rep, err := Scan(context.Background(), files, opts)
	if err != nil {
		t.Fatal(err)
	}
	return rep
}

// readDir loads a folder of fixtures.
func readDir(t *testing.T, dir string) memory {
	t.Helper()
	files := memory{}
	paths, err := filepath.Glob(filepath.Join(dir, "*.py"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("%s: no fixtures (%v)", dir, err)
	}
	for _, p := range paths {
		src, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		files[filepath.Base(p)] = string(src)
	}
	return files
}

// expected reads `# word "text"` comments: line by line what the test wants.
func expected(src, word string) map[int][]string {
	re := regexp.MustCompile(`# ` + word + ` "(.*)"$`)
	out := map[int][]string{}
	for i, l := range strings.Split(src, "\n") {
		if m := re.FindStringSubmatch(l); m != nil {
			out[i+1] = append(out[i+1], m[1])
		}
	}
	return out
}

// TestInference compares what values are taken for with the comments in testdata/infer.
func TestInference(t *testing.T) {
	for name, src := range readDir(t, "testdata/infer") {
		t.Run(name, func(t *testing.T) {
			rep := scanMemory(t, memory{name: src}, Options{Rules: []*Rule{unresolved("reveal")}})
			want := expected(src, "is")
			got := map[int][]string{}
			for _, f := range rep.Findings {
				got[f.Line] = append(got[f.Line], f.Message)
			}
			for _, line := range sortedKeys(want) {
				if !slices.Equal(got[line], want[line]) {
					t.Errorf("%s:%d: taken for %q, want %q", name, line, got[line], want[line])
				}
				delete(got, line)
			}
			if len(got) > 0 {
				t.Errorf("%s: lines without expectation: %v", name, got)
			}
			if len(want) < 20 {
				t.Errorf("%s: only %d expectations", name, len(want))
			}
		})
	}
}

// TestGuards checks which code counts as production.
func TestGuards(t *testing.T) {
	for name, src := range readDir(t, "testdata/guards") {
		rep := scanMemory(t, memory{name: src}, Options{Rules: []*Rule{unresolved("mark")}, Guards: []string{"flavor == 3"}})
		want := expected(src, "guard")
		seen := map[int]bool{}
		for _, f := range rep.Findings {
			seen[f.Line] = true
			got := ""
			if f.Suppressed != nil {
				got = f.Suppressed.Reason
				if f.Suppressed.By != "guard" {
					t.Errorf("%s:%d: suppressed by %q", name, f.Line, f.Suppressed.By)
				}
			}
			exp := ""
			if w := want[f.Line]; len(w) > 0 {
				exp = w[0]
			}
			if got != exp {
				t.Errorf("%s:%d: guard %q, want %q", name, f.Line, got, exp)
			}
		}
		for i, l := range strings.Split(src, "\n") {
			silent := strings.Contains(l, "raise") || strings.Contains(l, "assert")
			if strings.Contains(l, "mark()") && seen[i+1] == silent {
				t.Errorf("%s:%d: reported %v: %s", name, i+1, seen[i+1], strings.TrimSpace(l))
			}
		}
	}
}

func ExampleExplain() {
	src := memory{"m.py": "import torch\n\n\ndef decode_step(x: torch.Tensor):\n    return x.sum().item()\n"}
	e, err := Explain(context.Background(), src, Options{}, "m.py", 5)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(e.Function, e.Hot, e.Why)
	for _, v := range e.Values {
		fmt.Println(v.Code, "is", v.Taken)
	}
	// Output:
	// decode_step true a root of the hot path
	// x.sum().item() is number
	// x.sum() is device tensor, 0-d (likely)
	// x is device tensor (likely)
}
