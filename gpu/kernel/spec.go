package kernel

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
)

// Spec is a launch. docs/kernel.md describes it for people.
type Spec struct {
	Kernel string   `json:"kernel"` // empty: the only one of the module
	Grid   []uint32 `json:"grid"`   // blocks: x, y, z; what is missing is 1
	Block  []uint32 `json:"block"`  // threads
	Shared uint32   `json:"shared"` // dynamic shared memory, bytes
	Args   []Arg    `json:"args"`
}

// Arg is one parameter of the kernel: a buffer on the device, a number, or bytes as they are.
type Arg struct {
	Buffer string    `json:"buffer,omitempty"` // name; the second use of a name passes the same buffer
	Type   Type      `json:"type,omitempty"`
	Count  int64     `json:"count,omitempty"`  // elements of the buffer
	Fill   Fill      `json:"fill"`             // what the buffer holds before a launch
	Range  []float64 `json:"range,omitempty"`  // of random numbers: from, up to and without
	Output bool      `json:"output,omitempty"` // compared; with no output named all buffers are
	Value  *Number   `json:"value,omitempty"`
	Bytes  string    `json:"bytes,omitempty"` // hexadecimal: a struct passed by value
}

// Number is a number as it was written: 2^63 has no float64.
type Number = json.Number

// maxBuffers is what all buffers together may hold; each is also kept on the host, several times.
const maxBuffers = 8 << 30

// Parse reads a spec. Errors name the line.
func Parse(name string, text []byte) (*Spec, error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	dec.UseNumber()
	var s Spec
	if err := dec.Decode(&s); err != nil {
		return nil, fmt.Errorf("%s:%d: %w (docs/kernel.md has the form)", name, lineOf(text, offset(err, dec)), plain(err))
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s:%d: more than one document", name, lineOf(text, dec.InputOffset()))
	}
	if err := s.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &s, nil
}

// offset is where in the text an error of the decoder lies.
func offset(err error, dec *json.Decoder) int64 {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return syntax.Offset
	case errors.As(err, &kind):
		return kind.Offset
	}
	return dec.InputOffset()
}

func lineOf(text []byte, at int64) int {
	return 1 + bytes.Count(text[:max(0, min(at, int64(len(text))))], []byte("\n"))
}

// plain words an error of encoding/json without the names of Go types.
func plain(err error) error {
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &kind):
		return fmt.Errorf("%s: a %s is no value for it", kind.Field, kind.Value)
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return errors.New("the document ends too early")
	}
	return errors.New(strings.TrimPrefix(err.Error(), "json: "))
}

func (s *Spec) check() error {
	for _, d := range []struct {
		name string
		v    []uint32
	}{{"grid", s.Grid}, {"block", s.Block}} {
		if len(d.v) < 1 || len(d.v) > 3 {
			return fmt.Errorf("%s: needs one to three numbers, has %d", d.name, len(d.v))
		}
		for _, n := range d.v {
			if n == 0 {
				return fmt.Errorf("%s: a dimension is 0 (nothing would run)", d.name)
			}
		}
	}
	seen, total := map[string]bool{}, int64(0)
	for i := range s.Args {
		a := &s.Args[i]
		if err := a.check(seen); err != nil {
			return fmt.Errorf("args[%d]: %w", i, err)
		}
		if a.Buffer != "" && !seen[a.Buffer] {
			seen[a.Buffer] = true
			total += a.Count * a.Type.size()
		}
		if total > maxBuffers {
			return fmt.Errorf("args[%d]: the buffers hold more than %d GiB", i, int64(maxBuffers)>>30)
		}
	}
	return nil
}

func (a *Arg) check(seen map[string]bool) error {
	again := a.Buffer != "" && seen[a.Buffer]
	kinds := 0
	for _, is := range []bool{a.Buffer != "", a.Value != nil, a.Bytes != ""} {
		if is {
			kinds++
		}
	}
	switch {
	case kinds != 1:
		return errors.New("is one of buffer, value, bytes")
	case again && (a.Type != "" || a.Count != 0 || a.Fill != (Fill{}) || a.Output):
		return fmt.Errorf("buffer %s is described further up already (the second use has the name alone)", a.Buffer)
	case again:
		return nil
	case a.Bytes != "":
		_, err := a.Pack()
		return err
	case a.Type.size() == 0:
		return fmt.Errorf("type %q is none of %s", a.Type, strings.Join(typeNames(), ", "))
	case a.Value != nil:
		_, err := a.Pack()
		return err
	case a.Count <= 0 || a.Count > maxBuffers/a.Type.size():
		return fmt.Errorf("buffer %s: count %d", a.Buffer, a.Count)
	case len(a.Range) != 0 && (len(a.Range) != 2 || !(a.Range[0] < a.Range[1]) || math.IsInf(a.Range[1]-a.Range[0], 0)):
		return fmt.Errorf("buffer %s: range is [from, up to]", a.Buffer)
	case len(a.Range) != 0 && a.Fill.How != "random":
		return fmt.Errorf("buffer %s: range is for random numbers", a.Buffer)
	}
	_, err := a.Content(0, 1)
	return err
}

// Dim gives three dimensions.
func Dim(v []uint32) [3]uint32 {
	d := [3]uint32{1, 1, 1}
	copy(d[:], v)
	return d
}

// Compared reports whether a buffer is compared.
func (s *Spec) Compared(name string) bool {
	named := false
	for _, a := range s.Args {
		if a.Output && a.Buffer == name {
			return true
		}
		named = named || a.Output
	}
	return !named
}
