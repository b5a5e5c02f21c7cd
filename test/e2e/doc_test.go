// Package e2e runs gatebot as its users do: the built executable as server and runner, the GitHub stand-in beside them,
// and nothing mocked in between. Every request that gatebot sends is validated against GitHub's own description of its
// API, and the processes are killed with SIGKILL at each of the points that internal/crash names.
package e2e
