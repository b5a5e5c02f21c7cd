package github

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"strings"
	"sync"
	"testing"
)

// testKey is made once: generating RSA keys is slow under the race detector.
var testKey = sync.OnceValue(func() *rsa.PrivateKey {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return key
})

func TestParseKey(t *testing.T) {
	key := testKey()
	pkcs8, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	ec, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	ec8, err := x509.MarshalPKCS8PrivateKey(ec)
	if err != nil {
		t.Fatal(err)
	}
	block := func(kind string, der []byte) []byte { return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}) }
	pkcs1 := x509.MarshalPKCS1PrivateKey(key)
	for _, tc := range []struct {
		name string
		in   []byte
		want string // part of the error
	}{
		{"pkcs1", block("RSA PRIVATE KEY", pkcs1), ""},
		{"pkcs8", block("PRIVATE KEY", pkcs8), ""},
		{"not PEM", []byte("ssh-rsa AAAA"), "no PEM block"},
		{"cut off", block("RSA PRIVATE KEY", pkcs1[:100]), "is the file complete?"},
		{"elliptic", block("PRIVATE KEY", ec8), "is no RSA key"},
		{"encrypted", block("ENCRYPTED PRIVATE KEY", pkcs8), "passphrase"},
		{"public", block("PUBLIC KEY", pkcs1), "is no private key"},
	} {
		got, err := ParseKey(tc.in)
		if tc.want == "" {
			if err != nil || !got.Equal(key) {
				t.Errorf("%s: %v", tc.name, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: error %v, want one with %q", tc.name, err, tc.want)
		}
	}
}

func TestLoadKeyNamesTheFile(t *testing.T) {
	if _, err := LoadKey("/nowhere/key.pem"); err == nil || !strings.Contains(err.Error(), "/nowhere/key.pem") {
		t.Errorf("error %v does not name the file", err)
	}
}
