package runner

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

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
	Devices    string        `yaml:"devices"` // CUDA_VISIBLE_DEVICES of the jobs
	Env        []string      `yaml:"env"`     // NAME passes this process's value on, NAME=value sets one
	Timeout    time.Duration `yaml:"timeout"` // of a job that names none
	Keep       bool          `yaml:"keep"`
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
	for _, p := range []*string{&c.NKeyFile, &c.Dir, &c.Gatebot, &c.TLS.Cert, &c.TLS.Key, &c.TLS.CA} {
		if *p != "" && !filepath.IsAbs(*p) {
			*p = filepath.Join(base, *p)
		}
	}
	return Options{Name: c.Name, Pools: c.Pools, WorkDir: c.Dir, URL: c.Queue, SeedFile: c.NKeyFile, TLS: queue.TLS(c.TLS),
		Executable: c.Gatebot, RequireGPU: c.RequireGPU, Devices: c.Devices, Env: c.Env, Timeout: c.Timeout, Keep: c.Keep}, nil
}
