package runner

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
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
	write("queue: nats://h:4222\nname: b200-0\nnkey_file: key\npools: [b200, default]\ndir: work\nrequire_gpu: true\ntimeout: 20m\n")
	got, err := LoadConfig(file)
	if err != nil {
		t.Fatal(err)
	}
	want := Options{Name: "b200-0", Pools: []string{"b200", "default"}, WorkDir: filepath.Join(dir, "work"),
		URL: "nats://h:4222", SeedFile: filepath.Join(dir, "key"), RequireGPU: true, Timeout: 20 * time.Minute}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	for text, want := range map[string]string{
		"queue: a\nname: b\nnkey_file: c\ndir: d\npool: [e]\n":   `:5: pool: unknown key (did you mean "pools"?)`,
		"queue: a\nname: b\nnkey_file: c\ndir: d\n":              `: pools: missing`,
		"queue: a\nname: b\nnkey_file: c\npools: [e]\n":          `: dir: missing`,
		"queue: a\nname: b\nnkey_file: c\ndir: d\npools: e: f\n": `:5: not YAML`,
	} {
		write(text)
		if _, err := LoadConfig(file); err == nil || !strings.Contains(err.Error(), file+want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	if _, err := LoadConfig(filepath.Join(dir, "none.yaml")); err == nil {
		t.Error("a file that is not there is accepted")
	}
}
