package checks

import "encoding/binary"

// What functions mention is half of the index, and few of them are asked for it when a memory was read: where their
// references lead is known. So it stays as it is in the file.

// references are the dotted texts of what a function reads and calls. It is called by one goroutine at a time.
func (f *Func) references() []string {
	if f.packed != nil {
		f.refs, f.packed = f.unpackRefs(), nil
	}
	return f.refs
}

func (f *Func) unpackRefs() []string {
	c := &coder{reading: true, data: f.packed, texts: f.mod.texts}
	var refs []string
	texts(c, &refs)
	return refs
}

// codeRefs is what a function mentions, after its length in bytes.
func codeRefs(c *coder, f *Func) {
	if !c.reading {
		refs := f.refs
		if f.packed != nil {
			refs = f.unpackRefs() // and not kept: it is as good packed
		}
		b := binary.AppendUvarint(nil, uint64(len(refs)))
		for _, r := range refs {
			b = binary.AppendUvarint(b, c.textNumber(r))
		}
		n := uint64(len(b))
		c.number(&n)
		bytesOf(c, b)
		return
	}
	n := c.length(0)
	if c.bad || n == 0 {
		c.bad = true
		return
	}
	b := c.data[:n]
	c.data = c.data[n:]
	left, at := binary.Uvarint(b)
	if left > 0 {
		f.packed = b
	}
	for ; left > 0 && at > 0 && at < n; left-- { // what is damaged is found now
		x, size := binary.Uvarint(b[at:])
		if size <= 0 || x >= uint64(len(c.texts)) {
			break
		}
		at += size
	}
	c.bad = c.bad || left > 0 || at != n
}
