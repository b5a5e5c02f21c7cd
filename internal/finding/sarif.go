package finding

import (
	"encoding/json"
	"io"
	"net/url"
)

// RuleInfo is what SARIF wants to know of a rule.
type RuleInfo struct {
	ID, Name, Title, Text, Fix string
	Severity                   Severity
}

type sarifText struct {
	Text string `json:"text"`
}

type sarifRule struct {
	ID      string    `json:"id"`
	Name    string    `json:"name"`
	Short   sarifText `json:"shortDescription"`
	Full    sarifText `json:"fullDescription"`
	Help    sarifText `json:"help"`
	Default struct {
		Level string `json:"level"`
	} `json:"defaultConfiguration"`
}

type sarifRegion struct {
	StartLine   int `json:"startLine"`
	StartColumn int `json:"startColumn,omitempty"`
	EndLine     int `json:"endLine,omitempty"`
	EndColumn   int `json:"endColumn,omitempty"`
}

type sarifLocation struct {
	Physical struct {
		Artifact struct {
			URI  string `json:"uri"`
			Base string `json:"uriBaseId"`
		} `json:"artifactLocation"`
		Region sarifRegion `json:"region"`
	} `json:"physicalLocation"`
	Logical []sarifLogical `json:"logicalLocations,omitempty"`
}

type sarifLogical struct {
	Name string `json:"fullyQualifiedName"`
	Kind string `json:"kind"`
}

type sarifSuppression struct {
	Kind          string `json:"kind"`
	Justification string `json:"justification"`
}

type sarifResult struct {
	RuleID       string             `json:"ruleId"`
	RuleIndex    *int               `json:"ruleIndex,omitempty"`
	Level        string             `json:"level"`
	Message      sarifText          `json:"message"`
	Locations    []sarifLocation    `json:"locations"`
	Fingerprints map[string]string  `json:"partialFingerprints"`
	Suppressions []sarifSuppression `json:"suppressions,omitempty"`
}

// WriteSARIF writes the findings as SARIF 2.1.0. Columns count code points, which the run says.
func WriteSARIF(w io.Writer, r *Results, rules []RuleInfo) error {
	index := map[string]int{}
	descriptors := make([]sarifRule, len(rules))
	for i, info := range rules {
		index[info.ID] = i
		d := sarifRule{ID: info.ID, Name: info.Name, Short: sarifText{info.Title}, Full: sarifText{info.Text},
			Help: sarifText{info.Text + "\n\nFix: " + info.Fix}}
		d.Default.Level = sarifLevel(info.Severity)
		descriptors[i] = d
	}
	results := make([]sarifResult, 0, len(r.Findings))
	for i := range r.Findings {
		results = append(results, sarifOf(&r.Findings[i], index))
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", " ")
	return enc.Encode(map[string]any{
		"$schema": "https://json.schemastore.org/sarif-2.1.0.json",
		"version": "2.1.0",
		"runs": []any{map[string]any{
			"tool": map[string]any{"driver": map[string]any{
				"name": "gatebot", "semanticVersion": semver(r.Tool.Version), "rules": descriptors,
			}},
			"columnKind": "unicodeCodePoints",
			"results":    results,
		}},
	})
}

func sarifOf(f *Finding, index map[string]int) sarifResult {
	var loc sarifLocation
	loc.Physical.Artifact.URI = (&url.URL{Path: f.Path}).EscapedPath()
	loc.Physical.Artifact.Base = "%SRCROOT%"
	loc.Physical.Region = sarifRegion{StartLine: max(1, f.Line), StartColumn: f.Column, EndLine: f.EndLine, EndColumn: f.EndColumn}
	if f.Function != "" {
		loc.Logical = []sarifLogical{{Name: f.Function, Kind: "function"}}
	}
	res := sarifResult{RuleID: f.Rule, Level: sarifLevel(f.Severity), Message: sarifText{f.Message},
		Locations: []sarifLocation{loc}, Fingerprints: map[string]string{"gatebot/v1": f.Fingerprint}}
	if f.Confidence == Possible {
		res.Level = "note"
	}
	if i, ok := index[f.Rule]; ok {
		res.RuleIndex = &i
	}
	if s := f.Suppressed; s != nil {
		kind := "external"
		if s.By == "inline" {
			kind = "inSource"
		}
		res.Suppressions = []sarifSuppression{{Kind: kind, Justification: s.By + ": " + s.Reason}}
	}
	return res
}

func sarifLevel(s Severity) string {
	switch s {
	case Error:
		return "error"
	case Warn:
		return "warning"
	}
	return "note"
}

// semver keeps the field valid for builds without a version.
func semver(v string) string {
	if v == "" || v[0] < '0' || v[0] > '9' {
		return "0.0.0-" + v
	}
	return v
}
