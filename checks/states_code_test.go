package checks

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestStateReadBack: a state that was written and read back is what it was.
func TestStateReadBack(t *testing.T) {
	m := NewMemory()
	files := memory{}
	for p, text := range circle {
		files[p] = text
	}
	files["c.py"] += "        self.many = {\"a\": [1, 2.5, \"x\", None, True], \"b\": (self.lens, lambda x: self.lens)}\n" +
		"        self.many[\"c\"] = self.many\n        n = 3\n\n        def inner(x):\n            return x + n\n\n        self.fn = inner\n"
	s, err := newScan(context.Background(), blobs{files}, Options{Rules: []*Rule{everything}}, m)
	if err != nil {
		t.Fatal(err)
	}
	read := 0
	for _, mod := range s.p.modules {
		for _, c := range mod.allCls {
			init := c.methods["__init__"]
			if init == nil {
				continue
			}
			for level := range stateLevels {
				in := newInterp(context.Background(), s.p, s.hot, s.hooks, newSink())
				in.states = s.states
				r := s.states.get(context.Background(), in, stateKey{c, init}, level)
				k := s.table.kept[r.basis.fact]
				if k == nil {
					t.Fatalf("%s at level %d is not kept", c.Name, level)
				}
				var back stateRun
				if !back.decode(s.p, []byte(k.data)) {
					t.Fatalf("%s at level %d cannot be read", c.Name, level)
				}
				if got := in.sumState(&back, nil); got != r.basis.sum || back.size != r.size {
					t.Errorf("%s at level %d is another one when it is read back", c.Name, level)
				}
				read++
				for cut := range len(k.data) { // damage is no panic
					back.decode(s.p, []byte(k.data[:cut]))
				}
			}
		}
	}
	if read != 3*stateLevels {
		t.Errorf("%d states were read", read)
	}
}

// unreadC must not be asked for c.py.
type unreadC struct{ unreadBlobs }

func (u unreadC) Read(ctx context.Context, f File) ([]byte, error) {
	if f.Path == "c.py" {
		return u.unreadBlobs.Read(ctx, f)
	}
	return u.blobs.Read(ctx, f)
}

// TestStateInAnotherProcess: a task that runs again takes the states that another process has found out.
func TestStateInAnotherProcess(t *testing.T) {
	files := memory{}
	for p, text := range circle {
		files[p] = text
	}
	files["step.py"] = "from b import B\n\nclass Model:\n    def forward(self, b: B, x):\n        y = b.lens\n        return x.sum()\n"
	o := Options{Rules: []*Rule{everything}, Now: time.Unix(0, 0)}
	m := NewMemory()
	if _, err := m.Scan(context.Background(), blobs{files}, o); err != nil {
		t.Fatal(err)
	}
	m, err := LoadMemory(bytes.Join(m.Save(), nil), nil, o.Rules)
	if err != nil {
		t.Fatal(err)
	}
	files["step.py"] = strings.Replace(files["step.py"], "x.sum()", "x.item()", 1)
	got, err := m.Scan(context.Background(), unreadC{unreadBlobs{blobs{files}, t}}, o)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(scanMemory(t, files, o), got); d != "" || len(got.Findings) == 0 {
		t.Errorf("%d findings, differences:\n%s", len(got.Findings), d)
	}
}

// TestStateMoves: a state is taken as it was when its constructor stands at another place, and shows its places there.
func TestStateMoves(t *testing.T) {
	files := memory{}
	for p, text := range circle {
		files[p] = text
	}
	files["c.py"] += "        self.made = lambda: torch.zeros(4, device=\"cuda\")\n"
	step := "from b import B\nfrom c import C\n\nclass Model:\n    def forward(self, b: B, c: C, x):\n        y = b.lens, c.made\n        return x.sum()\n"
	files["step.py"] = step
	o := Options{Rules: []*Rule{everything}, Now: time.Unix(0, 0)}
	m := NewMemory()
	if _, err := m.Scan(context.Background(), blobs{files}, o); err != nil {
		t.Fatal(err)
	}
	files["step.py"] = strings.Replace(step, "x.sum()", "b.lens.item() + c.made().item()", 1)
	files["c.py"] = "# moved\n\n" + files["c.py"]
	m.scans++
	s, err := newScan(context.Background(), blobs{files}, o, m)
	if err != nil {
		t.Fatal(err)
	}
	read := 0
	for f, k := range s.table.kept {
		if f.path == "c.py" && new(stateRun).decode(s.p, []byte(k.data)) {
			read++
		}
	}
	if read == 0 {
		t.Error("the state of C is not read back")
	}
	if err := s.interpret(context.Background()); err != nil {
		t.Fatal(err)
	}
	got, err := s.report(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(scanMemory(t, files, o), got); d != "" || len(got.Findings) < 2 {
		t.Errorf("%d findings, differences:\n%s", len(got.Findings), d)
	}
}
