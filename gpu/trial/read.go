package trial

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gatebot/gatebot/internal/trace"
)

const resultsFile = "results.ndjson"

// Load reads what a run left in its folder. A case whose process loaded no probe has a result that says so.
func Load(dir string, cases []Case) (Torch, []Result, error) {
	torch, done, err := read(filepath.Join(dir, resultsFile), cases)
	if errors.Is(err, ErrNoTorch) {
		return torch, nil, err
	}
	if err != nil {
		return torch, nil, fmt.Errorf("trial: %w", err)
	}
	return torch, done, record(dir, done)
}

// read gives the results in the order of the cases. Each case has exactly one, else the run is no run.
func read(name string, cases []Case) (Torch, []Result, error) {
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return Torch{}, nil, errors.New("it wrote no results")
	}
	if err != nil {
		return Torch{}, nil, err
	}
	defer func() { _ = f.Close() }() // only read
	in := bufio.NewScanner(f)
	in.Buffer(nil, 1<<20)
	if !in.Scan() {
		return Torch{}, nil, errors.Join(errors.New("it wrote no results"), in.Err())
	}
	var head struct {
		Torch
		Missing string `json:"missing"`
	}
	if err := json.Unmarshal(in.Bytes(), &head); err != nil {
		return Torch{}, nil, fmt.Errorf("results: line 1: %w", err)
	}
	if head.Missing != "" {
		return Torch{}, nil, fmt.Errorf("%w: %s", ErrNoTorch, head.Missing)
	}
	by := map[string]Result{}
	for n := 2; in.Scan(); n++ {
		var r Result
		if err := json.Unmarshal(in.Bytes(), &r); err != nil {
			return head.Torch, nil, fmt.Errorf("results: line %d: %w", n, err)
		}
		if _, ok := by[r.Name]; ok {
			return head.Torch, nil, fmt.Errorf("results: line %d: %s is there twice", n, r.Name)
		}
		by[r.Name] = r
	}
	if err := in.Err(); err != nil {
		return head.Torch, nil, fmt.Errorf("results: %w", err)
	}
	var out []Result
	for _, c := range cases {
		r, ok := by[c.Name]
		if !ok {
			return head.Torch, nil, fmt.Errorf("results: %s has none", c.Name)
		}
		out = append(out, r)
	}
	return head.Torch, out, nil
}

// record adds what the probe saw to the results. The trace of a process is found by its pid; the region in it has the
// name of the case.
func record(dir string, results []Result) error {
	files, err := filepath.Glob(filepath.Join(dir, "trace-*.ndjson"))
	if err != nil {
		return fmt.Errorf("trial: %w", err)
	}
	traces := map[int]*trace.Trace{}
	for _, name := range files {
		t, err := trace.Load(name)
		if err != nil {
			return fmt.Errorf("trial: %w", err)
		}
		traces[t.Files[0].Header.PID] = t
	}
	for i := range results {
		results[i].see(traces[results[i].PID])
	}
	return nil
}

// blindCode is the code of the error event of a probe that was told to see nothing.
const blindCode = "detector_disabled"

func (r *Result) see(t *trace.Trace) {
	if t == nil {
		r.Unseen = "the probe was not loaded"
		return
	}
	for _, e := range t.Errors() {
		if e.Code == blindCode {
			r.Blind = e.Text
			continue
		}
		r.Unseen = e.Source + ": " + e.Text
		return
	}
	if why := t.Incomplete(); why != "" {
		r.Unseen = "the probe's record is not whole: " + why
		return
	}
	entered := false
	for _, e := range t.Events {
		entered = entered || e.Base().In(r.Name)
		switch e := e.(type) {
		case *trace.API:
			if e.In(r.Name) {
				r.Calls = append(r.Calls, e)
			}
		case *trace.Launch:
			if e.In(r.Name) {
				r.Launches++
			}
		}
	}
	if !entered && r.Eager == "" && r.Died == "" && r.Blind == "" {
		r.Unseen = "the probe's record has no such step"
	}
}

// last is the end of what a program printed.
func last(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	return lines[len(lines)-1]
}
