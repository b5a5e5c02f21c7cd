package git

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
)

// knownTrees are ids of which a commit has said that they are trees: only two trees may be given to a diff-tree that reads
// its questions, since two commits mean something else there.
type knownTrees struct {
	mu  sync.Mutex
	ids map[string]bool
}

// mostTrees is how many are kept; a walk compares neighbors, and those that are forgotten are compared another way.
const mostTrees = 4096

func (k *knownTrees) add(id string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.ids == nil || len(k.ids) >= mostTrees {
		k.ids = map[string]bool{}
	}
	k.ids[id] = true
}

func (k *knownTrees) has(id string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.ids[id]
}

// diffArgs are those of a diff-tree that prints what parseRawDiff reads.
func diffArgs(renames bool, more ...string) []string {
	how := "--no-renames"
	if renames {
		how = "--find-renames"
	}
	return append([]string{"diff-tree", "-r", "-z", "--raw", "--full-index", "--no-abbrev", how}, more...)
}

// errUnanswered is what a diff-tree that reads its questions says of two trees that it cannot compare. Why, only a diff-tree
// of its own tells.
var errUnanswered = errors.New("git diff-tree: no answer")

// diffed compares two trees in a child that lives on: to start one takes a hundred times as long as most comparisons.
func (r *CLI) diffed(ctx context.Context, a, b string, renames bool) ([]Change, error) {
	p := &r.diffs[0]
	if renames {
		p = &r.diffs[1]
	}
	child, err := p.take(func() (*batch, error) { return r.startChild(diffArgs(renames, "--stdin")...) })
	if err != nil {
		return nil, err
	}
	out, err := child.diff(ctx, a, b)
	if err != nil {
		child.stop()
		if ctx.Err() != nil {
			return nil, fmt.Errorf("git diff-tree: %w", context.Cause(ctx))
		}
		return nil, err
	}
	p.give(child)
	return parseRawDiff(out)
}

// endOfDiff is a line that is no question. Diff-tree prints such a line as it is once it has answered those before it, and
// what it has printed is not held back then.
const endOfDiff = "end\n"

// diff asks for the difference of two trees and returns its records.
func (b *batch) diff(ctx context.Context, from, to string) ([]byte, error) {
	stop := context.AfterFunc(ctx, func() { _ = b.cmd.Process.Kill() })
	defer stop()
	head := from + " " + to + "\n"
	if _, err := b.stdin.Write([]byte(head + endOfDiff)); err != nil { // less than a pipe holds
		return nil, fmt.Errorf("%w: %w", errUnanswered, err)
	}
	switch line, err := b.stdout.ReadString('\n'); {
	case err != nil:
		return nil, fmt.Errorf("%w: %w", errUnanswered, err)
	case line != head:
		return nil, fmt.Errorf("%w to %q: %q", errUnanswered, strings.TrimSpace(head), line)
	}
	var out bytes.Buffer
	for {
		next, err := b.stdout.Peek(1)
		if err == nil && next[0] != ':' {
			var line string
			if line, err = b.stdout.ReadString('\n'); line == endOfDiff {
				return out.Bytes(), nil
			} else if err == nil {
				err = fmt.Errorf("unexpected %q", line)
			}
		}
		if err == nil {
			err = copyRecord(&out, b.stdout)
		}
		if err != nil {
			return nil, fmt.Errorf("%w: %w", errUnanswered, err)
		}
	}
}

// copyRecord copies the head of a change and its paths: two of a rename.
func copyRecord(out *bytes.Buffer, in *bufio.Reader) error {
	head, err := in.ReadBytes(0)
	if err != nil {
		return err
	}
	out.Write(head)
	paths := 1
	if i := bytes.LastIndexByte(head, ' '); i+1 < len(head) && (head[i+1] == 'R' || head[i+1] == 'C') {
		paths = 2
	}
	for range paths {
		path, err := in.ReadBytes(0)
		if err != nil {
			return err
		}
		out.Write(path)
	}
	return nil
}
