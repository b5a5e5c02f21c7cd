package checks

import "github.com/gatebot/gatebot/checks/torchop"

// Param is the argument for a parameter that the operation table names, by position or keyword; ok is false when it
// is not written.
func (c *Call) Param(name string) (Arg, bool) {
	op, known := torchop.Lookup(c.Name)
	if !known {
		return c.Arg(-1, name)
	}
	return c.Arg(op.Position(name), name)
}

// ParamValue is the value of Param(name), nil when it is not written.
func (c *Call) ParamValue(name string) *Value {
	a, _ := c.Param(name)
	return a.Value
}

// Operands are the arguments that the operation reads according to the table (Sync.Operands). A size may be written
// as many arguments: x.view(a, b).
func (c *Call) Operands() []Arg {
	op, ok := torchop.Lookup(c.Name)
	if !ok {
		return nil
	}
	var out []Arg
	for _, name := range op.Sync.Operands {
		if op.Rank == torchop.RankSize && (name == "size" || name == "repeats") {
			out = append(out, c.from(op.Position(name), name)...)
			continue
		}
		if a, ok := c.Arg(op.Position(name), name); ok {
			out = append(out, a)
		}
	}
	return out
}

// from returns the positional arguments from pos on and the keyword name.
func (c *Call) from(pos int, name string) []Arg {
	var out []Arg
	i := 0
	for _, a := range c.Args {
		switch {
		case a.Name == name && name != "":
			out = append(out, a)
		case a.Name == "" && a.Star < 2:
			if i >= pos {
				out = append(out, a)
			}
			i++
		}
	}
	return out
}

// NonBlocking says what the call passes as non_blocking; known is false when that cannot be told from the source.
func (c *Call) NonBlocking() (on, known bool) {
	a, given := c.Param("non_blocking")
	if !given {
		return false, !c.Has("non_blocking") // a ** argument may carry it
	}
	return a.Value.Bool()
}

// DeviceTensor reports whether v is a tensor that is, or may be, in device memory. Unlike MayBeOnDevice it is false
// for values of which nothing is known: sizes and indices are nearly always plain ints.
func (v *Value) DeviceTensor() bool { return v.IsTensor() && v.MayBeOnDevice() }
