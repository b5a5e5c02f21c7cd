package checks

// The groups of rules, by the hundreds of their ids. They are the headings of `gatebot rules` and docs/rules.md.
const (
	GroupGate      = "The gate itself"
	GroupSync      = "Device to host synchronization"
	GroupShape     = "Data-dependent shapes and counts"
	GroupAlloc     = "Allocation in every step"
	GroupControl   = "Host control flow on device values"
	GroupTransfer  = "Host to device transfers"
	GroupStream    = "Streams, events and capture mode"
	GroupReplay    = "Replay correctness"
	GroupNative    = "Native C++ and CUDA code"
	GroupLibraries = "Third-party libraries and runtimes"
)
