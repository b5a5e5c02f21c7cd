package hooks

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gatebot/gatebot/internal/config"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/git"
)

// cache keeps the findings of trees in the common git directory, one file for each tree, rule set and configuration
// from outside the tree (its own is part of it). It is a help and nothing depends on it: a file that cannot be read,
// is damaged or was cut off is as good as none, and one that cannot be written is not. Files are written under
// another name and renamed, so that pushes side by side do each other no harm.
type cache struct {
	dir, rules, config string
	memory             map[string][]finding.Finding
}

const (
	cacheSchema = "gatebot.hook-cache/v1"
	// When there are more than cacheMost entries, the oldest go until cacheKeep are left.
	cacheMost, cacheKeep = 400, 200
)

type cacheFile struct {
	Schema   string            `json:"schema"`
	Tree     string            `json:"tree"`
	Findings []finding.Finding `json:"findings"`
	Sum      string            `json:"sum"` // of the findings, so that a damaged file is not believed
}

func openCache(repo git.Repository, rules, config string) *cache {
	return &cache{dir: filepath.Join(repo.CommonDir(), "gatebot", "cache"), rules: rules, config: config,
		memory: map[string][]finding.Finding{}}
}

func (c *cache) file(tree string) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{cacheSchema, tree, c.rules, c.config}, "\x00")))
	return filepath.Join(c.dir, hex.EncodeToString(sum[:16])+".json")
}

func (c *cache) get(tree string) ([]finding.Finding, bool) {
	if fs, ok := c.memory[tree]; ok {
		return fs, true
	}
	if c.rules == "" {
		return nil, false
	}
	data, err := os.ReadFile(c.file(tree))
	if err != nil {
		return nil, false
	}
	var f cacheFile
	if json.Unmarshal(data, &f) != nil || f.Schema != cacheSchema || f.Tree != tree || f.Sum != sum(f.Findings) {
		return nil, false
	}
	c.memory[tree] = f.Findings
	return f.Findings, true
}

func sum(fs []finding.Finding) string {
	data, err := json.Marshal(fs)
	if err != nil {
		return ""
	}
	s := sha256.Sum256(data)
	return hex.EncodeToString(s[:8])
}

// unread is the rule that says a file could not be read: true of this clone today, and not of the tree.
const unread = "GB002"

// put remembers a tree's findings.
func (c *cache) put(tree string, fs []finding.Finding) {
	c.memory[tree] = fs
	if c.rules == "" || slices.ContainsFunc(fs, func(f finding.Finding) bool { return f.Rule == unread }) {
		return
	}
	data, err := json.Marshal(cacheFile{Schema: cacheSchema, Tree: tree, Findings: fs, Sum: sum(fs)})
	if err == nil {
		err = writeFile(c.file(tree), data)
	}
	if err == nil {
		c.prune()
	}
}

// writeFile replaces a file in one step.
func writeFile(name string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(name), ".tmp-*")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
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

func isConfigError(err error) bool {
	var c *config.Error
	return errors.As(err, &c)
}
