package treesitter

import (
	"encoding/binary"
	"errors"
)

// A packed tree is a flattened tree in about 4 bytes a node instead of 16, so that the trees of a whole repository fit
// into memory or on disk: to unpack one costs a hundredth of parsing the file again. What a node is (symbol, field,
// flags, leaf or not) is one byte that stands for what came up before in the same tree; places are differences.
//
//	tree  = count node…
//	node  = code [symbol field flags leaf] start-delta length [subtree-size]
//
// Numbers are uvarints; the part in brackets follows code 255 only, subtree-size is left out for leaves.

const newCode = 255

var errPacked = errors.New("tree-sitter: a packed tree is damaged (it has to be parsed again)")

// packKey is what a node is, apart from its place.
func packKey(n *Node, leaf bool) uint64 {
	k := uint64(n.Symbol)<<24 | uint64(n.Field)<<16 | uint64(n.Flags)<<8
	if leaf {
		k |= 1
	}
	return k
}

// codes is an open hash table: a map costs more than everything else here.
type codes struct {
	keys [1024]uint64
	code [1024]uint8
	n    int
}

// get returns the code of k, and false when it is new; a new one gets the next code while there is one.
func (c *codes) get(k uint64) (uint8, bool) {
	i := (k * 0x9e3779b97f4a7c15) >> 54
	for ; c.keys[i] != 0; i = (i + 1) & 1023 {
		if c.keys[i] == k+1 {
			return c.code[i], true
		}
	}
	if c.n < newCode {
		c.keys[i], c.code[i] = k+1, uint8(c.n)
		c.n++
	}
	return newCode, false
}

// Pack makes a copy of a tree that outlives the parser's next file. It is nil for a tree that cannot be packed.
func Pack(nodes []Node) []byte {
	out := make([]byte, 0, len(nodes)*9/2+16)
	out = binary.AppendUvarint(out, uint64(len(nodes)))
	var known codes
	var at uint32
	for i := range nodes {
		n := &nodes[i]
		if n.Start < at || n.End < n.Start || int(n.Next) <= i {
			return nil // not in the order of the source: tree-sitter makes no such tree
		}
		size := n.Next - uint32(i)
		code, ok := known.get(packKey(n, size == 1))
		if out = append(out, code); !ok {
			leaf := byte(0)
			if size == 1 {
				leaf = 1
			}
			out = append(out, byte(n.Symbol>>8), byte(n.Symbol), n.Field, n.Flags, leaf)
		}
		out = binary.AppendUvarint(out, uint64(n.Start-at))
		out = binary.AppendUvarint(out, uint64(n.End-n.Start))
		if size > 1 {
			out = binary.AppendUvarint(out, uint64(size))
		}
		at = n.Start
	}
	return append(make([]byte, 0, len(out)), out...)
}

// Unpack gives the tree back, in the buffer when it has room. A tree that is not well formed, or that does not fit a
// source of srcLen bytes, is an error.
func Unpack(packed []byte, srcLen int, buffer []Node) ([]Node, error) {
	p := unpacker{data: packed}
	count := p.number()
	if p.bad || count > uint32(len(packed)) {
		return nil, errPacked
	}
	nodes := buffer[:0]
	if cap(nodes) < int(count) {
		nodes = make([]Node, 0, count)
	}
	var known [newCode]Node
	var leaf [newCode]bool
	n, at := 0, uint32(0)
	open := []uint32{count} // where the subtrees around the node end
	for i := uint32(0); i < count; i++ {
		code := p.byte()
		var what Node
		var single bool
		switch {
		case code == newCode:
			what = Node{Symbol: uint16(p.byte())<<8 | uint16(p.byte()), Field: p.byte(), Flags: p.byte()}
			single = p.byte() == 1
			if n < newCode {
				known[n], leaf[n] = what, single
				n++
			}
		case int(code) < n:
			what, single = known[code], leaf[code]
		default:
			return nil, errPacked
		}
		at += p.number()
		what.Start, what.End, what.Next = at, at+p.number(), i+1
		for len(open) > 1 && i >= open[len(open)-1] {
			open = open[:len(open)-1]
		}
		if !single {
			what.Next = i + p.number()
			if what.Next <= i+1 || what.Next > open[len(open)-1] {
				return nil, errPacked
			}
			open = append(open, what.Next)
		}
		if p.bad || what.End < what.Start || int64(what.End) > int64(srcLen) {
			return nil, errPacked
		}
		nodes = append(nodes, what)
	}
	if len(p.data) != 0 {
		return nil, errPacked
	}
	return nodes, nil
}

// unpacker reads numbers; bad is set when there are none left.
type unpacker struct {
	data []byte
	bad  bool
}

func (p *unpacker) byte() uint8 {
	if len(p.data) == 0 {
		p.bad = true
		return 0
	}
	b := p.data[0]
	p.data = p.data[1:]
	return b
}

func (p *unpacker) number() uint32 {
	if len(p.data) > 0 && p.data[0] < 0x80 {
		b := p.data[0]
		p.data = p.data[1:]
		return uint32(b)
	}
	v, n := binary.Uvarint(p.data)
	if n <= 0 || v > 1<<31 {
		p.bad = true
		return 0
	}
	p.data = p.data[n:]
	return uint32(v)
}
