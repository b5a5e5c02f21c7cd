package git

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// parseCommit reads a raw commit object. Header lines that start with a blank continue the one before (signatures).
func parseCommit(id string, raw []byte) (Commit, error) {
	c := Commit{ID: id}
	head, message, _ := bytes.Cut(raw, []byte("\n\n"))
	for _, line := range strings.Split(string(head), "\n") {
		key, value, _ := strings.Cut(line, " ")
		switch key {
		case "tree":
			c.Tree = value
		case "parent":
			if !isID(value) {
				return c, fmt.Errorf("commit %s: parent %q is no object id", id, value)
			}
			c.Parents = append(c.Parents, value)
		case "author":
			c.Author, _ = parsePerson(value)
		case "committer":
			_, c.When = parsePerson(value)
		}
	}
	if !isID(c.Tree) {
		return c, fmt.Errorf("commit %s: no tree in it (is the object damaged?)", id)
	}
	c.Subject = subject(string(message))
	c.Picked = picked(string(message))
	return c, nil
}

// parsePerson splits "Name <email> 1700000000 +0100". A date that cannot be read is the zero time.
func parsePerson(s string) (who string, when time.Time) {
	end := strings.LastIndexByte(s, '>')
	if end < 0 {
		return strings.ToValidUTF8(strings.TrimSpace(s), "�"), time.Time{}
	}
	who = strings.ToValidUTF8(s[:end+1], "�")
	f := strings.Fields(s[end+1:])
	if len(f) == 0 {
		return who, time.Time{}
	}
	sec, err := strconv.ParseInt(f[0], 10, 64)
	if err != nil {
		return who, time.Time{}
	}
	return who, time.Unix(sec, 0).UTC()
}

// subject is the first paragraph of a message on one line, as git's %s gives it.
func subject(message string) string {
	var parts []string
	for _, l := range strings.Split(message, "\n") {
		l = strings.TrimSpace(l)
		if l == "" {
			if len(parts) > 0 {
				break
			}
			continue
		}
		parts = append(parts, l)
	}
	return strings.ToValidUTF8(strings.Join(parts, " "), "�")
}

// picked reads the lines that `git cherry-pick -x` writes.
func picked(message string) []string {
	var ids []string
	for _, l := range strings.Split(message, "\n") {
		id, ok := strings.CutPrefix(strings.TrimSpace(l), "(cherry picked from commit ")
		if id, closed := strings.CutSuffix(id, ")"); ok && closed && isID(id) {
			ids = append(ids, id)
		}
	}
	return ids
}
