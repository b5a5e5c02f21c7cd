package trace

import (
	"bytes"
	"compress/gzip"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// sample is one event of every kind that lies between header and end.
func sample() []Event {
	dev := 1
	at := func(t int64) Common { return Common{Time: t, TID: 7, Device: &dev} }
	return []Event{
		&Device{Common: at(2), Name: "NVIDIA H200", CC: "9.0"},
		&Phase{Common: at(3), Name: "sync", At: Enter},
		&Step{Common: at(4), At: Enter, I: 3, Bucket: "8"},
		&Region{Common: at(5), Name: "L00", At: Enter},
		&API{Common: at(6), Name: "cudaMemcpyAsync", Level: Runtime, Class: ClassCopy, Dur: 5, Stream: "0x1",
			Copy: &Copy{Dir: "dtoh", Bytes: 4, Src: OnDevice, Dst: Pageable, Async: true}, Frames: []Frame{{File: "/a.py", Line: 3, Func: "f"}}},
		&Launch{Common: at(7), Name: "cudaLaunchKernel", Kernel: "k", Grid: [3]uint32{1, 2, 3}, Block: [3]uint32{4, 5, 6}, Stream: "0x0"},
		&Region{Common: at(8), Name: "L00", At: Exit},
		&Alloc{Common: at(9), Op: "alloc", Bytes: 512},
		&Graph{Common: at(10), Name: "L00", Nodes: 3, Edges: 2, Kinds: map[string]int{"kernel": 3}, Launches: 3},
		&Tensor{Common: at(11), Name: "out", Role: "output", Shape: []int64{2, 3}, DType: "torch.float32"},
		&Measure{Common: at(12), Name: "step_eager", Unit: "us", Value: 12.5},
		&Warning{Common: at(13), Source: "torch.sync_debug", Text: "called a synchronizing CUDA operation"},
		&Error{Common: at(14), Source: "user", Code: "exception", Text: "step: boom"},
	}
}

func write(t *testing.T, events ...Event) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := NewWriter(&b, &Header{Common: Common{Time: 1, PID: 42}, Writer: "probe", Rank: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		if err := w.Write(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(99); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func load(t *testing.T, files ...[]byte) *Trace {
	t.Helper()
	var names []string
	for i, data := range files {
		name := filepath.Join(t.TempDir(), string(rune('a'+i))+".ndjson")
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	tr, err := Load(names...)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

func TestRoundTrip(t *testing.T) {
	tr := load(t, write(t, sample()...))
	if why := tr.Incomplete(); why != "" {
		t.Fatal(why)
	}
	got := write(t, tr.Events...)
	want := sample()
	for _, e := range want {
		e.Base().PID = 42
	}
	if diff := cmp.Diff(string(write(t, want...)), string(got)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestArrange(t *testing.T) {
	reg := func(at int64, tid int, name, edge string) Event {
		return &Region{Common: Common{Time: at, TID: tid}, Name: name, At: edge}
	}
	call := func(at int64, tid int) Event {
		return &API{Common: Common{Time: at, TID: tid}, Name: "cudaDeviceSynchronize", Level: Runtime, Class: ClassSync}
	}
	// two files of one process and threads 1 and 2, as probe and harness write them
	tr := load(t,
		write(t, call(5, 1), call(15, 1), call(16, 2), call(25, 1), call(35, 1), call(45, 2)),
		write(t, &Phase{Common: Common{Time: 9}, Name: "sync", At: Enter}, &Step{Common: Common{Time: 9}, At: Enter, I: 6},
			reg(10, 1, "outer", Enter), reg(20, 1, "inner", Enter), reg(30, 1, "inner", Exit), reg(40, 1, "outer", Exit),
			&Step{Common: Common{Time: 41}, At: Exit, I: 6}, &Phase{Common: Common{Time: 42}, Name: "sync", At: Exit}))
	type row struct {
		Region  string
		Foreign bool
		Phase   string
		Step    int
	}
	var got []row
	for _, a := range Of[*API](tr) {
		got = append(got, row{a.Region, a.Foreign, a.Phase, a.Step})
	}
	want := []row{{"", false, "", -1}, {"outer", false, "sync", 6}, {"outer", true, "sync", 6}, {"inner", false, "sync", 6},
		{"outer", false, "sync", 6}, {"", false, "", -1}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestIncomplete(t *testing.T) {
	whole := string(write(t, sample()...))
	lines := strings.SplitAfter(whole, "\n")
	end := lines[len(lines)-2]
	for name, tc := range map[string]struct{ data, want string }{
		"no end":         {strings.TrimSuffix(whole, end), "no end event"},
		"cut off":        {whole[:len(whole)-len(end)-5], "cut off in line 14"},
		"a line is gone": {strings.Replace(whole, lines[3], "", 1), "13 events before the end, which counts 14"},
		"lost":           {strings.Replace(whole, `"events":14`, `"events":14,"lost":3`, 1), "3 events lost"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := load(t, []byte(tc.data)).Incomplete(); !strings.Contains(got, tc.want) {
				t.Errorf("Incomplete() = %q, want %q in it", got, tc.want)
			}
		})
	}
	if (&Trace{}).Incomplete() == "" {
		t.Error("a run without any file is whole")
	}
}

func TestBadLines(t *testing.T) {
	const h = `{"ev":"header","t":1,"pid":2,"schema":"gatebot.trace/v1","writer":"probe"}` + "\n"
	for name, tc := range map[string]struct{ data, want string }{
		"empty":         {"", "x: empty"},
		"no header":     {`{"ev":"end","t":1,"events":0}` + "\n", "x:1: first line is of kind end"},
		"other schema":  {`{"ev":"header","schema":"v9"}` + "\n", `x:1: schema "v9"`},
		"not JSON":      {h + "hello\n", "x:2: invalid character"},
		"unknown kind":  {h + `{"ev":"sing","t":1}` + "\n", `x:2: unknown event "sing"`},
		"unknown field": {h + `{"ev":"region","t":1,"name":"a","at":"enter","regoin":"b"}` + "\n", `x:2: region: json: unknown field "regoin"`},
		"bad at":        {h + `{"ev":"region","t":1,"name":"a","at":"in"}` + "\n", `x:2: region: at "in"`},
		"copy of what":  {h + `{"ev":"api","t":1,"name":"a","level":"driver","class":"copy"}` + "\n", "x:2: api: a copy without"},
		"nameless":      {h + `{"ev":"launch","t":1,"tid":3,"name":"cuLaunchKernel","k":4,"grid":[1,1,1],"block":[1,1,1],"smem":0,"stream":"0x0","dur":1,"code":0}` + "\n", "x:2: launch: no name 4 on thread 3"},
		"after the end": {h + `{"ev":"end","t":1,"events":1}` + "\n\n", "x:3: a line after the end"},
		"long line":     {h + strings.Repeat("x", MaxLine+1), "x:2: trace: over the size limit"},
	} {
		t.Run(name, func(t *testing.T) {
			err := (&Trace{}).Read(strings.NewReader(tc.data), "x")
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %v, want %q in it", err, tc.want)
			}
			if name == "long line" && !errors.Is(err, ErrTooLarge) {
				t.Errorf("%v is not ErrTooLarge", err)
			}
		})
	}
}

// TestNames: a launch by number has its name back, and the number is its thread's.
func TestNames(t *testing.T) {
	at := func(tid int) Common { return Common{Time: 5, TID: tid} }
	tr := load(t, write(t, &Name{Common: at(1), ID: 1, Text: "_Z1a"}, &Name{Common: at(2), ID: 1, Text: "_Z1b"},
		&Launch{Common: at(1), Name: "cuLaunchKernel", K: 1}, &Launch{Common: at(2), Name: "cuLaunchKernel", K: 1}))
	if why := tr.Incomplete(); why != "" {
		t.Error(why)
	}
	var got []string
	for _, l := range Of[*Launch](tr) {
		got = append(got, l.Kernel)
	}
	if diff := cmp.Diff([]string{"_Z1a", "_Z1b"}, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestGzip(t *testing.T) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(write(t, sample()...)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if tr := load(t, b.Bytes()); tr.Incomplete() != "" || len(tr.Events) != len(sample()) {
		t.Errorf("%d events, %q", len(tr.Events), tr.Incomplete())
	}
	if tr := load(t, b.Bytes()[:b.Len()-9]); tr.Incomplete() == "" {
		t.Error("a gzip file without its trailer is whole")
	}
}

func FuzzRead(f *testing.F) {
	var b bytes.Buffer
	w, err := NewWriter(&b, &Header{Common: Common{Time: 1, PID: 42}, Writer: "probe"})
	if err != nil {
		f.Fatal(err)
	}
	for _, e := range sample() {
		if err := w.Write(e); err != nil {
			f.Fatal(err)
		}
	}
	if err := w.Close(99); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add(b.Bytes()[:b.Len()/2])
	f.Add([]byte{0x1f, 0x8b, 0})
	f.Fuzz(func(t *testing.T, data []byte) {
		tr := &Trace{}
		if err := tr.Read(bytes.NewReader(data), "fuzz"); err != nil {
			return
		}
		tr.Arrange()
		if tr.Incomplete() == "" && !bytes.Contains(data, []byte("end")) && data[0] != 0x1f {
			t.Error("whole without an end")
		}
	})
}
