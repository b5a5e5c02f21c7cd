package fixlog

import (
	"cmp"
	"fmt"
	"path"
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
	edits, err := readEdits(u.ctx, u.repo, changes)
	if err != nil {
		return j, err
	}
	for _, f := range gone {
		if measuredOnly(f) {
			j.fixed = append(j.fixed, f) // a run has shown that it is gone
			continue
		}
		e := edits[f.Path]
		if e == nil || e.was == nil || e.is == nil || e.stands(f) {
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
	if e.was.functions[f.Function] && !e.is.functions[f.Function] {
		return "the function went away"
	}
	for _, g := range fresh {
		here := g.Path == e.is.path
		if here && g.Function == f.Function || group(g.Rule) == group(f.Rule) && (here || wrote(edits, g.Path)) {
			return fmt.Sprintf("%s at %s:%d is new", g.Rule, g.Path, g.Line)
		}
	}
	same := family(f)
	if at := addedAnywhere(same, f.Function, e, edits); at != "" {
		return "of the same kind and new: " + at
	}
	if at := e.alias(same, f.Function); at != "" {
		return "the same by another name: " + at
	}
	if at := u.helper(c, same, f.Function, e, edits); at != "" {
		return "of the same kind, in what is called instead: " + at
	}
	return ""
}

// stands reports whether the lines of a finding are in its function as they were.
func (e *edit) stands(f *finding.Finding) bool {
	function := f.Function
	if !e.was.functions[function] {
		function = ""
	}
	lost := e.gone
	if e.was.functions[function] {
		lost = surplus(e.was.of[function], e.is.of[function])
	}
	for n := f.Line; n <= max(f.Line, f.EndLine) && n <= len(e.was.lines); n++ {
		if n > 0 && lost[e.was.lines[n-1]] > 0 {
			return false
		}
	}
	return true
}

var revert = regexp.MustCompile(`(?i)^\W*revert\b\W*`)

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

// regressed reports whether the log has a fix of the finding that did not last: whoever takes it out does it again.
func (u *update) regressed(f *finding.Finding) bool {
	return slices.ContainsFunc(u.ledger.Records, func(r Record) bool {
		return r.State == Regressed && r.holds(f.Fingerprint, moveKey(f), f.Path, f.Function)
	})
}

// addedAnywhere looks for the operation in what the commit added: in the file of the finding, else in any file that is
// not a test.
func addedAnywhere(same *regexp.Regexp, function string, e *edit, edits map[string]*edit) string {
	if at := e.has(same, function); at != "" {
		return at
	}
	for _, name := range sortedKeys(edits) {
		if x := edits[name]; x != e && x.is != nil && !isTest(x.is.path) {
			if at := x.has(same, ""); at != "" {
				return at
			}
		}
	}
	return ""
}

// has looks for the operation in the lines that an edit added. A line that another function of the file lost was
// moved, and counts only when the function at hand had it.
func (e *edit) has(same *regexp.Regexp, function string) string {
	lost := map[string]int{}
	if e.was != nil {
		for name, lines := range e.was.of {
			if name == function || e.is == nil {
				continue
			}
			for l, n := range surplus(lines, e.is.of[name]) {
				lost[l] += n
			}
		}
	}
	for _, a := range e.added {
		if lost[a.text] > 0 {
			lost[a.text]--
			continue
		}
		if once(a.function, e.is.python) && a.function != function {
			continue
		}
		if same.MatchString(a.text) {
			return fmt.Sprintf("%s in %s", a.text[:min(len(a.text), 80)], cmp.Or(a.function, path.Base(e.is.path)))
		}
	}
	return ""
}

// alias looks for a new name for the operation that the function calls: `new = torch.empty`, `import empty as new`.
func (e *edit) alias(same *regexp.Regexp, function string) string {
	for _, name := range newCalls(function, e) {
		imported := regexp.MustCompile(`(\w+) as ` + name + `\b`) // a name is a word: nothing to quote
		for _, a := range e.added {
			m := imported.FindStringSubmatch(a.text)
			if strings.HasPrefix(a.text, name+"=") && same.MatchString(a.text) || m != nil && same.MatchString("."+m[1]) {
				return a.text
			}
		}
	}
	return ""
}

// once reports whether a function runs when a module is built or loaded, and not in every step.
func once(function string, python bool) bool {
	name := function[strings.LastIndexByte(function, '.')+1:]
	return python && (name == "" || constructor.MatchString(name))
}

var (
	constructor = regexp.MustCompile(`^(__init__|__post_init__|__new__|load_weights|process_weights_after_loading|_?(init|load|allocate)_\w+)$`)
	testPath    = regexp.MustCompile(`(^|/)(tests?|benchmarks?)/|(^|/)(test_[^/]*|[^/]*_test)\.\w+$`)
	called      = regexp.MustCompile(`\b([A-Za-z_]\w*)\(`)
	from        = regexp.MustCompile(`(?s)\bfrom\s+(\.*[\w.]*)\s+import\s+(\([^)]*\)|[^\n]*)`)
)

func isTest(name string) bool { return testPath.MatchString(name) }

// families are operations that people put in one another's place without taking the hazard out.
var families = [][]string{
	{"item", "tolist", "cpu", "numpy", "to_list", "synchronize"},
	{"empty", "zeros", "ones", "full", "empty_like", "zeros_like", "ones_like", "full_like", "new_empty", "new_zeros", "new_ones",
		"new_full", "arange", "tensor", "as_tensor", "from_numpy", "rand", "randn", "new_tensor", "empty_strided"},
	{"nonzero", "unique", "bincount", "masked_select", "argwhere", "repeat_interleave", "unique_consecutive", "nonzero_static"},
}

var word = regexp.MustCompile(`[A-Za-z_]\w*`)

// family matches lines, without their blanks, that hold the operation of a finding or one that stands for it.
func family(f *finding.Finding) *regexp.Regexp {
	text := strings.TrimSpace(code(f))
	head := callHead(text)
	if head == "" { // no call: the names that it is about, in this order
		names := word.FindAllString(text, -1)
		if len(names) == 0 {
			return regexp.MustCompile(`$^`)
		}
		return regexp.MustCompile(`\b` + strings.Join(names, `\b.*\b`) + `\b`)
	}
	names := word.FindAllString(head, -1)
	op := ""
	if len(names) > 0 {
		op = names[len(names)-1]
	}
	if m := methodCall.FindStringSubmatch(head); m != nil {
		op = m[1]
	}
	all := []string{op}
	for _, fam := range families {
		if slices.Contains(fam, op) {
			all = fam
		}
	}
	if op == "to" {
		all = append([]string{op}, families[0]...)
	}
	either := strings.Join(all, "|")
	toHost := ""
	if slices.Contains(families[0], op) {
		toHost = `|\.to\(["']cpu`
	}
	return regexp.MustCompile(`\.(?:` + either + `)\b|\b(?:` + either + `)\(` + toHost)
}

func sortedKeys(m map[string]*edit) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// wrote reports whether a commit touched the file that has this path after it.
func wrote(edits map[string]*edit, name string) bool {
	for _, e := range edits {
		if e.is != nil && e.is.path == name {
			return true
		}
	}
	return false
}
