package pyast

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestGolden dumps each testdata/golden/NAME.py, one statement a line, and compares with NAME.txt.
func TestGolden(t *testing.T) {
	paths, err := filepath.Glob("testdata/golden/*.py")
	if err != nil || len(paths) == 0 {
		t.Fatal(len(paths), err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			src, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			m := parse(t, string(src))
			checkSpans(t, m)
			var b strings.Builder
			for _, s := range m.Body {
				b.WriteString(dump(s) + "\n")
			}
			for _, c := range m.Comments {
				b.WriteString(dump(c) + "\n")
			}
			for _, e := range m.Errors {
				b.WriteString(strings.ReplaceAll(m.Text(e), "\n", "⏎") + ": " + e.Message + "\n")
			}
			golden := strings.TrimSuffix(path, ".py") + ".txt"
			if *update {
				if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), b.String()); diff != "" {
				t.Errorf("%s (-want +got; -update rewrites it):\n%s", golden, diff)
			}
		})
	}
}
