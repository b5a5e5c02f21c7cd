package trace

// Alloc is one act of a framework's caching allocator, from its own history.
type Alloc struct {
	Common
	Op     string  `json:"op"`    // alloc, free, segment_alloc, segment_free, segment_map, segment_unmap, oom, snapshot, pin
	Bytes  int64   `json:"bytes"` //
	Ptr    string  `json:"ptr,omitempty"`
	Stream string  `json:"stream,omitempty"`
	Pool   string  `json:"pool,omitempty"` // id of a private pool (a graph's)
	Frames []Frame `json:"frames,omitempty"`
}

// Op is one operation that a framework sent to the device, by its dispatcher: what is known of launches without a probe.
type Op struct {
	Common
	Name    string `json:"name"`    // aten.add.Tensor, triton:kernel
	Args    string `json:"args"`    // dtypes, shapes and devices of its tensors, and its other arguments, in order
	Numbers string `json:"numbers"` // its host numbers, in order: a graph keeps those of the capture
	// N is the place in the step's list, from 1, where the list is that of another step (Same) with this one changed; else 0.
	N      int     `json:"n,omitempty"`
	Frames []Frame `json:"frames,omitempty"`
}

// Same says that a step's operations are those of another step of its bucket, but for the op events with a number that
// follow in the step.
type Same struct {
	Common
	Of int `json:"of"` // the step
}

// Lines are lines of a file of the repository that the steps of a phase ran, each at least once.
type Lines struct {
	Common
	File  string `json:"file"`
	Lines []int  `json:"lines"`
}

// Graph is what a capture recorded.
type Graph struct {
	Common
	Name  string         `json:"name"`            // the region
	Nodes int            `json:"nodes"`           // -1: not known
	Edges int            `json:"edges"`           // -1: not known
	Kinds map[string]int `json:"kinds,omitempty"` // kernel, memcpy, memset, host, mem_alloc, mem_free, event_wait, …
	// Launches is how many kernel launches, copies and sets the same region did in an eager step, -1: not counted.
	Launches int    `json:"launches"`
	Bucket   string `json:"bucket,omitempty"`
	Mode     string `json:"mode,omitempty"` // capture mode
	DurNS    int64  `json:"dur,omitempty"`  // of capture and instantiation, ns
}

// Tensor is one tensor at one moment: an input, output or piece of state.
type Tensor struct {
	Common
	Name    string  `json:"name"`             // path: "out", "out.logits", "in.0", "state.model.kv"
	Role    string  `json:"role"`             // input, output, state, reference (an output beside what the module says it is to be)
	Of      string  `json:"of,omitempty"`     // region it belongs to; "" the whole step
	Mode    string  `json:"mode,omitempty"`   // eager or replay
	I       int     `json:"i"`                // step
	Shape   []int64 `json:"shape"`            //
	Stride  []int64 `json:"stride,omitempty"` // elements
	DType   string  `json:"dtype"`            // "torch.float32"
	On      string  `json:"on,omitempty"`     // "cuda:0", "cpu"
	Ptr     string  `json:"ptr,omitempty"`    // data_ptr, hexadecimal
	Digest  string  `json:"digest,omitempty"` // "sha256:…" of the bytes, row-major; "" when not read
	Bad     int64   `json:"bad,omitempty"`    // in a comparison: elements that differ, bit for bit or by more than allowed; -1: some, not counted
	MaxAbs  float64 `json:"max_abs,omitempty"`
	FirstAt []int64 `json:"first_at,omitempty"` // index of the first element that differs
	// Of a reference: what the output was compared with ("" is the module's own reference(state, i)), how far apart they may
	// be, and dtype and shape that were wanted where they are others.
	Against string  `json:"against,omitempty"`
	RTol    float64 `json:"rtol,omitempty"`
	ATol    float64 `json:"atol,omitempty"`
	Wanted  string  `json:"wanted,omitempty"`
}

// Measure is one number, or its samples.
type Measure struct {
	Common
	Name    string    `json:"name"` // "step_eager", "step_replay", "launches_per_step", …
	Of      string    `json:"of,omitempty"`
	Unit    string    `json:"unit"` // us, bytes, count, ratio
	Value   float64   `json:"value"`
	Samples []float64 `json:"samples,omitempty"`
}

// Warning is something that a program or tool said and that is evidence.
type Warning struct {
	Common
	Source string  `json:"source"`       // torch.sync_debug, python, torch.stderr, probe, harness
	Of     string  `json:"of,omitempty"` // what it is about, where one source speaks of several things
	Text   string  `json:"text"`
	Frames []Frame `json:"frames,omitempty"`
}

// Error is something that keeps the trace, or the run, from being whole.
type Error struct {
	Common
	Source string  `json:"source"` // probe, harness, user (the module under test), cuda
	Code   string  `json:"code"`   // slot_taken, no_cupti, fork, disk_full, exception, bad_module, timeout, oom, device_lost, …
	Text   string  `json:"text"`   // what: why
	Hint   string  `json:"hint,omitempty"`
	CUDA   int     `json:"cuda,omitempty"` // the first non-zero CUDA code, when that is what happened
	Of     string  `json:"of,omitempty"`   // region
	Frames []Frame `json:"frames,omitempty"`
}

// End is the last line.
type End struct {
	Common
	Events int64  `json:"events"`           // lines before this one, the header included
	Lost   int64  `json:"lost,omitempty"`   // events that could not be written
	Reason string `json:"reason,omitempty"` // exit, exec, stopped
}
