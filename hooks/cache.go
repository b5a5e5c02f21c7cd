package hooks

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/git"
)

// cache keeps what was found in trees in the common git directory, one file for each tree, rule set and configuration
// from outside the tree (its own is part of it). It is a help and nothing depends on it: a file that cannot be read,
// is damaged or was cut off is as good as none, and one that cannot be written is not. Files are written under
// another name and renamed, so that pushes side by side do each other no harm.
//
// A file is two lines, sum and index, and that is all that a push without a new hazard needs. Where it refused something two
// more follow, sum and findings, so that the same push says the same again without a scan.
type cache struct {
	dir, rules, config string
	memory             map[string]*scanned
}

// scanned is what is known of one tree.
type scanned struct {
	index    index
	findings []finding.Finding // those that can gate; nil when they are in the file only
	file     string
	stored   bool // it was scanned now, and its index was put into a file
}

// index names the findings of a tree.
type index struct {
	Schema string          `json:"schema"`
	Tree   string          `json:"tree"`
	All    []string        `json:"all"`  // fingerprints, also of what is suppressed or no more than possible
	Gating map[string]bool `json:"gate"` // those that can gate; true when they do so as errors
}

const (
	cacheSchema = "gatebot.hook-cache/v2"
	// When there are more than cacheMost files, the oldest go until cacheKeep are left.
	cacheMost, cacheKeep = 64, 32
)

func openCache(repo git.Repository, rules, config string) *cache {
	return &cache{dir: filepath.Join(repo.CommonDir(), "gatebot", "cache"), rules: rules, config: config,
		memory: map[string]*scanned{}}
}

func (c *cache) file(tree string) string {
	return filepath.Join(c.dir, sum(strings.Join([]string{cacheSchema, tree, c.rules, c.config}, "\x00")))
}

func sum(s string) string {
	h := sha256.Sum256([]byte(s))
	return hex.EncodeToString(h[:16])
}

func (c *cache) get(tree string) (*scanned, bool) {
	if s, ok := c.memory[tree]; ok {
		return s, true
	}
	if c.rules == "" {
		return nil, false
	}
	s := &scanned{file: c.file(tree)}
	text, err := readPart(s.file, 0)
	if err != nil || json.Unmarshal([]byte(text), &s.index) != nil || s.index.Schema != cacheSchema || s.index.Tree != tree {
		return nil, false
	}
	c.memory[tree] = s
	return s, true
}

// forget drops a tree whose findings turned out to be unreadable.
func (c *cache) forget(tree string) {
	if s, ok := c.memory[tree]; ok && s.file != "" {
		_ = os.Remove(s.file) // it is damaged: gone or not, the next write replaces it
	}
	delete(c.memory, tree)
}

// errDamaged says that a part of a file is not what its sum says.
var errDamaged = errors.New("damaged cache file")

// readPart reads one of the two parts of a file, and nothing behind it.
func readPart(name string, part int) (text string, err error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	r := bufio.NewReaderSize(f, 64<<10)
	for ; ; part-- {
		want, err := r.ReadString('\n')
		if err != nil {
			return "", err
		}
		text, err := r.ReadString('\n')
		if err != nil {
			return "", err
		}
		if part > 0 {
			continue
		}
		if text = strings.TrimSuffix(text, "\n"); sum(text) != strings.TrimSuffix(want, "\n") {
			return "", errDamaged
		}
		return text, nil
	}
}

// full gives the findings that can gate.
func (s *scanned) full() ([]finding.Finding, error) {
	if s.findings != nil || s.file == "" {
		return s.findings, nil
	}
	text, err := readPart(s.file, 1)
	if err == nil {
		err = json.Unmarshal([]byte(text), &s.findings)
	}
	return s.findings, err
}

// unread is the rule that says a file could not be read: true of this clone today, and not of the tree.
const unread = "GB002"

// put remembers what was found in a tree.
func (c *cache) put(tree string, fs []finding.Finding) *scanned {
	s := &scanned{index: index{Schema: cacheSchema, Tree: tree, Gating: map[string]bool{}}}
	for _, f := range fs {
		s.index.All = append(s.index.All, f.Fingerprint)
		if f.Gates(finding.Warn) {
			s.index.Gating[f.Fingerprint] = s.index.Gating[f.Fingerprint] || f.Gates(finding.Error)
			s.findings = append(s.findings, f)
		}
	}
	c.memory[tree] = s
	if c.rules == "" || slices.ContainsFunc(fs, func(f finding.Finding) bool { return f.Rule == unread }) {
		return s
	}
	s.stored = true
	c.write(tree, s.index)
	return s
}

// keep remembers the findings themselves too.
func (c *cache) keep(tree string, s *scanned) {
	if s.file == "" && s.stored { // else they are there, or must not be
		c.write(tree, s.index, s.findings)
	}
}

// write replaces the file of a tree.
func (c *cache) write(tree string, parts ...any) {
	var text strings.Builder
	for _, p := range parts {
		line, err := json.Marshal(p)
		if err != nil {
			return
		}
		text.WriteString(sum(string(line)) + "\n" + string(line) + "\n")
	}
	if writeFile(c.file(tree), text.String()) == nil {
		c.prune()
	}
}

// writeFile replaces a file in one step.
func writeFile(name, text string) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(name), ".tmp-*")
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

// prune keeps the directory small.
func (c *cache) prune() {
	entries, err := os.ReadDir(c.dir)
	if err != nil || len(entries) <= cacheMost {
		return
	}
	type aged struct {
		name string
		unix int64
	}
	var all []aged
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			all = append(all, aged{e.Name(), info.ModTime().UnixNano()})
		}
	}
	slices.SortFunc(all, func(a, b aged) int { return int(min(1, max(-1, b.unix-a.unix))) })
	for _, old := range all[min(cacheKeep, len(all)):] {
		_ = os.Remove(filepath.Join(c.dir, old.name)) // another push may have done it
	}
}
