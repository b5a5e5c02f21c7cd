package fixlog

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// id makes a full commit id out of its seven digits.
func id(short string) string { return short + strings.Repeat("e", 33) }

// ledger makes one of fixed records, a minute apart: "<commit> <file> <function>".
func ledger(specs ...string) *Ledger {
	l := &Ledger{}
	for i, s := range specs {
		f := strings.Fields(s)
		r := Record{State: Fixed, Commit: id(f[0]), Path: f[1], Symbol: f[2], Operation: ".item()", Rule: "GB101",
			When: time.Unix(int64(1000+60*i), 0).UTC(), Source: SourceStatic, Fingerprints: []string{"f" + s}}
		r.ID = recordID(r.Commit, r.Rule, r.Path, r.Symbol)
		r.Description = describe([]Record{r})
		l.Records = append(l.Records, r)
	}
	return l
}

func merged(t *testing.T, doc string, l *Ledger) string {
	t.Helper()
	out, err := Merge([]byte(doc), l, "")
	if err != nil {
		t.Fatal(err)
	}
	again, err := Merge(out, l, "")
	if err != nil || !bytes.Equal(again, out) {
		t.Errorf("merging again: %v\n%s", err, cmp.Diff(string(out), string(again)))
	}
	return string(out)
}

func TestMerge(t *testing.T) {
	const head = "| Commit | Description |\n|---|---|\n"
	regressed := ledger("aaaaaa1 m.py f", "aaaaaa2 n.py g")
	regressed.Records[0].State, regressed.Records[0].RegressedIn = Regressed, id("bbbbbb9")
	both := ledger("aaaaaa1 m.py f", "aaaaaa1 m.py g", "aaaaaa1 k/n.py C.forward")
	removed := ledger("aaaaaa1 m.py f", "aaaaaa2 n.py g")
	removed.Records[0].State = Removed
	for _, c := range []struct {
		name, doc string
		l         *Ledger
		want      string
	}{
		{"new document", "", ledger("aaaaaa1 m.py f"),
			"## Violation Fix Log\n\n" + BeginMarker + "\n" + head + "| aaaaaa1 | m.py: .item() removed from f |\n" + EndMarker + "\n"},
		{"nothing to say", "text", &Ledger{}, "text"},
		{"at the end", "# Doc\n\ntext", ledger("aaaaaa1 m.py f"),
			"# Doc\n\ntext\n\n## Violation Fix Log\n\n" + BeginMarker + "\n" + head + "| aaaaaa1 | m.py: .item() removed from f |\n" + EndMarker + "\n"},
		{"below an empty heading", "# Violation fix log\nnext\n", ledger("aaaaaa1 m.py f"),
			"# Violation fix log\n\n" + BeginMarker + "\n" + head + "| aaaaaa1 | m.py: .item() removed from f |\n" + EndMarker + "\n\nnext\n"},
		{"empty markers", "a\n" + BeginMarker + "\n" + EndMarker + "\nb", ledger("aaaaaa1 m.py f"),
			"a\n" + BeginMarker + "\n" + head + "| aaaaaa1 | m.py: .item() removed from f |\n" + EndMarker + "\nb"},
		{"order of history", "## Violation Fix Log\n\n" + head + "| ccccccc | by hand |\n| aaaaaa2 | n.py: mine |\n\ntext |\n",
			ledger("aaaaaa1 m.py f", "aaaaaa2 n.py g", "aaaaaa3 o.py h"),
			"## Violation Fix Log\n\n" + head + "| ccccccc | by hand |\n| aaaaaa1 | m.py: .item() removed from f |\n" +
				"| aaaaaa2 | n.py: mine |\n| aaaaaa3 | o.py: .item() removed from h |\n\ntext |\n"},
		{"human description, backticks and links", "## Violation Fix Log\n| Commit | Description | PR |\n|:--|:--|--:|\n" +
			"| [`aaaaaa1`](https://x/aaaaaa1) |  what \\| I say  | #1 |\n",
			ledger("aaaaaa1 m.py f", "aaaaaa2 n.py __call__"),
			"## Violation Fix Log\n| Commit | Description | PR |\n|:--|:--|--:|\n" +
				"| [`aaaaaa1`](https://x/aaaaaa1) |  what \\| I say  | #1 |\n| `aaaaaa2` | n.py: .item() removed from \\_\\_call\\_\\_ |  |\n"},
		{"tabs, no line break at the end", "Violation Fix Log\n\nCommit\tDescription\naaaaaa1\tby hand → so", ledger("aaaaaa1 m.py f", "aaaaaa2 n.py g"),
			"Violation Fix Log\n\nCommit\tDescription\naaaaaa1\tby hand → so\naaaaaa2\tn.py: .item() removed from g"},
		{"CRLF", "x\r\n\r\nViolation Fix Log\r\n\r\nCommit\tDescription\r\naaaaaa1\tby hand\r\n\r\nrest\n", ledger("aaaaaa2 n.py g"),
			"x\r\n\r\nViolation Fix Log\r\n\r\nCommit\tDescription\r\naaaaaa1\tby hand\r\naaaaaa2\tn.py: .item() removed from g\r\n\r\nrest\n"},
		{"regressed", "## Violation Fix Log\n" + head + "| aaaaaa1 | mine  |\n", regressed,
			"## Violation Fix Log\n" + head + "| aaaaaa1 | mine (regressed in bbbbbb9)  |\n| aaaaaa2 | n.py: .item() removed from g |\n"},
		{"one row for a commit", "## Violation Fix Log\n" + head, both,
			"## Violation Fix Log\n" + head + "| aaaaaa1 | m.py: .item() removed from f and g; n.py: .item() removed from C.forward |\n"},
		{"removed files are no rows", "## Violation Fix Log\n" + head, removed,
			"## Violation Fix Log\n" + head + "| aaaaaa2 | n.py: .item() removed from g |\n"},
		{"heading in code is none", "```\n## Violation Fix Log\n```\n", ledger("aaaaaa1 m.py f"),
			"```\n## Violation Fix Log\n```\n\n## Violation Fix Log\n\n" + BeginMarker + "\n" + head +
				"| aaaaaa1 | m.py: .item() removed from f |\n" + EndMarker + "\n"},
		{"upper-case id", "## Violation Fix Log\n" + head + "| AAAAAA1 | mine |\n", ledger("aaaaaa1 m.py f"),
			"## Violation Fix Log\n" + head + "| AAAAAA1 | mine |\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if d := cmp.Diff(c.want, merged(t, c.doc, c.l)); d != "" {
				t.Error(d)
			}
		})
	}
}

