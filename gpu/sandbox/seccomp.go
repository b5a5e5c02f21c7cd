//go:build linux

package sandbox

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"golang.org/x/sys/unix"
)

// call is a system call by its name, for podman, and by its number on this machine, for the kernel.
type call struct {
	name   string
	number uintptr
}

// refused are system calls that no decode step needs and that reach for the kernel itself: mounts and namespaces,
// modules, keys, tracing of the whole machine, clocks, files by handle, and the interfaces that most ways out of a
// container went through.
var refused = []call{
	{"mount", unix.SYS_MOUNT}, {"umount2", unix.SYS_UMOUNT2}, {"pivot_root", unix.SYS_PIVOT_ROOT},
	{"chroot", unix.SYS_CHROOT}, {"move_mount", unix.SYS_MOVE_MOUNT}, {"open_tree", unix.SYS_OPEN_TREE},
	{"fsopen", unix.SYS_FSOPEN}, {"fsconfig", unix.SYS_FSCONFIG}, {"fsmount", unix.SYS_FSMOUNT},
	{"fspick", unix.SYS_FSPICK}, {"mount_setattr", unix.SYS_MOUNT_SETATTR}, {"unshare", unix.SYS_UNSHARE},
	{"setns", unix.SYS_SETNS}, {"init_module", unix.SYS_INIT_MODULE}, {"finit_module", unix.SYS_FINIT_MODULE},
	{"delete_module", unix.SYS_DELETE_MODULE}, {"kexec_load", unix.SYS_KEXEC_LOAD},
	{"kexec_file_load", unix.SYS_KEXEC_FILE_LOAD}, {"reboot", unix.SYS_REBOOT}, {"swapon", unix.SYS_SWAPON},
	{"swapoff", unix.SYS_SWAPOFF}, {"acct", unix.SYS_ACCT}, {"quotactl", unix.SYS_QUOTACTL},
	{"syslog", unix.SYS_SYSLOG}, {"bpf", unix.SYS_BPF}, {"perf_event_open", unix.SYS_PERF_EVENT_OPEN},
	{"userfaultfd", unix.SYS_USERFAULTFD}, {"io_uring_setup", unix.SYS_IO_URING_SETUP},
	{"io_uring_enter", unix.SYS_IO_URING_ENTER}, {"io_uring_register", unix.SYS_IO_URING_REGISTER},
	{"keyctl", unix.SYS_KEYCTL}, {"add_key", unix.SYS_ADD_KEY}, {"request_key", unix.SYS_REQUEST_KEY},
	{"open_by_handle_at", unix.SYS_OPEN_BY_HANDLE_AT}, {"name_to_handle_at", unix.SYS_NAME_TO_HANDLE_AT},
	{"fanotify_init", unix.SYS_FANOTIFY_INIT}, {"settimeofday", unix.SYS_SETTIMEOFDAY},
	{"clock_settime", unix.SYS_CLOCK_SETTIME}, {"clock_adjtime", unix.SYS_CLOCK_ADJTIME},
	{"adjtimex", unix.SYS_ADJTIMEX}, {"lookup_dcookie", unix.SYS_LOOKUP_DCOOKIE}, {"vhangup", unix.SYS_VHANGUP},
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
	for _, c := range refused {
		prog = append(prog, instruction{jumpEq, 0, 1, uint32(c.number)}, instruction{ret, 0, 0, answer(uint32(unix.EPERM))})
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
