package kernel

import (
	"strings"
	"testing"
)

const good = `{"kernel": "k", "grid": [2, 3], "block": [32], "shared": 16,
 "args": [{"buffer": "x", "type": "f32", "count": 8, "fill": "random", "range": [-1, 1]},
          {"buffer": "y", "type": "bf16", "count": 8, "fill": 1.5, "output": true},
          {"buffer": "x"}, {"type": "i64", "value": -9223372036854775808}, {"bytes": "00ff"}]}`

func TestParse(t *testing.T) {
	s, err := Parse("f", []byte(good))
	if err != nil {
		t.Fatal(err)
	}
	if d := Dim(s.Grid); d != [3]uint32{2, 3, 1} {
		t.Errorf("grid %v", d)
	}
	if !s.Compared("y") || s.Compared("x") {
		t.Error("only the buffer that is named output is compared")
	}
	if s.Args[1].Output = false; !s.Compared("x") {
		t.Error("with no output named all buffers are compared")
	}
}

func TestParseRefuses(t *testing.T) {
	args := func(s string) string { return `{"grid":[1],"block":[1],"args":[` + s + `]}` }
	for _, tt := range []struct{ text, says string }{
		{"", "f:1: the document ends too early"},
		{"{\n\"grid\": [1],\n\"blok\": [1]}", `f:3: unknown field "blok"`},
		{"{\n\"grid\": \"x\"}", "f:2: grid: a string is no value"},
		{"{\n\"grid\": [-1]}", "f:2: grid: a number -1 is no value"},
		{`{"grid":[1],"block":[1]} {}`, "more than one document"},
		{`{"block":[1]}`, "grid: needs one to three numbers, has 0"},
		{`{"grid":[1],"block":[1,1,1,1]}`, "block: needs one to three numbers, has 4"},
		{`{"grid":[1,0],"block":[1]}`, "grid: a dimension is 0"},
		{args(`{}`), "args[0]: is one of buffer, value, bytes"},
		{args(`{"buffer":"x","value":1}`), "is one of"},
		{args(`{"buffer":"x","type":"fp4","count":1}`), `type "fp4" is none of bf16, f16`},
		{args(`{"buffer":"x","type":"f32"}`), "buffer x: count 0"},
		{args(`{"buffer":"x","type":"f32","count":9000000000}`), "count"},
		{args(`{"buffer":"x","type":"u8","count":8589934592},{"buffer":"y","type":"u8","count":1}`), "more than 8 GiB"},
		{args(`{"buffer":"x","type":"f32","count":1},{"buffer":"x","count":2}`), "args[1]: buffer x is described further up"},
		{args(`{"buffer":"x","type":"f32","count":1,"fill":"ones"}`), `fill "ones" is none of`},
		{args(`{"buffer":"x","type":"f32","count":1,"fill":[1]}`), "is none of"},
		{args(`{"buffer":"x","type":"f32","count":1,"range":[0,1]}`), "range is for random"},
		{args(`{"buffer":"x","type":"f32","count":1,"fill":"random","range":[1,0]}`), "range is [from, up to]"},
		{args(`{"buffer":"x","type":"u8","count":1,"fill":256}`), "fill: 256 is no u8"},
		{args(`{"type":"i32","value":2147483648}`), "value: 2147483648 is no i32"},
		{args(`{"type":"i32","value":1.5}`), "1.5 is no i32"},
		{args(`{"value":1}`), "none of"},
		{args(`{"bytes":"0"}`), "bytes:"},
	} {
		if _, err := Parse("f", []byte(tt.text)); err == nil || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: %v, want %q", tt.text, err, tt.says)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(good))
	f.Add([]byte(`{"grid":[1],"block":[1],"args":[{"buffer":"x","type":"f16","count":3,"fill":"index"}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := Parse("f", text)
		if err != nil {
			return
		}
		described := map[string]bool{}
		for _, a := range s.Args {
			if a.Buffer == "" {
				if _, err := a.Pack(); err != nil {
					t.Errorf("accepted, and does not pack: %v", err)
				}
				continue
			}
			if described[a.Buffer] {
				continue
			}
			described[a.Buffer] = true
			n := min(a.Count, 100)
			if b, err := a.Content(1, n); err != nil || int64(len(b)) != n*a.Type.size() {
				t.Errorf("accepted, and has %d bytes for %d %s: %v", len(b), n, a.Type, err)
			}
		}
	})
}
