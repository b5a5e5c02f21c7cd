package fixlog

import (
	"slices"
	"strings"
	"testing"

	"github.com/gatebot/gatebot/internal/git"
)

var (
	noX    = strings.Replace(twice, "x.item()", "x", 1)
	noXorY = strings.Replace(noX, "y.item()", "y", 1)
)

// TestInsideAMerge: the row is the merge's, the credit is the commit's that did it; what the merge itself did has none.
func TestInsideAMerge(t *testing.T) {
	h := newHist(t)
	h.commit("bad", map[string]string{"mhc.py": twice, "z.py": bad})
	h.git("checkout", "-q", "-b", "pr")
	first := h.commit("first try", map[string]string{"mhc.py": noX})
	h.git("revert", "--no-edit", first)
	again := h.commit("x for good", map[string]string{"mhc.py": "#\n" + noX})
	y := h.commit("y", map[string]string{"mhc.py": "#\n" + noXorY})
	h.git("checkout", "-q", "main")
	h.commit("meanwhile", map[string]string{"other.py": "x = 1\n"})
	h.git("merge", "-q", "--no-ff", "--no-commit", "pr")
	h.commit("Merge pull request #7 from x/pr", map[string]string{"z.py": good})
	l := &Ledger{}
	h.update(l, Options{})
	got := map[string]string{}
	for _, r := range l.Records {
		got[r.Path+" "+r.Symbol] = r.By
		if len(r.Commits) != 4 || r.PatchID != "" {
			t.Errorf("record: %+v", r)
		}
	}
	if got["mhc.py a"] != again || got["mhc.py b"] != y || got["z.py post_block"] != "" || len(got) != 3 {
		t.Errorf("by: %v; want %s and %s", got, again, y)
	}
}

// TestPullRequestRefs: a clone that has the head of the pull request tells what a squash or a rebase stands for.
func TestPullRequestRefs(t *testing.T) {
	h := newHist(t)
	h.commit("bad", map[string]string{"mhc.py": twice})
	h.git("checkout", "-q", "-b", "pr")
	a := h.commit("first", map[string]string{"mhc.py": noX})
	b := h.commit("second", map[string]string{"mhc.py": noXorY})
	h.git("update-ref", "refs/pull/12/head", "pr")
	h.git("checkout", "-q", "-b", "squashed", "main")
	h.git("merge", "-q", "--squash", "pr")
	h.commit("Both (#12)", nil)
	h.git("checkout", "-q", "-b", "rebased", "main")
	h.commit("meanwhile", map[string]string{"other.py": "x = 1\n"})
	h.git("cherry-pick", a, b)
	squash, rebase := &Ledger{}, &Ledger{}
	h.update(squash, Options{Tip: "squashed"})
	for _, r := range squash.Records {
		if !slices.Equal(r.Commits, []string{b, a}) || r.PR != 12 {
			t.Errorf("squash: %+v", r)
		}
	}
	h.update(rebase, Options{Tip: "rebased", PR: func(git.Commit) int { return 12 }})
	if len(squash.Records) != 2 || len(rebase.Records) != 2 || !slices.Equal(rebase.Records[0].Commits, []string{a}) ||
		!slices.Equal(rebase.Records[1].Commits, []string{b}) {
		t.Errorf("rebase: %+v", rebase.Records)
	}
}

// TestProvisionalRecordsLand: however a commit reaches the branch, its provisional record ends in the landed one.
func TestProvisionalRecordsLand(t *testing.T) {
	for name, land := range map[string]func(h *hist){
		"as it is": func(h *hist) { h.git("merge", "-q", "--ff-only", "pr") },
		"merged":   func(h *hist) { h.git("merge", "-q", "--no-ff", "-m", "Merge", "pr") },
		"rebased": func(h *hist) {
			h.commit("meanwhile", map[string]string{"other.py": "x = 1\n"})
			h.git("cherry-pick", "pr~1", "pr")
		},
		"squashed": func(h *hist) { h.git("merge", "-q", "--squash", "pr"); h.commit("Both (#3)", nil) },
	} {
		t.Run(name, func(t *testing.T) {
			h := newHist(t)
			root := h.commit("bad", map[string]string{"mhc.py": twice})
			h.git("checkout", "-q", "-b", "pr")
			a := h.commit("first", map[string]string{"mhc.py": noX})
			b := h.commit("second", map[string]string{"mhc.py": noXorY})
			l := &Ledger{}
			h.update(l, Options{Open: true})
			if len(l.Records) != 2 || l.Records[0].State != Open || !l.Records[0].Provisional || len(l.Rows()) != 0 {
				t.Fatalf("provisional: %+v, rows %v", l.Records, l.Rows())
			}
			l.Records[0].Human = "no sync in a"
			h.git("checkout", "-q", "main")
			land(h)
			h.update(l, Options{After: root})
			var open, fixed []Record
			for _, r := range l.Records {
				switch r.State {
				case Open:
					open = append(open, r)
				case Fixed:
					fixed = append(fixed, r)
				}
			}
			if len(open) != 0 || len(fixed) != 2 || fixed[0].Provisional || fixed[0].Human != "no sync in a" || fixed[1].Human != "" {
				t.Errorf("open %+v, fixed %+v", open, fixed)
			}
			for i, id := range []string{a, b} {
				if fixed[i].Commit != id && !slices.Contains(fixed[i].Commits, id) {
					t.Errorf("%s does not name %s: %+v", fixed[i].Commit, id, fixed[i])
				}
			}
		})
	}
}

