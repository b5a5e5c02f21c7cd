// Package torchop says what the operations of torch and NumPy do: what they return and where it lives, whether they
// make the host wait for the device, which operand they read for that, and whether they allocate. It is one table
// (data/*.tsv), shared by the inference of internal values and by every rule, so that no rule carries a list of names.
//
// Facts come from measurements on an H200 (torch 2.11, testdata/) where there is one, else from reading the sources;
// every row says which. A call on CPU tensors never waits for the device: Sync speaks of device operands only.
package torchop

// Op is one operation. Name is canonical: "torch.zeros", "Tensor.item", "torch.nn.functional.one_hot",
// "numpy.asarray", "torch.cuda.Event.synchronize".
type Op struct {
	Name   string
	Result Result
	Rank   Rank
	// DataShape is set when the size of the result depends on values: no graph can hold it.
	DataShape bool
	Sync      Sync
	Alloc     Alloc
	// Family groups operations that share one hazard ("nonzero", "histogram"): a rule asks for its family and lists no
	// names.
	Family string
	// Params are the parameters in positional order. For a method the first one is the receiver. Empty when no rule
	// needs them.
	Params []string
	// Measured lists the measured operations that back the row, with what was seen.
	Measured []Measured
	Note     string // what depends on the torch version, or what is easily taken wrongly
}

// Measured names one row of the measurement files and says whether it blocked the host.
type Measured struct {
	Name  string
	Syncs bool
}

// Method reports whether the operation is a method, so that its first parameter is written before the dot.
func (o *Op) Method() bool { return methodOf(o.Name) != "" }

// Position returns the index among the written positional arguments at which param stands, or -1 when the table does
// not know it or when it is the receiver of a method.
func (o *Op) Position(param string) int {
	for i, p := range o.Params {
		if p != param {
			continue
		}
		if o.Method() {
			return i - 1
		}
		return i
	}
	return -1
}

// Provenance says where the row comes from, in words for evidence.
func (o *Op) Provenance() string {
	if len(o.Measured) == 0 {
		return "read from the sources"
	}
	s := "measured on an H200, torch 2.11:"
	for _, m := range o.Measured {
		verb := " does not wait"
		if m.Syncs {
			verb = " waits"
		}
		s += " " + m.Name + verb + ","
	}
	return s[:len(s)-1]
}
