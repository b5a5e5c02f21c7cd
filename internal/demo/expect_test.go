package demo

import (
	"strings"
	"testing"

	"github.com/gatebot/gatebot/webhook/standin"
)

// TestExpectCanFail: the demo's own judgement must not be the kind that always agrees.
func TestExpectCanFail(t *testing.T) {
	planted := []place{{path: "a.py", line: 3}, {path: "b.py", line: 7}}
	at := func(lines ...int) []standin.Annotation {
		var as []standin.Annotation
		for _, n := range lines {
			path := "a.py"
			if n == 7 {
				path = "b.py"
			}
			as = append(as, standin.Annotation{Path: path, StartLine: n})
		}
		return as
	}
	for _, c := range []struct {
		name       string
		conclusion string
		at         []standin.Annotation
		want       string // part of the error, empty for none
	}{
		{"as planted", "failure", at(7, 3), ""},
		{"wrong conclusion", "success", at(3, 7), "conclusion success"},
		{"one missing", "failure", at(3), "annotations on"},
		{"one twice", "failure", at(3, 3, 7), "annotations on"},
		{"one elsewhere", "failure", at(4, 7), "annotations on"},
	} {
		run := standin.CheckRun{HeadSHA: "0123456789", Conclusion: c.conclusion, Annotations: c.at}
		err := expect(run, "failure", planted)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

func TestExpectRows(t *testing.T) {
	fixes := []string{"aaaaaaa0000", "bbbbbbb0000"}
	for _, c := range []struct {
		name, diff, want string
	}{
		{"two rows", "+| Commit | Description |\n+|---|---|\n+| `aaaaaaa` | x |\n+| [bbbbbbb](u) | y |\n", ""},
		{"one row", "+| aaaaaaa | x |\n", "gains 1 rows"},
		{"wrong order", "+| bbbbbbb | x |\n+| aaaaaaa | y |\n", "row 1"},
		{"rows of the context", "+| aaaaaaa | x |\n | bbbbbbb | y |\n", "gains 1 rows"},
	} {
		err := expectRows(c.diff, fixes)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}
