//go:build cuda

package device

// #include <cuda.h>
import "C"

import (
	"fmt"
	"time"
)

// done runs work on the stream and waits for it. A fault of the kernel shows here.
func (k *run) done(check, what string, work func() C.CUresult) (bool, error) {
	rc := work()
	if rc == C.CUDA_SUCCESS {
		rc = C.cuStreamSynchronize(C.CUstream(handle(k.stream)))
	}
	if rc == C.CUDA_SUCCESS {
		return true, nil
	}
	k.dead = true
	return false, k.failed(check, what, rc, "")
}

// eager launches from every start state twice. A kernel that gives other bytes the second time has nothing that a replay
// could be held to.
func (k *run) eager() error {
	n := len(k.r.Checks)
	for state := range states {
		for again := range 2 {
			if err := k.reset(state); err != nil {
				return err
			}
			if ok, err := k.done("eager", "launch", func() C.CUresult { return k.l.launch(handle(k.stream)) }); !ok {
				return err
			}
			out, overrun, err := k.read()
			if err != nil {
				return err
			}
			if overrun != "" {
				k.r.Pass("eager", "")
				k.r.Fail("bounds", "%s", overrun)
				return nil
			}
			if again == 0 {
				k.want[state] = out
				continue
			}
			if why := k.differ(out, k.want[state]); why != "" {
				k.r.Fail("eager", "two launches from one start state differ: %s (atomics on floats, a race, or state outside of the buffers?)", why)
				return nil
			}
		}
	}
	if len(k.r.Checks) == n {
		k.r.Pass("eager", fmt.Sprintf("%d launches", 2*states))
		k.r.Pass("bounds", "")
	}
	return nil
}

// capture takes one launch into a graph, which must then hold one kernel, and must not run it.
func (k *run) capture() error {
	if err := k.reset(0); err != nil {
		return err
	}
	g, why, err := k.captured()
	if err != nil {
		return err
	}
	if why != "" {
		k.r.Fail("capture", "%s", why)
		return nil
	}
	defer func() { _ = g.destroy() }() // the context goes soon
	kinds, rc := g.nodes()
	if err := check("cuGraphGetNodes", rc); err != nil {
		return err
	}
	if len(kinds) != 1 || kinds[0] != C.CU_GRAPH_NODE_TYPE_KERNEL {
		k.r.Fail("capture", "the graph holds nodes of the kinds %v instead of one kernel", kinds)
		return nil
	}
	exec, rc := g.instantiate()
	if rc != codeSuccess {
		return k.failed("capture", "cuGraphInstantiate", C.CUresult(rc), "")
	}
	k.graph = exec
	k.r.Pass("capture", "")
	return nil
}

// captured says why there is no graph when there is none.
func (k *run) captured() (g graph, why string, err error) {
	if err := check("cuStreamBeginCapture", beginCapture(handle(k.stream))); err != nil {
		return g, "", err
	}
	call := k.l.launch(handle(k.stream))
	g, end := endCapture(handle(k.stream))
	if call == C.CUDA_SUCCESS && end == codeSuccess {
		return g, "", nil
	}
	return g, fmt.Sprintf("the launch returned %s, the end of the capture %s", result(call), result(C.CUresult(end))), nil
}

// replay holds replays from changing start states to the eager launches, and then a sequence that nothing resets.
func (k *run) replay(n int) error {
	launch := func() C.CUresult { return C.CUresult(k.graph.launch(handle(k.stream))) }
	for i := range n {
		if err := k.reset(i % states); err != nil {
			return err
		}
		if ok, err := k.done("replay", fmt.Sprintf("replay %d", i+1), launch); !ok {
			return err
		}
		out, overrun, err := k.read()
		if err != nil {
			return err
		}
		if overrun != "" {
			k.r.Fail("replay", "replay %d: %s", i+1, overrun)
			return nil
		}
		if why := k.differ(out, k.want[i%states]); why != "" {
			k.r.Fail("replay", "replay %d of %d differs from the eager launch: %s", i+1, n, why)
			return nil
		}
	}
	k.r.Pass("replay", fmt.Sprintf("%d replays from %d start states, bit for bit", n, states))
	return k.sequence(launch)
}

// sequence lets launches work on what the ones before them left behind.
func (k *run) sequence(replay func() C.CUresult) error {
	const length = 5
	var results [2]outputs
	eager := func() C.CUresult { return k.l.launch(handle(k.stream)) }
	for mode, launch := range []func() C.CUresult{eager, replay} {
		if err := k.reset(1); err != nil {
			return err
		}
		for range length {
			if ok, err := k.done("sequence", "launch", launch); !ok {
				return err
			}
		}
		var err error
		if results[mode], _, err = k.read(); err != nil {
			return err
		}
	}
	if why := k.differ(results[1], results[0]); why != "" {
		k.r.Fail("sequence", "after %d replays in a row: %s", length, why)
		return nil
	}
	k.r.Pass("sequence", "")
	return nil
}

// time measures what one launch costs the host, in a series of launches and in one of replays.
func (k *run) time() error {
	const series = 200
	for _, m := range []struct {
		launch func() C.CUresult
		us     *float64
	}{
		{func() C.CUresult { return k.l.launch(handle(k.stream)) }, &k.r.EagerUS},
		{func() C.CUresult { return C.CUresult(k.graph.launch(handle(k.stream))) }, &k.r.ReplayUS},
	} {
		began := time.Now()
		for range series {
			if rc := m.launch(); rc != C.CUDA_SUCCESS {
				return fmt.Errorf("launch in a series: CUresult %s", result(rc))
			}
		}
		took := time.Since(began)
		if err := k.stream.Synchronize(); err != nil {
			return fmt.Errorf("cuStreamSynchronize after a series: %w", err)
		}
		*m.us = float64(took.Nanoseconds()) / series / 1e3
	}
	return check("cuGraphExecDestroy", k.graph.destroy())
}
