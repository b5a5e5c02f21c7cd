//go:build linux

package sandbox

import "golang.org/x/sys/unix"

// The architecture whose system calls a job may make, as the kernel and as container runtimes name it.
const (
	auditArch    = unix.AUDIT_ARCH_AARCH64
	architecture = "SCMP_ARCH_AARCH64"
)
