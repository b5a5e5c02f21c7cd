package treesitter

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// swallowing are pieces that change what comes after them, or that cannot be read.
var swallowing = [][]byte{[]byte("\"\"\""), []byte("'''"), []byte("("), []byte("]"), []byte("{"), []byte("\""), []byte("f\"{x"), []byte("\\\n"),
	[]byte("#"), []byte("    "), []byte("\n"), []byte("def f():\n"), []byte("    if x:\n"), []byte("else:\n"), []byte("class A:\n"), []byte("\t"),
	[]byte("x = 1\n"), []byte("async "), []byte("match x:\n"), []byte("é"), []byte("\xff"), []byte("\r\n"), []byte("\x00"), []byte("print x, y\n"),
	[]byte("lambda: "), []byte("@d\n"), []byte("$"), []byte("type X = int\n"), []byte("return "), []byte("*a, b = c\n"), []byte(":")}

// pair parses every text it is given from nothing and from the version before.
type pair struct {
	t            testing.TB
	fresh, again *Parser
	versions     *Versions
	n, kept      int
}

func newPair(t testing.TB) *pair {
	t.Helper()
	p := &pair{t: t, versions: NewVersions(256 << 20)}
	t.Cleanup(p.versions.Close)
	for _, q := range []**Parser{&p.fresh, &p.again} {
		var err error
		if *q, err = NewParser(Python()); err != nil {
			t.Fatal(err)
		}
		t.Cleanup((*q).Close)
	}
	return p
}

func (p *pair) compare(name string, src []byte) {
	p.t.Helper()
	want, err := p.fresh.Parse(context.Background(), src, time.Minute, 1<<30)
	if err != nil {
		p.t.Fatal(err)
	}
	_, was := p.versions.trees.Get(name)
	got, err := p.again.ParseVersion(context.Background(), p.versions, name, src, time.Minute, 1<<30)
	if err != nil {
		p.t.Fatal(err)
	}
	p.n++
	if _, now := p.versions.trees.Get(name); was && now {
		p.kept++
	}
	if !bytes.Equal(Pack(want), Pack(got)) {
		p.t.Errorf("%s, version %d: another tree than from nothing\n%.2000s", name, p.n, src)
	}
}

// TestVersionsGiveTheSameTrees: a text parsed from a version of it has the tree that it has when parsed from nothing, whatever was
// done to it.
func TestVersionsGiveTheSameTrees(t *testing.T) {
	paths, err := filepath.Glob("../../examples/dsv4/dsv4/*.py")
	more, err2 := filepath.Glob("../../checks/gb*/testdata/*.py")
	if err != nil || err2 != nil || len(paths) < 3 || len(more) < 10 {
		t.Fatal(paths, more, err, err2)
	}
	p, r := newPair(t), rand.New(rand.NewPCG(3, 4))
	for _, path := range append(paths, more...) {
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		src := whole
		p.compare(path, src)
		for range 6 {
			if src = mutate(r, src, swallowing); r.IntN(3) == 0 {
				src = whole // it can be read again
			}
			p.compare(path, src)
		}
	}
	if p.kept < p.n/20 {
		t.Errorf("%d of %d texts were parsed from a version before; that shows nothing", p.kept, p.n)
	}
}

// TestVersionsOfVLLM compares every version of twenty large files that change often.
func TestVersionsOfVLLM(t *testing.T) {
	dir := os.Getenv("VLLM_DIR")
	if dir == "" {
		t.Skip("VLLM_DIR is not set: no history to compare trees of")
	}
	git := func(args ...string) []byte {
		out, err := exec.Command("git", append([]string{"-C", dir}, args...)...).Output()
		if err != nil {
			t.Fatal(args, err)
		}
		return out
	}
	p := newPair(t)
	for _, path := range strings.Fields(`vllm/v1/worker/gpu_model_runner.py vllm/v1/worker/gpu_worker.py vllm/v1/core/sched/scheduler.py vllm/envs.py
		vllm/config/vllm.py vllm/config/model.py vllm/engine/arg_utils.py vllm/model_executor/layers/fused_moe/layer.py
		vllm/model_executor/layers/fused_moe/fused_moe.py vllm/v1/attention/backends/flashinfer.py vllm/v1/attention/backends/flash_attn.py
		vllm/v1/attention/backends/mla/common.py vllm/platforms/cuda.py vllm/model_executor/models/registry.py vllm/model_executor/models/deepseek_v2.py
		vllm/_custom_ops.py vllm/distributed/parallel_state.py vllm/v1/spec_decode/eagle.py vllm/entrypoints/llm.py vllm/utils/__init__.py`) {
		for _, c := range strings.Fields(string(git("log", "--first-parent", "--reverse", "--diff-filter=AM", "--format=%H", "--", path))) {
			p.compare(path, git("show", c+":"+path))
		}
	}
	t.Logf("%d versions, %d of them from the one before", p.n, p.kept)
	if p.kept < p.n/2 {
		t.Error("less than half of them were parsed from the version before")
	}
}

func FuzzVersions(f *testing.F) {
	f.Add([]byte("def f(x):\n    return x\n"), []byte("def f(x):\n    \"\"\"\n    return x\n"))
	f.Add([]byte("x = (1,\n"), []byte("x = (1,\n2)\n"))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		p := newPair(t)
		p.compare("a", a)
		p.compare("a", b)
		p.compare("a", a)
		checkEdits(t, "edits", edits(a, b), a, b)
	})
}

// TestVersionsStayWithinTheirRoom: what was not used for longest goes first, and nothing stays behind.
func TestVersionsStayWithinTheirRoom(t *testing.T) {
	p := newPair(t)
	p.compare("a", []byte("x = 1\n"))
	_, cost := p.versions.trees.Held()
	p.versions.trees.Resize(2*cost + 1)
	p.compare("b", []byte("x = 2\n"))
	p.compare("a", []byte("x = 3\n"))
	p.compare("c", []byte("x = 4\n"))
	held := func(name string) bool { _, ok := p.versions.trees.Get(name); return ok }
	if _, used := p.versions.trees.Held(); used != 2*cost || held("b") || !held("a") || !held("c") {
		t.Errorf("%d bytes of %d; a %t, b %t, c %t", used, 2*cost, held("a"), held("b"), held("c"))
	}
	p.versions.Close()
	p.compare("a", []byte("x = 5\n"))
	if n, used := p.versions.trees.Held(); n != 0 || used != 0 {
		t.Errorf("after it was closed: %d trees of %d bytes", n, used)
	}
}
