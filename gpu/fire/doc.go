// Package fire sends jobs from a developer's desk to a pool of runners and follows them: a script of the checkout, or the
// GPU checks of a commit for the pre-push hook. What is sent is the exact tree, uncommitted changes included when asked
// for, without history, remotes or credentials. A result is its sender's only: no check run comes of it.
package fire

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gatebot/gatebot/internal/config"
	"github.com/gatebot/gatebot/internal/queue"
)

// Config is a developer's configuration, by default gatebot/client.yaml in the user's configuration folder. Relative
// paths are relative to that file.
type Config struct {
	Queue    string    `yaml:"queue"` // nats://host:4222, or tls://…
	TLS      TLSConfig `yaml:"tls"`
	Name     string    `yaml:"name"`      // as the server's configuration has it
	NKeyFile string    `yaml:"nkey_file"` // seed; its public half is in the server's configuration
	Pool     string    `yaml:"pool"`
}

// TLSConfig names PEM files for the connection to the queue.
type TLSConfig struct {
	Cert string `yaml:"cert"`
	Key  string `yaml:"key"`
	CA   string `yaml:"ca"`
}

// ErrNoConfig means that this user has no configuration.
var ErrNoConfig = errors.New("no configuration of a client")

// Env names the file when no flag does.
const Env = "GATEBOT_CLIENT_CONFIG"

// LoadConfig reads file; with an empty name that of Env, else the default one.
func LoadConfig(file string) (*Config, error) {
	if file == "" {
		file = os.Getenv(Env)
	}
	if file == "" {
		dir, err := os.UserConfigDir()
		if err != nil {
			return nil, fmt.Errorf("%w: %w (set %s)", ErrNoConfig, err, Env)
		}
		file = filepath.Join(dir, "gatebot", "client.yaml")
		if _, err := os.Stat(file); errors.Is(err, os.ErrNotExist) {
			return nil, fmt.Errorf("%w: neither --config nor %s is given and there is no %s (see docs/runner.md)", ErrNoConfig, Env, file)
		}
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("client configuration: %w", err)
	}
	c := Config{Pool: "default"}
	if err := config.Strict(file, data, &c); err != nil {
		return nil, err
	}
	for _, kv := range [][2]string{{"queue", c.Queue}, {"name", c.Name}, {"nkey_file", c.NKeyFile}, {"pool", c.Pool}} {
		if kv[1] == "" {
			return nil, &config.Error{File: file, Key: kv[0], Problem: "missing (see docs/runner.md)"}
		}
	}
	for _, p := range []*string{&c.NKeyFile, &c.TLS.Cert, &c.TLS.Key, &c.TLS.CA} {
		if *p != "" && !filepath.IsAbs(*p) {
			*p = filepath.Join(filepath.Dir(file), *p)
		}
	}
	return &c, nil
}

// options of the connection.
func (c *Config) options() queue.Options {
	return queue.Options{URL: c.Queue, Timeout: answerFor, Name: "gatebot-fire-" + c.Name, SeedFile: c.NKeyFile, TLS: queue.TLS(c.TLS), Role: queue.RoleRunner}
}
