package checks

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gatebot/gatebot/internal/finding"
)

// TestSkipCold: what a scan of a tree can show, a look at one file with every function hot shows too; what stands in a
// function that no step runs is left out. A lambda of such a function may be called by a step.
func TestSkipCold(t *testing.T) {
	rules := []*Rule{unresolved("mark"), {ID: "GB601", Severity: finding.Error, Setup: true, Mentions: []string{"graph"}, Calls: []string{"torch.cuda.graph"},
		Call: func(p *Pass, c *Call) { p.Report(c.Node, nil, "graph") }}}
	files := memory{"m.py": `import torch


def helper(x):
    return mark(x)


class M(torch.nn.Module):
    def __init__(self):
        mark(1)
        helper(1)
        with torch.cuda.graph(1):
            pass

    def process_weights_after_loading(self):
        def inner():
            return mark(2)

        return inner

    def warm_up_all(self):
        mark(3)

    def setup_act(self):
        self.act = lambda x: mark(x)

    def forward(self, x):
        return self.act(mark(x))
`}
	lines := func(o Options) (out []string) {
		o.Rules = rules
		for _, f := range scanMemory(t, files, o).Findings {
			out = append(out, fmt.Sprintf("%d %s", f.Line, f.Function))
		}
		return out
	}
	for name, c := range map[string]struct {
		opts Options
		want []string
	}{
		"all": {Options{AllFunctions: true}, []string{"5 helper", "10 M.__init__", "12 M.__init__", "17 M.process_weights_after_loading.inner", "22 M.warm_up_all",
			"25 M.setup_act", "28 M.forward"}},
		"all but cold": {Options{AllFunctions: true, SkipCold: true}, []string{"5 helper", "12 M.__init__", "17 M.process_weights_after_loading.inner",
			"25 M.setup_act", "28 M.forward"}},
		"a cold root": {Options{AllFunctions: true, SkipCold: true, Roots: []Selector{{"**", "M.warm*"}}}, []string{"5 helper", "12 M.__init__",
			"17 M.process_weights_after_loading.inner", "22 M.warm_up_all", "25 M.setup_act", "28 M.forward"}},
		"cold by configuration": {Options{AllFunctions: true, SkipCold: true, LoadTime: []Selector{{"**", "helper"}}}, []string{"12 M.__init__",
			"17 M.process_weights_after_loading.inner", "25 M.setup_act", "28 M.forward"}},
	} {
		if d := cmp.Diff(c.want, lines(c.opts)); d != "" {
			t.Errorf("%s: want (-), have (+)\n%s", name, d)
		}
	}
	all := map[string]bool{}
	for _, l := range lines(Options{AllFunctions: true, SkipCold: true}) {
		all[l] = true
	}
	for _, l := range lines(Options{}) {
		if !all[l] {
			t.Errorf("a scan shows %s, and the look does not", l)
		}
	}
}
