package fixlog

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/git"
)

// blind is a scan that sees `.item()` and `torch.empty()` in post_block only: what a commit moves out of it, or calls by
// another name, it loses sight of, as the real scan does where types and callers are not known. Of calls over two lines
// it sees those that pin memory, in helper.py what pins memory.
func blind(h *hist) ScanFunc {
	op := regexp.MustCompile(`[\w.()]+\.item\(\)|torch\.empty\([\w]*\)|torch\.empty\($|[\w.]*ready\b`)
	return func(ctx context.Context, rev string) ([]finding.Finding, error) {
		data, err := git.ReadFile(ctx, h.repo, rev, "mhc.py")
		if err != nil {
			return nil, err
		}
		if _, err := git.ReadFile(ctx, h.repo, rev, "hide.py"); err == nil {
			return nil, nil
		}
		var out []finding.Finding
		if helper, err := git.ReadFile(ctx, h.repo, rev, "helper.py"); err == nil && strings.Contains(string(helper), ".pin_memory()") {
			out = append(out, finding.Finding{Rule: "GB303", Severity: finding.Warn, Confidence: finding.Likely, Path: "helper.py", Line: 2,
				Function: "value", MoveKey: "pin", Fingerprint: "pin"})
		}
		function, ordinals := "", map[string]int{}
		lines := strings.Split(string(data), "\n")
		for n, text := range lines {
			if m := def.FindStringSubmatch(strings.TrimSpace(text)); m != nil {
				function = m[1]
			}
			code := op.FindString(text)
			if code == "" || function != "post_block" || strings.Contains(text, "# unseen") ||
				strings.HasSuffix(code, "(") && !strings.Contains(lines[n+1], "pin") {
				continue
			}
			rule := map[bool]string{true: "GB301", false: "GB101"}[strings.HasPrefix(code, "torch.")]
			symbol := map[bool]string{true: "M.post_block", false: "post_block"}[strings.HasPrefix(text, "     ")]
			out = append(out, finding.Finding{Rule: rule, Severity: finding.Error, Confidence: finding.Likely, Path: "mhc.py", Line: n + 1,
				EndLine: n + 1 + strings.Count(code[len(code)-1:], "("), Function: symbol, MoveKey: finding.MoveKey(rule, []string{code}), Fingerprint: finding.Fingerprint(rule, "mhc.py", symbol, []string{code}, ordinals[code]),
				Evidence: []finding.Evidence{{Kind: finding.EvidenceSource, Code: code}}})
			ordinals[code]++
		}
		return out, nil
	}
}

const (
	read   = "import torch\n\ndef post_block(x):\n    y = x.item()\n    return y\n"
	both   = "if n:\n            y = torch.empty(n)\n        else:\n            y = torch.empty(n)"
	method = "import torch\n\nclass M:\n    def __init__(self, n):\n        self.n = n\n\n    def post_block(self, x):\n        y = torch.empty(n)\n        return y\n"
)

