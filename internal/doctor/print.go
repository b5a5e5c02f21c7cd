package doctor

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// words are the statuses as people read them.
var words = map[Status]string{OK: "ok", Warn: "warn", Fail: "FAIL", NotApplicable: "-"}

// Print writes the report for people: a line a check, and below it what to do.
func (r *Report) Print(w io.Writer) error {
	var b strings.Builder
	width := 0
	for _, l := range r.Lines {
		width = max(width, len(l.Check))
	}
	for _, l := range r.Lines {
		fmt.Fprintf(&b, "%-5s %-*s  %s\n", words[l.Status], width, l.Check, l.What)
		for _, m := range l.More {
			fmt.Fprintf(&b, "      %-*s  %s\n", width, "", m)
		}
		if l.Do != "" {
			fmt.Fprintf(&b, "      %-*s  → %s\n", width, "", l.Do)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// JSON writes the report for programs.
func (r *Report) JSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(r)
}
