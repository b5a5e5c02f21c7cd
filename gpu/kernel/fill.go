package kernel

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
)

// Type is the type of an element or of a number.
type Type string

// sizes in bytes.
var sizes = map[Type]int64{"u8": 1, "i8": 1, "u16": 2, "i16": 2, "f16": 2, "bf16": 2, "u32": 4, "i32": 4, "f32": 4, "u64": 8,
	"i64": 8, "f64": 8}

func (t Type) size() int64 { return sizes[t] }

func typeNames() []string {
	var out []string
	for t := range sizes {
		out = append(out, string(t))
	}
	slices.Sort(out)
	return out
}

// Fill is what a buffer holds before a launch: "zero" (the default), "random", "index" (0, 1, 2, …) or one number. Random
// numbers are others in each of the start states.
type Fill struct {
	How    string
	Number Number
}

// UnmarshalJSON implements json.Unmarshaler.
func (f *Fill) UnmarshalJSON(text []byte) error {
	*f = Fill{}
	if len(text) > 0 && text[0] == '"' {
		if err := json.Unmarshal(text, &f.How); err != nil {
			return err
		}
		if f.How != "zero" && f.How != "random" && f.How != "index" {
			return fmt.Errorf("fill %q is none of zero, random, index, or a number", f.How)
		}
		return nil
	}
	f.How = "number"
	if err := json.Unmarshal(text, &f.Number); err != nil || f.Number == "" {
		return fmt.Errorf("fill %s is none of zero, random, index, or a number", text)
	}
	return nil
}

// Pack gives the bytes of a number or of a struct.
func (a *Arg) Pack() ([]byte, error) {
	if a.Bytes != "" {
		b, err := hex.DecodeString(a.Bytes)
		if err != nil {
			return nil, fmt.Errorf("bytes: %w", err)
		}
		return b, nil
	}
	b, err := number(nil, a.Type, *a.Value)
	if err != nil {
		return nil, fmt.Errorf("value: %w", err)
	}
	return b, nil
}

// Content gives the first n elements of a buffer (all of them when n is 0) in one of the start states.
func (a *Arg) Content(state uint64, n int64) ([]byte, error) {
	if n == 0 {
		n = a.Count
	}
	size := a.Type.size()
	switch a.Fill.How {
	case "", "zero":
		return make([]byte, n*size), nil
	case "number":
		one, err := number(nil, a.Type, a.Fill.Number)
		if err != nil {
			return nil, fmt.Errorf("fill: %w", err)
		}
		return slices.Repeat(one, int(n)), nil
	}
	random := rand.New(rand.NewPCG(state, hash(a.Buffer)))
	out := make([]byte, 0, n*size)
	for i := range n {
		if a.Fill.How == "index" {
			out = element(out, a.Type, float64(i))
			continue
		}
		switch r := random.Float64(); {
		case len(a.Range) == 2:
			out = element(out, a.Type, a.Range[0]+r*(a.Range[1]-a.Range[0]))
		case a.Type[0] == 'f' || a.Type[0] == 'b':
			out = element(out, a.Type, r)
		default:
			out = binary.LittleEndian.AppendUint64(out, random.Uint64())[:int64(len(out))+size]
		}
	}
	return out, nil
}

// hash keeps buffers of one spec apart (FNV-1a).
func hash(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return h
}

// number appends a number as it was written; one that the type does not hold is an error.
func number(b []byte, t Type, n Number) ([]byte, error) {
	if t[0] == 'f' || t[0] == 'b' {
		v, err := n.Float64()
		if err != nil {
			return nil, fmt.Errorf("%s is no %s", n, t)
		}
		return element(b, t, v), nil
	}
	bits := int(8 * t.size())
	if t[0] == 'i' {
		v, err := strconv.ParseInt(n.String(), 10, bits)
		if err != nil {
			return nil, fmt.Errorf("%s is no %s", n, t)
		}
		return binary.LittleEndian.AppendUint64(b, uint64(v))[:int64(len(b))+t.size()], nil
	}
	v, err := strconv.ParseUint(n.String(), 10, bits)
	if err != nil {
		return nil, fmt.Errorf("%s is no %s", n, t)
	}
	return binary.LittleEndian.AppendUint64(b, v)[:int64(len(b))+t.size()], nil
}

// element appends v as the type has it, floats rounded to nearest even, integers towards zero.
func element(b []byte, t Type, v float64) []byte {
	switch t {
	case "f64":
		return binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	case "f32":
		return binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(v)))
	case "bf16":
		u := math.Float32bits(float32(v))
		return binary.LittleEndian.AppendUint16(b, uint16((u+0x7fff+u>>16&1)>>16))
	case "f16":
		return binary.LittleEndian.AppendUint16(b, half(v))
	}
	if t[0] == 'i' {
		return binary.LittleEndian.AppendUint64(b, uint64(int64(v)))[:int64(len(b))+t.size()]
	}
	return binary.LittleEndian.AppendUint64(b, uint64(v))[:int64(len(b))+t.size()]
}

// half rounds to IEEE 754 binary16, nearest even.
func half(v float64) uint16 {
	sign := uint16(math.Float64bits(v) >> 48 & 0x8000)
	a := math.Abs(v)
	switch {
	case math.IsNaN(v):
		return sign | 0x7e00
	case a >= 65520: // halfway above the largest, 65504
		return sign | 0x7c00
	case a < 0x1p-14: // subnormal: multiples of 2^-24
		return sign | uint16(math.RoundToEven(a*0x1p24))
	}
	fraction, exponent := math.Frexp(a) // 0.5 ≤ fraction < 1
	m := uint16(math.RoundToEven(fraction * 2048))
	return sign | (uint16(exponent+13)<<10 + m) // m is 1024 to 2048: its high bit is the exponent's one
}
