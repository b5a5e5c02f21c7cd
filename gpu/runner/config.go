package runner

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gatebot/gatebot/gpu/sandbox"
	"github.com/gatebot/gatebot/internal/config"
	"github.com/gatebot/gatebot/internal/queue"
)

// Config is the runner's configuration file, `gatebot runner --config FILE`. Relative paths are relative to that file.
type Config struct {
	Queue      string        `yaml:"queue"` // nats://host:4222, or tls://…
	TLS        TLSConfig     `yaml:"tls"`
	Name       string        `yaml:"name"`
	NKeyFile   string        `yaml:"nkey_file"` // seed; its public half is in the server's configuration
	Pools      []string      `yaml:"pools"`
	Dir        string        `yaml:"dir"` // spool and attempts
	Gatebot    string        `yaml:"gatebot"`
	RequireGPU bool          `yaml:"require_gpu"`
	GPUs       []string      `yaml:"gpus"`    // UUIDs, numbers of nodes or PCI addresses; empty: the only one there is
	Devices    string        `yaml:"devices"` // older form of gpus: one string, separated by commas
	LockDir    string        `yaml:"lock_dir"`
	Sandbox    SandboxConfig `yaml:"sandbox"`
	Health     HealthConfig  `yaml:"health"`
	CacheSeed  string        `yaml:"cache_seed"` // folder that is copied into each job's cache
	Python     string        `yaml:"python"`     // of scripts that developers send
	Env        []string      `yaml:"env"`        // NAME passes this process's value on, NAME=value sets one
	Timeout    time.Duration `yaml:"timeout"`    // of a job that names none
	Keep       bool          `yaml:"keep"`
}

// SandboxConfig says how jobs are confined; see Sandbox for the defaults.
type SandboxConfig struct {
	Kind    string   `yaml:"kind"` // podman, bubblewrap, systemd or none; empty: the first that holds
	User    string   `yaml:"user"`
	Image   string   `yaml:"image"`
	See     []string `yaml:"see"`
	Secrets []string `yaml:"secrets"`
	Limits  string   `yaml:"limits"` // required, best_effort or off
	Memory  Size     `yaml:"memory"`
	Scratch Size     `yaml:"scratch"`
	Disk    Size     `yaml:"disk"`
	Pids    int64    `yaml:"pids"`
	CPUs    float64  `yaml:"cpus"`
}

// HealthConfig says how the devices are looked at; see Health for the defaults.
type HealthConfig struct {
	Off     bool          `yaml:"off"`
	MinFree float64       `yaml:"min_free"`
	Canary  time.Duration `yaml:"canary"`
	Settle  time.Duration `yaml:"settle"`
	Reset   []string      `yaml:"reset"`
	Retry   time.Duration `yaml:"retry"`
}

// Size is a number of bytes, written as one or with a unit: 64GiB, 500MiB.
type Size int64

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *Size) UnmarshalText(text []byte) error {
	word := string(text)
	factor := int64(1)
	for unit, f := range map[string]int64{"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40} {
		if rest, ok := strings.CutSuffix(word, unit); ok {
			word, factor = strings.TrimSpace(rest), f
			break
		}
	}
	n, err := strconv.ParseInt(word, 10, 64)
	if err != nil || n < 0 || n > (1<<62)/factor {
		return fmt.Errorf("%q is no size (write 64GiB, 500MiB or a number of bytes)", text)
	}
	*s = Size(n * factor)
	return nil
}

// TLSConfig names PEM files for the connection to the queue.
type TLSConfig struct {
	Cert string `yaml:"cert"`
	Key  string `yaml:"key"`
	CA   string `yaml:"ca"`
}

// LoadConfig reads the runner's configuration into options. Every mistake is named with file, line and key.
func LoadConfig(file string) (Options, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return Options{}, fmt.Errorf("runner configuration: %w (see gatebot runner --help)", err)
	}
	var c Config
	if err := config.Strict(file, data, &c); err != nil {
		return Options{}, err
	}
	for key, value := range map[string]string{"queue": c.Queue, "name": c.Name, "nkey_file": c.NKeyFile, "dir": c.Dir} {
		if value == "" {
			return Options{}, &config.Error{File: file, Key: key, Problem: "missing (see gatebot runner --help)"}
		}
	}
	if len(c.Pools) == 0 {
		return Options{}, &config.Error{File: file, Key: "pools", Problem: "missing (name at least one, such as [default])"}
	}
	base := filepath.Dir(file)
	kind := sandbox.Kind(c.Sandbox.Kind)
	if kind != "" && kind != sandbox.None && !slices.Contains(sandbox.Kinds, kind) {
		return Options{}, &config.Error{File: file, Key: "sandbox.kind", Problem: fmt.Sprintf("%q is none of podman, bubblewrap, systemd, none", kind)}
	}
	box := Sandbox{Kind: kind, User: c.Sandbox.User, Image: c.Sandbox.Image, See: c.Sandbox.See, Limits: c.Sandbox.Limits,
		Secrets: append(c.Sandbox.Secrets, file), Memory: int64(c.Sandbox.Memory), Scratch: int64(c.Sandbox.Scratch),
		Disk: int64(c.Sandbox.Disk), Pids: c.Sandbox.Pids, CPUs: c.Sandbox.CPUs}
	if err := box.fill(); err != nil {
		return Options{}, &config.Error{File: file, Key: "sandbox.limits", Problem: err.Error()}
	}
	for _, p := range []*string{&c.NKeyFile, &c.Dir, &c.Gatebot, &c.CacheSeed, &c.TLS.Cert, &c.TLS.Key, &c.TLS.CA} {
		if *p != "" && !filepath.IsAbs(*p) {
			*p = filepath.Join(base, *p)
		}
	}
	return Options{Name: c.Name, Pools: c.Pools, WorkDir: c.Dir, URL: c.Queue, SeedFile: c.NKeyFile, TLS: queue.TLS(c.TLS),
		Executable: c.Gatebot, RequireGPU: c.RequireGPU, GPUs: c.GPUs, Devices: c.Devices, LockDir: c.LockDir, Sandbox: box,
		Health: Health(c.Health), Seed: c.CacheSeed, Python: c.Python, Env: c.Env, Timeout: c.Timeout, Keep: c.Keep}, nil
}
