// Package fixlog keeps the violation fix log. The ledger is the truth: one record for each violation that a commit on
// the protected branch made disappear, found by comparing what the scan sees in a commit and in its first parent, and
// never by what a commit message claims. The table people read is a view of it, merged into their document with
// everything they wrote left as it is.
//
// Update walks the history and extends a Ledger; Merge renders it into a document. Neither writes anything.
package fixlog

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"
)

// State is what became of a violation.
type State string

// The states of a record.
const (
	// Open is a fix in a commit that is not on the protected branch yet (a pull request, a local commit).
	Open State = "open"
	// Fixed: gone in Commit, and still gone.
	Fixed State = "fixed"
	// Regressed: it came back in RegressedIn.
	Regressed State = "regressed"
	// Removed: its file was deleted, or its line is gone and Doubt says why that is not called a fix. Kept apart, because
	// nobody fixed anything as far as is known.
	Removed State = "removed"
	// Superseded: it came back and was fixed again by the record SupersededBy.
	Superseded State = "superseded"
)

// Sources of a record.
const (
	SourceStatic = "static" // the source scan of both commits
	SourceTrace  = "trace"  // results of gatebot check of both commits
	SourceHand   = "hand"   // a row that people wrote, imported
)

// Record is one fix: the violations of one rule in one function that one commit made disappear.
type Record struct {
	ID           string    `json:"id"`
	State        State     `json:"state"`
	Commit       string    `json:"commit"`           // full id; of an imported row perhaps only what was written there
	Parent       string    `json:"parent,omitempty"` // the first parent, which still had it
	PR           int       `json:"pr,omitempty"`
	Commits      []string  `json:"commits,omitempty"`  // what Commit stands for: merged, squashed or rebased ones, newest first
	By           string    `json:"by,omitempty"`       // of a merge commit: the commit in it that made the fix
	PatchID      string    `json:"patch_id,omitempty"` // of Commit (git patch-id --stable); none for a merge
	AliasOf      string    `json:"alias_of,omitempty"` // the record of the same fix on the branch it was picked from
	Author       string    `json:"author,omitempty"`
	When         time.Time `json:"when"` // committer date
	Source       string    `json:"source"`
	Rule         string    `json:"rule,omitempty"`
	Path         string    `json:"path,omitempty"`
	NowPath      string    `json:"now_path,omitempty"` // where renames took the file since
	Symbol       string    `json:"symbol,omitempty"`   // qualified name of the function, empty at module level
	Operation    string    `json:"operation,omitempty"`
	Fingerprints []string  `json:"fingerprints,omitempty"`
	MoveKeys     []string  `json:"move_keys,omitempty"`
	Doubt        string    `json:"doubt,omitempty"` // of a removed one whose file is still there
	RegressedIn  string    `json:"regressed_in,omitempty"`
	SupersededBy string    `json:"superseded_by,omitempty"`
	Provisional  bool      `json:"provisional,omitempty"` // written when it was committed, not when it landed
	Orphaned     bool      `json:"orphaned,omitempty"`    // a rewrite of the branch left Commit and its patch out
	Measured     string    `json:"measured,omitempty"`    // what the trace counted, "1 sync per call"
	Description  string    `json:"description"`           // of this record alone; a row joins those of one commit
	Human        string    `json:"human,omitempty"`
}

// recordID names a fix by what was fixed and where in history.
func recordID(commit, rule, path, symbol string) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{commit, rule, path, symbol}, "\x00")))
	return "fx-" + hex.EncodeToString(sum[:6])
}

// holds reports whether the record is about this finding: by fingerprint, or in its file's new place.
func (r *Record) holds(fingerprint, moveKey, path, symbol string) bool {
	for _, fp := range r.Fingerprints {
		if fp == fingerprint {
			return true
		}
	}
	if r.NowPath == "" || r.NowPath != path || r.Symbol != symbol {
		return false
	}
	for _, k := range r.MoveKeys {
		if k == moveKey {
			return true
		}
	}
	return false
}
