package logtext

import (
	"regexp"
	"strings"
)

// Redacted stands where a credential stood.
const Redacted = "‹redacted›"

// credentials are forms that are told by their beginning: GitHub's tokens, keys of NATS, of clouds and of model hubs. A log
// should hold none (a job has no secrets in its environment); a test that prints one of its own must not hand it to readers.
var credentials = regexp.MustCompile(`\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,}|S[UAOCN][A-Z2-7]{56}|` +
	`(?:AKIA|ASIA)[A-Z0-9]{16}|hf_[A-Za-z0-9]{20,}|sk-[A-Za-z0-9_-]{20,}|npm_[A-Za-z0-9]{30,}|xox[abprs]-[A-Za-z0-9-]{10,}|AIza[A-Za-z0-9_-]{35}|` +
	`ey[A-Za-z0-9_-]{10,}\.ey[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,})`)

// userinfo is a password in an address.
var userinfo = regexp.MustCompile(`(://[^\s/:@]*:)[^\s/@]+@`)

var (
	keyBegin = regexp.MustCompile(`-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----`)
	keyEnd   = regexp.MustCompile(`-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----`)
)

// redactor works on whole lines as far as they have come.
type redactor struct {
	held  string // the end of the text, when it could be the beginning of a credential
	inKey int    // lines of a private key so far, 0 outside of one
}

// maxHeld is how much of a line is held back; a longer one without a break is no credential of the forms above.
const maxHeld = 4096

// maxKey is the most lines that a private key has.
const maxKey = 200

func (r *redactor) add(s string) string {
	s = r.held + s
	cut := len(s)
	if i := strings.LastIndexAny(s, " \t\n"); len(s)-(i+1) <= maxHeld {
		cut = i + 1
	}
	// A line that may begin or end a key has blanks in it and is looked at as a whole.
	if line := strings.LastIndexByte(s[:cut], '\n') + 1; strings.Contains(s[line:cut], "-----") && len(s)-line <= maxHeld {
		cut = line
	}
	r.held = s[cut:]
	return r.redact(s[:cut])
}

func (r *redactor) end() string {
	s := r.redact(r.held)
	*r = redactor{}
	return s
}

// redact takes a text that no credential begins at the end of.
func (r *redactor) redact(s string) string {
	var b strings.Builder
	for s != "" {
		if r.inKey > 0 {
			at := keyEnd.FindStringIndex(s)
			switch {
			case at != nil:
				r.inKey, s = 0, s[at[1]:]
			default:
				r.inKey += strings.Count(s, "\n")
				s = ""
				if r.inKey > maxKey { // never closed: it was no key, and the log goes on
					r.inKey = 0
				}
			}
			continue
		}
		head := s
		if at := keyBegin.FindStringIndex(s); at != nil {
			head, s, r.inKey = s[:at[0]], s[at[1]:], 1
		} else {
			s = ""
		}
		head = credentials.ReplaceAllString(head, Redacted)
		b.WriteString(userinfo.ReplaceAllString(head, "${1}"+Redacted+"@"))
		if r.inKey > 0 {
			b.WriteString(Redacted)
		}
	}
	return b.String()
}
