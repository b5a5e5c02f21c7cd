package github

import (
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
)

// LoadKey reads an App's private key from a PEM file: PKCS#1 as GitHub hands it out, or PKCS#8 as openssl converts it.
func LoadKey(path string) (*rsa.PrivateKey, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("app private key: %w (download one on the App's settings page)", err)
	}
	key, err := ParseKey(data)
	if err != nil {
		return nil, fmt.Errorf("app private key %s: %w", path, err)
	}
	return key, nil
}

// ParseKey is LoadKey for a PEM block in memory.
func ParseKey(data []byte) (*rsa.PrivateKey, error) {
	block, _ := pem.Decode(data)
	if block == nil {
		return nil, errors.New("no PEM block (want the .pem file of the App, beginning with -----BEGIN)")
	}
	switch block.Type {
	case "RSA PRIVATE KEY":
		key, err := x509.ParsePKCS1PrivateKey(block.Bytes)
		if err != nil {
			return nil, fmt.Errorf("PKCS#1: %w (is the file complete?)", err)
		}
		return key, nil
	case "PRIVATE KEY":
		key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
		if err != nil {
			return nil, fmt.Errorf("PKCS#8: %w (is the file complete?)", err)
		}
		if rsaKey, ok := key.(*rsa.PrivateKey); ok {
			return rsaKey, nil
		}
		return nil, fmt.Errorf("PKCS#8: %T is no RSA key (GitHub Apps sign with RS256)", key)
	case "ENCRYPTED PRIVATE KEY":
		return nil, errors.New("encrypted: gatebot has no passphrase for it (decrypt it with openssl pkcs8)")
	}
	return nil, fmt.Errorf("PEM block %q is no private key (want RSA PRIVATE KEY or PRIVATE KEY)", block.Type)
}
