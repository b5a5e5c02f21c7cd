package harness

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"syscall"
)

// killTree ends a process and everything below it. Launchers put each rank into a session of its own, out of reach of a
// signal to the group.
func killTree(pid int) {
	below := descendants(pid)
	killGroup(pid)
	for _, p := range below {
		// ESRCH when it has gone by itself, as ranks do with their launcher.
		_ = syscall.Kill(p, syscall.SIGKILL)
	}
}

// descendants are the living processes below pid. What cannot be read has ended meanwhile.
func descendants(pid int) []int {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	children := map[int][]int{}
	for _, e := range entries {
		p, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p))
		if err != nil {
			continue
		}
		// The name in parentheses may hold anything; behind it stand the state and the parent.
		fields := bytes.Fields(data[bytes.LastIndexByte(data, ')')+1:])
		if len(fields) < 2 {
			continue
		}
		if parent, err := strconv.Atoi(string(fields[1])); err == nil {
			children[parent] = append(children[parent], p)
		}
	}
	var out []int
	for next := []int{pid}; len(next) > 0; next = next[1:] {
		out = append(out, children[next[0]]...)
		next = append(next, children[next[0]]...)
	}
	return out
}
