package torchop

import (
	"slices"
	"strings"
	"testing"
)

func TestTableParses(t *testing.T) {
	ops, errs := parseAll()
	for _, err := range errs {
		t.Error(err)
	}
	if len(ops) < 1500 {
		t.Errorf("%d operations, want at least 1500: a file is missing", len(ops))
	}
}

// What a condition names must be a parameter, else no rule can find it in a call.
func TestConditionsNameParameters(t *testing.T) {
	for op := range All() {
		if op.Sync.When == IfFlag || op.Sync.When == Never {
			continue
		}
		for _, p := range slices.Concat(op.Sync.Operands, op.Sync.Unless) {
			if !slices.Contains(op.Params, p) {
				t.Errorf("%s: %q is not among its parameters %v", op.Name, p, op.Params)
			}
		}
	}
}

func TestLookup(t *testing.T) {
	tests := []struct {
		name   string
		result Result
		when   When
		data   bool
	}{
		{"Tensor.item", HostNum, Always, false},
		{"torch.nonzero", SameInt, Always, true},
		{"Tensor.bincount", SameInt, Always, true},
		{"torch.repeat_interleave", Same, IfDevice, false},
		{"torch.nn.functional.one_hot", SameInt, Missing, false},
		{"torch.zeros", Factory, IfDevice, false},
		{"Tensor.copy_", Self, IfTransfer, false},
		{"Tensor.any", SameBool, Never, false},
		{"torch.cuda.Event.synchronize", None, Always, false},
		{"numpy.asarray", Array, IfDevice, false},
		{"torch.nn.Linear", Module, Never, false},
		{"torch.multinomial", SameInt, Never, false},
	}
	for _, tt := range tests {
		op, ok := Lookup(tt.name)
		if !ok {
			t.Errorf("%s: not in the table", tt.name)
			continue
		}
		if op.Name != tt.name || op.Result != tt.result || op.Sync.When != tt.when || op.DataShape != tt.data {
			t.Errorf("%s: result %v, when %v, data %v; want %v, %v, %v", tt.name, op.Result, op.Sync.When, op.DataShape,
				tt.result, tt.when, tt.data)
		}
	}
	if _, ok := Lookup("torch.no_such_thing"); ok {
		t.Error("an unknown name was found")
	}
}

func TestPosition(t *testing.T) {
	tests := []struct {
		op, param string
		want      int
	}{
		{"torch.repeat_interleave", "repeats", 1},
		{"Tensor.repeat_interleave", "repeats", 0},
		{"Tensor.item", "self", -1},
		{"torch.zeros", "nothing", -1},
	}
	for _, tt := range tests {
		op, ok := Lookup(tt.op)
		if !ok {
			t.Fatal(tt.op)
		}
		if got := op.Position(tt.param); got != tt.want {
			t.Errorf("%s(%s) at %d, want %d", tt.op, tt.param, got, tt.want)
		}
	}
}

func TestBadRowsAreRefused(t *testing.T) {
	good := strings.Split("torch\tx\tsame\tsame\tnever\t-\t-\t-\t-\t-", "\t")
	if err := addRow(map[string]*Op{}, strings.Join(good, "\t")); err != nil {
		t.Fatal(err)
	}
	for column, bad := range map[int]string{2: "tensor", 3: "deep", 4: "if:", 6: "much", 7: "item"} {
		row := slices.Clone(good)
		row[column] = bad
		if err := addRow(map[string]*Op{}, strings.Join(row, "\t")); err == nil {
			t.Errorf("column %d: %q was accepted", column, bad)
		}
	}
	ops := map[string]*Op{}
	row := strings.Join(good, "\t")
	if addRow(ops, row) != nil || addRow(ops, row) == nil {
		t.Error("a name that is there twice was accepted")
	}
	if addRow(ops, "torch\tx") == nil {
		t.Error("a short row was accepted")
	}
}

func TestProvenance(t *testing.T) {
	item, _ := Lookup("Tensor.item")
	if got := item.Provenance(); !strings.Contains(got, "measured") || !strings.Contains(got, "item waits") {
		t.Error(got)
	}
	eq, _ := Lookup("torch.eq")
	if got := eq.Provenance(); got != "read from the sources" {
		t.Error(got)
	}
}
