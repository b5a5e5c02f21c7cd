package kernel

import (
	"bytes"
	"fmt"
)

// Differ says where two contents of a buffer differ first and in how many elements; "" when they do not.
func (a *Arg) Differ(got, want []byte) string {
	if bytes.Equal(got, want) {
		return ""
	}
	size, first, n := int(a.Type.size()), -1, 0
	for i := 0; i+size <= len(want); i += size {
		if !bytes.Equal(got[i:i+size], want[i:i+size]) {
			if n++; first < 0 {
				first = i
			}
		}
	}
	return fmt.Sprintf("%d of %d elements of %s differ, the first is [%d]: 0x%s instead of 0x%s", n, a.Count, a.Buffer, first/size,
		big(got[first:first+size]), big(want[first:first+size]))
}

// big writes a little-endian element as one number.
func big(b []byte) string {
	var s string
	for i := len(b) - 1; i >= 0; i-- {
		s += fmt.Sprintf("%02x", b[i])
	}
	return s
}