// TestWhatIsNoFix: a finding that the scan has no more is a fix only when the text of the commit bears it out.
func TestWhatIsNoFix(t *testing.T) {
	sub := func(s string, pairs ...string) string { return strings.NewReplacer(pairs...).Replace(s) }
	for _, c := range []struct {
		name, was, is string
		others        map[string]string
		message       string
		want          string // state and part of the doubt; empty when nothing is logged
	}{
		{name: "taken out", was: read, is: sub(read, "y = x.item()", "y = x"), want: "fixed"},
		{name: "what a comment says is no code", was: read, is: sub(read, "y = x.item()", "y = x  # was .item()"), want: "fixed"},
		{name: "what the message says of a fix", was: read, is: sub(read, "y = x.item()", "y = x"), message: "Reverting to type, reverts nothing", want: "fixed"},
		{name: "made once instead of in every step", was: method,
			is: sub(method, "self.n = n", "self.buf = torch.empty(n)", "y = torch.empty(n)", "y = self.buf"), want: "fixed"},
		{name: "moved as it was into the constructor", was: method,
			is: sub(method, "self.n = n", "y = torch.empty(n)", "        y = torch.empty(n)\n        return", "        return"), want: "fixed"},
		{name: "in a test of the fix", was: read, is: sub(read, "y = x.item()", "y = x"), others: map[string]string{"tests/test_a.py": "assert f(x).item()\n"}, want: "fixed"},
		{name: "moved into a helper", was: read, is: "import torch\n\ndef value(v):\n    return v.item()\n\ndef post_block(x):\n    y = value(x)\n    return y\n",
			want: "removed: v.item()"},
		{name: "something of the kind in a file that it has nothing to do with", was: read, is: sub(read, "y = x.item()", "y = x"),
			others: map[string]string{"near.py": "def value(v):\n    return v.item()\n"}, want: "fixed"},
		{name: "what a docstring says is no code", was: read, is: sub(read, "    y = x.item()", "    \"\"\"Without .item().\"\"\"\n    y = x"), want: "fixed"},
		{name: "moved into a helper of another file", was: read, is: sub(read, "y = x.item()", "y = value(x)"),
			others: map[string]string{"helper.py": "def value(v):\n    return v.tolist()\n"}, want: "removed: value of helper.py"},
		{name: "moved into a helper of a helper", was: read, is: sub(read, "y = x.item()", "y = outer(x)"),
			others: map[string]string{"helper.py": "from deep import value\n\ndef outer(v):\n    return value(v)\n", "deep.py": "def value(v):\n    return v.tolist()\n"}, want: "removed: value of deep.py"},
		{name: "a helper that was there, imported", was: read, is: "from pkg.old import value\n" + sub(read, "y = x.item()", "y = value(x)"),
			want: "removed: value of pkg/old.py"},
		{name: "a helper that was there, imported from beside", was: read, is: "from .near import (\n    value,\n)\n" + sub(read, "y = x.item()", "y = value(x)"),
			want: "removed: value of near.py"},
		{name: "moved into a helper that gets another name", was: read, is: sub(read, "y = x.item()", "fn = value\n    y = fn(x)"),
			others: map[string]string{"helper.py": "def value(v):\n    return v.tolist()\n"}, want: "removed: value of helper.py"},
		{name: "another hazard in the helper that is called", was: read, is: sub(read, "y = x.item()", "y = value(x)"),
			others: map[string]string{"helper.py": "def value(v):\n    return v.pin_memory()\n"}, want: "removed: GB303 at helper.py:2 is new"},
		{name: "another hazard in a helper that is not called", was: read, is: sub(read, "y = x.item()", "y = x"),
			others: map[string]string{"helper.py": "def value(v):\n    return v.pin_memory()\n"}, want: "fixed"},
		{name: "another name for the same", was: read, is: sub(read, "y = x.item()", "y = x.cpu()"), want: "removed: x.cpu()"},
		{name: "to the host by another word", was: read, is: sub(read, "y = x.item()", "y = x.to('cpu')"), want: "removed: x.to('cpu')"},
		{name: "an alias", was: method, is: sub(method, "import torch\n", "import torch\nnew = torch.empty\n", "torch.empty(n)", "new(n)"), want: "removed: new=torch.empty"},
		{name: "a call at its end taken off", was: sub(read, "y = x.item()", "x.max().item()"), is: sub(read, "y = x.item()", "x.max()"), want: "fixed"},
		{name: "another method", was: read, is: sub(read, "x.item()", "x.detach()"), want: "fixed"},
		{name: "another call in its place", was: method, is: sub(method, "torch.empty(n)", "pool.take(n)"), want: "removed: y=pool.take(n)"},
		{name: "an imported alias", was: method, is: sub(method, "import torch\n", "from torch import empty as new\n", "torch.empty(n)", "new(n)"),
			want: "removed: from torch import empty as new"},
		{name: "a bare name after a word", was: read, is: sub(read, "    y = x.item()\n    return y", "    return item(x)"), want: "removed: return item(x)"},
		{name: "the scan does not follow any more", was: read, is: sub(read, "x.item()", "x.item()  # unseen"), want: ""},
		{name: "indented anew and out of sight", was: read, is: sub(read, "    y = x.item()", "    if x:\n        y = x.item()  # unseen"), want: ""},
		{name: "inferred from another file", was: read, is: "# touched\n" + read, others: map[string]string{"hide.py": "hide\n"}, want: ""},
		{name: "the function went away", was: read, is: "import torch\n", want: "removed: function went away"},
		{name: "the function went away with the call of it", was: read + "\ndef step(x):\n    return post_block(x)\n", is: "import torch\n\ndef step(x):\n    return x\n",
			want: "fixed"},
		{name: "the function went away and one of its name is called", was: read + "\ndef step(x):\n    return post_block(x)\n",
			is: "import torch\n\ndef step(x):\n    return worker.post_block(x)\n", want: "removed: function went away"},
		{name: "the function went away that was called once", was: read + "\nclass A:\n    def __init__(self, x):\n        self.y = post_block(x)\n",
			is: "import torch\n\nclass A:\n    def __init__(self, x):\n        self.y = x\n", want: "removed: function went away"},
		{name: "the function went away with the feature that called it", was: read + "\ndef step(x):\n    if tree:\n        return post_block(x)\n    return x\n",
			is: "import torch\n\ndef step(x):\n    return x\n", want: "removed: function went away"},
		{name: "the function went away and another one is called", was: read + "\ndef step(x):\n    return post_block(x)\n",
			is: "import torch\n\ndef step(x):\n    return ops.after(x)\n", want: "removed: function went away"},
		{name: "two branches leave it to what comes after them", was: sub(method, "y = torch.empty(n)", both), is: method, want: "removed: elsewhere in the function"},
		{name: "one of two branches does without", was: sub(method, "y = torch.empty(n)", both),
			is: sub(method, "y = torch.empty(n)", strings.Replace(both, "torch.empty(n)", "self.n", 1)), want: "fixed"},
		{name: "a branch that ended with it is gone, the end has it", was: sub(method, "y = torch.empty(n)\n", "if n:\n            return torch.empty(n)\n", "return y", "return torch.empty(n)"),
			is: sub(method, "        y = torch.empty(n)\n", "", "return y", "return torch.empty(n)"), want: "removed: elsewhere in the function"},
		{name: "made by what wrote into it", was: sub(method, "torch.empty(n)", "torch.empty(n)\n        attend(x, out=y)"),
			is: sub(method, "y = torch.empty(n)\n        return y", "out = attend(x)\n        return out"), want: "removed: nothing to write into"},
		{name: "made by what gave it back", was: sub(method, "torch.empty(n)", "torch.empty(n)\n        attend(x, output=y)"),
			is: sub(method, "y = torch.empty(n)\n        return y", "return self.kernel.run(x)"), want: "removed: nothing to write into"},
		{name: "perhaps made by an object of another file", was: method, is: sub(method, "y = torch.empty(n)\n        return y", "return self.kernel.run(x)"),
			want: "removed: may allocate: self.kernel.run"},
		{name: "perhaps made by a method of the same name", was: method, is: sub(method, "y = torch.empty(n)\n        return y", "return self.kernel.post_block(x)"),
			want: "removed: may allocate: self.kernel.post_block"},
		{name: "an object is asked", was: method,
			is: sub(method, "y = torch.empty(n)\n        return y", "if self.config.whole():\n            return self.buf\n        return x"), want: "fixed"},
		{name: "made once, and filled", was: method, is: sub(method, "y = torch.empty(n)\n        return y", "self.buf.fill_(n)\n        return self.buf.view(n)"), want: "fixed"},
		{name: "a method that makes nothing is called", was: method,
			is: sub(method, "y = torch.empty(n)\n        return y", "return self.run(x)\n\n    def run(self, x):\n        return x"), want: "fixed"},
		{name: "made once for what writes into it", was: sub(method, "torch.empty(n)", "torch.empty(n)\n        attend(x, out=y)"),
			is: sub(method, "y = torch.empty(n)\n        return y", "attend(x, out=self.y)\n        return self.y"), want: "fixed"},
		{name: "made all the same, with other arguments", was: sub(method, "torch.empty(n)", "torch.empty(\n            n, pin=True)"),
			is: sub(method, "torch.empty(n)", "torch.empty(\n            n)"), want: "removed: with other arguments"},
		{name: "the function went away and something of the kind came", was: read + "\ndef step(x):\n    return post_block(x)\n",
			is: "import torch\n\ndef step(x):\n    return x.cpu()\n", want: "removed: function went away"},
		{name: "the function has another name", was: read, is: sub(read, "post_block", "after", "x.item()", "x.max()"), want: "removed: function went away"},
		{name: "taken back", was: read, is: sub(read, "y = x.item()", "y = x"), message: `Revert "Read it on the host" (#12)`, want: "removed: takes back"},
		{name: "taken back, with a word before it", was: read, is: sub(read, "y = x.item()", "y = x"), message: `[Bugfix][Core] Partially revert "Read it"`, want: "removed: takes back"},
		{name: "taking back the taking back", was: read, is: sub(read, "y = x.item()", "y = x"), message: `Revert "Revert "Keep it there""`, want: "fixed"},
		{name: "the same names in another order of words", was: sub(read, "x.item()", "self.ready"), is: sub(read, "x.item()", "bool(self.ready)  # unseen"),
			want: "removed: bool(self.ready)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHist(t)
			h.commit("bad", map[string]string{"mhc.py": c.was, "pkg/old.py": "def value(v):\n    return v.numpy()\n", "near.py": "def value(v):\n    return v.cpu()\n"})
			files := map[string]string{"mhc.py": c.is}
			for name, text := range c.others {
				files[name] = text
			}
			message := c.message
			if message == "" {
				message = "change"
			}
			h.commit(message, files)
			l := &Ledger{}
			if _, err := Update(t.Context(), h.repo, blind(h), l, Options{}); err != nil {
				t.Fatal(err)
			}
			state, doubt, _ := strings.Cut(c.want, ": ")
			switch {
			case state == "" && len(l.Records) > 0, state != "" && len(l.Records) != 1:
				t.Fatalf("records %+v, want %q", l.Records, c.want)
			case state == "":
			case string(l.Records[0].State) != state || !strings.Contains(l.Records[0].Doubt, doubt) || (doubt == "") != (l.Records[0].Doubt == ""):
				t.Errorf("%s, %q; want %q", l.Records[0].State, l.Records[0].Doubt, c.want)
			}
			if rows := len(l.Rows()); rows != map[bool]int{true: 1}[state == "fixed"] {
				t.Errorf("%d rows of a record that is %s", rows, state)
			}
		})
	}
}

