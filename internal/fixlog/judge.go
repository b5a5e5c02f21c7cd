package fixlog

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/git"
)

// judged is what the text of a commit says of the findings that its scan has no more.
type judged struct {
	fixed    []*finding.Finding
	doubtful []*finding.Finding
	why      map[*finding.Finding]string // of the doubtful ones
}

// judge holds what the scan says against the text of the commit. A scan may lose sight of a hazard that is still there:
// it was moved into a helper, called by another name, or is not inferred any more. A fix is claimed only when its line
// was taken out or changed, its function is still there, and nothing of the kind is in what the commit added; buffers
// that are made once, when the module is built, are not of the kind. Of a finding whose line stands as it was nothing
// is said at all: the commit did not touch it. Fresh are the findings of the commit that its parent does not have.
func (u *update) judge(c git.Commit, changes []git.Change, gone, fresh []*finding.Finding) (judged, error) {
	j := judged{why: map[*finding.Finding]string{}}
	if len(gone) == 0 {
		return j, nil
	}
	edits, err := u.edits(c, changes)
	if err != nil {
		return j, err
	}
	for _, f := range gone {
		if measuredOnly(f) {
			j.fixed = append(j.fixed, f) // a run has shown that it is gone
			continue
		}
		e := edits[f.Path]
		if e == nil || e.was == nil || e.is == nil || e.stands(f) && !originChanged(f, edits) {
			continue
		}
		switch why := u.doubt(c, f, e, edits, fresh); why {
		case "":
			j.fixed = append(j.fixed, f)
		default:
			j.doubtful = append(j.doubtful, f)
			j.why[f] = why
		}
	}
	j.together()
	return j, nil
}

// together makes what one record holds all fixed or all doubtful: the same rule in the same function.
func (j *judged) together() {
	j.fixed = slices.DeleteFunc(j.fixed, func(f *finding.Finding) bool {
		i := slices.IndexFunc(j.doubtful, func(g *finding.Finding) bool {
			return g.Rule == f.Rule && g.Path == f.Path && g.Function == f.Function
		})
		if i >= 0 {
			j.why[f] = j.why[j.doubtful[i]]
			j.doubtful = append(j.doubtful, f)
		}
		return i >= 0
	})
}

// doubt is why a finding that is gone is not called fixed, or empty.
func (u *update) doubt(c git.Commit, f *finding.Finding, e *edit, edits map[string]*edit, fresh []*finding.Finding) string {
	if reverts(c.Subject) && !u.regressed(f) {
		return "the commit takes back an earlier one"
	}
	if e.noMore(f.Function) && !callTakenOut(f.Function, edits) {
		return "the function went away"
	}
	now := newNames(f.Function, e)
	for _, g := range fresh {
		here := g.Path == e.is.path && (g.Function == f.Function || group(g.Rule) == group(f.Rule))
		if here || slices.Contains(now, lastName(g.Function)) { // in another file it counts when it is called
			return fmt.Sprintf("%s at %s:%d is new", g.Rule, g.Path, g.Line)
		}
	}
	if group(f.Rule) == "GB3" && e.headStands(f) {
		return "its call stands, with other arguments"
	}
	if group(f.Rule) == "GB3" && e.ownOutput(f) {
		return "what wrote into it is given nothing to write into any more"
	}
	same := family(f)
	if at := e.has(same, f.Function); at != "" {
		return "of the same kind and new: " + at
	}
	if at := e.alias(same, f.Function); at != "" {
		return "the same by another name: " + at
	}
	if e.elsewhere(f) {
		return "its line stands elsewhere in the function"
	}
	if at := e.renamed(f); at != "" {
		return "its line has another call in the same place: " + at
	}
	if at := e.unseen(f.Function); at != "" && group(f.Rule) == "GB3" {
		return "what is called instead may allocate: " + at
	}
	if at := u.helper(c, same, f.Function, e, edits); at != "" {
		return "of the same kind, in what is called instead: " + at
	}
	return ""
}

