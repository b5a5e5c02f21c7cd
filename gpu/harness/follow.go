package harness

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"strings"
	"syscall"
	"time"
)

// followEvery is how often the trace of a running process is looked at; it writes its file out about as often.
const followEvery = 500 * time.Millisecond

// followBytes of a trace are looked at in one go: what says how far the step is must not cost what the step needs.
const followBytes = 8 << 20

// follow says how far a process is, from the trace that it writes (that of the first rank), until it is stopped. It is
// for people who wait and decides nothing.
func (d *driver) follow(name string) (stop func()) {
	if d.Count == nil {
		return func() {}
	}
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		f := &follower{file: strings.ReplaceAll(name, "%r", "0"), tell: d.Count}
		tick := time.NewTicker(followEvery)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				f.look()
			}
		}
	}()
	return func() { close(done); <-ended }
}

// follower counts what it has read so far.
type follower struct {
	file    string
	at      int64
	rest    []byte // of a line that is not all there yet
	phase   string
	regions int             // that are to be captured
	graphs  map[string]bool // of regions
	steps   int
	tell    func(phase, unit string, done, total int)
}

// look reads what is new. A file that cannot be read says nothing, which harms nobody: it is judged when it is whole.
func (f *follower) look() {
	file, err := os.OpenFile(f.file, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return
	}
	defer func() { _ = file.Close() }() // only read
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return
	}
	data, err := io.ReadAll(io.NewSectionReader(file, f.at, followBytes))
	if err != nil || len(data) == 0 {
		return
	}
	f.at += int64(len(data))
	f.read(data)
}

// read takes the next bytes of the trace and says when something has changed.
func (f *follower) read(data []byte) {
	data = append(f.rest, data...)
	last := bytes.LastIndexByte(data, '\n') + 1
	if f.rest = bytes.Clone(data[last:]); len(f.rest) > followBytes {
		f.rest = nil // no line of a trace is that long
	}
	before := f.words()
	for line := range bytes.Lines(data[:last]) {
		f.line(line)
	}
	if now := f.words(); now != before && now != (count{}) {
		f.tell(now.phase, now.unit, now.done, now.total)
	}
}

type count struct {
	phase, unit string
	done, total int
}

func (f *follower) words() count {
	switch {
	case f.phase == "capture" && f.regions > 0:
		return count{f.phase, "regions", len(f.graphs), f.regions}
	case f.steps > 0:
		return count{f.phase, "step", f.steps, 0}
	}
	return count{phase: f.phase}
}

// line looks at the few kinds of lines that say something; the others are most of a trace and are not even parsed.
func (f *follower) line(line []byte) {
	kind, ok := bytes.CutPrefix(line, []byte(`{"ev":"`))
	if !ok {
		return
	}
	end := bytes.IndexByte(kind, '"')
	if end < 0 {
		return
	}
	switch string(kind[:end]) {
	case "phase", "measure", "graph", "step":
	default:
		return
	}
	var e struct {
		Ev, Name, At string
		Of           string
		Value        float64
	}
	if json.Unmarshal(line, &e) != nil {
		return
	}
	switch {
	case e.Ev == "phase" && e.At == "enter":
		f.phase, f.steps = e.Name, 0
	case e.Ev == "measure" && e.Name == "region" && e.Value == 1:
		f.regions++
	case e.Ev == "graph":
		if f.graphs == nil {
			f.graphs = map[string]bool{}
		}
		f.graphs[e.Name] = true
	case e.Ev == "step" && e.At == "exit":
		f.steps++
	}
}
