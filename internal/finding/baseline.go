package finding

import (
	"encoding/json"
	"fmt"
	"io"
)

// BaselineSchema is the version of a baseline file.
const BaselineSchema = "gatebot.baseline/v1"

// Baseline is a set of known findings by fingerprint; the text beside each is for the reader of the file.
type Baseline struct {
	Schema string            `json:"schema"`
	Known  map[string]string `json:"known"`
}

// NewBaseline takes every finding that is not suppressed otherwise.
func NewBaseline(fs []Finding) *Baseline {
	b := &Baseline{Schema: BaselineSchema, Known: map[string]string{}}
	for i := range fs {
		f := &fs[i]
		if f.Suppressed == nil || f.Suppressed.By == "baseline" {
			b.Known[f.Fingerprint] = fmt.Sprintf("%s %s %s", f.Rule, f.Path, f.Function)
		}
	}
	return b
}

// ReadBaseline parses a baseline file.
func ReadBaseline(data []byte) (*Baseline, error) {
	var b Baseline
	if err := json.Unmarshal(data, &b); err != nil {
		return nil, fmt.Errorf("baseline: %w (write it anew with --write-baseline)", err)
	}
	if b.Schema != BaselineSchema {
		return nil, fmt.Errorf("baseline: schema %q, want %q (write it anew with --write-baseline)", b.Schema, BaselineSchema)
	}
	return &b, nil
}

// Write writes the file with its keys in order, so that a repository can keep it under version control.
func (b *Baseline) Write(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(b)
}

// Mark suppresses the findings that b knows, with reason; nothing is dropped.
func (b *Baseline) Mark(fs []Finding, reason string) {
	for i := range fs {
		if _, ok := b.Known[fs[i].Fingerprint]; ok && fs[i].Suppressed == nil {
			fs[i].Suppressed = &Suppression{Reason: reason, By: "baseline"}
		}
	}
}
