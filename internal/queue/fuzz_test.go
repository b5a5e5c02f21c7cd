package queue

import (
	"bytes"
	"testing"

	"github.com/nats-io/nats.go"
)

func FuzzEscape(f *testing.F) {
	for _, s := range []string{"owner/repo#12", "a=b", "", "\x00\xff", "=2"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		e := escape(s)
		if s != "" && bytes.ContainsAny([]byte(e), ". *>\r\n\t") {
			t.Errorf("escape(%q) = %q is no token", s, e)
		}
		if back, err := unescape(e); err != nil || back != s {
			t.Errorf("unescape(escape(%q)) = %q, %v", s, back, err)
		}
		_, _ = unescape(s) // must not panic
	})
}

func FuzzUnpack(f *testing.F) {
	m := &nats.Msg{Header: nats.Header{}}
	if err := pack(m, bytes.Repeat([]byte("a"), packAbove+1)); err != nil {
		f.Fatal(err)
	}
	f.Add(m.Data, "gzip")
	f.Add([]byte("plain"), "")
	f.Fuzz(func(t *testing.T, data []byte, enc string) {
		h := nats.Header{}
		h.Set(headerPacked, enc)
		out, err := unpack(h, data)
		if err == nil && len(out) > unpackLimit {
			t.Errorf("%d bytes came out", len(out))
		}
	})
}
