package gate

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/git"
)

// measurements are results of gatebot check by tree: what a card said of the code of a commit. A wrong value has no line
// that a scan could find; only they know of it.
type measurements map[string]*finding.Results

// WithResults reads results files (or folders of them) and lets the log use what they measured.
func (l *FixLog) WithResults(paths []string) error {
	for _, p := range paths {
		files := []string{p}
		if info, err := os.Stat(p); err == nil && info.IsDir() {
			if files, err = filepath.Glob(filepath.Join(p, "*.json")); err != nil || len(files) == 0 {
				return &UsageError{fmt.Sprintf("--results %s: no .json file in it (name a folder of results files)", p)}
			}
		}
		for _, f := range files {
			data, err := os.ReadFile(f)
			if err != nil {
				return &UsageError{fmt.Sprintf("--results: %v (check the path)", err)}
			}
			var r finding.Results
			if err := json.Unmarshal(data, &r); err != nil || r.Schema != finding.Schema {
				return &UsageError{fmt.Sprintf("--results %s: no results file of gatebot check", f)}
			}
			if r.Tree == "" {
				return &UsageError{fmt.Sprintf("--results %s: it does not say which tree was checked (check a commit, in a git repository)", f)}
			}
			if l.measured == nil {
				l.measured = measurements{}
			}
			l.measured[r.Tree] = &r
		}
	}
	return nil
}

// state is what is known of a commit's behaviour on a card: the findings of each check that decided something in it or in
// an ancestor.
type state map[string][]finding.Finding

// add puts what was measured of a commit to what was scanned in it. What nobody measured is as it was in the first parent:
// nothing is taken to be mended before a card has said so.
func (l *FixLog) add(ctx context.Context, rev string, scanned []finding.Finding) ([]finding.Finding, error) {
	id, err := l.repo.Resolve(ctx, rev)
	if err != nil {
		return nil, err
	}
	known, err := l.known(ctx, id)
	if err != nil {
		return nil, err
	}
	c, err := l.repo.Commit(ctx, id)
	if err != nil {
		return nil, err
	}
	out := scanned
	if r := l.measured[c.Tree]; r != nil {
		out = counted(scanned, r)
	}
	for _, name := range finding.GPUChecks {
		out = append(out, known[name]...)
	}
	return out, nil
}

// known walks the first-parent line back to where the state is known, or to its beginning, and forward again.
func (l *FixLog) known(ctx context.Context, id string) (state, error) {
	if l.states == nil {
		l.states = map[string]state{}
	}
	var line []git.Commit
	at := state{}
	for id != "" && l.repo.Has(ctx, id) {
		if s, ok := l.states[id]; ok {
			at = s
			break
		}
		c, err := l.repo.Commit(ctx, id)
		if err != nil {
			return nil, err
		}
		line = append(line, c)
		if id = ""; len(c.Parents) > 0 {
			id = c.Parents[0]
		}
	}
	for _, c := range slices.Backward(line) {
		if r := l.measured[c.Tree]; r != nil {
			next := maps.Clone(at)
			for _, check := range r.Checks {
				if check.Name == finding.CheckSource || check.Status != finding.StatusPass && check.Status != finding.StatusFail {
					continue
				}
				fs, err := l.of(ctx, c, r, check.Name)
				if err != nil {
					return nil, err
				}
				next[check.Name] = fs
			}
			at = next
		}
		l.states[c.ID] = at
	}
	return at, nil
}

// of are the findings that only a check on the card gave. One that is said of the step as a whole is put where the commit
// changed the code.
func (l *FixLog) of(ctx context.Context, c git.Commit, r *finding.Results, check string) ([]finding.Finding, error) {
	var out []finding.Finding
	for _, f := range r.Findings {
		if f.Check != check || !f.Gates(finding.Warn) {
			continue
		}
		if f.Rule == wrongValue && len(c.Parents) > 0 {
			if err := blame(ctx, l.repo, c, &f); err != nil {
				return nil, err
			}
		}
		out = append(out, f)
	}
	return out, nil
}

// wrongValue is the rule of a step that gives another result than its replay or its reference.
const wrongValue = "GB716"

// blame moves a finding to the function that a commit changed, when it changed one file.
func blame(ctx context.Context, repo git.Repository, c git.Commit, f *finding.Finding) error {
	parent, err := repo.Commit(ctx, c.Parents[0])
	if err != nil {
		return err
	}
	changes, err := repo.Diff(ctx, parent.Tree, c.Tree, true)
	if err != nil || len(changes) != 1 || changes[0].Status != 'M' {
		return err
	}
	old, err := git.ReadFile(ctx, repo, parent.ID, changes[0].Path)
	if err != nil {
		return err
	}
	now, err := git.ReadFile(ctx, repo, c.ID, changes[0].Path)
	if err != nil {
		return err
	}
	f.Path = changes[0].Path
	f.Line, f.Function = changed(string(old), string(now))
	f.EndLine = f.Line
	f.Fingerprint = finding.Fingerprint(f.Rule, f.Path, f.Function, nil, 0)
	f.MoveKey = finding.MoveKey(f.Rule, []string{f.Path, f.Function})
	return nil
}

var definition = regexp.MustCompile(`^(\s*)(?:async\s+)?(?:def|class)\s+(\w+)`)

// changed is the first line of now that old does not have there, and the function it lies in.
func changed(old, now string) (line int, function string) {
	a, b := strings.Split(old, "\n"), strings.Split(now, "\n")
	n := 0
	for n < len(a) && n < len(b)-1 && a[n] == b[n] {
		n++
	}
	indent := func(s string) int { return len(s) - len(strings.TrimLeft(s, " \t")) }
	depth := indent(b[n]) + 1
	var names []string
	for i := n; i >= 0; i-- {
		if m := definition.FindStringSubmatch(b[i]); m != nil && len(m[1]) < depth {
			names, depth = append(names, m[2]), len(m[1])
		}
	}
	slices.Reverse(names)
	return n + 1, strings.Join(names, ".")
}

var perStep = regexp.MustCompile(`\(([\d.e+]+)× a step\)`)

// counted gives scanned findings the counts that a run had of them.
func counted(scanned []finding.Finding, r *finding.Results) []finding.Finding {
	counts := map[string]string{}
	for i := range r.Findings {
		for _, e := range r.Findings[i].Evidence {
			if m := perStep.FindStringSubmatch(e.Message); m != nil && e.Kind == finding.EvidenceMeasured && strings.HasPrefix(e.Message, finding.CheckSync+":") {
				counts[r.Findings[i].Fingerprint] = m[1]
			}
		}
	}
	out := slices.Clone(scanned)
	for i := range out {
		if n := counts[out[i].Fingerprint]; n != "" {
			text := n + " syncs a step"
			if n == "1" {
				text = "1 sync a step"
			}
			out[i].Evidence = append(slices.Clone(out[i].Evidence), finding.Evidence{Kind: finding.EvidenceMeasured, Message: text})
		}
	}
	return out
}
