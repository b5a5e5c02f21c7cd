package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// systemd is the command line of a transient unit that ends with us. It needs a system manager that lets this user
// start units, which makes the user as good as root: it is the last kind to be tried.
func (s *Spec) systemd(env, argv []string) []string {
	scratch := strconv.FormatInt(s.Scratch, 10)
	// The caller's own user, since the tree is that user's. DynamicUser would have its own idea of /home and /tmp, too.
	props := []string{"User=" + strconv.Itoa(os.Getuid()), "Group=" + strconv.Itoa(os.Getgid()), "PrivateNetwork=yes", "PrivateIPC=yes", "PrivateUsers=yes", "ProtectProc=invisible",
		"ProcSubset=all", "NoNewPrivileges=yes", "CapabilityBoundingSet=", "AmbientCapabilities=", "RestrictNamespaces=yes",
		"RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK", "SystemCallArchitectures=native",
		"SystemCallFilter=~@mount @module @reboot @swap @raw-io @clock @obsolete @keyring " + strings.Join(refusedNames(), " "),
		"SystemCallErrorNumber=EPERM", // instead of death, as in the other kinds
		"ProtectSystem=strict", "ProtectKernelTunables=yes", "ProtectKernelModules=yes", "ProtectKernelLogs=yes",
		"ProtectControlGroups=yes", "ProtectClock=yes", "ProtectHostname=yes", "KeyringMode=private", "KillMode=control-group", "KillSignal=SIGKILL",
		"TemporaryFileSystem=/tmp:size=" + scratch + ",mode=1777", "TemporaryFileSystem=/dev/shm:size=" + scratch + ",mode=1777",
		// What is not named below is not there, the machine's configuration and its users' homes above all.
		"TemporaryFileSystem=/var:ro", "TemporaryFileSystem=/run:ro", "TemporaryFileSystem=/root:ro", "TemporaryFileSystem=/home:ro",
		"TemporaryFileSystem=/etc:ro", "TemporaryFileSystem=/srv:ro", "TemporaryFileSystem=/mnt:ro", "TemporaryFileSystem=/media:ro",
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
	for _, name := range etc {
		props = append(props, "BindReadOnlyPaths=-/etc/"+name)
	}
	if s.Etc != "" {
		for _, name := range []string{"passwd", "group", "hosts"} {
			props = append(props, "BindReadOnlyPaths="+filepath.Join(s.Etc, name)+":/etc/"+name)
		}
	}
	for _, d := range s.Devices {
		props = append(props, "DeviceAllow="+d+" rw")
	}
	for _, b := range s.binds() {
		how := "BindReadOnlyPaths="
		if b.write {
			how = "BindPaths="
		}
		props = append(props, how+b.path)
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
