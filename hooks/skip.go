package hooks

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// skipLog records the pushes that were let through unchecked, in the common git directory.
const skipLog = "skipped.log"

// skipReason is why the user wants no check, on one line.
func skipReason() string { return strings.Join(strings.Fields(os.Getenv(skipVariable)), " ") }

// skip records the reason and lets the push go. A log that cannot be written does not stop it.
func (p *push) skip(reason string, updates []update) error {
	var refs []string
	for _, u := range updates {
		refs = append(refs, fmt.Sprintf("%s=%.12s", u.remoteRef, u.localID))
	}
	line := fmt.Sprintf("%s\t%s\t%s\t%s\t%s\n", time.Now().UTC().Format(time.RFC3339), p.remote, withoutPassword(p.url),
		strings.Join(refs, " "), reason)
	name := filepath.Join(p.repo.CommonDir(), "gatebot", skipLog)
	if err := appendTo(name, line); err != nil {
		p.say("gatebot: pre-push: not checked (%s=%q); the record of it failed: %v", skipVariable, reason, err)
		return nil
	}
	p.say("gatebot: pre-push: not checked (%s=%q), recorded in %s", skipVariable, reason, name)
	return nil
}

func appendTo(name, line string) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString(line)
	return errors.Join(err, f.Close())
}

// withoutPassword keeps credentials of a URL out of files and messages.
func withoutPassword(raw string) string {
	u, err := url.Parse(raw)
	if err != nil || u.User == nil || u.Scheme == "" {
		return raw
	}
	u.User = url.User("***")
	return u.String()
}