// handKept is a document in the form that the first user keeps: sections, a tab-separated table of nine rows at the
// very end, and no line break after the last.
func handKept() (doc string, l *Ledger) {
	doc = "Readiness\n\n---\n\nSECTION A\n\n#\tHazard\tStatus\n1\tfirst\t✅ DONE\n\nViolation Fix Log\n\nCommit\tDescription\n"
	var specs []string
	for i := range 9 {
		if i > 0 {
			doc += "\n"
		}
		doc += fmt.Sprintf("abcdef%d\tsomebody wrote this about fix %d → and *more* __of__ it | here", i, i)
		specs = append(specs, fmt.Sprintf("abcdef%d file%d.py f", i, i))
	}
	return doc, ledger(specs...)
}

func TestHandKeptDocumentComesOutByteForByte(t *testing.T) {
	doc, l := handKept()
	if got := merged(t, doc, l); got != doc {
		t.Error(cmp.Diff(doc, got))
	}
	rows, err := ReadRows([]byte(doc), "")
	if err != nil || len(rows) != 9 || rows[8].Commit != "abcdef8" || !strings.HasPrefix(rows[8].Description, "somebody") {
		t.Fatalf("ReadRows = %+v, %v", rows, err)
	}
	imported := &Ledger{}
	if err := imported.Adopt(context.Background(), newHist(t).repo, rows); err != nil {
		t.Fatal(err)
	}
	if got := merged(t, doc, imported); len(imported.Records) != 9 || got != doc {
		t.Errorf("%d records; %s", len(imported.Records), cmp.Diff(doc, got))
	}
	for i := range 10 { // the description of the third survives ten updates
		imported.Records = append(imported.Records, ledger(fmt.Sprintf("bbbbbb%d new.py f", i)).Records[0])
		doc = merged(t, doc, imported)
	}
	if n := strings.Count(doc, "\n"); n != 10+9+1+10 || !strings.Contains(doc, "abcdef2\tsomebody wrote this about fix 2 →") ||
		strings.HasSuffix(doc, "\n") {
		t.Errorf("after ten updates, %d line breaks:\n%s", n, doc)
	}
}

