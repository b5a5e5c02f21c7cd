// Package trial measures pieces of Python one at a time, each in a process of its own: in eager mode under the native
// probe and torch's sync-debug mode, then captured alone, then replayed with other inputs. It measures and judges
// nothing: the canary compares with what must be seen, the operation tables print it.
package trial
