package checks

import (
	"strings"

	"github.com/gatebot/gatebot/internal/pyast"
)

func (fr *frame) polarityBoth(e *pyast.Bool) int {
	l, r := fr.polarity(e.L), fr.polarity(e.R)
	if e.Op == "and" {
		if l > 0 || r > 0 {
			return 1
		}
		if l < 0 && r < 0 {
			return -1
		}
		return 0
	}
	if l > 0 && r > 0 {
		return 1
	}
	if l < 0 || r < 0 {
		return -1
	}
	return 0
}

func (fr *frame) polarityCompare(e *pyast.Compare) int {
	if len(e.Ops) != 1 {
		return 0
	}
	if d, ok := e.First.(*pyast.Attr); ok && d.Name == "type" {
		if c, ok := e.Rest[0].(*pyast.Const); ok && c.Kind == pyast.ConstString {
			return devicePolarity(e.Ops[0], c.Text)
		}
	}
	name, ok := lastName(e.First)
	if !ok {
		return 0
	}
	c, isConst := e.Rest[0].(*pyast.Const)
	if !isConst || c.Kind != pyast.ConstInt && c.Kind != pyast.ConstTrue && c.Kind != pyast.ConstFalse && c.Kind != pyast.ConstNone {
		return 0
	}
	zero := c.Text == "0" || c.Kind == pyast.ConstFalse || c.Kind == pyast.ConstNone
	switch {
	case debugName(name):
		switch e.Ops[0] {
		case ">", ">=":
			return 1
		case "<", "<=":
			return -1
		case "==", "is":
			if zero {
				return -1
			}
			return 1
		case "!=", "is not":
			if zero {
				return 1
			}
			return -1
		}
	case stepName(name) && zero && c.Kind == pyast.ConstInt:
		switch e.Ops[0] {
		case "==":
			return 1
		case "!=", ">":
			return -1
		}
	case isConstantName(name):
		full, _ := dotted(e.First)
		if !isConstantName(full) {
			break
		}
		if v, known := fr.constantOf(full); known {
			if n, ok := v.Int(); ok {
				if want, ok := parseInt(c.Text); ok && !holds(e.Ops[0], n, want) {
					return 1
				}
			}
		}
	}
	return 0
}

func holds(op string, a, b int64) bool {
	switch op {
	case ">":
		return a > b
	case ">=":
		return a >= b
	case "<":
		return a < b
	case "<=":
		return a <= b
	case "==":
		return a == b
	case "!=":
		return a != b
	}
	return true
}

// devicePolarity judges `x.device.type == "cpu"`.
func devicePolarity(op, name string) int {
	p := 0
	switch name {
	case "cpu", "meta":
		p = 1
	case "cuda":
		p = -1
	}
	if op == "!=" {
		return -p
	}
	if op != "==" {
		return 0
	}
	return p
}

// stepName is a step counter: at its start caches are warmed and buffers are made.
func stepName(name string) bool {
	switch strings.Trim(name, "_") {
	case "step", "step_idx", "step_id", "decode_step", "global_step", "step_count", "cur_step", "current_step", "iteration":
		return true
	}
	return false
}

func (fr *frame) polarityCall(e *pyast.Call) int {
	name, ok := lastName(e.Func)
	if !ok {
		return 0
	}
	switch name {
	case "isEnabledFor", "is_scripting", "is_tracing":
		return 1
	case "get":
		if a, ok := e.Func.(*pyast.Attr); ok && len(e.Args) == 0 {
			return fr.envField(a.X)
		}
	case "is_available":
		if full, _ := dotted(e.Func); strings.HasSuffix(full, "cuda.is_available") {
			return -1
		}
	case "is_current_stream_capturing":
		return -1
	}
	if readsSwitch(e, "") || len(e.Args) == 0 && debugName(name) {
		return 1
	}
	return 0
}
