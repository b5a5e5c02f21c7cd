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
	App     AppConfig      `yaml:"app"` // or github.token_file
	GitHub  GitHubConfig   `yaml:"github"`
	Webhook SecretConfig   `yaml:"webhook"`
	Listen  ListenConfig   `yaml:"listen"`
	SignIn  SignInConfig   `yaml:"sign_in"`
	Data    string         `yaml:"data"` // directory of the queue's files and the mirrors; --data overrides it
	Queue   QueueConfig    `yaml:"queue"`
	Check   CheckConfig    `yaml:"check"`
	Runners []RunnerConfig `yaml:"runners"`
	Clients []RunnerConfig `yaml:"clients"` // developers who may send jobs of their own: gatebot fire
	Fire    FireConfig     `yaml:"fire"`
}

// FireConfig bounds what developers send.
type FireConfig struct {
	Queued int `yaml:"queued"` // jobs of one client in one pool, waiting and running; default 8
}

// QueueConfig is an external NATS cluster instead of the queue inside. With one, several servers may run.
type QueueConfig struct {
	URL      string    `yaml:"url"`       // nats://HOST:4222, several separated by commas; empty: the queue inside
	SeedFile string    `yaml:"seed_file"` // nkey seed of the user with all rights
	TLS      TLSConfig `yaml:"tls"`
	Replicas int       `yaml:"replicas"` // copies of every stream, 1 to 5; default 3
	MaxBytes int64     `yaml:"max_bytes"`
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
	WebURL     string `yaml:"web_url"`     // root of the pages for people; derived from api_url when empty
	// TokenFile holds a person's or machine account's token, for where no App can be installed: commit statuses and one
	// comment instead of check runs. Repositories, as owner/name, are those it is for.
	TokenFile    string   `yaml:"token_file"`
	Repositories []string `yaml:"repositories"`
	// Poll looks at what is open every so often, for a server that webhooks cannot reach. 0: webhooks come.
	Poll time.Duration `yaml:"poll"`
	// ContentPerMinute and ContentPerHour are what gatebot uses of GitHub's 80 and 500 content-creating requests, for one
	// installation. Several servers share them: give each its part.
	ContentPerMinute int `yaml:"content_per_minute"`
	ContentPerHour   int `yaml:"content_per_hour"`
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
	// Admin is for /metrics, /healthz and /readyz; without it /metrics is served on http, to this machine alone.
	Admin string `yaml:"admin"`
	// PublicURL is where people reach http, behind the proxy. It becomes the "Details" link of each check run.
	PublicURL string `yaml:"public_url"`
	// BoardTokenFile holds the token that opens the pages about everything, /board. Without it there are none.
	BoardTokenFile string `yaml:"board_token_file"`
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
	// GateChanges is what happens to a pull request that edits the gate itself: hold or show.
	GateChanges string `yaml:"gate_changes"`
	// Trusted logins run without an approval although GitHub knows no write permission of theirs, such as a bot's.
	Trusted []string `yaml:"trusted"`
	// OnInfra is what happens when infrastructure kept us from a verdict for good: block, or success, which opens the gate.
	OnInfra       string        `yaml:"on_infra_error"`
	Retries       int           `yaml:"retries"`         // attempts after the first that infrastructure may spoil
	Warn          time.Duration `yaml:"queue_warn"`      // when a run says that no runner has taken it
	Progress      time.Duration `yaml:"progress"`        // least time between two words about one running job; 0: none
	Families      bool          `yaml:"families"`        // a check run of its own for each check that ran
	Early         time.Duration `yaml:"early"`           // when the source is told of by itself, with families; 0: never
	RerunsPerPull int           `yaml:"reruns_per_pull"` // within an hour; 0: no limit
	RerunsPerUser int           `yaml:"reruns_per_user"` // the same, in one repository
	Reuse         bool          `yaml:"reuse"`           // a verdict stands for every commit with the same tree
	Keep          time.Duration `yaml:"keep"`            // how long finished jobs are remembered
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
		Queue:  QueueConfig{Replicas: 3},
		Fire:   FireConfig{Queued: 8},
		Check: CheckConfig{
			Name: p.Check, Pool: p.Pool, Timeout: p.Timeout, QueueMax: p.QueueMax, MaxBundle: p.MaxBundle, Forks: "hold", GateChanges: "hold",
			OnInfra: "block", Retries: p.Retries, Warn: p.QueueWarn, Progress: p.Progress, Early: p.Early, RerunsPerPull: p.RerunsPerPull, RerunsPerUser: p.RerunsPerUser, Families: p.Families, Reuse: p.Reuse, Keep: p.KeepRecord,
		},
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
	for i, r := range c.Clients {
		if r.Name == "" || r.Key == "" || len(r.Pools) == 0 {
			return fmt.Errorf("clients[%d]: needs name, nkey and pools", i)
		}
	}
	if err := errors.Join(c.checkGitHub(), c.checkSignIn()); err != nil {
		return err
	}
	switch {
	case c.Queue.URL != "" && c.Listen.Queue != "":
		return errors.New("listen.queue: there is no queue inside to listen when queue.url is set (runners connect to that)")
	case c.Queue.Replicas < 1 || c.Queue.Replicas > 5:
		return errors.New("queue.replicas: 1 to 5")
	case (c.Queue.TLS.Cert == "") != (c.Queue.TLS.Key == ""):
		return errors.New("queue.tls: needs both cert and key")
	case (c.Listen.QueueTLS.Cert == "") != (c.Listen.QueueTLS.Key == ""):
		return errors.New("listen.queue_tls: needs both cert and key")
	case c.Listen.HTTP == "":
		return errors.New("listen.http: empty (HOST:PORT)")
	case c.Check.Name == "" || c.Check.Pool == "":
		return errors.New("check: name and pool must not be empty")
	case c.Check.Forks != "hold" && c.Check.Forks != "run":
		return fmt.Errorf("check.forks: %q is none of hold, run", c.Check.Forks)
	case c.Check.GateChanges != "hold" && c.Check.GateChanges != "show":
		return fmt.Errorf("check.gate_changes: %q is none of hold, show", c.Check.GateChanges)
	case c.Check.OnInfra != "block" && c.Check.OnInfra != "success":
		return fmt.Errorf("check.on_infra_error: %q is none of block, success", c.Check.OnInfra)
	case c.Check.Retries < 0 || c.Check.Warn <= 0 || c.Check.Keep < 24*time.Hour:
		return errors.New("check: retries must not be negative, queue_warn must be greater than zero and keep at least 24h")
	case c.Fire.Queued < 1:
		return errors.New("fire.queued: must be at least 1 (leave clients out, and nobody can send anything)")
	case c.Check.Early < 0 || c.Check.RerunsPerPull < 0 || c.Check.RerunsPerUser < 0:
		return errors.New("check: early, reruns_per_pull and reruns_per_user must not be negative (0 for never, and for no limit)")
	case c.Check.Progress != 0 && c.Check.Progress < 5*time.Second:
		return errors.New("check.progress: at least 5s, or 0 for none: GitHub limits how often it may be told")
	case c.Check.Timeout <= 0 || c.Check.QueueMax <= 0 || c.Check.MaxBundle <= 0:
		return errors.New("check: timeout, queue_max and max_bundle must be greater than zero")
	}
	return nil
}
