package signin

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// KeySize is the least length of the secret behind the cookies, in bytes.
const KeySize = 32

// sealer makes cookie values that nobody else can read, make or change. What one is for is part of the seal: the cookie of
// a login that is under way is no session.
type sealer struct {
	aead cipher.AEAD
	now  func() time.Time
}

func newSealer(secret []byte, now func() time.Time) (*sealer, error) {
	if len(secret) < KeySize {
		return nil, fmt.Errorf("sign-in: the secret behind the cookies has %d bytes, need %d", len(secret), KeySize)
	}
	key, err := hkdf.Key(sha256.New, secret, nil, "gatebot sign-in cookies", 32)
	if err != nil {
		return nil, fmt.Errorf("sign-in: %w", err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("sign-in: %w", err)
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		return nil, fmt.Errorf("sign-in: %w", err)
	}
	return &sealer{aead, now}, nil
}

// text is strict: one value has one spelling.
var text = base64.RawURLEncoding.Strict()

type sealed struct {
	Until int64           `json:"u"` // Unix, s
	Value json.RawMessage `json:"v"`
}

func (s *sealer) seal(purpose string, v any, until time.Time) (string, error) {
	value, err := json.Marshal(v)
	if err != nil {
		return "", err
	}
	plain, err := json.Marshal(sealed{until.Unix(), value})
	if err != nil {
		return "", err
	}
	nonce := make([]byte, s.aead.NonceSize())
	_, _ = rand.Read(nonce) // never fails (crypto/rand)
	return text.EncodeToString(s.aead.Seal(nonce, nonce, plain, []byte(purpose))), nil
}

var errForged = errors.New("not a cookie of this server, or too old")

func (s *sealer) open(purpose, value string, into any) error {
	data, err := text.DecodeString(value)
	if err != nil || len(data) < s.aead.NonceSize() {
		return errForged
	}
	plain, err := s.aead.Open(nil, data[:s.aead.NonceSize()], data[s.aead.NonceSize():], []byte(purpose))
	if err != nil {
		return errForged
	}
	var x sealed
	if json.Unmarshal(plain, &x) != nil || !s.now().Before(time.Unix(x.Until, 0)) || json.Unmarshal(x.Value, into) != nil {
		return errForged
	}
	return nil
}
