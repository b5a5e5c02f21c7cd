// Package canary is the part of the canary that is written in Python: steps with one planted violation each, run through
// the injected probe, torch's own sync-debug mode, capture and replay, which all have to see what they were measured to
// see. gpu/device has the part that is written in Go.
package canary