// TestCherryPickIsAnAlias: one fix id on both branches; a fix that was reverted and made again is no alias of itself.
func TestCherryPickIsAnAlias(t *testing.T) {
	for _, x := range []string{"-x", "--allow-empty"} {
		h := newHist(t)
		h.commit("bad", map[string]string{"mhc.py": bad})
		h.git("branch", "release")
		fix := h.commit("fix", map[string]string{"mhc.py": good})
		onMain := &Ledger{}
		h.git("revert", "--no-edit", fix)
		h.git("cherry-pick", x, fix)
		h.update(onMain, Options{Others: []*Ledger{onMain}})
		if len(onMain.Records) != 2 || onMain.Records[0].AliasOf != "" || onMain.Records[1].AliasOf != "" {
			t.Fatalf("main: %+v", onMain.Records)
		}
		h.git("checkout", "-q", "release")
		h.commit("other", map[string]string{"o.py": "o = 1\n"})
		h.git("cherry-pick", x, fix)
		with, without := &Ledger{}, &Ledger{}
		h.update(with, Options{Others: []*Ledger{onMain}})
		h.update(without, Options{})
		if len(with.Records) != 1 || with.Records[0].AliasOf != onMain.Records[0].ID {
			t.Errorf("%s: release: %+v", x, with.Records)
		}
		want := map[string]string{"-x": onMain.Records[0].ID}[x] // with no other log only the message tells
		if without.Records[0].AliasOf != want {
			t.Errorf("%s: alias without the other log: %q, want %q", x, without.Records[0].AliasOf, want)
		}
	}
}

// TestOrphans: after a forced push a row that people wrote follows its patch, and what is gone is marked and kept.
func TestOrphans(t *testing.T) {
	h := newHist(t)
	root := h.commit("bad", map[string]string{"a.py": bad, "b.py": bad})
	hand := h.commit("by hand", map[string]string{"c.py": "c = 1\n"})
	h.commit("fix a", map[string]string{"a.py": good})
	before := h.commit("fix b", map[string]string{"b.py": good})
	l := &Ledger{}
	if err := l.Adopt(t.Context(), h.repo, []Row{{Commit: hand[:7], Description: "I did this"}}); err != nil {
		t.Fatal(err)
	}
	h.update(l, Options{})
	doc := merged(t, "", l)

	h.git("checkout", "-q", "-B", "main", root)
	h.commit("put before it", map[string]string{"other.py": "x = 1\n"})
	h.git("cherry-pick", hand, before) // "fix a" is gone
	out := h.update(l, Options{Cap: 1})
	notes := strings.Join(out.Notes, "\n")
	for out.More > 0 {
		out = h.update(l, Options{Cap: 1})
	}
	now := strings.Fields(h.git("rev-list", "HEAD")) // fix b, by hand, ...
	var got []string
	for _, r := range l.Rows() {
		got = append(got, short(r.Commit)+" "+r.Description)
	}
	want := []string{short(l.Records[1].Commit) + " a.py: .item() removed from post_block", short(now[1]) + " I did this",
		short(now[0]) + " b.py: .item() removed from post_block"}
	if !slices.Equal(got, want) || !l.Records[1].Orphaned || !strings.Contains(notes, "kept as orphaned") {
		t.Errorf("rows %q\nwant %q\nnotes %s, %+v", got, want, notes, l.Records[1])
	}
	if text := merged(t, doc, l); strings.Contains(text, short(hand)) || !strings.Contains(text, short(now[1])) || strings.Count(text, "\n") != strings.Count(doc, "\n") {
		t.Errorf("document:\n%s", text)
	}
	// The old branch comes back, and so does what was gone.
	h.git("checkout", "-q", "-B", "main", before)
	h.update(l, Options{})
	if l.Records[1].Orphaned || l.Records[1].State != Fixed {
		t.Errorf("after the way back: %+v", l.Records[1])
	}
}

func TestMeasuredCounts(t *testing.T) {
	l := ledger("aaaaaa1 mhc.py post_block")
	l.Records[0].Measured = "1 sync per call"
	if got := l.Rows()[0].Description; got != "mhc.py: .item() removed from post_block (1 sync per call)" {
		t.Errorf("description: %q", got)
	}
}
