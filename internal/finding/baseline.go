package finding

import (
	"encoding/json"
	"fmt"
	"io"
)

// BaselineSchema is the version of a baseline file. Files of the first version name places in one string and cannot
// follow a move; they are read as well.
const (
	BaselineSchema   = "gatebot.baseline/v2"
	baselineSchemaV1 = "gatebot.baseline/v1"
)

// Baseline is a set of known findings by fingerprint.
type Baseline struct {
	Schema string           `json:"schema"`
	Known  map[string]Known `json:"known"`
}

// Known is one finding of a baseline. No line is kept: the file must not change with every edit.
type Known struct {
	Rule     string `json:"rule"`
	Path     string `json:"path"`
	Function string `json:"function,omitempty"`
	MoveKey  string `json:"move,omitempty"`
}

// NewBaseline takes every finding that is not suppressed otherwise.
func NewBaseline(fs []Finding) *Baseline {
	b := &Baseline{Schema: BaselineSchema, Known: map[string]Known{}}
	for i := range fs {
		f := &fs[i]
		if f.Suppressed == nil || f.Suppressed.By == "baseline" {
			b.Known[f.Fingerprint] = Known{Rule: f.Rule, Path: f.Path, Function: f.Function, MoveKey: f.MoveKey}
		}
	}
	return b
}

// ReadBaseline parses a baseline file.
func ReadBaseline(data []byte) (*Baseline, error) {
	var file struct {
		Schema string                     `json:"schema"`
		Known  map[string]json.RawMessage `json:"known"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, fmt.Errorf("baseline: %w (write it anew with --write-baseline)", err)
	}
	if file.Schema != BaselineSchema && file.Schema != baselineSchemaV1 {
		return nil, fmt.Errorf("baseline: schema %q, want %q (write it anew with --write-baseline)", file.Schema, BaselineSchema)
	}
	b := &Baseline{Schema: file.Schema, Known: map[string]Known{}}
	for fingerprint, raw := range file.Known {
		var k Known
		if file.Schema == BaselineSchema {
			if err := json.Unmarshal(raw, &k); err != nil {
				return nil, fmt.Errorf("baseline: %s: %w (write it anew with --write-baseline)", fingerprint, err)
			}
		}
		b.Known[fingerprint] = k
	}
	return b, nil
}

// Write writes the file with its keys in order, so that a repository can keep it under version control.
func (b *Baseline) Write(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(b)
}

// MarkSame suppresses the findings that b knows by their fingerprint, with reason; nothing is dropped.
func (b *Baseline) MarkSame(fs []Finding, reason string) {
	for i := range fs {
		f := &fs[i]
		if _, ok := b.Known[f.Fingerprint]; ok && f.Suppressed == nil {
			f.Suppressed = &Suppression{Reason: reason, By: "baseline"}
		}
	}
}

// Mark is MarkSame that also follows what has moved, as MarkMoved does. It returns how many entries of b were not found
// any more.
func (b *Baseline) Mark(fs []Finding, reason string) (gone int) {
	b.MarkSame(fs, reason)
	here := map[string]bool{}
	for i := range fs {
		here[fs[i].Fingerprint] = true
	}
	left := []moved{}
	for fingerprint, k := range b.Known {
		if !here[fingerprint] {
			left = append(left, moved{key: k.MoveKey, path: k.Path, function: k.Function, at: k.Path, id: fingerprint})
		}
	}
	return len(left) - markMoved(left, fs, reason)
}
