// Package calls judges the CUDA calls of a recorded run: which of them make the host wait, go through pageable memory,
// take or give back memory, load code or break a capture, and which line made them. It is a pure function of a trace and
// knows no phases of the harness: it judges what a program did inside the regions that somebody named, or after its first
// kernel launch when nobody did. The facts behind the rules are the measured ones (H200, torch 2.11).
package calls
