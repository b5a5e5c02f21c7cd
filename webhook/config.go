package webhook

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/gatebot/gatebot/internal/config"
)

// Config is the server's configuration file, `gatebot serve --config FILE`. Relative paths are relative to that file.
type Config struct {
	App     AppConfig      `yaml:"app"`
	GitHub  GitHubConfig   `yaml:"github"`
	Webhook SecretConfig   `yaml:"webhook"`
	Listen  ListenConfig   `yaml:"listen"`
	Data    string         `yaml:"data"` // directory of the queue's files and the mirrors; --data overrides it
	Check   CheckConfig    `yaml:"check"`
	Runners []RunnerConfig `yaml:"runners"`
}

// AppConfig says which GitHub App this is.
type AppConfig struct {
	ID             int64  `yaml:"id"`
	PrivateKeyFile string `yaml:"private_key_file"`
}

// GitHubConfig is for GitHub Enterprise Server; empty means github.com.
type GitHubConfig struct {
	APIURL     string `yaml:"api_url"`     // https://HOST/api/v3/
	GraphQLURL string `yaml:"graphql_url"` // derived from api_url when empty
	GitHost    string `yaml:"git_host"`    // host[:port] of clone URLs; derived from api_url when empty
}

// SecretConfig says where the webhook's secret is: never in the file itself. With both, the file wins. The previous one
// is accepted too, while a new one is being rolled out.
type SecretConfig struct {
	SecretFile         string `yaml:"secret_file"`
	SecretEnv          string `yaml:"secret_env"`
	PreviousSecretFile string `yaml:"previous_secret_file"`
	PreviousSecretEnv  string `yaml:"previous_secret_env"`
}

// ListenConfig are the addresses. Without queue no runner can connect from outside.
type ListenConfig struct {
	HTTP  string `yaml:"http"`
	Queue string `yaml:"queue"`
	// QueueTLS are PEM files for the queue's listener. Runners authenticate by key either way; without TLS what they
	// are sent (the code) crosses the network in the clear.
	QueueTLS TLSConfig `yaml:"queue_tls"`
}

// TLSConfig names PEM files; with a CA the runners must bring certificates of it.
type TLSConfig struct {
	Cert string `yaml:"cert"`
	Key  string `yaml:"key"`
	CA   string `yaml:"ca"`
}

// CheckConfig is what is asked of runners.
type CheckConfig struct {
	Name      string        `yaml:"name"`
	Pool      string        `yaml:"pool"`
	Timeout   time.Duration `yaml:"timeout"`
	QueueMax  time.Duration `yaml:"queue_max"`  // longest wait for a runner
	MaxBundle int64         `yaml:"max_bundle"` // bytes
	Forks     string        `yaml:"forks"`      // hold (until somebody with write access approves) or run
}

// RunnerConfig is one runner that may connect.
type RunnerConfig struct {
	Name  string   `yaml:"name"`
	Key   string   `yaml:"nkey"` // public half, begins with U
	Pools []string `yaml:"pools"`
}

// DefaultConfig has what a file may leave out.
func DefaultConfig() Config {
	p := DefaultPolicy()
	return Config{
		Listen: ListenConfig{HTTP: "127.0.0.1:8080"},
		Check:  CheckConfig{Name: p.Check, Pool: p.Pool, Timeout: p.Timeout, QueueMax: p.QueueMax, MaxBundle: p.MaxBundle, Forks: "hold"},
	}
}

// LoadConfig reads the server's configuration. Every mistake is named with file, line and key.
func LoadConfig(file string) (*Config, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("server configuration: %w (see `gatebot serve --help`)", err)
	}
	return ParseConfigFile(file, data)
}

// ParseConfigFile is LoadConfig for data that was read already.
func ParseConfigFile(file string, data []byte) (*Config, error) {
	c := DefaultConfig()
	if err := config.Strict(file, data, &c); err != nil {
		return nil, err
	}
	if err := c.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	c.relativeTo(file)
	return &c, nil
}

// check refuses what cannot work. Files are looked at when they are used.
func (c *Config) check() error {
	names := map[string]bool{}
	for i, r := range c.Runners {
		switch {
		case r.Name == "" || r.Key == "" || len(r.Pools) == 0:
			return fmt.Errorf("runners[%d]: needs name, nkey and pools", i)
		case names[r.Name]:
			return fmt.Errorf("runners[%d]: name %q is there twice", i, r.Name)
		}
		names[r.Name] = true
	}
	switch {
	case c.App.ID <= 0:
		return errors.New("app.id: missing (it is on the App's settings page)")
	case c.App.PrivateKeyFile == "":
		return errors.New("app.private_key_file: missing (download a key on the App's settings page)")
	case c.Webhook.SecretFile == "" && c.Webhook.SecretEnv == "":
		return errors.New("webhook: needs secret_file or secret_env")
	case (c.Listen.QueueTLS.Cert == "") != (c.Listen.QueueTLS.Key == ""):
		return errors.New("listen.queue_tls: needs both cert and key")
	case c.Listen.HTTP == "":
		return errors.New("listen.http: empty (HOST:PORT)")
	case c.Check.Name == "" || c.Check.Pool == "":
		return errors.New("check: name and pool must not be empty")
	case c.Check.Forks != "hold" && c.Check.Forks != "run":
		return fmt.Errorf("check.forks: %q is none of hold, run", c.Check.Forks)
	case c.Check.Timeout <= 0 || c.Check.QueueMax <= 0 || c.Check.MaxBundle <= 0:
		return errors.New("check: timeout, queue_max and max_bundle must be greater than zero")
	}
	return nil
}
