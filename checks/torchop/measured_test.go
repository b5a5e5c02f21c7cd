package torchop

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// blocking reads the measurement files: operation → number of blocking calls that a CUPTI subscriber saw.
func blocking(t *testing.T) map[string]int {
	t.Helper()
	out := map[string]int{}
	syncs := regexp.MustCompile(`'RT:cuda(?:Stream|Device|Event)Synchronize': (\d+)`)
	for _, line := range lines(t, "testdata/ops-h200.txt") {
		name, rest, ok := strings.Cut(line, " ")
		if !ok || !strings.Contains(rest, "| {") {
			continue
		}
		out[name] = 0
		for _, m := range syncs.FindAllStringSubmatch(rest, -1) {
			n, err := strconv.Atoi(m[1])
			if err != nil {
				t.Fatal(err)
			}
			out[name] += n
		}
	}
	// common-h200.txt is both tables measured again, by gatebot ops; the later word counts
	for _, line := range append(lines(t, "testdata/ops2-h200.txt"), lines(t, "testdata/common-h200.txt")...) {
		f := strings.Fields(line)
		if len(f) < 3 || !strings.Contains(line, "| {") || strings.Contains(line, "EAGER") {
			continue
		}
		n, err := strconv.Atoi(f[2])
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		out[f[0]] = n
	}
	for _, line := range lines(t, "testdata/named-h200.txt") {
		name, count, _ := strings.Cut(line, " ")
		n, err := strconv.Atoi(count)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		out[name] = n
	}
	return out
}

func lines(t *testing.T, path string) []string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, l := range strings.Split(string(data), "\n") {
		if l != "" && !strings.HasPrefix(l, "#") {
			out = append(out, l)
		}
	}
	return out
}

func TestTableAgreesWithMeasurements(t *testing.T) {
	seen := blocking(t)
	if len(seen) < 285 {
		t.Fatalf("%d measured operations read, want the 299 less the ones that are not valid", len(seen))
	}
	used := map[string]bool{}
	for op := range All() {
		var waits, free bool
		for _, m := range op.Measured {
			n, ok := seen[m.Name]
			if !ok {
				t.Errorf("%s: %s was not measured", op.Name, m.Name)
				continue
			}
			if (n > 0) != m.Syncs {
				t.Errorf("%s: the table says waits=%v for %s, measured %d blocking calls", op.Name, m.Syncs, m.Name, n)
			}
			used[m.Name] = true
			waits, free = waits || m.Syncs, free || !m.Syncs
		}
		if op.Sync.When == Always && free {
			t.Errorf("%s is said to wait always and was measured not to", op.Name)
		}
		if op.Sync.When == Never && waits {
			t.Errorf("%s is said never to wait and was measured to", op.Name)
		}
	}
	var rest []string
	for name := range seen {
		if !used[name] && !elsewhere[name] && !strings.Contains(name, ".") {
			rest = append(rest, name)
		}
	}
	if len(rest) > 0 {
		t.Errorf("measured and in no row: %v", rest)
	}
}

// elsewhere are measurements of Python itself (builtins and operators) or of whole programs; they are no torch
// operation and rules know them by their event.
var elsewhere = map[string]bool{"and_or": true, "not_t": true, "builtin_max": true, "builtin_sum": true, "sorted": true,
	"in_list": true, "percent": true, "repr_shape": true, "repr_param": true, "math_sqrt": true, "range_t": true,
	"list_mul": true, "cpu0d_add": true, "gc_collect": true, "pinned_new": true, "pinned_new_big": true,
	"alloc_new_big": true, "adam_step": true, "adam_capturable": true, "grad_scaler_like": true, "zeros_like": true,
	"legacy_stream": true, "fork_nojoin": true, "index_put_cpuval": true, "boolassign_t": true, "view_t": true,
	// one bound a tensor and the other a number: it waits, and clamp with two of a kind does not; its row has the note
	"clamp_t": true}

// testdata/named-h200.txt has one wait count per canonical name (gatebot ops --list named makes it again): a second look at the rows whose
// first source were the sources of torch.
func TestTableAgreesWithNamedMeasurements(t *testing.T) {
	n := 0
	for _, line := range lines(t, "testdata/named-h200.txt") {
		f := strings.Fields(line)
		if len(f) != 2 {
			t.Fatalf("%q: want a name and a number", line)
		}
		count, err := strconv.Atoi(f[1])
		if err != nil {
			t.Fatal(err)
		}
		op, ok := Lookup(f[0])
		if !ok {
			t.Errorf("%s was measured and is not in the table", f[0])
			continue
		}
		n++
		if op.Sync.When == Always && count == 0 || op.Sync.When == Never && count > 0 {
			t.Errorf("%s: %d waits measured, the table says %s", op.Name, count, map[When]string{Always: "always",
				Never: "never"}[op.Sync.When])
		}
	}
	if n < 600 {
		t.Errorf("%d operations compared, want at least 600", n)
	}
}

// What the rules tell people to write must neither wait nor break a capture (examples.py measured it).
func TestAdviceWasMeasured(t *testing.T) {
	advice, hazards := 0, 0
	for _, line := range lines(t, "testdata/examples-h200.txt") {
		name, outcome, ok := strings.Cut(line, " ")
		if !ok {
			t.Fatalf("%q: want a name and an outcome", line)
		}
		outcome = strings.TrimSpace(outcome)
		switch {
		case strings.HasSuffix(name, "a") && len(name) == 4:
			advice++
			if outcome != "waits 0 capture ok" {
				t.Errorf("%s is advice and was measured: %s", name, outcome)
			}
		case strings.HasSuffix(name, "b") && len(name) == 4:
			hazards++
		}
	}
	if advice < 30 || hazards < 30 {
		t.Errorf("%d pieces of advice and %d hazards measured", advice, hazards)
	}
}