// TestFirstUsersDocument runs over the document itself where it lies beside this checkout.
func TestFirstUsersDocument(t *testing.T) {
	doc, err := os.ReadFile(filepath.Join("..", "..", "..", "shared", "first-user-readiness.md"))
	if err != nil {
		t.Skip("the first user's document is not here")
	}
	rows, err := ReadRows(doc, "")
	if err != nil || len(rows) != 9 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	var specs []string
	for _, r := range rows {
		specs = append(specs, r.Commit+" some.py f")
	}
	if got := merged(t, string(doc), ledger(specs...)); got != string(doc) {
		t.Error(cmp.Diff(string(doc), got))
	}
	imported := &Ledger{}
	if err := imported.Adopt(t.Context(), newHist(t).repo, rows); err != nil {
		t.Fatal(err)
	}
	if got := merged(t, string(doc), imported); len(imported.Records) != 9 || got != string(doc) {
		t.Errorf("imported %d records: %s", len(imported.Records), cmp.Diff(string(doc), got))
	}
	got := merged(t, string(doc), ledger(append(specs, "1234567 mhc.py post_block")...))
	if want := string(doc) + "\n1234567\tmhc.py: .item() removed from post_block"; got != want {
		t.Error(cmp.Diff(want, got))
	}
}

func TestHumanDescriptionsReachTheLedger(t *testing.T) {
	l := ledger("aaaaaa1 m.py f", "aaaaaa2 n.py g")
	doc := merged(t, "", l)
	rows, err := ReadRows([]byte(strings.Replace(doc, "m.py: .item() removed from f", "no more host reads", 1)), "")
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Adopt(context.Background(), newHist(t).repo, rows); err != nil {
		t.Fatal(err)
	}
	if len(l.Records) != 2 || l.Records[0].Human != "no more host reads" || l.Records[1].Human != "" {
		t.Errorf("records = %+v", l.Records)
	}
	if got := l.Rows()[0].Description; got != "no more host reads" {
		t.Errorf("row says %q", got)
	}
}

func TestBadDocuments(t *testing.T) {
	l := ledger("aaaaaa1 m.py f")
	for _, doc := range []string{BeginMarker + "\n", EndMarker + "\n" + BeginMarker + "\n",
		BeginMarker + "\n" + BeginMarker + "\n" + EndMarker + "\n", BeginMarker + "\n" + EndMarker + "\n" + EndMarker + "\n"} {
		if out, err := Merge([]byte(doc), l, ""); err == nil {
			t.Errorf("%q was accepted: %q", doc, out)
		}
	}
	if _, err := ReadRows([]byte("# nothing\n"), ""); !errors.Is(err, ErrNoTable) {
		t.Errorf("ReadRows of a document without a log: %v", err)
	}
}

func TestDescribe(t *testing.T) {
	many := ledger("aaaaaa1 a.py f", "aaaaaa1 a.py g", "aaaaaa1 a.py h", "aaaaaa1 a.py i", "aaaaaa1 x/a.py j",
		"aaaaaa1 b.py k", "aaaaaa1 c.py l", "aaaaaa1 d.py m").Records
	many[7].Path = "odd\nname.py"
	many[0].Fingerprints = []string{"1", "2", "3"}
	want := "a.py: .item() removed from f, g and 2 more functions (6 places); x/a.py: .item() removed from j; " +
		"b.py: .item() removed from k; c.py: .item() removed from l; and 1 more"
	if got := describe(many); got != want {
		t.Errorf("describe:\n%s\nwant\n%s", got, want)
	}
	if got := describe(many[7:]); got != "odd name.py: .item() removed from m" {
		t.Errorf("describe: %q", got)
	}
}

