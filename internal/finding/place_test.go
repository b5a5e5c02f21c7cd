package finding

import "testing"

// TestPlaceOfNativeCode: what has no line was written as prog:0:0.
func TestPlaceOfNativeCode(t *testing.T) {
	for want, f := range map[string]Finding{
		"a.py:3:5":           {Path: "a.py", Line: 3, Column: 5, Function: "step"},
		"prog (decode_step)": {Path: "prog", Function: "decode_step"},
		"xla_cuda_plugin.so": {Path: "xla_cuda_plugin.so"},
	} {
		if got := f.Place(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
