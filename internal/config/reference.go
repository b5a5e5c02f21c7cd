package config

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// ReferenceBase as a reference is the step module of the base commit.
const ReferenceBase = "base"

// SplitReference cuts a reference FILE[:FUNCTION] into its file and function; the function is step when none is named.
func SplitReference(s string) (file, function string) {
	if i := strings.LastIndexByte(s, ':'); i > 0 {
		return s[:i], s[i+1:]
	}
	return s, "step"
}

// reference is base, or a path inside the repository with an optional function.
func (d *decoder) reference(p *string) func(*yaml.Node, string) {
	return func(n *yaml.Node, key string) {
		var s, clean string
		d.str(&s)(n, key)
		file, function := SplitReference(s)
		if !identifier(function) {
			d.fail(n, key, "%q is no name of a function (write base, FILE or FILE:FUNCTION)", function)
			return
		}
		if s == ReferenceBase {
			*p = s
			return
		}
		d.repoPath(&clean)(&yaml.Node{Kind: yaml.ScalarNode, Value: file, Line: n.Line, Column: n.Column}, key)
		if clean != "" {
			*p = clean + ":" + function
		}
	}
}

func identifier(s string) bool {
	for i, r := range s {
		if r != '_' && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return s != ""
}

// tolerance is exact, dtype, or a list of two numbers.
func (d *decoder) tolerance(p *Tolerance) func(*yaml.Node, string) {
	return func(n *yaml.Node, key string) {
		n = resolve(n)
		text := n.Value
		if n.Kind == yaml.SequenceNode {
			var parts []string
			d.strs(&parts)(n, key)
			text = strings.Join(parts, ",")
		}
		t, err := ParseTolerance(text)
		if err != nil {
			d.fail(n, key, "%v", err)
			return
		}
		*p = t
	}
}

// ParseTolerance reads exact, dtype or RELATIVE,ABSOLUTE.
func ParseTolerance(s string) (t Tolerance, err error) {
	switch s {
	case "exact":
		return t, nil
	case "dtype":
		return Tolerance{ByDtype: true}, nil
	}
	rel, abs, ok := strings.Cut(s, ",")
	var err1, err2 error
	t.Relative, err1 = strconv.ParseFloat(strings.TrimSpace(rel), 64)
	t.Absolute, err2 = strconv.ParseFloat(strings.TrimSpace(abs), 64)
	if !ok || errors.Join(err1, err2) != nil || !(t.Relative >= 0 && t.Absolute >= 0) || t.Relative > 1e6 || t.Absolute > 1e30 {
		return Tolerance{}, fmt.Errorf("%q is no tolerance (write exact, dtype, or two numbers: relative, absolute)", s)
	}
	return t, nil
}
