package finding

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
)

// Fingerprint names a hazard in a way that survives moves, re-indentation and edits elsewhere: it is a hash of the
// rule, the path, the enclosing qualified name, the normalised tokens of the offending expression and the ordinal
// among equals (DESIGN 5.10). No line number takes part.
func Fingerprint(rule, path, function string, tokens []string, ordinal int) string {
	b := make([]byte, 0, 512)
	write := func(s string) {
		// The length goes first so that no two field lists collide.
		b = append(append(strconv.AppendInt(b, int64(len(s)), 10), ':'), s...)
	}
	write(rule)
	write(path)
	write(function)
	for _, t := range tokens {
		write(t)
	}
	write(strconv.Itoa(ordinal))
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:12])
}

// MoveKey is the fingerprint without its place: equal keys in parent and child mean that a finding moved and was
// neither fixed nor introduced.
func MoveKey(rule string, tokens []string) string { return Fingerprint(rule, "", "", tokens, 0) }
