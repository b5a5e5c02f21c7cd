package torchop

import (
	"crypto/sha256"
	"embed"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
)

//go:embed data/*.tsv
var files embed.FS

// The data is part of the program and a test reads all of it, so an error here is a broken build and not a condition of a
// run: the row is left out and the test names it.
var table, _ = parseAll()

// sorted is every operation in the order of its name, and families are their names: every rule asks for some when the
// program starts, before it is known what it is started for.
var sorted = slices.SortedFunc(maps.Values(table), func(a, b *Op) int { return strings.Compare(a.Name, b.Name) })

var families = func() map[string][]string {
	out := map[string][]string{}
	for _, op := range sorted {
		out[op.Family] = append(out[op.Family], op.Name)
	}
	return out
}()

// Sum is a digest of the tables that the operations are read from.
func Sum() [sha256.Size]byte {
	h := sha256.New()
	entries, _ := files.ReadDir("data") // what is part of the program can be read
	for _, e := range entries {
		data, _ := files.ReadFile("data/" + e.Name())
		_, _ = fmt.Fprintf(h, "%s %d\n%s", e.Name(), len(data), data) // a hash never fails
	}
	_, _ = h.Write([]byte(numberFile))
	return [sha256.Size]byte(h.Sum(nil))
}

func parseAll() (map[string]*Op, []error) {
	ops := make(map[string]*Op, 2048)
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
	return append([]string{}, families[name]...)
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
	return slices.Values(sorted)
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
