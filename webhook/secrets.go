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

// Secrets reads the webhook's secrets. Errors name where a secret should be and never what it is.
func (c *SecretConfig) Secrets() ([]string, error) {
	var secrets []string
	for _, from := range []struct{ file, env string }{
		{c.SecretFile, c.SecretEnv}, {c.PreviousSecretFile, c.PreviousSecretEnv},
	} {
		switch {
		case from.file != "":
			data, err := os.ReadFile(from.file)
			if err != nil {
				return nil, fmt.Errorf("webhook secret: %w", err)
			}
			secret := strings.TrimRight(string(data), "\r\n")
			if secret == "" {
				return nil, fmt.Errorf("webhook secret: %s is empty", from.file)
			}
			secrets = append(secrets, secret)
		case from.env != "":
			secret := os.Getenv(from.env)
			if secret == "" {
				return nil, fmt.Errorf("webhook secret: environment variable %s is not set", from.env)
			}
			secrets = append(secrets, secret)
		}
	}
	return secrets, nil
}
