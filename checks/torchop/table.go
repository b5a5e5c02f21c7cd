package torchop

import (
	"embed"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
)

//go:embed data/*.tsv
var files embed.FS

var table = load()

// load reads the embedded table. The data is part of the program and a test reads all of it, so an error here is a
// broken build and not a condition of a run: the row is left out and the test names it.
func load() map[string]*Op {
	ops, _ := parseAll()
	return ops
}

func parseAll() (map[string]*Op, []error) {
	ops := map[string]*Op{}
	var errs []error
	entries, err := files.ReadDir("data")
	if err != nil {
		return ops, []error{err}
	}
	for _, e := range entries {
		data, err := files.ReadFile("data/" + e.Name())
		if err != nil {
			errs = append(errs, err)
			continue
		}
		for n, line := range strings.Split(string(data), "\n") {
			if line == "" || strings.HasPrefix(line, "#") {
				continue
			}
			if err := addRow(ops, line); err != nil {
				errs = append(errs, fmt.Errorf("%s:%d: %w", e.Name(), n+1, err))
			}
		}
	}
	return ops, errs
}

// Lookup returns the operation with the canonical name, or false. The result is shared and must not be changed.
func Lookup(name string) (*Op, bool) {
	op, ok := table[name]
	return op, ok
}

// TensorMethod returns the method of torch.Tensor with that name.
func TensorMethod(name string) (*Op, bool) { return Lookup("Tensor." + name) }

// Family returns the names of the operations of a family, sorted; not nil and empty when there is none of that
// spelling, which the tests of every rule refuse.
func Family(name string) []string {
	out := []string{}
	for op := range All() {
		if op.Family == name {
			out = append(out, op.Name)
		}
	}
	return out
}

// Allocating returns the names of the operations with that kind of allocation, sorted.
func Allocating(kinds ...Alloc) []string {
	out := []string{}
	for op := range All() {
		if slices.Contains(kinds, op.Alloc) {
			out = append(out, op.Name)
		}
	}
	return out
}

// All yields every operation in the order of its name.
func All() iter.Seq[*Op] {
	names := slices.Sorted(maps.Keys(table))
	return func(yield func(*Op) bool) {
		for _, n := range names {
			if !yield(table[n]) {
				return
			}
		}
	}
}

// classes are the owners whose operations are methods.
var classes = []string{"Tensor.", "torch.cuda.Event.", "torch.cuda.Stream.", "torch.cuda.CUDAGraph.", "torch.Generator.",
	"numpy.ndarray.", "torch.nn.Module.", "torch.distributions.Distribution."}

func methodOf(name string) string {
	for _, c := range classes {
		if strings.HasPrefix(name, c) {
			return c
		}
	}
	return ""
}