// TestFamily: what stands for the operation of a finding in the lines that a commit adds.
func TestFamily(t *testing.T) {
	for _, c := range []struct {
		rule, code, line string
		want             bool
	}{
		{"GB101", "x.item()", "y=v.tolist()", true}, {"GB101", "x.item()", "y=v.items()", false}, {"GB101", "x.to('cpu')", "y=v.cpu()", true},
		{"GB101", "x.item()", "y=v.to(device)", false}, {"GB101", "x.to('cpu')", "y=v.to(device)", true},
		{"GB301", "torch.empty(n)", "self.f(torch.empties,n)", false}, {"GB301", "torch.empty(n)", "y=x.new_zeros(n)", true},
		{"GB301", "torch.empty(n)", "return empty(n)", true}, {"GB203", "mask.nonzero()", "torch.unique(x)", true},
		{"GB905", "lens[i]", "self.chunks[c.index].plan(", true}, {"GB905", "lens[i]", "y=lens[i]", false},
		{"GB401", "x > 0", "while x>0:", true}, {"GB401", "0", "0", false}, {"GB502", "x[i]", "self.x[i].fill_(v)", false}, {"GB502", "x[i]", "self.x[i]=v", true}, {"GB301", "torch.arange(n)", "y=np.arange(n)", false},
		{"GB505", "x.to(d)", "y=x.to(d,non_blocking=True)", false}, {"GB505", "x.to(d)", "y=z.to(d)", true}, {"GB711", "torch.foo(x)", "torch.foo(y)", true},
	} {
		f := &finding.Finding{Rule: c.rule, Evidence: []finding.Evidence{{Kind: finding.EvidenceSource, Code: c.code}}}
		if got := family(f).in(c.line); got != c.want {
			t.Errorf("%s %q in %q: %v", c.rule, c.code, c.line, got)
		}
	}
}

