package webhook

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// configKeys are the keys of the server's configuration by the section they are in.
var configKeys = map[string][]string{
	"":        {"app", "github", "webhook", "listen", "data", "check", "runners"},
	"app":     {"id", "private_key_file"},
	"github":  {"api_url", "graphql_url", "git_host"},
	"webhook": {"secret_file", "secret_env", "previous_secret_file", "previous_secret_env"},
	"listen":  {"http", "queue"},
	"check":   {"name", "pool", "timeout", "queue_max", "max_bundle", "forks"},
	"runners": {"name", "nkey", "pools"},
}

// unknownKeys names every key that is not known with its line and the nearest one that is.
func unknownKeys(file string, n *yaml.Node, known map[string][]string, section string) (errs []error) {
	if n.Kind == yaml.SequenceNode {
		for _, item := range n.Content {
			errs = append(errs, unknownKeys(file, item, known, section)...)
		}
		return errs
	}
	if n.Kind != yaml.MappingNode {
		return nil // a wrong type is named by the decoder
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		dotted := strings.TrimPrefix(section+"."+key.Value, ".")
		if !slices.Contains(known[section], key.Value) {
			errs = append(errs, fmt.Errorf("%s:%d: %s: unknown key (did you mean %q?)", file, key.Line, dotted, nearest(key.Value, known[section])))
			continue
		}
		if section == "" && known[key.Value] != nil {
			errs = append(errs, unknownKeys(file, value, known, key.Value)...)
		}
	}
	return errs
}

// nearest is the known key with the fewest edits from got.
func nearest(got string, known []string) string {
	return slices.MinFunc(known, func(a, b string) int { return edits(got, a) - edits(got, b) })
}

// edits is the Levenshtein distance.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}

// relativeTo makes file names relative to the configuration's directory.
func (c *Config) relativeTo(file string) {
	dir := filepath.Dir(file)
	for _, p := range []*string{&c.App.PrivateKeyFile, &c.Webhook.SecretFile, &c.Webhook.PreviousSecretFile, &c.Data} {
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
