package sandbox

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"golang.org/x/sys/unix"
)

// refused are system calls that no decode step needs and that reach for the kernel itself: mounts and namespaces,
// modules, keys, tracing of the whole machine, clocks, files by handle, and the interfaces that most ways out of a
// container went through.
var refused = []uintptr{
	unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT, unix.SYS_MOVE_MOUNT, unix.SYS_OPEN_TREE, unix.SYS_FSOPEN,
	unix.SYS_FSCONFIG, unix.SYS_FSMOUNT, unix.SYS_FSPICK, unix.SYS_MOUNT_SETATTR, unix.SYS_UNSHARE, unix.SYS_SETNS,
	unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE, unix.SYS_KEXEC_LOAD, unix.SYS_KEXEC_FILE_LOAD, unix.SYS_REBOOT,
	unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_ACCT, unix.SYS_QUOTACTL, unix.SYS_SYSLOG, unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN,
	unix.SYS_USERFAULTFD, unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER, unix.SYS_KEYCTL,
	unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY, unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_NAME_TO_HANDLE_AT, unix.SYS_FANOTIFY_INIT,
	unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME, unix.SYS_CLOCK_ADJTIME, unix.SYS_ADJTIMEX, unix.SYS_LOOKUP_DCOOKIE, unix.SYS_VHANGUP,
}

// families of sockets that stay inside: the network namespace holds them. A virtual machine's vsock, for one, is not
// held by it.
var families = []uint32{unix.AF_UNIX, unix.AF_INET, unix.AF_INET6, unix.AF_NETLINK}

// Instructions of classic BPF, and the layout of struct seccomp_data.
const (
	load, jumpEq, jumpGe, jumpSet, ret = 0x20, 0x15, 0x35, 0x45, 0x06
	offNumber, offArch, offArg0        = 0, 4, 16
)

type instruction struct {
	code uint16
	t, f uint8 // how many instructions to skip
	k    uint32
}

// answer makes a system call fail with errno.
func answer(errno uint32) uint32 { return unix.SECCOMP_RET_ERRNO | errno }

// filter is the program as the kernel and bwrap take it.
func filter(arch uint32) []byte {
	prog := []instruction{
		{load, 0, 0, offArch},
		{jumpEq, 1, 0, arch},
		{ret, 0, 0, unix.SECCOMP_RET_KILL_PROCESS}, // system calls of another architecture have other numbers
		{load, 0, 0, offNumber},
		{jumpGe, 0, 1, 0x40000000}, // x32
		{ret, 0, 0, answer(uint32(unix.EPERM))},
	}
	for _, nr := range refused {
		prog = append(prog, instruction{jumpEq, 0, 1, uint32(nr)}, instruction{ret, 0, 0, answer(uint32(unix.EPERM))})
	}
	prog = append(prog,
		// clone3 hides its flags behind a pointer; libraries fall back to clone.
		instruction{jumpEq, 0, 1, unix.SYS_CLONE3}, instruction{ret, 0, 0, answer(uint32(unix.ENOSYS))},
		instruction{jumpEq, 0, 4, unix.SYS_CLONE},
		instruction{load, 0, 0, offArg0},
		instruction{jumpSet, 0, 1, unix.CLONE_NEWUSER},
		instruction{ret, 0, 0, answer(uint32(unix.EPERM))},
		instruction{ret, 0, 0, unix.SECCOMP_RET_ALLOW},
		instruction{jumpEq, 1, 0, unix.SYS_SOCKET},
		instruction{ret, 0, 0, unix.SECCOMP_RET_ALLOW},
		instruction{load, 0, 0, offArg0})
	for _, f := range families {
		prog = append(prog, instruction{jumpEq, 0, 1, f}, instruction{ret, 0, 0, unix.SECCOMP_RET_ALLOW})
	}
	prog = append(prog, instruction{ret, 0, 0, answer(uint32(unix.EAFNOSUPPORT))})
	var b bytes.Buffer
	for _, in := range prog {
		b.Write(binary.NativeEndian.AppendUint16(nil, in.code))
		b.Write([]byte{in.t, in.f})
		b.Write(binary.NativeEndian.AppendUint32(nil, in.k))
	}
	return b.Bytes()
}

// filterFile is an open file with the filter, which stays open over exec.
func filterFile() (int, error) {
	prog := filter(auditArch)
	fd, err := unix.MemfdCreate("gatebot-seccomp", 0)
	if err != nil {
		return 0, fmt.Errorf("sandbox: filter of system calls: %w", err)
	}
	if _, err := unix.Write(fd, prog); err != nil {
		return 0, fmt.Errorf("sandbox: filter of system calls: %w", err)
	}
	if _, err := unix.Seek(fd, 0, 0); err != nil {
		return 0, fmt.Errorf("sandbox: filter of system calls: %w", err)
	}
	return fd, nil
}
