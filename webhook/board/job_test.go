package board

import (
	"fmt"
	"strings"
	"testing"
)

func TestPhases(t *testing.T) {
	for name, c := range map[string]struct {
		p       Progress
		verdict bool
		want    string
	}{
		"at the beginning":    {Progress{Phase: "checkout"}, false, "checkout:running source:ahead device:ahead canary:ahead load:ahead eager:ahead sync:ahead drift:ahead alloc:ahead capture:ahead replay:ahead speed:ahead"},
		"in the middle":       {Progress{Phase: "sync"}, false, "checkout:done source:done device:done canary:done load:done eager:done sync:running drift:ahead alloc:ahead capture:ahead replay:ahead speed:ahead"},
		"a rare one":          {Progress{Phase: "invariance"}, false, "checkout:done source:done device:done canary:done load:done eager:done invariance:running sync:ahead drift:ahead alloc:ahead capture:ahead replay:ahead speed:ahead"},
		"not run is not done": {Progress{Phase: "device", Ended: true}, true, "checkout:done source:done device:done canary:ahead load:ahead eager:ahead sync:ahead drift:ahead alloc:ahead capture:ahead replay:ahead speed:ahead"},
		"cut off":             {Progress{Phase: "source", Ended: true}, false, "checkout:done source:stopped device:ahead canary:ahead load:ahead eager:ahead sync:ahead drift:ahead alloc:ahead capture:ahead replay:ahead speed:ahead"},
		"of another version":  {Progress{Phase: "fusion"}, false, "fusion:running"},
		"nothing said":        {Progress{}, false, ""},
	} {
		var got []string
		for _, x := range phases(&c.p, c.verdict) {
			got = append(got, fmt.Sprintf("%s:%s", x.Name, x.State))
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%s: %s, want %s", name, s, c.want)
		}
	}
	if phases(nil, false) != nil {
		t.Error("phases of nothing")
	}
}
