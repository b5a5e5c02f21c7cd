package runner

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gatebot/gatebot/gpu/sandbox"
)

func TestLoadConfig(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "runner.yaml")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("queue: nats://h:4222\nname: b200-0\nnkey_file: key\npools: [b200, default]\ndir: work\nrequire_gpu: true\ntimeout: 20m\n" +
		"gpus: [GPU-1]\nsandbox: {kind: bubblewrap, user: jobs, see: [/data], memory: 2GiB, disk: 1000}\nhealth: {canary: 5m}\ncache_seed: seed\n")
	got, err := LoadConfig(file)
	if err != nil {
		t.Fatal(err)
	}
	want := Options{Name: "b200-0", Pools: []string{"b200", "default"}, WorkDir: filepath.Join(dir, "work"),
		URL: "nats://h:4222", SeedFile: filepath.Join(dir, "key"), RequireGPU: true, Timeout: 20 * time.Minute,
		GPUs: []string{"GPU-1"}, Seed: filepath.Join(dir, "seed"), Health: Health{Canary: 5 * time.Minute},
		Sandbox: Sandbox{Kind: sandbox.Bubblewrap, User: "jobs", See: []string{"/data"}, Secrets: []string{file}, Limits: LimitsRequired,
			Memory: 2 << 30, Scratch: 8 << 30, Disk: 1000, Pids: 4096}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	for text, want := range map[string]string{
		"queue: a\nname: b\nnkey_file: c\ndir: d\npool: [e]\n":                                `:5: pool: unknown key (did you mean "pools"?)`,
		"queue: a\nname: b\nnkey_file: c\ndir: d\n":                                           `: pools: missing`,
		"queue: a\nname: b\nnkey_file: c\npools: [e]\n":                                       `: dir: missing`,
		"queue: a\nname: b\nnkey_file: c\ndir: d\npools: e: f\n":                              `:5: not YAML`,
		"queue: a\nname: b\nnkey_file: c\ndir: d\npools: [e]\nsandbox: {kind: chroot}\n":      "sandbox.kind",
		"queue: a\nname: b\nnkey_file: c\ndir: d\npools: [e]\nsandbox: {memory: lots}\n":      "lots",
		"queue: a\nname: b\nnkey_file: c\ndir: d\npools: [e]\nsandbox: {limits: sometimes}\n": "sandbox.limits",
	} {
		write(text)
		if _, err := LoadConfig(file); err == nil || !strings.Contains(err.Error(), file) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	if _, err := LoadConfig(filepath.Join(dir, "none.yaml")); err == nil {
		t.Error("a file that is not there is accepted")
	}
}
