package pyast

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestUnpackIsParse holds the promise of Unpack on every fixture and on broken and odd files.
func TestUnpackIsParse(t *testing.T) {
	sources := map[string]string{
		"empty": "", "blank": "\n\n", "bom": "\xef\xbb\xbfx = 1\n", "crlf": "def f():\r\n    return 'é'\r\n",
		"broken": "def f(:\n    x = (1,\n\nclass\n", "python 2": "print 'x'\nexec code in d\n", "soft": "type(x).a = y\nz = t'{a}'\n",
		"deep": "x = " + strings.Repeat("(", 300) + strings.Repeat(")", 300) + "\n", "binary": "\x00\xff\xfe\x01def\n",
	}
	files, err := filepath.Glob("../../checks/gb*/testdata/*.py")
	if err != nil || len(files) < 20 {
		t.Fatalf("%d fixtures: %v", len(files), err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		sources[name] = string(data)
	}
	for name, text := range sources {
		m, packed, err := ParsePacked(t.Context(), name, []byte(text), patient)
		if err != nil || packed == nil {
			t.Errorf("%s: packed %d bytes: %v", name, len(packed), err)
			continue
		}
		again, err := Unpack(name, []byte(text), packed, patient)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(m, again, cmp.Exporter(func(reflect.Type) bool { return true })); diff != "" {
			t.Errorf("%s: parsed and unpacked differ:\n%s", name, diff)
		}
	}
}

// FuzzUnpack: damage is an error or another tree, and never a panic.
func FuzzUnpack(f *testing.F) {
	src := []byte("def f(x):\n    return x.item() + 1\n")
	_, packed, err := ParsePacked(f.Context(), "f.py", src, patient)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(src, packed)
	f.Add([]byte{}, []byte{1, 255, 0, 0, 0, 0, 1, 0, 0})
	f.Fuzz(func(t *testing.T, src, packed []byte) {
		m, err := Unpack("f.py", src, packed, patient)
		if (m == nil) == (err == nil) {
			t.Errorf("module %v, error %v", m != nil, err)
		}
	})
}
