package fixlog

import (
	"regexp"
	"slices"
	"strings"

	"github.com/gatebot/gatebot/internal/finding"
)

// families are operations that people put in one another's place without taking the hazard out.
var families = [][]string{
	{"item", "tolist", "cpu", "numpy", "to_list", "synchronize"},
	{"empty", "zeros", "ones", "full", "empty_like", "zeros_like", "ones_like", "full_like", "new_empty", "new_zeros", "new_ones",
		"new_full", "arange", "tensor", "as_tensor", "from_numpy", "rand", "randn", "new_tensor", "empty_strided"},
	{"nonzero", "unique", "bincount", "masked_select", "argwhere", "repeat_interleave", "unique_consecutive", "nonzero_static"},
}

var word = regexp.MustCompile(`[A-Za-z_]\w*`)

// kind is an operation and what people put in its place without taking the hazard out.
type kind struct {
	like   *regexp.Regexp
	unless *regexp.Regexp // what makes a line harmless all the same; may be nil
	hidden bool           // what makes it harmless in its own function hides the same hazard in another one
}

// in reports whether a bare line holds the operation. What NumPy and Triton do is no work of torch.
func (k kind) in(l string) bool {
	return k.like.MatchString(elsewhere.ReplaceAllString(l, "")) && (k.unless == nil || !k.unless.MatchString(l))
}

// inHelper is in for a line of a function that is called now: a source of a copy that nobody waits for dies there as well.
func (k kind) inHelper(l string) bool {
	return k.in(l) || k.hidden && kind{like: k.like}.in(l)
}

var (
	elsewhere = regexp.MustCompile(`\b(?:np|numpy|tl|math)\.\w+`)
	async     = regexp.MustCompile(`\bnon_blocking=True\b`)
	// byRule are operations of rules that report another part of the statement.
	byRule = map[string]*regexp.Regexp{"GB905": regexp.MustCompile(`\.(plan|begin_forward)\(`),
		"GB509": regexp.MustCompile(`\.(?:to|cuda|copy_)\(.*\bnon_blocking=True\b`)}
)

// family is the operation of a finding.
func family(f *finding.Finding) kind {
	k := kind{like: byRule[f.Rule]}
	if k.like == nil {
		k.like = likeCode(strings.TrimSpace(code(f)), f.Rule)
	}
	if f.Rule == "GB505" || f.Rule == "GB506" || f.Rule == "GB509" { // the copy is no hazard, waiting for it is
		k.unless, k.hidden = async, f.Rule == "GB509"
	}
	return k
}

// likeCode matches bare lines that hold the same call, or one of its family, or the same names in the same order.
func likeCode(text, rule string) *regexp.Regexp {
	head := callHead(text)
	if head == "" {
		names := word.FindAllString(text, -1)
		if len(names) == 0 {
			return regexp.MustCompile(`$^`)
		}
		expr := `\b` + strings.Join(names, `\b.*\b`) + `\b`
		if rule == "GB502" || rule == "GB503" { // writes: `x[i].fill_(v)` is none
			expr += `[^=(]*\][+*/|&-]?=(?:[^=]|$)`
		}
		return regexp.MustCompile(expr)
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
