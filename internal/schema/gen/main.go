// Command gen writes results.json and trace.json from the types that are written to these files.
package main

import (
	"encoding/json"
	"log"
	"os"
	"reflect"

	"github.com/invopop/jsonschema"

	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/trace"
)

const base = "https://github.com/gatebot/gatebot/raw/main/internal/schema/"

// words are the types whose values are a closed set.
var words = map[reflect.Type][]any{
	reflect.TypeFor[finding.Severity]():   {finding.Error, finding.Warn, finding.Info},
	reflect.TypeFor[finding.Confidence](): {finding.Proven, finding.Likely, finding.Possible},
	reflect.TypeFor[finding.Status]():     {finding.StatusPass, finding.StatusFail, finding.StatusError, finding.StatusNotRun},
	reflect.TypeFor[finding.Verdict]():    {finding.VerdictPass, finding.VerdictFail, finding.VerdictError},
	reflect.TypeFor[trace.Level]():        {trace.Runtime, trace.Driver},
	reflect.TypeFor[trace.Class](): {trace.ClassSync, trace.ClassCopy, trace.ClassSet, trace.ClassAlloc, trace.ClassFree, trace.ClassPin, trace.ClassUnpin,
		trace.ClassQuery, trace.ClassModule, trace.ClassCapture, trace.ClassGraph, trace.ClassHostFunc, trace.ClassWait, trace.ClassContext},
}

// events are the kinds of lines with their types, in the order of the documentation.
var events = []struct {
	kind trace.Kind
	of   any
}{{trace.KindHeader, trace.Header{}}, {trace.KindDevice, trace.Device{}}, {trace.KindPhase, trace.Phase{}}, {trace.KindStep, trace.Step{}},
	{trace.KindRegion, trace.Region{}}, {trace.KindAPI, trace.API{}}, {trace.KindLaunch, trace.Launch{}}, {trace.KindName, trace.Name{}},
	{trace.KindOp, trace.Op{}}, {trace.KindAlloc, trace.Alloc{}}, {trace.KindGraph, trace.Graph{}}, {trace.KindTensor, trace.Tensor{}},
	{trace.KindMeasure, trace.Measure{}}, {trace.KindWarning, trace.Warning{}}, {trace.KindError, trace.Error{}}, {trace.KindEnd, trace.End{}}}

func main() {
	log.SetFlags(0)
	r := jsonschema.Reflector{Anonymous: true, Mapper: func(t reflect.Type) *jsonschema.Schema {
		if w := words[t]; w != nil {
			return &jsonschema.Schema{Type: "string", Enum: w}
		}
		return nil
	}}
	s := r.Reflect(finding.Results{})
	s.ID, s.Title = base+"results.json", "gatebot results"
	s.Description = "What gatebot scan --format json and gatebot check --results write: schema gatebot.results/v1."
	// A list is never null, but several pointers are, on purpose.
	null(s, "Results", "device", "Device")
	null(s, "Finding", "suppressed", "Suppression")
	listOrNull(s, "Finding", "evidence")
	write("results.json", s)

	all := &jsonschema.Schema{Version: jsonschema.Version, ID: base + "trace.json", Title: "one line of a gatebot trace",
		Description: "A trace is NDJSON, one such object a line, a header first and an end last: schema gatebot.trace/v1.",
		Definitions: jsonschema.Definitions{}}
	for _, e := range events {
		one := r.Reflect(e.of)
		for name, d := range one.Definitions {
			all.Definitions[name] = d
		}
		name := reflect.TypeOf(e.of).Name()
		ev, _ := all.Definitions[name].Properties.Get("ev")
		ev.Enum, ev.Type = []any{e.kind}, "string"
		all.OneOf = append(all.OneOf, &jsonschema.Schema{Ref: "#/$defs/" + name})
	}
	write("trace.json", all)
}

// null lets a property be null beside what it is.
func null(s *jsonschema.Schema, def, property, of string) {
	s.Definitions[def].Properties.Set(property, &jsonschema.Schema{OneOf: []*jsonschema.Schema{{Ref: "#/$defs/" + of}, {Type: "null"}}})
}

func listOrNull(s *jsonschema.Schema, def, property string) {
	was, ok := s.Definitions[def].Properties.Get(property)
	if !ok {
		log.Fatalf("%s has no %s", def, property)
	}
	s.Definitions[def].Properties.Set(property, &jsonschema.Schema{OneOf: []*jsonschema.Schema{was, {Type: "null"}}})
}

func write(name string, s *jsonschema.Schema) {
	data, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(name, append(data, '\n'), 0o644); err != nil {
		log.Fatal(err)
	}
}
