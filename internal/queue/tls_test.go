package queue_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/gatebot/gatebot/internal/queue"
)

// selfSigned writes a certificate for 127.0.0.1 that is its own authority, and its key.
func selfSigned(t *testing.T) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	tmpl := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, IsCA: true,
		BasicConstraintsValid: true, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}}
	der, err := x509.CreateCertificate(rand.Reader, tmpl, tmpl, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalECPrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name, kind string, data []byte) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: data}), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	return write("cert.pem", "CERTIFICATE", der), write("key.pem", "EC PRIVATE KEY", keyDER)
}

func TestTLS(t *testing.T) {
	t.Parallel()
	cert, key := selfSigned(t)
	other, otherKey := selfSigned(t)
	s, o := aRunner(t, queue.EmbeddedOptions{TLS: queue.TLS{Cert: cert, Key: key, CA: cert}})
	mustPublish(t, s, queue.Jobs, "p", "job") // this process needs no TLS to reach itself
	for name, c := range map[string]struct {
		tls queue.TLS
		ok  bool
	}{
		"right":                 {queue.TLS{CA: cert, Cert: cert, Key: key}, true},
		"no client certificate": {queue.TLS{CA: cert}, false},
		"strange client":        {queue.TLS{CA: cert, Cert: other, Key: otherKey}, false},
		"strange server":        {queue.TLS{CA: other, Cert: cert, Key: key}, false},
		"none":                  {queue.TLS{}, false},
	} {
		o.TLS = c.tls
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		if !c.ok {
			ctx, cancel = context.WithTimeout(context.Background(), 400*time.Millisecond)
		}
		r, err := queue.Connect(ctx, o)
		cancel()
		if (err == nil) != c.ok {
			t.Errorf("%s: %v", name, err)
		}
		if err == nil {
			_ = r.Close()
		}
	}
	for name, bad := range map[string]queue.TLS{
		"no such file": {CA: "/nonexistent"}, "no certificate": {CA: key}, "key is missing": {Cert: cert},
	} {
		o.TLS = bad
		if _, err := queue.Connect(context.Background(), o); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
}
