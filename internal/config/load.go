package config

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"

	"gopkg.in/yaml.v3"
)

// maxSize bounds a configuration file; a real one is a few hundred bytes.
const maxSize = 1 << 20

// Error is a mistake in a configuration file.
type Error struct {
	File    string
	Line    int    // 1-based; 0 when the whole file is meant
	Key     string // dotted path of the key, may be empty
	Problem string // what is wrong and what to do
}

func (e *Error) Error() string {
	place := e.File
	if e.Line > 0 {
		place = fmt.Sprintf("%s:%d", e.File, e.Line)
	}
	if e.Key == "" {
		return place + ": " + e.Problem
	}
	return fmt.Sprintf("%s: %s: %s", place, e.Key, e.Problem)
}

// Load parses data as the configuration file named file (the name is for messages only). Every mistake is reported
// in one error: an *Error, or several joined, in file order.
func Load(file string, data []byte) (*Config, error) {
	if len(data) > maxSize {
		return nil, &Error{File: file, Problem: fmt.Sprintf("%d bytes is no configuration (limit %d)", len(data), maxSize)}
	}
	c := Default()
	sum := sha256.Sum256(data)
	c.Hash = hex.EncodeToString(sum[:8])

	dec := yaml.NewDecoder(bytes.NewReader(data))
	var doc yaml.Node
	switch err := dec.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return c, nil // an empty file says nothing
	case err != nil:
		return nil, &Error{File: file, Line: yamlLine(err), Problem: yamlProblem(err)}
	}
	if err := dec.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return nil, &Error{File: file, Problem: "more than one YAML document (keep one)"}
	}
	if len(doc.Content) == 0 || isNull(doc.Content[0]) {
		return c, nil
	}
	d := &decoder{file: file}
	d.root(doc.Content[0], c)
	if len(d.errs) > 0 {
		return nil, errors.Join(d.errs...)
	}
	return c, nil
}
