package checks

import (
	"bytes"
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestBegin: what a memory lacks is parsed before the memory has been read, and it alone.
func TestBegin(t *testing.T) {
	files := memory{"model.py": "def step(x):\n    return x.item()\n", "other.py": "def forward(x):\n    return x.tolist()\n"}
	o := Options{Rules: []*Rule{everything}, Now: time.Unix(0, 0)}
	m := NewMemory()
	if _, err := m.Scan(context.Background(), blobs{files}, o); err != nil {
		t.Fatal(err)
	}
	data := bytes.Join(m.Save(), nil)
	files["model.py"] = "def step(x):\n    return x.cpu()\n"
	files["new.py"] = "def forward(x):\n    return x\n"
	files["tests/test_new.py"] = files["new.py"]
	want := map[string]bool{"model.py": true, "new.py": true}
	o.setDefaults()
	for name, read := range map[string]bool{"while it is read": false, "when it is there": true} {
		hold := make(chan struct{})
		m, err := LoadMemory(data, func() bool { <-hold; return true }, o.Rules)
		if err != nil {
			t.Fatal(err)
		}
		if read {
			close(hold)
			m.filesReady()
		}
		listed, err := blobs{files}.Files(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		p := &project{src: blobs{files}, opts: &o, memory: m, listed: listed}
		p.trees = newTreeCache(p)
		p.begin(context.Background())
		got := map[string]bool{}
		for path, begun := range p.ahead {
			mod, bad, err := begun()
			got[path] = err == nil && len(bad) == 0 && mod.path == path
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		if !read {
			close(hold)
		}
		m.ready()
	}
}
