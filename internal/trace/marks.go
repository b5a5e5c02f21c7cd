package trace

// Header is the first line of a file.
type Header struct {
	Common
	Schema string   `json:"schema"`           // Schema
	Writer string   `json:"writer"`           // "probe" or "harness"
	Rank   int      `json:"rank,omitempty"`   // of a distributed program (RANK), else 0
	World  int      `json:"world,omitempty"`  // number of ranks (WORLD_SIZE), else 0
	Parent int      `json:"ppid,omitempty"`   // of a forked child: the pid it came from
	Host   string   `json:"host,omitempty"`   // host name; clocks of two hosts do not compare
	Wall   int64    `json:"wall,omitempty"`   // Unix time at Time, ns, for people only
	Args   []string `json:"args,omitempty"`   // command line
	Dir    string   `json:"dir,omitempty"`    // working directory, for relative file names in frames
	Tool   string   `json:"tool,omitempty"`   // version of the writer
	Torch  string   `json:"torch,omitempty"`  // torch.__version__
	Python string   `json:"python,omitempty"` // "3.12.3"
}

// Device describes one CUDA device, written when it is first known.
type Device struct {
	Common
	Name   string `json:"name"`
	CC     string `json:"cc"`             // compute capability, "9.0"
	UUID   string `json:"uuid,omitempty"` // "GPU-…"
	Driver string `json:"driver,omitempty"`
	CUDA   string `json:"cuda,omitempty"` // "13.0", of the driver
	Memory int64  `json:"mem,omitempty"`  // bytes in total
	// The CUPTI that the probe found: its path, and what cuptiGetVersion says of it.
	CUPTI        string `json:"cupti,omitempty"`
	CUPTIVersion int    `json:"cupti_version,omitempty"`
}

// Values of At.
const (
	Enter = "enter"
	Exit  = "exit"
)

// Phase is the beginning or end of a phase of the harness (DESIGN 5.5). Phases do not nest.
type Phase struct {
	Common
	Name string `json:"name"` // warmup, eager, sync, drift, alloc, capture, replay, speed
	At   string `json:"at"`   // Enter or Exit
	// Status says how a phase ended, at Exit: "" or "ok", else "failed" or "skipped", with the reason.
	Status string `json:"status,omitempty"`
	Reason string `json:"reason,omitempty"`
}

// Step is the beginning or end of one decode step. Steps do not nest.
type Step struct {
	Common
	At     string `json:"at"`               // Enter or Exit
	I      int    `json:"i"`                // the host int given to step(state, i)
	Bucket string `json:"bucket,omitempty"` // repr of the bucket key
	Mode   string `json:"mode,omitempty"`   // "eager" or "replay"
}

// Region is the beginning or end of a region that is, or is to be, captured.
type Region struct {
	Common
	Name  string `json:"name"`
	At    string `json:"at"`              // Enter or Exit
	Eager bool   `json:"eager,omitempty"` // configured as an eager break: not captured
	// Resumed: an enter behind an eager part of the same pass through the region, which is not another pass.
	Resumed bool `json:"resumed,omitempty"`
}
