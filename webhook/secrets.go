package webhook

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// relativeTo makes file names relative to the configuration's directory.
func (c *Config) relativeTo(file string) {
	dir := filepath.Dir(file)
	for _, p := range []*string{&c.App.PrivateKeyFile, &c.Webhook.SecretFile, &c.Webhook.PreviousSecretFile, &c.Data,
		&c.GitHub.TokenFile, &c.Queue.SeedFile, &c.Queue.TLS.Cert, &c.Queue.TLS.Key, &c.Queue.TLS.CA,
		&c.Listen.QueueTLS.Cert, &c.Listen.QueueTLS.Key, &c.Listen.QueueTLS.CA, &c.Listen.BoardTokenFile, &c.SignIn.ClientSecretFile} {
		if *p != "" && !filepath.IsAbs(*p) {
			*p = filepath.Join(dir, *p)
		}
	}
}

// Secrets reads the webhook's secrets.
func (c *SecretConfig) Secrets() ([]string, error) {
	var secrets []string
	for _, from := range []struct{ file, env string }{
		{c.SecretFile, c.SecretEnv}, {c.PreviousSecretFile, c.PreviousSecretEnv},
	} {
		secret, err := readSecret("webhook secret", from.file, from.env)
		if err != nil {
			return nil, err
		}
		if secret != "" {
			secrets = append(secrets, secret)
		}
	}
	return secrets, nil
}

// readSecret reads a secret from a file, or else from the environment; it is empty when neither is named. Errors name where
// it should be and never what it is.
func readSecret(what, file, env string) (string, error) {
	switch {
	case file != "":
		data, err := os.ReadFile(file)
		if err != nil {
			return "", fmt.Errorf("%s: %w", what, err)
		}
		secret := strings.TrimRight(string(data), "\r\n")
		if secret == "" {
			return "", fmt.Errorf("%s: %s is empty", what, file)
		}
		return secret, nil
	case env != "":
		secret := os.Getenv(env)
		if secret == "" {
			return "", fmt.Errorf("%s: environment variable %s is not set", what, env)
		}
		return secret, nil
	}
	return "", nil
}
