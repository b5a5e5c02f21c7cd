// Package dynamic is what the checks on a recorded run share: the input they judge, the place in the repository that a
// stack means, and the findings they give. It reads no files and knows no GPU; each check is a pure function of a trace.
package dynamic
