//go:build cuda

package device

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"time"
	"unsafe"

	"github.com/gatebot/gatebot/internal/finding"
)

const canaryBytes = 1 << 16

// Canary runs a clean capture, every plant, and a clean capture once more, in a context of its own on device index. An
// error means that it could not be run to the end.
func Canary(index int) (r *Report, err error) {
	runtime.LockOSThread() // a context is current on an OS thread
	defer runtime.UnlockOSThread()
	began := time.Now()
	b, err := newBench(index)
	if err != nil {
		return nil, err
	}
	defer func() {
		if e := b.close(); e != nil && err == nil {
			r, err = nil, e
		}
	}()
	b.r = &Report{Driver: kernelDriver(), CUDA: cudaVersion(), Device: b.info, Disabled: Disabled()}
	r = b.r
	r.Steps = append(r.Steps, b.clean("clean capture and replay"))
	for _, p := range plants {
		r.Steps = append(r.Steps, b.plant(p))
	}
	r.Steps = append(r.Steps, b.frozen())
	// A refused capture must leave the context usable, or one violation would fail everything after it.
	r.Steps = append(r.Steps, b.clean("clean capture and replay after the violations"))
	r.DurationMS = time.Since(began).Milliseconds()
	r.Conclude()
	return r, nil
}

func errorStep(name string, err error) Step {
	return Step{Name: name, Status: finding.StatusError, Reason: err.Error()}
}

// clean captures a memset and two copies, sees that nothing ran, and replays twice with other input in between: the
// replay must work on what the buffers hold then.
func (b *bench) clean(name string) Step {
	s := Step{Name: name, Status: finding.StatusPass}
	exec, err := b.captureClean(&s)
	if err != nil {
		return errorStep(name, err)
	}
	if s.Status != finding.StatusPass {
		return s
	}
	for _, input := range []byte{0x5a, 0x3c} {
		got, err := b.replay(exec, input)
		if err != nil {
			return errorStep(name, errors.Join(err, check("cuGraphExecDestroy", exec.destroy())))
		}
		want := append(bytes.Repeat([]byte{input}, canaryBytes), bytes.Repeat([]byte{0xa7}, canaryBytes)...)
		if !bytes.Equal(got, want) {
			s.fail("a replay with input %#x wrote other bytes than the same work done eagerly", input)
		}
	}
	if err := check("cuGraphExecDestroy", exec.destroy()); err != nil {
		return errorStep(name, err)
	}
	return s
}

func (b *bench) captureClean(s *Step) (exec execGraph, err error) {
	if err := b.fill(0x11, 0, 0); err != nil {
		return exec, err
	}
	stream, err := newStream()
	if err != nil {
		return exec, err
	}
	defer func() { err = errors.Join(err, stream.Destroy()) }()
	if err := check("cuStreamBeginCapture", beginCapture(handle(stream))); err != nil {
		return exec, err
	}
	work := errors.Join(b.memsetAsync(b.tmp, 0xa7, stream), b.copyAsync(b.out, b.in, stream), b.copyAsync(b.second, b.tmp, stream))
	g, end := endCapture(handle(stream))
	if err := errors.Join(work, check("cuStreamEndCapture", end)); err != nil {
		return exec, err
	}
	defer func() { err = errors.Join(err, check("cuGraphDestroy", g.destroy())) }()
	kinds, rc := g.nodes()
	if err := check("cuGraphGetNodes", rc); err != nil {
		return exec, err
	}
	s.Nodes = kinds
	if len(kinds) != 3 {
		s.fail("the graph has %d nodes for 3 operations", len(kinds))
		return exec, nil
	}
	got, err := b.read()
	if err != nil {
		return exec, err
	}
	if !bytes.Equal(got, make([]byte, 2*canaryBytes)) {
		s.fail("the work ran during the capture")
		return exec, nil
	}
	exec, rc = g.instantiate()
	return exec, check("cuGraphInstantiate", rc)
}

// replay runs the graph on a buffer full of input and returns what it wrote.
func (b *bench) replay(exec execGraph, input byte) ([]byte, error) {
	if err := b.fill(input, 0, 0); err != nil {
		return nil, err
	}
	stream, err := newStream()
	if err != nil {
		return nil, err
	}
	err = errors.Join(check("cuGraphLaunch", exec.launch(handle(stream))), stream.Synchronize(), stream.Destroy())
	if err != nil {
		return nil, err
	}
	return b.read()
}

// plant commits one violation during a capture.
func (b *bench) plant(p plant) Step {
	act, ok := acts[p.name]
	if !ok {
		return errorStep(p.name, errors.New("nobody knows how to commit it"))
	}
	v, err := newViolation()
	if err != nil {
		return errorStep(p.name, err)
	}
	s, err := b.commit(p, act, v)
	if err = errors.Join(err, v.close()); err != nil {
		return errorStep(p.name, err)
	}
	return s
}

func (b *bench) commit(p plant, act act, v *violation) (Step, error) {
	var s Step
	if act.before != nil {
		if err := act.before(v); err != nil {
			return s, err
		}
	}
	if err := check("cuStreamBeginCapture", beginCapture(handle(v.stream))); err != nil {
		return s, err
	}
	work := b.memsetAsync(b.tmp, 1, v.stream)
	callErr := act.during(b, v)
	g, end := endCapture(handle(v.stream))
	s.Call, s.End = code(callErr), end
	if s.Call < 0 {
		return s, callErr
	}
	if work != nil {
		return s, work
	}
	if end == codeSuccess {
		kinds, rc := g.nodes()
		if err := errors.Join(check("cuGraphGetNodes", rc), check("cuGraphDestroy", g.destroy())); err != nil {
			return s, err
		}
		s.Nodes = kinds
	}
	b.r.judge(p, &s, 1+act.issued)
	return s, nil
}

// check turns a CUresult of the capture wrapper into an error.
func check(call string, rc int) error {
	if rc == codeSuccess {
		return nil
	}
	return fmt.Errorf("%s: CUresult %d", call, rc)
}

func pointer(b []byte) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(b)) }
