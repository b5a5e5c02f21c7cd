package config

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"gopkg.in/yaml.v3"
)

// decoder walks YAML nodes by hand: yaml.v3's own strict mode names neither the nearest key nor the dotted path.
type decoder struct {
	file string
	errs []error
}

func (d *decoder) fail(n *yaml.Node, key, format string, args ...any) {
	d.errs = append(d.errs, &Error{File: d.file, Line: n.Line, Key: key, Problem: fmt.Sprintf(format, args...)})
}

// field is one known key of a mapping.
type field struct {
	name string
	set  func(n *yaml.Node, key string)
}

// fields reads a mapping whose keys are all known.
func (d *decoder) fields(n *yaml.Node, path string, known ...field) {
	seen := map[string]bool{}
	d.mapping(n, path, func(k, v *yaml.Node) {
		key := join(path, k.Value)
		if seen[k.Value] {
			d.fail(k, key, "given twice (keep one)")
			return
		}
		seen[k.Value] = true
		i := slices.IndexFunc(known, func(f field) bool { return f.name == k.Value })
		if i < 0 {
			names := make([]string, len(known))
			for i, f := range known {
				names[i] = f.name
			}
			d.fail(k, key, "unknown key%s", suggest(k.Value, names))
			return
		}
		known[i].set(v, key)
	})
}

func (d *decoder) mapping(n *yaml.Node, path string, each func(k, v *yaml.Node)) {
	n = resolve(n)
	if isNull(n) {
		return
	}
	if n.Kind != yaml.MappingNode {
		d.fail(n, path, "want a mapping, got %s", kind(n))
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Tag == "!!merge" {
			d.fail(n.Content[i], path, "merge keys are not supported (write the keys out)")
			continue
		}
		each(n.Content[i], n.Content[i+1])
	}
}

func (d *decoder) list(n *yaml.Node, key string, each func(v *yaml.Node, key string)) {
	n = resolve(n)
	if isNull(n) {
		return
	}
	if n.Kind != yaml.SequenceNode {
		d.fail(n, key, "want a list, got %s", kind(n))
		return
	}
	for i, v := range n.Content {
		each(v, fmt.Sprintf("%s[%d]", key, i))
	}
}

func (d *decoder) str(p *string) func(*yaml.Node, string) {
	return func(n *yaml.Node, key string) {
		if n = resolve(n); n.Kind != yaml.ScalarNode || isNull(n) {
			d.fail(n, key, "want a string, got %s", kind(n))
			return
		}
		*p = n.Value
	}
}

func (d *decoder) strs(p *[]string) func(*yaml.Node, string) {
	return func(n *yaml.Node, key string) {
		*p = nil
		d.list(n, key, func(v *yaml.Node, key string) {
			var s string
			d.str(&s)(v, key)
			*p = append(*p, s)
		})
	}
}

// num reads a whole number of at least least.
func (d *decoder) num(p *int, least int) func(*yaml.Node, string) {
	return func(n *yaml.Node, key string) {
		v, err := strconv.Atoi(resolve(n).Value)
		if err != nil || v < least {
			d.fail(n, key, "want a whole number of at least %d, got %q", least, resolve(n).Value)
			return
		}
		*p = v
	}
}

func (d *decoder) duration(p *time.Duration) func(*yaml.Node, string) {
	return func(n *yaml.Node, key string) {
		v, err := time.ParseDuration(resolve(n).Value)
		if err != nil || v <= 0 {
			d.fail(n, key, "want a duration such as 30m or 90s, got %q", resolve(n).Value)
			return
		}
		*p = v
	}
}

func (d *decoder) oneOf(p *string, values ...string) func(*yaml.Node, string) {
	return func(n *yaml.Node, key string) {
		v := resolve(n).Value
		if !slices.Contains(values, v) {
			d.fail(n, key, "%q is none of %s%s", v, strings.Join(values, ", "), suggest(v, values))
			return
		}
		*p = v
	}
}

func resolve(n *yaml.Node) *yaml.Node {
	for n.Kind == yaml.AliasNode && n.Alias != nil {
		n = n.Alias
	}
	return n
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!null" }

func kind(n *yaml.Node) string {
	switch {
	case isNull(n):
		return "nothing"
	case n.Kind == yaml.MappingNode:
		return "a mapping"
	case n.Kind == yaml.SequenceNode:
		return "a list"
	}
	return fmt.Sprintf("%q", n.Value)
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

var yamlAt = regexp.MustCompile(`line (\d+)`)

func yamlLine(err error) int {
	if m := yamlAt.FindStringSubmatch(err.Error()); m != nil {
		n, convErr := strconv.Atoi(m[1])
		if convErr == nil {
			return n
		}
	}
	return 0
}

func yamlProblem(err error) string {
	var te *yaml.TypeError
	if errors.As(err, &te) {
		return strings.Join(te.Errors, "; ")
	}
	return "not YAML: " + strings.TrimPrefix(err.Error(), "yaml: ")
}
