package report

import (
	"fmt"
	"strings"

	"github.com/gatebot/gatebot/checks/dynamic"
	"github.com/gatebot/gatebot/internal/trace"
)

// lane is where a call is drawn.
func lane(e *trace.API) int {
	switch e.Class {
	case trace.ClassSync:
		return LaneWait
	case trace.ClassCopy, trace.ClassSet:
		return LaneCopy
	}
	return LaneOther
}

// label is a call as a reader wants it.
func label(e *trace.API) string {
	s := e.Name
	if c := e.Copy; c != nil {
		s += " " + c.Dir
		if c.Bytes >= 0 {
			s += ", " + size(c.Bytes)
		}
		if c.Src == trace.Pageable || c.Dst == trace.Pageable {
			s += ", pageable"
		}
	}
	if e.Bytes > 0 {
		s += ", " + size(e.Bytes)
	}
	if e.Code != 0 {
		s += fmt.Sprintf(", returned %d", e.Code)
	}
	return s
}

func size(n int64) string {
	const k = 1024
	switch {
	case n < k:
		return fmt.Sprintf("%d B", n)
	case n < k*k:
		return fmt.Sprintf("%.3g KiB", float64(n)/k)
	case n < k*k*k:
		return fmt.Sprintf("%.3g MiB", float64(n)/k/k)
	}
	return fmt.Sprintf("%.3g GiB", float64(n)/k/k/k)
}

// kernel takes the names out of a mangled kernel name, which is what tells kernels apart; its template arguments do not
// fit on a line.
func kernel(mangled string) string {
	if mangled == "" {
		return "kernel without a name"
	}
	if !strings.HasPrefix(mangled, "_ZN") && !strings.HasPrefix(mangled, "_Z") {
		return cut(mangled, 100)
	}
	var parts []string
	s := strings.TrimPrefix(strings.TrimPrefix(mangled, "_Z"), "N")
	for s != "" && s[0] >= '0' && s[0] <= '9' {
		n, i := 0, 0
		for i < len(s) && s[i] >= '0' && s[i] <= '9' && n < 1<<16 {
			n = n*10 + int(s[i]-'0')
			i++
		}
		if n == 0 || i+n > len(s) {
			break
		}
		if part := s[i : i+n]; !strings.HasPrefix(part, "_GLOBAL__N_") {
			parts = append(parts, part)
		}
		s = s[i+n:]
	}
	if len(parts) == 0 {
		return cut(mangled, 100)
	}
	return cut(strings.Join(parts, "::"), 100)
}

// place is the innermost frame inside the repository, "path:line".
func place(in Input, frames []trace.Frame) string {
	for _, f := range frames {
		if rel, ok := dynamic.Inside(in.Root, f.File); ok {
			return fmt.Sprintf("%s:%d", rel, f.Line)
		}
	}
	return ""
}

// frameText is one frame, shortened.
func frameText(in Input, f trace.Frame) string {
	name, ok := dynamic.Inside(in.Root, f.File)
	if !ok {
		name = dynamic.Known(f.File)
	}
	return fmt.Sprintf("%s:%d", name, f.Line)
}
