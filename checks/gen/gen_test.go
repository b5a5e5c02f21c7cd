package gen

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRegistryIsFresh(t *testing.T) {
	packages, err := Packages("..")
	if err != nil {
		t.Fatal(err)
	}
	want, err := Registry(packages)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../registry/rules.go")
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Error("checks/registry/rules.go is stale: run `make generate`")
	}
	for _, p := range packages {
		if _, err := os.Stat(filepath.Join("..", p, "testdata")); err != nil {
			continue
		}
		got, err := os.ReadFile(filepath.Join("..", p, p+"_test.go"))
		if err != nil || string(got) != string(Test(p)) {
			t.Errorf("%s: its test is missing or stale: run `make generate`", p)
		}
	}
}

func TestNewWritesARule(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "registry"), 0o755); err != nil {
		t.Fatal(err)
	}
	catalogue := filepath.Join(dir, "registry", "catalogue.tsv")
	if err := os.WriteFile(catalogue, []byte("# header\nGB101\ta\t1\terror\t-\tA.\nGB201\tb\t1\terror\t-\tB.\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time the id is there
		if err := listed(catalogue, "GB199", "some-hazard"); err != nil {
			t.Fatal(err)
		}
	}
	lines, err := os.ReadFile(catalogue)
	if err != nil || strings.Count(string(lines), "GB199") != 1 ||
		strings.Index(string(lines), "GB199") < strings.Index(string(lines), "GB101") ||
		strings.Index(string(lines), "GB199") > strings.Index(string(lines), "GB201") {
		t.Errorf("the catalogue: %v\n%s", err, lines)
	}
	if err := New(dir, "GB199", "some-hazard"); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"gb199/gb199.go", "gb199/gb199_test.go", "registry/rules.go"} {
		if _, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, path), nil, parser.AllErrors); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "gb199", "testdata", "hazards.py")); err != nil {
		t.Error(err)
	}
	src, err := os.ReadFile(filepath.Join(dir, "registry", "rules.go"))
	if err != nil || !strings.Contains(string(src), "gb199.Rule,") {
		t.Errorf("the registry does not list the new rule: %v\n%s", err, src)
	}
}

func TestNewRefuses(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "registry"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "registry", "catalogue.tsv"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := New(dir, "GB150", "taken"); err != nil {
		t.Fatal(err)
	}
	tests := []struct{ id, name, want string }{
		{"GB1", "x", "three digits"},
		{"gb101", "x", "three digits"},
		{"GB101", "Not A Name", "lower-case"},
		{"GB150", "again", "never reused"},
	}
	for _, tt := range tests {
		err := New(dir, tt.id, tt.name)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("New(%q, %q) = %v, want %q", tt.id, tt.name, err, tt.want)
		}
	}
}
