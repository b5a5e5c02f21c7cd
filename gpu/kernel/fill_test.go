package kernel

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"math"
	"testing"
)

func TestPack(t *testing.T) {
	for _, tt := range []struct {
		typ   Type
		value json.Number
		want  string // hexadecimal, as memory has it
	}{
		{"u8", "255", "ff"}, {"i8", "-1", "ff"}, {"u16", "258", "0201"}, {"i32", "-2", "feffffff"},
		{"u64", "18446744073709551615", "ffffffffffffffff"}, {"i64", "-9223372036854775808", "0000000000000080"},
		{"f32", "1", "0000803f"}, {"f64", "-2", "00000000000000c0"},
		{"bf16", "1", "803f"}, {"bf16", "1.00390625", "803f"}, {"bf16", "1.01171875", "823f"}, // ties go to even
		{"f16", "1", "003c"}, {"f16", "65504", "ff7b"}, {"f16", "65520", "007c"}, {"f16", "-2", "00c0"}, {"f16", "0", "0000"},
		{"f16", "5.9604644775390625e-08", "0100"}, {"f16", "6.103515625e-05", "0004"}, {"f16", "2047.5", "0068"}, // rounds up into the next exponent
		{"f16", "0.333251953125", "5535"},
	} {
		a := Arg{Type: tt.typ, Value: &tt.value}
		got, err := a.Pack()
		if err != nil || hex.EncodeToString(got) != tt.want {
			t.Errorf("%s %s: %x, %v, want %s", tt.typ, tt.value, got, err, tt.want)
		}
	}
}

func TestContent(t *testing.T) {
	x := Arg{Buffer: "x", Type: "f32", Count: 1000, Fill: Fill{How: "random"}, Range: []float64{2, 3}}
	first, err := x.Content(0, 0)
	if err != nil {
		t.Fatal(err)
	}
	again, _ := x.Content(0, 0)
	other, _ := x.Content(1, 0)
	y := x
	y.Buffer = "y"
	third, _ := y.Content(0, 0)
	if !bytes.Equal(first, again) || bytes.Equal(first, other) || bytes.Equal(first, third) {
		t.Error("the content is that of a start state and of a buffer, and the same again")
	}
	for i := 0; i < len(first); i += 4 {
		v := math.Float32frombits(uint32(first[i]) | uint32(first[i+1])<<8 | uint32(first[i+2])<<16 | uint32(first[i+3])<<24)
		if v < 2 || v > 3 {
			t.Fatalf("element %d is %g", i/4, v)
		}
	}
	index := Arg{Buffer: "i", Type: "u16", Count: 3, Fill: Fill{How: "index"}}
	if b, err := index.Content(9, 0); err != nil || hex.EncodeToString(b) != "000001000200" {
		t.Errorf("index: %x, %v", b, err)
	}
}

func TestDiffer(t *testing.T) {
	a := Arg{Buffer: "y", Type: "u16", Count: 3}
	if s := a.Differ([]byte{1, 0, 2, 0, 3, 0}, []byte{1, 0, 2, 0, 3, 0}); s != "" {
		t.Error(s)
	}
	want := "2 of 3 elements of y differ, the first is [1]: 0x0102 instead of 0x0002"
	if s := a.Differ([]byte{1, 0, 2, 1, 0, 0}, []byte{1, 0, 2, 0, 3, 0}); s != want {
		t.Errorf("%s, want %s", s, want)
	}
}
