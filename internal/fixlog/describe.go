package fixlog

import (
	"cmp"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/gatebot/gatebot/internal/finding"
)

// maxParts is how many things one description names before it counts the rest.
const maxParts = 4

var (
	methodCall = regexp.MustCompile(`\.([A-Za-z_]\w*)\($`)
	plainCall  = regexp.MustCompile(`^([A-Za-z_][\w.]*)\($`)
)

// operation is the short name by which people know what was removed: ".item()" of a method call, "torch.zeros" of a
// function call, else the name of the rule in words.
func operation(f *finding.Finding) string {
	text := strings.TrimSpace(code(f))
	if special := worded[f.Rule]; special != "" && text != "" {
		return strings.ReplaceAll(special, "%", brief(text))
	}
	if head := callHead(text); head != "" {
		if m := plainCall.FindStringSubmatch(head); m != nil && (strings.HasPrefix(head, "torch.") || !strings.Contains(head, ".")) {
			return m[1] + "()"
		}
		if m := methodCall.FindStringSubmatch(head); m != nil {
			return "." + m[1] + "()"
		}
	}
	if f.Name != "" {
		return strings.ReplaceAll(f.Name, "-", " ")
	}
	return f.Rule
}

// worded are rules of which neither the name of a call nor that of the rule says what stood there; % is the source text.
var worded = map[string]string{
	"GB401": "branch on %", "GB402": "loop on %", "GB502": "host write to %", "GB503": "host write to %",
	"GB716": "wrong values", "GB917": "narrow index of %",
}

// brief is source text as people quote it in a sentence: a call by its name, an expression without self, not too long.
func brief(text string) string {
	if head := callHead(text); head != "" {
		if m := methodCall.FindStringSubmatch(head); m != nil {
			return "." + m[1] + "()"
		}
	}
	text = oneLine(strings.ReplaceAll(text, "self.", ""))
	if r := []rune(text); len(r) > 40 {
		text = string(r[:39]) + "…"
	}
	return text
}

// measured is what a trace counted of a finding, or empty: the source scan counts nothing.
func measured(f *finding.Finding) string {
	for _, e := range f.Evidence {
		if e.Kind == finding.EvidenceMeasured && e.Message != "" {
			return e.Message
		}
	}
	return ""
}

// callHead is the text up to and with the parenthesis that the last one closes, when text is a call.
func callHead(text string) string {
	if !strings.HasSuffix(text, ")") {
		return ""
	}
	depth := 0
	for i := len(text) - 1; i >= 0; i-- {
		switch text[i] {
		case ')', ']', '}':
			depth++
		case '(', '[', '{':
			if depth--; depth == 0 {
				return text[:i+1]
			}
		}
	}
	return ""
}

// describe says in one line what the records of one commit removed, the way people write it:
// "mhc.py: .item() removed from post_block; moe.py: torch.zeros() removed from MoE.forward and router (3 places)".
func describe(records []Record) string {
	var files []string
	parts := map[string][]part{}
	for _, r := range records {
		p := part{what: r.Operation, from: []string{function(r.Symbol)}, places: len(r.Fingerprints), measured: r.Measured}
		if p.what == "" {
			p.what = r.Rule
		}
		if !slices.Contains(files, r.Path) {
			files = append(files, r.Path)
		}
		parts[r.Path] = merge(parts[r.Path], p)
	}
	var out []string
	named, left := 0, 0
	for _, file := range files {
		var texts []string
		for _, p := range together(parts[file]) {
			if named == maxParts {
				left++
				continue
			}
			named++
			texts = append(texts, p.String())
		}
		if len(texts) > 0 {
			out = append(out, label(file, files)+": "+strings.Join(texts, ", "))
		}
	}
	text := strings.Join(out, "; ")
	if left > 0 {
		text += fmt.Sprintf("; and %d more", left)
	}
	return oneLine(text)
}

// together joins operations that went from the same functions: "torch.tensor() and float() removed from quantize".
func together(ps []part) []part {
	var out []part
	for _, p := range ps {
		i := slices.IndexFunc(out, func(q part) bool {
			return slices.Equal(q.from, p.from) && (q.measured == p.measured || q.measured == "" || p.measured == "") &&
				q.places == len(q.from) && p.places == len(p.from)
		})
		if i < 0 {
			out = append(out, p)
			continue
		}
		out[i].what = strings.ReplaceAll(out[i].what, " and ", ", ") + " and " + p.what
		out[i].measured = cmp.Or(out[i].measured, p.measured)
	}
	return out
}

// part is one operation of one file.
type part struct {
	what     string
	from     []string
	places   int
	measured string // what a trace counted, the same for all places
}

// merge joins equal operations of one file.
func merge(ps []part, p part) []part {
	for i := range ps {
		if ps[i].what == p.what && ps[i].measured == p.measured {
			if !slices.Contains(ps[i].from, p.from[0]) {
				ps[i].from = append(ps[i].from, p.from[0])
			}
			ps[i].places += p.places
			return ps
		}
	}
	return append(ps, p)
}

func (p part) String() string {
	from := p.from
	if len(from) > 3 {
		from = append(slices.Clone(from[:2]), fmt.Sprintf("%d more functions", len(p.from)-2))
	}
	text := p.what + " removed from "
	if n := len(from); n > 1 {
		text += strings.Join(from[:n-1], ", ") + " and " + from[n-1]
	} else {
		text += from[0]
	}
	var notes []string
	if p.places > len(p.from) {
		notes = append(notes, fmt.Sprintf("%d places", p.places))
	}
	if p.measured != "" {
		notes = append(notes, p.measured)
	}
	if len(notes) > 0 {
		text += " (" + strings.Join(notes, ", ") + ")"
	}
	return text
}

// label is the shortest name that tells the file from the others.
func label(file string, all []string) string {
	base := path.Base(file)
	for _, other := range all {
		if other != file && path.Base(other) == base {
			return file
		}
	}
	return base
}

// generic names say nothing without their class.
var generic = []string{"forward", "__call__", "__init__", "step", "decode", "call", "run", "apply"}

// function is how people call a function: without its class, unless every class has one of that name.
func function(symbol string) string {
	if symbol == "" {
		return "module level"
	}
	names := strings.Split(symbol, ".")
	last := names[len(names)-1]
	if len(names) > 1 && slices.Contains(generic, last) {
		return names[len(names)-2] + "." + last
	}
	return last
}

// oneLine keeps a text in its table cell: control characters (of odd path names) become blanks.
func oneLine(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "�"))
	return strings.Join(strings.Fields(s), " ")
}
