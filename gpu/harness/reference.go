package harness

// Tolerances of a Reference.
const (
	Exact   = "exact" // bit for bit, and of the same dtype
	ByDtype = "dtype" // what torch.testing allows for the dtype
)

// Reference is a module whose steps are run from the same seed, with the same numbers, before those of Entry; the outputs
// of the two are compared. Root and Entry are absolute.
type Reference struct {
	Root  string // tree that it is imported from, and where it runs
	Entry string // its file. One without build works on the state that Request.Entry of its tree builds
	Step  string // its function; "" is step
	Label string // what it is called in results: "base 0123456789ab", "tests/plain.py"
	// Tolerance is Exact, ByDtype, or a [2]float64 of what is allowed relatively and absolutely; nil is Exact.
	Tolerance any
	// Fallback is the module whose build is used when Entry has none; "" is Request.Entry.
	Fallback string
}

// settings turns the configuration of a process into that of the reference: no region of it is looked at.
func (r *Reference) settings(q Request, into map[string]any) {
	step, fallback, foreign := r.Step, r.Fallback, ""
	if step == "" {
		step = "step"
	}
	if fallback == "" {
		fallback = q.Entry
	}
	if r.Root != q.Root {
		foreign = q.Root
	}
	for k, v := range map[string]any{"entry": r.Entry, "root": r.Root, "step": step, "label": r.Label, "fallback": fallback,
		"foreign": foreign, "capture": []string{}, "eager": []string{}, "against": nil, "invariance": nil} {
		into[k] = v
	}
}

// against is what the process of the step is told of the reference, nil when there is none.
func (d *driver) against() any {
	if d.Reference == nil {
		return nil
	}
	tolerance := d.Reference.Tolerance
	if tolerance == nil {
		tolerance = Exact
	}
	return map[string]any{"label": d.Reference.Label, "tolerance": tolerance}
}

func (d *driver) invariance() any {
	if len(d.Batch)+len(d.Scratch) == 0 {
		return nil
	}
	return map[string]any{"batch": list(d.Batch), "scratch": list(d.Scratch)}
}
