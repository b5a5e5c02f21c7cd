//go:build cuda

package device

import (
	"bytes"
	"errors"

	"github.com/gatebot/gatebot/internal/finding"
)

// frozen plants a value of the host that a graph freezes: a fill whose byte is another in every step. Nothing refuses it
// and nothing is missing from the graph; only a replay that is compared with eager mode shows it.
func (b *bench) frozen() Step {
	s := Step{Name: "host value frozen into the graph", Status: finding.StatusPass}
	differs, err := b.freeze(&s)
	if err != nil {
		return errorStep(s.Name, err)
	}
	d := b.r.detection(DetectReplay, true, differs)
	if s.Detections = []Detection{d}; !d.Caught {
		s.fail("the gate cannot see it: the replay of step 1 gave the bytes of step 2%s", d.off())
	}
	return s
}

// freeze captures step 1 and reports whether its replay differs from step 2 in eager mode.
func (b *bench) freeze(s *Step) (differs bool, err error) {
	stream, err := newStream()
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, stream.Destroy()) }()
	step := func(i byte) error {
		return errors.Join(b.copyAsync(b.second, b.in, stream), b.memsetAsync(b.out, i, stream))
	}
	if err := errors.Join(b.fill(0x33, 0, 0), step(2), stream.Synchronize()); err != nil {
		return false, err
	}
	want, err := b.read()
	if err != nil {
		return false, err
	}
	if err := check("cuStreamBeginCapture", beginCapture(handle(stream))); err != nil {
		return false, err
	}
	work := step(1)
	g, end := endCapture(handle(stream))
	if err := errors.Join(work, check("cuStreamEndCapture", end)); err != nil {
		return false, err
	}
	kinds, rc := g.nodes()
	exec, rc2 := g.instantiate()
	err = errors.Join(check("cuGraphGetNodes", rc), check("cuGraphInstantiate", rc2), check("cuGraphDestroy", g.destroy()))
	if err != nil {
		return false, err
	}
	s.Nodes = kinds
	got, err := b.replay(exec, 0x33)
	return !bytes.Equal(got, want), errors.Join(err, check("cuGraphExecDestroy", exec.destroy()))
}
