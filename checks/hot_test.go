package checks

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// hotNames runs only the hot path and returns "path::name" of every hot function with its chain.
func hotNames(t *testing.T, files memory, opts Options) map[string]string {
	t.Helper()
	s, err := newScan(context.Background(), files, opts, nil)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, f := range s.hot.order {
		var chain []string
		for _, c := range s.hot.chain(f) {
			chain = append(chain, c.Name)
		}
		out[f.Path+"::"+f.Name] = strings.Join(chain, " → ")
	}
	return out
}

func TestReachability(t *testing.T) {
	model := `
import torch
from torch import nn
from .moe import MoE
from . import ops
from pkg.util import wrapped, fuse as f


class Base(nn.Module):
    def run(self, x):
        return self.hook(x)

    def hook(self, x):
        return x


class Layer(Base):
    def __init__(self):
        self.moe = MoE(4)
        self.norms = nn.ModuleList([Norm() for _ in range(2)])
        self.load_weights()
        self.only_init()

    def only_init(self):
        pass

    def load_weights(self):
        return self.loading()

    def loading(self):
        pass

    def forward(self, x):
        y = self.run(x)
        y = self.moe(y)
        for n in self.norms:
            y = n(y)
        return ops.act(y) + self.scale

    @property
    def scale(self):
        return table()

    def hook(self, x):
        return super().hook(x)

    def warmup(self):
        pass


class Norm(nn.Module):
    def __call__(self, x):
        return x


def table():
    return list(map(by_name, []))


def by_name(x):
    def inner():
        return 1
    return inner()


def decode_step(layer: Layer, x):
    layer.forward(x)
    layer.warmup()
    return wrapped(f(x))


def unused():
    pass
`
	files := memory{
		"pkg/__init__.py": "",
		"pkg/model.py":    model,
		"pkg/moe.py":      "class MoE:\n    def __init__(self, n): pass\n    def forward(self, x):\n        return self._route(x)\n    def _route(self, x): return x\n    def other(self): pass\n",
		"pkg/ops.py":      "from .util import helper as act\n",
		"pkg/util.py":     "def helper(x): return x\ndef fuse(x): return x\ndef deco(fn):\n    def around(*a):\n        return fn(*a)\n    return around\n@deco\ndef wrapped(x): return x\n",
		"tests/t.py":      "def forward(x): pass\n",
		"bench_x.py":      "def step(x): pass\n",
	}
	got := hotNames(t, files, Options{Roots: []Selector{{Path: "pkg/model.py", Name: "decode_step"}}})
	want := map[string]string{
		"pkg/model.py::decode_step":   "decode_step",
		"pkg/model.py::Layer.forward": "decode_step → Layer.forward",
		"pkg/model.py::Base.run":      "decode_step → Layer.forward → Base.run",
		"pkg/model.py::Base.hook":     "decode_step → Layer.forward → Base.run → Base.hook",
		"pkg/model.py::Layer.hook":    "decode_step → Layer.forward → Base.run → Layer.hook",
		"pkg/model.py::Layer.scale":   "decode_step → Layer.forward → Layer.scale",
		"pkg/model.py::Norm.__call__": "decode_step → Layer.forward → Norm.__call__",
		"pkg/model.py::table":         "decode_step → Layer.forward → Layer.scale → table",
		"pkg/model.py::by_name":       "decode_step → Layer.forward → Layer.scale → table → by_name",
		"pkg/model.py::by_name.inner": "decode_step → Layer.forward → Layer.scale → table → by_name → by_name.inner",
		"pkg/moe.py::MoE.forward":     "decode_step → Layer.forward → MoE.forward",
		"pkg/moe.py::MoE._route":      "decode_step → Layer.forward → MoE.forward → MoE._route",
		"pkg/util.py::helper":         "decode_step → Layer.forward → helper",
		"pkg/util.py::fuse":           "decode_step → fuse",
		"pkg/util.py::wrapped":        "decode_step → wrapped",
		"pkg/util.py::deco.around":    "decode_step → wrapped → deco.around",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestRoots(t *testing.T) {
	src := `
import triton
from torch import nn

class M(nn.Module):
    def forward(self): pass
    def __call__(self): pass
    def __init__(self): self.x = 1
class Plain:
    def __call__(self): pass
    def run_step(self): pass
def decode(): pass
def decode_many(): pass
def step(): pass
def stepper(): pass
def load_weights(): pass
@triton.jit
def kernel_step(): pass
`
	names := func(m map[string]string) []string {
		out := sortedKeys(m)
		for i := range out {
			out[i] = out[i][strings.Index(out[i], "::")+2:]
		}
		return out
	}
	defaults := []string{"M.__call__", "M.forward", "Plain.run_step", "decode", "decode_many", "step"}
	for _, c := range []struct {
		name string
		path string
		opts Options
		want []string
	}{
		{"defaults", "m.py", Options{}, defaults},
		{"tests are cold", "tests/m.py", Options{}, []string{}},
		{"unless included", "tests/m.py", Options{Include: []string{"tests/**"}}, []string{}},
		{"excluded", "gen/m.py", Options{Exclude: []string{"gen/**"}}, []string{}},
		{"configured", "m.py", Options{Roots: []Selector{{"m.py", "Plain.*"}}}, []string{"Plain.__call__", "Plain.run_step"}},
		{"a configured root may have a cold name", "m.py", Options{Roots: []Selector{{"**", "load_weights"}}}, []string{"load_weights"}},
		{"load time wins over the defaults", "m.py", Options{LoadTime: []Selector{{"**", "decode*"}}},
			[]string{"M.__call__", "M.forward", "Plain.run_step", "step"}},
		{"all functions", "tests/m.py", Options{AllFunctions: true}, []string{"M.__call__", "M.__init__", "M.forward",
			"Plain.__call__", "Plain.run_step", "decode", "decode_many", "load_weights", "step", "stepper"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := names(hotNames(t, memory{c.path: src}, c.opts))
			if !slices.Equal(got, c.want) {
				t.Errorf("hot: %v, want %v", got, c.want)
			}
		})
	}
}

// TestDefaultRoots is what an engine runs in a step without calling it forward or decode.
func TestDefaultRoots(t *testing.T) {
	src := `
import torch

class FlashMetadataBuilder:
    def build(self, n, meta): return self._fill(meta)
    def _fill(self, meta): pass
    def reorder(self): pass
    def build_for_cudagraph_capture(self, n): pass
class ModelBuilder:
    def __init__(self): pass
class GPUModelRunner:
    def execute_model(self, out): self._tail(out)
    def _prepare_inputs(self, out): pass
    def _tail(self, out): torch.ops.lib.fused_op(out)
    def load_model(self): self.quantize()
    def quantize(self): pass
    def capture_model(self): pass
class TopKSampler:
    def sample(self, logits): pass
class DecodeWrapper:
    def plan(self, indptr): pass
class Config:
    def build(self): pass
    def apply(self): pass
class Fp8Method:
    def apply(self, layer, x): pass
    def process_weights_after_loading(self, layer): pack(layer)
def permute(x: torch.Tensor, n: int): pass
def gather(xs: list[torch.Tensor]): pass
def pack(w: torch.Tensor): pass
class FocalLoss:
    def forward(self, x: torch.Tensor): pass
class CPUMetadataBuilder:
    def build(self, n): pass
def count(n: int): pass
def copy_cpu(x: torch.Tensor): pass
def _maybe_compile_all(x: torch.Tensor): pass
def fused_op(n): pass
def balancing_loss_func(logits: torch.Tensor): pass
def debug_api(fn):
    def wrapper(x: torch.Tensor): return describe(x)
    return wrapper
def describe(x: torch.Tensor): pass
def load_shard(w: torch.Tensor): pass
def nested(n):
    def inner(x: torch.Tensor): pass
`
	want := []string{"DecodeWrapper.plan", "FlashMetadataBuilder._fill", "FlashMetadataBuilder.build", "Fp8Method.apply",
		"GPUModelRunner._prepare_inputs", "GPUModelRunner._tail", "GPUModelRunner.execute_model", "TopKSampler.sample", "fused_op", "gather", "permute"}
	var got []string
	for _, name := range sortedKeys(hotNames(t, memory{"m.py": src}, Options{})) {
		got = append(got, name[len("m.py::"):])
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestGlob(t *testing.T) {
	for _, c := range []struct {
		pattern, path string
		want          bool
	}{
		{"**", "a/b.py", true},
		{"a/**", "a/b/c.py", true},
		{"a/**", "b/a/c.py", false},
		{"**/tests/**", "x/tests/y/z.py", true},
		{"**/tests/**", "tests/z.py", true},
		{"a", "a/b.py", true},
		{"a/", "a/b.py", true},
		{"*.py", "a/b.py", true},
		{"a/*.py", "a/b/c.py", false},
		{"a/?.py", "a/b.py", true},
		{"test_*.py", "x/test_a.py", true},
		{"test_*.py", "x/a_test_b.py", false},
		{"./a.py", "a.py", true},
	} {
		if got := matchPath(c.pattern, c.path); got != c.want {
			t.Errorf("matchPath(%q, %q) = %v", c.pattern, c.path, got)
		}
	}
	long := strings.Repeat("a", 2000)
	if matchGlob(strings.Repeat("*a", 40)+"b", long, '/') {
		t.Error("a pattern that must not match did")
	}
}

func TestProtocolState(t *testing.T) {
	src := `
import torch

def build(device):
    return {"x": torch.zeros(4, 2).to(device), "host": torch.zeros(4), "n": 3}

def prepare(state, i):
    reveal(state["x"])

def step(state, i):
    reveal(state["x"])  # is "device tensor, 2-d, float (likely)"
    reveal(state["host"])  # is "CPU tensor (pageable), 1-d, float (likely)"
    reveal(state["n"])  # is "number 3"
    reveal(i)  # is "number"
    return helper(state["x"])

def helper(x):
    reveal(x)  # is "device tensor, 2-d, float (likely)"
    return x
`
	for _, path := range []string{"gate.py", "tests/gate_step.py"} {
		rep := scanMemory(t, memory{path: src}, Options{Rules: []*Rule{unresolved("reveal")}})
		want := expected(src, "is")
		for _, f := range rep.Findings {
			if w := want[f.Line]; len(w) == 0 || w[0] != f.Message {
				t.Errorf("%s:%d: taken for %q, want %q", path, f.Line, f.Message, w)
			}
			delete(want, f.Line)
		}
		if len(want) > 0 {
			t.Errorf("%s: nothing at %v", path, want)
		}
	}
}
