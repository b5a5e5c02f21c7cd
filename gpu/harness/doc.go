// Package harness drives a repository's step module through the phases of the gate (DESIGN 5.5). The part that runs in
// the repository's own Python is embedded, needs nothing but torch, and only records; this side starts it, one process
// for the eager phases and one for each try at a capture, ends it whole when time is up, and reads what it recorded.
package harness
