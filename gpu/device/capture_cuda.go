//go:build cuda

package device

// #include <cuda.h>
import "C"

import "unsafe"

// The part of stream capture that gorgonia.org/cu has not. Every function returns the CUresult as it came.

type (
	graph     struct{ g C.CUgraph }
	execGraph struct{ e C.CUgraphExec }
)

// beginCapture starts a capture in global mode: a call that could break it is refused on any thread.
func beginCapture(stream unsafe.Pointer) int {
	return int(C.cuStreamBeginCapture(C.CUstream(stream), C.CU_STREAM_CAPTURE_MODE_GLOBAL))
}

// endCapture ends it. There is a graph only when the code is 0.
func endCapture(stream unsafe.Pointer) (graph, int) {
	var g graph
	rc := C.cuStreamEndCapture(C.CUstream(stream), &g.g)
	return g, int(rc)
}

// nodes returns the kind of each node (CUgraphNodeType).
func (g graph) nodes() ([]int, int) {
	var n C.size_t
	if rc := C.cuGraphGetNodes(g.g, nil, &n); rc != 0 || n == 0 {
		return nil, int(rc)
	}
	all := make([]C.CUgraphNode, n)
	if rc := C.cuGraphGetNodes(g.g, &all[0], &n); rc != 0 {
		return nil, int(rc)
	}
	kinds := make([]int, n)
	for i := range kinds {
		var t C.CUgraphNodeType
		if rc := C.cuGraphNodeGetType(all[i], &t); rc != 0 {
			return nil, int(rc)
		}
		kinds[i] = int(t)
	}
	return kinds, codeSuccess
}

func (g graph) instantiate() (execGraph, int) {
	var e execGraph
	rc := C.cuGraphInstantiateWithFlags(&e.e, g.g, 0)
	return e, int(rc)
}

func (g graph) destroy() int { return int(C.cuGraphDestroy(g.g)) }

func (e execGraph) launch(stream unsafe.Pointer) int {
	return int(C.cuGraphLaunch(e.e, C.CUstream(stream)))
}

func (e execGraph) destroy() int { return int(C.cuGraphExecDestroy(e.e)) }
