package git

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// parseTree reads `ls-tree -r -z`: "<mode> <type> <id>\t<path>\0" for each file.
func parseTree(out []byte) ([]Entry, error) {
	entries := make([]Entry, 0, bytes.Count(out, []byte{0}))
	for len(out) > 0 {
		record, rest, ok := bytes.Cut(out, []byte{0})
		if !ok {
			return nil, fmt.Errorf("git ls-tree: output cut off after %d entries", len(entries))
		}
		out = rest
		head, path, ok := strings.Cut(string(record), "\t")
		f := strings.Split(head, " ")
		if !ok || len(f) != 3 || !isID(f[2]) {
			return nil, fmt.Errorf("git ls-tree: unexpected record %q", record)
		}
		mode, err := parseMode(f[0])
		if err != nil {
			return nil, fmt.Errorf("git ls-tree: record %q: %w", record, err)
		}
		entries = append(entries, Entry{Path: path, Mode: mode, Blob: f[2], Size: -1})
	}
	return entries, nil
}

// parseRawDiff reads `diff-tree -z --raw`: ":<mode> <mode> <id> <id> <status>\0<path>\0[<new path>\0]".
func parseRawDiff(out []byte) ([]Change, error) {
	fields := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	if len(out) == 0 {
		fields = nil
	}
	var changes []Change
	for len(fields) > 0 {
		head := strings.Split(strings.TrimPrefix(fields[0], ":"), " ")
		if !strings.HasPrefix(fields[0], ":") || len(head) != 5 || head[4] == "" || !isID(head[2]) || !isID(head[3]) {
			return nil, fmt.Errorf("git diff-tree: unexpected record %q", fields[0])
		}
		oldMode, err := parseMode(head[0])
		if err != nil {
			return nil, fmt.Errorf("git diff-tree: record %q: %w", fields[0], err)
		}
		newMode, err := parseMode(head[1])
		if err != nil {
			return nil, fmt.Errorf("git diff-tree: record %q: %w", fields[0], err)
		}
		c := Change{Status: head[4][0], OldMode: oldMode, NewMode: newMode}
		paths := 1
		switch c.Status {
		case 'A', 'D', 'M', 'T':
		case 'R':
			paths = 2
		default:
			return nil, fmt.Errorf("git diff-tree: status %q", head[4])
		}
		if len(fields) < 1+paths {
			return nil, fmt.Errorf("git diff-tree: output cut off at %q", fields[0])
		}
		c.OldPath, c.Path = fields[1], fields[paths]
		if c.Status != 'A' {
			c.OldBlob = head[2]
		}
		if c.Status != 'D' {
			c.Blob = head[3]
		}
		changes = append(changes, c)
		fields = fields[1+paths:]
	}
	return changes, nil
}

func parseMode(s string) (uint32, error) {
	m, err := strconv.ParseUint(s, 8, 32)
	return uint32(m), err
}

// isID reports whether s is a full object id of either hash.
func isID(s string) bool {
	if len(s) != 40 && len(s) != 64 {
		return false
	}
	return strings.Trim(s, "0123456789abcdef") == ""
}

// IsZeroID reports whether s is the all-zeros id, in either length, by which git says that there is no object.
func IsZeroID(s string) bool { return isID(s) && strings.Trim(s, "0") == "" }
