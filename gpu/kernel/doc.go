// Package kernel describes how one compiled kernel is launched and what came out when it was launched eagerly, captured
// and replayed. It knows no CUDA: gpu/device does the launching.
package kernel
