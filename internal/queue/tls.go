package queue

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
)

// TLS names PEM files. On a client CA verifies the server and Cert and Key are optional; on a listening server Cert
// and Key are required and CA, when set, makes it demand client certificates.
type TLS struct{ Cert, Key, CA string }

// config loads the files. It is nil when none is named.
func (t TLS) config(server bool) (*tls.Config, error) {
	if t == (TLS{}) {
		return nil, nil
	}
	cfg := &tls.Config{MinVersion: tls.VersionTLS12}
	if (t.Cert == "") != (t.Key == "") || server && t.Cert == "" {
		return nil, errors.New("queue: tls: certificate and key must both be set")
	}
	if t.Cert != "" {
		pair, err := tls.LoadX509KeyPair(t.Cert, t.Key)
		if err != nil {
			return nil, fmt.Errorf("queue: tls: %w", err)
		}
		cfg.Certificates = []tls.Certificate{pair}
	}
	if t.CA == "" {
		return cfg, nil
	}
	pem, err := os.ReadFile(t.CA)
	if err != nil {
		return nil, fmt.Errorf("queue: tls: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("queue: tls: %s holds no certificate", t.CA)
	}
	if server {
		cfg.ClientCAs, cfg.ClientAuth = pool, tls.RequireAndVerifyClientCert
	} else {
		cfg.RootCAs = pool
	}
	return cfg, nil
}
