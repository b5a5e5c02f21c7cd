package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
)

// minSecret is the least length of a webhook secret in bytes. A shorter one is a mistake rather than a choice.
const minSecret = 8

// verifier checks signatures against any of several secrets, so that one can be replaced without losing an event.
type verifier struct{ secrets [][]byte }

// newVerifier refuses to be without a secret: everybody could make us check anything.
func newVerifier(secrets []string) (*verifier, error) {
	v := &verifier{}
	for _, s := range secrets {
		if s == "" {
			continue
		}
		if len(s) < minSecret {
			return nil, fmt.Errorf("webhook secret: %d bytes is too short (use at least %d random ones)", len(s), minSecret)
		}
		v.secrets = append(v.secrets, []byte(s))
	}
	if len(v.secrets) == 0 {
		return nil, errors.New("webhook secret: empty (set the one of the App's webhook settings)")
	}
	return v, nil
}

// check reports whether header is the SHA-256 signature of body under one of the secrets. Every secret is tried, and
// compared in constant time. GitHub's older SHA-1 header is not looked at at all.
func (v *verifier) check(header string, body []byte) bool {
	digest, found := strings.CutPrefix(header, "sha256=")
	got, err := hex.DecodeString(digest)
	if !found || err != nil || len(got) != sha256.Size {
		return false
	}
	ok := false
	for _, s := range v.secrets {
		mac := hmac.New(sha256.New, s)
		_, _ = mac.Write(body) // a hash never fails
		if hmac.Equal(got, mac.Sum(nil)) {
			ok = true
		}
	}
	return ok
}
