package trace

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

const chromeRun = `{"ev":"header","t":1000,"pid":7,"tid":7,"schema":"gatebot.trace/v1","writer":"harness"}
{"ev":"phase","t":2000,"tid":7,"name":"sync","at":"enter"}
{"ev":"step","t":3000,"tid":7,"at":"enter","i":4}
{"ev":"region","t":3500,"tid":7,"name":"L00","at":"enter"}
{"ev":"launch","t":4000,"tid":7,"name":"cuLaunchKernel","kernel":"k</script>","grid":[1,1,1],"block":[32,1,1],"smem":0,"stream":"0x0","dur":1500,"code":0}
{"ev":"api","t":6000,"tid":7,"name":"cudaStreamSynchronize","level":"runtime","class":"sync","dur":250,"code":0}
{"ev":"alloc","t":6400,"tid":7,"op":"free","bytes":9,"ptr":"0x9"}
{"ev":"alloc","t":6500,"tid":7,"op":"alloc","bytes":512,"ptr":"0x1"}
{"ev":"alloc","t":6600,"tid":7,"op":"free","bytes":512,"ptr":"0x1"}
{"ev":"region","t":7000,"tid":7,"name":"L00","at":"exit"}
{"ev":"step","t":8000,"tid":7,"at":"exit","i":4}
{"ev":"phase","t":9000,"tid":7,"name":"sync","at":"exit"}
{"ev":"end","t":9500,"pid":7,"events":12}
`

func TestChromeExport(t *testing.T) {
	tr := &Trace{}
	if err := tr.Read(strings.NewReader(chromeRun), "run"); err != nil {
		t.Fatal(err)
	}
	tr.Arrange()
	var b bytes.Buffer
	if err := WriteChrome(&b, tr); err != nil {
		t.Fatal(err)
	}
	var got struct {
		TraceEvents []struct {
			Name, Cat, Ph string
			TS, Dur       float64
			PID, TID      int
			Args          map[string]any
		}
	}
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatalf("no JSON: %v\n%s", err, b.Bytes())
	}
	want := map[string][2]float64{"sync": {0, 7}, "step 4": {1, 5}, "L00": {1.5, 3.5}, "k</script>": {2, 1.5}, "cudaStreamSynchronize": {4, .25}}
	var counters []float64
	for _, e := range got.TraceEvents {
		switch e.Ph {
		case "C":
			counters = append(counters, e.Args["bytes"].(float64))
		case "X":
			w, ok := want[e.Name]
			if !ok || e.TS != w[0] || e.Dur != w[1] || e.PID != 7 {
				t.Errorf("%+v, want at %v", e, w)
			}
			delete(want, e.Name)
		}
	}
	if len(want) > 0 {
		t.Errorf("missing: %v", want)
	}
	if len(counters) != 2 || counters[0] != 512 || counters[1] != 0 {
		t.Errorf("bytes held: %v; a block from before the recording must not count", counters)
	}
}
