package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// Strict decodes a YAML file into the struct that v points to, by its yaml tags, and refuses keys that the struct does
// not have, with file, line, key and the nearest one it has. It is for the configuration files of the server and the
// runner; the repository's own has Load.
func Strict(file string, data []byte, v any) error {
	if len(data) > maxSize {
		return &Error{File: file, Problem: fmt.Sprintf("%d bytes is no configuration (limit %d)", len(data), maxSize)}
	}
	var doc yaml.Node
	dec := yaml.NewDecoder(bytes.NewReader(data))
	switch err := dec.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return nil
	case err != nil:
		return &Error{File: file, Line: yamlLine(err), Problem: yamlProblem(err)}
	}
	if err := dec.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return &Error{File: file, Problem: "more than one YAML document (keep one)"}
	}
	d := &decoder{file: file}
	if len(doc.Content) > 0 && !isNull(doc.Content[0]) {
		d.known(doc.Content[0], "", reflect.TypeOf(v))
	}
	if len(d.errs) > 0 {
		return errors.Join(d.errs...)
	}
	if err := doc.Decode(v); err != nil {
		return typeErrors(file, err)
	}
	return nil
}

// known walks a mapping beside the type it is decoded into.
func (d *decoder) known(n *yaml.Node, path string, t reflect.Type) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	n = resolve(n)
	switch {
	case t.Kind() == reflect.Struct && n.Kind == yaml.MappingNode:
		var fields []field
		for i := range t.NumField() {
			f := t.Field(i)
			name, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
			if name == "" || name == "-" {
				continue
			}
			fields = append(fields, field{name, func(n *yaml.Node, key string) { d.known(n, key, f.Type) }})
		}
		d.fields(n, path, fields...)
	case t.Kind() == reflect.Slice && n.Kind == yaml.SequenceNode:
		for i, v := range n.Content {
			d.known(v, fmt.Sprintf("%s[%d]", path, i), t.Elem())
		}
	}
}

var typeError = regexp.MustCompile(`^line (\d+): (.*)$`)

// typeErrors turns yaml.v3's list of values of the wrong type into one Error each.
func typeErrors(file string, err error) error {
	var te *yaml.TypeError
	if !errors.As(err, &te) {
		return &Error{File: file, Problem: yamlProblem(err)}
	}
	var out []error
	for _, text := range te.Errors {
		e := &Error{File: file, Problem: text}
		if m := typeError.FindStringSubmatch(text); m != nil {
			if n, convErr := strconv.Atoi(m[1]); convErr == nil {
				e.Line, e.Problem = n, m[2]
			}
		}
		out = append(out, e)
	}
	return errors.Join(out...)
}