// originChanged reports whether the commit took out or changed the line that the value of a finding comes from, by the
// finding's own evidence: an index of another type is mended where it is made.
func originChanged(f *finding.Finding, edits map[string]*edit) bool {
	at := origins(f)
	if at == nil {
		return false
	}
	e := edits[at.Path]
	if e == nil || e.was == nil || e.is == nil || at.Line < 1 || at.Line > len(e.was.lines) {
		return false
	}
	return e.gone[e.was.lines[at.Line-1]] > 0
}

// origins is the evidence that says where the value of a finding comes from, nil where there is none.
func origins(f *finding.Finding) *finding.Evidence {
	i := slices.IndexFunc(f.Evidence, func(e finding.Evidence) bool { return e.Kind == finding.EvidenceFlow && e.Path != "" })
	if i < 0 {
		return nil
	}
	return &f.Evidence[i]
}

// callTakenOut reports whether a call of a function that went away was taken out of one that is still there and runs in
// every step, and none that lost such a call calls anything new or something of that name: the commit does without it,
// and did not only tidy up, move it or call something else that does the same. A call under a condition does not count:
// that goes when a feature goes, of which a step without it knew nothing.
func callTakenOut(function string, edits map[string]*edit) bool {
	name, always := regexp.MustCompile(`(?:^|\W)`+regexp.QuoteMeta(lastName(function))+`\(`), false // operator[]
	for _, e := range edits {
		if e.was == nil || e.is == nil {
			continue
		}
		for fn := range e.was.functions {
			if fn == function || !e.is.functions[fn] {
				continue
			}
			lost, body := surplus(e.was.of[fn], e.is.of[fn]), e.was.body(fn)
			for i, line := range e.was.lines {
				if e.was.function[i] != fn || lost[line] == 0 || !name.MatchString(line) {
					continue
				}
				if len(newCalls(fn, e)) > 0 || slices.ContainsFunc(e.is.of[fn], name.MatchString) {
					return false
				}
				always = always || e.was.depth[i] == body && !once(fn, e.was.python)
			}
		}
	}
	return always
}

var revert = regexp.MustCompile(`(?i)^(?:\W*\[[^\]]*\])*\W*(?:partial(?:ly)?\W+)?revert\b\W*`)

// reverts reports whether a commit says that it takes another back. What a message says makes no fix; it may make one
// doubtful. Taking back what took something back does that thing again.
func reverts(subject string) bool {
	n := 0
	for {
		m := revert.FindString(subject)
		if m == "" {
			return n%2 == 1
		}
		subject = subject[len(m):]
		n++
	}
}

// lastName is the name of a function without those of what it stands in.
func lastName(function string) string { return function[strings.LastIndexAny(function, ".:")+1:] }

// regressed reports whether the log has a fix of the finding that did not last: whoever takes it out does it again.
func (u *update) regressed(f *finding.Finding) bool {
	return slices.ContainsFunc(u.ledger.Records, func(r Record) bool {
		return r.State == Regressed && r.holds(f.Fingerprint, moveKey(f), f.Path, f.Function)
	})
}

// once reports whether a function runs when a module is built or loaded, and not in every step.
func once(function string, python bool) bool {
	name := lastName(function)
	return python && (name == "" || constructor.MatchString(name))
}

var (
	constructor = regexp.MustCompile(`^(__init__|__post_init__|__new__|load_weights|process_weights_after_loading|_?(init|load|allocate)_\w+)$`)
	testPath    = regexp.MustCompile(`(^|/)(tests?|benchmarks?)/|(^|/)(test_[^/]*|[^/]*_test)\.\w+$`)
	called      = regexp.MustCompile(`\b([A-Za-z_]\w*)\(`)
	from        = regexp.MustCompile(`(?s)\bfrom\s+(\.*[\w.]*)\s+import\s+(\([^)]*\)|[^\n]*)`)
)

func isTest(name string) bool { return testPath.MatchString(name) }

func sortedKeys(m map[string]*edit) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
