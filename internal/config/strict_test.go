package config

import (
	"testing"
	"time"
)

type strictSample struct {
	Name string `yaml:"name"`
	TLS  struct {
		Cert string `yaml:"cert"`
	} `yaml:"tls"`
	List []struct {
		Pools []string `yaml:"pools"`
	} `yaml:"list"`
	Wait time.Duration `yaml:"wait"`
}

func TestStrict(t *testing.T) {
	var s strictSample
	if err := Strict("f.yaml", []byte("name: a\ntls: {cert: c}\nlist: [{pools: [x]}]\nwait: 3s\n"), &s); err != nil {
		t.Fatal(err)
	}
	if s.Name != "a" || s.TLS.Cert != "c" || s.List[0].Pools[0] != "x" || s.Wait != 3*time.Second {
		t.Errorf("got %+v", s)
	}
	for in, want := range map[string]string{
		"nmae: a\n":               `f.yaml:1: nmae: unknown key (did you mean "name"?)`,
		"tls:\n  crt: c\n":        `f.yaml:2: tls.crt: unknown key (did you mean "cert"?)`,
		"list:\n- {pool: [x]}\n":  `f.yaml:2: list[0].pool: unknown key (did you mean "pools"?)`,
		"name: a\nname: b\n":      `f.yaml:2: name: given twice (keep one)`,
		"name: a\nwait: [1]\n":    "f.yaml:2: cannot unmarshal !!seq into time.Duration",
		"- a\n":                   "f.yaml:1: cannot unmarshal !!seq into config.strictSample",
		"name: a\n---\nname: b\n": "f.yaml: more than one YAML document (keep one)",
	} {
		var s strictSample
		if err := Strict("f.yaml", []byte(in), &s); err == nil || err.Error() != want {
			t.Errorf("%q: got %v, want %s", in, err, want)
		}
	}
	if err := Strict("f.yaml", nil, &s); err != nil {
		t.Errorf("an empty file says nothing: %v", err)
	}
}
