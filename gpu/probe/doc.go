// Package probe runs a program under gatebot's native probe and turns what it recorded into results.
//
// The probe itself is C (native/): a shared object that the CUDA driver loads into any process by CUDA_INJECTION64_PATH.
// It is built by build.sh and lies beside gatebot; its format is internal/trace, and what its calls mean is checks/calls.
package probe
