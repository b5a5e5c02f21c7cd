// Package starter looks at a repository and writes a first .gatebot.yaml for it, in which every guess stands with what it
// was guessed from. A guess that has no ground is left out or written as a comment.
package starter

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/gatebot/gatebot/internal/config"
	"github.com/gatebot/gatebot/internal/finding"
)

// Guess is a setting and the reason for it.
type Guess struct {
	Value string
	Why   string
}

// Guesses are what could be learnt.
type Guesses struct {
	Files     int     // source files
	Roots     []Guess // functions that look like the step, PATH::NAME
	Entry     *Guess  // step module
	Entries   []string
	Python    *Guess
	Exclude   []Guess
	FixLog    *Guess
	Heading   string
	Device    *finding.Device
	Steps     []string // folders in which step modules are kept
	Truncated bool     // more files than were read
}

// Limits of one look: a guess is not worth a minute.
const (
	maxFiles = 20_000
	maxSize  = 1 << 20
	maxRoots = 6
)

var (
	defBuild  = regexp.MustCompile(`(?m)^(async )?def build\(`)
	defStep   = regexp.MustCompile(`(?m)^(async )?def step\(`)
	class     = regexp.MustCompile(`(?m)^class (\w+)`)
	rootDef   = regexp.MustCompile(`(?m)^( {4}|\t)?def (decode_step|decode_forward|forward_decode|decode|execute_model|decode_one_token)\(`)
	logHead   = regexp.MustCompile(`(?mi)^#{1,4} +(.*\bfix log\b.*)$`)
	torchWord = regexp.MustCompile(`(?m)^\s*(import torch|from torch)\b`)
)

// aside are folders whose code never runs in a step, beside those that gatebot leaves out by itself.
var aside = []string{"third_party", "vendor", "scripts", "tools", "examples"}

// Look reads the files of a tree. Names are the paths that git tracks; read gives a file.
func Look(ctx context.Context, names []string, read func(string) ([]byte, error)) (*Guesses, error) {
	g := &Guesses{}
	seen := map[string]int{}
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		switch {
		case strings.HasSuffix(name, ".md"):
			if err := g.document(name, read); err != nil {
				return nil, err
			}
			continue
		case !config.IsSource(name):
			continue
		}
		if g.Files++; g.Files > maxFiles {
			g.Truncated = true
			continue
		}
		if top, _, ok := strings.Cut(name, "/"); ok && slices.Contains(aside, top) {
			seen[top]++
		}
		if !strings.HasSuffix(name, ".py") {
			continue
		}
		data, err := read(name)
		if err != nil || len(data) > maxSize {
			continue // the scan itself says what it cannot read
		}
		g.python(name, string(data))
	}
	for _, top := range aside {
		if n := seen[top]; n > 0 {
			g.Exclude = append(g.Exclude, Guess{top + "/**", fmt.Sprintf("%d source files that look like no part of a step", n)})
		}
	}
	g.entry()
	if len(g.Roots) > maxRoots {
		g.Roots = g.Roots[:maxRoots]
	}
	return g, nil
}

// document looks for a fix log that people keep by hand.
func (g *Guesses) document(name string, read func(string) ([]byte, error)) error {
	if g.FixLog != nil {
		return nil
	}
	data, err := read(name)
	if err != nil || len(data) > maxSize {
		return ignoreMissing(err)
	}
	if m := logHead.FindSubmatch(data); m != nil {
		g.Heading = strings.TrimSpace(string(m[1]))
		g.FixLog = &Guess{name, fmt.Sprintf("it has a heading %q", g.Heading)}
	}
	return nil
}

func ignoreMissing(err error) error {
	if err == nil || strings.Contains(err.Error(), fs.ErrNotExist.Error()) {
		return nil
	}
	return err
}

func (g *Guesses) python(name, text string) {
	if defBuild.MatchString(text) && defStep.MatchString(text) {
		g.Entries = append(g.Entries, name)
	}
	if tested(name) || !torchWord.MatchString(text) {
		return
	}
	for _, m := range rootDef.FindAllStringSubmatchIndex(text, -1) {
		fn := text[m[4]:m[5]]
		if m[2] >= 0 { // indented: a method of the class above
			all := class.FindAllStringSubmatch(text[:m[0]], -1)
			if len(all) == 0 {
				continue
			}
			fn = all[len(all)-1][1] + "." + fn
		}
		g.Roots = append(g.Roots, Guess{name + "::" + fn, "its name says that it is a decode step, and the file imports torch"})
	}
}

// tested reports whether a file is a test or a benchmark.
func tested(name string) bool {
	for _, part := range strings.Split(path.Dir(name), "/") {
		switch part {
		case "test", "tests", "testing", "benchmark", "benchmarks":
			return true
		}
	}
	base := path.Base(name)
	return strings.HasPrefix(base, "test_") || strings.HasSuffix(base, "_test.py")
}

// entry takes the only step module, or the one whose name says most.
func (g *Guesses) entry() {
	slices.SortFunc(g.Entries, func(a, b string) int { return strings.Compare(a, b) })
	slices.SortStableFunc(g.Entries, func(a, b string) int { return rank(a) - rank(b) })
	if len(g.Entries) == 0 {
		return
	}
	why := "it defines build and step"
	if n := len(g.Entries) - 1; n > 0 {
		why += fmt.Sprintf("; %d other files do as well, such as %s", n, g.Entries[1])
	}
	g.Entry = &Guess{g.Entries[0], why}
}

func rank(name string) int {
	for i, word := range []string{"gate_step", "gate", "decode", "step"} {
		if strings.Contains(path.Base(name), word) {
			return i
		}
	}
	return 9
}
