package scancache

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"sync"

	"github.com/gatebot/gatebot/checks"
)

// Syntax trees in their short form lie in a file of their own, one record after the other: the digest of the source, the
// length of the tree, a checksum of both and the tree. A scan reads those that it opens. Who adds writes at the end with one
// call, so that runs side by side do each other no harm; what a killed run has left at the end, or anything else that is no
// record, ends what is read, and the next run that adds makes the file anew.

const (
	treesSuffix = ".trees"
	treesHead   = "gatebot.scan-trees/v1\n"
	// maxTrees is the size at which the file is made anew: a repository like vLLM takes 21 MB.
	maxTrees = 96 << 20
	keySize  = len(checks.TreeKey{})
	// recordHead is what is before a tree: key, length, checksum.
	recordHead = keySize + 8
)

// trees are those of one rule set.
type trees struct {
	name string
	once sync.Once
	file *os.File // nil when there is none
	size int64
	at   map[checks.TreeKey]treeAt
	good bool // all of the file is records
}

type treeAt struct {
	off  int64
	size uint32
	sum  uint32
}

// open finds the records, without reading trees.
func (t *trees) open() {
	t.at = map[checks.TreeKey]treeAt{}
	f, err := os.Open(t.name)
	if err != nil {
		return
	}
	info, err := f.Stat()
	head := make([]byte, len(treesHead))
	if err != nil || !info.Mode().IsRegular() || info.Size() > 2*maxTrees {
		_ = f.Close() // it was only read
		return
	}
	if _, err := f.ReadAt(head, 0); err != nil || string(head) != treesHead {
		_ = f.Close()
		return
	}
	t.file, t.size = f, info.Size()
	off := int64(len(treesHead))
	for record := make([]byte, recordHead); off < t.size; {
		if _, err := f.ReadAt(record, off); err != nil {
			return
		}
		x := treeAt{off + int64(recordHead), binary.LittleEndian.Uint32(record[keySize:]), binary.LittleEndian.Uint32(record[keySize+4:])}
		if off = x.off + int64(x.size); off > t.size {
			return
		}
		t.at[checks.TreeKey(record[:keySize])] = x
	}
	t.good = true
}

// Tree gives a tree as it was added, nil when there is none, or another one than was added.
func (t *trees) Tree(key checks.TreeKey) []byte {
	t.once.Do(t.open)
	x, ok := t.at[key]
	if !ok {
		return nil
	}
	data := make([]byte, x.size)
	if _, err := t.file.ReadAt(data, x.off); err != nil || sumTree(key, data) != x.sum {
		return nil
	}
	return data
}

func sumTree(key checks.TreeKey, data []byte) uint32 {
	return crc32.Update(crc32.Checksum(key[:], castagnoli), castagnoli, data)
}

// add appends the trees that m has at hand and the file has not.
func (t *trees) add(m *checks.Memory) error {
	t.once.Do(t.open)
	if t.file == nil || !t.good || t.size > maxTrees {
		return t.fresh(m)
	}
	f, err := os.OpenFile(t.name, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	var all []byte
	m.EachTree(func(key checks.TreeKey, tree []byte) {
		if _, ok := t.at[key]; !ok {
			all = appendTree(all, key, tree)
		}
	})
	if len(all) > 0 {
		_, err = f.Write(all)
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err
}

// fresh makes the file anew.
func (t *trees) fresh(m *checks.Memory) error {
	return replaceWith(t.name, func(w io.Writer) (err error) {
		_, err = io.WriteString(w, treesHead)
		var buf []byte
		m.EachTree(func(key checks.TreeKey, tree []byte) {
			if buf = appendTree(buf[:0], key, tree); err == nil {
				_, err = w.Write(buf)
			}
		})
		return err
	})
}

func appendTree(to []byte, key checks.TreeKey, tree []byte) []byte {
	to = append(to, key[:]...)
	to = binary.LittleEndian.AppendUint32(to, uint32(len(tree)))
	to = binary.LittleEndian.AppendUint32(to, sumTree(key, tree))
	return append(to, tree...)
}

// close ends reading.
func (t *trees) close() {
	if t.file != nil {
		_ = t.file.Close() // it was only read
	}
}

func (s *Store) trees(rules string) *trees {
	return &trees{name: s.file("trees\x00"+rules) + treesSuffix}
}

// putTrees adds to the trees of a rule set what m has at hand.
func (s *Store) putTrees(rules string, m *checks.Memory) error {
	t := s.trees(rules)
	defer t.close()
	if err := t.add(m); err != nil {
		return fmt.Errorf("trees: %w", err)
	}
	return nil
}
