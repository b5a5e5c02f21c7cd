package torchop

import "testing"

func TestNumbersParse(t *testing.T) {
	got, err := parseNumbers(numberFile)
	if err != nil || len(got) < 500 {
		t.Errorf("%d operations, want 500 at least: %v", len(got), err)
	}
	for _, bad := range []string{"torch.a\tn", "torch.a\tx\t-", "torch.a\tn\t-\ntorch.a\tn\t-"} {
		if _, err := parseNumbers(bad); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
}

// TestNumbers: what may be a tensor in one overload is none, and only a list that stands alone is taken apart.
func TestNumbers(t *testing.T) {
	for _, tt := range []struct {
		op    string
		at    int
		named string
		want  bool
	}{
		{"Tensor.roll", 0, "shifts", true},
		{"torch.roll", 0, "input", false},
		{"torch.roll", 1, "shifts", true},
		{"Tensor.clamp", 0, "min", false},
		{"Tensor.permute", 5, "dims", true},
		{"torch.nn.functional.layer_norm", 2, "weight", false},
		{"torch.nn.functional.layer_norm", 4, "eps", true},
		{"torch.nn.functional.dropout", 1, "p", true},
		{"Tensor.masked_fill_", 1, "mask", false},
		{"Tensor.softmax", 1, "dtype", false},
		{"torch.add", 2, "alpha", true},
	} {
		n, ok := Numbers(tt.op)
		if at, named := n.At(tt.at), n.Named(tt.named); (at && ok) != tt.want || (named && ok) != tt.want {
			t.Errorf("%s: argument %d %v, %s %v, want %v", tt.op, tt.at, at, tt.named, named, tt.want)
		}
	}
}
