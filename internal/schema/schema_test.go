package schema

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"gopkg.in/yaml.v3"

	conf "github.com/gatebot/gatebot/internal/config"
	"github.com/gatebot/gatebot/internal/finding"
)

func compiled(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(Get(name)))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource(name, doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// fromYAML is a YAML text as the JSON that a validator wants.
func fromYAML(t *testing.T, text []byte) any {
	t.Helper()
	var v any
	if err := yaml.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// TestConfigKeys asks the loader at every place of the schema which keys it knows.
func TestConfigKeys(t *testing.T) {
	var root map[string]any
	if err := json.Unmarshal(Get("config"), &root); err != nil {
		t.Fatal(err)
	}
	places := 0
	var walk func(node map[string]any, open, shut string)
	walk = func(node map[string]any, open, shut string) {
		if ref, ok := node["$ref"].(string); ok {
			node = root["$defs"].(map[string]any)[strings.TrimPrefix(ref, "#/$defs/")].(map[string]any)
		}
		if one, ok := node["oneOf"].([]any); ok {
			node = one[len(one)-1].(map[string]any)
		}
		if items, ok := node["items"].(map[string]any); ok && items["type"] == "object" {
			walk(items, open+"[", "]"+shut)
			return
		}
		properties, ok := node["properties"].(map[string]any)
		if !ok {
			return
		}
		var names []string
		for name, child := range properties {
			names = append(names, name)
			walk(child.(map[string]any), open+"{"+name+": ", "}"+shut)
		}
		slices.Sort(names)
		if got := known(t, open+"{zzzzzzzzzzzz: 1}"+shut); !slices.Equal(got, names) {
			t.Errorf("%s: the loader knows %v, the schema %v", open, got, names)
		}
		places++
	}
	walk(root, "", "")
	if places < 14 {
		t.Errorf("%d places compared: the walk missed some", places)
	}
}

var knownHere = regexp.MustCompile(`known here: ([^)]*)\)`)

func known(t *testing.T, text string) []string {
	_, err := conf.Load("f.yaml", []byte(text))
	if err == nil {
		t.Fatalf("%s: no error", text)
	}
	m := knownHere.FindStringSubmatch(err.Error())
	if m == nil {
		t.Fatalf("%s: %v", text, err)
	}
	names := strings.Split(m[1], ", ")
	slices.Sort(names)
	return names
}

func TestConfigDocuments(t *testing.T) {
	s := compiled(t, "config")
	full, err := os.ReadFile("../config/testdata/full.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		text string
		ok   bool
	}{
		"everything": {string(full), true},
		"nothing":    {"{}", true},
		"level":      {"checks: {sync: eror}", false},
		"version":    {"version: 2", false},
		"root":       {"hot_path: {roots: [model.forward]}", false},
		"duration":   {"step: {timeout: soon}", false},
		"steps":      {"step: {steps: 1}", false},
		"capability": {"device: {min_compute_capability: ten}", false},
		"no id":      {"hazards: [{title: x}]", false},
		"rule":       {"hazards: [{id: x, rules: [GB1]}]", false},
		"bound":      {"checks: {alloc: {level: warn, max: 0}}", true},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := conf.Load("f.yaml", []byte(tc.text))
			if got := s.Validate(fromYAML(t, []byte(tc.text))); (got == nil) != tc.ok || (err == nil) != tc.ok {
				t.Errorf("schema: %v\nloader: %v\nwant valid: %v", got, err, tc.ok)
			}
		})
	}
}

func TestResults(t *testing.T) {
	s := compiled(t, "results")
	r := finding.Results{Verdict: finding.VerdictFail, Checks: []finding.CheckResult{{Name: "sync", Status: finding.StatusFail,
		Regions: []finding.RegionResult{{Name: "L00", Status: finding.StatusPass}}}},
		Findings: []finding.Finding{{Rule: "GB101", Severity: finding.Error, Confidence: finding.Proven}}}
	for _, device := range []*finding.Device{nil, {Name: "B200"}} {
		r.Device = device
		var b bytes.Buffer
		if err := r.Write(&b); err != nil {
			t.Fatal(err)
		}
		doc, err := jsonschema.UnmarshalJSON(&b)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(doc); err != nil {
			t.Error(err)
		}
		doc.(map[string]any)["verdict"] = "fine"
		if s.Validate(doc) == nil {
			t.Error("any word is a verdict: the schema checks nothing")
		}
	}
}

// TestRecordedTraces holds lines that an H200 gave against the schema.
func TestRecordedTraces(t *testing.T) {
	s := compiled(t, "trace")
	for _, name := range []string{"../../gpu/probe/testdata/h200/hazards.ndjson.gz"} {
		out, err := exec.Command("gzip", "-dc", name).Output()
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for line := range bytes.Lines(out) {
			doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(line))
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Validate(doc); err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			n++
			doc.(map[string]any)["nonsense"] = 1
			if n == 1 && s.Validate(doc) == nil {
				t.Error("unknown fields are valid: the schema checks nothing")
			}
		}
		if n < 20 {
			t.Errorf("%s: %d lines", name, n)
		}
	}
}

// TestGenerated makes the schemas again: a changed type needs a changed schema.
func TestGenerated(t *testing.T) {
	dir := t.TempDir()
	bin := dir + "/gen"
	if out, err := exec.Command("go", "build", "-o", bin, "./gen").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	c := exec.Command(bin)
	c.Dir = dir
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, name := range []string{"results", "trace"} {
		got, err := os.ReadFile(dir + "/" + name + ".json")
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, Get(name)) {
			t.Errorf("%s.json is not what the types say (go generate ./internal/schema)", name)
		}
	}
}
