package git

import (
	"strings"
	"testing"
)

func FuzzParseTree(f *testing.F) {
	id := strings.Repeat("a", 40)
	f.Add([]byte("100644 blob " + id + "\ta b\nc\x00160000 commit " + id + "\tsub\x00"))
	f.Add([]byte("100644 blob " + id + "\tcut off"))
	f.Fuzz(func(t *testing.T, data []byte) {
		entries, err := parseTree(data)
		if err == nil && len(entries) != strings.Count(string(data), "\x00") {
			t.Errorf("%d entries of %q", len(entries), data)
		}
	})
}

func FuzzParseRawDiff(f *testing.F) {
	id, zero := strings.Repeat("a", 40), strings.Repeat("0", 40)
	f.Add([]byte(":100644 100644 " + id + " " + id + " M\x00a\x00:000000 100644 " + zero + " " + id + " A\x00b\x00"))
	f.Add([]byte(":100644 100644 " + id + " " + id + " R086\x00from\x00to\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		changes, err := parseRawDiff(data)
		if err != nil {
			return
		}
		for _, c := range changes {
			if (c.Status == 'A') != (c.OldBlob == "") || (c.Status == 'D') != (c.Blob == "") {
				t.Errorf("change %+v", c)
			}
		}
	})
}

func FuzzParseCommit(f *testing.F) {
	id := strings.Repeat("a", 40)
	f.Add([]byte("tree " + id + "\nparent " + id + "\nauthor A <a@b> 1 +0000\ncommitter C <c@d> 2 +0100\n" +
		"gpgsig -----BEGIN\n tree x\n\nsubject\nmore\n\nbody\n"))
	f.Add([]byte("tree " + id + "\nauthor no email\n\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := parseCommit(id, data)
		if err == nil && (!isID(c.Tree) || strings.Contains(c.Subject, "\n")) {
			t.Errorf("commit %+v", c)
		}
	})
}

func FuzzParseTreeObject(f *testing.F) {
	f.Add([]byte("100644 a\x00" + strings.Repeat("x", 20) + "40000 d\x00" + strings.Repeat("y", 20)))
	f.Add([]byte("100644 a\x00short"))
	f.Fuzz(func(t *testing.T, data []byte) {
		nodes, err := parseTreeObject(data)
		for _, n := range nodes {
			if err == nil && (n.name == "" || !isID(n.id)) {
				t.Errorf("node %+v", n)
			}
		}
	})
}

func FuzzParseBatchHeader(f *testing.F) {
	f.Add(strings.Repeat("a", 40) + " blob 12\n")
	f.Add("x missing\n")
	f.Add(strings.Repeat("a", 40) + " blob -1\n")
	f.Fuzz(func(t *testing.T, line string) {
		if a, err := parseBatchHeader(line); err == nil && a.size < 0 {
			t.Errorf("answer %+v to %q", a, line)
		}
	})
}

func TestIsZeroID(t *testing.T) {
	for s, want := range map[string]bool{strings.Repeat("0", 40): true, strings.Repeat("0", 64): true,
		strings.Repeat("0", 39): false, strings.Repeat("0", 39) + "1": false, "": false} {
		if IsZeroID(s) != want {
			t.Errorf("IsZeroID(%q) = %v", s, !want)
		}
	}
}

func FuzzParseStage(f *testing.F) {
	id := strings.Repeat("a", 40)
	f.Add([]byte("100644 " + id + " 0\ta b\x00100644 " + id + " 1\tc\x00100644 " + id + " 2\tc\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		entries, conflicts, err := parseStage(data)
		if n := strings.Count(string(data), "\x00"); err == nil && len(entries)+len(conflicts) > n {
			t.Errorf("%d entries and %d conflicts of %d records", len(entries), len(conflicts), n)
		}
	})
}
