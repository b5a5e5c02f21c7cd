// Package bundle carries the exact trees of one or two commits from the server to a runner: a git bundle (version 2)
// with the commits, their complete trees and nothing else: no history, no remote, no token, no hook. Write makes it from
// the server's mirror with no git binary; Checkout unpacks it with git into a directory that has no way back.
package bundle

import (
	"bufio"
	"errors"
	"fmt"
	"strings"
)

// The references of a bundle.
const (
	HeadRef = "refs/gatebot/head"
	BaseRef = "refs/gatebot/base"
)

const signature = "# v2 git bundle\n"

// Why a repository cannot be bundled. None of them goes away by trying again.
var (
	ErrMissing     = errors.New("object is missing")
	ErrTooLarge    = errors.New("repository is too large")
	ErrNoFiles     = errors.New("tree has no files")
	ErrUnsupported = errors.New("repository is of a kind that cannot be bundled")
)

// Why a bundle cannot be checked out.
var (
	ErrDamaged  = errors.New("bundle is damaged")
	ErrMismatch = errors.New("bundle is not what the job names")
)

// Want says what must come out of a bundle. Base is empty when there is none.
type Want struct{ Head, Tree, Base string }

// header is the text before the pack.
func header(head, base string) string {
	h := signature + head + " " + HeadRef + "\n"
	if base != "" {
		h += base + " " + BaseRef + "\n"
	}
	return h + "\n"
}

// maxHeader bytes are far more than two references need.
const maxHeader = 4096

// readHeader reads up to the pack. Prerequisites, capabilities and foreign references are refused: the runner's
// repository is empty, and nothing but head and base is looked at.
func readHeader(r *bufio.Reader) (refs map[string]string, err error) {
	refs = map[string]string{}
	total := 0
	for first := true; ; first = false {
		raw, err := r.ReadSlice('\n') // bounded by the reader's buffer
		line := string(raw)
		if total += len(line); total > maxHeader {
			return nil, fmt.Errorf("%w: header is longer than %d bytes", ErrDamaged, maxHeader)
		}
		switch {
		case err != nil:
			return nil, fmt.Errorf("%w: header: %w", ErrDamaged, err)
		case first && line != signature:
			return nil, fmt.Errorf("%w: it begins with %q and not with %q", ErrDamaged, clip(line), signature)
		case first:
			continue
		case line == "\n":
			return refs, nil
		}
		id, name, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if !ok || !isID(id) || name != HeadRef && name != BaseRef || refs[name] != "" {
			return nil, fmt.Errorf("%w: header line %q", ErrDamaged, clip(line))
		}
		refs[name] = id
	}
}

func clip(s string) string {
	if len(s) > 80 {
		return s[:80] + "…"
	}
	return s
}

// isID reports whether s is a full SHA-1 object id. go-git knows no other.
func isID(s string) bool {
	return len(s) == 40 && strings.Trim(s, "0123456789abcdef") == ""
}