// TestDoubtfulIsNoRegression: what was perhaps never away does not come back.
func TestDoubtfulIsNoRegression(t *testing.T) {
	h := newHist(t)
	h.commit("bad", map[string]string{"mhc.py": read})
	h.commit("alias", map[string]string{"mhc.py": strings.Replace(read, "item", "cpu", 1)})
	h.commit("back", map[string]string{"mhc.py": read})
	fix := h.commit("fix", map[string]string{"mhc.py": strings.Replace(read, "x.item()", "x", 1)})
	l := &Ledger{}
	if _, err := Update(t.Context(), h.repo, blind(h), l, Options{}); err != nil {
		t.Fatal(err)
	}
	if len(l.Records) != 2 || l.Records[0].State != Removed || l.Records[1].State != Fixed || l.Records[1].Commit != fix {
		t.Errorf("%+v", l.Records)
	}
}

// TestEditedDescriptionSurvivesTenUpdates: a row of ours with a person's words, through ten updates of a real history
// that fixes, renames, brings the fixed hazard back and fixes it once more.
func TestEditedDescriptionSurvivesTenUpdates(t *testing.T) {
	h := newHist(t)
	h.commit("bad", map[string]string{"mhc.py": long + bad, "other.py": bad})
	fix := h.commit("fix", map[string]string{"mhc.py": long + good})
	l := &Ledger{}
	h.update(l, Options{})
	const words = "post_block keeps its maximum on the card (→ saves 122 syncs)"
	doc := strings.Replace(merged(t, "# Mine\n\ntext\n", l), "mhc.py: .item() removed from post_block", words, 1)
	if !strings.Contains(doc, words) {
		t.Fatal(doc)
	}
	for i := range 10 {
		switch i {
		case 2:
			h.git("mv", "mhc.py", "moved.py")
			h.commit("rename", nil)
		case 4:
			h.commit("oops", map[string]string{"moved.py": long + bad})
		case 6:
			h.commit("again", map[string]string{"moved.py": long + good})
		case 8:
			h.commit("another", map[string]string{"other.py": good})
		default:
			h.commit("more", map[string]string{"n.py": strings.Repeat("n = 1\n", i+1)})
		}
		rows, err := ReadRows([]byte(doc), "")
		if err != nil {
			t.Fatal(err)
		}
		if err := l.Adopt(t.Context(), h.repo, rows); err != nil {
			t.Fatal(err)
		}
		h.update(l, Options{})
		doc = merged(t, doc, l)
		if strings.Count(doc, "| "+fix[:7]+" | "+words) != 1 || !strings.HasPrefix(doc, "# Mine\n\ntext\n") {
			t.Fatalf("after update %d:\n%s", i+1, doc)
		}
	}
	if rows := l.Rows(); len(rows) != 3 || !slices.ContainsFunc(rows, func(r Row) bool { return r.RegressedIn != "" }) {
		t.Errorf("rows %+v", rows)
	}
}

// TestCopyInHelper: a copy that nobody waits for is no hazard, unless its source dying is what was found.
func TestCopyInHelper(t *testing.T) {
	const helper = "return t.to(device=device,non_blocking=True)"
	for rule, want := range map[string]bool{"GB505": false, "GB506": false, "GB509": true} {
		f := &finding.Finding{Rule: rule, Evidence: []finding.Evidence{{Kind: finding.EvidenceSource, Code: "torch.tensor(data, pin_memory=True).to(device, non_bl…"}}}
		if got := family(f).inHelper(helper); got != want {
			t.Errorf("%s in %q: %t", rule, helper, got)
		}
	}
}
