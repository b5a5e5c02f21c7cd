package finding_test

import (
	"bytes"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/outside"
)

// TestSARIFIsValid checks what is written against the JSON schema of SARIF 2.1.0, odd findings included, and that the
// check can fail.
func TestSARIFIsValid(t *testing.T) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(outside.SARIFSchema(t)))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("sarif.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("sarif.json")
	if err != nil {
		t.Fatal(err)
	}
	rules := []finding.RuleInfo{
		{ID: "GB101", Name: "tensor-item", Title: "a title", Text: "a text", Fix: "a fix", Severity: finding.Error},
		{ID: "GB002", Name: "unreadable", Severity: finding.Info}}
	full := finding.Finding{Rule: "GB101", Name: "tensor-item", Severity: finding.Error, Path: "dir with blank/ä%#?.py", Line: 3, Column: 4, EndLine: 5,
		EndColumn: 6, Function: "A.f", Message: "m <é>\n\x01", Fingerprint: "f", Confidence: finding.Likely}
	possible, file, stranger, allowed := full, full, full, full
	possible.Confidence = finding.Possible
	file.Line, file.Column, file.EndLine, file.EndColumn, file.Function = 0, 0, 0, 0, ""
	stranger.Rule = "GB999"
	allowed.Suppressed = &finding.Suppression{By: "inline", Reason: "why"}
	known := full
	known.Severity, known.Suppressed = finding.Warn, &finding.Suppression{By: "baseline", Reason: "known"}
	for name, r := range map[string]*finding.Results{
		"nothing": {},
		"release": {Tool: finding.Tool{Version: "1.2.3"}, Findings: []finding.Finding{full}},
		"all":     {Tool: finding.Tool{Version: "dev"}, Findings: []finding.Finding{full, possible, file, stranger, allowed, known}},
	} {
		var b bytes.Buffer
		if err := finding.WriteSARIF(&b, r, rules); err != nil {
			t.Fatal(err)
		}
		log, err := jsonschema.UnmarshalJSON(&b)
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(log); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		run := log.(map[string]any)["runs"].([]any)[0].(map[string]any)
		delete(run, "tool")
		if schema.Validate(log) == nil {
			t.Errorf("%s: valid without a tool: the schema checks nothing", name)
		}
	}
}
