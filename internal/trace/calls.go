package trace

// Class says what an API call does, as the probe's table has it.
type Class string

// The classes of calls.
const (
	ClassSync     Class = "sync"      // waits for device, stream or event
	ClassCopy     Class = "copy"      // memory copy, synchronous or not
	ClassSet      Class = "set"       // memory set
	ClassAlloc    Class = "alloc"     // device memory, also stream-ordered and virtual
	ClassFree     Class = "free"      //
	ClassPin      Class = "pin"       // page-locks host memory
	ClassUnpin    Class = "unpin"     //
	ClassQuery    Class = "query"     // asks a stream or event for its state
	ClassModule   Class = "module"    // loads or unloads code
	ClassCapture  Class = "capture"   // begins, ends or changes a stream capture
	ClassGraph    Class = "graph"     // builds, instantiates or launches a graph
	ClassHostFunc Class = "host_func" // enqueues a host function
	ClassWait     Class = "wait"      // device-side ordering: event record, stream wait
	ClassContext  Class = "context"   // context, stream and event creation and destruction
)

// Classes are all of them; a launch is an event of its own kind, and a class where one is switched off.
var Classes = []Class{ClassSync, ClassCopy, ClassSet, ClassAlloc, ClassFree, ClassPin, ClassUnpin, ClassQuery, ClassModule,
	ClassCapture, ClassGraph, ClassHostFunc, ClassWait, ClassContext, "launch"}

// Level is the API at which a call was recorded.
type Level string

// A call that the runtime makes of the driver is recorded once, at runtime level.
const (
	Runtime Level = "runtime"
	Driver  Level = "driver"
)

// Kinds of memory, in Copy and API.
const (
	Pageable = "pageable" // host memory that CUDA does not know
	Pinned   = "pinned"   // page-locked host memory
	OnDevice = "device"
	Managed  = "managed"
	Array    = "array" // a CUDA array, on the device
	Unknown  = "unknown"
)

// Copy is the part of an API event about a copy or set.
type Copy struct {
	Dir   string `json:"dir"`           // htod, dtoh, dtod, htoh, by what the two sides are
	Bytes int64  `json:"bytes"`         // -1: not known
	Src   string `json:"src,omitempty"` // kind of memory; "" in a set
	Dst   string `json:"dst"`
	Async bool   `json:"async"` // by the form of the call; a pageable side makes it wait all the same
}

// API is one driver or runtime call other than a kernel launch, recorded when it returned.
type API struct {
	Common
	Name   string `json:"name"` // as CUPTI names it, without version suffix: cudaMemcpyAsync, cuStreamSynchronize
	Level  Level  `json:"level"`
	Class  Class  `json:"class"`
	Dur    int64  `json:"dur"`  // host time inside the call, ns
	Code   int    `json:"code"` // what it returned: cudaError_t or CUresult
	Stream string `json:"stream,omitempty"`
	// Handle is the event, graph or other object, where the call has one beside the stream. Both are hexadecimal
	// handles, "0x0" is the null stream, "0x1" legacy, "0x2" per-thread.
	Handle string `json:"handle,omitempty"`
	// Bytes is the size in an allocation or pinning. It is 0 where the call has none.
	Bytes  int64         `json:"bytes,omitempty"`
	Ptr    string        `json:"ptr,omitempty"`  // what an allocation gave or a free took, hexadecimal
	Mode   string        `json:"mode,omitempty"` // in begin-capture: global, thread_local or relaxed
	Copy   *Copy         `json:"copy,omitempty"`
	Frames []Frame       `json:"frames,omitempty"` // Python, innermost first
	Native []NativeFrame `json:"native,omitempty"` // innermost first
}

// Name gives a kernel name the number by which later launches of its thread, in the same file, refer to it. The Reader
// resolves it: nobody else sees one.
type Name struct {
	Common
	ID   int    `json:"id"` // from 1
	Text string `json:"text"`
}

// Launch is one kernel launch, recorded when the call returned.
type Launch struct {
	Common
	Name   string        `json:"name"`             // the API: cudaLaunchKernel, cuLaunchKernelEx, …
	Kernel string        `json:"kernel,omitempty"` // mangled as the module has it; "" when CUPTI does not know it
	K      int           `json:"k,omitempty"`      // in place of kernel: the number of a Name of this thread; the Reader puts the name in
	Grid   [3]uint32     `json:"grid"`             // blocks
	Block  [3]uint32     `json:"block"`            // threads
	Smem   uint32        `json:"smem"`             // dynamic shared memory, bytes
	Stream string        `json:"stream"`
	Dur    int64         `json:"dur"` // host time inside the call, ns
	Code   int           `json:"code"`
	Frames []Frame       `json:"frames,omitempty"` // only when launches are recorded with frames
	Native []NativeFrame `json:"native,omitempty"`
}
