package corpustest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/checks/registry"
	"github.com/gatebot/gatebot/checks/ruletest"
	"github.com/gatebot/gatebot/internal/finding"
)

// prelude is the class that every snippet is the forward method of. x is a device tensor, n and step host ints.
const prelude = `import logging
import math
import numpy as np
import torch
import torch.nn.functional as F

VERBOSE = 0
DEBUG = False
logger = logging.getLogger(__name__)


class Layer(torch.nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg
        self.weight = torch.nn.Parameter(torch.randn(8, 8))
        self.vec = torch.zeros(8, device="cuda")
        self.mat = torch.zeros(8, 8, device="cuda")
        self.idx = torch.zeros(4, dtype=torch.int64, device="cuda")
        self.pos = torch.zeros((), dtype=torch.int64, device="cuda")
        self.mask = torch.ones(8, dtype=torch.bool, device="cuda")
        self.ones = torch.ones(4, device="cuda")
        self.host = torch.zeros(8)
        self.pinned = torch.zeros(8, pin_memory=True)
        self.offsets = torch.zeros(9, dtype=torch.int32, device="cuda")

    def forward(self, x: torch.Tensor, n: int, step: int):
`

type snippet struct {
	item string   // the row of the document it comes from
	body string   // lines of forward, or, when it starts with "def" or "class", code of its own at the top level
	want []string // "GB101", "GB101 suppressed", "GB505 info", sorted; nothing else may be reported
}

func (s *snippet) source() string {
	if strings.HasPrefix(s.body, "def ") || strings.HasPrefix(s.body, "class ") {
		return prelude + "        return x\n\n\n" + s.body + "\n"
	}
	return prelude + "        " + strings.ReplaceAll(s.body, "\n", "\n        ") + "\n        return x\n"
}

func (s *snippet) check(t *testing.T) {
	t.Helper()
	var got []string
	src := map[string][]byte{"layer.py": []byte(s.source())}
	for _, f := range ruletest.Scan(t, src, checks.Options{Rules: registry.Rules}) {
		got = append(got, label(&f))
	}
	slices.Sort(got)
	if !slices.Equal(got, s.want) {
		t.Errorf("%s:\n%s\nreported %v, want %v", s.item, s.body, got, s.want)
	}
}

// label is the rule and what keeps the finding from gating.
func label(f *finding.Finding) string {
	switch {
	case f.Suppressed != nil:
		return f.Rule + " suppressed"
	case f.Confidence == finding.Possible:
		return f.Rule + " possible"
	case f.Severity == finding.Info:
		return f.Rule + " info"
	}
	return f.Rule
}

func run(t *testing.T, snippets []snippet) {
	t.Helper()
	for i := range snippets {
		s := &snippets[i]
		t.Run(fmt.Sprintf("%02d", i+1), func(t *testing.T) { s.check(t) })
	}
}
