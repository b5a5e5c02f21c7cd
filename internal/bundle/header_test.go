package bundle

import (
	"bufio"
	"bytes"
	"testing"
)

func FuzzHeader(f *testing.F) {
	id := "0123456789012345678901234567890123456789"
	f.Add([]byte(header(id, id)))
	f.Add([]byte(signature + "-" + id + "\n\n"))
	f.Add([]byte("# v3 git bundle\n@object-format=sha256\n\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		refs, err := readHeader(bufio.NewReader(bytes.NewReader(data)))
		if err != nil {
			return
		}
		for name, id := range refs {
			if name != HeadRef && name != BaseRef || !isID(id) {
				t.Errorf("reference %q %q came through", name, id)
			}
		}
	})
}
