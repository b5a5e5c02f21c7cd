package checks

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestLent: a function that is put into a class or an object under another name runs where that name is called.
func TestLent(t *testing.T) {
	src := `
import types
import torch
from collections import namedtuple
from typing import NamedTuple
from torch import nn
from transformers import LlamaAttention


class Block(nn.Module):
    def forward(self, x: torch.Tensor): return self.attn(x) + self.mix(x) + self.late(x)
    def attn(self, x): pass
    def mix(self, x): pass
    def late(self, x): pass
    def unused(self, x): pass
    def __init__(self):
        self.late = self.late_self
        self.act = self.unused
    def late_self(self, x): pass

def attn_fast(self, x): return self.inner_helper(x)
def mix_fast(self, x): pass
def late_fast(self, x): pass
def never(self, x): pass
def unseen(self, x): pass
def llama(self, hidden): pass
def other(self, hidden): pass

Block.attn = attn_fast
if torch.cuda.is_available():
    Block.mix = mix_fast
LlamaAttention.forward = llama
LlamaAttention.reset = other
vllm.worker.GPUModelRunner._prepare_inputs = Ours.inputs

class Ours:
    def inputs(self, out): pass
    def outputs(self, out): pass

def apply(late_fast_too, never):
    Block.late = late_fast
    Block.late = never
    block = Block()
    setattr(block, "mix", free)
    block.forward = types.MethodType(whole, block)

def free(x): pass
def whole(self, x): pass

class Fuser:
    def apply(self, module):
        module.forward = types.MethodType(self.fused, module)
        module.other = types.MethodType(self.plain, module)
    def fused(self, module, x): pass
    def plain(self, module, x): pass

def compiled(cls):
    def wrapper(self, x): pass
    cls.__call__ = wrapper
    return cls
`
	want := map[string]string{
		"m.py::Block.forward":    "Block.forward",
		"m.py::Block.late":       "Block.forward → Block.late",
		"m.py::Block.late_self":  "Block.forward → Block.late → Block.late_self",
		"m.py::Block.mix":        "Block.forward → Block.mix",
		"m.py::Fuser.fused":      "Fuser.fused",
		"m.py::Ours.inputs":      "Ours.inputs",
		"m.py::attn_fast":        "Block.forward → attn_fast",
		"m.py::compiled.wrapper": "compiled.wrapper",
		"m.py::free":             "Block.forward → Block.mix → free",
		"m.py::late_fast":        "Block.forward → Block.late → late_fast",
		"m.py::llama":            "llama",
		"m.py::mix_fast":         "Block.forward → Block.mix → mix_fast",
		"m.py::whole":            "whole",
	}
	if d := cmp.Diff(want, hotNames(t, memory{"m.py": src}, Options{})); d != "" {
		t.Error(d)
	}
}

// TestLentAgain: who a function is lent to is a fact, and outlives the process.
func TestLentAgain(t *testing.T) {
	files := memory{
		"block.py": "import torch\nfrom torch import nn\n\n\nclass Block(nn.Module):\n    def attn(self, x):\n        return x\n\n\n" +
			"class Other(nn.Module):\n    def forward(self, x: torch.Tensor):\n        return self.attn(x)\n\n    def attn(self, x):\n        return x\n\n\n" +
			"def fast(self, x):\n    return x.item()\n\n\nBlock.attn = fast\n",
		"step.py": "import torch\nfrom torch import nn\nfrom block import Block\n\n\nclass Step(nn.Module):\n    def __init__(self):\n        self.block = Block()\n\n" +
			"    def forward(self, x: torch.Tensor):\n        return self.block.attn(x).item()\n",
	}
	for _, c := range []struct{ name, file, old, text string }{
		{"taken back", "block.py", "Block.attn = fast\n", ""},
		{"to another class", "block.py", "Block.attn = fast", "Other.attn = fast"},
		{"under another name", "block.py", "Block.attn = fast", "Block.forward = fast"},
		{"only sometimes", "block.py", "Block.attn = fast", "if Other:\n    Block.attn = fast"},
		{"not bound", "block.py", "Block.attn = fast", "Block.attn = staticmethod(fast)"},
		{"its text", "block.py", "return x.item()", "return x + x.item()"},
		{"the caller", "step.py", ".item()", ".tolist()"},
	} {
		for _, saved := range []bool{false, true} {
			if cutoff(t, files, c.file, c.old, c.text, saved) == 0 {
				t.Errorf("%s, through a file %t: no task ran again", c.name, saved)
			}
		}
	}
}

// TestTupleClass: what namedtuple makes is a class with these fields.
func TestTupleClass(t *testing.T) {
	src := `
import torch
from collections import namedtuple
from typing import NamedTuple

A = namedtuple("A", ["logits", "n"])
B = namedtuple("B", "logits, n")
C = NamedTuple("C", [("logits", torch.Tensor), ("n", int)])
D = namedtuple("D", names())
E = namedtuple("E", field_names=("logits", "n"))


def forward(x: torch.Tensor):
    a = A(x, x.shape[0])
    reveal(a.logits)
    reveal(a.n)
    b = B(n=3, logits=x)
    reveal(b.logits)
    reveal(b.n)
    y, n = C(x, 4)
    reveal(y)
    reveal(n)
    reveal(D(x).logits)
    reveal(E(x, 1)[1])
`
	var got []string
	for _, f := range scanMemory(t, memory{"m.py": src}, Options{Rules: []*Rule{unresolved("reveal")}}).Findings {
		got = append(got, f.Message)
	}
	tensor := "device tensor (likely)"
	want := []string{tensor, "number", tensor, "number 3", tensor, "number 4", "unknown", "number 1"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// TestTupleClassAgain: which fields it has is a fact, and outlives the process.
func TestTupleClassAgain(t *testing.T) {
	files := memory{
		"out.py": "from collections import namedtuple\n\nOut = namedtuple(\"Out\", [\"logits\", \"n\"])\n",
		"step.py": "import torch\nfrom torch import nn\nfrom out import Out\n\n\nclass Step(nn.Module):\n" +
			"    def forward(self, x: torch.Tensor):\n        o = Out(x, 3)\n        return o.logits.item(), o.n\n",
	}
	for _, c := range []struct {
		name, old, text string
		again           int
	}{
		{"the fields in another order", "\"logits\", \"n\"", "\"n\", \"logits\"", 1},
		{"other fields", "\"logits\"", "\"hidden\"", 1},
		{"something else", "namedtuple(\"Out\", [\"logits\", \"n\"])", "make()", 1},
		{"a comment", "Out = ", "# what comes out\nOut = ", 0},
	} {
		for _, saved := range []bool{false, true} {
			if again := cutoff(t, files, "out.py", c.old, c.text, saved); again != c.again {
				t.Errorf("%s, through a file %t: %d tasks ran again, want %d", c.name, saved, again, c.again)
			}
		}
	}
}
