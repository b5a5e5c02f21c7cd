package finding

import (
	"bytes"
	"fmt"
	"io"
	"strings"
)

// WriteGitHub prints workflow commands, which GitHub Actions turns into annotations. What does not gate is left out,
// except infos and possible findings, which are notices.
func WriteGitHub(w io.Writer, r *Results) error {
	var b bytes.Buffer
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Suppressed != nil {
			continue
		}
		level := "notice"
		if f.Confidence != Possible {
			switch f.Severity {
			case Error:
				level = "error"
			case Warn:
				level = "warning"
			}
		}
		fmt.Fprintf(&b, "::%s file=%s,line=%d,endLine=%d", level, property(f.Path), f.Line, max(f.Line, f.EndLine))
		if f.EndLine == f.Line && f.EndColumn > f.Column {
			// Columns are taken only where a finding stays on one line.
			fmt.Fprintf(&b, ",col=%d,endColumn=%d", f.Column, f.EndColumn)
		}
		message := clean(f.Message)
		if f.Fix != "" {
			message += "\nfix: " + clean(f.Fix)
		}
		fmt.Fprintf(&b, ",title=%s::%s\n", property(f.Rule+" "+f.Name), data(message))
	}
	_, err := w.Write(b.Bytes())
	return err
}

// The runner undoes these escapes; without them a path or message could start a command of its own.
var (
	dataEscapes     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	propertyEscapes = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

func data(s string) string     { return dataEscapes.Replace(s) }
func property(s string) string { return propertyEscapes.Replace(s) }
