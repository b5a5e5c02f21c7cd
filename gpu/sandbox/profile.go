//go:build linux

package sandbox

import (
	"encoding/json"
	"fmt"
	"slices"

	"golang.org/x/sys/unix"
)

// Profile is the filter of system calls in the form that container runtimes read (the linux.seccomp object of the OCI
// runtime specification): the same refusals as those of the program that bwrap loads.
func Profile() ([]byte, error) {
	type arg struct {
		Index    int    `json:"index"`
		Value    uint64 `json:"value"`
		ValueTwo uint64 `json:"valueTwo"`
		Op       string `json:"op"`
	}
	type rule struct {
		Names    []string `json:"names"`
		Action   string   `json:"action"`
		ErrnoRet uint     `json:"errnoRet"`
		Args     []arg    `json:"args,omitempty"`
	}
	const refuse, equal, above, masked = "SCMP_ACT_ERRNO", "SCMP_CMP_EQ", "SCMP_CMP_GT", "SCMP_CMP_MASKED_EQ"
	rules := []rule{
		{refusedNames(), refuse, uint(unix.EPERM), nil},
		{[]string{"clone3"}, refuse, uint(unix.ENOSYS), nil},
		{[]string{"clone"}, refuse, uint(unix.EPERM), []arg{{0, unix.CLONE_NEWUSER, unix.CLONE_NEWUSER, masked}}},
	}
	// The comparisons of one rule all have to hold, so that what is not in a list takes a rule for each.
	last := slices.Max(families)
	for f := range last {
		if !slices.Contains(families, f) {
			rules = append(rules, rule{[]string{"socket"}, refuse, uint(unix.EAFNOSUPPORT), []arg{{0, uint64(f), 0, equal}}})
		}
	}
	rules = append(rules, rule{[]string{"socket"}, refuse, uint(unix.EAFNOSUPPORT), []arg{{0, uint64(last), 0, above}}})
	data, err := json.Marshal(map[string]any{"defaultAction": "SCMP_ACT_ALLOW", "architectures": []string{architecture}, "syscalls": rules})
	if err != nil {
		return nil, fmt.Errorf("sandbox: filter of system calls: %w", err)
	}
	return data, nil
}

func refusedNames() []string {
	var names []string
	for _, c := range refused {
		names = append(names, c.name)
	}
	return names
}
