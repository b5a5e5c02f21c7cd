package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/internal/gate"
)

// runExplain is scan --explain: a question about one line, so that findings fail nothing.
func runExplain(ctx context.Context, o *scanOptions, s streams) error {
	if o.format != "text" && o.format != "json" {
		return usagef("--explain prints text or json, not %s", o.format)
	}
	x, err := gate.Explain(ctx, o.Request, o.explain)
	if err != nil {
		return commandError(err)
	}
	return writeTo(o.output, s.out, func(w io.Writer) error {
		if o.format == "json" {
			enc := json.NewEncoder(w)
			enc.SetIndent("", "  ")
			return enc.Encode(x)
		}
		_, err := w.Write(explanation(x))
		return err
	})
}

func explanation(x *checks.Explanation) []byte {
	var b bytes.Buffer
	state, in := "not hot", "at the top level"
	if x.Hot {
		state = "hot"
	}
	if x.Function != "" {
		in = "in " + x.Function
	}
	fmt.Fprintf(&b, "%s:%d  %s  %s\n  %s\n", x.Path, x.Line, in, state, x.Why)
	if len(x.Chain) > 1 {
		fmt.Fprintf(&b, "  %s\n", strings.Join(x.Chain, " → "))
	}
	for _, v := range x.Values {
		fmt.Fprintf(&b, "\n  %d: %s\n      %s\n", v.Column, v.Code, v.Taken)
		for _, step := range v.Flow {
			fmt.Fprintf(&b, "      from %s\n", step)
		}
	}
	for i := range x.Findings {
		f := &x.Findings[i]
		fmt.Fprintf(&b, "\n  %s %s %s (%s): %s\n", f.Severity, f.Rule, f.Name, f.Confidence, f.Message)
		if f.Suppressed != nil {
			fmt.Fprintf(&b, "      suppressed: %s: %s\n", f.Suppressed.By, f.Suppressed.Reason)
		}
	}
	return b.Bytes()
}