func TestLedgerFile(t *testing.T) {
	l := ledger("aaaaaa1 m.py f", "aaaaaa2 n.py g")
	l.Tip = id("aaaaaa2")
	data, err := l.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	file := bytes.NewBuffer(data)
	l.Records[0].State, l.Records[0].RegressedIn, l.Tip = Regressed, id("aaaaaa3"), id("aaaaaa3")
	if err := l.Append(file, l.Records[:1]); err != nil {
		t.Fatal(err)
	}
	got, err := Decode(file)
	if d := cmp.Diff(l, got); err != nil || d != "" {
		t.Errorf("Decode: %v, %s", err, d)
	}
	if got, err := Decode(strings.NewReader("")); err != nil || len(got.Records) != 0 {
		t.Errorf("an empty file: %+v, %v", got, err)
	}
	for _, bad := range []string{"{}\n", `{"schema":"gatebot.fixlog/v9"}` + "\n", string(data[:len(data)-20]), "| Commit |\n",
		strings.Replace(string(data), `"fixed"`, `"mended"`, 1)} {
		if _, err := Decode(strings.NewReader(bad)); err == nil {
			t.Errorf("%.60q was accepted", bad)
		}
	}
}

// FuzzMerge: no document loses a byte of what is not the log's: every line of it is in the result, in order, but for
// notes of regressions.
func FuzzMerge(f *testing.F) {
	doc, l := handKept()
	f.Add(doc)
	f.Add(string(Render(l, "")))
	f.Add("## Violation Fix Log\n\n| Commit | Description |\n|-|-|\n| `abcdef1` | a \\| b |\n\ntext")
	f.Add("Violation Fix Log\r\nCommit\tDescription\r\n\r\n")
	f.Add("|Commit|Description\n" + BeginMarker + "\n" + EndMarker)
	f.Fuzz(func(t *testing.T, doc string) {
		out, err := Merge([]byte(doc), l, "")
		if err != nil {
			return
		}
		rest := strings.Split(string(out), "\n")
		for _, line := range strings.Split(doc, "\n") {
			for len(rest) > 0 && strings.TrimRight(rest[0], "\r") != strings.TrimRight(line, "\r") {
				rest = rest[1:]
			}
			if len(rest) == 0 && line != "" {
				t.Fatalf("the line %q is gone:\n%q\n%q", line, doc, out)
			}
			if len(rest) > 0 {
				rest = rest[1:]
			}
		}
		again, err := Merge(out, l, "")
		if err != nil || !bytes.Equal(again, out) {
			t.Fatalf("merging again gives %v\n%q\n%q", err, out, again)
		}
		if rows, err := ReadRows(out, ""); err != nil || len(rows) < 9 {
			t.Fatalf("%d rows of nine are there, %v:\n%q", len(rows), err, out)
		}
	})
}

func FuzzDecode(f *testing.F) {
	data, err := ledger("aaaaaa1 m.py f").Bytes()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte(`{"schema":"gatebot.fixlog/v1"}` + "\n" + `{"tip":"x"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		l, err := Decode(bytes.NewReader(data))
		if err != nil {
			return
		}
		out, err := l.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		again, err := Decode(bytes.NewReader(out))
		if err != nil || len(again.Records) != len(l.Records) || again.Tip != l.Tip {
			t.Fatalf("%v: %+v and %+v", err, l, again)
		}
	})
}

// TestTwoMergesAtOnce: whoever writes first, with the whole ledger or what it was a moment ago, the document ends the
// same.
func TestTwoMergesAtOnce(t *testing.T) {
	all := ledger("aaaaaa1 m.py f", "aaaaaa2 n.py g", "aaaaaa3 o.py h")
	first := &Ledger{Records: []Record{all.Records[0], all.Records[2]}}
	second := &Ledger{Records: all.Records[:2]}
	for _, doc := range []string{"", "# Doc\n\nViolation Fix Log\n\nCommit\tDescription\nccccccc\tby hand"} {
		want := merged(t, doc, all)
		for _, order := range [][]*Ledger{{first, all}, {second, all}, {all, first}, {all, second}} {
			got := doc
			for _, l := range order {
				got = merged(t, got, l)
			}
			if got != want {
				t.Error(cmp.Diff(want, got))
			}
		}
	}
}
