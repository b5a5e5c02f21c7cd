package sandbox

import (
	"fmt"
	"strconv"
	"strings"
)

// systemd is the command line of a transient unit that ends with us. It needs a system manager that lets this user
// start units.
func (s *Spec) systemd(env, argv []string) []string {
	scratch := strconv.FormatInt(s.Scratch, 10)
	props := []string{"DynamicUser=yes", "PrivateNetwork=yes", "PrivateIPC=yes", "PrivateUsers=yes", "ProtectProc=invisible",
		"ProcSubset=all", "NoNewPrivileges=yes", "CapabilityBoundingSet=", "AmbientCapabilities=", "RestrictNamespaces=yes",
		"RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK", "SystemCallArchitectures=native",
		"SystemCallFilter=~@mount @module @reboot @swap @raw-io @clock @obsolete @keyring bpf perf_event_open userfaultfd",
		"ProtectSystem=strict", "ProtectHome=tmpfs", "ProtectKernelTunables=yes", "ProtectKernelModules=yes", "ProtectKernelLogs=yes",
		"ProtectControlGroups=yes", "ProtectClock=yes", "ProtectHostname=yes", "KeyringMode=private", "KillMode=control-group",
		"TemporaryFileSystem=/tmp:size=" + scratch, "TemporaryFileSystem=/var:ro", "TemporaryFileSystem=/run:ro",
		"TemporaryFileSystem=" + Home + ":size=" + scratch + ",mode=0777", "DevicePolicy=closed", "MemorySwapMax=0", "WorkingDirectory=" + s.Dir}
	if s.Memory > 0 {
		props = append(props, "MemoryMax="+strconv.FormatInt(s.Memory, 10))
	}
	if s.Pids > 0 {
		props = append(props, "TasksMax="+strconv.FormatInt(s.Pids, 10))
	}
	if s.CPUs > 0 {
		props = append(props, fmt.Sprintf("CPUQuota=%d%%", int(s.CPUs*100)))
	}
	for _, d := range s.Devices {
		props = append(props, "DeviceAllow="+d+" rw")
	}
	for _, p := range s.See {
		props = append(props, "BindReadOnlyPaths="+p)
	}
	for _, p := range s.Write {
		props = append(props, "BindPaths="+p)
	}
	args := []string{s.Program, "--pipe", "--wait", "--collect", "--quiet"}
	if s.Name != "" {
		args = append(args, "--unit="+s.Name)
	}
	for _, p := range props {
		args = append(args, "--property="+p)
	}
	for _, kv := range env {
		if !strings.HasPrefix(kv, "LS_COLORS=") {
			args = append(args, "--setenv="+kv)
		}
	}
	return append(append(args, "--"), argv...)
}
