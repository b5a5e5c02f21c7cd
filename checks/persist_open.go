package checks

import (
	"encoding/binary"
	"slices"
	"strings"
)

// LoadMemory gives a memory what Save gave, which it reads beside whatever comes next: a scan waits for it where it needs it.
// It is an error when data is of another format. Where whole, which is asked beside that too and may be nil, says that data
// is not what was written, or it is found to be damaged, the memory remembers nothing. Rules are those that will be scanned
// with. Nobody may write to data any more.
func LoadMemory(data []byte, whole func() bool, rules []*Rule) (*Memory, error) {
	m := NewMemory()
	body, ok := m.readHead(data)
	if !ok {
		return nil, errMemory
	}
	byID := map[string]*Rule{}
	for _, r := range rules {
		byID[r.ID] = r
	}
	m.reading, m.readingTables = make(chan struct{}), make(chan struct{})
	go m.read(body, whole, byID)
	return m, nil
}

// head is the format, and which files are in the memory: a scan begins with those that are not before it has read the others.
func (m *Memory) head() []byte {
	b := append([]byte(memoryFormat), '\n')
	n := 0
	for _, ks := range m.files {
		n += len(ks)
	}
	b = binary.AppendUvarint(b, uint64(n))
	for _, path := range sortedKeys(m.files) {
		for _, k := range m.files[path] {
			b = binary.LittleEndian.AppendUint64(b, fileSum(path, k.id))
		}
	}
	return b
}

func (m *Memory) readHead(data []byte) (rest []byte, ok bool) {
	if !strings.HasPrefix(string(data[:min(len(data), len(memoryFormat)+1)]), memoryFormat+"\n") {
		return nil, false
	}
	data = data[len(memoryFormat)+1:]
	n, size := binary.Uvarint(data)
	if size <= 0 || n > uint64(len(data)-size)/8 {
		return nil, false
	}
	data = data[size:]
	m.listed = make(map[uint64]bool, n)
	for ; n > 0; n, data = n-1, data[8:] {
		m.listed[binary.LittleEndian.Uint64(data)] = true
	}
	return data, true
}

// fileSum stands for a content of a file. Two that have the same are told apart when the files are there.
func fileSum(path, id string) uint64 {
	sum := uint64(14695981039346656037)
	for _, s := range [...]string{path, "\x00", id} {
		for i := range len(s) {
			sum = (sum ^ uint64(s[i])) * 1099511628211
		}
	}
	return sum
}

// lacks reports whether a file is for certain not in the memory. It waits for nothing.
func (m *Memory) lacks(f File) bool {
	select {
	case <-m.reading:
		return !slices.ContainsFunc(m.files[f.Path], func(k *known) bool { return k.id == f.ID })
	default:
		return f.ID == "" || !m.listed[fileSum(f.Path, f.ID)]
	}
}

// read reads files and wiring, for which a scan waits first, and then what is known of tasks.
func (m *Memory) read(data []byte, whole func() bool, rules map[string]*Rule) {
	defer close(m.readingTables)
	if tables := m.readFiles(data, whole, rules); tables != nil {
		m.readTables(tables, rules)
	}
}

// readFiles gives what is left to read; nil when nothing is known.
func (m *Memory) readFiles(data []byte, whole func() bool, rules map[string]*Rule) (tables *coder) {
	defer close(m.reading)
	if whole != nil && !whole() {
		return nil
	}
	first, second := unpack(data)
	read := NewMemory()
	defer func() {
		if recover() == nil && !first.bad && len(first.data) == 0 { // a panic is a bound that the coder does not know
			m.files, m.wiring, tables = read.files, read.wiring, second
		}
	}()
	read.codeFiles(first)
	read.codeWiring(first, rules)
	return nil
}

// readTables reads what is known of tasks. Where that is damaged nothing is known of them.
func (m *Memory) readTables(c *coder, rules map[string]*Rule) {
	var read Memory
	defer func() {
		if recover() == nil && !c.bad && len(c.data) == 0 {
			m.tables = read.tables
		}
	}()
	read.codeTables(c, rules)
}

// filesReady waits until files and wiring are there, and ready until all is.
func (m *Memory) filesReady() {
	if m != nil && m.reading != nil {
		<-m.reading
	}
}

func (m *Memory) ready() {
	if m.filesReady(); m.readingTables != nil {
		<-m.readingTables
	}
}
