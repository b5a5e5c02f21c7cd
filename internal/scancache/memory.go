package scancache

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"time"

	"github.com/gatebot/gatebot/checks"
)

// maxMemory is the size of a memory that is kept: a repository like vLLM takes 20 MB.
const maxMemory = 128 << 20

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Memory gives what the last scan with these rules remembered, or an empty memory: when there is none, and when it is
// damaged. Rules is the hash of list.
func (s *Store) Memory(rules string, list []*checks.Rule) *checks.Memory {
	if s == nil || rules == "" {
		return checks.NewMemory()
	}
	m := s.load(rules, list)
	m.UseTrees(s.trees(rules)) // read for as long as the memory is in use
	return m
}

// MemorySize is how many bytes a memory takes on disk, 0 when there is none that would be read.
func (s *Store) MemorySize(rules string) int {
	if s == nil || rules == "" {
		return 0
	}
	info, err := os.Stat(s.memoryFile(rules))
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxMemory {
		return 0
	}
	return int(info.Size())
}

func (s *Store) load(rules string, list []*checks.Rule) *checks.Memory {
	name := s.memoryFile(rules)
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxMemory || info.Size() < 4 {
		return checks.NewMemory()
	}
	data, err := os.ReadFile(name)
	if err != nil || len(data) < 4 {
		return checks.NewMemory()
	}
	sum, data := binary.LittleEndian.Uint32(data), data[4:]
	m, err := checks.LoadMemory(data, func() bool { return crc32.Checksum(data, castagnoli) == sum }, list)
	if err != nil {
		return checks.NewMemory()
	}
	now := time.Now()
	_ = os.Chtimes(name, now, now) // what is used stays; a directory of others may not allow it
	return m
}

// PutMemory keeps what m remembers for the next scan with these rules. Of two that do so at once one stays.
func (s *Store) PutMemory(rules string, m *checks.Memory) error {
	if s == nil || rules == "" {
		return nil
	}
	if err := os.MkdirAll(s.dir, 0o755); err != nil {
		return fmt.Errorf("scan memory: %w", err)
	}
	if err := s.putTrees(rules, m); err != nil { // before Save drops them
		return fmt.Errorf("scan memory: %w", err)
	}
	pieces := m.Save()
	size, crc := 0, uint32(0)
	for _, p := range pieces {
		size += len(p)
		crc = crc32.Update(crc, castagnoli, p)
	}
	if size > maxMemory {
		return nil
	}
	var sum [4]byte
	binary.LittleEndian.PutUint32(sum[:], crc)
	if err := replace(s.memoryFile(rules), string(sum[:]), pieces...); err != nil {
		return fmt.Errorf("scan memory: %w", err)
	}
	s.leaveTwo(memorySuffix)
	s.leaveTwo(treesSuffix)
	return nil
}

func (s *Store) memoryFile(rules string) string {
	return s.file("memory\x00"+rules) + memorySuffix
}

const memorySuffix = ".memory"

// leaveTwo leaves the two newest files of a kind: another version of the program may be in use beside this one.
func (s *Store) leaveTwo(suffix string) {
	names, err := filepath.Glob(filepath.Join(s.dir, "*"+suffix))
	if err != nil {
		return
	}
	for len(names) > 2 {
		oldest, at := 0, time.Now()
		for i, name := range names {
			if info, err := os.Stat(name); err == nil && info.ModTime().Before(at) {
				oldest, at = i, info.ModTime()
			}
		}
		_ = os.Remove(names[oldest]) // another run may have done it
		names = append(names[:oldest], names[oldest+1:]...)
	}
}
